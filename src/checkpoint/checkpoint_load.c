/* A checkpoint on all ranks: rank 0 writes all but the matrices into a file in memory, whose bytes the
 * others read as they would read a file. */
#include "checkpoint/checkpoint.h"

#include "checkpoint_hdf5.h"

#include <stdlib.h>

/** The bytes of a file in memory; NULL: that failed. */
static void *take_image(struct hf_hdf5_writer *writer, size_t *n_byte)
{
    if (writer->failed || H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0) return NULL;
    const ssize_t size = H5Fget_file_image(writer->file, NULL, 0);
    void *image = size > 0 ? malloc((size_t)size) : NULL;
    if (image != NULL && H5Fget_file_image(writer->file, image, (size_t)size) == size) {
        *n_byte = (size_t)size;
        return image;
    }
    free(image);
    return NULL;
}

/** Rank 0's part. */
static hf_status make_image(const char *path, struct hf_checkpoint *checkpoint, size_t *n_byte,
                            void **image, struct hf_error *error)
{
    struct hf_hdf5_writer writer;
    HF_CHECK(hf_checkpoint_read(path, checkpoint, error));
    hf_hdf5_create(&writer, "description", hf_hdf5_memory_access(0, NULL));
    if (!writer.failed) hf_checkpoint_put_description(&writer, checkpoint);
    *image = take_image(&writer, n_byte);
    hf_hdf5_close(&writer);
    if (*image != NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "%.400s: out of memory for the checkpoint", path);
}

/** The part of the other ranks. */
static hf_status read_image(size_t n_byte, const void *image, const char *path,
                            struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    HF_CHECK(hf_checkpoint_read_description(n_byte, image, path, checkpoint, error));
    H5Fclose(checkpoint->file->file);
    checkpoint->file = NULL;
    return HF_OK;
}

hf_status hf_checkpoint_load(struct hf_context *context, const char *path,
                             struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    hf_status status = HF_OK;
    void *image = NULL;
    size_t n_byte = 0;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    *checkpoint = (struct hf_checkpoint){0};
    if (context->rank == 0) status = make_image(path, checkpoint, &n_byte, &image, error);
    HF_TRY(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, sizeof n_byte, &n_byte);
    if (context->rank != 0 && (image = malloc(n_byte)) == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "%.400s: out of memory for the checkpoint", path);
    HF_TRY(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, n_byte, image);
    if (context->rank != 0) status = read_image(n_byte, image, path, checkpoint, error);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    free(image);
    hf_hdf5_silence_end(silence);
    if (status != HF_OK) hf_checkpoint_done(checkpoint);
    return status;
}
