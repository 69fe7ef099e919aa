/* The record of a run: filled by its observer, which tells its listeners. */
#include "fixture.h"

#include <math.h>

static const struct hf_scf_start start = {
    .n_function = 9, .n_orbital = 7, .linalg = "LAPACK on rank 0", .note = "using onesided rma"};

/** What a listener heard. */
struct heard {
    int n_start, last_iteration;
};

static void hear_start(void *data, const struct hf_scf_start *event)
{
    assert_int_equal(event->n_orbital, 7);
    ((struct heard *)data)->n_start++;
}

static void hear_iteration(void *data, const struct hf_scf_iteration *iteration)
{
    ((struct heard *)data)->last_iteration = iteration->number;
}

TEST_IN(everything_observed_is_kept_and_told, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct heard first = {0}, second = {0};
    const struct hf_scf_observer listener[] = {
        {.started = hear_start, .iteration = hear_iteration, .data = &first},
        {.iteration = hear_iteration, .data = &second},
        {.started = NULL}};
    for (int i = 0; i < 3; i++) hf_record_add_listener(f->record, &listener[i]);
    const struct hf_scf_observer observer = hf_record_observer(f->record);
    observer.started(observer.data, &start);
    for (int i = 1; i <= 100; i++) {
        const struct hf_scf_iteration iteration = {
            .number = i, .energy = -75.0 - 1.0 / i, .build = {.n_task = 10 * i}};
        observer.iteration(observer.data, &iteration);
    }
    assert_int_equal(first.n_start, 1);
    assert_int_equal(first.last_iteration, 100);
    assert_int_equal(second.last_iteration, 100);
    assert_string_equal(f->record->linalg, "LAPACK on rank 0");
    assert_string_equal(f->record->note, "using onesided rma");
    assert_int_equal(f->record->n_iteration, 100);
    assert_int_equal(f->record->iteration[41].number, 42);
    assert_int_equal(f->record->iteration[41].build.n_task, 420);
}

TEST_IN(times_and_memory_are_those_of_all_ranks, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    const int last = f->context->n_rank - 1;
    hf_timer_add(&f->context->timers, &fixture_phase, 1.0 + f->context->rank);
    void *block = hf_memory_allocate(f->context->memory, "density copy",
                                     1000u * (unsigned)(1 + f->context->rank), 8);
    assert_non_null(block);
    hf_memory_release(f->context->memory, block);
    hf_record_measure(f->record);
    const struct hf_run_statistics *statistics = &f->record->statistics;
    assert_int_equal(statistics->n_phase, 2);
    assert_string_equal(statistics->phase[1].name, fixture_phase.name);
    assert_true(statistics->phase[1].seconds.max == 1.0 + last);
    assert_int_equal(statistics->phase[1].seconds.max_rank, last);
    const double total =
        statistics->phase[0].seconds.mean; /* 0: the phase was added, the run took no time */
    assert_true(fabs(statistics->outside.mean + statistics->phase[1].seconds.mean - total) < 1e-9);
    assert_true(statistics->largest_bytes.max == 8000.0 * (1 + last));
    assert_string_equal(statistics->largest_label, "density copy");
    assert_int_equal(statistics->n_rank_on_node, f->context->n_rank);
}

TEST_IN(versions_are_known_from_the_start, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    assert_true(strlen(f->record->versions.mpi_found) > 0);
    assert_true(strlen(f->record->versions.libint) > 0);
    assert_int_equal(f->record->n_iteration, 0);
}

MPI_TEST_MAIN
