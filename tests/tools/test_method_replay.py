#!/usr/bin/env python3
"""MP2, local MP2 and gradients in replays: made-up traces whose times on two ranks can be worked out by hand, and what
tools/replay prints and writes of them.

Usage: test_method_replay.py [unittest options]
"""

import shutil
import unittest

import tool_test
import traces
from traces import network

# pylint: disable=wrong-import-order
from lab import gradient_replay, method_replay, trace
from lab.method_replay import FETCHED, REPLICATED, TRANSFORMATION, WHOLE
from lab.recording import Recording, RecordingError

MP2 = {"batches": 1, "shells": 3, "correlated_orbitals": 3, "virtual_orbitals": 17, "stored_bytes": 0}
FOCK = [traces.row([1.0])]
PAIRS = {0: 1.0, 1: 2.0, 3: 3.0}  # i <= j of two orbitals: rank 0 of two has 1 s, rank 1 has 5


def batch(first, pairs, first_quarter=(), second_quarter=(), copying=()):
    kinds = ((trace.TASK, first), (trace.FIRST_QUARTER, first_quarter), (trace.SECOND_QUARTER, second_quarter),
             (trace.PAIR_TASK, pairs), (trace.COPYING, copying))
    return [(kind, 0, task, 0.0, seconds) for kind, costs in kinds
            for task, seconds in (costs.items() if isinstance(costs, dict) else enumerate(costs))]


KETS = batch([4.0, 3.0, 2.0, 1.0], [3.0, 2.0, 1.0])


class WithTraces(tool_test.WithFolder):
    def write(self, name, algorithm, made, tasks_for=1, **mp2):
        return traces.write(self.folder / name, FOCK, batches=made, tasks_for=tasks_for,
                            extras={"mp2": {**MP2, "algorithm": algorithm, **mp2}})

    def seconds(self, algorithm, made, of=None, **mp2):
        """Of MP2 on two ranks."""
        recording = Recording([self.write("a", algorithm, made, **{"batches": len(made), **mp2})])
        return method_replay.Mp2(recording, of or network()).predict("static", 2)["mp2"].seconds

    def local(self, of=None, **more):
        return method_replay.LocalMp2(Recording([traces.local_mp2(self.folder / "a", onesided="rma", **more)]), of or network())


class Mp2(WithTraces):
    def test_kets_finish_units_in_rounds(self):
        """Tasks 4 + 1 and 3 + 2; units 3 beside 2, then 1. Of two batches the first has an orbital and one unit, the second has two."""
        self.assertAlmostEqual(self.seconds("kets", [KETS]), 9.0, places=4)
        self.assertAlmostEqual(self.seconds("kets", [KETS] * 2), (5.0 + 3.0) + (5.0 + 3.0), places=4)

    def test_rows_of_an_orbital(self):
        """Both ranks have two of the four pairs: of 48000 bytes of 3 orbitals 8000 go to the rank of each unit, at 1 ms a byte."""
        slow = network(beta=1e-3)
        found = self.seconds("kets", [KETS], slow, stored_bytes=48000) - self.seconds("kets", [KETS], slow)
        self.assertAlmostEqual(found, 2 * 8.0, places=4)

    def test_pairs_are_dealt_in_turns(self):
        """Tasks 5 and 5; pairs 1 + 3 and 2; copying takes a second on one rank."""
        found = self.seconds("pairs", [batch([4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0], copying=[1.0])], correlated_orbitals=2)
        self.assertAlmostEqual(found, 9.5, places=4)

    def test_p1_shares_each_bra(self):
        """Kets 0 and 2 of 3 + 2 + 1 s are of rank 0. The first quarter is not divided, the second is."""
        one = batch([3.0, 2.0, 1.0], PAIRS, [1.0] * 3, [2.0] * 3)
        self.assertAlmostEqual(self.seconds("p1", [one], correlated_orbitals=2, shells=2), 4.0 + 3.0 + 3.0 + 5.0, places=4)

    def test_p2_sends_during_the_second_quarter(self):
        """Tasks of 4 and 3 s. n = 20, 2 shells, 2 orbitals, all 3 bras: 12.8 s of messages at 1 ms a byte instead of 3 s of the
        second quarter; the first rank has two of three equal tasks, and 232 bytes are added up. At 0.1 ms messages are hidden."""
        of = {"correlated_orbitals": 2, "shells": 2}
        found = self.seconds("p2", [batch([2.0, 1.0], PAIRS, [1.0] * 2, [1.0] * 2)], **of)
        self.assertAlmostEqual(found, 9.0, places=4)
        one = batch([1.0] * 3, PAIRS, [1.0] * 3, [1.0] * 3)
        self.assertAlmostEqual(self.seconds("p2", [one], network(beta=1e-3), **of), 2 * (2.0 + 12.8 / 3) + 5.0 + 0.232, delta=0.01)
        self.assertAlmostEqual(self.seconds("p2", [one], network(beta=1e-4), **of), 2 * 3.0 + 5.0 + 0.0232, delta=0.001)

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


