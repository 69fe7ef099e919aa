#!/usr/bin/env python3
"""Memory of MP2: as foreseen by --check, divided among the ranks, and within --memory. Each algorithm and
the gradient, 1, 2, 4 and 8 ranks.

With the static scheduler the ranks have equal parts; the others may give more tasks to a rank whose core is free.

Usage: mp2_memory.py HF MPIEXEC INPUTS
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HF, MPIEXEC, INPUTS = sys.argv[1:4]
RUN = [os.path.join(INPUTS, "uracil.mol"), "--basis", "6-31G*", "--method", "mp2", "--frozen-core", "none",
       "--schedule", "static", "--checkpoint", "none", "--commutator-tolerance", "1e-5"]
CONSTANT = 3e6  # bytes that do not grow with the molecule
LIMIT = 30e6


def run(n_rank, options, folder):
    """What hf says about memory and about MP2."""
    path = pathlib.Path(folder) / "out.json"
    done = subprocess.run([MPIEXEC, "-n", str(n_rank), HF, *RUN, *options, "--json", str(path)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{n_rank} ranks, {options}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    extras = json.loads(path.read_text(encoding="utf-8"))["extras"]["hf"]
    return extras["memory_expected_bytes"], extras["memory_bytes"], extras["mp2"]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for algorithm in "kets", "pairs", "p1", "p2", "gradient":
            choice = ["--task", "gradient"] if algorithm == "gradient" else ["--mp2-algorithm", algorithm]
            for n_rank in 1, 2, 4, 8:
                name = f"{algorithm} on {n_rank}"
                expected, found, mp2 = run(n_rank, choice + ["--memory", "0"], folder)
                foreseen, peak, stored = expected["after_scf"], found["tracked_peak"]["max"], mp2["stored_bytes"]
                resident = found["resident_peak"]["max"]
                alone = stored if n_rank == 1 else alone
                print(f"{name}: MP2 {foreseen / 1e6:.1f} MB foreseen, {peak / 1e6:.1f} taken; integrals {stored / 1e6:.1f}; "
                      f"rank {expected['rank'] / 1e6:.1f} foreseen, {resident / 1e6:.1f} taken", flush=True)
                if not 0.9 * peak - CONSTANT < foreseen < 1.1 * peak + CONSTANT:
                    failures.append(f"{name}: {foreseen:.4g} bytes foreseen, {peak:.4g} taken")
                if abs(stored * n_rank / alone - 1.0) > 0.1:
                    failures.append(f"{name}: {stored:.4g} bytes of integrals, {alone:.4g} on one rank")
                if resident > 1.1 * expected["rank"]:
                    failures.append(f"{name}: a rank takes {resident:.4g} bytes, {expected['rank']:.4g} foreseen")
            # stored integrals of the SCF are not reproducible: so all of the memory is that of MP2
            options = choice + ["--memory", f"{LIMIT:.0f} B"]
            _, found, mp2 = run(1, options + (["--reproducible"] if algorithm in ("kets", "pairs") else []), folder)
            peak = found["tracked_peak"]["max"]
            print(f"{algorithm} in {LIMIT / 1e6:.0f} MB: {mp2['batches']} batches, {peak / 1e6:.1f} MB taken", flush=True)
            if mp2["batches"] < 2 or peak > 1.1 * LIMIT + CONSTANT:
                failures.append(f"{algorithm}: {mp2['batches']} batches, {peak:.4g} bytes in spite of {LIMIT:.4g}")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
