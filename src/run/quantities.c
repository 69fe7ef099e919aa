/* The lists of tasks and of what is computed from a wave function, and the walk over the latter. */
#include "quantities.h"
#include "calculation_private.h"
#include "pairs/common_pairs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name) extern const struct hf_quantity_ops hf_quantity_##name;
#define POINTER(name) &hf_quantity_##name,
HF_QUANTITIES(DECLARE, DECLARE)
static const struct hf_quantity_ops *const list[] = {HF_QUANTITIES(POINTER, POINTER)};
enum { N_LIST = sizeof list / sizeof *list };

static const struct hf_run_task tasks[] = {
    {"energy", "the energy", "energy", NULL, NULL, false},
    {"gradient", "the energy and its derivatives by the coordinates of the atoms", "gradient",
     &hf_quantity_gradient, NULL, true},
    {"optimise", "the structure of lowest energy, and its properties; also opt", "gradient",
     &hf_quantity_gradient, &hf_quantity_optimisation, true},
    {"properties", "the energy; in the JSON file all properties are the result", "properties",
     &hf_quantity_properties, NULL, false},
    {"vibrations", "second derivatives, normal modes, thermochemistry; also hessian, freq",
     "hessian", &hf_quantity_vibrations, NULL, true},
};
enum { N_TASK = sizeof tasks / sizeof *tasks };

bool hf_run_task_choice(int i, struct hf_option_choice *choice)
{
    if (i >= N_TASK) return false;
    *choice = (struct hf_option_choice){tasks[i].name, tasks[i].about, 0};
    return true;
}

/** Methods whose energy is a quantity, with the method that makes the wave function. */
static const struct {
    const char *name, *about, *reference;
    const struct hf_quantity_ops *quantity;
} correlated[] = {
    {"mp2", "second-order perturbation theory after rhf", "rhf", &hf_quantity_mp2},
    {"lmp2", "local MP2 after rhf: localised orbitals, excited to atoms near them", "rhf",
     &hf_quantity_local_mp2},
    {"ump2", "second-order perturbation theory after uhf", "uhf", &hf_quantity_mp2},
};
enum { N_CORRELATED = sizeof correlated / sizeof *correlated };

bool hf_run_method_choice(int i, struct hf_option_choice *choice)
{
    int n_method = 0;
    *choice = (struct hf_option_choice){"hf", "rhf for singlets, uhf for all others", 0};
    if (i == 0) return true;
    while (hf_method_list[n_method] != NULL) n_method++;
    if (i <= n_method) {
        const struct hf_method_ops *ops = hf_method_list[i - 1];
        *choice = (struct hf_option_choice){hf_method_name(ops), hf_method_about(ops), 0};
        return true;
    }
    i -= n_method + 1;
    if (i >= N_CORRELATED) return false;
    *choice = (struct hf_option_choice){correlated[i].name, correlated[i].about, 0};
    return true;
}

const char *hf_run_method_missing(struct hf_word name)
{
    /* functionals are named after their parts */
    static const char *const part[] = {"lyp", "pbe",  "tpss", "scan", "b97",   "b98",  "pw91",
                                       "p86", "vwn",  "hse",  "lda",  "m05",   "m06",  "m08",
                                       "m11", "mn12", "mn15", "mpw",  "hcth",  "pw6b", "bmk",
                                       "dft", "rks",  "uks",  "roks", "slater"};
    char plain[40];
    int n = 0;
    for (int i = 0; i < name.length && n < (int)sizeof plain - 1; i++)
        if (isalnum((unsigned char)name.begin[i]))
            plain[n++] = (char)tolower((unsigned char)name.begin[i]);
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (strstr(plain, part[i]) != NULL) return "hf has no density functionals";
    return NULL;
}

/** Place of the method in that list; -1: it is none of these. */
static int find_correlated(const struct hf_options *options)
{
    const char *name = hf_options_choice(options, "method");
    for (int i = 0; i < N_CORRELATED; i++)
        if (strcmp(name, correlated[i].name) == 0) return i;
    return -1;
}

bool hf_run_is_correlated(const struct hf_options *options)
{
    return find_correlated(options) >= 0;
}

const char *hf_run_reference(const struct hf_options *options, const struct hf_molecule *molecule)
{
    const int i = find_correlated(options);
    if (i >= 0) return correlated[i].reference;
    return hf_method_for(hf_options_choice(options, "method"), molecule);
}

