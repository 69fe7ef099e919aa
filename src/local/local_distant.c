/* Distant pairs: (ia|jb) is the energy of the dipoles d of i a and d' of j b,
 *
 *     K = (d.d' - 3 (d.R)(d'.R) / R^2) / R^3          R between the centres of i and j
 *
 * of pseudo-canonical a of [i] and b of [j]; without exchange each pair has -4 sum of K^2 / (e_a + e_b - F_ii - F_jj).
 * Source: Hetzer, Pulay, Werner, Chem. Phys. Lett. 290, 143 (1998). */
#include "local_mp2_private.h"

#include "base/arithmetic.h"
#include "hamiltonian/hamiltonian.h"

#include <math.h>
#include <string.h>

/** Excitations of all orbitals; those of orbital i are begin[i] .. begin[i+1]-1. */
struct excitations {
    struct hf_arena arena; /**< of all arrays */
    struct hf_local *local;
    struct hf_sparse_matrix *moment[3]; /**< x L, y L, z L */
    int *begin;                         /**< [n_orbital + 1] */
    double *energy;                     /**< e_a - F_ii */
    double *dipole;                     /**< [][3] */
    struct hf_scratch of_pao;           /**< dipoles of one orbital's PAOs */
};

/** x L, y L and z L. Collective. */
static hf_status make_moments(struct excitations *self, const struct hf_wavefunction *wave,
                              struct hf_error *error)
{
    hf_status status;
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    struct hf_local *local = self->local;
    const int n = local->basis->n_function;
    const struct hf_sparse_choice choice = {.label = "moments of orbitals",
                                            .threshold = local->settings->sparse};
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *orbitals = NULL, *integrals = NULL, *product = NULL;
    HF_TRY(hf_localised_matrix(&local->localised, wave, &orbitals, error));
    HF_TRY(hf_matrix_create(wave->linalg, "dipole integrals", n, n, &integrals, error));
    HF_TRY(hf_matrix_create(wave->linalg, "dipoles of orbitals", n, local->n_orbital, &product,
                            error));
    HF_TRY(hf_hamiltonian_create(local->context, wave->linalg, wave->basis, wave->molecule,
                                 &hamiltonian, error));
    for (int d = 0; d < 3; d++) {
        const struct hf_trace_span span = hf_trace_begin_span(local->context->trace);
        HF_TRY(hf_operator_matrix(hamiltonian, along[d], integrals, error));
        hf_trace_end_span(local->context->trace, 0, HF_TRACE_COPYING, 0, span);
        hf_matrix_multiply(1.0, false, integrals, false, orbitals, 0.0, product);
        HF_TRY(hf_sparse_from_matrix(local->context, local->basis, product, true, &choice,
                                     &self->moment[d], error));
    }
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    hf_matrix_destroy(&orbitals);
    hf_matrix_destroy(&integrals);
    hf_matrix_destroy(&product);
    return status;
}

/** to[n] += <i| r_d - centre |a> of the PAOs of an atom. */
static void add_dipoles(const struct excitations *self, int i, int d, int atom, double to[])
{
    const struct hf_local *local = self->local;
    const struct hf_sparse_matrix *paos = local->paos;
    const double centre = local->localised.orbital[i].centre[d];
    const size_t n = (size_t)(paos->column_first[atom + 1] - paos->column_first[atom]);
    for (int k = paos->begin[atom]; k < paos->begin[atom + 1]; k++) {
        const int other = paos->row[k];
        const int n_row = paos->row_first[other + 1] - paos->row_first[other];
        const double *block = paos->value + paos->offset[k];
        const double *moment = hf_sparse_find(self->moment[d], other, i);
        const double *overlap = hf_sparse_find(local->localised.overlap, other, i);
        for (int r = 0; r < n_row; r++) {
            const double left =
                (moment != NULL ? moment[r] : 0.0) - (overlap != NULL ? centre * overlap[r] : 0.0);
            for (size_t a = 0; a < n; a++) to[a] += left * block[(size_t)r * n + a];
        }
    }
}

/** Excitations of orbital i. Local. */
static hf_status make_excitations(struct excitations *self, int i, struct hf_local_domain *domain,
                                  struct hf_error *error)
{
    struct hf_local *local = self->local;
    const int first = self->begin[i];
    const double fock = hf_local_fock_occupied(local, i, i);
    if (domain->vector == NULL) {
        HF_CHECK(hf_local_domain_vectors(local, domain, error));
    }
    const size_t n = (size_t)domain->n_function, n_kept = (size_t)domain->n_kept;
    double *of_pao = hf_scratch_reserve(&self->of_pao, n);
    if (of_pao == NULL) return hf_arena_check(&self->arena, error);
    for (int d = 0; d < 3; d++) {
        double *to = of_pao;
        memset(of_pao, 0, n * sizeof *of_pao);
        for (int k = 0; k < domain->atoms.n; k++) {
            const struct hf_parts atom = {1, &domain->atoms.part[k]};
            add_dipoles(self, i, d, *atom.part, to);
            to += hf_parts_size(local->paos->column_first, atom);
        }
        for (size_t a = 0; a < n_kept; a++) {
            double sum = 0.0;
            for (size_t m = 0; m < n; m++) sum += of_pao[m] * domain->vector[m * n_kept + a];
            self->dipole[3 * ((size_t)first + a) + (size_t)d] = sum;
        }
    }
    for (size_t a = 0; a < n_kept; a++) self->energy[(size_t)first + a] = domain->energy[a] - fock;
    return HF_OK;
}

