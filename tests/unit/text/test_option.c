/* The store of options: levels, checks, messages. */
#include "../test.h"
#include "text/option.h"

static const struct hf_option_choice animals[] = {
    {"cat", "purrs", 4}, {"dog-fish", "swims", 7}, {0}};

static bool numbers(int i, struct hf_option_choice *choice)
{
    static const char *const name[] = {"one", "two"};
    if (i >= 2) return false;
    *choice = (struct hf_option_choice){.name = name[i]};
    return true;
}

static const struct hf_option_synonym pet_words[] = {{"shark", "dog-fish"}, {NULL, NULL}};

static const struct hf_option rows[] = {
    {.key = "name", .type = HF_OPTION_TEXT, .argument = "TEXT"},
    {.key = "count",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "3",
     .range = {1, 9}},
    {.key = "real_value",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-8",
     .range = {0, 1}},
    {.key = "pet",
     .type = HF_OPTION_CHOICE,
     .argument = "PET",
     .default_value = "cat",
     .choice = animals,
     .synonym = pet_words},
    {.key = "number",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "two",
     .list = numbers},
    {.key = "pets",
     .type = HF_OPTION_CHOICE,
     .several = true,
     .argument = "PET,...",
     .default_value = "cat",
     .choice = animals,
     .synonym = pet_words},
    {.key = "force", .type = HF_OPTION_FLAG},
    {.key = "fishy", .type = HF_OPTION_ALIAS, .alias = {"pet", "dog-fish"}},
    {.key = "many", .type = HF_OPTION_TEXT, .argument = "TEXT", .repeatable = true},
    {.key = "arrow", .type = HF_OPTION_VECTOR, .argument = "X,Y,Z", .range = {-2, 2}},
    {.key = "fins",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .only_with = {{"pet", "dog-fish"}, {"number", "one"}, {"force", NULL}}},
    {.key = "fur", .type = HF_OPTION_FLAG, .not_with = {{"pet", "dog-fish"}, {"many", NULL}}},
    {0},
};
static const struct hf_option *const table[] = {rows, NULL};

struct settings {
    int count, pet, untouched;
    bool force, is_fish;
    double real;
    const char *name, *number;
};
#define SETS(NAME) .member = HF_MEMBER(struct settings, NAME)

/** Rows of the same keys that say where the values go. */
static const struct hf_option filling[] = {
    {.key = "name", SETS(name)},
    HF_ROW_INTEGER("count", "3", 1, 9, "", SETS(count)),
    HF_ROW_REAL("real_value", "1e-8", NULL, 0, 1, "", SETS(real)),
    HF_ROW_CHOICE("pet", "PET", "cat", "", .choice = animals, SETS(pet)),
    HF_ROW_CHOICE("pets", "PET", "cat", "", .choice = animals, SETS(is_fish)),
    HF_ROW_CHOICE("number", "NAME", "two", "", .list = numbers, SETS(number)),
    HF_ROW_FLAG("force", "", SETS(force)),
    {.key = "arrow", .type = HF_OPTION_VECTOR},
    {0},
};

static struct hf_word word(const char *text)
{
    return (struct hf_word){text, (int)strlen(text)};
}

static hf_status give(struct hf_options *options, const char *key, const char *text,
                      enum hf_option_level level, struct hf_error *failure)
{
    const struct hf_option *option = hf_option_find(table, word(key));
    assert_non_null(option);
    return hf_options_add(options, option, word(text), level,
                          level == HF_OPTION_FILE ? "a.mol, line 4" : "--key", failure);
}

