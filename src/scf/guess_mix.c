/* A start with different orbitals for alpha and beta electrons. As long as they are the same, Fock
 * matrices of both spins are the same, too, and no step of an unrestricted calculation ever leaves
 * the restricted solution, however high it lies.
 *
 * Alpha electrons are to prefer every other atom, beta electrons the rest: sigma_A = +1 or -1, the
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
 * which puts the electrons of a bond on different atoms, of a bond of several pairs all of alpha
 * spin on the same. If there is no such pair, HOMO and LUMO are mixed instead.
 *
 * Far apart, bonding and antibonding orbitals have the same energy, and the diagonalisation returns
 * any combination of them, such as those of single atoms. Then the orbitals with the energy of HOMO
 * and LUMO are combined to eigenvectors of W: alpha electrons take the highest, beta electrons the
 * lowest. */
#include "converger.h"

#include <math.h>
#include <stdlib.h>

/** hartree below the LUMO; what lies deeper stays closed. */
static const double NEAR = 0.75;

static const double SMALLEST_SQUARE = 0.25;

/** Orbitals this near to HOMO and LUMO have the same energy, hartree. */
static const double DEGENERATE = 1e-4;

/** Least difference of eigenvalues of W by which orbitals of the same energy are told apart. */
static const double SMALLEST_SPLITTING = 0.5;

/** Orbitals of one spin on their way. */
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

/** sigma [n_atom], 0 of ghosts: atoms come in the order of their distance to those that have a
 *  sign. distance [n_atom]: to the nearest that has a sign; wanted [n_atom]: the opposite of that one's. */
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

/** w [m][m] = X^T W X. Collective. */
static hf_status make_operator(struct hf_scf *scf, struct hf_matrix *w, struct hf_error *error)
{
    hf_status status;
    const struct hf_basis *basis = scf->basis;
    const int n = basis->n_function;
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
    HF_TRY(hf_matrix_create(scf->linalg, "signed overlap", n, n, &overlap, error));
    HF_TRY(hf_matrix_create(scf->linalg, "signed overlap", n, n, &scaled, error));
    HF_TRY(hf_scf_overlap(scf, overlap, error));
    hf_matrix_copy_columns(overlap, 0, n, of_function, scaled, 0);
    hf_matrix_add(0.5, scaled, 0.0, overlap);
    hf_matrix_add_transposed(0.5, scaled, 1.0, overlap);
    HF_TRY(hf_to_orthonormal(scf->linalg, scf->x[0], overlap, w, error));
cleanup:
    HF_DESTROY_MATRICES(&scaled, &overlap);
    hf_arena_done(&arena);
    return status;
}

/** near [m][k] = C and partner [m][k] = (1 - P) W C. Collective. */
static hf_status make_partners(const struct mixing *self, struct hf_matrix *near,
                               struct hf_matrix *partner, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *product = NULL;
    HF_TRY(
        hf_matrix_create(self->scf->linalg, "mixed orbitals", self->o, self->k, &product, error));
    hf_matrix_copy_columns(self->vector, self->o - self->k, self->k, NULL, near, 0);
    hf_matrix_multiply(1.0, false, self->w, false, near, 0.0, partner);
    hf_matrix_multiply(1.0, true, self->occupied, false, partner, 0.0, product);
    hf_matrix_multiply(-1.0, false, self->occupied, false, product, 1.0, partner);
cleanup:
    hf_matrix_destroy(&product);
    return status;
}

/** factor [2][k] of c and v from the squares [k]; whether there is a pair at all. */
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
    HF_TRY(hf_matrix_create(self->scf->linalg, "mixed orbitals", self->m, k, &sum, error));
    HF_TRY(hf_matrix_create(self->scf->linalg, "mixed orbitals", self->m, k, &part, error));
    hf_matrix_copy_columns(one, 0, k, factor, sum, 0);
    hf_matrix_copy_columns(other, 0, k, factor + k, part, 0);
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
    HF_TRY(hf_matrix_create(self->scf->linalg, "mixed orbitals", self->m, 1, &homo, error));
    HF_TRY(hf_matrix_create(self->scf->linalg, "mixed orbitals", self->m, 1, &lumo, error));
    hf_matrix_copy_columns(self->vector, self->o - 1, 1, NULL, homo, 0);
    hf_matrix_copy_columns(self->vector, self->o, 1, NULL, lumo, 0);
    HF_TRY(put_mixture(self, homo, lumo, 1, factor, error));
