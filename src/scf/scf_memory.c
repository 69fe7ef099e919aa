/* Matrices of a calculation, counted by what lives at the same time; see scf_memory.h. */
#include "scf/scf_memory.h"

#include "converger.h"

#include <math.h>
#include <string.h>

static const double OCCUPIED = 0.3; /* of the orbitals, rather many */

static const struct hf_method_ops *find_method(const char *name)
{
    for (int i = 0; hf_method_list[i] != NULL; i++)
        if (strcmp(hf_method_list[i]->name, name) == 0) return hf_method_list[i];
    return hf_method_list[0];
}

/** Vectors that go through the Hessian together: those of the stability analysis and of response, the first ones of
 *  a second-order step, none. `auto` makes such steps where the rest fails; their vectors go one by
 *  one but for the first, and are not counted for what hardly ever happens. */
static int vectors_at_once(const struct hf_scf_settings *settings)
{
    if (settings->stability != HF_STABILITY_NONE || settings->responding != NULL) return 4;
    return strcmp(settings->converger, hf_converger_newton.name) == 0 ? 2 : 1;
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
    return method->n_set * (1.6 + n_vector * of_vector) + n_trial * (2.0 * method->n_density + 2.0);
}

static bool keeps_orbitals(const char *name)
{
    for (int i = 0; hf_converger_list[i] != NULL; i++)
        if (strcmp(hf_converger_list[i]->name, name) == 0)
            return hf_converger_list[i]->keeps_orbitals;
    return true;
}

/** Matrices of whole order while there is no history yet: when the first densities are made, and
 *  when orbitals are mixed. */
static double in_guess(const struct hf_scf_settings *settings, const struct hf_method_ops *method)
{
    /* H, X; J; D, K and the first densities; one that is diagonalised; one it is made of, whose integrals
     * are in blocks of half of it, and what goes from there to the matrix and comes */
    const double in_first = 7.6 + 3.0 * method->n_density;
    /* H, X; J; D, K; Fock matrices and commutators; all orbitals; overlaps with signs;
     * and what two ranks were measured to hold beside these */
    const double in_mixing = 7.6 + 2.0 * method->n_density + 2.0 * method->n_fock + method->n_set;
    return settings->guess_mix ? fmax(in_first, in_mixing) : in_first;
}

struct hf_scf_memory hf_scf_memory(const struct hf_scf_settings *settings,
                                   const struct hf_fock_size *given)
{
    const struct hf_method_ops *method = find_method(settings->method);
    const int n_density = method->n_density, n_fock = method->n_fock;
    struct hf_fock_size size = *given;
    size.n_coulomb = vectors_at_once(settings); /* those of all electrons */
    size.n_density = n_density * size.n_coulomb;
    const bool spread = hf_fock_is_distributed(settings->fock.builder);
    const int n_rank = settings->fock.reproducible ? 1 : size.n_rank; /* all of it is on rank 0 */
    const double share = hf_linalg_largest_share(size.n_function, n_rank, spread);
    const double whole = (double)size.n_function * size.n_function * sizeof(double);
    const double most = settings->diis_size > 1 ? settings->diis_size : 0;
    /* with ADIIS or sets that spins share, the orbitals of the densities are kept, too */
    const bool orbitals = method->effective != NULL || keeps_orbitals(settings->converger);
    const double of_pair = n_fock + (orbitals ? 0.3 * method->n_set : 0.0);
    const bool damps =
        settings->smearing > 0.0 || strcmp(settings->converger, hf_converger_damping.name) == 0;
    const double damped = damps ? n_fock : 0.0;
    /* second-order steps take the place of a history */
    const double history = fmax(fmin(most, settings->max_iteration - 1.0) * of_pair + damped,
                                of_second_order(settings, method));
    /* more orbitals have electrons then, and the eigenvectors of all sets live together */
    const double smeared = settings->smearing > 0.0 ? method->n_set : 0.0;
    /* the first orbitals, with a second search also those it found before; all orbitals of the last Fock matrices and
     * their overlaps */
    const double n_kept = settings->max_overlap                       ? 1.0
                          : hf_scf_may_search_twice(settings, method) ? 2.0
                                                                      : 0.0;
    const double first = OCCUPIED * method->n_set * n_kept;
    const double compared = settings->max_overlap ? method->n_set + 1.3 : 0.0;
    const int occupied = (int)(OCCUPIED * size.n_function);
    const bool rotates =
        hf_scf_rotates(settings, method, size.n_function, occupied > 0 ? occupied : 1, n_rank);
    /* vectors of a rotation are as large as the occupied orbitals; each spin then has a basis of its own,
     * and the wave function, or the density for a gradient, the first one */
    const double in_rotation = rotates ? 9.0 * OCCUPIED : 0.0;
    const double bases =
        rotates ? (method->n_set == 2) + (settings->wavefunction == HF_WAVEFUNCTION_DENSITIES ||
                                          settings->weighted_density)
                : 0.0;
    /* H, X; J and its change; D, K, their changes and the next density; the orbitals occupied */
    const double in_build =
        4.0 + 4.0 * n_density + history + OCCUPIED * method->n_set + 0.7 * smeared + first + bases;
    /* eigenvectors and work space, more of it in ScaLAPACK; fewer ranks have the matrix once more */
    const double solving = hf_linalg_solving_share(size.n_function, n_rank, spread);
    const double solved =
        (share < 1.0 ? 3.3 : 2.0) + (solving > share ? 1.5 * solving / share : 0.0);
    /* H, X; J; D, K; the Fock matrices */
    const double in_eigen = 3.0 + 2.0 * n_density + n_fock + history + fmax(solved, in_rotation) +
                            smeared + compared + first + bases;
    const struct hf_fock_memory fock = hf_fock_memory(settings->fock.builder, &size);
    const double of_build =
        fmax(in_build, in_guess(settings, method)) * share * whole + fock.of_rank;
    const double of_first = fmax(of_build, in_eigen * share * whole + fock.kept);
    const bool alone = share == 1.0 && size.n_rank > 1; /* LAPACK on rank 0 */
    return (struct hf_scf_memory){.of_first = of_first,
                                  .of_other = alone ? fock.of_rank : of_first,
                                  .of_node = fock.of_node,
                                  .of_thread = fock.of_thread};
}
