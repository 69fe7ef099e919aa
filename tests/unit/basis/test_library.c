/* The library of basis sets: every file and element in it, names, the order of directories. */

#include "../reference.h"
#include "../test.h"
#include "basis_private.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/** Sets that must be there, how many elements they have, and their d functions. */
static const struct {
    const char *name;
    int n_element;
    bool spherical_d;
} published[] = {
    {"STO-3G", 53, true},          {"3-21G", 55, false},          {"6-31G", 36, false},
    {"6-31G*", 36, false},         {"6-31G**", 36, false},        {"6-31+G*", 20, false},
    {"6-31++G**", 20, false},      {"6-311G*", 27, true},         {"6-311G**", 27, true},
    {"6-311+G*", 20, true},        {"6-311++G**", 19, true},      {"cc-pVDZ", 35, true},
    {"cc-pVTZ", 35, true},         {"cc-pVQZ", 35, true},         {"cc-pV5Z", 35, true},
    {"aug-cc-pVDZ", 34, true},     {"aug-cc-pVTZ", 34, true},     {"aug-cc-pVQZ", 34, true},
    {"def2-SV(P)", 72, true},      {"def2-SVP", 72, true},        {"def2-TZVP", 72, true},
    {"def2-TZVPP", 72, true},      {"def2-QZVP", 72, true},       {"6-311G", 26, true},
    {"6-31+G", 20, false},         {"6-31+G**", 20, false},       {"6-31++G", 19, false},
    {"6-31++G*", 19, false},       {"6-311+G", 20, true},         {"6-311+G**", 20, true},
    {"6-311++G", 19, true},        {"6-311++G*", 19, true},       {"cc-pV(D+d)Z", 35, true},
    {"cc-pV(T+d)Z", 35, true},     {"cc-pV(Q+d)Z", 35, true},     {"cc-pCVDZ", 15, true},
    {"cc-pCVTZ", 15, true},        {"cc-pCVQZ", 15, true},        {"def2-SVPD", 72, true},
    {"def2-TZVPD", 72, true},      {"def2-TZVPPD", 72, true},     {"def2-QZVPD", 72, true},
    {"def2-QZVPP", 72, true},      {"def2-QZVPPD", 72, true},     {"pcseg-0", 36, true},
    {"pcseg-1", 36, true},         {"pcseg-2", 36, true},         {"pcseg-3", 36, true},
    {"pcseg-4", 36, true},         {"aug-cc-pCV5Z", 8, true},     {"aug-cc-pCVDZ", 14, true},
    {"aug-cc-pCVQZ", 14, true},    {"aug-cc-pCVTZ", 14, true},    {"aug-cc-pV5Z", 30, true},
    {"aug-cc-pV(5+d)Z", 30, true}, {"aug-cc-pV(D+d)Z", 34, true}, {"aug-cc-pV(Q+d)Z", 34, true},
    {"aug-cc-pV(T+d)Z", 34, true}, {"aug-cc-pwCV5Z", 8, true},    {"aug-cc-pwCVDZ", 14, true},
    {"aug-cc-pwCVQZ", 15, true},   {"aug-cc-pwCVTZ", 14, true},   {"aug-pcseg-0", 36, true},
    {"aug-pcseg-1", 36, true},     {"aug-pcseg-2", 36, true},     {"aug-pcseg-3", 36, true},
    {"aug-pcseg-4", 36, true},     {"cc-pCV5Z", 8, true},         {"cc-pV(5+d)Z", 35, true},
    {"cc-pwCV5Z", 8, true},        {"cc-pwCVDZ", 14, true},       {"cc-pwCVQZ", 15, true},
    {"cc-pwCVTZ", 14, true},       {"STO-6G", 36, true},
};
enum { N_PUBLISHED = sizeof published / sizeof published[0] };

/** The folder basis/ of the source tree. */
static const char *source_directory;
/** Its copy in the build tree. */
static const char *build_directory;

/** Reads a file from the disk without MPI. */
static void parse_file(const char *path, struct hf_basis_set *set)
{
    struct hf_text text;
    char *content = test_read_file(path);
    assert_ok(hf_text_from_string(path, content, &text, &error));
    free(content);
    assert_ok(hf_basis_set_parse(&text, set, &error));
    hf_text_done(&text);
}

