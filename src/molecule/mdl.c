/* MDL molfiles: what V2000 and V3000 have in common, and the judgement whether the file holds a
 * molecule in space or a drawing of one. */
#include "draft.h"
#include "elements.h"

#include <math.h>
#include <string.h>

/** Charges and radicals of all atoms become charge and multiplicity of the molecule. */
static hf_status sum_up(struct draft *draft, struct hf_error *error)
{
    int charge = 0, unpaired = 0;
    for (int i = 0; i < draft->n_atom; i++) {
        charge += draft->atom[i].charge;
        unpaired += draft->atom[i].unpaired;
    }
    hf_status status = HF_OK;
    if (charge != 0) status = hf_draft_option_integer(draft, "charge", charge, 0, error);
    if (status == HF_OK && draft->has_radical)
        status = hf_draft_option_integer(draft, "multiplicity", unpaired + 1, 0, error);
    draft->multiplicity_by_parity = !draft->has_radical;
    return status;
}

hf_status hf_read_mdl(struct draft *draft, struct hf_error *error)
{
    struct hf_text *text = draft->text;
    const struct hf_word title = hf_rest_of_line(text->line[0]);
    hf_status status = HF_OK;
    draft->always_angstrom = true;
    if (title.length > 0) status = hf_draft_option(draft, "title", title, 1, error);
    if (status != HF_OK) return status;
    status = strstr(text->line[3], "V3000") != NULL ? hf_read_mdl_v3000(draft, error)
                                                    : hf_read_mdl_v2000(draft, error);
    if (status == HF_OK) status = sum_up(draft, error);
    return status == HF_OK ? hf_check_mdl_structure(draft, error) : status;
}

/** Bonds that an atom of this element and charge usually makes; -1 when that cannot be said. */
static int usual_valence(const struct draft_atom *atom)
{
    const int charge = atom->charge, size = charge < 0 ? -charge : charge;
    switch (atom->atomic_number) {
    case 6:
    case 14: return 4 - size - atom->unpaired;
    case 5: return 3 - charge - atom->unpaired;
    case 7:
    case 15: return 3 + charge - atom->unpaired;
    case 8:
    case 16: return 2 + charge - atom->unpaired;
    case 9:
    case 17:
    case 35:
    case 53: return 1 + charge - atom->unpaired;
    default: return -1;
    }
}

/** What the bonds amount to at each atom. */
static void count_bonds(struct draft *draft)
{
    for (int i = 0; i < draft->n_atom; i++) {
        draft->atom[i].n_neighbour = 0;
        draft->atom[i].bond_order = 0.0;
    }
    for (int k = 0; k < draft->n_bond; k++) {
        const struct draft_bond *bond = &draft->bond[k];
        const double order = bond->type == 4   ? 1.5 /* aromatic */
                             : bond->type <= 3 ? bond->type
                             : bond->type < 9  ? 1.0
                                               : 0.0; /* 9 and 10 only touch */
        struct draft_atom *const end[2] = {&draft->atom[bond->a], &draft->atom[bond->b]};
        for (int e = 0; e < (bond->a != bond->b ? 2 : 1); e++) {
            end[e]->n_neighbour++;
            end[e]->bond_order += order;
        }
    }
}

/** Hydrogen atoms that the bonds leave room for: molfiles often leave them out. */
static int count_missing_hydrogens(const struct draft *draft, int *first_atom)
{
    int n_missing = 0;
    *first_atom = -1;
    if (draft->n_bond == 0 && draft->n_atom > 1) return 0; /* bonds were not written at all */
    for (int i = 0; i < draft->n_atom; i++) {
        const struct draft_atom *atom = &draft->atom[i];
        const int missing = (int)floor(usual_valence(atom) - atom->bond_order + 0.01);
        if (missing <= 0) continue;
        if (*first_atom < 0) *first_atom = i;
        n_missing += missing;
    }
    return n_missing;
}

static bool is_flat(const struct draft *draft)
{
    for (int i = 0; i < draft->n_atom; i++)
        if (fabs(draft->atom[i].position[2]) > 1e-6) return false;
    return true;
}

/** Why a flat molecule cannot be meant in space; NULL when it can. */
static const char *why_not_planar(const struct draft *draft)
{
    for (int k = 0; k < draft->n_bond; k++) {
        const struct draft_atom *a = &draft->atom[draft->bond[k].a],
                                *b = &draft->atom[draft->bond[k].b];
        const double *p = a->position, *q = b->position;
        const double ratio =
            hypot(p[0] - q[0], p[1] - q[1]) / (hf_covalent_radius_angstrom(a->atomic_number) +
                                               hf_covalent_radius_angstrom(b->atomic_number));
        if (draft->bond[k].type < 9 && (ratio < 0.7 || ratio > 1.3))
            return "its bond lengths are those of a drawing";
    }
    for (int i = 0; i < draft->n_atom; i++) {
        const int z = draft->atom[i].atomic_number;
        if (draft->atom[i].n_neighbour >= 4 && (z == 5 || z == 6 || z == 7 || z == 14 || z == 15))
            return "an atom with four neighbours lies in one plane with them";
    }
    return NULL;
}

/** Refuses drawings unless forced. */
static hf_status check_flatness(struct draft *draft, bool hydrogens_missing, struct hf_error *error)
{
    const struct hf_text *text = draft->text;
    const struct hf_word dimension = hf_columns(text->line[1], 21, 22);
    const char *why = NULL;
    const bool flat = is_flat(draft);
    if (hf_word_is(dimension, "2D") && draft->n_atom > 1) {
        if (!flat)
            return hf_input_warn(draft->input, error,
                                 "%s, line 2: says 2D but the coordinates are not flat; read as 3D",
                                 text->path);
        why = "line 2 says 2D";
    } else if (flat && draft->n_bond > 0) {
        why = why_not_planar(draft);
        if (why == NULL && hydrogens_missing && draft->n_atom > 2 && !hf_word_is(dimension, "3D"))
            why = "hydrogen atoms are missing";
    }
    if (why == NULL) return HF_OK;
    if (!hf_options_flag(draft->options, "force"))
        return hf_text_fail(error, text, 2,
                            "the file is a flat drawing, not a molecule in space (all z are 0 and "
                            "%s); expected 3D coordinates, or the option --force",
                            why);
    return hf_input_warn(draft->input, error, "%s: computed although it looks like a drawing (%s)",
                         text->path, why);
}

hf_status hf_check_mdl_structure(struct draft *draft, struct hf_error *error)
{
    int first = -1;
    count_bonds(draft);
    const int n_missing = count_missing_hydrogens(draft, &first);
    const hf_status status = check_flatness(draft, n_missing > 0, error);
    if (status != HF_OK || n_missing == 0) return status;
    return hf_input_warn(draft->input, error,
                         "%s: the bonds leave room for %d more hydrogen atom%s (first at the %s in "
                         "line %d); hf adds none",
                         draft->text->path, n_missing, n_missing > 1 ? "s" : "",
                         hf_element_symbol(draft->atom[first].atomic_number),
                         draft->atom[first].line);
}
