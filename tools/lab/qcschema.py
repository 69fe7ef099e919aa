"""The file that hf writes with --json, whatever came out."""

import json


def load(text):
    """The members of a QCSchema AtomicResult. A run that did not converge, which --max-iterations may be meant to do, is
    a FailedOperation: its input and its results stand apart. ValueError: a failure without results."""
    output = json.loads(text)
    if "input_data" not in output:
        return output
    if "unconverged" not in output["extras"]:
        raise ValueError(output["error"]["error_message"])
    return {**output["input_data"], **output["extras"]["unconverged"], **output}
