/* What is in a basis set, for people who choose one. */
#ifndef HF_BASIS_DESCRIPTION_H
#define HF_BASIS_DESCRIPTION_H

#include "base/arena.h"
#include "hf/molecule.h"
#include "hf/status.h"

#include <stdbool.h>

enum { HF_SHELL_COUNT_LENGTH = 64 };

/** What a set has for an element. */
struct hf_element_description {
    int atomic_number;
    int n_core_electron;       /**< of the effective core potential that the set needs; 0: none */
    bool lacks_core_potential; /**< the file only says that there is one */
    int n_function;
    char contracted[HF_SHELL_COUNT_LENGTH]; /**< shells: "4s3p2d1f" */
    char primitive[HF_SHELL_COUNT_LENGTH];  /**< their different exponents: "10s5p2d1f" */
};

/** Literature of some elements. */
struct hf_citation {
    char *elements; /**< "H B-Ne" */
    char *text;
};

/** A set of the library or a file. */
struct hf_basis_description {
    char *name, *path;
    char *about;            /**< what it is for; NULL: the file does not say */
    char *elements;         /**< "H-Ar Ga-Kr", without those whose core potential is lacking */
    const char *convention; /**< of d and higher functions: "spherical", "Cartesian", "mixed", or "s
                                 and p" when there are none */
    int n_element;
    struct hf_element_description element[HF_N_ELEMENT]; /**< [n_element] by atomic number */
    int n_citation;
    struct hf_citation *citation; /**< [n_citation] */
    struct hf_arena arena;        /**< has all; the caller releases it, also after a failure */
};

/** Reads a set, by name or path as hf_basis_create does. Works without MPI; not collective.
 *  HF_BAD_INPUT: unknown (with the nearest name), or a file with mistakes; HF_NO_RESOURCE: memory. */
hf_status hf_basis_describe(const char *name, struct hf_basis_description *description,
                            struct hf_error *error) HF_MUST_CHECK;

#endif
