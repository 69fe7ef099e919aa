#!/usr/bin/env python3
"""Documents name every option of PROGRAM --help, and none that neither PROGRAM nor OTHER has.

Usage: test_options.py PROGRAM OTHER DOCUMENT...
"""

import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# Options of other programs, and the "--key value" of explanations.
OF_OTHERS = {"--key", "--oversubscribe", "--ntasks", "--nodes", "--ntasks-per-node", "--cpus-per-task", "--time",
             "--quiet", "--prefix", "--processes", "--way", "--peers", "--cores", "--hf-options", "--suite",
             "--bind-to", "--map-by", "--mpi", "--cflags", "--libs", "--predict", "--slurm", "--build", "--latency",
             "--bandwidth", "--pingpong", "--counter-latency", "--counter-service", "--manager-service", "--measured",
             "--series", "--runs"}


def options_in(text):
    return set(OPTION.findall(text.replace("\\-", "-")))


def options_of(program):
    help_text = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, check=True,
                               capture_output=True, text=True).stdout
    known = options_in(help_text) - OF_OTHERS
    if len(known) < 3:
        sys.exit(f"{program} --help shows {len(known)} options: that cannot be right")
    return known


def main():
    known, of_other = options_of(sys.argv[1]), options_of(sys.argv[2])
    failed = False
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as file:
            named = options_in(file.read())
        for option in sorted(known - named):
            print(f"{path}: does not name {option}")
            failed = True
        for option in sorted(named - known - of_other - OF_OTHERS):
            print(f"{path}: names {option}, which there is not")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
