"""tools/reproduce-book with a stand-in for hf, whose traces are made up: the numbers in its texts can be worked out by
hand, its plots are drawn, and traces that are there are not made again."""

import unittest

import tool_test
import traces

from lab import book, models, trace  # pylint: disable=wrong-import-order


class WithStandIn(tool_test.WithFolder):
    def setUp(self):
        super().setUp()
        tool_test.stand_in(self.folder / "hf", trace="$here/${grain:-${memory:-0}}")

    def reproduce(self, parts, *more):
        done = tool_test.run_tool("reproduce-book", "--only", parts, "--hf", self.folder / "hf", "--output", "book",
                                  "--runs", "1", *more, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr


@tool_test.needs_gnuplot
class Book(WithStandIn):
    def test_table_7_1_is_made_of_the_second_build(self):
        """Quartets of 1 and 3 us: mean 2, deviation 1, ratio 0.5. Pairs of 1, 1, 4 us: mean 2, deviation sqrt 2."""
        first = traces.row([1.0, 1.0])
        traces.write(self.folder / "shell-quartet", [first, traces.row([1e-6, 3e-6])])
        traces.write(self.folder / "shell-pair", [first, traces.row([1e-6, 1e-6, 4e-6])])
        output, errors = self.reproduce("table-7.1")
        self.assertEqual(output.count("2.00 ("), 5)
        self.assertRegex(output, r"cc-pVDZ +20 \( 58\) +8 \(28\) +2\.00 \(11\) +0\.5 \(3\.7\) +0\.7 \(1\.2\)")
        self.assertEqual(errors.count("--trace") + errors.count("--tasks-for"), 10)
        self.assertEqual(self.reproduce("table-7.1")[1], "reproduce-book: table-7.1, part 1 of 1\n")
        self.assertEqual((self.folder / "book" / "table-7.1.txt").read_text(encoding="utf-8").strip(), output.strip())

    def test_figures_7_2_and_7_4(self):
        """200 equal tasks: every number of processes that divides 200 is fully efficient, 30 do 7 of 6.67 each; a
        manager with 49 workers makes them do 5 of 4.08 each, and loses itself."""
        for grain in ("shell-quartet", "shell-pair"):
            traces.write(self.folder / grain, [traces.row([1.0] * 200)])
        output, errors = self.reproduce("figure-7.2,figure-7.4")
        self.assertRegex(errors, r"reproduce-book: figure-7\.4, part 2 of 2, \d+ s so far\n")
        self.assertRegex(output, r"\n +30 +0\.952 +0\.952 ")
        self.assertRegex(output, r"\n +200 +1\.000 +1\.000 +1\.000 +0\.60")
        self.assertRegex(output, r"\n +50 +0\.800 +0\.980")
        for name in ("figure-7.2", "figure-7.4"):
            text = (self.folder / "book" / f"{name}.svg").read_text(encoding="utf-8")
            self.assertIn("Efficiency", text)
            self.assertIn(f"(after Janssen and Nielsen, Fig. {name[-3:]}, simulated)<", text)
            self.assertIn("Processes", text)

    def test_figure_8_3_has_the_numbers_of_the_book_beside(self):
        traces.write(self.folder / "0", [traces.row([1.0] * 400)])
        output, _ = self.reproduce("figure-8.3")
        self.assertRegex(output, r"manager +80\.0 +99\.0 +99\n")  # 5 tasks of 4.04 each on 99 workers
        self.assertRegex(output, r"static +100\.0 +100\.0 +88\n")

    def test_figure_5_7(self):
        """Three builds of 64 tasks of 1 s; of the two later ones a quarter is stored by each process. One process:
        64 + 2 (48 + 0), two: 32 + 2 (16), four: 16 + 0: speedups 160/64 and 160/16, as Eq. 8.10 has them."""
        for p in (1, 2, 4, 8, 12, 16, 24, 32):
            n_left = max(0, 64 - 16 * p)
            share = 1.0 - n_left / 64
            read = traces.row([0.0] * 64, "stored task")
            builds = [traces.row([1.0] * 64)] + 2 * [read + traces.row([1.0] * n_left)]
            traces.write(self.folder / f"{150 * p} MB", builds, tasks_for=p, info={"stored_share_of_cost": share})
        output, _ = self.reproduce("figure-5.7")
        self.assertRegex(output, r"\n +2 +50\.0 +2\.50 +2\.50 +2\.50 ")
        self.assertRegex(output, r"\n +4 +100\.0 +10\.00 +10\.00 +10\.00 ")


@tool_test.needs_gnuplot
class Mp2(WithStandIn):
    """Two correlated orbitals in one batch; all 36 pairs of 8 shells are bras of 1 s."""
    EXTRAS = {"batches": 1, "shells": 8, "correlated_orbitals": 2, "virtual_orbitals": 18, "stored_bytes": 6400,
              "quartets_computed": 100, "sent_bytes": 0, "first_half_flops": 2e6, "first_half_product_seconds": 1e-3,
              "second_half_flops": 1e6, "second_half_product_seconds": 2e-3}
    PAIRS = {"p1": {0: 1.0, 1: 1.0, 3: 1.0}, "p2": {0: 1.0, 1: 1.0, 3: 1.0}, "kets": {0: 2.0, 1: 1.0},
             "pairs": {0: 1.0, 1: 1.0, 2: 1.0}}

    def setUp(self):
        super().setUp()
        tool_test.stand_in(self.folder / "hf", "$here/sent", "$here/$algorithm-$memory")
        (self.folder / "sent").write_text('{"extras": {"hf": {"mp2": {"sent_bytes": 3200}}}}', encoding="utf-8")
        for algorithm in self.PAIRS:
            self.write(f"{algorithm}-0", algorithm)

    def write(self, name, algorithm, n_batch=1, pairs=None, **extras):
        quarters = (trace.FIRST_QUARTER, trace.SECOND_QUARTER) if algorithm in ("p1", "p2") else ()
        spans = [span for kind in (trace.TASK, *quarters) for span in traces.row([1.0] * 36, kind)]
        spans += [(trace.PAIR_TASK, 0, number, 0.0, seconds) for number, seconds in (pairs or self.PAIRS[algorithm]).items()]
        traces.write(self.folder / name, [traces.row([1.0])], batches=[spans] * n_batch,
                     extras={"mp2": {**self.EXTRAS, "algorithm": algorithm, "batches": n_batch, **extras}})

    def test_models_have_the_numbers_of_the_book_beside(self):
        """P1 and P2 take 111 s on one process, and communicate for next to nothing: 1.11 s on 100, over
        Ethernet, too."""
        output, _ = self.reproduce("figures-9.4-9.6")
        self.assertRegex(output, r"P1 111\.0, P2 111\.0, kets 39\.0, pairs 39\.0 \(P1 and P2 2462\)")
        self.assertRegex(output, r" 100 +1\.11 \( 95\.2\) +99\.9 \(25\.9\) +1\.11 \( 32\.0\) +100\.0 \(77\.0\) +100\.0 "
                                 r"\(54\.7\)")
        for number in ("9.4", "9.5", "9.6"):
            text = (self.folder / "book" / f"figure-{number}.svg").read_text(encoding="utf-8")
            self.assertIn(f"(after Janssen and Nielsen, Fig. {number}, models)<", text)

    def test_replays(self):
        """16 ranks: kets have 3 of 36 tasks each, the longest unit takes 2 s: 39/(16 x 5)."""
        output, _ = self.reproduce("figures-9.7-9.9,figure-5.6")
        self.assertRegex(output, r" 16 .* +0\.48[67] \(0\.48[67]\) +0\.609 \(0\.609\)\n")
        self.assertIn("(book, measured: 2.5)", output)
        self.assertRegex(output, r"Figure 5\.6.*\nP1: +\d+\.\d and +\d+\.\d\nP2: +\d+\.\d and +\d+\.\d\n")

    def test_batches(self):
        """The whole transformation four times, twice, once: 444 s on one. Bras of 3 s: two processes have 18 each, and one has the
        pair of 3 s, 57 s in all; four have 9, 30 s in all: superlinear."""
        for n_batch, megabytes in ((4, 540), (2, 1080), (1, 2160)):
            self.write(f"p2-{megabytes} MB", "p2", n_batch, {3: 3.0}, correlated_orbitals=4)
        output, _ = self.reproduce("figure-5.8")
        self.assertRegex(output, r"\n +1 +4 \(4\) +1\.00 +1\.00\n +2 +2 \(2\) +3\.89 +1\.95\n +4 +1 \(1\) +14\.\d\d +3\.70\n")

    def test_table_9_1(self):
        """6400 bytes are 800 words: n = 20, o = 2, v = 18; kets keep o v n n / 2 = 7200. Two processes sent 400. pairs: 2 x
        160000 + 4 x 20 (400 + 360 + 324) = 406720 operations; 3e6 were done, 2e6 in a millisecond."""
        tool_test.executable(self.folder / "mpiexec", "#!/bin/sh\nshift 2\nexec \"$@\"\n")
        output, _ = self.reproduce("table-9.1", "--mpiexec", self.folder / "mpiexec")
        self.assertRegex(output, r"\n +kets +2\.00u +800 \( 0\.11\) +400 \( 0\.11\) ")
        self.assertRegex(output, r"\n +pairs +2\.00u +800 \( 1\.00\) +400 \( 1\.00\) +3e\+06 \( 7\.38\) +2\.0 +0\.5\n")


@tool_test.needs_gnuplot
class LocalMp2(WithStandIn):
    def test_figures_10_4_and_10_5(self):
        """On 100 processes 14 s of transformation become the longest task, 4, and 2 of a pair; 16.5 of iterations 7.5; the whole of
        40 becomes 19."""
        traces.local_mp2(self.folder / "0")
        output, _ = self.reproduce("figure-10.4,figure-10.5")
        for number, told in (("10.4", (90, 52, 67)), ("10.5", (87, 37, 62))):
            self.assertIn(f"Figure {number}: local MP2, ", output)
            self.assertIn(f"(after Janssen and Nielsen, Fig. {number}, simulated)<",
                          (self.folder / "book" / f"figure-{number}.svg").read_text(encoding="utf-8"))
            self.assertRegex(output, rf"transformation +2\.\d +{told[0]} +0\.02\d\niterations, T fetched +2\.\d +- .*\n"
                                     rf"iterations, T on every rank +2\.\d +{told[1]} .*\nwhole +2\.\d +{told[2]} ")


class Numbers(unittest.TestCase):
    def test_book_says_of_its_own_model_what_the_model_says(self):
        """Section 8.4: about 93 % efficiency for the network and the integrals given there."""
        machine = models.Machine(book.LATENCY_SECONDS, book.SECONDS_PER_WORD, 0.0)
        quartet = models.distributed_communication_seconds(machine, 2, 10, 2)  # of atoms of 10 functions
        self.assertAlmostEqual(1.0 / (1.0 + quartet / (10**4 * book.INTEGRAL_SECONDS)), 0.93, delta=0.005)

    def test_shells_of_table_7_1(self):
        self.assertEqual([(row.n_function, row.n_shell) for row in book.TABLE_7_1],
                         [(16, 10), (42, 20), (58, 28), (144, 54), (290, 88)])
