/* From HDF5 to the state of a calculation; nothing that stands there is trusted. */
#include "hf/checkpoint.h"

#include "checkpoint_cores.h"
#include "checkpoint_hdf5.h"
#include "checkpoint_layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double LARGEST_LENGTH = 1e6, LARGEST_ENERGY = 1e12; /* bohr, hartree */
enum {
    MOST_ATOMS = 10000000,
    MOST_SHELLS = 20000000,
    MOST_ITERATIONS = 10000000,
    MOST_DIIS = 1000
};

static void read_atoms(struct hf_hdf5_reader *reader, struct hf_molecule *molecule)
{
    const int n = hf_hdf5_count_rows(reader, "/molecule/atomic_numbers", false, 0);
    if (n < 1 || n > MOST_ATOMS)
        hf_hdf5_damaged(reader, "/molecule/atomic_numbers has %d atoms", n);
    int *numbers = hf_hdf5_get_integers(reader, "/molecule/atomic_numbers", n, 0);
    int *ghosts = hf_hdf5_get_integers(reader, "/molecule/ghosts", n, 0);
    double *positions = hf_hdf5_get_reals(reader, "/molecule/positions", n, 3);
    if (positions != NULL) molecule->atom = calloc((size_t)n, sizeof *molecule->atom);
    if (positions != NULL && molecule->atom == NULL) hf_hdf5_no_memory(reader, "atoms");
    if (molecule->atom != NULL) molecule->n_atom = n;
    for (int i = 0; i < molecule->n_atom && reader->status == HF_OK; i++) {
        struct hf_atom *atom = &molecule->atom[i];
        *atom = (struct hf_atom){.atomic_number = numbers[i], .ghost = ghosts[i] != 0};
        memcpy(atom->position_bohr, &positions[3 * (size_t)i], sizeof atom->position_bohr);
        if (hf_element_symbol(numbers[i]) == NULL || ghosts[i] < 0 || ghosts[i] > 1)
            hf_hdf5_damaged(reader, "/molecule: atom %d is of element %d", i + 1, numbers[i]);
        for (int k = 0; k < 3; k++)
            if (fabs(atom->position_bohr[k]) > LARGEST_LENGTH)
                hf_hdf5_damaged(reader, "/molecule/positions: atom %d is at %g bohr", i + 1,
                                atom->position_bohr[k]);
    }
    free(positions);
    free(ghosts);
    free(numbers);
}

static void read_environment(struct hf_hdf5_reader *reader, struct hf_environment *environment)
{
    const char *path = "/molecule/point_charges";
    const int n = hf_hdf5_count_rows(reader, path, true, 4);
    double *values = hf_hdf5_get_reals(reader, path, n, 4);
    double *field = hf_hdf5_get_reals(reader, "/molecule/field", 3, 0);
    if (values != NULL) environment->charge = calloc((size_t)n, sizeof *environment->charge);
    if (values != NULL && environment->charge == NULL) hf_hdf5_no_memory(reader, "point charges");
    if (environment->charge != NULL) environment->n_charge = n;
    for (int i = 0; i < environment->n_charge; i++) {
        environment->charge[i].charge = values[4 * (size_t)i];
        memcpy(environment->charge[i].position_bohr, &values[4 * (size_t)i + 1],
               sizeof environment->charge[i].position_bohr);
    }
    if (field != NULL) memcpy(environment->field, field, sizeof environment->field);
    free(field);
    free(values);
}

static void read_molecule(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_molecule *molecule = &self->molecule;
    char hash[HF_HASH_SIZE];
    if (hf_hdf5_has(reader, "/molecule/title"))
        molecule->title = hf_hdf5_get_text(reader, "/molecule/title");
    molecule->charge = hf_hdf5_get_integer(reader, "/molecule/charge", -1000, 1000);
    molecule->multiplicity = hf_hdf5_get_integer(reader, "/molecule/multiplicity", 1, 1000);
    read_atoms(reader, molecule);
    read_environment(reader, &molecule->environment);
    if (reader->status != HF_OK) return;
    hf_molecule_hash(molecule, hash);
    if (strcmp(hash, self->molecule_hash) != 0)
        hf_hdf5_damaged(reader, "/molecule is not what its hash is of");
}

