/* Two-electron integrals of shell quartets: Libint for high angular momenta, our own vectorised
 * recurrence where contraction makes the primitives the larger part of the work. */
#include "hf/engine.h"

#include "kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    /** Below this sum of angular momenta per pair the recurrence always wins over Libint. */
    SMALL_PAIR_L = 2,
};

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

static bool recurrence_pays(const struct hf_pair_class *bra, const struct hf_pair_class *ket,
                            int64_t n_primitive)
{
    const int l_bra = bra->l_a + bra->l_b, l_ket = ket->l_a + ket->l_b;
    if (l_bra <= SMALL_PAIR_L && l_ket <= SMALL_PAIR_L) return true;
    return l_bra <= HF_MAX_RECURRENCE_L && l_ket <= HF_MAX_RECURRENCE_L && n_primitive >= 8;
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
    *largest_result = 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const struct hf_pair_class *bra = &pairs->class_of[i], *ket = &pairs->class_of[j];
            size_t count = (size_t)(most[i] * most[j]);
            if (recurrence_pays(bra, ket, (int64_t)count))
                count = recurrence_pays(bra, ket, 1) ? 1 : 7; /* fewer go to Libint */
            if (count > engine->n_primitive) engine->n_primitive = count;
            const size_t result = (size_t)bra->n_function * (size_t)ket->n_function;
            if (result > *largest_result) *largest_result = result;
            const size_t block = (size_t)bra->n_cartesian * (size_t)ket->n_cartesian;
            if (block > engine->block) engine->block = block;
        }
    }
    const size_t levels = (size_t)HF_MAX_LEVELS * HF_MAX_LEVELS;
    if (engine->block < levels) engine->block = levels;
    engine->block = (2 * engine->block + HF_LANES) / HF_LANES * HF_LANES;
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

static const double *pair_horizontal(struct hf_engine *engine, const struct hf_pair_class *kind,
                                     const struct hf_shell_pair *pair, int right, const double *in)
{
    if (kind->l_b == 0) return in;
    double *out = other_buffer(engine, in);
    engine->kernels->horizontal_recurrence(&engine->cartesian, kind->l_a, kind->l_b, pair->ab,
                                           right, in, engine->buffer[2], out);
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
    const int n = kernels->vertical_recurrence(quartet, bra->l_a, ket->l_a, engine->scratch,
                                               engine->buffer[0]);
    engine->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    const int right = levels_of(ket);
    const double *block = pair_horizontal(engine, bra, quartet->bra, right, engine->buffer[0]);
    block = pair_to_spherical(engine, bra, right, block);
    if (bra->n_function > 1 && right > 1) {
        double *out = other_buffer(engine, block);
        kernels->transpose(bra->n_function, right, block, out);
        block = out;
    }
    block = pair_horizontal(engine, ket, quartet->ket, bra->n_function, block);
    return pair_to_spherical(engine, ket, bra->n_function, block);
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

struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[])
{
    const struct hf_pair_class *of = engine->pairs->class_of;
    const struct hf_pair_class *kind = &of[fixed->pair_class], *kinds = &of[other[0]->pair_class];
    /* Libint wants the pair of lower angular momentum in front; rows are those of the other pair.
     */
    const bool fixed_is_ket = kind->l_a + kind->l_b > kinds->l_a + kinds->l_b;
    const struct hf_pair_class *bra = fixed_is_ket ? kinds : kind,
                               *ket = fixed_is_ket ? kind : kinds;
    const size_t stride = (size_t)bra->n_function * (size_t)ket->n_function;
    struct hf_quartet quartet = {
        .boys = engine->boys,
        .cartesian = &engine->cartesian,
        .l_bra = bra->l_a + bra->l_b,
        .l_ket = ket->l_a + ket->l_b,
        .threshold = engine->threshold,
    };
    for (int i = 0; i < n; i++) {
        quartet.bra = fixed_is_ket ? other[i] : fixed;
        quartet.ket = fixed_is_ket ? fixed : other[i];
        const int64_t n_primitive = (int64_t)fixed->n_primitive * other[i]->n_primitive;
        const double *block = recurrence_pays(bra, ket, n_primitive)
                                  ? by_recurrence(engine, &quartet, bra, ket)
                                  : by_libint(engine, &quartet, bra, ket);
        double *result = engine->result + (size_t)i * stride;
        if (block == NULL)
            memset(result, 0, stride * sizeof *result);
        else
            memcpy(result, block, stride * sizeof *result);
    }
    engine->account.n_quartet += n;
    engine->account.n_integral += (int64_t)stride * n;
    return (struct hf_integral_batch){
        .value = engine->result, .stride = stride, .fixed_is_row = fixed_is_ket};
}
