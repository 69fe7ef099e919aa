/* Properties in the JSON file. */
#include "properties/of_density.h"
#include "properties_private.h"

/** The schema's "scf_quadrupole_moment" [3][3], the second moments of the charges. */
static void put_second_moments(struct hf_json to, const struct hf_properties *properties)
{
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double full[9];
    for (int i = 0; i < 9; i++) full[i] = properties->second_moment[place[i]];
    if (HF_ANY(to, properties->complete))
        HF_PUT_ALL(to, "scf_quadrupole_moment", 9, full, "e bohr^2", "second moments, [3][3]");
}

static void put_moments(struct hf_json to, const struct hf_properties *properties)
{
    HF_PUT_ALL(to, "origin", 3, properties->origin, "bohr", "origin of the moments");
    HF_PUT_ALL(to, "dipole", 3, properties->dipole, "e bohr", "x, y, z");
    HF_PUT(to, "order_of_moments", "xx xy xz yy yz zz", NULL,
           "order of the components of the next two");
    HF_PUT_ALL(to, "second_moments", 6, properties->second_moment, "e bohr^2",
               "second moments of all charges");
    HF_PUT_ALL(to, "quadrupole_traceless", 6, properties->quadrupole, "e bohr^2",
               "traceless quadrupole moment (Buckingham)");
}

static void put_atoms(struct hf_json to, const struct hf_properties *of)
{
    const int n = of->n_atom;
    HF_PUT_ALL(to, "mulliken_charges", n, of->mulliken_charge, "e", "of each atom");
    HF_PUT_ALL(to, "loewdin_charges", n, of->loewdin_charge, "e", "of each atom");
    if (HF_ANY(to, of->mulliken_spin != NULL)) {
        HF_PUT_ALL(to, "mulliken_spin_populations", n, of->mulliken_spin, NULL,
                   "unpaired electrons");
        HF_PUT_ALL(to, "loewdin_spin_populations", n, of->loewdin_spin, NULL, "unpaired electrons");
    }
    HF_PUT_ALL(to, "electrostatic_potential_at_nuclei", n, of->potential, "hartree/e",
               "potential of all other charges at each nucleus");
}

/** Atoms counted from 0, as the schema counts them. */
static void put_bonds(struct hf_json in, const struct hf_properties *properties)
{
    const struct hf_json list =
        hf_json_array(in, "bond_orders", NULL, "bond orders of pairs of atoms");
    for (int i = 0; i < HF_COUNT(list, properties->n_bond); i++) {
        const struct hf_bond *bond = &properties->bond[i];
        const struct hf_json to = hf_json_row(list);
        const struct hf_json atoms = hf_json_array(to, "atoms", NULL, "counted from 0");
        if (atoms.at != NULL) {
            HF_APPEND(atoms, bond->other);
            HF_APPEND(atoms, bond->atom);
        }
        HF_PUT(to, "mayer", bond->mayer, NULL, "bond order of Mayer");
        HF_PUT(to, "wiberg_loewdin", bond->wiberg, NULL,
               "bond order of Wiberg in Loewdin's functions");
    }
}

/** Constants of a rotation that there is not are null. */
static void put_rotation(struct hf_json to, const struct hf_molecule *molecule,
                         const struct hf_properties *properties)
{
    const struct hf_json masses = hf_json_array(to, "masses", "u", "of each atom");
    for (int i = 0; i < molecule->n_atom; i++) HF_APPEND(masses, hf_atom_mass(&molecule->atom[i]));
    HF_PUT(to, "mass", properties->mass, "u", "of the molecule");
    HF_PUT_ALL(to, "centre_of_mass", 3, properties->centre_of_mass, "bohr", "x, y, z");
    HF_PUT_ALL(to, "moments_of_inertia", 3, properties->inertia, "u bohr^2", "ascending");
    HF_PUT_ALL(to, "rotational_constants_ghz", 3, properties->rotational_ghz, "GHz",
               "rotational constants; null: infinite");
}

void hf_put_properties(struct hf_json to, const struct hf_molecule *molecule,
                       const struct hf_properties *of)
{
    HF_PUT(to, "electrons", of->n_electron, NULL, "electrons in the density");
    HF_PUT(to, "electrons_expected", of->n_electron_expected, NULL, "electrons of the molecule");
    if (HF_ANY(to, of->complete)) {
        put_moments(to, of);
        put_atoms(to, of);
        put_bonds(to, of);
        put_rotation(to, molecule, of);
    }
}

static void put_all(struct hf_json in, const char *name, const struct hf_quantity *quantity)
{
    const struct hf_json to = hf_json_object(in, name, "`--properties`; task properties");
    const struct hf_properties *properties = quantity->self;
    if (HF_ANY(to, properties->complete))
        HF_PUT(to, "density", "SCF", NULL, "density of these numbers");
    hf_put_properties(to, quantity->of->molecule, properties);
}

void hf_json_put_properties(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    put_second_moments(to->properties, quantity->self);
    put_all(to->extras, "properties", quantity);
    if (to->returned) put_all(to->result, "return_result", quantity);
}
