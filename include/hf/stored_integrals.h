/* Stored integrals: whether storing is worthwhile, which are stored, and how they are read. */
#ifndef HF_STORED_INTEGRALS_H
#define HF_STORED_INTEGRALS_H

struct hf_shell_pair;
struct hf_atom_pair;

/** What storing was expected to cost and to save when it was decided: estimates from prices measured in
 *  the run. */
struct hf_store_outlook {
    int n_build;                         /**< that were likely to come; 0: nothing was weighed */
    double bytes;                        /**< to be stored on all ranks; 0: it was not worthwhile */
    double store_seconds, saved_seconds; /**< on one rank */
};

/** What quartets meet in rounds of work to come, for the choice of what to store. Quartets whose bounds,
 *  times what they meet and hf_far_factor, are below the work's store_threshold are not stored. Must not
 *  change while anything is. */
struct hf_lasting {
    const void *data;
    double (*of_shells)(const void *data, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket);
    /** At least that of all their shell pairs. */
    double (*of_atoms)(const void *data, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket);
};

/** What reads strips of integrals (work/work.h) may read so many bytes beyond the end of their arrays: one
 *  vector of the widest instruction set. */
enum { HF_STRIP_ROOM = 64 };

#endif
