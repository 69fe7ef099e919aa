/* The front door: one calculation in one call.
 *
 * MPI must be initialised, by MPI_Init or, better, MPI_Init_thread with MPI_THREAD_MULTIPLE (some
 * ways of sharing work need it); it is neither initialised nor finalised here. Where it is not,
 * calls return HF_BAD_INPUT. Calls are collective over the communicator they are given, with the
 * same arguments on every rank, and return the same on every rank; HF_BAD_INPUT where checksums say
 * that arguments differ. Nothing is printed. BLAS keeps
 * the number of threads that the program gave it; one per rank is best where ranks share a node
 * (hf_linalg_set_blas_threads). */
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
 *  All else has the defaults of the program hf. *energy is set when HF_OK is returned.
 *  Errors   HF_BAD_INPUT: an argument, MPI not initialised; HF_NOT_CONVERGED; HF_NO_RESOURCE.
 *           error->message (error may be NULL) is one line for people. */
hf_status hf_energy(MPI_Comm comm, int n_atom, const int atomic_number[],
                    const double position_bohr[][3], int charge, int multiplicity,
                    const char *basis, double *energy, struct hf_error *error) HF_MUST_CHECK;

/** A setting as an input file or the command line of hf spells it: {"basis", "cc-pVDZ"}. */
struct hf_run_key {
    const char *key, *value;
};

/** What hf_run computes. Everything is borrowed for the call. Initialise with = {0}; then either
 *  input_path or the atoms must be set, or neither, with a key "restart" that names a checkpoint.
 *  Checkpoints are written when a key "checkpoint" asks for them. */
struct hf_run_settings {
    const char *input_path; /**< input file in any format that hf reads; NULL: the atoms below */
    int n_atom;
    const int *atomic_number;         /**< [n_atom] */
    const double (*position_bohr)[3]; /**< [n_atom] */
    int n_key;
    const struct hf_run_key *key; /**< [n_key] keys of an input file; go before those of the file */
    enum hf_wavefunction_parts wavefunction; /**< how much of it is made, default all */
    struct hf_scf_observer observer;         /**< told of iterations as they happen */
    FILE *report;                            /**< rank 0 writes the text report here; NULL: none */
    /** Called now and then on every rank, some twenty times a second, with the fraction of the Fock
     *  build that runs done, 0 where none runs; may be NULL. Returning non-zero (a signal number) on
     *  some rank ends the run with HF_INTERRUPTED. */
    int (*progress)(void *data, double fraction);
    void *progress_data;
};

struct hf_run_state;

/** What came out; everything in it is owned by the outcome. Free with hf_run_done. */
struct hf_run_outcome {
    struct hf_scf_result result; /**< energies, dipole; result.converged must be looked at */
    struct hf_wavefunction wavefunction;
    const struct hf_properties
        *properties;                    /**< NULL where settings.wavefunction is energies only */
    const struct hf_record *record;     /**< iterations, times, memory, versions */
    const struct hf_molecule *molecule; /**< as it was read */
    const struct hf_basis *basis;
    int n_warning;
    const char *const *warning; /**< [n_warning] oddities of the input, one line each */
    /** A transport test never came back from MPI (hf_context.stuck_in_mpi), so that MPI_Finalize may
     *  hang: hf_leave_mpi ends such a program. Also set when hf_run fails; hf_run_done keeps it. */
    bool stuck_in_mpi;
    struct hf_run_state *state; /**< the library's */
};

/** A whole calculation: reads the input, computes, and writes the files that the keys "json" and
 *  "trace" ask for.
 *
 *  Memory   *outcome is filled and owned by the caller (hf_run_done); empty when this fails.
 *  Errors   HF_BAD_INPUT: file (with line), key, molecule, MPI not initialised; HF_NO_RESOURCE;
 *           HF_INTERRUPTED. Not converging is no error: outcome->result.converged tells. */
hf_status hf_run(MPI_Comm comm, const struct hf_run_settings *settings,
                 struct hf_run_outcome *outcome, struct hf_error *error) HF_MUST_CHECK;

/** Frees and clears. Accepts NULL and an empty outcome. Collective over the communicator of the run; before
 *  MPI_Finalize. */
void hf_run_done(struct hf_run_outcome *outcome);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
