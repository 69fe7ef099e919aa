/* The list of shell pairs: flat arrays, their order, their size. */
#include "../mpi_test.h"
#include "../shells.h"

#include "base/node_memory.h"
#include "integrals/engine.h"
#include "integrals/shell_pair.h"
#include "pairs/common_pairs.h"
#include "pairs/shell_pairs.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/** Windows that MPI still grants, a stand-in for libraries that refuse them. */
static int n_windows = INT_MAX;

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window)
{
    if (n_windows-- <= 0) return MPI_ERR_RMA_SHARED;
    return PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

static const double centre[3][3] = {{0.1, -0.2, 0.3}, {1.2, 0.7, -0.5}, {-0.4, 1.1, 0.9}};

static const struct test_shell shells[] = {
    {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
    {0, 0, 3, false, {30.0, 4.0, 0.7}, {-0.1, -0.2, 0.9}},
    {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
    {1, 0, 1, false, {0.4}, {0.6}},
    {1, 2, 1, true, {0.9}, {0.8}},
    {2, 2, 1, false, {0.7}, {0.9}},
};

static struct hf_shell_pairs *make_pairs(struct hf_context *context, const struct hf_basis *basis)
{
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error));
    return pairs;
}

TEST(pairs_of_atoms_are_contiguous_and_sorted)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    int64_t next = 0;
    assert_int_equal(pairs->n_atom_pair, 6);
    assert_int_equal(pairs->n_pair, 21);
    for (int i = 0; i < pairs->n_atom_pair; i++) {
        const struct hf_atom_pair *group = &pairs->atom_pair[i];
        assert_int_equal(group->first_pair, next);
        for (int k = 0; k < group->n_pair; k++, next++) {
            const struct hf_shell_pair *pair = &pairs->pair[next];
            const int a = basis->shell[pair->a].atom, b = basis->shell[pair->b].atom;
            assert_int_equal(a > b ? a : b, group->atom_a);
            assert_int_equal(a > b ? b : a, group->atom_b);
            assert_true(basis->shell[pair->a].l >= basis->shell[pair->b].l);
            if (k == 0) continue;
            assert_true(pair[-1].bound >= pair->bound);
        }
    }
    assert_int_equal(next, pairs->n_pair);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

TEST(primitives_lie_in_the_order_of_the_pairs_by_falling_bound)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    int64_t next = 0;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
        assert_int_equal(pair->first_primitive, next);
        assert_true(pair->n_primitive > 0);
        for (int k = 0; k < pair->n_primitive; k++) {
            assert_true((int)primitive[k].i < basis->shell[pair->a].n_primitive);
            assert_true((int)primitive[k].j < basis->shell[pair->b].n_primitive);
            assert_true(primitive[k].bound > 0.0);
            if (k > 0) assert_true(primitive[k - 1].bound >= primitive[k].bound);
        }
        next += pair->n_primitive;
    }
    assert_int_equal(next, pairs->n_primitive);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

/** What is stored of a primitive pair is what its two shells say. */
TEST(primitives_are_those_of_the_shells)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const struct hf_shell *a = &basis->shell[pair->a], *b = &basis->shell[pair->b];
        double ab = 0.0;
        for (int d = 0; d < 3; d++) ab += pow(a->centre_bohr[d] - b->centre_bohr[d], 2.0);
        for (int k = 0; k < pair->n_primitive; k++) {
            const struct hf_primitive_pair *primitive = &hf_pair_primitives(pairs, pair)[k];
            const double alpha = a->exponent[primitive->i], beta = b->exponent[primitive->j];
            const double zeta = alpha + beta;
            const double expected = a->coefficient[primitive->i] * b->coefficient[primitive->j] *
                                    exp(-alpha * beta / (alpha + beta) * ab) * sqrt(2.0) *
                                    pow(acos(-1.0), 1.25) / (alpha + beta);
            assert_true(fabs(primitive->prefactor - expected) <= 1e-14 * fabs(expected));
            assert_true(primitive->zeta == zeta);
            assert_true(fabs(primitive->one_over_two_zeta * 2.0 * zeta - 1.0) <= 1e-15);
            assert_true(primitive->bound == (float)primitive->bound);
            for (int d = 0; d < 3; d++) {
                const double p = (alpha * a->centre_bohr[d] + beta * b->centre_bohr[d]) / zeta;
                assert_true(fabs(a->centre_bohr[d] + primitive->pa[d] - p) <= 1e-14);
                if (a->atom == b->atom) assert_true(primitive->pa[d] == 0.0);
                const struct hf_single_primitive *single =
                    &pairs->single[pair->first_primitive + k];
                assert_true(fabs((double)single->p[d] + (double)single->rest[d] - p) <= 1e-13);
                assert_true(single->pa[d] == (float)primitive->pa[d]);
                assert_true(single->prefactor == (float)primitive->prefactor);
            }
        }
    }
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

