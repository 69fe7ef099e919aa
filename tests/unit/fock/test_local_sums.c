/* Sums of a thread in a part: every quartet finds the blocks it may meet, blocks of the same atoms are
 * one, and each is handed over once with all that was added to it. */
#include "../mpi_test.h"
#include "../shells.h"

#include "../../../src/fock/local_sums.h"

#include <math.h>

enum { N_ATOM = 4, N_JOB = 2 };

static const double centre[N_ATOM][3] = {
    {0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}, {0.2, -0.9, 1.7}};
static const struct test_shell shells[] = {
    {0, 0, 1, false, {0.7}, {0.5}}, {0, 1, 1, false, {2.5}, {0.4}}, {1, 0, 1, false, {0.4}, {0.6}},
    {2, 1, 1, false, {1.5}, {0.4}}, {3, 0, 1, false, {0.5}, {0.6}}, {3, 0, 1, false, {0.3}, {0.6}},
};
enum { N_SHELL = sizeof shells / sizeof *shells };

/** J of two jobs, K of one. */
static const struct hf_job_shape jobs = {.n = N_JOB, .first_coulomb = 0, .n_exchange = 1};

/** Where sums go in this test: [2][N_ATOM][N_ATOM] of J and K. */
struct ledger {
    double sum[2][N_JOB][N_ATOM][N_ATOM]; /**< of all elements of a block */
    int n_time[2][N_ATOM][N_ATOM];
    int n_shown, n_begun, n_ended;
    bool coulomb, exchange, fails;
    const struct hf_basis *basis;
};

static void show(void *data, int k, struct hf_quartet_blocks *blocks)
{
    struct ledger *ledger = data;
    assert_int_equal(k, ledger->n_shown++);
    blocks->has_coulomb = ledger->coulomb;
    blocks->has_exchange = ledger->exchange;
}

static void add(void *data, bool exchange, int row, int column, const double *value)
{
    struct ledger *ledger = data;
    const int n =
        hf_atom_n_function(ledger->basis, row) * hf_atom_n_function(ledger->basis, column);
    assert_int_equal(ledger->n_begun, ledger->n_ended + 1);
    ledger->n_time[exchange][row][column]++;
    const int n_job = exchange ? jobs.n_exchange : hf_n_coulomb(&jobs);
    for (int i = 0; i < n_job; i++)
        for (int x = 0; x < n; x++) ledger->sum[exchange][i][row][column] += value[i * n + x];
}

static void begin_adding(void *data)
{
    ((struct ledger *)data)->n_begun++;
}

static hf_status end_adding(void *data, struct hf_error *failure)
{
    struct ledger *ledger = data;
    ledger->n_ended++;
    return ledger->fails ? hf_fail(failure, HF_NO_RESOURCE, "no more room") : HF_OK;
}

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_local_sums *sums;
    struct ledger ledger;
    struct hf_atom_pair bra, ket[HF_MOST_PART_KETS];
    struct hf_part part;
};

/** A part of one bra with the kets (atoms two by two). */
static void set_up(struct fixture *f, const int bra[2], int n_ket, const int ket[][2])
{
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(N_ATOM, centre, N_SHELL, shells),
                          .ledger = {.coulomb = true, .exchange = true}};
    f->ledger.basis = f->basis;
    f->bra = (struct hf_atom_pair){.atom_a = bra[0], .atom_b = bra[1]};
    f->part = (struct hf_part){.bra = &f->bra, .n_ket = n_ket};
    for (int k = 0; k < n_ket; k++) {
        f->ket[k] = (struct hf_atom_pair){.atom_a = ket[k][0], .atom_b = ket[k][1]};
        f->part.ket[k].atoms = &f->ket[k];
    }
    const struct hf_sums_target target = {.data = &f->ledger,
                                          .show = show,
                                          .add = add,
                                          .begin_adding = begin_adding,
                                          .end_adding = end_adding};
    assert_ok(hf_local_sums_create(f->context, f->basis, &jobs, &target, &f->sums, &error));
}

