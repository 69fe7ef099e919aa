/* From strips of integrals to J and K: the kernels of the Fock builders. Inside hf only. */
#ifndef HF_DIGEST_H
#define HF_DIGEST_H

#include "hf/units.h"

#include <stdbool.h>
#include <stddef.h>

/** Order of the densities of a build and of their sums. Of `n` densities the first `n_exchange` have K, those
 *  from `first_coulomb` on have J:
 *
 *      density        0  ...  first_coulomb  ...  n_exchange  ...  n
 *      has               K         |       J and K     |     J
 *
 *  If J is computed apart, first_coulomb is n. The first `n_alone` densities are screened separately: they may
 *  be much smaller than the others, like spin densities. The first `n_antisymmetric` of these, and their K, are
 *  antisymmetric. */
struct hf_job_shape {
    int n, first_coulomb, n_exchange, n_alone, n_antisymmetric;
};

/** The mirror image of a block of density `job`, or of its K, is this factor times the transposed block. */
static inline double hf_mirror_factor(int n_antisymmetric, int job)
{
    return job < n_antisymmetric ? -1.0 : 1.0;
}

static inline int hf_n_coulomb(const struct hf_job_shape *jobs)
{
    return jobs->n - jobs->first_coulomb;
}

/** Groups of densities in the screening: densities with J, also if J is computed apart, and densities with K
 *  alone. If J of all densities is computed apart, they form one group, with K alone. */
enum { HF_WITH_COULOMB, HF_EXCHANGE_ALONE, HF_N_BOUND };

static inline int hf_group_of_job(const struct hf_job_shape *jobs, int job)
{
    return job < jobs->n_alone ? HF_EXCHANGE_ALONE : HF_WITH_COULOMB;
}

/** Elements of one density that a strip (see below) is multiplied by, and the sums it adds to. The letters are
 *  row and column; each pointer begins at the first functions of its shells. Arrays may overlap: a and b may be
 *  one shell, and so on. Sums are not symmetric yet: a quartet adds to the named block, never to its mirror
 *  image. Rows over d may be read, and written unchanged, up to HF_STRIP_SLACK numbers behind their ends. */
struct hf_strip_job {
    const double *D_ab, *D_cd;               /**< NULL: no J */
    const double *D_ac, *D_ad, *D_bc, *D_bd; /**< NULL: no K */
    double *J_ab, *J_cd;
    double *K_ac, *K_ad, *K_bc, *K_bd;
};

/** Numbers of slack behind densities, sums and strips. */
enum { HF_STRIP_SLACK = 8 };

/** Integrals of one bra ab with functions c of one atom and a run of functions d of another: [c][a][b][d], each
 *  times the degeneracy of its quartet, 0 if the quartet is missing. c may be one shell or several adjacent
 *  ones. */
struct hf_digest_strip {
    const double *value; /**< NULL: they are in `single` */
    const float *single;
    int n_a, n_b, n_c, n_d; /**< functions, any number */
    /** Elements from one row to the next, if columns are b, c, d: in densities, in sums; the same for all jobs. */
    size_t density_leading_b, density_leading_c, density_leading_d;
    size_t leading_b, leading_c, leading_d;
    double origin; /**< of exact sums, see digest/exact_sums.h; otherwise 0 */
    int n_job;
    const struct hf_strip_job *job; /**< [n_job] */
};

/** Adds a strip to the sums of every job:
 *      J_ab += x D_cd   J_cd += x D_ab
 *      K_ac += x D_bd   K_ad += x D_bc   K_bc += x D_ad   K_bd += x D_ac */
typedef void hf_digest_strip_function(const struct hf_digest_strip *strip);

/** The kernel for this processor, for exact sums if `exact`. */
hf_digest_strip_function *hf_digest_choose(bool exact);

void hf_digest_strip_portable(const struct hf_digest_strip *strip);
void hf_digest_strip_portable_exact(const struct hf_digest_strip *strip);
void hf_digest_strip_avx2(const struct hf_digest_strip *strip);
void hf_digest_strip_avx512(const struct hf_digest_strip *strip);

#endif
