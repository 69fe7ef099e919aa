/* The Gaussian-94 reader: what it accepts, and each of its messages. */

#include "../test.h"
#include "basis_private.h"

#include <math.h>

static hf_status parse(const char *string, struct hf_basis_set *set, struct hf_error *failure)
{
    struct hf_text text;
    assert_ok(hf_text_from_string("dir/mine.gbs", string, &text, failure));
    const hf_status status = hf_basis_set_parse(&text, set, failure);
    hf_text_done(&text);
    return status;
}

static void expect_set(const char *string, struct hf_basis_set *set)
{
    error = (struct hf_error){.message = ""};
    const hf_status status = parse(string, set, &error);
    assert_string_equal(error.message, "");
    assert_ok(status);
}

static void expect_message(const char *string, const char *message)
{
    struct hf_basis_set set;
    error = (struct hf_error){.message = ""};
    assert_int_equal(parse(string, &set, &error), HF_BAD_INPUT);
    assert_string_equal(error.message, message);
    assert_null(set.shell);
    assert_null(set.name);
}

static void expect_shell(const struct hf_basis_set *set, int shell, int l, int n_primitive,
                         double first_exponent, double first_coefficient)
{
    assert_true(shell < set->n_shell);
    const struct hf_set_shell *found = &set->shell[shell];
    assert_int_equal(found->l, l);
    assert_int_equal(found->n_primitive, n_primitive);
    assert_true(fabs(set->exponent[found->first] - first_exponent) <= 1e-14 * first_exponent);
    assert_true(fabs(set->coefficient[found->first] - first_coefficient) <= 1e-15);
}

TEST(a_plain_file_is_read)
{
    struct hf_basis_set set;
    expect_set("! a comment\ncartesian\n****\nC 0\nS 2 1.00\n 71.6168370 0.15432897 ! 1s\n"
               " 13.045096 0.53532814\nD 1 1.00\n 0.8 1.0\n****\n",
               &set);
    assert_string_equal(set.name, "mine");
    assert_int_equal(set.n_shell, 2);
    assert_int_equal(set.element[6].line, 4);
    assert_int_equal(set.element[6].n_shell, 2);
    assert_false(set.spherical[2]);
    expect_shell(&set, 0, 0, 2, 71.6168370, 0.15432897);
    expect_shell(&set, 1, 2, 1, 0.8, 1.0);
    hf_basis_set_done(&set);
}

TEST(types_in_all_spellings_are_read)
{
    struct hf_basis_set set;
    expect_set(
        "o 0\nsp 1\n 1.0 0.5 0.25\nL 1 1.0\n2.0 1 1\nspd 1\n3 1 2 3\nL=3 1\n4 1\nl=5 1\n5 1\n"
        "H 1\n6 1\ni 1\n7 1\n",
        &set);
    const int l[] = {0, 1, 0, 1, 0, 1, 2, 3, 5, 5, 6};
    assert_int_equal(set.n_shell, 11);
    for (int i = 0; i < 11; i++) assert_int_equal(set.shell[i].l, l[i]);
    expect_shell(&set, 1, 1, 1, 1.0, 0.25);
    expect_shell(&set, 6, 2, 1, 3.0, 3.0);
    hf_basis_set_done(&set);
}

TEST(numbers_may_have_d_exponents_and_no_leading_zero)
{
    struct hf_basis_set set;
    expect_set("-H 0\nS 2 1.0\n0.1873113696D+02 .3349460434d-01\n2.825 0.2E+00\n****\n", &set);
    expect_shell(&set, 0, 0, 2, 18.73113696, 0.03349460434);
    hf_basis_set_done(&set);
}

TEST(several_columns_are_a_general_contraction_without_its_zeros)
{
    struct hf_basis_set set;
    expect_set("Ne 0\nS 3 1.0\n9.0 0.1 0.4 0.0\n3.0 0.2 0.5 0.0\n1.0 0.0 0.6 1.0\n****\n", &set);
    assert_int_equal(set.n_shell, 3);
    expect_shell(&set, 0, 0, 2, 9.0, 0.1);
    expect_shell(&set, 1, 0, 3, 9.0, 0.4);
    expect_shell(&set, 2, 0, 1, 1.0, 1.0);
    hf_basis_set_done(&set);
}

TEST(equal_shells_stay_apart)
{
    struct hf_basis_set set;
    expect_set("He 0\nS 1 1.0\n1.0 1.0\nS 1 1.0\n1.0 1.0\n****\n", &set);
    assert_int_equal(set.n_shell, 2);
    hf_basis_set_done(&set);
}

