/* Point charges and fields of inputs: the block, the file, units, and every message. */
#include "../mpi_test.h"

#include "hf/units.h"
#include "molecule/input.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const struct hf_option_choice units[] = {
    {"angstrom", "", HF_LENGTH_ANGSTROM}, {"bohr", "", HF_LENGTH_BOHR}, {0}};

static const struct hf_option rows[] = {
    {.key = "title", .type = HF_OPTION_TEXT, .argument = "TEXT"},
    {.key = "charge", .type = HF_OPTION_INTEGER, .default_value = "0", .range = {-9, 9}},
    {.key = "multiplicity", .type = HF_OPTION_INTEGER, .default_value = "1", .range = {1, 9}},
    {.key = "units", .type = HF_OPTION_CHOICE, .default_value = "angstrom", .choice = units},
    {.key = "force", .type = HF_OPTION_FLAG},
    {.key = "field", .type = HF_OPTION_VECTOR, .argument = "X,Y,Z", .range = {-10, 10}},
    {.key = "point_charges_file", .type = HF_OPTION_TEXT, .argument = "FILE"},
    {0},
};
static const struct hf_option *const table[] = {rows, NULL};

struct case_of_input {
    struct hf_options options;
    struct hf_input input;
    struct hf_error error;
};

static void begin(struct case_of_input *this)
{
    *this = (struct case_of_input){.error = {.message = ""}};
    hf_options_init(&this->options, table);
}

static void done(struct case_of_input *this)
{
    hf_input_done(&this->input);
    hf_options_done(&this->options);
}

static hf_status give(struct case_of_input *this, const char *key, const char *value)
{
    const struct hf_option *option = hf_option_find(table, (struct hf_word){key, (int)strlen(key)});
    return hf_options_add(&this->options, option, (struct hf_word){value, (int)strlen(value)},
                          HF_OPTION_COMMAND_LINE, "--option", &this->error);
}

static hf_status read_string(struct case_of_input *this, const char *string)
{
    return hf_input_from_string("x.mol", string, &this->options, &this->input, &this->error);
}

static void expect_message(const struct case_of_input *this, hf_status status, const char *message)
{
    if (status != HF_BAD_INPUT || strstr(this->error.message, message) == NULL)
        fail_msg("status %d, message '%s', expected '%s'", (int)status, this->error.message,
                 message);
}

static void expect_warning(const struct case_of_input *this, const char *text)
{
    for (int i = 0; i < this->input.n_warning; i++)
        if (strstr(this->input.warning[i], text) != NULL) return;
    fail_msg("no warning '%s' among %d", text, this->input.n_warning);
}

TEST(a_block_is_in_the_units_of_its_input)
{
    static const char *const input = "point_charges\n # near\n 0.41 0 0 2.5 # H\n\n -.82 1 2 -3D0\n"
                                     "END\nunits %s\ngeometry\nHe 0 0 0\nend\n";
    for (int bohr = 0; bohr <= 1; bohr++) {
        struct case_of_input this;
        char string[200];
        begin(&this);
        snprintf(string, sizeof string, input, bohr ? "bohr" : "angstrom");
        assert_ok(read_string(&this, string));
        const struct hf_environment *environment = &this.input.molecule.environment;
        const double unit = bohr ? 1.0 : 1.0 / HF_BOHR_IN_ANGSTROM;
        assert_int_equal(environment->n_charge, 2);
        assert_true(environment->charge[0].charge == 0.41);
        assert_true(environment->charge[1].charge == -0.82);
        assert_true(environment->charge[0].position_bohr[2] == 2.5 * unit);
        assert_true(environment->charge[1].position_bohr[2] == -3.0 * unit);
        assert_int_equal(this.input.molecule.n_atom, 1);
        assert_int_equal(this.input.n_warning, 0);
        done(&this);
    }
}

TEST(an_empty_block_is_no_charge_and_zero_charges_may_sit_anywhere)
{
    struct case_of_input this;
    begin(&this);
    assert_ok(read_string(&this, "geometry\nHe 0 0 0\nend\npoint-charges\nend\n"));
    assert_int_equal(this.input.molecule.environment.n_charge, 0);
    done(&this);
    begin(&this);
    assert_ok(read_string(&this, "geometry\nHe 0 0 0\n@H 0 0 1\nend\npoint_charges\n"
                                 "0 0 0 0\n1 0 0 1\nend\n"));
    assert_int_equal(this.input.molecule.environment.n_charge, 2);
    done(&this);
}

