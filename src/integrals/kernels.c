/* Inner loops of the two-electron engine; compiled once per instruction set (see meson.build), with
 * HF_KERNELS naming the table. Everything here works on HF_WIDTH primitives at a time. */
#include "kernels.h"

#include "boys/boys_lanes.h"
#include "contraction.h"
#include "expansion.h"
#include "lane_quartet.h"
#include "recurrence.h"
#include "to_functions.h"
#include "vertical.h"

/** Computes (ss|ss)^(m), m = 0 .. order, of n primitive quartets; low orders are compile-time constants. */
static inline __attribute__((always_inline)) void boys_of_order(const boys_tables *boys, int order,
                                                                int n,
                                                                const struct boys_argument at[],
                                                                struct lane_quartet quartet[])
{
#ifdef HF_SINGLE
    for (int i = 0; i < n; i++) boys_lanes(boys, order, at[i], quartet[i].s);
#else
    struct boys_place place[HF_MOST_CHUNK];
    for (int i = 0; i < n; i++) place[i] = boys_find_inside(boys, order, at[i].T);
    for (int i = 0; i < n; i++) boys_at_place(boys, order, at[i], &place[i], quartet[i].s);
#endif
}

static __attribute__((noinline)) void boys_of_quartets(const boys_tables *boys, int order, int n,
                                                       const struct boys_argument at[],
                                                       struct lane_quartet quartet[])
{
    switch (order) {
    case 0: boys_of_order(boys, 0, n, at, quartet); break;
    case 1: boys_of_order(boys, 1, n, at, quartet); break;
    case 2: boys_of_order(boys, 2, n, at, quartet); break;
    case 3: boys_of_order(boys, 3, n, at, quartet); break;
    case 4: boys_of_order(boys, 4, n, at, quartet); break;
    case 5: boys_of_order(boys, 5, n, at, quartet); break;
    case 6: boys_of_order(boys, 6, n, at, quartet); break;
    case 7: boys_of_order(boys, 7, n, at, quartet); break;
    case 8: boys_of_order(boys, 8, n, at, quartet); break;
    default: boys_of_order(boys, order, n, at, quartet);
    }
}

#ifndef HF_SINGLE
/* ---- Libint's input ------------------------------------------------------------------------- */

static inline void store_lane(const struct lane_quartet *from, int l, int order, double coefficient,
                              const double ab[3], const double cd[3], Libint_eri_t *to)
{
    to->PA_x[0] = from->pa[0];
    to->PA_y[0] = from->pa[1];
    to->PA_z[0] = from->pa[2];
    to->QC_x[0] = from->qc[0][l];
    to->QC_y[0] = from->qc[1][l];
    to->QC_z[0] = from->qc[2][l];
    to->WP_x[0] = wp_of(from, 0)[l];
    to->WP_y[0] = wp_of(from, 1)[l];
    to->WP_z[0] = wp_of(from, 2)[l];
    to->WQ_x[0] = wq_of(from, 0)[l];
    to->WQ_y[0] = wq_of(from, 1)[l];
    to->WQ_z[0] = wq_of(from, 2)[l];
    to->AB_x[0] = ab[0];
    to->AB_y[0] = ab[1];
    to->AB_z[0] = ab[2];
    to->CD_x[0] = cd[0];
    to->CD_y[0] = cd[1];
    to->CD_z[0] = cd[2];
    to->oo2z[0] = from->one_over_two_zeta;
    to->oo2e[0] = from->one_over_two_eta[l];
    to->oo2ze[0] = one_over_two_sum_of(from)[l];
    to->roz[0] = from->rho_over_zeta[l];
    to->roe[0] = from->rho_over_eta[l];
    /* Libint names its (ss|ss)^(m) one by one; they lie side by side. */
    double *s = to->LIBINT_T_SS_EREP_SS(0);
    for (int m = 0; m <= order; m++) s[m] = coefficient * from->s[m][l];
}

/** c_a c_b of primitive j: 1 if the prefactor has it. */
static inline double coefficient_of(const struct hf_expanded_pair *pair,
                                    const struct hf_pair_class *kind, int part, int j)
{
    return kind->n_part > 1 ? hf_pair_coefficient(pair, part)[j] : 1.0;
}

