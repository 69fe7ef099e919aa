/* Small molecules with their wave functions. */
#ifndef HF_SOLVED_H
#define HF_SOLVED_H

#include "mpi_test.h"

#include "hf/scf.h"

#include <math.h>
#include <string.h>

enum { TEST_MOST_ATOM = 16 };

/** A calculation that has ended. */
struct test_solved {
    struct hf_context *context;
    struct hf_atom atom[TEST_MOST_ATOM];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_scf_result scf;
    struct hf_wavefunction wave;
    double
        *integral; /**< [n][n][n][n] of all functions (all_integrals.h), NULL unless a test asks */
};

static inline void test_solved_begin(struct test_solved *s, struct hf_context *context)
{
    *s = (struct test_solved){.context = context};
    s->molecule.atom = s->atom;
    s->molecule.multiplicity = 1;
}

static inline void test_solved_add_atom(struct test_solved *s, struct hf_atom atom)
{
    assert_true(s->molecule.n_atom < TEST_MOST_ATOM);
    s->atom[s->molecule.n_atom++] = atom;
}

static inline void test_solved_add(struct test_solved *s, int number, double x, double y, double z)
{
    test_solved_add_atom(s, (struct hf_atom){.atomic_number = number, .position_bohr = {x, y, z}});
}

static inline void test_solve_by(struct test_solved *s, const char *method, const char *set)
{
    const struct hf_basis_choice choice = {.atom = -1, .name = set};
    struct hf_scf_settings settings = hf_scf_defaults();
    settings.method = method;
    settings.commutator_tolerance = 1e-9;
    settings.wavefunction = HF_WAVEFUNCTION_ALL;
    settings.fock.precision = HF_DOUBLE_PRECISION;
    assert_ok(hf_basis_create(s->context, &s->molecule, 1, &choice, HF_CONVENTION_AS_DEFINED,
                              &s->basis, &error));
    hf_basis_set_cores(s->basis, &s->molecule);
    assert_ok(
        hf_scf_run(s->context, &s->molecule, s->basis, &settings, NULL, &s->scf, &s->wave, &error));
    assert_true(s->scf.converged);
}

static inline void test_solve(struct test_solved *s, const char *set)
{
    test_solve_by(s, "rhf", set);
}

static inline void test_solved_end(struct test_solved *s)
{
    free(s->integral);
    hf_wavefunction_done(&s->wave);
    hf_basis_destroy(&s->basis);
}

static inline void test_solved_add_water(struct test_solved *s, double x)
{
    test_solved_add(s, 8, x, 0.0, 0.22166487);
    test_solved_add(s, 1, x, 1.43090062, -0.88665950);
    test_solved_add(s, 1, x, -1.43090062, -0.88665950);
}

static inline void test_solved_water(struct test_solved *s, struct hf_context *context, double x,
                                     const char *set)
{
    test_solved_begin(s, context);
    test_solved_add_water(s, x);
    test_solve(s, set);
}

/** A ring of six carbon atoms with hydrogen atoms. */
static inline void test_solved_benzene(struct test_solved *s, struct hf_context *context,
                                       const char *set)
{
    test_solved_begin(s, context);
    for (int k = 0; k < 12; k++) {
        const double angle = acos(-1.0) / 3.0 * (k % 6) + 0.1, r = k < 6 ? 2.636 : 4.685;
        test_solved_add(s, k < 6 ? 6 : 1, r * cos(angle), r * sin(angle), 0.0);
    }
    test_solve(s, set);
}

#endif
