/* Version of the library. */
#include "hf/version.h"

const char *hf_version(void)
{
    return HF_VERSION;
}
