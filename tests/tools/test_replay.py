#!/usr/bin/env python3
"""tools/lab/replay.py against rounds and sums that are known beforehand, its constants against those of the C sources.

Usage: test_replay.py [unittest options]
"""

import random
import re
import unittest
from unittest import mock

from tool_test import ROOT
from lab import replay, replay_base, replay_steal, task_costs
from lab.replay import Network, SCHEDULERS, lower_bound, simulate
from lab.trace import BLOCK_J, BLOCK_K
from lab.traffic import Cache, Line, Traffic, cache_budget

IDEAL = Network(0, 0, 0, 0, 0, look_seconds=0)
CLUSTER = Network(alpha_seconds=1.5e-6, beta_seconds_per_byte=1e-10, counter_seconds=3e-6,
                  counter_service_seconds=2e-7, manager_service_seconds=1e-6)


def some_costs(n_task, seed=1, scale=1e-3, spread=1.0):
    """Estimated costs fall, measured ones not quite."""
    generator = random.Random(seed)
    falling = sorted((generator.lognormvariate(0, spread) for _ in range(n_task)), reverse=True)
    return [scale * cost * generator.uniform(0.7, 1.4) for cost in falling]


def greedy(costs, n_worker, chunks):
    """Rank of each task and the end, if whoever is free first, the lower rank first, gets the next chunk at once."""
    free, owner = [0] * n_worker, [0] * len(costs)
    for chunk in chunks:
        if len(chunk) > 0:
            rank = free.index(min(free))
            free[rank] += sum(costs[chunk.start:chunk.stop])
            owner[chunk.start:chunk.stop] = [rank] * len(chunk)
    return owner, max(free)


def equal_chunks(n_task, n_worker):
    """Chunks of tasks of equal cost."""
    return task_costs.Chunks(task_costs.CostList([1] * n_task), n_worker).all()


class Sources(unittest.TestCase):
    """Numbers that hf and its replay both have. The replay has the rest of src/schedule in words of its own."""

    def test_constants(self):
        for name, expected in {
                "src/schedule/task_levels.h": {"HF_N_TASK_LEVEL": task_costs.N_LEVEL,
                                             "HF_LEVELS_PER_OCTAVE": task_costs.LEVELS_PER_OCTAVE},
                "src/work/costs.c": {"HIGHEST": task_costs.HIGHEST},
                "src/schedule/chunks.c": {"MOST_HALVINGS": task_costs.MOST_HALVINGS, "LAST_CHUNKS": task_costs.LAST_CHUNKS},
                "src/schedule/deal.h": {"HF_MOST_CATCHING_UP": task_costs.MOST_CATCHING_UP},
                "src/schedule/manager.c": {"ALONE": replay.MANAGER_ALONE, "LEAST_GROUP": replay.MANAGER_LEAST_GROUP},
                "src/schedule/counting.c": {"ALONE": replay.COUNTER_ALONE, "LEAST_GROUP": replay.COUNTER_LEAST_GROUP},
                "src/schedule/groups.h": {"HF_MOST_GROUPS_ASKED": task_costs.MOST_GROUPS_ASKED},
                "src/schedule/steal.c": {name: getattr(replay_steal, name) for name in (
                    "ASKED_AT_ONCE", "FIRST_PAUSE_SECONDS", "LONGEST_NAP_NS", "LONGEST_PAUSE_SECONDS", "LOOKS_BEFORE_NAP",
                    "MOST_STOLEN")},
                "src/fock/block_cache.c": {"LEAST_BYTES": "8.0 * 1024.0 * 1024.0"}}.items():
            text = re.sub(r"\s+", " ", (ROOT / name).read_text(encoding="utf-8"))
            for constant, value in expected.items():
                found = re.findall(rf"\b{constant} = ([^,;}}]*[^,;}} ])", text)
                self.assertEqual(found if isinstance(value, str) else list(map(float, found)), [value], f"{name}: {constant}")

    def test_list_of_schedulers(self):
        text = (ROOT / "src" / "schedule" / "schedule.c").read_text(encoding="utf-8")
        listed = re.search(r"hf_scheduler_list\[\] = \{(.*?), NULL\s*\}", text, re.DOTALL).group(1)
        self.assertEqual(tuple(re.findall(r"hf_schedule_(\w+)", listed)), SCHEDULERS)


