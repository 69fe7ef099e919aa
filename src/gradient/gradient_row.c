/* The gradient as a quantity: options, report, JSON. */
#include "gradient/gradient.h"

#include "base/arithmetic.h"
#include "checkpoint/checkpoint.h"
#include "fock/density_loan.h"
#include "fock/fock.h"
#include "gradient/two_electron_gradient.h"
#include "hf/scf.h"
#include "linalg/new_matrix.h"
#include "properties/of_density.h"
#include "response/subspace.h"

#include <math.h>
#include <string.h>

/** What commutators are converged to if nothing is given: an error of the gradient is of its order. */
#define COMMUTATOR_TOLERANCE 1e-8

/** Sums and torques that are not zero as they should be, hartree/bohr and hartree. */
static const double TOLD = 1e-6;

/** Point charges of which the report has the derivatives. */
enum { MOST_CHARGES = 200 };

struct row {
    struct hf_gradient gradient;
    bool closed; /**< nothing from outside that has no derivative here: sums are to be zero */
    double sum[3], torque[3]; /**< over atoms and charges; of R x dE/dR */
    /* of MP2 */
    struct hf_relaxed_density density;
    struct hf_properties relaxed; /**< of that */
    struct hf_error lost; /**< why it is not in the checkpoint; "": it is, or there is none */
};

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    (void)error;
    quantity->pair_accuracy = hf_scf_pair_accuracy(quantity->of->settings, 1.0);
    return HF_OK;
}

/** Sum and torque of everything that has a place. */
static void add_up(struct row *self, const struct hf_molecule *molecule)
{
    const struct hf_environment *environment = &molecule->environment;
    const double *field = environment->field;
    self->closed = field[0] == 0.0 && field[1] == 0.0 && field[2] == 0.0;
    for (int i = 0; i < molecule->n_atom + environment->n_charge; i++) {
        const int c = i - molecule->n_atom;
        const double *slope = c < 0 ? self->gradient.atom[i] : self->gradient.charge[c];
        const double *place =
            c < 0 ? molecule->atom[i].position_bohr : environment->charge[c].position_bohr;
        for (int x = 0; x < 3; x++) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            self->sum[x] += slope[x];
            self->torque[x] += place[y] * slope[z] - place[z] * slope[y];
        }
    }
}

/** To the checkpoint, if there is one. A failure is told in the report. Collective. */
static void keep(struct row *self, const struct hf_quantity_source *of)
{
    static const char units[] = "hartree/bohr";
    hf_status status;
    struct hf_error *error = &self->lost;
    struct hf_checkpoint_addition *file = NULL;
    if (of->checkpoint == NULL) return;
    HF_TRY(hf_checkpoint_add_begin(of->context, of->checkpoint, HF_CHECKPOINT_GRADIENT,
                                   "derivatives of the energy", &file, error));
    HF_TRY(hf_checkpoint_add_shares(file, HF_CHECKPOINT_GRADIENT "/atoms", self->gradient.n_atom, 3,
                                    units, "by the places of the atoms", NULL, self->gradient.atom,
                                    error));
    if (self->gradient.n_charge > 0)
        HF_TRY(hf_checkpoint_add_shares(
            file, HF_CHECKPOINT_GRADIENT "/point_charges", self->gradient.n_charge, 3, units,
            "by the places of the charges", NULL, self->gradient.charge, error));
cleanup:
    status = hf_checkpoint_add_end(&file, status, error);
    if (status == HF_OK) error->message[0] = '\0';
}

/** The gradient of the MP2 energy. */
static hf_status differentiate_correlated(struct row *self, const struct hf_quantity_source *of,
                                          struct hf_error *error)
{
    struct hf_relaxed_density *relaxed = &self->density;
    const struct hf_mp2_derivatives *derivatives = of->correlation->derivatives;
    HF_CHECK(hf_relax_density(of->context, of->wavefunction, of->settings, of->pairs, derivatives,
                              relaxed, error));
    if (!relaxed->converged)
        return hf_fail(error, HF_NOT_CONVERGED,
                       "gradient: " HF_Z_VECTOR " did not converge with %d products of the Hessian",
                       relaxed->n_product);
    HF_CHECK(hf_gradient_compute_mp2(of->context, of->settings, of->pairs, derivatives, relaxed,
                                     &self->gradient, error));
    HF_DESTROY_MATRICES(&relaxed->total, &relaxed->spin, &relaxed->weighted,
                        &relaxed->wavefunction.weighted_density);
    return hf_properties_compute(of->context, &relaxed->wavefunction,
                                 hf_options_value(of->options, "properties") != HF_PROPERTIES_NONE,
                                 &self->relaxed, error);
}

static const struct hf_wavefunction *relaxed(const struct hf_quantity *quantity)
{
    const struct row *self = quantity->self;
    return quantity->of->correlation != NULL ? &self->density.wavefunction : NULL;
}

