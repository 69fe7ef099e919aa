/* Internal coordinates, the way back from them, and optimisations on surfaces that are known in full. */
#include "../test.h"

#include "optimise/optimise.h"

#include "../../../src/optimise/optimiser_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ATOM = 8 };

/** Of a minimum, with the default thresholds. */
static const struct hf_optimise_settings minimum = {
    .max_force = 4.5e-4, .rms_force = 3e-4, .max_displacement = 1.8e-3, .rms_displacement = 1.2e-3};

struct molecule {
    struct hf_atom atom[MOST_ATOM];
    struct hf_molecule molecule;
    double x[MOST_ATOM][3];
};

static void make(struct molecule *m, int n, const int number[], const double x[][3])
{
    memset(m, 0, sizeof *m);
    m->molecule = (struct hf_molecule){.n_atom = n, .atom = m->atom, .multiplicity = 1};
    for (int i = 0; i < n; i++) {
        m->atom[i].atomic_number = number[i];
        memcpy(m->atom[i].position_bohr, x[i], sizeof m->x[i]);
        memcpy(m->x[i], x[i], sizeof m->x[i]);
    }
}

static const double (*at(const struct molecule *m))[3]
{
    return (const double(*)[3])m->x;
}

static void make_peroxide(struct molecule *m)
{
    const double x[][3] = {{0.0, 0.0, 0.1}, {0.1, 0.0, 2.7}, {1.8, 0.1, -0.3}, {-0.7, 1.6, 3.1}};
    make(m, 4, (const int[]){8, 8, 1, 1}, x);
}

/** Acetylene, not quite in line. */
static void make_ethyne(struct molecule *m)
{
    const double x[][3] = {{0.05, 0.0, 0.0}, {0.0, 0.04, 2.3}, {0.0, 0.05, -2.0}, {0.03, 0.0, 4.3}};
    make(m, 4, (const int[]){6, 6, 1, 1}, x);
}

static void make_formaldehyde(struct molecule *m)
{
    const double x[][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 2.3}, {0.0, 1.8, -1.1}, {0.02, -1.8, -1.1}};
    make(m, 4, (const int[]){6, 8, 1, 1}, x);
}

/** Two water molecules. */
static void make_dimer(struct molecule *m)
{
    const double x[][3] = {{0.0, 0.0, 0.0}, {1.4, 1.1, 0.1},  {-1.4, 1.1, 0.0},
                           {0.0, 0.3, 5.6}, {0.3, 0.0, 3.75}, {1.5, -0.7, 6.3}};
    make(m, 6, (const int[]){8, 1, 1, 8, 1, 1}, x);
}

static void (*const makers[])(struct molecule *) = {make_peroxide, make_ethyne, make_formaldehyde,
                                                    make_dimer};
enum { N_MAKER = sizeof makers / sizeof *makers };

TEST(slopes_are_those_of_the_values)
{
    const double h = 1e-5;
    for (int k = 0; k < N_MAKER; k++) {
        struct molecule m;
        makers[k](&m);
        struct hf_internals list = hf_internals_begin(m.molecule.n_atom, true);
        hf_internals_find(&m.molecule, NULL, at(&m), &list);
        for (int q = 0; q < list.n; q++) {
            const struct hf_internal *it = &list.list[q];
            double slope[4][3];
            hf_internal_slope(it, at(&m), slope);
            for (int i = 0; i < hf_internal_n_atom(it->kind); i++)
                for (int c = 0; c < 3; c++) {
                    double *place = &m.x[it->atom[i]][c];
                    *place += h;
                    const double above = hf_internal_value(it, at(&m));
                    *place -= 2.0 * h;
                    const double below = hf_internal_value(it, at(&m));
                    *place += h;
                    const double d = hf_internal_difference(it, above, below) / (2.0 * h);
                    assert_true(fabs(d - slope[i][c]) < 1e-7);
                }
        }
        hf_arena_done(&list.arena);
    }
}

/** The coordinates describe all that a molecule can do. */
TEST(coordinates_are_complete)
{
    for (int k = 0; k < N_MAKER; k++) {
        struct molecule m;
        struct hf_frame frame;
        makers[k](&m);
        struct hf_internals list = hf_internals_begin(m.molecule.n_atom, true);
        const int n = m.molecule.n_atom;
        hf_internals_find(&m.molecule, NULL, at(&m), &list);
        assert_ok(hf_frame_make(&list, at(&m), NULL, &frame, &error));
        assert_int_equal(hf_n_vibration(n, at(&m)), 3 * n - 6);
        assert_int_equal(frame.m, 3 * n - 6); /* though linear bends have directions in space */
        hf_arena_done(&frame.arena);
        hf_arena_done(&list.arena);
    }
}

