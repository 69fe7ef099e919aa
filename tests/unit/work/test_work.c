/* Quartet work by itself: a consumer that keeps a list of what it was handed gets every quartet once,
 * whatever the grain, the threads, and the room for stored integrals. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hf/work.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const double centre[4][3] = {
    {0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}, {0.2, -0.9, 1.7}};
static const struct test_shell shells[] = {
    {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
    {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
    {0, 2, 1, true, {0.9}, {0.8}},
    {1, 0, 1, false, {0.4}, {0.6}},
    {1, 1, 1, false, {0.9}, {0.8}},
    {2, 0, 2, false, {1.5, 0.3}, {0.4, 0.3}},
    {3, 0, 1, false, {0.5}, {0.6}},
    {3, 1, 1, false, {0.8}, {0.7}},
};
enum { N_SHELL = sizeof shells / sizeof *shells };

/** What all threads of a rank found. */
struct ledger {
    const struct hf_shell_pairs *pairs;
    pthread_mutex_t lock;
    double *times; /**< [n_pair][n_pair] how often (larger | smaller) was taken, */
    double *sum;   /**< and the sum of its numbers then */
    double least;  /**< products of bounds that are wanted */
    bool lend_fails, finish_fails;
    int n_lent, n_finished;
};

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct ledger *ledger = self;
    assert_true(part->n_ket > 0 && part->n_ket <= HF_MOST_PART_KETS);
    pthread_mutex_lock(&ledger->lock);
    ledger->n_lent++;
    pthread_mutex_unlock(&ledger->lock);
    return ledger->lend_fails ? hf_fail(error, HF_NO_RESOURCE, "nothing to lend") : HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct ledger *ledger = self;
    for (int i = 0; i < n; i++)
        ket[i].wanted = bra->bound * ket[i].pair->bound >= ledger->least ? 5 : 0;
}

static void take(void *self, const struct hf_quartet_batch *batch)
{
    struct ledger *ledger = self;
    const struct hf_shell_pair *list = ledger->pairs->pair;
    const int n_lane = batch->side_by_side ? HF_LANES : 1;
    assert_true(batch->n >= 1 && batch->n <= n_lane);
    assert_true((batch->value == NULL) != (batch->single == NULL));
    pthread_mutex_lock(&ledger->lock);
    for (int l = 0; l < batch->n; l++) {
        const int64_t i = batch->bra - list, k = batch->ket[l].pair - list;
        const int64_t at = i > k ? i * ledger->pairs->n_pair + k : k * ledger->pairs->n_pair + i;
        assert_true(batch->ket[l].wanted == 5 || batch->ket[l].wanted == 0);
        assert_int_equal(batch->ket[l].pair->pair_class, batch->ket[0].pair->pair_class);
        if (batch->ket[l].wanted == 0) continue;
        ledger->times[at] += 1.0;
        for (int x = 0; x < batch->n_value; x++)
            ledger->sum[at] += batch->value != NULL ? batch->value[x * n_lane + l]
                                                    : (double)batch->single[x * n_lane + l];
    }
    pthread_mutex_unlock(&ledger->lock);
}

static hf_status finish(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct ledger *ledger = self;
    assert_true(part->task >= 0);
    pthread_mutex_lock(&ledger->lock);
    ledger->n_finished++;
    pthread_mutex_unlock(&ledger->lock);
    return ledger->finish_fails ? hf_fail(error, HF_NO_RESOURCE, "no end in sight") : HF_OK;
}

static const struct hf_quartet_consumer consumer = {
    .name = "ledger", .lend = lend, .bound = bound, .take = take, .finish = finish};

static hf_status run(void *ledger, struct hf_worker *worker, struct hf_error *error)
{
    return hf_work_do_all(worker, &consumer, ledger, error);
}

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct ledger ledger;
};

static void set_up(struct fixture *f)
{
    struct hf_error error;
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(4, centre, N_SHELL, shells)};
    assert_int_equal(hf_shell_pairs_create(f->context, f->basis, 1e-16, &f->pairs, &error), HF_OK);
    const size_t n = (size_t)(f->pairs->n_pair * f->pairs->n_pair);
    f->ledger.pairs = f->pairs;
    f->ledger.times = calloc(n, sizeof(double));
    f->ledger.sum = calloc(n, sizeof(double));
    pthread_mutex_init(&f->ledger.lock, NULL);
}

