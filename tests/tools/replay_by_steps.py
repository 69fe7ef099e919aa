"""Slow simulations of hf's schedulers to compare tools/lab/replay.py with. Every rank is a generator that
does what src/schedule/*.c do, call by call, and gives the time at which it goes on; messages are lists with arrival
times. Returned are the rank of each task and the time when the last rank leaves the scheduler's finish."""

import heapq
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
from lab.task_costs import MOST_GROUPS_ASKED, Chunks, CostList, deal, levels_of, split  # noqa: E402 # pylint: disable=wrong-import-position


def run(processes):
    """Runs each generator whenever the time that it gave last has come."""
    due = [(next(process), i) for i, process in enumerate(processes)]
    heapq.heapify(due)
    while due:
        _, i = heapq.heappop(due)
        time = next(processes[i], None)
        if time is not None:
            heapq.heappush(due, (time, i))


def arrived(box, now):
    """Takes the (arrival, content) that have arrived out of a list, in the order of arrival."""
    come = sorted(item for item in box if item[0] <= now)
    for item in come:
        box.remove(item)
    return come


class Grouped:
    """What managers and counters share: groups of ranks, and the chunks of each group in order."""

    def __init__(self, costs, levels, n_rank, network, begin, group):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        self.levels, self.group = levels, group
        self.tasks = CostList(levels)
        self.costs = [costs[task] for task in self.tasks.order]
        self.n_rank, self.network, self.begin = n_rank, network, begin
        self.owner, self.end = {}, 0

    def make_groups(self, n_group):
        """Ranks of each group, in order."""
        borders = [self.n_rank * group // n_group for group in range(n_group + 1)]
        self.groups = [list(range(*pair)) for pair in zip(borders, borders[1:])]
        self.group_of = {rank: i for i, group in enumerate(self.groups) for rank in group}

    def give(self, rank, position):
        self.owner[self.tasks.order[position]] = rank

    def asked(self, own):
        """Groups that the ranks of one ask, in order."""
        return [(own + step) % len(self.groups) for step in range(min(len(self.groups), MOST_GROUPS_ASKED))]

    def number_of_groups(self):
        return -(-self.n_rank // self.group) if self.group > 0 else 1


class Manager(Grouped):
    """Times are whole numbers, and ranks that wait look at every one."""

    def __init__(self, costs, levels, n_rank, network, begin, group=0):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        super().__init__(costs, levels, n_rank, network, begin, group)
        n_group = self.number_of_groups()
        self.make_groups(n_rank // 2 if n_group > 1 and n_rank // n_group < 2 else n_group)
        n_group = len(self.groups)
        self.workers = [rank for group in self.groups for rank in group[1:]]
        chunks = Chunks(self.tasks, len(self.workers))
        self.lists = []
        for group in self.groups:
            numbers = [self.workers.index(rank) for rank in group[1:]]
            turns = [[chunks.chunk(turn, number) for number in numbers] for turn in range(chunks.n_round)]
            self.lists.append([chunk for turn in turns[1:] for chunk in turn if len(chunk) > 0])
        self.first_chunk = {rank: chunks.chunk(0, number) for number, rank in enumerate(self.workers)}
        self.requests, self.replies = [[] for _ in self.groups], {}
        run([self.worker(rank) if rank in self.workers else self.manager(rank) for rank in range(n_rank)])

    def manager(self, rank):
        group = self.group_of[rank]
        now, chunks = self.begin[rank], self.lists[group]
        n_working = sum(group in self.asked(self.group_of[worker]) for worker in self.workers)
        yield now
        while n_working > 0:
            if not (come := arrived(self.requests[group], now)):
                now += 1
                yield now
                continue
            self.requests[group] += come[1:]
            now += self.network.manager_service_seconds
            yield now
            chunk = chunks.pop(0) if chunks else None
            self.replies[come[0][1]] = (now + self.network.message_seconds(16), chunk)
            n_working -= chunk is None
        self.end = max(self.end, now)

    def worker(self, rank):
        now, own = self.begin[rank], self.group_of[rank]
        yield now
        for group in self.asked(own):
            chunk = self.first_chunk[rank] if group == own else range(0)
            while chunk is not None:
                for position in chunk:
                    self.give(rank, position)
                    now += self.costs[position]
                    yield now
                self.requests[group].append((now + self.network.message_seconds(4), rank))
                while rank not in self.replies or self.replies[rank][0] > now:
                    now += 1
                    yield now
                chunk = self.replies.pop(rank)[1]
        self.end = max(self.end, now)


class Counter(Grouped):
    """Times are whole numbers. The first ranks of groups serve the others with `needs_home`, else a process of its own
    does for each."""

    def __init__(self, costs, levels, n_rank, network, begin, group=0):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        super().__init__(costs, levels, n_rank, network, begin, group)
        self.trip = (network.counter_seconds - network.counter_service_seconds) / 2
        self.make_groups(self.number_of_groups())
        chunks = Chunks(self.tasks, n_rank)
        self.lists = [[chunks.chunk(turn, rank) for turn in range(1, chunks.n_round) for rank in group]
                      for group in self.groups]
        self.first_chunk = [chunks.chunk(0, rank) for rank in range(n_rank)]
        self.operations, self.values, self.n_left = [[] for _ in self.groups], {}, n_rank
        ranks = [self.rank(rank) for rank in range(n_rank)]
        servers = [] if network.counter_needs_home else [self.server(group, 0) for group in range(len(self.groups))]
        run(ranks + servers)
        self.end += 2 * math.ceil(math.log2(n_rank)) * network.alpha_seconds

    def serve(self, group, operation, now):
        """One operation; the server is busy until the time that is returned."""
        now += self.network.counter_service_seconds
        rank = operation[1] % self.n_rank
        chunk = self.lists[group].pop(0) if self.lists[group] else None
        self.values[rank] = (now + (0 if rank == self.groups[group][0] else self.trip), chunk)
        return now

    def server(self, group, now):
        while self.n_left > 0:
            yield now
            come = arrived(self.operations[group], now)
            self.operations[group] += come[1:]
            now = self.serve(group, come[0], now) if come else now + 1

    def look(self, group, now):
        for operation in arrived(self.operations[group], now):
            now = self.serve(group, operation, now)
        return now

    def take(self, rank, group, now):
        """The value is in values[rank] then or later. Who holds the counter is the last one of the same time."""
        home = rank == self.groups[group][0]
        if home and self.network.counter_needs_home:
            return self.serve(group, (now, rank), self.look(group, now))
        self.operations[group].append((now, self.n_rank + rank) if home else (now + self.trip, rank))
        return now

    def rank(self, rank):
        own = self.group_of[rank]
        home = rank == self.groups[own][0] and self.network.counter_needs_home
        now, next_look = self.begin[rank], -math.inf
        yield now
        for group in self.asked(own):
            chunk = self.first_chunk[rank] if group == own else range(0)
            while chunk is not None:
                for position in chunk:
                    yield now
                    if home and now >= next_look:
                        start, now = now, self.look(own, now)
                        next_look = self.network.next_look(start, now)
                    self.give(rank, position)
                    now += self.costs[position]
                yield now
                now = self.take(rank, group, now)
                while rank not in self.values or self.values[rank][0] > now:
                    now += 1
                    yield now
                known, chunk = self.values.pop(rank)
                assert known == now
        self.end = max(self.end, now)
        self.n_left -= 1
        if home and self.n_left > 0:
            yield from self.server(own, now)


class Steal:
    """Times are seconds. `resets`: the end of a wave lets an idle rank look often again, as it does in hf."""

    LOOK = 0.5e-6

    def __init__(self, costs, n_rank, network, begin, resets=False):
        self.levels, self.group = levels_of(costs), 0
        self.tasks = CostList(self.levels)
        self.costs = [costs[task] for task in self.tasks.order]
        self.n_rank, self.network, self.begin, self.resets = n_rank, network, begin, resets
        self.shares = deal(self.tasks, n_rank)
        steps = math.ceil(math.log2(n_rank))
        self.wave_seconds, self.barrier_seconds = 2 * steps * network.alpha_seconds, steps * network.alpha_seconds
        self.owner, self.end, self.n_success, self.wait = {}, 0.0, 0, [0.0] * n_rank
        self.waves = []      # [ranks, sum, end]
        self.in_barrier, self.barrier_end = 0, math.inf
        self.ranks = [StealRank(self, number) for number in range(n_rank)]
        run([rank.life(begin[rank.number]) for rank in self.ranks])


class StealRank:
    """steal.c on one rank."""

    def __init__(self, world, number):
        self.world, self.number = world, number
        self.mine = world.shares[number]
        self.empty, self.victim = set(), None
        self.n_taken, self.next_look, self.done = 0, 0.0 - 1.0, False
        self.in_wave, self.n_wave = False, 0
        self.requests, self.reply, self.asked = [], None, False
        self.n_refused, self.pause, self.next_request = 0, 0.0, -1.0
        self.tour = []
        self.random = 0x9e3779b97f4a7c15 * (number + 1) % 2**64
        self.fresh()

    def fresh(self):
        self.n_look, self.nap = 0, 20000

    def wait_a_little(self, now):
        if self.n_look < 100:
            self.n_look += 1
            return now + self.world.LOOK
        nap = self.nap
        if self.nap < 50000:
            self.nap += self.nap // 4
        return now + 1e-9 * nap

    def below(self, n):
        self.random = (self.random ^ (self.random << 13)) % 2**64
        self.random ^= self.random >> 7
        self.random = (self.random ^ (self.random << 17)) % 2**64
        return self.random % n

    def serve(self, now):
        """Busy ranks spend time on it, idle ones have it."""
        for _, thief in arrived(self.requests, now):
            leaves = now + self.world.network.manager_service_seconds
            if self.mine:
                now = leaves
            self.mine, part = split(self.world.tasks, self.mine, 160)
            (self.empty.discard if part else self.empty.add)(thief.number)
            thief.reply = (leaves + self.world.network.message_seconds(24 * len(part)), part)
            self.world.n_success += len(part) > 0
        return now

    def advance_wave(self, now):
        waves = self.world.waves
        joins = not self.in_wave and not self.mine
        over = False
        if joins:
            if len(waves) == self.n_wave:
                waves.append([0, 0, math.inf])
            wave = waves[self.n_wave]
            wave[0] += 1
            wave[1] += self.n_taken
            if wave[0] == self.world.n_rank:
                wave[2] = now + self.world.wave_seconds
            self.in_wave = True
            self.n_wave += 1
        if self.in_wave:
            over = waves[self.n_wave - 1][2] <= now
        if over:
            self.in_wave = False
            self.done = waves[self.n_wave - 1][1] == len(self.world.costs)
        if (joins or over) and self.world.resets:
            self.fresh()

    def ask(self, now):
        if now < self.next_request:
            return
        n = self.world.n_rank
        if len(self.empty) == n - 1:
            self.empty.clear()
        self.below(1)  # the tour through a node of one rank
        while not self.tour or self.tour[0] == self.number or self.tour[0] in self.empty:
            if self.tour:
                self.tour.pop(0)
            else:
                at, step = self.below(n), 1 + self.below(n - 1)
                while math.gcd(n, step) != 1:
                    step = 1 + self.below(n - 1)
                self.tour = [(at + k * step) % n for k in range(1, n + 1)]
        self.victim = self.tour.pop(0)
        self.world.ranks[self.victim].requests.append((now + self.world.network.message_seconds(4), self))
        self.asked = True

    def __lt__(self, other):
        return self.number < other.number

    def take_reply(self, now):
        if self.reply is None or self.reply[0] > now:
            return
        self.mine, self.reply, self.asked = self.reply[1], None, False
        (self.empty.discard if self.mine else self.empty.add)(self.victim)
        if self.mine:
            self.n_refused, self.pause = 0, 0.0
            return
        self.n_refused += 1
        if self.n_refused >= min(8, self.world.n_rank - 1):
            self.pause = min(2e-3, 2 * self.pause) if self.pause > 0 else 20e-6
            self.next_request = now + (0.5 + self.below(1024) / 1024) * self.pause

    def seek(self, now):
        self.fresh()
        while True:
            self.serve(now)
            self.advance_wave(now)
            if self.done:
                return now
            if self.asked:
                self.take_reply(now)
            else:
                self.ask(now)
            if self.mine:
                return now
            now = self.wait_a_little(now)
            yield now

    def life(self, now):
        yield now
        while True:
            start = now
            if self.mine and now >= self.next_look:
                now = self.serve(now)
                self.next_look = self.world.network.next_look(start, now)
            elif not self.mine and not self.done:
                now = yield from self.seek(now)
            self.world.wait[self.number] += now - start
            if not self.mine:
                break
            task = self.mine[0][0]
            self.mine[0] = [task + self.mine[0][1], self.mine[0][1], self.mine[0][2] - 1]
            if self.mine[0][2] == 0:
                self.mine.pop(0)
            self.n_taken += 1
            if not self.mine:
                self.advance_wave(now)
            self.world.owner[self.world.tasks.order[task]] = self.number
            now += self.world.costs[task]
            yield now
        yield from self.finish(now)

    def finish(self, now):
        self.fresh()
        joined = False
        while not joined or self.world.barrier_end > now:
            self.serve(now)
            if self.asked:
                self.take_reply(now)
            elif not joined:
                joined = True
                self.world.in_barrier += 1
                if self.world.in_barrier == self.world.n_rank:
                    self.world.barrier_end = now + self.world.barrier_seconds
            now = self.wait_a_little(now)
            yield now
        self.world.end = max(self.world.end, now)