TEST(every_set_parses_with_all_its_elements_and_can_be_normalised)
{
    for (int i = 0; i < N_PUBLISHED; i++) {
        char path[HF_MAX_PATH];
        struct hf_basis_set set;
        int n_element = 0;
        assert_ok(hf_basis_find(published[i].name, path, &error));
        parse_file(path, &set);
        assert_string_equal(set.name, published[i].name);
        for (int z = 1; z <= HF_N_ELEMENT; z++) n_element += set.element[z].n_shell > 0;
        assert_int_equal(n_element, published[i].n_element);
        assert_int_equal(set.spherical[2], published[i].spherical_d);
        for (int s = 0; s < set.n_shell; s++) {
            const struct hf_set_shell *shell = &set.shell[s];
            /* i functions: quintuple zeta of Sc-Zn, pcseg-4 of heavy atoms, refused when used */
            const bool has_i = strstr(set.name, "5Z") != NULL || strstr(set.name, "5+d") != NULL ||
                               strstr(set.name, "pcseg-4") != NULL;
            assert_true(shell->l <= (has_i ? 6 : HF_MAX_L));
            assert_true(hf_shell_normalise(shell->l, shell->n_primitive,
                                           set.exponent + shell->first,
                                           set.coefficient + shell->first));
        }
        assert_true(set.n_citation > 0);
        for (int z = 1; z <= HF_N_ELEMENT; z++) {
            bool cited = set.element[z].n_shell == 0;
            for (int c = 0; c < set.n_citation; c++) cited = cited || set.citation[c].element[z];
            assert_true(cited);
        }
        hf_basis_set_done(&set);
    }
}

TEST(every_file_of_the_folder_is_read_and_copied_to_the_build_tree)
{
    int n_file = 0;
    DIR *folder = opendir(source_directory);
    assert_non_null(folder);
    for (const struct dirent *file; (file = readdir(folder)) != NULL;) {
        const size_t length = strlen(file->d_name);
        if (length < 4 || strcmp(file->d_name + length - 4, ".gbs") != 0) continue;
        char path[HF_MAX_PATH];
        struct hf_basis_set set;
        const int n = snprintf(path, sizeof path, "%s/%s", source_directory, file->d_name);
        assert_true(n > 0 && (size_t)n < sizeof path);
        parse_file(path, &set);
        hf_basis_set_done(&set);
        n_file++;
    }
    closedir(folder);
    char own[HF_MAX_PATH] = "";
    struct hf_basis_list list;
    if (getenv("HF_BASIS_PATH") != NULL) snprintf(own, sizeof own, "%s", getenv("HF_BASIS_PATH"));
    setenv("HF_BASIS_PATH", build_directory, 1);
    const hf_status status = hf_basis_list_create(&list, &error);
    setenv("HF_BASIS_PATH", own, 1);
    assert_ok(status);
    assert_true(list.n >= n_file && n_file >= N_PUBLISHED);
    for (int i = 0; i < list.n; i++)
        assert_int_equal(
            strncmp(list.entry[i].path, source_directory, strlen(source_directory)) == 0, 0);
    hf_basis_list_done(&list);
}

TEST(def2_sets_have_the_core_potentials_of_heavy_elements)
{
    static const char *const names[] = {"def2-SVP",   "def2-TZVP",  "def2-TZVPP",  "def2-QZVP",
                                        "def2-SVPD",  "def2-TZVPD", "def2-TZVPPD", "def2-QZVPD",
                                        "def2-QZVPP", "def2-QZVPPD"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[HF_MAX_PATH];
        struct hf_basis_set set;
        assert_ok(hf_basis_find(names[i], path, &error));
        parse_file(path, &set);
        for (int z = 1; z <= 86; z++) {
            const struct hf_set_element *element = &set.element[z];
            const bool lacking = z >= 58 && z <= 71; /* neither functions nor potential */
            assert_int_equal(element->needs_core_potential, z > 36);
            assert_int_equal(element->n_core_electron, z <= 36   ? 0
                                                       : z <= 54 ? 28
                                                       : z <= 57 ? 46
                                                       : z <= 71 ? 28
                                                                 : 60);
            assert_int_equal(element->n_shell > 0, !lacking);
            assert_int_equal(element->core_line > 0, z > 36 && !lacking);
            assert_int_equal(element->core_max_l, z > 36 && !lacking ? 3 : 0);
            for (int k = 0; k < element->n_core_term; k++)
                assert_int_equal(set.core_term[element->first_core_term + k].power, 0);
        }
        hf_basis_set_done(&set);
    }
}

