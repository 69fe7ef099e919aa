/* Groups of ranks with contexts of their own, and the counter that deals tasks to them. */
#include "schedule/rank_groups.h"

#include "hf/interruption.h"

/** More tasks than any list has. */
static const int64_t BEYOND = INT64_C(1) << 40;

/** Group contexts check signals and the time limit through the whole context, which informs all ranks. */
static int ask_whole(void *data, double fraction)
{
    (void)fraction;
    return hf_interruption_look(data, false);
}

hf_status hf_rank_groups_check(const struct hf_context *whole, int n_group, struct hf_error *error)
{
    if (n_group >= 1 && n_group <= whole->n_rank) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "groups: %d groups of %d ranks; expected 1 to %d", n_group,
                   whole->n_rank, whole->n_rank);
}

hf_status hf_rank_groups_create(struct hf_context *whole, int n_group,
                                struct hf_rank_groups *groups, struct hf_error *error)
{
    hf_status status = HF_OK;
    MPI_Comm comm;
    *groups = (struct hf_rank_groups){.whole = whole, .own = whole, .n_group = n_group};
    HF_TRY(hf_rank_groups_check(whole, n_group, error)); /* the same on every rank */
    groups->group = (int)((int64_t)whole->rank * n_group / whole->n_rank);
    HF_TRY(hf_counter_create(whole->comm, HF_COUNTER_FETCH_AND_OP, 1, &groups->counter, error));
    if (n_group == 1) return HF_OK;
    groups->own = NULL;
    MPI_Comm_split(whole->comm, groups->group, whole->rank, &comm);
    status = hf_context_create(comm, &groups->own, error);
    MPI_Comm_free(&comm);
    HF_TRY(hf_agree(whole->comm, status, error));
    groups->own->n_thread = whole->n_thread;
    groups->own->reproducible = whole->reproducible;
    for (int i = 0; i < whole->timers.n_phase; i++)
        hf_timers_declare(&groups->own->timers, whole->timers.timer[i].phase);
    hf_interruption_watch(groups->own->interruption, ask_whole, whole->interruption);
cleanup:
    return status;
}

int64_t hf_rank_groups_take(struct hf_rank_groups *groups)
{
    int64_t number = 0;
    if (groups->own->rank == 0) number = hf_counter_take(groups->counter, 0, 1);
    MPI_Bcast(&number, 1, MPI_INT64_T, 0, groups->own->comm);
    return number;
}

void hf_rank_groups_stop(struct hf_rank_groups *groups)
{
    (void)hf_counter_take(groups->counter, 0, BEYOND);
}

void hf_rank_groups_done(struct hf_rank_groups *groups)
{
    if (groups->own != NULL && groups->own != groups->whole) {
        hf_timers_merge(&groups->whole->timers, &groups->own->timers);
        hf_context_destroy(&groups->own);
    }
    hf_counter_destroy(&groups->counter);
    *groups = (struct hf_rank_groups){0};
}
