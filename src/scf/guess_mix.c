/* A start with different orbitals for alpha and beta electrons. If they are the same, so are the Fock matrices of both
 * spins, and no step of an unrestricted calculation ever leaves the restricted solution, however high its energy.
 *
 * Alpha electrons shall prefer every other atom, beta electrons the remaining atoms: sigma_A = +1 or -1, the
 * opposite of the nearest neighbour. With the populations of atoms as operators (Mulliken's),
 *
 *     W = sum_A sigma_A P_A        W_mn = S_mn (sigma_m + sigma_n) / 2
 *
 * W c is the antibonding orbital of a bonding one. So the occupied orbitals near the gap, C, get
 * partners among the virtual ones, V = (1 - P) W C, and with V^T V = U s^2 U^T the columns of C U
 * and V U / s are pairs. Those with s > 1/2 are mixed evenly:
 *
 *     alpha  (c + v) / sqrt(2)        beta  (c - v) / sqrt(2)
 *
 * This puts the two electrons of a bond on different atoms. In a bond of several pairs, all alpha electrons are on the
 * same atom. If there is no such pair, HOMO and LUMO are mixed instead.
 *
 * If atoms are far apart, bonding and antibonding orbitals have the same energy, and the diagonalisation returns
 * any combination of them, such as orbitals of single atoms. Then the orbitals with the energy of HOMO
 * and LUMO are combined to eigenvectors of W: alpha electrons take the highest, beta electrons the
 * lowest. */
#include "converger.h"

#include <math.h>

/** hartree below the LUMO; orbitals of lower energy stay doubly occupied. */
static const double NEAR = 0.75;

static const double SMALLEST_SQUARE = 0.25;

/** Orbitals this near to HOMO and LUMO have the same energy, hartree. */
static const double DEGENERATE = 1e-4;

/** Least difference of eigenvalues of W by which orbitals of the same energy are told apart. */
static const double SMALLEST_SPLITTING = 0.5;

/** Data for mixing the orbitals of one spin. */
struct mixing {
    struct hf_scf *scf;
    const struct hf_matrix *w;      /* [m][m] W in the orthonormal basis */
    const struct hf_matrix *vector; /* [m][m] all orbitals */
    const double *energy;           /* [m] theirs */
    double sign;                    /* +1 alpha, -1 beta */
    int m, o, k;                    /* orbitals, occupied ones, the last of these that are near */
    struct hf_matrix *occupied;     /* [m][o] */
};

static double squared_distance(const struct hf_atom *a, const struct hf_atom *b)
{
    double sum = 0.0;
    for (int d = 0; d < 3; d++)
        sum += (a->position_bohr[d] - b->position_bohr[d]) *
               (a->position_bohr[d] - b->position_bohr[d]);
    return sum;
}

/** sigma [n_atom], 0 for ghosts. Atoms get their signs in the order of their distance to atoms that have one.
 *  distance [n_atom]: to the nearest atom with a sign; wanted [n_atom]: the opposite of its sign. */
static void choose_signs(const struct hf_molecule *molecule, double sigma[], double distance[],
                         double wanted[])
{
    const int n = molecule->n_atom;
    const struct hf_atom *atom = molecule->atom;
    for (int a = 0; a < n; a++) {
        sigma[a] = 0.0;
        distance[a] = INFINITY;
        wanted[a] = 1.0;
    }
    for (;;) {
        int next = -1;
        for (int a = 0; a < n; a++)
            if (!atom[a].ghost && sigma[a] == 0.0 && (next < 0 || distance[a] < distance[next]))
                next = a;
        if (next < 0) break;
        sigma[next] = wanted[next];
        for (int a = 0; a < n; a++) {
            const double here = squared_distance(&atom[a], &atom[next]);
            if (here >= distance[a]) continue;
            distance[a] = here;
            wanted[a] = -sigma[next];
        }
    }
}

