/* Direct inversion in the iterative subspace for amplitudes. Source: Pulay, J. Comput. Chem. 3, 556 (1982). */
#include "local_iterate.h"

#include "hf/linalg.h"

#include <math.h>

/** An array of the history; what it has does not matter. */
static bool allocate(struct hf_local_diis *self, double **array)
{
    if (*array == NULL) *array = hf_arena_take_unset(self->arena, self->n_number, sizeof **array);
    return *array != NULL;
}

void hf_local_diis_init(struct hf_local_diis *self, struct hf_context *context,
                        struct hf_arena *arena, size_t n_number)
{
    *self = (struct hf_local_diis){
        .context = context, .arena = arena, .n_number = n_number, .newest = -1};
    allocate(self, &self->step[0]);
}

bool hf_local_diis_next(struct hf_local_diis *self)
{
    self->newest = (self->newest + 1) % HF_LOCAL_HISTORY;
    if (self->n < HF_LOCAL_HISTORY) self->n++;
    return allocate(self, &self->trial[self->newest]) && allocate(self, &self->step[self->newest]);
}

/** Place of the i-th oldest one. */
static int place_of(const struct hf_local_diis *self, int i)
{
    return (self->newest - self->n + 1 + i + HF_LOCAL_HISTORY) % HF_LOCAL_HISTORY;
}

/** The equations of the least sum_ij c_i B_ij c_j with sum_i c_i = 1, for y_i = c_i / u_i with u_i = |newest| / |i|,
 *  so that norms over many orders of magnitude do no harm. False: coefficients cannot be trusted. */
static bool solve(const struct hf_local_diis *self, double coefficient[])
{
    const double largest_coefficient = 1e4;
    const int n = self->n;
    double matrix[(HF_LOCAL_HISTORY + 1) * (HF_LOCAL_HISTORY + 1)], y[HF_LOCAL_HISTORY + 1],
        u[HF_LOCAL_HISTORY];
    const double newest = self->product[self->newest][self->newest];
    for (int i = 0; i < n; i++) {
        const int p = place_of(self, i);
        if (!(self->product[p][p] > 0.0)) return false;
        u[i] = sqrt(newest / self->product[p][p]);
        y[i] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * (n + 1) + j] =
                self->product[place_of(self, i)][place_of(self, j)] * u[i] * u[j] / newest;
        matrix[i * (n + 1) + n] = matrix[n * (n + 1) + i] = u[i];
    }
    matrix[n * (n + 1) + n] = 0.0;
    y[n] = 1.0;
    if (hf_solve_symmetric(n + 1, matrix, y, NULL) != HF_OK) return false;
    for (int i = 0; i < n; i++) {
        coefficient[place_of(self, i)] = u[i] * y[i];
        if (!(fabs(u[i] * y[i]) < largest_coefficient)) return false;
    }
    return true;
}

void hf_local_diis_solve(struct hf_local_diis *self, const double dot[], double coefficient[])
{
    const size_t n_bytes = HF_LOCAL_HISTORY * sizeof *coefficient;
    for (int i = 0; i < self->n; i++) {
        const int p = place_of(self, i);
        self->product[self->newest][p] = self->product[p][self->newest] = dot[p];
    }
    /* rank 0 solves for all, so that no difference between processors can part the ranks */
    if (self->context->rank == 0)
        for (memset(coefficient, 0, n_bytes); self->n > 1 && !solve(self, coefficient); self->n--)
            memset(coefficient, 0, n_bytes);
    if (self->n == 1) coefficient[self->newest] = 1.0;
    hf_broadcast_bytes(self->context->comm, 0, n_bytes, coefficient);
    hf_broadcast_bytes(self->context->comm, 0, sizeof self->n, &self->n);
}
