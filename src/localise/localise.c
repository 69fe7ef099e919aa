/* Localised orbitals from canonical ones: start, sweeps and second-order steps, order, and signs. */
#include "localise_private.h"

#include "hamiltonian/hamiltonian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct hf_phase hf_phase_localise = {.name = "Localisation"};

static const double USUAL_TOLERANCE = 1e-9;
enum { USUAL_SWEEPS = 500, MOST_STEPS = 50 };

/** Sweeps whose largest rotation is below the first number (radians) and has fallen by less than the second one are
 *  followed by a second-order step. */
static const double NEAR = 0.02, SLOW = 0.1;
/** Radians: steps whose largest rotation is smaller are Newton's near the maximum. */
static const double SHORT = 1e-3;
/** Radians, of the first orbitals. */
static const double LARGEST_TURN = 0.3;

/** A localisation under way. */
struct work {
    struct hf_context *context;
    const struct hf_wavefunction *wavefunction;
    const struct hf_localise_settings *settings;
    int n, n_orbital;
    const double *canonical_energy; /**< [n_orbital] */
    struct hf_matrix *canonical;    /**< [n][n_orbital] */
    struct hf_arena *arena;         /**< of the result; borrowed */
    double *u;                      /**< [n_orbital][n_orbital] orbital k in canonical ones: u[k] */
    struct hf_sweeps sweeps;
};

static const struct hf_localise_ops *ops_of(enum hf_localise_kind kind)
{
    return kind == HF_LOCALISE_BOYS ? &hf_localise_boys : &hf_localise_pm;
}

/** The orbitals that are localised. Collective. */
static hf_status begin(struct work *work, struct hf_error *error)
{
    const struct hf_orbitals *orbitals = &work->wavefunction->spin[0];
    const int n_frozen = work->settings->n_frozen < orbitals->n_occupied ? work->settings->n_frozen
                                                                         : orbitals->n_occupied;
    const size_t o = (size_t)(orbitals->n_occupied - n_frozen);
    work->n = work->wavefunction->basis->n_function;
    work->n_orbital = (int)o;
    work->canonical_energy = orbitals->energy + n_frozen;
    HF_TAKE(work->arena, work->u, o * o);
    HF_CHECK(hf_agree(work->context->comm, hf_arena_check(work->arena, error), error));
    for (size_t i = 0; i < o; i++) work->u[i * o + i] = 1.0;
    if (o == 0) return HF_OK;
    HF_CHECK(hf_matrix_create(work->wavefunction->linalg, "orbitals to localise", work->n, (int)o,
                              &work->canonical, error));
    hf_matrix_copy_columns(orbitals->coefficient, n_frozen, (int)o, NULL, work->canonical, 0);
    return HF_OK;
}

/** orbitals [n][n_orbital] = canonical u^T; created. Collective. */
static hf_status make_orbitals(struct work *work, struct hf_matrix **orbitals,
                               struct hf_error *error)
{
    hf_status status;
    struct hf_linalg *linalg = work->wavefunction->linalg;
    struct hf_matrix *rotation = NULL;
    HF_TRY(hf_matrix_create(linalg, "rotation of orbitals", work->n_orbital, work->n_orbital,
                            &rotation, error));
    HF_TRY(
        hf_matrix_create(linalg, "localised orbitals", work->n, work->n_orbital, orbitals, error));
    hf_matrix_set_full(rotation, work->u); /* column k is u[k] */
    hf_matrix_multiply(1.0, false, work->canonical, false, rotation, 0.0, *orbitals);
cleanup:
    hf_matrix_destroy(&rotation);
    return status;
}

hf_status hf_localised_matrix(const struct hf_localised *localised,
                              const struct hf_wavefunction *wavefunction,
                              struct hf_matrix **orbitals, struct hf_error *error)
{
    hf_status status;
    const struct hf_orbitals *canonical = &wavefunction->spin[0];
    struct work work = {.wavefunction = wavefunction,
                        .n = wavefunction->basis->n_function,
                        .n_orbital = localised->n,
                        .u = localised->rotation};
    HF_TRY(hf_matrix_create(wavefunction->linalg, "canonical orbitals", work.n, work.n_orbital,
                            &work.canonical, error));
    hf_matrix_copy_columns(canonical->coefficient, canonical->n_occupied - work.n_orbital,
                           work.n_orbital, NULL, work.canonical, 0);
    HF_TRY(make_orbitals(&work, orbitals, error));
cleanup:
    hf_matrix_destroy(&work.canonical);
    return status;
}