static void tear_down(struct fixture *f)
{
    hf_local_sums_destroy(&f->sums);
    assert_null(f->sums);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

/** Adds 1, 2, ... for the jobs to every element of a block. */
static void add_numbers(const struct fixture *f, double *block, int n_job, int row_atom,
                        int column_atom, double expected[N_JOB][N_ATOM][N_ATOM])
{
    const int n =
        hf_atom_n_function(f->basis, row_atom) * hf_atom_n_function(f->basis, column_atom);
    assert_non_null(block);
    for (int i = 0; i < n_job; i++) {
        for (int x = 0; x < n; x++) block[i * n + x] += 1.0 + i;
        expected[i][row_atom][column_atom] += n * (1.0 + i);
    }
}

/** Digests a quartet of 1 of each ket: what a real one would touch. */
static void touch(struct fixture *f, const struct hf_quartet_blocks *blocks,
                  double expected[2][N_JOB][N_ATOM][N_ATOM])
{
    for (int k = 0; k < f->part.n_ket; k++) {
        const struct hf_quartet_blocks *b = &blocks[k];
        hf_local_sums_touch(f->sums, k, f->ledger.coulomb, f->ledger.exchange);
        enum { A = HF_ATOM_A, B = HF_ATOM_B, C = HF_ATOM_C, D = HF_ATOM_D };
        const int b_at = b->atom[A] == b->atom[B] ? A : B; /* shells of AA count as on A */
        const int coulomb[3][2] = {{A, b_at}, {b_at, A}, {C, D}};
        const int exchange[4][2] = {{A, C}, {A, D}, {b_at, C}, {b_at, D}};
        assert_true(hf_atom_n_function(f->basis, b->atom[C]) <=
                    hf_atom_n_function(f->basis, b->atom[D]));
        for (int p = 0; p < 3 && f->ledger.coulomb; p++)
            add_numbers(f, b->coulomb[coulomb[p][0]][coulomb[p][1]], hf_n_coulomb(&jobs),
                        b->atom[coulomb[p][0]], b->atom[coulomb[p][1]], expected[0]);
        for (int p = 0; p < 4 && f->ledger.exchange; p++)
            add_numbers(f, b->exchange[exchange[p][0]][exchange[p][1]], jobs.n_exchange,
                        b->atom[exchange[p][0]], b->atom[exchange[p][1]], expected[1]);
    }
}

/** Two parts one after the other: nothing is left over from the first. */
static void check(struct fixture *f)
{
    for (int round = 0; round < 2; round++) {
        double expected[2][N_JOB][N_ATOM][N_ATOM] = {0};
        memset(f->ledger.sum, 0, sizeof f->ledger.sum);
        memset(f->ledger.n_time, 0, sizeof f->ledger.n_time);
        f->ledger.n_shown = 0;
        touch(f, hf_local_sums_begin(f->sums, &f->part), expected);
        assert_int_equal(f->ledger.n_shown, f->part.n_ket);
        assert_ok(hf_local_sums_end(f->sums, &error));
        assert_int_equal(f->ledger.n_begun, round + 1);
        assert_int_equal(f->ledger.n_ended, round + 1);
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < N_JOB; i++)
                for (int r = 0; r < N_ATOM; r++)
                    for (int c = 0; c < N_ATOM; c++)
                        assert_true(f->ledger.sum[e][i][r][c] == expected[e][i][r][c]);
    }
}

TEST(quartets_of_different_atoms_find_their_blocks)
{
    struct fixture f;
    set_up(&f, (const int[]){3, 2}, 1, (const int[][2]){{1, 0}});
    check(&f);
    tear_down(&f);
}

TEST(atoms_may_coincide_in_all_ways)
{
    for (int code = 0; code < N_ATOM * N_ATOM * N_ATOM * N_ATOM; code++) {
        const int a = code % 4, b = code / 4 % 4, c = code / 16 % 4, d = code / 64;
        struct fixture f;
        if (b > a || d > c) continue;
        set_up(&f, (const int[]){a, b}, 1, (const int[][2]){{c, d}});
        check(&f);
        tear_down(&f);
    }
}

TEST(kets_share_the_blocks_of_their_atoms)
{
    struct fixture f;
    set_up(&f, (const int[]){3, 2}, 5, (const int[][2]){{1, 0}, {1, 1}, {2, 1}, {3, 1}, {3, 2}});
    check(&f);
    for (int c = 0; c < N_ATOM; c++) /* as bra and as ket atom */
        assert_true(f.ledger.n_time[1][3][c] >= 1 && f.ledger.n_time[1][3][c] <= 2);
    tear_down(&f);
}

TEST(what_is_not_wanted_has_no_blocks)
{
    for (int flags = 0; flags < 4; flags++) {
        struct fixture f;
        set_up(&f, (const int[]){2, 0}, 2, (const int[][2]){{2, 0}, {1, 1}});
        f.ledger.coulomb = (flags & 1) != 0;
        f.ledger.exchange = (flags & 2) != 0;
        check(&f);
        for (int r = 0; r < N_ATOM; r++) {
            for (int c = 0; c < N_ATOM; c++) {
                if (!f.ledger.coulomb) assert_int_equal(f.ledger.n_time[0][r][c], 0);
                if (!f.ledger.exchange) assert_int_equal(f.ledger.n_time[1][r][c], 0);
            }
        }
        tear_down(&f);
    }
}

TEST(blocks_that_nothing_was_added_to_stay)
{
    struct fixture f;
    set_up(&f, (const int[]){3, 2}, 2, (const int[][2]){{1, 0}, {1, 1}});
    for (int round = 0; round < 2; round++) {
        hf_local_sums_begin(f.sums, &f.part);
        if (round == 0) hf_local_sums_touch(f.sums, 1, false, true);
        assert_ok(hf_local_sums_end(f.sums, &error));
        f.ledger.n_shown = 0;
    }
    for (int r = 0; r < N_ATOM; r++) {
        for (int c = 0; c < N_ATOM; c++) {
            assert_int_equal(f.ledger.n_time[0][r][c], 0);
            assert_int_equal(f.ledger.n_time[1][r][c], r >= 2 && c == 1 ? 1 : 0);
        }
    }
    tear_down(&f);
}

TEST(what_the_target_says_is_returned)
{
    struct fixture f;
    set_up(&f, (const int[]){1, 0}, 1, (const int[][2]){{1, 0}});
    f.ledger.fails = true;
    hf_local_sums_begin(f.sums, &f.part);
    assert_int_equal(hf_local_sums_end(f.sums, &error), HF_NO_RESOURCE);
    assert_string_equal(error.message, "no more room");
    tear_down(&f);
}

MPI_TEST_MAIN
