/* Block arrays: the layout says where a block is, the window reaches it. */
#include "onesided/block_array.h"

#include "onesided_private.h"

#include <stdlib.h>

struct hf_block_array {
    const struct hf_block_layout *layout; /**< borrowed */
    struct hf_window *window;             /**< owned */
};

static struct hf_window_range find(const struct hf_block_array *array, int i, int j)
{
    const struct hf_block_place place = hf_block_layout_find(array->layout, i, j);
    return (struct hf_window_range){.rank = place.rank,
                                    .offset = place.offset,
                                    .n = hf_block_layout_block_size(array->layout, i, j)};
}

hf_status hf_block_array_create(struct hf_onesided *onesided, const struct hf_block_layout *layout,
                                const char *label, struct hf_block_array **array,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_block_array *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", label);
    HF_TRY(hf_agree(onesided->context->comm, status, error));
    made->layout = layout;
    HF_TRY(hf_window_create(onesided, hf_block_layout_local_size(layout), label, &made->window,
                            error));
    *array = made;
    return HF_OK;
cleanup:
    free(made);
    return status;
}

void hf_block_array_destroy(struct hf_block_array **array)
{
    struct hf_block_array *old = *array;
    if (old != NULL) {
        hf_window_destroy(&old->window);
        free(old);
    }
    *array = NULL;
}

double *hf_block_array_local(struct hf_block_array *array)
{
    return hf_window_local(array->window);
}

void hf_block_array_begin_get(struct hf_block_array *array, int i, int j, double *to,
                              struct hf_window_request *request)
{
    hf_window_begin_get(array->window, find(array, i, j), to, request);
}

void hf_block_array_end_get(struct hf_block_array *array, struct hf_window_request *request)
{
    hf_window_end_get(array->window, request);
}

void hf_block_array_get(struct hf_block_array *array, int i, int j, double *to)
{
    hf_window_get(array->window, find(array, i, j), to);
}

void hf_block_array_accumulate(struct hf_block_array *array, int i, int j, const double *from)
{
    hf_window_accumulate(array->window, find(array, i, j), from);
}

void hf_block_array_fence(struct hf_block_array *array)
{
    hf_window_fence(array->window);
}

void hf_block_array_clear(struct hf_block_array *array)
{
    hf_window_clear(array->window);
}
