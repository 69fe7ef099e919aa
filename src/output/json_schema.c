/* Objects of QCSchema: what a document begins with, the molecule, the error of a failure. */
#include "output_private.h"

#include "hf/version.h"

bool hf_json_add_identity(cJSON *object, const char *schema_name)
{
    bool ok = hf_json_add_text(object, "schema_name", schema_name) &&
              hf_json_add_integer(object, "schema_version", 1);
    cJSON *provenance = cJSON_AddObjectToObject(object, "provenance");
    return ok && provenance != NULL && hf_json_add_text(provenance, "creator", "hf") &&
           hf_json_add_text(provenance, "version", hf_version()) &&
           hf_json_add_text(provenance, "routine", "hf_scf_run");
}

bool hf_json_add_error(cJSON *root, const char *error_type, const char *message)
{
    const bool ok = cJSON_AddFalseToObject(root, "success") != NULL;
    cJSON *error = cJSON_AddObjectToObject(root, "error");
    return ok && error != NULL && hf_json_add_text(error, "error_type", error_type) &&
           hf_json_add_text(error, "error_message", message);
}

/** Masses of all atoms, where one is another than that which readers would take. */
static bool add_masses(cJSON *object, const struct hf_molecule *molecule)
{
    int i = 0;
    while (i < molecule->n_atom && !hf_is_isotope(&molecule->atom[i])) i++;
    if (i == molecule->n_atom) return true;
    cJSON *masses = cJSON_AddArrayToObject(object, "masses");
    bool ok = masses != NULL;
    for (i = 0; ok && i < molecule->n_atom; i++) {
        struct hf_atom atom = molecule->atom[i];
        atom.ghost = false;
        ok = hf_json_append_double(masses, hf_atom_mass(&atom));
    }
    return ok;
}

bool hf_json_add_molecule(cJSON *root, const struct hf_molecule *molecule)
{
    cJSON *object = cJSON_AddObjectToObject(root, "molecule");
    bool ok = object != NULL && hf_json_add_text(object, "schema_name", "qcschema_molecule") &&
              hf_json_add_integer(object, "schema_version", 2);
    if (molecule->title != NULL) ok = ok && hf_json_add_text(object, "name", molecule->title);
    cJSON *symbols = cJSON_AddArrayToObject(object, "symbols");
    cJSON *geometry = cJSON_AddArrayToObject(object, "geometry");
    cJSON *real = cJSON_AddArrayToObject(object, "real");
    ok = ok && symbols != NULL && geometry != NULL && real != NULL;
    for (int i = 0; ok && i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const char *symbol = hf_element_symbol(atom->atomic_number);
        ok = hf_json_append_text(symbols, symbol) &&
             cJSON_AddItemToArray(real, cJSON_CreateBool(!atom->ghost));
        for (int k = 0; ok && k < 3; k++)
            ok = hf_json_append_double(geometry, atom->position_bohr[k]);
    }
    return ok && add_masses(object, molecule) &&
           hf_json_add_double(object, "molecular_charge", molecule->charge) &&
           hf_json_add_integer(object, "molecular_multiplicity", molecule->multiplicity) &&
           cJSON_AddTrueToObject(object, "fix_com") != NULL &&
           cJSON_AddTrueToObject(object, "fix_orientation") != NULL;
}