hf_status hf_localised_show(struct hf_context *context, const struct hf_localised *localised,
                            const struct hf_wavefunction *wavefunction,
                            struct hf_wavefunction *shown, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_orbitals *orbitals = &shown->spin[0];
    struct hf_matrix *local = NULL;
    *shown = *wavefunction;
    if (localised == NULL) return HF_OK;
    const int m = orbitals->n_orbital, first = orbitals->n_occupied - localised->n;
    orbitals->coefficient = NULL;
    orbitals->energy = calloc((size_t)m + 1, sizeof *orbitals->energy);
    if (orbitals->energy == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory");
    HF_TRY(hf_agree(context->comm, status, error));
    memcpy(orbitals->energy, wavefunction->spin[0].energy, (size_t)m * sizeof *orbitals->energy);
    for (int i = 0; i < localised->n; i++)
        orbitals->energy[first + i] = localised->orbital[i].energy;
    HF_TRY(hf_matrix_create(wavefunction->linalg, "orbitals to draw",
                            wavefunction->basis->n_function, m, &orbitals->coefficient, error));
    hf_matrix_copy(wavefunction->spin[0].coefficient, orbitals->coefficient);
    HF_TRY(hf_localised_matrix(localised, wavefunction, &local, error));
    hf_matrix_copy_columns(local, 0, localised->n, NULL, orbitals->coefficient, first);
cleanup:
    hf_matrix_destroy(&local);
    return status;
}

void hf_localised_show_done(struct hf_wavefunction *shown, const struct hf_wavefunction *of)
{
    for (int k = 0; k < shown->n_spin; k++) {
        struct hf_orbitals *own = &shown->spin[k];
        if (own->energy != of->spin[k].energy) free(own->energy);
        if (own->occupation != of->spin[k].occupation) free(own->occupation);
        if (own->coefficient != of->spin[k].coefficient) hf_matrix_destroy(&own->coefficient);
    }
    *shown = (struct hf_wavefunction){0};
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/** Vector k of the orbitals of this rank from the columns of a matrix. Collective. */
static hf_status load_vector(struct hf_sweeps *sweeps, const struct hf_matrix *matrix, int vector,
                             struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = sweeps->context;
    const int n = sweeps->basis->n_function, o = sweeps->n_orbital;
    const int n_strip = n / context->n_rank + 1;
    double *strip = HF_TAKE(&sweeps->arena, strip, (size_t)n_strip * (size_t)o);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&sweeps->arena, error), error));
    for (int first = 0; first < n; first += n_strip) {
        const int n_row = n - first < n_strip ? n - first : n_strip;
        hf_matrix_gather_rows(matrix, first, n_row, strip);
        hf_broadcast_bytes(context->comm, 0, (size_t)n_row * (size_t)o * sizeof *strip, strip);
        for (int i = 0; i < o; i++) {
            double *orbital = hf_sweeps_orbital(sweeps, i);
            if (orbital == NULL) continue;
            for (int r = 0; r < n_row; r++)
                orbital[(size_t)vector * (size_t)n + (size_t)(first + r)] =
                    strip[(size_t)r * (size_t)o + (size_t)i];
        }
    }
cleanup:
    hf_arena_release(&sweeps->arena, strip);
    return status;
}

/** All vectors of the orbitals, and their rotation. Collective. */
static hf_status load(struct work *work, struct hf_error *error)
{
    hf_status status;
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    const struct hf_wavefunction *wave = work->wavefunction;
    struct hf_sweeps *sweeps = &work->sweeps;
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *orbitals = NULL, *product = NULL, *integrals = NULL;
    const bool boys = work->settings->kind == HF_LOCALISE_BOYS;
    HF_TRY(make_orbitals(work, &orbitals, error));
    HF_TRY(load_vector(sweeps, orbitals, 0, error));
    HF_TRY(hf_matrix_create(wave->linalg, "operator times orbitals", work->n, work->n_orbital,
                            &product, error));
    if (boys) {
        HF_TRY(hf_matrix_create(wave->linalg, "dipole integrals", work->n, work->n, &integrals,
                                error));
        HF_TRY(hf_hamiltonian_create(work->context, wave->linalg, wave->basis, wave->molecule,
                                     &hamiltonian, error));
    }
    for (int k = 1; k < sweeps->ops->n_vector; k++) {
        if (boys) HF_TRY(hf_operator_matrix(hamiltonian, along[k - 1], integrals, error));
        hf_matrix_multiply(1.0, false, boys ? integrals : wave->overlap, false, orbitals, 0.0,
                           product);
        HF_TRY(load_vector(sweeps, product, k, error));
    }
    for (int i = 0; i < work->n_orbital; i++) {
        double *orbital = hf_sweeps_orbital(sweeps, i);
        if (orbital != NULL)
            memcpy(orbital + (size_t)sweeps->ops->n_vector * (size_t)work->n,
                   work->u + (size_t)i * (size_t)work->n_orbital,
                   (size_t)work->n_orbital * sizeof *orbital);
    }
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    hf_matrix_destroy(&orbitals);
    hf_matrix_destroy(&product);
    hf_matrix_destroy(&integrals);
    return status;
}

