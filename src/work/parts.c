/* Tasks cut into parts. */
#include "work_private.h"

#include <limits.h>

/** Whether quartets of two pairs of atoms can matter in the round or, if a part's kets are `fixed`, in the
 *  round that stores. */
static bool can_matter(const struct hf_work *work, const struct hf_atom_pair *bra,
                       const struct hf_atom_pair *ket, bool fixed)
{
    const struct hf_store_plan *plan = &work->plan;
    const double bound = bra->bound * ket->bound;
    if (fixed)
        return bound >= plan->part_smallest &&
               (plan->lasting == NULL ||
                bound * plan->lasting->of_atoms(plan->lasting->data, bra, ket) >= plan->part_least);
    if (bound < work->least_bound) return false;
    return work->factor == NULL ||
           bound * work->factor(work->factor_data, bra, ket) >= work->threshold;
}

/** Adds the shell pairs begin .. end-1 of a pair of atoms unless all are negligible. */
static void add_kets(const struct hf_work *work, const struct hf_atom_pair *atoms, int64_t begin,
                     int64_t end, struct hf_part *part)
{
    if (!can_matter(work, part->bra, atoms, part->fixed_kets)) return;
    const int64_t first = atoms->first_pair, last = first + atoms->n_pair;
    struct hf_part_ket *ket = &part->ket[part->n_ket++];
    *ket = (struct hf_part_ket){.atoms = atoms,
                                .begin = begin > first ? begin : first,
                                .end = end < last ? end : last,
                                .triangle = atoms == part->bra};
    hf_strip_atoms(work->pairs->basis, atoms, &ket->atom_c, &ket->atom_d);
}

/** The kets of one part: some of the pairs of atoms up to the bra's own, or of every pair. Parts go from the
 *  last pair down, so that bras of different atoms begin with different kets. */
static bool find_kets_of_all(const struct hf_work *work, int64_t bra, bool every,
                             struct hf_part *part)
{
    const struct hf_atom_pair *list = work->pairs->atom_pair;
    const int64_t n = every ? work->pairs->n_atom_pair : part->bra - list + 1;
    const int64_t end = n - (int64_t)part->index * HF_MOST_PART_KETS;
    const int64_t begin = end > HF_MOST_PART_KETS ? end - HF_MOST_PART_KETS : 0;
    for (int64_t k = begin; k < end; k++)
        add_kets(work, &list[k], 0, every ? INT64_MAX : bra + 1, part);
    for (int i = 0; i < part->n_ket && every; i++) part->ket[i].triangle = false;
    return end > 0;
}

/** Adds kets from a list of the `n` pairs of a shell: HF_MOST_PART_KETS pairs of atoms, from number chunk *
 *  HF_MOST_PART_KETS on. Returns the number of pairs of atoms in the list. */
static int find_kets_of_shell(const struct hf_work *work, const int64_t *list, int64_t n, int chunk,
                              struct hf_part *part)
{
    const struct hf_atom_pair *atoms = work->pairs->atom_pair;
    const int first = chunk * HF_MOST_PART_KETS;
    int n_atoms = 0;
    for (int64_t k = 0, end; k < n; k = end, n_atoms++) {
        const int a = hf_atom_pair_of(work->pairs, list[k]);
        const int64_t next = atoms[a].first_pair + (int64_t)atoms[a].n_pair;
        for (end = k; end < n && list[end] < next;) end++;
        if (n_atoms < first || n_atoms >= first + HF_MOST_PART_KETS) continue;
        const int before = part->n_ket;
        add_kets(work, &atoms[a], 0, INT64_MAX, part);
        if (part->n_ket == before) continue;
        struct hf_part_ket *ket = &part->ket[before];
        ket->list = list;
        ket->begin = k;
        ket->end = end;
        ket->triangle = false;
    }
    return n_atoms;
}

