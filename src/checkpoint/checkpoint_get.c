/* Reading from HDF5 what may be damaged, cut or hostile. */
#include "checkpoint_hdf5.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 200, MAX_TEXT = 1 << 24 };
/** No number of a calculation is larger, and sums of products of such numbers are finite. */
static const double LARGEST_NUMBER = 1e20;

void hf_hdf5_damaged(struct hf_hdf5_reader *reader, const char *format, ...)
{
    char what[400];
    va_list arguments;
    if (reader->status != HF_OK) return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    reader->status = hf_fail(reader->error, HF_BAD_INPUT, "%.400s: damaged %s: %s", reader->name,
                             reader->kind != NULL ? reader->kind : "checkpoint", what);
}

void hf_hdf5_no_memory(struct hf_hdf5_reader *reader, const char *path)
{
    if (reader->status == HF_OK)
        reader->status = hf_fail(reader->error, HF_NO_RESOURCE, "%.400s: out of memory for %s",
                                 reader->name, path);
}

void hf_hdf5_check_made(struct hf_hdf5_reader *reader, hf_status status,
                        const struct hf_error *error)
{
    if (status == HF_NO_RESOURCE)
        reader->status = hf_fail(reader->error, status, "%s", error->message);
    else if (status != HF_OK)
        hf_hdf5_damaged(reader, "/basis: %.200s", error->message);
}

/** Whether every part of a path is a link of this file to something in it. */
static bool is_here(hid_t file, const char *path)
{
    char part[MAX_PATH];
    const size_t length = strlen(path);
    if (length >= sizeof part) return false;
    for (size_t i = 1; i <= length; i++) {
        H5L_info_t link;
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return false;
    }
    return true;
}

bool hf_hdf5_has(struct hf_hdf5_reader *reader, const char *path)
{
    return reader->status == HF_OK && is_here(reader->file, path);
}

/** Whether a dataset is contiguous, unfiltered, inside this file, and not longer than the file. */
static bool is_plain(const struct hf_hdf5_reader *reader, hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool plain = creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
                       H5Pget_external_count(creation) == 0 && H5Pget_nfilters(creation) == 0 &&
                       (double)H5Dget_storage_size(dataset) <= reader->file_bytes;
    if (creation >= 0) H5Pclose(creation);
    return plain;
}

/** Whether these are numbers of that type; integers may have 64 bits, as those of TREXIO. */
static bool is_like(hid_t type, hid_t expected)
{
    return type >= 0 && (H5Tequal(type, expected) > 0 || (H5Tequal(expected, H5T_STD_I32LE) > 0 &&
                                                          H5Tequal(type, H5T_STD_I64LE) > 0));
}

static bool has_type(hid_t dataset, hid_t expected)
{
    const hid_t type = H5Dget_type(dataset);
    const bool same = is_like(type, expected);
    if (type >= 0) H5Tclose(type);
    return same;
}

/** A dataset of these numbers with its shape: `rank` 0, 1 or 2. Negative after a failure; its
 *  elements fit into the file then. */
static hid_t open_numbers(struct hf_hdf5_reader *reader, const char *path, hid_t type, int rank,
                          hsize_t shape[2])
{
    shape[0] = shape[1] = 1;
    if (reader->status != HF_OK) return -1;
    if (!is_here(reader->file, path)) return hf_hdf5_damaged(reader, "%s is missing", path), -1;
    const hid_t dataset = H5Dopen2(reader->file, path, H5P_DEFAULT);
    if (dataset < 0) return hf_hdf5_damaged(reader, "%s cannot be opened", path), -1;
    const hid_t space = H5Dget_space(dataset);
    const char *wrong = NULL;
    if (!has_type(dataset, type))
        wrong = "is not of the expected type";
    else if (space < 0 ||
             H5Sget_simple_extent_type(space) != (rank > 0 ? H5S_SIMPLE : H5S_SCALAR) ||
             H5Sget_simple_extent_ndims(space) != rank ||
             H5Sget_simple_extent_dims(space, shape, NULL) < 0)
        wrong = "is not of the expected shape";
    else if (shape[0] > INT_MAX || shape[1] > INT_MAX)
        wrong = "is too large";
    else if (!is_plain(reader, dataset) ||
             (double)shape[0] * (double)shape[1] * (double)H5Tget_size(type) > reader->file_bytes)
        wrong = "does not lie in the file as a whole";
    if (space >= 0) H5Sclose(space);
    if (wrong == NULL) return dataset;
    H5Dclose(dataset);
    hf_hdf5_damaged(reader, "%s %s", path, wrong);
    return -1;
}

