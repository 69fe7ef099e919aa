"""What makes the times of a sweep, or of traces for a replay, hard to believe or to compare: one line for each thing."""

import statistics
from typing import NamedTuple

from . import machine
from .cells import of_processes

ENERGY_DIFFERENCE = 1e-6
BUSY_CORES = 0.1       # of other programs: about what hf's own start and a quiet desktop take
LARGEST_SPREAD = 0.1   # (slowest - fastest) / median of the runs of a point
OUTLIER = 1.5          # times the median of its point


def unequal_work(measured):
    """What makes runs differ in what they had to do."""
    results = [result for repetitions in measured.values() for result in repetitions]
    energies = [result.energy_hartree for result in results]
    lines = []
    if not max(energies) - min(energies) <= ENERGY_DIFFERENCE:
        lines.append(f"the energies differ by {max(energies) - min(energies):.1e} hartree between the runs")
    counts = sorted({result.iterations for result in results})
    if len(counts) > 1:
        lines.append(f"the runs took {counts[0]} to {counts[-1]} iterations: their speedups are of unequal work")
    if not all(result.converged for result in results):
        lines.append("not all runs converged")
    shares = [result.stored_share for result in results]
    if max(shares) - min(shares) > 0.01:
        lines.append(f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % of the integrals' cost was stored: more "
                     "processes had less to compute (--memory 0 compares equal work)")
    others = {(case.title, result.transport) for (case, _), repetitions in measured.items() for result in repetitions
              if case.onesided and result.transport != case.onesided}
    lines += [f"{title}: hf could not, and used the transport {transport}" for title, transport in sorted(others)]
    return lines


def name_of(case, processes):
    return f"{case.title} on {of_processes(processes)}"


def busy_machine(measured):
    """Other programs at work on the same cores."""
    known = [(result.others_cores, result.cores_on_node) for results in measured.values() for result in results
             if result.others_cores is not None]
    if not known:
        return []
    cores = [used for used, _ in known]
    if max(cores) < BUSY_CORES:
        return []
    return [f"other programs used {statistics.mean(cores):.1f} of the {known[0][1]} cores while hf ran, up to "
            f"{max(cores):.1f} during one run: times and speedups say little, repeat them on a quiet machine"]


def scattered_runs(measured, name=lambda point: name_of(*point)):
    """Runs of one point that took unlike times; `name` says what a point is called."""
    lines, wide = [], []
    for point, results in measured.items():
        seconds = [result.fock_seconds for result in results]
        middle = statistics.median(seconds)
        if len(seconds) < 2 or middle <= 0:
            continue
        spread = (max(seconds) - min(seconds)) / middle
        if spread > LARGEST_SPREAD:
            wide.append((spread, name(point)))
        lines += [f"{name(point)}: run {i + 1} is an outlier, its Fock builds took {value / middle:.1f} "
                  f"times the median of {len(seconds)} runs"
                  for i, value in enumerate(seconds) if len(seconds) > 2 and value > OUTLIER * middle]
    if wide:
        most, where = max(wide)
        lines.insert(0, f"Fock builds of {len(wide)} of {len(measured)} points spread by more than "
                        f"{LARGEST_SPREAD:.0%} of the median, most those of {where}, by {most:.0%}: differences "
                        "smaller than that say nothing")
    return lines


def doubts(measured):
    """All of it, from {(case, processes): results}."""
    return [*busy_machine(measured), *scattered_runs(measured), *unequal_work(measured)]


class Traced(NamedTuple):
    """What is to be doubted of a trace."""
    fock_seconds: float
    others_cores: float
    cores_on_node: int


def doubts_of_traces(recording):
    """The same of a Recording; and whether its tasks of one process, to which efficiencies are relative, took longer than the
    same work cut for more processes, which takes as long or longer."""
    cores = recording.header["n_core_on_node"]
    traced = {size.tasks_for: [Traced(seconds, machine.kept(machine.beside(path)), cores) for path, seconds in size.runs]
              for size in recording.alike}
    lines = [*busy_machine(traced), *scattered_runs(traced, lambda n: f"tasks for {n}")]
    best = {n: min(trace.fock_seconds for trace in of_size) for n, of_size in traced.items()}
    first, least = min(best), min(best, key=best.get)
    if best[first] > (1 + LARGEST_SPREAD) * best[least]:
        lines.append(f"the tasks for {first} took {best[first] / best[least]:.2f} times as long as the same work cut for {least}: "
                     "efficiencies are too high by as much; make the traces again on a quiet machine")
    return lines
