#!/usr/bin/env python3
"""Documents name every option of a program's --help, and none that neither programs nor scripts have.

Usage: test_options.py PROGRAM DOCUMENT...                      each document names all options of PROGRAM
       test_options.py --others PROGRAM... -- DOCUMENT...       the documents name no option that nobody has
"""

import functools
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
ENTRY = re.compile(r"^  (?:-\w, )?(--[a-z][a-z0-9-]*)", re.MULTILINE)
# Options of programs that are not ours, and the "--key value" of explanations.
OF_OTHERS = {"--key", "--oversubscribe", "--quiet", "--mca", "--signal", "--bind-to", "--map-by", "--mpi", "--cpu-bind", "--cpus-per-task",
             "--ntasks", "--nodes", "--ntasks-per-node", "--time", "--cflags", "--libs", "--suite", "--list",
             "--prefix", "--host", "--gen3d", "--no-build-isolation"}


@functools.cache
def help_of(program):
    """All that a program says of its options; what is behind --help matters to hf alone."""
    return subprocess.run([program, "--help", "all"], stdin=subprocess.DEVNULL, check=True, capture_output=True,
                          text=True).stdout


def options_in(text):
    return set(OPTION.findall(text.replace("\\-", "-")))


def incomplete(program, path):
    """The options of a program that a document does not name, a line each."""
    known = set(ENTRY.findall(help_of(program)))
    if len(known) < 3:
        sys.exit(f"{program} --help shows {len(known)} options: that cannot be right")
    named = options_in(pathlib.Path(path).read_text(encoding="utf-8"))
    for option in sorted(known - named):
        yield f"{path}: does not name {option}"


def unknown(programs, path):
    known = set().union(OF_OTHERS, *(options_in(help_of(program)) for program in programs))
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for option in sorted(options_in(text) - known):
        yield f"{path}: names {option}, which there is not"


def main():
    if sys.argv[1] == "--others":
        middle = sys.argv.index("--")
        wrong = [line for path in sys.argv[middle + 1:] for line in unknown(sys.argv[2:middle], path)]
    else:
        wrong = [line for path in sys.argv[2:] for line in incomplete(sys.argv[1], path)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