TEST(rows_set_the_members_that_they_name)
{
    struct hf_options options;
    struct settings settings = {.untouched = 17, .name = "before"};
    hf_options_init(&options, table);
    hf_options_fill(&options, filling, &settings);
    assert_int_equal(settings.count, 3);
    assert_true(settings.real == 1e-8);
    assert_int_equal(settings.pet, 4);
    assert_string_equal(settings.number, "two");
    assert_string_equal(settings.name, "before"); /* neither a value nor a default */
    assert_false(settings.force);
    assert_ok(give(&options, "name", "Tom", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "count", "7", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "pet", "shark", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "number", "ONE", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "force", "", HF_OPTION_FILE, &error));
    hf_options_fill(&options, filling, &settings);
    assert_string_equal(settings.name, "Tom");
    assert_int_equal(settings.count, 7);
    assert_int_equal(settings.pet, 7);
    assert_string_equal(settings.number, "one");
    assert_true(settings.force && settings.is_fish);
    assert_int_equal(settings.untouched, 17);
    hf_options_fill(&options, NULL, &settings);
    hf_options_done(&options);
}

TEST(a_list_is_stored_as_the_table_has_its_words)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_true(hf_options_include(&options, "pets", "cat"));
    assert_false(hf_options_include(&options, "pets", "dog-fish"));
    assert_ok(give(&options, "pets", "Shark", HF_OPTION_FILE, &error));
    assert_string_equal(hf_options_text(&options, "pets"), "dog-fish");
    assert_false(hf_options_include(&options, "pets", "cat"));
    static const char *const same[] = {"shark,cat", "SHARK CAT", " dog-fish ,\tcat,"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_ok(give(&options, "pets", same[i], HF_OPTION_COMMAND_LINE, &error));
        assert_string_equal(hf_options_text(&options, "pets"), "dog-fish,cat");
        assert_string_equal(hf_options_choice(&options, "pets"), "dog-fish,cat");
        assert_true(hf_options_include(&options, "pets", "cat"));
        assert_true(hf_options_include(&options, "pets", "dog-fish"));
    }
    static const char *const bad[][2] = {
        {"cat,cow", "--key: unknown pets 'cow'; expected one of cat, dog-fish"},
        {"shark,cat,dog-fish",
         "--key: pets 'shark,cat,dog-fish' has dog-fish twice; expected it once"},
        {" , ", "--key: pets needs a value (PET,...)"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(give(&options, "pets", bad[i][0], HF_OPTION_COMMAND_LINE, &error),
                         HF_BAD_INPUT);
        assert_non_null(strstr(error.message, bad[i][1]));
    }
    hf_options_done(&options);
}

TEST(defaults_count_until_something_is_given)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_null(hf_options_text(&options, "name"));
    assert_null(hf_options_given(&options, "count"));
    assert_int_equal(hf_options_integer(&options, "count"), 3);
    assert_true(hf_options_real(&options, "real_value") == 1e-8);
    assert_string_equal(hf_options_choice(&options, "pet"), "cat");
    assert_string_equal(hf_options_choice(&options, "number"), "two");
    assert_false(hf_options_flag(&options, "force"));
    hf_options_done(&options);
}

TEST(the_command_line_overrides_the_file_whatever_comes_first)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_ok(give(&options, "count", "5", HF_OPTION_COMMAND_LINE, &error));
    assert_ok(give(&options, "count", "7", HF_OPTION_FILE, &error));
    assert_int_equal(hf_options_integer(&options, "count"), 5);
    assert_string_equal(hf_options_given(&options, "count")->where, "--key");
    assert_ok(give(&options, "count", "6", HF_OPTION_COMMAND_LINE, &error));
    assert_int_equal(hf_options_integer(&options, "count"), 6);
    hf_options_done(&options);
}

