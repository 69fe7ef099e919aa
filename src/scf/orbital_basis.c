/* Next orbitals without a diagonalisation: by rotation of the last ones (hf_rotate_orbitals).
 *
 * This needs an orthonormal basis in which Fock matrices are nearly diagonal. Everything else works in any orthonormal
 * basis. So X is replaced by X C, with the orbitals C of a Fock matrix that was diagonalised. This is done early, when
 * the history of DIIS, which must be transformed, is short. In unrestricted calculations each spin then has its own
 * basis, until both are needed in one (hf_scf_share_basis). */
#include "converger.h"

#include <math.h>
#include <stdlib.h>

/* Largest elements between occupied and virtual orbitals after a rotation, relative to the last commutator. The next
 * commutator differs by about as much from that after a diagonalisation. */
static const double PART_OF_COMMUTATOR = 1e-3;
/* Hartree, between occupied and virtual orbitals. With a smaller gap the orbitals are diagonalised, in the basis
 * there was: steps of the converger then depend on the gap and on small differences. */
static const double LEAST_GAP = 0.2, LEAST_GAP_OF_SPINS = 0.36;
/* The same relative to the largest element: the limit of rounding. */
static const double ROUNDING = 1e-13;
enum {
    MOST_TURNED = 2, /* pairs of DIIS that are transformed to a new basis: 4 m^3 operations each */
    MOST_NOT_FOUND = 2, /* failures in succession; then no more rotations are tried */
};

/** Whether a rotation of o of m orbitals takes less time than a diagonalisation on the ranks that do either. A sweep
 *  takes 2 m^2 o operations, what is before and after the sweeps 7 m o^2. */
static bool is_worthwhile(int m, int o, int n_rank, bool spread)
{
    enum { SMALLEST_ORDER = 200 }; /* below it is a matter of milliseconds */
    const double n_sweep = 4.0, part = (double)o / m;
    const double n_product = n_sweep * part + 3.5 * part * part; /* of matrices of order m */
    return m >= SMALLEST_ORDER && n_product * hf_linalg_product_seconds(m, n_rank, spread) <
                                      hf_linalg_eigen_seconds(m, n_rank, spread);
}

bool hf_scf_rotates(const struct hf_scf_settings *settings, const struct hf_method_ops *method,
                    int m, int o, int n_rank)
{
    if (settings->orbital_search == HF_ORBITALS_DIAGONALISE || method->effective != NULL ||
        settings->level_shift > 0.0 || o == 0 || o == m)
        return false;
    /* a checkpoint between iterations puts both spins in one basis: it would change the bits of later iterations */
    if (method->n_set > 1 && settings->fock.reproducible) return false;
    if (settings->orbital_search == HF_ORBITALS_ROTATE) return true;
    if (method->n_set > 1) return false; /* UHF may take many more iterations */
    return is_worthwhile(m, o, settings->fock.reproducible ? 1 : n_rank,
                         hf_fock_is_distributed(settings->fock.builder));
}

/** Whether the orbitals of set k may be rotated. Not with damping and second-order steps, which keep matrices in
 *  the basis that they began with. */
