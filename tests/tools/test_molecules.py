#!/usr/bin/env python3
"""tools/make-molecule: the molecules are what they are said to be (formulas, bonds, angles, no atoms too near), the
files are what hf reads, and each wrong request is one line.

The environment variable HF_TEST_PROGRAM names the hf that shall read the files; without it that test is skipped.

Usage: test_molecules.py [unittest options]
"""

import itertools
import math
import os
import pathlib
import re
import subprocess
import unittest

import tool_test
from lab import molecules  # pylint: disable=wrong-import-order

PROGRAM = os.environ.get("HF_TEST_PROGRAM")
ELECTRONS = {"H": 1, "C": 6, "N": 7, "O": 8}
ANGSTROM_PER_BOHR = 0.529177210903
TETRAHEDRAL_DEGREES = math.degrees(math.acos(-1 / 3))
SIZES = {"alkane": range(1, 31), "glycine": range(1, 8), "water": range(1, 37), "graphene": range(1, 5)}


def angle_degrees(middle, a, b):
    """Between the directions from one atom to two others."""
    first, second = ([p - m for p, m in zip(atom[1:], middle[1:])] for atom in (a, b))
    cosine = sum(p * q for p, q in zip(first, second)) / math.hypot(*first) / math.hypot(*second)
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


def distance(a, b):
    return math.dist(a[1:], b[1:])


def neighbours(atoms, limit):
    """Of each atom, those nearer than the limit."""
    near = [[] for _ in atoms]
    for (i, a), (j, b) in itertools.combinations(enumerate(atoms), 2):
        if distance(a, b) < limit:
            near[i].append(b)
            near[j].append(a)
    return near


def n_electron(atoms):
    return sum(ELECTRONS[atom[0]] for atom in atoms)


