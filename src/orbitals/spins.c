/* Occupations, densities and Fock matrices of alpha and beta electrons, for every method; the wave function. */
#include "orbitals/orbitals.h"

#include "base/arena.h"
#include "fock/fock.h"

#include <math.h>
#include <stdlib.h>

int hf_set_size(struct hf_spin_count n_electron, int set)
{
    return set == 0 ? n_electron.alpha : n_electron.beta;
}

void hf_set_occupations(const struct hf_method_ops *method, struct hf_spin_count n_electron,
                        int set, int n_orbital, double occupation[])
{
    for (int i = 0; i < n_orbital; i++) {
        const double alpha = i < n_electron.alpha, beta = i < n_electron.beta;
        if (method->n_set == 1)
            occupation[i] = alpha + beta;
        else
            occupation[i] = set == 0 ? alpha : beta;
    }
}
hf_status hf_fields_create(struct hf_linalg *linalg, const char *label, int n_density, int n,
                           struct hf_fields *fields, struct hf_error *error)
{
    struct hf_new_matrix list[2 * HF_MAX_DENSITY + 1] = {{&fields->coulomb, n, n}};
    for (int s = 0; s < n_density; s++) {
        list[2 * s + 1] = (struct hf_new_matrix){&fields->density[s], n, n};
        list[2 * s + 2] = (struct hf_new_matrix){&fields->exchange[s], n, n};
    }
    return hf_matrix_create_several(linalg, label, 2 * n_density + 1, list, error);
}

void hf_fields_destroy(struct hf_fields *fields)
{
    for (int s = 0; s < HF_MAX_DENSITY; s++)
        HF_DESTROY_MATRICES(&fields->exchange[s], &fields->density[s]);
    hf_matrix_destroy(&fields->coulomb);
}

int hf_fields_jobs(const struct hf_fields *fields, struct hf_fock_job *job)
{
    int n = 0;
    for (; n < HF_MAX_DENSITY && fields->exchange[n] != NULL; n++)
        job[n] = (struct hf_fock_job){.density = fields->density[n],
                                      .coulomb = n == 0 ? fields->coulomb : NULL,
                                      .exchange = fields->exchange[n]};
    return n;
}

hf_status hf_spin_orbitals(const struct hf_determinant *of, int spin, struct hf_matrix **orbitals,
                           struct hf_error *error)
{
    const bool shared = of->method->n_set == 1;
    const struct hf_matrix *set = of->occupied[shared ? 0 : spin];
    const int n_beta = of->n_electron.beta;
    if (set == NULL || (spin == 1 && n_beta == 0)) return HF_OK;
    /* with fractional occupations a set of one spin has more orbitals than electrons */
    const int o =
        shared && spin == 1 && n_beta < of->n_electron.alpha ? n_beta : hf_matrix_n_col(set);
    return hf_matrix_create_columns("orbitals of a spin", set, 0, o, NULL, orbitals, error);
}
const struct hf_matrix *hf_basis_of_set(const struct hf_determinant *of, int set)
{
    return of->x[set] != NULL ? of->x[set] : of->x[0];
}
hf_status hf_method_densities(const struct hf_determinant *of, struct hf_matrix *const density[],
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *orbitals = NULL;
    if (of->method->n_density == 1)
        return hf_density_of_orbitals(2.0, of->x[0], of->occupied[0], density[0], error);
    for (int s = 0; s < 2; s++) {
        HF_TRY(hf_spin_orbitals(of, s, &orbitals, error));
        HF_TRY(hf_density_of_orbitals(1.0, hf_basis_of_set(of, s), orbitals, density[s], error));
        hf_matrix_destroy(&orbitals);
    }
    hf_matrix_add(1.0, density[1], 1.0, density[0]);  /* D = alpha + beta */
    hf_matrix_add(1.0, density[0], -2.0, density[1]); /* M = D - 2 beta */
cleanup:
    hf_matrix_destroy(&orbitals);
    return status;
}

/** Divides element ij by the square roots of two occupations. */
static double divide(void *data, int row, int column, double value)
{
    const double *occupation = data;
    const double product = occupation[row] * occupation[column];
    return product > 0.0 ? value / sqrt(product) : 0.0;
}

