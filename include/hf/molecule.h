/* A molecule: nuclei in bohr, charge, multiplicity. */
#ifndef HF_MOLECULE_H
#define HF_MOLECULE_H

#include "hf/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** One centre. A ghost atom has the basis functions of its element, but no nuclear charge and no electrons. */
struct hf_atom {
    int atomic_number; /**< 1 to 118, also for ghosts */
    bool ghost;
    double position_bohr[3];
    /** Electrons that the effective core potential replaces. 0 until hf_basis_set_cores is called, and for ghosts. */
    int n_core;
    bool core_potential; /**< an effective core potential acts here; it may replace 0 electrons */
    /** mass of its isotope, unified atomic mass units; 0: the mass is hf_element_mass */
    double mass;
};

/** An external point charge. Positive charges attract electrons. */
struct hf_point_charge {
    double charge; /**< elementary charges */
    double position_bohr[3];
};

/** External charges and field. */
struct hf_environment {
    int n_charge;
    struct hf_point_charge *charge; /**< [n_charge]; may be NULL if n_charge is 0 */
    double field[3];                /**< uniform electric field F, atomic units: energy -mu.F */
};

/** A molecule. It owns `atom`, `title` and the charges of `environment`; hf_molecule_done frees them. */
struct hf_molecule {
    int n_atom;
    struct hf_atom *atom; /**< [n_atom] */
    int charge;
    int multiplicity; /**< 2S + 1 */
    char *title;      /**< may be NULL */
    struct hf_environment environment;
};

/** Frees everything the struct owns and clears it. Accepts NULL and a half-made molecule. */
void hf_molecule_done(struct hf_molecule *molecule);

/** Number of electrons in the calculation: nuclear charges of the real atoms, minus the electrons of
 *  effective core potentials, minus the total charge. */
int hf_molecule_n_electron(const struct hf_molecule *molecule);

/** Electrons in effective core potentials. */
int hf_molecule_n_core(const struct hf_molecule *molecule);

/** Charge of the nucleus minus the electrons in its core potential; 0 for a ghost. */
double hf_molecule_nuclear_charge(const struct hf_molecule *molecule, int i);

/** sum_B Z_B / R_iB over nuclei B = 0 .. end-1 except `i`, atomic units. */
double hf_molecule_potential_of_nuclei(const struct hf_molecule *molecule, int end, int i);

/** Z_i sum_{B<i} Z_B / R_iB, hartree. The sum over all i is the nuclear repulsion. */
double hf_molecule_repulsion_of_nucleus(const struct hf_molecule *molecule, int i);

/** sum_{A<B} Z_A Z_B / R_AB over real atoms, hartree. Takes 0.2 s for 10,000 atoms;
 *  hf_nuclear_energy_of divides the work over ranks. */
double hf_molecule_nuclear_repulsion(const struct hf_molecule *molecule);

/** Number of elements. */
enum { HF_N_ELEMENT = 118 };

/** Symbol of an element ("He"), or NULL outside 1..118. */
const char *hf_element_symbol(int atomic_number);

/** Covalent radius of an element, for judging distances; atomic number 1..118. */
double hf_covalent_radius_angstrom(int atomic_number);

/** Whether two atoms are bonded: nearer than 1.3 times the sum of their covalent radii; ghosts never are. Not
 *  collective. */
bool hf_atoms_are_bonded(const struct hf_atom *atom, const struct hf_atom *other);

/** Mass of the commonest isotope of an element, or of the longest-lived one if none is stable, in
 *  unified atomic mass units; 0 outside 1..118. */
double hf_element_mass(int atomic_number);

/** Mass of the isotope of an element with `mass_number` nucleons, neutral and in its ground state, in
 *  unified atomic mass units; 0 if it is not known. */
double hf_isotope_mass(int atomic_number, int mass_number);

/** Mass of an atom (of its isotope); 0 for a ghost. */
double hf_atom_mass(const struct hf_atom *atom);

/** Mass of all atoms (unified atomic mass units), its centre (bohr; the origin if the mass is 0) and the tensor of
 *  inertia about it (mass units bohr^2). Not collective. */
void hf_molecule_inertia(const struct hf_molecule *molecule, double *mass, double centre[3],
                         double tensor[3][3]);

/** Whether the mass of a real atom differs from that of the commonest isotope. */
bool hf_is_isotope(const struct hf_atom *atom);

/** Atomic number of a symbol in any case ("HE", "he"); 0 if unknown. D and T are hydrogen. */
int hf_element_number(const char *symbol);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
