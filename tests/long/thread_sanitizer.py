#!/usr/bin/env python3
"""Builds hf with clang under ThreadSanitizer and runs it in all ways that have threads: both builders, all schedulers and
transports, stored integrals, the progress thread, 1 to 3 ranks. A report of a race, a wrong energy or a hang fails.

What is left alone, and why, stands in thread_sanitizer.supp. That a race would be seen is tried first, with race.c.

Usage: thread_sanitizer.py SOURCE BUILD MPIEXEC
Exit code 77 (skipped) where clang or its OpenMP library is not there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPORTED = 66
SKIPPED = 77
MOST_SECONDS = 300
ENERGY = re.compile(r"^Total energy +(\S+) hartree", re.MULTILINE)

# ranks, options. Water in cc-pVDZ: enough tasks that threads meet.
CASES = [
    (1, "--threads 3 --memory 0"),
    (1, "--threads 2 --memory 1MB"),
    (1, "--threads 3 --fock distributed"),
    (2, "--threads 3 --schedule static"),
    (2, "--threads 3 --schedule manager"),
    (2, "--threads 3 --schedule counter"),
    (2, "--threads 3 --schedule steal"),
    (2, "--threads 2 --schedule counter --progress-thread"),
    (3, "--threads 2 --schedule counter --counter array"),
    (3, "--threads 2 --schedule steal --memory 1MB"),
    (2, "--threads 2 --fock distributed --onesided thread --schedule static --memory 0"),
    (3, "--threads 2 --fock distributed --onesided thread --schedule steal"),
    (2, "--threads 3 --fock distributed --onesided thread --schedule counter --accumulate caller"),
    (3, "--threads 2 --fock distributed --onesided thread --schedule manager --memory 1MB"),
    (2, "--threads 2 --fock distributed --onesided rma --schedule static --memory 0"),
    (3, "--threads 2 --fock distributed --onesided rma --schedule manager"),
    (2, "--threads 3 --fock distributed --onesided rma --schedule counter --progress-thread"),
    (3, "--threads 2 --fock distributed --onesided rma --schedule steal --accumulate caller --memory 1MB"),
    (2, "--threads 2 --grain shell-quartet --schedule steal --guess core"),
]
WATER_CC_PVDZ = -76.0267720534


def archer():
    """clang's library that tells ThreadSanitizer of OpenMP, or None."""
    clang = shutil.which("clang")
    if clang is None:
        return None
    folders = [pathlib.Path(clang).resolve().parent.parent / "lib", *pathlib.Path("/usr/lib").glob("llvm-*/lib")]
    return next((str(folder / "libarcher.so") for folder in folders if (folder / "libarcher.so").is_file()), None)


def sanitizer_environment(source, library):
    return dict(os.environ, HF_BASIS_PATH=str(source / "basis"), OMP_TOOL_LIBRARIES=library, OMPI_MCA_orte_execute_quiet="1",
                TSAN_OPTIONS=f"ignore_noninstrumented_modules=1:history_size=4:exitcode={REPORTED}:"
                             f"suppressions={HERE / 'thread_sanitizer.supp'}")


def finish(command, environment):
    """Exit code (None: it hangs) and all that was printed."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=environment, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def races_are_seen(environment):
    """What is wrong with how ThreadSanitizer is set up, or None."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder, "race"))
        subprocess.run(["clang", "-g", "-O1", "-fsanitize=thread", "-fopenmp", str(HERE / "race.c"), "-o", program],
                       check=True, stdin=subprocess.DEVNULL)
        code, output = finish([program], environment)
        if code != 0:
            return f"a program without a race ends with {code}:\n{output}"
        code, output = finish([program, "race"], environment)
        if code != REPORTED or "data race" not in output:
            return f"a race is not seen (exit code {code}):\n{output}"
    return None


def build(source, folder):
    variables = dict(os.environ, CC="clang")
    if not (folder / "build.ninja").is_file():
        subprocess.run(["meson", "setup", str(folder), str(source), "-Db_sanitize=thread", "-Db_lundef=false",
                        "-Doptimization=1", "-Ddebug=true", "-Db_ndebug=false", "-Dtests=disabled"],
                       check=True, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", str(folder), "hf"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return str(folder / "hf")


def complaint(code, output):
    """What is wrong with a run, or None."""
    energy = ENERGY.search(output)
    if code is None:
        return "hangs"
    if "WARNING: ThreadSanitizer" in output:
        return "reported:\n" + output[output.index("WARNING: ThreadSanitizer"):][:6000]
    if code != 0:
        return f"exit code {code}:\n{output[-2000:]}"
    if energy is None or abs(float(energy[1]) - WATER_CC_PVDZ) > 1e-8:
        return f"energy {energy and energy[1]}, expected {WATER_CC_PVDZ}"
    return None


def main():
    source, folder, mpiexec = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2], "thread-sanitizer"), sys.argv[3]
    library = archer()
    if library is None:
        print("skipped: clang with libomp and libarcher was not found (Debian: clang libomp-dev)")
        return SKIPPED
    environment = sanitizer_environment(source, library)
    blind = races_are_seen(environment)
    if blind:
        print("FAILED", blind)
        return 1
    program = build(source, folder)
    n_failed = 0
    for n_rank, options in CASES:
        command = [mpiexec, "-n", str(n_rank), program, str(source / "inputs" / "water.mol"), "--basis", "cc-pVDZ"]
        wrong = complaint(*finish(command + options.split(), environment))
        print("FAILED" if wrong else "ok    ", n_rank, options, wrong or "", flush=True)
        n_failed += wrong is not None
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
