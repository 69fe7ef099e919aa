/* The Hessian of a calculation as it stands, and the stability of a solution: whether it is a minimum among the real
 * determinants of its method, and whether closed shells with different orbitals for each spin would be lower. An
 * unstable solution is left along the lowest eigenvector of the Hessian.
 *
 * Source   Seeger, Pople, J. Chem. Phys. 66, 3045 (1977). */
#include "converger.h"
#include "response/subspace.h"
#include "scf/quantity.h"

#include <math.h>

/* Eigenvalues nearer to zero are of rotations that leave the energy as it is, such as those of a
 * linear molecule whose density is not. Orbitals that are converged to a commutator of c make them
 * wrong by about c. */
static const double ZERO = 1e-5, ZERO_PER_COMMUTATOR = 3.0;

/* A look on the way: eigenvalues that clearly lead down, as right as the gradient there allows.
 * Ferrocene in STO-3G has -0.026, CuO -0.031, NiC -0.044, CrO -0.090. Whether there is one is seen with looser products
 * (eigenvalues err by 0.001) than what it is. */
static const double DOWNHILL = 0.003, LOOK_NORM = 0.004, LOOSENESS = 100.0, FIRST_LOOSENESS = 3e3;

/* Along an eigenvector, in the norm of struct hf_rotation: 0.5 turns one electron by 29 degrees. */
static const double FIRST_LENGTH = 0.5, SHORTEST_LENGTH = 0.03, LONGEST_LENGTH = 1.0;

/* Products err by some hundred times the screening threshold and, in the orthonormal basis, by more
 * the smaller the overlap's eigenvalues are. These are thresholds for products that are right to
 * five digits. */
static const double THRESHOLD = 1e-8, THRESHOLD_PER_OVERLAP = 2e-5;

/** Of responses, whose errors are of first order in the integrals. */
static const double SHARPNESS = 0.1;

hf_status hf_scf_make_hessian(struct hf_scf *scf, double looseness,
                              struct hf_orbital_hessian *hessian, struct hf_error *error)
{
    const double overlap =
        fmax(scf->result->smallest_overlap_eigenvalue, scf->settings->linear_dependence_threshold);
    const double threshold = looseness * fmin(THRESHOLD, THRESHOLD_PER_OVERLAP * overlap);
    HF_CHECK(hf_scf_share_basis(scf, error));
    const struct hf_hessian_input input = {
        .context = scf->context,
        .builder = scf->builder,
        .of = hf_scf_determinant(scf),
        .fock = scf->fock,
        .threshold = fmax(scf->settings->screening_threshold, threshold),
    };
    return hf_hessian_init(hessian, &input, error);
}

void hf_scf_count_products(struct hf_scf *scf, struct hf_orbital_hessian *hessian)
{
    scf->result->n_hessian_product += hessian->n_product;
    scf->result->fock_seconds += hessian->build_seconds;
    hessian->n_product = 0;
    hessian->build_seconds = 0.0;
}

hf_status hf_scf_respond(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_quantity *quantity = scf->settings->responding;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    hf_diis_forget(scf->diis); /* makes room */
    HF_TRY(hf_scf_make_hessian(scf, SHARPNESS, &hessian, error));
    for (; quantity != NULL; quantity = quantity->next_responding)
        HF_TRY(quantity->ops->respond(quantity, &hessian, scf->hamiltonian, error));
cleanup:
    hf_scf_count_products(scf, &hessian);
    hf_hessian_done(&hessian);
    return status;
}

/** Lowest eigenvalues of a kind, and their eigenvectors (unless `vector` is NULL). */
static hf_status find_roots(struct hf_scf *scf, struct hf_orbital_hessian *hessian,
                            enum hf_rotation_kind kind, struct hf_stability_roots *roots,
                            struct hf_rotation vector[], struct hf_error *error)
{
    const double zero = scf->result->stability.zero;
    *roots = (struct hf_stability_roots){.analysed = true, .n = HF_MAX_ROOT};
    HF_CHECK(hf_lowest_eigenvalues(hessian, kind, &hf_sharp_eigenvalues, &roots->n,
                                   roots->eigenvalue, &roots->converged, vector, error));
    roots->stable = roots->n == 0 || roots->eigenvalue[0] >= -zero;
    for (int i = 0; i < roots->n; i++) roots->n_zero += fabs(roots->eigenvalue[i]) < zero;
    return HF_OK;
}

