"""What tools/speedup makes of runs: lists of processes, measures worked out by hand, doubts, tables, figures, and
the messages of its parts. tests/tools/test_speedup_runs.py has the whole tool."""

import csv
import io
import json
import pathlib
import unittest
from unittest import mock

import sweeps
import tool_test

# pylint: disable=wrong-import-order
from lab import doubts, figures, lists, measures, plots, sweep, table
from lab.sweep import Case, Run
from lab.failure import BAD_INPUT, NO_RESOURCE, Failure

STATIC = Case("replicated", None, "static")
COUNTER = Case("replicated", None, "counter")


def points(measured, **options):
    return {(point.case, point.processes): point for point in measures.points(measured, **options)}


class Lists(unittest.TestCase):
    def test_lists_of_processes(self):
        for text, expected in (("1,2,4", [1, 2, 4]), ("1-8", list(range(1, 9))), ("1-64*2", [1, 2, 4, 8, 16, 32, 64]),
                               ("3-20*3", [3, 9]), ("4, 1-2,2", [1, 2, 4]), ("5-5", [5])):
            self.assertEqual(lists.numbers("--processes", text, 1), expected, text)

    def test_what_is_no_list_of_numbers(self):
        for text, message in (("x", '"x" is no number and no range'), ("1,,2", '"" is no number'),
                              ("-3", '"-3" is no number'), ("0-4", '"0-4" is not within 1 to 1000000'),
                              ("1-1000001", "is not within"), ("8-2", '"8-2" ends before it begins'),
                              ("1-8*1", '"1-8\\*1" does not grow')):
            with self.assertRaisesRegex(Failure, f"^--processes: .*{message}") as caught:
                lists.numbers("--processes", text, 1)
            self.assertEqual(caught.exception.exit_code, BAD_INPUT)
        with self.assertRaisesRegex(Failure, "does not grow"):
            lists.numbers("--processes", "0-8*2", 0)

    def test_words(self):
        self.assertEqual(lists.words("--fock", "b, a,b"), ["b", "a"])
        with self.assertRaisesRegex(Failure, '^--fock: "a,,b" has an empty place'):
            lists.words("--fock", "a,,b")

    def test_transports_multiply_the_distributed_builder_only(self):
        found = sweep.all_cases(["replicated", "distributed"], ["static"], ["thread", "rma"])
        self.assertEqual([case.name for case in found],
                         ["replicated-static", "distributed-thread-static", "distributed-rma-static"])
        self.assertEqual(found[2].options(),
                         ["--fock", "distributed", "--onesided", "rma", "--schedule", "static"])
        self.assertEqual(list(sweep.short_titles(found).values())[1], "distributed (thread), static")
        self.assertEqual(sweep.short_titles([STATIC, COUNTER]), {STATIC: "static", COUNTER: "counter"})

    def test_repetitions_come_after_all_cases(self):
        runs = sweep.all_runs([STATIC, COUNTER], [1, 2], 2)
        self.assertEqual([run.name for run in runs][2:5],
                         ["replicated-counter-p1-r1", "replicated-counter-p2-r1", "replicated-static-p1-r2"])
        traces_of = [sweep.Folder("x").trace(run) for run in runs]
        self.assertEqual([path and path.name for path in traces_of][3:5], ["replicated-counter-p2.trace", None])


