/* Internal coordinates of a molecule: values, derivatives, and lists of them that describe it. Coordinates x [n_atom][3]
 * and values are in bohr and radians. Nothing is collective. */
#ifndef HF_INTERNALS_H
#define HF_INTERNALS_H

#include "base/arena.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "optimise/optimise.h"

#include <stdbool.h>
#include <stdint.h>

/** One coordinate. */
struct hf_internal {
    enum hf_internal_kind kind;
    int atom[4]; /**< the first of them, as the kind says */
    /** of HF_LINEAR_BEND the one across, of HF_PLACE and HF_OFFSET that of the axis; unit length */
    double direction[3];
    bool fixed;    /**< a constraint */
    double target; /**< of a constraint */
};

/** A list of coordinates of a molecule. Additions do not fail: if there is no memory for one, arena.failed is set, and
 *  no frame of the list can be made. End with hf_arena_done(&list.arena). */
struct hf_internals {
    int n_atom;
    bool free_in_space; /**< places of atoms count without motions of the whole */
    int n;
    int64_t n_room;
    struct hf_internal *list; /**< [n] */
    struct hf_arena arena;    /**< has the list, and whatever users take from it */
};

/** An empty list. */
struct hf_internals hf_internals_begin(int n_atom, bool free_in_space);

/** How many atoms a kind has. */
int hf_internal_n_atom(enum hf_internal_kind kind);

double hf_internal_value(const struct hf_internal *internal, const double (*x)[3]);

/** slope [atoms of it][3] = dq/dx. */
void hf_internal_slope(const struct hf_internal *internal, const double (*x)[3],
                       double slope[4][3]);

/** Difference of two values, of torsions the shorter way round. */
double hf_internal_difference(const struct hf_internal *internal, double to, double from);

/** Angle of three atoms. */
double hf_angle(const double a[3], const double centre[3], const double b[3]);

/** A vector across `along`: what one of the axes has across it. */
void hf_find_across(const double along[3], double across[3]);

/** Whether two atoms are bonded where the atoms are at x. */
bool hf_are_bonded_at(const struct hf_molecule *molecule, const double (*x)[3], int i, int j);

/** Adds a coordinate. Equal ones are not added twice; `fixed` is added to the one that is there. */
void hf_internals_add(struct hf_internals *internals, const struct hf_internal *internal);

/** Adds stretches, bends, linear bends and torsions of bonds, of the shortest ways between parts that no bond joins, and of
 *  chains of atoms in line. With bonds_x the bonds are those at these places, and nothing joins parts; NULL: bonds are
 *  those at x. */
void hf_internals_find(const struct hf_molecule *molecule, const double (*bonds_x)[3],
                       const double (*x)[3], struct hf_internals *internals);

/** Adds the coordinates of an atom. */
void hf_internals_add_place(struct hf_internals *internals, int atom, bool fixed,
                            const double (*x)[3]);

/** Adds constraints, which have values; atoms that are held stay at x. */
void hf_constraints_add(int n, const struct hf_constraint constraint[], const double (*x)[3],
                        struct hf_internals *to);

/** The constraint whose value is farthest from what it is to be; -1: all hold, except for rounding of users. */
int hf_constraints_missed(int n, const struct hf_constraint constraint[], const double (*x)[3]);

/** Whether all fixed coordinates have their targets, as near as that. */
bool hf_internals_hold(const struct hf_internals *internals, const double (*x)[3]);

/** A torsion whose first or last three atoms are in line, so that it has no value; -1: there is none. */
int hf_constraints_in_line(int n, const struct hf_constraint constraint[], const double (*x)[3]);

/** HF_BAD_INPUT: no molecule can have the value. */
hf_status hf_constraint_check(const struct hf_constraint *constraint,
                              struct hf_error *error) HF_MUST_CHECK;

/** Whether a bend has come near 180 degrees, or a linear one left it: the list is to be made anew. */
bool hf_internals_are_bad(const struct hf_internals *internals, const double (*x)[3]);

/** Guess of the second derivative by a coordinate, hartree/bohr^2 or hartree. */
double hf_model_force_constant(const struct hf_molecule *molecule,
                               const struct hf_internal *internal, const double (*x)[3]);

#endif
