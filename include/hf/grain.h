/* Grains: which two-electron integrals one task covers, and their names. */
#ifndef HF_GRAIN_H
#define HF_GRAIN_H

#include "hf/status.h"

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

enum hf_grain {
    HF_GRAIN_ATOM_QUARTET,
    HF_GRAIN_SHELL_PAIR, /**< one bra pair with all its ket pairs */
    HF_GRAIN_SHELL_QUARTET,
};

/** A grain with its name in options, reports and files. */
struct hf_grain_entry {
    const char *name, *about, *cite;
    enum hf_grain grain;
};

/** All grains; the entry after the last has name NULL. */
extern const struct hf_grain_entry hf_grain_list[];

/** Name of a grain. */
const char *hf_grain_name(enum hf_grain grain);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