class Measures(unittest.TestCase):
    def test_speedup_efficiency_and_serial_fraction(self):
        # 10 s of Fock builds and 2 s else; on 4 ranks 2.5 s of work each, 0.5 s waiting, 1 s moving, 2 s else.
        found = points({(STATIC, 1): [sweeps.result(1, [10.0], other=2.0)],
                        (STATIC, 4): [sweeps.result(4, [3.0, 2.0, 2.5, 2.5], 0.5, 1.0, other=2.0)]})
        fock, scf = found[STATIC, 4].fock, found[STATIC, 4].scf
        self.assertAlmostEqual(fock.seconds, 4.0)
        self.assertAlmostEqual(fock.speedup, 2.5)
        self.assertAlmostEqual(fock.efficiency, 0.625)
        self.assertAlmostEqual(fock.serial_fraction, 0.2)   # (1/2.5 - 1/4) / (1 - 1/4)
        self.assertAlmostEqual(fock.communication, 0.25)
        self.assertAlmostEqual(fock.idle, 0.125)
        self.assertAlmostEqual(found[STATIC, 4].imbalance, 1.2)
        self.assertAlmostEqual(scf.speedup, 2.0)
        self.assertAlmostEqual(scf.serial_fraction, 1 / 3)  # (1/2 - 1/4) / (1 - 1/4)
        self.assertEqual((found[STATIC, 1].fock.speedup, found[STATIC, 1].fock.serial_fraction), (1.0, None))

    def test_losses_add_up_whatever_the_number_of_runs(self):
        runs = [((4.0,), 0.0, 5.0), ((1.0,), 7.0, 1.0), ((9.0,), 1.0, 0.5), ((2.0,), 2.0, 2.5)]
        for n_run in (1, 2, 3, 4):
            found = points({(STATIC, count): [sweeps.result(count, work, last, moving, other=moving, rest=last)
                                              for work, last, moving in runs[start:start + n_run]]
                            for count, start in ((1, 0), (2, 4 - n_run))})
            for quantity in (found[STATIC, 2].fock, found[STATIC, 2].scf):
                self.assertAlmostEqual(sum(quantity.losses.values()), 1 - quantity.efficiency)
            self.assertAlmostEqual(sum(found[STATIC, 2].phase_seconds.values()), found[STATIC, 2].scf.seconds)

    def test_speedup_of_a_reference_of_several_processes_is_assumed(self):
        # f = 0.2: t(2) = 10 (0.2 + 0.8/2) = 6, t(8) = 10 (0.2 + 0.8/8) = 3
        found = points({(STATIC, 2): [sweeps.result(2, [6.0] * 2)], (STATIC, 8): [sweeps.result(8, [3.0] * 8)]})
        self.assertAlmostEqual(found[STATIC, 2].fock.speedup, 2.0)
        self.assertAlmostEqual(found[STATIC, 8].fock.speedup, 4.0)
        self.assertAlmostEqual(found[STATIC, 8].fock.efficiency, 0.5)
        self.assertAlmostEqual(found[STATIC, 8].fock.serial_fraction, 0.2)
        self.assertAlmostEqual(sum(found[STATIC, 8].fock.losses.values()), 0.5)

    def test_static_on_the_fewest_processes_is_the_reference_else_the_fastest(self):
        measured = {(COUNTER, 1): [sweeps.result(1, [8.0])], (STATIC, 1): [sweeps.result(1, [9.0])]}
        self.assertEqual(measures.references(measured)[STATIC.builder].case, STATIC)
        self.assertAlmostEqual(points(measured)[COUNTER, 1].fock.speedup, 9 / 8)
        manager = STATIC._replace(schedule="manager")
        measured = {(manager, 2): [sweeps.result(2, [9.0] * 2)], (COUNTER, 2): [sweeps.result(2, [5.0] * 2)],
                    (STATIC, 4): [sweeps.result(4, [1.0] * 4)]}
        chosen = measures.references(measured)[STATIC.builder]
        self.assertEqual((chosen.case, chosen.processes, chosen.fock_seconds), (COUNTER, 2, 5.0))

    def test_points_with_more_threads_than_cores_are_crowded(self):
        def crowded(processes, ranks_per_node=None, **facts):
            run = sweeps.result(processes, [1.0] * processes, **facts)
            return measures.points({(STATIC, processes): [run]}, ranks_per_node)[0].crowded
        self.assertFalse(crowded(4))
        self.assertTrue(crowded(5))
        self.assertTrue(crowded(4, threads=2))
        self.assertFalse(crowded(64, ranks_per_node=4))
        self.assertTrue(crowded(64, ranks_per_node=8))
        self.assertFalse(crowded(64, cores=0))

    def test_doubts(self):
        def told(case=STATIC, **facts):
            return doubts.doubts({(case, 1): [sweeps.result(1, [1.0])],
                                    (case, 2): [sweeps.result(2, [1.0], **facts)]})
        self.assertEqual(told(), [])
        self.assertEqual(told(energy=-76.0 + 5e-7), [])
        for facts, text in (({"energy": -76.0 + 3e-6}, "energies differ by 3.0e-06 hartree"),
                            ({"iterations": 11}, "took 9 to 11 iterations"),
                            ({"converged": False}, "not all runs converged"),
                            ({"stored": 0.5}, "0 to 50 % of the integrals' cost was stored")):
            self.assertEqual(len(told(**facts)), 1)
            self.assertIn(text, told(**facts)[0])
        self.assertEqual(told(Case("distributed", "thread", "static"), transport="rma"),
                         ["distributed (thread), static: hf could not, and used the transport rma"])

    def test_other_programs_at_work_are_told(self):
        def told(*cores):
            runs = [sweeps.result(1, [1.0]) for _ in cores]
            for run, used in zip(runs, cores):
                run.others_cores = used
            return doubts.doubts({(STATIC, 1): runs})
        self.assertEqual((told(None, 0.05, 0.0), told(None)), ([], []))
        self.assertEqual(told(0.0, 3.0, None), [
            "other programs used 1.5 of the 4 cores while hf ran, up to 3.0 during one run: times and speedups say "
            "little, repeat them on a quiet machine"])

    def test_spread_and_outliers_are_told(self):
        def told(*seconds):
            return doubts.doubts({(STATIC, 1): [sweeps.result(1, [value]) for value in seconds],
                                  (STATIC, 2): [sweeps.result(2, [1.0, 1.0])]})
        self.assertEqual((told(1.0, 1.05), told(9.0), told(0.0, 0.0)), ([], [], []))
        self.assertEqual(told(1.0, 3.0, 1.0), [
            "Fock builds of 1 of 2 points spread by more than 10% of the median, most those of replicated, static on "
            "1 process, by 200%: differences smaller than that say nothing",
            "replicated, static on 1 process: run 2 is an outlier, its Fock builds took 3.0 times the median of 3 "
            "runs"])


