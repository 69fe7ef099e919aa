#!/usr/bin/env python3
"""Local MP2 energies by dense matrices, from integrals of Psi4: what hf is compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_local_mp2.py > tests/reference/local_mp2.json
    /usr/bin/python3 tests/reference/make_local_mp2.py RESULT.json ...      compares with files of hf --method lmp2 --json

A file of hf gives the molecule, the domains, and all thresholds but those of screening; with these sharp
(`--local-screening 1e-12 --energy-tolerance 1e-10`) energies of the classes agree to 1e-8. Exit code 1: they do not.

Needs the Debian packages psi4 and python3-numpy. Only Hartree-Fock orbitals and integrals over basis functions come from
Psi4. Here are localisation, projected orbitals, domains, and Eq. 10.6 for all pairs at once, solved by conjugate
gradients with matrices over all projected orbitals. With full domains the energy must be the MP2 energy of Psi4; that is
checked for each molecule.

The correction is of one step: a residual between all projected orbitals of a pair's larger domain, from converged
amplitudes, divided by energies there.

Domains of the stored cases: all atoms with a Mulliken population of the orbital above the first one in `CASES`; for
strong pairs above the second one; for their correction above the third one.
"""

import json
import sys

import numpy
import psi4

TOLERANCE = 1e-8  # hartree
CONVERGED = 1e-13

WATER = ["O 0.00000000 0.00000000 0.22166487", "H 0.00000000 1.43090062 -0.88665950",
         "H 0.00000000 -1.43090062 -0.88665950"]


def moved(atoms, x, y, z):
    rows = [atom.split() for atom in atoms]
    return [f"{r[0]} {float(r[1]) + x:.8f} {float(r[2]) + y:.8f} {float(r[3]) + z:.8f}" for r in rows]


def alkane(n):
    """Carbon atoms in a zigzag, two hydrogens on each, one more at the ends; bohr."""
    atoms = []
    for k in range(n):
        x, z = 2.4 * k, 0.8 * (-1) ** k
        atoms.append(f"C {x:.8f} 0.00000000 {z:.8f}")
        atoms += [f"H {x:.8f} {y:.8f} {z + 1.2 * (-1) ** k:.8f}" for y in (-1.7, 1.7)]
    atoms.append(f"H -1.70000000 0.00000000 {0.8 - 1.2:.8f}")
    last = 0.8 * (-1) ** (n - 1)
    atoms.append(f"H {2.4 * (n - 1) + 1.7:.8f} 0.00000000 {last * (1 - 1.5):.8f}")
    return atoms


# name, basis, atoms, frozen orbitals, localisation, least populations of an atom of a domain, distance of distant pairs
CASES = [
    ("water", "cc-pvdz", WATER, 1, "pm", (0.3, 0.3, -1.0), None),
    ("two waters", "6-31g*", WATER + moved(WATER, 5.6, 0.2, 0.4), 2, "pm", (0.1, 0.1, -1.0), None),
    ("water and ammonia", "6-31g", WATER + ["N 9.0 0.5 1.0", "H 10.77 0.5 0.27", "H 8.115 2.033 0.27", "H 8.115 -1.033 0.27"],
     2, "pm", (0.1, 0.1, -1.0), 7.0),
    ("methanol", "6-31g*", ["C -0.1 0.0 1.35", "O 0.0 0.1 -1.35", "H 1.75 0.25 -1.9", "H -2.0 0.15 1.95", "H 0.8 1.75 2.05",
                            "H 0.95 -1.6 2.1"], 2, "pm", (0.1, 0.1, 0.001), None),
    ("methanol", "6-31g*", ["C -0.1 0.0 1.35", "O 0.0 0.1 -1.35", "H 1.75 0.25 -1.9", "H -2.0 0.15 1.95", "H 0.8 1.75 2.05",
                            "H 0.95 -1.6 2.1"], 2, "boys", (0.1, 0.01, -1.0), None),
    ("ammonia and hydrogen fluoride", "6-31g*", ["N 0.0 0.0 0.1", "H 1.77 0.0 -0.63", "H -0.885 1.533 -0.63",
                                                 "H -0.885 -1.533 -0.63", "F 0.3 0.2 5.4", "H 0.2 0.1 3.7"], 2,
     "pm", (0.05, 0.01, 0.0002), None),
    ("butane", "sto-3g", alkane(4), 4, "pm", (0.1, -0.002, -1.0), 3.5),
    ("three waters", "6-31g", WATER + moved(WATER, 7.0, 0.3, 0.5) + moved(WATER, 15.0, -0.4, 0.2), 3, "boys", (0.1, 0.1, -1.0), 7.5),
]