const char *hf_run_method(const struct hf_options *options, const struct hf_molecule *molecule)
{
    const int i = find_correlated(options);
    return i >= 0 ? correlated[i].name : hf_run_reference(options, molecule);
}

/** Fills calculation->task and calculation->search. */
static hf_status choose_tasks(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    const char *names = hf_options_text(options, "task"), *last = strrchr(names, ',');
    const int method = find_correlated(options);
    for (int i = 0; i < N_TASK; i++) {
        const struct hf_run_task *task = &tasks[i];
        if (!hf_options_include(options, "task", task->name)) continue;
        if (strcmp(task->name, last != NULL ? last + 1 : names) == 0) calculation->task = task;
        if (method >= 0 && task->differentiates && correlated[method].quantity->correlation == NULL)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: there are no gradients of %s energies; expected task energy",
                           hf_options_given(options, "task")->where,
                           correlated[method].quantity->name);
        if (task->search == NULL) continue;
        calculation->search = task->search;
        if (strncmp(names, task->name, strlen(task->name)) != 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: tasks %s: %s changes the structure that the other tasks are of; "
                           "expected it first, as in %s,vibrations",
                           hf_options_given(options, "task")->where, names, task->name, task->name);
    }
    return HF_OK;
}

/** Whether a task of this run needs the quantity. */
static bool is_of_task(const struct hf_options *options, const struct hf_quantity_ops *ops)
{
    for (int i = 0; i < N_TASK; i++)
        if ((ops == tasks[i].returns || ops == tasks[i].search) &&
            hf_options_include(options, "task", tasks[i].name))
            return true;
    return false;
}

/** The value that asks for a quantity; NULL: none does. */
static const struct hf_option_value *asked_by(const struct hf_options *options,
                                              const struct hf_quantity_ops *ops)
{
    const struct hf_option_value *given =
        ops->option != NULL ? hf_options_given(options, ops->option) : NULL;
    const bool off = given != NULL && given->option->type == HF_OPTION_FLAG &&
                     !hf_options_flag(options, ops->option);
    return off ? NULL : given;
}

/** Appends the quantity. Local. */
static hf_status plan(struct hf_calculation *calculation, const struct hf_quantity_ops *ops,
                      const struct hf_option_value *given, struct hf_error *error)
{
    struct hf_timers *timers = &calculation->context->timers;
    struct hf_scf_settings *settings = &calculation->settings;
    const struct hf_options *options = calculation->source.options;
    struct hf_quantity *quantity = &calculation->quantity[calculation->n_quantity];
    struct hf_error reason;
    *quantity = (struct hf_quantity){.ops = ops, .of = &calculation->source, .needs = ops->needs};
    quantity->self = hf_arena_take(&calculation->arena, 1, ops->size);
    hf_status status = hf_arena_check(&calculation->arena, error);
    if (status != HF_OK) return status;
    calculation->n_quantity++;
    hf_options_fill(options, ops->options, quantity->self);
    status = ops->plan != NULL ? ops->plan(quantity, &reason) : HF_OK;
    if (status == HF_OK && ops->correlation != NULL)
        calculation->source.correlation = ops->correlation(quantity);
    if (quantity->about != NULL) given = quantity->about;
    if (status != HF_OK)
        return hf_fail(error, status, "%s%s%.400s", given != NULL ? given->where : "",
                       given != NULL ? ": " : "", reason.message);
    if (ops->commutator_tolerance > 0.0 &&
        hf_options_given(options, "commutator_tolerance") == NULL)
        settings->commutator_tolerance =
            fmin(settings->commutator_tolerance, ops->commutator_tolerance);
    /* less in the enumeration is more of the wave function */
    if (quantity->needs < settings->wavefunction) settings->wavefunction = quantity->needs;
    if (ops->weighted_density) settings->weighted_density = true;
    if (ops->respond != NULL) {
        quantity->next_responding = settings->responding;
        settings->responding = quantity;
    }
    if (quantity->needs < calculation->needs && !ops->by_default)
        calculation->needs = quantity->needs;
    for (int i = 0; ops->phases != NULL && ops->phases[i] != NULL; i++)
        hf_timers_declare(timers, ops->phases[i]);
    return HF_OK;
}

