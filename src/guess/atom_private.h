/* The spherically averaged atom: symmetry, mean field, equations (hf_atom_density,
 * hf_atom_orbitals).
 *
 * The electrons of each angular momentum l stand as in the ground state and are spread evenly over
 * the 2l+1 components. Then all matrices of the atom are diagonal in l and m and do not depend on
 * m:
 *
 *     M(i l m, j l' m') = delta_ll' delta_mm' M_l(i, j)         i, j number the shells of l
 *
 * so that the equations are solved for the radial blocks M_l, which stand together on the diagonal
 * of one "radial" matrix. Shells of an l that is not occupied cannot mix in and are left out. */
#ifndef HF_ATOM_PRIVATE_H
#define HF_ATOM_PRIVATE_H

#include "atom.h"

#include "base/arena.h"
#include "hf/linalg.h"

/** The shells of one l among the radial functions, and its orbitals. */
struct hf_radial_block {
    int first, n;            /**< radial functions */
    int first_orbital, kept; /**< orbitals after linear dependence was removed */
    int n_electron;
};

/** Shells of one atom sorted by l, spherical, without those that cannot hold electrons: shell i is
 *  radial function i. */
struct hf_radial_basis {
    struct hf_basis
        basis; /**< one atom; exponents, coefficients and the terms of its core potential
                                are borrowed */
    struct hf_core_potential core_potential; /**< that of the basis, if there is one */
    int *radial_of_shell; /**< [shells of the atom in the molecule's basis], -1: left out */
    struct hf_radial_block block[HF_ATOM_N_L];
    int n_radial;
    struct hf_arena arena; /**< has the arrays; the user releases it, also after a failure */
};

/** Local. HF_NO_RESOURCE: memory. */
hf_status hf_radial_basis_init(struct hf_radial_basis *radial, const struct hf_basis *basis,
                               int atom, int atomic_number, struct hf_error *error) HF_MUST_CHECK;

/** matrix [n_radial][n_radial] = average over the components of full [n][n]. */
void hf_radial_average(const struct hf_radial_basis *radial, const double *full, double *matrix);

/** full [n][n] = matrix [n_radial][n_radial] for each component. */
void hf_radial_expand(const struct hf_radial_basis *radial, const double *matrix, double *full);

/** density [k][k] over the k functions of `atom` in the molecule's basis, Cartesian shells
 *  included, from the radial one. `density` comes in as zeros. */
void hf_radial_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                        int atom, const double *matrix, double *density);

/** orbital [k] over the k functions of `atom` in the molecule's basis: component m of the radial
 *  function [n_radial] of one l. `orbital` comes in as zeros. */
void hf_radial_orbital_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                                int atom, int l, int m, const double *function, double *orbital);

/** J - K/2 of every radial density with a single element, so that the mean field of any density is
 *  a sum: the integrals of an atom are needed once, not once per iteration. */
struct hf_atom_field {
    int n_radial;
    int n_element; /**< elements i >= j in blocks of one l */
    int *row, *column;
    double *field;         /**< [n_element][n_radial][n_radial] */
    struct hf_arena arena; /**< has the arrays; the user releases it, also after a failure */
};

/** Collective over `context`. HF_NO_RESOURCE: memory, or an l the engine lacks. */
hf_status hf_atom_field_init(struct hf_atom_field *self, struct hf_context *context,
                             struct hf_linalg *linalg, const struct hf_radial_basis *radial,
                             struct hf_error *error) HF_MUST_CHECK;

/** fock [n_radial][n_radial] += J - K/2 of the radial density. Not collective. */
void hf_atom_field_add(const struct hf_atom_field *self, const double *density, double *fock);

#endif
