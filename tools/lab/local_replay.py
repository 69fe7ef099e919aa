"""Local MP2 on any number of ranks, from the batches of a trace of one rank (src/local/local_mp2.h): localisation, domains
and pairs, the transformation, and iterations with T fetched from its owners or on every rank. Pairs are dealt as hf deals
them (src/local/local_pairs.c, local_bras_second.c).

Simpler than in hf: each rank has the same part of the half-transformed integrals of each orbital; a rank's fetches arrive
one after the other, and only the owner that is asked for most can delay them; all iterations need the amplitudes that the first
one needs; what was not measured apart in set-up steps is done by every rank."""

import heapq
import math
from typing import NamedTuple

from . import constants, models
from .linear_algebra import LinearAlgebra
from .mp2_replay import BYTES, Machine, Phases, first_half

LOCALISATION, DOMAINS, TRANSFORMATION, AMPLITUDES, ITERATIONS = range(5)  # numbers of batches; iterations go on
NO_AXIS = 1e-20


class Pair(NamedTuple):
    """i >= j; `domain` are its atoms, `work` what hf deals by; `n_outer` functions have integrals."""
    i: int
    j: int
    n_function: int
    n_outer: int
    work: float
    domain: frozenset

    @property
    def n_byte(self):
        return BYTES * self.n_function**2

    @property
    def n_integral_byte(self):
        return BYTES * self.n_outer**2


class LocalPrediction(NamedTuple):
    """Local MP2 on `n_rank` ranks. Iterations are with T fetched, and with T on every rank."""
    scheduler: str
    n_rank: int
    set_up: float  # localisation, domains and pairs
    transformation: Phases
    fetched: Phases
    replicated: Phases

    @property
    def whole(self):
        return self.set_up + self.transformation.total + self.fetched.total


# ---- How hf deals ----

def deal_by_place(work, centres, n_rank):
    """Owner of each item: give() of local_pairs.c. Half of the ranks get those on one side of a cut, and so on, until few
    are left; these go one by one to the rank with least."""
    found = [0] * len(work)
    left = [(list(range(len(work))), 0, n_rank)]
    while left:
        items, first, n = left.pop()
        if n == 1 or not items:
            for item in items:
                found[item] = first
            continue
        if n <= constants.of("local_mp2").most_sharing and len(items) < constants.of("local_mp2").few_pairs * n:
            has = [(0.0, rank) for rank in range(first, first + n)]
            for item in sorted(items, key=lambda k: (-work[k], k)):
                least, found[item] = has[0]
                heapq.heapreplace(has, (least + work[item], found[item]))
            continue
        widths = [max(centres[k][d] for k in items) - min(centres[k][d] for k in items) for d in range(3)]
        axis = widths.index(max(widths))
        items.sort(key=lambda k: (centres[k][axis], k))  # pylint: disable=cell-var-from-loop
        n_lower, total, lower, cut = n // 2, sum(work[k] for k in items), 0.0, 0
        while cut < len(items) and (lower + 0.5 * work[items[cut]]) * n <= total * n_lower:
            lower += work[items[cut]]
            cut += 1
        left += [(items[:cut], first, n_lower), (items[cut:], first + n_lower, n - n_lower)]
    return found


def along_axis(centres):
    """Items in their order along the direction in which they differ most: make_places() of local_transform.c."""
    mean = [sum(centre[x] for centre in centres) / len(centres) for x in range(3)]
    away = [[centre[x] - mean[x] for x in range(3)] for centre in centres]
    spread = [[sum(one[x] * one[y] for one in away) for y in range(3)] for x in range(3)]
    axis = [1.0, 1.1, 1.2]
    for _ in range(constants.of("local_mp2").axis_steps):
        after = [sum(row[y] * axis[y] for y in range(3)) for row in spread]
        norm = sum(value**2 for value in after)
        if norm < NO_AXIS:
            break
        axis = [value / math.sqrt(norm) for value in after]
    return sorted(range(len(centres)), key=lambda k: (sum(axis[x] * away[k][x] for x in range(3)), k))