class Rounds(unittest.TestCase):
    """Rounds that were compared with simulations of src/schedule/*.c call by call (commit 7296227): tasks of each rank,
    messages and seconds."""

    def check(self, outcome, n_task_of_rank, n_message, seconds):
        counted = [list(outcome.assignment).count(rank) for rank in range(outcome.n_rank)]
        self.assertEqual((counted, outcome.n_message, round(outcome.seconds, 6)), (n_task_of_rank, n_message, seconds))

    def test_manager_and_counter_in_whole_seconds(self):
        generator, network = random.Random(3), Network(2, 0.25, 5, 1, 2, 4)
        costs = [generator.randint(1, 30) for _ in range(200)]
        for name, group, *expected in (
                ("manager", 0, [0, 32, 31, 33, 35, 36, 33], 106, 658.0),
                ("manager", 3, [0, 44, 0, 49, 0, 54, 53], 94, 964.0),
                ("counter", 0, [34, 26, 27, 25, 29, 29, 30], 50, 529.0),
                ("counter", 3, [29, 25, 28, 26, 33, 28, 31], 50, 533.0)):
            with self.subTest(name=name, group=group):
                self.check(simulate(name, costs, 7, network, [0, 7, 0, 0, 31, 0, 2], group=group), *expected)

    def test_thefts(self):
        outcome = simulate("steal", some_costs(300, 8), 7, CLUSTER, [1e-5 * (rank * rank % 7) for rank in range(7)])
        self.check(outcome, [35, 41, 44, 43, 49, 44, 44], 40, 0.077708)


class Thieves(unittest.TestCase):
    def test_looks_of_an_idle_rank(self):
        looks, now, nap = [], 5.0, 20000
        for look in range(150):
            looks.append(now)
            now += 0.5e-6 if look < 100 else 1e-9 * nap
            nap += nap // 4 if look >= 100 and nap < 50000 else 0
        for before, look in zip(looks, looks[1:]):
            self.assertAlmostEqual(replay_steal.next_look(5.0, 0.5 * (before + look)), look, delta=1e-9)
            self.assertAlmostEqual(replay_steal.next_look(5.0, look), look, delta=1e-9)
            self.assertAlmostEqual(replay_steal.look_after(5.0, before), look, delta=1e-9)
        self.assertEqual(replay_steal.next_look(5.0, 4.0), 5.0)

    def pooled_and_single(self, costs, begin):
        with mock.patch.object(replay_steal, "EXACT_RANKS", len(begin) - 1):
            pooled = simulate("steal", costs, len(begin), CLUSTER, begin, levels=[1] * len(costs))
        with mock.patch.object(replay_steal, "EXACT_RANKS", len(begin)):
            return pooled, simulate("steal", costs, len(begin), CLUSTER, begin, levels=[1] * len(costs))

    def test_a_pool_of_thieves_does_what_they_do_one_by_one(self):
        for seed in range(4):
            pooled, single = self.pooled_and_single(some_costs(900, seed, 5e-3), [0.0] * 300)
            self.assertAlmostEqual(pooled.seconds, single.seconds, delta=0.05 * single.seconds)
            self.assertNotEqual(pooled.n_message, single.n_message)

    def test_a_pool_of_thieves_asks_as_often_and_finds_the_busy_ranks_as_soon(self):
        """A thief asks until it comes to a busy rank, which does not answer before the end."""
        for n_busy, seconds in ((1, 0.1), (10, 1.0)):
            generator, n_message = random.Random(6), [0, 0]
            for _ in range(5):
                busy = generator.sample(range(300), n_busy)
                begin = [seconds if rank in busy else 0.0 for rank in range(300)]
                for i, outcome in enumerate(self.pooled_and_single([0.0] * 600, begin)):
                    n_message[i] += outcome.n_message
            self.assertAlmostEqual(n_message[0], n_message[1], delta=0.25 * n_message[1])


