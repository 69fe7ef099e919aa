/* All properties of a wave function, one after the other. */
#include "hf/properties.h"

#include "properties_private.h"

#include <math.h>
#include <stdlib.h>

const struct hf_phase hf_phase_properties = {.name = "Properties"};

/** Local. */
static hf_status make_room(struct hf_properties *properties, bool open, struct hf_error *error)
{
    const size_t n = (size_t)properties->n_atom;
    double **const list[] = {&properties->mulliken_charge, &properties->loewdin_charge,
                             &properties->potential, &properties->mulliken_spin,
                             &properties->loewdin_spin};
    for (size_t i = 0; i < (open ? 5 : 3); i++) {
        *list[i] = calloc(n, sizeof **list[i]);
        if (*list[i] == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for properties of %zu atoms", n);
    }
    return HF_OK;
}

/** Moments of inertia below this part of the largest are those of a line of atoms, or of one. */
static const double NO_INERTIA = 1e-10;

/** Masses, moments of inertia, rotational constants. Not collective. */
static hf_status add_rotation(const struct hf_molecule *molecule, struct hf_properties *properties,
                              struct hf_error *error)
{
    double tensor[3][3];
    hf_molecule_inertia(molecule, &properties->mass, properties->centre_of_mass, tensor);
    HF_CHECK(hf_eigen_small(3, tensor[0], properties->inertia, error));
    for (int d = 0; d < 3; d++) {
        const double inertia = properties->inertia[d];
        const bool none = !(inertia > NO_INERTIA * properties->inertia[2]);
        if (none) properties->inertia[d] = 0.0;
        properties->rotational_ghz[d] =
            none ? INFINITY : HF_HARTREE_IN_GHZ / (2.0 * inertia * HF_MASS_UNIT_IN_ELECTRON_MASSES);
    }
    return HF_OK;
}

static hf_status compute(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                         struct hf_properties *properties, struct hf_error *error)
{
    hf_status status;
    const bool open = wavefunction->spin_density != NULL;
    properties->n_atom = wavefunction->molecule->n_atom;
    status = make_room(properties, open, error);
    if (status == HF_OK) status = add_rotation(wavefunction->molecule, properties, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_add_distribution(context, wavefunction, properties, error));
    HF_TRY(hf_add_populations(context, wavefunction, properties, error));
    properties->complete = true;
cleanup:
    return status;
}

hf_status hf_properties_compute(struct hf_context *context,
                                const struct hf_wavefunction *wavefunction, bool complete,
                                struct hf_properties *properties, struct hf_error *error)
{
    hf_status status = HF_OK;
    hf_timer_start(&context->timers, &hf_phase_properties);
    *properties = (struct hf_properties){.n_electron_expected =
                                             hf_molecule_n_electron(wavefunction->molecule)};
    hf_matrix_dot(wavefunction->density, wavefunction->overlap, &properties->n_electron);
    if (complete) status = compute(context, wavefunction, properties, error);
    hf_timer_stop(&context->timers, &hf_phase_properties);
    if (status != HF_OK) hf_properties_done(properties);
    return status;
}

bool hf_properties_electrons_agree(const struct hf_properties *properties)
{
    const double expected = properties->n_electron_expected;
    return fabs(properties->n_electron - expected) <= 1e-7 * fmax(1.0, expected);
}

void hf_properties_done(struct hf_properties *properties)
{
    if (properties == NULL) return;
    free(properties->mulliken_charge);
    free(properties->loewdin_charge);
    free(properties->mulliken_spin);
    free(properties->loewdin_spin);
    free(properties->potential);
    free(properties->bond);
    *properties = (struct hf_properties){0};
}

static hf_status compute_quantity(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const bool complete = hf_options_value(of->options, "properties") != HF_PROPERTIES_NONE;
    return hf_properties_compute(of->context, of->wavefunction, complete, quantity->self, error);
}

static void done(struct hf_quantity *quantity)
{
    hf_properties_done(quantity->self);
}

static const struct hf_phase *const phases[] = {&hf_phase_properties, NULL};

static const struct hf_option_choice extents[] = {
    {"none", "no properties; a wrong number of electrons in the density is still reported",
     HF_PROPERTIES_NONE},
    {"short", "charges and spins of atoms in the report, all properties in the JSON file",
     HF_PROPERTIES_SHORT},
    {"all", "also moments, bond orders, potentials at the nuclei and rotation in the report",
     HF_PROPERTIES_ALL},
    {0}};

const struct hf_option hf_options_properties[] = {
    HF_ROW_CHOICE("properties", "WHICH", "short", "properties to compute and show",
                  .group = "Output", .everyday = true, .choice = extents, HF_NOT_SERVED),
    {0}};

const struct hf_quantity_ops hf_quantity_properties = {
    .name = "properties",
    .options = hf_options_properties,
    .option = "properties",
    .by_default = true,
    .needs = HF_WAVEFUNCTION_DENSITIES,
    .phases = phases,
    .size = sizeof(struct hf_properties),
    .compute = compute_quantity,
    .report = hf_report_properties,
    .json = hf_json_put_properties,
    .done = done,
};
