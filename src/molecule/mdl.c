/* MDL molfiles: common parts of V2000 and V3000. Checks whether a file contains a molecule in space with all its
 * atoms, a drawing, or a molecule without its hydrogen atoms. */
#include "draft.h"
#include "elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Limits of length of a bond over sum of covalent radii: shorter bonds are at least triple, double, aromatic. Single
 *  bonds of unsaturated atoms can be as short as 0.95 (1.45 angstrom between carbon atoms). */
static const double ratio_triple = 0.83, ratio_double = 0.90, ratio_aromatic = 0.95;

/** Sums of the bonds of an atom. */
struct filling {
    int n_neighbour;
    double written;     /**< sum of bond orders in the file */
    double likely;      /**< the same, with bond orders from lengths if these are larger */
    bool beside_excess; /**< a neighbour has one bond too many, so both may carry charges */
};

/** Usual number of bonds of an atom with this element and charge; -1: not known. */
static int usual_valence(const struct draft_atom *atom)
{
    const int charge = atom->charge, size = abs(charge);
    if (atom->valence_said) return atom->valence;
    switch (atom->atomic_number) {
    case 6:
    case 14: return 4 - size - atom->unbonded;
    case 5: return 3 - charge - atom->unbonded;
    case 7:
    case 15: return 3 + charge - atom->unbonded;
    case 8:
    case 16: return 2 + charge - atom->unbonded;
    case 9:
    case 17:
    case 35:
    case 53: return 1 + charge - atom->unbonded;
    default: return -1;
    }
}

/** Length of a bond over the sum of the covalent radii. */
static double length_ratio(const struct draft *draft, const struct draft_bond *bond)
{
    const struct draft_atom *a = &draft->atom[bond->a], *b = &draft->atom[bond->b];
    const double x = a->position[0] - b->position[0], y = a->position[1] - b->position[1],
                 z = a->position[2] - b->position[2];
    return sqrt(x * x + y * y + z * z) / (hf_covalent_radius_angstrom(a->atomic_number) +
                                          hf_covalent_radius_angstrom(b->atomic_number));
}

static double written_order(const struct draft_bond *bond)
{
    return bond->type == 4   ? 1.5 /* aromatic */
           : bond->type <= 3 ? bond->type
           : bond->type < 9  ? 1.0
                             : 0.0; /* 9 and 10 are not counted as bonds */
}

/** Bond order by length; 0 for atoms that only make single bonds. */
static double order_of_length(const struct draft *draft, const struct draft_bond *bond)
{
    const int z[2] = {draft->atom[bond->a].atomic_number, draft->atom[bond->b].atomic_number};
    const double ratio = length_ratio(draft, bond);
    for (int e = 0; e < 2; e++)
        if (z[e] != 6 && z[e] != 7 && z[e] != 8 && z[e] != 15 && z[e] != 16) return 0.0;
    return ratio < ratio_triple     ? 3.0
           : ratio < ratio_double   ? 2.0
           : ratio < ratio_aromatic ? 1.5
                                    : 1.0;
}

/** Computes the sums of the bonds of each atom. */
static void fill(const struct draft *draft, bool lengths_count, struct filling filling[])
{
    for (int k = 0; k < draft->n_bond; k++) {
        const struct draft_bond *bond = &draft->bond[k];
        const double written = written_order(bond);
        const double length = lengths_count && written > 0.0 ? order_of_length(draft, bond) : 0.0;
        struct filling *const end[2] = {&filling[bond->a], &filling[bond->b]};
        for (int e = 0; e < (bond->a != bond->b ? 2 : 1); e++) {
            end[e]->n_neighbour++;
            end[e]->written += written;
            end[e]->likely += fmax(written, length);
        }
    }
    for (int k = 0; k < draft->n_bond; k++) {
        const int end[2] = {draft->bond[k].a, draft->bond[k].b};
        for (int e = 0; e < 2; e++) {
            const int usual = usual_valence(&draft->atom[end[e]]);
            if (usual >= 0 && (fabs(filling[end[e]].written - usual - 1) < 0.01 ||
                               fabs(filling[end[e]].likely - usual - 1) < 0.01))
                filling[end[1 - e]].beside_excess = true;
        }
    }
}