static void tear_down(struct fixture *f)
{
    pthread_mutex_destroy(&f->ledger.lock);
    free(f->ledger.times);
    free(f->ledger.sum);
    hf_shell_pairs_destroy(&f->pairs);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

static struct hf_work_settings settings_for(enum hf_grain grain, int n_thread, double memory_bytes)
{
    return (struct hf_work_settings){
        .schedule.name = "static",
        .order = {.grain = grain, .largest_row = 4, .most_slices = 2, .scatter = true},
        .n_thread = n_thread,
        .memory_bytes = memory_bytes,
        .store_threshold = 1e-10,
    };
}

/** A round, and what all ranks took in it. */
static hf_status run_round(struct fixture *f, struct hf_work *work, struct hf_error *error)
{
    const size_t n = (size_t)(f->pairs->n_pair * f->pairs->n_pair);
    struct ledger *ledger = &f->ledger;
    memset(ledger->times, 0, n * sizeof(double));
    memset(ledger->sum, 0, n * sizeof(double));
    ledger->n_lent = ledger->n_finished = 0;
    const hf_status status = hf_work_run(
        work, &(struct hf_round){.threshold = 1e-10, .largest = 1.0, .run = run, .data = ledger},
        error);
    hf_sum_over_ranks(f->context->comm, n, ledger->times);
    hf_sum_over_ranks(f->context->comm, n, ledger->sum);
    return status;
}

/** Every quartet above the bound was taken once, with the numbers it should have. */
static void check_taken(const struct fixture *f, const double *sum)
{
    const int64_t n = f->pairs->n_pair;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++) {
            const bool wanted =
                f->pairs->pair[i].bound * f->pairs->pair[k].bound >= f->ledger.least;
            assert_true(f->ledger.times[i * n + k] == (wanted ? 1.0 : 0.0));
            if (wanted) assert_true(fabs(f->ledger.sum[i * n + k] - sum[i * n + k]) < 1e-9);
        }
    }
    assert_int_equal(f->ledger.n_lent, f->ledger.n_finished);
}

static void every_quartet_is_taken_once(void **state)
{
    (void)state;
    static const double bytes[] = {0.0, 1.0, 1e9};
    struct fixture f;
    struct hf_error error;
    set_up(&f);
    const size_t n = (size_t)(f.pairs->n_pair * f.pairs->n_pair);
    double *sum = NULL;
    for (int grain = 0; hf_grain_list[grain].name != NULL; grain++) {
        for (int n_thread = 1; n_thread <= 3; n_thread += 2) {
            for (int b = 0; b < 3; b++) {
                const struct hf_work_settings settings =
                    settings_for(hf_grain_list[grain].grain, n_thread, bytes[b]);
                struct hf_work *work = NULL;
                assert_int_equal(hf_work_create(f.context, f.pairs, &settings, &work, &error),
                                 HF_OK);
                assert_int_equal(hf_work_n_thread(work), n_thread);
                for (int round = 0; round < 3; round++) {
                    f.ledger.least = round == 1 ? 1e-4 : 1e-10;
                    assert_int_equal(run_round(&f, work, &error), HF_OK);
                    if (sum == NULL) {
                        sum = malloc(n * sizeof *sum);
                        memcpy(sum, f.ledger.sum, n * sizeof *sum);
                    }
                    check_taken(&f, sum);
                    const struct hf_work_account account = hf_work_account(work);
                    if (bytes[b] > 1e8 && round > 0) assert_int_equal(account.n_computed, 0);
                    if (bytes[b] < 2.0 || round == 0) assert_int_equal(account.n_read, 0);
                }
                hf_work_destroy(&work);
                assert_null(work);
            }
        }
    }
    free(sum);
    tear_down(&f);
}

