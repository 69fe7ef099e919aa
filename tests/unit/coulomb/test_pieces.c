/* Pieces of leaves: all of a leaf once, and about the same cost in each. */
#include "../../../src/coulomb/products.h"
#include "../test.h"

#include <math.h>

enum { FIRST = 7, N = 300, SECOND_ORDER = 200 };

/** A leaf of N products behind FIRST others: two orders, falling bounds in each. */
struct made {
    struct hf_product_leaf leaf;
    float bound[FIRST + N];
    uint8_t order[FIRST + N];
    struct hf_products products;
};

static void make(struct made *made)
{
    *made = (struct made){.leaf = {.first_of_order = {FIRST, FIRST + SECOND_ORDER}}};
    for (int k = 2; k <= HF_MAX_PAIR_L + 1; k++) made->leaf.first_of_order[k] = FIRST + N;
    for (int i = 0; i < N; i++) {
        made->order[FIRST + i] = i < SECOND_ORDER ? 0 : 1;
        made->bound[FIRST + i] = ldexpf(1.0F, -(i % SECOND_ORDER) / 5);
    }
    made->products = (struct hf_products){
        .leaf = &made->leaf, .bound = made->bound, .order = made->order, .max_order = 1};
}

TEST(pieces_of_a_leaf_have_all_of_it_once)
{
    struct made made;
    make(&made);
    const int64_t cost = hf_leaf_cost(&made.products, 0);
    for (int n_piece = 1; n_piece <= HF_MOST_PIECES; n_piece *= 2) {
        struct hf_leaf_piece piece[HF_MOST_PIECES];
        int64_t end = FIRST;
        hf_cut_leaf(&made.products, 0, cost, n_piece, piece);
        for (int i = 0; i < n_piece; end = piece[i++].end) {
            const struct hf_leaf_piece low = hf_order_of_piece(&made.products, &piece[i], 0);
            const struct hf_leaf_piece high = hf_order_of_piece(&made.products, &piece[i], 1);
            assert_int_equal(piece[i].begin, end);
            assert_true(piece[i].end >= end && low.end <= FIRST + SECOND_ORDER);
            assert_true(high.begin >= FIRST + SECOND_ORDER);
            assert_int_equal(fmax(0.0, (double)(low.end - low.begin)) +
                                 fmax(0.0, (double)(high.end - high.begin)),
                             piece[i].end - piece[i].begin);
        }
        assert_int_equal(end, FIRST + N);
    }
}

TEST(heavy_bras_share_a_piece_with_few)
{
    enum { N_PIECE = 10 };
    struct made made;
    struct hf_leaf_piece piece[N_PIECE];
    make(&made);
    hf_cut_leaf(&made.products, 0, hf_leaf_cost(&made.products, 0), N_PIECE, piece);
    assert_true(piece[0].end > FIRST + 1 && 6 * (piece[0].end - FIRST) < SECOND_ORDER);
}

TEST(a_leaf_of_one_product_is_one_piece)
{
    enum { N_PIECE = 4 };
    struct made made;
    struct hf_leaf_piece piece[N_PIECE];
    make(&made);
    for (int k = 1; k <= HF_MAX_PAIR_L + 1; k++) made.leaf.first_of_order[k] = FIRST + 1;
    hf_cut_leaf(&made.products, 0, hf_leaf_cost(&made.products, 0), N_PIECE, piece);
    assert_int_equal(piece[0].end - piece[0].begin, 1);
    for (int k = 1; k < N_PIECE; k++) assert_int_equal(piece[k].begin, piece[k].end);
}

TEST_MAIN
