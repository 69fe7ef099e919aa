/* Two-electron integrals of shell quartets: Libint for high angular momenta, our own vectorised
 * recurrence where contraction makes the primitives the larger part of the work. */
#include "engine_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
    const double one_quartet = 10.0, batch_step = 1.0, batch_group = 4.0;
    const int l_fixed = kind->l_high, l_other = kinds->l_high;
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
    /* (ss|ss) is not in Libint, and (sp| of merged shells is in the wrong order for it. */
    const bool not_in_libint = l_fixed + l_other == 0 || kind->n_part > 1 || kinds->n_part > 1;
    if (by_batch < by_one && (not_in_libint || by_batch < by_libint)) return BY_BATCH_RECURRENCE;
    return not_in_libint || by_one < by_libint ? BY_RECURRENCE : BY_LIBINT;
}

static void take_larger(size_t *largest, size_t value)
{
    if (value > *largest) *largest = value;
}

/** Rows of one side in the steps from levels to functions: the most of any block, and all those
 *  between the horizontal steps. */
static size_t largest_side(const struct hf_pair_class *kind)
{
    size_t side = 1;
    for (int k = 0; k < kind->n_part; k++) {
        const struct hf_pair_part *part = &kind->part[k];
        int between = 0;
        for (int l = 1; l < part->l_b; l++)
            between += hf_n_levels(part->l_a, part->l_a + part->l_b - l) * hf_n_cartesian(l);
        take_larger(&side, (size_t)hf_part_n_level(part));
        take_larger(&side, (size_t)(hf_n_cartesian(part->l_a) * hf_n_cartesian(part->l_b)));
        take_larger(&side, (size_t)between);
    }
    return side;
}

static void find_sizes(struct hf_engine *engine)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    struct engine_sizes *size = &engine->size;
    *size = (struct engine_sizes){1, 1, 1, 1, 1, 1};
    for (int i = 0; i < pairs->n_class; i++) {
        const int n_padded = (engine->most_primitive[i] + HF_LANES - 1) / HF_LANES * HF_LANES;
        take_larger(&size->pair, (size_t)n_padded * (size_t)hf_n_row(&pairs->class_of[i]));
        for (int j = 0; j < pairs->n_class; j++) {
            const struct hf_pair_class *bra = &pairs->class_of[i], *ket = &pairs->class_of[j];
            const bool small =
                bra->l_high <= HF_MAX_RECURRENCE_L && ket->l_high <= HF_MAX_RECURRENCE_L;
            const size_t n_quartet = small ? HF_LANES : 1;
            take_larger(&size->n_primitive,
                        (size_t)engine->most_primitive[i] * (size_t)engine->most_primitive[j]);
            take_larger(&size->block, n_quartet * largest_side(bra) * largest_side(ket));
            take_larger(&size->result, (size_t)bra->n_function * (size_t)ket->n_function);
            if (!small) continue;
            take_larger(&size->scratch, hf_recurrence_scratch(bra, ket));
            take_larger(&size->levels, hf_contracted_levels(bra, ket));
        }
    }
}

/** Most primitives of the pairs of each class, into most_primitive [n_class]. */
static void find_most_primitives(struct hf_engine *engine)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        int *most = &engine->most_primitive[pairs->pair[i].pair_class];
        if (pairs->pair[i].n_primitive > *most) *most = pairs->pair[i].n_primitive;
    }
}

/** Numbers of the engine; NULL: no memory. */
static double *numbers(const struct hf_engine *engine, const char *label, size_t n)
{
    return hf_memory_allocate(engine->pairs->context->memory, label, n, sizeof(double));
}

