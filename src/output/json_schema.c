/* Objects of QCSchema: what a document begins with, the input with its molecule, the error of a failure. */
#include "output_private.h"

#include "hf/version.h"

#include <string.h>

void hf_json_put_identity(struct hf_json to, const char *schema_name)
{
    HF_PUT(to, "schema_name", schema_name, NULL, "name of the schema of QCSchema");
    HF_PUT(to, "schema_version", 1, NULL, "version of the schema");
    const struct hf_json provenance = hf_json_object(to, "provenance", "what wrote the file");
    HF_PUT(provenance, "creator", "hf", NULL, "program");
    HF_PUT(provenance, "version", hf_version(), NULL, "version of the program");
    HF_PUT(provenance, "routine", "hf_scf_run", NULL, "function of the program");
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
        const struct hf_json masses =
            hf_json_array(to, "masses", "u", "mass of each atom, if isotopes are given");
        for (i = 0; i < molecule->n_atom; i++) {
            struct hf_atom atom = molecule->atom[i];
            atom.ghost = false;
            HF_APPEND(masses, hf_atom_mass(&atom));
        }
    }
}

static void put_molecule(struct hf_json root, const struct hf_molecule *molecule)
{
    const struct hf_json to = hf_json_object(root, "molecule", "as the schema says");
    HF_PUT(to, "schema_name", "qcschema_molecule", NULL, "name of the schema of QCSchema");
    HF_PUT(to, "schema_version", 2, NULL, "version of the schema");
    if (HF_ANY(to, molecule->title != NULL)) HF_PUT(to, "name", molecule->title, NULL, "title");
    const struct hf_json symbols =
        hf_json_array(to, "symbols", NULL, "symbol of each atom's element");
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

/** What counts of an option, the default included; nothing of one that has neither. */
static void put_value(struct hf_json to, const struct hf_options *options,
                      const struct hf_option *option)
{
    const char *key = option->key;
    if (option->type == HF_OPTION_FLAG)
        HF_ADD(to, key, hf_options_flag(options, key));
    else if (option->type == HF_OPTION_CHOICE && hf_options_text(options, key) != NULL)
        HF_ADD(to, key, hf_options_choice(options, key));
    else if (hf_options_text(options, key) == NULL)
        return;
    else if (option->type == HF_OPTION_INTEGER || option->type == HF_OPTION_REAL)
        HF_PUT(to, key, hf_options_real(options, key), option->unit, "");
    else
        HF_ADD(to, key, hf_options_text(options, key));
}

/** How it was computed, under the keys that the native input and the command line have. The method is in
 *  the model, the last task in the driver; the default of the commutator tolerance depends on it. */
struct hf_json hf_json_put_settings(struct hf_json in, const char *name,
                                    const struct hf_run_description *run)
{
    const struct hf_json to = hf_json_object(in, name, "[options](options.md), defaults included");
    const struct hf_options *options = run->options;
    const struct hf_option *option;
    for (int i = 0; options != NULL && (option = hf_option_row(options->table, i)) != NULL; i++) {
        const bool guess = strcmp(option->key, "guess") == 0; /* which checkpoints do not keep */
        const bool below = strcmp(option->key, "method") == 0 ||
                           strcmp(option->key, "commutator_tolerance") == 0 ||
                           strcmp(option->key, "units") == 0 || /* of the input; here are bohr */
                           (strcmp(option->key, "task") == 0 && strcmp(name, "keywords") == 0);
        const bool shown = !run->of_many || hf_options_given(options, option->key) != NULL;
        if (shown && (guess || (hf_option_is_kept(option) && !below)))
            put_value(to, options, option);
    }
    HF_PUT(to, "commutator_tolerance", run->settings->commutator_tolerance, NULL,
           "limit of the SCF's commutator");
    HF_PUT(to, "memory_bytes", run->settings->fock.memory_bytes, "bytes",
           "room for stored integrals");
    return to;
}

void hf_json_put_input(struct hf_json root, const struct hf_run_description *run)
{
    const struct hf_environment *environment = &run->molecule->environment;
    const struct hf_json model = hf_json_object(root, "model", "method and basis set");
    put_molecule(root, run->molecule);
    HF_PUT(root, "driver", run->task->driver, NULL, "what the last task returns");
    HF_PUT(model, "method", run->method, NULL, "method");
    HF_PUT(model, "basis", run->basis->name, NULL, "basis set");
    const struct hf_json keywords = hf_json_put_settings(root, "keywords", run);
    HF_PUT_ALL(keywords, "field", 3, environment->field, "hartree/(e bohr)", "electric field");
    HF_PUT(keywords, "point_charges", environment->n_charge, NULL, "number of point charges");
    /* readers of the schema drop a wave function that the protocol does not ask for */
    const struct hf_json protocols = hf_json_object(root, "protocols", "of the schema");
    if (HF_ANY(protocols, run->json_orbitals))
        HF_PUT(protocols, "wavefunction", "all", NULL, "\"all\" with `--json-orbitals`");
}