/** Linear bends have directions in space. */
static void move_without_turning(const struct hf_internals *list, struct molecule *m)
{
    struct hf_frame frame;
    assert_ok(hf_frame_make(list, at(m), NULL, &frame, &error));
    for (int k = 0; k < frame.m; k++) {
        const double *v = frame.v + (size_t)k * (size_t)frame.n_x;
        double along = 0.0;
        for (int i = 0; i < frame.n_x; i++)
            along += 0.1 * sin(5.0 * (i / 3) + 2.0 * (i % 3)) * v[i];
        for (int i = 0; i < frame.n_x; i++) m->x[i / 3][i % 3] += along * v[i];
    }
    hf_arena_done(&frame.arena);
}

TEST(the_way_back_ends_where_it_should)
{
    for (int k = 0; k < N_MAKER; k++) {
        struct molecule m, moved;
        bool good;
        makers[k](&m);
        makers[k](&moved);
        struct hf_internals list = hf_internals_begin(m.molecule.n_atom, true);
        hf_internals_find(&m.molecule, NULL, at(&m), &list);
        move_without_turning(&list, &moved);
        double *dq = calloc((size_t)list.n, sizeof *dq);
        for (int q = 0; q < list.n; q++)
            dq[q] =
                hf_internal_difference(&list.list[q], hf_internal_value(&list.list[q], at(&moved)),
                                       hf_internal_value(&list.list[q], at(&m)));
        assert_ok(hf_frame_displace(&list, dq, m.x, &good, &error));
        assert_true(good);
        const double near =
            makers[k] == make_ethyne ? 1e-3 : 1e-5; /* turned a little all the same */
        for (int q = 0; q < list.n; q++)
            assert_true(fabs(hf_internal_difference(
                            &list.list[q], hf_internal_value(&list.list[q], at(&moved)),
                            hf_internal_value(&list.list[q], at(&m)))) < near);
        free(dq);
        hf_arena_done(&list.arena);
    }
}

/* A surface: Morse functions of all distances, with minima at those of `best`; flat where atoms in line bend. */

static double surface(int n, const double (*x)[3], const double best[][3], double (*g)[3])
{
    double energy = 0.0;
    memset(g, 0, (size_t)n * sizeof *g);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const struct hf_internal r = {.kind = HF_STRETCH, .atom = {i, j}};
            double slope[4][3];
            const double d = hf_internal_value(&r, x), d0 = hf_internal_value(&r, best);
            const double depth = 1.0 / (d0 * d0), e = exp(-0.7 * (d - d0));
            energy += depth * (1.0 - e) * (1.0 - e);
            hf_internal_slope(&r, x, slope);
            for (int c = 0; c < 3; c++) {
                g[i][c] += 1.4 * depth * (1.0 - e) * e * slope[0][c];
                g[j][c] += 1.4 * depth * (1.0 - e) * e * slope[1][c];
            }
        }
    return energy;
}

/** Number of structures that were computed; the last one is in m->x. */
static int optimise(struct molecule *m, const double best[][3],
                    const struct hf_optimise_settings *settings, bool with_breaks)
{
    enum { MOST = 60 };
    struct hf_optimiser *optimiser = NULL;
    struct hf_optimise_step step = {0};
    double g[MOST_ATOM][3];
    const int n = m->molecule.n_atom;
    int n_step = 0;
    assert_ok(hf_optimiser_create(&m->molecule, settings, &optimiser, &error));
    while (!step.converged && n_step < MOST) {
        if (with_breaks) { /* another one goes on */
            struct hf_optimiser *other = NULL;
            bool taken;
            double *kept = calloc(hf_optimiser_state_size(optimiser), sizeof *kept);
            assert_ok(hf_optimiser_save(optimiser, kept, &error));
            assert_ok(hf_optimiser_create(&m->molecule, settings, &other, &error));
            assert_ok(hf_optimiser_load(other, kept, &taken, &error));
            assert_true(taken);
            hf_optimiser_destroy(&optimiser);
            optimiser = other;
            free(kept);
        }
        const double energy = surface(n, hf_optimiser_position(optimiser), best, g);
        assert_ok(hf_optimiser_advance(optimiser, energy, (const double(*)[3])g, &step, &error));
        n_step++;
    }
    assert_true(step.converged);
    memcpy(m->x, hf_optimiser_position(optimiser), (size_t)n * sizeof *m->x);
    hf_optimiser_destroy(&optimiser);
    return n_step;
}

