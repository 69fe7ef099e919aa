/* Two-electron integrals of shell quartets: Libint for high angular momenta, our own vectorised
 * recurrence where contraction makes the primitives the larger part of the work. */
#include "hf/engine.h"

#include "kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hf_engine {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_kernels *kernels;
    struct hf_boys *boys;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    double threshold;
    Libint_eri_t *primitive; /**< [n_primitive]; the first holds Libint's work space */
    size_t n_primitive;
    bool libint_ready;
    double *scratch;   /**< of the recurrence */
    double *buffer[3]; /**< blocks between the steps, each `block` long */
    size_t block;
    double *result; /**< [HF_MAX_BATCH][largest quartet] */
    struct hf_engine_account account;
};

const struct hf_kernels *hf_kernels_best(void)
{
#ifdef HF_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &hf_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &hf_kernels_avx2;
#endif
    return &hf_kernels_portable;
}

/** Libint fills its tables of functions once per process. */
static void start_libint(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, libint2_static_init);
}

/** Ways to compute a batch of quartets. */
enum method {
    BY_LIBINT,           /**< primitive by primitive; any angular momentum */
    BY_RECURRENCE,       /**< vectorised over the primitives of one quartet */
    BY_BATCH_RECURRENCE, /**< vectorised over quartets */
};

/** Work of the methods on a batch, in units of one vector step of the recurrence. The factors were
 *  measured with tools/bench-integrals; results do not depend on the choice. */
static enum method choose_method(const struct hf_pair_class *kind,
                                 const struct hf_pair_class *kinds,
                                 const struct hf_shell_pair *fixed, int n,
                                 const struct hf_shell_pair *const other[], const int order[])
{
    const double libint_primitive = 0.35, libint_quartet = 3.0;
    const double one_quartet = 3.0, batch_step = 1.2, batch_group = 4.0;
    const int l_fixed = kind->l_a + kind->l_b, l_other = kinds->l_a + kinds->l_b;
    if (l_fixed > HF_MAX_RECURRENCE_L || l_other > HF_MAX_RECURRENCE_L) return BY_LIBINT;
    int64_t n_primitive = 0, n_one = 0, n_batch = 0;
    for (int i = 0; i < n; i++) {
        const int n_this = other[order[i]]->n_primitive;
        const int n_bra = l_fixed > l_other ? n_this : fixed->n_primitive;
        const int n_ket = l_fixed > l_other ? fixed->n_primitive : n_this;
        n_primitive += (int64_t)n_bra * n_ket;
        n_one += (int64_t)n_bra * ((n_ket + HF_LANES - 1) / HF_LANES);
        if (i % HF_LANES == 0) n_batch += (int64_t)fixed->n_primitive * n_this;
    }
    const int n_group = (n + HF_LANES - 1) / HF_LANES;
    const double by_libint = libint_primitive * (double)n_primitive + libint_quartet * n;
    const double by_one = (double)n_one + one_quartet * n;
    const double by_batch = batch_step * (double)n_batch + batch_group * n_group;
    const bool not_in_libint = l_fixed + l_other == 0;
    if (by_batch < by_one && (not_in_libint || by_batch < by_libint)) return BY_BATCH_RECURRENCE;
    return not_in_libint || by_one < by_libint ? BY_RECURRENCE : BY_LIBINT;
}

/** Largest number of primitive quartets Libint can be given, largest block, largest result. */
static void find_sizes(struct hf_engine *engine, size_t *largest_result)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    const int n = pairs->n_class;
    int64_t most[4 * (HF_MAX_L + 1) * (HF_MAX_L + 1)] = {0};
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        if (pair->n_primitive > most[pair->pair_class]) most[pair->pair_class] = pair->n_primitive;
    }
    engine->n_primitive = 1;
    engine->block = (size_t)HF_MAX_LEVELS * HF_MAX_LEVELS * HF_LANES;
    *largest_result = 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const struct hf_pair_class *bra = &pairs->class_of[i], *ket = &pairs->class_of[j];
            const size_t count = (size_t)(most[i] * most[j]);
            if (count > engine->n_primitive) engine->n_primitive = count;
            const size_t result = (size_t)bra->n_function * (size_t)ket->n_function;
            if (result > *largest_result) *largest_result = result;
            const bool small = bra->l_a + bra->l_b <= HF_MAX_RECURRENCE_L &&
                               ket->l_a + ket->l_b <= HF_MAX_RECURRENCE_L;
            const size_t block =
                (size_t)bra->n_cartesian * (size_t)ket->n_cartesian * (small ? HF_LANES : 1);
            if (block > engine->block) engine->block = block;
        }
    }
    /* The first horizontal step of a d shell makes intermediates larger than the block. */
    engine->block *= 2;
}

