#!/usr/bin/env python3
"""tools/lab/linear_algebra.py and whole.py: costs worked out by hand, the grids that hf chooses, and whole calculations from
made-up traces.

Usage: test_linear_algebra.py [unittest options]
"""

import dataclasses
import unittest

import tool_test
import traces
from traces import FREE

# pylint: disable=wrong-import-order
from lab import linear_algebra, prediction, whole, whole_reproduction  # noqa: E402
from lab.forecast import Forecast  # noqa: E402
from lab.linear_algebra import Grid, LinearAlgebra, Search, grids  # noqa: E402
from lab.recording import Recording  # noqa: E402
from lab.network import Network  # noqa: E402

SLOW = Network(1.0, 0.0, 0.0, 0.0, 0.0, addition_seconds=0.0)
# of one rate for all steps and orders: 1e9 operations in a second
EVEN = {1000: (4.0 / 3.0, 4.0 / 3.0, 2.0, 2.0)}


def algebra(network, n_rank, order, n_thread=1):
    return LinearAlgebra(network, n_rank, order, EVEN, n_thread)


class Grids(unittest.TestCase):
    def test_grids(self):
        self.assertEqual([grids(n, 764).all for n in (1, 2, 4, 7, 1000)],
                         [Grid(1, 1), Grid(1, 2), Grid(2, 2), Grid(2, 3), Grid(12, 12)])
        self.assertEqual([grids(n, 499).all for n in (8, 16)], [Grid(1, 1), Grid(4, 4)])

    def test_fewer_ranks_reduce(self):
        """Where columns take longer to send than to compute; never more than there are."""
        self.assertEqual([grids(n, 764).reducing for n in (1, 2, 4, 100, 1000)],
                         [Grid(1, 1), Grid(1, 2), Grid(2, 2), Grid(4, 4), Grid(4, 4)])
        self.assertEqual(grids(100, 5000).reducing, Grid(10, 10))

    def test_share_of_the_process_with_most_blocks(self):
        self.assertEqual([linear_algebra.share(*sizes) for sizes in ((640, 1, 64), (640, 3, 64), (50, 2, 64))], [1.0, 0.4, 1.0])


