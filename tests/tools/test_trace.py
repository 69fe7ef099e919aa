#!/usr/bin/env python3
"""Traces that hf writes, read by the tools' reader: every task once in every build whatever hands it out, stored
integrals read back where they are, times that add up, and clear words for files that are no traces.

Usage: test_trace.py HF MPIEXEC INPUTS [unittest options]
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

import traces

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from lab import coulomb_pass, recording, trace  # noqa: E402 # pylint: disable=wrong-import-position

HF, MPIEXEC, INPUTS = sys.argv[1:4]
WAYS = {  # name: ranks, options
    "alone": (1, "--memory 0"),
    "stored": (1, ""),
    "static": (2, "--memory 0"),
    "manager": (3, "--memory 0 --schedule manager"),
    "counter": (2, "--memory 0 --schedule counter --tasks-for 20"),
    "steal": (3, "--memory 0 --schedule steal --tasks-for 100000"),
    "threads": (2, "--memory 0 --threads 2"),
    "shell pairs": (1, "--memory 0 --grain shell-pair"),
    "partly stored": (2, "--memory 40MB --basis cc-pVTZ"),
    "Coulomb pass": (2, "--memory 0 --coulomb multipoles --threads 2"),
    "Coulomb pass for many": (1, "--memory 0 --coulomb multipoles --tasks-for 100"),
    "distributed": (2, "--fock distributed --onesided rma --memory 0"),
    "trial builds": (2, "--memory 0 --converger newton --polarisability"),
    "distributed, stored, threads": (2, "--fock distributed --threads 2 --tasks-for 10"),
}


def run_hf(path, n_rank, *options):
    """Methanol; its trace goes to `path`."""
    command = [HF, os.path.join(INPUTS, "methanol.xyz"), "--trace", path, "--checkpoint", "none", *options]
    subprocess.run([MPIEXEC, "-n", str(n_rank)] * (n_rank > 1) + command, check=True, capture_output=True, timeout=240)
    return trace.Trace(path)


def processor_seconds():
    """Of programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.trace, cls.job_seconds = {}, {}
        for name, (n_rank, options) in WAYS.items():
            before = processor_seconds()
            basis = [] if "--basis" in options else ["--basis", "cc-pVDZ"]
            cls.trace[name] = run_hf(os.path.join(cls.folder.name, name), n_rank, *basis, *options.split())
            cls.job_seconds[name] = processor_seconds() - before

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_builds_that_are_no_iterations_lie_apart(self):
        found = self.trace["trial builds"]
        listed, others = sorted(found.numbers), sorted(found.later)
        self.assertEqual(sorted(listed + others), list(range(len(listed) + len(others))))
        self.assertTrue(any(number < listed[-1] for number in others), "trial densities of the second order")
        self.assertGreater(len(found.after()), 2, "responses")
        self.assertEqual(self.trace["alone"].later, {})
        with self.assertRaisesRegex(recording.RecordingError, "more Fock builds than iterations"):
            recording.Size([found])

    def test_every_task_of_the_coulomb_pass_is_in_every_build(self):
        builds = self.trace["Coulomb pass"].builds
        self.assertGreater(len(builds[0].coulomb), 30)
        many = self.trace["Coulomb pass for many"].builds[0]
        self.assertGreater(len(many.coulomb), len(builds[0].coulomb))
        for build in builds:
            self.assertEqual(set(build.coulomb), set(builds[0].coulomb))
            self.assertGreater(build.info["coulomb_numbers_of_kets"], 0)
            kinds = {step.kind for step in build.coulomb_steps}
            self.assertLessEqual({"densities", coulomb_pass.KETS, "matrices"}, kinds)
        self.assertGreater(self.trace["Coulomb pass"].totals[0]["Fock: Coulomb pass"], 0.0)
        self.assertFalse(self.trace["alone"].builds[0].coulomb)
        self.assertEqual(self.trace["alone"].builds[0].info["coulomb_numbers_of_kets"], 0)

    def test_every_task_is_computed_in_every_build_that_computes(self):
        for name, run in self.trace.items():
            kind_of_tasks = run.header["kinds"].index(trace.TASK)
            recorded = [set() for _ in run.builds]
            for _, task, _, number, _, kind in trace.records(run.path, run.header):
                if kind == kind_of_tasks and number < len(recorded):
                    recorded[number].add(task)
            with self.subTest(name):
                for i, build in enumerate(run.builds):
                    if build.stored and build.n_task == 0:
                        self.assertEqual(build.info["quartets_computed"], 0)
                        continue
                    self.assertGreater(build.n_task, 10)
                    if run.header["fock"] == "replicated":  # a task may be shorter than a tick of the clock
                        self.assertEqual(recorded[i], set(range(build.n_task)), f"build {i}")
                        self.assertGreater(sum(build.computed), 0.0)
                    else:  # steps that add nothing are passed over
                        self.assertGreater(sum(1 for seconds in build.computed if seconds > 0.0), 0)

    def test_levels_of_costs_are_those_of_the_tasks_that_were_dealt(self):
        """One rank has none unless it divides the work for many."""
        self.assertFalse(any(build.levels for build in self.trace["alone"].builds))
        for name in ("static", "steal", "distributed"):
            for build in self.trace[name].builds:
                levels = build.levels[trace.TASK]
                self.assertEqual(len(levels), -(-build.n_task // 8) * 8, name)
                self.assertTrue(all(levels[task] > 0 for task, seconds in enumerate(build.computed) if seconds > 0.0), name)
        for build in self.trace["Coulomb pass for many"].builds:
            self.assertTrue(all(build.levels[trace.COULOMB_TASK][task] > 0 for task in build.coulomb))

    def test_stored_integrals_are_read_after_the_build_that_stores_them(self):
        for name in ("stored", "partly stored", "distributed, stored, threads"):
            builds = self.trace[name].builds
            first = [build.info["stored_bytes"] > 0.0 for build in builds].index(True)
            self.assertTrue(all(len(build.stored) == 0 for build in builds[:first + 1]), name)
            self.assertLess(first, len(builds) - 1)
            for build in builds[first + 1:]:
                self.assertGreater(len(build.stored), 0, name)
                self.assertGreater(build.info["quartets_read"], 0)
        partly = self.trace["partly stored"].builds[-1]
        self.assertGreater(partly.n_task, 0)
        self.assertLess(partly.info["stored_share_of_cost"], 1.0)
        self.assertLessEqual(partly.info["stored_bytes"], 2 * 40e6)
        self.assertEqual(set(partly.owner.values()), {0, 1})

    def test_tasks_add_up_to_the_time_of_the_builds(self):
        """Tasks are in seconds of the processor, which do not depend on what else runs; phases take as long at least."""
        for name, run in self.trace.items():
            with self.subTest(name):
                tasks = sum(sum(build.computed) + sum(build.stored.values()) for build in run.builds)
                fock = run.header["n_thread"] * sum(seconds for totals in run.totals for phase, seconds in totals.items()
                                                    if phase.startswith("Fock: "))
                self.assertLess(tasks, 1.02 * fock + 1e-3)
                self.assertLess(tasks, 1.02 * self.job_seconds[name] + 1e-3)
        self.assertGreater(sum(sum(build.computed) for build in self.trace["alone"].builds), 0.1 * self.job_seconds["alone"])

    def test_the_same_integrals_take_as_long_whoever_computes_them(self):
        seconds = {name: sum(sum(build.computed) for build in run.builds) / sum(build.info["quartets_computed"] for build in run.builds)
                   for name, run in self.trace.items() if "--memory 0" in WAYS[name][1] and "multipoles" not in WAYS[name][1]}
        for name, of_quartet in seconds.items():
            self.assertGreater(of_quartet, 0.2 * seconds["alone"], name)

    def test_builds_lie_within_the_run_one_after_the_other(self):
        for name, run in self.trace.items():
            total = max(totals["Total"] for totals in run.totals)
            self.assertLess(sum(build.seconds for build in run.builds), total, name)
            self.assertEqual(len(run.totals), WAYS[name][0])
            self.assertTrue(all(build.seconds > 0.0 for build in run.builds))

    def test_header_says_what_ran(self):
        header = self.trace["steal"].header
        self.assertEqual((header["fock"], header["schedule"], header["n_rank"], header["tasks_for"]),
                         ("replicated", "steal", 3, 100000))
        self.assertEqual((header["n_function"], header["n_atom"], header["n_shell"]), (48, 6, 22))
        self.assertAlmostEqual(header["energy"], self.trace["distributed"].header["energy"], delta=1e-9)

    def test_distributed_builders_tell_the_blocks_of_their_tasks(self):
        """Of 6 atoms, or fewer sites. What is computed needs something."""
        run = self.trace["distributed"]
        for build in run.builds:
            for task, seconds in enumerate(build.computed):
                self.assertEqual(seconds > 0.0, task in build.blocks)
            for blocks in build.blocks.values():
                for number, kind, n_bytes in blocks:
                    self.assertIn(number, range(21))
                    self.assertIn(kind, (trace.BLOCK_J, trace.BLOCK_K))
                    self.assertGreater(n_bytes, 0.0)
        self.assertEqual([build.blocks for build in self.trace["static"].builds[:1]], [{}])

    def test_manager_computes_nothing(self):
        run, owners, rank = self.trace["manager"], set(), 0
        for _, task, _, _, _, kind in trace.records(run.path, run.header):
            if kind == trace.RANK:
                rank = task
            elif kind == run.header["kinds"].index(trace.TASK):
                owners.add(rank)
        self.assertEqual(owners, {1, 2})


class Errors(unittest.TestCase):
    def check(self, content, part):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            with self.assertRaisesRegex(trace.TraceError, part):
                trace.Trace(file.name)

    def header(self, **changed):
        return json.dumps({"format": "hf-trace", "version": 1, "record_bytes": 24, "n_record": 2, "n_rank": 1,
                           "kinds": ["Total", "task", "stored task"], "builds": [], **changed}).encode() + b"\n"

    def test_files_that_are_no_traces(self):
        self.check(b"", "no trace of hf")
        self.check(b"\x00\xff\n", "no trace of hf")
        self.check(b"{}\n", "no trace of hf")
        self.check(self.header(version=2), "version 2, expected 1")
        self.check(self.header(kinds=["Total"]), "header of this trace is not whole")

    def test_traces_cut_short(self):
        self.check(self.header(), "ends 2 records early")
        self.check(self.header() + bytes(24 + 5), "early")

    def test_damaged_records(self):
        self.check(self.header(builds=[{"n_task": 5}]) + 2 * trace.RECORD.pack(0.0, 5, 1.0, 0, 0, 1), "damaged")

    def test_missing_files(self):
        with self.assertRaisesRegex(trace.TraceError, "no trace of hf: .*No such file"):
            trace.read_header("/no/such/file")


MP2_WAYS = {  # name: ranks, algorithm, more options
    "kets": (2, "kets", ""),
    "kets for many": (1, "kets", "--tasks-for 100"),
    "pairs": (3, "pairs", "--schedule manager"),
    "P1": (2, "p1", ""),
    "P2": (2, "p2", "--schedule counter"),
    "batches": (1, "p2", "--memory 1MB"),
}


class Mp2(unittest.TestCase):
    """Batches of MP2."""
    @classmethod
    def setUpClass(cls):
        cls.trace = {}
        with tempfile.TemporaryDirectory() as folder:
            for name, (n_rank, algorithm, options) in MP2_WAYS.items():
                cls.trace[name] = run_hf(os.path.join(folder, "a.trace"), n_rank, "--basis", "cc-pVDZ", "--method", "mp2",
                                         "--mp2-algorithm", algorithm, *options.split())

    def test_header_says_what_was_transformed(self):
        for name, (_, algorithm, _) in MP2_WAYS.items():
            said = self.trace[name].header["extras"]["mp2"]
            self.assertEqual((said["algorithm"], said["batches"]), (algorithm, len(self.trace[name].batches)))
            self.assertEqual((said["correlated_orbitals"], said["virtual_orbitals"]), (7, 39))
        self.assertGreater(len(self.trace["batches"].batches), 1)

    def test_every_task_is_there(self):
        """No pair of shells is negligible."""
        for name, run in self.trace.items():
            said = run.header["extras"]["mp2"]
            every = set(range(said["shells"] * (said["shells"] + 1) // 2))
            for batch in run.batches:
                self.assertEqual(set(batch.tasks[trace.TASK]), every, name)
                quarters = [set(batch.tasks[kind]) for kind in (trace.FIRST_QUARTER, trace.SECOND_QUARTER)]
                self.assertEqual(quarters, [every if said["algorithm"] in ("p1", "p2") else set()] * 2)
                self.assertGreater(batch.seconds, 0.0)

    def test_every_unit_of_the_second_half_is_there(self):
        for name, n_unit in (("kets", 7), ("kets for many", 7), ("pairs", 28), ("P1", 28), ("P2", 28)):
            units = self.trace[name].batches[0].tasks[trace.PAIR_TASK]
            self.assertEqual(len(units), n_unit, name)
            self.assertTrue(all(seconds >= 0.0 for seconds in units.values()))
        self.assertEqual(set(self.trace["P1"].batches[0].tasks[trace.PAIR_TASK]),
                         {7 * i + j for i in range(7) for j in range(i, 7)})

    def test_other_builds_are_as_ever(self):
        for run in self.trace.values():
            self.assertGreater(len(run.builds), 3)
            self.assertTrue(all(build.n_task > 10 for build in run.builds if not build.stored))


class LocalMp2(unittest.TestCase):
    """Batches of local MP2, on one rank and on two."""
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.trace = {n: run_hf(os.path.join(folder, "a.trace"), n, "--basis", "cc-pVDZ", "--method", "lmp2") for n in (1, 2, 3)}

    def test_made_up_traces_have_the_constants_of_hf(self):
        for run in self.trace.values():
            self.assertEqual(run.header["model"], traces.MODEL)

    def test_a_batch_for_each_step_and_iteration(self):
        """And one for the correction of the domains."""
        for run in self.trace.values():
            self.assertEqual(len(run.batches), 4 + run.header["extras"]["local_mp2"]["iterations"] + 1)

    def test_every_pair_is_there(self):
        for run in self.trace.values():
            said = run.header["extras"]["local_mp2"]
            every, n_orbital = set(range(len(said["pairs"]))), len(said["orbitals"])
            units = run.batches[2].tasks[trace.PAIR_TASK]
            self.assertEqual(set(units), set(range(n_orbital)))
            self.assertTrue(all(n_byte > 0.0 for n_byte in run.batches[2].bytes.values()))
            for batch in run.batches[4:]:
                self.assertEqual(set(batch.tasks[trace.TASK]), every)
            self.assertEqual(set(run.batches[3].tasks[trace.PAIR_TASK]), every)
            self.assertTrue(set(run.batches[1].tasks[trace.TASK]) <= every)

    def test_residuals_need_pairs_with_an_orbital_in_common(self):
        run = self.trace[1]
        pairs = run.header["extras"]["local_mp2"]["pairs"]
        number = {pair["i"] * (pair["i"] - 1) // 2 + pair["j"] - 1: pair for pair in pairs}
        self.assertGreater(len(run.batches[4].needs), len(pairs) // 2)
        for p, needs in run.batches[4].needs.items():
            for other, n_byte in needs.items():
                self.assertTrue({number[other]["i"], number[other]["j"]} & {pairs[p]["i"], pairs[p]["j"]})
                self.assertEqual(n_byte, 8.0 * number[other]["functions"] ** 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
