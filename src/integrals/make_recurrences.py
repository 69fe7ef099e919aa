#!/usr/bin/env python3
"""Writes the vertical recurrences of the two-electron engine as straight-line C.

    make_recurrences.py vertical_flops.h vertical.h gradient_levels.h vertical_1.c ... gradient_levels_1.c ...

with the same number of files of both kinds, of about the same length.

One function for each pair of ranges of levels, e = e_low..e_high of the bra and f = f_low..f_high of
the ket, that two classes of shell pairs can have. It writes [e|f]^0 of all components to an array. With
[e|f]^m short for (e s|f s)^(m), i a direction, e and f components (Obara and Saika, J. Chem. Phys. 84,
3963 (1986), Eq. 39):

    [e+1i|f]^m = PA_i [e|f]^m + WP_i [e|f]^(m+1)
                 + e_i/(2 zeta) ([e-1i|f]^m - rho/zeta [e-1i|f]^(m+1))
                 + f_i/(2 (zeta+eta)) [e|f-1i]^(m+1)

and the same with bra and ket exchanged. The script decides what the loops of recurrence.h look up:
 - Only what a wanted component needs is computed. A component is raised in the direction that needs
   the fewest new components and, of these, the fewest operations; differences are shared.
 - The side with the higher levels (the outer) is built up first, from [0|0]^m; each of its components
   is a block, in which the other side (the inner) is raised.
 - The largest functions serve both orders of their ranges, [e|f] and [f|e]: the numbers of the sides
   are exchanged when they start, and so are the strides of the array.
 - Within a block values are computed depth first, right before their first use, so that they stay in
   registers. A small function is one block. In a large one, values that other blocks need are kept in
   an array, and the compiler is stopped from keeping them in registers.

The text is compiled for every instruction set, width and precision: its numbers are of type `lanes`,
multiples are made by adding, and it contains no constants.

Derivatives (gradient.h) need sums of [e|f]^m with m = 0 and 1, and of those with a lower e or f, weighted with the
density of levels. Their functions add each value to all its sums as soon as it is made. Values that are multiplied by
the same power have a sum of their own, so that each sum is multiplied once.
"""

import functools
import gc
import sys

# Levels of a part of a pair (l_a .. l_a+l_b), or of all parts of merged shells (integrals/shell_pair.h).
SIDES = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (3, 6)]
# Functions with more values than this keep them in memory between blocks: they do not fit in 32
# registers anyway.
LARGE = 300
# Functions with more values than this serve both orders of their ranges, to save compile time; exchanged they are slower.
SHARED = 700
# Functions are made for e_high + f_high up to this: beyond it loops are as fast.
LIMIT = 7
PAIRS = [(bra, ket) for bra in SIDES for ket in SIDES if bra[1] + ket[1] <= LIMIT]
ARGUMENTS = 'const struct lane_quartet *q, lanes *to'
# The same for derivatives.
GRADIENT_LIMIT = 6
# From this e_high + f_high on there is a function for one order of two ranges only, and the caller exchanges the pairs;
# smaller functions take too little time for an exchange.
GRADIENT_EXCHANGED = 4
GRADIENT_PAIRS = [(bra, ket) for bra in SIDES for ket in SIDES if bra[1] + ket[1] <= GRADIENT_LIMIT and
                  (bra[1] + ket[1] < GRADIENT_EXCHANGED or SIDES.index(bra) <= SIDES.index(ket))]
GRADIENT_ARGUMENTS = ('const lanes *bra, const lanes *ket, const struct lane_quartet *q, const lanes *density, '
                      'struct level_sums *sums, lanes *to')
# Functions and members of struct lane_quartet for one side, and the corresponding ones for the other side.
EXCHANGED = {'pa_of': 'qc_of', 'wp_of': 'wq_of', 'one_over_two_zeta_of': 'one_over_two_eta_of',
             'rho_over_zeta': 'rho_over_eta'}
EXCHANGED.update({other: name for name, other in EXCHANGED.items()})


def components(l):
    """Of level l, in the order of integrals/cartesian.h."""
    return [(x, y, l - x - y) for x in range(l, -1, -1) for y in range(l - x, -1, -1)]


def levels(low, high):
    return [a for l in range(low, high + 1) for a in components(l)]


