"""Counts of arithmetic that the generators of the engine write, and what tools/roofline makes of the file of hf-bench."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTEGRALS = ROOT / "src" / "integrals"
sys.path[:0] = [str(ROOT / "tools"), str(INTEGRALS)]
import make_recurrences as vertical  # noqa: E402 # pylint: disable=wrong-import-position
from lab import roofline  # noqa: E402 # pylint: disable=wrong-import-position

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


def results():
    """As hf-bench writes them, of two classes; Libint has computed one."""
    engine = [{"class": name, "precision": precision, "share_of_peak": share}
              for precision, shares in [("double", [("(ss|ss)", 0.2), ("(gs|ss)", 0.0), ("all", 0.25)]),
                                        ("single", [("(ss|ss)", 0.1), ("all", 0.1)])] for name, share in shares]
    digestion = [{"bra": bra, "precision": "double", "from": place, "share_of_peak": 0.5}
                 for place in ("cache", "memory") for bra in ("(ss", "all")]
    return {"molecule": "inputs/water.mol", "basis": "cc-pVDZ", "engine": engine, "digestion": digestion}


class Page(unittest.TestCase):
    def test_series(self):
        labels, (double, single) = roofline.engine_series(results())
        self.assertEqual(labels, ["(ss|ss)", "(gs|ss)", "all"])
        self.assertEqual(double, ("double precision", [0.2, None, 0.25]))
        self.assertEqual(single.values, [0.1, None, 0.1])
        labels, series = roofline.digestion_series(results())
        self.assertEqual((labels, len(series)), (["(ss", "all"], 2))


if __name__ == "__main__":
    unittest.main()
