/* Shell pairs, one-electron integrals and the engine of two-electron integrals. */
#ifndef HF_INTEGRALS_H
#define HF_INTEGRALS_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/linalg.h"
#include "hf/molecule.h"
#include "hf/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Everything that depends on two shells only; see hf/shell_pair.h for what is in it. */
struct hf_shell_pairs;

/** Shell pairs of a basis with their Schwarz bounds. `accuracy` (hartree, e.g. 1e-14): primitive
 *  pairs that cannot add more than this to any integral are dropped. Collective (the bounds are
 *  computed in shares). The basis is borrowed and must outlive the result. */
hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error) HF_MUST_CHECK;
void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs);

/** Operators of hf_one_electron. */
enum hf_operator {
    HF_OVERLAP,  /**< <m|n> */
    HF_KINETIC,  /**< <m| -nabla^2/2 |n>, hartree */
    HF_NUCLEAR,  /**< <m| -sum_A Z_A/|r-A| |n>, hartree; ghosts have Z = 0 */
    HF_DIPOLE_X, /**< <m| x |n>, bohr, about the origin; likewise y and z */
    HF_DIPOLE_Y,
    HF_DIPOLE_Z,
};

/** Matrix [n][n] of a one-electron operator over the basis. The molecule gives the nuclei and is
 * only read for HF_NUCLEAR. Each rank computes the atom blocks it owns in a layout of them; nobody
 * holds the whole matrix unless `matrix` itself does. Collective. Source: McMurchie and Davidson,
 * J. Comput. Phys. 26, 218 (1978). */
hf_status hf_one_electron(struct hf_context *context, const struct hf_basis *basis,
                          const struct hf_molecule *molecule, enum hf_operator which,
                          struct hf_matrix *matrix, struct hf_error *error) HF_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
