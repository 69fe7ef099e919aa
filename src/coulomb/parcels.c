/* Messages with numbers of products; see parcels.h. A message is [number of a product, its numbers] again and again. */
#include "parcels.h"

#include "base/arena.h"
#include "integrals/cartesian.h"

#include <limits.h>
#include <string.h>

struct parcel {
    int64_t product;
    int node;
};

struct hf_parcels {
    struct hf_arena arena;
    const struct hf_products *products; /**< borrowed */
    int tag;
    int64_t n, room;
    struct parcel *parcel; /**< [n] */
    int64_t *begin;        /**< [n_node + 1] of what each node gets, in `out` */
    struct hf_scratch out;
    double *in;
    MPI_Request *request; /**< [n_node] */
};

hf_status hf_parcels_create(const struct hf_products *products, int tag, int64_t n_received,
                            struct hf_parcels **parcels, struct hf_error *error)
{
    const struct hf_shares *shares = products->shares;
    const size_t n_node = (size_t)shares->n_node;
    struct hf_parcels *made;
    if (HF_NEW(made, products->context->memory, "messages of the Coulomb pass") != NULL) {
        made->products = products;
        made->tag = tag;
        made->out.arena = &made->arena;
    }
    if (made != NULL && shares->firsts != MPI_COMM_NULL && n_node > 1) {
        HF_TAKE(&made->arena, made->begin, n_node + 1);
        HF_TAKE(&made->arena, made->request, n_node);
        HF_TAKE(&made->arena, made->in, (size_t)n_received);
    }
    *parcels = made;
    return hf_arena_check_new(made, error);
}

void hf_parcels_clear(struct hf_parcels *parcels)
{
    parcels->n = 0;
    parcels->arena.failed = false;
}

void hf_parcels_add(struct hf_parcels *parcels, int64_t product, int node)
{
    if (hf_arena_grow(&parcels->arena, &parcels->parcel, parcels->n + 1, &parcels->room,
                      sizeof *parcels->parcel))
        parcels->parcel[parcels->n++] = (struct parcel){.product = product, .node = node};
}

/** Where what each node gets begins; the sum of all. */
static int64_t find_places(struct hf_parcels *parcels)
{
    const int n_node = parcels->products->shares->n_node;
    memset(parcels->begin, 0, ((size_t)n_node + 1) * sizeof *parcels->begin);
    for (int64_t i = 0; i < parcels->n; i++)
        parcels->begin[parcels->parcel[i].node + 1] +=
            1 + hf_product_size(parcels->products, parcels->parcel[i].product);
    for (int node = 0; node < n_node; node++) parcels->begin[node + 1] += parcels->begin[node];
    return parcels->begin[n_node];
}

hf_status hf_parcels_pack(struct hf_parcels *parcels, const double values[], struct hf_error *error)
{
    const struct hf_products *products = parcels->products;
    if (parcels->begin == NULL) return HF_OK;
    if (parcels->arena.failed ||
        hf_scratch_reserve(&parcels->out, (size_t)find_places(parcels)) == NULL)
        return hf_arena_check(&parcels->arena, error);
    for (int64_t i = 0; i < parcels->n; i++) {
        const int64_t product = parcels->parcel[i].product, n = hf_product_size(products, product);
        int64_t *at = &parcels->begin[parcels->parcel[i].node];
        parcels->out.value[*at] = (double)product;
        memcpy(parcels->out.value + *at + 1, values + products->first[product],
               (size_t)n * sizeof *values);
        *at += 1 + n;
    }
    const int n_node = products->shares->n_node; /* places are ends now */
    memmove(parcels->begin + 1, parcels->begin, (size_t)n_node * sizeof *parcels->begin);
    parcels->begin[0] = 0;
    for (int node = 0; node < n_node; node++)
        if (parcels->begin[node + 1] - parcels->begin[node] > INT_MAX)
            return hf_fail(error, HF_NO_RESOURCE,
                           "a message of the Coulomb pass has more than %d numbers; run on more "
                           "nodes",
                           INT_MAX);
    return HF_OK;
}

/** The numbers of a message of length n to their places; how many they are. */
static int64_t unpack(const struct hf_products *products, const double message[], int64_t n,
                      double values[])
{
    int64_t n_number = 0;
    for (int64_t at = 0; at < n;) {
        const int64_t product = (int64_t)message[at], n_here = hf_product_size(products, product);
        memcpy(values + products->first[product], message + at + 1,
               (size_t)n_here * sizeof *values);
        n_number += n_here;
        at += 1 + n_here;
    }
    return n_number;
}

void hf_parcels_exchange(struct hf_parcels *parcels, int64_t n_expected, double values[])
{
    const struct hf_shares *shares = parcels->products->shares;
    int n_request = 0;
    if (parcels->begin == NULL) return;
    for (int step = 1; step < shares->n_node; step++) {
        const int node = (shares->node + step) % shares->n_node;
        const int n = (int)(parcels->begin[node + 1] - parcels->begin[node]);
        if (n > 0)
            MPI_Isend(parcels->out.value + parcels->begin[node], n, MPI_DOUBLE, node, parcels->tag,
                      shares->firsts, &parcels->request[n_request++]);
    }
    for (int64_t n_received = 0; n_received < n_expected;) {
        MPI_Status found;
        int n;
        MPI_Probe(MPI_ANY_SOURCE, parcels->tag, shares->firsts, &found);
        MPI_Get_count(&found, MPI_DOUBLE, &n);
        MPI_Recv(parcels->in, n, MPI_DOUBLE, found.MPI_SOURCE, parcels->tag, shares->firsts,
                 MPI_STATUS_IGNORE);
        n_received += unpack(parcels->products, parcels->in, n, values);
    }
    for (int i = 0; i < n_request; i++) MPI_Wait(&parcels->request[i], MPI_STATUS_IGNORE);
}
