/* Checks of the launch: launcher and MPI match, there are cores for all ranks, BLAS has one thread. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/memory_limits.h"
#include "cli/cli.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Environment variables in which launchers give size and rank to their processes. */
static const struct {
    const char *launcher, *size, *rank;
    /** MPI finds the other processes only through a server (PMI), which is an option of the launcher. */
    bool needs_server;
} launchers[] = {
    {"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false},
    {"mpiexec", "PMI_SIZE", "PMI_RANK", false},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", true},
};
enum { N_LAUNCHER = sizeof launchers / sizeof *launchers, MAX_CORE_BYTES = sizeof(cpu_set_t) };

/** A number in the environment, or -1. */
static int environment_number(const char *name)
{
    const char *text = getenv(name);
    int value = -1;
    if (text == NULL) return -1;
    return hf_word_integer(hf_rest_of_line(text), &value) == HF_NUMBER_OK ? value : -1;
}

bool hf_is_any_set(const char *const names[])
{
    for (; *names != NULL; names++)
        if (getenv(*names) != NULL) return true;
    return false;
}

bool hf_launch_has_launcher(void)
{
    static const char *const others[] = {"PMIX_RANK", "PMI_FD", "FLUX_TASK_RANK", "ALPS_APP_PE",
                                         NULL};
    for (int i = 0; i < N_LAUNCHER; i++)
        if (getenv(launchers[i].rank) != NULL) return true;
    return hf_is_any_set(others);
}

int hf_launch_rank(void)
{
    const bool server = getenv("PMI_RANK") != NULL || getenv("PMIX_RANK") != NULL;
    for (int i = 0; i < N_LAUNCHER; i++) {
        const int rank = environment_number(launchers[i].rank);
        if (launchers[i].needs_server && !server) continue;
        if (rank >= 0 && environment_number(launchers[i].size) > 0) return rank;
    }
    return 0;
}

/** Detects processes that MPI does not join. Only the user knows whether each should do its own calculation. */
static hf_status check_size(int n_rank, struct hf_error *error)
{
    struct hf_library_versions versions;
    char variables[200] = "", number[40] = "";
    int first = -1;
    for (int i = 0; i < N_LAUNCHER; i++) {
        const size_t used = strlen(variables);
        if (environment_number(launchers[i].size) <= 1) continue;
        snprintf(variables + used, sizeof variables - used, "%s%s", first >= 0 ? " and " : "",
                 launchers[i].size);
        if (first < 0) first = i;
    }
    if (n_rank > 1 || first < 0) return HF_OK;
    const int rank = environment_number(launchers[first].rank);
    if (rank >= 0) snprintf(number, sizeof number, " (this is process %d)", rank);
    hf_library_versions_get(&versions);
    return hf_fail(
        error, HF_BAD_INPUT,
        "%s started %d processes, but MPI (%s) does not join them%s; for one calculation "
        "use the mpiexec of that MPI library, for one in each process unset %s",
        launchers[first].launcher, environment_number(launchers[first].size), versions.mpi_found,
        number, variables);
}

/** Whether one of the cores in a list of Linux, such as "0-7,16", is in the set. */
static bool has_core_of(const char *list, const cpu_set_t *cores)
{
    int first, last, length;
    while (sscanf(list, "%d%n", &first, &length) == 1) {
        list += length;
        last = first;
        if (sscanf(list, "-%d%n", &last, &length) == 1) list += length;
        for (int core = first; core <= last && core < CPU_SETSIZE; core++)
            if (CPU_ISSET(core, cores)) return true;
        if (*list++ != ',') break;
    }
    return false;
}

/** Number of memory (NUMA) domains with a core of the set; 0: unknown. */
static int count_numa_domains(const cpu_set_t *cores)
{
    enum { MOST = 256 };
    int n = 0;
    for (int domain = 0; domain < MOST; domain++) {
        char path[80], list[4096];
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", domain);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue; /* numbers may have gaps */
        if (fgets(list, sizeof list, file) != NULL && has_core_of(list, cores)) n++;
        fclose(file);
    }
    return n;
}

/** Counts the cores that all ranks of this node together may use, and their memory domains; 0: unknown. */
static void count_cores(MPI_Comm node, struct hf_launch *launch)
{
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    int known = sched_getaffinity(0, sizeof mine, &mine) == 0, all_known = 0;
    CPU_ZERO(&all);
    MPI_Allreduce(&mine, &all, MAX_CORE_BYTES, MPI_BYTE, MPI_BOR, node);
    MPI_Allreduce(&known, &all_known, 1, MPI_INT, MPI_MIN, node);
    launch->n_core = all_known ? CPU_COUNT(&all) : 0;
    launch->n_numa = all_known ? count_numa_domains(&all) : 0;
}

/** Seconds until a cut link between hosts is noticed. Open MPI's daemons, one on each host, hold the connections and
 *  report a cut link to the ranks. Three parameters give the seconds before the first check, between checks, and the
 *  number of checks. The environment of the ranks has the values given to mpiexec. Not with srun, which has its own
 *  daemons. */
static double seconds_until_cut_is_noticed(void)
{
    const char *const names[] = {"OMPI_MCA_oob_tcp_keepalive_time",
                                 "OMPI_MCA_oob_tcp_keepalive_intvl",
                                 "OMPI_MCA_oob_tcp_keepalive_probes"};
    const int defaults[] = {300, 20, 9};
    double value[3];
    if (getenv("OMPI_MCA_orte_hnp_uri") == NULL) return 0.0;
    for (int i = 0; i < 3; i++) {
        const int found = environment_number(names[i]);
        value[i] = found >= 0 ? found : defaults[i];
    }
    return value[0] > 0.0 ? value[0] + value[1] * value[2] : HUGE_VAL; /* 0 turns them off */
}

/** Counts the hosts, and finds how soon a cut link between them is noticed. Collective. */
static void look_at_hosts(MPI_Comm comm, MPI_Comm node, struct hf_launch *launch)
{
    int node_rank, first;
    MPI_Comm_rank(node, &node_rank);
    first = node_rank == 0;
    MPI_Allreduce(&first, &launch->n_node, 1, MPI_INT, MPI_SUM, comm);
    launch->cut_seconds = launch->n_node > 1 ? seconds_until_cut_is_noticed() : 0.0;
    MPI_Bcast(&launch->cut_seconds, 1, MPI_DOUBLE, 0, comm);
}

hf_status hf_launch_check(MPI_Comm comm, struct hf_launch *launch, struct hf_error *error)
{
    MPI_Comm node;
    int n_rank, here[3];
    *launch = (struct hf_launch){0};
    MPI_Comm_size(comm, &n_rank);
    HF_CHECK(hf_agree(comm, check_size(n_rank, error), error));
    hf_split_by_node(comm, &node);
    MPI_Comm_size(node, &launch->n_rank_on_node);
    count_cores(node, launch);
    look_at_hosts(comm, node, launch);
    MPI_Comm_free(&node);
    /* the fullest node (most ranks per core) counts */
    struct {
        double ranks_per_core;
        int rank;
    } mine = {launch->n_core > 0 ? (double)launch->n_rank_on_node / launch->n_core : 0.0, 0}, worst;
    MPI_Comm_rank(comm, &mine.rank);
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    here[0] = launch->n_core, here[1] = launch->n_rank_on_node, here[2] = launch->n_numa;
    MPI_Bcast(here, 3, MPI_INT, worst.rank, comm);
    launch->n_core = here[0];
    launch->n_rank_on_node = here[1];
    launch->n_numa = here[2];
    const int n_task = environment_number("SLURM_NTASKS");
    if (n_rank == 1 && n_task > 1 && getenv("SLURM_STEP_NUM_TASKS") == NULL)
        launch->n_unused_task = n_task;
    hf_linalg_set_blas_threads(1);
    return HF_OK;
}

void hf_launch_use_threads(int n_thread)
{
    struct hf_memory_limits limits;
    hf_memory_limits_find("", &limits);
    const bool limited = isfinite(limits.address_free) || isfinite(limits.data_free);
    hf_linalg_set_blas_threads(limited || n_thread < 1 ? 1 : n_thread);
}

/** Warns with settings that end the job within half a minute of a cut link (measured: 23 s). */
static hf_status warn_of_cut_link(const struct hf_launch *launch, struct hf_input *input,
                                  struct hf_error *error)
{
    enum { LONG_SECONDS = 60 };
    char when[64];
    if (launch->cut_seconds < LONG_SECONDS) return HF_OK;
    snprintf(when, sizeof when, "only after %.0f s", launch->cut_seconds);
    return hf_input_warn(
        input, error,
        "ranks on %d hosts: mpiexec notices a cut link between them %s; with --mca "
        "oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 5 --mca "
        "oob_tcp_keepalive_probes 2 the job ends within 30 s",
        launch->n_node, launch->cut_seconds < HUGE_VAL ? when : "never");
}

hf_status hf_launch_warn(const struct hf_launch *launch, int n_thread, struct hf_input *input,
                         struct hf_error *error)
{
    const char *plural = launch->n_core > 1 ? "s" : "";
    if (launch->n_core > 0 && launch->n_rank_on_node > launch->n_core)
        HF_CHECK(hf_input_warn(input, error,
                               "%d ranks share %d core%s of a node: they slow each other down, and "
                               "timings mean little",
                               launch->n_rank_on_node, launch->n_core, plural));
    else if (launch->n_core > 0 && launch->n_rank_on_node * n_thread > launch->n_core)
        HF_CHECK(hf_input_warn(input, error,
                               "%d ranks of %d threads share %d core%s of a node; mpiexec may have "
                               "bound ranks to single cores (--bind-to none)",
                               launch->n_rank_on_node, n_thread, launch->n_core, plural));
    if (launch->n_unused_task > 0)
        HF_CHECK(hf_input_warn(input, error,
                               "the batch job has %d tasks but hf runs on 1; start it with srun or "
                               "mpiexec to use them all",
                               launch->n_unused_task));
    return warn_of_cut_link(launch, input, error);
}
