/* First densities from the state of an earlier calculation. */
#include "scf_state.h"

#include "hf/linalg.h"

#include <math.h>
#include <string.h>

/** A matrix that is being read. */
struct reading {
    const struct hf_scf_restart *restart;
    enum hf_restart_matrix which;
    int index, spin;
};

static hf_status give_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    const struct reading *reading = data;
    const struct hf_scf_restart *restart = reading->restart;
    return restart->read(restart->data, reading->which, reading->index, reading->spin, first, n,
                         rows, error);
}

/** New matrix [n_row][n_col] with what was kept. */
static hf_status read_matrix(const struct hf_scf *scf, struct reading reading, int n_row, int n_col,
                             struct hf_matrix **matrix, struct hf_error *error)
{
    reading.restart = scf->settings->restart;
    HF_CHECK(hf_matrix_create(scf->linalg, "matrix of a checkpoint", n_row, n_col, matrix, error));
    return hf_matrix_receive_rows(*matrix, give_rows, &reading, error);
}

/** Checks that the state belongs to this calculation. */
static hf_status check(const struct hf_scf *scf, struct hf_error *error)
{
    const struct hf_scf_restart *restart = scf->settings->restart;
    if (strcmp(restart->method, scf->method->name) != 0 || restart->n_spin != scf->method->n_set ||
        restart->n_fock != scf->method->n_fock)
        return hf_fail(error, HF_BAD_INPUT,
                       "the checkpoint is of method %s and cannot be continued with %s",
                       restart->method, scf->method->name);
    if (restart->n_function != scf->result->n_function)
        return hf_fail(error, HF_BAD_INPUT,
                       "the checkpoint is of %d basis functions, the calculation of %d",
                       restart->n_function, scf->result->n_function);
    return HF_OK;
}

/** Failure: the state has a defect that hf does not write. */
static hf_status damaged(const struct hf_scf *scf, const char *what, struct hf_error *error)
{
    const char *name = scf->settings->restart->name;
    return hf_fail(error, HF_BAD_INPUT, "%.400s: damaged checkpoint: %s",
                   name != NULL ? name : "restart", what);
}

/** *deviation = |G - 1|^2 of the products G = C'^T C' of o columns: tr G^2 - 2 tr G + o. */
static hf_status find_deviation(const struct hf_matrix *column, double *deviation,
                                struct hf_error *error)
{
    double square, trace;
    struct hf_matrix *product = NULL;
    HF_CHECK(hf_matrix_create_product("products of orbitals", true, column, false, column, &product,
                                      error));
    hf_matrix_dot(product, product, &square);
    hf_matrix_dot(column, column, &trace);
    *deviation = fabs(square - 2.0 * trace + hf_matrix_n_col(column));
    hf_matrix_destroy(&product);
    return HF_OK;
}

static const double MOST_DEVIATION = 1e-8; /* rounding leaves 1e-14 */

static hf_status check_orthonormal(const struct hf_scf *scf, const struct hf_matrix *occupied,
                                   struct hf_error *error)
{
    double deviation;
    const hf_status status = find_deviation(occupied, &deviation, error);
    if (status != HF_OK || deviation < MOST_DEVIATION) return status;
    if (scf->settings->restart->n_orbital == scf->result->n_orbital)
        return damaged(scf, "its orbitals are not orthonormal", error);
    return hf_fail(error, HF_BAD_INPUT,
                   "the checkpoint has %d orbitals, the calculation %d: continue with the "
                   "linear dependence threshold it was made with",
                   scf->settings->restart->n_orbital, scf->result->n_orbital);
}

/** scf->occupation of set k as it was kept, if it was; the first *o are above zero. */
static hf_status take_occupations(struct hf_scf *scf, int k, int *o, struct hf_error *error)
{
    const struct hf_scf_restart *restart = scf->settings->restart;
    const int m = scf->result->n_orbital, n_column = restart->n_column[k];
    const int n = hf_set_size(scf->n_electron, k);
    double *occupation = scf->occupation + (size_t)k * (size_t)m, sum = 0.0;
    bool sound = true;
    if (restart->occupation[k] == NULL) return HF_OK;
    for (int i = 0; i < m; i++) {
        const bool kept = i < n_column && i < restart->n_orbital;
        occupation[i] = kept ? restart->occupation[k][i] / (restart->n_spin == 1 ? 2.0 : 1.0) : 0.0;
        sound = sound && occupation[i] >= 0.0 && occupation[i] <= 1.0;
    }
    for (*o = 0; *o < m && occupation[*o] > 0.0; (*o)++) sum += occupation[*o];
    if (sound && fabs(sum - n) < 1e-6) return HF_OK;
    return damaged(scf, "its occupations are not those of the electrons", error);
}

/** Occupied orbitals of set k in this calculation's orthonormal basis. */
static hf_status take_orbitals(struct hf_scf *scf, int k, const struct hf_matrix *dual,
                               struct hf_error *error)
{
    hf_status status;
    const int n_column = scf->settings->restart->n_column[k];
    int o = hf_set_size(scf->n_electron, k);
    struct hf_matrix *all = NULL, *lowest = NULL, *orthonormal = NULL;
    if (o == 0) return HF_OK;
    if (n_column < o) return damaged(scf, "it has fewer orbitals than are occupied", error);
    const struct reading reading = {.which = HF_RESTART_ORBITALS, .spin = k};
    if (scf->occupation != NULL) HF_TRY(take_occupations(scf, k, &o, error));
    HF_TRY(read_matrix(scf, reading, scf->result->n_function, n_column, &all, error));
    HF_TRY(hf_matrix_create_columns("occupied orbitals", all, 0, o, NULL, &lowest, error));
    HF_TRY(hf_matrix_create_product("occupied orbitals", true, dual, false, lowest, &orthonormal,
                                    error));
    HF_TRY(check_orthonormal(scf, orthonormal, error));
    if (scf->occupation != NULL)
        HF_TRY(hf_scf_weigh(scf, k, orthonormal, error));
    else
        hf_matrix_copy(orthonormal, scf->occupied[k]);
cleanup:
    HF_DESTROY_MATRICES(&orthonormal, &lowest, &all);
    return status;
}

