/* Excited states of a solution, by time-dependent Hartree-Fock or configuration interaction of singles: energies,
 * transition dipoles, oscillator strengths, natural transition orbitals. What is computed of a state is listed in
 * response/subspace.h.
 *
 *     f = 2/3 omega sum_x |<0|x|n>|^2        length gauge; zero for triplets
 *
 * Natural transition orbitals of a state diagonalise X^T X and X X^T, X = (p + q) / 2: pairs of a hole and a particle
 * with weights w whose sum is close to 1. In files of orbitals they take the place of occupied and virtual ones: HOMO
 * and LUMO are the pair of the largest weight. Source: Martin, J. Chem. Phys. 118, 4775 (2003). */
#include "linalg/new_matrix.h"
#include "properties_private.h"
#include "response/subspace.h"

#include "base/arena.h"
#include "hf/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Smaller weights of pairs of orbitals are left out, and most pairs. */
static const double LEAST_WEIGHT = 1e-6;
enum { MOST_PAIRS = 20, N_LIST = 2 };
static const double NM_TIMES_HARTREE = 1e7 / HF_HARTREE_IN_PER_CM;

enum { SINGLETS = 1, TRIPLETS = 2 };

/** An orbital and its share of the squared norm of X. */
struct part {
    int spin, orbital;
    double share;
};

/** An excited state. */
struct state {
    double energy;    /**< hartree; negative: imaginary, or of CIS below the solution */
    double dipole[3]; /**< e bohr */
    double strength;
    struct part from, to; /**< the orbitals with the largest shares */
};

/** The states of one spin. */
struct states {
    const char *name; /**< key in the JSON file */
    struct hf_excited_states of;
    int n;
    struct state *state; /**< [n] */
};

struct excitations {
    int n_requested, spins, n_list;
    bool singles;
    struct states list[N_LIST];
    int nto_list, nto_state; /**< of the transition orbitals; state 0: none */
    int n_pair[HF_MAX_SPIN];
    /** [n][o + n_pair]: holes by rising weight, particles by falling */
    struct hf_matrix *orbital[HF_MAX_SPIN];
    double *weight[HF_MAX_SPIN]; /**< [o + n_pair] */
    double *zero[HF_MAX_SPIN];   /**< their energies */
    double *square;              /**< [m] */
    struct hf_wavefunction shown;
    struct hf_arena arena;
};

/** Reads --nto: a number, with t before that of a triplet. */
static hf_status read_nto(struct excitations *self, const char *text, struct hf_error *error)
{
    const bool triplet = tolower((unsigned char)text[0]) == 't';
    const char *number = text + (triplet || tolower((unsigned char)text[0]) == 's');
    if (hf_word_integer((struct hf_word){number, (int)strlen(number)}, &self->nto_state) !=
            HF_NUMBER_OK ||
        self->nto_state < 1 || self->nto_state > self->n_requested ||
        (triplet && (self->spins & TRIPLETS) == 0))
        return hf_fail(error, HF_BAD_INPUT,
                       "nto '%.40s'; expected a state from 1 to %d, as 2, or t2 of triplets", text,
                       self->n_requested);
    self->nto_list = triplet ? self->n_list - 1 : 0;
    return HF_OK;
}

static hf_status excitations_plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct excitations *self = quantity->self;
    const struct hf_options *options = quantity->of->options;
    const char *method = hf_options_choice(options, "method"), *of = quantity->of->settings->method;
    const char *nto = hf_options_text(options, "nto");
    const bool open = strcmp(of, "rhf") != 0;
    self->arena.label = "excited states";
    quantity->imaginary = true;
    self->singles = hf_options_value(options, "excitation_method") != 0;
    self->spins = hf_options_value(options, "excitation_spins");
    if (strcmp(of, "rohf") == 0 || (strcmp(method, "hf") != 0 && strcmp(method, of) != 0))
        return hf_fail(error, HF_BAD_INPUT,
                       "excited states of %.20s are not computed; expected method rhf or uhf",
                       strcmp(method, "hf") != 0 ? method : of);
    if (quantity->of->settings->smearing > 0.0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of fractional occupation have no excited states here; expected smearing 0");
    if (open && self->spins != SINGLETS)
        return hf_fail(error, HF_BAD_INPUT,
                       "states of uhf are not singlets or triplets; expected "
                       "--excitation-spins only with method rhf");
    if (open) self->list[self->n_list++] = (struct states){.name = "states"};
    if (!open && (self->spins & SINGLETS) != 0)
        self->list[self->n_list++] = (struct states){.name = "singlets"};
    if ((self->spins & TRIPLETS) != 0)
        self->list[self->n_list++] =
            (struct states){.name = "triplets", .of.kind = HF_ROTATION_TRIPLET};
    if (nto == NULL) return HF_OK;
    quantity->needs = HF_WAVEFUNCTION_ALL;
    return read_nto(self, nto, error);
}

