/* Sends the rows of an orbital i, or some of their columns, from the ranks that computed them to the rank that finishes
 * them, and back. */
#include "mp2_private.h"

#include <limits.h>
#include <string.h>

/** Largest number of doubles in a message: MPI counts in int. */
enum { MOST_NUMBERS = 1 << 26, TAG = 29 };

static void make_room(struct hf_mp2_exchange *exchange, size_t most, struct hf_arena *arena)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const int rank = mp2->context->rank, n_rank = mp2->context->n_rank;
    size_t others = 0;
    for (int r = 0; r < n_rank; r++)
        if (r != rank) others += exchange->n_row[r];
    const size_t own = n_rank > 1 ? exchange->n_row[rank] : 0;
    HF_TAKE_UNSET(arena, exchange->received, others * most);
    HF_TAKE_UNSET(arena, exchange->sent, own * most);
}

static void find_pairs(struct hf_mp2_exchange *exchange)
{
    const struct hf_shell_pairs *pairs = exchange->mp2->pairs;
    const size_t n = (size_t)pairs->basis->n_shell;
    for (size_t i = 0; i < n * n; i++) exchange->pair_of[i] = -1;
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        const size_t a = (size_t)pairs->pair[k].a, b = (size_t)pairs->pair[k].b;
        exchange->pair_of[a * n + b] = exchange->pair_of[b * n + a] = (int)k;
    }
}

/** Numbers the rows of each rank, and the rows that this rank receives. */
static void find_places(struct hf_mp2_exchange *exchange)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const int64_t n_pair = mp2->pairs->n_pair;
    size_t sum = 0;
    for (int64_t k = 0; k < n_pair; k++) {
        if (exchange->owner[k] < 0) continue;
        exchange->first[k] = exchange->n_row[exchange->owner[k]];
        exchange->n_row[exchange->owner[k]] += hf_mp2_n_row(mp2->pairs, k);
    }
    for (int r = 0; r < mp2->context->n_rank; r++) {
        exchange->first_of_rank[r] = sum;
        if (r != mp2->context->rank) sum += exchange->n_row[r];
    }
    for (int64_t k = 0; k < n_pair; k++)
        if (exchange->owner[k] >= 0)
            exchange->first[k] += exchange->first_of_rank[exchange->owner[k]];
}

hf_status hf_mp2_exchange_init(struct hf_mp2_exchange *exchange, struct hf_mp2 *mp2, size_t most,
                               struct hf_arena *arena, struct hf_error *error)
{
    hf_status status;
    const int64_t n_pair = mp2->pairs->n_pair;
    struct hf_context *context = mp2->context;
    const size_t n_rank = (size_t)context->n_rank, n_shell = (size_t)mp2->merged->n_shell;
    *exchange = (struct hf_mp2_exchange){.mp2 = mp2};
    HF_TAKE(arena, exchange->pair_of, n_shell * n_shell);
    HF_TAKE(arena, exchange->owner, (size_t)n_pair);
    HF_TAKE(arena, exchange->where, (size_t)n_pair);
    HF_TAKE(arena, exchange->first, (size_t)n_pair);
    HF_TAKE(arena, exchange->n_row, n_rank);
    HF_TAKE(arena, exchange->first_of_rank, n_rank);
    status = hf_arena_check(arena, error);
    if (n_pair > INT_MAX)
        status = hf_fail(error, HF_NO_RESOURCE, "more than %d pairs of shells", INT_MAX);
    HF_CHECK(hf_agree(context->comm, status, error));
    for (int64_t k = 0; k < n_pair; k++)
        exchange->owner[k] = mp2->block[k] != NULL ? context->rank : -1;
    MPI_Allreduce(MPI_IN_PLACE, exchange->owner, (int)n_pair, MPI_INT, MPI_MAX, context->comm);
    find_pairs(exchange);
    find_places(exchange);
    make_room(exchange, most, arena);
    return hf_agree(context->comm, hf_arena_check(arena, error), error);
}

static size_t width(const struct hf_mp2_unit *unit)
{
    return unit->end - unit->begin;
}