# ---- Integrals and orbitals of Psi4 ---------------------------------------------------------------------------------

class Molecule:
    """What Psi4 gives: orbitals, Fock matrix, overlap, integrals, and the atom of each function."""

    def __init__(self, atoms, basis, n_frozen):
        psi4.core.clean()
        psi4.core.be_quiet()
        psi4.set_memory("3 GB")
        text = "\n".join([*atoms, "units bohr", "symmetry c1", "no_reorient", "no_com"])
        molecule = psi4.geometry(text)
        psi4.set_options({"basis": basis, "scf_type": "pk", "df_scf_guess": False, "ints_tolerance": 1e-15,
                          "e_convergence": 1e-12, "d_convergence": 1e-11, "mp2_type": "conv", "num_frozen_docc": n_frozen,
                          "maxiter": 200})
        self.mp2, wave = psi4.energy("mp2", molecule=molecule, return_wfn=True)
        self.mp2 = psi4.core.variable("MP2 CORRELATION ENERGY")
        self.scf = psi4.core.variable("SCF TOTAL ENERGY")
        set_of = wave.basisset()
        integrals = psi4.core.MintsHelper(set_of)
        n_occupied = wave.nalpha()
        coefficients = numpy.asarray(wave.Ca())
        energies = numpy.asarray(wave.epsilon_a())
        self.overlap = numpy.asarray(integrals.ao_overlap())
        self.repulsion = numpy.asarray(integrals.ao_eri())
        self.dipole = [-numpy.asarray(d) for d in integrals.ao_dipole()]  # with the charge of an electron in Psi4
        self.atom = numpy.array([set_of.function_to_center(m) for m in range(set_of.nbf())])
        self.place = numpy.asarray(molecule.geometry())
        self.occupied, self.virtual = coefficients[:, n_frozen:n_occupied], coefficients[:, n_occupied:]
        self.occupied_energy, self.virtual_energy = energies[n_frozen:n_occupied], energies[n_occupied:]


# ---- Localised orbitals ---------------------------------------------------------------------------------------------

def charges(molecule, kind):
    """Matrices Q over the occupied orbitals: the sum of the squares of their diagonals is to be largest."""
    c = molecule.occupied
    if kind == "boys":
        return numpy.array([c.T @ d @ c for d in molecule.dipole])
    found = []
    for atom in range(len(molecule.place)):
        mine = molecule.atom == atom
        half = c[mine].T @ (molecule.overlap @ c)[mine]
        found.append((half + half.T) / 2)
    return numpy.array(found)


def maximise(q, seed):
    """Rotations of pairs until nothing changes: u, orbital i in canonical ones is u[:, i]; and the sum."""
    n = q.shape[1]
    u = numpy.linalg.qr(numpy.random.default_rng(seed).normal(size=(n, n)))[0]
    q = numpy.array([u.T @ m @ u for m in q])
    for _ in range(2000):
        largest = 0.0
        for i in range(n):
            for j in range(i):
                a = numpy.sum(q[:, i, j] ** 2 - (q[:, i, i] - q[:, j, j]) ** 2 / 4)
                b = numpy.sum(q[:, i, j] * (q[:, i, i] - q[:, j, j]))
                angle = numpy.arctan2(b, -a) / 4
                largest = max(largest, abs(angle))
                c, s = numpy.cos(angle), numpy.sin(angle)
                turn = numpy.array([[c, -s], [s, c]])
                u[:, [i, j]] = u[:, [i, j]] @ turn
                q[:, :, [i, j]] = q[:, :, [i, j]] @ turn
                q[:, [i, j], :] = numpy.einsum("ki,xkm->xim", turn, q[:, [i, j], :])
        if largest < 1e-11:
            return u, numpy.sum(numpy.diagonal(q, axis1=1, axis2=2) ** 2)
    raise SystemExit("localisation does not converge")


def localise(molecule, kind):
    """Orbitals in order of their energies, from the best of some starts."""
    q = charges(molecule, kind)
    u = max((maximise(q, seed) for seed in range(6)), key=lambda found: found[1])[0]
    fock = u.T @ numpy.diag(molecule.occupied_energy) @ u
    return u[:, numpy.argsort(numpy.diag(fock))]


# ---- Pairs ----------------------------------------------------------------------------------------------------------

