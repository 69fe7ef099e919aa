/* Two-electron integrals of shell quartets: the front of the implementations. */
#include "engine_private.h"

#include "base/simd.h"

#include <string.h>

const struct hf_engine_ops *const hf_engine_list[HF_N_ENGINE] = {&hf_engine_recurrence,
                                                                 &hf_engine_libint};

/* In whole calculations a batch of the recurrence, full or not, took less time than Libint or a recurrence over
 * the primitives of one quartet. So the classes alone decide. */
int hf_engine_choose(const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    int k = 0;
    while (k < HF_N_ENGINE - 1 && !hf_engine_list[k]->takes(bra, ket)) k++;
    return k;
}

static void choose_kernels(struct hf_engine *engine)
{
    typedef const struct hf_kernels *const table;
    static table wide[] = {
        HF_KERNELS_BUILT(&hf_kernels_portable_4, &hf_kernels_avx2_4, &hf_kernels_avx512_8)};
    static table narrow[] = {HF_KERNELS_BUILT(NULL, NULL, &hf_kernels_avx512_4)};
    static table single_wide[] = {HF_KERNELS_BUILT(
        &hf_kernels_portable_single_4, &hf_kernels_avx2_single_8, &hf_kernels_avx512_single_16)};
    static table single_narrow[] = {HF_KERNELS_BUILT(NULL, NULL, &hf_kernels_avx512_single_8)};
    engine->of_double = (struct hf_kernel_choice){HF_BEST_KERNELS(wide), HF_BEST_KERNELS(narrow)};
    engine->of_single =
        (struct hf_kernel_choice){HF_BEST_KERNELS(single_wide), HF_BEST_KERNELS(single_narrow)};
}

/** Allocates room for the largest pair of the list; it is not zeroed, since most pairs use only a part. */
static void make_pair(struct hf_engine *engine, struct hf_expanded_pair *pair)
{
    const struct hf_engine_sizes *size = &engine->size;
    HF_TAKE_UNSET(&engine->arena, pair->row, size->pair);
    HF_TAKE(&engine->arena, pair->term, size->term);
    HF_TAKE(&engine->arena, pair->term_place, size->term + HF_MAX_PAIR_PART);
}

/** Allocates scratch for the implementations that the list's classes need; Libint's is zeroed. */
static void create_implementations(struct hf_engine *engine)
{
    for (int k = 0; k < HF_N_ENGINE; k++) {
        const struct hf_engine_ops *ops = hf_engine_list[k];
        const size_t bytes = ops->scratch_bytes(engine);
        if (bytes == 0) continue;
        engine->scratch[k] = hf_arena_take_unset(&engine->arena, bytes, 1);
        if (ops->create == NULL || engine->scratch[k] == NULL) continue;
        memset(engine->scratch[k], 0, bytes);
        ops->create(engine, engine->scratch[k]);
    }
}

static bool is_alike(struct hf_kernel_choice kernels, const struct hf_pair_class *bra,
                     const struct hf_pair_class *ket)
{
    const int order = bra->l_high + ket->l_high;
    return kernels.narrow != NULL &&
           (order <= kernels.wide->vertical_limit) == (order <= kernels.narrow->vertical_limit);
}

/** Makes plans for every two classes that our own recurrence takes. */
static void plan_classes(struct hf_engine *engine)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    const size_t n = (size_t)pairs->n_class;
    HF_TAKE(&engine->arena, engine->of_two, n * n);
    for (size_t i = 0; engine->of_two != NULL && i < n * n; i++) {
        const struct hf_pair_class *bra = &pairs->class_of[i / n], *ket = &pairs->class_of[i % n];
        struct hf_class_pair *both = &engine->of_two[i];
        if (!hf_engine_recurrence.takes(bra, ket)) continue;
        hf_plan_contraction(bra, ket, &both->plan);
        both->flops = hf_flops_of(bra, ket);
        both->narrow_is_alike[0] = is_alike(engine->of_double, bra, ket);
        both->narrow_is_alike[1] = is_alike(engine->of_single, bra, ket);
    }
}

