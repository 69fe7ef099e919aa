/* Expands stored primitive pairs to the rows that the recurrences need. Part of kernels.c. */
#ifndef HF_EXPANSION_H
#define HF_EXPANSION_H

#include "lane_quartet.h"

#ifdef HF_SINGLE
typedef struct hf_single_primitive stored_primitive;
#else
typedef struct hf_primitive_pair stored_primitive;
#endif

typedef int64_t lane_places __attribute__((vector_size(HF_WIDTH * sizeof(int64_t))));

/** Addresses of the next primitives of kets in lanes and, in single precision, of their coefficients:
 *  vectors advance them. */
struct ket_cursor {
    lane_places primitive, coefficient;
};

/** Keeps the addresses in memory, where vectors advance them; the compiler would split them. */
static inline void keep_in_memory(struct ket_cursor *cursor)
{
    __asm__ volatile("" : "+m"(*cursor));
}

/** Address of the list's primitives. */
static inline int64_t first_address(const struct hf_shell_pairs *pairs)
{
#ifdef HF_SINGLE
    return (int64_t)(intptr_t)pairs->single;
#else
    return (int64_t)(intptr_t)pairs->primitive;
#endif
}

static inline void start_kets(const struct hf_shell_pairs *pairs, const struct hf_pair_group *group,
                              struct ket_cursor *cursor)
{
    for (int l = 0; l < HF_WIDTH; l++) cursor->primitive[l] = group->first_primitive[l];
    cursor->coefficient = cursor->primitive * (pairs->n_coefficient * (int64_t)sizeof(float)) +
                          (int64_t)(intptr_t)pairs->single_coefficient;
    cursor->primitive =
        cursor->primitive * (int64_t)sizeof(stored_primitive) + first_address(pairs);
    keep_in_memory(cursor);
}

/** Which lanes have a primitive of number j. */
static inline lane_masks has_primitive(const struct hf_pair_group *group, int j)
{
    lane_masks mask;
    for (int l = 0; l < HF_WIDTH; l++) mask[l] = j < group->n_primitive[l] ? -1 : 0;
    return mask;
}

/** Advances to the primitives after number j; a lane without more primitives keeps its last one. */
static inline void advance_kets(const struct hf_shell_pairs *pairs,
                                const struct hf_pair_group *group, int j, struct ket_cursor *cursor)
{
    const lane_places more = __builtin_convertvector(has_primitive(group, j + 1), lane_places);
    cursor->primitive += more & (int64_t)sizeof(stored_primitive);
    cursor->coefficient += more & pairs->n_coefficient * (int64_t)sizeof(float);
    keep_in_memory(cursor);
}

#ifdef HF_SINGLE
/** Expands primitive j of each lane's pair, at the cursor. A lane whose pair has no such primitive gets one that adds
 *  nothing. What one lane gets does not depend on the others. */
static inline void expand_lanes(const struct hf_pair_group *group, const struct ket_cursor *cursor,
                                int j, lanes row[HF_N_SINGLE_ROW])
{
    _Static_assert(sizeof(stored_primitive) == HF_N_SINGLE_ROW * sizeof(float) &&
                       offsetof(stored_primitive, rest) == HF_ROW_REST_X * sizeof(float),
                   "numbers stand in the order of rows");
    const lane_set is_there = set_of(has_primitive(group, j));
    const float *number[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) number[l] = (const void *)(intptr_t)cursor->primitive[l];
    transpose_fours(HF_ROW_ONE_OVER_TWO_ZETA / 4, number,
                    row); /* a division takes less time than four more rows */
    row[HF_ROW_ONE_OVER_TWO_ZETA] = 0.5F / row[HF_ROW_ZETA];
    row[HF_ROW_PREFACTOR] = choose(is_there, row[HF_ROW_PREFACTOR], broadcast(0));
    row[HF_ROW_BOUND] = choose(is_there, row[HF_ROW_BOUND], broadcast(0));
}

/** c_a c_b of every part, padded, of the same primitives. */
static inline void expand_coefficients(const struct hf_pair_group *group,
                                       const struct ket_cursor *cursor, int n_part, lanes to[])
{
    const float *number[HF_WIDTH];
    (void)group;
    for (int k = 0; k < n_part; k += 4) {
        for (int l = 0; l < HF_WIDTH; l++)
            number[l] = (const float *)(intptr_t)cursor->coefficient[l] + k;
        transpose_fours(1, number, to + k);
    }
}
#else
/** As in single precision, above. */
static inline void expand_lanes(const struct hf_pair_group *group, const struct ket_cursor *cursor,
                                int j, lanes row[HF_N_SINGLE_ROW])
{
    _Static_assert(sizeof(stored_primitive) == 8 * sizeof(double), "a row of 8 numbers");
    const lane_set is_there = set_of(has_primitive(group, j));
    const double *number[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) number[l] = (const void *)(intptr_t)cursor->primitive[l];
    lanes column[8];
    transpose_8(number, column);
    for (int k = 0; k < 3; k++) {
        row[HF_ROW_PA_X + k] = column[k];
        row[HF_ROW_P_X + k] = load(group->a + (size_t)k * HF_WIDTH) + column[k];
    }
    row[HF_ROW_ZETA] = column[3];
    row[HF_ROW_ONE_OVER_TWO_ZETA] = column[4];
    row[HF_ROW_PREFACTOR] = choose(is_there, column[5], broadcast(0.0));
    row[HF_ROW_BOUND] = choose(is_there, column[6], broadcast(0.0));
}

static inline void expand_coefficients(const struct hf_pair_group *group,
                                       const struct ket_cursor *cursor, int n_part, lanes to[])
{
    lanes of_a = {0}, of_b[HF_MAX_SHELL_PART];
    const stored_primitive *primitive[HF_WIDTH];
    (void)n_part;
    for (int l = 0; l < HF_WIDTH; l++) primitive[l] = (const void *)(intptr_t)cursor->primitive[l];
    for (int k = 0; k < group->n_part_b; k++)
        for (int l = 0; l < HF_WIDTH; l++) of_b[k][l] = group->coefficient_b[k][l][primitive[l]->j];
    for (int k = 0; k < group->n_part_a; k++) {
        for (int l = 0; l < HF_WIDTH; l++) of_a[l] = group->coefficient_a[k][l][primitive[l]->i];
        for (int m = 0; m < group->n_part_b; m++) *to++ = of_a * of_b[m];
    }
}
#endif

#endif
