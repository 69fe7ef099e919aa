/* Effective core potentials in a checkpoint: numbers of each potential, then of all their terms, one
 * potential after the other. */
#include "checkpoint_cores.h"

#include <stdlib.h>
#include <string.h>

enum { N_OF_POTENTIAL = 4, N_OF_TERM = 2, MOST_TERMS = 100000 };

/** Arrays of integers: of potentials, and of terms. */
static const struct column {
    const char *path, *about;
} potential_column[N_OF_POTENTIAL] =
    {
        {"/basis/core_atoms", "atom of each core potential, the first is 0"},
        {"/basis/core_electrons", "electrons that it stands for"},
        {"/basis/core_angular_momenta", "l of the local part; projectors have those below"},
        {"/basis/core_terms", "terms of each"},
},
  term_column[N_OF_TERM] = {
      {"/basis/core_term_angular_momenta", "of each term"},
      {"/basis/core_term_powers", "n of c r^n exp(-a r^2)"},
};
static const char exponents_path[] = "/basis/core_exponents";
static const char coefficients_path[] = "/basis/core_coefficients";

void hf_checkpoint_put_cores(struct hf_hdf5_writer *writer, const struct hf_basis *basis)
{
    const size_t n = (size_t)basis->n_core_potential;
    size_t n_term = 0, at = 0;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) n_term += (size_t)basis->core_potential[i].n_term;
    int *numbers = calloc(N_OF_POTENTIAL * n + N_OF_TERM * n_term, sizeof *numbers);
    double *reals = calloc(2 * n_term + 1, sizeof *reals);
    if (numbers == NULL || reals == NULL) writer->failed = true;
    for (size_t i = 0; i < n && !writer->failed; i++) {
        const struct hf_core_potential *potential = &basis->core_potential[i];
        numbers[i] = potential->atom;
        numbers[n + i] = potential->n_core;
        numbers[2 * n + i] = potential->max_l;
        numbers[3 * n + i] = potential->n_term;
        for (int k = 0; k < potential->n_term; k++, at++) {
            numbers[N_OF_POTENTIAL * n + at] = potential->term[k].l;
            numbers[N_OF_POTENTIAL * n + n_term + at] = potential->term[k].power;
            reals[at] = potential->term[k].exponent;
            reals[n_term + at] = potential->term[k].coefficient;
        }
    }
    for (size_t c = 0; c < N_OF_POTENTIAL; c++)
        hf_hdf5_put_integers(writer, potential_column[c].path, (int)n, 0, numbers + c * n,
                             potential_column[c].about);
    for (size_t c = 0; c < N_OF_TERM; c++)
        hf_hdf5_put_integers(writer, term_column[c].path, (int)n_term, 0,
                             numbers + N_OF_POTENTIAL * n + c * n_term, term_column[c].about);
    hf_hdf5_put_reals(writer, exponents_path, (int)n_term, 0, reals, "1/bohr^2", "of the terms");
    hf_hdf5_put_reals(writer, coefficients_path, (int)n_term, 0, reals + n_term, "hartree/bohr^n",
                      "of the terms");
    free(reals);
    free(numbers);
}

/** Puts together what was read. */
static void make(struct hf_hdf5_reader *reader, struct hf_checkpoint *self, int n, int n_term,
                 int *const of_potential[], int *const of_term[], const double exponent[],
                 const double coefficient[])
{
    struct hf_error error;
    int at = 0;
    struct hf_core_potential *potential = calloc((size_t)n + 1, sizeof *potential);
    struct hf_core_term *term = calloc((size_t)n_term + 1, sizeof *term);
    if (potential == NULL || term == NULL) hf_hdf5_no_memory(reader, "core potentials");
    for (int k = 0; k < n_term && reader->status == HF_OK; k++)
        term[k] = (struct hf_core_term){.l = of_term[0][k],
                                        .power = of_term[1][k],
                                        .exponent = exponent[k],
                                        .coefficient = coefficient[k]};
    for (int i = 0; i < n && reader->status == HF_OK; i++) {
        const int here = of_potential[3][i];
        if (here < 0 || here > n_term - at) {
            hf_hdf5_damaged(reader, "/basis/core_terms: potential %d has %d", i + 1, here);
            break;
        }
        potential[i] = (struct hf_core_potential){.atom = of_potential[0][i],
                                                  .n_core = of_potential[1][i],
                                                  .max_l = of_potential[2][i],
                                                  .n_term = here,
                                                  .term = term + at};
        at += here;
    }
    if (reader->status == HF_OK && at != n_term)
        hf_hdf5_damaged(reader, "/basis has %d terms of core potentials for %d", n_term, at);
    if (reader->status == HF_OK) {
        const hf_status status =
            hf_basis_set_core_potentials(&self->molecule, n, potential, self->basis, &error);
        if (status == HF_NO_RESOURCE)
            reader->status = hf_fail(reader->error, status, "%s", error.message);
        else if (status != HF_OK)
            hf_hdf5_damaged(reader, "/basis: %.200s", error.message);
    }
    free(term);
    free(potential);
}

void hf_checkpoint_read_cores(struct hf_hdf5_reader *reader, struct hf_checkpoint *self)
{
    int *of_potential[N_OF_POTENTIAL], *of_term[N_OF_TERM];
    if (reader->status != HF_OK || !hf_hdf5_has(reader, potential_column[0].path)) return;
    const int n = hf_hdf5_count_rows(reader, potential_column[0].path, false, 0);
    const int n_term = hf_hdf5_count_rows(reader, term_column[0].path, false, 0);
    if (n > self->molecule.n_atom || n_term > MOST_TERMS)
        hf_hdf5_damaged(reader, "/basis has %d core potentials of %d terms", n, n_term);
    for (int c = 0; c < N_OF_POTENTIAL; c++)
        of_potential[c] = hf_hdf5_get_integers(reader, potential_column[c].path, n, 0);
    for (int c = 0; c < N_OF_TERM; c++)
        of_term[c] = hf_hdf5_get_integers(reader, term_column[c].path, n_term, 0);
    double *exponents = hf_hdf5_get_reals(reader, exponents_path, n_term, 0);
    double *coefficients = hf_hdf5_get_reals(reader, coefficients_path, n_term, 0);
    if (reader->status == HF_OK)
        make(reader, self, n, n_term, of_potential, of_term, exponents, coefficients);
    if (reader->status == HF_OK) hf_basis_set_cores(self->basis, &self->molecule);
    free(coefficients);
    free(exponents);
    for (int c = 0; c < N_OF_TERM; c++) free(of_term[c]);
    for (int c = 0; c < N_OF_POTENTIAL; c++) free(of_potential[c]);
}
