#!/usr/bin/env python3
"""hf under ASE (in the process, files and socket) and QCEngine, and the package hf.

Usage: test_python.py HF MPIEXEC FOLDER_OF_MODULES short|long
Exit code 0 when all checks hold, 77 when ASE or QCEngine is not there.
"""

import copy
import gc
import importlib
import json
import os
import pickle
import shlex
import subprocess
import sys
import tempfile
import types
import warnings

sys.dont_write_bytecode = True
PATH, MPIEXEC, MODULES, SIZE = sys.argv[1:5]
os.environ.setdefault("HF_LIBRARY", os.path.join(os.path.dirname(os.path.abspath(PATH)), "libhf.so"))
PATH, MODULES = os.path.abspath(PATH), os.path.abspath(MODULES)
sys.path.insert(0, MODULES)

try:
    import numpy
    import qcengine
    from ase import Atoms, units
    from ase.build import molecule
    from ase.calculators.calculator import CalculationFailed
    from ase.io import read
    from ase.md.velocitydistribution import MaxwellBoltzmannDistribution
    from ase.md.verlet import VelocityVerlet
    from ase.optimize import BFGS
except ImportError as missing:
    print(missing)
    sys.exit(77)

import hf
import hf_qcengine
from hf_ase import HF, hf_socket

PROGRAM = shlex.quote(PATH)
# of Psi4, optimised to gau_verytight: RHF/STO-3G water
WATER = -74.965901192
FAILURES = []


def check(holds, what, detail=""):
    if not holds:
        FAILURES.append(f"{what} {detail}")


def check_files(folder):
    atoms = molecule("H2O")
    atoms.calc = HF(PROGRAM, folder, basis="STO-3G")
    forces, energy = atoms.get_forces(), atoms.get_potential_energy()
    atoms.positions[0, 2] += 0.005
    above = atoms.get_potential_energy()
    with open(os.path.join(folder, "hf.out"), encoding="utf-8") as file:
        check("hf.last.h5" in file.read(), "the last orbitals are not the guess")
    atoms.positions[0, 2] -= 0.01
    below = atoms.get_potential_energy()
    check(abs((above - below) / 0.01 + forces[0, 2]) < 1e-3, f"files: force {forces[0, 2]}, energies {below} {energy} {above}")
    check(abs(atoms.get_charges().sum()) < 1e-6 and atoms.get_dipole_moment()[2] < -0.3, "charges or dipole moment")
    radical = Atoms("OH", [[0, 0, 0], [0, 0, 0.97]], magmoms=[1, 0])
    radical.calc = HF(PROGRAM, folder, basis="STO-3G", method="uhf", coulomb="exact")
    check(abs(radical.get_potential_energy() / units.Hartree + 74.36) < 0.05, f"radical: {radical.get_potential_energy() / units.Hartree}")
    radical.calc.set(basis="nonsense")
    try:
        radical.get_potential_energy()
        check(False, "an unknown basis set is no failure")
    except CalculationFailed as failure:
        check('unknown basis set "nonsense"' in str(failure), "message:", str(failure))


def check_crowd():
    """Ranks that share a core are told of once."""
    command = f"taskset -c {min(os.sched_getaffinity(0))} {shlex.quote(MPIEXEC)} -n 2 {PROGRAM}"
    for calculator in (HF(command, basis="STO-3G"), hf_socket(command, basis="STO-3G")):
        atoms = molecule("H2")
        atoms.calc = calculator
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                atoms.get_potential_energy()
                atoms.positions[0, 2] += 0.01
            if not isinstance(calculator, HF):
                calculator.close()
        told = [str(one.message) for one in caught if "hf: " in str(one.message)]
        check(len(told) == 1 and "hf: 2 ranks share 1 core" in told[0], "ranks on one core:", str(told))


def check_reason_under_mpiexec():
    """mpiexec has words of its own; the reason is hf's."""
    calculator = HF(f"{shlex.quote(MPIEXEC)} -n 2 {PROGRAM}", basis="STO-3G", max_iterations=2)
    check_failure(lambda: energy_of(calculator), "unconverged on two ranks", "the SCF did not converge in 2 iterations")


