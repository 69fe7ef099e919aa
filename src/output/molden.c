/* Molden files: geometry, basis and all orbitals of a wave function, the occupied ones localised if that was asked for, or
 * the natural ones of MP2's relaxed density; and normal modes if there are any. Coordinates are in bohr, contraction
 * coefficients are of normalised primitives, functions are in the order of the format and each of norm 1.
 * The format has no h functions: they follow its pattern, spherical 0, +1, -1 ... under [11H], Cartesian in
 * the order of struct hf_shell.
 * Source   www.theochem.ru.nl/molden/molden_format.html */
#include "orbital_file.h"

#include "vibrations/vibrations.h"

#include <stdio.h>

static const char letters[HF_MAX_L + 1] = {'s', 'p', 'd', 'f', 'g', 'h'};

/** Cartesian functions in the order of the format, as places among those of struct hf_shell. */
static const signed char cartesian_order[HF_MAX_L + 1][HF_MOST_CARTESIAN] = {
    {0},
    {0, 1, 2},
    {0, 3, 5, 1, 2, 4},             /* xx yy zz xy xz yz */
    {0, 6, 9, 3, 1, 2, 5, 8, 7, 4}, /* xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz */
    {0, 10, 14, 1, 2, 6, 11, 9, 13, 3, 5, 12, 4, 7, 8}, /* xxxx yyyy zzzz xxxy xxxz yyyx ... */
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
};

/** A file being written. */
struct molden {
    struct hf_orbital_file base;
    struct hf_function_order order;
    int spin; /**< set of orbitals that is being written */
};

/** HF_BAD_INPUT if the file cannot say which functions are spherical: it says that of all d shells, of all f
 *  shells, and so on. */
static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    for (int l = 2; l <= HF_MAX_L; l++)
        if (hf_shell_kind_of(quantity->of->basis, l) == HF_MIXED_SHELLS)
            return hf_fail(error, HF_BAD_INPUT,
                           "some %c shells are spherical and some Cartesian, which the format "
                           "cannot describe; choose with --functions",
                           letters[l]);
    return HF_OK;
}

static void write_atoms(struct molden *self)
{
    const struct hf_molecule *molecule = self->base.shown.molecule;
    hf_output_file_print(&self->base.file, "[Atoms] AU\n");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        hf_output_file_print(&self->base.file, "%-2s %6d %4d %22.14f %22.14f %22.14f\n",
                             hf_element_symbol(atom->atomic_number), i + 1,
                             atom->ghost ? 0 : atom->atomic_number, atom->position_bohr[0],
                             atom->position_bohr[1], atom->position_bohr[2]);
    }
    if (hf_molecule_n_core(molecule) == 0) return;
    hf_output_file_print(&self->base.file, "[Core]\n");
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].n_core > 0)
            hf_output_file_print(&self->base.file, "%d : %d\n", i + 1, molecule->atom[i].n_core);
}

static void write_shells(struct molden *self)
{
    const struct hf_basis *basis = self->base.shown.basis;
    hf_output_file_print(&self->base.file, "[GTO]\n");
    for (int a = 0; a < basis->n_atom; a++) {
        hf_output_file_print(&self->base.file, "%6d 0\n", a + 1);
        for (int s = basis->first_shell_of_atom[a]; s < basis->first_shell_of_atom[a + 1]; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            hf_output_file_print(&self->base.file, " %c %4d 1.00\n", letters[shell->l],
                                 shell->n_primitive);
            for (int i = 0; i < shell->n_primitive; i++)
                hf_output_file_print(&self->base.file, " %24.16e %24.16e\n", shell->exponent[i],
                                     shell->coefficient[i] /
                                         hf_primitive_norm(shell->l, shell->exponent[i]));
        }
        hf_output_file_print(&self->base.file, "\n");
    }
}

/** Which functions are spherical; the format takes for Cartesian what nothing is said of. */
static void write_kinds(struct molden *self)
{
    const struct hf_basis *basis = self->base.shown.basis;
    const enum hf_shell_kind d = hf_shell_kind_of(basis, 2), f = hf_shell_kind_of(basis, 3);
    const enum hf_shell_kind spherical = HF_SPHERICAL_SHELLS;
    if (d == spherical || (d == HF_NO_SHELLS && f == spherical))
        hf_output_file_print(&self->base.file, f == HF_CARTESIAN_SHELLS ? "[5D10F]\n" : "[5D7F]\n");
    else if (f == spherical)
        hf_output_file_print(&self->base.file, "[7F]\n");
    if (hf_shell_kind_of(basis, 4) == spherical) hf_output_file_print(&self->base.file, "[9G]\n");
    if (hf_shell_kind_of(basis, 5) == spherical) hf_output_file_print(&self->base.file, "[11H]\n");
}

/** Everything in front of the orbitals. */
static void write_head(struct molden *self)
{
    const struct hf_wavefunction *wavefunction = &self->base.shown;
    char title[160] = "";
    if (wavefunction->molecule->title != NULL)
        snprintf(title, sizeof title, "%.150s", wavefunction->molecule->title);
    hf_output_file_print(&self->base.file, "[Molden Format]\n[Title]\n %s%s\n", title,
                         self->base.natural ? " (natural orbitals of the relaxed MP2 density)"
                                            : "");
    write_atoms(self);
    write_shells(self);
    write_kinds(self);
    hf_output_file_print(&self->base.file, "[MO]\n");
}

/** Orbitals first .. first+n-1 of a set, each a row. */
static hf_status write_orbitals(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct molden *self = data;
    const struct hf_orbitals *orbitals = &self->base.shown.spin[self->spin];
    const int n_function = self->base.shown.basis->n_function;
    (void)error;
    for (int k = first; k < first + n; k++) {
        const double *row = rows + (size_t)(k - first) * (size_t)n_function;
        hf_output_file_print(&self->base.file, " Sym= %da\n Ene= %.12f\n Spin= %s\n Occup= %.8f\n",
                             k + 1, orbitals->energy[k], self->spin == 0 ? "Alpha" : "Beta",
                             orbitals->occupation[k]);
        for (int i = 0; i < n_function; i++)
            hf_output_file_print(&self->base.file, "%6d %22.14e\n", i + 1,
                                 self->order.factor[i] * row[self->order.function[i]]);
    }
    return HF_OK; /* whether it was written is looked at when the file is ended */
}

/** Frequencies, imaginary ones as negative numbers, modes and intensities. */
static void write_vibrations(struct molden *self, const struct hf_vibrations *all)
{
    struct hf_output_file *file = &self->base.file;
    const struct hf_molecule *molecule = self->base.shown.molecule;
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
    struct molden self = {.base.transitions = true};
    const struct hf_quantity_source *of = quantity->of;
    hf_status status;
    HF_TRY(hf_orbital_file_open(quantity, &self.base, error));
    status =
        hf_function_order_init(self.base.shown.basis, cartesian_order, false, &self.order, error);
    HF_TRY(hf_agree(of->context->comm, status, error));
    write_head(&self);
    for (; self.spin < self.base.shown.n_spin; self.spin++)
        HF_TRY(hf_orbital_file_send(&self.base, self.spin, write_orbitals, &self, error));
    write_vibrations(&self, of->vibrations);
cleanup:
    hf_arena_done(&self.order.arena);
    return hf_orbital_file_close(&self.base, status, error);
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
    .path = hf_orbital_file_path,
    .write = write_molden,
};
