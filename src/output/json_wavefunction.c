/* The wave function of a QCSchema AtomicResult: basis, orbitals, energies, occupations, densities.
 *
 * As QCElemental's models read it: matrices are flat and row-major, orbitals [nao][nmo]; functions
 * are in the order of the CCA standard, which is ours (struct hf_shell): Cartesian xx xy xz yy yz
 * zz with <xx|xx> = 1 and the other products scaled alike, spherical m = -l ... l. Quantities "_a"
 * are those of alpha electrons; a restricted wave function has no others.
 * Source   QCElemental, WavefunctionProperties and BasisSet, version 1; Kenny et al., J. Comput.
 *          Chem. 29, 562 (2008). */
#include "base/arena.h"
#include "hf/linalg.h"
#include "output/output.h"
#include "scf/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** Longest number as hf_json_print_double prints it, and a comma. */
enum { NUMBER_SIZE = 25 };

/** Order of the largest matrices: about 0.8 GB of text, of which rank 0 holds three copies while it writes
 *  them. */
enum { MOST_FUNCTIONS = 4000 };

/** Matrices as JSON arrays, by spin; on rank 0, NULL elsewhere. */
struct matrices {
    char *orbitals[HF_MAX_SPIN], *density[HF_MAX_SPIN];
    struct hf_arena arena; /**< has the texts */
};

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    const int n = quantity->of->basis->n_function;
    if (n <= MOST_FUNCTIONS) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%d basis functions are too many; a JSON file holds matrices of up to %d", n,
                   MOST_FUNCTIONS);
}

/** The text of a matrix while it is printed, on rank 0. */
struct matrix_text {
    char *at;
    int n_col;
};

/** Appends rows of numbers, each preceded by a comma except the very first. */
static hf_status print_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct matrix_text *text = data;
    const size_t count = (size_t)n * (size_t)text->n_col;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 || first > 0) *text->at++ = ',';
        text->at += isfinite(rows[i]) ? hf_json_print_double(rows[i], NUMBER_SIZE, text->at)
                                      : snprintf(text->at, NUMBER_SIZE, "null");
    }
    return HF_OK;
}

/** *text on rank 0 = "[...]", the matrix row by row; NULL elsewhere. Collective. */
static hf_status print_matrix(struct hf_context *context, const struct hf_matrix *matrix,
                              struct hf_arena *arena, char **text, struct hf_error *error)
{
    const int n_row = hf_matrix_n_row(matrix), n_col = hf_matrix_n_col(matrix);
    const size_t size = (size_t)n_row * (size_t)n_col * NUMBER_SIZE + sizeof "[]";
    *text = context->rank == 0 ? hf_arena_take(arena, size, 1) : NULL;
    HF_CHECK(hf_agree(context->comm, hf_arena_check(arena, error), error));
    struct matrix_text print = {.at = *text, .n_col = n_col};
    if (print.at != NULL) *print.at++ = '[';
    HF_CHECK(hf_matrix_send_rows(matrix, print_rows, &print, error));
    if (print.at != NULL) *print.at = ']'; /* the rest is zeros */
    return HF_OK;
}

/** Density of a spin, (D + M) / 2 or (D - M) / 2, as text. */
static hf_status print_density(struct hf_context *context,
                               const struct hf_wavefunction *wavefunction, int spin,
                               struct hf_arena *arena, char **text, struct hf_error *error)
{
    hf_status status;
    const int n = hf_matrix_n_row(wavefunction->density);
    struct hf_matrix *density = NULL;
    HF_TRY(hf_matrix_create(wavefunction->linalg, "density of a spin", n, n, &density, error));
    hf_matrix_add(0.5, wavefunction->density, 0.0, density);
    if (wavefunction->spin_density != NULL)
        hf_matrix_add(spin == 0 ? 0.5 : -0.5, wavefunction->spin_density, 1.0, density);
    HF_TRY(print_matrix(context, density, arena, text, error));
cleanup:
    hf_matrix_destroy(&density);
    return status;
}