/** Shells over arrays that the caller frees. */
static void make_shells(struct hf_hdf5_reader *reader, int n, const int *const numbers[4],
                        int n_primitive, const double exponents[], const double coefficients[],
                        struct hf_shell shell[])
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        const int here = numbers[3][i];
        if (here < 1 || here > n_primitive - at) {
            hf_hdf5_damaged(reader, "/basis/shell_primitives: shell %d has %d", i + 1, here);
            return;
        }
        shell[i] = (struct hf_shell){.atom = numbers[0][i],
                                     .l = numbers[1][i],
                                     .spherical = numbers[2][i] != 0,
                                     .n_primitive = here,
                                     .exponent = exponents + at,
                                     .coefficient = coefficients + at};
        at += here;
    }
    if (at != n_primitive)
        hf_hdf5_damaged(reader, "/basis has %d exponents for %d primitives", n_primitive, at);
}

static void make_basis(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, const char *name,
                       const char *citation, int n, const struct hf_shell shell[])
{
    struct hf_error error;
    char hash[HF_HASH_SIZE];
    if (reader->status != HF_OK) return;
    const hf_status status =
        hf_basis_from_shells(&self->molecule, name, citation, n, shell, &self->basis, &error);
    if (status == HF_NO_RESOURCE)
        reader->status = hf_fail(reader->error, status, "%s", error.message);
    else if (status != HF_OK)
        hf_hdf5_damaged(reader, "/basis: %.200s", error.message);
    if (status == HF_OK) hf_checkpoint_read_cores(reader, self);
    if (reader->status != HF_OK) return;
    hf_basis_hash(self->basis, hash);
    if (strcmp(hash, self->basis_hash) != 0)
        hf_hdf5_damaged(reader, "/basis is not what its hash is of");
}

static void read_basis(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    static const char *const paths[4] = {"/basis/shell_atoms", "/basis/shell_angular_momenta",
                                         "/basis/shell_spherical", "/basis/shell_primitives"};
    int *numbers[4];
    char *citation = NULL, *name = hf_hdf5_get_text(reader, "/basis/name");
    if (hf_hdf5_has(reader, "/basis/citation"))
        citation = hf_hdf5_get_text(reader, "/basis/citation");
    self->basis_requested = hf_hdf5_get_text(reader, "/basis/requested");
    const int n = hf_hdf5_count_rows(reader, paths[0], false, 0);
    const int n_primitive = hf_hdf5_count_rows(reader, "/basis/exponents", true, 0);
    if (n < 1 || n > MOST_SHELLS || n_primitive < n)
        hf_hdf5_damaged(reader, "/basis has %d shells of %d primitives", n, n_primitive);
    for (int i = 0; i < 4; i++) numbers[i] = hf_hdf5_get_integers(reader, paths[i], n, 0);
    double *exponents = hf_hdf5_get_reals(reader, "/basis/exponents", n_primitive, 0);
    double *coefficients = hf_hdf5_get_reals(reader, "/basis/coefficients", n_primitive, 0);
    if (reader->status == HF_OK) {
        struct hf_shell *shell = calloc((size_t)n, sizeof *shell);
        if (shell != NULL)
            make_shells(reader, n, (const int *const *)numbers, n_primitive, exponents,
                        coefficients, shell);
        else
            hf_hdf5_no_memory(reader, "shells");
        make_basis(reader, self, name, citation, n, shell);
        free(shell);
    }
    free(coefficients);
    free(exponents);
    for (int i = 0; i < 4; i++) free(numbers[i]);
    free(citation);
    free(name);
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
    struct hf_checkpoint_setting *more =
        realloc(self->setting, (size_t)(self->n_setting + 1) * sizeof *more);
    if (more == NULL) return hf_hdf5_no_memory(reader, "the settings"), false;
    self->setting = more;
    snprintf(path, sizeof path, "/settings/%s", name);
    const struct hf_checkpoint_setting setting = {strdup(name), hf_hdf5_get_text(reader, path)};
    self->setting[self->n_setting++] = setting;
    if (setting.key == NULL) hf_hdf5_no_memory(reader, "the settings");
    return reader->status == HF_OK;
}

