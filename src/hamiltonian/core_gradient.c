/* Derivatives of the energy in effective core potentials. With respect to its centre a Cartesian function is
 * x^i -> 2 alpha x^(i+1) - i x^(i-1), so that a basis with a shell above and one below each shell has all
 * integrals; the derivative by the place of the core is what those of the functions leave. */
#include "base/arena.h"
#include "base/slope_sums.h"
#include "hamiltonian_private.h"
#include "hf/interruption.h"
#include "integrals/cartesian.h"
#include "one_electron/core_integrals.h"
#include "one_electron/hermite.h"

#include <string.h>

/** The basis with Cartesian shells: of each shell itself, the one above, the one below (l > 0). These are no
 *  basis functions: they have no norm. */
struct raised {
    struct hf_arena arena; /**< has the arrays and this struct */
    struct hf_basis basis; /**< shells, atoms and potentials alone */
    int *place;            /**< [n_shell] first of the shells of a shell */
    double *storage;       /**< coefficients of the shells above */
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    double block[HF_MAX_CARTESIAN_BLOCK], scratch[HF_MAX_CARTESIAN_BLOCK];
};

/** Appends a shell of that angular momentum. */
static void append(struct hf_basis *to, const struct hf_shell *from, int l,
                   const double *coefficient)
{
    struct hf_shell *shell = &to->shell[to->n_shell++];
    *shell = *from;
    shell->l = l;
    shell->spherical = false;
    shell->coefficient = coefficient;
    shell->first_function = to->n_function;
    shell->n_function = hf_n_cartesian(l);
    to->n_function += shell->n_function;
    to->first_shell_of_atom[shell->atom + 1] = to->n_shell;
}

/** Local: lists the shells. */
static void list_shells(const struct hf_basis *basis, struct raised *self)
{
    struct hf_basis *to = &self->basis;
    double *raised = self->storage;
    to->n_atom = basis->n_atom;
    to->max_l = basis->max_l + 1;
    to->n_core_potential = basis->n_core_potential;
    to->core_potential = basis->core_potential;
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        self->place[s] = to->n_shell;
        append(to, shell, shell->l, shell->coefficient);
        append(to, shell, shell->l + 1, raised);
        for (int i = 0; i < shell->n_primitive; i++)
            *raised++ = 2.0 * shell->exponent[i] * shell->coefficient[i];
        if (shell->l > 0) append(to, shell, shell->l - 1, shell->coefficient);
    }
    for (int a = 0; a < basis->n_atom; a++) /* atoms without shells */
        if (to->first_shell_of_atom[a + 1] == 0)
            to->first_shell_of_atom[a + 1] = to->first_shell_of_atom[a];
}

static hf_status create(const struct hf_term_gradient *gradient, struct raised **raised,
                        struct hf_error *error)
{
    const struct hf_basis *basis = gradient->basis;
    const size_t n_shell = (size_t)basis->n_shell;
    struct hf_arena arena = {.label = "derivatives of core potentials"};
    struct raised *self = *raised = HF_TAKE(&arena, self, 1);
    if (self == NULL) return hf_arena_check(&arena, error);
    HF_TAKE(&arena, self->place, n_shell);
    HF_TAKE(&arena, self->basis.shell, 3 * n_shell);
    HF_TAKE(&arena, self->basis.first_shell_of_atom, (size_t)basis->n_atom + 1);
    HF_TAKE(&arena, self->storage, (size_t)basis->n_primitive);
    self->arena = arena;
    HF_CHECK(hf_arena_check(&arena, error));
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= basis->max_l; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    list_shells(basis, self);
    return HF_OK;
}

/** One of the two shells of a block is differentiated (p), the other is not (q). Steps are those between their
 *  functions in memory. */
struct side {
    int shell, l;            /**< of p in the raised basis */
    int first;               /**< function of the raised basis that the integrals begin with */
    int n_other;             /**< functions of q */
    size_t step_p, step_q;   /**< in the integrals */
    size_t block_p, block_q; /**< in self->block, the density */
};

/** of[3] += derivative by the centre of p of sum_pq D_pq U_pq; `integral` begins at the first function of q. */
static void add_slope(const struct raised *self, const struct side *side, const double *integral,
                      double of[3])
{
    const int l = side->l;
    const struct hf_shell *above = &self->basis.shell[side->shell + 1];
    const struct hf_shell *below = l > 0 ? &self->basis.shell[side->shell + 2] : NULL;
    const double *up = integral + (size_t)(above->first_function - side->first) * side->step_p;
    const double *down =
        below != NULL ? integral + (size_t)(below->first_function - side->first) * side->step_p
                      : NULL;
    for (int p = 0; p < hf_n_cartesian(l); p++) {
        const struct hf_cartesian *component = &self->cartesian.component[l][p];
        for (int q = 0; q < side->n_other; q++) {
            const double d = self->block[(size_t)p * side->block_p + (size_t)q * side->block_q];
            for (int x = 0; x < 3; x++) {
                const size_t column = (size_t)q * side->step_q;
                double slope = up[(size_t)component->upper[x] * side->step_p + column];
                if (component->power[x] > 0)
                    slope -= component->power[x] *
                             down[(size_t)component->lower[x] * side->step_p + column];
                of[x] += d * slope;
            }
        }
    }
}

