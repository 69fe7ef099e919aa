/* Effective core potentials in the Gaussian-94 basis-set format.
 *
 *     Rb 0
 *     RB-ECP     3     28           highest l, electrons of the core
 *     f-ul potential                title; the local part (l = 3) comes first
 *       1                           number of terms
 *     2      3.843114 -12.316900    n, exponent, coefficient: coefficient r^(n-2) exp(-exponent r^2)
 *     s-ul potential                then l = 0, 1, 2
 *     ... */
#include "gaussian94_reader.h"

#include <math.h>

/** Outside these limits the integrals leave the range of double precision. */
static const double LEAST_EXPONENT = 1e-4, MOST_EXPONENT = 1e10, MOST_COEFFICIENT = 1e10;

enum { MAX_TERM = 100, POWER_SHIFT = 2 };

static hf_status fail_head(struct hf_gaussian94 *reader)
{
    return hf_gaussian94_fail(reader,
                              "expected the highest l and the number of core electrons of an "
                              "effective core potential, e.g. \"RB-ECP 3 28\"");
}

/** Reads the first line and stores its numbers for the open elements. */
static hf_status read_head(struct hf_gaussian94 *reader, int *max_l)
{
    int n_core = -1;
    if (reader->n_word != 3 || hf_word_integer(reader->word[1], max_l) != HF_NUMBER_OK ||
        hf_word_integer(reader->word[2], &n_core) != HF_NUMBER_OK || *max_l < 0 || n_core < 0)
        return fail_head(reader);
    if (*max_l > HF_MAX_L)
        return hf_gaussian94_fail(reader, "the core potential goes up to l = %d; hf can do %d",
                                  *max_l, HF_MAX_L);
    if (n_core % 2 != 0)
        return hf_gaussian94_fail(reader,
                                  "a core of %d electron%s; expected closed shells, an even number",
                                  n_core, n_core == 1 ? "" : "s");
    for (int i = 0; i < reader->n_open; i++) {
        struct hf_set_element *element = &reader->set->element[reader->open[i]];
        if (n_core > reader->open[i])
            return hf_gaussian94_fail(reader, "a core of %d electrons; %s has %d", n_core,
                                      hf_element_symbol(reader->open[i]), reader->open[i]);
        if (element->core_line != 0)
            return hf_gaussian94_fail(reader, "%s has a core potential already, in line %d",
                                      hf_element_symbol(reader->open[i]), element->core_line);
        element->needs_core_potential = true;
        element->n_core_electron = n_core;
        element->core_line = reader->line;
        element->core_max_l = *max_l;
        element->first_core_term = reader->set->n_core_term;
    }
    reader->block_has_potential = true;
    return HF_OK;
}

/** "2  3.843114  -12.316900" */
static hf_status read_term(struct hf_gaussian94 *reader, int l)
{
    struct hf_basis_set *set = reader->set;
    int n = 0;
    double number[2] = {0.0};
    if (reader->n_word != 3)
        return hf_gaussian94_fail(
            reader, "expected a term of a core potential, e.g. \"2 3.84 -12.3\": power, "
                    "exponent, coefficient");
    if (hf_word_integer(reader->word[0], &n) != HF_NUMBER_OK ||
        n < HF_LEAST_CORE_POWER + POWER_SHIFT || n > HF_MOST_CORE_POWER + POWER_SHIFT)
        return hf_gaussian94_fail(reader,
                                  "the power \"%.*s\" of a core potential is not one of 0 to %d",
                                  HF_WORD(reader->word[0]), HF_MOST_CORE_POWER + POWER_SHIFT);
    for (int i = 0; i < 2; i++) HF_CHECK(hf_gaussian94_real(reader, i + 1, &number[i]));
    if (!(number[0] >= LEAST_EXPONENT) || number[0] > MOST_EXPONENT)
        return hf_gaussian94_fail(
            reader, "the exponent %g of a core potential is out of range; expected %g to %g",
            number[0], LEAST_EXPONENT, MOST_EXPONENT);
    if (!(fabs(number[1]) <= MOST_COEFFICIENT))
        return hf_gaussian94_fail(reader, "the coefficient %g of a core potential is out of range",
                                  number[1]);
    if (!hf_arena_grow(&set->arena, &set->core_term, set->n_core_term + 1, &set->core_term_capacity,
                       sizeof *set->core_term))
        return hf_arena_check(&set->arena, reader->error);
    set->core_term[set->n_core_term++] = (struct hf_core_term){
        .l = l, .power = n - POWER_SHIFT, .exponent = number[0], .coefficient = number[1]};
    return HF_OK;
}

/** Reads title, count and terms of one l; *found is false at the end of the file. */
static hf_status read_part(struct hf_gaussian94 *reader, int l, bool *found)
{
    int n_term = -1;
    HF_CHECK(hf_gaussian94_next_line(reader, found)); /* title */
    if (*found) HF_CHECK(hf_gaussian94_next_line(reader, found));
    if (!*found) return HF_OK;
    if (reader->n_word != 1 || hf_word_integer(reader->word[0], &n_term) != HF_NUMBER_OK ||
        n_term < 0 || n_term > MAX_TERM)
        return hf_gaussian94_fail(
            reader, "expected the number of terms of a core potential, found \"%.*s\"",
            HF_WORD(reader->word[0]));
    for (int term = 0; term < n_term; term++) {
        HF_CHECK(hf_gaussian94_next_line(reader, found));
        if (*found && !hf_gaussian94_is_separator(reader))
            HF_CHECK(read_term(reader, l));
        else if (*found)
            return hf_gaussian94_fail(reader, "the core potential has %d of the %d terms announced",
                                      term, n_term);
        if (!*found) return HF_OK;
    }
    return HF_OK;
}

hf_status hf_gaussian94_read_core_potential(struct hf_gaussian94 *reader)
{
    const int first_line = reader->line, first_term = reader->set->n_core_term;
    int max_l = -1;
    bool found = true;
    HF_CHECK(read_head(reader, &max_l));
    for (int part = 0; part <= max_l && found; part++)
        HF_CHECK(read_part(reader, part == 0 ? max_l : part - 1, &found));
    if (!found)
        return hf_text_fail(reader->error, reader->text, first_line,
                            "the file ends inside this core potential");
    for (int i = 0; i < reader->n_open; i++)
        reader->set->element[reader->open[i]].n_core_term = reader->set->n_core_term - first_term;
    return HF_OK;
}
