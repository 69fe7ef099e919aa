/* From HDF5 to the state of a calculation; nothing that stands there is trusted. */
#include "checkpoint/checkpoint.h"

#include "checkpoint_hdf5.h"
#include "checkpoint_layout.h"
#include "text/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TERMS = 100000 };

static void read_molecule(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_molecule *molecule = &self->molecule;
    struct hf_environment *environment = &molecule->environment;
    char hash[HF_HASH_SIZE];
    molecule->atom =
        hf_hdf5_get_table(reader, &hf_atom_fields, 1, HF_HDF5_MOST_ROWS, &molecule->n_atom);
    environment->charge =
        hf_hdf5_get_table(reader, &hf_charge_fields, 0, INT_MAX, &environment->n_charge);
    if (reader->status != HF_OK) return;
    hf_print_checksum(hf_molecule_checksum(molecule), hash);
    if (strcmp(hash, self->molecule_hash) != 0)
        hf_hdf5_damaged(reader, "/molecule is not what its hash is of");
}

/** Core potentials for the basis, and the cores that follow for the molecule. */
static void read_cores(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    int n = 0, n_term = 0, at = 0;
    struct hf_error error;
    struct hf_core_potential *potential =
        hf_hdf5_get_table(reader, &hf_core_fields, 0, self->molecule.n_atom, &n);
    struct hf_core_term *term =
        hf_hdf5_get_table(reader, &hf_core_term_fields, 0, MOST_TERMS, &n_term);
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        potential[i].term = term != NULL ? term + at : NULL;
        if (potential[i].n_term > n_term - at) {
            hf_hdf5_damaged(reader, "/basis/core_terms: potential %d has %d", i + 1,
                            potential[i].n_term);
            return;
        }
        at += potential[i].n_term;
    }
    if (reader->status == HF_OK && at != n_term)
        hf_hdf5_damaged(reader, "/basis has %d terms of core potentials for %d", n_term, at);
    if (reader->status == HF_OK && n > 0)
        hf_hdf5_check_made(
            reader,
            hf_basis_set_core_potentials(&self->molecule, n, potential, self->basis, &error),
            &error);
    if (reader->status == HF_OK) hf_basis_set_cores(self->basis, &self->molecule);
}

/** Shells over arrays of all primitives. */
static void share_primitives(struct hf_hdf5_reader *reader, int n, int n_primitive,
                             const double exponents[], const double coefficients[],
                             struct hf_shell shell[])
{
    int at = 0;
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        if (shell[i].n_primitive > n_primitive - at) {
            hf_hdf5_damaged(reader, "/basis/shell_primitives: shell %d has %d", i + 1,
                            shell[i].n_primitive);
            return;
        }
        shell[i].exponent = exponents + at;
        shell[i].coefficient = coefficients + at;
        at += shell[i].n_primitive;
    }
    if (reader->status == HF_OK && at != n_primitive)
        hf_hdf5_damaged(reader, "/basis has %d exponents for %d primitives", n_primitive, at);
}

static void read_basis(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    int n = 0;
    char hash[HF_HASH_SIZE];
    struct hf_error error;
    struct hf_basis named = {0};
    struct hf_arena arena = {0};
    reader->arena = &arena; /* the basis gets copies */
    hf_hdf5_get_fields(reader, &hf_basis_fields, -1, &named);
    struct hf_shell *shell = hf_hdf5_get_table(reader, &hf_shell_fields, 1, HF_HDF5_MOST_ROWS, &n);
    const int n_primitive = hf_hdf5_count_rows(reader, &hf_primitive_fields[0]);
    const double *exponents =
        hf_hdf5_get_numbers(reader, &arena, &hf_primitive_fields[0], n_primitive);
    const double *coefficients =
        hf_hdf5_get_numbers(reader, &arena, &hf_primitive_fields[1], n_primitive);
    share_primitives(reader, n, n_primitive, exponents, coefficients, shell);
    if (reader->status == HF_OK)
        hf_hdf5_check_made(reader,
                           hf_basis_from_shells(&self->molecule, named.name, named.citation, n,
                                                shell, &self->basis, &error),
                           &error);
    if (reader->status == HF_OK) read_cores(reader, self);
    hf_arena_done(&arena);
    reader->arena = &self->arena;
    if (reader->status != HF_OK) return;
    hf_print_checksum(hf_basis_checksum(self->basis), hash);
    if (strcmp(hash, self->basis_hash) != 0)
        hf_hdf5_damaged(reader, "/basis is not what its hash is of");
}

/** A list of settings while it grows. */
struct settings_reading {
    struct hf_hdf5_reader *reader;
    struct hf_checkpoint *checkpoint;
};

