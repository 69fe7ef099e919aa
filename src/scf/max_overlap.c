/* Occupied orbitals by overlap instead of by energy: those that overlap most with the first ones. A
 * solution that is not the lowest is kept in this way.
 *
 *     p_j = sum_i |<i|j>|^2, i the first occupied orbitals, j those of the last Fock matrix
 *
 * Source   Gilbert, Besley, Gill, J. Phys. Chem. A 112, 13164 (2008); with the first orbitals
 *          instead of the last ones: Barca, Gilbert, Gill, J. Chem. Theory Comput. 14, 1501
 *          (2018). */
#include "converger.h"

/** The o columns of largest p, the first of equal ones, in their order: chosen[o]. p is
 *  destroyed. */
static void choose(int m, double p[], int o, bool chosen[])
{
    for (int j = 0; j < m; j++) chosen[j] = false;
    for (int n = 0; n < o; n++) {
        int best = -1;
        for (int j = 0; j < m; j++)
            if (!chosen[j] && (best < 0 || p[j] > p[best])) best = j;
        chosen[best] = true;
    }
}

/** p [m] of the orbitals vector [m][m], the same on every rank. */
static hf_status overlaps(struct hf_scf *scf, int k, const struct hf_matrix *vector, double p[],
                          struct hf_error *error)
{
    const int m = hf_matrix_n_col(vector), o = hf_matrix_n_col(scf->reference[k]);
    struct hf_matrix *overlap = NULL, *square = NULL;
    HF_CHECK(HF_CREATE_MATRICES(scf->linalg, "overlap with first orbitals", error, {&overlap, o, m},
                                {&square, m, m}));
    hf_matrix_multiply(1.0, true, scf->reference[k], false, vector, 0.0, overlap);
    hf_matrix_multiply_to_symmetric(1.0, true, overlap, false, overlap, square);
    hf_matrix_diagonal(square, p);
    hf_broadcast_bytes(scf->context->comm, 0, (size_t)m * sizeof *p, p);
    HF_DESTROY_MATRICES(&square, &overlap);
    return HF_OK;
}

/** scf->occupied[k] = the columns of vector that overlap most. */
static hf_status occupy_set(struct hf_scf *scf, int k, const struct hf_matrix *vector,
                            struct hf_error *error)
{
    hf_status status;
    const int m = hf_matrix_n_col(vector), o = hf_set_size(scf->n_electron, k);
    struct hf_arena arena = {.label = "the overlaps of orbitals"};
    double *p = HF_TAKE(&arena, p, (size_t)m);
    bool *chosen = HF_TAKE(&arena, chosen, (size_t)m);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(overlaps(scf, k, vector, p, error));
    choose(m, p, o, chosen);
    for (int j = 0, to = 0; j < m; j++)
        if (chosen[j]) hf_matrix_copy_columns(vector, j, 1, NULL, scf->occupied[k], to++);
cleanup:
    hf_arena_done(&arena);
    return status;
}
hf_status hf_scf_set_reference(struct hf_scf *scf, struct hf_error *error)
{
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupied[k] != NULL && scf->reference[k] == NULL)
            HF_CHECK(hf_matrix_create_copy("first orbitals", scf->occupied[k], &scf->reference[k],
                                           error));
    return HF_OK;
}

hf_status hf_scf_occupy_by_overlap(struct hf_scf *scf, struct hf_matrix *const vector[],
                                   struct hf_error *error)
{
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupied[k] != NULL) HF_CHECK(occupy_set(scf, k, vector[k], error));
    return HF_OK;
}
