#!/usr/bin/env python3
"""Checkpoints as people use them: restart with other ranks, builders, schedulers and transports; what is in the file, as
h5py reads it; bad files; files that cannot be written. What the number of ranks cannot change is tested on one, and what is
refused; the first of each list of refusals also on more.

Usage: test_checkpoint.py HF MPIEXEC RANKS INPUTS
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
WATER = str(INPUTS / "water.mol")
ENERGY = -76.0267720534
TEST = ProgramTest(HF, MPIEXEC, RANKS)
check = TEST.check
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-7"]
OTHER_WAYS = [(1, ["--fock", "replicated"]), (2, ["--fock", "replicated", "--schedule", "counter", "--threads", "2"]),
              (3, ["--fock", "distributed", "--schedule", "steal", "--onesided", "rma"]),
              (4, ["--fock", "distributed", "--schedule", "manager", "--onesided", "thread", "--memory", "0"])]


def some(cases, n=1):
    """Of a list of refusals, which begins with n that each rank finds or is told."""
    return cases if RANKS == 1 else cases[:n]


def energy_of(text):
    found = re.findall(r"^Total energy +(-\d+\.\d+) hartree, converged after (\d+)", text, re.M)
    return (float(found[-1][0]), int(found[-1][1])) if found else (float("nan"), 0)


def run_on(n_rank, arguments):
    program = ProgramTest(HF, MPIEXEC, n_rank)
    return program.run(arguments)


def stop_and_go_on(folder):
    """A run stopped after four iterations goes on in every way, and needs as many iterations in all."""
    kept = str(folder / "stopped.h5")
    code, text, errors = TEST.run([WATER, *TIGHT, "--checkpoint", "none"])
    whole, n_whole = energy_of(text)
    check(code == 0 and abs(whole - ENERGY) < 1e-8, "the whole run", text + errors)
    code, text, errors = TEST.run([WATER, *TIGHT, "--max-iterations", "4", "--checkpoint", kept])
    check(code == 1 and f"Checkpoint {kept}, written" in text, "stopped run", text + errors)
    for n_rank, options in OTHER_WAYS if RANKS == 2 else []:
        mine = str(folder / f"going-{n_rank}.h5")
        shutil.copy(kept, mine)
        code, text, errors = run_on(n_rank, ["--restart", mine, "--max-iterations", "50", *options])
        energy, n_iteration = energy_of(text)
        check(code == 0 and abs(energy - whole) < 1e-9, f"restart on {n_rank} with {options}", text + errors)
        check(abs(n_iteration - n_whole) <= 1, f"{n_iteration} iterations in all instead of {n_whole}")
    code, text, errors = TEST.run([WATER, "--restart", kept, "--max-iterations", "50"])
    check(code == 0 and abs(energy_of(text)[0] - whole) < 1e-9, "restart with its input", text + errors)
    shown = TEST.run(["--show", kept], launcher=False)[1]
    check("finished after" in shown and ", converged" in shown, "a short restart did not tell its checkpoint", shown)


def confirm(folder):
    """A converged run is confirmed by one iteration, and its checkpoint shows it."""
    kept = str(folder / "converged.h5")
    code, text, errors = TEST.run([WATER, "--checkpoint", kept, "--json", str(folder / "run.json")])
    check(code == 0, "run with a checkpoint", errors)
    energy, n_iteration = energy_of(text)
    code, text, errors = TEST.run(["--restart", kept])
    again, n_again = energy_of(text)
    check(code == 0 and abs(again - energy) < 1e-9 and n_again == n_iteration + 1, "confirmation", text + errors)
    code, text, errors = TEST.run(["--show", kept], launcher=False)
    for part in ("cc-pVDZ: 24 functions", "charge +0, multiplicity 1", "Iter", "converged", f"hf --restart {kept}",
                 "finished after", "layout 2", "-76.02677205"):
        check(code == 0 and part in text, f"--show without \"{part}\":", text + errors)
    versions = json.loads((folder / "run.json").read_text())["extras"]
    check("hdf5" in json.dumps(versions), "JSON without the version of HDF5", str(versions))
    return kept, energy


HYDROXYL = """title OH
multiplicity 2
basis 6-31G
geometry
  O 0 0 0
  H 0 0 0.97
