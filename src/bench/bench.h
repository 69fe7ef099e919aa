/* hf-bench: small measurements of what hf asks of an MPI library and of the machine. */
#ifndef HF_BENCH_H
#define HF_BENCH_H

#include "hf/context.h"
#include "text/json.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdio.h>

/** What hf-bench does. */
enum hf_bench_action { HF_BENCH_ACTION_RUN, HF_BENCH_ACTION_HELP, HF_BENCH_ACTION_VERSION };

struct hf_bench_kernel;

/** A command line. Free with hf_bench_command_done. */
struct hf_bench_command {
    enum hf_bench_action action;
    const struct hf_bench_kernel *kernel; /**< NULL unless the action is to run one */
    const char *input; /**< file with a molecule, in argv; NULL if the kernel reads none */
    struct hf_options options;
};

/** A run of one kernel. */
struct hf_bench {
    struct hf_context *context; /**< borrowed */
    const struct hf_bench_kernel *kernel;
    int n_core;         /**< cores for the ranks of the fullest node; 0: unknown */
    int n_rank_on_node; /**< ranks of that node */
    int n_repeat;       /**< measurements of each number, of which the median is reported */
    bool quick;         /**< fewer and smaller measurements */
    const char *input;  /**< of the command; borrowed */
    const struct hf_options *options; /**< of the command; borrowed */
    FILE *stream;                     /**< for the table; NULL on every rank but 0 */
    struct hf_json
        results;      /**< object for what was measured; what ranks other than 0 add is lost */
    int lost;         /**< errno of the first line that could not be printed, or 0 */
    void *data;       /**< of the kernel */
    bool found_wrong; /**< the library did something wrong; the same on every rank */
};

/** One thing that can be measured; the list is hf_bench_kernel_list. */
struct hf_bench_kernel {
    const char *name, *about;
    const char *cite; /**< where the measurement was published */
    int least_ranks;
    int n_repeat, n_repeat_quick; /**< defaults of --repeat */
    bool reads_molecule;          /**< needs an input file, and takes the options about it */
    /** Reads what the command line names into bench->data, before anything is printed. Collective;
     *  the same status on every rank. NULL: nothing to read. */
    hf_status (*prepare)(struct hf_bench *bench, struct hf_error *error);
    /** Measures, prints its table and fills bench->results. Collective; the same status on every
     *  rank. */
    hf_status (*run)(struct hf_bench *bench, struct hf_error *error);
    /** Frees bench->data, which may be half made; NULL: there is none. Local. */
    void (*done)(struct hf_bench *bench);
};

extern const struct hf_bench_kernel hf_bench_pingpong, hf_bench_counter, hf_bench_accumulate,
    hf_bench_integrals, hf_bench_fock;
/** Ended by NULL. */
extern const struct hf_bench_kernel *const hf_bench_kernel_list[];

/** Reads the command line. Local and the same on all ranks; needs no MPI.
 *  HF_BAD_INPUT: unknown option or kernel, bad value, no kernel or more than one, a kernel
 *  without the molecule it needs. */
hf_status hf_bench_command_parse(int argc, char **argv, struct hf_bench_command *command,
                                 struct hf_error *error) HF_MUST_CHECK;
void hf_bench_command_done(struct hf_bench_command *command);

void hf_bench_print_help(FILE *stream);
void hf_bench_print_version(FILE *stream);

/** Prints the lines above every table: kernel, versions, ranks and cores. Only rank 0 prints. */
void hf_bench_print_header(struct hf_bench *bench);

/** printf on rank 0, nothing elsewhere. */
void hf_bench_print(struct hf_bench *bench, const char *format, ...) HF_PRINTF(2, 3);

/** Writes bytes with a suitable unit, "512 B", "64 KiB", "8 MiB". */
void hf_bench_bytes_text(double n_bytes, size_t size, char text[]);

/** Fills a document with everything but the results, and returns the object of these. */
struct hf_json hf_bench_json_begin(const struct hf_bench *bench, struct hf_json root);

/** Median; sorts value[n], n > 0. */
double hf_bench_median(int n, double value[]);

/** Waits for all ranks. If `awake`, the rank waits inside MPI all the time, so that the library can serve
 *  others (it yields its core in between). Otherwise it sleeps between short checks, so that it takes no core
 *  from measured ranks. Collective. */
void hf_bench_wait(MPI_Comm comm, bool awake);

/** Time of a message of any length: seconds = latency + bytes * seconds_per_byte. */
struct hf_bench_line {
    double latency_seconds, seconds_per_byte;
    double rms_residual, largest_residual; /**< of (line - time) / time */
};

/** The line through the first and the last time (book Fig. 5.2). Needs different n_bytes there. */
struct hf_bench_line hf_bench_line_through_ends(int n, const double n_bytes[],
                                                const double seconds[]);

/** The line with the least sum of squared relative residuals. Absolute residuals would fit the longest message
 *  alone, since times span five orders of magnitude. Needs two different n_bytes. */
struct hf_bench_line hf_bench_fit_line(int n, const double n_bytes[], const double seconds[]);

/** Why a line is doubtful: a latency or a time per byte of zero or less, or large residuals. NULL: it is not. */
const char *hf_bench_line_doubt(const struct hf_bench_line *line);

/** Programs that were running or waiting to run on this node, mean of the last minute; negative if unknown. */
double hf_bench_load_average(void);

#endif
