/* Localised orbitals on any number of ranks. */
#include "../solved.h"

#include "localise/localise.h"

#include <stdio.h>
#include <string.h>

static struct hf_localised localise(struct test_solved *s, enum hf_localise_kind kind, int n_frozen,
                                    int n_thread)
{
    struct hf_localised found;
    const struct hf_localise_settings settings = {
        .kind = kind, .n_frozen = n_frozen, .n_thread = n_thread};
    assert_ok(hf_localise(s->context, &s->wave, &settings, &found, &error));
    assert_true(found.converged);
    if (rank_here() == 0 && getenv("HF_TEST_VERBOSE") != NULL)
        for (int i = 0; i < found.n; i++)
            print_message("%3d %12.6f  spread %.6f  centre %.4f %.4f %.4f\n", i,
                          found.orbital[i].energy, found.orbital[i].spread,
                          found.orbital[i].centre[0], found.orbital[i].centre[1],
                          found.orbital[i].centre[2]);
    return found;
}

static double population(const struct hf_localised *found, int atom, int i)
{
    const double *value = hf_sparse_find(found->population, atom, i);
    return value != NULL ? *value : 0.0;
}

/** u is orthogonal, populations add up to 1, energies to those of the canonical orbitals. */
static void check(const struct test_solved *s, const struct hf_localised *found, int n_frozen)
{
    const int o = found->n;
    double trace = 0.0;
    assert_int_equal(o, s->wave.spin[0].n_occupied - n_frozen);
    for (int i = 0; i < o; i++) {
        double sum = 0.0;
        for (int a = 0; a < s->molecule.n_atom; a++) sum += population(found, a, i);
        assert_true(fabs(sum - 1.0) < 1e-5);
        trace += found->orbital[i].energy - s->wave.spin[0].energy[n_frozen + i];
        for (int j = 0; j < o; j++) {
            double product = 0.0;
            for (int c = 0; c < o; c++)
                product += found->rotation[i * o + c] * found->rotation[j * o + c];
            assert_true(fabs(product - (i == j)) < 1e-12);
        }
    }
    assert_true(fabs(trace) < 1e-10);
}

TEST(water_has_two_bonds_and_two_lone_pairs)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_water(&s, context, 0.0, "cc-pVDZ");
    for (int kind = HF_LOCALISE_PM; kind <= HF_LOCALISE_BOYS; kind++) {
        int n_bond = 0, n_pair = 0;
        struct hf_localised found = localise(&s, (enum hf_localise_kind)kind, 1, 1);
        check(&s, &found, 1);
        for (int i = 0; i < found.n; i++) {
            n_bond += population(&found, 1, i) > 0.2 || population(&found, 2, i) > 0.2;
            n_pair += population(&found, 0, i) > 0.95;
            assert_true(found.orbital[i].spread > 1.0 && found.orbital[i].spread < 2.0);
        }
        assert_int_equal(n_bond, 2);
        assert_int_equal(n_pair, 2);
        hf_localised_done(&found);
    }
    test_solved_end(&s);
}

TEST(canonical_orbitals_stay)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_water(&s, context, 0.0, "6-31G");
    struct hf_localised found = localise(&s, HF_LOCALISE_NONE, 0, 1);
    check(&s, &found, 0);
    for (int i = 0; i < found.n; i++)
        assert_true(fabs(found.orbital[i].energy - s.wave.spin[0].energy[i]) < 1e-14);
    hf_localised_done(&found);
    test_solved_end(&s);
}

/** The same on this rank alone and on all ranks, on any number of threads; the pi orbitals of a ring are degenerate. */
TEST(orbitals_do_not_depend_on_the_ranks)
{
    struct hf_context *all = test_context(), *alone = NULL;
    struct test_solved s, t;
    assert_ok(hf_context_create(MPI_COMM_SELF, &alone, &error));
    test_solved_benzene(&s, all, "STO-3G");
    test_solved_benzene(&t, alone, "STO-3G");
    for (int kind = HF_LOCALISE_PM; kind <= HF_LOCALISE_BOYS; kind++) {
        struct hf_localised one = localise(&t, (enum hf_localise_kind)kind, 6, 3);
        struct hf_localised many = localise(&s, (enum hf_localise_kind)kind, 6, 2);
        check(&s, &many, 6);
        assert_true(fabs(one.value - many.value) < 1e-9);
        assert_int_equal(one.coefficient->n_block, many.coefficient->n_block);
        const size_t n = one.coefficient->offset[one.coefficient->n_block];
        double worst = 0.0;
        for (size_t x = 0; x < n; x++)
            worst = fmax(worst, fabs(one.coefficient->value[x] - many.coefficient->value[x]));
        if (worst > 1e-6) print_error("kind %d: %g\n", kind, worst);
        assert_true(worst < 1e-6);
        hf_localised_done(&one);
        hf_localised_done(&many);
    }
    test_solved_end(&s);
    test_solved_end(&t);
    test_context_done(&all);
    test_context_done(&alone);
}

