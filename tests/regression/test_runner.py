#!/usr/bin/env python3
"""The regression runner itself: it sees every kind of difference, and moving keeps distances."""

import copy
import math
import unittest

import comparison
import geometry

CASE = {"name": "water", "method": "rhf", "basis": "sto-3g", "charge": 0, "multiplicity": 1,
        "basis_functions": 7, "nuclear_repulsion_energy": 9.0, "total_energy": -75.0,
        "geometry_bohr": ["O 0.0 0.0 0.2", "H 0.0 1.4 -0.9", "H 0.0 -1.4 -0.9"]}
RESULT = {"success": True, "error": None, "return_result": -75.0,
          "properties": {"calcinfo_nbasis": 7, "nuclear_repulsion_energy": 9.0,
                         "scf_one_electron_energy": -122.0, "scf_two_electron_energy": 38.0,
                         "scf_total_energy": -75.0, "scf_iterations": 9},
          "extras": {"hf": {"launch": {"ranks": 2}, "scf": {}}}}


class Differences(unittest.TestCase):
    def found(self, change=None, ranks=2):
        result = copy.deepcopy(RESULT)
        if change is not None:
            change(result)
        return comparison.differences(CASE, ranks, result)

    def test_none_when_all_agrees(self):
        self.assertEqual(self.found(), [])

    def test_an_energy_off_by_a_millionth_is_seen(self):
        def change(result):
            result["properties"]["scf_total_energy"] += 1e-6
            result["properties"]["scf_two_electron_energy"] += 1e-6
            result["return_result"] += 1e-6
        self.assertRegex(" ".join(self.found(change)), "total energy")

    def test_not_a_number_is_seen(self):
        def change(result):
            result["properties"]["scf_total_energy"] = math.nan
        self.assertRegex(" ".join(self.found(change)), "total energy")

    def test_each_other_difference_is_seen(self):
        def with_functions(result):
            result["properties"]["calcinfo_nbasis"] = 8

        def with_repulsion(result):
            result["properties"]["nuclear_repulsion_energy"] += 1e-7

        def with_terms(result):
            result["extras"]["hf"]["energy_parts"] = {
                "terms": [{"name": "nuclei", "electrons": -122.0, "nuclei": 9.0},
                          {"name": "field", "electrons": 0.0, "nuclei": 1e-6}]}

        def with_electrons(result):
            result["extras"]["hf"]["energy_parts"] = {
                "terms": [{"name": "nuclei", "electrons": -122.1, "nuclei": 9.0}]}

        def not_converged(result):
            result["success"] = False

        self.assertRegex(" ".join(self.found(with_functions)), "basis functions")
        self.assertRegex(" ".join(self.found(with_repulsion)), "nuclear repulsion")
        self.assertRegex(" ".join(self.found(not_converged)), "success")
        self.assertRegex(" ".join(self.found(with_terms)), "sum of the parts")
        self.assertRegex(" ".join(self.found(with_electrons)), "sum of the terms")
        self.assertRegex(" ".join(self.found(ranks=3)), "ranks")
        self.assertRegex(" ".join(comparison.differences(CASE, 2, None)), "no JSON file")
        failure = {"success": False, "error": {"error_message": "no memory"}}
        self.assertRegex(" ".join(comparison.differences(CASE, 2, failure)), "no properties.*no memory")


