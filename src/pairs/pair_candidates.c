/* Finding the pairs of shells that may matter; see pair_candidates.h. */
#include "pair_candidates.h"

#include "hf/interruption.h"
#include "integrals/engine.h"
#include "pair_share.h"

#include <math.h>
#include <string.h>

/** A row of pairs of atoms that a worker has found. */
struct found_row {
    int atom;
    int n; /**< candidates */
};

/** What one thread of a rank finds. */
struct worker {
    struct hf_pair_share share; /**< of one row */
    struct hf_shell_pairs list; /**< the same as a list, for the engine */
    struct hf_engine *engine;
    struct hf_pair_candidate *value;
    int64_t n_value, n_allocated;
    struct found_row *row; /**< [rows of this rank] */
    int n_row;
    int bad_a, bad_b; /**< atoms of a pair whose integrals are no numbers, from 1; 0: none */
    bool done;        /**< nothing went wrong */
};

static void worker_done(struct worker *worker)
{
    hf_engine_destroy(&worker->engine);
    hf_arena_done(&worker->share.arena);
}

/** Local. HF_NO_RESOURCE: memory, or what the engine says. */
static hf_status worker_init(struct worker *worker, const struct hf_shell_pairs *pairs,
                             const struct hf_class_table *classes, struct hf_error *error)
{
    const size_t n_row = (size_t)(pairs->basis->n_atom / pairs->context->n_rank) + 1;
    *worker = (struct worker){.list = *pairs, .done = true};
    hf_pair_share_init(&worker->share, pairs, classes);
    HF_TAKE(&worker->share.arena, worker->row, n_row);
    hf_status status = hf_arena_check(&worker->share.arena, error);
    if (status != HF_OK) return status;
    worker->list.pair = classes->largest;
    worker->list.n_pair = pairs->n_class;
    status = hf_engine_create(&worker->list, &worker->engine, error);
    if (status == HF_OK) hf_engine_set_threshold(worker->engine, 0.0);
    worker->list.pair = NULL;
    worker->list.n_pair = 0;
    return status;
}

/** (mn|mn)^(1/2), the largest of the functions of a pair; not finite when any is not. fmax would leave
 *  such a pair out without a word. */
static double schwarz_bound(struct hf_engine *engine, const struct hf_shell_pairs *list,
                            const struct hf_shell_pair *pair)
{
    const int n = list->class_of[pair->pair_class].n_function;
    const struct hf_integral_batch batch = hf_engine_two_electron(engine, pair, 1, &pair);
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        const double integral = fabs(batch.value[(size_t)k * n + k]);
        if (!isfinite(integral)) return HUGE_VAL;
        largest = fmax(largest, integral);
    }
    return sqrt(largest);
}

/** Makes room for the pairs of the share behind the candidates so far. */
static bool reserve(struct worker *worker)
{
    return hf_arena_grow(&worker->share.arena, &worker->value,
                         worker->n_value + worker->share.n_pair, &worker->n_allocated,
                         sizeof *worker->value);
}

/** Appends a pair of shells, one of them of `atom_b`. False: its integrals are no numbers. */
static bool add_candidate(struct worker *worker, const struct hf_shell_pair *pair, int atom_b)
{
    const double bound = schwarz_bound(worker->engine, &worker->list, pair);
    worker->value[worker->n_value++] = (struct hf_pair_candidate){
        .bound = bound, .n_primitive = pair->n_primitive, .atom_b = atom_b};
    if (isfinite(bound)) return true;
    worker->bad_a = worker->list.basis->shell[pair->a].atom + 1;
    worker->bad_b = worker->list.basis->shell[pair->b].atom + 1;
    return false;
}

/** The pairs of an atom with those up to it. False: no memory, no numbers, or the run is to end. */
static bool find_row(struct worker *worker, int atom, const struct hf_context *context, bool alone)
{
    enum { PAIRS_PER_LOOK = 16 };
    struct hf_pair_share *share = &worker->share;
    hf_pair_share_clear(share);
    for (int b = 0; b <= atom; b++)
        if (!hf_pair_share_add(share, atom, b)) return false;
    if (!reserve(worker)) return false;
    worker->list.primitive = share->primitive;
    hf_engine_forget_pairs(worker->engine);
    for (int k = 0; k < share->n_atom_pair; k++) {
        const struct hf_atom_pair *group = &share->atom_pair[k];
        for (int i = 0; i < group->n_pair; i++) {
            const struct hf_shell_pair *pair = &share->pair[group->first_pair + i];
            if (i % PAIRS_PER_LOOK == 0 && hf_interruption_look(context->interruption, alone) != 0)
                return false;
            if (!add_candidate(worker, pair, group->atom_b)) return false;
        }
    }
    worker->row[worker->n_row++] = (struct found_row){atom, (int)share->n_pair};
    return true;
}