TEST(a_lone_exponent_has_coefficient_one)
{
    struct hf_basis_set set;
    expect_set("Rb 0\nSP 1 1.0\n 0.85245\n****\n", &set);
    expect_shell(&set, 0, 0, 1, 0.85245, 1.0);
    expect_shell(&set, 1, 1, 1, 0.85245, 1.0);
    hf_basis_set_done(&set);
}

TEST(the_exponents_are_multiplied_by_the_square_of_the_scale_factor)
{
    struct hf_basis_set set;
    expect_set("H 0\nS 1 1.2\n1.0 1.0\nSP 1 1.1 1.1\n2.0 1.0 1.0\nS 1 1.00 0.0000\n3.0 1.0\n****\n",
               &set);
    expect_shell(&set, 0, 0, 1, 1.44, 1.0);
    expect_shell(&set, 2, 1, 1, 2.42, 1.0);
    expect_shell(&set, 3, 0, 1, 3.0, 1.0);
    hf_basis_set_done(&set);
}

TEST(one_block_may_serve_several_elements)
{
    struct hf_basis_set set;
    expect_set("C -N S 0\nS 1 1.0\n1.0 1.0\n****\n****\n", &set);
    const int element[] = {6, 7, 16};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(set.element[element[i]].n_shell, 1);
        assert_int_equal(set.element[element[i]].first_shell, 0);
    }
    hf_basis_set_done(&set);
}

TEST(the_convention_may_differ_by_shell)
{
    struct hf_basis_set set;
    expect_set("Cartesian\nSPHERICAL f\nFe 0\nF 1 1.0\n0.8 1.0\n****\n", &set);
    assert_false(set.spherical[2]);
    assert_true(set.spherical[3]);
    assert_false(set.spherical[4]);
    hf_basis_set_done(&set);
}

TEST(without_a_convention_shells_are_spherical)
{
    struct hf_basis_set set;
    expect_set("H 0\nS 1\n1.0 1.0\n", &set);
    for (int l = 0; l <= HF_MAX_FILE_L; l++) assert_true(set.spherical[l]);
    hf_basis_set_done(&set);
}

TEST(name_literature_and_core_potentials_are_read_from_comments)
{
    struct hf_basis_set set;
    expect_set("! name: My Set+\n! cite: H Li-Ne | A. Author, J. Chem. Phys. 1, 1 (1900)\n"
               "! needs-ecp: 28 core electrons | Rb-Xe W\nH 0\nS 1 1.0\n1.0 1.0\n****\n",
               &set);
    assert_string_equal(set.name, "My Set+");
    assert_int_equal(set.n_citation, 1);
    assert_string_equal(set.citation[0].text, "A. Author, J. Chem. Phys. 1, 1 (1900)");
    const int cited[] = {1, 3, 10}, others[] = {2, 11};
    for (int i = 0; i < 3; i++) assert_true(set.citation[0].element[cited[i]]);
    for (int i = 0; i < 2; i++) assert_false(set.citation[0].element[others[i]]);
    assert_true(set.element[53].needs_core_potential);
    assert_true(set.element[74].needs_core_potential);
    assert_int_equal(set.element[37].n_core_electron, 28);
    assert_false(set.element[55].needs_core_potential);
    hf_basis_set_done(&set);
}

TEST(core_potentials_are_read)
{
    struct hf_basis_set set;
    expect_set("Rb 0\nS 1 1.0\n1.0 1.0\n****\nK 0\nS 1 1.0\n2.0 1.0\n****\n\nRB     0\n"
               "RB-ECP     1     28\nf-ul potential\n  1\n2  3.8  -12.3\ns-ul potential\n  2\n"
               "1  5.0  89.5D0\n4  1.9  0.49\nSR Y 0\nSR-ECP 0 28\np-ul\n 1\n0 1.5 -2.5\n",
               &set);
    const struct hf_set_element *rubidium = &set.element[37];
    assert_true(rubidium->needs_core_potential);
    assert_int_equal(rubidium->n_core_electron, 28);
    assert_int_equal(rubidium->core_line, 11);
    assert_int_equal(rubidium->core_max_l, 1);
    assert_int_equal(rubidium->n_core_term, 3);
    assert_int_equal(rubidium->n_shell, 1);
    static const struct hf_core_term expected[] = {
        {1, 0, 3.8, -12.3}, {0, -1, 5.0, 89.5}, {0, 2, 1.9, 0.49}, {0, -2, 1.5, -2.5}};
    assert_int_equal(set.n_core_term, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(set.core_term[k].l, expected[k].l);
        assert_int_equal(set.core_term[k].power, expected[k].power);
        assert_true(set.core_term[k].exponent == expected[k].exponent);
        assert_true(set.core_term[k].coefficient == expected[k].coefficient);
    }
    for (int z = 38; z <= 39; z++) {
        assert_int_equal(set.element[z].first_core_term, 3);
        assert_int_equal(set.element[z].n_core_term, 1);
        assert_int_equal(set.element[z].n_core_electron, 28);
    }
    assert_false(set.element[19].needs_core_potential);
    hf_basis_set_done(&set);
}

