/* A scheduler that needs what the MPI library lacks: another one takes its place, with a note. */
#include "../mpi_test.h"

#include "schedule/schedule.h"

static bool no_windows, no_threads;

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    if (no_windows) return MPI_ERR_WIN;
    return PMPI_Win_allocate(size, unit, info, comm, base, window);
}

int MPI_Query_thread(int *level)
{
    if (!no_threads) return PMPI_Query_thread(level);
    *level = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

static struct hf_scheduler *make(struct hf_scheduler_settings settings)
{
    struct hf_scheduler *scheduler = NULL;
    assert_ok(hf_scheduler_create(MPI_COMM_WORLD, &settings, &scheduler, &error));
    return scheduler;
}

/** All tasks of a round, each once. */
static void check_that_it_works(struct hf_scheduler *scheduler)
{
    enum { N_TASK = 50 };
    int given[N_TASK] = {0};
    const struct hf_task_levels levels = hf_equal_tasks(N_TASK);
    assert_ok(hf_scheduler_start(scheduler, &levels, &error));
    for (int64_t task = hf_scheduler_next(scheduler); task >= 0;
         task = hf_scheduler_next(scheduler))
        given[task]++;
    hf_scheduler_finish(scheduler);
    MPI_Allreduce(MPI_IN_PLACE, given, N_TASK, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N_TASK; i++) assert_int_equal(given[i], 1);
}

static void expect_steal(struct hf_scheduler_settings settings, const char *reason)
{
    struct hf_scheduler *scheduler = make(settings);
    assert_string_equal(hf_scheduler_name(scheduler), "steal");
    assert_non_null(strstr(hf_scheduler_note(scheduler), "using schedule steal, since counter: "));
    assert_non_null(strstr(hf_scheduler_note(scheduler), reason));
    check_that_it_works(scheduler);
    hf_scheduler_destroy(&scheduler);
}

TEST(without_windows_tasks_are_stolen)
{
    no_windows = true;
    expect_steal((struct hf_scheduler_settings){.name = "counter"}, "refuses windows here");
    expect_steal((struct hf_scheduler_settings){.name = "counter", .counter = HF_COUNTER_ARRAY},
                 "refuses windows here");
    no_windows = false;
}

TEST(without_threads_for_the_counter_tasks_are_stolen)
{
    no_threads = true;
    expect_steal((struct hf_scheduler_settings){.name = "counter", .progress_thread = true},
                 "MPI_THREAD_MULTIPLE");
    no_threads = false;
}

TEST(what_works_is_not_given_up)
{
    for (int i = 0; hf_scheduler_list[i] != NULL; i++) {
        const char *name = hf_scheduler_list[i]->name;
        struct hf_scheduler *scheduler = make((struct hf_scheduler_settings){.name = name});
        assert_string_equal(hf_scheduler_name(scheduler), name);
        assert_string_equal(hf_scheduler_note(scheduler), "");
        hf_scheduler_destroy(&scheduler);
    }
}

MPI_TEST_MAIN
