/* The model of costs; see cost.h. */
#include "cost.h"

#include "correlation/mp2_derivatives.h"
#include "hf/mp2.h"
#include "local/local_row.h"
#include "localise/frozen_core.h"
#include "orbitals/orbitals.h"

#include <math.h>
#include <string.h>

/** Seconds of an energy with all its iterations: for a quartet of functions, for a pair of them, and for any molecule.
 *  Fitted to times of molecules with 3 to 9 heavy atoms in 6-31G*; measured times correct it. */
static const double QUARTET_SECONDS = 1e-8, PAIR_SECONDS = 1.6e-5, LEAST_SECONDS = 1.5e-3;
/** Bohr between two atoms whose products of functions still count. */
static const double FAR = 12.0;
/** n x n matrices that a rank has at once. */
static const double N_MATRIX = 30.0;

/** Numbers of an energy that a task needs. */
static double factor_of_task(const struct hf_options *options, int n_atom)
{
    double factor = 1.0;
    if (hf_options_include(options, "task", "gradient")) factor = 1.9;
    if (hf_options_include(options, "task", "optimise")) factor = 15.0;
    if (hf_options_include(options, "task", "vibrations")) factor += 6.0 * n_atom;
    return factor;
}

/** Functions of each atom are counted from its shells. */
static double count_pairs(const struct hf_molecule *molecule, const struct hf_basis *basis)
{
    double n_pair = 0.0;
    for (int a = 0; a < basis->n_atom; a++) {
        const double *x = molecule->atom[a].position_bohr;
        const int begin_a = basis->first_shell_of_atom[a],
                  end_a = basis->first_shell_of_atom[a + 1];
        double n_a = 0.0;
        for (int m = begin_a; m < end_a; m++) n_a += basis->shell[m].n_function;
        n_pair += 0.5 * n_a * (n_a + 1.0);
        for (int b = 0; b < a; b++) {
            const double *y = molecule->atom[b].position_bohr;
            const int begin = basis->first_shell_of_atom[b],
                      end = basis->first_shell_of_atom[b + 1];
            if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) > FAR || begin == end) continue;
            const struct hf_shell *last = &basis->shell[end - 1];
            n_pair += n_a * (last->first_function + last->n_function -
                             basis->shell[begin].first_function);
        }
    }
    return n_pair;
}

static bool is_differentiated(const struct hf_options *options)
{
    return hf_options_include(options, "task", "gradient") ||
           hf_options_include(options, "task", "optimise") ||
           hf_options_include(options, "task", "vibrations");
}

/** Bytes of local MP2 on one rank. */
static double bytes_of_local_mp2(const struct hf_molecule *molecule, const struct hf_basis *basis,
                                 const struct hf_options *options, int n_correlated)
{
    struct hf_local_row row = {.settings = hf_local_default_settings()};
    const struct hf_context alone = {.n_rank = 1};
    struct hf_error unused;
    double bytes = 0.0;
    hf_options_fill(options, hf_options_local_mp2, &row);
    const char *domains = hf_options_text(options, "domains");
    if (strpbrk(domains, "./") == NULL)
        row.settings.domains = (enum hf_local_domains)hf_options_value(options, "domains");
    const hf_status status = hf_local_expected_bytes(molecule, basis, &row.settings, n_correlated,
                                                     &alone, &bytes, &unused);
    return status == HF_OK ? bytes : 0.0;
}

/** Bytes of correlation on a single rank, with the integrals of MP2 in one batch, so that several ranks divide what one
 *  has no room for; 0: no such method, or a molecule that will be refused. */
