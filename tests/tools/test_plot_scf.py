"""What tools/plot-scf makes of results that are made up, and how it ends when there are none."""

import copy
import json

import tool_test

# pylint: disable=wrong-import-order
from lab import cube_picture, qcschema, scf_picture, structure_picture  # noqa: E402
from lab.failure import Failure  # noqa: E402
from lab.scf_picture import OCCUPIED, PARTLY, VIRTUAL, Level  # noqa: E402

RESULT = {
    "molecule": {"name": "made up"}, "model": {"method": "uhf", "basis": "TINY"},
    "properties": {"scf_total_energy": -1.25},
    "extras": {"hf": {
        "iterations": [{"number": 1, "energy_change": -1.0, "commutator": 0.5},
                       {"number": 2, "energy_change": -0.25, "commutator": 0.01},
                       {"number": 3, "energy_change": 0.0, "commutator": 1e-6}],
        "scf": {"converged": True,
                "orbital_energies": [-9.0, -0.6, 0.1, 7.0], "orbital_occupations": [1.0, 1.0, 0.0, 0.0],
                "orbital_energies_beta": [-8.9, 0.2, 0.2, 7.1], "orbital_occupations_beta": [1.0, 0.5, 0.0, 0.0]},
        "timings_seconds": [{"phase": "Total", "max": 2.0}, {"phase": "Fock: computing", "max": 1.5},
                            {"phase": "Output", "max": 0.0}],
    }},
}


def closed_shell():
    result = copy.deepcopy(RESULT)
    scf = result["extras"]["hf"]["scf"]
    del scf["orbital_energies_beta"], scf["orbital_occupations_beta"]
    scf["orbital_occupations"] = [2.0, 1.0, 0.0, 0.0]
    return result


def vibrations():
    result = copy.deepcopy(RESULT)
    result["extras"]["hf"]["vibrations"] = {"frequencies": [-300.0, 1000.0, 1010.0], "infrared_intensities": [5.0, 10.0, 20.0]}
    return result


def optimisation():
    result = copy.deepcopy(RESULT)
    result["extras"]["hf"]["optimisation"] = {"steps": [{"energy": -1.0, "max_force": 0.1}, {"energy": -1.25, "max_force": 0.0}]}
    return result


def scan(*points):
    result = optimisation()
    hf = result["extras"]["hf"]
    hf["optimisation"]["steps"] *= 2 * len(points)
    hf["optimisation"]["scan"] = [{"value": value, "energy": energy} for value, energy in points]
    hf["settings"] = {"scan": "distance 1 2 = 0.9 to 1.1 in 3"}
    return result


class WithResult(tool_test.WithFolder):
    def written(self, document):
        self.write("a.json", document if isinstance(document, str) else json.dumps(document))
        return self.folder / "a.json"

    def calculation(self, document):
        return scf_picture.Calculation(self.written(document))


class Contents(WithResult):
    def test_levels_of_both_spins_stand_in_two_columns(self):
        levels = scf_picture.levels_of(self.calculation(RESULT))
        self.assertEqual(levels[:3], [Level(0, -9.0, OCCUPIED), Level(0, -0.6, OCCUPIED), Level(0, 0.1, VIRTUAL)])
        self.assertEqual(levels[4:6], [Level(1, -8.9, OCCUPIED), Level(1, 0.2, PARTLY)])

    def test_a_single_electron_in_a_shared_orbital_is_told(self):
        levels = scf_picture.levels_of(self.calculation(closed_shell()))
        self.assertEqual([level.colour for level in levels], [OCCUPIED, PARTLY, VIRTUAL, VIRTUAL])

    def test_a_molecule_without_a_name_has_its_formula(self):
        for molecule, name in (({"symbols": ["O", "H", "H"]}, "H2O"), ({"symbols": list("OCHHH") + ["Cl", "H"]}, "CH4ClO"),
                               ({"symbols": ["He", "H", "H"], "real": [True, False, True]}, "HHe"), ({"symbols": ["O"], "name": "atom"}, "atom")):
            self.assertEqual(qcschema.name_of(molecule), name)

    def test_the_title_tells_what_did_not_converge(self):
        failed = copy.deepcopy(RESULT)
        failed["extras"]["hf"]["scf"]["converged"] = False
        document = {"success": False, "input_data": {key: failed.pop(key) for key in ("molecule", "model")},
                    "error": {"error_message": "no"},
                    "extras": {**failed["extras"], "unconverged": {"properties": failed["properties"]}}}
        self.assertEqual(self.calculation(document).title, "made up: UHF/TINY, -1.25000000 hartree, NOT CONVERGED")


class Structures(WithResult):
    def test_imaginary_modes_are_counted_not_drawn(self):
        self.assertEqual(structure_picture.lines_of(self.calculation(vibrations())),
                         (structure_picture.INFRARED, [(1000.0, 10.0), (1010.0, 20.0)], 1))

    def test_excited_states_are_drawn_in_electron_volts(self):
        result = copy.deepcopy(RESULT)
        states = [{"energy": -0.1, "oscillator_strength": 0.0}, {"energy": 0.5, "oscillator_strength": 0.2}]
        result["extras"]["hf"]["excitations"] = {"singlets": states[1:], "triplets": states[:1]}
        spectrum, lines, n_imaginary = structure_picture.lines_of(self.calculation(result))
        self.assertEqual((spectrum, len(lines), n_imaginary), (structure_picture.ABSORPTION, 1, 1))
        self.assertAlmostEqual(lines[0][0], 13.605693122994)

    def test_points_of_a_scan_without_an_energy_are_counted(self):
        calculation = self.calculation(scan((0.9, -1.0), (1.0, None), (1.1, -1.25)))
        self.assertEqual(structure_picture.points_of(calculation), ([(0.9, -1.0), (1.1, -1.25)], 1))
        self.assertEqual(calculation.scan_title, "made up: UHF/TINY, scan of distance 1 2, 3 points")
        with self.assertRaisesRegex(Failure, "a.json: there are no points to draw"):
            structure_picture.points_of(self.calculation(scan((0.9, None))))


