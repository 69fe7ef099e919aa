/* From integrals of two shells to the blocks of pairs of atoms that a rank owns. */
#include "base/arithmetic.h"
#include "base/threads.h"
#include "far_charges.h"
#include "hamiltonian_private.h"
#include "hf/interruption.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/** Largest error of an element from the expansion of far charges, hartree. */
static const double TOLERANCE = 1e-14;
/** Smallest number of places of charge for which far charges are expanded. */
static const int MANY_PLACES = 64;
/** Products of primitives of two atoms times rows of charge from which on expansions take less time than
 *  rows, as measured. */
static const double LEAST_WORK = 2000.0;

/** The block [n_row][n_column] of two atoms; its rows begin at function first_row, and so on. */
struct atom_block {
    double *element;
    int first_row, first_column;
    size_t n_column;
    double factor;
};

static void add(const struct atom_block *to, const struct hf_shell *a, const struct hf_shell *b,
                const double *integral)
{
    for (int i = 0; i < a->n_function; i++) {
        double *row = to->element + (size_t)(a->first_function - to->first_row + i) * to->n_column +
                      (b->first_function - to->first_column);
        for (int j = 0; j < b->n_function; j++) row[j] += to->factor * *integral++;
    }
}

/** The same integrals as those of b with a. */
static void add_transposed(const struct atom_block *to, const struct hf_shell *a,
                           const struct hf_shell *b, const double *integral)
{
    for (int i = 0; i < a->n_function; i++)
        for (int j = 0; j < b->n_function; j++)
            to->element[(size_t)(b->first_function - to->first_row + j) * to->n_column +
                        (size_t)(a->first_function - to->first_column + i)] +=
                to->factor * *integral++;
}

/** How far the shells of an atom reach. */
struct reach {
    double exponent;    /**< smallest of its primitives */
    double coefficient; /**< largest modulus of them; 0: no shells */
};

/** Shared by the threads of a rank, which take rows of the circle of the layout one by one. */
struct sharing {
    const struct hf_term_blocks *blocks;
    struct reach *reach;                        /**< [n_atom] */
    const struct hf_one_electron *one_electron; /**< the threads share its tables */
    enum hf_operator which;
    double factor;
    const struct hf_charge_tree *tree; /**< of many charges; NULL else */
    atomic_int next_row;
};

static struct reach find_reach(const struct hf_basis *basis, int atom)
{
    struct reach reach = {.exponent = DBL_MAX};
    for (int m = basis->first_shell_of_atom[atom]; m < basis->first_shell_of_atom[atom + 1]; m++) {
        for (int i = 0; i < basis->shell[m].n_primitive; i++) {
            reach.exponent = fmin(reach.exponent, basis->shell[m].exponent[i]);
            reach.coefficient = fmax(reach.coefficient, fabs(basis->shell[m].coefficient[i]));
        }
    }
    return reach;
}

/** Whether no product of primitives of two atoms is as large as HF_NO_OVERLAP. */
static bool is_far(const struct sharing *self, int i, int j)
{
    const struct hf_basis *basis = self->blocks->basis;
    const struct reach a = self->reach[i], b = self->reach[j];
    if (a.coefficient == 0.0 || b.coefficient == 0.0) return true;
    const double *at = basis->shell[basis->first_shell_of_atom[i]].centre_bohr;
    const double *to = basis->shell[basis->first_shell_of_atom[j]].centre_bohr;
    const double least = a.exponent * b.exponent / (a.exponent + b.exponent);
    return a.coefficient * b.coefficient * exp(-least * hf_distance_squared(at, to)) <
           HF_NO_OVERLAP;
}

/** Adds all shells of atom i with all of atom j; each pair of one atom once. Returns the reason of an
 *  interruption, or 0. */
static int add_atoms(const struct sharing *self, struct hf_one_electron *one_electron, int i, int j,
                     const struct atom_block *to)
{
    const struct hf_term_blocks *blocks = self->blocks;
    const struct hf_basis *basis = blocks->basis;
    const int *first = basis->first_shell_of_atom;
    for (int m = first[i]; m < first[i + 1]; m++) {
        const int reason = hf_interruption_look(blocks->interruption, blocks->n_thread <= 1);
        if (reason != 0) return reason;
        const int end = i == j ? m + 1 : first[j + 1];
        for (int l = first[j]; l < end; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const double *integral = hf_one_electron_block(one_electron, self->which, a, b);
            add(to, a, b, integral);
            if (i == j && l < m) add_transposed(to, a, b, integral);
        }
    }
    return 0;
}

/** What a thread works with. */
struct tools {
    struct hf_one_electron *one_electron;
    struct hf_far_charges *far; /**< of many charges; NULL else */
};

