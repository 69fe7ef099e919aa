/* Round-robin: rank r of p does every p-th task from the r-th on (book Figs. 6.2 and 6.3). */
#include "schedule_private.h"

#include <stdlib.h>

struct round_robin {
    int64_t position;
};

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    self->data = calloc(1, sizeof(struct round_robin));
    if (self->data == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the scheduler");
    return HF_OK;
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct round_robin *data = self->data;
    data->position = self->rank;
    return HF_OK;
}

static int64_t next(struct hf_scheduler *self)
{
    struct round_robin *data = self->data;
    if (data->position >= self->n_task) return -1;
    const int64_t task = hf_schedule_task(self, data->position);
    data->position += self->n_rank;
    return task;
}

static void abandon(struct hf_scheduler *self)
{
    struct round_robin *data = self->data;
    data->position = self->n_task;
}

static void finish(struct hf_scheduler *self)
{
    (void)self;
}

const struct hf_scheduler_ops hf_schedule_static = {
    .name = "static",
    .about = "round-robin, no communication",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 6.3",
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
};
