/* Costs of tasks on a logarithmic scale, one byte each. A scheduler of tasks numbered in falling cost needs only
 * the number of tasks of each level. */
#ifndef HF_TASK_LEVELS_H
#define HF_TASK_LEVELS_H

#include <math.h>
#include <stdint.h>

/** Number of levels, and number of levels for a factor of 2 in cost: a level is within 4.4 % of the cost, and
 *  the highest is 2^31 times the lowest. Tasks of level 0 are empty and not handed out. */
enum { HF_N_TASK_LEVEL = 256, HF_LEVELS_PER_OCTAVE = 8 };

/** Tasks of each level; count[0] is not used. */
struct hf_task_levels {
    int64_t count[HF_N_TASK_LEVEL];
};

/** Cost of a task of a level, in units of level 0: 2^(level/8). The same bits on every machine, since ranks that
 *  divide a list at different places would lose tasks. */
static inline double hf_level_cost(int level)
{
    static const double eighth[HF_LEVELS_PER_OCTAVE] = {
        1.0,
        1.0905077326652577,
        1.189207115002721,
        1.2968395546510096,
        1.4142135623730951,
        1.5422108254079407,
        1.681792830507429,
        1.8340080864093424,
    };
    return ldexp(eighth[level % HF_LEVELS_PER_OCTAVE], level / HF_LEVELS_PER_OCTAVE);
}

/** Level of a cost; the most expensive task has the highest level. */
static inline int hf_cost_level(double cost, double largest)
{
    if (!(cost > 0.0)) return 0;
    const double level = HF_N_TASK_LEVEL - 1 + HF_LEVELS_PER_OCTAVE * log2(cost / largest);
    return level > 1.0 ? (int)level : 1;
}

/** `n` tasks of equal cost. */
static inline struct hf_task_levels hf_equal_tasks(int64_t n)
{
    struct hf_task_levels levels = {{0}};
    levels.count[1] = n;
    return levels;
}

#endif