static double excitations_memory(const struct hf_quantity *quantity)
{
    const struct excitations *self = quantity->self;
    return hf_subspace_bytes(quantity, hf_excited_states_room(self->n_requested));
}

/** Raises *largest to the largest of n squares, those of orbitals `first` and following; returns their sum. */
static double find_largest(int spin, int first, int n, const double square[], struct part *largest)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += square[i];
        if (square[i] > largest->share) *largest = (struct part){spin, first + i, square[i]};
    }
    return sum;
}

/** The orbitals that take the largest part in X, and their shares. Collective. */
static void find_shares(const struct hf_rotation *x, double square[], struct state *state)
{
    double norm = 0.0;
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        if (x->block[k] == NULL) continue;
        const int v = hf_matrix_n_row(x->block[k]), o = hf_matrix_n_col(x->block[k]);
        hf_matrix_row_squares(x->block[k], square);
        (void)find_largest(k, o, v, square, &state->to);
        hf_matrix_column_squares(x->block[k], square);
        norm += find_largest(k, 0, o, square, &state->from);
    }
    state->from.share /= norm;
    state->to.share /= norm;
}

/** Natural transition orbitals of one set, from X [v][o]. */
static hf_status make_pairs(struct excitations *self, struct hf_orbital_hessian *hessian, int set,
                            const struct hf_matrix *x, struct hf_error *error)
{
    hf_status status;
    const struct hf_rotation_set *of = &hessian->space.set[set];
    const int o = of->n_left, v = of->n_right, n = hf_matrix_n_row(hessian->x);
    struct hf_matrix *square = NULL, *vector = NULL, *hole = NULL, *particle = NULL, *to = NULL;
    double *weight = HF_TAKE(&self->arena, weight, (size_t)(o + MOST_PAIRS));
    HF_TAKE(&self->arena, self->zero[set], (size_t)(o + MOST_PAIRS));
    self->weight[set] = weight;
    HF_TRY(hf_agree(hessian->context->comm, hf_arena_check(&self->arena, error), error));
    HF_TRY(HF_CREATE_MATRICES(hessian->space.linalg, "transition orbitals", error, {&square, o, o},
                              {&vector, o, o}, {&hole, hessian->space.m, o},
                              {&particle, hessian->space.m, o}, {&to, v, o}));
    hf_matrix_multiply_to_symmetric(1.0, true, x, false, x, square);
    HF_TRY(hf_matrix_eigen(square, weight, vector, error));
    hf_matrix_multiply(1.0, false, of->left, false, vector, 0.0, hole);
    hf_matrix_multiply(1.0, false, x, false, vector, 0.0, to);
    hf_matrix_multiply(1.0, false, of->right, false, to, 0.0, particle);
    HF_DESTROY_MATRICES(&square, &vector, &to);
    int k = 0;
    while (k < o && k < MOST_PAIRS && weight[o - 1 - k] > LEAST_WEIGHT) k++;
    for (int i = 0; i < o; i++) weight[i] = fmax(weight[i], 0.0);
    HF_TRY(HF_CREATE_MATRICES(hessian->space.linalg, "transition orbitals", error,
                              {&to, hessian->space.m, o + k}, {&self->orbital[set], n, o + k}));
    hf_matrix_copy_columns(hole, 0, o, NULL, to, 0);
    for (int i = 0; i < k; i++) {
        const double norm = 1.0 / sqrt(weight[o - 1 - i]);
        hf_matrix_copy_columns(particle, o - 1 - i, 1, &norm, to, o + i);
        weight[o + i] = weight[o - 1 - i];
    }
    hf_matrix_multiply(1.0, false, hessian->x, false, to, 0.0, self->orbital[set]);
    self->n_pair[set] = k;
cleanup:
    HF_DESTROY_MATRICES(&square, &vector, &hole, &particle, &to);
    return status;
}

