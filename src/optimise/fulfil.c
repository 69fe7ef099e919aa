/* Atoms to where constraints hold, from wherever they are.
 *
 * A constraint names two to four atoms. The others follow as if the molecule were made of springs: bonds and angles keep
 * the values of the start; torsions and directions of bonds resist little, so that parts move as a whole. A large change
 * is made in steps, so that the linear equations of each step hold. All steps have the bonds of the start. */
#include "internals.h"

#include "frame.h"

#include "hf/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** bohr or radians: a constraint whose value is farther off does not hold. Users round values that depend on each
 *  other. */
static const double HOLDS = 1e-4;

/** Weight of a constraint beside the springs, whose force constants are below 1. */
static const double STIFF = 1e4;

/** Of the force constant of a torsion: substituents turn with the bond. */
static const double TORSION_PART = 0.1;

/** What is moved, and how. */
struct way {
    const struct hf_molecule *molecule;
    const double (*start)[3];
    int n;
    const struct hf_constraint *to; /**< [n] with values */
    struct hf_constraint *now;      /**< [n] with those of the step */
    double *from;                   /**< [n] values of the start */
};

static struct hf_internal internal_of(const struct hf_constraint *constraint)
{
    struct hf_internal made = {
        .kind = constraint->kind, .fixed = true, .target = constraint->value};
    memcpy(made.atom, constraint->atom, sizeof made.atom);
    return made;
}

void hf_constraints_add(int n, const struct hf_constraint constraint[], const double (*x)[3],
                        struct hf_internals *to)
{
    for (int c = 0; c < n; c++) {
        const struct hf_internal held = internal_of(&constraint[c]);
        if (held.kind == HF_PLACE)
            hf_internals_add_place(to, held.atom[0], true, x);
        else
            hf_internals_add(to, &held);
    }
}

/** By how much a constraint with a value does not hold. */
static double miss(const struct hf_constraint *constraint, const double (*x)[3])
{
    const struct hf_internal it = internal_of(constraint);
    if (it.kind == HF_PLACE) return 0.0;
    return hf_internal_difference(&it, constraint->value, hf_internal_value(&it, x));
}

int hf_constraints_missed(int n, const struct hf_constraint constraint[], const double (*x)[3])
{
    int worst = -1;
    double most = HOLDS;
    for (int c = 0; c < n; c++)
        if (!(fabs(miss(&constraint[c], x)) <= most)) {
            most = fabs(miss(&constraint[c], x));
            worst = c;
        }
    return worst;
}

bool hf_internals_hold(const struct hf_internals *internals, const double (*x)[3])
{
    for (int q = 0; q < internals->n; q++) {
        const struct hf_internal *it = &internals->list[q];
        if (!it->fixed) continue;
        if (!(fabs(hf_internal_difference(it, it->target, hf_internal_value(it, x))) <= HOLDS))
            return false;
    }
    return true;
}

int hf_constraints_in_line(int n, const struct hf_constraint constraint[], const double (*x)[3])
{
    const double least = sin(2.0 * acos(-1.0) / 180.0);
    for (int c = 0; c < n; c++) {
        const int *i = constraint[c].atom;
        if (constraint[c].kind != HF_TORSION) continue;
        if (!(sin(hf_angle(x[i[0]], x[i[1]], x[i[2]])) > least) ||
            !(sin(hf_angle(x[i[1]], x[i[2]], x[i[3]])) > least))
            return c;
    }
    return -1;
}

/** An angle of 180 degrees can become smaller in any direction: one is chosen. */
static void bend_lines(const struct way *way, double (*x)[3])
{
    const double far = 0.05, most = acos(-1.0) * 178.0 / 180.0;
    for (int c = 0; c < way->n; c++) {
        const int *i = way->to[c].atom;
        if (way->to[c].kind != HF_BEND || hf_angle(x[i[0]], x[i[1]], x[i[2]]) < most) continue;
        double along[3], across[3];
        for (int k = 0; k < 3; k++) along[k] = x[i[2]][k] - x[i[0]][k];
        hf_find_across(along, across);
        for (int k = 0; k < 3; k++) x[i[1]][k] += far * across[k];
    }
}

/** Square root of the weight of a coordinate. */
static double scale_of(const struct way *way, const struct hf_internal *it)
{
    if (it->fixed) return sqrt(STIFF);
    const double constant = hf_model_force_constant(way->molecule, it, way->start);
    return sqrt(it->kind == HF_TORSION ? TORSION_PART * constant : constant);
}

/** Bonds resist turning a little: parts are moved rather than turned. */
static void add_offsets(struct hf_internals *list)
{
    const int n = list->n;
    for (int q = 0; q < n; q++) {
        const struct hf_internal it = list->list[q];
        for (int k = 0; k < 3 && it.kind == HF_STRETCH; k++) {
            struct hf_internal offset = {.kind = HF_OFFSET, .atom = {it.atom[0], it.atom[1]}};
            offset.direction[k] = 1.0;
            hf_internals_add(list, &offset);
        }
    }
}

