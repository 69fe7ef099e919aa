/* TREXIO files: geometry, basis with core potentials, all orbitals, and one-electron integrals if they are asked for. Their
 * layout in HDF5 is written directly, an orbital at a time: the library of TREXIO takes whole matrices of orbitals only.
 * The norm of every function is 1. */
#include "orbital_file.h"

#include "checkpoint/trexio.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"

#include <errno.h>

/** A file being written. */
struct trexio {
    struct hf_orbital_file base;
    struct hf_function_order order;
    struct hf_arena arena;
    int *place;                   /**< [n] of our functions in the file */
    double *row;                  /**< [n] a row in the order of the file */
    struct hf_hdf5_writer writer; /**< on rank 0 */
    hid_t dataset;                /**< of the matrix that is being written */
    bool integrals;               /**< it is over functions, not of orbitals */
    int first;                    /**< its row for orbital 0 of the set */
};

/** Kind of all functions; p functions do not decide. */
static enum hf_shell_kind kind_of_functions(const struct hf_basis *basis)
{
    enum hf_shell_kind kind = HF_NO_SHELLS;
    for (int l = 2; l <= HF_MAX_L; l++) kind |= hf_shell_kind_of(basis, l);
    return kind;
}

static bool is_cartesian(const struct hf_basis *basis)
{
    return kind_of_functions(basis) == HF_CARTESIAN_SHELLS;
}

static hf_status plan_trexio(struct hf_quantity *quantity, struct hf_error *error)
{
    const char *path = hf_orbital_file_path(quantity, 0);
    if (hf_is_special_file(path))
        return hf_fail(error, HF_BAD_INPUT, "%.300s is a device or a pipe; expected a file", path);
    if (kind_of_functions(quantity->of->basis) == HF_MIXED_SHELLS)
        return hf_fail(error, HF_BAD_INPUT,
                       "some shells are spherical and some Cartesian, which the format cannot "
                       "describe; choose with --functions");
    return HF_OK;
}

static int count_all_orbitals(const struct hf_wavefunction *shown)
{
    int n = 0;
    for (int spin = 0; spin < shown->n_spin; spin++) n += shown->spin[spin].n_orbital;
    return n;
}

/** Rank 0's part of the beginning: everything but matrices. */
static hf_status begin_file(struct trexio *self, struct hf_error *error)
{
    const struct hf_quantity_source *of = self->base.of;
    const struct hf_wavefunction *shown = &self->base.shown;
    const int n = shown->basis->n_function, n_orbital = count_all_orbitals(shown);
    int at = 0;
    struct hf_trexio_orbital *orbital = HF_TAKE(&self->arena, orbital, (size_t)n_orbital);
    double *factor = HF_TAKE(&self->arena, factor, (size_t)n);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int i = 0; i < n; i++) factor[i] = 1.0 / self->order.factor[i];
    for (int spin = 0; spin < shown->n_spin; spin++)
        for (int k = 0; k < shown->spin[spin].n_orbital; k++)
            orbital[at++] = (struct hf_trexio_orbital){shown->spin[spin].energy[k],
                                                       shown->spin[spin].occupation[k], spin};
    const struct hf_trexio_content content = {
        .molecule = shown->molecule,
        .basis = shown->basis,
        .cartesian = is_cartesian(shown->basis),
        .factor = factor,
        .nuclear_repulsion = of->result->nuclear_repulsion,
        .energy = self->base.natural ? of->energy : of->result->energy,
        .kind = self->base.natural      ? "Natural"
                : of->localised != NULL ? "Local"
                                        : "HF",
        .has_energies = !self->base.natural,
        .n_orbital = n_orbital,
        .orbital = orbital,
    };
    hf_hdf5_create(&self->writer, self->base.file.temporary, hf_hdf5_disk_access());
    hf_trexio_put(&self->writer, &content);
    return HF_OK;
}

/** hf_matrix_rows_function */
static hf_status put_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct trexio *self = data;
    const int n_function = self->base.shown.basis->n_function;
    const double *factor = self->order.factor;
    (void)error; /* reported once, at the end */
    for (int k = 0; k < n && !self->writer.failed; k++) {
        const double *row = rows + (size_t)k * (size_t)n_function;
        const int to = self->integrals ? self->place[first + k] : self->first + first + k;
        for (int i = 0; i < n_function; i++) {
            const double value = row[self->order.function[i]];
            self->row[i] = self->integrals ? value / (factor[i] * factor[to]) : factor[i] * value;
        }
        hf_hdf5_put_rows(&self->writer, self->dataset, to, 1, self->row);
    }
    return HF_OK;
}

static void begin_matrix(struct trexio *self, const char *path, int n_row)
{
    if (self->base.of->context->rank == 0)
        self->dataset = hf_hdf5_put_matrix(&self->writer, path, n_row,
                                           self->base.shown.basis->n_function, NULL, NULL);
}

static void end_matrix(struct trexio *self)
{
    if (self->dataset >= 0 && H5Dclose(self->dataset) < 0) self->writer.failed = true;
    self->dataset = -1;
}

