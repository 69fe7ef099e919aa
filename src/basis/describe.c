/* Describes a set of the library, for people who choose one. */
#include "basis/basis_description.h"
#include "basis_private.h"

#include <stdio.h>
#include <string.h>

/** Ranges of the marked elements, such as "H-Ar Ga-Kr". NULL: no memory. */
static char *ranges(struct hf_arena *arena, const bool element[HF_N_ELEMENT + 1])
{
    enum { LONGEST = 4 }; /* characters of a symbol and a separator */
    char *text = HF_TAKE(arena, text, HF_N_ELEMENT * LONGEST + 1);
    size_t length = 0;
    for (int z = 1; text != NULL && z <= HF_N_ELEMENT; z++) {
        if (!element[z]) continue;
        const int first = z;
        while (z < HF_N_ELEMENT && element[z + 1]) z++;
        length +=
            (size_t)sprintf(text + length, "%s%s", length > 0 ? " " : "", hf_element_symbol(first));
        if (z > first) length += (size_t)sprintf(text + length, "-%s", hf_element_symbol(z));
    }
    return text;
}

/** Number of different exponents for one angular momentum. */
static int count_exponents(const struct hf_basis_set *set, const struct hf_set_element *element,
                           int l)
{
    int n = 0;
    for (int s = element->first_shell; s < element->first_shell + element->n_shell; s++) {
        const struct hf_set_shell *shell = &set->shell[s];
        for (int i = shell->first; shell->l == l && i < shell->first + shell->n_primitive; i++) {
            bool before = false;
            for (int t = element->first_shell; t <= s && !before; t++) {
                const struct hf_set_shell *other = &set->shell[t];
                const int end = t == s ? i : other->first + other->n_primitive;
                for (int j = other->first; other->l == l && j < end && !before; j++)
                    before = set->exponent[j] == set->exponent[i];
            }
            n += !before;
        }
    }
    return n;
}

static void append_count(char text[HF_SHELL_COUNT_LENGTH], int n, int l)
{
    const size_t length = strlen(text);
    if (n > 0)
        snprintf(text + length, HF_SHELL_COUNT_LENGTH - length, "%d%c", n, hf_angular_letter(l));
}

static struct hf_element_description describe_element(const struct hf_basis_set *set, int z)
{
    const struct hf_set_element *element = &set->element[z];
    struct hf_element_description about = {
        .atomic_number = z,
        .n_core_electron = element->needs_core_potential ? element->n_core_electron : 0,
        .lacks_core_potential = element->needs_core_potential && element->core_line == 0};
    int n_shell[HF_MAX_FILE_L + 1] = {0};
    for (int s = 0; s < element->n_shell; s++) n_shell[set->shell[element->first_shell + s].l]++;
    for (int l = 0; l <= HF_MAX_FILE_L; l++) {
        const bool spherical = set->spherical[l] && l > 1;
        if (n_shell[l] == 0) continue;
        append_count(about.contracted, n_shell[l], l);
        append_count(about.primitive, count_exponents(set, element, l), l);
        about.n_function += n_shell[l] * (spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2);
    }
    return about;
}

/** Kind of the d and higher functions that the set has. */
static const char *convention_of(const struct hf_basis_set *set)
{
    bool spherical = false, cartesian = false;
    for (int s = 0; s < set->n_shell; s++) {
        if (set->shell[s].l < 2) continue;
        spherical = spherical || set->spherical[set->shell[s].l];
        cartesian = cartesian || !set->spherical[set->shell[s].l];
    }
    if (spherical && cartesian) return "mixed";
    if (spherical) return "spherical";
    return cartesian ? "Cartesian" : "s and p";
}

static hf_status describe(const struct hf_basis_set *set, struct hf_basis_description *made,
                          struct hf_error *error)
{
    struct hf_arena *arena = &made->arena;
    bool element[HF_N_ELEMENT + 1] = {false};
    for (int z = 1; z <= HF_N_ELEMENT; z++) {
        if (set->element[z].n_shell == 0 && !set->element[z].needs_core_potential) continue;
        made->element[made->n_element++] = describe_element(set, z);
        element[z] = set->element[z].n_shell > 0 &&
                     (!set->element[z].needs_core_potential || set->element[z].core_line != 0);
    }
    made->name = hf_copy_string(arena, set->name);
    made->path = hf_copy_string(arena, set->path);
    made->about = hf_copy_string(arena, set->about);
    made->elements = ranges(arena, element);
    made->convention = convention_of(set);
    HF_TAKE(arena, made->citation, (size_t)set->n_citation);
    for (int i = 0; i < set->n_citation && made->citation != NULL; i++)
        made->citation[made->n_citation++] =
            (struct hf_citation){.elements = ranges(arena, set->citation[i].element),
                                 .text = hf_copy_string(arena, set->citation[i].text)};
    return hf_arena_check(arena, error);
}

hf_status hf_basis_describe(const char *name, struct hf_basis_description *description,
                            struct hf_error *error)
{
    char path[HF_MAX_PATH] = "";
    struct hf_text text = {0};
    struct hf_basis_set set = {0};
    hf_status status = HF_OK;
    *description =
        (struct hf_basis_description){.arena = {.label = "the description of a basis set"}};
    HF_TRY(hf_basis_find(name, path, error));
    HF_TRY(hf_text_read_alone(path, &text, error));
    HF_TRY(hf_basis_set_parse(&text, &set, error));
    HF_TRY(describe(&set, description, error));
cleanup:
    hf_basis_set_done(&set);
    hf_text_done(&text);
    return status;
}
