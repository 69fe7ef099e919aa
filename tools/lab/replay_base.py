"""What the simulated schedulers share: the machine they run on, and the account of one round.

A round is what lies between hf_scheduler_start and hf_scheduler_finish (include/hf/schedule.h) of one Fock build.
Every rank has one thread."""

import array
import math
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Network:
    """The simulated machine. A message of l bytes takes alpha + l beta (Janssen and Nielsen, Eq. 5.1)."""
    alpha_seconds: float              # latency of a short message, one way
    beta_seconds_per_byte: float
    counter_seconds: float            # an operation on the counter of another rank, there and back, with the service
    counter_service_seconds: float    # one operation keeps the counter that long from the next one
    manager_service_seconds: float    # to receive a request for tasks and answer it: a manager, or a victim of a thief
    look_seconds: float = 20e-6       # between its tasks a rank looks that often for requests of others
    counter_needs_home: bool = False  # operations wait until rank 0, which has the counter, enters MPI

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{field.name} of the network is {value}, expected a finite number >= 0")

    def message_seconds(self, n_bytes):
        return self.alpha_seconds + n_bytes * self.beta_seconds_per_byte

    def barrier_seconds(self, n_rank):
        """ceil(log2 n_rank) steps, each one latency long."""
        return (n_rank - 1).bit_length() * self.alpha_seconds

    def all_reduce_seconds(self, n_rank):
        """Of a few numbers: a sum to one rank, then its broadcast (Eq. 3.7)."""
        return 2.0 * self.barrier_seconds(n_rank)


class Outcome:
    """What a round took. In `begin`, `busy` and `wait` each rank has its seconds before it asked for its first task,
    in tasks, and inside hf_scheduler_next; what is missing to `seconds` it spent in hf_scheduler_finish."""

    def __init__(self, n_rank, n_task, begin):
        self.seconds = 0.0  # until the last rank knows the end, without the barrier that all schedulers end with
        self.begin = array.array("d", begin)
        self.busy = array.array("d", bytes(8 * n_rank))
        self.wait = array.array("d", bytes(8 * n_rank))
        self.assignment = array.array("i", [-1]) * n_task  # rank of each task
        self.n_message = 0  # requests and answers, operations on another rank's counter; no collective operations

    @property
    def n_rank(self):
        return len(self.busy)

    @property
    def work(self):
        """Seconds of all ranks in tasks and before."""
        return sum(self.begin) + sum(self.busy)

    @property
    def efficiency(self):
        """Work over what all ranks together could have done in that time."""
        return self.work / (self.n_rank * self.seconds) if self.seconds > 0.0 else 1.0

    @property
    def imbalance(self):
        """Work of the rank that has most over that of the average rank."""
        work = self.work
        most = max(begin + busy for begin, busy in zip(self.begin, self.busy))
        return self.n_rank * most / work if work > 0.0 else 1.0
