#!/usr/bin/env python3
"""MP2 in replays: made-up traces of each algorithm, whose times on two ranks can be worked out by hand, and what
tools/replay prints and writes of them.

Usage: test_mp2_replay.py [unittest options]
"""

import shutil
import unittest

import tool_test
import traces
from traces import network

# pylint: disable=wrong-import-order
from lab import mp2_forecast, mp2_replay, trace
from lab.recording import Recording, RecordingError

MP2 = {"batches": 1, "shells": 2, "correlated_orbitals": 2, "virtual_orbitals": 18, "stored_bytes": 0}
FOCK = [traces.row([1.0])]


def tasks(kind, costs):
    """Numbered as in a list, or as in a dictionary."""
    numbered = costs.items() if isinstance(costs, dict) else enumerate(costs)
    return [(kind, 0, task, 0.0, seconds) for task, seconds in numbered]


def batch(first, pairs, first_quarter=(), second_quarter=()):
    return (tasks(trace.TASK, first) + tasks(trace.FIRST_QUARTER, first_quarter)
            + tasks(trace.SECOND_QUARTER, second_quarter) + tasks(trace.PAIR_TASK, pairs))


class WithTraces(tool_test.WithFolder):
    def write(self, name, algorithm, made, tasks_for=1, **mp2):
        return traces.write(self.folder / name, FOCK, batches=made, tasks_for=tasks_for,
                            extras={"mp2": {**MP2, "algorithm": algorithm, **mp2}})

    def simulated(self, algorithm, made, of=None, **mp2):
        recording = Recording([self.write("a", algorithm, made, **{"batches": len(made), **mp2})])
        return mp2_replay.SimulatedMp2(recording, of or network(), 0.0)


class Kets(WithTraces):
    BATCH = batch([4.0, 3.0, 2.0, 1.0], [3.0, 2.0, 1.0])

    def test_rounds_of_units(self):
        """Tasks 4 + 1 and 3 + 2; units 3 beside 2, then 1."""
        run = self.simulated("kets", [self.BATCH])
        self.assertEqual(run.own_seconds, 16.0)
        found = run.predict("static", 2)
        self.assertEqual(found.phases, mp2_replay.Phases(5.0, 3.0, 0.0, 1.0))
        self.assertAlmostEqual(found.efficiency, 16.0 / 18.0)
        self.assertAlmostEqual(run.predict("static", 1).efficiency, 1.0)

    def test_latency(self):
        """A second: one message and an agreement there and back in each of two rounds, and the sum of energies, 2; the
        barrier behind the tasks."""
        found = self.simulated("kets", [self.BATCH], network(alpha=1.0)).predict("static", 2)
        self.assertAlmostEqual(found.phases.moving, 2.0 + 2.0)
        self.assertAlmostEqual(found.phases.waiting, 1.0 + 4.0 + 1.0, places=5)

    def test_rows_of_an_orbital(self):
        """800 bytes of 2 orbitals on 2 ranks: 200 to the rank of each unit, 1 ms each; the sum: 6 words out and back
        by halves."""
        found = self.simulated("kets", [self.BATCH], network(beta=1e-3), stored_bytes=800).predict("static", 2)
        self.assertAlmostEqual(found.phases.moving, 2 * 0.2 + 6 * 8e-3)

    def test_batches_follow_each_other(self):
        found = self.simulated("kets", [self.BATCH] * 2).predict("static", 2)
        self.assertAlmostEqual(found.seconds, 18.0)


