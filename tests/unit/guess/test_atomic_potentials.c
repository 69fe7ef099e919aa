/* The table of atomic potentials. */
#include "../../../src/guess/atomic_potentials.h"
#include "../test.h"

/* meson.build gives these names to the tables that the tool writes now: here they are declared, and hf's are as well. */
#undef hf_atomic_potential_exponent
#undef hf_atomic_potential_charge
extern const double hf_atomic_potential_exponent[HF_ATOMIC_POTENTIAL_TERMS];
extern const double hf_atomic_potential_charge[HF_ATOMIC_POTENTIALS][HF_ATOMIC_POTENTIAL_TERMS];

#include <math.h>

/** z(r) = Z - sum_i c_i erf(sqrt(a_i) r): the charge that an electron sees. */
static double effective_charge(int z, double r)
{
    double sum = z;
    for (int i = 0; i < HF_ATOMIC_POTENTIAL_TERMS; i++)
        sum -=
            hf_atomic_potential_charge[z - 1][i] * erf(sqrt(hf_atomic_potential_exponent[i]) * r);
    return sum;
}

TEST(atoms_are_neutral_and_screen_their_nucleus)
{
    for (int z = 1; z <= HF_ATOMIC_POTENTIALS; z++) {
        double before = z;
        assert_true(fabs(effective_charge(z, 1e3)) < 1e-10);
        for (double r = 1e-6; r < 50.0; r *= 1.05) {
            const double now = effective_charge(z, r);
            assert_true(now > -0.05 && now < before + 0.05);
            before = now;
        }
    }
}

/** Where one electron is the whole atom, its charge inside r and its own exchange are known:
 *  u^2 = 4 r^2 exp(-2r) nearly, and the local exchange with equal spins is -(3 rho/pi)^(1/3). */
TEST(the_potential_of_hydrogen_is_that_of_its_density)
{
    const double pi = acos(-1.0);
    for (double r = 0.05; r < 3.0; r += 0.05) {
        const double inside = 1.0 - exp(-2.0 * r) * (1.0 + 2.0 * r + 2.0 * r * r);
        const double outside = exp(-2.0 * r) * (1.0 + 2.0 * r);
        const double exchange = cbrt(3.0 * exp(-2.0 * r) / (pi * pi));
        const double expected = 1.0 - inside - r * outside + r * exchange;
        assert_true(fabs(effective_charge(1, r) - expected) < 0.06);
    }
}

/** Numbers have four decimals. */
TEST(the_table_is_what_the_tool_writes)
{
    for (int i = 0; i < HF_ATOMIC_POTENTIAL_TERMS; i++) {
        assert_true(fabs(written_charge[0][i] - hf_atomic_potential_charge[8 - 1][i]) < 1e-9);
        assert_true(fabs(written_exponent[i] - hf_atomic_potential_exponent[i]) < 1e-9 ||
                    fabs(written_charge[0][i]) < 1e-9);
    }
}

TEST_MAIN
