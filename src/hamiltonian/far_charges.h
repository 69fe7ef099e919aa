/* Charges far from the functions of two atoms, by local expansions. docs/numerics.md describes it. */
#ifndef HF_FAR_CHARGES_H
#define HF_FAR_CHARGES_H

#include "hf/basis.h"
#include "hf/multipole.h"
#include "hf/one_electron.h"

enum { HF_CHARGE_ORDER = 20 }; /**< highest order of the expansions */

/** Sorts charges so that those that are near each other in space are so in the list: halves of it,
 *  quarters of it and so on, cut where rows end, are boxes. Zeros go to the end. Charges at one place that
 *  follow each other stay together. HF_NO_RESOURCE: memory. */
hf_status hf_sort_charges(int n_charge, struct hf_spread_charge charge[],
                          struct hf_error *error) HF_MUST_CHECK;

/** Rows of charge within a sphere. */
struct hf_charge_cell {
    int begin, end; /**< rows */
    int next;       /**< the cell behind all that is within this one; its first half follows it */
    double centre[3], radius;
    double strength; /**< sum of the moduli of its charges */
    int moments;     /**< number of its expansion; -1: too few charges */
};

/** A tree of cells over rows. The first one has all. */
struct hf_charge_tree {
    struct hf_charge_places places;
    int n_cell, n_moments;
    struct hf_charge_cell *cell; /**< [n_cell] a cell before those within it */
    double *moments;             /**< [n_moments][hf_multipole_size(HF_CHARGE_ORDER)] */
    double exponent;             /**< lowest of a charge */
};

/** For one place at least. The places are borrowed. HF_NO_RESOURCE: memory. */
hf_status hf_charge_tree_init(struct hf_charge_tree *tree, struct hf_charge_places places,
                              struct hf_error *error) HF_MUST_CHECK;
void hf_charge_tree_done(struct hf_charge_tree *tree);

/** The products of functions of atoms i and j as the bounds take them, about the middle of the two:
 *  a function pair has all its primitives in a strength. widest[l] is that of spherical
 *  functions. */
struct hf_expanded hf_weigh_atoms(const struct hf_basis *basis, const double widest[], int i,
                                  int j);

/** How many products of primitives of two atoms there are that overlap, coefficients aside. */
int hf_count_products(const struct hf_basis *basis, int i, int j);

/** What one thread needs to take far charges by expansions. */
struct hf_far_charges;

/** Integrals may change by `tolerance`, hartree. Atoms of fewer products of primitives times rows than
 *  `least_work` take no expansions. Several threads may use the tree, which is borrowed like
 *  the basis. HF_NO_RESOURCE: memory. */
hf_status hf_far_charges_create(const struct hf_basis *basis, const struct hf_charge_tree *tree,
                                double tolerance, double least_work, struct hf_far_charges **far,
                                struct hf_error *error) HF_MUST_CHECK;
/** Accepts a pointer to NULL; leaves NULL. */
void hf_far_charges_destroy(struct hf_far_charges **far);

/** What all charges do to the products of functions of atoms i and j; it lives until the next call. NULL
 *  where nothing is far, or it does not pay. */
const struct hf_charge_field *hf_far_charges_look(struct hf_far_charges *far, int i, int j);

#endif