static void read_iterations(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char path[HF_CHECKPOINT_PATH];
    snprintf(path, sizeof path, "/iterations/%s", hf_iteration_columns[0].name);
    const int n = hf_hdf5_count_rows(reader, path, true, 0);
    if (n > MOST_ITERATIONS) hf_hdf5_damaged(reader, "/iterations has %d of them", n);
    if (n == 0 && self->state.n_iteration > 0)
        hf_hdf5_damaged(reader, "/iterations has none of %d", self->state.n_iteration);
    if (n == 0 || reader->status != HF_OK) return;
    self->iteration = calloc((size_t)n, sizeof *self->iteration);
    if (self->iteration == NULL) {
        hf_hdf5_no_memory(reader, "iterations");
        return;
    }
    self->n_iteration = n;
    for (int i = 0; i < n; i++) self->iteration[i].number = i + 1;
    for (int c = 0; c < HF_N_ITERATION_COLUMN; c++) {
        snprintf(path, sizeof path, "/iterations/%s", hf_iteration_columns[c].name);
        double *values = hf_hdf5_get_reals(reader, path, n, 0);
        for (int i = 0; i < n && values != NULL; i++)
            memcpy((char *)&self->iteration[i] + hf_iteration_columns[c].offset, &values[i],
                   sizeof *values);
        free(values);
    }
}

static void read_reason(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char *text = hf_hdf5_get_text(reader, "/state/reason");
    int i = 0;
    while (text != NULL && i < 3 && strcmp(text, hf_keep_reason_names[i]) != 0) i++;
    if (i == 3) hf_hdf5_damaged(reader, "/state/reason is unknown");
    self->reason = (enum hf_keep_reason)(i < 3 ? i : 0);
    free(text);
}

static void read_numbers(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_scf_restart *state = &self->state;
    const int n = self->basis != NULL ? self->basis->n_function : 0;
    self->method = hf_hdf5_get_text(reader, "/state/method");
    read_reason(reader, self);
    self->converged = hf_hdf5_get_integer(reader, "/state/converged", 0, 1) == 1;
    self->seconds = hf_hdf5_get_real(reader, "/state/seconds", 0.0, 1e12);
    state->method = self->method;
    state->n_iteration = hf_hdf5_get_integer(reader, "/state/n_iteration", 0, MOST_ITERATIONS);
    state->energy = hf_hdf5_get_real(reader, "/state/energy", -LARGEST_ENERGY, LARGEST_ENERGY);
    hf_hdf5_get_real(reader, "/state/energy_change", -LARGEST_ENERGY, LARGEST_ENERGY);
    state->commutator = hf_hdf5_get_real(reader, "/state/commutator", 0.0, LARGEST_ENERGY);
    state->threshold = hf_hdf5_get_real(reader, "/state/threshold", 0.0, 1.0);
    if (state->threshold == 0.0) state->threshold = INFINITY;
    state->guess_energy =
        hf_hdf5_get_real(reader, "/state/guess_energy", -LARGEST_ENERGY, LARGEST_ENERGY);
    state->n_function = hf_hdf5_get_integer(reader, "/state/n_function", n, n);
    state->n_orbital = hf_hdf5_get_integer(reader, "/state/n_orbital", 1, n);
    const int most_spin = self->version > HF_CHECKPOINT_CLOSED_SHELLS ? HF_MAX_SPIN : 1;
    state->n_spin = hf_hdf5_get_integer(reader, "/state/n_spin", 1, most_spin);
    state->n_fock = state->n_density = 1;
    if (self->version > HF_CHECKPOINT_CLOSED_SHELLS) {
        state->n_fock = hf_hdf5_get_integer(reader, "/state/n_fock", state->n_spin, HF_MAX_SPIN);
        state->n_density =
            hf_hdf5_get_integer(reader, "/state/n_density", state->n_fock, HF_MAX_SPIN);
    }
    state->n_diis = hf_hdf5_get_integer(reader, "/state/n_diis", 0, MOST_DIIS);
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
    int *n_occupied = hf_hdf5_get_integers(reader, "/state/n_occupied", state->n_spin, 0);
    int *n_column = hf_hdf5_get_integers(reader, "/state/n_column", state->n_spin, 0);
    for (int k = 0; k < state->n_spin && reader->status == HF_OK; k++) {
        struct hf_checkpoint_orbitals *orbitals = &self->spin[k];
        orbitals->n_occupied = n_occupied[k];
        state->n_column[k] = n_column[k];
        if (n_occupied[k] < 0 || n_occupied[k] > m || n_column[k] < 0 || n_column[k] > m ||
            (n_column[k] > 0 && n_column[k] < n_occupied[k]))
            hf_hdf5_damaged(reader, "/state: %d orbitals, %d of %d occupied", n_column[k],
                            n_occupied[k], m);
        hf_orbitals_path(state->n_spin, k, "/energies", path);
        orbitals->energy = hf_hdf5_get_reals(reader, path, m, 0);
        hf_orbitals_path(state->n_spin, k, "/occupations", path);
        orbitals->occupation = hf_hdf5_get_reals(reader, path, m, 0);
        state->occupation[k] = orbitals->occupation;
    }
    if (reader->status == HF_OK && state->n_column[0] > 0) check_occupations(reader, self);
    free(n_column);
    free(n_occupied);
}

