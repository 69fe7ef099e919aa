#!/usr/bin/env python3
"""Names of the tests of a build folder in any of some suites, without those on many ranks and those of
the suite "long" (unless it is asked for); each ended by a NUL, for xargs -0. SUITE-N leaves out tests of SUITE on N ranks.

Usage: list_tests.py FOLDER MOST_RANKS SUITE...
"""

import json
import re
import subprocess
import sys

RANKS = re.compile(r"(?:on |n=)(\d+)$")


def selected(tests, most_ranks, suites):
    """Names, in the order of the tests."""
    for test in tests:
        ranks = RANKS.search(test["name"])
        own = {name.split(":")[-1] for name in test["suite"]}
        too_long = "long" in own and "long" not in suites
        wanted = any(name in own and not (ranks and ranks[1] == without)
                     for name, _, without in (suite.partition("-") for suite in suites))
        if wanted and not too_long and not (ranks and int(ranks[1]) > most_ranks):
            yield test["name"]


def main():
    folder, most_ranks, *suites = sys.argv[1:]
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], check=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout)
    for name in selected(tests, int(most_ranks), suites):
        sys.stdout.write(name + "\0")


if __name__ == "__main__":
    main()
