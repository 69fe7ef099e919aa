/* Domains and integrals of local MP2 in a checkpoint. */
#include "local_mp2_private.h"

#include "checkpoint/checkpoint.h"
#include "text/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** Integrals are kept if their transformation took longer than this, as a checkpoint is written before MP2 ... */
static const double LEAST_SECONDS = 5.0;
/** ... and if writing them takes about a tenth of that time on a disk of 200 MB/s. */
static const double BYTES_PER_SECOND = 2e7;

/** |1 - P'|^2 between the spaces of occupied orbitals. */
static const double SAME_SPACE = 1e-10;

static const char coefficients[] = HF_CHECKPOINT_LOCAL_MP2 "/coefficients",
                  energies[] = HF_CHECKPOINT_LOCAL_MP2 "/energies",
                  digests[] = HF_CHECKPOINT_LOCAL_MP2 "/digest",
                  integrals[] = HF_CHECKPOINT_LOCAL_MP2 "/integrals";

/* ---- What integrals depend on ----------------------------------------------------------------- */

static uint64_t add_pairs(uint64_t hash, const struct hf_local *local)
{
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        const struct hf_parts *atoms = &hf_local_outer_domain(local, pair)->atoms;
        const int head[3] = {pair->i, pair->j, atoms->n};
        hash = hf_hash_add(hash, sizeof head, head);
        hash = hf_hash_add(hash, (size_t)atoms->n * sizeof *atoms->part, atoms->part);
    }
    return hash;
}

/** Geometry, localised orbitals, pairs with their domains, thresholds: 64 bits as two numbers. The basis
 *  is that of the checkpoint, which is compared before a restart. */
static void find_digest(const struct hf_local *local, double digest[2])
{
    const struct hf_local_settings *settings = local->settings;
    const struct hf_sparse_matrix *orbitals = local->orbitals;
    const double numbers[] = {settings->threshold, settings->sparse, settings->orbital_tolerance};
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof numbers, numbers);
    for (int a = 0; a < local->molecule->n_atom; a++)
        hash = hf_hash_add(hash, 3 * sizeof *numbers, local->molecule->atom[a].position_bohr);
    hash =
        hf_hash_add(hash, orbitals->offset[orbitals->n_block] * sizeof *numbers, orbitals->value);
    hash = add_pairs(hash, local);
    digest[0] = (double)(hash >> 32);
    digest[1] = (double)(hash & 0xffffffff);
}

/** Integrals of all ranks. */
static size_t n_integral(const struct hf_local *local)
{
    size_t n = 0;
    for (int p = 0; p < local->n_pair; p++) {
        const size_t width = (size_t)hf_local_outer_domain(local, &local->pair[p])->n_function;
        n += width * width;
    }
    return n;
}

/* ---- Integrals: a column, pair after pair ------------------------------------------------------- */

/** An array over pairs on its way. */
struct transfer {
    const struct hf_local *local;
    double *k;
};

/** Copies the parts of this rank's blocks that are in first .. first+n-1 to or from `piece`, where those begin. */
static void copy(const struct transfer *self, size_t first, size_t n, bool to_piece, double piece[])
{
    const struct hf_local *local = self->local;
    size_t begin = 0;
    for (int p = 0; p < local->n_pair && begin < first + n; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        const size_t width = (size_t)hf_local_outer_domain(local, pair)->n_function;
        const size_t end = begin + width * width;
        const size_t from = begin > first ? begin : first, to = end < first + n ? end : first + n;
        if (pair->owner == local->context->rank && from < to) {
            double *block = self->k + pair->outer_offset + (from - begin),
                   *here = piece + (from - first);
            memcpy(to_piece ? here : block, to_piece ? block : here, (to - from) * sizeof *block);
        }
        begin = end;
    }
}

/** hf_checkpoint_give */
static void give_integrals(const void *data, int first, int n, double rows[])
{
    copy(data, (size_t)first, (size_t)n, true, rows);
}