static bool can_rotate(const struct hf_scf *scf, int k)
{
    const bool combines = scf->converger == &hf_converger_auto ||
                          scf->converger == &hf_converger_diis ||
                          scf->converger == &hf_converger_adiis;
    return combines && scf->n_not_found < MOST_NOT_FOUND &&
           hf_scf_rotates(scf->settings, scf->method, scf->result->n_orbital,
                          hf_set_size(scf->n_electron, k), scf->context->n_rank);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static hf_status rotate(struct hf_scf *scf, int k, const struct hf_matrix *fock, double energy[],
                        bool *found, struct hf_error *error)
{
    int n_sweep;
    double largest;
    const int m = scf->result->n_orbital, o = hf_matrix_n_col(scf->occupied[k]);
    hf_timer_start(&scf->context->timers, &hf_phase_diagonalise);
    hf_matrix_max_abs(fock, &largest);
    const double tolerance = fmax(PART_OF_COMMUTATOR * scf->result->commutator, ROUNDING * largest);
    const hf_status status = hf_rotate_orbitals(scf->context, fock, tolerance, energy,
                                                scf->occupied[k], found, &n_sweep, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_diagonalise);
    qsort(energy, (size_t)o, sizeof *energy, compare);
    qsort(energy + o, (size_t)(m - o), sizeof *energy, compare);
    scf->n_not_found = *found ? 0 : scf->n_not_found + 1;
    scf->result->n_sweep += n_sweep;
    if (*found)
        scf->result->n_rotation++;
    else
        scf->result->n_given_up++;
    return status;
}

static double put_unit(void *data, int row, int column, double value)
{
    (void)data;
    (void)value;
    return row == column;
}

/** Makes the orbitals vector [m][m] the basis of set k; the lowest are occupied. */
static hf_status take_basis(struct hf_scf *scf, int k, const struct hf_matrix *vector,
                            struct hf_error *error)
{
    const struct hf_determinant of = hf_scf_determinant(scf);
    const struct hf_matrix *old = hf_basis_of_set(&of, k);
    struct hf_matrix *x = NULL;
    HF_CHECK(hf_diis_turn(scf->diis, k, vector, error));
    if (k == 0 && scf->method->n_set == 2 && scf->x[1] == NULL)
        HF_CHECK(hf_matrix_create_copy("orthogonaliser", old, &scf->x[1], error));
    HF_CHECK(hf_matrix_create_product("orthogonaliser", false, old, false, vector, &x, error));
    if (k == 0 && scf->canonical == NULL &&
        (scf->settings->wavefunction == HF_WAVEFUNCTION_DENSITIES || scf->removed.vector != NULL)) {
        scf->canonical = scf->x[0];
        scf->x[0] = NULL;
    }
    hf_matrix_destroy(&scf->x[k]);
    scf->x[k] = x;
    scf->is_orbitals[k] = true;
    hf_matrix_map(scf->occupied[k], put_unit, NULL);
    return HF_OK;
}

hf_status hf_scf_lowest_of_set(struct hf_scf *scf, int k, struct hf_matrix *fock, double energy[],
                               struct hf_error *error)
{
    hf_status status = HF_OK;
    bool found = false;
    const int m = scf->result->n_orbital;
    const int o = hf_set_size(scf->n_electron, k);
    const double least = scf->method->n_set == 2 ? LEAST_GAP_OF_SPINS : LEAST_GAP;
    const bool is_close = scf->gap != 0.0 && scf->gap < least; /* 0: not known */
    struct hf_matrix *vector = NULL;
    if (can_rotate(scf, k) && is_close) scf->result->n_given_up++;
    if (can_rotate(scf, k) && !is_close && scf->is_orbitals[k])
        HF_TRY(rotate(scf, k, fock, energy, &found, error));
    if (found) return HF_OK;
    if (!can_rotate(scf, k) || is_close || hf_diis_n_stored(scf->diis) > MOST_TURNED)
        return hf_lowest_orbitals(scf->context, fock, energy, scf->occupied[k], error);
    HF_TRY(hf_matrix_create(scf->linalg, "orbitals", m, m, &vector, error));
    HF_TRY(hf_lowest_orbitals(scf->context, fock, energy, vector, error));
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    if (energy[o] - energy[o - 1] < least)
        hf_matrix_copy_columns(vector, 0, o, NULL, scf->occupied[k], 0);
    else
        status = take_basis(scf, k, vector, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
cleanup:
    hf_matrix_destroy(&vector);
    return status;
}

/** *matrix = U *matrix, and times U^T from the right `both`; NULL stays. */
static hf_status turn(const struct hf_matrix *u, bool both, struct hf_matrix *matrix,
                      struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    if (matrix == NULL) return HF_OK;
    HF_CHECK(hf_matrix_create_copy("other basis", matrix, &half, error));
    if (both) hf_matrix_multiply(1.0, false, matrix, false, u, 0.0, half);
    hf_matrix_multiply(1.0, true, u, false, half, 0.0, matrix);
    hf_matrix_destroy(&half);
    return HF_OK;
}

hf_status hf_scf_share_basis(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *dual = NULL, *u = NULL;
    if (scf->x[1] == NULL) return HF_OK;
    HF_TRY(hf_scf_dual(scf, &dual, error));
    HF_TRY(hf_matrix_create_product("other basis", true, scf->x[1], false, dual, &u, error));
    hf_matrix_destroy(&dual);
    HF_TRY(turn(u, false, scf->occupied[1], error));
    HF_TRY(turn(u, true, scf->fock[1], error));
    HF_TRY(turn(u, true, scf->commutator[1], error));
    HF_TRY(hf_diis_turn(scf->diis, 1, u, error));
    hf_matrix_destroy(&scf->x[1]);
    scf->is_orbitals[1] = false;
cleanup:
    HF_DESTROY_MATRICES(&u, &dual);
    return status;
}