/** New *w [m][m] = X^T W X. Collective. */
static hf_status make_operator(struct hf_scf *scf, struct hf_matrix **w, struct hf_error *error)
{
    hf_status status;
    const struct hf_basis *basis = scf->basis;
    const int n = basis->n_function, m = scf->result->n_orbital;
    const size_t n_atom = (size_t)basis->n_atom;
    struct hf_matrix *overlap = NULL, *scaled = NULL;
    struct hf_arena arena = {.label = "the signs of atoms"};
    double *sigma = HF_TAKE(&arena, sigma, n_atom);
    double *distance = HF_TAKE(&arena, distance, n_atom);
    double *wanted = HF_TAKE(&arena, wanted, n_atom);
    double *of_function = HF_TAKE(&arena, of_function, (size_t)n);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    choose_signs(scf->molecule, sigma, distance, wanted);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        for (int f = 0; f < shell->n_function; f++)
            of_function[shell->first_function + f] = sigma[shell->atom];
    }
    HF_TRY(HF_CREATE_MATRICES(scf->linalg, "signed overlap", error, {w, m, m}, {&overlap, n, n},
                              {&scaled, n, n}));
    HF_TRY(hf_scf_overlap(scf, overlap, error));
    hf_matrix_copy_columns(overlap, 0, n, of_function, scaled, 0);
    hf_matrix_add(0.5, scaled, 0.0, overlap);
    hf_matrix_add_transposed(0.5, scaled, 1.0, overlap);
    HF_TRY(hf_to_orthonormal(scf->x[0], overlap, *w, error));
cleanup:
    HF_DESTROY_MATRICES(&scaled, &overlap);
    hf_arena_done(&arena);
    return status;
}

/** New *near [m][k] = C and *partner [m][k] = (1 - P) W C. Collective. */
static hf_status make_partners(const struct mixing *self, struct hf_matrix **near,
                               struct hf_matrix **partner, struct hf_error *error)
{
    struct hf_matrix *product = NULL;
    HF_CHECK(hf_matrix_create_columns("mixed orbitals", self->vector, self->o - self->k, self->k,
                                      NULL, near, error));
    HF_CHECK(
        hf_matrix_create_product("mixed orbitals", false, self->w, false, *near, partner, error));
    HF_CHECK(hf_matrix_create_product("mixed orbitals", true, self->occupied, false, *partner,
                                      &product, error));
    hf_matrix_multiply(-1.0, false, self->occupied, false, product, 1.0, *partner);
    hf_matrix_destroy(&product);
    return HF_OK;
}

/** Computes factor [2][k] of c and v from the squares [k]; true if there is any pair. */
static bool choose_factors(const struct mixing *self, const double square[], double factor[])
{
    bool any = false;
    for (int i = 0; i < self->k; i++) {
        const bool pair = square[i] > SMALLEST_SQUARE;
        factor[i] = pair ? sqrt(0.5) : 1.0;
        factor[self->k + i] = pair ? self->sign * sqrt(0.5 / square[i]) : 0.0;
        any = any || pair;
    }
    return any;
}

/** The last k columns of occupied = those of `one` times factor[0..k-1] plus those of `other` times
 *  factor[k..2k-1]. Collective. */
static hf_status put_mixture(const struct mixing *self, const struct hf_matrix *one,
                             const struct hf_matrix *other, int k, const double factor[],
                             struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *sum = NULL, *part = NULL;
    HF_TRY(hf_matrix_create_columns("mixed orbitals", one, 0, k, factor, &sum, error));
    HF_TRY(hf_matrix_create_columns("mixed orbitals", other, 0, k, factor + k, &part, error));
    hf_matrix_add(1.0, part, 1.0, sum);
    hf_matrix_copy_columns(sum, 0, k, NULL, self->occupied, self->o - k);
cleanup:
    HF_DESTROY_MATRICES(&part, &sum);
    return status;
}
static hf_status mix_frontier(const struct mixing *self, struct hf_error *error)
{
    hf_status status;
    const double factor[2] = {sqrt(0.5), self->sign * sqrt(0.5)};
    struct hf_matrix *homo = NULL, *lumo = NULL;
    HF_TRY(hf_matrix_create_columns("mixed orbitals", self->vector, self->o - 1, 1, NULL, &homo,
                                    error));
    HF_TRY(
        hf_matrix_create_columns("mixed orbitals", self->vector, self->o, 1, NULL, &lumo, error));
    HF_TRY(put_mixture(self, homo, lumo, 1, factor, error));
cleanup:
    HF_DESTROY_MATRICES(&lumo, &homo);
    return status;
}

/** If HOMO and LUMO have the same energy: those of the orbitals with this energy that W prefers become
 *  occupied. *done: W tells them apart. Collective. */
