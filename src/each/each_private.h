/* Inside the room: windows of records, one molecule and its lines, results on their way, what is said. */
#ifndef HF_EACH_PRIVATE_H
#define HF_EACH_PRIVATE_H

#include "each/reader.h"
#include "finished.h"
#include "hf/guess.h"
#include "run/calculation.h"
#include "surface/extrapolation.h"

/* ---- Options (settle.c) ---- */

/** Whether an option belongs to the whole job, and not to the calculation of a molecule. */
bool hf_each_is_of_job(const struct hf_option *option);

/** Whether an option is of a calculation alone, and not allowed in a job. */
bool hf_each_refuses(const struct hf_option *option);

/** Checks that a record has no settings of the whole job, and unless it is computed `alone` none that write files of one
 *  molecule. Local. HF_BAD_INPUT. */
hf_status hf_each_check_record(const struct hf_options *options, bool alone,
                               struct hf_error *error) HF_MUST_CHECK;

/** Hash of the options that results depend on, of the command line. */
uint64_t hf_each_hash_settings(const struct hf_options *options);

/* ---- Files that options and lists name (named_files.c) ---- */

/** Files of results; names are borrowed, NULL: not wanted. */
struct hf_results_files {
    const char *json, *xyz, *csv;
    bool hartree; /**< in xyz */
};

/** A name for a file in the working folder: set.hf.jsonl of folder/set.xyz and the ending .hf.jsonl. Local. NULL: no
 *  memory. */
char *hf_each_name_file(struct hf_arena *arena, const char *path, const char *ending);

/** Whether no file of results is in a list of input files (@LIST; not one that comes from a pipe) or is a file that an
 *  option of the command line reads. Local, on rank 0. HF_BAD_INPUT. */
hf_status hf_each_check_named(const struct hf_options *options, int n_path,
                              const char *const path[], const struct hf_results_files *files,
                              struct hf_error *error) HF_MUST_CHECK;

/** Adds the version of hf and the contents of files that options of the command line read to a hash. Local. */
uint64_t hf_each_hash_named(const struct hf_options *options, uint64_t hash);

/** Adds the contents of files that a record names. Local. */
uint64_t hf_each_hash_named_in_record(const struct hf_molecule_record *record, uint64_t hash);

/* ---- Windows (window.c) ----
 *
 *     rank 0: reader -> records that are not finished -> bytes      MPI_Bcast      all ranks: bytes, records */

/** Bytes of a window, at most; one record may have more. */
enum { HF_WINDOW_BYTES = 16 << 20 };

/** Initialise the arena. */
struct hf_window {
    struct hf_arena arena;
    int n;                             /**< records */
    struct hf_molecule_record *record; /**< [n] pointing into `bytes` */
    uint64_t *hash;                    /**< [n] of text and settings */
    bool ended;                        /**< there are no more records */
    char *bytes;                       /**< [n_byte] */
    size_t n_byte;
    int64_t room, record_room, hash_room; /**< private */
};

/** Reads up to `most` records, less if they have many bytes or the next ones would have to wait for standard input.
 *  `settings` is the hash of the settings; reader and finished are those of rank 0. Collective. Errors as of the
 *  reader. */
hf_status hf_window_fill(struct hf_window *window, struct hf_context *context, int64_t most,
                         uint64_t settings, struct hf_record_reader *reader,
                         struct hf_finished *finished, struct hf_error *error) HF_MUST_CHECK;

/** What a record is known by. Local. */
uint64_t hf_each_hash_record(uint64_t settings, const struct hf_molecule_record *record);

/** Records of a job. Everything is borrowed. */
struct hf_each_records {
    const struct hf_record_source *source;
    uint64_t settings; /**< hash of the settings */
};

/** Reads all records once and drops their failures from what earlier runs have finished, and from the file. All failures
 *  go if records come from a pipe, which can be read only once, or are made. Local. Errors as of the reader; HF_NO_RESOURCE. */
