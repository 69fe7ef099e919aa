/* Sums of one thread in one task; see local_sums.h. */
#include "local_sums.h"

#include <stdlib.h>
#include <string.h>

/** A block of sums, rows and columns the functions of two atoms, all jobs side by side. */
struct local_block {
    int row, column; /**< atoms */
    double *value;
};

/** Two blocks of each K: bra atoms with ket atoms and the other way round; of J: likewise AB, CD.
 */
enum {
    MAX_COLUMN = 2 * HF_MOST_PART_KETS,
    MAX_COULOMB = 2 * (HF_MOST_PART_KETS + 1),
    MAX_EXCHANGE = 2 * 2 * MAX_COLUMN,
};

struct hf_local_sums {
    struct hf_context *context;
    const struct hf_basis *basis;
    struct hf_job_shape jobs;
    struct hf_sums_target target;
    double *storage, *next;
    int n_coulomb, n_exchange;
    struct local_block coulomb[MAX_COULOMB], exchange[MAX_EXCHANGE];
    int *block_of_atom[2]; /**< [n_atom] K of bra atom A or B with an atom, as a number above that
                                of the first of the two blocks; 0: none yet */
    struct hf_quartet_blocks blocks[HF_MOST_PART_KETS];
};

hf_status hf_local_sums_create(struct hf_context *context, const struct hf_basis *basis,
                               const struct hf_job_shape *jobs, const struct hf_sums_target *target,
                               struct hf_local_sums **sums, struct hf_error *error)
{
    const size_t n_atom = (size_t)basis->n_atom;
    const size_t n_block = (size_t)MAX_COULOMB * (size_t)hf_n_coulomb(jobs) +
                           (size_t)MAX_EXCHANGE * (size_t)jobs->n_exchange;
    size_t n_most = 0;
    for (int a = 0; a < basis->n_atom; a++) {
        const size_t n = (size_t)hf_atom_n_function(basis, a);
        if (n > n_most) n_most = n;
    }
    struct hf_local_sums *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->context = context;
    made->basis = basis;
    made->jobs = *jobs;
    made->target = *target;
    made->storage = hf_memory_allocate(context->memory, "sums of a thread",
                                       n_block * n_most * n_most, sizeof(double));
    made->block_of_atom[0] = calloc(2 * n_atom, sizeof *made->block_of_atom[0]);
    if (made->storage == NULL || made->block_of_atom[0] == NULL) goto no_memory;
    made->block_of_atom[1] = made->block_of_atom[0] + n_atom;
    *sums = made;
    return HF_OK;
no_memory:
    hf_local_sums_destroy(&made);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the sums of a thread");
}

void hf_local_sums_destroy(struct hf_local_sums **sums)
{
    struct hf_local_sums *old = *sums;
    if (old != NULL) {
        hf_memory_release(old->context->memory, old->storage);
        free(old->block_of_atom[0]);
        free(old);
    }
    *sums = NULL;
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

/** The block of J of a pair of atoms and, when they differ, that in the other order; into [x][y]
 *  and [y][x]. */
static void add_coulomb(struct hf_local_sums *self, const struct hf_atom_pair *pair, int x,
                        struct hf_quartet_blocks *blocks)
{
    const int atom[2] = {pair->atom_a, pair->atom_b};
    const int n = atom[0] == atom[1] ? 1 : 2;
    for (int k = 0; k < n; k++)
        blocks->coulomb[x + k][x + n - 1 - k] =
            add_block(self, &self->coulomb[self->n_coulomb++], atom[k], atom[n - 1 - k],
                      hf_n_coulomb(&self->jobs));
}

/** The blocks of K of bra atom x with the atom `other` at y, new ones unless the task has them. */
static void add_exchange(struct hf_local_sums *self, int x, int atom, int y, int other,
                         struct hf_quartet_blocks *blocks)
{
    int *known = &self->block_of_atom[x][other];
    if (*known == 0) {
        const int n_job = self->jobs.n_exchange;
        add_block(self, &self->exchange[self->n_exchange], atom, other, n_job);
        add_block(self, &self->exchange[self->n_exchange + 1], other, atom, n_job);
        *known = self->n_exchange + 1;
        self->n_exchange += 2;
    }
    const struct local_block *block = &self->exchange[*known - 1];
    blocks->exchange[x][y] = block[0].value;
    blocks->exchange[y][x] = block[1].value;
}

/** Shapes of the sums of four atoms, and all that the target says of them. */
static void show(const struct hf_local_sums *self, const struct hf_atom_pair *bra,
                 const struct hf_atom_pair *ket, int k, struct hf_quartet_blocks *blocks)
{
    const int atom[HF_N_ATOM] = {bra->atom_a, bra->atom_b, ket->atom_a, ket->atom_b};
    *blocks = (struct hf_quartet_blocks){.jobs = &self->jobs};
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->atom[x] = atom[x];
        blocks->sum_shape.first[x] = hf_atom_first_function(self->basis, atom[x]);
        blocks->sum_shape.columns[x] = hf_atom_n_function(self->basis, atom[x]);
    }
    self->target.show(self->target.data, k, blocks);
    blocks->has_coulomb = blocks->has_coulomb && hf_n_coulomb(&self->jobs) > 0;
    blocks->has_exchange = blocks->has_exchange && self->jobs.n_exchange > 0;
}

