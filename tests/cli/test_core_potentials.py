#!/usr/bin/env python3
"""Effective core potentials as users see them: report, --check, JSON, checkpoint, restart, guess, and what is refused.

Usage: test_core_potentials.py HF MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

try:
    import h5py
except ImportError:
    h5py = None

TEST = ProgramTest.of_arguments()

SILVER_HYDRIDE = "2\ncharge=0 multiplicity=1\nAg 0 0 0\nH 0 0 1.618\n"
WITH_GHOST = "units bohr\nbasis def2-SVP\ngeometry\nH 0 0 0\nH 0 0 1.4\n@Ag 0 0 6\nend\n"
# Hydrogen-like functions and a potential that is none: all electrons but two are left out, nothing is put in their place.
EMPTY = ("Be 0\nS 1 1.0\n 0.3 1.0\n****\nBe 0\nBE-ECP 0 2\ns-ul potential\n0\n****\n")

# A potential of 0 electrons, as ccECP has for hydrogen; -1.125514248968 is NWChem's energy.
HYDROGEN = ("H 0\nS 3 1.0\n13.01 0.019685\n1.962 0.137977\n0.4446 0.478148\nS 1 1.0\n0.122 1.0\n****\nH 0\nH-ECP 1 0\n"
            "p potential\n3\n1 21.24359508259891 1.0\n3 21.24359508259891 21.24359508259891\n2 21.77696655044365 -10.85192405303825\n"
            "s-p potential\n1\n2 1.0 0.0\n****\n")


def energy(output):
    found = re.search(r"Total energy\s+(-?\d+\.\d+) hartree", output)
    return float(found[1]) if found else float("nan")


def expect(name, result, code, parts):
    got, output, errors = result
    TEST.check(got == code, f"{name}: exit code {got}, expected {code}; ", errors)
    for part in parts:
        TEST.check(part in output + errors, f"{name}: no \"{part}\" in:", output + errors)
    return output


def trexio(hydrogen, path):
    """The example of TREXIO's description."""
    if h5py is None:
        return
    expect("TREXIO", TEST.run([hydrogen, "--trexio", path]), 0, [])
    with h5py.File(path, "r") as file:
        found = {name: file[f"ecp/ecp_{name}"][()].tolist() for name in
                 ("max_ang_mom_plus_1", "z_core", "nucleus_index", "ang_mom", "power", "coefficient", "exponent")}
    expected = {"max_ang_mom_plus_1": [1, 1], "z_core": [0, 0], "nucleus_index": [0] * 4 + [1] * 4, "ang_mom": [1, 1, 1, 0] * 2,
                "power": [-1, 1, 0, 0] * 2, "coefficient": [1.0, 21.24359508259891, -10.85192405303825, 0.0] * 2,
                "exponent": [21.24359508259891, 21.24359508259891, 21.77696655044365, 1.0] * 2}
    TEST.check(found == expected, "TREXIO: core potentials", str(found))


