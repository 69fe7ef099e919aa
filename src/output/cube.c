/* Cube files: which functions of space and on which grid by the option `cube`; and the files, planes at a
 * time. Two comments, origin and axes, atoms, then values with z fastest, all in atomic units. Every rank
 * holds some planes of the grid, 8 MB or one plane; see also hf_spatial_create. */
#include "output_private.h"

#include "hf/timer.h"
#include "localise/localise.h"
#include "properties/spatial.h"
#include "text/output_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** The density in a cube file may lack so many electrons without a warning. */
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
    } * cube;              /**< [n] */
    int64_t room;          /**< of cube */
    struct hf_arena arena; /**< has the list and the paths */
    struct hf_grid grid;
    double spacing, margin; /**< bohr */
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
    struct cube one = *cube;
    HF_TAKE(&self->arena, one.path, size);
    if (hf_arena_grow(&self->arena, &self->cube, self->n + 1, &self->room, sizeof one) &&
        one.path != NULL) {
        snprintf(one.path, size, "%s.%s.cube", stem, cube->name);
        self->cube[self->n++] = one;
    }
    return hf_arena_check(&self->arena, error);
}

/** The orbital counted from 0; below 0: there is none. */
static int orbital_of(const struct hf_molecule *molecule, const struct cube *cube)
{
    const int n = hf_molecule_n_electron(molecule), n_alpha = (n + molecule->multiplicity - 1) / 2;
    const int n_occupied = cube->function.spin == 0 ? n_alpha : n - n_alpha;
    if (cube->origin == FROM_FIRST) return cube->function.orbital;
    return n_occupied - (cube->origin == FROM_HOMO ? 1 : 0);
}

/** Of method uhf an orbital is one of alpha's and one of beta's. */
static hf_status append_orbital(struct hf_quantity *quantity, const struct cube *cube,
                                struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const bool two_sets = strcmp(of->settings->method, "uhf") == 0;
    quantity->needs = HF_WAVEFUNCTION_ALL;
    for (int spin = 0; spin < (two_sets ? 2 : 1); spin++) {
        struct cube one = *cube;
        one.function.spin = spin;
        if (two_sets)
            snprintf(one.name, sizeof one.name, "%s-%.20s", spin == 0 ? "alpha" : "beta",
                     cube->name);
        if (orbital_of(of->molecule, &one) >= of->basis->n_function)
            return hf_fail(error, HF_BAD_INPUT,
                           "there is no orbital %s: the basis has %d functions", one.name,
                           of->basis->n_function);
        HF_CHECK(append(quantity, &one, error));
    }
    return HF_OK;
}

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct cubes *self = quantity->self;
    const char *position = hf_options_text(quantity->of->options, "cube");
    self->arena.label = "a list of cube files";
    while (*position != '\0') {
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
            HF_CHECK(append_orbital(quantity, &cube, error));
        else
            HF_CHECK(append(quantity, &cube, error));
    }
    if (self->n == 0) return hf_fail(error, HF_BAD_INPUT, "an empty list");
    return hf_grid_around(quantity->of->molecule, self->spacing, self->margin, &self->grid, error);
}

static void done(struct hf_quantity *quantity)
{
    struct cubes *self = quantity->self;
    hf_arena_done(&self->arena);
}

static const char *path_of(const struct hf_quantity *quantity, int i)
{
    const struct cubes *self = quantity->self;
    return i < self->n ? self->cube[i].path : NULL;
}

enum {
    PLANES_ELEMENTS = 1 << 20,
    PER_LINE = 6, /**< values of a line of the file */
    VALUE_SIZE = 15,
};

/** What is in a file; equal on every rank. */
struct account {
    double integral; /**< sum of the values times the volume of a point */
    double least, most;
    double seconds; /**< wall time */
};

static void write_head(struct hf_output_file *file, const char *name,
                       const struct hf_molecule *molecule, const struct hf_grid *grid)
{
    hf_output_file_print(file, " %.150s\n atomic units, z fastest\n", name);
    hf_output_file_print(file, "%5d %14.8f %14.8f %14.8f\n", molecule->n_atom, grid->origin[0],
                         grid->origin[1], grid->origin[2]);
    for (int d = 0; d < 3; d++)
        hf_output_file_print(file, "%5d %14.8f %14.8f %14.8f\n", grid->n[d],
                             d == 0 ? grid->spacing : 0.0, d == 1 ? grid->spacing : 0.0,
                             d == 2 ? grid->spacing : 0.0);
    for (int a = 0; a < molecule->n_atom; a++) {
        const struct hf_atom *atom = &molecule->atom[a];
        hf_output_file_print(file, "%5d %14.8f %14.8f %14.8f %14.8f\n", atom->atomic_number,
                             hf_molecule_nuclear_charge(molecule, a), atom->position_bohr[0],
                             atom->position_bohr[1], atom->position_bohr[2]);
    }
}

