/* Which rank is responsible for which blocks, and the messages between nodes; see node_blocks.h. */
#include "node_blocks.h"

#include <math.h>
#include <stdlib.h>

/** Smallest number of groups that are arranged in rows and columns. */
enum { LEAST_IN_ROWS = 9 };

/** Group of a rank (its first rank until groups are numbered), number of the rank in it, and its size. */
struct seat {
    int group, member, n_member;
};

/** Seats of all ranks. Collective. */
static void find_seats(const struct hf_node_blocks *self, const struct hf_node_memory *shared,
                       struct seat seat[])
{
    struct seat mine = {self->context->rank, shared->rank, shared->n_rank};
    MPI_Bcast(&mine.group, 1, MPI_INT, 0, shared->comm);
    if (shared->comm == MPI_COMM_SELF) mine.group = self->context->rank;
    MPI_Allgather(&mine, 3, MPI_INT, seat, 3, MPI_INT, self->context->comm);
}

/** Groups are numbered by their first ranks. */
static void number_groups(struct hf_node_blocks *self, struct seat seat[])
{
    const int n_rank = self->context->n_rank;
    self->n_group = 0;
    for (int r = 0; r < n_rank; r++) /* the first rank of a group comes before all others */
        seat[r].group = seat[r].group == r ? self->n_group++ : seat[seat[r].group].group;
    const struct seat *mine = &seat[self->context->rank];
    self->group = mine->group;
    self->member = mine->member;
    self->n_member = mine->n_member;
}

/** Finds the places of all blocks and counts those in this rank's portions. */
static void find_places(struct hf_node_blocks *self, const struct seat seat[])
{
    const int n_atom = self->basis->n_atom;
    for (int i = 0; i < n_atom; i++) {
        for (int j = 0; j <= i; j++) {
            const struct hf_block_place place = hf_block_layout_find(self->layout, i, j);
            self->place[hf_pair_index(i, j)] = place;
            self->n_own += place.rank == self->context->rank;
            self->n_block +=
                seat[place.rank].member % self->n_member == self->member &&
                (seat[place.rank].group != self->group || place.rank == self->context->rank);
        }
    }
}

int hf_node_blocks_columns(int n_group)
{
    return n_group < LEAST_IN_ROWS ? n_group : (int)ceil(sqrt(n_group));
}

/** Arranges the groups in rows and columns; in one row if their sizes differ. */
static void choose_columns(struct hf_node_blocks *self, const struct seat seat[])
{
    bool alike = true;
    for (int r = 0; r < self->context->n_rank; r++)
        alike = alike && seat[r].n_member == self->n_member;
    self->n_column = alike ? hf_node_blocks_columns(self->n_group) : self->n_group;
}

/** The group of g's row that forwards sums of g for group `to`: the one in the same column or, if the last
 *  row is too short, the one above. */
static int group_on_way(const struct hf_node_blocks *self, int g, int to)
{
    const int n = self->n_column, found = g / n * n + to % n;
    return found < self->n_group ? found : found - n;
}

static int steps_between(const struct hf_node_blocks *self, int g, int h)
{
    return (h - g + self->n_group) % self->n_group;
}

/** A portion. Portions are sorted by the steps along the row to the group that forwards them, then by the steps
 *  from there to the owner's group. This rank's own portion is the first. */
struct portion {
    int rank, group;
    int step, order;
    size_t n, at; /**< number of blocks, and place of the next one */
};

static int by_step(const void *left, const void *right)
{
    const struct portion *x = left, *y = right;
    if (x->step != y->step) return x->step - y->step;
    if (x->order != y->order) return x->order - y->order;
    return x->rank - y->rank;
}

/** Lists the portions of this rank. Sets `number` [n_rank]: number of each owner's portion, or -1. */
static int list_portions(const struct hf_node_blocks *self, const struct seat seat[],
                         struct portion portion[], int number[])
{
    int n = 0;
    for (int r = 0; r < self->context->n_rank; r++) {
        const int group = seat[r].group, on_way = group_on_way(self, self->group, group);
        const bool mine = seat[r].member % self->n_member == self->member;
        number[r] = -1;
        if (r == self->context->rank || (mine && group != self->group))
            portion[n++] = (struct portion){.rank = r,
                                            .group = group,
                                            .step = steps_between(self, self->group, on_way),
                                            .order = steps_between(self, on_way, group)};
    }
    qsort(portion, (size_t)n, sizeof *portion, by_step);
    for (int k = 0; k < n; k++) number[portion[k].rank] = k;
    return n;
}

