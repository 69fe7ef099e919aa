/* Copies quartets, which stand side by side, to their places in strips; compiled once per instruction set
 * (HF_STRIP names the table).
 *
 * Four quartets at a time: four functions d are four vectors over the quartets. Transposed, they are one vector
 * over d for each quartet, as in the strip. Eight quartets at a time if numbers are and stay in single
 * precision, as most do. */
#include "strip_kernels.h"
#include "hf/units.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { FOUR = 4, EIGHT = 8 };

/** Most functions of a shell: a merged one of Cartesian functions. */
enum { MOST_D = HF_MAX_SHELL_PART * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

typedef double four __attribute__((vector_size(FOUR * sizeof(double))));
typedef float four_singles __attribute__((vector_size(FOUR * sizeof(float))));
typedef float eight_singles __attribute__((vector_size(EIGHT * sizeof(float))));
typedef double two __attribute__((vector_size(2 * sizeof(double))));
typedef float two_singles __attribute__((vector_size(2 * sizeof(float))));

/** The same types with the alignment of their elements. */
typedef double any_four __attribute__((vector_size(FOUR * sizeof(double)), aligned(8), may_alias));
typedef float any_four_singles
    __attribute__((vector_size(FOUR * sizeof(float)), aligned(4), may_alias));
typedef float any_eight_singles
    __attribute__((vector_size(EIGHT * sizeof(float)), aligned(4), may_alias));
typedef double any_one __attribute__((aligned(4), may_alias));
typedef double any_two __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));
typedef float any_two_singles
    __attribute__((vector_size(2 * sizeof(float)), aligned(4), may_alias));

/** Targets of four or eight quartets that are read alike and written in one precision. */
struct alike_lanes {
    float factor[EIGHT];
    unsigned char *number[EIGHT];
    size_t c_step[EIGHT], ab_step[EIGHT]; /**< bytes */
};

/** How these are read: steps from one function c, d, ab to the next, c and d as in the strips. */
struct reading {
    const double *value; /**< first number of the first quartet; NULL: in `single` */
    const float *single; /**< NULL: in `value` */
    size_t c_from, d_from, ab_from;
    int n_c, n_ab;
    bool narrow;
};

/** Number `at` of four quartets, rounded if `narrow`, times their factors. */
ALWAYS_INLINE four read_four(const struct reading *r, size_t at, four factor)
{
    if (r->value == NULL)
        return factor * __builtin_convertvector(
                            *(const any_four_singles *)(const void *)(r->single + at), four);
    const four x = *(const any_four *)(const void *)(r->value + at);
    if (!r->narrow) return factor * x;
    return factor * __builtin_convertvector(__builtin_convertvector(x, four_singles), four);
}

/** Writes numbers first .. first+3 of a quartet. */
ALWAYS_INLINE void put_four(unsigned char *to, int first, four x, const bool single)
{
    if (single)
        *(any_four_singles *)(void *)((float *)(void *)to + first) =
            __builtin_convertvector(x, four_singles);
    else
        *(any_four *)(void *)((double *)(void *)to + first) = x;
}

ALWAYS_INLINE void put_two(unsigned char *to, int first, two x, const bool single)
{
    if (single)
        *(any_two_singles *)(void *)((float *)(void *)to + first) =
            __builtin_convertvector(x, two_singles);
    else
        *(any_two *)(void *)((double *)(void *)to + first) = x;
}

ALWAYS_INLINE void put_one(unsigned char *to, int first, double x, const bool single)
{
    if (single)
        ((float *)(void *)to)[first] = (float)x;
    else
        ((double *)(void *)to)[first] = x;
}

/** Writes the lower four numbers to quartet l, the upper four to quartet l + 4. */
ALWAYS_INLINE void put_halves(unsigned char *const to[EIGHT], int l, int first, eight_singles x)
{
    *(any_four_singles *)(void *)((float *)(void *)to[l] + first) =
        __builtin_shufflevector(x, x, 0, 1, 2, 3);
    *(any_four_singles *)(void *)((float *)(void *)to[l + FOUR] + first) =
        __builtin_shufflevector(x, x, 4, 5, 6, 7);
}

