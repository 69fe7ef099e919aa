/* The environment of a molecule: point charges, from lines "charge x y z" of a block or a file, and a uniform field. */
#include "comment_words.h"
#include "draft.h"

#include "hf/units.h"
#include "neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Limits of point charges and their coordinates, bohr. Larger and farther charges should be given as a uniform
 *  field. */
static const double farthest_bohr = 1e6, largest_charge = 1e9;
/** Point charges closer to a nucleus than this coincide with it; the same limit as for atoms. */
static const double coincidence_bohr = 0.1;

hf_status hf_draft_add_charge(struct draft *draft, const struct draft_charge *charge)
{
    struct draft_charges *charges = &draft->charges;
    const int line = charge->line;
    if (charges->n == HF_MAX_POINT_CHARGE)
        return hf_draft_fail(draft, line, "more than %d point charges", HF_MAX_POINT_CHARGE);
    if (!(fabs(charge->charge) <= largest_charge))
        return hf_draft_fail(draft, line,
                             "charge %g is out of range; expected at most %g elementary charges",
                             charge->charge, largest_charge);
    if (!hf_arena_grow(&draft->arena, &charges->charge, charges->n + 1, &charges->n_room,
                       sizeof *charges->charge))
        return hf_arena_check(&draft->arena, draft->error);
    charges->charge[charges->n++] = *charge;
    return HF_OK;
}

hf_status hf_read_point_charge(struct draft *draft, int line)
{
    static const char *const name[4] = {"charge", "x", "y", "z"};
    const char *position = draft->text->line[line - 1];
    double value[4];
    struct hf_word word;
    if (hf_rest_of_line(position).length == 0)
        return hf_draft_fail(draft, line, "an empty line; expected: charge x y z");
    HF_CHECK(hf_read_reals(draft, line, &position, 4, name, value));
    if (hf_next_word(&position, &word))
        return hf_draft_fail(draft, line,
                             "'%.*s' stands behind the coordinates; expected: charge x y z",
                             HF_WORD(word));
    return hf_draft_add_charge(
        draft, &(struct draft_charge){value[0], {value[1], value[2], value[3]}, line});
}

/** Reads the unit in a comment; it must be known. Short names count only after the word "units", because elsewhere
 *  they may mean gold or the unit of the charges. */
static hf_status read_unit(struct draft *draft, int line)
{
    struct draft_charges *charges = &draft->charges;
    static const char *const short_names[] = {"au", "a.u.", "a.u", "atomic", "a", NULL};
    const char *position = draft->text->line[line - 1];
    struct comment_item item;
    bool expected = false;
    while (hf_comment_next(position + strspn(position, " \t=:"), &item)) {
        int unit = hf_comment_unit(item.key);
        if (!expected && hf_word_is_listed(item.key, short_names)) unit = -1;
        if (expected && unit < 0)
            return hf_draft_fail(draft, line, "unknown units '%.*s'; expected angstrom or bohr",
                                 HF_WORD(item.key));
        if (unit >= 0 && charges->unit_said && charges->bohr != (unit == 1))
            return hf_draft_fail(draft, line,
                                 "the comment names both angstrom and bohr; expected one of them");
        if (unit >= 0) {
            charges->unit_said = true;
            charges->bohr = unit == 1;
        }
        expected = hf_word_is(item.key, "units") || hf_word_is(item.key, "unit");
        position = item.key.begin + item.key.length;
    }
    return HF_OK;
}

hf_status hf_read_point_charge_file(struct draft *draft)
{
    const struct hf_text *text = draft->text;
    int n = 0, first = 0, n_left_over = 0;
    while (first + 1 < text->n_line && hf_rest_of_line(text->line[first]).length == 0) first++;
    HF_CHECK(hf_read_integer(draft, first + 1, hf_rest_of_line(text->line[first]), "count", &n));
    if (n < 0 || n > HF_MAX_POINT_CHARGE)
        return hf_draft_fail(draft, first + 1, "a count of %d point charges; expected 0 to %d", n,
                             HF_MAX_POINT_CHARGE);
    if (n > 0 && text->n_line < first + 2 + n)
        return hf_draft_fail(
            draft, text->n_line,
            "the file ends here; expected a comment and %d point charges (count in line %d)", n,
            first + 1);
    if (first + 1 < text->n_line) HF_CHECK(read_unit(draft, first + 2));
    for (int i = 0; i < n; i++) HF_CHECK(hf_read_point_charge(draft, first + 3 + i));
    for (int i = first + 2 + n; i < text->n_line; i++)
        n_left_over += hf_rest_of_line(text->line[i]).length > 0;
    if (n_left_over == 0) return HF_OK;
    return hf_draft_warn(draft, 0, "%d lines behind the %d point charges were not read",
                         n_left_over, n);
}

