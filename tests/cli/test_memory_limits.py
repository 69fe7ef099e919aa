#!/usr/bin/env python3
"""hf under limits of its address space, its data and its control group: it ends well, and says why.

Usage: test_memory_limits.py HF MPIEXEC RANKS INPUTS
What needs a control group is left out, with the reason, where none can be made.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from memory_group import MemoryGroup, reason_not_allowed
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
TEST = ProgramTest(HF, MPIEXEC, RANKS)

HELIUM = """basis STO-3G
geometry
  He 0 0 0
  He 0 0 2
end
"""


def stored_integrals_heed_the_group():
    """Uracil in cc-pVDZ would store 1.5 GB."""
    limit = 400_000_000
    with MemoryGroup(limit) as group:
        TEST.prefix = group.command([])
        code, output, errors = TEST.run([os.path.join(INPUTS, "uracil.mol"), "--basis", "cc-pVDZ",
                                         "--max-iterations", "2"])
        TEST.prefix = []
        TEST.check(code == 1, f"uracil in a group of {limit} bytes: exit code {code}:", errors)
        TEST.check(group.n_killed() == 0, "a process was killed")
        found = re.search(r"stored integrals ([\d.]+)\)", output)
        TEST.check(found is not None and 0 < float(found.group(1)) * RANKS < 0.6e-6 * limit,
                   "stored integrals:", output)


def too_small_a_group():
    with MemoryGroup(8_000_000) as group:
        TEST.prefix = group.command([])
        outcome = TEST.run([os.path.join(INPUTS, "water.mol")])
        TEST.prefix = []
        killed = group.n_killed()
    if killed == 0:  # the launcher itself may be
        TEST.expect_one_line("a group of 8 MB", outcome, 3,
                             ["the control group of the job leaves", "MB too few", "batch system"])
    TEST.check(killed == 0 or RANKS > 1, "a group of 8 MB: hf was killed")


def short_of_address_space(folder):
    """OpenBLAS used to ask for its work space for ever between 120 and 500 MB."""
    path = os.path.join(folder, "helium.mol")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HELIUM)
    for kind, option, limits, mend in (
            ("as", "RLIMIT_AS", (120, 140, 250, 350, 450, 700), "ulimit -v"),
            ("data", "RLIMIT_DATA", (20, 100, 180, 300, 500), "ulimit -d")):
        codes = []
        for limit in limits:
            TEST.inside = ["prlimit", f"--{kind}={limit}000000", "--core=0"]
            outcome = TEST.run([path, "--memory", "0"])
            TEST.inside = []
            codes.append(outcome[0])
            if outcome[0] == 3:
                TEST.expect_one_line(f"{kind} {limit} MB", outcome, 3, ["(" + option, "MB too few", mend])
            elif outcome[0] == 0:
                TEST.check("-5.61380" in outcome[1], f"{kind} {limit} MB:", outcome[1])
        TEST.check(codes == sorted(codes, reverse=True) and {0, 3} == set(codes),
                   f"{kind}: exit codes {codes}; expected 3, then 0")


def keeps_its_name():
    """It starts itself again where address space is limited; ps, top and pkill must still find it."""
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    with subprocess.Popen(["prlimit", "--as=2000000000", HF, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=variables) as process:  # waits for its input
        settings, until = b"", time.monotonic() + 60
        while b"OPENBLAS_NUM_THREADS=1" not in settings and time.monotonic() < until and process.poll() is None:
            time.sleep(0.01)
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                settings = file.read()
        with open(f"/proc/{process.pid}/comm", encoding="utf-8") as file:
            name = file.read().strip()
        process.kill()
    TEST.check(b"OPENBLAS_NUM_THREADS=1" in settings, "not started again with settings that spare address space")
    TEST.check(name == os.path.basename(HF), f"the process is called {name}")


def the_estimate_is_what_a_run_takes(folder):
    """Memory foreseen against the program's own account and the peak of the process."""
    helium = "basis cc-pVQZ\ngeometry\n" + "".join(
        f"He {3 * i} {3 * j} 0\n" for i in range(3) for j in range(2)) + "end\n"
    path, out = os.path.join(folder, "cluster.mol"), os.path.join(folder, "out.json")
    water = os.path.join(INPUTS, "water.mol")
    with open(path, "w", encoding="utf-8") as file:
        file.write(helium)
    cases = [(path, []), (water, []), (water, ["--threads", "3"]), (water, ["--method", "uhf", "--multiplicity", "3"]),
             (water, ["--method", "rohf", "--multiplicity", "3"])]
    if RANKS == 1:
        cases.append((path, ["--threads", "3"]))
    for builder in ("replicated", "distributed"):
        for molecule, options in cases:
            name = f"{os.path.basename(molecule)} {builder} {' '.join(options)}"
            code, _, errors = TEST.run([molecule, "--basis", "cc-pVQZ", "--fock", builder, "--json", out,
                                        "--memory", "0", "--max-iterations", "3", "--diis-size", "2",
                                        "--converger", "diis"] + options)
            TEST.check(code in (0, 1), f"{name}: exit code {code}:", errors)
            with open(out, encoding="utf-8") as file:
                extras = json.load(file)["extras"]["hf"]
            expected, found = extras["memory_expected_bytes"], extras["memory_bytes"]
            for what, key, constant in (("matrices", "matrix_peak", 0.5e6),
                                        ("shell_pairs", "shell_pair_peak", 0.5e6),
                                        ("rank", "resident_peak", 12e6)):
                peak = found[key]["max"]
                TEST.check(abs(expected[what] - peak) < 0.2 * peak + constant,
                           f"{name}, {what}: expected {expected[what]:.3g}, took {peak:.3g} bytes")


