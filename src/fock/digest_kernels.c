/* A shell quartet's contributions to J and K; compiled once per instruction set (HF_DIGEST names
 * the table). */
#include "digest.h"
#include "digest_lanes.h"

enum { MAX_FUNCTION = HF_MAX_SHELL_FUNCTION };

/** One pair of functions a, b with all of c, d: x is [c][d]. Sums over d stay in registers. */
struct row_sums {
    double D_ad[MAX_FUNCTION], D_bd[MAX_FUNCTION], K_ad[MAX_FUNCTION], K_bd[MAX_FUNCTION];
};

/** Adds a quartet [a][b][c][d] with n_d functions in d. With (ab|cd) = x and the six blocks of book
 *  Fig. 8.2:
 *      J_ab += x D_cd   J_cd += x D_ab
 *      K_ac += x D_bd   K_ad += x D_bc   K_bc += x D_ad   K_bd += x D_ac
 *  Called with constants for n_d, the flags and, where there is one job, the steps from element to
 *  element, so that the loops over d unroll. */
static inline __attribute__((always_inline)) void
digest_sized(const struct hf_digest_quartet *q, const struct hf_digest_blocks *block, const int n_d,
             const bool want_j, const bool want_k, const size_t step, const size_t j_step,
             const size_t k_step)
{
    const double *x = q->value;
    const double weight = q->degeneracy;
    const size_t ld_b = q->leading[1], ld_c = q->leading[2], ld_d = q->leading[3];
    const size_t density_b = q->density_leading[1], density_c = q->density_leading[2];
    const size_t density_d = q->density_leading[3];
    for (size_t i = 0; i < (size_t)q->n[0]; i++) {
        for (size_t j = 0; j < (size_t)q->n[1]; j++) {
            struct row_sums row;
            double j_ab = 0.0, D_ab = 0.0;
            if (want_j) D_ab = weight * block->D_ab[(i * density_b + j) * step];
            if (want_k) {
                for (size_t l = 0; l < (size_t)n_d; l++) {
                    row.D_ad[l] = weight * block->D_ad[(i * density_d + l) * step];
                    row.D_bd[l] = weight * block->D_bd[(j * density_d + l) * step];
                    row.K_ad[l] = row.K_bd[l] = 0.0;
                }
            }
            for (size_t k = 0; k < (size_t)q->n[2]; k++, x += n_d) {
                if (want_j) {
                    const double *D_cd = block->D_cd + k * density_d * step;
                    double *J_cd = block->J_cd + k * ld_d * j_step;
                    for (size_t l = 0; l < (size_t)n_d; l++) {
                        j_ab += x[l] * D_cd[l * step];
                        J_cd[l * j_step] += x[l] * D_ab;
                    }
                }
                if (want_k) {
                    const double D_ac = weight * block->D_ac[(i * density_c + k) * step];
                    const double D_bc = weight * block->D_bc[(j * density_c + k) * step];
                    double k_ac = 0.0, k_bc = 0.0;
                    for (size_t l = 0; l < (size_t)n_d; l++) {
                        k_ac += x[l] * row.D_bd[l];
                        k_bc += x[l] * row.D_ad[l];
                        row.K_ad[l] += x[l] * D_bc;
                        row.K_bd[l] += x[l] * D_ac;
                    }
                    block->K_ac[(i * ld_c + k) * k_step] += k_ac;
                    block->K_bc[(j * ld_c + k) * k_step] += k_bc;
                }
            }
            if (want_j) block->J_ab[(i * ld_b + j) * j_step] += weight * j_ab;
            if (!want_k) continue;
            for (size_t l = 0; l < (size_t)n_d; l++) {
                block->K_ad[(i * ld_d + l) * k_step] += row.K_ad[l];
                block->K_bd[(j * ld_d + l) * k_step] += row.K_bd[l];
            }
        }
    }
}

/** J or K alone: most quartets of distant pairs add to J only. */
static void digest_one(const struct hf_digest_quartet *q, const struct hf_digest_blocks *block)
{
    const int n_d = q->n[3];
    if (block->J_ab == NULL) {
        digest_sized(q, block, n_d, false, true, 1, 1, 1);
        return;
    }
    switch (n_d) {
    case 1: digest_sized(q, block, 1, true, false, 1, 1, 1); break;
    case 3: digest_sized(q, block, 3, true, false, 1, 1, 1); break;
    case 5: digest_sized(q, block, 5, true, false, 1, 1, 1); break;
    default: digest_sized(q, block, n_d, true, false, 1, 1, 1);
    }
}