/** The functions of atoms i and j in one potential: of_i and of_j. */
static void add_atoms(const struct hf_term_gradient *gradient, struct raised *self, int i, int j,
                      const double *density, const double *integral, double of_i[3], double of_j[3])
{
    const struct hf_basis *basis = gradient->basis;
    const int *first = basis->first_shell_of_atom;
    const size_t stride = (size_t)hf_atom_n_function(basis, j);
    const size_t n_column = (size_t)hf_atom_n_function(&self->basis, j);
    const int first_i = hf_atom_first_function(&self->basis, i);
    const int first_j = hf_atom_first_function(&self->basis, j);
    for (int m = first[i]; m < first[i + 1]; m++) {
        for (int l = first[j]; l < first[j + 1]; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const int n_a = hf_n_cartesian(a->l), n_b = hf_n_cartesian(b->l);
            const int at_a = self->basis.shell[self->place[m]].first_function - first_i;
            const int at_b = self->basis.shell[self->place[l]].first_function - first_j;
            hf_density_to_cartesian(self->harmonics, a, b, i == j ? 1.0 : 2.0,
                                    density + hf_place_in_atom_block(basis, a, b), stride,
                                    self->scratch, self->block);
            const struct side of_a = {self->place[m], a->l, first_i,     n_b,
                                      n_column,       1,    (size_t)n_b, 1};
            const struct side of_b = {self->place[l], b->l, first_j,    n_a, 1,
                                      n_column,       1,    (size_t)n_b};
            add_slope(self, &of_a, integral + at_b, of_i);
            add_slope(self, &of_b, integral + (size_t)at_a * n_column, of_j);
        }
    }
}

/** One potential: this rank's blocks of atoms that it reaches. `atom` [n_atom] and `integral` are scratch. */
static hf_status add_potential(const struct hf_term_gradient *gradient, struct raised *self,
                               int which, int atom[], double integral[], struct hf_error *error)
{
    const struct hf_basis *basis = &self->basis;
    const int centre = basis->core_potential[which].atom;
    struct hf_core_integrals *integrals = NULL;
    hf_status status;
    int n = 0;
    HF_TRY(hf_core_integrals_create(basis, which, gradient->molecule->atom[centre].position_bohr,
                                    &integrals, error));
    for (int i = 0; i < basis->n_atom; i++)
        if (hf_core_integrals_reach(integrals, i)) atom[n++] = i;
    for (int k = 0; k < n; k++) {
        const int reason = hf_interruption_look(gradient->interruption, true);
        if (reason != 0) HF_TRY(hf_interrupted(error, reason));
        for (int m = 0; m <= k; m++) {
            const int i = atom[k], j = atom[m];
            const struct hf_block_place place = hf_block_layout_find(gradient->layout, i, j);
            double of_i[3] = {0.0}, of_j[3] = {0.0};
            if (place.rank != gradient->rank) continue;
            memset(integral, 0,
                   (size_t)hf_atom_n_function(basis, i) * (size_t)hf_atom_n_function(basis, j) *
                       sizeof *integral);
            HF_TRY(hf_core_integrals_add(integrals, i, j, integral, error));
            add_atoms(gradient, self, i, j, gradient->density + place.offset, integral, of_i, of_j);
            const double of_core[3] = {-of_i[0] - of_j[0], -of_i[1] - of_j[1], -of_i[2] - of_j[2]};
            hf_slope_add(of_i, gradient->atom[i]);
            hf_slope_add(of_j, gradient->atom[j]);
            hf_slope_add(of_core, gradient->atom[centre]);
        }
    }
cleanup:
    hf_core_integrals_destroy(&integrals);
    return status;
}

hf_status hf_add_core_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    hf_status status;
    struct raised *raised = NULL;
    HF_TRY(create(gradient, &raised, error));
    const size_t most = (size_t)hf_most_functions_of_atom(&raised->basis);
    int *atom = HF_TAKE(&raised->arena, atom, (size_t)gradient->molecule->n_atom);
    double *integral = HF_TAKE(&raised->arena, integral, most * most);
    HF_TRY(hf_arena_check(&raised->arena, error));
    for (int k = 0; k < raised->basis.n_core_potential; k++)
        HF_TRY(add_potential(gradient, raised, k, atom, integral, error));
cleanup:
    if (raised != NULL) hf_arena_done(&raised->arena);
    return status;
}
