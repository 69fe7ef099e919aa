/* Sums of J and K of one thread for one part of a task: small blocks of two atoms. They are added to whole
 * or cached matrices at the end, so that threads need no private matrices and no locks before. */
#ifndef HF_LOCAL_SUMS_H
#define HF_LOCAL_SUMS_H

#include "digest/digest.h"

#include "work/work.h"

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

/** Where densities come from and sums go to. */
struct hf_sums_target {
    void *data;
    /** Fills in the members of `blocks` that describe the densities, for its atoms with ket `k` of the part;
     *  and whether the quartets can contribute to J and to K. */
    void (*show)(void *data, int k, struct hf_quartet_blocks *blocks);
    /** Adds a block [job][functions of row][functions of column] to J or K. Threads may call it at the same
     *  time. Not called for blocks that nothing was added to. */
    void (*add)(void *data, bool exchange, int row, int column, const double *value);
    /** Called before the first and after the last block of a part is added, to lock and unlock what threads
     *  share. end_adding fails if not all blocks were added. NULL: nothing to do. */
    void (*begin_adding)(void *data);
    hf_status (*end_adding)(void *data, struct hf_error *error);
};

struct hf_local_sums;

/** Bytes of the sums of a thread; n_coulomb and n_exchange: numbers of densities with J and with K. */
double hf_local_sums_bytes(int most_of_atom, int n_coulomb, int n_exchange);

/** For one thread and the jobs of a build; `basis` is borrowed. Not collective.
 *  HF_NO_RESOURCE. */
hf_status hf_local_sums_create(struct hf_context *context, const struct hf_basis *basis,
                               const struct hf_job_shape *jobs, const struct hf_sums_target *target,
                               struct hf_local_sums **sums, struct hf_error *error) HF_MUST_CHECK;
void hf_local_sums_destroy(struct hf_local_sums **sums);

/** Returns blocks of zeros for the bra of a part with each of its kets: [n_ket], valid until the next call. */
const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_part *part);

/** Must be called when quartets of ket k add to its blocks of J or K. In small tasks many blocks of a part stay
 *  zero. */
void hf_local_sums_touch(struct hf_local_sums *sums, int k, bool coulomb, bool exchange);

/** Adds the sums to the target; returns its status. */
hf_status hf_local_sums_end(struct hf_local_sums *sums, struct hf_error *error) HF_MUST_CHECK;

#endif
