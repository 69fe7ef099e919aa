/* Sums of one thread in one task; see local_sums.h. */
#include "local_sums.h"

#include "base/arena.h"

#include <string.h>

/** A block of sums: [job][functions of row][functions of column]. */
struct local_block {
    int row, column; /**< atoms */
    bool touched;    /**< something was added to it */
    double *value;
};

/** Blocks of K: bra atoms with ket atoms; of J: AB and BA, and CD of each ket. */
enum {
    MAX_COLUMN = 2 * HF_MOST_PART_KETS,
    MAX_COULOMB = HF_MOST_PART_KETS + 2,
    MAX_EXCHANGE = 2 * MAX_COLUMN,
};

struct hf_local_sums {
    struct hf_arena arena;
    const struct hf_basis *basis;
    struct hf_job_shape jobs;
    struct hf_sums_target target;
    double *storage, *next;
    int n_ket, n_coulomb, n_exchange;
    struct local_block coulomb[MAX_COULOMB], exchange[MAX_EXCHANGE];
    int coulomb_of_ket[HF_MOST_PART_KETS]; /**< number of its block of CD */
    bool touched[HF_MOST_PART_KETS][2];    /**< quartets were added: [ket][0: J, 1: K] */
    /** For A and B: [n_atom] number of the K block with an atom, plus 1; 0: no block yet */
    int *block_of_atom[2];
    struct hf_quartet_blocks blocks[HF_MOST_PART_KETS];
};

/** Doubles of all blocks. */
static size_t storage_size(int most_of_atom, int n_coulomb, int n_exchange)
{
    const size_t n_block = MAX_COULOMB * (size_t)n_coulomb + MAX_EXCHANGE * (size_t)n_exchange;
    return n_block * (size_t)most_of_atom * (size_t)most_of_atom + HF_STRIP_SLACK;
}

double hf_local_sums_bytes(int most_of_atom, int n_coulomb, int n_exchange)
{
    return (double)(storage_size(most_of_atom, n_coulomb, n_exchange) * sizeof(double));
}

hf_status hf_local_sums_create(struct hf_context *context, const struct hf_basis *basis,
                               const struct hf_job_shape *jobs, const struct hf_sums_target *target,
                               struct hf_local_sums **sums, struct hf_error *error)
{
    const size_t n_atom = (size_t)basis->n_atom;
    const size_t n =
        storage_size(hf_most_functions_of_atom(basis), hf_n_coulomb(jobs), jobs->n_exchange);
    struct hf_local_sums *made = HF_NEW(*sums, context->memory, "the sums of a thread");
    if (made == NULL) return hf_arena_check_new(made, error);
    made->basis = basis;
    made->jobs = *jobs;
    made->target = *target;
    HF_TAKE(&made->arena, made->storage, n);
    for (int x = 0; x < 2; x++) HF_TAKE(&made->arena, made->block_of_atom[x], n_atom);
    const hf_status status = hf_arena_check(&made->arena, error);
    if (status != HF_OK) hf_local_sums_destroy(sums);
    return status;
}

void hf_local_sums_destroy(struct hf_local_sums **sums)
{
    hf_arena_free(sums);
}

/** A new block of zeros for `n_job` jobs. */
static double *add_block(struct hf_local_sums *self, struct local_block *block, int row, int column,
                         int n_job)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)hf_atom_n_function(basis, row) *
                     (size_t)hf_atom_n_function(basis, column) * (size_t)n_job;
    *block = (struct local_block){.row = row, .column = column, .value = self->next};
    memset(block->value, 0, n * sizeof *block->value);
    self->next += n;
    return block->value;
}

/** Adds the J block of atoms x and y. */
static void add_coulomb(struct hf_local_sums *self, int x, int y, struct hf_quartet_blocks *blocks)
{
    blocks->coulomb[x][y] = add_block(self, &self->coulomb[self->n_coulomb++], blocks->atom[x],
                                      blocks->atom[y], hf_n_coulomb(&self->jobs));
}

/** Sets the K block of bra atom x and ket atom y; adds it unless the part has it. */
static void add_exchange(struct hf_local_sums *self, int x, int y, struct hf_quartet_blocks *blocks)
{
    const int other = blocks->atom[y];
    int *known = &self->block_of_atom[x][other];
    if (*known == 0) {
        add_block(self, &self->exchange[self->n_exchange], blocks->atom[x], other,
                  self->jobs.n_exchange);
        *known = ++self->n_exchange;
    }
    blocks->exchange[x][y] = self->exchange[*known - 1].value;
}