hf_status hf_quantities_plan(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    hf_status status;
    calculation->source = (struct hf_quantity_source){
        .context = calculation->context,
        .options = options,
        .file_stem = hf_calculation_file_name(calculation, ""),
        .molecule = &calculation->input.molecule,
        .basis = calculation->basis,
        .settings = &calculation->settings,
        .restart = calculation->restart,
        .no_files = calculation->no_files,
        .move = hf_calculation_move,
        .calculation = calculation,
    };
    HF_TAKE(&calculation->arena, calculation->quantity, N_LIST);
    status = hf_arena_check(&calculation->arena, error);
    if (status == HF_OK) status = choose_tasks(calculation, error);
    calculation->structure_found = calculation->search == NULL;
    calculation->needs = calculation->settings.wavefunction = HF_WAVEFUNCTION_ENERGIES;
    const int method = find_correlated(options);
    for (int i = 0; i < N_LIST && status == HF_OK; i++) {
        const bool of_method = method >= 0 && list[i] == correlated[method].quantity;
        const struct hf_option_value *given = asked_by(options, list[i]);
        if (of_method || given != NULL || list[i]->by_default || is_of_task(options, list[i]))
            status = plan(calculation, list[i], given, error);
    }
    return status;
}

double hf_quantities_pair_accuracy(const struct hf_calculation *calculation, int first)
{
    double accuracy = INFINITY;
    for (int i = first; i < calculation->n_quantity; i++)
        if (calculation->quantity[i].pair_accuracy > 0.0)
            accuracy = fmin(accuracy, calculation->quantity[i].pair_accuracy);
    return accuracy;
}

const void *hf_calculation_made(const struct hf_calculation *calculation, const char *name)
{
    for (int i = 0; i < calculation->n_quantity; i++)
        if (strcmp(calculation->quantity[i].ops->name, name) == 0 && calculation->quantity[i].made)
            return calculation->quantity[i].self;
    return NULL;
}

hf_status hf_quantities_compute(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status = HF_OK;
    calculation->source.energy = calculation->source.result->energy;
    for (int i = 0; i < calculation->n_quantity && status == HF_OK; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        const struct hf_quantity_ops *ops = quantity->ops;
        if (isinf(hf_quantities_pair_accuracy(calculation, i)))
            hf_common_pairs_drop(calculation->pairs); /* others need the memory */
        if (ops->compute == NULL && ops->respond == NULL) continue;
        if (quantity->needs < calculation->settings.wavefunction) continue;
        if (ops->of_converged && !calculation->converged) continue;
        if (ops->of_structure && !calculation->structure_found) {
            hf_report_warning(calculation->source.report,
                              "%s: not computed, because no structure was found", ops->name);
            continue;
        }
        calculation->computing = ops->name;
        if (ops->doing != NULL) hf_report_begin(calculation->source.report, ops->doing);
        if (ops->compute != NULL) status = ops->compute(quantity, error);
        quantity->made = status == HF_OK;
        if (quantity->made && ops->energy != NULL)
            calculation->source.energy = ops->energy(quantity);
        if (quantity->made && ops->localised != NULL)
            calculation->source.localised = ops->localised(quantity);
        if (quantity->made && ops->transition != NULL)
            calculation->source.transition = ops->transition(quantity);
        if (quantity->made && ops->relaxed != NULL)
            calculation->source.relaxed = ops->relaxed(quantity);
        if (quantity->made) hf_report_quantity(calculation->source.report, quantity);
    }
    calculation->source.vibrations =
        hf_calculation_made(calculation, "vibrations"); /* its first member */
    if (status == HF_OK) calculation->computing = NULL;
    return status;
}

void hf_quantities_release(struct hf_calculation *calculation)
{
    calculation->source.relaxed = calculation->source.transition = NULL;
    for (int i = 0; i < calculation->n_quantity; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        if (quantity->ops->release != NULL) quantity->ops->release(quantity);
    }
}

void hf_quantities_done(struct hf_calculation *calculation)
{
    for (int i = 0; i < calculation->n_quantity; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        if (quantity->ops->done != NULL) quantity->ops->done(quantity);
    }
}

bool hf_run_describe_json(FILE *page)
{
    struct hf_quantity quantity[N_LIST];
    size_t most = 0;
    for (int i = 0; i < N_LIST; i++) most = list[i]->size > most ? list[i]->size : most;
    void *zeros = calloc(1, most);
    for (int i = 0; i < N_LIST; i++)
        quantity[i] = (struct hf_quantity){.ops = list[i], .self = zeros, .made = true};
    if (zeros != NULL) hf_json_describe(page, N_LIST, quantity);
    free(zeros);
    return zeros != NULL;
}
