/* The algorithm P1 (book Fig. 9.2). Every rank goes through all bras RS and computes its kets MN of each. A sum over
 * all ranks completes (in|RS). Then each rank adds the contributions to its own pairs ij. */
#include "p1_share.h"

#include "hf/interruption.h"
#include "text/trace.h"

#include <string.h>

/** With at least this number of ranks, a rank multiplies only its own kets, strip by strip. With fewer ranks,
 *  products of a whole panel with zeros for other kets are faster: strip by strip takes five times as long in total
 *  (uracil/cc-pVDZ). */
enum { FEW_KETS = 6 };

/** Data of a rank's pass. */
struct pass {
    struct hf_mp2_panel panel;
    struct hf_mp2_book book;
    struct hf_mp2_share share;
    double *matrix; /**< matrices of this rank's pairs */
    double seconds; /**< spent in sums over all ranks */
};

/** Sums (in|rs), without the padding of rows, over all ranks, and also `failed`. Returns the number of ranks that
 *  failed. Collective. */
static double sum_quarter(struct pass *pass, size_t n_row, bool failed)
{
    struct hf_mp2_book *book = &pass->book;
    struct hf_mp2 *mp2 = book->mp2;
    const size_t n = (size_t)mp2->merged->n_function;
    if (mp2->context->n_rank == 1) return failed ? 1.0 : 0.0;
    const double start = hf_wall_seconds();
    for (size_t k = 0; k < n_row; k++)
        memmove(book->quarter + k * n, book->quarter + k * book->length, n * sizeof *book->quarter);
    book->quarter[n_row * n] = failed ? 1.0 : 0.0;
    if (failed) memset(book->quarter, 0, n_row * n * sizeof *book->quarter);
    hf_sum_over_ranks(mp2->context->comm, n_row * n + 1, book->quarter);
    const double n_failed = book->quarter[n_row * n];
    for (size_t k = n_row; k-- > 0;) {
        memmove(book->quarter + k * book->length, book->quarter + k * n, n * sizeof *book->quarter);
        for (size_t f = n; f < book->length; f++) book->quarter[k * book->length + f] = 0.0;
    }
    mp2->result->sent_bytes += (double)(n_row * n * sizeof *book->quarter);
    pass->seconds += hf_wall_seconds() - start;
    return n_failed;
}

/** Adds update number k, for the functions of a shell, to the matrix of a pair. */
static void add_update(const struct hf_mp2_book *book, int k, const struct hf_shell *shell,
                       double *matrix)
{
    const size_t size = (size_t)shell->n_function * book->length;
    const double *from = book->update + (size_t)k * size;
    double *to = matrix + (size_t)shell->first_function * book->length;
    for (size_t f = 0; f < size; f++) to[f] += from[f];
}

/** Second quarter of the bra for this rank's pairs. If R is S, the first update contains the second. */
static void update_pairs(struct pass *pass)
{
    struct hf_mp2_book *book = &pass->book;
    const struct hf_mp2 *mp2 = book->mp2;
    const int64_t n_rank = mp2->context->n_rank, rank = mp2->context->rank;
    const int n_i = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
    const int64_t n_j = hf_mp2_n_ordered(mp2) / (n_i > 0 ? n_i : 1);
    const size_t size = (size_t)mp2->merged->n_function * book->length;
    for (int i = 0; i < n_i; i++) {
        const int64_t first =
            ((rank - i * n_j) % n_rank + n_rank) % n_rank; /* then (i n_j + j) % n_rank is rank */
        if (first >= n_j) continue;
        const struct hf_mp2_some_j j = {(int)first, (int)n_rank,
                                        (int)((n_j - first + n_rank - 1) / n_rank)};
        double *matrix = pass->matrix + (size_t)((i * n_j + first) / n_rank) * size;
        for (int turn = 0; turn < (book->bra.pair->a == book->bra.pair->b ? 1 : 2); turn++) {
            hf_mp2_book_second_quarter(book, i, j, turn == 1);
            for (int k = 0; k < j.n; k++)
                add_update(book, k, hf_mp2_book_updated(book, turn == 1),
                           matrix + (size_t)k * size);
        }
    }
}

