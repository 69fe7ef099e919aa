/* Kets as kernels read them; see kets.h. What a leaf has in `data`:
 *
 *     | weights of steps | weights as bras | plain | single | plain | single | ...
 *     | order 0, 1, ...  | order 0, 1, ... |  order 0       |  order 1       |
 *
 * Each of these parts begins with a cache line. There are weights as bras if products are raised, and blocks in single
 * precision if the kets have them and the order is not too high. In a build
 *
 *     weigh   sorts the products of a leaf by weight and counts those that any bra needs     each leaf on one rank
 *     place   gathers the counts of all nodes; then the places of all leaves are known
 *     fill    writes the kets that are needed                                                each leaf on one rank
 */
#include "kets.h"

#include "steps.h"

#include "base/node_memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What single precision must hold of a product, (2p)^L: two of them, and the Boys function between. */
static const double WIDEST = 0x1p60;

/** Bytes of n kets with so many rows of numbers of `size` bytes, in whole blocks. */
static size_t block_bytes(int64_t n, int n_row, size_t size)
{
    return (size_t)((n + HF_KET_BLOCK - 1) / HF_KET_BLOCK * HF_KET_BLOCK * n_row) * size;
}

/** Products of one order in a leaf. */
static int n_product(const struct hf_kets *kets, int leaf, int order)
{
    const int64_t *first = kets->products->leaf[leaf].first_of_order + order;
    return (int)(first[1] - first[0]);
}

/** How many kets of one order a leaf has in this build; all, if `count` [max_order + 1] is NULL. */
static struct hf_ket_count count_in(const struct hf_kets *kets, int leaf,
                                    const struct hf_ket_count *count, int order)
{
    const int16_t n = (int16_t)n_product(kets, leaf, order);
    return count != NULL ? count[order] : (struct hf_ket_count){.n = n, .n_plain = n};
}

/** Lays out the kets of a leaf from byte `at` on; where they end. `group` [max_order + 1] gets their places unless it is NULL. */
static size_t lay_out_leaf(const struct hf_kets *kets, int leaf, const struct hf_ket_count *count,
                           size_t at, struct hf_ket_group *group)
{
    const struct hf_products *products = kets->products;
    const int n_order = products->max_order + 1;
    size_t weight = at, bra = 0;
    for (int order = 0; order < n_order; order++)
        bra += (size_t)hf_ket_steps(count_in(kets, leaf, count, order).n) * sizeof(float);
    bra = at + hf_whole_lines(bra);
    at = bra;
    for (int order = 0; order < n_order && products->raise != 0; order++)
        at += (size_t)n_product(kets, leaf, order) * sizeof(float);
    at = bra + hf_whole_lines(at - bra);
    for (int order = 0; order < n_order; order++) {
        const struct hf_ket_count n = count_in(kets, leaf, count, order);
        const int n_row = hf_n_hermite(order);
        const bool in_single = kets->single && order <= HF_MOST_SINGLE_ORDER;
        const size_t single = at + block_bytes(n.n_plain, HF_KET_ROWS + n_row, sizeof(double));
        if (group != NULL)
            group[order] =
                (struct hf_ket_group){.first = products->leaf[leaf].first_of_order[order],
                                      .n = n.n,
                                      .n_plain = n.n_plain,
                                      .n_wide = n.n_wide,
                                      .weight = weight,
                                      .bra = bra,
                                      .plain = at,
                                      .single = single};
        weight += (size_t)hf_ket_steps(n.n) * sizeof(float);
        bra += (size_t)n_product(kets, leaf, order) * sizeof(float);
        at = single + (in_single ? block_bytes(n.n, HF_KET_SINGLE_ROWS + n_row, sizeof(float)) : 0);
    }
    return at;
}

/** Numbers of a leaf, [max_order + 1]. */
static struct hf_ket_count *count_of(const struct hf_kets *kets, int leaf)
{
    return kets->count + (size_t)hf_turn_slot(&kets->products->leaves, leaf) *
                             (size_t)(kets->products->max_order + 1);
}

/** Lays out the kets of all leaves. */
static void find_places(struct hf_kets *kets)
{
    const struct hf_products *products = kets->products;
    int64_t *begin = kets->begin;
    begin[0] = 0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        begin[hf_turn_slot(&products->leaves, leaf) + 1] =
            (int64_t)(lay_out_leaf(kets, leaf, count_of(kets, leaf), 0, NULL) / sizeof(double));
    for (int slot = 0; slot < products->n_leaf; slot++) begin[slot + 1] += begin[slot];
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        lay_out_leaf(kets, leaf, count_of(kets, leaf),
                     (size_t)begin[hf_turn_slot(&products->leaves, leaf)] * sizeof(double),
                     kets->group + (size_t)leaf * (size_t)(products->max_order + 1));
}

