/* Quartet work by itself: a consumer that keeps a list of what it was handed gets every quartet once,
 * whatever the grain, the threads, and the room for stored integrals. */
#include "../all_integrals.h"
#include "../mpi_test.h"
#include "../shells.h"

#include "pairs/shell_pairs.h"
#include "work/work.h"

#include <math.h>
#include <pthread.h>

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
    const double *integral; /**< [n][n][n][n] of all functions */
    const int *pair_of;     /**< [n_shell][n_shell], -1: none */
    pthread_mutex_t lock;
    double *times;    /**< [n_pair][n_pair] how often (larger | smaller) was taken, */
    double *sum;      /**< and the sum of its numbers then */
    double least;     /**< products of bounds that are wanted */
    double threshold; /**< of the next round; 0: 1e-10 */
    bool lend_fails, finish_fails;
    enum hf_task_quartets quartets; /**< unless each comes once, there are no factors */
    int n_lent, n_finished;
};

/** Below this a quartet may as well be missing. */
static const double NOTHING = 1e-13;

/** The part that a thread works on. */
static _Thread_local const struct hf_part *current;

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *failure)
{
    struct ledger *ledger = self;
    assert_true(part->n_ket > 0 && part->n_ket <= HF_MOST_PART_KETS);
    current = part;
    pthread_mutex_lock(&ledger->lock);
    ledger->n_lent++;
    pthread_mutex_unlock(&ledger->lock);
    return ledger->lend_fails ? hf_fail(failure, HF_NO_RESOURCE, "nothing to lend") : HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct ledger *ledger = self;
    for (int i = 0; i < n; i++)
        ket[i].wanted = bra->bound * ket[i].pair->bound >= ledger->least ? 5 : 0;
}

static uint8_t bound_strip(void *self, const struct hf_strip *strip, double bound)
{
    const struct ledger *ledger = self;
    assert_true(strip->value == NULL || strip->single == NULL);
    return bound >= ledger->least ? 5 : 0;
}

/** A strip and where its functions begin in the basis. */
struct found_strip {
    const struct hf_strip *strip;
    const struct hf_shell *a, *b;
    int first_c, first_d;
};

/** Compares the numbers of shells c, d of a strip with the integrals, and books them. */
static void book_quartet(struct ledger *ledger, const struct found_strip *f, int c_shell,
                         int d_shell)
{
    const struct hf_basis *basis = ledger->pairs->basis;
    const struct hf_shell_pair *list = ledger->pairs->pair, *bra = f->strip->bra;
    const struct hf_shell *c = &basis->shell[c_shell], *d = &basis->shell[d_shell];
    const size_t n = (size_t)basis->n_function, n_d = (size_t)f->strip->n_d;
    const size_t n_b = (size_t)f->b->n_function, n_a = (size_t)f->a->n_function;
    const int64_t i = bra - list, k = ledger->pair_of[c_shell * basis->n_shell + d_shell];
    const double factor = ledger->quartets != HF_QUARTETS_ONCE
                              ? 1.0
                              : (bra->a == bra->b ? 1.0 : 2.0) * (c_shell == d_shell ? 1.0 : 2.0) *
                                    (i == k ? 1.0 : 2.0);
    double largest = 0.0, difference = 0.0, sum = 0.0;
    for (int x = 0; x < f->a->n_function * f->b->n_function * c->n_function * d->n_function; x++) {
        const size_t l = (size_t)(x % d->n_function), y = (size_t)(x / d->n_function);
        const size_t jb = y % n_b, ia = y / n_b % n_a, kc = y / n_b / n_a;
        const size_t c_at = (size_t)c->first_function + kc, d_at = (size_t)d->first_function + l;
        const size_t at = (((c_at - (size_t)f->first_c) * n_a + ia) * n_b + jb) * n_d +
                          (d_at - (size_t)f->first_d);
        const double number =
            f->strip->value != NULL ? f->strip->value[at] : (double)f->strip->single[at];
        const double integral =
            factor * ledger->integral[((((size_t)f->a->first_function + ia) * n +
                                        (size_t)f->b->first_function + jb) *
                                           n +
                                       c_at) *
                                          n +
                                      d_at];
        largest = fmax(largest, fabs(number));
        difference = fmax(difference, fabs(number - integral));
        sum += number;
    }
    if (largest < NOTHING) return; /* negligible, or stored elsewhere */
    assert_true(k >= 0 && difference < 10.0 * fmax(1e-10, ledger->threshold));
    const int64_t at = i > k ? i * ledger->pairs->n_pair + k : k * ledger->pairs->n_pair + i;
    ledger->times[at] += 1.0;
    ledger->sum[at] += sum;
}

