/* Charges of atoms whose potential round the molecule is nearest to that of its electrons and nuclei:
 *
 *     sum_i (V_i - sum_a q_a / r_ia)^2 + restraint = least,   sum_a q_a = charge of the molecule
 *
 * With RESP the restraint is w sum_a ((q_a^2 + b^2)^1/2 - b) over atoms other than hydrogen, with 0.0005 at first. Then the
 * carbon atoms with two or more hydrogen atoms are fitted again with 0.001, and the hydrogen atoms of each of them have one
 * charge; all other charges stay.
 * Source: Bayly, Cieplak, Cornell, Kollman, J. Phys. Chem. 97, 10269 (1993). */
#include "potential_charges.h"

#include "base/arithmetic.h"
#include "hf/interruption.h"
#include "properties_private.h"

#include <math.h>
#include <string.h>

static const struct hf_phase phase = {.name = "Charges from the potential"};

/** RESP's w of both stages, and b; e. */
static const double WEIGHT[2] = {0.0005, 0.001}, TIGHTNESS = 0.1;

enum {
    POINTS_AT_ONCE = 4096, /**< between checks for interruptions */
    MOST_ROUNDS = 200      /**< of the restraint, which depends on the charges */
};

/** The quantity. */
struct charges {
    enum hf_potential_charges kind; /**< set by the option */
    bool relaxed;                   /**< of the relaxed density of MP2 */
    int n_point;
    double *charge;                       /**< [n_atom], e; ghosts have none */
    double deviation, relative_deviation; /**< root mean square, hartree/e; over that of V */
    struct hf_arena arena;                /**< has the charges */
};

/** Sums over the points of a fit. */
struct fit {
    const struct hf_molecule *molecule;
    struct hf_potential_points points;
    double *potential;  /**< [n_point] */
    double *square;     /**< [n_atom][n_atom] sum of 1 / (r_ia r_ib) */
    double *side;       /**< [n_atom] sum of V_i / r_ia */
    double *matrix, *x; /**< [n_atom + 1][n_atom + 1], [n_atom + 1] of the equations */
    double *inverse;    /**< [n_atom] 1 / r_ia of a point; 0 of ghosts */
    int *unknown;       /**< [n_atom] which unknown the charge is; -1: it stays */
    int n_unknown;
    double *charge; /**< [n_atom] */
    struct hf_arena arena;
};

static void take_distances(struct fit *fit, int i)
{
    const double *place = fit->points.place;
    const size_t n = (size_t)fit->points.n;
    for (int a = 0; a < fit->molecule->n_atom; a++) {
        const double *b = fit->molecule->atom[a].position_bohr;
        const double x = place[i] - b[0], y = place[n + (size_t)i] - b[1],
                     z = place[2 * n + (size_t)i] - b[2];
        fit->inverse[a] = fit->molecule->atom[a].ghost ? 0.0 : 1.0 / sqrt(x * x + y * y + z * z);
    }
}

/** Whether this rank adds what is of a point: in a reproducible run rank 0 adds all, in one order. */
static bool is_own(const struct hf_context *context, int i)
{
    return i % (context->reproducible ? 1 : context->n_rank) == context->rank;
}

/** The points of this rank: the nuclei's part of the potential there. */
static void add_nuclear_potential(struct fit *fit, const struct hf_context *context)
{
    for (int i = 0; i < fit->points.n; i++) {
        fit->potential[i] = -fit->potential[i];
        if (!is_own(context, i)) continue;
        take_distances(fit, i);
        for (int a = 0; a < fit->molecule->n_atom; a++)
            fit->potential[i] += hf_molecule_nuclear_charge(fit->molecule, a) * fit->inverse[a];
    }
}

