/* The density of quartets side by side, from blocks of matrices, and the density of levels with the
 * coefficients of primitives. Part of kernels.c.
 *
 *     G_abcd = factor (1/2 D_ab D_cd - 1/8 (D_ac D_bd + D_ad D_bc + M_ac M_bd + M_ad M_bc))
 *
 * unless the quartets bring G with them. */
#ifndef HF_GRADIENT_DENSITY_H
#define HF_GRADIENT_DENSITY_H

#include "boys/lane_math.h"
#include "quartet.h"

/** Shell sizes of a quartet. */
struct quartet_shape {
    int a, b, c, d;
};

/** Gathers a block of each lane, [n_row][n_column], times a factor of each lane. */
static inline void gather_block(const struct hf_gradient_input *input, bool spin,
                                enum hf_quartet_block which, int n_row, int n_column, lanes factor,
                                lanes *to)
{
    const double *from[HF_WIDTH];
    int row[HF_WIDTH], column[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) {
        const struct hf_quartet_density *density = input->density[l];
        from[l] = (spin ? density->spin : density->total)[which];
        row[l] = density->row[which];
        column[l] = density->column[which];
    }
    for (int i = 0; i < n_row; i++)
        for (int j = 0; j < n_column; j++) {
            lanes value;
            for (int l = 0; l < HF_WIDTH; l++)
                value[l] = from[l][(ptrdiff_t)i * row[l] + (ptrdiff_t)j * column[l]];
            *to++ = value * factor;
        }
}

/** Writes G that the quartets bring with them, [ab][c][d]. */
static inline void gather_whole(const struct hf_gradient_input *input,
                                const struct quartet_shape *n, lanes factor, lanes *to)
{
    for (int ab = 0; ab < n->a * n->b; ab++)
        for (int c = 0; c < n->c; c++)
            for (int d = 0; d < n->d; d++) {
                lanes value;
                for (int l = 0; l < HF_WIDTH; l++) {
                    const struct hf_quartet_density *density = input->density[l];
                    value[l] = density->whole[(size_t)ab * density->plane +
                                              (size_t)(c * density->row[HF_BLOCK_CD] +
                                                       d * density->column[HF_BLOCK_CD])];
                }
                *to++ = value * factor;
            }
}

/** Adds X_ac X_bd + X_ad X_bc, with factors in the blocks of a. */
static inline void add_exchange(const struct quartet_shape *n, const lanes *ac, const lanes *ad,
                                const lanes *bc, const lanes *bd, lanes *to)
{
    for (int a = 0; a < n->a; a++)
        for (int b = 0; b < n->b; b++)
            for (int c = 0; c < n->c; c++, to += n->d) {
                const lanes of_ac = ac[a * n->c + c], of_bc = bc[b * n->c + c];
                for (int d = 0; d < n->d; d++)
                    to[d] += of_ac * bd[b * n->d + d] + of_bc * ad[a * n->d + d];
            }
}

/** Writes X_ab X_cd of the first density, or adds that of the second, with factors in the block of c; all quartets have
 *  the same a and b. */
static inline void put_coulomb(const struct hf_quartet_density *density, bool spin,
                               const struct quartet_shape *n, const lanes *cd, lanes *to)
{
    const double *from = (spin ? density->spin : density->total)[HF_BLOCK_AB];
    for (int a = 0; a < n->a; a++)
        for (int b = 0; b < n->b; b++) {
            const double ab = from[(ptrdiff_t)a * density->row[HF_BLOCK_AB] +
                                   (ptrdiff_t)b * density->column[HF_BLOCK_AB]];
            const int n_cd = n->c * n->d;
            for (int k = 0; k < n_cd; k++) to[k] = spin ? to[k] + ab * cd[k] : ab * cd[k];
            to += n_cd;
        }
}

/** Writes the density [a][b][c][d] to `to`; `scratch` has room for the blocks. */
static __attribute__((noinline)) void fill_density(const struct hf_quartet *quartet,
                                                   const struct hf_gradient_input *input,
                                                   lanes *scratch, lanes *to)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    const struct quartet_shape n = {bra->n_a, bra->n_b, ket->n_a, ket->n_b};
    const struct hf_quartet_density *first = input->density[0];
    lanes *cd = scratch, *ac = cd + n.c * n.d, *ad = ac + n.a * n.c;
    lanes *bc = ad + n.a * n.d, *bd = bc + n.b * n.c, factor;
    for (int l = 0; l < HF_WIDTH; l++) factor[l] = input->density[l]->factor;
    if (first->whole != NULL) {
        gather_whole(input, &n, factor, to);
        return;
    }
    const int n_coulomb = first->total[HF_BLOCK_AB] == NULL ? 0 : input->difference ? 2 : 1;
    if (n_coulomb == 0) memset(to, 0, (size_t)(n.a * n.b * n.c * n.d) * sizeof *to);
    for (int spin = 0; spin < n_coulomb; spin++) {
        gather_block(input, spin, HF_BLOCK_CD, n.c, n.d, (spin ? -0.5 : 0.5) * factor, cd);
        put_coulomb(first, spin, &n, cd, to);
    }
    for (int spin = 0; spin < input->n_density; spin++) {
        const double sign = spin && input->difference ? -0.125 : 0.125;
        gather_block(input, spin, HF_BLOCK_AC, n.a, n.c, -sign * factor, ac);
        gather_block(input, spin, HF_BLOCK_AD, n.a, n.d, -sign * factor, ad);
        gather_block(input, spin, HF_BLOCK_BC, n.b, n.c, broadcast(1.0), bc);
        gather_block(input, spin, HF_BLOCK_BD, n.b, n.d, broadcast(1.0), bd);
        add_exchange(&n, ac, ad, bc, bd, to);
    }
}

/** Makes the density of levels for one primitive of the ket, with the coefficients of its parts. */
static inline void weigh_ket(const struct hf_contraction_plan *plan, bool exchanged,
                             const lanes *density, const lanes *coefficient, lanes *half)
{
    memset(half, 0, (size_t)plan->n_half * sizeof *half);
    for (int b = 0; b < plan->n_bra; b++) {
        const int n_row = exchanged ? 1 : plan->bra[b].n, n_e = plan->bra[b].n / n_row;
        for (int k = 0; k < plan->n_ket; k++)
            for (int r = 0; r < n_row; r++) {
                lanes *row = half + r * plan->n_ket_level + plan->ket[k].first * n_e;
                for (int x = 0; x < plan->ket[k].n * n_e; x++)
                    row[x] += coefficient[k] * *density++;
            }
        half += plan->bra[b].n * plan->n_ket_level;
    }
}

/** The same for primitive i of the bra. */
static inline __attribute__((always_inline)) void weigh_bra(const struct hf_contraction_plan *plan,
                                                            bool exchanged, const lanes *half,
                                                            const struct hf_expanded_pair *bra,
                                                            int i, lanes *density)
{
    const int n_row = exchanged ? plan->n_ket_level : 1, n_f = plan->n_ket_level / n_row;
    memset(density, 0, (size_t)plan->n_level * sizeof *density);
    for (int b = 0; b < plan->n_bra; b++) {
        const int n = plan->bra[b].n * n_f;
        const double coefficient = hf_pair_coefficient(bra, b)[i];
        lanes *to = density + plan->bra[b].first * n_f;
        for (int r = 0; r < n_row; r++, to += plan->n_bra_level, half += n)
            for (int x = 0; x < n && coefficient != 0.0; x++) to[x] += coefficient * half[x];
    }
}

#endif
