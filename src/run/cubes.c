/* The cube files that a calculation is asked for: which functions, and what the files are called. */
#include "calculation_private.h"

#include "hf/output_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The density in a cube file may lack so many electrons before that is told. */
static const double MOST_LACKING = 1e-3;

/** What an orbital is counted from. */
enum origin { FROM_FIRST, FROM_HOMO, FROM_LUMO };

struct hf_cubes {
    const char *where; /**< who asked for them; in the options */
    int n;
    struct hf_cube {
        struct hf_spatial_function function;
        enum origin origin; /**< of function.orbital */
        char name[40];      /**< "density", "alpha-homo", "42" */
        char *path;
    } * cube;
    struct hf_grid grid;
};

static const struct {
    const char *word;
    enum hf_spatial_kind kind;
    enum origin origin;
} words[] = {{"density", HF_SPATIAL_DENSITY, FROM_FIRST},
             {"spin", HF_SPATIAL_SPIN_DENSITY, FROM_FIRST},
             {"esp", HF_SPATIAL_POTENTIAL, FROM_FIRST},
             {"homo", HF_SPATIAL_ORBITAL, FROM_HOMO},
             {"lumo", HF_SPATIAL_ORBITAL, FROM_LUMO}};

/** Fills *cube from a word; false: it is none. */
static bool read_word(struct hf_word word, struct hf_cube *cube)
{
    int number;
    *cube = (struct hf_cube){.path = NULL};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!hf_word_is(word, words[i].word)) continue;
        cube->function.kind = words[i].kind;
        cube->origin = words[i].origin;
        snprintf(cube->name, sizeof cube->name, "%s", words[i].word);
        return true;
    }
    if (hf_word_integer(word, &number) != HF_NUMBER_OK || number < 1) return false;
    cube->function =
        (struct hf_spatial_function){.kind = HF_SPATIAL_ORBITAL, .orbital = number - 1};
    snprintf(cube->name, sizeof cube->name, "%d", number);
    return true;
}

/** Appends it, unless it is there. */
static hf_status append(struct hf_calculation *calculation, const struct hf_cube *cube,
                        struct hf_error *error)
{
    char ending[64];
    struct hf_cubes *self = calculation->cubes;
    for (int i = 0; i < self->n; i++)
        if (strcmp(self->cube[i].name, cube->name) == 0) return HF_OK;
    struct hf_cube *longer = realloc(self->cube, ((size_t)self->n + 1) * sizeof *longer);
    if (longer == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    self->cube = longer;
    longer[self->n] = *cube;
    snprintf(ending, sizeof ending, ".%s.cube", cube->name);
    longer[self->n].path = hf_calculation_file_name(calculation, ending);
    if (longer[self->n].path == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    self->n++;
    return HF_OK;
}

/** Of method uhf an orbital is one of alpha's and one of beta's. */
static hf_status append_word(struct hf_calculation *calculation, const struct hf_cube *cube,
                             bool two_sets, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (cube->function.kind != HF_SPATIAL_ORBITAL || !two_sets)
        return append(calculation, cube, error);
    for (int spin = 0; spin < 2 && status == HF_OK; spin++) {
        struct hf_cube one = *cube;
        one.function.spin = spin;
        snprintf(one.name, sizeof one.name, "%s-%.20s", spin == 0 ? "alpha" : "beta", cube->name);
        status = append(calculation, &one, error);
    }
    return status;
}

hf_status hf_cubes_create(struct hf_calculation *calculation, const struct hf_options *options,
                          struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "cube");
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const char *method = hf_method_for(hf_options_choice(options, "method"), molecule);
    if (given == NULL) return HF_OK;
    struct hf_cubes *self = calculation->cubes = calloc(1, sizeof *self);
    if (self == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    self->where = given->where;
    const char *position = given->text;
    hf_status status = HF_OK;
    while (*position != '\0' && status == HF_OK) {
        struct hf_cube cube;
        const size_t length = strcspn(position, ", \t");
        const struct hf_word word = {position, (int)length};
        position += length;
        position += strspn(position, ", \t");
        if (length == 0) continue;
        if (!read_word(word, &cube))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: '%.*s'; expected density, spin, esp, homo, lumo, or the number of "
                           "an orbital counted from 1, with commas between them",
                           given->where, HF_WORD(word));
        status = append_word(calculation, &cube, strcmp(method, "uhf") == 0, error);
    }
    if (status == HF_OK && self->n == 0)
        status = hf_fail(error, HF_BAD_INPUT, "%s: an empty list", given->where);
    struct hf_error reason;
    if (status == HF_OK &&
        hf_grid_around(molecule, hf_options_real(options, "cube_spacing"),
                       hf_options_real(options, "cube_margin"), &self->grid, &reason) != HF_OK)
        status = hf_fail(error, HF_BAD_INPUT, "%s: %s", given->where, reason.message);
    return status;
}

void hf_cubes_destroy(struct hf_cubes **cubes)
{
    struct hf_cubes *self = *cubes;
    if (self == NULL) return;
    for (int i = 0; i < self->n; i++) free(self->cube[i].path);
    free(self->cube);
    free(self);
    *cubes = NULL;
}

int hf_cubes_count(const struct hf_cubes *cubes)
{
    return cubes != NULL ? cubes->n : 0;
}

const char *hf_cubes_path(const struct hf_cubes *cubes, int i)
{
    return cubes->cube[i].path;
}

bool hf_cubes_need_orbitals(const struct hf_cubes *cubes)
{
    for (int i = 0; i < hf_cubes_count(cubes); i++)
        if (cubes->cube[i].function.kind == HF_SPATIAL_ORBITAL) return true;
    return false;
}

/** Electrons of the set that a cube's orbital is of. */
static int n_occupied(const struct hf_molecule *molecule, const struct hf_cube *cube)
{
    const int n = hf_molecule_n_electron(molecule), n_alpha = (n + molecule->multiplicity - 1) / 2;
    return cube->function.spin == 0 ? n_alpha : n - n_alpha;
}

/** The orbital counted from 0; below 0: there is none. */
static int orbital_of(const struct hf_molecule *molecule, const struct hf_cube *cube)
{
    if (cube->origin == FROM_FIRST) return cube->function.orbital;
    return n_occupied(molecule, cube) - (cube->origin == FROM_HOMO ? 1 : 0);
}

hf_status hf_cubes_check(const struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_cubes *self = calculation->cubes;
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const int n = calculation->basis->n_function;
    for (int i = 0; i < hf_cubes_count(self); i++) {
        const struct hf_cube *cube = &self->cube[i];
        if (cube->function.kind != HF_SPATIAL_ORBITAL || orbital_of(molecule, cube) < n) continue;
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: there is no orbital %s: the basis has %d functions", self->where,
                       cube->name, n);
    }
    return HF_OK;
}

