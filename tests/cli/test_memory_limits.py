#!/usr/bin/env python3
"""hf under limits of its address space, its data and its control group: it ends well, and says why.

Usage: test_memory_limits.py HF MPIEXEC RANKS INPUTS
What needs a control group is left out, with the reason, where none can be made.
"""

import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from memory_group import MemoryGroup, reason_not_allowed
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
TEST = ProgramTest(HF, MPIEXEC, RANKS, most_seconds=200)

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
        found = re.search(r"Stored integrals +([\d.]+) MB", output)
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
            ("as", "RLIMIT_AS", (110, 120, 140, 170, 250, 350, 450, 600, 1000), "ulimit -v"),
            ("data", "RLIMIT_DATA", (10, 50, 100, 150, 200, 300, 500), "ulimit -d")):
        codes = []
        for limit in limits:
            TEST.inside = ["prlimit", f"--{kind}={limit}000000", "--core=0"]
            outcome = TEST.run([path, "--memory", "0"])
            TEST.inside = []
            codes.append(outcome[0])
            if outcome[0] == 3:
                TEST.expect_one_line(f"{kind} {limit} MB", outcome, 3, [option, "MB too few", mend])
            elif outcome[0] == 0:
                TEST.check("-5.61380" in outcome[1], f"{kind} {limit} MB:", outcome[1])
        TEST.check(codes == sorted(codes, reverse=True) and {0, 3} == set(codes),
                   f"{kind}: exit codes {codes}; expected 3, then 0")


def main():
    with tempfile.TemporaryDirectory(prefix="hf-limits-") as folder:
        short_of_address_space(folder)
    reason = reason_not_allowed()
    if reason is None:
        stored_integrals_heed_the_group()
        too_small_a_group()
    else:
        print("left out:", reason)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