/** 72 bytes of a pair and two cache lines of each primitive pair, and no room kept beside them but to the
 *  end of cache lines. */
TEST(a_list_holds_nothing_but_its_arrays)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    const size_t arrays =
        (size_t)pairs->n_pair * sizeof *pairs->pair +
        (size_t)pairs->n_primitive * (sizeof *pairs->primitive + sizeof *pairs->single) +
        (size_t)pairs->n_atom_pair * sizeof *pairs->atom_pair;
    const size_t n_kind = 4; /* s, p, and d spherical and Cartesian */
    assert_true(sizeof *pairs->pair <= 72);
    assert_true(sizeof *pairs->primitive <= 64 && sizeof *pairs->single <= 64);
    assert_int_equal(pairs->n_coefficient, 0); /* no shell has several parts */
    assert_true(hf_memory_current_bytes(context->memory) <=
                arrays + 3 * 64 + n_kind * n_kind * sizeof *pairs->class_of);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

TEST(more_primitives_than_can_be_counted_are_refused)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = NULL;
    basis->max_primitive = UINT16_MAX + 1;
    assert_failure(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error), HF_NO_RESOURCE,
                   &error, "65536 primitives");
    assert_null(pairs);
    test_basis_destroy(&basis);
}

enum { N_CENTRE = 11, N_MANY = 3 * N_CENTRE };

/** Atoms along a spiral, the ends too far from each other to matter. */
static struct hf_basis *rounded_shells(double factor)
{
    static double where[N_CENTRE][3]; /* the basis borrows its numbers */
    static struct test_shell many[N_MANY];
    for (int i = 0; i < N_CENTRE; i++) {
        where[i][0] = cos(i);
        where[i][1] = sin(i);
        where[i][2] = 2.5 * i;
        for (int k = 0; k < 3; k++) {
            many[3 * i + k] = shells[2 * k];
            many[3 * i + k].atom = i;
            for (int p = 0; p < many[3 * i + k].n_primitive; p++)
                many[3 * i + k].exponent[p] *= factor;
        }
    }
    return test_basis(N_CENTRE, (const double(*)[3])where, N_MANY, many);
}

static struct hf_basis *many_shells(void)
{
    return rounded_shells(1.0);
}

static void expect_the_same(const struct hf_shell_pairs *found, const struct hf_shell_pairs *wanted)
{
    assert_int_equal(found->n_pair, wanted->n_pair);
    assert_int_equal(found->n_atom_pair, wanted->n_atom_pair);
    assert_int_equal(found->n_primitive, wanted->n_primitive);
    assert_true(found->bound == wanted->bound);
    for (int64_t i = 0; i < wanted->n_pair; i++) {
        const struct hf_shell_pair *x = &found->pair[i], *y = &wanted->pair[i];
        assert_true(x->a == y->a && x->b == y->b && x->pair_class == y->pair_class);
        assert_true(x->n_primitive == y->n_primitive && x->bound == y->bound);
        assert_true(x->first_primitive == y->first_primitive);
        assert_true(x->cost_per_number == y->cost_per_number);
    }
    assert_memory_equal(found->primitive, wanted->primitive,
                        (size_t)wanted->n_primitive * sizeof *wanted->primitive);
    for (int i = 0; i < wanted->n_atom_pair; i++) {
        const struct hf_atom_pair *x = &found->atom_pair[i], *y = &wanted->atom_pair[i];
        assert_true(x->atom_a == y->atom_a && x->atom_b == y->atom_b);
        assert_true(x->first_pair == y->first_pair && x->n_pair == y->n_pair);
        assert_true(x->bound == y->bound && x->cost == y->cost);
    }
}

TEST(the_list_is_the_same_on_any_ranks_nodes_and_threads)
{
    struct hf_context *alone = NULL;
    struct hf_basis *basis = many_shells();
    assert_ok(hf_context_create(MPI_COMM_SELF, &alone, &error));
    struct hf_shell_pairs *wanted = make_pairs(alone, basis);
    assert_true(wanted->n_atom_pair < N_CENTRE * (N_CENTRE + 1) / 2); /* some are far apart */
    for (int per_node = 0; per_node <= 3; per_node++) {
        for (int n_thread = 1; n_thread <= 3; n_thread++) {
            struct hf_context *context = NULL;
            struct hf_shell_pairs *pairs = NULL;
            assert_ok(hf_context_create_ext(MPI_COMM_WORLD, per_node, &context, &error));
            assert_ok(hf_shell_pairs_create_ext(context, basis, 1e-14, n_thread, &pairs, &error));
            assert_int_equal(pairs->shared->n_rank, context->n_node_rank);
            expect_the_same(pairs, wanted);
            hf_shell_pairs_destroy(&pairs);
            test_context_done(&context);
        }
    }
    hf_shell_pairs_destroy(&wanted);
    hf_context_destroy(&alone);
    test_basis_destroy(&basis);
}

