/* Blocks at hand: densities as their owners have them, sums that reach their owners once, and a
 * budget that pins alone may exceed. */
#include "../mpi_test.h"
#include "../shells.h"

#include "../../../src/fock/block_cache.h"

#include <math.h>

enum { N_ATOM = 5, N_SHELL = 9, N_LAYER = 3 };

static const double centre[N_ATOM][3] = {
    {0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}, {0.2, -0.9, 1.7}, {2.0, 2.0, 2.0}};
static const struct test_shell shells[N_SHELL] = {
    {0, 0, 1, false, {0.7}, {0.5}}, {0, 1, 1, false, {2.5}, {0.4}}, {0, 2, 1, true, {0.9}, {0.8}},
    {1, 0, 1, false, {0.4}, {0.6}}, {1, 1, 1, false, {0.9}, {0.8}}, {2, 0, 1, false, {1.5}, {0.4}},
    {3, 0, 1, false, {0.6}, {0.7}}, {3, 0, 1, false, {0.5}, {0.6}}, {4, 2, 1, true, {0.8}, {0.7}},
};

enum { N_ALONE = 1 }; /* layers in front that count with the second bound */

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_block_layout *layout;
    struct hf_onesided *onesided;
    struct hf_window *array[N_LAYER];
    struct hf_outbox outbox;
    struct hf_block_cache *cache;
};

/** Element of a symmetric matrix, another in each layer. */
static double element(int layer, int row, int column)
{
    const int high = row > column ? row : column, low = row > column ? column : row;
    return sin(1.0 + high * 7.3 + low) * (1 + layer);
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(N_ATOM, centre, N_SHELL, shells)};
    hf_outbox_init(&f->outbox);
    assert_ok(hf_atom_layout_create(f->context, f->basis, &f->layout, &error));
    assert_ok(hf_onesided_create(f->context, &(struct hf_onesided_settings){.transport = "thread"},
                                 &f->onesided, &error));
    for (int k = 0; k < N_LAYER; k++)
        assert_ok(hf_window_create(f->onesided, hf_block_layout_local_size(f->layout), "test",
                                   &f->array[k], &error));
}

static void make_cache(struct fixture *f, bool sums, double factor, size_t budget_bytes)
{
    assert_ok(hf_block_cache_create(&(struct hf_block_cache_settings){.context = f->context,
                                                                      .basis = f->basis,
                                                                      .layout = f->layout,
                                                                      .n_layer = N_LAYER,
                                                                      .n_alone = N_ALONE,
                                                                      .array = f->array,
                                                                      .sums = sums,
                                                                      .factor = factor,
                                                                      .outbox = &f->outbox,
                                                                      .budget_bytes = budget_bytes},
                                    &f->cache, &error));
}

/** Arrays and cache go once nobody asks any more. */
static void tear_down(struct fixture *f)
{
    hf_block_cache_destroy(&f->cache);
    assert_null(f->cache);
    hf_outbox_done(&f->outbox);
    for (int k = 0; k < N_LAYER; k++) {
        hf_window_fence(f->array[k]);
        hf_window_destroy(&f->array[k]);
    }
    hf_onesided_destroy(&f->onesided);
    hf_block_layout_destroy(&f->layout);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

/** This rank's blocks of all layers. */
static void fill(struct fixture *f)
{
    const int *first = hf_block_layout_first(f->layout);
    for (int k = 0; k < N_LAYER; k++) {
        struct hf_own_blocks own = hf_own_blocks_begin(f->layout);
        struct hf_own_block block;
        while (hf_own_blocks_next(&own, &block)) {
            double *to = hf_window_local(f->array[k]) + block.offset;
            for (int r = first[block.i]; r < first[block.i + 1]; r++)
                for (int c = first[block.j]; c < first[block.j + 1]; c++) *to++ = element(k, r, c);
        }
        hf_window_fence(f->array[k]);
    }
}

/** Both orientations of a block, and its largest elements by shells. */
static void check_density(const struct fixture *f, const struct hf_cached_block *block, int i,
                          int j)
{
    const int *first = hf_block_layout_first(f->layout), *shell = f->basis->first_shell_of_atom;
    const int n_i = first[i + 1] - first[i], n_j = first[j + 1] - first[j];
    const int s_i = shell[i + 1] - shell[i], s_j = shell[j + 1] - shell[j];
    assert_true(block->i == (i > j ? i : j) && block->j == (i > j ? j : i));
    for (int k = 0; k < N_LAYER; k++)
        for (int r = 0; r < n_i; r++)
            for (int c = 0; c < n_j; c++)
                assert_true(hf_cached_value(block, i)[(k * n_i + r) * n_j + c] ==
                            element(k, first[i] + r, first[j] + c));
    const double *largest = block->largest + (i == block->i ? 0 : s_i * s_j * HF_N_BOUND);
    for (int s = 0; s < s_i; s++) {
        for (int t = 0; t < s_j; t++) {
            const struct hf_shell *a = &f->basis->shell[shell[i] + s];
            const struct hf_shell *b = &f->basis->shell[shell[j] + t];
            double top[HF_N_BOUND] = {0.0};
            for (int k = 0; k < N_LAYER; k++) {
                double *of = &top[k < N_ALONE ? HF_EXCHANGE_ALONE : HF_WITH_COULOMB];
                for (int r = 0; r < a->n_function; r++)
                    for (int c = 0; c < b->n_function; c++)
                        *of = fmax(*of,
                                   fabs(element(k, a->first_function + r, b->first_function + c)));
            }
            for (int g = 0; g < HF_N_BOUND; g++)
                assert_true(largest[(s * s_j + t) * HF_N_BOUND + g] == top[g]);
        }
    }
}

static void wait_for(struct hf_block_cache *cache, struct hf_cached_block *block)
{
    while (!hf_block_cache_test(cache, block)) sched_yield();
}

TEST(densities_are_those_of_their_owners_in_both_orders)
{
    for (int small = 0; small < 2; small++) {
        struct fixture f;
        set_up(&f);
        fill(&f);
        make_cache(&f, false, 1.0, small ? 0 : 1 << 20);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < N_ATOM; i++) {
                for (int j = 0; j < N_ATOM; j++) {
                    struct hf_cached_block *block = hf_block_cache_pin(f.cache, i, j);
                    assert_non_null(block);
                    wait_for(f.cache, block);
                    check_density(&f, block, i, j);
                    hf_block_cache_unpin(f.cache, block);
                }
            }
        }
        const struct hf_block_cache_account account = hf_block_cache_account(f.cache);
        const int64_t n_pair = N_ATOM * (N_ATOM + 1) / 2;
        assert_int_equal(account.n_asked, 2 * N_ATOM * N_ATOM);
        if (!small) assert_int_equal(account.n_found, account.n_asked - n_pair);
        if (small) assert_true(account.n_found < account.n_asked - n_pair);
        tear_down(&f);
    }
}

