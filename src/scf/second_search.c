/* A second search of UHF and of open shells, by second-order steps: where `auto` needed such steps, as to leave a saddle
 * point, and for `--stability follow`. Open shells begin at the same first orbitals: of 85 that leave a saddle point
 * (tests/reference, 27 curves) each search ends lower than the other in seven, by up to 0.09 hartree; without it curves of NO
 * and CN have steps. Singlets begin where alpha and beta electrons prefer different atoms: CO from 2 angstrom on ends 0.07
 * hartree lower than from the first orbitals. */
#include "converger.h"

#include <string.h>

/* Hartree; a smaller difference is none. */
static const double SAME = 1e-7;

/** New coefficients saved [n_set] [n][o] of scf->occupied, whatever becomes of the orthonormal basis. */
static hf_status save(const struct hf_scf *scf, struct hf_matrix *saved[], struct hf_error *error)
{
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupied[k] != NULL)
            HF_CHECK(hf_scf_coefficients(scf, k, scf->occupied[k], &saved[k], error));
    return HF_OK;
}

/** scf->occupied = what was saved, which is destroyed. */
static hf_status go_back(struct hf_scf *scf, struct hf_matrix *saved[], struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *dual = NULL;
    HF_TRY(hf_scf_share_basis(scf, error));
    HF_TRY(hf_scf_dual(scf, &dual, error));
    for (int k = 0; k < scf->method->n_set; k++)
        if (saved[k] != NULL)
            hf_matrix_multiply(1.0, true, dual, false, saved[k], 0.0, scf->occupied[k]);
    hf_scf_destroy_list(saved);
cleanup:
    hf_matrix_destroy(&dual);
    return status;
}

bool hf_scf_may_search_twice(const struct hf_scf_settings *settings,
                             const struct hf_method_ops *method)
{
    return strcmp(settings->converger, hf_converger_auto.name) == 0 && !settings->max_overlap &&
           strcmp(method->name, "rhf") != 0 && !hf_scf_starts_near(settings);
}

void hf_scf_plan_second_search(struct hf_scf *scf)
{
    if (hf_scf_may_search_twice(scf->settings, scf->method)) scf->search.stage = HF_SEARCH_FIRST;
}

hf_status hf_scf_note_mixed_orbitals(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_second_search *search = &scf->search;
    struct hf_matrix *copy[HF_MAX_SPIN] = {NULL};
    const bool has_orbitals = scf->has_orbitals;
    if (search->stage != HF_SEARCH_FIRST || search->has_first || scf->method->n_set == 1 ||
        scf->n_electron.alpha != scf->n_electron.beta || scf->settings->guess_mix)
        return HF_OK;
    HF_TRY(hf_scf_copy_occupied(scf, "orbitals of the first search", copy, error));
    HF_TRY(hf_scf_mix_guess(scf, error));
    HF_TRY(save(scf, search->first, error));
    search->has_first = true;
    for (int k = 0; k < scf->method->n_set; k++)
        if (copy[k] != NULL) hf_matrix_copy(copy[k], scf->occupied[k]);
    scf->has_orbitals = has_orbitals;
cleanup:
    hf_scf_destroy_list(copy);
    return status;
}

hf_status hf_scf_note_first_orbitals(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    if (search->stage != HF_SEARCH_FIRST || search->has_first) return HF_OK;
    search->has_first = true;
    return save(scf, search->first, error);
}

hf_status hf_scf_search_again(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    *again = search->stage == HF_SEARCH_FIRST && search->has_first &&
             ((search->strayed && scf->result->converged) ||
              scf->settings->stability == HF_STABILITY_FOLLOW);
    if (search->stage == HF_SEARCH_FIRST) search->stage = *again ? HF_SEARCH_SECOND : HF_SEARCH_ONE;
    if (!*again) return HF_OK;
    search->has_found = scf->result->converged;
    search->energy = scf->result->energy;
    search->error = scf->result->energy_error;
    search->n_iteration = scf->result->n_iteration - scf->n_before;
    if (search->has_found) HF_CHECK(save(scf, search->found, error));
    HF_CHECK(go_back(scf, search->first, error));
    scf->soft = false;
    scf->step = "anew";
    return hf_scf_use_newton(scf, error);
}

bool hf_scf_second_search_ends(const struct hf_scf *scf, int n_iteration)
{
    const struct hf_second_search *search = &scf->search;
    return search->stage == HF_SEARCH_SECOND && search->has_found &&
           scf->settings->stability != HF_STABILITY_FOLLOW &&
           n_iteration >= 2 * search->n_iteration + 10;
}

hf_status hf_scf_take_lower(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    struct hf_scf_result *result = scf->result;
    const bool is_second = search->stage == HF_SEARCH_SECOND;
    *again = is_second && search->has_found &&
             (!result->converged || result->energy > search->energy + SAME);
    search->stage = *again ? HF_SEARCH_BACK : HF_SEARCH_ONE;
    if (!*again) return HF_OK;
    result->stability.n_follow = 0; /* of the second search */
    scf->step = "lower";
    return go_back(scf, search->found, error);
}

hf_status hf_scf_end_second_search(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    if (search->stage != HF_SEARCH_SECOND || !search->has_found) return HF_OK;
    search->stage = HF_SEARCH_ONE;
    scf->result->energy = search->energy;
    return go_back(scf, search->found, error);
}
