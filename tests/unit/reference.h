/* Files of reference values, and the molecules of their cases. */
#ifndef HF_TEST_REFERENCE_H
#define HF_TEST_REFERENCE_H

#include "test.h"

#include "hf/molecule.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The whole file; free with free. */
static inline char *test_read_file(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, MOST);
    assert_non_null(text);
    assert_true(fread(text, 1, MOST - 1, file) > 0);
    fclose(file);
    return text;
}

/** Free with cJSON_Delete. */
static inline cJSON *test_read_json(const char *path)
{
    char *text = test_read_file(path);
    cJSON *root = cJSON_Parse(text);
    free(text);
    assert_non_null(root);
    return root;
}

static inline const char *test_text_of(const cJSON *one, const char *key)
{
    return cJSON_GetObjectItem(one, key)->valuestring;
}

static inline double test_number_of(const cJSON *one, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(one, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

/** A line of a geometry in bohr, as "Gh(H) 0 0 1.4". */
static inline struct hf_atom test_read_atom(const char *line)
{
    char name[16];
    struct hf_atom atom = {.atomic_number = 0};
    double *at = atom.position_bohr;
    assert_int_equal(sscanf(line, "%15s %lf %lf %lf", name, &at[0], &at[1], &at[2]), 4);
    atom.ghost = strncmp(name, "Gh(", 3) == 0;
    if (atom.ghost) name[strlen(name) - 1] = '\0';
    atom.atomic_number = hf_element_number(atom.ghost ? name + 3 : name);
    return atom;
}

/** Free with hf_molecule_done. */
static inline struct hf_molecule test_read_molecule(const cJSON *one)
{
    const cJSON *geometry = cJSON_GetObjectItem(one, "geometry_bohr");
    struct hf_molecule molecule = {.n_atom = cJSON_GetArraySize(geometry), .multiplicity = 1};
    molecule.atom = calloc((size_t)molecule.n_atom, sizeof *molecule.atom);
    assert_non_null(molecule.atom);
    for (int i = 0; i < molecule.n_atom; i++)
        molecule.atom[i] = test_read_atom(cJSON_GetArrayItem(geometry, i)->valuestring);
    return molecule;
}

#endif
