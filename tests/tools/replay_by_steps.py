"""Slow simulations of hf's schedulers to compare tools/lab/replay.py with. Every rank is a generator that
does what src/schedule/*.c do, call by call, and gives the time at which it goes on; messages are lists with arrival
times. Returned are the rank of each task and the time when the last rank leaves the scheduler's finish."""

import heapq
import math


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


class Manager:
    """Times are whole numbers, and ranks that wait look at every one."""

    def __init__(self, costs, n_rank, network, begin):
        self.costs, self.n_rank, self.network, self.begin = costs, n_rank, network, begin
        self.requests, self.replies = [], {}
        self.owner, self.end, self.next_task = {}, 0, 0
        run([self.manager()] + [self.worker(rank) for rank in range(1, n_rank)])

    def manager(self):
        now, n_working = self.begin[0], self.n_rank - 1
        yield now
        while n_working > 0:
            if not (come := arrived(self.requests, now)):
                now += 1
                yield now
                continue
            self.requests += come[1:]
            now += self.network.manager_service_seconds
            yield now
            left = len(self.costs) - self.next_task
            chunk = left // ((self.n_rank - 1) * 200)
            if chunk < 1:
                chunk = 1
            count = min(left, chunk)
            ahead = left - chunk > chunk * 8 * (self.n_rank - 1)
            self.replies[come[0][1]] = (now + self.network.message_seconds(24), self.next_task, count, ahead)
            self.next_task += count
            n_working -= count == 0
        self.end = max(self.end, now)

    def worker(self, rank):
        now, asked = self.begin[rank], False
        while True:
            yield now
            if not asked:
                self.requests.append((now + self.network.message_seconds(4), rank))
            while rank not in self.replies or self.replies[rank][0] > now:
                now += 1
                yield now
            _, first, count, asked = self.replies.pop(rank)
            if count == 0:
                break
            if asked:
                self.requests.append((now + self.network.message_seconds(4), rank))
            for task in range(first, first + count):
                self.owner[task] = rank
                now += self.costs[task]
        self.end = max(self.end, now)


class Counter:
    """Times are whole numbers. Rank 0 serves the others with `needs_home`, else a process of its own does."""

    def __init__(self, costs, n_rank, network, begin):
        self.costs, self.n_rank, self.network, self.begin = costs, n_rank, network, begin
        self.trip = (network.counter_seconds - network.counter_service_seconds) / 2
        self.operations, self.values, self.n_left = [], {}, n_rank
        self.owner, self.end, self.value = {}, 0, 0
        self.ranges = list(self.chunks())
        ranks = [self.rank(rank) for rank in range(n_rank)]
        run(ranks + ([] if network.counter_needs_home else [self.server(0)]))
        self.end += 2 * math.ceil(math.log2(n_rank)) * network.alpha_seconds

    def chunks(self):
        """Chunk of each value, by the definition: levels of 100 chunks a rank, of 1/200 of a rank's share."""
        position = 0
        while position < len(self.costs):
            size = max(1, (len(self.costs) - position) // (200 * self.n_rank))
            for _ in range(100 * self.n_rank):
                if position < len(self.costs):
                    yield position, position + size
                position += size

    def serve(self, operation, now):
        """One operation; the server is busy until the time that is returned."""
        now += self.network.counter_service_seconds
        chunk = self.ranges[self.value] if self.value < len(self.ranges) else None
        self.value += 1
        rank = operation[1] % self.n_rank
        self.values[rank] = (now + (self.trip if rank > 0 else 0), chunk)
        return now

    def server(self, now):
        while self.n_left > 0:
            yield now
            come = arrived(self.operations, now)
            self.operations += come[1:]
            now = self.serve(come[0], now) if come else now + 1

    def look(self, now):
        for operation in arrived(self.operations, now):
            now = self.serve(operation, now)
        return now

    def take(self, rank, now):
        """The value is in values[rank] then or later. Rank 0 is the last one of the same time."""
        if rank == 0 and self.network.counter_needs_home:
            return self.serve((now, 0), self.look(now))
        self.operations.append((now + self.trip, rank) if rank > 0 else (now, self.n_rank))
        return now

    def rank(self, rank):
        now, last_look = self.begin[rank], -math.inf
        home = rank == 0 and self.network.counter_needs_home
        while True:
            yield now
            now = self.take(rank, now)
            while rank not in self.values or self.values[rank][0] > now:
                now += 1
                yield now
            known, chunk = self.values.pop(rank)
            assert known == now
            if chunk is None:
                break
            for task in range(*chunk):
                yield now
                if home and now - last_look >= self.network.look_seconds:
                    now = last_look = self.look(now)
                self.owner[task] = rank
                now += self.costs[task]
        self.end = max(self.end, now)
        self.n_left -= 1
        if home and self.n_left > 0:
            yield from self.server(now)


class Steal:
    """Times are seconds. `resets`: the end of a wave lets an idle rank look often again, as it does in hf."""

    LOOK = 0.5e-6

    def __init__(self, costs, n_rank, network, begin, resets=False):
        self.costs, self.n_rank, self.network, self.begin, self.resets = costs, n_rank, network, begin, resets
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
        n, n_task = world.n_rank, len(world.costs)
        self.mine = list(range(number, n_task, n))
        self.n_taken, self.last_look, self.done = 0, 0.0 - 1.0, False
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
        if self.nap < 200000:
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
            part, self.mine = self.mine[1::2], self.mine[::2]
            thief.reply = (leaves + self.world.network.message_seconds(24), part)
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
        while not self.tour or self.tour[0] == self.number:
            if self.tour:
                self.tour.pop(0)
            else:
                at, step = self.below(n), 1 + self.below(n - 1)
                while math.gcd(n, step) != 1:
                    step = 1 + self.below(n - 1)
                self.tour = [(at + k * step) % n for k in range(1, n + 1)]
        self.world.ranks[self.tour.pop(0)].requests.append((now + self.world.network.message_seconds(0), self))
        self.asked = True

    def __lt__(self, other):
        return self.number < other.number

    def take_reply(self, now):
        if self.reply is None or self.reply[0] > now:
            return
        self.mine, self.reply, self.asked = self.reply[1], None, False
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
            if self.mine and now - self.last_look >= self.world.network.look_seconds:
                now = self.serve(now)
                if self.in_wave:
                    self.advance_wave(now)
                self.last_look = now
            elif not self.mine and not self.done:
                now = yield from self.seek(now)
            self.world.wait[self.number] += now - start
            if not self.mine:
                break
            task = self.mine.pop(0)
            self.n_taken += 1
            if not self.mine:
                self.advance_wave(now)
            self.world.owner[task] = self.number
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
