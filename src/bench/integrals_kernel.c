/* What shell quartets of two-electron integrals cost, by class of angular momenta (book Table 7.1),
 * and what share of the processor's peak that is.
 */
#include "bench.h"
#include "bench_molecule.h"
#include "census.h"
#include "integrals_roofline.h"
#include "pairs/shell_pairs.h"

#include <string.h>

/** How many quartets are in a call of the engine: one, as in the book, or as many as in hf. */
enum { ALONE, BATCHED, N_WAY };
static const char *const way_name[N_WAY] = {"alone", "batched"};

/** Results of all repetitions; n is 0 for classes without quartets. */
struct census_results {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    int n_repeat, n_entry;
    struct hf_census_entry *entry;    /**< [N_WAY][n_repeat][n_entry] */
    struct hf_census_statistic *sets; /**< [N_WAY][n_repeat] of (MN|all RS) */
    double *value;                    /**< [n_repeat] scratch of the medians */
    struct hf_arena arena;
};

/** Takes one census for the results. Collective. */
static hf_status take_census(struct hf_bench *bench, struct census_results *results, int way,
                             int repeat, double threshold, struct hf_error *error)
{
    struct hf_census census;
    const size_t n_entry = (size_t)results->n_entry;
    const size_t at = (size_t)(way * results->n_repeat + repeat);
    double seconds = 0.0, squares = 0.0;
    hf_status status = hf_census_init(&census, results->pairs, threshold, error);
    HF_TRY(hf_agree(bench->context->comm, status, error));
    HF_TRY(hf_census_take(&census, bench->context, way == BATCHED, error));
    memcpy(results->entry + at * n_entry, census.entry, n_entry * sizeof *census.entry);
    for (int64_t i = 0; i < results->pairs->n_pair; i++) {
        seconds += census.pair_seconds[i];
        squares += census.pair_seconds[i] * census.pair_seconds[i];
    }
    results->sets[at] = hf_census_statistic((double)results->pairs->n_pair, seconds, squares);
cleanup:
    hf_arena_done(&census.arena);
    return status;
}

/** Medians over the repetitions of the quartets of one class, of all classes for entry -1, or of
 *  the sets for entry -2. */
static struct hf_census_statistic median_of(const struct census_results *results, int way,
                                            int entry)
{
    struct hf_census_statistic one, result = {0};
    for (int k = 0; k < 2; k++) {
        for (int r = 0; r < results->n_repeat; r++) {
            const int at = way * results->n_repeat + r;
            const struct hf_census_entry *list = results->entry + (size_t)at * results->n_entry;
            struct hf_census_entry sum = {0};
            for (int e = 0; e < results->n_entry; e++) {
                if (entry >= 0 && e != entry) continue;
                sum.n_quartet += list[e].n_quartet;
                sum.seconds += list[e].seconds;
                sum.squares += list[e].squares;
            }
            one = entry == -2 ? results->sets[at]
                              : hf_census_statistic(sum.n_quartet, sum.seconds, sum.squares);
            results->value[r] = k == 0 ? one.mean_seconds : one.relative_deviation;
        }
        *(k == 0 ? &result.mean_seconds : &result.relative_deviation) =
            hf_bench_median(results->n_repeat, results->value);
    }
    return result;
}

static void add_statistic(struct hf_json in, const char *name, const struct hf_census_statistic *s)
{
    const struct hf_json to = hf_json_object(in, name, "");
    HF_ADD(to, "mean_seconds", s->mean_seconds);
    HF_ADD(to, "relative_deviation", s->relative_deviation);
}

/** Reports one line of the table and, on rank 0, its entry in the file. False: no memory. */
static void report_line(struct hf_bench *bench, struct hf_json to, const char *name, double n,
                        const struct census_results *results, int entry)
{
    struct hf_census_statistic found[N_WAY];
    for (int way = 0; way < N_WAY; way++) found[way] = median_of(results, way, entry);
    hf_bench_print(bench, "  %-12s %12.0f  %12.4f  %9.2f  %12.4f  %9.2f\n", name, n,
                   1e6 * found[ALONE].mean_seconds, found[ALONE].relative_deviation,
                   1e6 * found[BATCHED].mean_seconds, found[BATCHED].relative_deviation);
    HF_ADD(to, "count", n);
    for (int way = 0; way < N_WAY; way++) add_statistic(to, way_name[way], &found[way]);
}

