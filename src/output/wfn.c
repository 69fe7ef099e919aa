/* WFN and WFX files for programs that analyse densities: nuclei, primitive Gaussians, occupied orbitals (of MP2's relaxed
 * density its natural ones), energy and virial ratio. Primitives are Cartesian and not normalised,
 *
 *     x^i y^j z^k exp(-a r^2)
 *
 * so that spherical functions are expanded, and coefficients contain those of contractions. WFN has fixed columns and 8 or
 * 9 digits; WFX has sections with tags, free format and all digits.
 * Source   Biegler-Koenig, Bader, Tang, J. Comput. Chem. 3, 317 (1982); aim.tkgristmill.com/wfxformat.html */
#include "orbital_file.h"

#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"
#include "integrals/cartesian.h"
#include "integrals/solid_harmonics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** Types of monomials by their place in struct hf_shell. There is no pattern; h functions run backwards. */
static const signed char types[HF_MAX_L + 1][HF_MOST_CARTESIAN] = {
    {1},
    {2, 3, 4},
    {5, 8, 9, 6, 10, 7},                      /* xx xy xz yy yz zz */
    {11, 14, 15, 17, 20, 18, 12, 16, 19, 13}, /* xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz */
    {21, 24, 25, 30, 33, 31, 26, 34, 35, 28, 22, 27, 32, 29, 23}, /* xxxx xxxy xxxz xxyy ... */
    {56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36},
};

/** A file being written. */
struct wfn {
    struct hf_orbital_file base;
    bool extended; /**< WFX */
    int spin;      /**< set of orbitals that is being written */
    int n_written; /**< orbitals so far */
    double energy, kinetic;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    int n_on_line; /**< numbers on the line that is being written (WFN) */
};

/* A section of WFX, and one with a line for each i. */
#define SECTION(tag, format, ...)                                                                  \
    hf_output_file_print(file, "<" tag ">\n " format "\n</" tag ">\n", __VA_ARGS__)
#define LIST(tag, i, n, format, ...)                                                               \
    do {                                                                                           \
        hf_output_file_print(file, "<" tag ">\n");                                                 \
        for (int i = 0; i < (n); i++) hf_output_file_print(file, " " format "\n", __VA_ARGS__);    \
        hf_output_file_print(file, "</" tag ">\n");                                                \
    } while (0)
#define REAL "%24.16E"

/** A number in a list: a line of WFX; in WFN one of `most` on a line that begins with `head`. `digits` 0: an integer. */
static void put_number(struct wfn *self, const char *head, int most, int digits, double value)
{
    struct hf_output_file *file = &self->base.file;
    if (self->extended) {
        hf_output_file_print(file, digits > 0 ? " " REAL "\n" : " %.0f\n", value);
        return;
    }
    if (self->n_on_line == most) hf_output_file_print(file, "\n");
    self->n_on_line %= most;
    if (self->n_on_line++ == 0) hf_output_file_print(file, "%s", head);
    hf_output_file_print(file, digits > 0 ? "%*.*E" : "%*.*f", digits > 0 ? 2 * digits : 3, digits,
                         value);
}

static void end_list(struct wfn *self)
{
    if (self->n_on_line > 0) hf_output_file_print(&self->base.file, "\n");
    self->n_on_line = 0;
}

static int count_primitives(const struct hf_basis *basis)
{
    int n = 0;
    for (int s = 0; s < basis->n_shell; s++)
        n += basis->shell[s].n_primitive * hf_n_cartesian(basis->shell[s].l);
    return n;
}

/** Whether an orbital is in the file. Relaxed densities have small negative occupations, too. */
static bool is_occupied(const struct hf_orbitals *orbitals, int k)
{
    return fabs(orbitals->occupation[k]) > 1e-12;
}

