/* Polarisability of the solution: what an electric field makes of the dipole moment. Also at frequencies, real or
 * imaginary, the coefficient C6 of two such molecules, and the static first hyperpolarisability.
 *
 * A field of strength l along an axis adds l r to the Fock matrices of electrons, so that the energy of its order l^2
 * is -l^2 g H^-1 g, g the gradient that r gives: alpha_ij = -d2E / dl_i dl_j = 2 g_i H^-1 g_j.
 *
 *     C6 = 3/pi integral of alpha(i w)^2 over w from 0, alpha a third of the trace (Casimir, Polder)
 *
 * The integral is a sum over Gauss-Legendre points t in (-1, 1), w = w0 (1 + t) / (1 - t). */
#include "base/arithmetic.h"
#include "linalg/new_matrix.h"
#include "properties_private.h"
#include "response/subspace.h"

#include <math.h>
#include <string.h>

/** Most frequencies that are given; points of the integral, and w0 in hartree. */
enum { MOST_FREQUENCIES = 32, N_POINT = 12 };
static const double MIDDLE_FREQUENCY = 0.3;

struct polarisability {
    struct hf_polarisability found; /**< first: hf_run_result has a pointer to it */
    bool disperses, third;          /**< C6, the hyperpolarisability are requested */
    int n_frequency;
    struct hf_frequency frequency[MOST_FREQUENCIES];
    struct hf_frequency point[N_POINT];
    double c6, beta[27];
};

/** Residuals of the equations, relative to the perturbation. Errors of polarisabilities are of second order in them: some
 *  eight digits are right. Those of the hyperpolarisability are of first order. */
static const double ACCURACY = 1e-4, THIRD_ACCURACY = 1e-7;

/** Reads a list of frequencies; those that end in i are imaginary. */
static hf_status read_frequencies(struct polarisability *self, const char *list,
                                  struct hf_error *error)
{
    for (const char *at = list; *at != '\0';) {
        const size_t length = strcspn(at, ", \t");
        const bool imaginary = length > 0 && at[length - 1] == 'i';
        struct hf_frequency one = {.imaginary = imaginary};
        const struct hf_word number = {at, (int)length - imaginary};
        if (length > 0 &&
            (hf_word_real(number, &one.omega) != HF_NUMBER_OK || !(one.omega >= 0.0) ||
             one.omega > 1000.0 || self->n_frequency == MOST_FREQUENCIES))
            return hf_fail(
                error, HF_BAD_INPUT,
                "frequencies '%.100s'; expected at most %d from 0 to 1000 hartree with commas "
                "between them, imaginary ones as 0.1i",
                list, MOST_FREQUENCIES);
        if (length > 0) self->frequency[self->n_frequency++] = one;
        at += length;
        at += strspn(at, ", \t");
    }
    return HF_OK;
}

static hf_status polarisability_plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct polarisability *self = quantity->self;
    const struct hf_options *options = quantity->of->options;
    const char *list = hf_options_text(options, "frequencies");
    if (quantity->of->settings->smearing > 0.0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of fractional occupation have no response here; expected smearing 0");
    if ((list != NULL || self->disperses || self->third) &&
        strcmp(quantity->of->settings->method, "rohf") == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "with method rohf only the static polarisability is computed; expected no "
                       "frequencies, c6 or hyperpolarisability");
    quantity->imaginary = list != NULL || self->disperses;
    return list != NULL ? read_frequencies(self, list, error) : HF_OK;
}

double hf_subspace_bytes(const struct hf_quantity *quantity, int most)
{
    const struct hf_quantity_source *of = quantity->of;
    const int n_function = of->basis->n_function;
    const double occupied = 0.5 * hf_molecule_n_electron(of->molecule);
    const bool spread = hf_fock_is_distributed(of->settings->fock.builder);
    const double share = hf_linalg_largest_share(n_function, of->context->n_rank, spread);
    const int n_set = strcmp(of->settings->method, "uhf") == 0 ? 2 : 1;
    const double rotation = n_set * share * occupied * fmax(n_function - occupied, 0.0);
    return (double)sizeof(double) * most * (3.0 * rotation + 6.0 * most);
}

