/* What the algorithms of MP2 share. Each has two halves with an exchange between them.
 *
 *     name   a task                                       a rank keeps           it sends
 *     kets   a shell pair RS with all kets MN             (ia|rs) of its RS      each number once
 *     pairs  two shells M, N with all R, S (Fig. 10.2)    (iM|jN) of its M, N    each number once, v/o times fewer
 *     p1     MN round-robin, all RS on every rank (9.2)   (iN|jS) of its ij      (iN|RS), summed over all ranks
 *     p2     a shell pair RS with all kets MN (9.3)       (iN|jS) of its ij      (iN|jS) and (iN|jR) of each RS
 *
 *     kets   (in|rs) = sum_m C_mi (mn|rs)     (ia|rs) = sum_n C_na (in|rs)        for one rs at a time
 *            each rank receives the rows rs of one orbital i, or of some of its pairs
 *            (ia|js) = sum_r C_rj (ia|rs)     (ia|jb) = sum_s C_sb (ia|js)        j <= i
 *     pairs  (mr|nj) = sum_s C_sj (mr|ns)     (mi|nj) = sum_r C_ri (mr|nj)        in one task
 *            each rank receives (iM|jN) of some pairs ij
 *            (ia|jN), (ia|jb), the energy of the pair
 *
 * `kets` serves few ranks, `pairs` many; `auto` chooses by a model of their times (choice.c). In both each number has
 * one producer: nothing is accumulated on other ranks, and the energy has the same bits for any number of ranks, threads
 * and batches. Threads multiply with kernels of hf (linalg/matrix_product.h), since a BLAS cannot be called by several
 * threads here. Figures are of the book. */
#ifndef HF_MP2_PRIVATE_H
#define HF_MP2_PRIVATE_H

#include "hf/mp2.h"
#include "integrals/shell_pair.h"
#include "linalg/matrix_product.h"
#include "work/pass.h"
#include "work/work.h"

/** Memory per rank that an algorithm needs in addition to the orbitals, in numbers. */
struct hf_mp2_words {
    double work, kept; /**< for its work; for half-transformed integrals */
};

/** Assumed ratio of the rank with the most half-transformed integrals to the mean. */
#define HF_MP2_IMBALANCE 1.1

/** Total work of an algorithm, for the model of "auto". */
struct hf_mp2_effort {
    double times_integrals;  /**< how often the unique integrals are computed */
    double first_operations; /**< additions and multiplications of both first quarters */
    double last_operations;  /**< the same for both last quarters */
    double n_unit;           /**< number of equal pieces that ranks finish */
    double kept, sent;       /**< words */
    double n_message;        /**< messages per rank */
};

struct hf_mp2;

/** An algorithm. */
struct hf_mp2_algorithm {
    const char *name, *about, *cite;
    bool reproducible; /**< its energies have the same bits for any ranks, threads and batches */
    /** Memory with n_i orbitals per batch. */
    struct hf_mp2_words (*words)(const struct hf_mp2_size *size, double n_i);
    /** Work with n_batch batches. NULL: "auto" does not choose this algorithm. */
    struct hf_mp2_effort (*effort)(const struct hf_mp2_size *size, double n_batch);
    /** Computes the energies of all pairs of the orbitals i of mp2->batch with j <= i, each on one rank. Collective.
     *  NULL: "auto", which only chooses another algorithm. */
    hf_status (*batch)(struct hf_mp2 *mp2, struct hf_error *error);
};

/** Orbitals whose energies are closer than this are degenerate, hartree. */
#define HF_MP2_DEGENERATE 1e-6

/** Smallest distance between the energy of a frozen orbital and that of a correlated one, hartree: core, and virtual
 *  orbitals. INFINITY: none is frozen. */
struct hf_mp2_gaps {
    double core, virtuals;
};

struct hf_mp2_gaps hf_mp2_find_gaps(const struct hf_wavefunction *wavefunction,
                                    const struct hf_mp2_settings *settings);

/** The algorithm chosen for a calculation, and its memory. */
struct hf_mp2_choice {
    const struct hf_mp2_algorithm *algorithm;
    struct hf_mp2_need need;
    /** by the model, with it and with the alternative; 0: there was no choice */
    double seconds, instead_seconds;
};

