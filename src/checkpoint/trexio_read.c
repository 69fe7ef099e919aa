/* The orbitals of a TREXIO file (HDF5), for a calculation to begin with. A function of the file is
 *
 *     N_i P_i(x,y,z) F sum_k f_k c_k exp(-a_k r^2)
 *
 * with solid harmonics P of the norm of x^l (0, +1, -1 ..., p: z x y) or monomials (xx xy xz yy yz zz): a function of ours
 * times N_i and the norm of x^l F sum_k f_k c_k exp(-a_k r^2). Source: trex-coe.github.io/trexio/trex.html */
#include "checkpoint_hdf5.h"

#include "basis/axial_order.h"
#include "hf/version.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRIMITIVES = 1000 /**< of a shell */ };

/** Where the orbitals stand in the file. */
struct hf_trexio_orbitals {
    int n_orbital;  /**< of all spins */
    int *function;  /**< [n] of the file, for each of ours */
    double *factor; /**< [n] from its coefficients to ours */
    int *column
        [HF_MAX_SPIN]; /**< [n_orbital] among the orbitals of a spin; -1: it is of the other one */
};

/** Reals of the file. NULL after a failure. */
static const double *get_reals(struct hf_hdf5_reader *reader, const char *path, int n, int width)
{
    const struct hf_field field = {.path = path, .type = HF_FIELD_REAL, .width = width};
    return reader->status == HF_OK ? hf_hdf5_get_numbers(reader, reader->arena, &field, n) : NULL;
}

/** Integers from 0 to `most`. */
static const double *get_integers(struct hf_hdf5_reader *reader, const char *path, int n, int most)
{
    const struct hf_field field = {.path = path, .type = HF_FIELD_INTEGER, .width = 1};
    if (reader->status != HF_OK) return NULL;
    const double *values = hf_hdf5_get_numbers(reader, reader->arena, &field, n);
    for (int i = 0; i < n && reader->status == HF_OK; i++)
        hf_hdf5_expect(reader, path, values[i], 0, most);
    return reader->status == HF_OK ? values : NULL;
}

/** A number of things, at least so many. */
static int get_count(struct hf_hdf5_reader *reader, const char *group, const char *name, int least)
{
    const int value = reader->status == HF_OK ? hf_hdf5_get_group_integer(reader, group, name) : -1;
    if (value < least) hf_hdf5_damaged(reader, "%s/%s is missing or too small", group, name);
    return value;
}

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
    if (reader->status == HF_OK && !hf_hdf5_has(reader, "/mo/mo_coefficient"))
        refuse(reader, "no orbitals");
}

static void read_nuclei(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_molecule *molecule = &self->molecule;
    const double furthest = 1e6;
    const int n = get_count(reader, "/nucleus", "nucleus_num", 1);
    const double *charge = get_reals(reader, "/nucleus/nucleus_charge", n, 1);
    const double *place = get_reals(reader, "/nucleus/nucleus_coord", n, 3);
    const bool cores = hf_hdf5_has(reader, "/ecp/ecp_z_core");
    const double *core = cores ? get_integers(reader, "/ecp/ecp_z_core", n, HF_N_ELEMENT) : NULL;
    if (reader->status != HF_OK) return;
    molecule->n_atom = n;
    if (HF_TAKE(reader->arena, molecule->atom, (size_t)n) == NULL)
        hf_hdf5_no_memory(reader, "the atoms");
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        struct hf_atom *atom = &molecule->atom[i];
        const double z = charge[i] + (core != NULL ? core[i] : 0.0);
        if (!(z >= 0.0 && z <= HF_N_ELEMENT && z == floor(z)))
            hf_hdf5_damaged(reader, "nucleus %d has the charge %g", i + 1, charge[i]);
        atom->ghost = z == 0.0;
        atom->atomic_number = atom->ghost ? 1 : (int)z;
        atom->n_core = core != NULL ? (int)core[i] : 0;
        for (int d = 0; d < 3; d++) {
            atom->position_bohr[d] = place[3 * i + d];
            hf_hdf5_expect(reader, "/nucleus/nucleus_coord", place[3 * i + d], -furthest, furthest);
        }
    }
}

static void read_electrons(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_molecule *molecule = &self->molecule;
    const int up = get_count(reader, "/electron", "electron_up_num", 1);
    const int down = get_count(reader, "/electron", "electron_dn_num", 0);
    if (reader->status != HF_OK) return;
    if (down > up) hf_hdf5_damaged(reader, "%d electrons of spin up, %d down", up, down);
    molecule->multiplicity = up - down + 1;
    molecule->charge = hf_molecule_n_electron(molecule) - up - down;
}

