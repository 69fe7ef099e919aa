/* Converts the draft to the molecule: units, checks of distances. */
#include "draft.h"
#include "elements.h"

#include "base/arithmetic.h"
#include "hf/units.h"
#include "molecule/places.h"
#include "neighbours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Two atoms coincide if they are closer than this. */
static const double coincidence_bohr = 0.1;
/** Pairs closer than this (distance over sum of covalent radii) are always checked. */
static const double ratio_too_close = 0.66;

/** Limits of distance over sum of covalent radii for bonds. Most bonds lie between 0.77 (dinitrogen) and 1.3. If
 *  angstrom are read as bohr, this becomes 0.4 to 0.69; if bohr are read as angstrom, 1.45 to 2.5. */
struct ratio_limits {
    double least, most;
};

static bool is_halogen(int z)
{
    return z == 9 || z == 17 || z == 35 || z == 53 || z == 85;
}

static struct ratio_limits ratio_limits(int a, int b)
{
    struct ratio_limits limits = {0.66, 1.5};
    const bool metal = hf_is_metal(a) || hf_is_metal(b);
    if (metal) limits.least = 0.55; /* multiple bonds: divanadium 0.58, dichromium 0.60, UN 0.66 */
    if (a == 1 && b == 1)
        limits.most = 2.0; /* dihydrogen 1.2, its cation 1.7; 1.4 bohr read as angstrom 2.3 */
    else if ((hf_is_metal(a) && hf_is_metal(b)) || (is_halogen(a) && is_halogen(b)))
        limits.most = 1.75; /* dizinc 1.7, difluorine anion 1.67 */
    return limits;
}

/** Finds the mass of an atom's isotope, if the file gives one. */
static hf_status find_mass(const struct draft *draft, const struct draft_atom *from, double *mass)
{
    *mass = from->mass;
    if (from->mass > 0.0 || from->mass_number == 0) return HF_OK;
    *mass = hf_isotope_mass(from->atomic_number, from->mass_number);
    if (*mass > 0.0) return HF_OK;
    return hf_draft_fail(draft, from->line, "no isotope of %s with %d nucleons is known",
                         hf_element_symbol(from->atomic_number), from->mass_number);
}

static hf_status convert_units(struct draft *draft, struct hf_molecule *molecule)
{
    const struct hf_option_value *given = hf_options_given(draft->options, "units");
    const bool bohr = hf_options_value(draft->options, "units") == HF_LENGTH_BOHR;
    const double factor = bohr ? 1.0 : 1.0 / HF_BOHR_IN_ANGSTROM;
    if (bohr && draft->always_angstrom)
        return hf_fail(draft->error, HF_BAD_INPUT,
                       "%s: units bohr, but %s is an MDL molfile, which is always in angstrom",
                       given->where, draft->text->path);
    for (int i = 0; i < draft->n_atom; i++) {
        const struct draft_atom *from = &draft->atom[i];
        struct hf_atom *to = &molecule->atom[i];
        *to = (struct hf_atom){.atomic_number = from->atomic_number, .ghost = from->ghost};
        HF_CHECK(find_mass(draft, from, &to->mass));
        for (int k = 0; k < 3; k++) to->position_bohr[k] = from->position[k] * factor;
    }
    return HF_OK;
}

/** Whether a coordinate is far from the origin, or not a number. */
static bool is_far(double x)
{
    return !(fabs(x) <= HF_FARTHEST_BOHR);
}

static int find_far_axis(const struct hf_atom *atom)
{
    int k = 0;
    while (k < 3 && !is_far(atom->position_bohr[k])) k++;
    return k;
}

/** Fails if an atom is too far from the origin or coincides with another one. With a draft the message has lines and the
 *  unit of the file. */
