/* Orbitals of molecules computed before in this process, as starts of similar ones: frames of a trajectory. */
#ifndef HF_EACH_STARTS_H
#define HF_EACH_STARTS_H

#include "hf/guess.h"
#include "run/calculation.h"
#include "surface/extrapolation.h"

/** Initialise with = {0}. */
struct hf_each_start {
    bool there;    /**< `past` has points */
    uint64_t kind; /**< hash of what molecules must have in common: atoms, charge, method, basis */
    struct hf_extrapolation past;
    struct hf_scf_orbitals orbitals;
};

/** Sets the orbitals that the SCF of a prepared calculation starts from. Only if the last molecule has the same
 *  elements in the same order, charge, multiplicity, method and basis functions, and no atom is far from where it was.
 *  Not with --reproducible, and not if a file of orbitals is given. *used: they are set. Collective over the
 *  calculation's context. HF_NO_RESOURCE. */
hf_status hf_each_start_use(struct hf_each_start *start, struct hf_calculation *calculation,
                            bool *used, struct hf_error *error) HF_MUST_CHECK;

/** Keeps the orbitals of a calculation that has converged, and forgets those of another kind. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_each_start_keep(struct hf_each_start *start, struct hf_calculation *calculation,
                             const struct hf_wavefunction *wavefunction,
                             struct hf_error *error) HF_MUST_CHECK;

/** Accepts a cleared one. Collective. */
void hf_each_start_done(struct hf_each_start *start);

#endif
