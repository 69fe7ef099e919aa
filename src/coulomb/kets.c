/* Kets as kernels read them; see kets.h. */
#include "kets.h"

#include "hermite_densities.h"

#include "hf/node_memory.h"

#include <math.h>
#include <stdlib.h>

/** What single precision must hold of a product, (2p)^L: two of them, and the Boys function between. */
static const double WIDEST = 0x1p60;

/** Numbers of whole blocks of n kets. */
static int64_t numbers_of(int64_t n, int n_row)
{
    return (n + HF_KET_BLOCK - 1) / HF_KET_BLOCK * HF_KET_BLOCK * n_row;
}

/** Numbers of all groups; fills in where each begins, unless `group` is NULL. */
static void lay_out(const struct hf_products *products, struct hf_ket_group *group,
                    int64_t *n_plain, int64_t *n_single)
{
    *n_plain = *n_single = 0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++) {
        for (int order = 0; order <= products->max_order; order++) {
            const int64_t *first = &products->leaf[leaf].first_of_order[order];
            const int64_t n = first[1] - first[0];
            if (group != NULL)
                *group++ = (struct hf_ket_group){
                    .first = first[0], .n = (int)n, .plain = *n_plain, .single = *n_single};
            *n_plain += numbers_of(n, HF_KET_ROWS + hf_n_hermite(order));
            if (order <= HF_MOST_SINGLE_ORDER)
                *n_single += numbers_of(n, HF_KET_SINGLE_ROWS + hf_n_hermite(order));
        }
    }
}

hf_status hf_kets_create(const struct hf_products *products, struct hf_kets **kets,
                         struct hf_error *error)
{
    const size_t n_group = (size_t)products->n_leaf * (size_t)(products->max_order + 1);
    hf_status status = HF_OK;
    int64_t n_plain, n_single;
    struct hf_kets *made = calloc(1, sizeof *made);
    lay_out(products, NULL, &n_plain, &n_single);
    const size_t group_bytes = hf_whole_lines(n_group * sizeof *made->group);
    const size_t weight_bytes = hf_whole_lines((size_t)products->n * sizeof *made->weight);
    const size_t plain_bytes = (size_t)n_plain * sizeof *made->plain;
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the kets");
    HF_TRY(hf_agree(products->context->comm, status, error));
    made->products = products;
    HF_TRY(hf_node_memory_create(products->context, HF_MEMORY_PAIRS, "kets of the Coulomb pass",
                                 group_bytes + weight_bytes + plain_bytes +
                                     (size_t)n_single * sizeof *made->single,
                                 &made->shared, error));
    made->group = made->shared->data;
    made->weight = (void *)((char *)made->shared->data + group_bytes);
    made->plain = (void *)((char *)made->weight + weight_bytes);
    made->single = (void *)((char *)made->plain + plain_bytes);
    if (made->shared->rank == 0) lay_out(products, made->group, &n_plain, &n_single);
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

double hf_kets_bytes(double n, double n_component)
{
    const double plain = HF_KET_ROWS * n + n_component,
                 single = HF_KET_SINGLE_ROWS * n + n_component;
    return n * sizeof(float) + plain * sizeof(double) + single * sizeof(float);
}

/** A product with its density. */
struct weighed {
    float weight;
    int64_t product;
};

static int by_falling_weight(const void *left, const void *right)
{
    const struct weighed *x = left, *y = right;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->product > y->product) - (x->product < y->product);
}

/** Ket number i of a group becomes that product; NULL: nothing, where products[0] is. */
static void set_ket(struct hf_kets *kets, const struct hf_ket_group *group, int order, int i,
                    int64_t product, const double *h)
{
    const struct hf_products *products = kets->products;
    const int n = hf_n_hermite(order), block = i / HF_KET_BLOCK, lane = i % HF_KET_BLOCK;
    double *plain = kets->plain + group->plain +
                    (size_t)block * (size_t)((HF_KET_ROWS + n) * HF_KET_BLOCK) + lane;
    float *single = kets->single + group->single +
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
    for (int k = 0; k < products->order[product]; k++) range *= 2.0 * products->exponent[product];
    return range > WIDEST;
}

static void fill_group(struct hf_kets *kets, struct hf_ket_group *group, int order,
                       const double h[])
{
    const struct hf_products *products = kets->products;
    struct weighed ket[HF_LEAF_MOST];
    for (int i = 0; i < group->n; i++) {
        const int64_t product = group->first + i;
        ket[i].product = product;
        ket[i].weight = (float)hf_hermite_norm(products->exponent[product], order,
                                               h + products->first[product]);
    }
    qsort(ket, (size_t)group->n, sizeof *ket, by_falling_weight);
    group->n_wide = 0;
    for (int i = 0; i < group->n; i++) {
        kets->weight[group->first + i] = ket[i].weight;
        set_ket(kets, group, order, i, ket[i].product, h + products->first[ket[i].product]);
        if (hf_is_wide_product(products, ket[i].product)) group->n_wide = i + 1;
    }
    for (int i = group->n; i % HF_KET_BLOCK != 0; i++)
        set_ket(kets, group, order, i, ket[group->n - 1].product, NULL);
}

void hf_kets_fill(struct hf_kets *kets, int leaf, const double h[])
{
    for (int order = 0; order <= kets->products->max_order; order++) {
        const int n_order = kets->products->max_order + 1;
        fill_group(kets, &kets->group[(size_t)leaf * (size_t)n_order + (size_t)order], order, h);
    }
}

int hf_kets_above(const struct hf_kets *kets, const struct hf_ket_group *group, double least)
{
    const float *weight = kets->weight + group->first;
    int low = 0, high = group->n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if ((double)weight[middle] >= least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
