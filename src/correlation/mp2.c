/* Orbitals for the transformation, batches of them, and the sum over pairs. */
#include "mp2_private.h"

#include "linalg/matrix_product.h"
#include "pairs/common_pairs.h"
#include "text/trace.h"

#include <math.h>

const struct hf_phase hf_phase_mp2_first = {.name = "MP2: first half"};
const struct hf_phase hf_phase_mp2_wait = {.name = "MP2: waiting"};
const struct hf_phase hf_phase_mp2_exchange = {.name = "MP2: exchange"};
const struct hf_phase hf_phase_mp2_second = {.name = "MP2: second half"};

/* ---- Orbitals -------------------------------------------------------------------------------- */

static void make_arrays(struct hf_arena *arena, size_t n, struct hf_mp2_orbitals *orbitals)
{
    const size_t n_packed = hf_packed_size(orbitals->n_occupied, (int)n),
                 n_packed_virtual = hf_packed_size(orbitals->n_virtual, (int)n);
    orbitals->occupied = hf_arena_take(arena, n * (size_t)orbitals->n_occupied, sizeof(double));
    orbitals->packed = hf_arena_take(arena, n_packed, sizeof(double));
    orbitals->virtuals = hf_arena_take(arena, n * orbitals->length, sizeof(double));
    orbitals->packed_virtuals = hf_arena_take(arena, n_packed_virtual, sizeof(double));
    HF_TAKE(arena, orbitals->row, n);
}

/** Copies the orbitals that take part from coefficients [orbital][n] of merged functions. */
static void fill_arrays(struct hf_mp2_orbitals *orbitals, int n, int n_frozen, int first_virtual,
                        const double *coefficient)
{
    const int n_i = orbitals->n_occupied;
    for (int f = 0; f < n; f++) {
        double *virtuals = orbitals->virtuals + (size_t)f * orbitals->length;
        double *occupied = orbitals->occupied + (size_t)f * (size_t)n_i;
        for (int i = 0; i < n_i; i++)
            occupied[i] = coefficient[(size_t)(n_frozen + i) * (size_t)n + (size_t)f];
        for (int a = 0; a < orbitals->n_virtual; a++)
            virtuals[a] = coefficient[(size_t)(first_virtual + a) * (size_t)n + (size_t)f];
        orbitals->row[f] = virtuals;
    }
    hf_pack(n_i, n, orbitals->occupied, 1, (size_t)n_i, orbitals->packed);
    hf_pack(orbitals->n_virtual, n, orbitals->virtuals, 1, orbitals->length,
            orbitals->packed_virtuals);
}

/** Makes the orbitals of one spin from those of the wave function; for integrals of orbitals all are occupied and virtual.
 *  Collective. */
static hf_status make_orbitals(struct hf_mp2 *mp2, const struct hf_orbitals *from,
                               struct hf_mp2_orbitals *orbitals, struct hf_error *error)
{
    hf_status status;
    const int n = mp2->merged->n_function, m = from->n_orbital, o = from->n_occupied;
    const int n_frozen = mp2->settings->n_frozen < o ? mp2->settings->n_frozen : o;
    const int last = m - mp2->settings->n_frozen_virtual;
    const bool all = mp2->settings->integrals != NULL;
    const int end = all ? last : o, first = all ? n_frozen : o;
    double *coefficient = HF_TAKE(&mp2->arena, coefficient, (size_t)n * (size_t)m);
    *orbitals = (struct hf_mp2_orbitals){
        .n_occupied = end - n_frozen,
        .n_virtual = last - first,
        .occupied_energy = from->energy + n_frozen,
        .virtual_energy = from->energy + first,
    };
    if (orbitals->n_virtual < 0) orbitals->n_virtual = 0;
    orbitals->length = hf_padded(orbitals->n_virtual);
    make_arrays(&mp2->arena, (size_t)n, orbitals);
    HF_TRY(hf_agree(mp2->context->comm, hf_arena_check(&mp2->arena, error), error));
    hf_matrix_gather_full(from->coefficient, coefficient);
    hf_mix_orbitals(mp2->merged, false, m, coefficient);
    fill_arrays(orbitals, n, n_frozen, first, coefficient);
cleanup:
    hf_arena_release(&mp2->arena, coefficient);
    return status;
}

