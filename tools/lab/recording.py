"""Traces of one calculation, put together: what every task of every Fock build costs, with the tasks that hf makes
for one number of ranks or another (`hf --tasks-for`), from one run or several."""

import array
import copy
from typing import NamedTuple

from . import constants
from .coulomb_pass import Step
from .trace import COPYING, FIRST_QUARTER, PAIR_TASK, SECOND_QUARTER, STEP, TASK, Trace

SAME = ("basis", "n_atom", "n_shell", "n_function", "fock", "grain", "memory_bytes", "screening", "n_thread")

SAME_LOCAL_MP2 = ("domains", "iterations", "screening")
SAME_MP2 = ("algorithm", "batches", "correlated_orbitals", "virtual_orbitals", "shells")
SHARED = 1.1  # from here on clock over processor says that cores are shared
ENERGY_DIFFERENCE = 1e-4  # hartree; of one molecule wherever its file lies, cut after other iterations at most


class RecordingError(ValueError):
    """One line for the user: the traces do not belong together."""


class BuildCosts(NamedTuple):
    """One Fock build. `computed[i]` are the seconds of task i, `stored[i]` those of reading its stored integrals
    back; `levels` those of the costs by which hf deals tasks of a kind; `info` is what the header says; `blocks` are those of
    distributed matrices that each task needs, as (number, kind, bytes), `adds` how often blocks of replicated J and K were added to; `coulomb` are the seconds of the tasks of the
    Coulomb pass, where there is one, `coulomb_steps` its steps beside them."""
    computed: array.array
    stored: dict
    info: dict
    blocks: dict
    adds: dict
    coulomb: list
    coulomb_steps: list
    levels: dict


class BatchCosts(NamedTuple):
    """One batch of MP2: seconds of the tasks of the first half in the order of their list, of their quarters where these
    are recorded apart, of the units of the second half in their order; and those of copying within a rank between. Of local
    MP2 also whole steps and phases, the bytes of a unit, and the blocks that a task needs."""
    first: array.array
    first_quarter: array.array
    second_quarter: array.array
    pairs: array.array
    copying: float
    step: float
    phases: dict
    bytes: dict
    needs: dict
    levels: dict

    @property
    def seconds(self):
        """Of one rank."""
        return sum(map(sum, self[:4])) + self.copying


class Size:
    """The builds with tasks made for `tasks_for` ranks. Several runs of the same give the least time of each task:
    what it takes more is the machine's doing, not the task's."""

    def __init__(self, traces, last_only=False):
        self.tasks_for, self.n_rank = traces[0].header["tasks_for"], traces[0].header["n_rank"]
        lengths = {tuple((build.n_task, len(build.coulomb)) for build in [*trace.builds, *trace.later.values()])
                   + tuple(tuple(len(tasks) for tasks in batch.tasks.values()) for batch in trace.batches) for trace in traces}
        for trace in traces:
            if any(number < max(trace.numbers) for number in trace.later):
                raise RecordingError(f"{trace.path}: the SCF had more Fock builds than iterations, for trial densities (UHF, small gaps) or "
                                     "second-order steps; they cannot be replayed")
        if len(lengths) > 1:
            raise RecordingError(f"{traces[1].path}: not the same builds and tasks as {traces[0].path}")
        self.runs = [(trace.path, fock_seconds(trace)) for trace in traces]
        n_build = len(traces[0].builds)
        wanted = range(n_build - 1 if last_only else 0, n_build)
        self.builds = [least([trace.builds[i] for trace in traces]) for i in wanted]
        self.relaxation = [least(builds) for builds in zip(*(trace.after() for trace in traces))]
        self.totals = [(slowed(trace), totals) for trace in traces for totals in trace.totals]
        self.moving_seconds = 1.0 / (n_build + len(traces[0].later)) * min(  # of a build
            mean(totals["Fock: moving matrices"] for totals in trace.totals) / slowed(trace) for trace in traces)
        self.batches = [least_batch([trace.batches[i] for trace in traces]) for i in range(len(traces[0].batches))]

    @property
    def local_seconds(self):
        """Of moving matrices within a rank."""
        return len(self.builds) * self.moving_seconds

    def of_relaxation(self):
        """With the Fock builds of the relaxation of MP2 instead of the builds of the SCF."""
        other = copy.copy(self)
        other.builds = self.relaxation
        return other

    @property
    def n_task(self):
        return max(len(build.computed) for build in self.builds)

    @property
    def work_seconds(self):
        """Of all tasks of all builds, without those of the Coulomb pass."""
        return sum(sum(build.computed) + sum(build.stored.values()) for build in self.builds)

    @property
    def coulomb_seconds(self):
        """Of the Coulomb passes of all builds on one rank."""
        return sum(sum(build.coulomb) + sum(step.seconds for step in build.coulomb_steps) for build in self.builds)


