/* What single precision does to two-electron integrals, by class and by situation; docs/precision.md. */
#include "bench.h"
#include "precision_study.h"

#include <math.h>

/** Sets of shells of one situation in each repetition. */
enum { N_SAMPLE = 3 };

static double root_mean_square(const struct hf_precision_errors *errors)
{
    return errors->n > 0.0 ? sqrt(errors->sum_of_squares / errors->n) : 0.0;
}

/** One line of a table and, on rank 0, its entry in the file. False: no memory. */
static bool report_line(struct hf_bench *bench, cJSON *list, const char *key, const char *name,
                        const struct hf_precision_errors *errors)
{
    if (errors->n == 0.0) return true;
    hf_bench_print(bench, "  %-22s %12.0f  %9.3f  %9.3f  %12.4g\n", name, errors->n,
                   root_mean_square(errors), errors->largest, errors->largest_of_bounds);
    if (bench->context->rank != 0) return true;
    cJSON *object = hf_json_append_object(list);
    return object != NULL && hf_json_add_text(object, key, name) &&
           hf_json_add_double(object, "n_quartet", errors->n) &&
           hf_json_add_double(object, "rms", root_mean_square(errors)) &&
           hf_json_add_double(object, "largest", errors->largest) &&
           hf_json_add_double(object, "largest_of_bounds", errors->largest_of_bounds);
}

static struct hf_precision_errors all_classes(const struct hf_precision_study *study)
{
    struct hf_precision_errors sum = {0};
    for (int i = 0; i < HF_STUDY_N_PAIR * HF_STUDY_N_PAIR; i++)
        hf_precision_errors_join(&study->of_class[0][0] + i, &sum);
    return sum;
}

/** The classes of all situations together. */
static bool report_classes(struct hf_bench *bench, const struct hf_precision_study *study)
{
    static const char letter[] = "spdf";
    cJSON *list = bench->results != NULL ? cJSON_AddArrayToObject(bench->results, "classes") : NULL;
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

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    hf_status status;
    struct hf_precision_study all = {0};
    bool built = true;
    cJSON *list =
        bench->results != NULL ? cJSON_AddArrayToObject(bench->results, "situations") : NULL;
    const int n_sample = bench->quick ? 1 : N_SAMPLE * bench->n_repeat;
    const int highest = bench->quick ? 2 : HF_STUDY_MOST_L;
    hf_bench_print(
        bench,
        "  Errors of quartets computed in single precision, largest of their integrals,\n"
        "  in units of 2^-24 of what they are proportional to, and of the Schwarz bounds\n\n"
        "  %-22s %12s  %9s  %9s  %12s\n",
        "", "quartets", "rms", "largest", "of bounds");
    for (const struct hf_shell_situation *s = hf_shell_situations; s->name != NULL; s++) {
        struct hf_precision_study one = {0};
        HF_TRY(hf_precision_study_add(bench->context, s, highest, n_sample, &one, error));
        const struct hf_precision_errors sum = all_classes(&one);
        built = report_line(bench, list, "situation", s->name, &sum) && built;
        for (int i = 0; i < HF_STUDY_N_PAIR * HF_STUDY_N_PAIR; i++)
            hf_precision_errors_join(&one.of_class[0][0] + i, &all.of_class[0][0] + i);
    }
    built = report_classes(bench, &all) && built;
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
