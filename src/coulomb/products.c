/* The list of products: found among the primitive pairs, sorted into trees, laid out. */
#include "products.h"

#include "base/arithmetic.h"
#include "base/node_memory.h"

#include <math.h>
#include <string.h>

double hf_product_charge(double exponent)
{
    return pow(acos(-1.0), 0.25) / sqrt(2.0 * exponent);
}

enum { N_ARRAY = 11 };

static const char label[] = "the products of primitives";

/** Lists the arrays of the list with room for n products of so many primitives. */
static void list_arrays(struct hf_products *products, double n, double n_primitive,
                        struct hf_node_array array[N_ARRAY])
{
    const struct hf_node_array list[N_ARRAY] = {
        HF_NODE_ARRAY(products->centre[0], n),
        HF_NODE_ARRAY(products->centre[1], n),
        HF_NODE_ARRAY(products->centre[2], n),
        HF_NODE_ARRAY(products->exponent, n),
        HF_NODE_ARRAY(products->bound, n),
        HF_NODE_ARRAY(products->order, n),
        HF_NODE_ARRAY(products->first, n + 1.0),
        HF_NODE_ARRAY(products->place, n_primitive),
        HF_NODE_ARRAY(products->owner, n),
        HF_NODE_ARRAY(products->leaf, hf_most_leaves((int64_t)n)),
        HF_NODE_ARRAY(products->cell, hf_most_cells((int64_t)n)),
    };
    memcpy(array, list, sizeof list);
}

double hf_products_bytes(double n_primitive)
{
    struct hf_products none;
    struct hf_node_array array[N_ARRAY];
    list_arrays(&none, n_primitive, n_primitive, array);
    return (double)hf_node_arrays_bytes(N_ARRAY, array);
}

/** For each primitive of a shell with itself, the place in the pair of the one that makes its product: its mirror
 *  image ji if that stands before it, else its own. `table` [n_primitive of the shell]^2 is scratch. */
static void find_mirrors(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair,
                         int table[], int maker[])
{
    const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
    const size_t n = (size_t)pairs->basis->shell[pair->a].n_primitive;
    for (size_t k = 0; k < n * n; k++) table[k] = -1;
    for (int k = 0; k < pair->n_primitive; k++) {
        const int mirror = table[primitive[k].j * n + primitive[k].i];
        table[primitive[k].i * n + primitive[k].j] = k;
        maker[k] = mirror >= 0 ? mirror : k;
    }
}

/** What the first rank of those that share the list makes it from. */
struct draft {
    int *table, *maker;          /**< [most primitives of a shell]^2 scratch of find_mirrors */
    struct hf_cell_point *point; /**< [n] */
    struct hf_arena arena;       /**< of these arrays */
};

/** Which primitives of a pair make the products of which; NULL: each its own. */
static const int *makers(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair,
                         const struct draft *draft)
{
    if (pair->a != pair->b) return NULL;
    find_mirrors(pairs, pair, draft->table, draft->maker);
    return draft->maker;
}

static int64_t count_products(const struct hf_shell_pairs *pairs, const struct draft *draft)
{
    int64_t n = 0;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const int *maker = makers(pairs, pair, draft);
        n += maker == NULL ? pair->n_primitive : 0;
        for (int k = 0; maker != NULL && k < pair->n_primitive; k++) n += maker[k] == k;
    }
    return n;
}

/** The products by rising number of their primitives. */
static void collect_points(const struct hf_shell_pairs *pairs, const struct draft *draft)
{
    struct hf_cell_point *point = draft->point;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const double *centre = pairs->basis->shell[pair->a].centre_bohr;
        const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
        const int *maker = makers(pairs, pair, draft);
        for (int k = 0; k < pair->n_primitive; k++) {
            if (maker != NULL && maker[k] != k) continue;
            *point = (struct hf_cell_point){.exponent = primitive[k].zeta,
                                            .bound = (float)primitive[k].bound,
                                            .order = pairs->class_of[pair->pair_class].l_high,
                                            .number = pair->first_primitive + k};
            for (int d = 0; d < 3; d++) point->centre[d] = centre[d] + primitive[k].pa[d];
            point++;
        }
    }
}

/** Mirror images are at the places of the primitives that make their products. */
static void place_mirrors(struct hf_products *products, const struct draft *draft)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        int64_t *place = products->place + pairs->pair[i].first_primitive;
        const int *maker = makers(pairs, &pairs->pair[i], draft);
        for (int k = 0; maker != NULL && k < pairs->pair[i].n_primitive; k++)
            place[k] = place[maker[k]];
    }
}