/** Computes one bra. A rank that fails still takes part in the sum, so that all ranks are informed. Collective. */
static hf_status do_bra(struct pass *pass, struct hf_worker *worker, int64_t task, bool *any_failed,
                        struct hf_error *error)
{
    struct hf_mp2_book *book = &pass->book;
    const int n_i = hf_mp2_batch_end(book->mp2) - hf_mp2_batch_begin(book->mp2);
    const hf_status status = hf_mp2_book_compute(book, worker, task, error);
    if (book->bra.pair == NULL) return status; /* the same on every rank */
    if (status == HF_OK && book->bra.n_share < FEW_KETS)
        hf_mp2_book_first_quarter(book);
    else if (status == HF_OK)
        hf_mp2_share_quarter(&pass->share, book);
    hf_work_trace_step(worker, HF_TRACE_FIRST_QUARTER, task);
    const double start = hf_wall_seconds();
    *any_failed = sum_quarter(pass, (size_t)book->n_rs * (size_t)n_i, status != HF_OK) > 0.0;
    hf_work_trace_wait(worker, &hf_phase_mp2_exchange, start);
    if (!*any_failed) update_pairs(pass);
    hf_work_trace_step(worker, HF_TRACE_SECOND_QUARTER, task);
    return status;
}

/** hf_round.run: computes all bras on every rank, whichever rank the scheduler gives them to. Scheduler "static"
 *  needs no messages. */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct pass *pass = data;
    hf_status status = HF_OK, next;
    bool any_failed = false;
    int64_t given = 0;
    for (int64_t task = 0; task < pass->book.mp2->pairs->n_pair && !any_failed; task++) {
        status = do_bra(pass, worker, task, &any_failed, error);
        hf_interruption_set_fraction(pass->book.mp2->context->interruption,
                                     (double)task / (double)pass->book.mp2->pairs->n_pair);
    }
    do next = hf_work_next_task(worker, &given, status == HF_OK ? error : NULL);
    while (next == HF_OK && given >= 0);
    return status != HF_OK ? status : next;
}

static hf_status do_batch(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct pass pass = {0};
    const struct hf_work_settings settings = {
        .schedule = {.name = "static"},
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = 1,
    };
    const size_t size = (size_t)hf_mp2_n_ordered_of_rank(mp2) * (size_t)mp2->merged->n_function *
                        hf_padded(mp2->merged->n_function);
    struct hf_arena arena = hf_mp2_arena(mp2, "quarters of a bra");
    HF_TAKE(&mp2->stored, pass.matrix, size);
    hf_mp2_panel_init(&pass.panel, mp2, &arena);
    hf_mp2_book_init(&pass.book, mp2, &pass.panel, &arena);
    hf_mp2_share_init(&pass.share, mp2, &arena);
    status = hf_arena_check(pass.matrix == NULL ? &mp2->stored : &arena, error);
    HF_TRY(hf_agree(mp2->context->comm, status, error));
    pass.book.bra.share = mp2->context->rank;
    pass.book.bra.n_share = mp2->context->n_rank;
    HF_TRY(hf_mp2_run_work(mp2, &settings, run, &pass, error));
    hf_timer_add(&mp2->context->timers, &hf_phase_mp2_first, -pass.seconds);
    hf_timer_add(&mp2->context->timers, &hf_phase_mp2_exchange, pass.seconds);
    if ((double)size * sizeof(double) > mp2->result->bytes)
        mp2->result->bytes = (double)size * sizeof(double);
    HF_TRY(hf_mp2_finish_ordered(mp2, pass.matrix, error));
cleanup:
    hf_mp2_book_add_up(&pass.book, mp2->result);
    hf_arena_done(&arena);
    hf_arena_done(&mp2->stored);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_p1 = {
    .name = "p1",
    .about = "every rank all bras RS and a share of their kets; sums of (iN|RS) over all ranks",
    .cite =
        "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), Fig. 9.2",
    .words = hf_mp2_book_words,
    .batch = do_batch,
};