class Costs(unittest.TestCase):
    def test_rates_between_orders(self):
        measured = {100: (1.0, 1.0, 1.0, 2e6 / 10.0), 400: (1.0, 1.0, 1.0, 128e6 / 30.0)}
        self.assertEqual([round(linear_algebra.rate("multiply", n, measured), 9) for n in (10, 100, 200, 400, 4000)],
                         [10.0, 10.0, 20.0, 30.0, 30.0])

    def test_one_rank_sends_nothing(self):
        one = algebra(SLOW, 1, 1000)
        self.assertEqual(one.product(1000, 500, 1000), (1.0, 0.0))
        self.assertAlmostEqual(one.eigen(1000).compute, 4.0 / 3.0 + 4.0 / 3.0 + 2.0)
        self.assertAlmostEqual(one.eigen(0).compute, 4.0 / 3.0)
        self.assertEqual(one.diagonalisation(100, 9).messages, 0.0)

    def test_products_on_two_ranks(self):
        """A row of two: 640 rows are 10 blocks, of which each rank has 5 columns; 10 panels of 64 x 640 words go along it."""
        self.assertEqual(algebra(SLOW, 2, 640).product(640, 640, 640), (0.5 * 2.0 * 640**3 / 1e9, 10.0))
        near = Network(1.0, 0.0, 0.0, 0.0, 0.0, ranks_per_node=2, node_alpha_seconds=0.25, node_beta_seconds_per_byte=0.0)
        self.assertEqual(algebra(near, 2, 640).product(640, 640, 640).messages, 2.5)
        words = Network(0.0, 1.0, 0.0, 0.0, 0.0)
        self.assertEqual(algebra(words, 2, 640).product(640, 640, 640).messages, 10 * 64 * 640 * 8.0)

    def test_reductions(self):
        """Each of 640 columns on four ranks: a broadcast, a sum and one that both have. One rank of two is the largest square;
        from order 1000 on both take part, with eight messages."""
        for n_rank, order, messages, seconds in ((4, 640, 640 * 4, 0.25 * 4.0 / 3.0 * 0.64**3), (2, 640, 0.0, 4.0 / 3.0 * 0.64**3),
                                                 (2, 1000, 8000.0, 0.5 * 4.0 / 3.0)):
            made = algebra(SLOW, n_rank, order)
            found = made.reduce()
            self.assertEqual(found.messages, messages)
            self.assertAlmostEqual(found.compute, seconds)

    def test_matrices_go_to_the_ranks_that_reduce_them(self):
        """And back with three arrays and the outcome, if there are to be vectors."""
        self.assertEqual([algebra(SLOW, 100, 764).moved(Grid(4, 4), n) for n in (0, 764)], [6 * 12, 2 * 6 * 12 + 4 * 7])

    def test_threads_speed_up_what_is_not_bound_by_memory(self):
        one, two = (algebra(FREE, 1, 600, n) for n in (1, 2))
        self.assertAlmostEqual(two.product(600, 600, 600).compute, 0.5 * one.product(600, 600, 600).compute)
        self.assertAlmostEqual(two.reduce().compute, 0.75 * one.reduce().compute)

    def test_rotations(self):
        """Of nine iterations' eight orbitals one is diagonalised, with all vectors; seven are rotated, five sweeps each."""
        one, o = algebra(SLOW, 1, 1000), 200
        whole_matrix = 4.0 / 3.0 + 4.0 / 3.0 + 2.0
        first_and_last = whole_matrix + 4.0 / 3.0  # of the overlap, and the energies of all orbitals
        self.assertAlmostEqual(one.diagonalisation(o, 9).compute, first_and_last + 8 * (8.0 / 3.0 + 0.4))
        sweep, ends = 2 * 0.2 * 0.8 + 2 * 0.04, 3.5 * 2 * 0.04
        found = one.diagonalisation(o, 9, Search(1, 7, 35))
        self.assertAlmostEqual(found.compute, first_and_last + whole_matrix + 35 * sweep + 7 * ends)
        more = one.others(o, 9, Search(1, 7, 35)).compute - one.others(o, 9).compute
        self.assertAlmostEqual(more, 2.0)  # the new basis

    def test_sweeps_skip_whole_blocks_of_the_unit_matrix(self):
        """Two blocks of 160 columns; all of them on one rank."""
        for n_rank, n_inner in ((1, 640 - 160), (2, 640 - 128)):
            made = algebra(SLOW, n_rank, 640)
            self.assertEqual(made.sweep(160), made.product(640, 160, n_inner).plus(made.product(640, 160, 160), made.sums(2)))


