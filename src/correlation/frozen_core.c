/* Which orbitals are core, by atom. */
#include "hf/mp2.h"

/** Orbitals of the noble gases, and those below the outer core of alkali and earth alkali metals. */
static const struct {
    int atomic_number; /**< from here on */
    int n_core;        /**< orbitals */
} cores[] = {{1, 0},   {3, 1},   {11, 1},  {13, 5},  {19, 5},  {21, 9},
             {37, 14}, {39, 18}, {55, 23}, {57, 27}, {87, 39}, {89, 43}};

static int core_of(int atomic_number)
{
    int n = 0;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (atomic_number >= cores[i].atomic_number) n = cores[i].n_core;
    return n;
}

int hf_mp2_default_core(const struct hf_molecule *molecule)
{
    int sum = 0;
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const int n = core_of(atom->atomic_number) - atom->n_core / 2;
        if (!atom->ghost && n > 0) sum += n;
    }
    return sum;
}
