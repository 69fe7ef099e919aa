/* The fields of a checkpoint, its names and hashes. */
#include "checkpoint_layout.h"

#include "text/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
bool hf_hdf5_begins(FILE *stream)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char begin[sizeof signature];
    return fread(begin, 1, sizeof begin, stream) == sizeof begin &&
           memcmp(begin, signature, sizeof begin) == 0;
}

const char hf_checkpoint_format[] = "hf checkpoint";
const char *const hf_checkpoint_groups_added[] = {HF_CHECKPOINT_LOCAL_MP2,
                                                  HF_CHECKPOINT_OPTIMISATION, NULL};

const char *const hf_keep_reason_names[4] = {"iteration", "interrupted", "finished", "finished"};

/* Type, numbers and place of a member of a struct. */
#define MEMBER(type, width, owner, member) HF_FIELD_##type, width, offsetof(struct owner, member)
#define FIELDS(name, owner)                                                                        \
    const struct hf_fields hf_##name##_fields = {                                                  \
        name##_field, sizeof name##_field / sizeof *name##_field, sizeof(owner)}

static const struct hf_field checkpoint_field[] = {
    {"/molecule/title", MEMBER(OPTIONAL_TEXT, 1, hf_checkpoint, molecule.title), 0, 0, NULL,
     "title of the input"},
    {"/molecule/charge", MEMBER(INTEGER, 1, hf_checkpoint, molecule.charge), -1000, 1000, NULL,
     "total charge, e"},
    {"/molecule/multiplicity", MEMBER(INTEGER, 1, hf_checkpoint, molecule.multiplicity), 1, 1000,
     NULL, "2S+1"},
    {"/molecule/field", MEMBER(REAL, 3, hf_checkpoint, molecule.environment.field), 0, 0,
     "hartree/(e bohr)", "uniform electric field"},
    {"/basis/requested", MEMBER(TEXT, 1, hf_checkpoint, basis_requested), 0, 0, NULL,
     "as it was asked for"},
    {"/state/method", MEMBER(TEXT, 1, hf_checkpoint, method), 0, 0, NULL, NULL},
    {"/state/converged", MEMBER(BOOLEAN, 1, hf_checkpoint, converged), 0, 1, NULL, "1: yes"},
    {"/state/seconds", MEMBER(REAL, 1, hf_checkpoint, seconds), 0.0, 1e12, "s",
     "wall time so far, of all runs"},
    {"/state/n_iteration", MEMBER(INTEGER, 1, hf_checkpoint, state.n_iteration), 0, 10000000, NULL,
     "iterations done"},
    {"/state/energy", MEMBER(REAL, 1, hf_checkpoint, state.energy), -1e12, 1e12, "hartree",
     "of the last iteration"},
    {"/state/energy_change", MEMBER(REAL, 1, hf_checkpoint, energy_change), -1e12, 1e12, "hartree",
     NULL},
    {"/state/commutator", MEMBER(REAL, 1, hf_checkpoint, state.commutator), 0.0, 1e12, NULL,
     "largest element of X^T (FDS - SDF) X"},
    {"/state/threshold", MEMBER(REAL, 1, hf_checkpoint, state.threshold), 0.0, 1.0, "hartree",
     "screening of the last Fock build; 0: there was none"},
    {"/state/guess_energy", MEMBER(REAL, 1, hf_checkpoint, state.guess_energy), -1e12, 1e12,
     "hartree", "of the first iteration"},
    {"/state/n_function", MEMBER(INTEGER, 1, hf_checkpoint, state.n_function), 1, INT_MAX, NULL,
     "basis functions"},
    {"/state/n_orbital", MEMBER(INTEGER, 1, hf_checkpoint, state.n_orbital), 1, INT_MAX, NULL,
     "orbitals; fewer where linear dependence was removed"},
    {"/state/n_spin", MEMBER(INTEGER, 1, hf_checkpoint, state.n_spin), 1, HF_MAX_SPIN, NULL,
     "sets of orbitals; 1: for both spins; 2: alpha and beta"},
    {"/state/n_diis", MEMBER(INTEGER, 1, hf_checkpoint, state.n_diis), 0, 1000, NULL,
     "Fock matrices of DIIS"},
};
FIELDS(checkpoint, struct hf_checkpoint);

