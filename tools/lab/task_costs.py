"""Tasks as hf's schedulers know them: in falling levels of cost, a byte each (src/schedule/task_levels.h), dealt to ranks
in even shares (src/schedule/deal.c) or cut into chunks (src/schedule/chunks.c)."""

import bisect
import math
import operator

N_LEVEL, LEVELS_PER_OCTAVE = 256, 8
HIGHEST = 224  # level of the dearest task

MOST_HALVINGS, LAST_CHUNKS = 8, 4
MOST_CATCHING_UP = 2
MOST_GROUPS_ASKED = 4


def level_cost(level):
    return 2.0 ** (level / LEVELS_PER_OCTAVE)


def levels_of(costs):
    """Levels of costs in any unit: 0, that is nothing to do, for those that are 0, unless all are."""
    dearest = max(costs, default=0.0)
    if dearest == 0.0:
        return [1] * len(costs)
    return [max(1, round(HIGHEST + LEVELS_PER_OCTAVE * math.log2(cost / dearest))) if cost > 0.0 else 0
            for cost in costs]


class CostList:
    """Runs of tasks of equal level, falling. `order` has the task at each position."""

    def __init__(self, levels):
        by_level = {}
        for task, level in enumerate(levels):
            if level > 0:
                by_level.setdefault(level, []).append(task)
        self.order, self.first, self.cost, self.before = [], [], [], []
        self.total = 0.0
        for level in sorted(by_level, reverse=True):
            self.first.append(len(self.order))
            self.cost.append(level_cost(level))
            self.before.append(self.total)
            self.order += by_level[level]
            self.total += len(by_level[level]) * level_cost(level)
        self.first.append(len(self.order))

    @property
    def n_task(self):
        return len(self.order)

    def at(self, position):
        return self.cost[bisect.bisect_right(self.first, position, 0, len(self.cost)) - 1]

    def position(self, cost):
        """The position before which tasks of about that cost lie."""
        if not self.cost:
            return 0
        run = max(0, bisect.bisect_right(self.before, cost) - 1)
        position = self.first[run] + math.floor((cost - self.before[run]) / self.cost[run] + 0.5)
        return min(position, self.first[run + 1])


class Chunks:
    """Chunks of a list for so many workers, in stages of half of what is left."""

    def __init__(self, tasks, n_worker):
        self.tasks, self.n_worker, self.n_halving = tasks, n_worker, 0
        left = tasks.n_task
        while self.n_halving < MOST_HALVINGS:
            then = tasks.n_task - tasks.position(tasks.total * (1.0 - 2.0 ** -(self.n_halving + 1)))
            if then < LAST_CHUNKS * n_worker:
                break
            left = then
            self.n_halving += 1
        self.one_by_one = left < LAST_CHUNKS * n_worker
        self.n_last = -(-left // n_worker) if self.one_by_one else LAST_CHUNKS

    @property
    def n_round(self):
        """Chunks of each worker."""
        return self.n_halving + self.n_last

    def begin(self, stage, number):
        if self.one_by_one:
            return min(number, self.tasks.n_task)
        left = self.tasks.total * 2.0 ** -stage
        chunk = 0.5 * left / self.n_worker if stage < self.n_halving else left / (self.n_worker * self.n_last)
        return self.tasks.position(self.tasks.total - left + chunk * number)

    def chunk(self, turn, worker):
        """Positions of the chunk of a worker in its turn, as a range."""
        stage = min(turn, self.n_halving)
        number = (turn - stage) * self.n_worker + worker
        last_stage = stage == self.n_halving
        begin = self.begin(stage, number)
        if number + 1 < self.n_worker * (self.n_last if last_stage else 1):
            return range(begin, self.begin(stage, number + 1))
        return range(begin, self.tasks.n_task if last_stage else self.begin(stage + 1, 0))

    def all(self):
        """In the order in which they are handed out."""
        return [self.chunk(turn, worker) for turn in range(self.n_round) for worker in range(self.n_worker)]


def deal(tasks, n_rank):
    """Shares of all ranks: lists of progressions [first, stride, count]."""
    shares = [[] for _ in range(n_rank)]
    loads = [(0.0, rank) for rank in range(n_rank)]

    def give_to_first(position, n, cost):
        if n == 0:
            return loads
        for place in range(n):
            shares[loads[place][1]].append([position + place, 1, 1])
        given = [(load + cost, rank) for load, rank in loads[:n]]
        return sorted(given + loads[n:], key=operator.itemgetter(0))  # of equal ones those that were given come first

    for run, cost in enumerate(tasks.cost):
        position, end = tasks.first[run], tasks.first[run + 1]
        for _ in range(MOST_CATCHING_UP):
            poor = bisect.bisect_left(loads, loads[0][0] + cost, key=operator.itemgetter(0))
            if position == end or poor == n_rank:
                break
            poor = min(poor, end - position)
            loads = give_to_first(position, poor, cost)
            position += poor
        each = (end - position) // n_rank
        if each > 0:
            for place, (_, rank) in enumerate(loads):
                shares[rank].append([position + place, n_rank, each])
            position += each * n_rank
        loads = give_to_first(position, end - position, cost)
    return shares


def split(tasks, share, most):
    """Takes about half the cost of a share, of which the first task stays; what is left of it, and the part taken."""
    kept, taken, mine, theirs = 0.0, 0.0, [], []
    for first, stride, count in share:
        even, odd = [first, 2 * stride, (count + 1) // 2], [first + stride, 2 * stride, count // 2]
        if len(theirs) == most:
            mine.append([first, stride, count])
            continue
        cost = tasks.at(first)
        stays, goes = (odd, even) if kept > taken else (even, odd)
        kept += cost * stays[2]
        taken += cost * goes[2]
        if goes[2] > 0:
            theirs.append(goes)
        if stays[2] > 0:
            mine.append(stays)
    return mine, theirs


def size(share):
    return sum(count for _, _, count in share)


def n_group(n_rank, group, alone, least):
    """Groups of ranks, each with a counter or manager (hf_schedule_n_group); `group`: ranks of one, 0: automatic."""
    if group < 1:
        if n_rank <= alone:
            return 1
        group = max(least, math.isqrt(n_rank))
    return -(-n_rank // group)


def n_asked(groups):
    """Groups that a rank asks for work: its own and some that follow it (hf_n_group_asked)."""
    return min(groups, MOST_GROUPS_ASKED)


def first_of_group(n_rank, groups, group):
    return n_rank * group // groups


def group_of_rank(n_rank, groups, rank):
    group = rank * groups // n_rank
    while first_of_group(n_rank, groups, group + 1) <= rank:
        group += 1
    return group
