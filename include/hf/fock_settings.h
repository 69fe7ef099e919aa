/* How Fock matrices are built, and what a build took. */
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
    HF_MIXED_PRECISION,  /**< single if its errors are smaller than those of screening */
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
    int tasks_for; /**< number of ranks that the work is divided for; 0: the actual one */
    enum hf_precision_choice precision;
    enum hf_coulomb_choice coulomb;
    int n_thread;        /**< compute threads per rank; 0 counts as 1 */
    double memory_bytes; /**< per rank for stored integrals; 0: none. Equal on all ranks */
    /** Least threshold of later builds; stored integrals are accurate enough for it. */
    double store_threshold;
    bool store_weighed; /**< the first build measures, the second stores what is worthwhile */
    /** J and K have the same bits for any number of ranks and threads, scheduler, builder and transport
     *  (digest/exact_sums.h). This overrides the settings above: double precision, J from the integrals of
     *  K, tasks of atoms, nothing stored. */
    bool reproducible;
};

/** Atom blocks of distributed matrices, counted over all builds and ranks. */
struct hf_block_counts {
    int64_t n_asked;  /**< density blocks that steps needed */
    int64_t n_cached; /**< of these: already on this rank */
    int64_t n_own;    /**< of these: copied from this rank's own part; the rest was fetched */
    int64_t n_sent;   /**< blocks of sums sent to other ranks */
};

/** Counts of the last build, summed over the ranks. */
struct hf_fock_account {
    double threshold;           /**< of the screening, hartree */
    int64_t n_quartet_total;    /**< unique shell quartets (M>=N, R>=S, MN>=RS) */
    int64_t n_quartet_computed; /**< those that passed the screening */
    int64_t n_quartet_read;     /**< those read back from memory */
    int64_t n_quartet_single;   /**< of those computed, in single precision */
    bool coulomb_apart;         /**< J was computed from products; quartets are for K alone */
    double exchange_share;      /**< part of the cost of quartets, an estimate; 0: not estimated */
    int64_t n_product_pair;     /**< pairs of products that were computed for J */
    int64_t n_product_single;   /**< of those, in single precision */
    /** If J is computed apart: numbers of prepared kets sent to all nodes, numbers of H and V sent to single
     *  nodes, and the products of these H and V. */
    int64_t n_coulomb_ket, n_coulomb_sent, n_coulomb_product;
    double stored_bytes;             /**< integrals that all ranks hold */
    double stored_share;             /**< of the cost of all quartets, an estimate, 0 to 1 */
    struct hf_store_outlook outlook; /**< reasons for the amount stored */
    int64_t n_task;                  /**< tasks handed out */
    /** n_task and tasks that screening left empty; task numbers are below this. */
    int64_t n_listed;
    int n_shell;        /**< shells that integrals are computed of; see hf_basis_merge */
    double exact_range; /**< bound on reproducible sums, hartree; 0: not reproducible */
    struct hf_statistic busy_seconds; /**< computing time of the ranks: max/mean is the imbalance */
    struct hf_block_counts blocks;    /**< zero with replicated data */
    const char *scheduler;            /**< in use */
    const char *transport;            /**< one-sided transport in use; NULL with replicated data */
};

#endif
