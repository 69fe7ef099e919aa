/* From tasks and stored parts to steps: the parts that contribute to J or K. */
#include "distributed_state.h"

#include "text/trace.h"

#include <math.h>

/** Finds whether ket `k` of a step can contribute to J and to K; false: to neither. */
static bool screen(const struct hf_fock_builder *self, struct hf_step *step, int k)
{
    const struct hf_distributed *data = self->data;
    const struct hf_density_bounds *D = &data->bounds;
    const struct hf_atom_pair *bra = step->part.bra, *ket = step->part.ket[k].atoms;
    const double threshold = self->build.threshold, bound = bra->bound * ket->bound;
    const int bra_atom[2] = {bra->atom_a, bra->atom_b}, ket_atom[2] = {ket->atom_a, ket->atom_b};
    step->coulomb[k] = step->exchange[k] = false;
    if (bound * D->largest < threshold) return false;
    const double coulomb = fmax(hf_density_bound(D, bra_atom[0], bra_atom[1]),
                                hf_density_bound(D, ket_atom[0], ket_atom[1]));
    double exchange = 0.0;
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++)
            exchange = fmax(exchange, hf_density_bound(D, bra_atom[x], ket_atom[y]));
    step->coulomb[k] = hf_n_coulomb(&data->jobs) > 0 && bound * coulomb >= threshold;
    step->exchange[k] = data->jobs.n_exchange > 0 && bound * exchange >= threshold;
    return step->coulomb[k] || step->exchange[k];
}

/** Screens all kets and removes those that contribute nothing, unless stored quartets refer to kets by
 *  number. False: the step is not needed. Quartets that will be stored are computed in any case. */
static bool screen_kets(const struct hf_fock_builder *self, struct hf_step *step)
{
    struct hf_part *part = &step->part;
    bool useful = part->fixed_kets && !part->stored && part->n_ket > 0;
    int n = 0;
    for (int k = 0; k < part->n_ket; k++) {
        part->ket[n] = part->ket[k];
        const bool adds = screen(self, step, n);
        useful = useful || adds;
        if (adds || part->fixed_kets) n++;
    }
    part->n_ket = n;
    return useful;
}

hf_status hf_step_next(struct hf_fock_builder *self, struct hf_worker *worker,
                       struct hf_step_source *source, struct hf_step *step, struct hf_error *error)
{
    struct hf_part *part = &step->part;
    while (!source->no_stored && hf_work_next_stored(worker, part))
        if (screen_kets(self, step)) return HF_OK;
    source->no_stored = true;
    for (;;) {
        if (!source->has_task) {
            const hf_status status = hf_work_next_task(worker, &source->task, error);
            part->task = -1;
            if (status != HF_OK || source->task < 0) return status;
            source->part = 0;
            source->has_task = true;
        }
        source->has_task = hf_work_find_part(worker, source->task, source->part++, part);
        if (source->has_task && screen_kets(self, step)) return HF_OK;
    }
}

/** Whether an earlier ket, or an earlier combination of the same kind, needs the block of combination c of
 *  ket k. */
static bool is_again(const struct hf_step *step, int k, int c)
{
    const int n_coulomb = 2, first = c < n_coulomb ? 0 : n_coulomb;
    const int last = c < n_coulomb ? n_coulomb : HF_N_COMBINATION;
    for (int l = 0; l <= k; l++)
        for (int d = first; d < (l < k ? last : c); d++)
            if (step->density[l][d] == step->density[k][c]) return true;
    return false;
}

void hf_step_trace(const struct hf_fock_builder *self, struct hf_worker *worker,
                   const struct hf_step *step)
{
    if (self->context->trace == NULL) return;
    for (int k = 0; k < step->part.n_ket; k++) {
        for (int c = 0; c < HF_N_COMBINATION; c++) {
            const struct hf_cached_block *block = step->density[k][c];
            if (block == NULL || is_again(step, k, c)) continue;
            hf_work_trace_block(worker, c < 2 ? HF_TRACE_BLOCK_J : HF_TRACE_BLOCK_K,
                                step->part.task, block->i, block->j,
                                (double)(block->size * sizeof *block->value));
        }
    }
}
