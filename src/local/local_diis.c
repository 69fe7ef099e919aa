/* Direct inversion in the iterative subspace for amplitudes. Source: Pulay, J. Comput. Chem. 3, 556 (1982). */
#include "local_iterate.h"

#include "base/threads.h"
#include "orbitals/diis.h"

/** Writes to new memory: its pages would else be found while pairs are computed, hundreds of pairs in one page. */
static void clear(void *data, int piece, struct hf_elements elements)
{
    memset((double *)data + elements.begin, 0, (elements.end - elements.begin) * sizeof(double));
    (void)piece;
}

/** An array of the history; what it has does not matter. */
static bool allocate(struct hf_local_diis *self, double **array)
{
    if (*array != NULL) return true;
    *array = hf_arena_take_unset(self->arena, self->n_number, sizeof **array);
    if (*array != NULL) hf_threads_each(self->n_thread, self->n_number, clear, *array);
    return *array != NULL;
}

void hf_local_diis_init(struct hf_local_diis *self, struct hf_context *context,
                        struct hf_arena *arena, int n_thread, size_t n_number)
{
    *self = (struct hf_local_diis){.context = context,
                                   .arena = arena,
                                   .n_thread = n_thread,
                                   .n_number = n_number,
                                   .newest = -1};
    allocate(self, &self->step[0]);
}

bool hf_local_diis_next(struct hf_local_diis *self)
{
    const struct hf_trace_span span = hf_trace_begin_span(self->context->trace);
    self->newest = (self->newest + 1) % HF_LOCAL_HISTORY;
    if (self->n < HF_LOCAL_HISTORY) self->n++;
    const bool ok =
        allocate(self, &self->trial[self->newest]) && allocate(self, &self->step[self->newest]);
    hf_trace_end_span(self->context->trace, 0, HF_TRACE_COPYING, 1, span);
    return ok;
}

/** Place of the i-th oldest one. */
static int place_of(const struct hf_local_diis *self, int i)
{
    return (self->newest - self->n + 1 + i + HF_LOCAL_HISTORY) % HF_LOCAL_HISTORY;
}

/** False: coefficients cannot be trusted. */
static bool solve(const struct hf_local_diis *self, double coefficient[])
{
    const int n = self->n;
    double product[HF_LOCAL_HISTORY * HF_LOCAL_HISTORY] = {0.0},
                                      work[HF_DIIS_WORK(HF_LOCAL_HISTORY)], found[HF_LOCAL_HISTORY];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            product[i * n + j] = self->product[place_of(self, i)][place_of(self, j)];
    if (!hf_diis_find(n, product, work, found)) return false;
    for (int i = 0; i < n; i++) coefficient[place_of(self, i)] = found[i];
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
