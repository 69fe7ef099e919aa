/* Reader of the Gaussian-94 basis-set format.
 *
 *     spherical | cartesian [letters]      before the first block; default spherical
 *     ****
 *     C 0                                 one or more elements, with or without a "-" in front
 *     S 6 1.0                             type, number of primitives, scale factor (may be missing)
 *        3.0475E+03  1.8347E-03  ...      exponent and one or more coefficients
 *     SP 3 1.0                            one column for each letter; L is SP, "L=7" is l = 7
 *     ****
 *
 * A scale factor multiplies the exponents by its square. Several columns under a single letter are a general
 * contraction; each column is a function. Blocks of core potentials ("RB-ECP 3 28"): gaussian94_core.c. Format:
 * Gaussian's manual, keyword Gen; psi4 adds the convention and "L=". */
#include "gaussian94_reader.h"

#include <math.h>
#include <string.h>

enum { MAX_WORD = HF_MAX_GAUSSIAN94_WORD, MAX_PRIMITIVE = 1000 };

/** A shell line: an angular momentum for each column, or one for all columns. */
struct shell_head {
    int n_l, l[MAX_WORD];
    int n_primitive;
    double exponent_factor;
    int line;
};

/** Atomic number of "C", "c" or "-C", otherwise 0. */
static int element_of_word(struct hf_word word)
{
    char symbol[4] = "";
    if (word.length > 1 && word.begin[0] == '-') {
        word.begin++;
        word.length--;
    }
    if (word.length < 1 || word.length >= (int)sizeof symbol) return 0;
    memcpy(symbol, word.begin, (size_t)word.length);
    return hf_element_number(symbol);
}

/** Whether the line is "C 0" or "C N O 0". */
static bool is_element_line(const struct hf_gaussian94 *reader)
{
    if (reader->n_word < 2 || !hf_word_is(reader->word[reader->n_word - 1], "0")) return false;
    for (int i = 0; i < reader->n_word - 1; i++)
        if (element_of_word(reader->word[i]) == 0) return false;
    return true;
}

/** Angular momentum of a letter in any case; -1: none. K and J are not accepted because they are ambiguous. */
static int l_of_letter(char letter)
{
    static const char letters[] = "SPDFGHIspdfghi";
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    return found != NULL ? (int)(found - letters) % 7 : -1;
}

/** Reads "spherical" or "cartesian f": the convention of all or of some angular momenta. */
static hf_status read_convention(struct hf_gaussian94 *reader)
{
    const bool spherical = hf_word_is(reader->word[0], "spherical");
    if (reader->n_word == 1) {
        for (int l = 0; l <= HF_MAX_FILE_L; l++) reader->set->spherical[l] = spherical;
        return HF_OK;
    }
    for (int i = 1; i < reader->n_word; i++) {
        const struct hf_word word = reader->word[i];
        const int l = word.length == 1 ? l_of_letter(word.begin[0]) : -1;
        if (l < 0)
            return hf_gaussian94_fail(
                reader, "expected a shell letter (d, f, ...) after %s, found \"%.*s\"",
                spherical ? "spherical" : "cartesian", HF_WORD(word));
        reader->set->spherical[l] = spherical;
    }
    return HF_OK;
}

/** Ends the open block, if there is one. */
static hf_status close_block(struct hf_gaussian94 *reader)
{
    struct hf_basis_set *set = reader->set;
    const int n_shell = set->n_shell - reader->block_first_shell;
    if (reader->n_open > 0 && n_shell == 0 && !reader->block_has_potential)
        return hf_text_fail(reader->error, reader->text, reader->block_line,
                            "the block of %s has no shells", hf_element_symbol(reader->open[0]));
    for (int i = 0; n_shell > 0 && i < reader->n_open; i++) {
        struct hf_set_element *element = &set->element[reader->open[i]];
        if (element->line != 0)
            return hf_text_fail(reader->error, reader->text, reader->block_line,
                                "%s has a block already, in line %d",
                                hf_element_symbol(reader->open[i]), element->line);
        element->line = reader->block_line;
        element->first_shell = reader->block_first_shell;
        element->n_shell = n_shell;
    }
    reader->n_open = 0;
    return HF_OK;
}

