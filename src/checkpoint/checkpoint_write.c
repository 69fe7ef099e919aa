/* A calculation's state to HDF5; docs/guide.md describes the layout. */
#include "checkpoint/checkpoint.h"

#include "checkpoint_hdf5.h"

#include "hf/linalg.h"
#include "hf/version.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_identity(struct hf_hdf5_writer *writer, const struct hf_checkpoint *self)
{
    hf_hdf5_put_group_text(writer, "/", "format", hf_checkpoint_format);
    hf_hdf5_put_group_integer(writer, "/", "format_version", self->version);
    hf_hdf5_put_group_text(writer, "/", "program", "hf");
    hf_hdf5_put_group_text(writer, "/", "program_version", self->program_version);
    hf_hdf5_put_group_text(writer, "/", "written", self->written);
    hf_hdf5_put_group_text(writer, "/", "molecule_hash", self->molecule_hash);
    hf_hdf5_put_group_text(writer, "/", "basis_hash", self->basis_hash);
    hf_hdf5_put_group_text(
        writer, "/", "about",
        "State of a Hartree-Fock calculation; see docs/guide.md of hf. Hashes are "
        "FNV-1a, 64 bits: molecule: atoms, charge, multiplicity, point charges, field; "
        "basis: atoms, shells and core potentials.");
}

/** Exponents and coefficients of all shells, one shell after the other. */
static void put_primitives(struct hf_hdf5_writer *writer, const struct hf_basis *basis)
{
    const size_t n = (size_t)basis->n_primitive;
    double *values = calloc(2 * n + 1, sizeof *values), *at = values;
    if (values == NULL) writer->failed = true;
    for (int i = 0; i < basis->n_shell && !writer->failed; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        memcpy(at, shell->exponent, (size_t)shell->n_primitive * sizeof *at);
        memcpy(at + n, shell->coefficient, (size_t)shell->n_primitive * sizeof *at);
        at += shell->n_primitive;
    }
    for (size_t f = 0; f < 2; f++)
        hf_hdf5_put_numbers(writer, &hf_primitive_fields[f], basis->n_primitive, values + f * n);
    free(values);
}

static void put_basis(struct hf_hdf5_writer *writer, const struct hf_basis *basis)
{
    int n_term = 0;
    for (int i = 0; i < basis->n_core_potential; i++) n_term += basis->core_potential[i].n_term;
    hf_hdf5_put_fields(writer, &hf_basis_fields, -1, basis);
    hf_hdf5_put_fields(writer, &hf_shell_fields, basis->n_shell, basis->shell);
    put_primitives(writer, basis);
    hf_hdf5_put_fields(writer, &hf_core_fields, basis->n_core_potential, basis->core_potential);
    hf_hdf5_put_fields(writer, &hf_core_term_fields, n_term, basis->core_term);
}

/** Groups and small arrays of orbitals; the matrices follow. */
static void put_orbitals(struct hf_hdf5_writer *writer, const struct hf_checkpoint *self)
{
    const int n_spin = self->state.n_spin;
    char path[HF_CHECKPOINT_PATH];
    hf_hdf5_put_group(writer, "/orbitals", "of the next Fock build; of the last one when finished");
    for (int k = 0; k < n_spin; k++) {
        const double *const values[2] = {self->spin[k].energy, self->spin[k].occupation};
        hf_hdf5_put_group(writer, hf_orbitals_path(n_spin, k, "", path), NULL);
        for (int f = 0; f < 2; f++) {
            struct hf_field field = hf_orbital_fields[f];
            field.path = hf_orbitals_path(n_spin, k, field.path, path);
            hf_hdf5_put_numbers(writer, &field, self->state.n_orbital, values[f]);
        }
    }
}

void hf_checkpoint_put_description(struct hf_hdf5_writer *writer, const struct hf_checkpoint *self)
{
    const struct hf_molecule *molecule = &self->molecule;
    const struct hf_environment *environment = &molecule->environment;
    struct hf_checkpoint written = *self;
    if (isinf(written.state.threshold)) written.state.threshold = 0.0; /* there was none */
    put_identity(writer, self);
    hf_hdf5_put_group(writer, "/molecule", "the molecule and what acts on it from outside");
    hf_hdf5_put_group(writer, "/basis", "the basis functions, in the order of all matrices");
    hf_hdf5_put_group(writer, "/settings", "as keys of an input file");
    hf_hdf5_put_group(writer, "/iterations", "one number per iteration, from the first");
    hf_hdf5_put_group(writer, "/state", "where the calculation stands");
    hf_hdf5_put_fields(writer, &hf_checkpoint_fields, -1, &written);
    hf_hdf5_put_fields(writer, &hf_open_shell_fields, -1, self);
    hf_hdf5_put_fields(writer, &hf_occupied_fields, self->state.n_spin, self->spin);
    hf_hdf5_put_fields(writer, &hf_column_fields, self->state.n_spin, self->state.n_column);
    hf_hdf5_put_text(writer, "/state/reason", hf_keep_reason_names[self->reason],
                     "iteration: it went on; interrupted; finished");
    hf_hdf5_put_fields(writer, &hf_atom_fields, molecule->n_atom, molecule->atom);
    hf_hdf5_put_fields(writer, &hf_charge_fields, environment->n_charge, environment->charge);
    put_basis(writer, self->basis);
    hf_hdf5_put_fields(writer, &hf_iteration_fields, self->n_iteration, self->iteration);
    for (int i = 0; i < self->n_setting; i++) {
        char path[100];
        snprintf(path, sizeof path, "/settings/%s", self->setting[i].key);
        hf_hdf5_put_text(writer, path, self->setting[i].value, NULL);
    }
    put_orbitals(writer, self);
}