/** Hydrogen atoms that are missing in the file. */
struct missing {
    int n_room;    /**< number for which the bonds leave room */
    int n_certain; /**< of n_room: those that neither lengths nor neighbours explain */
    int first;     /**< first atom that has room */
};

static struct missing count_missing(const struct draft *draft, const struct filling filling[])
{
    struct missing missing = {0, 0, -1};
    if (draft->n_bond == 0 && draft->n_atom > 1) return missing; /* no bonds were written */
    for (int i = 0; i < draft->n_atom; i++) {
        const int usual = usual_valence(&draft->atom[i]);
        const int room = (int)floor(usual - filling[i].written + 0.01);
        const int certain = (int)floor(usual - filling[i].likely + 0.01) - filling[i].beside_excess;
        if (room <= 0) continue;
        if (missing.first < 0) missing.first = i;
        missing.n_room += room;
        missing.n_certain += certain > 0 ? certain : 0;
    }
    return missing;
}

static int given_integer(const struct draft *draft, const char *key, int otherwise)
{
    const struct hf_option_value *given = hf_options_given(draft->options, key);
    const bool said = given != NULL && given->level != HF_OPTION_FILE;
    return said ? hf_options_integer(draft->options, key) : otherwise;
}

/** Whether the molecule may be complete although atoms have room: charge or multiplicity of the command line that the
 *  atoms do not have, an odd electron, or metals, whose bonds are written in many ways. */
static bool may_be_complete(const struct draft *draft, const struct missing *missing)
{
    int charge = 0, unpaired = 0, nuclei = 0;
    for (int i = 0; i < draft->n_atom; i++) {
        if (hf_is_metal(draft->atom[i].atomic_number)) return true;
        charge += draft->atom[i].charge;
        unpaired += draft->atom[i].unpaired;
        nuclei += draft->atom[i].atomic_number;
    }
    const int total = given_integer(draft, "charge", charge), n_charge = abs(total - charge);
    const bool radical = (nuclei - total) % 2 != 0 && missing->n_certain == 1;
    const int n_spin = given_integer(draft, "multiplicity", unpaired + 1) - 1 - unpaired;
    return radical || missing->n_certain <= n_charge + (n_spin > 0 ? n_spin : 0);
}

static bool is_flat(const struct draft *draft)
{
    for (int i = 0; i < draft->n_atom; i++)
        if (fabs(draft->atom[i].position[2]) > 1e-6) return false;
    return true;
}

/** Why a flat molecule cannot be a structure in space; NULL: it can. */
static const char *why_not_planar(const struct draft *draft, const struct filling filling[])
{
    for (int k = 0; k < draft->n_bond; k++) {
        const double ratio = length_ratio(draft, &draft->bond[k]);
        if (draft->bond[k].type < 9 && (ratio < 0.7 || ratio > 1.3))
            return "its bond lengths are those of a drawing";
    }
    for (int i = 0; i < draft->n_atom; i++) {
        const int z = draft->atom[i].atomic_number;
        if (filling[i].n_neighbour >= 4 && (z == 5 || z == 6 || z == 7 || z == 14 || z == 15))
            return "an atom with four neighbours lies in one plane with them";
    }
    return NULL;
}

/** Refuses drawings unless forced. */
static hf_status check_flatness(struct draft *draft, const struct filling filling[],
                                bool hydrogens_missing)
{
    const struct hf_text *text = draft->text;
    const struct hf_word dimension = hf_columns(text->line[1], 21, 22);
    const char *why = NULL;
    const bool flat = is_flat(draft);
    if (hf_word_is(dimension, "2D") && draft->n_atom > 1) {
        if (!flat)
            return hf_draft_warn(draft, 2, "says 2D but the coordinates are not flat; read as 3D");
        why = "line 2 says 2D";
    } else if (flat && draft->n_bond > 0) {
        why = why_not_planar(draft, filling);
        if (why == NULL && hydrogens_missing && draft->n_atom > 2 && !hf_word_is(dimension, "3D"))
            why = "hydrogen atoms are missing";
    }
    if (why == NULL) return HF_OK;
    if (!hf_options_flag(draft->options, "force"))
        return hf_draft_fail(draft, 2,
                             "the file is a flat drawing, not a molecule in space (all z are 0 and "
                             "%s); expected 3D coordinates, as 'obabel %.300s -O out.mol -h "
                             "--gen3d' makes them, or the option --force",
                             why, text->path);
    return hf_draft_warn(draft, 0, "computed although it looks like a drawing (%s)", why);
}

