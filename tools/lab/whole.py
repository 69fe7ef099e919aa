"""Whole SCF calculations on many ranks: the Fock builds as they are replayed (prediction.py), the linear algebra as it is
modelled (linear_algebra.py), and what is left as it is shared out, from what each phase took on one rank.

Of the set-up, bounds of shell pairs, the estimate of their memory, the list of pairs (rows of near atoms) and the sorting of products are
divided over all ranks and threads; each node then gets the whole. New memory and arrays that a node has once are divided over
its ranks. One-electron integrals are divided over all; the first
density and the properties are a few products of matrices; output is of one rank. Linear algebra is the seconds measured on
one rank, divided as the model's computing is, and the model's messages.

Products are sorted by the first rank of each node for all of it; here that is divided over the ranks and threads of a node, too."""

import functools
from typing import NamedTuple

from . import constants, models, phases
from .linear_algebra import LinearAlgebra, Search
from .simulation import Step

SET_UP, ONE_ELECTRON, GUESS, DIAGONALISATION, ALGEBRA, PROPERTIES, OUTPUT = (
    "Set-up", "One-electron integrals", "Initial guess", "Diagonalisation", "Other linear algebra", "Properties", "Output")
OTHERS = (SET_UP, ONE_ELECTRON, GUESS, DIAGONALISATION, ALGEBRA, PROPERTIES, OUTPUT)
ORDER = (SET_UP, ONE_ELECTRON, GUESS, *phases.BUILD, DIAGONALISATION, ALGEBRA, PROPERTIES, OUTPUT)
# Shares of the set-up, fresh memory included. A rank alone on one of 64 nodes has, beside its rows, 0.16 of C40H82/6-31G* and about
# 0.17 of 64 water/6-31G, of which a quarter is each rank's however many share the node.
SET_UP_OF_ALL, SET_UP_OF_NODE = 0.80, 0.15
N_GATHER_OF_SET_UP, GATHERED_BYTES = 7, 230  # of pairs and products to all nodes; bytes of a product (pairs 174, points 56)
FRESH_SECONDS_PER_BYTE = 1e-10  # memory that a build writes first, in huge pages: 0.07 to 0.12 ms/MB
# Small reductions and broadcasts over all ranks, mostly agreements on the outcome of local work: counted with water/6-31G on
# 4 ranks of a node each, --coulomb multipoles: 161, and three for each of 9 communicators.
N_AGREEMENT_OF_RUN, N_AGREEMENT_OF_ITERATION = 188, 4  # outside of iterations; in one, beside its Fock build and its sums
OCCUPIED_SHARE = 0.25  # of the functions, where a trace does not say how many orbitals are occupied


class Whole(NamedTuple):
    """A calculation on `n_rank` ranks: `seconds` of the phases in ORDER. Computing and waiting are of the Fock builds."""
    scheduler: str
    n_rank: int
    seconds: dict

    @property
    def total(self):
        return sum(self.seconds.values())

    @property
    def fock(self):
        return sum(self.seconds[phase] for phase in phases.BUILD)


