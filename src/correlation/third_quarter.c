/* The third quarter of an orbital i, and the arrays of threads for it. */
#include "mp2_private.h"

#include "base/threads.h"

struct hf_mp2_lane *hf_mp2_make_lanes(const struct hf_mp2 *mp2, size_t n_packed, size_t n_product,
                                      size_t n_row, struct hf_arena *arena)
{
    struct hf_mp2_lane *lane = HF_TAKE(arena, lane, (size_t)mp2->n_thread);
    for (int t = 0; t < mp2->n_thread && lane != NULL; t++) {
        HF_TAKE(arena, lane[t].packed, n_packed);
        HF_TAKE(arena, lane[t].product, n_product);
        HF_TAKE(arena, lane[t].row, n_row);
        HF_TAKE(arena, lane[t].function, (size_t)mp2->merged->n_function);
    }
    return lane;
}

void hf_mp2_add_lanes(const struct hf_mp2 *mp2, const struct hf_mp2_lane lane[])
{
    for (int t = 0; t < mp2->n_thread; t++) {
        mp2->result->n_flop[1] += lane[t].n_flop;
        mp2->result->cpu_seconds[1] += lane[t].seconds;
    }
}

/** Finds the rows of (ia|rs) for one s (function `k` of a shell) and all r that have integrals with it, and these r.
 *  Returns their number. */
static int find_rows(const struct hf_mp2_third *third, int shell, int k, struct hf_mp2_lane *own)
{
    const struct hf_basis *basis = third->exchange->mp2->merged;
    size_t step = 0;
    int n = 0;
    for (int r = 0; r < basis->n_shell; r++) {
        const double *row = hf_mp2_exchange_rows(third->exchange, third->unit, r, shell, k, &step);
        for (int m = 0; m < basis->shell[r].n_function && row != NULL; m++, row += step) {
            own->row[n] = row + (third->begin - third->unit->begin);
            own->function[n++] = basis->shell[r].first_function + m;
        }
    }
    return n;
}

void hf_mp2_third_quarter(const struct hf_mp2_third *third, int thread, int n_thread,
                          struct hf_mp2_lane *own)
{
    const struct hf_mp2 *mp2 = third->exchange->mp2;
    const struct hf_basis *basis = mp2->merged;
    const size_t n_column = third->end - third->begin,
                 n_virtual = (size_t)mp2->orbitals[third->unit->spin].n_virtual;
    const size_t n_padding = third->end > n_virtual ? third->end - n_virtual : 0;
    const double start = hf_thread_seconds();
    for (int shell = thread; shell < basis->n_shell; shell += n_thread)
        for (int k = 0; k < basis->shell[shell].n_function; k++) {
            const size_t s = (size_t)(basis->shell[shell].first_function + k);
            const int n_row = find_rows(third, shell, k, own);
            const bool all = n_row == basis->n_function;
            if (k == 0 && !all)
                hf_pack_rows(third->n_j, n_row, own->function, third->orbitals, third->step,
                             own->packed);
            mp2->multiply(&(struct hf_product){.n_row = third->n_j,
                                               .n_inner = n_row,
                                               .n_column = n_column,
                                               .left = all ? third->packed : own->packed,
                                               .right = own->row,
                                               .to = third->to + s * (size_t)third->n_j * n_column,
                                               .to_step = n_column});
            own->n_flop += 2.0 * third->n_j * n_row * (double)(n_column - n_padding);
        }
    own->seconds += hf_thread_seconds() - start;
}
