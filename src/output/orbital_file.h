/* Inside the output room: what files of orbitals have in common. */
#ifndef HF_ORBITAL_FILE_H
#define HF_ORBITAL_FILE_H

#include "base/arena.h"
#include "output_private.h"
#include "scf/quantity.h"
#include "text/output_file.h"

enum { HF_MOST_CARTESIAN = (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

/** A file being written. Initialise with = {0}. */
struct hf_orbital_file {
    const struct hf_quantity_source *of; /**< borrowed */
    /** the wave function with the orbitals of the file: those of the SCF, the occupied ones localised if that was
     *  asked for, or natural ones */
    struct hf_wavefunction shown;
    const struct hf_wavefunction *source; /**< what `shown` was made from; borrowed */
    bool
        transitions; /**< set by the caller: natural transition orbitals are shown if there are any */
    bool natural;    /**< they are those of the relaxed density of MP2 */
    struct hf_output_file file;
};

/** Value of the quantity's own option: its `path`. */
const char *hf_orbital_file_path(const struct hf_quantity *quantity, int i);

/** Chooses the orbitals and opens the file. Must be closed also after a failure. Collective. HF_NO_RESOURCE. */
hf_status hf_orbital_file_open(const struct hf_quantity *quantity, struct hf_orbital_file *self,
                               struct hf_error *error) HF_MUST_CHECK;

/** Passes the orbitals of a set as rows [orbitals][n] to `take` on rank 0. Collective. HF_NO_RESOURCE. */
hf_status hf_orbital_file_send(const struct hf_orbital_file *self, int spin,
                               hf_matrix_rows_function take, void *data,
                               struct hf_error *error) HF_MUST_CHECK;

/** The file appears if `status`, that of this rank so far, is good. Returns the status of all ranks. Collective. */
hf_status hf_orbital_file_close(struct hf_orbital_file *self, hf_status status,
                                struct hf_error *error) HF_MUST_CHECK;

/** Kinds of functions in the shells of one angular momentum. */
enum hf_shell_kind {
    HF_NO_SHELLS = 0,
    HF_SPHERICAL_SHELLS = 1,
    HF_CARTESIAN_SHELLS = 2,
    HF_MIXED_SHELLS = 3,
};
enum hf_shell_kind hf_shell_kind_of(const struct hf_basis *basis, int l);

/** Order and norms of the functions of a file. */
struct hf_function_order {
    int *function; /**< [n] of ours, in the order of the file */
    double *
        factor; /**< [n] norms of these; a coefficient times its factor is of a function of norm 1 */
    struct hf_arena arena;
};

/** Spherical functions 0, +1, -1, +2 ...; Cartesian ones as `cartesian` lists their places among those of struct hf_shell,
 *  NULL: as they are there; p functions z x y if `axial_p`. The caller releases order->arena, also after a failure. Local.
 *  HF_NO_RESOURCE. */
hf_status hf_function_order_init(const struct hf_basis *basis,
                                 const signed char cartesian[][HF_MOST_CARTESIAN], bool axial_p,
                                 struct hf_function_order *order,
                                 struct hf_error *error) HF_MUST_CHECK;

#endif
