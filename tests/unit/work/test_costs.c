/* Costs of tasks by themselves: who is handed out, in what order, and what measured times change. */
#include "../mpi_test.h"
#include "ring.h"

#include "../../../src/work/costs.h"
#include "../../../src/work/work_private.h"
#include "pairs/shell_pairs.h"

/** Products of bounds that leave some tasks empty. */
static const double LEAST = 1e-3;

/** A list of tasks with their costs. */
struct fixture {
    struct hf_context *context;
    double centre[N_ATOM][3];
    struct test_shell shell[N_SHELL]; /* the basis borrows the exponents */
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_task_list *list;
    struct hf_task_costs *costs;
};

static void set_up(struct fixture *self, enum hf_grain grain)
{
    const struct hf_task_order order = {
        .grain = grain, .n_wanted = 60.0, .largest_row = 4, .most_slices = 1, .scatter = true};
    self->context = test_context();
    self->basis = ring(self->centre, self->shell);
    assert_ok(hf_shell_pairs_create(self->context, self->basis, 1e-16, &self->pairs, &error));
    assert_ok(hf_task_list_create(self->context, self->pairs, &order, &self->list, &error));
    assert_ok(hf_task_costs_create(self->context, self->pairs, self->list, 1, true, &self->costs,
                                   &error));
    assert_non_null(self->costs);
}

static void tear_down(struct fixture *self)
{
    hf_task_costs_destroy(&self->costs);
    hf_arena_free(&self->list);
    hf_shell_pairs_destroy(&self->pairs);
    test_basis_destroy(&self->basis);
    test_context_done(&self->context);
}

static int64_t n_of(const struct hf_task_levels *levels)
{
    int64_t n = 0;
    for (int level = 1; level < HF_N_TASK_LEVEL; level++) n += levels->count[level];
    return n;
}

/** Whether two shell pairs of a task make a quartet that matters. */
static bool is_empty(const struct fixture *self, int64_t index)
{
    const struct hf_task task = hf_task_list_get(self->list, index);
    for (int64_t b = task.bra_begin; b < task.bra_end; b++) {
        const int64_t bra = self->list->units.unit[b];
        const int64_t end = task.kind == HF_TASK_TRIANGLE ? b + 1 : task.ket_end;
        for (int64_t k = task.ket_begin; k < end; k++) {
            const int64_t ket = self->list->units.unit[k];
            if (self->pairs->pair[bra].bound * self->pairs->pair[ket].bound >= LEAST) return false;
        }
    }
    return true;
}

TEST(empty_tasks_are_not_handed_out)
{
    struct fixture self;
    struct hf_task_levels levels;
    set_up(&self, HF_GRAIN_SHELL_QUARTET);
    hf_task_costs_find(self.costs, LEAST, &levels);
    const int64_t n_task = self.list->n_task, n = n_of(&levels);
    unsigned char *seen = calloc((size_t)n_task, 1);
    for (int64_t position = 0; position < n; position++) {
        const int64_t task = hf_task_costs_task(self.costs, position);
        assert_in_range(task, 0, n_task - 1);
        assert_int_equal(seen[task]++, 0);
    }
    for (int64_t task = 0; task < n_task; task++)
        assert_int_equal(seen[task], !is_empty(&self, task));
    assert_true(n > 0 && n < n_task);
    free(seen);
    tear_down(&self);
}

TEST(all_ranks_have_the_same_order)
{
    struct fixture self;
    struct hf_task_levels levels;
    set_up(&self, HF_GRAIN_ATOM_QUARTET);
    hf_task_costs_find(self.costs, LEAST, &levels);
    for (int64_t position = 0; position < n_of(&levels); position++) {
        int64_t most[2] = {hf_task_costs_task(self.costs, position), 0};
        most[1] = -most[0];
        MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        assert_int_equal(most[0], -most[1]);
    }
    tear_down(&self);
}

/** Position of a task. */
static int64_t position_of(const struct fixture *self, int64_t n, int64_t task)
{
    int64_t position = 0;
    while (position < n && hf_task_costs_task(self->costs, position) != task) position++;
    return position;
}

/** One task took a hundred times as long as its estimate, in two parts, another a hundredth: that of rank 0
 *  is known on all. */
TEST(measured_tasks_move)
{
    struct fixture self;
    struct hf_task_levels levels;
    set_up(&self, HF_GRAIN_ATOM_QUARTET);
    hf_task_costs_find(self.costs, LEAST, &levels);
    const int64_t n = n_of(&levels), slow = hf_task_costs_task(self.costs, n / 2),
                  quick = hf_task_costs_task(self.costs, n / 3);
    assert_true(hf_task_costs_wanted(self.costs));
    for (int64_t position = 0; position < n && self.context->rank == 0; position++) {
        const int64_t task = hf_task_costs_task(self.costs, position);
        int level = HF_N_TASK_LEVEL - 1;
        for (int64_t before = levels.count[level]; before <= position;)
            before += levels.count[--level];
        const double seconds = 1e-9 * hf_level_cost(level);
        hf_task_costs_note(self.costs, 0, task, seconds * (task == quick ? 0.01 : 1.0));
        if (task == slow) hf_task_costs_note(self.costs, 0, task, 99.0 * seconds);
    }
    hf_task_costs_correct(self.costs);
    assert_false(hf_task_costs_wanted(self.costs));
    hf_task_costs_find(self.costs, LEAST, &levels);
    assert_int_equal(n_of(&levels), n); /* what is measured to be cheap is not empty */
    assert_true(position_of(&self, n, slow) < n / 4);
    assert_true(position_of(&self, n, quick) > 3 * n / 4);

    hf_task_costs_forget(self.costs);
    assert_true(hf_task_costs_wanted(self.costs));
    hf_task_costs_find(self.costs, LEAST, &levels);
    assert_int_equal(hf_task_costs_task(self.costs, n / 2), slow);
    assert_int_equal(hf_task_costs_task(self.costs, n / 3), quick);
    tear_down(&self);
}

MPI_TEST_MAIN