/** A step: x to where the constraints have the values of way->now. Whether they have is seen at the end. */
static hf_status settle(const struct way *way, double (*x)[3], struct hf_error *error)
{
    const double near = 1e-3;
    const double(*at)[3] = (const double(*)[3])x;
    bool good;
    struct hf_internals list = hf_internals_begin(way->molecule->n_atom, false);
    hf_internals_find(way->molecule, way->start, at, &list);
    add_offsets(&list);
    hf_constraints_add(way->n, way->now, way->start, &list);
    double *target = HF_TAKE(&list.arena, target, (size_t)list.n);
    double *scale = HF_TAKE(&list.arena, scale, (size_t)list.n);
    hf_status status = hf_arena_check(&list.arena, error);
    for (int q = 0; q < list.n && status == HF_OK; q++) {
        const struct hf_internal *it = &list.list[q];
        const bool of_start = it->kind == HF_STRETCH || it->kind == HF_BEND;
        target[q] = it->fixed ? it->target : hf_internal_value(it, of_start ? way->start : at);
        scale[q] = scale_of(way, it);
    }
    if (status == HF_OK) status = hf_frame_fit(&list, target, scale, near, x, &good, error);
    hf_arena_done(&list.arena);
    return status;
}

/** Exactly to the values, by the shortest way of the atoms named. */
static hf_status finish(const struct way *way, double (*x)[3], struct hf_error *error)
{
    const double near = 1e-8;
    bool good;
    struct hf_internals held = hf_internals_begin(way->molecule->n_atom, false);
    hf_constraints_add(way->n, way->to, way->start, &held);
    double *target = HF_TAKE(&held.arena, target, (size_t)held.n);
    hf_status status = hf_arena_check(&held.arena, error);
    for (int q = 0; q < held.n && status == HF_OK; q++) target[q] = held.list[q].target;
    if (status == HF_OK) status = hf_frame_fit(&held, target, NULL, near, x, &good, error);
    hf_arena_done(&held.arena);
    return status;
}

/** Part of the whole change that a step makes: none of the constraints changes by much. */
static double part_of(const struct way *way, const double (*x)[3])
{
    double part = 1.0;
    for (int c = 0; c < way->n; c++) {
        if (way->to[c].kind == HF_PLACE) continue;
        const double most =
            way->to[c].kind == HF_STRETCH ? 0.2 + 0.1 * hf_constraint_value(&way->to[c], x) : 0.25;
        part = fmin(part, most / fmax(fabs(miss(&way->to[c], way->start)), most));
    }
    return part;
}

static hf_status refuse_line(const struct way *way, int c, struct hf_error *error)
{
    char name[HF_CONSTRAINT_NAME];
    hf_constraint_name(&way->to[c], name);
    return hf_fail(error, HF_BAD_INPUT,
                   "%s has no value: three of its atoms in succession are in line", name);
}

static hf_status refuse_missed(const struct way *way, int c, const double (*x)[3],
                               struct hf_error *error)
{
    char name[HF_CONSTRAINT_NAME];
    const struct hf_constraint *it = &way->to[c];
    const double unit = it->kind == HF_STRETCH ? HF_BOHR_IN_ANGSTROM : 180.0 / acos(-1.0);
    hf_constraint_name(it, name);
    return hf_fail(
        error, HF_BAD_INPUT,
        "the constraints cannot hold together: %s is to be %.5f %s, the others leave %.5f", name,
        it->value * unit, it->kind == HF_STRETCH ? "angstrom" : "degrees",
        (it->value - miss(it, x)) * unit);
}

/** All steps. */
static hf_status go(const struct way *way, double (*x)[3], struct hf_error *error)
{
    const double(*at)[3] = (const double(*)[3])x;
    int c = hf_constraints_in_line(way->n, way->to, at);
    if (hf_constraints_missed(way->n, way->to, at) >= 0) bend_lines(way, x);
    for (double part = 0.0; c < 0 && part < 1.0;) {
        if (hf_constraints_missed(way->n, way->to, at) < 0) break;
        part = fmin(1.0, part + part_of(way, at));
        for (int k = 0; k < way->n; k++)
            way->now[k].value = way->from[k] + part * miss(&way->to[k], way->start);
        HF_CHECK(settle(way, x, error));
        c = hf_constraints_in_line(way->n, way->to, at);
    }
    if (c < 0) HF_CHECK(finish(way, x, error));
    if (c >= 0) return refuse_line(way, c, error);
    c = hf_constraints_missed(way->n, way->to, at);
    return c >= 0 ? refuse_missed(way, c, at, error) : HF_OK;
}

hf_status hf_constraints_fulfil(const struct hf_molecule *molecule, int n,
                                struct hf_constraint constraint[], double (*x)[3],
                                struct hf_error *error)
{
    if (n < 1) return HF_OK;
    const size_t n_atom = (size_t)molecule->n_atom;
    struct hf_arena arena = {.label = "constraints"};
    double(*start)[3] = HF_TAKE(&arena, start, n_atom);
    struct way way = {
        .molecule = molecule, .start = (const double(*)[3])start, .n = n, .to = constraint};
    HF_TAKE(&arena, way.now, (size_t)n);
    HF_TAKE(&arena, way.from, (size_t)n);
    hf_status status;
    HF_TRY(hf_arena_check(&arena, error));
    memcpy(start, x, n_atom * sizeof *start);
    for (int c = 0; c < n; c++) {
        way.from[c] = hf_constraint_value(&constraint[c], way.start);
        if (!constraint[c].has_value) constraint[c].value = way.from[c];
        HF_TRY(hf_constraint_check(&constraint[c], error));
    }
    memcpy(way.now, constraint, (size_t)n * sizeof *way.now);
    HF_TRY(go(&way, x, error));
cleanup:
    hf_arena_done(&arena);
    return status;
}
