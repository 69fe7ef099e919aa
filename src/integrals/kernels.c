/* Inner loops of the two-electron engine; compiled once per instruction set (see meson.build), with
 * HF_KERNELS naming the table. Everything here works on HF_LANES primitives at a time. */
#include "kernels.h"

#include <math.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

typedef double lanes __attribute__((vector_size(HF_LANES * sizeof(double))));

/** What the recurrences need of HF_LANES primitive quartets: one of the bra, HF_LANES of the ket.
 */
struct lane_quartet {
    lanes pa[3], qc[3], wp[3], wq[3];
    lanes one_over_two_zeta, one_over_two_eta, one_over_two_sum; /**< 1/(2z), 1/(2e), 1/(2(z+e)) */
    lanes rho_over_zeta, rho_over_eta;
    lanes s[HF_BOYS_MAX_ORDER + 1]; /**< (ss|ss)^(m) */
};

static inline lanes broadcast(double x)
{
    return (lanes){x, x, x, x, x, x, x, x};
}

static inline lanes load(const double *from)
{
    return *(const lanes *)(const void *)from;
}

static inline double sum_of_lanes(lanes x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static inline lanes square_root(lanes x)
{
#ifdef __AVX512F__
    return (lanes)_mm512_sqrt_pd((__m512d)x);
#else
    for (int l = 0; l < HF_LANES; l++) x[l] = sqrt(x[l]);
    return x;
#endif
}

/** coefficient[k][lane] = row[lane][k]: one Taylor row per lane, one coefficient per vector. */
static inline void load_taylor_rows(const double *table, const int grid[HF_LANES],
                                    lanes coefficient[HF_BOYS_TERMS])
{
#ifdef __AVX512F__
    __m512d r[8], s[8], t[8];
    for (int l = 0; l < 8; l++) r[l] = _mm512_load_pd(table + (size_t)grid[l] * HF_BOYS_TERMS);
    for (int l = 0; l < 8; l += 2) {
        s[l] = _mm512_unpacklo_pd(r[l], r[l + 1]);
        s[l + 1] = _mm512_unpackhi_pd(r[l], r[l + 1]);
    }
    for (int l = 0; l < 8; l += 4) {
        t[l] = _mm512_shuffle_f64x2(s[l], s[l + 2], 0x88);
        t[l + 1] = _mm512_shuffle_f64x2(s[l + 1], s[l + 3], 0x88);
        t[l + 2] = _mm512_shuffle_f64x2(s[l], s[l + 2], 0xdd);
        t[l + 3] = _mm512_shuffle_f64x2(s[l + 1], s[l + 3], 0xdd);
    }
    /* Lane order is 0 1 4 5 | ... halves: pick so that coefficient[k] holds lanes 0..7 in order. */
    const __m512i low = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
    coefficient[0] = (lanes)_mm512_permutex2var_pd(t[0], low, t[4]);
    coefficient[4] = (lanes)_mm512_permutex2var_pd(t[0], high, t[4]);
    coefficient[1] = (lanes)_mm512_permutex2var_pd(t[1], low, t[5]);
    coefficient[5] = (lanes)_mm512_permutex2var_pd(t[1], high, t[5]);
    coefficient[2] = (lanes)_mm512_permutex2var_pd(t[2], low, t[6]);
    coefficient[6] = (lanes)_mm512_permutex2var_pd(t[2], high, t[6]);
    coefficient[3] = (lanes)_mm512_permutex2var_pd(t[3], low, t[7]);
    coefficient[7] = (lanes)_mm512_permutex2var_pd(t[3], high, t[7]);
#else
    for (int l = 0; l < HF_LANES; l++)
        for (int k = 0; k < HF_BOYS_TERMS; k++)
            coefficient[k][l] = table[(size_t)grid[l] * HF_BOYS_TERMS + k];
#endif
}

/** F_0(T) ... F_order(T) of all lanes; see hf/boys.h. Lanes beyond the tables take the asymptote,
 *  for which the downward recursion with exp(-T) = 0 is exact. */
static inline __attribute__((always_inline)) void boys_lanes(const struct hf_boys *boys, int order,
                                                             lanes T, lanes f[])
{
    const double limit = boys->limit[order];
    int grid[HF_LANES];
    lanes centre, exponential, c[HF_BOYS_TERMS];
    bool beyond = false;
    for (int l = 0; l < HF_LANES; l++) {
        const double inside = T[l] < limit ? T[l] : 0.0;
        beyond |= !(T[l] < limit);
        grid[l] = (int)(inside * HF_BOYS_PER_UNIT + 0.5);
        centre[l] = grid[l];
    }
    load_taylor_rows(boys->taylor[order], grid, c);
    lanes d = T - centre * (1.0 / HF_BOYS_PER_UNIT);
    for (int l = 0; l < HF_LANES; l++) exponential[l] = boys->exponential[grid[l]];
    if (beyond)
        for (int l = 0; l < HF_LANES; l++)
            if (!(T[l] < limit)) d[l] = 0.0;

    lanes top = c[HF_BOYS_TERMS - 1];
    for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) top = top * d + c[k];
    if (order > 0) {
        const double taylor[8] = {1.0,      -1.0,       1.0 / 2,   -1.0 / 6,
                                  1.0 / 24, -1.0 / 120, 1.0 / 720, -1.0 / 5040};
        lanes series = broadcast(taylor[7]);
        for (int k = 6; k >= 0; k--) series = series * d + taylor[k];
        exponential *= series;
    }
    if (beyond) {
        for (int l = 0; l < HF_LANES; l++) {
            if (T[l] < limit) continue;
            double value = boys->asymptotic[order] / sqrt(T[l]);
            for (int k = 0; k < order; k++) value /= T[l];
            top[l] = value;
            exponential[l] = 0.0;
        }
    }
    f[order] = top;
    const lanes twice = T + T;
    for (int m = order - 1; m >= 0; m--)
        f[m] = (twice * f[m + 1] + exponential) * (1.0 / (2 * m + 1));
}

