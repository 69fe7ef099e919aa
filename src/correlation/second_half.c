/* Computes the energies of the pairs of an orbital i from (ia|rs). Each rank finishes whole orbitals, or some of
 * their pairs if there are more ranks than orbitals. For integrals of orbitals the (ia|jb) themselves go to rank 0. */
#include "mp2_private.h"

#include "base/threads.h"
#include "hf/interruption.h"
#include "hf/timer.h"
#include "text/trace.h"

#include <stdlib.h>
#include <string.h>

/** See HF_MP2_MOST_J. */
enum { MOST_J = HF_MP2_MOST_J };

/** Least number of units per rank if orbitals j are split. */
enum { UNITS_PER_RANK = 4 };

/** The second half on one rank. */
struct second_half {
    struct hf_mp2 *mp2;    /**< borrowed */
    struct hf_arena arena; /**< owns all arrays, also those of the exchange */
    struct hf_mp2_exchange exchange;
    int n_unit;
    struct hf_mp2_unit
        *unit;         /**< [n_unit], longest first, but integrals of orbitals in their order */
    double *third;     /**< [s][j][a]: (ia|js) of some j */
    double *integrals; /**< [j][a][b]: (ia|jb) of a unit, a <= i; NULL: energies are computed */
    struct hf_mp2_lane *lane; /**< [n_thread] */
    /* for the current unit */
    const struct hf_mp2_unit *now;
    int j_begin, n_j;
};

/* ---- Units ----------------------------------------------------------------------------------- */

static int n_of(const struct hf_mp2_unit *unit)
{
    return unit->j_end - unit->j_begin;
}

static int by_falling_size(const void *left, const void *right)
{
    const struct hf_mp2_unit *x = left, *y = right;
    if (n_of(x) != n_of(y)) return n_of(y) - n_of(x);
    if (x->spin != y->spin) return x->spin - y->spin;
    if (x->other != y->other) return x->other - y->other;
    return x->i != y->i ? x->i - y->i : x->j_begin - y->j_begin;
}

/** Makes units of at most `most` pairs; only counts them if `unit` is NULL. */
static int make_units(const struct hf_mp2 *mp2, int most, struct hf_mp2_unit unit[])
{
    int n = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        for (int other = mp2->settings->integrals != NULL ? mp2->n_spin - 1 : spin;
             other < mp2->n_spin; other++)
            for (int i = mp2->batch.begin[spin]; i < mp2->batch.end[spin]; i++) {
                const int end = other == spin ? i + 1 : mp2->orbitals[other].n_occupied;
                for (int j = 0; j < end; j += most, n++)
                    if (unit != NULL)
                        unit[n] = (struct hf_mp2_unit){spin,
                                                       i,
                                                       other,
                                                       j,
                                                       j + most < end ? j + most : end,
                                                       0,
                                                       mp2->orbitals[spin].length};
            }
    return n;
}

/** Makes all units of the batch: whole orbitals, or groups of pairs for many ranks. */
static void choose_units(struct second_half *half)
{
    const struct hf_mp2 *mp2 = half->mp2;
    const int asked = mp2->settings->tasks_for;
    const int n_rank = asked > 0 ? asked : mp2->context->n_rank;
    int most = MOST_J;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        while (most < mp2->orbitals[spin].n_occupied) most += HF_PRODUCT_GROUP;
    while (most > HF_PRODUCT_GROUP && make_units(mp2, most, NULL) < UNITS_PER_RANK * n_rank)
        most -= HF_PRODUCT_GROUP;
    half->n_unit = make_units(mp2, most, NULL);
    HF_TAKE(&half->arena, half->unit, (size_t)half->n_unit);
    if (half->unit == NULL) return;
    make_units(mp2, most, half->unit);
    if (mp2->settings->integrals != NULL) return; /* taken in this order */
    qsort(half->unit, (size_t)half->n_unit, sizeof *half->unit, by_falling_size);
}

