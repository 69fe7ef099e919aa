/* From integrals to (ia|rs): a consumer of quartet work that gathers all kets of a bra in a panel. */
#include "bra.h"

#include "hf/timer.h"
#include "hf/trace.h"
#include "hf/work.h"

#include <stdlib.h>

/** Small blocks share chunks, of so many numbers at least and at most and of that part of all so far. */
enum { LEAST_CHUNK = 1 << 17, MOST_CHUNK = 1 << 22, PART = 16 };

/** What a chunk begins with; the first block is HEADER numbers behind its start. */
struct hf_mp2_chunk {
    struct hf_mp2_chunk *next;
};
enum { HEADER = 8 };

struct pass;

/** What a thread needs for one bra RS. */
struct transformer {
    const struct pass *pass;
    struct hf_mp2 *mp2; /**< borrowed */
    struct hf_mp2_bra bra;
    double *plane;              /**< of one rs */
    const double **row;         /**< [n] */
    size_t length;              /**< of rows over functions: n, padded */
    double *half;               /**< [i][length]: (in|rs) of one rs */
    double *packed;             /**< the same as left matrix */
    struct hf_mp2_chunk *chunk; /**< of its blocks */
    double *free;               /**< room for small ones */
    size_t n_free, n_taken;
    double n_flop, seconds; /**< of products */
};

/** The threads of a rank in a pass over all integrals. */
struct pass {
    struct hf_mp2 *mp2;
    struct hf_mp2_panel panel;
    struct transformer *transformer; /**< [n_thread] */
};

/* ---- Blocks ---------------------------------------------------------------------------------- */

/** A new chunk of n numbers of a thread; NULL: no memory. */
static double *add_chunk(struct transformer *own, size_t n)
{
    struct hf_mp2_chunk *chunk =
        hf_memory_allocate_unset(own->mp2->context->memory, HF_MEMORY_STORED, "integrals (ia|rs)",
                                 (HEADER + n) * sizeof(double));
    if (chunk == NULL) return NULL;
    chunk->next = own->chunk;
    own->chunk = chunk;
    own->n_taken += n;
    return (double *)(void *)chunk + HEADER;
}

/** A thread's room for n numbers, in whole cache lines; NULL: no memory. */
static double *find_room(struct transformer *own, size_t n)
{
    const size_t part = own->n_taken / PART;
    const size_t usual = part < LEAST_CHUNK ? LEAST_CHUNK : part < MOST_CHUNK ? part : MOST_CHUNK;
    n = (n + HEADER - 1) / HEADER * HEADER;
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
    while (mp2->chunk != NULL) {
        struct hf_mp2_chunk *next = mp2->chunk->next;
        hf_memory_release(mp2->context->memory, mp2->chunk);
        mp2->chunk = next;
    }
}

/** What a thread has computed goes to mp2. */
static void hand_over(struct hf_mp2 *mp2, struct transformer *own)
{
    while (own->chunk != NULL) {
        struct hf_mp2_chunk *next = own->chunk->next;
        own->chunk->next = mp2->chunk;
        mp2->chunk = own->chunk;
        own->chunk = next;
    }
    mp2->result->n_flop[0] += own->n_flop;
    mp2->result->cpu_seconds[0] += own->seconds;
}

/* ---- One bra --------------------------------------------------------------------------------- */

/** The panel of a bra to (ia|rs) of the batch's orbitals: a block. */
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

/** The block of a bra whose panel is complete. */
static hf_status transform(const struct pass *pass, struct transformer *own, struct hf_error *error)
{
    struct hf_mp2 *mp2 = pass->mp2;
    const double start = hf_thread_seconds();
    const int64_t pair = own->bra.pair - mp2->pairs->pair;
    const size_t n_bra = hf_mp2_n_row(mp2->pairs, pair);
    const int last = mp2->n_spin - 1;
    double *block = find_room(own, hf_mp2_place(mp2, last, mp2->batch.end[last], n_bra));
    if (block == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
    for (size_t rs = 0; rs < n_bra; rs++) transform_plane(pass, own, rs, n_bra, block);
    mp2->block[pair] = block;
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** hf_work_do_tasks: a bra with all its kets. */
static hf_status do_task(void *self, struct hf_worker *worker, int64_t task, struct hf_error *error)
{
    struct transformer *own = self;
    hf_status status = hf_mp2_bra_compute(&own->bra, worker, task, error);
    if (status == HF_OK && own->bra.pair != NULL) status = transform(own->pass, own, error);
    hf_work_trace_step(worker, HF_TRACE_TASK, task);
    return status;
}

/** hf_round.run */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct pass *pass = data;
    struct transformer *own = &pass->transformer[hf_worker_number(worker)];
    return hf_work_do_tasks(worker, do_task, own, error);
}

/* ---- All bras -------------------------------------------------------------------------------- */

static void pass_done(struct pass *pass)
{
    struct hf_memory *memory = pass->mp2->context->memory;
    for (int t = 0; t < pass->mp2->n_thread && pass->transformer != NULL; t++) {
        struct transformer *own = &pass->transformer[t];
        hand_over(pass->mp2, own);
        hf_mp2_bra_done(&own->bra);
        hf_memory_release(memory, own->plane);
        hf_memory_release(memory, own->half);
        hf_memory_release(memory, own->packed);
        free(own->row);
    }
    hf_mp2_panel_done(&pass->panel);
    free(pass->transformer);
}

/** Room of one thread. */
static bool make_transformer(const struct pass *pass, struct transformer *own)
{
    struct hf_mp2 *mp2 = pass->mp2;
    struct hf_memory *memory = mp2->context->memory;
    const int *n_i = pass->panel.n_i, most_i = n_i[0] > n_i[1] ? n_i[0] : n_i[1];
    const size_t n = (size_t)mp2->merged->n_function, length = hf_padded((int)n);
    *own = (struct transformer){.pass = pass, .mp2 = mp2, .length = length};
    own->plane = hf_memory_allocate_matrix(memory, "panel of a bra", pass->panel.plane, 8);
    own->half = hf_memory_allocate_matrix(memory, "quarter of a bra", (size_t)most_i * length, 8);
    own->packed =
        hf_memory_allocate_matrix(memory, "quarter of a bra", hf_packed_size(most_i, (int)n), 8);
    own->row = calloc(n, sizeof *own->row);
    const bool ok = hf_mp2_bra_init(&own->bra, mp2);
    return ok && own->plane != NULL && own->half != NULL && own->packed != NULL && own->row != NULL;
}

static hf_status pass_init(struct pass *pass, struct hf_mp2 *mp2, struct hf_error *error)
{
    *pass = (struct pass){.mp2 = mp2};
    bool ok = hf_mp2_panel_init(&pass->panel, mp2);
    pass->transformer = calloc((size_t)mp2->n_thread, sizeof *pass->transformer);
    ok = ok && pass->transformer != NULL;
    for (int t = 0; t < mp2->n_thread && ok; t++)
        ok = make_transformer(pass, &pass->transformer[t]);
    if (!ok) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the transformation");
    return HF_OK;
}

hf_status hf_mp2_first_half(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct pass pass;
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = mp2->n_thread,
    };
    HF_TRY(hf_agree(mp2->context->comm, pass_init(&pass, mp2, error), error));
    HF_TRY(hf_mp2_run_work(mp2, &settings, run, &pass, error));
cleanup:
    pass_done(&pass);
    return status;
}
