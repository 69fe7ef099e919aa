/* TREXIO files with back end HDF5: what stands in them beside matrices. A function of a file is
 *
 *     N_i P_i(x,y,z) F sum_k f_k c_k exp(-a_k r^2)
 *
 * with solid harmonics P of the norm of x^l (0, +1, -1 ..., p: z x y) or monomials (xx xy xz yy yz zz): one of ours times
 * N_i and the norm of x^l F sum_k f_k c_k exp(-a_k r^2).
 * Source   Posenitskiy and others, J. Chem. Phys. 158, 174801 (2023); trex-coe.github.io/trexio/trex.html */
#ifndef HF_TREXIO_H
#define HF_TREXIO_H

#include "checkpoint/hdf5_writer.h"
#include "hf/basis.h"
#include "hf/molecule.h"

/** An orbital beside its coefficients. */
struct hf_trexio_orbital {
    double energy, occupation;
    int spin; /**< 0: alpha, or of both spins */
};

/** All is borrowed. */
struct hf_trexio_content {
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    bool cartesian;       /**< kind of the functions */
    const double *factor; /**< [n] N_i of each function of the file */
    double nuclear_repulsion, energy;
    const char *kind;  /**< of the orbitals: "HF", "Local", "Natural" */
    bool has_energies; /**< of orbitals */
    int n_orbital;
    const struct hf_trexio_orbital *orbital; /**< [n_orbital] */
};

#define HF_TREXIO_COEFFICIENTS "/mo/mo_coefficient" /**< [n_orbital][n] */

/** Writes it to an empty file. Not collective. */
void hf_trexio_put(struct hf_hdf5_writer *writer, const struct hf_trexio_content *content);

#endif
