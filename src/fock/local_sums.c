/* Sums of one thread in one task; see local_sums.h. */
#include "local_sums.h"

#include <stdlib.h>
#include <string.h>

/** A block of sums, rows and columns the functions of two atoms, of all jobs one after the other.
 */
struct local_block {
    int row, column; /**< atoms */
    double *value;
    size_t size; /**< of one job */
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
    int n_job;
    const struct hf_fock_job *wanted; /**< [n_job] */
    struct hf_sums_target target;
    double *storage, *next;
    int n_coulomb, n_exchange;
    struct local_block coulomb[MAX_COULOMB], exchange[MAX_EXCHANGE];
    int *block_of_atom[2]; /**< [n_atom] K of bra atom A or B with an atom, as a number above that
                                of the first of the two blocks; 0: none yet */
    struct hf_quartet_blocks blocks[HF_MOST_PART_KETS];
    struct hf_job_blocks *job; /**< [HF_MOST_PART_KETS][n_job] */
};

hf_status hf_local_sums_create(struct hf_context *context, const struct hf_basis *basis, int n_job,
                               const struct hf_fock_job job[], const struct hf_sums_target *target,
                               struct hf_local_sums **sums, struct hf_error *error)
{
    const size_t n_layer = (size_t)n_job, n_atom = (size_t)basis->n_atom;
    size_t n_most = 0;
    for (int a = 0; a < basis->n_atom; a++) {
        const size_t n = (size_t)hf_atom_n_function(basis, a);
        if (n > n_most) n_most = n;
    }
    struct hf_local_sums *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->context = context;
    made->basis = basis;
    made->n_job = n_job;
    made->wanted = job;
    made->target = *target;
    made->storage = hf_memory_allocate(context->memory, "sums of a thread",
                                       (MAX_COULOMB + MAX_EXCHANGE) * n_layer * n_most * n_most,
                                       sizeof(double));
    made->job = calloc(HF_MOST_PART_KETS * n_layer, sizeof *made->job);
    made->block_of_atom[0] = calloc(2 * n_atom, sizeof *made->block_of_atom[0]);
    if (made->storage == NULL || made->job == NULL || made->block_of_atom[0] == NULL)
        goto no_memory;
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
        free(old->job);
        free(old->block_of_atom[0]);
        free(old);
    }
    *sums = NULL;
}

/** A new block of zeros for every job. */
static const struct local_block *add_block(struct hf_local_sums *self, struct local_block *block,
                                           int row, int column)
{
    const struct hf_basis *basis = self->basis;
    *block = (struct local_block){
        .row = row,
        .column = column,
        .value = self->next,
        .size = (size_t)hf_atom_n_function(basis, row) * (size_t)hf_atom_n_function(basis, column),
    };
    const size_t all = block->size * (size_t)self->n_job;
    memset(block->value, 0, all * sizeof *block->value);
    self->next += all;
    return block;
}

/** The block of J of a pair of atoms and, when they differ, that in the other order; into [x][y]
 *  and [y][x] of each job. */
static void add_coulomb(struct hf_local_sums *self, const struct hf_atom_pair *pair, int x,
                        struct hf_job_blocks job[])
{
    const int atom[2] = {pair->atom_a, pair->atom_b};
    const int n = atom[0] == atom[1] ? 1 : 2;
    for (int k = 0; k < n; k++) {
        const struct local_block *block =
            add_block(self, &self->coulomb[self->n_coulomb++], atom[k], atom[n - 1 - k]);
        for (int i = 0; i < self->n_job; i++) {
            if (self->wanted[i].coulomb == NULL) continue;
            double *value = block->value + (size_t)i * block->size;
            job[i].coulomb[x + k][x + n - 1 - k] = value;
        }
    }
}