TEST(only_f_shells_of_6_31g_star_are_spherical)
{
    char path[HF_MAX_PATH];
    struct hf_basis_set set;
    assert_ok(hf_basis_find("6-31G*", path, &error));
    parse_file(path, &set);
    assert_false(set.spherical[2]);
    assert_true(set.spherical[3]);
    hf_basis_set_done(&set);
}

TEST(names_are_found_as_people_write_them)
{
    static const char *const spelling[][2] = {
        {"6-31g*", "6-31gs"},
        {"6-31G(d)", "6-31gs"},
        {"6-31gs", "6-31gs"},
        {"6-31G(d,p)", "6-31gss"},
        {"6-31G (D, P)", "6-31gss"},
        {"6-31g**", "6-31gss"},
        {"6-31G", "6-31g"},
        {"6-31+G(d)", "6-31pgs"},
        {"6-31+g*", "6-31pgs"},
        {"6-31++G(d,p)", "6-31ppgss"},
        {"6-31ppgss", "6-31ppgss"},
        {"6-311G(d)", "6-311gs"},
        {"6-311g**", "6-311gss"},
        {"6-311+G(d)", "6-311pgs"},
        {"6-311++G**", "6-311ppgss"},
        {"cc-pvdz", "cc-pvdz"},
        {"CC-PVTZ", "cc-pvtz"},
        {"ccpvqz", "cc-pvqz"},
        {"cc-pV5Z", "cc-pv5z"},
        {"aug-cc-pvtz", "aug-cc-pvtz"},
        {"AUG-CC-PVDZ", "aug-cc-pvdz"},
        {"augccpvqz", "aug-cc-pvqz"},
        {"def2svp", "def2-svp"},
        {"def2-SV(P)", "def2-sv_p_"},
        {"cc-pV(T+d)Z", "cc-pv_tpd_z"},
        {"cc-pvt+dz", "cc-pv_tpd_z"},
        {"cc-pVD+dZ", "cc-pv_dpd_z"},
        {"aug-cc-pvt+dz", "aug-cc-pv_tpd_z"},
        {"augccpwcvqz", "aug-cc-pwcvqz"},
        {"CC-PVQ+DZ", "cc-pv_qpd_z"},
        {"Def2-TZVP", "def2-tzvp"},
        {"def2 tzvpp", "def2-tzvpp"},
        {"def2_qzvp", "def2-qzvp"},
        {"sto3g", "sto-3g"},
        {" STO-3G ", "sto-3g"},
        {"3-21g", "3-21g"},
    };
    for (size_t i = 0; i < sizeof spelling / sizeof spelling[0]; i++) {
        char path[HF_MAX_PATH], expected[64];
        assert_ok(hf_basis_find(spelling[i][0], path, &error));
        snprintf(expected, sizeof expected, "/%s.gbs", spelling[i][1]);
        assert_string_equal(strrchr(path, '/'), expected);
    }
}

TEST(different_sets_have_different_keys)
{
    for (int i = 0; i < N_PUBLISHED; i++)
        for (int j = 0; j < i; j++) {
            char left[64], right[64];
            hf_basis_name_key(published[i].name, sizeof left, left);
            hf_basis_name_key(published[j].name, sizeof right, right);
            assert_string_not_equal(left, right);
        }
}

static void expect_message(const char *name, const char *message)
{
    char path[HF_MAX_PATH];
    assert_failure(hf_basis_find(name, path, &error), HF_BAD_INPUT, &error, message);
}

TEST(names_of_other_sets_are_not_taken_for_those_of_the_library)
{
    expect_message("def2-SV(P)D", "unknown basis set \"def2-SV(P)D\"");
    expect_message("def2-TZV(P)", "unknown basis set \"def2-TZV(P)\"");
    expect_message("def2-QZV(P)", "unknown basis set \"def2-QZV(P)\"");
    expect_message("cc-pV(5)Z", "unknown basis set \"cc-pV(5)Z\"");
    expect_message("6-31G*(d)", "unknown basis set \"6-31G*(d)\"");
    expect_message("6-31G(d)*", "unknown basis set \"6-31G(d)*\"");
    expect_message("6-31G(d)(d)", "unknown basis set \"6-31G(d)(d)\"");
}