/** Whether this is a checkpoint that can be read. */
static void read_identity(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char format[32], text[64];
    H5G_info_t root;
    if (H5Gget_info(reader->file, &root) < 0) hf_hdf5_damaged(reader, "/ cannot be read");
    if (reader->status != HF_OK) return;
    hf_hdf5_get_root_text(reader, "format", sizeof format, format);
    self->version = hf_hdf5_get_root_integer(reader, "format_version");
    hf_hdf5_get_root_text(reader, "program_version", sizeof text, text);
    self->program_version = strdup(text);
    if (strcmp(format, hf_checkpoint_format) != 0) {
        reader->status = hf_fail(reader->error, HF_BAD_INPUT,
                                 "%.400s: this HDF5 file is no checkpoint of hf", reader->name);
        return;
    }
    if (self->version > HF_CHECKPOINT_VERSION) {
        reader->status =
            hf_fail(reader->error, HF_BAD_INPUT,
                    "%.400s: a checkpoint of layout %d, written by hf %s; this hf reads layouts up "
                    "to %d: use a newer one",
                    reader->name, self->version, text, HF_CHECKPOINT_VERSION);
        return;
    }
    if (self->version < 1) hf_hdf5_damaged(reader, "its layout has no version");
    hf_hdf5_get_root_text(reader, "written", sizeof text, text);
    self->written = strdup(text);
    hf_hdf5_get_root_text(reader, "molecule_hash", sizeof text, text);
    self->molecule_hash = strdup(text);
    hf_hdf5_get_root_text(reader, "basis_hash", sizeof text, text);
    self->basis_hash = strdup(text);
    if (self->program_version == NULL || self->written == NULL || self->molecule_hash == NULL ||
        self->basis_hash == NULL)
        hf_hdf5_no_memory(reader, "its names");
}

/** Everything but the matrices. */
static void read_description(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct settings_reading settings = {reader, self};
    read_identity(reader, self);
    if (reader->status == HF_OK) read_molecule(reader, self);
    if (reader->status == HF_OK) read_basis(reader, self);
    hf_hdf5_visit(reader, "/settings", read_setting, &settings);
    read_numbers(reader, self);
    read_iterations(reader, self);
    if (reader->status == HF_OK) read_orbitals(reader, self);
}