static void release(struct hf_quantity *quantity)
{
    struct row *self = quantity->self;
    hf_relaxed_density_done(&self->density);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    struct row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    HF_CHECK(hf_agree(of->context->comm, hf_gradient_create(of->molecule, &self->gradient, error),
                      error));
    if (of->correlation != NULL)
        HF_CHECK(differentiate_correlated(self, of, error));
    else
        HF_CHECK(hf_gradient_compute(of->context, of->wavefunction, of->settings, of->pairs,
                                     &self->gradient, error));
    add_up(self, of->molecule);
    keep(self, of);
    return HF_OK;
}

/** The energy-weighted density. */
static double memory(const struct hf_quantity *quantity)
{
    const struct hf_quantity_source *of = quantity->of;
    const double n = of->basis->n_function;
    return n * n * sizeof(double) *
           hf_linalg_largest_share(of->basis->n_function, of->context->n_rank,
                                   hf_fock_is_distributed(of->settings->fock.builder));
}

double hf_relaxation_bytes(const struct hf_quantity_source *of, int n_rank)
{
    enum { N_MATRIX = 13 };
    const double n = of->basis->n_function, o = 0.5 * hf_molecule_n_electron(of->molecule);
    const double n_spin = strcmp(of->settings->method, "rhf") == 0 ? 1.0 : 2.0;
    const double share = hf_linalg_largest_share(
        of->basis->n_function, n_rank, hf_fock_is_distributed(of->settings->fock.builder));
    return sizeof(double) * n_spin *
           (n * n + o * o + (n - o) * (n - o) /* struct hf_mp2_derivatives */ +
            share * (N_MATRIX * n * n + 2.0 * HF_SUBSPACE_MOST * o * (n - o)));
}

/** Densities of the two-electron part. What its threads hold beside derivatives takes the place of engines and queues of Fock
 *  builds. */
static hf_status peak(struct hf_quantity *quantity, double *bytes, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_basis *merged = hf_common_pairs_merged(of->pairs);
    const struct hf_fock_size size = {.n_function = merged->n_function,
                                      .n_shell = merged->n_shell,
                                      .n_atom = merged->n_atom,
                                      .n_density = strcmp(of->settings->method, "rhf") == 0 ? 1 : 2,
                                      .n_rank = of->context->n_rank,
                                      .n_node_rank = of->context->n_node_rank};
    const struct hf_fock_memory memory =
        hf_lent_densities_memory(&size, hf_fock_is_distributed(of->settings->fock.builder));
    (void)error;
    *bytes = memory.of_rank + memory.of_node / size.n_node_rank;
    quantity->differentiates = true;
    quantity->stores = of->correlation != NULL;
    if (quantity->stores) *bytes += hf_relaxation_bytes(of, of->context->n_rank);
    return HF_OK;
}

static double largest(const double value[3])
{
    return fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2])));
}

static void print_slope(FILE *out, const double slope[3])
{
    for (int k = 0; k < 3; k++) fprintf(out, " %14.8f", hf_without_noise(slope[k], 5e-9));
    fprintf(out, "\n");
}

static void print_sums(const struct row *self, const struct hf_quantity_source *of, FILE *out)
{
    const bool told = self->closed && fmax(largest(self->sum), largest(self->torque)) > TOLD;
    fprintf(out, "  %-10s", "Sum");
    for (int k = 0; k < 3; k++) fprintf(out, " %14.1e", self->sum[k]);
    fprintf(out, "\n  %-10s", "Torque");
    for (int k = 0; k < 3; k++) fprintf(out, " %14.1e", self->torque[k]);
    fprintf(out, "   hartree%s%s\n", told ? "; WARNING: both should be zero" : "",
            told && of->result->n_orbital < of->result->n_function
                ? ", unless Cartesian functions were removed"
                : "");
    if (of->settings->commutator_tolerance > 10.0 * COMMUTATOR_TOLERANCE)
        fprintf(out,
                "  WARNING: the SCF's commutator was converged to %.0e only; errors of the "
                "gradient are of that "
                "order\n",
                of->settings->commutator_tolerance);
}

/** Whether the MP2 energy is spin-component scaled. */
static bool is_scaled(const struct hf_quantity *quantity)
{
    const struct hf_mp2_settings *of = quantity->of->correlation;
    return of != NULL && (of->derivatives->opposite != 1.0 || of->derivatives->same != 1.0);
}