class Ideal(unittest.TestCase):
    """Networks without latency, and sums that are known beforehand."""

    def test_static_is_even_by_cost(self):
        costs = some_costs(1000)
        for n_rank in (1, 7, 100):
            outcome = simulate("static", costs, n_rank, CLUSTER, [0.5] * n_rank)
            self.assertAlmostEqual(sum(outcome.busy), sum(costs))
            self.assertAlmostEqual(outcome.seconds, 0.5 + max(outcome.busy))
            self.assertLess(max(outcome.busy) - min(outcome.busy), 1.1 * max(costs))
            self.assertEqual((outcome.n_message, max(outcome.wait)), (0, 0.0))

    def test_shares(self):
        """By hand: costs 8 4 2 1 for two ranks."""
        tasks = task_costs.CostList([25, 17, 9, 1])
        self.assertEqual(task_costs.deal(tasks, 2), [[[0, 1, 1]], [[1, 1, 1], [2, 1, 1], [3, 1, 1]]])
        for n_task, n_rank in ((0, 3), (1, 3), (100, 7), (1000, 13), (50, 80)):
            for levels in ([1] * n_task, task_costs.levels_of(some_costs(n_task))):
                shares = task_costs.deal(task_costs.CostList(levels), n_rank)
                given = sorted(first + k * stride for share in shares for first, stride, n in share for k in range(n))
                self.assertEqual(given, list(range(n_task)))

    def test_empty_tasks_are_not_handed_out(self):
        for name in SCHEDULERS:
            outcome = simulate(name, [1.0, 0.0, 2.0, 0.0], 2, CLUSTER)
            self.assertEqual([rank < 0 for rank in outcome.assignment], [False, True, False, True])

    def test_manager_and_counter_are_greedy_over_their_chunks(self):
        """Equal tasks; the first chunks go one to each."""
        for n_worker, n_task in ((1, 10), (4, 100), (3, 5000), (9, 1000)):
            costs, chunks = [1.0] * n_task, equal_chunks(n_task, n_worker)
            _, seconds = greedy(costs, n_worker, chunks)
            outcome = simulate("manager", costs, n_worker + 1, IDEAL)
            self.assertAlmostEqual(outcome.seconds, seconds)
            n_first = sum(len(chunk) == 0 for chunk in chunks[:n_worker])
            n_chunk = sum(len(chunk) > 0 for chunk in chunks)
            self.assertEqual(outcome.n_message, 2 * (n_chunk + n_first))
            self.assertAlmostEqual(simulate("counter", costs, n_worker, IDEAL).seconds, seconds)

    def test_chunks(self):
        """Half of the tasks in as many chunks as there are workers, and so on; all of them, in order."""
        self.assertEqual([len(chunk) for chunk in equal_chunks(64, 2)], [16, 16, 8, 8, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1])
        for n_task in (0, 1, 199, 1000, 12345):
            for n_rank in (1, 3, 40):
                tasks = [task for chunk in equal_chunks(n_task, n_rank) for task in chunk]
                self.assertEqual(tasks, list(range(n_task)))

    def test_a_thief_takes_every_other_task(self):
        """Of each level; of single tasks that one who has less."""
        tasks = task_costs.CostList([1] * 28)
        self.assertEqual(task_costs.split(tasks, [[2, 5, 6]], 9), ([[2, 10, 3]], [[7, 10, 3]]))
        self.assertEqual(task_costs.split(tasks, [[2, 5, 1]], 9), ([[2, 10, 1]], []))
        tasks = task_costs.CostList([17, 9, 9, 1])
        self.assertEqual(task_costs.split(tasks, [[0, 1, 1], [1, 1, 2], [3, 1, 1]], 9),
                         ([[0, 2, 1], [2, 2, 1]], [[1, 2, 1], [3, 2, 1]]))

    def test_a_tour_goes_once_round_all_others(self):
        """Neighbours first; those who are known to have nothing are left out until nobody else is left."""
        for n_rank, near in ((2, 1), (3, 1), (10, 5), (36, 4)):
            rank = replay_steal.Rank(1, [])
            others = [number for number in range(n_rank) if number != 1]
            for _ in range(3):
                victims = []
                for _ in others:
                    victims.append(rank.next_victim(n_rank, near))
                    rank.empty.add(victims[-1])
                self.assertEqual(sorted(victims), others)
                self.assertEqual(sorted(victims[:near - 1]), [number for number in range(near) if number != 1 and near > 1])

    def test_pauses_grow_until_there_are_tasks(self):
        tasks = task_costs.CostList([1] * 9)
        round_of_20 = replay_steal.StealRound([1.0] * 9, tasks, CLUSTER, replay.Outcome(20, 9, [0.0] * 20))
        rank = round_of_20.ranks[8]
        for _ in range(2):
            pauses = [rank.pause_seconds(20) for _ in range(25)]
            self.assertEqual(pauses[:7], [0.0] * 7)
            for i, pause in enumerate(pauses[7:]):
                self.assertLessEqual(abs(pause / min(20e-6 * 2 ** i, 2e-3) - 1.0), 0.5)
            round_of_20.become_idle(rank, 1.0)
            rank.coming = [[8, 20, 1]], 0
            round_of_20.take_part(rank, 2.0)

    def test_thieves_help_a_rank_that_begins_late(self):
        costs = [0.01] * 160
        begin = [0.0] * 8
        begin[3] = 0.1
        outcome = simulate("steal", costs, 8, CLUSTER, begin)
        self.assertLess(list(outcome.assignment).count(3), 20)
        self.assertLess(outcome.seconds, 0.25)
        self.assertAlmostEqual(simulate("static", costs, 8, CLUSTER, begin).seconds, 0.3)

    def test_thieves_share_the_load_of_one_rank(self):
        costs = [0.001 if task % 4 == 1 else 0.0 for task in range(400)]
        outcome = simulate("steal", costs, 4, CLUSTER, levels=[1] * 400)
        self.assertAlmostEqual(outcome.seconds, 0.025, delta=0.005)
        self.assertLess(outcome.imbalance, 1.15)


