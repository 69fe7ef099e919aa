"""tools/speedup --weak: molecules that grow with the number of processes. Each is swept by tools/speedup on its number of
processes and on one, whose trace is replayed.

The work of a Fock build does not grow as the molecule does: screening leaves out ever more. Processes are therefore
compared by the shell quartets that each computes in a second."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
from typing import NamedTuple

from . import lists, molecules, sweep as runs
from .cells import cell, csv_text
from .failure import NO_RESOURCE, Failure, Parser
from .plots import Curve, draw

SMALLEST = {"alkane": 10, "water": 4, "graphene": 2}  # of one process
BASIS = "cc-pVDZ"  # written into the inputs; --basis overrides it
ABOUT = """Weak scaling: molecules that grow with the number of processes, each on its own number and on one, with replays
beside. Efficiency is told by the shell quartets that each process computes in a second."""
EPILOG = """
Options not listed here go to tools/speedup, which gives those it does not know to hf:

  tools/speedup --weak alkane --processes 1,2 --predict 4,8,16 --basis 6-31G --memory 0

--memory 0 compares computing with computing. With --slurm job scripts are written for all molecules; when the jobs are
done, the same command without --slurm reads what they left. Exit codes are those of tools/speedup.
"""
COLUMNS = ("case", "input", "processes", "functions", "quartets", "one_process_seconds", "fock_seconds", "replay_seconds",
           "quartets_per_second_and_process", "efficiency", "replay_efficiency", "more_than_cores")


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


def make_molecule(kind, smallest, processes, folder):
    """The path of that of so many processes. Flakes grow as the square of their size."""
    size = max(1, round(smallest * (math.sqrt(processes) if kind == "graphene" else processes)))
    if size > molecules.KINDS[kind].largest:
        raise Failure(f"{kind} {size} is larger than {molecules.KINDS[kind].largest}")
    folder.mkdir(parents=True, exist_ok=True)
    return molecules.write(folder, kind, size, BASIS)


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
        paths = [make_molecule(arguments.weak, smallest, n, folder / "molecules") for n in counts]
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
               str(folder), *options, *([] if member.runs else ["--predict", str(member.processes)])]
    print(f"speedup: {member.path.stem} on {', '.join(map(str, counts))}", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{member.path}: tools/speedup ended with exit code {done.returncode}", done.returncode)
    return done.stdout


def title_of(point):
    builder = f"{point['fock']} ({point['onesided']})" if point["onesided"] else point["fock"]
    return f"{builder}, {point['schedule']}"


def rates(members, folder, case):
    """A dictionary of COLUMNS for each molecule, from results.json of its sweep; None: not run, or not replayed."""
    rows = []
    for path, processes, _ in members:
        with open(folder / path.stem / "results.json", encoding="utf-8") as file:
            found = json.load(file)
        points = {point["processes"]: point for point in found["points"] if title_of(point) == case}
        replay = next((row["replay_seconds"] for row in found["comparison"]
                       if title_of(row) == case and row["processes"] == processes), None)
        point, run = points.get(processes), next(iter(points.values()))["repetitions"][0]
        seconds, quartets = point and point["fock_seconds"], run["quartets_computed"]
        if quartets <= 0 or any(one["fock_seconds_min"] <= 0 for one in points.values()):
            raise Failure(f"{path.stem}: no shell quartets were computed in a time that can be measured; --memory 0 and "
                          "a larger molecule help", NO_RESOURCE)
        rate, replayed = (took and quartets / (processes * took) for took in (seconds, replay))
        rows.append(dict(zip(COLUMNS, (
            case, path.stem, processes, run["n_function"], quartets, points[1]["fock_seconds"] if 1 in points else None,
            seconds, replay, rate, rate, replayed, int(bool(point and point["more_than_cores"]))))))
    for name in ("efficiency", "replay_efficiency"):
        first = rows[0][name]
        for row in rows:
            row[name] = row[name] / first if first and row[name] else None
    return rows


def lines(rows):
    """For people."""
    width = max(len("molecule"), *(len(row["input"]) for row in rows))
    for case in dict.fromkeys(row["case"] for row in rows):
        yield f"Weak scaling of the Fock builds, {case}; seconds"
        yield (f"{'molecule':<{width}} {'processes':>10} {'functions':>9} {'quartets':>10} {'on one':>9} | {'wall':>9} "
               f"{'replay':>9} | {'quartets/s/process':>18} {'efficiency':>10} {'replay':>7}")
        for row in (row for row in rows if row["case"] == case):
            _, name, processes, n_function, quartets, *seconds, rate, efficiency, replayed, crowded = row.values()
            one, wall, replay = (cell(value, ".4g", 9) for value in seconds)
            yield (f"{name:<{width}} {processes:9d}{'*' if crowded else ' '} {n_function:9d} {quartets:10.3g} {one} | {wall} "
                   f"{replay} | {cell(rate, '.4g', 18)} {cell(efficiency, '.1%', 10)} {cell(replayed, '.1%', 7)}")
        yield ""
    yield ("quartets: shell quartets computed in all Fock builds; efficiency: quartets per second and process, over those "
           "of the first molecule, measured and replayed. Larger molecules may have cheaper or dearer quartets.")
    if any(row["more_than_cores"] for row in rows):
        yield "* more processes (times threads) than cores on a node: these times say little."


def draw_efficiency(folder, rows):
    curves = [Curve("ideal", [(row["processes"], 100.0) for row in rows], "ideal")]
    for colour, case in enumerate(dict.fromkeys(row["case"] for row in rows)):
        for name, style in (("efficiency", "measured"), ("replay_efficiency", "replay")):
            points = [(row["processes"], 100.0 * row[name], row["more_than_cores"]) for row in rows
                      if row["case"] == case and row[name]]
            if points:
                curves.append(Curve(f"{case}, {style}", points, style, colour))
    draw(str(folder / "weak-efficiency"), "Weak scaling of the Fock builds", "Processes, molecules grow with them",
         "Quartets per second and process / % of the first", curves)


def work(script, words):
    """The whole of tools/speedup --weak; `script` is tools/speedup."""
    arguments, options = read_arguments(words)
    folder = pathlib.Path(arguments.output or f"weak-{arguments.weak if arguments.weak in SMALLEST else 'scaling'}")
    members = members_of(arguments, folder)
    for member in members:
        text = sweep(script, member, folder / member.path.stem, arguments, options)
        if "--slurm" in options:
            print(text, end="")
    if "--slurm" in options:
        return 0
    with open(folder / members[0].path.stem / "results.json", encoding="utf-8") as file:
        cases = dict.fromkeys(map(title_of, json.load(file)["points"]))
    rows = [row for case in cases for row in rates(members, folder, case)]
    runs.write(folder / "weak-scaling.csv", csv_text(rows))
    print("\n".join(lines(rows)), flush=True)
    draw_efficiency(folder, rows)
    print(f"\nIn {folder}: weak-scaling.csv, weak-efficiency.svg (and .png), and a folder of tools/speedup for each molecule")
    return 0
