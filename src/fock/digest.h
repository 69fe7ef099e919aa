/* From a computed shell quartet to J and K. */
#ifndef HF_DIGEST_H
#define HF_DIGEST_H

#include "hf/units.h"

#include <stdbool.h>
#include <stddef.h>

/** Most functions of a shell: a merged one of Cartesian functions. */
enum { HF_MAX_SHELL_FUNCTION = HF_MAX_SHELL_PART * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

/** How the densities of a build, and the sums they are digested into, stand side by side: element by
 *  element, those of one matrix element next to each other. Of `n` densities the first `n_exchange`
 *  have K, those from `first_coulomb` on have J:
 *
 *      density        0  ...  first_coulomb  ...  n_exchange  ...  n
 *      has               K         |       J and K     |     J             */
struct hf_job_shape {
    int n, first_coulomb, n_exchange;
};

static inline int hf_n_coulomb(const struct hf_job_shape *jobs)
{
    return jobs->n - jobs->first_coulomb;
}

/** What the screening tells apart: densities with J (and K, or not), and those with K alone. */
enum { HF_WITH_COULOMB, HF_EXCHANGE_ALONE, HF_N_BOUND };

static inline int hf_group_of_job(const struct hf_job_shape *jobs, int job)
{
    return job < jobs->first_coulomb ? HF_EXCHANGE_ALONE : HF_WITH_COULOMB;
}

/** The blocks that a quartet (ab|cd) meets in one density and its sums, each from the first
 * function of its shells on; rows are those of the first letter. The sums are not symmetric yet:
 * what a quartet adds goes to the block named, never to its mirror image. J sums are NULL when not
 *  wanted, likewise K sums. */
struct hf_digest_blocks {
    const double *D_ab, *D_cd, *D_ac, *D_ad, *D_bc, *D_bd;
    double *J_ab, *J_cd;
    double *K_ac, *K_ad, *K_bc, *K_bd;
};

/** A computed quartet, an array [a][b][c][d]. */
struct hf_digest_quartet {
    const double *value;
    int n[4]; /**< functions of a, b, c, d */
    /** Elements from one row to the next in blocks whose columns are b, c, d ([0] is not used): in
     *  densities, in sums. */
    size_t density_leading[4], leading[4];
    size_t density_step, coulomb_step, exchange_step; /**< doubles of an element of all jobs */
    double degeneracy; /**< how many of the 8 permutations are different */
};

/** Most functions of the shells that digest_lanes takes. */
enum { HF_MAX_LANE_FUNCTION = 16 };

/** Densities that digest_lanes takes at a time, and doubles of its work space. */
enum {
    HF_MAX_BESIDE = 2,
    HF_LANE_WORK = 8 * HF_MAX_LANE_FUNCTION * HF_MAX_LANE_FUNCTION * HF_MAX_BESIDE * HF_LANES,
};

/** The blocks of HF_LANES quartets for one pair of letters, each from the first functions of its
 *  shells on, all jobs side by side. A lane without a density or sums is NULL there, and what it has
 *  is left out. */
struct hf_lane_blocks {
    const double *density[HF_LANES];
    double *sum[HF_LANES];
    size_t density_leading[HF_LANES], leading[HF_LANES]; /**< doubles from one row to the next */
};

/** The blocks cd, ca, cb, da, db; rows are those of the first letter. */
enum { HF_BLOCK_CD, HF_BLOCK_CA, HF_BLOCK_CB, HF_BLOCK_DA, HF_BLOCK_DB, HF_N_LANE_BLOCK };

/** HF_LANES quartets with one bra ab, side by side: [c][d][a][b][HF_LANES]. */
struct hf_digest_lanes {
    struct hf_job_shape jobs;
    double *work;        /**< [HF_LANE_WORK], begins with a vector's alignment */
    const double *value; /**< NULL: they are in `single` */
    const float *single;
    int n[4];                    /**< functions of a, b, c, d; HF_MAX_LANE_FUNCTION at most */
    double degeneracy[HF_LANES]; /**< 0 for lanes that add nothing to J */
    const double *D_ab;          /**< NULL: no J */
    double *J_ab;
    size_t density_leading, leading;                  /**< of these two, in doubles */
    bool exchange[HF_N_BOUND];                        /**< some lane adds to these K */
    double exchange_degeneracy[HF_N_BOUND][HF_LANES]; /**< 0 for lanes that do not add to them */
    struct hf_lane_blocks block[HF_N_LANE_BLOCK];
};

/** What a strip (see below) meets of one density, and what it adds to: matrices or blocks in rows, the
 *  second letter the columns, each from the first functions of its shells on. They may overlap: a and b
 *  may be one shell, and so on. Sums are not symmetric yet, as in hf_digest_blocks. Rows over d may be
 *  read, and written unchanged, up to HF_STRIP_SLACK numbers behind their ends. */
struct hf_strip_job {
    const double *D_ab, *D_cd;               /**< NULL: no J */
    const double *D_ac, *D_ad, *D_bc, *D_bd; /**< NULL: no K */
    double *J_ab, *J_cd;
    double *K_ac, *K_ad, *K_bc, *K_bd;
};

/** Numbers of slack behind densities, sums and strips. */
enum { HF_STRIP_SLACK = 8 };

/** Integrals of one bra ab with functions c of one atom and a run of functions d of the other:
 *  [c][a][b][d], each times the degeneracy of its quartet, 0 where there is none. c may be one shell
 *  or several that follow each other. */
struct hf_digest_strip {
    const double *value; /**< NULL: they are in `single` */
    const float *single;
    int n_a, n_b, n_c, n_d; /**< functions, any number */
    /** Elements from one row to the next where the columns are b, c, d: in densities, in sums; the
     *  same for all jobs. */
    size_t density_leading_b, density_leading_c, density_leading_d;
    size_t leading_b, leading_c, leading_d;
    int n_job;
    const struct hf_strip_job *job; /**< [n_job] */
};

struct hf_digest_kernels {
    /** Adds the quartet to the blocks of one density: to J or to K, or to both of a lone density. */
    void (*digest)(const struct hf_digest_quartet *quartet, const struct hf_digest_blocks *blocks);

    /** Adds the quartet to K of two densities that stand side by side. */
    void (*digest_two)(const struct hf_digest_quartet *quartet,
                       const struct hf_digest_blocks *first);

    /** The same of HF_LANES quartets for all densities. */
    void (*digest_lanes)(const struct hf_digest_lanes *quartets);

    /** Adds a strip to the sums of every job:
     *      J_ab += x D_cd   J_cd += x D_ab
     *      K_ac += x D_bd   K_ad += x D_bc   K_bc += x D_ad   K_bd += x D_ac */
    void (*digest_strip)(const struct hf_digest_strip *strip);
};

void hf_digest_strip_portable(const struct hf_digest_strip *strip);
#ifdef HF_HAVE_X86_KERNELS
void hf_digest_strip_avx2(const struct hf_digest_strip *strip);
void hf_digest_strip_avx512(const struct hf_digest_strip *strip);
#endif

extern const struct hf_digest_kernels hf_digest_portable;
#ifdef HF_HAVE_X86_KERNELS
extern const struct hf_digest_kernels hf_digest_avx2;
extern const struct hf_digest_kernels hf_digest_avx512;
#endif

#endif
