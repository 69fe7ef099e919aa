/* Shells of molecules: layout, normalisation, choices, and errors that are the same on all ranks.
 */
#include "../mpi_test.h"

#include "hf/basis.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static struct hf_atom water_atoms[] = {
    {.atomic_number = 8, .position_bohr = {0.0, 0.0, 0.22166487}},
    {.atomic_number = 1, .position_bohr = {0.0, 1.43090062, -0.8866595}},
    {.atomic_number = 1, .position_bohr = {0.0, -1.43090062, -0.8866595}},
};
static const struct hf_molecule water = {.n_atom = 3, .atom = water_atoms, .multiplicity = 1};

static struct hf_basis *make(struct hf_context *context, const struct hf_molecule *molecule,
                             int n_choice, const struct hf_basis_choice choice[],
                             enum hf_convention convention)
{
    struct hf_basis *basis = NULL;
    error = (struct hf_error){.message = ""};
    const hf_status status =
        hf_basis_create(context, molecule, n_choice, choice, convention, &basis, &error);
    assert_string_equal(error.message, "");
    assert_ok(status);
    return basis;
}

static struct hf_basis *make_named(struct hf_context *context, const struct hf_molecule *molecule,
                                   const char *name, enum hf_convention convention)
{
    const struct hf_basis_choice choice = {.atom = -1, .name = name};
    return make(context, molecule, 1, &choice, convention);
}

/** The failure must have this status and contain this text on every rank. */
static void expect_failure(const struct hf_molecule *molecule, int n_choice,
                           const struct hf_basis_choice choice[], hf_status expected,
                           const char *text)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = NULL;
    error = (struct hf_error){.message = ""};
    assert_int_equal(hf_basis_create(context, molecule, n_choice, choice, HF_CONVENTION_AS_DEFINED,
                                     &basis, &error),
                     expected);
    assert_null(basis);
    char first[sizeof error.message];
    memcpy(first, error.message, sizeof first);
    MPI_Bcast(first, (int)sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(error.message, first);
    if (strstr(error.message, text) == NULL) assert_string_equal(error.message, text);
}

/** The same with a file written for it; `%s` in the text stands for its path. */
static void expect_file_failure(const char *content, hf_status expected, const char *text)
{
    char path[64], message[600];
    int rank, n_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_rank);
    snprintf(path, sizeof path, "./test_basis.%d.gbs", n_rank);
    if (rank == 0) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(content, file);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(message, sizeof message, "--basis: %s%s", path, text);
    const struct hf_basis_choice choice = {.atom = -1, .name = path, .where = "--basis"};
    expect_failure(&water, 1, &choice, expected, message);
    if (rank == 0) unlink(path);
}

static double self_overlap(const struct hf_shell *shell)
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int i = 0; i < shell->n_primitive; i++)
        for (int j = 0; j < shell->n_primitive; j++) {
            const double p = shell->exponent[i] + shell->exponent[j];
            sum += shell->coefficient[i] * shell->coefficient[j] * tgamma(shell->l + 0.5) /
                   pow(p, shell->l + 0.5) * pi / p;
        }
    return sum;
}

TEST(shells_stand_in_order_and_are_normalised)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_named(context, &water, "cc-pvtz", HF_CONVENTION_AS_DEFINED);
    assert_string_equal(basis->name, "cc-pVTZ");
    assert_int_equal(basis->n_atom, 3);
    assert_int_equal(basis->n_function, 58);
    assert_int_equal(basis->max_l, 3);
    assert_int_equal(basis->first_shell_of_atom[0], 0);
    assert_int_equal(basis->first_shell_of_atom[3], basis->n_shell);
    int n_function = 0, n_primitive = 0, max_primitive = 0;
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        assert_int_equal(shell->first_function, n_function);
        assert_true(i >= basis->first_shell_of_atom[shell->atom]);
        assert_true(i < basis->first_shell_of_atom[shell->atom + 1]);
        assert_int_equal(shell->spherical, shell->l >= 2);
        assert_int_equal(shell->n_function, 2 * shell->l + 1);
        for (int k = 0; k < 3; k++)
            assert_true(shell->centre_bohr[k] == water_atoms[shell->atom].position_bohr[k]);
        assert_true(fabs(self_overlap(shell) - 1.0) < 1e-13);
        n_function += shell->n_function;
        n_primitive += shell->n_primitive;
        if (shell->n_primitive > max_primitive) max_primitive = shell->n_primitive;
    }
    assert_int_equal(n_function, basis->n_function);
    assert_int_equal(n_primitive, basis->n_primitive);
    assert_int_equal(max_primitive, basis->max_primitive);
    hf_basis_destroy(&basis);
    assert_null(basis);
    hf_basis_destroy(&basis);
}