/** The same of the shape [first][second], or with rank 1 [first]; both are 1 of a single number. */
static hid_t open_array(struct hf_hdf5_reader *reader, const char *path, hid_t type, int rank,
                        int first, int second)
{
    hsize_t shape[2];
    const hid_t dataset = open_numbers(reader, path, type, rank, shape);
    if (dataset < 0 || (shape[0] == (hsize_t)first && shape[1] == (hsize_t)second)) return dataset;
    H5Dclose(dataset);
    if (rank == 2)
        hf_hdf5_damaged(reader, "%s has %llu x %llu numbers; expected %d x %d", path,
                        (unsigned long long)shape[0], (unsigned long long)shape[1], first, second);
    else
        hf_hdf5_damaged(reader, "%s has %llu numbers; expected %d", path,
                        (unsigned long long)shape[0], first);
    return -1;
}

void hf_hdf5_expect(struct hf_hdf5_reader *reader, const char *path, double value, double least,
                    double most)
{
    if (!(value >= least && value <= most))
        hf_hdf5_damaged(reader, "%s has the number %.10g; expected %.10g to %.10g", path, value,
                        least, most);
}

/** Whether numbers are finite and not absurdly large. */
static void check_numbers(struct hf_hdf5_reader *reader, const char *path, size_t n,
                          const double values[])
{
    for (size_t i = 0; i < n && reader->status == HF_OK; i++)
        hf_hdf5_expect(reader, path, values[i], -LARGEST_NUMBER, LARGEST_NUMBER);
}

int hf_hdf5_count_rows(struct hf_hdf5_reader *reader, const struct hf_field *field)
{
    hsize_t shape[2];
    if (!hf_hdf5_has(reader, field->path)) return 0;
    const hid_t dataset = open_numbers(reader, field->path, hf_hdf5_stored_type(field->type),
                                       field->width > 1 ? 2 : 1, shape);
    if (dataset < 0) return 0;
    H5Dclose(dataset);
    return (int)shape[0];
}

double *hf_hdf5_get_numbers(struct hf_hdf5_reader *reader, struct hf_arena *arena,
                            const struct hf_field *field, int n_row)
{
    const bool any = field->least == 0.0 && field->most == 0.0;
    const double least = any ? -LARGEST_NUMBER : field->least;
    const double most = any ? LARGEST_NUMBER : field->most;
    const int rank = (n_row >= 0) + (field->width > 1);
    const int first = n_row >= 0 ? n_row : field->width, second = rank == 2 ? field->width : 1;
    const size_t n = (size_t)first * (size_t)second;
    if (n == 0) return NULL;
    const hid_t dataset =
        open_array(reader, field->path, hf_hdf5_stored_type(field->type), rank, first, second);
    if (dataset < 0) return NULL;
    double *values = HF_TAKE(arena, values, n);
    if (values == NULL)
        hf_hdf5_no_memory(reader, field->path);
    else if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        hf_hdf5_damaged(reader, "%s cannot be read", field->path);
    H5Dclose(dataset);
    for (size_t i = 0; i < n && reader->status == HF_OK; i++)
        hf_hdf5_expect(reader, field->path, values[i], least, most);
    return reader->status == HF_OK ? values : NULL;
}

/** Numbers to the member of a struct `row`. */
static void set_member(const struct hf_field *field, const double values[], char *row)
{
    const int integer = field->type == HF_FIELD_REAL ? 0 : (int)values[0];
    const bool truth = integer != 0;
    if (field->type == HF_FIELD_REAL)
        memcpy(row + field->offset, values, (size_t)field->width * sizeof *values);
    else if (field->type == HF_FIELD_BOOLEAN)
        memcpy(row + field->offset, &truth, sizeof truth);
    else
        memcpy(row + field->offset, &integer, sizeof integer);
}

