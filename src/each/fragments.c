/* Reads fragments, their charges and spins; see fragments.h. */
#include "fragments.h"

#include "base/arithmetic.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The next part of a list, which loses it; `separator` ends it. False: there is none. */
static bool next_part(struct hf_word *list, char separator, struct hf_word *part)
{
    if (list->begin == NULL) return false;
    const char *end = memchr(list->begin, separator, (size_t)list->length);
    *part = (struct hf_word){list->begin, end != NULL ? (int)(end - list->begin) : list->length};
    *list = end != NULL ? (struct hf_word){end + 1, list->length - part->length - 1}
                        : (struct hf_word){NULL, 0};
    while (part->length > 0 && *part->begin == ' ') part->begin++, part->length--;
    while (part->length > 0 && part->begin[part->length - 1] == ' ') part->length--;
    return true;
}

/** Reads "3" or "1-3". */
static bool read_range(struct hf_word text, int n_atom, int *first, int *last)
{
    const char *dash = memchr(text.begin, '-', (size_t)text.length);
    const int n = dash != NULL ? (int)(dash - text.begin) : text.length;
    if (hf_word_integer((struct hf_word){text.begin, n}, first) != HF_NUMBER_OK) return false;
    *last = *first;
    if (dash != NULL &&
        hf_word_integer((struct hf_word){dash + 1, text.length - n - 1}, last) != HF_NUMBER_OK)
        return false;
    return *first >= 1 && *first <= *last && *last <= n_atom;
}

/** Puts the atoms of "1-3+7" into the last fragment. */
static hf_status read_atoms(const struct hf_option_value *given, struct hf_word list,
                            struct hf_fragments *self, int n_atom, struct hf_error *error)
{
    struct hf_word range;
    int first, last;
    while (next_part(&list, '+', &range)) {
        if (!read_range(range, n_atom, &first, &last))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: '%.*s' is no atom or range of atoms; expected auto, or atoms 1 to "
                           "%d as in 1-3,4-6 (1-3+7,4-6)",
                           given->where, HF_WORD(range), n_atom);
        for (int i = first - 1; i < last; i++) {
            if (self->of_atom[i] >= 0)
                return hf_fail(error, HF_BAD_INPUT, "%s: atom %d is given twice", given->where,
                               i + 1);
            self->of_atom[i] = self->n;
        }
    }
    self->n++;
    return HF_OK;
}

/** Reads "1-3+7,4-6". */
static hf_status read_lists(const struct hf_option_value *given, struct hf_fragments *self,
                            int n_atom, struct hf_error *error)
{
    struct hf_word rest = hf_word_of(given->text), list;
    while (next_part(&rest, ',', &list)) HF_CHECK(read_atoms(given, list, self, n_atom, error));
    for (int i = 0; i < n_atom; i++)
        if (self->of_atom[i] < 0)
            return hf_fail(error, HF_BAD_INPUT, "%s: atom %d is in no fragment", given->where,
                           i + 1);
    return HF_OK;
}

/** Puts all atoms that bonds connect with `atom` into a fragment; `stack` [n_atom] is scratch. */
static void connect(const struct hf_molecule *molecule, int atom, int fragment, int of_atom[],
                    int stack[])
{
    int n = 0;
    stack[n++] = atom;
    of_atom[atom] = fragment;
    while (n > 0) {
        const int i = stack[--n];
        for (int k = 0; k < molecule->n_atom; k++) {
            if (of_atom[k] >= 0 || !hf_atoms_are_bonded(&molecule->atom[i], &molecule->atom[k]))
                continue;
            of_atom[k] = fragment;
            stack[n++] = k;
        }
    }
}

/** Finds out which atom belongs to which fragment. */
static hf_status divide(const struct hf_option_value *given, struct hf_fragments *self,
                        const struct hf_molecule *molecule, struct hf_error *error)
{
    const int n_atom = molecule->n_atom;
    int *stack = HF_TAKE(&self->arena, stack, (size_t)n_atom);
    HF_TAKE(&self->arena, self->of_atom, (size_t)n_atom);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int i = 0; i < n_atom; i++) {
        if (molecule->atom[i].ghost && given != NULL)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: atom %d is a ghost; expected a molecule without ghosts, which "
                           "--counterpoise makes",
                           given->where, i + 1);
        self->of_atom[i] = given != NULL ? -1 : 0;
    }
    self->n = given == NULL;
    if (given != NULL && strcmp(given->text, "auto") != 0)
        return read_lists(given, self, n_atom, error);
    for (int i = 0; i < n_atom; i++)
        if (self->of_atom[i] < 0) connect(molecule, i, self->n++, self->of_atom, stack);
    return HF_OK;
}

/** Reads a number for each fragment. */
static hf_status read_numbers(const struct hf_option_value *given, int n, int number[],
                              struct hf_error *error)
{
    struct hf_word rest = hf_word_of(given->text), word;
    int i = 0;
    bool good = true;
    for (; next_part(&rest, ',', &word) && good; i++)
        good = i < n && hf_word_integer(word, &number[i]) == HF_NUMBER_OK && number[i] >= -1000 &&
               number[i] <= 1000; /* as charge and multiplicity of a molecule */
    if (good && i == n) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "%s: '%.200s'; expected whole numbers of %d fragments",
                   given->where, given->text, n);
}