/** Allocates the energies of all pairs. Local. */
static hf_status make_pairs(struct hf_mp2 *mp2, struct hf_error *error)
{
    struct hf_mp2_pairs *pairs = &mp2->energy;
    const size_t n_alpha = (size_t)mp2->orbitals[0].n_occupied;
    const size_t n_beta = (size_t)mp2->orbitals[mp2->n_spin - 1].n_occupied;
    pairs->n_same[0] = n_alpha * (n_alpha + 1) / 2;
    if (mp2->n_spin > 1) pairs->n_same[1] = n_beta * (n_beta + 1) / 2;
    pairs->n_opposite = mp2->n_spin > 1 ? n_alpha * n_beta : pairs->n_same[0];
    pairs->n = pairs->n_same[0] + pairs->n_same[1] + pairs->n_opposite;
    HF_TAKE(&mp2->arena, pairs->all, pairs->n);
    HF_TAKE(&mp2->arena, mp2->block, (size_t)mp2->pairs->n_pair);
    if (mp2->arena.failed) return hf_arena_check(&mp2->arena, error);
    pairs->same[0] = pairs->all;
    pairs->same[1] = pairs->same[0] + pairs->n_same[0];
    pairs->opposite = pairs->same[1] + pairs->n_same[1];
    return HF_OK;
}

/** Collective. */
static hf_status set_up(struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                        struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = mp2->context;
    const struct hf_orbital_integrals *integrals = mp2->settings->integrals;
    struct hf_common_pairs *common = mp2->settings->pairs;
    hf_timer_start(&context->timers, &hf_phase_setup);
    if (common == NULL) {
        HF_TRY(
            hf_common_pairs_create(context, wavefunction->basis, INFINITY, &mp2->own_pairs, error));
        common = mp2->own_pairs;
    }
    mp2->merged = hf_common_pairs_merged(common);
    HF_TRY(hf_common_pairs_get(common, hf_mp2_pair_accuracy(mp2->settings), mp2->n_thread,
                               &mp2->pairs, error));
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const int from = integrals != NULL ? integrals->spin[spin] : spin;
        HF_TRY(make_orbitals(mp2, &wavefunction->spin[from], &mp2->orbitals[spin], error));
    }
    HF_TRY(hf_agree(context->comm, make_pairs(mp2, error), error));
    if (mp2->settings->derivatives != NULL)
        HF_TRY(hf_agree(context->comm, hf_mp2_begin_derivatives(mp2, wavefunction, error), error));
cleanup:
    hf_timer_stop(&context->timers, &hf_phase_setup);
    return status;
}

struct hf_mp2_gaps hf_mp2_find_gaps(const struct hf_wavefunction *wavefunction,
                                    const struct hf_mp2_settings *settings)
{
    struct hf_mp2_gaps gaps = {INFINITY, INFINITY};
    for (int spin = 0; spin < wavefunction->n_spin; spin++) {
        const struct hf_orbitals *orbitals = &wavefunction->spin[spin];
        const double *energy = orbitals->energy;
        const int n = settings->n_frozen, last = orbitals->n_orbital - settings->n_frozen_virtual;
        if (n > 0 && n < orbitals->n_occupied)
            gaps.core = fmin(gaps.core, energy[n] - energy[n - 1]);
        if (last > orbitals->n_occupied && last < orbitals->n_orbital)
            gaps.virtuals = fmin(gaps.virtuals, energy[last] - energy[last - 1]);
    }
    return gaps;
}

/** Without functions that the SCF removed, there may be too few virtual orbitals for an energy. The energy depends on
 *  which of two degenerate orbitals is frozen. */
