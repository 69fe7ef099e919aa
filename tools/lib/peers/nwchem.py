"""NWChem's direct SCF."""

from lab.launch import mpi_environment

from .running import found, parsed, timed


def input_text(problem, folder, solver):
    basis = [f"basis {'spherical' if problem.spherical('nwchem') else 'cartesian'}"]
    for symbol, shells in problem.shells.items():
        for letters, rows in shells:
            basis += [f"{symbol} {letters}", *("  " + "  ".join(row) for row in rows)]
    return "\n".join([
        "start compared", f"memory total {problem.memory_megabytes} mb", f"permanent_dir {folder}",
        f"scratch_dir {folder}", f"charge {problem.charge}", "geometry units au noautoz noautosym nocenter",
        "symmetry c1", *problem.atoms, "end", *basis, "end",
        "scf", "rhf", "singlet", "direct", *solver, "maxiter 100",
        f"thresh {problem.commutator_tolerance}", f"tol2e {problem.screening}",
        'noprint "final vectors analysis" "mulliken" "multipole"', "end",
        "set scf:pstat .true.", *(["mp2", "tight", "end", "task mp2 gradient"] if problem.mp2 else ["task scf energy"]), ""])


def parse(text):
    """Calls and slowest rank's wall seconds of NWChem's own timer of Fock builds."""
    calls, seconds = found(r"^\s*scf: fock +(\d+)(?: +\S+){7} +(\S+)", text, "timer of Fock builds")
    build = float(seconds) / int(calls)
    return {"energy_hartree": float(found(r"Total (?:SCF energy =|MP2 energy)\s+(\S+)", text, "total energy")[0]),
            "builds": int(calls), "first_build_seconds": build, "later_build_seconds": build}


class NWChem:
    name = "nwchem"
    executable = "nwchem"
    mp2 = True
    solver = ()
    about = ("NWChem, task scf direct with its own solver: quadratically convergent, several builds per iteration, "
             "some less sharp than the last. All are whole; build time: mean of its timer of Fock builds")

    def __init__(self, problem, folder, launch, path):
        self.folder = folder
        (folder / "compared.nw").write_text(input_text(problem, folder, self.solver), encoding="utf-8")
        self.command = [*launch, path, "compared.nw"]

    def run(self):
        (self.folder / "compared.movecs").unlink(missing_ok=True)
        times, text = timed(self.name, self.command, self.folder, mpi_environment())
        return {**times, **parsed(self.name, parse, text)}


class NWChemDiis(NWChem):
    name = "nwchem-diis"
    solver = ("diis",)
    about = "NWChem, the same with DIIS in place of its solver: one whole, sharp build per iteration"
