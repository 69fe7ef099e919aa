/* Matrices of a calculation, estimated before it runs; see scf_memory.h.
 *
 *      first densities -> [mixed orbitals] -> build -> orbitals -> build -> orbitals -> ...
 *
 * At each of these moments other matrices exist. A table has a row for each kind of matrix and a column for each
 * moment; the moment with the largest sum counts. */
#include "scf/scf_memory.h"

#include "converger.h"
#include "scf/quantity.h"

#include <math.h>
#include <string.h>

static const double OCCUPIED = 0.3; /* part of the orbitals; more than usual */

/** Vectors that go through the Hessian together: those of the stability analysis and of response, the first ones of
 *  a second-order step, none. `auto` makes such steps where the rest fails; their vectors go one by
 *  one but for the first, and are not counted for what hardly ever happens. */
static int vectors_at_once(const struct hf_scf_settings *settings)
{
    if (settings->stability != HF_STABILITY_NONE || settings->responding != NULL) return 4;
    return strcmp(settings->converger, hf_converger_newton.name) == 0 ? 2 : 1;
}

/** Densities in a pass for one vector: twice as many if imaginary rotations are also multiplied. */
static int densities_of_vector(const struct hf_scf_settings *settings,
                               const struct hf_method_ops *method)
{
    const struct hf_quantity *quantity = settings->responding;
    while (quantity != NULL && !quantity->imaginary) quantity = quantity->next_responding;
    return (quantity != NULL ? 2 : 1) * method->n_density;
}

/** Matrices of whole order that second-order steps and the stability analysis take, with a fifth of
 *  the orbitals occupied: all orbitals, occupied ones multiplied; trial densities with J and K; the
 *  subspace, whose vectors and products have the shape of virtual by occupied. */
static double of_second_order(const struct hf_scf_settings *settings,
                              const struct hf_method_ops *method)
{
    const bool analysed = settings->stability != HF_STABILITY_NONE || settings->responding != NULL;
    const double n_vector = analysed ? 64.0 : 32.0, of_vector = 0.2 * 0.8;
    const double n_trial = analysed ? 4.0 : 2.0;
    if (!analysed && strcmp(settings->converger, hf_converger_newton.name) != 0 &&
        (strcmp(settings->converger, hf_converger_auto.name) != 0 || settings->smearing > 0.0))
        return 0.0;
    return method->n_set * (1.6 + n_vector * of_vector) +
           n_trial * (2.0 * densities_of_vector(settings, method) + 2.0);
}

/** Matrices of whole order in the history of a converger. Second-order steps take its place. */
static double of_history(const struct hf_scf_settings *settings, const struct hf_method_ops *method)
{
    const double most = settings->diis_size > 1 ? settings->diis_size : 0;
    const struct hf_converger_ops *converger = NULL;
    (void)!hf_converger_find(settings->converger, &converger, NULL);
    /* with ADIIS, or orbitals that spins share, also the orbitals of the densities */
    const bool orbitals =
        method->effective != NULL || converger == NULL || converger->keeps_orbitals;
    const double of_pair = method->n_fock + (orbitals ? OCCUPIED * method->n_set : 0.0);
    const bool damps = settings->smearing > 0.0 || converger == &hf_converger_damping;
    return fmax(fmin(most, settings->max_iteration - 1.0) * of_pair + (damps ? method->n_fock : 0),
                of_second_order(settings, method));
}

/** The moments of a calculation: the first densities are computed; orbitals are mixed; J and K are built; orbitals are
 *  computed from Fock matrices. */
enum moment { FIRST, MIXING, BUILD, ORBITALS, N_MOMENT };

/** Matrices of whole order at each moment. `solving`: those of a diagonalisation; `rotates`: orbitals may be rotated
 *  instead. */
