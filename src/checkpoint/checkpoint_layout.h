/* Inside the checkpoint: what stands where in the file. One table serves to write, read and compare. */
#ifndef HF_CHECKPOINT_LAYOUT_H
#define HF_CHECKPOINT_LAYOUT_H

#include "basis/checksum.h"
#include "checkpoint/checkpoint.h"

enum { HF_HASH_SIZE = 17, HF_CHECKPOINT_PATH = 64, HF_WIDEST_FIELD = 4 };

/** Whether a file begins as HDF5 files do; reads its first bytes. */
bool hf_hdf5_begins(FILE *stream);

extern const char hf_checkpoint_format[]; /**< "hf checkpoint" */
/** Groups that are added and read again; ended by NULL. */
extern const char *const hf_checkpoint_groups_added[];
/** By enum hf_keep_reason; convergence of a finished calculation is a field of its own. */
extern const char *const hf_keep_reason_names[4];

/** What a field holds; in memory an int, a bool, doubles or an owned char *. */
enum hf_field_type {
    HF_FIELD_INTEGER,
    HF_FIELD_BOOLEAN,
    HF_FIELD_REAL,
    HF_FIELD_TEXT,
    HF_FIELD_OPTIONAL_TEXT, /**< NULL where it is missing */
};

/** A dataset, and the member of a struct whose value it has. Of an array of structs it has a row for
 *  each of them. */
struct hf_field {
    const char *path;
    enum hf_field_type type;
    int width;          /**< numbers of a struct, up to HF_WIDEST_FIELD; more than 1: reals */
    size_t offset;      /**< of the member */
    double least, most; /**< range of its numbers; both 0: any that is finite */
    const char *units, *about;
};

/** The fields of a struct. */
struct hf_fields {
    const struct hf_field *field; /**< [n_field] */
    int n_field;
    size_t bytes; /**< of the struct */
};
extern const struct hf_fields hf_checkpoint_fields,    /**< of struct hf_checkpoint */
    hf_open_shell_fields,                              /**< of it, since version 2 */
    hf_basis_fields, hf_atom_fields, hf_charge_fields, /**< charges outside the molecule */
    hf_shell_fields, hf_core_fields, hf_core_term_fields, hf_iteration_fields,
    hf_occupied_fields, /**< of struct hf_checkpoint_orbitals */
    hf_column_fields;   /**< of an int */
/** Arrays over the primitives of all shells: exponents, coefficients. */
extern const struct hf_field hf_primitive_fields[2];
/** Arrays over orbitals, to be put behind the path of their spin: energies, occupations. */
extern const struct hf_field hf_orbital_fields[2];

/** Numbers of the member of a struct `row`: values[width]. */
void hf_field_numbers(const struct hf_field *field, const void *row, double values[]);

/** A checksum of molecule or basis as it stands in the file. */
void hf_print_checksum(uint64_t value, char hash[HF_HASH_SIZE]);

/** "/orbitals/both_spins" or "/orbitals/alpha" or "beta", and `rest`; written to and returned. */
const char *hf_orbitals_path(int n_spin, int spin, const char *rest, char path[HF_CHECKPOINT_PATH]);
/** "/diis/1/both_spins" of matrix 0; with n_spin 0 "/diis/1". */
const char *hf_diis_path(int index, int n_spin, int spin, char path[HF_CHECKPOINT_PATH]);

#endif