class Pairs:
    """The pairs of a calculation as its trace describes them."""

    def __init__(self, local):
        orbitals = local["orbitals"]
        self.n_orbital = len(orbitals)
        self.centre_of_orbital = [orbital["centre_bohr"] for orbital in orbitals]
        self.all = []
        for pair in local["pairs"]:
            i, j = pair["i"] - 1, pair["j"] - 1
            name = "extended_domain" if local["extended_weak_pairs"] or pair["class"] == "strong" else "domain"
            self.all.append(Pair(i, j, pair["functions"], pair["correction_functions"], pair["work"],
                                 frozenset(orbitals[i][name]) | frozenset(orbitals[j][name])))
        self.number = {pair.i * (pair.i + 1) // 2 + pair.j: p for p, pair in enumerate(self.all)}
        self.centres = [[x + y for x, y in zip(self.centre_of_orbital[pair.i], self.centre_of_orbital[pair.j])]
                        for pair in self.all]
        self.partners = [[] for _ in orbitals]  # of each orbital: pairs, by the other orbital
        for p, pair in enumerate(self.all):
            self.partners[pair.i].append((pair.j, p))
            if pair.i != pair.j:
                self.partners[pair.j].append((pair.i, p))
        self._owners = {}

    @property
    def n_byte(self):
        return sum(pair.n_byte for pair in self.all)

    def owners(self, n_rank):
        if n_rank not in self._owners:
            self._owners[n_rank] = deal_by_place([pair.work for pair in self.all], self.centres, n_rank)
        return self._owners[n_rank]

    def finishers(self, n_rank):
        """For each orbital that is the first one of pairs: [(pair, rank that finishes it)] (hf_local_finishing_init)."""
        order = along_axis(self.centre_of_orbital)
        place = {i: k for k, i in enumerate(order)}
        total, before, found = sum(pair.n_outer for pair in self.all), 0.0, {}
        for i in order:
            found[i] = []
            for j, p in sorted(self.partners[i]):
                if place[i] <= place[j]:
                    rank = int((before + 0.5 * self.all[p].n_outer) / total * n_rank)
                    found[i].append((p, min(rank, n_rank - 1)))
                    before += self.all[p].n_outer
        return found


def shares(seconds, owner, n_rank):
    """Seconds of each rank."""
    busy = [0.0] * n_rank
    for task, took in enumerate(seconds):
        busy[owner[task]] += took
    return busy


# ---- Transformation ----

def exchange(machine, received, sent, largest):
    """Seconds of an all-to-all exchange in which ranks get and send so many bytes: Eq. 10.7 for the rank with the most, in
    rounds of pieces; `largest` is the longest message."""
    n_rank = machine.n_rank
    if n_rank == 1:
        return 0.0
    piece = constants.of("local_mp2").piece if n_rank <= constants.of("local_mp2").most_pieces else constants.of("local_mp2").piece * constants.of("local_mp2").most_pieces // n_rank
    n_round = 1 + math.ceil(largest / (BYTES * piece))
    each = (n_rank - 1) * machine.message_seconds(0) + 2.0 * machine.network.all_reduce_seconds(n_rank)
    most = max(*received, *sent)
    along = machine.message_seconds(most) - machine.message_seconds(0)
    return n_round * each + along + 2.0 * most * machine.network.node_beta_seconds_per_byte


def second_half(batch, pairs, machine):
    """(ia|rs) of an orbital go to the ranks that finish its pairs, and K from there to the owners."""
    n_rank, owner = machine.n_rank, pairs.owners(machine.n_rank)
    received, busy = [0.0] * n_rank, [0.0] * n_rank
    moved = [[0.0] * n_rank, [0.0] * n_rank]
    for i, own in pairs.finishers(n_rank).items():
        total = sum(pairs.all[p].n_outer for p, _ in own)
        for rank in {rank for _, rank in own}:
            received[rank] += batch.bytes.get(i, 0.0)
        for p, rank in own:
            busy[rank] += batch.pairs[i] * pairs.all[p].n_outer / total if i < len(batch.pairs) else 0.0
            if owner[p] != rank:
                moved[0][rank] += pairs.all[p].n_integral_byte
                moved[1][owner[p]] += pairs.all[p].n_integral_byte
    others = (n_rank - 1) / n_rank
    sent = [others * sum(received) / n_rank] * n_rank
    first = exchange(machine, [others * n_byte for n_byte in received], sent, max(received) / n_rank)
    return machine.finish(busy).plus(Phases(moving=first + exchange(machine, *moved, max(moved[0]))))


# ---- Iterations ----

class Fetches:
    """What each rank fetches in an iteration: batches of its own pairs (hf_local_amplitudes_plan)."""

    def __init__(self, pairs, needs, n_rank):
        self.pairs, self.owner = pairs, pairs.owners(n_rank)
        own = [[] for _ in range(n_rank)]
        for p, rank in enumerate(self.owner):
            own[rank].append(p)
        self.asked = [0.0] * n_rank  # bytes that others need of a rank
        self.of_rank = [self.batches(rank, own[rank], needs) for rank in range(n_rank)]

    def batches(self, rank, own, needs):
        """[(pairs, bytes, blocks)]"""
        limit = max(BYTES * constants.of("local_mp2").least_room, sum(self.pairs.all[p].n_byte for p in own))
        found, known, filled, begin = [], set(), 0.0, 0
        for k, p in enumerate(own):
            new = {self.pairs.number[number]: n_byte for number, n_byte in needs.get(p, {}).items()}
            new = {other: n_byte for other, n_byte in new.items() if self.owner[other] != rank}
            more = sum(n_byte for other, n_byte in new.items() if other not in known)
            if filled > 0.0 and filled + more > limit:
                found.append((own[begin:k], filled, len(known)))
                known, filled, begin, more = set(), 0.0, k, sum(new.values())
            for other, n_byte in new.items():
                if other not in known:
                    self.asked[self.owner[other]] += n_byte
            known |= new.keys()
            filled += more
        return found + [(own[begin:], filled, len(known))]

    def seconds(self, machine, rank, costs):
        """Until the rank has all its residuals: while a batch is computed, the next one arrives."""
        def arriving(number):
            _, n_byte, n_block = batches[number]
            if n_block == 0:
                return 0.0
            alone = machine.message_seconds(0)
            return 2.0 * alone + machine.message_seconds(n_byte) - alone

        batches, now = self.of_rank[rank], 0.0
        here = arriving(0)
        for number, (own, _, _) in enumerate(batches):
            now = max(now, here)
            here = now + arriving(number + 1) if number + 1 < len(batches) else now
            now += sum(costs[p] for p in own) / machine.n_thread
        return now

    def least_seconds(self, machine):
        """No iteration is shorter: the rank that is asked for most sends for so long."""
        return machine.message_seconds(max(self.asked)) - machine.message_seconds(0)


def iterations(batches, pairs, machine, replicated):
    """All iterations, and the first amplitudes."""
    n_rank, owner = machine.n_rank, pairs.owners(machine.n_rank)
    n_pair, network = len(pairs.all), machine.network
    fetches = None if replicated or n_rank == 1 else Fetches(pairs, batches[1].needs, n_rank)
    sums = models.all_reduce_seconds(machine.model, (4 + constants.of("local_mp2").history) * n_pair, n_rank) if n_rank > 1 else 0.0
    share = network.barrier_seconds(n_rank)
    if replicated:
        share = models.replication_seconds(machine.model, pairs.n_byte / BYTES, n_rank)
    found = Phases()
    for batch in batches:
        lists = batch.copying / n_rank
        if len(batch.first) > 0:
            busy = shares(batch.first, owner, n_rank)
            mean = sum(busy) / machine.n_worker
            computed = max(busy) / machine.n_thread
            over = computed
            if fetches is not None:
                ends = [fetches.seconds(machine, rank, batch.first) for rank in range(n_rank)]
                over = max(*ends, fetches.least_seconds(machine))
            found = found.plus(Phases(second=mean + lists, moving=over - computed + sums, waiting=computed - mean
                                      + network.all_reduce_seconds(n_rank)))
        if len(batch.pairs) > 0:
            found = found.plus(machine.finish(shares(batch.pairs, owner, n_rank))).plus(Phases(moving=share))
    return found


# ---- All ----

class SimulatedLocalMp2:
    """The network's machine for any number of ranks."""

    def __init__(self, recording, network, gamma_seconds, n_thread=1):
        if recording.header["n_rank"] > 1:
            raise ValueError(f"local MP2 is replayed from traces of 1 process, not of {recording.header['n_rank']}")
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.local = recording.local_mp2
        self.batches = recording.sizes[0].batches
        if len(self.batches) <= ITERATIONS or len(self.batches[TRANSFORMATION].first) == 0:
            raise ValueError("the traces do not have all steps of local MP2; expected those of a run from its SCF on")
        self.pairs = Pairs(self.local)
        self.model = models.Machine(network.alpha_seconds, BYTES * network.beta_seconds_per_byte, gamma_seconds)
        self._known = {}

    def predict(self, scheduler, n_rank):
        key = scheduler, n_rank
        if key not in self._known:
            machine = Machine(self.network, self.model, scheduler, n_rank, self.n_thread)
            crowding = self.network.crowding(n_rank, self.n_thread)
            steps = [self.transformation(machine), *(iterations(self.batches[AMPLITUDES:], self.pairs, machine, replicated)
                                                     for replicated in (False, True))]
            self._known[key] = LocalPrediction(
                scheduler, n_rank, crowding * (self.localisation(n_rank) + self.domains(machine)),
                *(Phases(*(crowding * seconds for seconds in step[:2]), *step[2:]) for step in steps))
        return self._known[key]

    def localisation(self, n_rank):
        """Sweeps by seats of blocks of orbitals, operators by all, dense products by the grid; the rest by every rank."""
        batch, o = self.batches[LOCALISATION], self.pairs.n_orbital
        sweeps, shared = sum(batch.first), batch.copying / n_rank
        n_block = max(2, min(o + o % 2, constants.of("local_mp2").sweep_blocks))
        n_seat = n_block // 2
        one, many = (self.localisation_algebra(n) for n in (1, n_rank))
        rest = batch.step - sweeps - batch.copying - one.compute
        found = shared + max(0.0, rest) + many.compute + many.messages + sweeps * math.ceil(n_seat / n_rank) / n_seat
        if n_rank > 1:
            block = BYTES * o / n_block * (2 * self.recording.header["n_function"] + o)
            found += self.local["sweeps"] * (n_block - 1) * 2.0 * self.network.message_seconds(block)
        return found

    def domains(self, machine):
        """W of the domains of own pairs, excitations of distant pairs in turns, products of dense matrices."""
        batch, n_rank, header = self.batches[DOMAINS], machine.n_rank, self.recording.header
        cost = {}
        for p, seconds in enumerate(batch.first):
            if seconds > 0.0:
                cost[self.pairs.all[p].domain] = seconds
        own = [set() for _ in range(n_rank)]
        for p, rank in enumerate(self.pairs.owners(n_rank)):
            own[rank].add(self.pairs.all[p].domain)
        found = machine.finish([sum(cost.get(domain, 0.0) for domain in domains) for domains in own])
        found = found.plus(machine.finish([sum(batch.pairs[rank::n_rank]) for rank in range(n_rank)]))
        one, many = (self.domains_algebra(n) for n in (1, n_rank))
        apart = sum(batch.first) + sum(batch.pairs) + batch.copying + one.compute
        rest = max(0.0, batch.step - apart)
        if n_rank > 1:
            found = found.plus(Phases(moving=models.all_reduce_seconds(self.model, 4 * header["n_function"], n_rank)))
        return found.total + batch.copying / n_rank + many.compute + many.messages + rest

    def algebra(self, n_rank):
        n = self.recording.header["n_function"]
        return n, self.pairs.n_orbital, LinearAlgebra(self.network, n_rank, n, None, self.n_thread)

    def localisation_algebra(self, n_rank):
        """Orbitals at the start and end; S and four moments of orbitals (src/localise/)."""
        n, o, algebra = self.algebra(n_rank)
        return algebra.product(n, o, o).times(2.0).plus(algebra.product(n, o, n).times(6.0)).plus(
            algebra.product(o, o, n).times(4.0))

    def domains_algebra(self, n_rank):
        """V = S C_v, P, and both symmetric products (local_paos.c); dipoles of orbitals (local_distant.c)."""
        n, o, algebra = self.algebra(n_rank)
        v = n - self.recording.header.get("n_occupied", n)
        return algebra.product(n, v, n).plus(algebra.product(n, n, v).times(2.0)).plus(
            algebra.product(n, o, n).times(3.0)).plus(algebra.product(n, o, o))

    def transformation(self, machine):
        """Of the set-up, shell pairs are divided over the ranks of a node."""
        batch = self.batches[TRANSFORMATION]
        in_node = min(self.network.ranks_per_node, machine.n_rank)
        moved = batch.phases.get("Local MP2: exchange", 0.0) / machine.n_rank  # sorted and handed over within a rank
        found = first_half(batch, machine).plus(Phases(second=batch.step - batch.copying * (1.0 - 1.0 / in_node),
                                                         moving=moved))
        return found.plus(second_half(batch, self.pairs, machine))

    @property
    def pair_seconds(self):
        """Of all residuals of each pair."""
        return [sum(seconds) for seconds in zip(*(batch.first for batch in self.batches[AMPLITUDES:] if len(batch.first) > 0))]

    # ---- Models ----

    @property
    def one(self):
        """One process of one thread."""
        if self.n_thread == 1:
            return self.predict("static", 1)
        return SimulatedLocalMp2(self.recording, self.network, self.model.gamma_seconds).predict("static", 1)

    def model_seconds(self, n_rank):
        """(transformation, iterations with T on every rank): t(1)/p with Eqs. 10.7 and 10.8."""
        one, n_worker = self.one, n_rank * self.n_thread
        n_half = sum(self.batches[TRANSFORMATION].bytes.values()) / BYTES
        n_share = len(self.batches) - AMPLITUDES
        return (one.transformation.total / n_worker + models.redistribution_seconds(self.model, n_half, n_rank),
                one.replicated.total / n_worker
                + n_share * models.replication_seconds(self.model, self.pairs.n_byte / BYTES, n_rank))
