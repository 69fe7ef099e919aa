/* A shell quartet's contributions to J and K; compiled once per instruction set (HF_DIGEST names
 * the table). */
#include "digest.h"

#include <stdbool.h>

enum { MAX_FUNCTION = (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

/** One pair of functions a, b with all of c, d: x is [c][d]. Sums over d stay in registers. */
struct row_sums {
    double D_ad[MAX_FUNCTION], D_bd[MAX_FUNCTION], K_ad[MAX_FUNCTION], K_bd[MAX_FUNCTION];
};

/** Adds a quartet [a][b][c][d] with n_d functions in d. With (ab|cd) = x and the six blocks of book
 *  Fig. 8.2:
 *      J_ab += x D_cd   J_cd += x D_ab
 *      K_ac += x D_bd   K_ad += x D_bc   K_bc += x D_ad   K_bd += x D_ac
 *  Called with constants for n_d and the flags, so that the loops over d unroll. */
static inline __attribute__((always_inline)) void
digest_sized(const struct hf_digest_quartet *q, size_t n, const struct hf_digest_matrices *job,
             const int n_d, const bool want_j, const bool want_k)
{
    const double *x = q->value;
    const double *D = job->density, weight = q->degeneracy;
    double *J = job->coulomb, *K = job->exchange;
    const size_t d_0 = (size_t)q->first[3];
    for (int i = 0; i < q->n[0]; i++) {
        const size_t a = (size_t)(q->first[0] + i) * n;
        for (int j = 0; j < q->n[1]; j++) {
            const size_t b = (size_t)(q->first[1] + j) * n;
            const double D_ab = weight * D[a + (size_t)(q->first[1] + j)];
            struct row_sums row;
            double j_ab = 0.0;
            for (int l = 0; l < n_d; l++) {
                row.D_ad[l] = weight * D[a + d_0 + l];
                row.D_bd[l] = weight * D[b + d_0 + l];
                row.K_ad[l] = row.K_bd[l] = 0.0;
            }
            for (int k = 0; k < q->n[2]; k++, x += n_d) {
                const size_t c = (size_t)(q->first[2] + k);
                const double *D_cd = D + c * n + d_0;
                if (want_j) {
                    double *J_cd = J + c * n + d_0;
                    for (int l = 0; l < n_d; l++) {
                        j_ab += x[l] * D_cd[l];
                        J_cd[l] += x[l] * D_ab;
                    }
                }
                if (want_k) {
                    const double D_ac = weight * D[a + c], D_bc = weight * D[b + c];
                    double k_ac = 0.0, k_bc = 0.0;
                    for (int l = 0; l < n_d; l++) {
                        k_ac += x[l] * row.D_bd[l];
                        k_bc += x[l] * row.D_ad[l];
                        row.K_ad[l] += x[l] * D_bc;
                        row.K_bd[l] += x[l] * D_ac;
                    }
                    K[a + c] += k_ac;
                    K[b + c] += k_bc;
                }
            }
            if (want_j) J[a + (size_t)(q->first[1] + j)] += weight * j_ab;
            if (!want_k) continue;
            for (int l = 0; l < n_d; l++) {
                K[a + d_0 + l] += row.K_ad[l];
                K[b + d_0 + l] += row.K_bd[l];
            }
        }
    }
}

static void digest_one(const struct hf_digest_quartet *q, size_t n,
                       const struct hf_digest_matrices *job)
{
    if (job->coulomb == NULL || job->exchange == NULL) {
        digest_sized(q, n, job, q->n[3], job->coulomb != NULL, job->exchange != NULL);
        return;
    }
    switch (q->n[3]) {
    case 1: digest_sized(q, n, job, 1, true, true); break;
    case 3: digest_sized(q, n, job, 3, true, true); break;
    case 5: digest_sized(q, n, job, 5, true, true); break;
    case 6: digest_sized(q, n, job, 6, true, true); break;
    case 7: digest_sized(q, n, job, 7, true, true); break;
    default: digest_sized(q, n, job, q->n[3], true, true);
    }
}

static void digest(const struct hf_digest_quartet *quartet, int n_function, int n_job,
                   const struct hf_digest_matrices job[])
{
    struct hf_digest_quartet q = *quartet;
    if (q.n[3] == 1) { /* [c][1] is [1][c]: keep the loop over d the long one */
        q.n[3] = quartet->n[2];
        q.first[3] = quartet->first[2];
        q.n[2] = 1;
        q.first[2] = quartet->first[3];
    }
    for (int i = 0; i < n_job; i++) digest_one(&q, (size_t)n_function, &job[i]);
}

const struct hf_digest_kernels HF_DIGEST = {.digest = digest};
