/* Checkpoints: the state of a calculation in an HDF5 file, to go on from, to take orbitals from, and
 * to look at. docs/guide.md describes the file.
 *
 * Reading trusts nothing: every dataset's type, shape and size are looked at before memory is taken
 * for it, and no number that is not finite comes in. */
#ifndef HF_CHECKPOINT_H
#define HF_CHECKPOINT_H

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/context.h"
#include "hf/molecule.h"
#include "hf/restart.h"
#include "hf/scf.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Version of the layout; a reader takes this one and lower ones. The first had closed shells only. */
enum { HF_CHECKPOINT_CLOSED_SHELLS = 1, HF_CHECKPOINT_VERSION = 2 };

/** A setting as an input file would spell it. */
struct hf_checkpoint_setting {
    const char *key, *value;
};

/** What goes into a checkpoint beside the state; everything is borrowed. */
struct hf_checkpoint_content {
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const char *basis_requested;
    int n_setting;
    const struct hf_checkpoint_setting *setting; /**< [n_setting] */
    int n_earlier;
    const struct hf_scf_iteration *earlier; /**< [n_earlier] iterations of earlier runs */
    int n_iteration;
    const struct hf_scf_iteration *iteration; /**< [n_iteration] those of this one */
    double seconds;                           /**< wall time so far, of earlier runs too */
    /** what was added to this one is copied; NULL: nothing */
    const struct hf_checkpoint *continues;
};

/** Writes the checkpoint: to FILE.part in the same folder, which is flushed to the disk and renamed,
 *  so that `path` is always a whole checkpoint or what it was before. What a killed run left as
 *  FILE.part is overwritten; the one of a run that is alive is not. A spread matrix goes through rank
 *  0 a few rows at a time.
 *  Collective. Errors   HF_NO_RESOURCE: memory, or the file cannot be written. */
