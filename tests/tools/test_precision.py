#!/usr/bin/env python3
"""What tools/precision makes of the file of hf-bench."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from lab import precision  # noqa: E402 # pylint: disable=wrong-import-position


class Page(unittest.TestCase):
    def test_shares(self):
        """Those of the quartets that err by more than a power of two, as far as there are some."""
        found = precision.exceeding({"n_quartet": 8, "n_of_size": [4, 0, 3, 1, 0]})
        self.assertEqual(found, [(2.0 ** -8, 0.5), (2.0 ** -7, 0.5), (2.0 ** -6, 0.125)])


if __name__ == "__main__":
    unittest.main()