static void open_block(struct hf_gaussian94 *reader)
{
    reader->n_open = reader->n_word - 1;
    for (int i = 0; i < reader->n_open; i++) reader->open[i] = element_of_word(reader->word[i]);
    reader->block_line = reader->line;
    reader->block_first_shell = reader->set->n_shell;
    reader->block_has_potential = false;
}

/** Reads the angular momenta of "S", "SP", "L", "spd", "L=7". */
static hf_status read_type(struct hf_gaussian94 *reader, struct shell_head *head)
{
    const struct hf_word type = reader->word[0];
    head->n_l = 0;
    if (type.length > 2 && (type.begin[0] == 'L' || type.begin[0] == 'l') && type.begin[1] == '=') {
        const struct hf_word number = {type.begin + 2, type.length - 2};
        if (hf_word_integer(number, &head->l[0]) == HF_NUMBER_OK && head->l[0] >= 0 &&
            head->l[0] <= HF_MAX_FILE_L)
            head->n_l = 1;
    } else if (hf_word_is(type, "L")) {
        head->n_l = 2;
        head->l[0] = 0;
        head->l[1] = 1;
    } else {
        for (int i = 0; i < type.length && i < MAX_WORD; i++) {
            head->l[i] = l_of_letter(type.begin[i]);
            if (head->l[i] < 0) break;
            if (i == type.length - 1) head->n_l = type.length;
        }
    }
    if (head->n_l == 0)
        return hf_gaussian94_fail(
            reader,
            "unknown shell type \"%.*s\"; expected S, P, SP, D, F, G, H, I, or "
            "L=7 and so on, or a line of ****",
            HF_WORD(type));
    return HF_OK;
}

/** Reads the factor of the exponents: the square of the scale factor. Further scale factors must be equal or 0. */
static hf_status read_scale(struct hf_gaussian94 *reader, struct shell_head *head)
{
    double scale = 1.0;
    for (int i = 2; i < reader->n_word; i++) {
        double value;
        const enum hf_number outcome = hf_word_real(reader->word[i], &value);
        if (outcome != HF_NUMBER_OK)
            return hf_gaussian94_fail(reader, "the scale factor \"%.*s\" %s",
                                      HF_WORD(reader->word[i]), hf_number_problem(outcome));
        if (i == 2) scale = value;
        if (!(scale > 0.0) || (value != scale && value != 0.0))
            return hf_gaussian94_fail(
                reader,
                "the scale factor \"%.*s\" is not one positive number for the "
                "whole shell",
                HF_WORD(reader->word[i]));
    }
    head->exponent_factor = scale * scale;
    return HF_OK;
}

static hf_status read_head(struct hf_gaussian94 *reader, struct shell_head *head)
{
    head->line = reader->line;
    HF_CHECK(read_type(reader, head));
    if (reader->n_word < 2)
        return hf_gaussian94_fail(reader, "expected the number of primitives after \"%.*s\"",
                                  HF_WORD(reader->word[0]));
    const enum hf_number outcome = hf_word_integer(reader->word[1], &head->n_primitive);
    if (outcome != HF_NUMBER_OK)
        return hf_gaussian94_fail(reader, "the number of primitives \"%.*s\" %s",
                                  HF_WORD(reader->word[1]), hf_number_problem(outcome));
    if (head->n_primitive < 1 || head->n_primitive > MAX_PRIMITIVE)
        return hf_gaussian94_fail(reader, "the number of primitives is %d, expected 1 to %d",
                                  head->n_primitive, (int)MAX_PRIMITIVE);
    return read_scale(reader, head);
}

/** Outside this range, powers of exponents in integrals leave the range of double precision. */
static const double LEAST_EXPONENT = 1e-30, MOST_EXPONENT = 1e30;

/** Reads the current line's primitive: scaled exponent, then coefficients. */
static hf_status read_numbers(struct hf_gaussian94 *reader, const struct shell_head *head,
                              double number[MAX_WORD])
{
    for (int i = 0; i < reader->n_word; i++) HF_CHECK(hf_gaussian94_real(reader, i, &number[i]));
    if (!(number[0] > 0.0))
        return hf_gaussian94_fail(reader, "the exponent %g is not positive", number[0]);
    number[0] *= head->exponent_factor;
    if (!(number[0] > 0.0) || !isfinite(number[0]))
        return hf_gaussian94_fail(
            reader, "the exponent times the square of the scale factor (%g) is out of range",
            head->exponent_factor);
    if (number[0] < LEAST_EXPONENT || number[0] > MOST_EXPONENT)
        return hf_gaussian94_fail(reader, "the exponent %g is out of range; expected %g to %g",
                                  number[0], LEAST_EXPONENT, MOST_EXPONENT);
    return HF_OK;
}