end
"""


def open_shells(folder):
    """UHF and ROHF go on as RHF does; --show tells their spins; another method is refused."""
    source = folder / "hydroxyl.mol"
    source.write_text(HYDROXYL)
    for method, n_rank, options, shown in [
            ("uhf", 3, ["--fock", "distributed", "--onesided", "rma"],
             ["of alpha 11 from 11 functions, 5 occupied; the lowest 11", "of beta 11 from 11 functions, 4 occupied"]),
            ("rohf", 2, ["--fock", "replicated", "--threads", "2"],
             ["Orbitals      11 from 11 functions, 4 doubly and 1 singly occupied"])]:
        kept = str(folder / f"{method}.h5")
        code, text, errors = TEST.run([str(source), "--method", method, *TIGHT, "--checkpoint", "none"])
        whole, n_whole = energy_of(text)
        check(code == 0, f"the whole {method} run", text + errors)
        code, text, errors = TEST.run([str(source), "--method", method, *TIGHT, "--max-iterations", "5",
                                       "--checkpoint", kept])
        check(code == 1, f"stopped {method} run", text + errors)
        code, text, errors = run_on(n_rank, ["--restart", kept, "--max-iterations", "50", *options])
        energy, n_iteration = energy_of(text)
        check(code == 0 and abs(energy - whole) < 1e-9, f"restart of {method}", text + errors)
        check(abs(n_iteration - n_whole) <= 1, f"{method}: {n_iteration} iterations in all instead of {n_whole}")
        if RANKS > 1:
            continue
        text = TEST.run(["--show", kept], launcher=False)[1]
        for part in ["9 electrons (5 alpha, 4 beta)", f"{method}/6-31G", *shown]:
            check(part in text, f"--show of {method} without \"{part}\":", text)
        other = "rohf" if method == "uhf" else "uhf"
        TEST.expect_one_line(f"{other} goes on from {method}", TEST.run(["--restart", kept, "--method", other]), 2,
                             [f"method {method} instead of {other}", "--guess"])
        closed = TEST.run(["--restart", kept, "--method", "rhf"])
        TEST.expect_one_line(f"rhf goes on from {method}", closed, 2, ["multiplicity 2 are an open shell"])
        check("no charge was given" not in closed[2], "a checkpoint says its charge", closed[2])


def guess_between_methods(folder):
    """The orbitals of one method are a start for the others, of other charges and multiplicities, too."""
    source = str(folder / "hydroxyl.mol")
    kept = {method: str(folder / f"{method}.h5") for method in ("rhf", "uhf", "rohf")}
    energies = {method: energy_of(TEST.run([source, "--method", method, "--checkpoint", "none"])[1])
                for method in ("uhf", "rohf")}
    code, text, errors = TEST.run([source, "--method", "rhf", "--charge", "-1", "--multiplicity", "1", "--checkpoint",
                                   kept["rhf"]])
    check(code == 0, "the anion", text + errors)
    energies["rhf"] = energy_of(text)
    for old, new, options in [("rhf", "uhf", []), ("rhf", "rohf", []), ("uhf", "rohf", []), ("rohf", "uhf", []),
                              ("uhf", "rhf", ["--charge", "-1", "--multiplicity", "1"]),
                              ("rohf", "rhf", ["--charge", "-1", "--multiplicity", "1"])]:
        code, text, errors = TEST.run([source, "--method", new, "--guess", kept[old], "--checkpoint", "none", *options])
        energy, n_iteration = energy_of(text)
        check(code == 0 and abs(energy - energies[new][0]) < 1e-7, f"{new} from orbitals of {old}", text + errors)
        check(n_iteration <= energies[new][1] + 1, f"{new} from {old}: {n_iteration} iterations")
    code, text, errors = TEST.run([source, "--multiplicity", "4", "--guess", kept["uhf"], "--checkpoint", "none"])
    check(code == 0 and "(6 alpha, 3 beta)" in text, "a quartet from a doublet", text + errors)


def geometry(*atoms):
    return "units bohr\ngeometry\n" + "\n".join(atoms) + "\nend\n"


def guess_of_fragments(folder):
    """Checkpoints of two fragments begin a run, in the order of the atoms; what does not fit is told in one line."""
    first, second = ("He 0 0 0",), ("Li 0 0 6", "H 0 0 9")
    turned = ("Li 0 0 6", "H 0 3 6")
    helium, hydride, both = (str(folder / name) for name in ("helium.h5", "hydride.h5", "both.mol"))
    source = folder / "fragment.mol"
    for atoms, kept in ((first, helium), (second, hydride)):
        source.write_text(geometry(*atoms))
        code, text, errors = TEST.run([str(source), "--basis", "6-31G", "--checkpoint", kept])
        check(code == 0, "a fragment", text + errors)
    pathlib.Path(both).write_text(geometry(*first, *second))
    whole = [both, "--basis", "6-31G", "--checkpoint", "none"]
    energy, n_iteration = energy_of(TEST.run(whole)[1])
    code, text, errors = TEST.run([*whole, "--guess", f"{helium},{hydride}"])
    check(code == 0 and abs(energy_of(text)[0] - energy) < 1e-7 and energy_of(text)[1] <= n_iteration,
          "a run from fragments", text + errors)
    check(f"Initial guess          {helium},{hydride}" in text, "the report does not name the fragments", text)
    source.write_text(geometry(*first, *turned))
    triplet = [*whole, "--multiplicity", "3"]
    for name, arguments, parts in some([
            ("another order", [*whole, "--guess", f"{hydride},{helium}"],
             ["--guess: atom 1 of the fragment", "hydride.h5 is Li, atom 1 of the molecule He"]),
            ("a fragment too few", [*whole, "--guess", f"{helium},{helium}"], ["helium.h5 is He, atom 2 of the molecule Li"]),
            ("a fragment too many", [*whole, "--guess", f"{helium},{hydride},{helium}"], ["4 atoms, the molecule 3"]),
            ("a turned fragment", [str(source), *whole[1:], "--guess", f"{helium},{hydride}"],
             ["hydride.h5 is turned or distorted", "compute it with the coordinates of the molecule"]),
            ("another charge", [*whole, "--charge", "2", "--guess", f"{helium},{hydride}"],
             ["charges of the fragments add up to +0, that of the molecule is +2"]),
            ("another multiplicity", [*triplet, "--guess", f"{helium},{hydride}"],
             ["0 unpaired electrons, together multiplicity 1; that of the molecule is 3"]),
            ("no name", [*whole, "--guess", f"{helium},,{hydride}"], ["--guess: a name between the commas", "is empty"]),
            ("no file", [*whole, "--guess", f"{helium},./none.h5"], ["./none.h5", "no such checkpoint"]),
            ("written over", [*whole[:3], "--checkpoint", hydride, "--guess", f"{helium},{hydride}"],
             ["is the checkpoint of the guess as well"])]):
        TEST.expect_one_line(f"fragments: {name}", TEST.run(arguments), 2, parts)


OXYGEN = """title O2
method rohf
multiplicity 3
basis STO-3G
geometry
  O 0 0 0
  O 0 0 1.2074