/** Whether the largest coefficient of an orbital (the first of equal ones) is negative. */
static bool is_negative(int n, const double *coefficient)
{
    double most = 0.0;
    for (int m = 0; m < n; m++) most = fmax(most, fabs(coefficient[m]));
    for (int m = 0; m < n; m++)
        if (fabs(coefficient[m]) > (1.0 - 1e-6) * most) return coefficient[m] < 0.0;
    return false;
}

/** work->u of all orbitals, with positive largest coefficients. Collective. */
static void collect(struct work *work)
{
    const size_t o = (size_t)work->n_orbital;
    memset(work->u, 0, o * o * sizeof *work->u);
    for (int i = 0; i < work->n_orbital; i++) {
        const double *orbital = hf_sweeps_orbital(&work->sweeps, i);
        if (orbital == NULL) continue;
        const double *rotation = orbital + (size_t)work->sweeps.ops->n_vector * (size_t)work->n;
        const double sign = is_negative(work->n, orbital) ? -1.0 : 1.0;
        for (size_t c = 0; c < o; c++) work->u[(size_t)i * o + c] = sign * rotation[c];
    }
    hf_sum_over_ranks(work->context->comm, o * o, work->u);
}

/** Sweeps until the largest rotation is at most the tolerance, or is small but would get there slowly; otherwise *near is
 *  false. Collective. */
static hf_status climb(struct work *work, double tolerance, struct hf_localised *localised,
                       bool *near, struct hf_error *error)
{
    const struct hf_localise_settings *settings = work->settings;
    const int most = settings->most_sweeps > 0 ? settings->most_sweeps : USUAL_SWEEPS;
    double largest = INFINITY;
    bool slow = false;
    while (largest > tolerance && !slow && localised->n_sweep < most) {
        const double before = largest;
        HF_CHECK(hf_sweeps_run(&work->sweeps, &largest, error));
        slow = largest < NEAR && largest > SLOW * before && !settings->sweeps_only;
        localised->n_sweep++;
    }
    *near = slow || largest <= tolerance;
    return HF_OK;
}

/** Sweeps and second-order steps, until such a step is no longer than the tolerance and no saddle is there. Short steps
 *  follow each other without sweeps, which would move along flat directions. Collective. */
static hf_status find_maximum(struct work *work, struct hf_localised *localised,
                              struct hf_error *error)
{
    const double given = work->settings->tolerance;
    const double tolerance = given > 0.0 ? given : USUAL_TOLERANCE;
    struct hf_second_order step = {.saddle = true};
    bool near = false;
    localised->converged = false;
    while (!localised->converged && localised->n_step < MOST_STEPS) {
        if (step.saddle || step.largest > SHORT)
            HF_CHECK(climb(work, tolerance, localised, &near, error));
        if (!near || work->settings->sweeps_only) break;
        HF_CHECK(hf_sweeps_step(&work->sweeps, tolerance, &step, error));
        localised->n_step++;
        localised->n_saddle += step.saddle;
        localised->n_product += step.n_product;
        localised->n_turn = step.n_pair;
        localised->converged = !step.saddle && step.largest <= tolerance;
    }
    if (work->settings->sweeps_only) localised->converged = near;
    localised->value = hf_sweeps_value(&work->sweeps);
    return HF_OK;
}

/** Turns neighbouring orbitals u [o][o] by angles without pattern. Boys' orbitals break the symmetry of a molecule, as one of
 *  two sets of bent double bonds does: this decides for one, and not the last bits of the wave function. */
static void break_symmetry(int o, double u[])
{
    uint32_t bits = 2463534242U;
    for (int i = 0; i + 1 < o; i++) {
        double *a = u + (size_t)i * (size_t)o, *b = a + o;
        bits = bits * 1664525U + 1013904223U;
        const double angle = LARGEST_TURN * (2.0 * bits / UINT32_MAX - 1.0);
        for (int k = 0; k < o; k++) {
            const double before = a[k];
            a[k] = cos(angle) * before + sin(angle) * b[k];
            b[k] = cos(angle) * b[k] - sin(angle) * before;
        }
    }
}

