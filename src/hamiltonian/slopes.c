/* Derivatives of the energy of a density's blocks in an operator. */
#include "base/arena.h"
#include "base/arithmetic.h"
#include "base/slope_sums.h"
#include "base/threads.h"
#include "hamiltonian_private.h"
#include "hf/interruption.h"
#include "one_electron/one_electron_gradient.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/** Shared by the threads of a rank, which take rows of the circle of the layout one by one. */
struct sharing {
    const struct hf_term_gradient *gradient;
    enum hf_operator which;
    double factor;
    int n_charge;
    const struct hf_spread_charge *charge; /**< [n_charge] of HF_CHARGES */
    int64_t (*of_charge)[3];
    atomic_int next_row;
    pthread_mutex_t lock; /**< of the sums */
};

/** Of a thread: what it adds up. */
struct sums {
    struct hf_one_electron_gradient *tools;
    int64_t (*atom)[3], (*charge)[3]; /**< [n_atom], [n_charge] steps */
    double (*of_block)[3];            /**< [n_charge] scratch */
};

/** All shells of atom i with all of atom j. */
static void add_atoms(const struct sharing *self, const struct sums *sums, int i, int j,
                      const double *element)
{
    double of_i[3] = {0.0}, of_j[3] = {0.0};
    const struct hf_basis *basis = self->gradient->basis;
    const int *first = basis->first_shell_of_atom;
    const size_t stride = (size_t)hf_atom_n_function(basis, j);
    for (int m = first[i]; m < first[i + 1]; m++) {
        const int end = i == j ? m + 1 : first[j + 1];
        for (int l = first[j]; l < end; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const struct hf_density_block block = {
                .a = a,
                .b = b,
                .factor = self->factor * (m == l ? 1.0 : 2.0),
                .element = element + hf_place_in_atom_block(basis, a, b),
                .stride = stride,
            };
            if (self->which == HF_CHARGES)
                hf_add_charges_gradient(sums->tools, &block, of_i, of_j);
            else
                hf_add_operator_gradient(sums->tools, self->which, &block, of_i, of_j);
        }
    }
    hf_slope_add(of_i, sums->atom[i]);
    hf_slope_add(of_j, sums->atom[j]);
    if (self->n_charge == 0) return;
    memset(sums->of_block, 0, (size_t)self->n_charge * sizeof *sums->of_block);
    hf_add_gradient_of_charges(sums->tools, sums->of_block);
    for (int c = 0; c < self->n_charge; c++) hf_slope_add(sums->of_block[c], sums->charge[c]);
}

/** Own blocks of the rows that this thread gets; the reason of an interruption, or 0. */
static int add_rows(struct sharing *self, const struct sums *sums)
{
    const struct hf_term_gradient *of = self->gradient;
    const int n_row = hf_block_layout_n_part(of->layout);
    int row;
    while ((row = atomic_fetch_add(&self->next_row, 1)) < n_row) {
        struct hf_own_blocks own = hf_own_blocks_begin_rows(of->layout, row, row + 1);
        struct hf_own_block here;
        while (hf_own_blocks_next(&own, &here)) {
            const int reason = hf_interruption_look(of->interruption, of->n_thread <= 1);
            if (reason != 0) return reason;
            add_atoms(self, sums, here.i, here.j, of->density + here.offset);
        }
    }
    return 0;
}

static void add_all(int n, int64_t (*from)[3], int64_t (*to)[3])
{
    for (int i = 0; i < n; i++)
        for (int x = 0; x < 3; x++) to[i][x] += from[i][x];
}

/** What one thread does. */
static hf_status work(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct sharing *self = data;
    const int n_atom = self->gradient->molecule->n_atom;
    int reason = 0;
    struct hf_arena arena = {.label = "one-electron derivatives"};
    struct sums sums = {.tools = NULL};
    HF_TAKE(&arena, sums.atom, (size_t)n_atom);
    HF_TAKE(&arena, sums.charge, (size_t)self->n_charge);
    HF_TAKE(&arena, sums.of_block, (size_t)self->n_charge);
    (void)thread;
    (void)n_thread;
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK)
        status = hf_one_electron_gradient_create(self->gradient->basis, self->n_charge,
                                                 self->charge, &sums.tools, error);
    if (status == HF_OK) {
        reason = add_rows(self, &sums);
        pthread_mutex_lock(&self->lock);
        add_all(n_atom, sums.atom, self->gradient->atom);
        add_all(self->n_charge, sums.charge, self->of_charge);
        pthread_mutex_unlock(&self->lock);
    }
    hf_one_electron_gradient_destroy(&sums.tools);
    hf_arena_done(&arena);
    return reason != 0 ? hf_interrupted(error, reason) : status;
}

static hf_status share(struct sharing *sharing, struct hf_error *error)
{
    pthread_mutex_init(&sharing->lock, NULL);
    const hf_status status = hf_threads_run(sharing->gradient->n_thread, work, sharing, error);
    pthread_mutex_destroy(&sharing->lock);
    return status;
}

hf_status hf_add_operator_slopes(const struct hf_term_gradient *gradient, enum hf_operator which,
                                 double factor, struct hf_error *error)
{
    struct sharing sharing = {.gradient = gradient, .which = which, .factor = factor};
    return share(&sharing, error);
}

hf_status hf_add_charges_slopes(const struct hf_term_gradient *gradient, int n_charge,
                                hf_charge_of *charge_of, int64_t (*of_charge)[3],
                                struct hf_error *error)
{
    struct hf_arena arena = {.label = "charges"};
    struct hf_spread_charge *charge = HF_TAKE_UNSET(&arena, charge, (size_t)n_charge);
    struct sharing sharing = {.gradient = gradient,
                              .which = HF_CHARGES,
                              .factor = 1.0,
                              .n_charge = n_charge,
                              .charge = charge,
                              .of_charge = of_charge};
    for (int c = 0; charge != NULL && c < n_charge; c++)
        charge[c] = charge_of(gradient->molecule, c);
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) status = share(&sharing, error);
    hf_arena_done(&arena);
    return status;
}

void hf_add_repulsion_slope(double product, const double a[3], const double b[3], double of_a[3],
                            double of_b[3])
{
    const double square = hf_distance_squared(a, b);
    for (int x = 0; x < 3; x++) {
        const double slope = -product * (a[x] - b[x]) / (square * sqrt(square));
        of_a[x] += slope;
        of_b[x] -= slope;
    }
}
