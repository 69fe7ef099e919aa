/* The front of one-sided communication: opens a transport and its windows. */
#include "onesided_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/** Most elements of a range: a message has at most 1 GiB. */
enum { MOST_ELEMENTS = 1 << 27 };

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
    void *data = calloc(1, onesided->ops->window_bytes);
    if (made == NULL || data == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", label);
    HF_TRY(hf_agree(onesided->context->comm, status, error));
    *made = (struct hf_window){.onesided = onesided, .label = label, .size = size, .data = data};
    HF_TRY(hf_agree(onesided->context->comm, onesided->ops->window_create(made, error), error));
    *window = made;
    return HF_OK;
cleanup:
    if (made != NULL && made->onesided != NULL) {
        hf_window_destroy(&made);
    } else {
        free(made);
        free(data);
    }
    return status;
}

void hf_window_destroy(struct hf_window **window)
{
    struct hf_window *old = *window;
    if (old != NULL) {
        old->onesided->ops->window_destroy(old);
        free(old->data);
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