/** Checks that the columns of the first primitive match the type. An exponent alone has coefficient 1. */
static hf_status check_columns(struct hf_gaussian94 *reader, const struct shell_head *head,
                               int n_column)
{
    if (n_column == 0 && head->n_primitive == 1) return HF_OK;
    if (n_column == 0 || (head->n_l > 1 && n_column != head->n_l))
        return hf_gaussian94_fail(reader, "found %d coefficients, expected %d after the exponent",
                                  n_column, head->n_l);
    return HF_OK;
}

/** Fails if the lines of a shell begin with line numbers, as some programs write them, because these would be read as
 *  exponents. */
static hf_status check_exponents(struct hf_gaussian94 *reader, const struct shell_head *head,
                                 const double *table, int n_column)
{
    const int n = head->n_primitive;
    bool counted = n > 1 || (head->n_l == 1 && n_column > 1);
    for (int i = 0; i < n; i++)
        counted = counted && table[(size_t)i * MAX_WORD] == (i + 1) * head->exponent_factor;
    if (!counted) return HF_OK;
    return hf_text_fail(reader->error, reader->text, head->line,
                        "the exponents of the shell are 1 to %d: expected lines of exponent and "
                        "coefficients, without numbers of the primitives",
                        n);
}

/** Reads the primitives of a shell to table[primitive * MAX_WORD + column]; column 0 is the exponent. */
static hf_status read_primitives(struct hf_gaussian94 *reader, const struct shell_head *head,
                                 double *table, int *n_column)
{
    for (int i = 0; i < head->n_primitive; i++) {
        bool found;
        HF_CHECK(hf_gaussian94_next_line(reader, &found));
        if (!found || hf_gaussian94_is_separator(reader) || is_element_line(reader))
            return hf_text_fail(reader->error, reader->text, head->line,
                                "the shell has %d of the %d primitives announced", i,
                                head->n_primitive);
        HF_CHECK(read_numbers(reader, head, table + (size_t)i * MAX_WORD));
        if (i == 0) {
            *n_column = reader->n_word - 1;
            HF_CHECK(check_columns(reader, head, *n_column));
        } else if (reader->n_word - 1 != *n_column) {
            return hf_gaussian94_fail(reader, "found %d coefficients, %d in the lines above",
                                      reader->n_word - 1, *n_column);
        }
    }
    if (*n_column == 0) {
        *n_column = head->n_l;
        for (int c = 1; c <= head->n_l; c++) table[c] = 1.0;
    }
    return check_exponents(reader, head, table, *n_column);
}

/** Adds the contracted function in column `column` of the table. */
static hf_status add_function(struct hf_gaussian94 *reader, const struct shell_head *head, int l,
                              const double *table, int column)
{
    struct hf_basis_set *set = reader->set;
    struct hf_arena *arena = &set->arena;
    struct hf_set_shell shell = {.l = l, .first = set->n_primitive, .line = head->line};
    for (int i = 0; i < head->n_primitive; i++) {
        const double *row = table + (size_t)i * MAX_WORD;
        if (row[column] == 0.0) continue;
        int64_t capacity = set->primitive_capacity;
        if (!hf_arena_grow(arena, &set->exponent, set->n_primitive + 1, &capacity,
                           sizeof(double)) ||
            !hf_arena_grow(arena, &set->coefficient, set->n_primitive + 1, &set->primitive_capacity,
                           sizeof(double)))
            return hf_arena_check(arena, reader->error);
        set->exponent[set->n_primitive] = row[0];
        set->coefficient[set->n_primitive++] = row[column];
        shell.n_primitive++;
    }
    if (shell.n_primitive == 0)
        return hf_text_fail(reader->error, reader->text, head->line,
                            "all coefficients of the shell are zero");
    if (!hf_arena_grow(arena, &set->shell, set->n_shell + 1, &set->shell_capacity, sizeof shell))
        return hf_arena_check(arena, reader->error);
    set->shell[set->n_shell++] = shell;
    return HF_OK;
}

