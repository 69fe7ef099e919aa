/* A calculation's state to HDF5; the layout is told in docs/guide.md. */
#include "hf/checkpoint.h"

#include "checkpoint_cores.h"
#include "checkpoint_file.h"
#include "checkpoint_hdf5.h"
#include "checkpoint_layout.h"

#include "hf/matrix_rows.h"
#include "hf/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** What is written, and to where. */
struct writing {
    struct hf_context *context;
    const struct hf_checkpoint_content *content;
    const struct hf_scf_state *state;
    enum hf_keep_reason reason;
    struct hf_part_file file;
    struct hf_hdf5_writer writer; /**< on rank 0 */
    hid_t dataset;                /**< of the matrix that is being written */
};

static void put_identity(struct writing *self)
{
    struct hf_hdf5_writer *writer = &self->writer;
    const struct hf_checkpoint_content *content = self->content;
    char written[32] = "", hash[HF_HASH_SIZE];
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) strftime(written, sizeof written, "%Y-%m-%dT%H:%M:%SZ", &utc);
    hf_hdf5_put_root_text(writer, "format", hf_checkpoint_format);
    hf_hdf5_put_root_integer(writer, "format_version", HF_CHECKPOINT_VERSION);
    hf_hdf5_put_root_text(writer, "program", "hf");
    hf_hdf5_put_root_text(writer, "program_version", hf_version());
    hf_hdf5_put_root_text(writer, "written", written);
    hf_molecule_hash(content->molecule, hash);
    hf_hdf5_put_root_text(writer, "molecule_hash", hash);
    hf_basis_hash(content->basis, hash);
    hf_hdf5_put_root_text(writer, "basis_hash", hash);
    hf_hdf5_put_root_text(
        writer, "about",
        "State of a Hartree-Fock calculation; see docs/guide.md of hf. Hashes are "
        "FNV-1a, 64 bits: molecule: atoms, charge, multiplicity, point charges, field; "
        "basis: atoms, shells and core potentials.");
}

static void put_point_charges(struct hf_hdf5_writer *writer,
                              const struct hf_environment *environment)
{
    const int n = environment->n_charge;
    double *values = calloc((size_t)n * 4 + 1, sizeof *values);
    if (values == NULL) {
        writer->failed = true;
        return;
    }
    for (int i = 0; i < n; i++) {
        values[4 * i] = environment->charge[i].charge;
        memcpy(&values[4 * i + 1], environment->charge[i].position_bohr, 3 * sizeof *values);
    }
    hf_hdf5_put_reals(writer, "/molecule/point_charges", n, 4, values, "e, bohr",
                      "charges that are no nuclei: charge, x, y, z");
    free(values);
}

static void put_molecule(struct hf_hdf5_writer *writer, const struct hf_molecule *molecule)
{
    const int n = molecule->n_atom;
    int *numbers = calloc((size_t)n + 1, sizeof *numbers);
    int *ghosts = calloc((size_t)n + 1, sizeof *ghosts);
    double *positions = calloc((size_t)n * 3 + 1, sizeof *positions);
    if (numbers == NULL || ghosts == NULL || positions == NULL) writer->failed = true;
    for (int i = 0; i < n && !writer->failed; i++) {
        numbers[i] = molecule->atom[i].atomic_number;
        ghosts[i] = molecule->atom[i].ghost;
        memcpy(&positions[3 * i], molecule->atom[i].position_bohr, 3 * sizeof *positions);
    }
    hf_hdf5_put_group(writer, "/molecule", "the molecule and what acts on it from outside");
    hf_hdf5_put_text(writer, "/molecule/title", molecule->title, "title of the input");
    hf_hdf5_put_integer(writer, "/molecule/charge", molecule->charge, "total charge, e");
    hf_hdf5_put_integer(writer, "/molecule/multiplicity", molecule->multiplicity, "2S+1");
    hf_hdf5_put_integers(writer, "/molecule/atomic_numbers", n, 0, numbers, "of each atom");
    hf_hdf5_put_integers(writer, "/molecule/ghosts", n, 0, ghosts,
                         "1: the atom has basis functions but neither charge nor electrons");
    hf_hdf5_put_reals(writer, "/molecule/positions", n, 3, positions, "bohr",
                      "x, y, z of each atom");
    put_point_charges(writer, &molecule->environment);
    hf_hdf5_put_reals(writer, "/molecule/field", 3, 0, molecule->environment.field,
                      "hartree/(e bohr)", "uniform electric field");
    free(positions);
    free(ghosts);
    free(numbers);
}

