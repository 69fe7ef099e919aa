/* Stability of a solution: is it a minimum among the real determinants of its own method, and would
 * closed shells with other orbitals for each spin be lower? Where it is not, the way down is that
 * of the lowest eigenvector of the Hessian.
 *
 * Source   Seeger, Pople, J. Chem. Phys. 66, 3045 (1977). */
#include "converger.h"
#include "hf/subspace.h"

#include <math.h>

/* Eigenvalues nearer to zero are of rotations that leave the energy as it is, such as those of a
 * linear molecule whose density is not. Orbitals that are converged to a commutator of c make them
 * wrong by about c. */
static const double ZERO = 1e-5, ZERO_PER_COMMUTATOR = 3.0;

/* A look on the way: eigenvalues that clearly lead down, as right as the gradient there allows.
 * Ferrocene in STO-3G has -0.026, CuO -0.031, NiC -0.044, CrO -0.090. */
static const double DOWNHILL = 0.003, LOOK_NORM = 0.01, LOOSENESS = 100.0;

/* Along an eigenvector, in the norm of struct hf_rotation: 0.5 turns one electron by 29 degrees. */
static const double FIRST_LENGTH = 0.5, SHORTEST_LENGTH = 0.03, LONGEST_LENGTH = 1.0;

/** Lowest eigenvalues of a kind, and the lowest eigenvector where `lowest` is not NULL. */
static hf_status find_roots(struct hf_scf *scf, struct hf_orbital_hessian *hessian,
                            enum hf_rotation_kind kind, struct hf_stability_roots *roots,
                            struct hf_rotation *lowest, struct hf_error *error)
{
    hf_status status;
    const double zero = scf->result->stability.zero;
    *roots = (struct hf_stability_roots){.analysed = true, .n = HF_MAX_ROOT};
    HF_TRY(hf_lowest_eigenvalues(hessian, kind, &hf_sharp_eigenvalues, &roots->n, roots->eigenvalue,
                                 &roots->converged, lowest, error));
    roots->stable = roots->n == 0 || roots->eigenvalue[0] >= -zero;
    for (int i = 0; i < roots->n; i++) roots->n_zero += fabs(roots->eigenvalue[i]) < zero;
cleanup:
    return status;
}

/** Energy of the orbitals `length` along a rotation, which `occupied` [n_set] become. */
static hf_status energy_along(struct hf_scf *scf, const struct hf_rotation_space *space,
                              const struct hf_rotation *direction, double length,
                              struct hf_matrix *const occupied[], double *energy,
                              struct hf_error *error)
{
    hf_status status;
    struct hf_rotation rotation = {{NULL}};
    HF_TRY(hf_rotation_create(space, &rotation, error));
    hf_rotation_add(length, direction, 0.0, &rotation);
    HF_TRY(hf_rotation_turn(space, &rotation, occupied, error));
    HF_TRY(hf_scf_energy_of(scf, occupied, energy, error));
cleanup:
    hf_rotation_destroy(&rotation);
    return status;
}

/** A place on the way along an eigenvector. */
struct place {
    double length, energy;
};

/** The better of both directions, which are alike where the eigenvector breaks a symmetry. */
static hf_status look_both_ways(struct hf_scf *scf, const struct hf_rotation_space *space,
                                const struct hf_rotation *direction, double length,
                                struct hf_matrix *const occupied[], struct place *best,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < 2; i++) {
        struct place place = {.length = i == 0 ? length : -length};
        HF_TRY(energy_along(scf, space, direction, place.length, occupied, &place.energy, error));
        if (i == 0 || place.energy < best->energy) *best = place;
    }
cleanup:
    return status;
}

/** A good place on the way down from scf->result->energy; occupied [n_set] are its orbitals. */
static hf_status go_down(struct hf_scf *scf, const struct hf_rotation_space *space,
                         const struct hf_rotation *direction, struct hf_matrix *const occupied[],
                         struct hf_error *error)
{
    hf_status status;
    struct place best = {0}, further = {0};
    double length = FIRST_LENGTH;
    do {
        HF_TRY(look_both_ways(scf, space, direction, length, occupied, &best, error));
        length *= 0.5;
    } while (best.energy >= scf->result->energy && length > SHORTEST_LENGTH);
    while (2.0 * fabs(best.length) <= LONGEST_LENGTH) {
        further.length = 2.0 * best.length;
        HF_TRY(
            energy_along(scf, space, direction, further.length, occupied, &further.energy, error));
        if (further.energy >= best.energy) break;
        best = further;
    }
    HF_TRY(energy_along(scf, space, direction, best.length, occupied, &best.energy, error));
cleanup:
    return status;
}

