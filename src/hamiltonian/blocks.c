/* From integrals of two shells to the blocks of pairs of atoms that a rank owns. */
#include "hamiltonian_private.h"
#include "hf/interruption.h"

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

/** All shells of atom i with all of atom j; each pair of one atom once. Ends early when the run is to
 *  end, and returns why; else 0. */
static int add_atoms(struct hf_one_electron *one_electron, enum hf_operator which,
                     const struct hf_term_blocks *blocks, int i, int j, const struct atom_block *to)
{
    const struct hf_basis *basis = blocks->basis;
    const int *first = basis->first_shell_of_atom;
    for (int m = first[i]; m < first[i + 1]; m++) {
        const int reason = hf_interruption_look(blocks->interruption, true);
        if (reason != 0) return reason;
        const int end = i == j ? m + 1 : first[j + 1];
        for (int l = first[j]; l < end; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const double *integral = hf_one_electron_block(one_electron, which, a, b);
            add(to, a, b, integral);
            if (i == j && l < m) add_transposed(to, a, b, integral);
        }
    }
    return 0;
}

/** Adds the blocks of this rank. */
static hf_status add_own_blocks(const struct hf_term_blocks *blocks,
                                struct hf_one_electron *one_electron, enum hf_operator which,
                                double factor, struct hf_error *error)
{
    int reason = 0;
    const int *first = hf_block_layout_first(blocks->layout);
    struct hf_own_blocks own = hf_own_blocks_begin(blocks->layout);
    struct hf_own_block here;
    while (reason == 0 && hf_own_blocks_next(&own, &here)) {
        const struct atom_block to = {
            .element = blocks->block + here.offset,
            .first_row = first[here.i],
            .first_column = first[here.j],
            .n_column = (size_t)(first[here.j + 1] - first[here.j]),
            .factor = factor,
        };
        reason = add_atoms(one_electron, which, blocks, here.i, here.j, &to);
    }
    return reason != 0 ? hf_interrupted(error, reason) : HF_OK;
}

hf_status hf_add_operator(const struct hf_term_blocks *blocks, enum hf_operator which,
                          double factor, int n_charge, const struct hf_point_charge charge[],
                          struct hf_error *error)
{
    struct hf_one_electron *one_electron = NULL;
    hf_status status =
        hf_one_electron_create(blocks->basis->max_l, n_charge, charge, &one_electron, error);
    if (status == HF_OK) status = add_own_blocks(blocks, one_electron, which, factor, error);
    hf_one_electron_destroy(&one_electron);
    return status;
}

hf_status hf_add_spread_charges(const struct hf_term_blocks *blocks, int n_charge,
                                const struct hf_spread_charge charge[], struct hf_error *error)
{
    struct hf_one_electron *one_electron = NULL;
    hf_status status =
        hf_one_electron_create_spread(blocks->basis->max_l, n_charge, charge, &one_electron, error);
    if (status == HF_OK) status = add_own_blocks(blocks, one_electron, HF_CHARGES, 1.0, error);
    hf_one_electron_destroy(&one_electron);
    return status;
}
