#!/usr/bin/env python3
"""hf driven through a socket: forces, bad messages, waiting, signals.

Usage: test_serve.py HF MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest
from socket_driver import IDENTITY, Driver

TEST = ProgramTest.of_arguments()
HEAD = "basis STO-3G\nunits bohr\ngeometry\n"
PLACES = [0.0, 0.0, 0.2, 0.0, 1.5, -0.9, 0.1, -1.4, -1.0]
NAN = struct.pack("=d", float("nan"))


def write(folder, places):
    path = os.path.join(folder, "water.mol")
    atoms = "".join(f"{s} {places[3 * i]!r} {places[3 * i + 1]!r} {places[3 * i + 2]!r}\n" for i, s in enumerate("OHH"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + atoms + "end\n")
    return path


class Served:
    """A run of hf that a driver waits for."""

    def __init__(self, folder, *options, path="socket", prefix=()):
        self.driver = Driver(path and os.path.join(folder, path))
        self.process = subprocess.Popen([*prefix, *TEST.launcher, os.path.abspath(TEST.program), write(folder, PLACES), "--serve", self.driver.address, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                                        env=dict(os.environ, OMPI_MCA_orte_execute_quiet="1"))
        last = time.monotonic() + TEST.most_seconds
        while not self.driver.accept(1.0) and self.process.poll() is None and time.monotonic() < last:
            pass
        if self.driver.client is None:
            self.process.kill()  # if it hangs

    def end(self):
        """Exit code, standard output, standard error."""
        try:
            out, errors = self.process.communicate(timeout=TEST.most_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, errors = self.process.communicate()
            return "hangs", out, errors
        finally:
            self.driver.close()
        return self.process.returncode, out, errors


def gradient(folder, places, *options):
    path = os.path.join(folder, "out.json")
    code, _, errors = TEST.run([write(folder, places), "--task", "gradient", "--checkpoint", "none", "--json", path, *options])
    TEST.check(code == 0, f"gradient: exit code {code}", errors)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_forces(folder):
    for path, options in (("socket", []), (None, ["--method", "mp2"])):
        served = Served(folder, *options, path=path)
        TEST.check(served.driver.status() == "READY", "the first status is not READY")
        for k in range(3):
            places = [x + 0.05 * k * (i % 4) for i, x in enumerate(PLACES)]
            energy, forces = served.driver.forces(places)
            TEST.check(served.driver.status() == "READY", "not READY when forces were fetched")
            expected = gradient(folder, places, *options)
            worst = max(abs(f + g) for f, g in zip(forces, expected["return_result"], strict=True))
            TEST.check(worst < 2e-7, f"forces differ by {worst}")
            TEST.check(abs(energy - expected["properties"]["return_energy"]) < 1e-9, f"energy {energy}")
        if path:
            served.driver.send("EXIT")
        else:
            served.driver.client.close()
        code, out, errors = served.end()
        TEST.check(code == 0 and "after 3 geometries" in out, f"end of the driver: exit code {code}", out + errors)
        TEST.check(TEST.n_rank > 1 or errors == "", "standard error:", errors)
        TEST.check(sorted(os.listdir(folder)) == ["out.json", "water.mol"], "files are left:", str(os.listdir(folder)))


def check_crowd(folder):
    """The report of hf goes to a file that drivers do not show: a bad launch is also told on standard error, once."""
    if TEST.n_rank == 1:
        return
    served = Served(folder, prefix=["taskset", "-c", str(min(os.sched_getaffinity(0)))])
    for _ in range(2):
        served.driver.status()
        served.driver.forces(PLACES)
    served.driver.send("EXIT")
    code, out, errors = served.end()
    told = f"{TEST.n_rank} ranks share 1 core of a node: they slow each other down"
    TEST.check(code == 0 and errors.count(f"hf: warning: {told}") == 1 and f"Warning: {told}" in out, f"ranks on one core: exit code {code}", errors)


def bad_messages():
    """(name, what the driver does, exit code, part of the message)"""
    positions = struct.pack("=9d", *PLACES)
    three = struct.pack("=i", 3)

    def after_forces(driver):
        driver.forces(PLACES)
        driver.send("GETFORCE")
    return [
        ("unknown header", lambda d: d.send("HELLO"), 2, "an unknown header"),
        ("header with more behind it", lambda d: d.send("STATUSX"), 2, "an unknown header"),
        ("bytes", lambda d: d.client.sendall(bytes(range(200, 250))), 2, "an unknown header"),
        ("forces of nothing", lambda d: d.send("GETFORCE"), 2, "GETFORCE without positions"),
        ("forces twice", after_forces, 2, "GETFORCE without positions"),
        ("size of INIT", lambda d: d.send("INIT", struct.pack("=ii", 0, -1)), 2, "the size of INIT"),
        ("large INIT", lambda d: d.send("INIT", struct.pack("=ii", 0, 2**31 - 1)), 2, "the size of INIT"),
        ("other atoms", lambda d: d.send_positions(PLACES[:6]), 2, "the driver has 2 atoms, the input has 3"),
        ("negative atoms", lambda d: d.send_positions([], -5), 2, "the driver has -5 atoms"),
        ("no number", lambda d: d.send("POSDATA", IDENTITY, IDENTITY, three, positions[:-8], NAN), 2, "a position is no number"),
        ("atoms at one place", lambda d: d.send_positions([0.0] * 9), 2, "geometry 1: atoms 1 (O) and 2 (H) are on top of each other (0 bohr"),
        ("atoms near each other", lambda d: d.send_positions([*PLACES[:6], *PLACES[3:5], PLACES[5] + 0.05]), 2,
         "atoms 2 (H) and 3 (H) are on top of each other (0.05 bohr"),
        ("an atom far away", lambda d: d.send_positions([*PLACES[:8], 1e300]), 2,
         "coordinate 1e+300 bohr of atom 3 (H) is out of range; expected less than 10000"),
        ("half a header", lambda d: (d.client.sendall(b"STAT"), d.client.close()), 3, "broke in a message: the driver closed it"),
        ("half of the positions", lambda d: (d.send("POSDATA", IDENTITY), d.client.close()), 3, "broke in a message"),
    ]


def check_bad_messages(folder):
    for name, act, code, part in bad_messages()[::1 if TEST.n_rank == 1 else 5]:
        served = Served(folder)
        act(served.driver)
        TEST.expect_one_line(name, served.end(), code, [part])
    served = Served(folder, "--max-iterations", "2")
    served.driver.send_positions(PLACES)
    TEST.expect_one_line("not converged", served.end(), 1, ["geometry 1 did not converge"])


def processor_seconds(of):
    """Of a process and those that it started."""
    used = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        used[int(pid)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    family = {of}
    for _ in range(4):
        family |= {pid for pid, (parent, _) in used.items() if parent in family}
    return sum(used[pid][1] for pid in family if pid in used) / os.sysconf("SC_CLK_TCK")


def check_waiting(folder):
    served = Served(folder)
    served.driver.forces(PLACES)
    used, end = None, time.monotonic() + 60
    while (used is None or used > 0.2 * TEST.n_rank) and time.monotonic() < end:  # the ranks may still end their work
        begin, before = time.monotonic(), processor_seconds(served.process.pid)
        time.sleep(1.0)
        used = (processor_seconds(served.process.pid) - before) / (time.monotonic() - begin)
    TEST.check(used <= 0.2 * TEST.n_rank, f"waiting takes {used} processors")
    number = signal.SIGUSR1  # with others Open MPI's launcher has an exit code of its own
    served.process.send_signal(number)
    TEST.expect_one_line("signal while waiting", served.end(), 128 + number, [f"interrupted by signal {number.value}"])
    served = Served(folder, "--time-limit", "00:00:02")
    code, _, errors = served.end()
    TEST.check(code not in (0, "hangs"), f"time limit: exit code {code}", errors)


def check_refusals(folder):
    path = write(folder, PLACES)
    cases = [("address", ["--serve", "nowhere"], 2, ["--serve: 'nowhere' is no address; expected unix:NAME or HOST:PORT"]),
             ("port", ["--serve", "localhost:http"], 2, ["is no address"]),
             ("large port", ["--serve", "localhost:99999"], 2, ["--serve: 'localhost:99999': port 99999 is out of range; expected 1 to 65535"]),
             ("port 0", ["--serve", "[::1]:0"], 2, ["port 0 is out of range"]),
             ("long name", ["--serve", "unix:" + 200 * "a"], 2, ["at most 107 bytes"]),
             ("no name", ["--serve", "unix:"], 2, ["needs the name of a socket"]),
             ("other host", ["--serve", "192.0.2.1:31415"], 2, ["is another host", "--serve-remote"]),
             ("files", ["--serve", "unix:x", "--json", os.path.join(folder, "out.json")], 2, ["--json: json cannot be combined with serve"]),
             ("checkpoint", ["--serve", "unix:x", "--checkpoint", "a.h5"], 2, ["--checkpoint: with --serve no files are written"]),
             ("task", ["--serve", "unix:x", "--task", "optimise"], 2, ["--task: with --serve energies and forces are computed"]),
             ("constraint", ["--serve", "unix:x", "--constraint", "fix 1"], 2, ["constraint has no effect without task optimise"]),
             ("nobody", ["--serve", "unix:" + os.path.join(folder, "nobody")], 3, ["no driver listens there"]),
             ("no gradients", ["--serve", "unix:x", "--method", "lmp2"], 2, ["no gradients of local MP2"])]
    for name, options, code, parts in cases:
        if TEST.n_rank > 1 and name not in ("large port", "other host"):
            continue
        TEST.expect_one_line(name, TEST.run([path, *options]), code, parts)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_forces(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_crowd(folder)
        check_bad_messages(folder)
        check_waiting(folder)
        check_refusals(folder)
    return TEST.report()


sys.exit(main())
