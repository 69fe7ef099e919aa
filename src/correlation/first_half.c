/* From integrals to (ia|rs): a consumer of quartet work that gathers all kets of a bra in a panel. */
#include "mp2_private.h"

#include "hf/trace.h"
#include "hf/work.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** What a thread needs for one bra RS. */
struct transformer {
    struct hf_mp2 *mp2;         /**< borrowed */
    const struct hf_part *part; /**< that is computed now */
    const struct hf_shell_pair *bra;
    size_t length;      /**< of rows over functions: n, padded */
    double *panel;      /**< [rs][m][length]: (mn|rs), zeros behind n */
    const double **row; /**< [n] rows of the panel */
    double *half;       /**< [i][length]: (in|rs) of one rs */
    double *packed;     /**< the same as left matrix */
};

/** The threads of a rank in a pass over all integrals. */
struct pass {
    struct hf_mp2 *mp2;
    atomic_int n_begun;
    int *shell_of;                   /**< [n] shell of a function */
    double *occupied[HF_MAX_SPIN];   /**< orbitals of the batch, packed */
    struct transformer *transformer; /**< [n_thread] */
};

/* ---- The consumer ---------------------------------------------------------------------------- */

/** A thread and what is the same for all. */
struct consumer {
    struct pass *pass;
    struct transformer *transformer;
};

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct consumer *consumer = self;
    (void)error;
    consumer->transformer->part = part;
    return HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct consumer *consumer = self;
    const double threshold = consumer->pass->mp2->settings->threshold;
    for (int i = 0; i < n; i++) {
        const double product = bra->bound * ket[i].pair->bound;
        ket[i].wanted =
            product >= threshold && product * hf_far_factor(bra, ket[i].pair) >= threshold;
    }
}

/** Rows of a strip go to both triangles of the panel. Where C is D the strip has each pair of shells once,
 *  in either order, and zeros for the other one. */
static void take(void *self, const struct hf_strip *strip)
{
    const struct consumer *consumer = self;
    const struct transformer *own = consumer->transformer;
    const struct hf_basis *basis = own->mp2->merged;
    const struct hf_part_ket *kets = &own->part->ket[strip->place];
    const int *shell_of = consumer->pass->shell_of;
    const size_t n = (size_t)basis->n_function, n_d = (size_t)strip->n_d;
    const size_t n_bra =
        (size_t)basis->shell[own->bra->a].n_function * (size_t)basis->shell[own->bra->b].n_function;
    const size_t first_c = (size_t)(hf_atom_first_function(basis, kets->atom_c) + strip->first_c);
    const size_t first_d = (size_t)(hf_atom_first_function(basis, kets->atom_d) + strip->first_d);
    const bool same = kets->atom_c == kets->atom_d;
    for (size_t rs = 0; rs < n_bra; rs++)
        for (size_t c = first_c; c < first_c + (size_t)strip->n_c; c++) {
            const double *value = strip->value + ((c - first_c) * n_bra + rs) * n_d;
            double *plane = own->panel + rs * n * own->length;
            double *row = plane + c * own->length + first_d;
            double *column = plane + first_d * own->length + c;
            if (!same) {
                memcpy(row, value, n_d * sizeof *row);
                for (size_t d = 0; d < n_d; d++) column[d * own->length] = value[d];
                continue;
            }
            for (size_t d = 0; d < n_d; d++) {
                row[d] += value[d];
                if (shell_of[c] != shell_of[first_d + d]) column[d * own->length] += value[d];
            }
        }
}

static const struct hf_quartet_consumer transformation = {
    .name = "mp2",
    .about = "first half of the transformation to orbitals",
    .lend = lend,
    .bound = bound,
    .take = take,
};

/* ---- One bra --------------------------------------------------------------------------------- */

/** The panel of a bra to (ia|rs) of the batch's orbitals of one spin, at `to` [i][rs][a]. */
static void transform_spin(const struct pass *pass, const struct transformer *own, int spin,
                           size_t n_bra, double *to)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
    const int n = mp2->merged->n_function;
    const int n_i = mp2->batch.end[spin] - mp2->batch.begin[spin];
    const size_t length = orbitals->length;
    if (n_i == 0) return;
    for (size_t rs = 0; rs < n_bra; rs++) {
        for (int m = 0; m < n; m++)
            own->row[m] = own->panel + (rs * (size_t)n + (size_t)m) * own->length;
        mp2->multiply(&(struct hf_product){.n_row = n_i,
                                           .n_inner = n,
                                           .n_column = own->length,
                                           .left = pass->occupied[spin],
                                           .right = own->row,
                                           .to = own->half,
                                           .to_step = own->length});
        hf_pack(n_i, n, own->half, own->length, 1, own->packed);
        mp2->multiply(&(struct hf_product){.n_row = n_i,
                                           .n_inner = n,
                                           .n_column = length,
                                           .left = own->packed,
                                           .right = orbitals->row,
                                           .to = to + rs * length,
                                           .to_step = n_bra * length});
    }
}

