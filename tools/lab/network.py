"""The machine that a replay simulates, and its options, the same for all tools. hf-simulate reads its members from a file
(src/simulate/network.h)."""

import math
from dataclasses import dataclass, fields

from . import models
from .failure import Failure


@dataclass(frozen=True)
class Network:
    """A message of l bytes takes alpha + l beta (Janssen and Nielsen, Eq. 5.1), less between ranks of one node; ranks lie
    on the nodes in their order. One of today's clusters unless told otherwise."""
    alpha_seconds: float = 1.5e-6     # latency of a short message, one way
    beta_seconds_per_byte: float = 1e-10
    counter_seconds: float = 3e-6     # an operation on the memory of another rank, there and back, with the service
    counter_service_seconds: float = 2e-7  # one operation keeps the memory that long from the next one
    manager_service_seconds: float = 1e-6  # to receive a request for tasks and answer it: a manager, or a victim of a thief
    counter_needs_home: bool = False  # operations wait until the rank that has the memory calls MPI
    ranks_per_node: int = 1
    node_alpha_seconds: float = 0.3e-6  # of messages between ranks of a node
    node_beta_seconds_per_byte: float = 0.05e-9
    addition_seconds: float = 1e-9    # of two numbers in a sum over ranks: the order of magnitude of section 8.3
    cores_per_node: int = 0           # that the threads of a node share; 0: each has its own
    nap_seconds: float = 3e-6         # of a shared core: a thread falls asleep, wakes up and looks

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{field.name} of the network is {value}, expected a finite number >= 0")
        if self.ranks_per_node < 1:
            raise ValueError(f"ranks_per_node of the network is {self.ranks_per_node}, expected at least 1")

    @property
    def machine(self):
        """Of the book's models."""
        return models.Machine(self.alpha_seconds, models.BYTES_PER_WORD * self.beta_seconds_per_byte, self.addition_seconds)

    def near(self, rank, other):
        """Whether two ranks are on one node."""
        return rank // self.ranks_per_node == other // self.ranks_per_node

    def n_node(self, n_rank):
        return -(-n_rank // self.ranks_per_node)

    def message_seconds(self, n_bytes, near=False):
        if near:
            return self.node_alpha_seconds + n_bytes * self.node_beta_seconds_per_byte
        return self.alpha_seconds + n_bytes * self.beta_seconds_per_byte

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


OPTIONS = (  # member, option, unit, what it is; a bandwidth is one over the member
    ("alpha_seconds", "--latency", "SECONDS", "alpha of a message"),
    ("beta_seconds_per_byte", "--bandwidth", "BYTES", "bytes per second of a message, 1/beta"),
    ("counter_seconds", "--counter-latency", "SECONDS", "one operation on the memory of another rank, there and back"),
    ("counter_service_seconds", "--counter-service", "SECONDS", "of that, the time in which nobody else is served"),
    ("manager_service_seconds", "--manager-service", "SECONDS", "the manager's time for one request"),
    ("addition_seconds", "--addition", "SECONDS", "gamma, one addition in a sum over the processes"),
    ("ranks_per_node", "--ranks-per-node", "R", "that share memory, where messages take as the next two options say"),
    ("node_alpha_seconds", "--node-latency", "SECONDS", "alpha of a message within a node"),
    ("node_beta_seconds_per_byte", "--node-bandwidth", "BYTES", "bytes per second of a message within a node"),
    ("cores_per_node", "--cores-per-node", "C", "that the threads of a node share; more threads slow each other down; 0: one for each"),
    ("nap_seconds", "--nap", "SECONDS", "of a shared core: a thread falls asleep, wakes up and looks"))


def add_machine_options(parser):
    group = parser.add_argument_group("the simulated machine", "one of today's clusters unless told otherwise")
    for member, option, unit, what in OPTIONS:
        default = getattr(Network, member)
        group.add_argument(option, type=type(default), default=1.0 / default if unit == "BYTES" else default, metavar=unit, dest=member,
                           help=f"{what} (default %(default)g)")
    group.add_argument("--counter-needs-home", action="store_true",
                       help="operations on the memory of a rank wait until it is between two tasks")
    group.add_argument("--pingpong", metavar="FILE", help="take latency and bandwidth from a file of hf-bench pingpong --json")


def network(arguments):
    """The Network of these options."""
    found = {field.name: getattr(arguments, field.name) for field in fields(Network)}
    for member, option, unit, _ in OPTIONS:
        if unit == "BYTES" and found[member] <= 0.0:
            raise Failure(f"{option}: {found[member]:g} is not above 0")
        if unit == "BYTES":
            found[member] = 1.0 / found[member]
    try:
        if arguments.pingpong:
            found["alpha_seconds"], found["beta_seconds_per_byte"] = models.line_of_pingpong(arguments.pingpong)
        return Network(**found)
    except ValueError as error:
        raise Failure(str(error)) from error
