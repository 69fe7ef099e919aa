/* Coefficients, populations, centres and spreads of localised orbitals. */
#include "localise_private.h"

#include "hamiltonian/hamiltonian.h"
#include "text/trace.h"

#include <math.h>

/** Populations below this are not listed. */
static const double LEAST_POPULATION = 1e-6;

/** value[n_orbital] = <i|operator|i>. Collective. */
static hf_status expectation(struct hf_context *context, const struct hf_wavefunction *wave,
                             struct hf_hamiltonian *hamiltonian, enum hf_operator which,
                             const struct hf_matrix *orbitals, double value[],
                             struct hf_error *error)
{
    hf_status status;
    const int n = hf_matrix_n_row(orbitals), o = hf_matrix_n_col(orbitals);
    struct hf_matrix *integrals = NULL, *product = NULL, *square = NULL;
    HF_TRY(hf_matrix_create(wave->linalg, "integrals of moments", n, n, &integrals, error));
    const struct hf_trace_span span = hf_trace_begin_span(context->trace);
    HF_TRY(hf_operator_matrix(hamiltonian, which, integrals, error));
    hf_trace_end_span(context->trace, 0, HF_TRACE_COPYING, 0, span);
    HF_TRY(hf_matrix_create(wave->linalg, "operator times orbitals", n, o, &product, error));
    hf_matrix_multiply(1.0, false, integrals, false, orbitals, 0.0, product);
    hf_matrix_destroy(&integrals);
    HF_TRY(hf_matrix_create(wave->linalg, "operator of orbitals", o, o, &square, error));
    hf_matrix_multiply(1.0, true, orbitals, false, product, 0.0, square);
    hf_matrix_diagonal(square, value);
cleanup:
    hf_matrix_destroy(&integrals);
    hf_matrix_destroy(&product);
    hf_matrix_destroy(&square);
    return status;
}

/** Centres and spreads. Collective. */
static hf_status add_moments(struct hf_context *context, const struct hf_wavefunction *wave,
                             const struct hf_matrix *orbitals, struct hf_localised *localised,
                             struct hf_error *error)
{
    hf_status status;
    static const enum hf_operator which[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z, HF_SQUARE};
    struct hf_hamiltonian *hamiltonian = NULL;
    double *value = HF_TAKE(&localised->arena, value, (size_t)localised->n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&localised->arena, error), error));
    HF_TRY(hf_hamiltonian_create(context, wave->linalg, wave->basis, wave->molecule, &hamiltonian,
                                 error));
    for (int k = 0; k < 4; k++) {
        HF_TRY(expectation(context, wave, hamiltonian, which[k], orbitals, value, error));
        for (int i = 0; i < localised->n; i++) {
            struct hf_localised_orbital *orbital = &localised->orbital[i];
            if (k < 3)
                orbital->centre[k] = value[i];
            else
                orbital->spread = value[i];
        }
    }
    for (int i = 0; i < localised->n; i++) {
        struct hf_localised_orbital *orbital = &localised->orbital[i];
        const double *r = orbital->centre;
        orbital->spread =
            sqrt(fmax(orbital->spread - r[0] * r[0] - r[1] * r[1] - r[2] * r[2], 0.0));
    }
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    hf_arena_release(&localised->arena, value);
    return status;
}

/** Populations from L and S L. Local. */
static hf_status add_populations(struct hf_context *context, const struct hf_basis *basis,
                                 struct hf_localised *localised, struct hf_error *error)
{
    const struct hf_sparse_matrix *l = localised->coefficient, *sl = localised->overlap;
    struct hf_sparse_matrix *population = localised->population =
        hf_sparse_create(context->memory, "populations", basis->n_atom, NULL, localised->n, NULL);
    for (int i = 0; i < localised->n; i++)
        for (int k = l->begin[i]; k < l->begin[i + 1]; k++) {
            const int atom = l->row[k], n = l->row_first[atom + 1] - l->row_first[atom];
            const double *left = l->value + l->offset[k], *right = hf_sparse_find(sl, atom, i);
            double sum = 0.0;
            for (int m = 0; right != NULL && m < n; m++) sum += left[m] * right[m];
            hf_sparse_add(population, atom, i, LEAST_POPULATION, &sum, 1);
        }
    return hf_sparse_finish(population, error);
}

hf_status hf_localised_describe(struct hf_context *context, const struct hf_wavefunction *wave,
                                const struct hf_localise_settings *settings,
                                const struct hf_matrix *orbitals, struct hf_localised *localised,
                                struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *product = NULL;
    const struct hf_sparse_choice choice = {.label = "localised orbitals",
                                            .threshold = settings->threshold};
    HF_TRY(hf_matrix_create(wave->linalg, "overlap times orbitals", hf_matrix_n_row(orbitals),
                            localised->n, &product, error));
    hf_matrix_multiply(1.0, false, wave->overlap, false, orbitals, 0.0, product);
    HF_TRY(hf_sparse_from_matrix(context, wave->basis, orbitals, true, &choice,
                                 &localised->coefficient, error));
    HF_TRY(hf_sparse_from_matrix(context, wave->basis, product, true, &choice, &localised->overlap,
                                 error));
    HF_TRY(hf_agree(context->comm, add_populations(context, wave->basis, localised, error), error));
    HF_TRY(add_moments(context, wave, orbitals, localised, error));
cleanup:
    hf_matrix_destroy(&product);
    return status;
}
