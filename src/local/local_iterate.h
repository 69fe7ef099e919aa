/* The parts of the solution of Eq. 10.6, and of its correction (local_correct.c). In the pseudo-canonical orbitals of a pair, W^T S W = 1 and W^T F W = e:
 *
 *     T = W t W^T        r_ab = (W^T (K - G) W)_ab + (e_a + e_b - F_ii - F_jj) t_ab
 *
 *     G = S { sum over k /= i of F_ik T_kj  +  sum over k /= j of F_kj T_ik } S
 *
 * S stands between the domain of ij and that of kj or ik. The terms of each sum are added up, over the atoms of all
 * these domains, before S is applied. T is what ranks exchange, since they have W of their own pairs only; t and its history stay with the
 * owners. Sums over pairs are made in the order of the pairs, so that bits do not depend on ranks and threads. */
#ifndef HF_LOCAL_ITERATE_H
#define HF_LOCAL_ITERATE_H

#include "linalg/matrix_product.h"
#include "local_mp2_private.h"

#include "base/arena.h"
#include "onesided/onesided.h"

#include <stdint.h>
#include <string.h>

/* ---- Terms of G (local_residual.c) ------------------------------------------------------------------- */

struct hf_local_term {
    int pair;        /**< kj or ik */
    bool second;     /**< of the second sum, F_kj T_ik */
    bool transposed; /**< of the block of the pair */
    double factor;   /**< F_ik or F_kj */
};

/** Of all pairs of this rank; those of its pair q are begin[q] .. begin[q + 1] - 1, by sums. */
struct hf_local_terms {
    struct hf_arena *arena; /**< borrowed */
    size_t *begin;          /**< [n_own + 1] */
    int64_t n_room;
    struct hf_local_term *term;
};

/** |F_ik| |t_kj| is an upper bound of what a term adds to |r_ij|, since S between orthonormal orbitals cannot make
 *  a vector longer: terms below `least` are left out. `norm` [n_pair]: |t|. Local. HF_NO_RESOURCE. */
hf_status hf_local_terms_make(const struct hf_local *local, const double norm[], double least,
                              struct hf_local_terms *terms, struct hf_error *error) HF_MUST_CHECK;

/* ---- T of all pairs (local_amplitudes.c) ---------------------------------------------------------- */

enum { HF_LOCAL_MOST_GETS = 256 };

/** Blocks that this rank needs come in batches of its own pairs: while one batch is computed, the blocks of the next
 *  one are fetched. Replicated amplitudes are one batch. */
struct hf_local_amplitudes {
    const struct hf_local *local; /**< borrowed */
    struct hf_arena *arena;       /**< borrowed */
    double *own; /**< [n_number] blocks of this rank's pairs; a part of what follows */
    double *all; /**< replicated: of every rank, one after another */
    struct hf_onesided *onesided; /**< distributed */
    struct hf_window *window;
    int n_batch;
    int *batch_end; /**< [n_batch] places in local->own */
    int stamp;      /**< number of a batch, never used twice */
    int *mark;      /**< [n_pair] stamp of the batch that needs the pair */
    /* of the batches with even and odd numbers */
    const double **where[2]; /**< [n_pair] block of each pair that is needed */
    double *buffer[2];       /**< [n_room] */
    size_t n_room;
    double n_received;    /**< numbers from other ranks so far */
    int n_begun, n_ended; /**< gets: those in between are under way */
    struct hf_window_request request[HF_LOCAL_MOST_GETS];
};

