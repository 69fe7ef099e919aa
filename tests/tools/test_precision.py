#!/usr/bin/env python3
"""What tools/precision makes of the file of hf-bench."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from lab import precision, roofline  # noqa: E402 # pylint: disable=wrong-import-position
from lab.failure import Failure  # noqa: E402 # pylint: disable=wrong-import-position


class Page(unittest.TestCase):
    def test_shares(self):
        """Those of the quartets that err by more than a power of two, as far as there are some."""
        found = precision.exceeding({"n_quartet": 8, "n_of_size": [4, 0, 3, 1, 0]})
        self.assertEqual(found, [(2.0 ** -8, 0.5), (2.0 ** -7, 0.5), (2.0 ** -6, 0.125)])

    def test_table(self):
        output = "hf-bench\n  Ranks  1\n\n  Errors of quartets\n  (ss|ss)  1\n"
        self.assertEqual(precision.table(output), "  Errors of quartets\n  (ss|ss)  1")
        with self.assertRaises(Failure):
            precision.table("nothing\n")

    def test_page_of_the_tree(self):
        """It has the place that is written, and the pictures."""
        page = (ROOT / "docs" / "precision.md").read_text(encoding="utf-8")
        roofline.replace_table(page, "", precision.MARKS)
        for name in ("classes", "sizes"):
            self.assertIn(f"(precision/{name}.svg)", page)
            self.assertTrue((ROOT / "docs" / "precision" / f"{name}.svg").exists())


if __name__ == "__main__":
    unittest.main()
