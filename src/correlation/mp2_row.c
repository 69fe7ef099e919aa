/* The row of MP2 in the list of quantities: its options, report and part of the JSON file. */
#include "base/memory_limits.h"
#include "correlation/mp2_derivatives.h"
#include "localise/frozen_core.h"
#include "mp2_private.h"
#include "orbitals/orbitals.h"
#include "pairs/common_pairs.h"
#include "scf/quantity.h"

#include <math.h>
#include <string.h>

/** If the gap between core and valence orbitals is smaller, their energies do not distinguish them (hartree). */
static const double LEAST_GAP = 0.5;

/** Factors of opposite and same spin: S. Grimme, J. Chem. Phys. 118, 9095 (2003). */
static const double SCS_OPPOSITE = 6.0 / 5.0, SCS_SAME = 1.0 / 3.0;

struct mp2 {
    struct hf_mp2_settings settings;
    struct hf_mp2_result result;
    struct hf_mp2_derivatives derivatives;
    bool differentiates; /**< the energy has derivatives; then that of --scs is the energy */
    bool scaled;         /**< it is spin-component scaled */
    struct hf_spin_count n_electron;
    double given_bytes; /**< value of --memory; 0: not given */
    struct hf_mp2_gaps gaps;
};

static double scs_energy(const struct hf_mp2_result *result)
{
    return SCS_OPPOSITE * result->opposite_spin + SCS_SAME * result->same_spin;
}

/** Tasks that need derivatives of the energy. */
static bool is_differentiated(const struct hf_options *options)
{
    return hf_options_include(options, "task", "gradient") ||
           hf_options_include(options, "task", "optimise") ||
           hf_options_include(options, "task", "vibrations") ||
           hf_options_given(options, "serve") != NULL;
}

static bool is_open(const struct hf_quantity *quantity)
{
    return strcmp(quantity->of->settings->method, "rhf") != 0;
}

/** Chooses an algorithm with the same bits for any number of ranks; "auto" is replaced, because it chooses by that
 *  number. */
static hf_status make_reproducible(const struct hf_options *options, const char **algorithm,
                                   struct hf_error *error)
{
    if (hf_options_given(options, "mp2_algorithm") == NULL) *algorithm = "kets";
    if (hf_mp2_algorithm_reproducible(hf_mp2_algorithm_find(*algorithm))) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%s: %s is not reproducible; expected kets or pairs, or no --reproducible",
                   hf_options_given(options, "mp2_algorithm")->where, *algorithm);
}

/** Checks the algorithm of an energy with derivatives, which is kets. */
static hf_status check_derivatives(const struct hf_options *options, const char *algorithm,
                                   struct hf_error *error)
{
    if (strcmp(algorithm, "auto") == 0 || strcmp(algorithm, "kets") == 0) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%s: %s computes no derivatives of MP2 energies; expected kets or auto",
                   hf_options_given(options, "mp2_algorithm")->where, algorithm);
}

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    struct mp2 *self = quantity->self;
    const struct hf_scf_settings *scf = of->settings;
    HF_CHECK(hf_spin_count_of(of->molecule, &self->n_electron, error));
    if (scf->smearing > 0.0)
        return hf_fail(error, HF_BAD_INPUT, "%s: MP2 needs whole occupations; expected no smearing",
                       hf_options_given(of->options, "smearing")->where);
    if (scf->fock.reproducible)
        HF_CHECK(make_reproducible(of->options, &self->settings.algorithm, error));
    self->settings.schedule = scf->fock.schedule;
    self->settings.onesided = scf->fock.onesided;
    self->settings.n_thread = scf->fock.n_thread;
    self->settings.tasks_for = scf->fock.tasks_for;
    self->settings.threshold = scf->screening_threshold;
    self->settings.memory_bytes = INFINITY;
    quantity->pair_accuracy = hf_mp2_pair_accuracy(&self->settings);
    self->differentiates = is_differentiated(of->options);
    self->settings.one_batch = self->differentiates && scf->fock.reproducible;
    if (self->differentiates)
        HF_CHECK(check_derivatives(of->options, self->settings.algorithm, error));
    self->scaled = self->differentiates && hf_options_flag(of->options, "scs");
    self->derivatives.opposite = self->scaled ? SCS_OPPOSITE : 1.0;
    self->derivatives.same = self->scaled ? SCS_SAME : 1.0;
    self->settings.derivatives = self->differentiates ? &self->derivatives : NULL;
    const int n_virtual = of->basis->n_function - self->n_electron.alpha;
    if (self->settings.n_frozen_virtual > 0 && self->settings.n_frozen_virtual >= n_virtual)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: %d frozen virtual orbitals; expected fewer than the %d there are",
                       hf_options_given(of->options, "frozen_virtuals")->where,
                       self->settings.n_frozen_virtual, n_virtual);
    return hf_frozen_core_read(of->options, of->molecule, self->n_electron.alpha,
                               &self->settings.n_frozen, error);
}

