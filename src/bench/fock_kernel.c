/* What a Fock build of several densities costs, compared with one of closed shells. */
#include "bench_molecule.h"

#include "base/arena.h"
#include "fock/fock.h"
#include "hf/timer.h"
#include "pairs/common_pairs.h"

enum { MOST_JOBS = 8 };

/** What a build computes: J and K of the first density; K alone or both of the others. */
struct mix {
    const char *key, *about;
    int n_density;
    bool coulomb;  /**< J also of the densities after the first */
    bool one_spin; /**< the second density is that of one electron in the highest orbital */
};
static const struct mix mixes[] = {
    {"closed_shells", "closed shells", 1, false, false},
    {"one_unpaired", "one unpaired electron", 2, false, true},
    {"all_unpaired", "spin density as large", 2, false, false},
    {"two", "2 densities, J and K", 2, true, false},
    {"four", "4 densities, J and K", 4, true, false},
    {"eight", "8 densities, J and K", 8, true, false},
};
enum { N_MIX = sizeof mixes / sizeof *mixes };

enum { COMPUTED, STORED, N_WAY };
static const char *const way_name[N_WAY] = {"computed", "stored"};

/** Matrices of the builds: densities of different orbitals, all as large as that of the molecule. */
struct matrices {
    struct hf_matrix *density[MOST_JOBS], *frontier;
    struct hf_matrix *coulomb[MOST_JOBS], *exchange[MOST_JOBS];
};

static void destroy_matrices(struct matrices *m)
{
    hf_matrix_destroy(&m->frontier);
    for (int i = 0; i < MOST_JOBS; i++) {
        hf_matrix_destroy(&m->density[i]);
        hf_matrix_destroy(&m->coulomb[i]);
        hf_matrix_destroy(&m->exchange[i]);
    }
}

/** Makes a density of n orbitals from `first` on, with `electrons` in each. For number k > 0, every second
 *  group of 2^(k-1) orbitals has the opposite sign. Collective. */
static hf_status make_density(struct hf_context *context, const struct hf_wavefunction *wave,
                              int number, int first, int n, double electrons,
                              struct hf_matrix **density, struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *coefficient = wave->spin[0].coefficient;
    const int n_function = hf_matrix_n_row(coefficient);
    struct hf_matrix *left = NULL, *right = NULL;
    struct hf_arena arena = {.label = "densities"};
    double *factor = HF_TAKE(&arena, factor, (size_t)n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    for (int k = 0; k < n; k++)
        factor[k] = number > 0 && (k >> (number - 1)) % 2 ? -electrons : electrons;
    HF_TRY(hf_matrix_create(wave->linalg, "orbitals", n_function, n, &left, error));
    HF_TRY(hf_matrix_create(wave->linalg, "orbitals", n_function, n, &right, error));
    HF_TRY(hf_matrix_create(wave->linalg, "density", n_function, n_function, density, error));
    hf_matrix_copy_columns(coefficient, first, n, factor, left, 0);
    hf_matrix_copy_columns(coefficient, first, n, NULL, right, 0);
    hf_matrix_multiply_to_symmetric(1.0, false, left, true, right, *density);
cleanup:
    hf_matrix_destroy(&left);
    hf_matrix_destroy(&right);
    hf_arena_done(&arena);
    return status;
}

static hf_status make_matrices(struct hf_context *context, const struct hf_wavefunction *wave,
                               struct matrices *m, struct hf_error *error)
{
    const int n = hf_matrix_n_row(wave->spin[0].coefficient), o = wave->spin[0].n_occupied;
    HF_CHECK(make_density(context, wave, 0, o - 1, 1, 1.0, &m->frontier, error));
    for (int i = 0; i < MOST_JOBS; i++) {
        HF_CHECK(make_density(context, wave, i, 0, o, 2.0, &m->density[i], error));
        HF_CHECK(hf_matrix_create(wave->linalg, "Coulomb", n, n, &m->coulomb[i], error));
        HF_CHECK(hf_matrix_create(wave->linalg, "exchange", n, n, &m->exchange[i], error));
    }
    return HF_OK;
}

/** Times one build of one mix; *seconds: CPU time of all ranks. Collective. */
static hf_status time_build(struct hf_context *context, struct hf_fock_builder *builder,
                            const struct matrices *m, const struct mix *mix, double threshold,
                            double *seconds, struct hf_error *error)
{
    struct hf_fock_job job[MOST_JOBS];
    for (int i = 0; i < mix->n_density; i++)
        job[i] =
            (struct hf_fock_job){.density = i > 0 && mix->one_spin ? m->frontier : m->density[i],
                                 .coulomb = i == 0 || mix->coulomb ? m->coulomb[i] : NULL,
                                 .exchange = m->exchange[i]};
    const double start = hf_process_seconds();
    const hf_status status = hf_fock_build(builder, mix->n_density, job, threshold, error);
    *seconds = hf_process_seconds() - start;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_SUM, context->comm);
    return status;
}

