/* Numbers that writers derive from a run. */
#include "output_private.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void hf_print_electrons(FILE *stream, const struct hf_molecule *molecule)
{
    const int n = hf_molecule_n_electron(molecule), unpaired = molecule->multiplicity - 1;
    if (unpaired > 0)
        fprintf(stream, " (%d alpha, %d beta)", (n + unpaired) / 2, (n - unpaired) / 2);
}

void hf_print_environment(FILE *stream, const char *indent, int width,
                          const struct hf_molecule *molecule)
{
    for (int i = 0; hf_term_list[i] != NULL; i++) {
        const struct hf_term_ops *term = hf_term_list[i];
        char text[120], name[40];
        if (term->describe == NULL || !term->present(molecule)) continue;
        term->describe(molecule, sizeof text, text);
        snprintf(name, sizeof name, "%s", term->name);
        name[0] = (char)toupper((unsigned char)name[0]);
        fprintf(stream, "%s%-*s %s\n", indent, width, name, text);
    }
}

void hf_print_molecule(FILE *stream, const struct hf_molecule *molecule)
{
    fprintf(stream, "Molecule      %d atoms, charge %+d, multiplicity %d, %d electrons",
            molecule->n_atom, molecule->charge, molecule->multiplicity,
            hf_molecule_n_electron(molecule));
    hf_print_electrons(stream, molecule);
    fprintf(stream, "\n");
    if (hf_molecule_n_core(molecule) > 0)
        fprintf(stream, "Cores         %d electrons more in effective core potentials\n",
                hf_molecule_n_core(molecule));
    hf_print_environment(stream, "", 13, molecule);
}

void hf_count_shells(const struct hf_basis *basis, double n_shell_of_l[HF_MAX_L + 1])
{
    for (int l = 0; l <= HF_MAX_L; l++) n_shell_of_l[l] = 0.0;
    for (int i = 0; i < basis->n_shell; i++) n_shell_of_l[basis->shell[i].l]++;
}

double hf_output_energy(const struct hf_run_description *run, const struct hf_scf_result *result)
{
    for (int i = 0; i < run->n_quantity; i++)
        if (run->quantity[i].made && run->quantity[i].ops->energy != NULL)
            return run->quantity[i].ops->energy(&run->quantity[i]);
    return result->energy;
}

double hf_output_virial_ratio(const struct hf_scf_result *result)
{
    const double kinetic = hf_electrons_of_term(result->n_term, result->term, &hf_term_kinetic);
    for (int i = 0; i < result->n_term; i++)
        if (strcmp(result->term[i].name, hf_term_kinetic.name) != 0 &&
            strcmp(result->term[i].name, hf_term_nuclei.name) != 0)
            return NAN;
    return kinetic > 0.0 ? (kinetic - result->energy) / kinetic : NAN;
}
