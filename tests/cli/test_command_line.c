/* The command line and the table of options. */
#include "../unit/test.h"
#include "cli.h"

static struct hf_command command;

/** Parses up to five arguments. */
static hf_status parse(const char *a, const char *b, const char *c, const char *d, const char *e)
{
    const char *const given[] = {"hf", a, b, c, d, e, NULL};
    char *argv[7] = {NULL};
    int argc = 0;
    while (given[argc] != NULL) {
        argv[argc] = (char *)(uintptr_t)given[argc];
        argc++;
    }
    return hf_command_parse(argc, argv, &command, &error);
}

TEST(options_stand_before_and_behind_the_file)
{
    assert_ok(parse("--basis", "STO-3G", "a.mol", "--max-iterations=7", "--check"));
    assert_string_equal(command.path, "a.mol");
    assert_int_equal(command.action, HF_ACTION_CHECK);
    assert_string_equal(hf_options_text(&command.options, "basis"), "STO-3G");
    assert_int_equal(hf_options_integer(&command.options, "max_iterations"), 7);
    assert_string_equal(hf_options_given(&command.options, "max_iterations")->where,
                        "--max-iterations");
    hf_command_done(&command);
}

TEST(a_negative_charge_is_a_value_not_an_option)
{
    assert_ok(parse("--charge", "-1", "--cartesian", "a.mol", NULL));
    assert_int_equal(hf_options_integer(&command.options, "charge"), -1);
    assert_string_equal(hf_options_choice(&command.options, "functions"), "cartesian");
    hf_command_done(&command);
    assert_ok(parse("--", "--odd-name", NULL, NULL, NULL));
    assert_string_equal(command.path, "--odd-name");
    hf_command_done(&command);
}

TEST(mistakes_are_named)
{
    const struct {
        const char *argument[3], *message;
    } bad[] = {
        {{NULL, NULL, NULL}, "no input file"},
        {{"a.mol", "b.mol", NULL}, "more than one input file"},
        {{"a.mol", "-x", NULL}, "options begin with --"},
        {{"a.mol", "--chek", NULL}, "did you mean --check"},
        {{"a.mol", "--max_iteration=3", NULL}, "did you mean --max-iterations"},
        {{"a.mol", "--charge", NULL}, "--charge needs a value"},
        {{"--charge", "--check", "a.mol"}, "--charge needs a value"},
        {{"--charge", "x", "a.mol"}, "--charge: charge 'x' is not a whole number"},
        {{"--force=perhaps", "a.mol", NULL}, "takes no value but yes or no"},
        {{"--method", "rofh", "a.mol"}, "did you mean rohf"},
        {{"--check=1", "a.mol", NULL}, "unknown option '--check=1'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const *argument = bad[i].argument;
        assert_int_equal(parse(argument[0], argument[1], argument[2], NULL, NULL), HF_BAD_INPUT);
        if (strstr(error.message, bad[i].message) == NULL)
            fail_msg("'%s', expected '%s'", error.message, bad[i].message);
        hf_command_done(&command);
    }
}

TEST(help_wins_over_what_follows)
{
    assert_ok(parse("--help", "--nonsense", NULL, NULL, NULL));
    assert_int_equal(command.action, HF_ACTION_HELP);
    assert_null(command.word);
    hf_command_done(&command);
}

TEST(help_may_be_on_one_option)
{
    static const char *const topics[] = {"all", "memory", "--max-iterations", "list_basis",
                                         "cartesian"};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        char joined[40];
        snprintf(joined, sizeof joined, "--help=%s", topics[i]);
        assert_ok(parse(joined, NULL, NULL, NULL, NULL));
        assert_string_equal(command.word, topics[i]);
        hf_command_done(&command);
    }
    assert_ok(parse("-h", "memory", NULL, NULL, NULL));
    assert_string_equal(command.word, "memory");
    hf_command_done(&command);
}

TEST(groups_have_headings_and_synonyms_are_not_listed)
{
    int n = 0;
    const struct hf_option *found = NULL;
    assert_non_null(hf_listed_option(0)->group);
    for (const struct hf_option *option; (option = hf_listed_option(n)) != NULL; n++) {
        assert_true(option->type != HF_OPTION_ALIAS);
        assert_ok(hf_listed_option_find(option->key, &found, &error));
        assert_ptr_equal(found, option);
    }
    assert_true(n > 50);
    assert_ok(hf_listed_option_find("--cartesian", &found, &error));
    assert_string_equal(found->key, "functions");
    assert_int_equal(hf_listed_option_find("memroy", &found, &error), HF_BAD_INPUT);
    assert_string_equal(error.message, "unknown option 'memroy'; did you mean --memory");
}