static hf_status sweep(struct work *work, struct hf_localised *localised, struct hf_error *error)
{
    hf_status status;
    work->sweeps = (struct hf_sweeps){
        .context = work->context,
        .basis = work->wavefunction->basis,
        .ops = ops_of(work->settings->kind),
        .n_thread = work->settings->n_thread > 1 ? work->settings->n_thread : 1,
        .n_orbital = work->n_orbital,
    };
    if (work->settings->start != NULL)
        memcpy(work->u, work->settings->start,
               (size_t)work->n_orbital * (size_t)work->n_orbital * sizeof *work->u);
    else {
        HF_TRY(hf_localise_start(work->context, work->canonical, work->u, error));
        if (work->settings->kind == HF_LOCALISE_BOYS) break_symmetry(work->n_orbital, work->u);
    }
    HF_TRY(hf_sweeps_init(&work->sweeps, error));
    HF_TRY(load(work, error));
    HF_TRY(find_maximum(work, localised, error));
    collect(work);
cleanup:
    hf_arena_done(&work->sweeps.arena);
    return status;
}

/* ---- Order ----------------------------------------------------------------------------------- */

struct rank_of_orbital {
    double energy;
    int orbital;
};

/** Rising energy; equal ones as they were. */
static int compare(const void *left, const void *right)
{
    const struct rank_of_orbital *a = left, *b = right;
    if (fabs(a->energy - b->energy) > 1e-7) return a->energy < b->energy ? -1 : 1;
    return a->orbital - b->orbital;
}

/** Orders the orbitals and sets their energies. Local. */
static hf_status sort(struct work *work, struct hf_localised *localised, struct hf_error *error)
{
    const size_t o = (size_t)work->n_orbital;
    struct rank_of_orbital *order = HF_TAKE(work->arena, order, o);
    double *u = HF_TAKE(work->arena, u, o * o);
    HF_TAKE(work->arena, localised->orbital, o);
    if (work->arena->failed) return hf_arena_check(work->arena, error);
    for (size_t i = 0; i < o; i++) {
        order[i].orbital = (int)i;
        for (size_t c = 0; c < o; c++)
            order[i].energy += work->u[i * o + c] * work->u[i * o + c] * work->canonical_energy[c];
    }
    if (work->settings->kind != HF_LOCALISE_NONE) qsort(order, o, sizeof *order, compare);
    for (size_t i = 0; i < o; i++) {
        localised->orbital[i].energy = order[i].energy;
        memcpy(u + i * o, work->u + (size_t)order[i].orbital * o, o * sizeof *u);
    }
    hf_arena_release(work->arena, order);
    hf_arena_release(work->arena, work->u);
    localised->rotation = work->u = u;
    return HF_OK;
}

hf_status hf_localise(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                      const struct hf_localise_settings *settings, struct hf_localised *localised,
                      struct hf_error *error)
{
    hf_status status;
    struct work work = {.context = context,
                        .wavefunction = wavefunction,
                        .settings = settings,
                        .arena = &localised->arena};
    struct hf_matrix *orbitals = NULL;
    *localised = (struct hf_localised){.arena = {.memory = context->memory,
                                                 .kind = HF_MEMORY_MATRIX,
                                                 .label = "localised orbitals"},
                                       .converged = true};
    hf_timer_start(&context->timers, &hf_phase_localise);
    HF_TRY(begin(&work, error));
    localised->n = work.n_orbital;
    localised->rotation = work.u;
    if (work.n_orbital > 0) {
        if (settings->kind != HF_LOCALISE_NONE) HF_TRY(sweep(&work, localised, error));
        HF_TRY(hf_agree(context->comm, sort(&work, localised, error), error));
        HF_TRY(make_orbitals(&work, &orbitals, error));
        HF_TRY(hf_localised_describe(context, wavefunction, settings, orbitals, localised, error));
    }
cleanup:
    hf_matrix_destroy(&work.canonical);
    hf_matrix_destroy(&orbitals);
    if (status != HF_OK) hf_localised_done(localised);
    hf_timer_stop(&context->timers, &hf_phase_localise);
    return status;
}

void hf_localised_done(struct hf_localised *localised)
{
    hf_sparse_destroy(&localised->coefficient);
    hf_sparse_destroy(&localised->overlap);
    hf_sparse_destroy(&localised->population);
    hf_arena_done(&localised->arena);
    *localised = (struct hf_localised){0};
}