static bool read_setting(void *data, const char *name)
{
    enum { MOST_SETTINGS = 500, LONGEST_KEY = 60 };
    struct settings_reading *reading = data;
    struct hf_hdf5_reader *reader = reading->reader;
    struct hf_checkpoint *self = reading->checkpoint;
    char path[LONGEST_KEY + sizeof "/settings/"];
    if (self->n_setting >= MOST_SETTINGS || strlen(name) > LONGEST_KEY || strchr(name, '/') != NULL)
        hf_hdf5_damaged(reader, "/settings has keys that are too many or too long");
    if (reader->status != HF_OK) return false;
    if (self->setting == NULL) HF_TAKE(reader->arena, self->setting, MOST_SETTINGS);
    if (self->setting == NULL) return hf_hdf5_no_memory(reader, "the settings"), false;
    snprintf(path, sizeof path, "/settings/%s", name);
    const struct hf_checkpoint_setting setting = {hf_copy_string(reader->arena, name),
                                                  hf_hdf5_get_text(reader, path)};
    self->setting[self->n_setting++] = setting;
    if (setting.key == NULL) hf_hdf5_no_memory(reader, "the settings");
    return reader->status == HF_OK;
}

static void read_iterations(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    const int least = self->state.n_iteration > 0 ? 1 : 0;
    self->iteration = hf_hdf5_get_table(reader, &hf_iteration_fields, least, HF_HDF5_MOST_ROWS,
                                        &self->n_iteration);
    for (int i = 0; i < self->n_iteration; i++) self->iteration[i].number = i + 1;
}

static void read_reason(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    const char *text = hf_hdf5_get_text(reader, "/state/reason");
    int i = 0;
    while (text != NULL && i < 3 && strcmp(text, hf_keep_reason_names[i]) != 0) i++;
    if (i == 3) hf_hdf5_damaged(reader, "/state/reason is unknown");
    self->reason = (enum hf_keep_reason)(i < 3 ? i : 0);
}

/** Single numbers and texts, and whether they go together. */
static void read_numbers(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_scf_restart *state = &self->state;
    const bool closed_shells = self->version <= HF_CHECKPOINT_CLOSED_SHELLS;
    state->n_fock = state->n_density = 1;
    hf_hdf5_get_fields(reader, &hf_checkpoint_fields, -1, self);
    if (!closed_shells) hf_hdf5_get_fields(reader, &hf_open_shell_fields, -1, self);
    read_reason(reader, self);
    state->method = self->method;
    if (state->threshold == 0.0) state->threshold = INFINITY;
    hf_hdf5_expect(reader, "/state/n_orbital", state->n_orbital, 1, state->n_function);
    hf_hdf5_expect(reader, "/state/n_spin", state->n_spin, 1, closed_shells ? 1 : HF_MAX_SPIN);
    hf_hdf5_expect(reader, "/state/n_fock", state->n_fock, state->n_spin, HF_MAX_SPIN);
    hf_hdf5_expect(reader, "/state/n_density", state->n_density, state->n_fock, HF_MAX_SPIN);
}

/** Whether the electrons in the orbitals are those of the molecule. */
static void check_occupations(struct hf_hdf5_reader *reader, const struct hf_checkpoint *self)
{
    const struct hf_scf_restart *state = &self->state;
    const int n_electron = hf_molecule_n_electron(&self->molecule);
    const int n_single = self->molecule.multiplicity - 1;
    const double most = state->n_spin == 1 ? 2.0 : 1.0, tolerance = 1e-6;
    double sum = 0.0;
    for (int k = 0; k < state->n_spin; k++) {
        const struct hf_checkpoint_orbitals *orbitals = &self->spin[k];
        const int n_occupied = (n_electron + (k == 0 ? n_single : -n_single)) / 2;
        if (orbitals->n_occupied != n_occupied)
            hf_hdf5_damaged(reader, "/state/n_occupied is %d; expected %d", orbitals->n_occupied,
                            n_occupied);
        for (int i = 0; i < state->n_orbital; i++) {
            sum += orbitals->occupation[i];
            if (!(orbitals->occupation[i] >= 0.0 && orbitals->occupation[i] <= most))
                hf_hdf5_damaged(reader, "/orbitals: orbital %d has %g electrons", i + 1,
                                orbitals->occupation[i]);
        }
    }
    if (!(fabs(sum - n_electron) < tolerance))
        hf_hdf5_damaged(reader, "/orbitals has %g electrons; expected %d", sum, n_electron);
}

