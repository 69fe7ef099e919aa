#!/usr/bin/env python3
"""QCSchema inputs of versions 1 and 2, good and bad: each is answered in its own version, or refused by one line.

Usage: test_qcschema.py HF MPIEXEC RANKS FOLDER_OF_REFERENCES
Exit code 0 when all checks hold; each failed one is a line of its own. 77: there is no jsonschema for the form of results.
"""

import copy
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
REFERENCES = sys.argv[4]
check = TEST.check

VALIDATE = """
import json, sys
import jsonschema
with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    for kind, document in json.load(file):
        jsonschema.validate(document, {"$ref": "#/definitions/" + kind, "definitions": schema["definitions"]})
"""


def reference(file, name):
    with open(os.path.join(REFERENCES, file + ".json"), encoding="utf-8") as stream:
        return next(case for case in json.load(stream)["cases"] if case["name"] == name)


def molecule(case, version=3):
    rows = [row.split() for row in case.get("geometry_bohr", case.get("start_geometry"))]
    return {"schema_name": "qcschema_molecule", "schema_version": version, "symbols": [row[0] for row in rows],
            "geometry": [float(x) for row in rows for x in row[1:]], "molecular_charge": case["charge"], "molecular_multiplicity": case["multiplicity"]}


# of Psi4 and NWChem, but for water/STO-3G, which is Psi4's
CHARGES, IODIDE, AMMONIA = reference("environments", "water_with_charges"), reference("ecp", "hydrogen_iodide"), reference("optimisations", "ammonia")
WATER = molecule(CHARGES)
WATER_ENERGY, WATER_GRADIENT = -74.96302313826, [0, 0, -0.06142776135, 0, -0.02364134014, 0.03071388068, 0, 0.02364134014, 0.03071388068]
MODEL = {"method": "hf", "basis": "STO-3G"}


def one(driver="energy", model=None, places=None, **more):
    """An AtomicInput of version 1."""
    return {"schema_name": "qcschema_input", "schema_version": 1, "driver": driver, "model": model or MODEL, "molecule": places or {**WATER, "schema_version": 2}, **more}


def two(driver="energy", model=None, places=None, **more):
    """An AtomicInput of version 2; `more` goes to its specification."""
    specification = {"schema_name": "qcschema_atomic_specification", "program": "hf", "driver": driver, "model": model or MODEL, **more}
    return {"schema_name": "qcschema_atomic_input", "schema_version": 2, "molecule": places or WATER, "specification": specification}


def search_one(**more):
    return {"schema_name": "qcschema_optimization_input", "schema_version": 1, "initial_molecule": molecule(AMMONIA, 2), "keywords": {"program": "hf"},
            "input_specification": {"driver": "gradient", "model": {"method": "hf", "basis": "6-31G*"}}, **more}


def search_two(inner=None, **more):
    atomic = {"schema_name": "qcschema_atomic_specification", "driver": "gradient", "model": {"method": "hf", "basis": "6-31G*"}, **(inner or {})}
    return {"schema_name": "qcschema_optimization_input", "schema_version": 2, "id": "search", "initial_molecule": molecule(AMMONIA),
            "specification": {"schema_name": "qcschema_optimization_specification", "program": "hf", "specification": atomic, **more}}


def changed(document, place, value):
    """A copy with another value at a place; None: without it."""
    document = copy.deepcopy(document)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return document


def shell(l, exponents, *coefficients, kind="spherical"):
    return {"angular_momentum": l, "harmonic_type": kind, "exponents": exponents, "coefficients": list(coefficients)}


# STO-3G with the digits of Psi4's file, with text for numbers, a fused shell and a centre for each element
HYDROGEN = {"electron_shells": [shell([0], ["3.42525091", "0.62391373", "1.6885540D-01"], ["0.15432897", "0.53532814", "0.44463454"])]}
OXYGEN = {"electron_shells": [shell([0], [130.70932, 23.808861, 6.4436083], [0.15432897, 0.53532814, 0.44463454]),
                              shell([0, 1], [5.0331513, 1.1695961, 0.380389], [-0.09996723, 0.39951283, 0.70011547],
                                    [0.15591627, 0.60768372, 0.39195739])]}
SET = {"schema_name": "qcschema_basis_set", "schema_version": 2, "name": "own STO-3G", "center_data": {"O": OXYGEN, "H": HYDROGEN}, "atom_map": ["O", "H", "H"]}
OWN = {"method": "hf", "basis": SET}