static double polarisability_memory(const struct hf_quantity *quantity)
{
    const struct polarisability *self = quantity->self;
    if (self->n_frequency == 0 && !self->disperses) return 0.0;
    return hf_subspace_bytes(quantity, HF_RESPONSE_MOST);
}

hf_status hf_dipole_perturbations(struct hf_orbital_hessian *hessian,
                                  struct hf_hamiltonian *hamiltonian, struct hf_matrix *matrix[3],
                                  struct hf_rotation field[3], struct hf_error *error)
{
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    hf_status status;
    const int n = hf_matrix_n_row(hessian->x);
    struct hf_matrix *one = NULL;
    for (int x = 0; x < 3; x++) {
        struct hf_matrix **of = matrix != NULL ? &matrix[x] : &one;
        if (*of == NULL)
            HF_TRY(
                hf_matrix_create(hessian->space.linalg, "one-electron integrals", n, n, of, error));
        HF_TRY(hf_rotation_create(&hessian->space, &field[x], error));
        HF_TRY(hf_operator_matrix(hamiltonian, along[x], *of, error));
        HF_TRY(hf_hessian_perturbation(hessian, *of, &field[x], error));
    }
cleanup:
    hf_matrix_destroy(&one);
    return status;
}

static double mean_of(const double t[9])
{
    return (t[0] + t[4] + t[8]) / 3.0;
}

/** Points and weights of Gauss and Legendre between -1 and 1. */
static const double gauss[N_POINT][2] = {
    {-0.9815606342467192, 0.0471753363865120}, {-0.9041172563704748, 0.1069393259953189},
    {-0.7699026741943047, 0.1600783285433461}, {-0.5873179542866175, 0.2031674267230656},
    {-0.3678314989981802, 0.2334925365383546}, {-0.1252334085114689, 0.2491470458134027},
    {0.1252334085114689, 0.2491470458134027},  {0.3678314989981802, 0.2334925365383546},
    {0.5873179542866175, 0.2031674267230656},  {0.7699026741943047, 0.1600783285433461},
    {0.9041172563704748, 0.1069393259953189},  {0.9815606342467192, 0.0471753363865120}};

/** Computes C6 of two molecules. Collective. */
static hf_status find_c6(struct polarisability *self, struct hf_orbital_hessian *hessian,
                         const struct hf_rotation field[3], struct hf_error *error)
{
    for (int i = 0; i < N_POINT; i++)
        self->point[i] = (struct hf_frequency){.omega = MIDDLE_FREQUENCY * (1.0 + gauss[i][0]) /
                                                        (1.0 - gauss[i][0]),
                                               .imaginary = true};
    HF_CHECK(hf_respond_at(hessian, 3, field, ACCURACY, N_POINT, self->point, error));
    self->c6 = 0.0;
    for (int i = 0; i < N_POINT; i++) {
        const double mean = mean_of(self->point[i].product) / (1.0 - gauss[i][0]);
        self->c6 += 6.0 / HF_PI * MIDDLE_FREQUENCY * gauss[i][1] * mean * mean;
    }
    return HF_OK;
}

