/* The orbitals of a TREXIO file, for a calculation to begin with. */
#include "trexio_layout.h"

#include "basis/axial_order.h"
#include "hf/version.h"
#include "text/text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRIMITIVES = 1000 /**< of a shell */ };

/** Where the orbitals stand in the file. */
struct hf_trexio_orbitals {
    int n_orbital;            /**< of all spins */
    int *function;            /**< [n] of the file, for each of ours */
    double *factor;           /**< [n] from its coefficients to ours */
    int *column[HF_MAX_SPIN]; /**< [n_orbital] among those of a spin; -1: it is of the other one */
};

bool hf_trexio_begins(struct hf_hdf5_reader *reader)
{
    return hf_hdf5_get_group_integer(reader, "/nucleus", "nucleus_num") > 0 &&
           hf_hdf5_get_group_integer(reader, "/", "format_version") < 0;
}

/** Remembers that the file has something that cannot be used. */
static void refuse(struct hf_hdf5_reader *reader, const char *what)
{
    if (reader->status == HF_OK)
        reader->status = hf_fail(reader->error, HF_BAD_INPUT, "%.400s: this TREXIO file has %s",
                                 reader->name, what);
}

static void check_kind(struct hf_hdf5_reader *reader)
{
    char type[32];
    hf_hdf5_get_group_text(reader, "/basis", "basis_type", sizeof type, type);
    if (strncmp(type, "Gaussian", strlen("Gaussian")) != 0) refuse(reader, "no Gaussian functions");
    if (hf_hdf5_get_group_integer(reader, "/pbc", "pbc_periodic") > 0)
        refuse(reader, "a periodic system, which hf cannot compute");
    if (hf_hdf5_has(reader, "/mo/mo_coefficient_im"))
        refuse(reader, "complex orbitals, which hf cannot use");
    if (reader->status == HF_OK && !hf_hdf5_has(reader, HF_TREXIO_COEFFICIENTS))
        refuse(reader, "no orbitals");
}

/** Nuclei with their cores, and electrons. */
static void read_molecule_of_file(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_molecule *molecule = &self->molecule;
    int n = 0, n_core = 0;
    const struct hf_trexio_nucleus *nucleus =
        hf_hdf5_get_table(reader, &hf_trexio_nucleus_fields, 1, HF_HDF5_MOST_ROWS, &n);
    const struct hf_trexio_core *core =
        hf_hdf5_has(reader, "/ecp/ecp_z_core")
            ? hf_hdf5_get_table(reader, &hf_trexio_core_fields, n, n, &n_core)
            : NULL;
    const int up = hf_hdf5_get_group_integer(reader, "/electron", "electron_up_num");
    const int down = hf_hdf5_get_group_integer(reader, "/electron", "electron_dn_num");
    if (down < 0 || up < 1 || down > up || up > INT_MAX / 2)
        hf_hdf5_damaged(reader, "%d electrons of spin up, %d down", up, down);
    if (reader->status != HF_OK) return;
    if (HF_TAKE(reader->arena, molecule->atom, (size_t)n) == NULL)
        hf_hdf5_no_memory(reader, "the atoms");
    if (reader->status != HF_OK) return;
    for (int i = 0; i < n; i++) {
        const int in_core = core != NULL ? core[i].n_core : 0;
        const double z = nucleus[i].charge + in_core;
        if (!(z >= in_core && z <= HF_N_ELEMENT && z == floor(z))) {
            hf_hdf5_damaged(reader, "nucleus %d has the charge %g and %d electrons in its core",
                            i + 1, nucleus[i].charge, in_core);
            return;
        }
        molecule->n_atom = i + 1;
        molecule->atom[i] = (struct hf_atom){
            .ghost = z == 0.0, .atomic_number = z == 0.0 ? 1 : (int)z, .n_core = in_core};
        memcpy(molecule->atom[i].position_bohr, nucleus[i].place, sizeof nucleus[i].place);
    }
    molecule->multiplicity = up - down + 1;
    molecule->charge = hf_molecule_n_electron(molecule) - up - down;
}

/** What the shells of a file are made from. */
struct shells {
    int n, n_primitive;
    const struct hf_trexio_shell *of;            /**< [n] */
    const struct hf_trexio_primitive *primitive; /**< [n_primitive] */
    bool cartesian;
    struct hf_shell *shell; /**< [n] in order of atoms */
    int *place;             /**< [n] there, of each of the file */
    double *norm;           /**< [n] of x^l times the radial part, as in the file */
};