/** Sets the shapes for four atoms; the target fills in the densities. */
static void show(const struct hf_local_sums *self, const struct hf_atom_pair *bra,
                 const struct hf_atom_pair *ket, int k, struct hf_quartet_blocks *blocks)
{
    *blocks = (struct hf_quartet_blocks){.jobs = &self->jobs, .atom = {bra->atom_a, bra->atom_b}};
    hf_strip_atoms(self->basis, ket, &blocks->atom[HF_ATOM_C], &blocks->atom[HF_ATOM_D]);
    for (int x = 0; x < HF_N_ATOM; x++)
        blocks->n[x] = hf_atom_n_function(self->basis, blocks->atom[x]);
    self->target.show(self->target.data, k, blocks);
    blocks->has_coulomb = blocks->has_coulomb && hf_n_coulomb(&self->jobs) > 0;
    blocks->has_exchange = blocks->has_exchange && self->jobs.n_exchange > 0;
}

/** Adds the blocks of one ket. *with_bra: blocks of an earlier ket that share J of the bra, or NULL. */
static void add_sums(struct hf_local_sums *self, const struct hf_quartet_blocks **with_bra, int k)
{
    struct hf_quartet_blocks *blocks = &self->blocks[k];
    const int n_bra = blocks->atom[HF_ATOM_A] == blocks->atom[HF_ATOM_B] ? 1 : 2;
    if (blocks->has_coulomb) {
        for (int x = 0; x < n_bra; x++) {
            const int y = n_bra - 1 - x;
            if (*with_bra == NULL)
                add_coulomb(self, x, y, blocks);
            else
                blocks->coulomb[x][y] = (*with_bra)->coulomb[x][y];
        }
        *with_bra = blocks;
        self->coulomb_of_ket[k] = self->n_coulomb;
        add_coulomb(self, HF_ATOM_C, HF_ATOM_D, blocks);
    }
    if (!blocks->has_exchange) return;
    for (int x = 0; x < n_bra; x++)
        for (int y = HF_ATOM_C; y <= HF_ATOM_D; y++) add_exchange(self, x, y, blocks);
}

const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_part *part)
{
    const struct hf_quartet_blocks *with_bra = NULL;
    sums->next = sums->storage;
    sums->n_coulomb = sums->n_exchange = 0;
    sums->n_ket = part->n_ket;
    for (int k = 0; k < part->n_ket; k++) {
        show(sums, part->bra, part->ket[k].atoms, k, &sums->blocks[k]);
        add_sums(sums, &with_bra, k);
        sums->touched[k][0] = sums->touched[k][1] = false;
    }
    return sums->blocks;
}

void hf_local_sums_touch(struct hf_local_sums *sums, int k, bool coulomb, bool exchange)
{
    sums->touched[k][0] = sums->touched[k][0] || coulomb;
    sums->touched[k][1] = sums->touched[k][1] || exchange;
}

/** Finds the blocks that the quartets of ket k have added to. */
static void find_touched(struct hf_local_sums *self, int k)
{
    const struct hf_quartet_blocks *blocks = &self->blocks[k];
    const int n_bra = blocks->atom[HF_ATOM_A] == blocks->atom[HF_ATOM_B] ? 1 : 2;
    if (self->touched[k][0]) {
        for (int x = 0; x < n_bra; x++)
            self->coulomb[x].touched = true; /* blocks of the bra come first */
        self->coulomb[self->coulomb_of_ket[k]].touched = true;
    }
    for (int x = 0; x < n_bra && self->touched[k][1]; x++)
        for (int y = HF_ATOM_C; y <= HF_ATOM_D; y++)
            self->exchange[self->block_of_atom[x][blocks->atom[y]] - 1].touched = true;
}

static void hand_over(const struct hf_local_sums *self, bool exchange,
                      const struct local_block *block)
{
    if (!block->touched) return;
    self->target.add(self->target.data, exchange, block->row, block->column, block->value);
}

hf_status hf_local_sums_end(struct hf_local_sums *sums, struct hf_error *error)
{
    const struct hf_sums_target *target = &sums->target;
    for (int k = 0; k < sums->n_ket; k++) find_touched(sums, k);
    if (target->begin_adding != NULL) target->begin_adding(target->data);
    for (int k = 0; k < sums->n_coulomb; k++) hand_over(sums, false, &sums->coulomb[k]);
    for (int k = 0; k < sums->n_exchange; k++) hand_over(sums, true, &sums->exchange[k]);
    for (int k = 0; k < sums->n_exchange; k++)
        for (int x = 0; x < 2; x++) sums->block_of_atom[x][sums->exchange[k].column] = 0;
    return target->end_adding != NULL ? target->end_adding(target->data, error) : HF_OK;
}
