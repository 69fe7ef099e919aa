/* The list of convergers, and from Fock matrices to their orbitals. */
#include "converger.h"

#include <math.h>
#include <string.h>

const struct hf_converger_ops *const hf_converger_list[] = {
    &hf_converger_auto,    &hf_converger_diis,   &hf_converger_adiis,
    &hf_converger_damping, &hf_converger_newton, NULL};

HF_DEFINE_NAMED_LIST(converger)

hf_status hf_scf_take_data(struct hf_scf *scf, const char *label, size_t bytes, void **data,
                           struct hf_error *error)
{
    scf->arena.label = label;
    *data = hf_arena_take(&scf->arena, 1, bytes);
    return hf_agree(scf->context->comm, hf_arena_check(&scf->arena, error), error);
}

/** New effective [n_set]: what is diagonalised. */
static hf_status make_effective(struct hf_scf *scf, struct hf_matrix *const fock[], bool canonical,
                                struct hf_matrix *effective[], struct hf_error *error)
{
    const struct hf_method_ops *method = scf->method;
    struct hf_determinant of = hf_scf_determinant(scf);
    if (!scf->has_orbitals) of.occupied[0] = of.occupied[1] = NULL;
    HF_CHECK(hf_scf_create_list(scf, "Fock matrix", method->n_set, false, effective, error));
    if (method->effective != NULL) return method->effective(&of, fock, canonical, effective, error);
    for (int k = 0; k < method->n_set; k++) hf_matrix_copy(fock[k], effective[k]);
    return HF_OK;
}

/** matrix -= shift sum_s W_s W_s^T / 2 of both spins s in a set they share, of its own spin
 *  else. */
static hf_status lower_occupied(struct hf_scf *scf, int k, double shift, struct hf_matrix *matrix,
                                struct hf_error *error)
{
    struct hf_matrix *orbitals = NULL;
    const struct hf_determinant of = hf_scf_determinant(scf);
    const int n_set = scf->method->n_set, n_spin = scf->method->n_fock == 2 && n_set == 1 ? 2 : 1;
    for (int s = 0; s < n_spin; s++) {
        HF_CHECK(hf_spin_orbitals(&of, n_set == 2 ? k : s, &orbitals, error));
        if (orbitals != NULL)
            hf_matrix_multiply(-shift / n_spin, false, orbitals, true, orbitals, 1.0, matrix);
        hf_matrix_destroy(&orbitals);
    }
    return HF_OK;
}

/** Diagonalises scf->effective or what the method makes of scf->fock, which are destroyed. All orbitals go to
 *  vector [n_set]; NULL: the lowest ones to scf->occupied. */
static hf_status diagonalise(struct hf_scf *scf, struct hf_matrix *const vector[],
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *effective[HF_MAX_SPIN] = {NULL};
    const size_t m = (size_t)scf->result->n_orbital;
    if (scf->effective[0] != NULL) {
        memcpy(effective, scf->effective, sizeof effective);
        memset(scf->effective, 0, sizeof scf->effective);
        hf_scf_destroy_list(scf->fock);
    } else if (scf->method->effective == NULL) {
        memcpy(effective, scf->fock, sizeof effective);
        memset(scf->fock, 0, sizeof scf->fock);
    } else {
        HF_TRY(make_effective(scf, scf->fock, false, effective, error));
        hf_scf_destroy_list(scf->fock);
    }
    for (int k = 0; k < scf->method->n_set; k++) {
        if (scf->settings->level_shift > 0.0 && scf->has_orbitals)
            HF_TRY(lower_occupied(scf, k, scf->settings->level_shift, effective[k], error));
        double *energy = scf->orbital_energy + (size_t)k * m;
        HF_TRY(vector != NULL
                   ? hf_lowest_orbitals(scf->context, effective[k], energy, vector[k], error)
                   : hf_scf_lowest_of_set(scf, k, effective[k], energy, error));
    }
    scf->gap = hf_scf_gap(scf);
cleanup:
    hf_scf_destroy_list(effective);
    return status;
}
hf_status hf_scf_diagonalise(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *vector[HF_MAX_SPIN] = {NULL};
    const bool by_overlap = scf->settings->max_overlap && scf->reference[0] != NULL;
    if (!by_overlap && scf->occupation == NULL) {
        HF_TRY(diagonalise(scf, NULL, error));
    } else {
        HF_TRY(hf_scf_next_orbitals(scf, vector, error));
        HF_TRY(by_overlap ? hf_scf_occupy_by_overlap(scf, vector, error)
                          : hf_scf_occupy(scf, vector, error));
    }
    scf->has_orbitals = true;
cleanup:
    hf_scf_destroy_list(vector);
    return status;
}

