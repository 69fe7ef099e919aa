/* When a calculation is converged: no further density can lower the energy by as much as matters.
 *
 * Near a minimum the energy lies above it by g H^-1 g / 2 of the gradient g and the Hessian H with
 * respect to orbital rotations (hessian.h). Two estimates of it are made; the larger one counts.
 *
 * The gap. H is about e_a - e_i, nowhere less than the gap, so that
 *
 *     E - E(converged) < g g / gap       closed shells: 2 sum_ia F_ia^2 / gap
 *
 * to first order of what the two-electron part of H adds. This needs neither virtual orbitals nor
 * another Fock matrix. A soft mode may be far softer than any difference of orbital energies: then
 * the bound is too small by the same factor. If the gap itself is small, the bound is not used.
 *
 * The descent. While the error falls from E_a - E to E_k - E, the square of the gradient falls
 * from g_a g_a to g_k g_k. One slow mode keeps their ratio, so that
 *
 *     E_k - E = (E_a - E_k) g_k g_k / (g_a g_a - g_k g_k)
 *
 * The largest of these over the last iterations a is taken, because the slowest mode is left over
 * at the end. If the gradient has hardly become smaller, the fraction is not used beyond 2 g_k g_k
 * / g_a g_a. If it becomes smaller slowly, slower modes are hidden behind those that are seen: the
 * estimate is doubled. The first iteration of a restart has no such history: there the change of
 * the energy is used. Fractional occupations may change the energy without any gradient: for them
 * see hf_scf_occupations_fit.
 *
 * Measured on 128 reference cases and 51 unrestricted calculations from mixed orbitals: 1903
 * iterations, 1901 with the first estimate and the last change alone. The energy of uracil in 6-31G
 * from mixed orbitals ends 4e-9 hartree above its minimum, 3.4e-8 before. The error is below the
 * estimate except for Cr2+, Fe+, Fe2+, Cu2+ and Fe, which end at saddle points or in valleys: a mode
 * that the gradient has no part in is found by an analysis of stability only. */
#include "scf_state.h"

#include <float.h>
#include <math.h>

/* With the two-electron part the error was 1 time this bound in the median case, twice it in nine
 * of ten. */
static const double SAFETY = 2.0;
static const double SMALL_GAP = 0.1;       /* hartree */
static const double LEAST_SHRINKING = 0.5; /* of g g in the denominator of the descent */
static const double CHANGE_SAFETY = 2.0;   /* times the last change */
/* Beside a saddle point that was left: errors of Li2 and NiC, with eigenvalues of the Hessian of 0.004 and
 * 0.01, were up to 5 times the estimate. */
static const double SOFT_SAFETY = 10.0;

/** Square of the norm of the gradient with respect to orbital rotations (hessian.h), hartree^2,
 *  from scf->commutator; with open shells of restricted orbitals at most twice that. This rank's part. */
static double gradient_square_here(const struct hf_scf *scf)
{
    double sum = 0.0;
    for (int k = 0; k < scf->method->n_fock; k++)
        sum += hf_matrix_dot_here(scf->commutator[k], scf->commutator[k]);
    /* each element stands there twice; of orbitals of both spins with the weight of both */
    return sum * (scf->method->n_set == 2 ? 0.5 : 0.25);
}

double hf_scf_gap(const struct hf_scf *scf)
{
    const int m = scf->result->n_orbital, n_set = scf->method->n_set;
    double gap = INFINITY;
    for (int k = 0; k < 2; k++) {
        const int o = hf_set_size(scf->n_electron, k);
        const double *energy = scf->orbital_energy + (n_set == 2 ? (size_t)k * (size_t)m : 0);
        if (o > 0 && o < m) gap = fmin(gap, energy[o] - energy[o - 1]);
    }
    return gap - scf->settings->level_shift;
}

/* Energies are added up from their changes: builds of different screening do not agree to 1e-8. */
void hf_scf_note_descent(struct hf_scf *scf)
{
    struct hf_descent *descent = &scf->descent;
    double reduced[] = {gradient_square_here(scf),
                        0.0}; /* and the largest element of a commutator */
    for (int k = 0; k < scf->method->n_fock; k++)
        reduced[1] = fmax(reduced[1], hf_matrix_max_abs_here(scf->commutator[k]));
    hf_linalg_reduce(scf->linalg, 1, 1, reduced);
    scf->result->commutator = reduced[1];
    if (!scf->has_orbitals) return;
    const double energy =
        descent->n > 0 ? descent->point[0].energy + scf->result->energy_change : 0.0;
    for (int i = HF_DESCENT - 1; i > 0; i--) descent->point[i] = descent->point[i - 1];
    descent->point[0] = (struct hf_descent_point){.energy = energy, .gradient_square = reduced[0]};
    if (descent->n < HF_DESCENT) descent->n++;
}

