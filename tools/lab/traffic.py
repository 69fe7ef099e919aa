"""Blocks of distributed matrices on their way, message by message, in a replayed round (src/fock/distributed.c).

Every rank keeps the density blocks it has met last, as many as its cache has room for (src/fock/block_cache.c). What a task
needs and is neither here nor the rank's own is asked for one task ahead, from all owners at once: a request, then the
block. An owner's line carries one block after the other, and so does the one of the rank that asked. Sums of J and K stay
in caches of the same size; what leaves them, and what is there at the end of the round, goes to its owner.

Simpler than in hf: a task's blocks are asked for at once, not part by part; a block is owned by the rank that a hash of its
number gives, as even as hf's layout; tasks of stored integrals ask for nothing."""

import math
from bisect import bisect_right
from collections import OrderedDict, deque

from .trace import BLOCK_J, BLOCK_K

SCATTER = 0x9e3779b97f4a7c15
WORD = 8
TASKS_UNDER_WAY = 4  # whose density blocks stay: hf has 2 to 16 parts under way
LEAST_BUDGET = 8.0 * 1024 * 1024


class Line:
    """What leaves a rank, one thing after the other. Ranks are not simulated in the order of time: whoever is ready while
    the line was idle goes then."""

    def __init__(self):
        self.starts, self.ends = [], []  # of times at which it is busy

    def take(self, ready, seconds):
        """When something is through that is ready to go."""
        starts, ends, start = self.starts, self.ends, ready
        i = bisect_right(ends, ready)
        while i < len(starts) and starts[i] < start + seconds:
            start = ends[i]
            i += 1
        if seconds > 0.0:
            if i > 0 and ends[i - 1] == start:
                ends[i - 1] = start + seconds
            else:
                starts.insert(i, start)
                ends.insert(i, start + seconds)
        return start + seconds


def cache_budget(n_function, n_rank, n_node_rank):
    """Bytes of the blocks that one kind of cache may keep (src/fock/block_cache.c)."""
    whole = n_function**2 * WORD
    return min(whole * min(0.5, 1.0 / n_node_rank), max(whole / n_rank, LEAST_BUDGET))


class Cache:
    """Blocks by last use; both orientations of each are kept."""

    def __init__(self, budget):
        self.budget, self.n_bytes, self.blocks = budget, 0.0, OrderedDict()

    def touch(self, number, n_bytes, pinned=()):
        """(whether it was here, [(number, bytes) that had to leave]); what is pinned stays."""
        if number in self.blocks:
            self.blocks.move_to_end(number)
            return True, ()
        left, too_many = [], self.n_bytes + 2.0 * n_bytes - self.budget
        if too_many > 0.0:
            for other, its_bytes in self.blocks.items():
                if other not in pinned:
                    left.append((other, its_bytes))
                    too_many -= 2.0 * its_bytes
                    if too_many <= 0.0:
                        break
        for other, its_bytes in left:
            del self.blocks[other]
            self.n_bytes -= 2.0 * its_bytes
        self.blocks[number] = n_bytes
        self.n_bytes += 2.0 * n_bytes
        return False, left


class Traffic:
    """`blocks[task]` are the (number, kind, bytes) that the parts of a task need one after the other; `budget` bytes has each
    of the caches of a rank: densities, J and K. Without `adds` densities are read only."""

    def __init__(self, blocks, network, n_rank, budget=math.inf, adds=True):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        self.blocks, self.network, self.n_rank, self.adds = blocks, network, n_rank, adds
        self.densities = [Cache(budget) for _ in range(n_rank)]
        self.sums = [{kind: Cache(budget) for kind in (BLOCK_J, BLOCK_K)} for _ in range(n_rank)]
        self.lines = [Line() for _ in range(n_rank)]
        self.under_way = [deque(maxlen=TASKS_UNDER_WAY) for _ in range(n_rank)]  # blocks of its last tasks
        self.last_start = [0.0] * n_rank  # of its last task
        self.n_fetched = self.n_sent = 0

    @property
    def n_message(self):
        """Requests, blocks and sums."""
        return 2 * self.n_fetched + self.n_sent

    def owner(self, number):
        return ((number + 1) * SCATTER >> 32) % self.n_rank

    def fetch(self, rank, task, now, busy):
        """When the blocks of a task are here that its rank begins with `now`; `busy`: it has had another one just before,
        at whose start these were asked for."""
        asked = min(now, self.last_start[rank]) if busy else now
        densities, sums, here, arrived = self.densities[rank], self.sums[rank], now, asked
        needed = self.blocks.get(task, ())
        self.under_way[rank].append({number for number, _, _ in needed})
        pinned = set().union(*self.under_way[rank])
        for number, kind, n_bytes in needed:
            for other, leaving in sums[kind].touch(number, n_bytes)[1] if self.adds else ():
                here = max(here, self.send(rank, other, leaving, here))
            if densities.touch(number, n_bytes, pinned)[0] or self.owner(number) == rank:
                continue
            owner = self.owner(number)
            self.n_fetched += 1
            arrived = self.move(owner, rank, n_bytes, asked + self.request_seconds(rank, owner), arrived)
            here = max(here, arrived)
        self.last_start[rank] = here
        return here

    def send(self, rank, number, n_bytes, now):
        """When a sum has come to its owner."""
        owner = self.owner(number)
        if owner == rank:
            return now
        self.n_sent += 1
        return self.move(rank, owner, n_bytes, now, now)

    def request_seconds(self, rank, owner):
        return self.network.message_seconds(0, self.network.near(rank, owner))

    def move(self, source, target, n_bytes, ready, target_free):
        """When a block has come that may leave the source at `ready`, on a line that others use, too, and behind what has
        come to the target before."""
        near = self.network.near(source, target)
        latency = self.network.message_seconds(0, near)
        along = self.network.message_seconds(n_bytes, near) - latency
        left = self.lines[source].take(ready, along)
        return max(left + latency, target_free + along)

    def send_sums(self, done):
        """When all sums have come to their owners, of ranks that are done at `done[rank]`; ranks in the order in which they
        are."""
        free, last = list(done), max(done, default=0.0)
        for rank in sorted(range(self.n_rank), key=lambda number: done[number]):
            for cache in self.sums[rank].values():
                for number, n_bytes in cache.blocks.items():
                    owner = self.owner(number)
                    if owner != rank:
                        self.n_sent += 1
                        free[owner] = self.move(rank, owner, n_bytes, done[rank], free[owner])
                        last = max(last, free[owner])
        return last
