#!/usr/bin/env python3
"""Prints "PASSED FAILED" for a Meson testlog.json; the failed tests and the ends of their output go to
standard error. A log that is missing or empty counts as one failure."""

import json
import sys

GOOD = ("OK", "EXPECTEDFAIL")
IGNORED = ("SKIP", "IGNORED")
LINES_SHOWN = 30


def read_results(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    except OSError as error:
        print(error, file=sys.stderr)
        return []


def count(path):
    """(passed, failed); what failed goes to standard error."""
    results = read_results(path)
    failed = [r for r in results if r["result"] not in GOOD + IGNORED]
    passed = [r for r in results if r["result"] in GOOD]
    for result in failed:
        print(f"FAILED ({result['result']}): {result['name']}", file=sys.stderr)
        text = (result.get("stdout") or "") + (result.get("stderr") or "")
        for line in text.splitlines()[-LINES_SHOWN:]:
            print("    " + line, file=sys.stderr)
    return len(passed), len(failed) if results else 1


if __name__ == "__main__":
    print(*count(sys.argv[1]))
