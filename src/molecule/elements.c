/* The elements: symbols and sizes. */
#include "elements.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const symbols[] = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",
    "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn",
    "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh",
    "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd",
    "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re",
    "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th",
    "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf", "Db",
    "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

enum { N_ELEMENT = sizeof symbols / sizeof *symbols };

/** Covalent radii in picometres; Cordero et al., Dalton Trans. 2008, 2832 (low spin where it
 *  matters). */
static const short radius_pm[] = {
    31,  28,  128, 96,  84,  76,  71,  66,  57,  58,  166, 141, 121, 111, 107, 105,
    102, 106, 203, 176, 170, 160, 153, 139, 139, 132, 126, 124, 132, 122, 122, 120,
    119, 120, 120, 116, 220, 195, 190, 175, 164, 154, 147, 146, 142, 139, 145, 144,
    142, 139, 139, 138, 139, 140, 244, 215, 207, 204, 203, 201, 199, 198, 198, 196,
    194, 192, 192, 189, 190, 187, 187, 175, 170, 162, 151, 144, 141, 136, 136, 132,
    145, 146, 148, 140, 150, 150, 260, 221, 215, 206, 200, 196, 190, 187, 180, 169};

const char *hf_element_symbol(int atomic_number)
{
    return atomic_number >= 1 && atomic_number <= N_ELEMENT ? symbols[atomic_number - 1] : NULL;
}

int hf_element_number(const char *symbol)
{
    for (int i = 0; i < N_ELEMENT; i++)
        if (strcasecmp(symbol, symbols[i]) == 0) return i + 1;
    return hf_symbol_isotope(symbol) != 0 ? 1 : 0;
}

int hf_symbol_isotope(const char *symbol)
{
    return strcasecmp(symbol, "D") == 0 ? 2 : strcasecmp(symbol, "T") == 0 ? 3 : 0;
}

const char *const *hf_element_symbols(int *n)
{
    *n = N_ELEMENT;
    return symbols;
}

double hf_covalent_radius_angstrom(int atomic_number)
{
    enum { N_RADIUS = sizeof radius_pm / sizeof *radius_pm };
    const int known = atomic_number <= N_RADIUS ? atomic_number : N_RADIUS;
    return radius_pm[known - 1] / 100.0;
}

bool hf_is_metal(int atomic_number)
{
    static const unsigned char others[] = {1,  2,  5,  6,  7,  8,  9,  10, 14, 15, 16, 17,
                                           18, 32, 33, 34, 35, 36, 51, 52, 53, 54, 85, 86};
    return memchr(others, atomic_number, sizeof others) == NULL;
}
