/* Sizes that the quartets of a list of pairs need in the engine. */
#include "engine_private.h"

static void take_larger(size_t *largest, size_t value)
{
    if (value > *largest) *largest = value;
}

/** Most rows of one side in any block between levels and functions. */
static size_t largest_side(const struct hf_pair_class *kind)
{
    size_t side = 1;
    for (int k = 0; k < kind->n_part; k++) {
        const struct hf_pair_part *part = &kind->part[k];
        take_larger(&side, (size_t)hf_part_n_level(part));
        take_larger(&side, (size_t)(hf_n_cartesian(part->l_a) * hf_n_cartesian(part->l_b)));
    }
    return side;
}

void hf_engine_find_sizes(struct hf_engine *engine)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    struct hf_engine_sizes *size = &engine->size;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        int *most = &engine->most_primitive[pairs->pair[i].pair_class];
        if (pairs->pair[i].n_primitive > *most) *most = pairs->pair[i].n_primitive;
    }
    *size = (struct hf_engine_sizes){1, 1, 1, 1};
    for (int i = 0; i < pairs->n_class; i++) {
        const struct hf_pair_class *bra = &pairs->class_of[i];
        const size_t n_padded = (size_t)hf_padded(engine->most_primitive[i]);
        take_larger(&size->pair, n_padded * (size_t)hf_n_row(bra));
        if (bra->n_part > 1) take_larger(&size->term, n_padded * (size_t)bra->n_part);
        for (int j = 0; j < pairs->n_class; j++) {
            const struct hf_pair_class *ket = &pairs->class_of[j];
            const bool batched = hf_engine_recurrence.takes(bra, ket);
            take_larger(&size->block,
                        (batched ? HF_LANES : 1) * largest_side(bra) * largest_side(ket));
            take_larger(&size->result, (size_t)bra->n_function * (size_t)ket->n_function);
        }
    }
}