double hf_mp2_memory_limit(const struct hf_context *context, double given)
{
    struct hf_memory_limits limits;
    if (given > 0.0) return given;
    hf_memory_limits_find("", &limits);
    const int n_rank = context->n_node_rank + context->n_beside;
    return HF_SAFE_SHARE * hf_memory_of_rank(&limits, n_rank, n_rank);
}

struct hf_mp2_need hf_mp2_foresee(const struct hf_mp2_foresight *of, double memory_bytes)
{
    const int n = of->n_function;
    int most = 1;
    for (int s = 0; s < of->shells->n_shell; s++)
        if (of->shells->shell[s].n_function > most) most = of->shells->shell[s].n_function;
    struct hf_mp2_size size = {.n_function = n,
                               .n_rank = of->n_rank,
                               .n_thread = of->n_thread,
                               .most_functions = most * most,
                               .most_shell = most,
                               .n_row = 0.5 * n * (n + (double)most),
                               .n_spin = of->n_spin,
                               .one_batch = of->one_batch,
                               .integrals = of->integrals};
    for (int spin = 0; spin < of->n_spin; spin++) {
        const int o = of->n_electron[spin], v = n - o - of->n_frozen_virtual;
        size.n_correlated[spin] = o > of->n_frozen ? o - of->n_frozen : 0;
        size.n_virtual[spin] = v > 0 ? v : 0;
        if (of->integrals) {
            size.n_virtual[spin] += size.n_correlated[spin];
            size.n_correlated[spin] = spin == 0 ? size.n_virtual[spin] : 0;
        }
    }
    return of->differentiated ? hf_mp2_plan_derivatives(&size, memory_bytes)
                              : hf_mp2_plan(of->algorithm, &size, memory_bytes);
}

/** For published functions in the shells that are computed. */
static hf_status peak(struct hf_quantity *quantity, double *bytes, struct hf_error *error)
{
    struct mp2 *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_mp2_foresight foresight = {
        .shells = hf_common_pairs_merged(of->pairs),
        .n_function = of->basis->n_function,
        .n_rank = of->context->n_rank,
        .n_thread = self->settings.n_thread,
        .n_spin = is_open(quantity) ? 2 : 1,
        .n_electron = {self->n_electron.alpha, self->n_electron.beta},
        .n_frozen = self->settings.n_frozen,
        .n_frozen_virtual = self->settings.n_frozen_virtual,
        .algorithm = self->settings.algorithm,
        .one_batch = self->settings.one_batch,
        .differentiated = self->differentiates,
    };
    /* changed later to the memory of the stored integrals */
    self->given_bytes = of->settings->fock.memory_bytes;
    const double limit = hf_mp2_memory_limit(of->context, self->given_bytes);
    const struct hf_mp2_need need = hf_mp2_foresee(&foresight, limit);
    self->settings.memory_bytes = limit;
    *bytes = need.rank;
    return need.n_batch > 0 ? HF_OK : hf_mp2_refuse(&need, limit, error);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    struct mp2 *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_wavefunction *wavefunction = of->wavefunction;
    self->settings.memory_bytes = hf_mp2_memory_limit(of->context, self->given_bytes);
    self->settings.pairs = of->pairs;
    self->gaps = hf_mp2_find_gaps(wavefunction, &self->settings);
    struct hf_mp2_settings settings = self->settings;
    if (!hf_options_include(of->options, "task", "gradient") &&
        !hf_options_include(of->options, "task", "optimise"))
        settings.derivatives = NULL; /* points of a surface have their own */
    HF_CHECK(hf_mp2_compute(of->context, wavefunction, &settings, &self->result, error));
    self->derivatives.energy = self->scaled ? scs_energy(&self->result) : self->result.correlation;
    return HF_OK;
}

static double energy(const struct hf_quantity *quantity)
{
    const struct mp2 *self = quantity->self;
    return quantity->of->result->energy + self->derivatives.energy;
}

static const struct hf_mp2_settings *correlation(const struct hf_quantity *quantity)
{
    const struct mp2 *self = quantity->self;
    return self->differentiates ? &self->settings : NULL;
}

