/* Which ranks compute which molecules. Knows only their seconds and bytes: hf-simulate runs it, too.
 *
 *     molecule       0    1    2    3 ...           seconds of a rank alone   40 12 2 2 ...
 *     longest first: [ranks 2 to 5 | 0 and 1]       the others: a scheduler deals them to ranks that have no group,
 *                                                   and to the ranks of groups that are ready */
#ifndef HF_EACH_DIVIDE_H
#define HF_EACH_DIVIDE_H

#include "schedule/schedule.h"

struct hf_context;

/** A molecule that several ranks compute at once. */
struct hf_shared_molecule {
    int molecule, n_rank;
    double seconds; /**< on one rank */
};

/** Chooses the molecules of a window that are shared: those that would be the last to end, and those that need the
 *  memory of several ranks. All are computed at once if there are ranks enough. Local.
 *
 *  shared  [n], of which the first ones are set: longest molecule first
 *  Returns their number. */
int hf_molecules_share(int n, const double seconds[], const double bytes[], int all_ranks,
                       double rank_bytes, struct hf_shared_molecule shared[]);

/** Gives ranks to shared molecules, from the last rank on, because rank 0 writes. Those for which there are not enough
 *  ranks are left in the list for another call. Local, the same list on all ranks.
 *
 *  *n_ready  ranks 0 .. *n_ready - 1 have no molecule
 *  Returns the place of this rank's molecule in the window, or -1. */
int hf_molecules_assign(int *n_shared, struct hf_shared_molecule shared[], int all_ranks, int rank,
                        int *n_ready);

/** Molecules that ranks compute, and how. */
struct hf_molecule_work {
    const struct hf_context *context; /**< borrowed, as all others */
    struct hf_scheduler *scheduler;   /**< of its ranks */
    int n_shared, n_small;
    struct hf_shared_molecule *shared; /**< [n_shared] of groups */
    double *small; /**< [n_small] seconds of those that the scheduler deals; of shared ones 0 */
    /** Collective over the ranks of `comm`, a group. */
    hf_status (*together)(void *data, MPI_Comm comm, int molecule, struct hf_error *error);
    hf_status (*alone)(void *data, int molecule, struct hf_error *error);
    void *data;
};

/** One round: groups compute one molecule each, while the scheduler deals the small ones; ranks of groups join when they are
 *  ready. Shared molecules that have to wait are left for the next round: n_shared; n_small becomes 0. Returns what this
 *  rank found. Collective. */
hf_status hf_molecules_round(struct hf_molecule_work *work, struct hf_error *error) HF_MUST_CHECK;

#endif