static hf_status check_places(const struct hf_molecule *molecule, const struct draft *draft,
                              struct hf_error *error)
{
    char what[200], line[24] = "";
    int atom = 0, other = -1;
    while (atom < molecule->n_atom && find_far_axis(&molecule->atom[atom]) == 3) atom++;
    const bool far = atom < molecule->n_atom;
    if (!far) HF_CHECK(hf_find_coincidence(molecule, coincidence_bohr, &other, &atom, error));
    if (atom < 0) return HF_OK;
    const char *symbol = hf_element_symbol(molecule->atom[atom].atomic_number);
    if (far) {
        const int axis = find_far_axis(&molecule->atom[atom]);
        const bool bohr =
            draft == NULL || hf_options_value(draft->options, "units") == HF_LENGTH_BOHR;
        snprintf(
            what, sizeof what,
            "coordinate %g %s of atom %d (%s) is out of range; expected less than %g bohr from "
            "the origin",
            draft != NULL ? draft->atom[atom].position[axis]
                          : molecule->atom[atom].position_bohr[axis],
            bohr ? "bohr" : "angstrom", atom + 1, symbol, HF_FARTHEST_BOHR);
    } else {
        if (draft != NULL) snprintf(line, sizeof line, ", line %d", draft->atom[other].line);
        snprintf(what, sizeof what,
                 "atoms %d (%s%s) and %d (%s) are on top of each other (%.3g bohr apart)",
                 other + 1, hf_element_symbol(molecule->atom[other].atomic_number), line, atom + 1,
                 symbol, hf_atom_distance_bohr(molecule, other, atom));
    }
    return draft != NULL ? hf_draft_fail(draft, draft->atom[atom].line, "%s", what)
                         : hf_fail(error, HF_BAD_INPUT, "%s", what);
}

hf_status hf_check_places(const struct hf_molecule *molecule, struct hf_error *error)
{
    return check_places(molecule, NULL, error);
}

/** Warns if the nearest pair (i, j) has an unusual distance; `ratio` is the distance over the sum of radii. */
static hf_status judge_nearest(struct draft *draft, int i, int j, double ratio)
{
    const struct hf_molecule *molecule = &draft->input->molecule;
    const bool bohr = hf_options_value(draft->options, "units") == HF_LENGTH_BOHR;
    const struct ratio_limits limits =
        ratio_limits(molecule->atom[i].atomic_number, molecule->atom[j].atomic_number);
    const bool close = ratio < limits.least;
    if (!close && (bohr || ratio < limits.most)) return HF_OK;
    const double distance = hf_atom_distance_bohr(molecule, i, j);
    return hf_draft_warn(
        draft, 0,
        "the nearest atoms for their size, %s (line %d) and %s (line %d), are %.3f bohr (%.3f "
        "angstrom) apart, which is absurdly %s; units were taken as %s%s",
        hf_element_symbol(molecule->atom[i].atomic_number), draft->atom[i].line,
        hf_element_symbol(molecule->atom[j].atomic_number), draft->atom[j].line, distance,
        distance * HF_BOHR_IN_ANGSTROM, close ? "close" : "far", bohr ? "bohr" : "angstrom",
        close == bohr ? (bohr ? "; are they angstrom?" : "; are they bohr?") : "");
}

static hf_status check_distances(struct draft *draft)
{
    const struct hf_molecule *molecule = &draft->input->molecule;
    struct hf_nearest nearest;
    HF_CHECK(check_places(molecule, draft, draft->error));
    HF_CHECK(hf_find_nearest(molecule, ratio_too_close, &nearest, draft->error));
    if (nearest.later < 0) return HF_OK;
    return judge_nearest(draft, nearest.earlier, nearest.later, nearest.ratio);
}

hf_status hf_draft_finish(struct draft *draft)
{
    struct hf_molecule *molecule = &draft->input->molecule;
    const char *title = hf_options_text(draft->options, "title");
    *molecule = (struct hf_molecule){.n_atom = draft->n_atom};
    molecule->atom = calloc((size_t)draft->n_atom, sizeof *molecule->atom);
    if (title != NULL) molecule->title = strdup(title);
    if (molecule->atom == NULL || (title != NULL && molecule->title == NULL))
        return hf_fail(draft->error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
    HF_CHECK(convert_units(draft, molecule));
    HF_CHECK(check_distances(draft));
    HF_CHECK(hf_draft_finish_state(draft));
    return hf_environment_finish(draft);
}

bool hf_atoms_are_bonded(const struct hf_atom *atom, const struct hf_atom *other)
{
    static const double bond = 1.3;
    if (atom->ghost || other->ghost) return false;
    const double radii = hf_covalent_radius_angstrom(atom->atomic_number) +
                         hf_covalent_radius_angstrom(other->atomic_number);
    const double reach = bond / HF_BOHR_IN_ANGSTROM * radii;
    return hf_distance_squared(atom->position_bohr, other->position_bohr) < reach * reach;
}
