/* Messages between nodes with numbers of products: H goes from the nodes that have a pair of atoms to those that have a
 * leaf, V from the nodes that computed it to those that have the pair. A node gets only what it needs, in one message
 * from each node that has any of it. */
#ifndef HF_COULOMB_PARCELS_H
#define HF_COULOMB_PARCELS_H

#include "products.h"

struct hf_parcels;

/** Room for messages with this tag, of up to n_received numbers and numbers of products together, for products of
 *  `products` (borrowed). Local. Only the first rank of a node needs it. HF_NO_RESOURCE. Release the
 *  result with hf_arena_free, also after a failure. */
hf_status hf_parcels_create(const struct hf_products *products, int tag, int64_t n_received,
                            struct hf_parcels **parcels, struct hf_error *error) HF_MUST_CHECK;

/** Empties the list of products to be sent. Local, as the next two. */
void hf_parcels_clear(struct hf_parcels *parcels);

/** Lists the numbers of a product for a node. */
void hf_parcels_add(struct hf_parcels *parcels, int64_t product, int node);

/** Packs the numbers of all products of the list, values [products->n_component]. HF_NO_RESOURCE, also if an addition
 *  to the list failed. */
hf_status hf_parcels_pack(struct hf_parcels *parcels, const double values[],
                          struct hf_error *error) HF_MUST_CHECK;

/** Sends what is packed and receives n_expected numbers into their places. Collective over the first ranks of the
 *  nodes. Between two calls with one tag all first ranks must have heard of each other: messages do not say to which call
 *  they belong. */
void hf_parcels_exchange(struct hf_parcels *parcels, int64_t n_expected, double values[]);

#endif
