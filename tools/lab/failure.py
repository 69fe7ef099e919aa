"""How the tools end when something is wrong: one line on stderr and an exit code, never a traceback."""

import argparse
import os
import signal
import sys

BAD_INPUT, NO_RESOURCE, INTERRUPTED, TERMINATED = 2, 3, 130, 143


class Failure(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, message, exit_code=BAD_INPUT):
        super().__init__(message)
        self.exit_code = exit_code


class Parser(argparse.ArgumentParser):
    """A wrong command line is one line as well; texts keep their lines, and options are not abbreviated: the rest is hf's."""

    def __init__(self, **texts):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **texts)

    def error(self, message):
        raise Failure(f"{message}; -h explains")


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: what was started must be ended, as after Ctrl-C."""


def terminate(_number, _frame):
    raise Terminated


def complain(program, message):
    print(f"{program}: {message}", file=sys.stderr)


def drop_output():
    """Nobody reads stdout any more: what Python still holds for it goes nowhere, without a complaint at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def guarded(program, function, interrupted="interrupted"):
    """The exit code of a tool whose work is function(); `interrupted` is what Ctrl-C makes it say."""
    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    try:
        code = function()
        sys.stdout.flush()
        return code
    except Failure as failure:
        complain(program, failure)
        return failure.exit_code
    except BrokenPipeError:
        drop_output()
        return NO_RESOURCE
    except OSError as error:
        complain(program, f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return NO_RESOURCE
    except KeyboardInterrupt as cut:
        complain(program, interrupted)
        return TERMINATED if isinstance(cut, Terminated) else INTERRUPTED
