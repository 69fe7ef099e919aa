/* A molecule, its basis, and a folder for the checkpoints of a test. */
#ifndef HF_TEST_CHECKPOINT_FIXTURE_H
#define HF_TEST_CHECKPOINT_FIXTURE_H

#include "../mpi_test.h"

#include "hf/basis.h"

/** The folder, and the checkpoint in it, the same on all ranks. */
extern char folder[], path[80];

/** Water, with a ghost and something outside. */
extern const struct hf_molecule molecule;

struct hf_basis *make_basis(struct hf_context *context);

/** cmocka's set-up and teardown: both collective. */
int make_folder(void **state);
int remove_folder(void **state);

#endif
