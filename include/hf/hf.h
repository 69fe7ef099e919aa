/* The library in one header. These functions do whole calculations:
 *
 *     hf_energy      atoms and the name of a basis set in, energy out
 *     hf_run         settings or an input file in; result, wave function and record out
 *     hf_run_json    a QCSchema input in, the answer out; hf_run_each: many of them
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
#include "hf/run_json.h"
#include "hf/scf.h"
#include "hf/status.h"
#include "hf/units.h"
#include "hf/version.h"
#include "hf/wavefunction.h"

#endif
