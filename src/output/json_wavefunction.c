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
    hf_status status;
    const int n_row = hf_matrix_n_row(matrix), n_col = hf_matrix_n_col(matrix);
    const size_t size = (size_t)n_row * (size_t)n_col * NUMBER_SIZE + sizeof "[]";
    *text = context->rank == 0 ? hf_arena_take(arena, size, 1) : NULL;
    HF_TRY(hf_agree(context->comm, hf_arena_check(arena, error), error));
    struct matrix_text print = {.at = *text, .n_col = n_col};
    if (print.at != NULL) *print.at++ = '[';
    HF_TRY(hf_matrix_send_rows(matrix, print_rows, &print, error));
    if (print.at != NULL) *print.at = ']'; /* the rest is zeros */
cleanup:
    return status;
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

/** One contraction, for normalised primitives. */
static bool add_shell(cJSON *shells, const struct hf_shell *shell)
{
    cJSON *object = hf_json_append_object(shells);
    cJSON *momenta = cJSON_AddArrayToObject(object, "angular_momentum");
    bool ok =
        object != NULL && momenta != NULL && hf_json_append_double(momenta, shell->l) &&
        hf_json_add_text(object, "harmonic_type", shell->spherical ? "spherical" : "cartesian") &&
        hf_json_add_doubles(object, "exponents", shell->n_primitive, shell->exponent);
    cJSON *contractions = cJSON_AddArrayToObject(object, "coefficients");
    cJSON *contraction = cJSON_CreateArray();
    ok = ok && contractions != NULL && contraction != NULL &&
         cJSON_AddItemToArray(contractions, contraction);
    for (int i = 0; ok && i < shell->n_primitive; i++)
        ok = hf_json_append_double(
            contraction, shell->coefficient[i] / hf_primitive_norm(shell->l, shell->exponent[i]));
    return ok;
}

/** The terms of one l of a core potential, powers of r as published: r^(n-2). */
static bool add_potential(cJSON *list, const struct hf_core_potential *potential, int l)
{
    enum { PUBLISHED = 2 };
    cJSON *object = hf_json_append_object(list);
    cJSON *momenta = cJSON_AddArrayToObject(object, "angular_momentum");
    cJSON *powers = cJSON_AddArrayToObject(object, "r_exponents");
    cJSON *exponents = cJSON_AddArrayToObject(object, "gaussian_exponents");
    cJSON *contractions = cJSON_AddArrayToObject(object, "coefficients");
    cJSON *coefficients = cJSON_CreateArray();
    bool ok = hf_json_add_text(object, "ecp_type", "scalar") && momenta != NULL && powers != NULL &&
              exponents != NULL && cJSON_AddItemToArray(contractions, coefficients) &&
              hf_json_append_double(momenta, l);
    for (int k = 0; ok && k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        if (term->l != l) continue;
        ok = hf_json_append_double(powers, term->power + PUBLISHED) &&
             hf_json_append_double(exponents, term->exponent) &&
             hf_json_append_double(coefficients, term->coefficient);
    }
    return ok;
}

/** The core of an atom, if it has one: the local part first. */
static bool add_core(cJSON *centre, const struct hf_core_potential *potential)
{
    if (potential == NULL) return true;
    cJSON *list = cJSON_AddArrayToObject(centre, "ecp_potentials");
    bool ok = list != NULL && hf_json_add_integer(centre, "ecp_electrons", potential->n_core) &&
              add_potential(list, potential, potential->max_l);
    for (int l = 0; ok && l < potential->max_l; l++) ok = add_potential(list, potential, l);
    return ok;
}