class Pairs:
    """Everything between localised orbitals i and projected ones a: K, F, S, and the pairs with their domains."""

    def __init__(self, molecule, u, domains, extended, outer, distant, extends_weak=False, redundant=1e-6, strong=0.0):
        self.molecule, self.domains, self.redundant, self.strong = molecule, domains, redundant, strong
        self.orbitals = molecule.occupied @ u
        self.fock_occupied = u.T @ numpy.diag(molecule.occupied_energy) @ u
        v = molecule.overlap @ molecule.virtual
        norm = numpy.sum(v * v, axis=1)
        factor = numpy.where(norm > 1e-7, 1 / numpy.sqrt(numpy.maximum(norm, 1e-7)), 0.0)
        v = factor[:, None] * v
        self.overlap = v @ v.T
        self.fock = v @ numpy.diag(molecule.virtual_energy) @ v.T
        self.paos = molecule.virtual @ v.T
        self.centre = numpy.array([numpy.diag(self.orbitals.T @ d @ self.orbitals) for d in molecule.dipole]).T
        half = numpy.einsum("mi,mrns->irns", self.orbitals, molecule.repulsion, optimize=True)
        half = numpy.einsum("irns,nj->ijrs", half, self.orbitals, optimize=True)
        self.k = numpy.einsum("ijrs,ra,sb->ijab", half, self.paos, self.paos, optimize=True)
        n = len(domains)
        self.distance = {(i, j): self.nearest(i, j) for i in range(n) for j in range(i + 1)}
        self.near = [p for p in self.distance if distant is None or self.distance[p] <= distant]
        self.distant = [p for p in self.distance if p not in self.near]
        self.vector, self.outer_vector = {}, {}  # the latter of pairs that have a correction
        for i, j in self.near:
            first = 1 if extends_weak or self.kind(i, j) == "strong" else 0
            united = [sorted(set(of[i]) | set(of[j])) for of in (domains, extended, outer)[first:]]
            self.vector[i, j] = self.canonical(united[0])
            larger = [atoms for atoms in united if atoms != united[0]]
            if larger:
                self.outer_vector[i, j] = self.canonical(larger[0])

    def nearest(self, i, j):
        place = self.molecule.place
        return min(float(numpy.linalg.norm(place[a] - place[b])) for a in self.domains[i] for b in self.domains[j])

    def kind(self, i, j):
        return "distant" if (i, j) in self.distant else "strong" if self.distance[i, j] <= self.strong else "weak"

    def canonical(self, atoms):
        """W over all projected orbitals, and energies."""
        mine = numpy.isin(self.molecule.atom, atoms)
        value, vector = numpy.linalg.eigh(self.overlap[numpy.ix_(mine, mine)])
        kept = value > self.redundant
        x = vector[:, kept] / numpy.sqrt(value[kept])
        energy, turn = numpy.linalg.eigh(x.T @ self.fock[numpy.ix_(mine, mine)] @ x)
        w = numpy.zeros((len(mine), len(energy)))
        w[mine] = x @ turn
        return w, energy

    def gap(self, i, j, energy=None):
        energy = self.vector[i, j][1] if energy is None else energy
        return energy[:, None] + energy[None, :] - self.fock_occupied[i, i] - self.fock_occupied[j, j]

    def applied(self, t):
        """What t [pair] of all pairs adds to their residuals."""
        of = self.residuals(t)
        return {p: self.vector[p][0].T @ of[p] @ self.vector[p][0] for p in self.near}

    def residuals(self, t):
        """The same between all projected orbitals."""
        n, n_pao = len(self.domains), len(self.overlap)
        full = numpy.zeros((n, n, n_pao, n_pao))
        for (i, j), block in t.items():
            w = self.vector[i, j][0]
            full[i, j] = w @ block @ w.T
            full[j, i] = full[i, j].T
        sums = numpy.tensordot(self.fock_occupied, full, (1, 0))
        sums = sums + numpy.tensordot(self.fock_occupied, full, (1, 1)).swapaxes(0, 1)
        result = {}
        for i, j in self.near:
            r = self.fock @ full[i, j] @ self.overlap + self.overlap @ full[i, j] @ self.fock
            result[i, j] = r - self.overlap @ sums[i, j] @ self.overlap
        return result

    def dot(self, x, y):
        return sum((1 if i == j else 2) * numpy.sum(x[i, j] * y[i, j]) for i, j in self.near)

    def solve(self):
        """Amplitudes and K of all pairs between their pseudo-canonical orbitals."""
        k = {(i, j): self.vector[i, j][0].T @ self.k[i, j] @ self.vector[i, j][0] for i, j in self.near}
        t = {p: numpy.zeros_like(k[p]) for p in self.near}
        r = {p: -k[p] for p in self.near}
        z = {p: r[p] / self.gap(*p) for p in self.near}
        direction, size = dict(z), self.dot(r, z)
        for _ in range(300):
            product = self.applied(direction)
            step = size / self.dot(direction, product)
            for p in self.near:
                t[p] = t[p] + step * direction[p]
                r[p] = r[p] - step * product[p]
                z[p] = r[p] / self.gap(*p)
            before, size = size, self.dot(r, z)
            if size < CONVERGED ** 2:
                return t, k
            direction = {p: z[p] + size / before * direction[p] for p in self.near}
        raise SystemExit("amplitudes do not converge")

    def dipoles(self, i):
        """Energies and dipoles of the excitations of an orbital."""
        w, energy = self.canonical(self.domains[i])
        half = [self.orbitals[:, i] @ d - self.centre[i][x] * (self.orbitals[:, i] @ self.molecule.overlap)
                for x, d in enumerate(self.molecule.dipole)]
        return energy - self.fock_occupied[i, i], numpy.array(half) @ self.paos @ w

    def distant_energy(self, i, j):
        (e, d), (f, g) = self.dipoles(i), self.dipoles(j)
        r = self.centre[i] - self.centre[j]
        length = numpy.linalg.norm(r)
        tensor = (numpy.eye(3) - 3 * numpy.outer(r, r) / length ** 2) / length ** 3
        return -4 * numpy.sum((d.T @ tensor @ g) ** 2 / (e[:, None] + f[None, :]))

    def corrections(self, t):
        """Opposite and same spin of each pair that has a larger domain."""
        found, of = {}, self.residuals(t)
        for (i, j), (w, energy) in self.outer_vector.items():
            r = w.T @ (self.k[i, j] + of[i, j]) @ w
            change = -r / self.gap(i, j, energy)
            factor = 1 if i == j else 2
            opposite = float(factor * numpy.sum(change * r))
            found[i, j] = opposite, opposite - float(factor * numpy.sum(change.T * r))
        return found

    def energies(self):
        """Of each pair in order: (i, j, kind, distance, opposite spin, same spin, and their corrections)."""
        t, k = self.solve()
        rows, missing = [], self.corrections(t)
        for i, j in self.distance:
            if (i, j) in self.distant:
                opposite = same = self.distant_energy(i, j) / 2
            else:
                factor = 1 if i == j else 2
                opposite = factor * numpy.sum(t[i, j] * k[i, j])
                same = opposite - factor * numpy.sum(t[i, j] * k[i, j].T)
            rows.append((i, j, self.kind(i, j), self.distance[i, j], float(opposite), float(same), *missing.get((i, j), (0.0, 0.0))))
        return rows


