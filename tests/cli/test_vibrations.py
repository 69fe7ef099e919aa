#!/usr/bin/env python3
"""Vibrations as users meet them: against Psi4, groups of ranks, restarts, files, what is told and refused.

Usage: test_vibrations.py HF MPIEXEC RANKS vibrations.json CASES
CASES are names of that file, separated by commas, or "all".
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments(most_seconds=600)
# 1/cm; part of an intensity, and km/mol below which intensities are not compared so; hartree
NEAR, NEAR_INTENSITY, SMALL_INTENSITY, NEAR_ENERGY = 0.5, 0.01, 1.0, 1e-6
BOHR = 0.529177210903


def write(folder, case, **keywords):
    path = os.path.join(folder, case["name"] + ".in")
    molecule = {"symbols": [atom[0] for atom in case["atoms"]], "masses": [atom[1] for atom in case["atoms"]],
                "geometry": [x for place in case["geometry_bohr"] for x in place], "molecular_charge": case["charge"]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_name": "qcschema_input", "schema_version": 1, "driver": "hessian", "keywords": keywords, "molecule": molecule,
                   "model": {"method": "rhf", "basis": case["basis"]}}, file)
    return path


def compute(folder, case, *options, **keywords):
    """(report, result)"""
    result = os.path.join(folder, "out.json")
    code, report, errors = TEST.run([write(folder, case, **keywords), "--json", result, *options])
    TEST.check(code == 0, f"{case['name']} {options}: exit code {code}", errors)
    with open(result, encoding="utf-8") as file:
        return report, json.load(file)


def groups_of(values):
    """Means of degenerate modes, whose intensities are theirs in sum."""
    places = sorted(range(len(values)), key=values.__getitem__)
    groups = []
    for i in places:
        if groups and values[i] - values[groups[-1][-1]] < 0.2:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def compare(folder, case):
    name = case["name"]
    report, result = compute(folder, case, "--symmetry-number", str(case["symmetry_number"]))
    found = result["extras"]["hf"]["vibrations"]
    thermal = found["thermochemistry"]
    energy = result["properties"]["return_energy"]
    TEST.check(result["driver"] == "hessian" and abs(energy - case["total_energy"]) < 1e-8, f"{name}: energy {energy}")
    n = 3 * len(case["atoms"])
    hessian = result["return_result"]
    TEST.check(len(hessian) == n * n and all(hessian[i * n + j] == hessian[j * n + i] for i in range(n) for j in range(i)),
               f"{name}: the Hessian has {len(hessian)} elements, or is not symmetric")
    TEST.check(len(found["frequencies"]) == len(case["frequencies"]), f"{name}: modes", str(found["frequencies"]))
    for mine, other in zip(found["frequencies"], case["frequencies"], strict=True):
        TEST.check(abs(mine - other) < NEAR, f"{name}: frequency {mine}, expected {other}")
    for group in groups_of(case["frequencies"]):
        mine, other = (sum(of[i] for i in group) for of in (found["infrared_intensities"], case["intensities"]))
        TEST.check(abs(mine - other) < NEAR_INTENSITY * max(other, SMALL_INTENSITY), f"{name}: intensity {mine}, expected {other}")
        mine, other = (sum(of[i] for i in group) for of in (found["reduced_masses"], case["reduced_masses"]))
        TEST.check(len(group) > 1 or abs(mine - other) < 1e-3 * other, f"{name}: reduced mass {mine}, expected {other}")
    for key in ("zero_point_energy", "enthalpy", "gibbs_energy"):
        TEST.check(abs(thermal[key] - case[key]) < NEAR_ENERGY, f"{name}: {key} {thermal[key]}, expected {case[key]}")
    TEST.check("not stationary" not in report, f"{name}: not stationary")
    TEST.check((case["frequencies"][0] < 0) == ("saddle point of order 1" in report), f"{name}: saddle point", report[-3000:])
    worst = max(abs(a - b) for a, b in zip(found["frequencies"], case["frequencies"], strict=True))
    print(f"{name}: largest error {worst:.3f} 1/cm, zero-point energy {thermal['zero_point_energy'] - case['zero_point_energy']:.1e}, "
          f"free energy {thermal['gibbs_energy'] - case['gibbs_energy']:.1e} hartree")


def check_symmetry(folder, cases):
    """Symmetry numbers are found; an isotope lowers them."""
    for name, isotope, number in (("water", None, 2), ("water", 2.01410177812, 1), ("planar_ammonia", None, 6), ("carbon_dioxide", None, 2),
                                  ("hydrogen_cyanide", None, 1), ("methane", None, 12), ("ethene", None, 4)):
        case = json.loads(json.dumps(cases[name]))
        if isotope:
            case["atoms"][1][1] = isotope
        report, result = compute(folder, case, "--basis", "STO-3G", "--temperature", "500", "--pressure", "1e5", "--frequency-scale", "0.9")
        thermal = result["extras"]["hf"]["vibrations"]["thermochemistry"]
        TEST.check(thermal["symmetry_number"] == number, f"{name} {isotope}: symmetry number {thermal['symmetry_number']}")
        TEST.check(f"Thermochemistry at 500 K and 100000 Pa, symmetry number {number} (found), frequencies times 0.9\n" in report, f"{name}: heading")
        quanta = sum(w for w in result["extras"]["hf"]["vibrations"]["frequencies"] if w > 0) / 219474.6313632
        TEST.check(abs(thermal["zero_point_energy"] - 0.45 * quanta) < 1e-9, f"{name}: scaled zero-point energy", thermal)


def tighten(*options):
    return [*options, "--max-force", "1e-5", "--rms-force", "1e-5", "--max-displacement", "1e-4", "--rms-displacement", "1e-4"]


def move(case):
    """The same molecule at places that are no minimum."""
    moved = json.loads(json.dumps(case))
    moved["name"] += "_moved"
    for i, place in enumerate(moved["geometry_bohr"]):
        for x in range(3):
            place[x] += 0.02 * ((5 * i + 3 * x) % 7 - 3)
    return moved


def compare_found(folder, case, *options):
    """Structure and vibrations in one run: those of the other program at its own minimum or saddle point."""
    report, result = compute(folder, move(case), "--task", "optimise,vibrations", *tighten(*options))
    found = result["extras"]["hf"]["vibrations"]
    name = f"{case['name']}, optimise,vibrations {options}:"
    TEST.check(abs(result["properties"]["return_energy"] - case["total_energy"]) < 1e-8, name, f"energy {result['properties']['return_energy']}")
    worst = max(abs(mine - other) for mine, other in zip(found["frequencies"], case["frequencies"], strict=True))
    TEST.check(worst < NEAR, name, f"frequencies {found['frequencies']}, expected {case['frequencies']}")
    TEST.check(abs(found["thermochemistry"]["zero_point_energy"] - case["zero_point_energy"]) < NEAR_ENERGY, name, "zero-point energy")
    TEST.check(result["driver"] == "hessian" and len(result["return_result"]) == 9 * len(case["atoms"]) ** 2 and
               result["extras"]["hf"]["settings"]["task"] == "optimise,vibrations" and "task" not in result["keywords"], name, "JSON")
    TEST.check("\nStructure found after" in report and "WARNING" not in report and "Task                   optimise,vibrations\n" in report and
               report.index("\nGradient") < report.index("\nVibrations"), name, report[-4000:])
    TEST.check(("a saddle point of first order" in report) == ("--saddle" in options), name, "saddle point")


def check_structures(folder, cases):
    compare_found(folder, cases["water"])
    compare_found(folder, cases["planar_ammonia"], "--saddle")
    code, report, _ = TEST.run([write(folder, move(cases["water"])), "--task", "opt,freq", "--max-steps", "1", "--checkpoint", "none",
                                "--json", os.path.join(folder, "lost.json")])
    with open(os.path.join(folder, "lost.json"), encoding="utf-8") as file:
        lost = json.load(file)
    TEST.check(code == 1 and "vibrations: not computed, because no structure was found" in report and "\nVibrations" not in report,
               f"no structure, no vibrations: exit code {code}", report[-3000:])
    TEST.check(not lost["success"] and lost["error"]["error_message"] == "no structure was found, and task vibrations needs one" and
               len(lost["extras"]["hf"]["optimisation"]["steps"]) == 1, "no structure: the JSON file", str(lost["error"]))


def check_restart_of_list(folder, case):
    """Ended between two displacements, the checkpoint goes on with them, at the structure that was found."""
    kept, result = os.path.join(folder, "list.h5"), os.path.join(folder, "list.json")
    command = [*TEST.launcher, TEST.program, write(folder, move(case)), *tighten("--task", "opt,freq"), "--temperature", "350", "--checkpoint", kept]
    for _ in range(5):  # a run that ends before the signal is repeated
        code, report, errors = stopped(command, os.path.join(folder, "list.displacements"), signal.SIGUSR1, 3)
        if code != 0:
            break
    TEST.expect_one_line("signal in a list of tasks", (code, report, errors), 128 + signal.SIGUSR1,
                         ["not computed: vibrations", f"to continue: hf --restart {kept} --task optimise,vibrations"])
    found = report[report.index("\nStructure found"):report.index("\nSelf-consistent")]
    code, report, errors = TEST.run(["--restart", kept, "--json", result])
    TEST.check(code == 0 and found in report and "\nOptimisation" not in report and "were there from an earlier run" in report,
               f"restart of a list: exit code {code}", errors + report[-5000:])
    TEST.check("Thermochemistry at 350 K" in report, "restart of a list: the temperature")
    with open(result, encoding="utf-8") as file:
        frequencies = json.load(file)["extras"]["hf"]["vibrations"]["frequencies"]
    worst = max(abs(mine - other) for mine, other in zip(frequencies, case["frequencies"], strict=True))
    TEST.check(worst < NEAR, f"restart of a list: frequencies {frequencies}")
    code, report, errors = TEST.run(["--restart", kept, "--task", "energy"])
    TEST.check(code == 0 and "\nStructure found" not in report and "\nVibrations" not in report, "another task at a restart", report[-3000:] + errors)


def check_nearly_linear(folder, cases):
    """A molecule that is nearly linear has the symmetry number of the linear one, and a note: the entropy of three rotations by hand."""
    case = json.loads(json.dumps(cases["carbon_dioxide"]))
    for bend, rotational in ((0.00518361, 39.6898), (0.0, 55.0900)):
        case["atoms"] = [["C", 12.0], ["O", 15.99491461957], ["O", 15.99491461957]]
        case["geometry_bohr"] = [[x / BOHR for x in place] for place in ([bend, 0, 0], [0, 0, 1.18798869], [0, 0, -1.18798869])]
        report, result = compute(folder, case, "--basis", "STO-3G")
        thermal = result["extras"]["hf"]["vibrations"]["thermochemistry"]
        TEST.check(thermal["symmetry_number"] == 2, f"CO2 bent by {bend} angstrom: symmetry number {thermal['symmetry_number']}")
        entropy = float(re.search(r"\n  Rotation +\S+ +(\S+)", report).group(1))
        TEST.check(abs(entropy - rotational) < 0.001, f"CO2 bent by {bend} angstrom: entropy of rotation {entropy}")
        TEST.check(("the molecule is nearly linear" in report) == (bend > 0), f"CO2 bent by {bend} angstrom: note", report[-2500:])


def builds_of(result):
    return result["extras"]["hf"]["vibrations"]["displacement_fock_builds"]


def check_phases(report, what):
    """The table has the gradients, and adds up to the time of the run."""
    table = report.partition("Seconds over the ranks")[2].partition("\n\n")[0].splitlines()[1:]
    mean = {line[:34].strip(): float(line.split()[-3]) for line in table}
    TEST.check("Gradient: quartets" in mean, f"{what}: no row of gradients", table)
    off = 2 * mean["Total"] - sum(mean.values())
    TEST.check(abs(off) < 1e-3 * len(mean), f"{what}: the phases lack {off:.3f} of {mean['Total']} s", table)
    TEST.check(mean.get("Outside of the phases", -1.0) > -1e-3, f"{what}: phases overlap", table)


def check_files(folder, case):
    """Groups give the same; the Molden file has the modes; nothing is left behind."""
    molden = os.path.join(folder, "modes.molden")
    report, one = compute(folder, case, "--molden", molden)
    check_phases(report, "vibrations")
    with open(molden, encoding="utf-8") as file:
        text = file.read()
    part = text.partition("[FREQ]\n")[2]
    n = len(one["extras"]["hf"]["vibrations"]["frequencies"])
    listed = [float(x) for x in part.split("[FR-COORD]")[0].split()]
    TEST.check(len(listed) == n and abs(listed[0] - one["extras"]["hf"]["vibrations"]["frequencies"][0]) < 1e-3, "Molden: frequencies", str(listed))
    TEST.check(part.count("vibration ") == n and "[INT]" in part, "Molden: modes", part)
    up, down = (sum(builds_of(one)[k::2]) for k in (0, 1))
    TEST.check(down < 0.9 * up, f"{down} Fock builds of second displacements, which start from the first, {up} of those")
    if TEST.n_rank > 1:
        report, several = compute(folder, case, "--groups", str(TEST.n_rank))
        check_phases(report, "groups")
        worst = max(abs(a - b) for a, b in zip(one["return_result"], several["return_result"], strict=True))
        TEST.check(worst < 5e-6 and f"by {TEST.n_rank} groups of ranks" in report, f"groups: the Hessian differs by {worst}")
        # each group starts from the orbitals of all, and takes both points of a coordinate
        builds = [sum(builds_of(of)) for of in (one, several)]
        TEST.check(builds[1] <= 1.05 * builds[0], f"groups: {builds[1]} Fock builds, {builds[0]} without groups")
    TEST.check(not glob.glob(os.path.join(folder, "*.displacements*")), "files of displacements are left")
    TEST.check(not glob.glob("*.displacements*"), "files of displacements are left in the working folder")


def stopped(command, stem, number, least):
    """(exit code, report, errors) of a run that gets a signal once so many points are there."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while count_points(stem) < least and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(number)
    try:
        report, errors = process.communicate(timeout=TEST.most_seconds)
    finally:
        process.kill()
    return process.returncode, report, errors