static void a_failure_of_the_consumer_ends_the_round_with_its_message(void **state)
{
    (void)state;
    struct fixture f;
    struct hf_error error;
    struct hf_work *work = NULL;
    set_up(&f);
    for (int n_thread = 1; n_thread <= 2; n_thread++) {
        const struct hf_work_settings settings = settings_for(HF_GRAIN_ATOM_QUARTET, n_thread, 1e9);
        assert_int_equal(hf_work_create(f.context, f.pairs, &settings, &work, &error), HF_OK);
        f.ledger.lend_fails = rank_here() == 0; /* all ranks learn of it */
        assert_int_equal(run_round(&f, work, &error), HF_NO_RESOURCE);
        assert_string_equal(error.message, "nothing to lend");
        f.ledger.lend_fails = false;
        f.ledger.finish_fails = rank_here() == 0;
        assert_int_equal(run_round(&f, work, &error), HF_NO_RESOURCE);
        assert_string_equal(error.message, "no end in sight");
        f.ledger.finish_fails = false;
        assert_int_equal(run_round(&f, work, &error), HF_OK); /* nothing is left of it */
        assert_int_equal(hf_work_account(work).n_read, 0);
        hf_work_destroy(&work);
    }
    tear_down(&f);
}

static void a_queue_may_be_as_short_as_one(void **state)
{
    (void)state;
    struct fixture f;
    struct hf_error error;
    struct hf_work *work = NULL;
    struct hf_work_settings settings = settings_for(HF_GRAIN_SHELL_PAIR, 1, 0.0);
    settings.largest_queue = 1;
    set_up(&f);
    f.ledger.least = 1e-10;
    assert_int_equal(hf_work_create(f.context, f.pairs, &settings, &work, &error), HF_OK);
    assert_int_equal(run_round(&f, work, &error), HF_OK);
    const int64_t n = f.pairs->n_pair;
    double n_taken = 0.0;
    for (int64_t i = 0; i < n * n; i++) n_taken += f.ledger.times[i];
    double n_computed = (double)hf_work_account(work).n_computed;
    hf_sum_over_ranks(f.context->comm, 1, &n_computed);
    assert_true(n_taken == n_computed);
    hf_work_destroy(&work);
    tear_down(&f);
}

/** What is stored, in single precision too, is what the consumer took when it was computed; and so
 *  is what had no room and is computed again. */
static void a_quartet_is_the_same_number_stored_read_and_computed_again(void **state)
{
    (void)state;
    static const double memory[] = {1e7, 2e4, 4e3};
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
        struct fixture f;
        struct hf_work *work = NULL;
        struct hf_error error;
        set_up(&f);
        const struct hf_work_settings settings = settings_for(HF_GRAIN_ATOM_QUARTET, 2, memory[m]);
        const size_t n = (size_t)(f.pairs->n_pair * f.pairs->n_pair);
        double *sum = malloc(n * sizeof *sum);
        f.ledger.least = 1e-10;
        assert_int_equal(hf_work_create(f.context, f.pairs, &settings, &work, &error), HF_OK);
        assert_int_equal(run_round(&f, work, &error), HF_OK);
        memcpy(sum, f.ledger.sum, n * sizeof *sum);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(run_round(&f, work, &error), HF_OK);
            assert_memory_equal(f.ledger.sum, sum, n * sizeof *sum);
        }
        free(sum);
        hf_work_destroy(&work);
        tear_down(&f);
    }
}

static void grains_are_found_by_the_names_they_have(void **state)
{
    (void)state;
    enum hf_grain grain = HF_GRAIN_ATOM_QUARTET;
    for (int i = 0; hf_grain_list[i].name != NULL; i++) {
        assert_true(hf_grain_find(hf_grain_list[i].name, &grain));
        assert_int_equal(grain, hf_grain_list[i].grain);
        assert_string_equal(hf_grain_name(grain), hf_grain_list[i].name);
        assert_true(hf_grain_list[i].about != NULL && hf_grain_list[i].cite != NULL);
    }
    assert_false(hf_grain_find("molecule", &grain));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quartet_is_taken_once),
        cmocka_unit_test(a_failure_of_the_consumer_ends_the_round_with_its_message),
        cmocka_unit_test(a_queue_may_be_as_short_as_one),
        cmocka_unit_test(a_quartet_is_the_same_number_stored_read_and_computed_again),
        cmocka_unit_test(grains_are_found_by_the_names_they_have),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
