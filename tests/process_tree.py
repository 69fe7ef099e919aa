"""Kills a launcher and all ranks below it, which may be in sessions of their own."""

import os
import pathlib
import signal


def descendants(pid):
    """Process ids below one, by /proc."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, rest = [], [pid]
    while rest:
        below = children.get(rest.pop(), [])
        found += below
        rest += below
    return found


def kill(process):
    """Stops the launcher, so that it starts no others, and kills it with all below it."""
    everybody = [process.pid] + descendants(process.pid)
    for pid in everybody:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate()
