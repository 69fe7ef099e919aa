/* What the parts of local MP2 share. i, j, k are localised orbitals; a, b are projected atomic orbitals (PAOs), one for
 * each basis function, on that function's atom.
 *
 *     L   [function][i]          localised orbitals
 *     P   [function][a]          C_v C_v^T S, columns normalised; zero where next to nothing is left
 *     S   = P^T S_ao P           F = P^T F_ao P                     between PAOs
 *     [i] = atoms of i's domain; [ij] = [i] with [j], of strong pairs of the extended domains; PAOs of a domain in order of the functions
 *
 *     [ij]+ = [ij] with the atoms whose excitations are corrected for (local_correct.c)
 *
 *     T_ij[a][b], R_ij[a][b]:  a, b in [ij], i >= j, a goes with i;  T_ji = T_ij^T;  K_ij[a][b] = (ia|jb):  in [ij]+
 *
 * An array over pairs (T, R) is distributed: the owner of a pair has its block [n][n], n = domain->n_function, at
 * pair->offset of its part, which has local->n_number numbers. That of K has blocks of [ij]+ at pair->outer_offset of
 * local->n_integral numbers. Everything else in struct hf_local is on every rank
 * and grows as the molecule, but for W of domains, which only ranks that need it have. */
#ifndef HF_LOCAL_PRIVATE_H
#define HF_LOCAL_PRIVATE_H

#include "base/arena.h"
#include "local/local_mp2.h"
#include "localise/sparse_matrix.h"
#include "text/trace.h"

#include <stddef.h>
#include <stdint.h>

/* ---- The problem --------------------------------------------------------------------------------- */

/** A set of atoms with their PAOs: that of an orbital, or of a pair. Each set occurs once, so many pairs share one. */
struct hf_local_domain {
    struct hf_parts atoms; /**< rising; owned */
    int n_function;        /**< PAOs, those that are zero included */
    /** Pseudo-canonical orbitals, without redundant ones: W^T S W = 1, W^T F W = diag(energy). NULL on ranks that do
     *  not need them. */
    int n_kept;
    double *vector; /**< W [n_function][n_kept] */
    double *energy; /**< [n_kept] rising */
};

/** Kinds of domains of an orbital, each within the next one. */
enum hf_local_reach {
    HF_LOCAL_OWN,      /**< of weak pairs */
    HF_LOCAL_EXTENDED, /**< of strong pairs: with the atoms bonded to these, unless domains are plain */
    HF_LOCAL_OUTER, /**< of the correction of strong pairs: with atoms by correction_bonds and correction_bohr */
    HF_N_LOCAL_REACH
};

/** A strong or weak pair, i >= j. */
struct hf_local_pair {
    int i, j;
    enum hf_local_class kind;
    int domain;           /**< [ij]: place in local->domain */
    int outer;            /**< [ij]+ of its integrals and the correction: the same or larger */
    int owner;            /**< rank */
    size_t offset;        /**< of its block in the owner's part of an array over pairs */
    size_t outer_offset;  /**< the same of integrals */
    double distance_bohr; /**< between the nearest atoms of [i] and [j]; 0: they share one */
    double work;          /**< of its residual, about: multiplications */
};

/** A partner of an orbital: the pair of both. */
struct hf_local_partner {
    int orbital;
    int pair; /**< place in local->pair */
};

/** All that transformation and iterations read. */
struct hf_local {
    struct hf_context *context;               /**< borrowed */
    const struct hf_local_settings *settings; /**< borrowed */
    const struct hf_basis *
        basis; /**< published functions, by atoms; borrowed. Merge it for integrals (hf_sparse_mix) */
    const struct hf_molecule *molecule; /**< borrowed */
    struct hf_arena arena;              /**< of the arrays of domains and pairs, and this struct */
    struct hf_arena vectors;            /**< of W */
    int n_thread;                       /**< at least 1 */
    int n_orbital;                      /**< correlated ones: i, j, k */
    struct hf_localised localised;
    struct hf_sparse_matrix *orbitals; /**< L [atoms][i]: borrowed from `localised` */
    struct hf_sparse_matrix *paos;     /**< P [atoms][atoms]: column part = atom of the PAOs */
    struct hf_sparse_matrix *overlap;  /**< S [atoms][atoms], both triangles */
    struct hf_sparse_matrix *fock;     /**< F [atoms][atoms] */
    struct hf_sparse_matrix
        *fock_occupied; /**< F_ik [i][k], parts are single orbitals; both triangles */

