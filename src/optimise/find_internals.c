/* Which internal coordinates describe a molecule.
 *
 * Source: Pulay, Fogarasi, J. Chem. Phys. 96, 2856 (1992); Peng, Ayala, Schlegel, Frisch, J. Comput. Chem. 17, 49
 * (1996); parts and chains in line Bakken, Helgaker, J. Chem. Phys. 117, 9160 (2002); force constants Schlegel, Theor. Chim.
 * Acta 66, 333 (1984), weaker between atoms farther apart than bonds, as in Lindh, Bernhardsson, Karlstroem, Malmqvist,
 * Chem. Phys. Lett. 241, 423 (1995). */
#include "internals.h"

#include "base/arithmetic.h"
#include "hf/units.h"

#include <math.h>
#include <string.h>

/** degrees: from here on a bend is linear. */
static const double LINEAR = 175.0;

/** Bonds of atoms. */
struct bonds {
    const struct hf_molecule *molecule;
    const double (*x)[3];
    const double (*of)[3]; /**< places that the bonds are found at */
    int n;
    bool *bonded; /**< [n][n] */
    bool *linear; /**< [n] in the middle of a line of two neighbours */
};

static bool are_bonded(const struct bonds *bonds, int i, int j)
{
    return bonds->bonded[(size_t)i * (size_t)bonds->n + (size_t)j];
}

static void bind(struct bonds *bonds, int i, int j)
{
    bonds->bonded[(size_t)i * (size_t)bonds->n + (size_t)j] = true;
    bonds->bonded[(size_t)j * (size_t)bonds->n + (size_t)i] = true;
}

static double distance(const struct bonds *bonds, int i, int j)
{
    const struct hf_internal stretch = {.kind = HF_STRETCH, .atom = {i, j}};
    return hf_internal_value(&stretch, bonds->of);
}

static bool is_linear(const struct bonds *bonds, int i, int j, int k)
{
    return hf_angle(bonds->x[i], bonds->x[j], bonds->x[k]) > LINEAR * acos(-1.0) / 180.0;
}

/** The next neighbour of an atom behind `after`; -1: none. */
static int next(const struct bonds *bonds, int atom, int after)
{
    for (int i = after + 1; i < bonds->n; i++)
        if (are_bonded(bonds, atom, i)) return i;
    return -1;
}

static void mark(const struct bonds *bonds, int atom, int part, int part_of[])
{
    part_of[atom] = part;
    for (int i = next(bonds, atom, -1); i >= 0; i = next(bonds, atom, i))
        if (part_of[i] < 0) mark(bonds, i, part, part_of);
}

/** Number of the parts; part_of [n]. */
static int find_parts(const struct bonds *bonds, int part_of[])
{
    int n_part = 0;
    for (int i = 0; i < bonds->n; i++) part_of[i] = -1;
    for (int i = 0; i < bonds->n; i++)
        if (part_of[i] < 0) mark(bonds, i, n_part++, part_of);
    return n_part;
}

/** Binds the two nearest atoms of different parts, until there is one part. */
static void join_parts(struct bonds *bonds, int part_of[])
{
    while (find_parts(bonds, part_of) > 1) {
        int a = 0, b = 0;
        double least = INFINITY;
        for (int i = 0; i < bonds->n; i++)
            for (int j = 0; j < i; j++)
                if (part_of[i] != part_of[j] && distance(bonds, i, j) < least) {
                    least = distance(bonds, i, j);
                    a = i;
                    b = j;
                }
        bind(bonds, a, b);
    }
}

/** False: no memory. */
static bool find_bonds(struct bonds *bonds, struct hf_arena *arena)
{
    const size_t n = (size_t)bonds->n;
    int *part_of = HF_TAKE(arena, part_of, n);
    HF_TAKE(arena, bonds->bonded, n * n);
    HF_TAKE(arena, bonds->linear, n);
    if (arena->failed) return false;
    for (int i = 0; i < bonds->n; i++)
        for (int j = 0; j < i; j++)
            if (hf_are_bonded_at(bonds->molecule, bonds->of, i, j)) bind(bonds, i, j);
    if (bonds->of == bonds->x) join_parts(bonds, part_of);
    for (int j = 0; j < bonds->n; j++) {
        const int i = next(bonds, j, -1), k = i >= 0 ? next(bonds, j, i) : -1;
        bonds->linear[j] = k >= 0 && next(bonds, j, k) < 0 && is_linear(bonds, i, j, k);
    }
    return true;
}

