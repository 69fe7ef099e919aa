"""Replays a round of tasks on other numbers of ranks: what would each scheduler of hf have made of these tasks?

The costs of the tasks were measured, in the order of hf's list. The schedulers are those of src/schedule/*.c, with
the same chunks, requests, pauses and seeds; a test compares the constants here with the ones there. What is not
simulated: the nap of 20 microseconds of a manager who has had no request for a millisecond, and the barrier behind the
round, which is the same for all schedulers (Network.barrier_seconds). Threads that share cores are slower while all
compute (`crowded`); that a rank without a core answers late is left out.

Of events at the same time that of the lower rank comes first, but rank 0 takes from the counter after the others."""

import array
import heapq
import math

from .replay_base import Network, Outcome, shared_seconds
from .replay_steal import StealRound

__all__ = ["Network", "Outcome", "SCHEDULERS", "lower_bound", "simulate"]

MANAGER_CHUNKS_PER_SHARE = 200
CHUNKS_FOR_PREFETCH = 8
MANAGER_REQUEST_BYTES, MANAGER_REPLY_BYTES = 4, 24  # an int; three 64-bit integers

CHUNKS_PER_LEVEL = 100
COUNTER_CHUNKS_PER_SHARE = 2 * CHUNKS_PER_LEVEL
MOST_LEVELS = 64

REMOTE, HOME = 0, 1  # who enters MPI; of the same time, operations that arrive come first


# ---- static ----

def run_static(costs, _network, outcome):
    """Rank r does every n_rank-th task from the r-th on (Janssen and Nielsen, Fig. 6.3)."""
    for rank, begin in enumerate(outcome.begin):
        outcome.do(costs, range(rank, len(costs), outcome.n_rank), rank, begin)
    outcome.seconds = outcome.all_tasks_over


# ---- manager ----

def manager_chunks(n_task, n_worker):
    """First task and number of tasks of each chunk, and whether its worker asks for the next one at once."""
    first = 0
    while first < n_task:
        left = n_task - first
        chunk = max(1, left // (n_worker * MANAGER_CHUNKS_PER_SHARE))
        yield first, chunk, left - chunk > chunk * CHUNKS_FOR_PREFETCH * n_worker
        first += chunk


def run_manager(costs, network, outcome):
    """Rank 0 serves one request after the other (Figs. 6.6 and 7.3), until all workers know the end."""
    n_rank = outcome.n_rank
    if n_rank == 1:
        run_static(costs, network, outcome)
        return
    requests = [network.message_seconds(MANAGER_REQUEST_BYTES, near) for near in (False, True)]
    replies = [network.message_seconds(MANAGER_REPLY_BYTES, near) for near in (False, True)]
    chunks = manager_chunks(len(costs), n_rank - 1)
    ready = list(outcome.begin)  # when the worker has nothing to do any more
    free = ready[0]              # when the manager has
    arrivals = [(ready[rank] + requests[network.near(0, rank)], rank) for rank in range(1, n_rank)]
    heapq.heapify(arrivals)
    while arrivals:
        arrival, rank = heapq.heappop(arrivals)
        near = network.near(0, rank)
        free = max(arrival, free) + network.manager_service_seconds
        outcome.n_message += 2
        taken = max(ready[rank], free + replies[near])
        outcome.wait[rank] += taken - ready[rank]
        chunk = next(chunks, None)
        if chunk is None:
            ready[rank] = taken
            continue
        first, count, ahead = chunk
        ready[rank] = outcome.do(costs, range(first, first + count), rank, taken)
        heapq.heappush(arrivals, ((taken if ahead else ready[rank]) + requests[near], rank))
    outcome.wait[0] = free - outcome.begin[0]
    outcome.seconds = max(free, *ready, outcome.all_tasks_over)


# ---- counter ----

def counter_levels(n_task, n_rank):
    """Tasks of a chunk in each level; the last one is 1 and has no end."""
    levels, position = [], 0
    while not levels or levels[-1] > 1:
        chunk = (n_task - position) // (n_rank * COUNTER_CHUNKS_PER_SHARE)
        levels.append(chunk if chunk >= 1 and len(levels) < MOST_LEVELS - 1 else 1)
        position += n_rank * CHUNKS_PER_LEVEL * levels[-1]
    return levels


def counter_chunks(n_task, n_rank):
    """First task of each chunk and of the one behind, in the order of the counter's values."""
    position = 0
    for chunk in counter_levels(n_task, n_rank):
        end = position + n_rank * CHUNKS_PER_LEVEL * chunk if chunk > 1 else n_task
        for first in range(position, end, chunk):
            yield first, first + chunk
        position = end


class CounterRound:
    """The counter serves operations in the order in which they arrive, one at a time, at once (`open`) or when rank 0
    enters MPI: for its own operations, for a look between two tasks, and for good when it has nothing left."""

    def __init__(self, costs, network, outcome):
        self.costs, self.network, self.outcome = costs, network, outcome
        self.chunks = counter_chunks(len(costs), outcome.n_rank)
        self.trips = [network.trip_seconds(near) for near in (False, True)]
        self.ready = list(outcome.begin)  # when a rank has nothing to do any more
        self.free = 0.0                   # when the counter has
        self.open = not network.counter_needs_home
        self.waiting = []                 # ranks whose operations have arrived
        self.task = self.end = 0          # what rank 0 has left of its chunk
        self.last_look = -math.inf
        self.events = [(self.ready[rank] + self.trip(rank), REMOTE, rank) for rank in range(1, outcome.n_rank)]
        self.events.append((self.ready[0], HOME, 0))
        heapq.heapify(self.events)

    def trip(self, rank):
        """Between a rank and rank 0, one way."""
        return self.trips[self.network.near(0, rank)]

    def run(self):
        while self.events:
            now, who, rank = heapq.heappop(self.events)
            if who == HOME:
                self.visit_home(now)
            elif self.open:
                self.serve_other(rank, now)
            else:
                self.waiting.append(rank)

    def serve(self, rank, now, trip):
        """One operation: when its rank has the value, and its chunk or None at the end of the list."""
        self.free = max(now, self.free) + self.network.counter_service_seconds
        known = self.free + trip
        self.outcome.wait[rank] += known - self.ready[rank]
        return known, next(self.chunks, None)

    def serve_other(self, rank, now):
        """An operation of a rank that then does its chunk and comes again."""
        self.outcome.n_message += 1
        self.ready[rank], chunk = self.serve(rank, now, self.trip(rank))
        if chunk is not None:
            self.ready[rank] = self.outcome.do(self.costs, range(*chunk), rank, self.ready[rank])
            heapq.heappush(self.events, (self.ready[rank] + self.trip(rank), REMOTE, rank))

    def serve_waiting(self, now):
        """When all who wait have been served."""
        for rank in self.waiting:
            self.serve_other(rank, now)
        now = max(now, self.free) if self.waiting else now
        self.waiting.clear()
        return now

    def visit_home(self, now):
        """Rank 0 takes a chunk if it has none, else looks now and then and does a task."""
        if self.task == self.end:
            self.ready[0], chunk = self.serve(0, self.serve_waiting(now), 0.0)
            self.task, self.end = chunk or (0, 0)
            self.open = self.open or chunk is None
            go_on = chunk is not None
        else:
            self.ready[0] = self.outcome.do(self.costs, range(self.task, self.task + 1), 0, self.look(now))
            self.task += 1
            go_on = True
        if go_on:
            heapq.heappush(self.events, (self.ready[0], HOME, 0))

    def look(self, start):
        """Rank 0 serves those who wait, now and then; when it goes on."""
        if start - self.last_look < self.network.look_seconds:
            return start
        self.last_look = self.serve_waiting(start)
        self.outcome.wait[0] += self.last_look - start
        return self.last_look


def run_counter(costs, network, outcome):
    """At the end the counter goes back to 0 between two barriers."""
    counter_round = CounterRound(costs, network, outcome)
    counter_round.run()
    outcome.seconds = max(*counter_round.ready, outcome.all_tasks_over) + 2.0 * network.barrier_seconds(outcome.n_rank)


# ---- steal ----

def run_steal(costs, network, outcome):
    """A rank has nobody to steal from if it is alone."""
    if outcome.n_rank == 1:
        run_static(costs, network, outcome)
    else:
        StealRound(costs, network, outcome).run()


# ---- all ----

RUN = {"static": run_static, "manager": run_manager, "counter": run_counter, "steal": run_steal}
SCHEDULERS = tuple(RUN)


def check_seconds(name, values):
    for i, value in enumerate(values):
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name} {i} takes {value} seconds, expected a finite number >= 0")