/** The largest bound of a bra. Those of raised products are not known before the density. */
static double find_most_bound(const struct hf_kets *kets)
{
    const struct hf_products *products = kets->products;
    double most = 0.0;
    if (products->raise != 0) return DBL_MAX;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        for (int order = 0; order <= products->max_order; order++)
            if (n_product(kets, leaf, order) > 0) /* they fall */
                most =
                    fmax(most, (double)products->bound[products->leaf[leaf].first_of_order[order]]);
    return most;
}

/** (tuv|tuv) of the components, but for powers of the exponent and what depends on t+u+v. */
static void set_factors(double factor[])
{
    static const double odd[] = {1.0,     1.0,      3.0,       15.0,       105.0,      945.0,
                                 10395.0, 135135.0, 2027025.0, 34459425.0, 654729075.0};
    for (int n = 0, k = 0; n <= HF_MAX_PAIR_L; n++)
        for (int j = 0; j <= n; j++)
            for (int v = 0; v <= j; v++, k++) factor[k] = sqrt(odd[n - j] * odd[j - v] * odd[v]);
}

hf_status hf_kets_create(const struct hf_products *products, bool single, struct hf_kets **kets,
                         struct hf_error *error)
{
    const size_t n_leaf = (size_t)products->n_leaf;
    const size_t n_group = n_leaf * (size_t)(products->max_order + 1);
    hf_status status;
    struct hf_kets *made = HF_NEW(made, NULL, "the kets of the Coulomb pass");
    size_t bytes = 0;
    HF_TRY(hf_agree(products->context->comm, hf_arena_check_new(made, error), error));
    made->products = products;
    made->single = single;
    made->most_bound = find_most_bound(made);
    set_factors(made->factor);
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        bytes = lay_out_leaf(made, leaf, NULL, bytes, NULL);
    const struct hf_node_array array[] = {
        HF_NODE_ARRAY(made->group, n_group), HF_NODE_ARRAY(made->count, n_group),
        HF_NODE_ARRAY(made->key, products->n), HF_NODE_ARRAY(made->begin, n_leaf + 1),
        HF_NODE_ARRAY(made->data, bytes)};
    const size_t n_array = sizeof array / sizeof *array;
    HF_TRY(hf_node_memory_create_unset(products->context, HF_MEMORY_PAIRS,
                                       "kets of the Coulomb pass",
                                       hf_node_arrays_bytes(n_array, array), &made->shared, error));
    hf_node_arrays_place(made->shared, n_array, array);
    *kets = made;
    return HF_OK;
cleanup:
    hf_kets_destroy(&made);
    return status;
}

void hf_kets_destroy(struct hf_kets **kets)
{
    if (*kets != NULL) hf_node_memory_destroy(&(*kets)->shared);
    hf_arena_free(kets);
}

double hf_kets_bytes(double n, double n_component)
{
    const double plain = HF_KET_ROWS * n + n_component,
                 single = HF_KET_SINGLE_ROWS * n + n_component;
    return n * (sizeof(float) + sizeof(uint64_t)) + plain * sizeof(double) + single * sizeof(float);
}

/** (p|p)^(1/2) of a Hermite density of one product at most: the triangle inequality over its components, from
 *  (tuv|tuv) = (2 alpha)^n (2t-1)!! (2u-1)!! (2v-1)!! / ((2n+1) (2p)^(1/2)), alpha = p/2, n = t+u+v. */
static double norm_of(const struct hf_kets *kets, double exponent, int order, const double h[])
{
    const double root = sqrt(exponent);
    double sum = 0.0, scale = 1.0; /* p^(n/2) */
    for (int n = 0, k = 0; n <= order; n++, scale *= root) {
        double total = 0.0;
        for (; k < hf_n_hermite(n); k++) total += fabs(h[k]) * kets->factor[k];
        sum += scale * total / sqrt(2.0 * n + 1.0);
    }
    return sum / sqrt(sqrt(2.0 * exponent));
}