/** Of the first coordinate of a kind that ends at these atoms. */
static double constant_of(const struct molecule *m, enum hf_internal_kind kind, int first, int last)
{
    struct hf_internals list = hf_internals_begin(m->molecule.n_atom, true);
    double constant = 0.0;
    hf_internals_find(&m->molecule, NULL, at(m), &list);
    for (int q = 0; q < list.n && constant == 0.0; q++) {
        const struct hf_internal *it = &list.list[q];
        const int end = it->atom[hf_internal_n_atom(kind) - 1];
        if (it->kind != kind || it->atom[0] + end != first + last) continue;
        if (it->atom[0] == first || end == first)
            constant = hf_model_force_constant(&m->molecule, it, at(m));
    }
    assert_true(constant > 0.0);
    hf_arena_done(&list.arena);
    return constant;
}

/** Those of harmonic force fields: water's of Hoy, Mills, Strey, Mol. Phys. 24, 1265 (1972), within a quarter. */
TEST(force_constants_are_those_of_molecules)
{
    struct molecule m;
    const double ethene[][3] = {{0.0, 0.0, 1.26},   {0.0, 0.0, -1.26},  {0.0, 1.74, 2.33},
                                {0.0, -1.74, 2.33}, {0.0, 1.74, -2.33}, {0.0, -1.74, -2.33}};
    make_dimer(&m);
    assert_true(fabs(constant_of(&m, HF_STRETCH, 0, 1) - 0.543) < 0.25 * 0.543);
    assert_true(fabs(constant_of(&m, HF_BEND, 1, 2) - 0.160) < 0.25 * 0.160);
    assert_true(constant_of(&m, HF_STRETCH, 0, 4) < 0.06); /* the hydrogen bond */
    assert_true(constant_of(&m, HF_BEND, 4, 1) < 0.06);
    make(&m, 6, (const int[]){6, 6, 1, 1, 1, 1}, ethene);
    const double stiff = constant_of(&m, HF_TORSION, 2, 4);
    assert_true(stiff > 0.02 && stiff < 0.05);
    make_peroxide(&m);
    assert_true(constant_of(&m, HF_TORSION, 2, 3) < 0.1 * stiff);
}

/** From a start that is far from it, in whatever coordinates, all end at the minimum; a search that is interrupted
 *  makes the same steps. */
TEST(minima_are_found)
{
    int n_step[3];
    for (int k = 0; k < N_MAKER; k++)
        for (int way = 0; way < 3; way++) {
            struct molecule m;
            struct hf_optimise_settings settings = minimum;
            double best[MOST_ATOM][3], g[MOST_ATOM][3];
            makers[k](&m);
            settings.cartesian = way == 1;
            for (int i = 0; i < m.molecule.n_atom; i++)
                for (int c = 0; c < 3; c++) {
                    best[i][c] = m.x[i][c];
                    m.atom[i].position_bohr[c] += 0.25 * sin(3.0 * i + 1.7 * c);
                }
            n_step[way] = optimise(&m, (const double(*)[3])best, &settings, way == 2);
            assert_in_range(n_step[way], 3, 30);
            if (way == 2 && makers[k] != make_dimer) /* makes its coordinates anew */
                assert_int_equal(n_step[2], n_step[0]);
            assert_true(surface(m.molecule.n_atom, at(&m), (const double(*)[3])best, g) < 5e-5);
        }
}

