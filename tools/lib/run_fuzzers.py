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


def fuzz(root, folder, name, seconds):
    """(its name, executions, output, what it found or None) of a harness, a program of libFuzzer's."""
    own, found = folder / "corpus" / name, folder / "found"
    for path in (own, found):
        path.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES.get(name, USUAL_BYTES)}", f"-timeout={SLOWEST_SECONDS}",
               f"-rss_limit_mb={MOST_MEGABYTES}", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={found}/{name}-"]
    dictionary = root / "tests" / "fuzz" / "dictionaries" / f"{DICTIONARY.get(name, name)}.dict"
    options += [f"-dict={dictionary}"] if dictionary.is_file() else []
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    try:
        done = subprocess.run([folder / "tests" / "fuzz" / f"fuzz_{name}", *options, own, root / "tests" / "fuzz" / "corpus" / name],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False, env=environment,
                              timeout=seconds + 4 * SLOWEST_SECONDS)
        output, code = done.stdout + done.stderr, done.returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        output, code = str(error), -1
    n_executed = sum(map(int, EXECUTED.findall(output)[:1]))
    reproducers = " ".join(WRITTEN.findall(output))
    return name, n_executed, output, None if code == 0 and n_executed > 0 and not reproducers else reproducers or "see above"


def main():
    root, folder, seconds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    names = sorted(path.name for path in (root / "tests" / "fuzz" / "corpus").iterdir())
    share = max(1, seconds * JOBS // len(names))
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda name: fuzz(root, folder, name, share), names))
    for name, n_executed, output, wrong in results:
        if wrong:
            print("\n".join(output.splitlines()[-LINES_SHOWN:]), file=sys.stderr)
        print(f"{name:<16}{n_executed:>12} executions" + (f", FAILED: {wrong}" if wrong else ""))
    failed = [name for name, *_, wrong in results if wrong]
    print(f"{len(names)} harnesses, {sum(n for _, n, *_ in results)} executions in {time.monotonic() - started:.0f} s, "
          + (f"{len(failed)} failed: {' '.join(failed)}" if failed else "nothing found"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