class Properties(unittest.TestCase):
    def test_every_task_once_and_no_time_lost(self):
        home = Network(1.5e-6, 1e-10, 3e-6, 2e-7, 1e-6, counter_needs_home=True)
        for name in SCHEDULERS:
            for network in (IDEAL, CLUSTER, home):
                for n_task, n_rank in ((0, 1), (0, 4), (1, 4), (50, 1), (50, 2), (700, 5), (3000, 200), (150, 300)):
                    with self.subTest(name=name, network=network, n_task=n_task, n_rank=n_rank):
                        costs = some_costs(n_task)
                        begin = [1e-4 * (rank % 3) for rank in range(n_rank)]
                        self.check(simulate(name, costs, n_rank, network, begin), costs)

    def check(self, outcome, costs):
        busy = [0.0] * outcome.n_rank
        for rank, cost in zip(outcome.assignment, costs):
            busy[rank] += cost
        for rank in range(outcome.n_rank):
            self.assertAlmostEqual(outcome.busy[rank], busy[rank])
            in_finish = outcome.seconds - outcome.begin[rank] - busy[rank] - outcome.wait[rank]
            self.assertGreater(in_finish, -1e-9)
            self.assertGreaterEqual(outcome.wait[rank], 0.0)
        self.assertGreaterEqual(outcome.seconds * (1 + 1e-12), lower_bound(costs, outcome.n_rank))
        self.assertLessEqual(outcome.efficiency, 1 + 1e-9)
        self.assertGreaterEqual(outcome.imbalance, 1 - 1e-9)

    def test_a_manager_does_no_tasks(self):
        costs = some_costs(500)
        outcome = simulate("manager", costs, 6, CLUSTER)
        self.assertEqual(outcome.busy[0], 0.0)
        self.assertGreaterEqual(outcome.seconds, lower_bound(costs, 6, manager=True))
        self.assertAlmostEqual(outcome.wait[0], outcome.seconds, delta=1e-4)

    def test_one_rank(self):
        costs = some_costs(1000)
        for name in SCHEDULERS:
            outcome = simulate(name, costs, 1, CLUSTER, [0.25])
            own = 2e-7 * 20 if name == "counter" else 0.0
            self.assertAlmostEqual(outcome.seconds, 0.25 + sum(costs) + own, delta=own + 1e-9)
            self.assertAlmostEqual(outcome.efficiency, 1.0, places=3)
            self.assertEqual(outcome.n_message, 0)

    def test_each_chunk_costs_a_worker_two_latencies(self):
        """And so does the end."""
        slow = Network(1e-3, 0, 0, 0, 0)
        costs = [0.01] * 150
        n_chunk = task_costs.Chunks(task_costs.CostList(task_costs.levels_of(costs)), 1).n_round
        self.assertAlmostEqual(simulate("manager", costs, 2, slow).seconds, 1.5 + n_chunk * 2e-3)

    def test_a_dear_task_keeps_no_other_waiting(self):
        """Whoever has it asks when it is done."""
        costs = [1.0] + [0.01] * 100
        self.assertAlmostEqual(simulate("manager", costs, 4, Network(1e-6, 0, 0, 0, 1e-6)).seconds, 1.0, delta=1e-3)

    def test_ranks_ask_few_groups(self):
        """Of 500 counters of two ranks each."""
        asked = simulate("counter", [0.0] * 4000, 1000, CLUSTER, group=2).n_message
        self.assertLessEqual(asked, 1000 * task_costs.MOST_GROUPS_ASKED)

    def test_the_end_of_a_round(self):
        slow = Network(1.0, 0, 0, 0, 0)
        self.assertEqual(simulate("static", [], 5, slow).seconds, 0.0)
        self.assertEqual(simulate("manager", [], 5, slow).seconds, 2.0)
        self.assertEqual(simulate("counter", [], 5, slow).seconds, 2 * 3.0)
        # wave, the answer that a thief may wait for, barrier
        self.assertAlmostEqual(simulate("steal", [], 5, slow).seconds, 6.0 + 1.0 + 3.0, delta=1e-3)

    def test_contention(self):
        for name, network in (("manager", Network(0, 0, 0, 0, 0.5)), ("counter", Network(0, 0, 0.5, 0.5, 0)),
                              ("counter", Network(0, 0, 0.5, 0.5, 0, counter_needs_home=True))):
            outcome = simulate(name, [0.0] * 100, 50, network)
            n_worker = 49 if name == "manager" else 50
            first = n_worker  # chunks that are known without asking
            self.assertAlmostEqual(outcome.seconds, 0.5 * (len(equal_chunks(100, n_worker)) - first + n_worker),
                                   delta=0.5 * n_worker)

    def test_latency_costs_time(self):
        for name in SCHEDULERS[1:]:
            seconds = [simulate(name, [0.01] * 103, 10, Network(alpha, 0, 2 * alpha, 0, 0)).seconds
                       for alpha in (0, 1e-5, 1e-4, 1e-3, 1e-2)]
            self.assertEqual(seconds, sorted(seconds), name)
            self.assertLess(seconds[0], seconds[-1], name)

    def test_others_wait_for_a_busy_home_of_the_counter(self):
        costs = [1.0] * 40
        quick = simulate("counter", costs, 4, Network(0, 0, 0.2, 0.1, 0))
        late = simulate("counter", costs, 4, Network(0, 0, 0.2, 0.1, 0, counter_needs_home=True))
        self.assertGreater(late.wait[2], 1.5 * quick.wait[2])
        begin = [5.0, 0.0, 0.0, 0.0]
        late = simulate("counter", costs, 4, Network(0, 0, 0.2, 0.1, 0, counter_needs_home=True), begin)
        self.assertGreater(min(late.wait[1:]), 2.0)

    def test_many_ranks(self):
        costs = some_costs(20000)
        for name in SCHEDULERS:
            for n_rank in (4000, 1000):
                outcome = simulate(name, costs, n_rank, CLUSTER)
                self.check_bounds(outcome, costs)

    def check_bounds(self, outcome, costs):
        self.assertGreaterEqual(outcome.seconds, lower_bound(costs, outcome.n_rank))
        self.assertLess(outcome.seconds, 2 * lower_bound(costs, outcome.n_rank) + 0.05)
        self.assertAlmostEqual(sum(outcome.busy), sum(costs))

    def test_the_same_again(self):
        costs = some_costs(1000)
        for name in SCHEDULERS:
            first, second = (simulate(name, costs, 200, CLUSTER) for _ in range(2))
            self.assertEqual((first.seconds, first.n_message, first.assignment),
                             (second.seconds, second.n_message, second.assignment))

    def test_figures_of_an_outcome(self):
        outcome = simulate("static", [3.0, 1.0], 2, IDEAL, [1.0, 0.0])
        self.assertEqual((outcome.seconds, outcome.work, outcome.efficiency, outcome.imbalance), (4.0, 5.0, 0.625, 1.6))
        nothing = simulate("static", [], 2, IDEAL)
        self.assertEqual((nothing.efficiency, nothing.imbalance), (1.0, 1.0))

    def test_lower_bound(self):
        self.assertEqual(lower_bound([3.0, 2.0, 1.0], 2), 3.0)
        self.assertEqual(lower_bound([2.0, 2.0, 2.0], 2), 3.0)
        self.assertEqual(lower_bound([2.0, 2.0, 2.0], 2, manager=True), 6.0)
        self.assertEqual(lower_bound([2.0, 2.0, 2.0], 1, manager=True), 6.0)
        self.assertEqual(lower_bound([], 3), 0.0)

    def test_steps_of_collective_operations(self):
        network = Network(1.0, 0.5, 0, 0, 0)
        self.assertEqual([network.barrier_seconds(n) for n in (1, 2, 3, 4, 5, 100000)], [0, 1, 2, 2, 3, 17])
        self.assertEqual([network.all_reduce_seconds(n) for n in (1, 8)], [0, 6])
        self.assertEqual(network.message_seconds(4), 3.0)


