/* Kets as kernels read them; see kets.h. */
#include "kets.h"

#include "hf/node_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What single precision must hold of a product, (2p)^L: two of them, and the Boys function between. */
static const double WIDEST = 0x1p60;

static size_t lines(size_t bytes)
{
    return hf_whole_lines(bytes);
}

/** Bytes of n kets with so many rows of numbers of `size` bytes, in whole blocks. */
static size_t block_bytes(int64_t n, int n_row, size_t size)
{
    return (size_t)((n + HF_KET_BLOCK - 1) / HF_KET_BLOCK * HF_KET_BLOCK * n_row) * size;
}

/** Lays out the kets of a leaf from byte `at` on; where they end. `group` NULL: only that. */
static size_t lay_out_leaf(const struct hf_products *products, int leaf, size_t at,
                           struct hf_ket_group *group)
{
    const int64_t *first = products->leaf[leaf].first_of_order;
    const size_t n_order = (size_t)products->max_order + 1, wide = at;
    const size_t n_product = (size_t)(first[n_order] - first[0]);
    size_t weight = wide + n_order * sizeof(float), bra;
    for (size_t order = 0; order < n_order; order++)
        at += (1 + (size_t)hf_ket_steps((int)(first[order + 1] - first[order]))) * sizeof(float);
    bra = at = wide + lines(at - wide);
    if (products->raise != 0) at += lines(n_product * sizeof(float));
    for (int order = 0; order < (int)n_order; order++) {
        const int64_t n = first[order + 1] - first[order];
        const size_t plain = at, n_hermite = (size_t)hf_n_hermite(order);
        at += block_bytes(n, HF_KET_ROWS + (int)n_hermite, sizeof(double));
        const size_t single = at;
        if (order <= HF_MOST_SINGLE_ORDER)
            at += block_bytes(n, HF_KET_SINGLE_ROWS + (int)n_hermite, sizeof(float));
        if (group != NULL)
            *group++ = (struct hf_ket_group){.first = first[order],
                                             .n = (int)n,
                                             .wide = wide + (size_t)order * sizeof(float),
                                             .weight = weight,
                                             .bra = bra,
                                             .plain = plain,
                                             .single = single};
        weight += (size_t)hf_ket_steps((int)n) * sizeof(float);
        bra += (size_t)n * sizeof(float);
    }
    return at;
}

