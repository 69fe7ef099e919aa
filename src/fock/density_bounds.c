/* Largest density elements of pairs of atoms: owners find them, every rank receives one byte for each pair. */
#include "fock/density_bounds.h"

#include <math.h>
#include <string.h>

/** Bounds are 2^-103 (below any threshold) to 2^22; the last exponent means infinity. Seven bits only: MPI_MAX
 *  of MPICH 4.0.2 treats unsigned bytes as signed. */
enum { BIAS = 104, LAST = HF_N_DENSITY_EXPONENT - 1 };

void hf_density_bounds_init(struct hf_density_bounds *bounds, int n_atom, struct hf_arena *arena)
{
    *bounds = (struct hf_density_bounds){.n_atom = n_atom};
    for (int e = 1; e < LAST; e++) bounds->value[e] = ldexp(1.0, e - BIAS);
    bounds->value[LAST] = INFINITY;
    bounds->exponent =
        hf_arena_take_class(arena, HF_MEMORY_MATRIX, "density bounds", hf_pair_index(n_atom, 0), 1);
}

/** Smallest exponent whose power of 2 is not below `value`. */
static uint8_t encode(double value)
{
    int exponent;
    if (value == 0.0) return 0;
    if (!isfinite(value)) return LAST;
    frexp(value, &exponent); /* value <= 2^exponent */
    exponent += BIAS;
    if (exponent < 1) return 1;
    return (uint8_t)(exponent < LAST ? exponent : LAST);
}

void hf_density_bounds_find(struct hf_density_bounds *bounds, struct hf_context *context,
                            const struct hf_block_layout *layout, int n,
                            struct hf_window *const array[])
{
    enum { PIECE = 1 << 28 };
    const size_t n_pair = hf_pair_index(bounds->n_atom, 0);
    uint8_t *exponent = bounds->exponent;
    memset(exponent, 0, n_pair);
    bounds->largest = 0.0;
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    while (hf_own_blocks_next(&own, &block)) {
        double largest = 0.0;
        for (int k = 0; k < n; k++) {
            const double *value = hf_window_local(array[k]) + block.offset;
            for (size_t x = 0; x < block.size; x++) largest = fmax(largest, fabs(value[x]));
        }
        exponent[hf_pair_index(block.i, block.j)] = encode(largest);
        bounds->largest = fmax(bounds->largest, largest);
    }
    MPI_Allreduce(MPI_IN_PLACE, &bounds->largest, 1, MPI_DOUBLE, MPI_MAX, context->comm);
    for (size_t first = 0; first < n_pair; first += PIECE) {
        const size_t count = n_pair - first < PIECE ? n_pair - first : PIECE;
        MPI_Allreduce(MPI_IN_PLACE, exponent + first, (int)count, MPI_UINT8_T, MPI_MAX,
                      context->comm);
    }
}
