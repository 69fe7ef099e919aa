#!/usr/bin/env python3
"""What bash completes of hf's command line: every option of --help all, the words an option may be, basis sets, files.

Usage: test_completion.py HF SCRIPT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

DRIVER = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_hf hf
printf '%s\\n' "${COMPREPLY[@]}"
"""
SKIPPED = 77


def completed(script, *words):
    """What bash offers for the last word."""
    done = subprocess.run(["bash", "--norc", "-u", "-c", DRIVER, "bash", script, "hf", *words], check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return done.stdout.split()


def expect(failures, what, found, expected):
    if sorted(found) != sorted(expected):
        failures.append(f"{what}: offers {found}, expected {expected}")


def main():
    hf, script = map(os.path.abspath, sys.argv[1:])
    if shutil.which("bash") is None:
        return SKIPPED
    text = subprocess.run([hf, "--help", "all"], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    options = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", text, re.MULTILINE)
    failures = []
    expect(failures, "--", completed(script, "--"), options)
    expect(failures, "--schedule", completed(script, "--schedule", "st"), ["static", "steal"])
    expect(failures, "--schedule=", completed(script, "--schedule", "="), ["static", "manager", "counter", "steal"])
    expect(failures, "--schedule=c", completed(script, "--schedule", "=", "c"), ["counter"])
    expect(failures, "--basis", completed(script, "--basis", "def2-T"), ["def2-TZVP", "def2-TZVPD", "def2-TZVPP", "def2-TZVPPD"])
    expect(failures, "--list-basis", completed(script, "--list-basis", "cc-pV("),
           ["cc-pV(D+d)Z", "cc-pV(T+d)Z", "cc-pV(Q+d)Z", "cc-pV(5+d)Z"])
    expect(failures, "--basis 6-31G*", completed(script, "--basis", "6-31G*"), ["6-31G*", "6-31G**"])
    expect(failures, "--charge", completed(script, "--charge", ""), [])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("water.mol", "water.json"):
            with open(name, "w", encoding="utf-8"):
                pass
        expect(failures, "a file", completed(script, "--force", "wat"), ["water.mol", "water.json"])
        expect(failures, "--json", completed(script, "water.mol", "--json", "wat"), ["water.mol", "water.json"])
        os.chdir("/")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
