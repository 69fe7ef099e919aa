/* The file side of the JSON writer: looked at before the run, written beside its name, renamed. */
#include "hf/output.h"

#include "json_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Name the file really has: a symbolic link stays one, its target is replaced. Freed by the
 * caller; NULL without memory. */
static char *final_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    return resolved != NULL ? resolved : strdup(path);
}

/** Opens a new file beside `path`; its name, owned by the caller, goes to *temporary. */
static int open_beside(const char *path, char **temporary)
{
    const size_t size = strlen(path) + sizeof ".XXXXXX";
    *temporary = malloc(size);
    if (*temporary == NULL) return -1;
    snprintf(*temporary, size, "%s.XXXXXX", path);
    return mkstemp(*temporary);
}

/** A device or a pipe is written to as it is; replacing /dev/null by a file would be a bad joke. */
static bool is_special(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode);
}

/** Makes the mode what fopen would have given: mkstemp's is private to the owner. */
static int open_to_others(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor, 0666 & ~mask);
}

/** Writes and closes; false with errno set when any step fails. */
static bool write_and_close(FILE *file, const char *text)
{
    const bool written = fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    return fclose(file) == 0 && written;
}

static bool write_special(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    return file != NULL && write_and_close(file, text);
}

static bool write_and_rename(const char *path, const char *text)
{
    char *temporary = NULL;
    const int descriptor = open_beside(path, &temporary);
    bool done = false;
    if (descriptor >= 0) {
        FILE *file = open_to_others(descriptor) == 0 ? fdopen(descriptor, "w") : NULL;
        if (file == NULL) close(descriptor);
        done = file != NULL && write_and_close(file, text) && rename(temporary, path) == 0;
        if (!done) {
            const int why = errno;
            unlink(temporary);
            errno = why;
        }
    }
    free(temporary);
    return done;
}

hf_status hf_json_save(const char *path, const cJSON *root, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *text = cJSON_Print(root);
    char *target = final_path(path);
    if (text == NULL || target == NULL) {
        status =
            hf_fail(error, HF_NO_RESOURCE, "%s: out of memory while writing the JSON file", path);
    } else {
        errno = 0;
        const bool written =
            is_special(target) ? write_special(target, text) : write_and_rename(target, text);
        if (!written)
            status = hf_fail(error, HF_NO_RESOURCE, "%s: the JSON file cannot be written: %s", path,
                             strerror(errno));
    }
    cJSON_free(text);
    free(target);
    return status;
}

/** What rank 0 finds. */
static hf_status look_at_path(const char *path, struct hf_error *error)
{
    struct stat file;
    if (path[0] == '\0') return hf_fail(error, HF_BAD_INPUT, "--json: expected the name of a file");
    if (stat(path, &file) == 0) {
        if (S_ISDIR(file.st_mode))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: the JSON file cannot be written: it is a directory", path);
        if (access(path, W_OK) != 0)
            return hf_fail(error, HF_BAD_INPUT, "%s: the JSON file cannot be written: %s", path,
                           strerror(errno));
        if (!S_ISREG(file.st_mode)) return HF_OK;
    }
    char *temporary = NULL, *target = final_path(path);
    const int descriptor = target != NULL ? open_beside(target, &temporary) : -1;
    hf_status status = HF_OK;
    if (descriptor < 0) {
        status = hf_fail(error, HF_BAD_INPUT, "%s: the JSON file cannot be written: %s", path,
                         strerror(errno));
    } else {
        close(descriptor);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    return status;
}

hf_status hf_json_check_path(struct hf_context *context, const char *path, struct hf_error *error)
{
    const hf_status status = context->rank == 0 ? look_at_path(path, error) : HF_OK;
    return hf_agree(context->comm, status, error);
}

hf_status hf_json_write_failure(const char *path, const char *error_type, const char *message,
                                struct hf_error *error)
{
    cJSON *root = cJSON_CreateObject();
    const bool built = root != NULL && hf_json_add_identity(root) &&
                       cJSON_AddFalseToObject(root, "success") != NULL &&
                       hf_json_add_error(root, error_type, message);
    const hf_status status = built ? hf_json_save(path, root, error)
                                   : hf_fail(error, HF_NO_RESOURCE,
                                             "%s: out of memory while writing the JSON file", path);
    cJSON_Delete(root);
    return status;
}
