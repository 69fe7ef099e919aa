/* Text files: what is refused, and that all ranks see the same lines. */
#include "../mpi_test.h"

#include "text/text.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/** Name of a scratch file beside the test; the same on all ranks. */
static const char *const scratch = "test_text.scratch";

/** Rank 0 writes the scratch file of this number of ranks. */
static void write_scratch(const struct hf_context *context, char path[64], const char *bytes,
                          size_t n)
{
    snprintf(path, 64, "%s.%d", scratch, context->n_rank);
    if (context->rank == 0) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        fclose(file);
    }
    MPI_Barrier(context->comm);
}

static void expect_failure(struct hf_context *context, const char *path, const char *expected)
{
    struct hf_text text;
    assert_failure(hf_text_read(context, path, &text, &error), HF_BAD_INPUT, &error, expected);
    assert_non_null(strstr(error.message, path));
    assert_null(text.content);
    hf_text_done(&text);
}

TEST(lines_are_the_same_on_all_ranks_whatever_ends_them)
{
    TEST_CONTEXT(context);
    const char bytes[] = "\xef\xbb\xbf"
                         "one\r\ntwo\n\nfour\rfive";
    char path[64];
    write_scratch(context, path, bytes, sizeof bytes - 1);
    struct hf_text text;
    assert_ok(hf_text_read(context, path, &text, &error));
    assert_int_equal(text.n_line, 5);
    const char *const expected[] = {"one", "two", "", "four", "five"};
    for (int i = 0; i < 5; i++) assert_string_equal(text.line[i], expected[i]);
    assert_string_equal(text.path, path);
    hf_text_done(&text);
    if (context->rank == 0) unlink(path);
}

TEST(what_is_no_text_is_refused)
{
    TEST_CONTEXT(context);
    char path[64];
    write_scratch(context, path, "", 0);
    expect_failure(context, path, "empty");
    write_scratch(context, path, " \n\t\r\n", 5);
    expect_failure(context, path, "empty");
    write_scratch(context, path, "ab\0cd", 5);
    expect_failure(context, path, "not a text file (byte 3");
    write_scratch(context, path,
                  "\x7f"
                  "ELF",
                  4);
    expect_failure(context, path, "not a text file (byte 1");
    write_scratch(context, path, "\xff\xfeH\0i\0", 6);
    expect_failure(context, path, "UTF-16");
    write_scratch(context, path, "\xfe\xff\0H\0i", 6);
    expect_failure(context, path, "UTF-16");
    write_scratch(context, path, "1\0\n\0\n\0", 6);
    expect_failure(context, path, "UTF-16");
    write_scratch(context, path, "\0001\0\n", 4);
    expect_failure(context, path, "UTF-16");
    write_scratch(context, path, "\xef\xbb\xbf", 3);
    expect_failure(context, path, "empty");
    write_scratch(context, path, "\xef\xbb\xbf \r\n", 6);
    expect_failure(context, path, "empty");
    if (context->rank == 0) assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    expect_failure(context, path, "too large");
    MPI_Barrier(context->comm);
    if (context->rank == 0) unlink(path);
}

TEST(what_is_no_file_is_refused)
{
    TEST_CONTEXT(context);
    expect_failure(context, "no-such-file.mol", "no such file");
    expect_failure(context, ".", "directory");
    expect_failure(context, "/dev/null", "not a regular file");
    char path[64];
    write_scratch(context, path, "text", 4);
    if (geteuid() != 0) { /* root may read everything */
        if (context->rank == 0) assert_int_equal(chmod(path, 0), 0);
        expect_failure(context, path, "ermission");
    }
    MPI_Barrier(context->comm);
    if (context->rank == 0) unlink(path);
}

TEST(failures_name_file_and_line)
{
    struct hf_text text;
    assert_ok(hf_text_from_string("a.mol", "one\ntwo\n", &text, &error));
    assert_int_equal(text.n_line, 2);
    assert_int_equal(hf_text_fail(&error, &text, 2, "bad %s", "word"), HF_BAD_INPUT);
    assert_string_equal(error.message, "a.mol, line 2: bad word");
    assert_int_equal(hf_text_fail(&error, &text, 0, "no end"), HF_BAD_INPUT);
    assert_string_equal(error.message, "a.mol: no end");
    hf_text_done(&text);
    assert_int_equal(hf_text_from_string("a.mol", "\n", &text, &error), HF_BAD_INPUT);
}

MPI_TEST_MAIN
