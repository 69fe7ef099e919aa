/* A checkpoint on all ranks: rank 0 copies all but the matrices into a file in memory, whose bytes the
 * others read as they would read a file. */
#include "hf/checkpoint.h"

#include "checkpoint_hdf5.h"
#include "checkpoint_layout.h"

#include <stdlib.h>
#include <string.h>

static void copy(struct hf_hdf5_writer *writer, hid_t from, const char *path)
{
    if (!writer->failed && H5Ocopy(from, path, writer->file, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
        writer->failed = true;
}

static void put_description(struct hf_hdf5_writer *writer, const struct hf_checkpoint *checkpoint)
{
    static const char *const groups[] = {"/molecule", "/basis", "/settings", "/iterations",
                                         "/state"};
    const struct hf_scf_restart *state = &checkpoint->state;
    const hid_t from = checkpoint->file->file;
    char path[HF_CHECKPOINT_PATH];
    hf_hdf5_put_root_text(writer, "format", hf_checkpoint_format);
    hf_hdf5_put_root_integer(writer, "format_version", checkpoint->version);
    hf_hdf5_put_root_text(writer, "program_version", checkpoint->program_version);
    hf_hdf5_put_root_text(writer, "written", checkpoint->written);
    hf_hdf5_put_root_text(writer, "molecule_hash", checkpoint->molecule_hash);
    hf_hdf5_put_root_text(writer, "basis_hash", checkpoint->basis_hash);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) copy(writer, from, groups[i]);
    hf_hdf5_put_group(writer, "/orbitals", NULL);
    for (int k = 0; k < state->n_spin; k++) {
        hf_hdf5_put_group(writer, hf_orbitals_path(state->n_spin, k, "", path), NULL);
        copy(writer, from, hf_orbitals_path(state->n_spin, k, "/energies", path));
        copy(writer, from, hf_orbitals_path(state->n_spin, k, "/occupations", path));
    }
}

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
    const hf_status status = hf_checkpoint_read(path, checkpoint, error);
    if (status != HF_OK) return status;
    hf_hdf5_create(&writer, "description", hf_hdf5_memory_access(0, NULL));
    if (!writer.failed) put_description(&writer, checkpoint);
    *image = take_image(&writer, n_byte);
    hf_hdf5_close(&writer);
    if (*image != NULL) return HF_OK;
    void *room = malloc((size_t)checkpoint->file_bytes); /* more than what is copied */
    const bool damaged = writer.failed && room != NULL;
    free(room);
    if (damaged)
        return hf_fail(error, HF_BAD_INPUT,
                       "%.400s: damaged checkpoint: HDF5 cannot read all of its small arrays",
                       path);
    return hf_fail(error, HF_NO_RESOURCE, "%.400s: out of memory for the checkpoint", path);
}

/** The part of the other ranks. */
static hf_status read_image(size_t n_byte, const void *image, const char *path,
                            struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    const hf_status status = hf_checkpoint_read_description(n_byte, image, path, checkpoint, error);
    if (status != HF_OK) return status;
    H5Fclose(checkpoint->file->file);
    free(checkpoint->file);
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
