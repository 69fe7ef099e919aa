"""Which calculations are checked: groups of jobs, each on so many ranks, usually or only among the long tests. The quick
tests have the usual jobs of some groups on one number of ranks: every method, task, builder, scheduler and transport.
What is here for two and four ranks belongs to the long tests, unless the program hf runs it."""

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache, partial

import geometry
from comparison import TIGHT, differences, gradient_differences, is_contaminated, mp2_differences, property_differences, scan_differences

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST_SMALL = 60  # basis functions
LARGEST_TINY = 31  # of what is repeated in all ways among the long tests
RANKS = (1, 2, 3, 4)
QUICK = {"energies": 1, "open shells": 1, "environments": 3, "core potentials": 3, "properties": 3, "mp2": 3, "gradients": 3,
         "schedulers": 3, "matrices": 3, "program": 1}
BY_PROGRAM = ("program", "formats")  # started one by one, by the program hf


@dataclass
class Run:
    """One calculation. Options go in pairs, as on the command line."""
    case: dict
    options: list = field(default_factory=list)
    form: str = "bohr"
    moved: bool = False

    def write(self, folder, path):
        """(path of the input, all options); the input is written there unless it stands among the tests."""
        tight = TIGHT if is_contaminated(self.case) or "properties" in self.case else []
        if "input" in self.case:
            return os.path.join(HERE, "inputs", self.case["input"]), self.case["options"] + tight + self.options
        text, options = geometry.write_input(self.case, self.form, self.moved, folder)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path, options + tight + self.options


@dataclass
class Job:
    """Runs whose results are judged together: `check` makes lines of what differs."""
    name: str
    ranks: int
    usual: bool
    runs: list
    check: object


def is_small(case):
    return case["basis_functions"] <= LARGEST_SMALL


@lru_cache(None)
def read(file, what="cases"):
    with open(os.path.join(HERE, "..", "reference", file + ".json"), encoding="utf-8") as text:
        return json.load(text)[what]


def cases_of(file, *methods):
    return [case for method in methods for case in read(file) if case["method"] == method] if methods else read(file)


def full_name(case):
    return "/".join([case["name"], case["method"], case["basis"]])


def find(file, name):
    found = [case for case in read(file) if name in (case["name"], full_name(case))]
    assert len(found) == 1, f"{file}.json: {len(found)} cases are called {name}, expected 1"
    return found[0]


def one(case, ranks, usual=True, options=(), **how):
    """The job of one run."""
    run = Run(case, list(options), **how)
    follow = "follow" in options
    check = partial(differences, case, ranks, moved=run.moved, follow=follow)
    words = [full_name(case), f"on {ranks}", *options, run.form if "form" in how else "", "moved" if run.moved else ""]
    return Job(" ".join(filter(None, words)), ranks, usual, [run], lambda results: check(results[0]))


def energies():
    """Each case on one rank and on two, three or four in turn."""
    for i, case in enumerate(cases_of("energies", "rhf")):
        for n in RANKS:
            yield one(case, n, n == 1 or n == 2 + i % 3)


def open_shells():
    """Open shells, and closed ones with several solutions. Ranks and builders go round."""
    ways = [(1, []), (2, ["--fock", "distributed"]), (3, []), (4, ["--fock", "distributed", "--onesided", "rma"]),
            (2, []), (1, ["--fock", "distributed"]), (4, []), (3, ["--fock", "distributed", "--onesided", "rma"])]
    cases = [case for file, methods in (("energies", ("uhf", "rohf")), ("open_shells", ("rhf", "uhf", "rohf")))
             for case in read(file) if case["method"] in methods]
    for i_case, case in enumerate(cases):
        for i, (n, options) in enumerate(ways):
            if i == i_case % len(ways) or case["basis_functions"] <= LARGEST_TINY:
                yield one(case, n, i == i_case % len(ways), options)


def hard():
    """What is hard to converge, with default options; large molecules among the long tests."""
    for case in read("hard"):
        yield one(case, 1 if is_small(case) else 2, is_small(case))