def check_failure(of, what, part):
    try:
        of()
        check(False, f"{what}: no failure")
    except CalculationFailed as failure:
        check(part in str(failure) and len(str(failure).splitlines()) == 1, f"{what}: message:", str(failure))
    except Exception as failure:  # pylint: disable=broad-exception-caught
        check(False, f"{what}:", repr(failure))


def energy_of(calculator, atoms=None):
    atoms = atoms.copy() if atoms is not None else molecule("H2O")
    atoms.calc = calculator
    return atoms.get_potential_energy()


def check_copies():
    """A copy outlives its original, and so does one that was pickled."""
    original = HF(PROGRAM, basis="STO-3G")
    energy = energy_of(original)
    copies = [copy.deepcopy(original), pickle.loads(pickle.dumps(original))]
    del original
    gc.collect()
    for calculator in copies:
        calculator.reset()
        found = energy_of(calculator)
        check(abs(found - energy) < 1e-6, f"copy: {found}, original {energy}")


def check_folder(folder):
    """A relative folder and command stay where they were."""
    before = os.getcwd()
    try:
        os.chdir(folder)
        calculator = HF(shlex.quote(os.path.relpath(PATH)), "run", basis="STO-3G")
        energy = energy_of(calculator)
        os.chdir(before)
        moved = molecule("H2O")
        moved.positions += 0.3
        check(abs(energy_of(calculator, moved) - energy) < 1e-6, "folder: energy")
        check(os.path.exists(os.path.join(folder, "run", "hf.last.h5")) and not os.path.exists("run"), "folder: files", str(os.listdir(folder)))
    except OSError as failure:
        check(False, "folder:", repr(failure))
    finally:
        os.chdir(before)


def check_keywords():
    """Numbers and arrays of NumPy are values."""
    usual = {"basis": "STO-3G", "charge": 1, "multiplicity": 2, "max_iterations": 60, "energy_tolerance": 1e-9, "guess_mix": False,
             "field": [0.0, 0.0, 0.01]}
    numbers = {"basis": numpy.str_("STO-3G"), "charge": numpy.int64(1), "multiplicity": numpy.int32(2), "max_iterations": numpy.int64(60),
               "energy_tolerance": numpy.float32(1e-9), "guess_mix": numpy.bool_(False), "field": numpy.array([0.0, 0.0, 0.01])}
    try:
        found = [energy_of(HF(PROGRAM, **keywords)) for keywords in (usual, numbers)]
        check(abs(found[0] - found[1]) < 1e-5, f"keywords of NumPy: {found}")
    except TypeError as failure:
        check(False, "keywords of NumPy:", repr(failure))


def check_refusals():
    few = {"basis": "STO-3G", "max_iterations": 2}
    check_failure(lambda: energy_of(HF(PROGRAM, **few)), "not converged", "the SCF did not converge in 2 iterations")
    crystal = molecule("H2O", vacuum=3.0, pbc=[True, False, True])
    check_failure(lambda: energy_of(HF(PROGRAM, basis="STO-3G"), crystal), "pbc", "no periodic boundary conditions: pbc is [True, False, True]")
    with hf_socket(PROGRAM, basis="STO-3G") as calculator:
        check_failure(lambda: energy_of(calculator, crystal), "pbc, socket", "no periodic boundary conditions")
        water = molecule("H2O")
        energy = energy_of(calculator, water)
        check_failure(lambda: energy_of(calculator, water[[1, 0, 2]]), "other order", "atom 0 is O there and H here")
        check_failure(lambda: energy_of(calculator, water[:2]), "fewer atoms", "3 atoms there, 2 here")
        cation = molecule("H2O")
        cation.set_initial_charges([1, 0, 0])
        check_failure(lambda: energy_of(calculator, cation), "other charge", "charge 0.0, multiplicity not given there; charge 1.0, mult")
        check(abs(energy_of(calculator, water) - energy) < 1e-6, "the molecule of the socket after others")
    with hf_socket(PROGRAM, **few) as calculator:
        for _ in range(2):
            check_failure(lambda: energy_of(calculator), "not converged, socket", "the SCF of geometry 1 did not converge")