static void done(struct hf_quantity *quantity)
{
    struct mp2 *self = quantity->self;
    hf_mp2_derivatives_done(&self->derivatives);
}

static void print_energy(FILE *out, const char *name, double value)
{
    fprintf(out, "  %-23s%20.10f hartree\n", name, value);
}

static void print_algorithm(FILE *out, const struct hf_mp2_result *result)
{
    fprintf(out, "  %-23s %s: %s\n", "Algorithm", result->algorithm,
            hf_mp2_algorithm_about(hf_mp2_algorithm_find(result->algorithm)));
    if (result->model_seconds > 0.0)
        fprintf(out, "  %-23s a model expects %.2g s, and %.2g s of the alternative\n", "Choice",
                result->model_seconds, result->model_instead_seconds);
}

/** Explains an energy of 0 if no two electrons are correlated. */
static void print_no_pair(const struct hf_quantity *quantity, FILE *out)
{
    const struct mp2 *self = quantity->self;
    const int alpha = self->result.n_correlated[0];
    const int beta = is_open(quantity) ? self->result.n_correlated[1] : alpha;
    if (alpha + beta >= 2) return;
    fprintf(out, "  Note: no two electrons are correlated%s\n",
            self->settings.n_frozen > 0
                ? ", because the others are frozen core; --frozen-core none correlates all"
                : "");
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct mp2 *self = quantity->self;
    const struct hf_mp2_result *result = &self->result;
    const int n = self->settings.n_frozen;
    fprintf(out, "\nMP2 energies\n  %-23s ", "Correlated orbitals");
    fprintf(out, "%d occupied, %d virtual", result->n_correlated[0], result->n_virtual[0]);
    if (is_open(quantity))
        fprintf(out, " (alpha); %d and %d (beta)", result->n_correlated[1], result->n_virtual[1]);
    fprintf(out, "\n  %-23s %d core orbitals (--frozen-core), %d virtual\n", "Frozen orbitals", n,
            self->settings.n_frozen_virtual);
    print_no_pair(quantity, out);
    if (fmin(self->gaps.core, self->gaps.virtuals) < HF_MP2_DEGENERATE)
        fprintf(out,
                "  WARNING: a frozen orbital has the energy of a correlated one: the MP2 energy "
                "depends on the choice;\n  try another number of frozen orbitals.\n");
    else if (self->gaps.core < LEAST_GAP)
        fprintf(
            out,
            "  WARNING: the highest frozen orbital is only %.2f hartree below the lowest "
            "correlated one:\n  frozen orbitals may not be core orbitals; try --frozen-core N.\n",
            self->gaps.core);
    print_energy(out, "Opposite-spin energy", result->opposite_spin);
    print_energy(out, "Same-spin energy", result->same_spin);
    print_energy(out, "Correlation energy", result->correlation);
    print_energy(out, "MP2 total energy", quantity->of->result->energy + result->correlation);
    if (hf_options_flag(quantity->of->options, "scs"))
        print_energy(out, "SCS-MP2 total energy",
                     quantity->of->result->energy + scs_energy(result));
    print_algorithm(out, result);
    fprintf(out, "  %-23s %d batch%s of orbitals, %.1f MB per rank, %.1f MB sent\n", "Integrals",
            result->n_batch, result->n_batch == 1 ? "" : "es", 1e-6 * result->bytes,
            1e-6 * result->sent_bytes);
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct mp2 *self = quantity->self;
    const struct hf_mp2_result *result = &self->result;
    const double both = result->correlation, scs = scs_energy(result);
    struct hf_json to = all->properties;
    HF_PUT(to, "mp2_same_spin_correlation_energy", result->same_spin, "hartree",
           "pairs of the same spin");
    HF_PUT(to, "mp2_opposite_spin_correlation_energy", result->opposite_spin, "hartree",
           "pairs of opposite spin");
    HF_PUT(to, "mp2_singles_energy", 0.0, "hartree", "always 0");
    HF_PUT(to, "mp2_doubles_energy", both, "hartree", "of all pairs");
    HF_PUT(to, "mp2_correlation_energy", both, "hartree", "of all pairs");
    HF_PUT(to, "mp2_total_energy", quantity->of->result->energy + both, "hartree",
           "energy of SCF and correlation, not scaled");
    to = hf_json_object(all->extras, "mp2", "method mp2 and ump2");
    HF_PUT(to, "frozen_core_orbitals", self->settings.n_frozen, NULL, "occupied, not correlated");
    HF_PUT(to, "frozen_virtual_orbitals", self->settings.n_frozen_virtual, NULL,
           "virtual orbitals that were left out");
    HF_PUT(to, "scs_correlation_energy", scs, "hartree", "spin-component scaled");
    HF_PUT(to, "scs_total_energy", quantity->of->result->energy + scs, "hartree",
           "spin-component scaled, with the energy of the SCF");
    HF_PUT(to, "algorithm", result->algorithm, NULL, "`--mp2-algorithm`");
    HF_PUT(to, "batches", result->n_batch, NULL, "batches of orbitals");
    HF_PUT(to, "shells", result->n_shell, NULL, "shells in which integrals are computed");
    HF_PUT(to, "correlated_orbitals", result->n_correlated[0], NULL,
           "correlated occupied orbitals of alpha spin");
    HF_PUT(to, "virtual_orbitals", result->n_virtual[0], NULL, "virtual orbitals of alpha spin");
    HF_PUT(to, "stored_bytes", result->bytes, "bytes", "integrals of the rank with the most");
    HF_PUT(to, "sent_bytes", result->sent_bytes, "bytes", "sent by all ranks");
    HF_PUT(to, "quartets_computed", result->n_quartet, NULL, "shell quartets, of all ranks");
    HF_PUT(to, "first_half_flops", result->n_flop[0], NULL, "operations of matrix products");
    HF_PUT(to, "first_half_product_seconds", result->cpu_seconds[0], "s",
           "time of matrix products, all threads");
    HF_PUT(to, "second_half_flops", result->n_flop[1], NULL, "operations of matrix products");
    HF_PUT(to, "second_half_product_seconds", result->cpu_seconds[1], "s",
           "time of matrix products, all threads");
    HF_PUT(to, "second_pass_flops", result->n_flop[2], NULL,
           "operations of matrix products for derivatives");
    HF_PUT(to, "second_pass_product_seconds", result->cpu_seconds[2], "s",
           "time of these matrix products, all threads");
    HF_PUT(to, "second_pass_integral_seconds", result->integral_seconds, "s",
           "time of integrals for derivatives, all threads");
    HF_PUT(to, "second_pass_derivative_seconds", result->derivative_seconds, "s",
           "time of derivatives of integrals, all threads");
}

