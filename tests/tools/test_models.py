#!/usr/bin/env python3
"""The performance models of tools/lab/models.py against values worked out by hand, and against what the book (Janssen and
Nielsen, Parallel Computing in Quantum Chemistry) says of its examples.

Usage: test_models.py [unittest options]
"""

import json
import math
import unittest

import tool_test
from lab import book, models
from lab.models import Machine, Statistics

ROUND = Machine(10e-6, 8e-9, 2e-9)  # easy numbers: beta + gamma/2 = 9 ns
CHAPTER_7 = Machine(50e-6, 80e-9, 0.0)  # 50 us, 10 ns/byte
CHAPTER_8 = Machine(30e-6, 14e-9, 1e-9)  # 30 us, 14 ns/word
BUTANE_PAIRS = 4656  # cc-pVTZ: 96 shells, 96*97/2
EXCHANGE = 4 + 8  # bytes of the book's request and answer


class Numbers(tool_test.WithFolder):
    def near(self, value, expected, relative=1e-12):
        self.assertLessEqual(abs(value - expected), relative * abs(expected), f"{value!r}, expected {expected!r}")


class Tasks(Numbers):
    def test_statistics_are_those_of_the_whole_population(self):
        # mean 40/8 = 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, 32/8 = 4, sigma = 2
        self.assertEqual(models.statistics_of([2, 4, 4, 4, 5, 5, 7, 9]), Statistics(5.0, 0.4))

    def test_load_imbalance_solves_equation_7_9(self):
        # 1/2 + 1/2 erf(x) = 1 - erfc(x)/2, and its p-th power by logarithms, which lose no digits
        for n_process in (1, 2, 7, 100, 10_000, 100_000, 10**9):
            k = models.load_imbalance_factor(n_process)
            self.near(n_process * math.log1p(-math.erfc(k / math.sqrt(2)) / 2), math.log(models.PROBABILITY))
            if n_process <= 100_000:
                self.near(models.approximate_load_imbalance_factor(n_process), k, 0.011)

    def test_static(self):
        # mu n/p = 0.01*400/4 = 1, sigma sqrt(n/p) = 0.005*10 = 0.05: 1 + 0.05 k; k = 0 for one process
        self.near(models.static_seconds(400, Statistics(0.01, 0.5), 4), 1.0 + 0.05 * models.load_imbalance_factor(4))
        self.near(models.static_seconds(400, Statistics(0.01, 0.5), 1), 4.0)
        # k = 3: numerator 1 + 3*0.5/20 = 1.075, denominator 1 + 3*0.5*sqrt(4/400) = 1.15
        self.near(models.static_efficiency(400, 0.5, 4, lambda n_process: 3.0), 1.075 / 1.15)
        # 93 % on 20 processes, 78 % on 50: the model is "somewhat too low" there; below 60 % around 200
        for n_process, value, measured in ((20, 0.8370415, 0.93), (50, 0.7372371, 0.78), (200, 0.5476640, 0.60)):
            found = models.static_efficiency(BUTANE_PAIRS, 1.1, n_process, models.approximate_load_imbalance_factor)
            self.near(found, value, 1e-6)
            self.assertTrue(measured - 0.1 < found < measured)

    def test_manager(self):
        self.near(models.manager_efficiency(4), 0.75)
        self.assertEqual(models.manager_seconds(ROUND, 3.0, 8, 1, EXCHANGE), 3.0)
        # butane: (4656 + 99)*(2*50 us + 12*10 ns) = 0.4760706 s, the book says 0.48; 2.18 s per worker
        self.near(models.manager_seconds(CHAPTER_7, 0.0, BUTANE_PAIRS, 100, EXCHANGE), 0.4760706)
        self.near(models.manager_seconds(CHAPTER_7, 2.18 * 99, BUTANE_PAIRS, 100, EXCHANGE), 2.18)


class Matrices(Numbers):
    def test_replicated(self):
        # 2*2*10 us + 2*(3/4)*1000*9 ns = 40 us + 13.5 us
        self.near(models.all_reduce_seconds(ROUND, 1000, 4), 53.5e-6)
        # n = 100, J and K: 2*(40 us + (3/4)*10000*9 ns); the density: 40 us + 2*(3/4)*10000*9 ns
        self.near(models.replicated_communication_seconds(ROUND, 100, 4), 390e-6)

    def test_distributed(self):
        # 12*30 us + 12*10**2*14 ns = 376.8 us, 100 quartets each
        self.near(models.distributed_communication_seconds(CHAPTER_8, 1000, 10, 10), 0.03768)
        self.assertEqual(models.distributed_communication_seconds(CHAPTER_8, 1000, 10, 1), 0.0)
        # section 8.4: about 93 % efficiency for the network and the integrals given there
        machine = Machine(book.LATENCY_SECONDS, book.SECONDS_PER_WORD, 0.0)
        quartet = models.distributed_communication_seconds(machine, 2, 10, 2)  # of atoms of 10 functions
        self.assertAlmostEqual(1.0 / (1.0 + quartet / (10**4 * book.INTEGRAL_SECONDS)), 0.93, delta=0.005)