/** hf_checkpoint_take */
static void take_integrals(void *data, int first, int n, const double rows[])
{
    copy(data, (size_t)first, (size_t)n, false, (double *)rows);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/** hf_matrix_rows_function */
static hf_status give_coefficients(void *data, int first, int n, double rows[],
                                   struct hf_error *error)
{
    const struct hf_checkpoint *restart = data;
    return hf_checkpoint_added_rows(restart, coefficients, restart->state.n_orbital, first, n, rows,
                                    error);
}

/** Whether integrals and their orbitals are there, and the numbers beside them. On rank 0. */
static hf_status look(const struct hf_checkpoint *restart, int n, int m, struct hf_local_kept *kept,
                      struct hf_error *error)
{
    int n_row = 0, n_col = 0;
    if (!hf_checkpoint_added(restart, coefficients, &n_row, &n_col) || n_row != n || n_col != m ||
        !hf_checkpoint_added(restart, energies, &n_row, &n_col) || n_row != m || n_col != 1 ||
        !hf_checkpoint_added(restart, digests, &n_row, &n_col) || n_row != 2 || n_col != 1 ||
        !hf_checkpoint_added(restart, integrals, &n_row, &n_col) || n_col != 1)
        return HF_OK;
    kept->n_number = n_row;
    HF_CHECK(hf_checkpoint_added_rows(restart, digests, 1, 0, 2, kept->digest, error));
    HF_CHECK(hf_checkpoint_added_rows(restart, energies, 1, 0, m, kept->wavefunction.spin[0].energy,
                                      error));
    kept->found = true;
    return HF_OK;
}

/** Whether both sets of occupied orbitals span the same space: o less |C^T S C'|^2. Collective. */
static hf_status compare_spaces(const struct hf_wavefunction *wavefunction,
                                struct hf_local_kept *kept, struct hf_error *error)
{
    hf_status status;
    struct hf_linalg *linalg = wavefunction->linalg;
    const int n = wavefunction->basis->n_function, o = wavefunction->spin[0].n_occupied;
    double square = 0.0;
    struct hf_matrix *ours = NULL, *theirs = NULL, *half = NULL, *product = NULL;
    HF_TRY(hf_matrix_create(linalg, "occupied orbitals", n, o, &ours, error));
    HF_TRY(hf_matrix_create(linalg, "occupied orbitals", n, o, &theirs, error));
    HF_TRY(hf_matrix_create(linalg, "overlap times orbitals", n, o, &half, error));
    HF_TRY(hf_matrix_create(linalg, "products of orbitals", o, o, &product, error));
    hf_matrix_copy_columns(wavefunction->spin[0].coefficient, 0, o, NULL, ours, 0);
    hf_matrix_copy_columns(kept->wavefunction.spin[0].coefficient, 0, o, NULL, theirs, 0);
    hf_matrix_multiply(1.0, false, wavefunction->overlap, false, theirs, 0.0, half);
    hf_matrix_multiply(1.0, true, ours, false, half, 0.0, product);
    hf_matrix_dot(product, product, &square);
    kept->found = fabs(o - square) < SAME_SPACE;
cleanup:
    hf_matrix_destroy(&ours);
    hf_matrix_destroy(&theirs);
    hf_matrix_destroy(&half);
    hf_matrix_destroy(&product);
    return status;
}

hf_status hf_local_kept_find(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             const struct hf_local_settings *settings, struct hf_local_kept *kept,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = wavefunction->basis->n_function, m = wavefunction->spin[0].n_orbital;
    struct hf_orbitals *orbitals = &kept->wavefunction.spin[0];
    *kept = (struct hf_local_kept){
        .arena = {.memory = context->memory, .label = "the orbitals of a checkpoint"},
        .wavefunction = *wavefunction};
    *orbitals = (struct hf_orbitals){.n_orbital = m,
                                     .n_occupied = wavefunction->spin[0].n_occupied,
                                     .occupation = wavefunction->spin[0].occupation};
    if (settings->restart == NULL || settings->restart->state.n_orbital != m) return HF_OK;
    HF_TAKE(&kept->arena, orbitals->energy, (size_t)m);
    HF_CHECK(hf_agree(context->comm, hf_arena_check(&kept->arena, error), error));
    if (context->rank == 0) status = look(settings->restart, n, m, kept, error);
    HF_CHECK(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, sizeof kept->found, &kept->found);
    hf_broadcast_bytes(context->comm, 0, sizeof kept->n_number, &kept->n_number);
    hf_broadcast_bytes(context->comm, 0, sizeof kept->digest, kept->digest);
    hf_broadcast_bytes(context->comm, 0, (size_t)m * sizeof *orbitals->energy, orbitals->energy);
    if (!kept->found) return HF_OK;
    HF_CHECK(hf_matrix_create(wavefunction->linalg, "orbitals of a checkpoint", n, m,
                              &orbitals->coefficient, error));
    HF_CHECK(hf_matrix_receive_rows(orbitals->coefficient, give_coefficients,
                                    (void *)settings->restart, error));
    return compare_spaces(wavefunction, kept, error);
}

bool hf_local_kept_fits(const struct hf_local_kept *kept, const struct hf_local *local)
{
    double digest[2];
    find_digest(local, digest);
    return kept->found && digest[0] == kept->digest[0] && digest[1] == kept->digest[1] &&
           (size_t)kept->n_number == n_integral(local);
}

hf_status hf_local_kept_take(const struct hf_local *local, double k[], struct hf_error *error)
{
    struct transfer transfer = {local, k};
    return hf_checkpoint_added_shares(local->context, local->settings->restart, integrals,
                                      (int)n_integral(local), 1, take_integrals, &transfer, error);
}

void hf_local_kept_done(struct hf_local_kept *kept)
{
    hf_arena_done(&kept->arena);
    hf_matrix_destroy(&kept->wavefunction.spin[0].coefficient);
    *kept = (struct hf_local_kept){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

/** hf_checkpoint_give: rank 0 has them. */
static void give_populations(const void *data, int first, int n, double rows[])
{
    const struct hf_local *local = data;
    const struct hf_sparse_matrix *population = local->localised.population;
    if (local->context->rank != 0) return;
    for (int i = first; i < first + n; i++, rows += local->basis->n_atom)
        for (int b = population->begin[i]; b < population->begin[i + 1]; b++)
            rows[population->row[b]] = population->value[population->offset[b]];
}

static void mark(const struct hf_local_domain *domain, double value, double row[])
{
    for (int k = 0; k < domain->atoms.n; k++) row[domain->atoms.part[k]] += value;
}

/** The same. */
static void give_domains(const void *data, int first, int n, double rows[])
{
    const struct hf_local *local = data;
    if (local->context->rank != 0) return;
    for (int i = first; i < first + n; i++, rows += local->basis->n_atom) {
        const int *const *domains = (const int *const *)local->domain_of_orbital;
        mark(&local->domain[domains[HF_LOCAL_OWN][i]], 1.0, rows);
        mark(&local->domain[domains[HF_LOCAL_EXTENDED][i]],
             hf_local_extends_weak(local->settings) ? 4.0 : 2.0, rows);
        if (local->settings->correction_bonds > 0)
            mark(&local->domain[domains[HF_LOCAL_OUTER][i]], 8.0, rows);
    }
}

struct numbers {
    int rank;
    const double *number;
};

/** The same, of a column. */
static void give_numbers(const void *data, int first, int n, double rows[])
{
    const struct numbers *self = data;
    if (self->rank == 0) memcpy(rows, self->number + first, (size_t)n * sizeof *rows);
}

static hf_status add_domains(struct hf_checkpoint_addition *file, const struct hf_local *local,
                             struct hf_error *error)
{
    const int o = local->n_orbital, n_atom = local->basis->n_atom;
    HF_CHECK(hf_checkpoint_add_shares(file, HF_CHECKPOINT_LOCAL_MP2 "/populations", o, n_atom, NULL,
                                      "Mulliken populations [orbital][atom]", give_populations,
                                      local, error));
    return hf_checkpoint_add_shares(file, HF_CHECKPOINT_LOCAL_MP2 "/domains", o, n_atom, NULL,
                                    "[orbital][atom] the sum of 1: in the domain; 2: in that of "
                                    "strong pairs; 4: in that of strong and weak pairs; 8: in "
                                    "that of the correction for these",
                                    give_domains, local, error);
}

static hf_status add_integrals(struct hf_checkpoint_addition *file, const struct hf_local *local,
                               const struct hf_wavefunction *wavefunction, const double k[],
                               struct hf_error *error)
{
    double digest[2];
    const struct hf_orbitals *orbitals = &wavefunction->spin[0];
    const struct transfer transfer = {local, (double *)k};
    const struct numbers energy = {local->context->rank, orbitals->energy},
                         digest_of = {local->context->rank, digest};
    find_digest(local, digest);
    HF_CHECK(hf_checkpoint_add_matrix(file, coefficients, orbitals->coefficient, NULL,
                                      "orbitals that the integrals are of", error));
    HF_CHECK(hf_checkpoint_add_shares(file, energies, orbitals->n_orbital, 1, "hartree",
                                      "of these orbitals", give_numbers, &energy, error));
    HF_CHECK(hf_checkpoint_add_shares(file, digests, 2, 1, NULL,
                                      "hash of what the integrals depend on: 32 bits each",
                                      give_numbers, &digest_of, error));
    return hf_checkpoint_add_shares(file, integrals, (int)n_integral(local), 1, "hartree",
                                    "(ia|jb) in the domains of pairs, pair after pair",
                                    give_integrals, &transfer, error);
}

void hf_local_keep(const struct hf_local *local, const struct hf_wavefunction *wavefunction,
                   const double k[], double seconds, struct hf_local_result *result)
{
    hf_status status;
    struct hf_error why = {.message = ""}, *error = &why;
    const struct hf_local_settings *settings = local->settings;
    const double bytes = (double)sizeof *k * (double)n_integral(local);
    struct hf_checkpoint_addition *file = NULL;
    if (settings->checkpoint == NULL) return;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, local->context->comm);
    const bool worthwhile = n_integral(local) <= INT_MAX &&
                            (settings->checkpoint_always ||
                             (seconds > LEAST_SECONDS && bytes < BYTES_PER_SECOND * seconds));
    HF_TRY(hf_checkpoint_add_begin(local->context, settings->checkpoint, HF_CHECKPOINT_LOCAL_MP2,
                                   "of local MP2: domains, and integrals to go on from", &file,
                                   error));
    HF_TRY(add_domains(file, local, error));
    if (worthwhile) HF_TRY(add_integrals(file, local, wavefunction, k, error));
    if (worthwhile) result->kept_bytes = bytes;
cleanup:
    status = hf_checkpoint_add_end(&file, status, error);
    if (status != HF_OK) {
        result->kept_bytes = 0.0;
        snprintf(result->warning, sizeof result->warning, "%.399s", why.message);
    }
}
