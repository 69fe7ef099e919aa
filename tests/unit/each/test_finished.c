/* What earlier runs have finished is read from their lines; incomplete lines and failures go. */
#include "../test.h"
#include "each/finished.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = "hf-finished-test-XXXXXX";

#define GOOD(hash) "{\"success\":true,\"record_hash\":\"00000000000000" hash "\"}\n"
#define BAD(hash)  "{\"success\":false,\"record_hash\":\"00000000000000" hash "\"}\n"

static int make_file(void **state)
{
    const int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    return unlink(path);
}

static hf_status read_lines(const char *lines, struct hf_finished *finished)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(lines, file);
    fclose(file);
    *finished = (struct hf_finished){0};
    return hf_finished_read(finished, path, &error);
}

static void assert_left(const char *expected)
{
    char found[1024] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, expected);
}

static void a_record_is_finished_as_often_as_there_are_lines(void **state)
{
    struct hf_finished finished;
    assert_ok(read_lines(GOOD("02") GOOD("ff") GOOD("02") BAD("01"), &finished));
    assert_int_equal(finished.n, 4);
    assert_true(hf_finished_take(&finished, 2));
    assert_true(hf_finished_take(&finished, 2));
    assert_false(hf_finished_take(&finished, 2));
    assert_true(hf_finished_take(&finished, 255));
    assert_int_equal(finished.n_failed, 0);
    assert_true(hf_finished_take(&finished, 1));
    assert_int_equal(finished.n_failed, 1);
    assert_false(hf_finished_take(&finished, 3));
    assert_int_equal(finished.n_taken, 4);
    hf_finished_done(&finished);
}

static void an_incomplete_line_at_the_end_does_not_count(void **state)
{
    struct hf_finished finished;
    assert_ok(
        read_lines(GOOD("01") "{\"success\":true,\"record_hash\":\"0000000000000002\"", &finished));
    assert_int_equal(finished.n, 1);
    assert_int_equal(finished.n_byte, strlen(GOOD("01")));
    hf_finished_done(&finished);
    assert_ok(read_lines("{\"schema_name\":\"qcsch", &finished));
    assert_int_equal(finished.n_byte, 0);
    hf_finished_done(&finished);
}

static void a_good_result_counts_before_a_failure(void **state)
{
    struct hf_finished finished;
    assert_ok(read_lines(BAD("01") GOOD("01"), &finished));
    assert_true(hf_finished_take(&finished, 1));
    assert_int_equal(finished.n_failed, 0);
    hf_finished_done(&finished);
}

static void failures_go_if_they_are_computed_again(void **state)
{
    struct hf_finished finished;
    assert_ok(read_lines(BAD("01") GOOD("02") BAD("03") "{", &finished));
    assert_true(hf_finished_take(&finished, 1));
    assert_ok(hf_finished_drop_failures(&finished, path, false, &error));
    assert_int_equal(finished.n, 2);
    assert_false(hf_finished_take(&finished, 1));
    assert_left(GOOD("02") BAD("03")); /* 03 is of another job */
    assert_ok(hf_finished_drop_failures(&finished, path, true, &error));
    assert_left(GOOD("02"));
    hf_finished_done(&finished);
}

static void another_file_is_refused_and_stays(void **state)
{
    struct hf_finished finished;
    assert_failure(read_lines("{\"record_hash\":\"12\"}\n", &finished), HF_BAD_INPUT, &error,
                   "lines that no job");
    assert_failure(read_lines("a diary\n", &finished), HF_BAD_INPUT, &error, "lines that no job");
    assert_left("a diary\n");
    const char *const foreign[] = {"a diary", "{\"a\": 1}",
                                   "{\"schema_name\": \"qcschema_output\"}",
                                   "{\"schema_name\":\"qcschema_output\"}"};
    for (int i = 0; i < 4; i++) {
        assert_failure(read_lines(foreign[i], &finished), HF_BAD_INPUT, &error,
                       "no file of results");
        assert_left(foreign[i]);
    }
    hf_finished_done(&finished);
}

static void without_a_file_nothing_is_finished(void **state)
{
    struct hf_finished finished = {0};
    assert_ok(hf_finished_read(&finished, "no-such-file.jsonl", &error));
    assert_false(hf_finished_take(&finished, 0));
    hf_finished_done(&finished);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_finished_as_often_as_there_are_lines),
        cmocka_unit_test(an_incomplete_line_at_the_end_does_not_count),
        cmocka_unit_test(a_good_result_counts_before_a_failure),
        cmocka_unit_test(failures_go_if_they_are_computed_again),
        cmocka_unit_test(another_file_is_refused_and_stays),
        cmocka_unit_test(without_a_file_nothing_is_finished),
    };
    return cmocka_run_group_tests_name("finished records", tests, make_file, remove_file);
}
