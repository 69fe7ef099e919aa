"""What stands in the documents: blocks of code with what is said of them, commands, links, tables."""

import re
import shlex
from typing import NamedTuple

BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block; `about` are the words behind the first of its fence, such as "of hf water.mol"."""
    kind: str
    about: str
    text: str


def blocks(text):
    found = []
    for match in BLOCK.finditer(text):
        kind, _, about = match[1].strip().partition(" ")
        found.append(Block(kind, about, match[2]))
    return found


def commands(text):
    """[words] of each line of a block of sh that is a command; comments are left out, lines may go on after a \\."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            found.append(words)
    return found


def without_blocks(text):
    return BLOCK.sub("", text)


def links(text):
    return LINK.findall(without_blocks(text))


def anchors(text):
    """Names of the headings as links give them: letters, digits and hyphens, in small letters."""
    names = set()
    for heading in HEADING.findall(without_blocks(text)):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        names.add(kept.replace(" ", "-"))
    return names
