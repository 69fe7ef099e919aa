/* Files of several molecules: which of them is read, and what is said. */
#include "reading.h"

#include <stdio.h>

#define MOLFILE(title, y)                                                                          \
    title "\n  test    01010000003D\n\n  2  1  0  0  0  0            999 V2000\n"                  \
          "    0.0000    0.0000    0.0000 H   0  0\n    0.0000    " y "    0.0000 H   0  0\n"      \
          "  1  2  1  0\nM  END\n"
#define SD_FILE                                                                                    \
    MOLFILE("one", "0.7000")                                                                       \
    "> <energy>\n1\n\n$$$$\n" MOLFILE("2", "0.7500") "$$$$\n" MOLFILE("three", "0.7200") "$$$$"    \
                                                                                         "\n\n"
#define XYZ_FILE "1\none\nHe 0 0 0\n\n2 bohr\ntwo\nH 0 0 0\nH 0 0 1.4\n 1\nthree\nNe 0 0 0\n"

/** Reads the record, the first without a word for NULL. */
static hf_status read_record(struct reading *this, const char *string, const char *record)
{
    begin(this);
    if (record != NULL) assert_ok(give(this, "--record", "record", record));
    return hf_input_from_string("x.sdf", string, &this->options, &this->input, &this->error);
}

static void expect_title(const char *string, const char *record, const char *title, int n_atom)
{
    struct reading this;
    const struct hf_input *input = &this.input;
    if (read_record(&this, string, record) != HF_OK) fail_msg("%s", this.error.message);
    assert_string_equal(input->molecule.title, title);
    assert_string_equal(input->path, "x.sdf");
    assert_int_equal(input->molecule.n_atom, n_atom);
    bool told = false;
    for (int i = 0; i < input->n_warning; i++)
        told = told || strstr(input->warning[i], "the option --record chooses another") != NULL;
    assert_int_equal(told, record == NULL);
    done(&this);
}

static void expect_refusal(const char *string, const char *record, const char *message)
{
    struct reading this;
    expect_refused(&this, read_record(&this, string, record), message);
    done(&this);
}

TEST(each_record_of_an_sd_file_can_be_chosen)
{
    expect_title(SD_FILE, NULL, "one", 2);
    expect_title(SD_FILE, "1", "one", 2);
    expect_title(SD_FILE, "2", "2", 2);
    expect_title(SD_FILE, "3", "three", 2);
}

TEST(each_geometry_of_an_xyz_file_can_be_chosen)
{
    expect_title(XYZ_FILE, NULL, "one", 1);
    expect_title(XYZ_FILE, "1", "one", 1);
    expect_title(XYZ_FILE, "3", "three", 1);
}

TEST(too_large_a_number_is_refused_with_how_many_there_are)
{
    expect_refusal(SD_FILE, "4", "--record: record 4; x.sdf holds 3 molecules");
    expect_refusal(XYZ_FILE, "4", "--record: record 4; x.sdf holds 3 geometries");
    expect_refusal("1\n\nHe 0 0 0\n", "2", "--record: record 2; x.sdf holds 1 molecule");
    expect_refusal("geometry\nHe 0 0 0\nend\n", "2", "x.sdf holds 1 molecule");
    expect_refusal(MOLFILE("one", "0.7000"), "2", "x.sdf holds 1 molecule");
    expect_refusal(MOLFILE("one", "0.7000") "$$$$\n", "2", "x.sdf holds 1 molecule");
}

TEST(messages_name_the_record_and_its_line)
{
    expect_refusal(MOLFILE("a", "0.7000") "$$$$\n" MOLFILE("b", "0.7O00") "$$$$\n", "2",
                   "x.sdf, record 2, line 6: y (columns 11 to 20) '0.7O00'");
    expect_refusal(MOLFILE("a", "0.7O00") "$$$$\n" MOLFILE("b", "0.7000") "$$$$\n", NULL,
                   "x.sdf, line 6: y (columns 11 to 20) '0.7O00'");
    expect_refusal("1\n\nHe 0 0 0\n2\n\nHe 0 0 0\n", "2", "x.sdf, record 2, line 3");
}

TEST_MAIN