static hf_status split_degenerate(const struct mixing *self, bool *done, struct hf_error *error)
{
    hf_status status;
    const double *energy = self->energy;
    int below = 0, above = 0;
    struct hf_matrix *space = NULL, *w = NULL, *rotation = NULL, *rotated = NULL;
    struct hf_arena arena = {.label = "orbitals of the same energy"};
    while (below < self->o && energy[self->o] - energy[self->o - 1 - below] < DEGENERATE) below++;
    while (self->o + above < self->m && energy[self->o + above] - energy[self->o - 1] < DEGENERATE)
        above++;
    const int n = below + above;
    *done = false;
    if (below == 0) return HF_OK;
    double *value = HF_TAKE(&arena, value, (size_t)n);
    HF_TRY(hf_agree(self->scf->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_matrix_create_columns("mixed orbitals", self->vector, self->o - below, n, NULL,
                                    &space, error));
    HF_TRY(HF_CREATE_MATRICES(self->scf->linalg, "mixed orbitals", error, {&w, n, n},
                              {&rotation, n, n}));
    HF_TRY(hf_to_orthonormal(space, self->w, w, error));
    HF_TRY(hf_matrix_eigen(w, value, rotation, error));
    HF_TRY(
        hf_matrix_create_product("mixed orbitals", false, space, false, rotation, &rotated, error));
    *done = value[n - 1] - value[0] > SMALLEST_SPLITTING; /* the same on every rank */
    if (*done)
        hf_matrix_copy_columns(rotated, self->sign > 0.0 ? above : 0, below, NULL, self->occupied,
                               self->o - below);
cleanup:
    HF_DESTROY_MATRICES(&rotation, &w, &rotated, &space);
    hf_arena_done(&arena);
    return status;
}

/** Mixes the orbitals in self->occupied. Collective. */
static hf_status mix_spin(const struct mixing *self, struct hf_error *error)
{
    hf_status status;
    const int k = self->k;
    struct hf_matrix *near = NULL, *partner = NULL, *rotation = NULL, *c = NULL, *v = NULL;
    struct hf_matrix *product = NULL;
    struct hf_arena arena = {.label = "orbitals near the gap"};
    double *square = HF_TAKE(&arena, square, 3 * (size_t)k);
    HF_TRY(hf_agree(self->scf->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(make_partners(self, &near, &partner, error));
    HF_TRY(HF_CREATE_MATRICES(self->scf->linalg, "mixed orbitals", error, {&product, k, k},
                              {&rotation, k, k}));
    hf_matrix_multiply_to_symmetric(1.0, true, partner, false, partner, product);
    HF_TRY(hf_matrix_eigen(product, square, rotation, error));
    HF_TRY(hf_matrix_create_product("mixed orbitals", false, near, false, rotation, &c, error));
    HF_TRY(hf_matrix_create_product("mixed orbitals", false, partner, false, rotation, &v, error));
    if (choose_factors(self, square, square + k)) /* the same on every rank */
        HF_TRY(put_mixture(self, c, v, k, square + k, error));
    else
        HF_TRY(mix_frontier(self, error));
cleanup:
    HF_DESTROY_MATRICES(&v, &c, &rotation, &product, &partner, &near);
    hf_arena_done(&arena);
    return status;
}

hf_status hf_scf_mix_guess(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *vector[HF_MAX_SPIN] = {NULL}, *w = NULL;
    const int m = scf->result->n_orbital;
    bool is_split;
    HF_TRY(hf_scf_all_orbitals(scf, scf->fock, vector, error));
    HF_TRY(make_operator(scf, &w, error));
    for (int s = 0; s < scf->method->n_set; s++) {
        if (scf->occupied[s] == NULL) continue;
        struct mixing spin = {.scf = scf,
                              .w = w,
                              .vector = vector[s],
                              .energy = scf->orbital_energy + (size_t)s * (size_t)m,
                              .sign = s == 0 ? 1.0 : -1.0,
                              .m = m,
                              .o = hf_matrix_n_col(scf->occupied[s]),
                              .k = 1,
                              .occupied = scf->occupied[s]};
        hf_matrix_copy_columns(vector[s], 0, spin.o, NULL, spin.occupied, 0);
        if (spin.o == m) continue; /* nothing to mix with */
        while (spin.k < spin.o && spin.energy[spin.o] - spin.energy[spin.o - 1 - spin.k] < NEAR)
            spin.k++;
        HF_TRY(split_degenerate(&spin, &is_split, error));
        if (!is_split) HF_TRY(mix_spin(&spin, error));
    }
    scf->has_orbitals = true;
cleanup:
    hf_matrix_destroy(&w);
    hf_scf_destroy_list(vector);
    return status;
}
