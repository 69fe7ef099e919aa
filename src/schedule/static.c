/* Even shares, dealt by cost before the round (book Figs. 6.2 and 6.3, with estimated costs). */
#include "deal.h"
#include "schedule_private.h"

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    struct hf_cost_list list;
    hf_cost_list_make(&self->levels, &list);
    return hf_deal(&list, hf_schedule_n_dealt(self), self->rank, self->data, error);
}

static int64_t next(struct hf_scheduler *self)
{
    return hf_share_take(self->data);
}

static void abandon(struct hf_scheduler *self)
{
    struct hf_share *share = self->data;
    share->begin = share->end;
}

const struct hf_scheduler_ops hf_schedule_static = {
    .name = "static",
    .about = "equal shares by estimated cost, no communication",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 6.3; R. L. Graham, SIAM J. Appl. Math. 17, 416 (1969)",
    .data_bytes = sizeof(struct hf_share),
    .start = start,
    .next = next,
    .abandon = abandon,
};
