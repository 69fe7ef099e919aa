/* Molden files: geometry, basis and all orbitals of a wave function, the occupied ones localised if that was asked for, or
 * the natural ones of MP2's relaxed density; and normal modes if there are any. Coordinates are in bohr, contraction
 * coefficients are of normalised primitives, functions are in the order of the format and each of norm 1.
 * The format has no h functions: they follow its pattern, spherical 0, +1, -1 ... under [11H], Cartesian in
 * the order of struct hf_shell. While it is written there is a matrix like the coefficients, spread as they
 * are; rank 0 holds a few orbitals.
 * Source   www.theochem.ru.nl/molden/molden_format.html */
#include "output_private.h"

#include "base/arena.h"
#include "hf/linalg.h"
#include "localise/localise.h"
#include "scf/quantity.h"
#include "text/output_file.h"
#include "vibrations/vibrations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CARTESIAN = (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

static const char letters[HF_MAX_L + 1] = {'s', 'p', 'd', 'f', 'g', 'h'};

/** Cartesian functions in the order of the format, as places among those of struct hf_shell. */
static const signed char cartesian_order[HF_MAX_L + 1][MAX_CARTESIAN] = {
    {0},
    {0, 1, 2},
    {0, 3, 5, 1, 2, 4},             /* xx yy zz xy xz yz */
    {0, 6, 9, 3, 1, 2, 5, 8, 7, 4}, /* xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz */
    {0, 10, 14, 1, 2, 6, 11, 9, 13, 3, 5, 12, 4, 7, 8}, /* xxxx yyyy zzzz xxxy xxxz yyyx ... */
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
};

/** A file being written: how far, and in which order and of which norm its functions are. */
struct molden {
    struct hf_output_file file;
    const struct hf_wavefunction *wavefunction;
    bool natural;   /**< orbitals are those of the relaxed density of MP2 */
    int spin;       /**< set of orbitals that is being written */
    int *function;  /**< [n] of ours, in the order of the file */
    double *factor; /**< [n] to coefficients of functions of norm 1, in the order of the file */
    struct hf_arena arena;
};

/** 1: all shells of l are spherical; 0: none is; -1: there are none; -2: some are. */
static int kind_of(const struct hf_basis *basis, int l)
{
    int kind = -1;
    for (int s = 0; s < basis->n_shell; s++) {
        const int here = basis->shell[s].spherical;
        if (basis->shell[s].l != l) continue;
        if (kind >= 0 && kind != here) return -2;
        kind = here;
    }
    return kind;
}

/** HF_BAD_INPUT if the file cannot say which functions are spherical: it says that of all d shells, of all f
 *  shells, and so on. */
static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    for (int l = 2; l <= HF_MAX_L; l++)
        if (kind_of(quantity->of->basis, l) == -2)
            return hf_fail(error, HF_BAD_INPUT,
                           "some %c shells are spherical and some Cartesian, which the format "
                           "cannot describe; choose with --functions",
                           letters[l]);
    return HF_OK;
}

static const char *path_of(const struct hf_quantity *quantity, int i)
{
    return i == 0 ? hf_options_text(quantity->of->options, "molden") : NULL;
}

/** Norm of x^i y^j z^k where that of x^(i+j+k) is 1. */
static double norm_of(int l, int place)
{
    int power[3] = {l, 0, 0}, factorial[3] = {1, 1, 1}, whole = 1;
    for (int at = 0; at < place; at++) { /* x falling, then y falling */
        if (power[1] > 0) {
            power[1]--;
            power[2]++;
        } else {
            power[1] = l - --power[0];
            power[2] = 0;
        }
    }
    for (int d = 0; d < 3; d++)
        for (int n = 2 * power[d] - 1; n > 1; n -= 2) factorial[d] *= n;
    for (int n = 2 * l - 1; n > 1; n -= 2) whole *= n;
    return sqrt((double)(factorial[0] * factorial[1] * factorial[2]) / whole);
}