class Bonds(unittest.TestCase):
    def check_frame(self, atoms, lengths, n_neighbour, degrees):
        """Bonds and angles of molecules of carbon and hydrogen, and nothing nearer than bonds and 1,3 contacts."""
        for atom, near in zip(atoms, neighbours(atoms, 1.7)):
            self.assertEqual(len(near), n_neighbour if atom[0] == "C" else 1)
            for other in near:
                self.assertAlmostEqual(distance(atom, other), lengths[atom[0] + other[0]], places=9)
            for a, b in itertools.combinations(near, 2):
                self.assertAlmostEqual(angle_degrees(atom, a, b), degrees, places=6)

    def test_alkanes(self):
        for n in SIZES["alkane"]:
            atoms = molecules.alkane(n)
            expected = "CH4" if n == 1 else f"C{n}H{2 * n + 2}"
            self.assertEqual(molecules.formula(atoms), expected)
            self.check_frame(atoms, {"CC": 1.53, "CH": 1.09, "HC": 1.09}, 4, TETRAHEDRAL_DEGREES)

    def test_chains_are_anti_and_have_their_middle_at_0(self):
        for n in SIZES["alkane"]:
            carbons = [atom for atom in molecules.alkane(n) if atom[0] == "C"]
            for i in range(n - 3):  # opposite bonds of a dihedral angle of 180 degrees are parallel
                for k in (1, 2, 3):
                    self.assertAlmostEqual(carbons[i + 3][k] - carbons[i + 2][k], carbons[i + 1][k] - carbons[i][k])
            self.assertAlmostEqual(carbons[0][1], -carbons[-1][1])

    def test_hydrogen_atoms_of_a_chain_are_staggered(self):
        for n in SIZES["alkane"]:
            hydrogens = [atom for atom in molecules.alkane(n) if atom[0] == "H"]
            nearest = min(distance(a, b) for a, b in itertools.combinations(hydrogens, 2))
            self.assertAlmostEqual(nearest, 2 * 1.09 * math.sqrt(2 / 3))  # those of one carbon
            apart = [d for a, b in itertools.combinations(hydrogens, 2) if (d := distance(a, b)) > nearest + 1e-6]
            self.assertGreater(min(apart, default=9.0), 2.45)

    def test_glycine_chains(self):
        lengths = {"CC": [1.525], "CH": [1.09], "CN": [1.335, 1.455], "CO": [1.23, 1.35], "HN": [1.01], "HO": [0.97]}
        for n in SIZES["glycine"]:
            atoms = molecules.glycine(n)
            number = "" if n == 1 else str(n)
            self.assertEqual(molecules.formula(atoms), f"C{2 * n}H{3 * n + 2}N{number}O{n + 1}")
            for atom, near in zip(atoms, neighbours(atoms, 1.56)):
                for other in near:
                    expected = lengths["".join(sorted(atom[0] + other[0]))]
                    self.assertIn(round(distance(atom, other), 9), expected)
                    for a in near:
                        self.assertTrue(a is other or 104 < angle_degrees(atom, a, other) < 128)
            self.assertEqual(sum(map(len, neighbours(atoms, 1.56))), 2 * (len(atoms) - 1))  # no rings
            self.assertEqual({atom[3] for atom in atoms if atom[0] != "H"}, {0.0})

    def test_graphene_flakes(self):
        for n in SIZES["graphene"]:
            atoms = molecules.graphene(n)
            self.assertEqual(molecules.formula(atoms), f"C{6 * n * n}H{6 * n}")
            self.check_frame(atoms, {"CC": 1.42, "CH": 1.09, "HC": 1.09}, 3, 120)
            self.assertEqual({atom[3] for atom in atoms}, {0.0})
            hydrogens = [atom for atom in atoms if atom[0] == "H"]
            self.assertGreater(min(distance(a, b) for a, b in itertools.combinations(hydrogens, 2)), 2.4)

    def test_flakes_are_hexagons(self):
        def places(atoms):
            return sorted((symbol, round(x, 6) + 0.0, round(y, 6) + 0.0) for symbol, x, y, _ in atoms)

        for n in SIZES["graphene"]:
            atoms = molecules.graphene(n)
            turned = [(symbol, x / 2 - y * math.sqrt(3) / 2, x * math.sqrt(3) / 2 + y / 2, z)
                      for symbol, x, y, z in atoms]
            self.assertEqual(places(turned), places(atoms))

    def test_shells_are_closed_and_atoms_are_apart(self):
        for kind, sizes in SIZES.items():
            for n in sizes:
                atoms = molecules.KINDS[kind].build(n)
                self.assertEqual(n_electron(atoms) % 2, 0)
                apart = {}
                for a, b in itertools.combinations(atoms, 2):
                    pair = "H-H" if a[0] == b[0] == "H" else "X-H" if "H" in (a[0], b[0]) else "X-X"
                    apart[pair] = min(distance(a, b), apart.get(pair, 9.0))
                for pair, least in (("H-H", 1.5), ("X-H", 0.95), ("X-X", 1.2 if kind == "glycine" else 1.4)):
                    self.assertGreater(apart.get(pair, 9.0), least, (kind, n, pair))

    def test_largest_ones_are_just_within_the_limits_of_hf(self):
        def fits(atoms):
            return len(atoms) <= 50000 and max(max(map(abs, atom[1:])) for atom in atoms) <= 1e4 * ANGSTROM_PER_BOHR

        for kind in molecules.KINDS.values():
            self.assertTrue(fits(kind.build(kind.largest)))
            self.assertFalse(fits(kind.build(kind.largest + 1)))


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

    def test_hydrogen_atoms_of_neighbours_are_apart(self):
        for a, b in itertools.combinations(self.molecules(60), 2):
            for p, q in itertools.product(a[1:], b[1:]):
                self.assertGreater(distance(p, q), 2.3)

    def test_each_molecule_is_bonded_to_one_before_it(self):
        cluster = self.molecules(150)
        for i in range(1, len(cluster)):
            self.assertLess(min(distance(cluster[i][0], other[0]) for other in cluster[:i]), 2.81)

    def test_a_cluster_begins_with_the_smaller_ones(self):
        whole = molecules.water(1000)
        for n in (1, 2, 17, 18, *range(30, 200, 6)):
            self.assertEqual(molecules.water(n), whole[:3 * n])

    def test_clusters_are_round(self):
        volume = (4 / math.sqrt(3) * 2.8) ** 3 / 8  # of a molecule: there are 8 in a cell
        for n in (20, 64, 200, 1000):
            radii = [math.hypot(*oxygen[1:]) for oxygen, *_ in self.molecules(n)]
            self.assertTrue(all(a < b + 1e-9 for a, b in itertools.pairwise(radii)))
            self.assertLess(radii[-1], (3 * n * volume / (4 * math.pi)) ** (1 / 3) + 1)

    def test_dipole_moments_do_not_add_up(self):
        def charge_moment(atoms):
            return math.hypot(*(sum((-2 if atom[0] == "O" else 1) * atom[k] for atom in atoms) for k in (1, 2, 3)))

        one = charge_moment(molecules.water(1))
        for n in (50, 100, 400, 1000):
            self.assertLess(charge_moment(molecules.water(n)), one * math.sqrt(n))