# ---- Cases ----------------------------------------------------------------------------------------------------------

def check_full(molecule, u):
    """With full domains the energy is that of Psi4."""
    everywhere = list(range(len(molecule.place)))
    rows = Pairs(molecule, u, *[[everywhere] * u.shape[1]] * 3, None).energies()
    error = sum(row[4] + row[5] for row in rows) - molecule.mp2
    if abs(error) > 1e-9:
        raise SystemExit(f"full domains: off by {error:.1e}")
    return error


def sums(rows):
    found = {}
    for kind in "strong", "weak", "distant":
        mine = [row for row in rows if row[2] == kind]
        found[kind] = {"pairs": len(mine), "opposite_spin": round(sum(row[4] for row in mine), 12),
                       "same_spin": round(sum(row[5] for row in mine), 12)}
    return found


def corrections(rows):
    return {"opposite_spin": round(sum(row[6] for row in rows), 12), "same_spin": round(sum(row[7] for row in rows), 12)}


def stored_case(name, basis, atoms, n_frozen, kind, least, distant):
    """`least`: of domains, of those of strong pairs, and of the correction of these."""
    molecule = Molecule(atoms, basis, n_frozen)
    u = localise(molecule, kind)
    population = numpy.diagonal(charges_of(molecule, u), axis1=1, axis2=2).T
    domains, extended, outer = ([[a for a in range(len(atoms)) if row[a] >= x] for row in population] for x in least)
    error = check_full(molecule, u)
    rows = Pairs(molecule, u, domains, extended, outer, distant).energies()
    classes = sums(rows)
    print(f"{name}: {classes}, correction {corrections(rows)}, full domains {error:.1e}", file=sys.stderr)
    return {"name": name, "basis": basis, "frozen_orbitals": n_frozen, "localise": kind, "distant_bohr": distant,
            "scf_total_energy": round(molecule.scf, 10),
            "canonical_correlation_energy": round(molecule.mp2, 12),
            "correlation_energy": round(sum(row[4] + row[5] for row in rows), 12), "classes": classes,
            "correction": corrections(rows), "geometry_bohr": atoms,
            "domains": domains, "extended_domains": extended, "correction_domains": outer,
            "populations": [[round(float(p), 4) for p in row] for row in population]}


