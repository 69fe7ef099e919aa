/* Derivatives of one-electron energies sum_ab D_ab <a|O|b> by the centres of the functions, and of charges.
 *
 * The density of two shells is contracted first: nothing is made for each integral. With respect to B a
 * Cartesian function is x^j -> 2 beta x^(j+1) - j x^(j-1); moving A and B together differentiates the
 * operator's potential, which needs one order of Hermite integrals more (Helgaker, Jorgensen, Olsen,
 * Molecular Electronic-Structure Theory, sections 9.5 and 9.9). */
#ifndef HF_ONE_ELECTRON_GRADIENT_H
#define HF_ONE_ELECTRON_GRADIENT_H

#include "hf/basis.h"
#include "hf/status.h"
#include "one_electron/one_electron.h"

#include <stddef.h>

/** A block of a density: D_ij = factor element[i * stride + j] over the functions of shells a and b, not
 *  merged ones. All is borrowed. */
struct hf_density_block {
    const struct hf_shell *a, *b;
    double factor;
    const double *element;
    size_t stride;
};

/** Tables and scratch, and the field that densities make at charges; for one thread at a time. */
struct hf_one_electron_gradient;

/** For shells of `basis`, which is not kept, and charges [n_charge], which are copied: points alone, their
 *  width is ignored. n_charge may be 0. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_one_electron_gradient_create(const struct hf_basis *basis, int n_charge,
                                          const struct hf_spread_charge charge[],
                                          struct hf_one_electron_gradient **gradient,
                                          struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_one_electron_gradient_destroy(struct hf_one_electron_gradient **gradient);

/** of_a[3], of_b[3] += derivatives by the centres of a and b of the energy of the block, hartree/bohr, for
 *  any operator but HF_CHARGES and HF_SQUARE. Not collective. */
void hf_add_operator_gradient(struct hf_one_electron_gradient *gradient, enum hf_operator which,
                              const struct hf_density_block *density, double of_a[3],
                              double of_b[3]);

/** The same for HF_CHARGES. The time grows with primitive pairs times charges. Not collective. */
void hf_add_charges_gradient(struct hf_one_electron_gradient *gradient,
                             const struct hf_density_block *density, double of_a[3],
                             double of_b[3]);

/** of_charge[n_charge][3] += derivatives by the places of the charges of the energies of all blocks since the last
 *  call. Not collective. */
void hf_add_gradient_of_charges(struct hf_one_electron_gradient *gradient, double (*of_charge)[3]);

#endif