TEST(each_mistake_has_its_message_with_file_and_line)
{
    static const char *const mistake[][2] = {
        {"! nothing\n", "dir/mine.gbs: holds no shells"},
        {"H 0\n****\n", "dir/mine.gbs, line 1: the block of H has no shells"},
        {"S 3 1.0\n", "dir/mine.gbs, line 1: expected an element and 0, e.g. \"C 0\", found \"S\""},
        {"Xy 0\n", "dir/mine.gbs, line 1: unknown element \"Xy\""},
        {"H 0\nS 3 1.0\n1.0 1.0\n2.0 1.0\n****\n",
         "dir/mine.gbs, line 2: the shell has 2 of the 3 primitives announced"},
        {"H 0\nS 3 1.0\n1.0 1.0\n",
         "dir/mine.gbs, line 2: the shell has 1 of the 3 primitives announced"},
        {"H 0\nS 2 1.0\n1.0 1.0\nHe 0\n",
         "dir/mine.gbs, line 2: the shell has 1 of the 2 primitives announced"},
        {"H 0\nS 2 1.0\n1.0 1.0\nP 1 1.0\n", "dir/mine.gbs, line 4: \"P\" is not a number"},
        {"H 0\nS 1 1.0\n1.0 one\n", "dir/mine.gbs, line 3: \"one\" is not a number"},
        {"H 0\nS 1 1.0\n1.0 1e999\n", "dir/mine.gbs, line 3: \"1e999\" is out of range"},
        {"H 0\nS 1 1.0\n1e200 1.0\n",
         "dir/mine.gbs, line 3: the exponent 1e+200 is out of range; expected 1e-30 to 1e+30"},
        {"H 0\nS 1 1.0\n1e-200 1.0\n",
         "dir/mine.gbs, line 3: the exponent 1e-200 is out of range; expected 1e-30 to 1e+30"},
        {"H 0\nS 1 2.0\n1e308 1.0\n", "dir/mine.gbs, line 3: the exponent times the square of the "
                                      "scale factor (4) is out of range"},
        {"H 0\nS 1 1e-200\n1.0 1.0\n", "dir/mine.gbs, line 3: the exponent times the square of the "
                                       "scale factor (0) is out of range"},
        {"H 0\nS 1 1.0\n-1.0 1.0\n", "dir/mine.gbs, line 3: the exponent -1 is not positive"},
        {"H 0\nS 1 1.0\n1.0 0.0\n", "dir/mine.gbs, line 2: all coefficients of the shell are zero"},
        {"H 0\nS 2 1.0\n1.0\n2.0\n",
         "dir/mine.gbs, line 3: found 0 coefficients, expected 1 after the exponent"},
        {"H 0\nSP 1 1.0\n1.0 1.0\n",
         "dir/mine.gbs, line 3: found 1 coefficients, expected 2 after the exponent"},
        {"H 0\nS 2 1.0\n1.0 1.0\n2.0 1.0 1.0\n",
         "dir/mine.gbs, line 4: found 2 coefficients, 1 in the lines above"},
        {"H 0\nX 1 1.0\n",
         "dir/mine.gbs, line 2: unknown shell type \"X\"; expected S, P, SP, D, F, G, H, I, or L=7 "
         "and so on, or a line of ****"},
        {"H 0\nK 1 1.0\n1.0 1.0\n",
         "dir/mine.gbs, line 2: unknown shell type \"K\"; expected S, P, SP, D, F, G, H, I, or L=7 "
         "and so on, or a line of ****"},
        {"H 0\nL=99 1 1.0\n1.0 1.0\n",
         "dir/mine.gbs, line 2: unknown shell type \"L=99\"; expected S, P, SP, D, F, G, H, I, or "
         "L=7 and so on, or a line of ****"},
        {"H 0\nS\n", "dir/mine.gbs, line 2: expected the number of primitives after \"S\""},
        {"H 0\nS two 1.0\n",
         "dir/mine.gbs, line 2: the number of primitives \"two\" is not a number"},
        {"H 0\nS 0 1.0\n",
         "dir/mine.gbs, line 2: the number of primitives is 0, expected 1 to 1000"},
        {"H 0\nS 1 big\n", "dir/mine.gbs, line 2: the scale factor \"big\" is not a number"},
        {"H 0\nSP 1 1.0 1.2\n1.0 1.0 1.0\n",
         "dir/mine.gbs, line 2: the scale factor \"1.2\" is not one positive number for the whole "
         "shell"},
        {"H 0\nS 1 0.0\n1.0 1.0\n",
         "dir/mine.gbs, line 2: the scale factor \"0.0\" is not one positive number for the whole "
         "shell"},
        {"H 0\nS 1 1.0\n1.0 1.0\n****\nh 0\nS 1 1.0\n1.0 1.0\n",
         "dir/mine.gbs, line 5: H has a block already, in line 1"},
        {"H 0\nS 1 1.0\n1.0 1.0\n****\ncartesian\n",
         "dir/mine.gbs, line 5: the convention must stand before the first element"},
        {"cartesian x\n",
         "dir/mine.gbs, line 1: expected a shell letter (d, f, ...) after cartesian, found \"x\""},
        {"Rb 0\nRb-ECP 3\n",
         "dir/mine.gbs, line 2: expected the highest l and the number of core electrons of an "
         "effective core potential, e.g. \"RB-ECP 3 28\""},
        {"Rb 0\nRb-ECP 1 28\nf-ul\n1\n",
         "dir/mine.gbs, line 2: the file ends inside this core potential"},
        {"Rb 0\nRb-ECP 1 28\nf-ul\nmany\n",
         "dir/mine.gbs, line 4: expected the number of terms of a core potential, found \"many\""},
        {"Rb 0\nRb-ECP 6 28\n",
         "dir/mine.gbs, line 2: the core potential goes up to l = 6; hf can do 5"},
        {"Rb 0\nRb-ECP 3 27\n", "dir/mine.gbs, line 2: a core of 27 electrons; expected closed "
                                "shells, an even number"},
        {"H 0\nS 2 1.0\n1 3.38 0.2\n2 0.51 0.9\n",
         "dir/mine.gbs, line 2: the exponents of the shell are 1 to 2: expected lines of exponent "
         "and coefficients, without numbers of the primitives"},
        {"H 0\nS 1 1.0\n1 0.32 1.0\n",
         "dir/mine.gbs, line 2: the exponents of the shell are 1 to 1: expected lines of exponent "
         "and coefficients, without numbers of the primitives"},
        {"Rb 0\nRb-ECP 3 38\n", "dir/mine.gbs, line 2: a core of 38 electrons; Rb has 37"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n0\nRb-ECP 0 28\n",
         "dir/mine.gbs, line 5: Rb has a core potential already, in line 2"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n1\n2 1.0\n",
         "dir/mine.gbs, line 5: expected a term of a core potential, e.g. \"2 3.84 -12.3\": power, "
         "exponent, coefficient"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n1\n5 1.0 1.0\n",
         "dir/mine.gbs, line 5: the power \"5\" of a core potential is not one of 0 to 4"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n1\n2 1.0 x\n", "dir/mine.gbs, line 5: \"x\" is not a number"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n1\n2 -1.0 1.0\n",
         "dir/mine.gbs, line 5: the exponent -1 of a core potential is out of range; expected "
         "0.0001 to "
         "1e+10"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n1\n2 1.0 1e20\n",
         "dir/mine.gbs, line 5: the coefficient 1e+20 of a core potential is out of range"},
        {"Rb 0\nRb-ECP 0 28\nf-ul\n2\n2 1.0 1.0\n****\n",
         "dir/mine.gbs, line 6: the core potential has 1 of the 2 terms announced"},
    };
    for (size_t i = 0; i < sizeof mistake / sizeof mistake[0]; i++)
        expect_message(mistake[i][0], mistake[i][1]);
}

