/* Messages with lines, and the files; see each_private.h. */
#include "each_private.h"

#include "base/growing.h"
#include "text/output_file.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAG = 1 };

/** A message that may not have arrived. */
struct hf_sending {
    MPI_Request request;
    char *bytes;
};

/** The beginning of a message; name and lines follow. */
struct head {
    double seconds;
    int64_t n_name, n_json, n_xyz, n_csv; /**< bytes without a NUL */
    int32_t n_function, good;
};

static void fail_writing(struct hf_results *self, const char *path)
{
    if (self->status != HF_OK) return;
    self->status = hf_fail(&self->error, HF_NO_RESOURCE, "%.400s: it cannot be written: %s", path,
                           strerror(errno));
}

/** Writes lines and hands them on. `end` is put behind them. */
static void write_lines(struct hf_results *self, FILE *file, const char *path, int64_t n,
                        const char *lines, const char *end)
{
    if (file == NULL || self->status != HF_OK) return;
    if (fwrite(lines, 1, (size_t)n, file) != (size_t)n || fputs(end, file) == EOF ||
        fflush(file) != 0)
        fail_writing(self, path);
}

static void count(struct hf_results_account *account, const struct head *head, const char *name)
{
    account->n_good += head->good;
    account->n_failed += !head->good;
    if (head->seconds > account->slowest_seconds) {
        account->slowest_seconds = head->seconds;
        snprintf(account->slowest, sizeof account->slowest, "%.*s", (int)head->n_name, name);
    }
    if (head->n_function > account->most_functions) {
        account->most_functions = head->n_function;
        snprintf(account->largest, sizeof account->largest, "%.*s", (int)head->n_name, name);
    }
}

/** Writes the result of a message. The JSON line comes last: a restart makes the other files from it. */
static void write_result(struct hf_results *self, const struct head *head, const char *name)
{
    const char *json = name + head->n_name, *xyz = json + head->n_json, *csv = xyz + head->n_xyz;
    count(&self->account, head, name);
    if (self->result != NULL) /* there is a NUL behind the line; names are "input 7" */
        self->result(self->data, atoll(name + strlen("input ")), json);
    write_lines(self, self->xyz, self->files.xyz, head->n_xyz, xyz, "");
    write_lines(self, self->csv, self->files.csv, head->n_csv, csv, "");
    write_lines(self, self->json, self->files.json, head->n_json, json, "\n");
    hf_each_tell_progress(&self->progress, &self->account);
}

/** Frees messages that have arrived; waits for all of them if `all`. */
static void release(struct hf_results *self, bool all)
{
    int n = 0;
    for (int i = 0; i < self->n_sending; i++) {
        struct hf_sending *sending = &self->sending[i];
        int arrived = 1;
        if (all)
            MPI_Wait(&sending->request, MPI_STATUS_IGNORE);
        else
            MPI_Test(&sending->request, &arrived, MPI_STATUS_IGNORE);
        if (arrived)
            free(sending->bytes);
        else
            self->sending[n++] = *sending;
    }
    self->n_sending = n;
}

static int64_t length(const char *text)
{
    return text != NULL ? (int64_t)strlen(text) : 0;
}

hf_status hf_results_add(struct hf_results *self, const char *name,
                         const struct hf_molecule_result *result, struct hf_error *error)
{
    const struct head head = {result->seconds,     length(name),        length(result->json),
                              length(result->xyz), length(result->csv), result->n_function,
                              result->good};
    const char *const part[] = {name, result->json, result->xyz, result->csv};
    const int64_t n_part[] = {head.n_name, head.n_json, head.n_xyz, head.n_csv};
    const size_t n = sizeof head + (size_t)(head.n_name + head.n_json + head.n_xyz + head.n_csv);
    char *bytes = calloc(1, n + 1), *at = bytes + sizeof head;
    release(self, false);
    if (bytes == NULL || n > INT32_MAX ||
        !hf_grow(&self->sending, self->n_sending + 1, &self->sending_room, sizeof *self->sending)) {
        free(bytes);
        return hf_fail(error, HF_NO_RESOURCE, "%.400s: out of memory for its result", name);
    }
    memcpy(bytes, &head, sizeof head);
    for (int i = 0; i < 4; at += n_part[i++])
        if (n_part[i] > 0) memcpy(at, part[i], (size_t)n_part[i]);
    if (self->context->rank == 0) {
        write_result(self, &head, bytes + sizeof head);
        free(bytes);
        return HF_OK;
    }
    struct hf_sending *sending = &self->sending[self->n_sending++];
    sending->bytes = bytes;
    MPI_Isend(bytes, (int)n, MPI_BYTE, 0, TAG, self->comm, &sending->request);
    self->n_added++;
    return HF_OK;
}

