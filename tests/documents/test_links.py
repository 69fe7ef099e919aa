#!/usr/bin/env python3
"""Links between the documents lead somewhere: to files and headings that exist, those of installed pages to files that are
installed too. All pages and pictures of docs/ are installed. The README is short and links to every guide of docs/.

Usage: test_links.py ROOT INSTALLED_FILE... -- DOCUMENT...
"""

import pathlib
import sys

import documents

MOST_LINES = 160  # of the README


def wrong_links(path, installed):
    """A line for each link of a document that leads nowhere, or out of what is installed with it."""
    for link in documents.links(path.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name if name else path).resolve()
        if not target.exists():
            yield f"{path}: {link}: there is no such file"
        elif path in installed and target not in installed:
            yield f"{path}: {link}: the page is installed, that file is not"
        elif anchor and anchor not in documents.anchors(target.read_text(encoding="utf-8")):
            yield f"{path}: {link}: there is no such heading"


def wrong_pages(root, installed):
    """A line for each page or picture that nobody would find."""
    for path in sorted(path for ending in ("md", "svg") for path in (root / "docs").rglob(f"*.{ending}")):
        if path not in installed:
            yield f"docs/meson.build: does not install {path.relative_to(root)}"
    for page, folder in (("README.md", "docs"), ("docs/measurements/README.md", "docs/measurements")):
        links = [((root / page).parent / link).resolve() for link in documents.links((root / page).read_text(encoding="utf-8"))]
        for path in sorted((root / folder).glob("*.md")):
            if path not in links and path != root / page:
                yield f"{page}: no link to {path.relative_to(root)}"
    n_line = len((root / "README.md").read_text(encoding="utf-8").splitlines())
    if n_line > MOST_LINES:
        yield f"README.md: {n_line} lines, expected {MOST_LINES} at most"


def main():
    root, middle = pathlib.Path(sys.argv[1]).resolve(), sys.argv.index("--")
    installed = [pathlib.Path(name).resolve() for name in sys.argv[2:middle]]
    pages = [path for path in installed if path.suffix == ".md"] + [pathlib.Path(name).resolve() for name in sys.argv[middle + 1:]]
    wrong = [line for path in pages for line in wrong_links(path, installed)] + list(wrong_pages(root, installed))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