    int n_domain;
    int64_t n_domain_room, n_pair_room;
    struct hf_local_domain *domain;           /**< [n_domain] */
    int *domain_of_orbital[HF_N_LOCAL_REACH]; /**< [n_orbital] */
    double *completeness;                     /**< [n_orbital] 1 - b^T S_dd^-1 b */
    int *
        n_degenerate; /**< [n_orbital] atoms added because their population equals that of another one */

    int n_pair;
    struct hf_local_pair *pair; /**< [n_pair] strong and weak, (i, j) rising, j <= i */
    int *first_pair;            /**< [n_orbital + 1] pairs of i with j <= i; the last is (i, i) */
    int *first_partner;         /**< [n_orbital + 1] */
    struct hf_local_partner
        *partner; /**< of each orbital k, rising: all j with a pair (k,j) or (j,k), and k itself */
    int n_own;
    int *own;          /**< [n_own] pairs of this rank, rising */
    size_t n_number;   /**< numbers of this rank in an array over pairs */
    size_t n_integral; /**< the same of integrals */
    int64_t
        *first_of_rank; /**< [n_rank + 1] where the numbers of each rank begin in an array of all */
    int *scratch;       /**< [2 n_rank] of gathers */

    /** Of the distant pairs: this is their whole energy, the same on all ranks. */
    struct hf_local_class_result distant;
};

/** The pair of two orbitals in any order; -1: it is distant. If i < j the block is that of (j,i), transposed. Not
 *  collective. */
int hf_local_find_pair(const struct hf_local *local, int i, int j);

static inline const struct hf_local_domain *hf_local_pair_domain(const struct hf_local *local,
                                                                 const struct hf_local_pair *pair)
{
    return &local->domain[pair->domain];
}

static inline const struct hf_local_domain *hf_local_outer_domain(const struct hf_local *local,
                                                                  const struct hf_local_pair *pair)
{
    return &local->domain[pair->outer];
}

/** F_ik; 0 if it is not kept. */
static inline double hf_local_fock_occupied(const struct hf_local *local, int i, int k)
{
    const double *value = hf_sparse_find(local->fock_occupied, i, k);
    return value != NULL ? *value : 0.0;
}

/** S (or F) between the PAOs of two domains: to [rows->n_function][columns->n_function]. Not collective. */
static inline void hf_local_between(const struct hf_sparse_matrix *matrix,
                                    const struct hf_local_domain *rows,
                                    const struct hf_local_domain *columns, double to[])
{
    hf_sparse_get(matrix, rows->atoms, columns->atoms, to);
}

/** Orbitals, PAOs, domains, pairs and their transformations. Collective. HF_BAD_INPUT, HF_NO_RESOURCE,
 *  HF_INTERRUPTED. */
