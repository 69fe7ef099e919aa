/* Strips in parts that kernels take. Compiled once per instruction set (HF_DIGEST_STRIP names the function). */
#include "digest_kernels.h"

/** Digests a part in pieces, with as many functions a and b as kernels take at a time. */
static void digest_part(const struct strip_part *whole, size_t n_b, bool j, int n_k)
{
    static strip_function *const *const kernels[2][MOST_JOBS + 1] = {
        {NULL, HF_STRIP_KERNELS(0, 1), HF_STRIP_KERNELS(0, 2)},
        {HF_STRIP_KERNELS(1, 0), HF_STRIP_KERNELS(1, 1), HF_STRIP_KERNELS(1, 2)}};
    const size_t n_part = (n_b + MOST_B - 1) / MOST_B;
    if (n_part == 1 && whole->n_a <= MOST_A) {
        kernels[j][n_k][n_b - 1](whole);
        return;
    }
    for (size_t a = 0; a < whole->n_a; a += MOST_A) {
        for (size_t i = 0; i < n_part; i++) {
            const size_t b = i * n_b / n_part;
            struct strip_part p = *whole;
            p.n_a = whole->n_a - a < MOST_A ? whole->n_a - a : MOST_A;
            if (p.value != NULL)
                p.value += a * p.x_a + b * p.n_d;
            else
                p.single += a * p.x_a + b * p.n_d;
            if (j) {
                p.job->D_ab += a * p.D_a + b * p.D_b;
                p.job->J_ab += a * p.J_a + b * p.J_b;
            }
            for (int k = 0; k < n_k; k++) {
                p.job[k].D_ac += a * p.D_c;
                p.job[k].K_ac += a * p.K_c;
                p.job[k].D_ad += a * p.D_d;
                p.job[k].K_ad += a * p.K_d;
                p.job[k].D_bc += b * p.D_c;
                p.job[k].K_bc += b * p.K_c;
                p.job[k].D_bd += b * p.D_d;
                p.job[k].K_bd += b * p.K_d;
            }
            kernels[j][n_k][(i + 1) * n_b / n_part - b - 1](&p);
        }
    }
}

static void set_coulomb(struct hf_strip_job *to, const struct hf_strip_job *from)
{
    to->D_ab = from->D_ab;
    to->D_cd = from->D_cd;
    to->J_ab = from->J_ab;
    to->J_cd = from->J_cd;
}

/** Exchanges a and b if `swapped`. */
static void set_exchange(struct hf_strip_job *to, const struct hf_strip_job *from, bool swapped)
{
    to->D_ac = swapped ? from->D_bc : from->D_ac;
    to->D_ad = swapped ? from->D_bd : from->D_ad;
    to->D_bc = swapped ? from->D_ac : from->D_bc;
    to->D_bd = swapped ? from->D_ad : from->D_bd;
    to->K_ac = swapped ? from->K_bc : from->K_ac;
    to->K_ad = swapped ? from->K_bd : from->K_ad;
    to->K_bc = swapped ? from->K_ac : from->K_bc;
    to->K_bd = swapped ? from->K_ad : from->K_bd;
}

/** Sets all members except `job`: setting the whole struct would take as long as a short strip. */
static void set_part(struct strip_part *p, const struct hf_digest_strip *s, bool swapped)
{
    const size_t n_a = (size_t)(swapped ? s->n_b : s->n_a);
    const size_t n_b = (size_t)(swapped ? s->n_a : s->n_b);
    p->value = s->value;
    p->single = s->single;
    p->n_a = n_a;
    p->n_c = (size_t)s->n_c;
    p->n_d = (size_t)s->n_d;
    p->x_a = n_b * p->n_d;
    p->x_c = n_a * p->x_a;
    p->D_a = swapped ? 1 : s->density_leading_b;
    p->D_b = swapped ? s->density_leading_b : 1;
    p->J_a = swapped ? 1 : s->leading_b;
    p->J_b = swapped ? s->leading_b : 1;
    p->D_c = s->density_leading_c;
    p->D_d = s->density_leading_d;
    p->K_c = s->leading_c;
    p->K_d = s->leading_d;
    p->origin = s->origin;
}

/** Each pass does J of one density and K of two, until all are done. */
void HF_DIGEST_STRIP(const struct hf_digest_strip *s)
{
    const bool swapped = s->n_b == 1; /* the longer loop is that over b */
    const size_t n_b = (size_t)(swapped ? s->n_a : s->n_b);
    struct strip_part p;
    set_part(&p, s, swapped);
    for (int next_j = 0, next_k = 0;;) {
        bool j = false;
        int n_k = 0;
        for (; next_j < s->n_job && !j; next_j++)
            if ((j = s->job[next_j].J_ab != NULL)) set_coulomb(p.job, &s->job[next_j]);
        for (; next_k < s->n_job && n_k < MOST_JOBS; next_k++)
            if (s->job[next_k].K_ac != NULL) set_exchange(&p.job[n_k++], &s->job[next_k], swapped);
        if (!j && n_k == 0) return;
        digest_part(&p, n_b, j, n_k);
    }
}