/** An estimate of the error of the energy (hartree) from the energies and gradients of the last
 *  iterations. Whole occupations only. */
static double descent_error(const struct hf_scf *scf)
{
    const struct hf_descent_point *point = scf->descent.point;
    const double square = point[0].gradient_square;
    double slowest = 0.0; /* hartree of energy for each hartree^2 of g g */
    const double change = CHANGE_SAFETY * fabs(scf->result->energy_change);
    if (scf->descent.n < 2) return scf->result->n_earlier > 0 ? change : 0.0;
    for (int a = 1; a < scf->descent.n; a++) {
        const double before = point[a].gradient_square;
        if (before > 0.0)
            slowest = fmax(slowest, (point[a].energy - point[0].energy) /
                                        fmax(before - square, LEAST_SHRINKING * before));
    }
    const double before = point[1].gradient_square;
    const double ratio = square < before ? square / before : 1.0;
    const double safety = scf->soft ? SOFT_SAFETY : 1.0;
    return safety * fmax(change * ratio, (1.0 + ratio) * slowest * square);
}

double hf_scf_estimate_error(const struct hf_scf *scf)
{
    const double rounding = DBL_EPSILON * fabs(scf->result->energy);
    if (!scf->has_orbitals || scf->occupation != NULL || scf->settings->max_overlap)
        return INFINITY;
    if (!(scf->gap >= SMALL_GAP)) return INFINITY;
    const double from_gap = SAFETY * scf->descent.point[0].gradient_square / scf->gap;
    return fmax(rounding, fmax(from_gap, descent_error(scf)));
}

bool hf_scf_is_converged(const struct hf_scf *scf)
{
    const struct hf_scf_result *result = scf->result;
    const double tolerance = scf->settings->energy_tolerance;
    const bool changed_little = result->n_iteration > 1 && fabs(result->energy_change) < tolerance;
    bool energy_is_converged = changed_little;
    if (isfinite(result->energy_error))
        energy_is_converged = result->energy_error < tolerance;
    else if (scf->occupation == NULL)
        energy_is_converged = changed_little && descent_error(scf) < tolerance;
    return energy_is_converged && result->commutator < scf->settings->commutator_tolerance &&
           scf->two_electron.threshold <= scf->settings->screening_threshold;
}

/* ---- Screening ------------------------------------------------------------------------------- */

/* Screening threshold of the next Fock build: as loose as the error of the density allows.
 *
 * A small threshold makes builds expensive. Two stages with larger thresholds avoid most of that cost: a
 * loose one until the density is roughly right, a middle one until convergence is near. Each stage begins
 * with a build of the whole density, so that more than two are not worthwhile. Orbitals of the same functions
 * near by, as along the way of an optimisation, are good enough for the last stage from the beginning. */

/* Measured on benzene, uracil and its dimer, small molecules and alkanes: with all of these the
 * number of iterations is that of sharp builds throughout. A first stage ten times looser, or a
 * commutator of 3e-5 for the last one, costs iterations; so does one loose stage instead of two, at
 * 2e-8 to 1e-7 (benzene 10 to 14 iterations, not 8). A first stage twice as loose, or one to a
 * commutator of 1e-3, saves 2 to 3 % of the time and leads Cr+ to a higher solution. */
static const double LOOSEST_THRESHOLD = 1e-7;
static const double LOOSENESS_PER_OVERLAP = 2e-4; /* an error of F grows by 1/s in X^T F X */
static const double MIDDLE_PER_LOOSE = 0.1;
static const double ROUGH_COMMUTATOR = 1e-2; /* above: the first stage */
static const double CLOSE_COMMUTATOR = 1e-4; /* above: the middle one */
static const double CLOSE_PER_TOLERANCE = 10.0;

/* Whatever holds up a calculation that needs more, it is not to be the screening. */
enum { MAX_LOOSE_ITERATION = 10, MAX_MIDDLE_ITERATION = 20 };

double hf_next_threshold(const struct hf_scf_settings *settings, const struct hf_scf_result *result,
                         double last)
{
    const double final = settings->screening_threshold;
    const double overlap =
        fmax(result->smallest_overlap_eigenvalue, settings->linear_dependence_threshold);
    const double loose = fmin(LOOSEST_THRESHOLD, LOOSENESS_PER_OVERLAP * overlap);
    const double close =
        fmax(CLOSE_COMMUTATOR, CLOSE_PER_TOLERANCE * settings->commutator_tolerance);
    const int iteration = result->n_iteration;
    double threshold = final;

    if (hf_scf_starts_near(settings)) return final;
    if (iteration <= 1 ||
        (result->commutator > ROUGH_COMMUTATOR && iteration <= MAX_LOOSE_ITERATION))
        threshold = loose;
    else if (result->commutator > close && iteration <= MAX_MIDDLE_ITERATION)
        threshold = MIDDLE_PER_LOOSE * loose;
    return fmax(final, fmin(threshold, last));
}
