/* The blocks of densities and sums that the quartets of four atoms need. */
#ifndef HF_QUARTET_BLOCKS_H
#define HF_QUARTET_BLOCKS_H

#include "digest/digest.h"

#include <stdbool.h>
#include <stddef.h>

/** Positions of the four atoms of an atom quartet (AB|CD); C and D are those of strips
 *  (hf_strip_atoms). */
enum { HF_ATOM_A, HF_ATOM_B, HF_ATOM_C, HF_ATOM_D, HF_N_ATOM };

/** The blocks of an atom quartet, of two atoms each: [x][y] has the functions of atom x as rows and begins
 *  with the first functions of both. Jobs are planes.
 *
 *  If A is B, both shells of the bra count as shells of A. So D and J are needed for AB and BA (if A is B: for
 *  AA) and for CD; D and K for A and B with C and D. */
struct hf_quartet_blocks {
    const struct hf_job_shape *jobs;
    int atom[HF_N_ATOM];
    const double *density[HF_N_ATOM][HF_N_ATOM]; /**< of the first job */
    size_t density_plane[HF_N_ATOM][HF_N_ATOM];  /**< from one job to the next */
    int density_columns[HF_N_ATOM]; /**< from one row to the next, if columns are of atom x */
    /** Sums of the first job that has J or K; planes [functions of x][functions of y] without gaps. */
    double *coulomb[HF_N_ATOM][HF_N_ATOM], *exchange[HF_N_ATOM][HF_N_ATOM];
    int n[HF_N_ATOM]; /**< functions */
    /** [x][y]: largest |D| of each pair of shells, for densities with J and for densities with K alone: [shells
     *  of x][.. largest_columns[y]][HF_N_BOUND]. Needed if density[x][y] is. */
    const double *largest[HF_N_ATOM][HF_N_ATOM];
    int largest_columns[HF_N_ATOM];
    bool has_coulomb, has_exchange; /**< what quartets may add to */
};

#endif
