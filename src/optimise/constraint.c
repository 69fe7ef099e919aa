/* What users hold: read from a line of text. */
#include "hf/optimise.h"

#include "internals.h"

#include "hf/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double hf_constraint_value(const struct hf_constraint *constraint, const double (*x)[3])
{
    struct hf_internal internal = {.kind = constraint->kind};
    memcpy(internal.atom, constraint->atom, sizeof internal.atom);
    return constraint->kind == HF_PLACE ? 0.0 : hf_internal_value(&internal, x);
}

static const struct {
    const char *word;
    enum hf_internal_kind kind;
} words[] = {{"distance", HF_STRETCH}, {"angle", HF_BEND}, {"torsion", HF_TORSION}};

static hf_status fail(const char *text, const char *why, struct hf_error *error)
{
    return hf_fail(
        error, HF_BAD_INPUT,
        "'%.100s': %s; expected distance I J, angle I J K or torsion I J K L, with = VALUE "
        "if it is to have one, or fix I J-K ...",
        text, why);
}

/** The next number of an atom, or of a range of them. */
static bool read_atoms(const char **at, int n_atom, int *first, int *last)
{
    char *end;
    const long from = strtol(*at, &end, 10);
    long to = from;
    if (end == *at) return false;
    if (*end == '-') {
        *at = end + 1;
        to = strtol(*at, &end, 10);
        if (end == *at) return false;
    }
    *at = end;
    if (from < 1 || to < from || to > n_atom) return false;
    *first = (int)from - 1;
    *last = (int)to - 1;
    return true;
}

static hf_status read_fixed(const char *text, const char *at, int n_atom, int most,
                            struct hf_constraint constraint[], int *n, struct hf_error *error)
{
    int first, last;
    *n = 0;
    while (*(at += strspn(at, " \t,")) != '\0') {
        if (!read_atoms(&at, n_atom, &first, &last)) return fail(text, "no such atoms", error);
        for (int i = first; i <= last; i++) {
            if (*n == most) return fail(text, "too many atoms", error);
            constraint[(*n)++] = (struct hf_constraint){.kind = HF_PLACE, .atom = {i}};
        }
    }
    return *n > 0 ? HF_OK : fail(text, "no atoms", error);
}

/** " = VALUE", and of a scan " to VALUE in N". */
static bool read_value(const char *at, double unit, bool scan, struct hf_constraint *constraint)
{
    double value, end;
    int n = 0, n_read = 0;
    at += strspn(at, " \t");
    if (*at == '\0') return !scan;
    if (scan)
        n = sscanf(at, "= %lf to %lf in %9d %n", &value, &end, &constraint->n_point, &n_read);
    else
        n = sscanf(at, "= %lf %n", &value, &n_read);
    if (n != (scan ? 3 : 1) || at[n_read] != '\0') return false;
    if (scan && constraint->n_point < 2) return false;
    constraint->has_value = true;
    constraint->value = value * unit;
    constraint->end = scan ? end * unit : constraint->value;
    return isfinite(constraint->value) && isfinite(constraint->end);
}

/** Whether a value can be. */
static bool is_possible(const struct hf_constraint *constraint)
{
    const double pi = acos(-1.0);
    for (int k = 0; k < 2 && constraint->has_value; k++) {
        const double value = k == 0 ? constraint->value : constraint->end;
        if (constraint->kind == HF_STRETCH && !(value > 0.1)) return false;
        if (constraint->kind == HF_BEND && !(value > 0.01 && value < pi - 0.01)) return false;
    }
    return true;
}

hf_status hf_constraint_read(const char *text, const struct hf_molecule *molecule, double length,
                             bool scan, int most, struct hf_constraint constraint[], int *n,
                             struct hf_error *error)
{
    const double degree = acos(-1.0) / 180.0;
    const char *at = text + strspn(text, " \t");
    *n = 0;
    if (most < 1) return fail(text, "too many", error);
    if (!scan && strncmp(at, "fix ", 4) == 0)
        return read_fixed(text, at + 4, molecule->n_atom, most, constraint, n, error);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const size_t size = strlen(words[w].word);
        int last;
        if (strncmp(at, words[w].word, size) != 0) continue;
        at += size;
        struct hf_constraint made = {.kind = words[w].kind};
        for (int i = 0; i < hf_internal_n_atom(made.kind); i++) {
            at += strspn(at, " \t,");
            if (!read_atoms(&at, molecule->n_atom, &made.atom[i], &last) || last != made.atom[i])
                return fail(text, "no such atom", error);
            for (int k = 0; k < i; k++)
                if (made.atom[k] == made.atom[i]) return fail(text, "an atom twice", error);
        }
        if (!read_value(at, made.kind == HF_STRETCH ? length : degree, scan, &made))
            return fail(text, scan ? "no = FROM to TO in N at its end" : "no = VALUE at its end",
                        error);
        if (!is_possible(&made)) return fail(text, "an impossible value", error);
        constraint[(*n)++] = made;
        return HF_OK;
    }
    return fail(text, "unknown kind", error);
}