end
"""


def stability_of_what_was_kept(folder):
    """A finished calculation is analysed after one iteration, and left when that is wanted. What the analysis
    said of the solution that was left is not reported for a place where the search did not converge."""
    source, kept, result = folder / "oxygen.mol", str(folder / "oxygen.h5"), folder / "oxygen.json"
    source.write_text(OXYGEN)
    code, text, errors = TEST.run([str(source), "--converger", "diis", "--checkpoint", kept])
    check(code == 0, "the symmetric oxygen molecule", text + errors)
    symmetric, n_iteration = energy_of(text)
    going = str(folder / "oxygen-going.h5")
    shutil.copy(kept, going)
    code, text, errors = TEST.run(["--restart", going, "--stability", "check"])
    check(code == 0 and energy_of(text) == (symmetric, n_iteration + 1), "analysis of a checkpoint", text + errors)
    check("Within rohf            UNSTABLE" in text and "--stability follow searches" in text, "not UNSTABLE:", text)
    code, text, errors = TEST.run(["--restart", kept, "--stability", "follow", "--max-iterations", "3", "--json",
                                   str(result)])
    check(code == 1 and "Left as unstable       -147.63216" in text, "a way down that is too long", text + errors)
    check("not analysed: the search for a lower solution did not converge" in text and "UNSTABLE" not in text, "what was left:", text)
    stability = json.loads(result.read_text())["extras"]["hf"]["stability"]
    check(stability["followed"] == 1 and len(stability["energies"]) == 1 and "internal" not in stability,
          "JSON of a way down that is too long", str(stability))
    code, text, errors = TEST.run(["--restart", kept, "--stability", "follow", "--max-iterations", "50"])
    check(code == 0 and energy_of(text)[0] < symmetric - 1e-3 and "rohf            stable" in text, "the way down",
          text + errors)


def read_with_h5py(kept, energy):
    """Orthonormal orbitals, electrons and the last energy, from the file alone."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("without h5py: not read with it")
        return
    with h5py.File(kept, "r") as file:
        check(file.attrs["format"] in (b"hf checkpoint", "hf checkpoint"), "format")
        check(file.attrs["format_version"] == 2, "version")
        orbitals = file["orbitals/both_spins"]
        c, density = orbitals["coefficients"][...], file["density/total"][...]
        occupations, x = orbitals["occupations"][...], file["diis/orthogonaliser"][...]
        check(c.shape == (24, 24) and occupations.sum() == 10, "shapes", str(c.shape))
        # X spans all functions, so that S is (X X^T)^-1.
        overlap = numpy.linalg.inv(x @ x.T)
        check(abs(c.T @ overlap @ c - numpy.eye(24)).max() < 1e-9, "C^T S C is not 1")
        check(abs(c * occupations @ c.T - density).max() < 1e-9, "D is not C n C^T")
        check(abs(numpy.trace(density @ overlap) - 10.0) < 1e-9, "tr DS is not 10")
        check(abs(file["iterations/energies"][-1] - energy) < 1e-9, "energy")
        # The newest Fock matrix of DIIS has the orbital energies of the run but for what was not converged.
        newest = max((int(name) for name in file["diis"] if name.isdigit()))
        a = file[f"diis/{newest}/both_spins"][...]
        levels = numpy.linalg.eigvalsh(0.5 * (a + a.T))
        check(abs(levels - orbitals["energies"][...]).max() < 1e-3, "orbital energies", str(levels))
        check(file["molecule/positions"].attrs["units"] in (b"bohr", "bohr"), "units")
        check(sum(file["basis/shell_primitives"][...]) == len(file["basis/exponents"]), "shells")


