/* All unique shell quartets above a Schwarz bound, once with our engine and once with
 * libint2::Engine, in turn, on one core: bench_integrals RUNS INPUT BASIS [INPUT BASIS ...]
 *
 * Both work as a Fock builder would have them: ours on merged shells, batch by batch of one class;
 * libint2::Engine, which knows neither, on the shells as published, one quartet after the other. */
#include "comparator.h"
#include "integrals/engine.h"
#include "molecule/input.h"
#include "pairs/shell_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The engines' own thresholds mean different things; with these ours makes the smaller errors,
 * which the table shows. The reference of the errors is libint2::Engine without screening. */
static const double schwarz_threshold = 1e-10, our_threshold = 1e-11, their_precision = 1e-12,
                    no_screening = 1e-30;

enum { CHECK_EVERY = 101 };

static const struct hf_option_choice units[] = {
    {.name = "angstrom"}, {.name = "bohr", .value = HF_LENGTH_BOHR}, {0}};

/** What hf_input_read asks for, and the keys that the files under inputs/ have. */
static const struct hf_option rows[] = {
    {.key = "title", .type = HF_OPTION_TEXT},
    {.key = "method", .type = HF_OPTION_TEXT},
    {.key = "basis", .type = HF_OPTION_TEXT, .repeatable = true},
    {.key = "charge", .type = HF_OPTION_INTEGER, .default_value = "0"},
    {.key = "multiplicity", .type = HF_OPTION_INTEGER, .default_value = "1"},
    {.key = "units", .type = HF_OPTION_CHOICE, .default_value = "angstrom", .choice = units},
    {.key = "force", .type = HF_OPTION_FLAG},
    {0},
};
static const struct hf_option *const table[] = {rows, NULL};

/** One molecule in one basis and both engines. */
struct bench {
    struct hf_context *context;
    struct hf_input input;
    struct hf_basis *basis, *merged;
    struct hf_shell_pairs *pairs; /**< as published */
    struct hf_shell_pairs *ours;  /**< of merged shells */
    int *first_shell;             /**< [merged shells] first of the published ones */
    struct hf_engine *engine;
    struct comparator *comparator, *reference;
};

static hf_status open_bench(struct bench *bench, const char *path, const char *basis,
                            struct hf_error *error)
{
    hf_status status;
    struct hf_options options;
    const struct hf_basis_choice choice = {.atom = -1, .name = basis};
    hf_options_init(&options, table);
    HF_TRY(hf_input_read(bench->context, path, &options, &bench->input, error));
    HF_TRY(hf_basis_create(bench->context, &bench->input.molecule, 1, &choice,
                           HF_CONVENTION_AS_DEFINED, &bench->basis, error));
    HF_TRY(hf_shell_pairs_create(bench->context, bench->basis, 1e-14, &bench->pairs, error));
    HF_TRY(hf_basis_merge(bench->basis, &bench->merged, error));
    HF_TRY(hf_shell_pairs_create(bench->context, bench->merged, 1e-14, &bench->ours, error));
    bench->first_shell = calloc((size_t)bench->merged->n_shell + 1, sizeof *bench->first_shell);
    if (bench->first_shell == NULL) abort();
    for (int i = 0; i < bench->merged->n_shell; i++)
        bench->first_shell[i + 1] = bench->first_shell[i] + bench->merged->shell[i].n_part;
    HF_TRY(hf_engine_create(bench->ours, &bench->engine, error));
    hf_engine_set_threshold(bench->engine, our_threshold);
    bench->comparator = comparator_create(bench->basis, their_precision);
    bench->reference = comparator_create(bench->basis, no_screening);
cleanup:
    hf_options_done(&options);
    return status;
}

static void close_bench(struct bench *bench)
{
    if (bench->comparator != NULL) comparator_destroy(bench->comparator);
    if (bench->reference != NULL) comparator_destroy(bench->reference);
    bench->comparator = bench->reference = NULL;
    hf_engine_destroy(&bench->engine);
    hf_shell_pairs_destroy(&bench->ours);
    hf_shell_pairs_destroy(&bench->pairs);
    hf_basis_destroy(&bench->merged);
    hf_basis_destroy(&bench->basis);
    free(bench->first_shell);
    bench->first_shell = NULL;
    hf_input_done(&bench->input);
}