/** One file. Collective. */
static hf_status write_cube(struct hf_calculation *calculation, const struct hf_cube *cube,
                            const struct hf_wavefunction *wavefunction, struct hf_report *report,
                            struct hf_error *error)
{
    struct hf_cube_account account;
    struct hf_spatial_function function = cube->function;
    const struct hf_grid *grid = &calculation->cubes->grid;
    const struct hf_molecule *molecule = wavefunction->molecule;
    char name[200];
    if (function.kind == HF_SPATIAL_ORBITAL) {
        const int n_orbital = wavefunction->spin[function.spin].n_orbital;
        function.orbital = orbital_of(molecule, cube);
        if (function.orbital < 0 || function.orbital >= n_orbital) {
            snprintf(name, sizeof name, "%.80s is not written: there is no such orbital among %d",
                     cube->path, n_orbital);
            hf_report_warning(report, name);
            return HF_OK;
        }
    }
    snprintf(name, sizeof name, "%.40s of %.100s", cube->name,
             molecule->title != NULL ? molecule->title : "the molecule");
    hf_report_begin_cube(report);
    const hf_status status = hf_cube_write(calculation->context, cube->path, name, wavefunction,
                                           &function, grid, &account, error);
    if (status != HF_OK) return status;
    hf_report_cube(report, cube->path, function.kind, grid, &account);
    const double lacking = hf_molecule_n_electron(molecule) - account.integral;
    if (function.kind == HF_SPATIAL_DENSITY && fabs(lacking) > MOST_LACKING) {
        snprintf(name, sizeof name,
                 "%.4f electrons are outside of the box of %.80s; a larger --cube-margin has them",
                 lacking, cube->path);
        hf_report_warning(report, name);
    }
    return HF_OK;
}

hf_status hf_cubes_write(struct hf_calculation *calculation,
                         const struct hf_wavefunction *wavefunction, struct hf_report *report,
                         struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < hf_cubes_count(calculation->cubes) && status == HF_OK; i++)
        status = write_cube(calculation, &calculation->cubes->cube[i], wavefunction, report, error);
    return status;
}
