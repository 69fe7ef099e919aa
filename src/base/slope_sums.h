/* Sums of derivatives over threads and ranks, in whole steps, so that no order of additions matters. */
#ifndef HF_SLOPE_SUMS_H
#define HF_SLOPE_SUMS_H

#include <mpi.h>

#include <math.h>
#include <stdint.h>

/** hartree/bohr: what is added is rounded to whole steps. A million of additions err by 2e-11; sums may be as large as
 *  5e5. */
#define HF_SLOPE_STEP 0x1p-44

static inline int64_t hf_slope_steps(double slope)
{
    return llrint(slope / HF_SLOPE_STEP);
}

static inline void hf_slope_add(const double slope[3], int64_t steps[3])
{
    for (int x = 0; x < 3; x++) steps[x] += hf_slope_steps(slope[x]);
}

/** Adds the sums over the ranks of steps [n_atom], which are overwritten, to a gradient. Collective. */
static inline void hf_slope_sums_add(MPI_Comm comm, int n_atom, int64_t (*steps)[3],
                                     double (*gradient)[3])
{
    MPI_Allreduce(MPI_IN_PLACE, steps, 3 * n_atom, MPI_INT64_T, MPI_SUM, comm);
    for (int i = 0; i < n_atom; i++)
        for (int x = 0; x < 3; x++) gradient[i][x] += HF_SLOPE_STEP * (double)steps[i][x];
}

#endif
