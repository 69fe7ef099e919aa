/* What P1 and P2 share; see book.h. */
#include "book.h"

#include "hf/interruption.h"
#include "hf/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Integrals of a bra ---------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct hf_mp2_bra *bra = self;
    (void)error;
    bra->part = part;
    return HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *pair, int n, struct hf_waiting_ket ket[])
{
    const struct hf_mp2_bra *bra = self;
    hf_mp2_bound(bra->mp2, pair, n, ket);
    for (int i = 0; i < n && bra->n_share > 1; i++)
        if ((ket[i].pair - bra->mp2->pairs->pair) % bra->n_share != bra->share) ket[i].wanted = 0;
}

/** Rows of a strip go to both triangles of the panel. Where C is D the strip has each pair of shells once,
 *  in either order, and zeros for the other one. */
static void take(void *self, const struct hf_strip *strip)
{
    const struct hf_mp2_bra *bra = self;
    const struct hf_basis *basis = bra->mp2->merged;
    const struct hf_part_ket *kets = &bra->part->ket[strip->place];
    const size_t n = (size_t)basis->n_function, n_d = (size_t)strip->n_d;
    const size_t first_c = (size_t)(hf_atom_first_function(basis, kets->atom_c) + strip->first_c);
    const size_t first_d = (size_t)(hf_atom_first_function(basis, kets->atom_d) + strip->first_d);
    const double *value = strip->value;
    for (size_t c = first_c; c < first_c + (size_t)strip->n_c; c++)
        for (size_t rs = 0; rs < (size_t)bra->n_rs; rs++, value += n_d) {
            double *plane = bra->panel + rs * n * bra->length;
            double *row = plane + c * bra->length + first_d;
            double *column = plane + first_d * bra->length + c;
            for (size_t d = 0; d < n_d; d++) {
                row[d] += value[d];
                if (bra->shell_of[c] != bra->shell_of[first_d + d])
                    column[d * bra->length] += value[d];
            }
        }
}

static const struct hf_quartet_consumer consumer = {
    .name = "mp2 of a bra",
    .about = "integrals of a bra with all kets",
    .lend = lend,
    .bound = bound,
    .take = take,
};

hf_status hf_mp2_bra_compute(struct hf_mp2_bra *bra, struct hf_worker *worker, int64_t task,
                             struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = bra->mp2->pairs;
    struct hf_part part = {0};
    hf_status status = HF_OK;
    bra->pair = NULL;
    for (int32_t i = 0; status == HF_OK && hf_work_find_part(worker, task, i, &part); i++) {
        if (bra->pair == NULL) {
            bra->pair = &pairs->pair[part.bra_begin];
            bra->n_rs = (int)hf_mp2_n_row(pairs, part.bra_begin);
            memset(bra->panel, 0,
                   (size_t)bra->n_rs * (size_t)bra->mp2->merged->n_function * bra->length *
                       sizeof *bra->panel);
        }
        if (part.n_ket > 0) status = hf_work_do_part(worker, &consumer, bra, &part, error);
    }
    hf_work_trace_part(worker, &part);
    return status;
}

/* ---- Quarters -------------------------------------------------------------------------------- */

static int n_i_of(const struct hf_mp2 *mp2)
{
    return hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
}

/** Occupied orbitals of both spins. */
static int n_orbital_of(const struct hf_mp2 *mp2)
{
    return mp2->orbitals[0].n_occupied + (mp2->n_spin > 1 ? mp2->orbitals[1].n_occupied : 0);
}