def find_damage(folder):
    """Numbers and lengths that are wrong: --show and --restart say what is damaged and end with exit code 2."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("without h5py: no damage")
        return
    mine = str(folder / "damaged.h5")
    kept_4 = str(folder / "after-4.h5")
    code, _, errors = TEST.run([WATER, "--max-iterations", "4", "--checkpoint", kept_4])
    check(code == 1, "a run of 4 iterations", errors)
    changes = [("longer", lambda a: numpy.concatenate([a, a[:1]])), ("shorter", lambda a: a[:-1]), ("gone", None)]

    def element(value):
        def change(values):
            values.flat[values.size // 2] = value
            return values
        return change

    numbers = [(str(value), element(value)) for value in (float("nan"), float("inf"), 1e308)]
    both, orbitals = "/diis/3/both_spins", "/orbitals/both_spins"
    cases = [(both, numbers + changes), (f"{orbitals}/coefficients", numbers + changes), ("/density/total", numbers[:1]),
             ("/diis/orthogonaliser", numbers), (f"{orbitals}/occupations", [*changes, ("-0.5", element(-0.5))]),
             (f"{orbitals}/energies", changes + numbers), ("/iterations/energies", changes),
             ("/iterations/seconds", changes), ("/settings", changes[2:]), ("/state/energy_change", changes[2:]),
             ("/state/n_occupied", [*changes, ("0", element(0))]), ("/molecule/positions", changes + numbers),
             ("/basis/exponents", changes)]
    for path, name, change in some([(path, *case) for path, several in cases for case in several]):
        shutil.copy(kept_4, mine)
        with h5py.File(mine, "r+") as file:
            values = file[path][...] if change else None
            del file[path]
            if change:
                file.create_dataset(path, data=change(values))
        parts = ["damaged.h5: damaged checkpoint: ", path.split("/")[1]]
        if RANKS == 1:
            TEST.expect_one_line(f"--show: {path} {name}", TEST.run(["--show", mine]), 2, parts)
        if path != "/density/total":  # a restart makes it anew
            TEST.expect_one_line(f"--restart: {path} {name}", TEST.run(["--restart", mine]), 2, parts)


def find_damaged_headers(folder, kept):
    """A byte is changed in the header of each object of the file."""
    whole, mine = pathlib.Path(kept).read_bytes(), folder / "damaged.h5"
    for found in re.finditer(b"OHDR|OCHK", whole):
        at = found.end() + 8
        mine.write_bytes(whole[:at] + bytes([whole[at] ^ 0x80]) + whole[at + 1:])
        code, _, errors = TEST.run(["--show", str(mine)])
        if code == 0:  # a restart copies more than it reads
            code, _, errors = TEST.run(["--restart", str(mine), "--checkpoint", "none"])
        check(code in (0, 2) and (code == 0 or "damaged.h5: damaged checkpoint: " in errors),
              f"byte {at} of {found[0]} changed: exit code {code}", errors)


def contradictions(folder, kept):
    """What a restart cannot honour is refused or warned of in one line."""
    going = str(folder / "going.h5")
    shutil.copy(kept, going)
    for name, arguments, parts in some([
            ("other functions", ["--cartesian"], ["--cartesian: a restart keeps the basis of", "has spherical functions"]),
            ("another record", ["--record", "2"], ["--record: a restart continues with the molecule of"]),
            ("mixing", ["--guess-mix"], ["--guess-mix"])]):
        TEST.expect_one_line(name, TEST.run(["--restart", going, *arguments]), 2, parts)
    if RANKS > 1:
        return
    code, text, errors = TEST.run(["--restart", going, "--spherical"])
    check(code == 0 and "Warning" not in text, "the functions that the checkpoint has", text + errors)
    code, text, errors = TEST.run(["--restart", going, "--guess", "core"])
    check(code == 0 and "Warning: --guess: not used: a restart continues with the orbitals of" in text,
          "a guess for a restart", text + errors)


def refuse(folder, kept):
    """One line and exit code 2 for what is no checkpoint of this."""
    whole = pathlib.Path(kept).read_bytes()
    cut, other = folder / "cut.h5", folder / "other.txt"
    cut.write_bytes(whole[:len(whole) // 2])
    other.write_text("O 0 0 0\n")
    for name, arguments, parts in some([
            ("a cut file", ["--restart", str(cut)], ["damaged checkpoint"]),
            ("another's file", [WATER, "--checkpoint", str(other)], ["no checkpoint; name another"]),
            ("no checkpoint", ["--restart", str(other)], ["not a checkpoint of hf"]),
            ("no file", ["--restart", str(folder / "none.h5")], ["no such checkpoint"]),
            ("another basis", [WATER, "--basis", "STO-3G", "--restart", kept], ["basis cc-pVDZ", "STO-3G", "--guess"]),
            ("another molecule", [str(INPUTS / "uracil.mol"), "--restart", kept], ["3 atoms instead of 12", "--guess"]),
            ("another charge", ["--restart", kept, "--charge", "2"], ["--charge", "--guess"]),
            ("a folder", [WATER, "--checkpoint", str(folder)], ["it is a directory"]),
            ("a folder that is not there", [WATER, "--checkpoint", str(folder / "none/x.h5")],
             ["none/x.h5: the checkpoint cannot be written: No such file or directory"]),
            ("a device", [WATER, "--checkpoint", "/dev/null"], ["a device"]),
            ("--show of a cut file", ["--show", str(cut)], ["damaged checkpoint"]),
            ("--show without a file", ["--show"], ["--show needs"])], 2):
        TEST.expect_one_line(name, TEST.run(arguments), 2, parts)
    check(other.read_text() == "O 0 0 0\n", "a file that is no checkpoint was written over")
    if shutil.which("h5dump"):
        done = subprocess.run(["h5dump", "-n", kept], capture_output=True, check=False)
        check(done.returncode == 0 and b"/orbitals/both_spins/coefficients" in done.stdout, "h5dump", str(done))


def never_cost_the_run(folder, kept):
    """What cannot be written is told once, and the energy comes all the same; what was there stays."""
    if RANKS > 1 and shutil.which("prlimit"):  # without mpiexec the files of its helpers are limited, too
        before = pathlib.Path(kept).read_bytes()
        TEST.inside = ["prlimit", "--fsize=20000"]  # memory shared by the ranks is a file, too
        code, text, errors = TEST.run([WATER, "--checkpoint", kept, "--checkpoint-interval", "0"])
        TEST.inside = []
        check(code == 0 and abs(energy_of(text)[0] - ENERGY) < 1e-8, "a limit of file sizes", f"{code}" + text + errors)
        check(errors.count("hf: warning: ") == 1 and "File too large" in errors, "not one warning in", errors)
        check(len(re.findall("^Warning: .*checkpoint cannot be written", text, re.M)) == 1, "not one warning in", text)
        check(pathlib.Path(kept).read_bytes() == before, "the checkpoint that was there is lost")
    check(not list(folder.glob("*.part")), "parts of checkpoints are left")


def go_on_as_told(folder):
    """What an early end says can be pasted, and it is not written over what is read."""
    source, copy = folder / "a guess.hf.h5", folder / "a guess.mol"
    shutil.copy(INPUTS / "uracil.mol", copy)
    code, text, errors = TEST.run([str(copy), "--basis", "STO-3G", "--checkpoint", str(source), "--max-iterations", "2"])
    check(code == 1 and source.exists(), "a checkpoint to guess from", text + errors)
    before = source.read_bytes()
    long = [str(copy), "--guess", "./a guess.hf.h5", "--basis", "cc-pVDZ", "--memory", "0",
            "--commutator-tolerance", "1e-14", "--energy-tolerance", "1e-14"]  # out of reach in few iterations
    code, text, errors = TEST.run([*long, "--time-limit", "00:00:03"])
    told = re.search(r"ENDED EARLY.*hf --restart (.*)", text)
    check(code == 1 and told and shlex.split(told[1]) == ["a guess.2.hf.h5"], "how to go on", text + errors)
    check(source.read_bytes() == before, "the checkpoint of the guess was written over")
    TEST.expect_one_line("the checkpoint of the guess", TEST.run([*long, "--checkpoint", str(source)]), 2,
                         ["is the checkpoint of the guess as well"])
    _, text, errors = TEST.run(["--restart", "a guess.2.hf.h5", "--time-limit", "00:00:01"])
    check("to continue: hf --restart 'a guess.2.hf.h5'" in errors and "after 0 iterations" not in errors,
          "a restart that is ended at once", text + errors)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stop_and_go_on(folder)
        kept, energy = confirm(folder)
        read_with_h5py(kept, energy)
        open_shells(folder)
        guess_of_fragments(folder)
        stability_of_what_was_kept(folder)
        refuse(folder, kept)
        contradictions(folder, kept)
        if RANKS == 1:
            guess_between_methods(folder)
            find_damaged_headers(folder, kept)
        find_damage(folder)
        never_cost_the_run(folder, kept)
        TEST.program = os.path.abspath(TEST.program)
        os.chdir(folder)
        code, _, _ = TEST.run([WATER])
        check(code == 0 and not (folder / "water.hf.h5").exists(), "a short run left a checkpoint")
        if RANKS == 1:
            go_on_as_told(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
