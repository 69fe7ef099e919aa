/* What the tests of MP2 share: a calculation that has ended, its energies and its plain integrals. */
#ifndef HF_MP2_SYSTEM_H
#define HF_MP2_SYSTEM_H

#include "../all_integrals.h"
#include "../solved.h"

#include "hf/mp2.h"

#include <math.h>
#include <string.h>

static inline void end(struct test_solved *s)
{
    test_solved_end(s);
    test_context_done(&s->context);
}

static inline void begin(struct test_solved *s, int multiplicity)
{
    test_solved_begin(s, test_context());
    s->molecule.multiplicity = multiplicity;
}

static inline void water(struct test_solved *s, const char *method, const char *set)
{
    begin(s, 1);
    test_solved_add_water(s, 0.0);
    test_solve_by(s, method, set);
}

/** A radical without symmetry. */
static inline void amidogen(struct test_solved *s)
{
    begin(s, 2);
    test_solved_add(s, 7, 0.1, 0.0, 0.0);
    test_solved_add(s, 1, 0.0, 1.52122953, 1.19997609);
    test_solved_add(s, 1, -0.2, -1.6, 1.1);
    test_solve_by(s, "uhf", "6-31G");
}

static inline struct hf_mp2_settings usual(void)
{
    return (struct hf_mp2_settings){.algorithm = "kets",
                                    .schedule = {.name = "static"},
                                    .onesided = {.transport = "rma"},
                                    .threshold = 1e-14,
                                    .memory_bytes = INFINITY};
}

static inline struct hf_mp2_result energies(struct test_solved *s,
                                            const struct hf_mp2_settings *settings)
{
    struct hf_mp2_result result;
    error = (struct hf_error){0};
    const size_t before = hf_memory_current_bytes(s->context->memory);
    assert_ok(hf_mp2_compute(s->context, &s->wave, settings, &result, &error));
    assert_int_equal(hf_memory_current_bytes(s->context->memory), before);
    assert_true(fabs(result.correlation - result.same_spin - result.opposite_spin) < 1e-14);
    return result;
}

/* ---- Plain sums ------------------------------------------------------------------------------ */

/** Of the basis as it was published: no merged shells. */
static inline void find_integrals(struct test_solved *s)
{
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(s->context, s->basis, 1e-16, &pairs, NULL));
    s->integral = test_all_integrals(pairs);
    hf_shell_pairs_destroy(&pairs);
}

/** The last index of [n]^4 numbers to orbitals, which becomes the first: four times it makes (pq|rs). */
static inline double *turn(const double *from, size_t n, const double *coefficient, size_t m)
{
    double *to = calloc(n * n * n * m, sizeof *to);
    assert_non_null(to);
    for (size_t x = 0; x < n * n * n; x++)
        for (size_t p = 0; p < m; p++)
            for (size_t f = 0; f < n; f++)
                to[p * n * n * n + x] += from[x * n + f] * coefficient[p * n + f];
    return to;
}

/** (pq|rs), p and q of one spin, r and s of another; as many orbitals as functions. */
static inline double *orbital_integrals(const struct test_solved *s, int spin, int other)
{
    const size_t n = (size_t)s->basis->n_function;
    double *list = s->integral, *next;
    double *c[2] = {calloc(n * n, sizeof(double)), calloc(n * n, sizeof(double))};
    hf_matrix_gather_full(s->wave.spin[spin].coefficient, c[0]);
    hf_matrix_gather_full(s->wave.spin[other].coefficient, c[1]);
    for (int k = 3; k >= 0; k--) {
        next = turn(list, n, c[k / 2], n);
        if (list != s->integral) free(list);
        list = next;
    }
    free(c[0]);
    free(c[1]);
    return list;
}

static inline void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-10)) print_error("%.12f, expected %.12f\n", value, expected);
    assert_true(fabs(value - expected) < 1e-10);
}

#endif
