/* Distributed densities: from matrices to blocks at their owners, and from there to threads. */
#include "two_electron_blocks.h"

#include "hf/block_array.h"
#include "hf/matrix_blocks.h"

#include <math.h>
#include <stdlib.h>

/* ---- At the owners --------------------------------------------------------------------------- */

/** One density to the blocks of its array, in merged functions. Collective. */
static hf_status fill(struct hf_gradient_blocks *self, const struct hf_matrix *density, int k,
                      struct hf_error *error)
{
    double *local = hf_block_array_local(self->array[k]);
    struct hf_own_blocks own = hf_own_blocks_begin(self->layout);
    struct hf_own_block block;
    hf_status status;
    HF_TRY(hf_matrix_get_blocks(density, self->layout, local, error));
    while (hf_own_blocks_next(&own, &block))
        hf_mix_block(self->basis, false, block.i, block.j, local + block.offset);
    hf_block_array_fence(self->array[k]);
cleanup:
    return status;
}

hf_status hf_gradient_blocks_init(struct hf_gradient_blocks *self, struct hf_context *context,
                                  const struct hf_basis *merged,
                                  const struct hf_onesided_settings *settings, int n_density,
                                  const struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    self->basis = merged;
    self->n_density = n_density;
    status = hf_density_bounds_init(&self->bounds, context, merged->n_atom, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_onesided_create(context, settings, &self->onesided, error));
    pthread_mutex_init(&self->lock, NULL);
    HF_TRY(hf_atom_layout_create(context, merged, &self->layout, error));
    for (int k = 0; k < n_density; k++) {
        HF_TRY(hf_block_array_create(self->onesided, self->layout, "density blocks",
                                     &self->array[k], error));
        HF_TRY(fill(self, density[k], k, error));
    }
    hf_density_bounds_find(&self->bounds, context, self->layout, n_density, self->array);
cleanup:
    return status;
}

void hf_gradient_blocks_done(struct hf_gradient_blocks *self)
{
    if (self->bounds.memory != NULL) hf_density_bounds_done(&self->bounds);
    if (self->onesided == NULL) return;
    for (int k = 0; k < 2; k++) {
        if (self->array[k] != NULL) hf_block_array_fence(self->array[k]);
        hf_block_array_destroy(&self->array[k]);
    }
    hf_block_layout_destroy(&self->layout);
    hf_onesided_destroy(&self->onesided);
    pthread_mutex_destroy(&self->lock);
}

/* ---- Loans ----------------------------------------------------------------------------------- */

