#!/usr/bin/env python3
"""Energies of interaction and limits of basis sets: those of Psi4; what does not fit is refused; a job goes on.

Usage: test_interactions.py HF MPIEXEC RANKS INTERACTIONS.json short|long
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
LONG = sys.argv[5] == "long"
with open(sys.argv[4], encoding="utf-8") as reference:
    CASES = json.load(reference)["cases"]
SHORT = {("water_dimer", "hf"), ("water_dimer", "mp2"), ("water_trimer", "hf"), ("lithium_fluoride_water", "hf"), ("amino_water", "ump2")}
CLOSE = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]


def write(name, atoms, comment=""):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join([str(len(atoms)), comment, *atoms]) + "\n")
    return name


def compute(arguments, name, code=0):
    """The JSON file of a run, and what it prints."""
    if os.path.exists("result.json"):
        os.remove("result.json")
    found = TEST.run([*arguments, "--json", "result.json"])
    if found[0] != code:
        sys.exit(f"FAILED {name}: exit code {found[0]}, expected {code}; {found[2]}")
    if code != 0:
        return None, found[2]
    with open("result.json", encoding="utf-8") as file:
        return json.load(file), found[1]


def compare(name, found, expected, limit=1e-8):
    TEST.check(abs(found - expected) <= limit, f"{name}: {found:.10f}, expected {expected:.10f}")


def compare_gradient(name, found, expected):
    worst = max(abs(x - y) for x, y in zip(found, (x for row in expected for x in row)))
    TEST.check(len(found) == 3 * len(expected) and worst < 1e-7, f"{name}: the gradient differs by {worst:.1e}")


def ranges(fragments):
    """Atoms of the fragments as hf reads them."""
    first = 1
    for fragment in fragments:
        n = len(fragment["atoms"])
        yield f"{first}-{first + n - 1}"
        first += n


def interaction_arguments(case):
    fragments = case["fragments"]
    atoms = [atom for fragment in fragments for atom in fragment["atoms"]]
    unpaired = sum(fragment["multiplicity"] - 1 for fragment in fragments)
    comment = f"charge={sum(fragment['charge'] for fragment in fragments)} multiplicity={unpaired + 1}"
    return [write("complex.xyz", atoms, comment), "--method", case["method"], "--basis", case["basis"], "--counterpoise",
            "--fragments", ",".join(ranges(fragments)),
            "--fragment-charges", ",".join(str(fragment["charge"]) for fragment in fragments),
            "--fragment-multiplicities", ",".join(str(fragment["multiplicity"]) for fragment in fragments), *CLOSE]


def interactions_are_those_of_psi4():
    for case in CASES:
        if "fragments" not in case or not (LONG or (case["name"], case["method"]) in SHORT):
            continue
        name = f"{case['name']}/{case['method']}"
        n = len(case["fragments"])
        arguments = interaction_arguments(case)
        expansion = ["--many-body", "3"] if n > 2 else []
        task = ["--task", "gradient"] if "cp_gradient" in case else []
        result, _ = compute([*arguments, *expansion, *task], name)
        extras = result["extras"]["hf"]
        compare(name + " uncorrected", extras["uncorrected"]["energy_of_interaction"], case["nocp"])
        compare(name + " corrected", extras["corrected"]["energy_of_interaction"], case["cp"])
        compare(name + " total", result["properties"]["return_energy"], case["cp_total"])
        if case["method"] == "mp2" and case["name"] == "water_dimer":  # the case before it is that of the SCF
            compare(name + " SCF", extras["corrected"]["scf_energy_of_interaction"], CASES[0]["cp"])
        if n > 2:
            compare(name + " pairs", extras["uncorrected"]["of_bodies"][2], case["nocp_through_2_body"])
            compare(name + " corrected pairs", extras["corrected"]["of_bodies"][2], case["cp_through_2_body"])
        if task:
            compare_gradient(name + " corrected", result["return_result"], case["cp_gradient"])
            compare_gradient(name + " uncorrected", extras["uncorrected"]["gradient"], case["nocp_gradient"])


def limits_are_those_of_psi4():
    for case in CASES:
        if "parts" not in case or not (LONG or case["basis"] == "cc-pv[dt]z"):
            continue
        arguments = [write("one.xyz", case["atoms"]), "--method", case["method"], "--basis", case["basis"], *CLOSE]
        result, _ = compute(arguments, case["basis"])
        compare(case["basis"], result["properties"]["return_energy"], case["total_energy"])
        for part, (scf, correlation) in zip(result["extras"]["hf"]["parts"], case["parts"].values()):
            compare(f"{case['basis']} SCF", part["scf_energy"], scf)
            compare(f"{case['basis']} correlation", part["energy"] - part["scf_energy"], correlation)


def gradients_in_the_limit_are_slopes():
    """Slopes from two energies with an atom moved; also of a corrected energy."""
    step = 0.001
    for options in (["--method", "mp2", "--basis", "cc-pV[DT]Z"],
                    ["--method", "mp2", "--basis", "def2-[SVP,TZVPP]", "--fragments", "auto", "--counterpoise"]):
        energies = []
        for place in (1.70 - step, 1.70 + step):
            write("pair.xyz", ["He 0.0 0.0 0.0", f"He 0.0 0.0 {place}"] if "auto" in options else ["H 0.0 0.0 0.0", f"H 0.0 0.0 {place - 0.9}"])
            result, _ = compute(["pair.xyz", *options, *CLOSE], "slope")
            energies.append(result["return_result"])
        write("pair.xyz", ["He 0.0 0.0 0.0", "He 0.0 0.0 1.7"] if "auto" in options else ["H 0.0 0.0 0.0", "H 0.0 0.0 0.8"])
        result, _ = compute(["pair.xyz", *options, *CLOSE, "--task", "gradient"], "gradient")
        compare("slope " + options[3], result["return_result"][5], (energies[1] - energies[0]) / (2 * step) * 0.529177210903, 1e-6)


def fragments_of_qcschema_are_used():
    atoms = CASES[0]["fragments"][0]["atoms"] + CASES[0]["fragments"][1]["atoms"]
    words = [atom.split() for atom in atoms]
    molecule = {"symbols": [word[0] for word in words], "geometry": [float(x) / 0.529177210903 for word in words for x in word[1:]],
                "fragments": [[0, 1, 2], [3, 4, 5]], "fragment_charges": [0.0, 0], "fragment_multiplicities": [1, 1]}
    for keywords, energy in (({"counterpoise": True}, CASES[0]["cp_total"]), ({}, CASES[0]["cp_total"] + CASES[0]["nocp"] - CASES[0]["cp"])):
        with open("input.json", "w", encoding="utf-8") as file:
            json.dump({"schema_name": "qcschema_input", "driver": "energy", "model": {"method": "hf", "basis": "cc-pVDZ"},
                       "keywords": keywords, "molecule": molecule}, file)
        result, _ = compute(["input.json", *CLOSE], "QCSchema")
        compare(f"QCSchema {keywords}", result["properties"]["return_energy"], energy)
    with open("input.json", "w", encoding="utf-8") as file:
        json.dump({"schema_name": "qcschema_atomic_input", "schema_version": 2, "molecule": {**molecule, "schema_version": 3},
                   "specification": {"driver": "energy", "model": {"method": "hf", "basis": "STO-3G"}, "keywords": {"many_body": 2}}}, file)
    result, _ = compute(["input.json"], "QCSchema 2")
    TEST.check(result["schema_version"] == 2 and "input_data" in result and "clusters" in result["extras"]["hf"], "QCSchema 2", str(result)[:300])
    for keywords, code in (({}, 0), ({"many_body": 2}, 2)):  # parts of electrons count only if fragments are computed
        with open("input.json", "w", encoding="utf-8") as file:
            json.dump({"schema_name": "qcschema_input", "driver": "energy", "model": {"method": "hf", "basis": "STO-3G"}, "keywords": keywords,
                       "molecule": {**molecule, "fragment_charges": [0.5, -0.5]}}, file)
        _, text = compute(["input.json"], f"half charges {keywords}", code)
        TEST.check(code == 0 or "'0.5,-0.5'; expected whole numbers of 2 fragments" in text, "half charges:", text)
    shell = {"angular_momentum": [0], "harmonic_type": "spherical", "exponents": [1.0], "coefficients": [[1.0]]}
    own = {"schema_name": "qcschema_basis", "schema_version": 1, "name": "own", "center_data": {"he": {"electron_shells": [shell]}},
           "atom_map": ["he", "he"]}
    with open("input.json", "w", encoding="utf-8") as file:
        json.dump({"schema_name": "qcschema_input", "driver": "energy", "model": {"method": "hf", "basis": own}, "keywords": {"many_body": 2},
                   "molecule": {"symbols": ["He", "He"], "geometry": [0, 0, 0, 0, 0, 6], "fragments": [[0], [1]]}}, file)
    _, text = compute(["input.json"], "a basis set in the input", code=2)
    TEST.check("a basis set that stands in the input itself" in text, "a basis set in the input:", text)


def basis_sets_and_charges_go_to_the_right_parts():
    """The parts of a molecule with another set at an atom, a point charge and a field are those of runs alone."""
    head = "basis 6-31G\nbasis 5 cc-pVDZ\nbasis O 6-31G*\nfield 0.001 0 0.002\npoint_charges\n0.5 0 0 -8\nend\ngeometry\n"
    atoms = CASES[0]["fragments"][0]["atoms"] + CASES[0]["fragments"][1]["atoms"]
    ghosts = [("@" if i < 3 else "") + atom for i, atom in enumerate(atoms)]
    with open("whole.inp", "w", encoding="utf-8") as file:
        file.write("\n".join([head, "  " + "\n".join(atoms), "end"]))
    result, _ = compute(["whole.inp", "--fragments", "auto", "--counterpoise", *CLOSE], "parts")
    for some, key, number in ((ghosts, "energy_in_all_functions", 5), (atoms[3:], "energy", 2)):
        with open("alone.inp", "w", encoding="utf-8") as file:
            file.write("\n".join([head.replace("basis 5", f"basis {number}"), "\n".join(some), "end"]))
        alone, _ = compute(["alone.inp", *CLOSE], "alone")
        compare(key, result["extras"]["hf"]["clusters"][1][key], alone["return_result"], 1e-9)


def the_last_basis_set_counts():
    """Sets of the command line replace those of the file, also two of them, as without fragments."""
    for basis, options in (("cc-pV[DT]Z", ["6-31G"]), ("cc-pV[DT]Z", ["cc-pV[TQ]Z"]), ("6-31G\nbasis 2 cc-pVDZ", ["2=6-31G*", "2=cc-pVTZ"])):
        with open("sets.inp", "w", encoding="utf-8") as file:
            file.write(f"basis {basis}\ngeometry\nHe 0 0 0\nHe 0 0 2.9\nend")
        options = [word for name in options for word in ("--basis", name)]
        whole, _ = compute(["sets.inp", *options, *CLOSE], f"{options}")
        parts, _ = compute(["sets.inp", *options, "--fragments", "auto", *CLOSE], f"{options} fragments")
        compare(f"{options} instead of {basis}", parts["return_result"], whole["return_result"])


def unstable_solutions_are_reported():
    arguments = [write("far.xyz", ["H 0 0 0", "H 0 0 3", "He 0 5 0", "He 0 -5 0"]), "--basis", "6-31G", "--fragments", "1-2,3,4"]
    result, text = compute([*arguments, "--converger", "diis", "--stability", "check"], "unstable")
    warning = "2 calculations have unstable solutions, the first one: fragment 1"
    TEST.check(warning in text and any(warning in line for line in result["extras"]["hf"]["warnings"]), "no warning of an unstable solution", text)
    extras = result["extras"]["hf"]
    TEST.check(extras["uncorrected"]["of_bodies"][2:] == [0, 0], "contributions without an expansion", str(extras["uncorrected"]))
    TEST.check(abs(extras["clusters"][3]["distance"] - 10) < 1e-9, "distance of all fragments", str(extras["clusters"][3]))


def far_pairs_are_left_out():
    atoms = [f"He 0.0 0.0 {z}" for z in (0.0, 2.5, 6.0)]
    arguments = [write("three.xyz", atoms), "--basis", "6-31G", "--fragments", "auto", "--many-body", "3"]
    result, text = compute([*arguments, "--fragment-distance", "3"], "far")
    extras = result["extras"]["hf"]
    TEST.check((extras["pairs_left_out"], extras["triples_left_out"], len(extras["parts"])) == (2, 1, 4), "far pairs:", str(extras))
    TEST.check("2 pairs left out" in text and "1 triple left out" in text, "what is left out is not reported", text)


def all_atoms_of_a_fragment_are_listed():
    atoms = [f"He 0 {6 * (i % 2)} {5 * i}" for i in range(100)]
    lists = ["+".join(str(i + 1) for i in range(k, 100, 2)) for k in (0, 1)]
    _, text = compute([write("chain.xyz", atoms), "--basis", "STO-3G", "--fragments", ",".join(lists)], "a long list of atoms")
    TEST.check(all(" " + atoms.replace("+", ", ") + "\n" in text for atoms in lists), "a long list of atoms:", text)


def bonds_that_are_cut_are_reported():
    _, text = compute([write("one.xyz", CASES[0]["fragments"][0]["atoms"]), "--basis", "STO-3G", "--fragments", "1-2,3",
                       "--fragment-multiplicities", "2,2", "--method", "uhf"], "cut")
    TEST.check("1 bond between fragments, the first one of atoms 1 and 3" in text, "no warning of a bond that is cut", text)


def finished_parts_are_not_computed_again():
    arguments = [write("again.xyz", ["He 0 0 0", "He 0 0 2.9"]), "--basis", "6-31G", "--fragments", "auto", "--counterpoise"]
    first, text = compute(arguments, "first")
    TEST.check("5 computed" in text, "not all parts were computed", text)
    with open("again.parts.jsonl", encoding="utf-8") as file:
        lines = file.readlines()
    with open("again.parts.jsonl", "w", encoding="utf-8") as file:
        file.writelines([*lines[:3], lines[3][:100]])
    second, text = compute(arguments, "second")
    TEST.check("2 computed" in text and "3 results" in text, "finished parts were computed again", text)
    TEST.check(first["return_result"] == second["return_result"], "another energy after a restart")
    _, text = compute([*arguments, "--max-iterations", "1"], "no convergence", code=1)
    TEST.check("fragment 1: the SCF did not converge" in text, "no reason for a failure", text)
    text = TEST.run([*arguments, "--max-iterations", "1", "--check"])[1]
    TEST.check("Molecules     5, and 0" in text, "failures are not foreseen", text)


def the_report_names_the_file_of_other_results():
    pair = [write("states.xyz", ["He 0 0 0", "He 0 0 2.9"]), "--basis", "6-31G", "--fragments", "auto"]
    _, text = compute([*pair, "--excitations", "1", "--potential-charges", "mk"], "excited states")
    TEST.check("excited states, potential charges of each calculation: lines of states.parts.jsonl\n" in text, "no word of excited states:", text)
    with open("states.parts.jsonl", encoding="utf-8") as file:
        TEST.check(all("excitations" in json.loads(line)["extras"]["hf"] for line in file), "excited states of each calculation")
    _, text = compute(pair, "energies alone")
    TEST.check("Requested" not in text, "nothing else was requested:", text)


def what_does_not_fit_is_refused():
    water = write("dimer.xyz", [atom for fragment in CASES[0]["fragments"] for atom in fragment["atoms"]])
    for options, reason in [
            (["--fragments", "1-3,4-5"], "atom 6 is in no fragment"), (["--fragments", "1-3,3-6"], "atom 3 is given twice"),
            (["--fragments", "1-3,4-x"], "'4-x' is no atom or range of atoms"), (["--fragments", "1-6"], "has one fragment"),
            (["--fragments", "auto", "--fragment-multiplicities", "2,1"], "fragment 1 has 10 electrons with charge 0, which cannot have multiplicity 2"),
            (["--fragments", "auto", "--fragment-charges", "2,0"], "add up to 2, the charge of the molecule is 0"),
            (["--fragments", "auto", "--fragment-charges", "1"], "expected whole numbers of 2 fragments"),
            (["--fragments", "auto", "--fragment-charges", "2147483647,0"], "expected whole numbers of 2 fragments"),
            (["--fragments", "auto", "--multiplicity", "3"], "the fragments have 0 unpaired electrons, the molecule has 2"),
            (["--fragments", "auto", "--task", "vibrations"], "expected energy or gradient"),
            (["--fragments", "auto", "--molden", "x"], "molden is of one calculation"),
            (["--fragments", "auto", "--guess", "x.h5"], "expected no file"),
            (["--fragments", "auto", "--method", "mp2", "--frozen-core", "1"], "expected default or none"),
            (["--fragments", "auto", "--method", "lmp2", "--task", "gradient"], "there are no gradients"),
            (["--fragments", "auto", "--basis", "no-such"], "no-such"), (["--fragments", "auto", "--each"], "--fragments: fragments cannot be combined with each"),
            (["--counterpoise"], "no effect without fragments"),
            (["--extrapolation", "neese"], "no effect without two basis sets"),
            (["--each", "--basis", "cc-pV[DT]Z"], "extrapolated of one molecule, without each"),
            (["--basis", "def2-[SV,TZV]P"], "no formula is known that extrapolates 'def2-[SV,TZV]P'; expected one of cc-pV[DT]Z"),
            (["--basis", "cc-pV[DT]Z", "--basis", "O=cc-pVDZ"], "no extrapolation with other sets"),
            (["--basis", "cc-pV[DT]Z", "--basis", "cc-pV[DT]Z"], "no extrapolation with other sets"),
            (["--basis", "./a[1]/own.gbs"], "there is no such file"),
            (["--basis", "def2-[SVP,TZVPP]", "--extrapolation", "helgaker"], "no formula of helgaker")]:
        _, text = compute([water, *options], " ".join(options), code=2)
        TEST.check(reason in text, f"{' '.join(options)}: another message than '{reason}':", text)
    spins = write("radicals.xyz", ["H 0 0 0", "H 0 0 3", "He 0 3 0"])
    _, text = compute([spins, "--fragments", "auto", "--many-body", "2"], "spins", code=2)
    TEST.check("fragments 1 and 2 are open shells" in text, "spins:", text)
    _, text = compute([spins, "--fragments", "auto", "--method", "mp2"], "closed shells", code=2)
    TEST.check("fragment 1 has multiplicity 2, method mp2 needs multiplicity 1" in text, "closed shells:", text)


TESTS = [interactions_are_those_of_psi4, limits_are_those_of_psi4, fragments_of_qcschema_are_used, finished_parts_are_not_computed_again,
         gradients_in_the_limit_are_slopes, basis_sets_and_charges_go_to_the_right_parts, the_last_basis_set_counts,
         unstable_solutions_are_reported, far_pairs_are_left_out,
         all_atoms_of_a_fragment_are_listed, bonds_that_are_cut_are_reported,
         the_report_names_the_file_of_other_results, what_does_not_fit_is_refused]


def main():
    home = os.getcwd()
    TEST.program = os.path.abspath(TEST.program)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in TESTS if TEST.n_rank == 1 else TESTS[:4]:
            began = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
        os.chdir(home)
    return TEST.report()


sys.exit(main())
