/* hf-simulate: rounds of tasks on any number of simulated ranks, with the schedulers of hf. */
#include "replay.h"
#include "set.h"

#include "hf/version.h"
#include "linalg/grids.h"
#include "schedule/schedule.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: hf-simulate [OPTION...] TRACE\n"
    "Runs the Fock builds of a trace (hf --trace FILE, on one process) on simulated ranks,\n"
    "with the schedulers of hf and the ways of its matrices, then MP2 or local MP2 with its\n"
    "exchanges. Prints a line of JSON for each scheduler and number of ranks.\n"
    "  --ranks LIST       numbers of ranks up to 100000 (default 1,10,100); -: lines SCHEDULER "
    "RANKS of\n"
    "                     standard input\n"
    "  --schedule LIST    schedulers (default: all)\n"
    "  --threads N        threads of each rank (default 1)\n"
    "  --machine FILE     latencies and bandwidths: JSON, properties of struct hf_sim_machine\n"
    "  --onesided NAME    transport of blocks of distributed matrices (default thread)\n"
    "  --molecules        TRACE is a list of molecules of one job (hf --each) instead: on each "
    "line the\n"
    "                     seconds that were foreseen for one, and those that it took\n"
    "  --serial PART      part of a molecule's time that several ranks do not divide (default 0)\n"
    "  --alone            each molecule is computed by one rank\n"
    "  --grid N           prints the grids of ranks for matrices of order N instead; no TRACE\n"
    "  --list             prints the names of all schedulers\n"
    "  --help, --version\n";

struct arguments {
    const char *trace, *machine, *ranks, *schedulers;
    struct hf_sim_settings settings;
    bool molecules;
    struct hf_sim_set set;
    int order; /**< of matrices; 0: rounds of tasks */
};

/** A simulated rank needs some 60 kB. */
enum { MOST_RANKS = 100000, MOST_THREADS = 1024, LARGEST_ORDER = 10000000 };

static hf_status read_number(const char *option, const char *text, int most, int *value,
                             struct hf_error *error)
{
    char *end;
    const long found = strtol(text, &end, 10);
    if (end == text || *end != '\0' || found < 1 || found > most)
        return hf_fail(error, HF_BAD_INPUT, "--%s: '%s' is not a number from 1 to %d", option, text,
                       most);
    *value = (int)found;
    return HF_OK;
}

/** Whether a list with commas has words. */
static hf_status check_list(const char *option, const char *list, struct hf_error *error)
{
    if (strspn(list, ",") == strlen(list))
        return hf_fail(error, HF_BAD_INPUT, "--%s: the list is empty", option);
    return HF_OK;
}

static hf_status read_part(const char *option, const char *text, double *value,
                           struct hf_error *error)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value >= 0.0 && *value <= 1.0))
        return hf_fail(error, HF_BAD_INPUT, "--%s: '%s' is not a number of 0 to 1", option, text);
    return HF_OK;
}

/** What goes together; then there is a trace, or a list of molecules, unless grids are asked for. */
static hf_status check_arguments(struct arguments *arguments, const char *all_schedulers,
                                 int n_left, struct hf_error *error)
{
    struct hf_sim_settings *settings = &arguments->settings;
    HF_CHECK(check_list("ranks", arguments->ranks, error));
    HF_CHECK(check_list("schedule", arguments->schedulers, error));
    if (!arguments->molecules && (arguments->set.serial > 0.0 || !arguments->set.grouped))
        return hf_fail(error, HF_BAD_INPUT, "--serial and --alone: only with --molecules");
    if (arguments->molecules && (settings->transport != NULL || settings->n_thread > 1))
        return hf_fail(error, HF_BAD_INPUT, "--threads and --onesided: not with --molecules");
    if (arguments->order > 0 &&
        (arguments->molecules || arguments->machine != NULL || settings->transport != NULL ||
         settings->n_thread > 1 || arguments->schedulers != all_schedulers || n_left != 0))
        return hf_fail(error, HF_BAD_INPUT, "--grid: only --ranks goes with it, and no trace");
    if (arguments->order > 0) {
        arguments->schedulers = "none";
        return HF_OK;
    }
    if (settings->transport == NULL) settings->transport = "thread";
    if (n_left != 1) return hf_fail(error, HF_BAD_INPUT, "expected one trace; see --help");
    return HF_OK;
}

