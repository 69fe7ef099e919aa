"""tools/speedup --weak: a series of molecules that grow with the number of processes. Each is swept by tools/speedup on its
number of processes and on one, whose trace is replayed; weak.py says what follows."""

import argparse
import math
import pathlib
import subprocess
import sys
from typing import NamedTuple

from . import lists, molecules, store, weak
from .failure import Failure, Parser

SMALLEST = {"alkane": 10, "water": 4, "graphene": 2}  # of one process
BASIS = "cc-pVDZ"  # written into the inputs; --basis overrides it
ABOUT = """Weak scaling: molecules that grow with the number of processes, each on its own number and on one, with replays
and models beside. Efficiency is told by the shell quartets that each process computes in a second."""
EPILOG = """
Options not listed here go to tools/speedup, which gives those it does not know to hf:

  tools/speedup --weak alkane --processes 1,2 --predict 4,8,16 --basis 6-31G --memory 0

--memory 0 compares computing with computing. With --slurm job scripts are written for all molecules; when the jobs are
done, the same command without --slurm reads what they left. Exit codes are those of tools/speedup.
"""


class Member(NamedTuple):
    """A molecule of the series; `runs`: not only replayed on so many processes."""
    path: pathlib.Path
    processes: int
    runs: bool


def add_options(parser):
    """Those that only weak scaling has."""
    group = parser.add_argument_group("weak scaling")
    group.add_argument("--weak", metavar="SERIES",
                       help="instead of INPUT alkane, water or graphene, which grow with the processes, or molecules, the "
                            "smallest first: a.mol,b.mol; --weak alkane -h explains")
    group.add_argument("--size", type=int, metavar="N",
                       help="of the molecule of one process; that of P processes has P times as many atoms (default: "
                            + ", ".join(f"{kind} {size}" for kind, size in SMALLEST.items()) + ")")
    group.add_argument("--measured-only", action="store_true",
                       help="run each molecule on its number of processes alone, and replay nothing")


def read_arguments(words):
    parser = Parser(prog="speedup", description=ABOUT, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--processes", default="1", metavar="LIST", help="such as 1,2,4 or 1-64*2 (default 1)")
    parser.add_argument("--predict", metavar="LIST", help="processes that are not run: their molecules are, on one process")
    parser.add_argument("--output", metavar="FOLDER", help="for all results (default weak-SERIES)")
    return parser.parse_known_args(words)


def size_of(kind, smallest, processes):
    """Flakes grow as the square of their size."""
    return max(1, round(smallest * (math.sqrt(processes) if kind == "graphene" else processes)))


def make_molecule(kind, size, folder):
    path = folder / f"{kind}-{size}.mol"
    if size > molecules.KINDS[kind].largest:
        raise Failure(f"{kind} {size} is larger than {molecules.KINDS[kind].largest}")
    atoms = molecules.KINDS[kind].build(size)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(molecules.native_text(atoms, f"{kind} {size}, {molecules.formula(atoms)}", BASIS), encoding="utf-8")
    return path


def members_of(arguments, folder):
    """The molecules and their numbers of processes, in the order of these."""
    run = lists.numbers("--processes", arguments.processes, 1)
    only = [] if arguments.predict is None else lists.numbers("--predict", arguments.predict, 1)
    if arguments.measured_only and only:
        raise Failure("--measured-only runs every molecule; --predict has no place beside it")
    counts = sorted({*run, *only})
    if arguments.weak in SMALLEST:
        smallest = SMALLEST[arguments.weak] if arguments.size is None else arguments.size
        if smallest < 1:
            raise Failure(f"--size: {smallest} found, expected 1 or more")
        paths = [make_molecule(arguments.weak, size_of(arguments.weak, smallest, n), folder / "molecules") for n in counts]
    else:
        if arguments.size is not None:
            raise Failure(f"--size is of {', '.join(SMALLEST)}, not of molecules that are given")
        paths = [pathlib.Path(word) for word in lists.words("--weak", arguments.weak)]
        missing = next((path for path in paths if not path.is_file()), None)
        if missing:
            raise Failure(f"--weak: {missing} is no file, and none of {', '.join(SMALLEST)}")
    if len(paths) != len(counts):
        raise Failure(f"--processes and --predict: {len(counts)} numbers for {len(paths)} molecules, expected one for each")
    names = [path.stem for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise Failure(f"two molecules are called {twice}, expected names that differ")
    return [Member(path, n, n in run) for path, n in zip(paths, counts)]


def sweep(script, member, folder, arguments, options):
    """One run of tools/speedup; what it prints goes beside its results."""
    counts = [member.processes] if arguments.measured_only else sorted({1, member.processes} if member.runs else {1})
    command = [sys.executable, script, str(member.path), "--processes", ",".join(map(str, counts)), "--output",
               str(folder), *options]
    if not member.runs:
        command += ["--predict", str(member.processes)]
    print(f"speedup: {member.path.stem} on {', '.join(map(str, counts))}", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{member.path}: tools/speedup ended with exit code {done.returncode}", done.returncode)
    return done.stdout


def work(script, words):
    """The whole of tools/speedup --weak; `script` is tools/speedup."""
    arguments, options = read_arguments(words)
    series = arguments.weak if arguments.weak in SMALLEST else "scaling"
    folder = pathlib.Path(arguments.output or f"weak-{series}")
    members = members_of(arguments, folder)
    for member in members:
        text = sweep(script, member, folder / member.path.stem, arguments, options)
        if "--slurm" in options:
            print(text, end="")
    if "--slurm" in options:
        return 0
    rows = weak.make_rows([(member.path.stem, member.processes, weak.read_sweep(folder / member.path.stem / "results.json"))
                           for member in members])
    store.write(folder / "weak-scaling.csv", weak.csv_text(rows))
    print("\n".join(weak.lines(rows)), flush=True)
    weak.draw_all(folder, rows)
    print(f"\nIn {folder}: weak-scaling.csv, weak-times.svg, weak-sizes.svg, weak-efficiency.svg (and .png), and a folder of "
          "tools/speedup for each molecule")
    return 0