/** A way along an eigenvector. */
struct way {
    struct hf_scf *scf;
    const struct hf_rotation_space *space;
    const struct hf_rotation *direction;
    struct hf_matrix *const *occupied; /**< [n_set] become the orbitals at the last place */
};

/** A place on it. */
struct place {
    double length, energy;
};

/** Sets place->energy, of the orbitals place->length along the way. */
static hf_status find_energy(const struct way *way, struct place *place, struct hf_error *error)
{
    hf_status status;
    struct hf_rotation rotation = {{NULL}};
    HF_TRY(hf_rotation_create(way->space, &rotation, error));
    hf_rotation_add(place->length, way->direction, 0.0, &rotation);
    HF_TRY(hf_rotation_turn(way->space, &rotation, way->occupied, error));
    HF_TRY(hf_scf_energy_of(way->scf, way->occupied, &place->energy, error));
cleanup:
    hf_rotation_destroy(&rotation);
    return status;
}

/** *best = the better of both directions. They are alike if the eigenvector breaks a symmetry. */
static hf_status look_both_ways(const struct way *way, double length, struct place *best,
                                struct hf_error *error)
{
    for (int i = 0; i < 2; i++) {
        struct place place = {.length = i == 0 ? length : -length};
        HF_CHECK(find_energy(way, &place, error));
        if (i == 0 || place.energy < best->energy) *best = place;
    }
    return HF_OK;
}

/** *best = the best place on the way down from the energy of the result. */
static hf_status go_down(const struct way *way, struct place *best, struct hf_error *error)
{
    double length = FIRST_LENGTH;
    do {
        HF_CHECK(look_both_ways(way, length, best, error));
        length *= 0.5;
    } while (best->energy >= way->scf->result->energy && length > SHORTEST_LENGTH);
    while (2.0 * fabs(best->length) <= LONGEST_LENGTH) {
        struct place further = {.length = 2.0 * best->length};
        HF_CHECK(find_energy(way, &further, error));
        if (further.energy >= best->energy) break;
        *best = further;
    }
    return HF_OK;
}

hf_status hf_scf_use_newton(struct hf_scf *scf, struct hf_error *error)
{
    if (scf->converger->destroy != NULL) scf->converger->destroy(&scf->converger_data);
    scf->converger = &hf_converger_newton;
    return scf->converger->create(scf, &scf->converger_data, error);
}

/** Leaves the solution along that of the n modes which leads to the lowest energy: often not the lowest one, as where
 *  several bonds break. */
static hf_status follow(struct hf_scf *scf, const struct hf_rotation_space *space, int n,
                        const struct hf_rotation mode[], struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *occupied[HF_MAX_SPIN] = {NULL};
    struct way way = {.scf = scf, .space = space, .occupied = occupied};
    struct place best = {0}, place = {0};
    int chosen = 0;
    HF_TRY(hf_scf_copy_occupied(scf, "orbitals on the way down", occupied, error));
    for (int i = 0; i < n; i++) {
        way.direction = &mode[i];
        HF_TRY(go_down(&way, &place, error));
        if (i > 0 && place.energy >= best.energy) continue;
        best = place;
        chosen = i;
    }
    way.direction = &mode[chosen];
    way.occupied = scf->occupied;
    HF_TRY(find_energy(&way, &best, error));
cleanup:
    hf_scf_destroy_list(occupied);
    return status;
}

/** How many of n ascending eigenvalues are below a limit. */
static int count_below(int n, const double eigenvalue[], double limit)
{
    int n_below = 0;
    while (n_below < n && eigenvalue[n_below] < limit) n_below++;
    return n_below;
}

static void destroy_modes(int n, struct hf_rotation mode[])
{
    for (int i = 0; i < n; i++) hf_rotation_destroy(&mode[i]);
}

