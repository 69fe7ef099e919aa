/* The strips of one bra: laid out after screening, filled by the queues, given to the consumer and stored; see
 * work/work.h. */
#include "work_private.h"

#include <string.h>

/** Size of the strips that are filled at a time: they should stay in a second-level cache until they are used.
 *  More if one pair of atoms needs more. With an eighth of this size fewer vectors of the engine are full:
 *  direct builds of uracil/cc-pVDZ took 12 % longer. */
enum { MOST_BYTES = 1 << 20, MOST_STRIPS = 256 };

/** Overhead of a strip in bytes: its head, a call of the consumer. Rows are joined to one strip if the additional
 *  zeros and the additional width are no more than this. */
enum { STRIP_COST_BYTES = 384 };

size_t hf_strips_capacity(const struct hf_basis *basis, int most_functions)
{
    const size_t n = (size_t)hf_most_functions_of_atom(basis);
    const size_t largest = (size_t)most_functions * n * n * sizeof(double) +
                           hf_whole_lines(1) * (size_t)hf_most_shells_of_atom(basis);
    return largest > MOST_BYTES ? largest : MOST_BYTES;
}

void hf_strips_init(struct hf_strips *strips, struct hf_work *work, struct hf_arena *arena)
{
    const struct hf_shell_pairs *pairs = work->pairs;
    const size_t n_shell = (size_t)hf_most_shells_of_atom(pairs->basis);
    const int most_functions = hf_most_pair_functions(pairs->n_class, pairs->class_of);
    *strips = (struct hf_strips){.place = work->place,
                                 .capacity = hf_strips_capacity(pairs->basis, most_functions),
                                 .most = MOST_STRIPS + (int)n_shell};
    HF_TAKE(arena, strips->made, (size_t)strips->most);
    HF_TAKE(arena, strips->row, n_shell);
    HF_TAKE_UNSET(arena, strips->buffer, strips->capacity + HF_STRIP_ROOM);
}

/* ---- Laying out ------------------------------------------------------------------------------ */

/** Shells of the atoms of a strip. */
struct strip_shells {
    const struct hf_shell_place *c, *d; /**< the first ones of atoms C and D */
};

/** Adds row `from` to row `to`. */
static void add_row(const struct hf_strip_row *from, struct hf_strip_row *to)
{
    if (from->low < to->low) to->low = from->low;
    if (from->high > to->high) to->high = from->high;
    to->n_quartet += from->n_quartet;
    to->n_c = from->first_c + from->n_c - to->first_c;
    to->n_filled += from->n_filled;
    to->wide = to->wide || from->wide;
    to->wanted |= from->wanted;
    if (from->bound > to->bound) to->bound = from->bound;
}

/** Which kets are laid out: those to be stored, or those not to be stored, for one set of flags or for all. */
struct choice {
    bool stored;
    uint8_t wanted; /**< 0: any flags */
};

static bool is_laid_out(const struct hf_waiting_ket *ket, struct choice choice)
{
    return ((ket->kind & HF_KIND_STORED) != 0) == choice.stored &&
           (choice.wanted == 0 || ket->wanted == choice.wanted);
}

/** Puts the chosen ones of kets [n] of a pair of atoms into rows; returns their number. Copies member by
 *  member: reading members right after writing a struct as a whole stalls the processor. */
static int make_rows(struct hf_strips *strips, const struct strip_shells *shells, int n,
                     const struct hf_waiting_ket ket[], struct choice choice)
{
    int n_row = 0;
    for (int i = 0; i < n; i++) {
        if (!is_laid_out(&ket[i], choice)) continue;
        const struct hf_shell_place *c = &shells->c[ket[i].c], *d = &shells->d[ket[i].d];
        struct hf_strip_row *row = &strips->row[ket[i].c];
        const bool wide = (ket[i].kind & HF_KIND_NARROW) == 0;
        const int low = d->first, high = low + d->n;
        const double bound = ket[i].pair->bound;
        const bool first = row->n_quartet++ == 0;
        row->first_c = c->first;
        row->n_c = c->n;
        row->low = first || low < row->low ? low : row->low;
        row->high = first || high > row->high ? high : row->high;
        row->n_filled = (first ? 0 : row->n_filled) + (size_t)c->n * (size_t)d->n;
        row->wide = (!first && row->wide) || wide;
        row->wanted = (uint8_t)((first ? 0 : row->wanted) | ket[i].wanted);
        row->bound = first || bound > row->bound ? bound : row->bound;
        if (ket[i].c >= n_row) n_row = ket[i].c + 1;
    }
    return n_row;
}

/** Bytes of the numbers of a row or of joined rows, for n_bra function pairs of the bra. */
static size_t row_bytes(const struct hf_strip_row *row, size_t n_bra)
{
    return n_bra * (size_t)row->n_c * (size_t)(row->high - row->low) *
           (row->wide ? sizeof(double) : sizeof(float));
}

