/* Shells among those of their atoms; see hf/shell_place.h. */
#include "hf/shell_place.h"

#include <stdlib.h>

struct hf_shell_place *hf_shell_places(const struct hf_basis *basis)
{
    struct hf_shell_place *place = calloc((size_t)basis->n_shell + 1, sizeof *place);
    for (int i = 0; i < basis->n_shell && place != NULL; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        place[i] = (struct hf_shell_place){.atom = shell->atom,
                                           .index = i - basis->first_shell_of_atom[shell->atom],
                                           .first = shell->first_function -
                                                    hf_atom_first_function(basis, shell->atom),
                                           .n = shell->n_function};
    }
    return place;
}
