/* Files that appear whole; see output_file.h. */
#include "text/output_file.h"

#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *hf_final_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    return resolved != NULL ? resolved : strdup(path);
}

/** Opens a new file beside `path`; its name, owned by the caller, goes to *temporary. A long name is
 * cut: with six letters more it would be too long for the file system. */
static int open_beside(const char *path, char **temporary)
{
    enum { MOST_NAME = 200 };
    const size_t size = strlen(path) + sizeof ".XXXXXX";
    const char *name = hf_file_name(path);
    *temporary = malloc(size);
    if (*temporary == NULL) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(*temporary, size, "%.*s%.*s.XXXXXX", (int)(name - path), path, MOST_NAME, name);
    return mkstemp(*temporary);
}

bool hf_is_special_file(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode);
}

/** Gives the new file the mode of the old one, or what fopen would have given: mkstemp's is private
 *  to the owner. */
static int set_mode(int descriptor, const char *target)
{
    struct stat old;
    if (stat(target, &old) == 0) return fchmod(descriptor, old.st_mode & 0777);
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor, 0666 & ~mask);
}

/** Removes the temporary file and frees memory; errno becomes the first reason. */
static void forget(struct hf_output_file *file)
{
    const int why = file->why;
    if (file->temporary != NULL) unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    *file = (struct hf_output_file){0};
    errno = why;
}

/** Keeps the reason of the first failure; later calls may fail for other reasons. */
static bool note(struct hf_output_file *file, bool done)
{
    if (!done && file->why == 0) file->why = errno != 0 ? errno : EIO;
    return done;
}

/** Opens a device or a pipe. A FIFO that nobody reads fails with ENXIO: without O_NONBLOCK the call
 *  waits for a reader, for ever if none comes. */
static int open_special(const char *path)
{
    const int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) fcntl(descriptor, F_SETFL, 0); /* writing waits for the reader again */
    return descriptor;
}

/** Opens the target itself or a file beside it. */
static FILE *open_target(struct hf_output_file *file)
{
    if (hf_is_special_file(file->target)) {
        const int special = open_special(file->target);
        return special >= 0 ? fdopen(special, "w") : NULL;
    }
    const int descriptor = open_beside(file->target, &file->temporary);
    if (descriptor < 0) {
        const int why = errno;
        free(file->temporary);
        file->temporary = NULL;
        errno = why;
        return NULL;
    }
    FILE *stream = set_mode(descriptor, file->target) == 0 ? fdopen(descriptor, "w") : NULL;
    note(file, stream != NULL);
    if (stream == NULL) close(descriptor);
    return stream;
}

bool hf_output_file_begin(const char *path, struct hf_output_file *file)
{
    errno = 0;
    *file = (struct hf_output_file){.target = hf_final_path(path)};
    if (file->target != NULL) file->stream = open_target(file);
    if (note(file, file->stream != NULL)) return true;
    forget(file);
    return false;
}

bool hf_output_file_write(struct hf_output_file *file, size_t n_byte, const void *bytes)
{
    errno = 0;
    return file->why == 0 && note(file, fwrite(bytes, 1, n_byte, file->stream) == n_byte);
}

/** Some file systems find out only here that there is no room. */
static bool reaches_disk(struct hf_output_file *file)
{
    if (fflush(file->stream) != 0) return false;
    return file->temporary == NULL || fsync(fileno(file->stream)) == 0 || errno == EINVAL;
}

void hf_output_file_print(struct hf_output_file *file, const char *format, ...)
{
    char line[512];
    va_list arguments;
    if (file->stream == NULL) return;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t length = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    (void)hf_output_file_write(file, length, line);
}

bool hf_output_file_end(struct hf_output_file *file, bool good)
{
    errno = 0;
    bool done = good && file->why == 0 && note(file, reaches_disk(file));
    errno = 0;
    done = note(file, fclose(file->stream) == 0) && done;
    if (done && file->temporary != NULL) {
        done = note(file, rename(file->temporary, file->target) == 0);
        if (done) {
            free(file->temporary); /* nothing has that name any more */
            file->temporary = NULL;
        }
    }
    forget(file);
    return done;
}

