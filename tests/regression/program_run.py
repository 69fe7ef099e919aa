"""The program hf on so many ranks: the arguments and the run that scripts of this folder share."""

import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import launch  # noqa: E402 # pylint: disable=wrong-import-position


def parser(about, *positional):
    """Of the program, its ranks, arguments of the script and, after --, options of the program."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--mpiexec", required=True)
    made.add_argument("--ranks", type=int, default=1)
    made.add_argument("--hf", required=True)
    for name, meaning in positional:
        made.add_argument(name, help=meaning)
    made.add_argument("options", nargs="*", help="options of hf, after --")
    return made


def result_of(arguments, output, *words):
    """What hf writes into the JSON file `output`, run with these words and the options of the command line."""
    command = [*launch(arguments.mpiexec, arguments.ranks), arguments.hf, *words, "--json", output, *arguments.options]
    print(" ".join(command), flush=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {done.stderr}")
    with open(output, encoding="utf-8") as file:
        return json.load(file)