/** Arrays over the shells: atom, l, spherical, primitives; exponents and coefficients of all. */
static void put_shells(struct hf_hdf5_writer *writer, const struct hf_basis *basis)
{
    const size_t n = (size_t)basis->n_shell, n_primitive = (size_t)basis->n_primitive;
    int *numbers = calloc(4 * n + 1, sizeof *numbers);
    double *reals = calloc(2 * n_primitive + 1, sizeof *reals);
    if (numbers == NULL || reals == NULL) writer->failed = true;
    size_t at = 0;
    for (size_t i = 0; i < n && !writer->failed; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        const size_t bytes = (size_t)shell->n_primitive * sizeof *reals;
        numbers[i] = shell->atom;
        numbers[n + i] = shell->l;
        numbers[2 * n + i] = shell->spherical;
        numbers[3 * n + i] = shell->n_primitive;
        memcpy(reals + at, shell->exponent, bytes);
        memcpy(reals + n_primitive + at, shell->coefficient, bytes);
        at += (size_t)shell->n_primitive;
    }
    hf_hdf5_put_integers(writer, "/basis/shell_atoms", (int)n, 0, numbers,
                         "atom of each shell, the first is 0");
    hf_hdf5_put_integers(writer, "/basis/shell_angular_momenta", (int)n, 0, numbers + n,
                         "0 s, 1 p, 2 d ...");
    hf_hdf5_put_integers(writer, "/basis/shell_spherical", (int)n, 0, numbers + 2 * n,
                         "1: 2l+1 functions, m = -l ... +l; 0: (l+1)(l+2)/2, xx xy xz yy yz zz");
    hf_hdf5_put_integers(writer, "/basis/shell_primitives", (int)n, 0, numbers + 3 * n,
                         "primitive Gaussians of each shell");
    hf_hdf5_put_reals(writer, "/basis/exponents", (int)n_primitive, 0, reals, "1/bohr^2",
                      "of the primitives, shell after shell");
    hf_hdf5_put_reals(writer, "/basis/coefficients", (int)n_primitive, 0, reals + n_primitive, NULL,
                      "of x^l exp(-a r^2), so that <x^l|x^l> = 1");
    free(reals);
    free(numbers);
}

static void put_basis(struct hf_hdf5_writer *writer, const struct hf_checkpoint_content *content)
{
    hf_hdf5_put_group(writer, "/basis", "the basis functions, in the order of all matrices");
    hf_hdf5_put_text(writer, "/basis/name", content->basis->name, "as published");
    hf_hdf5_put_text(writer, "/basis/requested", content->basis_requested, "as it was asked for");
    hf_hdf5_put_text(writer, "/basis/citation", content->basis->citation, "literature");
    put_shells(writer, content->basis);
    hf_checkpoint_put_cores(writer, content->basis);
}

static void put_settings(struct hf_hdf5_writer *writer, const struct hf_checkpoint_content *content)
{
    hf_hdf5_put_group(writer, "/settings", "as keys of an input file");
    for (int i = 0; i < content->n_setting; i++) {
        char path[100];
        snprintf(path, sizeof path, "/settings/%s", content->setting[i].key);
        hf_hdf5_put_text(writer, path, content->setting[i].value, NULL);
    }
}

/** One column of the table of iterations. */
static void put_column(struct hf_hdf5_writer *writer, const struct hf_checkpoint_content *content,
                       size_t offset, const char *name, const char *units, const char *about)
{
    const int n = content->n_earlier + content->n_iteration;
    char path[100];
    double *values = calloc((size_t)n + 1, sizeof *values);
    if (values == NULL) writer->failed = true;
    for (int i = 0; i < n && !writer->failed; i++) {
        const bool earlier = i < content->n_earlier;
        const struct hf_scf_iteration *iteration =
            earlier ? &content->earlier[i] : &content->iteration[i - content->n_earlier];
        memcpy(&values[i], (const char *)iteration + offset, sizeof *values);
    }
    snprintf(path, sizeof path, "/iterations/%s", name);
    hf_hdf5_put_reals(writer, path, n, 0, values, units, about);
    free(values);
}

static void put_iterations(struct hf_hdf5_writer *writer,
                           const struct hf_checkpoint_content *content)
{
    hf_hdf5_put_group(writer, "/iterations", "one number per iteration, from the first");
    for (int i = 0; i < HF_N_ITERATION_COLUMN; i++) {
        const struct hf_iteration_column *column = &hf_iteration_columns[i];
        put_column(writer, content, column->offset, column->name, column->units, column->about);
    }
}

