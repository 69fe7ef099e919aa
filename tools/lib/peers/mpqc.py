"""MPQC 2."""

import re

from lab.launch import mpi_environment

from .running import PeerError, found, parsed, timed

NAMES = dict(zip(
    """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr""".split(),
    """hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium aluminum silicon
    phosphorus sulfur chlorine argon potassium calcium scandium titanium vanadium chromium manganese iron cobalt nickel
    copper zinc gallium germanium arsenic selenium bromine krypton""".split()))


def shell_text(letters, rows, spherical):
    """S, P, SP or a higher shell; only d and higher ones have a kind."""
    types = " ".join(f"am = {letter.lower()}" for letter in letters)
    if spherical and letters not in ("S", "P", "SP"):
        types = f"({types} puream = 1)"
    columns = " ".join(f"coef:{i}" for i in range(len(rows[0]) - 1))
    return [f"    (type: [{types}] {{exp {columns}}} = {{", *("      " + "  ".join(row) for row in rows), "    })"]


def input_text(problem):
    """The start is a calculation in MPQC's own STO-3G, as its manual advises."""
    spherical = problem.spherical("mpqc")
    basis = []
    for symbol, shells in problem.shells.items():
        if symbol not in NAMES:
            raise PeerError(f"mpqc: the element {symbol} is not in the table of names")
        basis += [f"  {NAMES[symbol]}: \"compared\": [", *(line for letters, rows in shells
                                                        for line in shell_text(letters, rows, spherical)), "  ]"]
    # Memory 0: by default it keeps 32 MB of integrals between the builds.
    common = ["molecule = $:molecule", f"total_charge = {problem.charge}", "density_reset_frequency = 1", "memory = 0"]
    return "\n".join([
        "molecule<Molecule>: (", "  symmetry = c1", "  unit = bohr", "  { atoms geometry } = {",
        *problem.atoms("    {} [ {} {} {} ]"), "  }", ")", "basis: (", *basis, ")",
        "functions<GaussianBasisSet>: (", "  molecule = $:molecule", '  name = "compared"', ")",
        "mpqc: (", "  checkpoint = no", "  savestate = no", "  mole<CLHF>: (", *("    " + line for line in common),
        "    basis = $:functions", f"    value_accuracy = {problem.energy_tolerance}",
        "    guess_wavefunction<CLHF>: (",
        *("      " + line for line in common),
        '      basis<GaussianBasisSet>: ( molecule = $:molecule name = "STO-3G" )', "    )", "  )", ")", ""])


def parse(text):
    """The table of timings indents what is inside: `fock` of the start is deeper than that of the calculation.
    Its columns are CPU and wall seconds, on several ranks least, greatest and mean of both."""
    focks = [(len(spaces), [float(word) for word in words.split()])
             for spaces, words in re.findall(r"^( +)fock: +(\S.*)$", text, re.MULTILINE)]
    if not focks:
        raise PeerError("no timing of Fock builds in the output")
    columns = min(focks)[1]
    last = text.rindex("Beginning iterations")
    builds = len(re.findall(r"^ +iter +\d+ energy =", text[last:], re.MULTILINE))
    build = max(columns[len(columns) // 2:]) / builds
    return {"energy_hartree": float(found(r"total scf energy = +(\S+)", text, "total energy")[0]), "builds": builds,
            "first_build_seconds": build, "later_build_seconds": build,
            "version": found(r"^ +Version (\S+)", text, "version")[0]}


class Mpqc:
    name = "mpqc"
    mp2 = False
    executable = "mpqc"
    about = ("MPQC 2, whose one accuracy (here the energy tolerance) sets convergence and screening; from the STO-3G "
             "orbitals; all builds whole (density_reset_frequency 1), early ones less sharp; build time: mean of its "
             "timing of Fock builds, which is to 0.01 s in all")

    def __init__(self, problem, folder, launch, path):
        self.folder = folder
        (folder / "compared.in").write_text(input_text(problem), encoding="utf-8")
        self.command = [*launch, path, "compared.in"]

    def run(self):
        times, text = timed(self.name, self.command, self.folder, mpi_environment())
        return {**times, **parsed(self.name, parse, text)}
