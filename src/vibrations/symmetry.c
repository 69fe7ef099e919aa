/* How many rotations carry a molecule onto itself.
 *
 * Two atoms that are not on a line with the centre fix a rotation by where they go: all pairs of places that are
 * as far from the centre and from each other are tried. Whether a molecule is linear is the body's question; one
 * that is counts as its projection onto the axis. */
#include "vibrations_private.h"

#include "base/arithmetic.h"

#include <math.h>

/** How near an atom must come to another one, bohr. */
static const double NEAR = 0.01;

struct frame {
    double axis[3][3]; /**< orthonormal rows, right-handed */
};

static bool are_alike(const struct hf_atom *one, const struct hf_atom *other)
{
    return one->atomic_number == other->atomic_number && hf_atom_mass(one) == hf_atom_mass(other);
}

static void from_centre(const struct hf_molecule *molecule, const double centre[3], int i,
                        double r[3])
{
    for (int x = 0; x < 3; x++) r[x] = molecule->atom[i].position_bohr[x] - centre[x];
}

static double area_of(const double a[3], const double b[3])
{
    double normal[3];
    hf_cross(a, b, normal);
    return sqrt(hf_dot3(normal, normal));
}

/** False: a and b are on a line through the centre, or one of them is there. */
static bool make_frame(const double a[3], const double b[3], struct frame *frame)
{
    hf_cross(a, b, frame->axis[2]);
    const double area = sqrt(hf_dot3(frame->axis[2], frame->axis[2]));
    const double length = sqrt(hf_dot3(a, a));
    if (area <= 0.0) return false;
    for (int x = 0; x < 3; x++) {
        frame->axis[0][x] = a[x] / length;
        frame->axis[2][x] /= area;
    }
    hf_cross(frame->axis[2], frame->axis[0], frame->axis[1]);
    return true;
}

/** Whether an atom like `i` is at `place`. */
static bool is_there(const struct hf_molecule *molecule, const double centre[3], int i,
                     const double place[3])
{
    for (int j = 0; j < molecule->n_atom; j++) {
        double r[3];
        from_centre(molecule, centre, j, r);
        for (int x = 0; x < 3; x++) r[x] -= place[x];
        if (are_alike(&molecule->atom[i], &molecule->atom[j]) && hf_dot3(r, r) < NEAR * NEAR)
            return true;
    }
    return false;
}

/** Whether every atom comes to one like it when `from` is turned to `to`. */
static bool is_carried(const struct hf_molecule *molecule, const double centre[3],
                       const struct frame *from, const struct frame *to)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        double r[3], turned[3] = {0.0};
        from_centre(molecule, centre, i, r);
        for (int x = 0; x < 3; x++)
            for (int k = 0; k < 3; k++) turned[x] += to->axis[k][x] * hf_dot3(from->axis[k], r);
        if (!is_there(molecule, centre, i, turned)) return false;
    }
    return true;
}

/** Whether half a turn carries a linear molecule onto itself: it inverts the places along the axis. */
static bool is_turned(const struct hf_molecule *molecule, const struct hf_body *body)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        double r[3], s[3];
        bool found = false;
        from_centre(molecule, body->centre, i, r);
        for (int j = 0; j < molecule->n_atom && !found; j++) {
            from_centre(molecule, body->centre, j, s);
            found = are_alike(&molecule->atom[i], &molecule->atom[j]) &&
                    fabs(hf_dot3(r, body->axis[0]) + hf_dot3(s, body->axis[0])) < NEAR;
        }
        if (!found) return false;
    }
    return true;
}

/** The two atoms that fix a rotation best. */
static void find_two(const struct hf_molecule *molecule, const double centre[3], int two[2])
{
    double a[3], b[3], largest = -1.0;
    for (int i = 0; i < molecule->n_atom; i++)
        for (int j = 0; j < i; j++) {
            from_centre(molecule, centre, i, a);
            from_centre(molecule, centre, j, b);
            if (area_of(a, b) <= largest) continue;
            largest = area_of(a, b);
            two[0] = i;
            two[1] = j;
        }
}

/** Whether places r of atoms like the two are as far from the centre and from each other. */
static bool fits(const double a[3], const double b[3], const double r[3], const double s[3])
{
    return fabs(sqrt(hf_dot3(a, a)) - sqrt(hf_dot3(r, r))) < NEAR &&
           fabs(sqrt(hf_dot3(b, b)) - sqrt(hf_dot3(s, s))) < NEAR &&
           fabs(hf_dot3(a, b) - hf_dot3(r, s)) <
               2.0 * NEAR * (sqrt(hf_dot3(a, a)) + sqrt(hf_dot3(b, b)));
}

int hf_symmetry_number_find(const struct hf_molecule *molecule, const struct hf_body *body)
{
    const double *centre = body->centre;
    int two[2] = {0}, n = 0;
    double a[3], b[3], r[3], s[3];
    struct frame from, to;
    const int n_rotation = hf_body_n_rotation(body);
    if (n_rotation < 3) return n_rotation == 2 && is_turned(molecule, body) ? 2 : 1;
    find_two(molecule, centre, two);
    from_centre(molecule, centre, two[0], a);
    from_centre(molecule, centre, two[1], b);
    if (!make_frame(a, b, &from)) return 1;
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