TEST(mistakes_in_a_block_are_named_with_file_and_line)
{
    const struct {
        const char *string, *message;
    } bad[] = {
        {"point_charges\n1 0 0 3\n", "x.mol, line 4: the point charges have no end"},
        {"point_charges\n1 0 0\nend\n", "line 5: z is missing; expected a number"},
        {"point_charges\none 0 0 3\nend\n", "line 5: charge 'one' is not a number"},
        {"point_charges\n1 0 0 inf\nend\n", "line 5: z 'inf' is not a number"},
        {"point_charges\nnan 0 0 3\nend\n", "line 5: charge 'nan' is not a number"},
        {"point_charges\n1 0 0 1e999\nend\n", "line 5: z '1e999' is out of range"},
        {"point_charges\n1 0 0 1e8\nend\n", "line 5: coordinate 1e+08 angstrom is out of range"},
        {"point_charges\n1e12 0 0 3\nend\n", "line 5: charge 1e+12 is out of range; expected"},
        {"point_charges\n1 0 0 3 4\nend\n", "line 5: '4' stands behind the coordinates"},
        {"point_charges\n1 0 0 .01\nend\n",
         "line 5: point charge 1 sits on the nucleus of atom 1 (He), 0.0189 bohr from it"},
        {"point_charges 3\n1 0 0 3\nend\n",
         "line 4: '3' stands behind point_charges; expected the first charge in the next line"},
        {"point_charges\nend\npoint_charges\nend\n", "line 6: a second block of point charges"},
        {"point_charge\n1 0 0 3\nend\n", "unknown key 'point_charge'; did you mean point_charges"},
        {"field 0 0.01\n", "line 4: field '0 0.01' has 2 numbers; expected 3 (X,Y,Z)"},
        {"field 0 0 0 0\n", "line 4: field '0 0 0 0' has 4 numbers"},
        {"field 0 up 0\n", "line 4: field 'up' is not a number"},
        {"field 0 0 11\n", "line 4: field 11 is out of range; expected -10 to 10"},
        {"field\n", "line 4: field needs a value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct case_of_input this;
        char string[200] = "geometry\nHe 0 0 0\nend\n";
        begin(&this);
        const hf_status status = read_string(&this, strcat(string, bad[i].string));
        expect_message(&this, status, bad[i].message);
        assert_null(this.input.molecule.environment.charge);
        done(&this);
    }
}

TEST(a_field_comes_from_the_input_or_the_command_line)
{
    static const char *const string = "field 0.01 0 -2D-3\ngeometry\nHe 0 0 0\nend\n";
    struct case_of_input this;
    begin(&this);
    assert_ok(read_string(&this, string));
    const double *field = this.input.molecule.environment.field;
    assert_true(field[0] == 0.01 && field[1] == 0.0 && field[2] == -0.002);
    assert_int_equal(this.input.n_warning, 0);
    done(&this);
    begin(&this);
    assert_ok(give(&this, "field", "-0.03, 0.04,0.05"));
    assert_ok(read_string(&this, string));
    assert_true(field[0] == -0.03 && field[1] == 0.04 && field[2] == 0.05);
    done(&this);
}

TEST(an_ion_in_a_field_is_told_of_the_origin)
{
    struct case_of_input this;
    begin(&this);
    assert_ok(read_string(&this, "charge 1\nfield 0 0 .01\ngeometry\nLi 0 0 0\nend\n"));
    expect_warning(&this, "x.mol, line 2: the charge is +1: in a uniform field the energy");
    done(&this);
}

/** hf_input_read of a helium atom with a file of charges; rank 0 writes and removes both. */
static hf_status read_files(struct case_of_input *this, const char *molecule, const char *charges)
{
    struct hf_context *context = test_context();
    char name[2][64];
    const char *content[2] = {molecule, charges};
    for (int i = 0; i < 2; i++) {
        snprintf(name[i], sizeof name[i], "hf-environment-test-%d-of-%d.txt", i, context->n_rank);
        FILE *file = context->rank == 0 ? fopen(name[i], "w") : NULL;
        if (file != NULL) fputs(content[i], file);
        if (file != NULL) fclose(file);
    }
    assert_ok(give(this, "point_charges_file", name[1]));
    const hf_status status =
        hf_input_read(context, name[0], &this->options, &this->input, &this->error);
    for (int i = 0; i < 2 && context->rank == 0; i++) unlink(name[i]);
    test_context_done(&context);
    return status;
}

static const char *const helium = "geometry\nHe 0 0 0\nend\n";

TEST(a_file_is_in_angstrom_unless_its_comment_says_otherwise)
{
    const struct {
        const char *comment;
        bool bohr;
    } file[] = {
        {"", false},
        {"water around it", false},
        {"charges in angstrom", false},
        {"units=bohr", true},
        {"Units: Bohr, from a simulation", true},
        {"(units \"angstrom\")", false},
        {"TIP3P charges, units a.u.", true},
        {"TIP3P charges, a.u.", false},
        {"charges around an Au cluster", false},
        {"Au(111), angstrom", false},
    };
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        struct case_of_input this;
        char charges[100];
        begin(&this);
        snprintf(charges, sizeof charges, "2\n%s\n0.5 0 0 3\n-0.5 1 2 3\n", file[i].comment);
        assert_ok(read_files(&this, "1\ncharge=0 multiplicity=1\nHe 0 0 0\n", charges));
        const struct hf_environment *environment = &this.input.molecule.environment;
        assert_int_equal(environment->n_charge, 2);
        assert_true(environment->charge[1].charge == -0.5);
        assert_true(environment->charge[1].position_bohr[1] ==
                    (file[i].bohr ? 2.0 : 2.0 / HF_BOHR_IN_ANGSTROM));
        assert_int_equal(this.input.n_warning, 0);
        done(&this);
    }
}

