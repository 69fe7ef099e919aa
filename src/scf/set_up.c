/* Set-up before the first density: grid, orthogonaliser, core Hamiltonian, Fock builder. */
#include "converger.h"
#include "hf/interruption.h"
#include "pairs/common_pairs.h"

#include <math.h>

hf_status hf_scf_overlap(struct hf_scf *scf, struct hf_matrix *overlap, struct hf_error *error)
{
    struct hf_timers *timers = &scf->context->timers;
    hf_timer_start(timers, &hf_phase_one_electron);
    const hf_status status = hf_operator_matrix(scf->hamiltonian, HF_OVERLAP, overlap, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    return status;
}
static hf_status make_core(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_timers *timers = &scf->context->timers;
    const int n = scf->basis->n_function;
    HF_CHECK(hf_matrix_create(scf->linalg, "core Hamiltonian", n, n, &scf->core, error));
    hf_timer_start(timers, &hf_phase_one_electron);
    const hf_status status = hf_hamiltonian_core(scf->hamiltonian, scf->core, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    return status;
}

static hf_status make_orthogonaliser(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    const int n = scf->basis->n_function;
    struct hf_scf_result *result = scf->result;
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *overlap = NULL;
    HF_TRY(hf_matrix_create(scf->linalg, "overlap", n, n, &overlap, error));
    HF_TRY(hf_scf_overlap(scf, overlap, error));
    HF_TRY(hf_orthogonaliser_create(
        scf->context, overlap, scf->settings->linear_dependence_threshold, &scf->x[0], &spectrum,
        scf->settings->weighted_density ? &scf->removed : NULL, error));
    result->n_function = n;
    result->n_orbital = n - spectrum.n_removed;
    result->n_removed = spectrum.n_removed;
    result->smallest_overlap_eigenvalue = spectrum.smallest;
    for (int k = 0; k < 2 && status == HF_OK; k++)
        if (result->n_occupied[k] > result->n_orbital)
            status = hf_fail(error, HF_BAD_INPUT,
                             "%d electrons of one spin do not fit into %d orbitals; a larger basis "
                             "set is needed",
                             result->n_occupied[k], result->n_orbital);
cleanup:
    hf_matrix_destroy(&overlap);
    return status;
}

/** The largest element (S^-1)_aa = sum_i X_ai^2 of the orbitals there are. No density D of orthonormal
 *  orbitals has a larger element than twice that: D <= 2 X X^T. Collective. */
static hf_status find_largest_inverse(struct hf_scf *scf, double *largest, struct hf_error *error)
{
    hf_status status;
    const int n = scf->basis->n_function;
    struct hf_arena arena = {.memory = scf->context->memory, .label = "the inverse of the overlap"};
    double *diagonal = HF_TAKE(&arena, diagonal, (size_t)n);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    hf_matrix_row_squares(scf->x[0], diagonal);
    *largest = 0.0;
    for (int i = 0; i < n; i++) *largest = fmax(*largest, diagonal[i]);
cleanup:
    hf_arena_done(&arena);
    return status;
}

static hf_status make_builder(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    double largest;
    const struct hf_fock_settings *fock = &scf->settings->fock;
    const struct hf_shell_pairs *pairs = NULL;
    struct hf_common_pairs *common = scf->settings->pairs;
    hf_timer_start(&scf->context->timers, &hf_phase_setup);
    HF_TRY(find_largest_inverse(scf, &largest, error));
    if (common == NULL) {
        HF_TRY(hf_common_pairs_create(scf->context, scf->basis, INFINITY, &scf->own_pairs, error));
        common = scf->own_pairs;
    }
    HF_TRY(hf_common_pairs_get(common, hf_scf_pair_accuracy(scf->settings, largest), fock->n_thread,
                               &pairs, error));
    HF_TRY(hf_fock_create(scf->context, pairs, fock, &scf->builder, error));
cleanup:
    hf_timer_stop(&scf->context->timers, &hf_phase_setup);
    return status;
}

/** With distributed data no rank may hold a whole matrix, however small. */
static hf_status make_grid(struct hf_scf *scf, struct hf_error *error)
{
    const int n = scf->basis->n_function;
    if (hf_fock_is_distributed(scf->settings->fock.builder))
        return hf_linalg_create_spread(scf->context, n, &scf->linalg, error);
    return hf_linalg_create(scf->context, n, &scf->linalg, error);
}

/** Room for the orbitals of the densities and their energies. */
static hf_status make_orbitals(struct hf_scf *scf, struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    const size_t n_energy = (size_t)scf->method->n_set * (size_t)m;
    scf->arena.label = "the orbital energies";
    HF_TAKE(&scf->arena, scf->orbital_energy, n_energy);
    if (scf->settings->smearing > 0.0) HF_TAKE(&scf->arena, scf->occupation, n_energy);
    HF_CHECK(hf_agree(scf->context->comm, hf_arena_check(&scf->arena, error), error));
    for (int k = 0; k < scf->method->n_set; k++) {
        const int o = hf_set_size(scf->n_electron, k);
        for (int i = 0; i < o && scf->occupation != NULL; i++)
            scf->occupation[(size_t)k * (size_t)m + (size_t)i] = 1.0;
        if (o > 0)
            HF_CHECK(
                hf_matrix_create(scf->linalg, "occupied orbitals", m, o, &scf->occupied[k], error));
    }
    return HF_OK;
}

hf_status hf_scf_set_up(struct hf_scf *scf, struct hf_error *error)
{
    HF_CHECK(make_grid(scf, error));
    HF_CHECK(hf_hamiltonian_create(scf->context, scf->linalg, scf->basis, scf->molecule,
                                   &scf->hamiltonian, error));
    HF_CHECK(make_orthogonaliser(scf, error));
    HF_CHECK(hf_agree_to_go_on(scf->context, HF_OK, error));
    HF_CHECK(make_core(scf, error));
    HF_CHECK(make_builder(scf, error));
    HF_CHECK(hf_agree_to_go_on(scf->context, HF_OK, error));
    HF_CHECK(hf_diis_create(scf->context, scf->method->n_fock, scf->settings->diis_size, &scf->diis,
                            error));
    if (scf->converger->create != NULL)
        HF_CHECK(scf->converger->create(scf, &scf->converger_data, error));
    HF_CHECK(make_orbitals(scf, error));
    return hf_two_electron_init(&scf->two_electron, scf->linalg, scf->builder,
                                scf->method->n_density, scf->basis->n_function, error);
}

hf_status hf_scf_create_list(const struct hf_scf *scf, const char *label, int n_matrix,
                             bool of_functions, struct hf_matrix *list[], struct hf_error *error)
{
    const int n = of_functions ? scf->result->n_function : scf->result->n_orbital;
    struct hf_new_matrix wanted[HF_MAX_SPIN];
    for (int k = 0; k < n_matrix; k++) wanted[k] = (struct hf_new_matrix){&list[k], n, n};
    return hf_matrix_create_several(scf->linalg, label, n_matrix, wanted, error);
}

void hf_scf_destroy_list(struct hf_matrix *list[])
{
    for (int k = 0; k < HF_MAX_SPIN; k++) hf_matrix_destroy(&list[k]);
}
hf_status hf_scf_copy_occupied(const struct hf_scf *scf, const char *label,
                               struct hf_matrix *copy[], struct hf_error *error)
{
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupied[k] != NULL)
            HF_CHECK(hf_matrix_create_copy(label, scf->occupied[k], &copy[k], error));
    return HF_OK;
}

void hf_scf_tear_down(struct hf_scf *scf)
{
    hf_fields_destroy(&scf->two_electron.fields);
    if (scf->converger != NULL && scf->converger->destroy != NULL)
        scf->converger->destroy(&scf->converger_data);
    hf_matrix_destroy(&scf->guess);
    hf_scf_destroy_list(scf->occupied);
    hf_scf_destroy_list(scf->reference);
    hf_scf_destroy_list(scf->search.first);
    hf_scf_destroy_list(scf->search.found);
    hf_scf_destroy_list(scf->commutator);
    hf_scf_destroy_list(scf->fock);
    hf_scf_destroy_list(scf->effective);
    hf_scf_destroy_list(scf->x);
    HF_DESTROY_MATRICES(&scf->core, &scf->canonical, &scf->weighted_density);
    hf_removed_done(scf->context, &scf->removed);
    hf_diis_destroy(&scf->diis);
    hf_fock_destroy(&scf->builder);
    hf_common_pairs_destroy(&scf->own_pairs);
    hf_hamiltonian_destroy(&scf->hamiltonian);
    hf_linalg_destroy(&scf->linalg);
    hf_arena_done(&scf->arena);
}