/** Primitive i of the bra with primitives j .. j+HF_LANES-1 of the ket. */
static inline __attribute__((always_inline)) void
set_up_lanes(const struct hf_quartet *quartet, int order, int i, int j, struct lane_quartet *out)
{
    const struct hf_shell_pair *bra = quartet->bra, *ket = quartet->ket;
    const lanes zeta = broadcast(hf_pair_row(bra, HF_ROW_ZETA)[i]);
    const lanes eta = load(hf_pair_row(ket, HF_ROW_ZETA) + j);
    const lanes one_over_sum = 1.0 / (zeta + eta);
    const lanes eta_over_sum = eta * one_over_sum, zeta_over_sum = zeta * one_over_sum;

    lanes distance_squared = broadcast(0.0);
    for (int k = 0; k < 3; k++) {
        const lanes qp =
            load(hf_pair_row(ket, HF_ROW_P_X + k) + j) - hf_pair_row(bra, HF_ROW_P_X + k)[i];
        distance_squared += qp * qp;
        out->wp[k] = eta_over_sum * qp;
        out->wq[k] = -zeta_over_sum * qp;
        out->pa[k] = broadcast(hf_pair_row(bra, HF_ROW_PA_X + k)[i]);
        out->qc[k] = load(hf_pair_row(ket, HF_ROW_PA_X + k) + j);
    }
    out->one_over_two_zeta = broadcast(hf_pair_row(bra, HF_ROW_ONE_OVER_TWO_ZETA)[i]);
    out->one_over_two_eta = load(hf_pair_row(ket, HF_ROW_ONE_OVER_TWO_ZETA) + j);
    out->one_over_two_sum = 0.5 * one_over_sum;
    out->rho_over_zeta = eta_over_sum;
    out->rho_over_eta = zeta_over_sum;

    const lanes prefactor = load(hf_pair_row(ket, HF_ROW_PREFACTOR) + j) *
                            hf_pair_row(bra, HF_ROW_PREFACTOR)[i] * square_root(one_over_sum);
    boys_lanes(quartet->boys, order, zeta * eta_over_sum * distance_squared, out->s);
    for (int m = 0; m <= order; m++) out->s[m] *= prefactor;
}

