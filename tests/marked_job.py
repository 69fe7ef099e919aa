"""Jobs whose ranks a test finds in /proc by a mark in their environment, to send them signals."""

import os
import signal
import subprocess
import time
import uuid

from program_test import launch


def processor_seconds(process):
    """User and system time of a process so far."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class MarkedJob:
    """A program on so many ranks, started as often as a test likes; one job at a time."""

    def __init__(self, program, mpiexec, n_rank):
        self.program, self.launcher = os.path.abspath(program), launch(mpiexec, int(n_rank))
        self.mark = uuid.uuid4().hex

    def start(self, arguments, **more):
        """A process with pipes."""
        command = [*self.launcher, self.program, *arguments]
        variables = dict(os.environ, OMPI_MCA_orte_execute_quiet="1", HF_TEST_MARK=self.mark)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=variables, **more)

    def ranks_alive(self):
        """Process by rank number."""
        found = {}
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    variables = file.read().decode(errors="replace").split("\0")
                program = os.readlink(f"/proc/{name}/exe")
            except OSError:
                continue  # not a process, not ours, or gone
            if "HF_TEST_MARK=" + self.mark not in variables or os.path.realpath(program) != os.path.realpath(self.program):
                continue
            rank = [int(text.split("=")[1]) for text in variables if text.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK="))]
            found[rank[0] if rank else 0] = int(name)
        return found

    def kill_ranks(self):
        """Kills the ranks that are there; these."""
        left = self.ranks_alive()
        for process in left.values():
            os.kill(process, signal.SIGKILL)
        return left

    def left_behind(self, most_seconds=60):
        """Ranks that do not end with their job; they are killed."""
        end = time.monotonic() + most_seconds
        while self.ranks_alive() and time.monotonic() < end:
            time.sleep(0.05)
        return self.kill_ranks()

    def end_of(self, job, most_seconds):
        """Standard output and error; None if the job did not end and was killed."""
        try:
            return job.communicate(timeout=most_seconds)
        except subprocess.TimeoutExpired:
            self.kill_ranks()
            job.kill()
            return None


def lines_until(job, begin):
    """Lines of standard output up to the first that begins so, and whether there was one."""
    seen = []
    for line in job.stdout:
        seen.append(line)
        if line.startswith(begin):
            return True, "".join(seen)
    return False, "".join(seen)
