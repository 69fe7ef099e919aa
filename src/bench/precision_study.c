/* Errors of integrals computed in single precision: every quartet of random shells twice. */
#include "precision_study.h"

#include "hf/engine.h"
#include "hf/shell_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The two engines; what one makes lasts while the other works. */
struct study {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_engine *exact, *rounded;
    struct hf_precision_study *to;
};

/** Kets of one class beside one bra. */
struct kets {
    int n;
    const struct hf_shell_pair *pair[HF_MAX_BATCH];
};

/** Number x of the quartet in place `at` of the engine's order. */
static double number_of(const struct hf_integral_batch *batch, int at, size_t x)
{
    const size_t i = hf_batch_index(batch, at, x);
    return batch->single != NULL ? (double)batch->single[i] : batch->value[i];
}

/** Place of an error in hf_precision_errors.n_of_size. */
static int size_place(double error)
{
    int place = 0;
    while (place < HF_STUDY_N_SIZE - 1 && !(error <= ldexp(1.0, HF_STUDY_LEAST_SIZE + place)))
        place++;
    return place;
}

static void count(struct hf_precision_errors *errors, double error, double of_bound)
{
    errors->n += 1.0;
    errors->largest = fmax(errors->largest, error);
    errors->sum += error;
    errors->sum_of_squares += error * error;
    errors->largest_of_bounds = fmax(errors->largest_of_bounds, of_bound);
    errors->n_of_size[size_place(error)] += 1.0;
}

static int class_of(const struct study *self, const struct hf_shell_pair *pair)
{
    const struct hf_pair_part *part = &self->pairs->class_of[pair->pair_class].part[0];
    return hf_study_pair(part->l_a, part->l_b);
}

/** Counts a quartet where it belongs. */
static void count_quartet(const struct study *self, const struct hf_shell_pair *bra,
                          const struct hf_shell_pair *ket, double error)
{
    struct hf_precision_study *to = self->to;
    const int one = class_of(self, bra), other = class_of(self, ket);
    const double size = error / (HF_SINGLE_ERROR * bra->rounding * ket->rounding);
    const double of_bound = error / (HF_SINGLE_ERROR * bra->bound * ket->bound);
    int length = 0;
    for (int64_t n = (int64_t)bra->n_primitive * ket->n_primitive; n > 1; n /= 2) length++;
    count(&to->of_class[one > other ? one : other][one > other ? other : one], size, of_bound);
    count(&to->of_length[length < HF_STUDY_N_LENGTH ? length : HF_STUDY_N_LENGTH - 1], size,
          of_bound);
}

/** Computes the quartets of one bra with kets of one class in both precisions. */
static void compare(const struct study *self, const struct hf_shell_pair *bra,
                    const struct kets *kets)
{
    const struct hf_integral_batch exact =
        hf_engine_two_electron_lanes(self->exact, bra, kets->n, kets->pair, HF_PRECISION_DOUBLE);
    const struct hf_integral_batch rounded =
        hf_engine_two_electron_lanes(self->rounded, bra, kets->n, kets->pair, HF_PRECISION_SINGLE);
    int place[HF_MAX_BATCH]; /* in the order of the other engine */
    for (int at = 0; at < kets->n; at++) place[rounded.order[at]] = at;
    for (int at = 0; at < kets->n; at++) {
        const int i = exact.order[at];
        const struct hf_shell_pair *ket = kets->pair[i];
        double error = 0.0;
        for (size_t x = 0; x < exact.stride; x++) {
            const double difference =
                fabs(number_of(&exact, at, x) - number_of(&rounded, place[i], x));
            error = isfinite(difference) ? fmax(error, difference) : INFINITY;
        }
        count_quartet(self, bra, ket, error);
    }
}