def of_own(*place):
    """Changes of the own basis set: (place, ..., value)."""
    return two(model={"method": "hf", "basis": changed(SET, place[:-1], place[-1])})


EXTERNAL = [[charge["charge"], *charge["position_bohr"]] for charge in CHARGES["point_charges"]]
DOUBLE = {"method": "hf", "basis": "6-31G**"}

# name, input, energy (hartree)
GOOD = [
    ("energy 1", one(id="first", extras={"mine": [1.5, 0.1, {"k": "\u00e9"}, None], "hf": 1}), WATER_ENERGY),
    ("energy 2", {**two(), "id": "second", "provenance": {"creator": "me"}}, WATER_ENERGY),
    ("no names", {"molecule": {"symbols": WATER["symbols"], "geometry": WATER["geometry"]}, "specification": {"driver": "energy", "model": MODEL}}, WATER_ENERGY),
    ("molecule of version 2", two(places={**WATER, "schema_version": 2}), WATER_ENERGY),
    ("gradient 1", one("gradient"), WATER_ENERGY),
    ("gradient 2", two("gradient", program="", keywords={"commutator_tolerance": 1e-7}, extras={"mine": [1]}), WATER_ENERGY),
    ("properties 2", two("properties"), WATER_ENERGY),
    ("orbitals 1", one(protocols={"wavefunction": "all", "native_files": "input"}), WATER_ENERGY),
    ("orbitals 2", two(protocols={"wavefunction": "orbitals_and_eigenvalues", "native_files": "all", "stdout": False}), WATER_ENERGY),
    ("occupations 2", two(protocols={"wavefunction": "occupations_and_eigenvalues", "error_correction": {"default_policy": True}}), WATER_ENERGY),
    ("own basis 1", one(model={"method": "hf", "basis": {**SET, "schema_name": "qcschema_basis", "schema_version": 1}}), WATER_ENERGY),
    ("own basis 2", two(model=OWN), WATER_ENERGY),
    ("basis of each atom", two(model={"method": "hf", "basis": {
        **SET, "center_data": {"O": OXYGEN, "H": HYDROGEN, "H'": HYDROGEN}, "atom_map": ["O", "H", "H'"]}}), WATER_ENERGY),
    ("charges 1", one(model=DOUBLE, extras={"external_potentials": EXTERNAL}), CHARGES["total_energy"]),
    ("charges 2", two(model=DOUBLE, extras={"external_potentials": [[row[0], row[1:]] for row in EXTERNAL]}), CHARGES["total_energy"]),
    ("core potential", two(model={"method": "hf", "basis": "def2-TZVP"}, places=molecule(IODIDE), protocols={"wavefunction": "all"}), IODIDE["total_energy"]),
    ("search 1", search_one(extras={"mine": True}), AMMONIA["total_energy"]),
    ("search 1, no steps", search_one(protocols={"trajectory": "none"}), AMMONIA["total_energy"]),
    ("search 2", search_two(), AMMONIA["total_energy"]),
    ("search 2, first and last", search_two(protocols={"trajectory_results": "initial_and_final"}, keywords={"max_steps": 20}), AMMONIA["total_energy"]),
]

