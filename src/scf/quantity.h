/* What is computed or written from a wave function, and the task of a calculation.
 *
 * A quantity is a constant struct hf_quantity_ops in the room that computes it, and a line of the list in
 * src/run/quantities.h. A calculation walks the list and calls, for each requested quantity,
 *
 *     plan      when basis and settings are made: reads the options
 *     memory    before anything is computed
 *     respond   when the SCF has converged and its Fock builder still lives
 *     compute   when the SCF has ended
 *     report    after it, on rank 0: a section of the report
 *     json      on rank 0: a part of the JSON file
 *     write     its files, after the JSON file
 *     release   before the wave function ends
 *     done      at the end
 *
 * Functions that a quantity does not need are NULL. */
#ifndef HF_QUANTITY_H
#define HF_QUANTITY_H

#include "hf/context.h"
#include "hf/scf.h"
#include "hf/status.h"
#include "hf/wavefunction.h"
#include "text/json.h"
#include "text/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hf_calculation;
struct hf_checkpoint;
struct hf_common_pairs;
struct hf_hamiltonian;
struct hf_localised;
struct hf_mp2_settings;
struct hf_orbital_hessian;
struct hf_report;
struct hf_vibrations;

/** The calculation that quantities are of. Rows borrow everything. */
struct hf_quantity_source {
    struct hf_context *context;
    const struct hf_options *options;
    char *file_stem; /**< folder and name of files without an ending, "results/water" */
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    struct hf_common_pairs *pairs; /**< NULL until all are planned */
    const struct hf_scf_settings *settings;
    const struct hf_scf_result *result; /**< this and what follows: NULL until the SCF has ended */
    const struct hf_wavefunction *wavefunction;
    double energy; /**< of the method, hartree: that of the SCF, or what replaces it */
    /** orbitals to draw instead of occupied canonical ones; NULL: none */
    const struct hf_localised *localised;
    /** with natural transition orbitals, to draw instead of its own; NULL: none */
    const struct hf_wavefunction *transition;
    /** with the density of MP2, for files of densities; NULL: that of the SCF is the only one */
    const struct hf_wavefunction *relaxed;
    /** of the correlation energy whose derivatives are computed; NULL: none, or no derivatives */
    const struct hf_mp2_settings *correlation;
    const struct hf_vibrations *vibrations; /**< for files of orbitals; NULL: none */
    const struct hf_checkpoint *restart;    /**< that the calculation continues from; NULL: none */
    const char *checkpoint;                 /**< of this calculation; NULL: none is written yet */
    bool checkpoint_given;                  /**< the user has named it */
    bool no_files;                          /**< none is written that no option asks for */
    struct hf_report *report;               /**< for progress and warnings */
    /** Molecule and basis of the calculation to other places [n_atom], bohr; there are no shell pairs then. Collective.
     *  HF_BAD_INPUT, HF_NO_RESOURCE. */
    hf_status (*move)(struct hf_calculation *calculation, const double (*x)[3],
                      struct hf_error *error);
    struct hf_calculation *calculation;
};

/** A requested quantity. */
struct hf_quantity {
    const struct hf_quantity_ops *ops;
    const struct hf_quantity_source *of;
    void *self;                       /**< [ops->size] bytes, zero at first */
    enum hf_wavefunction_parts needs; /**< ops->needs, unless plan needs more */
    /** hartree, of the shell pairs that `compute` uses; plan sets it; 0: none */
    double pair_accuracy;
    bool made; /**< `compute` has succeeded */
    bool
        stores; /**< peak sets it: `compute` stores integrals beside what peak says, as an SCF does */
    bool
        differentiates; /**< peak sets it: `compute` differentiates integrals; peak leaves that out */
    bool
        imaginary; /**< plan sets it: `respond` also multiplies imaginary rotations by their Hessian */
    struct hf_quantity *next_responding; /**< in hf_scf_settings.responding */
    const struct hf_option_value *about; /**< plan: what its failure is about; NULL: ops->option */
};

/** Where a quantity adds its part of the JSON file. */
struct hf_json_places {
    struct hf_json result;     /**< the AtomicResult; "extras.unconverged" without convergence */
    struct hf_json properties; /**< "properties" of that */
    struct hf_json extras;     /**< "extras.hf" */
    bool returned;             /**< it is the result of the task: add "return_result" */
};

