/* How Fock matrices are built, and counts of a build. */
#ifndef HF_FOCK_SETTINGS_H
#define HF_FOCK_SETTINGS_H

#include "hf/grain.h"
#include "hf/onesided_settings.h"
#include "hf/schedule_settings.h"
#include "hf/stored_integrals.h"
#include "hf/timer.h"

#include <stdbool.h>
#include <stdint.h>

/** Precision of two-electron integrals. */
enum hf_precision_choice {
    HF_DOUBLE_PRECISION, /**< double throughout */
    HF_MIXED_PRECISION,  /**< single precision if its errors are smaller than those of screening */
};

/** How Coulomb matrices are computed. */
enum hf_coulomb_choice {
    HF_COULOMB_EXACT,  /**< from the same integrals as exchange */
    HF_COULOMB_ENGINE, /**< from products of primitives, in a separate pass (coulomb/coulomb.h) */
    HF_COULOMB_MULTIPOLES, /**< the same, with multipoles for products far apart */
    HF_COULOMB_AUTO,       /**< multipoles if worthwhile, else exact */
};

/** How Fock matrices are built. */
struct hf_fock_settings {
    const char *builder; /**< name in hf_fock_list */
    struct hf_scheduler_settings schedule;
    struct hf_onesided_settings onesided; /**< of the distributed builder */
    enum hf_grain grain;
    int tasks_for; /**< divide the work as for this number of ranks; 0: the actual number */
    enum hf_precision_choice precision;
    enum hf_coulomb_choice coulomb;
    int n_thread; /**< compute threads per rank; 0 means 1 */
    /** memory per rank for stored integrals, equal on all ranks; 0: store none */
    double memory_bytes;
    /** lowest screening threshold of later builds; stored integrals are accurate enough for it */
    double store_threshold;
    /** the first build measures times; the second stores integrals if that is worthwhile */
    bool store_weighed;
    /** J and K have the same bits for any number of ranks and threads, scheduler, builder and transport
     *  (digest/exact_sums.h). This overrides the settings above: double precision, J from the integrals of
     *  K, tasks of atoms, nothing stored. */
    bool reproducible;
};

/** Counts of atom blocks of distributed matrices, over all builds and ranks. */
struct hf_block_counts {
    int64_t n_asked;  /**< density blocks needed by steps */
    int64_t n_cached; /**< of n_asked: already in this rank's cache */
    /** of n_asked: copied from this rank's own part; the remaining ones were fetched */
    int64_t n_own;
    int64_t n_sent; /**< blocks of sums sent to other ranks */
};

/** Counts of the last build, summed over the ranks. */
struct hf_fock_account {
    double threshold;           /**< of the screening, hartree */
    int number;                 /**< of the build in the records of the trace; 0 without a trace */
    int64_t n_quartet_total;    /**< unique shell quartets (M>=N, R>=S, MN>=RS) */
    int64_t n_quartet_computed; /**< quartets that passed the screening */
    int64_t n_quartet_read;     /**< quartets read back from memory */
    int64_t n_quartet_single;   /**< of n_quartet_computed: in single precision */
    bool coulomb_apart; /**< J was computed by the separate Coulomb pass; quartets are for K only */
    double exchange_share; /**< share of K in the cost of quartets, an estimate; 0: not estimated */
    int64_t n_product_pair;   /**< pairs of products computed for J */
    int64_t n_product_single; /**< of n_product_pair: in single precision */
    /** Coulomb pass: numbers of prepared kets gathered on all nodes; numbers of H and V sent to single nodes;
     *  products to which these belong. */
    int64_t n_coulomb_ket, n_coulomb_sent, n_coulomb_product;
    double stored_bytes; /**< stored integrals of all ranks together */
    /** share of the stored ones in the cost of all quartets, an estimate, 0 to 1 */
    double stored_share;
    struct hf_store_outlook outlook; /**< reasons for the amount stored */
    int64_t n_task;                  /**< tasks handed out */
    /** n_task plus tasks without quartets after screening; task numbers are below n_listed */
    int64_t n_listed;
    int n_shell;        /**< shells of the merged basis, see hf_basis_merge */
    double exact_range; /**< bound on reproducible sums, hartree; 0: not reproducible */
    struct hf_statistic busy_seconds; /**< computing time of the ranks: max/mean is the imbalance */
    struct hf_block_counts blocks;    /**< zero with replicated data */
    const char *scheduler;            /**< scheduler in use */
    const char *transport;            /**< one-sided transport in use; NULL with replicated data */
};

#endif