static hf_status check_frozen(const struct hf_wavefunction *wavefunction,
                              const struct hf_mp2_settings *settings, struct hf_error *error)
{
    const int n_virtual = wavefunction->spin[0].n_orbital - wavefunction->spin[0].n_occupied;
    if (settings->integrals == NULL && settings->n_frozen_virtual > 0 &&
        settings->n_frozen_virtual >= n_virtual)
        return hf_fail(error, HF_BAD_INPUT,
                       "%d frozen virtual orbitals; expected fewer than the %d that remain without "
                       "the functions removed for linear dependence",
                       settings->n_frozen_virtual, n_virtual);
    const struct hf_mp2_gaps gaps = hf_mp2_find_gaps(wavefunction, settings);
    if (settings->derivatives == NULL || fmin(gaps.core, gaps.virtuals) > HF_MP2_DEGENERATE)
        return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "a frozen orbital has the energy of a correlated one, so that the MP2 energy "
                   "has no derivatives; expected another number of frozen %s orbitals",
                   gaps.core < gaps.virtuals ? "core" : "virtual");
}

/* ---- Batches --------------------------------------------------------------------------------- */

/** Number of orbitals i that batches divide: those of all spins, or of the p of integrals of orbitals. */
static int n_orbital(const struct hf_mp2 *mp2)
{
    int n = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        if (spin == 0 || mp2->settings->integrals == NULL) n += mp2->orbitals[spin].n_occupied;
    return n;
}

/** Chooses the algorithm and the number of batches. Collective, because ranks may have different limits. */
static hf_status choose(struct hf_mp2 *mp2, struct hf_error *error)
{
    struct hf_mp2_result *result = mp2->result;
    const struct hf_shell_pairs *pairs = mp2->pairs;
    const bool integrals = mp2->settings->integrals != NULL;
    double limit = mp2->settings->memory_bytes;
    struct hf_mp2_size size = {
        .n_function = mp2->merged->n_function,
        .n_rank = mp2->context->n_rank,
        .n_thread = mp2->n_thread,
        .most_functions = hf_most_pair_functions(pairs->n_class, pairs->class_of),
        .most_shell = hf_most_functions_of_shell(mp2->merged),
        .n_spin = mp2->n_spin,
        .one_batch = mp2->settings->derivatives != NULL && mp2->settings->one_batch,
        .integrals = integrals,
    };
    for (int64_t k = 0; k < pairs->n_pair; k++) size.n_row += (double)hf_mp2_n_row(pairs, k);
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        size.n_correlated[spin] = spin == 0 || !integrals ? mp2->orbitals[spin].n_occupied : 0;
        size.n_virtual[spin] = mp2->orbitals[spin].n_virtual;
    }
    MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_DOUBLE, MPI_MIN, mp2->context->comm);
    struct hf_mp2_choice choice = {.algorithm = &hf_mp2_with_derivatives};
    if (mp2->settings->derivatives != NULL)
        choice.need = hf_mp2_plan_of(choice.algorithm, &size, limit);
    else
        choice = hf_mp2_choose(mp2->settings->algorithm, &size, limit);
    int n_batch = choice.need.n_batch;
    if (n_batch == 0) return hf_mp2_refuse(&choice.need, limit, error);
    if (n_batch < mp2->settings->n_batch) n_batch = mp2->settings->n_batch;
    result->n_batch = n_batch < n_orbital(mp2) ? n_batch : n_orbital(mp2);
    mp2->algorithm = choice.algorithm;
    result->algorithm = choice.algorithm->name;
    result->model_seconds = choice.seconds;
    result->model_instead_seconds = choice.instead_seconds;
    return HF_OK;
}

/** Batch number k of n_batch; orbitals of alpha come before those of beta. */
static struct hf_mp2_batch make_batch(const struct hf_mp2 *mp2, int k, int n_batch)
{
    struct hf_mp2_batch batch = {{0}, {0}};
    const int n = n_orbital(mp2);
    int first = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const int o = mp2->orbitals[spin].n_occupied;
        const int begin = (int)((int64_t)n * k / n_batch) - first;
        const int end = (int)((int64_t)n * (k + 1) / n_batch) - first;
        batch.begin[spin] = begin < 0 ? 0 : begin > o ? o : begin;
        batch.end[spin] = end < 0 ? 0 : end > o ? o : end;
        first += o;
    }
    return batch;
}

