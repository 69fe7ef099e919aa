/* The algorithm "kets". A shell pair RS is computed with all its kets MN, and both indices of the ket are
 * transformed at once. So no number has contributions from several threads or ranks:
 *
 *     first half    RS from the scheduler: (mn|rs) -> (in|rs) -> (ia|rs)     kept where computed
 *     exchange      all (ia|rs) of one i are sent to one rank, in large messages
 *     second half   on that rank: (ia|rs) -> (ia|js) -> (ia|jb) for j <= i, energies of the pairs
 *
 * Integrals are computed twice. All ranks together keep o v n^2/2 numbers, and each is sent once.
 *
 * For integrals of orbitals (hf_orbital_integrals) i, j, a and b are all orbitals that are not frozen; (ia|jb) of a <= i
 * go to rank 0 in place of energies. */
#include "mp2_response.h"
#include "panel.h"

#include <math.h>

static struct hf_mp2_words words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function;
    const double length = hf_mp2_size_longest(size);
    const double n_rank = size->n_rank, n_thread = fmax(1.0, size->n_thread);
    const double uneven = size->n_rank > 1 ? HF_MP2_IMBALANCE : 1.0;
    const double first = hf_mp2_panel_words(size, n_i) + n_thread * n * 2.0 * n_i;
    const double sent = size->n_rank > 1 ? 1.0 + uneven / n_rank : 0.0;
    const double second = n * HF_MP2_MOST_J * length + n_thread * 2.0 * length * n +
                          sent * size->n_row * length +
                          (size->integrals ? length * length * length : 0.0);
    return (struct hf_mp2_words){.work = fmax(first, second),
                                 .kept = uneven * size->n_row * length * n_i / n_rank};
}

static struct hf_mp2_effort effort(const struct hf_mp2_size *size, double n_batch)
{
    const double n = size->n_function, o = hf_mp2_size_orbitals(size), row = size->n_row;
    const double v = hf_mp2_size_longest(size), n_group = ceil(o / HF_PRODUCT_GROUP);
    /* if the ranks are more than a quarter of the orbitals, the rows of an orbital are sent to several ranks */
    const double times_sent = fmin(fmax(1.0, 4.0 * size->n_rank / o), 0.5 * (n_group + 1.0));
    return (struct hf_mp2_effort){
        .times_integrals = 2.0 * n_batch,
        .first_operations = 2.0 * row * o * n * (n + v),
        .last_operations = o * o * n * v * (n + v),
        .n_unit = o * times_sent,
        .kept = row * o * v / n_batch,
        .sent = row * o * v * times_sent,
        .n_message = o * times_sent,
    };
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

hf_status hf_mp2_batch_of_kets(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    HF_TRY(hf_mp2_first_half(mp2, error));
    mp2->result->bytes = fmax(mp2->result->bytes, stored_bytes(mp2));
    if (mp2->settings->derivatives == NULL) {
        HF_TRY(hf_mp2_second_half(mp2, error));
    } else {
        HF_TRY(hf_mp2_amplitudes(mp2, error));
        HF_TRY(hf_mp2_second_pass(mp2, error));
    }
cleanup:
    hf_mp2_drop_blocks(mp2);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_kets = {
    .name = "kets",
    .about = "each pair of shells with all its kets; (ia|rs) kept and sent once",
    .reproducible = true,
    .words = words,
    .effort = effort,
    .batch = hf_mp2_batch_of_kets,
};
