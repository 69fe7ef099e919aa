/* Whether a checkpoint is of this method, molecule and basis, and if not, why. */
#include "checkpoint/checkpoint.h"

#include "checkpoint_layout.h"

#include "text/text.h"

#include <math.h>
#include <string.h>

/** Equal but for the rounding of another reader or compiler. */
static bool is_near(double a, double b)
{
    const double tolerance = 1e-9;
    return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

static bool are_near(int n, const double a[], const double b[])
{
    for (int i = 0; i < n; i++)
        if (!is_near(a[i], b[i])) return false;
    return true;
}

/** Whether n structs have the same values in all fields. */
static bool same_rows(const struct hf_fields *fields, int n, const void *a, const void *b)
{
    double in_a[HF_WIDEST_FIELD], in_b[HF_WIDEST_FIELD];
    for (size_t at = 0; at < (size_t)n * fields->bytes; at += fields->bytes)
        for (int f = 0; f < fields->n_field; f++) {
            hf_field_numbers(&fields->field[f], (const char *)a + at, in_a);
            hf_field_numbers(&fields->field[f], (const char *)b + at, in_b);
            if (!are_near(fields->field[f].width, in_a, in_b)) return false;
        }
    return true;
}

static hf_status differ(const struct hf_checkpoint *checkpoint, const char *what,
                        struct hf_error *error)
{
    char word[400];
    return hf_fail(
        error, HF_BAD_INPUT,
        "%.300s belongs to another calculation: %s; to start from its orbitals use --guess %s",
        checkpoint->path, what, hf_shell_word(checkpoint->path, sizeof word, word));
}

static hf_status compare_atoms(const struct hf_checkpoint *checkpoint,
                               const struct hf_molecule *molecule, struct hf_error *error)
{
    const struct hf_molecule *kept = &checkpoint->molecule;
    char what[200] = "";
    if (kept->n_atom != molecule->n_atom)
        snprintf(what, sizeof what, "%d atoms instead of %d", kept->n_atom, molecule->n_atom);
    for (int i = 0; i < molecule->n_atom && what[0] == '\0'; i++) {
        const struct hf_atom *a = &kept->atom[i], *b = &molecule->atom[i];
        if (a->atomic_number != b->atomic_number || a->ghost != b->ghost)
            snprintf(what, sizeof what, "atom %d is %s%s instead of %s%s", i + 1,
                     hf_element_symbol(a->atomic_number), a->ghost ? " ghost" : "",
                     hf_element_symbol(b->atomic_number), b->ghost ? " ghost" : "");
        else if (!are_near(3, a->position_bohr, b->position_bohr))
            snprintf(what, sizeof what,
                     "atom %d is at %.6f %.6f %.6f bohr instead of %.6f %.6f %.6f", i + 1,
                     a->position_bohr[0], a->position_bohr[1], a->position_bohr[2],
                     b->position_bohr[0], b->position_bohr[1], b->position_bohr[2]);
    }
    return what[0] == '\0' ? HF_OK : differ(checkpoint, what, error);
}

static bool same_environment(const struct hf_environment *a, const struct hf_environment *b)
{
    return a->n_charge == b->n_charge && are_near(3, a->field, b->field) &&
           same_rows(&hf_charge_fields, a->n_charge, a->charge, b->charge);
}

static hf_status compare_molecule(const struct hf_checkpoint *checkpoint,
                                  const struct hf_molecule *molecule, struct hf_error *error)
{
    const struct hf_molecule *kept = &checkpoint->molecule;
    char what[200] = "";
    HF_CHECK(compare_atoms(checkpoint, molecule, error));
    if (kept->charge != molecule->charge)
        snprintf(what, sizeof what, "charge %+d instead of %+d", kept->charge, molecule->charge);
    else if (kept->multiplicity != molecule->multiplicity)
        snprintf(what, sizeof what, "multiplicity %d instead of %d", kept->multiplicity,
                 molecule->multiplicity);
    else if (!same_environment(&kept->environment, &molecule->environment))
        snprintf(what, sizeof what, "other point charges or another electric field");
    return what[0] == '\0' ? HF_OK : differ(checkpoint, what, error);
}

static bool same_shell(const struct hf_shell *a, const struct hf_shell *b)
{
    return same_rows(&hf_shell_fields, 1, a, b) &&
           are_near(a->n_primitive, a->exponent, b->exponent) &&
           are_near(a->n_primitive, a->coefficient, b->coefficient);
}

static bool same_core_potentials(const struct hf_basis *a, const struct hf_basis *b)
{
    int n_term = 0;
    if (a->n_core_potential != b->n_core_potential ||
        !same_rows(&hf_core_fields, a->n_core_potential, a->core_potential, b->core_potential))
        return false;
    for (int i = 0; i < a->n_core_potential; i++) n_term += a->core_potential[i].n_term;
    return same_rows(&hf_core_term_fields, n_term, a->core_term, b->core_term);
}

static hf_status compare_basis(const struct hf_checkpoint *checkpoint, const struct hf_basis *basis,
                               struct hf_error *error)
{
    const struct hf_basis *kept = checkpoint->basis;
    char what[200];
    int n_same = 0;
    while (n_same < kept->n_shell && n_same < basis->n_shell &&
           same_shell(&kept->shell[n_same], &basis->shell[n_same]))
        n_same++;
    const bool same_shells = n_same == kept->n_shell && n_same == basis->n_shell;
    if (same_shells && same_core_potentials(kept, basis)) return HF_OK;
    if (same_shells)
        snprintf(what, sizeof what, "other effective core potentials");
    else if (strcmp(kept->name, basis->name) != 0 || kept->n_function != basis->n_function)
        snprintf(what, sizeof what, "basis %.60s of %d functions instead of %.60s of %d",
                 kept->name, kept->n_function, basis->name, basis->n_function);
    else
        snprintf(what, sizeof what, "shell %d of the basis is another one", n_same + 1);
    return differ(checkpoint, what, error);
}

static hf_status compare_method(const struct hf_checkpoint *checkpoint, const char *method,
                                struct hf_error *error)
{
    char what[200];
    if (strcmp(checkpoint->method, method) == 0) return HF_OK;
    snprintf(what, sizeof what, "method %.60s instead of %.60s", checkpoint->method, method);
    return differ(checkpoint, what, error);
}

hf_status hf_checkpoint_compare(const struct hf_checkpoint *checkpoint, const char *method,
                                const struct hf_molecule *molecule, const struct hf_basis *basis,
                                struct hf_error *error)
{
    HF_CHECK(compare_molecule(checkpoint, molecule, error));
    HF_CHECK(compare_basis(checkpoint, basis, error));
    return compare_method(checkpoint, method, error);
}
