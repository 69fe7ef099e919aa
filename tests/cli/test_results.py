#!/usr/bin/env python3
"""What people take from a run: properties in the report, Molden and cube files, QCSchema as input; and their messages.

Usage: test_results.py HF MPIEXEC RANKS INPUTS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import copy
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS = sys.argv[1:3] + [int(sys.argv[3]), sys.argv[4]]
TEST = ProgramTest(HF, MPIEXEC, RANKS)
check, run = TEST.check, TEST.run
WATER, OXYGEN = os.path.join(INPUTS, "water.mol"), os.path.join(INPUTS, "oxygen.mol")

ATOMIC_INPUT = {
    "schema_name": "qcschema_input", "schema_version": 1, "driver": "energy",
    "model": {"method": "HF", "basis": "6-31G*"},
    "keywords": {"commutator_tolerance": 1e-6, "guess": "sap"},
    "molecule": {"schema_name": "qcschema_molecule", "schema_version": 2, "name": "water",
                 "symbols": ["O", "H", "H"],
                 "geometry": [0.0, 0.0, 0.22166487, 0.0, 1.43090062, -0.8866595, 0.0, -1.43090062, -0.8866595],
                 "molecular_charge": 0.0, "molecular_multiplicity": 1, "fix_com": True},
}
ENERGY = -76.0105049883  # tests/reference/properties.json

# (what, where in the AtomicInput, value put there, part of the message)
REFUSED = [
    ("unknown driver", ["driver"], "hessians", "unknown task 'hessians'; expected one of energy, gradient, optimise, properties, vibrations"),
    ("driver as a keyword", ["keywords", "task"], "gradient", "keyword 'task': expected in the molecule, the model or the driver"),
    ("no driver", ["driver"], None, "there is no 'driver'"),
    ("unknown keyword", ["keywords", "gess"], "sap", "unknown keyword 'gess'; did you mean guess"),
    ("keyword of the molecule", ["keywords", "charge"], 1, "keyword 'charge': expected in the molecule, the model or the driver"),
    ("keyword that is an object", ["keywords", "guess"], {}, "keyword 'guess' has no value that an input of hf"),
    ("wrong value", ["keywords", "commutator_tolerance"], "small", "commutator_tolerance 'small' is not a number"),
    ("no keywords", ["keywords"], [], "'keywords' is no object"),
    ("unknown key", ["molecule", "geometrie"], [], "unknown key 'geometrie' in the molecule; did you mean geometry"),
    ("unknown top key", ["modell"], {}, "unknown key 'modell' in the AtomicInput; did you mean model"),
    ("no model", ["model"], None, "there is no 'model' with method and basis"),
    ("basis that is an object", ["model", "basis"], {}, "'atom_map' of the basis set has 0 centres; expected one for each of 3 atoms"),
    ("other method", ["model", "method"], "b3lyp", "unknown method 'b3lyp'"),
    ("no molecule", ["molecule"], None, "there is no 'molecule' with symbols and geometry"),
    ("too few numbers", ["molecule", "geometry"], [0.0, 1.0], "3 'symbols' and 2 numbers in 'geometry'"),
    ("null coordinate", ["molecule", "geometry"], [0, 0, 0, 0, 1, None, 0, 2, 0], "coordinate 6 of 'geometry'"),
    ("number as a symbol", ["molecule", "symbols"], [8, "H", "H"], "symbol 1 is not a string"),
    ("unknown symbol", ["molecule", "symbols"], ["Oo", "H", "H"], "unknown element 'Oo'"),
    ("short list of ghosts", ["molecule", "real"], [True], "'real' has no true or false for atom 2"),
    ("half a charge", ["molecule", "molecular_charge"], 0.5, "'molecular_charge' is not a whole number"),
    ("no charge", ["molecule", "molecular_charge"], None, "'molecular_charge' is null; expected a value, or no such key"),
    ("numbers of other elements", ["molecule", "atomic_numbers"], [8, 1, 9], "entry 3 of 'atomic_numbers' is not 1, the number of H"),
    ("a NUL", ["keywords", "guess"], "sap\0x", "a string has the character NUL"),
    ("other version", ["schema_version"], 2, "'schema_version' is not 1, that of qcschema_input; expected version 1 (qcschema_input) or 2"),
    ("unknown protocol", ["protocols"], {"wavefunction": "some"}, "unknown protocol 'some' of 'wavefunction'; expected none, all, return_results"),
    ("unknown protocols", ["protocols"], {"orbitals": "all"}, "unknown key 'orbitals' in the protocols"),
    ("protocols that are a list", ["protocols"], [], "'protocols' is no object"),
    ("orbitals without a JSON file", ["protocols"], {"wavefunction": "all"}, "json_orbitals has no effect without json"),
    ("masses of fewer atoms", ["molecule", "masses"], [16.0, 1.0], "'masses' is not a list with a number for each of 3 atoms"),
    ("a mass of nothing", ["molecule", "masses"], [16.0, 0, 1.0], "entry 2 of 'masses' is not a mass in atomic mass units"),
    ("half a nucleon", ["molecule", "mass_numbers"], [-1, 1.5, -1], "entry 2 of 'mass_numbers' is not a mass number, or -1"),
    ("name of two lines", ["molecule", "name"], "two\nlines", "'name' is not a string of one line"),
]


def write_input(folder, document, name="input.json"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(document if isinstance(document, str) else json.dumps(document, indent=1))
    return path


def changed(place, value):
    document = copy.deepcopy(ATOMIC_INPUT)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return document


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def atomic_inputs(folder):
    output = os.path.join(folder, "output.json")
    for what, place, value, message in REFUSED:
        outcome = run([write_input(folder, changed(place, value))])
        TEST.expect_one_line(what, outcome, 2, ["input.json", message])
    broken = json.dumps(ATOMIC_INPUT, indent=1).replace('"driver": "energy"', '"driver": energy')
    TEST.expect_one_line("no JSON", run([write_input(folder, broken)]), 2, ["input.json, line 4", "and is none from here on"])
    twice = json.dumps(ATOMIC_INPUT).replace('"molecular_charge": 0.0', '"molecular_charge": 0.0, "molecular_charge": 2')
    TEST.expect_one_line("two charges", run([write_input(folder, twice)]), 2, ["input.json: key 'molecular_charge' in the molecule was given before"])
    TEST.expect_one_line("another object of the schema", run([write_input(folder, changed(["schema_name"], "qcschema_basis"))]), 2,
                         ["this looks like a JSON file, which hf does not read; expected a QCSchema AtomicInput or result"])
    run([write_input(folder, ATOMIC_INPUT), "--json", output])
    result = read_json(output)
    check(abs(result["return_result"] - ENERGY) < 1e-8, "AtomicInput: the energy", result["return_result"])
    check(result["driver"] == "energy" and result["molecule"]["name"] == "water", "AtomicInput: driver and name", "")
    check(result["keywords"]["guess"] == "sap", "AtomicInput: keywords", "")
    code, report, errors = run([output, "--basis", result["model"]["basis"], "--json", os.path.join(folder, "again.json"), "--charge", "2"])
    again = read_json(os.path.join(folder, "again.json"))
    same = [again["molecule"][key] == result["molecule"][key] for key in ("symbols", "geometry", "real", "name")]
    check(code == 0 and all(same) and again["molecule"]["molecular_charge"] == 2, "a result as input: the molecule", errors + str(again["molecule"]))
    code, report, errors = run([output, "--basis", result["model"]["basis"]])
    check(f"Total energy {str(ENERGY)[:10]}" in report and "\nNote: " in report and "Warning: " not in report, "a result as input: the energy", report + errors)
    run([write_input(folder, changed(["driver"], "properties")), "--json", output])
    result = read_json(output)
    check(result["driver"] == "properties", "AtomicInput of properties: driver", result["driver"])
    check(abs(result["return_result"]["mulliken_charges"][0] + 0.8662278) < 1e-5, "AtomicInput of properties: charges", "")
    check(abs(result["properties"]["return_energy"] - ENERGY) < 1e-8, "AtomicInput of properties: energy", "")
    ghost = changed(["molecule", "real"], [True, True, False])
    ghost["molecule"].update({"molecular_multiplicity": 2, "masses": [16.0, 1.0, 1.0], "mass_numbers": [16, 2, -1]})
    ghost["protocols"] = {"wavefunction": "all"}
    outcome = run([write_input(folder, ghost), "--json", output, "--basis", "STO-3G"])
    result = read_json(output)
    check(result["molecule"]["masses"][:2] == [16.0, 1.0], "AtomicInput: masses", result["molecule"])
    heavy = changed(["molecule", "mass_numbers"], [-1, 2, -1])
    report = run([write_input(folder, heavy), "--json", output, "--basis", "STO-3G", "--properties", "all"])[1]
    masses = read_json(output)["extras"]["hf"]["properties"]["masses"]
    check(abs(masses[1] - 2.01410177812) < 1e-9 and abs(masses[2] - 1.00782503223) < 1e-9, "AtomicInput: isotopes", masses)
    check("Masses of the commonest isotopes, and of these atoms\n      2  H                           2.014102 u\n" in report,
          "the report names isotopes", report)
    check(result["molecule"]["real"] == [True, True, False] and "scf_orbitals_a" in result["wavefunction"],
          "AtomicInput: ghost and wave function", "")
    check(result["model"] == {"method": "uhf", "basis": "STO-3G"}, "the command line goes before the file", result["model"])


def reports(folder):
    output = os.path.join(folder, "none.json")
    none = run([WATER, "--properties", "none", "--json", output])[1]
    check("Charges" not in none and "WARNING" not in none, "properties none: the report", none)
    properties = read_json(output)["extras"]["hf"]["properties"]
    check(sorted(properties) == ["electrons", "electrons_expected"], "properties none: the JSON file", properties)
    short, long = run([WATER])[1], run([WATER, "--properties", "all"])[1]
    for text in ("Charges of atoms\n", "      1   O     -0.306049    -0.094976\n"):
        check(text in short, "properties short", text)
    check("Bond orders" not in short and "Rotational" not in short, "properties short: no more", short)
    for text in ("Quadrupole moment", "Bond orders", "      1  O       2  H       1.020496     1.188261\n",
                 "820.751027     437.301385     285.294601 GHz"):
        check(text in long, "properties all", text)
    spins = run([OXYGEN])[1]
    check("Charges and unpaired electrons of atoms" in spins and "1.000000" in spins, "properties of a triplet", spins)


def orbital_files(folder):
    molden, mixed = os.path.join(folder, "water.molden"), write_input(folder, """
