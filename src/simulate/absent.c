/* Functions that the rooms name, and that do nothing on simulated ranks: without integrals, stores, matrices and
 * derivatives. */
#include "base/threads.h"
#include "correlation/mp2_block.h"
#include "hf/basis.h"
#include "hf/linalg.h"
#include "integrals/engine.h"
#include "integrals/quartet_gradient.h"
#include "linalg/matrix_product.h"
#include "local/local_iterate.h"
#include "local/local_transform.h"
#include "localise/sparse_matrix.h"
#include "orbitals/diis.h"
#include "pairs/common_pairs.h"
#include "store/integral_store.h"
#include "text/trace.h"
#include "work/costs.h"
#include "work/tasks.h"
#include "work/work_private.h"

#include <stdio.h>
#include <stdlib.h>

/** Nothing to do; success, false, NULL or 0 if it returns anything. */
#define NOTHING(name, ...)                                                                         \
    void name(__VA_ARGS__)                                                                         \
    {                                                                                              \
    }
#define RETURNS(type, name, ...)                                                                   \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        return (type)0;                                                                            \
    }

/** Never called. */
#define NEVER(type, name, ...)                                                                     \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        fputs("hf-simulate: " #name " was called\n", stderr);                                      \
        abort();                                                                                   \
    }

NOTHING(hf_trace_add_block, struct hf_trace *trace, int thread, int kind, int64_t task, int i,
        int j, double bytes)
NOTHING(hf_threads_each, int n_thread, size_t n,
        void (*work)(void *data, int piece, struct hf_elements elements), void *data)
NOTHING(hf_engine_set_threshold, struct hf_engine *engine, double threshold)
NOTHING(hf_work_drop_store, struct hf_work *work)
NOTHING(hf_task_costs_forget, struct hf_task_costs *costs)
NOTHING(hf_pack, int n_row, int n_inner, const double *from, size_t row_step, size_t inner_step,
        double *packed)
NOTHING(hf_pack_rows, int n_row, int n_inner, const int inner[], const double *from,
        size_t inner_step, double *packed)
NOTHING(hf_matrix_gather_full, const struct hf_matrix *matrix, double *full)
NOTHING(hf_mix_orbitals, const struct hf_basis *merged, bool sums, int n_orbital,
        double coefficient[])
NOTHING(hf_sparse_destroy, struct hf_sparse_matrix **matrix)
NOTHING(hf_local_back, const struct hf_local *local, int q, const double t[], double block[],
        struct hf_local_room *room)
NOTHING(hf_local_residual, const struct hf_local *local, int q, const struct hf_local_state *state,
        double r[], struct hf_local_room *room)
NOTHING(hf_local_divide, const struct hf_local *local, const struct hf_local_pair *pair,
        const struct hf_local_domain *domain, double r[])
NOTHING(hf_mp2_block_join, const struct hf_mp2_amplitudes *self)
NOTHING(hf_gradient_engine_destroy, struct hf_gradient_engine **engine)
RETURNS(double, hf_work_primitive_threshold, const struct hf_work *work, enum hf_store_use use)
RETURNS(bool, hf_task_costs_wanted, const struct hf_task_costs *costs)
RETURNS(hf_status, hf_work_prepare_store, struct hf_work *work, const struct hf_round *round,
        struct hf_error *error)
RETURNS(hf_status, hf_sparse_mix, const struct hf_basis *merged,
        const struct hf_sparse_matrix *from, struct hf_sparse_matrix **to, struct hf_error *error)
RETURNS(const double *, hf_sparse_find, const struct hf_sparse_matrix *matrix, int row_part,
        int column_part)
RETURNS(hf_status, hf_local_make_weights, struct hf_local_integrals *self, struct hf_error *error)
RETURNS(double, hf_shell_momentum, const struct hf_shell *shell)
RETURNS(struct hf_engine *, hf_work_engine, const struct hf_worker *worker)
RETURNS(hf_status, hf_gradient_engine_create, struct hf_engine *of,
        struct hf_gradient_engine **engine, struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_third, void *data, int thread, int n_thread, struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_fourth, void *data, int thread, int n_thread,
        struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_weigh, void *data, int thread, int n_thread, struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_add_virtual, void *data, int thread, int n_thread,
        struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_add_occupied, void *data, int thread, int n_thread,
        struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_write_rows, void *data, int thread, int n_thread,
        struct hf_error *error)
RETURNS(hf_status, hf_mp2_block_add_rows, void *data, int thread, int n_thread,
        struct hf_error *error)
RETURNS(bool, hf_diis_find, int n, const double product[], double work[], double coefficient[])

NEVER(void, hf_worker_read, struct hf_worker *worker, const struct hf_part *part)
NEVER(void, hf_worker_compute, struct hf_worker *worker, const struct hf_part *part)
NEVER(void, hf_work_look_at_store, struct hf_worker *worker)
NEVER(void, hf_work_learn_prices, struct hf_work *work)
NEVER(void, hf_work_keep_store, struct hf_work *work)
NEVER(bool, hf_work_next_stored, struct hf_worker *worker, struct hf_part *part)
NEVER(hf_status, hf_integral_store_begin, struct hf_integral_store *store, int64_t task,
      int32_t part, struct hf_error *error)
NEVER(void, hf_task_list_levels, const struct hf_task_list *list, struct hf_task_levels *levels)
NEVER(void, hf_task_costs_note, struct hf_task_costs *costs, int thread, int64_t task,
      double seconds)
NEVER(void, hf_task_costs_correct, struct hf_task_costs *costs)
NEVER(hf_status, hf_common_pairs_create, struct hf_context *context, const struct hf_basis *basis,
      double accuracy, struct hf_common_pairs **common, struct hf_error *error)
NEVER(void, hf_gradient_engine_set_threshold, struct hf_gradient_engine *engine, double threshold)
NEVER(void, hf_gradient_engine_compute, struct hf_gradient_engine *engine,
      const struct hf_shell_pair *bra, int n_ket, const struct hf_shell_pair *const ket[],
      int n_density, const struct hf_quartet_density density[], double gradient[][4][3])