/** What is computed of state `number` of a list. */
static hf_status describe(struct excitations *self, struct hf_orbital_hessian *hessian,
                          struct states *states, int number, const struct hf_rotation field[3],
                          struct hf_error *error)
{
    hf_status status;
    struct state *state = &states->state[number];
    const struct hf_rotation *p = &states->of.p[number];
    struct hf_rotation x = {{NULL}};
    state->energy = states->of.energy[number];
    for (int d = 0; d < 3 && states->of.kind == HF_ROTATION_INTERNAL; d++)
        state->dipole[d] = -hf_rotation_dot(&field[d], p);
    if (state->energy > 0.0)
        for (int d = 0; d < 3; d++)
            state->strength += 2.0 / 3.0 * state->energy * state->dipole[d] * state->dipole[d];
    HF_TRY(hf_rotation_create(&hessian->space, &x, error));
    hf_rotation_add(0.5, p, 0.0, &x);
    hf_rotation_add(0.5, &states->of.q[number], 1.0, &x);
    find_shares(&x, self->square, state);
    if (states == &self->list[self->nto_list] && number == self->nto_state - 1)
        for (int k = 0; k < HF_MAX_SPIN; k++)
            if (x.block[k] != NULL) HF_TRY(make_pairs(self, hessian, k, x.block[k], error));
cleanup:
    hf_rotation_destroy(&x);
    return status;
}

static hf_status excitations_respond(struct hf_quantity *quantity,
                                     struct hf_orbital_hessian *hessian,
                                     struct hf_hamiltonian *hamiltonian, struct hf_error *error)
{
    hf_status status;
    struct excitations *self = quantity->self;
    struct hf_rotation field[3] = {{{NULL}}};
    HF_TAKE(&self->arena, self->square, (size_t)hessian->space.m);
    HF_TRY(hf_agree(hessian->context->comm, hf_arena_check(&self->arena, error), error));
    HF_TRY(hf_dipole_perturbations(hessian, hamiltonian, NULL, field, error));
    for (int i = 0; i < self->n_list; i++) {
        struct states *states = &self->list[i];
        states->of.singles = self->singles;
        states->of.n_requested = self->n_requested;
        HF_TRY(hf_excited_states_find(hessian, &states->of, error));
        HF_TAKE(&self->arena, states->state, (size_t)states->of.n);
        HF_TRY(hf_agree(hessian->context->comm, hf_arena_check(&self->arena, error), error));
        states->n = states->of.n;
        for (int k = 0; k < states->n; k++)
            HF_TRY(describe(self, hessian, states, k, field, error));
        hf_excited_states_done(&states->of);
    }
cleanup:
    for (int i = 0; i < self->n_list; i++) hf_excited_states_done(&self->list[i].of);
    for (int d = 0; d < 3; d++) hf_rotation_destroy(&field[d]);
    return status;
}

/** The wave function with the transition orbitals in place of the others; NULL: there are none. */
static const struct hf_wavefunction *transition(const struct hf_quantity *quantity)
{
    struct excitations *self = quantity->self;
    if (self->orbital[0] == NULL && self->orbital[1] == NULL) return NULL;
    self->shown = *quantity->of->wavefunction;
    for (int k = 0; k < self->shown.n_spin; k++) {
        struct hf_orbitals *to = &self->shown.spin[k];
        if (self->orbital[k] == NULL) continue;
        *to = (struct hf_orbitals){.n_orbital = to->n_occupied + self->n_pair[k],
                                   .n_occupied = to->n_occupied,
                                   .energy = self->zero[k],
                                   .occupation = self->weight[k],
                                   .coefficient = self->orbital[k]};
    }
    return &self->shown;
}