TEST(where_memory_cannot_be_shared_every_rank_has_the_same_list)
{
    struct hf_context *alone = NULL;
    struct hf_basis *basis = many_shells();
    assert_ok(hf_context_create(MPI_COMM_SELF, &alone, &error));
    struct hf_shell_pairs *wanted = make_pairs(alone, basis);
    for (int ranks_per_node = 0; ranks_per_node <= 2; ranks_per_node += 2) { /* of 3: 2 and 1 */
        struct hf_context *context = NULL;
        assert_ok(hf_context_create_ext(MPI_COMM_WORLD, ranks_per_node, &context, &error));
        for (int n_granted = 0; n_granted <= 1; n_granted++) { /* none, and the first only */
            n_windows = n_granted;
            struct hf_shell_pairs *pairs = make_pairs(context, basis);
            n_windows = INT_MAX;
            expect_the_same(pairs, wanted);
            assert_int_equal(pairs->shared->n_rank, 1);
            assert_int_equal(hf_shell_pairs_note(pairs)[0] != '\0', context->n_rank > 1);
            hf_shell_pairs_destroy(&pairs);
        }
        hf_context_destroy(&context);
    }
    hf_shell_pairs_destroy(&wanted);
    hf_context_destroy(&alone);
    test_basis_destroy(&basis);
}

/** Ranks that compute differently: some see primitives that others do not. */
TEST(ranks_that_disagree_about_the_pairs_are_told)
{
    struct hf_context *context = NULL;
    struct hf_shell_pairs *pairs = NULL;
    struct hf_basis *basis = many_shells();
    error = (struct hf_error){{0}, 0};
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, 1, &context, &error));
    const double accuracy = context->rank == 0 ? 1e-14 : 1e-6;
    const hf_status status = hf_shell_pairs_create(context, basis, accuracy, &pairs, &error);
    assert_int_equal(status, context->n_rank > 1 ? HF_NO_RESOURCE : HF_OK);
    assert_int_equal(strstr(error.message, "do not agree about the shell pairs") != NULL,
                     context->n_rank > 1);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

/** What tells lists apart: which pairs, how many primitives, which bounds. */
static uint64_t hash_of(const struct hf_shell_pairs *pairs)
{
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        uint64_t word[4] = {(uint64_t)pair->a, (uint64_t)pair->b, (uint64_t)pair->n_primitive, 0};
        memcpy(&word[3], &pair->bound, sizeof pair->bound);
        for (int k = 0; k < 4; k++) hash = (hash ^ word[k]) * 1099511628211u;
    }
    return hash;
}

/** Shells that differ in the last bits from node to node give bounds that do, as other processors would;
 *  the list is that of whoever found a row, on all nodes. */
TEST(nodes_that_round_differently_have_one_list)
{
    struct hf_context *context = NULL;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, 1, &context, &error));
    struct hf_basis *basis = rounded_shells(1.0 + 4.0 * context->rank * DBL_EPSILON);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    uint64_t least = hash_of(pairs), most = least;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, context->comm);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, context->comm);
    assert_true(least == most);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

/** On one rank's row only; fmax once dropped such pairs without a word. */
TEST(integrals_that_are_no_numbers_are_an_error_of_all_ranks)
{
    static const double values[] = {NAN, INFINITY, 1e200};
    for (int i = 0; i < 3; i++) {
        const double coefficient = values[i];
        error.message[0] = '\0';
        const struct test_shell absurd[] = {
            {0, 0, 1, false, {1.0}, {1.0}},
            {1, 1, 2, false, {1.0, 2.0}, {1.0, coefficient}},
        };
        TEST_CONTEXT(context);
        struct hf_basis *basis = test_basis(2, centre, 2, absurd);
        struct hf_shell_pairs *pairs = NULL;
        struct hf_error first;
        assert_int_equal(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error),
                         HF_BAD_INPUT);
        assert_null(pairs);
        first = error;
        MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, context->comm);
        assert_string_equal(error.message, first.message);
        assert_non_null(strstr(error.message, "beyond the range of double precision"));
        assert_non_null(strstr(error.message, "of atoms 2 and 1"));
        test_basis_destroy(&basis);
    }
}

