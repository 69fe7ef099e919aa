/* The front of one-sided communication: choice of the transport, windows. */
#include "onesided_private.h"

#include "hf/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Of a range: a message is no more than 1 GiB. */
enum { MOST_ELEMENTS = 1 << 27 };

/** The work of a self-test is the same for every rank, but windows and connections are made by all of
 *  them together. */
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

hf_status hf_transport_open(struct hf_context *context, const struct hf_transport_ops *transport,
                            enum hf_accumulate accumulate, struct hf_onesided **onesided,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_onesided *made = calloc(1, sizeof *made);
    if (made == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for one-sided communication");
    HF_TRY(hf_agree(context->comm, status, error));
    made->ops = transport;
    made->context = context;
    made->accumulate = accumulate;
    HF_TRY(hf_agree(context->comm, transport->open(made, error), error));
    *onesided = made;
    return HF_OK;
cleanup:
    if (made != NULL && made->ops != NULL)
        hf_onesided_destroy(&made);
    else
        free(made);
    return status;
}

double hf_onesided_test_seconds(int n_rank)
{
    return SELF_TEST_SECONDS + SELF_TEST_SECONDS_PER_RANK * n_rank;
}

/** Tests one transport, unless that is not wanted, and opens it. Collective. */
static hf_status try_transport(struct hf_context *context, const struct hf_transport_ops *transport,
                               const struct hf_onesided_settings *settings,
                               struct hf_onesided **onesided, struct hf_error *error)
{
    const double seconds = settings->self_test_seconds > 0.0
                               ? settings->self_test_seconds
                               : hf_onesided_test_seconds(context->n_rank);
    hf_status status;
    if (!settings->skip_self_test)
        HF_TRY(hf_transport_self_test(context, transport, settings->accumulate, seconds, error));
    HF_TRY(hf_transport_open(context, transport, settings->accumulate, onesided, error));
    if (settings->skip_self_test)
        snprintf((*onesided)->note, sizeof(*onesided)->note, "onesided %s was not tested",
                 transport->name);
cleanup:
    return status;
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

void hf_onesided_destroy(struct hf_onesided **onesided)
{
    struct hf_onesided *old = *onesided;
    if (old != NULL) {
        old->ops->close(old);
        free(old);
    }
    *onesided = NULL;
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
    hf_status status = HF_OK;
    struct hf_window *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", label);
    HF_TRY(hf_agree(onesided->context->comm, status, error));
    *made = (struct hf_window){.onesided = onesided, .label = label, .size = size};
    HF_TRY(hf_agree(onesided->context->comm, onesided->ops->window_create(made, error), error));
    *window = made;
    return HF_OK;
cleanup:
    if (made != NULL && made->onesided != NULL)
        hf_window_destroy(&made);
    else
        free(made);
    return status;
}

void hf_window_destroy(struct hf_window **window)
{
    struct hf_window *old = *window;
    if (old != NULL) {
        old->onesided->ops->window_destroy(old);
        free(old);
    }
    *window = NULL;
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
