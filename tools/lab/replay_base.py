"""What the simulated schedulers share: the machine they run on, and the account of one round.

A round is what lies between hf_scheduler_start and hf_scheduler_finish (src/schedule/schedule.h) of one Fock build.
A rank has one or more threads that take its tasks by turns, as src/work/round.c has them do: whoever is free takes
the next one, and while one of them asks the scheduler the others that are free wait for it."""

import array
import heapq
import math
from dataclasses import dataclass, fields

LOOK_RATIO, LONGEST_LOOK_SECONDS = 50.0, 10e-3  # until the next look, over what the last one took; and at most


@dataclass(frozen=True)
class Network:
    """The simulated machine. A message of l bytes takes alpha + l beta (Janssen and Nielsen, Eq. 5.1), less between
    ranks of one node; ranks lie on the nodes in their order. `ranks_per_node` 1: every rank has a node of its own."""
    alpha_seconds: float              # latency of a short message, one way
    beta_seconds_per_byte: float
    counter_seconds: float            # an operation on the counter of another rank, there and back, with the service
    counter_service_seconds: float    # one operation keeps the counter that long from the next one
    manager_service_seconds: float    # to receive a request for tasks and answer it: a manager, or a victim of a thief
    look_seconds: float = 100e-6      # between its tasks a rank looks for requests of others, that often at most
    counter_needs_home: bool = False  # operations wait until rank 0, which has the counter, enters MPI
    ranks_per_node: int = 1
    node_alpha_seconds: float = 0.3e-6  # of messages between ranks of a node
    node_beta_seconds_per_byte: float = 0.05e-9
    cores_per_node: int = 0           # that the threads of a node share; 0: each has its own

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{field.name} of the network is {value}, expected a finite number >= 0")
        if self.ranks_per_node < 1:
            raise ValueError(f"ranks_per_node of the network is {self.ranks_per_node}, expected at least 1")

    def near(self, rank, other):
        """Whether two ranks are on one node."""
        return rank // self.ranks_per_node == other // self.ranks_per_node

    def n_node(self, n_rank):
        return -(-n_rank // self.ranks_per_node)

    def message_seconds(self, n_bytes, near=False):
        if near:
            return self.node_alpha_seconds + n_bytes * self.node_beta_seconds_per_byte
        return self.alpha_seconds + n_bytes * self.beta_seconds_per_byte

    def trip_seconds(self, near=False):
        """One way of an operation on the counter; in a node as much shorter as a message is."""
        trip = 0.5 * max(0.0, self.counter_seconds - self.counter_service_seconds)
        if near and self.alpha_seconds > 0.0:
            trip *= min(1.0, self.node_alpha_seconds / self.alpha_seconds)
        return trip

    def next_look(self, start, end):
        """When a rank that computes looks again (hf_look_done)."""
        longest = max(self.look_seconds, LONGEST_LOOK_SECONDS)
        return end + min(max(LOOK_RATIO * (end - start), self.look_seconds), longest)

    def barrier_seconds(self, n_rank):
        """ceil(log2) steps, each one latency long: over the ranks of a node, then over the nodes."""
        in_node, nodes = min(self.ranks_per_node, n_rank), self.n_node(n_rank)
        return (in_node - 1).bit_length() * self.node_alpha_seconds + (nodes - 1).bit_length() * self.alpha_seconds

    def all_reduce_seconds(self, n_rank):
        """Of a few numbers: a sum to one rank, then its broadcast (Eq. 3.7)."""
        return 2.0 * self.barrier_seconds(n_rank)

    def crowding(self, n_rank, n_thread):
        """Threads of the fullest node over its cores, at least 1: so much longer everything takes while all of them
        compute."""
        if self.cores_per_node == 0:
            return 1.0
        return max(1.0, min(self.ranks_per_node, n_rank) * n_thread / self.cores_per_node)


class Outcome:
    """What a round took. In `begin` and `wait` each rank has its seconds before it asked for its first task, and those
    that a thread of it spent inside hf_scheduler_next; in `busy` those of its threads in tasks, together. What is
    missing to `seconds` its threads waited for each other and spent in hf_scheduler_finish."""

    def __init__(self, n_rank, n_task, begin, n_thread=1, traffic=None):
        self.seconds = 0.0  # until the last rank knows the end, without the barrier that all schedulers end with
        self.n_thread = n_thread
        self.group = 0  # ranks of a group with a counter or manager, as asked for
        self.order = range(n_task)  # task at each position of the list that is handed out
        self.begin = array.array("d", begin)
        self.busy = array.array("d", bytes(8 * n_rank))
        self.wait = array.array("d", bytes(8 * n_rank))
        self.assignment = array.array("i", [-1]) * n_task  # rank of each task; -1: never handed out
        self.n_message = 0  # requests and answers, operations on another rank's counter; no collective operations
        self.traffic = traffic  # of blocks, or None
        self.blocked = array.array("d", bytes(8 * n_rank if traffic else 0))  # seconds of threads that waited for blocks
        in_turn = n_thread > 1 or traffic
        self._free = [[start] * n_thread for start in begin] if in_turn else None  # heaps: when threads are free
        self._last = array.array("d", begin)  # when the rank's last task is done

    def do(self, costs, tasks, rank, now):
        """A rank that has asked has `tasks` (a range of positions) in hand from `now` on; the time at which it asks for
        more."""
        if self._free is None:
            for task in tasks:
                self.assignment[self.order[task]] = rank
            seconds = costs[tasks.start] if len(tasks) == 1 else sum(costs[tasks.start:tasks.stop:tasks.step])
            self.busy[rank] += seconds
            self._last[rank] = now + seconds
            return now + seconds
        free = self._free[rank]
        for task in tasks:
            start = max(now, free[0])
            if self.traffic is not None:
                here = self.traffic.fetch(rank, self.order[task], start, free[0] >= now or task > tasks.start)
                self.blocked[rank] += here - start
                start = here
            end = start + costs[task]
            heapq.heapreplace(free, end)
            self.assignment[self.order[task]] = rank
            self.busy[rank] += costs[task]
            self._last[rank] = max(self._last[rank], end)
        return max(now, free[0])

    def last_task_over(self, rank):
        """When the last of the tasks of a rank so far is done."""
        return self._last[rank]

    def send_sums(self):
        """The last thing of a round with traffic."""
        if self.traffic is not None:
            self.seconds = max(self.seconds, self.traffic.send_sums(self._last))
            self.n_message += self.traffic.n_message

    @property
    def all_tasks_over(self):
        return max(self._last)

    @property
    def n_rank(self):
        return len(self.busy)

    @property
    def work(self):
        """Seconds of all threads in tasks and before."""
        return self.n_thread * sum(self.begin) + sum(self.busy)

    @property
    def efficiency(self):
        """Work over what all threads together could have done in that time."""
        return self.work / (self.n_rank * self.n_thread * self.seconds) if self.seconds > 0.0 else 1.0

    @property
    def imbalance(self):
        """Work of the rank that has most over that of the average rank."""
        work = self.work
        most = max(self.n_thread * begin + busy for begin, busy in zip(self.begin, self.busy))
        return self.n_rank * most / work if work > 0.0 else 1.0


def shared_seconds(works, n_core):
    """When the last of some threads is done that begin together with `works` seconds to do and share the cores evenly,
    as an operating system lets them: all of them run at n_core/n while n of them are left, alone at most at 1."""
    now = done = 0.0
    works = sorted(works)
    for i, work in enumerate(works):
        now += (work - done) * max(1.0, (len(works) - i) / n_core)
        done = work
    return now