TEST(older_names_stand_beside_the_option_that_they_mean)
{
    int n_alias = 0;
    char spelling[40];
    const struct hf_option *option, *meant = NULL;
    for (int i = 0; (option = hf_option_row(hf_option_table(), i)) != NULL; i++) {
        if (option->type != HF_OPTION_ALIAS) continue;
        hf_option_spelling(option->key, sizeof spelling, spelling);
        assert_ok(hf_listed_option_find(spelling, &meant, &error));
        assert_non_null(meant->more);
        assert_non_null(strstr(meant->more, spelling)); /* so help and documents name it */
        n_alias++;
    }
    assert_int_equal(n_alias, 2);
}

TEST(every_default_is_a_valid_value)
{
    const struct hf_option *option;
    struct hf_options options;
    hf_options_init(&options, hf_option_table());
    for (int i = 0; (option = hf_option_row(options.table, i)) != NULL; i++) {
        const char *value = option->default_value;
        assert_true(option->help != NULL || option->type == HF_OPTION_ALIAS);
        if (value == NULL) continue;
        assert_ok(hf_options_add(&options, option, (struct hf_word){value, (int)strlen(value)},
                                 HF_OPTION_FILE, "default", &error));
    }
    hf_options_done(&options);
}

TEST(every_condition_names_an_option_and_its_value)
{
    const struct hf_option *const *table = hf_option_table(), *option;
    struct hf_options options;
    hf_options_init(&options, table);
    for (int i = 0; (option = hf_option_row(table, i / (2 * HF_OPTION_MOST_SETTINGS))) != NULL;
         i++) {
        const struct hf_option_setting *list = i % 2 == 0 ? option->only_with : option->not_with,
                                       *setting = &list[i / 2 % HF_OPTION_MOST_SETTINGS];
        if (setting->key == NULL) continue;
        const struct hf_option *other = hf_option_find(table, hf_rest_of_line(setting->key));
        assert_non_null(other);
        assert_ptr_not_equal(other, option);
        if (setting->value == NULL) continue;
        if (strcmp(setting->value, "FILE") == 0) {
            assert_true(other->or_path);
            continue;
        }
        assert_ok(hf_options_add(&options, other, hf_rest_of_line(setting->value),
                                 HF_OPTION_COMMAND_LINE, "table", &error));
        assert_true(hf_options_include(&options, setting->key, setting->value));
    }
    hf_options_done(&options);
}

TEST(defaults_are_those_of_the_library)
{
    const struct hf_scf_settings library = hf_scf_defaults();
    assert_ok(parse("a.mol", NULL, NULL, NULL, NULL));
    const struct hf_options *options = &command.options;
    assert_string_equal(hf_options_choice(options, "guess"), library.guess);
    assert_int_equal(hf_options_value(options, "stability"), library.stability);
    assert_int_equal(hf_options_value(options, "grain"), library.fock.grain);
    assert_int_equal(hf_options_value(options, "precision"), library.fock.precision);
    assert_int_equal(hf_options_integer(options, "max_iterations"), library.max_iteration);
    assert_int_equal(hf_options_integer(options, "diis_size"), library.diis_size);
    assert_true(hf_options_real(options, "energy_tolerance") == library.energy_tolerance);
    assert_true(hf_options_real(options, "commutator_tolerance") == library.commutator_tolerance);
    assert_true(hf_options_real(options, "linear_dependence") ==
                library.linear_dependence_threshold);
    assert_true(hf_options_real(options, "screening") == library.screening_threshold);
    hf_command_done(&command);
}

TEST(every_grain_is_the_one_of_its_name)
{
    for (int i = 0; hf_grain_list[i].name != NULL; i++) {
        assert_ok(parse("a.mol", "--grain", hf_grain_list[i].name, NULL, NULL));
        assert_int_equal(hf_options_value(&command.options, "grain"), hf_grain_list[i].grain);
        hf_command_done(&command);
    }
}

TEST(sizes_have_units)
{
    static const struct {
        const char *text;
        double bytes;
    } good[] = {{"0", 0.0},      {"0 GB", 0.0},           {"12 B", 12.0}, {"1.5kB", 1500.0},
                {"500 MB", 5e8}, {"2 GiB", 2147483648.0}, {"1tb", 1e12}};
    static const char *const bad[] = {"", "GB", "500", "-1 MB", "3 pounds", "nan MB", "1e30 GB"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double bytes = -1.0;
        assert_true(hf_parse_size(good[i].text, &bytes));
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double bytes;
        assert_false(hf_parse_size(bad[i], &bytes));
    }
}

TEST_MAIN
