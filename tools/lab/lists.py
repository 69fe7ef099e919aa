"""Lists in options: words, and numbers with ranges."""

import re

from .failure import Failure

LARGEST = 1_000_000
RANGE = re.compile(r"(\d+)(?:-(\d+)(?:\*(\d+))?)?")


def words(option, text):
    """The words of a list with commas, each once, in their order."""
    found = [word.strip() for word in text.split(",")]
    if "" in found:
        raise Failure(f'{option}: "{text}" has an empty place, expected names with commas between them')
    return list(dict.fromkeys(found))


def numbers(option, text, least):
    """The numbers of a list such as 1,2,4 or 1-8 or 1-64*2 (1, 2, 4, ... 64), each once, ascending."""
    found = set()
    for word in text.split(","):
        found.update(number_range(option, word.strip(), least))
    return sorted(found)


def number_range(option, word, least):
    match = RANGE.fullmatch(word)
    if match is None:
        raise Failure(f'{option}: "{word}" is no number and no range, expected such as 1,2,4 or 1-8 or 1-64*2')
    first = int(match[1])
    last = int(match[2] or first)
    if first < least or last > LARGEST:
        raise Failure(f'{option}: "{word}" is not within {least} to {LARGEST}')
    if last < first:
        raise Failure(f'{option}: "{word}" ends before it begins')
    if match[3] is None:
        return range(first, last + 1)
    if first == 0 or int(match[3]) < 2:
        raise Failure(f'{option}: "{word}" does not grow, expected a factor of 2 or more and a first number above 0')
    return multiples(first, last, int(match[3]))


def multiples(first, last, factor):
    while first <= last:
        yield first
        first *= factor


def duration(seconds):
    """For people: "14 s", "3 min", "2 h 10 min"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