static void print_orbital(FILE *out, bool open, const struct part *part)
{
    const char *spin = !open ? "" : part->spin == 0 ? "a" : "b";
    char name[20];
    snprintf(name, sizeof name, "%d%s", part->orbital + 1, spin);
    fprintf(out, " %6s %5.1f%%", name, 100.0 * part->share);
}

static void print_states(const struct excitations *self, const struct states *states, bool open,
                         FILE *out)
{
    fprintf(out, "\nExcited states (%s%s%s)\n", self->singles ? "CIS" : "TDHF", open ? "" : ", ",
            open ? "" : states->name);
    fprintf(out, "  %5s %14s %10s %10s %10s %13s %13s\n", "State", "hartree", "eV", "nm",
            "strength", "from orbital", "to orbital");
    for (int k = 0; k < states->n; k++) {
        const struct state *state = &states->state[k];
        fprintf(out, "  %5d", k + 1);
        if (state->energy < 0.0 && !self->singles)
            fprintf(out, " %13.8fi %10s %10s %10s", -state->energy, "imaginary", "-", "-");
        else if (state->energy < 0.0)
            fprintf(out, " %14.8f %10.4f %10s %10s", state->energy,
                    state->energy * HF_HARTREE_IN_EV, "-", "-");
        else
            fprintf(out, " %14.8f %10.4f %10.2f %10.6f", state->energy,
                    state->energy * HF_HARTREE_IN_EV, NM_TIMES_HARTREE / state->energy,
                    state->strength);
        print_orbital(out, open, &state->from);
        print_orbital(out, open, &state->to);
        fprintf(out, "\n");
    }
    if (states->n < self->n_requested && !states->of.indefinite)
        fprintf(out, "  There are no more.\n");
    if (states->n > self->n_requested)
        fprintf(out, "  State %d is degenerate with the states after it, which are also given%s.\n",
                self->n_requested, states->of.cut ? "; there may be more" : "");
}

/** What is wrong with the states. */
static void print_warnings(const struct excitations *self, const struct states *states, FILE *out)
{
    if (!states->of.converged && !states->of.indefinite)
        fprintf(out, "  WARNING: not all states converged; not all digits are right\n");
    if (states->of.indefinite)
        fprintf(out,
                "  WARNING: no states: the solution is a saddle point for real and for imaginary "
                "rotations;\n  see --stability, or use --excitation-method cis\n");
    if (states->n > 0 && states->state[0].energy < 0.0)
        fprintf(out, self->singles
                         ? "  WARNING: a state is below the solution; see --stability\n"
                         : "  WARNING: a squared energy is negative: the solution is unstable; "
                           "see --stability\n");
}

static void excitations_report(const struct hf_quantity *quantity, FILE *out)
{
    const struct excitations *self = quantity->self;
    const bool open = strcmp(quantity->of->settings->method, "rhf") != 0;
    for (int i = 0; i < self->n_list; i++) {
        print_states(self, &self->list[i], open, out);
        print_warnings(self, &self->list[i], out);
    }
    if (self->nto_state > self->list[self->nto_list].n)
        fprintf(out, "  WARNING: there is no state %d: files have the orbitals of the SCF\n",
                self->nto_state);
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        if (self->orbital[k] == NULL) continue;
        const int o = hf_matrix_n_col(self->orbital[k]) - self->n_pair[k];
        fprintf(out, "  Natural transition orbitals of state %s%d%s: weights of pairs",
                self->list[self->nto_list].of.kind == HF_ROTATION_TRIPLET ? "t" : "",
                self->nto_state,
                !open    ? ""
                : k == 0 ? " (alpha)"
                         : " (beta)");
        for (int i = 0; i < self->n_pair[k] && i < 5; i++)
            fprintf(out, " %.4f", self->weight[k][o + i]);
        fprintf(out, "\n");
    }
}

