/* The spherically averaged atom: symmetry, mean field, equations (hf_atom_density,
 * hf_atom_orbitals).
 *
 * The electrons of each angular momentum l are those of the ground state, spread evenly over the 2l+1 components.
 * Then all matrices of the atom are diagonal in l and m and do not depend on m:
 *
 *     M(i l m, j l' m') = delta_ll' delta_mm' M_l(i, j)         i, j number the shells of l
 *
 * So the equations are solved for the radial blocks M_l, which form the diagonal of one "radial" matrix. Shells of
 * an unoccupied l do not mix with others and are left out. */
#ifndef HF_ATOM_PRIVATE_H
#define HF_ATOM_PRIVATE_H

#include "atom.h"

#include "base/arena.h"
#include "hf/linalg.h"

/** Shells of one l among the radial functions, and their orbitals. */
struct hf_radial_block {
    int first, n; /**< first radial function, and their number */
    /** first orbital, and number of orbitals after removing linear dependence */
    int first_orbital, kept;
    int n_electron;
};

/** Spherical shells of one atom sorted by l, without those that cannot hold electrons. Shell i is radial function i. */
struct hf_radial_basis {
    /** one atom; exponents, coefficients and terms of the core potential are borrowed */
    struct hf_basis basis;
    struct hf_core_potential core_potential; /**< core potential of the basis, if there is one */
    int *radial_of_shell; /**< [shells of the atom in the molecule's basis]; -1: left out */
    struct hf_radial_block block[HF_ATOM_N_L];
    int n_radial;
    struct hf_arena arena; /**< owns the arrays; the caller releases it, also after a failure */
};

/** Local. HF_NO_RESOURCE: memory. */
hf_status hf_radial_basis_init(struct hf_radial_basis *radial, const struct hf_basis *basis,
                               int atom, int atomic_number, struct hf_error *error) HF_MUST_CHECK;

/** matrix [n_radial][n_radial] = full [n][n] averaged over the components. */
void hf_radial_average(const struct hf_radial_basis *radial, const double *full, double *matrix);

/** full [n][n] = matrix [n_radial][n_radial] for each component. */
void hf_radial_expand(const struct hf_radial_basis *radial, const double *matrix, double *full);

/** Computes density [k][k] over the k functions of `atom` in the molecule's basis (also Cartesian shells) from the
 *  radial density. `density` must be zero before. */
void hf_radial_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                        int atom, const double *matrix, double *density);

/** Computes orbital [k] over the k functions of `atom` in the molecule's basis: component m of the radial function
 *  [n_radial] of one l. `orbital` must be zero before. */
void hf_radial_orbital_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                                int atom, int l, int m, const double *function, double *orbital);

/** J - K/2 of each radial density with a single element. The mean field of any density is a sum of these, so the
 *  integrals of an atom are needed once, not in every iteration. */
struct hf_atom_field {
    int n_radial;
    int n_element; /**< number of elements i >= j in blocks of one l */
    int *row, *column;
    double *field;         /**< [n_element][n_radial][n_radial] */
    struct hf_arena arena; /**< owns the arrays; the caller releases it, also after a failure */
};

/** Collective over `context`. HF_NO_RESOURCE: memory, or an l that the engine does not support. */
hf_status hf_atom_field_init(struct hf_atom_field *self, struct hf_context *context,
                             struct hf_linalg *linalg, const struct hf_radial_basis *radial,
                             struct hf_error *error) HF_MUST_CHECK;

/** fock [n_radial][n_radial] += J - K/2 of the radial density. Not collective. */
void hf_atom_field_add(const struct hf_atom_field *self, const double *density, double *fock);

#endif
