/* The report of what was computed from the wave function. */
#include "properties/of_density.h"
#include "properties_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/** Smaller bond orders are not printed. */
static const double LEAST_PRINTED = 0.05;

/** Atoms that the short report has. */
enum { MOST_ATOMS = 200 };

/** For six decimals. */
static double without_noise(double value)
{
    return hf_without_noise(value, 5e-7);
}

static void print_electrons(FILE *out, const struct hf_properties *properties)
{
    if (hf_properties_electrons_agree(properties)) return;
    fprintf(out,
            "\nWARNING: the density has %.8f electrons (the trace of density times overlap), the "
            "molecule %.0f:\nthe results are not those of this molecule.\n",
            properties->n_electron, properties->n_electron_expected);
}

static void print_atom(FILE *out, const struct hf_molecule *molecule,
                       const struct hf_properties *properties, bool all, int i)
{
    const struct hf_atom *atom = &molecule->atom[i];
    fprintf(out, "  %5d  %c%-2s %12.6f %12.6f", i + 1, atom->ghost ? '@' : ' ',
            hf_element_symbol(atom->atomic_number), without_noise(properties->mulliken_charge[i]),
            without_noise(properties->loewdin_charge[i]));
    if (properties->mulliken_spin != NULL)
        fprintf(out, " %12.6f %12.6f", without_noise(properties->mulliken_spin[i]),
                without_noise(properties->loewdin_spin[i]));
    if (all) fprintf(out, " %16.6f", properties->potential[i]);
    fprintf(out, "\n");
}

static void print_atoms(FILE *out, const struct hf_molecule *molecule,
                        const struct hf_properties *properties, bool all)
{
    const bool open = properties->mulliken_spin != NULL;
    const int n = properties->n_atom;
    fprintf(out, "\nCharges%s of atoms%s\n", open ? " and unpaired electrons" : "",
            all ? ", potential at the nuclei (hartree/e)" : "");
    if (n > MOST_ATOMS && !all) {
        fprintf(out, "  of %d atoms: in the JSON file, or here with --properties all\n", n);
        return;
    }
    fprintf(out, "  %5s %4s %12s %12s", "Atom", "", "Mulliken", "Loewdin");
    if (open) fprintf(out, " %12s %12s", "Mulliken", "Loewdin");
    if (all) fprintf(out, " %16s", "potential");
    fprintf(out, "\n");
    for (int i = 0; i < n; i++) print_atom(out, molecule, properties, all, i);
}

static void print_bonds(FILE *out, const struct hf_molecule *molecule,
                        const struct hf_properties *properties)
{
    fprintf(out, "\nBond orders of at least %.2f\n", LEAST_PRINTED);
    fprintf(out, "  %5s %4s %5s %4s %12s %12s\n", "Atom", "", "Atom", "", "Mayer", "Wiberg");
    for (int i = 0; i < properties->n_bond; i++) {
        const struct hf_bond *bond = &properties->bond[i];
        if (fabs(bond->mayer) < LEAST_PRINTED && fabs(bond->wiberg) < LEAST_PRINTED) continue;
        fprintf(out, "  %5d  %-3s %5d  %-3s %12.6f %12.6f\n", bond->other + 1,
                hf_element_symbol(molecule->atom[bond->other].atomic_number), bond->atom + 1,
                hf_element_symbol(molecule->atom[bond->atom].atomic_number), bond->mayer,
                bond->wiberg);
    }
}

static void print_six(FILE *out, const char *name, const double value[6])
{
    fprintf(out, "  %-15s", name);
    for (int i = 0; i < 6; i++) fprintf(out, " %12.6f", without_noise(value[i]));
    fprintf(out, "\n");
}

static void print_moments(FILE *out, const struct hf_properties *properties)
{
    static const char *const axes[6] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    fprintf(out, "\nQuadrupole moment about the origin of the coordinates, e bohr^2\n  %-15s", "");
    for (int i = 0; i < 6; i++) fprintf(out, " %12s", axes[i]);
    fprintf(out, "\n");
    print_six(out, "Second moments", properties->second_moment);
    print_six(out, "Traceless", properties->quadrupole);
}

static bool has_isotopes(const struct hf_molecule *molecule)
{
    int i = 0;
    while (i < molecule->n_atom && !hf_is_isotope(&molecule->atom[i])) i++;
    return i < molecule->n_atom;
}

/** Atoms whose mass is not that of the commonest isotope. */
static void print_isotopes(FILE *out, const struct hf_molecule *molecule)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        if (!hf_is_isotope(atom)) continue;
        fprintf(out, "  %5d  %-2s              %20.6f u\n", i + 1,
                hf_element_symbol(atom->atomic_number), hf_atom_mass(atom));
    }
}

/** Constants of the rotations that there are. */
static void print_rotation(FILE *out, const struct hf_molecule *molecule,
                           const struct hf_properties *properties)
{
    const double *constant = properties->rotational_ghz;
    int n = 0;
    fprintf(out, "\nMasses of the commonest isotopes%s\n",
            has_isotopes(molecule) ? ", and of these atoms" : "");
    print_isotopes(out, molecule);
    fprintf(out, "  %-23s%20.6f u\n", "Mass", properties->mass);
    fprintf(out, "  %-23s%20.6f %14.6f %14.6f bohr\n", "Centre of mass",
            without_noise(properties->centre_of_mass[0]),
            without_noise(properties->centre_of_mass[1]),
            without_noise(properties->centre_of_mass[2]));
    for (int i = 0; i < 3; i++) {
        if (!isfinite(constant[i])) continue;
        if (n++ == 0)
            fprintf(out, "  %-23s%20.6f", "Rotational constants", constant[i]);
        else
            fprintf(out, " %14.6f", constant[i]);
    }
    if (n > 0) fprintf(out, " GHz\n");
}

void hf_print_properties(FILE *out, const struct hf_molecule *molecule,
                         const struct hf_properties *properties, bool all)
{
    print_electrons(out, properties);
    if (!properties->complete) return;
    if (all) print_moments(out, properties);
    print_atoms(out, molecule, properties, all);
    if (all) print_bonds(out, molecule, properties);
}

void hf_report_properties(const struct hf_quantity *quantity, FILE *out)
{
    const struct hf_properties *properties = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    const bool all = hf_options_value(quantity->of->options, "properties") == HF_PROPERTIES_ALL;
    const char *method = hf_options_choice(quantity->of->options, "method"),
               *of = quantity->of->settings->method;
    if (properties->complete && strcmp(method, "hf") != 0 && strcmp(method, of) != 0)
        fprintf(out, "\nFrom the density of the SCF (%s)\n", of);
    hf_print_properties(out, molecule, properties, all);
    if (all && properties->complete) print_rotation(out, molecule, properties);
}
