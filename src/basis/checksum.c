/* Checksums of a molecule and of a basis. */
#include "basis/checksum.h"

#include "text/text.h"

static uint64_t add_reals(uint64_t hash, int n, const double values[])
{
    return hf_hash_add(hash, (size_t)n * sizeof *values, values);
}

uint64_t hf_molecule_checksum(const struct hf_molecule *molecule)
{
    const struct hf_environment *environment = &molecule->environment;
    const int count[] = {molecule->charge, molecule->multiplicity, environment->n_charge};
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof(int), &molecule->n_atom);
    for (int i = 0; i < molecule->n_atom; i++) {
        const int kind[] = {molecule->atom[i].atomic_number, molecule->atom[i].ghost};
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = add_reals(hash, 3, molecule->atom[i].position_bohr);
    }
    hash = hf_hash_add(hash, sizeof count, count);
    for (int i = 0; i < environment->n_charge; i++) {
        hash = add_reals(hash, 1, &environment->charge[i].charge);
        hash = add_reals(hash, 3, environment->charge[i].position_bohr);
    }
    return add_reals(hash, 3, environment->field);
}

uint64_t hf_basis_checksum(const struct hf_basis *basis)
{
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof(int), &basis->n_shell);
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        const int kind[] = {shell->atom, shell->l, shell->spherical, shell->n_primitive};
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = add_reals(hash, shell->n_primitive, shell->exponent);
        hash = add_reals(hash, shell->n_primitive, shell->coefficient);
    }
    for (int i = 0; i < basis->n_core_potential; i++) {
        const struct hf_core_potential *core = &basis->core_potential[i];
        const int kind[] = {core->atom, core->n_core, core->max_l, core->n_term};
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = hf_hash_add(hash, (size_t)core->n_term * sizeof *core->term, core->term);
    }
    return hash;
}
