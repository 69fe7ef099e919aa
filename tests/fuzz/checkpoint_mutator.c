/* Changes HDF5 files so that they stay HDF5 files: values, shapes, types, names, and what is there.
 * Random bytes would mostly end in the checks, and sometimes in the faults, of the HDF5 library. */
#include "fuzz.h"

#include <hdf5.h>
#include <unistd.h>

/** Of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { MAX_OBJECT = 128, MAX_NAME = 80, MAX_VALUE_BYTES = 4096 };

struct objects {
    int n;
    char name[MAX_OBJECT][MAX_NAME];
};

static unsigned int random_below(unsigned int *state, unsigned int n)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % n;
}

static herr_t collect(hid_t file, const char *name, const H5O_info_t *about, void *data)
{
    struct objects *objects = data;
    (void)file;
    (void)about;
    if (objects->n < MAX_OBJECT && strcmp(name, ".") != 0 && strlen(name) < MAX_NAME)
        strcpy(objects->name[objects->n++], name);
    return 0;
}

/** Numbers that readers are seldom prepared for, or a few bytes changed by libFuzzer. */
static void change_bytes(uint8_t *value, size_t size, unsigned int *state)
{
    static const double odd[] = {0.0, -1.0, 1e308, -1e-308, 2147483648.0, 0.5};
    static const int64_t whole[] = {0, -1, 1, 2147483647, INT64_MIN, INT64_MAX, 65536};
    const size_t place = size >= 8 ? 8 * random_below(state, (unsigned int)(size / 8)) : 0;
    const unsigned int how = random_below(state, 5);
    if (size >= 8 && how == 0)
        memcpy(value + place, &odd[random_below(state, 6)], 8);
    else if (size >= 8 && how == 1)
        memcpy(value + place, &whole[random_below(state, 7)], 8);
    else if (size >= 8 && how == 2)
        memset(value + place, 0xff, 8); /* not a number, or -1 */
    else if (size >= 4 && how == 3)
        memcpy(value + size / 4 / 2 * 4, &whole[random_below(state, 7)], 4);
    else
        LLVMFuzzerMutate(value, size, size);
}

static void change_values(hid_t set, unsigned int *state)
{
    uint8_t value[MAX_VALUE_BYTES];
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    const htri_t pointers = H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
                            H5Tdetect_class(type, H5T_REFERENCE) > 0;
    if (n > 0 && !pointers && (size_t)n * size <= sizeof value &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0) {
        change_bytes(value, (size_t)n * size, state);
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/** Another dataset of that name: other dimensions, maybe another type; its values are zeros. */
static void replace(hid_t file, const char *name, unsigned int *state)
{
    static const hsize_t length[] = {0, 1, 2, 3, 7, 1000, 100000, (hsize_t)1 << 40};
    const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT,   H5T_NATIVE_LLONG,
                           H5T_NATIVE_FLOAT,  H5T_NATIVE_UCHAR, H5T_C_S1};
    hsize_t shape[3];
    const int n_dimension = (int)random_below(state, 4);
    for (int i = 0; i < 3; i++) shape[i] = length[random_below(state, 8)];
    const hid_t type = types[random_below(state, 6)];
    const hid_t space =
        n_dimension == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(n_dimension, shape, NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
}

static void change_attribute(hid_t object, unsigned int *state)
{
    uint8_t value[MAX_VALUE_BYTES];
    H5O_info_t about;
    if (H5Oget_info(object, &about) < 0 || about.num_attrs == 0) return;
    const hsize_t index = random_below(state, (unsigned int)about.num_attrs);
    const hid_t attribute =
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, index, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return;
    const hid_t type = H5Aget_type(attribute);
    const size_t size = (size_t)H5Aget_storage_size(attribute);
    if (size > 0 && size <= sizeof value && H5Tis_variable_str(type) <= 0 &&
        H5Aread(attribute, type, value) >= 0) {
        change_bytes(value, size, state);
        H5Awrite(attribute, type, value);
    }
    H5Tclose(type);
    H5Aclose(attribute);
}

static void change(hid_t file, unsigned int *state)
{
    static struct objects objects;
    objects.n = 0;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, collect, &objects);
    if (objects.n == 0) return;
    const char *name = objects.name[random_below(state, (unsigned int)objects.n)];
    const unsigned int how = random_below(state, 10);
    const hid_t object =
        how == 9 ? H5Gopen2(file, "/", H5P_DEFAULT) : H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0) return;
    if (how >= 8) {
        change_attribute(object, state);
    } else if (how <= 4) {
        if (H5Iget_type(object) == H5I_DATASET) change_values(object, state);
    } else if (how == 5) {
        H5Ldelete(file, name, H5P_DEFAULT);
    } else if (how == 6) {
        replace(file, name, state);
    } else {
        const char *other = objects.name[random_below(state, (unsigned int)objects.n)];
        if (strcmp(name, other) != 0 && strncmp(name, other, strlen(name)) != 0) {
            H5Ldelete(file, other, H5P_DEFAULT);
            H5Lcopy(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT);
        }
    }
    H5Oclose(object);
}

/** The bytes as a file; false when they cannot be written. */
static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) return false;
    const bool whole = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && whole;
}

/** Size of the file, its bytes in `data`; 0 when it is larger than `max_size`. */
static size_t read_file(const char *path, uint8_t *data, size_t max_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    const size_t size = fread(data, 1, max_size, file);
    const bool whole = fgetc(file) == EOF;
    fclose(file);
    return whole ? size : 0;
}

/* Through a real file: an image of an open one is marked as open for writing. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    unsigned int state = seed;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/hf-fuzz-%d.h5", (int)getpid());
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!write_file(path, data, size)) return size;
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const unsigned int n_change = 1 + random_below(&state, 3);
    for (unsigned int i = 0; i < n_change && file >= 0; i++) change(file, &state);
    const bool closed = file >= 0 && H5Fclose(file) >= 0;
    const size_t changed = closed ? read_file(path, data, max_size) : 0;
    unlink(path);
    return changed > 0 ? changed : size;
}
