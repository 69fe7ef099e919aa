/* Ideal gas of rigid rotors and harmonic oscillators.
 *
 * Source: McQuarrie, Statistical Mechanics (1976), chapters 5 to 8. */
#include "vibrations_private.h"

#include "base/arithmetic.h"
#include "hf/units.h"

#include <math.h>

/** CODATA 2018: Boltzmann's constant in hartree/kelvin and in joule/kelvin, Planck's constant, mass unit in kg. */
static const double BOLTZMANN = 3.166811563455546e-6, BOLTZMANN_SI = 1.380649e-23,
                    PLANCK_SI = 6.62607015e-34, MASS_UNIT_KG = 1.66053906660e-27;

static void add_translation(double mass, struct hf_thermochemistry *of)
{
    const double kt = BOLTZMANN_SI * of->gas.temperature;
    const double volume = kt / of->gas.pressure;
    const double q =
        pow(2.0 * HF_PI * mass * MASS_UNIT_KG * kt / (PLANCK_SI * PLANCK_SI), 1.5) * volume;
    of->energy[HF_TRANSLATION] = 1.5 * BOLTZMANN * of->gas.temperature;
    of->heat_capacity[HF_TRANSLATION] = 1.5 * BOLTZMANN;
    of->entropy[HF_TRANSLATION] = BOLTZMANN * (log(q) + 2.5);
}

static void add_rotation(int n_rotation, struct hf_thermochemistry *of)
{
    double q = 1.0 / of->gas.symmetry_number;
    if (n_rotation == 0) return;
    for (int k = 3 - n_rotation; k < 3; k++)
        q *= sqrt(of->gas.temperature / of->rotational_temperature[k]);
    if (n_rotation == 3) q *= sqrt(HF_PI);
    of->heat_capacity[HF_ROTATION] = 0.5 * n_rotation * BOLTZMANN;
    of->energy[HF_ROTATION] = of->heat_capacity[HF_ROTATION] * of->gas.temperature;
    of->entropy[HF_ROTATION] = BOLTZMANN * log(q) + of->heat_capacity[HF_ROTATION];
}

/** One oscillator. */
static void add_vibration(double per_cm, struct hf_thermochemistry *of)
{
    const double quantum = per_cm / HF_HARTREE_IN_PER_CM;
    const double x = quantum / (BOLTZMANN * of->gas.temperature), less = -expm1(-x);
    const double excited = exp(-x) / less; /* mean number of quanta */
    of->zero_point += 0.5 * quantum;
    of->energy[HF_VIBRATION] += quantum * (0.5 + excited);
    of->heat_capacity[HF_VIBRATION] += BOLTZMANN * x * x * excited / less;
    of->entropy[HF_VIBRATION] += BOLTZMANN * (x * excited - log(less));
}

static void add_up(struct hf_thermochemistry *of)
{
    for (int k = 0; k < HF_N_MOTION; k++) {
        of->total_energy += of->energy[k];
        of->total_entropy += of->entropy[k];
        of->heat_capacity_v += of->heat_capacity[k];
    }
    of->enthalpy = of->total_energy + BOLTZMANN * of->gas.temperature;
    of->gibbs = of->enthalpy - of->gas.temperature * of->total_entropy;
}

void hf_thermochemistry_find(const struct hf_molecule *molecule, const struct hf_body *body,
                             const struct hf_gas *gas, struct hf_vibrations *vibrations)
{
    struct hf_thermochemistry *of = &vibrations->thermochemistry;
    const int n_rotation = hf_body_n_rotation(body);
    const double scale = gas->scale > 0.0 ? gas->scale : 1.0;
    *of = (struct hf_thermochemistry){.gas = *gas, .symmetry_found = gas->symmetry_number == 0};
    of->gas.scale = scale;
    if (of->symmetry_found) of->gas.symmetry_number = hf_symmetry_number_find(molecule, body);
    for (int k = 0; k < 3; k++) /* hbar^2 / 2 I k */
        of->rotational_temperature[k] =
            k < 3 - n_rotation
                ? INFINITY
                : 0.5 / (body->inertia[k] * HF_MASS_UNIT_IN_ELECTRON_MASSES * BOLTZMANN);
    if (!vibrations->held) { /* what holds it keeps it from moving as a whole */
        add_translation(body->mass, of);
        add_rotation(n_rotation, of);
    }
    for (int k = 0; k < vibrations->n_mode; k++)
        if (vibrations->frequency[k] > 0.0) add_vibration(scale * vibrations->frequency[k], of);
    of->entropy[HF_ELECTRONIC] = BOLTZMANN * log(molecule->multiplicity);
    add_up(of);
}