/** Local. */
static hf_status make_order(struct molden *self, struct hf_error *error)
{
    const struct hf_basis *basis = self->wavefunction->basis;
    HF_TAKE(&self->arena, self->function, (size_t)basis->n_function);
    HF_TAKE(&self->arena, self->factor, (size_t)basis->n_function);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        for (int i = 0; i < shell->n_function; i++) {
            const int m = (i + 1) / 2 * (i % 2 != 0 ? 1 : -1); /* 0, +1, -1, +2, ... */
            const int place = shell->spherical ? shell->l + m : cartesian_order[shell->l][i];
            self->function[shell->first_function + i] = shell->first_function + place;
            self->factor[shell->first_function + i] =
                shell->spherical ? 1.0 : norm_of(shell->l, place);
        }
    }
    return HF_OK;
}

static void write_atoms(struct molden *self)
{
    const struct hf_molecule *molecule = self->wavefunction->molecule;
    hf_output_file_print(&self->file, "[Atoms] AU\n");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        hf_output_file_print(&self->file, "%-2s %6d %4d %22.14f %22.14f %22.14f\n",
                             hf_element_symbol(atom->atomic_number), i + 1,
                             atom->ghost ? 0 : atom->atomic_number, atom->position_bohr[0],
                             atom->position_bohr[1], atom->position_bohr[2]);
    }
    if (hf_molecule_n_core(molecule) == 0) return;
    hf_output_file_print(&self->file, "[Core]\n");
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].n_core > 0)
            hf_output_file_print(&self->file, "%d : %d\n", i + 1, molecule->atom[i].n_core);
}

static void write_shells(struct molden *self)
{
    const struct hf_basis *basis = self->wavefunction->basis;
    hf_output_file_print(&self->file, "[GTO]\n");
    for (int a = 0; a < basis->n_atom; a++) {
        hf_output_file_print(&self->file, "%6d 0\n", a + 1);
        for (int s = basis->first_shell_of_atom[a]; s < basis->first_shell_of_atom[a + 1]; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            hf_output_file_print(&self->file, " %c %4d 1.00\n", letters[shell->l],
                                 shell->n_primitive);
            for (int i = 0; i < shell->n_primitive; i++)
                hf_output_file_print(&self->file, " %24.16e %24.16e\n", shell->exponent[i],
                                     shell->coefficient[i] /
                                         hf_primitive_norm(shell->l, shell->exponent[i]));
        }
        hf_output_file_print(&self->file, "\n");
    }
}

/** Which functions are spherical; the format takes for Cartesian what nothing is said of. */
static void write_kinds(struct molden *self)
{
    const struct hf_basis *basis = self->wavefunction->basis;
    const int d = kind_of(basis, 2), f = kind_of(basis, 3);
    if (d == 1 || (d == -1 && f == 1))
        hf_output_file_print(&self->file, f == 0 ? "[5D10F]\n" : "[5D7F]\n");
    else if (f == 1)
        hf_output_file_print(&self->file, "[7F]\n");
    if (kind_of(basis, 4) == 1) hf_output_file_print(&self->file, "[9G]\n");
    if (kind_of(basis, 5) == 1) hf_output_file_print(&self->file, "[11H]\n");
}

/** Everything in front of the orbitals. */
static void write_head(struct molden *self)
{
    const struct hf_wavefunction *wavefunction = self->wavefunction;
    char title[160] = "";
    if (wavefunction->molecule->title != NULL)
        snprintf(title, sizeof title, "%.150s", wavefunction->molecule->title);
    hf_output_file_print(&self->file, "[Molden Format]\n[Title]\n %s%s\n", title,
                         self->natural ? " (natural orbitals of the relaxed MP2 density)" : "");
    write_atoms(self);
    write_shells(self);
    write_kinds(self);
    hf_output_file_print(&self->file, "[MO]\n");
}

/** Orbitals first .. first+n-1 of a set, each a row. */
static hf_status write_orbitals(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct molden *self = data;
    const struct hf_orbitals *orbitals = &self->wavefunction->spin[self->spin];
    const int n_function = self->wavefunction->basis->n_function;
    (void)error;
    for (int k = first; k < first + n; k++) {
        const double *row = rows + (size_t)(k - first) * (size_t)n_function;
        hf_output_file_print(&self->file, " Sym= %da\n Ene= %.12f\n Spin= %s\n Occup= %.8f\n",
                             k + 1, orbitals->energy[k], self->spin == 0 ? "Alpha" : "Beta",
                             orbitals->occupation[k]);
        for (int i = 0; i < n_function; i++)
            hf_output_file_print(&self->file, "%6d %22.14e\n", i + 1,
                                 self->factor[i] * row[self->function[i]]);
    }
    return HF_OK; /* whether it was written is looked at when the file is ended */
}

