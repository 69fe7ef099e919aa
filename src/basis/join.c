/* Joins two bases, for integrals between their functions. */
#include "basis_private.h"

#include <string.h>

/** Appends the shells of `from`; its first atom gets number `first_atom`. `positions` NULL: shells stay where they
 *  are. */
static void append(const struct hf_basis *from, const struct hf_molecule *positions, int first_atom,
                   struct hf_basis *to)
{
    for (int a = 0; a < from->n_atom; a++) {
        for (int s = from->first_shell_of_atom[a]; s < from->first_shell_of_atom[a + 1]; s++) {
            struct hf_shell shell = from->shell[s];
            if (positions != NULL)
                memcpy(shell.centre_bohr, positions->atom[a].position_bohr,
                       sizeof shell.centre_bohr);
            (void)hf_basis_add_shell(&shell, first_atom + a, to);
        }
        to->first_shell_of_atom[first_atom + a + 1] = to->n_shell;
    }
}

hf_status hf_basis_join(const struct hf_basis *front, const struct hf_basis *behind,
                        const struct hf_molecule *positions, struct hf_basis **joined,
                        struct hf_error *error)
{
    HF_CHECK(hf_basis_reserve(
        front->n_atom + behind->n_atom, (size_t)front->n_shell + (size_t)behind->n_shell,
        (size_t)front->n_primitive + (size_t)behind->n_primitive, joined, error));
    append(front, NULL, 0, *joined);
    append(behind, positions, front->n_atom, *joined);
    return HF_OK;
}
