/* Basis sets: from Gaussian-94 files to the normalised shells of a molecule. */
#ifndef HF_BASIS_H
#define HF_BASIS_H

#include "hf/context.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "hf/units.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** One of the shells that were merged into a shell. */
struct hf_shell_part {
    int l;
    bool spherical;
    /** the same exponents as the merged shell: [n_primitive]; owned by the basis */
    const double *coefficient;
    /** the functions of this part; `first` counts from the first function of the merged shell */
    int first, n_function;
};

/** A contracted Gaussian shell: all functions of one angular momentum with one radial part.
 *
 *  Radial part: sum_k coefficient[k] exp(-exponent[k] r^2). The coefficients contain all norms. A
 *  Cartesian function is x^i y^j z^k times the radial part, with the norm of x^l: <x^l | x^l> = 1,
 *  and for example <xy | xy> = 1/3 in a d shell. Real solid harmonics of them
 *  (integrals/solid_harmonics.h) have norm 1 each.
 *
 *  Order of functions: Cartesian, l_x falling, then l_y falling (xx xy xz yy yz zz, Libint's and
 *  the CCA's standard); spherical m = -l ... +l. s and p shells are always Cartesian (spherical
 *  false); p is in the order x y z. */
struct hf_shell {
    int atom;
    int l;
    bool spherical;
    int n_primitive;
    const double *exponent;    /**< [n_primitive], owned by the basis */
    const double *coefficient; /**< [n_primitive], owned by the basis */
    double centre_bohr[3];
    int first_function; /**< index of the first basis function */
    int n_function;     /**< 2l+1 or (l+1)(l+2)/2 */
    int n_part;         /**< number of parts of a merged shell (hf_basis_merge); 0: not merged */
    struct hf_shell_part part[HF_MAX_SHELL_PART];
};

/** A published function that is a sum of two functions of a merged basis:
 *  published[function] = merged[function] + factor * merged[other]. */
struct hf_mixing {
    int atom, function, other;
    double factor;
};

/** One term of an effective core potential: coefficient r^power exp(-exponent r^2) in U_l. */
struct hf_core_term {
    /** below max_l: a term of the projector |l><l|; equal to max_l: a term of the local part */
    int l;
    int power; /**< HF_LEAST_CORE_POWER to HF_MOST_CORE_POWER: the n of published tables minus 2 */
    double exponent, coefficient;
};

enum { HF_LEAST_CORE_POWER = -2, HF_MOST_CORE_POWER = 2 };

/** The effective core potential of an atom. It replaces the innermost n_core electrons. The atom attracts electrons
 *  by the charge Z - n_core and by U_L(r) + sum_{l < L} U_l(r) sum_m |lm><lm| about the nucleus, L = max_l. */
struct hf_core_potential {
    int atom;
    int n_core; /**< even */
    int max_l;
    int n_term;
    const struct hf_core_term *term; /**< [n_term], owned by the basis */
};

/** Shells in order of atoms; within an atom as the basis-set file lists them. */
struct hf_basis {
    char *name;     /**< as published, e.g. "cc-pVDZ"; "mixed" if atoms differ */
    char *citation; /**< literature of the sets used, one line each; may be NULL */
    int n_atom, n_shell, n_function, n_primitive;
    int max_l, max_primitive;
    struct hf_shell *shell;    /**< [n_shell] */
    int *first_shell_of_atom;  /**< [n_atom + 1] */
    double *storage;           /**< exponents and coefficients of all shells */
    int n_mixing;              /**< 0 unless the basis is merged */
    struct hf_mixing *mixing;  /**< [n_mixing] in order of atoms */
    int *first_mixing_of_atom; /**< [n_atom + 1]; NULL if the basis is not merged */
    int n_core_potential;
    struct hf_core_potential *core_potential; /**< [n_core_potential], by atom; no ghosts */
    struct hf_core_term *core_term;           /**< of all potentials */
};

/** Cartesian or spherical d and higher shells: as the set is defined, or overridden. */
enum hf_convention { HF_CONVENTION_AS_DEFINED, HF_CONVENTION_SPHERICAL, HF_CONVENTION_CARTESIAN };

/** Which basis an atom gets. atom >= 0: the choice is for that atom (counted from 0). Otherwise atomic_number > 0:
 *  for every atom of that element. Otherwise: for every atom. The most specific choice counts; of equally specific
 *  ones the last. */
struct hf_basis_choice {
    int atom;
    int atomic_number;
    /** name in the library in any spelling (see hf_basis_create), or path of a file */
    const char *name;
    const char *where; /**< for messages: "water.mol, line 4" or "--basis"; may be NULL */
    /** the set itself, as a Gaussian-94 file has it, not looked up by its name; NULL: it is looked up */
    const char *text;
};

