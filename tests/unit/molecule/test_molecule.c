/* Elements and what follows from a molecule alone. */
#include "../test.h"
#include "hf/molecule.h"

#include <math.h>

TEST(symbols_and_numbers_match)
{
    for (int z = 1; z <= 118; z++) assert_int_equal(hf_element_number(hf_element_symbol(z)), z);
    assert_null(hf_element_symbol(0));
    assert_null(hf_element_symbol(119));
    assert_string_equal(hf_element_symbol(26), "Fe");
    assert_string_equal(hf_element_symbol(118), "Og");
    assert_int_equal(hf_element_number("HE"), 2);
    assert_int_equal(hf_element_number("cl"), 17);
    assert_int_equal(hf_element_number("D"), 1);
    assert_int_equal(hf_element_number("T"), 1);
    assert_int_equal(hf_element_number("Xx"), 0);
    assert_int_equal(hf_element_number(""), 0);
}

TEST(isotopes_follow_each_other)
{
    int n = 0;
    for (int z = 1; z <= 118; z++) {
        double lighter = 0.0;
        for (int a = 0; a <= 300; a++) {
            const double mass = hf_isotope_mass(z, a);
            if (mass == 0.0) continue;
            assert_true(fabs(mass - a) < 0.22);
            assert_true(lighter == 0.0 || fabs(mass - lighter - 1.0) < 0.03);
            lighter = mass;
            n++;
        }
        assert_true(lighter > 0.0);
        assert_true(hf_isotope_mass(z, (int)lround(hf_element_mass(z))) == hf_element_mass(z));
    }
    assert_int_equal(n, 3350);
    assert_float_equal(hf_isotope_mass(6, 13), 13.00335483507, 1e-9);
    assert_float_equal(hf_isotope_mass(17, 37), 36.965902602, 1e-9);
    assert_float_equal(hf_isotope_mass(92, 235), 235.0439301, 1e-7);
    assert_true(hf_isotope_mass(1, 0) == 0.0 && hf_isotope_mass(1, 99) == 0.0);
    assert_true(hf_isotope_mass(0, 1) == 0.0 && hf_isotope_mass(119, 294) == 0.0);
}

TEST(ghosts_have_neither_charge_nor_electrons)
{
    struct hf_molecule molecule = {.n_atom = 3, .charge = 1, .multiplicity = 1};
    molecule.atom = calloc(3, sizeof *molecule.atom);
    molecule.atom[0] = (struct hf_atom){.atomic_number = 8};
    molecule.atom[1] = (struct hf_atom){.atomic_number = 3, .position_bohr = {0, 3, 4}};
    molecule.atom[2] = (struct hf_atom){.atomic_number = 9, .ghost = true};
    assert_int_equal(hf_molecule_n_electron(&molecule), 10);
    assert_true(hf_molecule_nuclear_charge(&molecule, 2) == 0.0);
    assert_true(fabs(hf_molecule_nuclear_repulsion(&molecule) - 24.0 / 5.0) < 1e-15);
    hf_molecule_done(&molecule);
    assert_null(molecule.atom);
    hf_molecule_done(&molecule);
}

TEST(nuclear_repulsion_of_water_is_the_published_one)
{
    struct hf_atom atom[3] = {
        {.atomic_number = 8, .position_bohr = {0.0, 0.0, 0.22166487}},
        {.atomic_number = 1, .position_bohr = {0.0, 1.43090062, -0.88665950}},
        {.atomic_number = 1, .position_bohr = {0.0, -1.43090062, -0.88665950}},
    };
    const struct hf_molecule molecule = {.n_atom = 3, .atom = atom, .multiplicity = 1};
    assert_true(fabs(hf_molecule_nuclear_repulsion(&molecule) - 9.1895337753) < 1e-9);
    assert_int_equal(hf_molecule_n_electron(&molecule), 10);
}

TEST_MAIN
