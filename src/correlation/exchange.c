/* Sends the rows of an orbital i from the ranks that computed them to the rank that finishes them. */
#include "mp2_private.h"

#include <limits.h>
#include <string.h>

/** Largest number of doubles in a message: MPI counts in int. */
enum { MOST_NUMBERS = 1 << 26, TAG = 29 };

static void make_room(struct hf_mp2_exchange *exchange, size_t longest, struct hf_arena *arena)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const int rank = mp2->context->rank, n_rank = mp2->context->n_rank;
    size_t others = 0;
    for (int r = 0; r < n_rank; r++)
        if (r != rank) others += exchange->n_row[r];
    const size_t own = n_rank > 1 ? exchange->n_row[rank] : 0;
    HF_TAKE_UNSET(arena, exchange->received, others * longest);
    HF_TAKE_UNSET(arena, exchange->sent, own * longest);
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

hf_status hf_mp2_exchange_init(struct hf_mp2_exchange *exchange, struct hf_mp2 *mp2,
                               struct hf_arena *arena, struct hf_error *error)
{
    hf_status status;
    const int64_t n_pair = mp2->pairs->n_pair;
    struct hf_context *context = mp2->context;
    const size_t n_rank = (size_t)context->n_rank;
    *exchange = (struct hf_mp2_exchange){.mp2 = mp2};
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
    find_places(exchange);
    make_room(exchange, hf_mp2_longest(mp2), arena);
    return hf_agree(context->comm, hf_arena_check(arena, error), error);
}

/** Collects this rank's rows of an orbital, one after another. */
static void collect(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const size_t length = mp2->orbitals[unit->spin].length;
    double *to = exchange->sent;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++) {
        if (mp2->block[k] == NULL) continue;
        const size_t n = hf_mp2_n_row(mp2->pairs, k);
        memcpy(to, mp2->block[k] + hf_mp2_place(mp2, unit->spin, unit->i, n),
               n * length * sizeof *to);
        to += n * length;
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

/** Finds where the rows of each pair are on this rank now. */
static void find_rows(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const size_t length = mp2->orbitals[unit->spin].length;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++) {
        const size_t n = hf_mp2_n_row(mp2->pairs, k);
        if (mp2->block[k] != NULL)
            exchange->where[k] = mp2->block[k] + hf_mp2_place(mp2, unit->spin, unit->i, n);
        else if (exchange->owner[k] >= 0)
            exchange->where[k] = exchange->received + exchange->first[k] * length;
    }
}

void hf_mp2_exchange_round(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[])
{
    struct hf_mp2 *mp2 = exchange->mp2;
    struct hf_context *context = mp2->context;
    const int rank = context->rank, n_rank = context->n_rank;
    const struct hf_mp2_unit *mine = &unit[rank];
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const size_t n = unit[to].i < 0 ? 0 : exchange->n_row[rank];
        const size_t m = mine->i < 0 ? 0 : exchange->n_row[from];
        const size_t out = n > 0 ? mp2->orbitals[unit[to].spin].length : 0;
        const size_t in = m > 0 ? mp2->orbitals[mine->spin].length : 0;
        if (n > 0) collect(exchange, &unit[to]);
        hf_mp2_pass_on(context, to, exchange->sent, n * out, from,
                       exchange->received + exchange->first_of_rank[from] * in, m * in);
        mp2->result->sent_bytes += (double)(n * out * sizeof *exchange->sent);
    }
    if (mine->i >= 0) find_rows(exchange, mine);
}