/** Sorts short pieces by insertion. */
static void sort_pieces(int n, int piece, uint64_t key[])
{
    for (int first = 0; first < n; first += piece) {
        const int end = first + piece < n ? first + piece : n;
        for (int i = first + 1; i < end; i++) {
            const uint64_t one = key[i];
            int j = i;
            for (; j > first && key[j - 1] > one; j--) key[j] = key[j - 1];
            key[j] = one;
        }
    }
}

/* By insertion and merging: several times as fast as qsort for groups of a leaf. */
void hf_sort_weight_keys(int n, uint64_t key[])
{
    enum { PIECE = 8 };
    uint64_t room[HF_LEAF_MOST], *from = key, *to = room;
    sort_pieces(n, PIECE, key);
    for (int length = PIECE; length < n; length *= 2) {
        for (int first = 0; first < n; first += 2 * length) {
            const int middle = first + length < n ? first + length : n;
            const int end = middle + length < n ? middle + length : n;
            int i = first, j = middle;
            for (int k = first; k < end; k++)
                to[k] = i < middle && (j == end || from[i] < from[j]) ? from[i++] : from[j++];
        }
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != key) memcpy(key, from, (size_t)n * sizeof *key);
}

/** Ket number i of a group becomes that product; NULL: nothing, where products[0] is. */
static void set_ket(struct hf_kets *kets, const struct hf_ket_group *group, int order, int i,
                    int64_t product, const double *h)
{
    const struct hf_products *products = kets->products;
    const int n = hf_n_hermite(order), block = i / HF_KET_BLOCK, lane = i % HF_KET_BLOCK;
    double *plain = (double *)(void *)(kets->data + group->plain) +
                    (size_t)block * (size_t)((HF_KET_ROWS + n) * HF_KET_BLOCK) + lane;
    float *single = (float *)(void *)(kets->data + group->single) +
                    (size_t)block * (size_t)((HF_KET_SINGLE_ROWS + n) * HF_KET_BLOCK) + lane;
    const bool in_single = kets->single && order <= HF_MOST_SINGLE_ORDER;
    const bool in_plain = block * HF_KET_BLOCK < group->n_plain;
    for (int d = 0; d < 3; d++) {
        const double place = products->centre[d][product];
        if (in_plain) plain[(HF_KET_X + d) * HF_KET_BLOCK] = place;
        if (!in_single) continue;
        single[(HF_KET_X + d) * HF_KET_BLOCK] = (float)place;
        single[(HF_KET_REST_X + d) * HF_KET_BLOCK] = (float)(place - (double)(float)place);
    }
    if (in_plain) plain[HF_KET_EXPONENT * HF_KET_BLOCK] = products->exponent[product];
    if (in_single) single[HF_KET_EXPONENT * HF_KET_BLOCK] = (float)products->exponent[product];
    for (int t = 0, k = 0; t <= order; t++) {
        const double sign = t % 2 == 0 ? 1.0 : -1.0;
        for (; k < hf_n_hermite(t); k++) {
            const double value = h != NULL ? sign * h[k] : 0.0;
            if (in_plain) plain[(HF_KET_ROWS + k) * HF_KET_BLOCK] = value;
            if (in_single) single[(HF_KET_SINGLE_ROWS + k) * HF_KET_BLOCK] = (float)value;
        }
    }
}

bool hf_is_wide_product(const struct hf_products *products, int64_t product)
{
    double range = 1.0;
    for (int k = 0; k < products->order[product] + products->raise; k++)
        range *= 2.0 * products->exponent[product];
    return range > WIDEST;
}

/** Kets in whole blocks, if there are so many. */
static int16_t whole_blocks(int n, int n_all)
{
    const int whole = (n + HF_KET_BLOCK - 1) / HF_KET_BLOCK * HF_KET_BLOCK;
    return (int16_t)(whole < n_all ? whole : n_all);
}

/** Kets, sorted, that a bra with the largest bound takes by steps, where the product with it must be `least` or more. */
static int kets_above(const struct hf_kets *kets, int n, const uint64_t key[], double least)
{
    int i = 0;
    while (i < n && (double)hf_weight_of_key(key[i]) * kets->most_bound >= least) i += HF_KET_STEP;
    return i < n ? i : n;
}