/** How many ket primitives matter beside bra primitive i: bounds fall along the row. */
static inline int n_ket_primitive(const struct hf_quartet *quartet, int i, int previous)
{
    const double bound = hf_pair_row(quartet->bra, HF_ROW_BOUND)[i];
    const double *ket = hf_pair_row(quartet->ket, HF_ROW_BOUND);
    int n = previous;
    while (n > 0 && bound * ket[n - 1] < quartet->threshold) n--;
    return n;
}

/* ---- Libint's input ------------------------------------------------------------------------- */

static inline void store_lane(const struct lane_quartet *from, int l, int order, const double ab[3],
                              const double cd[3], Libint_eri_t *to)
{
    to->PA_x[0] = from->pa[0][l];
    to->PA_y[0] = from->pa[1][l];
    to->PA_z[0] = from->pa[2][l];
    to->QC_x[0] = from->qc[0][l];
    to->QC_y[0] = from->qc[1][l];
    to->QC_z[0] = from->qc[2][l];
    to->WP_x[0] = from->wp[0][l];
    to->WP_y[0] = from->wp[1][l];
    to->WP_z[0] = from->wp[2][l];
    to->WQ_x[0] = from->wq[0][l];
    to->WQ_y[0] = from->wq[1][l];
    to->WQ_z[0] = from->wq[2][l];
    to->AB_x[0] = ab[0];
    to->AB_y[0] = ab[1];
    to->AB_z[0] = ab[2];
    to->CD_x[0] = cd[0];
    to->CD_y[0] = cd[1];
    to->CD_z[0] = cd[2];
    to->oo2z[0] = from->one_over_two_zeta[l];
    to->oo2e[0] = from->one_over_two_eta[l];
    to->oo2ze[0] = from->one_over_two_sum[l];
    to->roz[0] = from->rho_over_zeta[l];
    to->roe[0] = from->rho_over_eta[l];
    /* Libint names its (ss|ss)^(m) one by one; they lie side by side. */
    double *s = to->LIBINT_T_SS_EREP_SS(0);
    for (int m = 0; m <= order; m++) s[m] = from->s[m][l];
}

static int fill_primitives(const struct hf_quartet *quartet, Libint_eri_t primitive[])
{
    const int order = quartet->l_bra + quartet->l_ket;
    int n = 0, n_ket = quartet->ket->n_primitive;
    for (int i = 0; i < quartet->bra->n_primitive && n_ket > 0; i++) {
        n_ket = n_ket_primitive(quartet, i, n_ket);
        for (int j = 0; j < n_ket; j += HF_LANES) {
            struct lane_quartet lane;
            set_up_lanes(quartet, order, i, j, &lane);
            const int n_lane = n_ket - j < HF_LANES ? n_ket - j : HF_LANES;
            for (int l = 0; l < n_lane; l++)
                store_lane(&lane, l, order, quartet->bra->ab, quartet->ket->ab, &primitive[n++]);
        }
    }
    return n;
}

/* ---- Vertical recurrence -------------------------------------------------------------------- */

/** Components of levels `low` .. `high`. */
static inline int n_levels(int low, int high)
{
    int n = 0;
    for (int l = low; l <= high; l++) n += hf_n_cartesian(l);
    return n;
}

/** Where (e0|f0)^(m) of every e, f, m stands in the scratch: [m][component of e][component of f].
 */
struct recurrence_layout {
    int e_max, f_max;
    lanes *level[HF_MAX_RECURRENCE_L + 1][HF_MAX_RECURRENCE_L + 1];
};

static inline int n_auxiliary(const struct recurrence_layout *layout, int e, int f)
{
    return e == 0 ? layout->e_max + layout->f_max - f + 1 : layout->e_max - e + 1;
}