def check_round(costs, n_rank):
    if n_rank < 1:
        raise ValueError(f"{n_rank} ranks, expected at least 1")
    check_seconds("task", costs)


def lower_bound(costs, n_rank, manager=False, n_thread=1):
    """No schedule is shorter: every thread that works has the average load at best, and one has the dearest task."""
    check_round(costs, n_rank)
    n_worker = n_rank - 1 if manager and n_rank > 1 else n_rank
    return max(sum(costs) / (n_worker * n_thread), max(costs, default=0.0))


def crowded(scheduler, costs, network, outcome):
    """A round on nodes with fewer cores than threads. With as many times longer tasks as all of them need, those who
    are the last ones on their node seem too slow: their cores become free when others have nothing left."""
    factor = network.crowding(outcome.n_rank, outcome.n_thread)
    RUN[scheduler]([factor * cost for cost in costs], network, outcome)
    for seconds in (outcome.begin, outcome.busy):
        seconds[:] = array.array("d", (value / factor for value in seconds))
    last, shared = outcome.all_tasks_over, 0.0
    for first in range(0, outcome.n_rank, network.ranks_per_node):
        works = []
        for rank in range(first, min(first + network.ranks_per_node, outcome.n_rank)):
            works += [outcome.begin[rank] + outcome.busy[rank] / outcome.n_thread] * outcome.n_thread
        shared = max(shared, shared_seconds(works, network.cores_per_node))
    outcome.seconds = max(0.0, outcome.seconds - last) + min(last, shared)


def simulate(scheduler, costs, n_rank, network, begin=None, n_thread=1, traffic=None):
    """Outcome of a round of tasks on `n_rank` ranks of `n_thread` threads. `costs` are the tasks' seconds in the order
    of hf's list, `begin` the seconds that each rank is busy before it asks for a task. With `traffic` (traffic.Traffic)
    tasks wait for blocks of distributed matrices, and sums go to their owners at the end."""
    if scheduler not in RUN:
        raise ValueError(f"unknown scheduler '{scheduler}', expected one of {', '.join(SCHEDULERS)}")
    check_round(costs, n_rank)
    if n_thread < 1:
        raise ValueError(f"{n_thread} threads, expected at least 1")
    begin = [0.0] * n_rank if begin is None else begin
    if len(begin) != n_rank:
        raise ValueError(f"{len(begin)} beginnings for {n_rank} ranks, expected one for each")
    check_seconds("beginning of rank", begin)
    factor = network.crowding(n_rank, n_thread)
    outcome = Outcome(n_rank, len(costs), begin if factor == 1.0 else [factor * seconds for seconds in begin], n_thread,
                      traffic)
    if factor == 1.0:
        RUN[scheduler](costs, network, outcome)
    else:
        crowded(scheduler, costs, network, outcome)
    outcome.send_sums()
    return outcome
