#!/usr/bin/env python3
"""Local MP2 in replays: made-up traces whose times on two ranks can be worked out by hand, the ways in which hf deals
pairs, and what tools/replay prints and writes.

Usage: test_local_replay.py [unittest options]
"""

import shutil
import unittest

import tool_test
import traces
from traces import network

# pylint: disable=wrong-import-order
from lab import local_forecast, local_replay, trace
from lab.mp2_replay import Phases
from lab.recording import Recording, RecordingError


class Deals(unittest.TestCase):
    def test_few_pairs_go_one_by_one(self):
        """3, 2, 2, 1 by falling work: each to the rank with least, the lower one of equals."""
        centres = [[float(k), 0.0, 0.0] for k in range(4)]
        self.assertEqual(local_replay.deal_by_place([3.0, 2.0, 2.0, 1.0], centres, 2), [0, 1, 1, 0])

    def test_many_pairs_are_cut(self):
        """400 along z, which is the widest axis, for 3 ranks: a third to the first one."""
        centres = [[0.0, float(k % 7), -float(k)] for k in range(400)]
        owners = local_replay.deal_by_place([1.0] * 400, centres, 3)
        self.assertEqual([owners.count(rank) for rank in range(3)], [133, 134, 133])
        self.assertEqual((owners[399], owners[0]), (0, 2))
        self.assertEqual(owners, sorted(owners, reverse=True))

    def test_order_along_a_molecule(self):
        self.assertEqual(local_replay.along_axis([[0.0, 3.0, 0.0], [0.1, 1.0, 0.0], [0.0, 2.0, 0.0]]), [1, 2, 0])
        self.assertEqual(local_replay.along_axis([[0.0] * 3] * 2), [0, 1])


class WithTrace(tool_test.WithFolder):
    def simulated(self, of=None, **more):
        return local_replay.SimulatedLocalMp2(Recording([traces.local_mp2(self.folder / "a", **more)]), of or network(), 0.0)


class Steps(WithTrace):
    def test_one_rank_takes_what_it_took(self):
        """Sweeps and rest 1.5, domains 6 + 2; tasks 10 and second halves 4; three times 1.5 of amplitudes, twice
        6 of residuals."""
        found = self.simulated().predict("static", 1)
        self.assertAlmostEqual(found.set_up, 9.5, delta=1e-5)
        self.assertAlmostEqual(found.transformation.total, 14.0)
        self.assertAlmostEqual(found.fetched.total, 16.5)
        self.assertAlmostEqual(found.replicated.total, 16.5)
        self.assertAlmostEqual(found.whole, 40.0, delta=1e-5)

    def test_transformation(self):
        """Pairs (11), (21) and (22) are finished by ranks 0, 1 and 1: 3 s of the first orbital as 1 and 2; the other has 1."""
        run = self.simulated()
        self.assertEqual(run.pairs.finishers(2), {0: [(0, 0), (1, 1)], 1: [(2, 1)]})
        found = run.predict("static", 2).transformation
        self.assertEqual(found, Phases(5.0, 2.0, 0.0, 1.0))

    def test_iterations(self):
        """Rank 0 has (21), rank 1 the others: residuals 3 and 3, amplitudes 0.5 and 1."""
        found = self.simulated().predict("static", 2)
        self.assertEqual(found.fetched, found.replicated)
        self.assertEqual(found.fetched, Phases(0.0, 3 * 0.75 + 2 * 3.0, 0.0, 3 * 0.25))

    def test_amplitudes_are_fetched_before_they_are_used(self):
        """At 1 ms a byte: rank 0 gets T of (11), 0.8 s. Rank 1 gets T of (21) for both of its pairs, 3.2 s, before it begins.
        The sum of 12 numbers of 3 pairs is 36 words, out and back by halves."""
        found = self.simulated(network(beta=1e-3)).predict("static", 2).fetched
        self.assertAlmostEqual(found.moving, 2 * (3.2 + 36 * 8e-3))
        self.assertAlmostEqual(found.second, 8.25)

    def test_amplitudes_on_every_rank(self):
        """Half of 600 words of 8 ms go each way, three times; sums as above."""
        found = self.simulated(network(beta=1e-3)).predict("static", 2).replicated
        self.assertAlmostEqual(found.moving, 3 * 300 * 8e-3 + 2 * 36 * 8e-3)

    def test_halves_are_exchanged(self):
        """1 ms a byte. Rank 0 needs 800 bytes of an orbital, rank 1 1600; half of them are there already. K of (11) is finished by
        rank 0 and owned by rank 1, K of (21) by rank 1 and 0: 800 and 3200 bytes."""
        found = self.simulated(network(beta=1e-3)).predict("static", 2).transformation
        self.assertAlmostEqual(found.moving, 0.8 + 3.2)

    def test_set_up(self):
        """One pair of orbitals takes all sweeps; rank 0 has the domain of 2 s, rank 1 those of 1 and 3; excitations by turns."""
        run = self.simulated()
        self.assertAlmostEqual(run.localisation(2), 1.5)
        self.assertAlmostEqual(run.predict("static", 2).set_up, 1.5 + 4.0 + 1.0, delta=0.01)

    def test_batches_of_fetches(self):
        """A pair needs no block twice in a batch; when the room is full another batch begins."""
        run = self.simulated()
        fetches = local_replay.Fetches(run.pairs, {0: {1: 3200.0}, 2: {1: 3200.0}, 1: {0: 800.0, 2: 800.0}}, 2)
        self.assertEqual(fetches.of_rank, [[([1], 1600.0, 2)], [([0, 2], 3200.0, 1)]])
        self.assertEqual(fetches.asked, [3200.0, 1600.0])
        large = 8.0 * traces.MODEL["local_mp2"]["least_room"]
        fetches = local_replay.Fetches(run.pairs, {0: {1: large}, 2: {1: large}}, 2)
        self.assertEqual(fetches.of_rank[1], [([0, 2], large, 1)])

    def test_models(self):
        transformation, iterations = self.simulated(network(beta=1e-3)).model_seconds(2)
        self.assertAlmostEqual(transformation, 7.0 + 0.8)  # 200 words on two ranks
        self.assertAlmostEqual(iterations, 8.25 + 3 * 300 * 8e-3)


