#!/usr/bin/env python3
"""Lists the cases of a reference file with the given methods for Meson: NAME/METHOD/BASIS, small or large, and
whether it is one of the smallest, which also run where a test is repeated in many ways."""

import json
import sys

LARGEST_SMALL = 60  # basis functions
LARGEST_TINY = 31

with open(sys.argv[1], encoding="utf-8") as file:
    for case in json.load(file)["cases"]:
        if case["method"] in sys.argv[2:]:
            functions = case["basis_functions"]
            print("/".join([case["name"], case["method"], case["basis"]]),
                  "small" if functions <= LARGEST_SMALL else "large",
                  "tiny" if functions <= LARGEST_TINY else "other")