def check_optimisation(command):
    atoms = molecule("H2O")
    with hf_socket(command, basis="STO-3G") as calculator:
        atoms.calc = calculator
        check(BFGS(atoms, logfile=None).run(fmax=0.005, steps=20), "the optimisation does not end")
        energy = atoms.get_potential_energy() / units.Hartree
    check(abs(energy - WATER) < 1e-6, f"optimised with {command}: {energy}, expected {WATER}")


def check_dynamics(n_step, femtoseconds):
    atoms = molecule("H2O")
    MaxwellBoltzmannDistribution(atoms, temperature_K=300, rng=numpy.random.default_rng(1))
    total = []
    with hf_socket(PROGRAM, basis="6-31G") as calculator:
        atoms.calc = calculator
        dynamics = VelocityVerlet(atoms, femtoseconds * units.fs)
        dynamics.attach(lambda: total.append(atoms.get_total_energy() / units.Hartree))
        dynamics.run(n_step)
    kept = max(total) - min(total)
    print(f"{n_step} steps of {femtoseconds} fs: total energy within {kept:.1e} hartree")
    return kept


def check_trajectory(folder):
    """ASE reads what hf wrote: energies in eV, the state of the ion."""
    given, path = os.path.join(folder, "hydroxide.xyz"), os.path.join(folder, "trajectory.xyz")
    with open(given, "w", encoding="utf-8") as file:
        file.write("2\ncharge=-1 multiplicity=1\nO 0 0 0\nH 0 0 1.1\n")
    done = subprocess.run([PATH, given, "--task", "optimise", "--basis", "STO-3G", "--trajectory", path, "--checkpoint", "none"],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, "trajectory", done.stderr)
    images = read(path, index=":")
    last = images[-1]
    check(last.info.get("charge") == -1 and last.info.get("multiplicity") == 1, "trajectory: state", last.info)
    energy = last.get_potential_energy() / units.Hartree
    check(-74.1 < energy < -74.0 and abs(energy - last.info["energy_hartree"]) < 1e-6, f"trajectory: {energy} hartree", last.info)
    check(f"{last.info['energy_hartree']:.10f}" in done.stdout and len(images) > 1, f"trajectory: {len(images)} images, or another energy than the report")


