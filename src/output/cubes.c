/* The cube files that a calculation is asked for: which functions, and what the files are called. */
#include "output_private.h"

#include "cube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The density in a cube file may lack so many electrons before that is told. */
static const double MOST_LACKING = 1e-3;

/** What an orbital is counted from. */
enum origin { FROM_FIRST, FROM_HOMO, FROM_LUMO };

struct cubes {
    int n;
    struct cube {
        struct hf_spatial_function function;
        enum origin origin; /**< of function.orbital */
        char name[40];      /**< "density", "alpha-homo", "42" */
        char *path;
    } * cube; /**< [n], with their paths owned */
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
static bool read_word(struct hf_word word, struct cube *cube)
{
    int number;
    *cube = (struct cube){.path = NULL};
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
static hf_status append(struct hf_quantity *quantity, const struct cube *cube,
                        struct hf_error *error)
{
    struct cubes *self = quantity->self;
    const char *stem = quantity->of->file_stem;
    const size_t size = strlen(stem) + sizeof cube->name + sizeof "..cube";
    for (int i = 0; i < self->n; i++)
        if (strcmp(self->cube[i].name, cube->name) == 0) return HF_OK;
    struct cube *longer = realloc(self->cube, ((size_t)self->n + 1) * sizeof *longer);
    if (longer == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    self->cube = longer;
    longer[self->n] = *cube;
    longer[self->n].path = malloc(size);
    if (longer[self->n].path == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    snprintf(longer[self->n++].path, size, "%s.%s.cube", stem, cube->name);
    return HF_OK;
}

/** Electrons of the set that a cube's orbital is of. */
static int n_occupied(const struct hf_molecule *molecule, const struct cube *cube)
{
    const int n = hf_molecule_n_electron(molecule), n_alpha = (n + molecule->multiplicity - 1) / 2;
    return cube->function.spin == 0 ? n_alpha : n - n_alpha;
}

/** The orbital counted from 0; below 0: there is none. */
static int orbital_of(const struct hf_molecule *molecule, const struct cube *cube)
{
    if (cube->origin == FROM_FIRST) return cube->function.orbital;
    return n_occupied(molecule, cube) - (cube->origin == FROM_HOMO ? 1 : 0);
}

/** Of method uhf an orbital is one of alpha's and one of beta's. */
static hf_status append_orbital(struct hf_quantity *quantity, const struct cube *cube,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_quantity_source *of = quantity->of;
    const bool two_sets = strcmp(of->settings->method, "uhf") == 0;
    quantity->needs = HF_WAVEFUNCTION_ALL;
    for (int spin = 0; spin < (two_sets ? 2 : 1) && status == HF_OK; spin++) {
        struct cube one = *cube;
        one.function.spin = spin;
        if (two_sets)
            snprintf(one.name, sizeof one.name, "%s-%.20s", spin == 0 ? "alpha" : "beta",
                     cube->name);
        if (orbital_of(of->molecule, &one) >= of->basis->n_function)
            return hf_fail(error, HF_BAD_INPUT,
                           "there is no orbital %s: the basis has %d functions", one.name,
                           of->basis->n_function);
        status = append(quantity, &one, error);
    }
    return status;
}

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct cubes *self = quantity->self;
    const struct hf_options *options = quantity->of->options;
    const char *position = hf_options_text(options, "cube");
    hf_status status = HF_OK;
    while (*position != '\0' && status == HF_OK) {
        struct cube cube;
        const size_t length = strcspn(position, ", \t");
        const struct hf_word word = {position, (int)length};
        position += length;
        position += strspn(position, ", \t");
        if (length == 0) continue;
        if (!read_word(word, &cube))
            return hf_fail(error, HF_BAD_INPUT,
                           "'%.*s'; expected density, spin, esp, homo, lumo, or the number of "
                           "an orbital counted from 1, with commas between them",
                           HF_WORD(word));
        if (cube.function.kind == HF_SPATIAL_ORBITAL)
            status = append_orbital(quantity, &cube, error);
        else
            status = append(quantity, &cube, error);
    }
    if (status == HF_OK && self->n == 0) status = hf_fail(error, HF_BAD_INPUT, "an empty list");
    if (status == HF_OK)
        status = hf_grid_around(quantity->of->molecule, hf_options_real(options, "cube_spacing"),
                                hf_options_real(options, "cube_margin"), &self->grid, error);
    return status;
}

static void done(struct hf_quantity *quantity)
{
    struct cubes *self = quantity->self;
    for (int i = 0; i < self->n; i++) free(self->cube[i].path);
    free(self->cube);
}

static const char *path_of(const struct hf_quantity *quantity, int i)
{
    const struct cubes *self = quantity->self;
    return i < self->n ? self->cube[i].path : NULL;
}

/** The grid, the range of the values, and of densities the integral. */
static void print_cube(struct hf_report *report, const struct cube *cube,
                       const struct hf_grid *grid, const struct hf_cube_account *account)
{
    FILE *out = report->stream;
    const enum hf_spatial_kind kind = cube->function.kind;
    if (out == NULL) return;
    hf_report_erase_progress(report);
    fprintf(out, "\nCube file %s\n", cube->path);
    fprintf(out, "  %-23s%d x %d x %d, %g bohr apart\n", "Points", grid->n[0], grid->n[1],
            grid->n[2], grid->spacing);
    fprintf(out, "  %-23s%.5e to %.5e\n", "Values", account->least, account->most);
    if (kind == HF_SPATIAL_DENSITY || kind == HF_SPATIAL_SPIN_DENSITY)
        fprintf(out, "  %-23s%.6f electrons\n", "Integral", account->integral);
    fprintf(out, "  %-23s%.1f\n", "Seconds", account->seconds);
    hf_report_flush(report);
}

/** One file. Collective. */
static hf_status write_cube(const struct hf_quantity_source *of, const struct hf_grid *grid,
                            const struct cube *cube, struct hf_error *error)
{
    struct hf_cube_account account;
    struct hf_spatial_function function = cube->function;
    const struct hf_molecule *molecule = of->molecule;
    char name[200];
    if (function.kind == HF_SPATIAL_ORBITAL) {
        const int n_orbital = of->wavefunction->spin[function.spin].n_orbital;
        function.orbital = orbital_of(molecule, cube);
        if (function.orbital < 0 || function.orbital >= n_orbital) {
            snprintf(name, sizeof name, "%.80s is not written: there is no such orbital among %d",
                     cube->path, n_orbital);
            hf_report_warning(of->report, name);
            return HF_OK;
        }
    }
    snprintf(name, sizeof name, "%.40s of %.100s", cube->name,
             molecule->title != NULL ? molecule->title : "the molecule");
    hf_report_begin(of->report, "Cube file");
    const hf_status status = hf_cube_write(of->context, cube->path, name, of->wavefunction,
                                           &function, grid, &account, error);
    if (status != HF_OK) return status;
    print_cube(of->report, cube, grid, &account);
    const double lacking = hf_molecule_n_electron(molecule) - account.integral;
    if (function.kind == HF_SPATIAL_DENSITY && fabs(lacking) > MOST_LACKING) {
        snprintf(name, sizeof name,
                 "%.4f electrons are outside of the box of %.80s; a larger --cube-margin has them",
                 lacking, cube->path);
        hf_report_warning(of->report, name);
    }
    return HF_OK;
}

/** All of them, one after the other. */
static hf_status write_cubes(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct cubes *self = quantity->self;
    hf_status status = HF_OK;
    for (int i = 0; i < self->n && status == HF_OK; i++)
        status = write_cube(quantity->of, &self->grid, &self->cube[i], error);
    return status;
}

const struct hf_quantity_ops hf_quantity_cubes = {
    .name = "cube files",
    .option = "cube",
    .needs = HF_WAVEFUNCTION_DENSITIES,
    .size = sizeof(struct cubes),
    .file = "a cube file",
    .plan = plan,
    .path = path_of,
    .write = write_cubes,
    .done = done,
};
