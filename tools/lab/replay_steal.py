"""Replays a round of src/schedule/steal.c: shares dealt by cost; a rank that has nothing left takes half of another's.

Some things are simpler than there:
- A wave goes on by itself once the last rank has joined, as if the network did the sum while ranks compute.
- The end of a wave does not make an idle rank look more often again.
- Once no rank has two tasks left in hand, nothing can be stolen any more and thieves stop asking: the refusals that
  would follow are neither counted nor do they keep the last busy ranks from their work.
- With more than EXACT_RANKS ranks, thieves that have come to the longest pauses are a pool. Only those of their
  requests that meet busy ranks are events; they come at random, as many in a second as thieves on tours make."""

import heapq
import math
import random
from bisect import bisect_left

from . import task_costs

ASKED_AT_ONCE = 8
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 20e-6, 2e-3
LOOKS_BEFORE_NAP = 100
FIRST_NAP_NS, LONGEST_NAP_NS = 20000, 50000
IDLE_LOOK_SECONDS = 0.5e-6
EXACT_RANKS = 2048
SEED, WORD = 0x9e3779b97f4a7c15, (1 << 64) - 1
REQUEST_BYTES, PROGRESSION_BYTES = 4, 24  # an int; three 64-bit integers
MOST_STOLEN = 160

# Events, in the order in which those of the same time happen. A tuple has time, kind, number of the rank, and the
# number of the victim or wave.
WAVE_OVER, REQUEST, TASK_OVER, JOIN_WAVE, TASKS_COME = range(5)


def nap_ends():
    """Seconds from the first look of an idle rank to the ends of its naps. The last one here is the longest nap, which
    is repeated from then on."""
    nap, ends = FIRST_NAP_NS, [LOOKS_BEFORE_NAP * IDLE_LOOK_SECONDS]
    while nap < LONGEST_NAP_NS:
        ends.append(ends[-1] + 1e-9 * nap)
        nap += nap // 4
    return ends[1:] + [ends[-1] + 1e-9 * nap]


NAP_ENDS = nap_ends()
LONGEST_NAP_SECONDS = NAP_ENDS[-1] - NAP_ENDS[-2]


def next_look(since, time):
    """First look at or after `time` of a rank that has been idle since then: without pause, then after naps."""
    waited = time - since
    if waited <= LOOKS_BEFORE_NAP * IDLE_LOOK_SECONDS:
        # a little less: the time of a look must give that look in spite of rounding
        return since + max(0, math.ceil(waited / IDLE_LOOK_SECONDS - 1e-3)) * IDLE_LOOK_SECONDS
    if waited <= NAP_ENDS[-1]:
        return since + NAP_ENDS[bisect_left(NAP_ENDS, waited - 1e-3 * IDLE_LOOK_SECONDS)]
    naps = math.ceil((waited - NAP_ENDS[-1] - 1e-3 * IDLE_LOOK_SECONDS) / LONGEST_NAP_SECONDS)
    return since + NAP_ENDS[-1] + naps * LONGEST_NAP_SECONDS


def look_after(since, look, pause=0.0):
    """The first look that follows a look after a pause."""
    return next_look(since, look + max(pause, 0.5 * IDLE_LOOK_SECONDS))


class Tour:
    """Once round 0 .. n-1 from a random one in random steps."""
    __slots__ = ("at", "step", "left")

    def __init__(self):
        self.at = self.step = self.left = 0

    def next(self, rank, n):
        if self.left == 0:
            self.at, self.left = rank.random_below(n), n
            self.step = 1 + rank.random_below(n - 1) if n > 1 else 1
            while math.gcd(n, self.step) != 1:
                self.step = 1 + rank.random_below(n - 1)
        self.at = (self.at + self.step) % n
        self.left -= 1
        return self.at