class Wholes(tool_test.WithFolder):
    TOTALS = {"Total": 20.0, "Set-up": 4.0, "One-electron integrals": 2.0, "Initial guess": 0.5, "Diagonalisation": 1.0,
              "Other linear algebra": 0.25, "Properties": 0.0625, "Output": 0.125}

    def runs(self, network=FREE, n_thread=1, costs=(4.0, 3.0, 2.0, 1.0), **header):
        path = traces.write(self.folder / "trace", [traces.row(costs)], self.TOTALS, **header)
        return whole.WholeRuns(prediction.Simulated(Recording([path]), network, n_thread), EVEN)

    def test_small_matrices_stay_on_one_rank(self):
        """Four ranks on two nodes: all share bounds, pairs, one-electron integrals and builds (4 + nothing else on the first
        one), those of a node new memory; 5 % of the set-up is one rank's. Nodes write matrices of 20 x 20 first."""
        network = dataclasses.replace(FREE, ranks_per_node=2)
        found = self.runs(network).predict("static", 4)
        self.assertAlmostEqual(found.seconds["Set-up"], 4.0 * (0.80 / 4 + 0.15 / 2 + 0.05) + 400 * 8 * 0.5e-10)
        self.assertAlmostEqual(found.total, found.seconds["Set-up"] + 4.0 + 0.5 + 0.5 + 1.0 + 0.25 + 0.0625 + 0.125)

    def test_nodes_get_pairs_and_write_new_memory(self):
        """Two nodes: seven gathers of 1 s each, half of 230 bytes for each of 1000 products, 1e-3 s each; half of 400 + 100 + 60
        numbers are written first."""
        info = {"coulomb_products": 1000, "coulomb_numbers_of_kets": 100, "coulomb_numbers_sent": 60}
        runs = self.runs(Network(1.0, 1e-3, 0.0, 0.0, 0.0), info=info)
        self.assertAlmostEqual(runs.node_seconds(2), 7.0 + 115.0 + 280 * 8e-10)
        self.assertEqual(runs.node_seconds(1), 0.0)

    def test_whole_rows_are_divided(self):
        self.assertAlmostEqual(whole.set_up_share(3, 1, 1, 4), 0.80 * 2 / 4 + 0.15 + 0.05)
        self.assertAlmostEqual(whole.set_up_share(100, 1, 1, 4), 0.80 / 4 + 0.15 + 0.05)
        self.assertEqual([whole.n_row(122, n) for n in (20, 764)], [6, 32])

    def test_threads_share_what_ranks_share(self):
        """Two ranks of two threads, a node each."""
        found = self.runs(n_thread=2).predict("static", 2)
        self.assertAlmostEqual(found.seconds["Set-up"], 4.0 * (0.80 / 4 + 0.15 + 0.05) + 400 * 8 * 0.5e-10)
        self.assertAlmostEqual(found.seconds["One-electron integrals"], 0.5)
        self.assertAlmostEqual(found.seconds["Diagonalisation"], 1.0 * (2 * 0.75 * 4 / 3 + 0.5 * (4 / 3 + 2)) / (4 / 3 * 3 + 2))

    def test_large_matrices_are_divided(self):
        found = self.runs(n_function=640).predict("static", 4)
        self.assertAlmostEqual(found.seconds["Diagonalisation"], 0.25)
        self.assertAlmostEqual(found.seconds["Other linear algebra"], 0.0625)

    def test_the_trace_tells_occupied_orbitals_and_rotations(self):
        self.assertEqual((self.runs().n_occupied, self.runs().search), (5, Search(1, 0, 0)))
        found = self.runs(method="uhf", n_rotation=3, n_sweep=12, n_occupied=7)
        self.assertEqual((found.n_occupied, found.search), (7, Search(2, 3, 12)))

    def test_phases_by_the_clock_of_a_core_that_others_used(self):
        """Tasks of 10 s on the processor took 30 s by the clock in one run, 10 in the other: that one counts, else a third."""
        paths = [traces.write(self.folder / name, [traces.row([10.0])], {"Set-up": 4.0, "Fock: computing": seconds})
                 for name, seconds in (("a", 30.0), ("b", 10.5))]
        self.assertAlmostEqual(Recording(paths[:1]).other_seconds["Set-up"], 4.0 / 3.0)
        self.assertAlmostEqual(Recording(paths).other_seconds["Set-up"], 4.0)

    def test_larger_molecules_grow_on(self):
        """From 5 to 10 s of tasks with twice the atoms: 20 s with twice as many again, on two ranks half of it; a measured phase
        of the same size in both stays."""
        half, full = self.runs(costs=[2.0, 1.5, 1.0, 0.5], n_function=10), self.runs()
        found = whole_reproduction.LargerRuns([half, full], 2.0)
        self.assertAlmostEqual(found.predict("static", 1).fock, 20.0, delta=1e-3)
        self.assertAlmostEqual(found.predict("static", 2).fock, 10.0, delta=1e-3)
        self.assertEqual((found.order, found.measured["Set-up"]), (40, 4.0))

    def test_work_between_two_points(self):
        """Of 4 and 16 s on four processes with .7 and .9: .8 at 8 s."""
        points = [whole_reproduction.Point(self.runs(costs=[1.0] * 4), 4, True) for _ in range(2)]
        for point, work, efficiency in zip(points, (4.0, 16.0), (0.7, 0.9)):
            point.work, point.efficiency = {"whole": work}, {"whole": efficiency}
        self.assertAlmostEqual(whole_reproduction.crossing(points, "whole", 0.8)[0], 2.0)
        self.assertEqual(whole_reproduction.crossing(points, "whole", 0.95), (None, None))

    def test_table(self):
        runs = self.runs()
        found = Forecast(runs, ["static"], [1, 2])
        text = "\n".join(found.lines())
        self.assertRegex(text, r"17\.938 s on one process")
        self.assertRegex(text, r"\n +2 +1 \| +10\.34 +1\.74 +0\.868 \| +- +- +- \| Set-up 23\.2, One-electron integrals 9\.7, ")
        record = found.records()[1]
        self.assertAlmostEqual(record["seconds"], 10.3375, places=4)
        self.assertEqual([round(record[phase], 4) for phase in whole.ORDER], [2.4, 1.0, 0.5, 0.0, 5.0, 0.0, 0.0, 1.0, 0.25, 0.0625, 0.125])


if __name__ == "__main__":
    unittest.main()