/** Gathers orbitals and densities to rank 0, strip by strip, as text of about 25 bytes per number. */
static hf_status collect(struct hf_quantity *quantity, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct matrices *self = quantity->self;
    struct hf_context *context = quantity->of->context;
    const struct hf_wavefunction *wavefunction = quantity->of->wavefunction;
    self->arena =
        (struct hf_arena){.memory = context->memory, .label = "JSON text of the wave function"};
    hf_timer_start(&context->timers, &hf_phase_output);
    for (int k = 0; k < wavefunction->n_spin; k++)
        HF_TRY(print_matrix(context, wavefunction->spin[k].coefficient, &self->arena,
                            &self->orbitals[k], error));
    for (int s = 0; s < (wavefunction->spin_density != NULL ? 2 : 1); s++)
        HF_TRY(print_density(context, wavefunction, s, &self->arena, &self->density[s], error));
cleanup:
    hf_timer_stop(&context->timers, &hf_phase_output);
    return status;
}

static void done(struct hf_quantity *quantity)
{
    struct matrices *self = quantity->self;
    hf_arena_done(&self->arena);
}

/** [l] */
static void put_momentum(struct hf_json to, int l)
{
    HF_APPEND(hf_json_array(to, "angular_momentum", NULL, ""), l);
}

/** One contraction, for normalised primitives. */
static void put_shell(struct hf_json to, const struct hf_shell *shell)
{
    const char *type = shell->spherical ? "spherical" : "cartesian";
    put_momentum(to, shell->l);
    HF_ADD(to, "harmonic_type", type);
    HF_PUT_ALL(to, "exponents", shell->n_primitive, shell->exponent, NULL, "");
    const struct hf_json all = hf_json_array(to, "coefficients", NULL, "");
    const struct hf_json contraction = hf_json_add(all, NULL, cJSON_CreateArray());
    for (int i = 0; i < shell->n_primitive; i++)
        HF_APPEND(contraction,
                  shell->coefficient[i] / hf_primitive_norm(shell->l, shell->exponent[i]));
}

/** The terms of one l of a core potential, powers of r as published: r^(n-2). */
static void put_potential(struct hf_json to, const struct hf_core_potential *potential, int l)
{
    enum { PUBLISHED = 2 };
    put_momentum(to, l);
    const struct hf_json powers = hf_json_array(to, "r_exponents", NULL, "");
    const struct hf_json exponents = hf_json_array(to, "gaussian_exponents", NULL, "");
    const struct hf_json all = hf_json_array(to, "coefficients", NULL, "");
    const struct hf_json coefficients = hf_json_add(all, NULL, cJSON_CreateArray());
    HF_ADD(to, "ecp_type", "scalar");
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        if (term->l != l) continue;
        HF_APPEND(powers, term->power + PUBLISHED);
        HF_APPEND(exponents, term->exponent);
        HF_APPEND(coefficients, term->coefficient);
    }
}

/** The core of an atom, if it has one: the local part first. */
static void put_core(struct hf_json centre, const struct hf_core_potential *potential)
{
    if (potential == NULL) return;
    const struct hf_json list = hf_json_array(centre, "ecp_potentials", NULL, "");
    HF_ADD(centre, "ecp_electrons", potential->n_core);
    put_potential(hf_json_row(list), potential, potential->max_l);
    for (int l = 0; l < potential->max_l; l++) put_potential(hf_json_row(list), potential, l);
}