class Threads(unittest.TestCase):
    """Threads of a rank take its tasks by turns."""

    def test_two_threads_of_one_rank(self):
        """4 | 3, then 2 on the second one at 3, 1 on the first one at 4: both end at 5."""
        for name in SCHEDULERS:
            outcome = simulate(name, [4.0, 3.0, 2.0, 1.0], 1, IDEAL, n_thread=2)
            self.assertEqual((outcome.seconds, outcome.busy[0], outcome.efficiency), (5.0, 10.0, 1.0), name)

    def test_a_static_rank_does_not_help_another(self):
        """Tasks 0 and 3 on the threads of rank 0, 1 and 2 on those of rank 1."""
        outcome = simulate("static", [4.0, 3.0, 2.0, 1.0], 2, IDEAL, [0.5, 0.0], 2)
        self.assertEqual((outcome.seconds, list(outcome.busy)), (4.5, [5.0, 5.0]))

    def test_threads_that_ask_by_turns_are_as_good_as_ranks_without_latency(self):
        generator = random.Random(9)
        for n_rank, n_thread in ((1, 3), (2, 4), (5, 8)):
            costs = [generator.randint(1, 20) + 1e-6 * generator.random() for _ in range(199 * n_rank)]
            _, seconds = greedy(costs, n_rank * n_thread, [range(task, task + 1) for task in range(len(costs))])
            outcome = simulate("counter", costs, n_rank, IDEAL, n_thread=n_thread, levels=[1] * len(costs))
            self.assertAlmostEqual(outcome.seconds, seconds, delta=0.2 * seconds)

    def test_every_task_once_and_no_time_lost(self):
        for name in SCHEDULERS:
            for n_task, n_rank, n_thread in ((0, 3, 2), (1, 3, 2), (700, 5, 4), (3000, 200, 3), (100, 300, 2)):
                with self.subTest(name=name, n_task=n_task, n_rank=n_rank):
                    costs = some_costs(n_task)
                    network = Network(1.5e-6, 1e-10, 3e-6, 2e-7, 1e-6, ranks_per_node=4)
                    outcome = simulate(name, costs, n_rank, network, [1e-4 * (rank % 3) for rank in range(n_rank)],
                                       n_thread)
                    self.assertAlmostEqual(sum(outcome.busy), sum(costs))
                    self.assertNotIn(-1, outcome.assignment)
                    self.assertGreaterEqual(outcome.seconds * (1 + 1e-12),
                                            lower_bound(costs, n_rank, name == "manager", n_thread))
                    self.assertLessEqual(outcome.efficiency, 1 + 1e-9)


