/* Records of molecules are cut out of files of each format, whole or broken. */
#include "../test.h"
#include "each/reader.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = "hf-reader-test-XXXXXX";

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

/** Reads a file of these bytes: `expected` has the records with a | behind each, and a ! behind one with a problem. */
static void assert_bytes(size_t n, const char *bytes, const char *expected)
{
    struct hf_record_reader *reader = NULL;
    struct hf_molecule_record record;
    const char *const paths[] = {path};
    const struct hf_record_source source = {.n_path = 1, .path = paths};
    char found[4096] = "";
    bool there = true;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    assert_ok(hf_record_reader_create(NULL, &source, &reader, &error));
    while (there) {
        assert_ok(hf_record_reader_next(reader, &record, &there, &error));
        if (!there) break;
        assert_int_equal(strlen(record.text), record.n_byte);
        strcat(strcat(found, record.text), record.problem != NULL ? "!" : "|");
    }
    hf_record_reader_destroy(&reader);
    assert_string_equal(found, expected);
}

static void assert_records(const char *bytes, const char *expected)
{
    assert_bytes(strlen(bytes), bytes, expected);
}

static void frames_of_xyz_are_records(void **state)
{
    assert_records("1\n\nH 0 0 0\n2\n3 is a comment\nH 0 0 0\nH 0 0 1\n",
                   "1\n\nH 0 0 0\n|2\n3 is a comment\nH 0 0 0\nH 0 0 1\n|");
    assert_records("\n1 bohr\n\nHe 0 0 0\n\n\n1\n7\nHe 0 0 0",
                   "1 bohr\n\nHe 0 0 0\n|1\n7\nHe 0 0 0|");
}

static void a_broken_frame_does_not_take_the_next_one_along(void **state)
{
    assert_records("3\nfew\nH 0 0 0\n1\n\nH 0 0 0\n", "3\nfew\nH 0 0 0\n|1\n\nH 0 0 0\n|");
    assert_records("1\n\nH 0 0 0\nH 0 0 1\nmore\n1\n\nH 0 0 0\n",
                   "1\n\nH 0 0 0\n|H 0 0 1\nmore\n!1\n\nH 0 0 0\n|");
}

static void lines_of_json_are_records(void **state)
{
    assert_records("{\"a\": 1}\n{\"b\"\n\n{\"c\": 2}", "{\"a\": 1}\n|{\"b\"\n|{\"c\": 2}|");
    assert_records("{\n\"a\": 1\n}\n", "{\n\"a\": 1\n}\n|"); /* one object */
}

static void molfiles_of_an_sd_file_are_records(void **state)
{
    assert_records("\n\n\n  0  0 V2000\n$$$$\n3\n\n\n  0  0 V2000\n$$$$\n\n",
                   "\n\n\n  0  0 V2000\n$$$$\n|3\n\n\n  0  0 V2000\n$$$$\n|");
}

static void other_files_are_one_record(void **state)
{
    assert_records("basis STO-3G\ngeometry\nH 0 0 0\nend\n",
                   "basis STO-3G\ngeometry\nH 0 0 0\nend\n|");
}

static void an_empty_file_is_a_record_with_a_problem(void **state)
{
    assert_records("", "!");
    assert_records("\n \n", "!");
}

static void a_record_with_a_nul_has_a_problem(void **state)
{
    struct hf_record_reader *reader = NULL;
    struct hf_molecule_record record;
    bool there;
    const char *const paths[] = {path};
    const struct hf_record_source source = {.n_path = 1, .path = paths};
    FILE *file = fopen(path, "w");
    fwrite("1\n\nH 0\0 0\n", 1, 10, file);
    fclose(file);
    assert_ok(hf_record_reader_create(NULL, &source, &reader, &error));
    assert_ok(hf_record_reader_next(reader, &record, &there, &error));
    assert_true(there && record.problem != NULL);
    hf_record_reader_destroy(&reader);
}

