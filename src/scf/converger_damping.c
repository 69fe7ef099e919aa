/* Steps by optimal damping: Fock matrix and density are mixed with the mixtures of the step before, in the ratio of
 * lowest energy.
 *
 *     D~ <- D~ + l (D - D~)    F~ <- F~ + l (F - F~)    0 < l <= 1
 *     E~(l) = E~ + l tr F~ (D - D~) + l^2 tr (F - F~) (D - D~) / 2
 *
 * With fractional occupations -T S is added to the energy. It is convex, so between D~ and D it is at most the linear
 * interpolation of its values, which is used here.
 *
 * D~ itself is not needed: traces with it go over to others, tr F D~ - tr H D~ = tr F~ D - tr H D.
 *
 * Source   Cances, Le Bris, Int. J. Quantum Chem. 79, 82 (2000). */
#include "converger.h"

#include <float.h>
#include <math.h>

/** What is mixed: F~ [n_fock] [m][m], tr H D~, tr F~ D~ and -T S. */
struct mixed {
    struct hf_matrix *fock[HF_MAX_SPIN];
    double core_energy, fock_energy, entropy_term;
    double threshold; /**< of the builds that are mixed */
    double share;     /**< of the step before */
    bool begun;
};

static hf_status create(struct hf_scf *scf, void **data, struct hf_error *error)
{
    HF_CHECK(hf_scf_take_data(scf, "damping", sizeof(struct mixed), data, error));
    return hf_scf_create_list(scf, "damped Fock matrix", scf->method->n_fock, false,
                              ((struct mixed *)*data)->fock, error);
}

static void destroy(void **data)
{
    struct mixed *mixed = *data;
    if (mixed != NULL) hf_scf_destroy_list(mixed->fock);
    *data = NULL;
}

/** The l of the lowest energy, but at least 0.05. If the slope may be an effect of screening, l of the step before. */
static double best_share(const struct hf_scf *scf, const struct mixed *mixed, double slope,
                         double curvature)
{
    const double least = 0.05;
    const double rounding = 10.0 * DBL_EPSILON * fabs(scf->result->energy);
    if (fabs(slope) < fmax(rounding, scf->two_electron.threshold)) return mixed->share;
    if (!(curvature > -slope)) return 1.0; /* still falling at l = 1 */
    return fmax(least, -slope / curvature);
}

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct mixed *mixed = data;
    const struct hf_scf_result *result = scf->result;
    const double core_energy = result->one_electron;
    const double fock_energy = core_energy + 2.0 * result->two_electron;
    double share = 1.0, crossed = fock_energy; /* tr F~ D */
    *label = "damping";
    /* tr F D~ is found as if F~ were of the same integrals: with sharper ones mixing begins again */
    if (scf->two_electron.threshold < mixed->threshold) mixed->begun = false;
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    if (mixed->begun) {
        const struct hf_determinant of = hf_scf_determinant(scf);
        status = hf_trace_of_orbitals(&of, mixed->fock, &crossed, error);
        const double other = mixed->core_energy + crossed - core_energy; /* tr F D~ */
        const double slope = crossed - mixed->fock_energy;
        const double curvature = fock_energy - other - slope;
        share = best_share(scf, mixed, slope + result->smearing_entropy_term - mixed->entropy_term,
                           curvature);
        mixed->fock_energy = (1.0 - share) * (1.0 - share) * mixed->fock_energy +
                             share * (1.0 - share) * (crossed + other) +
                             share * share * fock_energy;
    } else {
        mixed->fock_energy = fock_energy;
    }
    mixed->core_energy += share * (core_energy - mixed->core_energy);
    mixed->entropy_term += share * (result->smearing_entropy_term - mixed->entropy_term);
    mixed->threshold = scf->two_electron.threshold;
    mixed->share = share;
    mixed->begun = true;
    for (int k = 0; k < scf->method->n_fock && status == HF_OK; k++) {
        hf_matrix_add(share, scf->fock[k], 1.0 - share, mixed->fock[k]);
        hf_matrix_copy(mixed->fock[k], scf->fock[k]);
    }
    hf_scf_destroy_list(scf->commutator);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
    return status == HF_OK ? hf_scf_diagonalise(scf, error) : status;
}

const struct hf_converger_ops hf_converger_damping = {
    .name = "damping",
    .about = "mixes each Fock matrix with earlier ones; the energy decides how much",
    .cite = "Cances, Le Bris, Int. J. Quantum Chem. 79, 82 (2000)",
    .create = create,
    .destroy = destroy,
    .step = step,
};

/** What `auto` does with fractional occupations. DIIS is used until the commutators vanish. They show whether density
 *  and Fock matrix have the same orbitals, not whether the occupations are those of the energies. If symmetry
 *  determines the orbitals, commutators are only rounding from the beginning, and their combinations lead anywhere (H2
 *  in a minimal basis, 3 angstrom: 27 iterations, not 10). Optimal damping of the free energy follows. */
static hf_status step_smeared(struct hf_scf *scf, void *data, const char **label,
                              struct hf_error *error)
{
    const double vanishing = 1e-3; /* of the tolerance */
    if (scf->result->commutator > vanishing * scf->settings->commutator_tolerance)
        return hf_scf_step_diis(scf, NULL, label, error);
    return step(scf, data, label, error);
}

const struct hf_converger_ops hf_converger_smearing = {
    .name = "auto",
    .about = "diis; damping where only occupations change",
    .cite = "Pulay, J. Comput. Chem. 3, 556 (1982)",
    .create = create,
    .destroy = destroy,
    .step = step_smeared,
};