TEST(literature_is_that_of_the_elements_present)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_named(context, &water, "cc-pVDZ", HF_CONVENTION_AS_DEFINED);
    assert_string_equal(basis->citation, "cc-pVDZ: T. H. Dunning, J. Chem. Phys. 90, 1007 (1989), "
                                         "doi:10.1063/1.456153");
    hf_basis_destroy(&basis);
}

/** Shells and functions of an atom: "[3s2p1d] 14". */
static const char *summarise(const struct hf_basis *basis, int atom, char summary[64])
{
    int count[HF_MAX_L + 1] = {0}, length = sprintf(summary, "[");
    for (int i = basis->first_shell_of_atom[atom]; i < basis->first_shell_of_atom[atom + 1]; i++)
        count[basis->shell[i].l]++;
    for (int l = 0; l <= HF_MAX_L; l++)
        if (count[l] > 0) length += sprintf(summary + length, "%d%c", count[l], "spdfgh"[l]);
    sprintf(summary + length, "] %d", hf_atom_n_function(basis, atom));
    return summary;
}

TEST(the_convention_follows_the_set_or_the_caller)
{
    TEST_CONTEXT(context);
    static const struct {
        const char *name, *convention_name;
        enum hf_convention convention;
        int n_function;
    } expected[] = {
        {"cc-pVDZ", "spherical", HF_CONVENTION_AS_DEFINED, 24},
        {"cc-pVDZ", "Cartesian", HF_CONVENTION_CARTESIAN, 25},
        {"cc-pVTZ", "Cartesian", HF_CONVENTION_CARTESIAN, 65},
        {"6-31G*", "Cartesian", HF_CONVENTION_AS_DEFINED, 19},
        {"6-31G*", "spherical", HF_CONVENTION_SPHERICAL, 18},
        {"6-311G*", "spherical", HF_CONVENTION_AS_DEFINED, 24},
        {"STO-3G", "no functions above p", HF_CONVENTION_CARTESIAN, 7},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct hf_basis *basis =
            make_named(context, &water, expected[i].name, expected[i].convention);
        assert_int_equal(basis->n_function, expected[i].n_function);
        assert_string_equal(hf_basis_convention_name(basis), expected[i].convention_name);
        hf_basis_destroy(&basis);
    }
}

TEST(iron_in_6_31g_star_has_cartesian_d_and_spherical_f_functions)
{
    TEST_CONTEXT(context);
    struct hf_atom iron = {.atomic_number = 26};
    const struct hf_molecule molecule = {.n_atom = 1, .atom = &iron, .multiplicity = 5};
    struct hf_basis *basis = make_named(context, &molecule, "6-31G*", HF_CONVENTION_AS_DEFINED);
    char summary[64];
    assert_string_equal(summarise(basis, 0, summary), "[5s4p2d1f] 36");
    assert_string_equal(hf_basis_convention_name(basis), "mixed Cartesian and spherical");
    hf_basis_destroy(&basis);
}

TEST(the_most_special_choice_wins_and_the_later_of_equals)
{
    TEST_CONTEXT(context);
    const struct hf_basis_choice choice[] = {
        {.atom = 2, .name = "cc-pVTZ"},
        {.atom = -1, .atomic_number = 1, .name = "6-31G"},
        {.atom = -1, .atomic_number = 1, .name = "cc-pVDZ"},
        {.atom = -1, .name = "6-311G**"},
        {.atom = -1, .name = "STO-3G"},
    };
    struct hf_basis *basis = make(context, &water, 5, choice, HF_CONVENTION_AS_DEFINED);
    static const char *const summary[] = {"[2s1p] 5", "[2s1p] 5", "[3s2p1d] 14"};
    for (int atom = 0; atom < 3; atom++) {
        char found[64];
        assert_string_equal(summarise(basis, atom, found), summary[atom]);
    }
    assert_string_equal(basis->name, "mixed");
    hf_basis_destroy(&basis);
}

TEST(one_set_in_two_spellings_is_not_mixed)
{
    TEST_CONTEXT(context);
    const struct hf_basis_choice choice[] = {{.atom = -1, .name = "6-31G*"},
                                             {.atom = 0, .name = "6-31g(d)"}};
    struct hf_basis *basis = make(context, &water, 2, choice, HF_CONVENTION_AS_DEFINED);
    assert_string_equal(basis->name, "6-31G*");
    hf_basis_destroy(&basis);
}