def the_guess_is_foreseen(folder):
    """Without a history to speak of, first densities and mixed orbitals take the most."""
    path, out = os.path.join(folder, "cluster.mol"), os.path.join(folder, "out.json")
    for options in (["--guess", "huckel"], ["--guess", "huckel", "--method", "uhf", "--guess-mix"]):
        TEST.run([path, "--basis", "cc-pVQZ", "--json", out, "--memory", "0", "--max-iterations", "2", "--diis-size", "1",
                  "--converger", "diis"] + options)
        with open(out, encoding="utf-8") as file:
            extras = json.load(file)["extras"]["hf"]
        expected, peak = extras["memory_expected_bytes"]["matrices"], extras["memory_bytes"]["matrix_peak"]["max"]
        TEST.check(0.97 * peak < expected < 1.3 * peak + 0.5e6,
                   f"{' '.join(options)}: expected {expected:.3g}, took {peak:.3g} bytes")


def derivatives_are_foreseen(folder):
    """Of quartets of g functions: 23 MB a thread, more than all else."""
    path, out = os.path.join(folder, "helium.mol"), os.path.join(folder, "out.json")
    os.environ.pop("MALLOC_PERTURB_", None)  # it fills new arrays: what hf never touches is resident then
    code, _, errors = TEST.run([path, "--basis", "cc-pV5Z", "--task", "gradient", "--threads", "3", "--memory", "0",
                                "--checkpoint", "none", "--json", out])
    TEST.check(code == 0, f"a gradient: exit code {code}:", errors)
    with open(out, encoding="utf-8") as file:
        extras = json.load(file)["extras"]["hf"]
    expected, peak = extras["memory_expected_bytes"]["rank"], extras["memory_bytes"]["resident_peak"]["max"]
    TEST.check(abs(expected - peak) < 0.1 * peak, f"a gradient: expected {expected:.4g}, took {peak:.4g} bytes")


def what_cannot_fit_is_refused():
    path = os.path.join(INPUTS, "uracil.mol")
    with MemoryGroup(120_000_000 + 60_000_000 * RANKS) as group:
        TEST.prefix = group.command([])
        TEST.expect_one_line("a store that does not fit", TEST.run([path, "--memory", "300 MB"]), 3,
                             ["too little memory", "the ranks of this node need about",
                              "the control group of the job leaves", "MB too few", "what helps: --memory 0"])
        code, output, _ = TEST.run([path, "--memory", "300 MB", "--check"])
        TEST.check(code == 0 and "Warning: too little memory" in output, "--check:", output)
        code, _, errors = TEST.run([path, "--basis", "6-31G*", "--memory", "0", "--max-iterations", "2"])
        TEST.check(code == 1, f"the advice does not help: exit code {code}", errors)
        TEST.check(group.n_killed() == 0, "a process was killed")
        TEST.prefix = []


def what_no_option_helps_is_told(folder):
    path = os.path.join(folder, "large.mol")
    with open(path, "w", encoding="utf-8") as file:
        file.write("basis cc-pVQZ\ngeometry\n" + "".join(f"He {3 * i} 0 0\n" for i in range(30)) + "end\n")
    TEST.inside = ["prlimit", "--data=186000000", "--core=0"]
    outcome = TEST.run([path, "--basis", "cc-pV5Z", "--memory", "0"])
    TEST.inside = []
    TEST.expect_one_line("too large for RLIMIT_DATA", outcome, 3,
                         ["too little memory: a rank needs about", "(RLIMIT_DATA, ulimit -d) leaves", "MB too few"])
    if RANKS == 1:
        TEST.check("no option of hf helps" in outcome[2] or "what helps" in outcome[2], "advice:", outcome[2])


def main():
    with tempfile.TemporaryDirectory(prefix="hf-limits-") as folder:
        if RANKS == 1:
            keeps_its_name()
        short_of_address_space(folder)
        the_estimate_is_what_a_run_takes(folder)
        the_guess_is_foreseen(folder)
        derivatives_are_foreseen(folder)
        what_no_option_helps_is_told(folder)
    reason = reason_not_allowed()
    if reason is None:
        stored_integrals_heed_the_group()
        too_small_a_group()
        what_cannot_fit_is_refused()
    else:
        print("left out:", reason)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
