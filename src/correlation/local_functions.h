/* Functions of some shells, and the projected atomic orbitals (PAOs) of a domain over them. */
#ifndef HF_LOCAL_FUNCTIONS_H
#define HF_LOCAL_FUNCTIONS_H

#include "local_scratch.h"
#include "local_transform.h"

struct hf_local_functions {
    int n;       /**< functions */
    int *number; /**< [n_shell] place of a shell's first function; -1: not among them */
};

/** None. False: no memory. */
bool hf_local_functions_init(const struct hf_basis *basis, struct hf_local_functions *functions);
void hf_local_functions_done(struct hf_local_functions *functions);

/** Forgets all shells. */
void hf_local_functions_clear(const struct hf_basis *basis, struct hf_local_functions *functions);

/** Numbers the functions of the shells whose number is 0 now, in their order. */
void hf_local_functions_count(const struct hf_basis *basis, struct hf_local_functions *functions);

/** P [functions][PAOs of a domain], rows `step` long, zeros at their ends. NULL: no memory. */
double *hf_local_gather_paos(const struct hf_local_integrals *integrals,
                             const struct hf_local_functions *functions,
                             const struct hf_local_domain *domain, size_t step,
                             struct hf_local_scratch *to);

/** row[n]: rows that begin at `first` and are `step` long. */
static inline void hf_local_set_rows(int n, const double *first, size_t step, const double *row[])
{
    for (int r = 0; r < n; r++) row[r] = first + (size_t)r * step;
}

#endif
