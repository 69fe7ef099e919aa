/* The estimate of memory from the sizes of a calculation, and what of it does not fit. */
#include "memory_private.h"

#include "coulomb/coulomb.h"
#include "scf/scf_memory.h"

#include <math.h>

/** Of a process with its libraries beside what it holds before the first integral: buffers of BLAS,
 *  code that is then read, and those of MPI and ScaLAPACK where there are several ranks. Measured on
 *  Debian 12: 2 to 5 MB alone, 5 to 15 MB. */
static const double LIBRARY_BYTES = 12e6, PARALLEL_BYTES = 6e6;

/** Of a thread beside what is counted: its pools of the memory allocator, and what it touches of its
 *  buffer for BLAS (0.6 MB of a thread, measured with products and tridiagonalisation). */
static const double THREAD_BYTES = 1.6e6;

/** Of address space: stack of a thread. */
static const double STACK_BYTES = 8.4e6;

/** Of a node, for the Coulomb pass: made when the list of pairs is. */
static double coulomb_bytes(const struct hf_memory_case *one)
{
    const double n = one->pairs.n_primitive;
    return hf_coulomb_node_bytes(n, one->pairs.n_component) + hf_coulomb_made_bytes(n);
}

struct hf_memory_need hf_memory_estimate(const struct hf_memory_case *one)
{
    const struct hf_fock_settings *fock = &one->settings.fock;
    const int n_rank = one->size.n_rank, n_node = one->size.n_node_rank;
    const int n_thread = fock->n_thread > 1 ? fock->n_thread : 1;
    const struct hf_scf_memory matrices = hf_scf_memory(&one->settings, &one->size);
    struct hf_memory_need need = {.n_node_rank = n_node};
    need.program = one->resident + LIBRARY_BYTES + (n_rank > 1 ? PARALLEL_BYTES : 0.0);
    need.matrices = matrices.of_first + matrices.of_node / n_node + one->kept;
    const bool apart = one->apart && fock->coulomb != HF_COULOMB_EXACT;
    need.pairs = (one->pairs.list_bytes + hf_fock_task_bytes(fock, n_rank, &one->pairs) +
                  fmax(one->pairs.made_bytes, apart ? coulomb_bytes(one) : 0.0)) /
                 n_node;
    need.threads = n_thread * (one->thread_bytes + (apart ? hf_coulomb_thread_bytes() : 0.0) +
                               matrices.of_thread + THREAD_BYTES);
    need.stored = fmin(fock->memory_bytes, one->stored_most / n_rank);
    need.rank = need.program + need.matrices + need.pairs + need.threads + need.stored;
    need.after = fmax(one->after, one->beside > 0.0 ? one->beside + need.stored : 0.0);
    if (one->differentiates) need.after += n_thread * one->pairs.gradient_bytes;
    need.rank += fmax(0.0, need.after - need.stored);
    need.node = n_node * need.rank - (n_node - 1) * (matrices.of_first - matrices.of_other);
    return need;
}

static void take_worse(struct hf_memory_excess *worst, double need, double left, const char *of,
                       const char *by)
{
    if (!(need - left > worst->bytes)) return;
    *worst = (struct hf_memory_excess){
        .bytes = need - left, .need = need, .left = left, .of = of, .by = by};
}

struct hf_memory_excess hf_memory_compare(const struct hf_memory_case *one,
                                          const struct hf_memory_room *room)
{
    const struct hf_memory_need need = hf_memory_estimate(one);
    const struct hf_memory_limits *limits = &room->limits;
    struct hf_memory_excess worst = {.bytes = 0.0};
    const int n_node = need.n_node_rank;
    const double held = room->n_node_rank * one->resident;
    const double in_group = (double)room->n_group_rank / room->n_node_rank;
    const int n_more_thread = one->settings.fock.n_thread > 1 ? one->settings.fock.n_thread - 1 : 0;
    const double stacks = n_more_thread * STACK_BYTES;
    /* every rank of a node maps all of what they share */
    const double shared =
        (need.pairs + hf_scf_memory(&one->settings, &one->size).of_node / n_node) * (n_node - 1);
    const double private = need.rank - one->resident;
    take_worse(&worst, need.node, limits->node_free + held, "the ranks of this node",
               "the node has free");
    take_worse(&worst, need.node * in_group, limits->group_free + held * in_group,
               "the ranks of this node", "the control group of the job leaves");
    take_worse(&worst, private + shared + stacks + HF_MAPPED_BYTES, limits->address_free, "a rank",
               "the limit of address space (RLIMIT_AS, ulimit -v) leaves");
    take_worse(&worst, private + stacks, limits->data_free, "a rank",
               "the limit of data (RLIMIT_DATA, ulimit -d) leaves");
    return worst;
}
