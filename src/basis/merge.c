/* Merges shells with the same exponents, and small atoms, for two-electron integrals. */
#include "basis_private.h"

#include "basis/basis_description.h"
#include "text/json.h"

#include <string.h>

/** Highest l of a basis whose s and p shells are merged. The recurrence for integrals of merged s and p shells does
 *  not go further. */
enum { HIGHEST_L_WITH_SP = 3 };

/** Atoms are joined to a site only if it has at most MOST_OF_SITE functions and at most 1/LEAST_SITES of all
 *  functions (so that enough pairs remain to divide), and if each is at most NEAR_BOHR from the first. */
enum { MOST_OF_SITE = 24, LEAST_SITES = 6 };
static const double NEAR_BOHR = 6.0;

/** A merged basis in construction. */
struct merger {
    const struct hf_basis *basis;
    struct hf_basis *merged;
    double *end;  /**< end of the used part of the storage */
    int64_t room; /**< of merged->mixing */
};

/** Exponents and coefficients of a shell, without primitives that are also functions by themselves. */
struct reduced_shell {
    const struct hf_shell *shell; /**< as published */
    int n;
    double *exponent, *coefficient; /**< [n] in the storage of the merged basis */
};

/** Finds the uncontracted shell of the same atom and kind with this exponent; NULL: none. */
static const struct hf_shell *find_uncontracted(const struct hf_basis *basis,
                                                const struct hf_shell *shell, double exponent)
{
    const int *first = &basis->first_shell_of_atom[shell->atom];
    for (int i = first[0]; i < first[1]; i++) {
        const struct hf_shell *other = &basis->shell[i];
        if (other->n_primitive == 1 && other->l == shell->l &&
            other->spherical == shell->spherical && other->exponent[0] == exponent)
            return other;
    }
    return NULL;
}

/** Records that each function of a published shell contains `factor` times a function of `other`. */
static void add_mixings(struct merger *self, const struct hf_shell *shell,
                        const struct hf_shell *other, double factor)
{
    struct hf_basis *merged = self->merged;
    const bool ok =
        hf_arena_grow(hf_basis_arena(merged), &merged->mixing, merged->n_mixing + shell->n_function,
                      &self->room, sizeof *merged->mixing);
    for (int i = 0; i < shell->n_function && ok; i++)
        merged->mixing[merged->n_mixing++] =
            (struct hf_mixing){.atom = shell->atom,
                               .function = shell->first_function + i,
                               .other = other->first_function + i,
                               .factor = factor};
}

/** Copies the remaining primitives of a contraction to the storage; at least one remains. */
static struct reduced_shell reduce(struct merger *self, const struct hf_shell *shell)
{
    struct reduced_shell reduced = {.shell = shell, .exponent = self->end};
    double *coefficient = self->end + shell->n_primitive;
    for (int k = 0; k < shell->n_primitive; k++) {
        const struct hf_shell *other =
            shell->n_primitive > 1 ? find_uncontracted(self->basis, shell, shell->exponent[k])
                                   : NULL;
        if (other != NULL && (reduced.n > 0 || k < shell->n_primitive - 1)) {
            add_mixings(self, shell, other, shell->coefficient[k] / other->coefficient[0]);
            continue;
        }
        reduced.exponent[reduced.n] = shell->exponent[k];
        coefficient[reduced.n++] = shell->coefficient[k];
    }
    reduced.coefficient = reduced.exponent + reduced.n;
    memmove(reduced.coefficient, coefficient, (size_t)reduced.n * sizeof *coefficient);
    self->end = reduced.coefficient + reduced.n;
    return reduced;
}

/** Whether the next shell of the same atom can become a part of `shell`. */
static bool fits(const struct hf_basis *basis, const struct hf_shell *shell,
                 const struct reduced_shell *next)
{
    const bool one_l = shell->l == next->shell->l && shell->spherical == next->shell->spherical;
    const bool sp = shell->l <= 1 && next->shell->l <= 1 && basis->max_l <= HIGHEST_L_WITH_SP;
    return (one_l || sp) && shell->n_part < HF_MAX_SHELL_PART && shell->n_primitive == next->n &&
           memcmp(shell->exponent, next->exponent, (size_t)next->n * sizeof(double)) == 0;
}

