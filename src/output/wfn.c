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
    double *monomial; /**< [largest shell] coefficients of a shell */
    int n_on_line;    /**< numbers on the line that is being written */
};

static void put_text_section(struct wfn *self, const char *tag, const char *text)
{
    hf_output_file_print(&self->base.file, "<%s>\n %s\n</%s>\n", tag, text, tag);
}

static void put_integer_section(struct wfn *self, const char *tag, int value)
{
    hf_output_file_print(&self->base.file, "<%s>\n %d\n</%s>\n", tag, value, tag);
}

static void put_real_section(struct wfn *self, const char *tag, double value)
{
    hf_output_file_print(&self->base.file, "<%s>\n %23.15E\n</%s>\n", tag, value, tag);
}

/** Begins a list: a tag, or for WFN what stands at the beginning of each line. */
static void begin_list(struct wfn *self, const char *tag)
{
    self->n_on_line = 0;
    if (self->extended) hf_output_file_print(&self->base.file, "<%s>\n", tag);
}

/** Makes room for a number: so many on a line, after `head` in WFN. */
static void make_place(struct wfn *self, const char *head, int n_of_line)
{
    if (self->n_on_line == n_of_line) hf_output_file_print(&self->base.file, "\n");
    self->n_on_line %= n_of_line;
    if (self->n_on_line++ == 0 && !self->extended)
        hf_output_file_print(&self->base.file, "%s", head);
}

static void end_list(struct wfn *self, const char *tag)
{
    if (self->n_on_line > 0) hf_output_file_print(&self->base.file, "\n");
    if (self->extended) hf_output_file_print(&self->base.file, "</%s>\n", tag);
}

static void put_integer(struct wfn *self, const char *head, int value)
{
    make_place(self, head, 20);
    hf_output_file_print(&self->base.file, self->extended ? " %d" : "%3d", value);
}

static void put_real(struct wfn *self, const char *head, int digits, double value)
{
    make_place(self, head, 5);
    hf_output_file_print(&self->base.file, "%*.*E", self->extended ? 24 : 2 * digits,
                         self->extended ? 16 : digits, value);
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

static int count_orbitals(const struct hf_wavefunction *shown)
{
    int n = 0;
    for (int spin = 0; spin < shown->n_spin; spin++)
        for (int k = 0; k < shown->spin[spin].n_orbital; k++)
            n += is_occupied(&shown->spin[spin], k);
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
        begin_list(self, tags[list]);
        for (int s = 0; s < basis->n_shell; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            for (int i = 0; i < hf_n_cartesian(shell->l); i++)
                for (int k = 0; k < shell->n_primitive; k++)
                    if (list == 2)
                        put_real(self, heads[list], 7, shell->exponent[k]);
                    else
                        put_integer(self, heads[list],
                                    list == 0 ? shell->atom + 1 : types[shell->l][i]);
        }
        end_list(self, tags[list]);
    }
}

/** An orbital in primitives; `row` has its coefficients. */
static void write_coefficients(struct wfn *self, const double row[])
{
    const struct hf_basis *basis = self->base.shown.basis;
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const double *monomial = row + shell->first_function;
        if (shell->spherical) {
            const struct hf_solid_harmonics *harmonics = &self->harmonics[shell->l];
            memset(self->monomial, 0, HF_MOST_CARTESIAN * sizeof *self->monomial);
            for (int m = 0; m < shell->n_function; m++)
                for (int k = 0; k < harmonics->n_term[m]; k++)
                    self->monomial[harmonics->column[m][k]] +=
                        harmonics->coefficient[m][k] * monomial[m];
            monomial = self->monomial;
        }
        for (int i = 0; i < hf_n_cartesian(shell->l); i++)
            for (int k = 0; k < shell->n_primitive; k++)
                put_real(self, "", 8, monomial[i] * shell->coefficient[k]);
    }
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
        self->n_on_line = 0;
        if (self->extended)
            put_integer_section(self, "MO Number", self->n_written);
        else
            hf_output_file_print(file,
                                 "MO%5d     MO 0.0        OCC NO = %12.7f  ORB. ENERGY =%12.6f\n",
                                 self->n_written, orbitals->occupation[k], orbitals->energy[k]);
        write_coefficients(self, rows + (size_t)(k - first) * self->base.shown.basis->n_function);
        hf_output_file_print(file, "\n");
    }
    return HF_OK; /* whether it was written is looked at when the file is ended */
}

static const char *spin_of(const struct hf_wavefunction *shown, int spin, int k)
{
    if (shown->n_spin > 1) return spin == 0 ? "Alpha" : "Beta";
    return shown->spin_density != NULL && shown->spin[0].occupation[k] == 1.0 ? "Alpha"
                                                                              : "Alpha and Beta";
}

/** Lists over the orbitals of a WFX file. */
static void write_orbital_lists(struct wfn *self)
{
    static const char *const tags[] = {"Molecular Orbital Occupation Numbers",
                                       "Molecular Orbital Energies",
                                       "Molecular Orbital Spin Types"};
    const struct hf_wavefunction *shown = &self->base.shown;
    for (int list = 0; list < 3; list++) {
        begin_list(self, tags[list]);
        for (int spin = 0; spin < shown->n_spin; spin++)
            for (int k = 0; k < shown->spin[spin].n_orbital; k++) {
                const struct hf_orbitals *orbitals = &shown->spin[spin];
                if (!is_occupied(orbitals, k)) continue;
                if (list == 2)
                    hf_output_file_print(&self->base.file, " %s\n", spin_of(shown, spin, k));
                else
                    put_real(self, "", 0,
                             list == 0 ? orbitals->occupation[k] : orbitals->energy[k]);
            }
        end_list(self, tags[list]);
    }
}

