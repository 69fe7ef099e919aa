/* What happened in a run: iterations, Fock builds, times and memory over the ranks, versions,
 * notes. Filled by an observer of the calculation; the report, the JSON file and the header of a
 * trace are written from it. */
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

/** Versions of the libraries, at compile time and at run time; empty if not known. */
struct hf_library_versions {
    char mpi_found[256]; /**< first line of MPI_Get_library_version */
    char mpi_built[64];  /**< of the headers hf was compiled with */
    char libint[32];
    char blas[128];
    char scalapack[32];
    char hdf5[32];
};

/** Not collective; works before MPI_Init. */
void hf_library_versions_get(struct hf_library_versions *versions);

/** Why this build is unfit for measurements, or NULL. Not collective. */
const char *hf_build_remark(void);

/** Seconds of a phase over the ranks. */
struct hf_phase_seconds {
    const char *name;
    struct hf_statistic seconds;
};

/** Statistics over all ranks. */
struct hf_run_statistics {
    int n_phase;
    struct hf_phase_seconds phase[HF_MAX_PHASE]; /**< [n_phase], in the order of reports */
    struct hf_statistic outside;        /**< seconds of hf_phase_total that are in no other phase */
    struct hf_statistic tracked_bytes;  /**< peak of the tracked allocator */
    struct hf_statistic matrix_bytes;   /**< peak of matrices alone */
    struct hf_statistic pair_bytes;     /**< peak of this rank's part of the shell pairs */
    struct hf_statistic stored_bytes;   /**< peak of stored integrals */
    struct hf_statistic largest_bytes;  /**< largest tracked block */
    struct hf_statistic resident_bytes; /**< peak resident set of the process */
    char largest_label[64];             /**< of the largest block of all ranks */
    int n_rank_on_node;                 /**< ranks that share memory with rank 0 */
};

/** The record of a run, equal on every rank. */
struct hf_record {
    struct hf_context *context; /**< borrowed */
    struct hf_library_versions versions;
    const char *build_remark; /**< why this build is unfit for measurements, or NULL */
    char linalg[160];         /**< linear algebra in use */
    char note[1536];          /**< what differs from the settings: hf_fock_note */
    int n_iteration;
    struct hf_scf_iteration *iteration;  /**< [n_iteration], each with its Fock build; owned */
    struct hf_run_statistics statistics; /**< of the last hf_record_measure */

    int n_listener; /**< members from here on are private */
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

/** Adds an observer that is called after the record, in the order of addition; at most four. */
void hf_record_add_listener(struct hf_record *record, const struct hf_scf_observer *listener);

/** Collects times and memory over the ranks, up to now. Collective. */
void hf_record_measure(struct hf_record *record);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