def scans():
    """Two atoms along a line, each distance by itself; open shells among the long tests."""
    for scan in read("scans", "scans"):
        options = [] if scan["method"] == "rhf" else ["--stability", "follow"]
        check = partial(scan_differences, scan, follow=bool(options))
        runs = []
        for distance in scan["distances_angstrom"]:
            atoms = [f"{scan['atoms'][0]} 0 0 0", f"{scan['atoms'][1]} 0 0 {distance / geometry.BOHR_IN_ANGSTROM:.14f}"]
            runs.append(Run(dict(scan, charge=0, multiplicity=1, geometry_bohr=atoms), options))
        yield Job("scan of " + scan["name"] + "/" + scan["method"], 1, not options, runs, check)


def core_potentials():
    """Effective core potentials; the energy of one of the molecules must not depend on how it is turned."""
    distributed = ["--fock", "distributed"]
    for name, n, options, moved in (
            ("silver_hydride", 1, [], False), ("silver_hydride", 2, distributed, False),
            ("silver_hydride", 3, ["--guess", "sap"], False), ("plumbane", 2, [], True),
            ("plumbane", 3, distributed + ["--onesided", "rma"], False), ("hydrogen_iodide", 2, ["--guess", "core"], False),
            ("iodine_atom", 1, [], False), ("iodine_atom", 3, distributed, False)):
        yield one(find("ecp", name), n, True, options, moved=moved)


def followed():
    """To a stable solution, the lowest known or lower. The quintet of the iron atom ends in a minimum above the lowest."""
    usual = ["oxygen/rohf/cc-pvdz", "difluorine_cation/uhf/cc-pvdz", "nitrogen_stretched/uhf/cc-pvdz", "ozone/uhf/def2-svp",
             "hydrogen_molecule_anion/uhf/aug-cc-pvtz", "nitric_oxide_1.6/uhf/cc-pvdz"]
    not_the_lowest = ["iron_atom/uhf/def2-svp", "iron_atom/rohf/def2-svp"]
    for case in read("open_shells") + read("hard"):
        if full_name(case) not in not_the_lowest:
            yield one(case, 1, full_name(case) in usual, ["--stability", "follow"])


def basis_sets():
    """Basis sets that no other case has; the large ones take long."""
    for case in read("basis_sets"):
        yield one(case, 1 if is_small(case) else 2, is_small(case))


def schedulers():
    """The energy must not depend on who does which task: each way on one number of ranks (test_cross_product has more)."""
    i_way = 0
    for name, schedules in (("water/rhf/cc-pvdz", ["static", "manager"]), ("ammonia/rhf/6-31g*", ["counter", "steal"]),
                            ("hydrogen_sulfide/rhf/def2-svp", ["manager", "steal"])):
        for schedule in schedules:
            for grain in ("atom-quartet", "shell-pair", "shell-quartet"):
                for n in RANKS:
                    yield one(find("energies", name), n, n == 2 + i_way % 3, ["--schedule", schedule, "--grain", grain])
                i_way += 1