/** Number of orbitals in the file, whose spins and numbers go to place [n][2] unless that is NULL. */
static int list_orbitals(const struct hf_wavefunction *shown, int (*place)[2])
{
    int n = 0;
    for (int spin = 0; spin < shown->n_spin; spin++)
        for (int k = 0; k < shown->spin[spin].n_orbital; k++) {
            if (!is_occupied(&shown->spin[spin], k)) continue;
            if (place != NULL) memcpy(place[n], (int[2]){spin, k}, sizeof *place);
            n++;
        }
    return n;
}

static void write_primitives(struct wfn *self)
{
    static const char *const tags[] = {"Primitive Centers", "Primitive Types",
                                       "Primitive Exponents"};
    static const char *const heads[] = {"CENTRE ASSIGNMENTS  ", "TYPE ASSIGNMENTS    ",
                                        "EXPONENTS "};
    const struct hf_basis *basis = self->base.shown.basis;
    for (int list = 0; list < 3; list++) {
        const bool real = list == 2;
        if (self->extended) hf_output_file_print(&self->base.file, "<%s>\n", tags[list]);
        for (int s = 0; s < basis->n_shell; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            for (int i = 0; i < hf_n_cartesian(shell->l); i++)
                for (int k = 0; k < shell->n_primitive; k++)
                    put_number(self, heads[list], real ? 5 : 20, real ? 7 : 0,
                               real        ? shell->exponent[k]
                               : list == 0 ? shell->atom + 1
                                           : types[shell->l][i]);
        }
        end_list(self);
        if (self->extended) hf_output_file_print(&self->base.file, "</%s>\n", tags[list]);
    }
}

/** An orbital in primitives; `row` has its coefficients. */
static void write_coefficients(struct wfn *self, const double row[])
{
    const struct hf_basis *basis = self->base.shown.basis;
    double monomial[HF_MOST_CARTESIAN];
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const double *own = row + shell->first_function;
        if (shell->spherical) {
            hf_solid_harmonics_to_monomials(&self->harmonics[shell->l], shell->l, own, monomial);
            own = monomial;
        }
        for (int i = 0; i < hf_n_cartesian(shell->l); i++)
            for (int k = 0; k < shell->n_primitive; k++)
                put_number(self, "", 5, 8, own[i] * shell->coefficient[k]);
    }
    end_list(self);
}

/** hf_matrix_rows_function */
static hf_status take_orbitals(void *data, int first, int n, double rows[], struct hf_error *error)
{
    struct wfn *self = data;
    const struct hf_orbitals *orbitals = &self->base.shown.spin[self->spin];
    struct hf_output_file *file = &self->base.file;
    (void)error;
    for (int k = first; k < first + n; k++) {
        if (!is_occupied(orbitals, k)) continue;
        self->n_written++;
        if (self->extended)
            SECTION("MO Number", "%d", self->n_written);
        else
            hf_output_file_print(file,
                                 "MO%5d     MO 0.0        OCC NO = %12.7f  ORB. ENERGY =%12.6f\n",
                                 self->n_written, orbitals->occupation[k], orbitals->energy[k]);
        write_coefficients(self, rows + (size_t)(k - first) * self->base.shown.basis->n_function);
    }
    return HF_OK; /* whether it was written is looked at when the file is ended */
}

static const char *name_spin(const struct hf_wavefunction *shown, int spin, int k)
{
    if (shown->n_spin > 1) return spin == 0 ? "Alpha" : "Beta";
    const bool single = shown->spin_density != NULL && shown->spin[0].occupation[k] == 1.0;
    return single ? "Alpha" : "Alpha and Beta";
}

