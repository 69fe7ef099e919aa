#!/usr/bin/env python3
"""The manual and the README name every option of hf --help, and no option that hf does not have.

Usage: test_options.py HF DOCUMENT...
"""

import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# Options of other programs, and the "--key value" of explanations.
OF_OTHERS = {"--key", "--oversubscribe", "--ntasks", "--nodes", "--ntasks-per-node", "--cpus-per-task", "--time",
             "--quiet", "--prefix", "--suite", "--bind-to", "--map-by", "--mpi", "--cflags", "--libs"}


def options_in(text):
    return set(OPTION.findall(text.replace("\\-", "-")))


def main():
    help_text = subprocess.run([sys.argv[1], "--help"], stdin=subprocess.DEVNULL, check=True,
                               capture_output=True, text=True).stdout
    known = options_in(help_text) - OF_OTHERS
    if len(known) < 3:
        sys.exit(f"hf --help shows {len(known)} options: that cannot be right")
    failed = False
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            named = options_in(file.read())
        for option in sorted(known - named):
            print(f"{path}: does not name {option}")
            failed = True
        for option in sorted(named - known - OF_OTHERS):
            print(f"{path}: names {option}, which hf does not have")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