class Pairs(WithTraces):
    def test_pairs_are_dealt_in_turns(self):
        """Tasks 5 and 5; pairs 1 + 3 and 2; copying takes a second on one rank."""
        one = batch([4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0]) + tasks(trace.COPYING, [1.0])
        run = self.simulated("pairs", [one])
        self.assertEqual(run.own_seconds, 17.0)
        self.assertEqual(run.predict("static", 2).phases, mp2_replay.Phases(5.0, 3.0, 0.5, 1.0))

    def test_as_many_pairs_at_a_time_as_in_hf(self):
        self.assertEqual([mp2_replay.pairs_at_a_time(n, 1) for n in (20, 1000, 4000)], [64, 8, 1])
        self.assertEqual(mp2_replay.pairs_at_a_time(4000, 4), 4)

    def test_rounds_when_matrices_are_large(self):
        """4000 functions, a pair at a time: four rounds of two ranks with pairs of 1 s."""
        path = traces.write(self.folder / "a", FOCK, batches=[batch([1.0, 1.0], [1.0] * 8)], n_function=4000,
                            extras={"mp2": {**MP2, "algorithm": "pairs"}})
        found = mp2_replay.SimulatedMp2(Recording([path]), network(alpha=1.0), 0.0).predict("static", 2)
        self.assertAlmostEqual(found.phases.moving, 4.0 + 2.0)
        self.assertAlmostEqual(found.phases.second, 4.0)


class OfTheBook(WithTraces):
    PAIRS = {0: 1.0, 1: 2.0, 3: 3.0}  # i <= j of two orbitals: rank 0 of two has 1 s, rank 1 has 5

    def test_p1(self):
        """Kets 0 and 2 of 3 + 2 + 1 s are of rank 0: 4 s for each 3. The first quarter is not divided, the second is."""
        one = batch([3.0, 2.0, 1.0], self.PAIRS, [1.0] * 3, [2.0] * 3)
        found = self.simulated("p1", [one]).predict("static", 2)
        self.assertEqual(found.phases, mp2_replay.Phases(3.0 + 3.0 + 3.0, 3.0, 0.0, 1.0 + 2.0))

    def test_p1_on_more_ranks_divides_the_first_quarter(self):
        one = batch([6.0] * 10, self.PAIRS, [1.0] * 10, [2.0] * 10)
        found = self.simulated("p1", [one]).predict("static", 10)
        self.assertAlmostEqual(found.phases.first, 6.0 + 5.0 + 2.0)

    def test_p1_has_a_sum_for_each_bra(self):
        """Three sums of 2 s, and the one of energies."""
        one = batch([3.0, 2.0, 1.0], self.PAIRS, [1.0] * 3, [2.0] * 3)
        found = self.simulated("p1", [one], network(alpha=1.0)).predict("static", 2)
        self.assertAlmostEqual(found.phases.moving, 3 * 2.0 + 2.0)

    def test_p2_without_messages(self):
        """Tasks of 4 and 3 s."""
        found = self.simulated("p2", [batch([2.0, 1.0], self.PAIRS, [1.0] * 2, [1.0] * 2)]).predict("static", 2)
        self.assertEqual(found.phases, mp2_replay.Phases(3.5, 3.0, 0.0, 0.5 + 2.0))

    def test_p2_sends_during_the_second_quarter(self):
        """n = 20, 2 shells, 2 orbitals, all 3 bras: 2 x 4 x 400 words, half of them to the other one, 12.8 s at 1 ms a
        byte, instead of 3 s of the second quarter. Each of 3 equal tasks takes 2 + 12.8/3 s, the first rank has two."""
        one = batch([1.0] * 3, self.PAIRS, [1.0] * 3, [1.0] * 3)
        found = self.simulated("p2", [one], network(beta=1e-3)).predict("static", 2)
        task = 2.0 + 12.8 / 3
        self.assertAlmostEqual(found.phases.first, 4.5)
        self.assertAlmostEqual(found.phases.moving, 1.5 * task - 4.5 + 6 * 8e-3)
        self.assertAlmostEqual(found.seconds, 2 * task + 5.0 + 6 * 8e-3, places=5)

    def test_messages_that_are_hidden(self):
        """The same at 0.1 ms a byte: 1.28 s beside 3 s."""
        one = batch([1.0] * 3, self.PAIRS, [1.0] * 3, [1.0] * 3)
        found = self.simulated("p2", [one], network(beta=1e-4)).predict("static", 2)
        self.assertAlmostEqual(found.seconds, 2 * 3.0 + 5.0 + 6 * 8e-4)