/** Everything in front of the coefficients in a WFX file; place [n] has the orbitals. */
static void write_extended_head(struct wfn *self, int n, int (*place)[2])
{
    const struct hf_wavefunction *shown = &self->base.shown;
    const struct hf_molecule *molecule = shown->molecule;
    const struct hf_atom *atom = molecule->atom;
    const int n_atom = molecule->n_atom, n_electron = hf_molecule_n_electron(molecule);
    const int n_beta = (n_electron + 1 - molecule->multiplicity) / 2;
    struct hf_output_file *file = &self->base.file;
    SECTION("Title", "%.150s", molecule->title != NULL ? molecule->title : "");
    SECTION("Keywords", "%s", "GTO");
    SECTION("Number of Nuclei", "%d", n_atom);
    SECTION("Number of Occupied Molecular Orbitals", "%d", n);
    SECTION("Number of Perturbations", "%d", 0);
    SECTION("Net Charge", "%d", molecule->charge);
    SECTION("Number of Electrons", "%d", n_electron);
    SECTION("Number of Alpha Electrons", "%d", n_electron - n_beta);
    SECTION("Number of Beta Electrons", "%d", n_beta);
    SECTION("Electronic Spin Multiplicity", "%d", molecule->multiplicity);
    SECTION("Number of Core Electrons", "%d", hf_molecule_n_core(molecule));
    SECTION("Model", "%s", self->base.natural ? "MP2 relaxed density" : shown->method);
    LIST("Nuclear Names", i, n_atom, "%s%d", hf_element_symbol(atom[i].atomic_number), i + 1);
    LIST("Atomic Numbers", i, n_atom, "%d", atom[i].atomic_number);
    LIST("Nuclear Charges", i, n_atom, REAL, hf_molecule_nuclear_charge(molecule, i));
    LIST("Nuclear Cartesian Coordinates", i, n_atom, REAL REAL REAL, atom[i].position_bohr[0],
         atom[i].position_bohr[1], atom[i].position_bohr[2]);
    SECTION("Number of Primitives", "%d", count_primitives(shown->basis));
    write_primitives(self);
    LIST("Molecular Orbital Occupation Numbers", i, n, REAL,
         shown->spin[place[i][0]].occupation[place[i][1]]);
    LIST("Molecular Orbital Energies", i, n, REAL, shown->spin[place[i][0]].energy[place[i][1]]);
    LIST("Molecular Orbital Spin Types", i, n, "%s", name_spin(shown, place[i][0], place[i][1]));
    hf_output_file_print(file, "<Molecular Orbital Primitive Coefficients>\n");
}

/** A coordinate in 12 columns: as many of 8 digits as fit. */
static void print_coordinate(struct hf_output_file *file, double x)
{
    char text[64];
    snprintf(text, sizeof text, "%12.8f", x);
    hf_output_file_print(file, "%12.12s", text);
}

/** The same of a WFN file. */
static void write_fixed_head(struct wfn *self, int n)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    const struct hf_molecule *molecule = shown->molecule;
    struct hf_output_file *file = &self->base.file;
    hf_output_file_print(file, " %.78s\n", molecule->title != NULL ? molecule->title : "");
    hf_output_file_print(file, "GAUSSIAN        %7d MOL ORBITALS%7d PRIMITIVES%9d NUCLEI\n", n,
                         count_primitives(shown->basis), molecule->n_atom);
    for (int i = 0; i < molecule->n_atom; i++) {
        hf_output_file_print(file, "  %-2s%4d    (CENTRE%3d) ",
                             hf_element_symbol(molecule->atom[i].atomic_number), i + 1, i + 1);
        for (int d = 0; d < 3; d++) print_coordinate(file, molecule->atom[i].position_bohr[d]);
        hf_output_file_print(file, "  CHARGE =%5.1f\n", hf_molecule_nuclear_charge(molecule, i));
    }
    write_primitives(self);
}

static void write_end(struct wfn *self)
{
    const double virial = (self->kinetic - self->energy) / self->kinetic;
    struct hf_output_file *file = &self->base.file;
    if (!self->extended) {
        hf_output_file_print(file, "END DATA\n THE %3s ENERGY =%20.12f THE VIRIAL(-V/T)=%13.8f\n",
                             self->base.natural ? "MP2" : "HF", self->energy, virial);
        return;
    }
    hf_output_file_print(file, "</Molecular Orbital Primitive Coefficients>\n");
    SECTION("Energy = T + Vne + Vee + Vnn", REAL, self->energy);
    SECTION("Virial Ratio (-V/T)", REAL, virial);
}

