#!/usr/bin/env python3
"""Excited states, polarisabilities at frequencies, C6 and hyperpolarisabilities against whole matrices over Psi4's integrals;
ranks, builders and threads; natural transition orbitals; what is refused.

Usage: test_excitations.py HF MPIEXEC RANKS excitations.json CASES
CASES are names of that file, separated by commas, or "all".
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
NEAR, NEAR_STRENGTH = 1e-6, 1e-4  # hartree; of the sum over degenerate states
N_STATE = 5


class Folder:
    def __init__(self, path):
        self.path, self.json = path, os.path.join(path, "out.json")

    def write(self, case):
        path = os.path.join(self.path, case["name"] + ".mol")
        with open(path, "w", encoding="utf-8") as file:
            file.write("units bohr\ngeometry\n" + case["atoms"].replace("; ", "\n") + "\nend\n")
        return path

    def run(self, case, *options):
        """(report, results) of a run that is to end well."""
        code, report, errors = TEST.run([self.write(case), "--basis", case["basis"], "--multiplicity", str(case["multiplicity"]),
                                         "--checkpoint", "none", "--json", self.json, *options])
        TEST.check(code == 0, f"{case['name']} {options}: exit code {code}", errors)
        with open(self.json, encoding="utf-8") as file:
            return report, json.load(file)["extras"]["hf"]


def differ(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def groups_of(energies):
    """Places of degenerate states."""
    groups = []
    for i, energy in enumerate(energies):
        if groups and energy - energies[groups[-1][-1]] < 1e-5:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def check_states(what, found, energies, strengths):
    n = min(N_STATE, len(energies))
    TEST.check(len(found) >= n, f"{what}: {len(found)} states")
    # all states of the last energy are there, as far as the reference knows
    n = min(len(found), len(energies))
    whole = [group for group in groups_of(energies) if group[0] < min(N_STATE, len(energies))]
    TEST.check(len(found) == whole[-1][-1] + 1 or whole[-1][-1] == len(energies) - 1, f"{what}: degenerate states", (found, energies))
    off = differ([state["energy"] for state in found[:n]], energies[:n])
    TEST.check(off < NEAR, f"{what}: energies off by {off:.1e}", (found, energies))
    for group in whole:
        if group[-1] < n and energies[group[0]] > 0:
            off = abs(sum(found[i]["oscillator_strength"] - strengths[i] for i in group))
            TEST.check(off < NEAR_STRENGTH, f"{what}: strength of {group} off by {off:.1e}", (found, strengths))


def compare_states(folder, case):
    spins = ["--excitation-spins", "both"] if case["multiplicity"] == 1 else []
    for method in ("tdhf", "cis"):
        report, found = folder.run(case, "--excitations", str(N_STATE), "--excitation-method", method, *spins)
        found = found["excitations"]
        kinds = ["singlets", "triplets"] if spins else ["states"]
        TEST.check(found["converged"] and found["method"] == method, f"{case['name']}: {method}", found)
        for kind in kinds:
            check_states(f"{case['name']} {method} {kind}", found[kind], *case[f"{method}_{kind}"])
        unstable = any(case[f"{method}_{kind}"][0][0] < 0 for kind in kinds)
        TEST.check(("WARNING: a squared" in report or "below the solution" in report) == unstable, f"{case['name']}: warning", report)


def compare_responses(folder, case):
    more = ["--hyperpolarisability"] if "beta" in case else []
    _, found = folder.run(case, "--polarisability", "--frequencies", "0.1, 0.6i", "--c6", *more)
    found = found["polarisability"]
    for one, expected in zip(found["frequencies"], case["frequencies"][0], strict=True):
        off = differ(one["tensor"], expected)
        TEST.check(one["converged"] and off < 1e-5, f"{case['name']}: frequency {one['omega']} off by {off:.1e}", (one, expected))
    off = abs(found["c6"] / case["c6"] - 1)
    TEST.check(off < 2e-5, f"{case['name']}: C6 off by {off:.1e} of it", (found["c6"], case["c6"]))
    if more:
        off = differ(found["hyperpolarisability"], case["beta"])
        TEST.check(off < 2e-3, f"{case['name']}: hyperpolarisability off by {off:.1e}", (found["hyperpolarisability"], case["beta"]))


def compare_ways(folder, case):
    """Builders, threads and sums change nothing."""
    _, one = folder.run(case, "--excitations", "3")
    for way in (["--fock", "distributed", "--threads", "2"], ["--reproducible"], ["--reproducible", "--fock", "distributed"]):
        _, other = folder.run(case, "--excitations", "3", *way)
        for kind in ("singlets", "states"):
            for a, b in zip(one["excitations"].get(kind, []), other["excitations"].get(kind, []), strict=True):
                TEST.check(abs(a["energy"] - b["energy"]) < 2e-7, f"{way}: energies", (a, b))


def transition_orbitals(folder, case):
    """Weights of pairs have a sum near 1; the HOMO is a hole, the LUMO a particle."""
    molden = os.path.join(folder.path, "nto.molden")
    report, _ = folder.run(case, "--excitations", "2", "--excitation-method", "cis", "--nto", "2", "--molden", molden, "--cube", "homo,lumo")
    with open(molden, encoding="utf-8") as file:
        weights = [float(line.split()[1]) for line in file if "Occup=" in line]
    electrons = 10
    holes, particles = weights[:electrons // 2], weights[electrons // 2:]
    TEST.check(abs(sum(holes) - 1) < 1e-4 and abs(sum(particles) - 1) < 1e-4, "weights", weights)
    TEST.check(holes == sorted(holes) and particles == sorted(particles, reverse=True), "order", weights)
    TEST.check(abs(holes[-1] - particles[0]) < 1e-7 and f"weights of pairs {particles[0]:.4f}" in report, "pair", (weights, report))
    for name in ("homo", "lumo"):
        path = os.path.join(folder.path, f"water.{name}.cube")
        TEST.check(os.path.exists(path), f"no {path}", os.listdir(folder.path))


def nothing_to_excite(folder):
    for basis, n in (("STO-3G", 0), ("6-31G", 1)):  # no virtual orbitals; none that a field reaches
        case = {"name": "helium", "atoms": "He 0 0 0", "basis": basis, "multiplicity": 1}
        _, found = folder.run(case, "--excitations", "2", "--polarisability", "--frequencies", "0.1", "--c6", "--hyperpolarisability")
        TEST.check(len(found["excitations"]["singlets"]) == n and found["excitations"]["converged"], f"states in {basis}", found["excitations"])
        found = found["polarisability"]
        TEST.check(abs(found["c6"]) < 1e-12 and found["frequencies"][0]["converged"] and max(map(abs, found["hyperpolarisability"])) < 1e-12, f"no response in {basis}", found)


def multiplets_are_whole(folder):
    """The lowest states of argon are three of P, also if two are requested: its rotations from p to p are nearly as low."""
    case = {"name": "argon", "atoms": "Ar 0 0 0", "basis": "aug-cc-pVDZ", "multiplicity": 1}
    for method in ("tdhf", "cis"):
        _, found = folder.run(case, "--excitations", "2", "--excitation-method", method)
        states = found["excitations"]["singlets"]
        energies = [state["energy"] for state in states]
        TEST.check(len(states) == 3 and max(energies) - min(energies) < 1e-5 and all(state["oscillator_strength"] > 0.1 for state in states),
                   f"argon by {method}", states)


def memory_is_foreseen(folder, case):
    """The matrices of 100 states take 6 * 1268^2 numbers."""
    path, memory = folder.write(case), []
    for n in ("1", "100"):
        _, report, _ = TEST.run([path, "--check", "--excitations", n])
        memory.append(float(re.search(r"about ([0-9.]+) MB per rank", report).group(1)))
    TEST.check(memory[1] - memory[0] > 6 * 1268**2 * 8e-6, "memory of 100 states", memory)


def frequency_of_an_excitation(folder, case):
    """The tensor is infinite there; far from it nothing is reported."""
    for omega, near in ((case["tdhf_singlets"][0][0], True), (0.1, False)):
        report, found = folder.run(case, "--polarisability", "--frequencies", str(omega))
        found = found["polarisability"]["frequencies"][0]
        TEST.check(found["converged"] != near and ("WARNING: an excitation is too close" in report) == near, f"frequency {omega}", (report, found))


def refused(folder, case):
    path = folder.write(case)
    for name, options, parts in (
            ("rohf", ["--method", "rohf"], ["--excitations", "rohf are not computed; expected method rhf or uhf"]),
            ("MP2", ["--method", "mp2"], ["--excitations", "mp2 are not computed"]),
            ("smearing", ["--smearing", "0.01"], ["expected smearing 0"]),
            ("triplets of uhf", ["--method", "uhf", "--excitation-spins", "triplets"], ["not singlets or triplets"]),
            ("no such state", ["--nto", "9"], ["nto '9'; expected a state from 1 to 2"]),
            ("no triplets", ["--nto", "t1"], ["nto 't1'"])):
        TEST.expect_one_line(name, TEST.run([path, "--excitations", "2", *options]), 2, parts)
    TEST.expect_one_line("alone", TEST.run([path, "--nto", "1"]), 2, ["--nto", "excitations"])
    for name, options, parts in (
            ("frequencies of rohf", ["--method", "rohf", "--c6"], ["only the static polarisability"]),
            ("no frequency", ["--frequencies", "0.1,x"], ["frequencies '0.1,x'; expected at most 32"])):
        TEST.expect_one_line(name, TEST.run([path, "--polarisability", *options]), 2, parts)


def main():
    with open(sys.argv[4], encoding="utf-8") as file:
        cases = {case["name"]: case for case in json.load(file)["cases"]}
    wanted = list(cases) if sys.argv[5] == "all" else sys.argv[5].split(",")
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for name in wanted:
            compare_states(folder, cases[name])
            compare_responses(folder, cases[name])
        if sys.argv[5] != "all":
            compare_ways(folder, cases[wanted[0]])
            transition_orbitals(folder, cases["water"])
            if TEST.n_rank == 1:
                refused(folder, cases["water"])
                nothing_to_excite(folder)
                multiplets_are_whole(folder)
                memory_is_foreseen(folder, cases["water"])
                frequency_of_an_excitation(folder, cases["hydrogen"])
            else:
                TEST.expect_one_line("rohf", TEST.run([folder.write(cases["water"]), "--excitations", "2", "--method", "rohf"]), 2, ["rohf"])
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