class Nodes(unittest.TestCase):
    def test_messages_within_a_node_are_shorter(self):
        """Ranks 0 and 1, 2 and 3 share nodes. A manager far away costs 1 s each way, near ones 0.25 s."""
        network = Network(1.0, 0, 0, 0, 0, ranks_per_node=2, node_alpha_seconds=0.25, node_beta_seconds_per_byte=0)
        outcome = simulate("manager", [], 4, network)
        self.assertEqual((outcome.seconds, list(outcome.wait[1:])), (2.0, [0.5, 2.0, 2.0]))
        self.assertEqual([network.barrier_seconds(n) for n in (1, 2, 4, 5)], [0.0, 0.25, 1.25, 2.25])

    def test_the_counter_is_nearer_to_ranks_of_its_node(self):
        network = Network(1.0, 0.0, 2.0, 0.0, 0.0, ranks_per_node=2, node_alpha_seconds=0.25)
        self.assertEqual(list(simulate("counter", [], 3, network).wait), [0.0, 0.5, 2.0])

    def test_all_schedulers_gain_by_nodes(self):
        costs = some_costs(2000, scale=1e-4)
        for name in SCHEDULERS[1:]:
            flat, nodes = (simulate(name, costs, 40, Network(5e-5, 0, 1e-4, 2e-7, 1e-6, ranks_per_node=n,
                                                             node_alpha_seconds=1e-7)) for n in (1, 40))
            self.assertLess(nodes.seconds, flat.seconds, name)

    def test_cores_that_are_shared(self):
        """Four ranks on two cores: 3 and 1 s of work end as 1 s is over (at 2 s for both), then 2 s alone."""
        self.assertEqual(replay_base.shared_seconds([3.0, 1.0, 1.0, 1.0], 2), 4.0)
        self.assertEqual(replay_base.shared_seconds([3.0, 1.0], 2), 3.0)
        self.assertEqual(replay_base.shared_seconds([], 2), 0.0)
        network = Network(0, 0, 0, 0, 0, look_seconds=0, ranks_per_node=4, cores_per_node=2)
        for name in ("static", "counter", "steal"):
            outcome = simulate(name, [3.0, 1.0, 1.0, 1.0], 4, network)
            self.assertAlmostEqual(outcome.seconds, 4.0, msg=name, delta=1e-3)
            self.assertAlmostEqual(sum(outcome.busy), 6.0)
        outcome = simulate("static", [1.0] * 4, 4, network, [0.5] * 4)
        self.assertEqual((outcome.seconds, outcome.work), (3.0, 6.0))


