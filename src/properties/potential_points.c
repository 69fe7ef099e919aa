/* Points round a molecule at which charges of atoms are fitted to its electrostatic potential. */
#include "potential_charges.h"

#include "base/arithmetic.h"
#include "hf/units.h"

#include <math.h>

static const double BOHR = HF_BOHR_IN_ANGSTROM;

/** Of CHELPG, angstrom: spacing of the lattice, and the largest distance from the nearest atom. */
static const double SPACING = 0.3, FAR = 2.8;

enum { N_LAYER = 4, MOST_POINTS = 10000000 };
/** Of Merz and Kollman: radii of the spheres over those of atoms. */
static const double layers[N_LAYER] = {1.4, 1.6, 1.8, 2.0};

/** Radius of an atom for either kind of points, angstrom. Where their authors give none: radii of van der Waals from
 *  crystal structures (Alvarez, Dalton Trans. 42, 8617 (2013); of Pm the mean of its neighbours), for Po to Rn those of
 *  Mantina and others, J. Phys. Chem. A 113, 5806 (2009); 2.8 for heavier atoms. */
static double radius_of(int atomic_number, enum hf_potential_charges kind)
{
    static const short crystal_pm[] = {
        120, 143, 212, 198, 191, 177, 166, 150, 146, 158, 250, 251, 225, 219, 190, 189, 182, 183,
        273, 262, 258, 246, 242, 245, 245, 244, 240, 240, 238, 239, 232, 229, 188, 182, 186, 225,
        321, 284, 275, 252, 256, 245, 244, 246, 244, 215, 253, 249, 243, 242, 247, 199, 204, 206,
        348, 303, 298, 288, 292, 295, 292, 290, 287, 283, 279, 287, 281, 283, 279, 280, 274, 263,
        253, 257, 249, 248, 241, 229, 232, 245, 247, 260, 254, 197, 202, 220};
    static const struct {
        int atomic_number;
        double merz_kollman, chelpg; /**< 0: not given */
    } given[] = {{1, 1.20, 1.45}, {6, 1.50, 1.50}, {7, 1.50, 1.70}, {8, 1.40, 1.70},
                 {9, 1.35, 0.0},  {15, 1.80, 0.0}, {16, 1.75, 0.0}, {17, 1.70, 0.0}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const double radius = kind == HF_CHARGES_CHELPG ? given[i].chelpg : given[i].merz_kollman;
        if (given[i].atomic_number == atomic_number && radius > 0.0) return radius;
    }
    return atomic_number <= (int)(sizeof crystal_pm / sizeof *crystal_pm)
               ? crystal_pm[atomic_number - 1] / 100.0
               : 2.8;
}

/** A list of points while it is made: the first walk over them counts. */
struct list {
    const struct hf_molecule *molecule;
    enum hf_potential_charges kind;
    struct hf_potential_points *points;
    long n;
    bool counts;
};

static void add_point(struct list *list, const double at[3])
{
    for (int d = 0; d < 3 && !list->counts; d++)
        list->points->place[(long)d * list->points->n + list->n] = at[d];
    list->n++;
}

/** Whether a place lies within `scale` radii of an atom other than `except`; *nearest: bohr to the nearest atom. */
static bool is_inside(const struct list *list, const double at[3], double scale, int except,
                      double *nearest)
{
    *nearest = INFINITY;
    for (int a = 0; a < list->molecule->n_atom; a++) {
        const struct hf_atom *atom = &list->molecule->atom[a];
        if (atom->ghost || a == except) continue;
        const double *b = atom->position_bohr;
        const double x = at[0] - b[0], y = at[1] - b[1], z = at[2] - b[2];
        const double distance = sqrt(x * x + y * y + z * z);
        if (distance < scale * radius_of(atom->atomic_number, list->kind) / BOHR) return true;
        *nearest = fmin(*nearest, distance);
    }
    return false;
}

/** One sphere: circles of latitude, with points as far apart along them as they are from each other (Connolly). */
static void add_sphere(struct list *list, int a, double scale)
{
    const struct hf_atom *atom = &list->molecule->atom[a];
    const double radius = scale * radius_of(atom->atomic_number, list->kind);
    const int equator = (int)sqrt(HF_PI * floor(4.0 * HF_PI * radius * radius)), half = equator / 2;
    for (int i = 0; i <= half; i++) {
        const double latitude = HF_PI * i / half;
        const int n = equator * sin(latitude) < 1.0 ? 1 : (int)(equator * sin(latitude) + 1e-9);
        for (int j = 0; j < n; j++) {
            const double longitude = 2.0 * HF_PI * j / n, r = radius / BOHR;
            const double at[3] = {
                atom->position_bohr[0] + r * sin(latitude) * cos(longitude),
                atom->position_bohr[1] + r * sin(latitude) * sin(longitude),
                atom->position_bohr[2] + r * cos(latitude),
            };
            double nearest;
            if (!is_inside(list, at, scale, a, &nearest)) add_point(list, at);
        }
    }
}

/** The lattice lies about the middle of the box round all atoms. */
static void add_lattice(struct list *list)
{
    double low[3], high[3];
    long n[3];
    for (int d = 0; d < 3; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
        for (int a = 0; a < list->molecule->n_atom; a++) {
            if (list->molecule->atom[a].ghost) continue;
            low[d] = fmin(low[d], list->molecule->atom[a].position_bohr[d]);
            high[d] = fmax(high[d], list->molecule->atom[a].position_bohr[d]);
        }
        n[d] = (long)ceil(((high[d] - low[d]) * BOHR + 2.0 * FAR) / SPACING) + 1;
    }
    for (long i = 0; i < n[0] * n[1] * n[2]; i++) {
        const long cell[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        double at[3], nearest;
        for (int d = 0; d < 3; d++)
            at[d] = 0.5 * (low[d] + high[d]) +
                    ((double)cell[d] - 0.5 * (double)(n[d] - 1)) * SPACING / BOHR;
        if (!is_inside(list, at, 1.0, -1, &nearest) && nearest <= FAR / BOHR) add_point(list, at);
    }
}

static void walk(struct list *list)
{
    list->n = 0;
    if (list->kind == HF_CHARGES_CHELPG) {
        add_lattice(list);
        return;
    }
    for (int layer = 0; layer < N_LAYER; layer++)
        for (int a = 0; a < list->molecule->n_atom; a++)
            if (!list->molecule->atom[a].ghost) add_sphere(list, a, layers[layer]);
}

hf_status hf_potential_points_count(const struct hf_molecule *molecule,
                                    enum hf_potential_charges kind, int *n, struct hf_error *error)
{
    struct list list = {.molecule = molecule, .kind = kind, .counts = true};
    walk(&list);
    if (list.n > MOST_POINTS)
        return hf_fail(error, HF_NO_RESOURCE, "%ld points for charges; expected at most %d", list.n,
                       MOST_POINTS);
    if (list.n == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "no point is within %g angstrom of an atom and outside of all atoms; choose "
                       "mk or resp",
                       FAR);
    *n = (int)list.n;
    return HF_OK;
}

hf_status hf_potential_points_make(const struct hf_molecule *molecule,
                                   enum hf_potential_charges kind, struct hf_arena *arena,
                                   struct hf_potential_points *points, struct hf_error *error)
{
    struct list list = {.molecule = molecule, .kind = kind, .points = points};
    HF_CHECK(hf_potential_points_count(molecule, kind, &points->n, error));
    HF_TAKE_UNSET(arena, points->place, 3 * (size_t)points->n);
    HF_CHECK(hf_arena_check(arena, error));
    walk(&list);
    return HF_OK;
}
