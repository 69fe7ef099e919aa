/* Properties of a wave function: atomic charges and spins, bond orders, moments, the potential at the nuclei. Also
 * mass, centre of mass and rotational constants. */
#ifndef HF_PROPERTIES_H
#define HF_PROPERTIES_H

#include "hf/context.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** How much is computed and reported: values of the option "properties". */
enum { HF_PROPERTIES_NONE, HF_PROPERTIES_SHORT, HF_PROPERTIES_ALL };

/** Bond orders of two atoms, atom > other. */
struct hf_bond {
    int atom, other;
    double mayer;  /**< sum over functions m of one atom and n of the other of (DS)_mn (DS)_nm, and
                    *   of (MS)_mn (MS)_nm with the spin density M */
    double wiberg; /**< the same sum of D'_mn^2 and M'_mn^2, D' = S^1/2 D S^1/2 */
};

/** Response of the dipole moment to a static electric field, by the coupled-perturbed equations of the method. */
struct hf_polarisability {
    bool converged;   /**< to about seven digits */
    double tensor[9]; /**< bohr^3, symmetric */
    /** lowest eigenvalue of the Hessian among rotations that respond; negative: the solution is no minimum */
    double lowest_eigenvalue;
    int n_product; /**< products of the Hessian */
};

/** Numbers are in atomic units and equal on every rank. D is the density of all electrons, M the spin density, S the
 *  overlap. Nuclear charges are reduced by the electrons of effective core potentials. */
struct hf_properties {
    double n_electron;          /**< tr D S */
    double n_electron_expected; /**< number of electrons of the molecule */
    bool complete; /**< false: only the two members above were computed; the others are empty */

    double origin[3]; /**< origin of the moments, bohr */
    double dipole[3]; /**< of nuclei and electrons */
    /** of nuclei and electrons: sum of charge times xx, xy, xz, yy, yz, zz */
    double second_moment[6];
    double quadrupole[6]; /**< (3 second moment - trace) / 2, traceless (Buckingham 1959) */

    int n_atom;
    /** [n_atom] nuclear charge minus the sum of (DS)_mm over its functions */
    double *mulliken_charge;
    double *loewdin_charge; /**< [n_atom] the same with D'_mm */
    /** [n_atom] unpaired electrons: sum of (MS)_mm; NULL for closed shells */
    double *mulliken_spin;
    double *loewdin_spin; /**< [n_atom] the same with M'_mm */
    /** [n_atom] electrostatic potential at each nucleus, of the electrons and all other nuclei,
     *  hartree/e; external charges and fields are not included */
    double *potential;
    int n_bond;
    /** [n_bond] pairs of atoms with a bond order of at least HF_LEAST_BOND_ORDER, ordered by atom, then by other */
    struct hf_bond *bond;

    double mass;              /**< mass of the real atoms (hf_atom_mass), mass units */
    double centre_of_mass[3]; /**< bohr */
    /** principal moments about the centre of mass, mass units bohr^2, ascending */
    double inertia[3];
    double rotational_ghz[3]; /**< rotational constants; INFINITY if the moment of inertia is 0 */
};

/** Smaller bond orders are left out: seven decimals would not show them. */
#define HF_LEAST_BOND_ORDER 5e-8

/** The phase of the properties. */
extern const struct hf_phase hf_phase_properties;

/** All properties; with `complete` false only the number of electrons.
 *
 *  Memory   *properties is filled; free it with hf_properties_done. During the call it needs four matrices like the
 *           density, spread in the same way, and this rank's blocks of two matrices. No rank holds a whole matrix
 *           unless the density already is whole.
 *  Call     collective over the context of the wave function, which must have its densities.
 *  Errors   HF_NO_RESOURCE: memory, linear algebra. Same status and message on every rank;
 *           *properties is then empty.
 *  Source   Mulliken, J. Chem. Phys. 23, 1833 (1955); Loewdin, J. Chem. Phys. 18, 365 (1950); Mayer,
 *           Chem. Phys. Lett. 97, 270 (1983), and Int. J. Quantum Chem. 29, 477 (1986) for open
 *           shells; Wiberg, Tetrahedron 24, 1083 (1968). */
hf_status hf_properties_compute(struct hf_context *context,
                                const struct hf_wavefunction *wavefunction, bool complete,
                                struct hf_properties *properties,
                                struct hf_error *error) HF_MUST_CHECK;

/** Whether the density has the number of electrons of the molecule, to 1e-7 per electron. */
bool hf_properties_electrons_agree(const struct hf_properties *properties);

/** Frees and clears. Accepts NULL, and a cleared or half-made one. Not collective. */
void hf_properties_done(struct hf_properties *properties);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
