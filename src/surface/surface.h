/* The energy surface of a molecule: energy, gradient and dipole moment wherever its atoms are.
 *
 *     hf_surface_create(&source, &surface, ...)          from a calculation that has ended
 *     hf_surface_compute(surface, position, &point, ...)  as often as needed
 *     hf_surface_destroy(&surface)
 *
 * Each SCF starts from orbitals that are extrapolated from those of the last points; if it fails, it is tried again
 * from the guess of the settings. Point charges and the field stay where they are; functions move with their atoms. */
#ifndef HF_SURFACE_H
#define HF_SURFACE_H

#include "hf/status.h"
#include "scf/quantity.h"

struct hf_surface;

/** What there is at a point of the surface. Initialise with = {0}. */
struct hf_surface_point {
    /** [n_atom] hartree/bohr, the caller's, ghosts included; NULL: not needed */
    double (*gradient)[3];
    double energy; /**< hartree; with fractional occupations the free energy, as for the gradient */
    double dipole[3]; /**< e bohr, about the origin */
    int n_removed;    /**< functions that were removed for linear dependence */
    int n_build;      /**< Fock builds, with those of a second attempt */
    bool
        converged; /**< the SCF has, and with a gradient of MP2 its Z-vector; if not, there is no gradient */
    const char *unconverged; /**< what has not converged, a constant, "the SCF"; "": all has */
    bool
        from_guess; /**< the last orbitals were none to start from, or did not lead to a solution */
};

/** From a source whose SCF has ended. Its wave function may have orbitals
 *  (HF_WAVEFUNCTION_ALL): they are the first start. Molecule, basis and orbitals are copied; context, the charges of the
 *  environment and what the settings point to are borrowed.
 *
 *  Settings  those of the calculation; nothing is kept in checkpoints, and stability is not analysed.
 *  Memory    the occupied orbitals of some points, twice, spread like the wave function; *surface is the caller's.
 *  Call      collective over the context.
 *  Errors    HF_NO_RESOURCE; *surface is then NULL. */
hf_status hf_surface_create(const struct hf_quantity_source *of, struct hf_surface **surface,
                            struct hf_error *error) HF_MUST_CHECK;

/** The tolerance of the commutator from now on: an error of the gradient is of its order. Above 1e-6 that of the energy
 *  becomes larger, too. Not collective; the same on
 *  every rank. */
void hf_surface_set_tolerance(struct hf_surface *surface, double commutator);

/** Starts the next SCF also from the orbitals of the last point of another surface of the same molecule, basis and method,
 *  whose ranks include all of these. Collective over the ranks of `from`. HF_NO_RESOURCE. */
hf_status hf_surface_start_from(struct hf_surface *surface, const struct hf_surface *from,
                                struct hf_error *error) HF_MUST_CHECK;

/** Who keeps the states of the SCFs that follow; NULL, as at first: nobody. Borrowed. Not collective. */
void hf_surface_set_keeper(struct hf_surface *surface, const struct hf_scf_keeper *keeper);

/** Energy, dipole and, if point->gradient is set, the gradient with the atoms at position [n_atom], equal on all ranks.
 *
 *  Call      collective; the same bits on every rank.
 *  Errors    HF_BAD_INPUT: places that no calculation can be of, such as atoms at one point; HF_NO_RESOURCE;
 *            HF_INTERRUPTED. The surface can still be used. Missing convergence is none: see the point. */
hf_status hf_surface_compute(struct hf_surface *surface, const double (*position_bohr)[3],
                             struct hf_surface_point *point, struct hf_error *error) HF_MUST_CHECK;

/** Extrapolated orbitals for atoms at `position`, to start another calculation from, of the same basis and
 *  settings; NULL: there are none. They are valid until the next call with the surface. Collective. HF_NO_RESOURCE. */
hf_status hf_surface_orbitals(struct hf_surface *surface, const double (*position_bohr)[3],
                              const struct hf_scf_orbitals **orbitals,
                              struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. Collective. */
void hf_surface_destroy(struct hf_surface **surface);

#endif