/** Writes two numbers each of quartets l, l + 1, l + 4, l + 5; two singles move like one double. */
ALWAYS_INLINE void put_quarters(unsigned char *const to[EIGHT], int l, int first, eight_singles x)
{
    const four pair = (four)x;
    *(any_one *)(void *)((float *)(void *)to[l] + first) = pair[0];
    *(any_one *)(void *)((float *)(void *)to[l + 1] + first) = pair[1];
    *(any_one *)(void *)((float *)(void *)to[l + FOUR] + first) = pair[2];
    *(any_one *)(void *)((float *)(void *)to[l + FOUR + 1] + first) = pair[3];
}

/** Writes functions d of one c and ab of eight quartets, which are and stay in single precision. */
ALWAYS_INLINE void write_singles(const float *from, size_t d_from, eight_singles factor,
                                 unsigned char *const to[EIGHT], const int n_d)
{
    const float *at = from;
    int d = 0;
    for (; d + 2 <= n_d; d += 2, at += 2 * d_from) {
        const eight_singles x0 = factor * *(const any_eight_singles *)(const void *)at;
        const eight_singles x1 = factor * *(const any_eight_singles *)(const void *)(at + d_from);
        const eight_singles low = __builtin_shufflevector(x0, x1, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight_singles high = __builtin_shufflevector(x0, x1, 2, 10, 3, 11, 6, 14, 7, 15);
        if (d + FOUR > n_d) {
            put_quarters(to, 0, d, low);
            put_quarters(to, 2, d, high);
            continue;
        }
        d += 2;
        at += 2 * d_from;
        const eight_singles x2 = factor * *(const any_eight_singles *)(const void *)at;
        const eight_singles x3 = factor * *(const any_eight_singles *)(const void *)(at + d_from);
        const eight_singles low_23 = __builtin_shufflevector(x2, x3, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight_singles high_23 = __builtin_shufflevector(x2, x3, 2, 10, 3, 11, 6, 14, 7, 15);
        put_halves(to, 0, d - 2, __builtin_shufflevector(low, low_23, 0, 1, 8, 9, 4, 5, 12, 13));
        put_halves(to, 1, d - 2, __builtin_shufflevector(low, low_23, 2, 3, 10, 11, 6, 7, 14, 15));
        put_halves(to, 2, d - 2, __builtin_shufflevector(high, high_23, 0, 1, 8, 9, 4, 5, 12, 13));
        put_halves(to, 3, d - 2,
                   __builtin_shufflevector(high, high_23, 2, 3, 10, 11, 6, 7, 14, 15));
    }
    if (d < n_d) {
        const eight_singles x = factor * *(const any_eight_singles *)(const void *)at;
        const four_singles low = __builtin_shufflevector(x, x, 0, 1, 2, 3);
        const four_singles high = __builtin_shufflevector(x, x, 4, 5, 6, 7);
        for (int l = 0; l < FOUR; l++) {
            ((float *)(void *)to[l])[d] = low[l];
            ((float *)(void *)to[l + FOUR])[d] = high[l];
        }
    }
}

/** Writes functions d of one c and ab of four quartets: [n_d] vectors from `at` on. */
ALWAYS_INLINE void write_row(const struct reading *r, size_t at, four factor,
                             unsigned char *const to[FOUR], const int n_d, const bool single)
{
    int d = 0;
    for (; d + FOUR <= n_d; d += FOUR, at += FOUR * r->d_from) {
        const four x0 = read_four(r, at, factor), x1 = read_four(r, at + r->d_from, factor);
        const four x2 = read_four(r, at + 2 * r->d_from, factor);
        const four x3 = read_four(r, at + 3 * r->d_from, factor);
        const four even_01 = __builtin_shufflevector(x0, x1, 0, 4, 2, 6);
        const four odd_01 = __builtin_shufflevector(x0, x1, 1, 5, 3, 7);
        const four even_23 = __builtin_shufflevector(x2, x3, 0, 4, 2, 6);
        const four odd_23 = __builtin_shufflevector(x2, x3, 1, 5, 3, 7);
        put_four(to[0], d, __builtin_shufflevector(even_01, even_23, 0, 1, 4, 5), single);
        put_four(to[1], d, __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5), single);
        put_four(to[2], d, __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7), single);
        put_four(to[3], d, __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7), single);
    }
    if (d + 2 <= n_d) {
        const four x0 = read_four(r, at, factor), x1 = read_four(r, at + r->d_from, factor);
        const four even = __builtin_shufflevector(x0, x1, 0, 4, 2, 6);
        const four odd = __builtin_shufflevector(x0, x1, 1, 5, 3, 7);
        put_two(to[0], d, __builtin_shufflevector(even, even, 0, 1), single);
        put_two(to[1], d, __builtin_shufflevector(odd, odd, 0, 1), single);
        put_two(to[2], d, __builtin_shufflevector(even, even, 2, 3), single);
        put_two(to[3], d, __builtin_shufflevector(odd, odd, 2, 3), single);
        d += 2;
        at += 2 * r->d_from;
    }
    if (d < n_d) {
        const four x = read_four(r, at, factor);
        for (int l = 0; l < FOUR; l++) put_one(to[l], d, x[l], single);
    }
}