hf_status hf_each_drop_failures(const struct hf_each_records *records,
                                struct hf_interruption *interruption, struct hf_finished *finished,
                                const char *path, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a cleared one. Local. */
void hf_window_done(struct hf_window *window);

/* ---- Starts (starts.c): orbitals of molecules computed before, for frames of a trajectory ---- */

/** Initialise with = {0}. */
struct hf_each_start {
    bool there;    /**< `past` was made */
    uint64_t kind; /**< hash of what molecules must have in common */
    struct hf_extrapolation past;
    struct hf_scf_orbitals orbitals;
};

/** Sets the orbitals that the SCF of a prepared calculation starts from, if the last molecule was similar (guide,
 *  "Starts"). *used: they are set. Collective over the calculation's context. HF_NO_RESOURCE. */
hf_status hf_each_start_use(struct hf_each_start *start, struct hf_calculation *calculation,
                            bool *used, struct hf_error *error) HF_MUST_CHECK;

/** Keeps the orbitals of a calculation that has converged, and forgets those of another kind. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_each_start_keep(struct hf_each_start *start, const struct hf_calculation *calculation,
                             const struct hf_wavefunction *wavefunction,
                             struct hf_error *error) HF_MUST_CHECK;

/** Accepts a cleared one. Collective. */
void hf_each_start_done(struct hf_each_start *start);

/* ---- One molecule (one_molecule.c) ---- */

/** Who computes molecules: a rank, or a group of ranks. */
struct hf_each_worker {
    struct hf_context *context;
    const struct hf_options *options; /**< of the command line, borrowed */
    struct hf_each_start *start;      /**< NULL: each molecule starts from the guess */
    const struct hf_results_files *files;
    bool
        whole; /**< the JSON document has everything, and the report; keys that name files are allowed */
};

/** What became of a molecule, on the first rank of the worker. */
struct hf_molecule_result {
    bool good;
    int n_function, n_rank; /**< 0 functions: unknown */
    double seconds;
    char *json, *xyz, *csv; /**< lines, owned; NULL: none */
};

/** Reads a record with the options of the command line, which count less than its own. `options` and calculation->input
 *  are filled, also after a failure. Collective. HF_BAD_INPUT: not a good record, or one with settings of the whole
 *  job; HF_NO_RESOURCE. */
hf_status hf_molecule_read(const struct hf_each_worker *worker,
                           const struct hf_molecule_record *record, struct hf_options *options,
                           struct hf_calculation *calculation,
                           struct hf_error *error) HF_MUST_CHECK;

/** Computes a molecule. All failures are results. Collective over the worker. HF_INTERRUPTED: there is no result;
 *  HF_NO_RESOURCE: no memory even for the lines of a failure. */
hf_status hf_molecule_compute(struct hf_each_worker *worker,
                              const struct hf_molecule_record *record, uint64_t hash,
                              struct hf_molecule_result *result,
                              struct hf_error *error) HF_MUST_CHECK;

void hf_molecule_result_done(struct hf_molecule_result *result);

/* ---- Lines (lines.c): xyz and csv are written from the JSON document, as a restart does ---- */

extern const char hf_csv_head[]; /**< a line */

/** Adds name and hash of the record, and ranks and seconds to a document. Local. */
void hf_lines_identify(struct hf_json root, const struct hf_molecule_record *record, uint64_t hash,
                       const struct hf_molecule_result *result);

/** A row of the table. Local. */
void hf_csv_print(FILE *csv, const cJSON *root);

/** A frame of extended XYZ with energy and, if they are the result, forces; nothing for a failure. Local. */
void hf_xyz_print(FILE *xyz, const cJSON *root, bool hartree);

/* ---- Results (results.c) ----
 *
 * Each rank sends its lines to rank 0 and goes on; rank 0, the one writer, takes what has arrived between its molecules,
 * while it waits, and at intervals while it computes. */

/** What was written, on rank 0. */
struct hf_results_account {
    int64_t n_good, n_failed;
    double slowest_seconds;
    int most_functions;
    char slowest[256], largest[256]; /**< names of records */
};

/** How far a job is. */
struct hf_each_progress {
    FILE *stream; /**< NULL: nothing is printed */
    double began, printed;
    double fraction; /**< of the bytes of all files; negative: unknown */
};

/** Initialise with = {0}. */
struct hf_results {
    struct hf_context *context; /**< borrowed */
    MPI_Comm comm;              /**< of the messages */
    struct hf_results_files files;
    void (*result)(void *data, long long i, const char *output); /**< gets the lines; NULL: files */
    void *data;
    FILE *json, *xyz, *csv; /**< on rank 0 */
    struct hf_results_account account;
    int64_t n_added, n_received; /**< messages of this rank; on rank 0 */
    hf_status status;            /**< of writing, on rank 0 */
    struct hf_error error;
    bool from_any_thread; /**< messages may be taken while other threads compute */
    int n_sending;
    int64_t sending_room;
    struct hf_sending *sending; /**< [n_sending] */
    struct hf_each_progress progress;
};

/** Reads what earlier runs have finished, and opens the files to add to them. `retry`: failures of these records are
 *  dropped; NULL: they stay. Collective. HF_BAD_INPUT: other contents, or another job writes; HF_NO_RESOURCE. */
hf_status hf_results_open(struct hf_results *results, struct hf_context *context,
                          const struct hf_results_files *files, const struct hf_each_records *retry,
                          struct hf_finished *finished, struct hf_error *error) HF_MUST_CHECK;

/** Sends or writes a result. Local. HF_NO_RESOURCE: memory. */
hf_status hf_results_add(struct hf_results *results, const char *name,
                         const struct hf_molecule_result *result,
                         struct hf_error *error) HF_MUST_CHECK;

/** Writes results that have arrived. Local; only rank 0 does something. */
void hf_results_take(struct hf_results *results);

/** Waits for all results. Collective. HF_NO_RESOURCE: they could not be written. */
hf_status hf_results_collect(struct hf_results *results, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a half-made one. Collective. */
void hf_results_close(struct hf_results *results);

/* ---- What is said (tell.c) ---- */

void hf_each_tell_progress(struct hf_each_progress *progress,
                           const struct hf_results_account *account);

/** Numbers of a job that has ended. */
struct hf_each_summary {
    const struct hf_results_account *account;
    const struct hf_finished *before;
    double seconds;
    struct hf_statistic busy; /**< seconds of the ranks */
    int n_rank;
    const char *json;
};
void hf_each_tell_end(FILE *out, const struct hf_each_summary *summary);

/** What --check finds, the same on all ranks. */
struct hf_each_outlook {
    int64_t n, n_bad;            /**< molecules; records that cannot be read */
    double seconds, longest;     /**< of all molecules on one rank; of one */
    double most_bytes;           /**< of a rank, for matrices */
    char largest[256], bad[256]; /**< names of records: of most functions, the first bad one */
    int most_functions;
};
void hf_each_tell_outlook(FILE *out, const struct hf_each_outlook *outlook, int64_t n_before);

#endif
