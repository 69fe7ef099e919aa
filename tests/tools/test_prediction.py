#!/usr/bin/env python3
"""Predictions from made-up traces whose replay can be worked out by hand, the table and files that show them, and
tools/replay and tools/reproduce-book as people call them, with a stand-in for hf.

Usage: test_prediction.py [unittest options]
"""

import csv
import dataclasses
import json
import os
import shutil
import types
import unittest
import unittest.mock

import sweeps
import tool_test
import traces
from traces import FREE

# pylint: disable=wrong-import-order
from lab import (
    cells, coulomb_pass, doubts, failure, forecast, machine, phases, prediction, simulator, trace, whole)
from lab.recording import Recording, RecordingError  # noqa: E402
from lab.network import Network  # noqa: E402

COSTS = [4.0, 3.0, 2.0, 1.0]
STEPS, UNIT = traces.MODEL["coulomb"]["steps"], traces.MODEL["coulomb"]["unit"]
LOOKS = 1e-4  # ranks that wait for the end of a round look at intervals
AGREEMENTS = 2 * prediction.N_AGREEMENT * 1e-3  # of two ranks, with a latency of 1 ms
MATRICES = 3e-3 + 4 * 2e-3  # three of them between grid and owners, and four agreements


class WithTraces(tool_test.WithFolder):
    def trace(self, name, builds, totals=None, **header):
        return traces.write(self.folder / name, builds, totals, **header)


class Recordings(WithTraces):
    def test_least_time_of_each_task_counts(self):
        paths = [self.trace("a", [traces.row([4.0, 3.5])]), self.trace("b", [traces.row([4.5, 3.0])])]
        self.assertEqual(list(Recording(paths).sizes[0].builds[0].computed), [4.0, 3.0])

    def test_traces_that_do_not_belong_together(self):
        first = self.trace("a", [traces.row(COSTS)])
        for change, part in (({"basis": "large"}, "basis is large, but tiny"), ({"n_thread": 2}, "n_thread is 2"),
                             ({"fock": "distributed"}, "fock is distributed")):
            with self.assertRaisesRegex(RecordingError, part):
                Recording([first, self.trace("b", [traces.row(COSTS)], **change)])
        with self.assertRaisesRegex(RecordingError, "not the same builds and tasks"):
            Recording([first, self.trace("b", [traces.row([1.0])])])
        with self.assertRaisesRegex(RecordingError, r"\[1, 2\] Fock builds"):
            Recording([first, self.trace("b", [traces.row(COSTS)] * 2, tasks_for=4)])
        with self.assertRaisesRegex(RecordingError, "2 threads per rank, expected 1"):
            Recording([self.trace("b", [traces.row(COSTS)], n_thread=2)])
        with self.assertRaisesRegex(RecordingError, "no traces"):
            Recording([])
        with self.assertRaisesRegex(RecordingError, "b: the energy is -75.000000 hartree, but -76.000000 in .*a: another"):
            Recording([self.trace("a", [traces.row(COSTS)], energy=-76.0),
                       self.trace("b", [traces.row(COSTS)], energy=-75.0)])


