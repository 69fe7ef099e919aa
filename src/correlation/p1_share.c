/* The first quarter from a share of the kets; see p1_share.h. */
#include "p1_share.h"

#include "hf/timer.h"

#include <stdlib.h>
#include <string.h>

void hf_mp2_share_init(struct hf_mp2_share *share, struct hf_mp2 *mp2, struct hf_arena *arena)
{
    const int most = hf_most_functions_of_atom(mp2->merged);
    *share = (struct hf_mp2_share){.mp2 = mp2,
                                   .n_i = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2),
                                   .n_orbital = mp2->orbitals[0].n_occupied +
                                                (mp2->n_spin > 1 ? mp2->orbitals[1].n_occupied : 0),
                                   .most = hf_padded(most)};
    for (int k = 0; k < 2; k++)
        share->left[k] = hf_arena_take(arena, hf_packed_size(share->n_i, most), sizeof(double));
    HF_TAKE(arena, share->turned, share->most * share->most);
    HF_TAKE(arena, share->product, (size_t)share->n_i * share->most);
    HF_TAKE(arena, share->row, share->most);
}

/** Numbers [n_m][step] for functions m and n that are added to (in|rs) [i][length]; n is counted from `first`. */
struct added {
    const double *left, *value;
    int n_m, n_n, first;
    size_t step;
};

static void add(struct hf_mp2_share *share, const struct added *added, size_t length, double *to)
{
    for (int m = 0; m < added->n_m; m++) share->row[m] = added->value + (size_t)m * added->step;
    share->mp2->multiply(&(struct hf_product){.n_row = share->n_i,
                                              .n_inner = added->n_m,
                                              .n_column = hf_padded(added->n_n),
                                              .left = added->left,
                                              .right = share->row,
                                              .to = share->product,
                                              .to_step = share->most});
    for (int i = 0; i < share->n_i; i++) {
        double *sum = to + (size_t)i * length + added->first;
        const double *product = share->product + (size_t)i * share->most;
        for (int n = 0; n < added->n_n; n++) sum[n] += product[n];
    }
}

/** Transposes the strip of one rs, so that c are the columns. Pairs within one shell become zeros, because both
 *  orders are in the strip. */
static void turn(struct hf_mp2_share *share, const struct hf_mp2_kept *kept, const int shell_of[],
                 const double *value)
{
    for (int c = 0; c < kept->n_c; c++)
        for (int d = 0; d < kept->n_d; d++)
            share->turned[(size_t)d * share->most + (size_t)c] =
                kept->same && shell_of[kept->first_c + c] == shell_of[kept->first_d + d]
                    ? 0.0
                    : value[c * kept->n_d + d];
}

void hf_mp2_share_quarter(struct hf_mp2_share *share, struct hf_mp2_book *book)
{
    const struct hf_mp2_strips *strips = &book->bra.strips;
    const size_t plane = (size_t)share->n_i * book->length;
    const double *orbitals = book->joined + hf_mp2_batch_begin(share->mp2);
    const size_t n_orbital = (size_t)share->n_orbital;
    const double start = hf_thread_seconds();
    memset(book->quarter, 0, (size_t)book->n_rs * plane * sizeof *book->quarter);
    for (int k = 0; k < strips->n_kept; k++) {
        const struct hf_mp2_kept *kept = &strips->kept[k];
        hf_pack(share->n_i, kept->n_c, orbitals + (size_t)kept->first_c * n_orbital, 1, n_orbital,
                share->left[0]);
        hf_pack(share->n_i, kept->n_d, orbitals + (size_t)kept->first_d * n_orbital, 1, n_orbital,
                share->left[1]);
        for (size_t rs = 0; rs < (size_t)book->n_rs; rs++) {
            const double *value =
                strips->value + kept->place + rs * (size_t)kept->n_c * (size_t)kept->n_d;
            double *to = book->quarter + rs * plane;
            turn(share, kept, book->panel->shell_of, value);
            add(share,
                &(struct added){share->left[0], value, kept->n_c, kept->n_d, kept->first_d,
                                (size_t)kept->n_d},
                book->length, to);
            add(share,
                &(struct added){share->left[1], share->turned, kept->n_d, kept->n_c, kept->first_c,
                                share->most},
                book->length, to);
        }
        book->n_flop += 4.0 * share->n_i * book->n_rs * kept->n_c * kept->n_d;
    }
    book->seconds += hf_thread_seconds() - start;
}