basis cc-pVDZ
basis O 6-31G*
geometry
O 0 0 0
C 0 0 1.13
end
""", "mixed.mol")
    many = write_input(folder, "1000\n\n" + "".join(f"He 0 0 {5 * i}\n" for i in range(1000)), "many.xyz")
    refused = [
        ("mixed shells", [mixed, "--molden", molden], ["--molden: some d shells are spherical and some Cartesian"]),
        ("unwritable Molden file", [WATER, "--molden", "/no/such/folder/w.molden"], ["/no/such/folder/w.molden: the Molden file cannot be written"]),
        ("mixed shells", [mixed, "--trexio", molden], ["--trexio: some shells are spherical and some Cartesian"]),
        ("TREXIO device", [WATER, "--trexio", "/dev/null"], ["--trexio: /dev/null is a device or a pipe; expected a file"]),
        ("unwritable TREXIO file", [WATER, "--trexio", "/no/such/folder/w.h5"], ["/no/such/folder/w.h5: the TREXIO file cannot be written"]),
        ("integrals alone", [WATER, "--trexio-integrals"], ["trexio"]),
        ("unwritable WFX file", [WATER, "--wfx", "/no/such/folder/w.wfx"], ["/no/such/folder/w.wfx: the WFX file cannot be written"]),
        ("WFN file of many atoms", [many, "--basis", "STO-3G", "--wfn", os.path.join(folder, "many.wfn")],
         ["--wfn: the format has room for 999 atoms, there are 1000; choose --wfx"]),
        ("Molden file that is the input", [mixed, "--functions", "spherical", "--molden", mixed], ["--molden", "the input file"]),
        ("unknown cube", [WATER, "--cube", "density,laplacian"], ["--cube: 'laplacian'; expected density, spin, esp"]),
        ("orbital 0", [WATER, "--cube", "0"], ["--cube: '0'; expected"]),
        ("empty list", [WATER, "--cube", ","], ["--cube: an empty list"]),
        ("orbital too many", [WATER, "--cube", "25"], ["--cube: there is no orbital 25: the basis has 24 functions"]),
        ("too many points", [WATER, "--cube", "density", "--cube-spacing", "0.001"], ["more than 1e+09 points"]),
    ]
    for what, arguments, parts in refused:
        TEST.expect_one_line(what, run(arguments), 2, parts)
    check(not os.path.exists(molden), "nothing is left of refused files", "")
    output = os.path.join(folder, "w.json")
    report = run([WATER, "--basis", "STO-3G", "--json", output, "--molden", molden, "--wfn", os.path.join(folder, "water.wfn"),
                  "--wfx", os.path.join(folder, "water.wfx"), "--trexio", os.path.join(folder, "water.h5"), "--cube", "density homo,density", "--cube-spacing", "0.4", "--cube-margin", "2"])[1]
    names = sorted(name for name in os.listdir(folder) if name.startswith("water."))
    check(names == ["water.density.cube", "water.h5", "water.homo.cube", "water.molden", "water.wfn", "water.wfx"], "files that were written", names)
    check("electrons are outside the box" in report and "Integral" in report, "a small box is told", report)


def guesses_of_trexio(folder):
    """What a TREXIO file cannot give is refused before the calculation, on all ranks."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    good, bad = os.path.join(folder, "good.h5"), os.path.join(folder, "bad.h5")
    run([WATER, "--basis", "STO-3G", "--trexio", good])
    TEST.expect_one_line("restart", run(["--restart", good]), 2, ["good.h5: this HDF5 file is no checkpoint of hf, but a TREXIO file; --guess"])

    def delete(name):
        return lambda file: file.__delitem__(name)

    def attribute(group, name, value):
        return lambda file: file[group].attrs.__setitem__(name, value)

    def number(name, value):
        return lambda file: file[name].__setitem__(0, value)

    for change, part in ((attribute("basis", "basis_type", "Slater"), "this TREXIO file has no Gaussian functions"),
                         (delete("mo/mo_coefficient"), "this TREXIO file has no orbitals"),
                         (lambda file: file.create_dataset("mo/mo_coefficient_im", data=[[1.0]]), "complex orbitals"),
                         (lambda file: file.create_group("pbc").attrs.create("pbc_periodic", 1), "a periodic system"),
                         (attribute("electron", "electron_up_num", 8), "fewer orbitals than electrons of a spin"),
                         (attribute("electron", "electron_dn_num", 6), "damaged TREXIO file: 5 electrons of spin up, 6 down"),
                         (delete("basis/basis_exponent"), "damaged TREXIO file: /basis/basis_exponent is missing"),
                         (number("basis/basis_exponent", -1.0), "damaged TREXIO file: shell 1 has no norm"),
                         (number("basis/basis_nucleus_index", 3), "damaged TREXIO file: /basis/basis_nucleus_index has the number 3"),
                         (number("ao/ao_shell", 4), "damaged TREXIO file: /ao/ao_shell: shell 5 has more than 1 functions"),
                         (number("nucleus/nucleus_charge", 7.5), "damaged TREXIO file: nucleus 1 has the charge 7.5 and 0 electrons"),
                         (number("basis/basis_shell_ang_mom", -1), "damaged TREXIO file: /basis/basis_shell_ang_mom has the number -1"),
                         (number("mo/mo_spin", 2), "damaged TREXIO file: /mo/mo_spin has the number 2"),
                         (lambda file: file["mo/mo_coefficient"].__setitem__((0, 0), float("nan")), "damaged TREXIO file: /mo/mo_coefficient")):
        shutil.copy(good, bad)
        with h5py.File(bad, "r+") as file:
            change(file)
        TEST.expect_one_line(part, run([WATER, "--basis", "STO-3G", "--guess", bad]), 2, [bad, part])