static const struct hf_field open_shell_field[] = {
    {"/state/n_fock", MEMBER(INTEGER, 1, hf_checkpoint, state.n_fock), 1, HF_MAX_SPIN, NULL,
     "Fock matrices; 1: for both spins; 2: alpha and beta"},
    {"/state/n_density", MEMBER(INTEGER, 1, hf_checkpoint, state.n_density), 1, HF_MAX_SPIN, NULL,
     "1: closed shells; 2: total and spin density"},
};
FIELDS(open_shell, struct hf_checkpoint);

static const struct hf_field occupied_field[] = {
    {"/state/n_occupied", MEMBER(INTEGER, 1, hf_checkpoint_orbitals, n_occupied), 0, INT_MAX, NULL,
     "occupied orbitals of each spin"},
};
FIELDS(occupied, struct hf_checkpoint_orbitals);

static const struct hf_field column_field[] = {
    {"/state/n_column", HF_FIELD_INTEGER, 1, 0, 0, INT_MAX, NULL,
     "orbitals whose coefficients are here; 0: none yet"},
};
FIELDS(column, int);

static const struct hf_field basis_field[] = {
    {"/basis/name", MEMBER(TEXT, 1, hf_basis, name), 0, 0, NULL, "as published"},
    {"/basis/citation", MEMBER(OPTIONAL_TEXT, 1, hf_basis, citation), 0, 0, NULL, "literature"},
};
FIELDS(basis, struct hf_basis);

static const struct hf_field atom_field[] = {
    {"/molecule/atomic_numbers", MEMBER(INTEGER, 1, hf_atom, atomic_number), 1, HF_N_ELEMENT, NULL,
     "of each atom"},
    {"/molecule/ghosts", MEMBER(BOOLEAN, 1, hf_atom, ghost), 0, 1, NULL,
     "1: the atom has basis functions but neither charge nor electrons"},
    {"/molecule/positions", MEMBER(REAL, 3, hf_atom, position_bohr), -1e6, 1e6, "bohr",
     "x, y, z of each atom"},
};
FIELDS(atom, struct hf_atom);

static const struct hf_field charge_field[] = {
    {"/molecule/point_charges", HF_FIELD_REAL, 4, 0, 0, 0, "e, bohr",
     "charges that are no nuclei: charge, x, y, z"},
};
FIELDS(charge, struct hf_point_charge);
_Static_assert(sizeof(struct hf_point_charge) == 4 * sizeof(double), "charge, x, y, z");

static const struct hf_field shell_field[] = {
    {"/basis/shell_atoms", MEMBER(INTEGER, 1, hf_shell, atom), 0, INT_MAX, NULL,
     "atom of each shell, the first is 0"},
    {"/basis/shell_angular_momenta", MEMBER(INTEGER, 1, hf_shell, l), 0, INT_MAX, NULL,
     "0 s, 1 p, 2 d ..."},
    {"/basis/shell_spherical", MEMBER(BOOLEAN, 1, hf_shell, spherical), 0, 1, NULL,
     "1: 2l+1 functions, m = -l ... +l; 0: (l+1)(l+2)/2, xx xy xz yy yz zz"},
    {"/basis/shell_primitives", MEMBER(INTEGER, 1, hf_shell, n_primitive), 1, INT_MAX, NULL,
     "primitive Gaussians of each shell"},
};
FIELDS(shell, struct hf_shell);

const struct hf_field hf_primitive_fields[2] = {
    {"/basis/exponents", HF_FIELD_REAL, 1, 0, 0, 0, "1/bohr^2",
     "of the primitives, shell after shell"},
    {"/basis/coefficients", HF_FIELD_REAL, 1, 0, 0, 0, NULL,
     "of x^l exp(-a r^2), so that <x^l|x^l> = 1"},
};

