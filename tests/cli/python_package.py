"""The package hf on all ranks of a job; test_python.py starts it. Prints "OK" on every rank when all checks hold."""

import copy
import os
import signal
import sys
import tempfile
import time
import warnings

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import numpy

import hf

WATER = [[0, 0, 0.1173], [0, 0.7572, -0.4692], [0, -0.7572, -0.4692]]
FAILURES = []


def check(holds, what, detail=""):
    if not holds:
        FAILURES.append(f"{what} {detail}")


def failure_of(call):
    try:
        call()
    except Exception as failure:  # pylint: disable=broad-exception-caught
        return failure
    return None


def hydrogen(n, basis="STO-3G"):
    """Inputs, one after the other."""
    for i in range(n):
        yield hf.task_of("energy", "HH", [[0, 0, 0], [0, 0, 0.7 + 0.002 * i]], basis=basis)


def check_one_by_one():
    places = numpy.array(WATER)
    energy, gradient = hf.gradient(["O", "H", "H"], places, basis="STO-3G")
    check(gradient.shape == (3, 3) and abs(gradient.sum(axis=0)).max() < 1e-7, "gradient", gradient)
    step = numpy.zeros((3, 3))
    step[1, 2] = 1e-3
    above, below = (hf.energy([8, 1, 1], places / hf.BOHR + sign * step, unit="bohr", basis="STO-3G") for sign in (1, -1))
    check(abs((above - below) / 2e-3 - gradient[1, 2]) < 1e-6, "gradient from energies", [(above - below) / 2e-3, gradient[1, 2]])
    alone = hf.energy("OHH", places, basis="STO-3G", reproducible=True)
    check(abs(alone - energy) < 1e-8, "energies with and without the last orbitals", [alone, energy])
    usual = hf.energy("OHH", places, basis="STO-3G", charge=1, multiplicity=2, max_iterations=60, field=[0.0, 0.0, 0.01])
    numbers = hf.energy("OHH", places, basis=numpy.str_("STO-3G"), charge=numpy.int64(1), multiplicity=numpy.int32(2), max_iterations=numpy.int64(60),
                        field=numpy.array([0.0, 0.0, 0.01]))
    check(abs(usual - numbers) < 1e-7, "keywords of NumPy", [usual, numbers])


def check_documents():
    task = hf.task_of("energy", "OHH", WATER, basis="STO-3G")
    answer = hf.run(task)
    check(answer["schema_name"] == "qcschema_atomic_result" and answer["input_data"] == task and "stdout" not in answer, "version 2", list(answer))
    task["specification"].pop("protocols")
    check("Total energy -74.96" in hf.run(task)["stdout"], "the report")
    answer = hf.run({"schema_name": "qcschema_input", "schema_version": 1, "driver": "energy", "model": {"method": "hf", "basis": "STO-3G"},
                     "molecule": task["molecule"]})
    check(answer["schema_name"] == "qcschema_output" and answer["extras"]["hf"]["launch"]["ranks"] == hf.session().n_rank, "version 1", list(answer))
    check(abs(hf.run("2\ncharge=0\nH 0 0 0\nH 0 0 0.74\n")["return_result"] + 1.12) < 0.01, "text in another format")


