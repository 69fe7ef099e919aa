"""Exact integrals over contracted Gaussians by the scheme of McMurchie and Davidson, in plain Python.

For checks of small molecules: nothing is screened or approximated, and no line is shared with hf.
Source: McMurchie, Davidson, J. Comput. Phys. 26, 218 (1978); Helgaker, Jorgensen, Olsen, Molecular
Electronic-Structure Theory, chapter 9.
"""

import math

# Real solid harmonics, m = -l ... l, as {(i, j, k): factor} of x^i y^j z^k; scaled later.
HARMONICS = {
    2: [{(1, 1, 0): 1}, {(0, 1, 1): 1}, {(0, 0, 2): 2, (2, 0, 0): -1, (0, 2, 0): -1}, {(1, 0, 1): 1},
        {(2, 0, 0): 1, (0, 2, 0): -1}],
    3: [{(2, 1, 0): 3, (0, 3, 0): -1}, {(1, 1, 1): 1}, {(0, 1, 2): 4, (2, 1, 0): -1, (0, 3, 0): -1},
        {(0, 0, 3): 2, (2, 0, 1): -3, (0, 2, 1): -3}, {(1, 0, 2): 4, (3, 0, 0): -1, (1, 2, 0): -1},
        {(2, 0, 1): 1, (0, 2, 1): -1}, {(3, 0, 0): 1, (1, 2, 0): -3}],
}


def double_factorial(n):
    return n * double_factorial(n - 2) if n > 1 else 1


def moment(powers):
    """<1|x^i y^j z^k> of a Gaussian in units of its width; 0 where a power is odd."""
    if any(power % 2 for power in powers):
        return 0
    return math.prod(double_factorial(power - 1) for power in powers)


def cartesian(l):
    return [(i, j, l - i - j) for i in range(l, -1, -1) for j in range(l - i, -1, -1)]


def functions_of_shell(l, spherical):
    """Functions as {monomial: factor}: Cartesian xx xy xz ... as they are; spherical ones with norm 1 where
    that of x^l is 1."""
    if not spherical:
        return [{monomial: 1.0} for monomial in cartesian(l)]
    functions = []
    for function in HARMONICS[l]:
        norm = sum(f * g * moment([a + b for a, b in zip(p, q)])
                   for p, f in function.items() for q, g in function.items())
        scale = math.sqrt(double_factorial(2 * l - 1) / norm)
        functions.append({monomial: scale * factor for monomial, factor in function.items()})
    return functions


def primitive_norm(l, exponent):
    """Factor that makes x^l exp(-exponent r^2) have norm 1."""
    return ((2 * exponent / math.pi) ** 0.75 * (4 * exponent) ** (l / 2)
            / math.sqrt(double_factorial(2 * l - 1)))


class Shell:
    """Functions of one angular momentum; coefficients are those of normalised primitives."""

    def __init__(self, centre, l, spherical, exponents, coefficients):
        self.centre, self.l = centre, l
        self.functions = functions_of_shell(l, spherical)
        self.primitives = [(a, c * primitive_norm(l, a)) for a, c in zip(exponents, coefficients)]


def expansion(la, lb, a, b, distance):
    """E[i][j][t] of x_A^i x_B^j exp(-a x_A^2 - b x_B^2) in Hermite Gaussians, distance = A - B."""
    p = a + b
    to_a, to_b = -b / p * distance, a / p * distance
    table = [[None] * (lb + 1) for _ in range(la + 1)]
    table[0][0] = [math.exp(-a * b / p * distance * distance)]

    def raised(row, shift):
        result = []
        for t in range(len(row) + 1):
            value = row[t - 1] / (2 * p) if t > 0 else 0.0
            value += shift * row[t] if t < len(row) else 0.0
            value += (t + 1) * row[t + 1] if t + 1 < len(row) else 0.0
            result.append(value)
        return result

    for i in range(la + 1):
        if i > 0:
            table[i][0] = raised(table[i - 1][0], to_a)
        for j in range(1, lb + 1):
            table[i][j] = raised(table[i][j - 1], to_b)
    return table


def boys(n_max, t):
    """F_0 ... F_n_max at t: series for the highest, downward recursion; far out, the asymptotic form."""
    if t > 60.0:
        values = [0.5 * math.sqrt(math.pi / t)]
        for n in range(n_max):
            values.append(((2 * n + 1) * values[n] - math.exp(-t)) / (2 * t))
        return values
    term = total = 1.0 / (2 * n_max + 1)
    i = 0
    while term > 1e-17 * total:
        i += 1
        term *= 2 * t / (2 * n_max + 2 * i + 1)
        total += term
    values = [math.exp(-t) * total]
    for n in range(n_max - 1, -1, -1):
        values.insert(0, (2 * t * values[0] + math.exp(-t)) / (2 * n + 1))
    return values