TEST(a_vector_is_three_numbers)
{
    const char *const good[] = {"1 -2 .5", "1,-2,.5", "1, -2\t,5e-1"};
    const struct {
        const char *text, *message;
    } bad[] = {
        {"1 2", "--key: arrow '1 2' has 2 numbers; expected 3 (X,Y,Z)"},
        {"1", "has 1 number; expected 3"},
        {"1 2 0 0", "has 4 numbers"},
        {",", "has 0 numbers"},
        {"1 x 0", "--key: arrow 'x' is not a number"},
        {"1 0 nan", "'nan' is not a number"},
        {"1 0 -3", "arrow -3 is out of range; expected -2 to 2"},
        {"", "arrow needs a value (X,Y,Z)"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct hf_options options;
        double vector[3] = {7.0, 7.0, 7.0};
        hf_options_init(&options, table);
        hf_options_vector(&options, "arrow", vector);
        assert_true(vector[0] == 7.0);
        assert_ok(give(&options, "arrow", good[i], HF_OPTION_COMMAND_LINE, &error));
        hf_options_vector(&options, "arrow", vector);
        assert_true(vector[0] == 1.0 && vector[1] == -2.0 && vector[2] == 0.5);
        hf_options_done(&options);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hf_options options;
        hf_options_init(&options, table);
        assert_failure(give(&options, "arrow", bad[i].text, HF_OPTION_COMMAND_LINE, &error),
                       HF_BAD_INPUT, &error, bad[i].message);
        hf_options_done(&options);
    }
}

TEST(a_file_says_a_thing_once_unless_it_is_repeatable)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_ok(give(&options, "many", "a", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "many", "b", HF_OPTION_FILE, &error));
    assert_ok(give(&options, "name", "a", HF_OPTION_FILE, &error));
    assert_failure(give(&options, "name", "b", HF_OPTION_FILE, &error), HF_BAD_INPUT, &error,
                   "given before");
    assert_int_equal(options.n_value, 3);
    hf_options_done(&options);
}

TEST(keys_and_choices_do_not_mind_case_or_dashes)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_ok(give(&options, "Real-Value", "0.5D0", HF_OPTION_FILE, &error));
    assert_true(hf_options_real(&options, "real_value") == 0.5);
    assert_ok(give(&options, "pet", "DOG-FISH", HF_OPTION_FILE, &error));
    assert_string_equal(hf_options_choice(&options, "pet"), "dog-fish");
    hf_options_done(&options);
}

TEST(a_choice_has_the_value_of_its_enumeration)
{
    struct hf_options options;
    char names[20], few[6];
    hf_options_init(&options, table);
    assert_int_equal(hf_options_value(&options, "pet"), 4);
    assert_ok(give(&options, "pet", "Dog-Fish", HF_OPTION_FILE, &error));
    assert_int_equal(hf_options_value(&options, "pet"), 7);
    assert_ok(give(&options, "pet", "cat", HF_OPTION_COMMAND_LINE, &error));
    assert_int_equal(hf_options_value(&options, "pet"), 4);
    assert_ok(give(&options, "pet", "shark", HF_OPTION_COMMAND_LINE, &error));
    assert_int_equal(hf_options_value(&options, "pet"), 7);
    assert_int_equal(
        hf_option_choice_names(hf_option_find(table, word("pet")), sizeof names, names), 2);
    assert_string_equal(names, "cat, dog-fish");
    assert_int_equal(hf_option_choice_names(hf_option_find(table, word("pet")), sizeof few, few),
                     2);
    assert_string_equal(few, "cat, ");
    hf_options_done(&options);
}

TEST(flags_and_aliases_stand_alone)
{
    struct hf_options options;
    hf_options_init(&options, table);
    assert_ok(give(&options, "force", "", HF_OPTION_FILE, &error));
    assert_true(hf_options_flag(&options, "force"));
    assert_ok(give(&options, "force", "no", HF_OPTION_COMMAND_LINE, &error));
    assert_false(hf_options_flag(&options, "force"));
    assert_ok(give(&options, "fishy", "", HF_OPTION_COMMAND_LINE, &error));
    assert_string_equal(hf_options_choice(&options, "pet"), "dog-fish");
    assert_int_equal(give(&options, "force", "maybe", HF_OPTION_COMMAND_LINE, &error),
                     HF_BAD_INPUT);
    hf_options_done(&options);
}