class Predictions(WithTraces):
    def simulated(self, builds, network=FREE, n_thread=1, **header):
        return prediction.Simulated(Recording([self.trace("a", builds, **header)]), network, n_thread)

    def test_static_on_two_ranks(self):
        found = self.simulated([traces.row([4.0, 3.0, 2.0])]).predict("static", 2)  # 4 against 3 + 2
        self.assertAlmostEqual(found.seconds, 5.0, delta=LOOKS)
        self.assertAlmostEqual(found.compute_seconds, 4.5)
        self.assertAlmostEqual(found.idle_seconds, 0.5, delta=LOOKS)
        self.assertAlmostEqual(found.efficiency, 0.9, delta=LOOKS)

    def test_tasks_are_dealt_by_the_costs_that_hf_knew(self):
        """hf took the task of 1 s for as long as all others: they are dealt together."""
        found = self.simulated([traces.row(COSTS) + traces.levels(8, 8, 8, 24)])
        self.assertAlmostEqual(found.predict("static", 2).seconds, 9.0, delta=LOOKS)

    def test_stored_tasks_stay_with_the_rank_that_stored_them(self):
        """Static on two ranks: rank 0 stores tasks 0 and 3. Reading takes it 0.4 + 0.1, rank 1 0.3 + 0.2; then the two
        tasks that are not stored wholly, 1.0 and 0.5, are shared out: rank 0 ends after 1.5 s."""
        stored = traces.row([0.4, 0.3, 0.2, 0.1], "stored task")
        found = self.simulated([traces.row(COSTS), stored + traces.row([1.0, 0.5])])
        self.assertAlmostEqual(found.predict("static", 2).seconds, 5.0 + 1.5, delta=LOOKS)

    def test_matrices_on_their_way(self):
        """n = 20, four atoms, 3200 bytes in a matrix, 2000 in lower blocks. Two nodes, alpha = 1 ms: two messages to the other node, a matrix from rank 0 and two
        back, agreements on these and on the largest density, a barrier after the tasks. On one, a byte 1 us, an addition 1 ms: J and K are cleared and read,
        half of them added on each of two, with the largest density; rank 0 reads both and D."""
        network = traces.network(1e-3)
        found = self.simulated([traces.row(COSTS)], network).predict("static", 2)
        self.assertAlmostEqual(found.communication_seconds, 2e-3 + MATRICES + 1e-3 + AGREEMENTS, delta=LOOKS)
        network = dataclasses.replace(traces.network(1.0), ranks_per_node=2, node_beta_seconds_per_byte=1e-6, addition_seconds=1e-3)
        found = self.simulated([traces.row(COSTS)], network).predict("static", 2)
        self.assertAlmostEqual(found.communication_seconds, 2 * 2 * 2000e-6 + 0.5 * 2 * 0.25 + 3 * 3200e-6 + 0.5e-3, delta=LOOKS)

    def coulomb_pass(self, costs, steps=(), network=FREE, n_thread=1, **header):
        """One build: COSTS for K after a pass of tasks with these costs, and of such (kind, units, seconds) beside them."""
        beside = [(trace.COULOMB_STEP, 0, STEPS.index(kind) + UNIT * n_unit, 0.0, seconds) for kind, n_unit, seconds in steps]
        return self.simulated([beside + traces.row(costs, trace.COULOMB_TASK) + traces.row(COSTS)], network,
                              n_thread=n_thread, **header)

    def test_the_coulomb_pass_comes_before_the_round(self):
        """Tasks of 3, 2 and 2 s take two ranks 4 s by any of these schedulers, which all have to wait for: then 5 s of K."""
        found = self.coulomb_pass([3.0, 2.0, 2.0])
        for scheduler in ("static", "counter"):
            predicted = found.predict(scheduler, 2)
            self.assertAlmostEqual(predicted.coulomb_seconds, 4.0, delta=LOOKS)
            self.assertAlmostEqual(predicted.seconds, 9.0, delta=LOOKS)
            self.assertAlmostEqual(predicted.compute_seconds, 5.0)
            self.assertAlmostEqual(predicted.idle_seconds, 0.0, delta=LOOKS)
            self.assertAlmostEqual(predicted.efficiency, 17.0 / 18.0, delta=LOOKS)
        self.assertAlmostEqual(found.predict("manager", 2).seconds, 17.0, delta=LOOKS)

    def test_the_coulomb_pass_has_threads_too(self):
        """3, 2 and 2 s on two threads: 4 s; 1 s beside them is shared out. K takes 5 s."""
        steps = [(coulomb_pass.KETS, 4, 1.0)]
        predicted = self.coulomb_pass([3.0, 2.0, 2.0], steps, n_thread=2).predict("static", 1)
        self.assertAlmostEqual(predicted.coulomb_seconds, 4.5)
        self.assertAlmostEqual(predicted.seconds, 9.5)

    def seconds_of_steps(self, n_rank, steps, **network):
        found = self.coulomb_pass([], steps, dataclasses.replace(FREE, **network))
        build = found.recording.sizes[0].builds[0]
        return coulomb_pass.rest_seconds(build, n_rank, found.network)

    def test_ranks_have_whole_leaves_and_cells(self):
        """10 s for five leaves: two ranks have three of them at most, and no more than five ranks have any."""
        steps = [(coulomb_pass.LEAVES, 5, 10.0)]
        self.assertAlmostEqual(self.seconds_of_steps(2, steps), 6.0)
        self.assertAlmostEqual(self.seconds_of_steps(100, steps), 2.0)
        self.assertAlmostEqual(self.seconds_of_steps(100, [(coulomb_pass.BOUNDS, 1, 0.5)]), 0.5)

    def test_levels_of_cells_are_divided_while_they_fill_lanes(self):
        """Up: 16 cells in four turns of one rank. Two nodes divide them; five have less than a turn each, so that each
        computes them all. Down: a node of ten has three of 30 leaves, at three levels."""
        up = [(coulomb_pass.UP, 16, 4.0)]
        self.assertAlmostEqual(self.seconds_of_steps(1, up), 4.0)
        self.assertAlmostEqual(self.seconds_of_steps(2, up), 2.0)
        self.assertAlmostEqual(self.seconds_of_steps(4, up, ranks_per_node=4), 1.0)
        self.assertAlmostEqual(self.seconds_of_steps(20, up), 1.0)
        down = [(coulomb_pass.LEAVES, 30, 0.0), *((coulomb_pass.DOWN, n_unit, n_unit / 8.0) for n_unit in (8, 16, 32))]
        self.assertAlmostEqual(self.seconds_of_steps(1, down), 7.0)
        self.assertAlmostEqual(self.seconds_of_steps(10, down), 3.0)

    def test_levels_of_cells_are_joined(self):
        """Up: 4, 2 and 1 cells in a turn each. Three ranks have lanes for six cells with four sources, seven have them for seven
        with eight. Down: ranks with one leaf, or two, take the cells above, of three levels, at once."""
        up = [(coulomb_pass.UP, n_unit, 1.0) for n_unit in (4, 2, 1)]
        for n_rank, n_turn in ((1, 3.0), (3, 2.0), (6, 2.0), (7, 1.0), (1000, 1.0)):
            self.assertAlmostEqual(self.seconds_of_steps(n_rank, up), n_turn)
        down = [(coulomb_pass.LEAVES, 30, 0.0), *((coulomb_pass.DOWN, n_unit, n_unit / 8.0) for n_unit in (8, 16, 32))]
        self.assertAlmostEqual(self.seconds_of_steps(15, down), 2.0)
        self.assertAlmostEqual(self.seconds_of_steps(30, down), 1.0)
        self.assertAlmostEqual(self.seconds_of_steps(30, down, ranks_per_node=30), 1.0)
        self.assertAlmostEqual(self.seconds_of_steps(4, [(coulomb_pass.TO_LEAVES, 8, 4.0)]), 1.0)

    def test_cores_that_threads_share_slow_the_coulomb_pass(self):
        """Two ranks on one core have no more of it than one."""
        network = dataclasses.replace(FREE, ranks_per_node=2, cores_per_node=1)
        steps = [(coulomb_pass.KETS, 4, 1.0)]
        self.assertAlmostEqual(self.coulomb_pass([2.0, 2.0], steps, network).predict("static", 2).coulomb_seconds, 5.0)

    def test_messages_of_the_coulomb_pass(self):
        """Between two nodes, of 8 us a number: half of 500 numbers of kets, and of gathers of one leaf; 300 of H and V are shared
        out. With a latency of 1 ms alone: 2 ms for each of two agreements, 1 ms for a barrier, five gathers and two exchanges.
        A single node has nothing to send."""
        steps = [(coulomb_pass.LEAVES, 1, 0.0), (coulomb_pass.ACROSS, 1, 0.0)]
        info = {"coulomb_numbers_of_kets": 500, "coulomb_numbers_sent": 300, "coulomb_products": 10}
        numbers = 0.5 * (500 + 452 + 505 + 300)
        for network, seconds in ((dataclasses.replace(FREE, beta_seconds_per_byte=1e-6), numbers * 8e-6),
                                 (dataclasses.replace(FREE, alpha_seconds=1e-3), 2 * 2e-3 + 1e-3 + 5 * 1e-3 + 2 * 1e-3),
                                 (dataclasses.replace(FREE, beta_seconds_per_byte=1e-6, ranks_per_node=2), 0.0)):
            found = self.coulomb_pass([2.0, 2.0], steps, network, info=info).predict("static", 2)
            self.assertAlmostEqual(found.coulomb_seconds, 2.0 + seconds, delta=LOOKS)

    def test_the_coulomb_pass_in_whole_runs(self):
        found = whole.WholeRuns(self.coulomb_pass([3.0, 2.0, 2.0], [(coulomb_pass.KETS, 4, 2.0 * len(COSTS))]))
        one = found.predict("static", 1)
        self.assertAlmostEqual(one.seconds[phases.COULOMB_PASS], 7.0 + 8.0)
        self.assertAlmostEqual(one.fock, 7.0 + 8.0 + 10.0)
        self.assertIn("Coulomb", "\n".join(forecast.Forecast(found, ["static"], [1]).lines()))

    def test_runs_with_a_coulomb_pass(self):
        """The least time of each of its tasks, and of each step beside them."""
        first, second = ([(trace.COULOMB_STEP, 0, STEPS.index(coulomb_pass.KETS) + 4 * UNIT, 0.0, seconds)]
                         for seconds in (1.0, 1.5))
        builds = [first + traces.row([3.0, 2.0], trace.COULOMB_TASK) + traces.row(COSTS)]
        other = [second + traces.row([2.0, 2.5], trace.COULOMB_TASK) + traces.row(COSTS)]
        recording = Recording([self.trace("a", builds), self.trace("b", other)])
        self.assertEqual(recording.sizes[0].builds[0].coulomb, [2.0, 2.0])
        self.assertEqual(recording.sizes[0].builds[0].coulomb_steps, [(coulomb_pass.KETS, 4, 1.0)])
        self.assertAlmostEqual(recording.seconds_of_one, 10.0 + 4.0 + 1.0)
        self.assertEqual(Recording([self.trace("c", [traces.row(COSTS)])]).sizes[0].coulomb_seconds, 0.0)

    def test_blocks_that_nobody_added_to_are_left_out(self):
        """Of ten equal blocks one that all parts add to, and one that one of four does: a node has it with 1/4 + 1/4 - 1/16."""
        adds = [("added", 0, times, number, 320.0) for times, number in ((4, 0), (1, 9))]
        every, some = (self.simulated([traces.row([1.0] * 4) + of], traces.network(beta=1e-6)).predict("static", 2).communication_seconds
                       for of in ([("added", 0, 4, number, 320.0) for number in range(10)], adds))
        self.assertLess(some, every)
        self.assertGreater(some, 0.0)

    def test_threads(self):
        """Static: rank 0 has 4 and 1, rank 1 has 3 and 2, each rank two threads: 4 s. Reading is shared out."""
        found = self.simulated([traces.row(COSTS), traces.row([0.4, 0.3, 0.2, 0.1], "stored task")], n_thread=2)
        self.assertAlmostEqual(found.predict("static", 2).seconds, 4.0 + 0.25, delta=LOOKS)
        self.assertAlmostEqual(found.predict("static", 2).efficiency, 11.0 / 4 / 4.25, delta=LOOKS)

    def test_distributed_matrices_block_by_block(self):
        """Of one task each on two ranks, both need a block that one of them owns: the other one waits for request and
        block, half of the ranks 2 ms. At the end its sum takes its way while the counts of blocks are added up, 2 ms, between two
        barriers."""
        network = Network(1e-3, 0.0, 0.0, 0.0, 0.0)
        blocks = [("J", 0, task, 5, 800.0) for task in (0, 1)]
        found = self.simulated([traces.row([4.0, 4.0]) + blocks], network, fock="distributed")
        predicted = found.predict("static", 2)
        self.assertAlmostEqual(predicted.seconds, 4.0 + 2e-3 + 4e-3 + MATRICES + AGREEMENTS, delta=LOOKS)
        self.assertAlmostEqual(predicted.communication_seconds, 1e-3 + 4e-3 + MATRICES + AGREEMENTS, delta=LOOKS)

    def test_where_the_efficiency_falls_below_a_level(self):
        """64 equal tasks: of p ranks the busiest has ceil(64/p); 43 ranks are the first above 32 with 64/(2 p) < 0.75,
        but 64 ranks have 1 each; so 0.75 is lost for good above 85."""
        found = self.simulated([traces.row([1.0] * 64)])
        self.assertIn(found.falls_below("static", 0.75, most=1000), range(84, 92))
        self.assertIn(found.falls_below("static", 0.75, most=90), range(84, 91))
        self.assertIsNone(found.falls_below("static", 0.75, most=64))

    def test_no_more_ranks_are_simulated_than_asked_for(self):
        found, asked = self.simulated([traces.row(COSTS)]), []
        with unittest.mock.patch.object(found, "predict", lambda _, n_rank: asked.append(n_rank) or types.SimpleNamespace(efficiency=1.0)):
            self.assertIsNone(found.falls_below("static", 0.75, most=70))
        self.assertEqual(max(asked), 70)


