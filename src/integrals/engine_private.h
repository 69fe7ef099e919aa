/* Inside the two-electron engine: what it holds, and the steps from levels to functions. */
#ifndef HF_ENGINE_PRIVATE_H
#define HF_ENGINE_PRIVATE_H

#include "hf/engine.h"
#include "kernels.h"

/** Largest of what the quartets of a list of pairs need, in numbers unless it says otherwise. */
struct engine_sizes {
    size_t n_primitive; /**< primitive quartets given to Libint */
    size_t scratch;     /**< of the recurrence */
    size_t block;       /**< between the steps, HF_LANES quartets where they are batched */
    size_t levels;      /**< contracted levels of all parts */
    size_t result;      /**< one quartet */
    size_t pair;        /**< rows of one pair */
};

struct hf_engine {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_kernels *kernels;
    int *most_primitive; /**< [n_class] */
    struct hf_boys *boys;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    double threshold;
    Libint_eri_t *primitive; /**< the first holds Libint's work space */
    bool libint_ready;
    struct engine_sizes size;
    struct hf_expanded_pair fixed, other; /**< those that are worked on */
    const struct hf_shell_pair *fixed_is; /**< the pair that `fixed` was made of */
    double *scratch;                      /**< of the recurrence */
    double *buffer[3];                    /**< blocks between the steps */
    double *levels;                       /**< contracted levels of one quartet, all parts */
    double *assembled;                    /**< quartets of which the parts are put together */
    double *result;                       /**< [HF_MAX_BATCH][largest quartet] */
    int order[HF_MAX_BATCH];              /**< of the quartets of the last batch */
    struct hf_engine_account account;
};

/** The buffer a step may write to: not the one it reads. */
double *hf_other_buffer(const struct hf_engine *engine, const double *in);

/** Makes the two shells of a pair spherical in a block [a][b][right]; where the block is then. */
const double *hf_pair_to_spherical(struct hf_engine *engine, const struct hf_pair_part *part,
                                   int right, const double *in);

/** Puts the block of two parts, [ket][bra][width], into that of their classes. */
void hf_assemble_parts(const struct hf_pair_class *bra_class, const struct hf_pair_class *ket_class,
                       const struct hf_pair_part *bra, const struct hf_pair_part *ket, int width,
                       const double *block, double *to);

/** All parts from contracted levels to functions, put together: [ket][bra][width]; width is 1 or
 *  HF_LANES, and then ket_shift has one vector per direction. */
const double *hf_parts_to_functions(struct hf_engine *engine, const struct hf_quartet *quartet,
                                    const double *ket_shift, int width, const double *levels);

/** To be called when the pairs of the engine's list have changed where they are. */
void hf_engine_forget_pairs(struct hf_engine *engine);

#endif
