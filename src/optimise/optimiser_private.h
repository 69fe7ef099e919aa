/* The state of an optimisation, and its coordinates. */
#ifndef HF_OPTIMISER_PRIVATE_H
#define HF_OPTIMISER_PRIVATE_H

#include "optimise/optimise.h"

#include "frame.h"

/** A step teaches about the line from the last point; one from the point before that keeps what was learned there. */
enum { MOST_LAST = 2 };

struct hf_optimiser {
    const struct hf_molecule *molecule; /**< borrowed */
    struct hf_optimise_settings settings;
    struct hf_constraint *constraint; /**< [settings.n_constraint] */
    int n_atom;
    bool cartesian, free_in_space;
    struct hf_internals internals;
    double *h;               /**< [n_q][n_q] */
    double *mode;            /**< [n_q] that a search of a saddle point follows */
    double *dq, *g_q, *work; /**< [n_q] used within a function; all these in internals.arena */
    struct hf_arena arena;   /**< has all others */
    double (*x)[3];          /**< the structure that is computed next, or the last one */
    double (*next)[3], (*left)[3]; /**< [n_atom] used within a function */
    int n_last; /**< points before that are kept, the last one first: their places and gradients */
    double (*last_x[MOST_LAST])[3], (*last_g[MOST_LAST])[3];
    double last_energy, expected, reach, trust;
    int n_negative; /**< eigenvalues of the Hessian below zero */
    const char *note;
};

static inline const double (*hf_optimiser_at(const struct hf_optimiser *self))[3]
{
    return (const double(*)[3])self->x;
}

/** Coordinates and the model of their force constants. */
hf_status hf_optimiser_begin(struct hf_optimiser *self, struct hf_error *error) HF_MUST_CHECK;

/** Second derivatives h_x by the places at a point become those of the coordinates, or the other way. */
hf_status hf_optimiser_turn_hessian(const struct hf_internals *internals, const double (*x)[3],
                                    const double (*g)[3], bool to_places, double *h_x, double *h_q,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Other coordinates, found at x, with the same Hessian, taken over at the point with places `from` and gradient g. */
hf_status hf_optimiser_change_coordinates(struct hf_optimiser *self, const double (*from)[3],
                                          const double (*g)[3],
                                          struct hf_error *error) HF_MUST_CHECK;

#endif
