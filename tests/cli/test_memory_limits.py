#!/usr/bin/env python3
"""hf in a control group of its own takes no more memory than that leaves.

Usage: test_memory_limits.py HF MPIEXEC RANKS INPUTS
Exit code 77 (skipped) where no such group can be made.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from memory_group import MemoryGroup, reason_not_allowed
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
TEST = ProgramTest(HF, MPIEXEC, RANKS, most_seconds=200)


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


def main():
    reason = reason_not_allowed()
    if reason is not None:
        print("skipped:", reason)
        return 77
    stored_integrals_heed_the_group()
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
