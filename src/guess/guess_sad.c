/* Superposition of atomic densities.
 *
 * The sum is block diagonal and does not come from orbitals. */
#include "guess_private.h"

#include "atom.h"
#include "linalg/matrix_blocks.h"

#include <string.h>

static size_t density_size(const struct hf_guess_input *input, int atom)
{
    const size_t n = (size_t)hf_atom_n_function(input->basis, atom);
    return n * n;
}

static hf_status make_density(const struct hf_guess_input *input, int atom, double density[],
                              struct hf_error *error)
{
    return hf_atom_density(input->basis, atom, input->molecule->atom[atom].atomic_number,
                           input->linear_dependence_threshold, density, error);
}

static const struct hf_like_atoms_ops atomic_densities = {
    .label = "atomic density", .size = density_size, .make = make_density};

/** Puts the densities of the atoms on the diagonal, zeros elsewhere. Collective. */
static hf_status place(const struct hf_like_atoms *atoms, const struct hf_basis *basis,
                       struct hf_matrix *density, struct hf_error *error)
{
    struct hf_context *context = atoms->context;
    struct hf_block_layout *layout = NULL;
    struct hf_arena arena = {
        .memory = context->memory, .kind = HF_MEMORY_MATRIX, .label = "the atomic densities"};
    hf_status status;
    HF_TRY(hf_atom_layout_create(context, basis, &layout, error));
    double *blocks = HF_TAKE(&arena, blocks, hf_block_layout_local_size(layout));
    for (int a = 0; a < atoms->n_atom && blocks != NULL; a++) {
        const struct hf_block_place here = hf_block_layout_find(layout, a, a);
        if (atoms->like[a] >= 0 && here.rank == context->rank)
            memcpy(blocks + here.offset, atoms->data[atoms->like[a]],
                   hf_block_layout_block_size(layout, a, a) * sizeof *blocks);
    }
    status = hf_matrix_set_blocks(density, layout, blocks, 1.0, hf_arena_check(&arena, error), error);
cleanup:
    hf_arena_done(&arena);
    hf_block_layout_destroy(&layout);
    return status;
}

/** The total density is the sum over the atoms. They are averaged over spins, so the spin density is zero. */
static hf_status sad_densities(const struct hf_guess_input *input,
                               struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    struct hf_like_atoms atoms = {0};
    HF_TRY(hf_like_atoms_init(&atoms, input, &atomic_densities, error));
    HF_TRY(place(&atoms, input->basis, density[0], error));
    for (int s = 1; s < input->of.method->n_density; s++)
        hf_matrix_add(0.0, density[0], 0.0, density[s]);
cleanup:
    hf_arena_done(&atoms.arena);
    return status;
}

const struct hf_guess_ops hf_guess_sad = {
    .name = "sad",
    .about = "superposition of spherically averaged atomic densities",
    .cite = "Van Lenthe, Zwaans, Van Dam, Guest, J. Comput. Chem. 27, 926 (2006)",
    .densities = sad_densities,
};
