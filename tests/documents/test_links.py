#!/usr/bin/env python3
"""Links between the documents lead somewhere: to files that are there and headings that stand in them. The README is
short, and every guide of docs/ is named in it.

Usage: test_links.py ROOT DOCUMENT...
"""

import pathlib
import sys

import documents

MOST_LINES = 160  # of the README


def wrong_links(path):
    """A line for each link of a document that leads nowhere."""
    for link in documents.links(path.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists():
            yield f"{path}: {link}: there is no such file"
        elif anchor and anchor not in documents.anchors(target.read_text(encoding="utf-8")):
            yield f"{path}: {link}: there is no such heading"


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = [line for path in sys.argv[2:] for line in wrong_links(pathlib.Path(path))]
    readme = (root / "README.md").read_text(encoding="utf-8")
    if len(readme.splitlines()) > MOST_LINES:
        wrong.append(f"README.md: {len(readme.splitlines())} lines, expected {MOST_LINES} at most")
    for path in sorted((root / "docs").glob("*.md")):
        if f"docs/{path.name}" not in documents.links(readme):
            wrong.append(f"README.md: no link to docs/{path.name}")
        if str(path.resolve()) not in [str(pathlib.Path(name).resolve()) for name in sys.argv[2:]]:
            wrong.append(f"tests/documents/meson.build: docs/{path.name} is not tested")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
