"""Blocks of distributed matrices on their way, message by message, in a replayed round (src/fock/distributed.c).

Every rank keeps the density blocks it has met. What a task needs and is neither here nor the rank's own is asked for one
task ahead, from all owners at once: a request, then the block. An owner's line carries one block after the other, and so
does the one of the rank that asked. Sums of J and K stay where they are made and go to their owners at the end of the
round, again line by line.

Simpler than in hf: caches are not bounded; all threads of a rank share one, as in hf; a block is owned by a rank that a
hash of its number gives, as even as hf's layout; tasks of stored integrals ask for nothing."""

from bisect import bisect_right

SCATTER = 0x9e3779b97f4a7c15


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


class Traffic:
    """`blocks[task]` are the (number, kind, bytes) that a task needs."""

    def __init__(self, blocks, network, n_rank):
        self.blocks, self.network, self.n_rank = blocks, network, n_rank
        self.at_hand = [set() for _ in range(n_rank)]   # densities, by number
        self.sums = [{} for _ in range(n_rank)]         # bytes, by number and kind
        self.lines = [Line() for _ in range(n_rank)]
        self.last_start = [0.0] * n_rank                # of its last task
        self.n_message = 0

    def owner(self, number):
        return ((number + 1) * SCATTER >> 32) % self.n_rank

    def fetch(self, rank, task, now, busy):
        """When the blocks of a task are here that its rank begins with `now`; `busy`: it has had another one just before,
        at whose start these were asked for."""
        asked = min(now, self.last_start[rank]) if busy else now
        at_hand, sums, here = self.at_hand[rank], self.sums[rank], now
        arrived = asked
        for number, kind, n_bytes in self.blocks.get(task, ()):
            sums[number, kind] = n_bytes
            if number in at_hand:
                continue
            at_hand.add(number)
            owner = self.owner(number)
            if owner == rank:
                continue
            self.n_message += 2
            arrived = self.move(owner, rank, n_bytes, asked + self.request_seconds(rank, owner), arrived)
            here = max(here, arrived)
        self.last_start[rank] = here
        return here

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
            for (number, _), n_bytes in self.sums[rank].items():
                owner = self.owner(number)
                if owner != rank:
                    self.n_message += 1
                    free[owner] = self.move(rank, owner, n_bytes, done[rank], free[owner])
                    last = max(last, free[owner])
        return last