static int fill_primitives(const struct hf_quartet *quartet, int bra_part, int ket_part,
                           Libint_eri_t primitive[])
{
    const struct hf_expanded_pair *bra = quartet->bra, *ket = quartet->ket;
    const int order = quartet->bra_class->l_high + quartet->ket_class->l_high;
    const double *ket_bound = hf_pair_row(ket, HF_ROW_BOUND);
    int n = 0, n_ket = ket->n_primitive;
    for (int i = 0; i < bra->n_primitive && n_ket > 0; i++) {
        n_ket = n_significant(bra, i, ket_bound, n_ket, quartet->threshold);
        for (int j = 0; j < n_ket; j += HF_WIDTH) {
            struct lane_quartet lane;
            lanes row[HF_N_PRIMITIVE_ROW];
            struct boys_argument boys;
            load_primitives(ket, j, row);
            set_up_ket(row, &lane);
            set_up_lanes(bra_of(quartet), i, true, true, row, row[HF_ROW_PREFACTOR], &lane, &boys);
            boys_of_quartets(quartet->boys, order, 1, &boys, &lane);
            const int n_lane = n_ket - j < HF_WIDTH ? n_ket - j : HF_WIDTH;
            const double factor = coefficient_of(bra, quartet->bra_class, bra_part, i);
            for (int l = 0; l < n_lane; l++)
                store_lane(&lane, l, order,
                           factor * coefficient_of(ket, quartet->ket_class, ket_part, j + l),
                           bra->ab, ket->ab, &primitive[n++]);
        }
    }
    return n;
}

#endif

/* ---- Our own recurrence --------------------------------------------------------------------- */

/** Number of bounds [HF_LANES] that, times `most`, are at least the threshold. */
static inline int n_at_least(const double bound[HF_LANES], real most, real threshold)
{
#if defined __AVX512F__ && defined HF_SINGLE
    const __m256 product =
        _mm256_mul_ps(_mm256_set1_ps(most), _mm512_cvtpd_ps(_mm512_load_pd(bound)));
    return __builtin_popcount(_mm256_cmp_ps_mask(product, _mm256_set1_ps(threshold), _CMP_GE_OS));
#elif defined __AVX512F__
    const __m512d product = _mm512_mul_pd(_mm512_set1_pd(most), _mm512_load_pd(bound));
    return __builtin_popcount(_mm512_cmp_pd_mask(product, _mm512_set1_pd(threshold), _CMP_GE_OS));
#else
    int n = 0;
    for (int k = 0; k < HF_LANES; k++) n += most * (real)bound[k] >= threshold;
    return n;
#endif
}

/** Number of the first n primitives of the bra that matter with ket primitives of these bounds, that is, with
 *  the largest. Bounds of the bra fall. Eight are compared at once: the end of a loop over single bounds would
 *  be mispredicted. */
static inline int n_that_matter(const struct hf_quartet *quartet, int n, lanes bound)
{
    const real threshold = (real)quartet->threshold, most = largest_of(bound);
    const double *bra_bound = hf_pair_row(quartet->bra, HF_ROW_BOUND);
    int n_found = 0;
    for (int i = 0; i < n; i += HF_LANES) /* rows are padded */
        n_found += n_at_least(bra_bound + i, most, threshold);
    return n_found < n ? n_found : n;
}

/** The prefactors of a vector of the ket with primitive i of the bra. A lane is pruned by its own bounds alone:
 *  it gets prefactor 0 and adds nothing. Products of bounds are exact, since both are single-precision numbers. */
static inline __attribute__((always_inline)) lanes
prefactor_beside(const struct hf_quartet *quartet, struct bra_numbers bra, int i, const lanes ket[])
{
    const lane_set kept = at_least(ket[HF_ROW_BOUND] * of_bra(bra, HF_ROW_BOUND, i),
                                   broadcast((real)quartet->threshold));
    return choose(kept, ket[HF_ROW_PREFACTOR], broadcast(0));
}

/** Sets up primitives first .. first+n-1 of the bra with a vector of the ket: data for the sides with needs_bra
 *  or needs_ket, and the arguments of the Boys function. */
static inline __attribute__((always_inline)) void
set_up_some(const struct hf_quartet *quartet, int first, int n, bool needs_bra, bool needs_ket,
            const lanes ket[HF_N_SINGLE_ROW], struct lane_quartet quartet_of[],
            struct boys_argument boys[])
{
    const struct bra_numbers bra = bra_of(quartet);
    for (int i = 0; i < n; i++)
        set_up_lanes(bra, first + i, needs_bra, needs_ket, ket,
                     prefactor_beside(quartet, bra, first + i, ket), &quartet_of[i], &boys[i]);
}

