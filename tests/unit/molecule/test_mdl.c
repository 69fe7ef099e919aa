/* MDL molfiles: fixed columns, charges and radicals, drawings. */
#include "reading.h"

#include <stdio.h>

static void expect_read(struct reading *this, const char *string, int charge, int multiplicity)
{
    if (read_with(this, string, NULL, NULL) != HF_OK) fail_msg("%s", this->error.message);
    assert_int_equal(this->input.molecule.charge, charge);
    assert_int_equal(this->input.molecule.multiplicity, multiplicity);
}

static void expect_refusal(const char *string, const char *message)
{
    struct reading this;
    expect_refused(&this, read_with(&this, string, NULL, NULL), message);
    done(&this);
}

#define HEADER     "title\n  program 01010000003D\n\n"
#define COUNTS_3_2 "  3  2  0  0  0  0  0  0  0  0999 V2000\n"
#define OXYGEN     "    0.0000    0.0000    0.1173 O   0  0  0  0  0  0\n"
#define HYDROGENS                                                                                  \
    "    0.0000    0.7572   -0.4692 H   0  0\n    0.0000   -0.7572   -0.4692 D   0  0\n"
#define BONDS "  1  2  1  0\n  1  3  1  0\n"
#define WATER HEADER COUNTS_3_2 OXYGEN HYDROGENS BONDS

TEST(a_v2000_file_is_read_by_columns)
{
    struct reading this;
    expect_read(&this, WATER "M  END\n", 0, 1);
    const struct hf_molecule *molecule = &this.input.molecule;
    assert_string_equal(this.input.format, "MDL V2000");
    assert_string_equal(molecule->title, "title");
    assert_int_equal(molecule->n_atom, 3);
    assert_int_equal(molecule->atom[2].atomic_number, 1);
    assert_true(molecule->atom[1].position_bohr[1] == 0.7572 / 0.529177210903);
    assert_int_equal(this.input.n_warning, 0);
    done(&this);
}

TEST(columns_that_touch_are_not_one_number)
{
    struct reading this;
    expect_read(&this,
                HEADER "  2  1  0     0  0            999 V2000\n"
                       "-1000.0000-1000.0000    0.0000 He 0  0\n"
                       "-1000.0000-1002.0000    0.0000 He 0  0\n  1  2  9\nM  END\n",
                0, 1);
    assert_true(this.input.molecule.atom[1].position_bohr[1] == -1002.0 / 0.529177210903);
    done(&this);
    /* counts of three digits run together */
    char large[40000] = HEADER "100100  0     0  0            999 V2000\n";
    char *end = large + strlen(large);
    for (int i = 0; i < 100; i++)
        end += sprintf(end, "%10.4f%10.4f%10.4f Ne  0  0\n", 3.0 * i, 0.0, 0.1 * (i % 2));
    for (int i = 0; i < 100; i++) end += sprintf(end, "%3d%3d  9\n", i + 1, (i + 1) % 100 + 1);
    strcpy(end, "M  END\n");
    expect_read(&this, large, 0, 1);
    assert_int_equal(this.input.molecule.n_atom, 100);
    done(&this);
}

TEST(charges_are_summed_and_cancel_those_of_the_atom_block)
{
    struct reading this;
    const char *hydroxide = HEADER "  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                                   "    0.0000    0.0000    0.1000 O   0  5\n"
                                   "    0.0000    0.9600    0.0000 H   0  0\n  1  2  1\n";
    char text[1000];
    snprintf(text, sizeof text, "%sM  END\n", hydroxide);
    expect_read(&this, text, -1, 1); /* code 5 is -1 */
    done(&this);
    snprintf(text, sizeof text, "%sM  CHG  1   1  -3\nM  CHG  1   2   4\nM  END\n", hydroxide);
    expect_read(&this, text, 1, 1);
    done(&this);
    snprintf(text, sizeof text, "%sM  RAD  1   1   2\nM  END\n", hydroxide);
    expect_read(&this, text, 0, 2); /* the radical line cancels the charge */
    done(&this);
    snprintf(text, sizeof text, "%sM  CHG  2   1  -3   2   2\nM  END\n", hydroxide);
    expect_read(&this, text, -1, 1);
    assert_ok(read_with(&this, text, "charge", "1"));
    assert_int_equal(this.input.molecule.charge, 1);
    done(&this);
}

