/* The energy-weighted density of MP2 where functions were removed for linear dependence. */
#include "hamiltonian/hamiltonian.h"
#include "relaxed_density_private.h"

/** Makes the Fock matrices [n_spin] of the SCF in functions. Collective. */
static hf_status make_fock(const struct hf_relaxation *self, struct hf_matrix *fock[],
                           struct hf_error *error)
{
    hf_status status;
    const struct hf_wavefunction *w = self->wavefunction;
    const struct hf_matrix *const density[] = {w->density, w->spin_density};
    struct hf_matrix *coulomb = NULL, *exchange[HF_MAX_SPIN] = {NULL};
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_fock_job job[HF_MAX_SPIN];
    HF_TRY(hf_matrix_create(self->linalg, "Coulomb matrix", self->n, self->n, &coulomb, error));
    for (int s = 0; s < self->n_spin; s++) {
        HF_TRY(hf_matrix_create(self->linalg, "Fock matrix", self->n, self->n, &fock[s], error));
        HF_TRY(hf_matrix_create(self->linalg, "exchange matrix", self->n, self->n, &exchange[s],
                                error));
        job[s] = (struct hf_fock_job){
            .density = density[s], .coulomb = s == 0 ? coulomb : NULL, .exchange = exchange[s]};
    }
    HF_TRY(hf_hamiltonian_create(self->context, self->linalg, w->basis, w->molecule, &hamiltonian,
                                 error));
    HF_TRY(hf_hamiltonian_core(hamiltonian, fock[0], error));
    HF_TRY(hf_fock_build(self->builder, self->n_spin, job, self->settings->screening_threshold,
                         error));
    hf_matrix_add(1.0, coulomb, 1.0, fock[0]);
    hf_matrix_add(-0.5, exchange[0], 1.0, fock[0]);
    if (self->n_spin == 2) {
        hf_matrix_copy(fock[0], fock[1]);
        hf_matrix_add(-0.5, exchange[1], 1.0, fock[0]);
        hf_matrix_add(0.5, exchange[1], 1.0, fock[1]);
    }
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    HF_DESTROY_MATRICES(&coulomb, &exchange[0], &exchange[1]);
    return status;
}

/** What element-wise functions read. */
struct scales {
    const double *eigenvalue;
    int n_occupied, n_removed;
};

/** Rows of virtual orbitals become zero. */
static double keep_occupied_rows(void *data, int row, int column, double value)
{
    const struct scales *of = data;
    (void)column;
    return row < of->n_occupied ? value : 0.0;
}

/** Divides by s_k - s_r, for kept eigenvectors; rows of removed ones become zero. */
static double divide(void *data, int row, int column, double value)
{
    const struct scales *of = data;
    if (row < of->n_removed) return 0.0;
    return value / (of->eigenvalue[row] - of->eigenvalue[column]);
}

/** to [n][r] += R u_r of a spin. Collective. */
static hf_status add_spin(const struct hf_relaxation *self, int spin, const struct hf_matrix *fock,
                          const struct hf_matrix *removed, struct hf_matrix *to,
                          struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *c = self->wavefunction->spin[spin].coefficient;
    const int m = hf_matrix_n_col(c), r = self->n_removed;
    struct hf_matrix *image = NULL, *between = NULL, *sum = NULL, *y = NULL;
    struct scales of = {.n_occupied = self->from->n_occupied[spin]};
    HF_TRY(
        hf_matrix_create(self->linalg, "images of removed functions", self->n, r, &image, error));
    HF_TRY(hf_matrix_create(self->linalg, "removed functions", m, r, &between, error));
    HF_TRY(hf_matrix_create(self->linalg, "removed functions", m, r, &sum, error));
    HF_TRY(hf_matrix_create(self->linalg, "removed functions", r, m, &y, error));
    hf_matrix_multiply(1.0, false, fock, false, removed, 0.0, image);
    hf_matrix_multiply(1.0, true, c, false, image, 0.0, between);
    hf_matrix_multiply(1.0, false, self->density[spin], false, between, 0.0, sum);
    hf_matrix_multiply(1.0, false, self->operator[spin], false, removed, 0.0, image);
    hf_matrix_multiply(1.0, true, c, false, image, 0.0, between);
    hf_matrix_map(between, keep_occupied_rows, &of);
    hf_matrix_add(1.0, between, 1.0, sum);
    HF_TRY(hf_mp2_get_lagrangian(self->from, spin, self->linalg, removed, y, error));
    hf_matrix_add_transposed(0.5, y, 1.0, sum);
    hf_matrix_multiply(self->n_spin == 1 ? 2.0 : 1.0, false, c, false, sum, 1.0, to);
cleanup:
    HF_DESTROY_MATRICES(&y, &sum, &between, &image);
    return status;
}

hf_status hf_weigh_removed_correlation(const struct hf_relaxation *self, struct hf_matrix *weighted,
                                       struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = self->n, r = self->n_removed;
    struct hf_arena arena = {.memory = self->context->memory, .label = "overlap eigenvalues"};
    struct hf_matrix *fock[HF_MAX_SPIN] = {NULL}, *overlap = NULL, *vector = NULL, *removed = NULL,
                     *product = NULL, *block = NULL;
    if (r == 0) return HF_OK;
    double *eigenvalue = HF_TAKE(&arena, eigenvalue, (size_t)n);
    HF_TRY(hf_agree(self->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_matrix_create_several(
        self->linalg, "removed functions", 5,
        (const struct hf_new_matrix[]){
            {&overlap, n, n}, {&vector, n, n}, {&removed, n, r}, {&product, n, r}, {&block, n, r}},
        error));
    hf_matrix_copy(self->wavefunction->overlap, overlap);
    HF_TRY(hf_matrix_eigen(overlap, eigenvalue, vector, error));
    hf_matrix_copy_columns(vector, 0, r, NULL, removed, 0);
    HF_TRY(make_fock(self, fock, error));
    for (int s = 0; s < self->n_spin; s++)
        HF_TRY(add_spin(self, s, fock[s], removed, product, error));
    hf_matrix_multiply(1.0, true, vector, false, product, 0.0, block);
    hf_matrix_map(block, divide, &(struct scales){.eigenvalue = eigenvalue, .n_removed = r});
    hf_matrix_multiply(1.0, false, vector, false, block, 0.0, product);
    hf_matrix_multiply(-1.0, false, product, true, removed, 1.0, weighted);
    hf_matrix_multiply(-1.0, false, removed, true, product, 1.0, weighted);
cleanup:
    HF_DESTROY_MATRICES(&fock[0], &fock[1], &overlap, &vector, &removed, &product, &block);
    hf_arena_done(&arena);
    return status;
}
