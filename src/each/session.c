/* Calculations in memory, one after the other or many at once; see hf/run_json.h. */
#include "hf/run_json.h"

#include "basis/basis_sets.h"
#include "each/each.h"
#include "each_private.h"
#include "hf/interruption.h"
#include "hf/linalg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hf_session {
    struct hf_context *context;
    struct hf_basis_sets *sets;
    struct hf_options options; /**< none is given */
    struct hf_each_start start;
    struct hf_results_files files; /**< none */
    char *output;
    int (*asked)(void *data, double fraction); /**< of hf_session_watch */
    void *asked_data;
    bool began_mpi;
};

/** Creates a session; `world`: initialises MPI if need be, and takes all ranks. */
static hf_status create(bool world, MPI_Comm comm, struct hf_session **session,
                        struct hf_error *error)
{
    struct hf_session *made;
    struct hf_error own;
    int initialised, level;
    hf_status status = HF_OK;
    if (error == NULL) error = &own;
    *session = NULL;
    MPI_Initialized(&initialised);
    const bool begins = world && !initialised;
    if (begins) {
        hf_linalg_set_blas_threads(1);
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    }
    if (world) comm = MPI_COMM_WORLD;
    HF_CHECK(hf_run_check_mpi(comm, error));
    made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a session");
    HF_TRY(hf_agree(comm, status, error));
    made->began_mpi = begins;
    hf_options_init(&made->options, hf_option_table());
    HF_TRY(hf_agree(comm, hf_basis_sets_create(&made->sets, error), error));
    HF_TRY(hf_context_create(comm, &made->context, error));
    made->context->basis_sets = made->sets;
    *session = made;
    return HF_OK;
cleanup:
    hf_session_destroy(&made);
    return status;
}

hf_status hf_session_create(MPI_Comm comm, struct hf_session **session, struct hf_error *error)
{
    return create(false, comm, session, error);
}

hf_status hf_session_create_for(int comm, struct hf_session **session, struct hf_error *error)
{
    if (comm == -1) return create(true, MPI_COMM_NULL, session, error);
    HF_CHECK(hf_run_check_mpi(MPI_COMM_SELF, error));
    return create(false, MPI_Comm_f2c(comm), session, error);
}

void hf_session_size(const struct hf_session *session, int *n_rank, int *rank)
{
    *n_rank = session->context->n_rank;
    *rank = session->context->rank;
}

void hf_session_watch(struct hf_session *session, int (*asked)(void *data, double fraction),
                      void *data)
{
    session->asked = asked;
    session->asked_data = data;
    hf_interruption_watch(session->context->interruption, asked, data);
}