TEST(radicals_make_the_multiplicity)
{
    struct reading this;
    const char *oxygen = HEADER "  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                                "    0.0000    0.0000    0.0000 O   0  0\n"
                                "    0.0000    0.0000    1.2070 O   0  0\n  1  2  2\n";
    char text[1000];
    snprintf(text, sizeof text, "%sM  RAD  2   1   2   2   2\nM  END\n", oxygen);
    expect_read(&this, text, 0, 3);
    done(&this);
    snprintf(text, sizeof text, "%sM  RAD  1   1   1\nM  END\n", oxygen);
    expect_read(&this, text, 0, 1);
    done(&this);
    snprintf(text, sizeof text, "%sM  RAD  1   1   2\nM  END\n", oxygen);
    expect_refusal(text, "cannot have multiplicity 2");
    snprintf(text, sizeof text, "%sM  CHG  1   1   1\nM  END\n", oxygen);
    expect_read(&this, text, 1, 2); /* by parity */
    done(&this);
}

#define HEAVY_OXYGEN "    0.0000    0.0000    0.1173 O   1  0\n"

TEST(isotopes_have_their_masses)
{
    struct reading this;
    expect_read(&this, WATER "M  END\n", 0, 1); /* the second hydrogen atom is D */
    const double deuterium = 2.01410177812, oxygen_17 = 16.99913175650, oxygen_18 = 17.99915961286;
    const struct hf_molecule *molecule = &this.input.molecule;
    assert_true(hf_atom_mass(&molecule->atom[0]) == hf_element_mass(8));
    assert_true(!hf_is_isotope(&molecule->atom[1]) && hf_is_isotope(&molecule->atom[2]));
    assert_float_equal(hf_atom_mass(&molecule->atom[2]), deuterium, 1e-9);
    done(&this);
    expect_read(&this, HEADER COUNTS_3_2 HEAVY_OXYGEN HYDROGENS BONDS "M  END\n", 0, 1);
    assert_float_equal(hf_atom_mass(&molecule->atom[0]), oxygen_17, 1e-9);
    done(&this);
    /* a line M  ISO cancels all differences of the atom block, but D stays D */
    expect_read(&this, HEADER COUNTS_3_2 HEAVY_OXYGEN HYDROGENS BONDS "M  ISO  1   2   3\nM  END\n",
                0, 1);
    assert_true(hf_atom_mass(&molecule->atom[0]) == hf_element_mass(8));
    assert_float_equal(hf_atom_mass(&molecule->atom[1]), 3.0160492779, 1e-9);
    assert_float_equal(hf_atom_mass(&molecule->atom[2]), deuterium, 1e-9);
    done(&this);
    expect_read(&this, WATER "M  ISO  2   1  18   3   1\nM  END\n", 0, 1);
    assert_float_equal(hf_atom_mass(&molecule->atom[0]), oxygen_18, 1e-9);
    assert_true(hf_atom_mass(&molecule->atom[2]) == hf_element_mass(1));
    done(&this);
}

TEST(differences_of_mass_count_from_the_weight_of_the_element)
{
    struct reading this;
    const struct hf_molecule *molecule = &this.input.molecule;
    expect_read(&this,
                HEADER "  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                       "    0.0000    0.0000    0.0000 Br  1  5\nM  END\n",
                -1, 1);
    assert_float_equal(hf_atom_mass(&molecule->atom[0]), 80.9162897, 1e-9); /* weight 79.9 */
    done(&this);
}

