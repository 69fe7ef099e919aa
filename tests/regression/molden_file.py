"""Reader of Molden files, made from the description of the format alone; no line is shared with hf.

Functions are normalised one by one; Cartesian h functions, which the format does not have, are in the order xxxxx xxxxy
xxxxz xxxyy ...
"""

import math

import gaussian_integrals

CARTESIAN = {
    0: [""], 1: ["x", "y", "z"], 2: "xx yy zz xy xz yz".split(),
    3: "xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz".split(),
    4: "xxxx yyyy zzzz xxxy xxxz yyyx yyyz zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy".split(),
    5: ["x" * i + "y" * j + "z" * k for i, j, k in gaussian_integrals.cartesian(5)],
}
SPHERICAL_WORDS = {"[5D]": (2, 3), "[5D7F]": (2, 3), "[5D10F]": (2,), "[7F]": (3,), "[9G]": (4,), "[11H]": (5,)}


def product(one, other):
    """Of two polynomials {(i, j, k): factor}."""
    result = {}
    for p, f in one.items():
        for q, g in other.items():
            key = tuple(a + b for a, b in zip(p, q))
            result[key] = result.get(key, 0) + f * g
    return result


def power(polynomial, n):
    result = {(0, 0, 0): 1}
    for _ in range(n):
        result = product(result, polynomial)
    return result


def harmonic(l, m):
    """A real solid harmonic, not normalised: Re or Im of (x + iy)^|m| times the derivative of a Legendre polynomial."""
    r_squared = {(2, 0, 0): 1, (0, 2, 0): 1, (0, 0, 2): 1}
    along_z = {}
    for k in range((l - abs(m)) // 2 + 1):
        factor = ((-1) ** k * math.comb(l, k) * math.comb(2 * l - 2 * k, l)
                  * math.factorial(l - 2 * k) // math.factorial(l - 2 * k - abs(m)))
        for key, value in power(r_squared, k).items():
            place = (key[0], key[1], key[2] + l - 2 * k - abs(m))
            along_z[place] = along_z.get(place, 0) + factor * value
    across = {}
    for j in range(abs(m) + 1):
        if j % 2 == (0 if m >= 0 else 1):
            across[(abs(m) - j, j, 0)] = math.comb(abs(m), j) * (-1) ** (j // 2)
    return product(across, along_z)


def normalised(l, polynomial):
    """Of norm 1 where x^l has norm 1."""
    norm = sum(f * g * gaussian_integrals.moment([a + b for a, b in zip(p, q)])
               for p, f in polynomial.items() for q, g in polynomial.items())
    scale = math.sqrt(gaussian_integrals.double_factorial(2 * l - 1) / norm)
    return {key: scale * value for key, value in polynomial.items() if value}


def functions_of(l, spherical):
    if spherical:
        order = [0] + [sign * m for m in range(1, l + 1) for sign in (1, -1)]
        return [normalised(l, harmonic(l, m)) for m in order]
    return [normalised(l, {tuple(word.count(axis) for axis in "xyz"): 1}) for word in CARTESIAN[l]]


class Orbital:
    """Energy, electrons and coefficients."""

    def __init__(self, energy, electrons, spin, coefficients):
        self.energy, self.electrons, self.spin, self.coefficients = energy, electrons, spin, coefficients


class Molden:
    """A file: atoms [(symbol, number, [x, y, z] in bohr)], cores {atom: electrons}, shells, orbitals."""

    digits, has_virtual = 14, True

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        assert self.lines[0] == "[Molden Format]", self.lines[0]
        self.atoms, self.cores, self.orbitals, raw = [], {}, [], []
        spherical, section, block = set(), None, []
        for line in self.lines + ["[end]"]:
            if line.startswith("["):
                self.read_section(section, block, raw)
                section, block = line.split()[0], []
                spherical.update(SPHERICAL_WORDS.get(section.upper(), ()))
                if section.upper() == "[ATOMS]":
                    assert line.split()[1] == "AU", line
            else:
                block.append(line)
        self.shells = []
        for atom, l, exponents, coefficients in raw:
            shell = gaussian_integrals.Shell(self.atoms[atom][2], l if l < 2 else 0, False, exponents, [0.0] * len(exponents))
            shell.l = l
            shell.functions = functions_of(l, l in spherical)
            shell.primitives = [(a, c * gaussian_integrals.primitive_norm(l, a))
                                for a, c in zip(exponents, coefficients)]
            self.shells.append(shell)
        self.n = sum(len(shell.functions) for shell in self.shells)

    def read_section(self, section, block, raw):
        if section == "[Atoms]":
            for line in block:
                symbol, _, number, *place = line.split()
                self.atoms.append((symbol, int(number), [float(x) for x in place]))
        elif section == "[Core]":
            self.cores = {int(line.split(":")[0]) - 1: int(line.split(":")[1]) for line in block}
        elif section == "[GTO]":
            raw += read_shells(block)
        elif section == "[MO]":
            self.orbitals = read_orbitals(block)

    def charges(self):
        """[(charge, place)] of the nuclei with their cores."""
        return [(number - self.cores.get(i, 0), place) for i, (_, number, place) in enumerate(self.atoms)]


def read_shells(block):
    found, lines = [], iter(block)
    for line in lines:
        if not line.split():
            continue
        atom = int(line.split()[0]) - 1
        for head in lines:
            if not head.split():
                break
            letter, n, _ = head.split()
            rows = [[float(word) for word in next(lines).split()] for _ in range(int(n))]
            found.append((atom, "spdfgh".index(letter), [row[0] for row in rows], [row[1] for row in rows]))
    return found


def read_orbitals(block):
    found, about, coefficients = [], {}, []
    for line in block + ["Sym= end"]:
        if "=" in line:
            if coefficients:
                found.append(Orbital(float(about["Ene"]), float(about["Occup"]), about["Spin"], coefficients))
                about, coefficients = {}, []
            key, value = line.split("=")
            about[key.strip()] = value.strip()
        else:
            number, value = line.split()
            assert int(number) == len(coefficients) + 1, line
            coefficients.append(float(value))
    return found