/** From here on second-order steps, which do not return to what was left. */
static hf_status change_converger(struct hf_scf *scf, struct hf_error *error)
{
    if (scf->converger->destroy != NULL) scf->converger->destroy(&scf->converger_data);
    scf->converger = &hf_converger_newton;
    return scf->converger->create(scf, &scf->converger_data, error);
}

/** Leaves the solution along the eigenvector. */
static hf_status follow(struct hf_scf *scf, const struct hf_rotation_space *space,
                        const struct hf_rotation *direction, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *occupied[HF_MAX_SPIN] = {NULL};
    for (int k = 0; k < scf->method->n_set; k++) {
        if (scf->occupied[k] == NULL) continue;
        HF_TRY(hf_matrix_create(scf->linalg, "orbitals on the way down",
                                hf_matrix_n_row(scf->occupied[k]),
                                hf_matrix_n_col(scf->occupied[k]), &occupied[k], error));
        hf_matrix_copy(scf->occupied[k], occupied[k]);
    }
    HF_TRY(go_down(scf, space, direction, occupied, error));
    for (int k = 0; k < scf->method->n_set; k++)
        if (occupied[k] != NULL) hf_matrix_copy(occupied[k], scf->occupied[k]);
cleanup:
    hf_scf_destroy_list(occupied);
    return status;
}

hf_status hf_scf_leave_saddle(struct hf_scf *scf, bool *has_left, struct hf_error *error)
{
    hf_status status;
    const struct hf_eigenvalue_search search = {.norm = LOOK_NORM, .value = -DOWNHILL};
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation lowest = {{NULL}};
    double eigenvalue[2];
    int n = 2;
    bool converged;
    HF_TRY(hf_scf_make_hessian(scf, LOOSENESS, &hessian, error));
    HF_TRY(hf_lowest_eigenvalues(&hessian, HF_ROTATION_INTERNAL, &search, &n, eigenvalue,
                                 &converged, &lowest, error));
    *has_left = n > 0 && eigenvalue[0] < -DOWNHILL;
    if (*has_left) HF_TRY(follow(scf, &hessian.space, &lowest, error));
cleanup:
    hf_scf_count_products(scf, &hessian);
    hf_rotation_destroy(&lowest);
    hf_hessian_done(&hessian);
    return status;
}

hf_status hf_scf_settle(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    hf_status status = HF_OK;
    const enum hf_stability wanted = scf->settings->stability;
    struct hf_stability_result *stability = &scf->result->stability;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation lowest = {{NULL}};
    *again = false;
    if (wanted == HF_STABILITY_NONE || !scf->result->converged) return HF_OK;
    hf_diis_forget(scf->diis); /* makes room */
    stability->energy[stability->n_follow] = scf->result->energy;
    stability->zero = fmax(ZERO, ZERO_PER_COMMUTATOR * scf->result->commutator);
    stability->external = (struct hf_stability_roots){.n = 0};
    HF_TRY(hf_scf_make_hessian(scf, 1.0, &hessian, error));
    HF_TRY(find_roots(scf, &hessian, HF_ROTATION_INTERNAL, &stability->internal, &lowest, error));
    *again = wanted == HF_STABILITY_FOLLOW && !stability->internal.stable &&
             stability->n_follow < HF_MAX_FOLLOW;
    if (scf->method->n_fock == 1 && !*again)
        HF_TRY(find_roots(scf, &hessian, HF_ROTATION_TRIPLET, &stability->external, NULL, error));
    if (*again) {
        HF_TRY(follow(scf, &hessian.space, &lowest, error));
        scf->step = "follow";
        HF_TRY(change_converger(scf, error));
        stability->n_follow++;
        stability->internal = (struct hf_stability_roots){.n = 0}; /* of what was left */
    }
cleanup:
    hf_scf_count_products(scf, &hessian);
    hf_rotation_destroy(&lowest);
    hf_hessian_done(&hessian);
    return status;
}
