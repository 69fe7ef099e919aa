/* An optimisation: what it has found so far, and the search. */
#ifndef HF_OPTIMISATION_H
#define HF_OPTIMISATION_H

#include "base/arena.h"
#include "hf/restart.h"
#include "optimise/optimise.h"
#include "scf/quantity.h"

#include <stdint.h>

enum { HF_MOST_CONSTRAINTS = 400 };

/** A structure that was computed. */
struct hf_optimisation_step {
    struct hf_optimise_step step; /**< its note is not kept in checkpoints */
    int n_build, point;           /**< Fock builds; point of the scan, from 0 */
    int n_removed;                /**< functions, as linearly dependent; not kept in checkpoints */
    double (*x)[3];               /**< [n_atom] bohr */
    double (*gradient)[3];        /**< [n_atom] hartree/bohr; NULL: of an earlier run */
};

/** Of the quantity "optimisation"; the same on every rank. */
struct hf_optimisation {
    struct hf_optimise_settings settings;
    struct hf_constraint constraint[HF_MOST_CONSTRAINTS]; /**< that of a scan is the last one */
    int n_point;                                          /**< of a scan, else 1 */
    double from, to;                                      /**< values of the scan */
    int max_step;                                         /**< for each point */
    int n_atom, n_step;
    int64_t n_room;
    struct hf_optimisation_step *step; /**< [n_step] */
    bool ended;                        /**< the search has */
    char why[256];                     /**< why the last point that failed did; "" */
    int n_negative_start; /**< eigenvalues below zero of the Hessian that was computed; -1: none was */
    int lost;             /**< errno of the trajectory, 0 */
    struct hf_arena arena; /**< has what belongs to the whole search */
};

/** A search under way. */
struct hf_search {
    struct hf_quantity *quantity;
    const struct hf_quantity_source *of;
    struct hf_optimisation *found;
    struct hf_context *context;
    struct hf_surface *surface;
    struct hf_optimiser *optimiser; /**< on rank 0 */
    double (*x)[3], (*gradient)[3]; /**< [n_atom] where the atoms are */
    double (*input)[3],
        (*begun)[3];             /**< [n_atom] where they were first, at the start of the point */
    int point;                   /**< of the scan */
    bool begins;                 /**< no step of the point was made yet */
    int n_computed;              /**< steps, without those of an earlier run */
    const char *why;             /**< the point failed, a constant or `reason`; "" */
    char reason[256];            /**< why there is no gradient where the atoms are */
    struct hf_scf_keeper keeper; /**< that of the calculation, and what is added here */
    const struct hf_scf_keeper *base;
};

/** A search of the calculation that the quantity is of, whose SCF has converged. Free with hf_search_done. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_search_init(struct hf_search *self, struct hf_quantity *quantity,
                         struct hf_error *error) HF_MUST_CHECK;

/** Looks for the structure, or those of a scan; self->x is then the last one that was computed. *all: every one was found.
 *  Collective. HF_NO_RESOURCE, HF_INTERRUPTED; HF_NOT_CONVERGED: a gradient for second derivatives; HF_BAD_INPUT:
 *  constraints that cannot be. */
hf_status hf_search_run(struct hf_search *self, bool *all, struct hf_error *error) HF_MUST_CHECK;

/** Collective. */
void hf_search_done(struct hf_search *self);

/** Adds a step with room for its places, and for its gradient behind them. HF_NO_RESOURCE. */
hf_status hf_optimisation_add(struct hf_optimisation *self, struct hf_error *error) HF_MUST_CHECK;

/** Numbers of a step in a checkpoint, all steps as such [n_step][n_packed], and back. HF_NO_RESOURCE. */
int hf_optimisation_n_packed(const struct hf_optimisation *self);
bool hf_optimisation_packed_converged(const double *step);
void hf_optimisation_pack(const struct hf_optimisation *self, double *to);
hf_status hf_optimisation_unpack(struct hf_optimisation *self, int n, const double *from,
                                 struct hf_error *error) HF_MUST_CHECK;

/** The last step of a point of the scan; NULL: there is none. */
const struct hf_optimisation_step *hf_optimisation_last_of(const struct hf_optimisation *self,
                                                           int point);

/** Points without a structure. */
int hf_optimisation_n_failed(const struct hf_optimisation *self);

/** Places [n_atom] of the last structure that was found; NULL: none was. */
const double (*hf_optimisation_last_found(const struct hf_optimisation *self))[3];

/** Adds the search to the checkpoint that was written; `optimiser` is NULL on other ranks than 0, and if the search has
 *  ended. Collective. HF_NO_RESOURCE. */
hf_status hf_optimisation_keep(const struct hf_quantity_source *of,
                               const struct hf_optimisation *found, struct hf_optimiser *optimiser,
                               struct hf_error *error) HF_MUST_CHECK;

/** Takes the steps of the checkpoint that the calculation continues from, if their constraints and goal are those of
 *  this run. *point: where the search goes on, found->n_point if it has ended; *state [*n]: of the optimiser there;
 *  NULL: it starts anew. Collective. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_optimisation_resume(const struct hf_quantity_source *of, struct hf_optimisation *found,
                                 int *point, double **state, int *n,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Value that the scan is to have at a point. */
double hf_optimisation_value(const struct hf_optimisation *self, int point);

/** Writes the trajectory, if one was asked for: extended XYZ with the charge, the multiplicity and
 *  energies. On rank 0. */
void hf_optimisation_write(struct hf_quantity *quantity);

/** For the report: title of the steps; the last step. */
void hf_optimisation_print_head(const struct hf_quantity *quantity);
void hf_optimisation_print_step(const struct hf_quantity *quantity);

/** For the report: the first step of a point of a search for a saddle point; a last step with more or fewer removed
 *  functions than the step before; changed bonds, which constraints may cause; a point that failed. */
void hf_optimisation_begin_tell(const struct hf_quantity *quantity);
void hf_optimisation_tell_removed(const struct hf_quantity *quantity);
void hf_optimisation_tell_bonds(const struct hf_quantity *quantity, int point, bool at_end,
                                const double (*from)[3], const double (*to)[3]);
void hf_optimisation_tell_failure(const struct hf_quantity *quantity, int point, const char *why);

/** The result for the report. */
void hf_optimisation_tell(const struct hf_quantity *quantity);

#endif
