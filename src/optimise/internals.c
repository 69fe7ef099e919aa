/* Values and derivatives of internal coordinates.
 *
 * Source: stretches and bends Wilson, Decius, Cross, Molecular Vibrations (1955); torsions Blondel, Karplus, J. Comput.
 * Chem. 17, 1132 (1996). A linear bend is u.(e_ji + e_jk) of unit vectors from the middle atom, with u across the line:
 * it goes through 180 degrees without a kink. */
#include "internals.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/** Bends beyond are linear; linear ones turn back into bends below. */
static const double LINEAR = 175.0, NOT_LINEAR = 170.0;

/** to = a - b; returns its length. */
static double way(const double a[3], const double b[3], double to[3])
{
    for (int x = 0; x < 3; x++) to[x] = a[x] - b[x];
    return sqrt(hf_dot3(to, to));
}

/** Unit vector from b to a; returns the distance. */
static double unit(const double a[3], const double b[3], double to[3])
{
    const double length = way(a, b, to);
    for (int x = 0; x < 3; x++) to[x] /= length;
    return length;
}

int hf_internal_n_atom(enum hf_internal_kind kind)
{
    static const int n[] = {[HF_PLACE] = 1, [HF_OFFSET] = 2,      [HF_STRETCH] = 2,
                            [HF_BEND] = 3,  [HF_LINEAR_BEND] = 3, [HF_TORSION] = 4};
    return n[kind];
}

double hf_angle(const double a[3], const double centre[3], const double b[3])
{
    double u[3], v[3], w[3];
    unit(a, centre, u);
    unit(b, centre, v);
    hf_cross(u, v, w);
    return atan2(sqrt(hf_dot3(w, w)), hf_dot3(u, v));
}

/** The vectors of a torsion. */
struct torsion {
    double f[3], g[3], h[3], a[3], b[3], length; /**< of g */
};

static struct torsion find_torsion(const int atom[4], const double (*x)[3])
{
    struct torsion t;
    way(x[atom[0]], x[atom[1]], t.f);
    t.length = way(x[atom[1]], x[atom[2]], t.g);
    way(x[atom[3]], x[atom[2]], t.h);
    hf_cross(t.f, t.g, t.a);
    hf_cross(t.h, t.g, t.b);
    return t;
}

double hf_internal_value(const struct hf_internal *internal, const double (*x)[3])
{
    const int *i = internal->atom;
    double u[3], v[3], c[3];
    switch (internal->kind) {
    case HF_PLACE: return hf_dot3(internal->direction, x[i[0]]);
    case HF_OFFSET:
        return hf_dot3(internal->direction, x[i[0]]) - hf_dot3(internal->direction, x[i[1]]);
    case HF_STRETCH: return way(x[i[0]], x[i[1]], u);
    case HF_BEND: return hf_angle(x[i[0]], x[i[1]], x[i[2]]);
    case HF_LINEAR_BEND:
        unit(x[i[0]], x[i[1]], u);
        unit(x[i[2]], x[i[1]], v);
        return hf_dot3(internal->direction, u) + hf_dot3(internal->direction, v);
    case HF_TORSION: break;
    }
    const struct torsion t = find_torsion(i, x);
    hf_cross(t.b, t.a, c);
    return atan2(hf_dot3(c, t.g) / t.length, hf_dot3(t.a, t.b));
}

double hf_internal_difference(const struct hf_internal *internal, double to, double from)
{
    const double turn = 2.0 * acos(-1.0);
    return internal->kind == HF_TORSION ? remainder(to - from, turn) : to - from;
}

/** slope of the unit vector's component along `d`, by the place of its end: (d - (d.e) e) / r. */
static void slope_along(const double d[3], const double e[3], double r, double to[3])
{
    for (int k = 0; k < 3; k++) to[k] = (d[k] - hf_dot3(d, e) * e[k]) / r;
}

/** Of an angle at the middle atom, or of the component of both unit vectors along `d`. */
static void slope_of_three(const struct hf_internal *internal, const double (*x)[3],
                           double slope[4][3])
{
    double u[3], v[3];
    const int *i = internal->atom;
    const double r = unit(x[i[0]], x[i[1]], u), s = unit(x[i[2]], x[i[1]], v);
    if (internal->kind == HF_LINEAR_BEND) {
        slope_along(internal->direction, u, r, slope[0]);
        slope_along(internal->direction, v, s, slope[2]);
    } else {
        const double sine = sin(hf_angle(x[i[0]], x[i[1]], x[i[2]]));
        slope_along(v, u, -r * sine, slope[0]);
        slope_along(u, v, -s * sine, slope[2]);
    }
    for (int k = 0; k < 3; k++) slope[1][k] = -slope[0][k] - slope[2][k];
}

