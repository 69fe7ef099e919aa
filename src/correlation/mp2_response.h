/* The parts of the algorithm for derivatives of MP2, one for all numbers of ranks. It has one more pass than the energy
 * (mp2_private.h, "kets"):
 *
 *     first half    (ia|rs) of each bra RS, kept where it was computed
 *     amplitudes    all rows rs of one i on a rank: (ia|js), (ia|jb), t and u for all j; P and
 *                   Y_sb = sum_ija u_ij^ab (ia|js), then back to T_ia(rs) = sum_jb u_ij^ab C_rj C_sb,
 *                   which replaces (ia|rs) on its rank
 *     second pass   each rank computes its bras again: Y_ni from (mn|rs) and T_ia(rs);
 *                   G_mnrs = sum_ia C_mi C_na T_ia(rs) times the derivatives of quartets whose ket is not above the bra
 *
 * Sums over bras and orbitals are in whole steps (base/slope_sums.h), so they have the same bits for any number of
 * ranks and threads. They have others in another number of batches: derivatives of integrals are contracted with the sum
 * over the orbitals of a batch (settings.one_batch refuses more).
 * J counts orbitals of both spins, alpha first. */
#ifndef HF_MP2_RESPONSE_H
#define HF_MP2_RESPONSE_H

#include "base/slope_sums.h"
#include "correlation/mp2_derivatives.h"
#include "mp2_private.h"

/** Columns of a block of virtual orbitals: so few that several ranks can share an orbital, but whole tiles of products. It
 *  fixes the bits, so it depends on nothing else. */
static inline size_t hf_mp2_block_width(int n_virtual)
{
    enum { TILE = 16, MOST_TILES = 3, BLOCKS = 8 };
    int n = 1;
    while (n < MOST_TILES && n * TILE * BLOCKS < n_virtual) n++;
    return (size_t)(n * TILE);
}

/** Blocks that are exchanged together: few messages, but at most an eighth of the (ia|rs) of a rank, or one block. */
static inline int hf_mp2_blocks_together(int n_virtual, int n_rank, int n_unit)
{
    const int width = (int)hf_mp2_block_width(n_virtual), n_block = (n_virtual + width - 1) / width;
    const int64_t some = (int64_t)n_block * n_unit / (8 * (int64_t)n_rank);
    return some < 1 ? 1 : some < n_block ? (int)some : n_block < 1 ? 1 : n_block;
}

/** First column of part p of n_part equal parts of the blocks; may be after the last column. */
static inline size_t hf_mp2_part_begin(int n_virtual, int p, int n_part)
{
    const size_t width = hf_mp2_block_width(n_virtual),
                 n_block = ((size_t)n_virtual + width - 1) / width;
    return n_block * (size_t)p / (size_t)n_part * width;
}

/** Orbitals of the next round if n_left are left: one for each rank; or fewer, shared by several ranks each, if the rank
 *  with most then has fewer blocks per orbital of the round. */
static inline int hf_mp2_orbitals_together(int n_virtual, int n_rank, int n_left)
{
    const int width = (int)hf_mp2_block_width(n_virtual), n_block = (n_virtual + width - 1) / width;
    int n = n_left < n_rank ? n_left : n_rank, n_part = n_rank / n;
    int most = (n_block + n_part - 1) / n_part;
    while (n_part++ < n_block && n_part <= n_rank) {
        const int n_longest = (n_block + n_part - 1) / n_part;
        if ((int64_t)n_longest * n >= (int64_t)most * (n_rank / n_part)) continue;
        most = n_longest;
        n = n_rank / n_part;
    }
    return n;
}

/** Largest number of amplitudes of a rank, of n_row pairs jb with n_joined orbitals j: those of its columns, and those
 *  that ranks of the same orbital i send it. `most_virtual`: orbitals of the spin that has more. */
static inline size_t hf_mp2_amplitude_room(size_t n_row, size_t n_joined, int n_virtual,
                                           int most_virtual, int n_rank, int n_unit)
{
    const size_t length = hf_padded(n_virtual);
    size_t most = 0;
    for (int left = n_unit, n; left > 0; left -= n) {
        n = hf_mp2_orbitals_together(most_virtual, n_rank, left);
        for (int n_part = n_rank / n; n_part <= (n_rank + n - 1) / n; n_part++) {
            size_t width = 0;
            for (int p = 0; p < n_part; p++) {
                const size_t n_column = hf_mp2_part_begin(n_virtual, p + 1, n_part) -
                                        hf_mp2_part_begin(n_virtual, p, n_part);
                if (n_column > width) width = n_column;
            }
            if (width > length) width = length;
            const size_t room = width * (n_row + (n_part > 1 ? n_joined * length : 0));
            if (room > most) most = room;
        }
    }
    return most;
}

/** The second step of a batch. Collective. */
hf_status hf_mp2_amplitudes(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** The third step. Collective. */
hf_status hf_mp2_second_pass(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Adds n numbers times a factor to sums. */
static inline void hf_mp2_add_steps(size_t n, double factor, const double from[], int64_t to[])
{
    for (size_t k = 0; k < n; k++) to[k] += hf_slope_steps(factor * from[k]);
}

/** Number of occupied orbitals of both spins. */
static inline int hf_mp2_n_joined(const struct hf_mp2 *mp2)
{
    return mp2->orbitals[0].n_occupied + (mp2->n_spin > 1 ? mp2->orbitals[1].n_occupied : 0);
}

#endif
