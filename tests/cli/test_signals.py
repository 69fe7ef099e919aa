#!/usr/bin/env python3
"""Signals end a calculation within a second, whoever gets them: all ranks, one of them, or mpiexec.

Usage: test_signals.py HF MPIEXEC RANKS INPUT TRIALS [OPTION...]

Moments are drawn at random over set-up, guess and the first Fock build, which lasts minutes. What is
compared is the processor time that the job takes between the signal and its end: other programs may
hold the cores.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from marked_job import MarkedJob, processor_seconds

HF, MPIEXEC, RANKS, INPUT, TRIALS, *OPTIONS = sys.argv[1:]
# The first is against hangs: several ranks on a core may be in a diagonalisation, which nobody can
# interrupt, and take turns there. The second is looked at where no mpiexec stands between.
MOST_SECONDS, MOST_PROCESSOR_SECONDS = 200.0, 1.0
MARKED = MarkedJob(HF, MPIEXEC, RANKS)
LONG = ["--basis", "cc-pVTZ", "--guess", "core", "--screening", "1e-14", "--memory", "0"]


def stop(process):
    """Stops a process, so that it uses no time while this one waits for a core."""
    os.kill(process, signal.SIGSTOP)
    state = ""
    while state != "T":
        time.sleep(0.001)
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            state = file.read().rsplit(")", 1)[1].split()[0]


def of_ended_jobs():
    """User and system time of all jobs so far that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(options=(), hang_up=signal.SIG_DFL):
    return MARKED.start([INPUT, *LONG, *OPTIONS, *options], preexec_fn=lambda: signal.signal(signal.SIGHUP, hang_up))


def wait_for(job, word=""):
    """The report begins when signals are caught; "Iter" heads the table of iterations, after the set-up."""
    for line in job.stdout:
        if line.strip() and word in line:
            return


def trial(number, target, delay):
    """What was wrong, or None; prints the latency."""
    before = of_ended_jobs()
    with start() as job:
        wait_for(job)
        time.sleep(delay)
        ranks = MARKED.ranks_alive()
        if len(ranks) != int(RANKS) or job.poll() is not None:
            job.kill()
            return f"{len(ranks)} ranks are there"
        if int(RANKS) == 1:  # Open MPI's launcher is not to see that
            stop(ranks[0])
        sent, busy = time.monotonic(), sum(processor_seconds(process) for process in ranks.values())
        if target == "mpiexec":
            job.send_signal(number)
        else:
            for rank in ranks if target == "all" else [target]:
                os.kill(ranks[rank], number)
        if int(RANKS) == 1:
            os.kill(ranks[0], signal.SIGCONT)
        end = MARKED.end_of(job, MOST_SECONDS)
        if end is None:
            return "hf does not end"
        errors = end[1]
        took = time.monotonic() - sent
    used = (of_ended_jobs() - before - busy)
    expected = 128 + number
    what = (f"{signal.Signals(number).name} to {target} after {delay:.2f} s: {took:.2f} s, {used:.2f} s of a processor, "
            f"exit code {job.returncode}")
    print(what, flush=True)
    lines = [line for line in errors.splitlines() if line.startswith("hf: ")]
    if job.returncode != expected:
        return f"{what}; expected {expected}: {errors}"
    if len(lines) != 1 or "interrupted" not in lines[0]:
        return f"{what}: {errors}"
    if took > MOST_SECONDS or int(RANKS) == 1 and used > MOST_PROCESSOR_SECONDS:
        return f"{what}: too long"
    return None


