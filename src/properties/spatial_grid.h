/* Grids of points in space. */
#ifndef HF_SPATIAL_GRID_H
#define HF_SPATIAL_GRID_H

/** Points origin + spacing (i, j, k), 0 <= i < n[0] and so on. */
struct hf_grid {
    double origin[3];
    double spacing; /**< bohr */
    int n[3];
};

#endif