/** Whether the lowest eigenvalue clearly leads down. Then `mode` (new) is a first eigenvector, far from exact. */
static hf_status look_for_descent(struct hf_orbital_hessian *hessian, struct hf_rotation *mode,
                                  bool *leads_down, struct hf_error *error)
{
    hf_status status;
    const struct hf_eigenvalue_search search = {
        .norm = LOOK_NORM, .value = -DOWNHILL, .only_sign = true};
    const double threshold = hessian->threshold;
    double eigenvalue;
    int n = 1;
    bool converged;
    hessian->threshold = FIRST_LOOSENESS / LOOSENESS * threshold;
    HF_TRY(hf_lowest_eigenvalues(hessian, HF_ROTATION_INTERNAL, &search, &n, &eigenvalue,
                                 &converged, mode, error));
    *leads_down = n > 0 && eigenvalue < -DOWNHILL;
cleanup:
    hessian->threshold = threshold;
    return status;
}

hf_status hf_scf_leave_saddle(struct hf_scf *scf, bool *has_left, struct hf_error *error)
{
    enum { MOST_MODES = HF_MAX_ROOT + 1 };
    hf_status status;
    const struct hf_eigenvalue_search search = {.norm = LOOK_NORM, .value = -INFINITY};
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation mode[MOST_MODES] = {{{NULL}}};
    double eigenvalue[HF_MAX_ROOT];
    int n = HF_MAX_ROOT;
    bool converged;
    HF_TRY(hf_scf_make_hessian(scf, LOOSENESS, &hessian, error));
    HF_TRY(look_for_descent(&hessian, &mode[0], has_left, error));
    if (!*has_left) goto cleanup;
    HF_TRY(hf_lowest_eigenvalues(&hessian, HF_ROTATION_INTERNAL, &search, &n, eigenvalue,
                                 &converged, mode + 1, error));
    n = count_below(n, eigenvalue, -DOWNHILL);
    *has_left = n > 0;
    if (*has_left) HF_TRY(follow(scf, &hessian.space, n + 1, mode, error));
cleanup:
    hf_scf_count_products(scf, &hessian);
    destroy_modes(MOST_MODES, mode);
    hf_hessian_done(&hessian);
    return status;
}

hf_status hf_scf_settle(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    hf_status status = HF_OK;
    const enum hf_stability wanted = scf->settings->stability;
    struct hf_stability_result *stability = &scf->result->stability;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation mode[HF_MAX_ROOT] = {{{NULL}}};
    *again = false;
    if (wanted == HF_STABILITY_NONE || !scf->result->converged) return HF_OK;
    hf_diis_forget(scf->diis); /* makes room */
    stability->energy[stability->n_follow] = scf->result->energy;
    stability->zero = fmax(ZERO, ZERO_PER_COMMUTATOR * scf->result->commutator);
    stability->external = (struct hf_stability_roots){.n = 0};
    HF_TRY(hf_scf_make_hessian(scf, 1.0, &hessian, error));
    HF_TRY(find_roots(scf, &hessian, HF_ROTATION_INTERNAL, &stability->internal, mode, error));
    *again = wanted == HF_STABILITY_FOLLOW && !stability->internal.stable &&
             stability->n_follow < HF_MAX_FOLLOW;
    if (scf->method->n_fock == 1 && !*again)
        HF_TRY(find_roots(scf, &hessian, HF_ROTATION_TRIPLET, &stability->external, NULL, error));
    if (*again) {
        const struct hf_stability_roots *roots = &stability->internal;
        const int n = count_below(roots->n, roots->eigenvalue, -stability->zero);
        HF_TRY(follow(scf, &hessian.space, n, mode, error));
        scf->step = "follow";
        HF_TRY(hf_scf_use_newton(scf, error));
        stability->n_follow++;
        stability->internal = (struct hf_stability_roots){.n = 0}; /* of what was left */
    }
cleanup:
    hf_scf_count_products(scf, &hessian);
    destroy_modes(HF_MAX_ROOT, mode);
    hf_hessian_done(&hessian);
    return status;
}