/** Where the kets of leaves begin, by slots, in numbers of double precision. */
static void find_places(const struct hf_products *products, int64_t begin[])
{
    begin[0] = 0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        begin[hf_turn_slot(&products->leaves, leaf) + 1] =
            (int64_t)(lay_out_leaf(products, leaf, 0, NULL) / sizeof(double));
    for (int slot = 0; slot < products->n_leaf; slot++) begin[slot + 1] += begin[slot];
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

hf_status hf_kets_create(const struct hf_products *products, struct hf_kets **kets,
                         struct hf_error *error)
{
    const size_t n_leaf = (size_t)products->n_leaf;
    const size_t n_group = n_leaf * (size_t)(products->max_order + 1);
    hf_status status = HF_OK;
    struct hf_kets *made = calloc(1, sizeof *made);
    const size_t group_bytes = lines(n_group * sizeof *made->group);
    const size_t begin_bytes = lines((n_leaf + 1) * sizeof *made->begin);
    size_t bytes = 0;
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the kets");
    HF_TRY(hf_agree(products->context->comm, status, error));
    made->products = products;
    set_factors(made->factor);
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        bytes = lay_out_leaf(products, leaf, bytes, NULL);
    made->n_number = (int64_t)(bytes / sizeof(double));
    HF_TRY(hf_node_memory_create_unset(products->context, HF_MEMORY_PAIRS,
                                       "kets of the Coulomb pass",
                                       group_bytes + begin_bytes + bytes, &made->shared, error));
    made->group = made->shared->data;
    made->begin = (void *)((char *)made->shared->data + group_bytes);
    made->data = (char *)made->begin + begin_bytes;
    if (made->shared->rank == 0) {
        find_places(products, made->begin);
        for (int leaf = 0; leaf < products->n_leaf; leaf++) {
            const int64_t at = made->begin[hf_turn_slot(&products->leaves, leaf)];
            lay_out_leaf(products, leaf, (size_t)at * sizeof(double),
                         made->group + (size_t)leaf * (size_t)(products->max_order + 1));
        }
    }
    hf_node_memory_sync(made->shared);
    *kets = made;
    return HF_OK;
cleanup:
    hf_kets_destroy(&made);
    return status;
}

void hf_kets_destroy(struct hf_kets **kets)
{
    struct hf_kets *old = *kets;
    if (old != NULL) hf_node_memory_destroy(&old->shared);
    free(old);
    *kets = NULL;
}

/** Weights of the products of a group as bras: a derivative raises one of t, u, v, which multiplies (tuv|tuv)^(1/2) by
 *  p^(1/2) at most, as norm_of has it. */
static void weigh_bras(struct hf_kets *kets, const struct hf_ket_group *group, const float found[])
{
    float *weight = (float *)(void *)(kets->data + group->bra);
    for (int i = 0; i < group->n && kets->products->raise != 0; i++)
        weight[i] = found[i] * (float)sqrt(kets->products->exponent[group->first + i]);
}

double hf_kets_bytes(double n, double n_component)
{
    const double plain = HF_KET_ROWS * n + n_component,
                 single = HF_KET_SINGLE_ROWS * n + n_component;
    return n * sizeof(float) + plain * sizeof(double) + single * sizeof(float);
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
    const bool in_single = order <= HF_MOST_SINGLE_ORDER;
    for (int d = 0; d < 3; d++) {
        const double place = products->centre[d][product];
        plain[(HF_KET_X + d) * HF_KET_BLOCK] = place;
        if (!in_single) continue;
        single[(HF_KET_X + d) * HF_KET_BLOCK] = (float)place;
        single[(HF_KET_REST_X + d) * HF_KET_BLOCK] = (float)(place - (double)(float)place);
    }
    plain[HF_KET_EXPONENT * HF_KET_BLOCK] = products->exponent[product];
    if (in_single) single[HF_KET_EXPONENT * HF_KET_BLOCK] = (float)products->exponent[product];
    for (int t = 0, k = 0; t <= order; t++) {
        const double sign = t % 2 == 0 ? 1.0 : -1.0;
        for (; k < hf_n_hermite(t); k++) {
            const double value = h != NULL ? sign * h[k] : 0.0;
            plain[(HF_KET_ROWS + k) * HF_KET_BLOCK] = value;
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

static void fill_group(struct hf_kets *kets, const struct hf_ket_group *group, int order,
                       const double h[])
{
    const struct hf_products *products = kets->products;
    float *weight = (float *)(void *)(kets->data + group->weight), found[HF_LEAF_MOST];
    uint64_t key[HF_LEAF_MOST];
    int number = 0, n_wide = 0;
    for (int i = 0; i < group->n; i++) {
        const int64_t product = group->first + i;
        found[i] =
            (float)norm_of(kets, products->exponent[product], order, h + products->first[product]);
        key[i] = hf_weight_key(found[i], i);
    }
    weigh_bras(kets, group, found);
    hf_sort_weight_keys(group->n, key);
    for (int i = 0; i < group->n; i++) {
        number = (int)(uint32_t)key[i];
        const int64_t product = group->first + number;
        if (i % HF_KET_STEP == 0) weight[i / HF_KET_STEP] = found[number];
        set_ket(kets, group, order, i, product, h + products->first[product]);
        if (hf_is_wide_product(products, product)) n_wide = i + 1;
    }
    for (int i = group->n; i % HF_KET_BLOCK != 0; i++)
        set_ket(kets, group, order, i, group->first + number, NULL);
    *(float *)(void *)(kets->data + group->wide) = (float)n_wide;
}

void hf_kets_fill(struct hf_kets *kets, int leaf, const double h[])
{
    for (int order = 0; order <= kets->products->max_order; order++) {
        const int n_order = kets->products->max_order + 1;
        fill_group(kets, &kets->group[(size_t)leaf * (size_t)n_order + (size_t)order], order, h);
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