/** A charge and the first nucleus at its position; -1: none. */
struct seat {
    const struct hf_molecule *molecule;
    const double *position_bohr;
    int atom;
    double distance_bohr;
};

static void look_for_nucleus(void *data, int atom)
{
    struct seat *self = data;
    const double *a = self->molecule->atom[atom].position_bohr, *b = self->position_bohr;
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    const double distance = sqrt(x * x + y * y + z * z);
    if (distance >= coincidence_bohr || (self->atom >= 0 && self->atom < atom)) return;
    self->atom = atom;
    self->distance_bohr = distance;
}

/** Checks that no charge is at a nucleus, where its energy would be infinite. Ghosts have no charge. */
static hf_status check_nuclei(const struct draft *draft)
{
    const struct draft_charges *charges = &draft->charges;
    const struct hf_molecule *molecule = &draft->input->molecule;
    const struct hf_environment *environment = &molecule->environment;
    struct hf_neighbours nuclei;
    hf_status status = hf_neighbours_init(&nuclei, molecule, coincidence_bohr, draft->error);
    for (int i = 0; status == HF_OK && i < molecule->n_atom; i++)
        if (!molecule->atom[i].ghost) hf_neighbours_add(&nuclei, i);
    for (int c = 0; status == HF_OK && c < charges->n; c++) {
        const struct hf_point_charge *charge = &environment->charge[c];
        struct seat seat = {molecule, charge->position_bohr, -1, 0.0};
        if (charge->charge == 0.0) continue;
        hf_neighbours_visit(&nuclei, charge->position_bohr, look_for_nucleus, &seat);
        if (seat.atom >= 0)
            status = hf_draft_fail(draft, charges->charge[c].line,
                                   "point charge %d sits on the nucleus of atom %d (%s), %.3g bohr "
                                   "from it; expected at least %g",
                                   c + 1, seat.atom + 1,
                                   hf_element_symbol(molecule->atom[seat.atom].atomic_number),
                                   seat.distance_bohr, coincidence_bohr);
    }
    hf_arena_done(&nuclei.arena);
    return status;
}

hf_status hf_point_charges_finish(const struct draft *draft)
{
    const struct draft_charges *charges = &draft->charges;
    struct hf_molecule *molecule = &draft->input->molecule;
    struct hf_environment *environment = &molecule->environment;
    const double factor = charges->bohr ? 1.0 : 1.0 / HF_BOHR_IN_ANGSTROM;
    if (charges->n == 0) return HF_OK;
    environment->charge = calloc((size_t)charges->n, sizeof *environment->charge);
    if (environment->charge == NULL)
        return hf_fail(draft->error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
    environment->n_charge = charges->n;
    for (int c = 0; c < charges->n; c++) {
        const struct draft_charge *from = &charges->charge[c];
        struct hf_point_charge *to = &environment->charge[c];
        to->charge = from->charge;
        for (int k = 0; k < 3; k++) {
            to->position_bohr[k] = from->position[k] * factor;
            if (!(fabs(to->position_bohr[k]) <= farthest_bohr))
                return hf_draft_fail(
                    draft, from->line,
                    "coordinate %g %s is out of range; expected less than %g bohr from the origin",
                    from->position[k], charges->bohr ? "bohr" : "angstrom", farthest_bohr);
        }
    }
    return check_nuclei(draft);
}

/** Stores the field, with a warning for ions. */
static hf_status finish_field(struct draft *draft)
{
    struct hf_molecule *molecule = &draft->input->molecule;
    double *field = molecule->environment.field;
    const struct hf_option_value *given = hf_options_given(draft->options, "field");
    if (given == NULL) return HF_OK;
    hf_options_vector(draft->options, "field", field);
    if (molecule->charge == 0 || (field[0] == 0.0 && field[1] == 0.0 && field[2] == 0.0))
        return HF_OK;
    return hf_input_warn(draft->input, draft->error,
                         "%s: the charge is %+d: in a uniform field the energy of an ion depends "
                         "on where the origin is",
                         given->where, molecule->charge);
}

hf_status hf_environment_finish(struct draft *draft)
{
    const struct hf_option_value *file = hf_options_given(draft->options, "point_charges_file");
    HF_CHECK(finish_field(draft));
    if (draft->charges_line == 0) return HF_OK;
    if (file != NULL)
        return hf_draft_fail(
            draft, draft->charges_line,
            "point charges stand here and in the file %s (%s); expected one of the two", file->text,
            file->where);
    draft->charges.bohr = hf_options_value(draft->options, "units") == HF_LENGTH_BOHR;
    return hf_point_charges_finish(draft);
}
