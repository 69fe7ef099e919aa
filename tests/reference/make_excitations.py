#!/usr/bin/env python3
"""Excited states and responses from the whole matrices A + B and A - B, over Psi4's integrals: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_excitations.py basis > tests/reference/excitations.json

Needs the Debian package psi4, which reads hf's own basis-set files. SCF, matrices, eigenvalues and fields are NumPy's. The first
hyperpolarisability is the derivative of the dipole moment in fields, by formulas of fourth order; C6 is an integral over 200 points.
"""

import contextlib
import itertools
import os
import sys

import numpy
import psi4

import case_file

# name, basis, spherical, charge, multiplicity, atoms in bohr, (symbol x y z)
CASES = [
    ("water", "cc-pvdz", True, 0, 1, "O 0 0 0.2; H 0 1.4 -0.9; H 0.1 -1.5 -0.8"),
    ("formaldehyde", "6-31g*", False, 0, 1, "C 0 0 0; O 0.1 0.2 2.27; H 1.75 0 -1.1; H -1.75 0.1 -1.1"),
    ("nitrogen", "6-31g", True, 0, 1, "N 0 0 0; N 0 0 2.07"),
    ("methane", "6-31g", True, 0, 1, "C 0 0 0; H 1.19 1.19 1.19; H -1.19 -1.19 1.19; H 1.19 -1.19 -1.19; H -1.19 1.19 -1.19"),
    ("hydrogen_iodide", "def2-svp", True, 0, 1, "I 0 0 0; H 0 0 3.04"),
    ("hydrogen", "6-31g", True, 0, 1, "H 0 0 0; H 0 0 1.4"),
    ("stretched_hydrogen", "6-31g", True, 0, 1, "H 0 0 0; H 0 0 4.0"),
    ("amidogen", "6-31g*", False, 0, 2, "N 0 0 0; H 0 1.52 1.2; H 0 -1.52 1.2"),
    ("oxygen", "6-31g", True, 0, 3, "O 0 0 0; O 0 0 2.3"),
]
STATES = 8
FREQUENCIES = [0.1, 0.6j]


class Molecule:
    """Integrals of a molecule, and the determinant in a field; a list of orbitals for each spin."""

    def __init__(self, basis, spherical, charge, multiplicity, atoms):
        psi4.core.clean()
        psi4.core.clean_options()
        psi4.core.be_quiet()
        psi4.set_options({"basis": basis, "scf_type": "pk", "puream": spherical, "reference": "uhf" if multiplicity > 1 else "rhf",
                          "ints_tolerance": 1e-14, "e_convergence": 1e-10, "d_convergence": 1e-8})
        text = f"{charge} {multiplicity}\n" + "\n".join(atoms.split("; ")) + "\nunits bohr\nsymmetry c1\nno_com\nno_reorient"
        _, wave = psi4.energy("scf", molecule=psi4.geometry(text), return_wfn=True)
        mints = psi4.core.MintsHelper(wave.basisset())
        self.integral = numpy.array(mints.ao_eri())
        self.core = numpy.array(wave.H())
        self.overlap = numpy.array(wave.S())
        self.position = [-numpy.array(x) for x in mints.ao_dipole()]
        self.unrestricted = multiplicity > 1
        self.n_occupied = [wave.nalpha(), wave.nbeta()] if self.unrestricted else [wave.nalpha()]
        self.start = [numpy.array(wave.Ca_subset("AO", "OCC")), numpy.array(wave.Cb_subset("AO", "OCC"))][:len(self.n_occupied)]
        value, vector = numpy.linalg.eigh(self.overlap)
        self.half = vector / numpy.sqrt(value)

    def fock(self, density, core):
        """Fock matrices of densities, one for each spin."""
        weight = 1 if self.unrestricted else 2
        coulomb = numpy.einsum("mnrs,rs", self.integral, sum(density)) * weight
        return [core + coulomb - numpy.einsum("mrns,rs", self.integral, d) for d in density]

    def solve(self, field=(0, 0, 0)):
        """(orbital energies, orbitals) of each spin by DIIS, from Psi4's orbitals."""
        core = self.core + sum(f * r for f, r in zip(field, self.position))
        density = [c @ c.T for c in self.start]
        focks, rests = [], []
        for _ in range(200):
            fock = self.fock(density, core)
            rest = [self.half.T @ (f @ d @ self.overlap - self.overlap @ d @ f) @ self.half for f, d in zip(fock, density)]
            focks, rests = (focks + [fock])[-6:], (rests + [rest])[-6:]
            n = len(focks)
            matrix = numpy.zeros((n + 1, n + 1))
            matrix[:n, n] = matrix[n, :n] = 1
            matrix[:n, :n] = [[sum((a * b).sum() for a, b in zip(x, y)) for x in rests] for y in rests]
            matrix[:n, :n] /= max(matrix[n - 1, n - 1], 1e-30)
            weights = numpy.linalg.lstsq(matrix, numpy.eye(n + 1)[n], rcond=1e-12)[0][:n]
            fock = [sum(w * f[s] for w, f in zip(weights, focks)) for s in range(len(fock))]
            found = [numpy.linalg.eigh(self.half.T @ f @ self.half) for f in fock]
            found = [(e, self.half @ c) for e, c in found]
            density = [c[:, :o] @ c[:, :o].T for (_, c), o in zip(found, self.n_occupied)]
            if max(abs(r).max() for r in rest) < 1e-10:
                return found
        raise RuntimeError("no convergence")

    def dipole(self, field):
        """Electronic dipole moment in a field."""
        weight = -1 if self.unrestricted else -2
        return numpy.array([weight * sum((c[:, :o].T @ r @ c[:, :o]).trace() for (_, c), o in zip(self.solve(field), self.n_occupied))
                            for r in self.position])

    def matrices(self, triplets=False):
        """A + B, A - B, and the dipole moments of the rotations [3], with factors of closed shells."""
        found = self.solve()
        orbital = [(c[:, :o], c[:, o:]) for (_, c), o in zip(found, self.n_occupied)]
        rise = numpy.concatenate([(e[o:, None] - e[None, :o]).ravel() for (e, _), o in zip(found, self.n_occupied)])
        plus, minus = numpy.diag(rise), numpy.diag(rise)
        first = 0
        for s, (left, right) in enumerate(orbital):
            second = 0
            for t, (other_left, other_right) in enumerate(orbital):
                half = numpy.einsum("mnrs,ma,ni->airs", self.integral, right, left, optimize=True)
                direct = numpy.einsum("airs,rb,sj->aibj", half, other_right, other_left, optimize=True)
                n, k = direct.shape[0] * direct.shape[1], direct.shape[2] * direct.shape[3]
                block = numpy.zeros((n, k))
                if not triplets:
                    block += (2 if self.unrestricted else 4) * direct.reshape(n, k)
                if s == t:
                    near = numpy.einsum("mnrs,ma,nb,ri,sj->aibj", self.integral, right, right, left, left, optimize=True).reshape(n, n)
                    cross = direct.transpose(0, 3, 2, 1).reshape(n, n)
                    minus[first:first + n, first:first + n] += cross - near
                    block -= near + cross
                plus[first:first + n, second:second + k] += block
                second += k
            first += n
        factor = 1 if self.unrestricted else numpy.sqrt(2)
        dipole = [factor * numpy.concatenate([(right.T @ r @ left).ravel() for left, right in orbital]) for r in self.position]
        return plus, minus, numpy.array(dipole)


