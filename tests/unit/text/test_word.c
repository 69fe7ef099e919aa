/* Words, numbers, nearest words. */
#include "../test.h"
#include "text/text.h"

#include <locale.h>

static struct hf_word word(const char *text)
{
    return (struct hf_word){text, (int)strlen(text)};
}

TEST(words_are_what_stands_between_blanks)
{
    const char *position = " \tO  0.5\t-1 ";
    struct hf_word found;
    assert_true(hf_next_word(&position, &found));
    assert_true(hf_word_is(found, "o"));
    assert_true(hf_next_word(&position, &found));
    assert_true(hf_word_is(found, "0.5"));
    struct hf_word rest = hf_rest_of_line(position);
    assert_true(hf_word_is(rest, "-1"));
    assert_true(hf_next_word(&position, &found));
    assert_false(hf_next_word(&position, &found));
    assert_false(hf_next_word(&position, &found));
}

TEST(a_word_is_neither_its_beginning_nor_its_continuation)
{
    assert_true(hf_word_is(word("GeoMetry"), "geometry"));
    assert_false(hf_word_is(word("geo"), "geometry"));
    assert_false(hf_word_is(word("geometry2"), "geometry"));
    assert_false(hf_word_is(word("geometry"), "geometrx"));
}

TEST(columns_behind_the_end_are_empty)
{
    const char *line = "  3  2  0";
    assert_true(hf_word_is(hf_columns(line, 1, 3), "3"));
    assert_true(hf_word_is(hf_columns(line, 4, 6), "2"));
    assert_true(hf_word_is(hf_columns(line, 7, 20), "0"));
    assert_int_equal(hf_columns(line, 10, 12).length, 0);
    assert_int_equal(hf_columns(line, 35, 39).length, 0);
    assert_int_equal(hf_columns("", 1, 3).length, 0);
    assert_true(hf_word_is(hf_columns("100110", 1, 3), "100"));
    assert_true(hf_word_is(hf_columns("100110", 4, 6), "110"));
}

TEST(numbers_are_read_as_people_and_fortran_write_them)
{
    const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1.0},          {"-1.5", -1.5},   {"+.5", 0.5},
                {"2.", 2.0},         {"1.0D+00", 1.0}, {"1d-3", 1e-3},
                {"1.5*^-6", 1.5e-6}, {"1E5", 1e5},     {"0.22166487", 0.22166487},
                {"1e-400", 0.0},     {"-0", 0.0},      {"007", 7.0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 77.0;
        assert_int_equal(hf_word_real(word(good[i].text), &value), HF_NUMBER_OK);
        assert_true(value == good[i].value);
    }
}

TEST(what_is_no_number_is_refused_and_leaves_the_value_alone)
{
    const char *const bad[] = {"",    "-",   ".",    "1.2.3", "abc",      "1x",   "0x10",
                               "inf", "nan", "-inf", "1e",    "1e+",      "--1",  "1,5",
                               "1*2", "1*^", "e5",   "1 2",   "INFINITY", "1.0f", "1e5e5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 77.0;
        assert_int_equal(hf_word_real(word(bad[i]), &value), HF_NUMBER_NONE);
        assert_true(value == 77.0);
    }
    char endless[2000];
    memset(endless, '1', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    double value = 77.0;
    assert_int_equal(hf_word_real(word(endless), &value), HF_NUMBER_NONE);
}

TEST(overflow_is_out_of_range)
{
    double value = 77.0;
    assert_int_equal(hf_word_real(word("1e400"), &value), HF_NUMBER_OUT_OF_RANGE);
    assert_int_equal(hf_word_real(word("-1D999999999"), &value), HF_NUMBER_OUT_OF_RANGE);
    assert_true(value == 77.0);
    int count = 77;
    assert_int_equal(hf_word_integer(word("2147483648"), &count), HF_NUMBER_OUT_OF_RANGE);
    assert_int_equal(hf_word_integer(word("-99999999999999999999999"), &count),
                     HF_NUMBER_OUT_OF_RANGE);
    assert_int_equal(count, 77);
}

TEST(whole_numbers_have_no_point)
{
    int count = 77;
    assert_int_equal(hf_word_integer(word("2147483647"), &count), HF_NUMBER_OK);
    assert_int_equal(count, 2147483647);
    assert_int_equal(hf_word_integer(word("-12"), &count), HF_NUMBER_OK);
    assert_int_equal(count, -12);
    assert_int_equal(hf_word_integer(word("+3"), &count), HF_NUMBER_OK);
    assert_int_equal(count, 3);
    const char *const bad[] = {"", "+", "1.0", "1e3", "x", "3 4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(hf_word_integer(word(bad[i]), &count), HF_NUMBER_NONE);
    assert_int_equal(count, 3);
}

TEST(the_decimal_point_does_not_depend_on_the_locale)
{
    const char *const comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++)
        if (setlocale(LC_NUMERIC, comma[i]) != NULL) break;
    double value = 0.0;
    assert_int_equal(hf_word_real(word("1.25"), &value), HF_NUMBER_OK);
    assert_true(value == 1.25);
    setlocale(LC_NUMERIC, "C");
}

TEST(the_nearest_word_is_the_one_meant)
{
    const char *const known[] = {"title",        "method",   "basis", "charge",
                                 "multiplicity", "geometry", "units", "energy_tolerance"};
    enum { N = sizeof known / sizeof *known };
    assert_string_equal(hf_nearest_word(word("bais"), N, known), "basis");
    assert_string_equal(hf_nearest_word(word("BASSIS"), N, known), "basis");
    assert_string_equal(hf_nearest_word(word("metohd"), N, known), "method");
    assert_string_equal(hf_nearest_word(word("chrge"), N, known), "charge");
    assert_string_equal(hf_nearest_word(word("mult"), N, known), "multiplicity");
    assert_string_equal(hf_nearest_word(word("unit"), N, known), "units");
    assert_null(hf_nearest_word(word("frobnicate"), N, known));
    assert_null(hf_nearest_word(word(""), N, known));
    char endless[2000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(hf_nearest_word(word(endless), N, known));
}

TEST(a_message_is_one_line_whatever_it_quotes)
{
    assert_int_equal(hf_fail(&error, HF_BAD_INPUT, "a '%s'\n", "b\r\nc\n"), HF_BAD_INPUT);
    assert_string_equal(error.message, "a 'b??c?'?");
}

TEST(shells_read_back_what_is_written_for_them)
{
    char out[40], cut[6];
    assert_string_equal(hf_shell_word("a/b-1.hf.h5", sizeof out, out), "a/b-1.hf.h5");
    assert_string_equal(hf_shell_word("my water.h5", sizeof out, out), "'my water.h5'");
    assert_string_equal(hf_shell_word("it's", sizeof out, out), "'it'\\''s'");
    assert_string_equal(hf_shell_word("-x.h5", sizeof out, out), "./-x.h5");
    assert_string_equal(hf_shell_word("-x y", sizeof out, out), "./'-x y'");
    assert_string_equal(hf_shell_word("", sizeof out, out), "''");
    assert_string_equal(hf_shell_word("a b c d", sizeof cut, cut), "'a b ");
}

TEST_MAIN