class Doubts(WithTraces):
    """What speaks against traces for a replay."""

    def doubts(self, seconds, others=()):
        """Of {tasks for: seconds of each run}; `others` are the cores that other programs used, run by run."""
        paths = [self.trace(f"{n}-{run}.trace", [traces.row([value / 4] * 4)], tasks_for=n)
                 for n, values in seconds.items() for run, value in enumerate(values)]
        for path, cores in zip(paths, others):
            machine.keep(machine.beside(path), cores)
        self.recording = Recording(paths)
        return doubts.doubts_of_traces(self.recording)

    def test_a_disturbed_run_on_one_process_makes_efficiencies_above_one(self):
        lines = self.doubts({1: [12.0, 12.1], 2: [8.0, 8.0]})
        found = prediction.Simulated(self.recording, FREE).predict("static", 2)
        self.assertAlmostEqual(found.efficiency, 1.5)
        self.assertEqual(lines, ["the tasks for 1 took 1.50 times as long as the same work cut for 2: efficiencies are too high by as "
                                 "much; make the traces again on a quiet machine"])

    def test_scattered_runs_and_a_busy_machine_are_told_as_of_a_sweep(self):
        lines = self.doubts({1: [8.0, 8.1], 4: [8.0, 12.0]}, [0.0, 0.0, 0.0, 1.5])
        self.assertRegex(lines[0], "^other programs used 0.4 of the 2 cores while hf ran, up to 1.5 during one run")
        self.assertRegex(lines[1], "^Fock builds of 1 of 2 points spread by more than 10% of the median, most those of tasks for 4, by 40%")
        self.assertEqual(len(lines), 2)

    def test_long_simulations_are_announced(self):
        self.doubts({1: [8.0]})
        simulated = prediction.Simulated(self.recording, FREE)
        self.assertIsNone(forecast.told_before(simulated, ["static"], [1, 1000]))
        self.assertEqual(forecast.told_before(simulated, ["static", "steal"], [1, 10**4]),
                         "simulates static, steal on 2 numbers of processes up to 10000: about 62 s; --processes and --schedule choose fewer")


