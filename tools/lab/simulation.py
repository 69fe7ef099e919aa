"""Rounds of tasks, MP2 and local MP2 on simulated ranks: hf-simulate runs the schedulers, transports and exchanges of hf
themselves (src/simulate/)."""

import dataclasses
import json
import pathlib
import shutil
import tempfile
import weakref
from types import SimpleNamespace
from typing import NamedTuple

from . import constants, simulator, trace
from .phases import LOCAL_EXCHANGE

class Step(NamedTuple):
    """Seconds of a step, and means over the ranks of its phases; what is in none of them is waiting."""
    seconds: float
    phases: dict

    def plus(self, other):
        return Step(self.seconds + other.seconds, {phase: self.phases.get(phase, 0.0) + other.phases.get(phase, 0.0)
                                                   for phase in {**self.phases, **other.phases}})


class Round(NamedTuple):
    """Seconds of each task; of reading its stored integrals; the (number, kind, bytes) of the blocks that it needs; levels of the
    costs by which hf deals tasks (empty: it deals them by seconds); how often blocks of replicated J and K were added to (trace.Build)."""
    costs: list
    stored: dict = {}
    blocks: dict = {}
    levels: bytes = b""
    adds: dict = {}


class Rounds:
    """Rounds that follow each other. Tasks of a round without stored integrals say which rank reads them later. `header` is that of
    a trace: without "fock" no matrices move. `batches` (recording.BatchCosts) are those of a method after the SCF; `more` goes into
    the header: "reads_only", matrices are not added to; "n_density"."""

    def __init__(self, rounds, header=None, batches=(), **more):
        header = header or {}
        self._transport = header.get("onesided") or "thread"
        kinds = [trace.TASK, trace.STORED_TASK, trace.FIRST_QUARTER, trace.SECOND_QUARTER, trace.PAIR_TASK, trace.COPYING, trace.STEP,
                 LOCAL_EXCHANGE]
        records = []
        for number, levels in [*enumerate(one.levels for one in rounds),
                               *enumerate((one.levels.get(trace.TASK, b"") for one in batches), trace.FIRST_BATCH)]:
            records += [(trace.EIGHT.unpack_from(levels, i)[0], i, 0.0, number, 0, trace.LEVELS)
                        for i in range(0, len(levels), trace.EIGHT.size)]
        for number, (costs, stored, blocks, _, adds) in enumerate(rounds):
            records += [(float(block), task, n_byte, number, 0, kind)
                        for task, needs in blocks.items() for block, kind, n_byte in needs]
            records += [(0.0, task, seconds, number, 0, 0) for task, seconds in enumerate(costs) if seconds > 0.0]
            records += [(0.0, task, seconds, number, 0, 1) for task, seconds in stored.items()]
            records += [(float(block), times, n_byte, number, 0, kind) for kind, of in adds.items() for block, (times, n_byte) in of.items()]
        for number, batch in enumerate(batches, trace.FIRST_BATCH):
            tasks = (batch.first, (), batch.first_quarter, batch.second_quarter, batch.pairs, [batch.copying], [batch.step],
                     [batch.phases.get(LOCAL_EXCHANGE, 0.0)])
            records += [(0.0, task, seconds, number, 0, kind) for kind, costs in enumerate(tasks) for task, seconds in enumerate(costs)]
            records += [(0.0, task, n_byte, number, 0, trace.BLOCK_J) for task, n_byte in batch.bytes.items()]
            records += [(float(block), task, n_byte, number, 0, trace.BLOCK_K)
                        for task, needs in batch.needs.items() for block, n_byte in needs.items()]
        header = {**header, **more, "kinds": kinds, "model": {"fock": vars(constants.of("fock"))},
                  "builds": [{"n_task": max(len(costs), 1 + max(stored, default=-1))} for costs, stored, *_ in rounds]}
        self._path = pathlib.Path(tempfile.mkdtemp(prefix="hf-simulate-"), "rounds.trace")
        weakref.finalize(self, shutil.rmtree, self._path.parent)
        trace.write(self._path, header, records)
        self._programs = {}

    def replay(self, scheduler, n_rank, network, n_thread=1):
        """What hf-simulate prints of a case. It is started once for all cases of a machine."""
        key = network, n_thread
        if key not in self._programs:
            machine = self._path.with_name(f"machine-{len(self._programs)}.json")
            machine.write_text(json.dumps(dataclasses.asdict(network)), encoding="utf-8")
            program = simulator.start("--machine", machine, "--ranks", "-", "--threads", n_thread, "--onesided", self._transport, self._path)
            weakref.finalize(self, simulator.end, program)
            self._programs[key] = program
        program = self._programs[key]
        try:
            program.stdin.write(f"{scheduler} {n_rank}\n")
            program.stdin.flush()
        except BrokenPipeError:
            pass
        line = program.stdout.readline()
        if not line:
            simulator.complain(program.stderr.read(), program.wait())
        return json.loads(line)

    def run(self, scheduler, n_rank, network, n_thread=1):
        """Of each round `seconds` from the first rank's start to the last one's end, `tasks_over` when the last task is done; `work`
        and `blocked` for blocks, sums over all threads; number of `tasks`."""
        return [SimpleNamespace(**found) for found in self.replay(scheduler, n_rank, network, n_thread)["rounds"]]

    def steps(self, scheduler, n_rank, network, n_thread=1):
        """{step: {"seconds" and phases of the method: seconds}}"""
        return self.replay(scheduler, n_rank, network, n_thread)["steps"]


def simulate(scheduler, costs, n_rank, network, n_thread=1):
    """One round of tasks."""
    return Rounds([Round(costs)]).run(scheduler, n_rank, network, n_thread)[0]