static lanes *lay_out(struct recurrence_layout *layout, lanes *scratch)
{
    for (int e = 0; e <= layout->e_max; e++) {
        for (int f = 0; f <= layout->f_max; f++) {
            layout->level[e][f] = scratch;
            scratch += n_auxiliary(layout, e, f) * hf_n_cartesian(e) * hf_n_cartesian(f);
        }
    }
    return scratch;
}

/** (ss|f0)^(m) for all m from the two levels below. */
static inline __attribute__((always_inline)) void
raise_ket(const struct recurrence_layout *layout, const struct hf_cartesian_table *cartesian, int f,
          const struct lane_quartet *q)
{
    const int n = hf_n_cartesian(f), n_1 = hf_n_cartesian(f - 1),
              n_2 = f > 1 ? hf_n_cartesian(f - 2) : 0;
    const lanes *below = layout->level[0][f - 1], *below_2 = f > 1 ? layout->level[0][f - 2] : NULL;
    for (int c = 0; c < n; c++) {
        const struct hf_cartesian *component = &cartesian->component[f][c];
        const int d = component->direction, c_1 = component->lower[d];
        const struct hf_cartesian *lower = &cartesian->component[f - 1][c_1];
        const lanes qc = q->qc[d], wq = q->wq[d];
        lanes *out = layout->level[0][f] + c;
        if (f < 2 || lower->power[d] == 0) {
            for (int m = 0; m < n_auxiliary(layout, 0, f); m++)
                out[m * n] = qc * below[m * n_1 + c_1] + wq * below[(m + 1) * n_1 + c_1];
        } else {
            const int c_2 = lower->lower[d];
            const lanes factor = q->one_over_two_eta * (double)lower->power[d];
            for (int m = 0; m < n_auxiliary(layout, 0, f); m++)
                out[m * n] = qc * below[m * n_1 + c_1] + wq * below[(m + 1) * n_1 + c_1] +
                             factor * (below_2[m * n_2 + c_2] -
                                       q->rho_over_eta * below_2[(m + 1) * n_2 + c_2]);
        }
    }
}

/** One row [f] of (e0|f0)^(m): component c of e, all components of f. */
static inline __attribute__((always_inline)) void
raise_bra_row(const struct recurrence_layout *layout, const struct hf_cartesian_table *cartesian,
              int e, int f, int c, int m, const struct lane_quartet *q)
{
    const int n_f = hf_n_cartesian(f);
    const struct hf_cartesian *component = &cartesian->component[e][c];
    const int d = component->direction, c_1 = component->lower[d];
    const struct hf_cartesian *lower = &cartesian->component[e - 1][c_1];
    const int n_1 = hf_n_cartesian(e - 1);
    const lanes pa = q->pa[d], wp = q->wp[d];
    const lanes *at_m = layout->level[e - 1][f] + (m * n_1 + c_1) * n_f;
    const lanes *at_m_1 = layout->level[e - 1][f] + ((m + 1) * n_1 + c_1) * n_f;
    lanes *out = layout->level[e][f] + (m * hf_n_cartesian(e) + c) * n_f;
    if (e < 2 || lower->power[d] == 0) {
        for (int k = 0; k < n_f; k++) out[k] = pa * at_m[k] + wp * at_m_1[k];
    } else {
        const int c_2 = lower->lower[d], n_2 = hf_n_cartesian(e - 2);
        const lanes *low_m = layout->level[e - 2][f] + (m * n_2 + c_2) * n_f;
        const lanes *low_m_1 = layout->level[e - 2][f] + ((m + 1) * n_2 + c_2) * n_f;
        const lanes factor = q->one_over_two_zeta * (double)lower->power[d];
        const lanes minus = -factor * q->rho_over_zeta;
        for (int k = 0; k < n_f; k++)
            out[k] = pa * at_m[k] + wp * at_m_1[k] + factor * low_m[k] + minus * low_m_1[k];
    }
    if (f == 0) return;
    const int n_f_1 = hf_n_cartesian(f - 1);
    const lanes *cross = layout->level[e - 1][f - 1] + ((m + 1) * n_1 + c_1) * n_f_1;
    for (int k = 0; k < n_f_1;
         k++) { /* every component of f-1 raised in d is one of f with power > 0 */
        const int up = cartesian->component[f - 1][k].upper[d];
        const double power = cartesian->component[f - 1][k].power[d] + 1;
        out[up] += (q->one_over_two_sum * power) * cross[k];
    }
}

