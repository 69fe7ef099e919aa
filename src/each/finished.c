/* Reads JSON lines of earlier runs; see finished.h. */
#include "finished.h"

#include "text/output_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** What stands before the hash in a line. Strings of JSON cannot have it: their quotes have backslashes. */
static const char key[] = "\"record_hash\":\"";

bool hf_finished_find_hash(const char *line, uint64_t *hash)
{
    const char *found = strstr(line, key);
    if (found == NULL) return false;
    char *end;
    const char *digits = found + sizeof key - 1;
    *hash = strtoull(digits, &end, 16);
    return end == digits + 16 && *end == '"';
}

/** Whether an incomplete line is the beginning of one that a job with --each has written. */
static bool is_cut(const char *line, size_t n)
{
    static const char *const beginnings[] = {"{\"schema_name\":\"qcschema_output\"",
                                             "{\"success\":false,",
                                             "{\"input_data\":{"}; /* without blanks */
    uint64_t hash;
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(beginnings[i]);
        if (strncmp(line, beginnings[i], n < length ? n : length) != 0) continue;
        cJSON *whole = cJSON_Parse(line); /* an object without a hash is one of another program */
        const bool is_foreign = whole != NULL && !hf_finished_find_hash(line, &hash);
        cJSON_Delete(whole);
        return !is_foreign;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct hf_finished_line *x = a, *y = b;
    if (x->hash != y->hash) return x->hash > y->hash ? 1 : -1;
    return (int)x->failed - (int)y->failed;
}

/** The first line of a hash; NULL: there is none. */
static struct hf_finished_line *find_line(const struct hf_finished *finished, uint64_t hash)
{
    int64_t low = 0, high = finished->n; /* the first that is not less */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (finished->line[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < finished->n && finished->line[low].hash == hash ? &finished->line[low] : NULL;
}

static bool is_failure(const char *line)
{
    return strstr(line, "\"success\":false") != NULL;
}

/** Reads all lines. */
static hf_status read_lines(struct hf_finished *finished, const char *path, FILE *file,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    char *line = NULL;
    finished->arena.label = "results of earlier runs";
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
        struct hf_finished_line made = {.failed = is_failure(line)};
        if (!hf_finished_find_hash(line, &made.hash))
            HF_TRY(hf_fail(error, HF_BAD_INPUT,
                           "%s: it has lines that no job with --each has written; expected results "
                           "to add to, or no such file",
                           path));
        if (!hf_arena_grow(&finished->arena, &finished->line, finished->n + 1, &finished->room,
                           sizeof made))
            HF_TRY(hf_arena_check(&finished->arena, error));
        finished->line[finished->n++] = made;
        finished->n_byte += (long)n;
    }
    if (n > 0 && finished->n == 0 && !is_cut(line, (size_t)n))
        status =
            hf_fail(error, HF_BAD_INPUT,
                    "%s: it is no file of results; expected one to add to, or no such file", path);
    else if (n < 0 && !feof(file))
        status = hf_fail(error, HF_NO_RESOURCE, "%s: it cannot be read", path);
cleanup:
    free(line);
    return status;
}

hf_status hf_finished_read(struct hf_finished *finished, const char *path, struct hf_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0 && errno == ENOENT) return HF_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return HF_OK; /* a pipe or a device */
    FILE *file = fopen(path, "r");
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: %s", path, strerror(errno));
    const hf_status status = read_lines(finished, path, file, error);
    fclose(file);
    if (status == HF_OK && finished->n > 0)
        qsort(finished->line, (size_t)finished->n, sizeof *finished->line, compare);
    return status;
}

bool hf_finished_take(struct hf_finished *finished, uint64_t hash)
{
    struct hf_finished_line *first = find_line(finished, hash);
    if (first == NULL) return false;
    const struct hf_finished_line *next = first + first->n_taken,
                                  *end = finished->line + finished->n;
    if (next >= end || next->hash != hash) return false;
    first->n_taken++;
    finished->n_taken++;
    finished->n_failed += next->failed;
    return true;
}

/** Copies the lines that stay. */
static void copy_lines(const struct hf_finished *finished, bool all, FILE *file,
                       struct hf_output_file *copy)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
        uint64_t hash = 0;
        const struct hf_finished_line *first =
            hf_finished_find_hash(line, &hash) ? find_line(finished, hash) : NULL;
        const bool again = all || (first != NULL && first->n_taken > 0);
        if (!again || !is_failure(line)) (void)hf_output_file_write(copy, (size_t)n, line);
    }
    free(line);
}

hf_status hf_finished_drop_failures(struct hf_finished *finished, const char *path, bool all,
                                    struct hf_error *error)
{
    struct hf_output_file copy;
    if (all ? finished->n == 0 : finished->n_failed == 0 && finished->n_taken == 0) return HF_OK;
    FILE *file = fopen(path, "r");
    bool good = file != NULL && hf_output_file_begin(path, &copy);
    if (good) {
        copy_lines(finished, all, file, &copy);
        good = hf_output_file_end(&copy, !ferror(file));
    }
    if (file != NULL) fclose(file);
    if (!good)
        return hf_fail(error, HF_NO_RESOURCE, "%s: it cannot be written: %s", path,
                       strerror(errno));
    hf_finished_done(finished);
    return hf_finished_read(finished, path, error);
}

void hf_finished_forget_failures(struct hf_finished *finished)
{
    int64_t n = 0;
    for (int64_t i = 0; i < finished->n; i++)
        if (!finished->line[i].failed) finished->line[n++] = finished->line[i];
    finished->n = n;
}

void hf_finished_done(struct hf_finished *finished)
{
    hf_arena_done(&finished->arena);
    *finished = (struct hf_finished){0};
}
