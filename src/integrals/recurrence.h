/* Vertical recurrence over vectors of primitive quartets, as loops: for levels without a function of
 * make_recurrences.py, and for tests of these functions. Part of kernels.c.
 *
 * With [e|f]^m short for (e s|f s)^(m), Obara and Saika, J. Chem. Phys. 84, 3963 (1986), Eq. 39:
 *   [e+1|f]^m = PA [e|f]^m + WP [e|f]^(m+1) + e/(2z) ([e-1|f]^m - rho/z [e-1|f]^(m+1))
 *               + f/(2(z+eta)) [e|f-1]^(m+1) */
#ifndef HF_RECURRENCE_H
#define HF_RECURRENCE_H

#include "lane_quartet.h"
#include "vertical.h"

/** Data of one call of the recurrence. [e|f]^m of every e, f, m stands in the work space as [m][component of
 *  e][component of f]. */
struct recurrence_work {
    vertical_function *vertical; /**< straight-line code for these levels; NULL: the loops do it */
    const struct hf_cartesian_table *cartesian;
    int e_low, f_low; /**< levels e_low..e_max and f_low..f_max are wanted */
    lanes *level[HF_MAX_PAIR_L + 1][HF_MAX_PAIR_L + 1];
};

/** Divides the work space among levels with m = 0 .. highest. */
static inline void lay_out(struct recurrence_work *work, int e_max, int f_max, int highest,
                           lanes *scratch)
{
    for (int e = 0; e <= e_max; e++) {
        for (int f = 0; f <= f_max; f++) {
            work->level[e][f] = scratch;
            scratch += (size_t)(hf_n_auxiliary(e_max, f_max, e, f) + highest) * hf_n_cartesian(e) *
                       hf_n_cartesian(f);
        }
    }
}

/** Computes [0|f]^m for all m from the two levels below. */
static inline __attribute__((always_inline)) void
raise_ket(const struct recurrence_work *work, int n_m, int f, const struct lane_quartet *q)
{
    const struct hf_cartesian *components = work->cartesian->component[f];
    const struct hf_cartesian *lowers = work->cartesian->component[f - 1];
    const int n = hf_n_cartesian(f), n_1 = hf_n_cartesian(f - 1);
    const int n_2 = f > 1 ? hf_n_cartesian(f - 2) : 0;
    const lanes *below = work->level[0][f - 1], *below_2 = f > 1 ? work->level[0][f - 2] : NULL;
    for (int c = 0; c < n; c++) {
        const int d = components[c].direction, c_1 = components[c].lower[d];
        const lanes qc = qc_of(q, d), wq = wq_of(q, d);
        lanes *out = work->level[0][f] + c;
        if (f < 2 || lowers[c_1].power[d] == 0) {
            for (int m = 0; m < n_m; m++)
                out[m * n] = qc * below[m * n_1 + c_1] + wq * below[(m + 1) * n_1 + c_1];
        } else {
            const int c_2 = lowers[c_1].lower[d];
            const lanes factor = q->one_over_two_eta * (real)lowers[c_1].power[d];
            for (int m = 0; m < n_m; m++)
                out[m * n] = qc * below[m * n_1 + c_1] + wq * below[(m + 1) * n_1 + c_1] +
                             factor * (below_2[m * n_2 + c_2] -
                                       q->rho_over_eta * below_2[(m + 1) * n_2 + c_2]);
        }
    }
}

