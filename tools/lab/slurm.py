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
    srun --nodes={n_node} --ntasks={n_task} --cpus-per-task={n_thread} "$@" >{runs}/"$name.out" 2>&1 || code=$?
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
    time: str
    partition: str | None
    account: str | None


def check_request(request):
    if request.ranks_per_node < 1:
        raise Failure(f"--slurm-ranks-per-node: {request.ranks_per_node} found, expected 1 or more")
    if not TIME.fullmatch(request.time):
        raise Failure(f'--slurm-time: "{request.time}" found, expected minutes, or as in 30:00, 01:30:00 or 1-12:00:00')
    for option, value in (("--slurm-partition", request.partition), ("--slurm-account", request.account)):
        if value is not None and not re.fullmatch(r"[\w.,@+-]+", value):
            raise Failure(f'{option}: "{value}" found, expected a name')


def directives(request, job, processes, threads, output):
    n_node = -(-processes // request.ranks_per_node)
    values = {"job-name": job, "nodes": n_node, "ntasks": processes,
              "ntasks-per-node": min(processes, request.ranks_per_node), "cpus-per-task": threads, "exclusive": None,
              "time": request.time, "partition": request.partition, "account": request.account, "output": output}
    return n_node, "\n".join(f"#SBATCH --{name}" + ("" if value is None else f"={value}")
                             for name, value in values.items() if value is not None or name == "exclusive")


def script(request, problem, folder, runs, threads, here):
    """The text of the script for runs on one number of processes; `here` is where relative names in options hold."""
    processes = runs[0].processes
    job = re.sub(r"[^\w.-]", "_", f"{folder.path.name}-p{processes}")
    output = shlex.quote(str(folder.path / f"job-p{processes}-%j.out"))
    n_node, head = directives(request, job, processes, threads, output)
    calls = "\n".join(f"run {run.name} {shlex.join(hf_command(problem, folder, run))}" for run in runs)
    return SCRIPT.format(directives=head, here=shlex.quote(str(here)), runs=shlex.quote(str(folder.path / "runs")),
                         traces=shlex.quote(str(folder.path / "traces")), n_node=n_node, n_task=processes,
                         n_thread=threads, calls=calls)


def scripts(request, problem, folder, runs, threads, here):
    """{name of the file: text}, the fewest processes first. The folder's path is absolute."""
    counts = sorted({run.processes for run in runs})
    return {f"job-p{count}.sh": script(request, problem, folder, [run for run in runs if run.processes == count],
                                       threads, here) for count in counts}
