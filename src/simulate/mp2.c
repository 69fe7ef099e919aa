/* MP2 on simulated ranks, with derivatives if the run had them: hf_mp2_compute as it is, of orbitals that are zero, with few
 * virtual ones, over few functions. Messages and sums count as many bytes as those of the run would.
 *
 * With derivatives there are so many virtual orbitals that they make as many blocks as in the run. The scale of messages is
 * that of (ia|rs); the amplitudes that ranks of one orbital swap are a few per cent of these, and count up to twice as
 * long. Sums of the derivatives are integers and count as they are here.
 *
 * P2 alone is not run but modelled: each of its 2 o^2 messages for each bra (3e7 for the uracil dimer) would take a
 * microsecond of simulation. Its tasks take longer by these messages, of which HF_MOST_SENDS are on their way at a time;
 * scheduler, pairs and energies are those of hf. */
#include "recorded.h"

#include "correlation/book.h"
#include "correlation/mp2_response.h"
#include "integrals/shell_pair.h"
#include "network.h"
#include "onesided/onesided.h"
#include "pairs/common_pairs.h"
#include "replay.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/** Virtual orbitals of an energy; functions, unless tasks are of two shells, of which each then has some numbers to send. */
enum { N_VIRTUAL = HF_PRODUCT_STEP, N_FUNCTION = 8 };

/** The first quarter of P1, if each rank multiplies its own kets, takes so many times as long in total
 *  (HF_MP2_FEW_KETS). */
static const double SMALL_PRODUCTS = 5.0;

static const char *name_of_algorithm(const struct cJSON *mp2)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(mp2, "algorithm"));
}

/** Whether the run computed derivatives, too. */
static bool is_differentiated(const struct hf_sim_rounds *rounds, const struct cJSON *mp2)
{
    return hf_sim_number(rounds, mp2, "second_pass_flops") > 0.0;
}

/** Number of virtual orbitals here: with derivatives as many blocks as in the run, narrow ones if that can be. */
static int find_virtual(const struct hf_sim_rounds *rounds, const struct cJSON *mp2)
{
    const int n = (int)hf_sim_number(rounds, mp2, "virtual_orbitals");
    if (!is_differentiated(rounds, mp2)) return N_VIRTUAL;
    const int least = (int)hf_mp2_block_width(1), width = (int)hf_mp2_block_width(n);
    const int fewer = (n * least + width - 1) / width;
    return (int)hf_mp2_block_width(fewer) == least ? fewer : n;
}

/* ---- P2 -------------------------------------------------------------------------------------- */

/** Seconds of copying and of sending in the second quarters, over the recorded ones. */
static void find_messages(const struct hf_mp2 *mp2, double *copying, double *sending)
{
    const struct hf_sim_machine *machine = hf_sim_the_machine();
    const struct hf_trace *trace = mp2->context->trace;
    const struct cJSON *header = hf_sim_method(trace->rounds, "mp2");
    const double n_rank = mp2->context->n_rank, n = trace->rounds->n_function;
    const double o = mp2->orbitals[0].n_occupied, n_i = mp2->batch.end[0] - mp2->batch.begin[0];
    const double n_bra = (double)trace->now->n_listed, others = (n_rank - 1.0) / n_rank;
    const double n_message = others * 2.0 * n_i * o * n_bra;
    const double bytes =
        sizeof(double) * n_message * n * n / (hf_sim_number(trace->rounds, header, "shells") + 1.0);
    const bool near = n_rank <= machine->ranks_per_node;
    const double alone = near ? machine->node_alpha_seconds : machine->alpha_seconds;
    const double beta = near ? machine->node_beta_seconds_per_byte : machine->beta_seconds_per_byte;
    const double whole = hf_sim_all_seconds(trace->now, HF_TRACE_SECOND_QUARTER);
    const double each = fmax(beta * bytes / n_message, 2.0 * alone / HF_MOST_SENDS);
    *sending = n_message > 0.0 ? n_message * each / whole : 0.0;
    *copying = 2.0 * bytes * machine->node_beta_seconds_per_byte / whole;
}

