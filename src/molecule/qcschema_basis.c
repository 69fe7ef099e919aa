/* A basis set in a QCSchema input, as texts in the format of Gaussian-94: one for each centre.
 *
 * Source   QCElemental, BasisSet, version 1 (qcschema_basis) and 2 (qcschema_basis_set). Coefficients are of normalised
 *          primitives; powers of core potentials are those of published tables, r^(n-2). */
#include "qcschema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "SPDFGHI"; /* of shells, by angular momentum */
enum { N_LETTER = sizeof letters - 1 };

/** A centre that is written. */
struct centre {
    const struct draft *draft;
    const char *name; /**< key in center_data */
    FILE *text;
    bool cartesian[N_LETTER], spherical[N_LETTER];
};

static hf_status fail(const struct centre *self, const char *what)
{
    return hf_draft_fail(self->draft, 0, "basis set, centre '%.60s': %s", self->name, what);
}

/** A number of a list, which may be text; NAN: none. */
static double number_of(const cJSON *item)
{
    double value;
    if (cJSON_IsNumber(item)) return item->valuedouble;
    if (cJSON_IsString(item) &&
        hf_word_real(hf_rest_of_line(item->valuestring), &value) == HF_NUMBER_OK)
        return value;
    return NAN;
}

/** A whole number from 0 to `most`; -1: none. */
static int whole_of(const cJSON *item, int most)
{
    const double value = number_of(item);
    return value >= 0.0 && value <= most && value == floor(value) ? (int)value : -1;
}

/** Writes rows of a table: [power,] exponent, coefficient. False: lists of other lengths, or no numbers. */
static bool put_rows(FILE *text, const cJSON *powers, const cJSON *exponents,
                     const cJSON *coefficients)
{
    const cJSON *power = powers != NULL ? powers->child : NULL;
    const cJSON *coefficient = coefficients->child;
    const int n = cJSON_GetArraySize(exponents);
    if (!cJSON_IsArray(exponents) || !cJSON_IsArray(coefficients) ||
        cJSON_GetArraySize(coefficients) != n ||
        (powers != NULL && cJSON_GetArraySize(powers) != n))
        return false;
    for (const cJSON *exponent = exponents->child; exponent != NULL; exponent = exponent->next) {
        char number[2][32];
        const double value[] = {number_of(exponent), number_of(coefficient)};
        if (!isfinite(value[0]) || !isfinite(value[1])) return false;
        for (int i = 0; i < 2; i++) hf_json_print_double(value[i], sizeof number[i], number[i]);
        if (powers != NULL) {
            const int whole = whole_of(power, 99);
            if (whole < 0) return false;
            fprintf(text, "%d ", whole);
            power = power->next;
        }
        fprintf(text, "%s %s\n", number[0], number[1]);
        coefficient = coefficient->next;
    }
    return true;
}

/** Writes one shell, or those of a general contraction or of a fused shell. */
static hf_status put_shell(struct centre *self, const cJSON *shell)
{
    static const char *const keys[] = {
        "angular_momentum", "exponents", "coefficients", "harmonic_type",
        "function_type",    "region",    "references",   NULL};
    const cJSON *momenta = hf_json_find(shell, "angular_momentum");
    const cJSON *exponents = hf_json_find(shell, "exponents");
    const cJSON *all = hf_json_find(shell, "coefficients"), *type;
    const int n_momentum = cJSON_GetArraySize(momenta), n_row = cJSON_GetArraySize(all);
    HF_CHECK(hf_qcschema_check_keys(self->draft, shell, "a shell of the basis set", keys));
    type = hf_json_find(shell, "harmonic_type");
    const bool cartesian = cJSON_IsString(type) && strcmp(type->valuestring, "cartesian") == 0;
    if (!cartesian && !(cJSON_IsString(type) && strcmp(type->valuestring, "spherical") == 0))
        return fail(self, "a shell's 'harmonic_type' is not spherical or cartesian");
    if (n_momentum < 1 || n_row < 1 || (n_momentum > 1 && n_momentum != n_row))
        return fail(self, "a shell has not one list of coefficients for each angular momentum");
    for (int r = 0; r < n_row; r++) {
        const int l = whole_of(cJSON_GetArrayItem(momenta, n_momentum > 1 ? r : 0), N_LETTER - 1);
        if (l < 0) return fail(self, "an angular momentum is not a whole number from 0 to 6");
        (cartesian ? self->cartesian : self->spherical)[l] = true;
        fprintf(self->text, "%c %d 1.0\n", letters[l], cJSON_GetArraySize(exponents));
        if (!put_rows(self->text, NULL, exponents, cJSON_GetArrayItem(all, r)))
            return fail(self, "a shell has not one number for each exponent");
    }
    return HF_OK;
}