/** Every atom is a centre of its own, "O1" the first if it is an oxygen. */
static bool add_basis(cJSON *object, const struct hf_basis *basis,
                      const struct hf_molecule *molecule)
{
    cJSON *centres = cJSON_AddObjectToObject(object, "center_data");
    cJSON *map = cJSON_AddArrayToObject(object, "atom_map");
    bool ok =
        object != NULL && hf_json_add_text(object, "schema_name", "qcschema_basis") &&
        hf_json_add_integer(object, "schema_version", 1) &&
        hf_json_add_text(object, "name", basis->name) &&
        hf_json_add_text(object, "description",
                         "matrices row-major, functions in the order of the CCA: Cartesian xx "
                         "xy xz yy yz zz with <xx|xx> = 1, <xy|xy> = 1/3; spherical m = -l ... "
                         "l; coefficients of normalised primitives") &&
        hf_json_add_integer(object, "nbf", basis->n_function) && centres != NULL && map != NULL;
    for (int a = 0; ok && a < molecule->n_atom; a++) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", hf_element_symbol(molecule->atom[a].atomic_number),
                 a + 1);
        cJSON *centre = cJSON_AddObjectToObject(centres, name);
        cJSON *shells = cJSON_AddArrayToObject(centre, "electron_shells");
        ok = shells != NULL && hf_json_append_text(map, name);
        for (int s = basis->first_shell_of_atom[a]; ok && s < basis->first_shell_of_atom[a + 1];
             s++)
            ok = add_shell(shells, &basis->shell[s]);
        ok = ok && add_core(centre, hf_atom_core_potential(basis, a));
    }
    return ok;
}

/** "scf_<what>_a" or "_b", and "<what>_a" that says that this is the result. */
static bool add_name(cJSON *object, const char *what, int spin, size_t size, char name[])
{
    snprintf(name, size, "scf_%s_%c", what, spin == 0 ? 'a' : 'b');
    return hf_json_add_text(object, name + strlen("scf_"), name);
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

static bool add_orbitals(cJSON *object, const struct hf_wavefunction *wavefunction, int spin,
                         const struct matrices *matrices)
{
    const int set = wavefunction->n_spin == 2 ? spin : 0;
    const struct hf_orbitals *orbitals = &wavefunction->spin[set];
    char name[40];
    cJSON *occupations = cJSON_CreateArray();
    bool ok = add_name(object, "orbitals", spin, sizeof name, name) &&
              cJSON_AddRawToObject(object, name, matrices->orbitals[set]) != NULL &&
              add_name(object, "density", spin, sizeof name, name) &&
              cJSON_AddRawToObject(object, name, matrices->density[spin]) != NULL &&
              add_name(object, "eigenvalues", spin, sizeof name, name) &&
              hf_json_add_doubles(object, name, orbitals->n_orbital, orbitals->energy) &&
              add_name(object, "occupations", spin, sizeof name, name);
    for (int i = 0; ok && i < orbitals->n_orbital; i++)
        ok = hf_json_append_double(occupations,
                                   occupation_of(wavefunction, spin, orbitals->occupation[i]));
    return cJSON_AddItemToObject(object, name, occupations) && ok;
}

static bool add_wavefunction(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    const struct hf_wavefunction *wavefunction = quantity->of->wavefunction;
    cJSON *object = cJSON_AddObjectToObject(to->result, "wavefunction");
    bool ok =
        object != NULL &&
        add_basis(cJSON_AddObjectToObject(object, "basis"), wavefunction->basis,
                  wavefunction->molecule) &&
        cJSON_AddBoolToObject(object, "restricted", wavefunction->spin_density == NULL) != NULL;
    for (int k = 0; ok && k < (wavefunction->spin_density != NULL ? 2 : 1); k++)
        ok = add_orbitals(object, wavefunction, k, quantity->self);
    return ok;
}

const struct hf_quantity_ops hf_quantity_orbitals = {
    .name = "orbitals",
    .option = "json_orbitals",
    .needs = HF_WAVEFUNCTION_ALL,
    .size = sizeof(struct matrices),
    .plan = plan,
    .compute = collect,
    .json = add_wavefunction,
    .done = done,
};
