/* How many batches of orbitals fit into memory. */
#include "mp2_private.h"

#include <math.h>

/** Of what ranks compute of (ia|rs) the one with the most has this times the mean. */
static const double IMBALANCE = 1.15;

/** Orbitals of both spins, the longest rows over virtual ones. */
static double sum_of(const struct hf_mp2_size *size, size_t *longest)
{
    double n = 0.0;
    *longest = 0;
    for (int spin = 0; spin < size->n_spin; spin++) {
        const size_t length = hf_padded(size->n_virtual[spin]);
        n += size->n_correlated[spin];
        if (length > *longest) *longest = length;
    }
    return n;
}

struct hf_mp2_need hf_mp2_plan(const struct hf_mp2_size *size, double memory_bytes)
{
    size_t longest;
    const double n_i = sum_of(size, &longest), n = size->n_function, length = (double)longest;
    const double n_rank = size->n_rank, n_thread = fmax(1.0, size->n_thread);
    const double uneven = size->n_rank > 1 ? IMBALANCE : 1.0;
    const double row = (double)hf_padded(size->n_function);
    const double word = sizeof(double);
    const double orbitals = word * n * (2.0 * n_i + size->n_spin * length + n);
    const double first = word * n_thread * n * (size->most_functions * row + 2.0 * n_i);
    const double sent = size->n_rank > 1 ? 1.0 + uneven / n_rank : 0.0;
    const double second = word * (n * HF_MP2_MOST_J * length + n_thread * 2.0 * length * n +
                                  sent * size->n_row * length);
    const double fixed = orbitals + fmax(first, second);
    const double of_one = uneven * word * size->n_row * length / n_rank;
    struct hf_mp2_need need = {.n_batch = 0, .least = fixed + of_one};
    double most = n_i; /* orbitals of a batch */
    if (need.least > memory_bytes) return need;
    if (fixed + n_i * of_one > memory_bytes) most = floor((memory_bytes - fixed) / of_one);
    need.n_batch = most > 0.0 ? (int)ceil(n_i / most) : 1;
    need.rank = fixed + ceil(n_i / need.n_batch) * of_one;
    return need;
}

hf_status hf_mp2_refuse(const struct hf_mp2_need *need, double memory_bytes, struct hf_error *error)
{
    const double megabytes = ceil(1e-6 * need->least);
    return hf_fail(error, HF_NO_RESOURCE,
                   "MP2 needs at least %.0f MB per rank and may take %.0f MB; expected --memory "
                   "'%.0f MB' or more, or more ranks",
                   megabytes, 1e-6 * memory_bytes, megabytes);
}
