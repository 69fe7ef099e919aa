/* Shells as no molecule has them, for studies of what holds for every shell. */
#ifndef HF_RANDOM_SHELLS_H
#define HF_RANDOM_SHELLS_H

#include "hf/basis.h"

#include <stdint.h>

/** What the shells of a sample have in common. Lengths in bohr. */
struct hf_shell_situation {
    const char *name, *about;
    double smallest, largest; /**< the largest exponent of a shell lies between */
    int most_primitives;
    bool alike; /**< shells of an atom and angular momentum share their exponents and are merged */
    double reach; /**< edge of the cube that the centres are in */
    double near;  /**< centres come in twos at most this far from each other; 0: they do not */
};

/** Ended by one without a name. */
extern const struct hf_shell_situation hf_shell_situations[];

/** Four centres with shells of l = 0 .. highest <= 3 each, Cartesian and spherical; `state` is that of
 *  the random numbers. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_random_shells(const struct hf_shell_situation *situation, int highest, uint64_t *state,
                           struct hf_basis **basis, struct hf_error *error) HF_MUST_CHECK;

#endif