/** Sums of one ket; *with_bra: blocks of a ket before that have J of the bra, or NULL. */
static void add_sums(struct hf_local_sums *self, const struct hf_atom_pair *bra,
                     const struct hf_atom_pair *ket, const struct hf_quartet_blocks **with_bra,
                     struct hf_quartet_blocks *blocks)
{
    const int bra_atom[2] = {bra->atom_a, bra->atom_b}, ket_atom[2] = {ket->atom_a, ket->atom_b};
    if (blocks->has_coulomb) {
        if (*with_bra == NULL) add_coulomb(self, bra, HF_ATOM_A, blocks);
        for (int x = HF_ATOM_A; x <= HF_ATOM_B && *with_bra != NULL; x++)
            for (int y = HF_ATOM_A; y <= HF_ATOM_B; y++)
                blocks->coulomb[x][y] = (*with_bra)->coulomb[x][y];
        *with_bra = blocks;
        add_coulomb(self, ket, HF_ATOM_C, blocks);
    }
    if (!blocks->has_exchange) return;
    for (int x = 0; x < (bra_atom[0] == bra_atom[1] ? 1 : 2); x++)
        for (int y = 0; y < (ket_atom[0] == ket_atom[1] ? 1 : 2); y++)
            add_exchange(self, x, bra_atom[x], HF_ATOM_C + y, ket_atom[y], blocks);
}

const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_part *part)
{
    const struct hf_quartet_blocks *with_bra = NULL;
    sums->next = sums->storage;
    sums->n_coulomb = sums->n_exchange = 0;
    for (int k = 0; k < part->n_ket; k++) {
        const struct hf_atom_pair *ket = part->ket[k].atoms;
        show(sums, part->bra, ket, k, &sums->blocks[k]);
        add_sums(sums, part->bra, ket, &with_bra, &sums->blocks[k]);
    }
    return sums->blocks;
}

static void hand_over(const struct hf_local_sums *self, bool exchange,
                      const struct local_block *block)
{
    self->target.add(self->target.data, exchange, block->row, block->column, block->value);
}

hf_status hf_local_sums_end(struct hf_local_sums *sums, struct hf_error *error)
{
    const struct hf_sums_target *target = &sums->target;
    if (target->begin_adding != NULL) target->begin_adding(target->data);
    for (int k = 0; k < sums->n_coulomb; k++) hand_over(sums, false, &sums->coulomb[k]);
    for (int k = 0; k < sums->n_exchange; k++) hand_over(sums, true, &sums->exchange[k]);
    for (int k = 0; k < sums->n_exchange; k += 2)
        for (int x = 0; x < 2; x++) sums->block_of_atom[x][sums->exchange[k].column] = 0;
    return target->end_adding != NULL ? target->end_adding(target->data, error) : HF_OK;
}
