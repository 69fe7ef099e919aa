#!/usr/bin/env python3
"""Names of the tests of a build folder in any of some suites, without those on many ranks; each ended
by a NUL, for xargs -0.

Usage: list_tests.py FOLDER MOST_RANKS SUITE...
"""

import json
import re
import subprocess
import sys

RANKS = re.compile(r"(?:on |n=)(\d+)$")


def main():
    folder, most_ranks, *suites = sys.argv[1:]
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], check=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout)
    for test in tests:
        ranks = RANKS.search(test["name"])
        if ranks and int(ranks[1]) > int(most_ranks):
            continue
        if any(suite == name.split(":")[-1] for suite in suites for name in test["suite"]):
            sys.stdout.write(test["name"] + "\0")


if __name__ == "__main__":
    main()