class Tables(WithTraces):
    def forecast(self):
        measured = self.trace("two", [traces.row([4.0, 2.0]) + traces.row([3.0, 1.0], rank=1)], n_rank=2)
        simulated = prediction.Simulated(Recording([self.trace("one", [traces.row(COSTS)])]), FREE)
        run = forecast.measured_in(simulated, trace.Trace(measured))
        return forecast.Forecast(simulated, ["static", "counter"], [1, 4], [run])

    def test_measured_points_get_a_row(self):
        rows = self.forecast().rows
        self.assertEqual([(row.scheduler, row.processes) for row in rows],
                         [("static", 1), ("static", 2), ("static", 4), ("counter", 1), ("counter", 4)])
        self.assertAlmostEqual(rows[1].ratio, 5.0 / 6.0)
        self.assertIsNone(rows[0].ratio)

    def test_csv_and_lines(self):
        found = self.forecast()
        table = list(csv.DictReader(cells.csv_text(found.records()).splitlines()))
        self.assertEqual((table[1]["measured_seconds"], table[1][phases.COMPUTING]), ("6.0", "5.0"))
        text = "\n".join(found.lines())
        self.assertIn("molecule.mol, tiny: 20 functions, matrices replicated", text)
        self.assertIn("\nFock builds, static\n", text)
        self.assertRegex(text, r"        2          1 \|         5      2.00  1.000 \|         6  0.833     0.833 \| computing 100.0")