static void take(void *self, const struct hf_strip *strip)
{
    struct ledger *ledger = self;
    const struct hf_basis *basis = ledger->pairs->basis;
    int atom_c, atom_d;
    assert_true((strip->value == NULL) != (strip->single == NULL));
    assert_int_equal(strip->wanted, 5);
    hf_strip_atoms(basis, current->ket[strip->place].atoms, &atom_c, &atom_d);
    assert_true(hf_atom_n_function(basis, atom_c) <= hf_atom_n_function(basis, atom_d));
    const int *first = basis->first_shell_of_atom;
    const struct found_strip found = {
        .strip = strip,
        .a = &basis->shell[strip->bra->a],
        .b = &basis->shell[strip->bra->b],
        .first_c = hf_atom_first_function(basis, atom_c) + strip->first_c,
        .first_d = hf_atom_first_function(basis, atom_d) + strip->first_d};
    pthread_mutex_lock(&ledger->lock);
    for (int c = first[atom_c]; c < first[atom_c + 1]; c++) {
        if (basis->shell[c].first_function < found.first_c ||
            basis->shell[c].first_function >= found.first_c + strip->n_c)
            continue;
        for (int d = first[atom_d]; d < first[atom_d + 1]; d++)
            if (basis->shell[d].first_function >= found.first_d &&
                basis->shell[d].first_function < found.first_d + strip->n_d)
                book_quartet(ledger, &found, c, d);
    }
    pthread_mutex_unlock(&ledger->lock);
}

static hf_status finish(void *self, const struct hf_part *part, struct hf_error *failure)
{
    struct ledger *ledger = self;
    assert_true(part->task >= 0);
    pthread_mutex_lock(&ledger->lock);
    ledger->n_finished++;
    pthread_mutex_unlock(&ledger->lock);
    return ledger->finish_fails ? hf_fail(failure, HF_NO_RESOURCE, "no end in sight") : HF_OK;
}

static const struct hf_quartet_consumer consumer = {
    .lend = lend, .bound = bound, .bound_strip = bound_strip, .take = take, .finish = finish};

static hf_status run(void *ledger, struct hf_worker *worker, struct hf_error *failure)
{
    return hf_work_do_all(worker, &consumer, ledger, failure);
}

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    double *integral;
    int pair_of[N_SHELL * N_SHELL];
    struct ledger ledger;
};

/** Pairs of shells by their shells. */
static void find_pairs(struct fixture *f)
{
    const struct hf_shell_pair *pair = f->pairs->pair;
    for (int i = 0; i < N_SHELL * N_SHELL; i++) f->pair_of[i] = -1;
    for (int i = 0; i < (int)f->pairs->n_pair; i++) {
        f->pair_of[pair[i].a * N_SHELL + pair[i].b] = i;
        f->pair_of[pair[i].b * N_SHELL + pair[i].a] = i;
    }
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(4, centre, N_SHELL, shells)};
    assert_ok(hf_shell_pairs_create(f->context, f->basis, 1e-16, &f->pairs, &error));
    const size_t n = (size_t)(f->pairs->n_pair * f->pairs->n_pair);
    f->integral = test_all_integrals(f->pairs);
    find_pairs(f);
    f->ledger.pairs = f->pairs;
    f->ledger.integral = f->integral;
    f->ledger.pair_of = f->pair_of;
    f->ledger.times = calloc(n, sizeof(double));
    f->ledger.sum = calloc(n, sizeof(double));
    pthread_mutex_init(&f->ledger.lock, NULL);
}

