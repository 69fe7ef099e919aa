/* Shells that share their exponents made one, for two-electron integrals. */
#include "hf/basis.h"

#include <stdlib.h>
#include <string.h>

/** Highest l of a basis whose s and p shells are merged: the integrals of merged s and p shells
 *  come from the recurrence, which goes so far. */
enum { HIGHEST_L_WITH_SP = 3 };

static bool share_exponents(const struct hf_shell *a, const struct hf_shell *b)
{
    return a->n_primitive == b->n_primitive &&
           memcmp(a->exponent, b->exponent, (size_t)a->n_primitive * sizeof *a->exponent) == 0;
}

/** Whether the next shell of the same atom can become one more part of `shell`. */
static bool fits(const struct hf_basis *basis, const struct hf_shell *shell,
                 const struct hf_shell *next)
{
    const bool one_l = shell->l == next->l && shell->spherical == next->spherical;
    const bool sp = shell->l <= 1 && next->l <= 1 && basis->max_l <= HIGHEST_L_WITH_SP;
    return (one_l || sp) && shell->n_part < HF_MAX_SHELL_PART && share_exponents(shell, next);
}

/** Copies the coefficients of a shell to the end of the storage; where they are. */
static const double *store(const double *from, int n, double **end)
{
    double *const at = *end;
    memcpy(at, from, (size_t)n * sizeof *from);
    *end += n;
    return at;
}

static void add_part(struct hf_shell *shell, const struct hf_shell *next, double **end)
{
    struct hf_shell_part *part = &shell->part[shell->n_part++];
    *part = (struct hf_shell_part){
        .l = next->l,
        .spherical = next->spherical,
        .coefficient = store(next->coefficient, next->n_primitive, end),
        .first = next->first_function - shell->first_function,
        .n_function = next->n_function,
    };
    shell->n_function = part->first + part->n_function;
    if (next->l > shell->l) shell->l = next->l;
    if (shell->n_part == 1) shell->coefficient = part->coefficient;
}

/** The shells of one atom, to the end of the list. */
static void merge_atom(const struct hf_basis *basis, int atom, struct hf_basis *merged,
                       double **end)
{
    const int last = basis->first_shell_of_atom[atom + 1];
    struct hf_shell *shell = NULL;
    for (int i = basis->first_shell_of_atom[atom]; i < last; i++) {
        const struct hf_shell *next = &basis->shell[i];
        if (shell == NULL || !fits(basis, shell, next)) {
            shell = &merged->shell[merged->n_shell++];
            *shell = *next;
            shell->n_part = 0;
            shell->n_function = 0;
            shell->exponent = store(next->exponent, next->n_primitive, end);
            merged->n_primitive += next->n_primitive;
        }
        add_part(shell, next, end);
    }
    merged->first_shell_of_atom[atom + 1] = merged->n_shell;
}

hf_status hf_basis_merge(const struct hf_basis *basis, struct hf_basis **merged,
                         struct hf_error *error)
{
    const size_t n_atom = (size_t)basis->n_atom, n_shell = (size_t)basis->n_shell;
    struct hf_basis *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->n_atom = basis->n_atom;
    made->n_function = basis->n_function;
    made->max_l = basis->max_l;
    made->max_primitive = basis->max_primitive;
    made->shell = calloc(n_shell + 1, sizeof *made->shell);
    made->first_shell_of_atom = calloc(n_atom + 1, sizeof *made->first_shell_of_atom);
    made->storage = calloc(2 * (size_t)basis->n_primitive + 1, sizeof *made->storage);
    if (made->shell == NULL || made->first_shell_of_atom == NULL || made->storage == NULL)
        goto no_memory;
    double *end = made->storage;
    for (int atom = 0; atom < basis->n_atom; atom++) merge_atom(basis, atom, made, &end);
    *merged = made;
    return HF_OK;
no_memory:
    hf_basis_destroy(&made);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the merged shells");
}
