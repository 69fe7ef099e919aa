/* What a calculation begins with: a guess of the list, or orbitals of other calculations. */
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

/** One way to make the first densities; the list, ended by NULL, is hf_guess_list ("sad",
 *  "sap", "huckel", "core"). */
struct hf_guess_ops;
extern const struct hf_guess_ops *const hf_guess_list[];
const char *hf_guess_name(const struct hf_guess_ops *guess);
const char *hf_guess_about(const struct hf_guess_ops *guess);

/** The matrices that a calculation goes on from. */
enum hf_restart_matrix {
    HF_RESTART_ORBITALS,       /**< C [n][n_column[spin]], the occupied ones first */
    HF_RESTART_ORTHOGONALISER, /**< X [n][m] of the calculation that was kept */
    HF_RESTART_DIIS,           /**< [m][m], as in struct hf_scf_state */
};

/** Orbitals of another calculation, to make the first densities of. Their functions are taken to where
 *  the atoms are now if these are the same elements in the same order (hf_orbitals_follow_atoms), else
 *  they stay where they were. */
struct hf_scf_orbitals {
    const struct hf_molecule *molecule; /**< borrowed, like `basis` */
    const struct hf_basis *basis;
    int n_spin;                /**< a method with more takes the first ones for the others */
    int n_column[HF_MAX_SPIN]; /**< orbitals, occupied ones first; as many as our electrons need */
    /** [n_spin] In the place of `read`: C [n][n_column] in the same functions, wherever these were, on a grid made
     *  like that of the new calculation; or NULL. Borrowed. */
    const struct hf_matrix *coefficient[HF_MAX_SPIN];
    /** As in struct hf_scf_restart (hf/restart.h), of HF_RESTART_ORBITALS. */
    hf_status (*read)(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                      int n, double rows[], struct hf_error *error);
    void *data;
};

/** Whether two molecules have the same elements in the same order. Not collective. */
bool hf_orbitals_follow_atoms(const struct hf_molecule *from, const struct hf_molecule *to);

/** A part of a molecule that was computed by itself; its molecule says charge and multiplicity. */
struct hf_scf_fragment {
    const char *name; /**< for messages, such as its file */
    const struct hf_scf_orbitals *orbitals;
};
struct hf_scf_fragments;

/** The occupied orbitals of fragments as those of the whole molecule, side by side: atoms of the
 *  fragments, one after another, are those of the molecule in its order, spins are parallel. They are
 *  not orthogonal to each other; hf_scf_run makes them so.
 *  Geometry   every fragment may have been elsewhere, as a whole, and a little distorted, but not
 *             turned: its functions keep their directions.
 *  Memory     *fragments is the caller's to destroy and refers to `molecule` and to what every
 *             `fragment` points to; rows are read when they are needed.
 *  Call       not collective; the same on every rank. HF_BAD_INPUT: other elements, ghosts, cores,
 *             orientations, charges or multiplicities, or orbitals are missing; HF_NO_RESOURCE. */
hf_status hf_scf_fragments_join(const struct hf_molecule *molecule, int n_fragment,
                                const struct hf_scf_fragment fragment[],
                                struct hf_scf_fragments **fragments,
                                struct hf_error *error) HF_MUST_CHECK;
/** Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_scf_fragments_destroy(struct hf_scf_fragments **fragments);
/** To begin with; belongs to `fragments`. */
const struct hf_scf_orbitals *hf_scf_fragments_orbitals(const struct hf_scf_fragments *fragments);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
