/* Localised orbitals: occupied orbitals of a closed shell, rotated among themselves until each is in few places.
 *
 *     pm     Pipek-Mezey: largest sum over orbitals i and atoms A of Q^A_ii^2, with Mulliken populations
 *            Q^A_ij = (sum over functions m of A of C_mi (SC)_mj + C_mj (SC)_mi) / 2
 *     boys   Foster-Boys: largest sum of <i|r|i>^2
 *     none   canonical orbitals (for tests)
 *
 * Frozen core orbitals, the lowest ones, are not mixed with the others. */
#ifndef HF_LOCALISE_H
#define HF_LOCALISE_H

#include "hf/context.h"
#include "hf/status.h"
#include "hf/wavefunction.h"
#include "localise/sparse_matrix.h"
#include "text/json.h"

#include <stdbool.h>

enum hf_localise_kind { HF_LOCALISE_NONE, HF_LOCALISE_PM, HF_LOCALISE_BOYS };

struct hf_localise_settings {
    enum hf_localise_kind kind;
    int n_frozen; /**< lowest occupied orbitals that are left as they are, and are not returned */
    int n_thread; /**< of each rank; 0 counts as 1 */
    double tolerance; /**< radians: the largest rotation of the last sweep; 0: 1e-9 */
    int most_sweeps;  /**< 0: 500 */
    double threshold; /**< of coefficients in `coefficient`; 0: none is left out */
    const double
        *start; /**< [n][n] orbitals to begin with, as `rotation` below; NULL: Cholesky orbitals */
    bool sweeps_only; /**< no second-order steps: may end at a saddle; for tests */
};

/** An orbital as reports describe it. */
struct hf_localised_orbital {
    double centre[3]; /**< <r>, bohr */
    double spread;    /**< (<r^2> - <r>^2)^1/2, bohr */
    double energy;    /**< <i|F|i>, hartree */
};

/** Localised orbitals, in order of their energies; the same bits on every rank. Owned (hf_localised_done). */
struct hf_localised {
    struct hf_arena arena;                /**< of `rotation` and `orbital` */
    int n;                                /**< orbitals */
    struct hf_sparse_matrix *coefficient; /**< L [atoms][orbitals] of published functions */
    struct hf_sparse_matrix *overlap;     /**< S L, the same parts */
    double *rotation;                     /**< [n][n] u: u[i] is orbital i in canonical ones */
    struct hf_sparse_matrix
        *population; /**< Q^A_ii [atoms, one row each][orbitals]: adds up to 1; those above 1e-6 */
    struct hf_localised_orbital *orbital; /**< [n] */
    double value;                         /**< of what is maximised */
    int n_sweep;
    bool converged;
    int n_step;   /**< second-order steps; the last one only shows that this is a maximum */
    int n_saddle; /**< of these, away from saddles */
    int n_product,
        n_turn; /**< products of second derivatives with rotations; pairs that these rotate */
};

/** Localises orbitals. A wave function of method rhf with all parts is needed.
 *
 *  Order    sweeps of rotations of two orbitals in a fixed order of rounds, which ranks and threads share; begins
 *           with a Cholesky decomposition of the density of these orbitals. Near the end second-order steps follow: Newton's,
 *           or along the mode of highest curvature away from a saddle. Orbitals do not depend on the
 *           number of ranks or threads, nor on rotations among canonical orbitals of equal energy.
 *  Memory   a rank holds its share of the coefficients of the orbitals.
 *  Call     collective.
 *  Errors   HF_NO_RESOURCE: memory; HF_INTERRUPTED. Not converging is a field of the result.
 *  Source   Pipek, Mezey, J. Chem. Phys. 90, 4916 (1989); Foster, Boys, Rev. Mod. Phys. 32, 300 (1960). */
hf_status hf_localise(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                      const struct hf_localise_settings *settings, struct hf_localised *localised,
                      struct hf_error *error) HF_MUST_CHECK;

/** The orbitals as a matrix [n functions][localised->n] on the grid of the wave function, to be destroyed by the caller.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_localised_matrix(const struct hf_localised *localised,
                              const struct hf_wavefunction *wavefunction,
                              struct hf_matrix **orbitals, struct hf_error *error) HF_MUST_CHECK;

/** A copy of the wave function whose orbitals of these are localised, with their energies <i|F|i>; the others are canonical.
 *  It borrows all but that. localised NULL: all are canonical. Collective. HF_NO_RESOURCE. */
hf_status hf_localised_show(struct hf_context *context, const struct hf_localised *localised,
                            const struct hf_wavefunction *wavefunction,
                            struct hf_wavefunction *shown, struct hf_error *error) HF_MUST_CHECK;
/** Frees what the copy owns: energies, occupations and coefficients; accepts a cleared one. */
void hf_localised_show_done(struct hf_wavefunction *shown, const struct hf_wavefunction *of);

/** Adds energy, spread, centre and populations of orbital i to a JSON object. */
void hf_localised_put_json(const struct hf_localised *localised, int i, struct hf_json to);

/** Frees and clears. Not collective. */
void hf_localised_done(struct hf_localised *localised);

extern const struct hf_phase hf_phase_localise;

/** Most blocks of orbitals in a sweep: as many threads of all ranks as half of them can work. */
enum { HF_MOST_SWEEP_BLOCKS = 128 };

#endif
