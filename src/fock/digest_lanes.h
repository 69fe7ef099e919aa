/* Contributions of HF_LANES quartets with one bra to J and K at once. Part of digest_kernels.c.
 *
 * Two densities at a time: their integrals are read once, and since the two elements of a block stand
 * side by side, gathering and scattering, which take longer than the arithmetic of small shells, move
 * both as one. */
#ifndef HF_DIGEST_LANES_H
#define HF_DIGEST_LANES_H

#include "digest.h"
#include "hf/lanes.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { MAX_BESIDE = HF_MAX_BESIDE };

/** Where the two elements of a lane go together. */
typedef double beside __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));

/** Element `at` of eight rows, of n_beside = 1 or 2 densities. */
ALWAYS_INLINE void load_element(const double *const row[], size_t at, const int n_beside,
                                lanes out[])
{
#ifdef __AVX512F__
    if (n_beside == 2) {
        typedef double four __attribute__((vector_size(4 * sizeof(double))));
        four half[4];
        for (int h = 0; h < 4; h++) {
            const beside x = *(const beside *)(const void *)(row[2 * h] + at);
            const beside y = *(const beside *)(const void *)(row[2 * h + 1] + at);
            half[h] = __builtin_shufflevector(x, y, 0, 1, 2, 3);
        }
        const lanes low = __builtin_shufflevector(half[0], half[1], 0, 1, 2, 3, 4, 5, 6, 7);
        const lanes high = __builtin_shufflevector(half[2], half[3], 0, 1, 2, 3, 4, 5, 6, 7);
        out[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
        out[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
        return;
    }
#endif
    for (int s = 0; s < n_beside; s++, at++)
        out[s] = (lanes){row[0][at], row[1][at], row[2][at], row[3][at],
                         row[4][at], row[5][at], row[6][at], row[7][at]};
}

/** Densities from `first` on times their factors, [element][n_beside]. Lanes without a block, whose
 *  factors are 0, have what another one has. */
ALWAYS_INLINE void gather(const struct hf_lane_blocks *block, int first, size_t step, int n_row,
                          int n_column, const int n_beside, const lanes factor[], lanes out[])
{
    const double *row[HF_LANES];
    size_t leading[HF_LANES];
    int some = 0;
    while (block->density[some] == NULL) some++;
    for (int l = 0; l < HF_LANES; l++) {
        const int of = block->density[l] != NULL ? l : some;
        row[l] = block->density[of] + first;
        leading[l] = block->density_leading[of];
    }
    for (int r = 0; r < n_row; r++) {
        for (int c = 0; c < n_column; c++, out += n_beside) {
            load_element(row, (size_t)c * step, n_beside, out);
            for (int s = 0; s < n_beside; s++) out[s] = factor[s] * out[s];
        }
        for (int l = 0; l < HF_LANES; l++) row[l] += leading[l];
    }
}

/** Brings two sums of each lane side by side: [element][lane][2] of [element][2][lane]. */
ALWAYS_INLINE void put_beside(int n, lanes sum[])
{
    for (int e = 0; e < n; e++, sum += 2) {
        const lanes x = sum[0], y = sum[1];
#ifdef __AVX512F__
        sum[0] = __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
        sum[1] = __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
#else
        sum[0] = (lanes){x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]};
        sum[1] = (lanes){x[4], y[4], x[5], y[5], x[6], y[6], x[7], y[7]};
#endif
    }
}

/** Adds sums [element][n_beside], which are lost, to those from `first` on of their blocks. Lanes go one
 *  after the other: they may share a block. */
ALWAYS_INLINE void scatter(const struct hf_lane_blocks *block, int first, size_t step, int n_row,
                           int n_column, const int n_beside, lanes in[])
{
    if (n_beside == 2) put_beside(n_row * n_column, in);
    for (int l = 0; l < HF_LANES; l++) {
        if (block->sum[l] == NULL) continue;
        double *row = block->sum[l] + first;
        const double *from = (const double *)(const void *)in + l * n_beside;
        for (int r = 0; r < n_row; r++, row += block->leading[l]) {
            for (size_t c = 0; c < (size_t)n_column; c++, from += HF_LANES * n_beside) {
                if (n_beside == 2)
                    *(beside *)(void *)(row + c * step) += *(const beside *)(const void *)from;
                else
                    row[c * step] += *from;
            }
        }
    }
}

ALWAYS_INLINE void clear(int n, lanes x[])
{
    for (int i = 0; i < n; i++) x[i] = broadcast(0.0);
}

static inline double sum_of(lanes x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

ALWAYS_INLINE lanes load_lanes(const double x[])
{
    return *(const unaligned_lanes *)(const void *)x;
}

/** Number x of the quartets. */
ALWAYS_INLINE lanes value_at(const struct hf_digest_lanes *q, int x, bool single)
{
    if (single)
        return __builtin_convertvector(
            *(const unaligned_singles *)(const void *)(q->single + (size_t)x * HF_LANES), lanes);
    return load_lanes(q->value + (size_t)x * HF_LANES);
}

/** J_ab += x D_cd   J_cd += x D_ab, of densities `first` .. first + n_beside - 1. */
ALWAYS_INLINE void lanes_coulomb(const struct hf_digest_lanes *q, int first, const int n_beside,
                                 bool single)
{
    const int n_a = q->n[0], n_b = q->n[1], n_c = q->n[2], n_d = q->n[3];
    const int n_ab = n_a * n_b, n_cd = n_c * n_d, to = first - q->jobs.first_coulomb;
    const size_t step = (size_t)q->jobs.n, sum_step = (size_t)hf_n_coulomb(&q->jobs);
    const struct hf_lane_blocks *cd = &q->block[HF_BLOCK_CD];
    const lanes degeneracy = load_lanes(q->degeneracy),
                factor[MAX_BESIDE] = {degeneracy, degeneracy};
    lanes *D_cd = (lanes *)(void *)q->work, *J_cd = D_cd + n_cd * n_beside;
    lanes *D_ab = J_cd + n_cd * n_beside, *J_ab = D_ab + n_ab * n_beside;
    gather(cd, first, step, n_c, n_d, n_beside, factor, D_cd);
    for (int i = 0, ij = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            for (int s = 0; s < n_beside; s++, ij++)
                D_ab[ij] = degeneracy * q->D_ab[(size_t)i * q->density_leading + (size_t)j * step +
                                                (size_t)(first + s)];
    clear(n_ab * n_beside, J_ab);
    for (int kl = 0, x = 0; kl < n_cd; kl++) {
        lanes D[MAX_BESIDE], J[MAX_BESIDE];
        for (int s = 0; s < n_beside; s++) {
            D[s] = D_cd[kl * n_beside + s];
            J[s] = broadcast(0.0);
        }
        for (int ij = 0; ij < n_ab; ij++, x++) {
            const lanes value = value_at(q, x, single);
            for (int s = 0; s < n_beside; s++) {
                J_ab[ij * n_beside + s] += value * D[s];
                J[s] += value * D_ab[ij * n_beside + s];
            }
        }
        for (int s = 0; s < n_beside; s++) J_cd[kl * n_beside + s] = J[s];
    }
    for (int i = 0, ij = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            for (int s = 0; s < n_beside; s++, ij++)
                q->J_ab[(size_t)i * q->leading + (size_t)j * sum_step + (size_t)(to + s)] +=
                    sum_of(J_ab[ij]);
    scatter(cd, to, sum_step, n_c, n_d, n_beside, J_cd);
}

/** Densities and sums of K: [c][a], [c][b], [d][a], [d][b], each [n_beside]. */
struct exchange_work {
    lanes *D_ca, *D_cb, *D_da, *D_db, *K_ca, *K_cb, *K_da, *K_db;
};

/** K_ca += x D_db   K_cb += x D_da   K_da += x D_cb   K_db += x D_ca. Called with a constant for n_b,
 *  where it is small: then K_cb and K_db stay in registers. */
ALWAYS_INLINE void exchange_sized(const struct hf_digest_lanes *q, const struct exchange_work *w,
                                  const int n_b, const int n_beside, bool single)
{
    const int n_a = q->n[0], n_c = q->n[2], n_d = q->n[3], n_row = n_b * n_beside;
    lanes K_c[HF_MAX_LANE_FUNCTION * MAX_BESIDE], K_d[HF_MAX_LANE_FUNCTION * MAX_BESIDE];
    for (int k = 0, x = 0; k < n_c; k++) {
        const lanes *D_c = w->D_cb + k * n_row;
        for (int j = 0; j < n_row; j++) K_c[j] = broadcast(0.0);
        for (int l = 0; l < n_d; l++) {
            const lanes *D_d = w->D_db + l * n_row;
            for (int j = 0; j < n_row; j++) K_d[j] = w->K_db[l * n_row + j];
            for (int i = 0; i < n_a; i++) {
                lanes ca[MAX_BESIDE], da[MAX_BESIDE], to_ca[MAX_BESIDE], to_da[MAX_BESIDE];
                for (int s = 0; s < n_beside; s++) {
                    const int of_c = (k * n_a + i) * n_beside + s;
                    const int of_d = (l * n_a + i) * n_beside + s;
                    ca[s] = w->D_ca[of_c];
                    da[s] = w->D_da[of_d];
                    to_ca[s] = w->K_ca[of_c];
                    to_da[s] = w->K_da[of_d];
                }
                for (int j = 0; j < n_b; j++, x++) {
                    const lanes value = value_at(q, x, single);
                    for (int s = 0; s < n_beside; s++) {
                        const int at = j * n_beside + s;
                        to_ca[s] += value * D_d[at];
                        to_da[s] += value * D_c[at];
                        K_c[at] += value * da[s];
                        K_d[at] += value * ca[s];
                    }
                }
                for (int s = 0; s < n_beside; s++) {
                    w->K_ca[(k * n_a + i) * n_beside + s] = to_ca[s];
                    w->K_da[(l * n_a + i) * n_beside + s] = to_da[s];
                }
            }
            for (int j = 0; j < n_row; j++) w->K_db[l * n_row + j] = K_d[j];
        }
        for (int j = 0; j < n_row; j++) w->K_cb[k * n_row + j] = K_c[j];
    }
}

/** K of densities `first` .. first + n_beside - 1. */
ALWAYS_INLINE void lanes_exchange(const struct hf_digest_lanes *q, int first, const int n_beside,
                                  bool single)
{
    const int n_a = q->n[0], n_b = q->n[1], n_c = q->n[2], n_d = q->n[3];
    const int ca = n_c * n_a * n_beside, cb = n_c * n_b * n_beside;
    const int da = n_d * n_a * n_beside, db = n_d * n_b * n_beside, all = ca + cb + da + db;
    const size_t step = (size_t)q->jobs.n, sum_step = (size_t)q->jobs.n_exchange;
    const struct hf_lane_blocks *block = q->block;
    lanes factor[MAX_BESIDE], *work = (lanes *)(void *)q->work, *K = work + all;
    const struct exchange_work w = {.D_ca = work,
                                    .D_cb = work + ca,
                                    .D_da = work + ca + cb,
                                    .D_db = work + ca + cb + da,
                                    .K_ca = K,
                                    .K_cb = K + ca,
                                    .K_da = K + ca + cb,
                                    .K_db = K + ca + cb + da};
    for (int s = 0; s < n_beside; s++)
        factor[s] = load_lanes(q->exchange_degeneracy[hf_group_of_job(&q->jobs, first + s)]);
    gather(&block[HF_BLOCK_CA], first, step, n_c, n_a, n_beside, factor, w.D_ca);
    gather(&block[HF_BLOCK_CB], first, step, n_c, n_b, n_beside, factor, w.D_cb);
    gather(&block[HF_BLOCK_DA], first, step, n_d, n_a, n_beside, factor, w.D_da);
    gather(&block[HF_BLOCK_DB], first, step, n_d, n_b, n_beside, factor, w.D_db);
    clear(all, K);
    switch (n_b) {
    case 1: exchange_sized(q, &w, 1, n_beside, single); break;
    case 3: exchange_sized(q, &w, 3, n_beside, single); break;
    case 4: exchange_sized(q, &w, 4, n_beside, single); break;
    case 5: exchange_sized(q, &w, 5, n_beside, single); break;
    default: exchange_sized(q, &w, n_b, n_beside, single);
    }
    scatter(&block[HF_BLOCK_CA], first, sum_step, n_c, n_a, n_beside, w.K_ca);
    scatter(&block[HF_BLOCK_CB], first, sum_step, n_c, n_b, n_beside, w.K_cb);
    scatter(&block[HF_BLOCK_DA], first, sum_step, n_d, n_a, n_beside, w.K_da);
    scatter(&block[HF_BLOCK_DB], first, sum_step, n_d, n_b, n_beside, w.K_db);
}

static __attribute__((noinline)) void one_coulomb(const struct hf_digest_lanes *q, int first)
{
    if (q->value == NULL)
        lanes_coulomb(q, first, 1, true);
    else
        lanes_coulomb(q, first, 1, false);
}

static __attribute__((noinline)) void two_coulomb(const struct hf_digest_lanes *q, int first)
{
    if (q->value == NULL)
        lanes_coulomb(q, first, 2, true);
    else
        lanes_coulomb(q, first, 2, false);
}

static __attribute__((noinline)) void one_exchange(const struct hf_digest_lanes *q, int first)
{
    if (q->value == NULL)
        lanes_exchange(q, first, 1, true);
    else
        lanes_exchange(q, first, 1, false);
}

static __attribute__((noinline)) void two_exchange(const struct hf_digest_lanes *q, int first)
{
    if (q->value == NULL)
        lanes_exchange(q, first, 2, true);
    else
        lanes_exchange(q, first, 2, false);
}

static void digest_lanes(const struct hf_digest_lanes *q)
{
    const struct hf_job_shape *jobs = &q->jobs;
    if (q->D_ab != NULL) {
        int i = jobs->first_coulomb;
        for (; i + 1 < jobs->n; i += 2) two_coulomb(q, i);
        if (i < jobs->n) one_coulomb(q, i);
    }
    for (int i = 0; i < jobs->n_exchange; i++) {
        if (!q->exchange[hf_group_of_job(jobs, i)]) continue;
        if (i + 1 < jobs->n_exchange && q->exchange[hf_group_of_job(jobs, i + 1)])
            two_exchange(q, i++);
        else
            one_exchange(q, i);
    }
}

#endif