/** Largest errors of the two engines. */
struct errors {
    double ours, theirs;
};

/** One quartet of published shells, parts of a quartet of merged ones whose values are `ours`. */
static void find_part_errors(const struct bench *bench, const struct hf_shell *const merged[4],
                             const int part[4], const double *ours, struct errors *errors)
{
    int shell[4];
    struct hf_shell_part p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = hf_shell_get_part(merged[k], part[k]);
        shell[k] = bench->first_shell[merged[k] - bench->merged->shell] + part[k];
    }
    const double *exact = comparator_compute(bench->reference, shell);
    const double *theirs = comparator_compute(bench->comparator, shell);
    for (int a = 0, x = 0; a < p[0].n_function; a++)
        for (int b = 0; b < p[1].n_function; b++)
            for (int c = 0; c < p[2].n_function; c++)
                for (int d = 0; d < p[3].n_function; d++, x++) {
                    const int ab = (p[0].first + a) * merged[1]->n_function + p[1].first + b;
                    const int cd = (p[2].first + c) * merged[3]->n_function + p[3].first + d;
                    const int n_cd = merged[2]->n_function * merged[3]->n_function;
                    const double value = exact != NULL ? exact[x] : 0.0;
                    const double their = theirs != NULL ? theirs[x] : 0.0;
                    errors->ours = fmax(errors->ours, fabs(ours[ab * n_cd + cd] - value));
                    errors->theirs = fmax(errors->theirs, fabs(their - value));
                }
}

static void find_errors(const struct bench *bench, const struct hf_integral_batch *batch,
                        const struct hf_shell_pair *fixed, int n,
                        const struct hf_shell_pair *const other[], struct errors *errors)
{
    const struct hf_shell *list = bench->merged->shell;
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *row = batch->fixed_is_row ? fixed : other[i];
        const struct hf_shell_pair *column = batch->fixed_is_row ? other[i] : fixed;
        const struct hf_shell *const s[4] = {&list[row->a], &list[row->b], &list[column->a],
                                             &list[column->b]};
        const double *ours = batch->value + (size_t)i * batch->stride;
        int part[4];
        for (part[0] = 0; part[0] < s[0]->n_part; part[0]++)
            for (part[1] = 0; part[1] < s[1]->n_part; part[1]++)
                for (part[2] = 0; part[2] < s[2]->n_part; part[2]++)
                    for (part[3] = 0; part[3] < s[3]->n_part; part[3]++)
                        find_part_errors(bench, s, part, ours, errors);
    }
}

/** Kets of one class that wait for a batch. */
struct queue {
    int n;
    const struct hf_shell_pair *pair[HF_MAX_BATCH];
};

/** Computes a batch; with `errors`, every CHECK_EVERY-th is checked. */
static void compute(struct bench *bench, const struct hf_shell_pair *fixed, struct queue *queue,
                    struct errors *errors, int64_t *n_batch)
{
    if (queue->n == 0) return;
    const struct hf_integral_batch result =
        hf_engine_two_electron(bench->engine, fixed, queue->n, queue->pair);
    if (errors != NULL && (*n_batch)++ % CHECK_EVERY == 0)
        find_errors(bench, &result, fixed, queue->n, queue->pair, errors);
    queue->n = 0;
}

