/* TREXIO files: geometry, basis with core potentials, all orbitals, and one-electron integrals if they are asked for. Their
 * layout in HDF5 is written directly, an orbital at a time: the library of TREXIO takes whole matrices of orbitals only.
 * A function of the file is
 *
 *     N_i P_i(x,y,z) sum_k f_k c_k exp(-a_k r^2)
 *
 * with solid harmonics P of the norm of x^l (0, +1, -1 ..., p: z x y) or monomials (xx xy xz yy yz zz), the norm f of
 * primitives x^l, and N, which makes the norm of the function 1.
 * Source   Posenitskiy and others, J. Chem. Phys. 158, 174801 (2023); trex-coe.github.io/trexio/trex.html */
#include "orbital_file.h"

#include "checkpoint/hdf5_writer.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"
#include "hf/version.h"

#include <errno.h>
#include <stdio.h>

/** A file being written. */
struct trexio {
    struct hf_orbital_file base;
    struct hf_function_order order;
    struct hf_arena arena;
    int *place;                   /**< [n] of our functions in the file */
    double *row;                  /**< [n] a row in the order of the file */
    struct hf_hdf5_writer writer; /**< on rank 0 */
    hid_t dataset;                /**< of the matrix that is being written */
    int first;                    /**< its row for orbital 0 of the set */
};

/** Whether the functions are Cartesian; p functions do not decide. */
static bool is_cartesian(const struct hf_basis *basis)
{
    enum hf_shell_kind kind = HF_NO_SHELLS;
    for (int l = 2; l <= HF_MAX_L; l++) kind |= hf_shell_kind_of(basis, l);
    return (kind & HF_CARTESIAN_SHELLS) != 0;
}

static hf_status plan_trexio(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_basis *basis = quantity->of->basis;
    const char *path = hf_orbital_file_path(quantity, 0);
    if (hf_is_special_file(path))
        return hf_fail(error, HF_BAD_INPUT, "%.300s is a device or a pipe; expected a file", path);
    for (int l = 2; l <= HF_MAX_L; l++)
        if (is_cartesian(basis) && (hf_shell_kind_of(basis, l) & HF_SPHERICAL_SHELLS) != 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "some shells are spherical and some Cartesian, which the format cannot "
                           "describe; choose with --functions");
    return HF_OK;
}

static void put_system(struct trexio *self)
{
    const struct hf_molecule *molecule = self->base.shown.molecule;
    struct hf_hdf5_writer *writer = &self->writer;
    const int n = molecule->n_atom, n_electron = hf_molecule_n_electron(molecule);
    const int n_single = molecule->multiplicity - 1;
    double *charge = HF_TAKE(&self->arena, charge, (size_t)n);
    double(*place)[3] = HF_TAKE(&self->arena, place, (size_t)n);
    const char **label = HF_TAKE(&self->arena, label, (size_t)n);
    char code[64];
    const char *const codes[] = {code};
    if (self->arena.failed) return;
    for (int i = 0; i < n; i++) {
        charge[i] = hf_molecule_nuclear_charge(molecule, i);
        label[i] = hf_element_symbol(molecule->atom[i].atomic_number);
        for (int d = 0; d < 3; d++) place[i][d] = molecule->atom[i].position_bohr[d];
    }
    snprintf(code, sizeof code, "hf %s", hf_version());
    hf_hdf5_put_group_text(writer, "/metadata", "metadata_package_version", "2.2.3");
    hf_hdf5_put_group_text(writer, "/metadata", "metadata_description", molecule->title);
    hf_hdf5_put_group_integer(writer, "/metadata", "metadata_code_num", 1);
    hf_hdf5_put_texts(writer, "/metadata/metadata_code", 1, codes);
    hf_hdf5_put_group_integer(writer, "/nucleus", "nucleus_num", n);
    hf_hdf5_put_reals(writer, "/nucleus/nucleus_charge", n, 0, charge);
    hf_hdf5_put_reals(writer, "/nucleus/nucleus_coord", n, 3, place[0]);
    hf_hdf5_put_texts(writer, "/nucleus/nucleus_label", n, label);
    hf_hdf5_put_group_real(writer, "/nucleus", "nucleus_repulsion",
                           self->base.of->result->nuclear_repulsion);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_num", n_electron);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_up_num", (n_electron + n_single) / 2);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_dn_num", (n_electron - n_single) / 2);
    hf_hdf5_put_group_integer(writer, "/state", "state_id", 0);
    hf_hdf5_put_group_real(writer, "/state", "state_energy",
                           self->base.natural ? self->base.of->energy
                                              : self->base.of->result->energy);
}