/** Writes the terms of one l of the core potential. */
static hf_status put_terms(struct centre *self, const cJSON *potentials, int l)
{
    fprintf(self->text, "l = %d\n", l);
    for (const cJSON *it = potentials->child; it != NULL; it = it->next) {
        const cJSON *exponents = hf_json_find(it, "gaussian_exponents");
        if (whole_of(cJSON_GetArrayItem(hf_json_find(it, "angular_momentum"), 0), N_LETTER) != l)
            continue;
        fprintf(self->text, "%d\n", cJSON_GetArraySize(exponents));
        if (put_rows(self->text, hf_json_find(it, "r_exponents"), exponents,
                     cJSON_GetArrayItem(hf_json_find(it, "coefficients"), 0)))
            return HF_OK;
        return fail(self, "a core potential has not one number for each exponent");
    }
    fprintf(self->text, "0\n"); /* this l has no terms */
    return HF_OK;
}

/** Writes the core potential: the part of the highest l, which is the local one, first. */
static hf_status put_core(struct centre *self, const cJSON *centre, const char *symbol)
{
    static const char *const keys[] = {
        "ecp_type",     "angular_momentum", "r_exponents", "gaussian_exponents",
        "coefficients", "references",       NULL};
    const cJSON *potentials = hf_json_find(centre, "ecp_potentials");
    const cJSON *electrons = hf_json_find(centre, "ecp_electrons");
    const int n_core = electrons != NULL ? whole_of(electrons, 118) : 0;
    unsigned there = 0;
    int most = 0;
    if (n_core < 0) return fail(self, "'ecp_electrons' is not a number of electrons");
    if (potentials == NULL || cJSON_IsNull(potentials))
        return n_core == 0 ? HF_OK : fail(self, "core electrons, but no 'ecp_potentials'");
    for (const cJSON *it = potentials->child; it != NULL; it = it->next) {
        const cJSON *momenta = hf_json_find(it, "angular_momentum");
        const cJSON *type = hf_json_find(it, "ecp_type");
        const int l = whole_of(cJSON_GetArrayItem(momenta, 0), N_LETTER - 1);
        HF_CHECK(hf_qcschema_check_keys(self->draft, it, "a core potential", keys));
        if (type != NULL && !(cJSON_IsString(type) && strcmp(type->valuestring, "scalar") == 0) &&
            !(cJSON_IsString(type) && strcmp(type->valuestring, "scalar_ecp") == 0))
            return fail(self, "a core potential is not scalar; hf has no spin-orbit potentials");
        if (l < 0 || cJSON_GetArraySize(momenta) != 1 || (there & 1U << l) != 0 ||
            cJSON_GetArraySize(hf_json_find(it, "coefficients")) != 1)
            return fail(self, "core potentials: expected one list of terms for each angular "
                              "momentum from 0 to 6");
        there |= 1U << l;
        most = l > most ? l : most;
    }
    fprintf(self->text, "%s 0\n%s-ECP %d %d\n", symbol, symbol, most, n_core);
    HF_CHECK(put_terms(self, potentials, most));
    for (int l = 0; l < most; l++) HF_CHECK(put_terms(self, potentials, l));
    return HF_OK;
}

/** Writes a centre for an element. */
static hf_status put_centre(struct centre *self, const cJSON *centre, const char *symbol)
{
    static const char *const keys[] = {"electron_shells", "ecp_electrons", "ecp_potentials",
                                       "references", NULL};
    const cJSON *shells = hf_json_find(centre, "electron_shells");
    HF_CHECK(hf_qcschema_check_keys(self->draft, centre, "a centre of the basis set", keys));
    if (cJSON_GetArraySize(shells) < 1) return fail(self, "there are no 'electron_shells'");
    fprintf(self->text, "****\n%s 0\n", symbol);
    for (const cJSON *shell = shells->child; shell != NULL; shell = shell->next)
        HF_CHECK(put_shell(self, shell));
    fprintf(self->text, "****\n");
    HF_CHECK(put_core(self, centre, symbol));
    for (int l = 2; l < N_LETTER; l++)
        if (self->cartesian[l] && self->spherical[l])
            return fail(self, "shells of one angular momentum are spherical and cartesian");
    return HF_OK;
}

