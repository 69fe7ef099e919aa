/* Steps of the converger that suits the course of the calculation.
 *
 * DIIS comes first: it is the fastest near the solution, and for ordinary molecules from the guess on. It
 * does not use the energy, and far from the solution the energy may rise or oscillate. In many molecules it
 * rises once, in the first step from the atoms, and falls with the next. If it is too high twice in
 * succession, ADIIS follows, which always lowers the energy, until convergence is near.
 *
 * Both may converge to a saddle point. In UHF nothing shows it; closed shells then have a small gap. The gap of ROHF
 * depends on a convention and shows little. Near convergence a few trial densities show whether the Hessian has a
 * negative eigenvalue. If it has, or if there is no progress for long, second-order steps follow. Only they leave a
 * saddle point and progress along soft directions, but each costs several times a step of DIIS. DIIS returns when the
 * saddle point is left and the gap is large enough; then the solution that it approaches is looked at, too.
 *
 * Without this 129 of 381 points of 27 curves of breaking bonds, and F2+, O3, C2, FeO, CuO, CrO, NiC, the iron atom and
 * ferrocene end higher, by 0.006 to 0.33 hartree.
 *
 * Source   Garza, Scuseria, J. Chem. Phys. 137, 054110 (2012), who mix DIIS and ADIIS by the size of
 *          the commutator alone. */
#include "base/arithmetic.h"
#include "converger.h"

#include <math.h>

static const double RISE = 1e-3;             /* hartree above the lowest energy that is too much */
static const double FAR_COMMUTATOR = 1e-2;   /* below: a higher energy means nothing */
static const double GAIN = 0.7;              /* a smaller commutator by this is progress */
static const double CLOSE_COMMUTATOR = 1e-3; /* below: the Hessian is about that of the solution */
/* Hartree. A smaller gap is a sign of a saddle point; with a larger one closed shells had none (N2 has one at 0.49). */
static const double SMALL_GAP = 0.36, LARGE_GAP = 0.5;
/** Hartree; a minimum's lowest eigenvalue of the Hessian is larger. */
static const double FIRM = 0.01;
enum { MOST_IDLE = 5, MOST_RISING = 1, LEAST_INTERPOLATED = 3 };

/** Observations so far. */
struct course {
    double lowest_energy;       /* hartree */
    double smallest_commutator; /* after the last progress */
    int n_idle;                 /* iterations since */
    int n_rising;               /* iterations in succession whose energy was too high */
    int n_interpolated;         /* steps by ADIIS; 0: DIIS */
    bool interpolated;          /* ADIIS was needed */
    bool leaves;                /* scf->occupied lie beyond a saddle point, not evaluated yet */
    bool has_looked;            /* for a way down; or those did whose orbitals are the first */
    bool has_left;              /* a saddle point, and not returned to DIIS since */
    void *newton;               /* data of the second-order converger, while it is needed */
};

static hf_status create(struct hf_scf *scf, void **data, struct hf_error *error)
{
    HF_CHECK(
        hf_scf_take_data(scf, "the course of convergence", sizeof(struct course), data, error));
    *(struct course *)*data = (struct course){.lowest_energy = INFINITY,
                                              .smallest_commutator = INFINITY,
                                              .has_looked = hf_scf_starts_near(scf->settings)};
    return HF_OK;
}

static void destroy(void **data)
{
    struct course *course = *data;
    if (course != NULL) hf_converger_newton.destroy(&course->newton);
    *data = NULL;
}

/** Looks at the last iteration; true when nothing makes progress. */
static bool look(struct course *course, const struct hf_scf *scf)
{
    const struct hf_scf_result *result = scf->result;
    const bool far = result->commutator > FAR_COMMUTATOR;
    const bool rises = far && result->energy > course->lowest_energy + RISE;
    course->n_idle++;
    if (result->commutator < GAIN * course->smallest_commutator) {
        course->smallest_commutator = result->commutator;
        course->n_idle = 0;
    }
    course->lowest_energy = fmin(course->lowest_energy, result->energy);
    course->n_rising = rises ? course->n_rising + 1 : 0;
    if (course->n_interpolated > 0 || course->n_rising > MOST_RISING) {
        course->n_interpolated++;
        course->interpolated = true;
    }
    if (course->n_interpolated > LEAST_INTERPOLATED && !far) course->n_interpolated = 0;
    return course->n_idle >= MOST_IDLE;
}