static void put_state(struct writing *self)
{
    struct hf_hdf5_writer *writer = &self->writer;
    const struct hf_scf_state *state = self->state;
    int n_occupied[HF_MAX_SPIN], n_column[HF_MAX_SPIN] = {0};
    for (int k = 0; k < state->n_spin; k++) {
        n_occupied[k] = state->spin[k].n_occupied;
        if (state->spin[k].coefficient != NULL)
            n_column[k] = hf_matrix_n_col(state->spin[k].coefficient);
    }
    hf_hdf5_put_group(writer, "/state", "where the calculation stands");
    hf_hdf5_put_text(writer, "/state/method", state->method, NULL);
    hf_hdf5_put_text(writer, "/state/reason", hf_keep_reason_names[self->reason],
                     "iteration: it went on; interrupted; finished");
    hf_hdf5_put_integer(writer, "/state/converged", state->converged, "1: yes");
    hf_hdf5_put_integer(writer, "/state/n_iteration", state->n_iteration, "iterations done");
    hf_hdf5_put_real(writer, "/state/energy", state->energy, "hartree", "of the last iteration");
    hf_hdf5_put_real(writer, "/state/energy_change", state->energy_change, "hartree", NULL);
    hf_hdf5_put_real(writer, "/state/commutator", state->commutator, NULL,
                     "largest element of X^T (FDS - SDF) X");
    hf_hdf5_put_real(writer, "/state/threshold", isinf(state->threshold) ? 0.0 : state->threshold,
                     "hartree", "screening of the last Fock build; 0: there was none");
    hf_hdf5_put_real(writer, "/state/guess_energy", state->guess_energy, "hartree",
                     "of the first iteration");
    hf_hdf5_put_real(writer, "/state/seconds", self->content->seconds, "s",
                     "wall time so far, of all runs");
    hf_hdf5_put_integer(writer, "/state/n_function", state->n_function, "basis functions");
    hf_hdf5_put_integer(writer, "/state/n_orbital", state->n_orbital,
                        "orbitals; fewer where linear dependence was removed");
    hf_hdf5_put_integer(writer, "/state/n_spin", state->n_spin,
                        "sets of orbitals; 1: for both spins; 2: alpha and beta");
    hf_hdf5_put_integer(writer, "/state/n_fock", state->n_fock,
                        "Fock matrices; 1: for both spins; 2: alpha and beta");
    hf_hdf5_put_integer(writer, "/state/n_density", state->n_density,
                        "1: closed shells; 2: total and spin density");
    hf_hdf5_put_integers(writer, "/state/n_occupied", state->n_spin, 0, n_occupied,
                         "occupied orbitals of each spin");
    hf_hdf5_put_integers(writer, "/state/n_column", state->n_spin, 0, n_column,
                         "orbitals whose coefficients are here; 0: none yet");
    hf_hdf5_put_integer(writer, "/state/n_diis", state->n_diis, "Fock matrices of DIIS");
}

/** Groups and small arrays of orbitals and DIIS; the matrices follow. */
static void put_orbitals(struct writing *self)
{
    struct hf_hdf5_writer *writer = &self->writer;
    const struct hf_scf_state *state = self->state;
    char path[HF_CHECKPOINT_PATH];
    hf_hdf5_put_group(writer, "/orbitals", "of the next Fock build; of the last one when finished");
    for (int k = 0; k < state->n_spin; k++) {
        const struct hf_orbitals *orbitals = &state->spin[k];
        const int m = orbitals->n_orbital;
        hf_hdf5_put_group(writer, hf_orbitals_path(state->n_spin, k, "", path), NULL);
        hf_hdf5_put_reals(writer, hf_orbitals_path(state->n_spin, k, "/energies", path), m, 0,
                          orbitals->energy, "hartree", "orbital energies; 0 before there are any");
        hf_hdf5_put_reals(writer, hf_orbitals_path(state->n_spin, k, "/occupations", path), m, 0,
                          orbitals->occupation, NULL, "electrons in each orbital");
    }
    hf_hdf5_put_group(writer, "/density", "of these orbitals");
    hf_hdf5_put_group(
        writer, "/diis",
        "what DIIS remembers, the oldest first: A = F' + (F'D' - D'F'), F' = X^T F X");
    for (int i = 0; i < state->n_diis; i++)
        hf_hdf5_put_group(writer, hf_diis_path(i, 0, 0, path), NULL);
}

static hf_status take_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct writing *self = data;
    (void)error; /* told once, at the end */
    if (!self->writer.failed) hf_hdf5_put_rows(&self->writer, self->dataset, first, n, rows);
    return HF_OK;
}

