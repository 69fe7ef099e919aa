/* Sums of one thread in one task; see local_sums.h. */
#include "local_sums.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hf_row_locks {
    int n;
    pthread_mutex_t mutex[];
};

struct hf_row_locks *hf_row_locks_create(int n_atom)
{
    struct hf_row_locks *made = calloc(1, sizeof *made + (size_t)n_atom * sizeof made->mutex[0]);
    if (made == NULL) return NULL;
    for (made->n = 0; made->n < n_atom; made->n++)
        if (pthread_mutex_init(&made->mutex[made->n], NULL) != 0) {
            hf_row_locks_destroy(&made);
            return NULL;
        }
    return made;
}

void hf_row_locks_destroy(struct hf_row_locks **locks)
{
    if (*locks == NULL) return;
    for (int i = 0; i < (*locks)->n; i++) pthread_mutex_destroy(&(*locks)->mutex[i]);
    free(*locks);
    *locks = NULL;
}

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
    MAX_COLUMN = 2 * HF_MAX_KET_ATOM_PAIRS,
    MAX_COULOMB = 2 * (HF_MAX_KET_ATOM_PAIRS + 1),
    MAX_EXCHANGE = 2 * 2 * MAX_COLUMN,
};

struct hf_local_sums {
    struct hf_context *context;
    const struct hf_whole_matrices *matrices;
    double *storage, *next;
    int n_coulomb, n_exchange;
    struct local_block coulomb[MAX_COULOMB], exchange[MAX_EXCHANGE];
    int *block_of_atom[2]; /**< [n_atom] K of bra atom A or B with an atom, as a number above that
                                of the first of the two blocks; 0: none yet */
    struct hf_quartet_blocks blocks[HF_MAX_KET_ATOM_PAIRS];
    struct hf_job_blocks *job; /**< [HF_MAX_KET_ATOM_PAIRS][n_job] */
};

static int n_function_of(const struct hf_basis *basis, int atom)
{
    int n = 0;
    for (int s = basis->first_shell_of_atom[atom]; s < basis->first_shell_of_atom[atom + 1]; s++)
        n += basis->shell[s].n_function;
    return n;
}

static int first_function_of(const struct hf_basis *basis, int atom)
{
    return basis->shell[basis->first_shell_of_atom[atom]].first_function;
}

hf_status hf_local_sums_create(struct hf_context *context, const struct hf_whole_matrices *matrices,
                               struct hf_local_sums **sums, struct hf_error *error)
{
    const struct hf_basis *basis = matrices->basis;
    const size_t n_job = (size_t)matrices->n_job, n_atom = (size_t)basis->n_atom;
    size_t n_most = 0;
    for (int a = 0; a < basis->n_atom; a++) {
        const size_t n = (size_t)n_function_of(basis, a);
        if (n > n_most) n_most = n;
    }
    struct hf_local_sums *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->context = context;
    made->matrices = matrices;
    made->storage =
        hf_memory_allocate(context->memory, "sums of a thread",
                           (MAX_COULOMB + MAX_EXCHANGE) * n_job * n_most * n_most, sizeof(double));
    made->job = calloc(HF_MAX_KET_ATOM_PAIRS * n_job, sizeof *made->job);
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
    const struct hf_basis *basis = self->matrices->basis;
    *block = (struct local_block){
        .row = row,
        .column = column,
        .value = self->next,
        .size = (size_t)n_function_of(basis, row) * (size_t)n_function_of(basis, column),
    };
    const size_t all = block->size * (size_t)self->matrices->n_job;
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
        for (int i = 0; i < self->matrices->n_job; i++) {
            if (self->matrices->coulomb[i] == NULL) continue;
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
    for (int i = 0; i < self->matrices->n_job; i++) {
        if (self->matrices->exchange[i] == NULL) continue;
        job[i].exchange[x][y] = block[0].value + (size_t)i * block[0].size;
        job[i].exchange[y][x] = block[1].value + (size_t)i * block[1].size;
    }
}

/** What the blocks of one ket have of the whole matrices. */
static void show_matrices(const struct hf_local_sums *self, const struct hf_atom_pair *bra,
                          const struct hf_atom_pair *ket, struct hf_quartet_blocks *blocks,
                          struct hf_job_blocks job[])
{
    const struct hf_whole_matrices *matrices = self->matrices;
    const struct hf_basis *basis = matrices->basis;
    const int atom[HF_N_ATOM] = {bra->atom_a, bra->atom_b, ket->atom_a, ket->atom_b};
    *blocks = (struct hf_quartet_blocks){
        .n_job = matrices->n_job, .job = job, .coulomb = true, .exchange = true};
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->atom[x] = atom[x];
        blocks->density.columns[x] = basis->n_function;
        blocks->sum.first[x] = first_function_of(basis, atom[x]);
        blocks->sum.columns[x] = n_function_of(basis, atom[x]);
        blocks->n_shell[x] = basis->n_shell;
        for (int y = 0; y < HF_N_ATOM; y++) blocks->largest[x][y] = matrices->shell_density;
    }
    for (int i = 0; i < matrices->n_job; i++) {
        memset(&job[i], 0, sizeof job[i]);
        for (int x = 0; x < HF_N_ATOM; x++)
            for (int y = 0; y < HF_N_ATOM; y++) job[i].density[x][y] = matrices->density[i];
    }
}

