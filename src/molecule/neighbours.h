/* Points in cells of one size, so that those near a place are found without looking at all. */
#ifndef HF_NEIGHBOURS_H
#define HF_NEIGHBOURS_H

#include "base/arena.h"
#include "hf/molecule.h"

#include <stdint.h>

/** Atoms in cubes of edge `cell_bohr`, which stand in a hash table:
 *
 *     head[hash of a cube] -> atom -> next[atom] -> ... -> -1
 *
 *  An atom within `cell_bohr` of a place is in its cube or in one of the 26 around it. */
struct hf_neighbours {
    const struct hf_molecule *molecule; /**< borrowed */
    double cell_bohr;
    uint32_t mask;         /**< head[mask + 1] */
    int *head;             /**< -1: empty */
    int *next;             /**< [n_atom] */
    int64_t n_visit;       /**< atoms that were looked at so far; for tests */
    struct hf_arena arena; /**< has the arrays; the caller releases it, also after a failure */
};

/** No atom in it yet. HF_NO_RESOURCE: memory. Not collective, like all functions here. */
hf_status hf_neighbours_init(struct hf_neighbours *neighbours, const struct hf_molecule *molecule,
                             double cell_bohr, struct hf_error *error) HF_MUST_CHECK;

/** Puts an atom into its cell. */
void hf_neighbours_add(struct hf_neighbours *neighbours, int atom);

/** Calls `visit` with every atom in the 27 cells around a place; some more may come along, and some
 *  twice. In no particular order. */
void hf_neighbours_visit(struct hf_neighbours *neighbours, const double position_bohr[3],
                         void (*visit)(void *data, int atom), void *data);

/** Distance of two atoms. */
double hf_atom_distance_bohr(const struct hf_molecule *molecule, int i, int j);

/** The first atom, and the first before it, that are less than `distance_bohr` apart; *later is -1
 *  when there are none. Work grows with the number of atoms alone. */
hf_status hf_find_coincidence(const struct hf_molecule *molecule, double distance_bohr,
                              int *earlier, int *later, struct hf_error *error) HF_MUST_CHECK;

/** A pair of atoms (earlier < later) and its distance over the sum of covalent radii; later is -1
 *  when there is none. */
struct hf_nearest {
    int earlier, later;
    double ratio;
    int64_t n_visit; /**< atoms that were looked at; for tests */
};

/** The pair whose distance is smallest for the size of its atoms, the first of equals; ghosts do not
 *  count, and noble gases, which form no bonds, only in pairs of ratio at most `loose_ratio`.
 *  No two atoms may coincide (hf_find_coincidence): what is not dense is found in a time that grows
 *  with the number of atoms alone. */
hf_status hf_find_nearest(const struct hf_molecule *molecule, double loose_ratio,
                          struct hf_nearest *nearest, struct hf_error *error) HF_MUST_CHECK;

#endif