/** The block of a bra whose panel is complete. */
static hf_status transform(const struct pass *pass, const struct transformer *own,
                           struct hf_error *error)
{
    struct hf_mp2 *mp2 = pass->mp2;
    const int64_t pair = own->bra - mp2->pairs->pair;
    const size_t n_bra = hf_mp2_n_row(mp2->pairs, pair);
    const int last = mp2->n_spin - 1;
    const size_t n = hf_mp2_place(mp2, last, mp2->batch.end[last], n_bra);
    double *block = hf_memory_allocate_unset(mp2->context->memory, HF_MEMORY_STORED,
                                             "integrals (ia|rs)", n * sizeof *block);
    if (block == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
    for (int spin = 0; spin <= last; spin++)
        transform_spin(pass, own, spin, n_bra,
                       block + hf_mp2_place(mp2, spin, mp2->batch.begin[spin], n_bra));
    mp2->block[pair] = block;
    return HF_OK;
}

/** A task: a bra with all its kets. */
static hf_status do_task(struct pass *pass, struct transformer *own, struct hf_worker *worker,
                         int64_t task, struct hf_error *error)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    struct consumer consumer = {pass, own};
    struct hf_part part = {0};
    hf_status status = HF_OK;
    own->bra = NULL;
    for (int32_t i = 0; status == HF_OK && hf_work_find_part(worker, task, i, &part); i++) {
        if (own->bra == NULL) {
            own->bra = &mp2->pairs->pair[part.bra_begin];
            memset(own->panel, 0,
                   hf_mp2_n_row(mp2->pairs, part.bra_begin) * (size_t)mp2->merged->n_function *
                       own->length * sizeof *own->panel);
        }
        if (part.n_ket > 0)
            status = hf_work_do_part(worker, &transformation, &consumer, &part, error);
    }
    if (status == HF_OK && own->bra != NULL) status = transform(pass, own, error);
    hf_work_trace_part(worker, &part);
    return status;
}

/** hf_round.run */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct pass *pass = data;
    struct transformer *own = &pass->transformer[atomic_fetch_add(&pass->n_begun, 1)];
    hf_status status = HF_OK;
    while (status == HF_OK) {
        int64_t task;
        status = hf_work_next_task(worker, &task, error);
        if (status != HF_OK || task < 0) break;
        status = do_task(pass, own, worker, task, error);
    }
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void pass_done(struct pass *pass)
{
    struct hf_memory *memory = pass->mp2->context->memory;
    for (int t = 0; t < pass->mp2->n_thread && pass->transformer != NULL; t++) {
        const struct transformer *own = &pass->transformer[t];
        hf_memory_release(memory, own->panel);
        hf_memory_release(memory, own->half);
        hf_memory_release(memory, own->packed);
        free(own->row);
    }
    for (int spin = 0; spin < HF_MAX_SPIN; spin++) hf_memory_release(memory, pass->occupied[spin]);
    free(pass->transformer);
    free(pass->shell_of);
}

/** Room of one thread. */
static bool make_transformer(struct hf_mp2 *mp2, int most_i, struct transformer *own)
{
    struct hf_memory *memory = mp2->context->memory;
    const size_t n = (size_t)mp2->merged->n_function, length = hf_padded((int)n);
    const size_t most = (size_t)hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    *own = (struct transformer){.mp2 = mp2, .length = length};
    own->panel = hf_memory_allocate_matrix(memory, "panel of a bra", most * n * length, 8);
    own->half = hf_memory_allocate_matrix(memory, "quarter of a bra", (size_t)most_i * length, 8);
    own->packed =
        hf_memory_allocate_matrix(memory, "quarter of a bra", hf_packed_size(most_i, (int)n), 8);
    own->row = calloc(n, sizeof *own->row);
    return own->panel != NULL && own->half != NULL && own->packed != NULL && own->row != NULL;
}

static hf_status pass_init(struct pass *pass, struct hf_mp2 *mp2, struct hf_error *error)
{
    const struct hf_basis *basis = mp2->merged;
    const int n = basis->n_function;
    bool ok = true;
    int most_i = 0;
    *pass = (struct pass){.mp2 = mp2};
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
        const int begin = mp2->batch.begin[spin], n_i = mp2->batch.end[spin] - begin;
        if (n_i > most_i) most_i = n_i;
        pass->occupied[spin] = hf_memory_allocate_matrix(
            mp2->context->memory, "orbitals of a batch", hf_packed_size(n_i, n), sizeof(double));
        ok = ok && pass->occupied[spin] != NULL;
        if (ok)
            hf_pack(n_i, n, orbitals->occupied + begin, 1, (size_t)orbitals->n_occupied,
                    pass->occupied[spin]);
    }
    pass->shell_of = calloc((size_t)n, sizeof *pass->shell_of);
    pass->transformer = calloc((size_t)mp2->n_thread, sizeof *pass->transformer);
    ok = ok && pass->shell_of != NULL && pass->transformer != NULL;
    for (int t = 0; t < mp2->n_thread && ok; t++)
        ok = make_transformer(mp2, most_i, &pass->transformer[t]);
    if (!ok) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the transformation");
    for (int s = 0; s < basis->n_shell; s++)
        for (int k = 0; k < basis->shell[s].n_function; k++)
            pass->shell_of[basis->shell[s].first_function + k] = s;
    return HF_OK;
}

hf_status hf_mp2_first_half(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct pass pass;
    struct hf_work *work = NULL;
    const struct hf_work_settings settings = {
        .schedule = mp2->settings->schedule,
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = mp2->n_thread,
        .phases = {&hf_phase_mp2_first, &hf_phase_mp2_wait, &hf_phase_mp2_wait},
    };
    HF_TRY(hf_agree(mp2->context->comm, pass_init(&pass, mp2, error), error));
    HF_TRY(hf_work_create(mp2->context, mp2->pairs, &settings, &work, error));
    HF_TRY(hf_work_run(
        work,
        &(struct hf_round){
            .threshold = mp2->settings->threshold, .largest = 1.0, .run = run, .data = &pass},
        error));
    mp2->result->n_quartet += (double)hf_work_account(work).n_computed;
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    pass_done(&pass);
    return status;
}

void hf_mp2_drop_blocks(struct hf_mp2 *mp2)
{
    for (int64_t k = 0; mp2->block != NULL && k < mp2->pairs->n_pair; k++) {
        hf_memory_release(mp2->context->memory, mp2->block[k]);
        mp2->block[k] = NULL;
    }
}
