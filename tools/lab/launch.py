"""Starting hf: on this machine, with mpiexec."""

import os
import resource
import subprocess
import time

from .failure import BAD_INPUT, NO_RESOURCE, Failure

GOOD_CODES = (0, 1)  # 1: not converged, which --max-iterations may be meant to do
SECONDS_TO_END = 10
OWN_OPTIONS = ("--json", "--trace", "--check", "--version", "-V")


def program_beside(root, name="hf"):
    """Path of hf: build/hf of a tree of sources; of an installed tree, whose share/hf is `root`, bin/hf."""
    return str(root / "build" / name if (root / "meson.build").is_file() else root.parent.parent / "bin" / name)


def mpi_environment():
    """Ranks share the cores this process may use: nothing is bound, root may start them. A cut link between
    hosts ends the job within 30 s."""
    environment = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none",
                       OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_orte_execute_quiet="1",
                       OMPI_MCA_oob_tcp_keepalive_time="10", OMPI_MCA_oob_tcp_keepalive_intvl="5",
                       OMPI_MCA_oob_tcp_keepalive_probes="2",
                       OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return environment


def environment(crowded):
    """What MPI is told; OMPI_ variables that the user has set come first."""
    ours = mpi_environment()
    if crowded:
        ours["OMPI_MCA_mpi_yield_when_idle"] = "1"
    return ours | {name: value for name, value in os.environ.items() if name.startswith("OMPI_")}


def alone(hf, arguments):
    """hf without mpiexec, for what it computes nothing for: (exit code, stdout, stderr)."""
    try:
        done = subprocess.run([hf, *arguments], env=environment(False), stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
    except OSError as error:
        raise Failure(f"{hf} cannot be started: {error.strerror}") from error
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def check_options(options):
    """Refuses options of hf that the tools give it themselves, or that run nothing."""
    given = next((word.split("=")[0] for word in options if word.split("=")[0] in OWN_OPTIONS), None)
    if given:
        raise Failure(f"{given} is not for a sweep: each run writes files of its own")


def check_input(hf, arguments):
    """What hf finds wrong with an input and options is told before the first run."""
    code, _, errors = alone(hf, [*arguments, "--check"])
    if code == BAD_INPUT:
        raise Failure(error_line(errors) or "hf does not like its input or options, and does not say why")


def error_line(text):
    """hf's own, or None."""
    return next((line for line in text.splitlines() if line.startswith("hf: ")), None)


def started(command, file, crowded):
    """A command that writes all it says to a file."""
    try:
        return subprocess.Popen(command, env=environment(crowded), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
    except OSError as error:
        raise Failure(f"{command[0]} cannot be started: {error.strerror}") from error


def end(process):
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()


def cpu_seconds():
    """Of the processes that have ended, with the seconds that the system worked for them, as when memory is touched first."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, output, crowded, what, others=()):
    # pylint: disable=too-many-arguments,too-many-positional-arguments
    """Wall seconds of a run of hf, whose report goes to `output`; `what` names the run when it fails. All, with `others` that
    keep cores busy meanwhile, end when this program has to."""
    beside = [started(other, subprocess.DEVNULL, crowded) for other in others]
    start = time.monotonic()
    try:
        with open(output, "wb") as file:
            beside.append(started(command, file, crowded))
        code = beside[-1].wait()
    finally:
        for process in beside:
            end(process)
    if code not in GOOD_CODES:
        text = output.read_text(encoding="utf-8", errors="replace")
        reason = error_line(text) or f"ended with exit code {code}; what it said is in {output}"
        raise Failure(f"{what}: {reason}", BAD_INPUT if code == BAD_INPUT else NO_RESOURCE)
    return time.monotonic() - start