/** Every atom is a centre of its own, "O1" the first if it is an oxygen. */
static void put_basis(struct hf_json to, const struct hf_basis *basis,
                      const struct hf_molecule *molecule)
{
    const struct hf_json centres = hf_json_object(to, "center_data", "");
    const struct hf_json map = hf_json_array(to, "atom_map", NULL, "");
    HF_ADD(to, "schema_name", "qcschema_basis");
    HF_ADD(to, "schema_version", 1);
    HF_ADD(to, "name", basis->name);
    HF_ADD(to, "description",
           "matrices row-major, functions in the order of the CCA: Cartesian xx "
           "xy xz yy yz zz with <xx|xx> = 1, <xy|xy> = 1/3; spherical m = -l ... "
           "l; coefficients of normalised primitives");
    HF_ADD(to, "nbf", basis->n_function);
    for (int a = 0; a < molecule->n_atom; a++) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", hf_element_symbol(molecule->atom[a].atomic_number),
                 a + 1);
        const struct hf_json centre = hf_json_object(centres, name, "");
        const struct hf_json shells = hf_json_array(centre, "electron_shells", NULL, "");
        HF_APPEND(map, (const char *)name);
        for (int s = basis->first_shell_of_atom[a]; s < basis->first_shell_of_atom[a + 1]; s++)
            put_shell(hf_json_row(shells), &basis->shell[s]);
        put_core(centre, hf_atom_core_potential(basis, a));
    }
}

/** "scf_<what>_a" or "_b", and "<what>_a" that says that this is the result. */
static void put_name(struct hf_json to, const char *what, int spin, size_t size, char name[])
{
    snprintf(name, size, "scf_%s_%c", what, spin == 0 ? 'a' : 'b');
    HF_ADD(to, name + strlen("scf_"), (const char *)name);
}

/** Electrons of one spin in an orbital: what both have there is alpha's before it is beta's, as in
 *  open shells that share orbitals. */
static double occupation_of(const struct hf_wavefunction *wavefunction, int spin, double occupation)
{
    if (wavefunction->n_spin == 2) return occupation;
    if (wavefunction->spin_density == NULL) return 0.5 * occupation;
    const double alpha = fmin(occupation, 1.0);
    return spin == 0 ? alpha : occupation - alpha;
}

static void put_orbitals(struct hf_json to, const struct hf_wavefunction *wavefunction, int spin,
                         const struct matrices *matrices)
{
    const int set = wavefunction->n_spin == 2 ? spin : 0;
    const struct hf_orbitals *orbitals = &wavefunction->spin[set];
    char name[40];
    put_name(to, "orbitals", spin, sizeof name, name);
    hf_json_add(to, name, cJSON_CreateRaw(matrices->orbitals[set]));
    put_name(to, "density", spin, sizeof name, name);
    hf_json_add(to, name, cJSON_CreateRaw(matrices->density[spin]));
    put_name(to, "eigenvalues", spin, sizeof name, name);
    HF_PUT_ALL(to, name, orbitals->n_orbital, orbitals->energy, "hartree", "");
    put_name(to, "occupations", spin, sizeof name, name);
    const struct hf_json occupations = hf_json_array(to, name, NULL, "");
    for (int i = 0; i < orbitals->n_orbital; i++)
        HF_APPEND(occupations, occupation_of(wavefunction, spin, orbitals->occupation[i]));
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct hf_wavefunction *wavefunction = quantity->of->wavefunction;
    const struct hf_json to = hf_json_object(
        all->result, "wavefunction", "with `--json-orbitals` ([more](guide.md#the-json-file))");
    if (wavefunction == NULL) return; /* a page */
    const bool restricted = wavefunction->spin_density == NULL;
    put_basis(hf_json_object(to, "basis", ""), wavefunction->basis, wavefunction->molecule);
    HF_ADD(to, "restricted", restricted);
    for (int k = 0; k < (restricted ? 1 : 2); k++)
        put_orbitals(to, wavefunction, k, quantity->self);
}

const struct hf_option hf_options_orbitals[] = {
    HF_ROW_FLAG("json_orbitals", "also write orbitals and density to the JSON file",
                .more = "They are two matrices as text (key wavefunction), which rank 0 holds as a "
                        "whole. Up to 4000 basis functions.",
                .not_kept = true, .only_with = {{"json", NULL}}),
    {0}};

const struct hf_quantity_ops hf_quantity_orbitals = {
    .name = "orbitals",
    .options = hf_options_orbitals,
    .option = "json_orbitals",
    .needs = HF_WAVEFUNCTION_ALL,
    .size = sizeof(struct matrices),
    .plan = plan,
    .compute = collect,
    .json = put_json,
    .done = done,
};
