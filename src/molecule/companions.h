/* Files .CHRG and .UHF beside an input. */
#ifndef HF_COMPANIONS_H
#define HF_COMPANIONS_H

#include <stdbool.h>

/** One of the files. A plain struct, to be sent as bytes. */
struct hf_companion {
    bool there;
    bool understood; /**< it holds one whole number */
    int value;
    char path[512];
};

struct hf_companions {
    struct hf_companion charge;   /**< .CHRG */
    struct hf_companion unpaired; /**< .UHF: unpaired electrons */
};

/** Looks for them beside the input `path`: STEM.CHRG before .CHRG. Local. */
void hf_companions_find(const char *path, struct hf_companions *companions);

#endif
