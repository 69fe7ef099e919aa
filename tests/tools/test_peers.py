#!/usr/bin/env python3
"""tools/bench-peers without the programs it compares with: it reads what they printed once (samples/, water in
cc-pVDZ, cut to the lines that matter), writes hf's basis functions into their inputs, and its table and JSON
file follow from the measurements. Stand-ins that print the samples show the whole way.

Usage: test_peers.py [unittest options]
"""

import json
import os
import pathlib
import tempfile
import unittest

from tool_test import ROOT, executable, run_tool
from peers import hf, nwchem, psi4, table
from peers.problem import Problem, basis_file, read_gaussian94
from peers.running import PeerError, parsed

HERE = pathlib.Path(__file__).resolve().parent

OUTPUT = {
    "provenance": {"version": "0.1.0"},
    "molecule": {"name": "water", "symbols": ["O", "H", "H"], "real": [True, True, True], "molecular_charge": 0,
                 "molecular_multiplicity": 1,
                 "geometry": [0, 0, 0.22166487, 0, 1.43090062, -0.88665950, 0, -1.43090062, -0.88665950]},
    "keywords": {"screening": 1e-12, "energy_tolerance": 1e-8, "commutator_tolerance": 1e-5},
    "properties": {"return_energy": -76.026772053437384},
    "extras": {"hf": {
        "basis": {"name": "cc-pVDZ", "functions": 24, "convention": "spherical"},
        "iterations": [{"seconds": seconds, "screening_threshold": threshold}
                       for seconds, threshold in ((0.25, 1e-7), (0.5, 1e-12), (0.375, 1e-12), (0.125, 1e-12))]}},
}
STAND_IN = "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = --json ] && cp '{source}' \"$2\"; shift; done\nexit 0\n"


def sample(name):
    return (HERE / "samples" / name).read_text(encoding="utf-8")


def problem(basis="cc-pVDZ", convention="spherical", symbol="O", mp2=False):
    output = json.loads(json.dumps(OUTPUT))
    output["extras"]["hf"]["basis"].update(name=basis, convention=convention)
    output["molecule"]["symbols"][0] = symbol
    return Problem(output, basis, 2, 500, mp2)


class Outputs(unittest.TestCase):
    def check(self, measured, energy, builds, first, later, version):
        self.assertAlmostEqual(measured["energy_hartree"], energy, delta=1e-10)
        self.assertEqual((measured["builds"], measured["version"]), (builds, version))
        self.assertAlmostEqual(measured["first_build_seconds"], first, delta=1e-9)
        self.assertAlmostEqual(measured["later_build_seconds"], later, delta=1e-9)

    def test_first_sharp_build_of_hf_and_the_median_of_the_later_ones(self):
        self.check(hf.parse(json.dumps(OUTPUT)), -76.0267720534, 4, 0.5, 0.25, "0.1.0")

    def test_builds_of_psi4_direct_are_all_alike(self):
        self.check(psi4.parse(sample("psi4-direct.out"), sample("psi4-direct.timer")), -76.0267720534, 9, 0.083 / 9,
                   0.083 / 9, "1.3.2")

    def test_integrals_of_psi4_pk_count_for_the_first_build(self):
        self.check(psi4.parse(sample("psi4-pk.out"), sample("psi4-pk.timer")), -76.0267720534, 9,
                   0.016 + 0.001 / 9, 0.001 / 9, "1.3.2")

    def test_builds_of_nwchem_are_more_than_its_iterations(self):
        self.check(nwchem.parse(sample("nwchem.out")), -76.0267720537, 16, 0.19 / 16, 0.19 / 16, "7.0.2")
        self.assertEqual(nwchem.parse(sample("nwchem.out"))["iterations_end_seconds"], [0.1, 0.1, 0.1, 0.2, 0.2])
        self.check(nwchem.parse(sample("nwchem-diis.out")), -76.0267720537, 10, 0.013, 0.013, "7.0.2")

    def test_energies_of_mp2_are_the_last_ones(self):
        of_nwchem = nwchem.parse(sample("nwchem.out") + "\n          Total MP2 energy           -76.230775617458\n")
        scaled = "\tSOS-PI-MP2 Total Energy (a.u.)     :   -76.24023842427673\n"
        of_psi4 = psi4.parse(sample("psi4-pk.out") + scaled + "\tMP2 Total Energy (a.u.)            :   -76.23077557584645\n",
                             sample("psi4-pk.timer"))
        for measured in (of_nwchem, of_psi4):
            self.assertAlmostEqual(measured["energy_hartree"], -76.2307756, delta=1e-7)

    def test_output_without_an_energy_is_one_line_and_a_file(self):
        expected = "^nwchem: no timer of Fock builds in the output; its end is in .*txt$"
        with self.assertRaisesRegex(PeerError, expected) as caught:
            parsed("nwchem", nwchem.parse, "line one\nline two\n")
        kept = pathlib.Path(str(caught.exception).rsplit(" ", 1)[1])
        self.assertEqual(kept.read_text(encoding="utf-8"), "line one\nline two\n")
        kept.unlink()


