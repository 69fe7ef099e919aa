/* The work space of BLAS is reserved at the start, while there is room for it. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "linalg_private.h"

#include <stdatomic.h>
#include <sys/mman.h>

/** Memory that OpenBLAS maps for a thread at its first computation (BUFFER_SIZE: 128 MiB on x86-64 by strace; not
 *  more on other processors), plus room for the pages around it. */
static const size_t BUFFER_BYTES = ((size_t)128 << 20) + ((size_t)1 << 20);

/* The library keeps one buffer per process, so later calls need no more memory. */
static atomic_bool has_buffer = false;

/** OpenBLAS's dsymm allocates the buffer for a product of any size; its dgemm does not always. */
static void make_blas_take_it(void)
{
    const int one = 1;
    const double unit = 1.0, a = 1.0, b = 1.0;
    double c = 0.0;
    dsymm_("L", "L", &one, &one, &unit, &a, &one, &b, &one, &unit, &c, &one);
}

hf_status hf_linalg_prepare_blas(struct hf_error *error)
{
    if (atomic_load(&has_buffer)) return HF_OK;
    void *room =
        mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return hf_fail(error, HF_NO_RESOURCE,
                       "BLAS needs %.0f MB of address space for its work, which are not available; "
                       "raise the limits of address space and data (ulimit -v, ulimit -d)",
                       1e-6 * (double)BUFFER_BYTES);
    munmap(room, BUFFER_BYTES);
    make_blas_take_it();
    atomic_store(&has_buffer, true);
    return HF_OK;
}