/** New *energies [o][o] = W^T F W for orbitals W [m][o], divided by the square roots of their occupations. */
static hf_status find_energies(struct hf_context *context, const struct hf_matrix *fock,
                               const struct hf_matrix *orbitals, struct hf_matrix **energies,
                               struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *half = NULL;
    struct hf_arena arena = {.label = "the occupations"};
    double *occupation = HF_TAKE(&arena, occupation, (size_t)hf_matrix_n_col(orbitals));
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_matrix_create_product("Fock times orbitals", false, fock, false, orbitals, &half,
                                    error));
    HF_TRY(hf_matrix_create_product("energies of orbitals", true, orbitals, false, half, energies,
                                    error));
    hf_matrix_column_squares(orbitals, occupation);
    hf_matrix_map(*energies, divide, occupation);
cleanup:
    hf_matrix_destroy(&half);
    hf_arena_done(&arena);
    return status;
}
hf_status hf_method_weighted_density(struct hf_context *context, const struct hf_determinant *of,
                                     struct hf_matrix *const fock[], struct hf_matrix *weighted,
                                     struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_method_ops *method = of->method;
    struct hf_matrix *orbitals = NULL, *energies = NULL, *coefficients = NULL, *product = NULL;
    hf_matrix_add(0.0, weighted, 0.0, weighted);
    for (int s = 0; s < method->n_fock; s++) {
        HF_TRY(hf_spin_orbitals(of, s, &orbitals, error));
        if (orbitals == NULL) continue;
        HF_TRY(find_energies(context, fock[s], orbitals, &energies, error));
        HF_TRY(hf_matrix_create_product("orbital coefficients", false,
                                        hf_basis_of_set(of, method->n_set == 2 ? s : 0), false,
                                        orbitals, &coefficients, error));
        HF_TRY(hf_matrix_create_like("orbital coefficients", coefficients, &product, error));
        hf_matrix_multiply(method->n_fock == 1 ? 2.0 : 1.0, false, coefficients, false, energies,
                           0.0, product);
        hf_matrix_multiply(1.0, false, product, true, coefficients, 1.0, weighted);
        HF_DESTROY_MATRICES(&product, &coefficients, &energies, &orbitals);
    }
cleanup:
    HF_DESTROY_MATRICES(&product, &coefficients, &energies, &orbitals);
    return status;
}

/** Eigenvalues of the overlap matrix: inverse kept ones, and removed ones. */
struct spectra {
    const double *inverse_kept, *removed;
};

/** Multiplies element kr by s_k / (s_k - s_r). */
static double scale_by_difference(void *data, int row, int column, double value)
{
    const struct spectra *of = data;
    return value / (1.0 - of->inverse_kept[row] * of->removed[column]);
}