/** Sorts primitives by shells; those of shell s are first[s] .. first[s+1]-1. */
static void sort_primitives(const struct shells *self, int *first, double exponents[],
                            double coefficients[])
{
    for (int k = 0; k < self->n_primitive; k++) first[self->primitive[k].shell + 2]++;
    for (int s = 0; s < self->n; s++) first[s + 2] += first[s + 1];
    for (int k = 0; k < self->n_primitive; k++) {
        const struct hf_trexio_primitive *of = &self->primitive[k];
        const int at = first[of->shell + 1]++; /* moves each beginning to the next one's */
        exponents[at] = of->exponent;
        coefficients[at] = self->of[of->shell].factor * of->norm * of->coefficient;
    }
}

/** Norm of x^l sum_k c_k exp(-a_k r^2). */
static double norm_of_shell(int l, int n, const double exponent[], const double coefficient[])
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double norm = hf_primitive_norm(l, 0.5 * (exponent[i] + exponent[j]));
            sum += coefficient[i] * coefficient[j] / (norm * norm);
        }
    return sqrt(sum);
}

/** A shell from its primitives [n]. */
static void make_shell(struct hf_hdf5_reader *reader, struct shells *self, int s, int at, int n,
                       const double exponent[], double coefficient[])
{
    const struct hf_trexio_shell *of = &self->of[s];
    if (n > MOST_PRIMITIVES || of->l > HF_MAX_L)
        hf_hdf5_damaged(reader, "shell %d has l = %d and %d primitives", s + 1, of->l, n);
    if (reader->status != HF_OK) return;
    self->place[s] = at;
    self->norm[s] = norm_of_shell(of->l, n, exponent, coefficient);
    if (!(self->norm[s] > 0.0) || !isfinite(self->norm[s]))
        hf_hdf5_damaged(reader, "shell %d has no norm", s + 1);
    for (int k = 0; k < n; k++) coefficient[k] /= self->norm[s];
    self->shell[at] = (struct hf_shell){.atom = of->atom,
                                        .l = of->l,
                                        .spherical = !self->cartesian,
                                        .n_primitive = n,
                                        .exponent = exponent,
                                        .coefficient = coefficient};
}

