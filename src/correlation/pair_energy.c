/* The last two quarters of a pair of orbitals, and its energy. */
#include "mp2_private.h"

#include "hf/timer.h"

#include <math.h>

/** Most virtual orbitals of a spin. */
static int most_virtual(const struct hf_mp2 *mp2)
{
    int most = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        if (mp2->orbitals[spin].n_virtual > most) most = mp2->orbitals[spin].n_virtual;
    return most;
}

bool hf_mp2_scratch_init(const struct hf_mp2 *mp2, struct hf_mp2_scratch *scratch)
{
    struct hf_memory *memory = mp2->context->memory;
    const int n = mp2->merged->n_function, most = most_virtual(mp2);
    scratch->half = hf_memory_allocate_matrix(memory, "integrals (ia|jN)",
                                              (size_t)most * hf_padded(n), sizeof(double));
    scratch->packed = hf_memory_allocate_matrix(memory, "integrals (ia|jN)",
                                                hf_packed_size(most, n), sizeof(double));
    scratch->integrals = hf_memory_allocate_matrix(
        memory, "integrals (ia|jb)", (size_t)most * hf_mp2_longest(mp2), sizeof(double));
    return scratch->half != NULL && scratch->packed != NULL && scratch->integrals != NULL;
}

void hf_mp2_scratch_done(const struct hf_mp2 *mp2, struct hf_mp2_scratch *scratch)
{
    struct hf_memory *memory = mp2->context->memory;
    hf_memory_release(memory, scratch->half);
    hf_memory_release(memory, scratch->packed);
    hf_memory_release(memory, scratch->integrals);
    mp2->result->n_flop[1] += scratch->n_flop;
    mp2->result->cpu_seconds[1] += scratch->seconds;
    *scratch = (struct hf_mp2_scratch){0};
}

double hf_mp2_scratch_words(const struct hf_mp2_size *size)
{
    const double length = hf_mp2_size_longest(size);
    return length * (2.0 * (double)hf_padded(size->n_function) + length);
}

void hf_mp2_add_pair(struct hf_mp2 *mp2, struct hf_mp2_orbital i, struct hf_mp2_orbital j,
                     const double *k_ab)
{
    const struct hf_mp2_orbitals *one = &mp2->orbitals[i.spin], *other = &mp2->orbitals[j.spin];
    const double e_ij = one->occupied_energy[i.index] + other->occupied_energy[j.index];
    const bool alike = i.spin == j.spin;
    const double weight = mp2->n_spin == 1 && i.index != j.index ? 2.0 : 1.0;
    double same = 0.0, opposite = 0.0;
    for (int a = 0; a < one->n_virtual; a++) {
        const double *row = k_ab + (size_t)a * other->length;
        const double e_ija = e_ij - one->virtual_energy[a];
        for (int b = 0; b < other->n_virtual; b++) {
            const double of_d = row[b] / (e_ija - other->virtual_energy[b]);
            opposite += row[b] * of_d;
            if (alike) same += k_ab[(size_t)b * other->length + (size_t)a] * of_d;
        }
    }
    if (alike) {
        const size_t place = (size_t)i.index * ((size_t)i.index + 1) / 2 + (size_t)j.index;
        /* an orbital makes no pair of the same spin with itself */
        mp2->energy.same[i.spin][place] = i.index == j.index ? 0.0 : weight * (opposite - same);
        if (mp2->n_spin == 1) mp2->energy.opposite[place] = weight * opposite;
    } else {
        const int alpha = i.spin == 0 ? i.index : j.index, beta = i.spin == 0 ? j.index : i.index;
        const size_t n_beta = (size_t)mp2->orbitals[1].n_occupied;
        mp2->energy.opposite[(size_t)alpha * n_beta + (size_t)beta] = opposite;
    }
}

void hf_mp2_finish_pair(struct hf_mp2 *mp2, struct hf_mp2_scratch *scratch, struct hf_mp2_orbital i,
                        struct hf_mp2_orbital j, const double *const x_mn[])
{
    const struct hf_mp2_orbitals *one = &mp2->orbitals[i.spin], *other = &mp2->orbitals[j.spin];
    const int n = mp2->merged->n_function;
    const size_t length = hf_padded(n);
    const double start = hf_thread_seconds();
    mp2->multiply(&(struct hf_product){.n_row = one->n_virtual,
                                       .n_inner = n,
                                       .n_column = length,
                                       .left = one->packed_virtuals,
                                       .right = x_mn,
                                       .to = scratch->half,
                                       .to_step = length});
    hf_pack(one->n_virtual, n, scratch->half, length, 1, scratch->packed);
    mp2->multiply(&(struct hf_product){.n_row = one->n_virtual,
                                       .n_inner = n,
                                       .n_column = other->length,
                                       .left = scratch->packed,
                                       .right = other->row,
                                       .to = scratch->integrals,
                                       .to_step = other->length});
    hf_mp2_add_pair(mp2, i, j, scratch->integrals);
    scratch->n_flop += 2.0 * n * (double)one->n_virtual * (n + other->n_virtual);
    scratch->seconds += hf_thread_seconds() - start;
}