/** Matrices of operators, one after the other. Collective. */
static hf_status put_integrals(struct trexio *self, struct hf_error *error)
{
    static const struct {
        const char *path;
        const struct hf_term_ops *term; /**< NULL: the overlap, or the sum of all terms */
    } list[] = {{"/ao_1e_int/ao_1e_int_overlap", NULL},
                {"/ao_1e_int/ao_1e_int_kinetic", &hf_term_kinetic},
                {"/ao_1e_int/ao_1e_int_potential_n_e", &hf_term_nuclei},
                {"/ao_1e_int/ao_1e_int_ecp", &hf_term_core_potential},
                {"/ao_1e_int/ao_1e_int_core_hamiltonian", NULL}};
    enum { N_LIST = sizeof list / sizeof *list };
    const struct hf_wavefunction *shown = &self->base.shown;
    const int n = shown->basis->n_function;
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *matrix = NULL;
    hf_status status;
    self->integrals = true;
    HF_TRY(hf_hamiltonian_create(self->base.of->context, shown->linalg, shown->basis,
                                 shown->molecule, &hamiltonian, error));
    HF_TRY(hf_matrix_create(shown->linalg, "one-electron integrals", n, n, &matrix, error));
    for (int i = 0; i < N_LIST; i++) {
        if (list[i].term != NULL && !list[i].term->present(shown->molecule)) continue;
        HF_TRY(i == 0 ? hf_operator_matrix(hamiltonian, HF_OVERLAP, matrix, error)
               : list[i].term != NULL
                   ? hf_hamiltonian_term(hamiltonian, list[i].term, matrix, error)
                   : hf_hamiltonian_core(hamiltonian, matrix, error));
        begin_matrix(self, list[i].path, n);
        status = hf_matrix_send_rows(matrix, put_rows, self, error);
        end_matrix(self);
        HF_TRY(status);
    }
cleanup:
    hf_matrix_destroy(&matrix);
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}

/** Collective. */
static hf_status put_coefficients(struct trexio *self, struct hf_error *error)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    hf_status status = HF_OK;
    begin_matrix(self, HF_TREXIO_COEFFICIENTS, count_all_orbitals(shown));
    for (int spin = 0; spin < shown->n_spin && status == HF_OK; spin++) {
        status = hf_orbital_file_send(&self->base, spin, put_rows, self, error);
        self->first += shown->spin[spin].n_orbital;
    }
    end_matrix(self);
    return status;
}

/** Local. */
static hf_status make_orders(struct trexio *self, struct hf_error *error)
{
    const struct hf_basis *basis = self->base.shown.basis;
    HF_CHECK(hf_function_order_init(basis, NULL, !is_cartesian(basis), &self->order, error));
    HF_TAKE(&self->arena, self->place, (size_t)basis->n_function);
    HF_TAKE(&self->arena, self->row, (size_t)basis->n_function);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int i = 0; i < basis->n_function; i++) self->place[self->order.function[i]] = i;
    return HF_OK;
}

static hf_status write_trexio(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    struct trexio self = {
        .arena = {.label = "the TREXIO file"}, .writer = {.file = -1}, .dataset = -1};
    const struct hf_hdf5_silence silence = hf_hdf5_silence_begin();
    hf_status status;
    HF_TRY(hf_orbital_file_open(quantity, &self.base, error));
    status = make_orders(&self, error);
    if (status == HF_OK && of->context->rank == 0) status = begin_file(&self, error);
    HF_TRY(hf_agree(of->context->comm, status, error));
    HF_TRY(put_coefficients(&self, error));
    if (hf_options_flag(of->options, "trexio_integrals")) HF_TRY(put_integrals(&self, error));
cleanup:
    hf_hdf5_close(&self.writer);
    if (self.writer.failed && self.base.file.why == 0)
        self.base.file.why = self.writer.why != 0 ? self.writer.why : EIO;
    hf_hdf5_silence_end(silence);
    hf_arena_done(&self.order.arena);
    hf_arena_done(&self.arena);
    return hf_orbital_file_close(&self.base, status, error);
}

const struct hf_option hf_options_trexio[] = {
    HF_ROW_TEXT("trexio", "FILE", "write geometry, basis and orbitals (TREXIO, in HDF5)",
                .not_kept = true, HF_ALONE),
    HF_ROW_FLAG("trexio_integrals", "also write one-electron integrals to the TREXIO file",
                .more =
                    "overlap, kinetic energy, nuclei, core potentials, and the sum of all terms",
                .not_kept = true, .only_with = {{"trexio", NULL}}),
    {0}};

const struct hf_quantity_ops hf_quantity_trexio = {
    .name = "TREXIO file",
    .options = hf_options_trexio,
    .option = "trexio",
    .needs = HF_WAVEFUNCTION_ALL,
    .file = "the TREXIO file",
    .plan = plan_trexio,
    .path = hf_orbital_file_path,
    .write = write_trexio,
};