static void tear_down(struct fixture *f)
{
    pthread_mutex_destroy(&f->ledger.lock);
    free(f->integral);
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
static hf_status run_round(struct fixture *f, struct hf_work *work, struct hf_error *failure)
{
    const size_t n = (size_t)(f->pairs->n_pair * f->pairs->n_pair);
    struct ledger *ledger = &f->ledger;
    memset(ledger->times, 0, n * sizeof(double));
    memset(ledger->sum, 0, n * sizeof(double));
    ledger->n_lent = ledger->n_finished = 0;
    const hf_status status = hf_work_run(
        work,
        &(struct hf_round){.threshold = ledger->threshold > 0.0 ? ledger->threshold : 1e-10,
                           .largest = 1.0,
                           .run = run,
                           .data = ledger},
        failure);
    hf_sum_over_ranks(f->context->comm, n, ledger->times);
    hf_sum_over_ranks(f->context->comm, n, ledger->sum);
    return status;
}

/** Whether any integral of two pairs is worth a number. */
static bool is_something(const struct fixture *f, int64_t i, int64_t k)
{
    const struct hf_shell_pair *bra = &f->pairs->pair[i], *ket = &f->pairs->pair[k];
    const struct hf_shell *shell = f->basis->shell;
    const size_t n = (size_t)f->basis->n_function;
    for (int a = 0; a < shell[bra->a].n_function; a++)
        for (int b = 0; b < shell[bra->b].n_function; b++)
            for (int c = 0; c < shell[ket->a].n_function; c++)
                for (int d = 0; d < shell[ket->b].n_function; d++)
                    if (fabs(f->integral[(((size_t)(shell[bra->a].first_function + a) * n +
                                           (size_t)(shell[bra->b].first_function + b)) *
                                              n +
                                          (size_t)(shell[ket->a].first_function + c)) *
                                             n +
                                         (size_t)(shell[ket->b].first_function + d)]) >
                        2.0 * NOTHING)
                        return true;
    return false;
}

/** How often a round takes a quartet that matters. */
static double times_taken(const struct fixture *f, int64_t i, int64_t k)
{
    const struct hf_shell_pair *one = &f->pairs->pair[i], *other = &f->pairs->pair[k];
    const int of_one[2] = {one->a, one->b}, of_other[2] = {other->a, other->b};
    double n = 0.0;
    if (f->ledger.quartets == HF_QUARTETS_ONCE) return 1.0;
    if (f->ledger.quartets == HF_QUARTETS_EVERY_KET) return i == k ? 1.0 : 2.0;
    if (i == k) return one->a == one->b ? 1.0 : 3.0; /* tasks aa, ab and bb */
    for (int x = 0; x < (one->a == one->b ? 1 : 2); x++)
        for (int y = 0; y < (other->a == other->b ? 1 : 2); y++)
            n += of_one[x] == of_other[y] ? 2.0 : 1.0; /* of one shell: from both sides */
    return n;
}

/** Every quartet above the bound was taken as often as it must be; those below are read back beside others only. */
static void check_taken(const struct fixture *f, bool reads)
{
    const int64_t n = f->pairs->n_pair;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++) {
            const bool wanted =
                f->pairs->pair[i].bound * f->pairs->pair[k].bound >= f->ledger.least;
            const double times = f->ledger.times[i * n + k];
            if (!is_something(f, i, k)) continue;
            assert_true(times == (wanted ? times_taken(f, i, k) : 0.0) ||
                        (!wanted && reads && times == 1.0));
        }
    }
    assert_int_equal(f->ledger.n_lent, f->ledger.n_finished);
}

TEST(every_quartet_is_taken_once)
{
    static const double bytes[] = {0.0, 1.0, 1e9};
    SET_UP(f);
    for (int grain = 0; hf_grain_list[grain].name != NULL; grain++) {
        for (int n_thread = 1; n_thread <= 3; n_thread += 2) {
            for (int b = 0; b < 3; b++) {
                const struct hf_work_settings settings =
                    settings_for(hf_grain_list[grain].grain, n_thread, bytes[b]);
                struct hf_work *work = NULL;
                assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
                assert_int_equal(hf_work_n_thread(work), n_thread);
                for (int round = 0; round < 3; round++) {
                    f.ledger.least = round == 1 ? 1e-4 : 1e-10;
                    assert_ok(run_round(&f, work, &error));
                    check_taken(&f, bytes[b] > 0.0);
                    const struct hf_work_account account = hf_work_account(work);
                    if (bytes[b] > 1e8 && round > 0) assert_int_equal(account.n_computed, 0);
                    if (bytes[b] < 2.0 || round == 0) assert_int_equal(account.n_read, 0);
                }
                hf_work_destroy(&work);
                assert_null(work);
            }
        }
    }
}

TEST(a_failure_of_the_consumer_ends_the_round_with_its_message)
{
    struct hf_work *work = NULL;
    SET_UP(f);
    for (int n_thread = 1; n_thread <= 2; n_thread++) {
        const struct hf_work_settings settings = settings_for(HF_GRAIN_ATOM_QUARTET, n_thread, 1e9);
        assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
        f.ledger.lend_fails = rank_here() == 0; /* all ranks learn of it */
        assert_int_equal(run_round(&f, work, &error), HF_NO_RESOURCE);
        assert_string_equal(error.message, "nothing to lend");
        f.ledger.lend_fails = false;
        f.ledger.finish_fails = rank_here() == 0;
        assert_int_equal(run_round(&f, work, &error), HF_NO_RESOURCE);
        assert_string_equal(error.message, "no end in sight");
        f.ledger.finish_fails = false;
        assert_ok(run_round(&f, work, &error)); /* nothing is left of it */
        assert_int_equal(hf_work_account(work).n_read, 0);
        hf_work_destroy(&work);
    }
}

TEST(a_queue_may_be_as_short_as_one)
{
    struct hf_work *work = NULL;
    struct hf_work_settings settings = settings_for(HF_GRAIN_SHELL_PAIR, 1, 0.0);
    settings.largest_queue = 1;
    SET_UP(f);
    f.ledger.least = 1e-10;
    assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
    assert_ok(run_round(&f, work, &error));
    check_taken(&f, false);
    hf_work_destroy(&work);
}

