"""The machine that a replay simulates. hf-simulate reads its members from a file (src/simulate/network.h)."""

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Network:
    """A message of l bytes takes alpha + l beta (Janssen and Nielsen, Eq. 5.1), less between ranks of one node; ranks lie
    on the nodes in their order. `ranks_per_node` 1: every rank has a node of its own."""
    alpha_seconds: float              # latency of a short message, one way
    beta_seconds_per_byte: float
    counter_seconds: float            # an operation on the memory of another rank, there and back, with the service
    counter_service_seconds: float    # one operation keeps the memory that long from the next one
    manager_service_seconds: float    # to receive a request for tasks and answer it: a manager, or a victim of a thief
    counter_needs_home: bool = False  # operations wait until the rank that has the memory calls MPI
    ranks_per_node: int = 1
    node_alpha_seconds: float = 0.3e-6  # of messages between ranks of a node
    node_beta_seconds_per_byte: float = 0.05e-9
    addition_seconds: float = 1e-9    # of two numbers in a sum over ranks
    cores_per_node: int = 0           # that the threads of a node share; 0: each has its own
    nap_seconds: float = 3e-6         # of a shared core: a thread falls asleep, wakes up and looks

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