static void excitations_put_json(const struct hf_quantity *quantity,
                                 const struct hf_json_places *all)
{
    const struct excitations *self = quantity->self;
    const struct hf_json to = hf_json_object(all->extras, "excitations", "excited states");
    HF_PUT(to, "method", self->singles ? "cis" : "tdhf", NULL, "`--excitation-method`");
    for (int i = 0; i < HF_COUNT(to, self->n_list); i++) {
        const struct states *states = &self->list[i];
        const struct hf_json list =
            hf_json_array(to, states->name != NULL ? states->name : "singlets", NULL,
                          "states by rising energy; also `triplets`; of uhf `states`");
        for (int k = 0; k < HF_COUNT(list, states->n); k++) {
            static const struct state none;
            const struct state *state = states->state != NULL ? &states->state[k] : &none;
            const struct hf_json row = hf_json_row(list);
            HF_PUT(row, "energy", state->energy, "hartree",
                   "above the solution; negative with `tdhf`: imaginary");
            HF_PUT(row, "oscillator_strength", state->strength, NULL, "length gauge");
            HF_PUT_ALL(row, "transition_dipole", 3, state->dipole, "e bohr", "x, y, z");
        }
    }
    bool converged = true;
    for (int i = 0; i < self->n_list; i++) converged = converged && self->list[i].of.converged;
    HF_PUT(to, "converged", converged, NULL, "residuals of all states are below 1e-5");
}

static void excitations_release(struct hf_quantity *quantity)
{
    struct excitations *self = quantity->self;
    HF_DESTROY_MATRICES(&self->orbital[0], &self->orbital[1]);
}

static void excitations_done(struct hf_quantity *quantity)
{
    struct excitations *self = quantity->self;
    hf_arena_done(&self->arena);
}

static const struct hf_option_choice methods[] = {
    {"tdhf", "time-dependent Hartree-Fock, also called random-phase approximation", false},
    {"cis", "configuration interaction of singles (Tamm-Dancoff)", true},
    {0}};
static const struct hf_option_choice spins[] = {
    {"singlets", "singlets of rhf; all states of uhf", SINGLETS},
    {"triplets", "triplets of rhf", TRIPLETS},
    {"both", "singlets and triplets of rhf", SINGLETS | TRIPLETS},
    {0}};

#define IN_SELF(NAME)  .member = HF_MEMBER(struct excitations, NAME)
#define OF_EXCITATIONS .only_with = {{"excitations", NULL}}
const struct hf_option hf_options_excitations[] = {
    HF_ROW_INTEGER("excitations", "5", 1, HF_MOST_EXCITED_STATES,
                   "excited states and oscillator strengths", .everyday = true,
                   IN_SELF(n_requested), HF_NOT_SERVED,
                   .more = "More are given if the last one is degenerate."),
    HF_ROW_CHOICE("excitation_method", "NAME", "tdhf", "how excited states are computed",
                  .choice = methods, OF_EXCITATIONS),
    HF_ROW_CHOICE("excitation_spins", "WHICH", "singlets", "spins of excited states",
                  .choice = spins, OF_EXCITATIONS),
    HF_ROW_TEXT("nto", "STATE",
                "Molden and cube files have natural transition orbitals of this excited state",
                .more = "STATE is a number, with t before that of a triplet. HOMO and LUMO are the "
                        "pair of largest weight. Occupations are the weights.",
                .not_kept = true, OF_EXCITATIONS,
                .not_with = {{"serve", NULL}, {"each", NULL}, {"localise", NULL}}),
    {0}};

const struct hf_quantity_ops hf_quantity_excitations = {
    .name = "excited states",
    .options = hf_options_excitations,
    .option = "excitations",
    .of_converged = true,
    .needs = HF_WAVEFUNCTION_ENERGIES,
    .commutator_tolerance = 1e-7, /* as for responses */
    .size = sizeof(struct excitations),
    .plan = excitations_plan,
    .memory = excitations_memory,
    .respond = excitations_respond,
    .transition = transition,
    .report = excitations_report,
    .json = excitations_put_json,
    .release = excitations_release,
    .done = excitations_done,
};
