/* MPI windows: if one cannot be made, all ranks return an error and the program does not end. */
#ifndef HF_MPI_WINDOW_H
#define HF_MPI_WINDOW_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** Memory with a window (MPI_Win_allocate).
 *
 *  n_bytes   of this rank; whole cache lines (MPICH 4.0.2 finds parts of other ranks of a node at wrong addresses if
 *            the parts before are not multiples of 16 bytes)
 *  unit      bytes per displacement
 *  node      ranks of `comm` that share memory, because their parts may lie in one segment of /dev/shm; MPI_COMM_NULL
 *            for small parts: each rank checks the room for its own part
 *  label     name of the memory in messages
 *
 *  *memory and *window are set if HF_OK is returned; MPI_Win_free frees both. Errors in later calls on the window are
 *  fatal, the default of MPI.
 *
 *  Room in /dev/shm and in each rank's address space is checked and agreed on before the collective call. Without
 *  room, libraries crash later, or one rank fails inside the call and the others wait.
 *
 *  Call     collective over `comm`; same outcome on every rank.
 *  Errors   HF_NO_RESOURCE: no room; or the library cannot make windows here (Open MPI's component "pt2pt", used
 *           between hosts over TCP, if threads may call MPI).
 *  Source   MPI 3.1, 11.2.2 (MPI_Win_allocate), 8.3.1 (error handlers of communicators). */
hf_status hf_mpi_window_allocate(MPI_Comm comm, MPI_Comm node, size_t n_bytes, int unit,
                                 const char *label, void **memory, MPI_Win *window,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Whether this rank could map n_bytes of memory shared by its node: /dev/shm and the address space of the process
 *  have room for them. Not collective. */
bool hf_shared_memory_has_room(size_t n_bytes);

/** Whether `mine` is true on every rank of `comm`. Collective. */
bool hf_all_say(MPI_Comm comm, bool mine);

#endif
