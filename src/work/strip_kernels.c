/* Quartets side by side to their places in strips; compiled once per instruction set (HF_STRIP names
 * the table).
 *
 * Four quartets at a time: numbers of functions d, which follow each other in a strip, are four vectors
 * of four quartets, and go to their places as one vector each once these are transposed. */
#include "strip_kernels.h"
#include "hf/units.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { FOUR = 4 };

/** Most functions of a shell: a merged one of Cartesian functions. */
enum { MOST_D = HF_MAX_SHELL_PART * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

typedef double four __attribute__((vector_size(FOUR * sizeof(double))));
typedef float four_singles __attribute__((vector_size(FOUR * sizeof(float))));
typedef double two __attribute__((vector_size(2 * sizeof(double))));
typedef float two_singles __attribute__((vector_size(2 * sizeof(float))));

/** The same where they begin with any number. */
typedef double any_four __attribute__((vector_size(FOUR * sizeof(double)), aligned(8), may_alias));
typedef float any_four_singles
    __attribute__((vector_size(FOUR * sizeof(float)), aligned(4), may_alias));
typedef double any_two __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));
typedef float any_two_singles
    __attribute__((vector_size(2 * sizeof(float)), aligned(4), may_alias));

/** Where four quartets go that are read alike, all to numbers of one precision. */
struct four_lanes {
    four factor;
    double *value[FOUR];
    float *single[FOUR];
    size_t c_step[FOUR], ab_step[FOUR];
};

/** How they are read: numbers from one function c, d, ab to the next, c and d as in the strips. */
struct reading {
    const double *value; /**< of the two, the first number of the first of the four */
    const float *single; /**< one is NULL */
    size_t c_from, d_from, ab_from;
    int n_c, n_ab;
    bool narrow;
};

/** Four quartets' number `at`, as it is to be written. */
ALWAYS_INLINE four read_four(const struct reading *r, size_t at, four factor)
{
    if (r->value == NULL)
        return factor * __builtin_convertvector(
                            *(const any_four_singles *)(const void *)(r->single + at), four);
    const four x = *(const any_four *)(const void *)(r->value + at);
    if (!r->narrow) return factor * x;
    return factor * __builtin_convertvector(__builtin_convertvector(x, four_singles), four);
}

/** Numbers first .. of quartet l to its place. */
ALWAYS_INLINE void put_four(const struct four_lanes *to, int l, int first, four x,
                            const bool single)
{
    if (single)
        *(any_four_singles *)(void *)(to->single[l] + first) =
            __builtin_convertvector(x, four_singles);
    else
        *(any_four *)(void *)(to->value[l] + first) = x;
}

ALWAYS_INLINE void put_two(const struct four_lanes *to, int l, int first, two x, const bool single)
{
    if (single)
        *(any_two_singles *)(void *)(to->single[l] + first) =
            __builtin_convertvector(x, two_singles);
    else
        *(any_two *)(void *)(to->value[l] + first) = x;
}

ALWAYS_INLINE void put_one(const struct four_lanes *to, int l, int first, double x,
                           const bool single)
{
    if (single)
        to->single[l][first] = (float)x;
    else
        to->value[l][first] = x;
}

/** Functions d of one c and ab: [n_d] vectors from `at` on. */
ALWAYS_INLINE void write_row(const struct reading *r, size_t at, const struct four_lanes *to,
                             const int n_d, const bool single)
{
    int d = 0;
    for (; d + FOUR <= n_d; d += FOUR, at += FOUR * r->d_from) {
        const four x0 = read_four(r, at, to->factor), x1 = read_four(r, at + r->d_from, to->factor);
        const four x2 = read_four(r, at + 2 * r->d_from, to->factor);
        const four x3 = read_four(r, at + 3 * r->d_from, to->factor);
        const four even_01 = __builtin_shufflevector(x0, x1, 0, 4, 2, 6);
        const four odd_01 = __builtin_shufflevector(x0, x1, 1, 5, 3, 7);
        const four even_23 = __builtin_shufflevector(x2, x3, 0, 4, 2, 6);
        const four odd_23 = __builtin_shufflevector(x2, x3, 1, 5, 3, 7);
        put_four(to, 0, d, __builtin_shufflevector(even_01, even_23, 0, 1, 4, 5), single);
        put_four(to, 1, d, __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5), single);
        put_four(to, 2, d, __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7), single);
        put_four(to, 3, d, __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7), single);
    }
    if (d + 2 <= n_d) {
        const four x0 = read_four(r, at, to->factor), x1 = read_four(r, at + r->d_from, to->factor);
        const four even = __builtin_shufflevector(x0, x1, 0, 4, 2, 6);
        const four odd = __builtin_shufflevector(x0, x1, 1, 5, 3, 7);
        put_two(to, 0, d, __builtin_shufflevector(even, even, 0, 1), single);
        put_two(to, 1, d, __builtin_shufflevector(odd, odd, 0, 1), single);
        put_two(to, 2, d, __builtin_shufflevector(even, even, 2, 3), single);
        put_two(to, 3, d, __builtin_shufflevector(odd, odd, 2, 3), single);
        d += 2;
        at += 2 * r->d_from;
    }
    if (d < n_d) {
        const four x = read_four(r, at, to->factor);
        for (int l = 0; l < FOUR; l++) put_one(to, l, d, x[l], single);
    }
}

