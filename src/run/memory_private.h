/* The estimate of memory and its comparison with what there is. */
#ifndef HF_MEMORY_PRIVATE_H
#define HF_MEMORY_PRIVATE_H

#include "base/memory_limits.h"
#include "fock/fock.h"
#include "pairs/shell_pairs.h"
#include "run/calculation.h"

/** What the estimate follows from: a calculation, or one with other options. */
struct hf_memory_case {
    struct hf_scf_settings settings;
    struct hf_fock_size size;
    struct hf_pair_memory pairs;
    bool apart;          /**< J may be made apart from K */
    bool differentiates; /**< threads also differentiate integrals when the SCF has ended */
    double thread_bytes; /**< of a thread: its engine, queues and strips */
    double stored_most;  /**< all integrals together, on all ranks */
    double kept;         /**< of a rank: what quantities hold while an SCF runs */
    double after;        /**< of a rank: what quantities take when the SCF has ended */
    double beside;       /**< of a rank: the same of quantities that store integrals beside it */
    double resident;     /**< of the process now */
};

/** Free memory for the ranks of this node, and for this process. */
struct hf_memory_room {
    struct hf_memory_limits limits;
    int n_group_rank; /**< ranks of this node in the control group */
    int n_node_rank;  /**< ranks that hold `resident` bytes each already */
};

/** Why a calculation does not fit: the worst of its limits. */
struct hf_memory_excess {
    double bytes;        /**< too many; 0 or below: it fits */
    double need, left;   /**< both with what is held already */
    const char *of, *by; /**< whose need, what limits it */
};

/** Local. */
struct hf_memory_need hf_memory_estimate(const struct hf_memory_case *one);
struct hf_memory_excess hf_memory_compare(const struct hf_memory_case *one,
                                          const struct hf_memory_room *room);

/** The line for what does not fit, with the options that help. Local. */
void hf_memory_refuse(const struct hf_memory_case *one, const struct hf_memory_room *room,
                      const struct hf_memory_excess *excess, size_t size, char text[]);

#endif