/** Keeps the text of a finished centre: name, convention, `body`. */
static hf_status keep(const struct centre *self, const char *set_name, const char *name,
                      const char *body)
{
    struct hf_input *input = self->draft->input;
    struct hf_basis_text *kept = &input->basis_text[input->n_basis_text];
    const size_t size = strlen(set_name) + strlen(body) + 64;
    char *text = kept->text = HF_TAKE(&input->arena, text, size);
    kept->name = hf_copy_string(&input->arena, name);
    HF_CHECK(hf_arena_check(&input->arena, self->draft->error));
    int n = snprintf(text, size, "! name: %s\n", set_name);
    for (int l = 2; l < N_LETTER; l++)
        if (self->cartesian[l])
            n += snprintf(text + n, size - (size_t)n, "cartesian %c\n", letters[l]);
    snprintf(text + n, size - (size_t)n, "%s", body);
    input->n_basis_text++;
    return HF_OK;
}

/** Reads the centre of an atom, unless an atom before has it, and chooses it for the atom. */
static hf_status choose(struct draft *draft, const cJSON *basis, const cJSON *key, int atom)
{
    const struct hf_input *input = draft->input;
    const cJSON *set_name = hf_json_find(basis, "name");
    const cJSON *data = hf_json_find(basis, "center_data");
    const bool named = cJSON_IsString(set_name) && hf_qcschema_is_one_line(set_name->valuestring);
    const char *symbol = hf_element_symbol(draft->atom[atom].atomic_number);
    struct centre self = {.draft = draft, .name = cJSON_IsString(key) ? key->valuestring : "?"};
    const cJSON *centre = cJSON_IsString(key) ? hf_json_find(data, key->valuestring) : NULL;
    char name[100], choice[120], *body = NULL;
    size_t size;
    hf_status status = HF_OK;
    if (!hf_qcschema_is_one_line(self.name)) self.name = "?";
    if (self.name[0] == '?' || strlen(self.name) > 60) /* or two centres would have one name */
        return fail(&self, "a name has control characters, more than 60 bytes, or begins with ?");
    if (!cJSON_IsObject(centre)) return fail(&self, "'atom_map' names it, 'center_data' lacks it");
    snprintf(name, sizeof name, "centre %s of the input (%s)", self.name, symbol);
    if (atom == 0) /* for all atoms, unless they have another one */
        snprintf(choice, sizeof choice, "%s", name);
    else
        snprintf(choice, sizeof choice, "%d %s", atom + 1, name);
    if (atom == 0 || strcmp(input->basis_text[0].name, name) != 0)
        HF_CHECK(hf_draft_option(draft, "basis", hf_rest_of_line(choice), 0));
    for (int i = 0; i < input->n_basis_text; i++)
        if (strcmp(input->basis_text[i].name, name) == 0) return HF_OK;
    self.text = open_memstream(&body, &size);
    if (self.text == NULL) return hf_fail(draft->error, HF_NO_RESOURCE, "out of memory");
    status = put_centre(&self, centre, symbol);
    if (fclose(self.text) != 0 && status == HF_OK)
        status = hf_fail(draft->error, HF_NO_RESOURCE, "out of memory");
    if (status == HF_OK)
        status = keep(&self, named ? set_name->valuestring : "unnamed", name, body);
    free(body);
    return status;
}

hf_status hf_read_basis_set(struct draft *draft, const cJSON *basis)
{
    static const char *const keys[] = {"schema_name", "schema_version", "name", "description",
                                       "center_data", "atom_map",       "nbf",  NULL};
    struct hf_input *input = draft->input;
    const cJSON *map = hf_json_find(basis, "atom_map");
    int atom = 0;
    HF_CHECK(hf_qcschema_check_keys(draft, basis, "the basis set", keys));
    if (!cJSON_IsArray(map) || cJSON_GetArraySize(map) != draft->n_atom)
        return hf_draft_fail(draft, 0,
                             "'atom_map' of the basis set has %d centres; expected one "
                             "for each of %d atoms",
                             cJSON_GetArraySize(map), draft->n_atom);
    HF_TAKE(&input->arena, input->basis_text, (size_t)draft->n_atom);
    HF_CHECK(hf_arena_check(&input->arena, draft->error));
    for (const cJSON *key = map->child; key != NULL; key = key->next)
        HF_CHECK(choose(draft, basis, key, atom++));
    return HF_OK;
}