static hf_status polarisability_respond(struct hf_quantity *quantity,
                                        struct hf_orbital_hessian *hessian,
                                        struct hf_hamiltonian *hamiltonian, struct hf_error *error)
{
    hf_status status;
    const int before = hessian->n_product;
    struct polarisability *self = quantity->self;
    struct hf_polarisability *found = &self->found;
    struct hf_rotation field[3] = {{{NULL}}}, solution[3] = {{{NULL}}};
    struct hf_matrix *matrix[3] = {NULL};
    struct hf_linear_response response;
    HF_TRY(
        hf_dipole_perturbations(hessian, hamiltonian, self->third ? matrix : NULL, field, error));
    for (int x = 0; x < 3 && self->third; x++)
        HF_TRY(hf_rotation_create(&hessian->space, &solution[x], error));
    HF_TRY(hf_respond(hessian, 3, field, self->third ? THIRD_ACCURACY : ACCURACY, &response,
                      self->third ? solution : NULL, error));
    found->converged = response.converged;
    found->lowest_eigenvalue = response.lowest;
    for (int x = 0; x < 9; x++)
        found->tensor[x] = response.product[x / 3][x % 3] + response.product[x % 3][x / 3];
    if (self->n_frequency > 0)
        HF_TRY(
            hf_respond_at(hessian, 3, field, ACCURACY, self->n_frequency, self->frequency, error));
    if (self->disperses) HF_TRY(find_c6(self, hessian, field, error));
    if (self->third) HF_TRY(hf_hessian_third(hessian, solution, matrix, self->beta, error));
    for (int x = 0; x < 27; x++) self->beta[x] = -self->beta[x];
    found->n_product = hessian->n_product - before;
cleanup:
    HF_DESTROY_MATRICES(&matrix[0], &matrix[1], &matrix[2]);
    for (int x = 0; x < 3; x++) hf_rotation_destroy(&solution[x]);
    for (int x = 0; x < 3; x++) hf_rotation_destroy(&field[x]);
    return status;
}

/** The root of half the sum of squares of differences, as Raman spectroscopy uses it. */
static double anisotropy_of(const double t[9])
{
    const double xy = t[0] - t[4], yz = t[4] - t[8], zx = t[8] - t[0];
    const double mixed = t[1] * t[1] + t[2] * t[2] + t[5] * t[5];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx + 6.0 * mixed));
}

static void print_tensor(FILE *out, const double tensor[9])
{
    fprintf(out, "  %1s %14s %14s %14s\n", "", "x", "y", "z");
    for (int x = 0; x < 3; x++) {
        fprintf(out, "  %c", "xyz"[x]);
        for (int y = 0; y < 3; y++)
            fprintf(out, " %14.6f", hf_without_noise(tensor[3 * x + y], 5e-7));
        fprintf(out, "\n");
    }
}

/** What only some runs have. */
static void print_more(const struct polarisability *self, FILE *out)
{
    bool converged = true;
    for (int i = 0; i < self->n_frequency; i++) {
        const struct hf_frequency *of = &self->frequency[i];
        fprintf(out, "\nPolarisability at %.6f%s hartree, bohr^3\n", of->omega,
                of->imaginary ? "i" : "");
        print_tensor(out, of->product);
        fprintf(out, "  Mean %.6f, anisotropy %.6f\n", mean_of(of->product),
                anisotropy_of(of->product));
        if (!of->converged)
            fprintf(out,
                    "  WARNING: an excitation is too close, or the response did not converge; not "
                    "all digits are right\n");
    }
    for (int i = 0; i < N_POINT && self->disperses; i++)
        converged = converged && self->point[i].converged;
    if (self->disperses)
        fprintf(out, "\nDispersion coefficient C6 of two such molecules: %.4f hartree bohr^6\n",
                self->c6);
    if (!converged) fprintf(out, "  WARNING: responses for C6 did not converge\n");
    if (self->third) {
        fprintf(out, "\nFirst hyperpolarisability (static), atomic units\n");
        for (int x = 0; x < 3; x++) {
            fprintf(out, " %c\n", "xyz"[x]);
            print_tensor(out, self->beta + 9 * x);
        }
    }
}

static void polarisability_report(const struct hf_quantity *quantity, FILE *out)
{
    const struct polarisability *self = quantity->self;
    const struct hf_polarisability *found = &self->found;
    fprintf(out, "\nPolarisability (static, Hartree-Fock), bohr^3\n");
    print_tensor(out, found->tensor);
    fprintf(out, "  Mean %.6f, anisotropy %.6f; %d products of the Hessian\n",
            mean_of(found->tensor), anisotropy_of(found->tensor), found->n_product);
    if (!found->converged)
        fprintf(out, "  WARNING: the response did not converge; not all digits are right\n");
    if (found->lowest_eigenvalue < 0.0)
        fprintf(out, "  WARNING: the solution is no minimum of the energy; see --stability\n");
    print_more(self, out);
}

