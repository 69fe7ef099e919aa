/* The list of shell pairs: flat arrays, their order, their size. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hf/shell_pair.h"

#include <math.h>
#include <string.h>

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
    struct hf_error error;
    assert_int_equal(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error), HF_OK);
    return pairs;
}

static void pairs_of_atoms_are_contiguous_and_sorted(void **state)
{
    (void)state;
    struct hf_context *context = test_context();
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
            assert_true(pair[-1].pair_class <= pair->pair_class);
            if (pair[-1].pair_class == pair->pair_class) assert_true(pair[-1].bound >= pair->bound);
        }
    }
    assert_int_equal(next, pairs->n_pair);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

static void primitives_lie_in_the_order_of_the_pairs_by_falling_bound(void **state)
{
    (void)state;
    struct hf_context *context = test_context();
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    int64_t next = 0;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
        assert_int_equal(pair->first_primitive, next);
        assert_true(pair->n_primitive > 0);
        for (int k = 0; k < pair->n_primitive; k++) {
            assert_true(primitive[k].i < basis->shell[pair->a].n_primitive);
            assert_true(primitive[k].j < basis->shell[pair->b].n_primitive);
            assert_true(primitive[k].bound > 0.0f);
            if (k > 0) assert_true(primitive[k - 1].bound >= primitive[k].bound);
        }
        next += pair->n_primitive;
    }
    assert_int_equal(next, pairs->n_primitive);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

/** What is stored of a primitive pair is what its two shells say. */
static void prefactors_are_those_of_the_shells(void **state)
{
    (void)state;
    struct hf_context *context = test_context();
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
            const double expected = a->coefficient[primitive->i] * b->coefficient[primitive->j] *
                                    exp(-alpha * beta / (alpha + beta) * ab) * sqrt(2.0) *
                                    pow(acos(-1.0), 1.25) / (alpha + beta);
            assert_true(fabs(primitive->prefactor - expected) <= 1e-14 * fabs(expected));
        }
    }
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

/** 40 bytes of a pair and 16 of each primitive pair, and no room kept beside them. */
static void a_list_holds_nothing_but_its_arrays(void **state)
{
    (void)state;
    struct hf_context *context = test_context();
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = make_pairs(context, basis);
    const size_t arrays = (size_t)pairs->n_pair * sizeof *pairs->pair +
                          (size_t)pairs->n_primitive * sizeof *pairs->primitive +
                          (size_t)pairs->n_atom_pair * sizeof *pairs->atom_pair;
    const size_t n_kind = 4; /* s, p, and d spherical and Cartesian */
    assert_true(sizeof *pairs->pair <= 40);
    assert_true(sizeof *pairs->primitive <= 16);
    assert_true(hf_memory_current_bytes(context->memory) <=
                arrays + n_kind * n_kind * sizeof *pairs->class_of);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

static void more_primitives_than_can_be_counted_are_refused(void **state)
{
    (void)state;
    struct hf_context *context = test_context();
    struct hf_basis *basis = test_basis(3, centre, 6, shells);
    struct hf_shell_pairs *pairs = NULL;
    struct hf_error error;
    basis->max_primitive = UINT16_MAX + 1;
    assert_int_equal(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error), HF_NO_RESOURCE);
    assert_non_null(strstr(error.message, "65536 primitives"));
    assert_null(pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_atoms_are_contiguous_and_sorted),
        cmocka_unit_test(primitives_lie_in_the_order_of_the_pairs_by_falling_bound),
        cmocka_unit_test(prefactors_are_those_of_the_shells),
        cmocka_unit_test(a_list_holds_nothing_but_its_arrays),
        cmocka_unit_test(more_primitives_than_can_be_counted_are_refused),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