hf_status hf_checkpoint_write(struct hf_context *context, const char *path,
                              const struct hf_checkpoint_content *content,
                              const struct hf_scf_state *state, enum hf_keep_reason reason,
                              struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT when `path`, which passed hf_output_file_check, is a device or a file that is no HDF5
 *  file. Not collective, rank 0 is to ask. */
hf_status hf_checkpoint_check_target(const char *path, struct hf_error *error) HF_MUST_CHECK;

/** Orbitals of one spin beside their matrix. */
struct hf_checkpoint_orbitals {
    int n_occupied;
    double *energy, *occupation; /**< [n_orbital]; hartree, electrons; owned */
};

/** What is in a checkpoint. Everything is owned. Free with hf_checkpoint_done. */
struct hf_checkpoint {
    char *path;
    int version;           /**< of the layout */
    char *program_version; /**< of the hf that wrote it */
    char *written;         /**< when, UTC */
    char *molecule_hash, *basis_hash;
    double file_bytes;
    struct hf_molecule molecule;
    struct hf_basis *basis;
    char *basis_requested;
    char *method;
    int n_setting;
    struct hf_checkpoint_setting *setting; /**< [n_setting] */
    int n_iteration;
    struct hf_scf_iteration *iteration; /**< [n_iteration]; without their builds */
    enum hf_keep_reason reason;         /**< HF_KEEP_FINISHED of an end without convergence, too */
    bool converged;
    double seconds;
    double energy_change; /**< of the last iteration, hartree */
    struct hf_checkpoint_orbitals spin[HF_MAX_SPIN];
    /** The state to go on from; its `read` reads from the file, on rank 0. Orbitals for another
     *  calculation are read there, too: HF_RESTART_ORBITALS, [basis->n_function][n_column[spin]],
     *  the first spin[].n_occupied of them occupied. */
    struct hf_scf_restart state;
    struct hf_checkpoint_file *file;   /**< the library's; NULL on ranks other than 0 */
    struct hf_trexio_orbitals *trexio; /**< of a TREXIO file, on rank 0; NULL: it is a checkpoint */
    struct hf_arena arena;             /**< has all but the basis */
};

/** Reads everything but the matrices, which are looked at. Not collective; needs no MPI.
 *  Errors   HF_BAD_INPUT: no such file, no checkpoint, a newer one, damaged, with what is wrong;
 *           HF_NO_RESOURCE: memory, the file cannot be read. *checkpoint is empty then. */
hf_status hf_checkpoint_read(const char *path, struct hf_checkpoint *checkpoint,
                             struct hf_error *error) HF_MUST_CHECK;

/** Reads all matrices and looks at their numbers, as a restart does with those that it needs. Not
 *  collective; needs no MPI.
 *  Errors   HF_BAD_INPUT: damaged, with what is wrong; HF_NO_RESOURCE: memory. */
hf_status hf_checkpoint_check_numbers(const struct hf_checkpoint *checkpoint,
                                      struct hf_error *error) HF_MUST_CHECK;

/** As hf_checkpoint_read from the bytes of a file, which are copied; it may be a TREXIO file as below. `name` is for
 *  messages. Not collective. */
hf_status hf_checkpoint_read_image(size_t n_byte, const void *image, const char *name,
                                   struct hf_checkpoint *checkpoint,
                                   struct hf_error *error) HF_MUST_CHECK;

/** The same on every rank of a run: rank 0 reads, the others get all but the matrices from it.
 *  Collective. */
hf_status hf_checkpoint_load(struct hf_context *context, const char *path,
                             struct hf_checkpoint *checkpoint,
                             struct hf_error *error) HF_MUST_CHECK;

/** The same, or a TREXIO file (HDF5) with Gaussian functions and real orbitals as far as a calculation can begin with it:
 *  molecule, basis, cores without their potentials, orbitals with whole occupations. Ghosts are hydrogen's. Collective.
 *  HF_BAD_INPUT also: not such functions or orbitals. */
hf_status hf_checkpoint_load_orbitals(struct hf_context *context, const char *path,
                                      struct hf_checkpoint *checkpoint,
                                      struct hf_error *error) HF_MUST_CHECK;

/** Closes and frees; accepts an empty or half-made one. Not collective. */
void hf_checkpoint_done(struct hf_checkpoint *checkpoint);

/** Whether a file begins as HDF5 files do. Not collective. */
bool hf_checkpoint_is_file(const char *path);

/* ---- What is added to a checkpoint: matrices in a group of their own. Names are whole paths, "/gradient/atoms". ---- */

#define HF_CHECKPOINT_LOCAL_MP2    "/local_mp2"
#define HF_CHECKPOINT_OPTIMISATION "/optimisation"
#define HF_CHECKPOINT_GRADIENT     "/gradient"

struct hf_checkpoint_addition;

/** Begins to add to the checkpoint `path`, in place of what the group had before. The file takes its place in one step
 *  at the end. Collective. HF_NO_RESOURCE: memory, or the file cannot be read or written. */
hf_status hf_checkpoint_add_begin(struct hf_context *context, const char *path, const char *group,
                                  const char *about, struct hf_checkpoint_addition **addition,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Adds a matrix. Collective. HF_NO_RESOURCE: memory; what cannot be written is reported at the end. */
hf_status hf_checkpoint_add_matrix(struct hf_checkpoint_addition *addition, const char *name,
                                   const struct hf_matrix *matrix, const char *units,
                                   const char *about, struct hf_error *error) HF_MUST_CHECK;

/** This rank's share of rows first .. first+n-1 of a matrix whose numbers each have one owner: writes its own numbers to
 *  rows [n][n_col], which are zero at first. */
typedef void hf_checkpoint_give(const void *data, int first, int n, double rows[]);

/** Adds a matrix of which every rank has a share of the rows, in pieces; `give` NULL: rank 0 has it all in data
 *  [n_row][n_col]. Collective. Errors as hf_checkpoint_add_matrix. */
hf_status hf_checkpoint_add_shares(struct hf_checkpoint_addition *addition, const char *name,
                                   int n_row, int n_col, const char *units, const char *about,
                                   hf_checkpoint_give *give, const void *data,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Ends it. If `status`, the same on all ranks, is a failure, the file stays as it was, and that is returned. Accepts
 *  a pointer to NULL. Collective. HF_NO_RESOURCE: it cannot be written. */
hf_status hf_checkpoint_add_end(struct hf_checkpoint_addition **addition, hf_status status,
                                struct hf_error *error) HF_MUST_CHECK;

/** Whether there is such a matrix of reals, and its shape. Needs the file: on rank 0. */
bool hf_checkpoint_added(const struct hf_checkpoint *checkpoint, const char *name, int *n_row,
                         int *n_col);

/** Rows of it. On rank 0. HF_BAD_INPUT: damaged. */
hf_status hf_checkpoint_added_rows(const struct hf_checkpoint *checkpoint, const char *name,
                                   int n_col, int first, int n, double rows[],
                                   struct hf_error *error) HF_MUST_CHECK;

/** Takes this rank's share of rows [n][n_col]. */
typedef void hf_checkpoint_take(void *data, int first, int n, const double rows[]);

/** All rows of it to all ranks, a piece at a time; `take` NULL: data gets the whole, numbers [n_row][n_col]. Collective.
 *  HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_checkpoint_added_shares(struct hf_context *context,
                                     const struct hf_checkpoint *checkpoint, const char *name,
                                     int n_row, int n_col, hf_checkpoint_take *take, void *data,
                                     struct hf_error *error) HF_MUST_CHECK;

/** Value of a setting, or NULL. */
const char *hf_checkpoint_setting(const struct hf_checkpoint *checkpoint, const char *key);

/** HF_BAD_INPUT when method, molecule or basis are not those of the checkpoint, with the first
 *  difference. What rounding makes of the same input is no difference. Not collective. */
hf_status hf_checkpoint_compare(const struct hf_checkpoint *checkpoint, const char *method,
                                const struct hf_molecule *molecule, const struct hf_basis *basis,
                                struct hf_error *error) HF_MUST_CHECK;

/** For programs whose checkpoints are all closed when they end: HDF5 is not to tidy up then, which it
 *  cannot after some damaged files and says so on stderr. To be called first of all. */
void hf_checkpoint_leave_open_at_exit(void);

/** Version of the HDF5 library built with, "1.10.8". */
void hf_checkpoint_library_version(size_t size, char text[]);

#endif
