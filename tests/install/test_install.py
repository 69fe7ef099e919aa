"""hf as it is installed: headers compile alone, the examples are built with pkg-config in C and C++ and run, from the
installed tree and from one that was moved; so do the tools for measuring and drawing, with the hf beside them; the library
shows the names of its headers and no others."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, MESON, C_COMPILER, EXAMPLES, INPUT = sys.argv[1:6]
SKIPPED = 77
ENERGY = "-76.0267720534"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "HF_BASIS_PATH"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LANGUAGES = {"c": [C_COMPILER, "-std=c11", *WARNINGS, "-x", "c"],
             "c++": ["g++", "-std=c++11", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *WARNINGS,
                     "-Wno-missing-field-initializers", "-x", "c++"]}


def run(command, **changes):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**ENVIRONMENT, **changes}, timeout=300)


class Installed(unittest.TestCase):
    """One installed tree for all tests; the last one moves it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        destination = pathlib.Path(cls.folder.name, "installed")
        done = run([MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", destination])
        assert done.returncode == 0, done.stdout + done.stderr
        cls.prefix = next(destination.glob("**/bin")).parent
        cls.library = next(cls.prefix.glob("lib*/**/libhf.so"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def succeed(self, command, **changes):
        done = run(command, **changes)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def flags(self, which):
        return self.succeed(["pkg-config", which, "hf"],
                            PKG_CONFIG_PATH=":".join([str(self.library.parent / "pkgconfig"),
                                                      ENVIRONMENT.get("PKG_CONFIG_PATH", "")])).split()

    def build_examples(self):
        """Into bin/ of the tree, with a path to the library that is relative to there."""
        bin_folder = self.prefix / "bin"
        beside = "$ORIGIN/" + os.path.relpath(self.library.parent, bin_folder)
        for language, compiler in LANGUAGES.items():
            for source in ("energy", "gradient", "input"):
                self.succeed([*compiler, *self.flags("--cflags"), f"{EXAMPLES}/{source}.c", "-x", "none",
                              *self.flags("--libs"), f"-Wl,-rpath,{beside}", "-o",
                              bin_folder / f"{source}-{language}"])

    def import_package(self):
        """The package of Python finds the library of its own tree; under it a Python that has NumPy computes."""
        script = "import hf; print(hf.energy('OHH', [[0, 0, 0.22166487], [0, 1.43090062, -0.8866595], [0, -1.43090062, -0.8866595]], unit='bohr', basis='cc-pVDZ'))"
        for python in (sys.executable, "/usr/bin/python3"):
            if run([python, "-c", "import numpy"]).returncode == 0:
                text = self.succeed([python, "-c", script], PYTHONPATH=str(self.prefix / "share/hf/python"), PYTHONDONTWRITEBYTECODE="1")
                self.assertAlmostEqual(float(text), float(ENERGY), places=8)
                return

    def run_all(self):
        bin_folder = self.prefix / "bin"
        for language in LANGUAGES:
            self.assertEqual(self.succeed([bin_folder / f"energy-{language}"]), f"{ENERGY} hartree\n")
            text = self.succeed([bin_folder / f"gradient-{language}"])
            self.assertRegex(text, r"E -100\.0029\d+ hartree  force [ -]0\.00000\d\n$")
            text = self.succeed([bin_folder / f"input-{language}", INPUT])
            self.assertIn(f"Energy {ENERGY} hartree\n", text)
            self.assertEqual(text.count(" 2 electrons\n"), 5)
        self.assertIn(f"Total energy {ENERGY} hartree", self.succeed([bin_folder / "hf", INPUT]))
        self.assertIn(f"Total energy {ENERGY} hartree", self.succeed(  # found by its name in PATH
            ["hf", INPUT], PATH=f"{bin_folder}:{ENVIRONMENT['PATH']}"))
        text = self.succeed([bin_folder / "hf", "--self-test"])
        self.assertIn(f"References: {self.prefix}/share/hf/reference/energies.json\n", text)
        self.import_package()
        failed = run([bin_folder / "input-c", "no-such-file"])
        self.assertEqual((failed.returncode, failed.stderr), (2, "no-such-file: there is no such file\n"))

    def run_tools(self):
        """Measure, replay and draw an example; drawings need gnuplot."""
        hydrogen = self.prefix / "share/doc/hf/inputs/hydrogen.mol"
        programs = {name: self.prefix / "bin" / f"hf-{name}" for name in ("plot", "replay", "speedup", "timeline")}
        with tempfile.TemporaryDirectory() as folder:
            trace, result = os.path.join(folder, "h.trace"), os.path.join(folder, "h.json")
            self.succeed([self.prefix / "bin/hf", hydrogen, "--basis", "STO-3G", "--memory", "0", "--trace", trace, "--json", result])
            text = self.succeed([programs["replay"], trace, "--processes", "1,2", "--schedule", "static", "--output", folder + "/replay"])
            self.assertIn("Whole calculations: 2 iterations, 2 functions", text)
            for name, program in programs.items():
                self.assertIn(f"usage: hf-{name} ", self.succeed([program, "-h"]))
            if shutil.which("gnuplot") is None:
                return
            text = self.succeed([programs["speedup"], hydrogen, "--basis", "STO-3G", "--processes", "1", "--runs", "1", "--output",
                                 folder + "/speedup"])
            self.assertRegex(text, r"replicated, steal +1 ")
            self.assertIn("RHF/STO-3G, -1.1166843", self.succeed([programs["plot"], result, "-o", folder + "/plot"]))
            self.succeed([programs["timeline"], trace, "-o", folder + "/timeline"])
            for drawing in ("plot.svg", "timeline.svg", "speedup/speedup.svg"):
                self.assertIn("</svg>", pathlib.Path(folder, drawing).read_text(encoding="utf-8"))

    def test_headers_compile_alone(self):
        headers = sorted((self.prefix / "include/hf").glob("*.h"))
        self.assertGreater(len(headers), 10)
        for header in headers:
            for compiler in LANGUAGES.values():
                source = pathlib.Path(self.folder.name, "alone.c")
                source.write_text(f"#include <hf/{header.name}>\nint main(void) {{ return 0; }}\n", encoding="utf-8")
                self.succeed([*compiler, *self.flags("--cflags"), "-fsyntax-only", source])

    def test_version_is_that_of_the_package(self):
        version = self.succeed(["pkg-config", "--modversion", "hf"],
                               PKG_CONFIG_PATH=str(self.library.parent / "pkgconfig")).strip()
        text = (self.prefix / "include/hf/version.h").read_text(encoding="utf-8")
        self.assertIn(f'"{version}"', re.findall(r"#define HF_VERSION +(.*)", text))
        self.assertEqual(version.split("."), re.findall(r"#define HF_VERSION_[A-Z]+ (\d+)", text))
        self.assertIn(f"hf {version}\n", self.succeed([self.prefix / "bin/hf", "--version"]))

    def test_the_library_shows_what_its_headers_declare(self):
        of_the_linker = {"__bss_start", "_edata", "_end"}  # gold shows them
        symbols = self.succeed(["nm", "-D", "--defined-only", self.library])
        shown = set(re.findall(r" [A-Z] (\S+)", symbols)) - of_the_linker
        declared = set()
        for header in (self.prefix / "include/hf").glob("*.h"):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
            text = re.sub(r"^ *#.*$", "", text, flags=re.M)
            text = re.sub(r"static inline .*?^}", "", text, flags=re.S | re.M)
            declared |= set(re.findall(r"^\w[^;{}()]*?\b(hf_\w+)\(", text, flags=re.M))
            for names in re.findall(r"^extern const ([^;]*);", text, flags=re.M):
                declared |= set(re.findall(r"\b(hf_\w+)(?:\[\])?(?:,|$)", names))
        self.assertEqual(sorted(shown - declared), [], "shown, but no header declares them")
        self.assertEqual(sorted(declared - shown), [], "declared, but hidden")

    def test_z_examples_here_and_moved(self):
        self.build_examples()
        self.run_all()
        self.run_tools()
        moved = pathlib.Path(self.folder.name, "moved, with a blank")
        shutil.move(self.prefix, moved)
        self.__class__.prefix = moved
        self.run_all()
        self.run_tools()


if __name__ == "__main__":
    for program in ("g++", "pkg-config", "nm"):
        if shutil.which(program) is None:
            print(f"{program} was not found: what is installed is not tested")
            sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