static void check_order(enum hf_task_quartets quartets, int bra_functions)
{
    SET_UP(f);
    f.ledger.quartets = quartets;
    for (int n_thread = 1; n_thread <= 3; n_thread += 2) {
        struct hf_work *work = NULL;
        struct hf_work_settings settings = settings_for(HF_GRAIN_SHELL_PAIR, n_thread, 0.0);
        settings.order.quartets = quartets;
        settings.order.bra_functions = bra_functions;
        assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
        for (f.ledger.least = 1e-10; f.ledger.least < 1e-3; f.ledger.least *= 1e6) {
            assert_ok(run_round(&f, work, &error));
            check_taken(&f, false);
        }
        if (quartets == HF_QUARTETS_EVERY_KET)
            assert_true((hf_work_account(work).n_listed < f.pairs->n_pair) == (bra_functions > 0));
        hf_work_destroy(&work);
    }
}

TEST(a_bra_may_meet_every_ket)
{
    check_order(HF_QUARTETS_EVERY_KET, 0);
}

TEST(bras_of_two_atoms_may_share_a_task)
{
    check_order(HF_QUARTETS_EVERY_KET, 6);
    check_order(HF_QUARTETS_EVERY_KET, 1000);
}

TEST(tasks_may_be_of_two_shells)
{
    check_order(HF_QUARTETS_OF_SHELLS, 0);
}

/** Rounds of a calculation: two loose ones, a sharper one, a sharp one. */
static void run_calculation(struct fixture *f, struct hf_work *work, struct hf_work_account of[4])
{
    static const double threshold[] = {1e-3, 1e-3, 1e-5, 1e-10};
    for (int round = 0; round < 4; round++) {
        f->ledger.least = f->ledger.threshold = threshold[round];
        assert_ok(run_round(f, work, &error));
        check_taken(f, round > 0);
        of[round] = hf_work_account(work);
    }
}

TEST(a_loose_round_stores_what_does_for_sharp_ones)
{
    struct hf_work *work = NULL;
    struct hf_work_account of[4];
    const struct hf_work_settings settings = settings_for(HF_GRAIN_ATOM_QUARTET, 1, 1e9);
    SET_UP(f);
    assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
    run_calculation(&f, work, of);
    for (int round = 1; round < 4; round++) assert_int_equal(of[round].n_computed, 0);
    hf_work_destroy(&work);
}

TEST(the_first_round_measures_and_the_second_one_stores_what_is_worth_it)
{
    SET_UP(f);
    for (int grain = 0; hf_grain_list[grain].name != NULL; grain++) {
        struct hf_work *work = NULL;
        struct hf_work_account of[4];
        struct hf_work_settings settings = settings_for(hf_grain_list[grain].grain, 2, 1e9);
        settings.store_weighed = true;
        assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
        run_calculation(&f, work, of);
        assert_int_equal(of[0].outlook.n_build, 0);
        assert_true(of[0].stored_bytes == 0.0);
        for (int round = 1; round < 4; round++) {
            assert_true(of[round].outlook.n_build > 0);
            if (of[3].outlook.bytes == 0.0) assert_int_equal(of[round].n_read, 0);
        }
        hf_work_destroy(&work);
    }
}

/** What is stored, in single precision too, is what the consumer took when it was computed; and so
 *  is what had no room and is computed again. */
TEST(a_quartet_is_the_same_number_stored_read_and_computed_again)
{
    static const double memory[] = {1e7, 2e4, 4e3};
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
        struct fixture f;
        struct hf_work *work = NULL;
        set_up(&f);
        const struct hf_work_settings settings = settings_for(HF_GRAIN_ATOM_QUARTET, 2, memory[m]);
        const size_t n = (size_t)(f.pairs->n_pair * f.pairs->n_pair);
        double *sum = malloc(n * sizeof *sum);
        f.ledger.least = 1e-10;
        assert_ok(hf_work_create(f.context, f.pairs, &settings, &work, &error));
        assert_ok(run_round(&f, work, &error));
        memcpy(sum, f.ledger.sum, n * sizeof *sum);
        for (int round = 0; round < 2; round++) {
            assert_ok(run_round(&f, work, &error));
            assert_memory_equal(f.ledger.sum, sum, n * sizeof *sum);
        }
        free(sum);
        hf_work_destroy(&work);
        tear_down(&f);
    }
}

TEST(grains_have_names)
{
    for (int i = 0; hf_grain_list[i].name != NULL; i++) {
        assert_string_equal(hf_grain_name(hf_grain_list[i].grain), hf_grain_list[i].name);
        assert_true(hf_grain_list[i].about != NULL && hf_grain_list[i].cite != NULL);
    }
}

MPI_TEST_MAIN
