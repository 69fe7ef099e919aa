"""Reader of WFN and WFX files, made from descriptions of the formats alone; no line is shared with hf.

Primitives are not normalised. Those of one centre, angular momentum and exponent are a shell here, so that coefficients of
equal primitives are added.
"""

import gaussian_integrals
import molden_file

# Monomials by type, from 1.
TYPES = ["", "x", "y", "z", *"xx yy zz xy xz yz xxx yyy zzz xxy xxz yyz xyy xzz yzz xyz".split(),
         *"xxxx yyyy zzzz xxxy xxxz xyyy yyyz xzzz yzzz xxyy xxzz yyzz xxyz xyyz xyzz".split(),
         *"zzzzz yzzzz yyzzz yyyzz yyyyz yyyyy xzzzz xyzzz xyyzz xyyyz xyyyy xxzzz xxyzz xxyyz xxyyy xxxzz xxxyz xxxyy xxxxz xxxxy "
          "xxxxx".split()]


class Wfn:
    """A file, with what molden_file.Molden has, energy and virial ratio. `digits`: of its coefficients."""

    has_virtual = False

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.atoms, self.cores, self.orbitals = [], {}, []
        extended = lines[0].startswith("<")
        self.digits = 15 if extended else 8
        (self.read_extended if extended else self.read_columns)(lines)

    def make_shells(self, centres, types, exponents):
        places, self.shells = {}, []
        for centre, kind, exponent in zip(centres, types, exponents):
            word = TYPES[kind - 1]
            key = (centre, len(word), exponent)
            shell = places.get(key)
            if shell is None:
                shell = places[key] = gaussian_integrals.Shell(self.atoms[centre - 1][2], 0, False, [], [])
                shell.l, shell.functions, shell.primitives = len(word), [], [(exponent, 1.0)]
                self.shells.append(shell)
            monomial = {tuple(word.count(axis) for axis in "xyz"): 1.0}
            if monomial not in shell.functions:
                shell.functions.append(monomial)
        first, self.n = {}, 0
        for shell in self.shells:
            first[id(shell)] = self.n
            self.n += len(shell.functions)
        self.place = []
        for centre, kind, exponent in zip(centres, types, exponents):
            shell = places[(centre, len(TYPES[kind - 1]), exponent)]
            monomial = {tuple(TYPES[kind - 1].count(axis) for axis in "xyz"): 1.0}
            self.place.append(first[id(shell)] + shell.functions.index(monomial))

    def add_orbital(self, energy, electrons, spin, values):
        assert len(values) == len(self.place), f"{len(values)} coefficients, expected {len(self.place)}"
        coefficients = [0.0] * self.n
        for place, value in zip(self.place, values):
            coefficients[place] += value
        self.orbitals.append(molden_file.Orbital(energy, electrons, spin, coefficients))

    def read_columns(self, lines):
        """WFN, by columns as the FORMAT statements of its first programs have them."""
        assert lines[1].startswith("GAUSSIAN") and lines[1][23:36] == " MOL ORBITALS", lines[1]
        n_orbital, n_primitive, n_atom = int(lines[1][16:23]), int(lines[1][36:43]), int(lines[1][54:63])
        for line in lines[2:2 + n_atom]:
            assert line[60:70] == "  CHARGE =", line
            self.atoms.append((line[:4].strip(), round(float(line[70:75])), [float(line[24 + 12 * d:36 + 12 * d]) for d in range(3)]))
        rest = iter(lines[2 + n_atom:])

        def read(head, begin, width, kind):
            values = []
            while len(values) < n_primitive:
                line = next(rest)
                assert line.startswith(head), line
                values += [kind(line[i:i + width]) for i in range(begin, len(line), width)]
            return values

        centres, types = (read(head, 20, 3, int) for head in ("CENTRE ASSIGNMENTS", "TYPE ASSIGNMENTS"))
        self.make_shells(centres, types, read("EXPONENTS", 10, 14, float))
        spin = "Alpha"
        for _ in range(n_orbital):
            line = next(rest)
            assert line.startswith("MO"), line
            electrons, energy = float(line[35:47]), float(line[62:74])
            if self.orbitals and energy < self.orbitals[-1].energy - 1e-6 and electrons == 1.0:
                spin = "Beta"
            self.add_orbital(energy, electrons, spin, read("", 0, 16, float))
        assert next(rest) == "END DATA"
        line = next(rest)
        self.energy, self.virial_ratio = float(line[17:37]), float(line[55:68])

    def read_extended(self, lines):
        """WFX: sections between tags."""
        section, tag, orbitals = {}, None, []
        for line in lines:
            word = line.strip()
            if word == "<MO Number>":
                orbitals.append([])
            elif word == "</MO Number>":
                assert orbitals[-1] == [str(len(orbitals))], orbitals[-1]
                orbitals[-1] = []
            elif tag is None:
                assert word.startswith("<") and word.endswith(">"), line
                tag, section[word[1:-1]] = word[1:-1], []
            elif word == f"</{tag}>":
                tag = None
            elif orbitals and tag == "Molecular Orbital Primitive Coefficients":
                orbitals[-1] += word.split()
            else:
                section[tag].append(word)
        assert tag is None, tag

        def numbers(name, kind=float):
            return [kind(word) for line in section[name] for word in line.split()]

        places = numbers("Nuclear Cartesian Coordinates")
        charges, elements = numbers("Nuclear Charges"), numbers("Atomic Numbers", int)
        self.atoms = [(name.rstrip("0123456789"), round(charge), places[3 * i:3 * i + 3])
                      for i, (name, charge) in enumerate(zip(section["Nuclear Names"], charges))]
        self.cores = {i: z - round(q) for i, (z, q) in enumerate(zip(elements, charges)) if 0.0 < q < z}
        assert numbers("Number of Core Electrons", int) == [sum(self.cores.values())]
        self.make_shells(numbers("Primitive Centers", int), numbers("Primitive Types", int), numbers("Primitive Exponents"))
        assert numbers("Number of Primitives", int) == [len(self.place)] and section["Keywords"] == ["GTO"]
        assert numbers("Number of Occupied Molecular Orbitals", int) == [len(orbitals)]
        for spin, energy, electrons, values in zip(section["Molecular Orbital Spin Types"], numbers("Molecular Orbital Energies"),
                                                   numbers("Molecular Orbital Occupation Numbers"), orbitals, strict=True):
            assert spin in ("Alpha and Beta", "Alpha", "Beta"), spin
            self.add_orbital(energy, electrons, spin.split()[0], [float(word) for word in values])
        self.energy, = numbers("Energy = T + Vne + Vee + Vnn")
        self.virial_ratio, = numbers("Virial Ratio (-V/T)")
        n, alpha, beta, multiplicity = (numbers(f"{name}", int)[0] for name in (
            "Number of Electrons", "Number of Alpha Electrons", "Number of Beta Electrons", "Electronic Spin Multiplicity"))
        assert n == alpha + beta and multiplicity == alpha - beta + 1
        assert numbers("Net Charge") == [sum(charges) - n]

    def charges(self):
        """[(charge, place)]: the charges of the file are without cores."""
        return [(charge, place) for _, charge, place in self.atoms]
