/* Checksums of a molecule and of a basis: of checkpoints, and of what all ranks are to have alike. */
#ifndef HF_CHECKSUM_H
#define HF_CHECKSUM_H

#include "hf/basis.h"
#include "hf/molecule.h"

#include <stdint.h>

/** FNV-1a of atoms, charge, multiplicity, point charges and field; of shells and core potentials. They stand in
 *  checkpoints. Not collective. */
uint64_t hf_molecule_checksum(const struct hf_molecule *molecule);
uint64_t hf_basis_checksum(const struct hf_basis *basis);

#endif
