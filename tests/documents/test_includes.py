"""Reads every #include and call of src/ and include/ and says by room and file what does not fit the house.

A room includes only what stands lower in ORDER, and has at most MOST_FILES files. A header has one way to be included: as
"room/name.h" if other rooms may include it, as "name.h" if it is private to its room. No files include each other in a circle, where x.c, x.h and x_private.h count as one, and no files
call each other in a circle. Installed headers include nothing but installed ones."""

import pathlib
import re
import sys
import tempfile
import unittest

# From the top down; rooms of one line know nothing of each other. main.c is of cli's room.
ORDER = [["bench", "simulate"], ["cli"], ["serve", "each"], ["run"], ["optimise"], ["output"], ["vibrations"], ["surface"], ["gradient"], ["properties", "correlation", "local"], ["localise", "checkpoint"], ["scf"], ["guess", "response"], ["orbitals"], ["fock"], ["digest", "work"], ["store"],
         ["coulomb"], ["hamiltonian"], ["multipole"], ["one_electron", "pairs"], ["integrals"], ["boys"], ["schedule", "onesided"], ["linalg"], ["layout"],
         ["basis"], ["molecule"], ["text"], ["base"]]
MOST_FILES = 35  # of a room's folder
STAND_IN = "simulate"  # its files take the place of some of other rooms, and know their private headers
LEVEL = {room: level for level, rooms in enumerate(reversed(ORDER)) for room in rooms}

# Installed headers stand in include/hf, whatever their room.
HEADERS = {
    "each": ["hf", "run_json"],
    "run": ["run"],
    "output": ["record"],
    "correlation": ["mp2"],
    "properties": ["properties"],
    "scf": ["restart", "scf"],
    "guess": ["guess"],
    "orbitals": ["wavefunction"],
    "fock": ["fock_settings"],
    "work": ["grain"],
    "store": ["stored_integrals"],
    "hamiltonian": ["energy_term"],
    "onesided": ["onesided_settings"],
    "schedule": ["schedule_settings"],
    "linalg": ["linalg"],
    "basis": ["basis"],
    "molecule": ["molecule"],
    "base": ["context", "interruption", "memory", "status", "timer", "units", "version"],
}
ROOM_OF_HEADER = {f"include/hf/{name}.h": room for room, names in HEADERS.items() for name in names}
GENERATED = ["include/hf/version.h", "src/coulomb/coulomb_kernels.h", "src/integrals/gradient_levels.h", "src/integrals/horizontal_flops.h", "src/integrals/horizontal_functions.h", "src/integrals/level_functions.h", "src/integrals/vertical.h",
             "src/integrals/vertical_flops.h"]  # by meson or a script, when hf is built