static void read_orbitals(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_scf_restart *state = &self->state;
    const int m = state->n_orbital;
    char path[HF_CHECKPOINT_PATH];
    hf_hdf5_get_fields(reader, &hf_occupied_fields, state->n_spin, self->spin);
    hf_hdf5_get_fields(reader, &hf_column_fields, state->n_spin, state->n_column);
    for (int k = 0; k < state->n_spin && reader->status == HF_OK; k++) {
        struct hf_checkpoint_orbitals *orbitals = &self->spin[k];
        double **const values[2] = {&orbitals->energy, &orbitals->occupation};
        const int n_column = state->n_column[k];
        if (orbitals->n_occupied > m || n_column > m ||
            (n_column > 0 && n_column < orbitals->n_occupied))
            hf_hdf5_damaged(reader, "/state: %d orbitals, %d of %d occupied", n_column,
                            orbitals->n_occupied, m);
        for (int f = 0; f < 2; f++) {
            struct hf_field field = hf_orbital_fields[f];
            field.path = hf_orbitals_path(state->n_spin, k, field.path, path);
            *values[f] = hf_hdf5_get_numbers(reader, reader->arena, &field, m);
        }
        state->occupation[k] = orbitals->occupation;
    }
    if (reader->status == HF_OK && state->n_column[0] > 0) check_occupations(reader, self);
}

/** Whether this is a checkpoint that can be read. */
static void read_identity(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char format[32], text[64];
    const struct {
        const char *name;
        char **text;
    } names[] = {{"program_version", &self->program_version},
                 {"written", &self->written},
                 {"molecule_hash", &self->molecule_hash},
                 {"basis_hash", &self->basis_hash}};
    H5G_info_t root;
    if (H5Gget_info(reader->file, &root) < 0) hf_hdf5_damaged(reader, "/ cannot be read");
    if (reader->status != HF_OK) return;
    hf_hdf5_get_group_text(reader, "/", "format", sizeof format, format);
    self->version = hf_hdf5_get_group_integer(reader, "/", "format_version");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hf_hdf5_get_group_text(reader, "/", names[i].name, sizeof text, text);
        *names[i].text = hf_copy_string(reader->arena, text);
        if (*names[i].text == NULL) hf_hdf5_no_memory(reader, "its names");
    }
    if (reader->status != HF_OK) return;
    if (strcmp(format, hf_checkpoint_format) != 0) {
        reader->status = hf_fail(reader->error, HF_BAD_INPUT,
                                 "%.400s: this HDF5 file is no checkpoint of hf%s", reader->name,
                                 hf_trexio_begins(reader)
                                     ? ", but a TREXIO file; --guess begins with its orbitals"
                                     : "");
        return;
    }
    if (self->version > HF_CHECKPOINT_VERSION) {
        reader->status =
            hf_fail(reader->error, HF_BAD_INPUT,
                    "%.400s: a checkpoint of layout %d, written by hf %s; this hf reads layouts up "
                    "to %d: use a newer one",
                    reader->name, self->version, self->program_version, HF_CHECKPOINT_VERSION);
        return;
    }
    if (self->version < 1) hf_hdf5_damaged(reader, "its layout has no version");
}

/** Everything but the matrices. */
static void read_description(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct settings_reading settings = {reader, self};
    read_identity(reader, self);
    read_numbers(reader, self);
    read_molecule(reader, self);
    read_basis(reader, self);
    if (reader->status == HF_OK)
        hf_hdf5_expect(reader, "/state/n_function", self->state.n_function, self->basis->n_function,
                       self->basis->n_function);
    hf_hdf5_visit(reader, "/settings", read_setting, &settings);
    read_iterations(reader, self);
    if (reader->status == HF_OK) read_orbitals(reader, self);
}

/** What is read of a file. */
enum reading {
    READ_DESCRIPTION, /**< of a checkpoint, without looking for its matrices */
    READ_CHECKPOINT,
    READ_ORBITALS, /**< of a checkpoint or of a TREXIO file */
};

/** Opens what `access` leads to (and closes that) and reads. */
static hf_status read_file(const char *path, const char *name, hid_t access, double bytes,
                           enum reading what, struct hf_checkpoint *self, struct hf_error *error)
{
    *self = (struct hf_checkpoint){.file_bytes = bytes, .arena = {.label = "a checkpoint"}};
    self->path = hf_copy_string(&self->arena, name);
    HF_TAKE(&self->arena, self->file, 1);
    struct hf_hdf5_reader reader = {.file = -1,
                                    .name = name,
                                    .file_bytes = bytes,
                                    .status = hf_arena_check(&self->arena, error),
                                    .error = error,
                                    .arena = &self->arena,
                                    .silence = hf_hdf5_silence_begin()};
    if (reader.status == HF_OK && access >= 0) reader.file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (access >= 0) H5Pclose(access);
    if (self->file != NULL)
        *self->file = (struct hf_checkpoint_file){reader.file, self->path, bytes};
    if (reader.status == HF_OK && reader.file < 0)
        hf_hdf5_damaged(&reader, "HDF5 cannot open it; it is cut or overwritten");
    if (reader.status == HF_OK && what == READ_ORBITALS && hf_trexio_begins(&reader)) {
        hf_trexio_read(&reader, self);
    } else if (reader.status == HF_OK) {
        read_description(&reader, self);
        if (what != READ_DESCRIPTION && reader.status == HF_OK)
            hf_checkpoint_check_matrices(&reader, self, false);
    }
    self->state.read = hf_checkpoint_read_rows;
    self->state.data = self;
    self->state.name = self->path;
    if (reader.status != HF_OK) hf_checkpoint_done(self);
    return hf_hdf5_reader_end(&reader);
}
hf_status hf_checkpoint_read_image(size_t n_byte, const void *image, const char *name,
                                   struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    *checkpoint = (struct hf_checkpoint){0};
    if (n_byte == 0) return hf_fail(error, HF_BAD_INPUT, "%.400s: the file is empty", name);
    return read_file("image", name, hf_hdf5_memory_access(n_byte, image), (double)n_byte,
                     READ_ORBITALS, checkpoint, error);
}