/** Q^A_ij of all atoms: q[A][i][j]. */
static double *populations(const struct test_solved *s, const struct hf_localised *found)
{
    const struct hf_sparse_matrix *l = found->coefficient, *sl = found->overlap;
    const int o = found->n, n_atom = s->molecule.n_atom;
    double *q = calloc((size_t)(n_atom * o * o), sizeof *q);
    assert_non_null(q);
    for (int a = 0; a < n_atom; a++)
        for (int i = 0; i < o; i++)
            for (int j = 0; j < o; j++) {
                const double *left = hf_sparse_find(l, a, i), *right = hf_sparse_find(sl, a, j);
                const int n = l->row_first[a + 1] - l->row_first[a];
                double sum = 0.0;
                for (int m = 0; left != NULL && right != NULL && m < n; m++)
                    sum += 0.5 * left[m] * right[m];
                q[(a * o + i) * o + j] += sum;
                q[(a * o + j) * o + i] += sum;
            }
    return q;
}

/** Second derivative of the sum of Q_ii^2 along exp(t K), K antisymmetric: Q' = Q K + (Q K)^T, and so on. */
static double curvature(int n_atom, int o, const double q[], const double k[], double qk[],
                        double q1[])
{
    double sum = 0.0;
    for (int a = 0; a < n_atom; a++, q += o * o) {
        for (int i = 0; i < o; i++)
            for (int j = 0; j < o; j++) {
                qk[i * o + j] = 0.0;
                for (int m = 0; m < o; m++) qk[i * o + j] += q[i * o + m] * k[m * o + j];
            }
        for (int i = 0; i < o; i++)
            for (int j = 0; j < o; j++) q1[i * o + j] = qk[i * o + j] + qk[j * o + i];
        for (int i = 0; i < o; i++) {
            double second = 0.0;
            for (int m = 0; m < o; m++) second += 2.0 * q1[i * o + m] * k[m * o + i];
            sum += 2.0 * (q1[i * o + i] * q1[i * o + i] + q[i * o + i] * second);
        }
    }
    return sum;
}

static void add_rotation(int o, int p, double value, double k[])
{
    int i = 1;
    while (i * (i + 1) / 2 <= p) i++;
    const int j = p - i * (i - 1) / 2;
    k[i * o + j] += value;
    k[j * o + i] -= value;
}

/** The largest eigenvalue of all second derivatives by rotations of two orbitals. */
static double largest_curvature(const struct test_solved *s, const struct hf_localised *found)
{
    const int o = found->n, n = o * (o - 1) / 2, n_atom = s->molecule.n_atom;
    double *q = populations(s, found), *room = calloc((size_t)(3 * o * o), sizeof *room);
    double *hessian = calloc((size_t)(n * n + n), sizeof *hessian);
    assert_true(room != NULL && hessian != NULL);
    for (int p = 0; p < n; p++)
        for (int r = 0; r <= p; r++) {
            double along[2];
            for (int k = 0; k < 2; k++) {
                memset(room, 0, (size_t)(o * o) * sizeof *room);
                add_rotation(o, p, 0.5, room);
                add_rotation(o, r, k == 0 ? 0.5 : -0.5, room);
                along[k] = curvature(n_atom, o, q, room, room + o * o, room + 2 * o * o);
            }
            hessian[p * n + r] = hessian[r * n + p] = along[0] - along[1];
        }
    assert_ok(hf_eigen_small(n, hessian, hessian + n * n, &error));
    const double largest = hessian[n * n + n - 1];
    free(q);
    free(room);
    free(hessian);
    return largest;
}

/** No direction leads higher, in all rotations at once: the end is no saddle. That of a ring may be flat. */
TEST(the_end_is_a_maximum)
{
    leave_out_on_many_ranks();
    TEST_CONTEXT(context);
    struct test_solved s;
    for (int k = 0; k < 2; k++) {
        if (k == 0)
            test_solved_water(&s, context, 0.0, "6-31G");
        else
            test_solved_benzene(&s, context, "STO-3G");
        struct hf_localised found = localise(&s, HF_LOCALISE_PM, k == 0 ? 1 : 6, 1);
        const double largest = largest_curvature(&s, &found);
        if (getenv("HF_TEST_VERBOSE") != NULL)
            print_message("largest curvature %g, %d saddles\n", largest, found.n_saddle);
        assert_true(largest < (k == 0 ? -1e-3 : 1e-5));
        hf_localised_done(&found);
        found = localise(&s, HF_LOCALISE_NONE, k == 0 ? 1 : 6, 1);
        assert_true(largest_curvature(&s, &found) > 0.1); /* canonical orbitals are none */
        hf_localised_done(&found);
        test_solved_end(&s);
    }
}

