/* From tasks and stored segments to steps: parts of tasks that can add anything. */
#include "distributed.h"

#include <math.h>

/** Looks whether ket `k` of a step can add to J and to K; false when to neither. */
static bool screen(const struct hf_fock_builder *self, struct hf_step *step, int k)
{
    const struct hf_distributed *data = self->data;
    const struct hf_density_bounds *D = &data->bounds;
    const struct hf_atom_pair *bra = step->part.bra, *ket = step->part.ket[k];
    const double threshold = self->screening.threshold, bound = bra->bound * ket->bound;
    const int bra_atom[2] = {bra->atom_a, bra->atom_b}, ket_atom[2] = {ket->atom_a, ket->atom_b};
    step->coulomb[k] = step->exchange[k] = false;
    if (bound * D->largest < threshold) return false;
    const double coulomb = fmax(hf_density_bound(D, bra_atom[0], bra_atom[1]),
                                hf_density_bound(D, ket_atom[0], ket_atom[1]));
    double exchange = 0.0;
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++)
            exchange = fmax(exchange, hf_density_bound(D, bra_atom[x], ket_atom[y]));
    step->coulomb[k] = bound * coulomb >= threshold;
    step->exchange[k] = bound * exchange >= threshold;
    return step->coulomb[k] || step->exchange[k];
}

/** Screens all kets. Those that add nothing go, but not where stored quartets count the kets. False
 *  when nothing comes of the step. */
static bool screen_kets(const struct hf_fock_builder *self, struct hf_step *step)
{
    struct hf_task_part *part = &step->part;
    const bool records = self->store_use == HF_STORE_RECORD, keep = records || step->store != NULL;
    bool useful = records && part->n > 0;
    int n = 0;
    for (int k = 0; k < part->n; k++) {
        part->ket[n] = part->ket[k];
        part->range[n] = part->range[k];
        const bool adds = screen(self, step, n);
        useful = useful || adds;
        if (adds || keep) n++;
    }
    part->n = n;
    return useful;
}

/** The part of a task that a stored segment is of. */
static bool next_stored(struct hf_fock_builder *self, struct hf_step *step)
{
    while ((step->store = hf_fock_next_segment(self, &step->segment)) != NULL) {
        const struct hf_task task = hf_task_list_get(self->tasks, step->segment.task);
        hf_task_part_find(self, &task, step->segment.part, &step->part);
        if (screen_kets(self, step)) return true;
    }
    return false;
}

bool hf_step_next(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                  struct hf_step_source *source, struct hf_step *step, hf_status *status,
                  struct hf_error *error)
{
    if (next_stored(self, step)) return true;
    for (;;) {
        if (!source->has_task) {
            if (!hf_fock_next_task(self, worker, status, &source->index, error)) return false;
            source->task = hf_task_list_get(self->tasks, source->index);
            source->part = 0;
            source->has_task = true;
        }
        step->task = source->index;
        step->part_index = source->part++;
        source->has_task = hf_task_part_find(self, &source->task, step->part_index, &step->part);
        if (source->has_task && screen_kets(self, step)) return true;
    }
}