TEST(a_line_of_too_many_words_is_refused)
{
    char line[400] = "H 0\nS 1 1.0\n";
    for (int i = 0; i < 70; i++) strcat(line, "1.0 ");
    expect_message(line, "dir/mine.gbs, line 3: more than 64 words in a line");
}

TEST(remarks_between_blocks_are_passed_over)
{
    char text[2000] = "H 0\nS 1 1.0\n1.5 1.0\n****\nA set for H, He and others in some format\n";
    struct hf_basis_set set;
    for (int i = 0; i < 70; i++) strcat(text, "words, ");
    strcat(text, "\nHe 0\nS 1 1.0\n2.5 1.0\n****\n");
    expect_set(text, &set);
    assert_int_equal(set.element[2].n_shell, 1);
    hf_basis_set_done(&set);
}

TEST(a_core_potential_may_have_no_electrons)
{
    struct hf_basis_set set;
    expect_set("H 0\nS 1 1.0\n1.5 1.0\n****\nH 0\nH-ECP 0 0\nlocal\n1\n1 21.2 1.0\n", &set);
    assert_true(set.element[1].needs_core_potential);
    assert_int_equal(set.element[1].n_core_electron, 0);
    assert_int_equal(set.element[1].n_core_term, 1);
    hf_basis_set_done(&set);
}

TEST_MAIN