/** Reports the classes that have quartets. */
static void report_classes(struct hf_bench *bench, const struct census_results *results,
                           double *n_quartet)
{
    const struct hf_shell_pairs *pairs = results->pairs;
    const struct hf_json classes = hf_json_array(bench->results, "classes", NULL, "");
    for (int high = 0; high < pairs->n_class; high++) {
        for (int low = 0; low <= high; low++) {
            const int entry = hf_census_index(high, low);
            const double n = results->entry[entry].n_quartet;
            char name[16];
            if (n <= 0.0) continue;
            hf_bench_class_name(pairs, high, low, name);
            const struct hf_json to = hf_json_row(classes);
            HF_ADD(to, "class", (const char *)name);
            report_line(bench, to, name, n, results, entry);
            *n_quartet += n;
        }
    }
}

static void report(struct hf_bench *bench, const struct hf_calculation *calculation,
                   double threshold, const struct census_results *results)
{
    const struct hf_basis *basis = calculation->basis;
    const struct hf_json root = bench->results;
    double n_quartet = 0.0;
    hf_bench_print(bench,
                   "  Molecule      %s, %d atoms; %s: %d functions, %d shells\n"
                   "  Left out      quartets with a Schwarz bound below %.1e hartree\n\n"
                   "  %-12s %12s  %12s  %9s  %12s  %9s\n"
                   "  %-12s %12s  %12s  %9s  %12s  %9s\n",
                   bench->input, basis->n_atom, calculation->basis_requested, basis->n_function,
                   basis->n_shell, threshold, "", "", "alone", "deviation", "batched", "deviation",
                   "class", "quartets", "mean/us", "/mean", "mean/us", "/mean");
    HF_ADD(root, "molecule", bench->input);
    HF_ADD(root, "basis", calculation->basis_requested);
    HF_ADD(root, "n_function", basis->n_function);
    HF_ADD(root, "n_shell", basis->n_shell);
    HF_ADD(root, "screening_hartree", threshold);
    report_classes(bench, results, &n_quartet);
    const struct hf_json all = hf_json_object(root, "quartets", "");
    const struct hf_json sets = hf_json_object(root, "sets", "");
    report_line(bench, all, "all (q)", n_quartet, results, -1);
    report_line(bench, sets, "sets (p)", (double)results->pairs->n_pair, results, -2);
    hf_bench_print(bench, "\n  q: single quartets (MN|RS); p: (MN|RS) of one MN and all RS up to "
                          "it. Batched, a quartet\n  counts with the mean of those computed "
                          "together.\n");
}

/** Room for all results; local. */
static hf_status allocate(struct census_results *results, const struct hf_shell_pairs *pairs,
                          int n_repeat, struct hf_error *error)
{
    const size_t n = (size_t)N_WAY * (size_t)n_repeat;
    results->pairs = pairs;
    results->n_repeat = n_repeat;
    results->n_entry = pairs->n_class * (pairs->n_class + 1) / 2;
    HF_TAKE(&results->arena, results->entry, n * (size_t)results->n_entry);
    HF_TAKE(&results->arena, results->sets, n);
    HF_TAKE(&results->arena, results->value, (size_t)n_repeat);
    return hf_arena_check(&results->arena, error);
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    static const double PAIR_ACCURACY = 1e-3; /* of the threshold */
    struct hf_context *context = bench->context;
    hf_status status = HF_OK;
    const struct hf_bench_molecule *molecule = bench->data;
    const struct hf_calculation *calculation = &molecule->calculation;
    const double threshold = hf_options_real(&molecule->options, "screening");
    struct hf_shell_pairs *pairs = NULL;
    struct census_results results = {.arena = {.label = "the times of quartets"}};
    HF_TRY(hf_shell_pairs_create(context, calculation->basis, PAIR_ACCURACY * threshold, &pairs,
                                 error));
    HF_TRY(hf_agree(context->comm, allocate(&results, pairs, bench->n_repeat, error), error));
    for (int way = 0; way < N_WAY; way++)
        for (int r = 0; r < bench->n_repeat; r++)
            HF_TRY(take_census(bench, &results, way, r, threshold, error));
    report(bench, calculation, threshold, &results);
    HF_TRY(hf_bench_roofline(bench, pairs, threshold, error));
cleanup:
    hf_arena_done(&results.arena);
    hf_shell_pairs_destroy(&pairs);
    return status;
}

const struct hf_bench_kernel hf_bench_integrals = {
    .name = "integrals",
    .about =
        "time of a shell quartet of two-electron integrals by class, and its share of the peak",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Table 7.1",
    .least_ranks = 1,
    .n_repeat = 3,
    .n_repeat_quick = 1,
    .reads_molecule = true,
    .prepare = hf_bench_molecule_prepare,
    .run = run,
    .done = hf_bench_molecule_done,
};