/** hf_pass.item: a bra. */
static hf_status do_bra(void *own, struct hf_pass_thread *thread, int64_t task,
                        struct hf_error *error)
{
    const struct hf_mp2 *mp2 = thread->data;
    struct hf_trace *trace = mp2->context->trace;
    double copying, sending, *more = own;
    find_messages(mp2, &copying, &sending);
    hf_work_trace_step(thread->worker, HF_TRACE_TASK, task);
    hf_work_trace_step(thread->worker, HF_TRACE_FIRST_QUARTER, task);
    const double seconds = hf_sim_seconds(trace->now, HF_TRACE_SECOND_QUARTER, task);
    hf_work_trace_step(thread->worker, HF_TRACE_SECOND_QUARTER, task);
    const double longer = seconds * (fmax(1.0 + copying, sending) - 1.0);
    hf_sim_compute(longer);
    *more += longer;
    return HF_OK;
}

/** hf_pass.end: messages are not computing. */
static void end_thread(void *own, void *data)
{
    const struct hf_mp2 *mp2 = data;
    const double seconds = *(const double *)own / mp2->n_thread;
    hf_timer_add(&mp2->context->timers, &hf_phase_mp2_first, -seconds);
    hf_timer_add(&mp2->context->timers, &hf_phase_mp2_exchange, seconds);
}

static hf_status do_batch(struct hf_mp2 *mp2, struct hf_error *error)
{
    static const struct hf_pass pass = {
        .label = "bras of P2", .own_bytes = sizeof(double), .item = do_bra, .end = end_thread};
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = mp2->n_thread};
    const size_t n = (size_t)mp2->merged->n_function;
    hf_status status;
    double *matrix = HF_TAKE_UNSET(&mp2->stored, matrix,
                                   (size_t)hf_mp2_n_ordered_of_rank(mp2) * n * hf_padded((int)n));
    HF_TRY(hf_agree(mp2->context->comm, hf_arena_check(&mp2->stored, error), error));
    HF_TRY(hf_mp2_run_pass(mp2, &settings, &pass, mp2, error));
    HF_TRY(hf_mp2_finish_ordered(mp2, matrix, error));
cleanup:
    hf_arena_done(&mp2->stored);
    return status;
}

const struct hf_mp2_algorithm hf_mp2_p2 = {
    .name = "p2", .words = hf_mp2_book_words, .batch = do_batch};

struct hf_common_pairs *hf_sim_mp2_pairs(const struct hf_sim_rounds *rounds)
{
    const struct cJSON *mp2 = hf_sim_method(rounds, "mp2");
    const int n_shell = (int)hf_sim_number(rounds, mp2, "shells");
    const bool of_shells = strcmp(name_of_algorithm(mp2), hf_mp2_of_pairs.name) == 0;
    return hf_sim_pairs_make(n_shell, of_shells || n_shell < N_FUNCTION ? n_shell : N_FUNCTION,
                             rounds->batch[0].of[HF_TRACE_TASK].n);
}

/* ---- All ------------------------------------------------------------------------------------- */

/** What a message, or a sum over ranks, has in the run over what it has here: by all that is kept, or sent by P1. */
static double find_scale(const struct hf_sim_rounds *rounds, const struct hf_shell_pairs *pairs,
                         const struct cJSON *mp2, bool sums)
{
    const double n = rounds->n_function, n_here = pairs->basis->n_function;
    const double o = hf_sim_number(rounds, mp2, "correlated_orbitals");
    const double n_i = ceil(o / hf_sim_number(rounds, mp2, "batches"));
    const double numbers =
        strcmp(name_of_algorithm(mp2), hf_mp2_kets.name) == 0
            ? n_i * (double)hf_padded(find_virtual(rounds, mp2)) * (double)pairs->n_pair
            : n_i * (o - 0.5 * (n_i - 1.0)) * n_here * n_here;
    if (sums) return 0.5 * n * n * n / (n_here * (double)pairs->n_pair);
    return hf_sim_number(rounds, mp2, "stored_bytes") / (sizeof(double) * numbers);
}

