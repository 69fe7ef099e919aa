/* Occupied orbitals at the last points of an energy surface, and an estimate of those at another one. */
#ifndef HF_EXTRAPOLATION_H
#define HF_EXTRAPOLATION_H

#include "hf/context.h"
#include "hf/guess.h"
#include "hf/linalg.h"
#include "hf/wavefunction.h"

/** Points whose orbitals are remembered. */
enum { HF_SURFACE_POINTS = 8 };

/** Initialise with = {0}. */
struct hf_extrapolation {
    struct hf_context *context; /**< borrowed */
    struct hf_linalg *linalg;   /**< made like that of the calculations */
    int n_atom, n_spin, n_point;
    int n_occupied[HF_MAX_SPIN];
    struct hf_surface_past {
        double *position;                         /**< [n_atom][3] bohr */
        struct hf_matrix *orbitals[HF_MAX_SPIN];  /**< C [n][o]; NULL: none is occupied */
        struct hf_matrix *conjugate[HF_MAX_SPIN]; /**< S C */
    } past[HF_SURFACE_POINTS];                    /**< the last one first */
    struct hf_matrix *estimate[HF_MAX_SPIN];
};

/** Spread: over all ranks, however small the matrices. Collective. HF_NO_RESOURCE. */
hf_status hf_extrapolation_init(struct hf_extrapolation *self, struct hf_context *context,
                                int n_function, bool spread, struct hf_error *error) HF_MUST_CHECK;

/** Adds the point of a wave function, where its molecule is; the oldest one gives way. It has orbitals. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_extrapolation_add(struct hf_extrapolation *self,
                               const struct hf_wavefunction *wavefunction,
                               struct hf_error *error) HF_MUST_CHECK;

/** Adds the last point of another one of the same functions, whose ranks include all of these; nothing if it has none.
 *  Collective over the ranks of `from`. HF_NO_RESOURCE. */
hf_status hf_extrapolation_add_last(struct hf_extrapolation *self,
                                    const struct hf_extrapolation *from,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Sets `estimate` for atoms at `position`; there is a point. Not orthonormal. Collective. HF_NO_RESOURCE. */
hf_status hf_extrapolation_estimate(struct hf_extrapolation *self, const double *position,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Forgets all points. Not collective. */
void hf_extrapolation_forget(struct hf_extrapolation *self);

/** Accepts a half-made one. Collective. */
void hf_extrapolation_done(struct hf_extrapolation *self);

#endif
