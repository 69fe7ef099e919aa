/* Derivatives of shell quartets: batches for the kernels. */
#include "integrals/quartet_gradient.h"

#include "engine_private.h"

#include <math.h>

double hf_shell_momentum(const struct hf_shell *shell)
{
    double largest = 0.0;
    for (int k = 0; k < hf_shell_n_part(shell); k++) {
        const struct hf_shell_part part = hf_shell_get_part(shell, k);
        double norm = 0.0, square = 0.0;
        for (int i = 0; i < shell->n_primitive; i++)
            for (int j = 0; j < shell->n_primitive; j++) {
                const double sum = shell->exponent[i] + shell->exponent[j];
                const double overlap =
                    part.coefficient[i] * part.coefficient[j] * pow(sum, -part.l - 1.5);
                norm += overlap;
                square += overlap * 2.0 * (2 * part.l + 3) * shell->exponent[i] *
                          shell->exponent[j] / sum;
            }
        largest = fmax(largest, sqrt(square / norm));
    }
    return largest;
}

struct hf_gradient_engine {
    struct hf_arena arena;                    /**< has the arrays and this struct */
    struct hf_engine *engine;                 /**< borrowed: tables, kernels, and room for a bra */
    struct hf_contraction_plan *plan;         /**< [n_class][n_class] bra and ket */
    struct hf_flops *flops;                   /**< the same */
    const struct hf_shell_pair *exponents_of; /**< the bra of `exponent`; NULL: none yet */
    double *exponent; /**< [primitives of the largest pair], of the bra's second shell */
    double *scratch;
    double threshold;
    bool difference; /**< hf_gradient_engine_set_difference */
};

/** The largest scratch of two classes [numbers]. */
static size_t most_scratch(const struct hf_shell_pairs *pairs)
{
    const size_t n = (size_t)pairs->n_class;
    size_t most = 1;
    for (size_t i = 0; i < n * n; i++) {
        const size_t scratch =
            hf_gradient_scratch(&pairs->class_of[i / n], &pairs->class_of[i % n]);
        if (scratch > most) most = scratch;
    }
    return most;
}

double hf_gradient_engine_bytes(const struct hf_engine *engine)
{
    const struct hf_gradient_engine *self = NULL;
    const double n = engine->pairs->n_class;
    return (double)sizeof *self + n * n * (double)(sizeof *self->plan + sizeof *self->flops) +
           (double)(engine->size.pair + most_scratch(engine->pairs)) * sizeof(double);
}

static void plan_classes(struct hf_gradient_engine *made)
{
    const struct hf_shell_pairs *pairs = made->engine->pairs;
    const size_t n = (size_t)pairs->n_class;
    for (size_t i = 0; i < n * n; i++) {
        const struct hf_pair_class *bra = &pairs->class_of[i / n], *ket = &pairs->class_of[i % n];
        hf_plan_contraction(bra, ket, &made->plan[i]);
        made->flops[i] = hf_gradient_flops_of(bra, ket);
    }
}

hf_status hf_gradient_engine_create(struct hf_engine *of, struct hf_gradient_engine **engine,
                                    struct hf_error *error)
{
    struct hf_gradient_engine *made;
    const size_t n = (size_t)of->pairs->n_class;
    if (HF_NEW(made, of->pairs->context->memory, "derivatives of integrals") == NULL)
        return hf_arena_check_new(made, error);
    made->engine = of;
    HF_TAKE(&made->arena, made->plan, n * n);
    HF_TAKE(&made->arena, made->flops, n * n);
    HF_TAKE(&made->arena, made->exponent, of->size.pair);
    HF_TAKE(&made->arena, made->scratch, most_scratch(of->pairs));
    const hf_status status = hf_arena_check(&made->arena, error);
    if (status == HF_OK)
        plan_classes(made);
    else
        hf_gradient_engine_destroy(&made);
    *engine = made;
    return status;
}

void hf_gradient_engine_destroy(struct hf_gradient_engine **engine)
{
    hf_arena_free(engine);
}