# name, input, part of the line
BAD = [
    ("version 3", changed(two(), ["schema_version"], 3), "'schema_version' is not 2, that of qcschema_atomic_input; expected version 1 (qcschema_input) or 2"),
    ("version 2 of the old name", changed(one(), ["schema_version"], 2), "'schema_version' is not 1, that of qcschema_input; expected version 1 (qcschema_input) or 2"),
    ("version 1 of the new name", changed(two(), ["schema_version"], 1), "'schema_version' is not 2"),
    ("version in words", changed(two(), ["schema_version"], "2"), "'schema_version' is not 2"),
    ("molecule of version 1", changed(two(), ["molecule", "schema_version"], 1), "'schema_version' of the molecule is not 2 or 3"),
    ("nested geometry 1", changed(one(), ["molecule", "geometry"], [[0, 0, 0], [0, 0, 2], [0, 2, 0]]), "'geometry' has a list for each atom; expected one list of 9 numbers"),
    ("nested geometry 2", changed(two(), ["molecule", "geometry"], [[0, 0, 0], [0, 0, 2], [0, 2, 0]]), "'geometry' has a list for each atom; expected one list of 9 numbers"),
    ("model at the top", {**two(), "model": MODEL}, "key 'model' in the AtomicInput; expected it in the specification"),
    ("keywords at the top", {**two(), "keywords": {}}, "key 'keywords' in the AtomicInput; expected it in the specification"),
    ("no specification", changed(two(), ["specification"], None), "there is no 'specification' with driver, model and keywords"),
    ("specification of another kind", changed(two(), ["specification", "schema_name"], "qcschema_many_body_specification"), "expected qcschema_atomic_specification"),
    ("another program", two(program="psi4"), "'program' is 'psi4'; expected hf"),
    ("unknown driver", two("hessians"), "unknown task 'hessians'"),
    ("no model", changed(two(), ["specification", "model"], None), "there is no 'model'"),
    ("unknown method", two(model={"method": "ccsd", "basis": "STO-3G"}), "unknown method 'ccsd'"),
    ("unknown keyword", two(keywords={"gess": "sad"}), "unknown keyword 'gess'; did you mean guess"),
    ("protocol of the wave function", two(protocols={"wavefunction": "some"}), "unknown protocol 'some' of 'wavefunction'; expected none, all"),
    ("protocol of files", one(protocols={"native_files": "few"}), "unknown protocol 'few' of 'native_files'; expected none, input or all"),
    ("protocol of the report", two(protocols={"stdout": "yes"}), "'stdout' of the protocols is not true or false"),
    ("unknown protocol", two(protocols={"trajectory_results": "all"}), "unknown key 'trajectory_results' in the protocols"),
    ("charges in one row", two(extras={"external_potentials": [1, 0, 0, 9]}), "is not a list of point charges [q, x, y, z]"),
    ("charge of three numbers", two(extras={"external_potentials": [[1, 0, 9]]}), "is not a list of point charges [q, x, y, z]"),
    ("charges with names", two(extras={"external_potentials": {"q": 1, "x": 0, "y": 0, "z": 9}, "mine": 1}), "is not a list of point charges [q, x, y, z]"),
    ("charge with names", two(extras={"external_potentials": [{"q": 1, "x": 0, "y": 0, "z": 9}]}), "is not a list of point charges [q, x, y, z]"),
    ("charge on a nucleus", two(extras={"external_potentials": [[1, *WATER["geometry"][:3]]]}), "point charge 1 sits on the nucleus of atom 1 (O)"),
    ("atom without a centre", of_own("atom_map", ["O", "H", "N"]), "centre 'N': 'atom_map' names it, 'center_data' lacks it"),
    ("long names of centres", of_own("atom_map", ["O", "H", 61 * "H"]), "a name has control characters, more than 60 bytes, or begins with ?"),
    ("too few centres", of_own("atom_map", ["O", "H"]), "'atom_map' of the basis set has 2 centres; expected one for each of 3 atoms"),
    ("too few coefficients", of_own("center_data", "H", "electron_shells", 0, "coefficients", [[1.0]]), "centre 'H': a shell has not one number for each exponent"),
    ("coefficients without exponents", of_own("center_data", "H", "electron_shells", [
        {"angular_momentum": [0], "harmonic_type": "spherical", "coefficients": [[]]}]),
     "centre 'H': a shell has not one number for each exponent"),
    ("a list for a shell", of_own("center_data", "H", "electron_shells", [[1.0]]), "a shell of the basis set is no object"),
    ("a list for a core potential", of_own("center_data", "O", "ecp_potentials", [[1.0]]), "a core potential is no object"),
    ("a core potential without exponents", of_own("center_data", "O", "ecp_potentials", [{"angular_momentum": [0], "coefficients": [[]]}]),
     "centre 'O': a core potential has not one number for each exponent"),
    ("no harmonic type", of_own("center_data", "H", "electron_shells", 0, "harmonic_type", "round"), "centre 'H': a shell's 'harmonic_type' is not spherical or cartesian"),
    ("spherical and Cartesian", of_own("center_data", "O", "electron_shells", [shell([2], [1.0], [1.0]), shell([2], [0.5], [1.0], kind="cartesian")]),
     "centre 'O': shells of one angular momentum are spherical and cartesian"),
    ("core without potential", of_own("center_data", "O", "ecp_electrons", 2), "centre 'O': core electrons, but no 'ecp_potentials'"),
    ("driver of a search", search_two(inner={"driver": "energy"}), "driver 'energy' of an optimisation; expected gradient"),
    ("search by another program", search_two(program="geometric"), "'program' is 'geometric'; expected hf"),
    ("search with an old protocol", search_two(protocols={"trajectory_results": "some"}), "unknown protocol 'some' of 'trajectory_results'; expected all"),
    ("search without gradients", changed(search_two(), ["specification", "specification"], None), "there is no 'specification' with driver, model and keywords"),
    ("search, keyword in both", search_two(inner={"keywords": {"max_steps": 3}}, keywords={"max_steps": 4}), "max_steps"),
    ("search without convergence", search_two(keywords={"max_steps": 1}), "no structure was found"),
]


