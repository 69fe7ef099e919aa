/* The contents of a basis set, for people who choose one. */
#ifndef HF_BASIS_DESCRIPTION_H
#define HF_BASIS_DESCRIPTION_H

#include "base/arena.h"
#include "hf/molecule.h"
#include "hf/status.h"

#include <stdbool.h>

enum { HF_SHELL_COUNT_LENGTH = 64 };

/** Contents of a set for one element. */
struct hf_element_description {
    int atomic_number;
    int n_core_electron;       /**< core electrons of the potential that the set needs; 0: none */
    bool lacks_core_potential; /**< the file only says that the set needs one */
    int n_function;
    char contracted[HF_SHELL_COUNT_LENGTH]; /**< shells: "4s3p2d1f" */
    char primitive[HF_SHELL_COUNT_LENGTH];  /**< different exponents of these: "10s5p2d1f" */
};

/** Literature for some elements. */
struct hf_citation {
    char *elements; /**< "H B-Ne" */
    char *text;
};

/** A set of the library, or in a file. */
struct hf_basis_description {
    char *name, *path;
    char *about;    /**< its purpose; NULL: not in the file */
    char *elements; /**< "H-Ar Ga-Kr", without elements whose core potential is missing */
    /** of d and higher functions: "spherical", "Cartesian", "mixed"; "s and p" if there are none */
    const char *convention;
    int n_element;
    struct hf_element_description element[HF_N_ELEMENT]; /**< [n_element] by atomic number */
    int n_citation;
    struct hf_citation *citation; /**< [n_citation] */
    struct hf_arena arena; /**< owns everything; the caller releases it, also after a failure */
};

/** Reads a set, by name or path as hf_basis_create does. Works without MPI; not collective.
 *  HF_BAD_INPUT: unknown (with the nearest name), or a file with mistakes; HF_NO_RESOURCE: memory. */
hf_status hf_basis_describe(const char *name, struct hf_basis_description *description,
                            struct hf_error *error) HF_MUST_CHECK;

struct hf_json;
/** Writes the constants by which tools/lab models rows of the list of pairs. */
void hf_basis_put_model(struct hf_json to);

#endif
