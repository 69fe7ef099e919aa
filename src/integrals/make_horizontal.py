#!/usr/bin/env python3
"""Writes straight-line code from levels of a pair of shells to its functions.

    make_horizontal.py horizontal_functions.h level_functions.h horizontal_flops.h

A function does for one part (ab| of a pair what horizontal.h does with loops: the recurrence
(a b+1| = (a+1 b| + (A - B) (ab| of M. Head-Gordon, J. A. Pople, J. Chem. Phys. 89, 5777 (1988), Eq. 18, then the
solid harmonics of a, then those of b. The components of b come one after the other, each with all components of a,
so that live values stay in the first-level cache; b is lowered in the direction that needs the fewest additional
numbers.

In level_functions.h are the transposes, for to_levels.h: from the density of functions to that of levels.
"""

import math
import sys

# Parts (l_a, l_b) with straight-line code: with both shells Cartesian, and with solid harmonics from d upwards. Loops do
# all other parts, also d of one kind with f of the other kind.
CARTESIAN = [(0, 1), (1, 1), (2, 1), (2, 2), (3, 1)]
SPHERICAL = [(2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3), (4, 0), (4, 1), (4, 2)]

# Highest l_a + l_b of the transposes.
MOST_DENSITY_L = 5

# Highest l_a + l_b of a part that the recurrences take.
MOST_L = 6


def components(l):
    """Powers of x, y, z in the order of hf_cartesian_index."""
    return [(i, j, l - i - j) for i in range(l, -1, -1) for j in range(l - i, -1, -1)]


def changed(component, direction, by):
    """The component with one power more or less."""
    powers = list(component)
    powers[direction] += by
    return tuple(powers)


def moment(n):
    """(n-1)!!, 0 for odd n."""
    return 0.0 if n % 2 else float(math.prod(range(1, n, 2)))


