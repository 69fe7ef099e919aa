"""Makes the traces that a replay needs: hf on one process, with the tasks of several numbers of ranks."""

import json
import pathlib
import shlex
import sys

from . import launch, machine
from .failure import Failure
from .lists import duration


def make_traces(hf, arguments, folder, sizes, n_run, program, then=""):
    # pylint: disable=too-many-arguments,too-many-positional-arguments
    """Paths of the traces of `hf arguments` in `folder`, those that are not there yet made now. Sizes end where the
    tasks have become as small as they can be; for few ranks they are all as large as they can be."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    check_settings(folder / "settings.json", {"arguments": arguments})
    launch.check_input(hf, arguments)
    paths, n_task, took = [], [], []
    for i, tasks_for in enumerate(sizes):
        made = [folder / f"tasks-for-{tasks_for}-run-{run}.trace" for run in range(1, n_run + 1)]
        for k, path in enumerate(made):
            if not path.exists():
                if not took:
                    print(f"{program}: runs hf {(len(sizes) - i) * n_run - k} times at most, on one process with the tasks for each of "
                          f"{', '.join(map(str, sizes))}{then}", file=sys.stderr, flush=True)
                took.append(run_hf(hf, [*arguments, "--tasks-for", str(tasks_for)], path, program))
                tell_time_left(program, took, (len(sizes) - i) * n_run - k - 1)
        paths += made
        n_task.append(most_tasks(made[0]))
        if n_task[0] < n_task[-1] == n_task[-2]:
            break
    return paths


def run_hf(hf, arguments, path, program):
    """Makes one trace; the seconds it took."""
    print(f"{program}: {shlex.join(['hf', *arguments])}", file=sys.stderr, flush=True)
    unfinished = path.with_suffix(".part")
    before = machine.snapshot()
    seconds = launch.timed([hf, *arguments, "--trace", str(unfinished)], path.with_suffix(".out"), False, "hf")
    machine.keep(machine.beside(path), machine.others_cores(before, machine.snapshot()))
    unfinished.rename(path)
    return seconds


def tell_time_left(program, took, n_left):
    """What the last run took, and what is at most left of these traces: tasks may get no smaller before."""
    left = f"; {n_left} more such runs at most, about {duration(n_left * sum(took) / len(took))}" if n_left else ""
    print(f"{program}: {took[-1]:.1f} s{left}", file=sys.stderr, flush=True)


def most_tasks(path):
    with open(path, "rb") as file:
        return max(build["n_task"] for build in json.loads(file.readline())["builds"])


def check_settings(path, settings):
    """A folder holds the traces of one calculation."""
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if before != settings:
            raise Failure(f"{path.parent} has traces of hf {shlex.join(before['arguments'])}; expected another folder, "
                          "or none there")
    path.write_text(json.dumps(settings) + "\n", encoding="utf-8")