/** Fills self->shell. */
static void make_shells(struct hf_hdf5_reader *reader, struct shells *self, int n_atom)
{
    const size_t n = (size_t)self->n;
    int *first = HF_TAKE(reader->arena, first, n + 2);
    int *place =
        HF_TAKE(reader->arena, place, (size_t)n_atom + 1); /* of the next shell of each atom */
    double *exponent = HF_TAKE(reader->arena, exponent, (size_t)self->n_primitive);
    double *coefficient = HF_TAKE(reader->arena, coefficient, (size_t)self->n_primitive);
    HF_TAKE(reader->arena, self->shell, n);
    HF_TAKE(reader->arena, self->place, n);
    HF_TAKE(reader->arena, self->norm, n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the shells");
    for (int s = 0; s < self->n && reader->status == HF_OK; s++)
        hf_hdf5_expect(reader, "/basis/basis_nucleus_index", self->of[s].atom, 0, n_atom - 1);
    for (int k = 0; k < self->n_primitive && reader->status == HF_OK; k++)
        hf_hdf5_expect(reader, "/basis/basis_shell_index", self->primitive[k].shell, 0,
                       self->n - 1);
    if (reader->status == HF_OK) sort_primitives(self, first, exponent, coefficient);
    for (int s = 0; s < self->n && reader->status == HF_OK; s++) place[self->of[s].atom + 1]++;
    for (int a = 0; a < n_atom && reader->status == HF_OK; a++) place[a + 1] += place[a];
    for (int s = 0; s < self->n && reader->status == HF_OK; s++)
        make_shell(reader, self, s, place[self->of[s].atom]++, first[s + 1] - first[s],
                   exponent + first[s], coefficient + first[s]);
}

/** Finds our functions among those of the file. */
static void read_functions(struct hf_hdf5_reader *reader, const struct shells *shells,
                           struct hf_checkpoint *self)
{
    const struct hf_basis *basis = self->basis;
    struct hf_trexio_orbitals *orbitals = self->trexio;
    int n = basis->n_function;
    const struct hf_trexio_function *function =
        hf_hdf5_get_table(reader, &hf_trexio_function_fields, n, n, &n);
    int *n_done = HF_TAKE(reader->arena, n_done, (size_t)shells->n);
    HF_TAKE(reader->arena, orbitals->function, (size_t)n);
    HF_TAKE(reader->arena, orbitals->factor, (size_t)n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the functions");
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        const int s = function[i].shell;
        hf_hdf5_expect(reader, "/ao/ao_shell", s, 0, shells->n - 1);
        if (reader->status != HF_OK) return;
        const struct hf_shell *shell = &basis->shell[shells->place[s]];
        const int at = n_done[s]++;
        if (at >= shell->n_function)
            hf_hdf5_damaged(reader, "/ao/ao_shell: shell %d has more than %d functions", s + 1,
                            shell->n_function);
        if (reader->status != HF_OK) return;
        const int ours =
            shell->first_function + (shells->cartesian ? at : hf_axial_place(shell->l, at));
        orbitals->function[ours] = i;
        orbitals->factor[ours] = function[i].norm * shells->norm[s];
    }
}

/** Potentials without terms: only how many electrons they stand for matters to orbitals. */
static void put_cores(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_error error;
    const struct hf_molecule *molecule = &self->molecule;
    int n = 0;
    struct hf_core_potential *potential =
        HF_TAKE(reader->arena, potential, (size_t)molecule->n_atom);
    if (potential == NULL) hf_hdf5_no_memory(reader, "the cores");
    for (int i = 0; i < molecule->n_atom && reader->status == HF_OK; i++)
        if (molecule->atom[i].n_core > 0)
            potential[n++] = (struct hf_core_potential){i, molecule->atom[i].n_core, 0, 0, NULL};
    if (n == 0) return;
    hf_hdf5_check_made(
        reader, hf_basis_set_core_potentials(molecule, n, potential, self->basis, &error), &error);
    if (reader->status == HF_OK) hf_basis_set_cores(self->basis, &self->molecule);
}

static void read_functions_of_basis(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_error error;
    struct shells shells = {.cartesian =
                                hf_hdf5_get_group_integer(reader, "/ao", "ao_cartesian") > 0};
    shells.of = hf_hdf5_get_table(reader, &hf_trexio_shell_fields, 1, HF_HDF5_MOST_ROWS, &shells.n);
    shells.primitive =
        hf_hdf5_get_table(reader, &hf_trexio_primitive_fields, 1, INT_MAX, &shells.n_primitive);
    if (reader->status == HF_OK) make_shells(reader, &shells, self->molecule.n_atom);
    if (reader->status != HF_OK) return;
    hf_hdf5_check_made(reader,
                       hf_basis_from_shells(&self->molecule, "of a TREXIO file", NULL, shells.n,
                                            shells.shell, &self->basis, &error),
                       &error);
    if (reader->status == HF_OK) read_functions(reader, &shells, self);
    if (reader->status == HF_OK) put_cores(reader, self);
}

/** The orbitals of spin k, or all, come by falling occupation; equal ones stay in their order. */
static void rank_orbitals(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, int k,
                          const struct hf_trexio_orbital of[])
{
    const int n = self->trexio->n_orbital;
    int *column = HF_TAKE(reader->arena, column, (size_t)n);
    if (column == NULL) hf_hdf5_no_memory(reader, "the orbitals");
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        column[i] = -1;
        if (self->state.n_spin > 1 && of[i].spin != k) continue;
        self->state.n_column[k]++;
        column[i] = 0;
        for (int j = 0; j < n; j++)
            if (self->state.n_spin == 1 || of[j].spin == k)
                column[i] += of[j].occupation > of[i].occupation ||
                             (j < i && of[j].occupation == of[i].occupation);
    }
    self->trexio->column[k] = column;
}