def lowered(a, direction):
    return a[:direction] + (a[direction] - 1,) + a[direction + 1:]


class Step:
    """How one value is made: the direction it is raised in, and the values it needs. A value is (inner
    component, outer component, m)."""

    def __init__(self, value, direction):
        a, b, m = value
        self.inner = sum(a) > 0  # the side that is raised
        self.direction = direction
        raised, other = (a, b) if self.inner else (b, a)
        below = lowered(raised, direction)
        self.first, self.second = self.place(below, other, m), self.place(below, other, m + 1)
        self.needs = [self.first, self.second]
        self.below_power, self.other_power = below[direction], other[direction]
        self.difference = self.cross = None
        if self.below_power:
            low = lowered(below, direction)
            self.difference = self.inner, self.place(low, other, m), self.place(low, other, m + 1)
            self.needs += self.difference[1:]
        if self.other_power:
            self.cross = self.place(below, lowered(other, direction), m + 1)
            self.needs.append(self.cross)
        self.set_of_needs = frozenset(self.needs)

    def place(self, raised, other, m):
        return (raised, other, m) if self.inner else (other, raised, m)

    def cost(self, needed, differences):
        """Operations, each new value counted as three."""
        n = 2 + (self.cross is not None) + 3 * len(self.set_of_needs.difference(needed))
        return n + (self.difference is not None) + (self.difference not in differences)


step_of = functools.lru_cache(None)(Step)  # plans have most steps in common


class Plan:
    """What is computed, and how, for e = e_low..e_high and f = f_low..f_high."""

    def __init__(self, bra, ket):
        self.bra_is_inner = bra[1] <= ket[1]
        self.inner, self.outer = (bra, ket) if self.bra_is_inner else (ket, bra)
        self.rows, self.columns = levels(*bra), levels(*ket)
        self.wanted = self.find_wanted()
        self.steps = {}  # of every value but [0|0]^m
        self.choose_steps()

    def find_wanted(self):
        return [(a, b, 0) for b in levels(*self.outer) for a in levels(*self.inner)]

    def choose_steps(self):
        """Works from the highest values down: values that a step needs are lower."""
        by_level = [[] for _ in range(self.inner[1] + self.outer[1] + 1)]
        needed, differences = set(self.wanted), {None}
        for value in self.wanted:
            by_level[sum(value[0]) + sum(value[1])].append(value)
        for level in range(len(by_level) - 1, 0, -1):
            for value in sorted(by_level[level], key=lambda value: value[2]):
                raised = value[0] if sum(value[0]) else value[1]
                steps = [step_of(value, i) for i in range(3) if raised[i]]
                step = min(steps, key=lambda step: step.cost(needed, differences))
                self.steps[value] = step
                differences.add(step.difference)
                for lower in step.needs:
                    if lower not in needed:
                        needed.add(lower)
                        by_level[sum(lower[0]) + sum(lower[1])].append(lower)

    def n_flop(self):
        """Additions and multiplications for one quartet of primitives: of the values, of the differences that they
        share, and of the multiples of 1/(2 zeta) and the like."""
        n = 0
        differences, multiples = set(), set()
        for step in self.steps.values():
            n_product = 2 + (step.difference is not None) + (step.cross is not None)
            n += 2 * n_product - 1
            if step.difference:
                differences.add(step.difference)
                multiples.update((step.inner, k) for k in range(2, step.below_power + 1))
            if step.cross:
                multiples.update((None, k) for k in range(2, step.other_power + 1))
        return n + 2 * len(differences) + len(multiples)

    def place(self, value):
        """Where a wanted value is: row and column of [components of all e][components of all f]."""
        a, b = value[:2] if self.bra_is_inner else value[1::-1]
        return self.rows.index(a), self.columns.index(b)