/** Appends strips for rows [n_row]; adjacent rows are joined if that costs little. Returns the number of
 *  strips. */
static int join_rows(struct hf_strips *strips, int n_row, size_t n_bra)
{
    int n = 0;
    struct hf_strip_row *last = NULL;
    for (int i = 0; i < n_row; i++) {
        struct hf_strip_row *row = &strips->row[i];
        if (row->n_quartet == 0) continue;
        if (last != NULL && last->first_c + last->n_c == row->first_c) {
            struct hf_strip_row both = *last;
            add_row(row, &both);
            if (row_bytes(&both, n_bra) <=
                row_bytes(last, n_bra) + row_bytes(row, n_bra) + STRIP_COST_BYTES) {
                *last = both;
                row->strip = strips->n + n - 1;
                continue;
            }
        }
        row->strip = strips->n + n;
        last = &strips->made[row->strip].sum;
        *last = *row;
        n++;
    }
    return n;
}

/** Finds room for the numbers of a strip: in the store, or in the buffer. */
static void *find_room(struct hf_worker *worker, struct hf_strip_made *made, size_t n_bra,
                       bool stored)
{
    struct hf_strips *strips = &worker->strips;
    const struct hf_strip *strip = &made->strip;
    const size_t bytes = row_bytes(&made->sum, n_bra);
    void *room = NULL;
    strips->bytes += hf_whole_lines(bytes);
    if (stored) {
        struct hf_stored_strip head = {
            .bra = (int32_t)(strip->bra - worker->work->pairs->pair),
            .n_quartet = made->sum.n_quartet,
            .n = (uint32_t)(n_bra * (size_t)strip->n_c * (size_t)strip->n_d),
            .bound = (float)(1.000001 * strip->bra->bound * made->sum.bound),
            .place = (int16_t)strip->place,
            .kind = made->sum.wide ? HF_STORED_DOUBLE : HF_STORED_SINGLE,
            .first_c = (uint16_t)strip->first_c,
            .n_c = (uint16_t)strip->n_c,
            .first_d = (uint16_t)strip->first_d,
            .n_d = (uint16_t)strip->n_d};
        if (!hf_integral_store_append(worker->store, &head, &room)) worker->store_failed = true;
    }
    if (room == NULL) {
        room = strips->buffer + strips->used;
        strips->used += hf_whole_lines(bytes);
    }
    return room;
}

/** Sets shape and memory of strip number `index`, of a bra with a pair of atoms. */
static void open_strip(struct hf_worker *worker, int index, const struct hf_shell_pair *bra,
                       int place, size_t n_bra, bool stored)
{
    struct hf_strip_made *made = &worker->strips.made[index];
    const struct hf_strip_row *sum = &made->sum;
    made->strip = (struct hf_strip){.bra = bra,
                                    .place = place,
                                    .first_c = sum->first_c,
                                    .n_c = sum->n_c,
                                    .first_d = sum->low,
                                    .n_d = sum->high - sum->low,
                                    .wanted = sum->wanted};
    made->number = find_room(worker, made, n_bra, stored);
    if (sum->n_filled < (size_t)sum->n_c * (size_t)(sum->high - sum->low))
        memset(made->number, 0, row_bytes(sum, n_bra));
    if (sum->wide)
        made->strip.value = made->number;
    else
        made->strip.single = made->number;
}

/** Sets where a quartet is written in its strip. */
static void set_lane(const struct hf_strip_made *made, const struct strip_shells *shells,
                     const struct hf_waiting_ket *ket, int n_bra, struct hf_strip_lane *lane)
{
    const struct hf_strip *strip = &made->strip;
    const int c_step = n_bra * strip->n_d;
    const size_t first = (size_t)(shells->c[ket->c].first - strip->first_c) * (size_t)c_step +
                         (size_t)(shells->d[ket->d].first - strip->first_d);
    const bool wide = made->sum.wide;
    lane->value = wide ? (double *)made->number + first : NULL;
    lane->single = wide ? NULL : (float *)made->number + first;
    lane->i_step = ket->turned ? 1 : c_step;
    lane->j_step = ket->turned ? c_step : 1;
    lane->ab_step = strip->n_d;
}

