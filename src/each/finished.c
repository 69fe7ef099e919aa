/* Reads JSON lines of earlier runs; see finished.h. */
#include "finished.h"

#include "base/growing.h"
#include "text/output_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** What stands before the hash in a line. Strings of JSON cannot have it: their quotes have backslashes. */
static const char key[] = "\"record_hash\":\"";

/** The hash of a line; false: it has none. */
static bool find_hash(const char *line, uint64_t *hash)
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
        const bool is_foreign = whole != NULL && !find_hash(line, &hash);
        cJSON_Delete(whole);
        return !is_foreign;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/** Reads all lines. Copies those that count to `copy`, unless it is NULL. */
static hf_status read_lines(struct hf_finished *finished, const char *path, FILE *file,
                            struct hf_output_file *copy, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *line = NULL;
    size_t room = 0;
    int64_t n_line = 0;
    ssize_t n;
    for (; (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n'; n_line++) {
        uint64_t hash = 0;
        if (!find_hash(line, &hash))
            HF_TRY(hf_fail(error, HF_BAD_INPUT,
                           "%s: it has lines that no job with --each has written; expected results "
                           "to add to, or no such file",
                           path));
        const bool failed = strstr(line, "\"success\":false") != NULL;
        if (failed && copy != NULL) continue;
        if (!hf_grow(&finished->hash, finished->n + 1, &finished->room, sizeof hash))
            HF_TRY(hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path));
        finished->hash[finished->n++] = hash;
        finished->n_failed += failed;
        finished->n_byte += (long)n;
        if (copy != NULL) (void)hf_output_file_write(copy, (size_t)n, line);
    }
    if (n > 0 && n_line == 0 && !is_cut(line, (size_t)n))
        status =
            hf_fail(error, HF_BAD_INPUT,
                    "%s: it is no file of results; expected one to add to, or no such file", path);
    else if (n < 0 && !feof(file))
        status = hf_fail(error, HF_NO_RESOURCE, "%s: it cannot be read", path);
cleanup:
    free(line);
    return status;
}

/** The same, and the file is written anew. */
static hf_status copy_lines(struct hf_finished *finished, const char *path, FILE *file,
                            struct hf_error *error)
{
    struct hf_output_file copy;
    hf_status status = HF_OK;
    bool good = hf_output_file_begin(path, &copy);
    if (good) {
        status = read_lines(finished, path, file, &copy, error);
        good = hf_output_file_end(&copy, status == HF_OK);
    }
    if (good || status != HF_OK) return status;
    return hf_fail(error, HF_NO_RESOURCE, "%s: it cannot be written: %s", path, strerror(errno));
}

hf_status hf_finished_read(struct hf_finished *finished, const char *path, bool retry,
                           struct hf_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0 && errno == ENOENT) return HF_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return HF_OK; /* a pipe or a device */
    FILE *file = fopen(path, "r");
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: %s", path, strerror(errno));
    const hf_status status = retry ? copy_lines(finished, path, file, error)
                                   : read_lines(finished, path, file, NULL, error);
    fclose(file);
    if (status != HF_OK || finished->n == 0) return status;
    qsort(finished->hash, (size_t)finished->n, sizeof *finished->hash, compare);
    finished->n_taken = calloc((size_t)finished->n, sizeof *finished->n_taken);
    if (finished->n_taken == NULL) return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path);
    return HF_OK;
}

bool hf_finished_take(struct hf_finished *finished, uint64_t hash)
{
    int64_t low = 0, high = finished->n; /* the first that is not less */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (finished->hash[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == finished->n || finished->hash[low] != hash) return false;
    const int64_t next = low + finished->n_taken[low];
    if (next >= finished->n || finished->hash[next] != hash) return false;
    finished->n_taken[low]++;
    return true;
}

void hf_finished_done(struct hf_finished *finished)
{
    free(finished->hash);
    free(finished->n_taken);
    *finished = (struct hf_finished){0};
}
