/* Names and hashes of a checkpoint. */
#include "checkpoint_layout.h"

#include "hf/text.h"

#include <stdio.h>
#include <string.h>

bool hf_hdf5_begins(size_t n, const char begin[])
{
    static const char signature[HF_HDF5_SIGNATURE_SIZE] = "\211HDF\r\n\032\n";
    return n >= sizeof signature && memcmp(begin, signature, sizeof signature) == 0;
}

const char hf_checkpoint_format[] = "hf checkpoint";

const char *const hf_keep_reason_names[4] = {"iteration", "interrupted", "finished", "finished"};

const struct hf_iteration_column hf_iteration_columns[HF_N_ITERATION_COLUMN] = {
    {"energies", "hartree", "total energy", offsetof(struct hf_scf_iteration, energy)},
    {"energy_changes", "hartree", "as the report shows them",
     offsetof(struct hf_scf_iteration, energy_change)},
    {"commutators", NULL, "largest element of X^T (FDS - SDF) X",
     offsetof(struct hf_scf_iteration, commutator)},
    {"seconds", "s", "wall time", offsetof(struct hf_scf_iteration, seconds)},
    {"thresholds", "hartree", "screening of the Fock build",
     offsetof(struct hf_scf_iteration, threshold)},
    {"percent_computed", NULL, "of all unique shell quartets",
     offsetof(struct hf_scf_iteration, percent_computed)},
};

static uint64_t add_integer(uint64_t hash, int value)
{
    return hf_hash_add(hash, sizeof value, &value);
}

static uint64_t add_reals(uint64_t hash, size_t n, const double values[])
{
    return hf_hash_add(hash, n * sizeof *values, values);
}

static void print_hash(uint64_t value, char hash[HF_HASH_SIZE])
{
    snprintf(hash, HF_HASH_SIZE, "%016llx", (unsigned long long)value);
}

void hf_molecule_hash(const struct hf_molecule *molecule, char hash[HF_HASH_SIZE])
{
    const struct hf_environment *environment = &molecule->environment;
    uint64_t value = add_integer(HF_HASH_EMPTY, molecule->n_atom);
    for (int i = 0; i < molecule->n_atom; i++) {
        value = add_integer(value, molecule->atom[i].atomic_number);
        value = add_integer(value, molecule->atom[i].ghost);
        value = add_reals(value, 3, molecule->atom[i].position_bohr);
    }
    value = add_integer(value, molecule->charge);
    value = add_integer(value, molecule->multiplicity);
    value = add_integer(value, environment->n_charge);
    for (int i = 0; i < environment->n_charge; i++) {
        value = add_reals(value, 1, &environment->charge[i].charge);
        value = add_reals(value, 3, environment->charge[i].position_bohr);
    }
    print_hash(add_reals(value, 3, environment->field), hash);
}

static uint64_t add_core_potential(uint64_t value, const struct hf_core_potential *potential)
{
    value = add_integer(value, potential->atom);
    value = add_integer(value, potential->n_core);
    value = add_integer(value, potential->max_l);
    value = add_integer(value, potential->n_term);
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        value = add_integer(add_integer(value, term->l), term->power);
        value = add_reals(add_reals(value, 1, &term->exponent), 1, &term->coefficient);
    }
    return value;
}

void hf_basis_hash(const struct hf_basis *basis, char hash[HF_HASH_SIZE])
{
    uint64_t value = add_integer(HF_HASH_EMPTY, basis->n_shell);
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        const size_t n = (size_t)shell->n_primitive;
        value = add_integer(value, shell->atom);
        value = add_integer(value, shell->l);
        value = add_integer(value, shell->spherical);
        value = add_integer(value, shell->n_primitive);
        value = add_reals(add_reals(value, n, shell->exponent), n, shell->coefficient);
    }
    for (int i = 0; i < basis->n_core_potential; i++)
        value = add_core_potential(value, &basis->core_potential[i]);
    print_hash(value, hash);
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
