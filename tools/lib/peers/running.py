"""Starting programs, and what to say when they fail."""

import os
import re
import subprocess
import tempfile
import time

from lab.failure import NO_RESOURCE, Failure
from lab.launch import cpu_seconds

LINES_KEPT = 40


def keep(name, text):
    """Writes the last lines of an output to a file that stays; its path."""
    descriptor, path = tempfile.mkstemp(prefix=f"bench-peers-{name}-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(text.splitlines()[-LINES_KEPT:]) + "\n")
    return path


def timed(name, command, folder, environment=None, good_codes=(0,)):
    """({"seconds": wall, "cpu_seconds": of all its processes}, everything it printed) of a command that must end with one of
    some codes."""
    start, used = time.monotonic(), cpu_seconds()
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        raise Failure(f"{name}: {command[0]} cannot be started: {error.strerror}") from error
    times = {"seconds": time.monotonic() - start, "cpu_seconds": cpu_seconds() - used}
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode not in good_codes:
        raise Failure(f"{name} ended with exit code {done.returncode}; the end of its output is in {keep(name, text)}", NO_RESOURCE)
    return times, text


def found(pattern, text, what):
    """Groups of the last match; Failure, without the program's name, when there is none."""
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    if not matches:
        raise Failure(f"no {what} in the output")
    return matches[-1].groups()


def parsed(name, parse, *texts):
    """What `parse` reads from the outputs; an output it cannot read is kept."""
    try:
        return parse(*texts)
    except Failure as error:
        raise Failure(f"{name}: {error}; its end is in {keep(name, texts[0])}", NO_RESOURCE) from error
