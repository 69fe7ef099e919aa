/* hf driven by another program: the i-PI socket protocol, of which this is the client that computes.
 *
 *     driver (i-PI, ASE)   STATUS                     hf   READY, or HAVEDATA when there are forces
 *                          INIT     bead, text             read and ignored
 *                          POSDATA  cell, positions        computes
 *                          GETFORCE                        FORCEREADY energy, forces, virial
 *                          EXIT, or a closed socket        ends
 *
 * Headers have 12 characters, numbers are 4-byte integers and 8-byte reals as this machine has them, in atomic
 * units. The cell has no meaning for a molecule: it is ignored and the virial is zero.
 *
 * Source: Ceriotti, More, Manolopoulos, Comput. Phys. Commun. 185, 1019 (2014). */
#ifndef HF_SERVE_H
#define HF_SERVE_H

#include "hf/context.h"
#include "hf/status.h"
#include "run/calculation.h"
#include "surface/surface.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdio.h>

/** Whether the options ask for a driver. If they do, they are checked, and the task becomes that of a gradient; to be
 *  called between the input and hf_calculation_prepare. Not collective; the same on every rank. HF_BAD_INPUT: the
 *  address, or files to write. */
hf_status hf_serve_settle(struct hf_options *options, bool *serves,
                          struct hf_error *error) HF_MUST_CHECK;

/** Does what a driver asks of the prepared calculation, until it ends; `out` (borrowed) gets a line for each geometry
 *  on rank 0. Collective. Errors: those of hf_serve. */
hf_status hf_serve_calculation(struct hf_calculation *calculation, const struct hf_options *options,
                               FILE *out, struct hf_error *error) HF_MUST_CHECK;

/** Connects to the driver, waiting some seconds until it listens, and computes points of the surface of `n_atom` atoms
 *  until it says EXIT or closes the connection between two messages. Rank 0 talks; the others sleep meanwhile.
 *
 *  address  "unix:NAME" (the socket /tmp/ipi_NAME, or a path if NAME has a slash) or "HOST:PORT", also with "tcp:" in
 *           front; hosts other than this one are refused unless `remote`
 *  out      NULL: nothing is written
 *  Call     collective; same outcome on every rank
 *  Errors   HF_BAD_INPUT: address, a message that is none of the protocol, other atoms than are computed, places that
 *           no calculation can be of; HF_NOT_CONVERGED: an SCF; HF_NO_RESOURCE: nobody listens, a connection that
 *           breaks, memory; HF_INTERRUPTED. The connection is closed in each case. */
hf_status hf_serve(struct hf_context *context, const char *address, bool remote, int n_atom,
                   struct hf_surface *surface, FILE *out, struct hf_error *error) HF_MUST_CHECK;

#endif