def hermite_coulomb(l, p, r):
    """R_tuv of order 0 for t + u + v <= l."""
    values = boys(l, p * sum(x * x for x in r))
    level = {}
    for n in range(l, -1, -1):
        above, level = level, {(0, 0, 0): (-2 * p) ** n * values[n]}
        for total in range(1, l - n + 1):
            for t, u, v in cartesian(total):
                if t > 0:
                    low, lower, count, x = (t - 1, u, v), (t - 2, u, v), t - 1, r[0]
                elif u > 0:
                    low, lower, count, x = (t, u - 1, v), (t, u - 2, v), u - 1, r[1]
                else:
                    low, lower, count, x = (t, u, v - 1), (t, u, v - 2), v - 1, r[2]
                level[(t, u, v)] = x * above[low] + (count * above[lower] if count > 0 else 0.0)
    return level


class Pair:
    """Products of the functions of two shells as Hermite Gaussians, primitive pair by primitive pair."""

    def __init__(self, left, right):
        self.left, self.right = left, right
        self.l = left.l + right.l
        self.primitives = []  # (p, P, tables E of x y z with two more for the right, b, coefficient)
        for a, c in left.primitives:
            for b, d in right.primitives:
                p = a + b
                centre = [(a * x + b * y) / p for x, y in zip(left.centre, right.centre)]
                tables = [expansion(left.l, right.l + 2, a, b, x - y)
                          for x, y in zip(left.centre, right.centre)]
                self.primitives.append((p, centre, tables, b, c * d))

    def monomials(self):
        """For each function pair its products of monomials with their factors."""
        return [[(m, n, f * g) for m, f in one.items() for n, g in other.items()]
                for one in self.left.functions for other in self.right.functions]

    def hermite(self):
        """[(p, P, [[(tuv, value)] of each function pair])]"""
        result = []
        for p, centre, (ex, ey, ez), _, coefficient in self.primitives:
            functions = []
            for products in self.monomials():
                terms = {}
                for m, n, factor in products:
                    for t, x in enumerate(ex[m[0]][n[0]]):
                        for u, y in enumerate(ey[m[1]][n[1]]):
                            for v, z in enumerate(ez[m[2]][n[2]]):
                                terms[(t, u, v)] = terms.get((t, u, v), 0.0) + coefficient * factor * x * y * z
                functions.append([item for item in terms.items() if item[1] != 0.0])
            result.append((p, centre, functions))
        return result

    def overlap_and_kinetic(self):
        """Two lists over the function pairs."""
        overlap, kinetic = [], []
        for products in self.monomials():
            s = k = 0.0
            for p, _, tables, b, coefficient in self.primitives:
                for m, n, factor in products:
                    one = [table[i][j][0] for table, i, j in zip(tables, m, n)]
                    two = [b * (2 * j + 1) * table[i][j][0] - 2 * b * b * table[i][j + 2][0]
                           - (0.5 * j * (j - 1) * table[i][j - 2][0] if j > 1 else 0.0)
                           for table, i, j in zip(tables, m, n)]
                    scale = coefficient * factor * (math.pi / p) ** 1.5
                    s += scale * one[0] * one[1] * one[2]
                    k += scale * (two[0] * one[1] * one[2] + one[0] * two[1] * one[2] + one[0] * one[1] * two[2])
            overlap.append(s)
            kinetic.append(k)
        return overlap, kinetic

    def nuclear(self, charges):
        """Attraction by [(charge, position)], over the function pairs."""
        result = [0.0] * (len(self.left.functions) * len(self.right.functions))
        for p, centre, functions in self.hermite():
            for charge, position in charges:
                r = hermite_coulomb(self.l, p, [x - y for x, y in zip(centre, position)])
                for f, terms in enumerate(functions):
                    result[f] -= charge * 2 * math.pi / p * sum(value * r[tuv] for tuv, value in terms)
        return result


def repulsion(bra, ket):
    """(ab|cd) as [function pair of the bra][function pair of the ket]; both are (Pair, its hermite())."""
    (bra_pair, bra_hermite), (ket_pair, ket_hermite) = bra, ket
    bra_tuv = [tuv for l in range(bra_pair.l + 1) for tuv in cartesian(l)]
    result = [[0.0] * len(ket_hermite[0][2]) for _ in bra_hermite[0][2]]
    for p, p_centre, bra_functions in bra_hermite:
        for q, q_centre, ket_functions in ket_hermite:
            r = hermite_coulomb(bra_pair.l + ket_pair.l, p * q / (p + q), [x - y for x, y in zip(p_centre, q_centre)])
            scale = 2 * math.pi ** 2.5 / (p * q * math.sqrt(p + q))
            for k, terms in enumerate(ket_functions):
                signed = [(tuv, scale * value * (-1) ** sum(tuv)) for tuv, value in terms]
                potential = {(t, u, v): sum(value * r[(t + x, u + y, v + z)] for (x, y, z), value in signed)
                             for t, u, v in bra_tuv}
                for b, bra_terms in enumerate(bra_functions):
                    result[b][k] += sum(value * potential[tuv] for tuv, value in bra_terms)
    return result