class GradientPlan(Plan):
    """What is computed for derivatives: values, and the sums that each is added to."""

    def find_wanted(self):
        self.sums = {}  # of a value: [(member of struct level_sums, power, target)]
        for b in levels(*self.outer):
            for a in levels(*self.inner):
                for m in range(2):
                    self.add_sums(a, b, m)
        return sorted(self.sums, key=lambda value: (sum(value[0]) + sum(value[1]), value[1], value[0], -value[2]))

    def add_sums(self, a, b, m):
        target = (a, b, m)
        sides = ('bra', 'ket') if self.bra_is_inner else ('ket', 'bra')
        self.sums.setdefault(target, []).append((f'energy[{m}]', 1, target))
        for i in range(3):
            if a[i]:
                self.sums.setdefault((lowered(a, i), b, m), []).append((f'{sides[0]}[{m}][{i}]', a[i], target))
            if b[i]:
                self.sums.setdefault((a, lowered(b, i), m), []).append((f'{sides[1]}[{m}][{i}]', b[i], target))

    def n_flop(self):
        return super().n_flop() + 2 * sum(map(len, self.sums.values()))


@functools.lru_cache(None)
def plan_of(kind, bra, ket):
    """Plans are shared by texts and counts."""
    return kind(bra, ket)


class Text:
    """The statements of one function."""

    def __init__(self, plan):
        self.plan = plan
        self.large = len(plan.steps) > LARGE
        self.shared = len(plan.steps) > SHARED
        self.wanted = set(plan.wanted)
        self.names, self.slots, self.constants, self.lines = {}, {}, set(), []
        self.kept = {lower for value, step in plan.steps.items() for lower in step.needs
                     if self.large and lower[1] != value[1] and lower in plan.steps}
        if self.large:
            self.write_blocks()
        else:
            for value in reversed(plan.wanted):
                self.compute(value)

    def write_blocks(self):
        steps = self.plan.steps
        for b in levels(0, self.plan.outer[1]):
            block = [value for value in self.wanted if value[1] == b]
            for value in sorted(block, key=lambda value: (-sum(value[0]), value[0])):
                self.compute(value)
            for value in sorted((value for value in self.kept if value[1] == b),
                                key=lambda value: value[::-1]):
                self.compute(value)
            self.lines.append('HF_END_OF_BLOCK(kept);')
        assert all(value in self.names for value in steps)

    def constant(self, name):
        self.constants.add(name)
        return name

    def compute(self, value):
        """The name of a value; writes its statement unless that was done."""
        if value not in self.names:
            if value in self.plan.steps:
                sum_of_products = self.write_step(self.plan.steps[value], value[1])
                self.names[value] = f't{len(self.names)}'
                self.lines.append(f'const lanes {self.names[value]} = {sum_of_products};')
            else:
                self.names[value] = f'q->s[{value[2]}]'
            if value in self.kept:
                self.slots[value] = len(self.slots)
                self.lines.append(f'kept[{self.slots[value]}] = {self.names[value]};')
            if value in self.wanted:
                self.use(value)
        return self.names[value]

    def use(self, value):
        """Writes a wanted value to its place."""
        row, column = self.plan.place(value)
        place = f'{row} * row + {column} * column' if self.shared else row * len(self.plan.columns) + column
        self.lines.append(f'to[{place}] = {self.names[value]};')

    def name(self, value, b):
        """The name of a value that a statement of block b needs."""
        if self.large and value[1] != b and value in self.slots:
            return f'kept[{self.slots[value]}]'
        return self.compute(value)

    def write_step(self, step, b):
        bra = step.inner == self.plan.bra_is_inner
        centre, weighted, exponent = ('pa', 'wp', 'zeta') if bra else ('qc', 'wq', 'eta')
        axis = 'xyz'[step.direction]
        terms = [f'{self.constant(centre + "_" + axis)} * {self.name(step.first, b)}',
                 f'{self.constant(weighted + "_" + axis)} * {self.name(step.second, b)}']
        if step.difference:
            half = self.constant(f'half_{exponent}_{step.below_power}')
            terms.append(f'{half} * {self.subtract(step.difference, exponent, b)}')
        if step.cross:
            half = self.constant(f'half_sum_{step.other_power}')
            terms.append(f'{half} * {self.name(step.cross, b)}')
        return ' + '.join(terms)

    def subtract(self, difference, exponent, b):
        """The name of a common difference."""
        if difference not in self.names:
            first, second = (self.name(value, b) for value in difference[1:])
            self.names[difference] = f't{len(self.names)}'
            self.lines.append(f'const lanes {self.names[difference]} = '
                              f'{first} - {self.constant("rho_over_" + exponent)} * {second};')
        return self.names[difference]

    def member(self, name, *arguments):
        """A member of struct lane_quartet, or what a function of it returns."""
        names = [name, EXCHANGED[name]] if self.shared and name in EXCHANGED else [name]
        values = [f'{name}({", ".join(["q", *arguments])})' if name.endswith('_of') else f'q->{name}' for name in names]
        return f'exchanged ? {values[1]} : {values[0]}' if len(values) > 1 else values[0]

    def declarations(self):
        lines = []
        for name in sorted(self.constants):
            if name[-2] == '_' and name[-1] in 'xyz':
                lines.append(f'const lanes {name} = {self.member(name[:2] + "_of", str("xyz".index(name[-1])))};')
            elif name.startswith('rho'):
                lines.append(f'const lanes {name} = {self.member(name)};')
        for which in ('zeta', 'eta', 'sum'):
            start = f'half_{which}_'
            most = max((int(name[-1]) for name in self.constants if name.startswith(start)), default=0)
            for k in range(1, most + 1):
                value = f'{start}{k - 1} + {start}1' if k > 1 else self.member(f'one_over_two_{which}_of')
                lines.append(f'const lanes {start}{k} = {value};')
        return lines + ([f'lanes kept[{len(self.slots)}];'] if self.large else [])

    def write(self, bra, ket):
        """The function, or the shared function of both orders."""
        lines = ['    ' + line for line in self.declarations() + self.lines] + ['}', '']
        if not self.shared:
            return '\n'.join([f'void {name_of(bra, ket)}({ARGUMENTS})', '{'] + lines)
        n_row, n_column = len(self.plan.rows), len(self.plan.columns)
        shared = 'shared' + suffix_of(bra, ket)
        lines = [f'static void {shared}({ARGUMENTS}, bool exchanged, size_t row, size_t column)', '{'] + lines
        for order, call in [((bra, ket), f'false, {n_column}, 1'), ((ket, bra), f'true, 1, {n_row}')]:
            lines += [f'void {name_of(*order)}({ARGUMENTS})', '{', f'    {shared}(q, to, {call});', '}', '']
            if bra == ket:
                break
        return '\n'.join(lines)