static void pass_ours(struct bench *bench, struct errors *errors, double *seconds)
{
    const struct hf_shell_pairs *pairs = bench->ours;
    const struct hf_shell_pair *list = pairs->pair;
    struct queue *queue = calloc((size_t)pairs->n_class, sizeof *queue);
    if (queue == NULL) abort();
    const double start = hf_wall_seconds();
    int64_t n_batch = 0;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        for (int64_t k = 0; k <= i; k++) {
            if (list[k].bound * list[i].bound < schwarz_threshold) continue;
            struct queue *of_class = &queue[list[k].pair_class];
            of_class->pair[of_class->n++] = &list[k];
            if (of_class->n == HF_MAX_BATCH) compute(bench, &list[i], of_class, errors, &n_batch);
        }
        for (int c = 0; c < pairs->n_class; c++)
            compute(bench, &list[i], &queue[c], errors, &n_batch);
    }
    *seconds = hf_wall_seconds() - start;
    free(queue);
}

static void pass_theirs(struct bench *bench, double *seconds)
{
    const struct hf_shell_pair *list = bench->pairs->pair;
    const double start = hf_wall_seconds();
    for (int64_t i = 0; i < bench->pairs->n_pair; i++)
        for (int64_t k = 0; k <= i; k++)
            if (list[k].bound * list[i].bound >= schwarz_threshold)
                comparator_compute(bench->comparator,
                                   (const int[4]){list[i].a, list[i].b, list[k].a, list[k].b});
    *seconds = hf_wall_seconds() - start;
}

static int by_value(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return (*x > *y) - (*x < *y);
}

static double median(int n, double value[])
{
    qsort(value, (size_t)n, sizeof *value, by_value);
    return n % 2 == 1 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/** Runs both engines in turn and prints one line; the logarithm of the ratio. */
static double run(struct bench *bench, const char *path, const char *basis, int n_run)
{
    double *ours = malloc((size_t)n_run * sizeof *ours),
           *theirs = malloc((size_t)n_run * sizeof *theirs);
    double *ratio = malloc((size_t)n_run * sizeof *ratio);
    if (ours == NULL || theirs == NULL || ratio == NULL) abort();
    double checking;
    struct errors errors = {0.0, 0.0};
    pass_ours(bench, &errors, &checking);
    const struct hf_engine_account account = hf_engine_account(bench->engine);
    for (int i = 0; i < n_run; i++) {
        pass_ours(bench, NULL, &ours[i]);
        pass_theirs(bench, &theirs[i]);
        ratio[i] = theirs[i] / ours[i];
    }
    const double seconds = median(n_run, ours), middle = median(n_run, ratio);
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    printf("%-18s %-8s %5d %10lld %9.3f %9.3f %8.2f %8.2f %7.2f %9.0e %9.0e\n", name, basis,
           bench->basis->n_function, (long long)account.n_quartet, seconds, median(n_run, theirs),
           1e9 * seconds / (double)account.n_integral,
           1e9 * seconds / (double)account.n_primitive_quartet, middle, errors.ours, errors.theirs);
    fflush(stdout);
    free(ours);
    free(theirs);
    free(ratio);
    return log(middle);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    hf_status status = HF_OK;
    struct hf_error error;
    struct bench bench = {0};
    double sum = 0.0;
    int n_case = 0;
    if (argc < 4 || argc % 2 != 0 || atoi(argv[1]) < 1) {
        fprintf(stderr, "Usage: bench_integrals RUNS INPUT BASIS [INPUT BASIS ...]\n");
        MPI_Finalize();
        return 2;
    }
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &bench.context, &error));
    printf("%-18s %-8s %5s %10s %9s %9s %8s %8s %7s %9s %9s\n", "molecule", "basis", "n",
           "quartets", "hf s", "Engine s", "ns/int", "ns/prim", "ratio", "hf err", "Engine err");
    for (int i = 2; i < argc; i += 2) {
        HF_TRY(open_bench(&bench, argv[i], argv[i + 1], &error));
        sum += run(&bench, argv[i], argv[i + 1], atoi(argv[1]));
        n_case++;
        close_bench(&bench);
    }
    printf("geometric mean of the ratios: %.2f\n", exp(sum / n_case));
cleanup:
    if (status != HF_OK) {
        fprintf(stderr, "bench_integrals: %s\n", error.message);
        close_bench(&bench);
    }
    hf_context_destroy(&bench.context);
    MPI_Finalize();
    return (int)status;
}
