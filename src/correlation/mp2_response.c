/* Derivatives of MP2: the algorithm, its memory, and sums over ranks. */
#include "mp2_response.h"
#include "panel.h"

#include <math.h>
#include <string.h>

/* ---- The algorithm --------------------------------------------------------------------------- */

static struct hf_mp2_words words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function, o = hf_mp2_size_orbitals(size);
    const double v = hf_mp2_size_longest(size), length = (double)hf_padded(size->n_function);
    const double n_rank = size->n_rank, n_thread = fmax(1.0, size->n_thread);
    const double uneven = size->n_rank > 1 ? HF_MP2_IMBALANCE : 1.0;
    const double sent = size->n_rank > 1 ? 1.0 + uneven / n_rank : 0.0;
    const double sums = 2.0 * n * (o + size->n_spin * v) + 3.0 * size->n_spin * n * n;
    const double amplitudes = n * o * v + 2.0 * o * v * v + size->n_spin * n * v + 2.0 * n * o +
                              n_thread * (3.0 * n * v + 2.0 * o * (n + v)) + sent * size->n_row * v;
    const double of_thread = size->most_functions * (n * length + 2.0 * n_i * length) +
                             5.0 * n_i * length + n * (n_i + 2.0 * size->n_spin * v);
    const double second =
        hf_mp2_panel_words(size, n_i) + n * (2.0 * n_i + size->n_spin * v) + n_thread * of_thread;
    return (struct hf_mp2_words){.work = sums + fmax(amplitudes, second),
                                 .kept = uneven * size->n_row * v * n_i / n_rank};
}

const struct hf_mp2_algorithm hf_mp2_with_derivatives = {
    .name = "kets",
    .about = "each pair of shells with all its kets, in two passes",
    .reproducible = true,
    .words = words,
    .batch = hf_mp2_batch_of_kets,
};

