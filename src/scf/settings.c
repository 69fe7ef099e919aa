/* Settings of a calculation: defaults and checks. */
#include "converger.h"

#include "guess/guess_input.h"

#include <string.h>

static const double MOST_TEMPERATURE = 0.2; /* kT, hartree */

const struct hf_phase hf_phase_one_electron = {.name = "One-electron integrals"};
const struct hf_phase hf_phase_guess = {.name = "Initial guess"};

void hf_scf_declare_phases(struct hf_timers *timers)
{
    hf_timers_declare(timers, &hf_phase_setup);
    hf_timers_declare(timers, &hf_phase_one_electron);
    hf_timers_declare(timers, &hf_phase_guess);
    hf_fock_declare_phases(timers);
    hf_timers_declare(timers, &hf_phase_diagonalise);
    hf_timers_declare(timers, &hf_phase_linear_algebra);
}

struct hf_scf_settings hf_scf_defaults(void)
{
    return (struct hf_scf_settings){
        .method = "rhf",
        .guess = "sad",
        .converger = "auto",
        .max_iteration = 100,
        .energy_tolerance = 1e-8,
        .commutator_tolerance = 1e-5,
        .linear_dependence_threshold = 1e-6,
        .screening_threshold = 1e-12,
        .diis_size = 8,
        .fock = {.builder = "replicated",
                 .schedule = {.name = "steal"},
                 .onesided = {.transport = "thread"},
                 .grain = HF_GRAIN_ATOM_QUARTET,
                 .n_thread = 1,
                 .precision = HF_MIXED_PRECISION,
                 .store_threshold = 1e-12},
    };
}

hf_status hf_scf_settings_check(const struct hf_scf_settings *settings, const char **member,
                                struct hf_error *error)
{
#define SMEARED    "fractional occupations (smearing) are not possible with "
#define OVERLAPPED "maximum overlap is not possible with "
    const char *method = settings->method != NULL ? settings->method : "";
    const char *converger = settings->converger != NULL ? settings->converger : "";
    const double kt = settings->smearing, shift = settings->level_shift;
    const bool rohf = strcmp(method, "rohf") == 0, held = settings->max_overlap;
    const bool newton = strcmp(converger, hf_converger_newton.name) == 0;
    const bool lowers = newton || strcmp(converger, "adiis") == 0;
    const struct {
        bool holds;
        const char *member, *why;
    } conflicts[] = {
        {kt > 0.0 && rohf, "smearing",
         SMEARED "method rohf, whose shells have whole occupations; use uhf"},
        {kt > 0.0 && settings->stability != HF_STABILITY_NONE, "smearing",
         SMEARED "a stability analysis, which needs whole occupations"},
        {kt > 0.0 && lowers, "smearing",
         SMEARED
         "converger newton or adiis, which leave out the entropy; use auto, diis or damping"},
        {kt > 0.0 && shift > 0.0, "smearing",
         SMEARED "a level shift, which changes the energies that the occupations come from"},
        {held && rohf, "max_overlap",
         OVERLAPPED "method rohf, whose shells share orbitals; use uhf"},
        {held && settings->stability == HF_STABILITY_FOLLOW, "max_overlap",
         OVERLAPPED "stability follow, which leaves the solution"},
        {held && lowers, "max_overlap",
         OVERLAPPED
         "converger newton or adiis, which only lower the energy; use auto, diis or damping"},
        {held && kt > 0.0, "max_overlap", OVERLAPPED "fractional occupations (smearing)"},
        {shift > 0.0 && newton, "level_shift",
         "a level shift is not possible with converger newton, which limits its steps itself; use "
         "auto, diis or damping"},
    };
    *member = "guess_mix";
    if (settings->guess_mix && strcmp(method, hf_method_uhf.name) != 0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of alpha and beta may differ with method uhf only; the method is %s", method);
    *member = "smearing";
    if (!(kt >= 0.0 && kt <= MOST_TEMPERATURE))
        return hf_fail(error, HF_BAD_INPUT,
                       "the temperature of electrons must be 0 to %g hartree, found %g",
                       MOST_TEMPERATURE, kt);
    *member = "level_shift";
    if (!(shift >= 0.0))
        return hf_fail(error, HF_BAD_INPUT, "the level shift cannot be %g hartree", shift);
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        *member = conflicts[i].member;
        if (conflicts[i].holds) return hf_fail(error, HF_BAD_INPUT, "%s", conflicts[i].why);
    }
    return HF_OK;
}

hf_status hf_scf_check(const struct hf_molecule *molecule, const struct hf_scf_settings *settings,
                       const struct hf_method_ops **method, struct hf_spin_count *n_electron,
                       struct hf_error *error)
{
    const struct hf_guess_ops *guess;
    const char *member;
    hf_status status;
    if (settings->guess == NULL || settings->fock.builder == NULL ||
        settings->fock.schedule.name == NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "guess, Fock builder and scheduler must be named; a name is NULL");
    if (hf_fock_is_distributed(settings->fock.builder) && settings->fock.onesided.transport == NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "a Fock builder with distributed matrices needs a one-sided transport; its "
                       "name is NULL");
    HF_TRY(hf_method_find(settings->method, method, error));
    HF_TRY(hf_method_check(settings->method, molecule, error));
    HF_TRY(hf_scf_settings_check(settings, &member, error));
    HF_TRY(hf_spin_count_of(molecule, n_electron, error));
    if (settings->orbitals == NULL && settings->restart == NULL)
        HF_TRY(hf_guess_find(settings->guess, &guess, error));
    if (settings->max_iteration < 1)
        status = hf_fail(error, HF_BAD_INPUT, "at least one iteration is needed, found %d",
                         settings->max_iteration);
    else if (!(settings->energy_tolerance > 0.0) || !(settings->commutator_tolerance > 0.0) ||
             !(settings->screening_threshold > 0.0) ||
             !(settings->linear_dependence_threshold > 0.0))
        status = hf_fail(error, HF_BAD_INPUT, "tolerances and thresholds must be positive");
    else if (settings->diis_size < 0 || settings->diis_size > HF_MAX_DIIS)
        status = hf_fail(error, HF_BAD_INPUT, "the DIIS history cannot have %d matrices",
                         settings->diis_size);
cleanup:
    return status;
}