static bool allocate(struct hf_engine *engine)
{
    const struct engine_sizes *size = &engine->size;
    engine->most_primitive =
        calloc((size_t)engine->pairs->n_class + 1, sizeof *engine->most_primitive);
    if (engine->most_primitive == NULL) return false;
    find_most_primitives(engine);
    find_sizes(engine);
    engine->boys = hf_boys_create(4 * engine->pairs->basis->max_l);
    engine->primitive = hf_memory_allocate(engine->pairs->context->memory, "Libint primitives",
                                           size->n_primitive, sizeof *engine->primitive);
    engine->fixed.row = numbers(engine, "expanded pairs", size->pair);
    engine->other.row = numbers(engine, "expanded pairs", size->pair);
    engine->scratch = numbers(engine, "integral scratch", size->scratch);
    for (int i = 0; i < 3; i++) engine->buffer[i] = numbers(engine, "integral blocks", size->block);
    engine->levels = numbers(engine, "integral blocks", size->levels);
    engine->assembled = numbers(engine, "integral blocks", HF_LANES * size->result);
    engine->result = numbers(engine, "integral batch", HF_MAX_BATCH * size->result);
    return engine->boys != NULL && engine->primitive != NULL && engine->fixed.row != NULL &&
           engine->other.row != NULL && engine->scratch != NULL && engine->buffer[0] != NULL &&
           engine->buffer[1] != NULL && engine->buffer[2] != NULL && engine->levels != NULL &&
           engine->assembled != NULL && engine->result != NULL;
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
        hf_memory_release(memory, old->fixed.row);
        hf_memory_release(memory, old->other.row);
        hf_memory_release(memory, old->scratch);
        for (int i = 0; i < 3; i++) hf_memory_release(memory, old->buffer[i]);
        hf_memory_release(memory, old->levels);
        hf_memory_release(memory, old->assembled);
        free(old->most_primitive);
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

static struct hf_pair_source source_of(const struct hf_engine *engine,
                                       const struct hf_shell_pair *pair)
{
    const struct hf_shell *shell = engine->pairs->basis->shell;
    return (struct hf_pair_source){.primitive = hf_pair_primitives(engine->pairs, pair),
                                   .n_primitive = pair->n_primitive,
                                   .a = &shell[pair->a],
                                   .b = &shell[pair->b]};
}

static void expand(struct hf_engine *engine, const struct hf_shell_pair *pair,
                   struct hf_expanded_pair *to)
{
    const struct hf_pair_source source = source_of(engine, pair);
    engine->kernels->expand_pair(&source, engine->pairs->class_of[pair->pair_class].n_part, to);
}

/** Expands the fixed pair unless it is that of the batch before, as it mostly is. */
static void expand_fixed(struct hf_engine *engine, const struct hf_shell_pair *fixed)
{
    if (engine->fixed_is == fixed) return;
    expand(engine, fixed, &engine->fixed);
    engine->fixed_is = fixed;
}

void hf_engine_forget_pairs(struct hf_engine *engine)
{
    engine->fixed_is = NULL;
}

/** Block [ket][bra] by our own recurrence; NULL when every primitive is negligible. */
static const double *by_recurrence(struct hf_engine *engine, const struct hf_quartet *quartet)
{
    const int n = engine->kernels->recurrence_one(quartet, engine->scratch, engine->levels);
    engine->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    return hf_parts_to_functions(engine, quartet, quartet->ket->ab, 1, engine->levels);
}

/** HF_LANES quartets (fixed | ket[l]) at once: [ket][bra][HF_LANES]. */
static const double *by_batch_recurrence(struct hf_engine *engine, const struct hf_quartet *quartet,
                                         const struct hf_pair_source ket[HF_LANES])
{
    _Alignas(64) double shift[3][HF_LANES];
    for (int d = 0; d < 3; d++)
        for (int l = 0; l < HF_LANES; l++)
            shift[d][l] = ket[l].a->centre_bohr[d] - ket[l].b->centre_bohr[d];
    engine->account.n_primitive_quartet +=
        engine->kernels->recurrence_batch(quartet, ket, engine->scratch);
    return hf_parts_to_functions(engine, quartet, shift[0], HF_LANES, engine->scratch);
}

/** Block [ket][bra] of one part each by Libint; NULL when every primitive is negligible. */
static const double *part_by_libint(struct hf_engine *engine, const struct hf_quartet *quartet,
                                    int bra_part, int ket_part)
{
    Libint_eri_t *primitive = engine->primitive;
    const struct hf_pair_part *bra = &quartet->bra_class->part[bra_part];
    const struct hf_pair_part *ket = &quartet->ket_class->part[ket_part];
    const int n = engine->kernels->fill_primitives(quartet, bra_part, ket_part, primitive);
    engine->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    primitive[0].contrdepth = n;
    libint2_build_eri[bra->l_a][bra->l_b][ket->l_a][ket->l_b](primitive);
    const int n_bra = bra->n_a * bra->n_b;
    const int n_ket = hf_n_cartesian(ket->l_a) * hf_n_cartesian(ket->l_b);
    const double *block = hf_pair_to_spherical(engine, bra, n_ket, primitive[0].targets[0]);
    double *out = hf_other_buffer(engine, block);
    engine->kernels->transpose(n_bra, n_ket, block, out);
    return hf_pair_to_spherical(engine, ket, n_bra, out);
}

/** The same of all parts. */
static const double *by_libint(struct hf_engine *engine, const struct hf_quartet *quartet)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    if (bra->n_part == 1 && ket->n_part == 1) return part_by_libint(engine, quartet, 0, 0);
    for (int b = 0; b < bra->n_part; b++) {
        for (int k = 0; k < ket->n_part; k++) {
            const double *block = part_by_libint(engine, quartet, b, k);
            if (block == NULL) return NULL;
            hf_assemble_parts(bra, ket, &bra->part[b], &ket->part[k], 1, block, engine->assembled);
        }
    }
    return engine->assembled;
}

