/* Bounds of densities for stored exchange; see kept_bounds.h. */
#include "kept_bounds.h"

#include "base/node_memory.h"

#include <math.h>

/** A later density may be larger by this factor before quartets are computed again. */
static const float MARGIN = 4.0F;

/** Smallest bound, in units of the threshold. Changes of a density extend farther than the density, but few
 *  quartets there are large enough to matter. */
static const double LEAST_THRESHOLDS = 1e3;

/** The largest density element for exchange at (i, j). */
static double exchange_bound(const double *bound, int n, int i, int j)
{
    const double *at = bound + ((size_t)i * (size_t)n + (size_t)j) * HF_N_BOUND;
    return fmax(at[HF_WITH_COULOMB], at[HF_EXCHANGE_ALONE]);
}

/** Copies this rank's rows of the bounds [n][n] of shells or of atoms. */
static void keep(const struct hf_node_memory *shared, const double *bound, int n, double least,
                 float *kept)
{
    for (int i = shared->rank; i < n; i += shared->n_rank)
        for (int j = 0; j < n; j++)
            kept[(size_t)i * (size_t)n + (size_t)j] =
                MARGIN * (float)fmax(exchange_bound(bound, n, i, j), least);
}

/** The largest bound of the four blocks of two pairs in exchange. */
static double largest_of_four(const float *kept, int n, int a, int b, int c, int d)
{
    const float *of_a = kept + (size_t)a * (size_t)n, *of_b = kept + (size_t)b * (size_t)n;
    return fmaxf(fmaxf(of_a[c], of_a[d]), fmaxf(of_b[c], of_b[d]));
}

/** hf_lasting.of_shells */
static double of_shells(const void *data, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket)
{
    const struct hf_kept_bounds *kept = data;
    return largest_of_four(kept->of_shells, kept->pairs->basis->n_shell, bra->a, bra->b, ket->a,
                           ket->b);
}

/** hf_lasting.of_atoms */
static double of_atoms(const void *data, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket)
{
    const struct hf_kept_bounds *kept = data;
    return largest_of_four(kept->of_atoms, kept->pairs->basis->n_atom, bra->atom_a, bra->atom_b,
                           ket->atom_a, ket->atom_b);
}

hf_status hf_kept_bounds_set(struct hf_kept_bounds *kept, const struct hf_shell_pairs *pairs,
                             const struct hf_node_density *density, double threshold,
                             struct hf_error *error)
{
    const int n_shell = pairs->basis->n_shell, n_atom = pairs->basis->n_atom;
    const double least = LEAST_THRESHOLDS * threshold;
    if (kept->shared == NULL)
        HF_CHECK(hf_node_memory_create_unset(
            pairs->context, HF_MEMORY_MATRIX, "density bounds kept",
            (size_t)hf_kept_bounds_bytes(n_shell, n_atom), &kept->shared, error));
    kept->pairs = pairs;
    kept->of_shells = kept->shared->data;
    kept->of_atoms = kept->of_shells + (size_t)n_shell * (size_t)n_shell;
    kept->lasting = (struct hf_lasting){.data = kept, .of_shells = of_shells, .of_atoms = of_atoms};
    keep(kept->shared, density->bound, n_shell, least, kept->of_shells);
    keep(kept->shared, density->atom_bound, n_atom, least, kept->of_atoms);
    hf_node_memory_sync(kept->shared);
    return HF_OK;
}

bool hf_kept_bounds_hold(const struct hf_kept_bounds *kept, const struct hf_node_density *density)
{
    int hold = kept->shared != NULL;
    if (!hold) return false;
    const int n = kept->pairs->basis->n_shell;
    for (int i = kept->shared->rank; i < n && hold; i += kept->shared->n_rank)
        for (int j = 0; j < n && hold; j++)
            hold = exchange_bound(density->bound, n, i, j) <=
                   (double)kept->of_shells[(size_t)i * (size_t)n + (size_t)j];
    MPI_Allreduce(MPI_IN_PLACE, &hold, 1, MPI_INT, MPI_MIN, kept->pairs->context->comm);
    return hold;
}

bool hf_density_reaches_out(const struct hf_node_density *density)
{
    const int n = density->basis->n_atom;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (exchange_bound(density->atom_bound, n, i, j) > 0.0) return true;
    return n == 1;
}

double hf_kept_bounds_bytes(double n_shell, double n_atom)
{
    return (n_shell * n_shell + n_atom * n_atom) * sizeof(float);
}