cleanup:
    HF_DESTROY_MATRICES(&lumo, &homo);
    return status;
}

/** If HOMO and LUMO have the same energy: those of the orbitals with this energy that W prefers become
 *  occupied. *done: W tells them apart. Collective. */
static hf_status split_degenerate(const struct mixing *self, bool *done, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_linalg *linalg = self->scf->linalg;
    const double *energy = self->energy;
    int below = 0, above = 0;
    struct hf_matrix *space = NULL, *w = NULL, *rotation = NULL, *rotated = NULL;
    double *value = NULL;
    while (below < self->o && energy[self->o] - energy[self->o - 1 - below] < DEGENERATE) below++;
    while (self->o + above < self->m && energy[self->o + above] - energy[self->o - 1] < DEGENERATE)
        above++;
    const int n = below + above;
    *done = false;
    if (below == 0) return HF_OK;
    value = malloc((size_t)n * sizeof *value);
    if (value == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for orbitals");
    HF_TRY(hf_agree(self->scf->context->comm, status, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", self->m, n, &space, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", self->m, n, &rotated, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", n, n, &w, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", n, n, &rotation, error));
    hf_matrix_copy_columns(self->vector, self->o - below, n, NULL, space, 0);
    HF_TRY(hf_to_orthonormal(linalg, space, self->w, w, error));
    HF_TRY(hf_matrix_eigen(w, value, rotation, error));
    hf_matrix_multiply(1.0, false, space, false, rotation, 0.0, rotated);
    *done = value[n - 1] - value[0] > SMALLEST_SPLITTING; /* the same on every rank */
    if (*done)
        hf_matrix_copy_columns(rotated, self->sign > 0.0 ? above : 0, below, NULL, self->occupied,
                               self->o - below);
cleanup:
    HF_DESTROY_MATRICES(&rotation, &w, &rotated, &space);
    free(value);
    return status;
}

/** Mixes the orbitals in self->occupied. Collective. */
static hf_status mix_spin(const struct mixing *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_linalg *linalg = self->scf->linalg;
    const int m = self->m, k = self->k;
    struct hf_matrix *near = NULL, *partner = NULL, *rotation = NULL, *c = NULL, *v = NULL;
    struct hf_matrix *product = NULL;
    double *square = calloc(3 * (size_t)k, sizeof *square);
    if (square == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for orbitals");
    HF_TRY(hf_agree(self->scf->context->comm, status, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", m, k, &near, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", m, k, &partner, error));
    HF_TRY(make_partners(self, near, partner, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", k, k, &product, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", k, k, &rotation, error));
    hf_matrix_multiply_to_symmetric(1.0, true, partner, false, partner, product);
    HF_TRY(hf_matrix_eigen(product, square, rotation, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", m, k, &c, error));
    HF_TRY(hf_matrix_create(linalg, "mixed orbitals", m, k, &v, error));
    hf_matrix_multiply(1.0, false, near, false, rotation, 0.0, c);
    hf_matrix_multiply(1.0, false, partner, false, rotation, 0.0, v);
    if (choose_factors(self, square, square + k)) /* the same on every rank */
        HF_TRY(put_mixture(self, c, v, k, square + k, error));
    else
        HF_TRY(mix_frontier(self, error));
cleanup:
    HF_DESTROY_MATRICES(&v, &c, &rotation, &product, &partner, &near);
    free(square);
    return status;
}

hf_status hf_scf_mix_guess(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *vector[HF_MAX_SPIN] = {NULL}, *w = NULL;
    const int m = scf->result->n_orbital;
    bool is_split;
    HF_TRY(hf_scf_all_orbitals(scf, scf->fock, vector, error));
    HF_TRY(hf_matrix_create(scf->linalg, "signed overlap", m, m, &w, error));
    HF_TRY(make_operator(scf, w, error));
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
