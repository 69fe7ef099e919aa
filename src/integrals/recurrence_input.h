/* What the recurrences of the two-electron engine work on. All that the generated files include: they
 * are compiled again only where this changes. */
#ifndef HF_RECURRENCE_INPUT_H
#define HF_RECURRENCE_INPUT_H

#include "hf/boys.h"
#include "hf/lanes.h"

#include <stdbool.h>
#include <stddef.h>

/** What the recurrences need of HF_WIDTH primitive quartets: one of the bra, HF_WIDTH of the ket. */
struct lane_quartet {
    const lanes *qc; /**< [3], of all quartets with these primitives of the ket */
    lanes pa[3], wp[3], wq[3];
    lanes one_over_two_zeta, one_over_two_eta, one_over_two_sum; /**< 1/(2z), 1/(2e), 1/(2(z+e)) */
    lanes rho_over_zeta, rho_over_eta;
    lanes s[HF_BOYS_MAX_ORDER + 1]; /**< (ss|ss)^(m) */
};

#endif