/** Whole occupations of the orbitals of spin k. */
static void occupy(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, int k)
{
    const int n_electron = hf_molecule_n_electron(&self->molecule);
    const int down = (n_electron + 1 - self->molecule.multiplicity) / 2;
    struct hf_checkpoint_orbitals *spin = &self->spin[k];
    const size_t n = (size_t)self->state.n_orbital;
    spin->n_occupied = k == 0 ? n_electron - down : down;
    HF_TAKE(reader->arena, spin->energy, n);
    HF_TAKE(reader->arena, spin->occupation, n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the orbitals");
    if (self->state.n_column[k] < spin->n_occupied)
        refuse(reader, "fewer orbitals than electrons of a spin");
    for (int i = 0; i < spin->n_occupied && reader->status == HF_OK; i++)
        spin->occupation[i] = self->state.n_spin == 1 && i < down ? 2.0 : 1.0;
}

static void read_orbitals_of_file(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_scf_restart *state = &self->state;
    int n = 0;
    state->n_function = self->basis->n_function;
    (void)hf_hdf5_get_shape(reader, HF_TREXIO_COEFFICIENTS, &n, &state->n_orbital);
    hf_hdf5_expect(reader, "a row of " HF_TREXIO_COEFFICIENTS, state->n_orbital, state->n_function,
                   state->n_function);
    hf_hdf5_expect(reader, "/mo/mo_num", n, 1, HF_MAX_SPIN * state->n_function);
    if (reader->status != HF_OK) return;
    struct hf_trexio_orbital *orbital = HF_TAKE(reader->arena, orbital, (size_t)n);
    if (orbital == NULL) hf_hdf5_no_memory(reader, "the orbitals");
    if (hf_hdf5_has(reader, "/mo/mo_occupation"))
        hf_hdf5_get_fields(reader, &hf_trexio_occupation_fields, n, orbital);
    if (hf_hdf5_has(reader, "/mo/mo_spin"))
        hf_hdf5_get_fields(reader, &hf_trexio_spin_fields, n, orbital);
    self->trexio->n_orbital = n;
    state->n_spin = 1;
    for (int i = 0; i < n && reader->status == HF_OK; i++)
        if (orbital[i].spin > 0) state->n_spin = 2;
    state->n_fock = state->n_density = state->n_spin > 1 || self->molecule.multiplicity > 1 ? 2 : 1;
    for (int k = 0; k < state->n_spin && reader->status == HF_OK; k++) {
        rank_orbitals(reader, self, k, orbital);
        hf_hdf5_expect(reader, "/mo: orbitals of a spin", state->n_column[k], 0, state->n_function);
        if (reader->status == HF_OK) occupy(reader, self, k);
    }
}

/** Names and hashes that a checkpoint has. */
static void name_all(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char hash[HF_HASH_SIZE];
    hf_print_checksum(hf_molecule_checksum(&self->molecule), hash);
    self->molecule_hash = hf_copy_string(reader->arena, hash);
    hf_print_checksum(hf_basis_checksum(self->basis), hash);
    self->basis_hash = hf_copy_string(reader->arena, hash);
    self->version = HF_CHECKPOINT_VERSION;
    self->program_version = (char *)hf_version();
    self->written = (char *)"?";
    self->basis_requested = self->basis->name;
    self->method = (char *)(self->state.n_spin > 1      ? "uhf"
                            : self->state.n_density > 1 ? "rohf"
                                                        : "rhf");
    self->reason = HF_KEEP_FINISHED;
    self->state.method = self->method;
    self->state.threshold = INFINITY;
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "its names");
}

void hf_trexio_read(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    reader->kind = "TREXIO file";
    if (HF_TAKE(reader->arena, self->trexio, 1) == NULL) hf_hdf5_no_memory(reader, "orbitals");
    check_kind(reader);
    read_molecule_of_file(reader, self);
    if (reader->status == HF_OK) read_functions_of_basis(reader, self);
    if (reader->status == HF_OK) read_orbitals_of_file(reader, self);
    if (reader->status == HF_OK) name_all(reader, self);
}

void hf_trexio_get_rows(struct hf_hdf5_reader *reader, const struct hf_checkpoint *self, int spin,
                        int first, int n, double rows[])
{
    enum { MOST_NUMBERS = 1 << 17 };
    const struct hf_trexio_orbitals *orbitals = self->trexio;
    const int *function = orbitals->function + first, *column = orbitals->column[spin];
    const size_t n_column = (size_t)self->state.n_column[spin];
    int low = function[0], high = function[0];
    for (int i = 1; i < n; i++) {
        low = function[i] < low ? function[i] : low;
        high = function[i] > high ? function[i] : high;
    }
    struct hf_hdf5_block block = {.first_col = low, .n_col = high - low + 1};
    const int most = block.n_col < MOST_NUMBERS ? MOST_NUMBERS / block.n_col : 1;
    double *values = malloc((size_t)most * (size_t)block.n_col * sizeof *values);
    reader->kind = "TREXIO file";
    if (values == NULL) hf_hdf5_no_memory(reader, "rows of orbitals");
    for (; block.first_row < orbitals->n_orbital && reader->status == HF_OK;
         block.first_row += block.n_row) {
        const int rest = orbitals->n_orbital - block.first_row;
        block.n_row = rest < most ? rest : most;
        hf_hdf5_get_block(reader, HF_TREXIO_COEFFICIENTS, &block, values);
        for (int k = 0; k < block.n_row && reader->status == HF_OK; k++) {
            const int to = column[block.first_row + k];
            const double *from = values + (size_t)k * (size_t)block.n_col;
            for (int i = 0; i < n && to >= 0; i++)
                rows[(size_t)i * n_column + (size_t)to] =
                    orbitals->factor[first + i] * from[function[i] - low];
        }
    }
    free(values);
}