STAND_IN = """#!/usr/bin/env python3
import shutil, sys
arguments = sys.argv[1:]
if "--trace" in arguments:
    size = arguments[arguments.index("--tasks-for") + 1]
    shutil.copy(f"{folder}/for-{{size}}", arguments[arguments.index("--trace") + 1])
    print("Total energy")
"""

# Started with as many RANKS as the stand-in of mpiexec has been told; one rank takes all tasks.
RUNS_ON_RANKS = """#!/bin/sh
here='{folder}'
for word in "$@"; do
    case $previous in
    --schedule) schedule=$word;; --threads) threads=$word;; --trace) trace=$word;;
    esac
    previous=$word
done
[ -n "$trace" ] || exit 0
echo "$RANKS $threads $schedule" >>"$here/calls"
cp "$here/trace-$RANKS" "$trace"
"""


class Replay(WithTraces):
    def replay(self, *arguments, tool="replay"):
        done = tool_test.run_tool(tool, *arguments, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def expect_one_line(self, code, part, *arguments, tool="replay"):
        found, output, errors = self.replay(*arguments, tool=tool)
        self.assertEqual((found, output, errors.count("\n")), (code, "", 1), errors)
        self.assertIn(part, errors)

    def test_traces(self):
        path = self.trace("one", [traces.row([1.0] * 64)])
        code, output, errors = self.replay(path, "--processes", "1-4*2", "--schedule", "static,manager")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("molecule.mol, tiny: 20 functions, matrices replicated", output)
        self.assertRegex(output, "static: efficiency falls below 0.5 at about [0-9]+ processes")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here")
    def test_a_molecule_is_traced_first_and_only_once(self):
        hf = self.folder / "hf"
        hf.write_text(STAND_IN.format(folder=self.folder), encoding="utf-8")
        hf.chmod(0o755)
        (self.folder / "m.mol").write_text("", encoding="utf-8")
        for size, n in ((1, 4), (16, 8), (256, 8)):
            self.trace(f"for-{size}", [traces.row([12.0 / n if size == 1 else 8.0 / n] * n)], tasks_for=size)
        arguments = ("m.mol", "--hf", hf, "--processes", "1,2", "--runs", "1", "--memory", "0", "--sizes", "1-4096*16")
        code, _, errors = self.replay(*arguments)
        self.assertEqual((code, errors.count("--tasks-for")), (0, 3), errors)  # 256 made no more tasks than 16
        self.assertEqual(errors.splitlines()[0], "replay: runs hf 4 times at most, on one process with the tasks for each of 1, 16, 256, "
                         "4096, then simulates 4 schedulers on up to 2 processes; --sizes, --runs, --processes and --schedule choose")
        folder = self.folder / "replay-m"
        self.assertEqual({path.name for path in folder.iterdir()},
                         {"traces", "table.txt", "results.json", "fock.csv", "fock-speedup.svg", "fock-speedup.png",
                          "fock-phases.svg", "fock-phases.png", "whole.csv", "whole-speedup.svg", "whole-speedup.png",
                          "whole-phases.svg", "whole-phases.png"})
        self.assertEqual(json.loads((folder / "results.json").read_text(encoding="utf-8"))["n_function"], 20)
        errors = [line for line in self.replay(*arguments)[2].splitlines() if line.startswith("replay: the tasks")]
        self.assertEqual(errors, ["replay: the tasks for 1 took 1.50 times as long as the same work cut for 16: efficiencies are too "
                                  "high by as much; make the traces again on a quiet machine"])
        self.expect_one_line(2, "expected another folder", *arguments, "--basis", "STO-3G")

    def test_check_runs_each_shape_beside_one_thread(self):
        """4, 3, 2 and 1 s dealt to two by cost take 5 s. The run takes 6: its last task 2 s."""
        sweeps.executable(self.folder / "hf", RUNS_ON_RANKS.format(folder=self.folder))
        sweeps.executable(self.folder / "mpiexec", sweeps.MPIEXEC)
        (self.folder / "m.mol").write_text("", encoding="utf-8")
        self.trace("trace-1", [traces.row(COSTS)], totals={"Total": 11.0, "Output": 1.0}, tasks_for=2)
        self.trace("trace-2", [[(trace.TASK, 0, 0, 0.0, 4.0), (trace.TASK, 0, 3, 4.0, 2.0), (trace.TASK, 1, 1, 0.0, 3.0),
                                (trace.TASK, 1, 2, 3.0, 2.0)]], totals={"Total": 8.0}, n_rank=2)
        arguments = ("m.mol", "--check", "--hf", self.folder / "hf", "--mpiexec", self.folder / "mpiexec", "--shapes", "2x1",
                     "--runs", "2", "--schedule", "static", "--latency", "0", "--node-latency", "0", "--cores-per-node", "2")
        code, output, errors = self.replay(*arguments)
        self.assertEqual((code, errors.count("\n")), (0, 4), errors)
        self.assertRegex(output, r"\nstatic +2 +1 \| +6 +1\.000 +5 +0\.833 +1\.000 +1\.000 \| +8 +1\.000 ")
        self.assertEqual((self.folder / "calls").read_text(encoding="utf-8"), 2 * "1 1 static\n2 1 static\n")
        self.assertEqual(self.replay(*arguments), (0, output, ""))  # nothing is run again
        self.expect_one_line(2, "--shapes: '2' is not such as 2x1", *arguments, "--shapes", "2")

    def test_the_simulator_beside_hf_is_taken(self):
        """Unless the environment names one; what it says is one line."""
        sweeps.executable(self.folder / "hf-simulate", "#!/bin/sh\necho hf-simulate: it is this one >&2\nexit 2\n")
        path = self.trace("one", [traces.row(COSTS)])
        arguments = (path, "--hf", self.folder / "hf", "--processes", "2", "--schedule", "static")
        self.assertEqual(self.replay(*arguments)[0], 0)
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("HF_SIMULATE", None)
            self.expect_one_line(2, "it is this one", *arguments)

    def test_options_that_hf_simulate_would_ignore(self):
        for options, part in ((("--molecules", "--threads", "2"), "not with --molecules"), (("--molecules", "--onesided", "rma"), "not with"),
                              (("--alone",), "only with --molecules"), (("--grid", "9"), "only --ranks goes with it"), (("--ranks", "1000000"), "1 to 100000")):
            with self.assertRaisesRegex(failure.Failure, part):
                simulator.call(*options, self.trace("one", [traces.row(COSTS)]))

    def test_errors(self):
        path = self.trace("one", [traces.row(COSTS)])
        self.expect_one_line(2, "unknown scheduler 'dice'", path, "--schedule", "dice")
        self.expect_one_line(2, "--processes", path, "--processes", "few")
        self.expect_one_line(2, "unknown option --basis", path, "--basis", "STO-3G")
        self.expect_one_line(2, "--bandwidth", path, "--bandwidth", "0")
        self.expect_one_line(2, "--node-bandwidth", path, "--node-bandwidth", "0")
        self.expect_one_line(2, "ranks_per_node", path, "--ranks-per-node", "0")
        self.expect_one_line(2, "0 threads", path, "--threads", "0")
        self.expect_one_line(2, "no file of hf-bench", path, "--pingpong", path)
        self.expect_one_line(2, "no trace of hf", path, self.folder / "none")
        self.expect_one_line(2, "no trace of hf", path, "--measured", self.folder / "none")
        self.expect_one_line(2, "cannot be started", self.folder / "m.mol", "--hf", "/no/such/hf")
        self.expect_one_line(2, "--runs", self.folder / "m.mol", "--runs", "0")


if __name__ == "__main__":
    unittest.main()