class Inputs(unittest.TestCase):
    def test_every_file_of_the_library_is_read(self):
        for path in sorted((ROOT / "basis").glob("*.gbs")):
            shells = read_gaussian94(path.read_text(encoding="utf-8"))
            self.assertGreater(len(shells), 2, path)
            for letters, rows in (shell for block in shells.values() for shell in block):
                self.assertTrue(rows)
                self.assertEqual({len(row) for row in rows}, {3 if letters == "SP" else 2}, path)

    def test_elements_with_core_potentials_are_not_compared(self):
        shells = read_gaussian94(basis_file("def2-SVP", "def2-SVP").read_text(encoding="utf-8"))
        self.assertIn("Kr", shells)
        self.assertNotIn("Rb", shells)
        with self.assertRaisesRegex(PeerError, "core potentials are not compared: Rb$"):
            problem("def2-SVP", symbol="Rb")

    def test_a_basis_set_is_found_by_its_name(self):
        self.assertEqual(basis_file("6-31g*", "6-31G*").name, "6-31gs.gbs")
        with self.assertRaisesRegex(PeerError, "basis set nonesuch: no file"):
            basis_file("nonesuch", "nonesuch")

    def test_digits_of_the_basis_set_reach_every_input(self):
        for basis, convention in (("cc-pVDZ", "spherical"), ("6-31G*", "Cartesian")):
            case = problem(basis, convention)
            words = {word for shells in case.shells.values() for _, rows in shells for row in rows for word in row}
            for text in (psi4.input_text(case, "direct"), nwchem.input_text(case, pathlib.Path("x"), ())):
                self.assertLessEqual(words, set(text.split()))
                self.assertIn("1.43090062", text)

    def test_kind_of_functions(self):
        self.assertIn("puream true", psi4.input_text(problem(), "pk"))
        self.assertIn("basis spherical", nwchem.input_text(problem(), pathlib.Path("x"), ()))
        cartesian = problem("6-31G*", "Cartesian")
        self.assertIn("puream false", psi4.input_text(cartesian, "pk"))
        self.assertIn("basis cartesian", nwchem.input_text(cartesian, pathlib.Path("x"), ("diis",)))
        with self.assertRaisesRegex(PeerError, "psi4 cannot mix"):
            psi4.input_text(problem(convention="mixed"), "pk")

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

    def test_ghosts_and_open_shells_are_refused(self):
        for key, value, message in (("real", [True, False, True], "ghost"), ("molecular_multiplicity", 3, "closed")):
            output = json.loads(json.dumps(OUTPUT))
            output["molecule"][key] = value
            with self.assertRaisesRegex(PeerError, message):
                Problem(output, "cc-pVDZ", 1, 500)


class Table(unittest.TestCase):
    def runs(self, energy=-1.0):
        def one(seconds, first, later, energy):
            return {"seconds": seconds, "cpu_seconds": 0.5 * seconds, "first_build_seconds": first, "later_build_seconds": later,
                    "energy_hartree": energy, "builds": 5, "version": "1"}
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


class Whole(unittest.TestCase):
    def bench(self, folder, *arguments, broken=(("psi4", "#!/bin/sh\necho broken\nexit 7\n"),)):
        for name, text in (("hf", STAND_IN.format(source=folder / "hf.sample")),
                           ("mpiexec", '#!/bin/sh\nshift 2\nexec "$@"\n'),
                           ("nwchem", f"#!/bin/sh\ncat '{HERE / 'samples' / 'nwchem.out'}'\n"), *broken):
            executable(folder / name, text)
        (folder / "hf.sample").write_text(json.dumps(OUTPUT), encoding="utf-8")
        (folder / "cat").symlink_to("/bin/cat")
        (folder / "cp").symlink_to("/bin/cp")
        done = run_tool("bench-peers", "water.mol", "--basis", "cc-pVDZ", "--runs", "2", "--hf", folder / "hf", "--mpiexec",
                        folder / "mpiexec", "--json", folder / "out.json", *arguments,
                        env=dict(os.environ, PATH=str(folder), TMPDIR=str(folder)))
        return done, json.loads((folder / "out.json").read_text(encoding="utf-8"))

    def test_who_fails_is_told_and_the_others_go_on(self):
        with tempfile.TemporaryDirectory() as name:
            done, results = self.bench(pathlib.Path(name), "--peers", "psi4-direct,nwchem", "--hf-options=--x 1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^bench-peers: psi4-direct ended with exit code 7[^\n]*\n$")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["program", "hf", "nwchem"])
        self.assertEqual([len(results["runs"][program]) for program in ("hf", "nwchem")], [2, 2])
        self.assertEqual(set(results["failures"]), {"psi4-direct"})
        self.assertLess(abs(results["programs"]["nwchem"]["energy_difference_hartree"]), 1e-8)

    def test_who_is_absent_is_told_and_agreement_is_success(self):
        with tempfile.TemporaryDirectory() as name:
            done, results = self.bench(pathlib.Path(name), "--peers", "nwchem")
            self.assertEqual((done.returncode, done.stderr, results["failures"]), (0, "", {}))
        with tempfile.TemporaryDirectory() as name:
            done, _ = self.bench(pathlib.Path(name), "--peers", "psi4-pk,nwchem", broken=())
        self.assertIn("psi4-pk: there is no program psi4 here", done.stderr)


if __name__ == "__main__":
    unittest.main()