bool hf_mp2_bra_init(struct hf_mp2_bra *bra, struct hf_mp2 *mp2)
{
    struct hf_memory *memory = mp2->context->memory;
    const struct hf_basis *basis = mp2->merged;
    const size_t n = (size_t)basis->n_function, n_i = (size_t)n_i_of(mp2);
    const size_t n_orbital = (size_t)n_orbital_of(mp2);
    const size_t most = (size_t)hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    const size_t most_shell = (size_t)hf_mp2_most_shell(basis);
    *bra = (struct hf_mp2_bra){.mp2 = mp2, .n_share = 1, .length = hf_padded((int)n)};
    const size_t length = bra->length;
    bra->shell_of = calloc(n, sizeof *bra->shell_of);
    bra->row = calloc(n, sizeof *bra->row);
    bra->joined = hf_mp2_join_orbitals(mp2, n_orbital);
    bra->panel = hf_memory_allocate_matrix(memory, "panel of a bra", most * n * length, 8);
    bra->occupied = hf_memory_allocate_matrix(memory, "orbitals of a batch",
                                              hf_packed_size((int)n_i, (int)n), 8);
    bra->quarter =
        hf_memory_allocate_matrix(memory, "quarter of a bra", most * n_i * length + 1, 8);
    bra->packed = hf_memory_allocate_matrix(memory, "quarter of a bra",
                                            hf_packed_size((int)n_orbital, (int)most_shell), 8);
    bra->update =
        hf_memory_allocate_matrix(memory, "quarter of a bra", n_orbital * most_shell * length, 8);
    if (bra->shell_of == NULL || bra->row == NULL || bra->joined == NULL || bra->panel == NULL ||
        bra->occupied == NULL || bra->quarter == NULL || bra->packed == NULL || bra->update == NULL)
        return false;
    for (int s = 0; s < basis->n_shell; s++)
        for (int k = 0; k < basis->shell[s].n_function; k++)
            bra->shell_of[basis->shell[s].first_function + k] = s;
    hf_pack((int)n_i, (int)n, bra->joined + hf_mp2_batch_begin(mp2), 1, n_orbital, bra->occupied);
    return true;
}

void hf_mp2_bra_done(struct hf_mp2_bra *bra)
{
    struct hf_memory *memory = bra->mp2->context->memory;
    hf_memory_release(memory, bra->joined);
    hf_memory_release(memory, bra->panel);
    hf_memory_release(memory, bra->occupied);
    hf_memory_release(memory, bra->quarter);
    hf_memory_release(memory, bra->packed);
    hf_memory_release(memory, bra->update);
    free(bra->shell_of);
    free(bra->row);
}

void hf_mp2_bra_first_quarter(struct hf_mp2_bra *bra)
{
    const struct hf_mp2 *mp2 = bra->mp2;
    const int n = mp2->merged->n_function, n_i = n_i_of(mp2);
    for (int rs = 0; rs < bra->n_rs; rs++) {
        for (int m = 0; m < n; m++)
            bra->row[m] = bra->panel + ((size_t)rs * (size_t)n + (size_t)m) * bra->length;
        mp2->multiply(
            &(struct hf_product){.n_row = n_i,
                                 .n_inner = n,
                                 .n_column = bra->length,
                                 .left = bra->occupied,
                                 .right = bra->row,
                                 .to = bra->quarter + (size_t)rs * (size_t)n_i * bra->length,
                                 .to_step = bra->length});
    }
}

const struct hf_shell *hf_mp2_bra_updated(const struct hf_mp2_bra *bra, bool turned)
{
    return &bra->mp2->merged->shell[turned ? bra->pair->a : bra->pair->b];
}