/** All rows of this rank. Local. */
static hf_status find_rows(const struct hf_context *context, int n_atom, int n_worker,
                           struct worker worker[], struct hf_error *error)
{
    bool done = true;
#pragma omp parallel num_threads(n_worker)
#pragma omp for schedule(static, 1)
    for (int t = 0; t < n_worker; t++)
        for (int a = context->rank + t * context->n_rank; worker[t].done && a < n_atom;
             a += n_worker * context->n_rank)
            worker[t].done = find_row(&worker[t], a, context, n_worker == 1);
    for (int t = 0; t < n_worker; t++) done = done && worker[t].done;
    if (done) return HF_OK;
    const int reason = hf_interruption_look(context->interruption, true);
    if (reason != 0) return hf_interrupted(error, reason);
    for (int t = 0; t < n_worker; t++)
        if (worker[t].bad_a > 0)
            return hf_fail(
                error, HF_BAD_INPUT,
                "two-electron integrals of shells of atoms %d and %d are beyond the range "
                "of double precision: exponents or coefficients of the basis set are "
                "absurd",
                worker[t].bad_a, worker[t].bad_b);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
}

/** Where the rows begin, from what all ranks have found. Collective. */
static void count_rows(const struct hf_context *context, int n_atom, int n_worker,
                       const struct worker worker[], struct hf_pair_candidates *made)
{
    for (int t = 0; t < n_worker; t++)
        for (int k = 0; k < worker[t].n_row; k++)
            made->row[worker[t].row[k].atom + 1] = worker[t].row[k].n;
    MPI_Allreduce(MPI_IN_PLACE, made->row, n_atom + 1, MPI_INT64_T, MPI_SUM, context->comm);
    for (int a = 0; a < n_atom; a++) made->row[a + 1] += made->row[a];
}

/** Brings together what stands in the copies of several nodes, zero where it is not theirs. */
static void join_nodes(const struct hf_context *context, struct hf_node_memory *shared)
{
    enum { PIECE = 1 << 28 };
    /* those with private memory, all or none, speak for themselves */
    const MPI_Comm comm = hf_node_memory_firsts(context, shared);
    unsigned char *bytes = shared->data;
    int n = 1;
    hf_node_memory_sync(shared);
    if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &n);
    for (size_t first = 0; n > 1 && first < shared->n_bytes; first += PIECE) {
        const size_t left = shared->n_bytes - first;
        MPI_Allreduce(MPI_IN_PLACE, bytes + first, left < PIECE ? (int)left : PIECE, MPI_BYTE,
                      MPI_BOR, comm);
    }
    hf_node_memory_sync(shared);
}

/** Puts the candidates of this rank where all find them. Collective. */
static hf_status share_rows(struct hf_context *context, int n_atom, int n_worker,
                            const struct worker worker[], struct hf_pair_candidates *made,
                            struct hf_error *error)
{
    double largest = 0.0;
    HF_CHECK(hf_node_memory_create(context, HF_MEMORY_PAIRS, "shell pair bounds",
                                   (size_t)made->row[n_atom] * sizeof *made->value, &made->shared,
                                   error));
    struct hf_pair_candidate *value = made->shared->data;
    for (int t = 0; t < n_worker; t++) {
        const struct hf_pair_candidate *from = worker[t].value;
        for (int k = 0; k < worker[t].n_row; k++) {
            const struct found_row *row = &worker[t].row[k];
            for (int i = 0; i < row->n; i++) largest = fmax(largest, from[i].bound);
            if (row->n > 0)
                memcpy(value + made->row[row->atom], from, (size_t)row->n * sizeof *from);
            from += row->n;
        }
    }
    join_nodes(context, made->shared);
    MPI_Allreduce(&largest, &made->bound, 1, MPI_DOUBLE, MPI_MAX, context->comm);
    made->value = value;
    return HF_OK;
}

hf_status hf_pair_candidates_init(const struct hf_shell_pairs *pairs,
                                  const struct hf_class_table *classes, int n_thread,
                                  struct hf_pair_candidates *made, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = pairs->context;
    const int n_atom = pairs->basis->n_atom;
    *made = (struct hf_pair_candidates){
        .arena = {.memory = context->memory, .label = "the shell pairs"}};
    struct worker *worker = HF_TAKE(&made->arena, worker, (size_t)n_thread);
    HF_TAKE(&made->arena, made->row, (size_t)n_atom + 1);
    status = hf_arena_check(&made->arena, error);
    for (int t = 0; t < n_thread && status == HF_OK; t++)
        status = worker_init(&worker[t], pairs, classes, error);
    if (status == HF_OK) status = find_rows(context, n_atom, n_thread, worker, error);
    HF_TRY(hf_agree(context->comm, status, error));
    count_rows(context, n_atom, n_thread, worker, made);
    HF_TRY(share_rows(context, n_atom, n_thread, worker, made, error));
cleanup:
    for (int t = 0; worker != NULL && t < n_thread; t++) worker_done(&worker[t]);
    if (status != HF_OK) hf_pair_candidates_done(made);
    return status;
}

void hf_pair_candidates_done(struct hf_pair_candidates *candidates)
{
    hf_node_memory_destroy(&candidates->shared);
    hf_arena_done(&candidates->arena);
    *candidates = (struct hf_pair_candidates){0};
}
