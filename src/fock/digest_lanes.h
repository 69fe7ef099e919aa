/* Contributions of HF_LANES quartets with one bra to J and K at once. Part of digest_kernels.c. */
#ifndef HF_DIGEST_LANES_H
#define HF_DIGEST_LANES_H

#include "digest.h"
#include "hf/lanes.h"

enum { MAX_LANE_BLOCK = HF_MAX_LANE_FUNCTION * HF_MAX_LANE_FUNCTION };

/** Densities or sums of the blocks of one pair of letters, lanes side by side. */
struct lane_matrix {
    lanes value[MAX_LANE_BLOCK];
};

/** Densities times the degeneracies; lanes without a block are 0. */
static inline void gather(const struct hf_lane_blocks *block, int n_row, int n_column,
                          lanes degeneracy, lanes out[])
{
    static const double nothing[HF_MAX_LANE_FUNCTION] = {0.0};
    const double *row[HF_LANES];
    size_t leading[HF_LANES];
    for (int l = 0; l < HF_LANES; l++) {
        row[l] = block->density[l] != NULL ? block->density[l] : nothing;
        leading[l] = block->density[l] != NULL ? block->density_leading[l] : 0;
    }
    for (int r = 0; r < n_row; r++) {
        for (int c = 0; c < n_column; c++) {
            const lanes x = {row[0][c], row[1][c], row[2][c], row[3][c],
                             row[4][c], row[5][c], row[6][c], row[7][c]};
            *out++ = degeneracy * x;
        }
        for (int l = 0; l < HF_LANES; l++) row[l] += leading[l];
    }
}

/** Adds sums to their blocks. Lanes go one after the other: they may share a block. */
static inline void scatter(const struct hf_lane_blocks *block, int n_row, int n_column,
                           const lanes in[])
{
    for (int l = 0; l < HF_LANES; l++) {
        double *row = block->sum[l];
        if (row == NULL) continue;
        const double *from = (const double *)(const void *)in + l;
        for (int r = 0; r < n_row; r++, row += block->leading[l])
            for (int c = 0; c < n_column; c++, from += HF_LANES) row[c] += *from;
    }
}

static inline void clear(int n, lanes x[])
{
    for (int i = 0; i < n; i++) x[i] = broadcast(0.0);
}

static inline double sum_of(lanes x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/** Number x of the quartets. */
static inline __attribute__((always_inline)) lanes value_at(const struct hf_digest_lanes *q, int x,
                                                            bool single)
{
    if (single)
        return __builtin_convertvector(
            *(const unaligned_singles *)(const void *)(q->single + (size_t)x * HF_LANES), lanes);
    return *(const unaligned_lanes *)(const void *)(q->value + (size_t)x * HF_LANES);
}

/** J_ab += x D_cd   J_cd += x D_ab */
static inline __attribute__((always_inline)) void lanes_coulomb(const struct hf_digest_lanes *q,
                                                                lanes degeneracy, bool single)
{
    const int n_a = q->n[0], n_b = q->n[1], n_c = q->n[2], n_d = q->n[3], n_ab = n_a * n_b;
    const struct hf_lane_blocks *cd = &q->block[HF_BLOCK_CD];
    struct lane_matrix D_cd, J_cd, D_ab, J_ab;
    gather(cd, n_c, n_d, degeneracy, D_cd.value);
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            D_ab.value[i * n_b + j] =
                degeneracy * q->D_ab[(size_t)i * q->density_leading + (size_t)j];
    clear(n_ab, J_ab.value);
    for (int kl = 0, x = 0; kl < n_c * n_d; kl++) {
        const lanes D = D_cd.value[kl];
        lanes J = broadcast(0.0);
        for (int ij = 0; ij < n_ab; ij++, x++) {
            const lanes value = value_at(q, x, single);
            J_ab.value[ij] += value * D;
            J += value * D_ab.value[ij];
        }
        J_cd.value[kl] = J;
    }
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            q->J_ab[(size_t)i * q->leading + (size_t)j] += sum_of(J_ab.value[i * n_b + j]);
    scatter(cd, n_c, n_d, J_cd.value);
}

/** K_ca += x D_db   K_cb += x D_da   K_da += x D_cb   K_db += x D_ca */
static inline __attribute__((always_inline)) void lanes_exchange(const struct hf_digest_lanes *q,
                                                                 lanes degeneracy, bool single)
{
    const int n_a = q->n[0], n_b = q->n[1], n_c = q->n[2], n_d = q->n[3];
    struct lane_matrix D_ca, D_cb, D_da, D_db, K_ca, K_cb, K_da, K_db;
    gather(&q->block[HF_BLOCK_CA], n_c, n_a, degeneracy, D_ca.value);
    gather(&q->block[HF_BLOCK_CB], n_c, n_b, degeneracy, D_cb.value);
    gather(&q->block[HF_BLOCK_DA], n_d, n_a, degeneracy, D_da.value);
    gather(&q->block[HF_BLOCK_DB], n_d, n_b, degeneracy, D_db.value);
    clear(n_c * n_a, K_ca.value);
    clear(n_c * n_b, K_cb.value);
    clear(n_d * n_a, K_da.value);
    clear(n_d * n_b, K_db.value);
    for (int k = 0, x = 0; k < n_c; k++) {
        const lanes *D_c = D_cb.value + k * n_b;
        lanes *K_c = K_cb.value + k * n_b;
        for (int l = 0; l < n_d; l++) {
            const lanes *D_d = D_db.value + l * n_b;
            lanes *K_d = K_db.value + l * n_b;
            for (int i = 0; i < n_a; i++) {
                const lanes ca = D_ca.value[k * n_a + i], da = D_da.value[l * n_a + i];
                lanes to_ca = K_ca.value[k * n_a + i], to_da = K_da.value[l * n_a + i];
                for (int j = 0; j < n_b; j++, x++) {
                    const lanes value = value_at(q, x, single);
                    to_ca += value * D_d[j];
                    to_da += value * D_c[j];
                    K_c[j] += value * da;
                    K_d[j] += value * ca;
                }
                K_ca.value[k * n_a + i] = to_ca;
                K_da.value[l * n_a + i] = to_da;
            }
        }
    }
    scatter(&q->block[HF_BLOCK_CA], n_c, n_a, K_ca.value);
    scatter(&q->block[HF_BLOCK_CB], n_c, n_b, K_cb.value);
    scatter(&q->block[HF_BLOCK_DA], n_d, n_a, K_da.value);
    scatter(&q->block[HF_BLOCK_DB], n_d, n_b, K_db.value);
}

static void digest_lanes(const struct hf_digest_lanes *q)
{
    const lanes degeneracy = *(const unaligned_lanes *)(const void *)q->degeneracy;
    if (q->value == NULL) {
        if (q->D_ab != NULL) lanes_coulomb(q, degeneracy, true);
        if (q->exchange) lanes_exchange(q, degeneracy, true);
    } else {
        if (q->D_ab != NULL) lanes_coulomb(q, degeneracy, false);
        if (q->exchange) lanes_exchange(q, degeneracy, false);
    }
}

#endif