/** The same, and (ss|ss)^(m): all that the recurrences need. Only a side with l > 0 needs centres. */
static __attribute__((noinline)) void set_up_chunk(const struct hf_quartet *quartet, int first,
                                                   int n, const lanes ket[HF_N_SINGLE_ROW],
                                                   struct lane_quartet quartet_of[])
{
    const int e_max = quartet->bra_class->l_high, f_max = quartet->ket_class->l_high;
    struct boys_argument boys[HF_MOST_CHUNK];
    if (e_max > 0 && f_max > 0)
        set_up_some(quartet, first, n, true, true, ket, quartet_of, boys);
    else if (e_max > 0)
        set_up_some(quartet, first, n, true, false, ket, quartet_of, boys);
    else
        set_up_some(quartet, first, n, false, true, ket, quartet_of, boys);
    boys_of_quartets(tables_of(quartet), e_max + f_max, n, boys, quartet_of);
}

/** Adds (ss|ss) of primitives 0 .. n-1 of the bra with a vector of the ket to the contraction. */
static __attribute__((noinline)) void make_ss_over_bra(const struct hf_quartet *quartet, int n,
                                                       const lanes ket[HF_N_SINGLE_ROW],
                                                       struct contraction *contraction)
{
    const struct bra_numbers bra = bra_of(quartet);
    const boys_tables *boys = tables_of(quartet);
    const int most = contraction->plan->n_chunk;
    struct boys_lowest lowest[HF_MOST_CHUNK];
    for (int first = 0; first < n; first += most) {
        const int n_here = n - first < most ? n - first : most;
        lanes *to = place_of_first(contraction);
        for (int i = 0; i < n_here; i++) {
            lowest[i] = set_up_ss(boys, bra, first + i, ket);
            lowest[i].root *= prefactor_beside(quartet, bra, first + i, ket) *
                              of_bra(bra, HF_ROW_PREFACTOR, first + i);
        }
        for (int i = 0; i < n_here; i++, to = contraction->chunk + i)
            *to = boys_look_lowest_up(boys, &lowest[i]);
        end_chunk(contraction, false, quartet->bra, first, n_here);
    }
}

/** Adds the levels of primitives 0 .. n-1 of the bra with a vector of the ket to the contraction. */
static inline void recur_over_bra(const struct hf_quartet *quartet, int n,
                                  const lanes row[HF_N_SINGLE_ROW], struct contraction *contraction,
                                  const struct recurrence_work *work)
{
    const int e_max = quartet->bra_class->l_high, f_max = quartet->ket_class->l_high;
    struct lane_quartet lane[HF_MOST_CHUNK];
    const int most = contraction->plan->n_chunk;
    for (int i = 0; i < (n < most ? n : most); i++) set_up_ket(row, &lane[i]);
    for (int first = 0; first < n; first += most) {
        const int n_here = n - first < most ? n - first : most;
        lanes *to = place_of_first(contraction);
        set_up_chunk(quartet, first, n_here, row, lane);
        for (int i = 0; i < n_here; i++, to = contraction->chunk + i * contraction->plan->n_level) {
            if (work->vertical != NULL)
                work->vertical(&lane[i], to);
            else
                recurrences[f_max](work, e_max, &lane[i], to);
        }
        end_chunk(contraction, false, quartet->bra, first, n_here);
    }
}

/** Sums the primitives of HF_WIDTH quartets in `contraction`; returns their number in a lane. */
static int sum_primitives(const struct hf_quartet *quartet, const struct hf_pair_group *ket,
                          struct contraction *contraction, const struct recurrence_work *work)
{
    struct ket_cursor cursor;
    int n_done = 0, n = quartet->bra->n_primitive;
    start_kets(quartet->pairs, ket, &cursor);
    for (int j = 0; j < ket->most_primitive; j++) {
        lanes row[HF_N_SINGLE_ROW];
        expand_lanes(ket, &cursor, j, row);
        n = n_that_matter(quartet, n, row[HF_ROW_BOUND]);
        if (n == 0) break;
        lanes *coefficient = begin_ket_primitive(contraction);
        if (coefficient != NULL)
            expand_coefficients(ket, &cursor, contraction->plan->n_ket, coefficient);
        advance_kets(quartet->pairs, ket, j, &cursor);
        if (contraction->plan->n_level == 1)
            make_ss_over_bra(quartet, n, row, contraction);
        else
            recur_over_bra(quartet, n, row, contraction, work);
        end_ket_primitive(contraction, false);
        n_done += n;
    }
    end_contraction(contraction, false);
    return n_done;
}