static double bytes_of_correlation(const struct hf_molecule *molecule, const struct hf_basis *basis,
                                   const struct hf_options *options)
{
    struct hf_spin_count n_electron;
    struct hf_error unused;
    int n_frozen;
    const char *method = hf_options_choice(options, "method");
    if (strstr(method, "mp2") == NULL ||
        hf_spin_count_of(molecule, &n_electron, &unused) != HF_OK ||
        hf_frozen_core_read(options, molecule, n_electron.alpha, &n_frozen, &unused) != HF_OK)
        return 0.0;
    if (strcmp(method, "lmp2") == 0)
        return bytes_of_local_mp2(molecule, basis, options, n_electron.alpha - n_frozen);
    const struct hf_mp2_foresight foresight = {
        .shells = basis,
        .n_function = basis->n_function,
        .n_rank = 1,
        .n_thread = 1,
        .n_spin = strcmp(method, "ump2") == 0 ? 2 : 1,
        .n_electron = {n_electron.alpha, n_electron.beta},
        .n_frozen = n_frozen,
        .n_frozen_virtual = hf_options_integer(options, "frozen_virtuals"),
        .algorithm = hf_options_choice(options, "mp2_algorithm"),
        .differentiated = is_differentiated(options),
    };
    return hf_mp2_foresee(&foresight, INFINITY).rank;
}

struct hf_cost hf_cost_model(const struct hf_molecule *molecule, const struct hf_basis *basis,
                             const struct hf_options *options)
{
    const double n = basis->n_function, n_pair = count_pairs(molecule, basis);
    const char *method = hf_options_choice(options, "method");
    const bool open = molecule->multiplicity > 1 || strcmp(method, "uhf") == 0;
    double seconds = (QUARTET_SECONDS * 0.5 * n_pair + PAIR_SECONDS) * n_pair;
    if (open) seconds *= 1.6;
    if (strstr(method, "mp2") != NULL)
        seconds += 1e-10 * 0.5 * hf_molecule_n_electron(molecule) * n * n * n * n;
    seconds = factor_of_task(options, molecule->n_atom) * (seconds + LEAST_SECONDS);
    const double matrices = N_MATRIX * n * n * sizeof(double);
    return (struct hf_cost){seconds,
                            fmax(matrices, bytes_of_correlation(molecule, basis, options))};
}

static int octave_of(double seconds)
{
    const int octave = (int)floor(log2(seconds / LEAST_SECONDS)) + 2;
    return octave < 0 ? 0 : octave >= HF_COST_OCTAVES ? HF_COST_OCTAVES - 1 : octave;
}

double hf_cost_seconds(const struct hf_cost_times *times, double model_seconds)
{
    const int octave = octave_of(model_seconds);
    for (int away = 0; away < HF_COST_OCTAVES; away++) /* the nearest octave that was measured */
        for (int side = -1; side <= 1; side += 2) {
            const int i = octave + side * away;
            if (i >= 0 && i < HF_COST_OCTAVES && times->model[i] > 0.0)
                return model_seconds * times->measured[i] / times->model[i];
        }
    return model_seconds;
}

void hf_cost_add(struct hf_cost_times *times, double model_seconds, double measured_seconds)
{
    const int octave = octave_of(model_seconds);
    times->new_model[octave] += model_seconds;
    times->new_measured[octave] += measured_seconds;
    times->n_new += 1.0;
}

void hf_cost_agree(struct hf_cost_times *times, MPI_Comm comm)
{
    double sums[2 * HF_COST_OCTAVES + 1], seconds = 0.0;
    memcpy(sums, times->new_model, sizeof times->new_model);
    memcpy(sums + HF_COST_OCTAVES, times->new_measured, sizeof times->new_measured);
    sums[2 * HF_COST_OCTAVES] = times->n_new;
    MPI_Allreduce(MPI_IN_PLACE, sums, 2 * HF_COST_OCTAVES + 1, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < HF_COST_OCTAVES; i++) {
        const double old = sums[i] > 0.0 ? 0.5 : 1.0;
        times->model[i] = old * times->model[i] + sums[i];
        times->measured[i] = old * times->measured[i] + sums[HF_COST_OCTAVES + i];
        times->new_model[i] = times->new_measured[i] = 0.0;
        seconds += sums[HF_COST_OCTAVES + i];
    }
    if (sums[2 * HF_COST_OCTAVES] > 0.0) times->mean_seconds = seconds / sums[2 * HF_COST_OCTAVES];
    times->n_new = 0.0;
}