/** Responses to frequencies, a row each. */
static void put_frequencies(const struct hf_json to, int n, const struct hf_frequency of[])
{
    for (int i = 0; i < HF_COUNT(to, n); i++) {
        const struct hf_json row = hf_json_row(to);
        HF_PUT(row, "omega", of[i].omega, "hartree", "angular frequency times hbar");
        HF_PUT(row, "imaginary", of[i].imaginary, NULL, "the frequency is i omega");
        HF_PUT_ALL(row, "tensor", 9, of[i].product, "bohr^3", "[3][3]");
        HF_PUT(row, "mean", mean_of(of[i].product), "bohr^3", "a third of the trace");
        HF_PUT(row, "converged", of[i].converged, NULL,
               "to about seven digits; false also if an excitation is close");
    }
}

static void polarisability_put_json(const struct hf_quantity *quantity,
                                    const struct hf_json_places *all)
{
    const struct polarisability *self = quantity->self;
    const struct hf_polarisability *found = &self->found;
    const struct hf_json to = hf_json_object(all->extras, "polarisability", "static, of the SCF");
    HF_PUT_ALL(to, "tensor", 9, found->tensor, "bohr^3", "[3][3]");
    HF_PUT(to, "mean", mean_of(found->tensor), "bohr^3", "a third of the trace");
    HF_PUT(to, "anisotropy", anisotropy_of(found->tensor), "bohr^3", "anisotropy of the tensor");
    HF_PUT(to, "converged", found->converged, NULL, "to about seven digits");
    HF_PUT(to, "hessian_products", found->n_product, NULL, "products of the Hessian");
    if (HF_ANY(to, self->n_frequency > 0))
        put_frequencies(hf_json_array(to, "frequencies", NULL, "`--frequencies`"),
                        self->n_frequency, self->frequency);
    if (HF_ANY(to, self->disperses)) {
        HF_PUT(to, "c6", self->c6, "hartree bohr^6", "`--c6`: C6 of two such molecules");
        put_frequencies(
            hf_json_array(to, "c6_points", NULL, "points of the integral, as frequencies"), N_POINT,
            self->point);
    }
    if (HF_ANY(to, self->third))
        HF_PUT_ALL(to, "hyperpolarisability", 27, self->beta, "bohr^5/e",
                   "`--hyperpolarisability`: [3][3][3], static");
}

#define IN_SELF_POLARISABILITY(NAME) .member = HF_MEMBER(struct polarisability, NAME)
#define OF_POLARISABILITY            .only_with = {{"polarisability", NULL}}
const struct hf_option hf_options_polarisability[] = {
    HF_ROW_FLAG("polarisability", "compute the static dipole polarisability",
                .more =
                    "By the coupled-perturbed equations of rhf, uhf or rohf, in some eight passes "
                    "over the integrals. With a correlated method it is that of its reference.",
                HF_NOT_SERVED),
    HF_ROW_TEXT("frequencies", "LIST", "also compute polarisabilities at these frequencies",
                .unit = "hartree", .more = "Commas between them; 0.1i is imaginary.",
                OF_POLARISABILITY),
    HF_ROW_FLAG("c6", "also compute the C6 coefficient of two such molecules", OF_POLARISABILITY,
                IN_SELF_POLARISABILITY(disperses)),
    HF_ROW_FLAG("hyperpolarisability", "also compute the static first hyperpolarisability",
                OF_POLARISABILITY, IN_SELF_POLARISABILITY(third)),
    {0}};

const struct hf_quantity_ops hf_quantity_polarisability = {
    .name = "polarisability",
    .options = hf_options_polarisability,
    .option = "polarisability",
    .of_converged = true,
    .needs = HF_WAVEFUNCTION_ENERGIES,
    .commutator_tolerance = 1e-7, /* its errors are of first order in that of the orbitals */
    .size = sizeof(struct polarisability),
    .plan = polarisability_plan,
    .memory = polarisability_memory,
    .respond = polarisability_respond,
    .report = polarisability_report,
    .json = polarisability_put_json,
};
