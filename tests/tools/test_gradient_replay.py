#!/usr/bin/env python3
"""Gradients in replays: made-up traces whose times on a few ranks can be worked out by hand.

Usage: test_gradient_replay.py [unittest options]
"""

import pathlib
import tempfile
import unittest

import tool_test  # noqa: F401 # pylint: disable=unused-import # says where lab is
import traces

# pylint: disable=wrong-import-order
from lab import gradient_forecast
from lab.recording import Recording

TOTALS = {"Gradient: one electron": 2.0, "Gradient: moving matrices": 0.0}
TASKS = [4.0, 3.0, 2.0, 1.0]  # of 0 and 3 as of 1 and 2 together: 5 s


class Gradients(unittest.TestCase):
    def forecast(self, batch, alpha=0.0, n_thread=1, beta=0.0, **header):
        with tempfile.TemporaryDirectory() as folder:
            path = traces.write(pathlib.Path(folder, "a"), [traces.row([1.0])], totals=TOTALS, batches=[batch], **header)
            return gradient_forecast.Forecast(Recording([path]), traces.network(alpha, beta), 0.0, n_thread)

    def test_two_ranks(self):
        """1 s of one-electron integrals and 5 s of quartets on each of two ranks."""
        found = self.forecast(traces.row(TASKS)).predict("static", 2)
        self.assertEqual((found.one_electron, found.quartets, found.waiting, found.moving), (1.0, 5.0, 0.0, 0.0))
        self.assertAlmostEqual(found.efficiency, 1.0)

    def test_one_rank_is_what_was_measured(self):
        found = self.forecast(traces.row(TASKS)).predict("static", 1)
        self.assertEqual((found.seconds, found.speedup), (12.0, 1.0))

    def test_threads(self):
        found = self.forecast(traces.row(TASKS), n_thread=2).predict("static", 1)
        self.assertEqual((found.one_electron, found.quartets), (1.0, 5.0))

    def test_the_largest_task_is_waited_for(self):
        found = self.forecast(traces.row(TASKS)).predict("static", 5)
        self.assertAlmostEqual(found.quartets + found.waiting, 4.0, places=5)
        self.assertAlmostEqual(found.efficiency, 12.0 / (5 * 4.4), places=5)

    def test_latency_counts(self):
        self.assertGreater(self.forecast(traces.row(TASKS), alpha=1.0).moving(4), gradient_forecast.N_AGREEMENT)

    def test_distributed_blocks_are_fetched(self):
        """Each of two tasks needs one block of 1000 bytes of the other rank at a millisecond a byte, or its own."""
        needs = [("K", 0, task, number, 1000.0) for task in range(2) for number in range(8)]
        near, far = (self.forecast(needs + traces.row([5.0, 5.0]), beta=beta, fock="distributed").predict("static", 2)
                     for beta in (0.0, 1e-3))
        self.assertAlmostEqual(near.quartets + near.waiting, 5.0, places=5)
        self.assertGreater(far.waiting, 1.0)

    def test_text(self):
        lines = self.forecast(traces.row(TASKS)).lines(["static", "steal"], [1, 2])
        self.assertIn("Gradient: 20 functions, 4 tasks, 12.000 s on one process", lines[0])
        self.assertEqual(sum(line.startswith("        2 ") for line in lines), 2)


if __name__ == "__main__":
    unittest.main()