/** Two directions across the line from i to k. */
static void add_linear_bend(const struct bonds *bonds, int i, int j, int k, struct hf_internals *to)
{
    double along[3], across[2][3];
    for (int x = 0; x < 3; x++) along[x] = bonds->x[k][x] - bonds->x[i][x];
    hf_find_across(along, across[0]);
    const double length = sqrt(hf_dot3(along, along)), norm = sqrt(hf_dot3(across[0], across[0]));
    for (int x = 0; x < 3; x++) across[0][x] /= norm;
    hf_cross(along, across[0], across[1]);
    for (int x = 0; x < 3; x++) across[1][x] /= length;
    for (int c = 0; c < 2; c++) {
        struct hf_internal bend = {.kind = HF_LINEAR_BEND, .atom = {i, j, k}};
        memcpy(bend.direction, across[c], sizeof bend.direction);
        hf_internals_add(to, &bend);
    }
}

static void add_bends(const struct bonds *bonds, int j, struct hf_internals *to)
{
    for (int i = next(bonds, j, -1); i >= 0; i = next(bonds, j, i))
        for (int k = next(bonds, j, i); k >= 0; k = next(bonds, j, k))
            if (is_linear(bonds, i, j, k))
                add_linear_bend(bonds, i, j, k, to);
            else
                hf_internals_add(to, &(struct hf_internal){.kind = HF_BEND, .atom = {i, j, k}});
}

/** Torsions about the axis from j to k, whose next atoms towards each other are `inner_j` and `inner_k`. */
static void add_torsions(const struct bonds *bonds, int j, int inner_j, int k, int inner_k,
                         struct hf_internals *to)
{
    for (int i = next(bonds, j, -1); i >= 0; i = next(bonds, j, i))
        for (int l = next(bonds, k, -1); l >= 0; l = next(bonds, k, l)) {
            if (i == inner_j || l == inner_k || i == l || i == k || l == j) continue;
            if (is_linear(bonds, i, j, k) || is_linear(bonds, j, k, l)) continue;
            hf_internals_add(to, &(struct hf_internal){.kind = HF_TORSION, .atom = {i, j, k, l}});
        }
}

/** Torsions about the bond of j towards `inner`, and on through atoms in line, once for each axis. */
static void add_axis(const struct bonds *bonds, int j, int inner, struct hf_internals *to)
{
    int k = inner, before = j;
    if (bonds->linear[j]) return;
    for (int n = 0; bonds->linear[k] && n < bonds->n; n++) {
        int on = next(bonds, k, -1);
        if (on == before) on = next(bonds, k, on);
        before = k;
        k = on;
    }
    if (k > j) add_torsions(bonds, j, inner, k, before, to);
}

/** An atom with three others around it that have no other neighbours has no torsion; where it is flat, bends do not
 *  say how far it is out of the plane. */
static void add_flat_centre(const struct bonds *bonds, int j, struct hf_internals *to)
{
    int end[3], n = 0;
    double sum = 0.0;
    for (int i = next(bonds, j, -1); i >= 0; i = next(bonds, j, i)) {
        if (n == 3 || next(bonds, i, next(bonds, i, -1)) >= 0) return;
        end[n++] = i;
    }
    if (n < 3) return;
    for (int c = 0; c < 3; c++)
        sum += hf_angle(bonds->x[end[c]], bonds->x[j], bonds->x[end[(c + 1) % 3]]);
    if (sum < acos(-1.0) * 345.0 / 180.0) return;
    for (int c = 0; c < 3; c++) {
        const int a = end[c], b = end[(c + 1) % 3], d = end[(c + 2) % 3];
        if (is_linear(bonds, a, j, b)) continue;
        hf_internals_add(to, &(struct hf_internal){.kind = HF_TORSION, .atom = {a, j, b, d}});
    }
}

