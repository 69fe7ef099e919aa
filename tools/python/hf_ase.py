"""hf as a calculator of ASE, the Atomic Simulation Environment.

    from hf_ase import HF, hf_socket

    atoms.calc = HF(basis="def2-SVP", command="mpiexec -n 4 hf")     a run of hf for each geometry
    with hf_socket(basis="def2-SVP") as calculator:                  one run of hf that is told the geometries
        atoms.calc = calculator
        BFGS(atoms).run()

Keywords are options of hf (hf --help all), with _ or - in their names. Energies are in eV, forces in eV/angstrom, as
everywhere in ASE. Periodic cells are not taken into account.
"""

import json
import os
import shlex
import subprocess
import tempfile
import warnings

from ase import units
from ase.calculators.calculator import CalculationFailed, Calculator, all_changes
from ase.calculators.socketio import SocketIOCalculator


class HF(Calculator):
    """Runs hf with files LABEL.* in a folder.

    command    what starts hf, for example "mpiexec -n 4 hf". Start no more ranks than there are cores: two on one core
               took 3 s for a geometry instead of 0.01 s
    folder     of the files, made if need be; the default is one that goes with the calculator
    label      name of the files without endings: LABEL.in.json, LABEL.json, LABEL.out, LABEL.h5, LABEL.last.h5

    The orbitals of the last geometry are the guess for the next one. The multiplicity may be a keyword; otherwise it
    follows from initial magnetic moments of the atoms, if they have any. Initial charges of atoms give the total charge.
    """

    implemented_properties = ["energy", "free_energy", "forces", "dipole", "charges"]

    def __init__(self, command="hf", folder=None, label="hf", **keywords):
        self._temporary = tempfile.TemporaryDirectory(prefix="hf-") if folder is None else None
        self.command, self.folder, self.name_of_files = shlex.split(command), folder or self._temporary.name, label
        self._orbitals_of = None  # chemical symbols that the checkpoint is for
        self._warned = []  # warnings of hf that were shown
        Calculator.__init__(self)
        self.parameters.update(keywords)

    def set(self, **keywords):
        """Changes keywords; results are computed anew."""
        self.reset()
        self.parameters.update(keywords)

    def path(self, ending):
        return os.path.join(os.path.abspath(self.folder), self.name_of_files + ending)

    def write_input(self, atoms, driver="gradient"):
        """Writes LABEL.in.json, a QCSchema AtomicInput."""
        os.makedirs(self.folder, exist_ok=True)
        keywords = {key.replace("-", "_"): value for key, value in self.parameters.items()}
        if driver == "energy":
            keywords.pop("gradient", None)  # how forces are computed
        model = {"method": keywords.pop("method", "hf")}
        if "basis" in keywords:
            model["basis"] = keywords.pop("basis")
        charge = keywords.pop("charge", round(float(atoms.get_initial_charges().sum()), 6))
        molecule = {"symbols": list(atoms.get_chemical_symbols()), "geometry": (atoms.positions / units.Bohr).ravel().tolist(),
                    "molecular_charge": charge, "fix_com": True, "fix_orientation": True}
        moment = abs(float(atoms.get_initial_magnetic_moments().sum()))
        multiplicity = keywords.pop("multiplicity", round(moment) + 1 if moment > 0 else None)
        if multiplicity is not None:
            molecule["molecular_multiplicity"] = multiplicity
        with open(self.path(".in.json"), "w", encoding="utf-8") as file:
            json.dump({"schema_name": "qcschema_input", "schema_version": 1, "driver": driver, "model": model, "keywords": keywords,
                       "molecule": molecule}, file)

    def arguments(self):
        """The command that reads LABEL.in.json."""
        return [*self.command, self.path(".in.json")]

    def run(self):
        """Runs hf and returns what it wrote to LABEL.json."""
        options = ["--json", self.path(".json"), "--checkpoint", self.path(".h5")]
        if self._orbitals_of == list(self.atoms.symbols) and "guess" not in self.parameters:
            os.replace(self.path(".h5"), self.path(".last.h5"))
            options += ["--guess", self.path(".last.h5")]
        with open(self.path(".out"), "w", encoding="utf-8") as report:
            done = subprocess.run([*self.arguments(), *options], stdout=report, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self._orbitals_of = None
            raise CalculationFailed(done.stderr.strip() or f"{self.command} ended with exit code {done.returncode}")
        self._orbitals_of = list(self.atoms.symbols)
        with open(self.path(".json"), encoding="utf-8") as file:
            found = json.load(file)
        for text in found["extras"]["hf"]["warnings"]:
            if text not in self._warned:
                warnings.warn(f"hf: {text}", stacklevel=2)
                self._warned.append(text)
        return found

    def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes):
        Calculator.calculate(self, atoms, properties, system_changes)
        self.write_input(self.atoms, "gradient" if "forces" in properties else "energy")
        found = self.run()
        energy = found["properties"]["return_energy"] * units.Hartree
        self.results = {"energy": energy, "free_energy": energy}
        if found["driver"] == "gradient":
            gradient = self.atoms.positions * 0.0
            gradient.flat[:] = found["return_result"]
            self.results["forces"] = -gradient * units.Hartree / units.Bohr
        dipole = found["properties"]["scf_dipole_moment"]
        self.results["dipole"] = self.atoms.positions[0] * 0.0 + dipole
        self.results["dipole"] *= units.Bohr
        charges = found["extras"]["hf"].get("properties", {}).get("mulliken_charges")
        if charges is not None:
            self.results["charges"] = self.atoms.positions[:, 0] * 0.0 + charges

    def launch(self, atoms, properties=None, port=None, unixsocket=None):
        """Starts an hf that connects to a socket of ASE; for SocketIOCalculator(launch_client=...)."""
        self.write_input(atoms)
        address = f"unix:{unixsocket}" if unixsocket is not None else f"localhost:{port}"
        self.report = open(self.path(".out"), "w", encoding="utf-8")  # of hf, as long as the calculator lives
        return subprocess.Popen([*self.arguments(), "--serve", address], stdout=self.report)


def hf_socket(command="hf", folder=None, label="hf", log=None, **keywords):
    """A SocketIOCalculator with an hf of its own; close it, or use it in a with-block."""
    calculator = HF(command, folder, label, **keywords)
    hf_socket.number = getattr(hf_socket, "number", 0) + 1
    name = f"hf_{os.getpid()}_{hf_socket.number}"
    return SocketIOCalculator(launch_client=calculator.launch, unixsocket=name, log=log)
