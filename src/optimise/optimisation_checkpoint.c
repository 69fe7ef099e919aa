/* An optimisation in a checkpoint: the state of its optimiser and its steps, to go on from. */
#include "optimise/optimisation.h"

#include "checkpoint/checkpoint.h"

#include <string.h>

hf_status hf_optimisation_keep(const struct hf_quantity_source *of,
                               const struct hf_optimisation *found, struct hf_optimiser *optimiser,
                               struct hf_error *error)
{
    struct hf_context *context = of->context;
    const int n_col = hf_optimisation_n_packed(found);
    struct hf_checkpoint_addition *addition = NULL;
    struct hf_arena arena = {.label = "the search of a structure"};
    int size = optimiser != NULL ? (int)hf_optimiser_state_size(optimiser) : 0;
    double *steps = HF_TAKE(&arena, steps, (size_t)found->n_step * (size_t)n_col);
    double *state = optimiser != NULL ? HF_TAKE(&arena, state, (size_t)size) : NULL;
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) hf_optimisation_pack(found, steps);
    if (optimiser != NULL && status == HF_OK) status = hf_optimiser_save(optimiser, state, error);
    HF_TRY(hf_agree(context->comm, status, error));
    MPI_Bcast(&size, 1, MPI_INT, 0, context->comm);
    HF_TRY(hf_checkpoint_add_begin(context, of->checkpoint, HF_CHECKPOINT_OPTIMISATION,
                                   "search of a structure: state of the optimiser, steps so far",
                                   &addition, error));
    if (size > 0) /* of a search that has ended there is none */
        HF_TRY(hf_checkpoint_add_shares(
            addition, HF_CHECKPOINT_OPTIMISATION "/state", size, 1, NULL,
            "numbers, next place, last place, gradient, second derivatives", NULL, state, error));
    if (found->n_step > 0)
        HF_TRY(hf_checkpoint_add_shares(
            addition, HF_CHECKPOINT_OPTIMISATION "/steps", found->n_step, n_col, NULL,
            "energy, change, largest and RMS force and displacement, builds, point, end; places",
            NULL, steps, error));
cleanup:
    status = hf_checkpoint_add_end(&addition, status, error);
    hf_arena_done(&arena);
    return status;
}

/** A matrix of the checkpoint that the calculation goes on from, on all ranks; *value NULL: there is none. */
static hf_status read_added(const struct hf_quantity_source *of, struct hf_arena *arena,
                            const char *name, int *n_row, int n_col, double **value,
                            struct hf_error *error)
{
    int shape[2] = {0};
    const struct hf_checkpoint *restart = of->restart;
    struct hf_context *context = of->context;
    *value = NULL;
    if (context->rank == 0 && !hf_checkpoint_added(restart, name, &shape[0], &shape[1]))
        shape[0] = 0;
    MPI_Bcast(shape, 2, MPI_INT, 0, context->comm);
    if (shape[0] < 1 || shape[1] != n_col) return HF_OK;
    *n_row = shape[0];
    HF_TAKE(arena, *value, (size_t)shape[0] * (size_t)n_col);
    HF_CHECK(hf_agree(context->comm, hf_arena_check(arena, error), error));
    return hf_checkpoint_added_shares(context, restart, name, *n_row, n_col, NULL, *value, error);
}

/** Whether lengths in constraints are in the unit of the run of the checkpoint. */
static bool has_kept_units(const struct hf_quantity_source *of)
{
    const char *kept = hf_checkpoint_setting(of->restart, "units");
    return kept != NULL && strcmp(kept, hf_options_choice(of->options, "units")) == 0;
}

/** Whether options of this run say what the run of the checkpoint said. Local. */
static bool are_kept(const struct hf_quantity_source *of, const char *const keys[])
{
    for (int i = 0; keys[i] != NULL; i++) {
        const struct hf_option_value *given = hf_options_given(of->options, keys[i]);
        const char *kept = hf_checkpoint_setting(of->restart, keys[i]);
        if (given == NULL || given->level == HF_OPTION_RESTART) continue;
        if (given->option->type == HF_OPTION_TEXT && !has_kept_units(of)) return false;
        const char *text = given->text;
        if (given->option->type == HF_OPTION_FLAG) {
            text = hf_options_flag(of->options, keys[i]) ? "yes" : "no";
            if (kept == NULL) kept = "no";
        }
        if (kept == NULL || strcmp(kept, text) != 0) return false;
    }
    return true;
}

hf_status hf_optimisation_resume(const struct hf_quantity_source *of, struct hf_optimisation *found,
                                 int *point, double **state, int *n, struct hf_error *error)
{
    static const char *const goal[] = {"constraint", "scan", "saddle", NULL};
    static const char *const criteria[] = {"max_force", "rms_force", "max_displacement",
                                           "rms_displacement", NULL};
    const int n_col = hf_optimisation_n_packed(found);
    double *steps = NULL;
    int n_step = 0;
    *state = NULL;
    if (of->restart == NULL || !are_kept(of, goal)) return HF_OK;
    HF_CHECK(
        read_added(of, &found->arena, HF_CHECKPOINT_OPTIMISATION "/state", n, 1, state, error));
    HF_CHECK(read_added(of, &found->arena, HF_CHECKPOINT_OPTIMISATION "/steps", &n_step, n_col,
                        &steps, error));
    const double *last = steps != NULL ? steps + (size_t)(n_step - 1) * (size_t)n_col : NULL;
    const bool ended =
        last != NULL && hf_optimisation_packed_converged(last); /* at the point of this step */
    if (last == NULL || (*state == NULL && !ended)) n_step = 0;
    HF_CHECK(
        hf_agree(of->context->comm, hf_optimisation_unpack(found, n_step, steps, error), error));
    if (n_step > 0) *point = found->step[n_step - 1].point;
    if (!ended) return HF_OK;
    *state = NULL;
    if (*point + 1 < found->n_point || are_kept(of, criteria)) ++*point;
    return HF_OK;
}
