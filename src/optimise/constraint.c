/* What users hold: read from a line of text. */
#include "optimise/optimise.h"

#include "internals.h"

#include "hf/units.h"
#include "text/text.h"

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
} words[] = {{"distance", HF_STRETCH},
             {"angle", HF_BEND},
             {"torsion", HF_TORSION},
             {"dihedral", HF_TORSION}};

enum { N_WORD = sizeof words / sizeof *words };

static hf_status fail(const char *text, const char *why, bool scan, struct hf_error *error)
{
    return hf_fail(
        error, HF_BAD_INPUT,
        "'%.100s': %s; expected distance I J, angle I J K or torsion I J K L%s", text, why,
        scan ? " = FROM to TO in N" : ", with = VALUE if it is to have one, or fix I J-K ...");
}

double hf_constraint_value_near(const struct hf_constraint *constraint, const double (*x)[3])
{
    const struct hf_internal kind = {.kind = constraint->kind};
    return constraint->value -
           hf_internal_difference(&kind, constraint->value, hf_constraint_value(constraint, x));
}

void hf_constraint_name(const struct hf_constraint *constraint, char name[HF_CONSTRAINT_NAME])
{
    const char *word = "fix";
    for (int w = N_WORD - 1; w >= 0; w--)
        if (words[w].kind == constraint->kind) word = words[w].word;
    int length = snprintf(name, HF_CONSTRAINT_NAME, "%s", word);
    for (int i = 0; i < hf_internal_n_atom(constraint->kind); i++)
        length += snprintf(name + length, (size_t)(HF_CONSTRAINT_NAME - length), " %d",
                           constraint->atom[i] + 1);
}

/** Whether a distance between two atoms is constrained. */
static bool is_named(int n, const struct hf_constraint constraint[], int i, int j)
{
    for (int c = 0; c < n; c++) {
        const int *atom = constraint[c].atom;
        if (constraint[c].kind == HF_STRETCH &&
            ((atom[0] == i && atom[1] == j) || (atom[0] == j && atom[1] == i)))
            return true;
    }
    return false;
}

int hf_constraints_changed_bonds(const struct hf_molecule *molecule, int n,
                                 const struct hf_constraint constraint[], const double (*from)[3],
                                 const double (*to)[3], size_t size, char text[])
{
    int n_changed = 0;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < molecule->n_atom; i++)
        for (int j = i + 1; j < molecule->n_atom; j++) {
            const bool after = hf_are_bonded_at(molecule, to, i, j);
            if (after == hf_are_bonded_at(molecule, from, i, j) || is_named(n, constraint, i, j))
                continue;
            if (length < size)
                length += (size_t)snprintf(
                    text + length, size - length, "%s%s%d-%s%d %s", n_changed > 0 ? ", " : "",
                    hf_element_symbol(molecule->atom[i].atomic_number), i + 1,
                    hf_element_symbol(molecule->atom[j].atomic_number), j + 1,
                    after ? "formed" : "broken");
            n_changed++;
        }
    return n_changed;
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
        if (!read_atoms(&at, n_atom, &first, &last))
            return fail(text, "no such atoms", false, error);
        for (int i = first; i <= last; i++) {
            if (*n == most) return fail(text, "too many atoms", false, error);
            constraint[(*n)++] = (struct hf_constraint){.kind = HF_PLACE, .atom = {i}};
        }
    }
    return *n > 0 ? HF_OK : fail(text, "no atoms", false, error);
}

/** " = VALUE", and of a scan " to VALUE in N". NULL, or what is wrong. */
static const char *read_value(const char *at, double unit, bool scan,
                              struct hf_constraint *constraint)
{
    double value, end;
    int n = 0, n_read = 0;
    at += strspn(at, " \t");
    if (*at == '\0' && !scan) return NULL;
    if (scan)
        n = sscanf(at, "= %lf to %lf in %9d %n", &value, &end, &constraint->n_point, &n_read);
    else
        n = sscanf(at, "= %lf %n", &value, &n_read);
    if (n != (scan ? 3 : 1) || at[n_read] != '\0')
        return scan ? "no = FROM to TO in N at its end" : "no = VALUE at its end";
    if (scan && constraint->n_point < 2)
        return "fewer than 2 values (hold a single one by --constraint)";
    constraint->has_value = true;
    constraint->value = value * unit;
    constraint->end = scan ? end * unit : constraint->value;
    return isfinite(constraint->value) && isfinite(constraint->end) ? NULL : "no finite value";
}

hf_status hf_constraint_check(const struct hf_constraint *constraint, struct hf_error *error)
{
    const double degree = acos(-1.0) / 180.0, value = constraint->value;
    char name[HF_CONSTRAINT_NAME];
    hf_constraint_name(constraint, name);
    if (constraint->kind == HF_STRETCH && !(value > 0.1))
        return hf_fail(error, HF_BAD_INPUT,
                       "%s is to be %g angstrom; expected more than 0.053 angstrom (0.1 bohr)",
                       name, value * HF_BOHR_IN_ANGSTROM);
    if (constraint->kind == HF_BEND && !(value > 0.5 * degree && value < 179.5 * degree))
        return hf_fail(error, HF_BAD_INPUT, "%s is %s%.2f degrees; expected 0.5 to 179.5 degrees%s",
                       name, constraint->has_value ? "to be " : "", value / degree,
                       constraint->has_value ? "" : ". Fix its atoms to hold it in line");
    return HF_OK;
}

/** Values of a constraint that was read, at both ends of a scan. */
static hf_status check_values(const struct hf_constraint *made, struct hf_error *error)
{
    struct hf_constraint end = *made;
    end.value = made->end;
    if (!made->has_value) return HF_OK;
    HF_CHECK(hf_constraint_check(made, error));
    return hf_constraint_check(&end, error);
}

hf_status hf_constraint_read(const char *text, const struct hf_molecule *molecule, double length,
                             bool scan, int most, struct hf_constraint constraint[], int *n,
                             struct hf_error *error)
{
    const double degree = acos(-1.0) / 180.0;
    const char *at = text + strspn(text, " \t"), *wrong;
    *n = 0;
    if (most < 1) return fail(text, "too many", scan, error);
    if (!scan && strncmp(at, "fix ", 4) == 0)
        return read_fixed(text, at + 4, molecule->n_atom, most, constraint, n, error);
    for (int w = 0; w < N_WORD; w++) {
        const size_t size = strlen(words[w].word);
        int last;
        if (strncmp(at, words[w].word, size) != 0) continue;
        at += size;
        struct hf_constraint made = {.kind = words[w].kind};
        for (int i = 0; i < hf_internal_n_atom(made.kind); i++) {
            at += strspn(at, " \t,");
            if (!read_atoms(&at, molecule->n_atom, &made.atom[i], &last) || last != made.atom[i])
                return fail(text, "no such atom", scan, error);
            for (int k = 0; k < i; k++)
                if (made.atom[k] == made.atom[i]) return fail(text, "an atom twice", scan, error);
        }
        wrong = read_value(at, made.kind == HF_STRETCH ? length : degree, scan, &made);
        if (wrong != NULL) return fail(text, wrong, scan, error);
        constraint[(*n)++] = made;
        return check_values(&made, error);
    }
    return fail(text, "unknown kind", scan, error);
}
