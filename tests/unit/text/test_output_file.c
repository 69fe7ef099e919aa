/* Files that appear whole or not at all, and that none takes the place of another. */
#include "../test.h"
#include "text/output_file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[4096], folder[64];

/** The tests work in a folder of their own. */
static int enter(void **state)
{
    snprintf(folder, sizeof folder, "hf-file-test-XXXXXX");
    return getcwd(home, sizeof home) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave(void **state)
{
    if (chdir(home) != 0) return -1;
    return rmdir(folder); /* fails when a test leaves something behind */
}

static void write_file(const char *path, const char *content)
{
    struct hf_output_file file;
    assert_true(hf_output_file_begin(path, &file));
    assert_true(hf_output_file_write(&file, strlen(content), content));
    assert_true(hf_output_file_end(&file, true));
}

static void assert_content(const char *path, const char *content)
{
    char found[64] = "";
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    found[fread(found, 1, sizeof found - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(found, content);
}

/** What a disk without room does, the limit of file sizes does on any disk. */
TEST_IN(a_failed_write_has_its_reason_and_leaves_the_old_file, enter, leave)
{
    struct rlimit usual;
    struct hf_output_file file;
    static const char much[100000];
    write_file("out", "old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit tight = {8192, usual.rlim_max};
    assert_true(hf_output_file_begin("out", &file));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool written = hf_output_file_write(&file, sizeof much, much);
    errno = 0; /* whatever happens in between */
    const bool more = hf_output_file_write(&file, 1, much);
    const bool ended = hf_output_file_end(&file, true);
    const int why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_false(written || more || ended);
    assert_int_equal(why, EFBIG);
    assert_content("out", "old");

    assert_true(hf_output_file_begin("/dev/full", &file));
    assert_true(hf_output_file_write(&file, 10, much)); /* into the buffer */
    assert_false(hf_output_file_end(&file, true));
    assert_int_equal(errno, ENOSPC);

    assert_true(hf_output_file_begin("out", &file));
    assert_false(hf_output_file_end(&file, false));
    assert_int_equal(errno, 0);
    assert_content("out", "old");
    assert_false(hf_output_file_begin("no/such/folder/out", &file));
    assert_int_equal(errno, ENOENT);
    unlink("out");
}

TEST_IN(a_file_whose_name_becomes_a_folder_fails_in_the_end, enter, leave)
{
    struct hf_output_file file;
    assert_true(hf_output_file_begin("out", &file));
    assert_int_equal(mkdir("out", 0777), 0);
    assert_false(hf_output_file_end(&file, true));
    assert_int_equal(errno, EISDIR);
    rmdir("out");
}

TEST_IN(a_replaced_file_keeps_its_mode_and_a_long_name_is_no_obstacle, enter, leave)
{
    char name[251];
    struct stat about;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    write_file(name, "old");
    assert_int_equal(chmod(name, 0640), 0);
    write_file(name, "new");
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_content(name, "new");
    unlink(name);
}

TEST_IN(one_file_is_known_by_all_its_names, enter, leave)
{
    static const struct {
        const char *path, *other;
        bool same;
    } pairs[] = {
        {"there", "there", true},          {"there", "./there", true},
        {"there", "sub/../there", true},   {"there", "symbolic", true},
        {"there", "hard", true},           {"there", "sub/there", false},
        {"there", "absent", false},        {"absent", "absent", true},
        {"absent", "./absent", true},      {"absent", "sub/../absent", true},
        {"absent", "link/absent", false},  {"sub/absent", "link/absent", true},
        {"absent", "absent2", false},      {"no/such/absent", "no/such/absent", false},
        {"/dev/null", "/dev/null", false},
    };
    write_file("there", "x");
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(symlink("there", "symbolic"), 0);
    assert_int_equal(symlink("sub", "link"), 0);
    assert_int_equal(link("there", "hard"), 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (hf_same_file(pairs[i].path, pairs[i].other) != pairs[i].same ||
            hf_same_file(pairs[i].other, pairs[i].path) != pairs[i].same)
            fail_msg("%s and %s", pairs[i].path, pairs[i].other);
    }
    static const char *const made[] = {"there", "symbolic", "link", "hard"};
    for (int i = 0; i < 4; i++) unlink(made[i]);
    rmdir("sub");
}

TEST_IN(files_to_write_are_kept_apart, enter, leave)
{
    const struct hf_run_file input = {"input", "the input file", "in", true},
                             again = {"basis", "a file of basis sets", "in", true},
                             json = {"--json", "the JSON file", "out", false},
                             trace = {"--trace", "the trace", "./out", false},
                             over = {"--json", "the JSON file", "./in", false};
    write_file("in", "x");
    const struct hf_run_file good[] = {input, again, json}, both[] = {input, json, trace},
                             first[] = {over, input}, last[] = {input, over};
    assert_ok(hf_output_files_check_apart(3, good, &error));
    assert_int_equal(hf_output_files_check_apart(3, both, &error), HF_BAD_INPUT);
    assert_string_equal(error.message,
                        "--trace: ./out is the JSON file as well; expected another file");
    assert_int_equal(hf_output_files_check_apart(2, first, &error), HF_BAD_INPUT);
    assert_string_equal(error.message,
                        "--json: ./in is the input file as well; expected another file");
    assert_int_equal(hf_output_files_check_apart(2, last, &error), HF_BAD_INPUT);
    assert_string_equal(error.message,
                        "--json: ./in is the input file as well; expected another file");
    unlink("in");
}

TEST_MAIN
