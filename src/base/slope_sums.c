/* Sums of derivatives over the ranks; see slope_sums.h. */
#include "base/slope_sums.h"

void hf_slope_sums_add(MPI_Comm comm, int n_atom, int64_t (*steps)[3], double (*gradient)[3])
{
    MPI_Allreduce(MPI_IN_PLACE, steps, 3 * n_atom, MPI_INT64_T, MPI_SUM, comm);
    for (int i = 0; i < n_atom; i++)
        for (int x = 0; x < 3; x++) gradient[i][x] += HF_SLOPE_STEP * (double)steps[i][x];
}
