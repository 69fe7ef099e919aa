/* The algorithm P2 (book Fig. 9.3): each bra RS is computed on one rank; any scheduler can be used. Its contributions
 * to (iN|jS) and (iN|jR) are sent one-sidedly to the owner of ij while the threads compute (book section 4.4). */
#include "book.h"

#include "base/threads.h"
#include "onesided/onesided.h"
#include "text/trace.h"

#include <pthread.h>

/** Data of a rank's pass. */
struct pass {
    struct hf_mp2 *mp2;
    struct hf_window *window; /**< matrices of each rank's pairs */
    pthread_mutex_t sending;  /**< only one thread sends at a time */
    double sent_bytes;
    struct hf_mp2_panel panel;
};

/** Sends the contributions of a bra to the pairs of orbital i with all j. Threads wait while another thread sends,
 *  but messages of one i take much less time than computing a bra. */
static void send_updates(struct pass *pass, const struct hf_mp2_book *book, int i, int n_j,
                         bool turned)
{
    const struct hf_shell *shell = hf_mp2_book_updated(book, turned);
    const struct hf_context *context = pass->mp2->context;
    const size_t size = (size_t)shell->n_function * book->length;
    const size_t n = (size_t)pass->mp2->merged->n_function;
    pthread_mutex_lock(&pass->sending);
    for (int j = 0; j < n_j; j++) {
        const int64_t pair = (int64_t)i * n_j + j;
        const struct hf_window_range range = {
            .rank = (int)(pair % context->n_rank),
            .offset = ((size_t)(pair / context->n_rank) * n + (size_t)shell->first_function) *
                      book->length,
            .n = size};
        hf_window_accumulate(pass->window, range, book->update + (size_t)j * size);
        if (range.rank != context->rank)
            pass->sent_bytes += (double)((size_t)shell->n_function * n * sizeof(double));
    }
    pthread_mutex_unlock(&pass->sending);
}

/** Computes and sends both updates for all orbitals i of the batch. If R is S, the first contains the second. */
static void second_quarter(struct pass *pass, struct hf_mp2_book *book)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    const int n_i = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
    const struct hf_mp2_some_j all = {0, 1, (int)(hf_mp2_n_ordered(mp2) / (n_i > 0 ? n_i : 1))};
    for (int i = 0; i < n_i; i++)
        for (int turn = 0; turn < (book->bra.pair->a == book->bra.pair->b ? 1 : 2); turn++) {
            hf_mp2_book_second_quarter(book, i, all, turn == 1);
            send_updates(pass, book, i, all.n, turn == 1);
        }
}

/** A thread and its book. */
struct book_of_pass {
    struct pass *pass;
    struct hf_mp2_book book;
};

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct book_of_pass *own = self;
    (void)error;
    own->pass = data;
    hf_mp2_book_init(&own->book, own->pass->mp2, &own->pass->panel, &thread->arena);
    return HF_OK;
}

/** hf_pass.item */
static hf_status do_task(void *self, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    struct book_of_pass *own = self;
    HF_CHECK(hf_mp2_book_compute(&own->book, thread->worker, task, error));
    if (own->book.bra.pair == NULL) return HF_OK;
    hf_mp2_book_first_quarter(&own->book);
    hf_work_trace_step(thread->worker, HF_TRACE_FIRST_QUARTER, task);
    second_quarter(own->pass, &own->book);
    hf_work_trace_step(thread->worker, HF_TRACE_SECOND_QUARTER, task);
    return HF_OK;
}

/** hf_pass.end */
static void end(void *self, void *data)
{
    hf_mp2_book_add_up(&((const struct book_of_pass *)self)->book,
                       ((const struct pass *)data)->mp2->result);
}

static const struct hf_pass of_thread = {.label = "quarters of bras",
                                         .own_bytes = sizeof(struct book_of_pass),
                                         .begin = begin,
                                         .item = do_task,
                                         .end = end};

static hf_status do_batch(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct pass pass = {.mp2 = mp2, .sending = PTHREAD_MUTEX_INITIALIZER};
    struct hf_arena arena = hf_mp2_arena(mp2, "panel of a bra");
    struct hf_onesided *onesided = NULL;
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = hf_mpi_takes_threads() ? mp2->n_thread : 1,
    };
    const size_t size = (size_t)hf_mp2_n_ordered_of_rank(mp2) * (size_t)mp2->merged->n_function *
                        hf_padded(mp2->merged->n_function);
    hf_mp2_panel_init(&pass.panel, mp2, &arena);
    HF_TRY(hf_agree(mp2->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_onesided_create(mp2->context, &mp2->settings->onesided, &onesided, error));
    HF_TRY(hf_window_create(onesided, size, "integrals (iN|jS)", &pass.window, error));
    if ((double)size * sizeof(double) > mp2->result->bytes)
        mp2->result->bytes = (double)size * sizeof(double);
    status = hf_mp2_run_pass(mp2, &settings, &of_thread, &pass, error);
    hf_window_fence(pass.window);
    mp2->result->sent_bytes += pass.sent_bytes;
    HF_TRY(status);
    HF_TRY(hf_mp2_finish_ordered(mp2, hf_window_local(pass.window), error));
cleanup:
    hf_window_destroy(&pass.window);
    hf_onesided_destroy(&onesided);
    hf_arena_done(&arena);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_p2 = {
    .name = "p2",
    .about = "each bra RS on one rank; (iN|jS) added one-sidedly by the owner of ij",
    .cite =
        "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), Fig. 9.3",
    .words = hf_mp2_book_words,
    .batch = do_batch,
};
