"""Psi4, with integrals computed in every build (direct) or once (PK)."""

from .running import found, parsed, timed


def input_text(problem, scf_type):
    spherical = problem.spherical("psi4")
    basis = ["basis {", "assign compared", "[compared]", "spherical" if spherical else "cartesian", "****"]
    for symbol, shells in problem.shells.items():
        basis.append(f"{symbol} 0")
        for letters, rows in shells:
            basis += [f"{letters} {len(rows)} 1.0", *("  " + "  ".join(row) for row in rows)]
        basis.append("****")
    return "\n".join([
        f"memory {problem.memory_megabytes} mb", "molecule {", f"{problem.charge} 1", *problem.atoms, "units bohr",
        "symmetry c1", "no_reorient", "no_com", "}", *basis, "}", "set {", f"scf_type {scf_type}",
        f"puream {'true' if spherical else 'false'}", "df_scf_guess false", "guess sad",
        f"e_convergence {problem.energy_tolerance}", f"d_convergence {problem.commutator_tolerance}",
        f"ints_tolerance {problem.screening}",
        *(["mp2_type conv", "freeze_core false", "}", "gradient('mp2')"] if problem.mp2 else ["}", "energy('scf')"]), ""])


def parse(text, timers):
    """`timers` is the file timer.dat that Psi4 leaves in its folder."""
    pattern = r"^%s\s*:\s*\S+u\s+\S+s\s+(\S+)w\s+(\d+) calls"
    seconds, calls = found(pattern % "JK: JK", timers, "timer of J and K")
    stored = 0.0
    if "Total PK formation time" in timers:
        stored = float(found(pattern % "Total PK formation time", timers, "timer of the PK matrices")[0])
    build = float(seconds) / int(calls)
    energy = found(r"(?:Total Energy =|^\s*MP2 Total Energy \(a\.u\.\)\s*:)\s+(\S+)", text, "total energy")
    return {"energy_hartree": float(energy[0]), "builds": int(calls), "first_build_seconds": stored + build, "later_build_seconds": build}


class Psi4:
    executable = "psi4"
    scf_type = None
    mp2 = False

    def __init__(self, problem, folder, _launch, path):
        self.folder = folder
        (folder / "psi4.in").write_text(input_text(problem, self.scf_type), encoding="utf-8")
        self.command = [path, "-n", str(problem.cores), "psi4.in", "psi4.out"]

    def run(self):
        timers = self.folder / "timer.dat"
        timers.unlink(missing_ok=True)  # Psi4 appends
        times, _ = timed(self.name, self.command, self.folder)
        text = (self.folder / "psi4.out").read_text(encoding="utf-8", errors="replace")
        return {**times, **parsed(self.name, parse, text, timers.read_text(encoding="utf-8"))}


class Psi4Direct(Psi4):
    name = "psi4-direct"
    scf_type = "direct"
    about = ("Psi4, scf_type direct without its density-fitted start. Version 1.3 has no incremental builds (its "
             "option INCFOCK came later), so all builds are whole; build time: mean of its timer of J and K")


class Psi4Pk(Psi4):
    name = "psi4-pk"
    scf_type = "pk"
    mp2 = True
    about = ("Psi4, scf_type pk: integrals are computed once and kept. First build: its timer of that and of one "
             "J and K; later builds: J and K from the stored integrals. MP2 gradients: mp2_type conv")
