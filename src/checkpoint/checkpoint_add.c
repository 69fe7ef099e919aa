/* Matrices that are added to a checkpoint after the calculation of its orbitals, and their way back. The file is copied,
 * the copy gets them, and then takes the place of the file. Rank 0 reads and writes, a piece at a time. */
#include "checkpoint_hdf5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 17 /**< numbers of a piece, or one row */ };

bool hf_checkpoint_is_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    const bool begins = stream != NULL && hf_hdf5_begins(stream);
    if (stream != NULL) fclose(stream);
    return begins;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/** Appends a whole file to a descriptor. 0 or an errno. */
static int copy_file(const char *path, int to)
{
    enum { SIZE = 1 << 16 };
    char bytes[SIZE];
    int why = 0;
    FILE *from = fopen(path, "rb");
    if (from == NULL) return errno;
    errno = 0;
    for (size_t n = fread(bytes, 1, SIZE, from); n > 0 && why == 0; n = fread(bytes, 1, SIZE, from))
        for (size_t done = 0; done < n && why == 0;) {
            const ssize_t written = write(to, bytes + done, n - done);
            if (written > 0)
                done += (size_t)written;
            else if (errno != EINTR)
                why = errno != 0 ? errno : EIO;
        }
    if (why == 0 && ferror(from)) why = EIO;
    fclose(from);
    return why;
}

/** Rank 0's part of the beginning. */
static hf_status begin_group(struct hf_checkpoint_addition *self, const char *group,
                             const char *about, struct hf_error *error)
{
    struct stat file;
    if (stat(self->path, &file) != 0) return hf_part_file_fail(self->path, errno, error);
    HF_CHECK(hf_part_file_begin(self->path, (double)file.st_size, &self->file, error));
    const int why = copy_file(self->path, self->file.descriptor);
    if (why != 0) {
        struct hf_error ignored;
        (void)!hf_part_file_end(&self->file, false, &ignored);
        return hf_part_file_fail(self->path, why, error);
    }
    hf_hdf5_open(&self->writer, self->file.part, hf_hdf5_disk_access());
    if (!self->writer.failed && H5Lexists(self->writer.file, group, H5P_DEFAULT) > 0 &&
        H5Ldelete(self->writer.file, group, H5P_DEFAULT) < 0)
        self->writer.failed = true;
    hf_hdf5_put_group(&self->writer, group, about);
    return HF_OK;
}

hf_status hf_checkpoint_add_begin(struct hf_context *context, const char *path, const char *group,
                                  const char *about, struct hf_checkpoint_addition **addition,
                                  struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    struct hf_checkpoint_addition *self = *addition = calloc(1, sizeof *self);
    if (self == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a checkpoint");
    HF_TRY(hf_agree(context->comm, status, error));
    *self = (struct hf_checkpoint_addition){
        .context = context, .path = path, .writer = {.file = -1}, .dataset = -1};
    if (context->rank == 0) status = begin_group(self, group, about, error);
    status = hf_agree(context->comm, status, error);
cleanup:
    hf_hdf5_silence_end(silence);
    if (status != HF_OK) {
        free(*addition);
        *addition = NULL;
    }
    return status;
}

/** hf_matrix_rows_function */
static hf_status put_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct hf_checkpoint_addition *self = data;
    (void)error; /* reported once, at the end */
    if (!self->writer.failed) hf_hdf5_put_rows(&self->writer, self->dataset, first, n, rows);
    return HF_OK;
}

static void begin_matrix(struct hf_checkpoint_addition *self, const char *name, int n_row,
                         int n_col, const char *units, const char *about)
{
    self->dataset = -1;
    if (self->context->rank == 0)
        self->dataset = hf_hdf5_put_matrix(&self->writer, name, n_row, n_col, units, about);
}

static void end_matrix(struct hf_checkpoint_addition *self)
{
    if (self->dataset >= 0 && H5Dclose(self->dataset) < 0) self->writer.failed = true;
    self->dataset = -1;
}

hf_status hf_checkpoint_put_matrix(struct hf_checkpoint_addition *self, const char *path,
                                   const struct hf_matrix *matrix, const char *units,
                                   const char *about, struct hf_error *error)
{
    if (matrix == NULL) return HF_OK;
    begin_matrix(self, path, hf_matrix_n_row(matrix), hf_matrix_n_col(matrix), units, about);
    const hf_status status = hf_matrix_send_rows(matrix, put_rows, self, error);
    end_matrix(self);
    return status;
}

