/* Two-electron integrals by Libint's generated code, one quartet after the other: for angular
 * momenta beyond our own recurrence. */
#include "engine_private.h"

#include <pthread.h>
#include <string.h>

static bool takes(const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    (void)bra;
    (void)ket;
    return true; /* all remaining classes; (ss|ss), which Libint lacks, is not among them */
}

/** Libint's input: one record per primitive quartet; the first one holds its work space. */
static size_t scratch_bytes(const struct hf_engine *self)
{
    const struct hf_shell_pairs *pairs = self->pairs;
    size_t most = 0;
    for (int i = 0; i < pairs->n_class; i++) {
        for (int j = 0; j < pairs->n_class; j++) {
            if (hf_engine_list[hf_engine_choose(&pairs->class_of[i], &pairs->class_of[j])] !=
                &hf_engine_libint)
                continue;
            const size_t n = (size_t)self->most_primitive[i] * (size_t)self->most_primitive[j];
            if (n > most) most = n;
        }
    }
    return most * sizeof(Libint_eri_t);
}

static void create(const struct hf_engine *self, void *scratch)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, libint2_static_init); /* fills Libint's tables of functions */
    libint2_init_eri(scratch, self->pairs->basis->max_l, NULL);
}

static void destroy(void *scratch)
{
    libint2_cleanup_eri(scratch);
}

/** The buffer a step may write to: not the one it reads. */
static double *other_buffer(const struct hf_engine *engine, const double *in)
{
    return in == engine->buffer[0] ? engine->buffer[1] : engine->buffer[0];
}

/** Makes the two shells of a pair spherical in a block [a][b][right]; returns the new block. */
static const double *pair_to_spherical(struct hf_engine *engine, const struct hf_kernels *kernels,
                                       const struct hf_pair_part *part, int right, const double *in)
{
    const int n_b = hf_n_cartesian(part->l_b);
    if (part->spherical_a) {
        double *out = other_buffer(engine, in);
        kernels->to_spherical(&engine->harmonics[part->l_a], part->l_a, n_b * right, in, out);
        in = out;
    }
    if (part->spherical_b) {
        double *out = other_buffer(engine, in);
        const size_t from = (size_t)n_b * right, to = (size_t)part->n_b * right;
        for (int a = 0; a < part->n_a; a++)
            kernels->to_spherical(&engine->harmonics[part->l_b], part->l_b, right,
                                  in + (size_t)a * from, out + (size_t)a * to);
        in = out;
    }
    return in;
}

/** Computes block [ket][bra] of one part each; NULL if every primitive is negligible. */
static const double *compute_part(struct hf_engine *self, Libint_eri_t *primitive,
                                  const struct hf_quartet *quartet, int bra_part, int ket_part)
{
    const struct hf_kernels *kernels = self->of_double.wide;
    const struct hf_pair_part *bra = &quartet->bra_class->part[bra_part];
    const struct hf_pair_part *ket = &quartet->ket_class->part[ket_part];
    const int n = kernels->fill_primitives(quartet, bra_part, ket_part, primitive);
    self->account.n_primitive_quartet += n;
    if (n == 0) return NULL;
    primitive[0].contrdepth = n;
    libint2_build_eri[bra->l_a][bra->l_b][ket->l_a][ket->l_b](primitive);
    const int n_bra = bra->n_a * bra->n_b;
    const int n_ket = hf_n_cartesian(ket->l_a) * hf_n_cartesian(ket->l_b);
    const double *block = pair_to_spherical(self, kernels, bra, n_ket, primitive[0].targets[0]);
    double *out = other_buffer(self, block);
    kernels->transpose(n_bra, n_ket, block, out);
    return pair_to_spherical(self, kernels, ket, n_bra, out);
}

/** Puts the block of two parts, [ket][bra], into the block of their classes. */
static void assemble_parts(const struct hf_quartet *quartet, const struct hf_pair_part *bra,
                           const struct hf_pair_part *ket, const double *block, double *to)
{
    const struct hf_pair_class *bra_class = quartet->bra_class, *ket_class = quartet->ket_class;
    for (int c = 0; c < ket->n_a; c++) {
        for (int d = 0; d < ket->n_b; d++) {
            const int row = (ket->first_a + c) * ket_class->n_b + ket->first_b + d;
            for (int a = 0; a < bra->n_a; a++, block += bra->n_b) {
                const int column = (bra->first_a + a) * bra_class->n_b + bra->first_b;
                memcpy(to + (size_t)row * (size_t)bra_class->n_function + column, block,
                       (size_t)bra->n_b * sizeof *block);
            }
        }
    }
}

/** Computes the block of all parts. */
static const double *compute_quartet(struct hf_engine *self, Libint_eri_t *primitive,
                                     const struct hf_quartet *quartet)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    if (bra->n_part == 1 && ket->n_part == 1) return compute_part(self, primitive, quartet, 0, 0);
    for (int b = 0; b < bra->n_part; b++) {
        for (int k = 0; k < ket->n_part; k++) {
            const double *block = compute_part(self, primitive, quartet, b, k);
            if (block == NULL) return NULL;
            assemble_parts(quartet, &bra->part[b], &ket->part[k], block, self->assembled);
        }
    }
    return self->assembled;
}

/** Libint needs the pair of lower angular momentum first. */
static struct hf_integral_batch two_electron(struct hf_engine *self, void *scratch,
                                             const struct hf_batch_request *request)
{
    const struct hf_pair_class *fixed = request->fixed_class, *other = request->other_class;
    const bool fixed_is_ket = fixed->l_high > other->l_high;
    const struct hf_quartet quartet = {.boys = self->pairs->boys,
                                       .cartesian = &self->cartesian,
                                       .bra = fixed_is_ket ? &self->other : &self->fixed,
                                       .ket = fixed_is_ket ? &self->fixed : &self->other,
                                       .bra_class = fixed_is_ket ? other : fixed,
                                       .ket_class = fixed_is_ket ? fixed : other,
                                       .threshold = self->threshold};
    const size_t stride = (size_t)fixed->n_function * (size_t)other->n_function;
    for (int i = 0; i < request->n; i++) {
        hf_engine_expand(self, request->other[i], &self->other);
        const double *block = compute_quartet(self, scratch, &quartet);
        double *result = self->result + (size_t)i * stride;
        if (block == NULL)
            memset(result, 0, stride * sizeof *result);
        else
            memcpy(result, block, stride * sizeof *result);
    }
    return (struct hf_integral_batch){
        .value = self->result, .fixed_is_row = fixed_is_ket, .width = 1, .n_wide = request->n};
}

const struct hf_engine_ops hf_engine_libint = {
    .name = "libint",
    .about = "generated code for every class of quartets, one quartet after the other",
    .cite = "Libint, https://libint.valeyev.net",
    .max_l = LIBINT2_MAX_AM_eri,
    .takes = takes,
    .scratch_bytes = scratch_bytes,
    .create = create,
    .two_electron = two_electron,
    .destroy = destroy,
};