static void add_part(struct hf_shell *shell, const struct reduced_shell *next)
{
    struct hf_shell_part *part = &shell->part[shell->n_part++];
    *part = (struct hf_shell_part){
        .l = next->shell->l,
        .spherical = next->shell->spherical,
        .coefficient = next->coefficient,
        .first = next->shell->first_function - shell->first_function,
        .n_function = next->shell->n_function,
    };
    shell->n_function = part->first + part->n_function;
    if (next->shell->l > shell->l) shell->l = next->shell->l;
}

/** Appends the shells of one atom to the list. */
static void merge_atom(struct merger *self, int atom)
{
    const struct hf_basis *basis = self->basis;
    struct hf_basis *merged = self->merged;
    const int last = basis->first_shell_of_atom[atom + 1];
    struct hf_shell *shell = NULL;
    for (int i = basis->first_shell_of_atom[atom]; i < last; i++) {
        const struct reduced_shell next = reduce(self, &basis->shell[i]);
        if (shell == NULL || !fits(basis, shell, &next)) {
            shell = &merged->shell[merged->n_shell++];
            *shell = *next.shell;
            shell->n_primitive = next.n;
            shell->exponent = next.exponent;
            shell->coefficient = next.coefficient;
            shell->n_part = 0;
            shell->n_function = 0;
            merged->n_primitive += next.n;
        }
        add_part(shell, &next);
    }
    merged->first_shell_of_atom[atom + 1] = merged->n_shell;
    merged->first_mixing_of_atom[atom + 1] = merged->n_mixing;
}

/** Whether an atom joins the site of atom `first`, which has n_function functions so far. */
static bool joins(const struct hf_basis *basis, int first, int n_function, int atom)
{
    const double near_squared = NEAR_BOHR * NEAR_BOHR;
    const int *shell = basis->first_shell_of_atom;
    const int n = n_function + hf_atom_n_function(basis, atom);
    const double *from = basis->shell[shell[first]].centre_bohr;
    const double *to = basis->shell[shell[atom]].centre_bohr;
    double squared = 0.0;
    if (n > MOST_OF_SITE || n * LEAST_SITES > basis->n_function) return false;
    for (int x = 0; x < 3; x++) squared += (to[x] - from[x]) * (to[x] - from[x]);
    return squared <= near_squared;
}

/** Joins consecutive atoms to sites; from then on n_atom and the arrays over atoms count sites. */
static void join_atoms(struct hf_basis *merged)
{
    int *shell = merged->first_shell_of_atom, *mixing = merged->first_mixing_of_atom;
    int n = 0, first = 0, n_function = 0;
    for (int atom = 0; atom < merged->n_atom; atom++) {
        const int n_own = hf_atom_n_function(merged, atom);
        if (atom > 0 && n_own > 0 && n_function > 0 && joins(merged, first, n_function, atom)) {
            n_function += n_own;
        } else {
            shell[n] = shell[atom];
            mixing[n++] = mixing[atom];
            first = atom;
            n_function = n_own;
        }
    }
    shell[n] = shell[merged->n_atom];
    mixing[n] = mixing[merged->n_atom];
    merged->n_atom = n;
}

hf_status hf_basis_merge(const struct hf_basis *basis, struct hf_basis **merged,
                         struct hf_error *error)
{
    struct hf_basis *made;
    hf_status status;
    HF_TRY(hf_basis_reserve(basis->n_atom, (size_t)basis->n_shell, (size_t)basis->n_primitive,
                            &made, error));
    HF_TAKE(hf_basis_arena(made), made->first_mixing_of_atom, (size_t)basis->n_atom + 1);
    HF_TRY(hf_arena_check(hf_basis_arena(made), error));
    made->n_function = basis->n_function;
    made->max_l = basis->max_l;
    made->max_primitive = basis->max_primitive;
    struct merger merger = {.basis = basis, .merged = made, .end = made->storage};
    for (int atom = 0; atom < basis->n_atom; atom++) merge_atom(&merger, atom);
    HF_TRY(hf_arena_check(hf_basis_arena(made), error));
    join_atoms(made);
    *merged = made;
    made = NULL;
cleanup:
    hf_basis_destroy(&made);
    return status;
}

void hf_basis_put_model(struct hf_json to)
{
    HF_PUT(to, "most_of_site", MOST_OF_SITE, NULL, "most functions of a site of several atoms");
    HF_PUT(to, "least_sites", LEAST_SITES, NULL, "sites at least");
}
