/* Whether a separate pass for J is worthwhile; see coulomb_choice.h. */
#include "hf/coulomb_choice.h"

#include "hf/arithmetic.h"

#include <math.h>
#include <stdlib.h>

/** Decay of density elements with the distance of their atoms, 1/bohr: about that of saturated
 *  molecules. */
static const double DECAY = 0.8;

/** Pairs of atoms that are looked at as bras. */
enum { N_SAMPLE = 64 };

static inline double distance_squared(const struct hf_basis *basis, int i, int j)
{
    const double *a = basis->shell[basis->first_shell_of_atom[i]].centre_bohr;
    const double *b = basis->shell[basis->first_shell_of_atom[j]].centre_bohr;
    return hf_distance_squared(a, b);
}

/** Of two numbers; an instruction, which fmin is not. */
static inline double smaller(double x, double y)
{
    return y < x ? y : x;
}

/** The least distance of an atom of one pair from an atom of the other. */
static double least_distance(const struct hf_basis *basis, const struct hf_atom_pair *bra,
                             const struct hf_atom_pair *ket)
{
    return sqrt(smaller(smaller(distance_squared(basis, bra->atom_a, ket->atom_a),
                                distance_squared(basis, bra->atom_a, ket->atom_b)),
                        smaller(distance_squared(basis, bra->atom_b, ket->atom_a),
                                distance_squared(basis, bra->atom_b, ket->atom_b))));
}

double hf_exchange_share(const struct hf_shell_pairs *pairs, double threshold)
{
    const int stride = pairs->n_atom_pair / N_SAMPLE + 1;
    double all = 0.0, wanted = 0.0;
    for (int i = stride / 2; i < pairs->n_atom_pair; i += stride) {
        const struct hf_atom_pair *bra = &pairs->atom_pair[i];
        for (int j = 0; j < pairs->n_atom_pair; j++) {
            const struct hf_atom_pair *ket = &pairs->atom_pair[j];
            const double bound = bra->bound * ket->bound;
            if (bound < threshold) continue;
            all += bra->cost * ket->cost;
            if (bound * exp(-DECAY * least_distance(pairs->basis, bra, ket)) >= threshold)
                wanted += bra->cost * ket->cost;
        }
    }
    return all > 0.0 ? wanted / all : 1.0;
}

/** Smallest exponent of an atom; 0: it has no functions. */
static double most_diffuse(const struct hf_basis *basis, int atom)
{
    double least = 0.0;
    for (int i = basis->first_shell_of_atom[atom]; i < basis->first_shell_of_atom[atom + 1]; i++)
        for (int k = 0; k < basis->shell[i].n_primitive; k++)
            if (least == 0.0 || basis->shell[i].exponent[k] < least)
                least = basis->shell[i].exponent[k];
    return least;
}

/** Appends a pair of atoms with a guessed bound and, as its cost, its pairs of shells. */
static void add_pair(const struct hf_basis *basis, int a, int b, struct hf_shell_pairs *list)
{
    const int *first = basis->first_shell_of_atom;
    const double p = most_diffuse(basis, a), q = most_diffuse(basis, b);
    if (p == 0.0 || q == 0.0) return;
    const double square = distance_squared(basis, a, b);
    list->atom_pair[list->n_atom_pair++] = (struct hf_atom_pair){
        .atom_a = a,
        .atom_b = b,
        .bound = exp(-p * q / (p + q) * square),
        .cost = (double)(first[a + 1] - first[a]) * (first[b + 1] - first[b])};
}

double hf_guess_exchange_share(const struct hf_basis *basis, double threshold)
{
    enum { MOST_ATOMS = 200 };
    const size_t n = (size_t)basis->n_atom;
    struct hf_shell_pairs list = {.basis = basis};
    if (n > MOST_ATOMS) return 0.0;
    list.atom_pair = calloc(n * (n + 1) / 2 + 1, sizeof *list.atom_pair);
    if (list.atom_pair == NULL) return 0.0;
    for (int a = 0; a < basis->n_atom; a++)
        for (int b = 0; b <= a; b++) add_pair(basis, a, b, &list);
    const double share = hf_exchange_share(&list, threshold);
    free(list.atom_pair);
    return share;
}
