/* The algorithm "kets". Integrals are computed by shell pairs RS, each with all its kets MN, and both indices of
 * the ket are transformed at once, so that no number is ever added to by two threads or ranks:
 *
 *     first half    RS by the scheduler: (mn|rs) -> (in|rs) -> (ia|rs)       kept where it was computed
 *     exchange      all (ia|rs) of one i go to one rank, in large messages
 *     second half   there: (ia|rs) -> (ia|js) -> (ia|jb) for j <= i, energies of the pairs
 *
 * Integrals are computed twice. o v n^2/2 numbers are kept on all ranks together, and sent once. */
#include "mp2_private.h"

#include <math.h>

static struct hf_mp2_words words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function;
    const double length = hf_mp2_size_longest(size);
    const double n_rank = size->n_rank, n_thread = fmax(1.0, size->n_thread);
    const double uneven = size->n_rank > 1 ? HF_MP2_IMBALANCE : 1.0;
    const double row = (double)hf_padded(size->n_function);
    const double first = n_thread * n * (size->most_functions * row + 2.0 * n_i);
    const double sent = size->n_rank > 1 ? 1.0 + uneven / n_rank : 0.0;
    const double second =
        n * HF_MP2_MOST_J * length + n_thread * 2.0 * length * n + sent * size->n_row * length;
    return (struct hf_mp2_words){.work = fmax(first, second),
                                 .kept = uneven * size->n_row * length * n_i / n_rank};
}

/** Bytes of this rank's blocks. */
static double stored_bytes(const struct hf_mp2 *mp2)
{
    const int last = mp2->n_spin - 1;
    double sum = 0.0;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++)
        if (mp2->block[k] != NULL)
            sum +=
                (double)hf_mp2_place(mp2, last, mp2->batch.end[last], hf_mp2_n_row(mp2->pairs, k));
    return sum * sizeof(double);
}

static hf_status do_batch(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    HF_TRY(hf_mp2_first_half(mp2, error));
    mp2->result->bytes = fmax(mp2->result->bytes, stored_bytes(mp2));
    HF_TRY(hf_mp2_second_half(mp2, error));
cleanup:
    hf_mp2_drop_blocks(mp2);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_kets = {
    .name = "kets",
    .about = "each pair of shells with all its kets; (ia|rs) kept and sent once",
    .words = words,
    .batch = do_batch,
};
