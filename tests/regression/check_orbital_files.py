#!/usr/bin/env python3
"""Runs hf with --molden, other files of orbitals, and --cube, and rebuilds from each file alone what it means.

The overlap of the orbitals must be the unit matrix, their one-electron energy that of the JSON file, and, where that does
not take long (--energy), the total energy and the orbital energies those of a Fock matrix made anew. Values of the cube
files are compared with those of the orbitals. Exit code 0: everything agrees; 1: something differs.
"""

import glob
import math
import os
import sys
import tempfile

import check_wavefunction
import gaussian_integrals
import molden_file
import program_run
import trexio_file
import wfn_file

TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]
READERS = {"molden": molden_file.Molden, "trexio": trexio_file.Trexio, "wfn": wfn_file.Wfn, "wfx": wfn_file.Wfn}
# Nodes and weights of Gauss and Legendre for the mean over -1 to 1.
NODES = [(-0.9061798459386640, 0.11846344252809454), (-0.5384693101056831, 0.23931433524968324),
         (0.0, 0.28444444444444444), (0.5384693101056831, 0.23931433524968324), (0.9061798459386640, 0.11846344252809454)]


def parse_arguments():
    parser = program_run.parser(__doc__, ("input", "input file of hf"))
    parser.add_argument("--energy", action="store_true", help="rebuild the total energy, too")
    parser.add_argument("--cube", help="list of cube files to check")
    parser.add_argument("--formats", default="molden", help="list of files of orbitals to check")
    return parser.parse_args()


def run(arguments, folder):
    """(result, files of orbitals, {name: cube})."""
    paths = {name: os.path.join(folder, f"orbitals.{name}") for name in arguments.formats.split(",")}
    files = [word for name, path in paths.items() for word in (f"--{name}", path)] + ["--trexio-integrals"] * ("trexio" in paths)
    cubes = ["--cube", arguments.cube, "--cube-spacing", "0.3"] if arguments.cube else []
    result = program_run.result_of(arguments, os.path.join(folder, "output.json"), arguments.input, *files, *TIGHT, *cubes)
    cubes = {path.split(".")[-2]: Cube(path) for path in glob.glob(os.path.join(folder, "*.cube"))}
    return result, [READERS[name](path) for name, path in paths.items()], cubes


