/* Runs of tasks of equal cost, and binary searches among them. */
#include "cost_list.h"

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
    int low = 0, high = list->n_run - 1; /* the last run that begins at or before the position */
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (list->run[middle].first <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return list->run[low].cost;
}

int64_t hf_cost_position(const struct hf_cost_list *list, double cost)
{
    int low = 0, high = list->n_run - 1; /* the last run with `cost` or less before it */
    if (list->n_run == 0) return 0;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (list->run[middle].before <= cost)
            low = middle;
        else
            high = middle - 1;
    }
    const struct hf_cost_run *run = &list->run[low];
    const int64_t position = run->first + (int64_t)floor((cost - run->before) / run->cost + 0.5);
    return position < run[1].first ? position : run[1].first;
}
