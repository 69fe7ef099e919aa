/* Lists of shell pairs: candidates are found, room is made, they are laid out. */
#include "pairs/shell_pairs.h"

#include "boys/boys_single.h"
#include "integrals/cartesian.h"
#include "integrals/engine.h"
#include "integrals/quartet_gradient.h"
#include "integrals/shell_pair.h"
#include "pair_candidates.h"
#include "pair_classes.h"
#include "pair_list.h"
#include "pair_share.h"
#include "primitive_pairs.h"

#include <math.h>

/** A list with its classes only. Local. */
static hf_status begin_list(struct hf_context *context, const struct hf_basis *basis,
                            double accuracy, struct hf_class_table *classes,
                            struct hf_shell_pairs **pairs, struct hf_error *error)
{
    struct hf_shell_pairs *made = HF_NEW(*pairs, NULL, "the shell pairs");
    if (basis->max_primitive > UINT16_MAX)
        return hf_fail(error, HF_NO_RESOURCE,
                       "the basis has a shell of %d primitives, %d are the most",
                       basis->max_primitive, UINT16_MAX);
    if (made == NULL) return hf_arena_check_new(made, error);
    made->context = context;
    made->basis = basis;
    made->accuracy = accuracy;
    return hf_class_table_init(classes, made, error);
}

/** The tables of the Boys function. Local. */
static hf_status make_tables(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    const int max_l = pairs->basis->max_l; /* engines refuse what is too high */
    pairs->boys = hf_boys_create(4 * (max_l < HF_MAX_L ? max_l : HF_MAX_L) + 1);
    if (pairs->boys != NULL) pairs->boys_single = hf_boys_single_create(pairs->boys);
    if (pairs->boys_single != NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
}

hf_status hf_shell_pairs_create_ext(struct hf_context *context, const struct hf_basis *basis,
                                    double accuracy, int n_thread, struct hf_shell_pairs **pairs,
                                    struct hf_error *error)
{
    hf_status status;
    struct hf_class_table classes = {0};
    struct hf_pair_candidates candidates = {0};
    struct hf_shell_pairs *made = NULL;
    const int n = n_thread > 1 ? n_thread : 1;
    status = begin_list(context, basis, accuracy, &classes, &made, error);
    if (status == HF_OK) status = make_tables(made, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_pair_candidates_init(made, &classes, n, &candidates, error));
    HF_TRY(hf_pair_list_create(made, &classes, &candidates, n, error));
cleanup:
    hf_pair_candidates_done(&candidates);
    hf_arena_done(&classes.arena);
    if (status != HF_OK) hf_shell_pairs_destroy(&made);
    if (status == HF_OK) *pairs = made;
    return status;
}

hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error)
{
    return hf_shell_pairs_create_ext(context, basis, accuracy, 1, pairs, error);
}

const char *hf_shell_pairs_note(const struct hf_shell_pairs *pairs)
{
    if (!pairs->shared->refused) return "";
    return "no memory shared by the ranks of a node: each holds the whole list of shell pairs";
}

/** Bytes that engines take for pairs of these classes. Local. */
static hf_status engine_bytes(const struct hf_shell_pairs *pairs,
                              const struct hf_class_table *classes, struct hf_pair_memory *found,
                              struct hf_error *error)
{
    struct hf_shell_pairs list = *pairs;
    struct hf_engine *engine = NULL;
    const struct hf_memory *memory = pairs->context->memory;
    const size_t before = hf_memory_current_bytes(memory);
    list.pair = classes->largest;
    list.n_pair = pairs->n_class;
    const hf_status status = hf_engine_create(&list, &engine, error);
    found->engine_bytes = (double)(hf_memory_current_bytes(memory) - before);
    if (status == HF_OK) found->gradient_bytes = hf_gradient_engine_bytes(engine);
    hf_engine_destroy(&engine);
    return status;
}

/** Components of the products of pairs as Hermite Gaussians. */
static double n_component_of(const struct hf_shell_pairs *pairs, const struct hf_pair_share *share)
{
    double n = 0.0;
    for (int64_t i = 0; i < share->n_pair; i++) {
        const struct hf_shell_pair *pair = &share->pair[i];
        n += (double)pair->n_primitive * hf_n_hermite(pairs->class_of[pair->pair_class].l_high);
    }
    return n;
}

/** An atom of the k-th stride. Places within strides follow the golden section: atoms of equal kind may follow
 *  each other at equal distances. */
