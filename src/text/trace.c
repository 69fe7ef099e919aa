/* Records of spans of time in chunks per thread, and their way to rank 0. */
#include "text/trace.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(struct hf_trace_record) == 24, "records are written as they are");

enum { CHUNK = 4096, MOST_THREADS = 255, TAG = 1 };

static const char label[] = "the trace";

/** Records in the order they were made; full chunks before it. */
struct chunk {
    struct chunk *next;
    int n;
    struct hf_trace_record record[CHUNK];
};

/** Records of one thread; a separate cache line, since every thread writes here. */
struct thread_trace {
    _Alignas(64) struct chunk *first;
    struct chunk *last;
    int64_t n_record;
    struct hf_arena arena; /**< has the chunks */
};

struct hf_trace {
    struct hf_arena arena;
    struct hf_context *context; /**< borrowed */
    double origin;              /**< of hf_wall_seconds */
    uint16_t build, n_build, n_batch;
    int n_thread;
    struct thread_trace *thread; /**< [n_thread] */
};

int hf_trace_n_kind(const struct hf_context *context)
{
    return HF_TRACE_FIRST_PHASE + context->timers.n_phase;
}

const char *hf_trace_kind_name(const struct hf_context *context, int kind)
{
    switch (kind) {
    case HF_TRACE_TASK: return "task";
    case HF_TRACE_STORED_TASK: return "stored task";
    case HF_TRACE_COULOMB_TASK: return "Coulomb task";
    case HF_TRACE_FIRST_QUARTER: return "first quarter";
    case HF_TRACE_SECOND_QUARTER: return "second quarter";
    case HF_TRACE_COPYING: return "copying";
    case HF_TRACE_PAIR_TASK: return "pair task";
    case HF_TRACE_STEP: return "step";
    case HF_TRACE_COULOMB_STEP: return "Coulomb step";
    default: return context->timers.timer[kind - HF_TRACE_FIRST_PHASE].phase->name;
    }
}

/** For hf_timers.listener; `data` is the trace. Timers are of the first thread. */
static void add_span(void *data, int place, double start, double seconds)
{
    hf_trace_add(data, 0, HF_TRACE_FIRST_PHASE + place, -1, start, seconds);
}

hf_status hf_trace_create(struct hf_context *context, int n_thread, struct hf_trace **trace,
                          struct hf_error *error)
{
    struct hf_trace *made;
    if (HF_NEW(made, context->memory, label) != NULL) {
        made->context = context;
        made->build = HF_TRACE_NO_BUILD;
        made->n_thread = n_thread > 1 ? n_thread : 1;
        HF_TAKE(&made->arena, made->thread, (size_t)made->n_thread);
        for (int i = 0; i < made->n_thread && made->thread != NULL; i++)
            made->thread[i].arena = (struct hf_arena){.memory = context->memory, .label = label};
    }
    HF_CHECK(hf_arena_agree_new(context, &made, HF_OK, error));
    MPI_Barrier(context->comm);
    made->origin = hf_wall_seconds();
    context->timers.listener = add_span;
    context->timers.listener_data = context->trace = *trace = made;
    return HF_OK;
}

void hf_trace_destroy(struct hf_trace **trace)
{
    struct hf_trace *old = *trace;
    if (old == NULL) return;
    for (int i = 0; old->thread != NULL && i < old->n_thread; i++)
        hf_arena_done(&old->thread[i].arena);
    if (old->context->trace == old) {
        old->context->trace = NULL;
        old->context->timers.listener = NULL;
    }
    hf_arena_free(trace);
}

int hf_trace_begin_build(struct hf_trace *trace)
{
    if (trace == NULL) return 0;
    trace->build = trace->n_build;
    if (trace->n_build < HF_TRACE_FIRST_BATCH - 1) trace->n_build++;
    return trace->build;
}

void hf_trace_begin_batch(struct hf_trace *trace)
{
    if (trace == NULL) return;
    trace->build = (uint16_t)(HF_TRACE_FIRST_BATCH + trace->n_batch);
    if (trace->n_batch < HF_TRACE_NO_BUILD - HF_TRACE_FIRST_BATCH - 1) trace->n_batch++;
}

void hf_trace_end_build(struct hf_trace *trace)
{
    if (trace != NULL) trace->build = HF_TRACE_NO_BUILD;
}

/** Room for one more record of a thread; NULL: there is none. */
static struct hf_trace_record *next_record(struct thread_trace *thread)
{
    if (thread->last == NULL || thread->last->n == CHUNK) {
        struct chunk *chunk = HF_TAKE(&thread->arena, chunk, 1);
        if (chunk == NULL) return NULL;
        if (thread->last == NULL)
            thread->first = chunk;
        else
            thread->last->next = chunk;
        thread->last = chunk;
    }
    thread->n_record++;
    return &thread->last->record[thread->last->n++];
}

/** Adds a record, without the origin of times. */
static void add_record(struct hf_trace *trace, int thread, int kind, int64_t task, double start,
                       double seconds)
{
    if (trace == NULL) return;
    struct hf_trace_record *record = next_record(&trace->thread[thread]);
    if (record == NULL) return;
    *record = (struct hf_trace_record){
        .start = start,
        .task = task,
        .seconds = (float)seconds,
        .build = trace->build,
        .thread = (uint8_t)(thread < MOST_THREADS ? thread : MOST_THREADS),
        .kind = (uint8_t)kind,
    };
}

void hf_trace_add(struct hf_trace *trace, int thread, int kind, int64_t task, double start,
                  double seconds)
{
    if (trace != NULL) add_record(trace, thread, kind, task, start - trace->origin, seconds);
}

