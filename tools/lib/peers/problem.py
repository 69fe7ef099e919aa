"""What every program computes: molecule, basis functions and accuracy, as hf wrote them to its QCSchema file with orbitals."""

from lab.failure import Failure

LETTERS = "SPDFGHI"


def shells_of(centre):
    """[(letters, [[exponent, coefficient, ...], ...])] with the numbers as words; s and p of the same exponents are one shell."""
    shells = []
    for shell in centre["electron_shells"]:
        (l,), exponents, (coefficients,) = shell["angular_momentum"], shell["exponents"], shell["coefficients"]
        rows = [[repr(float(exponent)), repr(float(coefficient))] for exponent, coefficient in zip(exponents, coefficients)]
        if l == 1 and shells and shells[-1][0] == "S" and [row[0] for row in shells[-1][1]] == [row[0] for row in rows]:
            shells[-1] = "SP", [[*first, row[1]] for first, row in zip(shells[-1][1], rows)]
        else:
            shells.append((LETTERS[l], rows))
    return shells


class Problem:
    """One molecule in one basis set; coordinates in bohr, as words."""

    def __init__(self, output, cores, memory_megabytes, mp2=False):
        molecule, basis = output["molecule"], output["wavefunction"]["basis"]
        if not all(molecule["real"]):
            raise Failure("ghost atoms are not compared")
        if molecule["molecular_multiplicity"] != 1:
            raise Failure("closed shells only are compared")
        symbols, numbers = molecule["symbols"], [repr(float(x)) for x in molecule["geometry"]]
        self.atoms = [" ".join([symbol, *numbers[3 * i:3 * i + 3]]) for i, symbol in enumerate(symbols)]
        self.charge = round(molecule["molecular_charge"])
        self.convention = output["extras"]["hf"]["basis"]["convention"]
        centres = {symbol: basis["center_data"][name] for symbol, name in zip(symbols, basis["atom_map"])}
        without = sorted(symbol for symbol, centre in centres.items() if "ecp_potentials" in centre)
        if without:
            raise Failure(f"elements with core potentials are not compared: {' '.join(without)}")
        self.shells = {symbol: shells_of(centre) for symbol, centre in centres.items()}
        self.screening = output["keywords"]["screening"]
        self.energy_tolerance = output["keywords"]["energy_tolerance"]
        self.commutator_tolerance = output["keywords"]["commutator_tolerance"]
        self.cores = cores
        self.mp2 = mp2
        self.memory_megabytes = memory_megabytes

    def spherical(self, program):
        """Whether all d and higher functions are spherical; a program that knows one kind only cannot mix."""
        if self.convention not in ("spherical", "Cartesian", "no functions above p"):
            raise Failure(f"{program} cannot mix Cartesian and spherical functions")
        return self.convention != "Cartesian"