/** Refuses a molecule without its hydrogen atoms unless forced. */
static hf_status check_hydrogens(struct draft *draft, const struct missing *missing,
                                 bool incomplete)
{
    const struct hf_text *text = draft->text;
    const int n = missing->n_room;
    const struct draft_atom *first = &draft->atom[missing->first];
    const char *symbol = hf_element_symbol(first->atomic_number);
    if (hf_options_flag(draft->options, "force") || !incomplete)
        return hf_draft_warn(draft, 0,
                             "the bonds leave room for %d more hydrogen atom%s (first at the %s in "
                             "line %d); hf adds none",
                             n, n > 1 ? "s" : "", symbol, first->line);
    return hf_draft_fail(draft, first->line,
                         "hydrogen atoms are missing: the bonds leave room for %d more (first at "
                         "this %s), and hf adds none; expected all atoms, as 'obabel %.300s -O "
                         "out.mol -h' adds them, or the option --force",
                         n, symbol, text->path);
}

static bool has_hydrogen(const struct draft *draft)
{
    for (int i = 0; i < draft->n_atom; i++)
        if (draft->atom[i].atomic_number == 1) return true;
    return false;
}

/** Whether all bonds are single: programs that do not know bond orders write them so. */
static bool only_single_bonds(const struct draft *draft)
{
    for (int k = 0; k < draft->n_bond; k++)
        if (draft->bond[k].type >= 2 && draft->bond[k].type <= 4) return false;
    return true;
}

static hf_status check_structure(struct draft *draft)
{
    const bool lengths_count = only_single_bonds(draft) && (has_hydrogen(draft) || !is_flat(draft));
    struct filling *filling = HF_TAKE(&draft->arena, filling, (size_t)draft->n_atom + 1);
    HF_CHECK(hf_arena_check(&draft->arena, draft->error));
    fill(draft, lengths_count, filling);
    const struct missing missing = count_missing(draft, filling);
    const bool incomplete = missing.n_room > 0 && !may_be_complete(draft, &missing);
    HF_CHECK(check_flatness(draft, filling, incomplete));
    return missing.n_room > 0 ? check_hydrogens(draft, &missing, incomplete) : HF_OK;
}

/** Sums charges and radicals of all atoms to charge and multiplicity of the molecule; converts mass differences to
 *  isotopes. */
static hf_status sum_up(struct draft *draft)
{
    int charge = 0, unpaired = 0;
    for (int i = 0; i < draft->n_atom; i++) {
        struct draft_atom *atom = &draft->atom[i];
        charge += atom->charge;
        unpaired += atom->unpaired;
        if (atom->mass_difference != 0)
            atom->mass_number = hf_weight_number(atom->atomic_number) + atom->mass_difference;
    }
    if (charge != 0) HF_CHECK(hf_draft_option_integer(draft, "charge", charge, 0));
    if (draft->has_radical)
        HF_CHECK(hf_draft_option_integer(draft, "multiplicity", unpaired + 1, 0));
    return HF_OK;
}

hf_status hf_read_mdl(struct draft *draft)
{
    struct hf_text *text = draft->text;
    const struct hf_word title = hf_rest_of_line(text->line[0]);
    draft->always_angstrom = true;
    if (title.length > 0) HF_CHECK(hf_draft_option(draft, "title", title, 1));
    HF_CHECK(strstr(text->line[3], "V3000") != NULL ? hf_read_mdl_v3000(draft)
                                                    : hf_read_mdl_v2000(draft));
    HF_CHECK(sum_up(draft));
    return check_structure(draft);
}
