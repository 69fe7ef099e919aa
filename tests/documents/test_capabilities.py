#!/usr/bin/env python3
"""The tables of the guide that say what works with what, against what hf --check accepts and refuses.

Usage: test_capabilities.py HF GUIDE

The first table has a column for each method and a row for each list of options: hf refuses a cell with a dash and accepts all others.
In the second table hf refuses every list of options. FILE stands for a file to write, or for the checkpoint of the method.
Exit code 0 when all holds; each cell that does not is a line of its own.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HF, GUIDE = os.path.abspath(sys.argv[1]), sys.argv[2]
CLOSED = "basis STO-3G\ngeometry\nH 0 0 0\nH 0 0 0.74\nH 4 0 0\nH 4 0 0.74\nend\n"
OPEN = "basis STO-3G\nmultiplicity 3\ngeometry\nH 0 0 0\nH 0 0 0.74\nH 4 0 0\nH 0 4 0\nend\n"
METHODS = {"rhf": "closed.mol", "uhf": "open.mol", "rohf": "open.mol", "mp2": "closed.mol", "ump2": "open.mol", "lmp2": "closed.mol"}


def rows_of(heading):
    """Cells of the table below a heading, without its head."""
    with open(GUIDE, encoding="utf-8") as file:
        section = file.read().split(f"\n### {heading}\n")[1].split("\n#")[0]
    lines = [line for line in section.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[:1] + lines[2:]]


def run(arguments):
    done = subprocess.run([HF, *arguments], capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr.strip()


def check(job):
    """The line of a cell that is wrong; "" of one that is right."""
    method, options, accepted = job
    words = [(f"{method}.h5" if before in ("--restart", "--guess") else f"{method}{before}") if word == "FILE" else word
             for before, word in zip(["", *options], options)]
    code, errors = run(["--check", METHODS.get(method, "closed.mol"), *(["--method", method] if method else []), *words])
    n_line = sum(line.startswith("hf: ") and not line.startswith("hf: warning") for line in errors.split("\n"))
    right = (code, n_line) == ((0, 0) if accepted else (2, 1))
    return "" if right else f"{method} {' '.join(options)}: {'accepted' if accepted else 'refused'} in the guide; exit code {code} {errors}"


def main():
    head, *rows = rows_of("Methods")
    methods = [cell.strip("`") for cell in head[2:]]
    jobs = [(method, row[1].strip("`").split(), cell != "–") for row in rows for method, cell in zip(methods, row[2:], strict=True)]
    for row in rows_of("Refused combinations")[1:]:
        options = [words.split() for words in re.findall(r"`([^`]+)`", row[0])]
        assert options, row
        jobs += [(words[words.index("--method") + 1] if "--method" in words else "", words, False) for words in options]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        os.chdir(folder)
        for name, text in (("closed.mol", CLOSED), ("open.mol", OPEN)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        for method in methods:
            code, errors = run([METHODS[method], "--method", method, "--checkpoint", f"{method}.h5"])
            assert code == 0, errors
        wrong = [line for line in pool.map(check, jobs) if line]
    print("\n".join(wrong))
    print(f"{len(jobs)} cells, {len(wrong)} wrong")
    return 1 if wrong or len(jobs) < 100 else 0


if __name__ == "__main__":
    GUIDE = os.path.abspath(GUIDE)
    sys.exit(main())