/** New *product [n][r] = sum_s D_s F_s vector = (D (H + J - K[D] / 2) - M K[M] / 2) vector. */
static hf_status multiply_by_densities(const struct hf_matrix *core, const struct hf_fields *fields,
                                       const struct hf_matrix *vector, struct hf_matrix **product,
                                       struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    const int n = hf_matrix_n_row(vector), r = hf_matrix_n_col(vector);
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(vector), "densities times removed functions", error,
                                {product, n, r}, {&half, n, r}));
    hf_matrix_multiply(1.0, false, core, false, vector, 0.0, half);
    hf_matrix_multiply(1.0, false, fields->coulomb, false, vector, 1.0, half);
    hf_matrix_multiply(-0.5, false, fields->exchange[0], false, vector, 1.0, half);
    hf_matrix_multiply(1.0, false, fields->density[0], false, half, 0.0, *product);
    if (fields->exchange[1] != NULL) {
        hf_matrix_multiply(-0.5, false, fields->exchange[1], false, vector, 0.0, half);
        hf_matrix_multiply(1.0, false, fields->density[1], false, half, 1.0, *product);
    }
    hf_matrix_destroy(&half);
    return HF_OK;
}
hf_status hf_method_weigh_removed(struct hf_context *context, const struct hf_matrix *x,
                                  const struct hf_removed *removed, const struct hf_matrix *core,
                                  const struct hf_fields *fields, struct hf_matrix *weighted,
                                  struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *product = NULL, *block = NULL;
    struct hf_arena arena = {.memory = context->memory, .label = "overlap eigenvalues"};
    if (removed->vector == NULL) return HF_OK;
    double *inverse = HF_TAKE(&arena, inverse, (size_t)hf_matrix_n_col(x));
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(multiply_by_densities(core, fields, removed->vector, &product, error));
    HF_TRY(hf_matrix_create_product("kept and removed functions", true, x, false, product, &block,
                                    error));
    hf_matrix_column_squares(x, inverse); /* X = U s^-1/2 */
    hf_matrix_map(block, scale_by_difference,
                  &(struct spectra){.inverse_kept = inverse, .removed = removed->eigenvalue});
    hf_matrix_multiply(1.0, false, x, false, block, 0.0, product);
    hf_matrix_multiply(-1.0, false, product, true, removed->vector, 1.0, weighted);
    hf_matrix_multiply(-1.0, false, removed->vector, true, product, 1.0, weighted);
cleanup:
    HF_DESTROY_MATRICES(&block, &product);
    hf_arena_done(&arena);
    return status;
}
hf_status hf_trace_of_orbitals(const struct hf_determinant *of, struct hf_matrix *const fock[],
                               double *trace, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_fock = of->method->n_fock;
    struct hf_matrix *orbitals = NULL, *half = NULL;
    *trace = 0.0;
    for (int k = 0; k < n_fock; k++) {
        double part;
        HF_TRY(hf_spin_orbitals(of, k, &orbitals, error));
        if (orbitals == NULL) continue;
        HF_TRY(hf_matrix_create_product("Fock times orbitals", false, fock[k], false, orbitals,
                                        &half, error));
        hf_matrix_dot(orbitals, half, &part);
        *trace += n_fock == 1 ? 2.0 * part : part;
        HF_DESTROY_MATRICES(&half, &orbitals);
    }
cleanup:
    hf_matrix_destroy(&orbitals);
    return status;
}
struct hf_interaction hf_interaction_here(struct hf_matrix *const density[],
                                          const struct hf_fields *fields)
{
    struct hf_interaction energy = {.coulomb =
                                        0.5 * hf_matrix_dot_here(density[0], fields->coulomb)};
    for (int s = 0; s < HF_MAX_DENSITY && fields->exchange[s] != NULL; s++)
        energy.exchange -= 0.25 * hf_matrix_dot_here(density[s], fields->exchange[s]);
    return energy;
}
hf_status hf_method_fock(const struct hf_determinant *of, const struct hf_matrix *core,
                         const struct hf_fields *fields, struct hf_matrix *const fock[],
                         struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *sum = NULL;
    HF_TRY(hf_matrix_create_like("Fock matrix", core, &sum, error));
    const double factor[] = {1.0, 1.0, -0.5};
    const struct hf_matrix *const part[] = {core, fields->coulomb, fields->exchange[0]};
    hf_matrix_combine(3, factor, part, sum);
    for (int s = 0; s < of->method->n_fock; s++) {
        /* the sum goes from no spin density to alpha, then to beta */
        if (fields->exchange[1] != NULL)
            hf_matrix_add(s == 0 ? -0.5 : 1.0, fields->exchange[1], 1.0, sum);
        HF_TRY(hf_to_orthonormal(hf_basis_of_set(of, s), sum, fock[s], error));
    }
cleanup:
    hf_matrix_destroy(&sum);
    return status;
}

void hf_wavefunction_done(struct hf_wavefunction *wavefunction)
{
    if (wavefunction == NULL) return;
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        struct hf_orbitals *orbitals = &wavefunction->spin[k];
        hf_matrix_destroy(&orbitals->coefficient);
        free(orbitals->energy);
        free(orbitals->occupation);
    }
    HF_DESTROY_MATRICES(&wavefunction->density, &wavefunction->spin_density, &wavefunction->overlap,
                        &wavefunction->orthogonaliser, &wavefunction->weighted_density);
    hf_linalg_destroy(&wavefunction->linalg);
    *wavefunction = (struct hf_wavefunction){0};
}
