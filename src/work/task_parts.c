/* Tasks cut into what is computed at a time; see task_parts.h. */
#include "task_parts.h"

/** Adds the shell pairs begin .. end-1 of a pair of atoms unless all together are negligible. */
static void add_kets(const struct hf_fock_builder *self, const struct hf_atom_pair *ket,
                     int64_t begin, int64_t end, struct hf_task_part *part)
{
    if (part->bra->bound * ket->bound < hf_fock_least_bound(self)) return;
    struct hf_ket_range *range = &part->range[part->n];
    *range = hf_atom_pair_kets(part->bra, ket, NULL);
    if (begin > range->begin) range->begin = begin;
    if (end < range->end) range->end = end;
    part->ket[part->n++] = ket;
}

/** All pairs of atoms up to the bra's own, some of them at a time, from the bra's own down: bras of
 *  other atoms begin elsewhere. */
static bool find_kets_of_all(const struct hf_fock_builder *self, int64_t bra, int32_t index,
                             struct hf_task_part *part)
{
    const struct hf_atom_pair *list = self->pairs->atom_pair;
    const int64_t end = part->bra - list + 1 - (int64_t)index * HF_MAX_KET_ATOM_PAIRS;
    const int64_t begin = end > HF_MAX_KET_ATOM_PAIRS ? end - HF_MAX_KET_ATOM_PAIRS : 0;
    for (int64_t k = begin; k < end; k++) add_kets(self, &list[k], 0, bra + 1, part);
    return end > 0;
}

bool hf_task_part_find(const struct hf_fock_builder *self, const struct hf_task *task,
                       int32_t index, struct hf_task_part *part)
{
    const struct hf_atom_pair *list = self->pairs->atom_pair;
    const bool atoms = self->settings.grain == HF_GRAIN_ATOM_QUARTET;
    const int64_t place = task->bra_begin + (task->all_kets ? 0 : index);
    if (place >= task->bra_end) return false;
    const int64_t bra = hf_task_list_unit(self->tasks, place);
    *part = (struct hf_task_part){.bra_begin = bra, .bra_end = bra + 1};
    part->bra = &list[atoms ? bra : hf_atom_pair_of(self->pairs, bra)];
    if (task->all_kets) return find_kets_of_all(self, bra, index, part);
    if (atoms) {
        const int64_t first = part->bra->first_pair, n = part->bra->n_pair;
        part->bra_begin = first + n * task->slice / task->n_slice;
        part->bra_end = first + n * (task->slice + 1) / task->n_slice;
        if (part->bra_begin == part->bra_end) return true;
    }
    const int64_t ket_end = task->triangle ? place + 1 : task->ket_end;
    for (int64_t k = task->ket_begin; k < ket_end; k++) {
        const int64_t ket = hf_task_list_unit(self->tasks, k);
        if (atoms) {
            add_kets(self, &list[ket], 0, INT64_MAX, part);
        } else {
            add_kets(self, &list[hf_atom_pair_of(self->pairs, ket)], ket, ket + 1, part);
            if (part->n > 0) part->range[part->n - 1].triangle = false;
        }
    }
    return true;
}

void hf_task_part_begin(struct hf_task_part *part, struct hf_local_sums *sums)
{
    const struct hf_quartet_blocks *blocks =
        hf_local_sums_begin(sums, part->bra, part->n, part->ket);
    for (int k = 0; k < part->n; k++) part->range[k].blocks = &blocks[k];
}
