/* Pieces of leaves: all of a leaf once, and about the same cost in each. */
#include "../../../src/coulomb/pieces.h"
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

static void pieces_of_a_leaf_have_all_of_it_once(void **unused)
{
    (void)unused;
    struct made made;
    make(&made);
    for (int n_piece = 1; n_piece <= HF_MOST_PIECES; n_piece *= 2) {
        uint16_t first[HF_MOST_PIECES];
        int64_t end = FIRST;
        hf_cut_leaf(&made.products, 0, n_piece, first);
        for (int number = 0; number < n_piece; number++) {
            const struct hf_leaf_piece piece =
                hf_leaf_piece(&made.products, 0, number, n_piece, first);
            const struct hf_leaf_piece low = hf_order_of_piece(&made.products, &piece, 0);
            const struct hf_leaf_piece high = hf_order_of_piece(&made.products, &piece, 1);
            assert_int_equal(piece.begin, end);
            end = piece.end;
            assert_true(end >= piece.begin && low.end <= FIRST + SECOND_ORDER);
            assert_true(high.begin >= FIRST + SECOND_ORDER);
            assert_int_equal(fmax(0.0, (double)(low.end - low.begin)) +
                                 fmax(0.0, (double)(high.end - high.begin)),
                             piece.end - piece.begin);
        }
        assert_int_equal(end, FIRST + N);
    }
}

static void heavy_bras_share_a_piece_with_few(void **unused)
{
    (void)unused;
    enum { N_PIECE = 10 };
    struct made made;
    uint16_t first[N_PIECE];
    make(&made);
    assert_true(hf_cut_leaf(&made.products, 0, N_PIECE, first) > 0);
    assert_true(first[1] > 1 && 3 * first[1] < SECOND_ORDER / 2);
}

static void a_leaf_of_one_product_is_one_piece(void **unused)
{
    (void)unused;
    enum { N_PIECE = 4 };
    struct made made;
    uint16_t first[N_PIECE];
    make(&made);
    for (int k = 1; k <= HF_MAX_PAIR_L + 1; k++) made.leaf.first_of_order[k] = FIRST + 1;
    hf_cut_leaf(&made.products, 0, N_PIECE, first);
    assert_int_equal(first[0], 0);
    for (int k = 1; k < N_PIECE; k++) assert_int_equal(first[k], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_leaf_have_all_of_it_once),
        cmocka_unit_test(heavy_bras_share_a_piece_with_few),
        cmocka_unit_test(a_leaf_of_one_product_is_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
