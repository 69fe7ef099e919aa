/* All integrals of a bra; see bra.h. */
#include "bra.h"

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct hf_mp2_bra *bra = self;
    (void)error;
    bra->part = part;
    return HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *pair, int n, struct hf_waiting_ket ket[])
{
    const struct hf_mp2_bra *bra = self;
    hf_mp2_bound(bra->mp2, pair, n, ket);
    for (int i = 0; i < n && bra->n_share > 1; i++)
        if ((ket[i].pair - bra->mp2->pairs->pair) % bra->n_share != bra->share) ket[i].wanted = 0;
}

static void take(void *self, const struct hf_strip *strip)
{
    struct hf_mp2_bra *bra = self;
    const struct hf_part_ket *kets = &bra->part->ket[strip->place];
    hf_mp2_strips_keep(&bra->strips, bra->mp2->merged, strip, kets->atom_c, kets->atom_d);
}

static const struct hf_quartet_consumer consumer = {
    .lend = lend,
    .bound = bound,
    .take = take,
};

void hf_mp2_bra_init(struct hf_mp2_bra *bra, struct hf_mp2 *mp2, struct hf_arena *arena)
{
    const int most = hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    *bra = (struct hf_mp2_bra){.mp2 = mp2, .n_share = 1};
    hf_mp2_strips_init(&bra->strips, mp2, (size_t)most, arena);
}

hf_status hf_mp2_bra_compute(struct hf_mp2_bra *bra, struct hf_worker *worker, int64_t task,
                             struct hf_error *error)
{
    struct hf_part part = {0};
    bra->pair = NULL;
    for (int32_t i = 0; hf_work_find_part(worker, task, i, &part); i++) {
        if (bra->pair == NULL) {
            bra->pair = &bra->mp2->pairs->pair[part.bra_begin];
            hf_mp2_strips_begin(&bra->strips);
        }
        if (part.n_ket > 0) HF_CHECK(hf_work_do_part(worker, &consumer, bra, &part, error));
    }
    if (bra->strips.failed)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the integrals of a bra");
    return HF_OK;
}