hf_status hf_gradient_loan_init(struct hf_gradient_loan *loan, struct hf_gradient_blocks *blocks,
                                const struct hf_shell_pairs *pairs, int n_density,
                                struct hf_error *error)
{
    *loan = (struct hf_gradient_loan){
        .blocks = blocks, .memory = pairs->context->memory, .n_density = n_density};
    loan->place = hf_shell_places(pairs->basis);
    loan->number = malloc(((size_t)pairs->basis->n_atom + 1) * sizeof *loan->number);
    if (loan->place != NULL && loan->number != NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the blocks of a thread");
}

void hf_gradient_loan_done(struct hf_gradient_loan *loan)
{
    free(loan->place);
    free(loan->number);
    hf_memory_release(loan->memory, loan->value);
    hf_memory_release(loan->memory, loan->bound);
    *loan = (struct hf_gradient_loan){0};
}

/** Gives a site a number, unless it has one in this part. */
static void add_site(struct hf_gradient_loan *loan, int site)
{
    for (int k = 0; k < loan->n_site; k++)
        if (loan->site[k] == site) return;
    loan->number[site] = loan->n_site;
    loan->site[loan->n_site++] = site;
}

/** A block that a part needs. */
struct lent_block {
    int i, j;
};

enum { MOST_LENT = 1 + 5 * HF_MOST_PART_KETS };

/** What is needed is listed once, with places for its numbers. */
struct lent_list {
    int n;
    struct lent_block block[MOST_LENT];
    size_t n_value, n_bound;
};

static void add_block(struct hf_gradient_loan *loan, struct lent_list *list, int i, int j)
{
    const struct hf_basis *basis = loan->blocks->basis;
    const int *shell = basis->first_shell_of_atom;
    const int row = i > j ? i : j, column = i > j ? j : i;
    int64_t *first = &loan->first[loan->number[row]][loan->number[column]];
    if (*first >= 0) return;
    *first = (int64_t)list->n_value;
    loan->first_bound[loan->number[row]][loan->number[column]] = (int64_t)list->n_bound;
    list->block[list->n++] = (struct lent_block){row, column};
    list->n_value += (size_t)loan->n_density * (size_t)hf_atom_n_function(basis, row) *
                     (size_t)hf_atom_n_function(basis, column);
    list->n_bound += (size_t)loan->n_density * (size_t)(shell[row + 1] - shell[row]) *
                     (size_t)(shell[column + 1] - shell[column]);
}

/** Lists the blocks of a part. */
static void list_blocks(struct hf_gradient_loan *loan, const struct hf_part *part,
                        struct lent_list *list)
{
    const int bra[2] = {part->bra->atom_a, part->bra->atom_b};
    *list = (struct lent_list){0};
    loan->n_site = 0;
    for (int x = 0; x < 2; x++) add_site(loan, bra[x]);
    for (int k = 0; k < part->n_ket; k++) {
        add_site(loan, part->ket[k].atoms->atom_a);
        add_site(loan, part->ket[k].atoms->atom_b);
    }
    for (int i = 0; i < loan->n_site; i++)
        for (int j = 0; j < loan->n_site; j++) loan->first[i][j] = -1;
    add_block(loan, list, bra[0], bra[1]);
    for (int k = 0; k < part->n_ket; k++) {
        const int ket[2] = {part->ket[k].atoms->atom_a, part->ket[k].atoms->atom_b};
        add_block(loan, list, ket[0], ket[1]);
        for (int x = 0; x < 4; x++) add_block(loan, list, bra[x / 2], ket[x % 2]);
    }
}

/** Makes room for n numbers. */
static bool provide(struct hf_memory *memory, size_t n, size_t *room, double **value)
{
    if (n <= *room) return true;
    hf_memory_release(memory, *value);
    *room = n + n / 2;
    *value = hf_memory_allocate_matrix(memory, "lent density blocks", *room, sizeof(double));
    if (*value == NULL) *room = 0;
    return *value != NULL;
}

/** Gets the blocks of one density; all are under way at the same time. */
static void get_blocks(struct hf_gradient_loan *loan, const struct lent_list *list, int k)
{
    struct hf_block_array *array = loan->blocks->array[k];
    struct hf_window_request request[MOST_LENT];
    pthread_mutex_lock(&loan->blocks->lock);
    for (int b = 0; b < list->n; b++) {
        const struct lent_block *block = &list->block[b];
        const size_t size = hf_block_layout_block_size(loan->blocks->layout, block->i, block->j);
        hf_block_array_begin_get(array, block->i, block->j,
                                 loan->value + (size_t)k * size +
                                     loan->first[loan->number[block->i]][loan->number[block->j]],
                                 &request[b]);
    }
    for (int b = 0; b < list->n; b++) hf_block_array_end_get(array, &request[b]);
    pthread_mutex_unlock(&loan->blocks->lock);
}

/** Largest elements of the shells of a block. */
static void find_bounds(const struct hf_gradient_loan *loan, const struct lent_block *block)
{
    const struct hf_basis *basis = loan->blocks->basis;
    const int *first = basis->first_shell_of_atom, i = loan->number[block->i],
              j = loan->number[block->j];
    const int n_row = hf_atom_n_function(basis, block->i),
              n_column = hf_atom_n_function(basis, block->j);
    double *to = loan->bound + loan->first_bound[i][j];
    for (int s = first[block->i]; s < first[block->i + 1]; s++)
        for (int t = first[block->j]; t < first[block->j + 1]; t++)
            for (int k = 0; k < loan->n_density; k++) {
                const struct hf_shell_place *p = &loan->place[s], *q = &loan->place[t];
                const double *from =
                    loan->value + loan->first[i][j] +
                    ((size_t)k * (size_t)n_row + (size_t)p->first) * (size_t)n_column + q->first;
                double largest = 0.0;
                for (int r = 0; r < p->n; r++, from += n_column)
                    for (int c = 0; c < q->n; c++) largest = fmax(largest, fabs(from[c]));
                *to++ = largest;
            }
}

hf_status hf_gradient_loan_get(struct hf_gradient_loan *loan, const struct hf_part *part,
                               struct hf_error *error)
{
    struct lent_list list;
    list_blocks(loan, part, &list);
    if (!provide(loan->memory, list.n_value, &loan->n_value, &loan->value) ||
        !provide(loan->memory, list.n_bound, &loan->n_bound, &loan->bound))
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for density blocks");
    for (int k = 0; k < loan->n_density; k++) get_blocks(loan, &list, k);
    for (int b = 0; b < list.n; b++) find_bounds(loan, &list.block[b]);
    return HF_OK;
}

void hf_gradient_loan_find(const struct hf_gradient_loan *loan, int s, int t, int which,
                           struct hf_quartet_density *to)
{
    const struct hf_basis *basis = loan->blocks->basis;
    const struct hf_shell_place *p = &loan->place[s], *q = &loan->place[t];
    const bool turned = p->atom < q->atom;
    const struct hf_shell_place *row = turned ? q : p, *column = turned ? p : q;
    const int n_row = hf_atom_n_function(basis, row->atom),
              n_column = hf_atom_n_function(basis, column->atom);
    to->row[which] = turned ? 1 : n_column;
    to->column[which] = turned ? n_column : 1;
    to->total[which] = loan->value +
                       loan->first[loan->number[row->atom]][loan->number[column->atom]] +
                       row->first * n_column + column->first;
    to->spin[which] =
        loan->n_density > 1 ? to->total[which] + (size_t)n_row * (size_t)n_column : NULL;
}
