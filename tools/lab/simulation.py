"""Rounds of tasks on simulated ranks: hf-simulate runs the schedulers and transports of hf themselves (src/simulate/)."""

import dataclasses
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref
from typing import NamedTuple

from . import constants, launch, trace
from .failure import BAD_INPUT, NO_RESOURCE, Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "hf-simulate"
PROGRAM = os.environ.get("HF_SIMULATE") or launch.program_beside(ROOT, NAME)


def take_beside(hf):
    """Simulates with the program that lies beside this hf, if there is one and no other has been named."""
    global PROGRAM  # pylint: disable=global-statement
    path = pathlib.Path(shutil.which(hf) or hf).resolve().with_name(NAME)
    if "HF_SIMULATE" not in os.environ and path.is_file():
        PROGRAM = str(path)


def call(*arguments):
    """What hf-simulate prints."""
    try:
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failure(f"{PROGRAM} cannot be started: {error.strerror}; simulations need it") from error
    if done.returncode != 0:
        raise Failure(done.stderr.strip().removeprefix(f"{NAME}: ") or f"{NAME} ended with {done.returncode}",
                      BAD_INPUT if done.returncode == BAD_INPUT else NO_RESOURCE)
    return done.stdout


@functools.cache
def schedulers():
    """Names of all there are."""
    return tuple(call("--list").split())


class Outcome(NamedTuple):
    """What a round took; sums are over all threads."""
    seconds: float     # from the first rank's start to the last one's end
    work: float        # in tasks, and in reading stored integrals
    tasks_over: float  # when the last task is done
    blocked: float     # for blocks
    first_wait: float  # of rank 0
    tasks: int


class Round(NamedTuple):
    """Seconds of each task; of reading its stored integrals; the (number, kind, bytes) of the blocks that it needs."""
    costs: list
    stored: dict = {}
    blocks: dict = {}


class Rounds:
    """Rounds that follow each other. Tasks of those without stored integrals say which rank reads them later. `n_function`
    determines how many blocks a rank has room for; with `reads_only` blocks are not added to; `transport` is that of the run."""

    def __init__(self, rounds, n_function=0, reads_only=False, transport=None):
        self._transport = transport or "thread"
        kinds = [trace.TASK, trace.STORED_TASK]
        records = []
        for number, (costs, stored, blocks) in enumerate(rounds):
            records += [(float(block), task, n_byte, number, 0, kind)
                        for task, needs in blocks.items() for block, kind, n_byte in needs]
            records += [(0.0, task, seconds, number, 0, 0) for task, seconds in enumerate(costs) if seconds > 0.0]
            records += [(0.0, task, seconds, number, 0, 1) for task, seconds in stored.items()]
        header = {"kinds": kinds, "n_function": n_function, "model": {"fock": vars(constants.of("fock"))}, "reads_only": reads_only,
                  "builds": [{"n_task": max(len(costs), 1 + max(stored, default=-1))} for costs, stored, _ in rounds]}
        self._path = pathlib.Path(tempfile.mkdtemp(prefix="hf-simulate-"), "rounds.trace")
        weakref.finalize(self, shutil.rmtree, self._path.parent)
        trace.write(self._path, header, records)

    def run(self, scheduler, n_rank, network, n_thread=1):
        """[Outcome] of the rounds."""
        machine = self._path.with_name("machine.json")
        machine.write_text(json.dumps(dataclasses.asdict(network)), encoding="utf-8")
        text = call("--machine", machine, "--schedule", scheduler, "--ranks", n_rank, "--threads", n_thread,
                    "--onesided", self._transport, self._path)
        return [Outcome(**found) for found in json.loads(text)["rounds"]]


def simulate(scheduler, costs, n_rank, network, n_thread=1):
    """Outcome of one round of tasks."""
    return Rounds([Round(costs)]).run(scheduler, n_rank, network, n_thread)[0]
