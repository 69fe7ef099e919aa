/* The Coulomb part of the gradient by the Coulomb pass: its densities from blocks at their owners, its derivatives to
 * atoms. */
#include "coulomb_gradient.h"

#include "base/arena.h"
#include "base/slope_sums.h"
#include "gradient/two_electron_gradient.h"
#include "layout/layout.h"
#include "linalg/matrix_blocks.h"

#include <stdatomic.h>

const struct hf_phase hf_phase_gradient_coulomb = {"Gradient: Coulomb pass"};

/** What a rank has. */
struct coulomb_part {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    int n_atom;
    struct hf_block_layout *layout; /**< of the merged basis */
    double *density;                /**< this rank's blocks */
    atomic_llong *sum;              /**< [n_atom][3] steps of all threads */
    int64_t (*steps)[3];            /**< [n_atom] */
    struct hf_arena arena;          /**< has these arrays */
};

/** hf_pair_owner.rank */
static int owner_of_pair(void *data, int i)
{
    const struct coulomb_part *self = data;
    const struct hf_atom_pair *pair = &self->pairs->atom_pair[i];
    return hf_block_layout_find(self->layout, pair->atom_a, pair->atom_b).rank;
}

/** hf_coulomb_target.lend */
static const double *lend(void *data, int k, const struct hf_atom_pair *pair, int *stride)
{
    const struct coulomb_part *self = data;
    (void)k;
    *stride = hf_atom_n_function(self->pairs->basis, pair->atom_b);
    return self->density + hf_block_layout_find(self->layout, pair->atom_a, pair->atom_b).offset;
}

/** hf_coulomb_target.move */
static void move(void *data, int k, const struct hf_shell_pair *pair, const double slope[2][3])
{
    const struct coulomb_part *self = data;
    const struct hf_shell *shell = self->pairs->basis->shell;
    const int atom[2] = {shell[pair->a].atom, shell[pair->b].atom};
    (void)k;
    for (int i = 0; i < 6; i++)
        atomic_fetch_add_explicit(&self->sum[3 * atom[i / 3] + i % 3],
                                  hf_slope_steps(slope[i / 3][i % 3]), memory_order_relaxed);
}

/** This rank's blocks of the density in merged functions. Collective. */
static hf_status take_density(struct coulomb_part *self, const struct hf_matrix *density,
                              struct hf_error *error)
{
    struct hf_context *context = self->pairs->context;
    const struct hf_basis *basis = self->pairs->basis;
    HF_CHECK(hf_atom_layout_create(context, basis, &self->layout, error));
    self->density = hf_arena_take_class(&self->arena, HF_MEMORY_MATRIX, "the density in blocks",
                                        hf_block_layout_local_size(self->layout), sizeof(double));
    HF_TAKE(&self->arena, self->sum, 3 * (size_t)self->n_atom);
    HF_TAKE(&self->arena, self->steps, (size_t)self->n_atom);
    HF_CHECK(hf_agree(context->comm, hf_arena_check(&self->arena, error), error));
    HF_CHECK(hf_matrix_get_blocks(density, self->layout, self->density, error));
    hf_mix_own_blocks(basis, false, self->layout, self->density);
    return HF_OK;
}

hf_status hf_coulomb_gradient(const struct hf_shell_pairs *pairs,
                              const struct hf_coulomb_settings *settings, double threshold,
                              const struct hf_matrix *density, int n_atom, double (*gradient)[3],
                              struct hf_error *error)
{
    struct hf_context *context = pairs->context;
    struct coulomb_part self = {
        .pairs = pairs,
        .n_atom = n_atom,
        .arena = {.memory = context->memory, .label = "derivatives of the Coulomb part"}};
    struct hf_coulomb_settings own = *settings;
    struct hf_coulomb *coulomb = NULL;
    hf_status status;
    own.derivatives = true;
    own.phase = &hf_phase_gradient_coulomb;
    own.owner = (struct hf_pair_owner){.rank = owner_of_pair, .data = &self};
    HF_TRY(take_density(&self, density, error));
    HF_TRY(hf_coulomb_create(context, pairs, &own, &coulomb, error));
    HF_TRY(hf_coulomb_build(coulomb, 1, threshold,
                            &(struct hf_coulomb_target){.data = &self, .lend = lend, .move = move},
                            error));
    for (int i = 0; i < 3 * n_atom; i++) self.steps[i / 3][i % 3] = atomic_load(&self.sum[i]);
    hf_slope_sums_add(context->comm, n_atom, self.steps, gradient);
cleanup:
    hf_coulomb_destroy(&coulomb);
    hf_block_layout_destroy(&self.layout);
    hf_arena_done(&self.arena);
    return status;
}
