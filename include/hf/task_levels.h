/* What tasks cost, on a logarithmic scale of a byte: how many there are of each level is all that a
 * scheduler needs to know of tasks that are numbered in falling cost. */
#ifndef HF_TASK_LEVELS_H
#define HF_TASK_LEVELS_H

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Levels, and how many of them double the cost: a level is within 4.4 % of what it stands for, and
 *  the highest is 2^31 times the lowest. Level 0 is of tasks that cost nothing: they are not handed out. */
enum { HF_N_TASK_LEVEL = 256, HF_LEVELS_PER_OCTAVE = 8 };

/** Tasks of each level; count[0] is not looked at. */
struct hf_task_levels {
    int64_t count[HF_N_TASK_LEVEL];
};

/** Cost of a task of a level, in units of that of level 0: 2^(level/8), to the same bits on every machine,
 *  since ranks that cut a list at different places would lose tasks. */
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

/** `n` tasks of equal cost. */
static inline struct hf_task_levels hf_equal_tasks(int64_t n)
{
    struct hf_task_levels levels = {{0}};
    levels.count[1] = n;
    return levels;
}

#ifdef __cplusplus
}
#endif
#endif
