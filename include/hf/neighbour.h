/* The memory of another process of this machine, read past MPI. */
#ifndef HF_NEIGHBOUR_H
#define HF_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes in the memory of a process. */
struct hf_far_bytes {
    uint64_t address;
    size_t n;
};

/** This process as others of the machine know it. */
int64_t hf_neighbour_process(void);

/** Copies pieces [n] of another process's memory to `data`, one after the other. False: some of them could
 *  not be read, or the system does not let processes of a user read each other's memory (kernel.yama.ptrace_scope,
 *  containers), or has no such call. Who is meant has to be made sure of by the caller: numbers of processes
 *  mean others in other containers. Threads: safe. Not collective.
 *
 *  Source  process_vm_readv(2), Linux 3.2. */
bool hf_neighbour_read(int64_t process, int n, const struct hf_far_bytes piece[], void *data);

#ifdef __cplusplus
}
#endif
#endif