/** Adds this rank's blocks of a row of the circle; as add_atoms. */
static int add_row(const struct sharing *self, const struct tools *tools, int row)
{
    int reason = 0;
    const struct hf_term_blocks *blocks = self->blocks;
    const int *first = hf_block_layout_first(blocks->layout);
    struct hf_own_blocks own = hf_own_blocks_begin_rows(blocks->layout, row, row + 1);
    struct hf_own_block here;
    while (reason == 0 && hf_own_blocks_next(&own, &here)) {
        const struct atom_block to = {
            .element = blocks->block + here.offset,
            .first_row = first[here.i],
            .first_column = first[here.j],
            .n_column = (size_t)(first[here.j + 1] - first[here.j]),
            .factor = self->factor,
        };
        if (is_far(self, here.i, here.j)) continue;
        if (tools->far != NULL)
            hf_one_electron_set_field(tools->one_electron,
                                      hf_far_charges_look(tools->far, here.i, here.j));
        reason = add_atoms(self, tools->one_electron, here.i, here.j, &to);
    }
    return reason;
}

/** What one thread does. */
static hf_status add_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct sharing *self = data;
    const int n_row = hf_block_layout_n_part(self->blocks->layout);
    struct tools tools = {.far = NULL};
    int reason = 0, row;
    (void)thread;
    (void)n_thread;
    hf_status status = hf_one_electron_share(self->one_electron, &tools.one_electron, error);
    if (status == HF_OK && self->tree != NULL)
        status = hf_far_charges_create(self->blocks->basis, self->tree, TOLERANCE, LEAST_WORK,
                                       &tools.far, error);
    while (status == HF_OK && reason == 0 && (row = atomic_fetch_add(&self->next_row, 1)) < n_row)
        reason = add_row(self, &tools, row);
    hf_far_charges_destroy(&tools.far);
    hf_one_electron_destroy(&tools.one_electron);
    return reason != 0 ? hf_interrupted(error, reason) : status;
}

/** Adds the blocks of this rank. */
static hf_status add_own_blocks(const struct hf_term_blocks *blocks,
                                const struct hf_one_electron *one_electron,
                                const struct hf_charge_tree *tree, enum hf_operator which,
                                double factor, struct hf_error *error)
{
    const struct hf_basis *basis = blocks->basis;
    struct hf_arena arena = {.label = "the one-electron integrals"};
    struct sharing self = {
        .blocks = blocks,
        .one_electron = one_electron,
        .which = which,
        .factor = factor,
        .tree = tree,
    };
    if (HF_TAKE(&arena, self.reach, (size_t)basis->n_atom) == NULL)
        return hf_arena_check(&arena, error);
    for (int i = 0; i < basis->n_atom; i++) self.reach[i] = find_reach(basis, i);
    const hf_status status = hf_threads_run(blocks->n_thread, add_rows, &self, error);
    hf_arena_done(&arena);
    return status;
}

hf_status hf_add_operator(const struct hf_term_blocks *blocks, enum hf_operator which,
                          double factor, struct hf_error *error)
{
    struct hf_one_electron *one_electron = NULL;
    hf_status status = hf_one_electron_create(blocks->basis->max_l, 0, NULL, &one_electron, error);
    if (status == HF_OK) status = add_own_blocks(blocks, one_electron, NULL, which, factor, error);
    hf_one_electron_destroy(&one_electron);
    return status;
}

hf_status hf_add_charges(const struct hf_term_blocks *blocks, int n_charge, hf_charge_of *charge_of,
                         const void *data, struct hf_error *error)
{
    struct hf_charge_tree tree = {.moments = NULL};
    struct hf_one_electron *one_electron = NULL;
    hf_status status;
    bool many = n_charge >= MANY_PLACES;
    struct hf_arena arena = {.label = "charges"};
    struct hf_spread_charge *sorted = HF_TAKE_UNSET(&arena, sorted, (size_t)n_charge);
    HF_TRY(hf_arena_check(&arena, error));
    for (int c = 0; c < n_charge; c++) sorted[c] = charge_of(data, c);
    if (many) HF_TRY(hf_charge_tree_init(&tree, n_charge, sorted, error));
    HF_TRY(hf_one_electron_create(blocks->basis->max_l, n_charge, sorted, &one_electron, error));
    const struct hf_charge_places places = hf_one_electron_places(one_electron);
    many = places.n_place >= MANY_PLACES;
    if (many) HF_TRY(hf_charge_tree_expand(&tree, places, error));
    HF_TRY(add_own_blocks(blocks, one_electron, many ? &tree : NULL, HF_CHARGES, 1.0, error));
cleanup:
    hf_arena_done(&tree.arena);
    hf_one_electron_destroy(&one_electron);
    hf_arena_done(&arena);
    return status;
}
