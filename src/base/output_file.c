/* Files that appear whole; see output_file.h. */
#include "hf/output_file.h"

#include <errno.h>
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

/** Gives names and memory back; errno stays. */
static void forget(struct hf_output_file *file)
{
    const int why = errno;
    if (file->temporary != NULL) unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    *file = (struct hf_output_file){0};
    errno = why;
}

bool hf_output_file_begin(const char *path, struct hf_output_file *file)
{
    *file = (struct hf_output_file){.target = final_path(path)};
    errno = 0;
    if (file->target == NULL) {
        errno = ENOMEM;
        return false;
    }
    if (is_special(file->target)) {
        file->stream = fopen(file->target, "w");
    } else {
        const int descriptor = open_beside(file->target, &file->temporary);
        if (descriptor >= 0 && open_to_others(descriptor) == 0)
            file->stream = fdopen(descriptor, "w");
        if (descriptor >= 0 && file->stream == NULL) close(descriptor);
    }
    if (file->stream == NULL) forget(file);
    return file->stream != NULL;
}

bool hf_output_file_end(struct hf_output_file *file, bool good)
{
    errno = 0;
    bool done = fclose(file->stream) == 0 && good;
    if (done && file->temporary != NULL) {
        done = rename(file->temporary, file->target) == 0;
        if (done) file->temporary[0] = '\0'; /* nothing has that name any more */
    }
    forget(file);
    return done;
}

/** What rank 0 finds. */
static hf_status look(const char *path, const char *what, const char *option,
                      struct hf_error *error)
{
    struct stat file;
    if (path[0] == '\0')
        return hf_fail(error, HF_BAD_INPUT, "%s: expected the name of a file", option);
    if (stat(path, &file) == 0) {
        if (S_ISDIR(file.st_mode))
            return hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be written: it is a directory", path,
                           what);
        if (access(path, W_OK) != 0)
            return hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be written: %s", path, what,
                           strerror(errno));
        if (!S_ISREG(file.st_mode)) return HF_OK;
    }
    char *temporary = NULL, *target = final_path(path);
    const int descriptor = target != NULL ? open_beside(target, &temporary) : -1;
    hf_status status = HF_OK;
    if (descriptor < 0) {
        status = hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be written: %s", path, what,
                         strerror(errno));
    } else {
        close(descriptor);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    return status;
}

hf_status hf_output_file_check(struct hf_context *context, const char *path, const char *what,
                               const char *option, struct hf_error *error)
{
    const hf_status status = context->rank == 0 ? look(path, what, option, error) : HF_OK;
    return hf_agree(context->comm, status, error);
}