TEST(ghosts_carry_the_functions_of_their_element)
{
    TEST_CONTEXT(context);
    struct hf_atom atoms[2] = {water_atoms[0], water_atoms[1]};
    atoms[0].ghost = true;
    const struct hf_molecule molecule = {.n_atom = 2, .atom = atoms, .multiplicity = 2};
    struct hf_basis *basis = make_named(context, &molecule, "cc-pVDZ", HF_CONVENTION_AS_DEFINED);
    assert_int_equal(basis->n_function, 19);
    hf_basis_destroy(&basis);
}

TEST(a_wrong_choice_is_the_same_error_on_all_ranks)
{
    const struct hf_basis_choice unknown = {
        .atom = -1, .name = "cc-pvdzz", .where = "x.mol, line 4"};
    expect_failure(
        &water, 1, &unknown, HF_BAD_INPUT,
        "x.mol, line 4: unknown basis set \"cc-pvdzz\"; the nearest are cc-pVDZ, cc-pV(5+d)Z, "
        "cc-pV(D+d)Z, cc-pV(Q+d)Z, cc-pV(T+d)Z; hf --list-basis shows all");
    const struct hf_basis_choice absent_file = {.atom = -1, .name = "./no-such.gbs"};
    expect_failure(&water, 1, &absent_file, HF_BAD_INPUT, "./no-such.gbs");
    const struct hf_basis_choice none = {.atom = -1};
    expect_failure(&water, 1, &none, HF_BAD_INPUT, "the name of the basis set is missing");
    const struct hf_basis_choice only_oxygen = {.atom = -1, .atomic_number = 8, .name = "STO-3G"};
    expect_failure(&water, 1, &only_oxygen, HF_BAD_INPUT, "no basis set is chosen for atom 2 (H)");
    const struct hf_basis_choice beyond = {.atom = 3, .name = "STO-3G", .where = "--basis"};
    expect_failure(&water, 1, &beyond, HF_BAD_INPUT,
                   "--basis: a basis set is chosen for atom 4, but the molecule has 3 atoms");
    const struct hf_basis_choice element = {.atom = -1, .atomic_number = 200, .name = "STO-3G"};
    expect_failure(&water, 1, &element, HF_BAD_INPUT,
                   "a basis set is chosen for the unknown element 200");
    expect_failure(&water, 0, NULL, HF_BAD_INPUT, "no basis set is chosen for atom 1 (O)");
}

TEST(an_element_that_a_set_lacks_is_told_with_the_sets_that_have_it)
{
    struct hf_atom iodine = {.atomic_number = 53}, uranium = {.atomic_number = 92};
    struct hf_atom cerium = {.atomic_number = 58};
    const struct hf_molecule with_cerium = {.n_atom = 1, .atom = &cerium, .multiplicity = 1};
    const struct hf_molecule with_iodine = {.n_atom = 1, .atom = &iodine, .multiplicity = 2};
    const struct hf_molecule with_uranium = {.n_atom = 1, .atom = &uranium, .multiplicity = 1};
    const struct hf_basis_choice potential = {.atom = -1, .name = "def2svp", .where = "--basis"};
    const struct hf_basis_choice absent = {.atom = -1, .name = "cc-pvdz"};
    expect_failure(&with_cerium, 1, &potential, HF_BAD_INPUT,
                   "--basis: the basis set def2-SVP needs an effective core potential for Ce (28 "
                   "core electrons), which ");
    expect_failure(&with_cerium, 1, &potential, HF_BAD_INPUT,
                   "def2-svp.gbs lacks; sets that have Ce: none of the library");
    expect_failure(
        &with_iodine, 1, &absent, HF_BAD_INPUT,
        "has no functions for I; sets that have I: 3-21G, 6-311G*, 6-311G**, def2-QZVP, ");
    expect_failure(&with_uranium, 1, &absent, HF_BAD_INPUT,
                   "has no functions for U; sets that have U: none of the library");
}

