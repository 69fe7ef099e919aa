"""Reads the files that `hf --trace` writes: one line of JSON, then records of 24 bytes.

A record is a span of time on one thread of one rank. The kinds below FIRST_SPECIAL are numbers into the header's
"kinds": "task" (computed), "stored task" (read back from memory), "Coulomb task" (of the Coulomb pass, numbered apart
from the others), "Coulomb step" (beside these: what coulomb_pass.py divides) and the phases of the run's report, by name. Two
special kinds structure the file: RANK begins the records of another rank, TOTAL has the seconds of a whole phase. Two
more say which blocks of distributed matrices a task needs, for J or for K; two how often a block of replicated J or K was added to
in a build; the last has the levels of cost of eight tasks by which hf dealt them.

Batches of a transformation of integrals (MP2) are numbered from FIRST_BATCH on, beside the Fock builds: "task" is then one
of the first half (without its quarters, where these are recorded apart), "pair task" one of the second. What the transformation
was is in the header's "extras". The batches of local MP2 are listed in src/local/local_mp2.h; in these the two kinds of blocks
say how many bytes a pair task reads, and which amplitudes a task needs. An analytic gradient is one batch; its blocks are of
densities that a task needs. With forces of MP2 each batch is two: first half and blocks of amplitudes ("pair task": twice the number
of a block, and one more on the way back), then the second pass; one with the relaxation as a step follows, then the gradient. The
Fock builds of the relaxation have the numbers after those of the SCF."""

import array
import itertools
import json
import struct

from . import coulomb_pass

FORMAT, VERSION = "hf-trace", 1
RECORD = struct.Struct("<dqfHBB")  # start, task, seconds, build, thread, kind
LEVELS, ADDS_J, ADDS_K, BLOCK_J, BLOCK_K, TOTAL, RANK = 249, 250, 251, 252, 253, 254, 255
FIRST_SPECIAL = LEVELS
EIGHT = struct.Struct("<d")  # levels in place of a start
NO_BUILD = 0xFFFF  # outside of the Fock builds and batches
FIRST_BATCH = 0x8000
TASK, STORED_TASK, COULOMB_TASK, PAIR_TASK = "task", "stored task", "Coulomb task", "pair task"
COULOMB_STEP = "Coulomb step"
FIRST_QUARTER, SECOND_QUARTER = "first quarter", "second quarter"  # of a task of a batch, if they are recorded apart
COPYING = "copying"  # between the halves of a batch, within a rank
STEP = "step"  # of local MP2, with the tasks in it
SET_UP = "Set-up"


class TraceError(Exception):
    """One line for the user: the file is no trace, or not a whole one."""


class Build:
    """One Fock build: what the header says of it, and what its tasks took, summed over their parts."""

    def __init__(self, info, grows=False):
        self.info, self.grows = info, grows
        self.n_task = info["n_task"]
        self.computed = array.array("d", bytes(8 * self.n_task))  # seconds of task i
        self.levels = {}  # by kind, of the cost of task i, in eights; what is not there was not recorded
        self.stored = {}   # seconds of task i where its stored integrals were read
        self.owner = {}    # rank that read them
        self.coulomb = {}  # seconds of task i of the Coulomb pass
        self.coulomb_steps = []  # coulomb_pass.Step beside these, as the first thread of the first rank did them
        self.blocks = {}   # of a task: [(number, BLOCK_J or BLOCK_K, bytes)] as its parts need them one after the other
        self.adds = {ADDS_J: {}, ADDS_K: {}}  # [times, bytes] of each block of J and of K that was added to
        self.seconds = 0.0  # from the first rank's start to the last one's end


    def make_room(self, task):
        """Unless the header says how many tasks there are."""
        if self.grows and task >= self.n_task:
            self.computed.extend([0.0] * (task + 1 - self.n_task))
            self.n_task = task + 1


class Batch:
    """One batch of a transformation: seconds of its tasks, and of phases on all ranks together."""

    def __init__(self):
        self.tasks = {TASK: {}, FIRST_QUARTER: {}, SECOND_QUARTER: {}, PAIR_TASK: {}, COPYING: {}, STEP: {}}
        self.levels, self.phases = {}, {}
        self.owner = {TASK: {}, PAIR_TASK: {}}  # rank that did a task
        self.bytes = {}    # that a pair task reads
        self.needs = {}    # {task: {number of a block among pairs i >= j: bytes}}
        self.begin, self.end = float("inf"), 0.0

    def add(self, kind, task, start, seconds, rank=0):
        of, key = (self.phases, kind) if task < 0 else (self.tasks[kind], task)
        if kind in self.owner:
            self.owner[kind][task] = rank
        of[key] = of.get(key, 0.0) + seconds
        self.begin, self.end = min(self.begin, start), max(self.end, start + seconds)

    def add_block(self, kind, task, number, n_byte):
        if kind == BLOCK_J:
            self.bytes[task] = self.bytes.get(task, 0.0) + n_byte
        else:
            self.needs.setdefault(task, {})[number] = n_byte

    @property
    def seconds(self):
        """From the first rank's start to the last one's end."""
        return max(0.0, self.end - self.begin)