class GradientText(Text):
    """The statements of a function of derivatives."""

    # Data of one pair are not read from struct lane_quartet, where the two sides differ in type.
    MEMBERS = {'pa_of': 'bra[{}]', 'qc_of': 'ket[{}]', 'one_over_two_zeta_of': 'bra[3]', 'one_over_two_eta_of': 'ket[3]',
               'one_over_two_sum_of': 'q->rho_over_zeta * ket[3]'}

    def __init__(self, plan):
        self.parts = {}  # of a sum: {power: its variable}
        # Contracted levels are written for derivatives of the horizontal recurrence; with one level on each side there
        # are none.
        self.writes = plan.inner[0] < plan.inner[1] or plan.outer[0] < plan.outer[1]
        super().__init__(plan)
        self.shared = False
        for member in sorted(self.parts):
            terms = [variable for power, variable in sorted(self.parts[member].items()) for _ in range(power)]
            self.lines.append(f'sums->{member} = {" + ".join(terms)};')

    def use(self, value):
        """Adds a value to its sums and, if it is a level, writes it."""
        for member, power, target in self.plan.sums[value]:
            row, column = self.plan.place(target)
            product = f'density[{row * len(self.plan.columns) + column}] * {self.names[value]}'
            parts = self.parts.setdefault(member, {})
            if power in parts:
                self.lines.append(f'{parts[power]} += {product};')
            else:
                parts[power] = f'{member.translate(str.maketrans("[]", "__"))}{power}'
                self.lines.append(f'lanes {parts[power]} = {product};')
            if self.writes and value == target and value[2] == 0:
                self.lines.append(f'to[{row * len(self.plan.columns) + column}] = {self.names[value]};')

    def member(self, name, *arguments):
        return self.MEMBERS[name].format(*arguments) if name in self.MEMBERS else super().member(name, *arguments)

    def write(self, bra, ket):
        """The function; sums that nothing is added to are zero."""
        zeros = [f'sums->{member} = (lanes){{0}};'
                 for member in [f'{side}[{m}][{i}]' for side in ('bra', 'ket') for m in range(2) for i in range(3)]
                 if member not in self.parts]
        lines = ['    ' + line for line in self.declarations() + self.lines + zeros]
        lines += [f'    (void){name};' for name in ('bra', 'ket', 'to') if f' {name}[' not in ''.join(lines)]
        return '\n'.join([f'void {gradient_name_of(bra, ket)}({GRADIENT_ARGUMENTS})', '{'] + lines + ['}', ''])