/** Shells of `molecule`.
 *
 *  Names are looked up in the library (hf_basis_list_create); case, blanks, hyphens, and the star and parenthesis
 *  spellings of the same set do not matter (6-31G*, 6-31g(d), def2svp). A name with a slash is a path, and so is the
 *  name of an existing file ending in ".gbs". Rank 0 reads the files. Ghost atoms get the functions of their element.
 *
 *  Call     collective over context->comm; same result and same error on every rank.
 *  Memory   *basis is owned by the caller (hf_basis_destroy); *basis does not refer to choices and molecule.
 *  Errors   HF_BAD_INPUT: unknown set (nearest name given), element absent (sets that have it are
 *           named), effective core potential needed, syntax (file and line), an atom for which no
 *           choice applies; HF_NO_RESOURCE: memory, angular momentum above
 *           HF_MAX_L. */
hf_status hf_basis_create(struct hf_context *context, const struct hf_molecule *molecule,
                          int n_choice, const struct hf_basis_choice choice[],
                          enum hf_convention convention, struct hf_basis **basis,
                          struct hf_error *error) HF_MUST_CHECK;

/** A basis from given shells, for example those of a checkpoint. Reads and copies atom (ascending), l, spherical,
 *  n_primitive, exponent and coefficient of each shell, and computes the other members. Copies `name` and `citation`
 *  (may be NULL). Not collective. HF_BAD_INPUT: these are not shells of the molecule; HF_NO_RESOURCE: memory. */
hf_status hf_basis_from_shells(const struct hf_molecule *molecule, const char *name,
                               const char *citation, int n_shell, const struct hf_shell shell[],
                               struct hf_basis **basis, struct hf_error *error) HF_MUST_CHECK;

/** Replaces the core potentials of the basis by copies of potential [n], in order of atoms, with their terms. Not
 *  collective. HF_BAD_INPUT: these are not core potentials of the molecule; HF_NO_RESOURCE: memory. */
hf_status hf_basis_set_core_potentials(const struct hf_molecule *molecule, int n,
                                       const struct hf_core_potential potential[],
                                       struct hf_basis *basis,
                                       struct hf_error *error) HF_MUST_CHECK;

/** A copy of the basis with shells and core potentials at the atoms of `molecule`, which must have the same elements
 *  in the same order. Not collective. HF_BAD_INPUT: other atoms; HF_NO_RESOURCE: memory. */
hf_status hf_basis_move(const struct hf_basis *from, const struct hf_molecule *molecule,
                        struct hf_basis **basis, struct hf_error *error) HF_MUST_CHECK;

/** Sets n_core of all atoms from the basis. Charges and numbers of electrons are right only after this
 *  call. Not collective. */
void hf_basis_set_cores(const struct hf_basis *basis, struct hf_molecule *molecule);

/** The core potential of an atom, or NULL. Not collective. */
const struct hf_core_potential *hf_atom_core_potential(const struct hf_basis *basis, int atom);

/** The functions of `front`, then those of `behind`, as one basis. The atoms of `behind` are numbered after those of
 *  `front`. Unless `positions` is NULL, the joined basis stands at its atoms. Neither basis may be merged.
 *  Memory   *joined is owned by the caller and does not refer to `front` and `behind`.
 *  Call     not collective. HF_NO_RESOURCE: memory. */
hf_status hf_basis_join(const struct hf_basis *front, const struct hf_basis *behind,
                        const struct hf_molecule *positions, struct hf_basis **joined,
                        struct hf_error *error) HF_MUST_CHECK;

/** Norm N for which N x^l exp(-exponent r^2) has norm 1. Not collective. */
double hf_primitive_norm(int l, double exponent);

/** The basis for two-electron integrals: the same number of functions in the same order, with as few
 *  primitives as possible, in blocks of a useful size. Three steps:
 *
 *  1. If a primitive of a contraction is also a function by itself on the atom, it is removed from the contraction.
 *     The space of functions stays the same. `mixing` expresses the published functions.
 *  2. Neighbouring shells of an atom with equal exponents become one: contractions of one l (cc-pVXZ), or s and p (SP
 *     shells of Pople's sets and STO-nG; not if the set has functions beyond f). A merged shell has n_part > 0, the
 *     highest l of its parts, and the `coefficient` of the first. So work on primitives is done once for all parts.
 *  3. Near atoms with few functions that follow each other become one site (a methyl group): n_atom,
 *     first_shell_of_atom and first_mixing_of_atom count sites. A shell's `atom` still counts atoms of the molecule.
 *
 *  Memory   *merged is owned by the caller and does not refer to `basis`.
 *  Call     not collective. HF_NO_RESOURCE: memory.
 *  Source   Davidson, Chem. Phys. Lett. 260, 514 (1996). */
hf_status hf_basis_merge(const struct hf_basis *basis, struct hf_basis **merged,
                         struct hf_error *error) HF_MUST_CHECK;

/** Transforms a block of two atoms [functions of row_atom][functions of column_atom]: a density from published to
 *  merged functions (U^T D U, U from the mixings), or with `sums` J or K from merged to published functions (U J
 *  U^T). Not collective. */