/* ---- Third and fourth quarter, energies ------------------------------------------------------ */

/** hf_thread_work: computes (ia|js) for some shells S. */
static hf_status third_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct second_half *half = data;
    const struct hf_mp2_orbitals *other = &half->mp2->orbitals[half->now->other];
    const size_t j = (size_t)half->j_begin;
    (void)error;
    hf_mp2_third_quarter(
        &(struct hf_mp2_third){.exchange = &half->exchange,
                               .unit = half->now,
                               .end = half->now->end,
                               .n_j = half->n_j,
                               .orbitals = other->occupied + j,
                               .step = (size_t)other->n_occupied,
                               .packed = other->packed + j * (size_t)half->mp2->merged->n_function,
                               .to = half->third},
        thread, n_thread, &half->lane[thread]);
    return HF_OK;
}

/** Number of integrals (ia|jb) of a unit for one j. */
static size_t n_integral(const struct hf_mp2 *mp2, const struct hf_mp2_unit *unit)
{
    return (size_t)(unit->i + 1) * mp2->orbitals[unit->other].length;
}

/** Passes the integrals of a round to rank 0, and there to their taker, unit by unit. Collective. */
static void give_integrals(struct second_half *half, const struct hf_mp2_unit unit[])
{
    const struct hf_mp2 *mp2 = half->mp2;
    struct hf_context *context = mp2->context;
    const struct hf_orbital_integrals *to = mp2->settings->integrals;
    hf_timer_start(&context->timers, &hf_phase_mp2_exchange);
    for (int r = 0; r < context->n_rank && unit[r].i >= 0; r++) {
        const size_t of_j = n_integral(mp2, &unit[r]), n = (size_t)n_of(&unit[r]) * of_j;
        if (r > 0)
            hf_mp2_pass_on(context, 0, half->integrals, context->rank == r ? n : 0, r,
                           half->integrals, context->rank == 0 ? n : 0);
        for (int j = unit[r].j_begin; j < unit[r].j_end && context->rank == 0; j++)
            to->take(to->data, unit[r].i, j, mp2->orbitals[unit[r].other].length,
                     half->integrals + (size_t)(j - unit[r].j_begin) * of_j);
    }
    hf_timer_stop(&context->timers, &hf_phase_mp2_exchange);
}

