/* The parts of a localisation. */
#ifndef HF_LOCALISE_PRIVATE_H
#define HF_LOCALISE_PRIVATE_H

#include "base/arena.h"
#include "localise/localise.h"

#include <stdint.h>

/** What is maximised: sum over i and centres A of Q^A_ii^2. Constant tables. */
struct hf_localise_ops {
    const char *name;
    int n_vector; /**< vectors of n numbers of an orbital: C_i, and S C_i or x C_i, y C_i, z C_i */
    /** Number of centres. */
    int (*n_centre)(const struct hf_basis *basis);
    /** Q^A_ij of two orbitals, q[n_centre]; the vectors of an orbital one after another. */
    void (*elements)(const struct hf_basis *basis, const double *i, const double *j, double q[]);
};

extern const struct hf_localise_ops hf_localise_pm, hf_localise_boys;

/** Q^A_ij, i <= j; centre -1: the derivative by the rotation of both instead. */
struct hf_pair_element {
    int i, j, centre;
    double value;
};

struct hf_pair_list {
    struct hf_pair_element *element;
    int n;
    int64_t n_room;
    bool failed; /**< no memory */
};

/** Orbitals being rotated. Each has `length` numbers: its vectors [ops->n_vector][n], then [n_orbital] the orbital
 *  in canonical ones. They are in blocks of some orbitals, which move between ranks as in a tournament: a round has
 *  every block at a seat with one other block; in n_block - 1 rounds each meets each.
 *
 *      position   0    1    2   ...            a seat is two positions, one below the other
 *                 B-1  B-2  B-3 ...            block 0 stays, the others go on by one position a round
 *
 *  Neighbouring seats belong to one rank. Rotations of different seats commute, so that orbitals do not depend
 *  on who has which seat. */
struct hf_sweeps {
    struct hf_context *context;   /**< borrowed */
    const struct hf_basis *basis; /**< borrowed */
    const struct hf_localise_ops *ops;
    struct hf_arena arena; /**< of all arrays: released with it */
    int n_thread;
    int n_orbital, n_block; /**< n_block is even */
    int round;              /**< of the tournament, from 0 to n_block - 2 */
    size_t length;
    double **block; /**< [n_block] [orbitals of it][length]; NULL: of another rank */
    int n_spare;
    double **spare;   /**< buffers for blocks that arrive */
    double *elements; /**< [n_thread][3][n_centre] */
    const double
        *angle; /**< [n_orbital][n_orbital] rotations of this sweep, i < j; NULL: the best ones */
    struct hf_pair_list
        *list; /**< [n_thread] this sweep lists elements and rotates nothing; or NULL */
    double *largest, *of_orbital; /**< rooms: [n_thread] rotations; [n_orbital] */
    struct hf_pair_list *lists;   /**< [n_thread] room */
};

/** Sizes and room; collective. HF_NO_RESOURCE. */
hf_status hf_sweeps_init(struct hf_sweeps *sweeps, struct hf_error *error) HF_MUST_CHECK;

/** The numbers of orbital i; NULL: another rank has it. */
double *hf_sweeps_orbital(const struct hf_sweeps *sweeps, int i);

/** A sweep over all pairs of orbitals. Collective; *largest is the largest rotation, the same on every rank. */
hf_status hf_sweeps_run(struct hf_sweeps *sweeps, double *largest,
                        struct hf_error *error) HF_MUST_CHECK;

/** Derivatives of the sum at these orbitals. */
struct hf_curvature {
    struct hf_context *context; /**< borrowed */
    int n_thread;
    int n_orbital, n_centre, n_element, n_pair;
    struct hf_arena arena; /**< of all arrays but `element` */
    struct hf_pair_element
        *element;       /**< [n_element] rising; of each pair the derivative comes first */
    int *first;         /**< [n_pair + 1] elements of pairs i < j */
    int *first_partner; /**< [n_orbital + 1] */
    struct hf_pair_partner {
        int orbital, pair;
    } * partner;               /**< of each orbital, rising */
    int *pair_of;              /**< [n_thread][n_orbital] room */
    double *diagonal, *change; /**< [n_orbital][n_centre] Q_ii; room */
    double *gradient;          /**< [n_pair] */
    double *own;               /**< [n_pair] the diagonal of H */
    double *x;                 /**< [n_pair + 1] room: x, and whether there is one */
    double *part;              /**< [2][n_pair] room: products' terms of orbital i, of j */
    int n_product;             /**< so far */
};

/** Whether an element that follows the first of a pair is of this pair, too. */
static inline bool hf_same_pair(const struct hf_curvature *curvature,
                                const struct hf_pair_element *element,
                                const struct hf_pair_element *first)
{
    return element < curvature->element + curvature->n_element && element->i == first->i &&
           element->j == first->j;
}

/** Fills the rest from context, n_thread, n_orbital, n_centre and elements, which it owns, in any order. Local.
 *  HF_NO_RESOURCE. */
hf_status hf_curvature_init(struct hf_curvature *curvature, struct hf_memory *memory,
                            struct hf_error *error) HF_MUST_CHECK;
void hf_curvature_done(struct hf_curvature *curvature);

/** product [n_pair] = H x, with the same bits on any number of ranks and threads. Rank 0 calls it, while the others serve,
 *  until rank 0 ends that. */
void hf_curvature_multiply(struct hf_curvature *curvature, const double x[], double product[]);
void hf_curvature_serve(struct hf_curvature *curvature);
void hf_curvature_end(struct hf_curvature *curvature);

struct hf_second_order {
    double largest;   /**< radians: largest rotation */
    double curvature; /**< highest one that was found */
    bool saddle;      /**< it leads away from a saddle */
    int n_product;    /**< of H with a vector */
    int n_pair;       /**< length of this */
};

/** Sets angle [n_orbital][n_orbital] of pairs i < j, the same on every rank. Collective. HF_NO_RESOURCE. */
hf_status hf_second_order_step(struct hf_curvature *curvature, struct hf_second_order *step,
                               double angle[], struct hf_error *error) HF_MUST_CHECK;

/** Rotates by a second-order step, unless it is no saddle and the largest rotation is at most `least`. Collective.
 *  HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_sweeps_step(struct hf_sweeps *sweeps, double least, struct hf_second_order *step,
                         struct hf_error *error) HF_MUST_CHECK;

/** Sum of Q^A_ii^2, the same on every rank. Collective. */
double hf_sweeps_value(struct hf_sweeps *sweeps);

/** Orbitals to begin with: u [n_orbital][n_orbital], u[k] is orbital k in canonical ones of coefficients [n][n_orbital],
 *  from a Cholesky decomposition of their density with the largest pivots. The same on every rank. Collective.
 *  HF_NO_RESOURCE. Source: Aquilante, Pedersen, Sanchez de Meras, Koch, J. Chem. Phys. 125, 174101 (2006). */
hf_status hf_localise_start(struct hf_context *context, const struct hf_matrix *coefficient,
                            double u[], struct hf_error *error) HF_MUST_CHECK;

/** Fills coefficient, overlap, population, centres and spreads from orbitals [n][localised->n]. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_localised_describe(struct hf_context *context, const struct hf_wavefunction *wave,
                                const struct hf_localise_settings *settings,
                                const struct hf_matrix *orbitals, struct hf_localised *localised,
                                struct hf_error *error) HF_MUST_CHECK;

#endif
