/* Files of several molecules: which of them is read, and what is said. */
#include "hf/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hf_option_choice units[] = {{"angstrom", "", NULL}, {"bohr", "", NULL}, {0}};

static const struct hf_option table[] = {
    {.key = "title", .type = HF_OPTION_TEXT, .argument = "TEXT"},
    {.key = "charge",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "0",
     .least = -1000,
     .most = 1000},
    {.key = "multiplicity",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .least = 1,
     .most = 100},
    {.key = "units", .type = HF_OPTION_CHOICE, .default_value = "angstrom", .choice = units},
    {.key = "field", .type = HF_OPTION_VECTOR, .argument = "X,Y,Z", .least = -10, .most = 10},
    {.key = "point_charges_file", .type = HF_OPTION_TEXT, .argument = "FILE"},
    {.key = "force", .type = HF_OPTION_FLAG},
    {.key = "record",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .least = 1,
     .most = 1000},
};
enum { N_OPTION = sizeof table / sizeof *table };

#define MOLFILE(title, y)                                                                          \
    title "\n  test    01010000003D\n\n  2  1  0  0  0  0            999 V2000\n"                  \
          "    0.0000    0.0000    0.0000 H   0  0\n    0.0000    " y "    0.0000 H   0  0\n"      \
          "  1  2  1  0\nM  END\n"
#define SD_FILE                                                                                    \
    MOLFILE("one", "0.7000")                                                                       \
    "> <energy>\n1\n\n$$$$\n" MOLFILE("2", "0.7500") "$$$$\n" MOLFILE("three", "0.7200") "$$$$"    \
                                                                                         "\n\n"
#define XYZ_FILE "1\none\nHe 0 0 0\n\n2 bohr\ntwo\nH 0 0 0\nH 0 0 1.4\n 1\nthree\nNe 0 0 0\n"

/** Reads the record, the first without a word for 0; what was found is in *input. */
static hf_status read_record(const char *string, const char *record, struct hf_input *input,
                             struct hf_error *error)
{
    struct hf_options options;
    hf_options_init(&options, N_OPTION, table);
    if (record != NULL) {
        const struct hf_option *option =
            hf_option_find(N_OPTION, table, (struct hf_word){"record", 6});
        assert_int_equal(hf_options_add(&options, option,
                                        (struct hf_word){record, (int)strlen(record)},
                                        HF_OPTION_COMMAND_LINE, "--record", error),
                         HF_OK);
    }
    const hf_status status = hf_input_from_string("x.sdf", string, &options, input, error);
    hf_options_done(&options);
    return status;
}

static void expect_title(const char *string, const char *record, const char *title, int n_atom)
{
    struct hf_input input;
    struct hf_error error;
    if (read_record(string, record, &input, &error) != HF_OK) fail_msg("%s", error.message);
    assert_string_equal(input.molecule.title, title);
    assert_string_equal(input.path, "x.sdf");
    assert_int_equal(input.molecule.n_atom, n_atom);
    bool told = false;
    for (int i = 0; i < input.n_warning; i++)
        told = told || strstr(input.warning[i], "the option --record chooses another") != NULL;
    assert_int_equal(told, record == NULL);
    hf_input_done(&input);
}

static void expect_refusal(const char *string, const char *record, const char *message)
{
    struct hf_input input;
    struct hf_error error = {0};
    const hf_status status = read_record(string, record, &input, &error);
    if (status != HF_BAD_INPUT || strstr(error.message, message) == NULL)
        fail_msg("status %d, message '%s', expected '%s'", (int)status, error.message, message);
}

static void each_record_of_an_sd_file_can_be_chosen(void **state)
{
    (void)state;
    expect_title(SD_FILE, NULL, "one", 2);
    expect_title(SD_FILE, "1", "one", 2);
    expect_title(SD_FILE, "2", "2", 2);
    expect_title(SD_FILE, "3", "three", 2);
}

static void each_geometry_of_an_xyz_file_can_be_chosen(void **state)
{
    (void)state;
    expect_title(XYZ_FILE, NULL, "one", 1);
    expect_title(XYZ_FILE, "1", "one", 1);
    expect_title(XYZ_FILE, "3", "three", 1);
}

static void too_large_a_number_is_refused_with_how_many_there_are(void **state)
{
    (void)state;
    expect_refusal(SD_FILE, "4", "--record: record 4; x.sdf holds 3 molecules");
    expect_refusal(XYZ_FILE, "4", "--record: record 4; x.sdf holds 3 geometries");
    expect_refusal("1\n\nHe 0 0 0\n", "2", "--record: record 2; x.sdf holds 1 molecule");
    expect_refusal("geometry\nHe 0 0 0\nend\n", "2", "x.sdf holds 1 molecule");
    expect_refusal(MOLFILE("one", "0.7000"), "2", "x.sdf holds 1 molecule");
    expect_refusal(MOLFILE("one", "0.7000") "$$$$\n", "2", "x.sdf holds 1 molecule");
}

static void messages_name_the_record_and_its_line(void **state)
{
    (void)state;
    expect_refusal(MOLFILE("a", "0.7000") "$$$$\n" MOLFILE("b", "0.7O00") "$$$$\n", "2",
                   "x.sdf, record 2, line 6: y (columns 11 to 20) '0.7O00'");
    expect_refusal(MOLFILE("a", "0.7O00") "$$$$\n" MOLFILE("b", "0.7000") "$$$$\n", NULL,
                   "x.sdf, line 6: y (columns 11 to 20) '0.7O00'");
    expect_refusal("1\n\nHe 0 0 0\n2\n\nHe 0 0 0\n", "2", "x.sdf, record 2, line 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_of_an_sd_file_can_be_chosen),
        cmocka_unit_test(each_geometry_of_an_xyz_file_can_be_chosen),
        cmocka_unit_test(too_large_a_number_is_refused_with_how_many_there_are),
        cmocka_unit_test(messages_name_the_record_and_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
