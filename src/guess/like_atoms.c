/* Data of atoms of the same element in the same shells. */
#include "guess_private.h"

#include "hf/interruption.h"

#include <string.h>

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

/** First real atom of the same kind as `atom`. */
static int find_like(const struct hf_guess_input *input, const int like[], int atom)
{
    const struct hf_atom *atoms = input->molecule->atom;
    for (int a = 0; a < atom; a++)
        if (like[a] == a && atoms[a].atomic_number == atoms[atom].atomic_number &&
            atoms[a].n_core == atoms[atom].n_core &&
            atoms[a].core_potential == atoms[atom].core_potential &&
            same_shells(input->basis, a, atom))
            return a;
    return atom;
}

/** Finds the first atom of each kind and allocates the data; local. */
static hf_status make_room(struct hf_like_atoms *self, const struct hf_guess_input *input,
                           const struct hf_like_atoms_ops *ops, struct hf_error *error)
{
    const int n_atom = self->n_atom;
    HF_TAKE(&self->arena, self->like, (size_t)n_atom);
    HF_TAKE(&self->arena, self->data, (size_t)n_atom);
    for (int a = 0; a < n_atom && !self->arena.failed; a++) {
        self->like[a] = input->molecule->atom[a].ghost ? -1 : find_like(input, self->like, a);
        if (self->like[a] == a) HF_TAKE(&self->arena, self->data[a], ops->size(input, a));
    }
    return hf_arena_check(&self->arena, error);
}

/** Computes the data of this rank's share of atoms; local. */
static hf_status make_share(struct hf_like_atoms *self, const struct hf_guess_input *input,
                            const struct hf_like_atoms_ops *ops, struct hf_error *error)
{
    int number = 0;
    for (int a = 0; a < self->n_atom; a++) {
        if (self->data[a] == NULL) continue;
        if (number++ % input->context->n_rank != input->context->rank) continue;
        const int reason = hf_interruption_look(input->context->interruption, true);
        if (reason != 0) return hf_interrupted(error, reason);
        HF_CHECK(ops->make(input, a, self->data[a], error));
    }
    return HF_OK;
}

hf_status hf_like_atoms_init(struct hf_like_atoms *self, const struct hf_guess_input *input,
                             const struct hf_like_atoms_ops *ops, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = input->context;
    int number = 0;
    *self = (struct hf_like_atoms){.context = context,
                                   .n_atom = input->molecule->n_atom,
                                   .arena = {.memory = context->memory, .label = ops->label}};
    status = make_room(self, input, ops, error);
    if (status == HF_OK) status = make_share(self, input, ops, error);
    HF_TRY(hf_agree(context->comm, status, error));
    for (int a = 0; a < self->n_atom; a++)
        if (self->data[a] != NULL)
            hf_broadcast_bytes(context->comm, number++ % context->n_rank,
                               ops->size(input, a) * sizeof *self->data[a], self->data[a]);
cleanup:
    return status;
}
