/* Which rank has the blocks of a pair of atoms. */
#ifndef HF_PAIR_OWNER_H
#define HF_PAIR_OWNER_H

/** Who has the blocks of densities and Coulomb matrices. */
struct hf_pair_owner {
    /** The rank that has those of pair number i of the list; the same on every rank, at any time. Local. */
    int (*rank)(void *data, int i);
    void *data; /**< borrowed */
};

#endif