TEST(a_v3000_file_is_read_with_continued_lines_and_any_indices)
{
    struct reading this;
    const char *text = "ammonium\n  program 01010000003D\n\n"
                       "  0  0  0     0  0            999 V3000\n"
                       "M  V30 BEGIN CTAB\nM  V30 COUNTS 5 4 0 0 0\nM  V30 BEGIN ATOM\n"
                       "M  V30 7 N 0 0 0 0 CHG=-\nM  V30 1 VAL=4\n"
                       "M  V30 12 H 0.59 0.59 0.59 0\nM  V30 3 H -0.59 -0.59 0.59 0 MASS=2\n"
                       "M  V30 4 H -0.59 0.59 -0.59 0\nM  V30 5 H 0.59 -0.59 -0.59 0\n"
                       "M  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 7 12\nM  V30 2 1 7 3\n"
                       "M  V30 3 1 7 4\nM  V30 4 1 7 5\nM  V30 END BOND\n"
                       "M  V30 BEGIN COLLECTION\nM  V30 anything\nM  V30 END COLLECTION\n"
                       "M  V30 END CTAB\nM  END\n";
    expect_read(&this, text, 1, 1);
    assert_string_equal(this.input.format, "MDL V3000");
    assert_int_equal(this.input.molecule.n_atom, 5);
    assert_int_equal(this.input.n_warning, 0);
    assert_float_equal(hf_atom_mass(&this.input.molecule.atom[2]), 2.01410177812, 1e-9);
    assert_false(hf_is_isotope(&this.input.molecule.atom[1]));
    done(&this);
    char wrong[2000];
    strcpy(wrong, text);
    memcpy(strstr(wrong, "COUNTS 5"), "COUNTS 6", 8);
    expect_refusal(wrong, "5 atoms and 4 bonds were found; COUNTS says 6 and 4");
    strcpy(wrong, text);
    *strstr(wrong, "M  V30 END CTAB") = '\0';
    expect_refusal(wrong, "the file ends here");
    strcpy(wrong, text);
    memcpy(strstr(wrong, " 1 7 12"), " 1 7 99", 7);
    expect_refusal(wrong, "a bond with atom 99");
    strcpy(wrong, text);
    memcpy(strstr(wrong, "12 H"), "12 Q", 4);
    expect_refusal(wrong, "line 10: 'Q' is no element");
    static const char *const properties[][2] = {
        {"0 CHG = 2", "line 10: 'CHG' stands alone; expected e.g. CHG=1, without blanks"},
        {"0 CHG =2", "'CHG' stands alone"},
        {"0 CHG= 2", "'CHG=' stands alone"},
        {"0 VAL=1 = 2", "'=' stands alone"},
        {"0 RAD", "'RAD' stands alone"},
        {"0 MASS= 2", "'MASS=' stands alone"},
        {"0 MASS=0", "MASS=0; expected 1 to 300"},
        {"0 MASS=2 MASS=2", "a second MASS of this atom"},
        {"0 CHG=2 CHG=0", "a second CHG of this atom"},
        {"0 rad=2 RAD=2", "a second RAD of this atom"},
        {"0 CHG=two", "CHG 'two' is not a whole number"},
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const char *end = strstr(text, "0.59 0\nM  V30 3") + 5;
        snprintf(wrong, sizeof wrong, "%.*s%s%s", (int)(end - text), text, properties[i][0],
                 end + 1);
        expect_refusal(wrong, properties[i][1]);
    }
    strcpy(wrong, text);
    memcpy(strstr(wrong, "3 H -0.59"), "7", 1);
    expect_refusal(wrong, "line 11: a second atom of index 7 (the first is in line 8)");
}

TEST(the_end_of_an_sd_record_stands_for_that_of_a_molfile)
{
    static const char *const ends[] = {"$$$$\n", ">  <CHG>\nM CHG\n\n$$$$\n"};
    static const char v3000[] = "helium\n  program 01010000003D\n\n"
                                "  0  0  0     0  0            999 V3000\n"
                                "M  V30 BEGIN CTAB\nM  V30 COUNTS 1 0 0 0 0\nM  V30 BEGIN ATOM\n"
                                "M  V30 1 He 0 0 0 0\nM  V30 END ATOM\nM  V30 END CTAB\n";
    for (size_t i = 0; i < 2 * sizeof ends / sizeof *ends; i++) {
        struct reading this;
        char text[2000];
        snprintf(text, sizeof text, "%s%s", i % 2 == 0 ? WATER : v3000, ends[i / 2]);
        expect_read(&this, text, 0, 1);
        assert_int_equal(this.input.molecule.n_atom, i % 2 == 0 ? 3 : 1);
        expect_warning(&this, "no line 'M  END'");
        done(&this);
    }
    expect_refusal(v3000, "expected END CTAB and a line 'M  END'");
}