static hf_status allocate(struct hf_engine *engine, struct hf_error *error)
{
    const struct hf_engine_sizes *size = &engine->size;
    struct hf_arena *arena = &engine->arena;
    HF_TAKE(arena, engine->most_primitive, (size_t)engine->pairs->n_class);
    plan_classes(engine);
    if (arena->failed) return hf_arena_check(arena, error);
    hf_engine_find_sizes(engine);
    make_pair(engine, &engine->fixed);
    make_pair(engine, &engine->other);
    for (int i = 0; i < 2; i++) HF_TAKE_UNSET(arena, engine->buffer[i], size->block);
    HF_TAKE_UNSET(arena, engine->assembled, HF_LANES * size->result);
    HF_TAKE_UNSET(arena, engine->result, HF_MAX_BATCH * size->result);
    create_implementations(engine);
    return hf_arena_check(arena, error);
}

hf_status hf_engine_create(const struct hf_shell_pairs *pairs, struct hf_engine **engine,
                           struct hf_error *error)
{
    const int max_l = pairs->basis->max_l, most = hf_engine_list[HF_N_ENGINE - 1]->max_l;
    if (max_l > most || max_l > HF_MAX_L)
        return hf_fail(
            error, HF_NO_RESOURCE,
            "the basis has shells of angular momentum %d, Libint was built for %d at most", max_l,
            most);
    struct hf_engine *made = HF_NEW(made, pairs->context->memory, "the integral engine");
    if (made == NULL) return hf_arena_check_new(made, error);
    made->pairs = pairs;
    choose_kernels(made);
    const hf_status status = allocate(made, error);
    if (status != HF_OK) {
        hf_engine_destroy(&made);
        return status;
    }
    hf_cartesian_table_init(&made->cartesian);
    for (int l = 0; l <= max_l; l++) hf_solid_harmonics_init(l, &made->harmonics[l]);
    *engine = made;
    return HF_OK;
}

void hf_engine_destroy(struct hf_engine **engine)
{
    struct hf_engine *old = *engine;
    if (old != NULL) {
        for (int k = 0; k < HF_N_ENGINE; k++)
            if (old->scratch[k] != NULL && hf_engine_list[k]->destroy != NULL)
                hf_engine_list[k]->destroy(old->scratch[k]);
    }
    hf_arena_free(engine);
}

void hf_engine_set_threshold(struct hf_engine *engine, double threshold)
{
    engine->threshold = threshold;
}

struct hf_engine_account hf_engine_account(const struct hf_engine *engine)
{
    return engine->account;
}

void hf_engine_forget_pairs(struct hf_engine *engine)
{
    engine->fixed_is = NULL;
}

void hf_engine_fix(struct hf_engine *engine, const struct hf_shell_pair *pair)
{
    if (engine->fixed_is == pair) return; /* usually it is the same as in the batch before */
    hf_engine_expand(engine, pair, &engine->fixed);
    engine->fixed_n_term =
        hf_flops_n_term(&engine->fixed, &engine->pairs->class_of[pair->pair_class]);
    engine->fixed_is = pair;
}

static struct hf_integral_batch two_electron(struct hf_engine *engine,
                                             const struct hf_shell_pair *fixed, int n,
                                             const struct hf_shell_pair *const other[],
                                             bool side_by_side, enum hf_precision precision)
{
    const struct hf_batch_request request = {
        .fixed = fixed,
        .n = n,
        .other = other,
        .fixed_class = &engine->pairs->class_of[fixed->pair_class],
        .other_class = &engine->pairs->class_of[other[0]->pair_class],
        .side_by_side = side_by_side,
        .single = precision == HF_PRECISION_SINGLE,
    };
    hf_engine_fix(engine, fixed);
    const int k = hf_engine_choose(request.fixed_class, request.other_class);
    struct hf_integral_batch batch =
        hf_engine_list[k]->two_electron(engine, engine->scratch[k], &request);
    batch.stride =
        (size_t)request.fixed_class->n_function * (size_t)request.other_class->n_function;
    engine->account.n_quartet += n;
    engine->account.n_integral += (int64_t)batch.stride * n;
    return batch;
}

struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[])
{
    return two_electron(engine, fixed, n, other, false, HF_PRECISION_DOUBLE);
}

struct hf_integral_batch hf_engine_two_electron_lanes(struct hf_engine *engine,
                                                      const struct hf_shell_pair *fixed, int n,
                                                      const struct hf_shell_pair *const other[],
                                                      enum hf_precision precision)
{
    return two_electron(engine, fixed, n, other, true, precision);
}
