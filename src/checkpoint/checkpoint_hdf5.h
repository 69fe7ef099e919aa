/* Inside the checkpoint: what is written to and read from HDF5, with failures that stick, so that a
 * list of datasets can be written or read and looked at once in the end.
 *
 * Only the plainest of HDF5 is used: groups, and contiguous datasets of 64-bit reals, 32-bit integers
 * and texts of fixed length, each with an attribute "about" and, where there is one, "units". A reader
 * that takes nothing else opens no other file, runs no filter and converts nothing. */
#ifndef HF_CHECKPOINT_HDF5_H
#define HF_CHECKPOINT_HDF5_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/hdf5_writer.h"
#include "checkpoint_file.h"
#include "checkpoint_layout.h"

/** Access to a file in memory whose bytes are `image` [n_byte] (copied) or, with n_byte 0, none yet.
 *  To be closed with H5Pclose; negative when it fails. */
hid_t hf_hdf5_memory_access(size_t n_byte, const void *image);
/** How the numbers of a field lie in a file. */
hid_t hf_hdf5_stored_type(enum hf_field_type type);
/** Datasets; `about` and `units` may be NULL. A NULL text and arrays without rows are not written. */
void hf_hdf5_put_text(struct hf_hdf5_writer *writer, const char *path, const char *text,
                      const char *about);
/** Values [n_row][field->width] of a field, or with n_row -1 [width]. */
void hf_hdf5_put_numbers(struct hf_hdf5_writer *writer, const struct hf_field *field, int n_row,
                         const double values[]);
/** Every field of the structs `rows` [n_row], or with n_row -1 of the only one. */
void hf_hdf5_put_fields(struct hf_hdf5_writer *writer, const struct hf_fields *fields, int n_row,
                        const void *rows);
/** Opens a file to add to it. A failure sets writer->failed. Closes `access`. */
void hf_hdf5_open(struct hf_hdf5_writer *writer, const char *path, hid_t access);
/** The same group as in another file, if it is there. */
void hf_hdf5_copy_group(struct hf_hdf5_writer *writer, hid_t from, const char *path);
/** What stays open of a checkpoint while its matrices may be read. */
struct hf_checkpoint_file {
    hid_t file;
    char *name;
    double bytes;
};

/** A checkpoint that is being written. */
struct hf_checkpoint_addition {
    struct hf_context *context;
    const char *path; /**< borrowed */
    struct hf_part_file file;
    struct hf_hdf5_writer writer; /**< on rank 0 */
    hid_t dataset;                /**< of the matrix that is being written */
};

/** Writes a matrix (NULL: none). Failures of rank 0 stay in its writer. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_checkpoint_put_matrix(struct hf_checkpoint_addition *self, const char *path,
                                   const struct hf_matrix *matrix, const char *units,
                                   const char *about, struct hf_error *error) HF_MUST_CHECK;

/** As hf_checkpoint_add_end, but frees nothing. */
hf_status hf_checkpoint_close(struct hf_checkpoint_addition *self, hf_status status,
                              struct hf_error *error) HF_MUST_CHECK;

/** Writes everything but the matrices. */
void hf_checkpoint_put_description(struct hf_hdf5_writer *writer,
                                   const struct hf_checkpoint *checkpoint);

/** Atoms or shells of a file at most: their electrons and functions are an int. */
enum { HF_HDF5_MOST_ROWS = 10000000 };

/** A file being read; the first failure stays. */
struct hf_hdf5_reader {
    hid_t file;
    const char *name;  /**< for messages, like `kind` */
    const char *kind;  /**< "checkpoint", or what else it is */
    double file_bytes; /**< no dataset can be larger */
    hf_status status;
    struct hf_error *error;
    struct hf_arena *arena; /**< gets what is read */
    struct hf_hdf5_silence silence;
};

/** Remembers a failure "NAME: damaged checkpoint: WHAT" unless there is one already. */
void hf_hdf5_damaged(struct hf_hdf5_reader *reader, const char *format, ...) HF_PRINTF(2, 3);

/** Remembers that there was no memory for something. */
void hf_hdf5_no_memory(struct hf_hdf5_reader *reader, const char *what);