struct hf_mp2_choice hf_mp2_choose(const char *name, const struct hf_mp2_size *size,
                                   double memory_bytes);

/** hf_mp2_plan for an algorithm other than "auto". */
struct hf_mp2_need hf_mp2_plan_of(const struct hf_mp2_algorithm *algorithm,
                                  const struct hf_mp2_size *size, double memory_bytes);

extern const struct hf_mp2_algorithm hf_mp2_auto, hf_mp2_kets, hf_mp2_of_pairs, hf_mp2_p1,
    hf_mp2_p2;

/** Number of correlated orbitals of both spins; longest row over virtual orbitals. */
double hf_mp2_size_orbitals(const struct hf_mp2_size *size);
double hf_mp2_size_longest(const struct hf_mp2_size *size);

/** Number of orbitals j that the second half transforms at a time: whole groups of packed rows. */
enum { HF_MP2_MOST_J = 2 * HF_PRODUCT_GROUP };

/** Orbitals of one spin or of both that take part; coefficients in merged functions. */
struct hf_mp2_orbitals {
    int n_occupied, n_virtual;
    size_t length; /**< length of rows over virtual orbitals: n_virtual, padded */
    const double *occupied_energy, *virtual_energy; /**< borrowed */
    double *occupied;                               /**< [n][n_occupied] */
    double *packed;          /**< the same, packed as left matrix [n_occupied][n] (hf_pack) */
    double *virtuals;        /**< [n][length], zeros after n_virtual */
    double *packed_virtuals; /**< the same, packed as left matrix [n_virtual][n] */
    const double **row;      /**< [n] rows of `virtuals` */
};

/** The orbitals i of a batch: begin .. end-1 of each spin. */
struct hf_mp2_batch {
    int begin[HF_MAX_SPIN], end[HF_MAX_SPIN];
};

/** Energies of pairs. same: pairs of one spin [i (i+1)/2 + j], j <= i. opposite: alpha i and beta j [i n_beta + j];
 *  for closed shells in the order of `same`. */
struct hf_mp2_pairs {
    double *same[HF_MAX_SPIN], *opposite;
    size_t n_same[HF_MAX_SPIN], n_opposite;
    double *all; /**< one array with all of them */
    size_t n;
};

struct hf_mp2 {
    struct hf_context *context;             /**< borrowed */
    const struct hf_mp2_settings *settings; /**< borrowed */
    const struct hf_mp2_algorithm *algorithm;
    struct hf_arena arena;             /**< owns orbitals, energies of pairs and `block` */
    struct hf_common_pairs *own_pairs; /**< NULL: the pairs are lent by the settings */
    const struct hf_basis *merged;
    const struct hf_shell_pairs *pairs;
    int n_thread, n_spin;
    struct hf_mp2_orbitals orbitals[HF_MAX_SPIN];
    hf_product_function *multiply;
    struct hf_mp2_batch batch;
    /** [n_pair] (ia|rs) of this rank's pairs of shells: blocks [i of alpha, then of beta][rs][a], r in the first
     *  shell of the pair; NULL: not on this rank. */
    double **block;
    struct hf_arena stored; /**< owns the half-transformed integrals of a batch */
    struct hf_mp2_pairs energy;
    struct hf_mp2_result *result;
};

/** Number of a correlated orbital within its spin. Orbitals of both spins are numbered through, alpha first. */
struct hf_mp2_orbital {
    int spin, index;
};

static inline struct hf_mp2_orbital hf_mp2_orbital(const struct hf_mp2 *mp2, int i)
{
    const int n_alpha = mp2->orbitals[0].n_occupied;
    return i < n_alpha ? (struct hf_mp2_orbital){0, i} : (struct hf_mp2_orbital){1, i - n_alpha};
}

/** hf_quartet_consumer.bound for all passes. */
void hf_mp2_bound(const struct hf_mp2 *mp2, const struct hf_shell_pair *bra, int n,
                  struct hf_waiting_ket ket[]);

/** Runs a round of work with `settings`, plus scheduler and phases (unless they are set), and counts its quartets.
 *  Collective. */
hf_status hf_mp2_run_work(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          hf_status (*run)(void *data, struct hf_worker *worker,
                                           struct hf_error *error),
                          void *data, struct hf_error *error) HF_MUST_CHECK;