/** The potential of the molecule at all points, on every rank. Collective. */
static hf_status make_potential(struct hf_context *context,
                                const struct hf_wavefunction *wavefunction, struct fit *fit,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = fit->points.n;
    struct hf_arena arena = {.memory = context->memory, .label = "points round the molecule"};
    double *place = HF_TAKE(&arena, place, (size_t)3 * POINTS_AT_ONCE);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    for (int first = 0; first < n; first += POINTS_AT_ONCE) {
        const int k = n - first < POINTS_AT_ONCE ? n - first : POINTS_AT_ONCE;
        for (size_t d = 0; d < 3; d++)
            memcpy(place + d * (size_t)k, fit->points.place + d * (size_t)n + first,
                   (size_t)k * sizeof *place);
        const struct hf_electron_sums wanted = {
            .n_point = k, .place = place, .potential = fit->potential + first};
        HF_TRY(hf_sum_electrons(context, wavefunction, &wanted, error));
        HF_TRY(hf_agree_to_go_on(context, HF_OK, error));
    }
    add_nuclear_potential(fit, context);
    MPI_Allreduce(MPI_IN_PLACE, fit->potential, n, MPI_DOUBLE, MPI_SUM, context->comm);
cleanup:
    hf_arena_done(&arena);
    return status;
}