class Blocks(unittest.TestCase):
    """Distributed matrices: latency 1 s, a byte takes 1/8 s, so a number 1 s."""
    NETWORK = Network(1.0, 0.125, 0, 0, 0, look_seconds=0)

    def traffic(self, blocks, n_rank=2):
        return Traffic({task: [(number, kind, 8.0) for number, kind in found] for task, found in blocks.items()},
                       self.NETWORK, n_rank)

    def numbers_of(self, rank, n):
        """The first blocks that a rank of two owns."""
        traffic = self.traffic({})
        return [number for number in range(50) if traffic.owner(number) == rank][:n]

    def test_owners_are_even(self):
        for n_rank in (2, 7, 100):
            traffic = self.traffic({}, n_rank)
            owned = [0] * n_rank
            for number in range(200 * n_rank):
                owned[traffic.owner(number)] += 1
            self.assertLess(max(owned), 300)
            self.assertGreater(min(owned), 100)

    def test_a_block_comes_once(self):
        """Request, line and latency; the rank's own blocks are here."""
        there, own = self.numbers_of(1, 1)[0], self.numbers_of(0, 1)[0]
        traffic = self.traffic({0: [(there, BLOCK_J), (own, BLOCK_J)], 1: [(there, BLOCK_K)]})
        self.assertEqual(traffic.fetch(0, 0, 10.0, False), 13.0)
        self.assertEqual(traffic.fetch(0, 1, 20.0, True), 20.0)
        self.assertEqual(traffic.n_message, 2)

    def test_blocks_queue_on_the_lines_of_their_owner_and_of_who_asks(self):
        one, two = self.numbers_of(1, 2)
        traffic = self.traffic({0: [(one, BLOCK_J), (two, BLOCK_J)]})
        self.assertEqual(traffic.fetch(0, 0, 0.0, False), 4.0)
        traffic = self.traffic({0: [(0, BLOCK_J)]}, 3)
        owner = traffic.owner(0)
        first, second = (rank for rank in range(3) if rank != owner)
        self.assertEqual([traffic.fetch(rank, 0, 0.0, False) for rank in (first, second)], [3.0, 4.0])

    def test_blocks_of_the_next_task_come_while_this_one_computes(self):
        one, two = self.numbers_of(1, 2)
        traffic = self.traffic({0: [(one, BLOCK_J)], 1: [(two, BLOCK_J)]})
        self.assertEqual(traffic.fetch(0, 0, 0.0, False), 3.0)
        self.assertEqual(traffic.fetch(0, 1, 5.0, True), 6.0)  # asked for at 3

    def test_a_line_is_used_where_it_is_idle(self):
        line = Line()
        self.assertEqual([line.take(*request) for request in ((10.0, 2.0), (0.0, 3.0), (2.0, 1.0), (2.0, 7.0), (11.0, 1.0),
                                                              (1.0, 0.0))],
                         [12.0, 3.0, 4.0, 19.0, 20.0, 4.0])

    def test_sums_go_to_their_owners_at_the_end(self):
        one, two = self.numbers_of(1, 2)
        traffic = self.traffic({0: [(one, BLOCK_J), (two, BLOCK_J), (two, BLOCK_K)]})
        traffic.fetch(0, 0, 0.0, False)
        self.assertEqual(traffic.send_sums([10.0, 0.0]), 10.0 + 3.0 + 1.0)

    def test_caches_keep_what_was_used_last(self):
        """Room for two blocks of 8 bytes, both orientations."""
        cache = Cache(32.0)
        self.assertEqual([cache.touch(number, 8.0) for number in (1, 2, 1, 3, 1, 2)],
                         [(False, []), (False, []), (True, ()), (False, [(2, 8.0)]), (True, ()), (False, [(3, 8.0)])])

    def test_sums_that_leave_the_cache_are_sent_at_once(self):
        one, two = self.numbers_of(1, 2)
        traffic = Traffic({0: [(one, BLOCK_J, 8.0)], 1: [(two, BLOCK_J, 8.0)], 2: [(one, BLOCK_J, 8.0)]}, self.NETWORK, 2, 16.0)
        for task in range(3):
            traffic.fetch(0, task, 10.0 * task, False)
        traffic.send_sums([30.0, 0.0])
        self.assertEqual((traffic.n_fetched, traffic.n_sent), (2, 3))

    def test_room_of_the_source(self):
        """Half of a matrix, a rank's share of one, and 8 MiB between them."""
        self.assertEqual([cache_budget(n, p, r) for n, p, r in ((100, 1, 1), (100, 4, 4), (4096, 2, 1), (4096, 100, 1))],
                         [4e4, 2e4, 2.0**26, 2.0**23])

    def test_rounds(self):
        """Two ranks, two tasks; task 0 needs a block of rank 1: 3 s of waiting, 2 s of work; then its sum goes there. Nothing
        computes less."""
        traffic = self.traffic({0: [(self.numbers_of(1, 1)[0], BLOCK_J)]})
        outcome = simulate("static", [2.0, 1.0], 2, self.NETWORK, traffic=traffic)
        self.assertEqual((outcome.seconds, list(outcome.busy), list(outcome.blocked)), (7.0, [2.0, 1.0], [3.0, 0.0]))
        costs = some_costs(600)
        generator = random.Random(5)
        blocks = {task: [(generator.randrange(40), generator.choice((BLOCK_J, BLOCK_K)), 800.0) for _ in range(6)] for task in range(600)}
        for name in SCHEDULERS:
            for n_rank, n_thread in ((2, 1), (7, 3), (40, 2)):
                plain = simulate(name, costs, n_rank, CLUSTER, n_thread=n_thread)
                outcome = simulate(name, costs, n_rank, CLUSTER, n_thread=n_thread,
                                   traffic=Traffic(blocks, CLUSTER, n_rank))
                self.assertAlmostEqual(sum(outcome.busy), sum(costs))
                self.assertNotIn(-1, outcome.assignment)
                self.assertGreater(sum(outcome.blocked), 0.0)
                self.assertLess(outcome.seconds, plain.seconds + 0.01)


