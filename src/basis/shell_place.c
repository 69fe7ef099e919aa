/* Shells among those of their atoms; see hf/basis.h. */
#include "hf/basis.h"

#include <stdlib.h>

struct hf_shell_place *hf_shell_places(const struct hf_basis *basis)
{
    struct hf_shell_place *place = calloc((size_t)basis->n_shell + 1, sizeof *place);
    for (int a = 0; a < basis->n_atom && place != NULL; a++) {
        const int *first = &basis->first_shell_of_atom[a];
        for (int i = first[0]; i < first[1]; i++) {
            const struct hf_shell *shell = &basis->shell[i];
            place[i] = (struct hf_shell_place){.atom = a,
                                               .index = i - first[0],
                                               .first = shell->first_function -
                                                        hf_atom_first_function(basis, a),
                                               .n = shell->n_function};
        }
    }
    return place;
}