/** Gives the text of rank 0 to all ranks. Collective. */
static hf_status share_output(struct hf_session *session, struct hf_error *error)
{
    struct hf_context *context = session->context;
    hf_status status = HF_OK;
    int64_t n = session->output != NULL ? (int64_t)strlen(session->output) + 1 : 0;
    MPI_Bcast(&n, 1, MPI_INT64_T, 0, context->comm);
    if (context->rank > 0) session->output = malloc((size_t)n);
    if (session->output == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the answer");
    HF_CHECK(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, (size_t)n, session->output);
    return HF_OK;
}

hf_status hf_session_run(struct hf_session *session, const char *input, const char **output,
                         struct hf_error *error)
{
    static const char *const name[] = {"the input"};
    struct hf_error own;
    const uint64_t sum = hf_hash_add_text(HF_HASH_EMPTY, input);
    struct hf_each_worker worker = {session->context, &session->options, &session->start,
                                    &session->files, .whole = true};
    struct hf_molecule_result result = {0};
    if (error == NULL) error = &own;
    *output = NULL;
    HF_CHECK(hf_agree_on_same(session->context->comm, 1, name, &sum, error));
    if (input == NULL) return hf_fail(error, HF_BAD_INPUT, "the input is NULL");
    const struct hf_molecule_record record = {"input", input, strlen(input), NULL};
    HF_CHECK(hf_molecule_compute(&worker, &record, 0, &result, error));
    free(session->output);
    session->output = result.json;
    result.json = NULL;
    hf_molecule_result_done(&result);
    HF_CHECK(share_output(session, error));
    *output = session->output;
    return HF_OK;
}

void hf_session_destroy(struct hf_session **session)
{
    struct hf_session *old = *session;
    if (old == NULL) return;
    hf_each_start_done(&old->start);
    const bool stuck = old->context != NULL && old->context->stuck_in_mpi;
    hf_context_destroy(&old->context);
    hf_basis_sets_destroy(&old->sets);
    hf_options_done(&old->options);
    free(old->output);
    if (old->began_mpi && !stuck) MPI_Finalize();
    free(old);
    *session = NULL;
}

hf_status hf_run_json(MPI_Comm comm, const char *input, char **output, struct hf_error *error)
{
    struct hf_session *session = NULL;
    struct hf_error own;
    const char *text;
    hf_status status;
    if (error == NULL) error = &own;
    *output = NULL;
    HF_CHECK(hf_session_create(comm, &session, error));
    HF_TRY(hf_session_run(session, input, &text, error));
    *output = session->output;
    session->output = NULL;
cleanup:
    hf_session_destroy(&session);
    return status;
}

/** Inputs of a caller as records. */
struct inputs {
    const struct hf_run_each_settings *settings;
    char name[40];
};

static hf_status make_record(void *data, int64_t i, struct hf_molecule_record *record,
                             struct hf_error *error)
{
    struct inputs *self = data;
    const char *text = self->settings->next(self->settings->data);
    (void)error;
    snprintf(self->name, sizeof self->name, "input %" PRId64, i);
    *record = (struct hf_molecule_record){self->name, text, text != NULL ? strlen(text) : 0, NULL};
    return HF_OK;
}

static void hand_on(void *data, long long i, const char *output)
{
    const struct inputs *self = data;
    self->settings->result(self->settings->data, i, output);
}

/** Adds the keys of the settings. Those that only the program knows would have no effect. */
static hf_status add_keys(const struct hf_run_each_settings *settings, struct hf_options *options,
                          struct hf_error *error)
{
    for (int i = 0; i < settings->n_key; i++)
        HF_CHECK(hf_run_add_key(options, settings->key[i].key, settings->key[i].value, error));
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option *option = options->value[i].option;
        if (hf_each_is_of_job(option) || hf_each_refuses(option))
            return hf_fail(error, HF_BAD_INPUT, "%s is no setting of calculations in memory",
                           option->key);
    }
    return HF_OK;
}

hf_status hf_run_each(struct hf_session *session, const struct hf_run_each_settings *settings,
                      bool *all_good, struct hf_error *error)
{
    struct hf_error own;
    static const char *const name[] = {"the list of keys"};
    struct hf_options options;
    struct inputs inputs = {settings, ""};
    const struct hf_each_settings each = {
        .source = {.n_made = INT64_MAX, .make = make_record, .data = &inputs},
        .result = hand_on,
        .options = &options,
        .asked = settings->asked,
        .asked_data = settings->data};
    hf_status status;
    if (error == NULL) error = &own;
    *all_good = false;
    hf_options_init(&options, hf_option_table());
    HF_TRY(hf_agree(session->context->comm, add_keys(settings, &options, error), error));
    const uint64_t sum = hf_each_hash_settings(&options);
    HF_TRY(hf_agree_on_same(session->context->comm, 1, name, &sum, error));
    HF_TRY(hf_each(session->context, &each, all_good, error));
cleanup:
    hf_interruption_watch(session->context->interruption, session->asked, session->asked_data);
    hf_interruption_settle(session->context->interruption); /* of a request after the last input */
    hf_options_done(&options);
    return status;
}