class WholeRuns:
    """From a Simulated whose traces were made on one rank, and MEASURED of linear_algebra.py."""
    TITLE, NAME, WHOLE = "whole calculation", "whole", "whole"

    def __init__(self, simulated, lapack=None):
        self.simulated, self.lapack = simulated, lapack
        self.recording, self.n_thread = simulated.recording, simulated.n_thread
        header = simulated.recording.header
        if header["n_rank"] != 1:
            raise ValueError(f"whole calculations are predicted from traces of 1 process, not of {header['n_rank']}")
        self.order = header["n_function"]
        self.n_row = n_row(header["n_atom"], self.order)
        self.n_occupied = header.get("n_occupied", max(1, round(OCCUPIED_SHARE * self.order)))
        self.search = Search(2 if header.get("method") == "uhf" else 1, header.get("n_rotation", 0), header.get("n_sweep", 0))
        self.n_iteration = len(simulated.recording.sizes[0].builds)
        measured = simulated.recording.other_seconds
        self.measured = {phase: measured.get(phase, 0.0) for phase in OTHERS}

    @functools.cached_property
    def one(self):
        """The calculation on one process of one thread."""
        simulated = self.simulated
        if self.n_thread == 1:
            return self.predict("static", 1)
        return WholeRuns(type(simulated)(self.recording, simulated.network), self.lapack).one

    def heading(self):
        yield (f"Whole calculations: {self.n_iteration} iterations, {self.order} functions, {self.n_occupied} occupied orbitals, "
               f"{self.one.total:.3f} s on one process")

    def steps(self, scheduler, n_rank):
        """Of forecast.py."""
        found = self.predict(scheduler, n_rank)
        return {self.WHOLE: Step(found.total, found.seconds)}

    def efficiency(self, _step, seconds, n_rank):
        return self.one.total / (n_rank * self.n_thread * seconds)

    @staticmethod
    def seconds_in(trace):
        return {WholeRuns.WHOLE: max(totals[phases.TOTAL] for totals in trace.totals)}

    def algebra(self, n_rank, n_thread):
        return LinearAlgebra(self.simulated.network, n_rank, self.order, self.lapack, n_thread)

    def linear_algebra(self, phase, n_rank, n_thread):
        """Seconds of a phase of linear algebra."""
        def cost(algebra):
            if phase == GUESS:
                return algebra.product(self.order, self.order, self.order)
            if phase == PROPERTIES:  # D S, S^1/2, and S^1/2 D S^1/2, half of the symmetric ones
                return algebra.product(self.order, self.order, self.order).times(3.0)
            if phase == DIAGONALISATION:
                return algebra.diagonalisation(self.n_occupied, self.n_iteration, self.search)
            return algebra.others(self.n_occupied, self.n_iteration, self.search)

        many, one = cost(self.algebra(n_rank, n_thread)), cost(self.algebra(1, 1))
        return self.measured[phase] * many.compute / one.compute + many.messages

    def node_seconds(self, n_node):
        """Of the set-up, what several nodes have beside their share: pairs and products that all get, and the first writing
        of densities and kets, which the replay of the builds divides over the nodes."""
        builds, machine = self.simulated.recording.header["builds"], self.simulated.machine
        info = builds[0] if builds else {}
        words = info.get("coulomb_products", 0) * GATHERED_BYTES / models.BYTES_PER_WORD
        fresh = models.BYTES_PER_WORD * (self.order**2 + info.get("coulomb_numbers_of_kets", 0)
                                         + info.get("coulomb_numbers_sent", 0))
        return (N_GATHER_OF_SET_UP * models.replication_seconds(machine, words / N_GATHER_OF_SET_UP, n_node)
                + fresh * (n_node - 1) / n_node * FRESH_SECONDS_PER_BYTE)

    def fock_seconds(self, scheduler, n_rank):
        """Of the phases of the Fock builds."""
        return self.simulated.steps(scheduler, n_rank)[self.simulated.WHOLE].phases

    def predict(self, scheduler, n_rank):
        network, n_thread = self.simulated.network, self.simulated.n_thread
        crowding = network.crowding(n_rank, n_thread)
        in_node = min(network.ranks_per_node, n_rank)
        seconds = {**dict.fromkeys(ORDER, 0.0), **self.fock_seconds(scheduler, n_rank)}
        agreement = network.all_reduce_seconds(n_rank)
        seconds[SET_UP] = crowding * self.measured[SET_UP] * set_up_share(n_rank, in_node, n_thread, self.n_row)
        seconds[SET_UP] += N_AGREEMENT_OF_RUN * agreement + self.node_seconds(network.n_node(n_rank))
        seconds[ONE_ELECTRON] = crowding * self.measured[ONE_ELECTRON] / (n_rank * n_thread)
        for phase in (GUESS, DIAGONALISATION, ALGEBRA, PROPERTIES):
            seconds[phase] = self.linear_algebra(phase, n_rank, n_thread)
            if self.algebra(n_rank, n_thread).grid.size > 1:
                seconds[phase] *= crowding
        seconds[ALGEBRA] += self.n_iteration * N_AGREEMENT_OF_ITERATION * agreement
        seconds[OUTPUT] = self.measured[OUTPUT]
        return Whole(scheduler, n_rank, seconds)


def n_row(n_atom, order):
    """Rows of pairs of shells: sites of atoms that follow each other."""
    basis = constants.of("basis")
    return min(n_atom, max(basis.least_sites, -(-order // basis.most_of_site)))


def set_up_share(n_rank, in_node, n_thread, rows):
    """What a rank has of the set-up of one: whole rows of what all divide. What a node has once is new memory, which threads
    do not share."""
    of_all = SET_UP_OF_ALL * -(-rows // (n_rank * n_thread)) / rows
    return of_all + SET_UP_OF_NODE / in_node + 1.0 - SET_UP_OF_ALL - SET_UP_OF_NODE