def interrupt_reading():
    """Who waits for standard input is not deaf."""
    with subprocess.Popen([HF, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        caught = 0
        while not caught & 1 << signal.SIGINT - 1 and job.poll() is None:
            time.sleep(0.001)
            with open(f"/proc/{job.pid}/status", encoding="ascii") as status:
                caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        job.send_signal(signal.SIGINT)  # it may not have begun to read: that must not matter
        try:
            job.wait(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            return "hf does not end while it waits for standard input"
        errors = job.stderr.read()
    return None if job.returncode == 128 + signal.SIGINT and "interrupted by signal 2" in errors else \
        f"exit code {job.returncode} while waiting for standard input: {errors}"


def processor_limit():
    """The kernel sends SIGXCPU again and again: hf ends as after the first."""
    with start() as job:
        wait_for(job)
        for _ in range(2):
            job.send_signal(signal.SIGXCPU)
            time.sleep(0.02)
        _, errors = job.communicate(timeout=MOST_SECONDS)
    return None if job.returncode == 128 + signal.SIGXCPU and "interrupted by signal 24" in errors else \
        f"exit code {job.returncode} after SIGXCPU twice: {errors}"


def closed_terminal():
    """The shell and the kernel each send SIGHUP: hf writes what it has and ends as after one."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, document = os.path.join(folder, "state.h5"), os.path.join(folder, "out.json")
        with start(["--checkpoint", checkpoint, "--json", document]) as job:
            wait_for(job, "Iter")  # before, there is no state to write
            for _ in range(2):
                job.send_signal(signal.SIGHUP)
                time.sleep(0.02)
            _, errors = job.communicate(timeout=MOST_SECONDS)
        if job.returncode != 128 + signal.SIGHUP or "interrupted by signal 1" not in errors:
            return f"exit code {job.returncode} after SIGHUP twice: {errors}"
        if not os.path.exists(checkpoint):
            return "no checkpoint after SIGHUP"
        with open(document, encoding="utf-8") as file:
            kind = json.load(file)["error"]["error_type"]
    return None if kind == "interrupted" else f"JSON after SIGHUP: {kind}"


def twice_while_writing(options, n_after, code):
    """Batch system and mpiexec each send SIGTERM: the second, while files are written, must not end that."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, document = os.path.join(folder, "state.h5"), os.path.join(folder, "out.json")
        with start([*options, "--checkpoint", checkpoint, "--json", document]) as job:
            wait_for(job, "Iter")
            if n_after == 1:
                job.send_signal(signal.SIGTERM)
            while not os.listdir(folder) and job.poll() is None:
                pass
            for _ in range(n_after):
                job.send_signal(signal.SIGTERM)
                time.sleep(0.001)  # or two are one
            _, errors = job.communicate(timeout=MOST_SECONDS)
        left = sorted(os.listdir(folder))
    return None if job.returncode == code and left == ["out.json", "state.h5"] else \
        f"{options}: exit code {job.returncode} after SIGTERM twice, files {left}: {errors}"


def no_hang_up():
    """Under nohup SIGHUP stays ignored."""
    with start(hang_up=signal.SIG_IGN) as job:
        wait_for(job)
        job.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        job.send_signal(signal.SIGTERM)
        _, errors = job.communicate(timeout=MOST_SECONDS)
    return None if job.returncode == 128 + signal.SIGTERM else f"exit code {job.returncode}, SIGHUP is not ignored: {errors}"


def main():
    random.seed(14)
    targets = ["all"] if int(RANKS) == 1 else ["all", 0, int(RANKS) - 1, "mpiexec"]
    failures = []
    for k in range(int(TRIALS)):
        target = targets[k % len(targets)]
        number = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)[k % 3]
        if target == "mpiexec":
            number = signal.SIGUSR1  # with others Open MPI's has an exit code of its own
        failures.append(trial(number, target, random.choice((0.1, 1.0, 3.0)) * random.random()))
    if int(RANKS) == 1:
        failures += [interrupt_reading(), processor_limit(), closed_terminal(), no_hang_up(),
                     twice_while_writing([], 1, 128 + signal.SIGTERM), twice_while_writing(["--time-limit", "0:03"], 2, 1)]
    failures = [text for text in failures if text]
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
