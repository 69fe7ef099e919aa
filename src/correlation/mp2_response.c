/* Derivatives of MP2: the algorithm, its memory, and sums over ranks. */
#include "mp2_response.h"
#include "panel.h"

#include <math.h>
#include <string.h>

/* ---- The algorithm --------------------------------------------------------------------------- */

/** Sizes that follow from those of a calculation: of both spins together, and the larger of the spins. */
struct sizes {
    double o, v, rows, squares;       /**< squares: of o and of v; rows: pairs jb */
    double longest, length, n_thread; /**< rows over virtual orbitals and over functions */
    double uneven;                    /**< share of a rank over the mean */
    int most_virtual;
};

static struct sizes find_sizes(const struct hf_mp2_size *size)
{
    struct sizes sizes = {.longest = hf_mp2_size_longest(size),
                          .length = (double)hf_padded(size->n_function),
                          .n_thread = fmax(1.0, size->n_thread),
                          .uneven = size->n_rank > 1 ? HF_MP2_IMBALANCE : 1.0};
    for (int spin = 0; spin < size->n_spin; spin++) {
        const double o = size->n_correlated[spin], v = size->n_virtual[spin];
        sizes.o += o;
        sizes.v += v;
        sizes.rows += o * v;
        sizes.squares += o * o + v * v;
        if (size->n_virtual[spin] > sizes.most_virtual) sizes.most_virtual = size->n_virtual[spin];
    }
    return sizes;
}

/** hf_mp2_amplitudes. */
static double amplitude_words(const struct hf_mp2_size *size, const struct sizes *of, double n_i)
{
    const double n = size->n_function, width = (double)hf_mp2_block_width(of->most_virtual);
    const double sent = size->n_rank > 1 ? 1.0 + (of->uneven - 1.0) / size->n_rank : 0.0;
    const int n_unit = n_i > 1.0 ? (int)n_i : 1;
    const double room =
        (double)(hf_mp2_amplitude_room((size_t)of->rows, (size_t)of->o, of->most_virtual,
                                       of->most_virtual, size->n_rank, n_unit) +
                 hf_mp2_amplitude_room((size_t)(n * of->o), 0, of->most_virtual, of->most_virtual,
                                       size->n_rank, n_unit));
    const double together = hf_mp2_blocks_together(of->most_virtual, size->n_rank, n_unit);
    const double turned = of->longest + of->length;
    const double of_thread = of->o * fmax(n, 24.0 * width) + n * width + 24.0 * turned +
                             of->longest * width * of->o / 16.0;
    return n * (3.0 * of->o + of->v) + sent * size->n_row * width * together + room +
           width * (n * of->o + of->rows + of->o * turned) + 16.0 * of->o * of->o +
           of->n_thread * of_thread;
}

/** hf_mp2_second_pass. */
static double second_words(const struct hf_mp2_size *size, const struct sizes *of, double n_i)
{
    const double n = size->n_function;
    const double of_thread = n * of->length + n_i * (2.0 * of->length + 4.0 * n);
    return hf_mp2_panel_words(size, n_i) + n * (n_i + of->v) + of->n_thread * of_thread;
}

static struct hf_mp2_words words(const struct hf_mp2_size *size, double n_i)
{
    const struct sizes of = find_sizes(size);
    const double n = size->n_function, sums = n * (of.o + of.v) + of.squares;
    return (struct hf_mp2_words){
        .work = sums + fmax(amplitude_words(size, &of, n_i), second_words(size, &of, n_i)),
        .kept = of.uneven * size->n_row * of.longest * n_i / size->n_rank};
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

hf_status hf_mp2_begin_derivatives(struct hf_mp2 *mp2, const struct hf_wavefunction *wavefunction,
                                   struct hf_error *error)
{
    struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    const size_t n = (size_t)mp2->merged->n_function;
    result->arena = hf_mp2_arena(mp2, "derivatives of MP2");
    result->n_spin = mp2->n_spin;
    result->n_atom = wavefunction->molecule->n_atom;
    result->n_frozen_virtual = mp2->settings->n_frozen_virtual;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
        const size_t o = (size_t)orbitals->n_occupied, v = (size_t)orbitals->n_virtual;
        result->n_orbital[spin] = wavefunction->spin[spin].n_orbital;
        result->n_occupied[spin] = wavefunction->spin[spin].n_occupied;
        result->n_frozen[spin] = result->n_occupied[spin] - orbitals->n_occupied;
        HF_TAKE(&result->arena, result->of_occupied[spin], o * hf_padded(orbitals->n_occupied));
        HF_TAKE(&result->arena, result->of_virtual[spin], v * orbitals->length);
        HF_TAKE(&result->arena, result->steps[spin], (o + v) * n);
    }
    HF_TAKE(&result->arena, result->slope_steps, (size_t)result->n_atom);
    HF_TAKE(&result->arena, result->slope, (size_t)result->n_atom);
    return hf_arena_check(&result->arena, error);
}

