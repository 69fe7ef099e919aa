#!/usr/bin/env python3
"""Gradients of MP2 energies: against other programs, against central differences of energies, the same bits however they are computed,
and the tasks that need them. Relaxed densities.

Usage: test_mp2_gradient.py HF MPIEXEC RANKS REFERENCES [all]
REFERENCES is the folder with the results of other programs. With `all` every case is computed, and nothing else; the deviations of each
are a line.
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
SILVER_HYDRIDE = "basis def2-SVP\nfield 0.01 0 0.02\nunits bohr\ngeometry\nAg 0 0 0\nH 0.3 0.2 3.0\nend\n"
OPEN = "basis 6-31G*\nmultiplicity 2\nunits bohr\ngeometry\nO 0 0 0\nO 0.3 0.2 2.2\nH 2.0 1.5 4.0\n@H 1 -2 1\nend\n"
CHARGES = "2\nunits=bohr\n0.7 0 4 0.5\n-0.4 3 -2 1\n"
MIXED = "basis STO-3G\nbasis O=6-31G*\nunits bohr\ngeometry\nO 0 0 0.2\nH 0 1.4 -0.9\nH 0.1 -1.5 -0.8\nend\n"
IMIDOGEN = "basis 6-31++G**\nmultiplicity 3\nunits bohr\ngeometry\nN 0 0 0\nH 0.3 0.2 1.9\nend\n"
AMMONIA = "basis 6-31G\ngeometry\nN 0 0 0.1\nH 0 0.94 -0.27\nH 0.81406387 -0.47 -0.27\nH -0.81406387 -0.47 -0.27\nend\n"
WATER = "basis cc-pVTZ\nunits bohr\ngeometry\nO 0 0 0.2\nH 0 1.4 -0.9\nH 0.1 -1.5 -0.8\nend\n"
TIGHT = ["--energy-tolerance", "1e-11", "--commutator-tolerance", "1e-9"]
REFERENCE_ERROR = {"psi4": 1e-7, "nwchem": 6e-7}
EVERYTHING = "all" in sys.argv[5:]
FEW = ("lithium_hydride", "water_charges", "silver_hydride")  # diffuse functions, point charges, a core potential
OCCUPATION_ERROR = 5.1e-5  # four digits
DIFFERENCE_ERROR = 5e-9  # of five points; found 3e-10
STEP = 2e-3
POLARISABILITY = 4.9986322  # zz of WATER in cc-pVDZ by Psi4: differences of MP2 energies, all electrons


def run(folder, text, *options):
    """The result of a run that is to end well, and its report."""
    path, result = os.path.join(folder, "input.mol"), os.path.join(folder, "out.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    code, report, errors = TEST.run([path, "--checkpoint", "none", "--json", result, *options])
    TEST.check(code == 0, f"{options}: exit code {code}", errors)
    if code != 0:
        return None
    with open(result, encoding="utf-8") as file:
        return {**json.load(file), "report": report}


def largest(numbers):
    return max(map(abs, numbers))


def differ(one, other):
    return largest(a - b for a, b in zip(one["return_result"], other["return_result"], strict=True))


def references(name):
    with open(os.path.join(sys.argv[4], name), encoding="utf-8") as file:
        return json.load(file)["cases"]


def input_of(case, atoms):
    return "\n".join([f"charge {case['charge']}", f"multiplicity {case['multiplicity']}", f"basis {case['basis']}", "units bohr", "geometry",
                      *atoms, "end", ""])


def options_of(case):
    return ["--method", case["method"], "--frozen-core", case.get("frozen_core", "none"),
            *(["--cartesian"] if case["cartesian"] else []), *case.get("options", [])]


def against_program(folder, case):
    charges = case.get("point_charges", [])
    path = os.path.join(folder, "charges.xyz")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(charges)}\nunits=bohr\n" + "".join(" ".join(map(str, charge)) + "\n" for charge in charges))
    molden = os.path.join(folder, "out.molden")
    result = run(folder, input_of(case, case["geometry_bohr"]), "--task", "gradient", *options_of(case), "--molden", molden,
                 *(["--point-charges-file", path] if charges else []))
    if result is None:
        return
    name = f"{case['name']}/{case['basis']}, frozen core {case['frozen_core']}"
    found = result["extras"]["hf"]["gradient"]
    off = largest(a - b for a, b in zip(result["return_result"] + found.get("point_charges", []),
                                        sum(case["gradient"] + case.get("gradient_of_charges", []), []), strict=True))
    moment = result["properties"]["mp2_dipole_moment"]
    dipole = largest(a - b for a, b in zip(moment, case.get("dipole", moment)))
    of_psi4 = any("psi4" in program for program in case["programs"])
    print(f"{name}: {' and '.join(case['programs'])}: gradient {off:.1e}, dipole moment {dipole:.1e}, sum {largest(found['sum']):.1e}")
    TEST.check(off < REFERENCE_ERROR["psi4" if of_psi4 else "nwchem"], f"{name}: off by {off:.1e}")
    if "natural_occupations" in case:
        check_occupations(case, name, molden)
    TEST.check(dipole < 1e-5, f"{name}: dipole moment is off by {dipole:.1e}")
    TEST.check(abs(result["properties"]["return_energy"] - case["total_energy"]) < 2e-9, f"{name}: energy", result["properties"])
    TEST.check(largest(found["sum"]) < net_force_bound(result) and largest(found["torque"]) < 1e-7, f"{name}: net force", found)


def net_force_bound(result):
    """Of docs/numerics.md: each addition to the sums is rounded to whole steps. At most, since quartets are left out."""
    n = result["extras"]["hf"]["basis"]["shells"]
    n_pair = n * (n + 1) / 2
    n_addition = 4 * 3 * n_pair * (n_pair + 1) / 2  # quartets of densities, of their difference, and of amplitudes
    return 8.0 * 2.0**-44 * math.sqrt(n_addition / 12.0)


def check_occupations(case, name, molden):
    """Of natural orbitals, one spin after the other."""
    with open(molden, encoding="utf-8") as file:
        found = [float(line.split("=")[1]) for line in file if line.startswith(" Occup=")]
    off = largest(a - b for a, b in zip(found, sum(case["natural_occupations"], []), strict=True))
    TEST.check(off < OCCUPATION_ERROR, f"{name}: occupations of natural orbitals are off by {off:.1e}", found)


def against_programs(folder):
    cases = references("mp2_gradients.json") + references("mp2_gradients_more.json")
    if not EVERYTHING and TEST.n_rank == 1:
        cases = [case for case in cases if "dipole" not in case and "point_charges" not in case or case["name"] in FEW]
    for case in cases if EVERYTHING or TEST.n_rank == 1 else cases[1:10:4]:
        against_program(folder, case)


def structure(folder, case):
    """A minimum or saddle point from the same start, and what is computed there. As many groups as ranks share displacements."""
    name, options = f"{case['name']}/{case['basis']}", options_of(case)
    search = run(folder, input_of(case, case["start_bohr"]), "--task", "optimise", *options, *(["--saddle"] if "saddle" in case else []))
    task = ["--task", "gradient,vibrations", "--groups", str(TEST.n_rank)] if "frequencies" in case else ["--task", "gradient"]
    result = run(folder, input_of(case, case["geometry_bohr"]), *task, *options)
    if search is None or result is None:
        return
    energy = abs(search["properties"]["return_energy"] - case["total_energy"])
    dipole = largest(a - b for a, b in zip(result["properties"]["mp2_dipole_moment"], case["dipole"], strict=True))
    words = f"{name}: energy {energy:.1e}, dipole moment {dipole:.1e}"
    TEST.check(energy < 1e-6, f"{name}: energy of the structure is off by {energy:.1e}")
    TEST.check(dipole < 1e-5, f"{name}: dipole moment is off by {dipole:.1e}")
    if "frequencies" in case:
        found = result["extras"]["hf"]["vibrations"]["frequencies"]
        off = largest(a - b for a, b in zip(found, case["frequencies"], strict=True))
        TEST.check(off < 1.0, f"{name}: frequencies are off by {off:.2f}", (found, case["frequencies"]))
        words += f", frequencies {off:.3f}"
    print(words)


def structures(folder):
    for case in references("mp2_structures.json"):
        if not EVERYTHING and case["name"] != "water":
            continue
        if "scan" not in case:
            structure(folder, case)
            continue
        result = run(folder, input_of(case, case["start_bohr"]), "--task", "optimise", "--scan", case["scan"], *options_of(case))
        if result is not None:
            found = [point["energy"] for point in result["extras"]["hf"]["optimisation"]["scan"]]
            off = largest(a - b for a, b in zip(found, case["energies"], strict=True))
            print(f"{case['name']}: scan {off:.1e}")
            TEST.check(off < 1e-6, f"{case['name']}: energies of the scan are off by {off:.1e}", found)


def moved(text, direction, length):
    head, atoms = text.split("geometry\n")
    lines = [line.split() for line in atoms.splitlines()[:-1]]
    places = [float(x) for line in lines for x in line[1:]]
    moved_to = [x + length * part for x, part in zip(places, direction, strict=True)]
    return head + "geometry\n" + "".join(f"{line[0]} {moved_to[3 * i]:.12f} {moved_to[3 * i + 1]:.12f} {moved_to[3 * i + 2]:.12f}\n"
                                         for i, line in enumerate(lines)) + "end\n"


def check_differences(folder, name, text, *options):
    """The gradient along a random direction against five-point differences of energies."""
    scaled = "--scs" in options

    def energy(length):
        result = run(folder, moved(text, direction, length), *TIGHT, *options)
        return result["extras"]["hf"]["mp2"]["scs_total_energy"] if scaled else result["return_result"]

    result = run(folder, text, "--task", "gradient", *TIGHT, *options)
    if result is None:
        return
    numbers = random.Random(7)
    direction = [numbers.uniform(-1.0, 1.0) for _ in result["return_result"]]
    along = sum(slope * part for slope, part in zip(result["return_result"], direction, strict=True))
    near, far = (energy(length) - energy(-length) for length in (STEP, 2.0 * STEP))
    off = abs((8.0 * near - far) / (12.0 * STEP) - along)
    TEST.check(off < DIFFERENCE_ERROR, f"{name}: differences are off by {off:.1e}")


def against_differences(folder):
    charges = os.path.join(folder, "charges.xyz")
    with open(charges, "w", encoding="utf-8") as file:
        file.write(CHARGES)
    for name, text, options in (("core potential and field", SILVER_HYDRIDE, ["--method", "mp2"]),
                                ("charges, ghost", OPEN, ["--method", "ump2", "--point-charges-file", charges]),
                                ("scaled, Cartesian, several sets", MIXED, ["--method", "mp2", "--cartesian", "--scs"]),
                                ("scaled, open shells, frozen virtual orbitals", OPEN,
                                 ["--method", "ump2", "--scs", "--frozen-virtuals", "3"]),
                                ("triplet, all electrons", IMIDOGEN, ["--method", "ump2", "--frozen-core", "none"]),
                                ("functions removed", IMIDOGEN, ["--method", "ump2", "--linear-dependence", "0.02",
                                                                 "--frozen-virtuals", "2", "--fock", "distributed"]),
                                ("f functions", WATER, ["--method", "mp2"])):
        check_differences(folder, name, text, *options)


def scaled(folder):
    """What is named mp2_ is not scaled; the energy returned is that of the gradient."""
    plain, scs = (run(folder, MIXED, "--method", "mp2", "--task", "gradient", *options) for options in ([], ["--scs"]))
    if plain is None or scs is None:
        return
    properties, extras = scs["properties"], scs["extras"]["hf"]
    for key in ("mp2_total_energy", "mp2_correlation_energy"):
        TEST.check(abs(properties[key] - plain["properties"][key]) < 1e-9, f"--scs: {key}", properties)
    TEST.check(properties["return_energy"] == extras["mp2"]["scs_total_energy"], "--scs: return_energy", properties)
    TEST.check("mp2_dipole_moment" not in properties and extras["relaxed_density"]["density"] == "relaxed SCS-MP2", "--scs: density", extras)
    for words in (f"MP2 total energy {properties['mp2_total_energy']:.10f}", f"SCS-MP2 total energy {properties['return_energy']:.10f}",
                  "Gradient of the SCS-MP2 energy", "From the relaxed density of SCS-MP2"):
        TEST.check(words in " ".join(scs["report"].split()), f"--scs: the report has '{words}'", scs["report"])


def dipole_moment(folder):
    """The relaxed density gives the derivative of the energy by a field."""
    for name, text, options in (("water", WATER.replace("TZ", "DZ"), ["--method", "mp2"]), ("imidogen", IMIDOGEN, ["--method", "ump2"])):
        result = run(folder, text, "--task", "gradient", *TIGHT, *options)
        energies = [run(folder, text.replace("units", f"field 0 {strength} 0\nunits"), *TIGHT, *options)["return_result"]
                    for strength in (1e-3, -1e-3, 2e-3, -2e-3)]
        slope = (8.0 * (energies[0] - energies[1]) - energies[2] + energies[3]) / 12e-3
        off = abs(result["properties"]["mp2_dipole_moment"][1] + slope)
        TEST.check(off < 1e-7, f"{name}: the dipole moment is off by {off:.1e}")
        relaxed, of_scf = (result["extras"]["hf"][key] for key in ("relaxed_density", "properties"))
        TEST.check(abs(relaxed["electrons"] - relaxed["electrons_expected"]) < 1e-9, f"{name}: electrons of the density")
        TEST.check((relaxed["density"], of_scf["density"]) == ("relaxed MP2", "SCF"), f"{name}: which density is told in the JSON file")
        TEST.check(f"\nFrom the density of the SCF ({'u' if name == 'imidogen' else 'r'}hf)\n" in result["report"] and
                   "\nFrom the relaxed density of MP2" in result["report"], f"{name}: which density is told", result["report"])


def field(folder):
    """In a field F the forces on a charge Q add up to Q F, and turn its relaxed dipole moment."""
    text = "charge 2\nfield 0.01 0.03 0.02\n" + WATER.replace("TZ", "DZ")
    result = run(folder, text, "--task", "gradient", "--method", "mp2", *TIGHT)
    if result is None:
        return
    strength, dipole = [0.01, 0.03, 0.02], result["properties"]["mp2_dipole_moment"]
    found = result["extras"]["hf"]["gradient"]
    torque = [dipole[(x + 1) % 3] * strength[(x + 2) % 3] - dipole[(x + 2) % 3] * strength[(x + 1) % 3] for x in range(3)]
    TEST.check(largest(a + 2.0 * b for a, b in zip(found["sum"], strength)) < 1e-10, "net force in a field", found)
    TEST.check(largest(a + b for a, b in zip(found["torque"], torque)) < 2e-8, "torque in a field", (found, torque))


def polarisability(folder):
    """The derivative of the relaxed dipole moment by a field is minus the second derivative of the energy, and the number of Psi4."""
    field_of = {}
    for strength in (0.0, 1e-3, -1e-3, 2e-3, -2e-3):
        text = WATER.replace("TZ", "DZ").replace("units", f"field 0 0 {strength}\nunits")
        field_of[strength] = run(folder, text, "--task", "gradient", "--method", "mp2", "--frozen-core", "none", *TIGHT)["properties"]
    dipole = {strength: result["mp2_dipole_moment"][2] for strength, result in field_of.items()}
    energy = {strength: result["mp2_total_energy"] for strength, result in field_of.items()}
    first = (8.0 * (dipole[1e-3] - dipole[-1e-3]) - dipole[2e-3] + dipole[-2e-3]) / 12e-3
    second = -(16.0 * (energy[1e-3] + energy[-1e-3]) - energy[2e-3] - energy[-2e-3] - 30.0 * energy[0.0]) / 12e-6
    TEST.check(abs(first - POLARISABILITY) < 2e-5, f"polarisability {first}, expected {POLARISABILITY}")
    TEST.check(abs(first - second) < 2e-4, f"polarisability {first} by dipole moments, {second} by energies")


def same_everywhere(folder):
    """Ranks, threads, builders and schedulers change nothing; with --reproducible no bit."""
    usual = ["--task", "gradient", "--method", "ump2"]
    first = run(folder, OPEN, *usual)
    extras = first["extras"]["hf"]
    TEST.check(extras["gradient"]["z_vector_converged"] and extras["gradient"]["z_vector_products"] > 1, "Z-vector", extras["gradient"])
    expected = extras["memory_expected_bytes"]
    TEST.check(expected["after_scf"] > expected["stored"] > 0, "the relaxation stores integrals beside its matrices", expected)
    for options in (["--fock", "distributed"], ["--threads", "2", "--schedule", "static"]):
        TEST.check(differ(first, run(folder, OPEN, *usual, *options)) < 1e-9, f"{options} change the gradient")
    bits = [run(folder, OPEN, *usual, "--reproducible", "--threads", threads) for threads in ("1", "2")]
    TEST.check(differ(*bits) == 0.0, "--reproducible: other bits with two threads")
    n_rank, TEST.n_rank = TEST.n_rank, 1
    alone = run(folder, OPEN, *usual, "--reproducible")
    TEST.n_rank = n_rank
    TEST.check(differ(alone, bits[0]) == 0.0, "--reproducible: another gradient on one rank")
    properties = [result["properties"]["mp2_total_energy"] for result in (alone, bits[0])]
    TEST.check(properties[0] == properties[1], "--reproducible: another energy on one rank", properties)


def refused(folder):
    """Frozen orbitals that are degenerate with correlated ones; orbitals in batches, whose number changes bits."""
    path = os.path.join(folder, "ammonia.mol")
    with open(path, "w", encoding="utf-8") as file:
        file.write(AMMONIA)
    usual = [path, "--checkpoint", "none", "--method", "mp2"]
    for option, word in (("--frozen-core", "core"), ("--frozen-virtuals", "virtual")):
        degenerate = TEST.run([*usual, option, "3" if word == "core" else "8", "--task", "gradient"])
        TEST.expect_one_line(f"{option} cuts a pair", degenerate, 2, [f"no derivatives; expected another number of frozen {word} orbitals"])
    code, output, errors = TEST.run([*usual, "--frozen-core", "3"])
    TEST.check(code == 0 and "has the energy of a correlated one" in output, "a warning for the energy", output + errors)
    short = TEST.run([*usual, "--task", "gradient", "--reproducible", "--memory", "0.1 MB"])
    TEST.expect_one_line("bits depend on batches", short, 3, ["in one batch"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(IMIDOGEN)
    for task in ("energy", "gradient"):
        few = TEST.run([*usual[:3], "--method", "ump2", "--linear-dependence", "0.1", "--frozen-virtuals", "19", "--task", task])
        TEST.expect_one_line("functions removed, all others frozen", few, 2, ["19 frozen virtual orbitals; expected fewer than the 17"])


def turned(rows):
    """Vectors turned by an orthogonal matrix."""
    matrix = [[2 / 3, -1 / 3, 2 / 3], [2 / 3, 2 / 3, -1 / 3], [-1 / 3, 2 / 3, 2 / 3]]
    return [[sum(m * x for m, x in zip(row, vector)) for row in matrix] for vector in rows]


def rotation(folder):
    """Forces and moments turn with the molecule, whose atoms may stand in any order."""
    for name, text, options in (("core potential", SILVER_HYDRIDE.replace("field 0.01 0 0.02\n", ""), ["--method", "mp2"]),
                                ("open shells", OPEN, ["--method", "ump2", "--frozen-virtuals", "3"])):
        head, atoms = text.split("geometry\n")
        lines = [line.split() for line in atoms.splitlines()[:-1]]
        places = turned([[float(x) for x in line[1:]] for line in lines])
        rows = [f"{line[0]} " + " ".join(f"{x:.14f}" for x in place) for line, place in zip(lines, places, strict=True)]
        first = run(folder, text, "--task", "gradient", *TIGHT, *options)
        second = run(folder, head + "geometry\n" + "\n".join(reversed(rows)) + "\nend\n", "--task", "gradient", *TIGHT, *options)
        if first is None or second is None:
            continue
        slopes = [[result["return_result"][3 * i:3 * i + 3] for i in range(len(lines))] for result in (first, second)]
        off = largest(a - b for a, b in zip(sum(turned(slopes[0]), []), sum(reversed(slopes[1]), []), strict=True))
        moments = [result["properties"]["mp2_dipole_moment"] for result in (first, second)]
        moment = largest(a - b for a, b in zip(turned([moments[0]])[0], moments[1], strict=True))
        TEST.check(off < 2e-9 and moment < 2e-8, f"{name}, turned: forces are off by {off:.1e}, the dipole moment by {moment:.1e}")


def tasks(folder):
    """A structure from forces of MP2, and the derivatives of its dipole moment and forces there."""
    result = run(folder, MIXED, "--method", "mp2", "--task", "optimise,vibrations")
    if result is None:
        return
    found = result["extras"]["hf"]["vibrations"]["frequencies"]
    TEST.check(len(found) == 3 and min(found) > 1000.0, "frequencies of water", found)
    again = run(folder, MIXED, "--method", "rhf", "--task", "optimise,vibrations")["extras"]["hf"]["vibrations"]["frequencies"]
    TEST.check(all(a < b - 30.0 for a, b in zip(found, again, strict=True)), "correlation lowers frequencies", (found, again))


def main():
    with tempfile.TemporaryDirectory() as folder:
        against_programs(folder)
        structures(folder)
        if not EVERYTHING:
            same_everywhere(folder)
        if not EVERYTHING and TEST.n_rank == 1:
            refused(folder)
            scaled(folder)
            against_differences(folder)
            dipole_moment(folder)
            field(folder)
            polarisability(folder)
            rotation(folder)
            tasks(folder)
    return TEST.report()


sys.exit(main())