/** Sums over all points, on every rank. Collective. */
static void sum_points(struct hf_context *context, struct fit *fit)
{
    const int n_atom = fit->molecule->n_atom;
    for (int i = 0; i < fit->points.n; i++) {
        if (!is_own(context, i)) continue;
        take_distances(fit, i);
        for (int a = 0; a < n_atom; a++) {
            fit->side[a] += fit->potential[i] * fit->inverse[a];
            for (int b = 0; b < n_atom; b++)
                fit->square[a * n_atom + b] += fit->inverse[a] * fit->inverse[b];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, fit->square, n_atom * n_atom, MPI_DOUBLE, MPI_SUM, context->comm);
    MPI_Allreduce(MPI_IN_PLACE, fit->side, n_atom, MPI_DOUBLE, MPI_SUM, context->comm);
}

/** The equations: one for each unknown, and the last for the charge of the molecule. */
static void make_equations(struct fit *fit, double weight)
{
    const int n_atom = fit->molecule->n_atom, n = fit->n_unknown, size = n + 1;
    memset(fit->matrix, 0, (size_t)size * (size_t)size * sizeof *fit->matrix);
    memset(fit->x, 0, (size_t)size * sizeof *fit->x);
    fit->x[n] = fit->molecule->charge;
    for (int a = 0; a < n_atom; a++) {
        const int u = fit->unknown[a];
        const struct hf_atom *atom = &fit->molecule->atom[a];
        if (u < 0) {
            fit->x[n] -= fit->charge[a];
            continue;
        }
        fit->x[u] += fit->side[a];
        fit->matrix[u * size + n] += 1.0;
        fit->matrix[n * size + u] += 1.0;
        if (atom->atomic_number > 1)
            fit->matrix[u * size + u] += weight / hypot(fit->charge[a], TIGHTNESS);
        for (int b = 0; b < n_atom; b++) {
            const double square = fit->square[a * n_atom + b];
            if (fit->unknown[b] < 0)
                fit->x[u] -= square * fit->charge[b];
            else
                fit->matrix[u * size + fit->unknown[b]] += square;
        }
    }
}

/** Charges that are unknown; with a restraint until they stay. */
static hf_status solve(struct fit *fit, double weight, struct hf_error *error)
{
    double change = 1.0;
    for (int round = 0; round < MOST_ROUNDS && change > 1e-10; round++) {
        change = 0.0;
        make_equations(fit, weight);
        HF_CHECK(hf_solve_symmetric(fit->n_unknown + 1, fit->matrix, fit->x, error));
        for (int a = 0; a < fit->molecule->n_atom; a++) {
            if (fit->unknown[a] < 0) continue;
            change = fmax(change, fabs(fit->x[fit->unknown[a]] - fit->charge[a]));
            fit->charge[a] = fit->x[fit->unknown[a]];
        }
        if (weight == 0.0) return HF_OK;
    }
    return change <= 1e-10 ? HF_OK
                           : hf_fail(error, HF_NO_RESOURCE, "restrained charges do not converge");
}

/** Unknowns of the first fit: all real atoms. */
static void free_all(struct fit *fit)
{
    fit->n_unknown = 0;
    for (int a = 0; a < fit->molecule->n_atom; a++)
        fit->unknown[a] = fit->molecule->atom[a].ghost ? -1 : fit->n_unknown++;
}

/** Unknowns of RESP's second stage; false: there are none. */
static bool free_methyl_groups(struct fit *fit)
{
    const struct hf_molecule *molecule = fit->molecule;
    fit->n_unknown = 0;
    for (int a = 0; a < molecule->n_atom; a++) fit->unknown[a] = -1;
    for (int a = 0; a < molecule->n_atom; a++) {
        const struct hf_atom *carbon = &molecule->atom[a];
        int n_hydrogen = 0;
        if (carbon->atomic_number != 6 || carbon->ghost) continue;
        for (int pass = 0; pass < 2; pass++) {
            for (int b = 0; b < molecule->n_atom; b++) {
                const struct hf_atom *other = &molecule->atom[b];
                if (other->atomic_number != 1 || fit->unknown[b] >= 0) continue;
                if (!hf_atoms_are_bonded(carbon, other)) continue;
                if (pass == 0) n_hydrogen++;
                if (pass == 1) fit->unknown[b] = fit->n_unknown + 1;
            }
            if (n_hydrogen < 2) break;
            fit->unknown[a] = fit->n_unknown;
        }
        if (n_hydrogen >= 2) fit->n_unknown += 2;
    }
    return fit->n_unknown > 0;
}

static hf_status fit_charges(struct fit *fit, bool restrained, struct hf_error *error)
{
    free_all(fit);
    HF_CHECK(solve(fit, restrained ? WEIGHT[0] : 0.0, error));
    if (restrained && free_methyl_groups(fit)) HF_CHECK(solve(fit, WEIGHT[1], error));
    return HF_OK;
}

/** How far the potential of the charges is off. */
static void find_deviation(struct fit *fit, struct charges *charges)
{
    double difference = 0.0, all = 0.0;
    for (int i = 0; i < fit->points.n; i++) {
        double left = fit->potential[i];
        take_distances(fit, i);
        for (int a = 0; a < fit->molecule->n_atom; a++) left -= fit->charge[a] * fit->inverse[a];
        difference += left * left;
        all += fit->potential[i] * fit->potential[i];
    }
    charges->deviation = sqrt(difference / fit->points.n);
    charges->relative_deviation = sqrt(difference / all);
}

static hf_status plan_charges(struct hf_quantity *quantity, struct hf_error *error)
{
    struct charges *charges = quantity->self;
    charges->arena.label = "charges of atoms";
    return hf_potential_points_count(quantity->of->molecule, charges->kind, &charges->n_point,
                                     error);
}

/** Places and potential of the points, and the equations. */
static hf_status peak_of_charges(struct hf_quantity *quantity, double *bytes,
                                 struct hf_error *error)
{
    const struct charges *charges = quantity->self;
    const double n_atom = quantity->of->molecule->n_atom;
    (void)error;
    *bytes = sizeof(double) * (4.0 * charges->n_point + 2.0 * n_atom * n_atom);
    return HF_OK;
}

/** Local. */
static hf_status take_room(struct fit *fit, enum hf_potential_charges kind, struct hf_error *error)
{
    const size_t n = (size_t)fit->molecule->n_atom;
    HF_CHECK(hf_potential_points_make(fit->molecule, kind, &fit->arena, &fit->points, error));
    HF_TAKE(&fit->arena, fit->potential, (size_t)fit->points.n);
    HF_TAKE(&fit->arena, fit->square, n * n);
    HF_TAKE(&fit->arena, fit->matrix, (n + 1) * (n + 1));
    HF_TAKE(&fit->arena, fit->x, n + 1);
    HF_TAKE(&fit->arena, fit->side, n);
    HF_TAKE(&fit->arena, fit->inverse, n);
    HF_TAKE(&fit->arena, fit->unknown, n);
    HF_TAKE(&fit->arena, fit->charge, n);
    return hf_arena_check(&fit->arena, error);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    hf_status status;
    struct charges *charges = quantity->self;
    struct hf_context *context = quantity->of->context;
    const struct hf_wavefunction *relaxed = quantity->of->relaxed,
                                 *of = relaxed != NULL ? relaxed : quantity->of->wavefunction;
    struct fit fit = {.molecule = of->molecule,
                      .arena = {.memory = context->memory, .label = "charges from the potential"}};
    const size_t n = (size_t)of->molecule->n_atom;
    hf_timer_start(&context->timers, &phase);
    HF_TRY(hf_agree(context->comm, take_room(&fit, charges->kind, error), error));
    HF_TRY(make_potential(context, of, &fit, error));
    sum_points(context, &fit);
    status = fit_charges(&fit, charges->kind == HF_CHARGES_RESP, error);
    HF_TAKE(&charges->arena, charges->charge, n);
    if (status == HF_OK) status = hf_arena_check(&charges->arena, error);
    HF_TRY(hf_agree(context->comm, status, error));
    memcpy(charges->charge, fit.charge, n * sizeof *fit.charge);
    charges->relaxed = relaxed != NULL;
    charges->n_point = fit.points.n;
    find_deviation(&fit, charges);
cleanup:
    hf_timer_stop(&context->timers, &phase);
    hf_arena_done(&fit.arena);
    return status;
}

static void done(struct hf_quantity *quantity)
{
    struct charges *charges = quantity->self;
    hf_arena_done(&charges->arena);
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct charges *charges = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    fprintf(out, "\nCharges fitted to the electrostatic potential (%s)%s\n",
            charges->kind == HF_CHARGES_MK       ? "Merz-Kollman"
            : charges->kind == HF_CHARGES_CHELPG ? "CHELPG"
                                                 : "RESP, points of Merz-Kollman",
            charges->relaxed ? ", from the relaxed density of MP2" : "");
    for (int a = 0; a < molecule->n_atom; a++) {
        const struct hf_atom *atom = &molecule->atom[a];
        if (atom->ghost) continue;
        fprintf(out, "  %5d  %-3s %12.6f\n", a + 1, hf_element_symbol(atom->atomic_number),
                hf_without_noise(charges->charge[a], 5e-7));
    }
    fprintf(out, "  %d points; deviation of the potential %.6f hartree/e, relative %.4f\n",
            charges->n_point, charges->deviation, charges->relative_deviation);
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct charges *charges = quantity->self;
    const struct hf_json to =
        hf_json_object(all->extras, "potential_charges", "`--potential-charges`");
    HF_PUT(to, "kind", hf_options_choice(quantity->of->options, "potential_charges"), NULL,
           "mk, chelpg or resp");
    HF_PUT(to, "density", charges->relaxed ? "MP2 relaxed" : "SCF", NULL,
           "density of these numbers");
    HF_PUT_ALL(to, "charges", quantity->of->molecule->n_atom, charges->charge, "e",
               "of each atom; 0 for ghosts");
    HF_PUT(to, "points", charges->n_point, NULL, "points of the fit");
    HF_PUT(to, "deviation", charges->deviation, "hartree/e",
           "root mean square deviation of the potential");
    HF_PUT(to, "relative_deviation", charges->relative_deviation, NULL,
           "the same over the root mean square of the potential");
}

static const struct hf_phase *const phases[] = {&phase, NULL};

static const struct hf_option_choice kinds[] = {
    {"mk", "Merz and Kollman: points on spheres of 1.4 to 2 radii of atoms", HF_CHARGES_MK},
    {"chelpg", "points of a lattice of 0.3 angstrom", HF_CHARGES_CHELPG},
    {"resp", "restrained in two stages, points of Merz and Kollman", HF_CHARGES_RESP},
    {0}};

const struct hf_option hf_options_potential_charges[] = {
    HF_ROW_CHOICE("potential_charges", "KIND", NULL,
                  "fit charges of atoms to the electrostatic potential", .choice = kinds,
                  .member = HF_MEMBER(struct charges, kind), HF_NOT_SERVED),
    {0}};

const struct hf_quantity_ops hf_quantity_potential_charges = {
    .name = "potential charges",
    .options = hf_options_potential_charges,
    .option = "potential_charges",
    .needs = HF_WAVEFUNCTION_DENSITIES,
    .phases = phases,
    .size = sizeof(struct charges),
    .doing = "Charges",
    .plan = plan_charges,
    .peak = peak_of_charges,
    .compute = compute,
    .report = report,
    .json = put_json,
    .done = done,
};