/** Water that begins bent the other way goes through 180 degrees. */
TEST(a_bend_goes_through_180_degrees)
{
    struct molecule m;
    struct hf_optimise_settings settings = minimum;
    const double start[][3] = {{0.0, 0.0, 0.0}, {1.8, 0.0, 0.15}, {-1.8, 0.0, 0.1}};
    const double best[][3] = {{0.0, 0.0, 0.0}, {1.8, 0.0, 0.0}, {-1.8, 0.0, 0.0}};
    const double bent[][3] = {{0.0, 0.0, 0.0}, {1.4, 0.0, 1.1}, {-1.4, 0.0, 1.1}};
    make(&m, 3, (const int[]){8, 1, 1}, start);
    assert_in_range(optimise(&m, best, &settings, false), 2, 15);
    assert_true(hf_angle(m.x[1], m.x[0], m.x[2]) > 2.95);
    make(&m, 3, (const int[]){8, 1, 1}, start);
    assert_in_range(optimise(&m, bent, &settings, false), 3, 15);
    make(&m, 3, (const int[]){8, 1, 1}, bent);
    assert_in_range(optimise(&m, best, &settings, false), 3, 20);
}

TEST(constraints_hold)
{
    struct molecule m;
    struct hf_constraint list[8];
    double best[4][3], first[3];
    int n = 0, n_more;
    make_peroxide(&m);
    memcpy(best, m.x, sizeof best);
    assert_ok(
        hf_constraint_read("torsion 3 1 2 4 = 60", &m.molecule, 1.0, false, 8, list, &n, &error));
    assert_ok(hf_constraint_read(" distance 1,2 = 2.9", &m.molecule, 1.0, false, 7, list + n,
                                 &n_more, &error));
    n += n_more;
    assert_ok(hf_constraint_read("fix 3", &m.molecule, 1.0, false, 6, list + n, &n_more, &error));
    n += n_more;
    struct hf_optimise_settings settings = minimum;
    settings.n_constraint = n;
    settings.constraint = list;
    memcpy(first, m.atom[2].position_bohr, sizeof first);
    assert_in_range(optimise(&m, (const double(*)[3])best, &settings, true), 3, 25);
    assert_true(fabs(hf_constraint_value(&list[0], at(&m)) - acos(-1.0) / 3.0) < 1e-6);
    assert_true(fabs(hf_constraint_value(&list[1], at(&m)) - 2.9) < 1e-6);
    for (int c = 0; c < 3; c++) assert_true(fabs(m.x[2][c] - first[c]) < 1e-6);
}

/** Reads constraints with semicolons between them, lengths in bohr; returns how many they are. */
static int read_all(const struct molecule *m, const char *text, struct hf_constraint list[8])
{
    char copy[200];
    int n = 0, n_more;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *one = strtok(copy, ";"); one != NULL; one = strtok(NULL, ";"), n += n_more)
        assert_ok(
            hf_constraint_read(one, &m->molecule, 1.0, false, 8 - n, list + n, &n_more, &error));
    return n;
}

static hf_status fulfil(struct molecule *m, const char *text, struct hf_error *failure)
{
    struct hf_constraint list[8];
    const int n = read_all(m, text, list);
    const hf_status status = hf_constraints_fulfil(&m->molecule, n, list, m->x, failure);
    for (int c = 0; c < n && status == HF_OK; c++)
        if (list[c].kind != HF_PLACE)
            assert_true(fabs(hf_constraint_value_near(&list[c], at(m)) - list[c].value) < 1e-4);
    return status;
}

/** Borane and ammonia, and ethane. */
static void make_ammonia_borane(struct molecule *m)
{
    const double x[][3] = {{0.0, 0.0, -1.76},     {0.0, 0.0, 1.38},     {0.0, -2.21, -2.34},
                           {-1.91, 1.105, -2.34}, {1.91, 1.105, -2.34}, {0.0, 1.80, 2.06},
                           {-1.56, -0.9, 2.06},   {1.56, -0.9, 2.06}};
    make(m, 8, (const int[]){5, 7, 1, 1, 1, 1, 1, 1}, x);
}

static void make_ethane(struct molecule *m)
{
    make_ammonia_borane(m);
    m->atom[0].atomic_number = m->atom[1].atomic_number = 6;
}

/** Largest change of a distance within either half, of atoms 1 3 4 5 and 2 6 7 8. */
static double find_distortion(const struct molecule *m)
{
    static const int half[2][4] = {{0, 2, 3, 4}, {1, 5, 6, 7}};
    double most = 0.0;
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++) {
                const struct hf_internal r = {.kind = HF_STRETCH, .atom = {half[h][i], half[h][j]}};
                double before[MOST_ATOM][3];
                for (int a = 0; a < 8; a++)
                    memcpy(before[a], m->atom[a].position_bohr, sizeof *before);
                most = fmax(most, fabs(hf_internal_value(&r, at(m)) -
                                       hf_internal_value(&r, (const double(*)[3])before)));
            }
    return most;
}

