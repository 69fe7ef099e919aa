/* Which kets a bra RS needs. Of the pairs ij with j on the bra, and with p_i(N) the largest |P| of a shell and the PAOs
 * in the domain of i of the kind that the pair's [ij]+ needs,
 *
 *     x_ij   = max of |L_Rj| max(p_i(S), p_j(S)) and |L_Sj| max(p_i(R), p_j(R))
 *     V_i(N) = max over j of x_ij max(p_i(N), p_j(N))
 *
 * the kets MN add no more than bound(RS) bound(MN) max over i of |L_Mi| V_i(N) and |L_Ni| V_i(M) to integrals (ia|jb). */
#ifndef HF_LOCAL_SCREEN_H
#define HF_LOCAL_SCREEN_H

#include "base/arena.h"
#include "local_transform.h"

#include <stdint.h>

/** A pair of orbitals that the bra is needed for: i goes with kets, j with the bra. */
struct hf_local_link {
    int i, j, pair;
    enum hf_local_reach reach; /**< of the domains */
    double x;
};

/** Of a thread. */
struct hf_local_screen {
    const struct hf_local_integrals *integrals; /**< borrowed */
    const struct hf_shell_pair *bra;
    int n;        /**< orbitals i */
    int *orbital; /**< [n], by place if there are places */
    int *number;  /**< [n_orbital] places in `orbital`; -1: not there */
    int n_link;
    int64_t link_room;
    struct hf_local_link *link; /**< [n_link], those of each j together */
    int *first_link;            /**< [n_orbital][2] links of an orbital j: begin, end */
    double *of_i[HF_N_LOCAL_REACH],
        *of_j
            [HF_N_LOCAL_REACH]; /**< [n_orbital] largest x_ij of i, of j; of each kind of domains */
    double *l[2], *p[2][HF_N_LOCAL_REACH]; /**< [n_orbital] |L| of R, S; p of these, of each kind */
    struct hf_scratch
        v; /**< [n_shell + n_site][n] V, largest of each site's shells; rows whose `most` is 0 are not set */
    double *most;   /**< [n_shell + n_site] largest of each row of V */
    int *raised;    /**< [n_orbital] orbitals linked with one, by number */
    double *factor; /**< [n_orbital] their x */
};

/** With arrays of the arena, which may fail. Local. */
void hf_local_screen_init(const struct hf_local_integrals *integrals, struct hf_arena *arena,
                          struct hf_local_screen *screen);

/** Begins a bra. False: no memory. */
bool hf_local_screen_begin(struct hf_local_screen *screen, int64_t bra);

/** hf_quartet_consumer.least_bound and .bound. */
double hf_local_screen_least_bound(const struct hf_local_screen *screen,
                                   const struct hf_part_ket *kets);
void hf_local_screen_bound(const struct hf_local_screen *screen, int n,
                           struct hf_waiting_ket ket[]);

/** V_i of a site for orbital number k of the screen. */
static inline double hf_local_screen_site(const struct hf_local_screen *screen, int site, int k)
{
    const size_t row = (size_t)(screen->integrals->merged->n_shell + site);
    return screen->v.value[row * (size_t)screen->n + (size_t)k];
}

/** The largest V_i of a site. */
static inline double hf_local_screen_most(const struct hf_local_screen *screen, int site)
{
    return screen->most[screen->integrals->merged->n_shell + site];
}

/** The bras of a task, of a thread. */
struct hf_local_group {
    const struct hf_local_integrals *integrals; /**< borrowed */
    int64_t bra;                                /**< first of the task */
    int n_bra;
    struct hf_local_screen screen[HF_MOST_TASK_BRAS]; /**< of each bra */
    int n;                                            /**< orbitals i that meet any bra */
    int *orbital;                                     /**< [n], by place */
    int *number;             /**< [n_orbital] places in `orbital`; -1: not there */
    struct hf_scratch reach; /**< [sites][n] largest bound V of the bras */
    double *most_reach;      /**< [sites] largest of each */
    float *
        needed; /**< [n_bra + 1][n][n_atom] largest X_j of a bra for (ia|rs), 0: not needed; largest of the bras */
};

/** With arrays of the arena, which may fail. Local. */
void hf_local_group_init(const struct hf_local_integrals *integrals, struct hf_arena *arena,
                         struct hf_local_group *group);

/** Begins n_bra bras, from `bra` on. False: no memory. */
bool hf_local_group_begin(struct hf_local_group *group, int64_t bra, int n_bra);

/** Row `slot` of `needed` for orbital number i: that of a bra, or of all of them (n_bra). */
static inline float *hf_local_needed(const struct hf_local_group *group, int slot, int i)
{
    return group->needed + ((size_t)slot * (size_t)group->n + (size_t)i) *
                               (size_t)group->integrals->paos->n_column_part;
}

#endif
