/* Traces: every record of every thread and rank arrives once, in its place; failures are told. */
#include "../mpi_test.h"

#include "text/trace.h"

enum { N_THREAD = 3, N_SPAN = 5000, MOST_RECORDS = 4 * (N_THREAD * N_SPAN + 100) };

static const struct hf_phase reading = {.name = "Reading"}, writing = {.name = "Writing"};

/** What collect wrote. */
struct sink {
    int64_t n, n_most;
    struct hf_trace_record *record;
};

static bool keep(void *data, size_t n, const struct hf_trace_record *record)
{
    struct sink *sink = data;
    if (sink->n + (int64_t)n > sink->n_most) return false;
    memcpy(sink->record + sink->n, record, n * sizeof *record);
    sink->n += (int64_t)n;
    return true;
}

/** A trace in which every thread of every rank has N_SPAN tasks numbered so that they differ. */
static struct hf_trace *make_trace(struct hf_context *context)
{
    struct hf_trace *trace = NULL;
    hf_timers_declare(&context->timers, &hf_phase_total);
    hf_timers_declare(&context->timers, &reading);
    hf_timers_declare(&context->timers, &writing);
    hf_timer_start(&context->timers, &hf_phase_total);
    assert_ok(hf_trace_create(context, N_THREAD, &trace, &error));
    hf_trace_begin_build(trace);
    hf_trace_end_build(trace);
    hf_trace_begin_build(trace);
    for (int thread = 0; thread < N_THREAD; thread++)
        for (int i = 0; i < N_SPAN; i++)
            hf_trace_add(trace, thread, HF_TRACE_TASK,
                         ((int64_t)context->rank * N_THREAD + thread) * N_SPAN + i,
                         hf_wall_seconds(), 0.25);
    hf_trace_end_build(trace);
    hf_timer_start(&context->timers, &writing);
    hf_timer_stop(&context->timers, &writing);
    hf_trace_begin_batch(trace);
    hf_trace_add_phase(trace, 1, &reading, hf_wall_seconds(), 0.5);
    hf_trace_end_build(trace);
    static const struct hf_phase unknown = {.name = "Unknown"};
    hf_trace_add_phase(trace, 1, &unknown, hf_wall_seconds(), 0.5);
    return trace;
}

/** The records of one rank begin at `at`; where those of the next do. */
static int64_t check_rank(const struct hf_trace_record *record, int64_t at, int rank)
{
    assert_int_equal(record[at].kind, HF_TRACE_RANK);
    assert_int_equal(record[at].task, rank);
    at++;
    for (int phase = 0; phase < 3; phase++, at++) { /* total, reading, writing */
        assert_int_equal(record[at].kind, HF_TRACE_TOTAL);
        assert_int_equal(record[at].task, HF_TRACE_FIRST_PHASE + phase);
        assert_true((record[at].start > 0.0) == (phase != 1));
    }
    for (int thread = 0; thread < N_THREAD; thread++) {
        for (int i = 0; i < N_SPAN; i++, at++) {
            assert_int_equal(record[at].kind, HF_TRACE_TASK);
            assert_int_equal(record[at].thread, thread);
            assert_int_equal(record[at].build, 1);
            assert_int_equal(record[at].task, ((int64_t)rank * N_THREAD + thread) * N_SPAN + i);
            assert_true(record[at].seconds == 0.25f && record[at].start >= 0.0);
        }
        if (thread > 1) continue; /* what the timers tell is of the first thread */
        assert_int_equal(record[at].kind, HF_TRACE_FIRST_PHASE + (thread == 0 ? 2 : 1));
        assert_int_equal(record[at].task, -1);
        assert_int_equal(record[at++].build,
                         thread == 0 ? HF_TRACE_NO_BUILD : HF_TRACE_FIRST_BATCH);
    }
    return at;
}

TEST(every_record_of_every_rank_arrives_once)
{
    TEST_CONTEXT(context);
    struct hf_trace *trace = make_trace(context);
    struct sink sink = {.n_most = MOST_RECORDS};
    const int64_t n_record = hf_trace_n_record(trace);
    sink.record = calloc(MOST_RECORDS, sizeof *sink.record);
    assert_ok(hf_trace_collect(trace, keep, &sink, &error));
    int64_t at = 0;
    for (int rank = 0; context->rank == 0 && rank < context->n_rank; rank++)
        at = check_rank(sink.record, at, rank);
    assert_int_equal(sink.n, at);
    if (context->rank == 0) assert_int_equal(at, n_record);
    hf_trace_destroy(&trace);
    assert_null(context->trace);
    assert_null(context->timers.listener);
    free(sink.record);
}

TEST(a_full_disk_is_told_to_all_ranks)
{
    TEST_CONTEXT(context);
    struct hf_trace *trace = make_trace(context);
    struct sink sink = {.n_most = 10};
    struct hf_trace_record record[10];
    sink.record = record;
    assert_int_equal(hf_trace_collect(trace, keep, &sink, &error), HF_NO_RESOURCE);
    hf_trace_destroy(&trace);
}

TEST(without_a_trace_nothing_happens)
{
    struct hf_trace *none = NULL;
    hf_trace_begin_build(none);
    hf_trace_add(none, 0, HF_TRACE_TASK, 0, 0.0, 1.0);
    hf_trace_end_build(none);
    hf_trace_destroy(&none);
    assert_null(none);
}

TEST(kinds_have_names)
{
    TEST_CONTEXT(context);
    hf_timers_declare(&context->timers, &reading);
    assert_int_equal(hf_trace_n_kind(context), HF_TRACE_FIRST_PHASE + 1);
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_TASK), "task");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_STORED_TASK), "stored task");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_COULOMB_TASK), "Coulomb task");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_COULOMB_STEP), "Coulomb step");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_FIRST_QUARTER), "first quarter");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_SECOND_QUARTER), "second quarter");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_COPYING), "copying");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_PAIR_TASK), "pair task");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_STEP), "step");
    assert_string_equal(hf_trace_kind_name(context, HF_TRACE_FIRST_PHASE), "Reading");
}

MPI_TEST_MAIN
