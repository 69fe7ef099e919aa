/* Densities for consumers of quartets: threads borrow the blocks of two sites that a part of a task needs.
 * Either each node has one copy of the densities, or blocks stay with their owners and each rank has a cache. */
#ifndef HF_DENSITY_LOAN_H
#define HF_DENSITY_LOAN_H

#include "base/arena.h"
#include "digest/digest.h"
#include "fock/fock.h"
#include "work/work.h"

/** Sites of a part, and its blocks. */
enum {
    HF_MOST_LOAN_SITES = 2 + 2 * HF_MOST_PART_KETS,
    HF_MOST_LOAN_BLOCKS = 1 + 5 * HF_MOST_PART_KETS
};

/** Densities that a rank lends. */
struct hf_lent_densities;

struct hf_lent_settings {
    bool distributed;                     /**< no rank or node holds a whole density */
    struct hf_onesided_settings onesided; /**< used if distributed */
    int n;                                /**< densities */
    int n_alone; /**< the first n_alone: HF_EXCHANGE_ALONE bounds; others: HF_WITH_COULOMB */
};

/** The block of two sites in the functions of the merged basis; rows are functions of the first site. */
struct hf_lent_block {
    const double *value;   /**< of the first density, row-major */
    size_t plane;          /**< from one density to the next */
    int n_column;          /**< from one row to the next */
    int n_largest;         /**< from one row of `largest` to the next */
    const double *largest; /**< [shells of the first][.. n_largest][HF_N_BOUND] largest element */
};

/** What one thread has borrowed. Only hf_lent_block_of reads it outside density_loan.c. */
struct hf_density_loan {
    struct hf_lent_densities *of; /**< borrowed */
    struct hf_arena arena;
    int n_site, site[HF_MOST_LOAN_SITES];
    int *number; /**< [sites] number of a site within the part */
    int n_block;
    struct hf_loan_entry {
        int i, j;
        struct hf_cached_block *cached; /**< of distributed densities */
    } entry[HF_MOST_LOAN_BLOCKS];
    struct hf_lent_block block[HF_MOST_LOAN_SITES][HF_MOST_LOAN_SITES]; /**< by number */
};

/** Prepares densities [n], symmetric and in the published functions, for lending. `merged` is borrowed.
 *  Collective; leaves NULL after a failure. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_lent_densities_create(struct hf_context *context, const struct hf_basis *merged,
                                   const struct hf_lent_settings *settings,
                                   const struct hf_matrix *const density[],
                                   struct hf_lent_densities **lent,
                                   struct hf_error *error) HF_MUST_CHECK;

/** All loans must have ended. Collective; accepts a pointer to NULL; leaves NULL. */
void hf_lent_densities_destroy(struct hf_lent_densities **lent);

/** The largest element of all densities; equal on every rank. Not collective. */
double hf_lent_densities_largest(const struct hf_lent_densities *lent);

/** Bounds of the elements between two sites. Not collective. */
void hf_lent_densities_bounds(const struct hf_lent_densities *lent, int i, int j,
                              double bound[HF_N_BOUND]);

/** Seconds that the threads of this rank have waited for blocks, all together. Not collective. */
double hf_lent_densities_waited(const struct hf_lent_densities *lent);

/** Memory for size->n_density densities. Not collective. */
struct hf_fock_memory hf_lent_densities_memory(const struct hf_fock_size *size, bool distributed);

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_density_loan_init(struct hf_density_loan *loan, struct hf_lent_densities *lent,
                               struct hf_error *error) HF_MUST_CHECK;

/** Accepts a zeroed struct. Not collective. */
void hf_density_loan_done(struct hf_density_loan *loan);

/** Begins to borrow all blocks that the quartets of a part need. Earlier blocks are given back. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_density_loan_begin(struct hf_density_loan *loan, const struct hf_part *part,
                                struct hf_error *error) HF_MUST_CHECK;

/** Waits for the blocks of the part, and records them in the trace, if there is one. Not collective. */
void hf_density_loan_wait(struct hf_density_loan *loan, struct hf_worker *worker,
                          const struct hf_part *part);

/** A borrowed block. */
static inline const struct hf_lent_block *hf_lent_block_of(const struct hf_density_loan *loan,
                                                           int i, int j)
{
    return &loan->block[loan->number[i]][loan->number[j]];
}

#endif