void hf_mp2_bra_second_quarter(struct hf_mp2_bra *bra, int i, struct hf_mp2_some_j j, bool turned)
{
    const struct hf_mp2 *mp2 = bra->mp2;
    const struct hf_shell *summed = hf_mp2_bra_updated(bra, !turned);
    const struct hf_shell *left = hf_mp2_bra_updated(bra, turned);
    const int n_b = mp2->merged->shell[bra->pair->b].n_function;
    const size_t n_orbital = (size_t)n_orbital_of(mp2), n_i = (size_t)n_i_of(mp2);
    hf_pack(j.n, summed->n_function,
            bra->joined + (size_t)summed->first_function * n_orbital + j.first, (size_t)j.step,
            n_orbital, bra->packed);
    for (int s = 0; s < left->n_function; s++) {
        for (int r = 0; r < summed->n_function; r++) {
            const size_t rs = (size_t)(turned ? s * n_b + r : r * n_b + s);
            bra->row[r] = bra->quarter + (rs * n_i + (size_t)i) * bra->length;
        }
        mp2->multiply(&(struct hf_product){.n_row = j.n,
                                           .n_inner = summed->n_function,
                                           .n_column = bra->length,
                                           .left = bra->packed,
                                           .right = bra->row,
                                           .to = bra->update + (size_t)s * bra->length,
                                           .to_step = (size_t)left->n_function * bra->length});
    }
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

int64_t hf_mp2_n_ordered(const struct hf_mp2 *mp2)
{
    return (int64_t)n_i_of(mp2) * n_orbital_of(mp2);
}

int64_t hf_mp2_n_ordered_of_rank(const struct hf_mp2 *mp2)
{
    const int64_t n = hf_mp2_n_ordered(mp2) - mp2->context->rank;
    return n > 0 ? (n + mp2->context->n_rank - 1) / mp2->context->n_rank : 0;
}

/** The last two quarters on a rank. */
struct tail {
    struct hf_mp2 *mp2;
    const double *matrix;
    int64_t n;
    atomic_llong next;
    atomic_int reason;
    struct hf_mp2_scratch *scratch; /**< [n_thread] */
    const double **row;             /**< [n_thread][n] */
};

/** hf_thread_work */
static hf_status finish_pairs(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct tail *tail = data;
    struct hf_mp2 *mp2 = tail->mp2;
    const int n = mp2->merged->n_function, n_orbital = n_orbital_of(mp2);
    const size_t length = hf_padded(n);
    const double **row = tail->row + (size_t)thread * (size_t)n;
    (void)error;
    for (int64_t k; (k = atomic_fetch_add(&tail->next, 1)) < tail->n;) {
        const int64_t number = k * mp2->context->n_rank + mp2->context->rank;
        const int i = hf_mp2_batch_begin(mp2) + (int)(number / n_orbital);
        const int j = (int)(number % n_orbital);
        if (i > j) continue;
        for (int s = 0; s < n; s++)
            row[s] = tail->matrix + ((size_t)k * (size_t)n + (size_t)s) * length;
        hf_mp2_finish_pair(mp2, &tail->scratch[thread], hf_mp2_orbital(mp2, j),
                           hf_mp2_orbital(mp2, i), row);
        if (atomic_load(&tail->reason) != 0) break;
        atomic_store(&tail->reason,
                     hf_interruption_look(mp2->context->interruption, n_thread == 1));
    }
    return HF_OK;
}

hf_status hf_mp2_finish_ordered(struct hf_mp2 *mp2, const double *matrix, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_timers *timers = &mp2->context->timers;
    struct tail tail = {.mp2 = mp2, .matrix = matrix, .n = hf_mp2_n_ordered_of_rank(mp2)};
    const size_t n_thread = (size_t)mp2->n_thread;
    tail.scratch = calloc(n_thread, sizeof *tail.scratch);
    tail.row = calloc(n_thread * (size_t)mp2->merged->n_function, sizeof *tail.row);
    bool ok = tail.scratch != NULL && tail.row != NULL;
    for (size_t t = 0; t < n_thread && ok; t++) ok = hf_mp2_scratch_init(mp2, &tail.scratch[t]);
    if (!ok) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the pairs of orbitals");
    HF_TRY(hf_agree(mp2->context->comm, status, error));
    hf_timer_start(timers, &hf_phase_mp2_second);
    status = hf_threads_run(mp2->n_thread, finish_pairs, &tail, error);
    hf_timer_stop(timers, &hf_phase_mp2_second);
    hf_timer_start(timers, &hf_phase_mp2_wait);
    status = hf_agree_to_go_on(mp2->context, status, error);
    hf_timer_stop(timers, &hf_phase_mp2_wait);
cleanup:
    for (size_t t = 0; t < n_thread && tail.scratch != NULL; t++)
        hf_mp2_scratch_done(mp2, &tail.scratch[t]);
    free(tail.scratch);
    free(tail.row);
    return status;
}

struct hf_mp2_words hf_mp2_book_words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function, length = (double)hf_padded(size->n_function);
    const double o = hf_mp2_size_orbitals(size), n_thread = fmax(1.0, size->n_thread);
    const double bra =
        length * (size->most_functions * (n + n_i) + o * size->most_shell) + n * (o + n_i);
    const double of_rank = ceil(n_i * o / size->n_rank);
    return (struct hf_mp2_words){
        .work = n_thread * fmax(bra, hf_mp2_scratch_words(size)),
        .kept = of_rank * n * length,
    };
}
