/* Rates of digestion; see roofline.h. */
#include "roofline.h"

#include "bench.h"

#include "digest/digest.h"
#include "hf/timer.h"

#include <stdlib.h>

/** Densities and sums of one strip, in rows of n_b and of n_atom. */
struct blocks {
    double *number; /**< all of them */
    struct hf_strip_job job;
};

/** False: no memory. */
static bool create_blocks(const struct hf_digest_case *which, struct blocks *blocks)
{
    const size_t n_a = (size_t)which->n_a, n_b = (size_t)which->n_b, n_c = (size_t)which->n_c,
                 n_d = (size_t)which->n_d;
    struct hf_strip_job *job = &blocks->job;
    const struct {
        const double **density;
        double **sum;
        size_t n;
    } block[] = {{&job->D_ab, &job->J_ab, n_a * n_b}, {&job->D_cd, &job->J_cd, n_c * n_d},
                 {&job->D_ac, &job->K_ac, n_a * n_c}, {&job->D_ad, &job->K_ad, n_a * n_d},
                 {&job->D_bc, &job->K_bc, n_b * n_c}, {&job->D_bd, &job->K_bd, n_b * n_d}};
    enum { N_BLOCK = sizeof block / sizeof *block };
    size_t n_number = 0;
    for (int i = 0; i < N_BLOCK; i++) n_number += block[i].n + HF_STRIP_SLACK;
    double *at = blocks->number = calloc(2 * n_number, sizeof *at);
    if (at == NULL) return false;
    for (size_t i = 0; i < n_number; i++) at[i] = 0.5;
    for (int i = 0; i < N_BLOCK; i++) { /* densities first, then sums in the same order */
        *block[i].density = at;
        *block[i].sum = at + n_number;
        at += block[i].n + HF_STRIP_SLACK;
    }
    return true;
}

double hf_roofline_digest(const struct hf_digest_case *which, size_t n_bytes, const void *buffer,
                          int n_round, double *n_integral)
{
    hf_digest_strip_function *digest = hf_digest_choose(false);
    const size_t n_number =
        (size_t)which->n_a * (size_t)which->n_b * (size_t)which->n_c * (size_t)which->n_d;
    const size_t n_strip = n_bytes / (n_number * (which->single ? sizeof(float) : sizeof(double)));
    struct blocks blocks;
    if (!create_blocks(which, &blocks)) return -1.0;
    struct hf_digest_strip strip = {.n_a = which->n_a,
                                    .n_b = which->n_b,
                                    .n_c = which->n_c,
                                    .n_d = which->n_d,
                                    .density_leading_b = (size_t)which->n_b,
                                    .density_leading_c = (size_t)which->n_c,
                                    .density_leading_d = (size_t)which->n_d,
                                    .leading_b = (size_t)which->n_b,
                                    .leading_c = (size_t)which->n_c,
                                    .leading_d = (size_t)which->n_d,
                                    .n_job = 1,
                                    .job = &blocks.job};
    const double begin = hf_thread_seconds();
    for (int k = 0; k < n_round; k++) {
        for (size_t i = 0; i < n_strip; i++) {
            if (which->single)
                strip.single = (const float *)buffer + i * n_number;
            else
                strip.value = (const double *)buffer + i * n_number;
            digest(&strip);
        }
    }
    const double seconds = hf_thread_seconds() - begin;
    *n_integral = (double)n_round * (double)n_strip * (double)n_number;
    free(blocks.number);
    return seconds;
}
