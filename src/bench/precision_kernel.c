/* What single precision does to two-electron integrals, by class and by situation; docs/measurements/precision.md. */
#include "bench.h"
#include "precision_study.h"

#include "hf/engine.h"

#include <math.h>

/** Sets of shells of one situation in each repetition. */
enum { N_SAMPLE = 3 };

/** A number of each quartet. */
static double mean(const struct hf_precision_errors *errors, double sum)
{
    return errors->n > 0.0 ? sum / errors->n : 0.0;
}

static double root_mean_square(const struct hf_precision_errors *errors)
{
    return sqrt(mean(errors, errors->sum_of_squares));
}

/** One line of a table and, on rank 0, its entry in the file. False: no memory. */
static bool report_line(struct hf_bench *bench, cJSON *list, const char *key, const char *name,
                        const struct hf_precision_errors *errors)
{
    if (errors->n == 0.0) return true;
    const double share = errors->largest / HF_SINGLE_MARGIN;
    hf_bench_print(bench, "  %-22s %10.0f %8.3f %8.3f %8.3f %7.0f %% %12.2g\n", name, errors->n,
                   mean(errors, errors->sum), root_mean_square(errors), errors->largest,
                   100.0 * share, errors->largest_of_bounds);
    if (bench->context->rank != 0) return true;
    cJSON *object = hf_json_append_object(list);
    return object != NULL && hf_json_add_text(object, key, name) &&
           hf_json_add_double(object, "n_quartet", errors->n) &&
           hf_json_add_double(object, "mean", mean(errors, errors->sum)) &&
           hf_json_add_double(object, "rms", root_mean_square(errors)) &&
           hf_json_add_double(object, "largest", errors->largest) &&
           hf_json_add_double(object, "share_of_margin", share) &&
           hf_json_add_double(object, "largest_of_bounds", errors->largest_of_bounds) &&
           hf_json_add_doubles(object, "n_of_size", HF_STUDY_N_SIZE, errors->n_of_size);
}

static cJSON *begin_list(struct hf_bench *bench, const char *name)
{
    return bench->results != NULL ? cJSON_AddArrayToObject(bench->results, name) : NULL;
}

/** The classes of all situations together. */
static bool report_classes(struct hf_bench *bench, const struct hf_precision_study *study)
{
    static const char letter[] = "spdf";
    cJSON *list = begin_list(bench, "classes");
    bool built = true;
    hf_bench_print(bench, "\n");
    for (int a = 0; a <= HF_STUDY_MOST_L; a++) {
        for (int b = 0; b <= a; b++) {
            for (int k = 0; k <= hf_study_pair(a, b); k++) {
                int c = 0;
                while (hf_study_pair(c + 1, 0) <= k) c++;
                const char name[] = {'(', letter[a], letter[b],
                                     '|', letter[c], letter[k - hf_study_pair(c, 0)],
                                     ')', '\0'};
                built = report_line(bench, list, "class", name,
                                    &study->of_class[hf_study_pair(a, b)][k]) &&
                        built;
            }
        }
    }
    return built;
}

/** The lengths of contractions of all situations together. */
static bool report_lengths(struct hf_bench *bench, const struct hf_precision_study *study)
{
    cJSON *list = begin_list(bench, "lengths");
    bool built = true;
    hf_bench_print(bench, "\n");
    for (int i = 0; i < HF_STUDY_N_LENGTH; i++) {
        char name[40];
        snprintf(name, sizeof name, "%d primitive quartets%s", 1 << i, i > 0 ? " .." : "");
        built = report_line(bench, list, "length", name, &study->of_length[i]) && built;
    }
    return built;
}

/** What no error is told of. */
static bool report_refused(struct hf_bench *bench, const struct hf_precision_study *study)
{
    hf_bench_print(bench, "\n  %.0f quartets are beyond the range of single precision\n",
                   study->n_refused);
    return bench->results == NULL ||
           hf_json_add_double(bench->results, "n_refused", study->n_refused);
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    hf_status status;
    struct hf_precision_study all = {0};
    bool built = true;
    cJSON *list = begin_list(bench, "situations");
    const int n_sample = bench->quick ? 1 : N_SAMPLE * bench->n_repeat;
    const int highest = bench->quick ? 2 : HF_STUDY_MOST_L;
    hf_bench_print(
        bench,
        "  Errors of quartets computed in single precision, largest of their integrals,\n"
        "  in units of 2^-24 of what they are proportional to, and of the Schwarz bounds\n\n"
        "  %-22s %10s %8s %8s %8s %9s %12s\n",
        "", "quartets", "mean", "rms", "largest", "of margin", "of bounds");
    for (const struct hf_shell_situation *s = hf_shell_situations; s->name != NULL; s++) {
        struct hf_precision_study one = {0};
        HF_TRY(hf_precision_study_add(bench->context, s, highest, n_sample, &one, error));
        const struct hf_precision_errors sum = hf_precision_study_sum(&one);
        built = report_line(bench, list, "situation", s->name, &sum) && built;
        hf_precision_study_join(&one, &all);
    }
    built = report_classes(bench, &all) && built;
    built = report_lengths(bench, &all) && built;
    built = report_refused(bench, &all) && built;
    status = hf_agree(bench->context->comm, hf_bench_json_outcome(built, error), error);
cleanup:
    return status;
}

const struct hf_bench_kernel hf_bench_precision = {
    .name = "precision",
    .about = "errors of two-electron integrals in single precision, for random shells",
    .cite = "S. Obara, A. Saika, J. Chem. Phys. 84, 3963 (1986)",
    .least_ranks = 1,
    .n_repeat = 5,
    .n_repeat_quick = 1,
    .run = run,
};