/** A matrix, collectively; failures of rank 0 stick in its writer. */
static hf_status put_matrix(struct writing *self, const struct hf_matrix *matrix, const char *path,
                            const char *units, const char *about, struct hf_error *error)
{
    if (matrix == NULL) return HF_OK;
    self->dataset = -1;
    if (self->context->rank == 0)
        self->dataset = hf_hdf5_put_matrix(&self->writer, path, hf_matrix_n_row(matrix),
                                           hf_matrix_n_col(matrix), units, about);
    const hf_status status = hf_matrix_send_rows(matrix, take_rows, self, error);
    if (self->dataset >= 0) H5Dclose(self->dataset);
    return status;
}

static hf_status put_matrices(struct writing *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_scf_state *state = self->state;
    const int n_spin = state->n_spin, n_fock = state->n_fock;
    char path[HF_CHECKPOINT_PATH];
    for (int k = 0; k < n_spin; k++) {
        HF_TRY(put_matrix(
            self, state->spin[k].coefficient, hf_orbitals_path(n_spin, k, "/coefficients", path),
            NULL, "C: a row for each basis function, a column for each orbital; C^T S C = 1",
            error));
    }
    HF_TRY(put_matrix(self, state->density[0], "/density/total", "electrons",
                      "D = C n C^T of the orbitals of both spins, n the occupations", error));
    HF_TRY(put_matrix(self, state->density[1], "/density/spin", "electrons", "alpha less beta",
                      error));
    if (state->n_diis > 0)
        HF_TRY(put_matrix(self, state->x, "/diis/orthogonaliser", NULL, "X: X^T S X = 1", error));
    for (int i = 0; i < state->n_diis; i++)
        for (int k = 0; k < n_fock; k++)
            HF_TRY(put_matrix(self, state->diis[i * n_fock + k], hf_diis_path(i, n_fock, k, path),
                              "hartree", NULL, error));
cleanup:
    return status;
}

/** Bytes of the file, rather too many. */
static double file_bytes(const struct hf_checkpoint_content *content,
                         const struct hf_scf_state *state)
{
    const double n = state->n_function, m = state->n_orbital;
    const double reals = state->n_spin * (n * m + 2.0 * m) + state->n_density * n * n +
                         state->n_fock * state->n_diis * m * m + n * m +
                         2.0 * content->basis->n_primitive + 6.0 * content->molecule->n_atom +
                         2.0 * content->basis->n_shell +
                         4.0 * content->molecule->environment.n_charge +
                         8.0 * (content->n_earlier + content->n_iteration);
    const double headers = 65536.0;
    const char *citation = content->basis->citation;
    return 8.0 * reals + headers + (citation != NULL ? (double)strlen(citation) : 0.0);
}

/** Begins the file with everything but the matrices; on rank 0. */
static hf_status begin(struct writing *self, const char *path, struct hf_error *error)
{
    const double bytes = file_bytes(self->content, self->state);
    const hf_status status = hf_part_file_begin(path, bytes, &self->file, error);
    if (status != HF_OK) return status;
    hf_hdf5_create(&self->writer, self->file.part, hf_hdf5_disk_access());
    hf_part_file_reserve(&self->file, bytes);
    put_identity(self);
    put_molecule(&self->writer, self->content->molecule);
    put_basis(&self->writer, self->content);
    put_settings(&self->writer, self->content);
    put_iterations(&self->writer, self->content);
    put_state(self);
    put_orbitals(self);
    return HF_OK;
}

/** Ends the file; on rank 0. */
static hf_status end(struct writing *self, const char *path, bool good, struct hf_error *error)
{
    hf_hdf5_close(&self->writer);
    const bool failed = self->writer.failed;
    const hf_status status = hf_part_file_end(&self->file, good && !failed, error);
    if (status != HF_OK || !failed) return status;
    return hf_part_file_fail(path, self->writer.why, error);
}

hf_status hf_checkpoint_write(struct hf_context *context, const char *path,
                              const struct hf_checkpoint_content *content,
                              const struct hf_scf_state *state, enum hf_keep_reason reason,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    struct writing self = {
        .context = context, .content = content, .state = state, .reason = reason};
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    if (context->rank == 0) status = begin(&self, path, error);
    HF_TRY(hf_agree(context->comm, status, error));
    status = put_matrices(&self, error);
    if (context->rank == 0) {
        struct hf_error ignored;
        const bool good = status == HF_OK;
        const hf_status ended = end(&self, path, good, good ? error : &ignored);
        if (good) status = ended;
    }
    status = hf_agree(context->comm, status, error);
cleanup:
    hf_hdf5_silence_end(silence);
    return status;
}
