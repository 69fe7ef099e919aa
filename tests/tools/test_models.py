#!/usr/bin/env python3
"""The performance models of tools/lab/models.py against values worked out by hand, against what the book says
of its examples, and at their limits. "The book" is Janssen and Nielsen, Parallel Computing in Quantum Chemistry.

Usage: test_models.py [unittest options]
"""

import array
import json
import math
import pathlib
import unittest

import tool_test
from lab import book, models
from lab.models import Machine, Statistics

ROUND = Machine(10e-6, 8e-9, 2e-9)  # easy numbers: beta + gamma/2 = 9 ns
CHAPTER_7 = Machine(50e-6, 80e-9, 0.0)  # 50 us, 10 ns/byte
CHAPTER_8 = Machine(30e-6, 14e-9, 1e-9)  # 30 us, 14 ns/word
BUTANE_PAIRS = 4656  # cc-pVTZ: 96 shells, 96*97/2
COUNTS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 1000)


class Numbers(tool_test.WithFolder):
    def near(self, value, expected, relative=1e-12):
        self.assertLessEqual(abs(value - expected), relative * abs(expected), f"{value!r}, expected {expected!r}")

    def refuses(self, message, function, *arguments, **named):
        with self.assertRaises(ValueError) as caught:
            function(*arguments, **named)
        self.assertEqual(str(caught.exception), message)

    def falls(self, values):
        self.assertTrue(all(later < earlier for earlier, later in zip(values, values[1:])), values)


class Measured(Numbers):
    def test_speedup_and_efficiency(self):
        self.near(models.speedup(12.0, 4.0), 3.0)
        self.near(models.efficiency(3.0, 4), 0.75)

    def test_serial_fraction_is_that_of_amdahl(self):
        self.near(models.serial_fraction(3.0, 4), 1 / 9)  # (1/3 - 1/4)/(3/4) = (1/12)/(3/4)
        # Eq. 5.5 with f = 1/10, p = 10: S = 1/(0.1 + 0.09) = 100/19
        self.near(models.serial_fraction(100 / 19, 10), 0.1)
        self.near(models.serial_fraction(1.0, 8), 1.0)
        self.assertEqual(models.serial_fraction(8.0, 8), 0.0)
        self.assertLess(models.serial_fraction(9.0, 8), 0.0)
        self.assertIsNone(models.serial_fraction(1.0, 1))

    def test_statistics_are_those_of_the_whole_population(self):
        # mean 40/8 = 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, 32/8 = 4, sigma = 2
        for costs in ([2, 4, 4, 4, 5, 5, 7, 9], array.array("d", [2, 4, 4, 4, 5, 5, 7, 9])):
            self.assertEqual(models.statistics_of(costs), Statistics(5.0, 0.4))
        self.assertEqual(models.statistics_of([0.5]), Statistics(0.5, 0.0))

    def test_what_cannot_be_is_refused(self):
        for function in (models.efficiency, models.serial_fraction):
            self.refuses("the number of processes is 0, expected 1 or more", function, 1.0, 0)
            self.refuses("achieved_speedup is 0.0, expected a number above 0", function, 0.0, 2)
        self.refuses("seconds is 0.0, expected a number above 0", models.speedup, 1.0, 0.0)
        self.refuses("seconds_of_one is -1.0, expected a number above 0", models.speedup, -1.0, 1.0)
        self.refuses("there are no costs, expected those of one task or more", models.statistics_of, [])
        self.refuses("cost is -1, expected 0 or more", models.statistics_of, [2, -1])
        self.refuses("the mean cost is 0.0, expected a number above 0", models.statistics_of, [0, 0])
        self.refuses("the mean cost is nan, expected a number above 0", models.statistics_of, [1.0, math.nan])
        self.refuses("the mean cost is inf, expected a number above 0", models.statistics_of, [1.0, math.inf])
        self.refuses("seconds is inf, expected a number above 0", models.speedup, 1.0, math.inf)