enum {
    RANKS = 1,
    SCHEDULE,
    THREADS,
    MACHINE,
    ONESIDED,
    MOLECULES,
    SERIAL,
    ALONE,
    GRID,
    LIST,
    HELP,
    VERSION,
    LAST = VERSION
};
static const struct option options[] = {{"ranks", 1, NULL, RANKS},
                                        {"schedule", 1, NULL, SCHEDULE},
                                        {"threads", 1, NULL, THREADS},
                                        {"machine", 1, NULL, MACHINE},
                                        {"onesided", 1, NULL, ONESIDED},
                                        {"molecules", 0, NULL, MOLECULES},
                                        {"serial", 1, NULL, SERIAL},
                                        {"alone", 0, NULL, ALONE},
                                        {"grid", 1, NULL, GRID},
                                        {"list", 0, NULL, LIST},
                                        {"help", 0, NULL, HELP},
                                        {"version", 0, NULL, VERSION},
                                        {0}};

static hf_status read_arguments(int n, char *word[], struct arguments *arguments,
                                struct hf_error *error)
{
    struct hf_sim_settings *settings = &arguments->settings;
    const char *const all = arguments->schedulers;
    int option;
    opterr = 0;
    while ((option = getopt_long(n, word, "", options, NULL)) != -1) {
        switch (option) {
        case RANKS: arguments->ranks = optarg; break;
        case SCHEDULE: arguments->schedulers = optarg; break;
        case THREADS:
            HF_CHECK(read_number("threads", optarg, MOST_THREADS, &settings->n_thread, error));
            break;
        case MACHINE: arguments->machine = optarg; break;
        case ONESIDED: settings->transport = optarg; break;
        case MOLECULES: arguments->molecules = true; break;
        case SERIAL: HF_CHECK(read_part("serial", optarg, &arguments->set.serial, error)); break;
        case ALONE: arguments->set.grouped = false; break;
        case GRID:
            HF_CHECK(read_number("grid", optarg, LARGEST_ORDER, &arguments->order, error));
            break;
        case LIST:
            for (int i = 0; hf_scheduler_list[i] != NULL; i++) puts(hf_scheduler_list[i]->name);
            exit(0);
        case HELP: fputs(usage, stdout); exit(0);
        case VERSION: puts("hf-simulate " HF_VERSION); exit(0);
        default:
            return hf_fail(error, HF_BAD_INPUT, "unknown or incomplete option %s",
                           optopt > LAST && optopt < 128 ? (char[]){'-', (char)optopt, '\0'}
                                                         : word[optind - 1]);
        }
    }
    arguments->trace = word[optind];
    return check_arguments(arguments, all, n - optind, error);
}

static void print_steps(const struct hf_sim_step step[])
{
    for (int i = 0; i < HF_SIM_MOST_STEPS && step[i].name != NULL; i++) {
        printf("%s\"%s\": {\"seconds\": %.9g", i > 0 ? ", " : ", \"steps\": {", step[i].name,
               step[i].seconds);
        for (int k = 0; k < step[i].n_phase; k++)
            printf(", \"%s\": %.9g", step[i].phase[k]->name, step[i].phase_seconds[k]);
        printf("}");
    }
    if (step[0].name != NULL) printf("}");
}

static void print(const struct hf_sim_settings *settings, int n_round,
                  const struct hf_sim_outcome outcome[], const struct hf_sim_step step[])
{
    printf("{\"schedule\": \"%s\", \"ranks\": %d, \"threads\": %d, \"rounds\": [",
           settings->scheduler, settings->n_rank, settings->n_thread);
    for (int i = 0; i < n_round; i++)
        printf("%s{\"seconds\": %.9g, \"work\": %.9g, \"tasks_over\": %.9g, "
               "\"blocked\": %.9g, \"tasks\": %lld}",
               i > 0 ? ", " : "", outcome[i].seconds, outcome[i].work, outcome[i].tasks_over,
               outcome[i].blocked, (long long)outcome[i].n_done);
    printf("]");
    print_steps(step);
    puts("}");
    fflush(stdout);
}

static void print_set(const struct hf_sim_settings *settings,
                      const struct hf_sim_set_outcome *outcome)
{
    printf("{\"schedule\": \"%s\", \"ranks\": %d, \"seconds\": %.9g, \"work\": %.9g, "
           "\"shared\": %d, \"dealt\": %d}\n",
           settings->scheduler, settings->n_rank, outcome->seconds, outcome->work,
           outcome->n_shared, outcome->n_done);
    fflush(stdout);
}

