#!/usr/bin/env python3
"""Every example of a document works: commands of sh are run, native inputs are read, and output that a document shows
is what hf prints.

    ```sh              each line is run: hf, hf-bench, mpiexec -n N hf, tools/make-molecule. Of other scripts in tools/
                       the name and the options are looked at, of the rest nothing
    ```sh check        hf only reads the input (--check); make-molecule writes it before
    ```sh slurm        a job script; hf only reads the input
    ```sh build        how to build: not run
    ```hf              a native input, read with --check
    ```text of CMD     output of a command. Lines with other numbers count as equal, but in the sections on the molecule,
                       the basis set and the settings and for the total energy; [...] stands for lines left out
    ```c               part of one of the example programs in docs/examples/, which have tests of their own

Usage: test_examples.py HF HF_BENCH MPIEXEC ROOT DOCUMENT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import documents

EXACT_SECTIONS = ("Molecule", "Basis set", "Settings")
OTHER_SECTIONS = ("Program",)  # what the machine has
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?%?")
OMITTED = "[...]"
ENERGY = re.compile(r"^(?:Total energy|  Total energy) +(\S+) hartree", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
SECONDS = 240


class Examples:
    """Runs what a document shows in a folder where `inputs` is; what is wrong is collected."""

    def __init__(self, hf, hf_bench, mpiexec, root, folder):
        self.programs = {"hf": hf, "hf-bench": hf_bench, "mpiexec": mpiexec}
        self.root, self.folder = root, folder
        self.wrong, self.n_run = [], 0
        os.symlink(root / "inputs", folder / "inputs")
        for path in (root / "inputs").iterdir():
            os.symlink(path, folder / path.name)

    def run(self, words):
        """(exit code, output) of a command; the names of programs become their paths."""
        command = [self.programs.get(word, word) if index in (0, 3) else word for index, word in enumerate(words)]
        if words[0].startswith("tools/"):
            command[0] = str(self.root / words[0])
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=SECONDS)
        self.n_run += 1
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def must_work(self, words):
        code, text = self.run(words)
        if code != 0:
            end = "\n    ".join(text.splitlines()[-8:])
            self.wrong.append(f"{' '.join(words)}: exit code {code}\n    {end}")
        return text

    def command(self, words, about):
        """One line of a block of sh."""
        program = words[0] if words[0] != "mpiexec" else words[3]
        if "hf" in words and (about in ("check", "slurm") or program not in self.programs):
            if not words[0].startswith("tools/"):
                self.must_work(["hf", *words[words.index("hf") + 1:], "--check"])
        elif program in self.programs:
            self.must_work(words + (["--quick"] if program == "hf-bench" and "--quick" not in words else []))
        elif program == "tools/make-molecule":
            self.must_work(words)
        elif program.startswith("tools/"):
            self.options(words)

    def options(self, words):
        """A script that takes long: it is there, and knows its options or leaves them to hf."""
        tool = self.root / words[0]
        if not os.access(tool, os.X_OK):
            self.wrong.append(f"{words[0]}: no such script")
            return
        known = set(OPTION.findall(self.run([words[0], "-h"])[1] + self.run(["hf", "--help", "all"])[1]))
        for word in words[1:]:
            if word.startswith("--") and word.split("=")[0] not in known:
                self.wrong.append(f"{' '.join(words)}: neither the script nor hf has {word}")

    def native(self, text):
        path = self.folder / "native.mol"
        path.write_text(text, encoding="utf-8")
        self.must_work(["hf", "native.mol", "--check"])

    def output(self, command, shown):
        """Output that a document shows, against the real one."""
        real = self.must_work(command)
        for line in missing_lines(shown, real):
            self.wrong.append(f"{' '.join(command)}: does not print the line\n    {line}")
        energies = [ENERGY.findall(text)[-1:] for text in (shown, real)]
        if energies[0] and (not energies[1] or abs(float(energies[0][0]) - float(energies[1][0])) > 1e-8):
            self.wrong.append(f"{' '.join(command)}: total energies are {energies[0]} and {energies[1]}")

    def program(self, text):
        files = sorted((self.root / "docs" / "examples").glob("*.c"))
        if not any(text in path.read_text(encoding="utf-8") for path in files):
            self.wrong.append(f"no part of any program in docs/examples:\n    {text.splitlines()[0]}")

    def block(self, block):
        if block.kind == "sh" and block.about != "build":
            for words in documents.commands(block.text):
                self.command(words, block.about)
        elif block.kind == "hf":
            self.native(block.text)
        elif block.kind == "text" and block.about.startswith("of "):
            self.output(block.about.removeprefix("of ").split(), block.text)
        elif block.kind == "c":
            self.program(block.text)


def kept_lines(text, exact):
    """Lines that are compared: with their numbers in exact sections, else without."""
    found, section = [], ""
    for line in text.splitlines():
        if line and not line.startswith(" "):
            section = line
        if not line.strip() or section in OTHER_SECTIONS or line == OMITTED or line.lstrip().startswith("Read from"):
            continue
        found.append(line if exact and section in EXACT_SECTIONS else " ".join(NUMBER.sub("#", line).split()))
    return found


def missing_lines(shown, real):
    there = set(kept_lines(real, True)) | set(kept_lines(real, False))
    return [line for line in kept_lines(shown, True) if line not in there]


def main():
    hf, hf_bench, mpiexec, root, document = sys.argv[1:]
    text = pathlib.Path(document).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        examples = Examples(os.path.abspath(hf), os.path.abspath(hf_bench), shutil.which(mpiexec) or mpiexec,
                            pathlib.Path(root).resolve(), pathlib.Path(name))
        for block in documents.blocks(text):
            examples.block(block)
    print(f"{document}: {examples.n_run} commands were run")
    for line in examples.wrong:
        print(f"WRONG {line}")
    return 1 if examples.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
