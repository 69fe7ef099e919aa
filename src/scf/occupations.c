/* Which orbitals are occupied. Fractional occupations are those of electrons at a temperature (Fermi and Dirac).
 *
 *     f_i = 1 / (1 + exp((e_i - mu) / kT))    A = E - T S
 *     -T S = kT sum_i (f_i ln f_i + (1 - f_i) ln (1 - f_i)), over the orbitals of each spin
 *
 * The density with these f is the one whose free energy A is lowest: A, not E, is stationary there.
 *
 * Source   Mermin, Phys. Rev. 137, A1441 (1965); Rabuck, Scuseria, J. Chem. Phys. 110, 695
 *          (1999). */
#include "converger.h"

#include <float.h>
#include <math.h>

/** Orbitals with less are not occupied. */
static const double NOTHING = 1e-14;

static double fermi(double x)
{
    return 1.0 / (1.0 + exp(x));
}

/** Electrons where the chemical potential is `level` kT above energy[reference]. */
static double count(int n, const double energy[], double reference, double temperature,
                    double level)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += fermi((energy[i] - reference) / temperature - level);
    return sum;
}

void hf_fermi_occupations(int n, const double energy[], int n_electron, double temperature,
                          double occupation[])
{
    enum { HALVINGS = 200 };
    for (int i = 0; i < n; i++) occupation[i] = i < n_electron;
    if (n_electron == 0 || n_electron == n) return;
    /* in kT above the highest orbital that would be full: then there is no rounding near the answer */
    const double reference = energy[n_electron - 1], far = 1.0 + log(n);
    double low = (energy[0] - reference) / temperature - far;
    double high = (energy[n - 1] - reference) / temperature + far;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if (count(n, energy, reference, temperature, middle) < n_electron)
            low = middle;
        else
            high = middle;
    }
    for (int i = 0; i < n; i++) {
        const double f = fermi((energy[i] - reference) / temperature - 0.5 * (low + high));
        occupation[i] = f > NOTHING ? f : 0.0;
    }
}

double hf_entropy_term(int n, const double occupation[], double temperature)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double f = occupation[i];
        if (f > 0.0 && f < 1.0) sum += f * log(f) + (1.0 - f) * log1p(-f);
    }
    return temperature * sum;
}

double hf_scf_entropy_term(const struct hf_scf *scf)
{
    const int m = scf->result->n_orbital, n_set = scf->method->n_set;
    double sum = 0.0;
    if (scf->occupation == NULL || !scf->has_orbitals) return 0.0;
    for (int k = 0; k < n_set; k++)
        sum += hf_entropy_term(m, scf->occupation + (size_t)k * (size_t)m, scf->settings->smearing);
    return n_set == 1 ? 2.0 * sum : sum;
}

void hf_scf_occupations(const struct hf_scf *scf, int k, double occupation[])
{
    const int m = scf->result->n_orbital, n_set = scf->method->n_set;
    hf_set_occupations(scf->method, scf->n_electron, k, m, occupation);
    if (scf->occupation == NULL) return;
    for (int i = 0; i < m; i++)
        occupation[i] =
            (n_set == 1 ? 2.0 : 1.0) * scf->occupation[(size_t)k * (size_t)m + (size_t)i];
}
hf_status hf_scf_weigh(struct hf_scf *scf, int k, const struct hf_matrix *vector,
                       struct hf_error *error)
{
    hf_status status;
    const int m = scf->result->n_orbital, n_column = hf_matrix_n_col(vector);
    const double *occupation = scf->occupation + (size_t)k * (size_t)m;
    int o = 0;
    struct hf_arena arena = {.label = "occupations"};
    double *root = HF_TAKE(&arena, root, (size_t)m);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    hf_matrix_destroy(&scf->occupied[k]);
    for (; o < n_column && occupation[o] > 0.0; o++) root[o] = sqrt(occupation[o]);
    if (o > 0)
        HF_TRY(hf_matrix_create_columns("occupied orbitals", vector, 0, o, root, &scf->occupied[k],
                                        error));
cleanup:
    hf_arena_done(&arena);
    return status;
}