class Rank:
    """State of one rank. In hand it has progressions [first, stride, count] of positions, dearest first."""
    __slots__ = ("number", "mine", "count", "n_taken", "next_look", "waiting", "idle", "since", "wave", "coming",
                 "n_refused", "pause", "near", "far", "empty", "random")

    def __init__(self, number, share):
        self.number = number
        self.mine = share[::-1]  # the first one last
        self.count = task_costs.size(share)
        self.n_taken = 0
        self.next_look = -math.inf
        self.waiting = []   # thieves whose requests have arrived
        self.idle, self.since = False, 0.0  # looks for tasks, since when
        self.wave = 0       # number of the wave it has joined; 0: none since it knows that the last one is over
        self.coming = None  # tasks on their way to it, and who gave them
        self.n_refused, self.pause = 0, 0.0
        self.near, self.far = Tour(), Tour()
        self.empty = set()  # ranks that have nothing as far as it knows
        self.random = SEED * (number + 1) & WORD

    def random_below(self, n):
        """xorshift64"""
        x = self.random
        x ^= x << 13 & WORD
        x ^= x >> 7
        x ^= x << 17 & WORD
        self.random = x
        return x % n

    def next_victim(self, n_rank, ranks_per_node):
        """The next one of its node that is not known to have nothing, or of all."""
        if len(self.empty) == n_rank - 1:
            self.empty.clear()
        first = self.number // ranks_per_node * ranks_per_node
        n_near = min(ranks_per_node, n_rank - first)
        for _ in range(n_near):
            victim = first + self.near.next(self, n_near)
            if victim != self.number and victim not in self.empty:
                return victim
        while True:
            victim = self.far.next(self, n_rank)
            if victim != self.number and victim not in self.empty:
                return victim

    def take(self):
        """The first task."""
        part = self.mine[-1]
        position = part[0]
        part[0] += part[1]
        part[2] -= 1
        if part[2] == 0:
            self.mine.pop()
        self.count -= 1
        return position

    def pause_seconds(self, n_rank):
        """Until it may ask again, from the moment it knows of a refusal."""
        self.n_refused += 1
        if self.n_refused < min(n_rank - 1, ASKED_AT_ONCE):
            return 0.0
        self.pause = min(2.0 * self.pause if self.pause > 0.0 else FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        return (0.5 + self.random_below(1024) / 1024.0) * self.pause

    def split(self, tasks):
        """Half of the cost, for a thief; the first task stays. None: there is none to spare."""
        if self.count < 2:
            return None
        mine, theirs = task_costs.split(tasks, self.mine[::-1], MOST_STOLEN)
        self.mine = mine[::-1]
        self.count -= task_costs.size(theirs)
        return theirs


class Bag:
    """A set that gives random members."""

    def __init__(self, members=()):
        self.members = list(members)
        self.place = {member: i for i, member in enumerate(self.members)}

    def __len__(self):
        return len(self.members)

    def add(self, member):
        self.place[member] = len(self.members)
        self.members.append(member)

    def remove(self, member):
        place, last = self.place.pop(member), self.members.pop()
        if last is not member:
            self.members[place] = last
            self.place[last] = place

    def pick(self, generator):
        return self.members[int(generator.random() * len(self.members))]


class StealRound:
    """Events of a round with at least two ranks."""

    def __init__(self, costs, tasks, network, outcome):
        self.costs, self.tasks, self.network, self.outcome = costs, tasks, network, outcome
        self.n_rank, self.n_task = outcome.n_rank, len(costs)
        self.in_nodes, self.all_ring = network.ranks_per_node > 1, network.ranks_per_node >= outcome.n_rank
        self.request_seconds = [network.message_seconds(REQUEST_BYTES, near) for near in (False, True)]
        self.reply_seconds = [network.message_seconds(0, near) for near in (False, True)]  # of a refusal
        self.service_seconds = network.manager_service_seconds
        self.wave_seconds = network.all_reduce_seconds(self.n_rank)
        self.ranks = [Rank(number, share) for number, share in enumerate(task_costs.deal(tasks, self.n_rank))]
        self.n_rich = sum(rank.count >= 2 for rank in self.ranks)  # ranks and messages with tasks that can be split
        self.busy = Bag(self.ranks)
        self.pool = Bag()
        self.pool_seconds = self.seconds_between_requests()
        self.pool_requests = 0.0
        self.generator = random.Random(1)
        self.to_meeting = self.generator.expovariate(1.0)  # meetings to be expected before the pool has the next one
        self.wave, self.n_joined, self.wave_sum = 1, 0, 0
        self.now = 0.0
        self.events = [(begin, TASK_OVER, number, 0) for number, begin in enumerate(outcome.begin)]
        heapq.heapify(self.events)

    def run(self):
        """Handles events until a wave finds all tasks taken."""
        ranks = self.ranks
        while True:
            if len(self.pool) > 0 and self.n_rich > 0 and self.pool_meets_busy(self.events[0][0]):
                continue
            now, kind, number, other = heapq.heappop(self.events)
            self.now = now
            rank = ranks[number]
            if kind == REQUEST:
                self.request_arrives(rank, ranks[other], now)
            elif kind == TASK_OVER and rank.count > 0:
                self.do_task(rank, self.look(rank, now))
            elif kind == TASK_OVER:
                self.become_idle(rank, now)
            elif kind == TASKS_COME:
                self.take_part(rank, now)
            elif kind == JOIN_WAVE and rank.idle and rank.wave == 0 and self.wave == other:
                self.join_wave(rank, now)
            elif kind == WAVE_OVER:
                if self.wave_sum == self.n_task:
                    self.finish(now)
                    return
                self.begin_wave(now)

    # ---- A busy rank ----

    def do_task(self, rank, now):
        """The next task in hand."""
        task = rank.take()
        rank.n_taken += 1
        self.n_rich -= rank.count == 1
        free = self.outcome.do(self.costs, range(task, task + 1), rank.number, now)
        heapq.heappush(self.events, (free, TASK_OVER, rank.number, 0))
        if rank.count == 0:
            self.advance_wave(rank, now)

    def look(self, rank, now):
        """Between two tasks it answers thieves: those of its node, who ring, at once, the others now and then. When it
        goes on."""
        rung = self.in_nodes and any(self.near(thief, rank) for thief in rank.waiting)
        if not rung and (self.all_ring or now < rank.next_look):
            return now
        start = now
        for thief in rank.waiting:
            now += self.service_seconds
            self.answer(rank, thief, now)
        rank.waiting.clear()
        rank.next_look = self.network.next_look(start, now)
        self.outcome.wait[rank.number] += now - start
        return now

    def answer(self, victim, thief, now):
        """A thief gets half of what there is, or nothing."""
        was_rich = victim.count >= 2
        part = victim.split(self.tasks)
        if part is None:
            victim.empty.add(thief.number)
            self.refuse(thief, victim, now)
            return
        victim.empty.discard(thief.number)
        self.n_rich += (victim.count >= 2) + (task_costs.size(part) >= 2) - was_rich
        thief.coming = part, victim.number
        travel = self.network.message_seconds(len(part) * PROGRESSION_BYTES, self.near(thief, victim))
        seen = next_look(thief.since, now + travel)
        heapq.heappush(self.events, (seen, TASKS_COME, thief.number, 0))

    # ---- An idle rank ----

    def become_idle(self, rank, now):
        """Nothing left: those who have asked it meanwhile are refused, and it asks others."""
        rank.idle, rank.since = True, now
        self.busy.remove(rank)
        for thief in rank.waiting:
            rank.empty.add(thief.number)
            self.refuse(thief, rank, now + self.service_seconds)
        rank.waiting.clear()
        if rank.wave != 0 and rank.wave != self.wave:
            heapq.heappush(self.events, (look_after(now, now), JOIN_WAVE, rank.number, self.wave))
        self.advance_wave(rank, now)
        self.ask(rank, now)

    def ask(self, thief, now):
        """A request to the next rank of its tour, unless there is nothing to be had anywhere."""
        if self.n_rich == 0:
            return
        self.outcome.n_message += 2
        victim = thief.next_victim(self.n_rank, self.network.ranks_per_node)
        arrival = now + self.request_seconds[self.network.near(thief.number, victim)]
        heapq.heappush(self.events, (arrival, REQUEST, thief.number, victim))

    def request_arrives(self, thief, victim, now):
        """An idle victim refuses at its next look: if tasks are on their way to it, it finds them after that."""
        if self.n_rich == 0:
            return
        if victim.idle:
            victim.empty.add(thief.number)
            self.refuse(thief, victim, next_look(victim.since, now) + self.service_seconds)
        else:
            victim.waiting.append(thief)

    def near(self, thief, victim):
        return self.network.near(thief.number, victim.number)

    def refuse(self, thief, victim, now):
        """The thief waits on its own until it asks the next one, so that is settled at once."""
        thief.empty.add(victim.number)
        if thief.pause == LONGEST_PAUSE_SECONDS and self.n_rank > EXACT_RANKS:
            self.pool.add(thief)
            return
        seen = next_look(thief.since, now + self.reply_seconds[self.near(thief, victim)])
        self.ask(thief, look_after(thief.since, seen, thief.pause_seconds(self.n_rank)))

    def seconds_between_requests(self):
        """Of a thief in the longest pauses, on average: there are three times half a nap, until the victim looks, until
        the thief sees the answer, and until it sees that the pause is over."""
        exchange = self.request_seconds[False] + self.service_seconds + self.reply_seconds[False]
        return exchange + LONGEST_PAUSE_SECONDS + 1.5 * LONGEST_NAP_SECONDS

    def pool_meets_busy(self, next_event):
        """Whether a thief of the pool asks a busy rank before the next event; then that is done. The pool's requests
        are a Poisson process, and so are those of them that go to busy ranks."""
        requests = len(self.pool) / self.pool_seconds * (next_event - self.now)
        meetings = requests * len(self.busy) / (self.n_rank - 1)
        if meetings < self.to_meeting:
            self.to_meeting -= meetings
            self.pool_requests += requests
            return False
        part = self.to_meeting / meetings
        self.now += part * (next_event - self.now)
        self.pool_requests += part * requests
        self.to_meeting = self.generator.expovariate(1.0)
        thief = self.pool.pick(self.generator)
        self.pool.remove(thief)
        self.request_arrives(thief, self.busy.pick(self.generator), self.now)
        return True

    def take_part(self, rank, now):
        """Tasks have come, and it begins with them."""
        part, giver = rank.coming
        rank.mine, rank.count = part[::-1], task_costs.size(part)
        rank.empty.discard(giver)
        rank.idle, rank.coming, rank.n_refused, rank.pause = False, None, 0, 0.0
        self.busy.add(rank)
        self.outcome.wait[rank.number] += now - rank.since
        self.do_task(rank, now)

    # ---- The end ----

    def advance_wave(self, rank, now):
        """Joins the wave if the rank is in none and has no tasks in hand, or learns that its wave is over."""
        if rank.wave == 0 and rank.count == 0:
            self.join_wave(rank, now)
        elif rank.wave != self.wave:
            rank.wave = 0

    def join_wave(self, rank, now):
        rank.wave = self.wave
        self.n_joined += 1
        self.wave_sum += rank.n_taken
        if self.n_joined == self.n_rank:
            heapq.heappush(self.events, (now + self.wave_seconds, WAVE_OVER, 0, 0))

    def begin_wave(self, now):
        """Idle ranks join the look after the one that shows them the end of the last wave, the others when they have
        nothing left in hand and look."""
        self.wave += 1
        self.n_joined = self.wave_sum = 0
        for rank in self.ranks:
            if rank.idle:
                rank.wave = 0
                joins = look_after(rank.since, next_look(rank.since, now))
                heapq.heappush(self.events, (joins, JOIN_WAVE, rank.number, self.wave))

    def finish(self, now):
        """The wave that ends `now` has found all tasks taken, and all have joined it, so busy ranks are in their last
        task. Idle ranks wait for answers to their last requests, which the last busy rank gives when it is through;
        then all meet in a barrier. Ranks see the answers and the end of the barrier at looks."""
        told = [next_look(rank.since, now) if rank.idle else now for rank in self.ranks]
        for rank in self.ranks:
            if rank.idle:
                self.outcome.wait[rank.number] += told[rank.number] - rank.since
        knows = [max(seen, self.outcome.last_task_over(number)) for number, seen in enumerate(told)]
        answered = max(knows) + self.service_seconds + self.reply_seconds[False]
        joined = max(next_look(since, answered) for since in knows)
        over = joined + self.network.barrier_seconds(self.n_rank)
        self.outcome.seconds = max(next_look(since, over) for since in knows)
        self.outcome.n_message += 2 * round(self.pool_requests)
