#!/usr/bin/env python3
"""tools/lab/linear_algebra.py and whole.py: costs worked out by hand, the grid of src/linalg/grid.c, and whole calculations
from made-up traces.

Usage: test_linear_algebra.py [unittest options]
"""

import pathlib
import sys
import tempfile
import unittest

import tool_test
import traces
from traces import FREE

# pylint: disable=wrong-import-order
from lab import lapack, linear_algebra, prediction, whole  # noqa: E402
from lab.failure import Failure  # noqa: E402
from lab.linear_algebra import Grid, LinearAlgebra, Measured, Rates, Search, choose_grid  # noqa: E402
from lab.recording import Recording  # noqa: E402
from lab.network import Network  # noqa: E402

SLOW = Network(1.0, 0.0, 0.0, 0.0, 0.0)
# of one rate for all steps and orders: 1e9 operations in a second
EVEN = Rates([Measured(1000, 4.0 / 3.0, 4.0 / 3.0, 2.0, 2.0)])


class Grids(unittest.TestCase):
    def test_grids(self):
        self.assertEqual([choose_grid(n, 764) for n in (1, 2, 4, 7, 1000)],
                         [Grid(1, 1), Grid(1, 2), Grid(2, 2), Grid(2, 3), Grid(12, 12)])
        self.assertEqual([choose_grid(n, 499) for n in (8, 16)], [Grid(1, 1), Grid(4, 4)])

    def test_fewer_ranks_reduce(self):
        """Where columns take longer to send than to compute; never more than there are."""
        self.assertEqual([linear_algebra.choose_reducing(764, choose_grid(n, 764)) for n in (1, 2, 4, 100, 1000)],
                         [Grid(1, 1), Grid(1, 2), Grid(2, 2), Grid(4, 4), Grid(4, 4)])
        self.assertEqual(linear_algebra.choose_reducing(5000, choose_grid(100, 5000)), Grid(10, 10))

    def test_share_of_the_process_with_most_blocks(self):
        self.assertEqual(linear_algebra.share(640, 1), 1.0)
        self.assertEqual(linear_algebra.share(640, 3), 0.4)  # 4, 3 and 3 blocks
        self.assertEqual(linear_algebra.share(100, 2), 0.64)
        self.assertEqual(linear_algebra.share(50, 2), 1.0)


