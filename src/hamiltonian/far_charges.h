/* Charges far from the functions of two atoms, by local expansions. docs/numerics.md describes it. */
#ifndef HF_FAR_CHARGES_H
#define HF_FAR_CHARGES_H

#include "base/arena.h"
#include "hf/basis.h"
#include "multipole/cell_tree.h"
#include "multipole/multipole.h"
#include "one_electron/one_electron.h"

enum { HF_CHARGE_ORDER = 20 }; /**< highest order of the expansions */

/** A tree of cells over places of charge. Leaves are rows: leaf number k is row k. The first cell has all. */
struct hf_charge_tree {
    struct hf_arena arena; /**< has the arrays; the caller releases it, also after a failure */
    struct hf_cell_tree cells;
    struct hf_charge_places places; /**< borrowed */
    struct hf_expanded *source;     /**< [n_cell] */
    const double **moments_of;      /**< [n_cell] NULL: too few charges */
    double *moments; /**< [hf_multipole_size(HF_CHARGE_ORDER)] of each cell that has them */
};

/** Finds the cells and sorts the charges accordingly. Those that are zero go to the end. HF_NO_RESOURCE:
 *  memory. */
hf_status hf_charge_tree_init(struct hf_charge_tree *tree, int n_charge,
                              struct hf_spread_charge charge[],
                              struct hf_error *error) HF_MUST_CHECK;

/** Adds the moments: the places are those of the sorted charges, one at least, and borrowed. HF_NO_RESOURCE:
 *  memory. */
hf_status hf_charge_tree_expand(struct hf_charge_tree *tree, struct hf_charge_places places,
                                struct hf_error *error) HF_MUST_CHECK;

/** The products of functions of atoms i and j as the bounds take them, about the middle of the two:
 *  a function pair has all its primitives in a strength. widest[l] is that of spherical
 *  functions. */
struct hf_expanded hf_weigh_atoms(const struct hf_basis *basis, const double widest[], int i,
                                  int j);

/** How many products of primitives of two atoms there are that overlap, coefficients aside. */
int hf_count_products(const struct hf_basis *basis, int i, int j);

/** Tables and scratch of one thread for far charges. */
struct hf_far_charges;

/** Integrals may change by `tolerance`, hartree. Atoms of fewer products of primitives times rows than
 *  `least_work` take no expansions. Several threads may use the tree, which is borrowed like
 *  the basis. HF_NO_RESOURCE: memory. */
hf_status hf_far_charges_create(const struct hf_basis *basis, const struct hf_charge_tree *tree,
                                double tolerance, double least_work, struct hf_far_charges **far,
                                struct hf_error *error) HF_MUST_CHECK;
/** Accepts a pointer to NULL; leaves NULL. */
void hf_far_charges_destroy(struct hf_far_charges **far);

/** The field of all charges for the products of functions of atoms i and j; valid until the next call. NULL if
 *  no charge is far, or if expansions are not worthwhile. */
const struct hf_charge_field *hf_far_charges_look(struct hf_far_charges *far, int i, int j);

#endif