TEST(bad_values_are_refused_with_what_was_expected)
{
    const struct {
        const char *key, *text, *message;
    } bad[] = {
        {"count", "x", "a.mol, line 4: count 'x' is not a whole number"},
        {"count", "2.5", "not a whole number"},
        {"count", "10", "expected 1 to 9"},
        {"count", "99999999999", "out of range"},
        {"count", "", "needs a value"},
        {"real_value", "1,5", "is not a number"},
        {"real_value", "-1", "expected 0 to 1"},
        {"pet", "cta", "expected one of cat, dog-fish; did you mean cat"},
        {"number", "twoo", "did you mean two"},
    };
    struct hf_options options;
    hf_options_init(&options, table);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_failure(give(&options, bad[i].key, bad[i].text, HF_OPTION_FILE, &error),
                       HF_BAD_INPUT, &error, bad[i].message);
    }
    assert_int_equal(options.n_value, 0);
    assert_null(hf_option_find(table, word("cuont")));
    assert_string_equal(hf_option_nearest(table, word("cuont")), "count");
    hf_options_done(&options);
}

/** Message about what is given, "key=value" each; "" if all have an effect. */
static const char *effect(const char *a, const char *b, enum hf_option_level level,
                          struct hf_error *failure)
{
    struct hf_options options;
    const char *const given[] = {a, b};
    hf_options_init(&options, table);
    for (int i = 0; i < 2 && given[i] != NULL; i++) {
        const struct hf_word key = {given[i], (int)strcspn(given[i], "=")};
        assert_ok(hf_options_add(&options, hf_option_find(table, key),
                                 word(given[i] + key.length + 1), level, "--key", failure));
    }
    const hf_status status = hf_options_check_effect(&options, failure);
    assert_true(status == HF_OK || status == HF_BAD_INPUT);
    hf_options_done(&options);
    return status == HF_OK ? "" : failure->message;
}

TEST(options_without_an_effect_are_refused)
{
    static const char without[] =
        "--key: fins has no effect without pet dog-fish, number one or force",
                      with_pet[] = "--key: fur cannot be combined with pet dog-fish";
    const struct {
        const char *given[2], *message;
    } cases[] = {
        {{"fins=2", NULL}, without},
        {{"fins=2", "pet=cat"}, without},
        {{"fins=2", "force=no"}, without},
        {{"fins=2", "pet=dog-fish"}, ""},
        {{"fins=2", "pet=SHARK"}, ""},
        {{"fins=2", "number=one"}, ""},
        {{"fins=2", "force=yes"}, ""},
        {{"fur=yes", NULL}, ""},
        {{"fur=yes", "pet=Dog-Fish"}, with_pet},
        {{"fur=no", "pet=dog-fish"}, ""},
        {{"fur=yes", "many=x"}, "--key: fur cannot be combined with many"},
    };
    char text[100], few[20];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            effect(cases[i].given[0], cases[i].given[1], HF_OPTION_COMMAND_LINE, &error),
            cases[i].message);
    assert_string_equal(effect("fins=2", NULL, HF_OPTION_FILE, &error), without);
    assert_string_equal(effect("fins=2", NULL, HF_OPTION_RESTART, &error), "");
    hf_option_effect_text(hf_option_find(table, word("fins")), sizeof text, text);
    assert_string_equal(text, "Only with pet dog-fish, number one or force.");
    hf_option_effect_text(hf_option_find(table, word("fur")), sizeof few, few);
    assert_string_equal(few, "Not with pet dog-fi");
    hf_option_effect_text(hf_option_find(table, word("name")), sizeof text, text);
    assert_string_equal(text, "");
}

TEST(one_of_several_choices_is_found)
{
    struct hf_options options;
    const struct hf_option_value several = {.option = hf_option_find(table, word("pet")),
                                            .text = (char[]){"cat, Shark"}};
    hf_options_init(&options, table);
    assert_true(hf_options_include(&options, "pet", "cat"));
    assert_false(hf_options_include(&options, "pet", "dog-fish"));
    assert_false(hf_options_include(&options, "name", "cat"));
    options.value = (struct hf_option_value[]){several};
    options.n_value = 1;
    assert_true(hf_options_include(&options, "pet", "dog-fish") &&
                hf_options_include(&options, "pet", "cat"));
    assert_false(hf_options_include(&options, "pet", "dog"));
}

TEST_MAIN
