#!/usr/bin/env python3
"""The quick tests (tools/check) stay quick: their number, and that of the ranks that they and their whole calculations run on,
are at most 10 % above the figures in a file. Seconds vary by more than that on a busy machine.

Usage: check_quick_tests.py BUILD building.md
"""

import json
import re
import subprocess
import sys

from tool_test import ROOT
import list_tests

sys.path.append(str(ROOT / "tests" / "regression"))
import groups  # noqa: E402 # pylint: disable=wrong-import-position

MOST_GROWTH = 1.1
FIGURES = re.compile(r"^\| quick tests \| (\d+) tests \| (\d+) ranks \|", re.MULTILINE)


def selection():
    """(most ranks, suites) of tools/check."""
    text = (ROOT / "tools" / "check").read_text(encoding="utf-8")
    words = re.search(r"check_build 'Quick tests' \S+ \S+ program (\d+) (.*)", text).groups()
    return int(words[0]), words[1].split()


def main():
    folder, page = sys.argv[1:]
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], check=True, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True).stdout)
    names = list(list_tests.selected(tests, *selection()))
    ranks = sum(max(1, list_tests.ranks_of({"name": name})) for name in names)
    ranks += sum(job.ranks * len(job.runs) for name, group in groups.GROUPS.items() for job in group()
                 if groups.level(name, job) == "quick")
    with open(page, encoding="utf-8") as file:
        figures = [int(figure) for figure in FIGURES.search(file.read()).groups()]
    print(f"| quick tests | {len(names)} tests | {ranks} ranks |; the figures are {figures}, at most {MOST_GROWTH} of them")
    return 0 if len(names) <= MOST_GROWTH * figures[0] and ranks <= MOST_GROWTH * figures[1] else 1


if __name__ == "__main__":
    sys.exit(main())
