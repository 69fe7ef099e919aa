"""hf itself."""

import statistics

from lab import qcschema
from lab.launch import mpi_environment

from .running import parsed, timed


def parse(text):
    """Every first build at the final screening threshold is a whole one, what follows may be changes only."""
    output = qcschema.load(text)
    iterations = output["extras"]["hf"]["iterations"]
    final = min(entry["screening_threshold"] for entry in iterations)
    sharp = [entry["seconds"] for entry in iterations if entry["screening_threshold"] == final]
    return {"energy_hartree": output["properties"]["return_energy"], "builds": len(iterations), "first_build_seconds": sharp[0],
            "later_build_seconds": statistics.median(sharp[1:] or sharp)}


class Hf:
    name = "hf"

    def __init__(self, command, arguments, folder):
        """`command` starts ranks; `arguments` are those of hf."""
        self.folder = folder
        self.result = folder / "hf.json"
        self.command = [*command, *arguments, "--json", str(self.result)]

    def geometry(self):
        """One iteration, for the molecule, its basis functions and the settings; also fills the file cache."""
        timed(self.name, [*self.command, "--max-iterations", "1", "--json-orbitals"], None, mpi_environment(), (0, 1))
        return qcschema.load(self.result.read_text(encoding="utf-8"))

    def run(self):
        times, _ = timed(self.name, self.command, None, mpi_environment())
        return {**times, **parsed(self.name, parse, self.result.read_text(encoding="utf-8"))}
