/* FCIDUMP files: integrals of the canonical orbitals that are neither frozen core nor frozen virtual orbitals.
 *
 *     H = E_core + sum_pq h_pq a+_p a_q + 1/2 sum_pqrs (pq|rs) a+_p a+_r a_s a_q      a line: value p q r s; p q 0 0; 0 0 0 0
 *
 * h contains the field of the frozen electrons: h = F - J + K with J and K of the other occupied orbitals, whose integrals are
 * in the file, and F known from the orbital energies. So it needs neither a Fock build nor the Hamiltonian. E_core is what
 * the energy of these orbitals lacks to that of the SCF.
 * ROHF: diagonal blocks of (F_alpha + F_beta)/2 are those of the orbital energies; F_beta between doubly and singly
 * occupied orbitals, F_alpha between these and virtual ones, and (F_alpha + F_beta)/2 between the others are zero.
 *
 * Rank 0 receives the integrals in rising order, orbital by orbital, and writes them at once. It holds four matrices.
 *
 * Of UHF there are two dialects:
 *     psi4      UHF=.TRUE., NORB counts spin orbitals: alpha p is 2p - 1, beta p is 2p
 *     molpro    IUHF=1, NORB counts orbitals of a spin: (alpha alpha|alpha alpha), (beta beta|beta beta), (alpha alpha|beta
 *               beta), h of alpha, h of beta, each ended by a line of zeros; then E_core
 * Source: Knowles, Handy, Comput. Phys. Commun. 54, 75 (1989). */
#include "orbital_file.h"

#include "correlation/mp2_derivatives.h"
#include "hf/interruption.h"
#include "localise/frozen_core.h"
#include "orbitals/orbitals.h"
#include "pairs/common_pairs.h"

#include <math.h>
#include <string.h>

enum dialect { PSI4, MOLPRO };

struct fcidump {
    struct hf_mp2_settings settings;
    struct hf_orbital_integrals integrals; /**< what comes now */
    double threshold;
    enum dialect dialect;
    int n_set; /**< of orbitals: 2 in UHF */
    struct hf_spin_count n;
    int n_electron[2], n_orbital; /**< active, of each spin */
    double given_bytes, core_energy;
    int64_t n_written;
    int n_batch; /**< passes over all integrals of basis functions */
    struct hf_output_file file;
    const struct hf_wavefunction *wavefunction;
    struct hf_interruption *interruption;
    /** on rank 0, [n_orbital][n_orbital], p >= q: J of each set, K of each spin, of active occupied orbitals */
    double *coulomb[2], *exchange[2];
    struct hf_arena arena;
};

/* ---- What can be written --------------------------------------------------------------------- */

/** Counts active orbitals and electrons; without functions that the SCF may remove. */
static hf_status count(struct fcidump *self, int n_orbital, struct hf_error *error)
{
    const int frozen = self->settings.n_frozen, n_virtual = n_orbital - self->n.alpha;
    if (frozen > self->n.beta || frozen >= self->n.alpha)
        return hf_fail(error, HF_BAD_INPUT,
                       "%d frozen core orbitals leave no electron; expected --frozen-core none or "
                       "fewer",
                       frozen);
    if (self->settings.n_frozen_virtual > n_virtual)
        return hf_fail(error, HF_BAD_INPUT,
                       "%d frozen virtual orbitals; expected at most the %d there are",
                       self->settings.n_frozen_virtual, n_virtual);
    self->n_electron[0] = self->n.alpha - frozen;
    self->n_electron[1] = self->n.beta - frozen;
    self->n_orbital = n_orbital - frozen - self->settings.n_frozen_virtual;
    return HF_OK;
}