/** Fills in all arrays from sorted points. */
static void lay_out(struct hf_products *products, const struct draft *draft)
{
    const struct hf_cell_point *point = draft->point;
    products->first[0] = 0;
    for (int64_t i = 0; i < products->n; i++) {
        for (int d = 0; d < 3; d++) products->centre[d][i] = point[i].centre[d];
        products->exponent[i] = point[i].exponent;
        products->bound[i] = point[i].bound;
        products->order[i] = (uint8_t)point[i].order;
        products->first[i + 1] =
            products->first[i] + hf_n_hermite(point[i].order + products->raise);
        products->place[point[i].number] = i;
    }
    place_mirrors(products, draft);
}

/** Finds the products and counts them. Local. */
static hf_status begin_draft(struct hf_products *products, struct draft *draft,
                             struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    const size_t most = (size_t)pairs->basis->max_primitive;
    HF_TAKE_UNSET(&draft->arena, draft->table, most * most);
    HF_TAKE_UNSET(&draft->arena, draft->maker, most * most);
    if (draft->arena.failed) return hf_arena_check(&draft->arena, error);
    products->n = count_products(pairs, draft);
    HF_TAKE_UNSET(&draft->arena, draft->point, (size_t)products->n);
    return hf_arena_check(&draft->arena, error);
}

/** Sets the owner of all products, on the first rank of each node. Collective. */
static hf_status find_owners(struct hf_products *products, const struct hf_pair_owner *owner,
                             struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    struct hf_context *context = products->context;
    struct hf_arena arena = {.label = label};
    int *node_of = HF_TAKE(&arena, node_of, (size_t)context->n_rank);
    const hf_status status = hf_agree(context->comm, hf_arena_check(&arena, error), error);
    if (status == HF_OK)
        MPI_Allgather(&products->shares->node, 1, MPI_INT, node_of, 1, MPI_INT, context->comm);
    for (int i = 0; status == HF_OK && products->shared->rank == 0 && i < pairs->n_atom_pair; i++) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[i];
        const int node = node_of[owner->rank(owner->data, i)];
        for (int j = atoms->first_pair; j < atoms->first_pair + atoms->n_pair; j++) {
            const int64_t *place = products->place + pairs->pair[j].first_primitive;
            for (int k = 0; k < pairs->pair[j].n_primitive; k++) products->owner[place[k]] = node;
        }
    }
    hf_arena_done(&arena);
    return status;
}

int hf_node_of_leaf(const struct hf_products *products, int leaf)
{
    const struct hf_shares *shares = products->shares;
    const int share = hf_turn_share(&products->leaves, leaf);
    int64_t next; /* the first node that begins after it */
    HF_BISECT(next, 1, shares->n_node, i, shares->first[i] > share);
    return (int)next - 1;
}

int hf_leaf_of_product(const struct hf_products *products, int64_t product)
{
    int64_t leaf;
    HF_BISECT(leaf, 0, products->n_leaf - 1, i, hf_leaf_end(&products->leaf[i]) > product);
    return (int)leaf;
}

/** First product of the part of a node. hf_part_begin */
static int64_t first_product(const void *self, int node)
{
    const struct hf_products *products = self;
    const int64_t n_node = products->shares->n_node;
    return products->n / n_node * node + products->n % n_node * node / n_node;
}

/** First of the cells that begin in the part of a node. hf_part_begin */
static int64_t first_cell(const void *self, int node)
{
    const struct hf_products *products = self;
    const int64_t begin = first_product(self, node);
    int64_t cell;
    HF_BISECT(cell, 0, products->n_cell, i, products->cell[i].begin >= begin);
    return cell;
}

/** The sorted list and its trees. The first rank of each node sorts the node's part, with the cells above it, and gets the
 *  other nodes' parts. Collective. */
static void make_trees(struct hf_products *products, const struct draft *draft)
{
    const struct hf_shares *shares = products->shares;
    const bool first = products->shared->rank == 0;
    struct hf_cell_tree tree = {.cell = products->cell,
                                .from = first_product(products, shares->node),
                                .to = first_product(products, shares->node + 1)};
    if (first) {
        collect_points(products->pairs, draft);
        hf_make_tree(products->n, draft->point, &tree);
        products->n_cell = tree.n_cell;
    }
    hf_shares_gather_parts(shares, products->shared, first_product, products, sizeof *draft->point,
                           draft->point);
    hf_shares_gather_parts(shares, products->shared, first_cell, products, sizeof *products->cell,
                           products->cell);
    if (first) {
        products->n_leaf = tree.n_leaf;
        hf_make_leaves(draft->point, &tree, products->leaf);
        lay_out(products, draft);
    }
}