class LoadImbalanceFactor(Numbers):
    def test_one_process_is_the_quantile_of_tables(self):
        self.near(models.load_imbalance_factor(1), 2.3263478740408408)

    def test_solves_equation_7_9(self):
        # 1/2 + 1/2 erf(x) = 1 - erfc(x)/2, and its p-th power by logarithms, which lose no digits
        for n_process in (1, 2, 7, 100, 10_000, 100_000, 10**9):
            k = models.load_imbalance_factor(n_process)
            log_power = n_process * math.log1p(-math.erfc(k / math.sqrt(2)) / 2)
            self.near(log_power, math.log(models.PROBABILITY), 1e-12)

    def test_approximation_for_99_percent(self):
        self.near(models.approximate_load_imbalance_factor(1), math.sqrt(5.3))
        # ln 100 = 4.605170186, 1.9*4.605170186 + 5.3 = 14.049823353, its root 3.748309399
        self.near(models.approximate_load_imbalance_factor(100), 3.748309399, 1e-9)
        for n_process in (*COUNTS, 10_000, 100_000):
            self.near(models.approximate_load_imbalance_factor(n_process), models.load_imbalance_factor(n_process),
                      0.011)

    def test_grows_with_processes(self):
        for factor in (models.load_imbalance_factor, models.approximate_load_imbalance_factor):
            self.falls([-factor(n) for n in (*COUNTS, 99_999, 100_000)])

    def test_what_cannot_be_is_refused(self):
        for factor in (models.load_imbalance_factor, models.approximate_load_imbalance_factor):
            self.refuses("the number of processes is 0, expected 1 or more", factor, 0)
            self.refuses("the number of processes is nan, expected 1 or more", factor, math.nan)
            self.refuses("the number of processes is inf, expected 1 or more", factor, math.inf)


class StaticDistribution(Numbers):
    BOOK = {"factor": models.approximate_load_imbalance_factor}

    def test_time(self):
        # mu n/p = 0.01*400/4 = 1, sigma sqrt(n/p) = 0.005*10 = 0.05: 1 + 0.05 k
        seconds = models.static_seconds(400, Statistics(0.01, 0.5), 4)
        self.near(seconds, 1.0 + 0.05 * models.load_imbalance_factor(4))
        # sigma/mu k sqrt(p/n) = 0.5*sqrt(2/800) k = 0.025 k more than 0.01*800/2
        self.near(models.static_seconds(800, Statistics(0.01, 0.5), 2), 4.0 * (1.0 + 0.025 * models.load_imbalance_factor(2)))
        # k = 0 for one process
        self.near(models.static_seconds(400, Statistics(0.01, 0.5), 1), 4.0)

    def test_efficiency(self):
        # k = 3: numerator 1 + 3*0.5/20 = 1.075, denominator 1 + 3*0.5*sqrt(4/400) = 1.15
        self.near(models.static_efficiency(400, 0.5, 4, lambda n_process: 3.0), 1.075 / 1.15)

    def test_butane_in_pairs(self):
        # sigma/mu = 1.1 and Eq. 7.11; numerator 1 + 2.302173*1.1/68.234888 = 1.0371126
        # p =  20: k = 3.315402, sqrt(p/n) = 0.06554031, denominator 1.2390217
        # p =  50: k = 3.568311, sqrt(p/n) = 0.10362833, denominator 1.4067559
        # p = 200: k = 3.920051, sqrt(p/n) = 0.20725667, denominator 1.8937024
        expected = {20: 0.8370415, 50: 0.7372371, 200: 0.5476640}
        for n_process, value in expected.items():
            self.near(models.static_efficiency(BUTANE_PAIRS, 1.1, n_process, **self.BOOK), value, 1e-6)

    def test_butane_as_the_book_measured_it(self):
        # 93 % on 20 processes, 78 % on 50: the model is "somewhat too low" there; below 60 % around 200
        for n_process, measured in ((20, 0.93), (50, 0.78)):
            for factor in (models.load_imbalance_factor, models.approximate_load_imbalance_factor):
                model = models.static_efficiency(BUTANE_PAIRS, 1.1, n_process, factor)
                self.assertTrue(measured - 0.1 < model < measured, model)
        self.assertTrue(0.5 < models.static_efficiency(BUTANE_PAIRS, 1.1, 200) < 0.6)

    def test_quartets_scale_further_than_pairs(self):
        # butane has 4656*4657/2 = 10841496 quartets, sigma/mu = 2.0 (Fig. 7.2)
        for n_process in COUNTS[1:]:
            self.assertGreater(models.static_efficiency(10_841_496, 2.0, n_process),
                               models.static_efficiency(BUTANE_PAIRS, 1.1, n_process))

    def test_limits(self):
        for factor in (models.load_imbalance_factor, models.approximate_load_imbalance_factor):
            self.assertEqual(models.static_efficiency(100, 1.1, 1, factor), 1.0)
            self.falls([models.static_efficiency(BUTANE_PAIRS, 1.1, n, factor) for n in COUNTS])
            self.falls([-models.static_efficiency(n_task, 1.1, 100, factor) for n_task in (100, 1000, 10**6)])
        self.assertEqual(models.static_efficiency(100, 0.0, 10), 1.0)
        self.near(models.static_seconds(100, Statistics(2.0, 0.0), 10), 20.0)

    def test_what_cannot_be_is_refused(self):
        self.refuses("the number of processes is 0, expected 1 or more", models.static_efficiency, 10, 1.0, 0)
        self.refuses("the number of processes is 0, expected 1 or more", models.static_efficiency, 10, 1.0, 0,
                     lambda n_process: 3.0)
        self.refuses("n_task is 0, expected a number above 0", models.static_efficiency, 0, 1.0, 2)
        self.refuses("relative_deviation is -1.0, expected 0 or more", models.static_efficiency, 10, -1.0, 2)
        self.refuses("mean_seconds is -2.0, expected 0 or more", models.static_seconds, 10, Statistics(-2.0, 1.0), 2)


