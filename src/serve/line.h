/* A connection to the driver, by bytes. Not collective: rank 0 has it. */
#ifndef HF_SERVE_LINE_H
#define HF_SERVE_LINE_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>

struct hf_line {
    int socket;                 /**< -1: none */
    struct hf_context *context; /**< whose interruption ends waiting; borrowed */
    const char *address;        /**< for messages; borrowed */
};

/** Whether the address is well formed; not whether somebody listens. HF_BAD_INPUT. */
hf_status hf_line_check(const char *address, struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT: the address, or a host that is not this one without `remote`; HF_NO_RESOURCE: nobody listens.
 *  HF_INTERRUPTED. */
hf_status hf_line_open(struct hf_line *line, bool remote, struct hf_error *error) HF_MUST_CHECK;

/** Reads n bytes. `*closed` (may be NULL: that is a failure, too) if the driver closed before the first one.
 *  HF_NO_RESOURCE: broken; HF_INTERRUPTED. */
hf_status hf_line_read(struct hf_line *line, size_t n, void *bytes, bool *closed,
                       struct hf_error *error) HF_MUST_CHECK;

/** HF_NO_RESOURCE: broken; HF_INTERRUPTED. */
hf_status hf_line_write(struct hf_line *line, size_t n, const void *bytes,
                        struct hf_error *error) HF_MUST_CHECK;

void hf_line_close(struct hf_line *line);

#endif
