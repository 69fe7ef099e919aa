"""Counts of arithmetic that the generators of the engine write, with which hf-bench integrals has shares of the peak."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from tool_test import ROOT

INTEGRALS = ROOT / "src" / "integrals"
sys.path.insert(0, str(INTEGRALS))
import make_recurrences as vertical  # noqa: E402 # pylint: disable=wrong-import-position

OPERATOR = re.compile(r" (?:[-+*]|\+=) ")


def operations(statements):
    """Additions, subtractions and multiplications outside of indices. Multiples of 1/(2 zeta) are declared once."""
    plain = [re.sub(r"\[[^]]*\]", "", line) for line in statements]
    return sum(len(OPERATOR.findall(line)) for line in plain)


class Counts(unittest.TestCase):
    def test_vertical(self):
        """Counts of every function are those of its statements."""
        for bra, ket in [((0, 0), (0, 0)), ((0, 1), (0, 0)), ((1, 1), (1, 2)), ((2, 2), (2, 2)), ((0, 2), (2, 4)),
                         ((2, 4), (2, 2)), ((2, 4), (2, 4)), ((3, 3), (3, 4))]:
            plan = vertical.Plan(bra, ket)
            text = vertical.Text(plan)
            counted = operations(text.lines) + operations(line for line in text.declarations() if "half_" in line)
            self.assertEqual(plan.n_flop(), counted, (bra, ket))

    def test_horizontal(self):
        """So are those of the horizontal ones."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("functions.h", "levels.h", "flops.h")]
            subprocess.run([sys.executable, str(INTEGRALS / "make_horizontal.py"), *map(str, paths)], check=True)
            functions, _, counts = [path.read_text(encoding="ascii") for path in paths]
        flops = {(int(a), int(b)): (int(x), int(y))
                 for a, b, x, y in re.findall(r"\[(\d)\]\[(\d)\] = \{(\d+), (\d+)\}", counts)}
        functions = re.findall(r"void horizontal_(\d)_(\d)_(\w+)\(.*?\{\n(.*?)\n\}\n", functions, re.DOTALL)
        self.assertEqual(len(functions), 15)
        for l_a, l_b, kind, body in functions:
            lines = [line for line in body.split("\n") if line.strip().startswith("const lanes t")]
            self.assertEqual(operations(lines), flops[int(l_a), int(l_b)][kind == "spherical"], (l_a, l_b, kind))
