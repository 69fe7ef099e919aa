/* Properties in the JSON file. */
#include "properties_private.h"

/** The schema's "scf_quadrupole_moment" [3][3], the second moments of the charges. */
static bool add_second_moments(cJSON *object, const struct hf_properties *properties)
{
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double full[9];
    if (!properties->complete) return true;
    for (int i = 0; i < 9; i++) full[i] = properties->second_moment[place[i]];
    return hf_json_add_doubles(object, "scf_quadrupole_moment", 9, full);
}

static bool add_moments(cJSON *object, const struct hf_properties *properties)
{
    return hf_json_add_doubles(object, "origin", 3, properties->origin) &&
           hf_json_add_doubles(object, "dipole", 3, properties->dipole) &&
           hf_json_add_text(object, "order_of_moments", "xx xy xz yy yz zz") &&
           hf_json_add_doubles(object, "second_moments", 6, properties->second_moment) &&
           hf_json_add_doubles(object, "quadrupole_traceless", 6, properties->quadrupole);
}

static bool add_atoms(cJSON *object, const struct hf_properties *properties)
{
    const int n = properties->n_atom;
    return hf_json_add_doubles(object, "mulliken_charges", n, properties->mulliken_charge) &&
           hf_json_add_doubles(object, "loewdin_charges", n, properties->loewdin_charge) &&
           (properties->mulliken_spin == NULL ||
            (hf_json_add_doubles(object, "mulliken_spin_populations", n,
                                 properties->mulliken_spin) &&
             hf_json_add_doubles(object, "loewdin_spin_populations", n,
                                 properties->loewdin_spin))) &&
           hf_json_add_doubles(object, "electrostatic_potential_at_nuclei", n,
                               properties->potential);
}

/** Atoms counted from 0, as the schema counts them. */
static bool add_bonds(cJSON *object, const struct hf_properties *properties)
{
    cJSON *list = cJSON_AddArrayToObject(object, "bond_orders");
    bool ok = list != NULL;
    for (int i = 0; ok && i < properties->n_bond; i++) {
        const struct hf_bond *bond = &properties->bond[i];
        const int atoms[2] = {bond->other, bond->atom};
        cJSON *entry = hf_json_append_object(list);
        ok = entry != NULL &&
             cJSON_AddItemToObject(entry, "atoms", cJSON_CreateIntArray(atoms, 2)) &&
             hf_json_add_double(entry, "mayer", bond->mayer) &&
             hf_json_add_double(entry, "wiberg_loewdin", bond->wiberg);
    }
    return ok;
}

/** Constants of a rotation that there is not are null. */
static bool add_rotation(cJSON *object, const struct hf_molecule *molecule,
                         const struct hf_properties *properties)
{
    cJSON *masses = cJSON_AddArrayToObject(object, "masses");
    bool ok = masses != NULL;
    for (int i = 0; ok && i < molecule->n_atom; i++)
        ok = hf_json_append_double(masses, hf_atom_mass(&molecule->atom[i]));
    return ok && hf_json_add_double(object, "mass", properties->mass) &&
           hf_json_add_doubles(object, "centre_of_mass", 3, properties->centre_of_mass) &&
           hf_json_add_doubles(object, "moments_of_inertia", 3, properties->inertia) &&
           hf_json_add_doubles(object, "rotational_constants_ghz", 3, properties->rotational_ghz);
}

static bool add_all(cJSON *parent, const char *name, const struct hf_quantity *quantity)
{
    const struct hf_properties *properties = quantity->self;
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    return object != NULL && hf_json_add_double(object, "electrons", properties->n_electron) &&
           hf_json_add_double(object, "electrons_expected", properties->n_electron_expected) &&
           (!properties->complete ||
            (add_moments(object, properties) && add_atoms(object, properties) &&
             add_bonds(object, properties) &&
             add_rotation(object, quantity->of->molecule, properties)));
}

bool hf_json_add_properties(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    return add_second_moments(to->properties, quantity->self) &&
           add_all(to->extras, "properties", quantity) &&
           (!to->returned || add_all(to->result, "return_result", quantity));
}
