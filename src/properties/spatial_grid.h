/* Grids of points in space. */
#ifndef HF_SPATIAL_GRID_H
#define HF_SPATIAL_GRID_H

#include "hf/molecule.h"
#include "hf/status.h"

/** Points origin + spacing (i, j, k), 0 <= i < n[0] and so on. */
struct hf_grid {
    double origin[3];
    double spacing; /**< bohr */
    int n[3];
};

/** The grid round all atoms with at least so much room beside them, centred on them; `margin` and
 *  `spacing` in bohr. Not collective. HF_BAD_INPUT: more than 1e9 points. */
hf_status hf_grid_around(const struct hf_molecule *molecule, double spacing, double margin,
                         struct hf_grid *grid, struct hf_error *error) HF_MUST_CHECK;

#endif
