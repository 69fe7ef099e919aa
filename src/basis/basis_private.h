/* Inside the basis room: a basis-set file once parsed, the library of such files, shells. */
#ifndef HF_BASIS_PRIVATE_H
#define HF_BASIS_PRIVATE_H

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/units.h"
#include "text/data_folders.h"
#include "text/text.h"

#include <stdint.h>

enum {
    /** Highest angular momentum a file may hold; what the integrals can do is checked when an
     *  element is used. */
    HF_MAX_FILE_L = 15
};

/** One contracted function of a file, as it stands there: coefficients over normalised primitives,
 *  primitives with coefficient zero left out. */
struct hf_set_shell {
    int l;
    int n_primitive;
    int first; /**< of its primitives in exponent[] and coefficient[] of the set */
    int line;  /**< where it begins in the file */
};

/** What a file has for an element. */
struct hf_set_element {
    int line; /**< of its block; 0: none */
    int first_shell, n_shell;
    bool needs_core_potential; /**< the set is defined with an effective core potential */
    int n_core_electron;       /**< of that potential */
    int core_line;             /**< where it begins; 0: the file has none */
    int core_max_l, first_core_term, n_core_term;
};

/** Literature of some elements. */
struct hf_set_citation {
    bool element[HF_N_ELEMENT + 1];
    char *text;
};

/** A parsed Gaussian-94 file. Free with hf_basis_set_done. */
struct hf_basis_set {
    char *name; /**< from the line "! name:", else the file's name without ".gbs" */
    char *path;
    char *about;                       /**< from the line "! about:"; NULL: there is none */
    bool spherical[HF_MAX_FILE_L + 1]; /**< convention of each angular momentum */
    struct hf_set_element element[HF_N_ELEMENT + 1];
    int n_shell, n_primitive, n_core_term, n_citation;
    int64_t shell_capacity, primitive_capacity, core_term_capacity, citation_capacity;
    struct hf_set_shell *shell;
    double *exponent, *coefficient; /**< [n_primitive] */
    struct hf_core_term *core_term; /**< [n_core_term] of all potentials */
    struct hf_set_citation *citation;
    struct hf_arena arena; /**< has the strings; the lists grow, each by itself */
};

/** Parses a file. Not collective. HF_BAD_INPUT: syntax, with file and line; HF_NO_RESOURCE: memory.
 *  On failure the set is empty. */
hf_status hf_basis_set_parse(const struct hf_text *text, struct hf_basis_set *set,
                             struct hf_error *error) HF_MUST_CHECK;
void hf_basis_set_done(struct hf_basis_set *set);

/** Reads a comment line: name, literature, elements that need a core potential. Other
 *  comments are skipped. */
hf_status hf_basis_set_parse_comment(struct hf_basis_set *set, const char *line,
                                     struct hf_error *error) HF_MUST_CHECK;

/** A basis, and the arena of its arrays (`mixing` grows and is apart). Each basis is the first member of one. */
struct hf_own_basis {
    struct hf_basis basis;
    struct hf_arena arena;
};

static inline struct hf_arena *hf_basis_arena(struct hf_basis *basis)
{
    return &((struct hf_own_basis *)(void *)basis)->arena;
}

/** A basis without shells, with room for so many shells and primitives; `name` and `citation` are copied
 *  and may be NULL. NULL: no memory. */
struct hf_basis *hf_basis_reserve_shells(const char *name, const char *citation, int n_atom,
                                         size_t n_shell, size_t n_primitive);

/** Appends a copy of a shell and its primitives to an atom, the last one with shells so far, and numbers
 *  its functions. Returns the copied coefficients [n_primitive]. */
double *hf_basis_add_shell(const struct hf_shell *from, int atom, struct hf_basis *to);

/** Letter of an angular momentum: s p d f g h i k l m ...; '?' outside. */
char hf_angular_letter(int l);

/** From file coefficients to the ones hf_shell promises, in place. Returns false when the shell
 *  cannot be normalised (numbers beyond range, or primitives that cancel). */
bool hf_shell_normalise(int l, int n_primitive, const double exponent[],
                        double coefficient[]) HF_MUST_CHECK;

/** Looks the file of a set up: `name` as people write it, or a path. Reads directories; not
 *  collective. `path` gets the file's. HF_BAD_INPUT: unknown, with the nearest known names. */
hf_status hf_basis_find(const char *name, char path[HF_MAX_PATH],
                        struct hf_error *error) HF_MUST_CHECK;

/** Names of the library's sets that have functions for an element, ", " between; "" when none has.
 *  Reads files; not collective. */
void hf_basis_sets_with_element(int atomic_number, size_t size, char *names);

/** The form in which two spellings of a set's name are the same; cut to size. */
void hf_basis_name_key(const char *name, size_t size, char *key);

#endif
