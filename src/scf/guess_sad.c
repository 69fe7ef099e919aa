/* Superposition of atomic densities.
 *
 * Atoms of the same element in the same shells share one density; the different ones are shared out
 * over the ranks and broadcast. The sum is block diagonal and not made of orbitals. */
#include "hf/interruption.h"
#include "hf/matrix_blocks.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/** Where the density of each atom comes from. */
struct sad {
    struct hf_context *context;
    int n_atom;
    int *like;        /**< [n_atom] lowest-numbered atom with the same density, -1: ghost */
    double **density; /**< [n_atom] for atoms that are like themselves, NULL for others */
};

static bool same_shells(const struct hf_basis *basis, int a, int b)
{
    const int *first = basis->first_shell_of_atom;
    const int n_shell = first[a + 1] - first[a];
    if (first[b + 1] - first[b] != n_shell) return false;
    for (int s = 0; s < n_shell; s++) {
        const struct hf_shell *one = &basis->shell[first[a] + s];
        const struct hf_shell *other = &basis->shell[first[b] + s];
        const size_t bytes = (size_t)one->n_primitive * sizeof(double);
        if (one->l != other->l || one->n_function != other->n_function ||
            one->n_primitive != other->n_primitive ||
            memcmp(one->exponent, other->exponent, bytes) != 0 ||
            memcmp(one->coefficient, other->coefficient, bytes) != 0)
            return false;
    }
    return true;
}

/** Lowest-numbered real atom with the density of `atom`. */
static int find_like(const struct hf_guess_input *input, const int like[], int atom)
{
    const struct hf_atom *atoms = input->molecule->atom;
    for (int a = 0; a < atom; a++)
        if (like[a] == a && atoms[a].atomic_number == atoms[atom].atomic_number &&
            same_shells(input->basis, a, atom))
            return a;
    return atom;
}

static void sad_done(struct sad *sad)
{
    if (sad->density != NULL)
        for (int a = 0; a < sad->n_atom; a++)
            hf_memory_release(sad->context->memory, sad->density[a]);
    free(sad->density);
    free(sad->like);
}

/** Local: who is like whom, and room for the densities. */
static hf_status sad_init(struct sad *sad, const struct hf_guess_input *input,
                          struct hf_error *error)
{
    const int n_atom = input->molecule->n_atom;
    *sad = (struct sad){.context = input->context, .n_atom = n_atom};
    sad->like = calloc((size_t)n_atom + 1, sizeof *sad->like);
    sad->density = calloc((size_t)n_atom + 1, sizeof *sad->density);
    if (sad->like == NULL || sad->density == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d atomic densities", n_atom);
    for (int a = 0; a < n_atom; a++) {
        sad->like[a] = input->molecule->atom[a].ghost ? -1 : find_like(input, sad->like, a);
        if (sad->like[a] != a) continue;
        const size_t n = (size_t)hf_atom_n_function(input->basis, a);
        sad->density[a] = hf_memory_allocate(input->context->memory, "atomic density", n * n,
                                             sizeof *sad->density[a]);
        if (sad->density[a] == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for an atomic density");
    }
    return HF_OK;
}

/** Local: the densities that are this rank's share. */
static hf_status make_share(struct sad *sad, const struct hf_guess_input *input,
                            struct hf_error *error)
{
    int number = 0;
    for (int a = 0; a < sad->n_atom; a++) {
        if (sad->density[a] == NULL) continue;
        if (number++ % input->context->n_rank != input->context->rank) continue;
        const int reason = hf_interruption_look(input->context->interruption, true);
        if (reason != 0) return hf_interrupted(error, reason);
        const hf_status status =
            hf_atom_density(input->basis, a, input->molecule->atom[a].atomic_number,
                            input->settings, sad->density[a], error);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

static void broadcast(struct sad *sad, const struct hf_basis *basis)
{
    int number = 0;
    for (int a = 0; a < sad->n_atom; a++) {
        if (sad->density[a] == NULL) continue;
        const size_t n = (size_t)hf_atom_n_function(basis, a);
        hf_broadcast_bytes(sad->context->comm, number++ % sad->context->n_rank,
                           n * n * sizeof *sad->density[a], sad->density[a]);
    }
}

/** The densities of the atoms on the diagonal, zero elsewhere. Collective. */
static hf_status place(const struct sad *sad, const struct hf_basis *basis,
                       struct hf_matrix *density, struct hf_error *error)
{
    struct hf_context *context = sad->context;
    struct hf_block_layout *layout = NULL;
    double *blocks = NULL;
    hf_status status;
    HF_TRY(hf_atom_layout_create(context, basis, &layout, error));
    blocks = hf_memory_allocate_matrix(context->memory, "atomic densities",
                                       hf_block_layout_local_size(layout), sizeof *blocks);
    if (blocks == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the atomic densities");
    HF_TRY(hf_agree(context->comm, status, error));
    for (int a = 0; a < sad->n_atom; a++) {
        const struct hf_block_place here = hf_block_layout_find(layout, a, a);
        if (sad->like[a] >= 0 && here.rank == context->rank)
            memcpy(blocks + here.offset, sad->density[sad->like[a]],
                   hf_block_layout_block_size(layout, a, a) * sizeof *blocks);
    }
    HF_TRY(hf_matrix_set_blocks(density, layout, blocks, error));
cleanup:
    hf_memory_release(context->memory, blocks);
    hf_block_layout_destroy(&layout);
    return status;
}

/** The total density is that of the atoms, which are averaged over their spins: a spin density is
 *  zero. */
static hf_status sad_densities(const struct hf_guess_input *input,
                               struct hf_matrix *const density[],
                               struct hf_matrix *const occupied[], bool *has_orbitals,
                               struct hf_error *error)
{
    hf_status status;
    struct sad sad;
    const int n_density = input->method->n_density;
    (void)occupied;
    *has_orbitals = false;
    status = sad_init(&sad, input, error);
    if (status == HF_OK) status = make_share(&sad, input, error);
    HF_TRY(hf_agree(input->context->comm, status, error));
    broadcast(&sad, input->basis);
    HF_TRY(place(&sad, input->basis, density[0], error));
    for (int s = 1; s < n_density; s++) hf_matrix_add(0.0, density[0], 0.0, density[s]);
cleanup:
    sad_done(&sad);
    return status;
}

const struct hf_guess_ops hf_guess_sad = {
    .name = "sad",
    .about = "superposition of spherically averaged atomic densities",
    .cite = "Van Lenthe, Zwaans, Van Dam, Guest, J. Comput. Chem. 27, 926 (2006)",
    .densities = sad_densities,
};
