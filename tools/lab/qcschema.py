"""The file that hf writes with --json, whatever came out."""

import json


def name_of(molecule):
    """Of a QCSchema Molecule: its name, or the formula of its atoms, carbon and hydrogen first."""
    if molecule.get("name"):
        return molecule["name"]
    symbols = molecule["symbols"]
    real = [symbol for symbol, is_real in zip(symbols, molecule.get("real") or [True] * len(symbols)) if is_real]
    first = [symbol for symbol in ("C", "H") if "C" in real and symbol in real]
    counted = [(symbol, real.count(symbol)) for symbol in [*first, *sorted(set(real) - set(first))]]
    return "".join(f"{symbol}{n if n > 1 else ''}" for symbol, n in counted) or "molecule"


def load(text):
    """The members of a QCSchema AtomicResult. A run that did not converge, which --max-iterations may be meant to do, is
    a FailedOperation: its input and its results stand apart. ValueError: a failure without results."""
    output = json.loads(text)
    if "input_data" not in output:
        return output
    if "unconverged" not in output["extras"]:
        raise ValueError(output["error"]["error_message"])
    return {**output["input_data"], **output["extras"]["unconverged"], **output}