def interrupted(command, stem, number, n_point):
    """Points that are there after a signal in the middle of a run. A run that ends before the signal is repeated."""
    there = n_point
    for _ in range(5):
        for old in glob.glob(stem + "*"):
            os.unlink(old)
        stopped(command, stem, number, 4)
        there = count_points(stem)
        if there < n_point:
            break
    return there


def check_restart(folder, case):
    """Killed in the middle, it goes on behind the last displacement; so it does after a signal."""
    stem = os.path.join(folder, "kept.displacements")
    path = write(folder, case)
    result = os.path.join(folder, "out.json")
    options = [path, "--json", result, "--groups", str(TEST.n_rank), "--checkpoint", os.path.join(folder, "kept.h5")]
    _, whole = compute(folder, case)
    for number in (signal.SIGKILL, signal.SIGUSR1)[0 if TEST.n_rank == 1 else 1:]:  # ranks may outlive an mpiexec that is killed
        n = 6 * len(case["atoms"])
        there = interrupted([*TEST.launcher, TEST.program, *options], stem, number, n)
        with open(glob.glob(stem + "-*-1")[0], "a", encoding="utf-8") as file:
            file.write("3 -76.0 0.1")  # a line that was cut off
        code, report, errors = TEST.run(options)
        with open(result, encoding="utf-8") as file:
            again = json.load(file)
        worst = max(abs(a - b) for a, b in zip(whole["return_result"], again["return_result"], strict=True))
        TEST.check(code == 0 and 4 <= there < n and f"; {there} were there from an earlier run" in report,
                   f"restart after {number.name}, {there} points: exit code {code}", errors + report[-2500:])
        TEST.check(worst < 5e-6, f"restart: the Hessian differs by {worst}")
        TEST.check(count_points(stem) == n, "with --checkpoint FILE the displacements are kept:", str(count_points(stem)))
    if TEST.n_rank > 1:
        return
    code, report, _ = TEST.run([*options, "--temperature", "400"])
    TEST.check(code == 0 and f"; {n} were there" in report, "other temperature: all displacements are there")
    code, report, _ = TEST.run([*options, "--screening", "1e-11"])
    TEST.check(code == 0 and "were there" not in report, "displacements of another calculation are not taken")
    code, report, _ = TEST.run([*options, "--basis", "STO-3G"])
    TEST.check(code == 0 and "were there" not in report, "displacements of another basis set are not taken")
    code, report, _ = TEST.run(options)
    TEST.check(code == 0 and f"; {n} were there" in report, "another basis set leaves the displacements of the first run", report[-2500:])