hf_status hf_scf_occupy(struct hf_scf *scf, struct hf_matrix *const vector[],
                        struct hf_error *error)
{
    const size_t m = (size_t)scf->result->n_orbital;
    for (int k = 0; k < scf->method->n_set; k++) {
        double *occupation = scf->occupation + (size_t)k * m;
        hf_fermi_occupations((int)m, scf->orbital_energy + (size_t)k * m,
                             hf_set_size(scf->n_electron, k), scf->settings->smearing, occupation);
        /* all ranks must have the same bits, also on different processors */
        hf_broadcast_bytes(scf->context->comm, 0, m * sizeof *occupation, occupation);
        HF_CHECK(hf_scf_weigh(scf, k, vector[k], error));
    }
    return HF_OK;
}

/** sum[0] += sum_i f_i e_i, sum[1] += -T S of the orbitals of F' of set k occupied anew, electrons
 *  of one spin. Collective. */
static hf_status add_occupied_anew(const struct hf_scf *scf, int k, double energy[],
                                   double occupation[], double sum[2], struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    const double temperature = scf->settings->smearing;
    struct hf_matrix *fock = NULL;
    HF_CHECK(hf_matrix_create_copy("Fock matrix", scf->fock[k], &fock, error));
    const hf_status status = hf_lowest_orbitals(scf->context, fock, energy, NULL, error);
    hf_matrix_destroy(&fock);
    if (status != HF_OK) return status;
    hf_fermi_occupations(m, energy, hf_set_size(scf->n_electron, k), temperature, occupation);
    for (int i = 0; i < m; i++) sum[0] += occupation[i] * energy[i];
    sum[1] += hf_entropy_term(m, occupation, temperature);
    return HF_OK;
}

/** D' of the last Fock matrices F, D the density they were built from:
 *
 *      dE = tr F (D' - D)    dA = dE - T S(D') + T S(D)
 *
 *  The commutator does not show the difference: it is zero whatever orbitals of F are occupied. */
hf_status hf_scf_occupations_fit(const struct hf_scf *scf, bool *fit, struct hf_error *error)
{
    hf_status status;
    const struct hf_scf_result *result = scf->result;
    const int m = result->n_orbital, n_set = scf->method->n_set;
    const double trace = result->one_electron + 2.0 * result->two_electron; /* tr F D */
    const double rounding = 100.0 * DBL_EPSILON * fabs(trace);
    const double tolerance = fmax(scf->settings->energy_tolerance, rounding);
    double sum[2] = {0.0, 0.0};
    *fit = true;
    if (scf->occupation == NULL) return HF_OK;
    struct hf_arena arena = {.label = "occupations"};
    double *energy = HF_TAKE(&arena, energy, 2 * (size_t)m);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    for (int k = 0; k < n_set; k++)
        HF_TRY(add_occupied_anew(scf, k, energy, energy + m, sum, error));
    hf_broadcast_bytes(scf->context->comm, 0, sizeof sum, sum);
    const double weight = n_set == 1 ? 2.0 : 1.0, change = weight * sum[0] - trace;
    const double entropy = weight * sum[1] - result->smearing_entropy_term;
    *fit = fabs(change) < tolerance && fabs(change + entropy) < tolerance;
cleanup:
    hf_arena_done(&arena);
    return status;
}
hf_status hf_scf_unweighed(const struct hf_scf *scf, int k, struct hf_matrix **orbitals,
                           struct hf_error *error)
{
    hf_status status;
    const int o = hf_matrix_n_col(scf->occupied[k]);
    const double *occupation = scf->occupation + (size_t)k * (size_t)scf->result->n_orbital;
    struct hf_arena arena = {.label = "occupations"};
    double *factor = HF_TAKE(&arena, factor, (size_t)o);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    for (int i = 0; i < o; i++) factor[i] = 1.0 / sqrt(occupation[i]);
    HF_TRY(hf_matrix_create_columns("occupied orbitals", scf->occupied[k], 0, o, factor, orbitals,
                                    error));
cleanup:
    hf_arena_done(&arena);
    return status;
}

/* ---- Maximum overlap ------------------------------------------------------------------------- */

/* Occupied orbitals by overlap instead of by energy: those that overlap most with the first ones. A
 * solution that is not the lowest is kept in this way.
 *
 *     p_j = sum_i |<i|j>|^2, i the first occupied orbitals, j those of the last Fock matrix
 *
 * Source   Gilbert, Besley, Gill, J. Phys. Chem. A 112, 13164 (2008); with the first orbitals
 *          instead of the last ones: Barca, Gilbert, Gill, J. Chem. Theory Comput. 14, 1501
 *          (2018). */

/** chosen [m]: true for the o largest p, the first of equal ones. */
static void choose(int m, const double p[], int o, bool chosen[])
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
