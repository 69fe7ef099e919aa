"""hf as a calculator of ASE, the Atomic Simulation Environment.

    from hf_ase import HF, hf_socket

    atoms.calc = HF(basis="def2-SVP")                                in this process, by the package hf
    atoms.calc = HF(basis="def2-SVP", command="mpiexec -n 4 hf")     a run of hf for each geometry
    with hf_socket("mpiexec -n 4 hf", basis="def2-SVP") as calculator:    one run of hf, which is told the geometries
        atoms.calc = calculator
        BFGS(atoms).run()

Keywords are options of hf (hf --help all), with _ or - in their names. Energies are in eV, forces in eV/angstrom, as
everywhere in ASE. There are no periodic boundary conditions.
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

import hf


def own_lines(text):
    """What hf says on standard error, without what mpiexec adds."""
    return "\n".join(line for line in text.splitlines() if line.startswith("hf: "))


def difference(there, here):
    """In what two molecules differ, in words."""
    one, other = there["symbols"], here["symbols"]
    if len(one) != len(other):
        return f"{len(one)} atoms there, {len(other)} here"
    for i, pair in enumerate(zip(one, other)):
        if pair[0] != pair[1]:
            return f"atom {i} is {pair[0]} there and {pair[1]} here"
    states = [f"charge {of['molecular_charge']}, multiplicity {of.get('molecular_multiplicity', 'not given')}" for of in (there, here)]
    return f"{states[0]} there; {states[1]} here"


class HF(Calculator):
    """hf in this process, or a run of hf for each geometry, with files LABEL.* in a folder.

    command    None: in this process, on all of its ranks if it was started by mpiexec. Else what starts hf, for example "mpiexec -n 4 hf". Start no more ranks than there are cores: two on one core
               took 3 s for a geometry instead of 0.014 s
    folder     with a command: of the files, made if need be; the default is one that goes with the calculator
    label      name of the files without endings: LABEL.in.json, LABEL.json, LABEL.out, LABEL.h5, LABEL.last.h5

    The orbitals of the last geometry are the start for the next one. The multiplicity may be a keyword; otherwise it
    follows from initial magnetic moments of the atoms, if they have any. Initial charges of atoms give the total charge.
    A copy of the calculator, or one that was pickled, has a folder of its own unless one is given.
    """

    implemented_properties = ["energy", "free_energy", "forces", "dipole", "charges"]

    def __init__(self, command=None, folder=None, label="hf", **keywords):
        # the working directory may change later
        self.command = command and [os.path.abspath(word) if os.sep in word and os.path.exists(word) else word for word in shlex.split(command)]
        self.folder, self.name_of_files = folder and os.path.abspath(folder), label
        self._temporary = None  # folder, if none is given
        self._orbitals_of = None  # chemical symbols that the checkpoint is for, and when it was written
        self.launched = None  # molecule of the hf that is connected to a socket, without places
        self._warned = []  # warnings of hf that were shown
        Calculator.__init__(self)
        self.parameters.update(keywords)

    def __getstate__(self):
        """Of copies and pickles: files belong to this calculator."""
        return {**self.__dict__, "_temporary": None, "_orbitals_of": None, "launched": None}

    def set(self, **keywords):
        """Changes keywords; results are computed anew."""
        self.reset()
        self.parameters.update(keywords)

    def path(self, ending):
        if self.folder is None and self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="hf-")
        return os.path.join(self.folder or self._temporary.name, self.name_of_files + ending)

    def molecule(self, atoms):
        """Symbols, charge and multiplicity, as QCSchema has them."""
        if atoms.pbc.any():
            raise CalculationFailed(f"hf has no periodic boundary conditions: pbc is {atoms.pbc.tolist()}; expected atoms.pbc = False")
        keywords = {key.replace("-", "_"): value for key, value in self.parameters.items()}
        charge = keywords.get("charge", round(float(atoms.get_initial_charges().sum()), 6))
        molecule = {"symbols": list(atoms.get_chemical_symbols()), "molecular_charge": charge, "fix_com": True, "fix_orientation": True}
        moment = abs(float(atoms.get_initial_magnetic_moments().sum()))
        multiplicity = keywords.get("multiplicity", round(moment) + 1 if moment > 0 else None)
        if multiplicity is not None:
            molecule["molecular_multiplicity"] = multiplicity
        return molecule

    def task(self, atoms, driver="gradient"):
        """A QCSchema AtomicInput."""
        molecule = {**self.molecule(atoms), "geometry": (atoms.positions / units.Bohr).ravel().tolist()}
        keywords = {key.replace("-", "_"): value for key, value in self.parameters.items()}
        if driver == "energy":
            keywords.pop("gradient", None)  # how forces are computed
        model = {"method": keywords.pop("method", "hf")}
        if "basis" in keywords:
            model["basis"] = keywords.pop("basis")
        for key in ("charge", "multiplicity"):
            keywords.pop(key, None)
        return {"schema_name": "qcschema_input", "schema_version": 1, "driver": driver, "model": model, "keywords": keywords,
                "protocols": {"stdout": False}, "molecule": molecule}

    def write_input(self, atoms, driver="gradient"):
        """Writes LABEL.in.json."""
        text = json.dumps(self.task(atoms, driver), default=hf.plain)
        os.makedirs(os.path.dirname(self.path("")), exist_ok=True)
        with open(self.path(".in.json"), "w", encoding="utf-8") as file:
            file.write(text)

    def arguments(self):
        """The command that reads LABEL.in.json."""
        return [*self.command, self.path(".in.json")]

    def checkpoint(self):
        """Chemical symbols and when LABEL.h5 was written; another run may have replaced it."""
        try:
            return list(self.atoms.symbols), os.stat(self.path(".h5")).st_mtime_ns
        except FileNotFoundError:
            return None

    def run(self, driver):
        """The answer, in this process or of a run of hf, which writes it to LABEL.json."""
        if self.command is None:
            try:
                return hf.run(self.task(self.atoms, driver))
            except hf.Error as failure:
                raise CalculationFailed(str(failure)) from failure
        self.write_input(self.atoms, driver)
        options = ["--json", self.path(".json"), "--checkpoint", self.path(".h5")]
        if self._orbitals_of is not None and self._orbitals_of == self.checkpoint() and "guess" not in self.parameters:
            os.replace(self.path(".h5"), self.path(".last.h5"))
            options += ["--guess", self.path(".last.h5")]
        if os.path.exists(self.path(".json")):
            os.remove(self.path(".json"))
        with open(self.path(".out"), "w", encoding="utf-8") as report:
            done = subprocess.run([*self.arguments(), *options], stdout=report, stderr=subprocess.PIPE, text=True, check=False, env=hf.environment())
        found = {}
        if os.path.exists(self.path(".json")):  # a failure is written, too
            with open(self.path(".json"), encoding="utf-8") as file:
                found = json.load(file)
        if done.returncode != 0:
            self._orbitals_of = None
            reason = own_lines(done.stderr) or (found.get("error") or {}).get("error_message") or done.stderr.strip() or self.command[0]
            raise CalculationFailed(f"{reason} (exit code {done.returncode}; report: {self.path('.out')})")
        self._orbitals_of = self.checkpoint()
        return found

    def warn(self, texts):
        """Warnings of hf as those of Python, each once."""
        for text in texts:
            if text not in self._warned:
                warnings.warn(f"hf: {text}", stacklevel=2)
                self._warned.append(text)

    def errors(self):
        """What the hf of a socket wrote to standard error."""
        with open(self.path(".err"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes):
        Calculator.calculate(self, atoms, properties, system_changes)
        found = self.run("gradient" if "forces" in properties else "energy")
        self.warn(found["extras"]["hf"]["warnings"])
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
        """Starts an hf that connects to a socket of ASE; for HFSocket."""
        self.write_input(atoms)
        self.launched = self.molecule(atoms)
        address = f"unix:{unixsocket}" if unixsocket is not None else f"localhost:{port}"
        with open(self.path(".out"), "w", encoding="utf-8") as report, open(self.path(".err"), "w", encoding="utf-8") as errors:
            return subprocess.Popen([*self.arguments(), "--serve", address], stdout=report, stderr=errors, env=hf.environment())


class HFSocket(SocketIOCalculator):
    """A SocketIOCalculator that computes no other molecule than its hf has, and reports why hf ended."""

    def __init__(self, calculator, **keywords):
        self.hf = calculator
        SocketIOCalculator.__init__(self, launch_client=calculator.launch, **keywords)

    def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes):
        molecule = self.hf.molecule(atoms)
        if self.server is not None and self.hf.launched != molecule:
            raise CalculationFailed(f"the hf of this socket has another molecule: {difference(self.hf.launched, molecule)}; expected an hf_socket for each")
        try:
            SocketIOCalculator.calculate(self, atoms, properties, system_changes)
        except OSError as failure:  # the connection broke: hf has ended, and the next geometry starts another one
            server, self.server = self.server, None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                server.close()
            errors = self.hf.errors()
            raise CalculationFailed(own_lines(errors) or errors.strip() or str(failure)) from failure
        begin = "hf: warning: "
        self.hf.warn(line.removeprefix(begin) for line in self.hf.errors().splitlines() if line.startswith(begin))


def hf_socket(command="hf", folder=None, label="hf", log=None, **keywords):
    """A SocketIOCalculator with an hf of its own; close it, or use it in a with-block."""
    calculator = HF(command, folder, label, **keywords)
    hf_socket.number = getattr(hf_socket, "number", 0) + 1
    name = f"hf_{os.getpid()}_{hf_socket.number}"
    return HFSocket(calculator, unixsocket=name, log=log)