/** The same with an hf_pass in each thread. */
hf_status hf_mp2_run_pass(struct hf_mp2 *mp2, const struct hf_work_settings *settings,
                          const struct hf_pass *pass, void *data,
                          struct hf_error *error) HF_MUST_CHECK;

/** An arena for memory shared by this rank's threads. */
static inline struct hf_arena hf_mp2_arena(const struct hf_mp2 *mp2, const char *label)
{
    return (struct hf_arena){
        .memory = mp2->context->memory, .kind = HF_MEMORY_MATRIX, .label = label};
}

/** Copies the occupied orbitals of both spins to rows [n][length] over orbitals, with zeros at the ends. Orbitals
 *  that do not fit are left out. The array is in the arena. NULL: no memory. */
double *hf_mp2_join_orbitals(const struct hf_mp2 *mp2, size_t length, struct hf_arena *arena);

/** First orbital of a batch, and the one after its last, numbered through both spins. */
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

/** Adds the energy of a pair of orbitals (of one spin: j <= i) from (ia|jb): [a][b], rows as long as rows over
 *  virtual orbitals of j's spin. Not collective. Each pair must be added once. */
void hf_mp2_add_pair(struct hf_mp2 *mp2, struct hf_mp2_orbital i, struct hf_mp2_orbital j,
                     const double *k_ab);

/** The same from the sums of (ia|jb)^2 / D and (ia|jb) (ib|ja) / D over some of the ab. */
void hf_mp2_add_energy(struct hf_mp2 *mp2, struct hf_mp2_orbital i, struct hf_mp2_orbital j,
                       double opposite, double same);

/** A pair of orbitals and its (iM|jN): [n] rows over the functions N, padded with zeros. */
struct hf_mp2_pair {
    int64_t number; /**< for the trace */
    struct hf_mp2_orbital i, j;
    const double *x_mn; /**< NULL: nothing to do */
};

/** Third and fourth quarter and energies of n pairs of this rank, on its threads; `pair` returns pair k. Collective;
 *  HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_mp2_finish_pairs(struct hf_mp2 *mp2, int64_t n,
                              struct hf_mp2_pair (*pair)(const void *data, int64_t k),
                              const void *data, struct hf_error *error) HF_MUST_CHECK;

/** Number of function pairs of a pair of shells. */
static inline size_t hf_mp2_n_row(const struct hf_shell_pairs *pairs, int64_t pair)
{
    return (size_t)pairs->class_of[pairs->pair[pair].pair_class].n_function;
}

/** Position of orbital i of a spin in a block of n_row function pairs. */
static inline size_t hf_mp2_place(const struct hf_mp2 *mp2, int spin, int i, size_t n_row)
{
    const struct hf_mp2_batch *batch = &mp2->batch;
    size_t n = 0;
    if (spin > 0) n = (size_t)(batch->end[0] - batch->begin[0]) * mp2->orbitals[0].length;
    return n_row * (n + (size_t)(i - batch->begin[spin]) * mp2->orbitals[spin].length);
}

/** Length of the longest rows over virtual orbitals. */
static inline size_t hf_mp2_longest(const struct hf_mp2 *mp2)
{
    const size_t first = mp2->orbitals[0].length, last = mp2->orbitals[mp2->n_spin - 1].length;
    return first > last ? first : last;
}