class Files(tool_test.WithFolder):
    def read(self, text, run=Run(STATIC, 2, 1)):
        path = self.folder / "x.json"
        path.write_text(text, encoding="utf-8")
        return sweep.read_result(path, run)

    def test_what_is_no_result_of_hf(self):
        whole = sweeps.output(2, [1.0])
        whole["extras"]["hf"]["timings_seconds"].pop()
        short = sweeps.output(2, [1.0])
        del short["extras"]["hf"]["timings_seconds"][2:]
        null = dict(sweeps.output(2, [1.0]), return_result=None)
        self.assertEqual(self.read(json.dumps(whole)).processes, 2)
        for text in ("", "{", "{}", "[]", json.dumps(short), json.dumps(null), json.dumps(dict(null, molecule=[]))):
            with self.assertRaisesRegex(Failure, "x.json: no results of hf; remove it") as caught:
                self.read(text)
            self.assertEqual(caught.exception.exit_code, NO_RESOURCE)


def scaling(cores=4, schedules=(STATIC, COUNTER), counts=(1, 2, 4)):
    """{(case, processes): results} that lose a little to moving matrices."""
    return {(case, count): [sweeps.result(count, [8.0 / count] * count, moving=0.1 * (count - 1), other=1.0,
                                          cores=cores, schedule=case.schedule)]
            for case in schedules for count in counts}


class Tables(unittest.TestCase):
    def lines(self, measured):
        return list(table.lines(measures.points(measured), measures.references(measured), 1))

    def test_numbers_stand_where_they_belong(self):
        lines = self.lines(scaling())
        self.assertEqual(lines[0], "water, cc-pVDZ: 3 atoms, 24 functions; hf 0.1.0, Some MPI 1, 4 cores on a node; "
                                   "one run of each")
        self.assertRegex(lines[2], r"^Fock builds +processes +wall s +spread +speedup +efficiency +serial fraction")
        # 8/4 + 0.3 = 2.3 s: S = 8/2.3, f = (2.3/8 - 1/4) / (3/4) = 0.05, 0.3/2.3 communication
        self.assertRegex(lines[5], r"^ +4 +2.3000 +0.0% +3.48 +87.0% +0.0500 +1.000 +13.0% +0.0%$")
        self.assertEqual(lines[9], "Speedup of replicated: over static on 1 process, 8.0000 s")
        self.assertEqual({len(line) for line in lines[2:9]}, {len(lines[2])})
        self.assertIn("  replicated, static, 4 processes: efficiency of the Fock builds 87.0%; "
                      "lost to moving matrices 13.0%", lines)

    def test_references_of_several_processes_are_told(self):
        text = "\n".join(self.lines(scaling(counts=(2, 4))))
        self.assertIn("replicated: a speedup of 2 is assumed on the fewest processes, 2", text)

    def test_serial_fractions_that_cannot_be_are_marked_and_explained(self):
        slower = {(STATIC, 1): [sweeps.result(1, [1.0])], (STATIC, 2): [sweeps.result(2, [5.0] * 2)]}
        faster = {(STATIC, 1): [sweeps.result(1, [9.0])], (STATIC, 2): [sweeps.result(2, [1.0] * 2)]}
        for measured, value in ((slower, "9.0000!"), (faster, "-0.7778!")):
            text = "\n".join(self.lines(measured))
            self.assertIn(value, text)
            self.assertIn("\n! no serial fraction: below 0", text)
        self.assertNotIn("!", "\n".join(self.lines(scaling())))

    def test_csv_and_json(self):
        measured = scaling(cores=2)
        found, references = measures.points(measured), measures.references(measured)
        rows = list(csv.DictReader(io.StringIO(table.csv_text(found, references))))
        self.assertEqual(len(rows), 6)
        parts = ("seconds", "seconds_min", "seconds_max", "speedup", "efficiency", "serial_fraction",
                 "communication_share", "idle_share")
        self.assertEqual(list(rows[0])[:12], [
            "fock", "onesided", "schedule", "processes", "threads", "cores_on_node", "more_than_cores", "runs",
            "reference_schedule", "reference_processes", "imbalance", "stored_share_of_cost"])
        self.assertEqual(list(rows[0])[12:28], [f"{name}_{part}" for name in ("fock", "scf") for part in parts])
        self.assertEqual(list(rows[0])[28:], [f"seconds: {name}" for name in found[0].phase_seconds])
        self.assertEqual((rows[2]["processes"], rows[2]["more_than_cores"], rows[0]["fock_serial_fraction"]),
                         ("4", "1", ""))
        self.assertAlmostEqual(float(rows[2]["fock_speedup"]), 8 / 2.3)
        whole = json.loads(json.dumps(table.json_object(found, references)))
        self.assertEqual(whole["references"][0]["processes"], 1)
        self.assertEqual(set(whole["points"][2]) - set(rows[0]), {"fock_losses", "scf_losses", "repetitions"})
        self.assertEqual(whole["points"][2]["repetitions"][0]["launch"]["ranks"], 4)