static hf_status fail(const struct hf_output_file *file, int why, struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "%s: %s cannot be written: %s", file->path, file->what,
                   strerror(why));
}

hf_status hf_output_file_open(struct hf_context *context, const char *path, const char *what,
                              struct hf_output_file *file, struct hf_error *error)
{
    hf_status status = HF_OK;
    *file = (struct hf_output_file){0};
    const bool failed = context->rank == 0 && !hf_output_file_begin(path, file);
    file->path = path;
    file->what = what;
    if (failed) status = fail(file, errno, error);
    return hf_agree(context->comm, status, error);
}

hf_status hf_output_file_close(struct hf_context *context, struct hf_output_file *file,
                               hf_status status, struct hf_error *error)
{
    const struct hf_output_file was = *file;
    const bool failed =
        file->stream != NULL && !hf_output_file_end(file, status == HF_OK) && errno != 0;
    if (failed && (status == HF_OK || status == HF_NO_RESOURCE)) /* says which file, and why */
        status = fail(&was, errno, error);
    return hf_agree(context->comm, status, error);
}

/** A FIFO that is going to be written. */
struct hf_held_fifo {
    int descriptor;
    struct hf_held_fifo *next;
};

/** Opens a FIFO (or a socket, which no open can write) and keeps it open: a reader whose only writer
 *  goes takes that for the end. */
static hf_status hold(struct hf_context *context, const char *path, const char *what, bool is_fifo,
                      struct hf_error *error)
{
    const int descriptor = open_special(path);
    if (descriptor < 0)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be written: %s", path, what,
                       is_fifo && errno == ENXIO ? "it is a FIFO that nobody reads"
                                                 : strerror(errno));
    struct hf_held_fifo *held = malloc(sizeof *held);
    if (held == NULL) {
        close(descriptor);
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path);
    }
    *held = (struct hf_held_fifo){descriptor, context->held_fifos};
    context->held_fifos = held;
    return HF_OK;
}

void hf_output_files_let_go(struct hf_context *context)
{
    while (context != NULL && context->held_fifos != NULL) {
        struct hf_held_fifo *held = context->held_fifos;
        context->held_fifos = held->next;
        close(held->descriptor);
        free(held);
    }
}

/** What rank 0 finds. */
static hf_status look(struct hf_context *context, const char *path, const char *what,
                      const char *option, struct hf_error *error)
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
        if (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode))
            return hold(context, path, what, S_ISFIFO(file.st_mode), error);
        if (!S_ISREG(file.st_mode)) return HF_OK;
    } else if (errno != ENOENT) {
        return hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be written: %s", path, what,
                       strerror(errno));
    }
    char *temporary = NULL, *target = hf_final_path(path);
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
    const hf_status status = context->rank == 0 ? look(context, path, what, option, error) : HF_OK;
    return hf_agree(context->comm, status, error);
}

/** The folder that a file is to be in. */
static bool look_at_folder(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return stat(".", folder) == 0;
    char *name = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    const bool found = name != NULL && stat(name, folder) == 0;
    free(name);
    return found;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

bool hf_same_file(const char *path, const char *other)
{
    struct stat one, two;
    const bool exists = stat(path, &one) == 0;
    if (exists != (stat(other, &two) == 0)) return false;
    if (exists) return S_ISREG(one.st_mode) && is_same(&one, &two);
    if (strcmp(hf_file_name(path), hf_file_name(other)) != 0) return false;
    return look_at_folder(path, &one) && look_at_folder(other, &two) && is_same(&one, &two);
}

/** What is wrong about two files; the output among them, the later of two, is to blame. */
static hf_status check_pair(const struct hf_run_file *output, const struct hf_run_file *other,
                            struct hf_error *error)
{
    if (!hf_same_file(output->path, other->path)) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "%s: %s is %s as well; expected another file",
                   output->where, output->path, other->what);
}

hf_status hf_output_files_check_apart(int n, const struct hf_run_file file[],
                                      struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < n; i++) /* inputs may be many, and are not compared with each other */
        for (int j = 0; j < n && !file[i].is_input && status == HF_OK; j++)
            if (j < i || (j > i && file[j].is_input))
                status = check_pair(&file[i], &file[j], error);
    return status;
}