/** The blocks of K of bra atom x with the atom `other` at y, new ones unless the task has them. */
static void add_exchange(struct hf_local_sums *self, int x, int atom, int y, int other,
                         struct hf_job_blocks job[])
{
    int *known = &self->block_of_atom[x][other];
    if (*known == 0) {
        add_block(self, &self->exchange[self->n_exchange], atom, other);
        add_block(self, &self->exchange[self->n_exchange + 1], other, atom);
        *known = self->n_exchange + 1;
        self->n_exchange += 2;
    }
    const struct local_block *block = &self->exchange[*known - 1];
    for (int i = 0; i < self->n_job; i++) {
        if (self->wanted[i].exchange == NULL) continue;
        job[i].exchange[x][y] = block[0].value + (size_t)i * block[0].size;
        job[i].exchange[y][x] = block[1].value + (size_t)i * block[1].size;
    }
}

/** Shapes of the sums of four atoms, and all that the target says of them. */
static void show(const struct hf_local_sums *self, const struct hf_atom_pair *bra,
                 const struct hf_atom_pair *ket, int k, struct hf_quartet_blocks *blocks,
                 struct hf_job_blocks job[])
{
    const int atom[HF_N_ATOM] = {bra->atom_a, bra->atom_b, ket->atom_a, ket->atom_b};
    *blocks = (struct hf_quartet_blocks){.n_job = self->n_job, .job = job};
    memset(job, 0, (size_t)self->n_job * sizeof *job);
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->atom[x] = atom[x];
        blocks->sum.first[x] = hf_atom_first_function(self->basis, atom[x]);
        blocks->sum.columns[x] = hf_atom_n_function(self->basis, atom[x]);
    }
    self->target.show(self->target.data, k, blocks, job);
}

/** J of the bra, which all kets share: from the first to another. */
static void share_bra(const struct hf_local_sums *self, const struct hf_job_blocks from[],
                      struct hf_job_blocks to[])
{
    for (int i = 0; i < self->n_job; i++)
        for (int x = HF_ATOM_A; x <= HF_ATOM_B; x++)
            for (int y = HF_ATOM_A; y <= HF_ATOM_B; y++)
                to[i].coulomb[x][y] = from[i].coulomb[x][y];
}

/** Sums of one ket; *with_bra: blocks of a ket before that have J of the bra, or NULL. */
static void add_sums(struct hf_local_sums *self, const struct hf_atom_pair *bra,
                     const struct hf_atom_pair *ket, const struct hf_quartet_blocks *blocks,
                     struct hf_job_blocks **with_bra, struct hf_job_blocks job[])
{
    const int bra_atom[2] = {bra->atom_a, bra->atom_b}, ket_atom[2] = {ket->atom_a, ket->atom_b};
    if (blocks->coulomb) {
        if (*with_bra != NULL)
            share_bra(self, *with_bra, job);
        else
            add_coulomb(self, bra, HF_ATOM_A, job);
        *with_bra = job;
        add_coulomb(self, ket, HF_ATOM_C, job);
    }
    if (!blocks->exchange) return;
    for (int x = 0; x < (bra_atom[0] == bra_atom[1] ? 1 : 2); x++)
        for (int y = 0; y < (ket_atom[0] == ket_atom[1] ? 1 : 2); y++)
            add_exchange(self, x, bra_atom[x], HF_ATOM_C + y, ket_atom[y], job);
}

const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_part *part)
{
    struct hf_job_blocks *with_bra = NULL;
    sums->next = sums->storage;
    sums->n_coulomb = sums->n_exchange = 0;
    for (int k = 0; k < part->n_ket; k++) {
        struct hf_job_blocks *job = sums->job + k * sums->n_job;
        const struct hf_atom_pair *ket = part->ket[k].atoms;
        show(sums, part->bra, ket, k, &sums->blocks[k], job);
        add_sums(sums, part->bra, ket, &sums->blocks[k], &with_bra, job);
    }
    return sums->blocks;
}

static void hand_over(const struct hf_local_sums *self, bool exchange,
                      const struct local_block *block)
{
    self->target.add(self->target.data, exchange, block->row, block->column, block->value,
                     block->size);
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