/** P1 has a share of each bra on each rank: its kets, and its pairs. */
static void share_bras(struct hf_trace *trace, int o)
{
    const int rank = trace->context->rank, n_rank = trace->context->n_rank;
    const double n_pair = (double)o * o;
    double own = 0.0, all = 0.0;
    for (int b = 0; b < trace->rounds->n_batch; b++) {
        const struct hf_sim_tasks *tasks = &trace->rounds->batch[b].of[HF_TRACE_TASK];
        for (int64_t t = 0; t < tasks->n; t++) {
            all += tasks->seconds[t];
            if (t % n_rank == rank) own += tasks->seconds[t];
        }
    }
    trace->share[HF_TRACE_TASK] = all > 0.0 ? own / all : 1.0;
    if (n_rank >= HF_MP2_FEW_KETS) trace->share[HF_TRACE_FIRST_QUARTER] = SMALL_PRODUCTS / n_rank;
    trace->share[HF_TRACE_SECOND_QUARTER] = fmax(0.0, ceil((n_pair - rank) / n_rank)) / n_pair;
}

hf_status hf_sim_mp2(struct hf_context *context, const struct hf_sim_rounds *rounds,
                     const struct hf_sim_settings *settings, struct hf_common_pairs *pairs,
                     struct hf_sim_step *step, struct hf_error *error)
{
    static const struct hf_phase *const phase[] = {
        &hf_phase_mp2_first, &hf_phase_mp2_second,     &hf_phase_mp2_exchange,
        &hf_phase_mp2_wait,  &hf_phase_mp2_amplitudes, &hf_phase_mp2_derivatives};
    hf_status status;
    struct hf_trace trace;
    const struct cJSON *mp2 = hf_sim_method(rounds, "mp2");
    const struct hf_shell_pairs *list = NULL;
    const int o = (int)hf_sim_number(rounds, mp2, "correlated_orbitals"),
              v = find_virtual(rounds, mp2);
    const char *name = name_of_algorithm(mp2);
    const bool is_p1 = strcmp(name, hf_mp2_p1.name) == 0;
    struct hf_mp2_derivatives derivatives = {.opposite = 1.0, .same = 1.0};
    const struct hf_molecule molecule = {.n_atom = (int)hf_sim_number(rounds, NULL, "n_atom")};
    struct hf_mp2_settings all = {.algorithm = name,
                                  .schedule = {.name = settings->scheduler},
                                  .n_thread = settings->n_thread,
                                  .tasks_for = (int)hf_sim_number(rounds, NULL, "tasks_for"),
                                  .memory_bytes = INFINITY,
                                  .n_batch = (int)hf_sim_number(rounds, mp2, "batches"),
                                  .derivatives =
                                      is_differentiated(rounds, mp2) ? &derivatives : NULL,
                                  .pairs = pairs};
    struct hf_mp2_result result;
    struct hf_arena arena = {.memory = context->memory, .label = "energies of orbitals"};
    double *energy = HF_TAKE(&arena, energy, (size_t)(o + v));
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    for (int i = 0; i < o + v; i++) energy[i] = i < o ? -1.0 : 1.0;
    const struct hf_wavefunction wavefunction = {
        .molecule = &molecule,
        .n_spin = 1,
        .spin[0] = {.n_orbital = o + v, .n_occupied = o, .energy = energy}};
    hf_sim_trace_init(&trace, rounds, context);
    if (is_p1) share_bras(&trace, o);
    if (strcmp(name, hf_mp2_kets.name) == 0)
        trace.share[HF_TRACE_PAIR_TASK] = 1.0 / settings->n_thread;
    HF_TRY(hf_common_pairs_get(pairs, 0.0, 1, &list, error));
    hf_sim_scale((struct hf_sim_scale){find_scale(rounds, list, mp2, false),
                                       is_p1 ? find_scale(rounds, list, mp2, true) : 1.0});
    hf_sim_step_begin(context, "mp2", sizeof phase / sizeof *phase, phase, step);
    HF_TRY(hf_mp2_compute(context, &wavefunction, &all, &result, error));
    hf_sim_step_end(context, step);
cleanup:
    hf_mp2_derivatives_done(&derivatives);
    hf_arena_done(&arena);
    context->trace = NULL;
    return status;
}