void hf_results_take(struct hf_results *self)
{
    if (self->context->rank != 0) return;
    for (;;) {
        int there, n;
        MPI_Message message;
        MPI_Status about;
        MPI_Improbe(MPI_ANY_SOURCE, TAG, self->comm, &there, &message, &about);
        if (!there) return;
        MPI_Get_count(&about, MPI_BYTE, &n);
        char *bytes = calloc(1, (size_t)n + 1);
        if (bytes == NULL) MPI_Abort(MPI_COMM_WORLD, (int)HF_NO_RESOURCE); /* nobody can be told */
        MPI_Mrecv(bytes, n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        struct head head;
        memcpy(&head, bytes, sizeof head);
        write_result(self, &head, bytes + sizeof head);
        free(bytes);
        self->n_received++;
    }
}

hf_status hf_results_collect(struct hf_results *self, struct hf_error *error)
{
    int64_t n_all = 0;
    MPI_Reduce(&self->n_added, &n_all, 1, MPI_INT64_T, MPI_SUM, 0, self->comm);
    while (self->context->rank == 0 && self->n_received < n_all) {
        hf_results_take(self);
        sched_yield();
    }
    release(self, true);
    if (self->status != HF_OK && error != NULL) *error = self->error;
    return hf_agree(self->comm, self->status, error);
}

/** Makes xyz and csv again from the JSON lines of earlier runs. */
static void remake(struct hf_results *self)
{
    FILE *json = self->xyz != NULL || self->csv != NULL ? fopen(self->files.json, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    if (self->csv != NULL) fputs(hf_csv_head, self->csv);
    while (json != NULL && getline(&line, &room, json) > 0) {
        cJSON *root = cJSON_Parse(line);
        if (self->xyz != NULL) hf_xyz_print(self->xyz, root, self->files.hartree);
        if (self->csv != NULL) hf_csv_print(self->csv, root);
        cJSON_Delete(root);
    }
    free(line);
    if (json != NULL) fclose(json);
    if (self->xyz != NULL && fflush(self->xyz) != 0) fail_writing(self, self->files.xyz);
    if (self->csv != NULL && fflush(self->csv) != 0) fail_writing(self, self->files.csv);
}

/** Whether the name is still that of the open file; another job may have written it anew. */
static bool has_name(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static bool is_regular(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

/** Opens a file to add to and locks it, as two jobs that write one file would mix their results. The lock lasts until the
 *  file is closed. Pipes, devices, and files of file systems without locks are used without. NULL: it is not wanted. */
static hf_status open_locked(FILE **file, const char *path, struct hf_error *error)
{
    if (*file != NULL) fclose(*file);
    *file = NULL;
    if (path == NULL) return HF_OK;
    do {
        if (*file != NULL) fclose(*file);
        *file = fopen(path, "a");
        if (*file == NULL)
            return hf_fail(error, HF_BAD_INPUT, "%.400s: it cannot be written: %s", path,
                           strerror(errno));
        const int descriptor = fileno(*file);
        if (!is_regular(descriptor)) return HF_OK;
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return hf_fail(error, HF_BAD_INPUT, "%.400s: another job writes to it", path);
    } while (!has_name(fileno(*file), path));
    return HF_OK;
}

/** Keeps the first bytes of a file; all that a pipe has got is gone. */
static void keep_bytes(struct hf_results *self, FILE *file, const char *path, long n_byte)
{
    if (file != NULL && ftruncate(fileno(file), n_byte) != 0 && errno != EINVAL)
        fail_writing(self, path);
}

static hf_status open_all(struct hf_results *self, const struct hf_each_records *retry,
                          struct hf_finished *finished, struct hf_error *error)
{
    const struct hf_results_files *files = &self->files;
    HF_CHECK(open_locked(&self->json, files->json, error));
    HF_CHECK(open_locked(&self->xyz, files->xyz, error));
    HF_CHECK(open_locked(&self->csv, files->csv, error));
    if (files->json == NULL) return HF_OK; /* in memory */
    HF_CHECK(hf_finished_read(finished, files->json, error));
    if (retry != NULL) {
        HF_CHECK(hf_each_drop_failures(retry, self->context->interruption, finished, files->json,
                                       error));
        HF_CHECK(open_locked(&self->json, files->json, error)); /* it was written anew */
    }
    keep_bytes(self, self->json, files->json, finished->n_byte);
    keep_bytes(self, self->xyz, files->xyz, 0);
    keep_bytes(self, self->csv, files->csv, 0);
    remake(self);
    if (self->status != HF_OK && error != NULL) *error = self->error;
    return self->status;
}

hf_status hf_results_open(struct hf_results *self, struct hf_context *context,
                          const struct hf_results_files *files, const struct hf_each_records *retry,
                          struct hf_finished *finished, struct hf_error *error)
{
    hf_status status = HF_OK;
    int level;
    self->context = context;
    self->files = *files;
    MPI_Comm_dup(context->comm, &self->comm);
    MPI_Query_thread(&level);
    self->from_any_thread = level == MPI_THREAD_MULTIPLE;
    if (context->rank == 0) status = open_all(self, retry, finished, error);
    return hf_agree(context->comm, status, error);
}

void hf_results_close(struct hf_results *self)
{
    FILE *const file[] = {self->json, self->xyz, self->csv};
    for (int i = 0; i < 3; i++)
        if (file[i] != NULL) fclose(file[i]);
    free(self->sending);
    if (self->context != NULL) MPI_Comm_free(&self->comm);
    *self = (struct hf_results){.json = NULL};
}