/** Every quartet with a bra of this rank that is not negligible. */
static hf_status compare_all(const struct study *self, const struct hf_context *context,
                             struct hf_error *error)
{
    const double least = 1e-14;
    const struct hf_shell_pairs *pairs = self->pairs;
    struct kets *kets = calloc((size_t)pairs->n_class + 1, sizeof *kets);
    if (kets == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for quartets");
    for (int64_t i = context->rank; i < pairs->n_pair; i += context->n_rank) {
        const struct hf_shell_pair *bra = &pairs->pair[i];
        for (int64_t k = 0; k <= i; k++) {
            const struct hf_shell_pair *ket = &pairs->pair[k];
            struct kets *of_class = &kets[ket->pair_class];
            if (bra->bound * ket->bound < least) continue;
            if (isinf(bra->rounding * ket->rounding)) {
                self->to->n_refused += 1.0;
                continue;
            }
            of_class->pair[of_class->n++] = ket;
            if (of_class->n < HF_MAX_BATCH) continue;
            compare(self, bra, of_class);
            of_class->n = 0;
        }
        for (int c = 0; c < pairs->n_class; c++) {
            if (kets[c].n > 0) compare(self, bra, &kets[c]);
            kets[c].n = 0;
        }
    }
    free(kets);
    return HF_OK;
}

/** One set of shells. Collective. */
static hf_status add_sample(struct hf_context *context, const struct hf_basis *basis,
                            struct hf_precision_study *to, struct hf_error *error)
{
    hf_status status;
    struct hf_shell_pairs *pairs = NULL;
    struct study study = {.to = to};
    HF_TRY(hf_shell_pairs_create(context, basis, 1e-14, &pairs, error));
    study.pairs = pairs;
    status = hf_engine_create(pairs, &study.exact, error);
    if (status == HF_OK) status = hf_engine_create(pairs, &study.rounded, error);
    if (status == HF_OK) status = compare_all(&study, context, error);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    hf_engine_destroy(&study.exact);
    hf_engine_destroy(&study.rounded);
    hf_shell_pairs_destroy(&pairs);
    return status;
}

void hf_precision_errors_join(const struct hf_precision_errors *from,
                              struct hf_precision_errors *to)
{
    to->n += from->n;
    to->sum += from->sum;
    to->sum_of_squares += from->sum_of_squares;
    to->largest = fmax(to->largest, from->largest);
    to->largest_of_bounds = fmax(to->largest_of_bounds, from->largest_of_bounds);
    for (int i = 0; i < HF_STUDY_N_SIZE; i++) to->n_of_size[i] += from->n_of_size[i];
}

void hf_precision_study_join(const struct hf_precision_study *from, struct hf_precision_study *to)
{
    for (int i = 0; i < HF_STUDY_N_PAIR * HF_STUDY_N_PAIR; i++)
        hf_precision_errors_join(&from->of_class[0][0] + i, &to->of_class[0][0] + i);
    for (int i = 0; i < HF_STUDY_N_LENGTH; i++)
        hf_precision_errors_join(&from->of_length[i], &to->of_length[i]);
    to->n_refused += from->n_refused;
}

struct hf_precision_errors hf_precision_study_sum(const struct hf_precision_study *study)
{
    struct hf_precision_errors sum = {0};
    for (int i = 0; i < HF_STUDY_N_LENGTH; i++)
        hf_precision_errors_join(&study->of_length[i], &sum);
    return sum;
}

/** What all ranks found, on every rank. Collective. */
static void sum_over_ranks(struct hf_context *context, struct hf_precision_errors *errors)
{
    double sum[3 + HF_STUDY_N_SIZE] = {errors->n, errors->sum, errors->sum_of_squares};
    double largest[2] = {errors->largest, errors->largest_of_bounds};
    memcpy(sum + 3, errors->n_of_size, sizeof errors->n_of_size);
    MPI_Allreduce(MPI_IN_PLACE, sum, 3 + HF_STUDY_N_SIZE, MPI_DOUBLE, MPI_SUM, context->comm);
    MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, context->comm);
    *errors = (struct hf_precision_errors){.n = sum[0],
                                           .sum = sum[1],
                                           .sum_of_squares = sum[2],
                                           .largest = largest[0],
                                           .largest_of_bounds = largest[1]};
    memcpy(errors->n_of_size, sum + 3, sizeof errors->n_of_size);
}

hf_status hf_precision_study_add(struct hf_context *context,
                                 const struct hf_shell_situation *situation, int highest,
                                 int n_sample, struct hf_precision_study *study,
                                 struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_precision_study own = {0};
    uint64_t state = 2026;
    for (int i = 0; i < n_sample && status == HF_OK; i++) {
        struct hf_basis *basis = NULL;
        status = hf_random_shells(situation, highest, &state, &basis, error);
        status = hf_agree(context->comm, status, error);
        if (status == HF_OK) status = add_sample(context, basis, &own, error);
        hf_basis_destroy(&basis);
    }
    if (status != HF_OK) return status;
    for (int i = 0; i < HF_STUDY_N_PAIR * HF_STUDY_N_PAIR; i++)
        sum_over_ranks(context, &own.of_class[0][0] + i);
    for (int i = 0; i < HF_STUDY_N_LENGTH; i++) sum_over_ranks(context, &own.of_length[i]);
    MPI_Allreduce(MPI_IN_PLACE, &own.n_refused, 1, MPI_DOUBLE, MPI_SUM, context->comm);
    hf_precision_study_join(&own, study);
    return HF_OK;
}