def check_restart_into_another(folder, case):
    """A restart that writes another checkpoint keeps its displacements beside that one, with those of the first run."""
    stems = [os.path.join(folder, name) for name in ("first", "second")]
    there = 0
    for arguments, stem in [[write(folder, case)], stems[0]], [["--restart", stems[0] + ".h5"], stems[1]]:
        command = [*TEST.launcher, TEST.program, *arguments, "--groups", str(TEST.n_rank), "--checkpoint", stem + ".h5"]
        code, report, errors = stopped(command, stem + ".displacements", signal.SIGUSR1, there + 3)
        TEST.check(code != 0 or TEST.n_rank > 1, f"{stem}: ended before the signal", report[-2500:] + errors)
        kept, there = there, count_points(stem + ".displacements")
        TEST.check(there >= kept + 3, f"{stem}: {there} displacements, {kept} before", report[-2500:] + errors)
    code, report, errors = TEST.run(["--restart", stems[1] + ".h5"])
    TEST.check(code == 0 and f"; {there} were there" in report, f"restart of a restart: exit code {code}, {there} displacements",
               errors + report[-2500:])


def count_points(stem):
    n = 0
    for path in glob.glob(stem + "-*"):
        if not path.rsplit("-", 1)[1].isdigit():
            continue  # it is being written
        with open(path, encoding="utf-8") as file:
            n += file.read().count(" end\n")
    return n