def is_second(document):
    return document.get("schema_version") == 2 or document.get("schema_name", "").startswith("qcschema_atomic") or "specification" in document


def check_good(name, document, energy, answer):
    check(answer["success"] is True, f"{name}:", answer.get("error"))
    if not answer["success"]:
        return
    second, search = is_second(document), "initial_molecule" in document
    check(answer.get("id") == document.get("id"), f"{name}: id", answer.get("id"))
    if second:
        check(answer["input_data"] == document, f"{name}: input_data is not the input", answer["input_data"])
    else:
        check({**document.get("extras", {}), "hf": answer["extras"]["hf"]} == answer["extras"], f"{name}: extras", list(answer["extras"]))
    if search:
        steps = answer["trajectory_properties"] if second else answer["energies"]
        last = steps[-1]["return_energy"] if second else steps[-1]
        n_kept = {"search 1": len(steps), "search 2, first and last": 2}.get(name, 0)
        kept = answer["trajectory_results" if second else "trajectory"]
        check(len(kept) == n_kept and 2 <= len(steps) <= 5, f"{name}: steps", [len(kept), len(steps)])
        check(all(len(step["return_result"]) == 12 for step in kept), f"{name}: gradients of steps", kept)
        if kept:
            check(kept[0]["molecule"]["geometry"] == document["initial_molecule"]["geometry"] and kept[-1]["molecule"]["geometry"] == answer["final_molecule"]["geometry"],
                  f"{name}: geometries of steps", "")
            check(max(map(abs, kept[-1]["return_result"])) < 1e-3 < max(map(abs, kept[0]["return_result"])), f"{name}: forces of steps", "")
    else:
        last = answer["properties"]["return_energy"]
    check(abs(last - energy) < (2e-6 if search else 2e-8), f"{name}: energy", [last, energy])
    if "gradient" in name:
        check(max(abs(a - b) for a, b in zip(answer["return_result"], WATER_GRADIENT)) < 1e-7, f"{name}:", answer["return_result"])
    kept = {key for key in answer.get("wavefunction", {}) if key.startswith("scf_")}
    expected = {"orbitals 1": {"scf_orbitals_a", "scf_density_a", "scf_eigenvalues_a", "scf_occupations_a"}, "orbitals 2": {"scf_orbitals_a", "scf_eigenvalues_a"},
                "occupations 2": {"scf_occupations_a", "scf_eigenvalues_a"}}
    check(name.startswith("core potential") or kept == expected.get(name, set()), f"{name}: wave function", kept)
    if name in ("orbitals 1", "orbitals 2"):
        check(json.loads(answer["native_files"]["input"]) == document, f"{name}: native files", answer["native_files"])


def check_bad(name, document, part, answer):
    line = answer.get("error", {}).get("error_message", "")
    check(answer["success"] is False and part in line and "\n" not in line, f"{name}: no \"{part}\" in:", line)
    if is_second(document):
        check(answer["input_data"] == document, f"{name}: input_data is not the input", answer["input_data"])


def kind_of(document, answer):
    version = 2 if is_second(document) and (document.get("schema_version") != 1 or "specification" in document) else 1
    what = "failed" if not answer["success"] else "optimised" if "initial_molecule" in document else "atomic"
    return f"{what}_{version}"


def again(answers):
    """A core potential that hf wrote is one that it reads; a result is an input."""
    answer = answers["core potential"]
    core = changed(answer["input_data"], ["specification", "model", "basis"], answer["wavefunction"]["basis"])
    return [("core potential of a result", core, IODIDE["total_energy"])]