/** J of the bra, which all kets share: from the first to another. */
static void share_bra(const struct hf_local_sums *self, const struct hf_job_blocks from[],
                      struct hf_job_blocks to[])
{
    for (int i = 0; i < self->matrices->n_job; i++)
        for (int x = HF_ATOM_A; x <= HF_ATOM_B; x++)
            for (int y = HF_ATOM_A; y <= HF_ATOM_B; y++)
                to[i].coulomb[x][y] = from[i].coulomb[x][y];
}

const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_atom_pair *bra, int n,
                                                    const struct hf_atom_pair *const ket[])
{
    const int bra_atom[2] = {bra->atom_a, bra->atom_b};
    const int n_bra_atom = bra_atom[0] == bra_atom[1] ? 1 : 2;
    sums->next = sums->storage;
    sums->n_coulomb = sums->n_exchange = 0;
    for (int k = 0; k < n; k++) {
        struct hf_job_blocks *job = sums->job + k * sums->matrices->n_job;
        const int ket_atom[2] = {ket[k]->atom_a, ket[k]->atom_b};
        show_matrices(sums, bra, ket[k], &sums->blocks[k], job);
        if (k == 0)
            add_coulomb(sums, bra, HF_ATOM_A, job);
        else
            share_bra(sums, sums->job, job);
        add_coulomb(sums, ket[k], HF_ATOM_C, job);
        for (int x = 0; x < n_bra_atom; x++)
            for (int y = 0; y < (ket_atom[0] == ket_atom[1] ? 1 : 2); y++)
                add_exchange(sums, x, bra_atom[x], HF_ATOM_C + y, ket_atom[y], job);
    }
    return sums->blocks;
}

/** Adds a block to the matrices of all jobs, under the lock of its rows. */
static void add_to_matrices(const struct hf_local_sums *self, const struct local_block *block,
                            double *const *matrix)
{
    const struct hf_basis *basis = self->matrices->basis;
    struct hf_row_locks *locks = self->matrices->locks;
    const size_t n = (size_t)basis->n_function;
    const int n_row = n_function_of(basis, block->row);
    const int n_column = n_function_of(basis, block->column);
    if (locks != NULL) pthread_mutex_lock(&locks->mutex[block->row]);
    for (int i = 0; i < self->matrices->n_job; i++) {
        if (matrix[i] == NULL) continue;
        const double *from = block->value + (size_t)i * block->size;
        double *to = matrix[i] + (size_t)first_function_of(basis, block->row) * n +
                     (size_t)first_function_of(basis, block->column);
        for (int r = 0; r < n_row; r++, from += n_column, to += n)
            for (int c = 0; c < n_column; c++) to[c] += from[c];
    }
    if (locks != NULL) pthread_mutex_unlock(&locks->mutex[block->row]);
}

void hf_local_sums_end(struct hf_local_sums *sums)
{
    for (int k = 0; k < sums->n_coulomb; k++)
        add_to_matrices(sums, &sums->coulomb[k], sums->matrices->coulomb);
    for (int k = 0; k < sums->n_exchange; k++)
        add_to_matrices(sums, &sums->exchange[k], sums->matrices->exchange);
    for (int k = 0; k < sums->n_exchange; k += 2)
        for (int x = 0; x < 2; x++) sums->block_of_atom[x][sums->exchange[k].column] = 0;
}