class LocalMp2(WithTraces):
    def test_one_rank_takes_what_it_took(self):
        """Sweeps and rest 1.5, domains 6 + 2; tasks 10 and second halves 4; twice 1.5 of amplitudes, twice 6 of residuals."""
        found = {step: took.seconds for step, took in self.local().one().items()}
        for step, seconds in ((TRANSFORMATION, 14.0), (FETCHED, 15.0), (REPLICATED, 15.0), (WHOLE, 38.5)):
            self.assertAlmostEqual(found[step], seconds, places=3)

    def test_two_ranks(self):
        """Tasks 5 and 5; pairs (11), (21) and (22) are finished by ranks 0, 1 and 1: 3 s of the first orbital as 1 and 2; the
        other has 1. Rank 0 has (21), rank 1 the others: residuals 3 and 3, amplitudes 0.5 and 1."""
        found = self.local().predict("static", 2)
        self.assertAlmostEqual(found[TRANSFORMATION].seconds, 5.0 + 3.0, places=3)
        for step in (FETCHED, REPLICATED):
            self.assertAlmostEqual(found[step].seconds, 2 * 3.0 + 2 * 1.0, places=2)
        # one pair of orbitals takes all sweeps; 2 of 6 s of domains at least on both
        self.assertAlmostEqual(found[WHOLE].phases[method_replay.SET_UP], 1.5 + (3.0 + 1.5) + (1.0 + 0.5), delta=0.01)

    def test_amplitudes_take_their_way(self):
        """At 1 ms a byte rank 1 gets T of (21) for both of its pairs, 3.2 s, before it begins; with T on every rank 600 words
        of 8 ms go to both ranks each time."""
        near, far = (self.local(network(beta=beta)).predict("static", 2) for beta in (0.0, 1e-3))
        self.assertGreater(far[FETCHED].seconds - near[FETCHED].seconds, 2 * 3.2)
        self.assertGreater(far[REPLICATED].seconds - near[REPLICATED].seconds, 2 * 4.8 * 0.8)

    def test_what_cannot_be_replayed(self):
        with self.assertRaisesRegex(ValueError, "from traces of 1 process, not of 2"):
            self.local(n_rank=2)
        path = traces.write(self.folder / "b", FOCK, extras={"local_mp2": {}})
        with self.assertRaisesRegex(ValueError, "do not have all steps of local MP2"):
            method_replay.LocalMp2(Recording([path]), network())


class Gradients(WithTraces):
    TOTALS = {"Gradient: one electron": 2.0, "Gradient: moving matrices": 0.0}

    def seconds(self, made, n_rank, of=None, **header):  # pylint: disable=arguments-renamed
        path = traces.write(self.folder / "a", FOCK, totals=self.TOTALS, batches=[made], **header)
        return gradient_replay.Gradient(Recording([path]), of or network()).steps("static", n_rank)["gradient"].seconds

    def test_quartets_and_one_electron_integrals(self):
        """2 s of one-electron integrals and 4 + 1, 3 + 2 s of quartets; five ranks wait for the largest task."""
        for n_rank, seconds in ((1, 12.0), (2, 6.0), (5, 4.4)):
            self.assertAlmostEqual(self.seconds(traces.row([4.0, 3.0, 2.0, 1.0]), n_rank), seconds, places=4)

    def test_distributed_blocks_are_fetched(self):
        """Each of two tasks needs eight blocks of 1000 bytes of the other rank at a millisecond a byte, or its own."""
        needs = [("K", 0, task, number, 1000.0) for task in range(2) for number in range(8)]
        near, far = (self.seconds(needs + traces.row([5.0, 5.0]), 2, network(beta=beta), fock="distributed") for beta in (0.0, 1e-3))
        self.assertGreater(far - near, 1.0)