void hf_gradient_engine_set_threshold(struct hf_gradient_engine *engine, double threshold)
{
    engine->threshold = threshold;
}

void hf_gradient_engine_set_difference(struct hf_gradient_engine *engine)
{
    engine->difference = true;
}

/** Prepares a bra, unless it is prepared; the engine's may be that of its last integrals. */
static void take_bra(struct hf_gradient_engine *self, const struct hf_shell_pair *bra)
{
    struct hf_engine *engine = self->engine;
    const double *exponent = engine->pairs->basis->shell[bra->b].exponent;
    const struct hf_primitive_pair *primitive = hf_pair_primitives(engine->pairs, bra);
    hf_engine_fix(engine, bra);
    if (self->exponents_of == bra) return;
    for (int i = 0; i < bra->n_primitive; i++) self->exponent[i] = exponent[primitive[i].j];
    self->exponents_of = bra;
}

/** Computes one group of quartets, from number `first` of the engine's order on. */
static void compute_group(const struct hf_gradient_engine *self, const struct hf_quartet *quartet,
                          const struct hf_batch_request *request, const struct hf_kernels *kernels,
                          int first, struct hf_gradient_input *input, double (*gradient)[4][3],
                          const struct hf_quartet_density density[])
{
    struct hf_engine *engine = self->engine;
    const int width = kernels->width, left = request->n - first;
    const int n = left < width ? left : width;
    struct hf_pair_group group;
    _Alignas(64) double out[12 * HF_LANES];
    const int n_primitive = hf_engine_gather(engine, request, kernels, first, &group);
    input->ket = &group;
    for (int l = 0; l < width; l++) {
        const int i = engine->order[first + (l < left ? l : left - 1)];
        input->ket_exponent[l] = engine->pairs->basis->shell[request->other[i]->b].exponent;
        input->density[l] = &density[i];
    }
    const int n_done = kernels->gradient(quartet, input, self->scratch, out);
    hf_engine_count_group(engine, &self->flops[quartet->plan - self->plan], &group, n, n_primitive,
                          n_done);
    for (int l = 0; l < n; l++)
        for (int k = 0; k < 12; k++)
            gradient[engine->order[first + l]][k / 3][k % 3] = out[k * width + l];
}

void hf_gradient_engine_compute(struct hf_gradient_engine *self, const struct hf_shell_pair *bra,
                                int n, const struct hf_shell_pair *const ket[], int n_density,
                                const struct hf_quartet_density density[], double (*gradient)[4][3])
{
    struct hf_engine *engine = self->engine;
    const struct hf_shell_pairs *pairs = engine->pairs;
    const struct hf_batch_request request = {.fixed = bra,
                                             .n = n,
                                             .other = ket,
                                             .fixed_class = &pairs->class_of[bra->pair_class],
                                             .other_class = &pairs->class_of[ket[0]->pair_class]};
    const struct hf_quartet quartet = {
        .boys = engine->pairs->boys,
        .cartesian = &engine->cartesian,
        .harmonics = engine->harmonics,
        .pairs = pairs,
        .bra = &engine->fixed,
        .bra_class = request.fixed_class,
        .ket_class = request.other_class,
        .plan = &self->plan[bra->pair_class * pairs->n_class + ket[0]->pair_class],
        .threshold = self->threshold};
    const struct hf_kernel_choice choice = engine->of_double;
    const bool alike = hf_engine_of_two(engine, &request)->narrow_is_alike[0];
    const struct hf_kernels *kernels = choice.wide;
    struct hf_gradient_input input = {
        .bra_exponent = self->exponent, .n_density = n_density, .difference = self->difference};
    take_bra(self, bra);
    engine->account.n_quartet += n;
    engine->account.n_integral +=
        (int64_t)n * request.fixed_class->n_function * request.other_class->n_function;
    hf_engine_sort_by_primitives(n, ket, engine->order);
    for (int first = 0; first < n; first += kernels->width) {
        if (alike && n - first <= choice.narrow->width) kernels = choice.narrow;
        compute_group(self, &quartet, &request, kernels, first, &input, gradient, density);
    }
}
