#!/usr/bin/env python3
"""Runs killed with SIGKILL at random moments go on from their checkpoints, on other numbers of ranks.

Each trial starts hf in a process group of its own, replicated or distributed, on 1 to 4 ranks, with checkpoints as often
as they come; kills the whole group, mpiexec and ranks, at a random moment after the first checkpoint was there; looks at
the checkpoint with --show and h5py; and goes on from it on another number of ranks, maybe to be killed again. All must end
with the energy of a run that nobody killed. The seed is printed: with it the trials are the same.

Usage: kill_and_restart.py HF MPIEXEC INPUT [TRIALS [SEED]]
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from process_tree import kill  # noqa: E402 # pylint: disable=wrong-import-position

HF, MPIEXEC, INPUT = sys.argv[1:4]
TRIALS = int(sys.argv[4]) if len(sys.argv) > 4 else 50
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randrange(10**6)
TOLERANCE = 1e-9
MOST_SECONDS = 120
COMPUTE = ["--basis", "6-31G", "--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-7", "--memory", "0"]
ENVIRONMENT = dict(os.environ, OMPI_MCA_orte_execute_quiet="1")


def start(n_rank, arguments):
    """A group of its own, so that one signal reaches mpiexec and, with those in its session, the ranks."""
    return subprocess.Popen([MPIEXEC, "-n", str(n_rank), HF, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True, env=ENVIRONMENT)


def energy_of(text):
    found = re.findall(r"^Total energy +(-\d+\.\d+) hartree, converged", text, re.M)
    return float(found[-1]) if found else None


def look(path):
    """What is wrong with a checkpoint, or nothing."""
    done = subprocess.run([HF, "--show", str(path)], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0 or "To continue" not in done.stdout:
        return f"--show: {done.stdout}{done.stderr}"
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError:
        return ""
    try:
        with h5py.File(path, "r") as file:
            file.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
    except OSError as error:
        return f"h5py: {error}"
    return ""


def run_and_kill(n_rank, arguments, path, moment):
    """True when it was killed: `moment` seconds after its first checkpoint. Else its text."""
    before = path.stat().st_mtime_ns if path.exists() else None
    process = start(n_rank, arguments)
    end = time.monotonic() + MOST_SECONDS
    while process.poll() is None and time.monotonic() < end:
        if path.exists() and path.stat().st_mtime_ns != before:
            break
        time.sleep(0.001)
    try:
        text, _ = process.communicate(timeout=moment)
        return False, text
    except subprocess.TimeoutExpired:
        kill(process)
        return True, ""


def trial(number, chance, folder, expected, seconds):
    """One run, killed up to three times. Returns what is wrong, and how often it was killed."""
    path = folder / f"{number}.h5"
    arguments, n_rank, n_kill = [INPUT, *COMPUTE], chance.randint(1, 4), 0
    while True:
        way = chance.choice([["--fock", "replicated"], ["--fock", "distributed"],
                             ["--fock", "distributed", "--onesided", "rma", "--schedule", "steal"],
                             ["--fock", "replicated", "--schedule", "counter"]])
        all_arguments = arguments + way + ["--checkpoint", str(path), "--checkpoint-interval", "0"]
        moment = chance.uniform(0.0, 0.7 * seconds) if n_kill < 3 and (n_kill == 0 or chance.random() < 0.5) else None
        if moment is None:
            text, _ = start(n_rank, all_arguments).communicate(timeout=MOST_SECONDS)
        else:
            killed, text = run_and_kill(n_rank, all_arguments, path, moment)
            wrong = look(path) if path.exists() else "no checkpoint"
            if wrong:
                return wrong, n_kill
            if killed:
                n_kill += 1
                arguments = ["--restart", str(path)]
                n_rank = chance.choice([n for n in (1, 2, 3, 4) if n != n_rank])
                continue
            if n_kill == 0:  # it had ended before: another one
                path.unlink()
                continue
        energy = energy_of(text)
        if energy is None or abs(energy - expected) > TOLERANCE:
            return f"{n_rank} ranks, {way}: energy {energy}, expected {expected}: {text[-600:]}", n_kill
        if list(folder.glob("*.part")) and not (folder / f"{number}.h5.part").exists():
            return "parts of others are left", n_kill
        return "", n_kill


def main():
    chance = random.Random(SEED)
    print(f"seed {SEED}, {TRIALS} trials", flush=True)
    began = time.monotonic()
    done = subprocess.run([HF, INPUT, *COMPUTE, "--checkpoint", "none"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    expected = energy_of(done.stdout)
    if expected is None:
        print(done.stdout + done.stderr)
        return 1
    print(f"energy {expected:.10f} after {seconds:.1f} s", flush=True)
    n_bad = n_kill = 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(1, TRIALS + 1):
            wrong, killed = trial(number, chance, pathlib.Path(name), expected, seconds)
            n_kill += killed
            n_bad += bool(wrong)
            print(f"trial {number}: {'FAILED ' + wrong if wrong else 'good'}, killed {killed} times", flush=True)
    print(f"{TRIALS - n_bad} of {TRIALS} runs, killed {n_kill} times, ended with the energy of a run that was not; "
          f"{time.monotonic() - began:.0f} s")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
