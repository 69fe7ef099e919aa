/* The list of tasks in falling cost, as runs of equal cost. Finds the cost before a position, and the reverse. */
#ifndef HF_COST_LIST_H
#define HF_COST_LIST_H

#include "schedule/task_levels.h"

/** Tasks of one level. */
struct hf_cost_run {
    int64_t first; /**< position of the first of them */
    double cost;   /**< of each */
    double before; /**< of all tasks before them */
};

struct hf_cost_list {
    int64_t n_task;
    double total;
    int n_run;
    /** [n_run] in falling cost, then one of cost 0 that begins at the end */
    struct hf_cost_run run[HF_N_TASK_LEVEL];
};

void hf_cost_list_make(const struct hf_task_levels *levels, struct hf_cost_list *list);

/** Cost of the task at a position below n_task. */
double hf_cost_at(const struct hf_cost_list *list, int64_t position);

/** The position, 0 .. n_task, before which tasks cost `cost` together, to the nearest task; rises with `cost`. */
int64_t hf_cost_position(const struct hf_cost_list *list, double cost);

#endif
