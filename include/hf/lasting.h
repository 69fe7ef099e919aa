/* What quartets meet in rounds of work to come, for the choice of what to store. */
#ifndef HF_LASTING_H
#define HF_LASTING_H

#include "hf/shell_pair.h"

/** Quartets whose bounds, times what they meet and hf_far_factor, are below the work's store_threshold are
 *  not stored. Must not change while anything is. */
struct hf_lasting {
    const void *data;
    double (*of_shells)(const void *data, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket);
    /** At least that of all their shell pairs. */
    double (*of_atoms)(const void *data, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket);
};

#endif
