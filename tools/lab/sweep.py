"""The runs of tools/speedup: what is compared (Fock builders, their transports, schedulers, on numbers of processes, several
times), the folder that keeps each run that is done, so that a sweep can be cut and go on, and running them on this machine."""

import hashlib
import json
import os
import pathlib
import statistics
import sys
from typing import NamedTuple

from . import launch, machine, phases, qcschema
from .cells import of_processes
from .failure import NO_RESOURCE, Failure
from .lists import duration

SETTINGS = "settings.json"
KEYS = ("settings", "sweep")
FOLDERS = ("runs", "traces")


# ---- What is run ----

class Case(NamedTuple):
    """One way to build Fock matrices; `onesided` is the transport of the distributed builder, else None."""
    fock: str
    onesided: str | None
    schedule: str

    @property
    def builder(self):
        """What speedups of several schedulers are relative to."""
        return self._replace(schedule="")

    @property
    def name(self):
        """For names of files."""
        return "-".join(word for word in self if word)

    @property
    def title(self):
        builder = f"{self.fock} ({self.onesided})" if self.onesided else self.fock
        return f"{builder}, {self.schedule}" if self.schedule else builder

    def options(self):
        """For hf."""
        transport = ["--onesided", self.onesided] if self.onesided else []
        return ["--fock", self.fock, *transport, "--schedule", self.schedule]


class Run(NamedTuple):
    """One run to be done; repetitions count from 1, and the first one leaves a trace."""
    case: Case
    processes: int
    repetition: int

    @property
    def name(self):
        return f"{self.case.name}-p{self.processes}-r{self.repetition}"


def all_cases(focks, schedules, transports):
    """Every combination; transports multiply the distributed builder only."""
    return [Case(fock, transport, schedule) for fock in focks
            for transport in (transports if fock == "distributed" else [None]) for schedule in schedules]


def all_runs(cases, processes, n_repetition):
    """All cases in turn, then all again: what disturbs the machine for a while then hurts all of them alike."""
    return [Run(case, count, repetition) for repetition in range(1, n_repetition + 1)
            for case in cases for count in processes]


def short_titles(cases):
    """{case: title}; the builder is left out where all have the same."""
    alike = len({case.builder for case in cases}) == 1
    return {case: case.schedule if alike else case.title for case in cases}


# ---- What a run leaves ----

class Result:
    """What one run measured, from its file of --json. Seconds of phases are means over the ranks."""

    def __init__(self, output, others_cores=None):
        facts = output["extras"]["hf"]
        self.launch, self.settings = facts["launch"], facts["settings"]
        self.version = output["provenance"]["version"]
        self.molecule, self.n_atom = qcschema.name_of(output["molecule"]), len(output["molecule"]["symbols"])
        self.basis, self.n_function = facts["basis"]["name"], facts["basis"]["functions"]
        self.energy_hartree = float(output["return_result"])
        self.converged, self.iterations = facts["scf"]["converged"], output["properties"]["scf_iterations"]
        self.transport = facts["fock"].get("onesided_transport")
        self.stored_share = facts["fock"]["stored_share_of_cost"]
        self.quartets_computed = facts["fock"]["quartets_total"] * sum(
            iteration["percent_computed"] for iteration in facts["iterations"]) / 100
        self.phases = {entry["phase"]: {key: entry[key] for key in ("min", "mean", "max")} for entry in facts["timings_seconds"]}
        self.others_cores = others_cores  # that other programs used meanwhile
        self.processes, self.cores_on_node = self.launch["ranks"], self.launch["cores_on_node"]
        self.threads = self.settings["threads"]
        self.scf_seconds = self.phases.pop(phases.TOTAL)["max"]
        self.fock_seconds = self.sum(phases.FOCK)  # on every rank they add up to the same wall time
        self.rest_seconds = self.scf_seconds - self.sum(self.phases)
        computing = self.phases[phases.COMPUTING]
        self.imbalance = computing["max"] / computing["mean"] if computing["mean"] > 0 else 1.0  # slowest rank over the mean

    def sum(self, names):
        return sum(self.phases[name]["mean"] for name in names)

    def record(self):
        """For results.json."""
        return {"fock_seconds": self.fock_seconds, "scf_seconds": self.scf_seconds, "imbalance": self.imbalance,
                "energy_hartree": self.energy_hartree, "converged": self.converged, "iterations": self.iterations,
                "stored_share_of_cost": self.stored_share, "quartets_computed": self.quartets_computed,
                "n_function": self.n_function, "others_cores": self.others_cores, "launch": self.launch, "settings": self.settings,
                "phase_seconds": self.phases}


def read_result(path, run, others_cores=None):
    """The result of a run that is done; it must be of that run."""
    try:
        result = Result(qcschema.load(path.read_text(encoding="utf-8")), others_cores)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Failure(f"{path}: no results of hf; remove it", NO_RESOURCE) from error
    for name, found, expected in (("processes", result.processes, run.processes),
                                  ("fock", result.settings["fock"], run.case.fock),
                                  ("schedule", result.settings["schedule"], run.case.schedule)):
        if found != expected:
            raise Failure(f"{path}: {name} is {found}, expected {expected}; was hf started by another MPI library's "
                          "mpiexec, or the file copied there?", NO_RESOURCE)
    return result