static hf_status make_list(struct hf_products *products, struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    struct hf_context *context = products->context;
    struct draft draft = {.arena = {.memory = context->memory, .label = label}};
    struct hf_node_array array[N_ARRAY];
    const struct hf_node_memory *counted = pairs->shared;
    hf_status status = HF_OK;
    if (counted->rank == 0) status = begin_draft(products, &draft, error);
    HF_TRY(hf_agree(context->comm, status, error));
    MPI_Bcast(&products->n, 1, MPI_INT64_T, 0, counted->comm);
    list_arrays(products, (double)products->n, (double)pairs->n_primitive, array);
    HF_TRY(hf_node_memory_create_unset(context, HF_MEMORY_PAIRS, "products of primitives",
                                       hf_node_arrays_bytes(N_ARRAY, array), &products->shared,
                                       error));
    hf_node_arrays_place(products->shared, N_ARRAY, array);
    /* what was shared once may be refused the next time: then every rank makes a list */
    if (products->shared->rank == 0 && draft.point == NULL)
        status = begin_draft(products, &draft, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_shares_create(context, products->shared, &products->shares, error));
    make_trees(products, &draft);
    MPI_Bcast(&products->n_leaf, 1, MPI_INT, 0, products->shared->comm);
    MPI_Bcast(&products->n_cell, 1, MPI_INT, 0, products->shared->comm);
    hf_node_memory_sync(products->shared);
    products->n_component = products->first[products->n];
cleanup:
    hf_arena_done(&draft.arena);
    return status;
}

hf_status hf_products_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                             const struct hf_pair_owner *owner, int raise,
                             struct hf_products **products, struct hf_error *error)
{
    hf_status status;
    struct hf_products *made = HF_NEW(made, NULL, label);
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    made->context = context;
    made->pairs = pairs;
    made->raise = raise;
    for (int k = 0; k < pairs->n_class; k++)
        if (pairs->class_of[k].l_high > made->max_order)
            made->max_order = pairs->class_of[k].l_high;
    HF_TRY(make_list(made, error));
    made->leaves = (struct hf_turns){.n = made->n_leaf, .n_share = made->shares->n_share};
    HF_TRY(find_owners(made, owner, error));
    hf_node_memory_sync(made->shared);
    *products = made;
    return HF_OK;
cleanup:
    hf_products_destroy(&made);
    return status;
}

void hf_products_destroy(struct hf_products **products)
{
    struct hf_products *old = *products;
    if (old != NULL) {
        hf_node_memory_destroy(&old->shared);
        hf_arena_free(&old->shares);
    }
    hf_arena_free(products);
}

/* ---- Pieces of leaves ------------------------------------------------------------------------- */

/** Estimated cost of a product as a bra. The number of kets that it needs rises with the logarithm of its bound, and is zero
 *  below about 2^-30 (thresholds of 1e-7 to 1e-10 and the densities of as many products). A ket costs what it starts from and
 *  each component of the potential; a bra without kets costs its part of the far field. */
static int64_t cost_of_bra(const struct hf_products *products, int64_t product)
{
    enum { LEAST_EXPONENT = -30, MANTISSA_BITS = 23, BIAS = 127, START = 4 };
    uint32_t bits; /* sign, which is 0, exponent, mantissa */
    memcpy(&bits, &products->bound[product], sizeof bits);
    const int exponent = (int)(bits >> MANTISSA_BITS) - BIAS;
    const int n_component = hf_n_hermite(products->order[product] + products->raise);
    return 1 + (exponent > LEAST_EXPONENT
                    ? (int64_t)(exponent - LEAST_EXPONENT) * (START + n_component)
                    : 0);
}

int64_t hf_leaf_cost(const struct hf_products *products, int leaf)
{
    const struct hf_product_leaf *own = &products->leaf[leaf];
    int64_t cost = 0;
    for (int64_t i = hf_leaf_begin(own); i < hf_leaf_end(own); i++)
        cost += cost_of_bra(products, i);
    return cost;
}

/* A product belongs to the piece in whose part of the cost it begins. */
void hf_cut_leaf(const struct hf_products *products, int leaf, int64_t cost, int n_piece,
                 struct hf_leaf_piece piece[])
{
    int64_t next = hf_leaf_begin(&products->leaf[leaf]), before = 0;
    const int64_t end = hf_leaf_end(&products->leaf[leaf]);
    for (int k = 0; k < n_piece; k++) {
        piece[k] = (struct hf_leaf_piece){.leaf = leaf, .begin = next};
        for (; next < end && before * n_piece < cost * (k + 1); next++)
            before += cost_of_bra(products, next);
        piece[k].end = next;
    }
}