/** Checks a file before HDF5 opens it. */
static hf_status look(const char *path, double *bytes, struct hf_error *error)
{
    struct stat file;
    if (stat(path, &file) != 0) {
        if (errno == ENOENT)
            return hf_fail(error, HF_BAD_INPUT, "%.400s: there is no such checkpoint", path);
        return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", path, strerror(errno));
    }
    if (!S_ISREG(file.st_mode))
        return hf_fail(error, HF_BAD_INPUT, "%.400s: not a file; expected a checkpoint", path);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", path, strerror(errno));
    const bool begins = hf_hdf5_begins(stream), unread = ferror(stream) != 0;
    fclose(stream);
    if (unread) return hf_fail(error, HF_NO_RESOURCE, "%.400s: the file cannot be read", path);
    if (!begins)
        return hf_fail(error, HF_BAD_INPUT,
                       "%.400s: not a checkpoint of hf (it does not begin as an HDF5 file)", path);
    *bytes = (double)file.st_size;
    return HF_OK;
}
static hf_status look_and_read(const char *path, enum reading what,
                               struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    double bytes = 0.0;
    *checkpoint = (struct hf_checkpoint){0};
    HF_CHECK(look(path, &bytes, error));
    return read_file(path, path, hf_hdf5_disk_access(), bytes, what, checkpoint, error);
}

hf_status hf_checkpoint_read(const char *path, struct hf_checkpoint *checkpoint,
                             struct hf_error *error)
{
    return look_and_read(path, READ_CHECKPOINT, checkpoint, error);
}

/* ---- On all ranks: rank 0 writes all but the matrices into a file in memory, whose bytes the others read. ---- */

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
static hf_status make_image(const char *path, enum reading what, struct hf_checkpoint *checkpoint,
                            size_t *n_byte, void **image, struct hf_error *error)
{
    struct hf_hdf5_writer writer;
    HF_CHECK(look_and_read(path, what, checkpoint, error));
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
    HF_CHECK(read_file("image", path, hf_hdf5_memory_access(n_byte, image), (double)n_byte,
                       READ_DESCRIPTION, checkpoint, error));
    H5Fclose(checkpoint->file->file);
    checkpoint->file = NULL;
    return HF_OK;
}

static hf_status load(struct hf_context *context, const char *path, enum reading what,
                      struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    hf_status status = HF_OK;
    void *image = NULL;
    size_t n_byte = 0;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    *checkpoint = (struct hf_checkpoint){0};
    if (context->rank == 0) status = make_image(path, what, checkpoint, &n_byte, &image, error);
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

hf_status hf_checkpoint_load(struct hf_context *context, const char *path,
                             struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    return load(context, path, READ_CHECKPOINT, checkpoint, error);
}

hf_status hf_checkpoint_load_orbitals(struct hf_context *context, const char *path,
                                      struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    return load(context, path, READ_ORBITALS, checkpoint, error);
}

void hf_checkpoint_done(struct hf_checkpoint *checkpoint)
{
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    if (checkpoint->file != NULL && checkpoint->file->file >= 0) H5Fclose(checkpoint->file->file);
    hf_hdf5_silence_end(silence);
    hf_basis_destroy(&checkpoint->basis);
    hf_arena_done(&checkpoint->arena);
    *checkpoint = (struct hf_checkpoint){0};
}

const char *hf_checkpoint_setting(const struct hf_checkpoint *checkpoint, const char *key)
{
    for (int i = 0; i < checkpoint->n_setting; i++)
        if (strcmp(checkpoint->setting[i].key, key) == 0) return checkpoint->setting[i].value;
    return NULL;
}

void hf_checkpoint_library_version(size_t size, char text[])
{
    snprintf(text, size, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}
