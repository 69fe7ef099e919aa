"""The folder of a sweep: its settings, and a file for every run that is done, so that a sweep can be cut and go on."""

import hashlib
import json
import os
import pathlib
import shutil

from .cases import Run
from .failure import Failure

SETTINGS = "settings.json"
KEYS = ("settings", "sweep")
FOLDERS = ("runs", "traces")
OURS = ("results.json", "results.csv", "comparison.csv", "job-p*.sh", "job-p*.out",
        *(f"{name}.{suffix}" for name in ("speedup", "efficiency", "phases", "phases-*") for suffix in ("svg", "png")))


def fingerprint(path):
    """SHA-256 of a file's contents."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write(path, text):
    """All of it or nothing, even when cut."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


class Folder:
    """Where the runs of one molecule with the same options are."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def read(self):
        """What save() has written; None: the folder is new."""
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return None
        try:
            stored = json.loads((self.path / SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            stored = None
        if not isinstance(stored, dict) or not all(isinstance(stored.get(key), dict) for key in KEYS):
            raise Failure(f"{self.path} is there and no folder of speedup; --output names another")
        return stored

    def save(self, stored):
        """SETTINGS first, which makes the folder one of speedup."""
        self.path.mkdir(parents=True, exist_ok=True)
        write(self.path / SETTINGS, json.dumps(stored, indent=2) + "\n")
        for name in FOLDERS:
            (self.path / name).mkdir(exist_ok=True)

    def clear(self):
        """Throws away what speedup made; SETTINGS last."""
        for name in FOLDERS:
            if (self.path / name).exists():
                shutil.rmtree(self.path / name)
        for pattern in OURS:
            for path in self.path.glob(pattern):
                path.unlink()
        (self.path / SETTINGS).unlink(missing_ok=True)

    def result(self, run):
        """The file of a run; there when it is done."""
        return self.path / "runs" / f"{run.name}.json"

    def part(self, run):
        """The file of a run while hf may still be writing it."""
        return self.path / "runs" / f"{run.name}.part"

    def output(self, run):
        """hf's report of a run."""
        return self.path / "runs" / f"{run.name}.out"

    def machine(self, run):
        """What else the machine did during a run: JSON with others_cores. Runs of a job script leave none."""
        return self.path / "runs" / f"{run.name}.machine"

    def trace(self, run):
        """The file of the trace that a run leaves; None: it leaves none."""
        return self.path / "traces" / run.trace_name if run.trace_name else None

    def trace_of(self, case, processes):
        """The trace that is there of a case; None: there is none, or not all of it yet."""
        run = Run(case, processes, 1)
        return self.trace(run) if self.result(run).exists() and self.trace(run).exists() else None


def differences(old, new):
    """One line for each setting that is another than that of the runs that are there."""
    return [f"{name}: {shown(old.get(name))} there, {shown(new.get(name))} now"
            for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


def shown(value):
    if isinstance(value, list):
        return " ".join(value) or "none"
    return str(value)[:60]
