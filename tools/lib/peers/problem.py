"""What every program computes: molecule, basis set and accuracy, as hf wrote them to its QCSchema file."""

import pathlib

from .running import PeerError

ROOT = pathlib.Path(__file__).resolve().parents[3]


def number(word):
    """A number of a basis-set file as the other programs read it, digits unchanged."""
    return word.upper().replace("D", "E")


def read_gaussian94(text):
    """{symbol: [(letters, [[exponent, coefficient, ...], ...])]} with the numbers as words; elements with a core
    potential are left out."""
    lines = [line.split("!")[0].split() for line in text.splitlines()]
    shells, symbol, at = {}, None, 0
    while at < len(lines):
        words, at = lines[at], at + 1
        if len(words) == 2 and words[1] == "0":
            symbol = words[0].capitalize()
        elif len(words) == 3 and words[0].upper().endswith("-ECP"):
            for _ in range(int(words[1]) + 1):  # a title, a count, the terms
                at += 2 + int(lines[at + 1][0])
            shells.pop(symbol, None)
        elif len(words) == 3 and symbol is not None:
            if float(number(words[2])) != 1.0:
                raise PeerError(f"basis set, line {at}: scale factor {words[2]}, expected 1.0")
            count = int(words[1])
            rows = [[number(word) for word in line] for line in lines[at:at + count]]
            shells.setdefault(symbol, []).append((words[0].upper().replace("L", "SP"), rows))
            at += count
    return shells


def basis_file(basis, name):
    """The file of a basis set: itself a path, or the one of the library that carries the name."""
    if pathlib.Path(basis).is_file():
        return pathlib.Path(basis)
    for path in sorted((ROOT / "basis").glob("*.gbs")):
        with open(path, encoding="utf-8") as file:
            if file.readline().strip() == f"! name: {name}":
                return path
    raise PeerError(f"basis set {name}: no file in {ROOT / 'basis'} carries that name")


class Problem:
    """One molecule in one basis set; coordinates in bohr, as words."""

    def __init__(self, output, basis, cores, memory_megabytes, mp2=False):
        molecule, extras = output["molecule"], output["extras"]["hf"]
        if not all(molecule["real"]):
            raise PeerError("ghost atoms are not compared")
        if molecule["molecular_multiplicity"] != 1:
            raise PeerError("closed shells only are compared")
        self.name = molecule["name"]
        self.symbols = molecule["symbols"]
        self.coordinates = [[repr(float(x)) for x in molecule["geometry"][3 * i:3 * i + 3]]
                            for i in range(len(self.symbols))]
        self.charge = round(molecule["molecular_charge"])
        self.convention = extras["basis"]["convention"]
        self.functions = extras["basis"]["functions"]
        path = basis_file(basis, extras["basis"]["name"])
        every = read_gaussian94(path.read_text(encoding="utf-8"))
        without = sorted(set(self.symbols) - set(every))
        if without:
            raise PeerError(f"elements with core potentials are not compared: {' '.join(without)}")
        self.shells = {symbol: every[symbol] for symbol in dict.fromkeys(self.symbols)}
        self.screening = output["keywords"]["screening"]
        self.energy_tolerance = output["keywords"]["energy_tolerance"]
        self.commutator_tolerance = output["keywords"]["commutator_tolerance"]
        self.cores = cores
        self.mp2 = mp2
        self.memory_megabytes = memory_megabytes

    def atoms(self, template="{} {} {} {}"):
        return [template.format(symbol, *xyz) for symbol, xyz in zip(self.symbols, self.coordinates)]

    def spherical(self, program):
        """Whether all d and higher functions are spherical; a program that knows one kind only cannot mix."""
        if self.convention not in ("spherical", "Cartesian", "no functions above p"):
            raise PeerError(f"{program} cannot mix Cartesian and spherical functions")
        return self.convention != "Cartesian"
