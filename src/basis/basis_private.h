/* Inside the basis room: parsed basis-set files, the library of these files, shells. */
#ifndef HF_BASIS_PRIVATE_H
#define HF_BASIS_PRIVATE_H

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/units.h"
#include "text/data_folders.h"
#include "text/text.h"

#include <stdint.h>

enum {
    /** Highest angular momentum in a file. Whether the integrals support it is checked when an element is used. */
    HF_MAX_FILE_L = 15
};

/** A contracted function as in the file: coefficients of normalised primitives, without those that are zero. */
struct hf_set_shell {
    int l;
    int n_primitive;
    int first; /**< its first primitive in exponent[] and coefficient[] of the set */
    int line;  /**< line of the file where it begins */
};

/** Contents of a file for one element. */
struct hf_set_element {
    int line; /**< line of its block; 0: no block */
    int first_shell, n_shell;
    bool needs_core_potential; /**< the set is defined with an effective core potential */
    int n_core_electron;       /**< core electrons of this potential */
    int core_line;             /**< line where the potential begins; 0: not in the file */
    int core_max_l, first_core_term, n_core_term;
};

/** Literature for some elements. */
struct hf_set_citation {
    bool element[HF_N_ELEMENT + 1];
    char *text;
};

/** A parsed Gaussian-94 file. Free with hf_basis_set_done. */
struct hf_basis_set {
    char *name; /**< from the line "! name:"; otherwise the file's name without ".gbs" */
    char *path;
    char *about;                       /**< from the line "! about:"; NULL: no such line */
    bool spherical[HF_MAX_FILE_L + 1]; /**< convention of each angular momentum */
    struct hf_set_element element[HF_N_ELEMENT + 1];
    int n_shell, n_primitive, n_core_term, n_citation;
    int64_t shell_capacity, primitive_capacity, core_term_capacity, citation_capacity;
    struct hf_set_shell *shell;
    double *exponent, *coefficient; /**< [n_primitive] */
    struct hf_core_term *core_term; /**< [n_core_term] terms of all potentials */
    struct hf_set_citation *citation;
    struct hf_arena arena; /**< owns strings and lists */
};

/** Parses a file. Not collective. HF_BAD_INPUT: syntax, with file and line; HF_NO_RESOURCE: memory.
 *  On failure the set is empty. */
hf_status hf_basis_set_parse(const struct hf_text *text, struct hf_basis_set *set,
                             struct hf_error *error) HF_MUST_CHECK;
void hf_basis_set_done(struct hf_basis_set *set);

struct hf_basis_sets;

/** The set that was kept under a name; NULL: none, or `sets` is NULL. Not collective. */
const struct hf_basis_set *hf_basis_sets_find(const struct hf_basis_sets *sets, const char *name);

/** Keeps a set. True: `sets` now owns what is in it. False: `sets` is NULL or full, has the name, or lacks memory. Not
 *  collective. */
bool hf_basis_sets_keep(struct hf_basis_sets *sets, const char *name,
                        const struct hf_basis_set *set);

/** Reads a comment line: name, purpose, literature, elements that need a core potential. Ignores other comments. */
hf_status hf_basis_set_parse_comment(struct hf_basis_set *set, const char *line,
                                     struct hf_error *error) HF_MUST_CHECK;

/** A basis and the arena of it and its arrays. Every hf_basis is the first member of one. */
struct hf_own_basis {
    struct hf_basis basis;
    struct hf_arena arena;
};

static inline struct hf_arena *hf_basis_arena(struct hf_basis *basis)
{
    return &((struct hf_own_basis *)(void *)basis)->arena;
}

/** A basis without name and shells, with room for n_shell shells and n_primitive primitives. HF_NO_RESOURCE. */
hf_status hf_basis_reserve(int n_atom, size_t n_shell, size_t n_primitive, struct hf_basis **basis,
                           struct hf_error *error) HF_MUST_CHECK;

/** Appends a copy of a shell and its primitives to an atom and numbers its functions. No later atom may have shells
 *  yet. Returns the copied coefficients [n_primitive]. */
double *hf_basis_add_shell(const struct hf_shell *from, int atom, struct hf_basis *to);

/** Letter of an angular momentum: s p d f g h i k l m ...; '?' if it has none. */
char hf_angular_letter(int l);

/** Converts coefficients of a file to those of hf_shell, in place. False: the shell cannot be normalised (numbers out
 *  of range, or primitives that cancel). */
bool hf_shell_normalise(int l, int n_primitive, const double exponent[],
                        double coefficient[]) HF_MUST_CHECK;

/** Finds the file of a set: `name` in any spelling, or a path. Reads directories; not collective. Writes the path of
 *  the file to `path`. HF_BAD_INPUT: unknown (the message has the nearest known names). */
hf_status hf_basis_find(const char *name, char path[HF_MAX_PATH],
                        struct hf_error *error) HF_MUST_CHECK;

/** Names of the library's sets that have functions for an element, separated by ", "; "" if there is none. Reads
 *  files; not collective. */
void hf_basis_sets_with_element(int atomic_number, size_t size, char *names);

/** A form of a set's name that is the same for all its spellings; cut to `size`. */
void hf_basis_name_key(const char *name, size_t size, char *key);

#endif
