/* Collecting the shell pairs of pairs of atoms; see pair_share.h. */
#include "pair_share.h"

#include "base/arithmetic.h"
#include "primitive_pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double smallest_exponent(const struct hf_basis *basis, int atom)
{
    double smallest = DBL_MAX;
    for (int m = basis->first_shell_of_atom[atom]; m < basis->first_shell_of_atom[atom + 1]; m++)
        for (int i = 0; i < basis->shell[m].n_primitive; i++)
            smallest = fmin(smallest, basis->shell[m].exponent[i]);
    return smallest;
}

/** How far the shells of an atom, or of atoms that were joined, are from the first of them. */
static double radius(const struct hf_basis *basis, int atom)
{
    const int first = basis->first_shell_of_atom[atom];
    double largest = 0.0;
    for (int m = first; m < basis->first_shell_of_atom[atom + 1]; m++)
        largest = fmax(largest, hf_distance_squared(basis->shell[m].centre_bohr,
                                                    basis->shell[first].centre_bohr));
    return sqrt(largest);
}

void hf_pair_share_init(struct hf_pair_share *share, const struct hf_shell_pairs *pairs,
                        const struct hf_class_table *classes)
{
    const struct hf_basis *basis = pairs->basis;
    const size_t most = (size_t)basis->max_primitive * (size_t)basis->max_primitive;
    /* The partner of a primitive pair is at most a strong pair of the molecule, about 1
     * hartree^(1/2), and all dropped ones of a pair together stay below the accuracy. */
    *share = (struct hf_pair_share){
        .basis = basis,
        .classes = classes,
        .arena = {.memory = pairs->context->memory, .label = "the shell pairs"},
        .smallest = pairs->accuracy / (double)most};
    share->farthest = hf_farthest_exponent(share->smallest);
    HF_TAKE_UNSET(&share->arena, share->scratch, most);
    HF_TAKE_UNSET(&share->arena, share->diffuse, (size_t)basis->n_atom);
    HF_TAKE_UNSET(&share->arena, share->radius, (size_t)basis->n_atom);
    for (int a = 0; a < basis->n_atom && !share->arena.failed; a++) {
        share->diffuse[a] = smallest_exponent(basis, a);
        share->radius[a] = radius(basis, a);
    }
}

void hf_pair_share_clear(struct hf_pair_share *share)
{
    share->n_pair = share->n_primitive = 0;
    share->n_atom_pair = 0;
}

static bool append_primitives(struct hf_pair_share *share, int n)
{
    if (!hf_arena_grow(&share->arena, &share->primitive, share->n_primitive + n,
                       &share->n_primitive_allocated, sizeof *share->primitive))
        return false;
    memcpy(share->primitive + share->n_primitive, share->scratch,
           (size_t)n * sizeof *share->scratch);
    share->n_primitive += n;
    return true;
}

static bool append_pair(struct hf_pair_share *share, struct hf_shell_pair pair)
{
    if (!hf_arena_grow(&share->arena, &share->pair, share->n_pair + 1, &share->n_pair_allocated,
                       sizeof *share->pair))
        return false;
    share->pair[share->n_pair++] = pair;
    return true;
}

static bool append_atom_pair(struct hf_pair_share *share, struct hf_atom_pair pair)
{
    if (!hf_arena_grow(&share->arena, &share->atom_pair, share->n_atom_pair + 1,
                       &share->n_atom_pair_allocated, sizeof *share->atom_pair))
        return false;
    share->atom_pair[share->n_atom_pair++] = pair;
    return true;
}

/** Appends the pair of shells m >= n unless it is negligible; false when there is no memory. */
static bool add_shells(struct hf_pair_share *share, int m, int n)
{
    const struct hf_shell *shell = share->basis->shell;
    const int a = hf_comes_first(&shell[m], &shell[n]) ? m : n, b = a == m ? n : m;
    const int n_primitive = hf_collect_primitives(&shell[a], &shell[b], share->smallest,
                                                  share->farthest, share->scratch);
    if (n_primitive == 0) return true;
    const struct hf_shell_pair pair = {.a = a,
                                       .b = b,
                                       .pair_class = hf_class_of_shells(share->classes, a, b),
                                       .n_primitive = n_primitive,
                                       .first_primitive = share->n_primitive};
    return append_primitives(share, n_primitive) && append_pair(share, pair);
}

/** Whether two atoms are so far apart that no pair of their shells can matter. */
static bool is_far(const struct hf_pair_share *share, int atom_a, int atom_b)
{
    const struct hf_basis *basis = share->basis;
    const int a = basis->first_shell_of_atom[atom_a], b = basis->first_shell_of_atom[atom_b];
    if (a == basis->first_shell_of_atom[atom_a + 1] || b == basis->first_shell_of_atom[atom_b + 1])
        return true; /* no shells */
    const double between =
        sqrt(hf_distance_squared(basis->shell[a].centre_bohr, basis->shell[b].centre_bohr));
    const double least = fmax(0.0, between - share->radius[atom_a] - share->radius[atom_b]);
    const double alpha = share->diffuse[atom_a], beta = share->diffuse[atom_b];
    return alpha * beta * least * least > share->farthest * (alpha + beta);
}

bool hf_pair_share_add(struct hf_pair_share *share, int atom_a, int atom_b)
{
    const int *first = share->basis->first_shell_of_atom;
    const int64_t first_pair = share->n_pair;
    if (is_far(share, atom_a, atom_b)) return true;
    for (int m = first[atom_a]; m < first[atom_a + 1]; m++)
        for (int n = first[atom_b]; n < first[atom_b + 1] && n <= m; n++)
            if (!add_shells(share, m, n)) return false;
    if (share->n_pair == first_pair) return true;
    return append_atom_pair(share,
                            (struct hf_atom_pair){.atom_a = atom_a,
                                                  .atom_b = atom_b,
                                                  .first_pair = (int)first_pair,
                                                  .n_pair = (int)(share->n_pair - first_pair)});
}