/** First half for the orbitals of the batch: fills mp2->block. Collective. */
hf_status hf_mp2_first_half(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** hf_mp2_algorithm.batch of `kets`, with or without derivatives. */
hf_status hf_mp2_batch_of_kets(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Second half: energies of all pairs of the batch's orbitals i with j <= i into mp2->energy. Collective. */
hf_status hf_mp2_second_half(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Frees the blocks. Not collective; there may be none. */
void hf_mp2_drop_blocks(struct hf_mp2 *mp2);

/** The algorithm for an energy with derivatives; not in the list of the others (mp2_response.h). */
extern const struct hf_mp2_algorithm hf_mp2_with_derivatives;

/** Takes the arrays of the derivatives, which begin as sums of this rank. Local. HF_NO_RESOURCE. */
hf_status hf_mp2_begin_derivatives(struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Adds up the ranks' sums. Collective. */
void hf_mp2_end_derivatives(struct hf_mp2 *mp2);

/** Exchange of columns of the rows of one orbital (exchange.c). */
struct hf_mp2_exchange {
    struct hf_mp2 *mp2;            /**< borrowed */
    int *pair_of;                  /**< [n_shell][n_shell] pair of two shells; -1: none */
    int *owner;                    /**< [n_pair] rank that has a pair of shells; -1: none */
    size_t *n_row;                 /**< [n_rank] number of function pairs of each rank */
    size_t *first_of_rank, *first; /**< [n_rank] and [n_pair]: first row in `received` */
    double *sent;                  /**< rows of this rank */
    double *received;              /**< rows of all other ranks, rank after rank, pairs ascending */
    double **where;                /**< [n_pair] address of the rows of a pair; NULL: zeros */
};

/** Sends n numbers to a rank and receives m numbers from another; n or m may be 0. */
void hf_mp2_pass_on(struct hf_context *context, int to, const double *sent, size_t n, int from,
                    double *received, size_t m);

/** Work of a rank in a round: orbital i with the orbitals j_begin .. j_end-1 of spin `other`, and the columns begin ..
 *  end-1 of its rows over virtual orbitals, in whole steps. */
struct hf_mp2_unit {
    int spin, i, other, j_begin, j_end;
    size_t begin, end;
};

/** Initialises for at most `most` columns with arrays of the arena. Collective. HF_NO_RESOURCE. */
hf_status hf_mp2_exchange_init(struct hf_mp2_exchange *exchange, struct hf_mp2 *mp2, size_t most,
                               struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;

/** Sends the columns of each rank's unit [n_rank] (negative i: none) to that rank and sets `where`. Collective. */
void hf_mp2_exchange_round(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[]);

/** Sets `where` for a unit: columns in blocks of this rank, or in `received`. Not collective. */
void hf_mp2_exchange_point(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit);

/** Sends what is in `received` back to where it came from, which replaces the columns of the units. Collective. */
void hf_mp2_exchange_return(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[]);

/** The columns of the rows (r, s) of two shells, s being function k of its shell; the row of the next r is `step`
 *  further. NULL: zeros. */
double *hf_mp2_exchange_rows(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit,
                             int shell_r, int shell_s, int k, size_t *step);

/** Arrays of a thread for products of matrices. */
struct hf_mp2_lane {
    double *packed;     /**< a left matrix */
    double *product;    /**< a result */
    const double **row; /**< of a right matrix */
    int *function;      /**< [n] */
    double n_flop, seconds;
};

/** Takes the lanes [n_thread] from the arena, which may fail, with these lengths. */
struct hf_mp2_lane *hf_mp2_make_lanes(const struct hf_mp2 *mp2, size_t n_packed, size_t n_product,
                                      size_t n_row, struct hf_arena *arena);

/** Adds operations and seconds of the lanes to the second half of the result. */
void hf_mp2_add_lanes(const struct hf_mp2 *mp2, const struct hf_mp2_lane lane[]);

/** Orbitals j of a third quarter. */
struct hf_mp2_third {
    const struct hf_mp2_exchange *exchange;
    const struct hf_mp2_unit *unit; /**< what was exchanged */
    size_t begin, end;              /**< columns of it that are transformed */
    int n_j;
    const double *orbitals; /**< C_rj [r][step] */
    size_t step;
    const double *packed; /**< the same, packed as left matrix [n_j][n] */
    double *to;           /**< [s][j][columns] */
};

/** (ia|js) = sum_r C_rj (ia|rs) for each n_thread-th shell S. */
void hf_mp2_third_quarter(const struct hf_mp2_third *third, int thread, int n_thread,
                          struct hf_mp2_lane *own);

enum {
    /** Size of the matrices of the pairs finished at a time, unless one is larger: 64 MB; and number of pairs. */
    HF_MP2_MATRIX_NUMBERS = 8000000,
    HF_MP2_MOST_PAIRS = 64,
    /** With at least this number of ranks, a rank of P1 multiplies only its own kets, strip by strip. With fewer ranks,
     *  products of a whole panel with zeros for other kets are faster: strip by strip takes five times as long in total
     *  (uracil/cc-pVDZ). */
    HF_MP2_FEW_KETS = 6,
};

#endif
