/* The algorithm "pairs": book Fig. 10.2 with canonical orbitals. It computes the integrals four times, but each
 * half-transformed integral is summed on one rank and sent once. All ranks together keep o^2 n^2 / 2 numbers. */
#include "shells.h"

#include <math.h>

static struct hf_mp2_words words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function, n_n = n * (double)hf_padded(size->n_function);
    const double o = hf_mp2_size_orbitals(size), length = (double)hf_padded((int)o);
    const double n_thread = fmax(1.0, size->n_thread), n_rank = size->n_rank;
    const double uneven = size->n_rank > 1 ? HF_MP2_IMBALANCE : 1.0;
    const double square = (double)size->most_shell * size->most_shell;
    const double at_a_time = hf_mp2_pairs_at_a_time(size->n_function, size->n_thread);
    const double first =
        n * length + n_thread * (size->most_functions * size->most_shell * n + n * square * length +
                                 2.0 * n * length + o * square * length);
    const double message = size->n_rank > 1 ? 2.0 * at_a_time * uneven * n * n / n_rank : 0.0;
    const double second = at_a_time * n_n + message + n_thread * hf_mp2_scratch_words(size);
    return (struct hf_mp2_words){.work = fmax(first, second),
                                 .kept = uneven * n * n * n_i * (o - 0.5 * (n_i - 1.0)) / n_rank};
}

/** Operations: a first quarter for M and N only has R of M and S of N, which is twice n_row for all M. */
static struct hf_mp2_effort effort(const struct hf_mp2_size *size, double n_batch)
{
    const double n = size->n_function, o = hf_mp2_size_orbitals(size), row = size->n_row;
    const double v = hf_mp2_size_longest(size);
    const double mean = 0.5 * (n_batch + 1.0); /* of the orbitals j up to the last i of a batch */
    return (struct hf_mp2_effort){
        .times_integrals = 4.0 * n_batch,
        .first_operations = 4.0 * row * row * o * mean + 2.0 * row * n * o * o * mean,
        .last_operations = o * o * n * v * (n + v),
        .n_unit = 0.5 * o * (o + 1.0),
        .kept = 0.5 * o * o * n * n / n_batch,
        .sent = 0.5 * o * o * n * n,
        .n_message = 0.5 * o * o / hf_mp2_pairs_at_a_time(size->n_function, size->n_thread),
    };
}

/** Bytes of this rank's integrals. */
static double kept_bytes(const struct hf_mp2 *mp2, const struct hf_mp2_half *half)
{
    const int64_t n_pair =
        hf_mp2_triangle(hf_mp2_batch_end(mp2)) - hf_mp2_triangle(hf_mp2_batch_begin(mp2));
    double sum = 0.0;
    for (int64_t t = 0; t < half->n_task; t++)
        sum += (double)hf_mp2_shells_size(mp2->merged, half->task[t].m, half->task[t].n);
    return sum * (double)n_pair * sizeof(double);
}

static hf_status do_batch(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct hf_mp2_half half = {0};
    pthread_mutex_init(&half.lock, NULL);
    HF_TRY(hf_mp2_shells_first(mp2, &half, error));
    mp2->result->bytes = fmax(mp2->result->bytes, kept_bytes(mp2, &half));
    HF_TRY(hf_mp2_shells_second(mp2, &half, error));
cleanup:
    hf_arena_done(&mp2->stored);
    pthread_mutex_destroy(&half.lock);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_of_pairs = {
    .name = "pairs",
    .about = "two shells of different electrons at a time; (iM|jN) kept and sent once",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), Fig. "
            "10.2",
    .reproducible = true,
    .words = words,
    .effort = effort,
    .batch = do_batch,
};