BUNDLE = re.compile(r"\['\w+\.c'[^\]]*\]")
FEATURES = re.compile(r"^#define _\w+_SOURCE", re.MULTILINE)  # must come before the first header
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEFINITION = re.compile(r"^(?!static )[a-z][\w *]*?\b(hf_\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
CALL = re.compile(r"\b(hf_\w+)\(")


def room_of(path):
    """Room of a file, by its path below the top; None: nobody has said."""
    parts = path.split("/")
    if parts[0] == "include":
        return ROOM_OF_HEADER.get(path)
    return "cli" if len(parts) == 2 else parts[1]


def unit_of(path):
    """x.c, x.h and x_private.h are one, and so is the installed header of that name."""
    return room_of(path), pathlib.PurePath(path).stem.removesuffix("_private")


def read(root):
    """{file: [(file it includes, is it named without its room)]}, paths below the top; and what is included but is nowhere, or in two ways."""
    root = pathlib.Path(root)
    found, problems, private = {}, [], {}
    for path in sorted([*root.glob("include/**/*.h"), *root.glob("src/**/*.[ch]")]):
        name = path.relative_to(root).as_posix()
        found[name] = []
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            for folder in (root / "include", root / "src", path.parent):
                if (folder / included).is_file():
                    header = (folder / included).resolve().relative_to(root.resolve()).as_posix()
                    is_private = "/" not in included or included.startswith("..")
                    found[name].append((header, is_private))
                    if room_of(name) != STAND_IN:
                        private.setdefault(header, set()).add(is_private)
                    break
            else:
                if {(path.parent / included).relative_to(root).as_posix(), f"include/{included}"} & set(GENERATED):
                    continue
                problems.append(f"{name}: includes {included}, which is nowhere")
    problems += [f"{header}: is included with its room and without it" for header, ways in sorted(private.items()) if len(ways) > 1]
    return found, problems


def calls(root):
    """{file: files whose functions it calls}, each as (room, name)"""
    root = pathlib.Path(root)
    text = {path: NO_CODE.sub(" ", path.read_text(encoding="utf-8"))
            for path in sorted(root.glob("src/**/*.c"))}
    home = {}
    for path, code in text.items():
        for name in DEFINITION.findall(code):
            if path.parent.name != STAND_IN or name not in home:
                home[name] = path
    place = {path: (room_of(path.relative_to(root).as_posix()), path.name) for path in text}
    return {place[path]: {place[home[name]] for name in CALL.findall(code) if home.get(name, path) != path}
            for path, code in text.items()}


def circles(graph):
    """Groups of units that reach each other (Tarjan)."""
    index, low, stack, groups = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for other in graph.get(unit, ()):
            if other not in index:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in stack:
                low[unit] = min(low[unit], index[other])
        if low[unit] == index[unit]:
            group = [stack.pop()]
            while group[-1] != unit:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for unit in graph:
        if unit not in index:
            visit(unit)
    return sorted(groups)


def arrow_complaint(file, included, is_private):
    room, other = room_of(file), room_of(included)
    if room == other:
        return None
    if other not in LEVEL:
        return f"{file} ({room}): includes {included}, whose room nobody has said"
    if is_private:
        return f"{file} ({room}): includes {included}, which is private to {other}"
    if LEVEL[other] >= LEVEL[room]:
        return f"{file} ({room}): includes {included} of {other}, which does not stand lower"
    return None


def complaints(root, installed=()):
    found, problems = read(root)
    graph = {}
    for file, included in found.items():
        if room_of(file) not in LEVEL:
            problems.append(f"{file}: nobody has said what room it is of (tests/documents/test_includes.py)")
            continue
        for other, is_private in included:
            problem = arrow_complaint(file, other, is_private)
            if problem:
                problems.append(problem)
            if unit_of(file) != unit_of(other):
                graph.setdefault(unit_of(file), set()).add(unit_of(other))
            if file in installed and other not in installed:
                problems.append(f"{file}: is installed and includes {other}, which is not")
    for what, arrows in (("circle", graph), ("circle of calls", calls(root))):
        for group in circles(arrows):
            problems.append(f"{what}: " + ", ".join(f"{room}/{name}" for room, name in group))
    for room in sorted(LEVEL):
        n = len(list(pathlib.Path(root, "src", room).glob("*")))
        if n > MOST_FILES:
            problems.append(f"src/{room}: {n} files; {MOST_FILES} at most")
        recipe = pathlib.Path(root, "src", room, "meson.build")
        for file in sorted(recipe.parent.glob("*.c")) if recipe.exists() else []:
            if f"'{file.name}'" not in recipe.read_text(encoding="utf-8") and file.name not in ("main.c", "manual.c"):
                problems.append(f"src/{room}/{file.name}: its meson.build does not name it")
        for bundle in BUNDLE.findall(recipe.read_text(encoding="utf-8")) if recipe.exists() else []:
            for name in re.findall(r"'(\w+\.c)'", bundle)[1:]:
                if FEATURES.search(pathlib.Path(recipe.parent, name).read_text(encoding="utf-8")):
                    problems.append(f"src/{room}/{name}: defines a feature macro, so it comes first in its bundle")
    return problems


class MadeUp(unittest.TestCase):
    """What is wrong is found; what is right is left alone."""

    def said(self, files, installed=(), code=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, included in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f'#include "{other}"\n' for other in included) + (code or {}).get(name, ""),
                                encoding="utf-8")
            return complaints(folder, installed)

    def test_downwards_is_right(self):
        self.assertEqual(self.said({"include/hf/scf.h": ["fock/fock.h"], "src/fock/fock.h": [], "src/cli/cli.h": [],
                                    "src/scf/a.c": ["a.h", "hf/scf.h"], "src/scf/a.h": ["fock/fock.h"],
                                    "src/main.c": ["cli/cli.h", "hf/scf.h"]}), [])

    def test_upwards_and_sideways(self):
        self.assertEqual(self.said({"include/hf/scf.h": [], "src/onesided/onesided.h": [], "src/fock/a.c": ["hf/scf.h"],
                                    "src/schedule/a.c": ["onesided/onesided.h"]}),
                         ["src/fock/a.c (fock): includes include/hf/scf.h of scf, which does not stand lower",
                          "src/schedule/a.c (schedule): includes src/onesided/onesided.h of onesided, which does "
                          "not stand lower"])

    def test_private_headers(self):
        self.assertEqual(self.said({"src/work/queue.h": [], "src/fock/a.c": ["../work/queue.h"]}),
                         ["src/fock/a.c (fock): includes src/work/queue.h, which is private to work"])

    def test_one_way_to_include(self):
        self.assertEqual(self.said({"src/work/work.h": [], "src/work/a.c": ["work.h"], "src/fock/a.c": ["work/work.h"]}),
                         ["src/work/work.h: is included with its room and without it"])

    def test_circles(self):
        self.assertEqual(self.said({"src/base/a.c": ["a_private.h", "b.h"], "src/base/a_private.h": [],
                                    "src/base/b.h": ["c.h"], "src/base/c.h": ["a_private.h"]}),
                         ["circle: base/a, base/b, base/c"])

    def test_circles_of_calls(self):
        one = "/** Not hf_two(). */\nint hf_one(int i,\n           int j)\n{\n    return hf_two(i);\n}\n"
        two = "int hf_two(int i)\n{\n    return hf_three(i);\n}\nint hf_four(int i)\n{\n    return i;\n}\n"
        three = "int hf_three(int i)\n{\n    return hf_%s(i, 2);\n}\n"
        files = {"src/base/a.c": [], "src/base/b.c": [], "src/base/c.c": []}
        for called, expected in (("one", ["circle of calls: base/a.c, base/b.c, base/c.c"]), ("five", [])):
            self.assertEqual(self.said(files, code=dict(zip(files, (one, two, three % called)))), expected)

    def test_too_many_files(self):
        self.assertEqual(self.said({f"src/base/f{i}.c": [] for i in range(36)}), ["src/base: 36 files; 35 at most"])

    def test_what_is_nowhere(self):
        self.assertEqual(self.said({"src/base/a.c": ["b.h"], "include/hf/new.h": []}),
                         ["src/base/a.c: includes b.h, which is nowhere",
                          "include/hf/new.h: nobody has said what room it is of (tests/documents/test_includes.py)"])

    def test_installed_headers(self):
        self.assertEqual(self.said({"include/hf/scf.h": ["fock/fock.h"], "src/fock/fock.h": []}, ["include/hf/scf.h"]),
                         ["include/hf/scf.h: is installed and includes src/fock/fock.h, which is not"])


if __name__ == "__main__":
    # The top of the tree, then the headers that are installed.
    top = pathlib.Path(sys.argv[1])
    public = [pathlib.Path(name).resolve().relative_to(top.resolve()).as_posix() for name in sys.argv[2:]]
    wrong = complaints(top, public)
    print("\n".join(wrong))
    made_up = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0)
    sys.exit(0 if not wrong and made_up.result.wasSuccessful() else 1)