class Trace:
    """A whole trace. `builds` are those of the header, in order, `later` all others {number: Build}, `totals[rank]` has the seconds
    of each phase. `batches` are those of MP2, and `set_up` the seconds of the phase of that name before the first one, on the first
    rank."""

    def __init__(self, path):
        self.path = str(path)
        self.header = read_header(path)
        self.n_rank = self.header["n_rank"]
        self.builds = [Build(info) for info in self.header["builds"]]
        self.numbers = {info.get("number", i): i for i, info in enumerate(self.header["builds"])}
        self.totals = [{} for _ in range(self.n_rank)]
        self.batches, self.later, self.set_up = [], {}, 0.0
        try:
            self._read()
        except IndexError as error:
            raise TraceError(f"{path}: a record of this trace is damaged") from error

    def _read(self):
        kinds, rank = self.header["kinds"], 0
        computed, stored = kinds.index(TASK), kinds.index(STORED_TASK)
        coulomb = kinds.index(COULOMB_TASK) if COULOMB_TASK in kinds else None
        coulomb_model = self.header.get("model", {}).get("coulomb")
        coulomb_step = kinds.index(COULOMB_STEP) if COULOMB_STEP in kinds and coulomb_model else None
        begin, end = {}, {}
        for start, task, seconds, number, thread, kind in records(self.path, self.header):
            if kind == RANK:
                rank = task
            elif kind == TOTAL:
                self.totals[rank][kinds[task]] = start
            elif kind in (BLOCK_J, BLOCK_K) and number >= FIRST_BATCH:
                self.batch(number).add_block(kind, task, round(start), seconds)
            elif kind in (BLOCK_J, BLOCK_K):
                self.build(number).blocks.setdefault(task, []).append((round(start), kind, seconds))
            elif kind in (ADDS_J, ADDS_K):
                known = self.build(number).adds[kind].setdefault(round(start), [0, seconds])
                known[0] += task
            elif kind == LEVELS and number != NO_BUILD:
                of = self.batch(number).levels if number >= FIRST_BATCH else self.build(number).levels
                of[kinds[int(seconds)]] = of.get(kinds[int(seconds)], b"") + EIGHT.pack(start)
            elif number == NO_BUILD:
                if kinds[kind] == SET_UP and not self.batches:
                    self.set_up = seconds
            elif number >= FIRST_BATCH:
                self.batch(number).add(kinds[kind], task, start, seconds, rank)
            else:
                begin[number] = min(begin.get(number, start), start)
                end[number] = max(end.get(number, 0.0), start + seconds)
                build = self.build(number)
                if kind == computed:
                    build.make_room(task)
                    build.computed[task] += seconds
                elif kind == stored:
                    build.stored[task] = build.stored.get(task, 0.0) + seconds
                    build.owner[task] = rank
                elif kind == coulomb:
                    build.coulomb[task] = build.coulomb.get(task, 0.0) + seconds
                elif kind == coulomb_step and rank == thread == 0:
                    n_unit, step = divmod(task, coulomb_model["unit"])
                    build.coulomb_steps.append(coulomb_pass.Step(coulomb_model["steps"][step], n_unit, seconds))
        for i in begin:
            self.build(i).seconds = end[i] - begin[i]

    def build(self, number):
        """The one of this number. Trial builds of the SCF and those of responses are no part of the header, and like its last one."""
        if number in self.numbers:
            return self.builds[self.numbers[number]]
        if not self.batches and not any("number" in info for info in self.header["builds"]):
            raise IndexError(number)  # a trace of an older version has only builds of the header
        return self.later.setdefault(number, Build({**self.builds[-1].info, "n_task": 0}, True))

    def after(self):
        """Builds that follow those of the SCF."""
        return [build for number, build in sorted(self.later.items()) if number > max(self.numbers)]

    def batch(self, number):
        """The one of this number, and all before it."""
        self.batches += [Batch() for _ in range(number - FIRST_BATCH + 1 - len(self.batches))]
        return self.batches[number - FIRST_BATCH]

    @property
    def coulomb_step_seconds(self):
        """What the first thread spends in the Coulomb passes of all builds beside their tasks."""
        return sum(step.seconds for build in self.builds for step in build.coulomb_steps)


def write(path, header, records_of_file):
    """A trace of these records."""
    whole = {**header, "format": FORMAT, "version": VERSION, "record_bytes": RECORD.size, "n_record": len(records_of_file)}
    with open(path, "wb") as file:
        file.write(json.dumps(whole).encode() + b"\n")
        file.write(b"".join(itertools.starmap(RECORD.pack, records_of_file)))


def read_header(path):
    """The first line of a trace."""
    try:
        with open(path, "rb") as file:
            header = json.loads(file.readline(1 << 24))
    except (OSError, ValueError) as error:
        raise TraceError(f"{path}: no trace of hf: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise TraceError(f"{path}: no trace of hf")
    if header.get("version") != VERSION or header.get("record_bytes") != RECORD.size:
        raise TraceError(f"{path}: a trace of version {header.get('version')}, expected {VERSION}")
    if not {"n_rank", "n_record", "builds", "kinds"} <= header.keys() or not {TASK, STORED_TASK} <= {*header["kinds"]}:
        raise TraceError(f"{path}: the header of this trace is not whole")
    return header


def records(path, header):
    """Record after record, as RECORD has them."""
    n_left = header["n_record"]
    with open(path, "rb") as file:
        file.readline()
        while n_left > 0:
            block = file.read(RECORD.size * min(n_left, 1 << 16))
            if len(block) == 0 or len(block) % RECORD.size != 0:
                raise TraceError(f"{path}: the trace ends {n_left} records early")
            n_left -= len(block) // RECORD.size
            yield from RECORD.iter_unpack(block)
