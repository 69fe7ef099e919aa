/* The wave function of a calculation: what everything beyond the energy is computed from.
 *
 * There are n basis functions and m <= n orbitals (fewer if linear dependence was removed). Matrices are on the grid
 * of the wave function: spread over the ranks, or on rank 0 (hf_linalg). A rank holds a whole matrix only if the
 * grid has one rank. With the overlap matrix S
 *
 *     C^T S C = 1        tr D S = number of electrons        D = C n C^T at convergence
 *
 * The energy in the result belongs to the density D. The orbitals are those of D's Fock matrix F. So F C = S C e
 * holds exactly; D and C n C^T differ by the remaining commutator. For ROHF F is the effective matrix of Guest and
 * Saunders, Mol. Phys. 28, 819 (1974): its diagonal blocks are those of (F_alpha + F_beta) / 2. */
#ifndef HF_WAVEFUNCTION_H
#define HF_WAVEFUNCTION_H

#include "hf/basis.h"
#include "hf/linalg.h"
#include "hf/molecule.h"
#include "hf/status.h"

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

enum { HF_MAX_SPIN = 2 };

/** A kind of Hartree-Fock wave function. All are in hf_method_list ("rhf", "uhf", "rohf"), which ends with NULL. */
struct hf_method_ops;
extern const struct hf_method_ops *const hf_method_list[];
const char *hf_method_name(const struct hf_method_ops *method);
const char *hf_method_about(const struct hf_method_ops *method);

/** How the method with this name defines its orbital energies, or "". */
const char *hf_method_convention(const char *name);

/** The method that `name` means: "hf" is rhf for singlets and uhf otherwise; other names mean themselves. Not
 *  collective. */
const char *hf_method_for(const char *name, const struct hf_molecule *molecule);

/** Checks that the method with this name can do the molecule. Not collective. HF_BAD_INPUT: it cannot (the message
 *  has the reason), or there is no such method. */
hf_status hf_method_check(const char *name, const struct hf_molecule *molecule,
                          struct hf_error *error) HF_MUST_CHECK;

/** Which parts of a wave function are computed. */
enum hf_wavefunction_parts {
    HF_WAVEFUNCTION_ALL, /**< everything */
    /** energies, occupations, densities, overlap and grid; coefficients are NULL */
    HF_WAVEFUNCTION_DENSITIES,
    HF_WAVEFUNCTION_ENERGIES, /**< orbital energies and occupations; matrices and grid are NULL */
};

/** Orbitals of one spin, or shared by both spins: first doubly occupied, then singly, then virtual. */
struct hf_orbitals {
    int n_orbital; /**< m */
    /** the first ones are occupied; the number of electrons if occupations are fractional */
    int n_occupied;
    double *energy; /**< [m] ascending, hartree */
    /** [m] electrons: of one spin 1 or 0; of both spins 2, 1 or 0; fractions of these with settings.smearing */
    double *occupation;
    struct hf_matrix *coefficient; /**< C [n][m], column k is orbital k */
};

/** A wave function; owns its arrays, matrices and grid, borrows the rest. Initialise with = {0}. */
struct hf_wavefunction {
    const char *method; /**< a name of hf_method_list */
    int n_spin;         /**< sets of orbitals; 1: shared by both spins; 2: alpha, then beta */
    struct hf_orbitals spin[HF_MAX_SPIN];
    struct hf_matrix *density;      /**< D [n][n] of all electrons, alpha + beta */
    struct hf_matrix *spin_density; /**< [n][n] alpha - beta; NULL for closed shells (zero) */
    /** [n][n] all electrons, each multiplied by its orbital energy, hartree
     *  (hf_method_weighted_density); NULL unless the settings ask for it */
    struct hf_matrix *weighted_density;
    struct hf_matrix *overlap; /**< S [n][n] */
    /** X [n][m] = V s^-1/2 from the eigenvectors V of S whose eigenvalues s are not too small; NULL
     *  if there are coefficients */
    struct hf_matrix *orthogonaliser;
    const struct hf_basis *basis;       /**< borrowed */
    const struct hf_molecule *molecule; /**< borrowed */
    struct hf_linalg *linalg;           /**< the grid; its context must outlive the wave function */
};

/** Frees and clears. Accepts NULL, cleared and half-made ones. Collective over the grid's context. */
void hf_wavefunction_done(struct hf_wavefunction *wavefunction);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
