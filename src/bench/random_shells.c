/* Shells as no molecule has them. */
#include "random_shells.h"

#include "hf/molecule.h"

#include <math.h>

const struct hf_shell_situation hf_shell_situations[] = {
    {.name = "single primitives",
     .about = "one primitive, exponents of valence shells",
     .smallest = 0.05,
     .largest = 50.0,
     .most_primitives = 1,
     .reach = 6.0},
    {.name = "contracted",
     .about = "up to six primitives, coefficients of both signs",
     .smallest = 0.5,
     .largest = 5e3,
     .most_primitives = 6,
     .reach = 6.0},
    {.name = "general contraction",
     .about = "two contractions of the same primitives, computed together",
     .smallest = 0.5,
     .largest = 5e3,
     .most_primitives = 6,
     .alike = true,
     .reach = 6.0},
    {.name = "tight",
     .about = "cores of heavy atoms beside valence shells",
     .smallest = 0.1,
     .largest = 1e8,
     .most_primitives = 3,
     .reach = 6.0},
    {.name = "diffuse",
     .about = "exponents down to 0.005 beside valence shells",
     .smallest = 0.005,
     .largest = 5.0,
     .most_primitives = 2,
     .reach = 8.0},
    {.name = "far",
     .about = "centres up to 60 bohr apart",
     .smallest = 0.01,
     .largest = 1e3,
     .most_primitives = 2,
     .reach = 35.0},
    {.name = "near",
     .about = "centres 1e-5 to 0.1 bohr apart",
     .smallest = 0.05,
     .largest = 1e4,
     .most_primitives = 2,
     .reach = 6.0,
     .near = 0.1},
    {0},
};

enum { N_CENTRE = 4, MOST_L = 3, MOST_ALIKE = 2, MOST_PRIMITIVE = 6 };

/** The next of a sequence of numbers between 0 and 1. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/** Between two numbers, logarithms evenly spread. */
static double between(double low, double high, uint64_t *state)
{
    return low * pow(high / low, next_random(state));
}

/** Where the centres are. */
static void place(const struct hf_shell_situation *situation, uint64_t *state,
                  struct hf_atom atom[N_CENTRE])
{
    for (int i = 0; i < N_CENTRE; i++) {
        const bool beside = situation->near > 0.0 && i % 2 == 1;
        const double apart =
            beside ? between(1e-4 * situation->near, situation->near, state) : situation->reach;
        atom[i] = (struct hf_atom){.atomic_number = 1, .ghost = true};
        for (int d = 0; d < 3; d++) {
            const double step = apart * (next_random(state) - 0.5);
            atom[i].position_bohr[d] = step + (beside ? atom[i - 1].position_bohr[d] : 0.0);
        }
    }
}

/** Numbers of one shell. */
struct contraction_numbers {
    double exponent[MOST_PRIMITIVE], coefficient[MOST_PRIMITIVE];
};

/** Exponents that fall by 1.5 to 4 from one to the next. */
static int draw_exponents(const struct hf_shell_situation *situation, uint64_t *state,
                          double exponent[])
{
    const int n = 1 + (int)(next_random(state) * situation->most_primitives);
    double value = between(situation->smallest, situation->largest, state);
    for (int k = 0; k < n; k++, value /= 1.5 + 2.5 * next_random(state)) exponent[k] = value;
    return n;
}

/** Random coefficients of a normalised shell. */
static void draw_coefficients(int l, int n, uint64_t *state, struct contraction_numbers *to)
{
    double overlap = 0.0;
    for (int k = 0; k < n; k++)
        to->coefficient[k] = (next_random(state) - 0.3) * hf_primitive_norm(l, to->exponent[k]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            overlap += to->coefficient[i] * to->coefficient[k] /
                       pow(hf_primitive_norm(l, 0.5 * (to->exponent[i] + to->exponent[k])), 2.0);
    for (int k = 0; k < n; k++) to->coefficient[k] /= sqrt(overlap);
}

hf_status hf_random_shells(const struct hf_shell_situation *situation, int highest, uint64_t *state,
                           struct hf_basis **basis, struct hf_error *error)
{
    struct hf_atom atom[N_CENTRE];
    const struct hf_molecule molecule = {.n_atom = N_CENTRE, .atom = atom, .multiplicity = 1};
    struct hf_shell shell[N_CENTRE * (MOST_L + 1) * MOST_ALIKE];
    struct contraction_numbers numbers[N_CENTRE * (MOST_L + 1) * MOST_ALIKE];
    const int n_alike = situation->alike ? MOST_ALIKE : 1;
    int n_shell = 0, n = 1;
    place(situation, state, atom);
    for (int i = 0; i < N_CENTRE; i++) {
        const bool spherical = next_random(state) < 0.7;
        for (int l = 0; l <= highest; l++) {
            for (int k = 0; k < n_alike; k++, n_shell++) {
                struct contraction_numbers *own = &numbers[n_shell];
                if (k == 0)
                    n = draw_exponents(situation, state, own->exponent);
                else
                    *own = own[-1];
                draw_coefficients(l, n, state, own);
                shell[n_shell] = (struct hf_shell){.atom = i,
                                                   .l = l,
                                                   .spherical = spherical,
                                                   .n_primitive = n,
                                                   .exponent = own->exponent,
                                                   .coefficient = own->coefficient};
            }
        }
    }
    struct hf_basis *made = NULL;
    hf_status status =
        hf_basis_from_shells(&molecule, situation->name, NULL, n_shell, shell, &made, error);
    if (status != HF_OK) return status;
    if (!situation->alike) {
        *basis = made;
        return HF_OK;
    }
    status = hf_basis_merge(made, basis, error);
    hf_basis_destroy(&made);
    return status;
}
