#!/usr/bin/env python3
"""Writes the straight-line kernels of the Coulomb pass: potentials of Hermite densities at a Hermite Gaussian.

For each class (L of the bra | L of the ket) up to a limit, and bras one higher for derivatives, a function that takes vectors of kets. With x, y, z the
distance of the centres, and R^(m)_000 = (-2 alpha)^m F_m(alpha R^2) from the Boys function,

    R^(m)_t+1,u,v = t R^(m+1)_t-1,u,v + x R^(m+1)_tuv       and likewise for u, v

(Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, Eq. 9.9.18), and V_tuv += R_t+t',u+u',v+v' H_t'u'v',
where the sign of H is in the kets. A number with a direction of power 1 is raised along that one, which saves a term.

usage: make_kernels.py LARGEST_L"""

import sys

MOST_SUMS = 20  # that stay in registers, or nearly so


def components(total):
    """(t,u,v) in the order of hf_hermite_index."""
    return [(n - j, j - k, k) for n in range(total + 1) for j in range(n + 1) for k in range(j + 1)]


def name(m, power):
    return f"r{m}_" + "".join(str(p) for p in power)


class Recursion:
    """The numbers R^(m)_tuv in an order in which each follows from earlier ones."""

    def __init__(self):
        self.lines, self.known = [], set()

    def need(self, m, power):
        if (m, power) in self.known:
            return name(m, power)
        self.known.add((m, power))
        if sum(power) == 0:
            self.lines.append(f"const lanes {name(m, power)} = at.r[{m}];")
            return name(m, power)
        axis = min((p, a) for a, p in enumerate(power) if p > 0)[1]
        lower = tuple(p - (a == axis) for a, p in enumerate(power))
        text = f"at.d[{axis}] * {self.need(m + 1, lower)}"
        factor = lower[axis]
        if factor > 0:
            lowest = tuple(p - (a == axis) for a, p in enumerate(lower))
            other = self.need(m + 1, lowest)
            text += f" + {other}" if factor == 1 else f" + {factor} * {other}"
        self.lines.append(f"const lanes {name(m, power)} = {text};")
        return name(m, power)


def add(a, b):
    return tuple(i + j for i, j in zip(a, b))


def kernel(bra, ket):
    """The function of one class."""
    of_bra, of_ket = components(bra), components(ket)
    out = [f"static void coulomb_{bra}_{ket}(const boys_tables *boys, const struct hf_coulomb_bra *bra, int n,",
           "    const real *ket, double *potential)", "{",
           f"    enum {{ N_BRA = {len(of_bra)}, N_KET = {len(of_ket)}, ORDER = {bra + ket} }};",
           "    lanes sum[N_BRA];",
           "    for (int k = 0; k < N_BRA; k++) sum[k] = broadcast(0);",
           "    for (int i = 0; i < n; i += HF_WIDTH) {",
           "        const real *h = ket_rows(ket, N_KET, i);",
           "        struct r_start at;",
           "        start_recursion(boys, ORDER, bra, h, &at);",
           "        h += N_ROW * HF_KET_BLOCK;"]
    recursion = Recursion()
    for power in components(bra + ket):
        recursion.need(0, power)
    out += ["        " + line for line in recursion.lines]
    for first in range(0, len(of_bra), MOST_SUMS):
        part = list(enumerate(of_bra))[first:first + MOST_SUMS]
        out.append("        {")
        out += [f"            lanes s{k} = sum[{k}];" for k, _ in part]
        for j, other in enumerate(of_ket):
            out.append(f"            const lanes h{j} = load(h + {j} * HF_KET_BLOCK);")
            out += [f"            s{k} += {name(0, add(power, other))} * h{j};" for k, power in part]
        out += [f"            sum[{k}] = s{k};" for k, _ in part]
        out.append("        }")
    out += ["    }", "    add_sums(N_BRA, sum, potential);", "}", ""]
    return out


def main():
    largest = int(sys.argv[1])
    classes = [(bra, ket) for bra in range(largest + 2) for ket in range(largest + 1)]
    out = ["/* Written by make_kernels.py when hf is built. Part of product_kernels.c. */", ""]
    for bra, ket in classes:
        out.append(f"#if HF_COULOMB_LIMIT >= {max(bra - 1, ket)}")
        out += kernel(bra, ket)
        out.append("#endif")
    out += ["static straight_kernel *const straight_kernels[HF_COULOMB_LIMIT + 2][HF_COULOMB_LIMIT + 1] = {"]
    for bra, ket in classes:
        out += [f"#if HF_COULOMB_LIMIT >= {max(bra - 1, ket)}", f"    [{bra}][{ket}] = coulomb_{bra}_{ket},", "#endif"]
    out.append("};")
    print("\n".join(out))


if __name__ == "__main__":
    main()