struct hf_trace_span hf_trace_begin_span(const struct hf_trace *trace)
{
    if (trace == NULL) return (struct hf_trace_span){0.0, 0.0};
    return (struct hf_trace_span){hf_wall_seconds(), hf_thread_seconds()};
}

void hf_trace_end_span(struct hf_trace *trace, int thread, int kind, int64_t task,
                       struct hf_trace_span span)
{
    if (trace != NULL)
        hf_trace_add(trace, thread, kind, task, span.start, hf_thread_seconds() - span.begun);
}

void hf_trace_add_block(struct hf_trace *trace, int thread, int kind, int64_t task, int i, int j,
                        double bytes)
{
    const int64_t high = i > j ? i : j, low = i > j ? j : i;
    add_record(trace, thread, kind, task, (double)(high * (high + 1) / 2 + low), bytes);
}

void hf_trace_add_levels(struct hf_trace *trace, int kind, int64_t first, int64_t n,
                         const unsigned char level[])
{
    double bytes = 0.0;
    memcpy(&bytes, level, (size_t)(n < HF_TRACE_EIGHT ? n : HF_TRACE_EIGHT));
    add_record(trace, 0, HF_TRACE_LEVELS, first, bytes, kind);
}

void hf_trace_add_phase(struct hf_trace *trace, int thread, const struct hf_phase *phase,
                        double start, double seconds)
{
    if (trace == NULL) return;
    const int place = hf_timers_find(&trace->context->timers, phase);
    if (place >= 0) hf_trace_add(trace, thread, HF_TRACE_FIRST_PHASE + place, -1, start, seconds);
}

int64_t hf_trace_n_record(const struct hf_trace *trace)
{
    int64_t n = 1 + trace->context->timers.n_phase; /* the rank's mark, the totals */
    for (int i = 0; i < trace->n_thread; i++) n += trace->thread[i].n_record;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, trace->context->comm);
    return n;
}

/** Where the records of a rank go: to `write` on rank 0, in messages to it elsewhere. */
struct target {
    bool (*write)(void *data, size_t n, const struct hf_trace_record *record);
    void *data;
    MPI_Comm comm;
    bool sends, failed;
};

static void hand_over(struct target *target, size_t n, const struct hf_trace_record *record)
{
    if (target->sends)
        MPI_Send(record, (int)(n * sizeof *record), MPI_BYTE, 0, TAG, target->comm);
    else if (!target->failed)
        target->failed = !target->write(target->data, n, record);
}

/** The records of this rank, and an empty piece when they are sent, as their end. */
static void hand_over_all(const struct hf_trace *trace, struct target *target)
{
    const struct hf_timers *timers = &trace->context->timers;
    struct hf_trace_record head[1 + HF_MAX_PHASE] = {
        {.task = trace->context->rank, .kind = HF_TRACE_RANK, .build = HF_TRACE_NO_BUILD}};
    for (int i = 0; i < timers->n_phase; i++)
        head[1 + i] =
            (struct hf_trace_record){.start = hf_timer_seconds(timers, timers->timer[i].phase),
                                     .task = HF_TRACE_FIRST_PHASE + i,
                                     .build = HF_TRACE_NO_BUILD,
                                     .kind = HF_TRACE_TOTAL};
    hand_over(target, 1 + (size_t)timers->n_phase, head);
    for (int i = 0; i < trace->n_thread; i++)
        for (const struct chunk *chunk = trace->thread[i].first; chunk != NULL; chunk = chunk->next)
            hand_over(target, (size_t)chunk->n, chunk->record);
    if (target->sends) MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, target->comm);
}

/** Receives the records of another rank. Rank 0 sends it a message when it may begin: if all ranks sent at once,
 *  their messages would fill the memory of rank 0. */
static void receive_from(int rank, struct target *target, struct hf_trace_record *buffer)
{
    int n_byte;
    MPI_Send(NULL, 0, MPI_BYTE, rank, TAG, target->comm);
    do {
        MPI_Status from;
        MPI_Recv(buffer, CHUNK * (int)sizeof *buffer, MPI_BYTE, rank, TAG, target->comm, &from);
        MPI_Get_count(&from, MPI_BYTE, &n_byte);
        hand_over(target, (size_t)n_byte / sizeof *buffer, buffer);
    } while (n_byte > 0);
}

hf_status hf_trace_collect(const struct hf_trace *trace,
                           bool (*write)(void *data, size_t n,
                                         const struct hf_trace_record *record),
                           void *data, struct hf_error *error)
{
    const struct hf_context *context = trace->context;
    struct target target = {
        .write = write, .data = data, .comm = context->comm, .sends = context->rank > 0};
    struct hf_arena arena = {.label = label};
    struct hf_trace_record *buffer = context->rank == 0 ? HF_TAKE(&arena, buffer, CHUNK) : NULL;
    hf_status status = hf_arena_check(&arena, error);
    for (int i = 0; i < trace->n_thread && status == HF_OK; i++)
        status = hf_arena_check(&trace->thread[i].arena, error);
    HF_TRY(hf_agree(context->comm, status, error));
    if (target.sends) MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, context->comm, MPI_STATUS_IGNORE);
    hand_over_all(trace, &target);
    for (int r = 1; !target.sends && r < context->n_rank; r++) receive_from(r, &target, buffer);
    if (target.failed) status = hf_fail(error, HF_NO_RESOURCE, "the trace cannot be written");
    status = hf_agree(context->comm, status, error);
cleanup:
    hf_arena_done(&arena);
    return status;
}
