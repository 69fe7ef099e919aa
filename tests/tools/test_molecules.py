"""tools/make-molecule: the molecules are what they are said to be (formulas, bonds, angles, no atoms too near), the
files are what hf reads, and each wrong request is one line.

The environment variable HF_TEST_PROGRAM names the hf that shall read the files; without it that test is skipped."""

import itertools
import math
import os
import subprocess
import unittest

import tool_test
from lab import molecules  # pylint: disable=wrong-import-order

PROGRAM = os.environ.get("HF_TEST_PROGRAM")
ELECTRONS = {"H": 1, "C": 6, "N": 7, "O": 8}
ANGSTROM_PER_BOHR = 0.529177210903
SIZES = {"alkane": range(1, 31), "glycine": range(1, 8), "water": range(1, 37), "graphene": range(1, 5)}


def angle_degrees(middle, a, b):
    """Between the directions from one atom to two others."""
    first, second = ([p - m for p, m in zip(atom[1:], middle[1:])] for atom in (a, b))
    cosine = sum(p * q for p, q in zip(first, second)) / math.hypot(*first) / math.hypot(*second)
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


def distance(a, b):
    return math.dist(a[1:], b[1:])


def neighbours(atoms, limit):
    """[(atom, those nearer than the limit)]"""
    return [(a, [b for b in atoms if b is not a and distance(a, b) < limit]) for a in atoms]


def n_electron(atoms):
    return sum(ELECTRONS[atom[0]] for atom in atoms)


class Bonds(unittest.TestCase):
    def check_frame(self, atoms, length, n_neighbour, degrees):
        """Bonds and angles of molecules of carbon and hydrogen."""
        for atom, near in neighbours(atoms, 1.7):
            self.assertEqual(len(near), n_neighbour if atom[0] == "C" else 1)
            for other in near:
                self.assertAlmostEqual(distance(atom, other), 1.09 if "H" in (atom[0], other[0]) else length, places=9)
            for a, b in itertools.combinations(near, 2):
                self.assertAlmostEqual(angle_degrees(atom, a, b), degrees, places=6)

    def test_alkanes_are_anti_chains(self):
        for n in SIZES["alkane"]:
            atoms = molecules.alkane(n)
            self.assertEqual(molecules.formula(atoms), "CH4" if n == 1 else f"C{n}H{2 * n + 2}")
            self.check_frame(atoms, 1.53, 4, math.degrees(math.acos(-1 / 3)))
            carbons = [atom for atom in atoms if atom[0] == "C"]
            for i in range(n - 3):  # opposite bonds of a dihedral angle of 180 degrees are parallel
                for k in (1, 2, 3):
                    self.assertAlmostEqual(carbons[i + 3][k] - carbons[i + 2][k], carbons[i + 1][k] - carbons[i][k])

    def test_glycine_chains(self):
        lengths = {"CC": [1.525], "CH": [1.09], "CN": [1.335, 1.455], "CO": [1.23, 1.35], "HN": [1.01], "HO": [0.97]}
        for n in SIZES["glycine"]:
            atoms = molecules.glycine(n)
            self.assertEqual(molecules.formula(atoms), f"C{2 * n}H{3 * n + 2}N{n if n > 1 else ''}O{n + 1}")
            found = neighbours(atoms, 1.56)
            for atom, near in found:
                for other in near:
                    self.assertIn(round(distance(atom, other), 9), lengths["".join(sorted(atom[0] + other[0]))])
                    self.assertTrue(all(a is other or 104 < angle_degrees(atom, a, other) < 128 for a in near))
            self.assertEqual(sum(len(near) for _, near in found), 2 * (len(atoms) - 1))  # no rings
            self.assertEqual({atom[3] for atom in atoms if atom[0] != "H"}, {0.0})

    def test_graphene_flakes_are_hexagons(self):
        def places(atoms):
            return sorted((symbol, round(x, 6) + 0.0, round(y, 6) + 0.0) for symbol, x, y, _ in atoms)

        for n in SIZES["graphene"]:
            atoms = molecules.graphene(n)
            self.assertEqual(molecules.formula(atoms), f"C{6 * n * n}H{6 * n}")
            self.check_frame(atoms, 1.42, 3, 120)
            turned = [(symbol, x / 2 - y * math.sqrt(3) / 2, x * math.sqrt(3) / 2 + y / 2, z) for symbol, x, y, z in atoms]
            self.assertEqual(places(turned), places(atoms))

    def test_shells_are_closed_and_atoms_are_apart(self):
        for kind, sizes in SIZES.items():
            for n in sizes:
                atoms = molecules.KINDS[kind].build(n)
                self.assertEqual(n_electron(atoms) % 2, 0)
                for a, b in itertools.combinations(atoms, 2):
                    n_hydrogen = (a[0], b[0]).count("H")
                    self.assertGreater(distance(a, b), (1.2 if kind == "glycine" else 1.4, 0.95, 1.5)[n_hydrogen], (kind, n))

    def test_largest_ones_are_just_within_the_limits_of_hf(self):
        for kind in molecules.KINDS.values():
            for size, expected in ((kind.largest, True), (kind.largest + 1, False)):
                atoms = kind.build(size)
                fits = len(atoms) <= 50000 and max(max(map(abs, atom[1:])) for atom in atoms) <= 1e4 * ANGSTROM_PER_BOHR
                self.assertEqual(fits, expected)


