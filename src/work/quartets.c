/* The quartets of a part: screened, put into queues, computed or read back, given to a consumer. */
#include "work_private.h"

#include <math.h>

/** Most kets of one bra in a part. */
static size_t most_kets(const struct hf_shell_pairs *pairs)
{
    size_t most = 1;
    for (int i = 0; i < pairs->n_atom_pair; i++)
        if ((size_t)pairs->atom_pair[i].n_pair > most) most = (size_t)pairs->atom_pair[i].n_pair;
    return HF_MOST_PART_KETS * most;
}

double hf_work_thread_bytes(const struct hf_basis *basis, int n_class, int most_functions)
{
    const double n_shell = hf_most_shells_of_atom(basis);
    return (double)(hf_strips_capacity(basis, most_functions) +
                    (size_t)n_class * HF_N_QUEUE * sizeof(struct hf_quartet_queue)) +
           HF_MOST_PART_KETS * n_shell * n_shell * (double)sizeof(struct hf_waiting_ket);
}

hf_status hf_worker_init(struct hf_worker *worker, struct hf_work *work, int number,
                         struct hf_error *error)
{
    struct hf_arena *arena = &worker->arena;
    *worker = (struct hf_worker){
        .work = work,
        .number = number,
        .arena = {.memory = work->context->memory, .label = "the quartets of a thread"}};
    const size_t n_queue = (size_t)work->pairs->n_class * HF_N_QUEUE;
    HF_TAKE(arena, worker->queue, n_queue);
    HF_TAKE(arena, worker->fill, n_queue);
    HF_TAKE(arena, worker->ket, most_kets(work->pairs));
    hf_strips_init(&worker->strips, work, arena);
    HF_CHECK(hf_arena_check(arena, error));
    return hf_engine_create(work->pairs, &worker->engine, error);
}

void hf_worker_done(struct hf_worker *worker)
{
    hf_engine_destroy(&worker->engine);
    hf_arena_done(&worker->arena);
}

struct hf_engine *hf_work_engine(const struct hf_worker *worker)
{
    return worker->engine;
}

/* ---- Computing ------------------------------------------------------------------------------- */

/** Copies member by member, see set_waiting; `single` is not needed any more. */
static inline void move_ket(const struct hf_waiting_ket *from, struct hf_waiting_ket *to)
{
    to->pair = from->pair;
    to->place = from->place;
    to->c = from->c;
    to->d = from->d;
    to->turned = from->turned;
    to->kind = from->kind;
    to->wanted = from->wanted;
}

/** Asks the consumer about the kets of a bra from number `begin` on, and keeps those it needs and those to be
 *  stored. */
static void screen_kets(struct hf_worker *worker, const struct hf_shell_pair *bra, int begin)
{
    struct hf_waiting_ket *ket = worker->ket;
    int n = begin;
    worker->consumer->bound(worker->self, bra, worker->n_ket - begin, ket + begin);
    for (int i = begin; i < worker->n_ket; i++) {
        const bool stored = (ket[i].kind & HF_KIND_STORED) != 0;
        if (!ket[i].wanted && !stored) continue;
        if (ket[i].single && !stored) ket[i].kind = HF_KIND_NARROW | HF_KIND_SINGLE;
        if (n < i) move_ket(&ket[i], &ket[n]);
        n++;
    }
    worker->n_ket = n;
}

/** Kind of a quartet in the store's plan: its own bounds alone decide. */
static uint8_t kind_of(const struct hf_work *work, const struct hf_shell_pair *bra,
                       const struct hf_shell_pair *ket)
{
    const struct hf_store_plan *plan = &work->plan;
    if (bra->bound * ket->bound >= plan->narrow) return HF_KIND_STORED;
    if (!work->settings.single || bra->rounding * ket->rounding >= plan->narrow)
        return HF_KIND_STORED | HF_KIND_NARROW;
    return HF_KIND_STORED | HF_KIND_NARROW | HF_KIND_SINGLE;
}

/** End of the ket's shell pairs that form quartets with a bra. */
static int64_t end_of_kets(const struct hf_work *work, const struct hf_shell_pair *bra,
                           const struct hf_part_ket *kets)
{
    const int64_t last = bra - work->pairs->pair;
    return kets->triangle && kets->end > last + 1 ? last + 1 : kets->end;
}

/** Appends a ket of a pair of atoms. Sets member by member: copying a struct as a whole, right after its
 *  members were written, stalls the processor. */
static inline void set_waiting(const struct hf_work *work, const struct hf_part_ket *kets,
                               int place, const struct hf_shell_pair *pair, uint8_t kind,
                               struct hf_waiting_ket *ket)
{
    const struct hf_shell_place *first = &work->place[pair->a], *second = &work->place[pair->b];
    const bool turned = first->atom != kets->atom_c;
    ket->pair = pair;
    ket->place = (int16_t)place;
    ket->c = (int16_t)(turned ? second : first)->index;
    ket->d = (int16_t)(turned ? first : second)->index;
    ket->turned = turned;
    ket->kind = kind;
    ket->wanted = 0;
    ket->single = false;
}

/** How a thread uses the plan of the store. */
static enum hf_store_use use_of_store(const struct hf_worker *worker)
{
    return worker->store_dropped ? HF_STORE_NONE : worker->work->store_use;
}

/** Least bound of a ket in a pair of atoms for the quartets that the consumer needs of a bra; *stored: for
 *  quartets of the store's plan. */
