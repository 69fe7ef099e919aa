/* Functions of a shell, projected on the solid harmonics about the centre of a core potential. */
#ifndef HF_CORE_PROJECTION_H
#define HF_CORE_PROJECTION_H

#include "base/arena.h"
#include "hf/basis.h"
#include "integrals/cartesian.h"
#include "integrals/solid_harmonics.h"

enum { HF_MAX_POLAR_POINT = 48 };

/** Points about the centre: distances r = exp(x), x in equal steps, and directions. */
struct hf_core_points {
    double centre[3];
    int max_l;             /**< projectors are of l < max_l ... */
    int n_projector;       /**< ... so many: max_l squared */
    double norm[HF_MAX_L]; /**< of the harmonics of l: 1 on the sphere */
    int n_radius;
    double *radius; /**< [n_radius] rising */
    double *weight; /**< [n_radius][n_projector]: U_l(r) r^2 dr, the same for all m of an l */
    const struct hf_cartesian_table *cartesian; /**< borrowed */
    const struct hf_solid_harmonics *harmonics; /**< [HF_MAX_L + 1] borrowed */
    double (*polar_point)[HF_MAX_POLAR_POINT];  /**< [n] those of the rule with n points */
    double (*polar_weight)[HF_MAX_POLAR_POINT];
};

/** One shell: value[function][radius first .. end - 1][projector]. */
struct hf_core_projection {
    int first, end;
    double *value;
};

/** The arrays are taken from the arena, whose status the caller looks at. */
void hf_core_points_init(struct hf_arena *arena, const struct hf_basis *basis,
                         const struct hf_core_potential *potential, double step,
                         struct hf_core_points *points);

/** Largest step of x that the functions of a basis and the potential allow, all at the points' centre
 *  or around it. */
double hf_core_step(const struct hf_basis *basis, const struct hf_core_potential *potential,
                    const double centre[3]);

/** About the largest value of the potential times a primitive of the shell at a distance from its
 *  centre. */
double hf_core_reach(const struct hf_core_potential *potential, const struct hf_shell *shell,
                     int primitive, double distance);

/** The value is taken from the arena. False: no memory. */
bool hf_core_project(const struct hf_core_points *points, const struct hf_shell *shell,
                     struct hf_arena *arena, struct hf_core_projection *projection) HF_MUST_CHECK;

/** Of the centre of a shell from a point, bohr. */
double hf_core_distance(const struct hf_shell *shell, const double centre[3]);

/** Gauss-Legendre points (rising) and weights [n] of the interval -1 to 1. */
void hf_gauss_legendre(int n, double point[], double weight[]);

#endif