/** Times all mixes in turn, n_repeat times. Collective. */
static hf_status time_mixes(struct hf_bench *bench, const struct hf_shell_pairs *pairs,
                            const struct hf_scf_settings *settings, const struct matrices *m,
                            double seconds[], struct hf_error *error)
{
    struct hf_fock_builder *builder = NULL;
    const double threshold = settings->screening_threshold;
    hf_status status;
    double ignored;
    HF_TRY(hf_fock_create(bench->context, pairs, &settings->fock, &builder, error));
    /* this build stores integrals, if there is memory for them */
    HF_TRY(time_build(bench->context, builder, m, &mixes[N_MIX - 1], threshold, &ignored, error));
    for (int r = 0; r < bench->n_repeat; r++)
        for (int i = 0; i < N_MIX; i++)
            HF_TRY(time_build(bench->context, builder, m, &mixes[i], threshold,
                              &seconds[i * bench->n_repeat + r], error));
cleanup:
    hf_fock_destroy(&builder);
    return status;
}

static void report(struct hf_bench *bench, int n_function, double seconds[])
{
    const int n = bench->n_repeat;
    double time[N_WAY][N_MIX];
    hf_bench_print(bench, "  Molecule      %s, %d functions\n\n", bench->input, n_function);
    hf_bench_print(bench, "  %-24s %12s  %9s  %12s  %9s\n", "CPU time of all ranks", "computed/s",
                   "ratio", "stored/s", "ratio");
    for (int i = 0; i < N_MIX; i++) {
        for (int way = 0; way < N_WAY; way++)
            time[way][i] = hf_bench_median(n, seconds + (way * N_MIX + i) * n);
        hf_bench_print(bench, "  %-24s %12.4f  %9.3f  %12.4f  %9.3f\n", mixes[i].about,
                       time[COMPUTED][i], time[COMPUTED][i] / time[COMPUTED][0], time[STORED][i],
                       time[STORED][i] / time[STORED][0]);
    }
    HF_ADD(bench->results, "molecule", bench->input);
    HF_ADD(bench->results, "n_function", n_function);
    for (int way = 0; way < N_WAY; way++) {
        const struct hf_json to = hf_json_object(bench->results, way_name[way], "");
        for (int i = 0; i < N_MIX; i++) HF_ADD(to, mixes[i].key, time[way][i]);
    }
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    struct hf_context *context = bench->context;
    const struct hf_bench_molecule *molecule = bench->data;
    const struct hf_calculation *calculation = &molecule->calculation;
    struct hf_scf_settings settings = calculation->settings;
    struct hf_scf_result result;
    struct hf_wavefunction wave = {0};
    struct matrices m = {0};
    const struct hf_shell_pairs *pairs = NULL;
    const size_t n = (size_t)N_WAY * N_MIX * (size_t)bench->n_repeat;
    struct hf_arena arena = {.label = "times of builds"};
    double *seconds = HF_TAKE(&arena, seconds, n);
    hf_status status;
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    settings.wavefunction = HF_WAVEFUNCTION_ALL;
    HF_TRY(hf_scf_run(context, &calculation->input.molecule, calculation->basis, &settings, NULL,
                      &result, &wave, error));
    HF_TRY(hf_common_pairs_get(settings.pairs, hf_scf_pair_accuracy(&settings, 1.0),
                               settings.fock.n_thread, &pairs, error));
    HF_TRY(make_matrices(context, &wave, &m, error));
    HF_TRY(time_mixes(bench, pairs, &settings, &m, seconds + n / 2, error));
    settings.fock.memory_bytes = 0.0;
    HF_TRY(time_mixes(bench, pairs, &settings, &m, seconds, error));
    report(bench, calculation->basis->n_function, seconds);
cleanup:
    destroy_matrices(&m);
    hf_wavefunction_done(&wave);
    hf_common_pairs_drop(settings.pairs);
    hf_arena_done(&arena);
    return status;
}

const struct hf_bench_kernel hf_bench_fock = {
    .name = "fock",
    .about = "CPU time of Fock builds of one density and of several",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 8.2 and 8.4",
    .least_ranks = 1,
    .n_repeat = 5,
    .n_repeat_quick = 1,
    .reads_molecule = true,
    .prepare = hf_bench_molecule_prepare,
    .run = run,
    .done = hf_bench_molecule_done,
};
