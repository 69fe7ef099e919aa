/* The front of one-sided communication: opens a transport and its windows. */
#include "onesided_private.h"

#include <assert.h>
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
