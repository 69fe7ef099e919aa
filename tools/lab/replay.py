"""Replays a round of tasks on other numbers of ranks: what would each scheduler of hf have made of these tasks?

The costs of the tasks were measured, in the order of hf's list. The schedulers are those of src/schedule/*.c, with
the same levels of cost, shares, chunks, groups, requests, pauses and seeds; a test compares the constants here with
the ones there. They know the costs of tasks by levels (task_costs.py): those measured here, as hf knows them after its
first build, unless others are given; tasks that take no time at all are those that hf finds empty.

What is not simulated: the nap of 20 microseconds of a manager who has had no request for a millisecond, and the
barrier behind the round, which is the same for all schedulers (Network.barrier_seconds). Threads that share cores are
slower while all compute (`crowded`); that a rank without a core answers late is left out. A rank that holds a counter
and has found its list at the end serves at once from then on.

Of events at the same time that of the lower rank comes first, but those who hold a counter take from it after the
others."""

import array
import heapq
import math

from . import task_costs
from .replay_base import Network, Outcome, shared_seconds
from .replay_steal import StealRound
from .task_costs import Chunks, CostList

__all__ = ["Network", "Outcome", "SCHEDULERS", "lower_bound", "simulate"]

MANAGER_REQUEST_BYTES, MANAGER_REPLY_BYTES = 4, 16  # an int; two 64-bit integers
MANAGER_ALONE, MANAGER_LEAST_GROUP = 128, 64
COUNTER_ALONE, COUNTER_LEAST_GROUP = 256, 16

REMOTE, HOME = 0, 1  # who enters MPI; of the same time, operations that arrive come first


# ---- static ----

def run_static(costs, tasks, _network, outcome):
    """Shares dealt by cost before the round."""
    for rank, share in enumerate(task_costs.deal(tasks, outcome.n_rank)):
        now = outcome.begin[rank]
        for first, stride, count in share:
            now = outcome.do(costs, range(first, first + stride * count, stride), rank, now)
    outcome.seconds = outcome.all_tasks_over


# ---- manager ----

class ManagerRound:
    """The first rank of each group serves one request after the other (Figs. 6.6 and 7.3), until all workers know the
    end. A worker asks when its chunk is done, and goes on with the next group when its own has no more."""

    def __init__(self, costs, tasks, network, outcome):
        self.costs, self.network, self.outcome = costs, network, outcome
        n_rank = outcome.n_rank
        n_group = task_costs.n_group(n_rank, outcome.group, MANAGER_ALONE, MANAGER_LEAST_GROUP)
        if n_group > 1 and n_rank // n_group < 2:
            n_group = n_rank // 2
        self.n_group = max(1, n_group)
        self.first = [task_costs.first_of_group(n_rank, self.n_group, group) for group in range(self.n_group + 1)]
        self.chunks = Chunks(tasks, n_rank - self.n_group)
        self.value = [self.size(group) for group in range(self.n_group)]
        self.free = [outcome.begin[self.first[group]] for group in range(self.n_group)]
        self.own = [task_costs.group_of_rank(n_rank, self.n_group, rank) for rank in range(n_rank)]
        self.asked = list(self.own)       # group whose manager a rank asks
        self.ready = list(outcome.begin)  # when a worker has nothing to do any more
        self.arrivals = []

    def size(self, group):
        """Workers of a group."""
        return self.first[group + 1] - self.first[group] - 1

    def beyond(self, rank):
        """The group that a rank does not ask any more."""
        return (self.own[rank] + task_costs.n_asked(self.n_group)) % self.n_group

    def send(self, rank, now):
        near = self.network.near(self.first[self.asked[rank]], rank)
        heapq.heappush(self.arrivals, (now + self.network.message_seconds(MANAGER_REQUEST_BYTES, near), rank))

    def do(self, chunk, rank, now):
        """Tasks of a chunk, then a request for the next one."""
        if len(chunk) > 0:
            self.ready[rank] = self.outcome.do(self.costs, chunk, rank, now)
        self.send(rank, self.ready[rank])

    def next_chunk(self, group):
        """The next one of the group that is not empty; None: there is no more."""
        n, first = self.size(group), self.first[group] - group
        while self.value[group] < n * self.chunks.n_round:
            turn, worker = divmod(self.value[group], n)
            self.value[group] += 1
            chunk = self.chunks.chunk(turn, first + worker)
            if len(chunk) > 0:
                return chunk
        return None

    def run(self):
        outcome = self.outcome
        for rank, group in enumerate(self.own):
            if rank != self.first[group]:
                self.do(self.chunks.chunk(0, rank - group - 1), rank, self.ready[rank])
        while self.arrivals:
            arrival, rank = heapq.heappop(self.arrivals)
            group = self.asked[rank]
            near = self.network.near(self.first[group], rank)
            self.free[group] = max(arrival, self.free[group]) + self.network.manager_service_seconds
            outcome.n_message += 2
            taken = max(self.ready[rank],
                        self.free[group] + self.network.message_seconds(MANAGER_REPLY_BYTES, near))
            outcome.wait[rank] += taken - self.ready[rank]
            self.ready[rank] = taken
            chunk = self.next_chunk(group)
            if chunk is not None:
                self.do(chunk, rank, taken)
                continue
            self.asked[rank] = (group + 1) % self.n_group
            if self.asked[rank] != self.beyond(rank):
                self.send(rank, taken)
        for group, free in enumerate(self.free):
            outcome.wait[self.first[group]] = free - outcome.begin[self.first[group]]
        outcome.seconds = max(*self.free, *self.ready, outcome.all_tasks_over)


