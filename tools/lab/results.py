"""What one run of hf measured, from the file it writes with --json."""

from typing import NamedTuple

from . import phases, qcschema
from .failure import NO_RESOURCE, Failure


class Spread(NamedTuple):
    """Seconds of one phase over the ranks."""
    min: float
    mean: float
    max: float


class Result:
    """One run. Seconds of phases are means over the ranks, where nothing else is said."""

    def __init__(self, output):
        facts = output["extras"]["hf"]
        self.launch = facts["launch"]
        self.settings = facts["settings"]
        self.version = output["provenance"]["version"]
        self.molecule = qcschema.name_of(output["molecule"])
        self.n_atom = len(output["molecule"]["symbols"])
        self.basis = facts["basis"]["name"]
        self.n_function = facts["basis"]["functions"]
        self.energy_hartree = float(output["return_result"])
        self.converged = facts["scf"]["converged"]
        self.iterations = output["properties"]["scf_iterations"]
        self.transport = facts["fock"].get("onesided_transport")
        self.stored_share = facts["fock"]["stored_share_of_cost"]
        self.quartets_computed = facts["fock"]["quartets_total"] * sum(
            iteration["percent_computed"] for iteration in facts["iterations"]) / 100
        self.phases = {entry["phase"]: Spread(entry["min"], entry["mean"], entry["max"])
                       for entry in facts["timings_seconds"]}
        self.others_cores = None  # that other programs used meanwhile; sweep.py knows
        self.processes = self.launch["ranks"]
        self.threads = self.settings["threads"]
        self.cores_on_node = self.launch["cores_on_node"]
        self.scf_seconds = self.phases.pop(phases.TOTAL).max
        self.computing = self.phases[phases.COMPUTING]
        self.fock_seconds = self.sum(phases.FOCK)  # on every rank they add up to the same wall time

    @property
    def rest_seconds(self):
        return self.scf_seconds - self.sum(self.phases)

    @property
    def imbalance(self):
        """Slowest rank over the mean; 1 when nothing was computed."""
        return self.computing.max / self.computing.mean if self.computing.mean > 0 else 1.0

    def sum(self, names):
        return sum(self.phases[name].mean for name in names)

    def record(self):
        """For results.json."""
        return {"fock_seconds": self.fock_seconds, "scf_seconds": self.scf_seconds, "imbalance": self.imbalance,
                "energy_hartree": self.energy_hartree, "converged": self.converged, "iterations": self.iterations,
                "stored_share_of_cost": self.stored_share, "quartets_computed": self.quartets_computed,
                "n_function": self.n_function, "others_cores": self.others_cores, "launch": self.launch, "settings": self.settings,
                "phase_seconds": {name: spread._asdict() for name, spread in self.phases.items()}}


def read_result(path, run):
    """The result of a run that is done; it must be of that run."""
    try:
        result = Result(qcschema.load(path.read_text(encoding="utf-8")))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Failure(f"{path}: no results of hf; --restart throws away what is there", NO_RESOURCE) from error
    for name, found, expected in (("processes", result.processes, run.processes),
                                  ("fock", result.settings["fock"], run.case.fock),
                                  ("schedule", result.settings["schedule"], run.case.schedule)):
        if found != expected:
            raise Failure(f"{path}: {name} is {found}, expected {expected}; was hf started by another MPI library's "
                          "mpiexec, or the file copied there?", NO_RESOURCE)
    return result
