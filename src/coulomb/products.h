/* Products of primitives: what the Coulomb pass works on.
 *
 * The product of two primitive Gaussians is a sum of Hermite Gaussians about one centre P,
 *
 *     a(r) b(r) = sum_tuv E_tuv d^t/dPx^t d^u/dPy^u d^v/dPz^v exp(-p |r-P|^2),   t+u+v <= L = l_a + l_b
 *
 * (McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978); Helgaker, Jorgensen, Olsen, Molecular
 * Electronic-Structure Theory, chapter 9). Functions of shells that share their exponents have the same
 * products. Of each product the pass knows two vectors over (t,u,v), in the order of hf_hermite_index:
 *
 *     H_tuv = sqrt(2) pi^(5/4)/p  sum_ab D_ab E_tuv(ab)          the density in it
 *     V_tuv = sum_q sum_t'u'v' (-1)^(t'+u'+v') H_t'u'v'(q) R_t+t',u+u',v+v'(pq/(p+q), P-Q) / sqrt(p+q)
 *     J_ab  = sqrt(2) pi^(5/4)/p  sum_tuv E_tuv(ab) V_tuv        summed over the products of ab
 *
 * Derivatives need V_tuv of one total more: then products are raised. H has no such components and is zero there.
 *
 *     product     | leaf 0                | leaf 1 ...             points near each other
 *                 | L = 0 | L = 1 | L = 2 |                        in a leaf by order
 *                 | falling bound | ...                            in an order
 *     component   | 0 | 1 2 3 4 | ...                              `first` of each product */
#ifndef HF_PRODUCTS_H
#define HF_PRODUCTS_H

#include "base/arena.h"
#include "base/shares.h"
#include "tree.h"

#include "integrals/shell_pair.h"

#include <stdint.h>

/** Who has the blocks of densities and Coulomb matrices of pairs of atoms. */
struct hf_pair_owner {
    /** The rank that has those of pair number i of the list; the same on every rank, at any time. Local. */
    int (*rank)(void *data, int i);
    void *data; /**< borrowed */
};

/** The list. Its arrays are in memory that the ranks of a node share; they do not change after creation. */
struct hf_products {
    struct hf_arena arena;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    int max_order;
    int raise; /**< how much higher the totals of V are than those of products, 0 or 1 */
    int64_t n, n_component;
    double *centre[3]; /**< [n] P, bohr */
    double *exponent;  /**< [n] p, 1/bohr^2 */
    float *bound;   /**< [n] estimate of the product's own (ab|ab)^(1/2), as in the list of pairs */
    uint8_t *order; /**< [n] L */
    int64_t *first; /**< [n + 1] first component in H and V */
    int64_t *place; /**< [pairs->n_primitive] product of a primitive pair; of a shell with itself
                        *   the primitives ij and ji are one */
    int *owner;     /**< [n] node that has the blocks of the product's pair of atoms */
    int n_leaf, n_cell;
    struct hf_product_leaf *leaf; /**< [n_leaf] */
    struct hf_cell *
        cell; /**< [n_cell] nodes of the trees, leaves included; a parent comes before its children */
    struct hf_node_memory *shared; /**< memory of all arrays; owned */
    struct hf_shares *shares;      /**< of the ranks that share it; owned */
    struct hf_turns leaves;        /**< ranks that have the leaves */
};

/** Factor pi^(1/4) / sqrt(2p) of a product of exponent p. H_tuv times the factor is the moment of the point multipole with
 *  the same far field. The derivatives of the potential of such multipoles, times the factor, are V_tuv. */
double hf_product_charge(double exponent);

/** c_a c_b of a primitive in a part of a pair; 1 if the pair has one part: then the prefactor of the
 *  primitive contains it. */
static inline double hf_product_coefficient(const struct hf_shell_pairs *pairs,
                                            const struct hf_shell_pair *pair, int part,
                                            const struct hf_primitive_pair *primitive)
{
    if (pairs->class_of[pair->pair_class].n_part == 1) return 1.0;
    return hf_part_coefficient(&pairs->basis->shell[pair->a], &pairs->basis->shell[pair->b], part,
                               primitive);
}

/** Components of a product in H and V. */
static inline int64_t hf_product_size(const struct hf_products *products, int64_t product)
{
    return products->first[product + 1] - products->first[product];
}

/** Number of the node that has a leaf. Not collective. */
int hf_node_of_leaf(const struct hf_products *products, int leaf);

/** The leaf of a product. Not collective. */
int hf_leaf_of_product(const struct hf_products *products, int64_t product);

/** The products of a list of pairs, in trees, raised by `raise`. Collective over the context. HF_NO_RESOURCE; the same
 *  status and message on every rank. */
hf_status hf_products_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                             const struct hf_pair_owner *owner, int raise,
                             struct hf_products **products, struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node; accepts a pointer to NULL; leaves NULL. */
void hf_products_destroy(struct hf_products **products);

/** Bytes that the list takes for so many primitive pairs, at most. Not collective. */
double hf_products_bytes(double n_primitive);

/** A piece of a leaf: the bras of a task. Products that follow each other in a leaf, so most of a piece are of one order and
 * need similar numbers of kets; all pieces of a leaf have about the same estimated cost. */
struct hf_leaf_piece {
    int leaf;
    int64_t begin, end; /**< products */
};

/** Pieces of a leaf at most. */
enum { HF_MOST_PIECES = 128 };

/** Estimated cost of the products of a leaf as bras, for each ket that they could need; of kets, too. Not collective. */
int64_t hf_leaf_cost(const struct hf_products *products, int leaf);

/** Cuts a leaf of that cost into n_piece pieces. Not collective. */
void hf_cut_leaf(const struct hf_products *products, int leaf, int64_t cost, int n_piece,
                 struct hf_leaf_piece piece[]);

/** The products of a piece that are of one order; `end` is not above `begin` if it has none. */
static inline struct hf_leaf_piece hf_order_of_piece(const struct hf_products *products,
                                                     const struct hf_leaf_piece *piece, int order)
{
    const int64_t *first = products->leaf[piece->leaf].first_of_order + order;
    return (struct hf_leaf_piece){.leaf = piece->leaf,
                                  .begin = piece->begin > first[0] ? piece->begin : first[0],
                                  .end = piece->end < first[1] ? piece->end : first[1]};
}

#endif
