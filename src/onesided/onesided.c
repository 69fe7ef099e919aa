/* The front of one-sided communication: choice of the transport, arrays, access to blocks. */
#include "onesided_private.h"

#include "hf/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SELF_TEST_SECONDS = 20.0;

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

/** Tests one transport and opens it. Collective. */
static hf_status try_transport(struct hf_context *context, const struct hf_transport_ops *transport,
                               const struct hf_onesided_settings *settings,
                               struct hf_onesided **onesided, struct hf_error *error)
{
    const double seconds =
        settings->self_test_seconds > 0.0 ? settings->self_test_seconds : SELF_TEST_SECONDS;
    hf_status status;
    HF_TRY(hf_transport_self_test(context, transport, settings->accumulate, seconds, error));
    HF_TRY(hf_transport_open(context, transport, settings->accumulate, onesided, error));
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

hf_status hf_block_array_create(struct hf_onesided *onesided, const struct hf_block_layout *layout,
                                const char *label, struct hf_block_array **array,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_block_array *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", label);
    HF_TRY(hf_agree(onesided->context->comm, status, error));
    *made = (struct hf_block_array){.onesided = onesided,
                                    .layout = layout,
                                    .label = label,
                                    .local_size = hf_block_layout_local_size(layout)};
    HF_TRY(hf_agree(onesided->context->comm, onesided->ops->array_create(made, error), error));
    *array = made;
    return HF_OK;
cleanup:
    if (made != NULL && made->onesided != NULL)
        hf_block_array_destroy(&made);
    else
        free(made);
    return status;
}

void hf_block_array_destroy(struct hf_block_array **array)
{
    struct hf_block_array *old = *array;
    if (old != NULL) {
        old->onesided->ops->array_destroy(old);
        free(old);
    }
    *array = NULL;
}

double *hf_block_array_local(struct hf_block_array *array)
{
    return array->local;
}

void hf_block_array_begin_get(struct hf_block_array *array, int i, int j, double *to,
                              struct hf_block_request *request)
{
    const struct hf_block_place place = hf_block_layout_find(array->layout, i, j);
    const size_t size = hf_block_layout_block_size(array->layout, i, j);
    *request = (struct hf_block_request){.request = MPI_REQUEST_NULL, .to = to};
    if (size == 0) return;
    if (place.rank == array->onesided->context->rank)
        memcpy(to, array->local + place.offset, size * sizeof *to);
    else
        array->onesided->ops->begin_get(array, place, size, request);
}

void hf_block_array_end_get(struct hf_block_array *array, struct hf_block_request *request)
{
    if (request->request != MPI_REQUEST_NULL) array->onesided->ops->end_get(array, request);
}

void hf_block_array_get(struct hf_block_array *array, int i, int j, double *to)
{
    struct hf_block_request request;
    hf_block_array_begin_get(array, i, j, to, &request);
    hf_block_array_end_get(array, &request);
}

void hf_block_array_accumulate(struct hf_block_array *array, int i, int j, const double *from)
{
    const size_t size = hf_block_layout_block_size(array->layout, i, j);
    if (size > 0)
        array->onesided->ops->accumulate(array, hf_block_layout_find(array->layout, i, j), size,
                                         from);
}

void hf_block_array_fence(struct hf_block_array *array)
{
    array->onesided->ops->fence(array);
}