class Solutions(unittest.TestCase):
    def found(self, energy, iterations=9, spin_squared=0.76, stable=None):
        case = dict(CASE, method="uhf", other_solutions=[-74.9, -74.5], s_squared=0.76)
        result = copy.deepcopy(RESULT)
        result["properties"].update(scf_total_energy=energy, scf_iterations=iterations,
                                    scf_two_electron_energy=energy + 113.0)
        result["return_result"] = energy
        result["extras"]["hf"]["scf"]["spin_squared"] = spin_squared
        result["extras"]["hf"]["stability"] = {"internal": {"stable": stable}}
        return comparison.differences(case, 2, result, follow=stable is not None)

    def test_each_known_solution_and_a_lower_one_will_do(self):
        for energy in (-75.0, -75.0 + 5e-8, -74.9, -74.5 + 5e-7, -75.01):
            self.assertEqual(self.found(energy, spin_squared=0.76), [])

    def test_others_are_seen(self):
        for energy in (-75.0 + 2e-7, -74.8, -74.5 + 2e-6, -75.2, math.nan):
            self.assertRegex(" ".join(self.found(energy)), "total energy")

    def test_the_spin_is_compared_in_the_lowest_solution(self):
        self.assertRegex(" ".join(self.found(-75.0, spin_squared=0.76001)), "S.2")
        self.assertEqual(self.found(-74.9, spin_squared=0.9), [])

    def test_who_follows_instabilities_reaches_the_lowest_and_a_stable_one(self):
        self.assertEqual(self.found(-75.0, iterations=70, stable=True), [])
        self.assertEqual(self.found(-75.01, stable=True), [])
        self.assertRegex(" ".join(self.found(-75.0, stable=False)), "unstable")
        self.assertRegex(" ".join(self.found(-74.9, stable=True)), "total energy")

    def test_too_many_iterations_are_seen(self):
        self.assertEqual(self.found(-75.0, iterations=60), [])
        self.assertRegex(" ".join(self.found(-75.0, iterations=61)), "61 iterations")


class Scan(unittest.TestCase):
    SCAN = {"distances_angstrom": [1.0, 2.0, 3.0], "energies": [-1.0, -0.9, -0.85],
            "other_solutions": [[], [], [-0.8, -0.849]]}

    def found(self, *energies, iterations=9, follow=False):
        results = [{"success": energy is not None,
                    "properties": {"scf_total_energy": energy, "scf_iterations": iterations}} for energy in energies]
        return " ".join(comparison.scan_differences(self.SCAN, results, follow))

    def test_the_curve_and_one_below_it_will_do(self):
        self.assertEqual(self.found(-1.0, -0.9 + 5e-7, -0.849), "")
        self.assertEqual(self.found(-1.001, -0.902, -0.852), "")

    def test_a_jump_an_unknown_energy_and_a_failure_are_seen(self):
        self.assertRegex(self.found(-1.0, -0.9, -0.8), "^3.0 angstrom: off the curve by 0.05")
        self.assertRegex(self.found(-1.0, -0.9, -0.86), "^3.0 angstrom: off the curve by -0.01")
        self.assertRegex(self.found(-1.0, -0.899, -0.85), "^2.0 angstrom: -0.899000000, expected one of")
        self.assertRegex(self.found(-1.0, None, -0.85), "^2.0 angstrom: not converged$")
        self.assertRegex(self.found(-1.0, -0.9, -0.85, iterations=61), "^1.0 angstrom: 61 iterations")
        self.assertEqual(self.found(-1.0, -0.9, -0.85, iterations=61, follow=True), "")


class Geometry(unittest.TestCase):
    def test_moving_keeps_distances_but_not_places(self):
        atoms = geometry.read_atoms(CASE)
        moved = geometry.move(atoms)
        for (_, a), (_, b) in zip(atoms, moved):
            self.assertGreater(math.dist(a, b), 1.0)
        for i in range(3):
            for k in range(i):
                self.assertAlmostEqual(math.dist(atoms[i][1], atoms[k][1]),
                                       math.dist(moved[i][1], moved[k][1]), places=13)

    def test_charges_and_field_move_with_the_molecule(self):
        case = dict(CASE, point_charges=[{"charge": 0.5, "position_bohr": [0.0, 3.0, 1.0]}],
                    electric_field=[0.0, 0.0, 0.01])
        charges, field = geometry.read_environment(case, True)
        near = geometry.move(geometry.read_atoms(case))[1][1]
        self.assertAlmostEqual(math.dist(charges[0][1], near), math.dist([0, 3, 1], [0, 1.4, -0.9]),
                               places=13)
        self.assertAlmostEqual(math.hypot(*field), 0.01, places=15)
        self.assertNotAlmostEqual(field[2], 0.01, places=4)
        text, _ = geometry.write_input(case, "bohr", False)
        self.assertIn("point_charges\n0.5", text)
        self.assertIn("field 0.0", text)

    def test_v3000_carries_the_charge(self):
        text, _ = geometry.write_input(dict(CASE, charge=-1), "v3000", False)
        self.assertIn("0 CHG=-1\n", text)


if __name__ == "__main__":
    unittest.main()