static int row_of_stride(int k, double stride)
{
    const double turns = 0.6180339887498949 * k;
    return (int)(stride * k + floor(stride * (turns - floor(turns))));
}

/** What the pairs of an atom with those up to it take, as numbers that are exact in double precision. */
struct row_size {
    double n_pair, n_atom_pair, n_primitive, n_component;
};
enum { N_ROW_SIZE = sizeof(struct row_size) / sizeof(double), MOST_ROWS = 64 };

/** Sizes of rows of so many atoms, which the ranks take by turns. Collective. */
static hf_status size_rows(const struct hf_shell_pairs *pairs, const struct hf_class_table *classes,
                           int n_row, struct row_size row[MOST_ROWS], struct hf_error *error)
{
    struct hf_context *context = pairs->context;
    struct hf_pair_share share;
    const double stride = (double)pairs->basis->n_atom / fmax(1.0, n_row);
    hf_pair_share_init(&share, pairs, classes);
    bool room = !share.arena.failed;
    for (int k = context->rank; room && k < n_row; k += context->n_rank) {
        const int a = row_of_stride(k, stride);
        hf_pair_share_clear(&share);
        for (int b = 0; room && b <= a; b++) room = hf_pair_share_add(&share, a, b);
        row[k] = (struct row_size){.n_pair = (double)share.n_pair,
                                   .n_atom_pair = (double)share.n_atom_pair,
                                   .n_primitive = (double)share.n_primitive,
                                   .n_component = n_component_of(pairs, &share)};
    }
    const hf_status status = hf_agree(context->comm, hf_arena_check(&share.arena, error), error);
    hf_arena_done(&share.arena);
    if (status == HF_OK && context->n_rank > 1)
        MPI_Allreduce(MPI_IN_PLACE, row, N_ROW_SIZE * n_row, MPI_DOUBLE, MPI_SUM, context->comm);
    return status;
}

hf_status hf_shell_pairs_estimate(struct hf_context *context, const struct hf_basis *basis,
                                  double accuracy, struct hf_pair_memory *found,
                                  struct hf_error *error)
{
    enum { CANDIDATE_COPIES = 3 }; /* of a rank, with room to grow, and of the node */
    struct hf_class_table classes = {0};
    struct hf_shell_pairs *pairs = NULL;
    struct row_size row[MOST_ROWS] = {{.n_pair = 0.0}};
    const int n_row = basis->n_atom < MOST_ROWS ? basis->n_atom : MOST_ROWS;
    const double stride = (double)basis->n_atom / fmax(1.0, n_row);
    size_t primitive_bytes;
    *found = (struct hf_pair_memory){.list_bytes = 0.0};
    hf_status status = begin_list(context, basis, accuracy, &classes, &pairs, error);
    if (status == HF_OK) status = engine_bytes(pairs, &classes, found, error);
    HF_TRY(hf_agree(context->comm, status, error));
    found->n_class = pairs->n_class;
    found->most_functions = hf_most_pair_functions(pairs->n_class, pairs->class_of);
    primitive_bytes = sizeof *pairs->primitive + sizeof *pairs->single +
                      sizeof(float) * (size_t)hf_most_coefficients(pairs->n_class, pairs->class_of);
    HF_TRY(size_rows(pairs, &classes, n_row, row, error));
    for (int k = 0; k < n_row; k++) {
        const double n_pair = stride * row[k].n_pair;
        found->list_bytes +=
            n_pair * sizeof *pairs->pair + stride * (row[k].n_primitive * (double)primitive_bytes +
                                                     row[k].n_atom_pair * sizeof *pairs->atom_pair);
        found->n_pair += n_pair;
        found->n_atom_pair += stride * row[k].n_atom_pair;
        found->n_primitive += stride * row[k].n_primitive;
        found->n_component += stride * row[k].n_component;
        found->made_bytes += CANDIDATE_COPIES * n_pair * sizeof(struct hf_pair_candidate);
    }
cleanup:
    hf_arena_done(&classes.arena);
    hf_shell_pairs_destroy(&pairs);
    return status;
}

void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs)
{
    struct hf_shell_pairs *old = *pairs;
    if (old != NULL) {
        hf_node_memory_destroy(&old->shared);
        hf_boys_single_destroy(&old->boys_single);
        hf_boys_destroy(&old->boys);
        if (old->context != NULL) hf_memory_release(old->context->memory, old->class_of);
    }
    hf_arena_free(pairs);
}