static void records_are_longer_than_what_is_read_at_once(void **state)
{
    enum { N_ATOM = 20000 };
    char *bytes = malloc(16 * (N_ATOM + 4)), *end = bytes;
    struct hf_record_reader *reader = NULL;
    struct hf_molecule_record record;
    bool there;
    const char *const paths[] = {path};
    const struct hf_record_source source = {.n_path = 1, .path = paths};
    assert_non_null(bytes);
    for (int frame = 0; frame < 2; frame++) {
        end = bytes + sprintf(bytes, "%d\nlong\n", N_ATOM);
        for (int i = 0; i < N_ATOM; i++) end += sprintf(end, "H 0 0 %d\n", i % 10);
        FILE *file = fopen(path, frame == 0 ? "w" : "a");
        fwrite(bytes, 1, (size_t)(end - bytes), file);
        fclose(file);
    }
    assert_ok(hf_record_reader_create(NULL, &source, &reader, &error));
    for (int frame = 0; frame < 2; frame++) {
        assert_ok(hf_record_reader_next(reader, &record, &there, &error));
        assert_true(there && record.problem == NULL);
        assert_int_equal(record.n_byte, end - bytes);
        assert_memory_equal(record.text, bytes, record.n_byte);
    }
    assert_ok(hf_record_reader_next(reader, &record, &there, &error));
    assert_false(there);
    hf_record_reader_destroy(&reader);
    free(bytes);
}

/** Whether a record is there once these bytes have come through a pipe that stays open. */
static void what_has_arrived_is_not_waited_for(void **state)
{
    static const struct {
        const char *first, *then;
    } cases[] = {{"{\"a\": 1}\n", "{\"b\": 2}\n"}, {"1\n\nHe 0 0 0\n", "1\n\nH 0 0 0\n"}};
    const char *const paths[] = {"-"};
    const struct hf_record_source source = {.n_path = 1, .path = paths};
    const int old = dup(STDIN_FILENO);
    for (int i = 0; i < 2; i++) {
        struct hf_record_reader *reader = NULL;
        struct hf_molecule_record record;
        bool there, waits;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        dup2(ends[0], STDIN_FILENO);
        const char *first = cases[i].first, *then = cases[i].then;
        assert_int_equal(write(ends[1], first, strlen(first)), strlen(first));
        assert_ok(hf_record_reader_create(NULL, &source, &reader, &error));
        alarm(20); /* a reader that waits would wait for ever */
        assert_ok(hf_record_reader_next(reader, &record, &there, &error));
        assert_true(there);
        assert_string_equal(record.text, first);
        assert_ok(hf_record_reader_waits(reader, &waits, &error));
        assert_true(waits);
        assert_int_equal(write(ends[1], then, 4), 4); /* a part of a record */
        assert_ok(hf_record_reader_waits(reader, &waits, &error));
        assert_true(waits);
        assert_int_equal(write(ends[1], then + 4, strlen(then) - 4), strlen(then) - 4);
        assert_ok(hf_record_reader_waits(reader, &waits, &error));
        assert_false(waits);
        assert_ok(hf_record_reader_next(reader, &record, &there, &error));
        assert_true(there && record.problem == NULL);
        assert_string_equal(record.text, then);
        close(ends[1]);
        assert_ok(hf_record_reader_waits(reader, &waits, &error));
        assert_false(waits);
        assert_ok(hf_record_reader_next(reader, &record, &there, &error));
        assert_false(there);
        alarm(0);
        close(ends[0]);
        hf_record_reader_destroy(&reader);
    }
    dup2(old, STDIN_FILENO);
    close(old);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    struct hf_record_reader *reader = NULL;
    const char *const paths[] = {"no/such/file"};
    const struct hf_record_source source = {.n_path = 1, .path = paths};
    assert_failure(hf_record_reader_create(NULL, &source, &reader, &error), HF_BAD_INPUT, &error,
                   "no/such/file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_xyz_are_records),
        cmocka_unit_test(a_broken_frame_does_not_take_the_next_one_along),
        cmocka_unit_test(lines_of_json_are_records),
        cmocka_unit_test(molfiles_of_an_sd_file_are_records),
        cmocka_unit_test(other_files_are_one_record),
        cmocka_unit_test(an_empty_file_is_a_record_with_a_problem),
        cmocka_unit_test(a_record_with_a_nul_has_a_problem),
        cmocka_unit_test(records_are_longer_than_what_is_read_at_once),
        cmocka_unit_test(what_has_arrived_is_not_waited_for),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests_name("reader of records", tests, make_file, remove_file);
}