class Refusals(WithResult):
    def test_each_is_a_line_that_names_the_file(self):
        for document, part in (("{", "a.json, line 1: no JSON file"), ("{}", "not a file of hf --json"), ("[]", "not a file"),
                               ({"input_data": {}, "error": {"error_message": "no atoms"}, "extras": {}},
                                "the run failed: no atoms")):
            with self.assertRaises(Failure) as caught:
                self.calculation(document)
            self.assertIn(part, str(caught.exception))


@tool_test.needs_gnuplot
class Pictures(WithResult):
    def test_both_are_drawn_without_a_display(self):
        for document in (RESULT, closed_shell()):
            path = self.written(document)
            done = tool_test.run_tool("plot-scf", path, "-o", self.folder / "picture", env={"PATH": "/usr/bin:/bin"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            svg = (self.folder / "picture.svg").read_text(encoding="utf-8")
            for part in ("made up: UHF/TINY", "Convergence", "Fock: computing", "gap 0.7000 hartree"):
                self.assertIn(part, svg)
            self.assertEqual((self.folder / "picture.png").read_bytes()[:4], b"\x89PNG")
            heights = [tool_test.place_of(svg, text)[1] for text in
                       ("Iteration", "|change of the energy| (hartree)", "largest element of FDS-SDF", "Seconds by phase")]
            self.assertEqual(heights, sorted(heights))
            self.assertGreater(min(b - a for a, b in zip(heights, heights[1:])), 15)  # the legend is clear of all

    def test_what_the_task_was_for_is_drawn(self):
        for document, options, parts in ((vibrations(), (), ("Infrared intensity (km/mol)", "not shown: 1", "10 1/cm wide")),
                                         (optimisation(), (), ("Energy above the lowest one", "Largest force", "hartree/bohr")),
                                         (scan((0.9, -1.0), (1.0, -1.25), (1.1, -1.125)), (),
                                          ("scan of distance 1 2, 3 points", "distance 1 2 (angstrom)", "Energy above -1.25000000")),
                                         (scan((0.9, -1.0)), ("--scf",), ("Convergence",)),
                                         (optimisation(), ("--scf",), ("Convergence",))):
            done = tool_test.run_tool("plot-scf", self.written(document), *options, "-o", self.folder / "picture")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            svg = (self.folder / "picture.svg").read_text(encoding="utf-8")
            for part in ("made up: UHF/TINY", *parts):
                self.assertIn(part, svg)
            if "Lorentzians" in svg:
                self.assertGreater(tool_test.place_of(svg, "Lorentzians")[1], tool_test.place_of(svg, "Wave number")[1] + 10)
            if "distance 1 2" in svg:
                self.assertEqual(svg.count("<use xlink:href='#gpPt6'"), 4)  # with the legend's


def cube(n_value=60):
    """An orbital x exp(-r^2/2) of two atoms along z, on 4 x 3 x 5 points."""
    def value(i, j, k):
        x, y, z = i - 1.5, j - 1.0, k - 2.0
        return x * 2.0 ** -(x * x + y * y + z * z)
    values = [value(i, j, k) for i in range(4) for j in range(3) for k in range(5)][:n_value]
    return "\n".join(["homo of a model", "z fastest", "2 -1.5 -1 -2", "4 1 0 0", "3 0 1 0", "5 0 0 1", "1 1 0 0 -1", "8 8 0 0 1",
                      *(f"{value:.6e}" for value in values)])


class Cubes(WithResult):
    def path(self, text):
        path = self.folder / "a.cube"
        path.write_text(text, encoding="utf-8")
        return path

    def test_the_plane_is_where_the_function_is_largest(self):
        read = cube_picture.read(self.path(cube()))
        self.assertEqual([(symbol, place) for symbol, place in read.atoms], [("H", (0.0, 0.0, -1.0)), ("O", (0.0, 0.0, 1.0))])
        axis, number, *_ = cube_picture.plane_of(read)
        self.assertEqual((axis, read.place(axis, number)), (1, 0.0))

    def test_other_files_are_refused(self):
        for text in ("", cube(n_value=59), cube().replace("4 1 0 0", "4 1 1 0"), cube().replace("2 -1.5", "-2 -1.5")):
            with self.assertRaises(Failure):
                cube_picture.read(self.path(text))

    @tool_test.needs_gnuplot
    def test_an_orbital_is_drawn(self):
        done = tool_test.run_tool("plot-scf", self.path(cube()), cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "Drawn: cube-a.svg, cube-a.png\n"), done.stderr)
        svg = (self.folder / "cube-a.svg").read_text(encoding="utf-8")
        for part in ("homo of a model, at y = 0.00 bohr", "x (bohr)", ">H<", ">O<"):
            self.assertIn(part, svg.replace("<![CDATA[", "").replace("]]>", ""))
