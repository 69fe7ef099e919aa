/* Screening threshold of the next Fock build: as loose as the error of the density allows.
 *
 * A small threshold makes builds expensive. Two stages with larger thresholds avoid most of that cost: a
 * loose one until the density is roughly right, a middle one until convergence is near. Each stage begins
 * with a build of the whole density, so that more than two are not worthwhile. Orbitals of the same functions
 * near by, as along the way of an optimisation, are good enough for the last stage from the beginning. */
#include "scf_state.h"

#include <math.h>

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
