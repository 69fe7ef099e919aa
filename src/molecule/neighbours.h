/* Atoms in cells of one size, so that atoms near a point are found without looking at all atoms. */
#ifndef HF_NEIGHBOURS_H
#define HF_NEIGHBOURS_H

#include "base/arena.h"
#include "hf/molecule.h"

#include <stdint.h>

/** Atoms in cubes of edge `cell_bohr`, in a hash table:
 *
 *     head[hash of a cube] -> atom -> next[atom] -> ... -> -1
 *
 *  An atom within `cell_bohr` of a point is in the cube of the point or in one of the 26 cubes around it. */
struct hf_neighbours {
    const struct hf_molecule *molecule; /**< borrowed */
    double cell_bohr;
    uint32_t mask;         /**< head[mask + 1] */
    int *head;             /**< -1: empty */
    int *next;             /**< [n_atom] */
    int64_t n_visit;       /**< number of atoms visited so far; for tests */
    struct hf_arena arena; /**< owns the arrays; the caller releases it, also after a failure */
};

/** Initialises without atoms. HF_NO_RESOURCE: memory. Not collective, like all functions here. */
hf_status hf_neighbours_init(struct hf_neighbours *neighbours, const struct hf_molecule *molecule,
                             double cell_bohr, struct hf_error *error) HF_MUST_CHECK;

/** Puts an atom into its cell. */
void hf_neighbours_add(struct hf_neighbours *neighbours, int atom);

/** Calls `visit` with every atom in the 27 cells around a point, in any order. Some other atoms may be visited too,
 *  and some atoms twice. */
void hf_neighbours_visit(struct hf_neighbours *neighbours, const double position_bohr[3],
                         void (*visit)(void *data, int atom), void *data);

/** Distance of two atoms. */
double hf_atom_distance_bohr(const struct hf_molecule *molecule, int i, int j);

/** Finds the first atom that is closer than `distance_bohr` to an earlier one, and the first such earlier one; *later
 *  is -1: none. Time is proportional to the number of atoms. */
hf_status hf_find_coincidence(const struct hf_molecule *molecule, double distance_bohr,
                              int *earlier, int *later, struct hf_error *error) HF_MUST_CHECK;

/** A pair of atoms (earlier < later) and its distance over the sum of covalent radii; later is -1: none. */
struct hf_nearest {
    int earlier, later;
    double ratio;
    int64_t n_visit; /**< number of atoms visited; for tests */
};

/** Finds the pair with the smallest ratio of distance and covalent radii; of equal pairs the first. Ghosts are
 *  ignored. Noble gases, which form no bonds, count only in pairs of ratio at most `loose_ratio`. No two atoms may
 *  coincide (hf_find_coincidence); then the time is proportional to the number of atoms. */
hf_status hf_find_nearest(const struct hf_molecule *molecule, double loose_ratio,
                          struct hf_nearest *nearest, struct hf_error *error) HF_MUST_CHECK;

#endif
