/* How many rotations carry a molecule onto itself.
 *
 * Two atoms that are not on a line with the centre fix a rotation by where they go: all pairs of places that are
 * as far from the centre and from each other are tried. */
#include "vibrations_private.h"

#include <math.h>

/** How near an atom must come to another one, bohr; and sine of an angle that is none. */
static const double NEAR = 0.01, STRAIGHT = 0.02;

struct frame {
    double axis[3][3]; /**< orthonormal rows, right-handed */
};

static bool are_alike(const struct hf_atom *one, const struct hf_atom *other)
{
    return one->atomic_number == other->atomic_number && hf_atom_mass(one) == hf_atom_mass(other);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int x = 0; x < 3; x++)
        c[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

static void from_centre(const struct hf_molecule *molecule, const double centre[3], int i,
                        double r[3])
{
    for (int x = 0; x < 3; x++) r[x] = molecule->atom[i].position_bohr[x] - centre[x];
}

/** False: a and b are on a line through the centre, or one of them is there. */
static bool make_frame(const double a[3], const double b[3], struct frame *frame)
{
    cross(a, b, frame->axis[2]);
    const double area = sqrt(dot(frame->axis[2], frame->axis[2]));
    const double length = sqrt(dot(a, a)), other = sqrt(dot(b, b));
    if (length < NEAR || other < NEAR || area < STRAIGHT * length * other) return false;
    for (int x = 0; x < 3; x++) {
        frame->axis[0][x] = a[x] / length;
        frame->axis[2][x] /= area;
    }
    cross(frame->axis[2], frame->axis[0], frame->axis[1]);
    return true;
}

/** Whether every atom comes to one like it when `from` is turned to `to`, or is inverted without frames. */
static bool is_carried(const struct hf_molecule *molecule, const double centre[3],
                       const struct frame *from, const struct frame *to)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        double r[3], turned[3] = {0.0}, other[3];
        bool found = false;
        from_centre(molecule, centre, i, r);
        for (int x = 0; x < 3; x++)
            for (int k = 0; k < 3 && from != NULL; k++)
                turned[x] += to->axis[k][x] * dot(from->axis[k], r);
        for (int x = 0; x < 3 && from == NULL; x++) turned[x] = -r[x];
        for (int j = 0; j < molecule->n_atom && !found; j++) {
            from_centre(molecule, centre, j, other);
            for (int x = 0; x < 3; x++) other[x] -= turned[x];
            found = are_alike(&molecule->atom[i], &molecule->atom[j]) &&
                    dot(other, other) < NEAR * NEAR;
        }
        if (!found) return false;
    }
    return true;
}

/** Two atoms that fix a rotation; false: all are on a line. */
static bool find_two(const struct hf_molecule *molecule, const double centre[3], int two[2],
                     struct frame *frame)
{
    double a[3], b[3];
    for (two[0] = 0; two[0] < molecule->n_atom; two[0]++)
        for (two[1] = 0; two[1] < two[0]; two[1]++) {
            from_centre(molecule, centre, two[0], a);
            from_centre(molecule, centre, two[1], b);
            if (make_frame(a, b, frame)) return true;
        }
    return false;
}

/** Whether places r of atoms like the two are as far from the centre and from each other. */
static bool fits(const double a[3], const double b[3], const double r[3], const double s[3])
{
    return fabs(sqrt(dot(a, a)) - sqrt(dot(r, r))) < NEAR &&
           fabs(sqrt(dot(b, b)) - sqrt(dot(s, s))) < NEAR &&
           fabs(dot(a, b) - dot(r, s)) < 2.0 * NEAR * (sqrt(dot(a, a)) + sqrt(dot(b, b)));
}

int hf_symmetry_number_find(const struct hf_molecule *molecule, const double centre[3])
{
    int two[2], n = 0;
    double a[3], b[3], r[3], s[3];
    struct frame from, to;
    if (molecule->n_atom == 1) return 1;
    if (!find_two(molecule, centre, two, &from)) /* half a turn is an inversion of a line */
        return is_carried(molecule, centre, NULL, NULL) ? 2 : 1;
    from_centre(molecule, centre, two[0], a);
    from_centre(molecule, centre, two[1], b);
    for (int i = 0; i < molecule->n_atom; i++)
        for (int j = 0; j < molecule->n_atom; j++) {
            if (!are_alike(&molecule->atom[i], &molecule->atom[two[0]]) ||
                !are_alike(&molecule->atom[j], &molecule->atom[two[1]]))
                continue;
            from_centre(molecule, centre, i, r);
            from_centre(molecule, centre, j, s);
            if (fits(a, b, r, s) && make_frame(r, s, &to) &&
                is_carried(molecule, centre, &from, &to))
                n++;
        }
    return n > 0 ? n : 1;
}
