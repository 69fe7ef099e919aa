/* The orbitals of a checkpoint or TREXIO file, or of such files of fragments, as the guess of a calculation. */
#include "calculation_private.h"

#include <stdlib.h>
#include <string.h>

static const struct hf_option_value *given_file(const struct hf_options *options)
{
    const char *guess = hf_options_choice(options, "guess");
    for (int i = 0; hf_guess_list[i] != NULL; i++)
        if (strcmp(hf_guess_name(hf_guess_list[i]), guess) == 0) return NULL;
    return hf_options_given(options, "guess");
}

hf_status hf_guess_file_name(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_option_value *given = given_file(calculation->options);
    if (given == NULL) return HF_OK;
    size_t n = 1;
    for (const char *comma = given->text; (comma = strchr(comma, ',')) != NULL; comma++) n++;
    struct hf_arena *arena = &calculation->arena;
    struct hf_guess_file *made = HF_TAKE(arena, made, 1);
    struct hf_guess_source *source = HF_TAKE(arena, source, n);
    HF_CHECK(hf_arena_check(arena, error));
    *made = (struct hf_guess_file){.where = given->where, .source = source};
    calculation->guess_file = made;
    for (const char *name = given->text; name != NULL;) {
        const char *comma = strchr(name, ',');
        const size_t length = comma != NULL ? (size_t)(comma - name) : strlen(name);
        if (length == 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: a name between the commas of %.300s is empty; expected "
                           "FILE,FILE,... without blanks",
                           given->where, given->text);
        source[made->n_source++].path = hf_word_copy(arena, (struct hf_word){name, (int)length});
        name = comma != NULL ? comma + 1 : NULL;
    }
    return hf_arena_check(arena, error);
}

/** Whether there are orbitals; the message names the file. */
static hf_status check_orbitals(const struct hf_checkpoint *checkpoint, const char *where,
                                struct hf_error *error)
{
    if (checkpoint->state.n_column[0] == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: %.300s has no orbitals: its calculation ended in the first iteration",
                       where, checkpoint->path);
    return HF_OK;
}

static hf_status check_cores(const struct hf_checkpoint *checkpoint,
                             const struct hf_molecule *molecule, const char *where,
                             struct hf_error *error)
{
    const int there = hf_molecule_n_core(&checkpoint->molecule);
    const int here = hf_molecule_n_core(molecule);
    if (there != here)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: %.300s has %d electrons in effective core potentials, this calculation "
                       "%d: its orbitals cannot be used",
                       where, checkpoint->path, there, here);
    return HF_OK;
}

/** Collective. */
static hf_status open_source(struct hf_context *context, const char *where,
                             struct hf_guess_source *source, struct hf_error *error)
{
    const struct hf_checkpoint *checkpoint = &source->checkpoint;
    hf_status status =
        hf_checkpoint_load_orbitals(context, source->path, &source->checkpoint, error);
    if (status == HF_OK) status = check_orbitals(checkpoint, where, error); /* on every rank */
    if (status != HF_OK) return status;
    source->orbitals = (struct hf_scf_orbitals){
        .molecule = &checkpoint->molecule,
        .basis = checkpoint->basis,
        .n_spin = checkpoint->state.n_spin,
        .read = checkpoint->state.read,
        .data = checkpoint->state.data,
    };
    memcpy(source->orbitals.n_column, checkpoint->state.n_column, sizeof source->orbitals.n_column);
    return HF_OK;
}

/** Several files as one. Not collective; the same on every rank. */
static hf_status join(struct hf_guess_file *file, const struct hf_molecule *molecule,
                      struct hf_error *error)
{
    struct hf_scf_fragment *fragment = calloc((size_t)file->n_source, sizeof *fragment);
    if (fragment == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for fragments");
    for (int i = 0; i < file->n_source; i++)
        fragment[i] = (struct hf_scf_fragment){file->source[i].path, &file->source[i].orbitals};
    struct hf_error why = {0};
    hf_status status =
        hf_scf_fragments_join(molecule, file->n_source, fragment, &file->fragments, &why);
    if (status != HF_OK) status = hf_fail(error, status, "%s: %s", file->where, why.message);
    free(fragment);
    return status;
}

hf_status hf_guess_file_open(struct hf_calculation *calculation, struct hf_error *error)
{
    struct hf_context *context = calculation->context;
    struct hf_guess_file *file = calculation->guess_file;
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const struct hf_checkpoint *restart = calculation->restart;
    if (file == NULL) return HF_OK;
    if (restart != NULL && restart->state.n_column[0] > 0) return HF_OK; /* goes on without it */
    for (int i = 0; i < file->n_source; i++)
        HF_CHECK(open_source(context, file->where, &file->source[i], error));
    calculation->settings.orbitals = &file->source[0].orbitals;
    if (file->n_source == 1) {
        HF_CHECK(check_cores(&file->source[0].checkpoint, molecule, file->where, error));
    } else {
        HF_CHECK(hf_agree(context->comm, join(file, molecule, error), error));
        calculation->settings.orbitals = hf_scf_fragments_orbitals(file->fragments);
    }
    return HF_OK;
}

void hf_guess_file_close(struct hf_guess_file **file)
{
    if (*file == NULL) return;
    hf_scf_fragments_destroy(&(*file)->fragments);
    for (int i = 0; i < (*file)->n_source; i++) hf_checkpoint_done(&(*file)->source[i].checkpoint);
    *file = NULL;
}
