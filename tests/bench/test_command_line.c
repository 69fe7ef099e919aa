/* The command line of hf-bench. */
#include "../unit/test.h"
#include "bench.h"

static struct hf_bench_command command;

/** Parses up to four arguments. */
static hf_status parse(const char *a, const char *b, const char *c, const char *d)
{
    const char *const given[] = {"hf-bench", a, b, c, d, NULL};
    char *argv[6] = {NULL};
    int argc = 0;
    while (given[argc] != NULL) {
        argv[argc] = (char *)(uintptr_t)given[argc];
        argc++;
    }
    return hf_bench_command_parse(argc, argv, &command, &error);
}

TEST(options_stand_before_and_behind_the_kernel)
{
    assert_ok(parse("--repeat=7", "pingpong", "--json", "a.json"));
    assert_ptr_equal(command.kernel, &hf_bench_pingpong);
    assert_int_equal(hf_options_integer(&command.options, "repeat"), 7);
    assert_string_equal(hf_options_text(&command.options, "json"), "a.json");
    assert_false(hf_options_flag(&command.options, "quick"));
    hf_bench_command_done(&command);
    assert_ok(parse("accumulate", "--quick", NULL, NULL));
    assert_ptr_equal(command.kernel, &hf_bench_accumulate);
    assert_true(hf_options_flag(&command.options, "quick"));
    hf_bench_command_done(&command);
}

TEST(a_kernel_may_read_a_molecule)
{
    assert_ok(parse("--basis=STO-3G", "integrals", "a.mol", NULL));
    assert_ptr_equal(command.kernel, &hf_bench_integrals);
    assert_string_equal(command.input, "a.mol");
    assert_string_equal(hf_options_text(&command.options, "basis"), "STO-3G");
    hf_bench_command_done(&command);
    assert_ok(parse("counter", NULL, NULL, NULL));
    assert_null(command.input);
    hf_bench_command_done(&command);
}

TEST(mistakes_are_named)
{
    const struct {
        const char *argument[3], *message;
    } bad[] = {
        {{NULL, NULL, NULL}, "no kernel"},
        {{"--quick", NULL, NULL}, "no kernel"},
        {{"", NULL, NULL}, "unknown kernel ''"},
        {{"pongping", NULL, NULL}, "unknown kernel 'pongping'"},
        {{"pingpogn", NULL, NULL}, "did you mean pingpong"},
        {{"pingpong", "counter", NULL}, "more than one kernel: 'pingpong' and 'counter'"},
        {{"counter", "-x", NULL}, "options begin with --"},
        {{"counter", "--qiuck", NULL}, "did you mean --quick"},
        {{"counter", "--repeat", NULL}, "--repeat needs a value (N)"},
        {{"counter", "--repeat", "--quick"}, "--repeat needs a value (N)"},
        {{"counter", "--repeat", "0"}, "--repeat: "},
        {{"counter", "--repeat", "-3"}, "--repeat: "},
        {{"counter", "--repeat", "three"}, "'three' is not a whole number"},
        {{"counter", "--repeat", "99999999999999999999"}, "--repeat: "},
        {{"counter", "--repeat=", NULL}, "--repeat"},
        {{"counter", "--json", NULL}, "--json needs a value (FILE)"},
        {{"counter", "--quick=perhaps", NULL}, "takes no value but yes or no"},
        {{"integrals", NULL, NULL}, "integrals needs a molecule; usage: hf-bench integrals FILE"},
        {{"integrals", "a.mol", "b.mol"}, "more than one file: 'a.mol' and 'b.mol'"},
        {{"counter", "--basis", "STO-3G"}, "--basis: counter reads no molecule"},
        {{"counter", "--screening=1e-9", NULL}, "--screening: counter reads no molecule"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const *argument = bad[i].argument;
        assert_int_equal(parse(argument[0], argument[1], argument[2], NULL), HF_BAD_INPUT);
        if (strstr(error.message, bad[i].message) == NULL)
            fail_msg("'%s', expected '%s'", error.message, bad[i].message);
        hf_bench_command_done(&command);
    }
}

TEST(help_wins_over_what_follows)
{
    assert_ok(parse("--help", "--nonsense", NULL, NULL));
    assert_int_equal(command.action, HF_BENCH_ACTION_HELP);
    hf_bench_command_done(&command);
    assert_ok(parse("counter", "-V", NULL, NULL));
    assert_int_equal(command.action, HF_BENCH_ACTION_VERSION);
    hf_bench_command_done(&command);
}

TEST(every_kernel_is_complete)
{
    for (int i = 0; hf_bench_kernel_list[i] != NULL; i++) {
        const struct hf_bench_kernel *kernel = hf_bench_kernel_list[i];
        const char *file = kernel->reads_molecule ? "a.mol" : NULL;
        assert_ok(parse(kernel->name, file, NULL, NULL));
        assert_ptr_equal(command.kernel, kernel);
        assert_true(kernel->about != NULL && kernel->cite != NULL && kernel->run != NULL);
        assert_true(kernel->least_ranks > 0 && kernel->n_repeat > 0 && kernel->n_repeat_quick > 0);
        hf_bench_command_done(&command);
    }
}

TEST_MAIN
