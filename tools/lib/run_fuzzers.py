#!/usr/bin/env python3
"""Runs every fuzz harness of a build folder, two side by side, for so many seconds together.

Usage: run_fuzzers.py ROOT FOLDER SECONDS

Prints the executions of each and of all. Exit code 1: something was found, or a harness did not run.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

JOBS = 2
# Harnesses that share a dictionary; the others have one of their own name.
DICTIONARY = {"input": "native", "v2000": "mdl", "v3000": "mdl", "point_charges": "xyz"}
MOST_BYTES = {"checkpoint": 65536}
USUAL_BYTES = 4096
# One input may take this long and this much memory.
SLOWEST_SECONDS = 25
MOST_MEGABYTES = 2048
EXECUTED = re.compile(r"stat::number_of_executed_units: *(\d+)")
WRITTEN = re.compile(r"Test unit written to (\S+)")
LINES_SHOWN = 30


class Harness:
    """One program of libFuzzer's, where it starts from and what came of it."""

    def __init__(self, root, folder, name):
        self.name = name
        self.program = folder / "tests" / "fuzz" / f"fuzz_{name}"
        self.given = root / "tests" / "fuzz" / "corpus" / name
        self.own = folder / "corpus" / name
        self.found_folder = folder / "found"
        self.dictionary = root / "tests" / "fuzz" / "dictionaries" / f"{DICTIONARY.get(name, name)}.dict"
        self.n_executed, self.reproducers, self.output, self.good = 0, [], "", False

    def command(self, seconds):
        options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES.get(self.name, USUAL_BYTES)}", f"-timeout={SLOWEST_SECONDS}",
                   f"-rss_limit_mb={MOST_MEGABYTES}", "-print_final_stats=1", "-verbosity=0",
                   f"-artifact_prefix={self.found_folder}/{self.name}-"]
        if self.dictionary.is_file():
            options.append(f"-dict={self.dictionary}")
        return [str(self.program), *options, str(self.own), str(self.given)]

    def run(self, seconds):
        self.own.mkdir(parents=True, exist_ok=True)
        self.found_folder.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1",
                           UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
        try:
            done = subprocess.run(self.command(seconds), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", check=False, env=environment,
                                  timeout=seconds + 4 * SLOWEST_SECONDS)
            self.output, code = done.stdout + done.stderr, done.returncode
        except (OSError, subprocess.TimeoutExpired) as error:
            self.output, code = str(error), -1
        self.read_output(code)

    def read_output(self, code):
        executed = EXECUTED.search(self.output)
        self.n_executed = int(executed[1]) if executed else 0
        self.reproducers = WRITTEN.findall(self.output)
        self.good = code == 0 and self.n_executed > 0 and not self.reproducers

    def line(self):
        text = f"{self.name:<16}{self.n_executed:>12} executions"
        if self.good:
            return text
        return text + ", FAILED: " + (" ".join(self.reproducers) or "see above")


def total(harnesses, seconds):
    """The last line."""
    failed = [harness.name for harness in harnesses if not harness.good]
    n_executed = sum(harness.n_executed for harness in harnesses)
    text = f"{len(harnesses)} harnesses, {n_executed} executions in {seconds:.0f} s, "
    return text + (f"{len(failed)} failed: {' '.join(failed)}" if failed else "nothing found")


def main():
    root, folder, seconds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    names = sorted(path.name for path in (root / "tests" / "fuzz" / "corpus").iterdir())
    harnesses = [Harness(root, folder, name) for name in names]
    share = max(1, seconds * JOBS // len(harnesses))
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda harness: harness.run(share), harnesses))
    for harness in harnesses:
        if not harness.good:
            print("\n".join(harness.output.splitlines()[-LINES_SHOWN:]), file=sys.stderr)
        print(harness.line())
    print(total(harnesses, time.monotonic() - started))
    return 0 if all(harness.good for harness in harnesses) else 1


if __name__ == "__main__":
    sys.exit(main())
