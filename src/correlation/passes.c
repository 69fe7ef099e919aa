/* Common parts of the passes over all integrals. */
#include "mp2_private.h"

#include "work/work.h"

#include <string.h>

void hf_mp2_bound(const struct hf_mp2 *mp2, const struct hf_shell_pair *bra, int n,
                  struct hf_waiting_ket ket[])
{
    const double threshold = mp2->settings->threshold;
    for (int i = 0; i < n; i++) {
        const double product = bra->bound * ket[i].pair->bound;
        ket[i].wanted =
            product >= threshold && product * hf_far_factor(bra, ket[i].pair) >= threshold;
    }
}

double *hf_mp2_join_orbitals(const struct hf_mp2 *mp2, size_t length, struct hf_arena *arena)
{
    const size_t n = (size_t)mp2->merged->n_function;
    double *joined = HF_TAKE(arena, joined, n * length);
    size_t first = 0;
    for (int spin = 0; spin < mp2->n_spin && joined != NULL; spin++) {
        const size_t n_i = (size_t)mp2->orbitals[spin].n_occupied;
        const size_t n_copied = first >= length ? 0 : n_i < length - first ? n_i : length - first;
        for (size_t f = 0; f < n; f++)
            memcpy(joined + f * length + first, mp2->orbitals[spin].occupied + f * n_i,
                   n_copied * sizeof *joined);
        first += n_i;
    }
    return joined;
}

hf_status hf_mp2_run_work(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          hf_status (*run)(void *data, struct hf_worker *worker,
                                           struct hf_error *error),
                          void *data, struct hf_error *error)
{
    hf_status status;
    struct hf_work *work = NULL;
    struct hf_work_settings all = *settings;
    all.schedule = mp2->settings->schedule;
    if (all.phases.compute == NULL)
        all.phases =
            (struct hf_work_phases){&hf_phase_mp2_first, &hf_phase_mp2_wait, &hf_phase_mp2_wait};
    if (settings->schedule.name != NULL) all.schedule.name = settings->schedule.name;
    HF_TRY(hf_work_create(mp2->context, mp2->pairs, &all, &work, error));
    HF_TRY(hf_work_run(
        work,
        &(struct hf_round){
            .threshold = mp2->settings->threshold, .largest = 1.0, .run = run, .data = data},
        error));
    mp2->result->n_quartet += (double)hf_work_account(work).n_computed;
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    return status;
}

hf_status hf_mp2_run_pass(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          const struct hf_pass *pass, void *data, struct hf_error *error)
{
    return hf_mp2_run_work(mp2, settings, hf_run_pass, &(struct hf_pass_data){pass, data}, error);
}
