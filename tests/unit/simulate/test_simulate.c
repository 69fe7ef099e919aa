/* The clock, the MPI calls and the rounds of simulated ranks against times and numbers worked out by hand. */
#include "../test.h"

#include "clock.h"
#include "network.h"
#include "replay.h"
#include "set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Latency 1 s, 1 s per 10 bytes; an operation 4 s there and back, of which 1 s is service. */
static const struct hf_sim_machine SLOW = {.alpha_seconds = 1.0,
                                           .beta_seconds_per_byte = 0.1,
                                           .counter_seconds = 4.0,
                                           .counter_service_seconds = 1.0,
                                           .ranks_per_node = 1.0};
/** Where nothing but tasks takes time. */
static const struct hf_sim_machine IDEAL = {.ranks_per_node = 1.0};

/** Runs a function on simulated ranks; returns when the last one is through. */
static double run_on(const struct hf_sim_machine *machine, int n_rank, void (*run)(void *data))
{
    assert_true(hf_sim_create(machine, n_rank));
    for (int r = 0; r < n_rank; r++) hf_sim_start(r, run, NULL);
    assert_int_equal(hf_sim_run(), 0);
    const double seconds = hf_sim_now();
    hf_sim_destroy();
    return seconds;
}

static void assert_now(double seconds)
{
    if (fabs(hf_sim_now() - seconds) > 1e-6 * seconds) fail_msg("it is %g", hf_sim_now());
}

/* ---- Clock ---- */

static void sleep_long_on_low_ranks(void *data)
{
    hf_sim_sleep(3.0 - hf_sim_rank());
    assert_now(3.0 - hf_sim_rank());
}

TEST(threads_run_in_the_order_of_time)
{
    assert_true(fabs(run_on(&IDEAL, 3, sleep_long_on_low_ranks) - 3.0) < 1e-12);
}

/** Ranks 0 to 3 of a node with 2 cores compute 1, 2, 3 and 4 s. */
static void compute_by_rank(void *data)
{
    static const double end[] = {2.0, 3.5, 4.5, 5.5};
    hf_sim_compute(1.0 + hf_sim_rank());
    assert_now(end[hf_sim_rank()]);
}

TEST(threads_share_cores)
{
    const struct hf_sim_machine node = {.ranks_per_node = 4.0, .cores_per_node = 2.0};
    run_on(&node, 4, compute_by_rank);
}

/** Rank 0 computes 1 s; after .25 s rank 1 wakes up, which takes the core that they share half a second. */
static void compute_beside_a_nap(void *data)
{
    if (hf_sim_rank() == 1) nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
    if (hf_sim_rank() == 1) return;
    hf_sim_compute(1.0);
    assert_now(1.5);
}

TEST(naps_take_shared_cores)
{
    const struct hf_sim_machine node = {
        .ranks_per_node = 2.0, .cores_per_node = 1.0, .nap_seconds = 0.5};
    run_on(&node, 2, compute_beside_a_nap);
}

/* ---- Messages and collective calls ---- */

