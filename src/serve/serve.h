/* Another program drives hf by the i-PI socket protocol; hf is the client that computes.
 *
 *     driver (i-PI, ASE)   STATUS                     hf   READY, or HAVEDATA if there are forces
 *                          INIT     bead, text             read and ignored
 *                          POSDATA  cell, positions        computes
 *                          GETFORCE                        FORCEREADY energy, forces, virial
 *                          EXIT, or a closed socket        ends
 *
 * Headers have 12 characters, numbers are 4-byte integers and 8-byte reals in the format of this machine, in atomic
 * units. The cell has no meaning for a molecule: it is ignored, and the virial is zero.
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

/** Whether the options ask for a driver. If so, checks them and sets the task to "gradient". Call after the input is
 *  read and before hf_calculation_prepare. Not collective; the same on every rank. HF_BAD_INPUT: the address, or
 *  options that write files. */
hf_status hf_serve_settle(struct hf_options *options, bool *serves,
                          struct hf_error *error) HF_MUST_CHECK;

/** Serves a driver with the prepared calculation until the driver ends. `out` (borrowed) gets a line for each
 *  geometry on rank 0. Collective. Errors: see hf_serve. */
hf_status hf_serve_calculation(struct hf_calculation *calculation, const struct hf_options *options,
                               FILE *out, struct hf_error *error) HF_MUST_CHECK;

/** Connects to the driver (waits some seconds until it listens) and computes points of the surface of `n_atom` atoms
 *  until it sends EXIT or closes the connection between two messages. Only rank 0 communicates; the others sleep in
 *  the meantime.
 *
 *  address  "unix:NAME" (the socket /tmp/ipi_NAME, or a path if NAME has a slash) or "HOST:PORT", also with "tcp:" in
 *           front; other hosts are refused unless `remote`
 *  out      NULL: nothing is written
 *  Call     collective; same outcome on every rank
 *  Errors   HF_BAD_INPUT: a bad address, a message outside the protocol, another number of atoms, impossible
 *           positions; HF_NOT_CONVERGED: an SCF did not converge; HF_NO_RESOURCE: no driver listens, the connection
 *           breaks, memory; HF_INTERRUPTED. The connection is closed in each case. */
hf_status hf_serve(struct hf_context *context, const char *address, bool remote, int n_atom,
                   struct hf_surface *surface, FILE *out, struct hf_error *error) HF_MUST_CHECK;

#endif
