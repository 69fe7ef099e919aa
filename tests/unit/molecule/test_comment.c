/* What the comment line of XYZ says of charge, multiplicity and units: one row for each way of writing
 * it that was met, with what is taken from it and what is told. */
#include "reading.h"

#include <math.h>
#include <stdio.h>

#define NEITHER    "neither charge nor multiplicity is given: a neutral singlet is assumed"
#define NO_SPIN    "no multiplicity is given: 1 is assumed"
#define NO_CHARGE  "no charge is given: 0 is assumed"
#define AS_UNIT    "was taken as the unit of the coordinates"
#define NO_SETTING "of the comment was not taken as a setting"

enum { ANGSTROM, BOHR };

/** A comment of a file of two atoms with 18 electrons, what is read from it and all that is told. */
static const struct row {
    const char *comment;
    int charge, multiplicity, unit;
    const char *told[3];
} rows[] = {
    {"", 0, 1, ANGSTROM, {NEITHER}},
    {"hydrogen peroxide without its hydrogens", 0, 1, ANGSTROM, {NEITHER}},
    {"charge=-2 multiplicity=1", -2, 1, ANGSTROM, {0}},
    {"charge -2", -2, 1, ANGSTROM, {NO_SPIN}},
    {"charge: 2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"charge = 2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"charge :2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"Charge=+2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"CHARGE=2+ MULT=1", 2, 1, ANGSTROM, {0}},
    {"charge=2- mult=1", -2, 1, ANGSTROM, {0}},
    {"charge=-2.0 mult=1", -2, 1, ANGSTROM, {0}},
    {"charge=\xe2\x88\x92"
     "2 mult=1",
     -2,
     1,
     ANGSTROM,
     {0}},
    {"charge=\"-2\", mult='1'", -2, 1, ANGSTROM, {0}},
    {"total_charge=2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"Total charge: 2; spin multiplicity: 3", 2, 3, ANGSTROM, {0}},
    {"net-charge=-4 uhf=0", -4, 1, ANGSTROM, {0}},
    {"molecular_charge=0 molecular_multiplicity=3", 0, 3, ANGSTROM, {0}},
    {"chrg=2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"q=2", 2, 1, ANGSTROM, {NO_SPIN}},
    {"mult=1", 0, 1, ANGSTROM, {NO_CHARGE}},
    {"multiplicity: 3", 0, 3, ANGSTROM, {NO_CHARGE}},
    {"2S+1=3", 0, 3, ANGSTROM, {NO_CHARGE}},
    {"charge=0 uhf=2", 0, 3, ANGSTROM, {0}},
    {"charge=0 unpaired_electrons=2", 0, 3, ANGSTROM, {0}},
    {"charge=0 spin=0", 0, 1, ANGSTROM, {0}},
    {"charge=0 spin=1", 0, 1, ANGSTROM, {"spin=1 was taken as the multiplicity 2S+1"}},
    {"charge=0 multiplicity=3 spin=1", 0, 3, ANGSTROM, {"spin=1 is not used"}},
    {"charge=2 charge=2 mult=1", 2, 1, ANGSTROM, {0}},
    {"dioxygen (charge=-2, mult=1)", -2, 1, ANGSTROM, {0}},
    {"dioxygen, charge -2, multiplicity 1.", -2, 1, ANGSTROM, {0}},
    {"0 1", 0, 1, ANGSTROM, {"'0 1' was taken as charge and multiplicity"}},
    {"-2, 1", -2, 1, ANGSTROM, {"'-2, 1' was taken as charge and multiplicity"}},
    {"units=bohr charge=0 mult=1", 0, 1, BOHR, {0}},
    {"unit: Angstrom", 0, 1, ANGSTROM, {NEITHER}},
    {"units bohr", 0, 1, BOHR, {NEITHER}},
    {"units=au charge=0 mult=1", 0, 1, BOHR, {0}},
    {"Units: a.u., charge: 0, multiplicity: 1", 0, 1, BOHR, {0}},
    {"length_unit=Bohr", 0, 1, BOHR, {NEITHER}},
    {"bohr", 0, 1, BOHR, {AS_UNIT, NEITHER}},
    {"(au)", 0, 1, BOHR, {AS_UNIT, NEITHER}},
    {"coordinates in atomic units", 0, 1, BOHR, {AS_UNIT, NEITHER}},
    {"dioxygen in bohr", 0, 1, BOHR, {AS_UNIT, NEITHER}},
    {"dioxygen (bohr)", 0, 1, BOHR, {AS_UNIT, NEITHER}},
    {"angstrom", 0, 1, ANGSTROM, {NEITHER}},
    {"distance 2.3 bohr", 0, 1, ANGSTROM, {"'bohr' " NO_SETTING, NEITHER}},
    {"Niels Bohr's molecule", 0, 1, ANGSTROM, {NO_SETTING, NEITHER}},
    {"energy -149.6 au", 0, 1, ANGSTROM, {NEITHER}},
    {"Au", 0, 1, ANGSTROM, {NEITHER}},
    {"Atomic coordinates", 0, 1, ANGSTROM, {NEITHER}},
    {"charged residue of lysine", 0, 1, ANGSTROM, {"'charged' " NO_SETTING, NEITHER}},
    {"a dication", 0, 1, ANGSTROM, {"'dication' " NO_SETTING, NEITHER}},
    {"triplet dioxygen", 0, 1, ANGSTROM, {"'triplet' " NO_SETTING, NEITHER}},
    {"mulliken_charges=\"0.1 -0.1\"", 0, 1, ANGSTROM, {"'mulliken_charges' " NO_SETTING, NEITHER}},
    {"name=\"charge transfer\"", 0, 1, ANGSTROM, {NEITHER}},
    {"-2", 0, 1, ANGSTROM, {"'-2' " NO_SETTING "; the charge is given as charge=N", NEITHER}},
    {"2+", 0, 1, ANGSTROM, {"'2+' " NO_SETTING, NEITHER}},
    {"in a point charge 2 nearby",
     2,
     1,
     ANGSTROM,
     {"'charge 2' of the comment was taken", NO_SPIN}},
    {"dioxygen charge -2 mult 1", -2, 1, ANGSTROM, {"'charge -2' of the comment was taken"}},
    {"\"charge\": -2, \"multiplicity\": 1", -2, 1, ANGSTROM, {0}},
    {"{'charge': 2, 'mult' : 1}", 2, 1, ANGSTROM, {0}},
    {"charge=0 mul=3", 0, 3, ANGSTROM, {0}},
    {"charge=0 nopen=2", 0, 3, ANGSTROM, {0}},
    {"coordinates: bohr", 0, 1, ANGSTROM, {"'coordinates' " NO_SETTING "; units are", NEITHER}},
    {"geometry=a.u.", 0, 1, ANGSTROM, {"'geometry' " NO_SETTING, NEITHER}},
    {"dioxygen, a.u.", 0, 1, ANGSTROM, {"'a.u.' " NO_SETTING, NEITHER}},
    {"dioxygen; au", 0, 1, ANGSTROM, {"'au' " NO_SETTING, NEITHER}},
    {"coordinates in nm", 0, 1, ANGSTROM, {"'nm' " NO_SETTING, NEITHER}},
    {"E = -149.6 a.u. (RHF)", 0, 1, ANGSTROM, {NEITHER}},
    {"R=2.3 (bohr)", 0, 1, ANGSTROM, {"'bohr' " NO_SETTING, NEITHER}},
    {"frame 17 energy=-149.6", 0, 1, ANGSTROM, {NEITHER}},
    {"electrostatic discharge", 0, 1, ANGSTROM, {NEITHER}},
    {"UHF/6-31G* geometry", 0, 1, ANGSTROM, {NEITHER}},
    {"q2 sq=4", 0, 1, ANGSTROM, {NEITHER}},
    {"Properties=species:S:1:pos:R:3:charge:R:1 charge=0 spin=0 pbc=\"F F F\"",
     0,
     1,
     ANGSTROM,
     {0}},
};

/** Comments that are plainly settings and cannot be understood. */
static const struct {
    const char *comment, *message;
} refused[] = {
    {"charge=two",
     "line 2: charge 'two' of the comment is not understood; expected a whole number"},
    {"charge=0.5", "charge '0.5' of the comment is not understood"},
    {"charge=0 mult=1 pbc=\"T F F\"", "the system is periodic (Lattice, pbc)"},
    {"charge=", "charge '' of the comment is not understood"},
    {"charge=9999", "charge '9999' of the comment is not understood"},
    {"charge: 1e99999", "is not understood"},
    {"charge=1 charge=2", "the comment gives charge 1 and charge 2"},
    {"q=1 total_charge=-1", "the comment gives charge 1 and charge -1"},
    {"mult=0", "multiplicity '0' of the comment is not understood; expected a whole number 2S+1"},
    {"multiplicity=singlet", "multiplicity 'singlet' of the comment is not understood"},
    {"multiplicity=1 uhf=2", "the comment gives multiplicity 1 and multiplicity 3"},
    {"uhf=-1", "number of unpaired electrons '-1' of the comment is not understood"},
    {"spin=2", "spin=2 may be S, 2S or 2S+1; expected multiplicity=2S+1"},
    {"spin=1/2", "spin=1/2 may be S, 2S or 2S+1"},
    {"spin: up", "spin=up may be S"},
    {"units=nm", "units 'nm' of the comment is not understood; expected angstrom or bohr"},
    {"units=bohr units=angstrom", "the comment names both angstrom and bohr"},
};

static hf_status read_file(struct reading *this, const char *count, const char *comment,
                           const char *key, const char *value)
{
    char text[400];
    snprintf(text, sizeof text, "%s\n%s\nF 0 0 0\nF 0 0 2.5\n", count, comment);
    return read_as(this, "x.xyz", text, key, value);
}

/** Every note and every warning but the one about the distance is expected, and every expected one is there. What is
 *  assumed of a closed shell is a note, all else a warning. */
static void compare_told(const struct reading *this, const char *const told[3], const char *comment)
{
    int n_told = 0, n_found = this->input.n_note;
    const bool closed = this->input.molecule.multiplicity == 1;
    for (int i = 0; i < this->input.n_warning; i++)
        n_found += strstr(this->input.warning[i], "absurdly") == NULL;
    for (; n_told < 3 && told[n_told] != NULL; n_told++) {
        const bool assumed = strstr(told[n_told], "is assumed") != NULL;
        const bool there =
            assumed && closed ? is_noted(this, told[n_told]) : is_warned(this, told[n_told]);
        if (!there) fail_msg("'%s': it is not told '%s'", comment, told[n_told]);
    }
    if (n_found != n_told)
        fail_msg("'%s': %d things are told, expected %d; the first: %s", comment, n_found, n_told,
                 n_found > 0 ? this->input.warning[0] : "none");
}

static void compare(const struct reading *this, const struct row *row)
{
    const struct hf_molecule *molecule = &this->input.molecule;
    const double z = molecule->atom[1].position_bohr[2];
    const int unit = fabs(z - 2.5) < 1e-12 ? BOHR : ANGSTROM;
    if (molecule->charge != row->charge || molecule->multiplicity != row->multiplicity ||
        unit != row->unit)
        fail_msg("'%s': charge %d, multiplicity %d, %s", row->comment, molecule->charge,
                 molecule->multiplicity, unit == BOHR ? "bohr" : "angstrom");
    compare_told(this, row->told, row->comment);
}

TEST(what_a_comment_says_is_taken_or_told)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading this;
        if (read_file(&this, "2", rows[i].comment, NULL, NULL) != HF_OK)
            fail_msg("'%s': %s", rows[i].comment, this.error.message);
        compare(&this, &rows[i]);
        done(&this);
    }
}