/** Writes all but the matrices, in the form in which a reader gets them. `iteration` has room for all iterations. */
static void put_content(struct hf_hdf5_writer *writer, const struct hf_checkpoint_content *content,
                        const struct hf_scf_state *state, enum hf_keep_reason reason,
                        struct hf_scf_iteration iteration[])
{
    char written[32] = "", molecule_hash[HF_HASH_SIZE], basis_hash[HF_HASH_SIZE];
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) strftime(written, sizeof written, "%Y-%m-%dT%H:%M:%SZ", &utc);
    hf_print_checksum(hf_molecule_checksum(content->molecule), molecule_hash);
    hf_print_checksum(hf_basis_checksum(content->basis), basis_hash);
    for (int i = 0; i < content->n_earlier; i++) iteration[i] = content->earlier[i];
    for (int i = 0; i < content->n_iteration; i++)
        iteration[content->n_earlier + i] = content->iteration[i];
    struct hf_checkpoint shown = {
        .version = HF_CHECKPOINT_VERSION,
        .program_version = (char *)hf_version(),
        .written = written,
        .molecule_hash = molecule_hash,
        .basis_hash = basis_hash,
        .molecule = *content->molecule,
        .basis = (struct hf_basis *)content->basis,
        .basis_requested = (char *)content->basis_requested,
        .method = (char *)state->method,
        .n_setting = content->n_setting,
        .setting = (struct hf_checkpoint_setting *)content->setting,
        .n_iteration = content->n_earlier + content->n_iteration,
        .iteration = iteration,
        .reason = reason,
        .converged = state->converged,
        .seconds = content->seconds,
        .energy_change = state->energy_change,
        .state = hf_scf_restart_of(state),
    };
    for (int k = 0; k < state->n_spin; k++)
        shown.spin[k] = (struct hf_checkpoint_orbitals){
            state->spin[k].n_occupied, state->spin[k].energy, state->spin[k].occupation};
    hf_checkpoint_put_description(writer, &shown);
}

static hf_status put_matrices(struct hf_checkpoint_addition *self, const struct hf_scf_state *state,
                              struct hf_error *error)
{
    const int n_spin = state->n_spin, n_fock = state->n_fock;
    char path[HF_CHECKPOINT_PATH];
    for (int k = 0; k < n_spin; k++) {
        HF_CHECK(hf_checkpoint_put_matrix(
            self, hf_orbitals_path(n_spin, k, "/coefficients", path), state->spin[k].coefficient,
            NULL, "C: a row for each basis function, a column for each orbital; C^T S C = 1",
            error));
    }
    HF_CHECK(hf_checkpoint_put_matrix(
        self, "/density/total", state->density[0], "electrons",
        "D = C n C^T of the orbitals of both spins, n the occupations", error));
    HF_CHECK(hf_checkpoint_put_matrix(self, "/density/spin", state->density[1], "electrons",
                                      "alpha less beta", error));
    if (state->n_diis > 0)
        HF_CHECK(hf_checkpoint_put_matrix(self, "/diis/orthogonaliser", state->x, NULL,
                                          "X: X^T S X = 1", error));
    for (int i = 0; i < state->n_diis; i++)
        for (int k = 0; k < n_fock; k++)
            HF_CHECK(hf_checkpoint_put_matrix(self, hf_diis_path(i, n_fock, k, path),
                                              state->diis[i * n_fock + k], "hartree", NULL, error));
    return HF_OK;
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
static hf_status begin(struct hf_checkpoint_addition *self,
                       const struct hf_checkpoint_content *content,
                       const struct hf_scf_state *state, enum hf_keep_reason reason,
                       struct hf_error *error)
{
    char group[HF_CHECKPOINT_PATH];
    const struct hf_checkpoint *continues = content->continues;
    const double bytes =
        file_bytes(content, state) + (continues != NULL ? continues->file_bytes : 0.0);
    const size_t n = (size_t)(content->n_earlier + content->n_iteration);
    struct hf_scf_iteration *iteration = calloc(n + 1, sizeof *iteration);
    if (iteration == NULL) return hf_part_file_fail(self->path, ENOMEM, error);
    const hf_status status = hf_part_file_begin(self->path, bytes, &self->file, error);
    if (status == HF_OK) {
        hf_hdf5_create(&self->writer, self->file.part, hf_hdf5_disk_access());
        hf_part_file_reserve(&self->file, bytes);
        put_content(&self->writer, content, state, reason, iteration);
        for (int i = 0; continues != NULL && hf_checkpoint_groups_added[i] != NULL; i++)
            hf_hdf5_copy_group(&self->writer, continues->file->file, hf_checkpoint_groups_added[i]);
        hf_hdf5_put_group(&self->writer, "/density", "of these orbitals");
        hf_hdf5_put_group(
            &self->writer, "/diis",
            "what DIIS remembers, the oldest first: A = F' + (F'D' - D'F'), F' = X^T F X");
        for (int i = 0; i < state->n_diis; i++)
            hf_hdf5_put_group(&self->writer, hf_diis_path(i, 0, 0, group), NULL);
    }
    free(iteration);
    return status;
}

hf_status hf_checkpoint_write(struct hf_context *context, const char *path,
                              const struct hf_checkpoint_content *content,
                              const struct hf_scf_state *state, enum hf_keep_reason reason,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_checkpoint_addition self = {.context = context, .path = path, .dataset = -1};
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    if (context->rank == 0) status = begin(&self, content, state, reason, error);
    HF_TRY(hf_agree(context->comm, status, error));
    status = hf_checkpoint_close(&self, put_matrices(&self, state, error), error);
cleanup:
    hf_hdf5_silence_end(silence);
    return status;
}
