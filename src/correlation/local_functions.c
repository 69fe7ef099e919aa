/* Functions of some shells; see local_functions.h. */
#include "local_functions.h"

#include <stdlib.h>
#include <string.h>

bool hf_local_functions_init(const struct hf_basis *basis, struct hf_local_functions *functions)
{
    *functions = (struct hf_local_functions){
        .number = malloc((size_t)basis->n_shell * sizeof *functions->number)};
    if (functions->number == NULL) return false;
    hf_local_functions_clear(basis, functions);
    return true;
}

void hf_local_functions_done(struct hf_local_functions *functions)
{
    free(functions->number);
    functions->number = NULL;
}

void hf_local_functions_clear(const struct hf_basis *basis, struct hf_local_functions *functions)
{
    for (int s = 0; s < basis->n_shell; s++) functions->number[s] = -1;
    functions->n = 0;
}

void hf_local_functions_count(const struct hf_basis *basis, struct hf_local_functions *functions)
{
    functions->n = 0;
    for (int s = 0; s < basis->n_shell; s++) {
        if (functions->number[s] < 0) continue;
        functions->number[s] = functions->n;
        functions->n += basis->shell[s].n_function;
    }
}

double *hf_local_gather_paos(const struct hf_local_integrals *integrals,
                             const struct hf_local_functions *functions,
                             const struct hf_local_domain *domain, size_t step,
                             struct hf_local_scratch *to)
{
    const struct hf_sparse_matrix *paos = integrals->paos;
    const struct hf_basis *basis = integrals->merged;
    double *value = hf_local_reserve(to, (size_t)functions->n * step);
    if (value == NULL) return NULL;
    memset(value, 0, (size_t)functions->n * step * sizeof *value);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        if (functions->number[s] < 0) continue;
        double *column = value + (size_t)functions->number[s] * step;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int part = domain->atoms.part[a];
            const size_t n = (size_t)(paos->column_first[part + 1] - paos->column_first[part]);
            const double *from = hf_sparse_find(paos, shell->atom, part);
            if (from != NULL)
                from += (size_t)(shell->first_function - paos->row_first[shell->atom]) * n;
            for (int f = 0; f < shell->n_function && from != NULL; f++, from += n)
                memcpy(column + (size_t)f * step, from, n * sizeof *from);
            column += n;
        }
    }
    return value;
}