def harmonic(l, m):
    """{monomial: coefficient} as hf_solid_harmonics_init makes them, norm 1 where <x^l | x^l> = 1."""
    row, positive = {}, abs(m)
    for t in range((l - positive) // 2 + 1):
        for u in range(t + 1):
            for twice_v in range(1 if m < 0 else 0, positive + 1, 2):
                y, z = 2 * u + twice_v, l - 2 * t - positive
                sign = -1.0 if (t + twice_v // 2) % 2 else 1.0
                key = (l - y - z, y, z)
                row[key] = row.get(key, 0.0) + (sign * 0.25**t * math.comb(l, t) * math.comb(l - t, positive + t) *
                                                math.comb(t, u) * math.comb(positive, twice_v))
    norm = sum(p * q * math.prod(moment(a + b) for a, b in zip(i, j))
               for i, p in row.items() for j, q in row.items()) / moment(2 * l)
    return {key: value / math.sqrt(norm) for key, value in row.items() if value != 0.0}


def lowered(l_a, l_b):
    """{(a, b): direction to lower b in}, for every (ab| that is needed."""
    needed = [(a, b) for b in components(l_b) for a in components(l_a)]
    chosen = {}
    for level in range(l_b, 0, -1):
        below = {}

        def sources(target, d):
            a, b = target
            return (changed(a, d, 1), changed(b, d, -1)), (a, changed(b, d, -1))

        for target in sorted(needed, key=lambda target: sum(power > 0 for power in target[1])):
            directions = [d for d in range(3) if target[1][d] > 0]
            best = min(directions, key=lambda d: sum(source not in below for source in sources(target, d)))
            chosen[target] = best
            below.update(dict.fromkeys(sources(target, best)))
        needed = list(below)
    return chosen


class Writer:
    """Makes the text of one function and counts its operations."""

    def __init__(self, l_a, l_b):
        self.l_a, self.l_b = l_a, l_b
        self.direction = lowered(l_a, l_b)
        self.name, self.lines, self.n_flop = {}, [], 0
        levels = [a for l in range(l_a, l_a + l_b + 1) for a in components(l)]
        for row, a in enumerate(levels):
            self.name[a, (0, 0, 0)] = f"in[{row} * row]" if row else "in[0]"

    def define(self, expression, n_flop):
        """Gives the value of an expression a name; n_flop are its additions and multiplications."""
        name = f"t{len(self.lines)}"
        self.lines.append(f"const lanes {name} = {expression};")
        self.n_flop += n_flop
        return name

    def shifted(self, a, b):
        """The name of (ab|."""
        if (a, b) not in self.name:
            d = self.direction[a, b]
            lower = changed(b, d, -1)
            upper, same = self.shifted(changed(a, d, 1), lower), self.shifted(a, lower)
            self.name[a, b] = self.define(f"{upper} + {'xyz'[d]} * {same}", 2)
        return self.name[a, b]

    def harmonics(self, l, value):
        """Names of the solid harmonics of `value` {component: name}."""
        names = []
        for m in range(-l, l + 1):
            terms = sorted(harmonic(l, m).items(), key=lambda term: term[1] != 1.0)
            text = " + ".join(value[component] if factor == 1.0 else f"(real){factor!r} * {value[component]}"
                              for component, factor in terms)
            names.append(self.define(text, 2 * len(terms) - 1 - (terms[0][1] == 1.0)))
        return names

    def store(self, a, b, name):
        """Writes one function to its place."""
        self.lines.append(f"out[{a} * out_a + {b} * out_b] = {name};")

    def write(self, spherical):
        """All statements of a column."""
        whole = {}
        for index, b in enumerate(components(self.l_b)):
            value = {a: self.shifted(a, b) for a in components(self.l_a)}
            whole[b] = self.harmonics(self.l_a, value) if spherical else list(value.values())
            if not spherical or self.l_b < 2:
                for k, name in enumerate(whole[b]):
                    self.store(k, index, name)
        if spherical and self.l_b >= 2:
            for k in range(2 * self.l_a + 1):
                of_b = self.harmonics(self.l_b, {b: names[k] for b, names in whole.items()})
                for index, name in enumerate(of_b):
                    self.store(k, index, name)


def write_text(writer, spherical, name, columns, preparation, loop, to):
    """Writes one function with its loop over columns."""
    writer.write(spherical)
    to.write(f"HF_STRAIGHT_LINE static void {name}(const struct {columns} *columns, const lanes shift[3])\n{{\n")
    to.write("    const lanes x = shift[0], y = shift[1], z = shift[2];\n" if writer.l_b > 0 else "    (void)shift;\n")
    to.write(f"{preparation[0]}"
             "    const lanes *restrict in = columns->in;\n"
             "    lanes *restrict out = columns->out;\n"
             f"{preparation[1]}"
             f"    for (int k = {loop}, in += columns->in_column, out += columns->out_column) {{\n")
    to.writelines(f"        {line}\n" for line in writer.lines)
    to.write("    }\n}\n\n")


def name_of(kind, l_a, l_b, spherical):
    return f"{kind}_{l_a}_{l_b}_{'spherical' if spherical else 'cartesian'}"


def write_function(l_a, l_b, spherical, to):
    """Writes one function; returns its entry in the table."""
    writer, name = Writer(l_a, l_b), name_of("horizontal", l_a, l_b, spherical)
    write_text(writer, spherical, name, "horizontal_columns",
               ("    const size_t row = columns->in_row, out_a = columns->out_a, out_b = columns->out_b;\n",
                "" if l_b > 0 else "    (void)out_b;\n"), "columns->n; k > 0; k--", to)
    return f"    [{l_a}][{l_b}][{int(spherical)}] = {name}, /* {writer.n_flop} additions and multiplications */\n"


class DensityWriter(Writer):
    """Makes the text of the transpose."""

    def functions(self, spherical):
        """Names of the density of components {(a, b): name}."""
        of_a = self.matrix(self.l_a, spherical)
        of_b = self.matrix(self.l_b, spherical)
        half = {}
        for row in range(len(of_a)):
            for b in components(self.l_b):
                terms = [(of_b[k][b], f"in[{row} * in_a + {k} * in_b]") for k in range(len(of_b)) if b in of_b[k]]
                half[row, b] = self.sum(terms)
        return {(a, b): self.sum([(of_a[row][a], half[row, b]) for row in range(len(of_a)) if a in of_a[row]])
                for a in components(self.l_a) for b in components(self.l_b)}

    def matrix(self, l, spherical):
        """Functions as {component: coefficient}."""
        if spherical and l >= 2:
            return [harmonic(l, m) for m in range(-l, l + 1)]
        return [{component: 1.0} for component in components(l)]

    def sum(self, terms):
        """The name of a sum of multiples."""
        text = " + ".join(name if factor == 1.0 else f"(real){factor!r} * {name}" for factor, name in terms)
        return self.define(text, 2 * len(terms) - 1)

    def raise_all(self, density, l_b):
        """{a: name} of levels, from the density of components of l_a and l_b."""
        directions = lowered(self.l_a, l_b)
        for _ in range(l_b):
            terms = {}
            for (a, b), name in density.items():
                d = directions[a, b]
                lower = changed(b, d, -1)
                terms.setdefault((changed(a, d, 1), lower), []).append(name)
                terms.setdefault((a, lower), []).append(f"{'xyz'[d]} * {name}")
            density = {target: self.define(" + ".join(parts), 2 * len(parts)) for target, parts in terms.items()}
        return {a: name for (a, _), name in density.items()}

    def put(self, levels, highest, to, row):
        """Writes levels up to the highest."""
        every = [a for l in range(self.l_a, highest + 1) for a in components(l)]
        self.lines += [f"{to}[{k} * {row}] = {levels[a]};" for k, a in enumerate(every)]

    def write(self, spherical):
        density = self.functions(spherical)
        self.put(self.raise_all(density, self.l_b), self.l_a + self.l_b, "out", "out_row")
        if self.l_b == 0:
            return
        self.lines.append("if (columns->moved[0] == NULL) continue;")
        for x in range(3):
            moved = {(a, b): self.sum([(b[x] + 1.0, density[a, changed(b, x, 1)])])
                     for a in components(self.l_a) for b in components(self.l_b - 1)}
            self.lines.append(f"lanes *const to_{x} = columns->moved[{x}] + (size_t)k * columns->moved_column;")
            self.put(self.raise_all(moved, self.l_b - 1), self.l_a + self.l_b - 1, f"to_{x}", "moved_row")


def write_density_function(l_a, l_b, spherical, to):
    """Writes one transpose; returns its entry in the table."""
    name = name_of("levels", l_a, l_b, spherical)
    moved = "    const size_t moved_row = columns->moved_row;\n    (void)moved_row;\n" if l_b > 0 else ""
    write_text(DensityWriter(l_a, l_b), spherical, name, "level_columns",
               (moved + "    const size_t in_a = columns->in_a, in_b = columns->in_b, out_row = columns->out_row;\n",
                "    (void)in_a, (void)in_b, (void)out_row;\n"), "0; k < columns->n; k++", to)
    return f"    [{l_a}][{l_b}][{int(spherical)}] = {name},\n"


def write_densities(to):
    """The transposes, and their table."""
    to.write("/* Made by make_horizontal.py, which says what it is. Part of to_levels.h. */\n\n")
    entries = [write_density_function(l_a, l_b, False, to) for l_a, l_b in [(0, 0), (1, 0)] + CARTESIAN]
    entries += [write_density_function(l_a, l_b, True, to) for l_a, l_b in SPHERICAL if l_a + l_b <= MOST_DENSITY_L]
    to.write("/** By l_a, l_b and whether shells from d upwards are spherical. */\n"
             "static level_function *const level_table[HF_MAX_RECURRENCE_L + 1][HF_MAX_RECURRENCE_L + 1][2] = {\n" +
             "".join(entries) + "};\n")


def write_flops(to):
    """Arithmetic of all parts up to the highest level, also of parts without a function."""
    to.write("/* Arithmetic of horizontal recurrences: made by make_horizontal.py. Part of flops.c. */\n\n"
             "/** Additions and multiplications that make the functions of a part from its levels, for each column: by\n"
             " *  l_a, l_b and whether shells from d upwards are spherical. */\n"
             f"static const int horizontal_flops[{MOST_L + 1}][{MOST_L + 1}][2] = {{\n")
    for l_a in range(MOST_L + 1):
        for l_b in range(MOST_L + 1 - l_a):
            counts = []
            for spherical in (False, True):
                writer = Writer(l_a, l_b)
                writer.write(spherical)
                counts.append(writer.n_flop)
            to.write(f"    [{l_a}][{l_b}] = {{{counts[0]}, {counts[1]}}},\n")
    to.write("};\n")


def write_functions(to):
    """Every function, then their table."""
    to.write("/* Made by make_horizontal.py, which says what it is. Part of horizontal.h. */\n\n")
    entries = [write_function(l_a, l_b, False, to) for l_a, l_b in CARTESIAN]
    entries += [write_function(l_a, l_b, True, to) for l_a, l_b in SPHERICAL]
    to.write("/** By l_a, l_b and whether shells from d upwards are spherical; no other shell is. */\n"
             "static horizontal_function *const horizontal_table[][HF_MAX_RECURRENCE_L + 1][2] = {\n" +
             "".join(entries) + f"    [HF_MAX_RECURRENCE_L] = {{{{NULL}}}},\n}};\n")


for path, write in zip(sys.argv[1:], (write_functions, write_densities, write_flops), strict=True):
    with open(path, "w", encoding="ascii") as file:
        write(file)
