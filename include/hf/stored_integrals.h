/* Stored integrals: whether storing is worthwhile, which are stored, and how they are read. */
#ifndef HF_STORED_INTEGRALS_H
#define HF_STORED_INTEGRALS_H

struct hf_shell_pair;
struct hf_atom_pair;

/** What storing was expected to cost and to save when it was decided: estimates from prices measured in
 *  the run. */
struct hf_store_outlook {
    int n_build;                         /**< builds expected to follow; 0: nothing was weighed */
    double bytes;                        /**< to be stored on all ranks; 0: it was not worthwhile */
    double store_seconds, saved_seconds; /**< on one rank */
};

/** Density factors of quartets in later rounds of work, for the choice of what to store. Quartets whose bounds,
 *  times these and hf_far_factor, are below the work's store_threshold are not stored. Must not change while
 *  integrals are stored. */
struct hf_lasting {
    const void *data;
    double (*of_shells)(const void *data, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket);
    /** At least as large as for all their shell pairs. */
    double (*of_atoms)(const void *data, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket);
};

/** Readers of strips of integrals (work/work.h) may read so many bytes beyond the end of the arrays: one vector
 *  of the widest instruction set. */
enum { HF_STRIP_ROOM = 64 };

#endif
