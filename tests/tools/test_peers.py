"""tools/bench-peers without the programs it compares with: it reads what they printed once (samples/, water in
cc-pVDZ, cut to the lines that matter), writes hf's basis functions into their inputs, and its table
follows from the measurements. Stand-ins that print the samples show the whole way."""

import copy
import json
import os
import pathlib
import tempfile
import unittest

from tool_test import WithFolder, executable, run_tool, stand_in
from lab.failure import Failure
from peers import hf, nwchem, psi4, table
from peers.problem import Problem
from peers.running import parsed

HERE = pathlib.Path(__file__).resolve().parent

def shell(l, exponents, coefficients):
    return {"angular_momentum": [l], "exponents": exponents, "coefficients": [coefficients]}


OXYGEN = {"electron_shells": [shell(0, [15.5, 3.6], [-0.25, 1.125]), shell(1, [15.5, 3.6], [0.0625, 0.75]), shell(0, [0.27], [1]),
                              shell(2, [0.8], [1])]}
HYDROGEN = {"electron_shells": [shell(0, [18.75], [1])]}
OUTPUT = {
    "molecule": {"name": "water", "symbols": ["O", "H", "H"], "real": [True, True, True], "molecular_charge": 0,
                 "molecular_multiplicity": 1,
                 "geometry": [0, 0, 0.22166487, 0, 1.43090062, -0.88665950, 0, -1.43090062, -0.88665950]},
    "keywords": {"screening": 1e-12, "energy_tolerance": 1e-8, "commutator_tolerance": 1e-5},
    "wavefunction": {"basis": {"center_data": {"O1": OXYGEN, "H2": HYDROGEN, "H3": HYDROGEN}, "atom_map": ["O1", "H2", "H3"]}},
    "properties": {"return_energy": -76.026772053437384},
    "extras": {"hf": {
        "basis": {"name": "cc-pVDZ", "functions": 24, "convention": "spherical"},
        "iterations": [{"seconds": seconds, "screening_threshold": threshold}
                       for seconds, threshold in ((0.25, 1e-7), (0.5, 1e-12), (0.375, 1e-12), (0.125, 1e-12))]}},
}


def sample(name):
    return (HERE / "samples" / name).read_text(encoding="utf-8")


def problem(convention="spherical", mp2=False, **molecule):
    output = copy.deepcopy(OUTPUT)
    output["extras"]["hf"]["basis"]["convention"] = convention
    output["molecule"].update(molecule)
    return Problem(output, 2, 500, mp2)


class Outputs(unittest.TestCase):
    def check(self, measured, energy, builds, first, later):
        self.assertAlmostEqual(measured["energy_hartree"], energy, delta=1e-10)
        self.assertEqual(measured["builds"], builds)
        self.assertAlmostEqual(measured["first_build_seconds"], first, delta=1e-9)
        self.assertAlmostEqual(measured["later_build_seconds"], later, delta=1e-9)

    def test_first_sharp_build_of_hf_and_the_median_of_the_later_ones(self):
        self.check(hf.parse(json.dumps(OUTPUT)), -76.0267720534, 4, 0.5, 0.25)

    def test_builds_of_psi4_direct_are_all_alike(self):
        self.check(psi4.parse(sample("psi4.out"), sample("psi4-direct.timer")), -76.0267720534, 9, 0.083 / 9, 0.083 / 9)

    def test_integrals_of_psi4_pk_count_for_the_first_build(self):
        self.check(psi4.parse(sample("psi4.out"), sample("psi4-pk.timer")), -76.0267720534, 9,
                   0.016 + 0.001 / 9, 0.001 / 9)

    def test_builds_of_nwchem_are_more_than_its_iterations(self):
        self.check(nwchem.parse(sample("nwchem.out")), -76.0267720537, 16, 0.19 / 16, 0.19 / 16)

    def test_energies_of_mp2_are_the_last_ones(self):
        of_nwchem = nwchem.parse(sample("nwchem.out") + "\n          Total MP2 energy           -76.230775617458\n")
        scaled = "\tSOS-PI-MP2 Total Energy (a.u.)     :   -76.24023842427673\n"
        of_psi4 = psi4.parse(sample("psi4.out") + scaled + "\tMP2 Total Energy (a.u.)            :   -76.23077557584645\n",
                             sample("psi4-pk.timer"))
        for measured in (of_nwchem, of_psi4):
            self.assertAlmostEqual(measured["energy_hartree"], -76.2307756, delta=1e-7)

    def test_output_without_an_energy_is_one_line_and_a_file(self):
        expected = "^nwchem: no timer of Fock builds in the output; its end is in .*txt$"
        with self.assertRaisesRegex(Failure, expected) as caught:
            parsed("nwchem", nwchem.parse, "line one\nline two\n")
        kept = pathlib.Path(str(caught.exception).rsplit(" ", 1)[1])
        self.assertEqual(kept.read_text(encoding="utf-8"), "line one\nline two\n")
        kept.unlink()