void hf_hdf5_get_fields(struct hf_hdf5_reader *reader, const struct hf_fields *fields, int n_row,
                        void *rows)
{
    const size_t n = n_row < 0 ? 1 : (size_t)n_row;
    for (int f = 0; f < fields->n_field && reader->status == HF_OK; f++) {
        const struct hf_field *field = &fields->field[f];
        char *row = rows;
        if (field->type == HF_FIELD_OPTIONAL_TEXT && !hf_hdf5_has(reader, field->path)) continue;
        if (field->type == HF_FIELD_TEXT || field->type == HF_FIELD_OPTIONAL_TEXT) {
            char *text = hf_hdf5_get_text(reader, field->path);
            memcpy(row + field->offset, &text, sizeof text);
            continue;
        }
        struct hf_arena arena = {0};
        const double *values = hf_hdf5_get_numbers(reader, &arena, field, n_row);
        for (size_t i = 0; i < n && values != NULL; i++)
            set_member(field, &values[i * (size_t)field->width], row + i * fields->bytes);
        hf_arena_done(&arena);
    }
}

void *hf_hdf5_get_table(struct hf_hdf5_reader *reader, const struct hf_fields *fields, int least,
                        int most, int *n_row)
{
    const char *path = fields->field[0].path;
    const int n = hf_hdf5_count_rows(reader, &fields->field[0]);
    *n_row = 0;
    if (n < least || n > most)
        hf_hdf5_damaged(reader, "%s has %d rows; expected %d to %d", path, n, least, most);
    if (n == 0 || reader->status != HF_OK) return NULL;
    void *rows = hf_arena_take(reader->arena, (size_t)n, fields->bytes);
    if (rows == NULL) return hf_hdf5_no_memory(reader, path), NULL;
    hf_hdf5_get_fields(reader, fields, n, rows);
    return reader->status == HF_OK ? (*n_row = n, rows) : NULL;
}

/** Length of the texts of a type, 0 when it is none of fixed length. */
static size_t text_length(hid_t type)
{
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    return H5Tget_size(type);
}

static void read_text(struct hf_hdf5_reader *reader, const char *path, hid_t dataset, char **text)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const size_t length = text_length(type);
    if (length == 0 || length > MAX_TEXT || space < 0 ||
        H5Sget_simple_extent_type(space) != H5S_SCALAR || !is_plain(reader, dataset)) {
        hf_hdf5_damaged(reader, "%s is not a text", path);
    } else if (HF_TAKE(reader->arena, *text, length + 1) == NULL) {
        hf_hdf5_no_memory(reader, path);
    } else if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) {
        hf_hdf5_damaged(reader, "%s cannot be read", path);
        *text = NULL;
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

char *hf_hdf5_get_text(struct hf_hdf5_reader *reader, const char *path)
{
    char *text = NULL;
    if (reader->status != HF_OK) return NULL;
    const hid_t dataset =
        is_here(reader->file, path) ? H5Dopen2(reader->file, path, H5P_DEFAULT) : -1;
    if (dataset < 0) return hf_hdf5_damaged(reader, "%s is missing", path), NULL;
    read_text(reader, path, dataset, &text);
    H5Dclose(dataset);
    return text;
}

/** Attribute of a group that is one value; negative when there is none. */
static hid_t open_attribute(const struct hf_hdf5_reader *reader, const char *group,
                            const char *name)
{
    const bool is_root = strcmp(group, "/") == 0;
    if (!is_root && !is_here(reader->file, group)) return -1;
    if (H5Aexists_by_name(reader->file, group, name, H5P_DEFAULT) <= 0) return -1;
    const hid_t attribute = H5Aopen_by_name(reader->file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return -1;
    const hid_t space = H5Aget_space(attribute);
    const bool scalar = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    if (space >= 0) H5Sclose(space);
    if (scalar) return attribute;
    H5Aclose(attribute);
    return -1;
}

void hf_hdf5_get_group_text(struct hf_hdf5_reader *reader, const char *group, const char *name,
                            size_t size, char text[])
{
    memset(text, 0, size);
    const hid_t attribute = open_attribute(reader, group, name);
    if (attribute < 0) return;
    const hid_t type = H5Aget_type(attribute);
    const size_t length = text_length(type);
    if (length > 0 && length < size && H5Aread(attribute, type, text) < 0) memset(text, 0, size);
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
}

int hf_hdf5_get_group_integer(struct hf_hdf5_reader *reader, const char *group, const char *name)
{
    int64_t value = -1;
    const hid_t attribute = open_attribute(reader, group, name);
    if (attribute < 0) return -1;
    const hid_t type = H5Aget_type(attribute);
    if (!is_like(type, H5T_STD_I32LE) || H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0)
        value = -1;
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
    return value >= 0 && value <= INT_MAX ? (int)value : -1;
}

void hf_hdf5_get_block(struct hf_hdf5_reader *reader, const char *path,
                       const struct hf_hdf5_block *block, double values[])
{
    hsize_t shape[2];
    const hid_t dataset = open_numbers(reader, path, H5T_IEEE_F64LE, 2, shape);
    if (dataset < 0) return;
    const hsize_t start[2] = {(hsize_t)block->first_row, (hsize_t)block->first_col};
    const hsize_t count[2] = {(hsize_t)block->n_row, (hsize_t)block->n_col};
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, count, NULL);
    if (start[0] + count[0] > shape[0] || start[1] + count[1] > shape[1] || space < 0 ||
        memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) < 0)
        hf_hdf5_damaged(reader, "%s cannot be read", path);
    else
        check_numbers(reader, path, (size_t)block->n_row * (size_t)block->n_col, values);
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    H5Dclose(dataset);
}