TEST(unknown_names_get_the_five_nearest)
{
    expect_message("cc-pvdx", "; the nearest are cc-pVDZ, ");
    expect_message("def2-SVPP", "; the nearest are def2-");
    expect_message("6-311++G(2d,2p)", "; the nearest are 6-311++G, 6-311++G*, 6-311++G**, ");
    expect_message("aug-cc-pV(T+f)Z", "; the nearest are aug-cc-pV(T+d)Z, ");
    expect_message("cc-pvdx", "; hf --list-basis shows all");
    expect_message("entirely-other",
                   "unknown basis set \"entirely-other\"; hf --list-basis shows all");
    expect_message("", "the name of the basis set is missing");
    expect_message("  ", "the name of the basis set is missing");
}

TEST(very_long_names_do_no_harm)
{
    char name[5001];
    memset(name, 'x', 5000);
    name[5000] = '\0';
    expect_message(name, "unknown basis set");
    name[0] = '/';
    expect_message(name, "the path of the basis set is too long");
}

TEST(paths_are_taken_as_they_are)
{
    char path[HF_MAX_PATH];
    assert_ok(hf_basis_find("./my.gbs", path, &error));
    assert_string_equal(path, "./my.gbs");
    FILE *file = fopen("test_library_mine.gbs", "w");
    assert_non_null(file);
    fclose(file);
    assert_ok(hf_basis_find("test_library_mine.gbs", path, &error));
    assert_string_equal(path, "test_library_mine.gbs");
    unlink("test_library_mine.gbs");
}

TEST(the_list_is_sorted_and_complete)
{
    struct hf_basis_list list;
    assert_ok(hf_basis_list_create(&list, &error));
    assert_true(list.n >= N_PUBLISHED);
    int n_found = 0;
    for (int i = 0; i < list.n; i++)
        for (int j = 0; j < N_PUBLISHED; j++)
            n_found += strcmp(list.entry[i].name, published[j].name) == 0;
    assert_int_equal(n_found, N_PUBLISHED);
    hf_basis_list_done(&list);
    hf_basis_list_done(&list);
}

TEST(directories_of_the_environment_come_first)
{
    char old[HF_MAX_PATH] = "", path[HF_MAX_PATH], other_path[HF_MAX_PATH];
    if (getenv("HF_BASIS_PATH") != NULL) snprintf(old, sizeof old, "%s", getenv("HF_BASIS_PATH"));
    assert_int_equal(mkdir("test_library_own", 0777), 0);
    FILE *file = fopen("test_library_own/cc-pvdz.gbs", "w");
    assert_non_null(file);
    fputs("H 0\nS 1 1.0\n1.0 1.0\n****\n", file);
    fclose(file);
    char search[HF_MAX_PATH + 40];
    snprintf(search, sizeof search, "nowhere::test_library_own:%s", build_directory);
    setenv("HF_BASIS_PATH", search, 1);
    const hf_status status = hf_basis_find("CC-PVDZ", path, &error);
    const hf_status other = hf_basis_find("STO-3G", other_path, &error);
    unlink("test_library_own/cc-pvdz.gbs");
    rmdir("test_library_own");
    setenv("HF_BASIS_PATH", old, 1);
    assert_ok(status);
    assert_string_equal(path, "test_library_own/cc-pvdz.gbs");
    assert_ok(other); /* from a later one */
}

TEST(sets_that_have_an_element_are_named)
{
    char names[400];
    hf_basis_sets_with_element(53, sizeof names, names);
    assert_string_equal(names, "3-21G, 6-311G*, 6-311G**, def2-QZVP, def2-QZVPD, def2-QZVPP, "
                               "def2-QZVPPD, def2-SV(P), def2-SVP, def2-SVPD, "
                               "def2-TZVP, def2-TZVPD, def2-TZVPP, def2-TZVPPD, STO-3G");
    hf_basis_sets_with_element(92, sizeof names, names);
    assert_string_equal(names, "");
    char few[8];
    hf_basis_sets_with_element(1, sizeof few, few);
    assert_int_equal(strlen(few), 7);
}

int main(int argc, char **argv)
{
    source_directory = argc > 1 ? argv[1] : "basis";
    build_directory = argc > 2 ? argv[2] : "build/basis";
    return cmocka_run_group_tests(test_list, NULL, NULL);
}