/** The orbitals of a set. Collective. */
static hf_status send_orbitals(struct molden *self, int spin, struct hf_error *error)
{
    const struct hf_matrix *coefficient = self->wavefunction->spin[spin].coefficient;
    struct hf_matrix *rows = NULL;
    hf_status status;
    self->spin = spin;
    HF_TRY(hf_matrix_create(self->wavefunction->linalg, "orbitals as rows",
                            hf_matrix_n_col(coefficient), hf_matrix_n_row(coefficient), &rows,
                            error));
    hf_matrix_add_transposed(1.0, coefficient, 0.0, rows);
    HF_TRY(hf_matrix_send_rows(rows, write_orbitals, self, error));
cleanup:
    hf_matrix_destroy(&rows);
    return status;
}

/** Frequencies, imaginary ones as negative numbers, modes and intensities. */
static void write_vibrations(struct molden *self, const struct hf_vibrations *all)
{
    struct hf_output_file *file = &self->file;
    const struct hf_molecule *molecule = self->wavefunction->molecule;
    if (all == NULL) return;
    hf_output_file_print(file, "[FREQ]\n");
    for (int k = 0; k < all->n_mode; k++) hf_output_file_print(file, "%12.4f\n", all->frequency[k]);
    hf_output_file_print(file, "[FR-COORD]\n");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        hf_output_file_print(file, "%-2s %16.10f %16.10f %16.10f\n",
                             hf_element_symbol(atom->atomic_number), atom->position_bohr[0],
                             atom->position_bohr[1], atom->position_bohr[2]);
    }
    hf_output_file_print(file, "[FR-NORM-COORD]\n");
    for (int k = 0; k < all->n_mode; k++) {
        const double *mode = all->mode + (size_t)k * 3 * (size_t)molecule->n_atom;
        hf_output_file_print(file, "vibration %d\n", k + 1);
        for (int i = 0; i < molecule->n_atom; i++)
            hf_output_file_print(file, "%12.6f %12.6f %12.6f\n", mode[3 * i], mode[3 * i + 1],
                                 mode[3 * i + 2]);
    }
    hf_output_file_print(file, "[INT]\n");
    for (int k = 0; k < all->n_mode; k++) hf_output_file_print(file, "%12.4f\n", all->intensity[k]);
}

static hf_status write_molden(struct hf_quantity *quantity, struct hf_error *error)
{
    struct hf_wavefunction shown = {0};
    struct molden self = {.wavefunction = &shown, .arena = {.label = "the Molden file"}};
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_wavefunction *base = of->transition != NULL ? of->transition : of->wavefunction;
    hf_status status;
    self.natural = of->relaxed != NULL && of->localised == NULL;
    HF_TRY(self.natural ? hf_natural_show(of->context, of->relaxed, &shown, error)
                        : hf_localised_show(of->context, of->localised, base, &shown, error));
    HF_TRY(hf_agree(of->context->comm, make_order(&self, error), error));
    HF_TRY(hf_output_file_open(of->context, path_of(quantity, 0), quantity->ops->file, &self.file,
                               error));
    write_head(&self);
    for (int k = 0; k < self.wavefunction->n_spin; k++) HF_TRY(send_orbitals(&self, k, error));
    write_vibrations(&self, of->vibrations);
cleanup:
    status = hf_output_file_close(of->context, &self.file, status, error);
    hf_localised_show_done(&shown, base);
    hf_arena_done(&self.arena);
    return status;
}

const struct hf_option hf_options_molden[] = {
    HF_ROW_TEXT("molden", "FILE", "write geometry, basis and orbitals (Molden format)",
                .everyday = true, .not_kept = true, HF_ALONE),
    {0}};

const struct hf_quantity_ops hf_quantity_molden = {
    .name = "Molden file",
    .options = hf_options_molden,
    .option = "molden",
    .needs = HF_WAVEFUNCTION_ALL,
    .file = "the Molden file",
    .plan = plan,
    .path = path_of,
    .write = write_molden,
};