/** First of this rank's columns of a unit in a block. */
static double *own_columns(const struct hf_mp2 *mp2, int64_t k, const struct hf_mp2_unit *unit)
{
    return mp2->block[k] + hf_mp2_place(mp2, unit->spin, unit->i, hf_mp2_n_row(mp2->pairs, k)) +
           unit->begin;
}

/** Copies this rank's columns of a unit to `sent`, row after row, or back. */
static void copy_columns(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit,
                         bool back)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const size_t length = mp2->orbitals[unit->spin].length, n = width(unit);
    double *sent = exchange->sent;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++) {
        if (mp2->block[k] == NULL) continue;
        double *own = own_columns(mp2, k, unit);
        for (size_t row = hf_mp2_n_row(mp2->pairs, k); row > 0; row--, sent += n, own += length)
            memcpy(back ? own : sent, back ? sent : own, n * sizeof *own);
    }
}

void hf_mp2_pass_on(struct hf_context *context, int to, const double *sent, size_t n, int from,
                    double *received, size_t m)
{
    while (n > 0 || m > 0) {
        const size_t out = n < MOST_NUMBERS ? n : MOST_NUMBERS;
        const size_t in = m < MOST_NUMBERS ? m : MOST_NUMBERS;
        MPI_Sendrecv(sent, (int)out, MPI_DOUBLE, out > 0 ? to : MPI_PROC_NULL, TAG, received,
                     (int)in, MPI_DOUBLE, in > 0 ? from : MPI_PROC_NULL, TAG, context->comm,
                     MPI_STATUS_IGNORE);
        sent += out;
        received += in;
        n -= out;
        m -= in;
    }
}

void hf_mp2_exchange_point(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++)
        if (mp2->block[k] != NULL)
            exchange->where[k] = own_columns(mp2, k, unit);
        else if (exchange->owner[k] >= 0)
            exchange->where[k] = exchange->received + exchange->first[k] * width(unit);
}

double *hf_mp2_exchange_rows(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit,
                             int shell_r, int shell_s, int k, size_t *step)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const struct hf_basis *basis = mp2->merged;
    const int pair = exchange->pair_of[(size_t)shell_r * (size_t)basis->n_shell + (size_t)shell_s];
    if (pair < 0 || exchange->where[pair] == NULL) return NULL;
    const bool first = mp2->pairs->pair[pair].a == shell_r;
    const size_t row = mp2->block[pair] != NULL ? mp2->orbitals[unit->spin].length : width(unit);
    *step = first ? (size_t)basis->shell[shell_s].n_function * row : row;
    return exchange->where[pair] +
           (size_t)k * (first ? row : (size_t)basis->shell[shell_r].n_function * row);
}

/** Numbers that a rank has of another rank's unit. */
static size_t n_number(const struct hf_mp2_exchange *exchange, int rank,
                       const struct hf_mp2_unit *unit)
{
    return unit->i < 0 ? 0 : exchange->n_row[rank] * width(unit);
}

void hf_mp2_exchange_round(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[])
{
    struct hf_context *context = exchange->mp2->context;
    const int rank = context->rank, n_rank = context->n_rank;
    const struct hf_mp2_unit *mine = &unit[rank];
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const size_t n = n_number(exchange, rank, &unit[to]), m = n_number(exchange, from, mine);
        if (n > 0) copy_columns(exchange, &unit[to], false);
        hf_mp2_pass_on(context, to, exchange->sent, n, from,
                       exchange->received + exchange->first_of_rank[from] * width(mine), m);
        exchange->mp2->result->sent_bytes += (double)(n * sizeof *exchange->sent);
    }
    if (mine->i >= 0) hf_mp2_exchange_point(exchange, mine);
}

void hf_mp2_exchange_return(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[])
{
    struct hf_context *context = exchange->mp2->context;
    const int rank = context->rank, n_rank = context->n_rank;
    const struct hf_mp2_unit *mine = &unit[rank];
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const size_t n = n_number(exchange, to, mine), m = n_number(exchange, rank, &unit[from]);
        hf_mp2_pass_on(context, to, exchange->received + exchange->first_of_rank[to] * width(mine),
                       n, from, exchange->sent, m);
        if (m > 0) copy_columns(exchange, &unit[from], true);
        exchange->mp2->result->sent_bytes += (double)(n * sizeof *exchange->sent);
    }
}
