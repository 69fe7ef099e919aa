/* The formulas that are known; see basis_limit.h. */
#include "basis_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char helgaker[] =
    "Halkier, Helgaker, Jorgensen, Klopper, Olsen, Chem. Phys. Lett. 302 (1999) 437 (SCF); "
    "Halkier, Helgaker, Jorgensen, Klopper, Koch, Olsen, Wilson, Chem. Phys. Lett. 286 (1998) 243 "
    "(correlation)";
static const char neese[] = "Neese, Valeev, J. Chem. Theory Comput. 7 (2011) 33";

/** Of several formulas for a pair the first one is taken unless another is asked for. */
static const struct hf_limit_formula formulas[] = {
    {"helgaker", "cc-pV[DT]Z", 2, false, 1.63, 3.0, helgaker},
    {"helgaker", "cc-pV[TQ]Z", 3, false, 1.63, 3.0, helgaker},
    {"helgaker", "cc-pV[Q5]Z", 4, false, 1.63, 3.0, helgaker},
    {"helgaker", "aug-cc-pV[DT]Z", 2, false, 1.63, 3.0, helgaker},
    {"helgaker", "aug-cc-pV[TQ]Z", 3, false, 1.63, 3.0, helgaker},
    {"neese", "cc-pV[DT]Z", 2, true, 4.42, 2.46, neese},
    {"neese", "cc-pV[TQ]Z", 3, true, 5.46, 3.05, neese},
    {"neese", "aug-cc-pV[DT]Z", 2, true, 4.30, 2.51, neese},
    {"neese", "aug-cc-pV[TQ]Z", 3, true, 5.79, 3.05, neese},
    {"neese", "def2-[SVP,TZVPP]", 2, true, 10.39, 2.40, neese},
    {"neese", "def2-[TZVPP,QZVPP]", 3, true, 7.88, 2.97, neese},
};
enum { N_FORMULA = sizeof formulas / sizeof *formulas };

bool hf_basis_limit_is_named(const char *text)
{
    const char *begin = strchr(text, '[');
    return begin != NULL && strchr(begin, ']') != NULL && !hf_option_is_path(hf_word_of(text));
}

/** The basis set with brackets of the level that counts; NULL: there is none. */
static const struct hf_option_value *find_brackets(const struct hf_options *options)
{
    const struct hf_option_value *last = hf_options_given(options, "basis");
    for (int i = 0; i < options->n_value && last != NULL; i++) {
        const struct hf_option_value *value = &options->value[i];
        if (value->option == last->option && value->level == last->level &&
            hf_basis_limit_is_named(value->text))
            return value;
    }
    return NULL;
}

bool hf_basis_limit_is_asked(const struct hf_options *options)
{
    return find_brackets(options) != NULL;
}

/** The two sets of "aug-cc-pV[DT]Z" or "def2-[SVP,TZVPP]". False: these are not two. */
static bool expand(const char *text, char name[2][256])
{
    const char *begin = strchr(text, '['), *end = strchr(begin, ']');
    const char *comma = memchr(begin, ',', (size_t)(end - begin));
    if (comma == NULL && end - begin != 3) return false;
    const char *const from[] = {begin + 1, comma != NULL ? comma + 1 : begin + 2};
    const char *const to[] = {comma != NULL ? comma : begin + 2, end};
    for (int i = 0; i < 2; i++) {
        const int n = snprintf(name[i], sizeof name[i], "%.*s%.*s%s", (int)(begin - text), text,
                               (int)(to[i] - from[i]), from[i], end + 1);
        if (n >= (int)sizeof name[i]) return false;
    }
    return true;
}

/** The formula of a name ("auto": any) for two sets; NULL: none. */
static const struct hf_limit_formula *find_formula(const char *name, char set[2][256])
{
    for (int i = 0; i < N_FORMULA; i++) {
        char known[2][256];
        if (strcmp(name, "auto") != 0 && strcmp(name, formulas[i].name) != 0) continue;
        if (expand(formulas[i].sets, known) && strcasecmp(known[0], set[0]) == 0 &&
            strcasecmp(known[1], set[1]) == 0)
            return &formulas[i];
    }
    return NULL;
}

/** The pairs of sets that a formula of a name ("auto": any) is known for. */
static void list_sets(const char *name, size_t size, char text[])
{
    int n = 0;
    for (int i = 0; i < N_FORMULA && n < (int)size; i++) {
        char set[2][256];
        if (expand(formulas[i].sets, set) && find_formula(name, set) == &formulas[i])
            n += snprintf(text + n, size - (size_t)n, "%s%s", n > 0 ? ", " : "", formulas[i].sets);
    }
}

/** Factors of the values with X and X + 1, whose sum is the limit of E(X) = E + A f(X). */
static void set_factors(double smaller, double larger, double factor[2])
{
    factor[0] = larger / (larger - smaller);
    factor[1] = -smaller / (larger - smaller);
}

static hf_status check_others(const struct hf_options *options, const struct hf_option_value *given,
                              struct hf_error *error)
{
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *other = &options->value[i];
        if (other != given && other->option == given->option && other->level == given->level)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: '%.200s' beside '%.200s', but no extrapolation with other sets for "
                           "some atoms is known",
                           other->where, other->text, given->text);
    }
    return HF_OK;
}

hf_status hf_basis_limit_read(const struct hf_options *options, struct hf_basis_limit *limit,
                              struct hf_error *error)
{
    const struct hf_option_value *given = find_brackets(options);
    const char *name = hf_options_choice(options, "extrapolation");
    *limit = (struct hf_basis_limit){.n = 1, .scf = {1.0}, .correlation = {1.0}};
    const struct hf_option_value *extrapolation = hf_options_given(options, "extrapolation");
    if (given == NULL && extrapolation != NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: extrapolation has no effect without two basis sets in brackets, as in "
                       "cc-pV[DT]Z",
                       extrapolation->where);
    if (given == NULL) return HF_OK;
    HF_CHECK(check_others(options, given, error));
    limit->value = (int)(given - options->value);
    snprintf(limit->requested, sizeof limit->requested, "%s", given->text);
    if (expand(given->text, limit->name)) limit->formula = find_formula(name, limit->name);
    if (limit->formula == NULL) {
        char known[512] = "";
        list_sets(name, sizeof known, known);
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: no formula%s%s is known that extrapolates '%.200s'; expected one of %s",
                       given->where, strcmp(name, "auto") != 0 ? " of " : "",
                       strcmp(name, "auto") != 0 ? name : "", given->text, known);
    }
    const struct hf_limit_formula *formula = limit->formula;
    const double x = formula->cardinal, y = x + 1.0, alpha = formula->alpha;
    limit->n = 2;
    set_factors(exp(-alpha * (formula->root ? sqrt(x) : x)),
                exp(-alpha * (formula->root ? sqrt(y) : y)), limit->scf);
    set_factors(pow(x, -formula->beta), pow(y, -formula->beta), limit->correlation);
    return HF_OK;
}
