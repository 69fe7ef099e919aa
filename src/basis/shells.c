/* Shells of a molecule once made: one atom of them, summaries, destruction. */
#include "basis_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hf_basis_destroy(struct hf_basis **basis)
{
    if (*basis == NULL) return;
    free((*basis)->name);
    free((*basis)->citation);
    free((*basis)->shell);
    free((*basis)->first_shell_of_atom);
    free((*basis)->storage);
    free((*basis)->mixing);
    free((*basis)->first_mixing_of_atom);
    free(*basis);
    *basis = NULL;
}

static char *copy_string(const char *text)
{
    return text != NULL ? hf_word_copy((struct hf_word){text, (int)strlen(text)}) : NULL;
}

/** Appends a copy of `from`, numbered anew, to the only atom of `to`. */
static void add_shell(const struct hf_shell *from, struct hf_basis *to)
{
    const size_t n = (size_t)from->n_primitive;
    double *exponent = to->storage + 2 * (size_t)to->n_primitive;
    memcpy(exponent, from->exponent, n * sizeof(double));
    memcpy(exponent + n, from->coefficient, n * sizeof(double));
    struct hf_shell *shell = &to->shell[to->n_shell++];
    *shell = *from;
    shell->atom = 0;
    shell->exponent = exponent;
    shell->coefficient = exponent + n;
    shell->first_function = to->n_function;
    to->n_function += shell->n_function;
    to->n_primitive += shell->n_primitive;
    if (shell->l > to->max_l) to->max_l = shell->l;
    if (shell->n_primitive > to->max_primitive) to->max_primitive = shell->n_primitive;
    to->first_shell_of_atom[1] = to->n_shell;
}

hf_status hf_basis_of_atom(const struct hf_basis *basis, int atom, struct hf_basis **atom_basis,
                           struct hf_error *error)
{
    const int first = basis->first_shell_of_atom[atom];
    const int end = basis->first_shell_of_atom[atom + 1];
    size_t n_primitive = 0;
    for (int i = first; i < end; i++) n_primitive += (size_t)basis->shell[i].n_primitive;
    struct hf_basis *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->n_atom = 1;
    made->name = copy_string(basis->name);
    made->citation = copy_string(basis->citation);
    made->shell = calloc((size_t)(end - first) + 1, sizeof *made->shell);
    made->first_shell_of_atom = calloc(2, sizeof *made->first_shell_of_atom);
    made->storage = calloc(2 * n_primitive + 1, sizeof *made->storage);
    if (made->name == NULL || made->shell == NULL || made->first_shell_of_atom == NULL ||
        made->storage == NULL || (basis->citation != NULL && made->citation == NULL))
        goto no_memory;
    for (int i = first; i < end; i++) add_shell(&basis->shell[i], made);
    *atom_basis = made;
    return HF_OK;
no_memory:
    hf_basis_destroy(&made);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shells of an atom");
}

void hf_basis_atom_summary(const struct hf_basis *basis, int atom, size_t size, char *summary)
{
    const int first = basis->first_shell_of_atom[atom];
    const int end = basis->first_shell_of_atom[atom + 1];
    int count[HF_MAX_L + 1] = {0}, n_function = 0;
    size_t length = 0;
    for (int i = first; i < end; i++) {
        count[basis->shell[i].l]++;
        n_function += basis->shell[i].n_function;
    }
    if (size == 0) return;
    length += (size_t)snprintf(summary, size, "[");
    for (int l = 0; l <= HF_MAX_L; l++)
        if (count[l] > 0 && length < size)
            length += (size_t)snprintf(summary + length, size - length, "%d%c", count[l],
                                       hf_angular_letter(l));
    if (length < size)
        snprintf(summary + length, size - length, "] %d function%s", n_function,
                 n_function == 1 ? "" : "s");
}

const char *hf_basis_convention_name(const struct hf_basis *basis)
{
    bool spherical = false, cartesian = false;
    for (int i = 0; i < basis->n_shell; i++) {
        if (basis->shell[i].l < 2) continue;
        spherical = spherical || basis->shell[i].spherical;
        cartesian = cartesian || !basis->shell[i].spherical;
    }
    if (spherical && cartesian) return "spherical and Cartesian";
    if (spherical) return "spherical";
    return cartesian ? "Cartesian" : "only s and p shells";
}