/** <T> of the density. Collective. */
static hf_status compute_kinetic(struct wfn *self, struct hf_error *error)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    const int n = shown->basis->n_function;
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *matrix = NULL;
    hf_status status;
    HF_TRY(hf_hamiltonian_create(self->base.of->context, shown->linalg, shown->basis,
                                 shown->molecule, &hamiltonian, error));
    HF_TRY(hf_matrix_create(shown->linalg, "kinetic energy", n, n, &matrix, error));
    HF_TRY(hf_operator_matrix(hamiltonian, HF_KINETIC, matrix, error));
    hf_matrix_dot(shown->density, matrix, &self->kinetic);
cleanup:
    hf_matrix_destroy(&matrix);
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}

/** In the format that the option names. */
static hf_status write_wfn(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    struct wfn self = {.extended = strcmp(quantity->ops->option, "wfx") == 0};
    const struct hf_wavefunction *shown = &self.base.shown;
    struct hf_arena arena = {.label = "the orbitals of a file"};
    hf_status status;
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &self.harmonics[l]);
    HF_TRY(hf_orbital_file_open(quantity, &self.base, error));
    self.energy =
        self.base.natural ? of->energy : of->result->energy - of->result->smearing_entropy_term;
    HF_TRY(compute_kinetic(&self, error));
    const int n = list_orbitals(shown, NULL), n_core = hf_molecule_n_core(shown->molecule);
    int(*place)[2] = HF_TAKE(&arena, place, (size_t)n);
    HF_TRY(hf_agree(of->context->comm, hf_arena_check(&arena, error), error));
    (void)list_orbitals(shown, place);
    if (self.extended)
        write_extended_head(&self, n, place);
    else
        write_fixed_head(&self, n);
    for (; self.spin < shown->n_spin; self.spin++)
        HF_TRY(hf_orbital_file_send(&self.base, self.spin, take_orbitals, &self, error));
    write_end(&self);
    if (n_core > 0)
        hf_report_warning(of->report,
                          "%s has no density of the %d electrons in effective core potentials: "
                          "what is analysed from it are the other electrons",
                          quantity->ops->file, n_core);
cleanup:
    hf_arena_done(&arena);
    return hf_orbital_file_close(&self.base, status, error);
}

/** HF_BAD_INPUT: the columns are too narrow. */
static hf_status plan_wfn(struct hf_quantity *quantity, struct hf_error *error)
{
    const int most = 999;
    if (quantity->of->molecule->n_atom > most)
        return hf_fail(error, HF_BAD_INPUT,
                       "the format has room for %d atoms, there are %d; choose --wfx", most,
                       quantity->of->molecule->n_atom);
    return HF_OK;
}

const struct hf_option hf_options_wfn[] = {
    HF_ROW_TEXT("wfn", "FILE", "write occupied orbitals in primitives (WFN), to analyse densities",
                .not_kept = true, HF_ALONE),
    {0}};
const struct hf_option hf_options_wfx[] = {
    HF_ROW_TEXT("wfx", "FILE", "the same with all digits (WFX)", .not_kept = true, HF_ALONE), {0}};

const struct hf_quantity_ops hf_quantity_wfn = {
    .name = "WFN file",
    .options = hf_options_wfn,
    .option = "wfn",
    .needs = HF_WAVEFUNCTION_ALL,
    .file = "the WFN file",
    .plan = plan_wfn,
    .path = hf_orbital_file_path,
    .write = write_wfn,
};
const struct hf_quantity_ops hf_quantity_wfx = {
    .name = "WFX file",
    .options = hf_options_wfx,
    .option = "wfx",
    .needs = HF_WAVEFUNCTION_ALL,
    .file = "the WFX file",
    .path = hf_orbital_file_path,
    .write = write_wfn,
};