def fock_seconds(trace):
    """Of all tasks of all builds of a trace."""
    return sum(sum(build.computed) + sum(build.stored.values()) + sum(build.coulomb.values()) + sum(step.seconds for step in build.coulomb_steps)
               for build in [*trace.builds, *trace.later.values()])


def slowed(trace, least=SHARED):
    """How much longer the builds took by the clock, as phases are timed, than their tasks on the processor, if other programs
    had a part of it (from `least` on)."""
    by_clock = sum(totals[phase] for totals in trace.totals for phase in ("Fock: computing", "Fock: Coulomb pass") if phase in totals)
    on_processor = fock_seconds(trace) / max(1, trace.header["n_thread"])
    return by_clock / on_processor if on_processor > 0.0 and by_clock > least * on_processor else 1.0


def mp2_of(header):
    """What the header of a trace says of MP2; of another method nothing."""
    return header.get("extras", {}).get("mp2", {})


def local_mp2_of(header):
    """The same of local MP2."""
    return header.get("extras", {}).get("local_mp2", {})


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def least(builds):
    computed = array.array("d", (min(costs) for costs in zip(*(build.computed for build in builds))))
    stored = {task: min(build.stored.get(task, seconds) for build in builds)
              for task, seconds in builds[0].stored.items()}
    coulomb = [min(build.coulomb.get(task, seconds) for build in builds)
               for task, seconds in sorted(builds[0].coulomb.items())]
    return BuildCosts(computed, stored, builds[0].info, builds[0].blocks, builds[0].adds, coulomb,
                      least_steps([build.coulomb_steps for build in builds]), builds[0].levels)


def least_steps(runs):
    """Of steps of the Coulomb pass, which are the same in all runs."""
    return [Step(steps[0].kind, steps[0].n_unit, min(step.seconds for step in steps)) for steps in zip(*runs)]


def least_batch(batches):
    def least_of(kind):
        costs = [batch.tasks[kind] for batch in batches]
        found = array.array("d", bytes(8 * (1 + max(costs[0], default=-1))))
        for task, most in costs[0].items():
            found[task] = min(seconds.get(task, most) for seconds in costs)
        return found

    phases = {phase: min(batch.phases.get(phase, most) for batch in batches) for phase, most in batches[0].phases.items()}
    return BatchCosts(*map(least_of, (TASK, FIRST_QUARTER, SECOND_QUARTER, PAIR_TASK)),
                      sum(least_of(COPYING)), sum(least_of(STEP)), phases, batches[0].bytes, batches[0].needs, batches[0].levels)


def share_least(sizes):
    """Tasks of MP2 that are the same for all numbers of ranks have their least time in all traces."""
    for number, batches in enumerate(zip(*(size.batches for size in sizes))):
        alike = {}
        for kind in ("first", "first_quarter", "second_quarter", "pairs"):
            costs = [getattr(batch, kind) for batch in batches]
            if len({len(seconds) for seconds in costs}) == 1:
                alike[kind] = array.array("d", (min(seconds) for seconds in zip(*costs)))
        for size, batch in zip(sizes, batches):
            size.batches[number] = batch._replace(**alike)


