/* Functions of space that follow from a wave function, on grids of points. */
#ifndef HF_SPATIAL_H
#define HF_SPATIAL_H

#include "hf/context.h"
#include "hf/status.h"
#include "hf/wavefunction.h"
#include "properties/spatial_grid.h"

/** The grid round all atoms with at least so much room beside them, centred on them; `margin` and
 *  `spacing` in bohr. Not collective. HF_BAD_INPUT: more than 1e9 points. */
hf_status hf_grid_around(const struct hf_molecule *molecule, double spacing, double margin,
                         struct hf_grid *grid, struct hf_error *error) HF_MUST_CHECK;

enum hf_spatial_kind {
    HF_SPATIAL_DENSITY,      /**< electrons per bohr^3, mean over the cube round each point */
    HF_SPATIAL_SPIN_DENSITY, /**< alpha minus beta, also a mean; zero for closed shells */
    HF_SPATIAL_POTENTIAL,    /**< of nuclei and electrons, hartree/e, at the points */
    HF_SPATIAL_ORBITAL,      /**< bohr^-3/2, at the points */
};

/** One function of a wave function; orbitals are counted from 0 in a set of them. */
struct hf_spatial_function {
    enum hf_spatial_kind kind;
    int spin, orbital;
};

/** What it is computed from: this rank's blocks of a density, or the coefficients of an orbital.
 *
 *  Densities are means over the cubes of the grid, exact for Gaussians, because a sum over points
 *  does not see the electrons of inner shells: so their sum is that of the electrons in the box,
 *  however wide the spacing. A nucleus nearer to a point than its cube is wide counts with the mean
 *  of its potential over a cube round it. */
struct hf_spatial;

/** Collective over the context; the wave function is borrowed and must have its densities or, for
 *  orbitals, coefficients. HF_NO_RESOURCE: memory; same status and message on every rank. */
hf_status hf_spatial_create(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                            const struct hf_spatial_function *function, struct hf_spatial **spatial,
                            struct hf_error *error) HF_MUST_CHECK;
/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_spatial_destroy(struct hf_spatial **spatial);

/** Planes i = first .. first+n-1 of the grid: value[n][n[1]][n[2]], z fastest, on rank 0; the others
 *  pass arrays of that size, too, which are overwritten. Each rank adds what its pairs of atoms, or
 *  its atoms, have in the planes.
 *  Collective. HF_INTERRUPTED; HF_NO_RESOURCE: memory. Same status on every rank. */
hf_status hf_spatial_planes(struct hf_spatial *spatial, const struct hf_grid *grid, int first,
                            int n, double value[], struct hf_error *error) HF_MUST_CHECK;

#endif