static void slope_of_torsion(const int atom[4], const double (*x)[3], double slope[4][3])
{
    const struct torsion t = find_torsion(atom, x);
    const double aa = hf_dot3(t.a, t.a), bb = hf_dot3(t.b, t.b);
    const double fg = hf_dot3(t.f, t.g) / (aa * t.length), hg = hf_dot3(t.h, t.g) / (bb * t.length);
    for (int k = 0; k < 3; k++) {
        slope[0][k] = -t.length / aa * t.a[k];
        slope[3][k] = t.length / bb * t.b[k];
        const double middle = fg * t.a[k] - hg * t.b[k];
        slope[1][k] = -slope[0][k] + middle;
        slope[2][k] = -slope[3][k] - middle;
    }
}

void hf_internal_slope(const struct hf_internal *internal, const double (*x)[3], double slope[4][3])
{
    switch (internal->kind) {
    case HF_PLACE: memcpy(slope[0], internal->direction, sizeof slope[0]); break;
    case HF_OFFSET:
        memcpy(slope[0], internal->direction, sizeof slope[0]);
        for (int k = 0; k < 3; k++) slope[1][k] = -slope[0][k];
        break;
    case HF_STRETCH:
        unit(x[internal->atom[0]], x[internal->atom[1]], slope[0]);
        for (int k = 0; k < 3; k++) slope[1][k] = -slope[0][k];
        break;
    case HF_BEND:
    case HF_LINEAR_BEND: slope_of_three(internal, x, slope); break;
    case HF_TORSION: slope_of_torsion(internal->atom, x, slope); break;
    }
}

static bool are_equal(const struct hf_internal *a, const struct hf_internal *b)
{
    const int n = hf_internal_n_atom(a->kind);
    bool same = a->kind == b->kind, turned = same;
    for (int i = 0; i < n && a->kind == b->kind; i++) {
        same = same && a->atom[i] == b->atom[i];
        turned = turned && a->atom[i] == b->atom[n - 1 - i];
    }
    return (same || turned) &&
           hf_dot3(a->direction, b->direction) == hf_dot3(a->direction, a->direction);
}

void hf_find_across(const double along[3], double across[3])
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(along[k]) < fabs(along[axis])) axis = k;
    for (int k = 0; k < 3; k++)
        across[k] = (k == axis ? 1.0 : 0.0) - along[k] * along[axis] / hf_dot3(along, along);
}

bool hf_are_bonded_at(const struct hf_molecule *molecule, const double (*x)[3], int i, int j)
{
    struct hf_atom a = molecule->atom[i], b = molecule->atom[j];
    memcpy(a.position_bohr, x[i], sizeof a.position_bohr);
    memcpy(b.position_bohr, x[j], sizeof b.position_bohr);
    return hf_atoms_are_bonded(&a, &b);
}

struct hf_internals hf_internals_begin(int n_atom, bool free_in_space)
{
    return (struct hf_internals){.n_atom = n_atom,
                                 .free_in_space = free_in_space,
                                 .arena = {.label = "internal coordinates"}};
}

void hf_internals_add(struct hf_internals *internals, const struct hf_internal *internal)
{
    for (int i = 0; i < internals->n && internal->fixed; i++) /* lists have none twice otherwise */
        if (are_equal(&internals->list[i], internal)) {
            internals->list[i].fixed = true;
            internals->list[i].target = internal->target;
            return;
        }
    if (hf_arena_grow(&internals->arena, &internals->list, internals->n + 1, &internals->n_room,
                      sizeof *internal))
        internals->list[internals->n++] = *internal;
}

void hf_internals_add_place(struct hf_internals *internals, int atom, bool fixed,
                            const double (*x)[3])
{
    for (int k = 0; k < 3; k++) {
        struct hf_internal place = {.kind = HF_PLACE, .atom = {atom}, .fixed = fixed};
        place.direction[k] = 1.0;
        place.target = x[atom][k];
        hf_internals_add(internals, &place);
    }
}

bool hf_internals_are_bad(const struct hf_internals *internals, const double (*x)[3])
{
    const double degree = acos(-1.0) / 180.0;
    for (int k = 0; k < internals->n; k++) {
        const struct hf_internal *it = &internals->list[k];
        const int *i = it->atom;
        if (it->kind < HF_BEND) continue;
        const double angle = hf_angle(x[i[0]], x[i[1]], x[i[2]]);
        if (it->kind == HF_LINEAR_BEND && angle < NOT_LINEAR * degree) return true;
        if (it->kind != HF_LINEAR_BEND && !it->fixed && angle > LINEAR * degree) return true;
        if (it->kind == HF_TORSION && !it->fixed &&
            hf_angle(x[i[1]], x[i[2]], x[i[3]]) > LINEAR * degree)
            return true;
    }
    return false;
}
