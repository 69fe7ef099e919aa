"""What else a machine does while hf runs: cores that other programs use, from /proc/stat."""

import json
import os
import pathlib
import time
from typing import NamedTuple

from .launch import cpu_seconds

PROC_STAT = "/proc/stat"
IDLE = (3, 4)      # fields of the line "cpu": idle and waiting for a disk
GUEST = (8, 9)     # counted in others already


class Snapshot(NamedTuple):
    """Seconds since some start: the wall clock, all cores at work, and those of the children of this process."""
    wall: float
    busy: float
    own: float


def busy_seconds(path):
    """Of all cores together; None: this system does not say."""
    try:
        with open(path, encoding="ascii") as file:
            words = file.readline().split()
        ticks = [int(word) for word in words[1:]]
    except (OSError, ValueError):
        return None
    if not words or words[0] != "cpu" or len(ticks) < 5:
        return None
    return sum(value for i, value in enumerate(ticks) if i not in IDLE + GUEST) / os.sysconf("SC_CLK_TCK")


def snapshot():
    """Now; None where the system does not say."""
    busy = busy_seconds(PROC_STAT)
    return None if busy is None else Snapshot(time.monotonic(), busy, cpu_seconds())


def others_cores(before, after):
    """Cores that all programs but the children of this one used between two snapshots, on the mean; None: unknown.
    Children count when they have ended."""
    if before is None or after is None or after.wall <= before.wall:
        return None
    return max(0.0, (after.busy - before.busy) - (after.own - before.own)) / (after.wall - before.wall)


def beside(path):
    """The file for what else the machine did while a trace was made."""
    return pathlib.Path(path).with_suffix(".machine")


def keep(path, others):
    """Leaves what others_cores() said of a run beside it."""
    path.write_text(json.dumps({"others_cores": others}) + "\n", encoding="utf-8")


def kept(path):
    """What keep() has left; None: nothing."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))["others_cores"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return float(value) if isinstance(value, (int, float)) else None
