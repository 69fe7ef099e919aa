#!/usr/bin/env python3
"""Documents name every option of a program's --help, with its default where they have a table of them, and none that
neither programs nor scripts have.

Usage: test_options.py PROGRAM DOCUMENT...                      each document names all options of PROGRAM
       test_options.py --others PROGRAM... -- DOCUMENT...       the documents name no option that nobody has
"""

import functools
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
ENTRY = re.compile(r"^  (?:-\w, )?(--[a-z][a-z0-9-]*)")
DEFAULT = re.compile(r"\(default ([^)]*)\)")
ROW = re.compile(r"^\| `(--[a-z][a-z0-9-]*)[^|]*\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
# Options of programs that are not ours, and the "--key value" of explanations.
OF_OTHERS = {"--key", "--oversubscribe", "--quiet", "--mca", "--signal", "--bind-to", "--map-by", "--mpi", "--cpu-bind", "--cpus-per-task",
             "--ntasks", "--nodes", "--ntasks-per-node", "--time", "--cflags", "--libs", "--suite", "--list",
             "--prefix", "--host", "--gen3d"}


@functools.cache
def help_of(program):
    return subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, check=True, capture_output=True,
                          text=True).stdout


def options_in(text):
    return set(OPTION.findall(text.replace("\\-", "-")))


def entries(text):
    """{option: its lines of --help in one}."""
    found, name = {}, None
    for line in text.splitlines():
        match = ENTRY.match(line)
        if match:
            name = match[1]
        elif not line.startswith("    "):
            name = None
        if name:
            found[name] = (found.get(name, "") + " " + line.strip()).strip()
    return found


def defaults(text):
    """{option: default} of a --help, for those that have one."""
    found = {name: DEFAULT.search(entry) for name, entry in entries(text).items()}
    return {name: match[1].split()[0] for name, match in found.items() if match}


def table_defaults(text):
    """{option: default} of the rows of a document's table of options, for those that have one."""
    return {name: default.strip().strip("`") for name, _, default in ROW.findall(text) if default.strip()}


def incomplete(program, path):
    """What a document that must name all options of a program lacks, a line each."""
    help_text, text = help_of(program), pathlib.Path(path).read_text(encoding="utf-8")
    known = set(entries(help_text))
    if len(known) < 3:
        sys.exit(f"{program} --help shows {len(known)} options: that cannot be right")
    for option in sorted(known - options_in(text)):
        yield f"{path}: does not name {option}"
    expected, found = defaults(help_text), table_defaults(text)
    for option in sorted(found):
        if found[option] != expected.get(option):
            yield f"{path}: {option} has the default {expected.get(option)}, the table says {found[option]}"
    if ROW.search(text):
        for option in sorted(set(expected) - set(found)):
            yield f"{path}: the default {expected[option]} of {option} is missing"


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
