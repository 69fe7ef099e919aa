#!/usr/bin/env python3
"""Usage: check_sizes.py HF

`hf --check` of molecules of 50,000 atoms and of 1,000,000 bonds: twice the size takes about twice the
processor time, not four times. What every run takes in any case is subtracted; the least of several
runs counts, because other programs may run beside. No run may take 10 s.
"""
import os
import resource
import subprocess
import sys
import tempfile

ATOMS, BONDS = 50_000, 1_000_000
RUNS = 3


def positions(n):
    side = 1
    while side**3 < n:
        side += 1
    return [(1.5 * (i // (side * side)), 1.5 * (i // side % side), 1.5 * (i % side)) for i in range(n)]


def xyz(n):
    return f"{n}\nlattice\n" + "".join(f"C {x} {y} {z}\n" for x, y, z in positions(n))


def native(n):
    """Each atom with a basis set of its own."""
    return ("".join(f"basis {i + 1} STO-3G\n" for i in range(n)) + "geometry\n"
            + "".join(f"He {x} {y} {z}\n" for x, y, z in positions(n)) + "end\n")


def molfile(n_bond):
    """V3000; the indices of the atoms run backwards."""
    n = max(2, n_bond // 20)
    lines = ["title", "", "", "  0  0  0     0  0            999 V3000", "M  V30 BEGIN CTAB",
             f"M  V30 COUNTS {n} {n_bond} 0 0 0", "M  V30 BEGIN ATOM"]
    lines += [f"M  V30 {n - i} C {x} {y} {z} 0" for i, (x, y, z) in enumerate(positions(n))]
    lines += ["M  V30 END ATOM", "M  V30 BEGIN BOND"]
    lines += [f"M  V30 {i + 1} 1 {i % n + 1} {(i * 7 + 1) % n + 1}" for i in range(n_bond)]
    return "\n".join(lines + ["M  V30 END BOND", "M  V30 END CTAB", "M  END", ""])


def seconds(hf, path, options):
    """Processor time of one run in user mode."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([hf, "--check", path] + options, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0 or "The input is good" not in done.stdout:
        sys.exit(f"hf --check {path}: {done.stderr}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    hf, failed = sys.argv[1], False
    with tempfile.TemporaryDirectory() as folder:
        for name, write, size, options in (("xyz", xyz, ATOMS, ["--basis", "STO-3G"]), ("native", native, ATOMS, []),
                                           ("molfile", molfile, BONDS, ["--basis", "STO-3G", "--force"])):
            least = []
            for n in (1, size // 2, size):
                path = os.path.join(folder, f"{name}-{n}")
                with open(path, "w", encoding="ascii") as file:
                    file.write(write(n))
                least.append(min(seconds(hf, path, options) for _ in range(RUNS)))
            ratio = (least[2] - least[0]) / max(least[1] - least[0], 0.05)  # 2 when linear, 4 when quadratic
            print(f"{name}: {size} in {least[2]:.2f} s, half of it in {least[1]:.2f} s, growth {ratio:.2f}")
            failed = failed or ratio > 3.2 or least[2] > 10.0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
