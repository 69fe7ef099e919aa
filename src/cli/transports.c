/* Before MPI_Init: excludes transports that this job cannot use. Open MPI looks for network adapters and, without a
 * launcher, starts a daemon: 0.3 s of the 0.35 s for a hydrogen molecule. Its library hwloc reads the configuration
 * of every PCI device and loads libraries of graphics cards: 0.06 s. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A parameter of Open MPI (other MPI libraries do not read it) or of hwloc. */
struct parameter {
    const char *name, *value;
};

/** One process without a launcher: no daemon, messages only to itself. */
static const struct parameter one_process[] = {
    {"OMPI_MCA_ess_singleton_isolated", "1"},
    /* processes that start together would share a session folder; with four of them, 1 start in 100 failed */
    {"OMPI_MCA_orte_create_session_dirs", "0"},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "self"},
    {"HWLOC_COMPONENTS", "-linuxio"},
    {"HWLOC_PLUGINS_BLACKLIST",
     "hwloc_pci.so,hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,"
     "hwloc_rsmi.so,hwloc_levelzero.so,hwloc_xml_libxml.so"},
};

/** All ranks on one node: shared memory, which Open MPI itself would choose after 0.2 s. */
static const struct parameter one_node[] = {{"OMPI_MCA_pml", "ob1"}};

static bool is_on_one_node(void)
{
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return all != NULL && here != NULL && strcmp(all, here) == 0;
}

/** Whether the user may have chosen transports: by a variable, an option of mpiexec or a file. */
static bool is_chosen(void)
{
    static const char *const names[] = {"OMPI_MCA_pml",
                                        "OMPI_MCA_mtl",
                                        "OMPI_MCA_btl",
                                        "OMPI_MCA_osc",
                                        "OMPI_MCA_mca_base_param_files",
                                        NULL};
    const char *home = getenv("HOME");
    char path[4096];
    if (hf_is_any_set(names)) return true;
    snprintf(path, sizeof path, "%s/.openmpi/mca-params.conf", home != NULL ? home : "");
    return access(path, F_OK) == 0;
}

void hf_transports_choose(void)
{
    const bool alone = !hf_launch_has_launcher();
    if (is_chosen() || (!alone && !is_on_one_node())) return;
    const struct parameter *parameter = alone ? one_process : one_node;
    const size_t n =
        alone ? sizeof one_process / sizeof *one_process : sizeof one_node / sizeof *one_node;
    for (size_t i = 0; i < n; i++) setenv(parameter[i].name, parameter[i].value, 0);
}
