/* The algorithm "auto": chooses another one by a model of their times. */
#include "mp2_private.h"

#include <math.h>

/* Measured on one core with AVX-512 (docs/measurements/mp2.md). Only the ratios matter for the choice. */

/** Computing a unique integral in a pass and storing it in a panel. */
static const double INTEGRAL_SECONDS = 11e-9;
/** One addition or multiplication in a matrix product. */
static const double OPERATION_SECONDS = 1.0 / 50e9;
/** One word of fresh memory. */
static const double KEPT_SECONDS = 5e-9;
/** One word sent by a rank, and one message: for a cluster with several ranks per node. */
static const double SENT_SECONDS = 8e-9, MESSAGE_SECONDS = 2e-6;

/** Seconds of a calculation by the model. */
static double model_seconds(const struct hf_mp2_size *size, const struct hf_mp2_effort *effort)
{
    const double n_rank = size->n_rank, n_core = n_rank * fmax(1.0, size->n_thread);
    const double unique = 0.5 * size->n_row * size->n_row;
    const double first = (effort->times_integrals * unique * INTEGRAL_SECONDS +
                          effort->first_operations * OPERATION_SECONDS) /
                             n_core +
                         effort->kept * KEPT_SECONDS / n_rank;
    /* some ranks have one unit more than others in the last round */
    const double rounds = ceil(effort->n_unit / n_rank) * n_rank / effort->n_unit;
    const double last = effort->last_operations * OPERATION_SECONDS / n_core * rounds;
    const double moved =
        n_rank > 1.0 ? effort->sent * SENT_SECONDS / n_rank + effort->n_message * MESSAGE_SECONDS
                     : 0.0;
    return first + last + moved;
}

struct hf_mp2_choice hf_mp2_choose(const char *name, const struct hf_mp2_size *size,
                                   double memory_bytes)
{
    struct hf_mp2_choice choice = {.algorithm = hf_mp2_algorithm_find(name)};
    if (choice.algorithm->batch != NULL) {
        choice.need = hf_mp2_plan_of(choice.algorithm, size, memory_bytes);
        return choice;
    }
    choice.algorithm = NULL;
    for (int i = 0; hf_mp2_algorithm_list[i] != NULL; i++) {
        const struct hf_mp2_algorithm *other = hf_mp2_algorithm_list[i];
        if (other->effort == NULL) continue;
        const struct hf_mp2_need need = hf_mp2_plan_of(other, size, memory_bytes);
        if (choice.algorithm != NULL && need.n_batch == 0) {
            choice.need.least = fmin(choice.need.least, need.least);
            continue;
        }
        const struct hf_mp2_effort effort = other->effort(size, fmax(1.0, need.n_batch));
        const double seconds = model_seconds(size, &effort);
        const bool better = choice.algorithm == NULL || choice.need.n_batch == 0 ||
                            (need.n_batch > 0 && seconds < choice.seconds);
        choice.instead_seconds = better ? choice.seconds : seconds;
        if (!better) continue;
        choice.algorithm = other;
        choice.need = need;
        choice.seconds = seconds;
    }
    return choice;
}

struct hf_mp2_need hf_mp2_plan(const char *algorithm, const struct hf_mp2_size *size,
                               double memory_bytes)
{
    return hf_mp2_choose(algorithm, size, memory_bytes).need;
}

const struct hf_mp2_algorithm hf_mp2_auto = {
    .name = "auto",
    .about = "kets or pairs, by a model of their times",
};