/** Remembers what is wrong with the basis that was made from what was read, in the words of the library. */
void hf_hdf5_check_made(struct hf_hdf5_reader *reader, hf_status status,
                        const struct hf_error *error);

/** Attributes of a group; "" or -1 when there is no such text or integer. */
void hf_hdf5_get_group_text(struct hf_hdf5_reader *reader, const char *group, const char *name,
                            size_t size, char text[]);
int hf_hdf5_get_group_integer(struct hf_hdf5_reader *reader, const char *group, const char *name);

/** Whether a path leads to something in this file. */
bool hf_hdf5_has(struct hf_hdf5_reader *reader, const char *path);
/** A text; NULL after a failure. */
char *hf_hdf5_get_text(struct hf_hdf5_reader *reader, const char *path);
/** Numbers as they are put, n_row rows exactly, in the range of the field. NULL after a failure, or without
 *  rows. */
double *hf_hdf5_get_numbers(struct hf_hdf5_reader *reader, struct hf_arena *arena,
                            const struct hf_field *field, int n_row);
/** Fields as they are put. What could not be read stays as it was. */
void hf_hdf5_get_fields(struct hf_hdf5_reader *reader, const struct hf_fields *fields, int n_row,
                        void *rows);
/** Structs of which there are least to most; as many as the first field has rows, 0 where it is missing.
 *  NULL after a failure or without rows, *n_row is 0 then. */
void *hf_hdf5_get_table(struct hf_hdf5_reader *reader, const struct hf_fields *fields, int least,
                        int most, int *n_row);
/** Rows of a field; 0 when it is not there or after a failure. */
int hf_hdf5_count_rows(struct hf_hdf5_reader *reader, const struct hf_field *field);
/** Notes as damaged a number that is not from least to most. */
void hf_hdf5_expect(struct hf_hdf5_reader *reader, const char *path, double value, double least,
                    double most);
/** Shape of a matrix of reals; false: there is none. */
bool hf_hdf5_get_shape(struct hf_hdf5_reader *reader, const char *path, int *n_row, int *n_col);
/** Looks whether there is a matrix [n_row][n_col] of reals; with `numbers` reads all of it. */
void hf_hdf5_check_matrix(struct hf_hdf5_reader *reader, const char *path, int n_row, int n_col,
                          bool numbers);
/** A part of a matrix. */
struct hf_hdf5_block {
    int first_row, n_row, first_col, n_col;
};
void hf_hdf5_get_block(struct hf_hdf5_reader *reader, const char *path,
                       const struct hf_hdf5_block *block, double values[]);
/** Rows first .. first+n-1 of a matrix of n_col columns. */
void hf_hdf5_get_rows(struct hf_hdf5_reader *reader, const char *path, int n_col, int first, int n,
                      double rows[]);

/** Looks whether the matrices of a checkpoint are there; with `numbers` reads all of them. */
void hf_checkpoint_check_matrices(struct hf_hdf5_reader *reader,
                                  const struct hf_checkpoint *checkpoint, bool numbers);
/** To read more of a checkpoint; HDF5 is silent until hf_hdf5_reader_end, which returns the status of what was read. */
struct hf_hdf5_reader hf_checkpoint_reader(const struct hf_checkpoint *checkpoint,
                                           struct hf_error *error);
hf_status hf_hdf5_reader_end(const struct hf_hdf5_reader *reader);
/** The hf_scf_restart.read of a checkpoint, which is `data`. */
hf_status hf_checkpoint_read_rows(void *data, enum hf_restart_matrix which, int index, int spin,
                                  int first, int n, double rows[], struct hf_error *error);

/** Whether it is a TREXIO file. */
bool hf_trexio_begins(struct hf_hdf5_reader *reader);
/** Fills a checkpoint as hf_checkpoint_load_orbitals says. */
void hf_trexio_read(struct hf_hdf5_reader *reader, struct hf_checkpoint *self);
/** Rows of its orbitals of a spin, as hf_scf_restart.read. */
void hf_trexio_get_rows(struct hf_hdf5_reader *reader, const struct hf_checkpoint *self, int spin,
                        int first, int n, double rows[]);

/** Calls `visit` with the name of every link of a group until it returns false. */
void hf_hdf5_visit(struct hf_hdf5_reader *reader, const char *group,
                   bool (*visit)(void *data, const char *name), void *data);

#endif
