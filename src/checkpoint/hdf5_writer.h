/* Writing to HDF5, with failures that stick, so that a list of datasets can be written and looked at once in the end. */
#ifndef HF_HDF5_WRITER_H
#define HF_HDF5_WRITER_H

#include <hdf5.h>
#include <stdbool.h>

/** Turns the messages of HDF5 off and on again: a program that also uses HDF5 may need them. */
struct hf_hdf5_silence {
    H5E_auto2_t function;
    void *data;
};
struct hf_hdf5_silence hf_hdf5_silence_begin(void);
void hf_hdf5_silence_end(struct hf_hdf5_silence silence);

/** A file being written. */
struct hf_hdf5_writer {
    hid_t file;
    bool failed;
    /** as the library of TREXIO writes: texts of attributes end with 0, integers have 64 bits */
    bool trexio;
    int why; /**< errno of the first failure, as far as there is one */
};

/** Access to a file on disk; to be closed in the same way. */
hid_t hf_hdf5_disk_access(void);
/** New file; replaces a file of that name. A failure sets writer->failed. Closes `access`. */
void hf_hdf5_create(struct hf_hdf5_writer *writer, const char *path, hid_t access);

void hf_hdf5_put_group(struct hf_hdf5_writer *writer, const char *path, const char *about);
/** Attributes of the group at a path. A NULL text is not written. */
void hf_hdf5_put_group_text(struct hf_hdf5_writer *writer, const char *path, const char *name,
                            const char *text);
void hf_hdf5_put_group_integer(struct hf_hdf5_writer *writer, const char *path, const char *name,
                               int value);
void hf_hdf5_put_group_real(struct hf_hdf5_writer *writer, const char *path, const char *name,
                            double value);
/** Dataset of texts of any length [n_row]. */
void hf_hdf5_put_texts(struct hf_hdf5_writer *writer, const char *path, int n_row,
                       const char *const texts[]);
/** A new dataset [n_row][n_col] of reals to be filled; to be closed with H5Dclose. */
hid_t hf_hdf5_put_matrix(struct hf_hdf5_writer *writer, const char *path, int n_row, int n_col,
                         const char *units, const char *about);
/** Rows first .. first+n-1 of it. */
void hf_hdf5_put_rows(struct hf_hdf5_writer *writer, hid_t dataset, int first, int n,
                      const double rows[]);
/** Flushes and closes. */
void hf_hdf5_close(struct hf_hdf5_writer *writer);

#endif
