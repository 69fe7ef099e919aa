/* The row of local MP2 in the list of quantities: options and memory. */
#include "local/local_row.h"

#include "base/arithmetic.h"
#include "checkpoint/checkpoint.h"
#include "localise/frozen_core.h"
#include "orbitals/orbitals.h"

#include <math.h>
#include <string.h>

/** What changes an amplitude by this much changes energies by less than a tenth of it. */
static const double AMPLITUDES_TO_ENERGY = 10.0;

static hf_status check(const struct hf_quantity_source *of, struct hf_error *error)
{
    if (of->settings->smearing > 0.0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: local MP2 needs whole occupations; expected no smearing",
                       hf_options_given(of->options, "smearing")->where);
    return HF_OK;
}

/** Domains of the checkpoint that the calculation continues, if it has them for these orbitals. */
static hf_status plan_restart(const struct hf_quantity_source *of, struct hf_local_row *self,
                              struct hf_error *error)
{
    if (of->context->rank != 0) return HF_OK;
    const hf_status status =
        hf_local_given_restart(of->restart, of->molecule->n_atom, &self->given, error);
    if (self->given.n_orbital != self->n_electron_pair - self->settings.n_frozen)
        hf_local_given_done(&self->given);
    return status;
}

/** Whether the user gives an option now. */
static bool is_given(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    return given != NULL && given->level >= HF_OPTION_FILE;
}

/** Domains: a kind, or a file, which rank 0 reads to check it. */
static hf_status plan_domains(const struct hf_quantity_source *of, struct hf_local_row *self,
                              struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(of->options, "domains");
    hf_status status = HF_OK;
    self->domains = hf_options_text(of->options, "domains");
    if (strchr(self->domains, '.') == NULL && strchr(self->domains, '/') == NULL) {
        self->settings.domains = (enum hf_local_domains)hf_options_value(of->options, "domains");
        return given == NULL && of->restart != NULL ? plan_restart(of, self, error) : HF_OK;
    }
    self->settings.domains =
        HF_DOMAINS_GIVEN; /* read now: the file may be replaced by the checkpoint */
    if (of->context->rank == 0) {
        struct hf_error reason;
        status = hf_local_given_read(self->domains, of->molecule->n_atom, &self->given, &reason);
        if (status != HF_OK)
            (void)hf_fail(error, status, "%s: %.800s", given->where, reason.message);
    }
    return status;
}

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_options *options = of->options;
    struct hf_local_row *self = quantity->self;
    struct hf_local_settings *settings = &self->settings;
    struct hf_spin_count n;
    HF_CHECK(check(of, error));
    HF_CHECK(hf_spin_count_of(of->molecule, &n, error));
    self->n_electron_pair = n.alpha;
    const struct hf_local_settings usual = hf_local_default_settings();
    settings->redundant = usual.redundant;
    settings->localise = (enum hf_localise_kind)hf_options_value(options, "localise");
    settings->sparse = 0.1 * settings->threshold;
    settings->energy_tolerance = hf_options_real(options, "energy_tolerance");
    settings->amplitude_tolerance = AMPLITUDES_TO_ENERGY * settings->energy_tolerance;
    settings->max_iterations = hf_options_integer(options, "max_iterations");
    settings->schedule = of->settings->fock.schedule;
    settings->onesided = of->settings->fock.onesided;
    settings->n_thread = of->settings->fock.n_thread;
    quantity->pair_accuracy = hf_local_pair_accuracy(settings);
    HF_CHECK(hf_frozen_core_read(options, of->molecule, n.alpha, &settings->n_frozen, error));
    if (settings->n_frozen >= n.alpha)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: no orbital is left to correlate: all %d occupied orbitals are frozen "
                       "core; expected --frozen-core none",
                       hf_options_given(options, "method")->where, n.alpha);
    HF_CHECK(plan_domains(of, self, error));
    if (is_given(options, "correction_bonds") || is_given(options, "correction_distance"))
        self->given.has_outer = false;
    return HF_OK;
}

/** An estimate, and its refusal: domains are not known before there are orbitals. */
static hf_status peak(struct hf_quantity *quantity, double *bytes, struct hf_error *error)
{
    const struct hf_local_row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const double given = of->settings->fock.memory_bytes; /* later that of the stored integrals */
    HF_CHECK(hf_local_expected_bytes(of->molecule, of->basis, &self->settings,
                                     self->n_electron_pair - self->settings.n_frozen, of->context,
                                     bytes, error));
    if (given == 0.0 || *bytes <= given) return HF_OK;
    const double megabytes = ceil(1e-6 * *bytes);
    return hf_fail(error, HF_NO_RESOURCE,
                   "local MP2 needs about %.0f MB per rank and may take %.0f MB; expected --memory "
                   "'%.0f MB' or more, or more ranks",
                   megabytes, 1e-6 * given, megabytes);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    struct hf_local_row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    HF_CHECK(hf_local_given_share(of->context, &self->given, error));
    if (self->given.n_orbital > 0) {
        if (self->settings.domains != HF_DOMAINS_GIVEN) self->domains = of->restart->path;
        self->settings.domains = HF_DOMAINS_GIVEN;
        self->settings.given = &self->given;
    }
    self->settings.orbital_tolerance = of->settings->commutator_tolerance;
    self->settings.checkpoint = of->checkpoint;
    self->settings.checkpoint_always = of->checkpoint_given;
    self->settings.restart = of->restart;
    self->settings.pairs = of->pairs;
    HF_CHECK(
        hf_local_mp2_compute(of->context, of->wavefunction, &self->settings, &self->result, error));
    if (!self->result.converged)
        return hf_fail(error, HF_NOT_CONVERGED,
                       "local MP2 did not converge in %d iterations: the last one changed the "
                       "energy by %.1e hartree",
                       self->result.n_iteration, fabs(self->result.energy_change));
    return HF_OK;
}

