/* Local MP2 energies: orbitals and pairs, integrals, amplitudes, and the sums over classes of pairs. */
#include "local_mp2_private.h"

#include <math.h>

struct hf_local_settings hf_local_default_settings(void)
{
    return (struct hf_local_settings){
        .localise = HF_LOCALISE_PM,
        .domains = HF_DOMAINS_DEFAULT,
        .strong_bohr = 6.0,
        .distant_bohr = 15.0,
        .correction_bonds = 1,
        .correction_bohr = 6.0,
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

/** Domains and pairs, without energies. Arrays of the problem are shared until keep_arrays. Local. */
static hf_status describe(const struct hf_local *local, struct hf_local_result *result,
                          struct hf_error *error)
{
    const int o = local->n_orbital;
    double n_function = 0.0, n_outer = 0.0;
    int n_atom = 0, n_extended = 0;
    HF_TAKE(&result->arena, result->pair, (size_t)local->n_pair);
    HF_TAKE(&result->arena, result->domain, (size_t)o);
    HF_TAKE(&result->arena, result->extended, (size_t)o);
    HF_TAKE(&result->arena, result->outer, (size_t)o);
    if (result->arena.failed) return hf_arena_check(&result->arena, error);
    result->n_orbital = o;
    result->n_pair = local->n_pair;
    result->completeness = local->completeness;
    result->n_degenerate = local->n_degenerate;
    for (int i = 0; i < o; i++) {
        result->domain[i] = local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].atoms;
        result->extended[i] = local->domain[local->domain_of_orbital[HF_LOCAL_EXTENDED][i]].atoms;
        result->outer[i] = local->domain[local->domain_of_orbital[HF_LOCAL_OUTER][i]].atoms;
        n_atom += result->domain[i].n;
        n_extended += result->extended[i].n;
    }
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        result->pair[p] = (struct hf_local_pair_result){
            .i = pair->i,
            .j = pair->j,
            .kind = pair->kind,
            .distance_bohr = pair->distance_bohr,
            .n_function = hf_local_pair_domain(local, pair)->n_function,
            .n_outer = hf_local_outer_domain(local, pair)->n_function,
            .work = pair->work};
        n_function += result->pair[p].n_function;
        n_outer += result->pair[p].n_outer;
    }
    result->extends_weak = hf_local_extends_weak(local->settings);
    result->mean_domain_atoms = (double)n_atom / o;
    result->mean_extended_atoms = (double)n_extended / o;
    result->mean_pair_functions = n_function / local->n_pair;
    result->mean_outer_functions = n_outer / local->n_pair;
    return HF_OK;
}

/** The result becomes the owner of the problem's arrays, and of the problem itself, which is to be destroyed all the same. */
static void keep_arrays(struct hf_local *local, struct hf_local_result *result)
{
    result->localised = local->localised;
    local->localised = (struct hf_localised){0};
    hf_arena_join(&result->arena, &local->arena);
}

/** The part of a pair's correction that says how much is missing beyond its larger domain. */
static double outside(const struct hf_local *local, const struct hf_local_pair_result *pair)
{
    const int n_outside = local->basis->n_function - pair->n_outer;
    const double correction = pair->same_correction + pair->opposite_correction;
    if (pair->n_outer == pair->n_function) return 0.0;
    return correction * fmin(1.0, (double)n_outside / (pair->n_outer - pair->n_function));
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
        result->same_correction += result->pair[p].same_correction;
        result->opposite_correction += result->pair[p].opposite_correction;
        result->outside_correction += outside(local, &result->pair[p]);
        result->n_uncorrected += result->pair[p].n_outer == result->pair[p].n_function &&
                                 result->pair[p].n_outer < local->basis->n_function;
    }
    result->same_spin = result->same_correction;
    result->opposite_spin = result->opposite_correction;
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
    if (result->resumed) return hf_local_kept_take(local, k, error);
    const double start = hf_wall_seconds();
    hf_trace_begin_batch(local->context->trace);
    HF_CHECK(hf_local_transform(local, k, result, error));
    hf_local_keep(local, wavefunction, k, hf_wall_seconds() - start, result);
    return HF_OK;
}

hf_status hf_local_mp2_compute(struct hf_context *context,
                               const struct hf_wavefunction *wavefunction,
                               const struct hf_local_settings *settings,
                               struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct hf_local *local = NULL;
    struct hf_arena integrals = {
        .memory = context->memory, .kind = HF_MEMORY_MATRIX, .label = "integrals of pairs"};
    double *k;
    *result = (struct hf_local_result){
        .arena = {.memory = context->memory, .label = "results of local MP2"}};
    hf_trace_begin_batch(context->trace);
    HF_TRY(create(context, wavefunction, settings, &local, &result->resumed, error));
    status = describe(local, result, error);
    HF_TAKE(&integrals, k, local->n_integral);
    if (status == HF_OK) status = hf_arena_check(&integrals, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(make_integrals(local, wavefunction, k, result, error));
    HF_TRY(hf_local_iterate(local, k, result, error));
    add_up(local, result);
    keep_arrays(local, result);
cleanup:
    hf_trace_end_build(context->trace);
    hf_arena_done(&integrals);
    hf_local_destroy(&local);
    if (status != HF_OK) hf_local_result_done(result);
    return status;
}
