/* The file of a checkpoint: a fixed name beside the final one, locked, flushed, renamed. */
#ifdef __linux__
#define _GNU_SOURCE /* fallocate */
#endif

#include "checkpoint_file.h"

#include "checkpoint_layout.h"

#include "text/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".part";

hf_status hf_part_file_fail(const char *path, int why, struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "%.400s: the checkpoint cannot be written: %s", path,
                   why != 0 ? strerror(why) : "HDF5 refuses");
}

static void forget(struct hf_part_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    free(file->target);
    free(file->part);
    *file = (struct hf_part_file){.descriptor = -1};
}

static bool find_names(const char *path, struct hf_part_file *file)
{
    file->target = hf_final_path(path);
    if (file->target == NULL) return false;
    const size_t size = strlen(file->target) + sizeof suffix;
    file->part = malloc(size);
    if (file->part != NULL) snprintf(file->part, size, "%s%s", file->target, suffix);
    return file->part != NULL;
}

/** Opens and locks the part file. It must still have its name then: the run that had the lock may have
 *  renamed it in between. Returns 0 or an errno. Folders that know no locks do without. */
static int lock(struct hf_part_file *file)
{
    struct stat here, named;
    file->descriptor = open(file->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->descriptor < 0) return errno;
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return EBUSY;
    if (fstat(file->descriptor, &here) != 0) return errno;
    if (stat(file->part, &named) != 0) return errno;
    if (!S_ISREG(here.st_mode)) return EINVAL;
    return here.st_ino == named.st_ino && here.st_dev == named.st_dev ? 0 : EBUSY;
}

/** Room on the disk for so many bytes from the file's beginning; its length stays. 0 or an errno. */
static int reserve(int descriptor, double bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > (double)limit.rlim_cur)
        return EFBIG;
#ifdef __linux__
    if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
        return errno;
#endif
    return 0;
}

hf_status hf_part_file_begin(const char *path, double bytes, struct hf_part_file *file,
                             struct hf_error *error)
{
    *file = (struct hf_part_file){.descriptor = -1};
    int why = find_names(path, file) ? lock(file) : ENOMEM;
    const bool busy = why == EBUSY;
    if (why == 0 && ftruncate(file->descriptor, 0) != 0) why = errno;
    if (why == 0) {
        why = reserve(file->descriptor, bytes);
        if (why != 0) unlink(file->part);
    }
    if (why != 0) forget(file);
    if (busy)
        return hf_fail(error, HF_NO_RESOURCE,
                       "%.400s: the checkpoint cannot be written: another run is writing it", path);
    return why == 0 ? HF_OK : hf_part_file_fail(path, why, error);
}

void hf_part_file_reserve(const struct hf_part_file *file, double bytes)
{
    (void)reserve(file->descriptor, bytes); /* writing reports missing room */
}

/** A new name is safe once its folder is on the disk. */
static void flush_folder(char *target)
{
    const int folder = open(dirname(target), O_RDONLY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    close(folder);
}

hf_status hf_part_file_end(struct hf_part_file *file, bool good, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (good && (fsync(file->descriptor) != 0 || rename(file->part, file->target) != 0))
        status = hf_part_file_fail(file->target, errno, error);
    if (!good || status != HF_OK) unlink(file->part);
    if (good && status == HF_OK) flush_folder(file->target);
    forget(file);
    return status;
}

hf_status hf_checkpoint_check_target(const char *path, struct hf_error *error)
{
    struct stat file;
    if (stat(path, &file) != 0) return HF_OK;
    if (!S_ISREG(file.st_mode))
        return hf_fail(error, HF_BAD_INPUT,
                       "%.400s: the checkpoint cannot be written: it is a device or a pipe", path);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return HF_OK; /* writing reports a file that cannot be opened */
    const bool replaceable = hf_hdf5_begins(stream) || file.st_size == 0 || ferror(stream);
    fclose(stream);
    if (replaceable) return HF_OK;
    return hf_fail(
        error, HF_BAD_INPUT,
        "%.400s: the checkpoint would replace a file that is no checkpoint; name another", path);
}