/** A line along z, in lines of the file; numbers that would have three digits of exponent are zero. */
static void write_line(struct hf_output_file *file, int n, const double value[])
{
    char text[PER_LINE * VALUE_SIZE + 2];
    for (int first = 0; first < n; first += PER_LINE) {
        int length = 0;
        for (int k = first; k < n && k < first + PER_LINE; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, " %13.5e",
                               fabs(value[k]) < 1e-99 ? 0.0 : value[k]);
        text[length++] = '\n';
        (void)hf_output_file_write(file, (size_t)length, text);
    }
}

static void count(struct account *account, size_t n, const double value[])
{
    for (size_t i = 0; i < n; i++) {
        account->integral += value[i];
        account->least = fmin(account->least, value[i]);
        account->most = fmax(account->most, value[i]);
    }
}

/** All planes to the file, some at a time. Collective. */
static hf_status write_planes(struct hf_context *context, struct hf_output_file *file,
                              struct hf_spatial *spatial, const struct hf_grid *grid,
                              struct account *account, struct hf_error *error)
{
    const size_t area = (size_t)grid->n[1] * (size_t)grid->n[2];
    const int at_once = area < PLANES_ELEMENTS ? (int)(PLANES_ELEMENTS / area) : 1;
    const int room = at_once < grid->n[0] ? at_once : grid->n[0];
    struct hf_arena arena = {.memory = context->memory, .label = "planes of a grid"};
    double *value = HF_TAKE_UNSET(&arena, value, (size_t)room * area);
    hf_status status = hf_arena_check(&arena, error);
    if (area > INT_MAX)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for planes of a grid");
    HF_TRY(hf_agree(context->comm, status, error));
    for (int first = 0; first < grid->n[0]; first += room) {
        const int n = grid->n[0] - first < room ? grid->n[0] - first : room;
        HF_TRY(hf_spatial_planes(spatial, grid, first, n, value, error));
        if (context->rank != 0) continue;
        count(account, (size_t)n * area, value);
        for (int line = 0; line < n * grid->n[1]; line++)
            write_line(file, grid->n[2], value + (size_t)line * (size_t)grid->n[2]);
    }
cleanup:
    hf_arena_done(&arena);
    return status;
}

/** Writes a function; `name` stands in the first comment. Collective. */
static hf_status write_function(const struct hf_quantity_source *of,
                                const struct hf_wavefunction *shown, const char *path,
                                const char *name, const struct hf_spatial_function *function,
                                const struct hf_grid *grid, struct account *account,
                                struct hf_error *error)
{
    hf_status status;
    const double started = hf_wall_seconds();
    struct hf_context *context = of->context;
    struct hf_spatial *spatial = NULL;
    struct hf_output_file file;
    *account = (struct account){.least = INFINITY, .most = -INFINITY};
    HF_TRY(hf_output_file_open(context, path, "the cube file", &file, error));
    write_head(&file, name, of->molecule, grid);
    HF_TRY(hf_spatial_create(context, shown, function, &spatial, error));
    HF_TRY(write_planes(context, &file, spatial, grid, account, error));
cleanup:
    status = hf_output_file_close(context, &file, status, error);
    hf_spatial_destroy(&spatial);
    account->integral *= grid->spacing * grid->spacing * grid->spacing;
    account->seconds = hf_wall_seconds() - started;
    if (status == HF_OK) hf_broadcast_bytes(context->comm, 0, sizeof *account, account);
    return status;
}