/** Opens what `access` leads to (and closes that) and reads; `whole`: with its matrices. */
static hf_status read_file(const char *path, const char *name, hid_t access, double bytes,
                           bool whole, struct hf_checkpoint *self, struct hf_error *error)
{
    *self = (struct hf_checkpoint){.file_bytes = bytes};
    struct hf_hdf5_reader reader = {.file = -1, .name = name, .file_bytes = bytes, .error = error};
    if (access >= 0) {
        reader.file = H5Fopen(path, H5F_ACC_RDONLY, access);
        H5Pclose(access);
    }
    self->path = strdup(name);
    self->file = calloc(1, sizeof *self->file);
    if (self->file != NULL)
        *self->file = (struct hf_checkpoint_file){reader.file, self->path, bytes};
    if (self->path == NULL || self->file == NULL) {
        if (self->file == NULL && reader.file >= 0) H5Fclose(reader.file);
        reader.status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a checkpoint");
    } else if (reader.file < 0) {
        hf_hdf5_damaged(&reader, "HDF5 cannot open it; it is cut or overwritten");
    } else {
        read_description(&reader, self);
        if (whole && reader.status == HF_OK) hf_checkpoint_check_matrices(&reader, self, false);
    }
    self->state.read = hf_checkpoint_read_rows;
    self->state.data = self;
    self->state.name = self->path;
    if (reader.status != HF_OK) hf_checkpoint_done(self);
    return reader.status;
}

hf_status hf_checkpoint_read_description(size_t n_byte, const void *image, const char *name,
                                         struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    const hf_status status = read_file("image", name, hf_hdf5_memory_access(n_byte, image),
                                       (double)n_byte, false, checkpoint, error);
    hf_hdf5_silence_end(silence);
    return status;
}

hf_status hf_checkpoint_read_image(size_t n_byte, const void *image, const char *name,
                                   struct hf_checkpoint *checkpoint, struct hf_error *error)
{
    *checkpoint = (struct hf_checkpoint){0};
    if (n_byte == 0) return hf_fail(error, HF_BAD_INPUT, "%.400s: the file is empty", name);
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    const hf_status status = read_file("image", name, hf_hdf5_memory_access(n_byte, image),
                                       (double)n_byte, true, checkpoint, error);
    hf_hdf5_silence_end(silence);
    return status;
}

/** What can be told of a file before HDF5 sees it. */
static hf_status look(const char *path, double *bytes, struct hf_error *error)
{
    char begin[HF_HDF5_SIGNATURE_SIZE];
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
    const size_t n = fread(begin, 1, sizeof begin, stream);
    const bool unread = ferror(stream) != 0;
    fclose(stream);
    if (unread) return hf_fail(error, HF_NO_RESOURCE, "%.400s: the file cannot be read", path);
    if (!hf_hdf5_begins(n, begin))
        return hf_fail(error, HF_BAD_INPUT,
                       "%.400s: not a checkpoint of hf (it does not begin as an HDF5 file)", path);
    *bytes = (double)file.st_size;
    return HF_OK;
}

hf_status hf_checkpoint_read(const char *path, struct hf_checkpoint *checkpoint,
                             struct hf_error *error)
{
    double bytes = 0.0;
    *checkpoint = (struct hf_checkpoint){0};
    hf_status status = look(path, &bytes, error);
    if (status != HF_OK) return status;
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    status = read_file(path, path, hf_hdf5_disk_access(), bytes, true, checkpoint, error);
    hf_hdf5_silence_end(silence);
    return status;
}

void hf_checkpoint_done(struct hf_checkpoint *checkpoint)
{
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    if (checkpoint->file != NULL && checkpoint->file->file >= 0) H5Fclose(checkpoint->file->file);
    hf_hdf5_silence_end(silence);
    free(checkpoint->file);
    free(checkpoint->path);
    free(checkpoint->program_version);
    free(checkpoint->written);
    free(checkpoint->molecule_hash);
    free(checkpoint->basis_hash);
    hf_molecule_done(&checkpoint->molecule);
    hf_basis_destroy(&checkpoint->basis);
    free(checkpoint->basis_requested);
    free(checkpoint->method);
    for (int i = 0; i < checkpoint->n_setting; i++) {
        free((char *)checkpoint->setting[i].key);
        free((char *)checkpoint->setting[i].value);
    }
    free(checkpoint->setting);
    free(checkpoint->iteration);
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        free(checkpoint->spin[k].energy);
        free(checkpoint->spin[k].occupation);
    }
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
