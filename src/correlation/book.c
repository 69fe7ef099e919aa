/* What P1 and P2 share; see book.h. */
#include "book.h"

#include "hf/interruption.h"
#include "hf/threads.h"
#include "hf/timer.h"
#include "hf/trace.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

bool hf_mp2_book_init(struct hf_mp2_book *book, struct hf_mp2 *mp2,
                      const struct hf_mp2_panel *panel)
{
    struct hf_memory *memory = mp2->context->memory;
    const size_t n = (size_t)mp2->merged->n_function, length = hf_padded((int)n);
    const size_t n_i = (size_t)n_i_of(mp2), n_orbital = (size_t)n_orbital_of(mp2);
    const size_t most = (size_t)hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    const size_t most_shell = (size_t)hf_most_functions_of_shell(mp2->merged);
    *book = (struct hf_mp2_book){.mp2 = mp2, .panel = panel, .length = length};
    book->row = calloc(n, sizeof *book->row);
    book->joined = hf_mp2_join_orbitals(mp2, n_orbital);
    book->plane = hf_memory_allocate_matrix(memory, "panel of a bra", panel->plane, 8);
    book->quarter =
        hf_memory_allocate_matrix(memory, "quarter of a bra", most * n_i * length + 1, 8);
    book->packed = hf_memory_allocate_matrix(memory, "quarter of a bra",
                                             hf_packed_size((int)n_orbital, (int)most_shell), 8);
    book->update =
        hf_memory_allocate_matrix(memory, "quarter of a bra", n_orbital * most_shell * length, 8);
    return hf_mp2_bra_init(&book->bra, mp2) && book->row != NULL && book->joined != NULL &&
           book->plane != NULL && book->quarter != NULL && book->packed != NULL &&
           book->update != NULL;
}

void hf_mp2_book_done(struct hf_mp2_book *book)
{
    if (book->mp2 == NULL) return;
    struct hf_memory *memory = book->mp2->context->memory;
    book->mp2->result->n_flop[0] += book->n_flop;
    book->mp2->result->cpu_seconds[0] += book->seconds;
    hf_mp2_bra_done(&book->bra);
    hf_memory_release(memory, book->joined);
    hf_memory_release(memory, book->plane);
    hf_memory_release(memory, book->quarter);
    hf_memory_release(memory, book->packed);
    hf_memory_release(memory, book->update);
    free(book->row);
}

hf_status hf_mp2_book_compute(struct hf_mp2_book *book, struct hf_worker *worker, int64_t task,
                              struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = book->mp2->pairs;
    const hf_status status = hf_mp2_bra_compute(&book->bra, worker, task, error);
    if (book->bra.pair != NULL) book->n_rs = (int)hf_mp2_n_row(pairs, book->bra.pair - pairs->pair);
    hf_work_trace_step(worker, HF_TRACE_TASK, task);
    return status;
}

void hf_mp2_book_first_quarter(struct hf_mp2_book *book)
{
    const struct hf_mp2 *mp2 = book->mp2;
    const size_t n_i = (size_t)n_i_of(mp2);
    const double start = hf_thread_seconds();
    for (size_t rs = 0; rs < (size_t)book->n_rs; rs++) {
        double *to = book->quarter + rs * n_i * book->length;
        hf_mp2_panel_fill(book->panel, &book->bra.strips, rs, book->plane);
        for (int spin = 0; spin < mp2->n_spin; spin++) {
            hf_mp2_panel_quarter(book->panel, spin, book->plane, book->length, book->row, to);
            to += (size_t)book->panel->n_i[spin] * book->length;
        }
        book->n_flop += 2.0 * (double)n_i * book->panel->n_element;
    }
    book->seconds += hf_thread_seconds() - start;
}

const struct hf_shell *hf_mp2_book_updated(const struct hf_mp2_book *book, bool turned)
{
    const struct hf_shell_pair *pair = book->bra.pair;
    return &book->mp2->merged->shell[turned ? pair->a : pair->b];
}

void hf_mp2_book_second_quarter(struct hf_mp2_book *book, int i, struct hf_mp2_some_j j,
                                bool turned)
{
    const struct hf_mp2 *mp2 = book->mp2;
    const struct hf_shell *summed = hf_mp2_book_updated(book, !turned);
    const struct hf_shell *left = hf_mp2_book_updated(book, turned);
    const int n_b = mp2->merged->shell[book->bra.pair->b].n_function;
    const size_t n_orbital = (size_t)n_orbital_of(mp2), n_i = (size_t)n_i_of(mp2);
    const double start = hf_thread_seconds();
    hf_pack(j.n, summed->n_function,
            book->joined + (size_t)summed->first_function * n_orbital + j.first, (size_t)j.step,
            n_orbital, book->packed);
    for (int s = 0; s < left->n_function; s++) {
        for (int r = 0; r < summed->n_function; r++) {
            const size_t rs = (size_t)(turned ? s * n_b + r : r * n_b + s);
            book->row[r] = book->quarter + (rs * n_i + (size_t)i) * book->length;
        }
        mp2->multiply(&(struct hf_product){.n_row = j.n,
                                           .n_inner = summed->n_function,
                                           .n_column = book->length,
                                           .left = book->packed,
                                           .right = book->row,
                                           .to = book->update + (size_t)s * book->length,
                                           .to_step = (size_t)left->n_function * book->length});
    }
    book->n_flop += 2.0 * j.n * book->n_rs * mp2->merged->n_function;
    book->seconds += hf_thread_seconds() - start;
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
        const double start = hf_wall_seconds(), begun = hf_thread_seconds();
        if (i > j) continue;
        for (int s = 0; s < n; s++)
            row[s] = tail->matrix + ((size_t)k * (size_t)n + (size_t)s) * length;
        hf_mp2_finish_pair(mp2, &tail->scratch[thread], hf_mp2_orbital(mp2, j),
                           hf_mp2_orbital(mp2, i), row);
        hf_trace_add(mp2->context->trace, thread, HF_TRACE_PAIR_TASK, number, start,
                     hf_thread_seconds() - begun);
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
    const double quarters = length * (size->most_functions * n_i + o * size->most_shell) + n * o;
    const double of_rank = ceil(n_i * o / size->n_rank);
    return (struct hf_mp2_words){
        .work = fmax(hf_mp2_panel_words(size, n_i) + n_thread * quarters,
                     n_thread * hf_mp2_scratch_words(size)),
        .kept = of_rank * n * length,
    };
}
