/* The list of products: found among the primitive pairs, sorted into trees, laid out. */
#include "products.h"

#include "base/node_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double hf_product_charge(double exponent)
{
    return pow(acos(-1.0), 0.25) / sqrt(2.0 * exponent);
}

/** Bytes of the arrays, in the order they lie in. */
struct room {
    size_t number, bound, order, first, place, owner, leaf,
        cell; /**< `number`: of one array of doubles */
};

static struct room room_of(double n, double n_primitive)
{
    return (struct room){
        .number = hf_whole_lines((size_t)n * sizeof(double)),
        .bound = hf_whole_lines((size_t)n * sizeof(float)),
        .order = hf_whole_lines((size_t)n),
        .first = hf_whole_lines(((size_t)n + 1) * sizeof(int64_t)),
        .place = hf_whole_lines((size_t)n_primitive * sizeof(int64_t)),
        .owner = hf_whole_lines((size_t)n * sizeof(int)),
        .leaf = hf_whole_lines((size_t)hf_most_leaves((int64_t)n) * sizeof(struct hf_product_leaf)),
        .cell = (size_t)hf_most_cells((int64_t)n) * sizeof(struct hf_cell)};
}

static size_t sum_of_room(const struct room *room)
{
    return 4 * room->number + room->bound + room->order + room->first + room->place + room->owner +
           room->leaf + room->cell;
}

double hf_products_bytes(double n_primitive)
{
    const struct room room = room_of(n_primitive, n_primitive);
    return (double)sum_of_room(&room);
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

/** Addresses of the arrays in the shared memory. */
static void set_arrays(struct hf_products *products, const struct room *room)
{
    char *next = products->shared->data;
    for (int d = 0; d < 3; d++, next += room->number) products->centre[d] = (void *)next;
    products->exponent = (void *)next;
    products->bound = (void *)(next += room->number);
    products->order = (void *)(next += room->bound);
    products->first = (void *)(next += room->order);
    products->place = (void *)(next += room->first);
    products->owner = (void *)(next += room->place);
    products->leaf = (void *)(next += room->owner);
    products->cell = (void *)(next + room->leaf);
}

static void *unset(struct hf_memory *memory, size_t n_bytes)
{
    return hf_memory_allocate_unset(memory, HF_MEMORY_OTHER, "draft of products", n_bytes);
}

/** Finds the products and counts them. Local. */
static hf_status begin_draft(struct hf_products *products, struct draft *draft,
                             struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    struct hf_memory *memory = products->context->memory;
    const size_t most = (size_t)pairs->basis->max_primitive;
    draft->table = unset(memory, most * most * sizeof *draft->table);
    draft->maker = unset(memory, most * most * sizeof *draft->maker);
    if (draft->table == NULL || draft->maker == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the products of primitives");
    products->n = count_products(pairs, draft);
    draft->point = unset(memory, (size_t)products->n * sizeof *draft->point);
    if (draft->point == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the products of primitives");
    return HF_OK;
}

/** Sets the owner of all products, on the first rank of each node. Collective. */
static hf_status find_owners(struct hf_products *products, const struct hf_pair_owner *owner,
                             struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = products->pairs;
    struct hf_context *context = products->context;
    int *node_of = calloc((size_t)context->n_rank, sizeof *node_of);
    hf_status status = HF_OK;
    if (node_of == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the products of primitives");
    status = hf_agree(context->comm, status, error);
    if (status == HF_OK) hf_nodes_of_ranks(context, products->shares, node_of);
    for (int i = 0; status == HF_OK && products->shared->rank == 0 && i < pairs->n_atom_pair; i++) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[i];
        const int node = node_of[owner->rank(owner->data, i)];
        for (int j = atoms->first_pair; j < atoms->first_pair + atoms->n_pair; j++) {
            const int64_t *place = products->place + pairs->pair[j].first_primitive;
            for (int k = 0; k < pairs->pair[j].n_primitive; k++) products->owner[place[k]] = node;
        }
    }
    free(node_of);
    return status;
}

int hf_node_of_leaf(const struct hf_products *products, int leaf)
{
    const struct hf_shares *shares = products->shares;
    const int share = hf_turn_share(&products->leaves, leaf);
    int low = 0, high = shares->n_node - 1; /* the last node that begins at or before it */
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (shares->first[middle] <= share)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int hf_leaf_of_product(const struct hf_products *products, int64_t product)
{
    int low = 0, high = products->n_leaf - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (product < hf_leaf_end(&products->leaf[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
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
    int low = 0, high = products->n_cell;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (products->cell[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
    struct draft draft = {.point = NULL};
    const struct hf_node_memory *counted = pairs->shared;
    hf_status status = HF_OK;
    if (counted->rank == 0) status = begin_draft(products, &draft, error);
    HF_TRY(hf_agree(context->comm, status, error));
    MPI_Bcast(&products->n, 1, MPI_INT64_T, 0, counted->comm);
    const struct room room = room_of((double)products->n, (double)pairs->n_primitive);
    HF_TRY(hf_node_memory_create_unset(context, HF_MEMORY_PAIRS, "products of primitives",
                                       sum_of_room(&room), &products->shared, error));
    set_arrays(products, &room);
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
    hf_memory_release(context->memory, draft.table);
    hf_memory_release(context->memory, draft.maker);
    hf_memory_release(context->memory, draft.point);
    return status;
}

hf_status hf_products_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                             const struct hf_pair_owner *owner, int raise,
                             struct hf_products **products, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_products *made = calloc(1, sizeof *made);
    if (made == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the products of primitives");
    HF_TRY(hf_agree(context->comm, status, error));
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
        hf_shares_destroy(&old->shares);
    }
    free(old);
    *products = NULL;
}
