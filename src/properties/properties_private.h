/* The parts of the properties. */
#ifndef HF_PROPERTIES_PRIVATE_H
#define HF_PROPERTIES_PRIVATE_H

#include "hamiltonian/hamiltonian.h"
#include "hf/properties.h"
#include "layout/layout.h"
#include "response/hessian.h"
#include "scf/quantity.h"

/** What electrons are asked for: integrals of their density, which count them as positive. */
struct hf_electron_sums {
    const double *origin; /**< [3] of the moments */
    double *moment;       /**< [HF_N_MOMENT]; NULL: not wanted */
    int n_point;
    const double *place; /**< x[n_point], y[n_point], z[n_point], bohr */
    double *potential;   /**< [n_point] */
};

/** Adds what this rank's blocks of the density of all electrons have in these sums: the caller sums over ranks.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_sum_electrons(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                           const struct hf_electron_sums *wanted,
                           struct hf_error *error) HF_MUST_CHECK;

/** Moments about the origin, and the potential at the nuclei: from the density of all electrons, this
 *  rank's blocks of which it gets. Collective. HF_NO_RESOURCE. */
hf_status hf_add_distribution(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              struct hf_properties *properties,
                              struct hf_error *error) HF_MUST_CHECK;

/** Charges, spins and bond orders of atoms. Collective. HF_NO_RESOURCE. */
hf_status hf_add_populations(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             struct hf_properties *properties,
                             struct hf_error *error) HF_MUST_CHECK;

/** Gradients of the dipole operators x, y, z: new rotations; and their matrices [3] [n][n], unless `matrix` is NULL.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_dipole_perturbations(struct hf_orbital_hessian *hessian,
                                  struct hf_hamiltonian *hamiltonian, struct hf_matrix *matrix[3],
                                  struct hf_rotation field[3],
                                  struct hf_error *error) HF_MUST_CHECK;

/** Bytes on a rank of a subspace of `most` rotations, each with two products, and of the matrices in it. Not
 *  collective. */
double hf_subspace_bytes(const struct hf_quantity *quantity, int most);

/** Charges and spins of atoms; everything if the option `properties` is "all"; a warning if the density
 *  has not the electrons of the molecule. */
void hf_report_properties(const struct hf_quantity *quantity, FILE *out);

/** Everything, or the number of electrons if nothing else was computed: in the extras and, if they are
 *  the result, there. The schema has a key for the second moments. */
void hf_json_put_properties(const struct hf_quantity *quantity, const struct hf_json_places *to);

#endif
