/* Vibrations of a molecule: second derivatives of its energy, normal modes, infrared intensities, and the
 * thermochemistry of an ideal gas of it.
 *
 *     H_ij = (g_i(x_j + h) - g_i(x_j - h)) / 2 h       made symmetric; g is the analytic gradient
 *     M^-1/2 H M^-1/2 L = L w^2                        without translations and rotations
 *
 * Rotations are projected out also where the gradient is not zero. Nothing is projected out with point charges or
 * a field: the molecule is held by them, and has 3 N modes. */
#ifndef HF_VIBRATIONS_H
#define HF_VIBRATIONS_H

#include "base/arena.h"
#include "hf/molecule.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stdio.h>

/** Displacement of the differences, bohr. */
#define HF_VIBRATIONS_STEP 0.0025

/** What an ideal gas of molecules is asked at. */
struct hf_gas {
    double temperature;  /**< kelvin */
    double pressure;     /**< pascal */
    int symmetry_number; /**< of rotations; 0: to be found */
    double scale;        /**< of frequencies; 0: none, as 1 */
};

/** Kinds of motion that add up to the thermochemistry. */
enum hf_motion { HF_TRANSLATION, HF_ROTATION, HF_VIBRATION, HF_ELECTRONIC, HF_N_MOTION };

/** Rigid rotor, harmonic oscillators, of which imaginary ones are left out; the electronic ground state with its
 *  multiplicity. Hartree, and hartree/kelvin, of a molecule. */
struct hf_thermochemistry {
    struct hf_gas gas; /**< with the symmetry number that was used */
    bool symmetry_found;
    double rotational_temperature[3]; /**< kelvin, descending; INFINITY: no such rotation */
    double zero_point;                /**< energy, also part of the vibrational energy */
    double energy[HF_N_MOTION], entropy[HF_N_MOTION], heat_capacity[HF_N_MOTION];
    double total_energy, enthalpy, total_entropy, gibbs,
        heat_capacity_v; /**< sums; without the SCF's energy */
};

/** Initialise with = {0}. */
struct hf_vibrations {
    int n_atom;
    double *hessian;           /**< [3 n_atom][3 n_atom] hartree/bohr^2, symmetric */
    double *dipole_derivative; /**< [3 n_atom][3] of the dipole moment, atomic units */
    bool held;                 /**< by charges or a field: nothing is projected out */
    int n_mode;                /**< 3 n_atom less translations and rotations */
    double *frequency;         /**< [n_mode] 1/cm, ascending; imaginary ones are negative */
    double *reduced_mass;      /**< [n_mode] unified mass units */
    double *intensity;         /**< [n_mode] infrared, km/mol */
    double *mode;              /**< [n_mode][3 n_atom] Cartesian displacements, of norm 1 */
    struct hf_thermochemistry thermochemistry;
    struct hf_arena arena; /**< has the arrays; the caller releases it, also after a failure */
};

/** Room for the Hessian, zero. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_vibrations_create(const struct hf_molecule *molecule, struct hf_vibrations *vibrations,
                               struct hf_error *error) HF_MUST_CHECK;

/** Makes everything from Hessian and derivatives of the dipole. Not collective. HF_NO_RESOURCE: memory, LAPACK. */
hf_status hf_vibrations_analyse(const struct hf_molecule *molecule, const struct hf_gas *gas,
                                struct hf_vibrations *vibrations,
                                struct hf_error *error) HF_MUST_CHECK;

#endif
