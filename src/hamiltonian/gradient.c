/* Derivatives of the energy of nuclei and of a density in all terms, over all ranks. */
#include "base/arena.h"
#include "hamiltonian_private.h"
#include "linalg/matrix_blocks.h"

/** Local: this rank's share of all terms, nuclei dealt one by one. */
static hf_status add_terms(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    const struct hf_molecule *molecule = gradient->molecule;
    for (int k = 0; hf_term_list[k] != NULL; k++) {
        const struct hf_term_ops *term = hf_term_list[k];
        if (!term->present(molecule)) continue;
        HF_CHECK(term->add_gradient(gradient, error));
        for (int i = gradient->rank; term->add_nuclear_gradient != NULL && i < molecule->n_atom;
             i += gradient->n_rank)
            term->add_nuclear_gradient(molecule, i, gradient->atom, gradient->charge);
    }
    return HF_OK;
}

/** What is held while the derivatives are made. */
struct room {
    struct hf_block_layout *layout;
    double *block; /**< of density and weighted density, one after the other */
    double *slope; /**< [n_atom + n_charge][3] of this rank */
    struct hf_arena arena;
};

static hf_status make_room(struct hf_context *context, const struct hf_basis *basis,
                           const struct hf_molecule *molecule, struct room *room,
                           struct hf_error *error)
{
    const size_t n = (size_t)molecule->n_atom + (size_t)molecule->environment.n_charge;
    HF_CHECK(hf_atom_layout_create_for_sums(context, basis, &room->layout, error));
    room->arena = (struct hf_arena){.memory = context->memory, .label = "sums of derivatives"};
    room->block = hf_arena_take_class(&room->arena, HF_MEMORY_MATRIX, "the density in blocks",
                                      hf_block_layout_local_size(room->layout), sizeof(double));
    HF_TAKE(&room->arena, room->slope, 3 * n);
    return hf_agree(context->comm, hf_arena_check(&room->arena, error), error);
}

static void add_all(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++) to[i] += from[i];
}

hf_status hf_hamiltonian_gradient(struct hf_context *context, const struct hf_basis *basis,
                                  const struct hf_molecule *molecule,
                                  const struct hf_matrix *density, const struct hf_matrix *weighted,
                                  double (*atom)[3], double (*charge)[3], struct hf_error *error)
{
    const int n_atom = molecule->n_atom, n_charge = molecule->environment.n_charge;
    hf_status status;
    struct room room = {NULL};
    HF_TRY(make_room(context, basis, molecule, &room, error));
    const struct hf_term_gradient gradient = {
        .molecule = molecule,
        .basis = basis,
        .layout = room.layout,
        .density = room.block,
        .interruption = context->interruption,
        .rank = context->rank,
        .n_rank = context->n_rank,
        .n_thread = context->reproducible ? 1 : context->n_thread,
        .atom = (double(*)[3])room.slope,
        .charge = (double(*)[3])(room.slope + 3 * (size_t)n_atom),
    };
    HF_TRY(hf_matrix_get_blocks(weighted, room.layout, room.block, error));
    HF_TRY(
        hf_agree(context->comm, hf_add_operator_slopes(&gradient, HF_OVERLAP, -1.0, error), error));
    HF_TRY(hf_matrix_get_blocks(density, room.layout, room.block, error));
    HF_TRY(hf_agree(context->comm, add_terms(&gradient, error), error));
    MPI_Allreduce(MPI_IN_PLACE, room.slope, 3 * (n_atom + n_charge), MPI_DOUBLE, MPI_SUM,
                  context->comm);
    add_all(3 * n_atom, gradient.atom[0], atom[0]);
    if (n_charge > 0) add_all(3 * n_charge, gradient.charge[0], charge[0]);
cleanup:
    hf_arena_done(&room.arena);
    hf_block_layout_destroy(&room.layout);
    return status;
}