def states(plus, minus, dipole, singles):
    """Energies and oscillator strengths of all states; imaginary energies are negative."""
    if singles:
        energy, vector = numpy.linalg.eigh((plus + minus) / 2)
    else:
        value, u = numpy.linalg.eigh(minus)
        root = u @ numpy.diag(numpy.sqrt(value)) @ u.T
        square, vector = numpy.linalg.eigh(root @ plus @ root)
        energy = numpy.sign(square) * numpy.sqrt(abs(square))
        vector = root @ vector / numpy.sqrt(abs(energy))
    strength = 2 / 3 * energy * ((dipole @ vector)**2).sum(axis=0)
    return energy.tolist()[:STATES], [max(f, 0.0) for f in strength[:STATES]]


def polarisability(plus, minus, dipole, omega):
    """Tensor at a frequency, real or imaginary."""
    square = (omega * omega).real
    return 2 * dipole @ numpy.linalg.solve(plus - square * numpy.linalg.inv(minus), dipole.T)


def dispersion(plus, minus, dipole):
    """Isotropic C6 of two molecules, hartree bohr^6."""
    point, weight = numpy.polynomial.legendre.leggauss(200)
    total = 0
    for x, w in zip(point, weight):
        omega = 0.3 * (1 + x) / (1 - x)
        total += w * 0.6 / (1 - x)**2 * (polarisability(plus, minus, dipole, 1j * omega).trace() / 3)**2
    return 3 / numpy.pi * total


def hyperpolarisability(molecule):
    """[3][3][3] by second differences of the dipole moment."""
    step = 0.003
    beta = numpy.zeros((3, 3, 3))
    field = numpy.eye(3) * step
    centre = molecule.dipole(0 * field[0])

    def even(f):
        return molecule.dipole(f) + molecule.dipole(-f) - 2 * centre

    def second(f):
        return (16 * even(f) - even(2 * f)) / (12 * step**2)
    diagonal = [second(field[a]) for a in range(3)]
    for a, b in itertools.combinations_with_replacement(range(3), 2):
        value = diagonal[a] if a == b else (second(field[a] + field[b]) - diagonal[a] - diagonal[b]) / 2
        beta[a, b] = beta[b, a] = value
    return beta


def compute(name, basis, spherical, charge, multiplicity, atoms):
    molecule = Molecule(basis, spherical, charge, multiplicity, atoms)
    case = {"name": name, "basis": basis, "charge": charge, "multiplicity": multiplicity, "atoms": atoms}
    plus, minus, dipole = molecule.matrices()
    case["rotations"] = len(plus)
    for method in ("tdhf", "cis"):
        kinds = {"states": (plus, minus)} if molecule.unrestricted else {"singlets": (plus, minus), "triplets": molecule.matrices(True)[:2]}
        for kind, both in kinds.items():
            case[f"{method}_{kind}"] = [[round(float(x), 8) for x in numbers] for numbers in
                                        states(*both, 0 * dipole if kind == "triplets" else dipole, method == "cis")]
    case["frequencies"] = [[[round(float(x), 6) for x in polarisability(plus, minus, dipole, omega).ravel()] for omega in FREQUENCIES]]
    case["c6"] = round(float(dispersion(plus, minus, dipole)), 6)
    if name not in ("stretched_hydrogen",):
        case["beta"] = [round(float(x), 4) for x in hyperpolarisability(molecule).ravel()]
    return case


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    cases = []
    for case in CASES:
        with contextlib.redirect_stdout(sys.stderr):  # Psi4's own messages
            cases.append(compute(*case))
        print(cases[-1], file=sys.stderr)
    print(case_file.text_of("Excited states of make_excitations.py: energies in hartree (imaginary ones negative) and oscillator strengths of "
                            "the lowest 8; polarisabilities at 0.1 hartree and at 0.6i, bohr^3; C6 of two molecules, hartree bohr^6; first "
                            "hyperpolarisability, atomic units.", cases))


main()
