#!/usr/bin/env python3
"""Localised orbitals and local MP2 as users see them: report, JSON, domains from a file, and what is refused.

Usage: test_local_mp2.py HF MPIEXEC RANKS INPUTS
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

TEST = ProgramTest.of_arguments()
check, run = TEST.check, TEST.run
WATER, OXYGEN = (os.path.join(sys.argv[4], name + ".mol") for name in ("water", "oxygen"))
USUAL = [WATER, "--method", "lmp2", "--basis", "6-31G*"]

# (what, arguments, exit code, parts of the message)
REFUSED = [
    ("open shells", [OXYGEN, "--method", "lmp2"], 2, ["multiplicity 3", "expected method ump2"]),
    ("gradient", USUAL + ["--task", "gradient"], 2, ["--task: there are no gradients of local MP2 energies"]),
    ("smearing", USUAL + ["--smearing", "0.01"], 2, ["--smearing: local MP2 needs whole occupations"]),
    ("virtual orbitals", USUAL + ["--frozen-virtuals", "2"], 2, ["--frozen-virtuals: frozen_virtuals has no effect without method mp2, ump2 or fcidump"]),
    ("nothing left", USUAL + ["--frozen-core", "5"], 2, ["--frozen-core: frozen core '5'", "up to 4, for the molecule has 5"]),
    ("kind of domains", USUAL + ["--domains", "tigth"], 2, ["--domains", "tight"]),
    ("no file", USUAL + ["--domains", "./nowhere.json"], 2, ["--domains: ", "nowhere.json"]),
    ("localised open shells", [OXYGEN, "--localise", "pm"], 2, ["--localise: orbitals of closed shells alone"]),
]


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def local(path):
    return read(path)["extras"]["hf"]["local_mp2"]


def check_numbers(document, output):
    """The parts add up; the result is the total energy, in the report as well."""
    of, scf = document["extras"]["hf"]["local_mp2"], document["properties"]["scf_total_energy"]
    for spin in "same", "opposite":
        key = spin + "_spin_energy"
        sums = [sum(part[key] for part in parts) + of["correction"][key] for parts in (of["classes"].values(), of["pairs"])]
        check(max(abs(s - of[key]) for s in sums) < 1e-13, key + " is not the sum:", (of[key], sums))
    corrections = of["correction"]["energy"], sum(of["correction"][spin + "_spin_energy"] for spin in ("same", "opposite")), sum(
        pair["correction"] for pair in of["pairs"])
    check(max(corrections) - min(corrections) < 1e-13, "correction:", corrections)
    check(abs(scf + of["correlation_energy"] - of["total_energy"]) < 1e-12, "not the sum:", of["total_energy"])
    check(document["return_result"] == of["total_energy"], "return_result:", document["return_result"])
    check(len(of["orbitals"]) == 4 and len(of["pairs"]) == 10, "orbitals and pairs:", (len(of["orbitals"]), len(of["pairs"])))
    for orbital in of["orbitals"]:
        check(abs(sum(orbital["populations"]) - 1) < 1e-5, "populations:", orbital)
        nested = [set(orbital[name + "domain"]) for name in ("", "extended_", "correction_")]
        check(nested[0] <= nested[1] <= nested[2], "domains:", orbital)
    line = f"Local MP2 total energy {of['total_energy']:.10f}"
    check(line in re.sub(" +", " ", output), f"no \"{line}\" in:", output)
    check(output.rstrip().splitlines()[-1].startswith(f"Total energy {of['total_energy']:.10f} hartree"), "last line:", output[-200:])


def check_given(plain, corrected, uncorrected):
    """Domains of the correction are those of the file, unless an option asks for others; each contains the smaller ones."""
    changed, document = plain + ".changed.json", read(plain)
    for orbital in document["extras"]["hf"]["local_mp2"]["orbitals"]:
        orbital["correction_domain"] = orbital["domain"]
    pathlib.Path(changed).write_text(json.dumps(document), encoding="utf-8")
    for options, expected in ([], uncorrected), (["--correction-distance", "6"], corrected):
        _, found = energy_of(USUAL + ["--domains", changed, "--local-screening", "1e-11", *options], changed + ".out")
        check(abs(found["correlation_energy"] - expected) < 1e-9, f"correction of a file {options}:", found["correlation_energy"])
    for orbital in document["extras"]["hf"]["local_mp2"]["orbitals"]:
        orbital["correction_domain"] = [3]
    pathlib.Path(changed).write_text(json.dumps(document), encoding="utf-8")
    TEST.expect_one_line("not nested", run(USUAL + ["--domains", changed]), 2, ["a larger domain without all atoms of a smaller one"])


def check_domains(folder):
    """Larger domains bring the energy nearer to that of MP2; those of a file are taken again."""
    energy, errors_of, document = {}, {}, os.path.join(folder, "domains.json")
    for kind in "plain", "default", "full":
        code, _, errors = run(USUAL + ["--domains", kind, "--local-screening", "1e-11", "--json", document])
        check(code == 0, "exit code", errors)
        energy[kind] = local(document)["correlation_energy"]
        errors_of[kind] = local(document)["likely_errors"]["domains"]
        if kind == "plain":
            again = os.path.join(folder, "again.json")
            for options, expected in ([], energy[kind]), (["--correction-bonds", "0"], energy[kind] - local(document)["correction"]["energy"]):
                run(USUAL + ["--domains", document, "--local-screening", "1e-11", "--json", again, *options])
                check(abs(local(again)["correlation_energy"] - expected) < 1e-9, f"domains of a file {options}:",
                      local(again)["correlation_energy"])
            uncorrected = local(again)
            check_given(document, energy[kind], energy[kind] - local(document)["correction"]["energy"])
            check(uncorrected["likely_errors"]["domains"] is None, "errors of given domains are known:", uncorrected["likely_errors"])
    run([WATER, "--method", "mp2", "--basis", "6-31G*", "--json", document])
    mp2 = read(document)["properties"]["mp2_correlation_energy"]
    for kind, error in errors_of.items():
        check(abs(energy[kind] - mp2) <= 3 * error + 1e-7, f"estimate for {kind}:", (energy[kind] - mp2, error))
    check(energy["plain"] >= energy["default"] >= energy["full"] - 1e-9, "not falling:", energy)
    check(abs(energy["full"] - mp2) < 1e-8, "full domains and MP2:", (energy["full"], mp2))
    code, _, errors = run([os.path.join(os.path.dirname(WATER), "benzene.mol"), "--method", "lmp2", "--domains", document])
    check(code == 2 and "no domains of local MP2 in it" in errors, "not of local MP2:", errors)


def energy_of(arguments, document):
    """The report, and the part of local MP2 of the JSON file."""
    code, output, errors = run(arguments + ["--json", document])
    check(code == 0, "exit code", (arguments, errors))
    return output, local(document)


def check_restart(folder):
    """Integrals of a checkpoint give the same bits; they are transformed again if something else is asked for."""
    state, document = (os.path.join(folder, name) for name in ("a.h5", "restart.json"))
    _, first = energy_of(USUAL + ["--checkpoint", state], document)
    for launcher in None, False:
        code, output, errors = run(["--restart", state, "--json", document], launcher=launcher)
        again = local(document)
        check(code == 0 and "not transformed again" in output, "restart:", output + errors)
        check(again["integrals_of_checkpoint"], "integrals were transformed", again)
        check(again["correlation_energy"] == first["correlation_energy"], "bits:", (again["correlation_energy"], first["correlation_energy"]))
    for options in ["--local-screening", "1e-10"], ["--domains", "plain", "--correction-bonds", "0"]:
        _, other = energy_of(["--restart", state, "--checkpoint", "none"] + options, document)
        check(not other["integrals_of_checkpoint"], f"integrals for {options}:", other["correlation_energy"])
    _, plain = energy_of(USUAL + ["--domains", "plain", "--checkpoint", state], document)
    output, again = energy_of(["--restart", state], document)
    check("not transformed again" in output, "restart of plain domains:", output)
    check(again["correlation_energy"] == plain["correlation_energy"] != first["correlation_energy"], "domains:", again["correlation_energy"])
    code, output, _ = run(["--show", state])
    check(code == 0 and "domains of 4 orbitals; integrals of their pairs" in output, "--show:", output)


def check_scan(folder):
    """A stretched molecule keeps its domains, those of a shorter one, from a checkpoint."""
    found, state, document = {}, os.path.join(folder, "scan.h5"), os.path.join(folder, "scan.json")
    helium = pathlib.Path(folder, "helium.xyz")
    helium.write_text("2\n\nHe 0 0 0\nHe 0 0 3.3\n", encoding="utf-8")
    for options, pairs in (["--correction-distance", "7"], 0), ([], 2):
        output, part = energy_of([str(helium), "--method", "lmp2", "--basis", "6-31G", *options], document)
        check((part["likely_errors"]["domains"] is None) == (pairs > 0), "estimate of atoms without partners:", part["likely_errors"])
        check((f"pairs without such atoms: {pairs};" in output) == (pairs > 0), "report of pairs without a correction:", output)
    for name, angstrom, options in [("far", 1.2, ["--checkpoint", state]), ("near", 0.8, []), ("kept", 0.8, ["--domains", state])]:
        molecule = pathlib.Path(folder, name + ".xyz")
        molecule.write_text(f"2\n\nH 0 0 0\nF 0 0 {angstrom}\n", encoding="utf-8")
        _, part = energy_of([str(molecule), "--method", "lmp2", "--basis", "6-31G*"] + options, document)
        found[name] = sorted(orbital["domain"] for orbital in part["orbitals"])
    check(found["near"] != found["far"], "domains do not change:", found)
    check(found["kept"] == found["far"], "domains are not kept:", found)
    TEST.expect_one_line("other atoms", run(USUAL + ["--domains", state]), 2, ["scan.h5", "its domains are of other atoms"])
    empty = os.path.join(folder, "empty.h5")
    run([WATER, "--checkpoint", empty])
    TEST.expect_one_line("no domains", run(USUAL + ["--domains", empty]), 2, ["empty.h5", "no domains of local MP2 in it"])


def check_unconverged(folder):
    """Only the iterations of the amplitudes fail: the SCF continues from its checkpoint, which is kept."""
    state, document = os.path.join(folder, "state.h5"), os.path.join(folder, "out.json")
    run(USUAL + ["--domains", "tight", "--checkpoint", state])
    outcome = run(["--restart", state, "--max-iterations", "3", "--json", document])
    TEST.expect_one_line("unconverged", outcome, 1, ["local MP2 did not converge in 3 iterations: the last one changed the energy by"])
    check("MP2 total energy" not in outcome[1], "unconverged: an energy in", outcome[1])
    check(read(document)["error"]["error_type"] == "convergence_error", "unconverged: JSON file:", read(document)["error"])
    code, output, errors = run(["--restart", state, "--max-iterations", "50"])
    check(code == 0 and re.search(" Domains +tight", output), "the checkpoint keeps --domains:", errors or output)


def check_memory():
    """Too little is refused before the SCF, with what is enough."""
    benzene = [os.path.join(os.path.dirname(WATER), "benzene.mol"), "--method", "lmp2", "--basis", "6-31G"]
    outcome = run(benzene + ["--memory", "1 MB"])
    TEST.expect_one_line("memory", outcome, 3, ["local MP2 needs about", "may take 1 MB"])
    check("Iter" not in outcome[1], "memory: refused after the SCF:", outcome[1])
    most = re.compile(r"expected --memory '(\d+) MB' or more")
    uracil = [os.path.join(os.path.dirname(WATER), "uracil-dimer.mol"), "--method", "lmp2", "--basis", "6-31G", "--memory", "1 MB"]
    needed = [int(most.search(run(uracil + ["--correction-distance", "0", "--correction-bonds", bonds])[2])[1]) for bonds in "13"]
    check(needed[0] < needed[1], "memory: larger corrections need more:", needed)
    megabytes = int(most.search(outcome[2])[1])
    TEST.expect_one_line("a megabyte less", run(benzene + ["--memory", f"{megabytes - 1} MB"]), 3, ["local MP2 needs about"])
    code, _, errors = run(benzene + ["--memory", f"{megabytes} MB"])
    check(code == 0, "enough memory:", errors)


def main():
    for name, arguments, code, parts in REFUSED:
        TEST.expect_one_line(name, run(arguments), code, parts)
    with tempfile.TemporaryDirectory() as folder:
        ion = os.path.join(folder, "lithium.xyz")
        pathlib.Path(ion).write_text("1\ncharge=1 multiplicity=1\nLi 0 0 0\n", encoding="utf-8")
        TEST.expect_one_line("all core by default", run([ion, "--method", "lmp2", "--basis", "6-31G"]), 2,
                             ["--method: no orbital is left to correlate: all 1 occupied", "expected --frozen-core none"])
        document = os.path.join(folder, "a.json")
        code, output, errors = run(USUAL + ["--scs", "--json", document])
        check(code == 0, "exit code", errors)
        check_numbers(read(document), output)
        check_domains(folder)
        check_restart(folder)
        check_scan(folder)
        energy = local(document)["correlation_energy"]
        for options in ["--replicate-amplitudes"], ["--threads", "2"], ["--schedule", "static"]:
            run(USUAL + options + ["--json", document])
            check(abs(local(document)["correlation_energy"] - energy) < 1e-9, f"{options}:", local(document)["correlation_energy"])
        check_unconverged(folder)
        check_memory()
        code, output, errors = run([WATER, "--localise", "boys", "--json", document])
        found = read(document)["extras"]["hf"]["localised_orbitals"]
        check(code == 0 and "Localised orbitals (boys), 1 core orbitals" in output, "report:", output)
        check(len(found["orbitals"]) == 4 and found["converged"], "JSON:", found)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