/** Fills the list of blocks, portion after portion. */
static void list_blocks(struct hf_node_blocks *self, int n_portion, struct portion portion[],
                        const int number[])
{
    const int n_atom = self->basis->n_atom;
    const size_t n_pair = hf_pair_index(n_atom, 0);
    size_t at = 0;
    for (size_t p = 0; p < n_pair; p++)
        if (number[self->place[p].rank] >= 0) portion[number[self->place[p].rank]].n++;
    for (int k = 0; k < n_portion; at += portion[k].n, k++) portion[k].at = at;
    for (int i = 0; i < n_atom; i++) {
        for (int j = 0; j <= i; j++) {
            const struct hf_block_place place = self->place[hf_pair_index(i, j)];
            const int k = number[place.rank];
            if (k < 0) continue;
            self->block[portion[k].at++] =
                (struct hf_own_block){.i = i,
                                      .j = j,
                                      .offset = place.offset,
                                      .size = hf_block_layout_block_size(self->layout, i, j)};
        }
    }
    for (int k = 0; k < n_portion; k++) portion[k].at -= portion[k].n;
}

/** The piece of blocks from `begin` on, before `end`. Updates the sizes of the largest piece. */
static struct hf_piece next_piece(struct hf_node_blocks *self, size_t begin, size_t end)
{
    struct hf_piece piece = {.begin = begin, .end = begin};
    size_t n = 0;
    while (piece.end < end && n < HF_PIECE_ELEMENTS) n += self->block[piece.end++].size;
    if (n > self->most_element) self->most_element = n;
    if (piece.end - begin > self->most_block) self->most_block = piece.end - begin;
    return piece;
}

/** Appends the pieces of blocks begin .. end-1 to a list, or only counts them if there is no list yet. */
static void add_pieces(struct hf_node_blocks *self, size_t begin, size_t end, int peer, int step,
                       struct hf_piece_list *list)
{
    struct hf_piece piece = {.end = begin};
    while (piece.end < end) {
        piece = next_piece(self, piece.end, end);
        if (list->message != NULL)
            list->message[list->n] =
                (struct hf_piece_message){.peer = peer, .step = step, .piece = piece};
        list->n++;
    }
}

/** The rank of a group that is responsible for the same portions as `member` of another group. */
static int rank_in_group(const struct seat seat[], int group, int member)
{
    int rank = 0;
    while (seat[rank].group != group || seat[rank].member != member % seat[rank].n_member) rank++;
    return rank;
}

/** End of the portions from number k on with the same step: they go to one rank, or stay. */
static int end_of_step(const struct hf_node_blocks *self, int n_portion,
                       const struct portion portion[], int k)
{
    const bool rows = self->n_column < self->n_group; /* else each owner is a peer */
    int end = k + 1;
    while (rows && end < n_portion && portion[end].step == portion[k].step) end++;
    return end;
}

static size_t end_of_portion(const struct portion *portion)
{
    return portion->at + portion->n;
}

/** Lists sums sent to other groups of the row, and sums received from there for this column. */
static void list_row(struct hf_node_blocks *self, int n_portion, const struct portion portion[],
                     const struct seat seat[])
{
    const int n_stay = end_of_step(self, n_portion, portion, 0);
    const size_t end = end_of_portion(&portion[n_stay - 1]);
    for (int k = n_stay, last; k < n_portion; k = last + 1) {
        last = end_of_step(self, n_portion, portion, k) - 1;
        const int group = (self->group + portion[k].step) % self->n_group;
        const int peer =
            group == portion[k].group ? portion[k].rank : rank_in_group(seat, group, self->member);
        add_pieces(self, portion[k].at, end_of_portion(&portion[last]), peer, portion[k].step,
                   &self->row.out);
    }
    for (int step = 1; step < self->n_group; step++) {
        const int from = (self->group - step + self->n_group) % self->n_group;
        if (group_on_way(self, from, self->group) == self->group)
            add_pieces(self, 0, end, rank_in_group(seat, from, self->member), step, &self->row.in);
    }
}

