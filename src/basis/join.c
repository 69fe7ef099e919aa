/* Two bases as one, for integrals between the functions of both. */
#include "basis_private.h"

#include <stdlib.h>
#include <string.h>

/** Appends the shells of `from`; its atoms follow those there are. `positions` may be NULL: they stay
 *  where they are. */
static void append(const struct hf_basis *from, const struct hf_molecule *positions,
                   struct hf_basis *to)
{
    const int first_atom = to->n_atom;
    for (int a = 0; a < from->n_atom; a++) {
        for (int s = from->first_shell_of_atom[a]; s < from->first_shell_of_atom[a + 1]; s++) {
            const size_t n = (size_t)from->shell[s].n_primitive;
            double *exponent = to->storage + 2 * (size_t)to->n_primitive;
            struct hf_shell *shell = &to->shell[to->n_shell++];
            *shell = from->shell[s];
            memcpy(exponent, shell->exponent, n * sizeof *exponent);
            memcpy(exponent + n, shell->coefficient, n * sizeof *exponent);
            shell->atom = first_atom + a;
            shell->exponent = exponent;
            shell->coefficient = exponent + n;
            shell->first_function += to->n_function;
            if (positions != NULL)
                memcpy(shell->centre_bohr, positions->atom[a].position_bohr,
                       sizeof shell->centre_bohr);
            to->n_primitive += shell->n_primitive;
        }
        to->first_shell_of_atom[++to->n_atom] = to->n_shell;
    }
    to->n_function += from->n_function;
    if (from->max_l > to->max_l) to->max_l = from->max_l;
    if (from->max_primitive > to->max_primitive) to->max_primitive = from->max_primitive;
}

hf_status hf_basis_join(const struct hf_basis *front, const struct hf_basis *behind,
                        const struct hf_molecule *positions, struct hf_basis **joined,
                        struct hf_error *error)
{
    const size_t n_shell = (size_t)front->n_shell + (size_t)behind->n_shell;
    const size_t n_atom = (size_t)front->n_atom + (size_t)behind->n_atom;
    const size_t n_primitive = (size_t)front->n_primitive + (size_t)behind->n_primitive;
    struct hf_basis *made = calloc(1, sizeof *made);
    if (made != NULL) {
        made->name = hf_word_copy((struct hf_word){"joined", 6});
        made->shell = calloc(n_shell + 1, sizeof *made->shell);
        made->first_shell_of_atom = calloc(n_atom + 1, sizeof *made->first_shell_of_atom);
        made->storage = calloc(2 * n_primitive + 1, sizeof *made->storage);
    }
    if (made == NULL || made->name == NULL || made->shell == NULL ||
        made->first_shell_of_atom == NULL || made->storage == NULL) {
        hf_basis_destroy(&made);
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shells of two bases");
    }
    append(front, NULL, made);
    append(behind, positions, made);
    *joined = made;
    return HF_OK;
}
