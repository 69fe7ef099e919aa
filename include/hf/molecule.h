/* A molecule: nuclei in bohr, charge, multiplicity. */
#ifndef HF_MOLECULE_H
#define HF_MOLECULE_H

#include "hf/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** One centre. A ghost atom carries the basis functions of its element but neither nuclear charge
 *  nor electrons. */
struct hf_atom {
    int atomic_number; /**< 1 to 118, also for ghosts */
    bool ghost;
    double position_bohr[3];
    /** Electrons that the effective core potential of its basis set stands for: 0 until a basis says
     *  otherwise (hf_basis_set_cores), and for ghosts. */
    int n_core;
    double mass; /**< of its isotope, unified atomic mass units; 0: hf_element_mass */
};

/** A charge that is no nucleus; positive ones attract electrons. */
struct hf_point_charge {
    double charge; /**< elementary charges */
    double position_bohr[3];
};

/** What acts on a molecule from outside. */
struct hf_environment {
    int n_charge;
    struct hf_point_charge *charge; /**< [n_charge]; may be NULL when there are none */
    double field[3];                /**< uniform electric field F, atomic units: energy -mu.F */
};

/** Plain struct; `atom`, `title` and what `environment` points to are owned and freed by
 *  hf_molecule_done. */
struct hf_molecule {
    int n_atom;
    struct hf_atom *atom; /**< [n_atom] */
    int charge;
    int multiplicity; /**< 2S + 1 */
    char *title;      /**< may be NULL */
    struct hf_environment environment;
};

/** Frees what the struct owns and clears it. Accepts NULL and a half-made molecule. */
void hf_molecule_done(struct hf_molecule *molecule);

/** Electrons that are computed: nuclear charges of the real atoms less those of their cores, minus
 *  the total charge. */
int hf_molecule_n_electron(const struct hf_molecule *molecule);

/** Electrons in effective core potentials. */
int hf_molecule_n_core(const struct hf_molecule *molecule);

/** Nuclear charge an electron sees at atom `i`, that of nucleus and core: 0 for a ghost. */
double hf_molecule_nuclear_charge(const struct hf_molecule *molecule, int i);

/** sum_B Z_B / R_iB over nuclei B = 0 .. end-1 other than `i`, atomic units. */
double hf_molecule_potential_of_nuclei(const struct hf_molecule *molecule, int end, int i);

/** Z_i sum_{B<i} Z_B / R_iB, hartree: summed over all i the repulsion of the nuclei. */
double hf_molecule_repulsion_of_nucleus(const struct hf_molecule *molecule, int i);

/** sum_{A<B} Z_A Z_B / R_AB in hartree, over real atoms. Alone, 0.2 s for 10,000 atoms: where several
 *  ranks want it, hf_nuclear_energy_of divides it. */
double hf_molecule_nuclear_repulsion(const struct hf_molecule *molecule);

/** Elements that there are. */
enum { HF_N_ELEMENT = 118 };

/** Symbol of an element ("He"), or NULL outside 1..118. */
const char *hf_element_symbol(int atomic_number);

/** Mass of the commonest isotope of an element (of the longest-lived where none is stable) in
 *  unified atomic mass units; 0 outside 1..118. */
double hf_element_mass(int atomic_number);

/** Mass of the isotope of an element with `mass_number` nucleons, neutral and in its ground state, in
 *  unified atomic mass units; 0 where none is known. */
double hf_isotope_mass(int atomic_number, int mass_number);

/** Mass that an atom counts with: that of its isotope; 0 for a ghost. */
double hf_atom_mass(const struct hf_atom *atom);

/** Whether an atom, no ghost, has another mass than that of the commonest isotope. */
bool hf_is_isotope(const struct hf_atom *atom);

/** Atomic number of a symbol in any case ("HE", "he"); 0 when unknown. D and T are hydrogen. */
int hf_element_number(const char *symbol);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
