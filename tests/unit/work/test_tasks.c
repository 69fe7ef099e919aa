/* The list of tasks: every pair of units is in one task, however tasks are cut and scattered. */
#include "../mpi_test.h"
#include "ring.h"

#include "../../../src/work/work_private.h"

#include "integrals/shell_pair.h"
#include "pairs/shell_pairs.h"

#include <math.h>

/** Counts each pair of units at [larger][smaller]; all its slices together make one. */
static void count_pairs(const struct hf_task_list *list, int64_t n_unit, double *times)
{
    for (int64_t t = 0; t < list->n_task; t++) {
        const struct hf_task task = hf_task_list_get(list, t);
        for (int64_t b = task.bra_begin; b < task.bra_end; b++) {
            const int64_t bra = list->units.unit[b];
            const int64_t begin = hf_task_is_bra(&task) ? 0 : task.ket_begin;
            const int64_t end = hf_task_is_bra(&task)           ? bra + 1
                                : task.kind == HF_TASK_TRIANGLE ? b + 1
                                                                : task.ket_end;
            for (int64_t k = begin; k < end; k++) {
                const int64_t ket = hf_task_is_bra(&task) ? k : list->units.unit[k];
                times[bra > ket ? bra * n_unit + ket : ket * n_unit + bra] += 1.0 / task.n_slice;
            }
        }
    }
}

static void check(struct hf_context *context, const struct hf_shell_pairs *pairs,
                  const struct hf_task_order *order)
{
    struct hf_task_list *list = NULL;
    const int64_t n = order->grain == HF_GRAIN_ATOM_QUARTET ? pairs->n_atom_pair : pairs->n_pair;
    double *times = calloc((size_t)(n * n), sizeof *times);
    assert_ok(hf_task_list_create(context, pairs, order, &list, &error));
    count_pairs(list, n, times);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) assert_true(fabs(times[i * n + j] - 1.0) < 1e-12);
    hf_arena_free(&list);
    free(times);
}

TEST(every_pair_of_units_is_in_one_task)
{
    TEST_CONTEXT(context);
    double centre[N_ATOM][3];
    struct test_shell shell[N_SHELL]; /* the basis borrows the exponents */
    struct hf_basis *basis = ring(centre, shell);
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    static const enum hf_grain grains[] = {HF_GRAIN_ATOM_QUARTET, HF_GRAIN_SHELL_PAIR,
                                           HF_GRAIN_SHELL_QUARTET};
    static const int rows[] = {1, 2, 3, 8, 1000};
    static const double wanted[] = {1.0, 30.0, 1e9};
    for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
                for (int flags = 0; flags < 4; flags++)
                    check(context, pairs,
                          &(struct hf_task_order){.grain = grains[g],
                                                  .n_wanted = wanted[w],
                                                  .largest_row = rows[r],
                                                  .most_slices = 1 + 6 * (int)(r % 2),
                                                  .scatter = (flags & 1) != 0,
                                                  .largest_side = (flags & 2) != 0 ? 5 : 0});
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

MPI_TEST_MAIN