static bool allocate(struct hf_engine *engine)
{
    struct hf_memory *memory = engine->pairs->context->memory;
    size_t largest_result;
    find_sizes(engine, &largest_result);
    engine->boys = hf_boys_create();
    engine->primitive = hf_memory_allocate(memory, "Libint primitives", engine->n_primitive,
                                           sizeof *engine->primitive);
    engine->scratch = hf_memory_allocate(memory, "integral scratch",
                                         (size_t)HF_RECURRENCE_SCRATCH * HF_LANES, sizeof(double));
    for (int i = 0; i < 3; i++)
        engine->buffer[i] =
            hf_memory_allocate(memory, "integral blocks", engine->block, sizeof(double));
    engine->result =
        hf_memory_allocate(memory, "integral batch", HF_MAX_BATCH * largest_result, sizeof(double));
    return engine->boys != NULL && engine->primitive != NULL && engine->scratch != NULL &&
           engine->buffer[0] != NULL && engine->buffer[1] != NULL && engine->buffer[2] != NULL &&
           engine->result != NULL;
}

hf_status hf_engine_create(const struct hf_shell_pairs *pairs, struct hf_engine **engine,
                           struct hf_error *error)
{
    const int max_l = pairs->basis->max_l;
    if (max_l > LIBINT2_MAX_AM_eri || max_l > HF_MAX_L)
        return hf_fail(
            error, HF_NO_RESOURCE,
            "the basis has shells of angular momentum %d, Libint was built for %d at most", max_l,
            LIBINT2_MAX_AM_eri);
    start_libint();
    struct hf_engine *made = calloc(1, sizeof *made);
    if (made == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the integral engine");
    made->pairs = pairs;
    made->kernels = hf_kernels_best();
    if (!allocate(made)) {
        hf_engine_destroy(&made);
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the integral engine");
    }
    libint2_init_eri(made->primitive, max_l, NULL);
    made->libint_ready = true;
    hf_cartesian_table_init(&made->cartesian);
    for (int l = 0; l <= max_l; l++) hf_solid_harmonics_init(l, &made->harmonics[l]);
    *engine = made;
    return HF_OK;
}

void hf_engine_destroy(struct hf_engine **engine)
{
    struct hf_engine *old = *engine;
    if (old != NULL) {
        struct hf_memory *memory = old->pairs->context->memory;
        if (old->libint_ready) libint2_cleanup_eri(old->primitive);
        hf_memory_release(memory, old->primitive);
        hf_memory_release(memory, old->scratch);
        for (int i = 0; i < 3; i++) hf_memory_release(memory, old->buffer[i]);
        hf_memory_release(memory, old->result);
        hf_boys_destroy(&old->boys);
        free(old);
    }
    *engine = NULL;
}

void hf_engine_set_threshold(struct hf_engine *engine, double threshold)
{
    engine->threshold = threshold;
}

struct hf_engine_account hf_engine_account(const struct hf_engine *engine)
{
    return engine->account;
}

/** The buffer a step may write to: not the one it reads. */
static double *other_buffer(const struct hf_engine *engine, const double *in)
{
    return in == engine->buffer[0] ? engine->buffer[1] : engine->buffer[0];
}

/** Makes the two shells of a pair spherical in a block [a][b][right]; where the block is then. */
static const double *pair_to_spherical(struct hf_engine *engine, const struct hf_pair_class *kind,
                                       int right, const double *in)
{
    int n_a = hf_n_cartesian(kind->l_a);
    const int n_b = hf_n_cartesian(kind->l_b);
    if (kind->spherical_a) {
        double *out = other_buffer(engine, in);
        engine->kernels->to_spherical(&engine->harmonics[kind->l_a], kind->l_a, n_b * right, in,
                                      out);
        in = out;
        n_a = 2 * kind->l_a + 1;
    }
    if (kind->spherical_b) {
        double *out = other_buffer(engine, in);
        const size_t from = (size_t)n_b * right, to = (size_t)(2 * kind->l_b + 1) * right;
        for (int a = 0; a < n_a; a++)
            engine->kernels->to_spherical(&engine->harmonics[kind->l_b], kind->l_b, right,
                                          in + (size_t)a * from, out + (size_t)a * to);
        in = out;
    }
    return in;
}

/** Horizontal recurrence of one pair, rows of `right`; `shift` is A - B, or one per lane. */
static const double *pair_horizontal(struct hf_engine *engine, const struct hf_pair_class *kind,
                                     const double *shift, bool shift_per_lane, int right,
                                     const double *in)
{
    if (kind->l_b == 0) return in;
    const struct hf_horizontal step = {
        .cartesian = &engine->cartesian,
        .l_a = kind->l_a,
        .l_b = kind->l_b,
        .right = right,
        .shift_per_lane = shift_per_lane,
        .shift = shift,
    };
    double *out = other_buffer(engine, in);
    engine->kernels->horizontal_recurrence(&step, in, engine->buffer[2], out);
    return out;
}

static int levels_of(const struct hf_pair_class *kind)
{
    int n = 0;
    for (int l = kind->l_a; l <= kind->l_a + kind->l_b; l++) n += hf_n_cartesian(l);
    return n;
}

/** Block [ket][bra] by our own recurrence; NULL when every primitive is negligible. */
static const double *by_recurrence(struct hf_engine *engine, const struct hf_quartet *quartet,
                                   const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    const struct hf_kernels *kernels = engine->kernels;
    const int n =
        kernels->recurrence_one(quartet, bra->l_a, ket->l_a, engine->scratch, engine->buffer[0]);
    engine->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    const int right = levels_of(ket);
    const double *block =
        pair_horizontal(engine, bra, quartet->bra->ab, false, right, engine->buffer[0]);
    block = pair_to_spherical(engine, bra, right, block);
    if (bra->n_function > 1 && right > 1) {
        double *out = other_buffer(engine, block);
        kernels->transpose(bra->n_function, right, block, out);
        block = out;
    }
    block = pair_horizontal(engine, ket, quartet->ket->ab, false, bra->n_function, block);
    return pair_to_spherical(engine, ket, bra->n_function, block);
}

/** HF_LANES quartets (fixed | ket[l]) at once, into result[l], each [ket][bra]. */
static void by_batch_recurrence(struct hf_engine *engine, const struct hf_quartet *quartet,
                                const struct hf_shell_pair *const ket_pair[HF_LANES],
                                const struct hf_pair_class *bra, const struct hf_pair_class *ket,
                                double *const result[HF_LANES])
{
    const struct hf_kernels *kernels = engine->kernels;
    _Alignas(64) double shift[3][HF_LANES];
    for (int d = 0; d < 3; d++)
        for (int l = 0; l < HF_LANES; l++) shift[d][l] = ket_pair[l]->ab[d];
    engine->account.n_primitive_quartet +=
        kernels->recurrence_batch(quartet, ket_pair, bra->l_a, ket->l_a, engine->scratch);
    int right = levels_of(ket);
    const double *block =
        pair_horizontal(engine, bra, quartet->bra->ab, false, right * HF_LANES, engine->scratch);
    block = pair_to_spherical(engine, bra, right * HF_LANES, block);
    if (bra->n_function > 1 && right > 1) {
        double *out = other_buffer(engine, block);
        kernels->transpose_lanes(bra->n_function, right, block, out);
        block = out;
    }
    right = bra->n_function * HF_LANES;
    block = pair_horizontal(engine, ket, shift[0], true, right, block);
    block = pair_to_spherical(engine, ket, right, block);
    kernels->split_lanes(bra->n_function * ket->n_function, block, result);
}

/** The same with Libint. */
static const double *by_libint(struct hf_engine *engine, const struct hf_quartet *quartet,
                               const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    Libint_eri_t *primitive = engine->primitive;
    const int n = engine->kernels->fill_primitives(quartet, primitive);
    engine->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    primitive[0].contrdepth = n;
    libint2_build_eri[bra->l_a][bra->l_b][ket->l_a][ket->l_b](primitive);
    const double *block = pair_to_spherical(engine, bra, ket->n_cartesian, primitive[0].targets[0]);
    double *out = other_buffer(engine, block);
    engine->kernels->transpose(bra->n_function, ket->n_cartesian, block, out);
    return pair_to_spherical(engine, ket, bra->n_function, out);
}

/** One quartet after the other, the pair of lower angular momentum in front as Libint wants it. */
static void compute_singly(struct hf_engine *engine, struct hf_quartet *quartet, enum method method,
                           const struct hf_shell_pair *fixed, int n,
                           const struct hf_shell_pair *const other[], bool fixed_is_ket)
{
    const struct hf_pair_class *of = engine->pairs->class_of;
    const struct hf_pair_class *bra = &of[fixed_is_ket ? other[0]->pair_class : fixed->pair_class];
    const struct hf_pair_class *ket = &of[fixed_is_ket ? fixed->pair_class : other[0]->pair_class];
    const size_t stride = (size_t)bra->n_function * (size_t)ket->n_function;
    quartet->l_bra = bra->l_a + bra->l_b;
    quartet->l_ket = ket->l_a + ket->l_b;
    for (int i = 0; i < n; i++) {
        quartet->bra = fixed_is_ket ? other[i] : fixed;
        quartet->ket = fixed_is_ket ? fixed : other[i];
        const double *block = method == BY_RECURRENCE ? by_recurrence(engine, quartet, bra, ket)
                                                      : by_libint(engine, quartet, bra, ket);
        double *result = engine->result + (size_t)i * stride;
        if (block == NULL)
            memset(result, 0, stride * sizeof *result);
        else
            memcpy(result, block, stride * sizeof *result);
    }
}

/** HF_LANES quartets at a time, in the order given; a last group that is not full repeats its last
 *  pair. */
static void compute_in_groups(struct hf_engine *engine, struct hf_quartet *quartet,
                              const struct hf_shell_pair *fixed, int n,
                              const struct hf_shell_pair *const other[], const int order[])
{
    const struct hf_pair_class *of = engine->pairs->class_of;
    const struct hf_pair_class *bra = &of[fixed->pair_class], *ket = &of[other[0]->pair_class];
    const size_t stride = (size_t)bra->n_function * (size_t)ket->n_function;
    quartet->bra = fixed;
    quartet->l_bra = bra->l_a + bra->l_b;
    quartet->l_ket = ket->l_a + ket->l_b;
    for (int first = 0; first < n; first += HF_LANES) {
        const struct hf_shell_pair *group[HF_LANES];
        double *result[HF_LANES];
        for (int l = 0; l < HF_LANES; l++) {
            const int i = order[first + l < n ? first + l : n - 1];
            group[l] = other[i];
            result[l] = engine->result + (size_t)i * stride;
        }
        by_batch_recurrence(engine, quartet, group, bra, ket, result);
    }
}

/** Positions of the pairs by falling number of primitives, so that groups of neighbours waste few
 *  lanes. */
static void sort_by_primitives(int n, const struct hf_shell_pair *const other[], int order[])
{
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && other[order[k - 1]]->n_primitive < other[i]->n_primitive; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[])
{
    const struct hf_pair_class *kind = &engine->pairs->class_of[fixed->pair_class];
    const struct hf_pair_class *kinds = &engine->pairs->class_of[other[0]->pair_class];
    struct hf_quartet quartet = {
        .boys = engine->boys,
        .cartesian = &engine->cartesian,
        .threshold = engine->threshold,
    };
    int order[HF_MAX_BATCH];
    sort_by_primitives(n, other, order);
    const enum method method = choose_method(kind, kinds, fixed, n, other, order);
    struct hf_integral_batch batch = {
        .value = engine->result,
        .stride = (size_t)kind->n_function * (size_t)kinds->n_function,
        .fixed_is_row =
            method != BY_BATCH_RECURRENCE && kind->l_a + kind->l_b > kinds->l_a + kinds->l_b,
    };
    if (method == BY_BATCH_RECURRENCE)
        compute_in_groups(engine, &quartet, fixed, n, other, order);
    else
        compute_singly(engine, &quartet, method, fixed, n, other, batch.fixed_is_row);
    engine->account.n_quartet += n;
    engine->account.n_integral += (int64_t)batch.stride * n;
    return batch;
}
