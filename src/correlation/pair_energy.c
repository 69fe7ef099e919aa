/* The last two quarters of a pair of orbitals, and its energy. */
#include "mp2_private.h"

#include "hf/timer.h"
#include "text/trace.h"
#include "work/pass.h"

#include <math.h>

/** Largest number of virtual orbitals of a spin. */
static int most_virtual(const struct hf_mp2 *mp2)
{
    int most = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        if (mp2->orbitals[spin].n_virtual > most) most = mp2->orbitals[spin].n_virtual;
    return most;
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
    hf_mp2_add_energy(mp2, i, j, opposite, same);
}

void hf_mp2_add_energy(struct hf_mp2 *mp2, struct hf_mp2_orbital i, struct hf_mp2_orbital j,
                       double opposite, double same)
{
    const double weight = mp2->n_spin == 1 && i.index != j.index ? 2.0 : 1.0;
    if (i.spin == j.spin) {
        const size_t place = (size_t)i.index * ((size_t)i.index + 1) / 2 + (size_t)j.index;
        /* an orbital and itself are no pair of the same spin */
        if (i.index != j.index) mp2->energy.same[i.spin][place] += weight * (opposite - same);
        if (mp2->n_spin == 1) mp2->energy.opposite[place] += weight * opposite;
    } else {
        const int alpha = i.spin == 0 ? i.index : j.index, beta = i.spin == 0 ? j.index : i.index;
        const size_t n_beta = (size_t)mp2->orbitals[1].n_occupied;
        mp2->energy.opposite[(size_t)alpha * n_beta + (size_t)beta] += opposite;
    }
}

/* ---- The last two quarters ------------------------------------------------------------------- */

/** The pairs of this rank. */
struct pairs {
    struct hf_mp2 *mp2;
    struct hf_mp2_pair (*pair)(const void *data, int64_t k);
    const void *data;
};

/** Data of a thread that finishes pairs. */
struct finisher {
    const struct pairs *pairs;
    const double **row;     /**< [n] rows of X */
    double *half, *packed;  /**< (ia|jN); the same, packed as left matrix */
    double *integrals;      /**< (ia|jb) */
    double n_flop, seconds; /**< for matrix products */
};

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct finisher *own = self;
    const struct pairs *pairs = data;
    const int n = pairs->mp2->merged->n_function, most = most_virtual(pairs->mp2);
    (void)error;
    own->pairs = pairs;
    HF_TAKE(&thread->arena, own->row, (size_t)n);
    HF_TAKE(&thread->arena, own->half, (size_t)most * hf_padded(n));
    HF_TAKE(&thread->arena, own->packed, hf_packed_size(most, n));
    HF_TAKE(&thread->arena, own->integrals, (size_t)most * hf_mp2_longest(pairs->mp2));
    return HF_OK;
}

/** Two products, n n v and n v v operations. */
static void finish_pair(struct finisher *own, const struct hf_mp2_pair *pair)
{
    struct hf_mp2 *mp2 = own->pairs->mp2;
    const struct hf_mp2_orbitals *one = &mp2->orbitals[pair->i.spin],
                                 *other = &mp2->orbitals[pair->j.spin];
    const int n = mp2->merged->n_function;
    const size_t length = hf_padded(n);
    const double start = hf_thread_seconds();
    for (int k = 0; k < n; k++) own->row[k] = pair->x_mn + (size_t)k * length;
    mp2->multiply(&(struct hf_product){.n_row = one->n_virtual,
                                       .n_inner = n,
                                       .n_column = length,
                                       .left = one->packed_virtuals,
                                       .right = own->row,
                                       .to = own->half,
                                       .to_step = length});
    hf_pack(one->n_virtual, n, own->half, length, 1, own->packed);
    mp2->multiply(&(struct hf_product){.n_row = one->n_virtual,
                                       .n_inner = n,
                                       .n_column = other->length,
                                       .left = own->packed,
                                       .right = other->row,
                                       .to = own->integrals,
                                       .to_step = other->length});
    hf_mp2_add_pair(mp2, pair->i, pair->j, own->integrals);
    own->n_flop += 2.0 * n * (double)one->n_virtual * (n + other->n_virtual);
    own->seconds += hf_thread_seconds() - start;
}

/** hf_pass.item */
static hf_status do_pair(void *self, struct hf_pass_thread *thread, int64_t k,
                         struct hf_error *error)
{
    struct finisher *own = self;
    const double start = hf_wall_seconds(), begun = hf_thread_seconds();
    const struct hf_mp2_pair pair = own->pairs->pair(own->pairs->data, k);
    (void)error;
    if (pair.x_mn == NULL) return HF_OK;
    finish_pair(own, &pair);
    hf_trace_add(own->pairs->mp2->context->trace, thread->number, HF_TRACE_PAIR_TASK, pair.number,
                 start, hf_thread_seconds() - begun);
    return HF_OK;
}

/** hf_pass.end */
static void end(void *self, void *data)
{
    const struct finisher *own = self;
    struct hf_mp2_result *result = ((const struct pairs *)data)->mp2->result;
    result->n_flop[1] += own->n_flop;
    result->cpu_seconds[1] += own->seconds;
}

hf_status hf_mp2_finish_pairs(struct hf_mp2 *mp2, int64_t n,
                              struct hf_mp2_pair (*pair)(const void *data, int64_t k),
                              const void *data, struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "the pairs of orbitals",
                                        .own_bytes = sizeof(struct finisher),
                                        .begin = begin,
                                        .item = do_pair,
                                        .end = end};
    struct hf_context *context = mp2->context;
    struct pairs pairs = {mp2, pair, data};
    hf_timer_start(&context->timers, &hf_phase_mp2_second);
    hf_status status = hf_pass_items(context, mp2->n_thread, n, &pass, &pairs, error);
    hf_timer_stop(&context->timers, &hf_phase_mp2_second);
    hf_timer_start(&context->timers, &hf_phase_mp2_wait);
    status = hf_agree_to_go_on(context, status, error);
    hf_timer_stop(&context->timers, &hf_phase_mp2_wait);
    return status;
}
