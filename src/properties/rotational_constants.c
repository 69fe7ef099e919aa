/* Mass, moments of inertia and rotational constants of the nuclei. */
#include "properties_private.h"

#include <math.h>

/** Moments of inertia below this part of the largest are those of a line of atoms, or of one. */
static const double NO_INERTIA = 1e-10;

/** Makes element (p,q) of a symmetric 3 x 3 matrix zero. */
static void rotate(double a[3][3], int p, int q)
{
    if (a[p][q] == 0.0) return;
    const int r = 3 - p - q;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    const double c = 1.0 / hypot(t, 1.0), s = t * c;
    const double pr = a[p][r], qr = a[q][r];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[p][r] = a[r][p] = c * pr - s * qr;
    a[q][r] = a[r][q] = s * pr + c * qr;
}

/** Eigenvalues, ascending, by the rotations of Jacobi; `a` is destroyed. */
static void diagonalise(double a[3][3], double eigenvalue[3])
{
    enum { N_SWEEP = 12 }; /* they converge quadratically: five are enough */
    for (int i = 0; i < N_SWEEP; i++) {
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        int at = i;
        for (; at > 0 && eigenvalue[at - 1] > a[i][i]; at--) eigenvalue[at] = eigenvalue[at - 1];
        eigenvalue[at] = a[i][i];
    }
}

void hf_add_rotation(const struct hf_molecule *molecule, struct hf_properties *properties)
{
    double tensor[3][3];
    hf_molecule_inertia(molecule, &properties->mass, properties->centre_of_mass, tensor);
    diagonalise(tensor, properties->inertia);
    for (int d = 0; d < 3; d++) {
        const double inertia = properties->inertia[d];
        const bool none = !(inertia > NO_INERTIA * properties->inertia[2]);
        if (none) properties->inertia[d] = 0.0;
        properties->rotational_ghz[d] =
            none ? INFINITY : HF_HARTREE_IN_GHZ / (2.0 * inertia * HF_MASS_UNIT_IN_ELECTRON_MASSES);
    }
}
