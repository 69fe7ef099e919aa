"""The closed-shell cases of tests/reference/energies.json as inputs of hf."""

import importlib.util
import json

from .alternation import Case


def load(path):
    """The module of a Python file of the tests, which are no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(root, folder, options):
    """[Case], their inputs written into the folder in bohr, as the file has them."""
    geometry = load(root / "tests" / "regression" / "geometry.py")
    with open(root / "tests" / "reference" / "energies.json", encoding="utf-8") as file:
        found = [case for case in json.load(file)["cases"] if case["method"] == "rhf"]
    made = []
    for index, case in enumerate(found, start=1):
        path = folder / f"reference-{index}.mol"
        path.write_text(geometry.write_input(case, "bohr", False)[0], encoding="utf-8")
        made.append(Case("/".join([case["name"], case["method"], case["basis"]]), str(path), options))
    return made
