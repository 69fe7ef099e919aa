/* Writing to HDF5. */
#include "checkpoint_hdf5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hf_hdf5_silence hf_hdf5_silence_begin(void)
{
    struct hf_hdf5_silence silence = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void hf_hdf5_silence_end(struct hf_hdf5_silence silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

/** What all files have: objects close with their file; headers carry checksums (layout of HDF5 1.8);
 *  and no locks, which network folders refuse: writers lock by themselves. */
static hid_t new_access(H5F_libver_t oldest)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_libver_bounds(access, oldest, H5F_LIBVER_V18);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
#endif
    return access;
}

void hf_checkpoint_leave_open_at_exit(void)
{
    H5dont_atexit();
}

hid_t hf_hdf5_disk_access(void)
{
    return new_access(H5F_LIBVER_V18);
}

hid_t hf_hdf5_memory_access(size_t n_byte, const void *image)
{
    const size_t increment = 1 << 16;
    /* H5Fget_file_image changes a byte of the first block without the checksum that newer ones have */
    const hid_t access = new_access(H5F_LIBVER_EARLIEST);
    const bool backed_by_file = false;
    if (H5Pset_fapl_core(access, increment, backed_by_file) >= 0 &&
        (n_byte == 0 || H5Pset_file_image(access, (void *)image, n_byte) >= 0))
        return access;
    H5Pclose(access);
    return -1;
}

/** Notes a failure and returns whether there was none. */
static bool check(struct hf_hdf5_writer *writer, bool good)
{
    if (!good && !writer->failed) writer->why = errno;
    if (!good) writer->failed = true;
    return good;
}

void hf_hdf5_create(struct hf_hdf5_writer *writer, const char *path, hid_t access)
{
    errno = 0;
    *writer = (struct hf_hdf5_writer){.file = -1};
    if (access >= 0) writer->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    check(writer, writer->file >= 0);
    if (access >= 0) H5Pclose(access);
}

void hf_hdf5_open(struct hf_hdf5_writer *writer, const char *path, hid_t access)
{
    errno = 0;
    *writer = (struct hf_hdf5_writer){.file = -1};
    if (access >= 0) writer->file = H5Fopen(path, H5F_ACC_RDWR, access);
    check(writer, writer->file >= 0);
    if (access >= 0) H5Pclose(access);
}

void hf_hdf5_copy_group(struct hf_hdf5_writer *writer, hid_t from, const char *path)
{
    if (writer->failed || H5Lexists(from, path, H5P_DEFAULT) <= 0) return;
    check(writer, H5Ocopy(from, path, writer->file, path, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/** Type of a text of that length. */
static hid_t text_type(const struct hf_hdf5_writer *writer, size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (writer->trexio) return H5Tset_size(type, length + 1), type;
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

/** Attribute of any object. */
static void put_attribute(struct hf_hdf5_writer *writer, hid_t object, const char *name, hid_t type,
                          const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    check(writer, attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text_attribute(struct hf_hdf5_writer *writer, hid_t object, const char *name,
                               const char *text)
{
    if (text == NULL || writer->failed) return;
    const size_t most = 32000; /* a header holds less than 64 kB */
    const size_t length = strnlen(text, most);
    const hid_t type = text_type(writer, length);
    put_attribute(writer, object, name, type, text);
    H5Tclose(type);
}

/** A group to give an attribute to; negative after a failure. */
static hid_t open_group(struct hf_hdf5_writer *writer, const char *path)
{
    const hid_t group = writer->failed ? -1 : H5Gopen2(writer->file, path, H5P_DEFAULT);
    return check(writer, group >= 0) ? group : -1;
}

void hf_hdf5_put_group_text(struct hf_hdf5_writer *writer, const char *path, const char *name,
                            const char *text)
{
    const hid_t group = open_group(writer, path);
    if (group < 0) return;
    put_text_attribute(writer, group, name, text);
    H5Gclose(group);
}

static void put_number(struct hf_hdf5_writer *writer, const char *path, const char *name,
                       hid_t type, const void *value)
{
    const hid_t group = open_group(writer, path);
    if (group < 0) return;
    put_attribute(writer, group, name, type, value);
    H5Gclose(group);
}

void hf_hdf5_put_group_integer(struct hf_hdf5_writer *writer, const char *path, const char *name,
                               int value)
{
    const int64_t wide = value;
    if (writer->trexio)
        put_number(writer, path, name, H5T_NATIVE_INT64, &wide);
    else
        put_number(writer, path, name, H5T_NATIVE_INT32, &value);
}

void hf_hdf5_put_group_real(struct hf_hdf5_writer *writer, const char *path, const char *name,
                            double value)
{
    put_number(writer, path, name, H5T_NATIVE_DOUBLE, &value);
}

void hf_hdf5_put_group(struct hf_hdf5_writer *writer, const char *path, const char *about)
{
    if (writer->failed) return;
    const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(creation, false);
    const hid_t group = H5Gcreate2(writer->file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    if (!check(writer, group >= 0)) return;
    put_text_attribute(writer, group, "about", about);
    H5Gclose(group);
}

/** New dataset without times, contiguous, written once. Negative after a failure. */
static hid_t create_dataset(struct hf_hdf5_writer *writer, const char *path, hid_t type,
                            hid_t space, const char *units, const char *about)
{
    if (writer->failed) return -1;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    if (H5Tis_variable_str(type) <= 0) H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    const hid_t dataset =
        H5Dcreate2(writer->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    if (!check(writer, dataset >= 0)) return -1;
    put_text_attribute(writer, dataset, "about", about);
    put_text_attribute(writer, dataset, "units", units);
    return dataset;
}

/** A whole dataset; closes the space. */
static void put_dataset(struct hf_hdf5_writer *writer, const char *path, hid_t file_type,
                        hid_t memory_type, hid_t space, const void *values, const char *units,
                        const char *about)
{
    const hid_t dataset = create_dataset(writer, path, file_type, space, units, about);
    if (dataset >= 0) {
        check(writer, H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        check(writer, H5Dclose(dataset) >= 0);
    }
    H5Sclose(space);
}

void hf_hdf5_put_text(struct hf_hdf5_writer *writer, const char *path, const char *text,
                      const char *about)
{
    if (text == NULL || writer->failed) return;
    const hid_t type = text_type(writer, strlen(text));
    put_dataset(writer, path, type, type, H5Screate(H5S_SCALAR), text, NULL, about);
    H5Tclose(type);
}

void hf_hdf5_put_texts(struct hf_hdf5_writer *writer, const char *path, int n_row,
                       const char *const texts[])
{
    const hsize_t shape = (hsize_t)n_row;
    if (writer->failed) return;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    put_dataset(writer, path, type, type, H5Screate_simple(1, &shape, NULL), texts, NULL, NULL);
    H5Tclose(type);
}

hid_t hf_hdf5_stored_type(enum hf_field_type type)
{
    return type == HF_FIELD_REAL ? H5T_IEEE_F64LE : H5T_STD_I32LE;
}

void hf_hdf5_put_numbers(struct hf_hdf5_writer *writer, const struct hf_field *field, int n_row,
                         const double values[])
{
    hsize_t shape[2];
    int n_dimension = 0;
    if (n_row == 0 || writer->failed) return;
    if (n_row > 0) shape[n_dimension++] = (hsize_t)n_row;
    if (field->width > 1) shape[n_dimension++] = (hsize_t)field->width;
    const hid_t space =
        n_dimension > 0 ? H5Screate_simple(n_dimension, shape, NULL) : H5Screate(H5S_SCALAR);
    const bool wide = writer->trexio && field->type == HF_FIELD_INTEGER;
    put_dataset(writer, field->path, wide ? H5T_STD_I64LE : hf_hdf5_stored_type(field->type),
                H5T_NATIVE_DOUBLE, space, values, field->units, field->about);
}

void hf_hdf5_put_fields(struct hf_hdf5_writer *writer, const struct hf_fields *fields, int n_row,
                        const void *rows)
{
    const size_t n = n_row < 0 ? 1 : (size_t)n_row;
    double *values = calloc(n * HF_WIDEST_FIELD + 1, sizeof *values);
    if (values == NULL) writer->failed = true;
    for (int f = 0; f < fields->n_field && !writer->failed; f++) {
        const struct hf_field *field = &fields->field[f];
        const char *row = rows;
        if (field->type == HF_FIELD_TEXT || field->type == HF_FIELD_OPTIONAL_TEXT) {
            const char *text;
            memcpy(&text, row + field->offset, sizeof text);
            hf_hdf5_put_text(writer, field->path, text, field->about);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            hf_field_numbers(field, row + i * fields->bytes, &values[i * (size_t)field->width]);
        hf_hdf5_put_numbers(writer, field, n_row, values);
    }
    free(values);
}

hid_t hf_hdf5_put_matrix(struct hf_hdf5_writer *writer, const char *path, int n_row, int n_col,
                         const char *units, const char *about)
{
    const hsize_t shape[2] = {(hsize_t)n_row, (hsize_t)n_col};
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hid_t dataset = create_dataset(writer, path, H5T_IEEE_F64LE, space, units, about);
    H5Sclose(space);
    return dataset;
}

void hf_hdf5_put_rows(struct hf_hdf5_writer *writer, hid_t dataset, int first, int n,
                      const double rows[])
{
    hsize_t shape[2];
    const hid_t space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, shape, NULL);
    const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)n, shape[1]};
    const hid_t memory = H5Screate_simple(2, count, NULL);
    check(writer, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
}

void hf_hdf5_close(struct hf_hdf5_writer *writer)
{
    if (writer->file < 0) return;
    check(writer, H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0);
    check(writer, H5Fclose(writer->file) >= 0);
    writer->file = -1;
}
