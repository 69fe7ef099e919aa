#!/usr/bin/env python3
"""Runs hf with --json-orbitals and rebuilds its energy from the wave function that it wrote.

Basis, orbitals and density are read as QCSchema says; all integrals are made anew by gaussian_integrals.py.
Exit code 0: everything agrees; 1: something differs (each difference on a line of its own).
"""

import math
import os
import sys
import tempfile

import gaussian_integrals
import program_run

ENERGY_TOLERANCE = 1e-8  # hartree
ORTHONORMAL_TOLERANCE = 1e-9
FOCK_TOLERANCE = 1e-6  # hartree; what convergence leaves of the commutator


def parse_arguments():
    parser = program_run.parser(__doc__, ("input", "input file of hf"))
    parser.add_argument("--exchange-rows", action="store_true",
                        help="exchange the last two functions first: the check must see it")
    return parser.parse_args()


def run(arguments):
    """The JSON file that hf writes."""
    with tempfile.TemporaryDirectory(prefix="hf-wavefunction-") as folder:
        return program_run.result_of(arguments, os.path.join(folder, "output.json"), arguments.input, "--json-orbitals",
                                     "--commutator-tolerance", "1e-8", "--energy-tolerance", "1e-10")


def exchange_rows(result):
    """Makes the order of functions wrong."""
    n, m = result["properties"]["calcinfo_nbasis"], result["properties"]["calcinfo_nmo"]
    rows = as_matrix(result["wavefunction"]["scf_orbitals_a"], m)
    rows[n - 2], rows[n - 1] = rows[n - 1], rows[n - 2]
    result["wavefunction"]["scf_orbitals_a"] = sum(rows, [])


def read_shells(molecule, basis):
    """Shells in the order of the functions."""
    shells = []
    for atom, key in enumerate(basis["atom_map"]):
        centre = molecule["geometry"][3 * atom:3 * atom + 3]
        for shell in basis["center_data"][key]["electron_shells"]:
            for l in shell["angular_momentum"]:
                for coefficients in shell["coefficients"]:
                    shells.append(gaussian_integrals.Shell(centre, l, shell["harmonic_type"] == "spherical",
                                                           shell["exponents"], coefficients))
    return shells


def as_matrix(values, n_column):
    """Rows of a flat row-major array."""
    return [values[i:i + n_column] for i in range(0, len(values), n_column)]


class Integrals:
    """Overlap, core Hamiltonian and two-electron integrals over the functions of some shells."""

    def __init__(self, shells, charges):
        self.first, self.n = [], 0
        for shell in shells:
            self.first.append(self.n)
            self.n += len(shell.functions)
        self.overlap = [[0.0] * self.n for _ in range(self.n)]
        self.core = [[0.0] * self.n for _ in range(self.n)]
        pairs = [(a, b, gaussian_integrals.Pair(shells[a], shells[b]))
                 for a in range(len(shells)) for b in range(a + 1)]
        for a, b, pair in pairs:
            overlap, kinetic = pair.overlap_and_kinetic()
            nuclear = pair.nuclear(charges)
            for (m, n), s, t, v in zip(self.functions(a, b, pair), overlap, kinetic, nuclear):
                self.overlap[m][n] = self.overlap[n][m] = s
                self.core[m][n] = self.core[n][m] = t + v
        self.repulsion = {}  # (mn|rs) by the sorted pairs of functions
        made = [(a, b, (pair, pair.hermite())) for a, b, pair in pairs]
        for i, (a, b, bra) in enumerate(made):
            for c, d, ket in made[:i + 1]:
                values = gaussian_integrals.repulsion(bra, ket)
                for mn, row in zip(self.functions(a, b, bra[0]), values):
                    for rs, value in zip(self.functions(c, d, ket[0]), row):
                        self.repulsion[self.key(mn, rs)] = value

    def functions(self, a, b, pair):
        return [(self.first[a] + i, self.first[b] + j)
                for i in range(len(pair.left.functions)) for j in range(len(pair.right.functions))]

    @staticmethod
    def key(mn, rs):
        one, other = (max(mn), min(mn)), (max(rs), min(rs))
        return (one, other) if one >= other else (other, one)

    def fock(self, densities):
        """F of each spin, and E = sum of tr D (H + F) / 2 over the spins without the nuclei; densities of each spin."""
        total = [[sum(values) for values in zip(*rows)] for rows in zip(*densities)]
        focks = [[row[:] for row in self.core] for _ in densities]
        for m in range(self.n):
            for n in range(m + 1):
                values = [0.0] * len(densities)
                for r in range(self.n):
                    for s in range(self.n):
                        coulomb = total[r][s] * self.repulsion[self.key((m, n), (r, s))]
                        exchange = self.repulsion[self.key((m, r), (n, s))]
                        for k, density in enumerate(densities):
                            values[k] += coulomb - density[r][s] * exchange
                for fock, value in zip(focks, values):
                    fock[m][n] += value
                    fock[n][m] = fock[m][n]
        energy = 0.5 * sum(density[m][n] * (self.core[m][n] + fock[m][n])
                           for density, fock in zip(densities, focks) for m in range(self.n) for n in range(self.n))
        return focks, energy


def in_orbitals(matrix, orbitals):
    """C^T M C"""
    n, m = len(orbitals), len(orbitals[0])
    half = [[sum(matrix[i][k] * orbitals[k][j] for k in range(n)) for j in range(m)] for i in range(n)]
    return [[sum(orbitals[k][i] * half[k][j] for k in range(n)) for j in range(m)] for i in range(m)]