/** However large the change is, and from a structure without the bond, too. */
TEST(substituents_follow_constraints)
{
    struct molecule m;
    make_ammonia_borane(&m);
    for (int k = 0; k < 3; k++) {
        static const char *const texts[] = {"distance 1 2 = 5.67", "distance 2 1 = 30",
                                            "distance 1 2 = 2.5"};
        assert_ok(fulfil(&m, texts[k], &error));
        assert_true(find_distortion(&m) < 1e-3);
        assert_true(fabs(m.x[0][0]) + fabs(m.x[1][1]) < 1e-3); /* on the axis, not turned */
    }
    for (int k = 0; k < 4; k++) {
        static const char *const texts[] = {"torsion 3 1 2 6 = 0", "torsion 3 1 2 6 = -120",
                                            "dihedral 6 2 1 4 = 170",
                                            "torsion 3 1 2 6 = 350; fix 1-3"};
        make_ethane(&m);
        assert_ok(fulfil(&m, texts[k], &error));
        assert_true(find_distortion(&m) < 5e-3);
    }
}

static void make_water(struct molecule *m, double angle)
{
    const double x[][3] = {
        {0.0, 0.0, 0.0}, {1.8, 0.0, 0.0}, {1.8 * cos(angle), 1.8 * sin(angle), 0.0}};
    make(m, 3, (const int[]){8, 1, 1}, x);
}

TEST(contradicting_constraints_are_refused)
{
    static const char *const texts[] = {
        "distance 1 2 = 1.9; distance 2 1 = 2.0", "fix 1-2; distance 1 2 = 2.0",
        "distance 1 2 = 1.9; distance 1 3 = 1.9; distance 2 3 = 2.8; angle 2 1 3 = 120",
        "distance 1 2; distance 1 2 = 2.0",
        "distance 1 2 = 1.5; distance 1 3 = 1.5; distance 2 3 = 3.1"};
    static const char *const consistent[] = {
        "distance 1 2 = 1.9; distance 2 1 = 1.9; angle 2 1 3 = 100; angle 3 1 2 = 100",
        "fix 1-2; distance 1 2", "fix 1; distance 1 2 = 3.0; fix 3",
        "distance 1 2 = 1.9; distance 1 3 = 1.9; distance 2 3 = 2.8; angle 2 1 3 = 94.927"};
    struct molecule m;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        make_water(&m, 1.8);
        assert_failure(fulfil(&m, texts[k], &error), HF_BAD_INPUT, &error, "cannot hold together");
    }
    for (size_t k = 0; k < sizeof consistent / sizeof *consistent; k++) {
        make_water(&m, 1.8);
        assert_ok(fulfil(&m, consistent[k], &error));
    }
}

/** A torsion over them has no value; an angle can be made smaller. */
TEST(atoms_in_line_are_seen)
{
    const double line[][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 2.3}, {0.0, 0.0, -2.0}, {0.0, 0.0, 4.3}};
    struct molecule m;
    make(&m, 4, (const int[]){6, 6, 1, 1}, line);
    assert_failure(fulfil(&m, "torsion 3 1 2 4", &error), HF_BAD_INPUT, &error, "in line");
    assert_failure(fulfil(&m, "torsion 3 1 2 4 = 60", &error), HF_BAD_INPUT, &error, "in line");
    assert_failure(fulfil(&m, "angle 3 1 2", &error), HF_BAD_INPUT, &error,
                   "expected 0.5 to 179.5");
    assert_ok(fulfil(&m, "angle 3 1 2 = 150", &error));
    make_peroxide(&m);
    assert_failure(fulfil(&m, "torsion 3 1 2 4; angle 3 1 2 = 179", &error), HF_BAD_INPUT, &error,
                   "in line");
}