class Recording:
    """All sizes there are, and the time that one rank takes; of all builds, or of the last one only."""

    def __init__(self, paths, last_only=False):
        if not paths:
            raise RecordingError("no traces, expected one or more")
        by_size = {}
        self.header, self.mp2, self.local_mp2, self.mp2_set_up = None, {}, {}, float("inf")
        for path in paths:
            trace = Trace(path)
            self.header = self.header or trace.header
            if "model" not in trace.header:
                raise RecordingError(f"{path}: made by an older version of hf, without constants of its models")
            constants.learn(trace.header["model"])
            for key in SAME:
                if trace.header[key] != self.header[key]:
                    raise RecordingError(f"{path}: {key} is {trace.header[key]}, but {self.header[key]} in {paths[0]}")
            self.mp2 = self.mp2 or mp2_of(trace.header)
            self.local_mp2 = self.local_mp2 or local_mp2_of(trace.header)
            for known, found, keys, name in ((self.mp2, mp2_of(trace.header), SAME_MP2, "MP2"),
                                             (self.local_mp2, local_mp2_of(trace.header), SAME_LOCAL_MP2, "local MP2")):
                for key in keys:
                    if found.get(key) != known.get(key):
                        raise RecordingError(f"{path}: {key} of {name} is {found.get(key)}, but {known.get(key)} in {paths[0]}")
            self.mp2_set_up = min(self.mp2_set_up, trace.set_up)
            energies = [header.get("energy") for header in (trace.header, self.header)]
            if None not in energies and not abs(energies[0] - energies[1]) <= ENERGY_DIFFERENCE:
                raise RecordingError(f"{path}: the energy is {energies[0]:.6f} hartree, but {energies[1]:.6f} in "
                                     f"{paths[0]}: another molecule")
            if trace.header["n_thread"] > 1:
                raise RecordingError(f"{path}: made with {trace.header['n_thread']} threads per rank, expected 1")
            by_size.setdefault(trace.header["tasks_for"], []).append(trace)
        self.sizes = [Size(by_size[tasks_for], last_only) for tasks_for in sorted(by_size)]
        share_least(self.sizes)
        self.alike = [size for size in self.sizes if size.n_rank == self.sizes[0].n_rank]
        for builds in zip(*(size.builds for size in self.alike)):  # beside the tasks the pass is the same
            steps = least_steps([build.coulomb_steps for build in builds])
            for build in builds:
                build.coulomb_steps[:] = steps
        n_build = {len(size.builds) for size in self.sizes}
        if len(n_build) > 1:
            raise RecordingError(f"{paths[0]} and the other traces have {sorted(n_build)} Fock builds, expected as "
                                 "many in each")

    @property
    def n_mp2_batch(self):
        """Batches of the traces that are of MP2: with forces two passes in each of its own; 0: none are of MP2."""
        return self.mp2.get("batches", 0) * (2 if self.has_forces else 1)

    @property
    def has_forces(self):
        """Of MP2."""
        return self.mp2.get("second_pass_flops", 0.0) > 0.0

    def of_relaxation(self):
        """With the Fock builds of the relaxation of MP2 instead of the builds of the SCF."""
        other = copy.copy(self)
        other.sizes = [size.of_relaxation() for size in self.sizes]
        return other

    def nearest(self, n_rank):
        """The size made for about so many ranks: the one whose ratio to it is closest to 1."""
        return min(self.sizes, key=lambda size: max(size.tasks_for, n_rank) / min(size.tasks_for, n_rank))

    @property
    def other_seconds(self):
        """Seconds per phase that is no part of the Fock builds, with the fewest processes, whatever their tasks: of the runs that
        had most of the processor."""
        every = [found for size in self.alike for found in size.totals]
        least = min(factor for factor, _ in every)
        totals = [found for factor, found in every if factor == least]
        return {phase: min(found[phase] for found in totals) / least for phase in totals[0]
                if not phase.startswith("Fock: ") and phase != "Total"}

    @property
    def seconds_of_one(self):
        """One rank in all Fock builds, with the tasks it makes for itself."""
        return self.sizes[0].work_seconds + self.sizes[0].coulomb_seconds + self.sizes[0].local_seconds
