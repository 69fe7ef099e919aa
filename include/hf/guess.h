/* Start of a calculation: a guess of the list, or orbitals of other calculations. */
#ifndef HF_GUESS_H
#define HF_GUESS_H

#include "hf/basis.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** A way to compute the first densities. All are in hf_guess_list, which ends with NULL ("sad", "sap", "huckel",
 *  "core"). */
struct hf_guess_ops;
extern const struct hf_guess_ops *const hf_guess_list[];
const char *hf_guess_name(const struct hf_guess_ops *guess);
const char *hf_guess_about(const struct hf_guess_ops *guess);

/** The matrices needed to continue a calculation. */
enum hf_restart_matrix {
    HF_RESTART_ORBITALS,       /**< C [n][n_column[spin]], the occupied ones first */
    HF_RESTART_ORTHOGONALISER, /**< X [n][m] of the calculation to continue */
    HF_RESTART_DIIS,           /**< [m][m], as in struct hf_scf_state */
};

/** Orbitals of another calculation, from which the first densities are computed. If its molecule has the same
 *  elements in the same order (hf_orbitals_follow_atoms), the functions are moved to the new positions of the atoms.
 *  Otherwise they stay where they were. */
struct hf_scf_orbitals {
    const struct hf_molecule *molecule; /**< borrowed, like `basis` */
    const struct hf_basis *basis;
    int n_spin; /**< sets of orbitals; a method that needs more uses the first set again */
    /** number of orbitals, occupied ones first; at least as many as the electrons need */
    int n_column[HF_MAX_SPIN];
    /** [n_spin] Used instead of `read` unless NULL: C [n][n_column] in the same functions at any positions. Its grid
     *  must be made like the grid of the new calculation. Borrowed. */
    const struct hf_matrix *coefficient[HF_MAX_SPIN];
    /** As `read` of struct hf_scf_restart (hf/restart.h), for HF_RESTART_ORBITALS. */
    hf_status (*read)(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                      int n, double rows[], struct hf_error *error);
    void *data;
};

/** Whether two molecules have the same elements in the same order. Not collective. */
bool hf_orbitals_follow_atoms(const struct hf_molecule *from, const struct hf_molecule *to);

/** A part of a molecule that was computed by itself. Its molecule contains its charge and multiplicity. */
struct hf_scf_fragment {
    const char *name; /**< for messages, such as its file */
    const struct hf_scf_orbitals *orbitals;
};
struct hf_scf_fragments;

/** The occupied orbitals of fragments put together as orbitals of the whole molecule. The atoms of the fragments, one
 *  fragment after another, must be the atoms of the molecule in order. Spins are parallel. The orbitals of different
 *  fragments are not orthogonal; hf_scf_run orthogonalises them.
 *  Geometry   a fragment may have been computed at another place and slightly distorted, but not rotated, because its
 *             functions keep their directions.
 *  Memory     the caller destroys *fragments. It refers to `molecule` and to everything `fragment` points to. Rows
 *             are read when they are needed.
 *  Call       not collective; the same on every rank. HF_BAD_INPUT: elements, ghosts, cores, orientations, charges or
 *             multiplicities differ, or orbitals are missing; HF_NO_RESOURCE. */
hf_status hf_scf_fragments_join(const struct hf_molecule *molecule, int n_fragment,
                                const struct hf_scf_fragment fragment[],
                                struct hf_scf_fragments **fragments,
                                struct hf_error *error) HF_MUST_CHECK;
/** Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_scf_fragments_destroy(struct hf_scf_fragments **fragments);
/** The orbitals for hf_scf_settings.orbitals; owned by `fragments`. */
const struct hf_scf_orbitals *hf_scf_fragments_orbitals(const struct hf_scf_fragments *fragments);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
