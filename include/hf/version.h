/* The version of hf that a program is compiled with, and of the library it runs with. */
#ifndef HF_VERSION_H
#define HF_VERSION_H

#include "hf/status.h"

#define HF_VERSION_MAJOR 0
#define HF_VERSION_MINOR 1
#define HF_VERSION_PATCH 0
#define HF_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Version of the library, e.g. "0.1.0". Not collective; needs no MPI. */
const char *hf_version(void);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
