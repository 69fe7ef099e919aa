/* Memory of the matrices of a calculation, estimated before it runs. */
#ifndef HF_SCF_MEMORY_H
#define HF_SCF_MEMORY_H

#include "fock/fock.h"
#include "hf/scf.h"

/** Bytes of matrices when they are the most, with those of the Fock builder: on the rank that has the
 *  most of them (rank 0), on every other rank, and shared by the ranks of a node; and what each thread
 *  of a rank takes beside them for its sums. */
struct hf_scf_memory {
    double of_first, of_other, of_node, of_thread;
};

/** An estimate for a calculation of `size` (its n_density is found here). Not collective. */
struct hf_scf_memory hf_scf_memory(const struct hf_scf_settings *settings,
                                   const struct hf_fock_size *size);

#endif
