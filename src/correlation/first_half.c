/* Computes (ia|rs) from integrals: collects all kets of a bra in a panel. */
#include "bra.h"

#include "hf/timer.h"
#include "text/trace.h"
#include "work/work.h"

/** Small blocks share chunks. A chunk has 1/PART of all numbers so far, but at least LEAST_CHUNK and at most
 *  MOST_CHUNK. */
enum { LEAST_CHUNK = 1 << 17, MOST_CHUNK = 1 << 22, PART = 16 };

/** Numbers of a cache line. */
enum { LINE = 8 };

/** Data shared by the threads of a rank. */
struct pass {
    struct hf_mp2 *mp2;
    struct hf_mp2_panel panel;
};

/** Data of a thread, for one bra RS. */
struct transformer {
    const struct pass *pass;
    struct hf_mp2 *mp2; /**< borrowed */
    struct hf_mp2_bra bra;
    double *plane;          /**< plane of one rs */
    const double **row;     /**< [n] */
    size_t length;          /**< length of rows over functions: n, padded */
    double *half;           /**< [i][length]: (in|rs) of one rs */
    double *packed;         /**< the same, packed as left matrix */
    struct hf_arena blocks; /**< of the thread */
    double *free;           /**< free room for small blocks */
    size_t n_free, n_taken;
    double n_flop, seconds; /**< for matrix products */
};

/* ---- Blocks ---------------------------------------------------------------------------------- */

/** Adds a chunk of n numbers to a thread; NULL: no memory. */
static double *add_chunk(struct transformer *own, size_t n)
{
    own->n_taken += n;
    return hf_arena_take_unset(&own->blocks, n, sizeof(double));
}

/** Room for n numbers of a thread, in whole cache lines; NULL: no memory. */
static double *find_room(struct transformer *own, size_t n)
{
    const size_t part = own->n_taken / PART;
    const size_t usual = part < LEAST_CHUNK ? LEAST_CHUNK : part < MOST_CHUNK ? part : MOST_CHUNK;
    n = (n + LINE - 1) / LINE * LINE;
    if (n > usual / PART) return add_chunk(own, n);
    if (own->free == NULL || n > own->n_free) {
        own->free = add_chunk(own, usual);
        own->n_free = usual;
    }
    double *room = own->free;
    if (room == NULL) return NULL;
    own->free += n;
    own->n_free -= n;
    return room;
}

void hf_mp2_drop_blocks(struct hf_mp2 *mp2)
{
    for (int64_t k = 0; mp2->block != NULL && k < mp2->pairs->n_pair; k++) mp2->block[k] = NULL;
    hf_arena_done(&mp2->stored);
}

/** hf_pass.end: passes a thread's results to mp2. */
static void end(void *self, void *data)
{
    struct transformer *own = self;
    struct hf_mp2 *mp2 = ((const struct pass *)data)->mp2;
    hf_arena_join(&mp2->stored, &own->blocks);
    mp2->result->n_flop[0] += own->n_flop;
    mp2->result->cpu_seconds[0] += own->seconds;
}

/* ---- One bra --------------------------------------------------------------------------------- */

/** Transforms a plane of a bra to (ia|rs) of the batch's orbitals, in its block. */
static void transform_plane(const struct pass *pass, struct transformer *own, size_t rs,
                            size_t n_bra, double *block)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    const int n = mp2->merged->n_function;
    hf_mp2_panel_fill(&pass->panel, &own->bra.strips, rs, own->plane);
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
        const int n_i = pass->panel.n_i[spin];
        const size_t length = orbitals->length;
        if (n_i == 0) continue;
        hf_mp2_panel_quarter(&pass->panel, spin, own->plane, own->length, own->row, own->half);
        hf_pack(n_i, n, own->half, own->length, 1, own->packed);
        mp2->multiply(&(struct hf_product){
            .n_row = n_i,
            .n_inner = n,
            .n_column = length,
            .left = own->packed,
            .right = orbitals->row,
            .to = block + hf_mp2_place(mp2, spin, mp2->batch.begin[spin], n_bra) + rs * length,
            .to_step = n_bra * length});
        own->n_flop +=
            2.0 * n_i * (pass->panel.n_element + (double)n * (double)orbitals->n_virtual);
    }
}

/** Makes the block of a bra whose panel is complete. */
static hf_status transform(const struct pass *pass, struct transformer *own, struct hf_error *error)
{
    struct hf_mp2 *mp2 = pass->mp2;
    const double start = hf_thread_seconds();
    const int64_t pair = own->bra.pair - mp2->pairs->pair;
    const size_t n_bra = hf_mp2_n_row(mp2->pairs, pair);
    const int last = mp2->n_spin - 1;
    double *block = find_room(own, hf_mp2_place(mp2, last, mp2->batch.end[last], n_bra));
    if (block == NULL) return hf_arena_check(&own->blocks, error);
    for (size_t rs = 0; rs < n_bra; rs++) transform_plane(pass, own, rs, n_bra, block);
    mp2->block[pair] = block;
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** hf_pass.item: computes a bra with all its kets. */
static hf_status do_task(void *self, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    struct transformer *own = self;
    HF_CHECK(hf_mp2_bra_compute(&own->bra, thread->worker, task, error));
    if (own->bra.pair != NULL) HF_CHECK(transform(own->pass, own, error));
    hf_work_trace_step(thread->worker, HF_TRACE_TASK, task);
    return HF_OK;
}

/* ---- All bras -------------------------------------------------------------------------------- */

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct transformer *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct pass *pass = data;
    const int *n_i = pass->panel.n_i, most_i = n_i[0] > n_i[1] ? n_i[0] : n_i[1];
    const int n = pass->mp2->merged->n_function;
    (void)error;
    own->pass = pass;
    own->mp2 = pass->mp2;
    own->blocks = (struct hf_arena){.memory = pass->mp2->stored.memory,
                                    .kind = pass->mp2->stored.kind,
                                    .label = pass->mp2->stored.label};
    own->length = hf_padded(n);
    HF_TAKE(arena, own->plane, pass->panel.plane);
    HF_TAKE(arena, own->half, (size_t)most_i * own->length);
    HF_TAKE(arena, own->packed, hf_packed_size(most_i, n));
    HF_TAKE(arena, own->row, (size_t)n);
    hf_mp2_bra_init(&own->bra, pass->mp2, arena);
    return HF_OK;
}

static const struct hf_pass of_thread = {.label = "quarters of bras",
                                         .own_bytes = sizeof(struct transformer),
                                         .begin = begin,
                                         .item = do_task,
                                         .end = end};

hf_status hf_mp2_first_half(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct pass pass = {.mp2 = mp2};
    struct hf_arena arena = hf_mp2_arena(mp2, "panel of a bra");
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = mp2->n_thread,
    };
    hf_mp2_panel_init(&pass.panel, mp2, &arena);
    HF_TRY(hf_agree(mp2->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_mp2_run_pass(mp2, &settings, &of_thread, &pass, error));
cleanup:
    hf_arena_done(&arena);
    return status;
}