/** Collective. HF_NO_RESOURCE. */
hf_status hf_local_amplitudes_init(struct hf_local_amplitudes *self, const struct hf_local *local,
                                   struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;
/** Ends windows; the arena frees the rest. Collective; takes half-made ones. */
void hf_local_amplitudes_done(struct hf_local_amplitudes *self);

/** This rank's blocks are ready, for all ranks. No rank reads the old ones. Collective. */
void hf_local_amplitudes_share(struct hf_local_amplitudes *self);

/** Makes the batches and their buffers. Local. HF_NO_RESOURCE. */
hf_status hf_local_amplitudes_plan(struct hf_local_amplitudes *self,
                                   const struct hf_local_terms *terms,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Fetches the blocks of a batch, in two halves. One batch may be under way, none with replicated ones. Local. */
void hf_local_amplitudes_begin(struct hf_local_amplitudes *self, const struct hf_local_terms *terms,
                               int batch);
void hf_local_amplitudes_end(struct hf_local_amplitudes *self);

/* ---- One pair (local_residual.c) ------------------------------------------------------------------ */

/** Room of a thread for matrices of the largest domain. */
struct hf_local_room {
    struct hf_arena arena;    /**< of all arrays: released with it */
    double *square[4];        /**< [n][hf_padded(n)] */
    struct hf_scratch packed; /**< a left matrix */
    int64_t n_row;
    const double **row; /**< [n_row] */
    /* of the atoms of all domains of a sum */
    int n_atom, *atom; /**< rising */
    int *place;        /**< [atoms of the molecule] their first PAO; -1 */
    struct hf_scratch sum, overlap, half;
    struct hf_scratch k;     /**< integrals of a domain */
    struct hf_scratch outer; /**< r and t of a correction */
    bool failed;             /**< no memory */
    hf_product_function *multiply;
};

/** For domains of up to n functions. False: no memory. */
bool hf_local_room_init(struct hf_local_room *room, const struct hf_local *local, int n);

/** A left matrix: element (i, k) is from[i * row_step + k * inner_step]. */
struct hf_local_left {
    int n_row, n_inner;
    const double *from;
    size_t row_step, inner_step;
};

/** to [n_row][length] = left right, right [n_inner][length], all of up to n of the room's functions. */
void hf_local_multiply(struct hf_local_room *room, struct hf_local_left left, const double *right,
                       size_t length, double *to);

/** Sums over a and b. */
struct hf_local_sums {
    double direct, exchange; /**< of T_ab X_ab and of T_ba X_ab */
};

/** F_ii + F_jj. */
static inline double hf_local_occupied_energy(const struct hf_local *local,
                                              const struct hf_local_pair *pair)
{
    return hf_local_fock_occupied(local, pair->i, pair->i) +
           hf_local_fock_occupied(local, pair->j, pair->j);
}

/** What the residual of a pair is computed from. */
struct hf_local_state {
    const struct hf_local_domain *domain; /**< that of the pair, or a larger one */
    const double *k, *t;                  /**< in it */
    const struct hf_local_terms *terms;   /**< of all pairs of this rank */
    const double *const *where; /**< [n_pair] T of the pairs in terms; NULL: T is zero everywhere */
};

/** K of the pair between the PAOs of its own domain, from K of [ij]+; NULL: no memory. Until the next call. */
const double *hf_local_own_integrals(const struct hf_local *local, const struct hf_local_pair *pair,
                                     const double *k, struct hf_local_room *room);

/** r [n_kept][n_kept] of this rank's pair q; may be t. If there is no memory, r is zero and room->failed is set. */
void hf_local_residual(const struct hf_local *local, int q, const struct hf_local_state *state,
                       double r[], struct hf_local_room *room);

/** Sums of t and x [n][n]. */
struct hf_local_sums hf_local_sums_of(size_t n, const double *t, const double *x);

/** r becomes the change of t: -r / (e_a + e_b - F_ii - F_jj). */
void hf_local_divide(const struct hf_local *local, const struct hf_local_pair *pair,
                     const struct hf_local_domain *domain, double r[]);

/** t [n_kept][n_kept] = W^T S T S W: T of this rank's pair q in the orbitals of another domain that has its own one. */
void hf_local_project(const struct hf_local *local, int q, const struct hf_local_domain *domain,
                      const double *const where[], double t[], struct hf_local_room *room);

/** Sums of the changes of t and r of pair q in state->domain, its [ij]+: what its energy lacks. No memory: 0, and
 *  room->failed. */
struct hf_local_sums hf_local_correct(const struct hf_local *local, int q,
                                      struct hf_local_state state, struct hf_local_room *room);

/** T = W t W^T of this rank's pair q: block [n][n]. */
void hf_local_back(const struct hf_local *local, int q, const double t[], double block[],
                   struct hf_local_room *room);

/* ---- History (local_diis.c) ----------------------------------------------------------------------- */

enum { HF_LOCAL_HISTORY = 8 };

/** The last t + dt of this rank's pairs, with dt as their errors, and the small matrix of <dt|dt>, the same on all
 *  ranks. The newest one is in the place of the oldest. */
struct hf_local_diis {
    struct hf_context *context; /**< borrowed */
    struct hf_arena *arena;     /**< borrowed */
    int n_thread;
    size_t n_number; /**< of this rank */
    int n, newest;   /**< how many; place of the last one */
    double *trial[HF_LOCAL_HISTORY],
        *step[HF_LOCAL_HISTORY];                        /**< [n_number]; NULL: not needed yet */
    double product[HF_LOCAL_HISTORY][HF_LOCAL_HISTORY]; /**< of places */
};

/** With room for one step, of the arena, which may fail. */
void hf_local_diis_init(struct hf_local_diis *self, struct hf_context *context,
                        struct hf_arena *arena, int n_thread, size_t n_number);

/** The next one is the newest, with room that is not set. False: no memory. */
bool hf_local_diis_next(struct hf_local_diis *self);

/** coefficient [HF_LOCAL_HISTORY] of each place, 0 for those without one: that of the shortest combined error. `dot`
 *  [HF_LOCAL_HISTORY]: of the newest dt with all. Collective. */
void hf_local_diis_solve(struct hf_local_diis *self, const double dot[], double coefficient[]);

#endif