HEADER = '''/* Straight-line vertical recurrences: written by make_recurrences.py. Part of kernels.c.
 *
 * HF_VERTICAL_LIMIT, a number for each instruction set: functions are there for e_high + f_high up to it.
 */
#ifndef HF_VERTICAL_H
#define HF_VERTICAL_H

#include "recurrence_input.h"

/** Writes [e|f]^0, e = e_low..e_high and f = f_low..f_high, of a vector of primitive quartets to `to`
 *  [components of all e][components of all f]. */
typedef void vertical_function(const struct lane_quartet *q, lanes *to);

#define HF_VERTICAL_JOIN(x, y) x##_vertical##y
#define HF_VERTICAL_OF(x, y)   HF_VERTICAL_JOIN(x, y)
#define HF_VERTICAL(y)         HF_VERTICAL_OF(HF_KERNELS, y)

'''

FIND = '''
/** The function of two ranges of levels; NULL: there is noneREST. */
static inline KIND_function *find_KIND(int e_low, int e_high, int f_low, int f_high)
{
    if (e_high > HF_VERTICAL_HIGHEST || f_high > HF_VERTICAL_HIGHEST) return NULL;
    const int bra = vertical_sides[e_low][e_high], ket = vertical_sides[f_low][f_high];
    return bra < 0 || ket < 0 ? NULL : KINDs[bra][ket];
}

#endif
'''

GRADIENT_HEADER = f'''/* Straight-line recurrences for derivatives: written by make_recurrences.py. Part of gradient.h. */
#ifndef HF_GRADIENT_LEVELS_H
#define HF_GRADIENT_LEVELS_H

#include "level_sums.h"
#include "vertical.h"

/** The sums with the density [components of all e][components of all f], e = e_low..e_high and f = f_low..f_high, of a
 *  vector of primitive quartets; [e|f]^0 to `to` if there are several levels on a side. P - A and 1/(2 zeta) are in
 *  `bra`, Q - C and 1/(2 eta) in `ket`; those of q are not read. */
typedef void gradient_function({GRADIENT_ARGUMENTS});

#define HF_GRADIENT_JOIN(x, y) x##_gradient##y
#define HF_GRADIENT_OF(x, y)   HF_GRADIENT_JOIN(x, y)
#define HF_GRADIENT(y)         HF_GRADIENT_OF(HF_KERNELS, y)
'''

SOURCE = '''/* Straight-line recurrences: written by make_recurrences.py. */
#include "HEADER"

/** What was kept is read again from here on. */
#define HF_END_OF_BLOCK(kept) __asm__ volatile("" : : "r"(kept) : "memory")
'''


def suffix_of(bra, ket):
    return f'_{bra[0]}_{bra[1]}_{ket[0]}_{ket[1]}'


def name_of(bra, ket):
    return f'HF_VERTICAL({suffix_of(bra, ket)})'


def gradient_name_of(bra, ket):
    return f'HF_GRADIENT({suffix_of(bra, ket)})'


def declare(pairs, prefix, name_of_pair):
    """Declarations of functions by levels, up to what is compiled, and their table."""
    text = ''
    for level in sorted({bra[1] + ket[1] for bra, ket in pairs}):
        names = [name_of_pair(*pair) for pair in pairs if pair[0][1] + pair[1][1] == level]
        text += f'\n#if HF_VERTICAL_LIMIT >= {level}\n{prefix}_function '
        text += f',\n    '.join(names) + f';\n#define HF_{prefix.upper()}_{level}(x) HF_{prefix.upper()}(x)\n'
        text += f'#else\n#define HF_{prefix.upper()}_{level}(x) NULL\n#endif\n'
    text += f'\nstatic {prefix}_function *const {prefix}s[][{len(SIDES)}] = {{\n'
    for bra in SIDES:
        names = [name_of_pair(bra, ket).replace('(', f'_{bra[1] + ket[1]}(') if (bra, ket) in pairs else 'NULL'
                 for ket in SIDES]
        text += '    {' + ', '.join(names) + '},\n'
    return text + '};\n'