def charges_of(molecule, u):
    """Mulliken charges of localised orbitals on each atom."""
    return numpy.array([u.T @ q @ u for q in charges(molecule, "pm")])


def compare(path):
    """Lines that say where a result of hf differs."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    local, where = result["extras"]["hf"]["local_mp2"], result["molecule"]["geometry"]
    atoms = [" ".join([symbol, *(f"{x:.12f}" for x in where[3 * a:3 * a + 3])])
             for a, symbol in enumerate(result["molecule"]["symbols"])]
    molecule = Molecule(atoms, result["model"]["basis"], local["frozen_core_orbitals"])
    found = [("scf", result["properties"]["scf_total_energy"] - molecule.scf)]
    u = localise(molecule, local["localisation"])
    orbitals = molecule.occupied @ u
    centre = numpy.array([numpy.diag(orbitals.T @ d @ orbitals) for d in molecule.dipole]).T
    theirs = numpy.array([orbital["centre_bohr"] for orbital in local["orbitals"]])
    far = numpy.linalg.norm(centre[:, None] - theirs[None], axis=2)
    place = far.argmin(axis=0)
    if sorted(place) != list(range(len(place))):
        return [f"{path}: other orbitals"]
    domains, extended, outer = ([[a - 1 for a in orbital[name]] for orbital in local["orbitals"]]
                                for name in ("domain", "extended_domain", "correction_domain"))
    rows = Pairs(molecule, u[:, place], domains, extended, outer, local["pair_distance_bohr"], local["extended_weak_pairs"],
                 local["redundant_below"], local["strong_distance_bohr"]).energies()
    for kind, mine in sums(rows).items():
        his = local["classes"][kind]
        found.append((f"number of {kind} pairs", his["pairs"] - mine["pairs"]))
        for spin in "opposite_spin", "same_spin":
            found.append((f"{kind} pairs, {spin}", his[spin + "_energy"] - mine[spin]))
    for spin, mine in corrections(rows).items() if local["correction_bonds"] else ():
        found.append((f"correction, {spin}", local["correction"][spin + "_energy"] - mine))
    of_pair = {(row[0], row[1]): row for row in rows}
    worst = max(abs(pair[spin + "_spin_energy"] - of_pair[pair["i"] - 1, pair["j"] - 1][column])
                for pair in local["pairs"] for spin, column in (("opposite", 4), ("same", 5)))
    print(f"{path}: {json.dumps(sums(rows))}; orbitals within {far.min(axis=0).max():.1e} bohr; worst pair off by {worst:.1e}; "
          + ", ".join(f"{what} {error:.1e}" for what, error in found if error != 0))
    return [f"{path}: {what}: off by {error:.1e}" for what, error in found if not abs(error) <= TOLERANCE]


def main():
    if len(sys.argv) > 1:
        lines = [line for path in sys.argv[1:] for line in compare(path)]
        print("\n".join(lines) or "all agree")
        return 1 if lines else 0
    about = ("Local MP2 energies in hartree by dense matrices over all projected atomic orbitals, from integrals and orbitals "
             "of Psi4 1.3.2, all written by tests/reference/make_local_mp2.py. Orbitals are in order of F_ii; `domains` has "
             "the atoms of each, `extended_domains` those for strong pairs, `correction_domains` those for "
             "their correction, `populations` its Mulliken populations. `classes`: "
             "pairs i >= j, with their whole energies without `correction`. `distant_bohr`: pairs whose domains are farther "
             "apart are distant; null: none. Eigenvalues of the overlap below 1e-6 are redundant.")
    cases = [stored_case(*case) for case in CASES]
    lines = [json.dumps(case) for case in cases]
    print('{\n "about": ' + json.dumps(about) + ',\n "cases": [\n  ' + ",\n  ".join(lines) + "\n ]\n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
