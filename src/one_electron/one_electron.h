/* Integrals of one electron between the functions of two shells. */
#ifndef HF_ONE_ELECTRON_H
#define HF_ONE_ELECTRON_H

#include "hf/basis.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "one_electron/charge_field.h"

enum hf_operator {
    HF_OVERLAP,  /**< <m|n> */
    HF_KINETIC,  /**< <m| -nabla^2/2 |n>, hartree */
    HF_DIPOLE_X, /**< <m| x |n>, bohr, about the origin; also y and z */
    HF_DIPOLE_Y,
    HF_DIPOLE_Z,
    HF_SQUARE,  /**< <m| r^2 |n>, bohr^2, about the origin */
    HF_CHARGES, /**< <m| -sum_C q_C / |r - R_C| |n>, hartree: positive charges attract */
};

/** Products of two primitives c_a c_b exp(-alpha beta/(alpha+beta) |A-B|^2) smaller than this are left
 *  out of all operators: a shell of 100 primitives on each side misses 1e-16. */
#define HF_NO_OVERLAP 1e-20

/** Tables and scratch of the blocks, for one thread at a time. */
struct hf_one_electron;

/** For shells up to `max_l` <= HF_MAX_L. The charges [n_charge] are those of HF_CHARGES; they are
 *  copied, except charges of zero. n_charge may be 0. Charges at one place that follow each other in the
 *  list take little more time than one charge. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_one_electron_create(int max_l, int n_charge, const struct hf_spread_charge charge[],
                                 struct hf_one_electron **one_electron,
                                 struct hf_error *error) HF_MUST_CHECK;

/** A copy for another thread. It borrows the charges and tables of `from`, which must outlive it. Not
 *  collective. HF_NO_RESOURCE: memory. */
hf_status hf_one_electron_share(const struct hf_one_electron *from,
                                struct hf_one_electron **one_electron,
                                struct hf_error *error) HF_MUST_CHECK;

/** Places of the charges that are not zero, one behind the other as in the list; those at one place that
 *  follow each other are one. */
struct hf_charge_places hf_one_electron_places(const struct hf_one_electron *one_electron);

/** What blocks of two atoms take for the charges from now on, which is borrowed; NULL: all charges, each
 *  by itself, as at first. */
void hf_one_electron_set_field(struct hf_one_electron *one_electron,
                               const struct hf_charge_field *field);

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_one_electron_destroy(struct hf_one_electron **one_electron);

/** The integrals of shells a and b (not merged) into block [functions of a][functions of b]; the
 *  pointer returned lives until the next call. All charges are summed before anything depends on
 *  the functions: the time grows with primitive pairs times charges, at the rate of one R_tuv each.
 *  Not collective.
 *  Source: McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978). */
const double *hf_one_electron_block(struct hf_one_electron *one_electron, enum hf_operator which,
                                    const struct hf_shell *a, const struct hf_shell *b);

#endif
