"""Runs of hf for tests of tools/speedup, without hf: its results, and programs that stand in for hf, mpiexec, srun and
gnuplot."""

import json

from tool_test import executable, stand_in
from lab import phases
from lab.sweep import Result

OTHER = ("Set-up", "One-electron integrals", "Initial guess", "Diagonalisation", "Other linear algebra", "Output")
MPIEXEC = '#!/bin/sh\nexport RANKS="$2"\nshift 2\nexec "$@"\n'
SRUN = """#!/bin/sh
while :; do
    case $1 in --ntasks=*) export RANKS="${1#*=}";; --*);; *) break;; esac
    shift
done
exec "$@"
"""
GNUPLOT = "#!/bin/sh\nexec /bin/cat >/dev/null\n"


def output(processes, computing, last_rank=0.0, moving=0.0, **changes):
    """What hf writes with --json. `computing` has the seconds of the ranks; `changes` may be other seconds (blocks,
    tasks, other, rest) and facts."""
    mean = sum(computing) / len(computing)
    seconds = {phases.COMPUTING: mean, phases.WAITING_FOR_BLOCKS: changes.get("blocks", 0.0),
               phases.WAITING_FOR_TASKS: changes.get("tasks", 0.0), phases.WAITING_FOR_LAST_RANK: last_rank,
               phases.MOVING_MATRICES: moving, **dict.fromkeys(OTHER, 0.0)}
    seconds["Diagonalisation"] = changes.get("other", 0.0)
    spreads = {name: {"min": value, "mean": value, "max": value} for name, value in seconds.items()}
    spreads[phases.COMPUTING] = {"min": min(computing), "mean": mean, "max": max(computing)}
    total = sum(seconds.values()) + changes.get("rest", 0.0)
    timings = {phases.TOTAL: {"min": total, "mean": total, "max": total}, **spreads}
    return {
        "provenance": {"version": "0.1.0"}, "return_result": changes.get("energy", -76.0),
        "molecule": {"symbols": ["O", "H", "H"], **({"name": "water"} if changes.get("named", True) else {})},
        "properties": {"scf_iterations": changes.get("iterations", 9)},
        "extras": {"hf": {
            "launch": {"ranks": processes, "cores_on_node": changes.get("cores", 4), "mpi_library": "Some MPI 1"},
            "settings": {"fock": changes.get("fock", "replicated"), "schedule": changes.get("schedule", "static"),
                         "threads": changes.get("threads", 1)},
            "basis": {"name": "cc-pVDZ", "functions": 24},
            "scf": {"converged": changes.get("converged", True)},
            "iterations": [{"percent_computed": 50}, {"percent_computed": 25}],
            "fock": {"stored_share_of_cost": changes.get("stored", 0.0), "quartets_total": 1000,
                     "onesided_transport": changes.get("transport", "thread")},
            "timings_seconds": [{"phase": name, **spread} for name, spread in timings.items()]}}}


def result(*arguments, **changes):
    return Result(output(*arguments, **changes))


def stand_ins(folder):
    """hf, mpiexec and gnuplot in a folder, with samples of both schedulers on 1 to 4 processes, of 4 cores."""
    stand_in(folder / "hf", "$here/samples/$fock-$schedule-$RANKS.json", "$here/trace")
    executable(folder / "mpiexec", MPIEXEC)
    executable(folder / "gnuplot", GNUPLOT)
    (folder / "samples").mkdir()
    for schedule, slower in (("steal", 1.0), ("static", 1.0), ("counter", 1.25)):
        for count in (1, 2, 3, 4, 8):
            sample(folder, count, schedule=schedule, computing=[slower * 8.0 / count] * count, other=2.0)


def sample(folder, processes, computing, schedule="steal", **changes):
    """What hf leaves on that many processes from now on."""
    text = json.dumps(output(processes, computing, schedule=schedule, **changes))
    fock = changes.get("fock", "replicated")
    (folder / "samples" / f"{fock}-{schedule}-{processes}.json").write_text(text, encoding="utf-8")