class ManagerAndWorkers(Numbers):
    SECOND = Machine(0.5, 0.0, 0.0)  # an exchange takes 1 s

    def test_efficiency(self):
        self.near(models.manager_efficiency(4), 0.75)
        self.near(models.manager_efficiency(100), 0.99)
        self.assertEqual(models.manager_efficiency(1), 1.0)

    def test_manager_of_butane(self):
        # (4656 + 99)*(2*50 us + 12*10 ns) = 4755*100.12 us = 0.4760706 s; the book says 0.48
        seconds = models.manager_communication_seconds(CHAPTER_7, BUTANE_PAIRS, 100)
        self.near(seconds, 0.4760706)
        self.assertEqual(f"{seconds:.2f}", "0.48")

    def test_longer_messages(self):
        # (8 + 2)*(2*10 us + 16 bytes = 2 words*8 ns) = 10*20.016 us
        self.near(models.manager_communication_seconds(ROUND, 8, 3, exchange_bytes=16), 200.16e-6)
        self.near(models.manager_seconds(ROUND, 0.0, 8, 3, exchange_bytes=16), 200.16e-6)

    def test_one_process_has_no_manager(self):
        self.assertEqual(models.manager_communication_seconds(ROUND, 8, 1), 0.0)
        self.assertEqual(models.manager_seconds(ROUND, 3.0, 8, 1), 3.0)

    def test_the_slower_one_counts(self):
        self.near(models.manager_seconds(self.SECOND, 24.0, 5, 3), 12.0)  # workers 24/2, manager 5 + 2
        self.near(models.manager_seconds(self.SECOND, 24.0, 5, 5), 9.0)   # workers 24/4, manager 5 + 4
        # butane: 2.18 s per worker, 99 workers; the manager is idle most of the time
        self.near(models.manager_seconds(CHAPTER_7, 2.18 * 99, BUTANE_PAIRS, 100), 2.18)
        # 215.82 s of work, 100.12 us an exchange: of more than 425 processes the manager is the slower one
        self.near(models.manager_seconds(CHAPTER_7, 2.18 * 99, BUTANE_PAIRS, 400), 2.18 * 99 / 399)
        self.near(models.manager_seconds(CHAPTER_7, 2.18 * 99, BUTANE_PAIRS, 450), (BUTANE_PAIRS + 449) * 100.12e-6)

    def test_what_cannot_be_is_refused(self):
        self.refuses("the number of processes is -1, expected 1 or more", models.manager_efficiency, -1)
        for function in (lambda *last: models.manager_communication_seconds(ROUND, *last),
                         lambda *last: models.manager_seconds(ROUND, 1.0, *last)):
            self.refuses("the number of processes is 0.5, expected 1 or more", function, 5, 0.5)
            self.refuses("n_task is -5, expected 0 or more", function, -5, 2)
            self.refuses("exchange_bytes is -1, expected 0 or more", function, 5, 2, -1)
        self.refuses("work_seconds is -1.0, expected 0 or more", models.manager_seconds, ROUND, -1.0, 5, 2)