static int recurrence(const struct hf_quartet *quartet, const struct hf_pair_group *ket,
                      void *scratch)
{
    const int e_max = quartet->bra_class->l_high, f_max = quartet->ket_class->l_high;
    struct recurrence_work work; /* its levels are for the loops only */
    struct contraction contraction;
    lanes *next = start_contraction(&contraction, quartet->plan, scratch);
    work.cartesian = quartet->cartesian;
    work.e_low = quartet->bra_class->l_low;
    work.f_low = quartet->ket_class->l_low;
    work.vertical = find_vertical(work.e_low, e_max, work.f_low, f_max);
    if (work.vertical == NULL) lay_out(&work, e_max, f_max, 0, next);
    return sum_primitives(quartet, ket, &contraction, &work);
}

static void make_blocks(const struct hf_quartet *quartet, const void *ket_shift, const void *levels,
                        void *scratch, void *out)
{
    to_functions(quartet, ket_shift, levels, scratch, out);
}

#ifndef HF_SINGLE
#include "gradient.h"

/* ---- Steps on whole blocks ------------------------------------------------------------------ */

/** a b + c. With fused multiply-adds it is rounded once in every version of a loop. The compiler could fuse the
 *  first product in one version and the second in another. */
static inline double multiply_add(double a, double b, double c)
{
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/** Makes one harmonic from n monomials; small n are compile-time constants. */
static inline __attribute__((always_inline)) void combine(int n, const double *coefficient,
                                                          const int *column, int right,
                                                          const double *restrict in,
                                                          double *restrict out)
{
    for (int i = 0; i < right; i++) {
        double sum = coefficient[0] * in[(size_t)column[0] * right + i];
        for (int k = 1; k < n; k++)
            sum = multiply_add(coefficient[k], in[(size_t)column[k] * right + i], sum);
        out[i] = sum;
    }
}

static void to_spherical(const struct hf_solid_harmonics *harmonics, int l, int right,
                         const double *restrict in, double *restrict out)
{
    for (int row = 0; row < 2 * l + 1; row++, out += right) {
        const double *c = harmonics->coefficient[row];
        const int *column = harmonics->column[row];
        switch (harmonics->n_term[row]) {
        case 1: combine(1, c, column, right, in, out); break;
        case 2: combine(2, c, column, right, in, out); break;
        case 3: combine(3, c, column, right, in, out); break;
        case 4: combine(4, c, column, right, in, out); break;
        case 6: combine(6, c, column, right, in, out); break;
        default: combine(harmonics->n_term[row], c, column, right, in, out);
        }
    }
}

static void transpose(int n, int m, const double *restrict in, double *restrict out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) out[(size_t)j * n + i] = in[(size_t)i * m + j];
}

static void split_lanes(int n, const double *in, double *const out[HF_WIDTH])
{
    int i = 0;
#if defined __AVX512F__ && HF_WIDTH == 8
    for (; i + HF_WIDTH <= n; i += HF_WIDTH) {
        lanes column[HF_WIDTH];
        const double *row[HF_WIDTH];
        for (int l = 0; l < HF_WIDTH; l++) row[l] = in + (size_t)(i + l) * HF_WIDTH;
        transpose_8(row, column);
        for (int l = 0; l < HF_WIDTH; l++) _mm512_storeu_pd(out[l] + i, (__m512d)column[l]);
    }
#endif
    for (; i < n; i++)
        for (int l = 0; l < HF_WIDTH; l++) out[l][i] = in[(size_t)i * HF_WIDTH + l];
}

#endif

#define STRING_OF(x) #x
#define NAME_OF(x)   STRING_OF(x)
const struct hf_kernels HF_KERNELS = {
    .name = NAME_OF(HF_KERNELS),
    .width = HF_WIDTH,
    .vertical_limit = HF_VERTICAL_LIMIT,
    .recurrence = recurrence,
    .to_functions = make_blocks,
#ifdef HF_SINGLE
    .single = true,
#else
    .fill_primitives = fill_primitives,
    .gradient = gradient,
    .to_spherical = to_spherical,
    .transpose = transpose,
    .split_lanes = split_lanes,
#endif
};