/** What is computed from the relaxed density of MP2. */
static void report_relaxed(const struct hf_quantity *quantity, FILE *out)
{
    const struct row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const double *dipole = self->relaxed.dipole;
    if (!self->relaxed.complete) return;
    fprintf(
        out,
        "\nFrom the relaxed density of %sMP2; the dipole moment, charges and orbitals above are of "
        "the SCF\n  Dipole moment, e bohr %14.8f %14.8f %14.8f\n",
        is_scaled(quantity) ? "SCS-" : "", dipole[0], dipole[1], dipole[2]);
    hf_print_properties(out, of->molecule, &self->relaxed,
                        hf_options_value(of->options, "properties") == HF_PROPERTIES_ALL);
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct row *self = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    const char *name = quantity->of->correlation == NULL ? ""
                       : is_scaled(quantity)             ? " of the SCS-MP2 energy"
                                                         : " of the MP2 energy";
    fprintf(out, "\nGradient%s, hartree/bohr\n  %5s %4s %14s %14s %14s\n", name, "Atom", "", "x",
            "y", "z");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        fprintf(out, "  %5d  %c%-2s", i + 1, atom->ghost ? '@' : ' ',
                hf_element_symbol(atom->atomic_number));
        print_slope(out, self->gradient.atom[i]);
    }
    for (int c = 0; c < self->gradient.n_charge && c < MOST_CHARGES; c++) {
        if (c == 0) fprintf(out, "  Point charge\n");
        fprintf(out, "  %5d     ", c + 1);
        print_slope(out, self->gradient.charge[c]);
    }
    if (self->gradient.n_charge > MOST_CHARGES)
        fprintf(out, "  those of %d more charges are in the JSON file\n",
                self->gradient.n_charge - MOST_CHARGES);
    if (quantity->of->correlation != NULL)
        fprintf(out, "  Relaxation of the orbitals: %d products of the Hessian\n",
                self->density.n_product);
    print_sums(self, quantity->of, out);
    if (self->lost.message[0] != '\0')
        fprintf(out, "  WARNING: the checkpoint is without the gradient: %s\n", self->lost.message);
    if (quantity->of->correlation != NULL) report_relaxed(quantity, out);
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct row *self = quantity->self;
    const int n = 3 * self->gradient.n_atom, n_charge = 3 * self->gradient.n_charge;
    static const char unit[] = "hartree/bohr", each[] = "x, y, z of each atom";
    const struct hf_json to = hf_json_object(all->extras, "gradient", "derivatives of the energy");
    const bool correlated = quantity->of->correlation != NULL;
    if (HF_ANY(to, !correlated))
        HF_PUT_ALL(all->properties, "scf_total_gradient", n, self->gradient.atom[0], unit, each);
    if (HF_ANY(to, correlated))
        HF_PUT_ALL(all->properties, "return_gradient", n, self->gradient.atom[0], unit,
                   "of `return_energy`, with MP2");
    if (HF_ANY(to, correlated && self->relaxed.complete)) {
        const struct hf_json relaxed = hf_json_object(all->extras, "relaxed_density",
                                                      "properties of the relaxed density of MP2");
        if (HF_ANY(relaxed, !is_scaled(quantity)))
            HF_PUT_ALL(all->properties, "mp2_dipole_moment", 3, self->relaxed.dipole, "e bohr",
                       "of the relaxed density, about the origin; not with `--scs`");
        HF_PUT(relaxed, "density", is_scaled(quantity) ? "relaxed SCS-MP2" : "relaxed MP2", NULL,
               "density of these numbers");
        hf_put_properties(relaxed, quantity->of->molecule, &self->relaxed);
    }
    if (HF_ANY(to, all->returned))
        HF_PUT_ALL(all->result, "return_result", n, self->gradient.atom[0], unit, "task gradient");
    if (HF_ANY(to, correlated)) {
        HF_PUT(to, "z_vector_converged", self->density.converged, NULL,
               "of MP2; if it did not, the run has failed");
        HF_PUT(to, "z_vector_products", self->density.n_product, NULL,
               "products of the Hessian for it");
    }
    HF_PUT_ALL(to, "sum", 3, self->sum, unit, "over atoms and point charges");
    HF_PUT_ALL(to, "torque", 3, self->torque, "hartree", "sum of R x dE/dR");
    if (HF_ANY(to, n_charge > 0))
        HF_PUT_ALL(to, "point_charges", n_charge, self->gradient.charge[0], unit,
                   "x, y, z of each");
}

static void done(struct hf_quantity *quantity)
{
    struct row *self = quantity->self;
    hf_gradient_done(&self->gradient);
    hf_properties_done(&self->relaxed);
}

const struct hf_phase *const hf_gradient_phases[] = {
    &hf_phase_gradient_one_electron, &hf_phase_gradient_coulomb,   &hf_phase_gradient_quartets,
    &hf_phase_gradient_wait_blocks,  &hf_phase_gradient_wait_task, &hf_phase_gradient_wait_ranks,
    &hf_phase_gradient_reduce,       &hf_phase_relaxation,         NULL};

const struct hf_quantity_ops hf_quantity_gradient = {
    .name = "gradient",
    .of_converged = true,
    .weighted_density = true,
    .needs = HF_WAVEFUNCTION_DENSITIES,
    .commutator_tolerance = COMMUTATOR_TOLERANCE,
    .phases = hf_gradient_phases,
    .size = sizeof(struct row),
    .doing = "Gradient",
    .plan = plan,
    .memory = memory,
    .peak = peak,
    .compute = compute,
    .relaxed = relaxed,
    .report = report,
    .json = put_json,
    .release = release,
    .done = done,
};
