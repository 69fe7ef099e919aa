/* The list of grains. */
#include "hf/grain.h"

#include <stddef.h>
#include <string.h>

const struct hf_grain_entry hf_grain_list[] = {
    {.name = "atom-quartet",
     .about = "all shell quartets of four atoms",
     .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
             "Fig. 8.2",
     .grain = HF_GRAIN_ATOM_QUARTET},
    {.name = "shell-pair",
     .about = "one pair of shells with all other pairs",
     .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
             "Figs. 7.1 (b) and 7.3",
     .grain = HF_GRAIN_SHELL_PAIR},
    {.name = "shell-quartet",
     .about = "one quartet of shells",
     .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
             "Fig. 7.1 (a)",
     .grain = HF_GRAIN_SHELL_QUARTET},
    {.name = NULL},
};

const char *hf_grain_name(enum hf_grain grain)
{
    for (int i = 0; hf_grain_list[i].name != NULL; i++)
        if (hf_grain_list[i].grain == grain) return hf_grain_list[i].name;
    return "?";
}
