#!/usr/bin/env python3
"""Names of the tests of a build folder in any of some suites, without those on many ranks and those of
the suite "long" (unless it is asked for); each ended by a NUL, for xargs -0. SUITE-N leaves out tests of SUITE
on N ranks that run on another number, too, and SUITE-0 those that start no ranks; SUITE-0-1 does both. A test that
runs on none but the numbers to leave out runs on all of them.

Usage: list_tests.py FOLDER MOST_RANKS SUITE...
"""

import collections
import json
import re
import subprocess
import sys

RANKS = re.compile(r" (?:on |n=)(\d+)(?: |$)")


def selected(tests, most_ranks, suites):
    """Names, in the order of the tests."""
    counts = collections.defaultdict(set)  # numbers of ranks that a test runs on
    for test in tests:
        for ranks in RANKS.findall(test["name"]):
            counts[RANKS.sub(" ", test["name"])].add(int(ranks))
    for test in tests:
        found = RANKS.search(test["name"])
        ranks = int(found[1]) if found else 0
        own = {name.split(":")[-1] for name in test["suite"]}
        numbers = {str(n) for n in counts[RANKS.sub(" ", test["name"])] if n <= most_ranks}
        wanted = any(name in own and not (str(ranks) in without and (ranks == 0 or numbers.difference(without)))
                     for name, *without in (suite.split("-") for suite in suites))
        if wanted and ("long" not in own or "long" in suites) and ranks <= most_ranks:
            yield test["name"]


def main():
    folder, most_ranks, *suites = sys.argv[1:]
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], check=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout)
    for name in selected(tests, int(most_ranks), suites):
        sys.stdout.write(name + "\0")


if __name__ == "__main__":
    main()