def main():
    with tempfile.TemporaryDirectory() as folder:
        hydrogen, own = pathlib.Path(folder, "h2.mol"), pathlib.Path(folder, "hydrogen.gbs")
        own.write_text(HYDROGEN, encoding="ascii")
        hydrogen.write_text(f"units bohr\nbasis {own}\ngeometry\nH 0 0 0\nH 0 0 1.4\nend\n", encoding="ascii")
        path = pathlib.Path(folder, "agh.xyz")
        path.write_text(SILVER_HYDRIDE, encoding="utf-8")
        checkpoint, document = os.path.join(folder, "agh.h5"), os.path.join(folder, "agh.json")
        basis = ["--basis", "def2-SVP"]
        expect("--check", TEST.run([str(path), "--check"] + basis), 0,
               ["20 electrons", "Cores         28 electrons more in effective core potentials"])
        output = expect("run", TEST.run([str(path), "--checkpoint", checkpoint, "--json", document, "--json-orbitals"] + basis), 0,
                        ["Electrons              20\n", "Core electrons         28 (effective core potentials)",
                         "Core potentials        28 electrons of Ag", "    core potential  ", "Theor. Chim. Acta 77, 123 (1990)"])
        told = json.loads(pathlib.Path(document).read_text(encoding="utf-8"))
        centre = told["wavefunction"]["basis"]["center_data"]["Ag1"]
        TEST.check(told["extras"]["hf"]["basis"]["core_electrons"] == [28, 0], "JSON: cores", "")
        TEST.check(centre["ecp_electrons"] == 28 and len(centre["ecp_potentials"]) == 4, "JSON: potential", str(centre))
        TEST.check([p["angular_momentum"] for p in centre["ecp_potentials"]] == [[3], [0], [1], [2]], "JSON: order", str(centre))
        TEST.check(centre["ecp_potentials"][0]["r_exponents"] == [2, 2], "JSON: powers", str(centre))
        TEST.check("ecp_electrons" not in told["wavefunction"]["basis"]["center_data"]["H2"], "JSON: hydrogen has a core", "")
        expect("--show", TEST.run(["--show", checkpoint], launcher=False), 0,
               ["Cores         28 electrons more in effective core potentials"])
        again = expect("restart", TEST.run(["--restart", checkpoint]), 0, ["Core electrons         28"])
        TEST.check(abs(energy(again) - energy(output)) < 1e-9, "restart: another energy", again)
        expect("restart with another basis", TEST.run(["--restart", checkpoint, "--basis", "STO-3G"]), 2, ["belongs to another calculation"])
        if TEST.n_rank > 1:
            return TEST.report()
        output_of_hydrogen = expect("a core of 0 electrons", TEST.run([str(hydrogen)]), 0, [])
        TEST.check(abs(energy(output_of_hydrogen) + 1.125514248968) < 1e-8, "a core of 0 electrons:", output_of_hydrogen)
        trexio(str(hydrogen), os.path.join(folder, "trexio.h5"))
        other = os.path.join(folder, "other.gbs")
        library = os.path.join(os.environ["HF_BASIS_PATH"].split(":")[0], "def2-svp.gbs")
        text = pathlib.Path(library).read_text(encoding="ascii")
        pathlib.Path(other).write_text(text.replace("AG-ECP 3 28\nf-ul potential\n2\n2  1.422E+01", "AG-ECP 3 28\nf-ul potential\n2\n2  1.423E+01"),
                                       encoding="ascii")
        expect("restart with another potential", TEST.run(["--restart", checkpoint, "--basis", other]), 2,
               ["other effective core potentials"])
        larger = expect("guess", TEST.run([str(path), "--basis", "def2-TZVP", "--guess", checkpoint]), 0, ["Core electrons         28"])
        TEST.check(energy(larger) < energy(output), "guess: the larger basis lies higher", larger)
        expect("guess of other cores", TEST.run([str(path), "--basis", "STO-3G", "--guess", checkpoint]), 2,
               ["has 28 electrons in effective core potentials, this calculation 0"])
        expect("too few electrons", TEST.run([str(path), "--charge", "22"] + basis), 2,
               ["charge +22 leaves -2 electrons, 28 more in core potentials"])
        expect("no electron left", TEST.run([str(path), "--charge", "20"] + basis), 2,
               ["hf: --charge: charge +20 leaves 0 electrons, 28 more in core potentials"])
        path.write_text("1\ncharge=19 multiplicity=1\nAg 0 0 0\n", encoding="utf-8")
        for check in ([], ["--check"]):
            expect("an atom without electrons", TEST.run([str(path)] + basis + check), 2,
                   ["agh.xyz, line 2: charge +19 leaves 0 electrons, 28 more in core potentials"])
        path.write_text(SILVER_HYDRIDE, encoding="utf-8")
        expect("too many unpaired", TEST.run([str(path), "--multiplicity", "23"] + basis), 2,
               ["20 electrons (charge +0, 28 more in core potentials) cannot have multiplicity 23"])
        path.write_text(WITH_GHOST, encoding="utf-8")
        output = expect("ghost", TEST.run([str(path)]), 0, ["Electrons              2\n"])
        TEST.check("core potential" not in output and "Core" not in output, "ghost: has a core:", output)
        empty = pathlib.Path(folder, "empty.gbs")
        empty.write_text(EMPTY, encoding="utf-8")
        path.write_text("1\ncharge=0 multiplicity=1\nBe 0 0 0\n", encoding="utf-8")
        output = expect("no terms", TEST.run([str(path), "--basis", str(empty)]), 0, ["    core potential  "])
        helium = pathlib.Path(folder, "he.gbs")
        helium.write_text("He 0\nS 1 1.0\n 0.3 1.0\n****\n", encoding="utf-8")
        path.write_text("1\ncharge=0 multiplicity=1\nHe 0 0 0\n", encoding="utf-8")
        bare = expect("helium", TEST.run([str(path), "--basis", str(helium)]), 0, [])
        TEST.check(abs(energy(bare) - energy(output)) < 1e-9, "no terms: not the energy of helium:", output)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