static hf_status plan_file(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_scf_settings *scf = of->settings;
    struct fcidump *self = quantity->self;
    HF_CHECK(hf_spin_count_of(of->molecule, &self->n, error));
    self->arena = (struct hf_arena){
        .memory = of->context->memory, .kind = HF_MEMORY_MATRIX, .label = "the FCIDUMP file"};
    self->n_set = strcmp(scf->method, "uhf") == 0 ? 2 : 1;
    if (scf->smearing > 0.0)
        return hf_fail(error, HF_BAD_INPUT, "needs whole occupations; expected no smearing");
    if (hf_options_given(of->options, "localise") != NULL &&
        strcmp(hf_options_choice(of->options, "localise"), "none") != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "the file has canonical orbitals; expected no --localise");
    if (self->n_set == 1 && hf_options_given(of->options, "fcidump_dialect") != NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "dialects differ for uhf only; expected no "
                       "--fcidump-dialect");
    self->settings = (struct hf_mp2_settings){
        .algorithm = "kets",
        .schedule = scf->fock.schedule,
        .onesided = scf->fock.onesided,
        .n_thread = scf->fock.n_thread,
        .tasks_for = scf->fock.tasks_for,
        .threshold = scf->screening_threshold,
        .n_frozen_virtual = hf_options_integer(of->options, "frozen_virtuals"),
        .integrals = &self->integrals,
    };
    quantity->pair_accuracy = hf_mp2_pair_accuracy(&self->settings);
    HF_CHECK(hf_frozen_core_read(of->options, of->molecule, self->n.alpha, &self->settings.n_frozen,
                                 error));
    return count(self, of->basis->n_function, error);
}