/** Sorts the kets of one order in a leaf, and counts those that any bra needs. */
static struct hf_ket_count weigh_group(struct hf_kets *kets, int leaf, int order,
                                       const struct hf_ket_limits *limits, const double h[])
{
    const struct hf_products *products = kets->products;
    const int64_t first = products->leaf[leaf].first_of_order[order];
    const int n = n_product(kets, leaf, order);
    uint64_t *key = kets->key + first;
    int n_wide = 0;
    for (int i = 0; i < n; i++)
        key[i] = hf_weight_key((float)norm_of(kets, products->exponent[first + i], order,
                                              h + products->first[first + i]),
                               i);
    hf_sort_weight_keys(n, key);
    for (int i = 0; i < n; i++)
        if (hf_is_wide_product(products, first + (uint32_t)key[i])) n_wide = i + 1;
    const int most = whole_blocks(kets_above(kets, n, key, limits->least), n);
    const int heavy = kets_above(kets, n, key, limits->fine);
    const bool all_plain = !kets->single || products->max_order > HF_MOST_SINGLE_ORDER;
    return (struct hf_ket_count){
        .n = (int16_t)most,
        .n_plain = all_plain ? (int16_t)most : whole_blocks(heavy > n_wide ? heavy : n_wide, most),
        .n_wide = (int16_t)n_wide};
}

void hf_kets_weigh(struct hf_kets *kets, int leaf, const struct hf_ket_limits *limits,
                   const double h[])
{
    struct hf_ket_count *count = count_of(kets, leaf);
    for (int order = 0; order <= kets->products->max_order; order++)
        count[order] = weigh_group(kets, leaf, order, limits, h);
}

void hf_kets_place(struct hf_kets *kets)
{
    const struct hf_products *products = kets->products;
    const int n_order = products->max_order + 1;
    hf_shares_gather(products->shares, kets->shared, &products->leaves, n_order,
                     (double *)(void *)kets->count);
    const struct hf_trace_span span = hf_trace_begin_span(products->context->trace);
    if (kets->shared->rank == 0) {
        const int n_group = products->n_leaf * n_order;
        bool any_wide = false; /* as bras these take all kets in double precision */
        for (int i = 0; i < n_group; i++) any_wide = any_wide || kets->count[i].n_wide > 0;
        for (int i = 0; i < n_group && any_wide; i++) kets->count[i].n_plain = kets->count[i].n;
        find_places(kets);
    }
    hf_coulomb_end_step(products->context->trace, 0, HF_COULOMB_BOUNDS, 1, span);
    hf_node_memory_sync(kets->shared);
}

/** The weight of a product as a bra: a derivative raises one of t, u, v, which multiplies (tuv|tuv)^(1/2) by p^(1/2) at
 *  most, as norm_of has it. */
static void weigh_bras(struct hf_kets *kets, const struct hf_ket_group *group, int n)
{
    const struct hf_products *products = kets->products;
    float *weight = (float *)(void *)(kets->data + group->bra);
    for (int i = 0; i < n; i++) {
        const uint64_t key = kets->key[group->first + i];
        const int number = (int)(uint32_t)key;
        weight[number] =
            hf_weight_of_key(key) * (float)sqrt(products->exponent[group->first + number]);
    }
}

static void fill_group(struct hf_kets *kets, const struct hf_ket_group *group, int order,
                       const double h[])
{
    const struct hf_products *products = kets->products;
    const uint64_t *key = kets->key + group->first;
    float *weight = (float *)(void *)(kets->data + group->weight);
    for (int i = 0; i < group->n; i++) {
        const int64_t product = group->first + (uint32_t)key[i];
        if (i % HF_KET_STEP == 0) weight[i / HF_KET_STEP] = hf_weight_of_key(key[i]);
        set_ket(kets, group, order, i, product, h + products->first[product]);
    }
    for (int i = group->n; i % HF_KET_BLOCK != 0; i++)
        set_ket(kets, group, order, i, group->first + (uint32_t)key[group->n - 1], NULL);
}

void hf_kets_fill(struct hf_kets *kets, int leaf, const double h[])
{
    for (int order = 0; order <= kets->products->max_order; order++) {
        const struct hf_ket_group *group = hf_ket_group(kets, leaf, order);
        if (kets->products->raise != 0) weigh_bras(kets, group, n_product(kets, leaf, order));
        fill_group(kets, group, order, h);
    }
}

int hf_ket_steps_above(const struct hf_kets *kets, const struct hf_ket_group *group, double least)
{
    const float *weight = hf_ket_weights(kets, group);
    int low = 0, high = hf_ket_steps(group->n);
    if (high == 0 || (double)weight[0] < least) return 0; /* most, in tasks of few bras */
    while (low < high) {
        const int middle = (low + high) / 2;
        if ((double)weight[middle] >= least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