void hf_internals_find(const struct hf_molecule *molecule, const double (*bonds_x)[3],
                       const double (*x)[3], struct hf_internals *internals)
{
    struct bonds bonds = {
        .molecule = molecule, .x = x, .of = bonds_x != NULL ? bonds_x : x, .n = molecule->n_atom};
    if (!find_bonds(&bonds, &internals->arena)) return;
    for (int j = 0; j < bonds.n; j++) {
        for (int k = next(&bonds, j, j); k >= 0; k = next(&bonds, j, k))
            hf_internals_add(internals, &(struct hf_internal){.kind = HF_STRETCH, .atom = {j, k}});
        add_bends(&bonds, j, internals);
        for (int k = next(&bonds, j, -1); k >= 0; k = next(&bonds, j, k))
            add_axis(&bonds, j, k, internals);
        add_flat_centre(&bonds, j, internals);
    }
}

/** Row of the periodic table, heavier atoms as the third. */
static int row(int atomic_number)
{
    return atomic_number > 10 ? 2 : atomic_number > 2 ? 1 : 0;
}

/** How strongly two atoms hold together, at most 1, at a bond. */
static double closeness(int a, int b, double r)
{
    static const double decay[3][3] = {
        {1.0, 0.3949, 0.3949}, {0.3949, 0.28, 0.28}, {0.3949, 0.28, 0.28}};
    static const double length[3][3] = {{1.35, 2.1, 2.53}, {2.1, 2.87, 3.4}, {2.53, 3.4, 3.4}};
    const int p = row(a), q = row(b);
    return fmin(exp(decay[p][q] * (length[p][q] * length[p][q] - r * r)), 1.0);
}

/** Of a stretch, by Badger's rule. */
static double stretch_constant(int a, int b, double r)
{
    static const double nearest[3][3] = {
        {-0.244, 0.352, 0.660}, {0.352, 1.085, 1.522}, {0.660, 1.522, 2.068}};
    const double inverse = 1.0 / fmax(r - nearest[row(a)][row(b)], 0.5);
    return 1.734 * inverse * inverse * inverse;
}

/** Of a torsion about a bond, which is stiffer where it is shorter than a single bond. */
static double torsion_constant(int a, int b, double r)
{
    const double single =
        (hf_covalent_radius_angstrom(a) + hf_covalent_radius_angstrom(b)) / HF_BOHR_IN_ANGSTROM;
    return 0.0023 + 0.07 * fmax(single - r, 0.0);
}

double hf_model_force_constant(const struct hf_molecule *molecule,
                               const struct hf_internal *internal, const double (*x)[3])
{
    const int n = hf_internal_n_atom(internal->kind);
    int number[4];
    double r[3] = {0}, near = 1.0;
    for (int i = 0; i < n; i++) number[i] = molecule->atom[internal->atom[i]].atomic_number;
    for (int i = 0; i + 1 < n; i++) {
        const struct hf_internal way = {.kind = HF_STRETCH,
                                        .atom = {internal->atom[i], internal->atom[i + 1]}};
        r[i] = hf_internal_value(&way, x);
        near *= closeness(number[i], number[i + 1], r[i]);
    }
    switch (internal->kind) {
    case HF_PLACE: return 0.02;
    case HF_OFFSET: return 1e-4;
    case HF_STRETCH: return fmax(stretch_constant(number[0], number[1], r[0]), 0.01);
    case HF_BEND: return fmax((number[0] == 1 || number[2] == 1 ? 0.16 : 0.25) * near, 0.005);
    case HF_LINEAR_BEND: return fmax(0.15 * near, 0.005);
    case HF_TORSION: break;
    }
    return fmax(torsion_constant(number[1], number[2], r[1]) * near, 0.0005);
}