/** All levels of one vector of primitive quartets. */
static inline __attribute__((always_inline)) void recur(const struct recurrence_layout *layout,
                                                        const struct hf_cartesian_table *cartesian,
                                                        int e_max, int f_max, int f_low,
                                                        const struct lane_quartet *q)
{
    for (int m = 0; m <= e_max + f_max; m++) layout->level[0][0][m] = q->s[m];
    for (int f = 1; f <= f_max; f++) raise_ket(layout, cartesian, f, q);
    for (int e = 1; e <= e_max; e++) {
        const int lowest = f_low - (e_max - e);
        for (int f = lowest > 0 ? lowest : 0; f <= f_max; f++)
            for (int m = 0; m < n_auxiliary(layout, e, f); m++)
                for (int c = 0; c < hf_n_cartesian(e); c++)
                    raise_bra_row(layout, cartesian, e, f, c, m, q);
    }
}

/** Adds the wanted levels, m = 0, to the accumulators [components of all e][of all f]. */
static inline __attribute__((always_inline)) void accumulate(const struct recurrence_layout *layout,
                                                             int e_low, int e_max, int f_low,
                                                             int f_max, lanes *sum)
{
    const int n_f = n_levels(f_low, f_max);
    for (int e = e_low; e <= e_max; e++) {
        for (int c = 0; c < hf_n_cartesian(e); c++) {
            lanes *to = sum;
            for (int f = f_low; f <= f_max; f++) {
                const int n = hf_n_cartesian(f);
                const lanes *from = layout->level[e][f] + c * n;
                for (int k = 0; k < n; k++) to[k] += from[k];
                to += n;
            }
            sum += n_f;
        }
    }
}

/** The body of vertical_recurrence; called with constant angular momenta where that pays. */
static inline __attribute__((always_inline)) int recurrence_body(const struct hf_quartet *quartet,
                                                                 int e_max, int f_max, int e_low,
                                                                 int f_low, double *scratch,
                                                                 double *result)
{
    struct recurrence_layout layout = {.e_max = e_max, .f_max = f_max};
    const int n = n_levels(e_low, e_max) * n_levels(f_low, f_max);
    lanes *sum = (lanes *)(void *)scratch;
    lay_out(&layout, sum + n);
    int n_ket = quartet->ket->n_primitive, n_done = 0;
    for (int i = 0; i < quartet->bra->n_primitive; i++) {
        n_ket = n_ket_primitive(quartet, i, n_ket);
        if (n_ket == 0) break;
        if (n_done == 0) memset(sum, 0, (size_t)n * sizeof *sum);
        for (int j = 0; j < n_ket; j += HF_LANES) {
            struct lane_quartet lane;
            set_up_lanes(quartet, e_max + f_max, i, j, &lane);
            if (e_max + f_max == 0) {
                sum[0] += lane.s[0];
                continue;
            }
            recur(&layout, quartet->cartesian, e_max, f_max, f_low, &lane);
            accumulate(&layout, e_low, e_max, f_low, f_max, sum);
        }
        n_done += n_ket;
    }
    if (n_done > 0)
        for (int k = 0; k < n; k++) result[k] = sum_of_lanes(sum[k]);
    return n_done;
}

