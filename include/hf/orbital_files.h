/* Files for programs that show orbitals. */
#ifndef HF_ORBITAL_FILES_H
#define HF_ORBITAL_FILES_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/spatial.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** HF_BAD_INPUT when a Molden file cannot tell which functions are spherical: it says so of all d
 *  shells, of all f shells, and so on. Not collective; the same on every rank. */
hf_status hf_molden_check_basis(const struct hf_basis *basis, struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT when `path` cannot be created or written. Collective. */
hf_status hf_molden_check_path(struct hf_context *context, const char *path,
                               struct hf_error *error) HF_MUST_CHECK;

/** Geometry, basis and all orbitals of a wave function, which must have its coefficients, as a Molden
 *  file: coordinates in bohr, contraction coefficients of normalised primitives, functions in the
 *  order of the format and each of norm 1. The format has no h functions: they follow its pattern,
 *  spherical 0, +1, -1 ... under [11H], Cartesian in the order of struct hf_shell.
 *
 *  Memory   a matrix like the coefficients, spread as they are; rank 0 holds a few orbitals.
 *  Call     collective; rank 0 writes to a temporary file beside `path` and renames it.
 *  Errors   HF_NO_RESOURCE: memory, or the file cannot be written. Same status and message on every
 *           rank.
 *  Source   www.theochem.ru.nl/molden/molden_format.html */
hf_status hf_molden_write(struct hf_context *context, const char *path,
                          const struct hf_wavefunction *wavefunction,
                          struct hf_error *error) HF_MUST_CHECK;

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