/** A [m][m] = U A_kept U^T, U [m][kept m] the step from the orthonormal basis that was kept to
 *  ours; fock and commutator are its symmetric and its antisymmetric part. */
static hf_status take_pair(struct hf_scf *scf, int index, int spin, const struct hf_matrix *step,
                           struct hf_matrix **fock, struct hf_matrix **commutator,
                           struct hf_error *error)
{
    hf_status status;
    const int m = scf->result->n_orbital, kept = scf->settings->restart->n_orbital;
    const struct reading reading = {.which = HF_RESTART_DIIS, .index = index, .spin = spin};
    struct hf_matrix *stored = NULL, *half = NULL, *whole = NULL;
    HF_TRY(HF_CREATE_MATRICES(scf->linalg, "Fock matrix and commutator", error, {fock, m, m},
                              {commutator, m, m}));
    HF_TRY(read_matrix(scf, reading, kept, kept, &stored, error));
    HF_TRY(hf_matrix_create_product("half-transformed Fock matrix", false, step, false, stored,
                                    &half, error));
    HF_TRY(hf_matrix_create_product("Fock matrix and commutator", false, half, true, step, &whole,
                                    error));
    hf_matrix_add(0.5, whole, 0.0, *fock);
    hf_matrix_add_transposed(0.5, whole, 1.0, *fock);
    hf_matrix_add(0.5, whole, 0.0, *commutator);
    hf_matrix_add_transposed(-0.5, whole, 1.0, *commutator);
cleanup:
    HF_DESTROY_MATRICES(&whole, &half, &stored);
    return status;
}

/** Reads the history of DIIS. */
static hf_status take_diis(struct hf_scf *scf, const struct hf_matrix *dual, struct hf_error *error)
{
    hf_status status;
    const struct hf_scf_restart *restart = scf->settings->restart;
    double deviation;
    struct hf_matrix *x = NULL, *step = NULL;
    struct hf_matrix *fock[HF_MAX_SPIN] = {NULL}, *commutator[HF_MAX_SPIN] = {NULL};
    if (restart->n_diis == 0 || scf->settings->diis_size < 2) return HF_OK;
    if (restart->is_guess || restart->n_orbital != scf->result->n_orbital)
        return HF_OK; /* of other solutions */
    const struct reading reading = {.which = HF_RESTART_ORTHOGONALISER};
    HF_TRY(read_matrix(scf, reading, restart->n_function, restart->n_orbital, &x, error));
    HF_TRY(hf_matrix_create_product("step between orthonormal bases", true, dual, false, x, &step,
                                    error));
    hf_matrix_destroy(&x);
    HF_TRY(find_deviation(step, &deviation, error));
    if (!(deviation < 0.1)) /* the threshold of linear dependence may let much rounding in */
        HF_TRY(damaged(scf, "/diis/orthogonaliser is not orthonormal", error));
    for (int i = 0; i < restart->n_diis; i++) {
        for (int k = 0; k < scf->method->n_fock; k++)
            HF_TRY(take_pair(scf, i, k, step, &fock[k], &commutator[k], error));
        HF_TRY(hf_diis_remember(scf->diis, fock, commutator, NULL, error));
        hf_scf_destroy_list(fock);
        hf_scf_destroy_list(commutator);
    }
cleanup:
    hf_scf_destroy_list(fock);
    hf_scf_destroy_list(commutator);
    HF_DESTROY_MATRICES(&step, &x);
    return status;
}

static void take_numbers(struct hf_scf *scf)
{
    const struct hf_scf_restart *restart = scf->settings->restart;
    struct hf_scf_result *result = scf->result;
    scf->n_done = result->n_earlier = result->n_iteration = restart->n_iteration;
    scf->energy_before = result->energy = restart->energy;
    result->commutator = restart->commutator;
    result->guess_energy = restart->guess_energy;
    scf->two_electron.threshold = restart->threshold;
}
hf_status hf_scf_take_restart(struct hf_scf *scf, struct hf_matrix *const density[],
                              struct hf_error *error)
{
    hf_status status;
    const struct hf_scf_restart *restart = scf->settings->restart;
    struct hf_matrix *dual = NULL;
    HF_CHECK(check(scf, error));
    if (restart->n_column[0] == 0) return hf_scf_guess(scf, density, error);
    hf_timer_start(&scf->context->timers, &hf_phase_guess);
    HF_TRY(hf_scf_dual(scf, &dual, error));
    for (int k = 0; k < scf->method->n_set; k++) HF_TRY(take_orbitals(scf, k, dual, error));
    HF_TRY(take_diis(scf, dual, error));
    const struct hf_determinant of = hf_scf_determinant(scf);
    HF_TRY(hf_method_densities(&of, density, error));
    if (restart->is_guess) HF_TRY(hf_scf_project_guess(scf, density[0], error));
    scf->has_orbitals = !restart->is_guess;
    take_numbers(scf);
cleanup:
    hf_timer_stop(&scf->context->timers, &hf_phase_guess);
    hf_matrix_destroy(&dual);
    return status;
}
