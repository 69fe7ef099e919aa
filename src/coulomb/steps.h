/* Steps of the Coulomb pass in a trace. */
#ifndef HF_COULOMB_STEPS_H
#define HF_COULOMB_STEPS_H

#include "text/trace.h"

/** Steps of a build beside its tasks. A record of HF_TRACE_COULOMB_STEP has the step plus HF_COULOMB_UNIT times the number of
 *  units (pairs of atoms, leaves, cells) that it is divided into. tools/lab/coulomb_pass.py replays each as it is divided. */
enum hf_coulomb_step {
    HF_COULOMB_DENSITIES, /**< H of pairs of atoms */
    HF_COULOMB_KETS,      /**< of leaves: their weights; then themselves */
    HF_COULOMB_LEAVES,    /**< moments of leaves */
    HF_COULOMB_UP,     /**< moments of the cells of a level, or of some at once, the lowest first */
    HF_COULOMB_BOUNDS, /**< strengths and tolerances of cells; places of kets */
    HF_COULOMB_ACROSS, /**< local expansions of cells from far moments */
    HF_COULOMB_DOWN,   /**< local expansions of the cells of a level from those of their parents */
    HF_COULOMB_MATRICES, /**< Coulomb matrix of pairs of atoms, or derivatives */
    HF_COULOMB_TO_LEAVES, /**< local expansions of leaves from those of all cells above, in place of DOWN */
};

enum { HF_COULOMB_UNIT = 256 };

static inline void hf_coulomb_end_step(struct hf_trace *trace, int thread,
                                       enum hf_coulomb_step step, int64_t n_unit,
                                       struct hf_trace_span span)
{
    hf_trace_end_span(trace, thread, HF_TRACE_COULOMB_STEP, step + HF_COULOMB_UNIT * n_unit, span);
}

#endif