static hf_status read_shell(struct hf_gaussian94 *reader)
{
    struct shell_head head;
    struct hf_arena *arena = &reader->set->arena;
    double *table;
    int n_column = 0;
    HF_CHECK(read_head(reader, &head));
    HF_TAKE(arena, table, (size_t)head.n_primitive * MAX_WORD);
    HF_CHECK(hf_arena_check(arena, reader->error));
    HF_CHECK(read_primitives(reader, &head, table, &n_column));
    for (int column = 1; column <= n_column; column++)
        HF_CHECK(add_function(reader, &head, head.l[head.n_l > 1 ? column - 1 : 0], table, column));
    hf_arena_release(arena, table);
    return HF_OK;
}

/** Fails because a line between blocks is neither a separator nor the beginning of a block. */
static hf_status fail_outside(struct hf_gaussian94 *reader)
{
    const bool like = reader->n_word >= 2 && hf_word_is(reader->word[reader->n_word - 1], "0");
    if (like)
        return hf_gaussian94_fail(reader, "unknown element \"%.*s\"", HF_WORD(reader->word[0]));
    return hf_gaussian94_fail(reader, "expected an element and 0, e.g. \"C 0\", found \"%.*s\"",
                              HF_WORD(reader->word[0]));
}

/** Whether a line between two blocks is a remark, as in files of some programs: several words, and the second is no
 *  number. */
static bool is_remark(const struct hf_gaussian94 *reader)
{
    enum { LEAST_WORDS = 4 };
    double number;
    return reader->n_word >= LEAST_WORDS && hf_word_real(reader->word[1], &number) != HF_NUMBER_OK;
}

static bool ends_in_ecp(struct hf_word word)
{
    const struct hf_word tail = {word.begin + word.length - 4, 4};
    return word.length > 4 && hf_word_is(tail, "-ecp");
}

static hf_status read_line(struct hf_gaussian94 *reader)
{
    const bool convention =
        hf_word_is(reader->word[0], "spherical") || hf_word_is(reader->word[0], "cartesian");
    if (hf_gaussian94_is_separator(reader)) return close_block(reader);
    if (convention && reader->n_open == 0 && reader->set->n_shell == 0)
        return read_convention(reader);
    if (convention)
        return hf_gaussian94_fail(reader, "the convention must stand before the first element");
    if (is_element_line(reader)) {
        HF_CHECK(close_block(reader));
        open_block(reader);
        return HF_OK;
    }
    if (reader->n_open == 0) return is_remark(reader) ? HF_OK : fail_outside(reader);
    if (ends_in_ecp(reader->word[0])) return hf_gaussian94_read_core_potential(reader);
    return read_shell(reader);
}

/** "dir/cc-pvdz.gbs" -> "cc-pvdz". */
static char *name_of_path(struct hf_arena *arena, const char *path)
{
    struct hf_word stem = {hf_file_name(path), 0};
    stem.length = (int)strlen(stem.begin);
    if (stem.length > 4 && strcmp(stem.begin + stem.length - 4, ".gbs") == 0) stem.length -= 4;
    return hf_word_copy(arena, stem);
}

hf_status hf_basis_set_parse(const struct hf_text *text, struct hf_basis_set *set,
                             struct hf_error *error)
{
    struct hf_gaussian94 reader = {.text = text, .set = set, .error = error};
    hf_status status;
    bool found;
    *set = (struct hf_basis_set){.arena = {.label = "a basis set"}};
    for (int l = 0; l <= HF_MAX_FILE_L; l++) set->spherical[l] = true;
    set->name = name_of_path(&set->arena, text->path);
    set->path = hf_copy_string(&set->arena, text->path);
    HF_TRY(hf_arena_check(&set->arena, error));
    for (;;) {
        HF_TRY(hf_gaussian94_next_line(&reader, &found));
        if (!found) break;
        HF_TRY(read_line(&reader));
    }
    HF_TRY(close_block(&reader));
    if (set->n_shell == 0) HF_TRY(hf_text_fail(error, text, 0, "holds no shells"));
    return HF_OK;
cleanup:
    hf_basis_set_done(set);
    return status;
}