TEST(a_setting_that_is_not_understood_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct reading this;
        const hf_status status = read_file(&this, "2", refused[i].comment, NULL, NULL);
        if (status != HF_BAD_INPUT || strstr(this.error.message, refused[i].message) == NULL)
            fail_msg("'%s': status %d, message '%s'", refused[i].comment, (int)status,
                     this.error.message);
        done(&this);
    }
}

TEST(a_unit_may_stand_behind_the_count)
{
    static const struct {
        const char *count, *comment;
        int unit;
    } cases[] = {{"2 bohr", "", BOHR},
                 {"2 au", "", BOHR},
                 {"2 (atomic units)", "", BOHR},
                 {"2 angstrom", "", ANGSTROM},
                 {" 2 Bohr ", "units=bohr", BOHR}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading this;
        assert_ok(read_file(&this, cases[i].count, cases[i].comment, NULL, NULL));
        compare(&this, &(struct row){cases[i].count, 0, 1, cases[i].unit, {NEITHER}});
        done(&this);
    }
    struct reading this;
    assert_int_equal(read_file(&this, "2 bohr", "units=angstrom", NULL, NULL), HF_BAD_INPUT);
    assert_non_null(strstr(this.error.message, "names both angstrom and bohr"));
    done(&this);
}

TEST(the_command_line_wins_and_says_so)
{
    static const struct {
        const char *comment, *key, *value;
        struct row row;
    } cases[] = {
        {"charge=2",
         "charge",
         "0",
         {"", 0, 1, ANGSTROM, {"charge 0 (--option) is used, not 2 (x.xyz, line 2)", NO_SPIN}}},
        {"charge=2", "charge", "2", {"", 2, 1, ANGSTROM, {NO_SPIN}}},
        {"0 3",
         "multiplicity",
         "1",
         {"", 0, 1, ANGSTROM, {"multiplicity 1 (--option) is used, not 3", "'0 3' was taken"}}},
        {"units=bohr",
         "units",
         "angstrom",
         {"", 0, 1, ANGSTROM, {"units angstrom (--option) is used, not bohr", NEITHER}}},
        {"units=bohr", "units", "bohr", {"", 0, 1, BOHR, {NEITHER}}},
        {"a dication", "charge", "2", {"", 2, 1, ANGSTROM, {NO_SPIN}}},
        {"spin=2 charge=0", "multiplicity", "3", {"", 0, 3, ANGSTROM, {"spin=2 is not used"}}},
        {"", "charge", "-2", {"", -2, 1, ANGSTROM, {NO_SPIN}}},
        {"", "multiplicity", "1", {"", 0, 1, ANGSTROM, {NO_CHARGE}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading this;
        if (read_file(&this, "2", cases[i].comment, cases[i].key, cases[i].value) != HF_OK)
            fail_msg("'%s': %s", cases[i].comment, this.error.message);
        compare(&this, &cases[i].row);
        done(&this);
    }
}

TEST(the_title_ends_where_settings_begin)
{
    static const char *const cases[][2] = {{"water", "water"},
                                           {"water, charge=0 multiplicity=1", "water"},
                                           {"F2 (charge 0, mult 1)", "F2"},
                                           {"a = b", "a = b"},
                                           {"charge=0 mult=1", NULL},
                                           {"{\"charge\": 0, \"mult\": 1}", NULL},
                                           {"the \"open\"", "the \"open\""},
                                           {"0 1", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading this;
        assert_ok(read_file(&this, "2", cases[i][0], NULL, NULL));
        const char *title = this.input.molecule.title;
        if (title == NULL ? cases[i][1] != NULL
                          : cases[i][1] == NULL || strcmp(title, cases[i][1]) != 0)
            fail_msg("'%s': the title is '%s'", cases[i][0], title != NULL ? title : "none");
        done(&this);
    }
}

TEST_MAIN
