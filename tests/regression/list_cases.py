#!/usr/bin/env python3
"""Lists the restricted cases of a reference file for Meson: NAME/METHOD/BASIS and small or large.

hf refuses open-shell methods, so their references wait in the file.
"""

import json
import sys

LARGEST_SMALL = 60  # basis functions

with open(sys.argv[1], encoding="utf-8") as file:
    for case in json.load(file)["cases"]:
        if case["method"] == "rhf":
            size = "small" if case["basis_functions"] <= LARGEST_SMALL else "large"
            print("/".join([case["name"], case["method"], case["basis"]]), size)