/** J or K where other densities stand beside. */
static void digest_beside(const struct hf_digest_quartet *q, const struct hf_digest_blocks *block)
{
    const size_t step = q->density_step, j_step = q->coulomb_step, k_step = q->exchange_step;
    const int n_d = q->n[3];
    if (block->J_ab == NULL) {
        digest_sized(q, block, n_d, false, true, step, j_step, k_step);
        return;
    }
    switch (n_d) {
    case 1: digest_sized(q, block, 1, true, false, step, j_step, k_step); break;
    case 3: digest_sized(q, block, 3, true, false, step, j_step, k_step); break;
    case 4: digest_sized(q, block, 4, true, false, step, j_step, k_step); break;
    case 5: digest_sized(q, block, 5, true, false, step, j_step, k_step); break;
    default: digest_sized(q, block, n_d, true, false, step, j_step, k_step);
    }
}

static void digest(const struct hf_digest_quartet *q, const struct hf_digest_blocks *block)
{
    if (q->density_step > 1) { /* J or K, never both */
        digest_beside(q, block);
        return;
    }
    if (block->J_ab == NULL || block->K_ac == NULL) {
        digest_one(q, block);
        return;
    }
    switch (q->n[3]) {
    case 1: digest_sized(q, block, 1, true, true, 1, 1, 1); break;
    case 2: digest_sized(q, block, 2, true, true, 1, 1, 1); break;
    case 3: digest_sized(q, block, 3, true, true, 1, 1, 1); break;
    case 4: digest_sized(q, block, 4, true, true, 1, 1, 1); break;
    case 5: digest_sized(q, block, 5, true, true, 1, 1, 1); break;
    case 6: digest_sized(q, block, 6, true, true, 1, 1, 1); break;
    case 7: digest_sized(q, block, 7, true, true, 1, 1, 1); break;
    default: digest_sized(q, block, q->n[3], true, true, 1, 1, 1);
    }
}

/** Element `at` of two densities or sums. */
static inline beside two_at(const double *block, size_t at, size_t step)
{
    return *(const beside *)(const void *)(block + at * step);
}

static inline void add_two(double *block, size_t at, size_t step, beside x)
{
    *(beside *)(void *)(block + at * step) += x;
}

/** K of two densities, otherwise as digest_sized. */
ALWAYS_INLINE void exchange_of_two(const struct hf_digest_quartet *q,
                                   const struct hf_digest_blocks *block, const int n_d,
                                   const size_t step, const size_t k_step)
{
    const double *x = q->value;
    const double weight = q->degeneracy;
    const size_t ld_c = q->leading[2], ld_d = q->leading[3];
    const size_t density_c = q->density_leading[2], density_d = q->density_leading[3];
    beside D_ad[MAX_FUNCTION], D_bd[MAX_FUNCTION], K_ad[MAX_FUNCTION], K_bd[MAX_FUNCTION];
    for (size_t i = 0; i < (size_t)q->n[0]; i++) {
        for (size_t j = 0; j < (size_t)q->n[1]; j++) {
            for (size_t l = 0; l < (size_t)n_d; l++) {
                D_ad[l] = weight * two_at(block->D_ad, i * density_d + l, step);
                D_bd[l] = weight * two_at(block->D_bd, j * density_d + l, step);
                K_ad[l] = K_bd[l] = (beside){0.0, 0.0};
            }
            for (size_t k = 0; k < (size_t)q->n[2]; k++, x += n_d) {
                const beside D_ac = weight * two_at(block->D_ac, i * density_c + k, step);
                const beside D_bc = weight * two_at(block->D_bc, j * density_c + k, step);
                beside k_ac = {0.0, 0.0}, k_bc = {0.0, 0.0};
                for (size_t l = 0; l < (size_t)n_d; l++) {
                    k_ac += x[l] * D_bd[l];
                    k_bc += x[l] * D_ad[l];
                    K_ad[l] += x[l] * D_bc;
                    K_bd[l] += x[l] * D_ac;
                }
                add_two(block->K_ac, i * ld_c + k, k_step, k_ac);
                add_two(block->K_bc, j * ld_c + k, k_step, k_bc);
            }
            for (size_t l = 0; l < (size_t)n_d; l++) {
                add_two(block->K_ad, i * ld_d + l, k_step, K_ad[l]);
                add_two(block->K_bd, j * ld_d + l, k_step, K_bd[l]);
            }
        }
    }
}

static void digest_two(const struct hf_digest_quartet *q, const struct hf_digest_blocks *block)
{
    const size_t step = q->density_step, k_step = q->exchange_step;
    switch (q->n[3]) {
    case 1: exchange_of_two(q, block, 1, step, k_step); break;
    case 3: exchange_of_two(q, block, 3, step, k_step); break;
    case 4: exchange_of_two(q, block, 4, step, k_step); break;
    case 5: exchange_of_two(q, block, 5, step, k_step); break;
    default: exchange_of_two(q, block, q->n[3], step, k_step);
    }
}

const struct hf_digest_kernels HF_DIGEST = {.digest = digest,
                                            .digest_two = digest_two,
                                            .digest_lanes = digest_lanes,
                                            .digest_strip = HF_DIGEST_STRIP};