class Recordings(WithTraces):
    def test_least_times_and_sizes(self):
        """Tasks of the first half are the same for all numbers of ranks; units are not."""
        one = self.write("1", "kets", [batch([4.0, 3.0], [3.0])], tasks_for=1)
        many = [self.write(name, "kets", [batch([3.5, 3.5], pairs)], tasks_for=8)
                for name, pairs in (("8a", [2.0, 1.0]), ("8b", [1.5, 1.5]))]
        recording = Recording([one, *many])
        self.assertEqual([list(size.batches[0].first) for size in recording.sizes], [[3.5, 3.0]] * 2)
        self.assertEqual([list(size.batches[0].pairs) for size in recording.sizes], [[3.0], [1.5, 1.0]])

    def test_what_does_not_belong_together(self):
        first = self.write("a", "kets", [batch([1.0], [1.0])])
        with self.assertRaisesRegex(RecordingError, "algorithm of MP2 is pairs, but kets"):
            Recording([first, self.write("b", "pairs", [batch([1.0], [1.0])])])
        with self.assertRaisesRegex(RecordingError, "not the same builds and tasks"):
            Recording([first, self.write("b", "kets", [batch([1.0, 1.0], [1.0])])])
        with self.assertRaisesRegex(ValueError, "the algorithm p3 of MP2 is not known here"):
            self.simulated("p3", [batch([1.0], [1.0])])

    def test_set_up_is_that_before_the_first_batch(self):
        path = self.write("a", "kets", [batch([1.0], [1.0])])
        recorded = trace.Trace(path)
        self.assertEqual((recorded.set_up, len(recorded.batches), recorded.batches[0].seconds), (0.0, 1, 1.0))


class Tool(WithTraces):
    def setUp(self):
        super().setUp()
        self.path = self.write("a", "kets", [Kets.BATCH])

    def replay(self, *arguments):
        done = tool_test.run_tool("replay", self.path, "--processes", "1,2", "--schedule", "static,steal", "--latency", "0",
                                  "--bandwidth", "1e30", "--node-bandwidth", "1e30", "--node-latency", "0", *arguments,
                                  cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_table(self):
        output = self.replay()
        self.assertIn("MP2, algorithm kets: 20 functions, 2 occupied and 18 virtual orbitals; 16.000 s", output)
        self.assertRegex(output, r" +2 +1 \| +9 +1\.78 +0\.889 \| +55\.6% +33\.3% +0\.0% +11\.1% \| +8 +1\.000 ")

    def test_relative_to_another_algorithm(self):
        output = self.replay("--mp2-seconds", "8")
        self.assertIn("relative to 8.000 s on one process", output)
        self.assertRegex(output, r" +2 +1 \| +9 +0\.89 +0\.444 ")

    def test_measured_runs_stand_beside(self):
        """Two ranks, of which the second ends after 10 s."""
        spans = [(trace.TASK, 0, 0, 0.0, 4.0), (trace.TASK, 1, 1, 0.0, 5.0), (trace.PAIR_TASK, 1, 0, 8.0, 2.0)]
        traces.write(self.folder / "two", FOCK, batches=[spans], n_rank=2, extras={"mp2": {**MP2, "algorithm": "kets"}})
        self.assertRegex(self.replay("--measured", "two"), r" +2 +1 \| +9 .*\| +10 +0\.800\n")
        self.assertEqual(mp2_forecast.measured_in([self.folder / "two"]), {("static", 2): 10.0})

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here")
    def test_files(self):
        self.replay("--output", "out")
        self.assertIn("\nstatic,2,1,9.0", (self.folder / "out" / "mp2.csv").read_text(encoding="utf-8"))
        for name in ("mp2-speedup.svg", "mp2-phases.svg"):
            self.assertIn("MP2", (self.folder / "out" / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
