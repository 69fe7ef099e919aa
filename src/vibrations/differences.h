/* Second derivatives from gradients at displaced geometries, and the file that those are kept in. */
#ifndef HF_DIFFERENCES_H
#define HF_DIFFERENCES_H

#include "scf/quantity.h"
#include "surface/surface.h"
#include "vibrations/vibrations.h"

#include <stdint.h>

/** Coordinate i moved up is point 2 i, moved down 2 i + 1. Initialise with = {0}. */
struct hf_differences {
    const struct hf_quantity_source *of; /**< borrowed */
    int n;                               /**< points, 2 x 3 n_atom */
    int n_found;                         /**< of them: read from a file */
    int width;                           /**< numbers of a point, see below */
    double *point;                       /**< [n][width] */
    bool *known;                         /**< [n] */
    struct hf_arena arena; /**< has these; the caller releases it, also after a failure */
    double seconds_before; /**< processor time of rank 0 until the first point */
};

/** Where the numbers of a point are. Seconds: processor time of the first rank of its group for SCF and gradient. */
enum {
    HF_POINT_ENERGY = 0,
    HF_POINT_DIPOLE = 1,
    HF_POINT_BUILDS = 4,
    HF_POINT_SECONDS = 5,
    HF_POINT_GRADIENT = 6
};

/** Local. HF_NO_RESOURCE: memory. */
hf_status hf_differences_create(const struct hf_quantity_source *of,
                                struct hf_differences *differences,
                                struct hf_error *error) HF_MUST_CHECK;

/** Computes the missing points with n_group groups of ranks. The first SCF of a group starts from orbitals of `middle`. If
 *  stem is not NULL, first reads STEM-1, STEM-2 ...; a new point is written at once. Collective; all ranks get all numbers.
 *  HF_NOT_CONVERGED (or another solution); HF_BAD_INPUT: other n_removed; HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_differences_compute(struct hf_differences *differences,
                                 const struct hf_surface *middle, int n_group, const char *stem,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Adds the second derivatives to hessian [n/2][n/2], symmetric, hartree/bohr^2. All points are known. Local. */
void hf_differences_hessian(const struct hf_differences *differences, double *hessian);

/** What makes points of one calculation differ from those of another: places, basis, method, limits. Equal on all
 *  ranks. Local. */
uint64_t hf_differences_checksum(const struct hf_differences *differences);

/** Reads the points in STEM-1, STEM-2 ..., which other groups may have written; returns the number of files. Points of
 *  another calculation are left out. Rank 0. */
int hf_points_read(struct hf_differences *differences, const char *stem);

/** The same, and writes all known points to STEM-1. Rank 0. HF_NO_RESOURCE: cannot be written. */
hf_status hf_points_collect(struct hf_differences *differences, const char *stem,
                            struct hf_error *error) HF_MUST_CHECK;

/** Opens the file of a group behind what is in it; NULL with errno: it cannot be written. Rank 0 of the group. */
FILE *hf_points_open(const struct hf_differences *differences, const char *stem, int group);

/** Appends point i. False: it cannot be written. */
bool hf_points_append(const struct hf_differences *differences, int i, FILE *file);

/** Removes the files. Rank 0. */
void hf_points_remove(const char *stem);

#endif