class Water(unittest.TestCase):
    def molecules(self, n):
        atoms = molecules.water(n)
        self.assertEqual([atom[0] for atom in atoms], ["O", "H", "H"] * n)
        return [atoms[i:i + 3] for i in range(0, 3 * n, 3)]

    def test_molecules(self):
        self.assertEqual(molecules.formula(molecules.water(7)), "H14O7")
        for oxygen, *hydrogens in self.molecules(40):
            for hydrogen in hydrogens:
                self.assertAlmostEqual(distance(oxygen, hydrogen), 0.9572, places=9)
            self.assertAlmostEqual(angle_degrees(oxygen, *hydrogens), 104.52, places=6)

    def test_every_pair_of_neighbours_has_one_hydrogen_bond(self):
        for n in SIZES["water"]:
            cluster, n_bond = self.molecules(n), [0] * n
            for (i, a), (j, b) in itertools.combinations(enumerate(cluster), 2):
                if distance(a[0], b[0]) > 3.0:
                    self.assertGreater(distance(a[0], b[0]), 4.0)
                    continue
                self.assertAlmostEqual(distance(a[0], b[0]), 2.8, places=9)
                donated = [angle_degrees(hydrogen, donor[0], acceptor[0]) for donor, acceptor in ((a, b), (b, a))
                           for hydrogen in donor[1:] if distance(hydrogen, acceptor[0]) < 2.2]
                self.assertEqual(len(donated), 1)
                self.assertGreater(donated[0], 170)
                n_bond[i] += 1
                n_bond[j] += 1
            self.assertLessEqual(max(n_bond), 4)
            self.assertGreaterEqual(min(n_bond), min(n - 1, 1))

    def test_a_cluster_is_round_and_begins_with_the_smaller_ones(self):
        large = molecules.water(1000)
        volume = (4 / math.sqrt(3) * 2.8) ** 3 / 8  # of a molecule: there are 8 in a cell
        for n in (20, 64, 200, 1000):
            self.assertEqual(molecules.water(n), large[:3 * n])
            radii = [math.hypot(*oxygen[1:]) for oxygen, *_ in self.molecules(n)]
            self.assertTrue(all(a < b + 1e-9 for a, b in itertools.pairwise(radii)))
            self.assertLess(radii[-1], (3 * n * volume / (4 * math.pi)) ** (1 / 3) + 1)

    def test_dipole_moments_do_not_add_up(self):
        def charge_moment(atoms):
            return math.hypot(*(sum((-2 if atom[0] == "O" else 1) * atom[k] for atom in atoms) for k in (1, 2, 3)))

        for n in (50, 100, 400, 1000):
            self.assertLess(charge_moment(molecules.water(n)), charge_moment(molecules.water(1)) * math.sqrt(n))


class Tool(tool_test.WithFolder):
    def run_tool(self, *arguments):
        return tool_test.run_tool("make-molecule", *arguments, cwd=self.folder)

    def written(self, *arguments):
        done = self.run_tool(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_formats(self):
        lines = self.written("alkane", "1", "--basis", "6-31G*").splitlines()
        self.assertEqual(lines[:7], ["title  alkane 1, CH4", "method rhf", "basis  6-31G*", "charge 0",
                                     "multiplicity 1", "units  angstrom", "geometry"])
        self.assertEqual((len(lines), lines[-1]), (13, "end"))
        lines = self.written("graphene", "1", "--format", "xyz").splitlines()
        self.assertEqual(lines[:2], ["12", "graphene 1, C6H6; charge=0 multiplicity=1"])
        self.assertEqual([line.split()[0] for line in lines[2:]], ["C"] * 6 + ["H"] * 6)

    def test_files(self):
        self.assertEqual(self.written("water", "4", "-o", "four.xyz", "--format", "xyz"), "")
        self.assertEqual((self.folder / "four.xyz").read_text(encoding="utf-8"), self.written("water", "4", "--format", "xyz"))

    def test_wrong_requests(self):
        for code, message, *arguments in (
                (2, "water: expected a whole number from 1 to 16666, found '0'", "water", "0"),
                (2, "alkane: expected a whole number from 1 to 8471, found '8472'", "alkane", "8472"),
                (2, "graphene: expected a whole number from 1 to 90, found 'two'", "graphene", "two"),
                (2, "argument KIND: invalid choice: 'ice' .*", "ice", "3"),
                (2, "--basis: expected the name of a basis set in one word, found 'O STO-3G'", "water", "3", "--basis", "O STO-3G"),
                (2, "--basis: an XYZ file holds no basis set; give it to hf", "water", "3", "--basis", "x", "--format", "xyz"),
                (3, "nowhere/x: No such file or directory", "water", "3", "-o", "nowhere/x")):
            done = self.run_tool(*arguments)
            self.assertRegex(done.stderr, f"^make-molecule: {message}(; -h explains)?\n$")
            self.assertEqual((done.returncode, done.stdout), (code, ""))

    @unittest.skipUnless(PROGRAM, "HF_TEST_PROGRAM is not set")
    def test_hf_reads_them(self):
        for kind, size, form in (("alkane", 7, "native"), ("glycine", 3, "native"), ("water", 9, "native"), ("graphene", 2, "native"),
                                 ("water", 2, "xyz")):
            atoms = molecules.KINDS[kind].build(size)
            self.written(kind, str(size), "--format", form, "-o", "molecule")
            done = subprocess.run([PROGRAM, "--check", "molecule", "--basis", "STO-3G"], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn(f"{len(atoms)} atoms, charge +0, multiplicity 1, {n_electron(atoms)} electrons", done.stdout)
            self.assertRegex(done.stdout, f"Title +{kind} {size}, {molecules.formula(atoms)}\n")
            self.assertNotIn("Warning", done.stdout)