/** A row of the list. Functions return the same status on every rank, except plan. */
struct hf_quantity_ops {
    const char *name;
    const char *option; /**< key that asks for it and that errors of plan begin with; NULL: none */
    /** Its rows of the table of options, if it has any. Members that they name are of `self` and are set before plan. */
    const struct hf_option *options;
    bool by_default;   /**< computed unasked, if the wave function has the parts that it needs */
    bool of_converged; /**< not computed unless the SCF has converged */
    bool weighted_density; /**< the wave function is to have it */
    bool of_structure;     /**< not computed if a search for a structure ended without one */
    enum hf_wavefunction_parts needs;
    /** Of the SCF, if none is given; 0: as usual. An energy computed from orbitals has errors of first order
     *  in theirs, the energy of the SCF of second. */
    double commutator_tolerance;
    const struct hf_phase *const *phases; /**< ended by NULL; NULL: none */
    size_t size;                          /**< of `self` */
    const char *file;                     /**< what messages call its files, "a cube file" */
    const char *doing;                    /**< title of the progress line; NULL: none */
    /** Local. HF_BAD_INPUT, HF_NO_RESOURCE. */
    hf_status (*plan)(struct hf_quantity *quantity, struct hf_error *error);
    /** Bytes of a rank that it holds while an SCF runs. Local. */
    double (*memory)(const struct hf_quantity *quantity);
    /** Bytes of a rank that `compute` takes at most, beside the wave function. Local. HF_NO_RESOURCE: more
     *  than --memory says. */
    hf_status (*peak)(struct hf_quantity *quantity, double *bytes, struct hf_error *error);
    /** Collective. From the Hessian of the solution. A failure ends the calculation. */
    hf_status (*respond)(struct hf_quantity *quantity, struct hf_orbital_hessian *hessian,
                         struct hf_hamiltonian *hamiltonian, struct hf_error *error);
    /** Collective. A failure ends the calculation. */
    hf_status (*compute)(struct hf_quantity *quantity, struct hf_error *error);
    /** Of a quantity that is the energy of the method: what replaces that of the SCF. */
    double (*energy)(const struct hf_quantity *quantity);
    /** Of a quantity that is the energy of the method and has derivatives: its settings, after plan. */
    const struct hf_mp2_settings *(*correlation)(const struct hf_quantity *quantity);
    /** Of a quantity that makes localised orbitals, for files of orbitals: those that it has made. */
    const struct hf_localised *(*localised)(const struct hf_quantity *quantity);
    /** Of a quantity that makes natural transition orbitals: the wave function with them; NULL: none. */
    const struct hf_wavefunction *(*transition)(const struct hf_quantity *quantity);
    /** Of a quantity that makes a relaxed density, for files of densities: the wave function with it; NULL: none. */
    const struct hf_wavefunction *(*relaxed)(const struct hf_quantity *quantity);
    void (*report)(const struct hf_quantity *quantity, FILE *out);
    void (*json)(const struct hf_quantity *quantity, const struct hf_json_places *to);
    /** File i that `write` writes, if there is an option; NULL after the last. Local, after plan. */
    const char *(*path)(const struct hf_quantity *quantity, int i);
    /** Collective. After a failure the other files are still written. */
    hf_status (*write)(struct hf_quantity *quantity, struct hf_error *error);
    /** Frees matrices on the grid of the wave function, after `write` or a failure, before that grid is gone. Collective. */
    void (*release)(struct hf_quantity *quantity);
    /** Frees what `self` holds; accepts a half-planned one. Local. */
    void (*done)(struct hf_quantity *quantity);
};

/** What a calculation is for. */
struct hf_run_task {
    const char *name, *about, *driver;     /**< that of QCSchema */
    const struct hf_quantity_ops *returns; /**< what it returns beside the energy; NULL: nothing */
    /** that looks for another structure before all quantities are computed (hf_calculation_optimise); NULL: none */
    const struct hf_quantity_ops *search;
    bool differentiates; /**< it needs derivatives of the energy */
};

#endif