struct hf_mp2_need hf_mp2_plan_derivatives(const struct hf_mp2_size *size, double memory_bytes)
{
    return hf_mp2_plan_of(&hf_mp2_with_derivatives, size, memory_bytes);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/** Sizes of the sums of a spin. */
struct sizes {
    size_t o, v, o_row, v_row, n, n_row;
};

static struct sizes sizes_of(const struct hf_mp2 *mp2, int spin)
{
    const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
    const int n = mp2->merged->n_function;
    return (struct sizes){.o = (size_t)orbitals->n_occupied,
                          .v = (size_t)orbitals->n_virtual,
                          .o_row = hf_padded(orbitals->n_occupied),
                          .v_row = orbitals->length,
                          .n = (size_t)n,
                          .n_row = hf_padded(n)};
}

hf_status hf_mp2_begin_derivatives(struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                                   struct hf_error *error)
{
    struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    result->arena = hf_mp2_arena(mp2, "derivatives of MP2");
    result->n_spin = mp2->n_spin;
    result->n_atom = wavefunction->molecule->n_atom;
    result->n_frozen_virtual = mp2->settings->n_frozen_virtual;
    result->n_removed = wavefunction->basis->n_function - wavefunction->spin[0].n_orbital;
    struct hf_mp2_sums *sums = mp2->sums = HF_TAKE(&mp2->arena, sums, 1);
    for (int spin = 0; spin < mp2->n_spin && sums != NULL; spin++) {
        const struct sizes size = sizes_of(mp2, spin);
        const int m = result->n_orbital[spin] = wavefunction->spin[spin].n_orbital;
        result->n_occupied[spin] = wavefunction->spin[spin].n_occupied;
        result->n_frozen[spin] = result->n_occupied[spin] - (int)size.o;
        HF_TAKE(&mp2->arena, sums->of_occupied[spin], size.o * size.o_row);
        HF_TAKE(&mp2->arena, sums->of_virtual[spin], size.v * size.v_row);
        HF_TAKE(&mp2->arena, sums->y_occupied[spin], size.o * size.n_row);
        HF_TAKE(&mp2->arena, sums->y_virtual[spin], size.n * size.v_row);
        HF_TAKE(&result->arena, result->density[spin], (size_t)m * (size_t)m);
        HF_TAKE(&result->arena, result->lagrangian[spin], (size_t)m * (size_t)m);
        HF_TAKE(&result->arena, result->of_removed[spin], (size_t)m * (size_t)result->n_removed);
    }
    HF_TAKE(&result->arena, result->slope, (size_t)result->n_atom);
    if (sums != NULL) HF_TAKE(&mp2->arena, sums->slope, (size_t)result->n_atom);
    HF_CHECK(hf_arena_check(&result->arena, error));
    return hf_arena_check(&mp2->arena, error);
}

/** Adds steps over the ranks, in pieces that MPI can count. */
static void reduce(MPI_Comm comm, size_t n, int64_t sum[])
{
    const size_t most = (size_t)1 << 28;
    for (size_t k = 0; k < n; k += most)
        MPI_Allreduce(MPI_IN_PLACE, sum + k, (int)(n - k < most ? n - k : most), MPI_INT64_T,
                      MPI_SUM, comm);
}

/** Adds the blocks of P to the matrix between all orbitals. */
static void write_density(const struct hf_mp2 *mp2, int spin)
{
    const struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    const struct sizes size = sizes_of(mp2, spin);
    const size_t m = (size_t)result->n_orbital[spin], first_o = (size_t)result->n_frozen[spin],
                 first_v = (size_t)result->n_occupied[spin];
    double *to = result->density[spin];
    for (size_t i = 0; i < size.o; i++)
        for (size_t j = 0; j < size.o; j++)
            to[(first_o + i) * m + first_o + j] =
                HF_SLOPE_STEP * (double)mp2->sums->of_occupied[spin][i * size.o_row + j];
    for (size_t a = 0; a < size.v; a++)
        for (size_t b = 0; b < size.v; b++)
            to[(first_v + a) * m + first_v + b] =
                HF_SLOPE_STEP * (double)mp2->sums->of_virtual[spin][a * size.v_row + b];
}

/** to [q][n_p] = Y_pq = 2 sum_m C_mp (sums)_mq, with coefficients [n_p][n] of merged functions. */
static void write_lagrangian(const struct hf_mp2 *mp2, int spin, size_t n_p,
                             const double *coefficient, double *to)
{
    const struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    const struct sizes size = sizes_of(mp2, spin);
    const size_t first_o = (size_t)result->n_frozen[spin],
                 first_v = (size_t)result->n_occupied[spin];
    for (size_t p = 0; p < n_p; p++) {
        const double *of_p = coefficient + p * size.n;
        for (size_t i = 0; i < size.o; i++) {
            double sum = 0.0;
            const int64_t *y = mp2->sums->y_occupied[spin] + i * size.n_row;
            for (size_t f = 0; f < size.n; f++) sum += of_p[f] * (double)y[f];
            to[(first_o + i) * n_p + p] = 2.0 * HF_SLOPE_STEP * sum;
        }
        for (size_t f = 0; f < size.n; f++) {
            const int64_t *y = mp2->sums->y_virtual[spin] + f * size.v_row;
            for (size_t a = 0; a < size.v; a++)
                to[(first_v + a) * n_p + p] += 2.0 * HF_SLOPE_STEP * of_p[f] * (double)y[a];
        }
    }
}

/** removed [r][n] = the removed functions, merged. Collective. */
static hf_status find_removed(const struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                              double *eigenvalue, double *removed, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = wavefunction->basis->n_function, r = mp2->settings->derivatives->n_removed;
    struct hf_matrix *overlap = NULL, *vector = NULL;
    if (r == 0) return HF_OK;
    HF_TRY(hf_matrix_create(wavefunction->linalg, "overlap", n, n, &overlap, error));
    HF_TRY(hf_matrix_create(wavefunction->linalg, "removed functions", n, r, &vector, error));
    hf_matrix_copy(wavefunction->overlap, overlap);
    HF_TRY(hf_matrix_eigen(overlap, eigenvalue, vector, error));
    hf_matrix_gather_full(vector, removed);
    hf_mix_orbitals(mp2->merged, r, removed);
cleanup:
    hf_matrix_destroy(&vector);
    hf_matrix_destroy(&overlap);
    return status;
}

hf_status hf_mp2_end_derivatives(struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                                 struct hf_error *error)
{
    hf_status status;
    MPI_Comm comm = mp2->context->comm;
    struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    struct hf_arena arena = hf_mp2_arena(mp2, "orbital coefficients");
    const size_t n = (size_t)mp2->merged->n_function;
    const int last = mp2->n_spin - 1, most = result->n_orbital[0] > result->n_orbital[last]
                                                 ? result->n_orbital[0]
                                                 : result->n_orbital[last];
    double *coefficient = HF_TAKE(&arena, coefficient, n * (size_t)most);
    double *removed = HF_TAKE(&arena, removed, n * (size_t)result->n_removed);
    double *eigenvalue = HF_TAKE(&arena, eigenvalue, n);
    HF_TRY(hf_agree(comm, hf_arena_check(&arena, error), error));
    HF_TRY(find_removed(mp2, wavefunction, eigenvalue, removed, error));
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct sizes size = sizes_of(mp2, spin);
        reduce(comm, size.o * size.o_row, mp2->sums->of_occupied[spin]);
        reduce(comm, size.v * size.v_row, mp2->sums->of_virtual[spin]);
        reduce(comm, size.o * size.n_row, mp2->sums->y_occupied[spin]);
        reduce(comm, size.n * size.v_row, mp2->sums->y_virtual[spin]);
        hf_matrix_gather_full(wavefunction->spin[spin].coefficient, coefficient);
        hf_mix_orbitals(mp2->merged, result->n_orbital[spin], coefficient);
        write_density(mp2, spin);
        write_lagrangian(mp2, spin, (size_t)result->n_orbital[spin], coefficient,
                         result->lagrangian[spin]);
        write_lagrangian(mp2, spin, (size_t)result->n_removed, removed, result->of_removed[spin]);
    }
    hf_slope_sums_add(comm, result->n_atom, mp2->sums->slope, result->slope);
cleanup:
    hf_arena_done(&arena);
    return status;
}

void hf_mp2_derivatives_done(struct hf_mp2_derivatives *derivatives)
{
    hf_arena_done(&derivatives->arena);
    memset(derivatives->density, 0, sizeof derivatives->density);
    memset(derivatives->lagrangian, 0, sizeof derivatives->lagrangian);
    memset(derivatives->of_removed, 0, sizeof derivatives->of_removed);
    derivatives->slope = NULL;
}