static void put_primitives(struct trexio *self)
{
    const struct hf_basis *basis = self->base.shown.basis;
    struct hf_hdf5_writer *writer = &self->writer;
    const size_t n = (size_t)basis->n_primitive;
    int at = 0, *index = HF_TAKE(&self->arena, index, n);
    double *exponent = HF_TAKE(&self->arena, exponent, n);
    double *coefficient = HF_TAKE(&self->arena, coefficient, n);
    double *norm = HF_TAKE(&self->arena, norm, n);
    if (self->arena.failed) return;
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        for (int k = 0; k < shell->n_primitive; k++, at++) {
            index[at] = s;
            exponent[at] = shell->exponent[k];
            norm[at] = hf_primitive_norm(shell->l, shell->exponent[k]);
            coefficient[at] = shell->coefficient[k] / norm[at];
        }
    }
    hf_hdf5_put_group_integer(writer, "/basis", "basis_prim_num", at);
    hf_hdf5_put_integers(writer, "/basis/basis_shell_index", at, index);
    hf_hdf5_put_reals(writer, "/basis/basis_exponent", at, 0, exponent);
    hf_hdf5_put_reals(writer, "/basis/basis_coefficient", at, 0, coefficient);
    hf_hdf5_put_reals(writer, "/basis/basis_prim_factor", at, 0, norm);
}

static void put_functions(struct trexio *self)
{
    const struct hf_basis *basis = self->base.shown.basis;
    struct hf_hdf5_writer *writer = &self->writer;
    const int n_shell = basis->n_shell, n = basis->n_function;
    int *atom = HF_TAKE(&self->arena, atom, (size_t)n_shell);
    int *l = HF_TAKE(&self->arena, l, (size_t)n_shell);
    int *shell = HF_TAKE(&self->arena, shell, (size_t)n);
    double *factor = HF_TAKE(&self->arena, factor, (size_t)n_shell);
    double *norm = HF_TAKE(&self->arena, norm, (size_t)n);
    if (self->arena.failed) return;
    for (int s = 0; s < n_shell; s++) {
        atom[s] = basis->shell[s].atom;
        l[s] = basis->shell[s].l;
        factor[s] = 1.0;
        for (int i = 0; i < basis->shell[s].n_function; i++)
            shell[basis->shell[s].first_function + i] = s;
    }
    for (int i = 0; i < n; i++) norm[i] = 1.0 / self->order.factor[i];
    hf_hdf5_put_group_text(writer, "/basis", "basis_type", "Gaussian");
    hf_hdf5_put_group_integer(writer, "/basis", "basis_shell_num", n_shell);
    hf_hdf5_put_integers(writer, "/basis/basis_nucleus_index", n_shell, atom);
    hf_hdf5_put_integers(writer, "/basis/basis_shell_ang_mom", n_shell, l);
    hf_hdf5_put_reals(writer, "/basis/basis_shell_factor", n_shell, 0, factor);
    put_primitives(self);
    hf_hdf5_put_group_integer(writer, "/ao", "ao_cartesian", is_cartesian(basis));
    hf_hdf5_put_group_integer(writer, "/ao", "ao_num", n);
    hf_hdf5_put_integers(writer, "/ao/ao_shell", n, shell);
    hf_hdf5_put_reals(writer, "/ao/ao_normalization", n, 0, norm);
}

/** The power of r counts the r^2 of the volume element in neither. */
static void put_core_potentials(struct trexio *self)
{
    const struct hf_basis *basis = self->base.shown.basis;
    struct hf_hdf5_writer *writer = &self->writer;
    int n = 0, at = 0;
    for (int i = 0; i < basis->n_core_potential; i++) n += basis->core_potential[i].n_term;
    int *max_l = HF_TAKE(&self->arena, max_l, (size_t)basis->n_atom);
    int *n_core = HF_TAKE(&self->arena, n_core, (size_t)basis->n_atom);
    int *l = HF_TAKE(&self->arena, l, (size_t)n), *power = HF_TAKE(&self->arena, power, (size_t)n);
    int *atom = HF_TAKE(&self->arena, atom, (size_t)n);
    double *exponent = HF_TAKE(&self->arena, exponent, (size_t)n);
    double *coefficient = HF_TAKE(&self->arena, coefficient, (size_t)n);
    if (self->arena.failed || n == 0) return;
    for (int i = 0; i < basis->n_core_potential; i++) {
        const struct hf_core_potential *potential = &basis->core_potential[i];
        max_l[potential->atom] = potential->max_l;
        n_core[potential->atom] = potential->n_core;
        for (int k = 0; k < potential->n_term; k++, at++) {
            atom[at] = potential->atom;
            l[at] = potential->term[k].l;
            power[at] = potential->term[k].power;
            exponent[at] = potential->term[k].exponent;
            coefficient[at] = potential->term[k].coefficient;
        }
    }
    hf_hdf5_put_group_integer(writer, "/ecp", "ecp_num", n);
    hf_hdf5_put_integers(writer, "/ecp/ecp_max_ang_mom_plus_1", basis->n_atom, max_l);
    hf_hdf5_put_integers(writer, "/ecp/ecp_z_core", basis->n_atom, n_core);
    hf_hdf5_put_integers(writer, "/ecp/ecp_ang_mom", n, l);
    hf_hdf5_put_integers(writer, "/ecp/ecp_nucleus_index", n, atom);
    hf_hdf5_put_reals(writer, "/ecp/ecp_exponent", n, 0, exponent);
    hf_hdf5_put_reals(writer, "/ecp/ecp_coefficient", n, 0, coefficient);
    hf_hdf5_put_integers(writer, "/ecp/ecp_power", n, power);
}

