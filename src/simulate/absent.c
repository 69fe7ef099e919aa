/* Functions that the rooms name, and that do nothing on simulated ranks: without integrals, stores, matrices and
 * derivatives. They have no arguments here, so that they are a line each; the linker does not mind. */
#include <stdio.h>
#include <stdlib.h>

/** Nothing to do; success, false or NULL if it returns anything. */
#define NOTHING(name)                                                                              \
    long name(void);                                                                               \
    long name(void)                                                                                \
    {                                                                                              \
        return 0;                                                                                  \
    }

/** Never called. */
#define NEVER(name)                                                                                \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
        fputs("hf-simulate: " #name " was called\n", stderr);                                      \
        abort();                                                                                   \
    }

NOTHING(hf_trace_add_block)
NOTHING(hf_engine_set_threshold)
NOTHING(hf_work_prepare_store)
NOTHING(hf_work_primitive_threshold)
NOTHING(hf_work_drop_store)
NOTHING(hf_task_costs_wanted)
NOTHING(hf_task_costs_forget)
NOTHING(hf_pack)
NOTHING(hf_pack_rows)
NOTHING(hf_matrix_gather_full)
NOTHING(hf_mix_orbitals)
NOTHING(hf_sparse_mix)
NOTHING(hf_sparse_find)
NOTHING(hf_sparse_destroy)
NOTHING(hf_local_make_weights)
NOTHING(hf_local_back)
NOTHING(hf_local_residual)
NOTHING(hf_local_divide)
NOTHING(hf_diis_find)

NEVER(hf_worker_read)
NEVER(hf_worker_compute)
NEVER(hf_work_look_at_store)
NEVER(hf_work_learn_prices)
NEVER(hf_work_keep_store)
NEVER(hf_work_next_stored)
NEVER(hf_integral_store_begin)
NEVER(hf_task_list_levels)
NEVER(hf_task_costs_note)
NEVER(hf_task_costs_correct)
NEVER(hf_common_pairs_create)
NEVER(hf_mp2_amplitudes)
NEVER(hf_mp2_second_pass)
NEVER(hf_mp2_begin_derivatives)
NEVER(hf_mp2_end_derivatives)
NEVER(hf_mp2_with_derivatives)