class ReplicatedData(Numbers):
    def test_all_reduce(self):
        # 2*2*10 us + 2*(3/4)*1000*9 ns = 40 us + 13.5 us
        self.near(models.all_reduce_seconds(ROUND, 1000, 4), 53.5e-6)
        self.near(models.all_reduce_seconds(ROUND, 0, 8), 60e-6)
        self.assertEqual(models.all_reduce_seconds(ROUND, 1000, 1), 0.0)

    def test_communication(self):
        # n = 100: 40 us + (3/4)*10000*9 ns = 40 us + 67.5 us
        self.near(models.replicated_communication_seconds(ROUND, 100, 4), 107.5e-6)
        self.near(models.replicated_communication_seconds(ROUND, 100, 4, n_summed=2), 215e-6)
        # the density: 40 us + 2*(3/4)*10000*9 ns = 175 us more
        self.near(models.replicated_communication_seconds(ROUND, 100, 4, n_summed=2, n_gathered=1), 390e-6)
        self.assertEqual(models.replicated_communication_seconds(ROUND, 100, 1, 2, 1), 0.0)

    def test_communication_is_negligible_for_the_uracil_dimer(self):
        # 920 functions, p = 100: 2*6.643856*30 us + 0.99*846400*14.5 ns, beside 920**4/8*0.5 us/100 = 447.7456 s
        communication = models.replicated_communication_seconds(CHAPTER_8, 920, 100)
        self.near(communication, 0.0125486, 1e-5)

    def test_what_cannot_be_is_refused(self):
        self.refuses("the number of processes is 0, expected 1 or more", models.all_reduce_seconds, ROUND, 1, 0)
        self.refuses("n_word is -1, expected 0 or more", models.all_reduce_seconds, ROUND, -1, 2)
        refuse = models.replicated_communication_seconds
        self.refuses("n_function is -1, expected 0 or more", refuse, ROUND, -1, 2)
        self.refuses("n_summed is -1, expected 0 or more", refuse, ROUND, 1, 2, -1)
        self.refuses("n_gathered is -1, expected 0 or more", refuse, ROUND, 1, 2, 1, -1)


class DistributedData(Numbers):
    def test_number_of_quartets(self):
        self.assertEqual(models.atom_quartets(24), 41472)           # 24**4/8

    def test_communication(self):
        # 12*30 us + 12*10**2*14 ns = 376.8 us, 100 quartets each
        self.near(models.distributed_communication_seconds(CHAPTER_8, 1000, 10, 10), 0.03768)
        self.assertEqual(models.distributed_communication_seconds(CHAPTER_8, 1000, 10, 1), 0.0)

    def test_what_cannot_be_is_refused(self):
        self.refuses("n_atom is 0, expected a number above 0", models.atom_quartets, 0)
        refuse = models.distributed_communication_seconds
        self.refuses("the number of processes is 0, expected 1 or more", refuse, CHAPTER_8, 1, 10, 0)
        self.refuses("n_quartet is -1, expected 0 or more", refuse, CHAPTER_8, -1, 10, 2)
        self.refuses("functions_per_atom is 0, expected a number above 0", refuse, CHAPTER_8, 1, 0, 2)


