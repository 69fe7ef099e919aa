#!/usr/bin/env python3
"""FCIDUMP files: energies of the determinant, of MP2 and of full CI, computed from the file alone, against those of another program; the
same file on any number of ranks, in any number of batches; what is refused.

Usage: test_fcidump.py HF MPIEXEC RANKS REFERENCES
REFERENCES is tests/reference/fcidump.json. On one rank the energies are computed, on more the files compared with that of one rank.
"""

import itertools
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

try:
    import numpy
except ImportError:
    sys.exit(77)

TEST = ProgramTest.of_arguments()
check = TEST.check
TIGHT = ["--energy-tolerance", "1e-11", "--commutator-tolerance", "1e-9", "--checkpoint", "none"]
CLOSE = 2e-8  # hartree; found 4e-9 in full CI


class Fcidump:
    """A file: n_alpha, n_beta, constant, h[spin] and eri[spin, spin] with p, q of the first spin and r, s of the second."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            head, body = file.read().split("&END")
        words = dict(re.findall(r"(\w+) *= *([^=]*?),\s*(?=\w+ *=|$)", head.split("&FCI")[1].strip()))
        n, n_electron, spin = (int(words[key]) for key in ("NORB", "NELEC", "MS2"))
        check(words["ORBSYM"].split(",") == ["1"] * n and words["ISYM"] == "1", f"symmetries in {head}")
        self.n_electron = (n_electron + spin) // 2, (n_electron - spin) // 2
        lines = [line.split() for line in body.strip().split("\n")]
        self.lines = []  # (value, indices, number of lines of zeros before it)
        self.restricted = "IUHF" not in words and "UHF" not in words
        self.n = n // 2 if words.get("UHF") == ".TRUE." else n
        self.h = numpy.zeros((2, self.n, self.n))
        self.eri = numpy.zeros((2, 2) + (self.n,) * 4)
        part = 0
        for line in lines:
            value, index = float(line[0]), tuple(map(int, line[1:]))
            self.lines.append((value, index, part))
            if not any(index):
                part, self.constant = part + 1, value
            elif words.get("UHF") == ".TRUE.":
                self.put(value, [((k - 1) // 2, (k - 1) % 2) for k in index if k])
            elif words.get("IUHF") == "1":
                spins = [(0, 0), (1, 1), (0, 1), (0,), (1,)][part]
                check(len(spins) == (2 if index[2] else 1), f"{index} in part {part}")
                self.put(value, [(k - 1, spins[place // 2]) for place, k in enumerate(index) if k])
            else:
                for spins in ((0, 0), (1, 1), (0, 1), (1, 0)) if index[2] else ((0,), (1,)):
                    self.put(value, [(k - 1, spins[place // 2]) for place, k in enumerate(index) if k])
        check(self.restricted or part in (1, 6), f"{part} lines of zeros")

    def put(self, value, orbitals):
        (p, spin), (q, _) = orbitals[:2]
        if len(orbitals) == 2:
            self.h[spin, p, q] = self.h[spin, q, p] = value
            return
        (r, other), (s, _) = orbitals[2:]
        for a, b in ((p, q), (q, p)):
            for c, d in ((r, s), (s, r)):
                self.eri[spin, other, a, b, c, d] = self.eri[other, spin, c, d, a, b] = value

    def fock(self, spin):
        """Of the determinant of the lowest orbitals."""
        result = self.h[spin].copy()
        for other in range(2):
            i = slice(self.n_electron[other])
            result += numpy.einsum("pqii->pq", self.eri[spin, other][:, :, i, i])
        i = slice(self.n_electron[spin])
        return result - numpy.einsum("piiq->pq", self.eri[spin, spin][:, i, i, :])

    def scf(self):
        return self.constant + 0.5 * sum(numpy.trace((self.h[spin] + self.fock(spin))[:n, :n]) for spin, n in enumerate(self.n_electron))

    def mp2(self):
        e = [self.fock(spin).diagonal() for spin in range(2)]
        energy = self.scf()
        for spin, other, weight in ((0, 0, 0.25), (1, 1, 0.25), (0, 1, 1.0)):
            i, j = (slice(self.n_electron[s]) for s in (spin, other))
            a, b = (slice(self.n_electron[s], None) for s in (spin, other))
            k = self.eri[spin, other][i, a, j, b].transpose(0, 2, 1, 3)
            k = k - k.transpose(0, 1, 3, 2) if spin == other else k
            d = (e[spin][i, None, None, None] + e[other][None, j, None, None]
                 - e[spin][None, None, a, None] - e[other][None, None, None, b])
            energy += weight * numpy.sum(k * k / d)
        return energy

    def replacements(self, spin):
        """E_pq = a+_p a_q between the determinants of one spin: [p, q, m, n]."""
        strings = list(itertools.combinations(range(self.n), self.n_electron[spin]))
        place = {string: k for k, string in enumerate(strings)}
        result = numpy.zeros((self.n, self.n, len(strings), len(strings)))
        for k, string in enumerate(strings):
            for at, q in enumerate(string):
                rest = string[:at] + string[at + 1:]
                for p in set(range(self.n)) - set(rest):
                    before = sum(x < p for x in rest)
                    result[p, q, place[rest[:before] + (p,) + rest[before:]], k] = (-1) ** (at + before)
        return result

    def fci(self):
        """The lowest eigenvalue of H = h E + (pq|rs) (E_pq E_rs - delta_qr E_ps) / 2 between all determinants."""
        e = [self.replacements(spin) for spin in range(2)]
        one = [numpy.eye(x.shape[2]) for x in e]
        alone = []
        for spin in range(2):
            v = self.eri[spin, spin]
            h = self.h[spin] - 0.5 * numpy.einsum("pqqs->ps", v)
            half = numpy.einsum("pqrs,rsmn->pqmn", v, e[spin], optimize=True)
            alone.append(numpy.einsum("pq,pqmn->mn", h, e[spin]) + 0.5 * numpy.einsum("pqlm,pqmn->ln", e[spin], half, optimize=True))
        both = numpy.einsum("pqmn,pqrs,rsxy->mxny", e[0], self.eri[0, 1], e[1], optimize=True)
        both += numpy.einsum("mn,xy->mxny", alone[0], one[1]) + numpy.einsum("mn,xy->mxny", one[0], alone[1])
        size = both.shape[0] * both.shape[1]
        return self.constant + numpy.linalg.eigvalsh(both.reshape(size, size))[0]


def dump(folder, case, name, *options, test=TEST):
    """The path of the file of a case, and the JSON result."""
    paths = [os.path.join(folder, name + end) for end in (".mol", ".fcidump", ".json")]
    with open(paths[0], "w", encoding="utf-8") as file:
        file.write("\n".join([f"basis {case['basis']}", f"charge {case['charge']}", f"multiplicity {case['multiplicity']}", "units bohr",
                              "geometry", *case["geometry_bohr"], "end", ""]))
    code, report, errors = test.run([paths[0], "--method", case["method"], "--frozen-core", str(case["frozen_core"]),
                                     "--frozen-virtuals", str(case["frozen_virtuals"]), "--fcidump", paths[1], "--json", paths[2], *TIGHT, *options])
    check(code == 0, f"{name} {options}: exit code {code}", report + errors)
    with open(paths[2], encoding="utf-8") as file:
        return paths[1], json.load(file)


def compare_energies(folder, case, *options):
    path, result = dump(folder, case, case["name"], *options)
    file, about = Fcidump(path), result["extras"]["hf"]["fcidump"]
    for key in ("scf", "mp2", "fci"):
        if key in case:
            found = getattr(file, key)()
            check(abs(found - case[key]) < CLOSE, f"{case['name']} {options}: {key} {found:.9f}, expected {case[key]:.9f}")
    check(abs(file.scf() - result["properties"]["scf_total_energy"]) < 1e-9, f"{case['name']}: energy of the SCF {file.scf()}")
    check(about["core_energy"] == file.constant and about["orbitals"] == file.n and about["electrons"] == sum(file.n_electron),
          f"{case['name']}: {about}")
    zeros = sum(not any(index) for _, index, _ in file.lines)
    check(about["integrals"] == len(file.lines) - zeros, f"{case['name']}: {len(file.lines)} lines, {zeros} without orbitals, {about}")


def alike(name, path, other):
    """Integrals of two files are equal; one that a file leaves out is zero."""
    one, two = ({(part, index): value for value, index, part in Fcidump(p).lines} for p in (path, other))
    largest = max(abs(one.get(key, 0.0) - two.get(key, 0.0)) for key in one.keys() | two.keys())
    check(largest < 1e-9, f"{name}: differ by {largest}")


def compare_ranks(folder, case):
    alone = ProgramTest(TEST.program, TEST.mpiexec, 1)
    same = ["--reproducible", "--fcidump-threshold", "0"]
    path, result = dump(folder, case, "alone", *same, test=alone)
    n_pass = result["extras"]["hf"]["fcidump"]["passes"]
    for options in (["--threads", "2"], ["--memory", case.get("little", "1 GB")]):
        other, result = dump(folder, case, "many", *same, *options)
        with open(path, "rb") as one, open(other, "rb") as two:
            check(one.read() == two.read(), f"{case['name']}: other bits on {TEST.n_rank} ranks with {options}")
    found = result["extras"]["hf"]["fcidump"]["passes"]
    check(found > n_pass or "little" not in case, f"{found} passes with {options}")
    if "little" not in case:  # with degenerate orbitals
        other, _ = dump(folder, case, "many", "--fock", "distributed", "--schedule", "static")
        alike(f"{case['name']} distributed", path, other)


def refusals(folder, case):
    path, _ = dump(folder, case, "refused")
    molecule, out = path.replace(".fcidump", ".mol"), os.path.join(folder, "none.fcidump")
    for options, code, words in [(["--smearing", "0.01"], 2, "whole occupations"), (["--method", "lmp2"], 2, "cannot be combined with method lmp2"),
                                 (["--localise", "boys"], 2, "canonical"), (["--frozen-core", "5"], 2, "frozen core"),
                                 (["--frozen-virtuals", "6"], 2, "at most"), (["--memory", "1 KB"], 3, "integrals of orbitals need"),
                                 (["--fcidump-dialect", "molpro"], 2, "uhf"), (["--fcidump", "/proc/none"], 2, "cannot be written"),
                                 (["--each", "--fcidump", out], 2, "each")][:None if TEST.n_rank == 1 else 2]:
        if options[0] == "--each":
            outcome = TEST.run([*options, molecule])
        else:
            outcome = TEST.run([molecule, "--fcidump", out, "--checkpoint", "none", *options])
        TEST.expect_one_line(" ".join(options), outcome, code, [words])
        check(not os.path.exists(out), f"{options}: there is a file")


def interruption(folder, case):
    """A time limit ends the writing in the middle of an orbital's integrals: mpiexec kills a rank that writes on, whose file would stay."""
    orbital, most_bytes = 40, 300_000  # after the limit: two indices of its 1.4 MB, and what a pipe and buffers hold
    path, _ = dump(folder, case, "interrupted")
    for seconds in (4, 16, 64):
        pipe = os.path.join(folder, f"pipe{seconds}")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        start = time.monotonic()
        with subprocess.Popen([TEST.program, path.replace(".fcidump", ".mol"), "--fcidump", pipe, "--checkpoint", "none", "--time-limit",
                               f"{seconds // 60}:{seconds % 60:02}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as job, os.fdopen(reader, "rb") as lines:
            select.select([lines], [], [], seconds)
            os.set_blocking(reader, True)
            reached = any(line.split()[1] == str(orbital).encode() for line in lines if line[:1] == b" " and len(line.split()) == 5)
            time.sleep(max(0.0, start + seconds + 0.5 - time.monotonic()))
            n_byte = len(lines.read())
            code = (job.wait(), job.stderr.read())
        if reached:
            check(code[0] != 0 and b"time limit" in code[1] and n_byte < most_bytes, f"after the time limit {n_byte} bytes more", code)
            return
    check(False, f"orbital {orbital} is not reached in {seconds} s")


def main():
    with open(sys.argv[4], encoding="utf-8") as file:
        cases = {case["name"]: case for case in json.load(file)["cases"]}
    with tempfile.TemporaryDirectory() as folder:
        if TEST.n_rank > 1:
            compare_ranks(folder, {**cases["hydride"], "basis": "cc-pVTZ", "little": "1 MB"})
            compare_ranks(folder, cases["amino_core"])
        else:
            for case in cases.values():
                for options in ([], ["--fcidump-dialect", "molpro"]) if case["method"] == "uhf" else ([],):
                    compare_energies(folder, case, *options)
        refusals(folder, cases["water"])
        if TEST.n_rank == 1:
            interruption(folder, {**cases["hydride"], "basis": "cc-pVQZ"})
        if TEST.n_rank == 1:  # without virtual orbitals the determinant is all there is
            file = Fcidump(dump(folder, {**cases["water"], "frozen_virtuals": 2}, "full")[0])
            check(file.n == 4 and abs(file.fci() - cases["water"]["scf"]) < CLOSE, f"no virtual orbitals: {file.fci()}")
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