hf_status hf_checkpoint_add_matrix(struct hf_checkpoint_addition *addition, const char *name,
                                   const struct hf_matrix *matrix, const char *units,
                                   const char *about, struct hf_error *error)
{
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    const hf_status status = hf_checkpoint_put_matrix(addition, name, matrix, units, about, error);
    hf_hdf5_silence_end(silence);
    return status;
}

/** Rows of a piece. */
static int rows_of_piece(int n_row, int n_col)
{
    const int n = n_col < PIECE ? PIECE / n_col : 1;
    return n < n_row ? n : n_row;
}

hf_status hf_checkpoint_add_shares(struct hf_checkpoint_addition *addition, const char *name,
                                   int n_row, int n_col, const char *units, const char *about,
                                   hf_checkpoint_give *give, const void *data,
                                   struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = addition->context;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    const int most = rows_of_piece(n_row, n_col);
    struct hf_arena arena = {.label = "rows of a checkpoint"};
    double *rows = HF_TAKE(&arena, rows, (size_t)most * (size_t)n_col);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    begin_matrix(addition, name, n_row, n_col, units, about);
    for (int first = 0; first < n_row; first += most) {
        const int n = n_row - first < most ? n_row - first : most;
        const size_t size = (size_t)n * (size_t)n_col;
        memset(rows, 0, size * sizeof *rows);
        if (give != NULL)
            give(data, first, n, rows);
        else if (context->rank == 0)
            memcpy(rows, (const double *)data + (size_t)first * (size_t)n_col, size * sizeof *rows);
        hf_sum_over_ranks(context->comm, size, rows); /* of one number and zeros */
        if (context->rank == 0) (void)!put_rows(addition, first, n, rows, error);
    }
    end_matrix(addition);
cleanup:
    hf_arena_done(&arena);
    hf_hdf5_silence_end(silence);
    return status;
}

hf_status hf_checkpoint_close(struct hf_checkpoint_addition *self, hf_status status,
                              struct hf_error *error)
{
    if (self->context->rank == 0) {
        struct hf_error ignored;
        hf_hdf5_close(&self->writer);
        if (status == HF_OK && self->writer.failed)
            status = hf_part_file_fail(self->path, self->writer.why, error);
        const bool good = status == HF_OK;
        const hf_status ended = hf_part_file_end(&self->file, good, good ? error : &ignored);
        if (good) status = ended;
    }
    return hf_agree(self->context->comm, status, error);
}

hf_status hf_checkpoint_add_end(struct hf_checkpoint_addition **addition, hf_status status,
                                struct hf_error *error)
{
    if (*addition == NULL) return status;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    status = hf_checkpoint_close(*addition, status, error);
    hf_hdf5_silence_end(silence);
    free(*addition);
    *addition = NULL;
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool hf_checkpoint_added(const struct hf_checkpoint *checkpoint, const char *name, int *n_row,
                         int *n_col)
{
    struct hf_error error;
    struct hf_hdf5_reader reader = hf_checkpoint_reader(checkpoint, &error);
    const bool found = hf_hdf5_get_shape(&reader, name, n_row, n_col);
    (void)hf_hdf5_reader_end(&reader);
    return found;
}

hf_status hf_checkpoint_added_rows(const struct hf_checkpoint *checkpoint, const char *name,
                                   int n_col, int first, int n, double rows[],
                                   struct hf_error *error)
{
    struct hf_hdf5_reader reader = hf_checkpoint_reader(checkpoint, error);
    hf_hdf5_get_rows(&reader, name, n_col, first, n, rows);
    return hf_hdf5_reader_end(&reader);
}

hf_status hf_checkpoint_added_shares(struct hf_context *context,
                                     const struct hf_checkpoint *checkpoint, const char *name,
                                     int n_row, int n_col, hf_checkpoint_take *take, void *data,
                                     struct hf_error *error)
{
    hf_status status;
    const int most = rows_of_piece(n_row, n_col);
    struct hf_arena arena = {.label = "rows of a checkpoint"};
    double *rows = HF_TAKE(&arena, rows, (size_t)most * (size_t)n_col);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    for (int first = 0; first < n_row; first += most) {
        const int n = n_row - first < most ? n_row - first : most;
        if (context->rank == 0)
            status = hf_checkpoint_added_rows(checkpoint, name, n_col, first, n, rows, error);
        HF_TRY(hf_agree(context->comm, status, error));
        hf_broadcast_bytes(context->comm, 0, (size_t)n * (size_t)n_col * sizeof *rows, rows);
        if (take != NULL)
            take(data, first, n, rows);
        else
            memcpy((double *)data + (size_t)first * (size_t)n_col, rows,
                   (size_t)n * (size_t)n_col * sizeof *rows);
    }
cleanup:
    hf_arena_done(&arena);
    return status;
}