class Cube:
    """A file: origin, spacing, counts, values."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        n_atom, *origin = lines[2].split()
        self.origin = [float(x) for x in origin]
        axes = [line.split() for line in lines[3:6]]
        self.n = [int(axis[0]) for axis in axes]
        self.spacing = float(axes[0][1])
        self.values = [float(word) for line in lines[6 + int(n_atom):] for word in line.split()]
        assert len(self.values) == math.prod(self.n), path

    def integral(self):
        return sum(self.values) * self.spacing ** 3

    def samples(self, n_sample=12):
        """[(point, value)] here and there in the middle of the box."""
        found = []
        for s in range(n_sample):
            index = [int(n * (0.32 + 0.36 * ((s * k * 0.618 + 0.1) % 1.0))) for n, k in zip(self.n, (1, 3, 7))]
            point = [x + i * self.spacing for x, i in zip(self.origin, index)]
            found.append((point, self.values[(index[0] * self.n[1] + index[1]) * self.n[2] + index[2]]))
        return found


def function_values(shells, point):
    values = []
    for shell in shells:
        r = [x - c for x, c in zip(point, shell.centre)]
        radial = sum(c * math.exp(-a * sum(x * x for x in r)) for a, c in shell.primitives)
        for function in shell.functions:
            values.append(radial * sum(f * r[0] ** i * r[1] ** j * r[2] ** k for (i, j, k), f in function.items()))
    return values


class Rebuilt:
    """What follows from a file of orbitals. Numbers of few digits rebuild it to `least`."""

    def __init__(self, molden):
        self.molden = molden
        self.least = 2e-6 if molden.digits < 10 else 0.0
        self.n = molden.n
        self.overlap = [[0.0] * self.n for _ in range(self.n)]
        self.core = [[0.0] * self.n for _ in range(self.n)]
        self.kinetic = [[0.0] * self.n for _ in range(self.n)]
        self.pairs, first = [], []
        for shell in molden.shells:
            first.append((first[-1][1] if first else 0, (first[-1][1] if first else 0) + len(shell.functions)))
        for a, left in enumerate(molden.shells):
            for b, right in enumerate(molden.shells[:a + 1]):
                pair = gaussian_integrals.Pair(left, right)
                overlap, kinetic = pair.overlap_and_kinetic()
                nuclear = pair.nuclear(molden.charges())
                places = [(m, n) for m in range(*first[a]) for n in range(*first[b])]
                self.pairs.append((pair, places))
                for (m, n), s, t, v in zip(places, overlap, kinetic, nuclear):
                    self.overlap[m][n] = self.overlap[n][m] = s
                    self.core[m][n] = self.core[n][m] = t + v
                    self.kinetic[m][n] = self.kinetic[n][m] = t

    def spins(self):
        return [[orbital for orbital in self.molden.orbitals if orbital.spin == spin] for spin in ("Alpha", "Beta")]

    def density(self, orbitals, electrons=lambda occupation: occupation):
        filled = [(orbital.coefficients, electrons(orbital.electrons)) for orbital in orbitals if orbital.electrons]
        return [[sum(n * c[i] * c[j] for c, n in filled) for j in range(self.n)] for i in range(self.n)]

    def potential(self, density, point):
        """Of electrons and nuclei."""
        value = sum(charge / math.dist(point, place) for charge, place in self.molden.charges() if charge and place != point)
        for pair, places in self.pairs:
            for (m, n), integral in zip(places, pair.nuclear([(1.0, point)])):
                value += (1 if m == n or (n, m) in places else 2) * density[m][n] * integral
        return value


def contract(density, matrix):
    return sum(x * y for row, other in zip(density, matrix) for x, y in zip(row, other))


def localised(result):
    """(Place of the first localised orbital, their energies)."""
    found = result["extras"]["hf"].get("localised_orbitals")
    return (found["frozen_core_orbitals"], [orbital["energy"] for orbital in found["orbitals"]]) if found else (0, [])


def check_unit(rebuilt, name, orbitals, complain):
    columns = [list(row) for row in zip(*(orbital.coefficients for orbital in orbitals))]
    unit = check_wavefunction.in_orbitals(rebuilt.overlap, columns)
    deviation = check_wavefunction.largest_deviation(unit, [1.0] * len(orbitals))
    print(f"C^T S C of {name}: off the unit matrix by {deviation:.1e}")
    complain(deviation < max(1e-10, rebuilt.least), f"C^T S C of {name} is not 1: {deviation:.1e}")


def check_natural(rebuilt, result, complain):
    """Natural orbitals of the relaxed density of MP2: each spin's have falling occupations, and the density that the JSON file's numbers
    are of."""
    relaxed, molden = result["extras"]["hf"]["relaxed_density"], rebuilt.molden
    for name, orbitals in zip(("alpha", "beta"), rebuilt.spins()):
        if orbitals:
            check_unit(rebuilt, name, orbitals, complain)
        occupations = [orbital.electrons for orbital in orbitals]
        complain(occupations == sorted(occupations, reverse=True), f"occupations of {name} do not fall: {occupations}")
        complain(0.0 < sum(abs(n - round(n)) for n in occupations) or not orbitals, f"{name}: whole occupations are those of the SCF")
    owner = [next(i for i, atom in enumerate(molden.atoms) if atom[2] == shell.centre) for shell in molden.shells for _ in shell.functions]
    for key, sign in (("mulliken_charges", 1.0), ("mulliken_spin_populations", -1.0)):
        density = rebuilt.density([orbital for orbital in molden.orbitals if orbital.spin == "Alpha"])
        beta = rebuilt.density([orbital for orbital in molden.orbitals if orbital.spin == "Beta"])
        if key not in relaxed:
            continue
        found = [charge if sign > 0 else 0.0 for charge, _ in molden.charges()]
        for m, atom in enumerate(owner):
            found[atom] -= sign * sum((density[m][n] + sign * beta[m][n]) * rebuilt.overlap[n][m] for n in range(rebuilt.n))
        worst = max(abs(a - b) for a, b in zip(found, relaxed[key]))
        complain(worst < 1e-6, f"{key} rebuilt: off by {worst:.1e}")
    density = rebuilt.density(molden.orbitals)
    worst = max(abs(rebuilt.potential(density, atom[2]) - expected)
                for atom, expected in zip(molden.atoms, relaxed["electrostatic_potential_at_nuclei"]))
    print(f"potential at the nuclei rebuilt: off by {worst:.1e} hartree/e")
    complain(worst < 1e-6, f"potential at the nuclei: off by {worst:.1e}")


def check_orbitals(rebuilt, result, complain):
    for name, orbitals in zip(("alpha", "beta"), rebuilt.spins()):
        if not orbitals:
            continue
        check_unit(rebuilt, name, orbitals, complain)
        key = "orbital_energies" + ("" if name == "alpha" else "_beta")
        expected = result["extras"]["hf"]["scf"][key]
        first, energies = localised(result)
        expected[first:first + len(energies)] = energies
        if not rebuilt.molden.has_virtual:
            expected = expected[:result["properties"][f"calcinfo_n{name}"]]
        complain(len(expected) == len(orbitals), f"{len(orbitals)} orbitals of {name}, expected {len(expected)}")
        worst = max(abs(orbital.energy - energy) for orbital, energy in zip(orbitals, expected))
        complain(worst < max(1e-11, rebuilt.least), f"orbital energies of {name} are off by {worst:.1e}")
    density = rebuilt.density(rebuilt.molden.orbitals)
    electrons = contract(density, rebuilt.overlap)
    properties = result["properties"]
    n = properties["calcinfo_nalpha"] + properties["calcinfo_nbeta"]
    complain(abs(electrons - n) < max(1e-8, rebuilt.least), f"tr D S is {electrons}, expected {n}")
    if not rebuilt.molden.cores:
        error = contract(density, rebuilt.core) - properties["scf_one_electron_energy"]
        print(f"one-electron energy rebuilt: off by {error:.1e} hartree")
        complain(abs(error) < max(1e-6, 10 * rebuilt.least), f"the one-electron energy is off by {error:.1e}")


def check_virial(rebuilt, result, natural, complain):
    """Energy and virial ratio that a file has, and the latter from its kinetic energy."""
    molden, properties = rebuilt.molden, result["properties"]
    energy = properties["return_energy" if natural else "scf_total_energy"]
    complain(abs(molden.energy - energy) < 1e-11, f"the energy is {molden.energy}, expected {energy}")
    kinetic = contract(rebuilt.density(molden.orbitals), rebuilt.kinetic)
    error = molden.virial_ratio - (kinetic - energy) / kinetic
    print(f"virial ratio rebuilt: off by {error:.1e}")
    complain(abs(error) < max(1e-9, rebuilt.least), f"the virial ratio is {molden.virial_ratio}, off by {error:.1e}")


def check_integrals(rebuilt, result, complain):
    """One-electron integrals of a file, and the energy that the density has in them."""
    integrals, charges = rebuilt.molden.integrals, rebuilt.molden.charges()
    core = len(rebuilt.molden.cores) > 0
    expected = {"overlap": rebuilt.overlap, "kinetic": rebuilt.kinetic}
    if not core:
        expected["potential_n_e"] = [[v - t for v, t in zip(row, other)] for row, other in zip(rebuilt.core, rebuilt.kinetic)]
    for name, matrix in expected.items():
        worst = max(abs(a - b) for row, other in zip(matrix, integrals[name]) for a, b in zip(row, other))
        print(f"{name}: off by {worst:.1e}")
        complain(worst < 1e-10, f"{name} is off by {worst:.1e}")
    complain(("ecp" in integrals) == core, f"integrals: {list(integrals)}")
    energies = [contract(rebuilt.density(rebuilt.molden.orbitals), matrix) for name, matrix in integrals.items() if name != "overlap"]
    error = energies[-1] - result["properties"]["scf_one_electron_energy"]
    print(f"one-electron energy from the integrals: off by {error:.1e} hartree")
    complain(abs(error) < 1e-8 or rebuilt.molden.kind == "Natural", f"one-electron energy from the integrals: off by {error:.1e}")
    field = any(term["name"] == "field" for term in result["extras"]["hf"]["energy_parts"]["terms"])
    complain(field or abs(sum(energies[:-1]) - energies[-1]) < 1e-9, f"the sum of terms is off by {sum(energies[:-1]) - energies[-1]:.1e}")
    error = rebuilt.molden.repulsion - check_wavefunction.nuclear_repulsion([charge for charge in charges if charge[0]])
    complain(abs(error) < 1e-9, f"the repulsion of nuclei is off by {error:.1e}")


def check_energy(rebuilt, result, complain):
    """Total energy and Fock matrix from the orbitals in the file."""
    alpha, beta = rebuilt.spins()
    shared = not beta
    densities = ([rebuilt.density(alpha, lambda n: min(n, 1.0)), rebuilt.density(alpha, lambda n: n - min(n, 1.0))]
                 if shared else [rebuilt.density(alpha), rebuilt.density(beta)])
    integrals = check_wavefunction.Integrals(rebuilt.molden.shells, rebuilt.molden.charges())
    focks, energy = integrals.fock(densities)
    error = energy + check_wavefunction.nuclear_repulsion(
        [charge for charge in rebuilt.molden.charges() if charge[0]]) - result["properties"]["scf_total_energy"]
    print(f"total energy rebuilt: off by {error:.1e} hartree")
    complain(abs(error) < 1e-8, f"the total energy is off by {error:.1e}")
    if result["model"]["method"] == "rohf":
        return
    for orbitals, fock in zip((alpha, beta or alpha), focks):
        columns = [list(row) for row in zip(*(orbital.coefficients for orbital in orbitals))]
        matrix = check_wavefunction.in_orbitals(fock, columns)
        first, energies = localised(result)
        for i in range(first, first + len(energies)):  # localised orbitals do not diagonalise it
            matrix[i] = [0.0 if j != i and j in range(first, first + len(energies)) else x for j, x in enumerate(matrix[i])]
        deviation = check_wavefunction.largest_deviation(matrix,
                                                         [orbital.energy for orbital in orbitals])
        complain(deviation < 1e-6, f"C^T F C is off by {deviation:.1e}")


def mean(cube, point, function):
    """Over the cube round a point."""
    half = 0.5 * cube.spacing
    return sum(w * v * u * function([point[0] + half * a, point[1] + half * b, point[2] + half * c])
               for a, w in NODES for b, v in NODES for c, u in NODES)


def orbital_of(name, rebuilt, result):
    """The orbital of a cube file."""
    alpha, beta = rebuilt.spins()
    spin, _, which = name.rpartition("-")
    orbitals, key = (beta, "calcinfo_nbeta") if spin == "beta" else (alpha, "calcinfo_nalpha")
    n = result["properties"][key]
    return orbitals[{"homo": n - 1, "lumo": n}[which] if which in ("homo", "lumo") else int(which) - 1]


def check_cubes(cubes, rebuilt, result, complain):
    molden = rebuilt.molden
    electrons = result["extras"]["hf"]["properties"]["electrons_expected"]
    total = rebuilt.density(molden.orbitals)

    def charge(point, orbitals=molden.orbitals, signs=(1, 1)):
        values = function_values(molden.shells, point)
        return sum(signs[orbital.spin == "Beta"] * orbital.electrons
                   * sum(c * v for c, v in zip(orbital.coefficients, values)) ** 2
                   for orbital in orbitals if orbital.electrons)

    for name, cube in cubes.items():
        worst = 0.0
        for point, value in cube.samples():
            if name == "density":
                expected = mean(cube, point, charge)
            elif name == "spin":
                expected = mean(cube, point, lambda p: charge(p, signs=(1, -1)))
            elif name == "esp":
                expected = rebuilt.potential(total, point)
            else:
                values = function_values(molden.shells, point)
                expected = sum(c * v for c, v in zip(orbital_of(name, rebuilt, result).coefficients, values))
            worst = max(worst, abs(value - expected) / max(1.0, abs(expected)))
        print(f"cube file of {name}: off by {worst:.1e}")
        complain(worst < 2e-6, f"cube file of {name} is off by {worst:.1e}")
        expected = {"density": electrons,
                    "spin": result["properties"]["calcinfo_nalpha"] - result["properties"]["calcinfo_nbeta"]}.get(name)
        if expected is not None:
            complain(abs(cube.integral() - expected) < 1e-3, f"{name} adds up to {cube.integral()}, expected {expected}")


def main():
    arguments = parse_arguments()
    found = []

    def complain(holds, what):
        if not holds:
            found.append(what)

    with tempfile.TemporaryDirectory(prefix="hf-orbital-files-") as folder:
        result, files, cubes = run(arguments, folder)
    natural = "relaxed_density" in result["extras"]["hf"] and "localised_orbitals" not in result["extras"]["hf"]
    for molden in files:
        print(f"{type(molden).__name__}, {molden.digits} digits")
        rebuilt = Rebuilt(molden)
        (check_natural if natural else check_orbitals)(rebuilt, result, complain)
        if arguments.energy and molden.has_virtual:
            check_energy(rebuilt, result, complain)
        if hasattr(molden, "integrals"):
            check_integrals(rebuilt, result, complain)
        if hasattr(molden, "virial_ratio"):
            check_virial(rebuilt, result, natural, complain)
        if molden is files[0]:
            check_cubes(cubes, rebuilt, result, complain)
    for line in found:
        print("DIFFERS", line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
