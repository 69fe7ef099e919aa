#!/usr/bin/env python3
"""Names of the tests of a build folder in any of some suites, without those on many ranks and those of
the suite "long" (unless it is asked for); each ended by a NUL, for xargs -0. SUITE-least has each test of SUITE on the
least number of ranks that it runs on there. SUITE-N leaves out tests of SUITE on N ranks that run on another number, too,
and SUITE-0 tests that start no ranks; SUITE-0-1 does both. If all numbers of a test are to be left out, it runs
on all of them.

Usage: list_tests.py FOLDER MOST_RANKS SUITE...
"""

import collections
import json
import re
import subprocess
import sys

RANKS = re.compile(r" (?:on |n=)(\d+)(?: |$)")


def own_suites(test):
    return {name.split(":")[-1] for name in test["suite"]}


def ranks_of(test):
    """0: it starts none."""
    found = RANKS.search(test["name"])
    return int(found[1]) if found else 0


def is_taken(ranks, numbers, words):
    """Whether a test on so many ranks, which runs on these numbers in its suite, is one of SUITE-words."""
    if words == ["least"]:
        return ranks == 0 or ranks == min(numbers)
    without = {int(word) for word in words}
    return not (ranks in without and (ranks == 0 or numbers - without))


def selected(tests, most_ranks, suites):
    """Names, in the order of the tests."""
    numbers = collections.defaultdict(set)  # of ranks that a test runs on, by suite and name
    for test in tests:
        if ranks_of(test) <= most_ranks:
            for suite in own_suites(test):
                numbers[suite, RANKS.sub(" ", test["name"])].add(ranks_of(test))
    for test in tests:
        own, ranks = own_suites(test), ranks_of(test)
        if ranks > most_ranks or ("long" in own and "long" not in suites):
            continue
        if any(suite in own and is_taken(ranks, numbers[suite, RANKS.sub(" ", test["name"])], words)
               for suite, *words in (suite.split("-") for suite in suites)):
            yield test["name"]


def main():
    folder, most_ranks, *suites = sys.argv[1:]
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], check=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout)
    for name in selected(tests, int(most_ranks), suites):
        sys.stdout.write(name + "\0")


if __name__ == "__main__":
    main()
