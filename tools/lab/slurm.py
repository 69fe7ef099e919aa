"""Job scripts for Slurm: one for each number of processes, with the runs that the sweep's folder waits for."""

import re
import shlex
from typing import NamedTuple

from .failure import Failure
from .sweep import hf_command

TIME = re.compile(r"\d+|\d+:\d\d|\d+:\d\d:\d\d|\d+-\d+(:\d\d){0,2}")
SCRIPT = """\
#!/bin/bash
{directives}

# Every run that is done leaves a file of its own, so the job may be cut and submitted again. When all jobs are done,
# the same tools/speedup without --slurm reads these files.
{setup}
set -u
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
cd {here} || exit 2
mkdir -p {runs} {traces} || exit 3

# run NAME COMMAND...: exit code 1 of hf is "not converged", which --max-iterations may be meant to do.
run() {{
    name=$1
    shift
    [ -s {runs}/"$name.json" ] && return
    rm -f {runs}/"$name.part"
    code=0
    srun {srun} --nodes={n_node} --ntasks={n_task} --cpus-per-task={n_thread} "$@" >{runs}/"$name.out" 2>&1 || code=$?
    if [ "$code" -gt 1 ]; then
        echo "$name ended with exit code $code; see" {runs}/"$name.out" >&2
        exit "$code"
    fi
    mv {runs}/"$name.part" {runs}/"$name.json" || exit 3
}}

{calls}
"""


class Request(NamedTuple):
    """What is asked of Slurm."""
    ranks_per_node: int
    time: str            # one for all jobs, or as times() reads it
    setup: str | None    # a file with lines of shell, such as module load
    srun: str            # options in one string


NO_SETUP = "# Nothing to load; --slurm-setup FILE puts lines such as module load here."


def times(text):
    """[(fewest processes, time)] of "01:00:00" or "1=08:00:00,64=01:00:00": from that many processes on."""
    parts = [part.strip().rpartition("=") for part in text.split(",")]
    if len(parts) == 1 and not parts[0][1]:
        parts = [("1", "=", text)]
    for count, equals, time in parts:
        if not equals or not count.isdecimal() or not TIME.fullmatch(time):
            raise Failure(f'--slurm-time: "{text}" found, expected minutes, or as in 30:00, 01:30:00 or 1-12:00:00, or '
                          "as in 1=08:00:00,64=30:00, the time from that many processes on")
    return sorted((int(count), time) for count, _, time in parts)


def time_of(request, processes):
    """Of a job; fewer processes than any are told of get the first time."""
    known = times(request.time)
    return next((time for count, time in reversed(known) if count <= processes), known[0][1])


def setup_lines(request):
    """The text of the file that is asked for."""
    if request.setup is None:
        return NO_SETUP
    try:
        with open(request.setup, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"--slurm-setup: {request.setup}: {getattr(error, 'strerror', None) or 'not a text'}") from error


def check_request(request):
    if request.ranks_per_node < 1:
        raise Failure(f"--slurm-ranks-per-node: {request.ranks_per_node} found, expected 1 or more")
    times(request.time)
    setup_lines(request)
    try:
        shlex.split(request.srun)
    except ValueError as error:
        raise Failure(f'--slurm-srun: "{request.srun}" found, expected options of srun: {error}') from error


def directives(request, job, processes, threads, output):
    n_node = -(-processes // request.ranks_per_node)
    words = (f"job-name={job}", f"nodes={n_node}", f"ntasks={processes}", f"ntasks-per-node={min(processes, request.ranks_per_node)}",
             f"cpus-per-task={threads}", "exclusive", f"time={time_of(request, processes)}", f"output={output}")
    return n_node, "\n".join(f"#SBATCH --{word}" for word in words)


def script(request, problem, folder, runs, threads, here):
    """The text of the script for runs on one number of processes; `here` is where relative names in options hold."""
    processes = runs[0].processes
    job = re.sub(r"[^\w.-]", "_", f"{folder.path.name}-p{processes}")
    output = shlex.quote(str(folder.path / f"job-p{processes}-%j.out"))
    n_node, head = directives(request, job, processes, threads, output)
    calls = "\n".join(f"run {run.name} {shlex.join(hf_command(problem, folder, run))}" for run in runs)
    return SCRIPT.format(directives=head, here=shlex.quote(str(here)), runs=shlex.quote(str(folder.path / "runs")),
                         traces=shlex.quote(str(folder.path / "traces")), n_node=n_node, n_task=processes,
                         n_thread=threads, calls=calls, setup=setup_lines(request),
                         srun=shlex.join(shlex.split(request.srun)))


def scripts(request, problem, folder, runs, threads, here):
    """{name of the file: text}, the fewest processes first. The folder's path is absolute."""
    counts = sorted({run.processes for run in runs})
    return {f"job-p{count}.sh": script(request, problem, folder, [run for run in runs if run.processes == count],
                                       threads, here) for count in counts}
