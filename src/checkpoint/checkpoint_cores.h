/* Effective core potentials in a checkpoint. */
#ifndef HF_CHECKPOINT_CORES_H
#define HF_CHECKPOINT_CORES_H

#include "checkpoint_hdf5.h"
#include "hf/checkpoint.h"

/** Writes those of a basis, if it has some. */
void hf_checkpoint_put_cores(struct hf_hdf5_writer *writer, const struct hf_basis *basis);

/** Gives them to the basis of the checkpoint, and the cores that follow to its molecule. */
void hf_checkpoint_read_cores(struct hf_hdf5_reader *reader, struct hf_checkpoint *self);

#endif
