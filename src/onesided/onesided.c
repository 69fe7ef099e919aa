/* The front of one-sided communication: opens a transport and its windows. */
#include "onesided_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/** Most elements of a range: a message has at most 1 GiB. */
enum { MOST_ELEMENTS = 1 << 27 };

hf_status hf_transport_open(struct hf_context *context, const struct hf_transport_ops *transport,
                            enum hf_accumulate accumulate, struct hf_onesided **onesided,
                            struct hf_error *error)
{
    struct hf_onesided *made;
    if (HF_NEW(made, NULL, "one-sided communication") != NULL) {
        made->ops = transport;
        made->context = context;
        made->accumulate = accumulate;
        made->data = hf_arena_take(&made->arena, 1, transport->data_bytes);
    }
    HF_CHECK(hf_arena_agree_new(context, &made, HF_OK, error));
    const hf_status status = hf_agree(context->comm, transport->open(made, error), error);
    if (status == HF_OK)
        *onesided = made;
    else
        hf_onesided_destroy(&made);
    return status;
}

void hf_onesided_destroy(struct hf_onesided **onesided)
{
    if (*onesided != NULL) (*onesided)->ops->close(*onesided);
    hf_arena_free(onesided);
}

const char *hf_onesided_transport(const struct hf_onesided *onesided)
{
    return onesided->ops->name;
}

const char *hf_onesided_note(const struct hf_onesided *onesided)
{
    return onesided->note;
}

void hf_onesided_poke(struct hf_onesided *onesided)
{
    onesided->ops->poke(onesided);
}

void hf_onesided_rest(struct hf_onesided *onesided)
{
    if (onesided->ops->rest != NULL) onesided->ops->rest(onesided);
}

hf_status hf_window_create(struct hf_onesided *onesided, size_t size, const char *label,
                           struct hf_window **window, struct hf_error *error)
{
    const struct hf_transport_ops *ops = onesided->ops;
    struct hf_window *made;
    if (HF_NEW(made, NULL, label) != NULL) {
        made->onesided = onesided;
        made->label = label;
        made->size = size;
        made->data = hf_arena_take(&made->arena, 1, ops->window_bytes);
    }
    HF_CHECK(hf_arena_agree_new(onesided->context, &made, HF_OK, error));
    const hf_status status =
        hf_agree(onesided->context->comm, ops->window_create(made, error), error);
    if (status == HF_OK)
        *window = made;
    else
        hf_window_destroy(&made);
    return status;
}

void hf_window_destroy(struct hf_window **window)
{
    if (*window != NULL) (*window)->onesided->ops->window_destroy(*window);
    hf_arena_free(window);
}

double *hf_window_local(struct hf_window *window)
{
    return window->local;
}

void hf_window_begin_get(struct hf_window *window, struct hf_window_range range, double *to,
                         struct hf_window_request *request)
{
    *request = (struct hf_window_request){.request = MPI_REQUEST_NULL, .to = to};
    if (range.n == 0) return;
    assert(range.n <= (size_t)MOST_ELEMENTS);
    if (range.rank == window->onesided->context->rank)
        memcpy(to, window->local + range.offset, range.n * sizeof *to);
    else
        window->onesided->ops->begin_get(window, range, request);
}

bool hf_window_test_get(struct hf_window_request *request)
{
    int done;
    MPI_Test(&request->request, &done, MPI_STATUS_IGNORE);
    return done;
}

void hf_window_end_get(struct hf_window *window, struct hf_window_request *request)
{
    if (request->request != MPI_REQUEST_NULL) window->onesided->ops->end_get(window, request);
}

void hf_window_get(struct hf_window *window, struct hf_window_range range, double *to)
{
    struct hf_window_request request;
    hf_window_begin_get(window, range, to, &request);
    hf_window_end_get(window, &request);
}

void hf_window_accumulate(struct hf_window *window, struct hf_window_range range,
                          const double *from)
{
    assert(range.n <= (size_t)MOST_ELEMENTS);
    if (range.n > 0) window->onesided->ops->accumulate(window, range, from);
}

void hf_window_fence(struct hf_window *window)
{
    window->onesided->ops->fence(window);
}

void hf_window_clear(struct hf_window *window)
{
    if (window->size > 0) memset(window->local, 0, window->size * sizeof *window->local);
    hf_window_fence(window);
}

/* ---- The list of transports, and the choice of one that works -------------------------------- */

/** The work of a self-test is the same for any number of ranks; the time to create windows and connections
 *  grows. */
static const double SELF_TEST_SECONDS = 20.0, SELF_TEST_SECONDS_PER_RANK = 0.01;

const struct hf_transport_ops *const hf_transport_list[] = {&hf_transport_thread, &hf_transport_rma,
                                                            NULL};

const char *hf_transport_name(const struct hf_transport_ops *transport)
{
    return transport->name;
}

const char *hf_transport_about(const struct hf_transport_ops *transport)
{
    return transport->about;
}

const char *hf_accumulate_name(enum hf_accumulate accumulate)
{
    return accumulate == HF_ACCUMULATE_CALLER ? "caller" : "owner";
}

static const struct hf_transport_ops *find(const char *name)
{
    for (int i = 0; hf_transport_list[i] != NULL; i++)
        if (strcmp(hf_transport_list[i]->name, name) == 0) return hf_transport_list[i];
    return NULL;
}

double hf_onesided_test_seconds(int n_rank)
{
    return SELF_TEST_SECONDS + SELF_TEST_SECONDS_PER_RANK * n_rank;
}

/** Tests one transport, unless the settings skip the test, and opens it. Collective. */
static hf_status try_transport(struct hf_context *context, const struct hf_transport_ops *transport,
                               const struct hf_onesided_settings *settings,
                               struct hf_onesided **onesided, struct hf_error *error)
{
    const double seconds = settings->self_test_seconds > 0.0
                               ? settings->self_test_seconds
                               : hf_onesided_test_seconds(context->n_rank);
    if (!settings->skip_self_test)
        HF_CHECK(hf_transport_self_test(context, transport, settings->accumulate, seconds, error));
    HF_CHECK(hf_transport_open(context, transport, settings->accumulate, onesided, error));
    if (settings->skip_self_test)
        snprintf((*onesided)->note, sizeof(*onesided)->note, "onesided %s was not tested",
                 transport->name);
    return HF_OK;
}

hf_status hf_onesided_create(struct hf_context *context,
                             const struct hf_onesided_settings *settings,
                             struct hf_onesided **onesided, struct hf_error *error)
{
    const struct hf_transport_ops *wanted = find(settings->transport);
    struct hf_error why, why_not_other;
    if (wanted == NULL)
        return hf_fail(error, HF_BAD_INPUT, "unknown one-sided transport '%s'",
                       settings->transport);
    if (try_transport(context, wanted, settings, onesided, &why) == HF_OK) return HF_OK;
    for (int i = 0; hf_transport_list[i] != NULL; i++) {
        const struct hf_transport_ops *other = hf_transport_list[i];
        if (other == wanted) continue;
        if (try_transport(context, other, settings, onesided, &why_not_other) != HF_OK) continue;
        snprintf((*onesided)->note, sizeof(*onesided)->note, "using onesided %s, since %s: %.400s",
                 other->name, wanted->name, why.message);
        return HF_OK;
    }
    return hf_fail(error, HF_NO_RESOURCE, "no one-sided transport works; %s: %.400s; other: %.400s",
                   wanted->name, why.message, why_not_other.message);
}
