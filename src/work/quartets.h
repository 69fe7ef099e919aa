/* The shell quartets of two lists of shell pairs: screened, computed, digested. The Fock builders
 * differ in where densities and sums are; this is what they share. */
#ifndef HF_QUARTETS_H
#define HF_QUARTETS_H

#include "../fock/add_quartets.h"
#include "hf/engine.h"
#include "hf/shell_pair.h"
#include "integral_store.h"

#include <stdbool.h>
#include <stdint.h>

/** Shell pairs begin .. end-1, inside one pair of atoms where blocks are atom blocks. */
struct hf_ket_range {
    int64_t begin, end;
    double bound; /**< no ket has a larger one */
    const struct hf_quartet_blocks *blocks;
    bool triangle; /**< kets up to the bra only */
};

/** A ket that waits for a batch. */
struct hf_waiting_ket {
    int range;              /**< it is from */
    bool coulomb, exchange; /**< whether the quartet adds to J, to K */
};

/** Kets of one class that wait for a batch with the same bra. */
struct hf_quartet_queue {
    int n;
    const struct hf_shell_pair *ket[HF_MAX_BATCH];
    struct hf_waiting_ket waiting[HF_MAX_BATCH];
};

/** Queues of a class: what is stored is computed apart, what will do in single precision too. */
enum { HF_QUEUE_PLAIN, HF_QUEUE_STORED, HF_QUEUE_NARROW, HF_N_QUEUE };

/** What a build leaves out. */
struct hf_screening {
    double threshold;   /**< hartree */
    double max_density; /**< no element of any density is larger */
};

/** What is done about quartets that the plan of the store has. */
enum hf_store_use {
    HF_STORE_NONE,   /**< there is no store: nothing special */
    HF_STORE_RECORD, /**< computed, whatever the density, and stored */
    HF_STORE_SKIP,   /**< left out: they are read back elsewhere */
};

/** What computes quartets; one per thread. */
struct hf_quartet_work {
    const struct hf_shell_pairs *pairs;   /**< borrowed */
    const struct hf_screening *screening; /**< borrowed */
    struct hf_digestion digestion;
    struct hf_engine *engine;
    struct hf_quartet_queue *queue;   /**< [n_class][HF_N_QUEUE], empty between calls */
    const struct hf_ket_range *range; /**< of the call */
    enum hf_store_use store_use;
    const struct hf_store_plan *plan; /**< borrowed; unless HF_STORE_NONE */
    struct hf_integral_store *store;  /**< borrowed; where HF_STORE_RECORD puts them */
    bool store_failed;                /**< no memory even to note a quartet */
    int64_t n_computed, n_read;       /**< shell quartets so far */
};

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_quartet_work_init(struct hf_quartet_work *work, const struct hf_shell_pairs *pairs,
                               const struct hf_screening *screening,
                               struct hf_error *error) HF_MUST_CHECK;
void hf_quartet_work_done(struct hf_quartet_work *work);

/** The quartets of the bras bra_begin .. bra_end-1 (inside one pair of atoms, likewise) with the
 *  kets of `n` ranges: computes what passes the screening and adds it to the sums (book Fig. 8.2).
 *  Batches are filled from all ranges, so that many are better than one by one. */
void hf_quartets_compute(struct hf_quartet_work *work, int64_t bra_begin, int64_t bra_end, int n,
                         const struct hf_ket_range range[]);

/** The stored quartets of the same ranges: read back, screened, added to the sums. */
void hf_quartets_read(struct hf_quartet_work *work, const struct hf_integral_store *store,
                      const struct hf_store_segment *segment, const struct hf_ket_range range[]);

#endif