class Tool(tool_test.WithFolder):
    def run_tool(self, *arguments, **options):
        return tool_test.run_tool("make-molecule", *arguments, cwd=self.folder, **options)

    def written(self, *arguments):
        done = self.run_tool(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, message, *arguments, code=2, **options):
        done = self.run_tool(*arguments, **options)
        self.assertRegex(done.stderr, f"^make-molecule: {message}(; -h explains)?\n$")
        self.assertEqual((done.returncode, done.stdout or ""), (code, ""))

    def test_native_input(self):
        lines = self.written("alkane", "1").splitlines()
        self.assertEqual(lines[:7], ["title  alkane 1, CH4", "method rhf", "basis  cc-pVDZ", "charge 0",
                                     "multiplicity 1", "units  angstrom", "geometry"])
        self.assertEqual(lines[-1], "end")
        atoms = [(words[0], *map(float, words[1:])) for words in map(str.split, lines[7:-1])]
        for atom, expected in zip(atoms, molecules.alkane(1), strict=True):
            self.assertEqual(atom[0], expected[0])
            self.assertLess(distance(atom, expected), 1e-7)

    def test_basis_set(self):
        self.assertIn("\nbasis  6-31G*\n", self.written("water", "1", "--basis", "6-31G*"))

    def test_xyz(self):
        lines = self.written("graphene", "1", "--format", "xyz").splitlines()
        self.assertEqual(lines[:2], ["12", "graphene 1, C6H6; charge=0 multiplicity=1"])
        self.assertEqual([line.split()[0] for line in lines[2:]], ["C"] * 6 + ["H"] * 6)

    def test_a_file_has_what_is_printed_otherwise(self):
        self.assertEqual(self.written("water", "3", "-o", "three.mol"), "")
        self.assertEqual((self.folder / "three.mol").read_text(encoding="utf-8"), self.written("water", "3"))

    def test_series(self):
        for kind, series, options, names in (
                ("alkane", "2:10:4", (), ["alkane-2.mol", "alkane-6.mol", "alkane-10.mol"]),
                ("water", "3:4", ("--basis", "STO-3G"), ["water-3.mol", "water-4.mol"]),
                ("graphene", "1:1", (), ["graphene-1.mol"]),
                ("water", "1:6:3", ("--format", "xyz"), ["water-1.xyz", "water-4.xyz"])):
            where = pathlib.Path("new", kind + series[0])
            told = self.written(kind, "--series", series, "-o", str(where), *options).splitlines()
            self.assertEqual(told, [str(where / name) for name in names])
            self.assertEqual({path.name for path in (self.folder / where).iterdir()}, set(names))
            for name in names:
                size = re.search("[0-9]+", name)[0]
                self.assertEqual((self.folder / where / name).read_text(encoding="utf-8"),
                                 self.written(kind, size, *options))

    def test_wrong_sizes(self):
        for kind, word in (("alkane", "0"), ("water", "-3"), ("graphene", "two"), ("water", "2.5"), ("alkane", ""),
                           ("alkane", "8472"), ("water", "16667"), ("graphene", "91"), ("water", "9" * 5000)):
            largest = molecules.KINDS[kind].largest
            self.refused(f"{kind}: expected a whole number from 1 to {largest}, found '{word}'", kind, word)

    def test_wrong_series(self):
        where = ("-o", "series")
        self.refused("--series: expected FROM:TO or FROM:TO:STEP, found '5'", "water", "--series", "5", *where)
        self.refused("--series: expected FROM:TO or FROM:TO:STEP, found '1:2:3:4'",
                     "water", "--series", "1:2:3:4", *where)
        self.refused("--series: expected FROM up to TO, found '5:4'", "water", "--series", "5:4", *where)
        self.refused("water: expected a whole number from 1 to 16666, found '0'", "water", "--series", "1:4:0", *where)
        self.refused("water: expected a whole number from 1 to 16666, found ''", "water", "--series", ":4", *where)
        self.refused("--series: expected a folder for the files, -o FOLDER", "water", "--series", "1:4")
        self.assertFalse((self.folder / "series").exists())

    def test_wrong_requests(self):
        self.refused("argument KIND: invalid choice: 'ice' .*", "ice", "3")
        self.refused("the following arguments are required: KIND.*")
        self.refused(r"water: expected either a size N or --series FROM:TO\[:STEP\]", "water")
        self.refused(r"water: expected either a size N or --series FROM:TO\[:STEP\]",
                     "water", "3", "--series", "1:4", "-o", "series")
        self.refused("argument --format: invalid choice: 'pdb' .*", "water", "3", "--format", "pdb")
        self.refused("unrecognized arguments: --list", "water", "3", "--list")
        self.refused("-o: found an empty name", "water", "3", "-o", "")

    def test_wrong_basis_sets(self):
        for word in ("", "O STO-3G", "#", "STO-3G\nend"):
            self.refused("--basis: expected the name of a basis set in one word, found .*",
                         "water", "3", "--basis", word)
        self.refused("--basis: an XYZ file holds no basis set; give it to hf",
                     "water", "3", "--basis", "STO-3G", "--format", "xyz")

    def test_places_that_cannot_be_written(self):
        (self.folder / "file").write_text("kept", encoding="utf-8")
        self.refused("file/x: cannot be written: Not a directory", "water", "3", "-o", "file/x")
        self.refused("nowhere/x: cannot be written: No such file or directory", "water", "3", "-o", "nowhere/x")
        self.refused(".: cannot be written: Is a directory", "water", "3", "-o", ".")
        self.refused("file: cannot be written: File exists", "water", "--series", "1:3", "-o", "file")
        self.refused("file/x: cannot be written: Not a directory", "water", "--series", "1:3", "-o", "file/x")
        (self.folder / "water-2.mol").mkdir()
        done = self.run_tool("water", "--series", "1:3", "-o", ".")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "water-1.mol\n", "make-molecule: water-2.mol: cannot be written: Is a directory\n"))
        self.assertEqual((self.folder / "file").read_text(encoding="utf-8"), "kept")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
    def test_a_full_disk_is_a_failed_resource(self):
        self.refused("/dev/full: cannot be written: No space left on device", "water", "3", "-o", "/dev/full", code=3)
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.refused("standard output: cannot be written: No space left on device", "water", "3",
                         code=3, stdout=full)

    def test_a_reader_that_goes_away_is_no_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.run_tool("water", "3", stdout=writer)
        os.close(writer)
        self.assertEqual(done.stderr, "")

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


if __name__ == "__main__":
    unittest.main()
