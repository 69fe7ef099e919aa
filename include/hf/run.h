/* The front door: one calculation in one call.
 *
 * MPI      The caller initialises and finalises MPI. MPI_Init_thread with MPI_THREAD_MULTIPLE is best: some
 *          schedulers and transports need it. Without MPI calls return HF_BAD_INPUT.
 * Call     Collective over the given communicator. Every rank passes the same arguments and gets the same result. If
 *          checksums of the arguments differ, all return HF_BAD_INPUT.
 * Output   Nothing is printed.
 * BLAS     The number of BLAS threads stays as the program set it (hf_linalg_set_blas_threads). One per rank is best
 *          if ranks share a node. */
#ifndef HF_RUN_H
#define HF_RUN_H

#include "hf/basis.h"
#include "hf/molecule.h"
#include "hf/properties.h"
#include "hf/record.h"
#include "hf/scf.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Hartree-Fock energy of a molecule, in hartree.
 *
 *  comm            communicator, e.g. MPI_COMM_WORLD; a duplicate of it is used
 *  atomic_number   [n_atom], 1 to 118
 *  position_bohr   [n_atom][3]
 *  charge, multiplicity   of the molecule; 2S+1
 *  basis           name in the library of basis sets ("cc-pVDZ") or path of a Gaussian-94 file
 *
 *  All other settings have the defaults of the program hf. *energy is set if HF_OK is returned.
 *  Errors   HF_BAD_INPUT: an argument, MPI not initialised; HF_NOT_CONVERGED; HF_NO_RESOURCE.
 *           error->message (error may be NULL) is one line for people. */
hf_status hf_energy(MPI_Comm comm, int n_atom, const int atomic_number[],
                    const double position_bohr[][3], int charge, int multiplicity,
                    const char *basis, double *energy, struct hf_error *error) HF_MUST_CHECK;

/** A setting as in an input file: {"basis", "cc-pVDZ"}. */
struct hf_run_key {
    const char *key, *value;
};

/** What hf_run computes. Everything is borrowed for the call. Initialise with = {0}. Then set one of: input_path; the
 *  atoms; a key "restart" with the name of a checkpoint. Checkpoints are written only if the key "checkpoint" is set. */
struct hf_run_settings {
    /** input file in any format that hf reads; NULL: use the atoms below */
    const char *input_path;
    int n_atom;
    const int *atomic_number;         /**< [n_atom] */
    const double (*position_bohr)[3]; /**< [n_atom] */
    int n_key;
    /** [n_key] keys as in an input file; they override keys of the file */
    const struct hf_run_key *key;
    enum hf_wavefunction_parts wavefunction; /**< which parts are computed; default: all */
    struct hf_scf_observer observer;         /**< callbacks during the iterations */
    FILE *report;                            /**< rank 0 writes the text report here; NULL: none */
    /** Callback, about twenty times a second on every rank; may be NULL. `fraction` is the part of the
     *  current Fock build that is done, 0 outside a build. If a rank returns non-zero (a signal
     *  number), the run ends with HF_INTERRUPTED. */
    int (*progress)(void *data, double fraction);
    void *progress_data;
};

struct hf_run_state;

/** Results. The outcome owns everything in it. Free with hf_run_done. */
struct hf_run_outcome {
    struct hf_scf_result result; /**< energies, dipole; check result.converged */
    double energy;               /**< energy of the method: result.energy, or the MP2 energy */
    struct hf_wavefunction wavefunction;
    const struct hf_properties *properties; /**< NULL if settings.wavefunction is energies only */
    /** NULL unless the key of that name is set and the SCF has converged */
    const struct hf_polarisability *polarisability;
    /** [n_atom] derivatives of the energy by the positions of the atoms, hartree/bohr; NULL unless the key "task" is
     *  "gradient" or "optimise" and the SCF has converged. */
    const double (*gradient)[3];
    const struct hf_record *record; /**< iterations, times, memory, versions */
    /** as read from the input; if the key "task" is "optimise", with the final positions of the atoms */
    const struct hf_molecule *molecule;
    bool found; /**< "optimise" found a structure; true for other tasks */
    const struct hf_basis *basis;
    int n_warning;
    const char *const *warning; /**< [n_warning] warnings about the input, one line each */
    /** A self-test of a transport did not return from MPI, so MPI_Finalize may hang (hf_context.stuck_in_mpi): end
     *  the program with hf_leave_mpi. Also set if hf_run fails. hf_run_done keeps it. */
    bool stuck_in_mpi;
    struct hf_run_state *state; /**< private */
};

/** A whole calculation: reads the input, computes, and writes the files of the keys "json" and
 *  "trace".
 *
 *  Memory   *outcome is filled and owned by the caller (hf_run_done); empty if the call fails.
 *  Errors   HF_BAD_INPUT: file (with line), key, molecule, MPI not initialised; HF_NO_RESOURCE;
 *           HF_INTERRUPTED. Not converging is not an error: check outcome->result.converged. */
hf_status hf_run(MPI_Comm comm, const struct hf_run_settings *settings,
                 struct hf_run_outcome *outcome, struct hf_error *error) HF_MUST_CHECK;

/** Frees and clears. Accepts NULL and an empty outcome. Call before MPI_Finalize; collective over the
 *  communicator of the run. */
void hf_run_done(struct hf_run_outcome *outcome);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