/** One quartet after the other, the pair of lower angular momentum in front as Libint wants it. */
static void compute_singly(struct hf_engine *engine, struct hf_quartet *quartet, enum method method,
                           const struct hf_shell_pair *fixed, int n,
                           const struct hf_shell_pair *const other[], bool fixed_is_ket)
{
    const struct hf_pair_class *of = engine->pairs->class_of;
    quartet->bra_class = &of[fixed_is_ket ? other[0]->pair_class : fixed->pair_class];
    quartet->ket_class = &of[fixed_is_ket ? fixed->pair_class : other[0]->pair_class];
    const size_t stride =
        (size_t)quartet->bra_class->n_function * (size_t)quartet->ket_class->n_function;
    quartet->bra = fixed_is_ket ? &engine->other : &engine->fixed;
    quartet->ket = fixed_is_ket ? &engine->fixed : &engine->other;
    for (int i = 0; i < n; i++) {
        expand(engine, other[i], &engine->other);
        const double *block =
            method == BY_RECURRENCE ? by_recurrence(engine, quartet) : by_libint(engine, quartet);
        double *result = engine->result + (size_t)i * stride;
        if (block == NULL)
            memset(result, 0, stride * sizeof *result);
        else
            memcpy(result, block, stride * sizeof *result);
    }
}

/** HF_LANES quartets at a time, in the order given; a last group that is not full repeats its last
 *  pair. Results stay side by side, or one quartet after the other. */
static void compute_in_groups(struct hf_engine *engine, struct hf_quartet *quartet,
                              const struct hf_shell_pair *fixed, int n,
                              const struct hf_shell_pair *const other[], const int order[],
                              bool side_by_side)
{
    const struct hf_pair_class *of = engine->pairs->class_of;
    quartet->bra = &engine->fixed;
    quartet->bra_class = &of[fixed->pair_class];
    quartet->ket_class = &of[other[0]->pair_class];
    const size_t stride =
        (size_t)quartet->bra_class->n_function * (size_t)quartet->ket_class->n_function;
    for (int first = 0; first < n; first += HF_LANES) {
        struct hf_pair_source group[HF_LANES];
        double *result[HF_LANES];
        for (int l = 0; l < HF_LANES; l++) {
            const int i = order[first + l < n ? first + l : n - 1];
            group[l] = source_of(engine, other[i]);
            result[l] = engine->result + (size_t)i * stride;
        }
        const double *block = by_batch_recurrence(engine, quartet, group);
        if (side_by_side)
            memcpy(engine->result + (size_t)first * stride, block,
                   stride * HF_LANES * sizeof *block);
        else
            engine->kernels->split_lanes((int)stride, block, result);
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

static struct hf_integral_batch two_electron(struct hf_engine *engine,
                                             const struct hf_shell_pair *fixed, int n,
                                             const struct hf_shell_pair *const other[],
                                             bool side_by_side)
{
    const struct hf_pair_class *kind = &engine->pairs->class_of[fixed->pair_class];
    const struct hf_pair_class *kinds = &engine->pairs->class_of[other[0]->pair_class];
    struct hf_quartet quartet = {
        .boys = engine->boys,
        .cartesian = &engine->cartesian,
        .threshold = engine->threshold,
    };
    expand_fixed(engine, fixed);
    sort_by_primitives(n, other, engine->order);
    const enum method method = choose_method(kind, kinds, fixed, n, other, engine->order);
    struct hf_integral_batch batch = {
        .value = engine->result,
        .stride = (size_t)kind->n_function * (size_t)kinds->n_function,
        .fixed_is_row = method != BY_BATCH_RECURRENCE && kind->l_high > kinds->l_high,
    };
    if (method == BY_BATCH_RECURRENCE) {
        compute_in_groups(engine, &quartet, fixed, n, other, engine->order, side_by_side);
        if (side_by_side) batch.order = engine->order;
    } else {
        compute_singly(engine, &quartet, method, fixed, n, other, batch.fixed_is_row);
    }
    engine->account.n_quartet += n;
    engine->account.n_integral += (int64_t)batch.stride * n;
    return batch;
}

struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[])
{
    return two_electron(engine, fixed, n, other, false);
}

struct hf_integral_batch hf_engine_two_electron_lanes(struct hf_engine *engine,
                                                      const struct hf_shell_pair *fixed, int n,
                                                      const struct hf_shell_pair *const other[])
{
    return two_electron(engine, fixed, n, other, true);
}
