/* The orbitals of a checkpoint as a start for another calculation. */
#include "calculation_private.h"

#include "hf/checkpoint.h"

#include <stdlib.h>
#include <string.h>

struct hf_guess_file {
    struct hf_checkpoint checkpoint;
    struct hf_scf_orbitals orbitals; /**< of it */
};

const struct hf_option_value *hf_guess_file_given(const struct hf_options *options)
{
    const char *guess = hf_options_choice(options, "guess");
    for (int i = 0; hf_guess_list[i] != NULL; i++)
        if (strcmp(hf_guess_name(hf_guess_list[i]), guess) == 0) return NULL;
    return hf_options_given(options, "guess");
}

/** Names the file in front of what is wrong with its orbitals, which scf knows nothing of. */
static hf_status check(const struct hf_checkpoint *checkpoint, const struct hf_molecule *molecule,
                       const struct hf_option_value *given, struct hf_error *error)
{
    const int there = hf_molecule_n_core(&checkpoint->molecule);
    const int here = hf_molecule_n_core(molecule);
    if (checkpoint->state.n_column[0] == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: %.300s has no orbitals to begin with: its calculation ended in the "
                       "first iteration",
                       given->where, checkpoint->path);
    if (there != here)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: %.300s has %d electrons in effective core potentials, this calculation "
                       "%d: its orbitals are others",
                       given->where, checkpoint->path, there, here);
    return HF_OK;
}

hf_status hf_guess_file_open(struct hf_calculation *calculation, const struct hf_options *options,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_option_value *given = hf_guess_file_given(options);
    const char *path = hf_options_choice(options, "guess");
    struct hf_context *context = calculation->context;
    const struct hf_checkpoint *restart = calculation->restart;
    if (given == NULL) return HF_OK;
    if (restart != NULL && restart->state.n_column[0] > 0) return HF_OK; /* goes on without it */
    struct hf_guess_file *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a checkpoint");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_checkpoint_load(context, path, &made->checkpoint, error));
    const struct hf_checkpoint *checkpoint = &made->checkpoint;
    HF_TRY(
        check(checkpoint, &calculation->input.molecule, given, error)); /* the same on every rank */
    made->orbitals = (struct hf_scf_orbitals){
        .molecule = &checkpoint->molecule,
        .basis = checkpoint->basis,
        .n_spin = checkpoint->state.n_spin,
        .read = checkpoint->state.read,
        .data = checkpoint->state.data,
    };
    memcpy(made->orbitals.n_column, checkpoint->state.n_column, sizeof made->orbitals.n_column);
    calculation->settings.orbitals = &made->orbitals;
    calculation->guess_file = made;
    return HF_OK;
cleanup:
    hf_guess_file_close(&made);
    return status;
}

void hf_guess_file_close(struct hf_guess_file **file)
{
    if (*file == NULL) return;
    hf_checkpoint_done(&(*file)->checkpoint);
    free(*file);
    *file = NULL;
}