static hf_status peak(struct hf_quantity *quantity, double *bytes, struct hf_error *error)
{
    struct fcidump *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const double n = self->n_orbital,
                 own = of->context->rank == 0 ? 4.0 * sizeof(double) * n * n : 0.0;
    const struct hf_mp2_foresight foresight = {
        .shells = hf_common_pairs_merged(of->pairs),
        .n_function = of->basis->n_function,
        .n_rank = of->context->n_rank,
        .n_thread = self->settings.n_thread,
        .n_spin = self->n_set,
        .n_electron = {self->n.alpha, self->n.beta},
        .n_frozen = self->settings.n_frozen,
        .n_frozen_virtual = self->settings.n_frozen_virtual,
        .algorithm = self->settings.algorithm,
        .integrals = true,
    };
    /* changed later to the memory of the stored integrals */
    self->given_bytes = of->settings->fock.memory_bytes;
    const double limit = hf_mp2_memory_limit(of->context, self->given_bytes);
    const struct hf_mp2_need need = hf_mp2_foresee(&foresight, limit);
    *bytes = need.rank + own;
    return need.n_batch > 0 ? HF_OK : hf_mp2_refuse(&need, limit, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/** Number of an active orbital in the file. */
static int number_of(const struct fcidump *self, int set, int p)
{
    return self->n_set == 2 && self->dialect == PSI4 ? 2 * p + 1 + set : p + 1;
}

/** Writes (pq|rs), or with negative r h_pq, unless it is below the threshold. */
static void write_line(struct fcidump *self, double value, const int set[2], const int pq[2],
                       const int rs[2])
{
    int number[4] = {0};
    if (fabs(value) < self->threshold) return;
    for (int k = 0; k < 2; k++) {
        number[k] = number_of(self, set[0], pq[k]);
        if (rs != NULL) number[2 + k] = number_of(self, set[1], rs[k]);
    }
    hf_output_file_print(&self->file, "%24.16E %3d %3d %3d %3d\n", value, number[0], number[1],
                         number[2], number[3]);
    self->n_written++;
}

static void write_constant(struct fcidump *self, double value)
{
    hf_output_file_print(&self->file, "%24.16E   0   0   0   0\n", value);
}

/** Ends a part of the file if the dialect says so. */
static void end_part(struct fcidump *self)
{
    if (self->n_set == 2 && self->dialect == MOLPRO) write_constant(self, 0.0);
}

static void write_head(struct fcidump *self)
{
    const bool psi4 = self->dialect == PSI4;
    const int n = self->n_set == 2 && psi4 ? 2 * self->n_orbital : self->n_orbital;
    hf_output_file_print(&self->file, " &FCI NORB=%d,NELEC=%d,MS2=%d,\n  ORBSYM=", n,
                         self->n_electron[0] + self->n_electron[1],
                         self->n_electron[0] - self->n_electron[1]);
    for (int p = 0; p < n; p++) hf_output_file_print(&self->file, "1,");
    hf_output_file_print(&self->file, "\n  ISYM=1,\n%s &END\n",
                         self->n_set == 1 ? ""
                         : psi4           ? "  UHF=.TRUE.,\n"
                                          : "  IUHF=1,\n");
}

/* ---- Two electrons --------------------------------------------------------------------------- */

static size_t place_of(const struct fcidump *self, int p, int q)
{
    const size_t n = (size_t)self->n_orbital;
    return p > q ? (size_t)p * n + (size_t)q : (size_t)q * n + (size_t)p;
}

/** Number of electrons in an orbital of a set. */
static int electrons_in(const struct fcidump *self, int set, int p)
{
    if (self->n_set == 2) return p < self->n_electron[set];
    return (p < self->n_electron[0]) + (p < self->n_electron[1]);
}

/** Adds (pq|rs) to J_rs if p = q, and the other way round. */
static void add_coulomb(struct fcidump *self, double value, const int pq[2], const int rs[2])
{
    const int *set = self->integrals.spin;
    const bool same = set[0] == set[1] && pq[0] == rs[0] && pq[1] == rs[1];
    if (rs[0] == rs[1])
        self->coulomb[set[0]][place_of(self, pq[0], pq[1])] +=
            value * electrons_in(self, set[1], rs[0]);
    if (pq[0] == pq[1] && !same)
        self->coulomb[set[1]][place_of(self, rs[0], rs[1])] +=
            value * electrons_in(self, set[0], pq[0]);
}

/** Adds (pq|rs) to K of a spin, wherever one of p, q is one of r, s. */
static void add_exchange(struct fcidump *self, int spin, double value, const int pq[2],
                         const int rs[2])
{
    for (int k = 0; k < (pq[0] == pq[1] ? 1 : 2); k++)
        for (int l = 0; l < (rs[0] == rs[1] ? 1 : 2); l++)
            if (pq[k] == rs[l] && pq[k] < self->n_electron[spin])
                self->exchange[spin][place_of(self, pq[1 - k], rs[1 - l])] += value;
}

/** hf_orbital_integrals.take. After an interruption nothing is written: mpiexec would kill a rank that writes on, and the
 *  unfinished file would stay. */
static void take(void *data, int p, int r, size_t step, const double *values)
{
    struct fcidump *self = data;
    const int *set = self->integrals.spin;
    const bool alike = set[0] == set[1];
    if (hf_interruption_look(self->interruption, false) != 0) return;
    for (int q = 0; q <= p; q++)
        for (int s = 0; s <= (alike && r == p ? q : r); s++) {
            const double value = values[(size_t)q * step + (size_t)s];
            const int pq[2] = {p, q}, rs[2] = {r, s};
            write_line(self, value, set, pq, rs);
            add_coulomb(self, value, pq, rs);
            for (int spin = 0; spin < 2 && alike; spin++)
                if (self->n_set == 1 || spin == set[0]) add_exchange(self, spin, value, pq, rs);
        }
}

/** All integrals of two sets. Collective. */
static hf_status write_integrals(struct hf_quantity *quantity, int left, int right,
                                 struct hf_error *error)
{
    struct fcidump *self = quantity->self;
    struct hf_mp2_result result;
    self->integrals =
        (struct hf_orbital_integrals){.spin = {left, right}, .take = take, .data = self};
    HF_CHECK(
        hf_mp2_compute(quantity->of->context, self->wavefunction, &self->settings, &result, error));
    HF_CHECK(hf_agree_to_go_on(quantity->of->context, HF_OK, error)); /* take() looks, too */
    self->n_batch += result.n_batch;
    end_part(self);
    return HF_OK;
}

/* ---- One electron ---------------------------------------------------------------------------- */

/** h_pq of a set. */
static double core_of(const struct fcidump *self, int set, int p, int q)
{
    const struct hf_orbitals *orbitals = &self->wavefunction->spin[set];
    const size_t pq = place_of(self, p, q);
    const double fock = p == q ? orbitals->energy[self->settings.n_frozen + p] : 0.0;
    const double alpha = self->exchange[0][pq], beta = self->exchange[1][pq];
    const int in_p = electrons_in(self, set, p), in_q = electrons_in(self, set, q);
    double exchange = 0.5 * (alpha + beta);
    if (self->n_set == 2) exchange = set == 0 ? alpha : beta;
    /* of the singly occupied orbitals of ROHF and others */
    else if (in_p != in_q && (in_p == 1 || in_q == 1))
        exchange = in_p + in_q == 3 ? beta : alpha;
    return fock - self->coulomb[set][pq] + exchange;
}

/** Writes h and E_core from the sums of rank 0. */
static void write_core(struct fcidump *self, double energy)
{
    for (int set = 0; set < self->n_set; set++) {
        for (int p = 0; p < self->n_orbital; p++)
            for (int q = 0; q <= p; q++)
                write_line(self, core_of(self, set, p, q), (const int[2]){set, set},
                           (const int[2]){p, q}, NULL);
        end_part(self);
    }
    self->core_energy = energy;
    for (int spin = 0; spin < 2; spin++)
        for (int i = 0; i < self->n_electron[spin]; i++) {
            const int set = self->n_set == 2 ? spin : 0;
            const size_t ii = place_of(self, i, i);
            self->core_energy -= core_of(self, set, i, i) +
                                 0.5 * (self->coulomb[set][ii] - self->exchange[spin][ii]);
        }
    write_constant(self, self->core_energy);
}

/* ---- The file -------------------------------------------------------------------------------- */

static hf_status make_sums(struct fcidump *self, struct hf_error *error)
{
    const size_t n = (size_t)self->n_orbital;
    for (int k = 0; k < 2; k++) {
        HF_TAKE(&self->arena, self->coulomb[k], n * n);
        HF_TAKE(&self->arena, self->exchange[k], n * n);
    }
    return hf_arena_check(&self->arena, error);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    struct fcidump *self = quantity->self;
    struct hf_context *context = of->context;
    hf_status status = HF_OK;
    self->wavefunction = of->wavefunction;
    self->interruption = context->interruption;
    self->settings.pairs = of->pairs;
    self->settings.memory_bytes = hf_mp2_memory_limit(context, self->given_bytes);
    HF_CHECK(
        hf_agree(context->comm, count(self, of->wavefunction->spin[0].n_orbital, error), error));
    if (context->rank == 0) status = make_sums(self, error);
    HF_CHECK(hf_agree(context->comm, status, error));
    HF_CHECK(hf_output_file_open(context, quantity->ops->path(quantity, 0), quantity->ops->file,
                                 &self->file, error));
    write_head(self);
    for (int set = 0; set < self->n_set; set++)
        HF_CHECK(write_integrals(quantity, set, set, error));
    if (self->n_set == 2) HF_CHECK(write_integrals(quantity, 0, 1, error));
    if (context->rank == 0) write_core(self, of->result->energy);
    return HF_OK;
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct fcidump *self = quantity->self;
    fprintf(out, "\nFCIDUMP file\n  %-23s %d electrons in %d orbitals%s\n", "Active space",
            self->n_electron[0] + self->n_electron[1], self->n_orbital,
            self->n_set == 2 ? " of each spin" : "");
    fprintf(out, "  %-23s %d core orbitals (--frozen-core), %d virtual\n", "Frozen orbitals",
            self->settings.n_frozen, self->settings.n_frozen_virtual);
    fprintf(out, "  %-23s%20.10f hartree, with nuclei and frozen electrons\n", "Core energy",
            self->core_energy);
    fprintf(out, "  %-23s %lld of at least %.0e hartree", "Integrals", (long long)self->n_written,
            self->threshold);
    fprintf(out, self->n_set == 2 ? ", UHF dialect of %s\n" : "\n",
            hf_options_choice(quantity->of->options, "fcidump_dialect"));
}

static void put_counts(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct fcidump *self = quantity->self;
    struct hf_json to = hf_json_object(all->extras, "fcidump", "`--fcidump`");
    HF_PUT(to, "electrons", self->n_electron[0] + self->n_electron[1], NULL, "that are not frozen");
    HF_PUT(to, "orbitals", self->n_orbital, NULL, "active orbitals of a spin");
    HF_PUT(to, "frozen_core_orbitals", self->settings.n_frozen, NULL, "left out, occupied");
    HF_PUT(to, "frozen_virtual_orbitals", self->settings.n_frozen_virtual, NULL, "left out");
    HF_PUT(to, "core_energy", self->core_energy, "hartree", "of nuclei and frozen electrons");
    HF_PUT(to, "integrals", (double)self->n_written, NULL, "lines with integrals");
    HF_PUT(to, "passes", self->n_batch, NULL, "passes over the integrals of basis functions");
}

static hf_status write_file(struct hf_quantity *quantity, struct hf_error *error)
{
    struct fcidump *self = quantity->self;
    if (!quantity->made) return HF_OK;
    return hf_output_file_close(quantity->of->context, &self->file, HF_OK, error);
}

static void end_file(struct hf_quantity *quantity)
{
    struct fcidump *self = quantity->self;
    if (self->file.stream != NULL) hf_output_file_end(&self->file, false);
    hf_arena_done(&self->arena);
}

static const struct hf_phase *const phases[] = {&hf_phase_mp2_first, &hf_phase_mp2_wait,
                                                &hf_phase_mp2_exchange, &hf_phase_mp2_second, NULL};

static const struct hf_option_choice dialects[] = {
    {"psi4", "UHF=.TRUE., spin orbitals numbered alpha, beta, alpha ...", PSI4},
    {"molpro", "IUHF=1, a part for each pair of spins", MOLPRO},
    {0}};

#define IN_SELF(NAME) .member = HF_MEMBER(struct fcidump, NAME)
const struct hf_option hf_options_fcidump[] = {
    HF_ROW_TEXT(
        "fcidump", "FILE", "write integrals of the orbitals (FCIDUMP format)",
        .more = "Without frozen orbitals (--frozen-core, --frozen-virtuals), whose field and "
                "energy are in the one-electron integrals and the constant.",
        .not_kept = true, .not_with = {{"serve", NULL}, {"each", NULL}, {"method", "lmp2"}}),
    HF_ROW_CHOICE("fcidump_dialect", "NAME", "psi4", "how the FCIDUMP file of UHF is written",
                  .choice = dialects, .not_kept = true, .only_with = {{"fcidump", NULL}},
                  IN_SELF(dialect)),
    HF_ROW_REAL("fcidump_threshold", "1e-12", "hartree", 0, 0.01,
                "smaller integrals are left out of the FCIDUMP file", .not_kept = true,
                .only_with = {{"fcidump", NULL}}, IN_SELF(threshold)),
    {0}};

const struct hf_quantity_ops hf_quantity_fcidump = {
    .name = "FCIDUMP file",
    .option = "fcidump",
    .options = hf_options_fcidump,
    .of_converged = true,
    .of_structure = true,
    .commutator_tolerance =
        1e-8, /* the orbital energies are those of the density, not of the orbitals */
    .needs = HF_WAVEFUNCTION_ALL,
    .phases = phases,
    .size = sizeof(struct fcidump),
    .file = "the FCIDUMP file",
    .doing = "integrals of orbitals",
    .plan = plan_file,
    .peak = peak,
    .compute = compute,
    .report = report,
    .json = put_counts,
    .path = hf_orbital_file_path,
    .write = write_file,
    .done = end_file,
};