def run_manager(costs, tasks, network, outcome):
    """A rank alone has nobody to manage."""
    if outcome.n_rank == 1:
        run_static(costs, tasks, network, outcome)
    else:
        ManagerRound(costs, tasks, network, outcome).run()


# ---- counter ----

class CounterRound:
    """A counter serves operations in the order in which they arrive, one at a time, at once (`open`) or when the rank
    that holds it enters MPI: for its own operations, for a look between two tasks, and for good when its list is at the
    end."""

    def __init__(self, costs, tasks, network, outcome):
        self.costs, self.network, self.outcome = costs, network, outcome
        n_rank = outcome.n_rank
        self.n_group = task_costs.n_group(n_rank, outcome.group, COUNTER_ALONE, COUNTER_LEAST_GROUP)
        self.first = [task_costs.first_of_group(n_rank, self.n_group, group) for group in range(self.n_group + 1)]
        self.chunks = Chunks(tasks, n_rank)
        self.own = [task_costs.group_of_rank(n_rank, self.n_group, rank) for rank in range(n_rank)]
        self.asked = list(self.own)
        self.value = [self.size(group) for group in range(self.n_group)]
        self.trips = [network.trip_seconds(near) for near in (False, True)]
        self.ready = list(outcome.begin)    # when a rank has nothing to do any more
        self.free = [0.0] * self.n_group    # when a counter has
        self.open = [not network.counter_needs_home] * self.n_group
        self.waiting = [[] for _ in range(self.n_group)]  # ranks whose operations have arrived
        self.hand = [range(0)] * self.n_group             # what those who hold counters have left of their chunks
        self.next_look = [-math.inf] * self.n_group
        self.events = []

    def size(self, group):
        return self.first[group + 1] - self.first[group]

    def beyond(self, rank):
        """The group that a rank does not ask any more."""
        return (self.own[rank] + task_costs.n_asked(self.n_group)) % self.n_group

    def is_home(self, rank):
        return self.first[self.own[rank]] == rank

    def trip(self, rank):
        """Between a rank and the counter that it asks, one way."""
        return self.trips[self.network.near(self.first[self.asked[rank]], rank)]

    def run(self):
        for rank, begin in enumerate(self.outcome.begin):
            self.begin_chunk(rank, self.chunks.chunk(0, rank), begin)
        while self.events:
            now, who, rank = heapq.heappop(self.events)
            if who == HOME:
                self.visit_home(rank, now)
            elif self.open[self.asked[rank]]:
                self.serve_other(rank, now)
            else:
                self.waiting[self.asked[rank]].append(rank)

    def begin_chunk(self, rank, chunk, now):
        """Who holds a counter does its chunk task by task."""
        self.ready[rank] = now
        if self.is_home(rank):
            self.hand[self.own[rank]] = chunk
            heapq.heappush(self.events, (now, HOME, rank))
            return
        if len(chunk) > 0:
            self.ready[rank] = self.outcome.do(self.costs, chunk, rank, now)
        self.take(rank)

    def take(self, rank):
        """A rank has nothing left and sends an operation."""
        heapq.heappush(self.events, (self.ready[rank] + self.trip(rank), REMOTE, rank))

    def next_chunk(self, group):
        """May be empty; None: the list is at its end."""
        turn, worker = divmod(self.value[group], self.size(group))
        self.value[group] += 1
        return self.chunks.chunk(turn, self.first[group] + worker) if turn < self.chunks.n_round else None

    def serve(self, rank, now, trip):
        """One operation: when its rank has the value, and its chunk or None at the end of the list."""
        group = self.asked[rank]
        self.free[group] = max(now, self.free[group]) + self.network.counter_service_seconds
        known = self.free[group] + trip
        self.outcome.wait[rank] += known - self.ready[rank]
        self.ready[rank] = known
        return self.next_chunk(group)

    def serve_other(self, rank, now):
        """An operation of a rank that then does its chunk, or comes again elsewhere."""
        self.outcome.n_message += 1
        self.go_on(rank, self.serve(rank, now, self.trip(rank)))

    def go_on(self, rank, chunk):
        if chunk is not None:
            self.begin_chunk(rank, chunk, self.ready[rank])
            return
        if self.is_home(rank):
            self.open[self.own[rank]] = True
            self.serve_waiting(self.own[rank], self.ready[rank])
        self.asked[rank] = (self.asked[rank] + 1) % self.n_group
        if self.asked[rank] != self.beyond(rank):
            self.take(rank)

    def serve_waiting(self, group, now):
        """When all who wait have been served."""
        waiting, self.waiting[group] = self.waiting[group], []
        for rank in waiting:
            self.serve_other(rank, now)
        return max(now, self.free[group]) if waiting else now

    def visit_home(self, rank, now):
        """Who holds a counter takes a chunk if it has none, else looks now and then and does a task."""
        group = self.own[rank]
        if len(self.hand[group]) > 0:
            self.ready[rank] = self.outcome.do(self.costs, self.hand[group][:1], rank, self.look(rank, now))
            self.hand[group] = self.hand[group][1:]
            heapq.heappush(self.events, (self.ready[rank], HOME, rank))
        elif self.asked[rank] == group:
            self.go_on(rank, self.serve(rank, self.serve_waiting(group, now), 0.0))
        else:
            self.take(rank)

    def look(self, rank, start):
        """It serves those who wait, now and then; when it goes on."""
        group = self.own[rank]
        if start < self.next_look[group]:
            return start
        end = self.serve_waiting(group, start)
        self.next_look[group] = self.network.next_look(start, end)
        self.outcome.wait[rank] += end - start
        return end


