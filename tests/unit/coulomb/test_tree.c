/* Trees of products: everything is in one leaf, cells hold what they say, however products come in. */
#include "../../../src/coulomb/tree.h"
#include "../test.h"

#include <math.h>

static uint64_t sequence = 1;

/** Between 0 and 1. */
static double next_random(void)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (double)(sequence >> 11) * 0x1p-53;
}

/** Products along a line, many of them at places of their own and many at few places. */
static struct hf_cell_point *random_points(int64_t n)
{
    struct hf_cell_point *point = calloc((size_t)n, sizeof *point);
    assert_non_null(point);
    for (int64_t i = 0; i < n; i++) {
        const double x = 40.0 * next_random();
        point[i] = (struct hf_cell_point){.centre = {i % 2 == 0 ? floor(x) : x, next_random()},
                                          .exponent = pow(10.0, 3.0 * next_random() - 0.5),
                                          .bound = (float)next_random(),
                                          .order = (int)(3.0 * next_random()),
                                          .number = i};
    }
    return point;
}

static void shuffle(int64_t n, struct hf_cell_point point[])
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(next_random() * (double)i);
        const struct hf_cell_point other = point[i];
        point[i] = point[j];
        point[j] = other;
    }
}

struct made {
    struct hf_cell_tree tree;
    struct hf_product_leaf *leaf;
};

static struct made make(int64_t n, struct hf_cell_point point[])
{
    struct made made = {.tree = {.to = n},
                        .leaf = calloc((size_t)hf_most_leaves(n), sizeof *made.leaf)};
    made.tree.cell = calloc((size_t)hf_most_cells(n), sizeof *made.tree.cell);
    assert_true(made.leaf != NULL && made.tree.cell != NULL);
    hf_make_tree(n, point, &made.tree);
    hf_make_leaves(point, &made.tree, made.leaf);
    assert_true(made.tree.n_leaf <= hf_most_leaves(n) && made.tree.n_cell <= hf_most_cells(n));
    return made;
}

static void made_done(struct made *made)
{
    free(made->leaf);
    free(made->tree.cell);
}

static void check_cell(const struct made *made, int number, const struct hf_cell_point point[])
{
    const struct hf_cell_tree *tree = &made->tree;
    const struct hf_cell *cell = &tree->cell[number];
    for (int64_t i = cell->begin; i < cell->end; i++) {
        double square = 0.0;
        for (int d = 0; d < 3; d++) square += pow(point[i].centre[d] - cell->centre[d], 2);
        assert_true(sqrt(square) <= cell->radius * (1.0 + 1e-14));
        assert_true(point[i].exponent >= cell->exponent && point[i].order <= cell->order);
    }
    if (cell->leaf >= 0) {
        const struct hf_product_leaf *leaf = &made->leaf[cell->leaf];
        assert_int_equal(leaf->cell, number);
        assert_int_equal(cell->next, number + 1);
        assert_true(hf_leaf_begin(leaf) == cell->begin && hf_leaf_end(leaf) == cell->end);
        assert_true(cell->end - cell->begin <= HF_LEAF_MOST);
    } else {
        const int second = tree->cell[number + 1].next;
        assert_true(tree->cell[number + 1].parent == number && tree->cell[second].parent == number);
        assert_true(tree->cell[number + 1].begin == cell->begin);
        assert_true(tree->cell[number + 1].end == tree->cell[second].begin);
        assert_true(tree->cell[second].end == cell->end && tree->cell[second].next == cell->next);
    }
}

TEST(cells_hold_what_they_say)
{
    for (int64_t n = 0; n < 20000; n = 3 * n + 1) {
        struct hf_cell_point *point = random_points(n);
        struct made made = make(n, point);
        int64_t end = 0;
        for (int i = 0; i < made.tree.n_cell; i++) check_cell(&made, i, point);
        for (int i = 0; i < made.tree.n_leaf; end = hf_leaf_end(&made.leaf[i++]))
            assert_int_equal(hf_leaf_begin(&made.leaf[i]), end);
        assert_int_equal(end, n);
        made_done(&made);
        free(point);
    }
}

TEST(the_order_they_come_in_does_not_matter)
{
    enum { N = 5000 };
    struct hf_cell_point *point = random_points(N), *other = malloc(N * sizeof *other);
    assert_non_null(other);
    memcpy(other, point, N * sizeof *other);
    shuffle(N, other);
    struct made made = make(N, point), again = make(N, other);
    assert_int_equal(made.tree.n_cell, again.tree.n_cell);
    for (int64_t i = 0; i < N; i++) assert_int_equal(point[i].number, other[i].number);
    made_done(&made);
    made_done(&again);
    free(point);
    free(other);
}

/** Each part sorts its own products, and measures the cells that begin there. */
TEST(parts_together_are_the_whole)
{
    enum { N = 7000, N_PART = 5 };
    struct hf_cell_point *whole = random_points(N), *part = malloc(N * sizeof *part);
    struct hf_cell_point *copy = malloc(N * sizeof *copy);
    struct hf_cell *cell = calloc((size_t)hf_most_cells(N), sizeof *cell);
    assert_true(part != NULL && copy != NULL && cell != NULL);
    memcpy(copy, whole, N * sizeof *copy);
    struct made made = make(N, whole);
    int64_t n_cell = 0;
    for (int k = 0; k < N_PART; k++) {
        struct hf_cell_tree tree = {
            .cell = cell, .from = N * k / N_PART, .to = N * (k + 1) / N_PART};
        memcpy(part, copy, N * sizeof *part);
        hf_make_tree(N, part, &tree);
        assert_true(tree.n_cell == made.tree.n_cell && tree.n_leaf == made.tree.n_leaf);
        for (int64_t i = tree.from; i < tree.to; i++)
            assert_memory_equal(&part[i], &whole[i], sizeof *part);
        for (int i = 0; i < tree.n_cell; i++) {
            const struct hf_cell *own = &cell[i], *wanted = &made.tree.cell[i];
            assert_true(own->begin == wanted->begin && own->next == wanted->next);
            if (own->begin < tree.from || own->begin >= tree.to) continue;
            assert_memory_equal(own, wanted, sizeof *own);
            n_cell++;
        }
    }
    assert_int_equal(n_cell, made.tree.n_cell);
    made_done(&made);
    free(whole);
    free(part);
    free(copy);
    free(cell);
}

TEST_MAIN
