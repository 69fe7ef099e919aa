/* Results of a calculation by the terms of the Hamiltonian, for those who know the terms. */
#ifndef HF_SCF_TERMS_H
#define HF_SCF_TERMS_H

#include "hf/hamiltonian.h"
#include "hf/scf.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Energy of the electrons in a term; 0 when it was not present. Not collective. */
double hf_scf_term_electrons(const struct hf_scf_result *result, const struct hf_term_ops *term);

#ifdef __cplusplus
}
#endif
#endif