class Inputs(unittest.TestCase):
    def test_basis_functions_are_in_every_input(self):
        for text in (psi4.input_text(problem(), "direct"), nwchem.input_text(problem(), pathlib.Path("x"), ())):
            self.assertRegex(text, r"SP.*\n  15\.5  -0\.25  0\.0625\n  3\.6  1\.125  0\.75\n(O )?S.*\n  0\.27  1\.0\n(O )?D.*\n  0\.8  1\.0\n")
            self.assertRegex(text, r"H S.*\n  18\.75  1\.0\n|H 0\nS 1 1\.0\n  18\.75  1\.0\n")
            self.assertIn("H 0.0 1.43090062 -0.8866595", text)

    def test_kind_of_functions(self):
        self.assertIn("puream true", psi4.input_text(problem(), "pk"))
        self.assertIn("basis spherical", nwchem.input_text(problem(), pathlib.Path("x"), ()))
        self.assertIn("puream false", psi4.input_text(problem("Cartesian"), "pk"))
        self.assertIn("basis cartesian", nwchem.input_text(problem("Cartesian"), pathlib.Path("x"), ("diis",)))

    def test_accuracy_and_cores(self):
        self.assertIn("ints_tolerance 1e-12", psi4.input_text(problem(), "direct"))
        self.assertIn("tol2e 1e-12", nwchem.input_text(problem(), pathlib.Path("x"), ()))
        with tempfile.TemporaryDirectory() as folder:
            command = psi4.Psi4Direct(problem(), pathlib.Path(folder), [], "/there/psi4").command
        self.assertEqual(command[:3], ["/there/psi4", "-n", "2"])

    def test_gradients_of_mp2(self):
        self.assertIn("freeze_core false\n}\ngradient('mp2')", psi4.input_text(problem(mp2=True), "pk"))
        self.assertIn("task mp2 gradient", nwchem.input_text(problem(mp2=True), pathlib.Path("x"), ()))
        self.assertNotIn("mp2", psi4.input_text(problem(), "pk") + nwchem.input_text(problem(), pathlib.Path("x"), ()))

    def test_what_is_not_compared(self):
        with self.assertRaisesRegex(Failure, "psi4 cannot mix"):
            psi4.input_text(problem("mixed"), "pk")
        for molecule, message in (({"real": [True, False, True]}, "ghost"), ({"molecular_multiplicity": 3}, "closed")):
            with self.assertRaisesRegex(Failure, message):
                problem(**molecule)
        output = copy.deepcopy(OUTPUT)
        output["wavefunction"]["basis"]["center_data"]["O1"]["ecp_potentials"] = []
        with self.assertRaisesRegex(Failure, "core potentials are not compared: O$"):
            Problem(output, 1, 500)


class Table(unittest.TestCase):
    def runs(self, energy=-1.0):
        def one(seconds, first, later, energy):
            return {"seconds": seconds, "cpu_seconds": 0.5 * seconds, "first_build_seconds": first, "later_build_seconds": later,
                    "energy_hartree": energy, "builds": 5}
        return {"hf": [one(2.0, 0.5, 0.25, -1.0), one(1.0, 0.5, 0.25, -1.0), one(9.0, 0.5, 0.25, -1.0)],
                "other": [one(6.0, 2.0, 0.0, energy), one(5.0, 2.0, 0.0, energy), one(7.0, 2.0, 0.0, energy)]}

    def test_medians_and_ratios(self):
        other = table.summary(self.runs())["other"]
        self.assertEqual(other["median"]["seconds"], 6.0)
        self.assertEqual((other["seconds_min"], other["seconds_max"]), (5.0, 7.0))
        self.assertEqual(other["ratio"], {"seconds": 3.0, "cpu_seconds": 3.0, "first_build_seconds": 4.0, "later_build_seconds": 0.0})

    def test_other_energies_are_told(self):
        self.assertEqual(table.disagreements(table.summary(self.runs(-1.0 + 5e-7))), [])
        for energy in (-1.0 + 2e-6, float("nan")):
            self.assertEqual(len(table.disagreements(table.summary(self.runs(energy)))), 1)


class Whole(WithFolder):
    def bench(self, *arguments, psi4_text="#!/bin/sh\necho broken\nexit 7\n"):
        stand_in(self.folder / "hf", "$here/hf.sample")
        for name, text in (("psi4", psi4_text), ("mpiexec", '#!/bin/sh\nshift 2\nexec "$@"\n'),
                           ("nwchem", f"#!/bin/sh\n/bin/cat '{HERE / 'samples' / 'nwchem.out'}'\n")):
            if text:
                executable(self.folder / name, text)
        self.write("hf.sample", json.dumps(OUTPUT))
        return run_tool("bench-peers", "water.mol", "--basis", "cc-pVDZ", "--runs", "2", "--hf", self.folder / "hf", "--mpiexec",
                        self.folder / "mpiexec", *arguments, env=dict(os.environ, PATH=str(self.folder), TMPDIR=str(self.folder)))

    def test_who_fails_is_told_and_the_others_go_on(self):
        done = self.bench("--peers", "psi4-direct,nwchem", "--x", "1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^bench-peers: psi4-direct ended with exit code 7[^\n]*\n$")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["program", "hf", "nwchem"])

    def test_agreement_is_success(self):
        done = self.bench("--peers", "nwchem")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_hf_refuses_is_one_line(self):
        done = self.bench("--peers", "nwchem", "--json", "x")
        self.assertEqual((done.returncode, done.stderr), (2, "bench-peers: --json is not for a sweep: each run writes files of its own\n"))
        self.write("refused", 'echo "hf: no such molecule" >&2; exit 2')
        done = self.bench("--peers", "nwchem")
        self.assertEqual((done.returncode, done.stderr), (2, "bench-peers: hf: no such molecule\n"))

    def test_who_is_absent_is_told(self):
        done = self.bench("--peers", "psi4-pk,nwchem", psi4_text=None)
        self.assertIn("psi4-pk: there is no program psi4 here", done.stderr)
