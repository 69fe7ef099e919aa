/* Shells of a molecule: construction, summaries, destruction. */
#include "basis_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hf_basis_destroy(struct hf_basis **basis)
{
    if (basis == NULL || *basis == NULL) return;
    hf_arena_done(hf_basis_arena(*basis));
    *basis = NULL;
}

double *hf_basis_add_shell(const struct hf_shell *from, int atom, struct hf_basis *to)
{
    const size_t n = (size_t)from->n_primitive;
    double *exponent = to->storage + 2 * (size_t)to->n_primitive;
    memcpy(exponent, from->exponent, n * sizeof(double));
    memcpy(exponent + n, from->coefficient, n * sizeof(double));
    struct hf_shell *shell = &to->shell[to->n_shell++];
    *shell = *from;
    shell->atom = atom;
    shell->exponent = exponent;
    shell->coefficient = exponent + n;
    shell->first_function = to->n_function;
    to->n_function += shell->n_function;
    to->n_primitive += shell->n_primitive;
    if (shell->l > to->max_l) to->max_l = shell->l;
    if (shell->n_primitive > to->max_primitive) to->max_primitive = shell->n_primitive;
    to->first_shell_of_atom[atom + 1] = to->n_shell;
    return exponent + n;
}

hf_status hf_basis_reserve(int n_atom, size_t n_shell, size_t n_primitive, struct hf_basis **basis,
                           struct hf_error *error)
{
    struct hf_arena arena = {.label = "the shells of the basis"};
    struct hf_own_basis *own = HF_TAKE(&arena, own, 1);
    *basis = NULL;
    HF_CHECK(hf_arena_check(&arena, error));
    struct hf_basis *made = *basis = &own->basis;
    own->arena = arena;
    made->n_atom = n_atom;
    HF_TAKE(&own->arena, made->shell, n_shell);
    HF_TAKE(&own->arena, made->first_shell_of_atom, (size_t)n_atom + 1);
    HF_TAKE(&own->arena, made->storage, 2 * n_primitive);
    const hf_status status = hf_arena_check(&own->arena, error);
    if (status != HF_OK) hf_basis_destroy(basis);
    return status;
}

/** <x^l | x^l> of a shell: sum_ab c_a c_b (2l-1)!! / (2p)^l (pi/p)^3/2 with p = a + b. */
static double self_overlap(const struct hf_shell *shell)
{
    double sum = 0.0;
    for (int a = 0; a < shell->n_primitive; a++)
        for (int b = 0; b < shell->n_primitive; b++) {
            const double p = shell->exponent[a] + shell->exponent[b];
            double term = shell->coefficient[a] * shell->coefficient[b] * pow(M_PI / p, 1.5);
            for (int l = 1; l <= shell->l; l++) term *= (2.0 * l - 1.0) / (2.0 * p);
            sum += term;
        }
    return sum;
}

/** Checks a shell; its atom must not be before atom `last`. */
static hf_status check_shell(const struct hf_molecule *molecule, int i, int last,
                             const struct hf_shell *shell, struct hf_error *error)
{
    const double tolerance = 1e-6;
    const int most_primitives = 1000;
    if (shell->atom < last || shell->atom >= molecule->n_atom)
        return hf_fail(error, HF_BAD_INPUT, "shell %d is of atom %lld of %d", i + 1,
                       shell->atom + 1LL, molecule->n_atom);
    if (shell->l < 0 || shell->l > HF_MAX_L)
        return hf_fail(error, HF_BAD_INPUT, "shell %d has angular momentum %d; expected 0 to %d",
                       i + 1, shell->l, HF_MAX_L);
    if (shell->n_primitive < 1 || shell->n_primitive > most_primitives)
        return hf_fail(error, HF_BAD_INPUT, "shell %d has %d primitives; expected 1 to %d", i + 1,
                       shell->n_primitive, most_primitives);
    for (int k = 0; k < shell->n_primitive; k++)
        if (!(shell->exponent[k] > 0.0) || !isfinite(shell->exponent[k]))
            return hf_fail(error, HF_BAD_INPUT, "shell %d has the exponent %g", i + 1,
                           shell->exponent[k]);
    if (!(fabs(self_overlap(shell) - 1.0) < tolerance))
        return hf_fail(error, HF_BAD_INPUT, "shell %d is not normalised", i + 1);
    return HF_OK;
}

hf_status hf_basis_from_shells(const struct hf_molecule *molecule, const char *name,
                               const char *citation, int n_shell, const struct hf_shell shell[],
                               struct hf_basis **basis, struct hf_error *error)
{
    size_t n_primitive = 0;
    for (int i = 0; i < n_shell; i++) {
        HF_CHECK(check_shell(molecule, i, i > 0 ? shell[i - 1].atom : 0, &shell[i], error));
        n_primitive += (size_t)shell[i].n_primitive;
    }
    struct hf_basis *made;
    HF_CHECK(hf_basis_reserve(molecule->n_atom, (size_t)n_shell, n_primitive, &made, error));
    made->name = hf_copy_string(hf_basis_arena(made), name);
    made->citation = hf_copy_string(hf_basis_arena(made), citation);
    const hf_status status = hf_arena_check(hf_basis_arena(made), error);
    if (status != HF_OK) {
        hf_basis_destroy(&made);
        return status;
    }
    for (int i = 0; i < n_shell; i++) {
        struct hf_shell whole = shell[i];
        const int l = whole.l;
        whole.spherical = whole.spherical && l >= 2;
        whole.n_function = whole.spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
        whole.n_part = 0;
        memcpy(whole.centre_bohr, molecule->atom[whole.atom].position_bohr,
               sizeof whole.centre_bohr);
        (void)hf_basis_add_shell(&whole, whole.atom, made);
    }
    int *first =
        made->first_shell_of_atom; /* atoms without shells begin where the atom before ends */
    for (int atom = 1; atom <= made->n_atom; atom++)
        if (first[atom] < first[atom - 1]) first[atom] = first[atom - 1];
    *basis = made;
    return HF_OK;
}

const char *hf_basis_convention_name(const struct hf_basis *basis)
{
    bool spherical = false, cartesian = false;
    for (int i = 0; i < basis->n_shell; i++) {
        if (basis->shell[i].l < 2) continue;
        spherical = spherical || basis->shell[i].spherical;
        cartesian = cartesian || !basis->shell[i].spherical;
    }
    if (spherical && cartesian) return "mixed Cartesian and spherical";
    if (spherical) return "spherical";
    return cartesian ? "Cartesian" : "no functions above p";
}

struct hf_shell_place *hf_shell_places(const struct hf_basis *basis)
{
    struct hf_shell_place *place = calloc((size_t)basis->n_shell + 1, sizeof *place);
    for (int a = 0; a < basis->n_atom && place != NULL; a++) {
        const int *first = &basis->first_shell_of_atom[a];
        for (int i = first[0]; i < first[1]; i++) {
            const struct hf_shell *shell = &basis->shell[i];
            place[i] = (struct hf_shell_place){.atom = a,
                                               .index = i - first[0],
                                               .first = shell->first_function -
                                                        hf_atom_first_function(basis, a),
                                               .n = shell->n_function};
        }
    }
    return place;
}