static void write_nuclei(struct wfn *self)
{
    static const char *const tags[] = {"Nuclear Names", "Atomic Numbers", "Nuclear Charges",
                                       "Nuclear Cartesian Coordinates"};
    const struct hf_molecule *molecule = self->base.shown.molecule;
    struct hf_output_file *file = &self->base.file;
    for (int list = 0; list < 4; list++) {
        hf_output_file_print(file, "<%s>\n", tags[list]);
        for (int i = 0; i < molecule->n_atom; i++) {
            const struct hf_atom *atom = &molecule->atom[i];
            const double *x = atom->position_bohr;
            if (list == 0)
                hf_output_file_print(file, " %s%d\n", hf_element_symbol(atom->atomic_number),
                                     i + 1);
            else if (list == 1)
                hf_output_file_print(file, " %d\n", atom->atomic_number);
            else if (list == 2)
                hf_output_file_print(file, " %23.15E\n", hf_molecule_nuclear_charge(molecule, i));
            else
                hf_output_file_print(file, " %23.15E %23.15E %23.15E\n", x[0], x[1], x[2]);
        }
        hf_output_file_print(file, "</%s>\n", tags[list]);
    }
}

static void write_extended_head(struct wfn *self)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    const struct hf_molecule *molecule = shown->molecule;
    const int n_electron = hf_molecule_n_electron(molecule);
    const int n_single = molecule->multiplicity - 1;
    char title[160];
    snprintf(title, sizeof title, "%.150s", molecule->title != NULL ? molecule->title : "");
    put_text_section(self, "Title", title);
    put_text_section(self, "Keywords", "GTO");
    put_integer_section(self, "Number of Nuclei", molecule->n_atom);
    put_integer_section(self, "Number of Occupied Molecular Orbitals", count_orbitals(shown));
    put_integer_section(self, "Number of Perturbations", 0);
    put_real_section(self, "Net Charge", molecule->charge);
    put_integer_section(self, "Number of Electrons", n_electron);
    put_integer_section(self, "Number of Alpha Electrons", (n_electron + n_single) / 2);
    put_integer_section(self, "Number of Beta Electrons", (n_electron - n_single) / 2);
    put_integer_section(self, "Electronic Spin Multiplicity", molecule->multiplicity);
    put_integer_section(self, "Number of Core Electrons", hf_molecule_n_core(molecule));
    put_text_section(self, "Model", self->base.natural ? "MP2 relaxed density" : shown->method);
    write_nuclei(self);
    put_integer_section(self, "Number of Primitives", count_primitives(shown->basis));
    write_primitives(self);
    write_orbital_lists(self);
    hf_output_file_print(&self->base.file, "<Molecular Orbital Primitive Coefficients>\n");
}

/** A coordinate in 12 columns: as many of 8 digits as fit. */
static void print_coordinate(struct hf_output_file *file, double x)
{
    char text[64];
    snprintf(text, sizeof text, "%12.8f", x);
    hf_output_file_print(file, "%12.12s", text);
}

static void write_fixed_head(struct wfn *self)
{
    const struct hf_wavefunction *shown = &self->base.shown;
    const struct hf_molecule *molecule = shown->molecule;
    struct hf_output_file *file = &self->base.file;
    hf_output_file_print(file, " %.78s\n", molecule->title != NULL ? molecule->title : "");
    hf_output_file_print(file, "GAUSSIAN        %7d MOL ORBITALS%7d PRIMITIVES%9d NUCLEI\n",
                         count_orbitals(shown), count_primitives(shown->basis), molecule->n_atom);
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
    if (!self->extended) {
        hf_output_file_print(&self->base.file,
                             "END DATA\n THE %3s ENERGY =%20.12f THE VIRIAL(-V/T)=%13.8f\n",
                             self->base.natural ? "MP2" : "HF", self->energy, virial);
        return;
    }
    hf_output_file_print(&self->base.file, "</Molecular Orbital Primitive Coefficients>\n");
    put_real_section(self, "Energy = T + Vne + Vee + Vnn", self->energy);
    put_real_section(self, "Virial Ratio (-V/T)", virial);
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

static hf_status write_file(struct hf_quantity *quantity, bool extended, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    double monomial[HF_MOST_CARTESIAN];
    struct wfn self = {.extended = extended, .monomial = monomial};
    hf_status status;
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &self.harmonics[l]);
    HF_TRY(hf_orbital_file_open(quantity, &self.base, error));
    self.energy =
        self.base.natural ? of->energy : of->result->energy - of->result->smearing_entropy_term;
    HF_TRY(compute_kinetic(&self, error));
    (extended ? write_extended_head : write_fixed_head)(&self);
    for (; self.spin < self.base.shown.n_spin; self.spin++)
        HF_TRY(hf_orbital_file_send(&self.base, self.spin, take_orbitals, &self, error));
    write_end(&self);
    if (hf_molecule_n_core(self.base.shown.molecule) > 0)
        hf_report_warning(of->report,
                          "%s has no density of the %d electrons in effective core potentials: "
                          "what is analysed from it are the other electrons",
                          quantity->ops->file, hf_molecule_n_core(self.base.shown.molecule));
cleanup:
    return hf_orbital_file_close(&self.base, status, error);
}

static hf_status write_wfn(struct hf_quantity *quantity, struct hf_error *error)
{
    return write_file(quantity, false, error);
}

static hf_status write_wfx(struct hf_quantity *quantity, struct hf_error *error)
{
    return write_file(quantity, true, error);
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
    .write = write_wfx,
};
