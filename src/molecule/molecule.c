/* Functions of nuclei, charge and multiplicity only. */
#include "hf/molecule.h"

#include <math.h>
#include <stdlib.h>

void hf_molecule_done(struct hf_molecule *molecule)
{
    if (molecule == NULL) return;
    free(molecule->atom);
    free(molecule->title);
    free(molecule->environment.charge);
    *molecule = (struct hf_molecule){0};
}

double hf_molecule_nuclear_charge(const struct hf_molecule *molecule, int i)
{
    const struct hf_atom *atom = &molecule->atom[i];
    return atom->ghost ? 0.0 : (double)(atom->atomic_number - atom->n_core);
}

int hf_molecule_n_core(const struct hf_molecule *molecule)
{
    int n_core = 0;
    for (int i = 0; i < molecule->n_atom; i++)
        if (!molecule->atom[i].ghost) n_core += molecule->atom[i].n_core;
    return n_core;
}

int hf_molecule_n_electron(const struct hf_molecule *molecule)
{
    int n_electron = -molecule->charge - hf_molecule_n_core(molecule);
    for (int i = 0; i < molecule->n_atom; i++)
        if (!molecule->atom[i].ghost) n_electron += molecule->atom[i].atomic_number;
    return n_electron;
}

double hf_molecule_potential_of_nuclei(const struct hf_molecule *molecule, int end, int i)
{
    const double *a = molecule->atom[i].position_bohr;
    double sum = 0.0;
    for (int j = 0; j < end; j++) {
        const double charge = hf_molecule_nuclear_charge(molecule, j);
        if (j == i || charge == 0.0) continue; /* ghosts may sit anywhere */
        const double *b = molecule->atom[j].position_bohr;
        const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        sum += charge / sqrt(x * x + y * y + z * z);
    }
    return sum;
}

double hf_molecule_repulsion_of_nucleus(const struct hf_molecule *molecule, int i)
{
    const double charge = hf_molecule_nuclear_charge(molecule, i);
    return charge == 0.0 ? 0.0 : charge * hf_molecule_potential_of_nuclei(molecule, i, i);
}

double hf_molecule_nuclear_repulsion(const struct hf_molecule *molecule)
{
    double sum = 0.0;
    for (int i = 0; i < molecule->n_atom; i++) sum += hf_molecule_repulsion_of_nucleus(molecule, i);
    return sum;
}