/** Precisions in which numbers are read and written. */
enum way { SINGLE_TO_SINGLE, ANY_TO_SINGLE, ANY_TO_DOUBLE };

/** Writes all numbers of eight quartets (SINGLE_TO_SINGLE) or of four. */
ALWAYS_INLINE void write_rows(const struct reading *r, const struct alike_lanes *lanes,
                              const int n_d, const enum way way)
{
    const int n_lane = way == SINGLE_TO_SINGLE ? EIGHT : FOUR;
    const eight_singles factor = *(const any_eight_singles *)(const void *)lanes->factor;
    const four wide_factor = {lanes->factor[0], lanes->factor[1], lanes->factor[2],
                              lanes->factor[3]};
    unsigned char *of_c[EIGHT], *to[EIGHT];
    for (int l = 0; l < n_lane; l++) of_c[l] = lanes->number[l];
    for (size_t c = 0; c < (size_t)r->n_c; c++) {
        size_t at = c * r->c_from;
        for (int l = 0; l < n_lane; l++) to[l] = of_c[l];
        for (int ab = 0; ab < r->n_ab; ab++, at += r->ab_from) {
            if (way == SINGLE_TO_SINGLE)
                write_singles(r->single + at, r->d_from, factor, to, n_d);
            else
                write_row(r, at, wide_factor, to, n_d, way == ANY_TO_SINGLE);
            for (int l = 0; l < n_lane; l++) to[l] += lanes->ab_step[l];
        }
        for (int l = 0; l < n_lane; l++) of_c[l] += lanes->c_step[l];
    }
}

ALWAYS_INLINE void write_alike(const struct reading *r, const struct alike_lanes *to, int n_d,
                               const enum way way)
{
    switch (n_d) {
    case 1: write_rows(r, to, 1, way); break;
    case 2: write_rows(r, to, 2, way); break;
    case 3: write_rows(r, to, 3, way); break;
    case 4: write_rows(r, to, 4, way); break;
    case 5: write_rows(r, to, 5, way); break;
    case 6: write_rows(r, to, 6, way); break;
    case 7: write_rows(r, to, 7, way); break;
    default: write_rows(r, to, n_d, way);
    }
}

/** Writes quartet number l of a group alone. */
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

/** Some quartets of a block, which begins with quartet `first` of the group: bit l is for number first + l. */
struct chosen {
    int first;
    unsigned lanes;
};

/** Sets the targets of the chosen quartets. The numbers of other quartets go to `scrap`. */
static void find_lanes(const struct hf_strip_group *group, struct chosen chosen, int n_lane,
                       unsigned char *scrap, struct alike_lanes *to)
{
    for (int l = 0; l < n_lane; l++) {
        if ((chosen.lanes >> l & 1) == 0) {
            to->factor[l] = 0.0F;
            to->number[l] = scrap;
            to->c_step[l] = to->ab_step[l] = 0;
            continue;
        }
        const struct hf_strip_lane *lane = group->lane[chosen.first + l];
        const bool single = lane->value == NULL;
        const size_t size = single ? sizeof *lane->single : sizeof *lane->value;
        to->factor[l] = lane->factor;
        to->number[l] = (unsigned char *)(single ? (void *)lane->single : (void *)lane->value);
        to->c_step[l] = size * (size_t)(second_is_d(lane) ? lane->i_step : lane->j_step);
        to->ab_step[l] = size * (size_t)lane->ab_step;
    }
}