static double energy(const struct hf_quantity *quantity)
{
    const struct hf_local_row *self = quantity->self;
    return quantity->of->result->energy + self->result.correlation;
}

static void done(struct hf_quantity *quantity)
{
    struct hf_local_row *self = quantity->self;
    hf_local_result_done(&self->result);
    hf_local_given_done(&self->given);
}

static const struct hf_phase *const phases[] = {
    &hf_phase_localise,         &hf_phase_local_domains,  &hf_phase_local_transform,
    &hf_phase_local_wait_tasks, &hf_phase_local_exchange, &hf_phase_local_finish,
    &hf_phase_local_iterate,    &hf_phase_local_wait,     NULL};

static const struct hf_option_choice domain_choices[] = {
    {"plain", "98 % of each orbital", HF_DOMAINS_PLAIN},
    {"default", "as plain; for pairs of near orbitals also the atoms bonded to these",
     HF_DOMAINS_DEFAULT},
    {"tight", "99.5 % of each orbital, and the atoms bonded to these, for all pairs",
     HF_DOMAINS_TIGHT},
    {"full", "all atoms, which is MP2 if no pair is distant", HF_DOMAINS_FULL},
    {0}};

#define OF_LOCAL          .only_with = {{"method", "lmp2"}}
#define IN_SETTINGS(NAME) .member = HF_MEMBER(struct hf_local_row, settings.NAME)
const struct hf_option hf_options_local_mp2[] = {
    HF_ROW_CHOICE("domains", "NAME|FILE", "default", "atoms that local MP2 excites an orbital to",
                  .more =
                      "FILE is a checkpoint or JSON file of hf with local MP2 of the same atoms, "
                      "at the same or other places: with its domains a scan of geometries has a "
                      "smooth curve. A restart keeps the domains of its checkpoint.",
                  .choice = domain_choices, .or_path = true, OF_LOCAL),
    HF_ROW_REAL("domain_completeness", "0", NULL, 0, 1,
                "part of an orbital that its domain may lack",
                .more = "In the squared norm of the difference. 0: 0.02, for domains tight 0.005.",
                OF_LOCAL, IN_SETTINGS(completeness),
                .not_with = {{"domains", "full"}, {"domains", "FILE"}}),
    HF_ROW_INTEGER("correction_bonds", "1", 0, 9,
                   "bonds from the domain of a pair to atoms that local MP2 corrects for",
                   .more = "Excitations to these are added to first order. 0: no correction.",
                   OF_LOCAL, IN_SETTINGS(correction_bonds), .not_with = {{"domains", "full"}}),
    HF_ROW_REAL("correction_distance", "6", "bohr", 0, 1e9,
                "atoms nearer to a plain domain are corrected for, too",
                .more = "Strong pairs alone. Atoms of other molecules are included: local MP2 then "
                        "has the superposition error of MP2.",
                OF_LOCAL, IN_SETTINGS(correction_bohr),
                .not_with = {{"domains", "full"}, {"correction_bonds", "0"}}),
    HF_ROW_REAL("strong_distance", "6", "bohr", 0, 1e9,
                "pairs of orbitals that are nearer have larger domains in local MP2",
                .more = "Between the nearest atoms of their domains; 0: they share an atom.",
                OF_LOCAL, IN_SETTINGS(strong_bohr)),
    HF_ROW_REAL("pair_distance", "15", "bohr", 0, 1e9,
                "pairs of orbitals that are farther apart are treated as dipoles by local MP2",
                .more = "Between the nearest atoms of their domains.", OF_LOCAL,
                IN_SETTINGS(distant_bohr)),
    HF_ROW_REAL("local_screening", "1e-9", "hartree", 1e-30, 0.01,
                "smaller integrals are left out at each step of the transformation of local MP2",
                OF_LOCAL, IN_SETTINGS(threshold)),
    HF_ROW_FLAG(
        "replicate_amplitudes", "keep the amplitudes of local MP2 on every rank",
        .more = "Otherwise each rank has those of its pairs and gets others when it needs them.",
        OF_LOCAL, IN_SETTINGS(replicated)),
    {0}};

const struct hf_quantity_ops hf_quantity_local_mp2 = {
    .name = "local MP2",
    .options = hf_options_local_mp2,
    .of_converged = true,
    .commutator_tolerance = 1e-8, /* as MP2 */
    .needs = HF_WAVEFUNCTION_ALL,
    .phases = phases,
    .size = sizeof(struct hf_local_row),
    .doing = "local MP2",
    .plan = plan,
    .peak = peak,
    .compute = compute,
    .energy = energy,
    .report = hf_local_report,
    .json = hf_local_put_json,
    .done = done,
};
