/* Core potentials of a basis, and the core electrons of the atoms. */
#include "basis_private.h"

#include <math.h>
#include <string.h>

/** Checks a potential for the molecule; it must belong to an atom after atom `last`. */
static hf_status check(const struct hf_molecule *molecule, int last,
                       const struct hf_core_potential *potential, struct hf_error *error)
{
    if (potential->atom <= last || potential->atom >= molecule->n_atom ||
        molecule->atom[potential->atom].ghost)
        return hf_fail(error, HF_BAD_INPUT, "there is a core potential for atom %lld of %d",
                       potential->atom + 1LL, molecule->n_atom);
    const char *symbol = hf_element_symbol(molecule->atom[potential->atom].atomic_number);
    if (potential->n_core < 0 || potential->n_core % 2 != 0 ||
        potential->n_core > molecule->atom[potential->atom].atomic_number)
        return hf_fail(error, HF_BAD_INPUT, "atom %d (%s) has a core of %d electrons",
                       potential->atom + 1, symbol, potential->n_core);
    if (potential->max_l < 0 || potential->max_l > HF_MAX_L || potential->n_term < 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "the core potential of atom %d (%s) goes up to l = %d; expected 0 to %d",
                       potential->atom + 1, symbol, potential->max_l, HF_MAX_L);
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        if (term->l < 0 || term->l > potential->max_l || term->power < HF_LEAST_CORE_POWER ||
            term->power > HF_MOST_CORE_POWER || !(term->exponent > 0.0) ||
            !isfinite(term->exponent) || !isfinite(term->coefficient))
            return hf_fail(error, HF_BAD_INPUT,
                           "term %d of the core potential of atom %d (%s) is none", k + 1,
                           potential->atom + 1, symbol);
    }
    return HF_OK;
}

hf_status hf_basis_set_core_potentials(const struct hf_molecule *molecule, int n,
                                       const struct hf_core_potential potential[],
                                       struct hf_basis *basis, struct hf_error *error)
{
    size_t n_term = 0;
    for (int i = 0; i < n; i++) {
        HF_CHECK(check(molecule, i > 0 ? potential[i - 1].atom : -1, &potential[i], error));
        n_term += (size_t)potential[i].n_term;
    }
    struct hf_core_potential *made = HF_TAKE(hf_basis_arena(basis), made, (size_t)n);
    struct hf_core_term *term = HF_TAKE(hf_basis_arena(basis), term, n_term);
    HF_CHECK(hf_arena_check(hf_basis_arena(basis), error));
    basis->n_core_potential = n;
    basis->core_potential = made;
    basis->core_term = term;
    for (int i = 0; i < n; i++) {
        made[i] = potential[i];
        made[i].term = term;
        if (made[i].n_term > 0)
            memcpy(term, potential[i].term, (size_t)made[i].n_term * sizeof *term);
        term += made[i].n_term;
    }
    return HF_OK;
}

void hf_basis_set_cores(const struct hf_basis *basis, struct hf_molecule *molecule)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        molecule->atom[i].n_core = 0;
        molecule->atom[i].core_potential = false;
    }
    for (int i = 0; i < basis->n_core_potential; i++) {
        struct hf_atom *atom = &molecule->atom[basis->core_potential[i].atom];
        atom->n_core = basis->core_potential[i].n_core;
        atom->core_potential = true;
    }
}

const struct hf_core_potential *hf_atom_core_potential(const struct hf_basis *basis, int atom)
{
    for (int i = 0; i < basis->n_core_potential; i++)
        if (basis->core_potential[i].atom == atom) return &basis->core_potential[i];
    return NULL;
}

hf_status hf_basis_move(const struct hf_basis *from, const struct hf_molecule *molecule,
                        struct hf_basis **basis, struct hf_error *error)
{
    HF_CHECK(hf_basis_from_shells(molecule, from->name, from->citation, from->n_shell, from->shell,
                                  basis, error));
    return hf_basis_set_core_potentials(molecule, from->n_core_potential, from->core_potential,
                                        *basis, error);
}
