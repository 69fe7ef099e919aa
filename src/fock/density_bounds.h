/* Largest density elements of pairs of atoms, known to every rank in one byte each. */
#ifndef HF_DENSITY_BOUNDS_H
#define HF_DENSITY_BOUNDS_H

#include "base/arena.h"
#include "onesided/block_range.h"

#include <stdint.h>

enum { HF_N_DENSITY_EXPONENT = 128 };

/** Bounds of the atom blocks of one or several densities: powers of 2, rounded up. */
struct hf_density_bounds {
    int n_atom;
    uint8_t *exponent; /**< [n_atom (n_atom + 1) / 2] of pairs i >= j; 0: the block is zero */
    double value[HF_N_DENSITY_EXPONENT]; /**< of each exponent */
    double largest;                      /**< largest element, not rounded */
};

/** Takes room for the bounds from the arena, which may fail. Not collective. */
void hf_density_bounds_init(struct hf_density_bounds *bounds, int n_atom, struct hf_arena *arena);

/** Finds the bounds of the densities in `array` [n]. Collective. */
void hf_density_bounds_find(struct hf_density_bounds *bounds, struct hf_context *context,
                            const struct hf_block_layout *layout, int n,
                            struct hf_window *const array[]);

static inline double hf_density_bound(const struct hf_density_bounds *bounds, int i, int j)
{
    return bounds->value[bounds->exponent[i > j ? hf_pair_index(i, j) : hf_pair_index(j, i)]];
}

#endif