static int count_all_orbitals(const struct hf_wavefunction *shown)
{
    int n = 0;
    for (int spin = 0; spin < shown->n_spin; spin++) n += shown->spin[spin].n_orbital;
    return n;
}

/** All but their coefficients. */
static void put_orbitals(struct trexio *self)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    struct hf_hdf5_writer *writer = &self->writer;
    const int n = count_all_orbitals(shown);
    int at = 0, *spins = HF_TAKE(&self->arena, spins, (size_t)n);
    double *energy = HF_TAKE(&self->arena, energy, (size_t)n);
    double *occupation = HF_TAKE(&self->arena, occupation, (size_t)n);
    if (self->arena.failed) return;
    for (int spin = 0; spin < shown->n_spin; spin++)
        for (int k = 0; k < shown->spin[spin].n_orbital; k++, at++) {
            spins[at] = spin;
            energy[at] = shown->spin[spin].energy[k];
            occupation[at] = shown->spin[spin].occupation[k];
        }
    hf_hdf5_put_group_text(writer, "/mo", "mo_type",
                           self->base.natural                 ? "Natural"
                           : self->base.of->localised != NULL ? "Local"
                                                              : "HF");
    hf_hdf5_put_group_integer(writer, "/mo", "mo_num", n);
    if (!self->base.natural) hf_hdf5_put_reals(writer, "/mo/mo_energy", n, 0, energy);
    hf_hdf5_put_reals(writer, "/mo/mo_occupation", n, 0, occupation);
    hf_hdf5_put_integers(writer, "/mo/mo_spin", n, spins);
}

/** Rank 0's part of the beginning: everything but matrices. */
static hf_status begin_file(struct trexio *self, struct hf_error *error)
{
    static const char *const groups[] = {"/metadata", "/nucleus", "/electron",
                                         "/state",    "/basis",   "/ao",
                                         "/mo",       "/ecp",     "/ao_1e_int"};
    hf_hdf5_create(&self->writer, self->base.file.temporary, hf_hdf5_disk_access());
    self->writer.trexio = true;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        hf_hdf5_put_group(&self->writer, groups[i], NULL);
    put_system(self);
    put_functions(self);
    put_core_potentials(self);
    put_orbitals(self);
    return hf_arena_check(&self->arena, error);
}

/** hf_matrix_rows_function */
static hf_status put_orbital_rows(void *data, int first, int n, double rows[],
                                  struct hf_error *error)
{
    struct trexio *self = data;
    const int n_function = self->base.shown.basis->n_function;
    (void)error; /* reported once, at the end */
    for (int k = 0; k < n && !self->writer.failed; k++) {
        const double *row = rows + (size_t)k * (size_t)n_function;
        for (int i = 0; i < n_function; i++)
            self->row[i] = self->order.factor[i] * row[self->order.function[i]];
        hf_hdf5_put_rows(&self->writer, self->dataset, self->first + first + k, 1, self->row);
    }
    return HF_OK;
}

/** The same of a matrix over functions. */
static hf_status put_integral_rows(void *data, int first, int n, double rows[],
                                   struct hf_error *error)
{
    struct trexio *self = data;
    const int n_function = self->base.shown.basis->n_function;
    (void)error;
    for (int k = 0; k < n && !self->writer.failed; k++) {
        const double *row = rows + (size_t)k * (size_t)n_function;
        const int place = self->place[first + k];
        for (int i = 0; i < n_function; i++)
            self->row[i] =
                row[self->order.function[i]] / (self->order.factor[i] * self->order.factor[place]);
        hf_hdf5_put_rows(&self->writer, self->dataset, place, 1, self->row);
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
        status = hf_matrix_send_rows(matrix, put_integral_rows, self, error);
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
    begin_matrix(self, "/mo/mo_coefficient", count_all_orbitals(shown));
    for (int spin = 0; spin < shown->n_spin && status == HF_OK; spin++) {
        status = hf_orbital_file_send(&self->base, spin, put_orbital_rows, self, error);
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