def largest_deviation(matrix, diagonal):
    return max(abs(value - (diagonal[i] if i == j else 0.0))
               for i, row in enumerate(matrix) for j, value in enumerate(row))


def nuclear_repulsion(charges):
    return sum(z * y * (1 / math.dist(a, b)) for i, (z, a) in enumerate(charges) for y, b in charges[:i])


def check_shapes(result, complain):
    wavefunction, properties = result["wavefunction"], result["properties"]
    n, m = properties["calcinfo_nbasis"], properties["calcinfo_nmo"]
    sizes = {"orbitals": n * m, "density": n * n, "eigenvalues": m, "occupations": m}
    restricted = result["model"]["method"] == "rhf"
    for name, size in sizes.items():
        for spin in "a" if restricted else "ab":
            key = f"{name}_{spin}"
            complain(len(wavefunction[wavefunction[key]]) == size, f"{key} has not {size} numbers")
    complain(wavefunction["basis"]["nbf"] == n, "nbf is not calcinfo_nbasis")
    complain(wavefunction["restricted"] is restricted, f"restricted is not {restricted}")
    complain(result["protocols"]["wavefunction"] == "all", "the protocol drops the wave function")
    beta = [key for key in wavefunction if key.endswith("_b")]
    complain(not restricted or not beta, "beta quantities of a restricted one")


class Spin:
    """Orbitals, their energies and occupations, and density of one spin; what a restricted file has is of both."""

    def __init__(self, result, spin):
        properties = result["properties"]
        wavefunction = result["wavefunction"]
        of = "a" if wavefunction["restricted"] else spin
        self.name = {"a": "alpha", "b": "beta"}[spin]
        self.n_electron = properties["calcinfo_nalpha" if spin == "a" else "calcinfo_nbeta"]
        self.orbitals = as_matrix(wavefunction[f"scf_orbitals_{of}"], properties["calcinfo_nmo"])
        self.density = as_matrix(wavefunction[f"scf_density_{of}"], properties["calcinfo_nbasis"])
        self.energies = wavefunction[f"scf_eigenvalues_{of}"]
        self.occupations = wavefunction[f"scf_occupations_{of}"]

    def density_of_orbitals(self):
        """C n C^T"""
        occupied = [(k, electrons) for k, electrons in enumerate(self.occupations) if electrons]
        return [[sum(electrons * row[k] * other[k] for k, electrons in occupied) for other in self.orbitals]
                for row in self.orbitals]

    def check(self, overlap, complain):
        m = len(self.energies)
        deviation = largest_deviation(in_orbitals(overlap, self.orbitals), [1.0] * m)
        complain(deviation < ORTHONORMAL_TOLERANCE, f"C^T S C of {self.name} is not 1: {deviation:.1e}")
        electrons = sum(x * y for row, other in zip(self.density, overlap) for x, y in zip(row, other))
        complain(abs(electrons - self.n_electron) < 1e-8, f"tr D S of {self.name} is {electrons}")
        complain(sum(self.occupations) == self.n_electron, f"{sum(self.occupations)} {self.name} electrons in orbitals")


def effective_fock(spins, focks):
    """What the orbital energies are the eigenvalues of, in the orbitals of each spin; of orbitals that spins share,
    those of Guest and Saunders: Fb between doubly and singly occupied ones, Fa between these and virtual ones."""
    alpha, beta = (in_orbitals(fock, spin.orbitals) for spin, fock in zip(spins, focks))
    if spins[0].orbitals != spins[1].orbitals:
        return alpha, beta
    kind = [a + b for a, b in zip(spins[0].occupations, spins[1].occupations)]
    shared = [[b if {k, l} == {2, 1} else a if {k, l} == {1, 0} else 0.5 * (a + b) for a, b, l in zip(row, other, kind)]
              for row, other, k in zip(alpha, beta, kind)]
    return shared, shared


def check(result):
    """Lines that say what differs; none when all agrees."""
    found = []

    def complain(holds, what):
        if not holds:
            found.append(what)

    check_shapes(result, complain)
    molecule, properties = result["molecule"], result["properties"]
    numbers = {"H": 1, "He": 2, "Li": 3, "N": 7, "O": 8, "F": 9}
    charges = [(numbers[symbol] * real, molecule["geometry"][3 * a:3 * a + 3])
               for a, (symbol, real) in enumerate(zip(molecule["symbols"], molecule["real"]))]
    integrals = Integrals(read_shells(molecule, result["wavefunction"]["basis"]), charges)
    n = properties["calcinfo_nbasis"]
    complain(integrals.n == n, f"the shells have {integrals.n} functions, expected {n}")
    spins = [Spin(result, "a"), Spin(result, "b")]
    for spin in spins:
        spin.check(integrals.overlap, complain)
    for what, densities in {"density": [spin.density for spin in spins],
                            "orbitals": [spin.density_of_orbitals() for spin in spins]}.items():
        focks, energy = integrals.fock(densities)
        error = energy + nuclear_repulsion(charges) - properties["scf_total_energy"]
        print(f"energy rebuilt from the {what}: off by {error:.1e} hartree")
        complain(abs(error) < ENERGY_TOLERANCE, f"energy rebuilt from the {what}: off by {error:.1e} hartree")
        for spin, fock in zip(spins, effective_fock(spins, focks)):
            deviation = largest_deviation(fock, spin.energies)
            complain(deviation < FOCK_TOLERANCE, f"C^T F C of {spin.name}, from the {what}, is off by {deviation:.1e}")
    return found


def main():
    arguments = parse_arguments()
    result = run(arguments)
    if arguments.exchange_rows:
        exchange_rows(result)
    found = check(result)
    for line in found:
        print("DIFFERS", line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
