/* Points round a molecule for charges that are fitted to its electrostatic potential. */
#ifndef HF_POTENTIAL_CHARGES_H
#define HF_POTENTIAL_CHARGES_H

#include "base/arena.h"
#include "hf/molecule.h"

/** Values of the option "potential-charges". */
enum hf_potential_charges { HF_CHARGES_MK, HF_CHARGES_CHELPG, HF_CHARGES_RESP };

struct hf_potential_points {
    int n;
    double *place; /**< x[n], y[n], z[n], bohr; of the arena */
};

/** Number of points. Not collective. HF_NO_RESOURCE: more than 1e7. HF_BAD_INPUT: all atoms are too large
 *  for those of CHELPG. */
hf_status hf_potential_points_count(const struct hf_molecule *molecule,
                                    enum hf_potential_charges kind, int *n,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Those of Merz and Kollman: on spheres of 1.4, 1.6, 1.8 and 2 radii round each atom, one point for each square angstrom,
 *  outside of these spheres of all other atoms. Those of CHELPG: of a lattice of 0.3 angstrom, at least a radius from all atoms
 *  and at most 2.8 angstrom from the nearest. Ghosts have none. Not collective. HF_NO_RESOURCE: memory; and as above.
 *  Source: Singh and Kollman, J. Comput. Chem. 5, 129 (1984); Besler, Merz, Kollman, J. Comput. Chem. 11, 431 (1990);
 *  Breneman and Wiberg, J. Comput. Chem. 11, 361 (1990). */
hf_status hf_potential_points_make(const struct hf_molecule *molecule,
                                   enum hf_potential_charges kind, struct hf_arena *arena,
                                   struct hf_potential_points *points,
                                   struct hf_error *error) HF_MUST_CHECK;

#endif