/* ---- The energy ------------------------------------------------------------------------------ */

static double sum_of(size_t n, const double value[])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += value[i];
    return sum;
}

/** Adds up the energies. Each pair's energy comes from one rank, so the sums have the same bits for any number of
 *  ranks. Collective. HF_NO_RESOURCE: their sum is not finite. */
static hf_status add_up(struct hf_mp2 *mp2, struct hf_error *error)
{
    struct hf_mp2_result *result = mp2->result;
    const struct hf_mp2_pairs *pairs = &mp2->energy;
    double *const count[] = {&result->sent_bytes,       &result->n_quartet,
                             &result->n_flop[0],        &result->n_flop[1],
                             &result->n_flop[2],        &result->cpu_seconds[0],
                             &result->cpu_seconds[1],   &result->cpu_seconds[2],
                             &result->integral_seconds, &result->derivative_seconds};
    enum { N_COUNT = sizeof count / sizeof *count };
    double counts[N_COUNT];
    for (int i = 0; i < N_COUNT; i++) counts[i] = *count[i];
    hf_sum_over_ranks(mp2->context->comm, pairs->n, pairs->all);
    hf_sum_over_ranks(mp2->context->comm, N_COUNT, counts);
    for (int i = 0; i < N_COUNT; i++) *count[i] = counts[i];
    MPI_Allreduce(MPI_IN_PLACE, &result->bytes, 1, MPI_DOUBLE, MPI_MAX, mp2->context->comm);
    result->n_shell = mp2->merged->n_shell;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        result->same_spin += sum_of(pairs->n_same[spin], pairs->same[spin]);
        result->n_correlated[spin] = mp2->orbitals[spin].n_occupied;
        result->n_virtual[spin] = mp2->orbitals[spin].n_virtual;
    }
    result->opposite_spin = sum_of(pairs->n_opposite, pairs->opposite);
    result->correlation = result->same_spin + result->opposite_spin;
    if (isfinite(result->correlation)) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "the MP2 energy is not a finite number; check whether an occupied orbital has "
                   "the energy of a virtual one");
}

hf_status hf_mp2_compute(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                         const struct hf_mp2_settings *settings, struct hf_mp2_result *result,
                         struct hf_error *error)
{
    hf_status status;
    const struct hf_orbital_integrals *integrals = settings->integrals;
    struct hf_mp2 mp2 = {.context = context,
                         .settings = settings,
                         .arena = {.memory = context->memory,
                                   .kind = HF_MEMORY_MATRIX,
                                   .label = "the orbitals of MP2"},
                         .stored = {.memory = context->memory,
                                    .kind = HF_MEMORY_STORED,
                                    .label = "half-transformed integrals"},
                         .n_thread = settings->n_thread > 1 ? settings->n_thread : 1,
                         .n_spin = integrals == NULL                          ? wavefunction->n_spin
                                   : integrals->spin[0] == integrals->spin[1] ? 1
                                                                              : 2,
                         .multiply = hf_product_kernel(),
                         .result = result};
    *result = (struct hf_mp2_result){0};
    HF_TRY(hf_agree(context->comm, check_frozen(wavefunction, settings, error), error));
    HF_TRY(set_up(&mp2, wavefunction, error));
    HF_TRY(choose(&mp2, error));
    for (int k = 0; k < result->n_batch; k++) {
        mp2.batch = make_batch(&mp2, k, result->n_batch);
        hf_trace_begin_batch(context->trace);
        HF_TRY(mp2.algorithm->batch(&mp2, error));
    }
    HF_TRY(add_up(&mp2, error));
    if (settings->derivatives != NULL) hf_mp2_end_derivatives(&mp2);
cleanup:
    hf_trace_end_build(context->trace);
    hf_mp2_drop_blocks(&mp2);
    hf_arena_done(&mp2.arena);
    hf_common_pairs_destroy(&mp2.own_pairs);
    return status;
}
