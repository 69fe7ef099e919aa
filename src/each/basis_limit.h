/* Two basis sets, "cc-pV[DT]Z", and formulas that extrapolate energies to the limit of such sets. */
#ifndef HF_EACH_BASIS_LIMIT_H
#define HF_EACH_BASIS_LIMIT_H

#include "text/option.h"

/** Formulas of a paper for pairs of basis sets. */
struct hf_limit_formula {
    const char *name; /**< --extrapolation NAME */
    const char *sets; /**< "cc-pV[DT]Z", what the sets are called together */
    int cardinal;     /**< X of the smaller one; the larger one has X + 1 */
    bool root;        /**< E_SCF(X) = E + A exp(-alpha sqrt(X)), otherwise E + A exp(-alpha X) */
    double alpha;
    double beta; /**< E_correlation(X) = E + B X^-beta */
    const char *source;
};

/** Basis sets of a calculation. Initialise with = {0}. */
struct hf_basis_limit {
    int n;                                  /**< sets: 1, or 2 to extrapolate */
    int value;                              /**< place of the two among the values of the options */
    char requested[256], name[2][256];      /**< with brackets; of two, the smaller one first */
    const struct hf_limit_formula *formula; /**< NULL: one set */
    double scf[2], correlation[2];          /**< factors of the energies in the sets */
};

/** Whether the name of a basis set has brackets, and is no path. Local. */
bool hf_basis_limit_is_named(const char *text);

/** Whether the basis set that counts has brackets, as in cc-pV[DT]Z. Local. */
bool hf_basis_limit_is_asked(const struct hf_options *options);

/** Finds the sets and their formula. Local. HF_BAD_INPUT: none is known, or several sets are given. */
hf_status hf_basis_limit_read(const struct hf_options *options, struct hf_basis_limit *limit,
                              struct hf_error *error) HF_MUST_CHECK;

#endif
