"""Starting hf-simulate (src/simulate/)."""

import functools
import os
import pathlib
import shutil
import subprocess

from . import launch
from .failure import BAD_INPUT, NO_RESOURCE, Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "hf-simulate"
PROGRAM = os.environ.get("HF_SIMULATE") or launch.program_beside(ROOT, NAME)


def take_beside(hf):
    """Simulates with the program that lies beside this hf, if there is one and no other has been named."""
    global PROGRAM  # pylint: disable=global-statement
    path = pathlib.Path(shutil.which(hf) or hf).resolve().with_name(NAME)
    if "HF_SIMULATE" not in os.environ and path.is_file():
        PROGRAM = str(path)


def start(*arguments):
    try:
        return subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failure(f"{PROGRAM} cannot be started: {error.strerror}; simulations need it") from error


def complain(message, code):
    raise Failure(message.strip().removeprefix(f"{NAME}: ") or f"{NAME} ended with {code}",
                  BAD_INPUT if code == BAD_INPUT else NO_RESOURCE)


def end(program):
    """Lets it end, which it does when no more cases can come."""
    for pipe in (program.stdin, program.stdout, program.stderr):
        try:
            pipe.close()
        except BrokenPipeError:
            pass
    program.wait()


def call(*arguments):
    """What it prints."""
    program = start(*arguments)
    output, message = program.communicate()
    if program.returncode != 0:
        complain(message, program.returncode)
    return output


@functools.cache
def schedulers():
    """Names of all there are."""
    return tuple(call("--list").split())