static int vertical_recurrence(const struct hf_quartet *quartet, int e_low, int f_low,
                               double *scratch, double *result)
{
    switch (16 * quartet->l_bra + quartet->l_ket) {
#define CASE(e, f)                                                                                 \
    case 16 * (e) + (f): return recurrence_body(quartet, e, f, e_low, f_low, scratch, result)
        CASE(0, 0);
        CASE(0, 1);
        CASE(0, 2);
        CASE(1, 1);
        CASE(1, 2);
        CASE(2, 2);
#undef CASE
    default:
        return recurrence_body(quartet, quartet->l_bra, quartet->l_ket, e_low, f_low, scratch,
                               result);
    }
}

/* ---- Steps on whole blocks ------------------------------------------------------------------ */

/** One step: (a, b| of every component from (a+1, b-1| and (a, b-1|. */
static inline void horizontal_step(const struct hf_cartesian_table *cartesian, int l_a, int l_b,
                                   const double ab[3], int right, const double *upper,
                                   const double *same, double *out)
{
    const int n_b_1 = hf_n_cartesian(l_b - 1);
    for (int a = 0; a < hf_n_cartesian(l_a); a++) {
        for (int b = 0; b < hf_n_cartesian(l_b); b++) {
            const struct hf_cartesian *component = &cartesian->component[l_b][b];
            const int d = component->direction, b_1 = component->lower[d];
            const int a_1 = cartesian->component[l_a][a].upper[d];
            const double *up = upper + ((size_t)a_1 * n_b_1 + b_1) * right;
            const double *at = same + ((size_t)a * n_b_1 + b_1) * right;
            const double shift = ab[d];
            for (int k = 0; k < right; k++) out[k] = up[k] + shift * at[k];
            out += right;
        }
    }
}

static void horizontal_recurrence(const struct hf_cartesian_table *cartesian, int l_a, int l_b,
                                  const double ab[3], int right, const double *in, double *scratch,
                                  double *out)
{
    const int n_a = hf_n_cartesian(l_a), n_a_1 = hf_n_cartesian(l_a + 1);
    if (l_b == 0) {
        memcpy(out, in, (size_t)n_a * right * sizeof *out);
        return;
    }
    const double *a_1 = in + (size_t)n_a * right;
    if (l_b == 1) {
        horizontal_step(cartesian, l_a, 1, ab, right, a_1, in, out);
        return;
    }
    const double *a_2 = a_1 + (size_t)n_a_1 * right;
    double *p_upper = scratch, *p_same = scratch + (size_t)n_a_1 * 3 * right;
    horizontal_step(cartesian, l_a + 1, 1, ab, right, a_2, a_1, p_upper);
    horizontal_step(cartesian, l_a, 1, ab, right, a_1, in, p_same);
    horizontal_step(cartesian, l_a, 2, ab, right, p_upper, p_same, out);
}

static void to_spherical(const struct hf_solid_harmonics *harmonics, int l, int right,
                         const double *restrict in, double *restrict out)
{
    for (int row = 0; row < 2 * l + 1; row++) {
        const int n = harmonics->n_term[row];
        const double *c = harmonics->coefficient[row];
        const int *column = harmonics->column[row];
        const double *x = in + (size_t)column[0] * right;
        double *to = out + (size_t)row * right;
        if (n == 1) {
            for (int i = 0; i < right; i++) to[i] = c[0] * x[i];
            continue;
        }
        const double *y = in + (size_t)column[1] * right;
        for (int i = 0; i < right; i++) to[i] = c[0] * x[i] + c[1] * y[i];
        for (int k = 2; k < n; k++) {
            const double factor = c[k], *z = in + (size_t)column[k] * right;
            for (int i = 0; i < right; i++) to[i] += factor * z[i];
        }
    }
}

static void transpose(int n, int m, const double *restrict in, double *restrict out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) out[(size_t)j * n + i] = in[(size_t)i * m + j];
}

#define STRING_OF(x) #x
#define NAME_OF(x)   STRING_OF(x)
const struct hf_kernels HF_KERNELS = {
    .name = NAME_OF(HF_KERNELS),
    .fill_primitives = fill_primitives,
    .vertical_recurrence = vertical_recurrence,
    .horizontal_recurrence = horizontal_recurrence,
    .to_spherical = to_spherical,
    .transpose = transpose,
};