def check_package(folder):
    """In a process of its own, which ends with MPI, and on two ranks."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_package.py")
    for launcher in ([], [MPIEXEC, "-n", "2"]):
        done = subprocess.run([*launcher, sys.executable, script, MODULES], capture_output=True, text=True, cwd=folder, check=False, env=hf.environment())
        n = int(launcher[-1]) if launcher else 1
        check(done.returncode == 0 and done.stdout.split().count("OK") == n, f"the package on {n}:", done.stdout + done.stderr)
    check(os.listdir(folder) == [], "the package leaves files:", os.listdir(folder))


def check_next_qcengine():
    """The harness under a base class as QCEngine has it from 0.50 on. These modules stand in for QCEngine and QCElemental, whose
    releases for pydantic 2 are not here; they were written from the documentation and check names and fields only."""
    class Model:
        fields = ()

        def __init__(self, **values):
            assert set(values) <= set(self.fields), set(values) - set(self.fields)
            self.__dict__.update(values)

    class AtomicInput(Model):
        fields = ("schema_name", "schema_version", "molecule", "specification", "id", "provenance")

        def model_dump_json(self):
            return json.dumps(self.__dict__)

    class AtomicResult(Model):
        fields = ("schema_name", "schema_version", "id", "input_data", "molecule", "properties", "wavefunction", "return_result", "stdout", "stderr",
                  "native_files", "success", "provenance", "extras")

    class FailedOperation(Model):
        fields = ("schema_name", "schema_version", "id", "input_data", "success", "error", "extras")

    class ProgramHarness(Model):
        model_config = {"frozen": True, "extra": "forbid"}
        fields = ("name", "scratch", "thread_safe", "thread_parallel", "node_parallel", "managed_memory", "extras", "version_cache", "command")

        def __init__(self, **values):
            super().__init__(**{**self._defaults, **values})

    registered = []
    parts = {
        "qcelemental": {}, "qcelemental.util": {"safe_version": str}, "qcelemental.models": {},
        "qcelemental.models.v2": {"AtomicResult": AtomicResult, "FailedOperation": FailedOperation}, "qcengine": {},
        "qcengine.programs": {"register_program": registered.append}, "qcengine.programs.model": {"ProgramHarness": ProgramHarness}}
    before = {name: sys.modules.get(name) for name in [*parts, "hf_qcengine"]}
    try:
        for name, members in parts.items():
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__dict__.update(members)
        del sys.modules["hf_qcengine"]
        module = importlib.import_module("hf_qcengine")
        config = types.SimpleNamespace(ncores=1, scratch_directory=None)
        for command in (None, PATH):
            module.register(command)
            harness, version = registered[-1], registered[-1].get_version()
            check(harness.found() and version == harness.get_version() == hf.version(), f"QCEngine 0.50, {command}: version", version)
            task = AtomicInput(**hf.task_of("gradient", "HH", [[0, 0, 0], [0, 0, 0.7]], basis="STO-3G"))
            done = harness.compute(task, config)
            check(isinstance(done, AtomicResult) and len(done.return_result) == 6 and done.input_data is task, f"QCEngine 0.50, {command}:", str(done.__dict__)[:500])
            task.specification["model"]["basis"] = "nonsense"
            done = harness.compute(task, config)
            check(isinstance(done, FailedOperation) and "nonsense" in done.error["error_message"], f"QCEngine 0.50, {command}: failure", str(done.__dict__)[:500])
    finally:
        for name, old in before.items():
            if old is None:
                sys.modules.pop(name)
            else:
                sys.modules[name] = old


def check_qcengine(command):
    hf_qcengine.register(command)
    water = {"symbols": ["O", "H", "H"], "geometry": [0, 0, 0.2, 0, 1.5, -0.9, 0, -1.5, -0.9]}
    asked = {"molecule": water, "driver": "energy", "model": {"method": "hf", "basis": "STO-3G"}, "extras": {"mine": 1}}
    shapes = {"energy": (), "gradient": (3, 3), "hessian": (9, 9)}
    one = {"ncores": 1}  # else QCEngine refuses a process that may use one core only
    for driver, shape in shapes.items():
        done = qcengine.compute({**asked, "driver": driver}, "hf", task_config=one)
        check(done.success and numpy.shape(done.return_result) == shape and done.extras["mine"] == 1, f"QCEngine: {driver}", str(done)[:500])
    check(abs(qcengine.compute(asked, "hf", task_config=one).return_result + 74.9635104124) < 1e-8, "QCEngine: energy")
    done = qcengine.compute({**asked, "model": {"method": "hf", "basis": "nonsense"}}, "hf", task_config=one)
    check(not done.success and done.error.error_type == "input_error" and "nonsense" in done.error.error_message, "QCEngine: failure", str(done)[:500])


def main():
    if SIZE == "long":
        check_optimisation(f"{shlex.quote(MPIEXEC)} -n 2 {PROGRAM}")
        large, small = check_dynamics(100, 0.5), check_dynamics(100, 0.25)
        check(large < 2e-4 and small < 0.35 * large, f"dynamics: total energy within {large}, with half of the step {small}")
    else:
        with tempfile.TemporaryDirectory() as folder:
            check_files(folder)
            check_trajectory(folder)
        with tempfile.TemporaryDirectory() as folder:
            check_folder(folder)
        check_copies()
        check_keywords()
        check_refusals()
        check_crowd()
        check_reason_under_mpiexec()
        check_optimisation(PROGRAM)
        check_qcengine(PATH)
        qcengine.unregister_program("hf")
        check_qcengine(None)
        check_reason_under_mpiexec()  # also after MPI has begun in this process
        check_next_qcengine()
        with tempfile.TemporaryDirectory() as folder:
            check_package(folder)
    for failure in FAILURES:
        print("FAILED", failure)
    return 1 if FAILURES else 0


sys.exit(main())