static void print_grids(int order, int n_rank)
{
    const struct hf_linalg_grids found = hf_linalg_grids(order, n_rank);
    printf("{\"ranks\": %d, \"grid\": [%d, %d], \"reducing\": [%d, %d], \"on_square\": %s, "
           "\"block\": %d}\n",
           n_rank, found.n_row, found.n_col, found.n_reducing_row, found.n_reducing_col,
           found.on_square ? "true" : "false", found.block);
}

/** One case. */
static hf_status replay_one(const struct arguments *arguments, const struct hf_sim_rounds *rounds,
                            const struct hf_sim_machine *machine, const char *scheduler,
                            const char *n_rank, struct hf_error *error)
{
    struct hf_sim_settings settings = arguments->settings;
    struct hf_sim_step step[HF_SIM_MOST_STEPS];
    HF_CHECK(read_number("ranks", n_rank, MOST_RANKS, &settings.n_rank, error));
    settings.scheduler = scheduler;
    if (arguments->order > 0) {
        print_grids(arguments->order, settings.n_rank);
        return HF_OK;
    }
    if (arguments->molecules) {
        struct hf_sim_set_outcome found;
        HF_CHECK(hf_sim_set_run(&arguments->set, machine, &settings, &found, error));
        print_set(&settings, &found);
        return HF_OK;
    }
    struct hf_sim_outcome *outcome = calloc((size_t)rounds->n_round + 1, sizeof *outcome);
    if (outcome == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    const hf_status status = hf_sim_replay(rounds, machine, &settings, outcome, step, error);
    if (status == HF_OK) print(&settings, rounds->n_round, outcome, step);
    free(outcome);
    return status;
}

/** Cases from standard input, as they come. */
static hf_status replay_lines(const struct arguments *arguments, const struct hf_sim_rounds *rounds,
                              const struct hf_sim_machine *machine, struct hf_error *error)
{
    char scheduler[64], n_rank[16];
    int n_read;
    while ((n_read = scanf("%63s %15s", scheduler, n_rank)) == 2)
        HF_CHECK(replay_one(arguments, rounds, machine, scheduler, n_rank, error));
    if (n_read == EOF) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "'%s': expected lines SCHEDULER RANKS", scheduler);
}

/** All schedulers on all numbers of ranks. */
static hf_status replay_lists(const struct arguments *arguments, const struct hf_sim_rounds *rounds,
                              const struct hf_sim_machine *machine, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_arena arena = {.label = "lists of options"};
    const size_t n_rank = strlen(arguments->ranks) + 1, n_name = strlen(arguments->schedulers) + 1;
    char *ranks = HF_TAKE(&arena, ranks, n_rank), *names = HF_TAKE(&arena, names, n_name);
    HF_TRY(hf_arena_check(&arena, error));
    memcpy(ranks, arguments->ranks, n_rank);
    for (const char *n; (n = strtok_r(ranks, ",", &ranks)) != NULL;) {
        char *rest = memcpy(names, arguments->schedulers, n_name);
        for (const char *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
            HF_TRY(replay_one(arguments, rounds, machine, name, n, error));
    }
cleanup:
    hf_arena_done(&arena);
    return status;
}

static hf_status work(int n, char *word[], struct hf_error *error)
{
    char all[256] = "";
    struct arguments arguments = {
        .ranks = "1,10,100", .schedulers = all, .settings = {.n_thread = 1}, .set.grouped = true};
    struct hf_sim_machine machine = hf_sim_cluster;
    struct hf_sim_rounds rounds = {0};
    hf_status status;
    for (int i = 0; hf_scheduler_list[i] != NULL; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? "," : "",
                 hf_scheduler_list[i]->name);
    HF_TRY(read_arguments(n, word, &arguments, error));
    if (arguments.machine != NULL) HF_TRY(hf_sim_machine_read(arguments.machine, &machine, error));
    if (arguments.molecules)
        HF_TRY(hf_sim_set_read(arguments.trace, &arguments.set, error));
    else if (arguments.order == 0)
        HF_TRY(hf_sim_rounds_read(arguments.trace, &rounds, error));
    if (strcmp(arguments.ranks, "-") == 0)
        status = replay_lines(&arguments, &rounds, &machine, error);
    else
        status = replay_lists(&arguments, &rounds, &machine, error);
cleanup:
    hf_sim_rounds_free(&rounds);
    hf_sim_set_free(&arguments.set);
    return status;
}

int main(int n, char *word[])
{
    struct hf_error error = {0};
    const hf_status status = work(n, word, &error);
    if (status != HF_OK) fprintf(stderr, "hf-simulate: %s\n", error.message);
    return status;
}
