/* The potential of far products, by multipoles: pairs of cells of products whose expansions are accurate enough
 * are summed by expansions; all others are near, and integrals are computed.
 *
 *     H of leaves -> moments of leaves -> of all cells            (up the trees)
 *     moments of far cells -> local expansions of all cells       (across)
 *     local expansions -> those of leaves -> V                    (down)
 *
 * Sources: Greengard and Rokhlin, J. Comput. Phys. 73, 325 (1987); White, Johnson, Gill and Head-Gordon,
 * Chem. Phys. Lett. 230, 8 (1994). The bounds are derived in docs/numerics.md. */
#ifndef HF_FAR_FIELD_H
#define HF_FAR_FIELD_H

#include "products.h"

struct hf_far_field;

/** Room for the expansions of a list of products, which is borrowed, in memory that a node shares.
 *  Collective over the context of the list. HF_NO_RESOURCE on every rank alike. */
hf_status hf_far_field_create(const struct hf_products *products, int n_thread,
                              struct hf_far_field **field, struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_far_field_destroy(struct hf_far_field **field);

/** Expansions of the density h [products->n_component], of which a node needs what its leaves have. What all far cells
 *  together err in an element of J is below the tolerance (hartree) for each product of the element. Work is divided over
 *  ranks and threads. Collective; each rank returns its own outcome. HF_NO_RESOURCE. */
hf_status hf_far_field_build(struct hf_far_field *field, const double h[], double tolerance,
                             struct hf_error *error) HF_MUST_CHECK;

/** Leaves that are near to a leaf, [*n], in rising order of their trees; the last build has summed all others.
 *  Valid until the thread calls again; NULL: no memory. Not collective; each thread of the rank has its
 *  number. */
const int *hf_far_field_near(struct hf_far_field *field, int thread, int leaf, int *n);

/** Sum over the leaves near to a leaf, where before[k] is that over leaves 0 .. k-1; over all leaves if the near ones are
 *  many runs. Not collective. */
double hf_far_field_sum_near(const struct hf_far_field *field, int leaf, const double before[]);

/** Adds the far field to V of the products of a piece of a leaf, v [products->n_component]. Not
 *  collective. */
void hf_far_field_add(struct hf_far_field *field, int thread, const struct hf_leaf_piece *piece,
                      double v[]);

/** Bytes on a node for a list of n products, and on a thread. Not collective. */
double hf_far_field_bytes(double n);
double hf_far_field_thread_bytes(void);

#endif