def keys_of(value, path=""):
    """Paths of all keys as docs/json.md has them; "[]" stands for every entry of an array."""
    for entry in value if isinstance(value, list) else []:
        yield from keys_of(entry, path[:-1] + "[]." if path else path)
    for key, inner in value.items() if isinstance(value, dict) else []:
        yield path + key
        yield from keys_of(inner, path + key + ".")


def documented_keys(folder):
    """Every key of a file is in the document; under keywords and settings are options, which have their own."""
    output = os.path.join(folder, "keys.json")
    with open(os.path.join(INPUTS, os.pardir, "docs", "json.md"), encoding="utf-8") as file:
        known = {line.split("`")[1] for line in file if line.startswith("| `")} | {"success", "error", "extras", "extras.hf"}
    for what in (["--task", "gradient", "--localise", "pm", "--polarisability", "--stability", "check"], ["--method", "lmp2"],
                 ["--method", "ump2", "--charge", "1", "--multiplicity", "2", "--task", "properties", "--reproducible"]):
        outcome = run([WATER, "--basis", "STO-3G", "--json", output] + what)
        check(outcome[0] == 0, f"documented keys: {what}", outcome)
        found = set(keys_of(read_json(output)))
        missing = sorted(key for key in found - known
                         if not key.startswith(("keywords.", "extras.hf.settings.", "return_result.")))
        check(missing == [] and len(found) > 150, f"keys that docs/json.md does not have, {what}", missing)


def interrupted(folder):
    """A cube file that is not ended is not there; what was written before it stays."""
    output = os.path.join(folder, "interrupted.json")
    command = [HF] if RANKS == 1 else [MPIEXEC, "-n", str(RANKS), HF]
    process = subprocess.Popen(command + [WATER, "--cube", "esp", "--cube-spacing", "0.05", "--json", output],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + TEST.most_seconds
    while not os.path.exists(output) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGUSR1)
    errors = process.communicate(timeout=TEST.most_seconds)[1]
    check("converged after 9 iterations, but not all files are written" in errors, "interrupted cube file: message", errors)
    check(process.returncode == 128 + signal.SIGUSR1, "interrupted cube file: exit code", process.returncode)
    check(read_json(output)["success"] is True, "interrupted cube file: the JSON file", "")
    left = [name for name in os.listdir(folder) if "esp" in name]
    check(left == [], "interrupted cube file: nothing is left", left)


def main():
    with tempfile.TemporaryDirectory(prefix="hf-results-") as folder:
        atomic_inputs(folder)
        reports(folder)
        orbital_files(folder)
        guesses_of_trexio(folder)
        documented_keys(folder)
        interrupted(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