def run(folder, cases, file):
    """Answers by the name of the case."""
    path, output = os.path.join(folder, file + ".jsonl"), os.path.join(folder, file + ".out.jsonl")
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(document) + "\n" for _, document, _ in cases)
    if len(cases) == 1:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(one()) + "\n")
    code, _, errors = TEST.run(["--each", path, "--json", output, "--csv", output + ".csv", "--xyz", output + ".xyz"])
    check(code in (0, 1), f"{file}: exit code {code}", errors)
    found = {}
    with open(output, encoding="utf-8") as stream:
        for line in stream:
            answer = json.loads(line)
            i = int(answer["extras"]["hf"]["record"].rsplit(" ", 1)[1]) - 1
            if i < len(cases):
                found[cases[i][0]] = answer
    check(len(found) == len(cases), f"{file}: {len(found)} answers to {len(cases)} inputs", "")
    with open(output + ".csv", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["success"] == "true"]
    n_good = sum(answer["success"] for answer in found.values()) + (len(cases) == 1)
    check(len(rows) == n_good, f"{file}: {len(rows)} rows of {n_good} results", "")
    check(all(row["method"].endswith("hf") and row["basis"] and row["atoms"] and float(row["energy_hartree"]) < -50 for row in rows), f"{file}: the table", rows)
    with open(output + ".xyz", encoding="utf-8") as stream:
        text = stream.read()
    with open(output + ".csv", encoding="utf-8") as stream:
        table = sorted(stream)
    again = TEST.run(["--each", path, "--json", output, "--csv", output + ".csv", "--xyz", output + ".xyz"])
    with open(output + ".csv", encoding="utf-8") as stream:
        check(sorted(stream) == table and f"{len(table) - 1} results" in again[1], f"{file}: a second run makes another table", again[1])
    check(text.count("energy=") == n_good, f"{file}: {text.count('energy=')} frames of {n_good} results", "")
    check(text.count("forces:R:3") == (5 if len(cases) > 1 else 0), f"{file}: {text.count('forces:R:3')} frames with forces", "")
    return found


def alone(folder):
    """What --each shares with a file that is read alone."""
    path, output = os.path.join(folder, "alone.json"), os.path.join(folder, "alone.out.json")
    for name, document, energy in [GOOD[1], GOOD[18]]:
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(document, stream, indent=1)
        code, _, errors = TEST.run([path, "--json", output])
        check(code == 0, f"{name} alone: exit code {code}", errors)
        with open(output, encoding="utf-8") as stream:
            check_good(name, document, energy, json.load(stream))
        code, report, errors = TEST.run([output, "--basis", "STO-3G", "--check"])
        check(code == 0 and "a result: its molecule was read" in report, f"{name}: the result as input", report + errors)
    for name, document, part in [BAD[0], BAD[6], BAD[7]]:
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(document, stream)
        TEST.expect_one_line(f"{name} alone", TEST.run([path, "--json", output]), 2, [part])
        with open(output, encoding="utf-8") as stream:
            check_bad(f"{name} alone", document, part, json.load(stream))


def validate(folder, pairs):
    """False: no Python here has jsonschema."""
    path = os.path.join(folder, "pairs.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(pairs, stream)
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import jsonschema"], capture_output=True, check=False).returncode == 0:
            done = subprocess.run([python, "-c", VALIDATE, os.path.join(HERE, "qcschema.json"), path], capture_output=True, text=True, check=False)
            check(done.returncode == 0, "jsonschema:", done.stderr[-1500:])
            return True
    return False


def main():
    cases = GOOD + BAD
    check(len(cases) >= 45, "only so many inputs:", len(cases))
    with tempfile.TemporaryDirectory(prefix="hf-schema-") as folder:
        answers = run(folder, cases, "inputs")
        for name, document, energy in GOOD:
            check_good(name, document, energy, answers[name])
        for name, document, part in BAD:
            check_bad(name, document, part, answers[name])
        pairs = [(kind_of(document, answers[name]), answers[name]) for name, document, _ in cases]
        if answers["core potential"]["success"]:
            more = again(answers)
            found = run(folder, more, "again")
            check_good(*more[0], found[more[0][0]])
        if TEST.n_rank == 1:
            alone(folder)
        validated = validate(folder, pairs)
    if TEST.report() != 0:
        return 1
    if not validated:
        print("skipped: the form of results was not checked; there is no jsonschema (Debian: python3-jsonschema)")
    return 0 if validated else 77


if __name__ == "__main__":
    sys.exit(main())