def matrices():
    """Nor on where the matrices are, on threads, or on how many of the integrals are stored: two of four ways in turn."""
    where = [(3, ["--fock", "distributed", "--onesided", "thread"]), (2, ["--memory", "0", "--threads", "2"]),
             (4, ["--fock", "distributed", "--onesided", "rma"]),
             (2, ["--memory", "5 MB", "--threads", "3", "--fock", "distributed"])]
    for i_case, case in enumerate(filter(is_small, cases_of("energies", "rhf"))):
        for i, (n, options) in enumerate(where):
            yield one(case, n, i // 2 == i_case % 2, options)


def environments():
    """Point charges and fields: in a block and a key, in a file and an option, turned and shifted with the molecule."""
    for case in read("environments"):
        yield one(case, 1)
        yield one(case, 2, form="angstrom", moved=True)
        yield one(case, 3, options=["--fock", "distributed"], form="xyz")
        yield one(case, 4, options=["--fock", "distributed", "--guess", "core"], form="v3000", moved=True)


def properties():
    """To the digits of another program."""
    for case in read("properties"):
        for n, options in (1, []), (2, ["--threads", "2"]), (3, ["--fock", "distributed"]):
            check = partial(property_differences, case, n)
            yield Job(f"properties {case['name']} on {n}", n, True, [Run(case, options)],
                      lambda results, check=check: check(results[0]))


def mp2():
    """All electrons, the default core and given numbers of orbitals. Ranks and other ways to compute go round."""
    ways = [(1, []), (2, ["--threads", "2"]), (3, ["--fock", "distributed"]), (4, ["--schedule", "manager"]),
            (1, ["--memory", "4 MB"]), (2, ["--fock", "distributed", "--schedule", "counter"]), (3, ["--linear-dependence", "1e-7"])]
    words = {"all_electron": "none", "frozen_core": "default"}
    runs = [(case, core, words.get(core, str(case["mp2"][core]["frozen_orbitals"])))
            for case in read("mp2") for core in case["mp2"]]
    for i_run, (case, core, frozen) in enumerate(runs):
        for i_way, (n, options) in enumerate(ways):
            run = Run(case, ["--frozen-core", frozen] + options)
            check = partial(mp2_differences, case, core, n)
            name = " ".join([full_name(case), core, f"on {n}", *options])
            yield Job(name, n, i_way == i_run % len(ways), [run], lambda results, check=check: check(results[0]))


def gradients():
    """Analytic derivatives. Ranks and other ways to compute go round."""
    ways = [(1, []), (2, ["--threads", "2", "--coulomb", "engine"]), (3, ["--fock", "distributed"]), (2, ["--schedule", "manager"]),
            (3, ["--schedule", "counter", "--grain", "shell-quartet"]), (1, ["--memory", "0", "--precision", "double"]),
            (3, ["--fock", "distributed", "--coulomb", "multipoles"])]
    for i_case, case in enumerate(read("gradients")):
        for i_way, (n, options) in enumerate(ways):
            run = Run(case, ["--task", "gradient"] + options)
            check = partial(gradient_differences, case, n)
            name = " ".join([full_name(case), "gradient", f"on {n}", *options])
            yield Job(name, n, i_way == i_case % len(ways), [run], lambda results, check=check: check(results[0]))


def program():
    """What is run by the program hf, in the other builds of tools/check --all as well."""
    for name in "hydrogen/rhf/sto-3g", "water/rhf/cc-pvdz", "ammonia/rhf/6-31g*", "cyanide/rhf/aug-cc-pvdz":
        for n in RANKS:
            yield one(find("energies", name), n, n < 4)


def formats():
    """By the program hf: nor on where the molecule stands or in which format it comes."""
    yield one(find("energies", "ammonia/rhf/6-31g*"), 2, moved=True)
    yield one(find("energies", "water/rhf/cc-pvtz"), 2, moved=True)
    yield one(find("energies", "water/rhf/aug-cc-pvdz"), 2, form="angstrom")
    yield one(find("energies", "hydrogen_sulfide/rhf/def2-svp"), 2, form="xyz")
    yield one(find("energies", "cyanide/rhf/aug-cc-pvdz"), 2, form="xyz")
    yield one(find("energies", "ammonium/rhf/6-31g**"), 2, form="v3000", moved=True)
    yield one(find("energies", "water/rhf/cc-pvdz"), 2, options=["--guess", "core"])
    for case in read("variants"):
        yield one(case, 2)


GROUPS = {function.__name__.replace("_", " "): function
          for function in (energies, open_shells, hard, scans, core_potentials, followed, basis_sets, schedulers, matrices,
                           environments, properties, mp2, gradients, program, formats)}


def level(group, job):
    """Of tests: quick (tools/check), usual (tools/check --all) or long."""
    if not job.usual or (job.ranks % 2 == 0 and group not in BY_PROGRAM):
        return "long"
    return "quick" if QUICK.get(group) == job.ranks else "usual"