def make_header():
    highest = max(high for _, high in SIDES)
    text = HEADER + f'enum {{ HF_VERTICAL_HIGHEST = {highest} }};\n'
    text += declare(PAIRS, 'vertical', name_of)
    text += '\n/** Index of levels low .. high, [low][high]. */\nstatic const signed char vertical_sides'
    text += '[HF_VERTICAL_HIGHEST + 1][HF_VERTICAL_HIGHEST + 1] = {\n'
    for low in range(highest + 1):
        row = [SIDES.index((low, high)) if (low, high) in SIDES else -1 for high in range(highest + 1)]
        text += '    {' + ', '.join(map(str, row)) + '},\n'
    return text + '};\n' + FIND.replace('KIND', 'vertical').replace('REST', '')


def divide(texts, header, n):
    """n files of about the same length, of (levels, function): the longest functions first, each to the shortest."""
    files = [[] for _ in range(n)]
    for level, text in sorted(texts, key=lambda item: len(item[1]), reverse=True):
        file = min(files, key=lambda file: sum(map(len, file)))
        file.append(f'\n#if HF_VERTICAL_LIMIT >= {level}\n{text}#endif\n')
    return [SOURCE.replace('HEADER', header) + ''.join(file) for file in files]


def make_sources():
    for bra, ket in PAIRS:
        text = Text(plan_of(Plan, bra, ket))
        if not text.shared or PAIRS.index((bra, ket)) <= PAIRS.index((ket, bra)):  # else written with the other order
            yield bra[1] + ket[1], text.write(bra, ket)


def make_gradient_sources():
    for bra, ket in GRADIENT_PAIRS:
        yield bra[1] + ket[1], GradientText(plan_of(GradientPlan, bra, ket)).write(bra, ket)


def make_flops():
    """Operations for all pairs of ranges, also of those without a function."""
    highest = max(high for _, high in SIDES)
    text = '/* Arithmetic of vertical recurrences: written by make_recurrences.py. Part of flops.c. */\n\n'
    text += '/** Additions and multiplications for [e|f]^0, e = e_low..e_high and f = f_low..f_high, of one quartet of\n'
    text += ' *  primitives, [e_low][e_high][f_low][f_high]; 0 where no class of pairs has such ranges. */\n'
    text += f'static const int vertical_flops[{highest + 1}][{highest + 1}][{highest + 1}][{highest + 1}] = {{\n'
    for bra in SIDES:
        for ket in SIDES:
            text += f'    [{bra[0]}][{bra[1]}][{ket[0]}][{ket[1]}] = {plan_of(Plan, bra, ket).n_flop()},\n'
    text += '};\n\n/** The same with m = 0 and 1 and the sums with a density, where straight-line code may do it. */\n'
    text += f'static const int gradient_flops[{highest + 1}][{highest + 1}][{highest + 1}][{highest + 1}] = {{\n'
    for bra, ket in PAIRS:
        pair = (bra, ket) if (bra, ket) in GRADIENT_PAIRS else (ket, bra)
        if pair in GRADIENT_PAIRS:
            text += f'    [{bra[0]}][{bra[1]}][{ket[0]}][{ket[1]}] = {plan_of(GradientPlan, *pair).n_flop()},\n'
    return text + '};\n'


def main():
    gc.disable()  # almost no garbage is made
    paths = sys.argv[1:]
    n = len(paths[3:]) // 2
    texts = [make_flops(), make_header(),
             GRADIENT_HEADER + declare(GRADIENT_PAIRS, 'gradient', gradient_name_of) +
             FIND.replace('KIND', 'gradient').replace('REST', ', perhaps one of the exchanged ranges')]
    texts += divide(make_sources(), 'vertical.h', n) + divide(make_gradient_sources(), 'gradient_levels.h', n)
    for path, text in zip(paths, texts, strict=True):
        with open(path, 'w', encoding='ascii') as file:
            file.write(text)


if __name__ == '__main__':
    main()
