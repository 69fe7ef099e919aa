"""Frame of a test that runs a program as people run it and goes on after a failed check."""

import os
import subprocess
import sys


def launch(mpiexec, n_rank):
    """What a command line begins with on so many ranks. One rank needs no mpiexec, which takes .25 s and is slow to end when a
    process leaves with an exit code."""
    return [mpiexec, "-n", str(n_rank)] if n_rank > 1 else []


class ProgramTest:
    """A program, how it is started on so many ranks, and what was found to be wrong with it."""

    def __init__(self, program, mpiexec, n_rank, most_seconds=240):
        self.program, self.mpiexec, self.n_rank = program, mpiexec, n_rank
        self.most_seconds = most_seconds  # what takes longer hangs, also on a busy machine
        self.prefix = []  # command that runs the whole command line, launcher included
        self.inside = []  # command that runs the program, inside the launcher, as prlimit does
        self.failures = []

    @classmethod
    def of_arguments(cls, most_seconds=240):
        """The test of a script whose arguments are the program, mpiexec and the number of ranks."""
        program, mpiexec, n_rank = sys.argv[1:4]
        return cls(program, mpiexec, int(n_rank), most_seconds)

    @property
    def launcher(self):
        return launch(self.mpiexec, self.n_rank)

    def check(self, holds, what, detail=""):
        if not holds:
            self.failures.append(f"{what} {detail}")

    def run(self, arguments, launcher=None, environment=None, standard_input=""):
        """Exit code, standard output, standard error; `launcher` says whether to take mpiexec, also for one rank."""
        launcher = {None: self.launcher, False: [], True: [self.mpiexec, "-n", str(self.n_rank)]}[launcher]
        command = self.prefix + launcher + self.inside + [self.program]
        variables = dict(os.environ, OMPI_MCA_orte_execute_quiet="1", **(environment or {}))
        try:
            done = subprocess.run(command + arguments, input=standard_input, capture_output=True,
                                  text=True, errors="replace", timeout=self.most_seconds,
                                  env=variables, check=False)
        except subprocess.TimeoutExpired:
            return "hangs", "", ""
        return done.returncode, done.stdout, done.stderr

    def lines_of_program(self, errors):
        """The errors on standard error that are the program's, not MPI's; warnings go before them."""
        begin = os.path.basename(self.program) + ": "
        return [line for line in errors.splitlines()
                if line.startswith(begin) and not line.startswith(begin + "warning: ")]

    def expect_one_line(self, name, outcome, code, parts):
        """The program ended with this code and one line, which contains all parts."""
        found, _, errors = outcome
        n_line = len(self.lines_of_program(errors))
        self.check(found == code, f"{name}: exit code {found}, expected {code};", errors)
        self.check(n_line == 1, f"{name}: {n_line} lines of {os.path.basename(self.program)} on "
                   "standard error, expected 1:", errors)
        for part in parts:
            self.check(part in errors, f"{name}: no \"{part}\" in:", errors)
        # a signal may end all ranks by MPI_Abort, of which MPICH writes a line
        self.check(code > 128 or "MPI_A" not in errors, f"{name}: MPI noise:", errors)

    def report(self):
        """Prints what failed, each check on a line of its own; the exit code of the test."""
        for failure in self.failures:
            print("FAILED", failure)
        return 1 if self.failures else 0