/** Canonical orbitals of set k (NULL: none) and their energies from its effective matrix, which is
 *  destroyed.
 *
 *  At the end, and for open shells whose energies are a convention, shells are first shifted apart
 *  by more than the range of all eigenvalues, and back afterwards. So closed, open and virtual orbitals
 *  come in this order, and the occupied ones are those of the last density. These need not have the lowest
 *  energies, even at a minimum, and if the density can change at almost no cost in energy, the lowest
 *  ones have larger errors. Fractional occupations follow the energies, for any orbitals. */
static hf_status canonical_orbitals(struct hf_scf *scf, int k, struct hf_matrix *effective,
                                    struct hf_matrix *vector, struct hf_error *error)
{
    double square, shift = 0.0;
    double *energy = scf->orbital_energy + (size_t)k * (size_t)scf->result->n_orbital;
    const int n_set = scf->method->n_set, n_occupied = hf_set_size(scf->n_electron, k);
    const int n_closed = n_set == 1 ? scf->n_electron.beta : n_occupied;
    if ((scf->method->effective != NULL || scf->result->converged) && scf->has_orbitals &&
        scf->occupation == NULL) {
        hf_matrix_dot(effective, effective, &square);
        shift = 4.0 * sqrt(square);
        HF_CHECK(lower_occupied(scf, k, shift, effective, error));
    }
    HF_CHECK(hf_lowest_orbitals(scf->context, effective, energy, vector, error));
    for (int i = 0; i < n_occupied; i++) energy[i] += i < n_closed ? shift : 0.5 * shift;
    return HF_OK;
}

/** The same for all sets; vector may be a list of NULLs. */
static hf_status canonical_sets(struct hf_scf *scf, struct hf_matrix *const fock[],
                                struct hf_matrix *const vector[], struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *effective[HF_MAX_SPIN] = {NULL};
    HF_TRY(make_effective(scf, fock, true, effective, error));
    for (int k = 0; k < scf->method->n_set; k++) {
        HF_TRY(canonical_orbitals(scf, k, effective[k], vector[k], error));
        hf_matrix_destroy(&effective[k]);
    }
cleanup:
    hf_scf_destroy_list(effective);
    return status;
}

hf_status hf_scf_orbital_energies(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_matrix *const none[HF_MAX_SPIN] = {NULL};
    const hf_status status = canonical_sets(scf, scf->fock, none, error);
    hf_scf_destroy_list(scf->fock);
    return status;
}
hf_status hf_scf_all_orbitals(struct hf_scf *scf, struct hf_matrix *const fock[],
                              struct hf_matrix *vector[], struct hf_error *error)
{
    HF_CHECK(hf_scf_create_list(scf, "orbitals", scf->method->n_set, false, vector, error));
    return canonical_sets(scf, fock, vector, error);
}
hf_status hf_scf_next_orbitals(struct hf_scf *scf, struct hf_matrix *vector[],
                               struct hf_error *error)
{
    HF_CHECK(hf_scf_create_list(scf, "orbitals", scf->method->n_set, false, vector, error));
    return diagonalise(scf, vector, error);
}