def run_counter(costs, tasks, network, outcome):
    """At the end the counters go back to 0 between two barriers."""
    counter_round = CounterRound(costs, tasks, network, outcome)
    counter_round.run()
    outcome.seconds = max(*counter_round.ready, outcome.all_tasks_over) + 2.0 * network.barrier_seconds(outcome.n_rank)


# ---- steal ----

def run_steal(costs, tasks, network, outcome):
    """A rank has nobody to steal from if it is alone."""
    if outcome.n_rank == 1:
        run_static(costs, tasks, network, outcome)
    else:
        StealRound(costs, tasks, network, outcome).run()


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


def crowded(scheduler, costs, tasks, network, outcome):
    """A round on nodes with fewer cores than threads. With as many times longer tasks as all of them need, those who
    are the last ones on their node seem too slow: their cores become free when others have nothing left."""
    factor = network.crowding(outcome.n_rank, outcome.n_thread)
    RUN[scheduler]([factor * cost for cost in costs], tasks, network, outcome)
    for seconds in (outcome.begin, outcome.busy):
        seconds[:] = array.array("d", (value / factor for value in seconds))
    last, shared = outcome.all_tasks_over, 0.0
    for first in range(0, outcome.n_rank, network.ranks_per_node):
        works = []
        for rank in range(first, min(first + network.ranks_per_node, outcome.n_rank)):
            works += [outcome.begin[rank] + outcome.busy[rank] / outcome.n_thread] * outcome.n_thread
        shared = max(shared, shared_seconds(works, network.cores_per_node))
    outcome.seconds = max(0.0, outcome.seconds - last) + min(last, shared)


def simulate(scheduler, costs, n_rank, network, begin=None, n_thread=1, traffic=None, levels=None, group=0):
    """Outcome of a round of tasks on `n_rank` ranks of `n_thread` threads. `costs` are the tasks' seconds in the order
    of hf's list, `begin` the seconds that each rank is busy before it asks for a task. With `traffic` (traffic.Traffic)
    tasks wait for blocks of distributed matrices, and sums go to their owners at the end. `levels` are what the
    scheduler knows of each task (none: its cost), `group` the ranks of a group with a counter or manager (0: as hf
    chooses)."""
    # pylint: disable=too-many-arguments,too-many-positional-arguments
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
    tasks = CostList(task_costs.levels_of(costs) if levels is None else levels)
    ordered = [costs[task] for task in tasks.order]
    outcome = Outcome(n_rank, len(costs), begin if factor == 1.0 else [factor * seconds for seconds in begin], n_thread,
                      traffic)
    outcome.group, outcome.order = group, tasks.order
    if factor == 1.0:
        RUN[scheduler](ordered, tasks, network, outcome)
    else:
        crowded(scheduler, ordered, tasks, network, outcome)
    outcome.send_sums()
    return outcome
