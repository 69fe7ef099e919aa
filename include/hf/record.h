/* What happened in a run: iterations, Fock builds, times and memory over the ranks, versions, notes. An observer of
 * the calculation fills it. The report, the JSON file and the header of a trace are written from it. */
#ifndef HF_RECORD_H
#define HF_RECORD_H

#include "hf/context.h"
#include "hf/scf.h"
#include "hf/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Versions of the libraries at compile time and at run time; empty if unknown. */
struct hf_library_versions {
    char mpi_found[256]; /**< first line of MPI_Get_library_version */
    char mpi_built[64];  /**< version of the headers used to compile hf */
    char libint[32];
    char blas[128];
    char scalapack[32];
    char hdf5[32];
};

/** Not collective; works before MPI_Init. */
void hf_library_versions_get(struct hf_library_versions *versions);

/** Why this build is not suitable for measurements; NULL: it is. Not collective. */
const char *hf_build_remark(void);

/** Time of a phase over the ranks. */
struct hf_phase_seconds {
    const char *name;
    struct hf_statistic seconds;
};

/** Statistics over all ranks. */
struct hf_run_statistics {
    int n_phase;
    struct hf_phase_seconds phase[HF_MAX_PHASE]; /**< [n_phase], in the order of reports */
    struct hf_statistic outside;       /**< time of hf_phase_total that belongs to no other phase */
    struct hf_statistic tracked_bytes; /**< peak of the tracked allocator */
    struct hf_statistic matrix_bytes;  /**< peak of matrices only */
    struct hf_statistic pair_bytes;    /**< peak of this rank's part of the shell pairs */
    struct hf_statistic stored_bytes;  /**< peak of stored integrals */
    struct hf_statistic largest_bytes; /**< largest tracked block */
    struct hf_statistic resident_bytes; /**< peak resident set of the process */
    char largest_label[64];             /**< label of the largest block on any rank */
    int n_rank_on_node;                 /**< ranks that share memory with rank 0 */
};

/** The record of a run, equal on every rank. */
struct hf_record {
    struct hf_context *context; /**< borrowed */
    struct hf_library_versions versions;
    const char *build_remark; /**< see hf_build_remark */
    char linalg[160];         /**< linear algebra in use */
    char note[1536];          /**< differences from the settings: hf_fock_note */
    int n_iteration;
    struct hf_scf_iteration *iteration;  /**< [n_iteration], each with its Fock build; owned */
    struct hf_run_statistics statistics; /**< as of the last hf_record_measure */

    int n_listener; /**< the remaining members are private */
    int64_t n_allocated;
    struct hf_scf_observer listener[4];
};

/** New record of a run; `context` is borrowed. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_record_create(struct hf_context *context, struct hf_record **record,
                           struct hf_error *error) HF_MUST_CHECK;

/** Accepts NULL and a pointer to NULL; leaves NULL. Not collective. */
void hf_record_destroy(struct hf_record **record);

/** Observer that fills the record and then calls its listeners. */
struct hf_scf_observer hf_record_observer(struct hf_record *record);

/** Adds an observer that is called after the record. Observers are called in the order they were added; at most four. */
void hf_record_add_listener(struct hf_record *record, const struct hf_scf_observer *listener);

/** Gathers times and memory up to now from all ranks. Collective. */
void hf_record_measure(struct hf_record *record);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