class MachineOfPingpong(Numbers):
    @staticmethod
    def partner(rank, alpha, beta, damaged=0):
        """As hf-bench writes it; through_ends differs, so that it shows when it is taken instead."""
        return {"points": [], "partner_rank": rank, "damaged_bytes": damaged,
                "through_ends": {"alpha_seconds": 1.0, "beta_seconds_per_byte": 1.0},
                "fitted": {"alpha_seconds": alpha, "beta_seconds_per_byte": beta}}

    def written(self, document):
        self.write("pingpong.json", document if isinstance(document, str) else json.dumps(document))
        return self.folder / "pingpong.json"

    def file(self, *partners):
        return self.written({"program": "hf-bench", "kernel": "pingpong", "results": {"partners": partners}})

    def fails(self, message, path):
        self.refuses(f"{path}: {message}", models.machine_from_pingpong, path)
        with self.assertRaises(models.MachineError):
            models.machine_from_pingpong(path)

    def test_fitted_line_in_words(self):
        machine = models.machine_from_pingpong(self.file(self.partner(1, 2e-6, 0.125e-9)))
        self.assertEqual(machine, Machine(2e-6, 1e-9, 1e-9))  # 8 bytes of 0.125 ns

    def test_partner_of_the_largest_latency(self):
        near, far = self.partner(1, 1e-6, 1e-9), self.partner(7, 5e-6, 0.5e-9)
        for path in (self.file(near, far), self.file(far, near)):
            self.assertEqual(models.machine_from_pingpong(path), Machine(5e-6, 4e-9, 1e-9))

    def test_no_file(self):
        path = self.written("").with_name("none.json")
        self.fails("No such file or directory, expected a file of hf-bench pingpong", path)

    def test_other_files(self):
        self.fails("no file of hf-bench pingpong: Expecting value: line 1 column 1 (char 0)", self.written("alpha = 1"))
        for other in ([], 3, {}, {"program": "hf"}):
            self.fails("no file of hf-bench pingpong", self.written(other))
        self.fails("a file of hf-bench counter, expected one of hf-bench pingpong",
                   self.written({"program": "hf-bench", "kernel": "counter", "results": {}}))

    def test_no_partners(self):
        for results in (None, [], {}, {"partners": None}, {"partners": []}):
            self.fails("no partners in results, expected one or more",
                       self.written({"program": "hf-bench", "kernel": "pingpong", "results": results}))

    def test_partner_without_a_line(self):
        whole = self.partner(1, 1e-6, 1e-9)
        broken = [{key: value for key, value in whole.items() if key != name} for name in ("fitted", "damaged_bytes")]
        for partner in (*broken, {**whole, "fitted": None}, {**whole, "fitted": {"alpha_seconds": 1e-6}}, "partner"):
            self.fails("a partner without fitted alpha_seconds, beta_seconds_per_byte or damaged_bytes",
                       self.file(whole, partner))

    def test_damaged_messages(self):
        self.fails("12 bytes arrived damaged, expected none",
                   self.file(self.partner(1, 1e-6, 1e-9), self.partner(3, 1e-6, 1e-9, damaged=12.0)))

    def test_line_that_is_none(self):
        for alpha, beta in ((-1e-7, 1e-9), (0, 1e-9), (None, 1e-9), (1e-6, -1e-12), (1e-6, "1e-9"), (math.nan, 1e-9),
                            (math.inf, 1e-9)):
            self.fails(f"the fitted alpha_seconds is {alpha} and beta_seconds_per_byte is {beta}, "
                       "expected numbers above 0", self.file(self.partner(1, 1e-6, 1e-9), self.partner(2, alpha, beta)))

    def test_machine_that_cannot_be(self):
        self.refuses("alpha_seconds is -1.0, expected 0 or more", Machine, -1.0, 0.0, 0.0)
        self.refuses("beta_seconds_per_word is -1.0, expected 0 or more", Machine, 0.0, -1.0, 0.0)
        self.refuses("gamma_seconds is nan, expected 0 or more", Machine, 0.0, 0.0, math.nan)

    def test_machine_does_not_change(self):
        with self.assertRaises(AttributeError):
            ROUND.alpha_seconds = 1.0


