/* The elements: symbols, sizes, masses. */
#include "elements.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { MOST_ISOTOPES = 46 };

static const struct element {
    const char *symbol;
    short radius_pm; /**< covalent */
    short commonest; /**< mass numbers: see hf_element_mass, hf_weight_number */
    short nearest_weight;
    /** smallest mass number, and length of the series of mass numbers from there */
    short first, n;
    double excess[MOST_ISOTOPES]; /**< [n] mass minus mass number, 1e-9 mass units */
} elements[HF_N_ELEMENT] = {
#include "elements.inc"
};

/** An element, or NULL outside 1..118. */
static const struct element *find(int atomic_number)
{
    return atomic_number >= 1 && atomic_number <= HF_N_ELEMENT ? &elements[atomic_number - 1]
                                                               : NULL;
}

const char *hf_element_symbol(int atomic_number)
{
    const struct element *element = find(atomic_number);
    return element != NULL ? element->symbol : NULL;
}

int hf_element_number(const char *symbol)
{
    for (int i = 0; i < HF_N_ELEMENT; i++)
        if (strcasecmp(symbol, elements[i].symbol) == 0) return i + 1;
    return hf_symbol_isotope(symbol) != 0 ? 1 : 0;
}

int hf_symbol_isotope(const char *symbol)
{
    return strcasecmp(symbol, "D") == 0 ? 2 : strcasecmp(symbol, "T") == 0 ? 3 : 0;
}

double hf_covalent_radius_angstrom(int atomic_number)
{
    return elements[atomic_number - 1].radius_pm / 100.0;
}

bool hf_is_metal(int atomic_number)
{
    static const unsigned char others[] = {1,  2,  5,  6,  7,  8,  9,  10, 14, 15, 16, 17,
                                           18, 32, 33, 34, 35, 36, 51, 52, 53, 54, 85, 86};
    return memchr(others, atomic_number, sizeof others) == NULL;
}

double hf_isotope_mass(int atomic_number, int mass_number)
{
    const struct element *element = find(atomic_number);
    const int at = element != NULL ? mass_number - element->first : -1;
    return at >= 0 && at < element->n ? mass_number + 1e-9 * element->excess[at] : 0.0;
}

double hf_element_mass(int atomic_number)
{
    const struct element *element = find(atomic_number);
    return element != NULL ? hf_isotope_mass(atomic_number, element->commonest) : 0.0;
}

int hf_weight_number(int atomic_number)
{
    const struct element *element = find(atomic_number);
    return element != NULL ? element->nearest_weight : 0;
}

double hf_atom_mass(const struct hf_atom *atom)
{
    if (atom->ghost) return 0.0;
    return atom->mass > 0.0 ? atom->mass : hf_element_mass(atom->atomic_number);
}

bool hf_is_isotope(const struct hf_atom *atom)
{
    return !atom->ghost && hf_atom_mass(atom) != hf_element_mass(atom->atomic_number);
}