void hf_hdf5_get_rows(struct hf_hdf5_reader *reader, const char *path, int n_col, int first, int n,
                      double rows[])
{
    int n_row = 0, n_there = 0;
    if (hf_hdf5_get_shape(reader, path, &n_row, &n_there) && n_there != n_col)
        hf_hdf5_damaged(reader, "%s has rows of %d numbers; expected %d", path, n_there, n_col);
    hf_hdf5_get_block(reader, path, &(struct hf_hdf5_block){first, n, 0, n_col}, rows);
}

bool hf_hdf5_get_shape(struct hf_hdf5_reader *reader, const char *path, int *n_row, int *n_col)
{
    hsize_t shape[2];
    if (!hf_hdf5_has(reader, path)) return false;
    const hid_t dataset = open_numbers(reader, path, H5T_IEEE_F64LE, 2, shape);
    if (dataset < 0) return false;
    H5Dclose(dataset);
    *n_row = (int)shape[0];
    *n_col = (int)shape[1];
    return *n_row > 0 && *n_col > 0;
}

void hf_hdf5_check_matrix(struct hf_hdf5_reader *reader, const char *path, int n_row, int n_col,
                          bool numbers)
{
    enum { MOST_NUMBERS = 1 << 17 };
    const hid_t dataset = open_array(reader, path, H5T_IEEE_F64LE, 2, n_row, n_col);
    if (dataset >= 0) H5Dclose(dataset);
    if (dataset < 0 || !numbers) return;
    const int n = n_col < MOST_NUMBERS ? MOST_NUMBERS / n_col : 1; /* rows at once */
    double *rows = malloc((size_t)n * (size_t)n_col * sizeof *rows);
    if (rows == NULL) hf_hdf5_no_memory(reader, path);
    for (int first = 0; first < n_row && reader->status == HF_OK; first += n)
        hf_hdf5_get_rows(reader, path, n_col, first, n_row - first < n ? n_row - first : n, rows);
    free(rows);
}

/** A function for links, and its data. */
struct visitor {
    bool (*visit)(void *data, const char *name);
    void *data;
};

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    const struct visitor *visitor = data;
    (void)group;
    (void)info;
    return visitor->visit(visitor->data, name) ? 0 : 1;
}

void hf_hdf5_visit(struct hf_hdf5_reader *reader, const char *group,
                   bool (*visit)(void *data, const char *name), void *data)
{
    struct visitor visitor = {visit, data};
    if (reader->status != HF_OK) return;
    const hid_t opened =
        is_here(reader->file, group) ? H5Gopen2(reader->file, group, H5P_DEFAULT) : -1;
    if (opened < 0 ||
        H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &visitor) < 0)
        hf_hdf5_damaged(reader, "%s cannot be read", group);
    if (opened >= 0) H5Gclose(opened);
}