/** Computes one row of [e|f]^m: component c of e, all components of f. */
static inline __attribute__((always_inline)) void raise_bra_row(const struct recurrence_work *work,
                                                                int e, int f, int c, int m,
                                                                const struct lane_quartet *q)
{
    const struct hf_cartesian *component = &work->cartesian->component[e][c];
    const int d = component->direction, c_1 = component->lower[d];
    const struct hf_cartesian *lower = &work->cartesian->component[e - 1][c_1];
    const int n_f = hf_n_cartesian(f), n_1 = hf_n_cartesian(e - 1);
    const lanes pa = pa_of(q, d), wp = wp_of(q, d);
    const lanes *at_m = work->level[e - 1][f] + (m * n_1 + c_1) * n_f;
    const lanes *at_m_1 = work->level[e - 1][f] + ((m + 1) * n_1 + c_1) * n_f;
    lanes *out = work->level[e][f] + (m * hf_n_cartesian(e) + c) * n_f;
    if (e < 2 || lower->power[d] == 0) {
        for (int k = 0; k < n_f; k++) out[k] = pa * at_m[k] + wp * at_m_1[k];
    } else {
        const int c_2 = lower->lower[d], n_2 = hf_n_cartesian(e - 2);
        const lanes *low_m = work->level[e - 2][f] + (m * n_2 + c_2) * n_f;
        const lanes *low_m_1 = work->level[e - 2][f] + ((m + 1) * n_2 + c_2) * n_f;
        const lanes factor = one_over_two_zeta_of(q) * (real)lower->power[d];
        const lanes minus = -factor * q->rho_over_zeta;
        for (int k = 0; k < n_f; k++)
            out[k] = pa * at_m[k] + wp * at_m_1[k] + factor * low_m[k] + minus * low_m_1[k];
    }
    if (f == 0) return;
    /* Raising every component of f-1 in d reaches exactly the components of f with power > 0 in d.
     */
    const struct hf_cartesian *below = work->cartesian->component[f - 1];
    const int n_below = hf_n_cartesian(f - 1);
    const lanes *cross = work->level[e - 1][f - 1] + ((m + 1) * n_1 + c_1) * n_below;
    for (int k = 0; k < n_below; k++)
        out[below[k].upper[d]] += one_over_two_sum_of(q) * (real)(below[k].power[d] + 1) * cross[k];
}

/** Computes all levels of one vector of primitive quartets, the wanted ones with m = 0 .. highest. */
static inline __attribute__((always_inline)) void recur(const struct recurrence_work *work,
                                                        int e_max, int f_max, int highest,
                                                        const struct lane_quartet *q)
{
    for (int m = 0; m <= e_max + f_max + highest; m++) work->level[0][0][m] = q->s[m];
    for (int f = 1; f <= f_max; f++)
        raise_ket(work, hf_n_auxiliary(e_max, f_max, 0, f) + highest, f, q);
    for (int e = 1; e <= e_max; e++) {
        const int lowest = work->f_low - (e_max - e);
        for (int f = lowest > 0 ? lowest : 0; f <= f_max; f++)
            for (int m = 0; m < hf_n_auxiliary(e_max, f_max, e, f) + highest; m++)
                for (int c = 0; c < hf_n_cartesian(e); c++) raise_bra_row(work, e, f, c, m, q);
    }
}

/** Writes the wanted levels, m = 0, to `to` [components of wanted e][components of wanted f]. */
static inline __attribute__((always_inline)) void write_wanted(const struct recurrence_work *work,
                                                               int e_max, int f_max, lanes *to)
{
    for (int e = work->e_low; e <= e_max; e++) {
        for (int c = 0; c < hf_n_cartesian(e); c++) {
            for (int f = work->f_low; f <= f_max; f++) {
                const int n = hf_n_cartesian(f);
                const lanes *from = work->level[e][f] + c * n;
                for (int k = 0; k < n; k++) to[k] = from[k];
                to += n;
            }
        }
    }
}

/** The recurrence up to levels e_max and f_max. f_max is a constant, so that the compiler knows the counts of
 *  the inner loops. The wanted levels are written to `to`. */
typedef void recurrence_function(const struct recurrence_work *work, int e_max,
                                 const struct lane_quartet *q, lanes *to);

#define HF_RECURRENCE(f)                                                                           \
    static void recur_##f(const struct recurrence_work *work, int e_max,                           \
                          const struct lane_quartet *q, lanes *to)                                 \
    {                                                                                              \
        recur(work, e_max, f, 0, q);                                                               \
        write_wanted(work, e_max, f, to);                                                          \
    }
HF_RECURRENCE(0)
HF_RECURRENCE(1)
HF_RECURRENCE(2)
HF_RECURRENCE(3)
HF_RECURRENCE(4)
HF_RECURRENCE(5)
HF_RECURRENCE(6)

static recurrence_function *const recurrences[HF_MAX_RECURRENCE_L + 1] = {
    recur_0, recur_1, recur_2, recur_3, recur_4, recur_5, recur_6};

#endif
