/* Local MP2 energies: orbitals and pairs, integrals, amplitudes, and the sums over classes of pairs. */
#include "local_mp2_private.h"

#include "text/trace.h"

#include <math.h>
#include <string.h>

struct hf_local_settings hf_local_default_settings(void)
{
    return (struct hf_local_settings){
        .localise = HF_LOCALISE_PM,
        .domains = HF_DOMAINS_DEFAULT,
        .strong_bohr = 6.0,
        .distant_bohr = 15.0,
        .redundant = 1e-6,
        .threshold = 1e-9,
        .sparse = 1e-10,
        .energy_tolerance = 1e-8,
        .amplitude_tolerance = 1e-6,
        .max_iterations = 100,
        .schedule = {.name = "static"},
    };
}

/* ---- Result ---------------------------------------------------------------------------------- */

/** Atoms of domains, one after another. Local. */
static void list_atoms(const struct hf_local *local, const int domain[], struct hf_arena *arena,
                       int **begin, int **atom)
{
    int n = 0;
    for (int i = 0; i < local->n_orbital; i++) n += local->domain[domain[i]].atoms.n;
    *begin = hf_arena_take(arena, (size_t)local->n_orbital + 1, sizeof **begin);
    *atom = hf_arena_take(arena, (size_t)n, sizeof **atom);
    if (arena->failed) return;
    n = 0;
    for (int i = 0; i < local->n_orbital; i++) {
        const struct hf_parts *atoms = &local->domain[domain[i]].atoms;
        for (int k = 0; k < atoms->n; k++) (*atom)[n++] = atoms->part[k];
        (*begin)[i + 1] = n;
    }
}

/** Arrays of the result. Local. */
static hf_status make_result(const struct hf_local *local, struct hf_local_result *result,
                             struct hf_error *error)
{
    struct hf_arena *arena = &result->arena;
    const size_t o = (size_t)local->n_orbital;
    result->n_orbital = local->n_orbital;
    result->n_pair = local->n_pair;
    HF_TAKE(arena, result->pair, (size_t)local->n_pair);
    list_atoms(local, local->domain_of_orbital, arena, &result->domain_begin, &result->domain_atom);
    list_atoms(local, local->extended_of_orbital, arena, &result->extended_begin,
               &result->extended_atom);
    HF_TAKE(arena, result->completeness, o);
    HF_TAKE(arena, result->n_degenerate, o);
    return hf_arena_check(arena, error);
}

/** Domains and pairs, without energies. */
static void describe(const struct hf_local *local, struct hf_local_result *result)
{
    const int o = local->n_orbital;
    double n_function = 0.0;
    for (int i = 0; i < o; i++) {
        result->completeness[i] = local->completeness[i];
        result->n_degenerate[i] = local->n_degenerate[i];
    }
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        result->pair[p] = (struct hf_local_pair_result){
            .i = pair->i,
            .j = pair->j,
            .kind = pair->kind,
            .distance_bohr = pair->distance_bohr,
            .n_function = hf_local_pair_domain(local, pair)->n_function,
            .work = pair->work};
        n_function += result->pair[p].n_function;
    }
    result->extends_weak = hf_local_extends_weak(local->settings);
    result->mean_domain_atoms = (double)result->domain_begin[o] / o;
    result->mean_extended_atoms = (double)result->extended_begin[o] / o;
    result->mean_pair_functions = n_function / local->n_pair;
}

/** Sums over ranks and pairs. Collective. */
static void add_up(const struct hf_local *local, struct hf_local_result *result)
{
    const MPI_Comm comm = local->context->comm;
    double sums[3] = {result->sent_bytes, result->n_quartet, 0.0};
    for (int k = 0; k < local->n_own; k++)
        sums[2] += hf_local_pair_domain(local, &local->pair[local->own[k]])->n_kept;
    hf_sum_over_ranks(comm, 3, sums);
    MPI_Allreduce(MPI_IN_PLACE, &result->bytes, 1, MPI_DOUBLE, MPI_MAX, comm);
    result->sent_bytes = sums[0];
    result->n_quartet = sums[1];
    result->mean_pair_kept = sums[2] / local->n_pair;
    result->of_class[HF_LOCAL_DISTANT] = local->distant;
    for (int p = 0; p < local->n_pair; p++) {
        struct hf_local_class_result *of_class = &result->of_class[result->pair[p].kind];
        of_class->n_pair++;
        of_class->same_spin += result->pair[p].same_spin;
        of_class->opposite_spin += result->pair[p].opposite_spin;
    }
    for (int k = 0; k < HF_N_LOCAL_CLASS; k++) {
        result->same_spin += result->of_class[k].same_spin;
        result->opposite_spin += result->of_class[k].opposite_spin;
    }
    result->correlation = result->same_spin + result->opposite_spin;
}

void hf_local_result_done(struct hf_local_result *result)
{
    hf_localised_done(&result->localised);
    hf_arena_done(&result->arena);
    *result = (struct hf_local_result){0};
}

/** The problem, of the orbitals of kept integrals if these are of this calculation. Collective. */
static hf_status create(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                        const struct hf_local_settings *settings, struct hf_local **local,
                        bool *resumed, struct hf_error *error)
{
    hf_status status;
    struct hf_local_kept kept;
    HF_TRY(hf_local_kept_find(context, wavefunction, settings, &kept, error));
    *resumed = false;
    if (kept.found) {
        HF_TRY(hf_local_create(context, &kept.wavefunction, settings, local, error));
        *resumed = hf_local_kept_fits(&kept, *local);
        if (!*resumed) hf_local_destroy(local);
    }
    if (!*resumed) HF_TRY(hf_local_create(context, wavefunction, settings, local, error));
cleanup:
    hf_local_kept_done(&kept);
    return status;
}

/** K: kept ones, or new ones, which are kept. Collective. */
static hf_status make_integrals(const struct hf_local *local,
                                const struct hf_wavefunction *wavefunction, double k[],
                                struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    if (result->resumed) return hf_local_kept_take(local, k, error);
    const double start = hf_wall_seconds();
    hf_trace_begin_batch(local->context->trace);
    HF_TRY(hf_local_transform(local, k, result, error));
    hf_local_keep(local, wavefunction, k, hf_wall_seconds() - start, result);
cleanup:
    return status;
}

hf_status hf_local_mp2_compute(struct hf_context *context,
                               const struct hf_wavefunction *wavefunction,
                               const struct hf_local_settings *settings,
                               struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct hf_local *local = NULL;
    double *k = NULL;
    *result = (struct hf_local_result){
        .arena = {.memory = context->memory, .label = "results of local MP2"}};
    hf_trace_begin_batch(context->trace);
    HF_TRY(create(context, wavefunction, settings, &local, &result->resumed, error));
    status = make_result(local, result, error);
    k = hf_memory_allocate_matrix(context->memory, "integrals of pairs", local->n_number + 1,
                                  sizeof *k);
    if (status == HF_OK && k == NULL)
        status = hf_fail(error, HF_NO_RESOURCE,
                         "out of memory for integrals of pairs: %.1f MB on one rank",
                         8e-6 * (double)local->n_number);
    HF_TRY(hf_agree(context->comm, status, error));
    describe(local, result);
    HF_TRY(make_integrals(local, wavefunction, k, result, error));
    HF_TRY(hf_local_iterate(local, k, result, error));
    add_up(local, result);
    result->localised = local->localised;
    local->localised = (struct hf_localised){0};
cleanup:
    hf_trace_end_build(context->trace);
    hf_memory_release(context->memory, k);
    hf_local_destroy(&local);
    if (status != HF_OK) hf_local_result_done(result);
    return status;
}