/** Queues kets that have been laid out. */
static void queue_kets(struct hf_worker *worker, const struct hf_shell_pair *bra,
                       const struct strip_shells *shells, int n, const struct hf_waiting_ket ket[],
                       struct choice choice)
{
    const struct hf_strips *strips = &worker->strips;
    const int n_bra = worker->work->pairs->class_of[bra->pair_class].n_function;
    const bool weighed = worker->work->settings.order.quartets == HF_QUARTETS_ONCE;
    const float bra_factor = bra->a == bra->b ? 1.0F : 2.0F;
    for (int i = 0; i < n; i++) {
        if (!is_laid_out(&ket[i], choice)) continue;
        const struct hf_shell_pair *pair = ket[i].pair;
        struct hf_strip_lane *lane = hf_worker_queue(worker, bra, &ket[i]);
        set_lane(&strips->made[strips->row[ket[i].c].strip], shells, &ket[i], n_bra, lane);
        /* how many of the 8 permutations of the quartet are different */
        lane->factor =
            weighed ? bra_factor * (pair->a == pair->b ? 1.0F : 2.0F) * (pair == bra ? 1.0F : 2.0F)
                    : 1.0F;
    }
}

/** Lays out strips for the chosen ones of the kets [n] of a bra and a pair of atoms, and queues them. */
static void lay_out(struct hf_worker *worker, const struct hf_part *part,
                    const struct hf_shell_pair *bra, int n, const struct hf_waiting_ket ket[],
                    struct choice choice, bool stores)
{
    struct hf_strips *strips = &worker->strips;
    const struct hf_shell_pairs *pairs = worker->work->pairs;
    const int place = ket[0].place, n_bra = pairs->class_of[bra->pair_class].n_function;
    const int *first = pairs->basis->first_shell_of_atom;
    const struct strip_shells shells = {.c = strips->place + first[part->ket[place].atom_c],
                                        .d = strips->place + first[part->ket[place].atom_d]};
    const int n_row = make_rows(strips, &shells, n, ket, choice);
    if (n_row == 0) return;
    if (strips->n + n_row > strips->most) hf_worker_finish_strips(worker, bra);
    int n_strip = join_rows(strips, n_row, (size_t)n_bra);
    size_t bytes = 0;
    for (int i = strips->n; i < strips->n + n_strip; i++)
        bytes += hf_whole_lines(row_bytes(&strips->made[i].sum, (size_t)n_bra));
    if (strips->n > 0 && strips->bytes + bytes > MOST_BYTES) {
        hf_worker_finish_strips(worker, bra);
        n_strip = join_rows(strips, n_row, (size_t)n_bra);
    }
    for (int i = strips->n; i < strips->n + n_strip; i++)
        open_strip(worker, i, bra, place, (size_t)n_bra, choice.stored && stores);
    strips->n += n_strip;
    queue_kets(worker, bra, &shells, n, ket, choice);
    for (int i = 0; i < n_row; i++) strips->row[i].n_quartet = 0;
}

/** Lays out kets that are not stored. All kets of a strip have the same flags. */
static void lay_out_alike(struct hf_worker *worker, const struct hf_part *part,
                          const struct hf_shell_pair *bra, int n, const struct hf_waiting_ket ket[])
{
    bool found[UINT8_MAX + 1] = {false};
    for (int i = 0; i < n; i++) {
        const uint8_t wanted = ket[i].wanted;
        if (wanted == 0 || found[wanted]) continue;
        found[wanted] = true;
        lay_out(worker, part, bra, n, ket, (struct choice){.wanted = wanted}, false);
    }
}

/* ---- Handing over ---------------------------------------------------------------------------- */

void hf_worker_finish_strips(struct hf_worker *worker, const struct hf_shell_pair *bra)
{
    struct hf_strips *strips = &worker->strips;
    hf_worker_flush(worker, bra);
    for (int i = 0; i < strips->n && !worker->interrupted; i++)
        if (strips->made[i].strip.wanted)
            worker->consumer->take(worker->self, &strips->made[i].strip);
    strips->n = 0;
    strips->used = strips->bytes = 0;
}

void hf_worker_compute_kets(struct hf_worker *worker, const struct hf_part *part,
                            const struct hf_shell_pair *bra, bool stores)
{
    const struct hf_waiting_ket *ket = worker->ket;
    const bool laid_out = worker->consumer->take != NULL;
    for (int i = 0; i < worker->n_ket && !laid_out; i++)
        (void)hf_worker_queue(worker, bra, &ket[i]);
    for (int begin = 0, end = 0; begin < worker->n_ket && laid_out; begin = end) {
        while (end < worker->n_ket && ket[end].place == ket[begin].place) end++;
        if (worker->work->store_use != HF_STORE_NONE)
            lay_out(worker, part, bra, end - begin, ket + begin, (struct choice){.stored = true},
                    stores);
        if (worker->work->settings.strips_alike)
            lay_out_alike(worker, part, bra, end - begin, ket + begin);
        else
            lay_out(worker, part, bra, end - begin, ket + begin, (struct choice){0}, false);
    }
    worker->n_ket = 0;
    hf_worker_finish_strips(worker, bra);
}