/** hf_thread_work: computes (ia|jb) and energies for some j. */
static hf_status fourth_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct second_half *half = data;
    struct hf_mp2 *mp2 = half->mp2;
    const struct hf_mp2_unit *unit = half->now;
    const struct hf_mp2_orbitals *one = &mp2->orbitals[unit->spin],
                                 *other = &mp2->orbitals[unit->other];
    const bool given = half->integrals != NULL;
    const int n = mp2->merged->n_function, n_row = given ? unit->i + 1 : one->n_virtual;
    struct hf_mp2_lane *own = &half->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int j = thread; j < half->n_j; j += n_thread) {
        const size_t place = (size_t)(half->j_begin + j - unit->j_begin) * n_integral(mp2, unit);
        hf_pack(n_row, n, half->third + (size_t)j * one->length, 1, (size_t)half->n_j * one->length,
                own->packed);
        mp2->multiply(&(struct hf_product){.n_row = n_row,
                                           .n_inner = n,
                                           .n_column = other->length,
                                           .left = own->packed,
                                           .right = other->row,
                                           .to = given ? half->integrals + place : own->product,
                                           .to_step = other->length});
        if (!given)
            hf_mp2_add_pair(mp2, (struct hf_mp2_orbital){unit->spin, unit->i},
                            (struct hf_mp2_orbital){unit->other, half->j_begin + j}, own->product);
        own->n_flop += 2.0 * n * (double)n_row * other->n_virtual;
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

static hf_status finish_unit(struct second_half *half, const struct hf_mp2_unit *unit,
                             struct hf_error *error)
{
    const int n_thread = half->mp2->n_thread;
    half->now = unit;
    for (int j = unit->j_begin; j < unit->j_end; j += MOST_J) {
        half->j_begin = j;
        half->n_j = unit->j_end - j < MOST_J ? unit->j_end - j : MOST_J;
        HF_CHECK(hf_threads_run(n_thread, third_quarter, half, error));
        HF_CHECK(hf_threads_run(n_thread, fourth_quarter, half, error));
    }
    return HF_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void make_buffers(struct second_half *half)
{
    const struct hf_mp2 *mp2 = half->mp2;
    struct hf_arena *arena = &half->arena;
    const size_t n = (size_t)mp2->merged->n_function, longest = hf_mp2_longest(mp2);
    int most = MOST_J; /* rows of left matrices */
    for (int spin = 0; spin < mp2->n_spin; spin++)
        if (mp2->orbitals[spin].n_virtual > most) most = mp2->orbitals[spin].n_virtual;
    size_t most_given = 0;
    for (int u = 0; u < half->n_unit && mp2->settings->integrals != NULL && half->unit != NULL;
         u++) {
        const size_t given = (size_t)n_of(&half->unit[u]) * n_integral(mp2, &half->unit[u]);
        if (given > most_given) most_given = given;
    }
    if (most_given > 0) HF_TAKE_UNSET(arena, half->integrals, most_given);
    HF_TAKE(arena, half->third, n * MOST_J * longest);
    half->lane =
        hf_mp2_make_lanes(mp2, hf_packed_size(most, (int)n), (size_t)most * longest, n, arena);
}

/** Does the units of a round, one for each rank. Collective. */
static hf_status do_round(struct second_half *half, int first, struct hf_mp2_unit unit[],
                          struct hf_error *error)
{
    struct hf_context *context = half->mp2->context;
    hf_status status = HF_OK;
    for (int r = 0; r < context->n_rank; r++)
        unit[r] = first + r < half->n_unit ? half->unit[first + r] : (struct hf_mp2_unit){.i = -1};
    hf_timer_start(&context->timers, &hf_phase_mp2_exchange);
    hf_mp2_exchange_round(&half->exchange, unit);
    hf_timer_stop(&context->timers, &hf_phase_mp2_exchange);
    hf_timer_start(&context->timers, &hf_phase_mp2_second);
    const double start = hf_wall_seconds(), thread = hf_thread_seconds();
    if (unit[context->rank].i >= 0) {
        status = finish_unit(half, &unit[context->rank], error);
        hf_trace_add(context->trace, 0, HF_TRACE_PAIR_TASK, first + context->rank, start,
                     hf_thread_seconds() - thread);
    }
    hf_timer_stop(&context->timers, &hf_phase_mp2_second);
    hf_interruption_set_fraction(context->interruption, (double)first / half->n_unit);
    hf_timer_start(&context->timers, &hf_phase_mp2_wait);
    status = hf_agree_to_go_on(context, status, error);
    hf_timer_stop(&context->timers, &hf_phase_mp2_wait);
    if (status == HF_OK && half->integrals != NULL) give_integrals(half, unit);
    return status;
}

hf_status hf_mp2_second_half(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = mp2->context;
    struct second_half half = {.mp2 = mp2, .arena = hf_mp2_arena(mp2, "the second half of MP2")};
    struct hf_mp2_unit *unit = HF_TAKE(&half.arena, unit, (size_t)context->n_rank);
    choose_units(&half);
    make_buffers(&half);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&half.arena, error), error));
    HF_TRY(hf_mp2_exchange_init(&half.exchange, mp2, hf_mp2_longest(mp2), &half.arena, error));
    for (int first = 0; first < half.n_unit; first += context->n_rank)
        HF_TRY(do_round(&half, first, unit, error));
    hf_mp2_add_lanes(mp2, half.lane);
cleanup:
    hf_interruption_set_fraction(context->interruption, 0.0);
    hf_arena_done(&half.arena);
    return status;
}