void hf_mix_block(const struct hf_basis *merged, bool sums, int row_atom, int column_atom,
                  double block[]);

/** Transforms orbitals [n_orbital][n] from published to merged functions (U^T C), or with `sums` derivatives by them
 *  from merged to published functions (U Y). Not collective. */
void hf_mix_orbitals(const struct hf_basis *merged, bool sums, int n_orbital, double coefficient[]);

/** Index of a shell in its atom, and its functions there (merged basis: in its site, see hf_basis_merge). */
struct hf_shell_place {
    int atom;  /**< atom; in a merged basis the site */
    int index; /**< number of the shell within its atom */
    int first; /**< its first function, counted from the first function of the atom */
    int n;     /**< number of functions */
};

/** The places of all shells [n_shell]. The caller frees the array. NULL: no memory. Not collective. */
struct hf_shell_place *hf_shell_places(const struct hf_basis *basis);

/** Part k of a shell. A shell that is not merged is its only part. */
static inline struct hf_shell_part hf_shell_get_part(const struct hf_shell *shell, int k)
{
    if (shell->n_part > 0) return shell->part[k];
    struct hf_shell_part whole; /* no designated initialiser: C++ programs include this header */
    whole.l = shell->l;
    whole.spherical = shell->spherical;
    whole.coefficient = shell->coefficient;
    whole.first = 0;
    whole.n_function = shell->n_function;
    return whole;
}

/** Number of functions of an atom. */
static inline int hf_atom_n_function(const struct hf_basis *basis, int atom)
{
    int n = 0;
    for (int s = basis->first_shell_of_atom[atom]; s < basis->first_shell_of_atom[atom + 1]; s++)
        n += basis->shell[s].n_function;
    return n;
}

/** Largest number of functions of a shell. */
static inline int hf_most_functions_of_shell(const struct hf_basis *basis)
{
    int most = 1;
    for (int s = 0; s < basis->n_shell; s++)
        if (basis->shell[s].n_function > most) most = basis->shell[s].n_function;
    return most;
}

/** Largest number of functions of an atom. */
static inline int hf_most_functions_of_atom(const struct hf_basis *basis)
{
    int most = 1;
    for (int a = 0; a < basis->n_atom; a++) {
        const int n = hf_atom_n_function(basis, a);
        if (n > most) most = n;
    }
    return most;
}

static inline int hf_most_shells_of_atom(const struct hf_basis *basis)
{
    int most = 1;
    for (int a = 0; a < basis->n_atom; a++) {
        const int n = basis->first_shell_of_atom[a + 1] - basis->first_shell_of_atom[a];
        if (n > most) most = n;
    }
    return most;
}

/** First function of an atom, which must have shells. */
static inline int hf_atom_first_function(const struct hf_basis *basis, int atom)
{
    return basis->shell[basis->first_shell_of_atom[atom]].first_function;
}

/** Position of the functions of shells a and b (not merged) in a block [functions of a's atom][functions of b's
 *  atom]. */
static inline size_t hf_place_in_atom_block(const struct hf_basis *basis, const struct hf_shell *a,
                                            const struct hf_shell *b)
{
    const int row = a->first_function - hf_atom_first_function(basis, a->atom);
    const int column = b->first_function - hf_atom_first_function(basis, b->atom);
    return (size_t)row * (size_t)hf_atom_n_function(basis, b->atom) + (size_t)column;
}

static inline int hf_shell_n_part(const struct hf_shell *shell)
{
    return shell->n_part > 0 ? shell->n_part : 1;
}

/** Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_basis_destroy(struct hf_basis **basis);

/** Kind of the d and higher shells: "spherical", "Cartesian", "mixed Cartesian and spherical" or "no
 *  functions above p". Not collective. */
const char *hf_basis_convention_name(const struct hf_basis *basis);

/** A set of the library. */
struct hf_basis_entry {
    char *name; /**< as published */
    char *path; /**< of its file */
};

/** Sets of the library in alphabetical order; owned, freed by hf_basis_list_done. */
struct hf_basis_list {
    int n;
    struct hf_basis_entry *entry; /**< [n] */
};

/** Lists the basis sets: files "*.gbs" in the directories below, in this order. If two sets have the same name, the
 *  first counts.
 *
 *  1. the directories of HF_BASIS_PATH (colons between them)
 *  2. "basis" beside the library or program (the build tree)
 *  3. "share/hf/basis" beside it or in a directory above (an installation, also if it was moved)
 *  4. the directory given when hf was configured
 *
 *  Reads directories and the first lines of files. Needs no MPI. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_basis_list_create(struct hf_basis_list *list, struct hf_error *error) HF_MUST_CHECK;

/** Frees and clears. Accepts NULL and a cleared list. */
void hf_basis_list_done(struct hf_basis_list *list);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
