/* Mean fields of an atom, from one pass over its integrals for all radial densities together. */
#include "atom_private.h"

#include "fock/fock.h"
#include "orbitals/orbitals.h"

#include <string.h>

/** Accurate enough for a starting density. */
static const double SCREENING = 1e-10;

/** Approximate memory for the matrices of one pass. More densities need several passes. */
static const size_t PASS_BYTES = (size_t)64 << 20;

#define LABEL "the mean fields of an atom"

/** Lists the elements and allocates their fields. */
static hf_status list_elements(struct hf_atom_field *self, const struct hf_radial_basis *radial,
                               struct hf_error *error)
{
    const size_t n_radial = (size_t)radial->n_radial;
    size_t count = 0;
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        const size_t n = (size_t)radial->block[l].n;
        count += n * (n + 1) / 2;
    }
    self->n_radial = radial->n_radial;
    HF_TAKE(&self->arena, self->row, count);
    HF_TAKE(&self->arena, self->column, count);
    HF_TAKE(&self->arena, self->field, count * n_radial * n_radial);
    const hf_status status = hf_arena_check(&self->arena, error);
    for (int l = 0; l < HF_ATOM_N_L && status == HF_OK; l++) {
        const struct hf_radial_block *block = &radial->block[l];
        for (int j = block->first; j < block->first + block->n; j++)
            for (int i = j; i < block->first + block->n; i++) {
                self->row[self->n_element] = i;
                self->column[self->n_element++] = j;
            }
    }
    return status;
}

/** Matrices of a pass. */
struct pass {
    int n_job;
    struct hf_fock_job *job;  /* [n_job] */
    struct hf_fields *fields; /* [n_job] density, J and K of each of its elements */
    double *full, *radial;    /* [n][n], [n_radial][n_radial] */
    struct hf_arena arena;
};
static void pass_done(struct pass *pass)
{
    for (int i = 0; i < pass->n_job && pass->fields != NULL; i++)
        hf_fields_destroy(&pass->fields[i]);
    hf_arena_done(&pass->arena);
}

static hf_status pass_init(struct pass *pass, struct hf_linalg *linalg,
                           const struct hf_radial_basis *radial, int n_job, struct hf_error *error)
{
    const int n = radial->basis.n_function;
    const size_t n_radial = (size_t)radial->n_radial;
    *pass = (struct pass){.n_job = n_job, .arena = {.label = LABEL}};
    HF_TAKE(&pass->arena, pass->job, (size_t)n_job);
    HF_TAKE(&pass->arena, pass->fields, (size_t)n_job);
    HF_TAKE(&pass->arena, pass->full, (size_t)n * (size_t)n);
    HF_TAKE(&pass->arena, pass->radial, n_radial * n_radial);
    HF_CHECK(hf_arena_check(&pass->arena, error));
    for (int i = 0; i < n_job; i++) {
        HF_CHECK(hf_fields_create(linalg, "atom", 1, n, &pass->fields[i], error));
        hf_fields_jobs(&pass->fields[i], &pass->job[i]);
    }
    return HF_OK;
}

/** Computes the fields of the elements first .. first + n_job - 1. */
static hf_status run_pass(struct hf_atom_field *self, struct hf_linalg *linalg,
                          const struct hf_radial_basis *radial, struct hf_fock_builder *builder,
                          int first, int n_job, struct hf_error *error)
{
    hf_status status;
    const size_t n_radial = (size_t)radial->n_radial, n_element = n_radial * n_radial;
    struct pass pass;
    HF_TRY(pass_init(&pass, linalg, radial, n_job, error));
    for (int i = 0; i < n_job; i++) {
        const size_t row = (size_t)self->row[first + i], column = (size_t)self->column[first + i];
        memset(pass.radial, 0, n_element * sizeof *pass.radial);
        pass.radial[row + n_radial * column] = pass.radial[column + n_radial * row] = 1.0;
        hf_radial_expand(radial, pass.radial, pass.full);
        hf_matrix_set_full(pass.fields[i].density[0], pass.full);
    }
    HF_TRY(hf_fock_build(builder, n_job, pass.job, SCREENING, error));
    for (int i = 0; i < n_job; i++) {
        struct hf_matrix *field = pass.fields[i].coulomb;
        hf_matrix_add(-0.5, pass.fields[i].exchange[0], 1.0, field);
        hf_matrix_gather_full(field, pass.full);
        hf_radial_average(radial, pass.full, self->field + (size_t)(first + i) * n_element);
    }
cleanup:
    pass_done(&pass);
    return status;
}

hf_status hf_atom_field_init(struct hf_atom_field *self, struct hf_context *context,
                             struct hf_linalg *linalg, const struct hf_radial_basis *radial,
                             struct hf_error *error)
{
    hf_status status;
    const struct hf_fock_settings settings = {/* one rank computes an atom */
                                              .builder = "replicated",
                                              .schedule = {.name = "static"},
                                              .grain = HF_GRAIN_ATOM_QUARTET};
    const size_t n = (size_t)radial->basis.n_function;
    const size_t job_bytes = 6 * n * n * sizeof(double); /* D, J and K here and in the builder */
    struct hf_shell_pairs *pairs = NULL;
    struct hf_fock_builder *builder = NULL;
    *self = (struct hf_atom_field){.arena = {.label = LABEL}};
    HF_TRY(list_elements(self, radial, error));
    HF_TRY(hf_shell_pairs_create(context, &radial->basis, 1e-2 * SCREENING, &pairs, error));
    HF_TRY(hf_fock_create(context, pairs, &settings, &builder, error));

    const size_t fitting = PASS_BYTES / job_bytes + 1;
    for (int first = 0; first < self->n_element;) {
        const int left = self->n_element - first;
        const int n_job = (size_t)left < fitting ? left : (int)fitting;
        HF_TRY(run_pass(self, linalg, radial, builder, first, n_job, error));
        first += n_job;
    }
cleanup:
    hf_fock_destroy(&builder);
    hf_shell_pairs_destroy(&pairs);
    return status;
}

void hf_atom_field_add(const struct hf_atom_field *self, const double *density, double *fock)
{
    const size_t n = (size_t)self->n_radial, n_element = n * n;
    for (int k = 0; k < self->n_element; k++) {
        const double weight = density[(size_t)self->row[k] + n * (size_t)self->column[k]];
        const double *field = self->field + (size_t)k * n_element;
        for (size_t i = 0; i < n_element; i++) fock[i] += weight * field[i];
    }
}
