/* From tasks to steps: one pair of atoms with another, if it can add anything. */
#include "distributed.h"

#include <math.h>

/** Looks whether the step can add to J and to K; false when to neither. */
static bool screen(const struct hf_fock_builder *self, struct hf_step *step, double bound)
{
    const struct hf_distributed *data = self->data;
    const struct hf_density_bounds *D = &data->bounds;
    const int *atom = step->atom;
    const double threshold = self->screening.threshold;
    if (bound * D->largest < threshold) return false;
    const double coulomb = fmax(hf_density_bound(D, atom[HF_ATOM_A], atom[HF_ATOM_B]),
                                hf_density_bound(D, atom[HF_ATOM_C], atom[HF_ATOM_D]));
    double exchange = 0.0;
    for (int x = HF_ATOM_A; x <= HF_ATOM_B; x++)
        for (int y = HF_ATOM_C; y <= HF_ATOM_D; y++)
            exchange = fmax(exchange, hf_density_bound(D, atom[x], atom[y]));
    step->coulomb = bound * coulomb >= threshold;
    step->exchange = bound * exchange >= threshold;
    return step->coulomb || step->exchange;
}

/** The step of two atom pairs, with all their shell pairs; false when nothing comes of it. */
static bool make_step(const struct hf_fock_builder *self, int64_t bra, int64_t ket,
                      struct hf_step *step)
{
    const struct hf_atom_pair *ab = &self->pairs->atom_pair[bra];
    const struct hf_atom_pair *cd = &self->pairs->atom_pair[ket];
    step->atom[HF_ATOM_A] = ab->atom_a;
    step->atom[HF_ATOM_B] = ab->atom_b;
    step->atom[HF_ATOM_C] = cd->atom_a;
    step->atom[HF_ATOM_D] = cd->atom_b;
    step->bra_begin = ab->first_pair;
    step->bra_end = ab->first_pair + ab->n_pair;
    step->kets = hf_atom_pair_kets(ab, cd, NULL);
    return screen(self, step, ab->bound * cd->bound);
}

/** A step of one shell pair with others of an atom pair, or with one. */
static bool make_shell_step(const struct hf_fock_builder *self, int64_t bra, int ket_atoms,
                            int64_t ket_begin, int64_t ket_end, struct hf_step *step)
{
    if (!make_step(self, hf_atom_pair_of(self->pairs, bra), ket_atoms, step)) return false;
    step->bra_begin = bra;
    step->bra_end = bra + 1;
    step->kets.begin = ket_begin;
    step->kets.end = ket_end;
    step->kets.triangle = false;
    return true;
}

/** Step at the source's place. */
static bool make_step_here(const struct hf_fock_builder *self, const struct hf_step_source *source,
                           struct hf_step *step)
{
    const struct hf_shell_pairs *pairs = self->pairs;
    const int64_t bra = hf_task_list_unit(self->tasks, source->bra);
    if (source->task.all_kets) {
        const struct hf_atom_pair *kets = &pairs->atom_pair[source->ket];
        const int64_t end = kets->first_pair + kets->n_pair;
        return make_shell_step(self, bra, (int)source->ket, kets->first_pair,
                               end < bra + 1 ? end : bra + 1, step);
    }
    const int64_t ket = hf_task_list_unit(self->tasks, source->ket);
    if (self->settings.grain == HF_GRAIN_ATOM_QUARTET) return make_step(self, bra, ket, step);
    return make_shell_step(self, bra, hf_atom_pair_of(pairs, ket), ket, ket + 1, step);
}

/** Takes the next task; false when there is none. */
static bool take_task(struct hf_fock_builder *self, struct hf_step_source *source,
                      hf_status *status, struct hf_error *error)
{
    int64_t index;
    source->has_task = hf_fock_next_task(self, status, &index, error);
    if (!source->has_task) return false;
    source->task = hf_task_list_get(self->tasks, index);
    source->bra = source->task.bra_begin;
    source->ket = source->task.ket_begin;
    if (source->task.all_kets)
        source->ket =
            hf_atom_pair_of(self->pairs, hf_task_list_unit(self->tasks, source->task.bra_begin));
    return true;
}

/** Moves on within the task. */
static void advance(struct hf_step_source *source)
{
    const struct hf_task *task = &source->task;
    if (task->all_kets) { /* down from the bra's own atoms: every bra begins elsewhere */
        source->has_task = --source->ket >= 0;
        return;
    }
    const int64_t end = task->triangle ? source->bra + 1 : task->ket_end;
    if (++source->ket < end) return;
    source->ket = task->ket_begin;
    source->has_task = ++source->bra < task->bra_end;
}

bool hf_step_next(struct hf_fock_builder *self, struct hf_step_source *source, struct hf_step *step,
                  hf_status *status, struct hf_error *error)
{
    for (;;) {
        if (!source->has_task && !take_task(self, source, status, error)) return false;
        const bool useful = make_step_here(self, source, step);
        advance(source);
        if (useful) return true;
    }
}