/** All excitations on every rank, each computed on one; there are at most as many as PAOs, the others are empty.
 *  Collective. */
static hf_status share_excitations(struct excitations *self, struct hf_error *error)
{
    struct hf_local *local = self->local;
    struct hf_context *context = local->context;
    HF_TAKE(&self->arena, self->begin, (size_t)local->n_orbital + 1);
    for (int i = 0; self->begin != NULL && i < local->n_orbital; i++)
        self->begin[i + 1] =
            self->begin[i] + local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].n_function;
    const size_t n = self->begin != NULL ? (size_t)self->begin[local->n_orbital] : 0;
    HF_TAKE(&self->arena, self->energy, n);
    HF_TAKE(&self->arena, self->dipole, 3 * n);
    hf_status status = hf_arena_check(&self->arena, error);
    for (int i = context->rank; status == HF_OK && i < local->n_orbital; i += context->n_rank) {
        const struct hf_trace_span span = hf_trace_begin_span(context->trace);
        status = make_excitations(self, i,
                                  &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]], error);
        hf_trace_end_span(context->trace, 0, HF_TRACE_PAIR_TASK, i, span);
    }
    HF_CHECK(hf_agree(context->comm, status, error));
    hf_sum_over_ranks(context->comm, (size_t)self->begin[local->n_orbital], self->energy);
    hf_sum_over_ranks(context->comm, 3 * (size_t)self->begin[local->n_orbital], self->dipole);
    return HF_OK;
}

/** Energy of a pair. */
static double pair_energy(const struct excitations *self, int i, int j)
{
    const struct hf_localised_orbital *orbital = self->local->localised.orbital;
    double r[3], sum = 0.0;
    const double r2 = hf_distance_squared(orbital[i].centre, orbital[j].centre);
    for (int d = 0; d < 3; d++) r[d] = (orbital[i].centre[d] - orbital[j].centre[d]) / sqrt(r2);
    for (int a = self->begin[i]; a < self->begin[i + 1]; a++) {
        const double *x = self->dipole + 3 * (size_t)a;
        const double along = 3.0 * (x[0] * r[0] + x[1] * r[1] + x[2] * r[2]);
        const double v[3] = {x[0] - along * r[0], x[1] - along * r[1], x[2] - along * r[2]};
        if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) continue;
        for (int b = self->begin[j]; b < self->begin[j + 1]; b++) {
            const double *y = self->dipole + 3 * (size_t)b;
            const double k = v[0] * y[0] + v[1] * y[1] + v[2] * y[2];
            if (k != 0.0) sum += k * k / (self->energy[a] + self->energy[b]);
        }
    }
    return -4.0 * sum / (r2 * r2 * r2);
}

/** The sum over the distant pairs; the same bits on any number of ranks. Collective. */
static hf_status add_energies(struct excitations *self, struct hf_error *error)
{
    struct hf_local *local = self->local;
    struct hf_context *context = local->context;
    double *of_orbital = HF_TAKE(&self->arena, of_orbital, (size_t)local->n_orbital);
    HF_CHECK(hf_agree_to_go_on(context, hf_arena_check(&self->arena, error), error));
    for (int i = context->rank; i < local->n_orbital; i += context->n_rank)
        for (int j = 0; j < i; j++)
            if (hf_local_find_pair(local, i, j) < 0) of_orbital[i] += pair_energy(self, i, j);
    hf_sum_over_ranks(context->comm, (size_t)local->n_orbital, of_orbital);
    for (int i = 0; i < local->n_orbital; i++) {
        local->distant.same_spin += 0.5 * of_orbital[i];
        local->distant.opposite_spin += 0.5 * of_orbital[i];
    }
    return HF_OK;
}

hf_status hf_local_add_distant(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                               struct hf_error *error)
{
    hf_status status;
    struct excitations self = {
        .local = local, .arena = {.memory = local->context->memory, .label = "distant pairs"}};
    self.of_pao.arena = &self.arena;
    if (local->distant.n_pair == 0) return HF_OK;
    HF_TRY(make_moments(&self, wavefunction, error));
    HF_TRY(share_excitations(&self, error));
    HF_TRY(add_energies(&self, error));
cleanup:
    for (int d = 0; d < 3; d++) hf_sparse_destroy(&self.moment[d]);
    hf_arena_done(&self.arena);
    return status;
}