static const struct hf_phase *const phases[] = {&hf_phase_mp2_first,
                                                &hf_phase_mp2_wait,
                                                &hf_phase_mp2_exchange,
                                                &hf_phase_mp2_second,
                                                &hf_phase_mp2_amplitudes,
                                                &hf_phase_mp2_derivatives,
                                                NULL};

HF_OPTION_CHOICES(hf_mp2_algorithm_list, hf_mp2_algorithm_name, hf_mp2_algorithm_about)

#define IN_SELF(NAME) .member = HF_MEMBER(struct mp2, NAME)
const struct hf_option hf_options_mp2[] = {
    HF_ROW_INTEGER("frozen_virtuals", "0", 0, 1000000,
                   "highest virtual orbitals that MP2 and FCIDUMP files leave out",
                   .only_with = {{"method", "mp2"}, {"method", "ump2"}, {"fcidump", NULL}},
                   IN_SELF(settings.n_frozen_virtual)),
    HF_ROW_CHOICE("mp2_algorithm", "NAME", "auto", "how MP2 transforms the integrals",
                  .list = hf_mp2_algorithm_list_choice,
                  .only_with = {{"method", "mp2"}, {"method", "ump2"}},
                  IN_SELF(settings.algorithm)),
    HF_ROW_FLAG("scs", "also report the spin-component scaled MP2 energy",
                .more = "Opposite spins count 6/5, same spins 1/3 (Grimme 2003).",
                .only_with = {{"method", "mp2"}, {"method", "lmp2"}, {"method", "ump2"}}),
    {0}};

const struct hf_quantity_ops hf_quantity_mp2 = {
    .name = "MP2",
    .options = hf_options_mp2,
    .of_converged = true,
    .commutator_tolerance = 1e-8, /* errors for uracil and benzene: 5e-10 hartree; 9e-9 with 1e-7 */
    .needs = HF_WAVEFUNCTION_ALL,
    .phases = phases,
    .size = sizeof(struct mp2),
    .doing = "MP2",
    .plan = plan,
    .peak = peak,
    .compute = compute,
    .energy = energy,
    .correlation = correlation,
    .report = report,
    .json = put_json,
    .done = done,
};