class Figures(tool_test.WithFolder):
    def draw(self, measured):
        """{name: text of the SVG file}"""
        made = [pathlib.Path(path) for path in figures.draw_all(self.folder, measures.points(measured), measures.references(measured))]
        for path in made:
            self.assertGreater(path.stat().st_size, 1000, path)
        return {path.name: path.read_text(encoding="utf-8") for path in made if path.suffix == ".svg"}

    @tool_test.needs_gnuplot
    def test_legends_labels_and_files(self):
        drawn = self.draw(scaling())
        self.assertEqual(set(drawn), {"speedup.svg", "efficiency.svg", "phases-replicated-static.svg",
                                      "phases-replicated-counter.svg"})
        for name, texts in (
                ("speedup.svg", ("static", "counter", "ideal", "Processes", "Speedup, over static on 1 process",
                                 "Fock builds", "Whole SCF",
                                 "Speedup: water, cc-pVDZ, replicated")),
                ("efficiency.svg", ("static", "counter", "ideal", "Processes",
                                    "Efficiency / %, over static on 1 process")),
                ("phases-replicated-static.svg", ("Processes", "Fock: computing")),
                ("phases-replicated-counter.svg", ("Processes", "Seconds, mean over the ranks", "Fock: moving matrices",
                                                   "Diagonalisation"))):
            for text in texts:
                self.assertIn(f">{text}<", drawn[name])
        for name, title in (("speedup", "Speedup: "), ("efficiency", "Parallel"), ("phases-replicated-static", "Time per phase")):
            self.assertEqual(tool_test.place_of(drawn[name + ".svg"], title)[0], plots.WIDTH / 2)  # the middle of the picture
        self.assertNotIn("more processes than cores", "".join(drawn.values()))
        self.assertNotIn("Fock: waiting for tasks", "".join(drawn.values()))

    @tool_test.needs_gnuplot
    def test_hollow_points_are_explained_when_there_are_some(self):
        drawn = self.draw(scaling(cores=2, schedules=(STATIC,)))
        self.assertEqual(set(drawn), {"speedup.svg", "efficiency.svg", "phases.svg"})
        for name in ("speedup.svg", "efficiency.svg"):
            self.assertIn(">more processes than cores<", drawn[name])
        self.assertIn(">Processes (*: more than cores)<", drawn["phases.svg"])
        self.assertIn(">4*<", drawn["phases.svg"])

    def test_what_gnuplot_says_is_told(self):
        for text, reason in (("echo '\"-\", line 3: bad' >&2; exit 1", '"-", line 3: bad'),
                             ("exit 1", "it gave no reason")):
            sweeps.executable(self.folder / "gnuplot", f"#!/bin/sh\n/bin/cat >/dev/null\n{text}\n")
            with mock.patch.dict("os.environ", PATH=str(self.folder)), \
                    self.assertRaisesRegex(Failure, f"x: gnuplot failed: {reason}"):
                plots.draw_panels("x", "", [plots.Panel("", "", "", [plots.Curve("a", [(1, 1.0)])])])

    def test_nothing_to_draw(self):
        with self.assertRaisesRegex(Failure, "^Fock builds: there is nothing to draw"):
            plots.draw_panels("x", "", [plots.Panel("Fock builds", "", "", [plots.Curve("a", [])])])
        with self.assertRaisesRegex(Failure, "^tasks: there is nothing to draw"):
            plots.gantt("x", "tasks", "", "", [], [], [("task", "#000000")], (0.0, 1.0))