TEST(the_estimate_is_what_the_list_takes_or_little_more)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = many_shells();
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    struct hf_pair_memory found;
    assert_ok(hf_shell_pairs_estimate(context, basis, 1e-14, &found, &error));
    assert_true(found.list_bytes + 128.0 >= (double)pairs->shared->n_bytes);
    assert_true(found.list_bytes <= 1.25 * (double)pairs->shared->n_bytes);
    const double before = (double)hf_memory_current_bytes(context->memory);
    struct hf_engine *engine = NULL;
    assert_ok(hf_engine_create(pairs, &engine, &error));
    const double taken = (double)hf_memory_current_bytes(context->memory) - before;
    assert_true(taken > 0.0 && found.engine_bytes >= taken && found.engine_bytes <= 1.2 * taken);
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

TEST(all_ranks_together_estimate_what_one_does)
{
    struct hf_context *context = test_context(), *all = NULL;
    struct hf_basis *basis = many_shells();
    struct hf_pair_memory wanted, found;
    assert_ok(hf_context_create(MPI_COMM_WORLD, &all, &error));
    assert_ok(hf_shell_pairs_estimate(context, basis, 1e-14, &wanted, &error));
    assert_ok(hf_shell_pairs_estimate(all, basis, 1e-14, &found, &error));
    assert_memory_equal(&found, &wanted, sizeof found);
    test_basis_destroy(&basis);
    test_context_done(&all);
    test_context_done(&context);
}

/** `rounding` of the only pair of a shell with itself. */
static double rounding_of(const struct test_shell *shell)
{
    struct hf_context *context = test_context();
    struct hf_basis *basis = test_basis(3, centre, 1, shell);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    assert_int_equal(pairs->n_pair, 1);
    const double rounding = pairs->pair[0].rounding;
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
    return rounding;
}

TEST(rounding_grows_with_the_length_of_the_sums)
{
    const struct test_shell one = {0, 1, 1, false, {0.5}, {1.0}};
    const struct test_shell two = {0, 1, 2, false, {0.5, 0.5}, {0.5, 0.5}};
    struct test_shell six = {0, 1, 6, false, {0.0}, {0.0}};
    for (int k = 0; k < 6; k++) {
        six.exponent[k] = 0.5;
        six.coefficient[k] = 1.0 / 6.0;
    }
    const double expected = rounding_of(&one);
    assert_true(fabs(rounding_of(&two) - expected) < 1e-12 * expected);
    assert_true(fabs(rounding_of(&six) - sqrt(36.0 / 8.0) * expected) < 1e-12 * expected);
}

TEST(shells_beyond_the_range_of_single_precision_are_known)
{
    const struct test_shell core = {0, 0, 1, false, {1e7}, {1e5}};
    const struct test_shell tight = {0, 3, 1, false, {1e8}, {1e17}};
    assert_true(isfinite(rounding_of(&core)));
    assert_true(isinf(rounding_of(&tight)));
}

/** Asks for a list, whose accuracy is to be what is expected. */
static const struct hf_shell_pairs *lent(struct hf_common_pairs *common, double accuracy,
                                         double expected)
{
    const struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_common_pairs_get(common, accuracy, 2, &pairs, &error));
    assert_true(pairs->basis == hf_common_pairs_merged(common));
    assert_true(pairs->accuracy == expected);
    return pairs;
}

TEST(a_common_list_is_made_again_for_a_better_accuracy_only)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_common_pairs *common = NULL;
    struct hf_pair_memory found;
    const size_t before = hf_memory_current_bytes(context->memory);
    assert_ok(hf_common_pairs_create(context, basis, 0.1, &common, &error));
    assert_int_equal(hf_memory_current_bytes(context->memory), before);
    assert_true(hf_common_pairs_are_of(common, basis));
    assert_false(hf_common_pairs_are_of(common, hf_common_pairs_merged(common)));
    const struct hf_shell_pairs *first = lent(common, 1.0, 0.1);
    assert_ptr_equal(lent(common, 0.1, 0.1), first);
    const int64_t n_primitive = first->n_primitive;
    assert_ok(hf_common_pairs_estimate(common, 1.0, &found, &error));
    assert_true(found.n_primitive >= (double)n_primitive);
    const struct hf_shell_pairs *second = lent(common, 1e-14, 1e-14);
    assert_true(second->n_primitive > n_primitive);
    assert_ptr_equal(lent(common, 1.0, 1e-14), second);
    hf_common_pairs_drop(common);
    hf_common_pairs_drop(common);
    assert_int_equal(hf_memory_current_bytes(context->memory), before);
    assert_int_equal(lent(common, 1.0, 0.1)->n_primitive, n_primitive);
    hf_common_pairs_destroy(&common);
    hf_common_pairs_destroy(&common);
    hf_common_pairs_drop(NULL);
    assert_int_equal(hf_memory_current_bytes(context->memory), before);
    test_basis_destroy(&basis);
}

MPI_TEST_MAIN
