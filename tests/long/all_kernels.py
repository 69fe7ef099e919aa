#!/usr/bin/env python3
"""Builds hf with the inner loops of all instruction sets, as packages have them, and runs the tests that compare those that
this processor has. tools/check --all builds the best set alone.

Usage: all_kernels.py SOURCE
"""

import subprocess
import sys
import tempfile

TESTS = ["vertical *", "to-functions", "fock digest strips", "fock exact sums", "work/strip kernels", "translation",
         "coulomb kernels", "integral bits", "hermite", "water/rhf/cc-pvdz on 1"]


def main():
    with tempfile.TemporaryDirectory(prefix="hf-all-kernels-") as folder:
        for command in (["meson", "setup", folder, sys.argv[1], "-Dkernels=all", "-Dtests=enabled", "-Dwerror=true"],
                        ["meson", "test", "-C", folder, *TESTS]):
            code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
            if code != 0:
                print("failed:", *command)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
