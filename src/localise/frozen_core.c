/* Which orbitals are core, by atom. */
#include "localise/frozen_core.h"

#include "text/text.h"

#include <strings.h>

/** Orbitals of the noble gases, and those below the outer core of alkali and earth alkali metals. */
static const struct {
    int atomic_number; /**< from here on */
    int n_core;        /**< orbitals */
} cores[] = {{1, 0},   {3, 1},   {11, 1},  {13, 5},  {19, 5},  {21, 9},
             {37, 14}, {39, 18}, {55, 23}, {57, 27}, {87, 39}, {89, 43}};

static int core_of(int atomic_number)
{
    int n = 0;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (atomic_number >= cores[i].atomic_number) n = cores[i].n_core;
    return n;
}

int hf_default_core(const struct hf_molecule *molecule)
{
    int sum = 0;
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const int n = core_of(atom->atomic_number) - atom->n_core / 2;
        if (!atom->ghost && n > 0) sum += n;
    }
    return sum;
}

hf_status hf_frozen_core_read(const struct hf_options *options, const struct hf_molecule *molecule,
                              int n_occupied, int *n_frozen, struct hf_error *error)
{
    const char *text = hf_options_text(options, "frozen_core");
    const int most = n_occupied > 0 ? n_occupied - 1 : 0; /* one at least is left */
    int n = 0;
    *n_frozen = 0;
    if (strcasecmp(text, "none") == 0) return HF_OK;
    if (strcasecmp(text, "default") == 0) {
        *n_frozen = hf_default_core(molecule);
        return HF_OK;
    }
    if (hf_word_integer(hf_rest_of_line(text), &n) != HF_NUMBER_OK || n < 0 || n > most)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: frozen core '%.40s'; expected none, default, or a number of orbitals "
                       "up to %d, for the molecule has %d occupied ones",
                       hf_options_given(options, "frozen_core")->where, text, most, n_occupied);
    *n_frozen = n;
    return HF_OK;
}
