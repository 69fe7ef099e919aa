/* What the two halves of the transformation share. */
#ifndef HF_MP2_PRIVATE_H
#define HF_MP2_PRIVATE_H

#include "hf/mp2.h"
#include "integrals/shell_pair.h"
#include "linalg/matrix_product.h"
#include "work/pass.h"
#include "work/work.h"

/** What an algorithm needs of a rank's memory beside the orbitals, in numbers. */
struct hf_mp2_words {
    double work, kept; /**< for its work; of half-transformed integrals */
};

/** Of the half-transformed integrals that ranks keep, the one with the most has this times the mean. */
#define HF_MP2_IMBALANCE 1.15

/** What an algorithm does, in all, for the model that chooses. */
struct hf_mp2_effort {
    double times_integrals;  /**< how often it computes the unique integrals */
    double first_operations; /**< additions and multiplications of both first quarters */
    double last_operations;  /**< of both last quarters */
    double n_unit;           /**< equal pieces that ranks finish */
    double kept, sent;       /**< words */
    double n_message;        /**< of a rank */
};

/** Seconds of a calculation. */
double hf_mp2_model_seconds(const struct hf_mp2_size *size, const struct hf_mp2_effort *effort);

struct hf_mp2;
struct hf_mp2_chunk;

/** An algorithm. */
struct hf_mp2_algorithm {
    const char *name, *about, *cite;
    bool reproducible; /**< its energies have the same bits for any ranks, threads and batches */
    /** With n_i orbitals in a batch. */
    struct hf_mp2_words (*words)(const struct hf_mp2_size *size, double n_i);
    /** With so many batches. NULL: "auto" does not choose it. */
    struct hf_mp2_effort (*effort)(const struct hf_mp2_size *size, double n_batch);
    /** Energies of the pairs of the orbitals i of mp2->batch with all j <= i, each on one rank. Collective. NULL: an
     *  algorithm is to be chosen. */
    hf_status (*batch)(struct hf_mp2 *mp2, struct hf_error *error);
};

/** An algorithm chosen for a calculation, and what it needs. */
struct hf_mp2_choice {
    const struct hf_mp2_algorithm *algorithm;
    struct hf_mp2_need need;
    double seconds,
        instead_seconds; /**< by the model, with it and with the other one; 0: there was no choice */
};

struct hf_mp2_choice hf_mp2_choose(const char *name, const struct hf_mp2_size *size,
                                   double memory_bytes);

/** hf_mp2_plan of an algorithm that computes. */
struct hf_mp2_need hf_mp2_plan_of(const struct hf_mp2_algorithm *algorithm,
                                  const struct hf_mp2_size *size, double memory_bytes);

extern const struct hf_mp2_algorithm hf_mp2_auto, hf_mp2_kets, hf_mp2_of_pairs, hf_mp2_p1,
    hf_mp2_p2;

/** Correlated orbitals of both spins; longest rows over virtual orbitals. */
double hf_mp2_size_orbitals(const struct hf_mp2_size *size);
double hf_mp2_size_longest(const struct hf_mp2_size *size);

/** Orbitals j that the second half transforms at a time: whole groups of packed ones. */
enum { HF_MP2_MOST_J = 2 * HF_PRODUCT_GROUP };

/** Orbitals of one spin, or of both, that take part; coefficients in merged functions. */
struct hf_mp2_orbitals {
    int n_occupied, n_virtual;
    size_t length; /**< of rows over virtual orbitals: n_virtual, padded */
    const double *occupied_energy, *virtual_energy; /**< borrowed */
    double *occupied;                               /**< [n][n_occupied] */
    double *packed;          /**< the same as left matrix [n_occupied][n] (hf_pack) */
    double *virtuals;        /**< [n][length], zeros behind n_virtual */
    double *packed_virtuals; /**< the same as left matrix [n_virtual][n] */
    const double **row;      /**< [n] its rows */
};

/** Orbitals i of one batch: begin .. end-1 of each spin. */
struct hf_mp2_batch {
    int begin[HF_MAX_SPIN], end[HF_MAX_SPIN];
};

/** Energies of pairs: of one spin [i (i+1)/2 + j], j <= i; of alpha i and beta j [i n_beta + j], or of
 *  closed shells like those of one spin. */
struct hf_mp2_pairs {
    double *same[HF_MAX_SPIN], *opposite;
    size_t n_same[HF_MAX_SPIN], n_opposite;
    double *all; /**< one array of all */
    size_t n;
};

struct hf_mp2 {
    struct hf_context *context;             /**< borrowed */
    const struct hf_mp2_settings *settings; /**< borrowed */
    const struct hf_mp2_algorithm *algorithm;
    struct hf_arena arena;             /**< of orbitals, energies of pairs and `block` */
    struct hf_common_pairs *own_pairs; /**< NULL: the settings lend some */
    const struct hf_basis *merged;
    const struct hf_shell_pairs *pairs;
    int n_thread, n_spin;
    struct hf_mp2_orbitals orbitals[HF_MAX_SPIN];
    hf_product_function *multiply;
    struct hf_mp2_batch batch;
    /** (ia|rs) of this rank's pairs of shells: [n_pair] blocks [i of alpha, of beta][rs][a], r of the
     *  pair's first shell; NULL: not here. */
    double **block;
    struct hf_mp2_chunk *chunk; /**< where they are; private to first_half.c */
    struct hf_mp2_pairs energy;
    struct hf_mp2_result *result;
};

/** Correlated orbitals of both spins in one row: those of alpha come first. */
struct hf_mp2_orbital {
    int spin, index;
};

static inline struct hf_mp2_orbital hf_mp2_orbital(const struct hf_mp2 *mp2, int i)
{
    const int n_alpha = mp2->orbitals[0].n_occupied;
    return i < n_alpha ? (struct hf_mp2_orbital){0, i} : (struct hf_mp2_orbital){1, i - n_alpha};
}