/** Adds steps over the ranks, in pieces that MPI can count. */
static void reduce(MPI_Comm comm, size_t n, int64_t sum[])
{
    const size_t most = (size_t)1 << 28;
    for (size_t k = 0; k < n; k += most)
        MPI_Allreduce(MPI_IN_PLACE, sum + k, (int)(n - k < most ? n - k : most), MPI_INT64_T,
                      MPI_SUM, comm);
}

/** Numbers from n steps, in their place. */
static double *convert(size_t n, int64_t steps[])
{
    double *number = (double *)(void *)steps;
    for (size_t k = 0; k < n; k++) {
        int64_t step;
        memcpy(&step, &steps[k], sizeof step);
        const double value = HF_SLOPE_STEP * (double)step;
        memcpy(&number[k], &value, sizeof value);
    }
    return number;
}

void hf_mp2_end_derivatives(struct hf_mp2 *mp2)
{
    MPI_Comm comm = mp2->context->comm;
    struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
        const int o = orbitals->n_occupied, v = orbitals->n_virtual;
        const size_t n = (size_t)(o + v) * (size_t)mp2->merged->n_function;
        reduce(comm, (size_t)o * hf_padded(o), result->of_occupied[spin]);
        reduce(comm, (size_t)v * orbitals->length, result->of_virtual[spin]);
        reduce(comm, n, result->steps[spin]);
        result->lagrangian[spin] = convert(n, result->steps[spin]);
        result->steps[spin] = NULL;
        hf_mix_orbitals(mp2->merged, true, o + v, result->lagrangian[spin]);
    }
    hf_slope_sums_add(comm, result->n_atom, result->slope_steps, result->slope);
}

/* ---- As matrices ----------------------------------------------------------------------------- */

/** What element-wise functions read. */
struct elements {
    const struct hf_mp2_derivatives *from;
    int spin, n; /**< n: functions */
};

/** Number of orbital q among the correlated ones; -1: frozen. */
static int correlated(const struct elements *of, int q)
{
    const struct hf_mp2_derivatives *from = of->from;
    const int first = from->n_frozen[of->spin];
    return q < first || q >= from->n_orbital[of->spin] - from->n_frozen_virtual ? -1 : q - first;
}

static double density(void *data, int p, int q, double value)
{
    const struct elements *of = data;
    const struct hf_mp2_derivatives *from = of->from;
    const int x = correlated(of, p), y = correlated(of, q);
    const int o = from->n_occupied[of->spin] - from->n_frozen[of->spin];
    const int v = from->n_orbital[of->spin] - from->n_frozen_virtual - from->n_occupied[of->spin];
    (void)value;
    if (x < 0 || y < 0 || (x < o) != (y < o)) return 0.0;
    const int64_t step =
        x < o ? from->of_occupied[of->spin][(size_t)x * hf_padded(o) + (size_t)y]
              : from->of_virtual[of->spin][(size_t)(x - o) * hf_padded(v) + (size_t)(y - o)];
    return HF_SLOPE_STEP * (double)step;
}

void hf_mp2_get_density(const struct hf_mp2_derivatives *from, int spin, struct hf_matrix *to)
{
    hf_matrix_map(to, density, &(struct elements){.from = from, .spin = spin});
}

static double lagrangian(void *data, int function, int q, double value)
{
    const struct elements *of = data;
    const int x = correlated(of, q);
    (void)value;
    return x < 0 ? 0.0
                 : of->from->lagrangian[of->spin][(size_t)x * (size_t)of->n + (size_t)function];
}

hf_status hf_mp2_get_lagrangian(const struct hf_mp2_derivatives *from, int spin,
                                struct hf_linalg *linalg, const struct hf_matrix *coefficient,
                                struct hf_matrix *to, struct hf_error *error)
{
    const int n = hf_matrix_n_row(coefficient);
    struct hf_matrix *of_functions = NULL;
    HF_CHECK(hf_matrix_create(linalg, "derivatives by orbitals", n, from->n_orbital[spin],
                              &of_functions, error));
    hf_matrix_map(of_functions, lagrangian, &(struct elements){.from = from, .spin = spin, .n = n});
    hf_matrix_multiply(2.0, true, coefficient, false, of_functions, 0.0, to);
    hf_matrix_destroy(&of_functions);
    return HF_OK;
}

void hf_mp2_derivatives_done(struct hf_mp2_derivatives *derivatives)
{
    hf_arena_done(&derivatives->arena);
    *derivatives = (struct hf_mp2_derivatives){.opposite = derivatives->opposite,
                                               .same = derivatives->same,
                                               .energy = derivatives->energy};
}