/** Real atoms have the potentials and cores of their set, ghosts do not. */
TEST(cores_follow_from_the_basis)
{
    TEST_CONTEXT(context);
    struct hf_atom atom[] = {{.atomic_number = 1},
                             {.atomic_number = 53, .position_bohr = {0.0, 0.0, 3.0}},
                             {.atomic_number = 53, .ghost = true, .position_bohr = {0.0, 9.0, 0.0}},
                             {.atomic_number = 79, .position_bohr = {0.0, 0.0, 9.0}}};
    struct hf_molecule molecule = {.n_atom = 4, .atom = atom, .charge = -1, .multiplicity = 1};
    assert_int_equal(hf_molecule_n_electron(&molecule), 1 + 53 + 79 + 1);
    struct hf_basis *basis = make_named(context, &molecule, "def2-SVP", HF_CONVENTION_AS_DEFINED);
    assert_int_equal(basis->n_core_potential, 2);
    assert_int_equal(basis->core_potential[0].atom, 1);
    assert_int_equal(basis->core_potential[1].atom, 3);
    assert_int_equal(basis->core_potential[1].n_core, 60);
    assert_ptr_equal(hf_atom_core_potential(basis, 3), &basis->core_potential[1]);
    assert_null(hf_atom_core_potential(basis, 2));
    hf_basis_set_cores(basis, &molecule);
    assert_int_equal(hf_molecule_n_core(&molecule), 88);
    assert_int_equal(hf_molecule_n_electron(&molecule), 1 + 25 + 19 + 1);
    assert_true(hf_molecule_nuclear_charge(&molecule, 1) == 25.0);
    assert_true(hf_molecule_nuclear_charge(&molecule, 2) == 0.0);
    assert_int_equal(atom[2].n_core, 0);
    assert_true(fabs(hf_molecule_nuclear_repulsion(&molecule) -
                     (25.0 / 3.0 + 19.0 / 9.0 + 25.0 * 19.0 / 6.0)) < 1e-12);
    const struct hf_core_potential mistake[] = {
        {.atom = 2, .n_core = 28},
        {.atom = 4, .n_core = 28},
        {.atom = 1, .n_core = 27},
        {.atom = 1, .n_core = 54},
        {.atom = 1, .n_core = 28, .max_l = HF_MAX_L + 1},
        {.atom = 1, .n_core = 28, .n_term = 1, .term = &(struct hf_core_term){.l = 1}}};
    for (size_t i = 0; i < sizeof mistake / sizeof mistake[0]; i++)
        assert_int_equal(hf_basis_set_core_potentials(&molecule, 1, &mistake[i], basis, &error),
                         HF_BAD_INPUT);
    assert_int_equal(basis->n_core_potential, 2); /* as it was */
    hf_basis_destroy(&basis);
}

TEST(mistakes_in_files_are_the_same_error_on_all_ranks)
{
    expect_file_failure("H 0\nS 2 1.0\n1.0 1.0\n****\n", HF_BAD_INPUT,
                        ", line 2: the shell has 1 of the 2 primitives announced");
    expect_file_failure("O H 0\nS 2 1.0\n1.0 1.0\n1.0 -1.0\n****\n", HF_BAD_INPUT,
                        ", line 2: the s shell of O cannot be normalised");
    expect_file_failure("O H 0\nS 1 1.0\n1.0 1.0\nI 1 1.0\n1.0 1.0\n****\n", HF_NO_RESOURCE,
                        ", line 4: the basis set test_basis");
    expect_file_failure("", HF_BAD_INPUT, "");
}

TEST(high_angular_momentum_matters_only_where_it_is_used)
{
    TEST_CONTEXT(context);
    char path[64];
    snprintf(path, sizeof path, "./test_basis_high.%d.gbs", context->n_rank);
    if (context->rank == 0) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("O H 0\nS 1 1.0\n1.0 1.0\n****\nXe 0\nL=7 1 1.0\n1.0 1.0\n****\n", file);
        fclose(file);
    }
    MPI_Barrier(context->comm);
    struct hf_basis *basis = make_named(context, &water, path, HF_CONVENTION_AS_DEFINED);
    assert_int_equal(basis->n_function, 3);
    assert_null(basis->citation);
    hf_basis_destroy(&basis);
    struct hf_atom xenon = {.atomic_number = 54};
    const struct hf_molecule molecule = {.n_atom = 1, .atom = &xenon, .multiplicity = 1};
    const struct hf_basis_choice choice = {.atom = -1, .name = path};
    expect_failure(&molecule, 1, &choice, HF_NO_RESOURCE,
                   "has a shell of angular momentum 7 (k) for Xe; the integral library goes up to "
                   "5 (h)");
    if (context->rank == 0) unlink(path);
}

MPI_TEST_MAIN
