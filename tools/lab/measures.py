"""What follows from the runs: speedup, efficiency, serial fraction, imbalance, and what was lost to what.

Janssen and Nielsen, chapter 5. Speedups are relative (section 5.2): to the same Fock builder on the fewest processes
that were run."""

import operator
import statistics
from typing import NamedTuple

from . import phases

STATIC = "static"


class Quantity(NamedTuple):
    """The Fock builds of a run, or the whole SCF. Shares are of its wall time, 0 to 1."""
    seconds: float             # median of the runs, like all here
    least: float
    most: float
    speedup: float
    efficiency: float
    serial_fraction: float | None
    communication: float
    idle: float
    losses: dict               # {phase: share of the processes' time that was lost to it}

    @property
    def is_possible(self):
        """Whether Amdahl's law allows the serial fraction, and clocks the speedup."""
        return self.serial_fraction is None or 0.0 <= self.serial_fraction <= 1.0

    @property
    def spread(self):
        """Between the runs, of the median."""
        return (self.most - self.least) / self.seconds if self.seconds > 0 else 0.0


class Point(NamedTuple):
    """A case on a number of processes."""
    case: tuple
    processes: int
    crowded: bool              # more threads than cores on a node: its times say little
    results: list
    imbalance: float
    stored_share: float
    phase_seconds: dict        # {phase: mean over the ranks}, which add up to the median of the whole SCF
    fock: Quantity
    scf: Quantity


class Reference(NamedTuple):
    """What the speedups of a builder are relative to."""
    case: tuple
    processes: int
    fock_seconds: float
    scf_seconds: float
    fock_phases: dict          # {phase: seconds}, which add up to fock_seconds
    scf_phases: dict           # the same for scf_seconds


fock_seconds, scf_seconds = operator.attrgetter("fock_seconds"), operator.attrgetter("scf_seconds")


def median(results, value):
    return statistics.median(value(result) for result in results)


def phase_means(results, value):
    """{phase: seconds}, with the rest of the wall time as a phase of its own, which add up to the median of `value`: means over
    the run, or the two, that it is made of. Medians of each would not."""
    ordered = sorted(results, key=value)
    middle = ordered[(len(ordered) - 1) // 2:len(ordered) // 2 + 1]
    seconds = {name: statistics.mean(result.phases[name]["mean"] for result in middle) for name in middle[0].phases}
    seconds[phases.REST] = statistics.mean(result.rest_seconds for result in middle)
    return seconds


def fock_phases(results):
    means = phase_means(results, fock_seconds)
    return {name: means[name] for name in phases.FOCK}


def speedup(reference_processes, reference_seconds, seconds):
    """Eq. 5.3; where the reference is of more than one process, its own speedup is taken as ideal (Fig. 5.6)."""
    return reference_processes * reference_seconds / seconds if seconds > 0 else 0.0


def serial_fraction(reference_processes, reference_seconds, processes, seconds):
    """The serial fraction f at which Amdahl's law (Eq. 5.5) gives both times: the Karp-Flatt metric (section 5.5).

    With one process as the reference it is (1/S - 1/p) / (1 - 1/p). None where no f does."""
    if processes <= reference_processes or reference_seconds <= 0:
        return None
    ratio = seconds / reference_seconds
    denominator = (1 - 1 / processes) - ratio * (1 - 1 / reference_processes)
    return (ratio / reference_processes - 1 / processes) / denominator if denominator > 0 else None


def quantity(results, processes, value, phase_seconds, reference):
    """`value` takes the wall seconds out of a result; `reference` is (processes, seconds, seconds of phases). What the processes
    spent on a phase beyond what those of the reference did, of all they spent, is lost to it: these shares add up to
    1 - efficiency, for the overhead p t(p) - p0 t(p0) is a sum over phases (Eqs. 5.17, 5.18)."""
    reference_processes, reference_seconds, reference_phases = reference
    seconds = median(results, value)

    def share(parts):
        return median(results, lambda result: result.sum(parts) / value(result) if value(result) > 0 else 0.0)

    gained = speedup(reference_processes, reference_seconds, seconds)
    lost = {name: (processes * phase_seconds[name] - reference_processes * reference_phases[name]) / (processes * seconds)
            for name in reference_phases} if seconds > 0 else {}
    return Quantity(seconds, min(map(value, results)), max(map(value, results)), gained, gained / processes,
                    serial_fraction(reference_processes, reference_seconds, processes, seconds),
                    share(phases.COMMUNICATION), share(phases.IDLE), lost)


def references(measured):
    """{builder: Reference} from {(case, processes): results}.

    On the fewest processes the static scheduler counts, which has no manager that computes nothing; where it was not
    run, the fastest one does."""
    chosen = {}
    for builder in dict.fromkeys(case.builder for case, _ in measured):
        fewest = min(count for case, count in measured if case.builder == builder)
        candidates = [case for case, count in measured if case.builder == builder and count == fewest]
        case = min(candidates, key=lambda case, count=fewest: (case.schedule != STATIC,
                                                               median(measured[case, count], fock_seconds)))
        results = measured[case, fewest]
        chosen[builder] = Reference(case, fewest, median(results, fock_seconds), median(results, scf_seconds),
                                    fock_phases(results), phase_means(results, scf_seconds))
    return chosen


def is_crowded(result, ranks_per_node):
    """Whether a node runs more threads than it has cores; 0 cores are an unknown number."""
    ranks = min(result.processes, ranks_per_node or result.processes)
    return 0 < result.cores_on_node < ranks * result.threads


def points(measured, ranks_per_node=None):
    """Every point of {(case, processes): results} in its order; `ranks_per_node` None: all ranks on one node."""
    chosen = references(measured)
    made = []
    for (case, processes), results in measured.items():
        reference = chosen[case.builder]
        seconds = phase_means(results, scf_seconds)
        made.append(Point(
            case, processes, is_crowded(results[0], ranks_per_node), results,
            median(results, lambda result: result.imbalance), median(results, lambda result: result.stored_share),
            seconds,
            quantity(results, processes, fock_seconds, fock_phases(results),
                     (reference.processes, reference.fock_seconds, reference.fock_phases)),
            quantity(results, processes, scf_seconds, seconds,
                     (reference.processes, reference.scf_seconds, reference.scf_phases))))
    return made