static double least_ket(const struct hf_worker *worker, const struct hf_part *part,
                        const struct hf_shell_pair *bra, int place, double *stored)
{
    const struct hf_work *work = worker->work;
    const struct hf_lasting *lasting = work->plan.lasting;
    const struct hf_quartet_consumer *consumer = worker->consumer;
    double least = work->threshold / work->largest / bra->bound;
    if (consumer->least_bound != NULL)
        least = fmax(least, consumer->least_bound(worker->self, bra, place));
    *stored = use_of_store(worker) == HF_STORE_FILL ? work->plan.smallest / bra->bound : HUGE_VAL;
    if (lasting != NULL) {
        const double meets = lasting->of_atoms(lasting->data, part->bra, part->ket[place].atoms);
        *stored = fmax(*stored, work->plan.least / (bra->bound * meets));
    }
    return least;
}

/** Appends the kets of one pair of atoms that matter to those of the bra. The consumer has been asked about the
 *  first *asked kets. */
static void find_kets(struct hf_worker *worker, const struct hf_part *part,
                      const struct hf_shell_pair *bra, int place, int *asked)
{
    const struct hf_part_ket *kets = &part->ket[place];
    const struct hf_work *work = worker->work;
    const struct hf_store_plan *plan = &work->plan;
    const enum hf_store_use use = use_of_store(worker);
    double stored;
    const double least = least_ket(worker, part, bra, place, &stored), last = fmin(least, stored);
    const int64_t end = end_of_kets(work, bra, kets);
    for (int64_t k = kets->begin; k < end; k++) {
        const struct hf_shell_pair *ket =
            &work->pairs->pair[kets->list != NULL ? kets->list[k] : k];
        uint8_t kind = 0;
        if (ket->bound < last) break;
        if (use != HF_STORE_NONE && hf_store_plan_has(plan, bra, ket)) {
            if (use == HF_STORE_SKIP) continue;
            kind = kind_of(work, bra, ket);
        } else if (ket->bound < least) {
            continue;
        }
        set_waiting(work, kets, place, ket, kind, &worker->ket[worker->n_ket++]);
        if (worker->n_ket - *asked < HF_KET_BLOCK) continue;
        screen_kets(worker, bra, *asked);
        *asked = worker->n_ket;
    }
}

void hf_worker_compute(struct hf_worker *worker, const struct hf_part *part)
{
    const struct hf_work *work = worker->work;
    for (int64_t k = part->bra_begin; k < part->bra_end && !worker->interrupted; k++) {
        const struct hf_shell_pair *bra = &work->pairs->pair[k];
        int asked = 0;
        for (int i = 0; i < part->n_ket; i++)
            if (bra->bound * part->ket[i].atoms->bound >= work->least_bound)
                find_kets(worker, part, bra, i, &asked);
        screen_kets(worker, bra, asked);
        hf_worker_compute_kets(worker, part, bra, use_of_store(worker) == HF_STORE_FILL);
    }
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/** Adds the kets of a strip that had no room in the store to the kets that are computed again. */
static void find_missing(struct hf_worker *worker, const struct hf_part *part,
                         const struct hf_strip *strip)
{
    const struct hf_work *work = worker->work;
    const struct hf_part_ket *kets = &part->ket[strip->place];
    const int64_t end = end_of_kets(work, strip->bra, kets);
    const int *first = work->pairs->basis->first_shell_of_atom;
    for (int64_t k = kets->begin; k < end; k++) {
        const struct hf_shell_pair *pair = &work->pairs->pair[k];
        struct hf_waiting_ket *ket = &worker->ket[worker->n_ket];
        if (!hf_store_plan_has(&work->plan, strip->bra, pair)) continue;
        set_waiting(work, kets, strip->place, pair, kind_of(work, strip->bra, pair), ket);
        const int c = work->place[first[kets->atom_c] + ket->c].first - strip->first_c;
        const int d = work->place[first[kets->atom_d] + ket->d].first - strip->first_d;
        if (c < 0 || c >= strip->n_c || d < 0 || d >= strip->n_d) continue;
        ket->wanted = strip->wanted;
        worker->n_ket++;
    }
}

/** Makes a strip for the consumer from a stored strip. */
static struct hf_strip open_strip(const struct hf_worker *worker,
                                  const struct hf_stored_strip *stored, const void *number)
{
    struct hf_strip strip = {.bra = &worker->work->pairs->pair[stored->bra],
                             .place = stored->place,
                             .first_c = stored->first_c,
                             .n_c = stored->n_c,
                             .first_d = stored->first_d,
                             .n_d = stored->n_d};
    if (stored->kind == HF_STORED_DOUBLE) strip.value = number;
    if (stored->kind == HF_STORED_SINGLE) strip.single = number;
    strip.wanted = worker->consumer->bound_strip(worker->self, &strip, (double)stored->bound);
    return strip;
}

void hf_worker_read(struct hf_worker *worker, const struct hf_part *part)
{
    const struct hf_integral_store *store = worker->work->worker[part->worker].store;
    const struct hf_store_segment segment = hf_integral_store_segment(store, part->segment);
    struct hf_store_cursor cursor = hf_integral_store_open(store, &segment);
    const struct hf_shell_pair *bra = NULL; /* of the kets to be computed again */
    const struct hf_stored_strip *stored;
    const void *number;
    while (!worker->interrupted && (stored = hf_integral_store_next(&cursor, &number)) != NULL) {
        const struct hf_strip strip = open_strip(worker, stored, number);
        if (!strip.wanted) continue;
        if (number == NULL) {
            if (bra != strip.bra && worker->n_ket > 0)
                hf_worker_compute_kets(worker, part, bra, false);
            bra = strip.bra;
            find_missing(worker, part, &strip);
            continue;
        }
        worker->consumer->take(worker->self, &strip);
        worker->n_read += stored->n_quartet;
        hf_worker_count(worker, stored->n);
    }
    if (worker->n_ket > 0) hf_worker_compute_kets(worker, part, bra, false);
}
