/* Windows of MPI whose refusal is an error of all ranks, not the end of the program. */
#ifndef HF_MPI_WINDOW_H
#define HF_MPI_WINDOW_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** Room in memory for a window: what MPI_Win_allocate takes.
 *
 *  n_bytes   of this rank; whole cache lines (MPICH 4.0.2 looks for the parts of other ranks of a
 *            node in places a few bytes off when the parts before are not multiples of 16 bytes)
 *  unit      bytes that displacements count in
 *  node      ranks of `comm` that share memory, for they may get their parts from one segment of
 *            /dev/shm; MPI_COMM_NULL where the parts are small: each rank asks for room for its own
 *  label     names the memory in messages
 *
 *  *memory and *window are set when HF_OK is returned; MPI_Win_free frees both. Errors in later calls
 *  on the window are fatal, as MPI has it.
 *
 *  What can be known before the collective call is asked for and agreed upon first: room in /dev/shm
 *  and in the address space of each rank. Libraries notice the lack of it when one rank fails inside
 *  the call and the others wait, or by dying later.
 *
 *  Call     collective over `comm`; same outcome on every rank.
 *  Errors   HF_NO_RESOURCE: no room; or the library makes no windows here, as Open MPI's component
 *           "pt2pt" when threads may call MPI, which it takes between hosts over TCP.
 *  Source   MPI 3.1, 11.2.2 (MPI_Win_allocate), 8.3.1 (error handlers of communicators). */
hf_status hf_mpi_window_allocate(MPI_Comm comm, MPI_Comm node, size_t n_bytes, int unit,
                                 const char *label, void **memory, MPI_Win *window,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Whether this rank could map that many bytes of memory shared by its node: /dev/shm has as many, and
 *  so does the address space that the process may have. Not collective. */
bool hf_shared_memory_has_room(size_t n_bytes);

/** Whether every rank of `comm` says so. Collective. */
bool hf_all_say(MPI_Comm comm, bool mine);

#endif