class Errors(unittest.TestCase):
    def refused(self, message, call, *arguments, **options):
        with self.assertRaises(ValueError) as caught:
            call(*arguments, **options)
        self.assertEqual(str(caught.exception), message)

    def test_rounds(self):
        self.refused("unknown scheduler 'dynamic', expected one of static, manager, counter, steal", simulate,
                     "dynamic", [1.0], 2, IDEAL)
        for call in (lambda *arguments: simulate("static", *arguments, IDEAL), lower_bound):
            self.refused("0 ranks, expected at least 1", call, [1.0], 0)
            self.refused("task 1 takes -2.0 seconds, expected a finite number >= 0", call, [1.0, -2.0], 2)
            self.refused("task 0 takes nan seconds, expected a finite number >= 0", call, [float("nan")], 2)
        self.refused("1 beginnings for 2 ranks, expected one for each", simulate, "static", [1.0], 2, IDEAL, [0.0])
        self.refused("0 threads, expected at least 1", simulate, "static", [1.0], 2, IDEAL, None, 0)
        self.refused("beginning of rank 1 takes inf seconds, expected a finite number >= 0", simulate, "static", [1.0],
                     2, IDEAL, [0.0, float("inf")])

    def test_networks(self):
        self.refused("alpha_seconds of the network is -1, expected a finite number >= 0", Network, -1, 0, 0, 0, 0)
        self.refused("look_seconds of the network is inf, expected a finite number >= 0", Network, 0, 0, 0, 0, 0,
                     look_seconds=float("inf"))
        self.refused("ranks_per_node of the network is 0, expected at least 1", Network, 0, 0, 0, 0, 0, ranks_per_node=0)


if __name__ == "__main__":
    unittest.main()
