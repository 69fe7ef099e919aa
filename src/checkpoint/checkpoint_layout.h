/* Inside the checkpoint: names that writer and reader share. */
#ifndef HF_CHECKPOINT_LAYOUT_H
#define HF_CHECKPOINT_LAYOUT_H

#include "hf/checkpoint.h"

enum { HF_HASH_SIZE = 17, HF_CHECKPOINT_PATH = 64, HF_N_ITERATION_COLUMN = 6 };

enum { HF_HDF5_SIGNATURE_SIZE = 8 };

/** Whether a file begins as HDF5 files do, of the first `n` bytes that it has. */
bool hf_hdf5_begins(size_t n, const char begin[]);

extern const char hf_checkpoint_format[]; /**< "hf checkpoint" */
/** By enum hf_keep_reason; whether what is finished is converged is said apart. */
extern const char *const hf_keep_reason_names[4];

/** A column of the table of iterations: a double of struct hf_scf_iteration. */
struct hf_iteration_column {
    const char *name, *units, *about;
    size_t offset;
};
extern const struct hf_iteration_column hf_iteration_columns[HF_N_ITERATION_COLUMN];

/** Hexadecimal FNV-1a of the molecule (without its title), and of shells and core potentials. */
void hf_molecule_hash(const struct hf_molecule *molecule, char hash[HF_HASH_SIZE]);
void hf_basis_hash(const struct hf_basis *basis, char hash[HF_HASH_SIZE]);

/** "/orbitals/both_spins" or "/orbitals/alpha" or "beta", and `rest`; written to and returned. */
const char *hf_orbitals_path(int n_spin, int spin, const char *rest, char path[HF_CHECKPOINT_PATH]);
/** "/diis/1/both_spins" of matrix 0; with n_spin 0 "/diis/1". */
const char *hf_diis_path(int index, int n_spin, int spin, char path[HF_CHECKPOINT_PATH]);

#endif