/** A part of a task of two shells: a bra MR with kets NS. All parts of a bra come before those of the next bra. */
static bool find_part_of_shells(const struct hf_work *work, const struct hf_task *task,
                                struct hf_part *part)
{
    const struct hf_shell_lists *lists = &work->tasks->units.lists;
    const int64_t m = work->tasks->units.unit[task->bra_begin];
    const int64_t n = work->tasks->units.unit[task->ket_begin];
    const int64_t *ket = lists->pair + lists->first[n];
    const int64_t n_ket = lists->first[n + 1] - lists->first[n];
    const int n_atoms = find_kets_of_shell(work, ket, n_ket, INT_MAX / HF_MOST_PART_KETS - 1, part);
    const int n_chunk = (n_atoms + HF_MOST_PART_KETS - 1) / HF_MOST_PART_KETS;
    if (n_chunk == 0 || part->index / n_chunk >= lists->first[m + 1] - lists->first[m])
        return false;
    const int64_t bra = lists->pair[lists->first[m] + part->index / n_chunk];
    part->bra = &work->pairs->atom_pair[hf_atom_pair_of(work->pairs, bra)];
    part->bra_begin = bra;
    part->bra_end = bra + 1;
    find_kets_of_shell(work, ket, n_ket, part->index % n_chunk, part);
    return true;
}

/** hf_work_find_part, with the kets of the round or, if `fixed`, with those of the store's plan. */
static bool find_part(const struct hf_worker *worker, int64_t index, int32_t part_index, bool fixed,
                      struct hf_part *part)
{
    const struct hf_work *work = worker->work;
    const struct hf_task task = hf_task_list_get(work->tasks, index);
    const struct hf_atom_pair *list = work->pairs->atom_pair;
    const bool atoms = work->settings.order.grain == HF_GRAIN_ATOM_QUARTET;
    const bool one_bra = hf_task_is_bra(&task);
    const int64_t place = task.bra_begin + (one_bra ? 0 : part_index);
    part->task = index;
    part->index = part_index;
    part->stored = false;
    part->fixed_kets = fixed;
    part->n_ket = 0;
    if (task.kind == HF_TASK_OF_SHELLS) return find_part_of_shells(work, &task, part);
    if (place >= task.bra_end) return false;
    const int64_t bra = work->tasks->units.unit[place];
    part->bra = &list[atoms ? bra : hf_atom_pair_of(work->pairs, bra)];
    part->bra_begin = bra;
    part->bra_end =
        one_bra ? hf_task_units_bra_end(&work->tasks->units, work->pairs, bra) : bra + 1;
    if (one_bra) return find_kets_of_all(work, bra, task.kind == HF_TASK_EVERY_KET, part);
    if (atoms) {
        const int64_t first = part->bra->first_pair, n = part->bra->n_pair;
        part->bra_begin = first + n * task.slice / task.n_slice;
        part->bra_end = first + n * (task.slice + 1) / task.n_slice;
        if (part->bra_begin == part->bra_end) return true;
    }
    const int64_t ket_end = task.kind == HF_TASK_TRIANGLE ? place + 1 : task.ket_end;
    for (int64_t k = task.ket_begin; k < ket_end; k++) {
        const int64_t ket = work->tasks->units.unit[k];
        if (atoms) {
            add_kets(work, &list[ket], 0, INT64_MAX, part);
        } else {
            add_kets(work, &list[hf_atom_pair_of(work->pairs, ket)], ket, ket + 1, part);
            if (part->n_ket > 0) part->ket[part->n_ket - 1].triangle = false;
        }
    }
    return true;
}

bool hf_work_find_part(const struct hf_worker *worker, int64_t task, int32_t index,
                       struct hf_part *part)
{
    return find_part(worker, task, index, worker->work->store_use == HF_STORE_FILL, part);
}

void hf_work_shells_of_task(const struct hf_worker *worker, int64_t task, int *m, int *n)
{
    const struct hf_task_list *tasks = worker->work->tasks;
    const struct hf_task found = hf_task_list_get(tasks, task);
    *m = (int)tasks->units.unit[found.bra_begin];
    *n = (int)tasks->units.unit[found.ket_begin];
}

const int64_t *hf_work_pairs_of_shell(const struct hf_worker *worker, int shell, int64_t *n_pair)
{
    const struct hf_shell_lists *lists = &worker->work->tasks->units.lists;
    *n_pair = lists->first[shell + 1] - lists->first[shell];
    return lists->pair + lists->first[shell];
}

bool hf_work_find_stored_part(const struct hf_worker *worker, int64_t task, int32_t index,
                              struct hf_part *part)
{
    return find_part(worker, task, index, true, part);
}