/** Second-order steps from now on; what DIIS remembers makes room for them. */
static hf_status begin_newton(struct hf_scf *scf, struct course *course, struct hf_error *error)
{
    hf_diis_forget(scf->diis);
    scf->search.strayed = true;
    return hf_converger_newton.create(scf, &course->newton, error);
}

/** Hartree; by how much a hole and an electron attract each other if both are smeared over the molecule: 1 / (s sqrt(pi))
 *  of two Gaussians of mean square radius 3 s^2. Closed shells need a smaller gap to be unstable. */
static double attraction(const struct hf_molecule *molecule)
{
    static const double OF_ATOM = 1.5; /* bohr^2; mean square radius of valence shells */
    double charge = 0.0, first[3] = {0.0}, second = 0.0;
    for (int i = 0; i < molecule->n_atom; i++) {
        const double z = hf_molecule_nuclear_charge(molecule, i),
                     *r = molecule->atom[i].position_bohr;
        charge += z;
        for (int k = 0; k < 3; k++) {
            first[k] += z * r[k];
            second += z * r[k] * r[k];
        }
    }
    const double square = first[0] * first[0] + first[1] * first[1] + first[2] * first[2];
    const double spread = charge > 0.0 ? (second - square / charge) / charge : 0.0;
    return sqrt(3.0 / (HF_PI * (spread + OF_ATOM)));
}

/** Whether the iterations may approach a saddle point, and this was not examined yet. */
static bool is_doubtful(const struct course *course, const struct hf_scf *scf)
{
    const bool closed = scf->n_electron.alpha == scf->n_electron.beta;
    if (course->newton != NULL || course->has_looked) return false;
    return course->interpolated || scf->method->n_set == 2 || scf->gap < SMALL_GAP ||
           (closed && scf->gap < fmin(LARGE_GAP, attraction(scf->molecule)));
}

/** Looks for a way down from a saddle point. */
static hf_status look_down(struct hf_scf *scf, struct course *course, struct hf_error *error)
{
    HF_CHECK(hf_scf_leave_saddle(scf, &course->leaves, error));
    if (course->leaves) HF_CHECK(begin_newton(scf, course, error));
    course->has_looked = true;
    course->has_left = course->leaves;
    return HF_OK;
}

/** Whether the minimum is so close that DIIS also finds it, at a fraction of the cost. */
static bool is_close_to_minimum(const struct course *course, const struct hf_scf *scf)
{
    return course->has_left && !course->leaves && scf->result->commutator < CLOSE_COMMUTATOR &&
           scf->gap > FIRM;
}

/** Back to DIIS, once: if that idles, second-order steps do the rest. They do all if DIIS idled before: it
 *  would end in a valley whose lower end only they find, as for FeO and NiO. */
static void return_to_diis(struct hf_scf *scf, struct course *course)
{
    hf_converger_newton.destroy(&course->newton);
    scf->soft = true;
    course->has_left = course->has_looked = false;
    course->smallest_commutator = INFINITY;
    course->n_idle = 0;
}

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct course *course = data;
    if (is_close_to_minimum(course, scf)) return_to_diis(scf, course);
    if (course->newton == NULL && look(course, scf)) HF_TRY(begin_newton(scf, course, error));
    if (scf->result->commutator < CLOSE_COMMUTATOR && is_doubtful(course, scf))
        HF_TRY(look_down(scf, course, error));
    if (course->leaves)
        *label = "follow";
    else if (course->newton != NULL)
        status = hf_converger_newton.step(scf, course->newton, label, error);
    else if (course->n_interpolated > 0)
        status = hf_scf_step_adiis(scf, NULL, label, error);
    else
        status = hf_scf_step_diis(scf, NULL, label, error);
    course->leaves = false;
cleanup:
    return status;
}

/** A few iterations may lead to a saddle point before the time to look. */
static hf_status confirm(struct hf_scf *scf, void *data, bool *converged, struct hf_error *error)
{
    struct course *course = data;
    if (is_doubtful(course, scf)) HF_CHECK(look_down(scf, course, error));
    *converged = !course->leaves;
    return HF_OK;
}

const struct hf_converger_ops hf_converger_auto = {
    .name = "auto",
    .about = "diis; adiis if the energy rises; newton if these stall or may lead to a saddle point",
    .cite = "Garza, Scuseria, J. Chem. Phys. 137, 054110 (2012)",
    .keeps_orbitals = true,
    .create = create,
    .destroy = destroy,
    .step = step,
    .confirm = confirm,
};
