/* Runs of tasks of equal cost, and binary searches among them. */
#include "cost_list.h"

#include "base/arithmetic.h"

#include <math.h>

void hf_cost_list_make(const struct hf_task_levels *levels, struct hf_cost_list *list)
{
    *list = (struct hf_cost_list){.n_run = 0};
    for (int level = HF_N_TASK_LEVEL - 1; level > 0; level--) {
        const int64_t n = levels->count[level];
        if (n == 0) continue;
        const double cost = hf_level_cost(level);
        list->run[list->n_run++] = (struct hf_cost_run){list->n_task, cost, list->total};
        list->n_task += n;
        list->total += (double)n * cost;
    }
    list->run[list->n_run] = (struct hf_cost_run){list->n_task, 0.0, list->total};
}

double hf_cost_at(const struct hf_cost_list *list, int64_t position)
{
    int64_t next; /* the first run that begins after the position */
    HF_BISECT(next, 1, list->n_run, i, list->run[i].first > position);
    return list->run[next - 1].cost;
}

int64_t hf_cost_position(const struct hf_cost_list *list, double cost)
{
    int64_t next; /* the first run with more than `cost` before it */
    if (list->n_run == 0) return 0;
    HF_BISECT(next, 1, list->n_run, i, list->run[i].before > cost);
    const struct hf_cost_run *run = &list->run[next - 1];
    const int64_t position = run->first + (int64_t)floor((cost - run->before) / run->cost + 0.5);
    return position < run[1].first ? position : run[1].first;
}