# ---- Where runs are kept ----

def fingerprint(path):
    """SHA-256 of a file's contents."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(path, text):
    """All of it or nothing, even when cut."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


class Folder:
    """Where the runs of one molecule with the same options are."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def read(self):
        """What save() has written; None: the folder is new."""
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return None
        try:
            stored = json.loads((self.path / SETTINGS).read_text(encoding="utf-8"))
            if all(isinstance(stored[key], dict) for key in KEYS):
                return stored
        except (OSError, ValueError, LookupError, TypeError):
            pass
        raise Failure(f"{self.path} is there and no folder of speedup; --output names another")

    def save(self, stored):
        """SETTINGS first, which makes the folder one of speedup."""
        self.path.mkdir(parents=True, exist_ok=True)
        write(self.path / SETTINGS, json.dumps(stored, indent=2) + "\n")
        for name in FOLDERS:
            (self.path / name).mkdir(exist_ok=True)

    def file(self, run, suffix):
        """Of a run: "json", its results when it is done, "part" before; "out", the report; "machine", what else ran there, which
        job scripts do not leave."""
        return self.path / "runs" / f"{run.name}.{suffix}"

    def is_done(self, run):
        return self.file(run, "json").exists()

    def trace(self, run):
        """The file of the trace that a run leaves; None: it leaves none."""
        return self.path / "traces" / f"{run.case.name}-p{run.processes}.trace" if run.repetition == 1 else None


def differences(old, new):
    """One line for each setting that is another than that of the runs that are there."""
    def shown(value):
        return (" ".join(value) or "none") if isinstance(value, list) else str(value)[:60]
    return [f"{name}: {shown(old.get(name))} there, {shown(new.get(name))} now"
            for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


# ---- Running ----

class Problem(NamedTuple):
    """What all runs have in common."""
    hf: str
    input: str
    options: list


def hf_command(problem, folder, run):
    """hf with everything but what starts its ranks; the report of the run appears under a name for unfinished ones."""
    trace = folder.trace(run)
    return [problem.hf, problem.input, *problem.options, *run.case.options(), "--json", str(folder.file(run, "part")),
            *(["--trace", str(trace)] if trace else [])]


def do_run(problem, folder, run, mpiexec, crowded, what):
    """Wall seconds; the result is kept only when all went well."""
    command, part = [mpiexec, "-n", str(run.processes), *hf_command(problem, folder, run)], folder.file(run, "part")
    part.unlink(missing_ok=True)
    before = machine.snapshot()
    seconds = launch.timed(command, folder.file(run, "out"), crowded, what)
    others = machine.others_cores(before, machine.snapshot())
    if not part.exists():  # mpiexec itself may end as hf does that has not converged
        raise Failure(f"{what}: left no results; what it said is in {folder.file(run, 'out')}", NO_RESOURCE)
    read_result(part, run)
    machine.keep(folder.file(run, "machine"), others)
    os.replace(part, folder.file(run, "json"))
    return seconds


def seconds_left(waiting, took):
    """Of runs, from {processes: [seconds]} of those that are done; the nearest number of processes counts."""
    return sum(statistics.mean(took[min(took, key=lambda n, run=run: abs(n - run.processes))]) for run in waiting)


def do_runs(problem, folder, runs, titles, mpiexec, cores, threads):
    """All runs that are not done yet; a line about each on stderr."""
    # pylint: disable=too-many-arguments,too-many-positional-arguments
    took, waiting = {}, [run for run in runs if not folder.is_done(run)]
    n_done = len(runs) - len(waiting)
    if n_done > 0 and waiting:
        print(f"{n_done} of {len(runs)} runs are in {folder.path} already", file=sys.stderr)
    for i, run in enumerate(waiting):
        what = f"{titles[run.case]}, {of_processes(run.processes)}, run {run.repetition}"
        seconds = do_run(problem, folder, run, mpiexec, run.processes * threads > cores, what)
        took.setdefault(run.processes, []).append(seconds)
        left = f"; about {duration(seconds_left(waiting[i + 1:], took))} left" if i + 1 < len(waiting) else ""
        print(f"[{n_done + i + 1:{len(str(len(runs)))}d}/{len(runs)}] {what}: {seconds:.2f} s{left}", file=sys.stderr, flush=True)


def collect(folder, runs):
    """({(case, processes): results in the order of the repetitions}, runs that are not done)."""
    measured = {}
    for run in runs:
        if folder.is_done(run):
            result = read_result(folder.file(run, "json"), run, machine.kept(folder.file(run, "machine")))
            measured.setdefault((run.case, run.processes), []).append(result)
    return measured, [run for run in runs if not folder.is_done(run)]
