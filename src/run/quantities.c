/* The lists of tasks and of what is computed from a wave function, and the walk over the latter. */
#include "calculation_private.h"

#include <stdlib.h>
#include <string.h>

/** All quantities, in the order in which they are computed, reported and written. */
#define QUANTITIES(ROW)                                                                            \
    ROW(properties)                                                                                \
    ROW(gradient)                                                                                  \
    ROW(orbitals)                                                                                  \
    ROW(molden)                                                                                    \
    ROW(cubes)

#define DECLARE(name) extern const struct hf_quantity_ops hf_quantity_##name;
#define POINTER(name) &hf_quantity_##name,
QUANTITIES(DECLARE)
static const struct hf_quantity_ops *const list[] = {QUANTITIES(POINTER)};
enum { N_LIST = sizeof list / sizeof *list };

static const struct hf_run_task tasks[] = {
    {"energy", "the energy", NULL},
    {"gradient", "the energy and its derivatives by the coordinates of the atoms",
     &hf_quantity_gradient},
    {"properties", "the energy; in the JSON file all properties are the result",
     &hf_quantity_properties},
};
enum { N_TASK = sizeof tasks / sizeof *tasks };

bool hf_run_task_choice(int i, struct hf_option_choice *choice)
{
    if (i >= N_TASK) return false;
    *choice = (struct hf_option_choice){tasks[i].name, tasks[i].about, 0};
    return true;
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
    enum hf_wavefunction_parts *made = &calculation->settings.wavefunction;
    struct hf_quantity *quantity = &calculation->quantity[calculation->n_quantity];
    struct hf_error reason;
    *quantity = (struct hf_quantity){.ops = ops, .of = &calculation->source, .needs = ops->needs};
    quantity->self = calloc(1, ops->size + 1); /* not NULL where there is none */
    if (quantity->self == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    calculation->n_quantity++;
    const hf_status status = ops->plan != NULL ? ops->plan(quantity, &reason) : HF_OK;
    if (status != HF_OK)
        return hf_fail(error, status, "%s%s%.400s", given != NULL ? given->where : "",
                       given != NULL ? ": " : "", reason.message);
    /* less in the enumeration is more of the wave function */
    if (quantity->needs < *made) *made = quantity->needs;
    if (quantity->needs < calculation->needs && !ops->by_default)
        calculation->needs = quantity->needs;
    for (int i = 0; ops->phases != NULL && ops->phases[i] != NULL; i++)
        hf_timers_declare(timers, ops->phases[i]);
    return HF_OK;
}

hf_status hf_quantities_plan(struct hf_calculation *calculation, const struct hf_options *options,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    calculation->source = (struct hf_quantity_source){
        .context = calculation->context,
        .options = options,
        .file_stem = hf_calculation_file_name(calculation, ""),
        .molecule = &calculation->input.molecule,
        .basis = calculation->basis,
        .settings = &calculation->settings,
    };
    calculation->quantity = calloc(N_LIST, sizeof *calculation->quantity);
    if (calculation->source.file_stem == NULL || calculation->quantity == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    calculation->task = tasks;
    while (strcmp(calculation->task->name, hf_options_choice(options, "task")) != 0)
        calculation->task++;
    calculation->needs = calculation->settings.wavefunction = HF_WAVEFUNCTION_ENERGIES;
    for (int i = 0; i < N_LIST && status == HF_OK; i++) {
        const struct hf_option_value *given = asked_by(options, list[i]);
        if (given != NULL || list[i]->by_default || list[i] == calculation->task->returns)
            status = plan(calculation, list[i], given, error);
    }
    return status;
}

hf_status hf_quantities_compute(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < calculation->n_quantity && status == HF_OK; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        const struct hf_quantity_ops *ops = quantity->ops;
        if (ops->compute == NULL || quantity->needs < calculation->settings.wavefunction) continue;
        if (ops->of_converged && !calculation->converged) continue;
        calculation->computing = ops->name;
        status = ops->compute(quantity, error);
        quantity->made = status == HF_OK;
        if (quantity->made) hf_report_quantity(calculation->source.report, quantity);
    }
    if (status == HF_OK) calculation->computing = NULL;
    return status;
}

const struct hf_properties *hf_calculation_properties(const struct hf_calculation *calculation)
{
    for (int i = 0; i < calculation->n_quantity; i++)
        if (calculation->quantity[i].ops == &hf_quantity_properties &&
            calculation->quantity[i].made)
            return calculation->quantity[i].self;
    return NULL;
}

void hf_quantities_done(struct hf_calculation *calculation)
{
    for (int i = 0; i < calculation->n_quantity; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        if (quantity->ops->done != NULL) quantity->ops->done(quantity);
        free(quantity->self);
    }
    free(calculation->quantity);
    free(calculation->source.file_stem);
}