class Costs(unittest.TestCase):
    def test_rates_between_orders(self):
        rates = Rates([Measured(100, 1.0, 1.0, 1.0, 2e6 / 10.0), Measured(400, 1.0, 1.0, 1.0, 128e6 / 30.0)])
        self.assertEqual([round(rates.rate("multiply", n), 9) for n in (10, 100, 200, 400, 4000)],
                         [10.0, 10.0, 20.0, 30.0, 30.0])

    def test_one_rank_sends_nothing(self):
        algebra = LinearAlgebra(SLOW, 1, 1000, EVEN)
        self.assertEqual(algebra.product(1000, 500, 1000), (1.0, 0.0))
        self.assertAlmostEqual(algebra.eigen(1000).compute, 4.0 / 3.0 + 4.0 / 3.0 + 2.0)
        self.assertAlmostEqual(algebra.eigen(0).compute, 4.0 / 3.0)
        self.assertEqual(algebra.diagonalisation(100, 9).messages, 0.0)

    def test_products_on_two_ranks(self):
        """A row of two: 640 rows are 10 blocks, of which each rank has 5 columns; 10 panels go along the row."""
        algebra = LinearAlgebra(SLOW, 2, 640, EVEN)
        self.assertEqual(algebra.product(640, 640, 640), (0.5 * 2.0 * 640**3 / 1e9, 10.0))
        near = Network(1.0, 0.0, 0.0, 0.0, 0.0, ranks_per_node=2, node_alpha_seconds=0.25, node_beta_seconds_per_byte=0.0)
        self.assertEqual(LinearAlgebra(near, 2, 640, EVEN).product(640, 640, 640).messages, 2.5)

    def test_words_of_a_product(self):
        """Panels of 64 columns of 640 rows, 8 bytes each, go along the row; the right matrix stays where it is."""
        algebra = LinearAlgebra(Network(0.0, 1.0, 0.0, 0.0, 0.0), 2, 640, EVEN)
        self.assertEqual(algebra.product(640, 640, 640).messages, 10 * 64 * 640 * 8.0)

    def test_reduction_on_four_ranks(self):
        """Each of 640 columns: a broadcast, a sum and one that both have, along rows or columns of two ranks."""
        algebra = LinearAlgebra(SLOW, 4, 640, EVEN)
        self.assertEqual(algebra.reduce().messages, 640 * (1 + 1 + 2))
        self.assertAlmostEqual(algebra.reduce().compute, 0.25 * 4.0 / 3.0 * 640**3 / 1e9)

    def test_reduction_on_two_ranks(self):
        """One rank of the two is the largest square; from order 1000 on both take part, with eight messages."""
        small, large = (LinearAlgebra(SLOW, 2, n, EVEN).reduce() for n in (640, 1000))
        self.assertEqual((small.messages, large.messages), (0.0, 8000.0))
        self.assertAlmostEqual(small.compute, 4.0 / 3.0 * 640**3 / 1e9)
        self.assertAlmostEqual(large.compute, 0.5 * 4.0 / 3.0)

    def test_matrices_go_to_the_ranks_that_reduce_them(self):
        """And back with three arrays and the outcome, if there are to be vectors."""
        algebra = LinearAlgebra(SLOW, 100, 764, EVEN)
        self.assertEqual(algebra.moved(Grid(4, 4), 0), 6 * 12)
        self.assertEqual(algebra.moved(Grid(4, 4), 764), 2 * 6 * 12 + 4 * 7)

    def test_threads_speed_up_what_is_not_bound_by_memory(self):
        one, two = (LinearAlgebra(FREE, 1, 600, EVEN, n) for n in (1, 2))
        self.assertAlmostEqual(two.product(600, 600, 600).compute, 0.5 * one.product(600, 600, 600).compute)
        self.assertAlmostEqual(two.reduce().compute, 0.75 * one.reduce().compute)

    def test_more_ranks_compute_less_and_send_more(self):
        network = Network(1.5e-6, 1e-10, 0.0, 0.0, 0.0)
        costs = [LinearAlgebra(network, n, 2000).diagonalisation(500, 10) for n in (1, 4, 16, 64)]
        for before, after in zip(costs, costs[1:]):
            self.assertLess(after.compute, before.compute)
            self.assertGreater(after.messages, before.messages)

    def test_rotations(self):
        """Of nine iterations' eight orbitals one is diagonalised, with all vectors; seven are rotated, five sweeps each."""
        algebra, o = LinearAlgebra(SLOW, 1, 1000, EVEN), 200
        whole_matrix = 4.0 / 3.0 + 4.0 / 3.0 + 2.0
        first_and_last = whole_matrix + 4.0 / 3.0  # of the overlap, and the energies of all orbitals
        self.assertAlmostEqual(algebra.diagonalisation(o, 9).compute, first_and_last + 8 * (8.0 / 3.0 + 0.4))
        sweep, ends = 2 * 0.2 * 0.8 + 2 * 0.04, 3.5 * 2 * 0.04
        found = algebra.diagonalisation(o, 9, Search(1, 7, 35))
        self.assertAlmostEqual(found.compute, first_and_last + whole_matrix + 35 * sweep + 7 * ends)
        more = algebra.others(o, 9, Search(1, 7, 35)).compute - algebra.others(o, 9).compute
        self.assertAlmostEqual(more, 2.0)  # the new basis

    def test_sweeps_skip_whole_blocks_of_the_unit_matrix(self):
        """Two blocks of 160 columns; all of them on one rank."""
        for n_rank, n_inner in ((1, 640 - 160), (2, 640 - 128)):
            algebra = LinearAlgebra(SLOW, n_rank, 640, EVEN)
            expected = algebra.product(640, 160, n_inner).plus(algebra.product(640, 160, 160)).plus(algebra.sums(2))
            self.assertEqual(algebra.sweep(160), expected)

    def test_rotations_send_less(self):
        algebra = LinearAlgebra(Network(1.5e-6, 1e-10, 0.0, 0.0, 0.0), 144, 764)
        self.assertLess(algebra.rotation(161, 5).messages, 0.35 * algebra.eigen(161).messages)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "algebra.json"
            linear_algebra.write(path, linear_algebra.MEASURED)
            self.assertEqual(tuple(linear_algebra.read(path)), linear_algebra.MEASURED)
            for text in ("", "{}", '{"linear_algebra": []}', '{"linear_algebra": [{"order": 1}]}'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(ValueError, "measurements of linear algebra"):
                    linear_algebra.read(path)


class Measuring(unittest.TestCase):
    def test_programs_without_lapack(self):
        with self.assertRaisesRegex(Failure, "no shared library of it has dsytrd"):
            lapack.Lapack(sys.executable)
        with self.assertRaisesRegex(Failure, "does not tell its libraries"):
            lapack.Lapack("/no/such/program")


class Wholes(tool_test.WithFolder):
    TOTALS = {"Total": 20.0, "Set-up": 4.0, "One-electron integrals": 2.0, "Initial guess": 0.5, "Diagonalisation": 1.0,
              "Other linear algebra": 0.25, "Properties": 0.0625, "Output": 0.125}

    def runs(self, network=FREE, n_thread=1, **header):
        path = traces.write(self.folder / "trace", [traces.row([4.0, 3.0, 2.0, 1.0])], self.TOTALS, **header)
        return whole.WholeRuns(prediction.Simulated(Recording([path]), network, 0.0, n_thread), EVEN)

    def test_one_process_is_what_was_measured(self):
        found = self.runs().predict("static", 1)
        self.assertAlmostEqual(found.total, 10.0 + 4.0 + 2.0 + 0.5 + 1.0 + 0.25 + 0.0625 + 0.125)
        self.assertAlmostEqual(found.fock, 10.0)

    def test_small_matrices_stay_on_one_rank(self):
        """Four ranks on two nodes: all share bounds, pairs, one-electron integrals and builds (4 + nothing else on the first
        one), those of a node new memory; 11 % of the set-up is one rank's. Nodes write matrices of 20 x 20 first."""
        network = Network(0.0, 0.0, 0.0, 0.0, 0.0, ranks_per_node=2, node_alpha_seconds=0.0, node_beta_seconds_per_byte=0.0)
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
        self.assertEqual([self.runs(n_function=n, n_atom=122).n_row for n in (20, 764)], [6, 32])

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

    def test_occupied_orbitals_are_told_by_the_trace(self):
        self.assertEqual(self.runs(n_occupied=7).n_occupied, 7)
        self.assertEqual(self.runs().n_occupied, 5)

    def test_rotations_are_told_by_the_trace(self):
        found = self.runs(method="uhf", n_rotation=3, n_sweep=12)
        self.assertEqual(found.search, Search(2, 3, 12))
        self.assertEqual(self.runs().search, Search(1, 0, 0))

    def test_table(self):
        runs = self.runs()
        rows = whole.make_rows(runs, ["static"], [1, 2])
        text = "\n".join(whole.lines(rows, runs, rows[0]))
        self.assertRegex(text, r"17\.938 s on one process")
        self.assertRegex(text, r"\n +2 +2\.4 +1 +0\.5 +0 +5 +0 +0 +1 +0\.25 +0\.0625 +0\.125 \| +10\.34 +1\.74 +0\.868")
        self.assertRegex(whole.csv_text(rows, rows[0], 1),
                         r"\nstatic,2,1,2\.40000\d*,1\.0,0\.5,0\.0,5\.0,0\.0,0\.0,1\.0,0\.25,0\.0625,0\.125,10\.33750\d*,")

    def test_the_tool_tells_whole_calculations(self):
        path = traces.write(self.folder / "trace", [traces.row([1.0] * 8)], self.TOTALS)
        done = tool_test.run_tool("replay", path, "--processes", "1,2", "--schedule", "counter")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Whole calculations: 1 iterations, 20 functions, 5 occupied orbitals, 15.938 s", done.stdout)
        (self.folder / "bad").write_text("{}", encoding="utf-8")
        done = tool_test.run_tool("replay", path, "--processes", "1", "--schedule", "counter", "--algebra", self.folder / "bad")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()