TEST(what_looks_odd_in_a_file_is_said)
{
    struct case_of_input this;
    begin(&this);
    assert_ok(read_files(&this, "units bohr\ngeometry\nHe 0 0 0\nend\n", "1\n\n1 0 0 3\n"));
    expect_warning(&this, "names no unit: taken as angstrom, although the units of the molecule");
    done(&this);
    begin(&this);
    assert_ok(read_files(&this, helium, "1\n\n1 0 0 3\n1 0 0 4\n"));
    expect_warning(&this, "1 lines behind the 1 point charges were not read");
    done(&this);
    begin(&this);
    assert_ok(read_files(&this, helium, "0\n"));
    assert_int_equal(this.input.molecule.environment.n_charge, 0);
    done(&this);
}

TEST(mistakes_in_a_file_are_named_with_file_and_line)
{
    const struct {
        const char *molecule, *charges, *message;
    } bad[] = {
        {helium, "2\n\n1 0 0 3\n\n1 0 0 4\n", "line 4: an empty line; expected: charge x y z"},
        {helium, "3\n\n1 0 0 3", "line 3: the file ends here; expected a comment and 3 point"},
        {helium, "charges\n\n1 0 0 3\n", "line 1: count 'charges' is not a whole number"},
        {helium, "-1\n\n", "line 1: a count of -1 point charges; expected 0 to"},
        {helium, "1\nunits=nm\n1 0 0 3\n", "line 2: unknown units 'nm'; expected angstrom or bohr"},
        {helium, "1\nbohr or angstrom\n1 0 0 3\n", "line 2: the comment names both"},
        {helium, "1\n\nCl 0 0 3\n", "line 3: charge 'Cl' is not a number"},
        {helium, "1\nbohr\n1 0 0 0.05\n", "line 3: point charge 1 sits on the nucleus of atom 1"},
        {"geometry\nHe 0 0 0\nend\npoint_charges\nend\n", "1\n\n1 0 0 3\n",
         "line 4: point charges stand here and in the file hf-environment-test-1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct case_of_input this;
        begin(&this);
        const hf_status status = read_files(&this, bad[i].molecule, bad[i].charges);
        expect_message(&this, status, bad[i].message);
        assert_null(this.input.molecule.environment.charge);
        done(&this);
    }
}

TEST(the_file_of_an_input_without_one_is_read_when_asked_for)
{
    static const double position[1][3] = {{0.0, 0.0, 0.0}};
    TEST_CONTEXT(context);
    struct case_of_input this;
    begin(&this);
    assert_ok(give(&this, "point_charges_file", "/no/such/q.xyz"));
    assert_ok(
        hf_input_from_atoms(1, (int[]){2}, position, &this.options, &this.input, &this.error));
    assert_int_equal(this.input.molecule.environment.n_charge, 0);
    expect_message(&this,
                   hf_input_read_point_charges(context, &this.options, &this.input, &this.error),
                   "/no/such/q.xyz: there is no such file");
    done(&this);
}

MPI_TEST_MAIN