TEST(a_v3000_file_without_atoms_is_refused)
{
    static const char head[] = "none\n  program 01010000003D\n\n"
                               "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n";
    static const char *const tables[][2] = {
        {"M  V30 COUNTS 0 0 0 0 0\n", "line 7: 0 atoms; expected at least one atom"},
        {"", "line 6: expected 'M  V30 COUNTS' before this"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%sM  V30 END CTAB\nM  END\n", head, tables[i][0]);
        expect_refusal(text, tables[i][1]);
    }
}

TEST(broken_v2000_files_are_named_with_the_line)
{
    expect_refusal("title\n  program 01010000003D\n", "line 2: the file ends here");
    expect_refusal(HEADER COUNTS_3_2 OXYGEN, "line 5: the file ends here; expected 3 atoms");
    expect_refusal(HEADER COUNTS_3_2 OXYGEN "M  END\n", "line 6: the file ends here");
    expect_refusal(WATER, "line 9: the file ends here; expected a line 'M  END'");
    expect_refusal(HEADER "  x  2  0  0  0  0  0  0  0  0999 V2000\n", "count of atoms");
    expect_refusal(HEADER "  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n", "at least one atom");
    expect_refusal("title\n\n" COUNTS_3_2 OXYGEN, "line 3: this looks like the counts line");
    expect_refusal(HEADER COUNTS_3_2 "    0.0000    oops      0.1173 O\n" HYDROGENS BONDS
                                     "M  END\n",
                   "line 5: y (columns 11 to 20) 'oops' is not a number");
    expect_refusal(HEADER COUNTS_3_2 "    0.0000    0.0000    0.1173 R#\n" HYDROGENS BONDS
                                     "M  END\n",
                   "'R#' stands for a group");
    expect_refusal(HEADER COUNTS_3_2 "    0.0000    0.0000    0.1173 Zz\n" HYDROGENS BONDS
                                     "M  END\n",
                   "unknown element 'Zz'");
    expect_refusal(HEADER COUNTS_3_2 OXYGEN HYDROGENS "  1  2  1\n  1  9  1\nM  END\n",
                   "line 9: a bond between atoms 1 and 9; there are 3");
    expect_refusal(WATER "M  CHG  1   9   1\nM  END\n", "line 10: atom 9; there are 3");
    expect_refusal(WATER "M  CHG  1   1  16\nM  END\n", "expected -15 to 15");
    expect_refusal(WATER "M  RAD  1   1   4\nM  END\n", "expected 0 to 3");
    expect_refusal(WATER "M  ISO  1   1   0\nM  END\n", "mass number 0; expected 1 to 300");
    expect_refusal(WATER "M  ISO  2   1  17   1  18\nM  END\n", "a second mass number of atom 1");
    expect_refusal(WATER "M  ISO  1   1  40\nM  END\n",
                   "line 5: no isotope of O with 40 nucleons is known");
    expect_refusal(HEADER COUNTS_3_2 "    0.0000    0.0000    0.1173 O   5  0\n" HYDROGENS BONDS
                                     "M  END\n",
                   "line 5: mass difference 5; expected -3 to 4");
    expect_refusal(WATER "M  CHG  9   1   1\nM  END\n", "9 entries; expected 1 to 8");
    expect_refusal(WATER "M CHG  1   1   2\nM  END\n",
                   "line 10: this looks like a charge, radical or isotope");
    expect_refusal(WATER "m  chg  1   1   2\nM  END\n",
                   "expected 'M  CHG', 'M  RAD' or 'M  ISO' in columns 1 to 6");
    expect_refusal(WATER "M  chg  1   1   2\nM  END\n", "out of its columns");
    expect_refusal(WATER " M  RAD  1   1   2\nM  END\n", "out of its columns");
    expect_refusal(WATER "M\tCHG1   1   2\nM  END\n", "out of its columns");
    expect_refusal(WATER "M  CHG  1   1   1   2   1\nM  END\n",
                   "line 10: more stands behind the 1 entries that columns 7 to 9 count");
    expect_refusal(WATER "M  CHG  2   1   1\nM  END\n", "line 10: atom is missing");
    expect_refusal(WATER "M  CHG  2   1   1   1  -1\nM  END\n",
                   "line 10: a second charge of atom 1");
    expect_refusal(WATER "M  RAD  1   1   2\nM  RAD  1   1   2\nM  END\n",
                   "a second radical of atom 1");
}

TEST(a_molfile_older_than_its_versions_is_read)
{
    struct reading this;
    expect_read(&this, HEADER "  3  2  0  0  0\n" OXYGEN HYDROGENS BONDS "M  END\n", 0, 1);
    assert_string_equal(this.input.format, "MDL V2000");
    assert_int_equal(this.input.n_warning, 0);
    done(&this);
    expect_read(&this, HEADER "  3  2\n" OXYGEN HYDROGENS BONDS, 0, 1);
    expect_warning(&this, "an old molfile without a line 'M  END'");
    done(&this);
    expect_refusal(HEADER "  3  2\n" OXYGEN HYDROGENS "  1  2  1\n", "the file ends here");
    expect_refusal(HEADER "  3  2\n" OXYGEN HYDROGENS BONDS "M  CHG  1   1  -1\n", "M  END");
}

TEST(the_first_of_an_sd_file_is_read_with_a_warning)
{
    struct reading this;
    expect_read(&this, WATER "M  END\n> <charge>\n7\n\n$$$$\n" WATER "M  END\n$$$$\n", 0, 1);
    assert_int_equal(this.input.molecule.n_atom, 3);
    expect_warning(&this, "the first of 2 molecules was read; the option --record");
    done(&this);
    expect_read(&this, WATER "M  END\n$$$$\n", 0, 1);
    assert_int_equal(this.input.n_warning, 0);
    done(&this);
}

TEST(drawings_are_refused_unless_forced)
{
    struct reading this;
    const char *atoms = "  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                        "    0.0000    0.0000    0.0000 C   0  0\n"
                        "    0.8250    0.0000    0.0000 C   0  0\n  1  2  1\nM  END\n";
    char text[1000];
    snprintf(text, sizeof text, "title\n  program 01010000002D\n\n%s", atoms);
    expect_refusal(text, "flat drawing, not a molecule in space (all z are 0 and line 2 says 2D)");
    assert_ok(read_with(&this, text, "force", ""));
    expect_warning(&this, "looks like a drawing");
    expect_warning(&this, "room for 6 more hydrogen atoms");
    done(&this);
    snprintf(text, sizeof text, "title\n\n\n%s", atoms);
    expect_refusal(text, "bond lengths are those of a drawing");
}

TEST(planar_molecules_are_no_drawings)
{
    struct reading this;
    const char *ethene = "ethene\n\n\n  6  5  0  0  0  0  0  0  0  0999 V2000\n"
                         "    0.6695    0.0000    0.0000 C   0  0\n"
                         "   -0.6695    0.0000    0.0000 C   0  0\n"
                         "    1.2321    0.9289    0.0000 H   0  0\n"
                         "    1.2321   -0.9289    0.0000 H   0  0\n"
                         "   -1.2321    0.9289    0.0000 H   0  0\n"
                         "   -1.2321   -0.9289    0.0000 H   0  0\n"
                         "  1  2  2\n  1  3  1\n  1  4  1\n  2  5  1\n  2  6  1\nM  END\n";
    expect_read(&this, ethene, 0, 1);
    assert_int_equal(this.input.n_warning, 0);
    done(&this);
}

TEST(missing_hydrogens_are_counted)
{
    struct reading this;
    const char *text = HEADER "  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                              "    0.0000    0.0000    0.0000 C   0  0\n"
                              "    0.0000    0.5000    1.3000 O   0  0\n  1  2  1\nM  END\n";
    expect_refusal(text,
                   "line 5: hydrogen atoms are missing: the bonds leave room for 4 more (first at "
                   "this C), and hf adds none; expected all atoms, as 'obabel x.mol -O out.mol "
                   "-h' adds them, or the option --force");
    assert_ok(read_with(&this, text, "force", ""));
    expect_warning(&this, "room for 4 more hydrogen atoms (first at the C in line 5)");
    done(&this);
}

TEST(an_mdl_file_is_always_in_angstrom)
{
    struct reading this;
    assert_int_equal(read_with(&this, WATER "M  END\n", "units", "bohr"), HF_BAD_INPUT);
    assert_non_null(strstr(this.error.message, "always in angstrom"));
    done(&this);
}

TEST_MAIN
