/* The library in one header. Two functions do whole calculations:
 *
 *     hf_energy      atoms and the name of a basis set in, energy out
 *     hf_run         settings or an input file in; result, wave function and record out
 *
 * Compile and link with `pkg-config --cflags --libs hf`. Examples: docs/examples. */
#ifndef HF_HF_H
#define HF_HF_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/linalg.h"
#include "hf/molecule.h"
#include "hf/properties.h"
#include "hf/record.h"
#include "hf/run.h"
#include "hf/scf.h"
#include "hf/status.h"
#include "hf/units.h"
#include "hf/version.h"
#include "hf/wavefunction.h"

#endif
