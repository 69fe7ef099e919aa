/* Whether a separate pass for J is worthwhile; see coulomb_choice.h. */
#include "fock/coulomb_choice.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdlib.h>

/** Decay of density elements with the distance of their atoms, 1/bohr: about that of saturated
 *  molecules. */
static const double DECAY = 0.8;

/** Most pairs of atoms in the sample of bras. */
enum { N_SAMPLE = 64 };

static inline double distance_squared(const struct hf_basis *basis, int i, int j)
{
    const double *a = basis->shell[basis->first_shell_of_atom[i]].centre_bohr;
    const double *b = basis->shell[basis->first_shell_of_atom[j]].centre_bohr;
    return hf_distance_squared(a, b);
}

/** Squared distance of an atom from the nearer atom of a pair. */
static double to_pair(const struct hf_basis *basis, const struct hf_atom_pair *pair, int atom)
{
    return hf_smaller(distance_squared(basis, pair->atom_a, atom),
                      distance_squared(basis, pair->atom_b, atom));
}

/** Values that several kets or bras share. Without memory they are NULL and computed for each ket. */
struct ket_table {
    double *to_bra;    /**< [n_atom] to_pair of the bra */
    double *log_bound; /**< [n_atom_pair] */
};

/** Largest distance of two pairs that exchange needs, squared: bound exp(-DECAY r) = threshold. */
static double reach_squared(double log_bra, double log_ket, double log_threshold)
{
    const double reach = (log_bra + log_ket - log_threshold) / DECAY;
    return reach * reach;
}

/** Adds the costs of a bra's quartets above the threshold to *all, of those that exchange needs to *wanted. */
static void add_bra(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *bra,
                    const struct ket_table *table, double threshold, double *all, double *wanted)
{
    const double log_bra = log(bra->bound), log_threshold = log(threshold);
    for (int a = 0; table->to_bra != NULL && a < pairs->basis->n_atom; a++)
        if (pairs->basis->first_shell_of_atom[a] < pairs->basis->first_shell_of_atom[a + 1])
            table->to_bra[a] = to_pair(pairs->basis, bra, a);
    for (int j = 0; j < pairs->n_atom_pair; j++) {
        const struct hf_atom_pair *ket = &pairs->atom_pair[j];
        if (bra->bound * ket->bound < threshold) continue;
        const double *known = table->to_bra;
        const double square = known != NULL ? hf_smaller(known[ket->atom_a], known[ket->atom_b])
                                            : hf_smaller(to_pair(pairs->basis, bra, ket->atom_a),
                                                         to_pair(pairs->basis, bra, ket->atom_b));
        const double log_ket = table->log_bound != NULL ? table->log_bound[j] : log(ket->bound);
        *all += bra->cost * ket->cost;
        if (!(square > reach_squared(log_bra, log_ket, log_threshold)))
            *wanted += bra->cost * ket->cost;
    }
}

double hf_exchange_share(const struct hf_shell_pairs *pairs, double threshold)
{
    const int stride = pairs->n_atom_pair / N_SAMPLE + 1;
    const size_t n_atom = (size_t)pairs->basis->n_atom, n_pair = (size_t)pairs->n_atom_pair;
    const struct ket_table table = {.to_bra = malloc((n_atom + 1) * sizeof(double)),
                                    .log_bound = malloc((n_pair + 1) * sizeof(double))};
    double all = 0.0, wanted = 0.0;
    for (size_t j = 0; table.log_bound != NULL && j < n_pair; j++)
        table.log_bound[j] = log(pairs->atom_pair[j].bound);
    for (int i = stride / 2; i < pairs->n_atom_pair; i += stride)
        add_bra(pairs, &pairs->atom_pair[i], &table, threshold, &all, &wanted);
    free(table.to_bra);
    free(table.log_bound);
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

/** Appends a pair of atoms with a guessed bound. Its cost is its number of shell pairs. */
static void add_pair(const struct hf_basis *basis, const double diffuse[], int a, int b,
                     struct hf_shell_pairs *list)
{
    const int *first = basis->first_shell_of_atom;
    const double p = diffuse[a], q = diffuse[b];
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
    double diffuse[MOST_ATOMS];
    struct hf_shell_pairs list = {.basis = basis};
    if (n > MOST_ATOMS) return 0.0;
    list.atom_pair = calloc(n * (n + 1) / 2 + 1, sizeof *list.atom_pair);
    if (list.atom_pair == NULL) return 0.0;
    for (int a = 0; a < basis->n_atom; a++) diffuse[a] = most_diffuse(basis, a);
    for (int a = 0; a < basis->n_atom; a++)
        for (int b = 0; b <= a; b++) add_pair(basis, diffuse, a, b, &list);
    const double share = hf_exchange_share(&list, threshold);
    free(list.atom_pair);
    return share;
}