static const struct hf_field core_field[] = {
    {"/basis/core_atoms", MEMBER(INTEGER, 1, hf_core_potential, atom), 0, INT_MAX, NULL,
     "atom of each core potential, the first is 0"},
    {"/basis/core_electrons", MEMBER(INTEGER, 1, hf_core_potential, n_core), 0, INT_MAX, NULL,
     "electrons that it stands for"},
    {"/basis/core_angular_momenta", MEMBER(INTEGER, 1, hf_core_potential, max_l), 0, INT_MAX, NULL,
     "l of the local part; projectors have those below"},
    {"/basis/core_terms", MEMBER(INTEGER, 1, hf_core_potential, n_term), 0, INT_MAX, NULL,
     "terms of each"},
};
FIELDS(core, struct hf_core_potential);

static const struct hf_field core_term_field[] = {
    {"/basis/core_term_angular_momenta", MEMBER(INTEGER, 1, hf_core_term, l), 0, INT_MAX, NULL,
     "of each term"},
    {"/basis/core_term_powers", MEMBER(INTEGER, 1, hf_core_term, power), HF_LEAST_CORE_POWER,
     HF_MOST_CORE_POWER, NULL, "n of c r^n exp(-a r^2)"},
    {"/basis/core_exponents", MEMBER(REAL, 1, hf_core_term, exponent), 0, 0, "1/bohr^2",
     "of the terms"},
    {"/basis/core_coefficients", MEMBER(REAL, 1, hf_core_term, coefficient), 0, 0, "hartree/bohr^n",
     "of the terms"},
};
FIELDS(core_term, struct hf_core_term);

static const struct hf_field iteration_field[] = {
    {"/iterations/energies", MEMBER(REAL, 1, hf_scf_iteration, energy), 0, 0, "hartree",
     "total energy"},
    {"/iterations/energy_changes", MEMBER(REAL, 1, hf_scf_iteration, energy_change), 0, 0,
     "hartree", "as the report shows them"},
    {"/iterations/commutators", MEMBER(REAL, 1, hf_scf_iteration, commutator), 0, 0, NULL,
     "largest element of X^T (FDS - SDF) X"},
    {"/iterations/seconds", MEMBER(REAL, 1, hf_scf_iteration, seconds), 0, 0, "s", "wall time"},
    {"/iterations/thresholds", MEMBER(REAL, 1, hf_scf_iteration, threshold), 0, 0, "hartree",
     "screening of the Fock build"},
    {"/iterations/percent_computed", MEMBER(REAL, 1, hf_scf_iteration, percent_computed), 0, 0,
     NULL, "of all unique shell quartets"},
};
FIELDS(iteration, struct hf_scf_iteration);

const struct hf_field hf_orbital_fields[2] = {
    {"/energies", HF_FIELD_REAL, 1, 0, 0, 0, "hartree", "orbital energies; 0 before there are any"},
    {"/occupations", HF_FIELD_REAL, 1, 0, 0, 0, NULL, "electrons in each orbital"},
};

void hf_field_numbers(const struct hf_field *field, const void *row, double values[])
{
    const void *member = (const char *)row + field->offset;
    if (field->type == HF_FIELD_REAL)
        memcpy(values, member, (size_t)field->width * sizeof *values);
    else if (field->type == HF_FIELD_BOOLEAN)
        values[0] = *(const bool *)member;
    else
        values[0] = *(const int *)member;
}

void hf_print_checksum(uint64_t value, char hash[HF_HASH_SIZE])
{
    snprintf(hash, HF_HASH_SIZE, "%016llx", (unsigned long long)value);
}

static const char *spin_name(int n_spin, int spin)
{
    if (n_spin == 1) return "both_spins";
    return spin == 0 ? "alpha" : "beta";
}

const char *hf_orbitals_path(int n_spin, int spin, const char *rest, char path[HF_CHECKPOINT_PATH])
{
    snprintf(path, HF_CHECKPOINT_PATH, "/orbitals/%s%s", spin_name(n_spin, spin), rest);
    return path;
}

const char *hf_diis_path(int index, int n_spin, int spin, char path[HF_CHECKPOINT_PATH])
{
    if (n_spin == 0)
        snprintf(path, HF_CHECKPOINT_PATH, "/diis/%d", index + 1);
    else
        snprintf(path, HF_CHECKPOINT_PATH, "/diis/%d/%s", index + 1, spin_name(n_spin, spin));
    return path;
}
