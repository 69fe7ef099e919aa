/* Output of --list-basis: the sets of the library, or one of them. */
#include "cli/cli.h"

#include "basis/basis_description.h"

#include <string.h>

/** Prints "W. J. Hehre et al., J. Chem. Phys. 51, 2657 (1969)" from authors, journal, page and identifier separated
 *  by commas. Other texts are printed completely. */
static void print_reference(FILE *stream, const char *text)
{
    const char *comma[64];
    int n = 0;
    for (const char *c = text; n < 64 && (c = strstr(c, ", ")) != NULL; c += 2) comma[n++] = c;
    if (n < 3) {
        fputs(text, stream);
        return;
    }
    const char *journal = comma[n - 3] + 2;
    fprintf(stream, "%.*s%s, %.*s", (int)(comma[0] - text), text, n > 3 ? " et al." : "",
            (int)(comma[n - 1] - journal), journal);
}

static void print_row(FILE *stream, const struct hf_basis_description *set)
{
    fprintf(stream, "%-16s %-18s %-10s ", set->name, set->elements, set->convention);
    if (set->n_citation > 0) print_reference(stream, set->citation[0].text);
    if (set->n_citation > 1) fprintf(stream, " and %d more", set->n_citation - 1);
    fputc('\n', stream);
}

static hf_status print_all(FILE *stream, struct hf_error *error)
{
    struct hf_basis_list list = {0};
    struct hf_basis_description set = {0};
    hf_status status = HF_OK;
    HF_TRY(hf_basis_list_create(&list, error));
    if (list.n == 0)
        HF_TRY(hf_fail(error, HF_BAD_INPUT,
                       "no library of basis sets was found; set HF_BASIS_PATH to its directory"));
    fprintf(stream, "%-16s %-18s %-10s %s\n", "Name", "Elements", "d and up", "Literature");
    for (int i = 0; i < list.n; i++) {
        HF_TRY(hf_basis_describe(list.entry[i].path, &set, error));
        print_row(stream, &set);
        hf_arena_done(&set.arena);
    }
    fprintf(stream,
            "\n%d sets; hf --list-basis NAME shows one. Any other set: --basis FILE, in the "
            "format of\nGaussian 94, as the Basis Set Exchange "
            "(www.basissetexchange.org) gives it.\n",
            list.n);
cleanup:
    hf_arena_done(&set.arena);
    hf_basis_list_done(&list);
    return status;
}

static void print_set(FILE *stream, const struct hf_basis_description *set)
{
    fprintf(stream, "%s\n", set->name);
    if (set->about != NULL) fprintf(stream, "  For         %s\n", set->about);
    fprintf(stream, "  Elements    %s\n", set->elements);
    fprintf(stream, "  d and up    %s\n", set->convention);
    fprintf(stream, "  File        %s\n", set->path);
    for (int i = 0; i < set->n_citation; i++)
        fprintf(stream, "  %-11s %s: %s\n", i == 0 ? "Literature" : "", set->citation[i].elements,
                set->citation[i].text);
    bool cores = false;
    for (int i = 0; i < set->n_element; i++) cores = cores || set->element[i].n_core_electron > 0;
    fprintf(stream, "\n  Element  Shells            from primitives   Functions%s\n",
            cores ? "  Core" : "");
    for (int i = 0; i < set->n_element; i++) {
        const struct hf_element_description *element = &set->element[i];
        const char *symbol = hf_element_symbol(element->atomic_number);
        if (element->lacks_core_potential) {
            fprintf(stream,
                    "  %-8s needs an effective core potential (%d electrons), which the file "
                    "lacks\n",
                    symbol, element->n_core_electron);
            continue;
        }
        fprintf(stream, "  %-8s %-17s %-17s %9d", symbol, element->contracted, element->primitive,
                element->n_function);
        if (element->n_core_electron > 0) fprintf(stream, "    %2d", element->n_core_electron);
        fputc('\n', stream);
    }
}

hf_status hf_print_basis_sets(FILE *stream, const char *name, struct hf_error *error)
{
    struct hf_basis_description set;
    if (name == NULL) return print_all(stream, error);
    const hf_status status = hf_basis_describe(name, &set, error);
    if (status == HF_OK) print_set(stream, &set);
    hf_arena_done(&set.arena);
    return status;
}
