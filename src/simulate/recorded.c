/* Traces that are read where hf writes one, shells without integrals, products that are not computed; see recorded.h. */
#include "recorded.h"

#include "clock.h"
#include "integrals/shell_pair.h"
#include "linalg/matrix_product.h"
#include "localise/sparse_matrix.h"
#include "pairs/common_pairs.h"
#include "text/trace.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>

/* ---- The trace ------------------------------------------------------------------------------- */

void hf_sim_trace_init(struct hf_trace *trace, const struct hf_sim_rounds *rounds,
                       struct hf_context *context)
{
    *trace = (struct hf_trace){.rounds = rounds, .context = context};
    for (int kind = 0; kind < HF_TRACE_FIRST_PHASE; kind++) trace->share[kind] = 1.0;
    context->trace = trace;
}

int hf_trace_begin_build(struct hf_trace *trace)
{
    trace->now = &trace->rounds->round[trace->n_build];
    return trace->n_build++;
}

void hf_trace_begin_batch(struct hf_trace *trace)
{
    static const struct hf_sim_round none = {.n_listed = 0};
    const bool there = trace->n_batch < trace->rounds->n_batch;
    trace->now = there ? &trace->rounds->batch[trace->n_batch++] : &none;
    if (trace->tolerance != NULL && trace->n_batch == trace->last_batch)
        *trace->tolerance = INFINITY;
}

void hf_trace_end_build(struct hf_trace *trace)
{
    trace->now = NULL;
}

/** What all ranks share evenly is recorded as copying, in pieces that one rank has; a step contains it. */
void hf_trace_add(struct hf_trace *trace, int thread, int kind, int64_t task, double start,
                  double seconds)
{
    if (trace == NULL || trace->now == NULL) return;
    const double copying = hf_sim_all_seconds(trace->now, HF_TRACE_COPYING);
    double passes = trace->share[kind] * hf_sim_seconds(trace->now, kind, task);
    if (kind == HF_TRACE_STEP) passes -= copying;
    if (kind == HF_TRACE_COPYING)
        passes = task == 0 ? copying / trace->context->n_rank / trace->context->n_thread : 0.0;
    hf_sim_compute(passes);
    trace->ended = hf_sim_now();
}

struct hf_trace_span hf_trace_begin_span(const struct hf_trace *trace)
{
    return (struct hf_trace_span){0};
}

void hf_trace_end_span(struct hf_trace *trace, int thread, int kind, int64_t task,
                       struct hf_trace_span span)
{
    hf_trace_add(trace, thread, kind, task, span.start, span.begun);
}

void hf_trace_add_phase(struct hf_trace *trace, int thread, const struct hf_phase *phase,
                        double start, double seconds)
{
    trace->ended = hf_sim_now();
}

/* ---- Shells ---------------------------------------------------------------------------------- */

struct hf_common_pairs {
    struct hf_basis basis;
    struct hf_shell_pairs pairs;
    int first_shell_of_atom[2];
    struct hf_pair_class kind;
    struct hf_atom_pair atoms;
};

struct hf_common_pairs *hf_sim_pairs_make(int n_shell, int n_function, int64_t n_pair)
{
    struct hf_common_pairs *made = hf_sim_memory(1, sizeof *made);
    made->basis =
        (struct hf_basis){.n_atom = 1,
                          .n_shell = n_shell,
                          .n_function = n_function,
                          .shell = hf_sim_memory((size_t)n_shell, sizeof(struct hf_shell)),
                          .first_shell_of_atom = made->first_shell_of_atom};
    made->first_shell_of_atom[1] = n_shell;
    for (int s = 0; s < n_function; s++) {
        made->basis.shell[s].first_function = s;
        made->basis.shell[s].n_function = 1;
    }
    made->kind = (struct hf_pair_class){.n_a = 1, .n_b = 1, .n_function = 1};
    made->atoms.n_pair = (int)n_pair;
    made->pairs =
        (struct hf_shell_pairs){.basis = &made->basis,
                                .n_class = 1,
                                .class_of = &made->kind,
                                .n_pair = n_pair,
                                .pair = hf_sim_memory((size_t)n_pair, sizeof(struct hf_shell_pair)),
                                .n_atom_pair = 1,
                                .atom_pair = &made->atoms};
    int64_t k = 0;
    for (int a = 0; a < n_shell; a++)
        for (int b = 0; b <= a && k < n_pair; b++, k++)
            made->pairs.pair[k] = (struct hf_shell_pair){.a = a, .b = b};
    return made;
}

void hf_sim_pairs_free(struct hf_common_pairs **pairs)
{
    if (*pairs == NULL) return;
    free((*pairs)->basis.shell);
    free((*pairs)->pairs.pair);
    free(*pairs);
    *pairs = NULL;
}

const struct hf_basis *hf_common_pairs_merged(const struct hf_common_pairs *common)
{
    return &common->basis;
}

hf_status hf_common_pairs_get(struct hf_common_pairs *common, double accuracy, int n_thread,
                              const struct hf_shell_pairs **pairs, struct hf_error *error)
{
    *pairs = &common->pairs;
    return HF_OK;
}

/** Rooms own none: they are lent all. */
void hf_common_pairs_destroy(struct hf_common_pairs **common)
{
    *common = NULL;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void multiply_nothing(const struct hf_product *product)
{
}

hf_product_function *hf_product_kernel(void)
{
    return multiply_nothing;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

void hf_sim_step_begin(struct hf_context *context, const char *name, int n,
                       const struct hf_phase *const phase[], struct hf_sim_step *step)
{
    for (int i = 0; i < n; i++) {
        hf_timers_declare(&context->timers, phase[i]);
        hf_timer_add(&context->timers, phase[i], -hf_timer_seconds(&context->timers, phase[i]));
        step->phase[i] = phase[i];
    }
    step->name = name;
    step->n_phase = n;
    MPI_Barrier(context->comm);
    step->start = hf_sim_now(); /* the same on all ranks */
}

void hf_sim_step_end(struct hf_context *context, struct hf_sim_step *step)
{
    const double seconds = hf_sim_now() - step->start;
    if (seconds > step->seconds) step->seconds = seconds;
    for (int i = 0; i < step->n_phase; i++)
        step->phase_seconds[i] +=
            hf_timer_seconds(&context->timers, step->phase[i]) / context->n_rank;
    MPI_Barrier(context->comm);
}