/** Turns three orbitals into each other, from `first`, about their sum. */
static void turn(int o, int first, double angle, double u[])
{
    const double third = acos(-1.0) * 2.0 / 3.0;
    double row[3];
    for (int c = 0; c < o; c++) {
        for (int i = 0; i < 3; i++) {
            row[i] = 0.0;
            for (int j = 0; j < 3; j++)
                row[i] += (1.0 + 2.0 * cos(angle + third * (i - j))) / 3.0 * u[(first + j) * o + c];
        }
        for (int i = 0; i < 3; i++) u[(first + i) * o + c] = row[i];
    }
}

/** Boys orbitals of benzene from sigma and pi orbitals, which do not mix by symmetry: where the pi orbitals are at atoms,
 *  no rotation of two orbitals leads higher, only one of several at once. */
TEST(saddles_are_left)
{
    leave_out_on_many_ranks();
    TEST_CONTEXT(context);
    struct test_solved s;
    int n_stuck = 0;
    test_solved_benzene(&s, context, "STO-3G");
    struct hf_localised best = localise(&s, HF_LOCALISE_BOYS, 6, 1);
    struct hf_localised start = localise(&s, HF_LOCALISE_PM, 6, 1);
    struct hf_localise_settings settings = {
        .kind = HF_LOCALISE_BOYS, .n_frozen = 6, .start = start.rotation};
    for (int k = 0; k < 6 && n_stuck == 0; k++) { /* places of pi orbitals along the ring */
        double value[2];
        for (int alone = 0; alone < 2; alone++) {
            struct hf_localised found;
            settings.sweeps_only = alone == 1;
            assert_ok(hf_localise(context, &s.wave, &settings, &found, &error));
            assert_true(found.converged);
            value[alone] = found.value;
            hf_localised_done(&found);
        }
        assert_true(fabs(value[0] - best.value) < 1e-6);
        if (getenv("HF_TEST_VERBOSE") != NULL)
            print_message("%.6f %.6f, best %.6f\n", value[0], value[1], best.value);
        n_stuck += value[1] < best.value - 1.0;
        turn(start.n, start.n - 3, acos(-1.0) / 18.0, start.rotation);
    }
    assert_true(n_stuck > 0);
    hf_localised_done(&start);
    hf_localised_done(&best);
    test_solved_end(&s);
}

/** Boys orbitals of a ring: 8 sweeps and 4 steps, or 30 sweeps alone. */
TEST(the_end_converges_quadratically)
{
    leave_out_on_many_ranks();
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_benzene(&s, context, "6-31G");
    struct hf_localised found = localise(&s, HF_LOCALISE_BOYS, 6, 1), alone;
    const struct hf_localise_settings settings = {
        .kind = HF_LOCALISE_BOYS, .n_frozen = 6, .sweeps_only = true};
    assert_ok(hf_localise(context, &s.wave, &settings, &alone, &error));
    if (getenv("HF_TEST_VERBOSE") != NULL)
        print_message("%d sweeps and %d steps; %d sweeps\n", found.n_sweep, found.n_step,
                      alone.n_sweep);
    assert_true(found.n_sweep <= 12 && found.n_step <= 6);
    assert_true(alone.n_sweep > 20);
    assert_true(fabs(found.value - alone.value) < 1e-9);
    hf_localised_done(&found);
    hf_localised_done(&alone);
    test_solved_end(&s);
}

TEST(one_orbital_is_itself)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_begin(&s, context);
    test_solved_add(&s, 2, 0.0, 0.0, 0.0);
    test_solve(&s, "6-31G");
    for (int kind = HF_LOCALISE_NONE; kind <= HF_LOCALISE_BOYS; kind++) {
        struct hf_localised found = localise(&s, (enum hf_localise_kind)kind, 0, 1);
        check(&s, &found, 0);
        hf_localised_done(&found);
        found = localise(&s, (enum hf_localise_kind)kind, 1, 1);
        assert_int_equal(found.n, 0);
        hf_localised_done(&found);
    }
    test_solved_end(&s);
}

MPI_TEST_MAIN
