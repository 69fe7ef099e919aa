/* Contributions of strips to J and K. Part of digest_kernels.c. */
#ifndef HF_DIGEST_STRIPS_H
#define HF_DIGEST_STRIPS_H

#include "digest.h"

/** Number `at` of a strip times D and into J. */
static inline void strip_coulomb(const struct hf_digest_strip *s, const struct hf_strip_job *job,
                                 double x, const size_t at[4])
{
    const size_t a = at[0], b = at[1], c = at[2], d = at[3];
    if (job->J_ab == NULL) return;
    job->J_ab[a * s->leading_b + b] += x * job->D_cd[c * s->density_leading_d + d];
    job->J_cd[c * s->leading_d + d] += x * job->D_ab[a * s->density_leading_b + b];
}

/** Likewise K. */
static inline void strip_exchange(const struct hf_digest_strip *s, const struct hf_strip_job *job,
                                  double x, const size_t at[4])
{
    const size_t a = at[0], b = at[1], c = at[2], d = at[3];
    const size_t D_c = s->density_leading_c, D_d = s->density_leading_d;
    if (job->K_ac == NULL) return;
    job->K_ac[a * s->leading_c + c] += x * job->D_bd[b * D_d + d];
    job->K_ad[a * s->leading_d + d] += x * job->D_bc[b * D_c + c];
    job->K_bc[b * s->leading_c + c] += x * job->D_ad[a * D_d + d];
    job->K_bd[b * s->leading_d + d] += x * job->D_ac[a * D_c + c];
}

static void digest_strip(const struct hf_digest_strip *s)
{
    size_t at[4], i = 0;
    for (at[2] = 0; at[2] < (size_t)s->n_c; at[2]++)
        for (at[0] = 0; at[0] < (size_t)s->n_a; at[0]++)
            for (at[1] = 0; at[1] < (size_t)s->n_b; at[1]++)
                for (at[3] = 0; at[3] < (size_t)s->n_d; at[3]++, i++) {
                    const double x = s->value != NULL ? s->value[i] : (double)s->single[i];
                    for (int k = 0; k < s->n_job; k++) {
                        strip_coulomb(s, &s->job[k], x, at);
                        strip_exchange(s, &s->job[k], x, at);
                    }
                }
}

#endif