TEST(pinned_blocks_stay_beyond_the_budget)
{
    struct hf_cached_block *pinned[N_ATOM];
    SET_UP(f);
    fill(&f);
    make_cache(&f, false, 1.0, 0);
    for (int i = 0; i < N_ATOM; i++) pinned[i] = hf_block_cache_pin(f.cache, i, 0);
    for (int i = 0; i < N_ATOM; i++) { /* others come and go */
        struct hf_cached_block *block = hf_block_cache_pin(f.cache, i, i);
        assert_non_null(block);
        wait_for(f.cache, block);
        hf_block_cache_unpin(f.cache, block);
    }
    for (int i = 0; i < N_ATOM; i++) {
        assert_ptr_equal(hf_block_cache_pin(f.cache, 0, i), pinned[i]);
        wait_for(f.cache, pinned[i]);
        check_density(&f, pinned[i], i, 0);
        hf_block_cache_unpin(f.cache, pinned[i]);
        hf_block_cache_unpin(f.cache, pinned[i]);
    }
}

TEST(a_block_may_leave_while_it_is_on_its_way)
{
    SET_UP(f);
    fill(&f);
    make_cache(&f, false, 1.0, 0);
    for (int i = 0; i < N_ATOM; i++)
        hf_block_cache_unpin(f.cache, hf_block_cache_pin(f.cache, i, 0)); /* nobody waits */
    struct hf_cached_block *block = hf_block_cache_pin(f.cache, N_ATOM - 1, 1);
    wait_for(f.cache, block);
    check_density(&f, block, N_ATOM - 1, 1);
    hf_block_cache_unpin(f.cache, block);
}

/** Each rank adds its number + 1, times the element that is not symmetric, to every block. */
static void add_to_sums(struct fixture *f, int i, int j)
{
    const int *first = hf_block_layout_first(f->layout);
    struct hf_cached_block *block = hf_block_cache_pin(f->cache, i, j);
    assert_non_null(block);
    double *to = hf_cached_value(block, i);
    for (int k = 0; k < N_LAYER; k++) {
        for (int r = first[i]; r < first[i + 1]; r++)
            for (int c = first[j]; c < first[j + 1]; c++, to++)
                *to += (f->context->rank + 1) * (1 + k) * (r + 100.0 * c);
    }
    block->touched = true;
    hf_block_cache_unpin(f->cache, block);
}

TEST(sums_reach_their_owners_folded_and_once)
{
    for (int small = 0; small < 2; small++) {
        struct fixture f;
        set_up(&f);
        make_cache(&f, true, 0.5, small ? 0 : 1 << 20);
        for (int i = 0; i < N_ATOM; i++)
            for (int j = 0; j < N_ATOM; j++) add_to_sums(&f, i, j);
        hf_block_cache_flush(f.cache);
        for (int k = 0; k < N_LAYER; k++) hf_window_fence(f.array[k]);
        const int *first = hf_block_layout_first(f.layout), n_rank = f.context->n_rank;
        const double ranks = 0.5 * n_rank * (n_rank + 1); /* 1 + 2 + ... */
        for (int k = 0; k < N_LAYER; k++) {
            struct hf_own_blocks own = hf_own_blocks_begin(f.layout);
            struct hf_own_block block;
            while (hf_own_blocks_next(&own, &block)) {
                const double *x = hf_window_local(f.array[k]) + block.offset;
                for (int r = first[block.i]; r < first[block.i + 1]; r++)
                    for (int c = first[block.j]; c < first[block.j + 1]; c++)
                        assert_true(fabs(*x++ - 0.5 * ranks * (1 + k) * 101.0 * (r + c)) < 1e-9);
            }
        }
        tear_down(&f);
    }
}

TEST(a_destroyed_cache_drops_its_sums)
{
    SET_UP(f);
    make_cache(&f, true, 1.0, 1 << 20);
    add_to_sums(&f, 1, 0);
    hf_block_cache_destroy(&f.cache);
    for (int k = 0; k < N_LAYER; k++) {
        hf_window_fence(f.array[k]);
        const double *x = hf_window_local(f.array[k]);
        struct hf_own_blocks own = hf_own_blocks_begin(f.layout);
        struct hf_own_block block;
        while (hf_own_blocks_next(&own, &block))
            for (size_t e = 0; e < block.size; e++) assert_true(x[block.offset + e] == 0.0);
    }
}

MPI_TEST_MAIN