class Mp2(Numbers):
    DIMER = models.Transformation(book.MP2_FUNCTIONS, book.MP2_SHELLS, book.MP2_OCCUPIED, 206)
    P1 = Machine(book.P1_ALPHA, book.P1_PER_WORD, 0.0)
    P2 = Machine(book.P2_ALPHA, book.P2_PER_WORD, 0.0)
    SMALL = models.Transformation(4, 2, 2, 2)

    def seconds(self, algorithm, n_process):
        machine = self.P1 if algorithm == "p1" else self.P2
        return models.transformation_seconds(algorithm, machine, self.DIMER, book.MP2_SECONDS, n_process)

    def speedup(self, algorithm, n_process):
        return book.MP2_SECONDS / self.seconds(algorithm, n_process)

    def test_equations_9_10_to_9_14_with_the_parameters_of_the_book(self):
        ethernet = Machine(book.ETHERNET_ALPHA, book.ETHERNET_PER_WORD, 0.0)
        for row in book.MP2_MODELS:
            p = row.n_process
            for found, expected in ((self.seconds("p1", p), row.p1_seconds), (self.speedup("p1", p), row.p1_speedup),
                                    (self.seconds("p2", p), row.p2_seconds), (self.speedup("p2", p), row.p2_speedup),
                                    (book.MP2_SECONDS / models.transformation_seconds("p2", ethernet, self.DIMER, book.MP2_SECONDS, p),
                                     row.p2_ethernet_speedup)):
                self.assertAlmostEqual(found, expected, delta=0.051)

    def test_crossing_and_largest_speedup(self):
        crossing = next(p for p in range(2, 100) if self.seconds("p2", p) <= self.seconds("p1", p))
        self.assertEqual(crossing, book.MP2_CROSSING)
        largest, at = max((self.speedup("p1", p), p) for p in range(1, 3000))
        self.assertAlmostEqual(largest, book.P1_LARGEST_SPEEDUP, delta=0.051)
        self.assertEqual(at, book.P1_LARGEST_AT)

    def test_by_hand(self):
        """n = 4, 2 shells, o = v = 2; alpha 10 us, beta 8 ns, gamma 2 ns. P1 on 4: 4 x 2 x 10 us, and 3/4 of 128 words
        of 9 ns. P2: 16 x 3/16 = 3 messages of 8 words. kets: 3 messages of 1 orbital, and 3/16 of 32 words. pairs: 3
        messages and 3/16 of 32 words."""
        near = {"p1": 80e-6 + 96 * 9e-9, "p2": 3 * (10e-6 + 64e-9), "kets": 30e-6 + 6 * 8e-9, "pairs": 30e-6 + 6 * 8e-9}
        for algorithm, seconds in near.items():
            self.near(models.transformation_seconds(algorithm, ROUND, self.SMALL, 4.0, 4), 1.0 + seconds)
            self.near(models.transformation_seconds(algorithm, ROUND, self.SMALL, 4.0, 1), 4.0)

    def test_words_and_operations(self):
        """Of the dimer, as docs/measurements/mp2.md has them."""
        words = {name: models.transformation_words(name, self.DIMER) for name in models.TRANSFORMATION_SECONDS}
        self.near(words["kets"][0], 4.2e8, 0.01)
        self.near(words["kets"][1], 4.2e8, 0.01)
        self.near(words["pairs"][1], 1.2e8, 0.03)
        self.near(words["p2"][1], 2.4e10, 0.02)
        self.near(words["p1"][1], 58 * 264**3 / 2)
        self.assertEqual(models.transformation_operations("p2", self.SMALL), 512 + 256 + 128 + 64)
        self.assertEqual(models.transformation_operations("kets", self.SMALL), 512 + 256 + 128 + 64)
        for i, batches in enumerate((1, 2)):
            kept = models.transformation_words("kets", self.SMALL._replace(n_batch=batches))[0]
            self.assertEqual(kept, (32, 16)[i])


class LocalMp2(Numbers):
    def test_by_hand(self):
        """alpha 10 us, beta 8 ns; 1000 words on 4: 3 messages and 250 words; 2 steps and 750 words."""
        self.near(models.redistribution_seconds(ROUND, 1000, 4), 30e-6 + 250 * 8e-9)
        self.near(models.replication_seconds(ROUND, 1000, 4), 20e-6 + 750 * 8e-9)
        for model in (models.redistribution_seconds, models.replication_seconds):
            self.assertEqual(model(ROUND, 1000, 1), 0.0)
            self.refuses("n_word is -1, expected 0 or more", model, ROUND, -1, 2)
            self.refuses("the number of processes is 0, expected 1 or more", model, ROUND, 10, 0)

    def test_redistribution_scales_and_replication_does_not(self):
        """Section 10.3.1 and 10.3.2: the share of the former stays the same for all p but for latencies, the latter takes the
        same time for large p."""
        machine = Machine(0.0, 8e-9, 0.0)
        self.near(10 * models.redistribution_seconds(machine, 1e8, 100), models.redistribution_seconds(machine, 1e8, 10))
        self.near(models.replication_seconds(machine, 1e8, 100), models.replication_seconds(machine, 1e8, 10), 0.11)
        self.assertGreater(models.replication_seconds(machine, 1e8, 100), models.replication_seconds(machine, 1e8, 10))

    def test_speedups_of_the_book(self):
        """If Eq. 10.8 alone holds the iterations back to 52 on 100 processes (Fig. 10.4), it leaves them nearly linear on few, 7.5
        of 8, which is what the figure has; it limits them to 107."""
        told = book.LOCAL_MP2["uracil dimer"]
        lost = 1.0 / told.iterations - 1.0 / told.n_process  # of the time of one process
        machine = Machine(0.0, lost * told.n_process / (told.n_process - 1), 0.0)
        speedup = {p: 1.0 / (1.0 / p + models.replication_seconds(machine, 1.0, p)) for p in (8, 100, 1e9)}
        self.near(speedup[100], 52.0)
        self.near(speedup[8], 7.5, 0.01)
        self.near(speedup[1e9], 107.3, 0.01)


if __name__ == "__main__":
    unittest.main()