/** hf_quartet_consumer.bound of all passes. */
void hf_mp2_bound(const struct hf_mp2 *mp2, const struct hf_shell_pair *bra, int n,
                  struct hf_waiting_ket ket[]);

/** A round of work with `settings`, to which scheduler and phases are added; counts its quartets. Collective. */
hf_status hf_mp2_run_work(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          hf_status (*run)(void *data, struct hf_worker *worker,
                                           struct hf_error *error),
                          void *data, struct hf_error *error) HF_MUST_CHECK;

/** The same with a pass of each thread. */
hf_status hf_mp2_run_pass(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          const struct hf_pass *pass, void *data,
                          struct hf_error *error) HF_MUST_CHECK;

/** Memory that this rank's threads share. */
static inline struct hf_arena hf_mp2_arena(const struct hf_mp2 *mp2, const char *label)
{
    return (struct hf_arena){
        .memory = mp2->context->memory, .kind = HF_MEMORY_MATRIX, .label = label};
}

/** Occupied orbitals of both spins as rows [n][length] over orbitals, zeros at the ends; those that do not fit are
 *  left out. An array of the arena. NULL: no memory. */
double *hf_mp2_join_orbitals(const struct hf_mp2 *mp2, size_t length, struct hf_arena *arena);

/** First orbital of a batch, and the one behind its last, both spins counted. */
static inline int hf_mp2_batch_begin(const struct hf_mp2 *mp2)
{
    return mp2->batch.begin[0] + mp2->batch.begin[1];
}
static inline int hf_mp2_batch_end(const struct hf_mp2 *mp2)
{
    return mp2->batch.end[0] + mp2->batch.end[1];
}

/** Numbers that a thread needs for the last two quarters of pairs. */
double hf_mp2_scratch_words(const struct hf_mp2_size *size);

/** Adds the pair of two orbitals (of one spin: j <= i) to the energies, from (ia|jb): [a][b], rows as long as those
 *  over virtual orbitals of j's spin. Not collective; a pair is added once. */
void hf_mp2_add_pair(struct hf_mp2 *mp2, struct hf_mp2_orbital i, struct hf_mp2_orbital j,
                     const double *k_ab);

/** A pair of orbitals with its (iM|jN): [n] rows over the functions N, as long as n padded, with zeros at the end. */
struct hf_mp2_pair {
    int64_t number; /**< for the trace */
    struct hf_mp2_orbital i, j;
    const double *x_mn; /**< NULL: nothing is to be done */
};

/** Third and fourth quarter and energies of n pairs of this rank, by its threads: `pair` tells what pair k is. Collective;
 *  HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_mp2_finish_pairs(struct hf_mp2 *mp2, int64_t n,
                              struct hf_mp2_pair (*pair)(const void *data, int64_t k),
                              const void *data, struct hf_error *error) HF_MUST_CHECK;

/** Function pairs of a pair of shells. */
static inline size_t hf_mp2_n_row(const struct hf_shell_pairs *pairs, int64_t pair)
{
    return (size_t)pairs->class_of[pairs->pair[pair].pair_class].n_function;
}

/** Where orbital i of a spin is in a block of so many function pairs. */
static inline size_t hf_mp2_place(const struct hf_mp2 *mp2, int spin, int i, size_t n_row)
{
    const struct hf_mp2_batch *batch = &mp2->batch;
    size_t n = 0;
    if (spin > 0) n = (size_t)(batch->end[0] - batch->begin[0]) * mp2->orbitals[0].length;
    return n_row * (n + (size_t)(i - batch->begin[spin]) * mp2->orbitals[spin].length);
}

/** Longest rows over virtual orbitals. */
static inline size_t hf_mp2_longest(const struct hf_mp2 *mp2)
{
    const size_t first = mp2->orbitals[0].length, last = mp2->orbitals[mp2->n_spin - 1].length;
    return first > last ? first : last;
}

/** First half for the orbitals of the batch: fills mp2->block. Collective. */
hf_status hf_mp2_first_half(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Second half: energies of all pairs of the batch's orbitals i with j <= i into mp2->energy. Collective. */
hf_status hf_mp2_second_half(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts none. */
void hf_mp2_drop_blocks(struct hf_mp2 *mp2);

/** A rank's rows of one orbital on their way (exchange.c). */
struct hf_mp2_exchange {
    struct hf_mp2 *mp2;            /**< borrowed */
    int *owner;                    /**< [n_pair] rank that has a pair of shells; -1: nobody */
    size_t *n_row;                 /**< [n_rank] function pairs of each rank */
    size_t *first_of_rank, *first; /**< [n_rank], [n_pair] first row in `received` */
    double *sent;                  /**< rows of this rank */
    double *received;              /**< rows of all others, rank after rank, pairs rising */
    const double **where;          /**< [n_pair] rows of a pair, wherever they are; NULL: zeros */
};

/** Sends n numbers to a rank while m come from another one; either may be none. */
void hf_mp2_pass_on(struct hf_context *context, int to, const double *sent, size_t n, int from,
                    double *received, size_t m);

/** What a rank does in a round: energies of orbital i with the orbitals j_begin .. j_end-1 of the spin
 *  `other`. */
struct hf_mp2_unit {
    int spin, i, other, j_begin, j_end;
};

/** With arrays of the arena. Collective. HF_NO_RESOURCE. */
hf_status hf_mp2_exchange_init(struct hf_mp2_exchange *exchange, struct hf_mp2 *mp2,
                               struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;

/** Brings the rows of each rank's unit [n_rank] (i below 0: none) to it and sets `where`. Collective. */
void hf_mp2_exchange_round(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[]);

#endif