class Forces(WithTraces):
    """Of MP2: three orbitals with two blocks each."""
    BLOCKS = (1.0,) * 4 + (2.0,) * 4 + (1.0, 2.0) + (1.0,) * 2  # there and back

    def recording(self, stored_bytes=0, blocks=BLOCKS, **header):
        batches = [batch([4.0, 3.0, 2.0, 1.0], blocks), batch([1.0, 2.0, 3.0, 6.0], []), [(trace.STEP, 0, 0, 0.0, 7.0)],
                   traces.row([4.0, 3.0, 2.0, 1.0])]
        mp2 = {**MP2, "algorithm": "kets", "second_pass_flops": 1.0, "stored_bytes": stored_bytes}
        return Recording([traces.write(self.folder / "a", FOCK, totals=Gradients.TOTALS, batches=batches, later=[traces.row([1.0, 1.0])] * 3,
                                       extras={"mp2": mp2}, **{"method": "rhf", **header})])

    def forces(self, of=None, **more):
        return gradient_replay.Mp2Forces(self.recording(**more), of or network())

    def test_one_rank_takes_what_it_took(self):
        found = {step: took.seconds for step, took in self.forces().steps("static", 1).items()}
        for step, seconds in ((gradient_replay.MP2, 10.0 + 17.0 + 12.0), (gradient_replay.RELAXATION, 7.0), ("gradient", 12.0),
                              (gradient_replay.AFTER, 58.0), (gradient_replay.WITH, 59.0)):
            self.assertAlmostEqual(found[step], seconds, places=3)

    def test_two_ranks(self):
        """Tasks 4 + 1 and 3 + 2; of the second orbital 2 s for each of four steps, then 1 and 2 s of the third, whose blocks both
        ranks share; bras 1 + 6 and 2 + 3 stay where they are. Three builds of 1 s and 1 s beside them; quartets as tasks."""
        run = self.forces()
        found = run.steps("static", 2)
        for step, seconds in ((gradient_replay.MP2, 5.0 + 8.0 + 3.0 + 7.0), (gradient_replay.RELAXATION, 4.0), ("gradient", 6.0),
                              (gradient_replay.AFTER, 33.0)):
            self.assertAlmostEqual(found[step].seconds, seconds, places=3)
        self.assertAlmostEqual(run.efficiency(gradient_replay.AFTER, 33.0, 2), 58.0 / 66.0)

    def test_rows_go_there_and_back(self):
        """At 1 ms a byte: 2304 bytes of three orbitals of 24 columns. Ranks send each other half of the rows of an orbital, there and
        back. Of the third the second rank gets 8 columns of two rows, and then sends t to the first, 16 rows of three j and 8
        columns, which then sends back 16 columns of two rows."""
        none, some = (self.forces(network(beta=1e-3), stored_bytes=n, blocks=[1.0] * 12).steps("static", 2)[gradient_replay.MP2].seconds
                      for n in (0, 2304))
        self.assertAlmostEqual(some - none, 2 * 0.384 + 0.128 + 16 * 3 * 8 * 0.008 + 0.256, places=3)

    def test_more_ranks_than_orbitals(self):
        """Six ranks, four orbitals of eight blocks: three orbitals with four blocks on each rank, then one with two at most."""
        made = [batch([1.0] * 6, [1.0, 0.0] * 32), batch([1.0] * 6, [])]
        recording = Recording([self.write("a", "kets", made, batches=1, correlated_orbitals=4, virtual_orbitals=128, second_pass_flops=1.0)])
        found = method_replay.Mp2(recording, network()).predict("static", 6)["mp2"]
        self.assertAlmostEqual(found.seconds, 1.0 + 4.0 + 2.0 + 1.0, places=4)

    def test_what_cannot_be_replayed(self):
        with self.assertRaisesRegex(ValueError, "closed shells, not from a trace of uhf"):
            gradient_replay.Mp2Forces(self.recording(method="uhf"), network())


class Tool(WithTraces):
    def replay(self, *arguments):
        done = tool_test.run_tool("replay", "a", "--processes", "1,2", "--schedule", "static", "--latency", "0", "--bandwidth", "1e30",
                                  "--node-bandwidth", "1e30", "--node-latency", "0", "--addition", "0", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_table_of_mp2(self):
        """Beside it two ranks, of which the second ended after 10 s."""
        self.write("a", "kets", [KETS])
        spans = [(trace.TASK, 0, 0, 0.0, 4.0), (trace.TASK, 1, 1, 0.0, 5.0), (trace.PAIR_TASK, 1, 0, 8.0, 2.0)]
        traces.write(self.folder / "two", FOCK, batches=[spans], n_rank=2, extras={"mp2": {**MP2, "algorithm": "kets"}})
        output = self.replay("--measured", "two")
        self.assertIn("MP2, algorithm kets: 20 functions, 3 occupied and 17 virtual orbitals; 16.000 s", output)
        self.assertRegex(output, r"\nmp2, static\n.*\n.*\n +2 +1 \| +9(\.0\d*)? +1\.78 +0\.889 \| +10 +0\.800 +0\.900 \| first half 55\.\d, second half 33\.\d")
        self.assertRegex(self.replay("--mp2-seconds", "8"), r"relative to 8.000 s on one process\n(.*\n)+ +2 +1 \| +9(\.0\d*)? +0\.89 +0\.444 ")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here")
    def test_files(self):
        traces.local_mp2(self.folder / "a")
        self.assertIn("Local MP2: 20 functions, 2 orbitals, 3 pairs, 2 iterations; 38.5", self.replay("--output", "out"))
        self.assertIn("\nwhole,static,2,1,2", (self.folder / "out" / "local-mp2.csv").read_text(encoding="utf-8"))
        for name in ("local-mp2-speedup.svg", "local-mp2-phases.svg"):
            self.assertIn("Local MP2", (self.folder / "out" / name).read_text(encoding="utf-8"))


class Traces(WithTraces):
    def test_blocks_of_batches(self):
        recorded = trace.Trace(traces.local_mp2(self.folder / "a"))
        self.assertEqual(recorded.batches[2].bytes, {0: 800.0, 1: 800.0})
        self.assertEqual(recorded.batches[4].needs, {0: {2: 800.0}, 1: {0: 800.0}, 2: {1: 3200.0}})
        self.assertEqual(recorded.batches[0].tasks[trace.STEP], {0: 1.5})
        self.assertEqual(recorded.batches[4].owner[trace.TASK], {0: 0, 1: 0, 2: 0})


if __name__ == "__main__":
    unittest.main()
