/* Objects of QCSchema: what a document begins with, the molecule, the error of a failure. */
#include "output_private.h"

#include "hf/version.h"

void hf_json_put_identity(struct hf_json to, const char *schema_name)
{
    HF_PUT(to, "schema_name", schema_name, NULL, "of QCSchema");
    HF_PUT(to, "schema_version", 1, NULL, "of it");
    const struct hf_json provenance = hf_json_object(to, "provenance", "of the file");
    HF_PUT(provenance, "creator", "hf", NULL, "program");
    HF_PUT(provenance, "version", hf_version(), NULL, "its version");
    HF_PUT(provenance, "routine", "hf_scf_run", NULL, "its function");
}

void hf_json_put_error(struct hf_json root, const char *error_type, const char *message)
{
    HF_ADD(root, "success", (bool)false);
    const struct hf_json error = hf_json_object(root, "error", "");
    HF_ADD(error, "error_type", error_type);
    HF_ADD(error, "error_message", message);
}

/** Masses of all atoms, where one is another than that which readers would take. */
static void put_masses(struct hf_json to, const struct hf_molecule *molecule)
{
    int i = 0;
    while (i < molecule->n_atom && !hf_is_isotope(&molecule->atom[i])) i++;
    if (HF_ANY(to, i < molecule->n_atom)) {
        const struct hf_json masses = hf_json_array(to, "masses", "u", "where there are isotopes");
        for (i = 0; i < molecule->n_atom; i++) {
            struct hf_atom atom = molecule->atom[i];
            atom.ghost = false;
            HF_APPEND(masses, hf_atom_mass(&atom));
        }
    }
}

void hf_json_put_molecule(struct hf_json root, const struct hf_molecule *molecule)
{
    const struct hf_json to = hf_json_object(root, "molecule", "as the schema says");
    HF_PUT(to, "schema_name", "qcschema_molecule", NULL, "of QCSchema");
    HF_PUT(to, "schema_version", 2, NULL, "of it");
    if (HF_ANY(to, molecule->title != NULL)) HF_PUT(to, "name", molecule->title, NULL, "title");
    const struct hf_json symbols = hf_json_array(to, "symbols", NULL, "of the elements");
    const struct hf_json geometry = hf_json_array(to, "geometry", "bohr", "x, y, z of each atom");
    const struct hf_json real = hf_json_array(to, "real", NULL, "false: a ghost");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        HF_APPEND(symbols, hf_element_symbol(atom->atomic_number));
        HF_APPEND(real, (bool)!atom->ghost);
        for (int k = 0; k < 3; k++) HF_APPEND(geometry, atom->position_bohr[k]);
    }
    put_masses(to, molecule);
    HF_PUT(to, "molecular_charge", molecule->charge, "e", "total charge");
    HF_PUT(to, "molecular_multiplicity", molecule->multiplicity, NULL, "2S+1");
    HF_PUT(to, "fix_com", (bool)true, NULL, "true");
    HF_PUT(to, "fix_orientation", (bool)true, NULL, "true");
}
