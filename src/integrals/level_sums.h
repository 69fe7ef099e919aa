/* Sums of levels with a density, for derivatives; see gradient.h. */
#ifndef HF_LEVEL_SUMS_H
#define HF_LEVEL_SUMS_H

#include "base/lanes.h"

/** E^m, l^m and k^m (gradient.h) of one vector of primitive quartets; the first index is m = 0 or 1. */
struct level_sums {
    lanes energy[2], bra[2][3], ket[2][3];
};

#endif
