/* Cube files: functions of space on a grid, for programs that draw them. */
#ifndef HF_CUBE_H
#define HF_CUBE_H

#include "hf/context.h"
#include "hf/spatial.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is in a cube file; equal on every rank. */
struct hf_cube_account {
    double integral; /**< sum of the values times the volume of a point */
    double least, most;
    double seconds; /**< wall time */
};

/** Writes a function of a wave function, which must have what it takes, on the points of a grid: two
 *  comments, origin and axes, atoms, values with z fastest, all in atomic units. `name` stands in
 *  the first comment.
 *
 *  Memory   every rank some planes of the grid, 8 MB or one plane; see also hf_spatial_create.
 *  Call     collective; rank 0 writes to a temporary file beside `path` and renames it.
 *  Errors   HF_NO_RESOURCE: memory, or the file cannot be written; HF_INTERRUPTED. Same status and
 *           message on every rank. */
hf_status hf_cube_write(struct hf_context *context, const char *path, const char *name,
                        const struct hf_wavefunction *wavefunction,
                        const struct hf_spatial_function *function, const struct hf_grid *grid,
                        struct hf_cube_account *account, struct hf_error *error) HF_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
