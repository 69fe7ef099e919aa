/* Normal modes from a Hessian, with translations and rotations projected out. */
#include "vibrations_private.h"

#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"
#include "hf/units.h"

#include <math.h>
#include <string.h>

/** N_A e^2 / (12 epsilon_0 c^2 m_u), CODATA 2018: km/mol for a derivative of the dipole of 1 e / sqrt(mass unit). */
static const double INTENSITY = 974.8801118;

hf_status hf_vibrations_create(const struct hf_molecule *molecule, struct hf_vibrations *vibrations,
                               struct hf_error *error)
{
    const size_t n = 3 * (size_t)molecule->n_atom;
    *vibrations =
        (struct hf_vibrations){.n_atom = molecule->n_atom, .arena = {.label = "vibrations"}};
    vibrations->held = hf_is_held(molecule);
    HF_TAKE(&vibrations->arena, vibrations->hessian, n * n);
    HF_TAKE(&vibrations->arena, vibrations->mode, n * n);
    HF_TAKE(&vibrations->arena, vibrations->dipole_derivative, 3 * n);
    HF_TAKE(&vibrations->arena, vibrations->frequency, n);
    HF_TAKE(&vibrations->arena, vibrations->reduced_mass, n);
    HF_TAKE(&vibrations->arena, vibrations->intensity, n);
    return hf_arena_check(&vibrations->arena, error);
}

/** Motion k of the body as a whole in mass-weighted coordinates, of norm 1: along, then about an axis. */
static void move_body(const struct hf_molecule *molecule, const struct hf_body *body, int k,
                      double vector[])
{
    double square = 0.0;
    for (int i = 0; i < molecule->n_atom; i++) {
        const double root = sqrt(hf_atom_mass(&molecule->atom[i]));
        const double *axis = body->axis[k % 3];
        double r[3];
        for (int x = 0; x < 3; x++) r[x] = molecule->atom[i].position_bohr[x] - body->centre[x];
        for (int x = 0; x < 3; x++) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            vector[3 * i + x] = root * (k < 3 ? axis[x] : axis[y] * r[z] - axis[z] * r[y]);
            square += vector[3 * i + x] * vector[3 * i + x];
        }
    }
    for (int i = 0; i < 3 * molecule->n_atom; i++) vector[i] /= sqrt(square);
}

/** a := (1 - v v^T) a (1 - v v^T) + most v v^T for a symmetric a [n][n]; `work` [n]. */
static void project(int n, const double v[], double most, double a[], double work[])
{
    double both = 0.0;
    for (int i = 0; i < n; i++) {
        work[i] = 0.0;
        for (int j = 0; j < n; j++) work[i] += a[(size_t)i * (size_t)n + (size_t)j] * v[j];
        both += v[i] * work[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[(size_t)i * (size_t)n + (size_t)j] +=
                (both + most) * v[i] * v[j] - work[i] * v[j] - v[i] * work[j];
}

/** Mass-weighted Hessian in `mode`; motions of the whole get an eigenvalue above all others. Along and about
 *  principal axes through the centre these motions are orthogonal. */
static void weigh(const struct hf_molecule *molecule, const struct hf_body *body,
                  struct hf_vibrations *vibrations, double work[])
{
    const int n = 3 * molecule->n_atom, n_rotation = hf_body_n_rotation(body);
    double most = 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const size_t at = (size_t)i * (size_t)n + (size_t)j;
            const double mass =
                hf_atom_mass(&molecule->atom[i / 3]) * hf_atom_mass(&molecule->atom[j / 3]);
            vibrations->mode[at] = vibrations->hessian[at] / sqrt(mass);
            most += fabs(vibrations->mode[at]);
        }
    vibrations->n_mode = n;
    if (vibrations->held) return;
    for (int k = 0; k < 6; k++) { /* a linear body does not turn about its first axis */
        if (k >= 3 && k < 6 - n_rotation) continue;
        move_body(molecule, body, k, work);
        project(n, work, most, vibrations->mode, work + n);
        vibrations->n_mode--;
    }
}

/** Frequency, reduced mass, intensity and Cartesian displacements of mode k from its eigenvector. */
static void describe_mode(const struct hf_molecule *molecule, struct hf_vibrations *vibrations,
                          int k, double eigenvalue)
{
    const int n = 3 * molecule->n_atom;
    double *mode = vibrations->mode + (size_t)k * (size_t)n, slope[3] = {0.0}, square = 0.0;
    for (int i = 0; i < n; i++) {
        mode[i] /= sqrt(hf_atom_mass(&molecule->atom[i / 3]));
        square += mode[i] * mode[i];
        for (int x = 0; x < 3; x++)
            slope[x] += vibrations->dipole_derivative[3 * (size_t)i + (size_t)x] * mode[i];
    }
    vibrations->frequency[k] =
        copysign(sqrt(fabs(eigenvalue) / HF_MASS_UNIT_IN_ELECTRON_MASSES), eigenvalue) *
        HF_HARTREE_IN_PER_CM;
    vibrations->reduced_mass[k] = 1.0 / square;
    vibrations->intensity[k] =
        INTENSITY * (slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
    for (int i = 0; i < n; i++) mode[i] /= sqrt(square);
}

hf_status hf_vibrations_analyse(const struct hf_molecule *molecule, const struct hf_gas *gas,
                                struct hf_vibrations *vibrations, struct hf_error *error)
{
    const int n = 3 * molecule->n_atom;
    struct hf_body body;
    HF_CHECK(hf_body_find(molecule, &body, error));
    double *work = HF_TAKE(&vibrations->arena, work, 2 * (size_t)n);
    HF_CHECK(hf_arena_check(&vibrations->arena, error));
    weigh(molecule, &body, vibrations, work);
    HF_CHECK(hf_eigen_small(n, vibrations->mode, work, error));
    for (int k = 0; k < vibrations->n_mode; k++) describe_mode(molecule, vibrations, k, work[k]);
    hf_thermochemistry_find(molecule, &body, gas, vibrations);
    return HF_OK;
}