/** Rank 1 sends 20 bytes, then 10 bytes along the same line; rank 2 sends 10 bytes at the same time. */
static void send_to_first(void *data)
{
    char text[20] = "";
    MPI_Status status;
    MPI_Request request;
    const int rank = hf_sim_rank();
    if (rank == 1) MPI_Send(text, 20, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
    if (rank > 0) {
        MPI_Issend(text, 10, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    static const int source[] = {2, 1, 1}, tag[] = {8, 7, 8};
    static const double time[] = {2.0, 4.0, 5.0}; /* the line of rank 0 is busy from 2 to 4 */
    for (int i = 0; i < 3; i++) {
        int n;
        MPI_Recv(text, 20, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &n);
        assert_int_equal(status.MPI_SOURCE, source[i]);
        assert_int_equal(status.MPI_TAG, tag[i]);
        assert_int_equal(n, tag[i] == 7 ? 20 : 10);
        assert_now(time[i]);
    }
}

TEST(messages_share_lines)
{
    assert_true(fabs(run_on(&SLOW, 3, send_to_first) - 6.0) < 1e-6); /* the sender knows then */
}

static void call_collectives(void *data)
{
    const int world = hf_sim_rank();
    MPI_Comm half, copy;
    MPI_Request request;
    int rank, size, done = 0, all[4];
    struct {
        double value;
        int rank;
    } most = {world == 2 ? 5.0 : 1.0, world};
    hf_sim_sleep(world);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_now(3.0 + 2.0); /* the last one comes at 3; two latencies */
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    assert_int_equal(most.rank, 2);
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, 0, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    assert_int_equal(2 * rank + world % 2, world);
    assert_int_equal(size, 2);
    MPI_Comm_dup(half, &copy);
    MPI_Allgather(&world, 1, MPI_INT, all, 1, MPI_INT, copy);
    assert_int_equal(all[1] - all[0], 2);
    MPI_Iallreduce(&world, &all[0], 1, MPI_INT, MPI_SUM, half, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    assert_int_equal(all[0], 2 + 2 * (world % 2));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

TEST(collective_calls_belong_together)
{
    run_on(&SLOW, 4, call_collectives);
}

/** Rank r sends r + 1 numbers to each rank that comes before it, and none to the others. */
static void exchange_parts(void *data)
{
    enum { N = 3 };
    const int rank = hf_sim_rank();
    int n[N], n_back[N], first[N], first_back[N], count = 0;
    double sent[N * N], got[N * N] = {0.0}, all[6] = {0.0};
    for (int r = 0; r < N; r++) {
        n[r] = r < rank ? rank + 1 : 0;
        first[r] = count;
        for (int k = 0; k < n[r]; k++) sent[count++] = 100.0 * rank + 10.0 * r + k;
    }
    MPI_Alltoall(n, 1, MPI_INT, n_back, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0, k = 0; r < N; k += n_back[r++]) first_back[r] = k;
    MPI_Alltoallv(sent, n, first, MPI_DOUBLE, got, n_back, first_back, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < N; r++) {
        assert_int_equal(n_back[r], r > rank ? r + 1 : 0);
        for (int k = 0; k < n_back[r]; k++)
            assert_true(fabs(got[first_back[r] + k] - (100.0 * r + 10.0 * rank + k)) < 1e-12);
    }
    /* numbers by a tree of two latencies; then two messages, and the six numbers that rank 2 sends */
    assert_now(2.0 + 2.0 + 6 * 8 * 0.1);
    const int part[] = {1, 2, 3}, place[] = {0, 1, 3};
    for (int k = 0; k < part[rank]; k++) all[place[rank] + k] = rank + 1.0;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, part, place, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    assert_true(fabs(all[0] + all[1] + all[2] + all[3] + all[4] + all[5] - 14.0) < 1e-12);
    const int up = rank < 2 ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    double number = rank, lower = -1.0;
    MPI_Sendrecv(&number, 1, MPI_DOUBLE, up, 7, &lower, 1, MPI_DOUBLE, down, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    assert_true(fabs(lower - (rank - 1.0)) < 1e-12);
}

TEST(parts_of_all_ranks_come_to_their_places)
{
    run_on(&SLOW, 3, exchange_parts);
}

/* ---- Windows ---- */

static void *sleep_long(void *data)
{
    hf_sim_sleep(9.0);
    return data;
}

/** Ranks take numbers from rank 0, which looks into MPI at 9 s only: until then it waits for a thread of its own. */
static void take_numbers(void *data)
{
    int64_t *memory, one = 1, value = -1;
    MPI_Win window;
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    const double start = hf_sim_now();
    if (hf_sim_rank() == 0) {
        int there;
        pthread_t thread;
        pthread_create(&thread, NULL, sleep_long, NULL);
        pthread_join(thread, NULL);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    } else {
        MPI_Fetch_and_op(&one, &value, MPI_INT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        const double begin = hf_sim_the_machine()->counter_needs_home > 0.0 ? 9.0 : 1.5;
        assert_int_equal(value, hf_sim_rank() - 1);
        assert_now(start + begin + (double)hf_sim_rank() + 1.5);
    }
    MPI_Win_free(&window);
}

TEST(operations_wait_for_each_other_and_for_their_target)
{
    struct hf_sim_machine machine = SLOW;
    run_on(&machine, 3, take_numbers);
    machine.counter_needs_home = 1.0;
    run_on(&machine, 3, take_numbers);
}

/* ---- Rounds ---- */

struct test_record {
    double start; /**< or the number of a block */
    int64_t task;
    float seconds; /**< or bytes */
    int kind;
};

static void write_record(FILE *file, const struct test_record *record)
{
    const unsigned char rest[4] = {0, 0, 0, (unsigned char)record->kind};
    fwrite(&record->start, 8, 1, file);
    fwrite(&record->task, 8, 1, file);
    fwrite(&record->seconds, 4, 1, file);
    fwrite(rest, 4, 1, file);
}

/** A round of tasks that take these seconds. */
static struct hf_sim_rounds make_round(int64_t n, const double seconds[])
{
    char path[] = "/tmp/test_simulate_XXXXXX";
    struct hf_sim_rounds rounds;
    FILE *file = fdopen(mkstemp(path), "wb");
    fprintf(file,
            "{\"format\": \"hf-trace\", \"version\": 1, \"record_bytes\": 24, \"n_record\": %d, "
            "\"n_function\": 40, "
            "\"kinds\": [\"task\"], \"builds\": [{\"n_task\": %d}]}\n",
            (int)n * 2, (int)n);
    for (int64_t t = 0; t < n; t++) { /* a task, and a block that it needs */
        write_record(file, &(struct test_record){0.0, t, (float)seconds[t], 0});
        write_record(file, &(struct test_record){(double)(t % 5), t, 80.0f, t % 2 ? 252 : 253});
    }
    fclose(file);
    assert_ok(hf_sim_rounds_read(path, &rounds, &error));
    unlink(path);
    return rounds;
}

static struct hf_sim_outcome replay(struct hf_sim_rounds *rounds, bool blocks,
                                    const struct hf_sim_machine *machine,
                                    struct hf_sim_settings settings)
{
    struct hf_sim_outcome outcome;
    struct hf_sim_step step[HF_SIM_MOST_STEPS];
    const int n_number = rounds->n_number;
    if (!blocks) rounds->n_number = 0;
    if (settings.transport == NULL) settings.transport = "thread";
    assert_ok(hf_sim_replay(rounds, machine, &settings, &outcome, step, &error));
    rounds->n_number = n_number;
    return outcome;
}

TEST(every_task_is_done_once)
{
    static const char *const scheduler[] = {"static", "manager", "counter", "steal"};
    enum { N_TASK = 300, N_EMPTY = 43 };
    double seconds[N_TASK], sum = 0.0;
    uint32_t seed = 1;
    for (int t = 0; t < N_TASK; t++) {
        seconds[t] = t % 7 == 3 ? 0.0 : 1e-3 * (1.5 + test_random(&seed));
        sum += (float)seconds[t];
    }
    struct hf_sim_rounds rounds = make_round(N_TASK, seconds);
    for (int k = 0; k < 64; k++) {
        const struct hf_sim_settings settings = {.scheduler = scheduler[k % 4],
                                                 .n_rank = k / 4 % 2 == 0 ? 5 : 40,
                                                 .n_thread = 1 + k / 8 % 2,
                                                 .transport = k / 16 % 2 == 0 ? "thread" : "rma",
                                                 .group = k / 32 * 4};
        const struct hf_sim_outcome outcome =
            replay(&rounds, k / 16 % 2 == 0 || k % 3 == 0, &hf_sim_cluster, settings);
        assert_int_equal(outcome.n_done, N_TASK - N_EMPTY);
        assert_true(fabs(outcome.work - sum) < 1e-9);
        assert_true(outcome.tasks_over <= outcome.seconds);
        assert_true(outcome.seconds >= sum / (settings.n_rank * settings.n_thread));
        assert_true(outcome.seconds < 3.0 * sum / settings.n_rank + 0.01);
    }
    hf_sim_rounds_free(&rounds);
}

TEST(ideal_rounds_are_known)
{
    double seconds[64];
    for (int t = 0; t < 64; t++) seconds[t] = 1.0;
    struct hf_sim_rounds rounds = make_round(64, seconds);
    struct hf_sim_settings settings = {.scheduler = "static", .n_rank = 4, .n_thread = 1};
    assert_true(fabs(replay(&rounds, false, &IDEAL, settings).seconds - 16.0) < 1e-9);
    settings.scheduler = "manager"; /* rank 0 does nothing */
    const struct hf_sim_outcome outcome = replay(&rounds, false, &IDEAL, settings);
    assert_true(outcome.seconds >= 64.0 / 3.0 && outcome.seconds < 23.0);
    settings.n_thread = 2; /* its second thread computes */
    assert_true(replay(&rounds, false, &IDEAL, settings).seconds < 11.0);
    hf_sim_rounds_free(&rounds);
}

TEST(unknown_scheduler_and_damaged_trace_are_refused)
{
    struct hf_sim_outcome outcome;
    struct hf_sim_step step[HF_SIM_MOST_STEPS];
    struct hf_sim_machine machine = IDEAL;
    const double second = 1.0;
    struct hf_sim_rounds rounds = make_round(1, &second);
    const struct hf_sim_settings settings = {"sttic", "thread", 3, 1, 0};
    assert_failure(hf_sim_replay(&rounds, &IDEAL, &settings, &outcome, step, &error), HF_BAD_INPUT,
                   &error, "static");
    hf_sim_rounds_free(&rounds);
    for (int k = 0; k < 4; k++) {
        static const char *const text[] = {"{\"format\": \"hf-trace\"}\n", "{\"alpha\": 1}",
                                           "{\"ranks_per_node\": 0}",
                                           "{\"ranks_per_node\": 1, \"cores_per_node\": 1.5}"};
        static const char *const words[] = {"no trace", "alpha", "ranks_per_node",
                                            "cores_per_node"};
        char path[] = "/tmp/test_simulate_XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        fputs(text[k], file);
        fclose(file);
        assert_failure(k == 0 ? hf_sim_rounds_read(path, &rounds, &error)
                              : hf_sim_machine_read(path, &machine, &error),
                       HF_BAD_INPUT, &error, words[k]);
        unlink(path);
    }
}

/** A trace of one task that has one record. */
static void assert_refused(int version, int n_byte, double n_record, double n_task,
                           struct test_record record, const char *words)
{
    char path[] = "/tmp/test_simulate_XXXXXX";
    struct hf_sim_rounds rounds;
    FILE *file = fdopen(mkstemp(path), "wb");
    fprintf(file,
            "{\"format\": \"hf-trace\", \"version\": %d, \"record_bytes\": %d, \"n_record\": %g, "
            "\"kinds\": [\"task\"], \"builds\": [{\"n_task\": %g}]}\n",
            version, n_byte, n_record, n_task);
    write_record(file, &record);
    fclose(file);
    assert_failure(hf_sim_rounds_read(path, &rounds, &error), HF_BAD_INPUT, &error, words);
    unlink(path);
}

TEST(damaged_records_are_refused)
{
    const struct test_record good = {.seconds = 1.0f};
    assert_refused(2, 24, 1, 1, good, "version 1");
    assert_refused(1, 32, 1, 1, good, "no trace");
    assert_refused(1, 24, 2, 1, good, "ends early");
    assert_refused(1, 24, 1e300, 1, good, "ends early");
    assert_refused(1, 24, 1, 1e300, good, "damaged");
    assert_refused(1, 24, 1, 0, good, "damaged");
    assert_refused(1, 24, 1, 1, (struct test_record){.seconds = -1.0f}, "damaged");
    assert_refused(1, 24, 1, 1, (struct test_record){.task = -1, .kind = 249}, "damaged");
    for (int kind = 0; kind <= 252; kind += 252) {
        assert_refused(1, 24, 1, 1, (struct test_record){.seconds = NAN, .kind = kind}, "damaged");
        assert_refused(1, 24, 1, 1, (struct test_record){.seconds = 1e9f, .kind = kind}, "damaged");
    }
    for (int kind = 251; kind <= 252; kind++)
        assert_refused(
            1, 24, 1, 1,
            (struct test_record){.start = 1e8, .seconds = 8.0f, .kind = (unsigned char)kind},
            "damaged");
}

/** Reads a trace of replicated matrices with one task, which adds to the fifth of the six blocks of three sites. */
static hf_status read_sums(double n_function, double n_density, struct hf_sim_rounds *rounds)
{
    char path[] = "/tmp/test_simulate_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "wb");
    fprintf(
        file,
        "{\"format\": \"hf-trace\", \"version\": 1, \"record_bytes\": 24, \"n_record\": 2, "
        "\"n_function\": %g, \"n_density\": %g, \"fock\": \"replicated\", \"kinds\": [\"task\"], "
        "\"builds\": [{\"n_task\": 1}]}\n",
        n_function, n_density);
    write_record(file, &(struct test_record){0.0, 0, 1.0f, 0});
    write_record(file, &(struct test_record){4.0, 1, 8.0f, 250});
    fclose(file);
    const hf_status status = hf_sim_rounds_read(path, rounds, &error);
    unlink(path);
    return status;
}

TEST(blocks_without_sums_are_known)
{
    const struct hf_sim_settings settings = {.scheduler = "static", .n_rank = 2, .n_thread = 1};
    struct hf_sim_rounds rounds;
    assert_ok(read_sums(40.0, 1.0, &rounds));
    assert_int_equal(rounds.n_site, 3);
    assert_int_equal(rounds.n_added, 6);
    assert_true(rounds.round[0].n_add[0][4] == 1.0f && rounds.round[0].n_add[0][5] == 0.0f);
    assert_int_equal(replay(&rounds, false, &hf_sim_cluster, settings).n_done, 1);
    hf_sim_rounds_free(&rounds);
    assert_failure(read_sums(1e300, 1.0, &rounds), HF_BAD_INPUT, &error, "damaged");
    assert_failure(read_sums(40.0, 1e9, &rounds), HF_BAD_INPUT, &error, "damaged");
}

/** Of one site and 40 functions, with the rank of a node each: a matrix of 12.8 kB, which one rank owns. */
static double seconds_of_matrices(const char *fock, int n_rank, struct hf_sim_machine machine)
{
    const double second = 1.0;
    struct hf_sim_rounds rounds = make_round(1, &second);
    const struct hf_sim_settings settings = {
        .scheduler = "static", .n_rank = n_rank, .n_thread = 1};
    rounds.n_site = fock == NULL ? 0 : 1;
    rounds.replicated = fock != NULL && strcmp(fock, "replicated") == 0;
    const double seconds = replay(&rounds, false, &machine, settings).seconds;
    hf_sim_rounds_free(&rounds);
    return seconds;
}

/** At 1 ms a byte the density goes to the other nodes, one after the other; each of them sends J and K to the owner. With
 *  nine nodes in rows of three, two and two. On a node nothing is sent, but J and K of each are zeroed, read and added up. */
TEST(matrices_take_their_ways)
{
    static const int n_rank[] = {2, 4, 8, 9}, n_hop[] = {1, 3, 7, 4};
    const struct hf_sim_machine slow = {.beta_seconds_per_byte = 1e-3, .ranks_per_node = 1.0};
    const double bytes = 12800.0;
    for (int k = 0; k < 4; k++) {
        const double found = seconds_of_matrices("replicated", n_rank[k], slow) -
                             seconds_of_matrices("distributed", n_rank[k], slow);
        assert_true(fabs(found / (3.0 * bytes * 1e-3 * n_hop[k]) - 1.0) < 0.05);
    }
    const struct hf_sim_machine node = {.node_beta_seconds_per_byte = 1e-3, .ranks_per_node = 4.0};
    const double found =
        seconds_of_matrices("replicated", 4, node) - seconds_of_matrices(NULL, 4, node);
    assert_true(fabs(found / ((2.0 * 2.0 + 3.0) * bytes * 1e-3) - 1.0) < 0.05);
}

/* ---- Molecules of a job ---- */

/** Molecules of 40 and 12 s on 4 and 2 ranks; those two end first, and do the small ones. Alone: as long as the longest. */
TEST(long_molecules_of_a_set_are_shared)
{
    const char *const dynamic[] = {"counter", "steal"};
    double seconds[] = {2.0, 12.0, 2.0, 40.0, 2.0, 2.0};
    struct hf_sim_set set = {.n = 6, .foreseen = seconds, .seconds = seconds};
    struct hf_sim_set_outcome outcome;
    struct hf_sim_settings settings = {"counter", "thread", 6, 1, 0};
    for (int i = 0; i < 4; i++) {
        settings.scheduler = dynamic[i % 2];
        set.grouped = i < 2;
        assert_ok(hf_sim_set_run(&set, &IDEAL, &settings, &outcome, &error));
        const double least = set.grouped ? 10.0 : 40.0, most = i == 1 ? 12.0 : least;
        assert_true(outcome.seconds > 0.999 * least && outcome.seconds < 1.001 * most);
        assert_int_equal(outcome.n_shared, set.grouped ? 2 : 0);
        assert_int_equal(outcome.n_shared + outcome.n_done, 6);
        assert_true(outcome.work == 60.0);
    }
    settings.scheduler = "counter";
    set.serial = 0.5;
    set.grouped = true;
    assert_ok(hf_sim_set_run(&set, &IDEAL, &settings, &outcome, &error));
    assert_true(fabs(outcome.seconds - 40.0 * (0.5 + 0.5 / 4.0)) < 0.01);
}

TEST(a_set_is_read_or_refused)
{
    static const struct {
        const char *text, *words;
    } bad[] = {{"1 2\n3\n", "two numbers"}, {"", "two numbers"}, {"1 0\n", "above 0"}};
    for (int i = 0; i < 4; i++) {
        struct hf_sim_set set = {.n = 0};
        char path[] = "/tmp/test_simulate_XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        fputs(i < 3 ? bad[i].text : "1 2\n3 4.5\n", file);
        fclose(file);
        if (i < 3) {
            assert_failure(hf_sim_set_read(path, &set, &error), HF_BAD_INPUT, &error, bad[i].words);
        } else {
            assert_ok(hf_sim_set_read(path, &set, &error));
            assert_int_equal(set.n, 2);
            assert_true(set.foreseen[1] == 3.0 && set.seconds[1] == 4.5);
        }
        hf_sim_set_free(&set);
        unlink(path);
    }
}

TEST_MAIN
