/* Search for stationary structures, for whoever can say energy and gradient of one:
 *
 *     hf_optimiser_create(...)
 *     until step.converged:
 *         energy and gradient with the atoms at hf_optimiser_position(optimiser)
 *         hf_optimiser_advance(optimiser, energy, gradient, &step, ...)
 *     hf_optimiser_destroy(&optimiser)
 *
 * Steps are made in redundant internal coordinates, in Cartesian ones where these fail. Nothing is collective; for several
 * ranks one computes and tells the others. Bohr, hartree, radians. */
#ifndef HF_OPTIMISE_H
#define HF_OPTIMISE_H

#include "hf/molecule.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>

enum hf_internal_kind {
    HF_PLACE,       /**< of an atom along a direction */
    HF_OFFSET,      /**< of two atoms along a direction */
    HF_STRETCH,     /**< distance of two atoms */
    HF_BEND,        /**< angle at the middle one of three */
    HF_LINEAR_BEND, /**< how far the middle one of three is off their line, in a direction */
    HF_TORSION /**< angle between the planes of the first and of the last three of four atoms */
};

/** What is held. */
struct hf_constraint {
    enum hf_internal_kind kind; /**< not HF_OFFSET, not HF_LINEAR_BEND */
    int atom[4];                /**< from 0 */
    bool has_value;             /**< false: as it is in the beginning */
    double value;
    double end;  /**< of a scan */
    int n_point; /**< number of values of a scan, from `value` to `end`; 0: not a scan */
};

/** Reads "distance 1 2 = 1.4", "angle 1 2 3", "torsion 1 2 3 4 = 60", "fix 1 3-5" into constraint [most], and sets
 *  *n; of a scan "distance 1 2 = 1.0 to 2.0 in 11". Atoms count from 1, values are in degrees and in `length` bohr.
 *  HF_BAD_INPUT: it is none of these. */
hf_status hf_constraint_read(const char *text, const struct hf_molecule *molecule, double length,
                             bool scan, int most, struct hf_constraint constraint[], int *n,
                             struct hf_error *error) HF_MUST_CHECK;

/** The value of a constraint of a molecule. */
double hf_constraint_value(const struct hf_constraint *constraint, const double (*x)[3]);

/** The same, of a torsion the one that is nearest to constraint->value of those that are whole turns apart. */
double hf_constraint_value_near(const struct hf_constraint *constraint, const double (*x)[3]);

/** Its kind and atoms, "distance 1 2". */
enum { HF_CONSTRAINT_NAME = 64 };
void hf_constraint_name(const struct hf_constraint *constraint, char name[HF_CONSTRAINT_NAME]);

/** Moves atoms from x to where all constraints hold; substituents follow, and parts move as a whole. Constraints without
 *  a value get that of x. HF_BAD_INPUT: the constraints cannot hold together; a torsion of atoms in line;
 *  HF_NO_RESOURCE. */
hf_status hf_constraints_fulfil(const struct hf_molecule *molecule, int n,
                                struct hf_constraint constraint[], double (*x)[3],
                                struct hf_error *error) HF_MUST_CHECK;

/** Bonds that only one of two structures has, "O1-H2 broken, H2-O4 formed"; without those of which a distance is
 *  constrained. Cut to `size`. Returns how many they are. */
int hf_constraints_changed_bonds(const struct hf_molecule *molecule, int n,
                                 const struct hf_constraint constraint[], const double (*from)[3],
                                 const double (*to)[3], size_t size, char text[]);

struct hf_optimise_settings {
    int n_constraint;
    const struct hf_constraint *constraint; /**< [n_constraint], copied */
    bool absolute;  /**< the energy changes when the molecule moves or turns as a whole */
    bool cartesian; /**< no internal coordinates */
    bool saddle;    /**< a first-order saddle point is looked for */
    double
        max_force; /**< hartree/bohr: converged are forces and steps that are smaller than all these */
    double rms_force;
    double max_displacement, rms_displacement; /**< bohr, of the next step */
};

/** What was found at a structure. */
struct hf_optimise_step {
    double energy, change; /**< hartree; since the structure before */
    double max_force, rms_force, max_displacement, rms_displacement;
    int n_negative; /**< eigenvalues below zero of the Hessian, which was updated since it was computed */
    bool converged;
    bool held;    /**< the constraints hold at the structure */
    bool in_line; /**< a torsion that is held has no value at the next one: the search is over */
    const char *note; /**< what was unusual, "" */
};

struct hf_optimiser;

/** From the places of the atoms in the molecule, which is borrowed. Constraints are fulfilled at once
 *  (hf_constraints_fulfil). HF_BAD_INPUT: they cannot be; HF_NO_RESOURCE. */
hf_status hf_optimiser_create(const struct hf_molecule *molecule,
                              const struct hf_optimise_settings *settings,
                              struct hf_optimiser **optimiser,
                              struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. */
void hf_optimiser_destroy(struct hf_optimiser **optimiser);

/** [n_atom] of the structure that is to be computed next, or of the last one. */
const double (*hf_optimiser_position(const struct hf_optimiser *optimiser))[3];

/** Takes energy and gradient [n_atom] there. Unless that is the end the next position follows.
 *  HF_NO_RESOURCE: memory, linear algebra. */
hf_status hf_optimiser_advance(struct hf_optimiser *self, double energy,
                               const double (*gradient)[3], struct hf_optimise_step *step,
                               struct hf_error *error) HF_MUST_CHECK;

/** There is no energy at the position: the next one is nearer to the last. False: there is none before. */
bool hf_optimiser_retreat(struct hf_optimiser *optimiser);

/** Second derivatives [3 n_atom][3 n_atom] at the position, with the gradient there. HF_NO_RESOURCE. */
hf_status hf_optimiser_set_hessian(struct hf_optimiser *optimiser, const double *hessian,
                                   const double (*gradient)[3],
                                   struct hf_error *error) HF_MUST_CHECK;

/** Everything that is needed to go on later, as hf_optimiser_state_size numbers. HF_NO_RESOURCE. */
size_t hf_optimiser_state_size(const struct hf_optimiser *optimiser);
hf_status hf_optimiser_save(struct hf_optimiser *self, double state[],
                            struct hf_error *error) HF_MUST_CHECK;
/** Of the same molecule and settings, with the position that was computed last or next. Not taken if constraints, which
 *  may be others, do not hold there; *taken says so. HF_BAD_INPUT: numbers that cannot be those of a search. */
hf_status hf_optimiser_load(struct hf_optimiser *self, const double state[], bool *taken,
                            struct hf_error *error) HF_MUST_CHECK;

#endif