class MachineOfPingpong(Numbers):
    def read(self, *partners):
        """From a file as hf-bench writes it; through_ends differs, so that it shows when it is taken instead."""
        found = [{"damaged_bytes": damaged, "through_ends": {"alpha_seconds": 1.0, "beta_seconds_per_byte": 1.0},
                  "fitted": {"alpha_seconds": alpha, "beta_seconds_per_byte": beta}} for alpha, beta, damaged in partners]
        self.write("p.json", json.dumps({"program": "hf-bench", "kernel": "pingpong", "results": {"partners": found}}))
        return models.line_of_pingpong(self.folder / "p.json")

    def test_partner_of_the_largest_latency(self):
        near, far = (1e-6, 1e-9, 0), (5e-6, 0.5e-9, 0)
        self.assertEqual((self.read(near, far), self.read(far, near)), ((5e-6, 0.5e-9),) * 2)

    def test_what_is_refused(self):
        for partners, message in (([], "no file of hf-bench pingpong"), ([(1e-6, 1e-9, 3)], "bytes arrived damaged"),
                                  ([(1e-6, -1e-9, 0)], "the fitted alpha_seconds is 1e-06 and beta_seconds_per_byte is -1e-09")):
            with self.assertRaisesRegex(ValueError, f"p.json: {message}"):
                self.read(*partners)
        for text in ("alpha = 1", "{}", "[]", '{"results": {"partners": [{}]}}'):
            self.write("x.json", text)
            with self.assertRaisesRegex(ValueError, "x.json: no file of hf-bench pingpong"):
                models.line_of_pingpong(self.folder / "x.json")


class Mp2(Numbers):
    DIMER = models.Transformation(book.MP2_FUNCTIONS, book.MP2_SHELLS, book.MP2_OCCUPIED, 206)
    SMALL = models.Transformation(4, 2, 2, 2)

    def seconds(self, algorithm, n_process, ethernet=False):
        machine = Machine(*((book.P1_ALPHA, book.P1_PER_WORD) if algorithm == "p1" else (book.P2_ALPHA, book.P2_PER_WORD)), 0.0)
        machine = Machine(book.ETHERNET_ALPHA, book.ETHERNET_PER_WORD, 0.0) if ethernet else machine
        return models.transformation_seconds(algorithm, machine, self.DIMER, book.MP2_SECONDS, n_process)

    def test_equations_9_9_to_9_14_with_the_parameters_of_the_book(self):
        for row in book.MP2_MODELS:
            p = row.n_process
            for found, expected in ((self.seconds("p1", p), row.p1_seconds), (book.MP2_SECONDS / self.seconds("p1", p), row.p1_speedup),
                                    (self.seconds("p2", p), row.p2_seconds), (book.MP2_SECONDS / self.seconds("p2", p), row.p2_speedup),
                                    (book.MP2_SECONDS / self.seconds("p2", p, True), row.p2_ethernet_speedup)):
                self.assertAlmostEqual(found, expected, delta=0.051)
        crossing = next(p for p in range(2, 100) if self.seconds("p2", p) <= self.seconds("p1", p))
        largest, at = max((book.MP2_SECONDS / self.seconds("p1", p), p) for p in range(1, 3000))
        self.assertEqual((crossing, at), (book.MP2_CROSSING, book.P1_LARGEST_AT))
        self.assertAlmostEqual(largest, book.P1_LARGEST_SPEEDUP, delta=0.051)

    def test_by_hand(self):
        """n = 4, 2 shells, o = v = 2. P1 on 4: 4 x 2 x 10 us, and 3/4 of 128 words of 9 ns. P2: 16 x 3/16 = 3 messages of 8
        words. kets: 3 messages of 1 orbital, and 3/16 of 32 words. pairs: 3 messages and 3/16 of 32 words. Forces: kets
        twice, and a quarter of half of 16 amplitudes."""
        for algorithm, seconds in {"p1": 80e-6 + 96 * 9e-9, "p2": 3 * (10e-6 + 64e-9), "kets": 30e-6 + 6 * 8e-9,
                                   "pairs": 30e-6 + 6 * 8e-9,
                                   "forces": 60e-6 + 14 * 8e-9}.items():
            self.near(models.transformation_seconds(algorithm, ROUND, self.SMALL, 4.0, 4), 1.0 + seconds)

    def test_words_and_operations(self):
        """Of the dimer, as docs/measurements/mp2.md has them."""
        words = {name: models.transformation_words(name, self.DIMER) for name in models.TRANSFORMATION_SECONDS}
        for name, place, expected in (("kets", 0, 4.2e8), ("kets", 1, 4.2e8), ("pairs", 1, 1.2e8), ("forces", 1, 8.4e8), ("p2", 1, 2.4e10),
                                      ("p1", 1, 58 * 264**3 / 2)):
            self.near(words[name][place], expected, 0.03)
        for name in ("p2", "kets"):
            self.assertEqual(models.transformation_operations(name, self.SMALL), 512 + 256 + 128 + 64)


class LocalMp2(Numbers):
    def test_by_hand(self):
        """alpha 10 us, beta 8 ns; 1000 words on 4: 2 steps and 750 words."""
        self.near(models.replication_seconds(ROUND, 1000, 4), 20e-6 + 750 * 8e-9)


if __name__ == "__main__":
    unittest.main()
