/* A connection to the driver that sends bytes. Not collective: only rank 0 uses it. */
#ifndef HF_SERVE_LINE_H
#define HF_SERVE_LINE_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>

struct hf_line {
    int socket;                 /**< -1: not open */
    struct hf_context *context; /**< its interruption ends any waiting; borrowed */
    const char *address;        /**< for messages; borrowed */
};

/** Checks the form of the address, not whether a driver listens. HF_BAD_INPUT. */
hf_status hf_line_check(const char *address, struct hf_error *error) HF_MUST_CHECK;

/** Connects. HF_BAD_INPUT: a bad address, or another host without `remote`; HF_NO_RESOURCE: no driver listens;
 *  HF_INTERRUPTED. */
hf_status hf_line_open(struct hf_line *line, bool remote, struct hf_error *error) HF_MUST_CHECK;

/** Reads n bytes. *closed is set if the driver closed the connection before the first byte; `closed` NULL: this is a
 *  failure. HF_NO_RESOURCE: the connection broke; HF_INTERRUPTED. */
hf_status hf_line_read(struct hf_line *line, size_t n, void *bytes, bool *closed,
                       struct hf_error *error) HF_MUST_CHECK;

/** HF_NO_RESOURCE: the connection broke; HF_INTERRUPTED. */
hf_status hf_line_write(struct hf_line *line, size_t n, const void *bytes,
                        struct hf_error *error) HF_MUST_CHECK;

void hf_line_close(struct hf_line *line);

#endif
