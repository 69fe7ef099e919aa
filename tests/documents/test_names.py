#!/usr/bin/env python3
"""What documents name is there: functions, types and constants of hf, headers, files of the tree; and the architecture
guide has every room.

Usage: test_names.py ROOT DOCUMENT...
"""

import pathlib
import re
import sys

import documents

CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"\b(?:hf|HF)_\w+")
HEADER = re.compile(r"\bhf/\w+\.h\b")
PATH = re.compile(r"^(?:src|include|tests|tools|docs|inputs|basis|config)/[\w./-]*$")
NOT_OURS = {"HF_RANKS"}  # of a shell script
PLACEHOLDER = re.compile(r"[<*]")


def words_of_sources(root):
    text = "".join(path.read_text(encoding="utf-8", errors="replace")
                   for folder in ("include", "src", "tools") for path in sorted((root / folder).rglob("*"))
                   if path.is_file() and path.suffix in (".c", ".h", ".in", ".build", ".py", ".sh", ""))
    return set(NAME.findall(text))


def unknown(root, path, known):
    """A line for each name of a document that is nowhere."""
    text = path.read_text(encoding="utf-8")
    code = CODE.findall(documents.without_blocks(text))
    for piece in code:
        if PLACEHOLDER.search(piece):
            continue
        for name in NAME.findall(piece):
            if name not in known and name not in NOT_OURS:
                yield f"{path}: {name} is in no source"
        for header in HEADER.findall(piece):
            if not any((root / "include" / (header + end)).exists() for end in ("", ".in")):  # .in: written by meson
                yield f"{path}: {header} is no header"
        if PATH.match(piece) and not (root / piece).exists():
            yield f"{path}: {piece} is not there"


def missing_rooms(root):
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and f"`{folder.name}/`" not in text:
            yield f"docs/architecture.md: no row for src/{folder.name}/"


def main():
    root = pathlib.Path(sys.argv[1])
    known = words_of_sources(root)
    wrong = [line for name in sys.argv[2:] for line in unknown(root, pathlib.Path(name), known)]
    wrong += missing_rooms(root)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