def check_files():
    """Keywords that name files write them; those that only the program knows are refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{hf.session().n_rank}.molden")
        shared = path if hf.session().n_rank == 1 else "/dev/null"  # ranks have the same input
        hf.energy("HH", [[0, 0, 0], [0, 0, 0.74]], basis="STO-3G", molden=shared)
        check(shared != path or os.path.getsize(path) > 500, "a file of Molden")
    for key, value in {"restart": "c.h5", "serve": "unix:hf", "fragments": "auto", "json": "hf.json"}.items():
        failure = failure_of(lambda key=key, value=value: hf.energy("HH", [[0, 0, 0], [0, 0, 0.74]], basis="STO-3G", **{key: value}))
        check(str(failure) == f"input: {key} is no setting of a calculation in memory", f"keyword {key}", repr(failure))


def check_failures():
    failure = failure_of(lambda: hf.energy("OHH", WATER, basis="nonsense"))
    check(isinstance(failure, hf.Error) and str(failure) == 'input: unknown basis set "nonsense"; hf --list-basis shows all', "line of a failure", repr(failure))
    check(failure.answer["schema_name"] == "qcschema_failed_operation" and failure.answer["success"] is False, "answer of a failure", failure.answer)
    check(str(copy.copy(failure)) == str(failure), "a copy of a failure", repr(copy.copy(failure)))
    check(hf.run(hf.task_of("energy", "OHH", WATER, max_iterations=2, basis="6-31G"), check=False)["error"]["error_type"] == "convergence_error", "no convergence")
    check("not a number" in str(failure_of(lambda: hf.energy("OHH", WATER, smearing="warm"))), "wrong keyword")
    failure = failure_of(lambda: hf.energy("HH", [[0, 0, 0], [0, 0, 1]], unit="feet"))
    check(str(failure) == "unit 'feet'; expected angstrom or bohr", "wrong unit", repr(failure))
    check("the character NUL" in str(failure_of(lambda: hf.run("2\n\nH 0 0 0\nH 0 0 1\n\0"))), "the character NUL")
    if hf.session().n_rank > 1:
        failure = failure_of(lambda: hf.energy("HH", [[0, 0, 0], [0, 0, 0.7 + hf.session().rank]], basis="STO-3G"))
        check(isinstance(failure, hf.Error) and "the input" in str(failure), "ranks with different inputs", repr(failure))
    elif os.fork() == 0:
        failure = failure_of(lambda: hf.energy("HH", [[0, 0, 0], [0, 0, 0.7]], basis="STO-3G"))
        os._exit(0 if isinstance(failure, hf.Error) and "forked" in str(failure) else 1)
    else:
        check(os.wait()[1] == 0, "a process that was forked")


def ring(_signal, _frame):
    raise TimeoutError("a signal")


def check_signals():
    """A signal for Python, as Ctrl-C, ends the calculation on all ranks."""
    signal.signal(signal.SIGALRM, ring)
    rank, began = hf.session().rank, time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2 if rank == 0 else 0)
    failure = failure_of(lambda: hf.energy(["C"] * 10, [[0, 0, 1.3 * i] for i in range(10)], basis="cc-pVTZ"))
    check(isinstance(failure, TimeoutError if rank == 0 else hf.Error) and time.monotonic() - began < 20, "a signal", repr(failure))


def broken():
    yield from hydrogen(2)
    raise ValueError("no more")


def check_many():
    writes = hf.session().rank == 0
    found = dict(hf.each(hydrogen(40), threads=1))
    check(sorted(found) == (list(range(40)) if writes else []), "numbers of answers", sorted(found))
    for i, task in enumerate(hydrogen(3)):
        energy = hf.run(task)["return_result"]
        check(not writes or abs(found[i]["return_result"] - energy) < 1e-8, f"molecule {i} of many", energy)
    tasks = [*hydrogen(2), *hydrogen(1, "nonsense"), "no input"]
    good = {i: answer["success"] for i, answer in hf.each(tasks, field=numpy.array([0, 0, 0.01]), guess=None)}
    check(good == ({0: True, 1: True, 2: False, 3: False} if writes else {}), "failures among many", good)
    failure = failure_of(lambda: list(hf.each(broken())))
    check(str(failure) == "no more" if writes else failure is None, "inputs that end in an exception", repr(failure))
    failure = failure_of(lambda: list(hf.each(hydrogen(2), bassis="STO-3G")))
    check(str(failure) == "unknown key 'bassis'; did you mean basis", "wrong keyword for many", repr(failure))
    for i, _ in hf.each(hydrogen(2000)):
        break  # the others are not computed
    check(abs(hf.energy("HH", [[0, 0, 0], [0, 0, 0.7]], basis="STO-3G") + 1.117) < 0.01, "after a loop that was left")


def check_calculator():
    """ASE's, on all ranks."""
    from ase.build import molecule
    from hf_ase import HF

    atoms = molecule("H2O")
    atoms.calc = HF(basis="STO-3G")
    energy = atoms.get_potential_energy()
    charged = molecule("H2O")
    charged.set_initial_charges([1, 0, 0])
    charged.calc = HF(basis="STO-3G", field=[0, 0, 0.01])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        charged.get_potential_energy()
    check(any("the energy of an ion depends" in str(one.message) for one in caught), "warnings", [str(one.message) for one in caught])
    before = os.getcwd()
    os.chdir("/")
    copied = molecule("H2O")
    copied.positions += 0.4
    copied.calc = copy.deepcopy(atoms.calc)
    check(abs(copied.get_potential_energy() - energy) < 1e-6, "a copy in another folder", [copied.get_potential_energy(), energy])
    os.chdir(before)
    atoms.calc.set(basis="nonsense")
    check('unknown basis set "nonsense"' in str(failure_of(atoms.get_potential_energy)), "line of a calculator")


check_one_by_one()
check_documents()
check_files()
check_failures()
check_signals()
check_many()
check_calculator()
hf.session().close()
check("this session was closed" in str(failure_of(lambda: hf.energy("HH", [[0, 0, 0], [0, 0, 0.7]], basis="STO-3G"))), "a closed session")
for line in FAILURES:
    print("FAILED", line)
sys.stdout.write("OK\n" if not FAILURES else "\n")  # at once, or lines of two ranks mix
sys.stdout.flush()