class Refusals(WithTrace):
    def test_what_cannot_be_replayed(self):
        with self.assertRaisesRegex(ValueError, "from traces of 1 process, not of 2"):
            self.simulated(n_rank=2)
        path = traces.write(self.folder / "b", [traces.row([1.0])], extras={"local_mp2": {}})
        with self.assertRaisesRegex(ValueError, "do not have all steps of local MP2"):
            local_replay.SimulatedLocalMp2(Recording([path]), network(), 0.0)


class Tool(WithTrace):
    def replay(self, *arguments):
        traces.local_mp2(self.folder / "a")
        done = tool_test.run_tool("replay", "a", "--processes", "1,2", "--schedule", "static", "--latency", "0", "--bandwidth",
                                  "1e30", "--node-bandwidth", "1e30", "--node-latency", "0", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_table(self):
        output = self.replay()
        self.assertIn("Local MP2: 20 functions, 2 orbitals, 3 pairs, 2 iterations; 40.000 s on one", output)
        self.assertRegex(output, r" +2 \| +6\.5\d* +8 +0\.875 +7 \| +9 +0\.917 \| +9 +0\.917 +8\.25 \| +23\.5 +0\.851 \| +- +- +-\n")
        self.assertIn("The rank with most residuals has 1.000 of the mean, the largest pair 1.000", output)

    def test_measured_runs_stand_beside(self):
        traces.local_mp2(self.folder / "two", n_rank=2)
        self.assertRegex(self.replay("--measured", "two"), r"\n +2 \|.*\| +10 +8? *")
        found = local_forecast.measured_in([self.folder / "two"])
        self.assertEqual(found, {("static", 2): local_forecast.Measured(10.0, 6.0, 10.0)})

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here")
    def test_files(self):
        self.replay("--output", "out")
        self.assertIn("\nstatic,2,6.5", (self.folder / "out" / "local-mp2.csv").read_text(encoding="utf-8"))
        for name in ("local-mp2-speedup.svg", "local-mp2-phases.svg"):
            self.assertIn("local MP2", (self.folder / "out" / name).read_text(encoding="utf-8"))


class Traces(WithTrace):
    def test_blocks_of_batches(self):
        recorded = trace.Trace(traces.local_mp2(self.folder / "a"))
        self.assertEqual(recorded.batches[2].bytes, {0: 800.0, 1: 800.0})
        self.assertEqual(recorded.batches[4].needs, {0: {2: 800.0}, 1: {0: 800.0}, 2: {1: 3200.0}})
        self.assertEqual(recorded.batches[0].tasks[trace.STEP], {0: 1.5})
        self.assertEqual(recorded.batches[4].owner[trace.TASK], {0: 0, 1: 0, 2: 0})


if __name__ == "__main__":
    unittest.main()