/** All numbers of four quartets. */
ALWAYS_INLINE void write_rows(const struct reading *r, struct four_lanes *to, const int n_d,
                              const bool single)
{
    for (size_t c = 0; c < (size_t)r->n_c; c++) {
        struct four_lanes row = *to;
        size_t at = c * r->c_from;
        for (int ab = 0; ab < r->n_ab; ab++, at += r->ab_from) {
            write_row(r, at, &row, n_d, single);
            for (int l = 0; l < FOUR; l++) {
                if (single)
                    row.single[l] += row.ab_step[l];
                else
                    row.value[l] += row.ab_step[l];
            }
        }
        for (int l = 0; l < FOUR; l++) {
            if (single)
                to->single[l] += to->c_step[l];
            else
                to->value[l] += to->c_step[l];
        }
    }
}

ALWAYS_INLINE void write_four(const struct reading *r, struct four_lanes *to, int n_d,
                              const bool single)
{
    switch (n_d) {
    case 1: write_rows(r, to, 1, single); break;
    case 2: write_rows(r, to, 2, single); break;
    case 3: write_rows(r, to, 3, single); break;
    case 4: write_rows(r, to, 4, single); break;
    case 5: write_rows(r, to, 5, single); break;
    case 6: write_rows(r, to, 6, single); break;
    case 7: write_rows(r, to, 7, single); break;
    default: write_rows(r, to, n_d, single);
    }
}

/** Quartet number l of a group by itself. */
static void write_one(const struct hf_strip_group *group, int l)
{
    const struct hf_strip_lane *lane = group->lane[l];
    const size_t width = (size_t)group->width, n_ij = (size_t)group->n_i * (size_t)group->n_j;
    const size_t ab_from = width * (group->bra_is_row ? n_ij : 1);
    const size_t ij_from = width * (group->bra_is_row ? 1 : (size_t)group->n_ab);
    const double factor = (double)lane->factor;
    for (int i = 0, ij = 0; i < group->n_i; i++) {
        for (int j = 0; j < group->n_j; j++, ij++) {
            size_t at = (size_t)ij * ij_from + (size_t)l;
            size_t to = (size_t)i * (size_t)lane->i_step + (size_t)j * (size_t)lane->j_step;
            for (int ab = 0; ab < group->n_ab; ab++, at += ab_from, to += (size_t)lane->ab_step) {
                double x = group->value != NULL ? group->value[at] : (double)group->single[at];
                if (group->narrow) x = (double)(float)x;
                if (lane->value != NULL)
                    lane->value[to] = factor * x;
                else
                    lane->single[to] = (float)(factor * x);
            }
        }
    }
}

/** Whether the second shell of the ket is d: its functions follow each other in the strip. */
static bool second_is_d(const struct hf_strip_lane *lane)
{
    return lane->j_step == 1;
}

static bool alike(const struct hf_strip_lane *x, const struct hf_strip_lane *y)
{
    return second_is_d(x) == second_is_d(y) && (x->value != NULL) == (y->value != NULL);
}

/** Of the four quartets from number `first` on those in `chosen`, which are alike. */
static void write_chosen(const struct hf_strip_group *group, int first, const bool chosen[FOUR],
                         const struct hf_strip_lane *of)
{
    double scrap[MOST_D]; /* of those that are not chosen */
    float single_scrap[MOST_D];
    const size_t width = (size_t)group->width, n_j = (size_t)group->n_j;
    const size_t j_from = width * (group->bra_is_row ? 1 : (size_t)group->n_ab);
    const bool straight = second_is_d(of);
    struct four_lanes to = {.factor = {0.0}};
    const struct reading reading = {.value = group->value != NULL ? group->value + first : NULL,
                                    .single = group->value != NULL ? NULL : group->single + first,
                                    .c_from = straight ? n_j * j_from : j_from,
                                    .d_from = straight ? j_from : n_j * j_from,
                                    .ab_from =
                                        width * (group->bra_is_row ? (size_t)group->n_i * n_j : 1),
                                    .n_c = straight ? group->n_i : group->n_j,
                                    .n_ab = group->n_ab,
                                    .narrow = group->narrow};
    for (int l = 0; l < FOUR; l++) {
        const struct hf_strip_lane *lane = chosen[l] ? group->lane[first + l] : NULL;
        to.value[l] = lane != NULL ? lane->value : scrap;
        to.single[l] = lane != NULL ? lane->single : single_scrap;
        if (lane == NULL) continue;
        to.factor[l] = (double)lane->factor;
        to.c_step[l] = (size_t)(straight ? lane->i_step : lane->j_step);
        to.ab_step[l] = (size_t)lane->ab_step;
    }
    const int n_d = straight ? group->n_j : group->n_i;
    if (of->value != NULL)
        write_four(&reading, &to, n_d, false);
    else
        write_four(&reading, &to, n_d, true);
}

/** Up to four quartets from number `first` on: those that are alike together. */
static void write_some(const struct hf_strip_group *group, int first)
{
    bool done[FOUR] = {false};
    const int n = group->n - first < FOUR ? group->n - first : FOUR;
    for (int l = 0; l < n; l++) {
        const struct hf_strip_lane *lane = group->lane[first + l];
        bool chosen[FOUR] = {false};
        int n_chosen = 0;
        if (done[l]) continue;
        for (int k = l; k < n; k++) {
            chosen[k] = !done[k] && alike(lane, group->lane[first + k]);
            done[k] = done[k] || chosen[k];
            n_chosen += chosen[k];
        }
        if (n_chosen == 1)
            write_one(group, first + l);
        else
            write_chosen(group, first, chosen, lane);
    }
}

static void write_group(const struct hf_strip_group *group)
{
#ifdef __AVX__
    const bool by_fours = group->width >= FOUR;
#else
    const bool by_fours = false; /* shuffles of four are twice as slow as numbers one by one */
#endif
    if (by_fours)
        for (int l = 0; l < group->n; l += FOUR) write_some(group, l);
    else
        for (int l = 0; l < group->n; l++) write_one(group, l);
}

const struct hf_strip_kernels HF_STRIP = {.write = write_group};