/** Lists sums sent on to owners in the column, and sums of own blocks received from there. */
static void list_column(struct hf_node_blocks *self, int n_portion, const struct portion portion[],
                        const struct seat seat[])
{
    const int n_stay = end_of_step(self, n_portion, portion, 0);
    for (int k = 1; k < n_stay; k++)
        add_pieces(self, portion[k].at, end_of_portion(&portion[k]), portion[k].rank,
                   portion[k].order, &self->column.out);
    for (int step = 1; step < self->n_group; step++) {
        const int from = (self->group - step + self->n_group) % self->n_group;
        if (self->n_column < self->n_group && from % self->n_column == self->group % self->n_column)
            add_pieces(self, 0, self->n_own, rank_in_group(seat, from, self->member), step,
                       &self->column.in);
    }
}

/** All lists of messages: counted, then filled. */
static void list_pieces(struct hf_node_blocks *self, int n_portion, const struct portion portion[],
                        const struct seat seat[])
{
    struct hf_piece_list *list[] = {&self->row.out, &self->row.in, &self->column.out,
                                    &self->column.in};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            if (pass == 1) HF_TAKE(&self->arena, list[i]->message, list[i]->n);
            if (self->arena.failed) return;
            list[i]->n = 0;
        }
        list_row(self, n_portion, portion, seat);
        list_column(self, n_portion, portion, seat);
    }
}

/** Makes everything that needs no communication. */
static hf_status make(struct hf_node_blocks *self, const struct seat seat[], struct hf_error *error)
{
    const size_t n_rank = (size_t)self->context->n_rank;
    struct hf_arena *arena = &self->arena;
    struct portion *portion = HF_TAKE(arena, portion, n_rank + 1);
    int *number = HF_TAKE(arena, number, n_rank);
    choose_columns(self, seat);
    find_places(self, seat);
    HF_TAKE(arena, self->block, self->n_block);
    if (!arena->failed) {
        const int n_portion = list_portions(self, seat, portion, number);
        list_blocks(self, n_portion, portion, number);
        list_pieces(self, n_portion, portion, seat);
    }
    hf_arena_release(arena, portion);
    hf_arena_release(arena, number);
    return hf_arena_check(arena, error);
}

/** Takes the tables whose sizes are known from the start; returns the seats. */
static struct seat *make_tables(struct hf_node_blocks *self)
{
    const size_t n_rank = (size_t)self->context->n_rank;
    HF_TAKE(&self->arena, self->first, n_rank + 1);
    HF_TAKE(&self->arena, self->place, hf_pair_index(self->basis->n_atom, 0));
    return hf_arena_take(&self->arena, n_rank, sizeof(struct seat));
}

/** Gathers how many elements each rank owns. Collective. */
static void find_sizes(struct hf_node_blocks *self)
{
    const int n_rank = self->context->n_rank;
    const uint64_t mine = hf_block_layout_local_size(self->layout);
    _Static_assert(sizeof(size_t) == sizeof mine, "sizes are gathered as they are");
    MPI_Allgather(&mine, 1, MPI_UINT64_T, self->first + 1, 1, MPI_UINT64_T, self->context->comm);
    for (int r = 0; r < n_rank; r++) self->first[r + 1] += self->first[r];
}

hf_status hf_node_blocks_create(struct hf_context *context, const struct hf_basis *basis,
                                const struct hf_block_layout *layout,
                                const struct hf_node_memory *shared, struct hf_node_blocks **blocks,
                                struct hf_error *error)
{
    hf_status status;
    struct seat *seat = NULL;
    struct hf_node_blocks *made;
    if (HF_NEW(made, context->memory, "blocks of nodes") != NULL) {
        made->context = context;
        made->basis = basis;
        made->layout = layout;
        seat = make_tables(made);
    }
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    find_seats(made, shared, seat);
    number_groups(made, seat);
    find_sizes(made);
    HF_TRY(hf_agree(context->comm, make(made, seat, error), error));
    hf_arena_release(&made->arena, seat);
    *blocks = made;
    return HF_OK;
cleanup:
    hf_arena_free(&made);
    return status;
}

double hf_node_blocks_bytes(double n_atom, int n_rank, int n_node_rank)
{
    const double n_pair = 0.5 * n_atom * (n_atom + 1.0);
    return n_pair * sizeof(struct hf_block_place) +
           n_pair / (n_rank > n_node_rank ? n_node_rank : n_rank) * sizeof(struct hf_own_block) +
           n_rank * sizeof(size_t);
}
