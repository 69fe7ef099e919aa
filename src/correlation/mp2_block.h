/* A block of amplitudes of MP2 gradients on a rank: some virtual orbitals a of an orbital i, with all jb. Its steps are
 * work of threads (hf_thread_work on struct hf_mp2_amplitudes); mp2_amplitudes.c runs them and has a picture of the order. */
#ifndef HF_MP2_BLOCK_H
#define HF_MP2_BLOCK_H

#include "base/threads.h"
#include "mp2_response.h"

/** Rows of P_ab that a thread computes at a time; pieces of the sum for P_ij, whose number fixes its bits. */
enum { HF_MP2_ROWS = 2 * HF_PRODUCT_GROUP, HF_MP2_PIECES = 16 };

/** This step on one rank. Amplitudes of a block: [b][j][a] of each spin of j, a: columns of the block. */
struct hf_mp2_amplitudes {
    struct hf_mp2 *mp2;    /**< borrowed */
    struct hf_arena arena; /**< owns all arrays, also those of the exchange */
    struct hf_mp2_exchange exchange;
    int n_joined;               /**< occupied orbitals of both spins */
    int first[HF_MAX_SPIN + 1]; /**< occupied orbitals before each spin */
    size_t joined_length;
    double *joined;                       /**< [n][joined_length] C_rj */
    double *packed_joined;                /**< the same, packed as left matrix [n][J] */
    double *packed_orbitals;              /**< the same, packed as left matrix [J][n] */
    double *packed_virtuals[HF_MAX_SPIN]; /**< C_sb, packed as left matrix [n][v] */
    double *third; /**< (ia|js), block after block of this rank's columns: [s][J][a] */
    double *back;  /**< [s][J][a]: sum_b C_sb u_ij^ab of a block */
    double *t;     /**< block after block of this rank's columns */
    /** From other ranks, block after block of theirs: [b][j][a], b: columns of this rank. */
    double *swapped;
    double *u;                /**< of a block */
    double *turned;           /**< t and (ia|js) of a block, [j][a][b, then s] of each spin */
    double *partial;          /**< [HF_MP2_PIECES][o][length of o] of each spin */
    struct hf_mp2_lane *lane; /**< [n_thread] */
    int n_together;           /**< blocks that are exchanged together */
    /** [n_rank] columns of the ranks in this round; those that are exchanged now */
    struct hf_mp2_unit *part, *exchanged;
    struct hf_mp2_unit block;      /**< this rank's current block */
    const struct hf_mp2_unit *now; /**< points to it */
};

static inline size_t hf_mp2_width(const struct hf_mp2_unit *unit)
{
    return unit->end - unit->begin;
}

/** This rank's part in the round. */
static inline const struct hf_mp2_unit *hf_mp2_own_part(const struct hf_mp2_amplitudes *self)
{
    return &self->part[self->mp2->context->rank];
}

static inline const struct hf_mp2_unit *hf_mp2_own_exchanged(const struct hf_mp2_amplitudes *self)
{
    return &self->exchanged[self->mp2->context->rank];
}

/** Number of virtual orbitals of i among the columns of a unit. */
static inline size_t hf_mp2_columns_used(const struct hf_mp2_amplitudes *self,
                                         const struct hf_mp2_unit *unit)
{
    const size_t n = (size_t)self->mp2->orbitals[unit->spin].n_virtual;
    return (unit->end < n ? unit->end : n) - unit->begin;
}

/** Number of pairs jb of the spins before `spin`. */
static inline size_t hf_mp2_n_before(const struct hf_mp2_amplitudes *self, int spin)
{
    size_t n = 0;
    for (int s = 0; s < spin; s++)
        n += (size_t)self->mp2->orbitals[s].n_occupied * (size_t)self->mp2->orbitals[s].n_virtual;
    return n;
}

/** t of a block of this rank. */
static inline double *hf_mp2_t_of(const struct hf_mp2_amplitudes *self,
                                  const struct hf_mp2_unit *block, int spin)
{
    return self->t +
           (block->begin - hf_mp2_own_part(self)->begin) *
               hf_mp2_n_before(self, self->mp2->n_spin) +
           hf_mp2_n_before(self, spin) * hf_mp2_width(block);
}

/** (ia|js) of a block of this rank. */
static inline double *hf_mp2_third_of(const struct hf_mp2_amplitudes *self,
                                      const struct hf_mp2_unit *block)
{
    const size_t n_row = (size_t)self->mp2->merged->n_function * (size_t)self->n_joined;
    return self->third + (block->begin - hf_mp2_own_part(self)->begin) * n_row;
}

/** Length of rows over the virtual orbitals of a spin, then over functions. */
static inline size_t hf_mp2_turned_length(const struct hf_mp2_amplitudes *self, int spin)
{
    return self->mp2->orbitals[spin].length + hf_padded(self->mp2->merged->n_function);
}

/** Block of columns that begins with the column `begin`. */
static inline struct hf_mp2_unit hf_mp2_find_block(const struct hf_mp2_amplitudes *self, int spin,
                                                   size_t begin)
{
    const struct hf_mp2_orbitals *orbitals = &self->mp2->orbitals[spin];
    const size_t width = hf_mp2_block_width(orbitals->n_virtual);
    struct hf_mp2_unit block = {.spin = spin, .begin = begin, .end = begin + width};
    if (block.end > orbitals->length) block.end = orbitals->length;
    return block;
}

/** Number of rows b of the spin of i, among the columns of this rank, and their numbers in a row of a block. */
static inline size_t hf_mp2_n_swapped(const struct hf_mp2_amplitudes *self,
                                      const struct hf_mp2_unit *block,
                                      const struct hf_mp2_unit *part)
{
    return hf_mp2_columns_used(self, part) * (size_t)self->mp2->orbitals[block->spin].n_occupied *
           hf_mp2_width(block);
}

/** Numbers of one piece of the sums for P_ij. */
static inline size_t hf_mp2_piece_size(const struct hf_mp2_amplitudes *self)
{
    size_t n = 0;
    for (int spin = 0; spin < self->mp2->n_spin; spin++) {
        const int o = self->mp2->orbitals[spin].n_occupied;
        n += (size_t)o * hf_padded(o);
    }
    return n;
}

/** Adds the pieces in order. */
void hf_mp2_block_join(const struct hf_mp2_amplitudes *self);

/** Steps of a block that is received: (ia|js), then (ia|jb) and t. */
hf_status hf_mp2_block_third(void *data, int thread, int n_thread, struct hf_error *error);
hf_status hf_mp2_block_fourth(void *data, int thread, int n_thread, struct hf_error *error);

/** Steps of a block whose t of other columns is there: u, P, and T_ia(rs) instead of (ia|rs). */
hf_status hf_mp2_block_weigh(void *data, int thread, int n_thread, struct hf_error *error);
hf_status hf_mp2_block_add_virtual(void *data, int thread, int n_thread, struct hf_error *error);
hf_status hf_mp2_block_add_occupied(void *data, int thread, int n_thread, struct hf_error *error);
hf_status hf_mp2_block_write_rows(void *data, int thread, int n_thread, struct hf_error *error);
hf_status hf_mp2_block_add_rows(void *data, int thread, int n_thread, struct hf_error *error);

#endif