def smallest_eigenvalue(folder, path):
    """Of the overlap matrix."""
    result = os.path.join(folder, "out.json")
    TEST.run([path, "--json", result])
    with open(result, encoding="utf-8") as file:
        return json.load(file)["extras"]["hf"]["scf"]["smallest_overlap_eigenvalue"]


def check_refusals(folder, case):
    path = write(folder, case)
    held = os.path.join(folder, "held.mol")
    with open(held, "w", encoding="utf-8") as file:
        file.write("basis STO-3G\nfield 0 0 0.02\ngeometry\nO 0 0 0.1\nH 0 0.7 -0.5\nH 0 -0.7 -0.5\nend\n")
    ghost = os.path.join(folder, "ghost.mol")
    with open(ghost, "w", encoding="utf-8") as file:
        file.write("basis STO-3G\ngeometry\nHe 0 0 0.1\n@He 0 0 2\nend\n")
    TEST.expect_one_line("groups", TEST.run([path, "--groups", "9"]), 2, [f"9 groups of {TEST.n_rank} ranks"])
    if TEST.n_rank > 1:
        return
    TEST.expect_one_line("ghost", TEST.run([ghost, "--task", "vibrations"]), 2, ["atom 2 is a ghost"])
    TEST.expect_one_line("local MP2", TEST.run([path, "--method", "lmp2"]), 2, ["no gradients of local MP2"])
    code, report, errors = TEST.run([held, "--task", "hessian", "--json", os.path.join(folder, "held.json")])
    with open(os.path.join(folder, "held.json"), encoding="utf-8") as file:
        n = len(json.load(file)["extras"]["hf"]["vibrations"]["frequencies"])
    TEST.check(code == 0 and n == 9 and "WARNING: the point is not stationary" in report, f"field: {n} modes", report[-3000:] + errors)
    removed = os.path.join(folder, "removed.mol")
    with open(removed, "w", encoding="utf-8") as file:
        file.write("basis 6-31++G**\nunits bohr\ngeometry\nH 0 0 0\nH 0 0 1.4\nend\n")
    smallest = smallest_eigenvalue(folder, removed)
    TEST.expect_one_line("removed functions", TEST.run([removed, "--task", "vibrations", "--checkpoint", "none",
                                                        "--linear-dependence", str(smallest * 1.00001)]),
                         2, ["0 functions are linearly dependent and removed, 1 where the atoms are", "choose another --linear-dependence"])
    atom = os.path.join(folder, "atom.mol")
    with open(atom, "w", encoding="utf-8") as file:
        file.write("basis STO-3G\ngeometry\nHe 0 0 0\nend\n")
    code, report, errors = TEST.run([atom, "--task", "vibrations"])
    TEST.check(code == 0 and "Thermochemistry" in report, f"atom: exit code {code}", errors)


def main():
    with open(sys.argv[4], encoding="utf-8") as file:
        cases = {case["name"]: case for case in json.load(file)["cases"]}
    names = list(cases) if sys.argv[5] == "all" else sys.argv[5].split(",")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            compare(folder, cases[name])
        if sys.argv[5] == "all":
            check_symmetry(folder, cases)
        else:
            check_files(folder, cases[names[0]])
            check_restart(folder, cases[names[0]])
            if TEST.n_rank > 1:
                check_restart_into_another(folder, cases[names[0]])
            else:
                check_nearly_linear(folder, cases)
                check_structures(folder, cases)
            check_restart_of_list(folder, cases["water"])
            check_refusals(folder, cases[names[0]])
    return TEST.report()


sys.exit(main())