/** Counts electrons, finds distances, and warns of bonds that are cut. `n_electron` [n] is added to. */
static hf_status measure(struct hf_fragments *self, struct hf_input *input, int n_electron[],
                         struct hf_error *error)
{
    const struct hf_molecule *molecule = &input->molecule;
    const size_t n = (size_t)self->n;
    int n_cut = 0, cut[2] = {0, 0};
    for (size_t i = 0; i < n * n; i++) self->distance[i] = INFINITY;
    for (int a = 0; a < molecule->n_atom; a++) {
        const int i = self->of_atom[a];
        n_electron[i] += molecule->atom[a].ghost ? 0 : molecule->atom[a].atomic_number;
        for (int b = 0; b < a; b++) {
            const int k = self->of_atom[b];
            if (i == k) continue;
            double *there = &self->distance[(size_t)i * n + (size_t)k];
            *there = fmin(*there, sqrt(hf_distance_squared(molecule->atom[a].position_bohr,
                                                           molecule->atom[b].position_bohr)));
            self->distance[(size_t)k * n + (size_t)i] = *there;
            if (!hf_atoms_are_bonded(&molecule->atom[a], &molecule->atom[b])) continue;
            if (n_cut++ == 0) cut[0] = b + 1, cut[1] = a + 1;
        }
    }
    if (n_cut == 0) return HF_OK;
    return hf_input_warn(input, error,
                         "%d bond%s between fragments, the first one of atoms %d and %d: energies "
                         "of interaction then contain those of bonds",
                         n_cut, n_cut > 1 ? "s" : "", cut[0], cut[1]);
}

/** Checks that charges and spins of the fragments can make those of the molecule. */
static hf_status check_sums(const struct hf_fragments *self, const struct hf_molecule *molecule,
                            const int n_electron[], struct hf_error *error)
{
    int charge = 0, n_unpaired = 0;
    for (int i = 0; i < self->n; i++) {
        const int n = n_electron[i] - self->charge[i], unpaired = self->multiplicity[i] - 1;
        if (n < 1 || unpaired < 0 || unpaired > n || (n - unpaired) % 2 != 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "fragment %d has %d electrons with charge %d, which cannot have "
                           "multiplicity %d; see --fragment-charges, --fragment-multiplicities",
                           i + 1, n, self->charge[i], self->multiplicity[i]);
        charge += self->charge[i];
        n_unpaired += unpaired;
    }
    if (charge != molecule->charge)
        return hf_fail(error, HF_BAD_INPUT,
                       "the charges of the fragments add up to %d, the charge of the molecule is "
                       "%d; see --fragment-charges and --charge",
                       charge, molecule->charge);
    if (molecule->multiplicity - 1 > n_unpaired)
        return hf_fail(error, HF_BAD_INPUT,
                       "the fragments have %d unpaired electrons, the molecule has %d; see "
                       "--fragment-multiplicities and --multiplicity",
                       n_unpaired, molecule->multiplicity - 1);
    return HF_OK;
}

static const struct hf_option_value *find_value(const struct hf_options *options, const char *key)
{
    return options != NULL ? hf_options_given(options, key) : NULL;
}

/** Sets the states of the fragments: neutral and of the lowest spin if they are not given. */
static hf_status set_states(const struct hf_options *options, struct hf_fragments *self,
                            struct hf_input *input, const int n_electron[], struct hf_error *error)
{
    const struct hf_option_value *charges = find_value(options, "fragment_charges"),
                                 *spins = find_value(options, "fragment_multiplicities");
    int n_radical = 0;
    if (charges != NULL) HF_CHECK(read_numbers(charges, self->n, self->charge, error));
    if (charges == NULL && self->n == 1) self->charge[0] = input->molecule.charge;
    for (int i = 0; i < self->n; i++) {
        self->multiplicity[i] = self->n == 1 ? input->molecule.multiplicity
                                             : 1 + abs(n_electron[i] - self->charge[i]) % 2;
        n_radical += self->multiplicity[i] > 1;
    }
    if (spins != NULL) HF_CHECK(read_numbers(spins, self->n, self->multiplicity, error));
    HF_CHECK(check_sums(self, &input->molecule, n_electron, error));
    if (charges != NULL || spins != NULL || n_radical < 2) return HF_OK;
    return hf_input_warn(input, error,
                         "%d fragments are taken as neutral radicals; --fragment-charges gives the "
                         "charges of ions",
                         n_radical);
}

hf_status hf_fragments_read(const struct hf_options *options, struct hf_input *input,
                            struct hf_fragments *self, struct hf_error *error)
{
    HF_CHECK(divide(find_value(options, "fragments"), self, &input->molecule, error));
    const size_t n = (size_t)self->n;
    HF_TAKE(&self->arena, self->charge, n);
    HF_TAKE(&self->arena, self->multiplicity, n);
    HF_TAKE(&self->arena, self->distance, n * n);
    int *n_electron = HF_TAKE(&self->arena, n_electron, n);
    HF_CHECK(hf_arena_check(&self->arena, error));
    HF_CHECK(measure(self, input, n_electron, error));
    return set_states(options, self, input, n_electron, error);
}