/** What the shells of a file are made from. */
struct shells {
    int n, n_primitive;
    const double *atom, *l, *factor; /**< [n] */
    bool cartesian;
    struct hf_shell *shell; /**< [n] in order of atoms */
    int *index;             /**< [n] of each in the file */
    double *norm;           /**< [n] of x^l times the radial part */
};

/** Primitives of all shells, shell after shell; then those of shell i are first[i] .. first[i+1]-1. */
static void read_primitives(struct hf_hdf5_reader *reader, struct shells *self, int **first,
                            double **exponents, double **coefficients)
{
    const int n = self->n_primitive;
    const double *owner = get_integers(reader, "/basis/basis_shell_index", n, self->n - 1);
    const double *exponent = get_reals(reader, "/basis/basis_exponent", n, 1);
    const double *coefficient = get_reals(reader, "/basis/basis_coefficient", n, 1);
    const double *norm = get_reals(reader, "/basis/basis_prim_factor", n, 1);
    HF_TAKE(reader->arena, *first, (size_t)self->n + 2);
    HF_TAKE(reader->arena, *exponents, (size_t)n);
    HF_TAKE(reader->arena, *coefficients, (size_t)n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the primitives");
    if (reader->status != HF_OK) return;
    for (int k = 0; k < n; k++) (*first)[(int)owner[k] + 2]++;
    for (int s = 0; s < self->n; s++) (*first)[s + 2] += (*first)[s + 1];
    for (int k = 0; k < n; k++) { /* moves each beginning to the next one's */
        const int s = (int)owner[k], at = (*first)[s + 1]++;
        (*exponents)[at] = exponent[k];
        (*coefficients)[at] = self->factor[s] * norm[k] * coefficient[k];
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

/** Fills self->shell. */
static void make_shells(struct hf_hdf5_reader *reader, struct shells *self, int n_atom)
{
    int *first = NULL, *next = HF_TAKE(reader->arena, next, (size_t)n_atom + 1);
    double *exponent = NULL, *coefficient = NULL;
    HF_TAKE(reader->arena, self->shell, (size_t)self->n);
    HF_TAKE(reader->arena, self->index, (size_t)self->n);
    HF_TAKE(reader->arena, self->norm, (size_t)self->n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the shells");
    read_primitives(reader, self, &first, &exponent, &coefficient);
    if (reader->status != HF_OK) return;
    for (int s = 0; s < self->n; s++) next[(int)self->atom[s] + 1]++;
    for (int a = 0; a < n_atom; a++) next[a + 1] += next[a];
    for (int s = 0; s < self->n && reader->status == HF_OK; s++) {
        const int at = next[(int)self->atom[s]]++, l = (int)self->l[s];
        const int n = first[s + 1] - first[s];
        double *c = coefficient + first[s];
        self->index[at] = s;
        if (n > MOST_PRIMITIVES) hf_hdf5_damaged(reader, "shell %d has %d primitives", s + 1, n);
        if (reader->status != HF_OK) return;
        self->norm[at] = norm_of_shell(l, n, exponent + first[s], c);
        if (!(self->norm[at] > 0.0) || !isfinite(self->norm[at]))
            hf_hdf5_damaged(reader, "shell %d has no norm", s + 1);
        for (int k = 0; k < n; k++) c[k] /= self->norm[at];
        self->shell[at] = (struct hf_shell){.atom = (int)self->atom[s],
                                            .l = l,
                                            .spherical = !self->cartesian,
                                            .n_primitive = n,
                                            .exponent = exponent + first[s],
                                            .coefficient = c};
    }
}

/** Finds our functions among those of the file. */
static void read_functions(struct hf_hdf5_reader *reader, const struct shells *shells,
                           struct hf_checkpoint *self)
{
    const struct hf_basis *basis = self->basis;
    struct hf_trexio_orbitals *orbitals = self->trexio;
    const int n = basis->n_function;
    const double *owner = get_integers(reader, "/ao/ao_shell", n, shells->n - 1);
    const double *norm = get_reals(reader, "/ao/ao_normalization", n, 1);
    int *place = HF_TAKE(reader->arena, place, (size_t)shells->n);
    int *n_done = HF_TAKE(reader->arena, n_done, (size_t)shells->n);
    HF_TAKE(reader->arena, orbitals->function, (size_t)n);
    HF_TAKE(reader->arena, orbitals->factor, (size_t)n);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the functions");
    if (reader->status != HF_OK) return;
    for (int s = 0; s < shells->n; s++) place[shells->index[s]] = s;
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        const int s = place[(int)owner[i]], at = n_done[s]++;
        const struct hf_shell *shell = &basis->shell[s];
        if (at >= shell->n_function) {
            hf_hdf5_damaged(reader, "/ao/ao_shell: shell %d has more than %d functions",
                            (int)owner[i] + 1, shell->n_function);
            return;
        }
        const int ours =
            shell->first_function + (shells->cartesian ? at : hf_axial_place(shell->l, at));
        orbitals->function[ours] = i;
        orbitals->factor[ours] = norm[i] * shells->norm[s];
    }
}

/** Potentials without terms: only how many electrons they stand for matters to orbitals. */
static void put_cores(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_error error;
    int n = 0;
    struct hf_core_potential *potential =
        HF_TAKE(reader->arena, potential, (size_t)self->molecule.n_atom);
    if (potential == NULL) {
        hf_hdf5_no_memory(reader, "the cores");
        return;
    }
    for (int i = 0; i < self->molecule.n_atom; i++)
        if (self->molecule.atom[i].n_core > 0)
            potential[n++] =
                (struct hf_core_potential){.atom = i, .n_core = self->molecule.atom[i].n_core};
    if (n == 0) return;
    if (hf_basis_set_core_potentials(&self->molecule, n, potential, self->basis, &error) != HF_OK)
        hf_hdf5_damaged(reader, "/ecp: %.200s", error.message);
    else
        hf_basis_set_cores(self->basis, &self->molecule);
}

static void read_functions_of_basis(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_error error;
    struct shells shells = {.n = get_count(reader, "/basis", "basis_shell_num", 1),
                            .n_primitive = get_count(reader, "/basis", "basis_prim_num", 1),
                            .cartesian = get_count(reader, "/ao", "ao_cartesian", 0) > 0};
    const int n_function = get_count(reader, "/ao", "ao_num", 1), n_atom = self->molecule.n_atom;
    shells.atom = get_integers(reader, "/basis/basis_nucleus_index", shells.n, n_atom - 1);
    shells.l = get_integers(reader, "/basis/basis_shell_ang_mom", shells.n, HF_MAX_L);
    shells.factor = get_reals(reader, "/basis/basis_shell_factor", shells.n, 1);
    if (reader->status == HF_OK) make_shells(reader, &shells, n_atom);
    if (reader->status != HF_OK) return;
    if (hf_basis_from_shells(&self->molecule, "of a TREXIO file", NULL, shells.n, shells.shell,
                             &self->basis, &error) != HF_OK)
        hf_hdf5_damaged(reader, "/basis: %.200s", error.message);
    else if (self->basis->n_function != n_function)
        hf_hdf5_damaged(reader, "/ao/ao_num is %d; expected %d", n_function,
                        self->basis->n_function);
    if (reader->status == HF_OK) read_functions(reader, &shells, self);
    if (reader->status == HF_OK) put_cores(reader, self);
}

/** An orbital while they are sorted. */
struct ranked {
    double occupation;
    int index;
};

/** Falling occupation; equal ones stay in their order. */
static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;
    if (one->occupation != other->occupation) return one->occupation < other->occupation ? 1 : -1;
    return one->index - other->index;
}

/** The orbitals of spin k come by falling occupation. `spin` NULL: all are shared. */
static void rank_orbitals(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, int k,
                          const double spin[], const double occupation[])
{
    struct hf_trexio_orbitals *orbitals = self->trexio;
    const int n = orbitals->n_orbital;
    int at = 0;
    struct ranked *ranked = HF_TAKE(reader->arena, ranked, (size_t)n);
    if (ranked == NULL || HF_TAKE(reader->arena, orbitals->column[k], (size_t)n) == NULL) {
        hf_hdf5_no_memory(reader, "the orbitals");
        return;
    }
    for (int i = 0; i < n; i++) {
        orbitals->column[k][i] = -1;
        if (spin == NULL || (int)spin[i] == k)
            ranked[at++] = (struct ranked){occupation != NULL ? occupation[i] : 0.0, i};
    }
    qsort(ranked, (size_t)at, sizeof *ranked, compare_ranked);
    for (int i = 0; i < at; i++) orbitals->column[k][ranked[i].index] = i;
    self->state.n_column[k] = at;
}

/** Whole occupations of the orbitals of spin k. */
static void occupy(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, int k)
{
    const struct hf_molecule *molecule = &self->molecule;
    const int n_electron = hf_molecule_n_electron(molecule), n_single = molecule->multiplicity - 1;
    const int up = (n_electron + n_single) / 2, down = n_electron - up;
    struct hf_checkpoint_orbitals *spin = &self->spin[k];
    const bool shared = self->state.n_spin == 1;
    spin->n_occupied = k == 0 ? up : down;
    HF_TAKE(reader->arena, spin->energy, (size_t)self->state.n_orbital);
    HF_TAKE(reader->arena, spin->occupation, (size_t)self->state.n_orbital);
    if (reader->arena->failed) hf_hdf5_no_memory(reader, "the orbitals");
    if (self->state.n_column[k] < spin->n_occupied)
        refuse(reader, "fewer orbitals than electrons of a spin");
    for (int i = 0; i < self->state.n_orbital && reader->status == HF_OK; i++)
        spin->occupation[i] = (i < spin->n_occupied) + (shared && i < down);
}

static void read_orbitals_of_file(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    struct hf_scf_restart *state = &self->state;
    const int n = self->trexio->n_orbital = get_count(reader, "/mo", "mo_num", 1);
    const double *occupation = NULL, *spin = NULL;
    if (hf_hdf5_has(reader, "/mo/mo_occupation"))
        occupation = get_reals(reader, "/mo/mo_occupation", n, 1);
    if (hf_hdf5_has(reader, "/mo/mo_spin"))
        spin = get_integers(reader, "/mo/mo_spin", n, HF_MAX_SPIN - 1);
    if (reader->status != HF_OK) return;
    hf_hdf5_check_matrix(reader, "/mo/mo_coefficient", n, self->basis->n_function, false);
    bool any_down = false;
    for (int i = 0; spin != NULL && i < n; i++) any_down = any_down || spin[i] > 0.0;
    state->n_spin = any_down ? 2 : 1;
    state->n_fock = state->n_density = any_down || self->molecule.multiplicity > 1 ? 2 : 1;
    for (int k = 0; k < state->n_spin && reader->status == HF_OK; k++) {
        rank_orbitals(reader, self, k, any_down ? spin : NULL, occupation);
        if (state->n_column[k] > state->n_orbital) state->n_orbital = state->n_column[k];
    }
    for (int k = 0; k < state->n_spin && reader->status == HF_OK; k++) occupy(reader, self, k);
    state->n_function = self->basis->n_function;
    if (reader->status == HF_OK)
        hf_hdf5_expect(reader, "/mo/mo_num", state->n_orbital, 1, state->n_function);
}

/** Names and hashes that a checkpoint has. */
static void name_all(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    char molecule_hash[HF_HASH_SIZE], basis_hash[HF_HASH_SIZE];
    if (reader->status != HF_OK) return;
    hf_print_checksum(hf_molecule_checksum(&self->molecule), molecule_hash);
    hf_print_checksum(hf_basis_checksum(self->basis), basis_hash);
    self->version = HF_CHECKPOINT_VERSION;
    self->program_version = hf_copy_string(reader->arena, hf_version());
    self->written = hf_copy_string(reader->arena, "?");
    self->molecule_hash = hf_copy_string(reader->arena, molecule_hash);
    self->basis_hash = hf_copy_string(reader->arena, basis_hash);
    self->basis_requested = hf_copy_string(reader->arena, self->basis->name);
    self->method = hf_copy_string(reader->arena, self->state.n_spin > 1      ? "uhf"
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
    read_nuclei(reader, self);
    read_electrons(reader, self);
    if (reader->status == HF_OK) read_functions_of_basis(reader, self);
    if (reader->status == HF_OK) read_orbitals_of_file(reader, self);
    name_all(reader, self);
}

void hf_trexio_get_rows(struct hf_hdf5_reader *reader, const struct hf_checkpoint *self, int spin,
                        int first, int n, double rows[])
{
    enum { MOST_NUMBERS = 1 << 17 };
    const struct hf_trexio_orbitals *orbitals = self->trexio;
    const int *function = orbitals->function + first, *column = orbitals->column[spin];
    const size_t n_column = (size_t)self->state.n_column[spin];
    int low = INT_MAX, high = 0;
    for (int i = 0; i < n; i++) {
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
        hf_hdf5_get_block(reader, "/mo/mo_coefficient", &block, values);
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
