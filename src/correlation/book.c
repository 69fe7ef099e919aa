/* Common parts of P1 and P2; see book.h. */
#include "book.h"

#include "hf/timer.h"
#include "text/trace.h"

#include <math.h>

/* ---- Quarters -------------------------------------------------------------------------------- */

static int n_i_of(const struct hf_mp2 *mp2)
{
    return hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
}

/** Number of occupied orbitals of both spins. */
static int n_orbital_of(const struct hf_mp2 *mp2)
{
    return mp2->orbitals[0].n_occupied + (mp2->n_spin > 1 ? mp2->orbitals[1].n_occupied : 0);
}

void hf_mp2_book_init(struct hf_mp2_book *book, struct hf_mp2 *mp2,
                      const struct hf_mp2_panel *panel, struct hf_arena *arena)
{
    const size_t n = (size_t)mp2->merged->n_function, length = hf_padded((int)n);
    const size_t n_i = (size_t)n_i_of(mp2), n_orbital = (size_t)n_orbital_of(mp2);
    const size_t most = (size_t)hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    const size_t most_shell = (size_t)hf_most_functions_of_shell(mp2->merged);
    *book = (struct hf_mp2_book){.mp2 = mp2, .panel = panel, .length = length};
    HF_TAKE(arena, book->row, n);
    book->joined = hf_mp2_join_orbitals(mp2, n_orbital, arena);
    HF_TAKE(arena, book->plane, panel->plane);
    HF_TAKE(arena, book->quarter, most * n_i * length + 1);
    HF_TAKE(arena, book->packed, hf_packed_size((int)n_orbital, (int)most_shell));
    HF_TAKE(arena, book->update, n_orbital * most_shell * length);
    hf_mp2_bra_init(&book->bra, mp2, arena);
}

void hf_mp2_book_add_up(const struct hf_mp2_book *book, struct hf_mp2_result *result)
{
    result->n_flop[0] += book->n_flop;
    result->cpu_seconds[0] += book->seconds;
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

/** Data for the last two quarters on a rank. */
struct tail {
    struct hf_mp2 *mp2;
    const double *matrix;
};

/** Pair number k of this rank. For i > j there is nothing to do, because pair ji has the same integrals. */
static struct hf_mp2_pair pair_of(const void *data, int64_t k)
{
    const struct tail *tail = data;
    const struct hf_mp2 *mp2 = tail->mp2;
    const int64_t number = k * mp2->context->n_rank + mp2->context->rank;
    const int n = mp2->merged->n_function, n_orbital = n_orbital_of(mp2);
    const int i = hf_mp2_batch_begin(mp2) + (int)(number / n_orbital);
    const int j = (int)(number % n_orbital);
    return (struct hf_mp2_pair){
        .number = number,
        .i = hf_mp2_orbital(mp2, j),
        .j = hf_mp2_orbital(mp2, i),
        .x_mn = i > j ? NULL : tail->matrix + (size_t)k * (size_t)n * hf_padded(n)};
}

hf_status hf_mp2_finish_ordered(struct hf_mp2 *mp2, const double *matrix, struct hf_error *error)
{
    const struct tail tail = {mp2, matrix};
    return hf_mp2_finish_pairs(mp2, hf_mp2_n_ordered_of_rank(mp2), pair_of, &tail, error);
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