/** Writes quartets that are alike: d is the second shell of the ket (`straight`) or the first one, and
 *  precisions are the same. */
static void write_chosen(const struct hf_strip_group *group, struct chosen chosen, bool straight,
                         enum way way)
{
    double scrap[MOST_D];
    struct alike_lanes to;
    const size_t width = (size_t)group->width, n_j = (size_t)group->n_j;
    const size_t j_from = width * (group->bra_is_row ? 1 : (size_t)group->n_ab);
    const int first = chosen.first, n_d = straight ? group->n_j : group->n_i;
    const struct reading reading = {.value = group->value != NULL ? group->value + first : NULL,
                                    .single = group->value != NULL ? NULL : group->single + first,
                                    .c_from = straight ? n_j * j_from : j_from,
                                    .d_from = straight ? j_from : n_j * j_from,
                                    .ab_from =
                                        width * (group->bra_is_row ? (size_t)group->n_i * n_j : 1),
                                    .n_c = straight ? group->n_i : group->n_j,
                                    .n_ab = group->n_ab,
                                    .narrow = group->narrow};
    find_lanes(group, chosen, way == SINGLE_TO_SINGLE ? EIGHT : FOUR, (unsigned char *)scrap, &to);
    switch (way) {
    case SINGLE_TO_SINGLE: write_alike(&reading, &to, n_d, SINGLE_TO_SINGLE); break;
    case ANY_TO_SINGLE: write_alike(&reading, &to, n_d, ANY_TO_SINGLE); break;
    case ANY_TO_DOUBLE: write_alike(&reading, &to, n_d, ANY_TO_DOUBLE); break;
    }
}

/** Writes the quartets `lanes` of a group, which are alike, in blocks. */
static void write_lanes(const struct hf_strip_group *group, unsigned lanes, bool straight,
                        bool to_single)
{
    const bool eight = to_single && group->single != NULL && group->width >= EIGHT;
    const enum way way = eight ? SINGLE_TO_SINGLE : to_single ? ANY_TO_SINGLE : ANY_TO_DOUBLE;
    const int step = eight ? EIGHT : FOUR;
    for (int first = 0; lanes >> first != 0; first += step) {
        const unsigned of_block = lanes >> first & ((1U << step) - 1);
        if (of_block == 0) continue;
        if ((of_block & (of_block - 1)) == 0)
            write_one(group, first + __builtin_ctz(of_block));
        else
            write_chosen(group, (struct chosen){first, of_block}, straight, way);
    }
}

/** Writes a group in blocks of four or eight quartets that are alike. */
static void write_blocks(const struct hf_strip_group *group)
{
    unsigned straight = 0, single = 0;
    const unsigned all = (1U << group->n) - 1;
    for (int l = 0; l < group->n; l++) {
        straight |= (unsigned)second_is_d(group->lane[l]) << l;
        single |= (unsigned)(group->lane[l]->value == NULL) << l;
    }
    write_lanes(group, straight & single, true, true);
    write_lanes(group, straight & ~single, true, false);
    write_lanes(group, all & ~straight & single, false, true);
    write_lanes(group, all & ~straight & ~single, false, false);
}

static void write_group(const struct hf_strip_group *group)
{
#ifdef __AVX__
    const bool by_fours = group->width >= FOUR;
#else
    const bool by_fours = false; /* shuffles of four are twice as slow as numbers one by one */
#endif
    if (by_fours)
        write_blocks(group);
    else
        for (int l = 0; l < group->n; l++) write_one(group, l);
}

const struct hf_strip_kernels HF_STRIP = {.write = write_group};
