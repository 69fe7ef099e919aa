/* Stored integrals: whether storing is worthwhile, which are stored, and how they are read. */
#ifndef HF_STORED_INTEGRALS_H
#define HF_STORED_INTEGRALS_H

struct hf_shell_pair;
struct hf_atom_pair;

/** Expected costs and savings of storing, when it was decided: estimates from times measured in the run. */
struct hf_store_outlook {
    int n_build;  /**< expected number of builds; 0: no estimate was made */
    double bytes; /**< bytes to store on all ranks; 0: storing was not worthwhile */
    double store_seconds, saved_seconds; /**< per rank */
};

/** Largest density factors that quartets are expected to meet in later rounds, for choosing which ones to store. A
 *  quartet is not stored if its bound times this factor times hf_far_factor is below the work's store_threshold. Must
 *  not change while any quartet is stored. */
struct hf_lasting {
    const void *data;
    double (*of_shells)(const void *data, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket);
    /** At least the value for any of their shell pairs. */
    double (*of_atoms)(const void *data, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket);
};

/** Code that reads strips of integrals (work/work.h) may read this number of bytes beyond the end of an array: one
 *  vector of the widest instruction set. */
enum { HF_STRIP_ROOM = 64 };

#endif