hf_status hf_local_create(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                          const struct hf_local_settings *settings, struct hf_local **local,
                          struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts half-made ones and a pointer to NULL; leaves NULL. */
void hf_local_destroy(struct hf_local **local);

/* Steps of hf_local_create, each in a file of its own. They fill the members named. Collective. */

/** paos, overlap, fock, fock_occupied (local_paos.c). */
hf_status hf_local_make_paos(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                             struct hf_error *error) HF_MUST_CHECK;
/** Domains of orbitals (local_domains.c). */
hf_status hf_local_make_domains(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                                struct hf_error *error) HF_MUST_CHECK;
/** The pairs, their domains and owners (local_pairs.c). */
hf_status hf_local_make_pairs(struct hf_local *local, struct hf_error *error) HF_MUST_CHECK;
/** Parts of it, for pairs that have orbitals and domains: partners; owners and places of blocks from the pairs' work.
 *  Local, the same on every rank. HF_NO_RESOURCE. */
hf_status hf_local_list_partners(struct hf_local *local, struct hf_error *error) HF_MUST_CHECK;
hf_status hf_local_deal_pairs(struct hf_local *local, struct hf_error *error) HF_MUST_CHECK;
/** W of domains that this rank needs (local_vectors.c). */
hf_status hf_local_make_vectors(struct hf_local *local, struct hf_error *error) HF_MUST_CHECK;
/** Energy of the distant pairs (local_distant.c). */
hf_status hf_local_add_distant(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                               struct hf_error *error) HF_MUST_CHECK;

/** Whether weak pairs have extended domains, as strong ones have. Not collective. */
bool hf_local_extends_weak(const struct hf_local_settings *settings);

/** Place of the domain of these atoms, added if there is none yet; -1: no memory. Local. */
int hf_local_add_domain(struct hf_local *local, struct hf_parts atoms);

/** W of one domain, from S and F between its PAOs; local. HF_NO_RESOURCE. */
hf_status hf_local_domain_vectors(struct hf_local *local, struct hf_local_domain *domain,
                                  struct hf_error *error) HF_MUST_CHECK;

/* ---- Part (a): the integrals (Fig. 10.2) ---------------------------------------------------------- */

/** Fills k [local->n_integral]: (ia|jb) of this rank's pairs. Adds to bytes, sent_bytes and n_quartet of the result what this
 *  rank did. Collective. HF_NO_RESOURCE, HF_INTERRUPTED: the same on every rank. */
hf_status hf_local_transform(const struct hf_local *local, double k[],
                             struct hf_local_result *result, struct hf_error *error) HF_MUST_CHECK;

/* ---- Part (b): the amplitudes (Fig. 10.3) --------------------------------------------------------- */

/** Solves Eq. 10.6 from k [local->n_integral]: fills energies of strong and weak pairs in result->pair [local->n_pair]
 *  (all pairs, on every rank), n_iteration, converged and the changes. Amplitudes are replicated or fetched, as
 *  settings->replicated says. Collective. HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_local_iterate(const struct hf_local *local, const double k[],
                           struct hf_local_result *result, struct hf_error *error) HF_MUST_CHECK;

/* ---- Sparse blocks (pair of orbitals) x (pair of shells or domain) --------------------------------- */

/** A block: for a pair ij, what is between two parts (shells M, N of half-transformed integrals; 0, 0 for all of a
 *  domain). Another array than one over pairs may number its items in `pair`. */
struct hf_local_block {
    int pair, row, column;
    int n; /**< numbers */
    double *value;
};

/** Blocks of this rank, or of one thread of it, in the order in which they were added. Their numbers stand in chunks
 *  that never move. Initialise with {.arena = }. */
struct hf_local_blocks {
    struct hf_arena arena; /**< has the blocks and their numbers */
    size_t n_block;
    int64_t n_room;
    struct hf_local_block *block;
    size_t n_free; /**< numbers at the end of the last chunk */
    double *next;  /**< the first of these */
    double bytes;  /**< of all chunks */
};

/** Adds a block of n numbers, whatever they are; its place is valid until the list is freed or exchanged. NULL: no memory. Local. */
double *hf_local_blocks_add(struct hf_local_blocks *blocks, int pair, int row, int column, int n);

/** Frees and clears; the arena can be used again. */
void hf_local_blocks_done(struct hf_local_blocks *blocks);

/** The ranks first .. last that need a block. */
struct hf_local_ranks {
    int first, last;
};
typedef struct hf_local_ranks hf_local_needed_by(const void *data,
                                                 const struct hf_local_block *block);

/** Moves the blocks of `n_from` lists (of the threads of this rank) to the ranks that need them: one all-to-all
 *  exchange (Eq. 10.7), in pieces of a few megabytes. `to`, which is empty, gets this rank's, sorted by (pair, row,
 *  column). No two blocks of all lists may have the same place. The lists are emptied. *sent_bytes grows by what
 *  leaves this rank. Collective. HF_NO_RESOURCE, on every rank; all lists are then still to be freed. */
hf_status hf_local_blocks_exchange(struct hf_context *context, hf_local_needed_by *needed_by,
                                   const void *data, int n_from, struct hf_local_blocks from[],
                                   struct hf_local_blocks *to, double *sent_bytes,
                                   struct hf_error *error) HF_MUST_CHECK;

/** For it: the owner of a block's pair; `data` is the struct hf_local. */
struct hf_local_ranks hf_local_owner_of_pair(const void *data, const struct hf_local_block *block);

/** Blocks of a pair in a sorted list: begin .. end-1. Not collective. */
void hf_local_blocks_of_pair(const struct hf_local_blocks *blocks, int pair, size_t *begin,
                             size_t *end);

/** Records that a thread has finished the blocks of a "pair" in this span, and how many bytes they have. Not
 *  collective. */
void hf_local_trace_unit(const struct hf_local *local, int thread, int pair,
                         const struct hf_local_blocks *blocks, struct hf_trace_span span);

/* ---- Checkpoints ---------------------------------------------------------------------------------- */

/* Domains are kept, and the integrals of pairs with the orbitals that they are of. The SCF of a restart ends with orbitals
 * that differ by what its convergence leaves; with their own orbitals integrals give the amplitudes, to the last bit,
 * that they would have given without a restart. */

/** Orbitals and integrals of a checkpoint. */
struct hf_local_kept {
    struct hf_arena arena; /**< of the energies */
    bool found;
    /** borrowed, but for energies and coefficients of its orbitals */
    struct hf_wavefunction wavefunction;
    int n_number; /**< integrals */
    double digest[2];
};

/** Looks into settings->restart, if there is one, for integrals of orbitals that span the same space as the occupied ones
 *  of the wave function. Collective. HF_BAD_INPUT: it is damaged; HF_NO_RESOURCE. */
hf_status hf_local_kept_find(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             const struct hf_local_settings *settings, struct hf_local_kept *kept,
                             struct hf_error *error) HF_MUST_CHECK;

/** Whether the integrals are those of this calculation, which was made from kept->wavefunction. Local; the same on
 *  every rank. */
bool hf_local_kept_fits(const struct hf_local_kept *kept, const struct hf_local *local);

/** Integrals k [local->n_integral] of this rank's pairs. Collective. Errors as above. */
hf_status hf_local_kept_take(const struct hf_local *local, double k[],
                             struct hf_error *error) HF_MUST_CHECK;

void hf_local_kept_done(struct hf_local_kept *kept);

/** Adds to settings->checkpoint, if there is one: domains, and integrals k if it is worthwhile: if their transformation
 *  took so many seconds. What fails is a warning of the result. Collective. */
void hf_local_keep(const struct hf_local *local, const struct hf_wavefunction *wavefunction,
                   const double k[], double seconds, struct hf_local_result *result);

enum {
    HF_LOCAL_PIECE = 1 << 16,  /**< numbers of a piece of an exchange, unless a block is larger */
    HF_LOCAL_MOST_PIECES = 64, /**< numbers of a round are at most so many pieces */
    HF_LOCAL_LEAST_ROOM =
        1 << 18, /**< numbers of fetched T, at least; otherwise as many as the rank's own */
    /** Up to so many ranks share pairs one by one, if they have so few each that cuts would be uneven. */
    HF_LOCAL_MOST_SHARING = 16,
    HF_LOCAL_FEW_PAIRS = 64,
    HF_LOCAL_AXIS_STEPS = 50, /**< power iterations for the axis of a molecule */
};

#endif
