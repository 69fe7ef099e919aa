"""Runs of versions of hf, of options or of programs in turn, and what those of two versions say of each other.

Which one runs first changes from round to round, so that what slows the machine down for a while, or bit by bit, does
not favour one. A ratio is the median of those of the pairs, whose runs are neighbours in time.
"""

import json
import math
import pathlib
import resource
import shutil
import statistics
import sys
from typing import NamedTuple

from . import launch, qcschema
from .failure import NO_RESOURCE, Failure

FOCK = "Fock: "


class Case(NamedTuple):
    """One calculation; `name` is for tables."""
    name: str
    input: str
    options: list


class Measured(NamedTuple):
    """One run. Seconds, but for the energy and the iterations."""
    whole: float  # by the clock, start of the program to its end
    user: float  # of all its processes, with mpiexec
    fock: float  # all builds; means over the ranks
    energy: float
    iterations: int

    @property
    def fock_build(self):
        return self.fock / self.iterations


class Ratio(NamedTuple):
    """New over old: median, smallest and largest of the pairs; least time over least time."""
    median: float
    low: float
    high: float
    of_least: float


MEASURES = {"whole": "whole run", "user": "  user CPU", "fock": "Fock builds", "fock_build": "  per build"}


def add_options(parser, n_run):
    """Those of every tool that lets runs take turns."""
    parser.add_argument("--runs", type=int, default=n_run, metavar="N", help="runs of each (default %(default)s)")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="processes of each run (default 1)")
    parser.add_argument("--mpiexec", default=shutil.which("mpiexec.openmpi") or "mpiexec",
                        help="of the MPI library that hf is built with")


def read_options(parser):
    """(arguments with their inputs, the options of hf behind these)."""
    arguments, rest = parser.parse_known_args()
    n_input = next((index for index, word in enumerate(rest) if word.startswith("-")), len(rest))
    arguments.inputs = rest[:n_input]
    for name in ("ranks", "runs"):
        if getattr(arguments, name) < 1:
            raise Failure(f"--{name}: {getattr(arguments, name)} found, expected 1 or more")
    for path in arguments.inputs:
        if not pathlib.Path(path).is_file():
            raise Failure(f"{path}: no such input file")
    return arguments, rest[n_input:]


def command(hf, case, more, n_rank, mpiexec):
    """Of one run."""
    words = [hf, case.input, *case.options, *more]
    return [mpiexec, "-n", str(n_rank), *words] if n_rank > 1 else words


def result_of(words, folder, what):
    """(text of the file of --json, wall seconds, user seconds, CPU seconds) of a command of hf."""
    result, user, cpu = folder / "result.json", user_seconds(), launch.cpu_seconds()
    result.unlink(missing_ok=True)
    whole = launch.timed([*words, "--json", str(result)], folder / "report", True, what)
    try:
        return result.read_text(encoding="utf-8"), whole, user_seconds() - user, launch.cpu_seconds() - cpu
    except OSError as error:
        raise Failure(f"{what}: hf left no results", NO_RESOURCE) from error


def user_seconds():
    """Of the processes that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def run(version, case, n_rank, mpiexec, folder):
    """A Measured of one run, of this version of hf or of an older one."""
    what = f"{version.name}, {case.name}"
    text, whole, user, _ = result_of(command(version.hf, case, [], n_rank, mpiexec), folder, what)
    try:
        output = qcschema.load(text)
        fock = sum(entry["mean"] for entry in output["extras"]["hf"]["timings_seconds"]
                   if entry["phase"].startswith(FOCK))
        return Measured(whole, user, fock, float(output["return_result"]), output["properties"]["scf_iterations"])
    except (ValueError, LookupError, TypeError) as error:
        raise Failure(f"{what}: hf left no results", NO_RESOURCE) from error


def in_turn(items, n_run, run_one):
    """[[run_one(item) of each item] of each round]; the first round begins with the first item, the next with the
    second and so on."""
    n, rounds = len(items), []
    for index in range(n_run):
        found = {i % n: run_one(items[i % n]) for i in range(index, index + n)}  # by place: two items may be equal
        rounds.append([found[i] for i in range(n)])
    return rounds


def ratio(found, measure):
    """Ratio of one measure; not-a-number where the old version took no time."""
    olds, news = ([getattr(one, measure) for one in side] for side in zip(*found))
    if min(olds) <= 0:
        return Ratio(math.nan, math.nan, math.nan, math.nan)
    single = [new / old for old, new in zip(olds, news)]
    return Ratio(statistics.median(single), min(single), max(single), min(news) / min(olds))


def medians(found, measure):
    """(old, new)."""
    return tuple(statistics.median(getattr(one, measure) for one in side) for side in zip(*found))


def energy_difference(found):
    """Of all the runs, the difference new - old that is largest in size, in hartree; what is no number stays none."""
    differences = [new.energy - old.energy for old, new in found]
    strange = [value for value in differences if math.isnan(value)]
    return strange[0] if strange else max(differences, key=abs)


def lines(title, found):
    """The table of one case."""
    text = [f"{title}", f"{'':<12} {'old s':>10} {'new s':>10} {'new/old':>8}   {'in single pairs':<16} {'least/least':>11}"]
    for measure, name in MEASURES.items():
        old, new = medians(found, measure)
        one = ratio(found, measure)
        spread = f"{one.low:.3f} to {one.high:.3f}"
        text.append(f"{name:<12} {old:10.4g} {new:10.4g} {one.median:8.3f}   {spread:<16} {one.of_least:11.3f}")
    old, new = found[0]
    text.append(f"energy {new.energy:.10f} hartree, new - old {energy_difference(found):.1e}; "
                f"iterations {old.iterations} and {new.iterations}")
    return text


def reference_cases(root, folder, options):
    """[Case] of the closed shells in tests/reference/energies.json, their inputs written into the folder in bohr, as the file
    has them."""
    sys.path.append(str(root / "tests" / "regression"))
    import geometry  # pylint: disable=import-outside-toplevel,import-error
    with open(root / "tests" / "reference" / "energies.json", encoding="utf-8") as file:
        found = [case for case in json.load(file)["cases"] if case["method"] == "rhf"]
    made = []
    for index, case in enumerate(found, start=1):
        path = folder / f"reference-{index}.mol"
        path.write_text(geometry.write_input(case, "bohr", False)[0], encoding="utf-8")
        made.append(Case("/".join([case["name"], case["method"], case["basis"]]), str(path), options))
    return made
