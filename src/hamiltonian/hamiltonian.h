/* What one electron feels, as a list of terms: the kinetic energy, nuclei, and what acts from
 * outside. Each gives a matrix over the basis, and the energy of the nuclei in it. */
#ifndef HF_HAMILTONIAN_H
#define HF_HAMILTONIAN_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/energy_term.h"
#include "hf/linalg.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "layout/layout.h"
#include "one_electron/one_electron.h"

#include <stdbool.h>
#include <stdint.h>

/** Where a term adds its matrix: this rank's blocks of pairs of atoms. All is borrowed. */
struct hf_term_blocks {
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_block_layout *layout; /**< hf_atom_layout_create over the basis */
    double *block;                        /**< [hf_block_layout_local_size(layout)] */
    struct hf_interruption *interruption; /**< looked at between shells; borrowed, may be NULL */
    int rank;                             /**< this rank, as the layout counts */
    int n_thread;                         /**< that share the blocks */
};

/** Where a term adds its derivatives: the energy of a density in it, of this rank's blocks, by the places of
 *  atoms and charges. All is borrowed. */
struct hf_term_gradient {
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_block_layout *layout; /**< an hf_atom_layout over the basis */
    const double *density;                /**< [hf_block_layout_local_size(layout)] */
    struct hf_interruption *interruption; /**< looked at between atoms; borrowed, may be NULL */
    int rank, n_rank;
    int n_thread; /**< that share the blocks */
    /** steps of base/slope_sums.h. Each block of atoms, and each nucleus, adds what it would add on any rank, so that
     *  the sums do not depend on the number of ranks or threads */
    int64_t (*atom)[3];   /**< [n_atom] of nuclei and functions */
    int64_t (*charge)[3]; /**< [n_charge of the environment] */
};

/** One term of the Hamiltonian; one constant instance each, all in hf_term_list. None of its
 *  functions is collective. */
struct hf_term_ops {
    const char *name;  /**< in reports and results, e.g. "point charges" */
    const char *about; /**< its matrix and its energy with the nuclei, one line */
    const char *cite;  /**< where its integrals are published */
    /** Whether it acts in this molecule; all other functions are called only then. */
    bool (*present)(const struct hf_molecule *molecule);
    /** How the time of its matrix compares with that of the other terms. */
    double (*cost)(const struct hf_molecule *molecule);
    /** Adds its matrix, hartree, to the blocks. HF_NO_RESOURCE: memory. */
    hf_status (*add_matrix)(const struct hf_term_blocks *blocks, struct hf_error *error);
    /** Adds the derivatives of the energy of the density in it. HF_NO_RESOURCE: memory, or a shell whose
     *  derivative is not there. */
    hf_status (*add_gradient)(const struct hf_term_gradient *gradient, struct hf_error *error);
    /** Energy of nucleus `i` in it (for the term "nuclei" with those before it), hartree; NULL: none. */
    double (*nuclear_energy)(const struct hf_molecule *molecule, int i);
    /** Adds the derivatives of that energy by the places of nucleus `i`, of others and of charges; NULL as
     *  nuclear_energy. */
    void (*add_nuclear_gradient)(const struct hf_molecule *molecule, int i, double (*atom)[3],
                                 double (*charge)[3]);
    /** Of a term that acts from outside, so that the molecule is not free to turn: what reports say of it. NULL: it
     *  belongs to the molecule. */
    void (*describe)(const struct hf_molecule *molecule, size_t size, char text[]);
};

/** All terms there are, NULL behind the last; never more than HF_MAX_TERM. */
extern const struct hf_term_ops *const hf_term_list[];

/** The terms by themselves, for those who ask for one. */
extern const struct hf_term_ops hf_term_kinetic, hf_term_nuclei, hf_term_core_potential,
    hf_term_point_charges, hf_term_field;

/** Whether a term acts from outside. Local. */
bool hf_is_held(const struct hf_molecule *molecule);

/** Energy of all nuclei in a term, hartree; 0 where it is not present. The nuclei are dealt to the
 *  ranks: a nucleus meets all others, or all point charges. The same bits on every rank, and for every
 *  number of ranks. Collective. */
double hf_nuclear_energy_of(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_term_ops *term);