/** An end is none where a constraint does not hold, nor is a state of other constraints taken. */
TEST(ends_have_their_constraints)
{
    struct molecule m;
    struct hf_constraint list[8];
    struct hf_optimiser *optimiser = NULL, *other = NULL;
    struct hf_optimise_step step;
    const double flat[3][3] = {{0}};
    bool taken;
    make_water(&m, 1.8);
    struct hf_optimise_settings settings = minimum;
    settings.n_constraint = read_all(&m, "distance 1 2 = 2.0; fix 3", list);
    settings.constraint = list;
    assert_ok(hf_optimiser_create(&m.molecule, &minimum, &other, &error));
    assert_ok(hf_optimiser_create(&m.molecule, &settings, &optimiser, &error));
    double *kept = calloc(hf_optimiser_state_size(other), sizeof *kept);
    assert_ok(hf_optimiser_save(other, kept, &error));
    assert_ok(hf_optimiser_load(optimiser, kept, &taken, &error));
    assert_false(taken);
    for (int i = 0; i < 2; i++) { /* radius of trust and a place of a damaged checkpoint */
        double *const damaged = &kept[i == 0 ? 4 : 6], right = *damaged;
        *damaged = i == 0 ? -1.0 : 1e20;
        assert_int_equal(hf_optimiser_load(other, kept, &taken, &error), HF_BAD_INPUT);
        *damaged = right;
    }
    assert_ok(hf_optimiser_load(other, kept, &taken, &error));
    for (int i = 1; i < 3; i++) { /* of a distance, of an atom that is to stay */
        optimiser->x[i][0] += 0.01;
        assert_ok(hf_optimiser_advance(optimiser, -1.0, flat, &step, &error));
        assert_true(!step.held && !step.converged);
    }
    assert_ok(hf_optimiser_advance(optimiser, -1.0, flat, &step, &error)); /* it was put right */
    assert_true(step.held && step.converged);
    free(kept);
    hf_optimiser_destroy(&other);
    hf_optimiser_destroy(&optimiser);
}

TEST(changed_bonds_are_named)
{
    struct molecule m, moved;
    struct hf_constraint list[8];
    char text[100];
    make_water(&m, 1.8);
    make_water(&moved, 1.8);
    moved.x[1][0] = 6.0;
    const int n = read_all(&m, "distance 2 1", list);
    assert_int_equal(
        hf_constraints_changed_bonds(&m.molecule, 0, list, at(&m), at(&moved), sizeof text, text),
        1);
    assert_string_equal(text, "O1-H2 broken");
    assert_int_equal(
        hf_constraints_changed_bonds(&m.molecule, n, list, at(&m), at(&moved), sizeof text, text),
        0);
    assert_int_equal(
        hf_constraints_changed_bonds(&m.molecule, 0, list, at(&moved), at(&m), sizeof text, text),
        1);
    assert_string_equal(text, "O1-H2 formed");
}

TEST(nonsense_is_refused)
{
    static const char *const texts[] = {"",
                                        "fix",
                                        "fix 5",
                                        "fix 0",
                                        "bond 1 2",
                                        "distance 1",
                                        "distance 1 1",
                                        "angle 1 2",
                                        "angle 1 2 3 = 190",
                                        "angle 1 2 3 = 180",
                                        "distance 1 2 = 0.01",
                                        "distance 1 2 = x",
                                        "torsion 1 2 3 4 5"};
    struct molecule m;
    struct hf_constraint list[8];
    int n;
    make_peroxide(&m);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        assert_failure(hf_constraint_read(texts[t], &m.molecule, 1.0, false, 8, list, &n, &error),
                       HF_BAD_INPUT, &error, "expected");
    assert_failure(
        hf_constraint_read("distance 1 2 = 1 to 2", &m.molecule, 1.0, true, 8, list, &n, &error),
        HF_BAD_INPUT, &error, "expected");
    assert_ok(hf_constraint_read("distance 1 2 = 1 to 2 in 5", &m.molecule, 1.0, true, 8, list, &n,
                                 &error));
    assert_int_equal(list[0].n_point, 5);
    assert_failure(hf_constraint_read("distance 1 2 = 1 to 1 in 1", &m.molecule, 1.0, true, 8, list,
                                      &n, &error),
                   HF_BAD_INPUT, &error, "fewer than 2 values");
    assert_failure(hf_constraint_read("angle 1 2 3 = 100 to 180 in 5", &m.molecule, 1.0, true, 8,
                                      list, &n, &error),
                   HF_BAD_INPUT, &error, "expected 0.5 to 179.5 degrees");
}

/** One atom has nothing to move. */
TEST(an_atom_alone_is_done)
{
    struct molecule m;
    const double x[][3] = {{0.3, 0.0, 0.0}};
    make(&m, 1, (const int[]){10}, x);
    assert_int_equal(optimise(&m, x, &minimum, false), 1);
}

TEST_MAIN