/** The grid, the range of the values, and of densities the integral. */
static void print_cube(struct hf_report *report, const struct cube *cube, bool relaxed,
                       const struct hf_grid *grid, const struct account *account)
{
    FILE *out = report->stream;
    const enum hf_spatial_kind kind = cube->function.kind;
    if (out == NULL) return;
    hf_report_erase_progress(report);
    fprintf(out, "\nCube file %s%s\n", cube->path,
            relaxed ? ", from the relaxed density of MP2" : "");
    fprintf(out, "  %-23s%d x %d x %d, %g bohr apart\n", "Points", grid->n[0], grid->n[1],
            grid->n[2], grid->spacing);
    fprintf(out, "  %-23s%.5e to %.5e\n", "Values", account->least, account->most);
    if (kind == HF_SPATIAL_DENSITY || kind == HF_SPATIAL_SPIN_DENSITY)
        fprintf(out, "  %-23s%.6f electrons\n", "Integral", account->integral);
    fprintf(out, "  %-23s%.1f\n", "Seconds", account->seconds);
    hf_report_flush(report);
}

/** One file. Collective. */
static hf_status write_cube(const struct hf_quantity_source *of,
                            const struct hf_wavefunction *shown, const struct hf_grid *grid,
                            const struct cube *cube, struct hf_error *error)
{
    struct account account;
    struct hf_spatial_function function = cube->function;
    const struct hf_molecule *molecule = of->molecule;
    const bool relaxed = of->relaxed != NULL && function.kind != HF_SPATIAL_ORBITAL;
    char name[200];
    if (function.kind == HF_SPATIAL_ORBITAL) {
        const int n_orbital = shown->spin[function.spin].n_orbital;
        function.orbital = orbital_of(molecule, cube);
        if (function.orbital < 0 || function.orbital >= n_orbital) {
            hf_report_warning(of->report, "%.80s is not written: there is no such orbital among %d",
                              cube->path, n_orbital);
            return HF_OK;
        }
    }
    snprintf(name, sizeof name, "%s%.40s of %.100s", relaxed ? "relaxed MP2 " : "", cube->name,
             molecule->title != NULL ? molecule->title : "the molecule");
    hf_report_begin(of->report, "Cube file");
    if (relaxed) shown = of->relaxed;
    HF_CHECK(write_function(of, shown, cube->path, name, &function, grid, &account, error));
    print_cube(of->report, cube, relaxed, grid, &account);
    const double lacking = hf_molecule_n_electron(molecule) - account.integral;
    if (function.kind == HF_SPATIAL_DENSITY && fabs(lacking) > MOST_LACKING)
        hf_report_warning(
            of->report,
            "%.4f electrons are outside the box of %.80s; include them with a larger --cube-margin",
            lacking, cube->path);
    return HF_OK;
}

/** All of them, one after the other. */
static hf_status write_cubes(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct cubes *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    struct hf_wavefunction shown = {0};
    hf_status status;
    const struct hf_wavefunction *base = of->transition != NULL ? of->transition : of->wavefunction;
    HF_TRY(hf_localised_show(of->context, of->localised, base, &shown, error));
    for (int i = 0; i < self->n; i++)
        HF_TRY(write_cube(of, &shown, &self->grid, &self->cube[i], error));
cleanup:
    hf_localised_show_done(&shown, base);
    return status;
}

#define OF_CUBES .not_kept = true, .only_with = {{"cube", NULL}}
const struct hf_option hf_options_cubes[] = {
    HF_ROW_TEXT(
        "cube", "LIST", "write cube files, for example of density,esp,homo", .everyday = true,
        .more = "LIST has commas between its words: density, spin (alpha minus beta), esp "
                "(electrostatic potential), homo, lumo, and numbers of orbitals. Each is written "
                "to INPUT.WHAT.cube, beside the JSON file or in the working folder.",
        .not_kept = true, HF_ALONE),
    HF_ROW_REAL("cube_spacing", "0.2", "bohr", 0.001, 10, "distance between points of cube files",
                .member = HF_MEMBER(struct cubes, spacing), OF_CUBES),
    HF_ROW_REAL("cube_margin", "7", "bohr", 0, 1000, "space around the atoms in cube files",
                .member = HF_MEMBER(struct cubes, margin), OF_CUBES),
    {0}};

const struct hf_quantity_ops hf_quantity_cubes = {
    .name = "cube files",
    .options = hf_options_cubes,
    .option = "cube",
    .needs = HF_WAVEFUNCTION_DENSITIES,
    .size = sizeof(struct cubes),
    .file = "a cube file",
    .plan = plan,
    .path = path_of,
    .write = write_cubes,
    .done = done,
};