/** The sum over all terms: what the electrons' energy is added to. As hf_nuclear_energy_of. */
double hf_nuclear_energy(const struct hf_context *context, const struct hf_molecule *molecule);

/** Matrices of one electron over a basis. */
struct hf_hamiltonian;

/** Collective over the context; same arguments on every rank. All are borrowed and must outlive it;
 *  `linalg` is the grid of the matrices it makes for itself. HF_NO_RESOURCE: memory; same status
 *  and message on every rank. */
hf_status hf_hamiltonian_create(struct hf_context *context, struct hf_linalg *linalg,
                                const struct hf_basis *basis, const struct hf_molecule *molecule,
                                struct hf_hamiltonian **hamiltonian,
                                struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_hamiltonian_destroy(struct hf_hamiltonian **hamiltonian);

/** matrix [n][n] = the sum of all terms that are present, hartree. Each rank computes the atom
 *  blocks it owns; no rank holds the whole matrix unless `matrix` itself does. Collective.
 *  HF_NO_RESOURCE: memory; same status and message on every rank. */
hf_status hf_hamiltonian_core(struct hf_hamiltonian *hamiltonian, struct hf_matrix *matrix,
                              struct hf_error *error) HF_MUST_CHECK;

/** matrix [n][n] of one term, which must be present. As hf_hamiltonian_core. */
hf_status hf_hamiltonian_term(struct hf_hamiltonian *hamiltonian, const struct hf_term_ops *term,
                              struct hf_matrix *matrix, struct hf_error *error) HF_MUST_CHECK;

/** matrix [n][n] of an electron in the potential of charges that have a width, hartree; positive
 *  charges attract. n_charge > 0, the charges equal on every rank. As hf_hamiltonian_core. */
hf_status hf_hamiltonian_charges(struct hf_hamiltonian *hamiltonian, int n_charge,
                                 const struct hf_spread_charge charge[], struct hf_matrix *matrix,
                                 struct hf_error *error) HF_MUST_CHECK;

/** matrix [n][n] of HF_OVERLAP, HF_KINETIC, HF_DIPOLE_X to _Z or HF_SQUARE. As hf_hamiltonian_core. */
hf_status hf_operator_matrix(struct hf_hamiltonian *hamiltonian, enum hf_operator which,
                             struct hf_matrix *matrix, struct hf_error *error) HF_MUST_CHECK;

/** Energies term[*n_term] of the terms that are present, in the order of hf_term_list, at a density
 *  [n][n] whose energy in the whole core Hamiltonian is `one_electron`. All
 *  matrices but the costliest are made again; that term gets what the others leave of
 *  `one_electron`. Collective; errors as hf_hamiltonian_core. */
hf_status hf_hamiltonian_energies(struct hf_hamiltonian *hamiltonian,
                                  const struct hf_matrix *density, double one_electron, int *n_term,
                                  struct hf_energy_term term[HF_MAX_TERM],
                                  struct hf_error *error) HF_MUST_CHECK;

/** Energy of the electrons in a term, of such a list; 0 when it is not in the list. Not collective. */
double hf_electrons_of_term(int n_term, const struct hf_energy_term term[],
                            const struct hf_term_ops *which);

/** Dipole moment of nuclei and a density [n][n] about the origin, e bohr. Collective;
 *  errors as hf_hamiltonian_core. */
hf_status hf_hamiltonian_dipole(struct hf_hamiltonian *hamiltonian, const struct hf_matrix *density,
                                double dipole[3], struct hf_error *error) HF_MUST_CHECK;

/** atom[n_atom][3] += derivatives of the energy of nuclei and of a density [n][n] in the sum of all terms, minus
 *  those of the sum of `weighted` [n][n] times the overlap; charge[n_charge][3] (may be NULL without any) +=
 *  those by the places of the point charges. hartree/bohr, the same on every rank. `density` and `weighted` are
 *  symmetric. Collective. HF_NO_RESOURCE: memory, functions too high; same status and message on every rank. */
hf_status hf_hamiltonian_gradient(struct hf_context *context, const struct hf_basis *basis,
                                  const struct hf_molecule *molecule,
                                  const struct hf_matrix *density, const struct hf_matrix *weighted,
                                  double (*atom)[3], double (*charge)[3],
                                  struct hf_error *error) HF_MUST_CHECK;

#endif
