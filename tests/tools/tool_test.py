"""Frame of the tests of tools/: where the tools are, a folder for each test, tools run as people run them. "python3 -m unittest
test_NAME" in this folder runs one file."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"
needs_gnuplot = unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here (Debian package gnuplot-nox)")
sys.path[:0] = [str(TOOLS), str(TOOLS / "lib")]
# Every run adds a line to the file "calls". The files "refused" and "failing", when there, are what it runs instead of --check and
# of a calculation.
HF = """#!/bin/sh
here=${{0%/*}} name=${{0##*/}}
for word in "$@"; do
    case $previous in
    --fock | --schedule | --grain | --memory | --guess | --trace | --json) eval "${{previous#--}}=\\$word" ;;
    --mp2-algorithm) algorithm=$word ;;
    esac
    previous=$word
done
if [ "$previous" = --check ]; then [ ! -f "$here/refused" ] || . "$here/refused"; exit 0; fi
echo "${{RANKS:-1}} $name $*" >>"$here/calls"
[ ! -f "$here/failing" ] || . "$here/failing"
[ -z "$trace" ] || /bin/cp "{trace}" "$trace"
[ -z "$json" ] || /bin/cp "{json}" "$json"
"""


def run_tool(name, *arguments, **options):
    """A script of tools/ to its end, output as text; `options` are those of subprocess.run."""
    return subprocess.run([sys.executable, str(TOOLS / name), *map(str, arguments)], text=True, check=False,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 100, **options})


def executable(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def stand_in(path, json="", trace=""):
    """A program in place of hf, which leaves copies of files: $here is its folder, $name its own name, $fock the value of --fock."""
    executable(path, HF.format(json=json, trace=trace))


def place_of(svg, text):
    """(x, y) of a text that begins so in a picture of gnuplot, in pixels from the upper left corner."""
    found = re.search(r'translate\(([-\d.]+),([-\d.]+)\)[^>]*>\s*<text>(?:<tspan[^>]*>)?' + re.escape(text), svg)
    return float(found[1]), float(found[2])


class WithFolder(unittest.TestCase):
    """Each test has a folder, which ends with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