static void count_matrices(const struct hf_scf_settings *settings,
                           const struct hf_method_ops *method, double solving, bool rotates,
                           double n_matrix[N_MOMENT])
{
    const int n_set = method->n_set;
    const bool overlap = settings->max_overlap, smears = settings->smearing > 0.0;
    /* searches that need their first orbitals; a second search also those found before */
    const double kept = overlap ? 1.0 : hf_scf_may_search_twice(settings, method) ? 2.0 : 0.0;
    /* rotation: a basis for each spin, and the first one for the wave function or a gradient */
    const bool first_basis =
        settings->wavefunction == HF_WAVEFUNCTION_DENSITIES || settings->weighted_density;
    const double bases = rotates ? (n_set == 2) + first_basis : 0.0;
    const struct {
        double at[N_MOMENT], n;
    } row[] = {
        /* FIRST, MIXING, BUILD, ORBITALS */
        {{1.0, 1.0, 1.0, 1.0}, 2.0},               /* core Hamiltonian, orthonormal basis */
        {{1.0, 1.0, 2.0, 1.0}, 1.0},               /* J; its change */
        {{3.0, 2.0, 4.0, 2.0}, method->n_density}, /* D, K; first or next D, change of K */
        {{0.0, 2.0, 0.0, 1.0}, method->n_fock},    /* Fock matrices; commutators */
        {{0.0, 1.0, OCCUPIED, 0.0}, n_set},        /* all orbitals; occupied ones */
        {{0.0, 0.0, 1.0, 1.0}, of_history(settings, method)},
        {{0.0, 0.0, 1.0, 1.0}, OCCUPIED * n_set * kept}, /* orbitals of searches */
        {{0.0, 0.0, 1.0, 1.0}, bases},
        /* with smearing more orbitals have electrons, and eigenvectors of all sets exist together */
        {{0.0, 0.0, 0.7, 1.0}, smears ? n_set : 0.0},
        {{0.0, 0.0, 0.0, 1.0}, overlap ? n_set + 1.3 : 0.0}, /* all orbitals, their overlaps */
        /* vectors of a rotation are as large as the occupied orbitals */
        {{0.0, 0.0, 0.0, 1.0}, fmax(solving, rotates ? 9.0 * OCCUPIED : 0.0)},
        /* first densities: a matrix to diagonalise, those it is computed from, blocks of integrals (half a matrix),
         * messages; mixing: overlaps with signs; both measured on two ranks */
        {{1.0, 1.0, 0.0, 0.0}, 4.6},
    };
    for (int m = 0; m < N_MOMENT; m++) {
        n_matrix[m] = 0.0;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
            n_matrix[m] += row[i].n * row[i].at[m];
    }
    if (!settings->guess_mix) n_matrix[MIXING] = 0.0;
}

struct hf_scf_memory hf_scf_memory(const struct hf_scf_settings *settings,
                                   const struct hf_fock_size *given)
{
    const struct hf_method_ops *method = &hf_method_rhf;
    (void)!hf_method_find(settings->method, &method, NULL);
    struct hf_fock_size size = *given;
    const int n = size.n_function, occupied = n > 3 ? (int)(OCCUPIED * n) : 1;
    size.n_coulomb = vectors_at_once(settings); /* those of all electrons */
    size.n_density = densities_of_vector(settings, method) * size.n_coulomb;
    const bool spread = hf_fock_is_distributed(settings->fock.builder);
    const int n_rank = settings->fock.reproducible ? 1 : size.n_rank; /* all of it is on rank 0 */
    const double share = hf_linalg_largest_share(n, n_rank, spread);
    const double bytes = share * n * n * sizeof(double); /* of a matrix */
    /* eigenvectors and work space, more of it in ScaLAPACK; fewer ranks have the matrix once more */
    const double reducing = hf_linalg_solving_share(n, n_rank, spread);
    const double solving =
        (share < 1.0 ? 3.3 : 2.0) + (reducing > share ? 1.5 * reducing / share : 0.0);
    double n_matrix[N_MOMENT];
    count_matrices(settings, method, solving, hf_scf_rotates(settings, method, n, occupied, n_rank),
                   n_matrix);
    const struct hf_fock_memory fock = hf_fock_memory(settings->fock.builder, &size);
    const double in_build = fmax(n_matrix[BUILD], fmax(n_matrix[FIRST], n_matrix[MIXING]));
    const double of_first =
        fmax(in_build * bytes + fock.of_rank, n_matrix[ORBITALS] * bytes + fock.kept);
    const bool alone = share == 1.0 && size.n_rank > 1; /* LAPACK on rank 0 */
    return (struct hf_scf_memory){.of_first = of_first,
                                  .of_other = alone ? fock.of_rank : of_first,
                                  .of_node = fock.of_node,
                                  .of_thread = fock.of_thread};
}
